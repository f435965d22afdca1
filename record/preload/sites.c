/*
 * sites.c -- where in the program a call is: the address that it returns to.
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/hash.h"
#include "base/mem.h"
#include "lib/online.h"
#include "record/preload/recorder.h"
#include "record/preload/unwind.h"

struct site {
	struct handle entry;
	unsigned unloads; /* when it was named: later, another module may stand there */
	uint32_t name; /* string */
	uintptr_t start; /* of the function, in its module; NO_START: not known */
};

#define NO_START UINTPTR_MAX

/* ------------------------------------------------------------------ modules */

static int note_layer(struct dl_phdr_info *module, size_t size, void *context)
{
	static const char *const names[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort", "libc.so"};
	(void)size, (void)context;
	const char *slash = strrchr(module->dlpi_name, '/'), *name = slash ? slash + 1 : module->dlpi_name;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct layers *layers = i < 3 ? &recorder.layers : &recorder.starters;
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
	}
	return 0;
}

static pthread_key_t stack_key; /* each thread's here.stack, for its end */

/* Destructors of other keys may call MPI after this one. */
static void drop_stack(void *stack)
{
	free(stack);
	here.stack = NULL;
}

void sites_start(void)
{
	dl_iterate_phdr(note_layer, NULL);
	pthread_key_create(&stack_key, drop_stack);
}

static bool is_in(const struct layers *layers, uintptr_t address)
{
	for (int i = 0; i < layers->count; i++)
		if (address - layers->first[i] < layers->end[i] - layers->first[i])
			return true;
	return false;
}

/* ------------------------------------------------------------------ names */

/* The module that an address is in, and the id that its linker gave it. */
struct build {
	uintptr_t address;
	struct text id;
};

static void put_build_id(const char *note, const char *end, struct text *id)
{
	const ElfW(Nhdr) *head = (const void *)note;
	for (; note + sizeof *head <= end && !id->length; head = (const void *)note) {
		const char *name = note + sizeof *head, *bytes = name + (head->n_namesz + 3) / 4 * 4;
		note = bytes + (head->n_descsz + 3) / 4 * 4;
		if (note > end || head->n_type != NT_GNU_BUILD_ID || head->n_namesz != 4 || memcmp(name, "GNU", 4))
			continue;
		for (uint32_t i = 0; i < head->n_descsz; i++)
			text_format(id, "%02x", (unsigned char)bytes[i]);
	}
}

static int find_build(struct dl_phdr_info *module, size_t size, void *context)
{
	struct build *b = context;
	bool inside = false;
	(void)size;
	for (int s = 0; s < module->dlpi_phnum; s++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[s];
		inside |= segment->p_type == PT_LOAD &&
			  b->address - module->dlpi_addr - segment->p_vaddr < segment->p_memsz;
	}
	for (int s = 0; s < module->dlpi_phnum && inside; s++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[s];
		const char *note = (const char *)(module->dlpi_addr + segment->p_vaddr);
		if (segment->p_type == PT_NOTE)
			put_build_id(note, note + segment->p_memsz, &b->id);
	}
	return inside;
}

/* Who names the site on another machine has to know of which build it is. */
static void tell_module(uintptr_t address, const char *path)
{
	struct build b = {.address = address};
	dl_iterate_phdr(find_build, &b);
	if (b.id.length) {
		text_format(&b.id, " %s", path);
		recorder_string("module", b.id.data);
	}
	text_clear(&b.id);
}

/* Of a program the loader knows what it was called by, of what it loads what it was asked for:
   names that are files only in a folder of PATH, or where the process was then. */
static const char *module_path(const Dl_info *where, char found[PATH_MAX])
{
	Dl_info program;
	if (where->dli_fname[0] == '/')
		return where->dli_fname;
	if (dladdr((void *)getauxval(AT_PHDR), &program) && program.dli_fbase == where->dli_fbase)
		return realpath("/proc/self/exe", found) ? found : where->dli_fname;
	return realpath(where->dli_fname, found) ? found : where->dli_fname;
}

static void name_site(struct site *s, void *address)
{
	char found[PATH_MAX];
	struct text text = {0};
	Dl_info where = {0};
	uintptr_t function = recorder.frames ? unwind_function((uintptr_t)address) : 0;
	s->unloads = unwind_unloads();
	s->start = NO_START;
	if (!dladdr(address, &where) || !where.dli_fname) {
		text_format(&text, "%llx ?", (unsigned long long)(uintptr_t)address);
	} else {
		uintptr_t base = (uintptr_t)where.dli_fbase;
		const char *path = module_path(&where, found);
		text_format(&text, "%llx %s", (unsigned long long)((uintptr_t)address - base), path);
		s->start = function >= base && function ? function - base : NO_START;
		tell_module((uintptr_t)address, path);
	}
	s->name = recorder_string("site", text.data);
	if (recorder.online && !recorder.frames)
		online_site(recorder.online, s->name, text.data);
	text_clear(&text);
}

static const struct site *site_at(uintptr_t address)
{
	struct site *s = (struct site *)handles_find(&recorder.sites, address);
	if (s && s->unloads == unwind_unloads())
		return s;
	if (!s) {
		s = mem_alloc(sizeof *s);
		handles_add(&recorder.sites, &s->entry, address);
	}
	name_site(s, (void *)address);
	return s;
}

/* ------------------------------------------------------------------ paths */

#define LEFT_OUT UINT32_MAX

/* A call, and how its function was called. */
struct path {
	struct handle entry;
	const struct path *outer; /* NULL: nothing */
	uint32_t site; /* string; LEFT_OUT: frames that are not kept */
	uint32_t id;
	int depth; /* of frames further out, unless some are left out */
	bool cut; /* some are */
	bool told; /* to the model on line */
};

/* What frames are marked with that lead to main. */
static struct path starting = {.depth = -1};

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

static void tell_path(const struct path *p, uintptr_t start)
{
	char outer[16] = "-", site[16] = "-", begin[20] = "-";
	if (p->outer)
		snprintf(outer, sizeof outer, "%u", p->outer->id);
	if (p->site != LEFT_OUT)
		snprintf(site, sizeof site, "%u", p->site);
	if (start != NO_START)
		snprintf(begin, sizeof begin, "%llx", (unsigned long long)start);
	side_line(&recorder.side, "path %u %s %s %s", p->id, outer, site, begin);
}

/* address: 0: frames that are not kept. */
static struct path *path_to(const struct path *outer, uintptr_t address)
{
	outer = outer == &starting ? NULL : outer;
	const struct site *s = address ? site_at(address) : NULL;
	uint32_t site = s ? s->name : LEFT_OUT;
	uint64_t key = hash_pair(HANDLE_KEY(outer), site);
	struct path *p = (struct path *)handles_find(&recorder.paths, key);
	while (p && (p->outer != outer || p->site != site))
		p = (struct path *)handles_next(&p->entry);
	if (p)
		return p;
	p = mem_alloc(sizeof *p);
	*p = (struct path){
		.outer = outer, .site = site, .id = recorder.path_ids++, .depth = outer ? outer->depth + 1 : 0};
	handles_add(&recorder.paths, &p->entry, key);
	tell_path(p, s ? s->start : NO_START);
	return p;
}

/* The frames of the C library, and of the program's first instructions, that lead to main. */
static bool is_start(uintptr_t address)
{
	return is_in(&recorder.starters, address) || unwind_function(address) == getauxval(AT_ENTRY);
}

static int first_frame(struct unwind_frame *frame, int i)
{
	int first = 0;
	for (; first < i && is_start(frame[first].pc); first++)
		frame[first].mark = &starting;
	return first;
}

/* The path to frame i. Frames that the previous call had, too, are marked with theirs; where frames
   are left out, the last one alone. */
static struct path *path_of(struct unwind_stack *s, int i)
{
	struct unwind_frame *frame = s->frame;
	int marked = i, half = recorder.frames / 2;
	if (frame[i].mark)
		return frame[i].mark;
	while (marked >= 0 && (!frame[marked].mark || ((struct path *)frame[marked].mark)->cut))
		marked--;
	struct path *p = marked < 0 ? NULL : frame[marked].mark;
	int first = p ? marked - p->depth : first_frame(frame, i);
	bool whole = !s->gap && i - first <= recorder.frames;
	int next = p ? marked + 1 : first, end = whole ? i + 1 : first + half;
	if (next > end)
		p = half ? frame[end - 1].mark : NULL;
	for (; next < end; next++)
		frame[next].mark = p = path_to(p, frame[next].pc);
	if (whole)
		return p;
	p = half ? path_to(p, 0) : NULL;
	for (next = i - (recorder.frames - half); next <= i; next++)
		p = path_to(p, frame[next].pc);
	p->cut = true;
	return frame[i].mark = p;
}

uint32_t path_id(const struct path *p)
{
	return p ? p->id : 0;
}

/* Which frames of this path may go back to the last event, which others may have followed that were
   none: of frames that are left out, nothing is known. Another thread's calls are told from nobody's. */
static void keep(const struct unwind *walker, const struct unwind_stack *s, int innermost, const struct path *path)
{
	if (recorder.since.walker != walker) {
		recorder.since.walker = walker;
		recorder.since.event = NULL;
		recorder.since.frames = UNWIND_LIMIT;
	} else if (s->kept >= 0 && s->kept < recorder.since.frames) {
		recorder.since.frames = s->kept;
	}
	int frames = recorder.since.frames;
	const struct path *p = frames && frames <= innermost ? s->frame[frames - 1].mark : NULL;
	bool shown = p && p != &starting && (!path->cut || p->depth < recorder.frames / 2);
	recorder.since.path = shown ? p : NULL;
}

void call_happens(const struct call *c, struct event_attributes *a)
{
	const struct path *kept = recorder.since.path, *p = recorder.since.event;
	if (!recorder.frames)
		return;
	if (recorder.since.walker != here.stack)
		kept = NULL;
	while (kept && p && p->depth > kept->depth)
		p = p->outer;
	if (kept && p == kept) {
		a->have |= 1 << ATTRIBUTE_KEPT;
		a->kept = kept->id;
		a->entered = (uint32_t)(c->path->depth - kept->depth);
	}
	recorder.since.event = c->path;
	recorder.since.frames = UNWIND_LIMIT;
	recorder.since.path = NULL;
}

/* Its sites, a line each. */
static void tell_online(struct path *path)
{
	struct text words = {0};
	for (const struct path *p = path; p; p = p->outer)
		text_format(&words, p == path ? "%s" : "\n%s",
			p->site == LEFT_OUT ? "..." : (const char *)intern_data(recorder.strings, p->site, NULL));
	online_site(recorder.online, path->id, words.data);
	text_clear(&words);
	path->told = true;
}

/* Frames of ours and of Fortran's layers are further in than the caller. */
static void locate_path(struct call *c, uintptr_t caller)
{
	struct unwind *walker = own_stack();
	struct unwind_stack *s = c->here.sp ? unwind_out(walker, &c->here) : unwind(walker);
	int i = s ? s->count - 1 : 0;
	while (i > 0 && s->frame[i].pc != caller)
		i--;
	struct path *p = i > 0 ? path_of(s, i) : path_to(NULL, caller);
	if (i > 0) {
		keep(walker, s, i, p);
	} else {
		recorder.since.walker = NULL;
		recorder.since.path = NULL;
	}
	c->path = p;
	c->site = p->site;
	if (recorder.online && !p->told)
		tell_online(p);
}

void call_locate(struct call *c)
{
	uintptr_t caller = (uintptr_t)c->caller;
	here.in_layer = here.fortran && is_in(&recorder.layers, caller);
	if (here.in_layer)
		caller = (uintptr_t)here.fortran;
	here.fortran = NULL;
	if (recorder.frames)
		locate_path(c, caller);
	else
		c->site = site_at(caller)->name;
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
