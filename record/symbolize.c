/*
 * symbolize.c -- names of call sites from DWARF, through elfutils' libdwfl.
 *
 * A module is opened as a file, wherever it was mapped in the program: what we are given are
 * offsets in it. A return address is behind its call, often on the next line, and in the next
 * function if the call never returns: one byte before it is still the call.
 */
#include "record/symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const char *without_directories(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static char *name_of_offset(const struct site_address *address)
{
	struct text text = {0};
	text_format(&text, "%s+0x%llx", without_directories(address->module), (unsigned long long)address->offset);
	return text.data;
}

#ifdef TRACENEST_ELFUTILS
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* A file as libdwfl knows it; `start` is the address that it gives to the module's beginning in
   memory. */
struct module {
	const char *path;
	Dwfl *session; /* NULL: cannot be read */
	Dwfl_Module *file;
	Dwarf_Addr start;
};

/* The loader maps a module from the page that its lowest segment begins in. */
static bool lowest_address(Elf *elf, Dwarf_Addr *lowest)
{
	size_t count;
	bool found = false;
	if (elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
			continue;
		Dwarf_Addr page = segment.p_align > 1 ? segment.p_vaddr & -segment.p_align : segment.p_vaddr;
		if (!found || page < *lowest)
			*lowest = page;
		found = true;
	}
	return found;
}

static struct module module_open(const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct module module = {.path = path, .session = dwfl_begin(&callbacks)};
	GElf_Addr bias = 0;
	Dwarf_Addr lowest = 0;
	module.file = module.session ? dwfl_report_offline(module.session, path, path, -1) : NULL;
	if (module.file)
		dwfl_report_end(module.session, NULL, NULL);
	Elf *elf = module.file ? dwfl_module_getelf(module.file, &bias) : NULL;
	if (elf && lowest_address(elf, &lowest)) {
		module.start = lowest + bias;
	} else {
		dwfl_end(module.session);
		module.session = NULL;
	}
	return module;
}

/*
 * Go through the functions inside, and take those that hold the address: the last one found is the
 * innermost. dwarf_getscopes would not do: procedures of Fortran stand in modules and in each
 * other, whose own addresses are none, or elsewhere.
 */
static void find_function(Dwarf_Die *scope, Dwarf_Addr address, Dwarf_Die *found, bool *any)
{
	Dwarf_Die inside;
	for (int status = dwarf_child(scope, &inside); status == 0; status = dwarf_siblingof(&inside, &inside)) {
		switch (dwarf_tag(&inside)) {
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_entry_point:
			if (dwarf_haspc(&inside, address) == 1) {
				*found = inside;
				*any = true;
			}
			find_function(&inside, address, found, any);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_module:
		case DW_TAG_namespace:
			find_function(&inside, address, found, any);
			break;
		}
	}
}

/* The innermost function around an address, inlined or not; NULL if not known. */
static const char *function_at(Dwfl_Module *file, Dwarf_Addr address)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(file, address, &bias), function;
	bool any = false;
	if (unit)
		find_function(unit, address - bias, &function, &any);
	const char *name = any ? dwarf_diename(&function) : NULL;
	return name ? name : dwfl_module_addrname(file, address);
}

static char *name_in_source(const struct module *module, uint64_t offset)
{
	Dwarf_Addr call = module->start + offset - 1;
	Dwfl_Line *line = dwfl_module_getsrc(module->file, call);
	int number = 0;
	const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (!file || number <= 0)
		return NULL;
	const char *function = function_at(module->file, call);
	struct text text = {0};
	text_format(&text, "%s:%d", without_directories(file), number);
	if (function)
		text_format(&text, " %s", function);
	return text.data;
}

struct modules {
	struct module *module;
	size_t length, capacity;
};

/* Programs have few modules, and an address is mostly of the same one as the last. */
static const struct module *module_at(struct modules *modules, const char *path)
{
	for (size_t i = modules->length; i-- > 0;)
		if (strcmp(modules->module[i].path, path) == 0)
			return &modules->module[i];
	modules->module = mem_grow(modules->module, &modules->capacity, modules->length + 1, sizeof *modules->module);
	modules->module[modules->length] = module_open(path);
	return &modules->module[modules->length++];
}

void sites_name(const struct site_address *address, size_t count, char **name)
{
	struct modules modules = {0};
	for (size_t i = 0; i < count; i++) {
		const struct module *module = module_at(&modules, address[i].module);
		name[i] = module->session ? name_in_source(module, address[i].offset) : NULL;
		if (!name[i])
			name[i] = name_of_offset(&address[i]);
	}
	for (size_t i = 0; i < modules.length; i++)
		dwfl_end(modules.module[i].session);
	free(modules.module);
}

bool sites_have_names(void)
{
	return true;
}

#else

void sites_name(const struct site_address *address, size_t count, char **name)
{
	for (size_t i = 0; i < count; i++)
		name[i] = name_of_offset(&address[i]);
}

bool sites_have_names(void)
{
	return false;
}

#endif

/* ------------------------------------------------------------------ as the recorder writes them */

struct addresses {
	struct site_address *address; /* whose modules are ours */
	size_t count, capacity;
};

/* OFFSET MODULE, up to the end of the line; gives what is behind it. */
static const char *add_address(struct addresses *a, const char *line)
{
	char *behind;
	uint64_t offset = strtoull(line, &behind, 16);
	const char *module = behind + (*behind == ' ');
	size_t length = strcspn(module, "\n");
	struct text path = {0};
	text_add(&path, module, length);
	*MEM_PUSH(a->address, a->count, a->capacity) = (struct site_address){path.data, offset};
	return module + length + (module[length] == '\n');
}

void sites_name_paths(void *unused, const char *const *path, size_t count, char **name)
{
	(void)unused;
	struct addresses all = {0};
	for (size_t i = 0; i < count; i++)
		for (const char *at = path[i]; *at;)
			at = add_address(&all, at);
	char **found = mem_zero((all.count + 1) * sizeof *found);
	sites_name(all.address, all.count, found);
	for (size_t i = 0, next = 0; i < count; i++) {
		struct text words = {0};
		for (const char *at = path[i]; *at; at += strcspn(at, "\n"), at += *at == '\n')
			text_format(&words, at == path[i] ? "%s" : " < %s", found[next++]);
		name[i] = words.data ? words.data : mem_text("");
	}
	for (size_t i = 0; i < all.count; i++) {
		free(found[i]);
		free((void *)(uintptr_t)all.address[i].module);
	}
	free(found);
	free(all.address);
}
