/*
 * symbolize.c -- names of call sites from DWARF and tables of symbols, through elfutils' libdwfl.
 *
 * A module is opened as a file, wherever it was mapped in the program: what we are given are
 * offsets in it. A return address is behind its call, often on the next line, and in the next
 * function if the call never returns: one byte before it is still the call.
 *
 * libdwfl finds the file's debug information (in it, by debuglink or build id, in
 * /usr/lib/debug), and joins .symtab or, without one, .dynsym and .gnu_debugdata. What else is a
 * function is known from where unwind information begins.
 */
#include "record/symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/call_paths.h"
#include "model/lines.h"
#include "record/demangle.h"

static const char *without_directories(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void put_offset(const char *module, uint64_t offset, struct text *out)
{
	text_format(out, "%s+0x%llx", without_directories(module), (unsigned long long)offset);
}

static char *name_of_offset(const struct site_address *address)
{
	struct text text = {0};
	put_offset(address->module, address->offset, &text);
	return text.data;
}

#ifdef TRACENEST_ELFUTILS
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbol {
	Dwarf_Addr start, size; /* 0: goes on to the next one, */
	Dwarf_Addr limit; /* in its section */
	Dwarf_Addr reach; /* the highest end of it and all before it */
	const char *name;
	bool local;
};

/* A file as libdwfl knows it; `start` is the address that it gives to the module's beginning in
   memory. */
struct module {
	const char *path;
	Dwfl *session; /* NULL: cannot be read */
	Dwfl_Module *file;
	Dwarf_Addr start;
	struct symbol *symbol; /* by address; of aliases the best one comes last */
	size_t symbols, capacity;
	struct unit *unit; /* that addresses were looked for in */
	size_t units, unit_capacity;
};

/* ------------------------------------------------------------------ symbols */

/* Whatever a file says, a name is one word of one line; and " < " stands between frames. */
static bool is_name(const char *name)
{
	if (!name || !*name || strstr(name, CALL_PATH_OUTSIDE))
		return false;
	while (*name && !is_control(*name))
		name++;
	return !*name;
}

/* Where the code ends that a symbol's section holds; 0: it holds none. */
static Dwarf_Addr end_of_code(Elf *elf, GElf_Word section)
{
	GElf_Shdr header;
	bool code = section != SHN_UNDEF && elf && gelf_getshdr(elf_getscn(elf, section), &header) &&
		    header.sh_flags & SHF_EXECINSTR;
	return code ? header.sh_addr + header.sh_size : 0;
}

static size_t underscores(const char *name)
{
	return demangler_is_qualified(name) ? 0 : strspn(name, "_");
}

/* Of aliases, a programmer knows the one that is told to others, and plain: write, not __write. */
static int by_address(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;
	if (a->start != b->start)
		return COMPARE(a->start, b->start);
	if (!a->size != !b->size)
		return a->size ? 1 : -1;
	if (a->local != b->local)
		return a->local ? -1 : 1;
	size_t hidden[] = {underscores(a->name), underscores(b->name)};
	if (hidden[0] != hidden[1])
		return COMPARE(hidden[1], hidden[0]);
	size_t lengths[] = {strlen(a->name), strlen(b->name)};
	return lengths[0] != lengths[1] ? COMPARE(lengths[1], lengths[0]) : -strcmp(a->name, b->name);
}

static void read_symbols(struct module *m)
{
	int count = dwfl_module_getsymtab(m->file);
	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(m->file, i, &symbol, &address, &section, &elf, NULL);
		if (!is_name(name) || *name == '$') /* $x and the like tell what the bytes are, on ARM */
			continue;
		int type = GELF_ST_TYPE(symbol.st_info);
		Dwarf_Addr end = end_of_code(elf, section);
		if (end && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE))
			*MEM_PUSH(m->symbol, m->symbols, m->capacity) = (struct symbol){.start = address,
				.size = symbol.st_size,
				.limit = address + (end - symbol.st_value),
				.name = name,
				.local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL};
	}
	if (m->symbols)
		qsort(m->symbol, m->symbols, sizeof *m->symbol, by_address);
	Dwarf_Addr reach = 0;
	for (size_t i = 0; i < m->symbols; i++) {
		Dwarf_Addr end = m->symbol[i].start + m->symbol[i].size;
		m->symbol[i].reach = reach = end > reach ? end : reach;
	}
}

/* The symbol that the address is in. One without a size goes on to the next, but a function does
   not begin before its unwind information: `function`, 0 where that is not known. */
static const char *symbol_at(const struct module *m, Dwarf_Addr address, Dwarf_Addr function)
{
	size_t end;
	SEARCH_FIRST(end, 0, m->symbols, m->symbol[end].start > address);
	for (size_t i = end; i-- > 0 && m->symbol[i].reach > address;)
		if (address - m->symbol[i].start < m->symbol[i].size)
			return m->symbol[i].name;
	const struct symbol *last = end ? &m->symbol[end - 1] : NULL;
	bool goes_on = last && !last->size && address < last->limit && last->start >= function;
	return goes_on ? last->name : NULL;
}

/* ------------------------------------------------------------------ functions without names */

/* .eh_frame_hdr, as every linker writes it: a table of functions and their unwind information, by
   address, relative to its own beginning. */
#define TABLE_KIND 0x3b031b01 /* version 1; how its three fields are encoded */
#define TABLE_HEAD 12

static Dwarf_Addr entry_start(const char *table, size_t entry, Dwarf_Addr at)
{
	int32_t distance;
	memcpy(&distance, table + TABLE_HEAD + 8 * entry, sizeof distance);
	return at + (Dwarf_Addr)distance;
}

static bool find_in_table(const char *table, size_t size, Dwarf_Addr at, Dwarf_Addr address, Dwarf_Addr *start)
{
	uint32_t kind, count;
	size_t behind;
	if (size < TABLE_HEAD)
		return false;
	memcpy(&kind, table, sizeof kind);
	memcpy(&count, table + TABLE_HEAD - sizeof count, sizeof count);
	size_t entries = count < (size - TABLE_HEAD) / 8 ? count : (size - TABLE_HEAD) / 8;
	if (kind != TABLE_KIND)
		return false;
	SEARCH_FIRST(behind, 0, entries, entry_start(table, behind, at) > address);
	if (behind)
		*start = entry_start(table, behind - 1, at);
	return behind > 0;
}

static bool has_unwind_information(Dwfl_Module *file, Dwarf_Addr address)
{
	Dwarf_Addr bias;
	Dwarf_Frame *frame = NULL;
	Dwarf_CFI *information = dwfl_module_eh_cfi(file, &bias);
	bool found = information && dwarf_cfi_addrframe(information, address - bias, &frame) == 0;
	free(frame);
	return found;
}

/* Where the function around an address begins; 0: not known. */
static Dwarf_Addr function_start(const struct module *m, Dwarf_Addr address)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(m->file, &bias);
	size_t count = 0;
	Dwarf_Addr start = 0;
	if (!has_unwind_information(m->file, address) || elf_getphdrnum(elf, &count) != 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_GNU_EH_FRAME)
			continue;
		Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_BYTE);
		if (data && find_in_table(data->d_buf, data->d_size, segment.p_vaddr + bias, address, &start))
			return start;
	}
	return 0;
}

/* ------------------------------------------------------------------ modules */

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

static bool put_build_id(Dwfl_Module *file, struct text *to)
{
	const unsigned char *id;
	GElf_Addr where;
	int bytes = dwfl_module_build_id(file, &id, &where);
	for (int i = 0; i < bytes; i++)
		text_format(to, "%02x", id[i]);
	return bytes > 0;
}

/* What debuginfod's client keeps is there without asking a server, too. */
static int open_cached(Dwfl_Module *file, char **found)
{
	int descriptor = -1;
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct text path = {0};
	struct stat status;
	if (own)
		text_put(&path, own);
	else
		text_format(&path, cache ? "%s/debuginfod_client" : "%s/.cache/debuginfod_client",
			cache  ? cache
			: home ? home
			       : "");
	text_char(&path, '/');
	bool known = put_build_id(file, &path);
	text_put(&path, "/debuginfo");
	if (known && stat(path.data, &status) == 0 && status.st_size > 0)
		descriptor = open(path.data, O_RDONLY | O_CLOEXEC);
	if (descriptor >= 0)
		*found = path.data;
	else
		text_clear(&path);
	return descriptor;
}

static int find_debug_information(Dwfl_Module *file, void **user, const char *name, Dwarf_Addr base, const char *path,
	const char *link, GElf_Word sum, char **found)
{
	int descriptor = dwfl_standard_find_debuginfo(file, user, name, base, path, link, sum, found);
	return descriptor < 0 ? open_cached(file, found) : descriptor;
}

static struct module module_open(const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debug_information,
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
		read_symbols(&module);
	} else {
		dwfl_end(module.session);
		module.session = NULL;
	}
	return module;
}

/* ------------------------------------------------------------------ functions of a unit */

/* A range of addresses of a function. */
struct range {
	Dwarf_Addr start, end;
	Dwarf_Addr reach; /* the highest end of it and all before it */
	size_t function; /* of its unit: those that hold it come first */
};

/* Functions of a unit, those in them, and those inlined. */
struct unit {
	Dwarf_Off offset;
	Dwarf_Die *die;
	size_t count, capacity;
	struct range *range; /* by address */
	size_t ranges, range_capacity;
};

static void add_function(struct unit *u, Dwarf_Die *function)
{
	ptrdiff_t at = 0;
	Dwarf_Addr base, start, end;
	size_t ranges = u->ranges;
	while ((at = dwarf_ranges(function, at, &base, &start, &end)) > 0)
		*MEM_PUSH(u->range, u->ranges, u->range_capacity) =
			(struct range){.start = start, .end = end, .function = u->count};
	if (u->ranges > ranges)
		*MEM_PUSH(u->die, u->count, u->capacity) = *function;
}

/*
 * dwarf_getscopes would not do: procedures of Fortran stand in modules and in each other, whose own
 * addresses are none, or elsewhere.
 */
static void add_functions(struct unit *u, Dwarf_Die *scope)
{
	Dwarf_Die inside;
	for (int status = dwarf_child(scope, &inside); status == 0; status = dwarf_siblingof(&inside, &inside)) {
		switch (dwarf_tag(&inside)) {
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_entry_point:
			add_function(u, &inside);
			add_functions(u, &inside);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_module:
		case DW_TAG_namespace:
			add_functions(u, &inside);
			break;
		}
	}
}

static int by_start(const void *left, const void *right)
{
	const struct range *a = left, *b = right;
	return a->start != b->start ? COMPARE(a->start, b->start) : COMPARE(a->function, b->function);
}

static struct unit read_unit(Dwarf_Die *die)
{
	struct unit u = {.offset = dwarf_dieoffset(die)};
	Dwarf_Addr reach = 0;
	add_functions(&u, die);
	if (u.ranges)
		qsort(u.range, u.ranges, sizeof *u.range, by_start);
	for (size_t i = 0; i < u.ranges; i++)
		u.range[i].reach = reach = u.range[i].end > reach ? u.range[i].end : reach;
	return u;
}

/* Addresses are mostly of few units, and of the same one as the last. */
static const struct unit *unit_at(struct module *m, Dwarf_Die *die)
{
	Dwarf_Off offset = dwarf_dieoffset(die);
	for (size_t i = m->units; i-- > 0;)
		if (m->unit[i].offset == offset)
			return &m->unit[i];
	struct unit *u = MEM_PUSH(m->unit, m->units, m->unit_capacity);
	*u = read_unit(die);
	return u;
}

struct functions {
	Dwarf_Die *die; /* from the outermost one */
	size_t count, capacity;
};

static int by_function(const void *left, const void *right)
{
	const size_t *a = left, *b = right;
	return COMPARE(*a, *b);
}

/* Those that hold the address: the last one found is the innermost. */
static struct functions find_functions(const struct unit *u, Dwarf_Addr address)
{
	struct functions found = {0};
	size_t end, *around = NULL, count = 0, capacity = 0;
	SEARCH_FIRST(end, 0, u->ranges, u->range[end].start > address);
	for (size_t i = end; i-- > 0 && u->range[i].reach > address;)
		if (u->range[i].end > address)
			*MEM_PUSH(around, count, capacity) = u->range[i].function;
	if (count)
		qsort(around, count, sizeof *around, by_function);
	for (size_t i = 0; i < count; i++)
		if (!i || around[i] != around[i - 1])
			*MEM_PUSH(found.die, found.count, found.capacity) = u->die[around[i]];
	free(around);
	return found;
}

static void module_close(struct module *m)
{
	dwfl_end(m->session);
	free(m->symbol);
	for (size_t i = 0; i < m->units; i++) {
		free(m->unit[i].die);
		free(m->unit[i].range);
	}
	free(m->unit);
}

/* ------------------------------------------------------------------ frames */

/* As its symbol has it, where this tells of what it is a part; NULL: not known. */
static const char *function_name(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *symbol = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
	const char *name = symbol && demangler_is_qualified(symbol) ? symbol : dwarf_diename(function);
	return is_name(name) ? name : NULL;
}

static void put_function(struct demangler *d, const char *symbol, struct text *out)
{
	char *name = symbol ? demangler_name(d, symbol) : NULL;
	if (name)
		text_format(out, " %s", name);
	free(name);
}

/* Where an inlined function was called; false: not known. */
static bool put_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct text *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	size_t count;
	Dwarf_Word file, line;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
		dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
		dwarf_getsrcfiles(unit, &files, &count) != 0)
		return false;
	const char *path = file < count ? dwarf_filesrc(files, file, NULL, NULL) : NULL;
	if (path)
		text_format(out, "%s:%llu", without_directories(path), (unsigned long long)line);
	return path;
}

/* The frame, and the ones that it was inlined in. */
static void put_frames(struct module *m, struct demangler *d, Dwarf_Addr call, const char *symbol, struct text *out)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(m->file, call, &bias);
	struct functions around = unit ? find_functions(unit_at(m, unit), call - bias) : (struct functions){0};
	Dwarf_Die *function = around.count ? &around.die[around.count - 1] : NULL;
	const char *name = function ? function_name(function) : NULL;
	put_function(d, name ? name : symbol, out);
	for (; around.count > 1 && dwarf_tag(function) == DW_TAG_inlined_subroutine; function--, around.count--) {
		size_t length = out->length;
		text_put(out, CALL_PATH_OUTSIDE);
		if (!put_call(unit, function, out)) {
			text_truncate(out, length);
			break;
		}
		put_function(d, function_name(function - 1), out);
	}
	free(around.die);
}

static char *name_of_frames(struct module *m, struct demangler *d, const struct site_address *address)
{
	Dwarf_Addr call = m->start + address->offset - 1, start = function_start(m, call);
	const char *symbol = symbol_at(m, call, start);
	Dwfl_Line *line = dwfl_module_getsrc(m->file, call);
	int number = 0;
	const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	struct text text = {0};
	if (file && number > 0)
		text_format(&text, "%s:%d", without_directories(file), number);
	else
		put_offset(address->module, address->offset, &text);
	if (symbol || (file && number > 0))
		put_frames(m, d, call, symbol, &text);
	else if (start) {
		text_char(&text, ' ');
		put_offset(address->module, start - m->start, &text);
	}
	return text.data;
}

struct site_namer {
	struct module *module;
	size_t modules, capacity;
	struct demangler *demangler;
};

struct site_namer *site_namer_new(void)
{
	struct site_namer *n = mem_zero(sizeof *n);
	n->demangler = demangler_new();
	return n;
}

/* Programs have few modules, and an address is mostly of the same one as the last. */
static struct module *module_at(struct site_namer *n, const char *path)
{
	for (size_t i = n->modules; i-- > 0;)
		if (strcmp(n->module[i].path, path) == 0)
			return &n->module[i];
	struct module *m = MEM_PUSH(n->module, n->modules, n->capacity);
	*m = module_open(path);
	return m;
}

char *site_namer_name(struct site_namer *n, const struct site_address *address)
{
	struct module *module = module_at(n, address->module);
	return module->session ? name_of_frames(module, n->demangler, address) : name_of_offset(address);
}

void site_namer_free(struct site_namer *n)
{
	for (size_t i = 0; i < n->modules; i++)
		module_close(&n->module[i]);
	free(n->module);
	demangler_free(n->demangler);
	free(n);
}

bool sites_build_id(const char *path, struct text *to)
{
	struct module m = module_open(path);
	bool known = m.session && dwfl_module_getelf(m.file, &(GElf_Addr){0}) && put_build_id(m.file, to);
	module_close(&m);
	return known;
}

#else

struct site_namer *site_namer_new(void)
{
	return NULL;
}

char *site_namer_name(struct site_namer *n, const struct site_address *address)
{
	(void)n;
	return name_of_offset(address);
}

void site_namer_free(struct site_namer *n)
{
	(void)n;
}

bool sites_build_id(const char *path, struct text *to)
{
	(void)path, (void)to;
	return false;
}

#endif

void sites_name(const struct site_address *address, size_t count, char **name)
{
	struct site_namer *n = site_namer_new();
	for (size_t i = 0; i < count; i++)
		name[i] = site_namer_name(n, &address[i]);
	site_namer_free(n);
}

/* ------------------------------------------------------------------ as the recorder writes them */

struct addresses {
	struct site_address *address; /* whose modules are ours */
	size_t count, capacity;
};

#define LEFT_OUT "..."
#define NAMED "= "

/* The name of what is no address; NULL: it is one. */
static const char *name_of_line(const char *line)
{
	size_t length = strcspn(line, "\n");
	if (!strncmp(line, NAMED, strlen(NAMED)))
		return line + strlen(NAMED);
	return length == strlen(LEFT_OUT) && !strncmp(line, LEFT_OUT, length) ? line : NULL;
}

/* OFFSET MODULE, up to the end of the line; gives what is behind it. */
static const char *add_address(struct addresses *a, const char *line)
{
	char *behind;
	if (name_of_line(line))
		return line + strcspn(line, "\n") + (strchr(line, '\n') != NULL);
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
		for (const char *at = path[i]; *at; at += strcspn(at, "\n"), at += *at == '\n') {
			const char *word = name_of_line(at);
			text_put(&words, at == path[i] ? "" : CALL_PATH_OUTSIDE);
			if (word)
				text_add(&words, word, strcspn(word, "\n"));
			else
				text_put(&words, found[next++]);
		}
		name[i] = words.data ? words.data : mem_text("");
	}
	for (size_t i = 0; i < all.count; i++) {
		free(found[i]);
		free((void *)(uintptr_t)all.address[i].module);
	}
	free(found);
	free(all.address);
}
