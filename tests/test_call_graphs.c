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

#include "ask/projection.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "lib/comparison.h"
#include "lib/pipeline.h"
#include "tests/path_stream.h"
#include "tests/unit.h"
#include "trace/streams.h"

#define FUNCTIONS 5
#define STATEMENTS 4
#define DEPTH 3
#define RECURSION 2
#define LOOPS_MOST 256
#define EVENTS_LEAST 8
#define EVENTS_MOST 1000
#define STEPS_MOST 20000

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

static void run_event(struct source *r)
{
	for (size_t i = 0; i < r->loops; i++)
		*MEM_PUSH(r->around, r->arounds, r->around_capacity) = r->now[i];
	*MEM_PUSH(r->loops_of, r->events, r->event_capacity) = r->loops;
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
			run_event(r);
		else if (s->kind == LEAVE)
			return s->to;
		else if (s->kind == GUARD && number == s->equal)
			left = run_body(r, s->inside, s->length, context, loop, x, i, d);
		else if (s->kind == CALL || s->kind == BY_TABLE)
			run_body(r, r->body[to], r->length[to], inside, false, s->kind == CALL ? x + i : x, 0, d);
		else if (s->kind == AGAIN && d < RECURSION)
			run_body(r, r->body[to], r->length[to], inside, false, x + 1, 0, d + 1);
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
static void put_loops(struct source *r, struct text *to)
{
	bool *loops = mem_zero((intern_count(r->contexts) + (size_t)1) * sizeof *loops), *followed = find_followed(r);
	for (size_t i = 0; i < r->arounds; i++)
		loops[r->around[i].loop] = loops[r->around[i].loop] || r->around[i].iteration;
	for (size_t i = 0, at = 0; i < r->events; at += r->loops_of[i++]) {
		for (size_t k = at; k < at + r->loops_of[i]; k++)
			if (loops[r->around[k].loop] && followed[r->around[k].line])
				text_format(to, "%u.", r->around[k].iteration);
		text_char(to, ' ');
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
}

/* The loops around the events of a program, which is added to the text. False: it does too much, or
   too little. */
static bool make_program(unsigned seed, unsigned program, unsigned *line, struct text *text, struct text *loops)
{
	struct source r = {.seed = seed * 2654435761u, .line = *line, .text = text, .contexts = intern_new()};
	size_t before = text->length;
	for (int f = 0; f < FUNCTIONS; f++)
		r.body[f] = some_body(&r, f, 0, false, false, &r.length[f]);
	put_program(&r, program);
	run_body(&r, r.body[0], r.length[0], context_of(&r, UINT32_MAX, 0), false, 0, 0, 0);
	bool good = r.events >= EVENTS_LEAST && r.events < EVENTS_MOST && r.steps < STEPS_MOST;
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

/* The loops around each event, as the paths alone have it. */
static bool put_structure(const char *path, struct text *to)
{
	struct error error = {0};
	struct streams_options options = {.trace = {.sites = true}, .jobs = 1};
	struct streams *streams = streams_open(path, &options, &error);
	struct path_stream *s = path_stream_new(1);
	struct streams_sink sink = {s, read_event};
	struct text run = {0};
	bool good = streams && streams_read(streams, NULL, 1, &sink, &error);
	if (good)
		path_stream_find(s);
	if (good && s->good)
		path_stream_run(s, &run);
	for (const char *at = run.data; at && *at; at = strchr(at, ' ') + 1) {
		const char *end = strchr(at, ' ');
		while (end > at && end[-1] != '.')
			end--;
		text_add(to, at, (size_t)(end - at));
		text_char(to, ' ');
	}
	text_clear(&run);
	path_stream_free(s);
	streams_close(streams);
	return good;
}

/* The same as a text has it. */
static void put_text_loops(struct program *p, struct text *to)
{
	struct projection *projection = projection_new(p, NULL);
	struct walk *w = walk_new(projection, 0);
	while (walk_next(w)) {
		size_t loops, statement = walk_statement(w), k = 0;
		const int64_t *index = walk_indices(w, &loops);
		for (size_t at = 0; at < statement;) {
			bool inside = statement_is_loop(&p->statement[at]) && at + p->statement[at].size > statement;
			if (inside && statement_guard(&p->statement[at]) == GUARD_NONE)
				text_format(to, "%lld.", (long long)index[k]);
			k += inside;
			at += inside ? 1 : statement_size(&p->statement[at]);
		}
		text_char(to, ' ');
	}
	walk_free(w);
	projection_free(projection);
}

/* ------------------------------------------------------------------ all */

#define BATCH 6 /* times the soak factor: programs of one binary, each run in a process of its own */

static const char *const compilers[] = {"-O2 -g", "-O0 -g", "-O3 -g", "-O2"};

struct counts {
	unsigned programs, same, as_text;
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
static void check_program(const char *folder, const char *flags, unsigned k, const char *loops, struct counts *counts)
{
	struct text path = {0}, found = {0}, said = {0}, text = {0};
	struct error error = {0};
	struct program_options options = {PROGRAM_OPTIONS, .jobs = 1};
	struct program_facts facts = {0};
	struct comparison_facts compared = {0};
	text_format(&path, k ? "%s/t/job%u/traces.otf2" : "%s/t/traces.otf2", folder, k + 1);
	CU_ASSERT(put_structure(path.data, &found));
	struct program *made = program_of_trace(path.data, &options, &facts, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(made);
	program_print_text(made, &text);
	struct program *p = program_of(text.data);
	CU_ASSERT(comparison_run(p, path.data, &(struct streams_options){.jobs = 1}, &compared, &error));
	put_text_loops(p, &said);
	counts->programs++;
	counts->same += !strcmp(found.data, loops);
	counts->as_text += !strcmp(said.data, loops);
	if (getenv("TRACENEST_TELL") && (strcmp(found.data, loops) || strcmp(said.data, loops)))
		printf("\n%s: program %u of %s/p.c\nis    %s\npaths %s\ntext  %s\n", flags, k, folder, loops,
			found.data, said.data);
	comparison_facts_clear(&compared);
	program_facts_clear(&facts);
	program_free(p);
	program_free(made);
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
	struct text text = {0}, command = {0}, *loops = mem_zero((programs + 1) * sizeof *loops);
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
		check_program(folder, flags, k, loops[k].data, counts);
		text_clear(&loops[k]);
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
			printf("\n%s: %u of %u, %u in the text\n", compilers[i], counts.same - before.same,
				counts.programs - before.programs, counts.as_text - before.as_text);
		text_truncate(&recorder, 0);
	}
	printf("(%u of %u, %u in the text) ", counts.same, counts.programs, counts.as_text);
	CU_ASSERT(100 * counts.same >= 95 * counts.programs);
	text_clear(&recorder);
}

void suite_call_graphs(CU_pSuite suite)
{
	CU_add_test(suite, "loops of compiled programs", test_programs);
}
