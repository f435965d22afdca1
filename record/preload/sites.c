/*
 * sites.c -- where in the program a call is: the address that it returns to.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "lib/online.h"
#include "record/preload/recorder.h"
#include "record/preload/unwind.h"

struct site {
	struct handle entry;
	uint32_t name; /* string */
};

/* ------------------------------------------------------------------ Fortran */

static int note_layer(struct dl_phdr_info *module, size_t size, void *context)
{
	static const char *const names[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort"};
	struct layers *layers = context;
	(void)size;
	const char *slash = strrchr(module->dlpi_name, '/'), *name = slash ? slash + 1 : module->dlpi_name;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(name, names[i], strlen(names[i])) && layers->count < LAYERS_LIMIT) {
			uintptr_t first = UINTPTR_MAX, end = 0;
			for (int s = 0; s < module->dlpi_phnum; s++) {
				const ElfW(Phdr) *segment = &module->dlpi_phdr[s];
				uintptr_t begin = module->dlpi_addr + segment->p_vaddr;
				if (segment->p_type != PT_LOAD)
					continue;
				first = begin < first ? begin : first;
				end = begin + segment->p_memsz > end ? begin + segment->p_memsz : end;
			}
			layers->first[layers->count] = first;
			layers->end[layers->count++] = end;
		}
	return 0;
}

static pthread_key_t stack_key; /* each thread's here.stack, for its end */

void sites_start(void)
{
	dl_iterate_phdr(note_layer, &recorder.layers);
	pthread_key_create(&stack_key, free);
}

static bool in_layer(const void *address)
{
	for (int i = 0; i < recorder.layers.count; i++)
		if ((uintptr_t)address - recorder.layers.first[i] < recorder.layers.end[i] - recorder.layers.first[i])
			return true;
	return false;
}

/* ------------------------------------------------------------------ names */

static void put_place(struct text *text, void *address)
{
	Dl_info where = {0};
	if (!dladdr(address, &where) || !where.dli_fname)
		text_format(text, "%llx ?", (unsigned long long)(uintptr_t)address);
	else
		text_format(text, "%llx %s", (unsigned long long)((uintptr_t)address - (uintptr_t)where.dli_fbase),
			where.dli_fname);
}

static uint32_t name_place(void *address)
{
	struct text text = {0};
	put_place(&text, address);
	uint32_t id = recorder_string("site", text.data);
	if (recorder.online)
		online_site(recorder.online, id, text.data);
	text_clear(&text);
	return id;
}

static uint32_t name_of(void *address)
{
	struct site *s = (struct site *)handles_find(&recorder.sites, HANDLE_KEY(address));
	if (!s) {
		s = mem_alloc(sizeof *s);
		s->name = name_place(address);
		handles_add(&recorder.sites, &s->entry, HANDLE_KEY(address));
	}
	return s->name;
}

/* ------------------------------------------------------------------ stacks */

/* A call path: what calls its innermost address. */
struct path {
	struct handle entry;
	const struct path *outer; /* NULL: nothing */
	uintptr_t address;
	bool named;
	uint32_t name; /* string: of this path, where it is a call of MPI */
};

/* Not of MPI: what is unloaded leaves its addresses to others. */
EXPORTED int dlclose(void *module)
{
	static void *found;
	int result = ((int (*)(void *))next_function(&found, "dlclose", __builtin_return_address(0)))(module);
	unwind_unloaded();
	return result;
}

static struct unwind *own_stack(void)
{
	if (!here.stack) {
		here.stack = unwind_new();
		pthread_setspecific(stack_key, here.stack);
	}
	return here.stack;
}

static struct path *path_to(const struct path *outer, uintptr_t address)
{
	uint64_t key = hash_pair(HANDLE_KEY(outer), address);
	struct path *p = (struct path *)handles_find(&recorder.paths, key);
	while (p && (p->outer != outer || p->address != address))
		p = (struct path *)handles_next(&p->entry);
	if (p)
		return p;
	p = mem_alloc(sizeof *p);
	*p = (struct path){.outer = outer, .address = address};
	handles_add(&recorder.paths, &p->entry, key);
	return p;
}

/* The path to frame i: of those that the previous call had, too, it is marked. */
static struct path *path_of(struct unwind_frame *frame, int i)
{
	int known = i;
	while (known >= 0 && !frame[known].mark)
		known--;
	struct path *p = known < 0 ? NULL : frame[known].mark;
	while (known < i) {
		known++;
		frame[known].mark = p = path_to(p, frame[known].pc);
	}
	return p;
}

/* The places of its frames: numbers for the side file, a line each for the model on line. */
static uint32_t name_path(const struct path *path)
{
	struct text numbers = {0}, words = {0};
	int left = recorder.frames;
	for (const struct path *p = path; p && left >= 0; p = p->outer, left--) {
		uint32_t name = name_of((void *)p->address);
		text_format(&numbers, p == path ? "%u" : " %u", name);
		text_format(&words, p == path ? "%s" : "\n%s", (const char *)intern_data(recorder.strings, name, NULL));
	}
	uint32_t known = intern_count(recorder.strings), name = recorder_string("stack", numbers.data);
	if (recorder.online && name == known)
		online_site(recorder.online, name, words.data);
	text_clear(&numbers);
	text_clear(&words);
	return name;
}

/* Frames of ours and of Fortran's layers are further in than the caller. */
static uint32_t site_of_stack(void *caller)
{
	struct unwind_stack *s = unwind(own_stack());
	int i = s ? s->count - 1 : 0;
	while (i > 0 && s->frame[i].pc != (uintptr_t)caller)
		i--;
	if (i <= 0)
		return name_of(caller);
	struct path *p = path_of(s->frame, i);
	if (!p->named) {
		p->name = name_path(p);
		p->named = true;
	}
	return p->name;
}

uint32_t site_of(void *caller)
{
	here.in_layer = here.fortran && in_layer(caller);
	if (here.in_layer)
		caller = here.fortran;
	here.fortran = NULL;
	return recorder.frames ? site_of_stack(caller) : name_of(caller);
}

/* ------------------------------------------------------------------ for fortran.S */

_Static_assert(offsetof(struct here, fortran) == 8, "as fortran.S has it");

/* What stands behind a name of Fortran's, from now on in its slot. */
__attribute__((visibility("hidden"))) void *fortran_find(void **slot, const char *name, void *caller);

void *fortran_find(void **slot, const char *name, void *caller)
{
	void *found = NULL, *function = next_function(&found, name, caller);
	__atomic_store_n(slot, function, __ATOMIC_RELAXED);
	return function;
}
