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
#include "record/preload/python.h"
#include "record/preload/recorder.h"
#include "record/preload/unwind.h"

struct site {
	struct handle entry;
	uintptr_t code; /* of Python: its code object; 0: an address of C */
	bool frozen; /* in a library of the interpreter's own */
	unsigned unloads; /* when it was named: later, another module may stand there */
	uint32_t name; /* string */
	uintptr_t start; /* of the function, in its module; NO_START: not known */
};

#define NO_START UINTPTR_MAX

/* ------------------------------------------------------------------ modules */

static void note_module(struct layers *layers, const struct dl_phdr_info *module)
{
	uintptr_t first = UINTPTR_MAX, end = 0;
	for (int s = 0; s < module->dlpi_phnum; s++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[s];
		uintptr_t begin = module->dlpi_addr + segment->p_vaddr;
		if (segment->p_type != PT_LOAD)
			continue;
		first = begin < first ? begin : first;
		end = begin + segment->p_memsz > end ? begin + segment->p_memsz : end;
	}
	if (layers->count < LAYERS_LIMIT) {
		layers->first[layers->count] = first;
		layers->end[layers->count++] = end;
	}
}

static bool is_mpi4py(const char *path)
{
	return strstr(path, "/mpi4py/MPI.");
}

static int note_layer(struct dl_phdr_info *module, size_t size, void *context)
{
	static const char *const names[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort", "libc.so"};
	(void)size, (void)context;
	const char *slash = strrchr(module->dlpi_name, '/'), *name = slash ? slash + 1 : module->dlpi_name;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			note_module(i < 3 ? &recorder.layers : &recorder.starters, module);
	if (is_mpi4py(module->dlpi_name))
		note_module(&recorder.bindings, module);
	return 0;
}

#define THREADS_MOST 64 /* have a number of their own; those beyond share one */

static pthread_key_t stack_key; /* for the end of a thread: what here has of it */

/* Destructors of other keys may call MPI after this one. */
static void drop_stacks(void *any)
{
	(void)any;
	free(here.stack);
	free(here.stack_in_python);
	free(here.mixed);
	here.stack = here.stack_in_python = NULL;
	here.mixed = NULL;
	if (!here.thread)
		return;
	recorder_lock();
	if (here.thread <= THREADS_MOST)
		recorder.threads &= ~(UINT64_C(1) << (here.thread - 1));
	here.thread = 0;
	recorder_unlock();
}

void recorder_thread(void)
{
	if (!here.thread && !pthread_equal(pthread_self(), recorder.first)) {
		while (here.thread < THREADS_MOST && recorder.threads >> here.thread & 1)
			here.thread++;
		if (here.thread < THREADS_MOST)
			recorder.threads |= UINT64_C(1) << here.thread;
		here.thread++;
		side_line(&recorder.side, "thread %u", here.thread);
		pthread_setspecific(stack_key, &recorder); /* any: it shall end with drop_stacks */
	}
	if (recorder.events)
		event_writer_thread(recorder.events, here.thread);
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

static bool holds(const struct dl_phdr_info *module, uintptr_t address)
{
	bool inside = false;
	for (int s = 0; s < module->dlpi_phnum; s++) {
		const ElfW(Phdr) *segment = &module->dlpi_phdr[s];
		inside |=
			segment->p_type == PT_LOAD && address - module->dlpi_addr - segment->p_vaddr < segment->p_memsz;
	}
	return inside;
}

static int find_build(struct dl_phdr_info *module, size_t size, void *context)
{
	struct build *b = context;
	bool inside = holds(module, b->address);
	(void)size;
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

static struct site *known_site(uintptr_t address, uintptr_t code)
{
	struct site *s = (struct site *)handles_find(&recorder.sites, address);
	while (s && s->code != code)
		s = (struct site *)handles_next(&s->entry);
	return s;
}

static struct site *new_site(uintptr_t address, uintptr_t code)
{
	struct site *s = mem_zero(sizeof *s);
	s->code = code;
	handles_add(&recorder.sites, &s->entry, address);
	return s;
}

/* ------------------------------------------------------------------ Python's modules */

static int note_binding(struct dl_phdr_info *module, size_t size, void *address)
{
	(void)size;
	bool found = holds(module, *(uintptr_t *)address);
	if (found)
		note_module(&recorder.bindings, module);
	return found;
}

static void add_binding(uintptr_t address)
{
	if (!is_in(&recorder.bindings, address))
		dl_iterate_phdr(note_binding, &address);
}

static void *find_export(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

/* A program may load it at any time. may_run: see python_check. */
static void look_for_python(bool may_run)
{
	Dl_info where;
	if (!recorder.python && find_export("Py_IsInitialized")) {
		recorder.python = python_new(find_export);
		if (recorder.python)
			add_binding(python_code(recorder.python));
		if (recorder.python && dladdr((void *)python_code(recorder.python), &where))
			dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD); /* it stays */
	}
	if (recorder.python)
		python_check(recorder.python, may_run);
}

void sites_start(void)
{
	dl_iterate_phdr(note_layer, NULL);
	pthread_key_create(&stack_key, drop_stacks);
	look_for_python(true);
}

/* ------------------------------------------------------------------ sites */

static void tell_site(struct site *s, const struct text *words)
{
	s->name = recorder_string("site", words->data);
	if (recorder.online && !recorder.frames)
		online_site(recorder.online, s->name, words->data);
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

void site_words(void *address, struct text *to)
{
	char found[PATH_MAX];
	Dl_info where = {0};
	if (!dladdr(address, &where) || !where.dli_fname)
		text_format(to, "%llx ?", (unsigned long long)(uintptr_t)address);
	else
		text_format(to, "%llx %s", (unsigned long long)((uintptr_t)address - (uintptr_t)where.dli_fbase),
			module_path(&where, found));
}

static void name_site(struct site *s, void *address)
{
	char found[PATH_MAX];
	struct text text = {0};
	Dl_info where = {0};
	uintptr_t function = recorder.frames ? unwind_function((uintptr_t)address) : 0;
	s->unloads = unwind_unloads();
	s->start = NO_START;
	site_words(address, &text);
	if (dladdr(address, &where) && where.dli_fname) {
		uintptr_t base = (uintptr_t)where.dli_fbase;
		s->start = function >= base && function ? function - base : NO_START;
		tell_module((uintptr_t)address, module_path(&where, found));
		if (is_mpi4py(where.dli_fname))
			add_binding((uintptr_t)address);
	}
	tell_site(s, &text);
	text_clear(&text);
	look_for_python(false);
}

static const struct site *site_at(uintptr_t address)
{
	struct site *s = known_site(address, 0);
	if (s && s->unloads == unwind_unloads())
		return s;
	if (!s)
		s = new_site(address, 0);
	name_site(s, (void *)address);
	return s;
}

/* Code that a program makes anew for ever is not kept for ever: beyond this, its sites are "?". */
#define PYTHON_SITES_LIMIT 65536

static const struct site *new_python_site(struct python_frame f)
{
	struct site *s = new_site(f.instruction, f.code);
	struct text words = {0};
	s->start = NO_START;
	text_put(&words, "= ");
	if (!f.code)
		text_char(&words, '?');
	else
		s->frozen = !python_put_words(recorder.python, &f, &words);
	if (!s->frozen)
		tell_site(s, &words);
	text_clear(&words);
	return s;
}

static const struct site *python_site(uintptr_t instruction, uintptr_t code)
{
	struct python_frame f = {.instruction = instruction, .code = code};
	const struct site *s = known_site(f.instruction, f.code);
	if (!s && recorder.python_sites >= PYTHON_SITES_LIMIT) {
		f = (struct python_frame){0};
		s = known_site(0, 0);
	}
	if (s)
		return s;
	if (f.code) {
		python_keep(&f);
		recorder.python_sites++;
	}
	return new_python_site(f);
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

static struct unwind *own_stack(struct unwind **stack)
{
	if (!*stack) {
		*stack = unwind_new();
		pthread_setspecific(stack_key, *stack);
	}
	return *stack;
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

/* s: NULL: frames that are not kept. */
static struct path *path_to(const struct path *outer, const struct site *s)
{
	outer = outer == &starting ? NULL : outer;
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

static const struct site *site_of(const struct unwind_frame *f)
{
	return f->code ? python_site(f->pc, f->code) : site_at(f->pc);
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
	int next = p ? marked + 1 : first, end = whole ? i + 1 : first + half, from = i - (recorder.frames - half);
	end = s->gap && end > s->gap ? s->gap : end; /* of mixed stacks, there may be few on either side */
	if (next > end)
		p = half && end ? frame[end - 1].mark : NULL;
	for (; next < end; next++)
		frame[next].mark = p = path_to(p, site_of(&frame[next]));
	if (whole)
		return p;
	p = half ? path_to(p, NULL) : NULL;
	from = from < end ? end : from;
	for (next = from < i ? from : i; next <= i; next++)
		p = path_to(p, site_of(&frame[next]));
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
	bool shown = p && !s->borrowed && p != &starting && (!path->cut || p->depth < recorder.frames / 2);
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

/* ------------------------------------------------------------------ C's frames and Python's */

/*
 * Frames of the new stack that the last one had, too, keep their marks. Those of C are walked apart
 * from stacks without Python, and marked with what the mixed stack has up to them (struct
 * progress): from the innermost one on whose mark holds, it is made anew.
 */
struct mixed_stack {
	struct python_stack python[2]; /* of the last stack, and of the one that is being made */
	int last; /* which is which */
	struct unwind_stack stack;
	int stands; /* frames of the last stack that the new one has, too, as far as it goes */
	unsigned unloads; /* when it was made */
};

static struct mixed_stack *own_mixed(void)
{
	if (!here.mixed) {
		here.mixed = mem_zero(sizeof *here.mixed);
		pthread_setspecific(stack_key, here.mixed);
	}
	return here.mixed;
}

static const struct python_stack *next_python(const struct mixed_stack *m)
{
	return &m->python[!m->last];
}

static bool runs_python(void)
{
	struct mixed_stack *m = recorder.python ? own_mixed() : NULL;
	return m && python_walk(recorder.python, &m->python[!m->last]);
}

static void make_room(struct mixed_stack *m)
{
	struct unwind_stack *s = &m->stack;
	int half = UNWIND_LIMIT / 2;
	for (int i = 0; i < s->count; i++)
		s->frame[i].mark = NULL;
	memmove(&s->frame[half], &s->frame[half + 1], (size_t)(s->count - half - 1) * sizeof *s->frame);
	s->count--;
	s->gap = half;
}

/* The next frame inwards; code: of Python, else 0. */
static void put_frame(struct mixed_stack *m, uintptr_t pc, uintptr_t code)
{
	struct unwind_stack *s = &m->stack;
	if (s->count < m->stands && s->frame[s->count].pc == pc && s->frame[s->count].code == code) {
		s->count++;
		return;
	}
	if (code ? python_site(pc, code)->frozen : (site_at(pc), is_in(&recorder.bindings, pc)))
		return;
	m->stands = 0;
	if (s->count == UNWIND_LIMIT)
		make_room(m);
	s->frame[s->count++] = (struct unwind_frame){.pc = pc, .code = code};
}

/* Up to a frame of C: frames of the mixed stack, and how many of Python were passed for them. */
struct progress {
	int frames, python;
};

#define PROGRESS_LIMIT (1 << 16) /* of either, to be a mark; more is made anew each time */

static void *mark_of(const struct mixed_stack *m, struct progress p)
{
	bool fits = !m->stack.gap && p.frames < PROGRESS_LIMIT && p.python < PROGRESS_LIMIT - 1;
	return fits ? (void *)((uintptr_t)p.frames * PROGRESS_LIMIT + (uintptr_t)p.python + 1) : NULL;
}

static struct progress progress_of(const void *mark)
{
	return (struct progress){
		(int)(((uintptr_t)mark - 1) / PROGRESS_LIMIT), (int)(((uintptr_t)mark - 1) % PROGRESS_LIMIT)};
}

/* Those of Python that are further out than the frame of C: how many then are passed. */
static int put_python(struct mixed_stack *m, int passed, uintptr_t sp)
{
	const struct python_stack *s = next_python(m);
	for (; passed < s->count; passed++) {
		const struct python_frame *f = python_frame(s, s->count - 1 - passed);
		if (!f)
			m->stack.gap = m->stack.gap ? m->stack.gap : m->stack.count;
		else if (f->place && f->place <= sp)
			break;
		else
			put_frame(m, f->instruction, f->code);
	}
	return passed;
}

/* The innermost frame of C that has the same before it as in the last stack; -1: none. */
static int stands_up_to(const struct mixed_stack *m, const struct unwind_stack *s, int last, struct progress *p)
{
	int stands = python_stands(&m->python[m->last], next_python(m));
	for (; last >= 0; last--)
		if (s->frame[last].mark && (*p = progress_of(s->frame[last].mark)).python <= stands)
			return last;
	*p = (struct progress){0, 0};
	return -1;
}

/*
 * The stack up to that frame, with Python's frames in place of its interpreter's. Where the places
 * of these are not known, all of them stand for what is between the outermost and the innermost
 * frame of the interpreter.
 */
static struct unwind_stack *mix(struct mixed_stack *m, struct unwind_stack *s, int last)
{
	bool placed = !s->borrowed && python_frame(next_python(m), 0)->place;
	bool anew = m->unloads != unwind_unloads();
	struct progress done = {0, 0};
	int outer = 0, inner = last, i = -1;
	while (!placed && outer <= last && !is_in(&recorder.bindings, s->frame[outer].pc))
		outer++;
	while (!placed && inner > outer && !is_in(&recorder.bindings, s->frame[inner].pc))
		inner--;
	if (placed && !anew)
		i = stands_up_to(m, s, last, &done);
	m->stands = m->stack.gap || anew ? 0 : m->stack.count;
	m->unloads = unwind_unloads();
	m->stack.gap = 0;
	m->stack.count = done.frames;
	while (++i <= last) {
		struct unwind_frame *f = &s->frame[i];
		if (s->gap && i == s->gap && !m->stack.gap)
			m->stack.gap = m->stack.count;
		if (placed || i == outer)
			done.python = put_python(m, done.python, placed ? f->sp : 0);
		if (!is_in(&recorder.bindings, f->pc) && (placed || i < outer || i > inner))
			put_frame(m, f->pc, 0);
		done.frames = m->stack.count;
		f->mark = placed ? mark_of(m, done) : NULL;
	}
	put_python(m, done.python, 0);
	m->last = !m->last;
	return &m->stack;
}

/* ------------------------------------------------------------------ of a call */

/* Frames of ours and of Fortran's layers are further in than the caller. */
static void locate_path(struct call *c, uintptr_t caller)
{
	bool python = runs_python();
	struct unwind *walker = own_stack(python ? &here.stack_in_python : &here.stack);
	struct unwind_stack *s = c->here.sp ? unwind_out(walker, &c->here) : unwind(walker);
	int i = s ? s->count - 1 : 0;
	while (i > 0 && s->frame[i].pc != caller)
		i--;
	bool found = i > 0, mixed = found && python;
	if (mixed) {
		s = mix(here.mixed, s, i);
		i = s->count - 1;
		found = i >= 0;
	}
	struct path *p = found ? path_of(s, i) : path_to(NULL, site_at(caller));
	if (found && !mixed) {
		keep(walker, s, i, p);
	} else { /* registers say nothing of frames that an interpreter runs */
		recorder.since.walker = NULL;
		recorder.since.path = NULL;
	}
	c->path = p;
	c->site = p->site;
	if (recorder.online && !p->told)
		tell_online(p);
}

/* Without paths, mpi4py's call is where the innermost frame of Python is. */
static const struct site *site_of_call(uintptr_t caller)
{
	const struct site *s = site_at(caller);
	const struct python_frame *f;
	if (!is_in(&recorder.bindings, caller) || !runs_python())
		return s;
	const struct python_stack *stack = next_python(here.mixed);
	for (int i = 0; (f = i < stack->count ? python_frame(stack, i) : NULL); i++) {
		const struct site *in_python = python_site(f->instruction, f->code);
		if (!in_python->frozen)
			return in_python;
	}
	return s;
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
		c->site = site_of_call(caller)->name;
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
