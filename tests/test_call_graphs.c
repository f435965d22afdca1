/*
 * test_call_graphs.c -- random programs in C, compiled, recorded and modelled: are the loops found
 * those of the source, and is what was recorded what the text says?
 *
 * A program is made as statements, which are printed as C and run here, too: that tells the loops
 * around each event. Functions call others, themselves again, and what a table has; loops and
 * conditions stand in each other; continue, break and return end them early. Compilers put some of
 * the functions into others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "lib/comparison.h"
#include "lib/pipeline.h"
#include "merge/activations.h"
#include "model/prepared.h"
#include "tests/models.h"
#include "tests/path_stream.h"
#include "tests/unit.h"
#include "trace/call_path.h"
#include "trace/streams.h"

#define FUNCTIONS 5
#define STATEMENTS 4
#define DEPTH 3
#define RECURSION 2
#define LOOPS_MOST 256
#define EVENTS_LEAST 8
#define EVENTS_MOST 1000
#define STEPS_MOST 20000
#define REGION_PROGRAMS 200 /* times the soak factor */

enum { EVENT, LOOP, GUARD, CALL, BY_TABLE, AGAIN, LEAVE };
enum { CONTINUE, BREAK, RETURN };

struct statement_of_source {
	int kind, to; /* the function, or the first of two; EVENT: which; LEAVE: how */
	unsigned add, modulo, equal; /* of its number */
	unsigned line;
	struct statement_of_source *inside;
	size_t length;
};

/* A loop around an event: the loop as it is called, one execution of it, the iteration there, and
   the line of it that the event is in. */
struct around {
	uint32_t loop, execution;
	unsigned iteration, line;
};

/* A loop around an event: which one, or which execution of one, and the iteration there. */
struct nest_of_event {
	uint32_t loop;
	int64_t iteration;
};

/* The loops around all events, the outermost first. */
struct nests {
	struct nest_of_event *around;
	size_t *begin; /* by event, and where the last one ends */
	size_t events, length, around_capacity, event_capacity;
};

static void nests_clear(struct nests *n)
{
	free(n->around);
	free(n->begin);
}

static void begin_event(struct nests *n)
{
	n->begin = mem_grow(n->begin, &n->event_capacity, n->events + 2, sizeof *n->begin);
	n->begin[n->events++] = n->length;
	n->begin[n->events] = n->length;
}

static void add_around(struct nests *n, uint32_t loop, int64_t iteration)
{
	*MEM_PUSH(n->around, n->length, n->around_capacity) = (struct nest_of_event){loop, iteration};
	n->begin[n->events] = n->length;
}

struct source {
	unsigned seed, line;
	struct text *text;
	struct statement_of_source *body[FUNCTIONS];
	size_t length[FUNCTIONS];
	/* while it is run */
	struct intern *contexts;
	struct around now[LOOPS_MOST];
	size_t loops;
	uint32_t executions;
	unsigned steps; /* statements executed */
	struct around *around; /* of all events, one after the other */
	size_t arounds, around_capacity;
	size_t *loops_of; /* by event */
	size_t events, event_capacity;
	struct path_stream *stream; /* NULL; or told of the events, in functions that are regions */
	struct call_path regions;
	uint32_t depth, *kept; /* calls around; by event: of these, those around the event before, too, ... */
	uint32_t common; /* ... and of the next one */
	size_t kept_capacity, kepts;
};

static unsigned below(struct source *r, unsigned limit)
{
	r->seed = r->seed * 1103515245u + 12345u;
	return (r->seed >> 16) % limit;
}

/* ------------------------------------------------------------------ statements */

static int some_kind(struct source *r, int function, int depth, bool guarded)
{
	static const int kinds[] = {EVENT, EVENT, EVENT, EVENT, LOOP, LOOP, LOOP, GUARD, GUARD, CALL, CALL, CALL,
		BY_TABLE, AGAIN, LEAVE, LEAVE};
	int kind = kinds[below(r, COUNT(kinds))];
	bool deep = depth == DEPTH && (kind == LOOP || kind == GUARD), last = function + 1 == FUNCTIONS;
	if (deep || (last && (kind == CALL || kind == BY_TABLE)) || (kind == LEAVE && !guarded))
		return EVENT;
	return kind;
}

/* The body of a loop begins with an event: else nobody could tell it from the loop around, or the
   caller's. Behind a function that calls itself again stands one: else compilers make a loop of it. */
static struct statement_of_source *some_body(
	struct source *r, int function, int depth, bool loop, bool guarded, size_t *length)
{
	size_t most = 1 + below(r, STATEMENTS);
	struct statement_of_source *body = mem_zero((most + 1) * sizeof *body);
	*length = 0;
	for (size_t i = 0; i < most || (i && body[i - 1].kind == AGAIN); i++) {
		struct statement_of_source *s = &body[(*length)++];
		bool event = (loop && !guarded && !i) || (i && body[i - 1].kind == AGAIN);
		s->kind = event ? EVENT : some_kind(r, function, depth, guarded);
		s->add = below(r, 8);
		s->modulo = 2 + below(r, 3);
		s->equal = below(r, s->modulo);
		if (s->kind == EVENT)
			s->to = (int)below(r, 6);
		else if (s->kind == CALL || s->kind == BY_TABLE)
			s->to = function + 1 + (int)below(r, (unsigned)(FUNCTIONS - function - 1));
		else if (s->kind == AGAIN)
			s->to = (int)below(r, (unsigned)function + 1);
		else if (s->kind == LEAVE)
			s->to = loop ? (int)below(r, 3) : RETURN;
		if (s->kind == LOOP)
			s->inside = some_body(r, function, depth + 1, true, false, &s->length);
		else if (s->kind == GUARD)
			s->inside = some_body(r, function, depth + 1, loop, true, &s->length);
		if (s->kind == LEAVE)
			break;
	}
	return body;
}

static void free_body(struct statement_of_source *body, size_t length)
{
	for (size_t i = 0; i < length; i++)
		free_body(body[i].inside, body[i].length);
	free(body);
}

/* ------------------------------------------------------------------ as C */

static void put_line(struct source *r, int depth, const char *words)
{
	r->line++;
	text_format(r->text, "%*s%s\n", depth, "", words);
}

/* The number of a statement is made of the argument and the index of the loop around. */
static void put_body(
	struct source *r, unsigned program, struct statement_of_source *body, size_t length, int depth, bool loop)
{
	static const char *const events[] = {"MPI_Barrier(MPI_COMM_WORLD);",
		"MPI_Bcast(buffer, 8, MPI_BYTE, 0, MPI_COMM_WORLD);",
		"MPI_Bcast(buffer, 64, MPI_BYTE, 0, MPI_COMM_WORLD);",
		"MPI_Allreduce(MPI_IN_PLACE, buffer, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
		"MPI_Allreduce(MPI_IN_PLACE, buffer, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
		"MPI_Barrier(MPI_COMM_SELF);"};
	static const char *const leaves[] = {"continue;", "break;", "return;"};
	for (size_t i = 0; i < length; i++) {
		struct statement_of_source *s = &body[i];
		char words[160], number[48];
		snprintf(number, sizeof number, "(x + %s + %u) %% %u", loop ? "i" : "0", s->add, s->modulo);
		snprintf(words, sizeof words, "p%u_f%d(x + %s, d);", program, s->to, loop ? "i" : "0");
		s->line = r->line + 1;
		switch (s->kind) {
		case EVENT:
			put_line(r, depth, events[s->to]);
			break;
		case LOOP:
			snprintf(words, sizeof words, "for (unsigned n%d = x %% 2 + %u, j%d = 0; j%d < n%d; j%d++) {",
				depth, 2 + s->equal, depth, depth, depth, depth);
			put_line(r, depth, words);
			snprintf(words, sizeof words, "const unsigned i = j%d;", depth);
			put_line(r, depth + 1, words);
			put_body(r, program, s->inside, s->length, depth + 1, true);
			put_line(r, depth, "}");
			break;
		case GUARD:
			snprintf(words, sizeof words, "if (%s == %u) {", number, s->equal);
			put_line(r, depth, words);
			put_body(r, program, s->inside, s->length, depth + 1, loop);
			put_line(r, depth, "}");
			break;
		case CALL:
			put_line(r, depth, words);
			break;
		case BY_TABLE:
			snprintf(words, sizeof words, "p%u_table[%d + %s %% 2](x, d);", program, s->to, number);
			put_line(r, depth, words);
			break;
		case AGAIN:
			snprintf(words, sizeof words, "if (d < %d) p%u_f%d(x + 1, d + 1);", RECURSION, program, s->to);
			put_line(r, depth, words);
			break;
		default:
			put_line(r, depth, leaves[s->to]);
		}
	}
}

static void put_program(struct source *r, unsigned program)
{
	static const char *const kinds[] = {"static", "static", "static __attribute__((noinline))", ""};
	char words[160];
	const char *kind[FUNCTIONS];
	for (int f = 0; f < FUNCTIONS; f++) {
		kind[f] = kinds[f ? below(r, COUNT(kinds)) : COUNT(kinds) - 1];
		snprintf(words, sizeof words, "%s void p%u_f%d(unsigned, int);", kind[f], program, f);
		put_line(r, 0, words);
	}
	snprintf(words, sizeof words,
		"static void (*volatile p%u_table[])(unsigned, int) = {p%u_f0, p%u_f1, p%u_f2, p%u_f3, p%u_f4, p%u_f4};",
		program, program, program, program, program, program, program);
	put_line(r, 0, words);
	for (int f = 0; f < FUNCTIONS; f++) {
		snprintf(words, sizeof words, "%s void p%u_f%d(unsigned x, int d)", kind[f], program, f);
		put_line(r, 0, words);
		put_line(r, 0, "{");
		put_body(r, program, r->body[f], r->length[f], 1, false);
		put_line(r, 0, "}");
	}
}

/* ------------------------------------------------------------------ what it does */

struct called {
	uint32_t around, line;
};

static uint32_t context_of(struct source *r, uint32_t around, unsigned line)
{
	struct called key = {around, line};
	return intern_id(r->contexts, &key, sizeof key);
}

static void run_event(struct source *r, const struct statement_of_source *s)
{
	if (r->stream) {
		uint32_t path = call_paths_know(r->stream->paths, call_path_words(&r->regions));
		path_stream_push(r->stream, 0, path, EVENT_LOCAL, s->line);
		path_stream_know(r->stream, 0, call_path_entered(&r->regions), true);
		*MEM_PUSH(r->kept, r->kepts, r->kept_capacity) = r->common;
		r->common = r->depth + 1;
	}
	for (size_t i = 0; i < r->loops; i++)
		*MEM_PUSH(r->around, r->arounds, r->around_capacity) = r->now[i];
	*MEM_PUSH(r->loops_of, r->events, r->event_capacity) = r->loops;
}

static int run_body(struct source *, struct statement_of_source *body, size_t length, uint32_t context, bool loop,
	unsigned x, unsigned i, int d);

static void run_function(struct source *r, int function, uint32_t context, unsigned x, int d)
{
	const char name[] = {'f', (char)('0' + function), 0};
	call_path_enter(&r->regions, (uint32_t)function, name);
	r->depth++;
	run_body(r, r->body[function], r->length[function], context, false, x, 0, d);
	r->common = r->depth < r->common ? r->depth : r->common;
	r->depth--;
	call_path_leave(&r->regions, (uint32_t)function);
}

/* Gives how it was left: -1: at its end. */
static int run_body(struct source *r, struct statement_of_source *body, size_t length, uint32_t context, bool loop,
	unsigned x, unsigned i, int d)
{
	for (size_t k = 0; k < length && r->events < EVENTS_MOST && ++r->steps < STEPS_MOST; k++) {
		struct statement_of_source *s = &body[k];
		uint32_t inside = context_of(r, context, s->line);
		struct around *around = loop ? &r->now[r->loops - 1] : NULL;
		unsigned number = (x + i + s->add) % s->modulo, way = s->kind == BY_TABLE ? number % 2 : 0;
		int to = s->to + (int)way < FUNCTIONS ? s->to + (int)way : FUNCTIONS - 1, left = -1;
		if (around)
			around->line = s->line;
		if (s->kind == EVENT)
			run_event(r, s);
		else if (s->kind == LEAVE)
			return s->to;
		else if (s->kind == GUARD && number == s->equal)
			left = run_body(r, s->inside, s->length, context, loop, x, i, d);
		else if (s->kind == CALL || s->kind == BY_TABLE)
			run_function(r, to, inside, s->kind == CALL ? x + i : x, d);
		else if (s->kind == AGAIN && d < RECURSION)
			run_function(r, to, inside, x + 1, d + 1);
		if (s->kind == LOOP) {
			struct around *own = &r->now[r->loops++];
			*own = (struct around){inside, r->executions++, 0, 0};
			for (; own->iteration < x % 2 + 2 + s->equal && left < BREAK && r->steps < STEPS_MOST;
				own->iteration++)
				left = run_body(r, s->inside, s->length, inside, true, x, own->iteration, d);
			r->loops--;
			left = left == RETURN ? RETURN : -1;
		}
		if (left >= 0)
			return left;
	}
	return -1;
}

/* Which lines are followed by another iteration anywhere, or by such a line? What is not stands
   behind the loop for all that a run tells. */
static bool *find_followed(const struct source *r)
{
	bool *followed = mem_zero(r->line + (size_t)1), again = true;
	struct {
		unsigned last, next; /* iterations behind: of any event, of one of such a line */
	} *behind = mem_array(r->executions + (size_t)1, sizeof *behind);
	while (again) {
		again = false;
		memset(behind, 0, (r->executions + (size_t)1) * sizeof *behind);
		for (size_t i = r->arounds; i-- > 0;) {
			const struct around *a = &r->around[i];
			unsigned number = a->iteration + 1, *last = &behind[a->execution].last,
				 *next = &behind[a->execution].next;
			bool known = followed[a->line], goes_on = *last > number || *next == number;
			followed[a->line] = known || goes_on;
			again = again || (!known && goes_on);
			*last = number > *last ? number : *last;
			*next = known || goes_on ? number : *next;
		}
	}
	free(behind);
	return followed;
}

/* The iterations around each event; of loops that have several in some execution. */
static void put_loops(struct source *r, struct nests *to)
{
	bool *loops = mem_zero((intern_count(r->contexts) + (size_t)1) * sizeof *loops), *followed = find_followed(r);
	for (size_t i = 0; i < r->arounds; i++)
		loops[r->around[i].loop] = loops[r->around[i].loop] || r->around[i].iteration;
	for (size_t i = 0, at = 0; i < r->events; at += r->loops_of[i++]) {
		begin_event(to);
		for (size_t k = at; k < at + r->loops_of[i]; k++)
			if (loops[r->around[k].loop] && followed[r->around[k].line])
				add_around(to, r->around[k].execution, r->around[k].iteration);
	}
	free(loops);
	free(followed);
}

static void source_clear(struct source *r)
{
	for (int f = 0; f < FUNCTIONS; f++)
		free_body(r->body[f], r->length[f]);
	intern_free(r->contexts);
	free(r->around);
	free(r->loops_of);
	free(r->kept);
	call_path_clear(&r->regions);
}

/* Does it do enough, and not too much? */
static bool is_whole(const struct source *r)
{
	return r->events >= EVENTS_LEAST && r->events < EVENTS_MOST && r->steps < STEPS_MOST;
}

/* The loops around the events of a program, which is added to the text. False: it does too much, or
   too little. */
static bool make_program(unsigned seed, unsigned program, unsigned *line, struct text *text, struct nests *loops)
{
	struct source r = {.seed = seed * 2654435761u, .line = *line, .text = text, .contexts = intern_new()};
	size_t before = text->length;
	for (int f = 0; f < FUNCTIONS; f++)
		r.body[f] = some_body(&r, f, 0, false, false, &r.length[f]);
	put_program(&r, program);
	run_function(&r, 0, context_of(&r, UINT32_MAX, 0), 0, 0);
	bool good = is_whole(&r);
	if (good) {
		put_loops(&r, loops);
		*line = r.line;
	} else {
		text_truncate(text, before);
	}
	source_clear(&r);
	return good;
}

/* ------------------------------------------------------------------ what was recorded */

static bool read_event(void *stream, uint32_t rank, uint32_t event, const struct trace_event *carried, struct error *e)
{
	struct path_stream *s = stream;
	(void)rank, (void)e;
	path_stream_push(s, 0, call_paths_know(s->paths, carried->site), EVENT_SYNC, event);
	return true;
}

static void put_run(struct path_stream *s, struct text *to)
{
	struct text run = {0};
	path_stream_find(s);
	if (s->good)
		path_stream_run(s, &run);
	for (const char *at = run.data; at && *at; at = strchr(at, ' ') + 1) {
		const char *end = strchr(at, ' ');
		while (end > at && end[-1] != '.')
			end--;
		text_add(to, at, (size_t)(end - at));
		text_char(to, ' ');
	}
	text_clear(&run);
}

/* The loops around each event, as the paths alone have it. */
static bool put_structure(const char *path, struct text *to)
{
	struct error error = {0};
	struct streams_options options = {.trace = {.sites = true}, .jobs = 1};
	struct streams *streams = streams_open(path, &options, &error);
	struct path_stream *s = path_stream_new(1);
	struct streams_sink sink = {s, read_event};
	bool good = streams && streams_read(streams, NULL, 1, &sink, &error);
	if (good)
		put_run(s, to);
	path_stream_free(s);
	streams_close(streams);
	return good;
}

/* The same as a text has it. */
static struct nests nests_of_text(struct prepared *p)
{
	struct nests nests = {0};
	struct cursor *c = cursor_new(p->run, 0);
	while (cursor_next(c)) {
		size_t index = 0;
		begin_event(&nests);
		for (size_t k = 0; k < c->frames; k++)
			if (c->frame[k].loop)
				add_around(&nests, (uint32_t)c->frame[k].line - 1, c->at.index[index++]);
	}
	cursor_free(c);
	return nests;
}

static void put_nests(const struct nests *n, struct text *to)
{
	for (size_t i = 0; i < n->events; i++) {
		for (size_t k = n->begin[i]; k < n->begin[i + 1]; k++)
			text_format(to, "%lld.", (long long)n->around[k].iteration);
		text_char(to, ' ');
	}
}

/* Of the loops around two events, from the outside in, the first in which they differ. */
static size_t differ_in(const struct nests *n, size_t a, size_t b)
{
	size_t k = 0, loops = n->begin[a + 1] - n->begin[a], other = n->begin[b + 1] - n->begin[b];
	const struct nest_of_event *x = &n->around[n->begin[a]], *y = &n->around[n->begin[b]];
	while (k < loops && k < other && x[k].loop == y[k].loop && x[k].iteration == y[k].iteration)
		k++;
	return k;
}

/* By how much a loop around an event, k from the outside, has gone on at another one; 0: it has not,
   or is not around. */
static int64_t gone_on(const struct nests *n, size_t a, size_t b, size_t k)
{
	size_t loops = n->begin[a + 1] - n->begin[a], other = n->begin[b + 1] - n->begin[b];
	const struct nest_of_event *x = &n->around[n->begin[a]], *y = &n->around[n->begin[b]];
	return k < loops && k < other && x[k].loop == y[k].loop ? y[k].iteration - x[k].iteration : 0;
}

/* Does one loop of the text go on from each beginning of an iteration to the next, in the execution
   of a loop that begins with this event? k: which one around it. */
static bool is_shown(const struct nests *source, size_t event, size_t k, const struct nests *text)
{
	bool same = true;
	size_t loop = SIZE_MAX;
	for (size_t i = event + 1; same && i < source->events; i++) {
		size_t differ = differ_in(source, event, i);
		int64_t iterations = differ == k ? gone_on(source, event, i, k) : 0;
		if (differ < k || (differ == k && !iterations))
			break; /* it has ended */
		if (!iterations)
			continue;
		size_t own = differ_in(text, event, i);
		same = gone_on(text, event, i, own) == iterations && (loop == SIZE_MAX || loop == own);
		loop = own;
		event = i;
	}
	return same;
}

/* Are all loops of the source loops of the text? It may have others, of copies in a row. */
static bool shows(const struct nests *text, const struct nests *source)
{
	bool all = text->events == source->events;
	for (size_t i = 0; i < source->events && all; i++) {
		size_t loops = source->begin[i + 1] - source->begin[i], known = i ? differ_in(source, i - 1, i) : 0;
		known += i && gone_on(source, i - 1, i, known);
		for (size_t k = known; k < loops && all; k++)
			all = is_shown(source, i, k, text);
	}
	return all;
}

/* ------------------------------------------------------------------ all */

#define BATCH 6 /* times the soak factor: programs of one binary, each run in a process of its own */

static const char *const compilers[] = {"-O2 -g", "-O0 -g", "-O3 -g", "-O2"};

struct counts {
	unsigned programs, same, as_text, shown;
};

static void put_main(unsigned programs, struct text *text)
{
	text_put(text, "int main(void)\n{\n\tvoid (*const f[])(unsigned, int) = {");
	for (unsigned i = 0; i < programs; i++)
		text_format(text, "p%u_f0, ", i);
	text_format(text,
		"};\n\tfor (int i = 0; i < %u; i++) {\n\t\tif (fork()) {\n\t\t\twait(NULL);\n\t\t\tcontinue;\n\t\t}\n"
		"\t\tMPI_Init(NULL, NULL);\n\t\tf[i](0, 0);\n\t\tMPI_Finalize();\n\t\treturn 0;\n\t}\n\treturn 0;\n}\n",
		programs);
}

static bool write_program(const char *folder, const struct text *text)
{
	struct text path = {0};
	text_format(&path, "%s/p.c", folder);
	FILE *f = fopen(path.data, "w");
	text_clear(&path);
	return f && fwrite(text->data, 1, text->length, f) == text->length && !fclose(f);
}

/* Is what was recorded the program? */
static void check_program(
	const char *folder, const char *flags, unsigned k, const struct nests *source, struct counts *counts)
{
	struct text path = {0}, loops = {0}, found = {0}, said = {0}, text = {0};
	struct error error = {0};
	struct program_options options = {PROGRAM_OPTIONS, .jobs = 1};
	struct program_facts facts = {0};
	struct comparison_facts compared = {0};
	text_format(&path, k ? "%s/t/job%u/traces.otf2" : "%s/t/traces.otf2", folder, k + 1);
	CU_ASSERT(put_structure(path.data, &found));
	struct prepared *made = prepared_of_trace(path.data, &options, &facts, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(made);
	module_print_text(made->module, NULL, &text);
	struct prepared *p = program_of(text.data);
	CU_ASSERT(comparison_run(p->run, path.data, true, &(struct streams_options){.jobs = 1}, &compared, &error));
	struct nests nests = nests_of_text(p);
	bool shown = shows(&nests, source);
	put_nests(source, &loops);
	put_nests(&nests, &said);
	counts->programs++;
	counts->same += !strcmp(found.data, loops.data);
	counts->as_text += !strcmp(said.data, loops.data);
	counts->shown += shown;
	if (getenv("TRACENEST_TELL") && (strcmp(found.data, loops.data) || !shown))
		printf("\n%s: program %u of %s/p.c\nis    %s\npaths %s\ntext  %s\n", flags, k, folder, loops.data,
			found.data, said.data);
	nests_clear(&nests);
	text_clear(&loops);
	comparison_facts_clear(&compared);
	program_facts_clear(&facts);
	prepared_free(p);
	prepared_free(made);
	text_clear(&path);
	text_clear(&found);
	text_clear(&said);
	text_clear(&text);
}

static void run_batch(unsigned *seed, const char *recorder, const char *flags, struct counts *counts)
{
	char folder[256];
	snprintf(folder, sizeof folder, "%s/tracenest-graphs-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	unsigned line = 4, programs = rounds(BATCH), made = 0;
	struct text text = {0}, command = {0};
	struct nests *loops = mem_zero((programs + 1) * sizeof *loops);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	text_put(&text, "#include <mpi.h>\n#include <unistd.h>\n#include <sys/wait.h>\nstatic char buffer[64];\n");
	while (made < programs)
		made += make_program((*seed)++, made, &line, &text, &loops[made]);
	put_main(programs, &text);
	CU_ASSERT(write_program(folder, &text));
	text_format(&command,
		"cd %s && $(command -v mpicc.mpich || command -v mpicc.openmpi) -w %s -o p p.c && "
		"'%s' record -q -o t ./p",
		folder, flags, recorder);
	CU_ASSERT_FATAL(!system(command.data));
	for (unsigned k = 0; k < programs; k++) {
		check_program(folder, flags, k, &loops[k], counts);
		nests_clear(&loops[k]);
	}
	text_truncate(&command, 0);
	text_format(&command, getenv("TRACENEST_TELL") ? "true" : "rm -r '%s'", folder);
	CU_ASSERT(!system(command.data));
	text_clear(&command);
	text_clear(&text);
	free(loops);
}

/* Beside this program, unless it is a build whose recorder is left out. */
static bool find_recorder(struct text *path)
{
	char own[4096] = "";
	if (readlink("/proc/self/exe", own, sizeof own - 1) < 0)
		return false;
	text_format(path, "%.*s/tracenest", (int)(strrchr(own, '/') - own), own);
	return !watched() && !access(path->data, X_OK) && !system("command -v mpicc.mpich mpicc.openmpi >/dev/null");
}

/* Loops are those of the program in 95 of 100; what is done is the same in all. */
static void test_programs(void)
{
	struct text recorder = {0};
	struct counts counts = {0};
	unsigned seed = 1;
	for (size_t i = 0; i < COUNT(compilers) && find_recorder(&recorder); i++) {
		struct counts before = counts;
		run_batch(&seed, recorder.data, compilers[i], &counts);
		if (getenv("TRACENEST_TELL"))
			printf("\n%s: %u of %u, %u shown, %u in the text\n", compilers[i], counts.same - before.same,
				counts.programs - before.programs, counts.shown - before.shown,
				counts.as_text - before.as_text);
		text_truncate(&recorder, 0);
	}
	printf("(%u of %u; texts show those of %u, and no others of %u) ", counts.same, counts.programs, counts.shown,
		counts.as_text);
	CU_ASSERT(100 * counts.same >= 95 * counts.programs);
	text_clear(&recorder);
}

/* Regions do not tell calls of one function apart: what another one calls a second time is an event
   instead. Nor that one call calls several. */
static void call_once(struct statement_of_source *body, size_t length, bool *called)
{
	for (size_t i = 0; i < length; i++) {
		struct statement_of_source *s = &body[i];
		s->kind = s->kind == BY_TABLE ? CALL : s->kind;
		if (s->kind == CALL || s->kind == AGAIN) {
			s->kind = called[s->to] ? EVENT : s->kind;
			called[s->to] = true;
		}
		call_once(s->inside, s->length, called);
	}
}

/* A lane as it is walked: how many levels, the root too, were not opened since the event before. */
struct boundaries {
	uint32_t kept;
	const uint32_t *is; /* of the next event */
	size_t wrong;
};

static void open_level(void *boundaries, uint32_t level)
{
	struct boundaries *b = boundaries;
	b->kept = level < b->kept ? level : b->kept;
}

static void take_step(void *boundaries, uint32_t level, uint32_t from, uint32_t to)
{
	(void)boundaries, (void)level, (void)from, (void)to;
}

static void take_event(void *boundaries, uint32_t level, uint32_t of)
{
	struct boundaries *b = boundaries;
	(void)of;
	b->wrong += (level < b->kept ? level + 1 : b->kept) != *b->is++;
	b->kept = level + 1;
}

/* Does each call of a function begin and end where it did? */
static void check_boundaries(const struct source *r)
{
	static const struct activation_client client = {NULL, open_level, take_step, take_event};
	struct activation_client own = client;
	struct boundaries b = {0, r->kept, 0};
	struct path_events lane = {r->stream->point[0], mem_zero(r->events * sizeof(uint32_t)), r->events};
	struct activations *a = activations_new(r->stream->paths, lane.shape, &lane, 1);
	own.context = &b;
	activations_walk(a, 0, &own);
	CU_ASSERT_EQUAL(b.wrong, 0);
	CU_ASSERT_EQUAL(b.is, r->kept + r->events);
	activations_free(a);
	free(lane.shape);
}

/* With regions, which say where each call begins and ends. The loops are those of the program, but
   for a few that read as well otherwise. */
static void test_regions(void)
{
	unsigned programs = 0, same = 0;
	for (unsigned seed = 1; programs < rounds(REGION_PROGRAMS); seed++) {
		struct text text = {0}, loops = {0}, found = {0};
		struct source r = {.seed = seed * 2654435761u, .text = &text, .contexts = intern_new()};
		for (int f = 0; f < FUNCTIONS; f++) {
			bool called[FUNCTIONS] = {false};
			r.body[f] = some_body(&r, f, 0, false, false, &r.length[f]);
			call_once(r.body[f], r.length[f], called);
		}
		put_program(&r, 0);
		r.stream = path_stream_new(1);
		run_function(&r, 0, context_of(&r, UINT32_MAX, 0), 0, 0);
		if (is_whole(&r)) {
			check_boundaries(&r);
			struct nests nests = {0};
			put_loops(&r, &nests);
			put_nests(&nests, &loops);
			nests_clear(&nests);
			put_run(r.stream, &found);
			programs++;
			same += !strcmp(found.data, loops.data);
		}
		path_stream_free(r.stream);
		source_clear(&r);
		text_clear(&text);
		text_clear(&loops);
		text_clear(&found);
	}
	printf("(%u of %u) ", same, programs);
	CU_ASSERT(100 * same >= 98 * programs);
}

void suite_call_graphs(CU_pSuite suite)
{
	CU_add_test(suite, "loops of programs whose functions are regions", test_regions);
	CU_add_test(suite, "loops of compiled programs", test_programs);
}
