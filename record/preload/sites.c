/*
 * sites.c -- where in the program a call is: the address that it returns to.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "lib/online.h"
#include "record/preload/recorder.h"

#define FRAMES_LIMIT 64

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

void sites_start(void)
{
	dl_iterate_phdr(note_layer, &recorder.layers);
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

static uint32_t remember(uint64_t key, uint32_t name)
{
	struct site *s = mem_alloc(sizeof *s);
	s->name = name;
	handles_add(&recorder.sites, &s->entry, key);
	return name;
}

static uint32_t name_of(void *address)
{
	struct site *s = (struct site *)handles_find(&recorder.sites, HANDLE_KEY(address));
	return s ? s->name : remember(HANDLE_KEY(address), name_place(address));
}

/* ------------------------------------------------------------------ stacks */

/* Frames from the caller on; those of ours and of Fortran's layers are below it. */
static int find_frames(void *caller, void **frame)
{
	void *all[FRAMES_LIMIT + 16];
	int found = backtrace(all, FRAMES_LIMIT + 16), first = 0, count = 0;
	while (first < found && all[first] != caller)
		first++;
	for (int i = first; i < found && count <= recorder.frames; i++)
		frame[count++] = all[i];
	return count;
}

/* The places of all frames, a line each. */
static void tell_stack(uint32_t name, void *const *frame, int count)
{
	struct text words = {0};
	for (int i = 0; i < count; i++)
		text_format(&words, i ? "\n%s" : "%s",
			(const char *)intern_data(recorder.strings, name_of(frame[i]), NULL));
	online_site(recorder.online, name, words.data);
	text_clear(&words);
}

static uint32_t site_of_stack(void *caller)
{
	void *frame[FRAMES_LIMIT + 16];
	int count = find_frames(caller, frame);
	if (count < 2)
		return name_of(caller);
	uint64_t key = hash_bytes(frame, (size_t)count * sizeof *frame);
	struct site *s = (struct site *)handles_find(&recorder.sites, key);
	if (s)
		return s->name;
	struct text text = {0};
	for (int i = 0; i < count; i++)
		text_format(&text, i ? " %u" : "%u", name_of(frame[i]));
	uint32_t name = recorder_string("stack", text.data);
	text_clear(&text);
	if (recorder.online)
		tell_stack(name, frame, count);
	return remember(key, name);
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
