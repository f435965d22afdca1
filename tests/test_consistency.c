/*
 * test_consistency.c -- what is counted, what is run, what is left open, and what is said of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/consistency.h"
#include "lib/pipeline.h"
#include "tests/executed.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/spmd.h"
#include "tests/unit.h"

#define HEAD(n) "// tracenest 1\n// processes " #n "\n"

#define SENDS "[0-3] for i1 = 0 to 1\n[0-3] p send p+$d[i1] tag{i1} where inside\ndone\n"
#define RECEIVES "[0-3] for i1 = 0 to 1\n[0-3] p+$d[i1] recv p tag{1-i1} where inside\ndone\n"
#define OFFSETS "// tables\n$d[i1] = -1 1\n"

/* Joint loops, loops apart, irregular links, how iterations and how the order were examined: what
   does not hold. */
static const struct {
	const char *why, *text, *found;
} cases[] = {
	{"nothing", HEAD(2), "0 0 0 counted, counted: it holds"},
	{"counted, however many iterations",
		HEAD(2) "[0-1] for i0 = 0 to 99999999999\n[0] p send 1 t\n[1] 0 recv p t\ndone\n",
		"1 0 0 counted, counted: it holds"},
	{"a loop for each group", HEAD(4) "[0-3] for i0 = 0 to 9\n[0-3] p send p^1 t\n[0-3] p^1 recv p t\ndone\n",
		"1 0 0 counted, counted: it holds"},
	{"crossing, as counted",
		HEAD(2) "0 send 1 t\n[0-1] for i0 = 0 to 9\n[1] 0 recv p t\n[0] p send 1 t\ndone\n0 recv 1 t\n",
		"1 0 3 counted, counted: loop 1: 0 -> 1 t: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"crossing below a guard",
		HEAD(2) "[0-1] for i0 = 0 to 5\n[0] p send 1 tag1\nif {i0} != 0\n[1] 0 recv p tag1\ndone\ndone\n[1] 0 recv p tag1\n",
		"1 0 2 counted, counted: loop 0: 0 -> 1 tag1: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"not crossing below a guard",
		HEAD(2) "[0-1] for i0 = 0 to 5\n[0] p send 1 tag1\nif {i0} != 9\n[1] 0 recv p tag1\ndone\ndone\n",
		"1 0 0 counted, counted: it holds"},
	{"a loop below a loop whose index decides",
		HEAD(2) "[0-1] for i0 = 0 to 5\n[0-1] for i1 = 0 to 2\n[0] p send 1 tag{i0}\n[1] 0 recv p tag{i0}\ndone\ndone\n",
		"2 0 0 counted, counted: it holds"},
	{"crossed, as counted in one of the iterations around",
		HEAD(2) "0 send 1 t\n[0-1] for i0 = 0 to 5\n[0-1] for i1 = 0 to {i0}\n[1] 0 recv p t\n[0] p send 1 t\ndone\ndone\n0 recv 1 t\n",
		"2 0 3 counted, counted: loop 1: 0 -> 1 t: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"a count of two is written out, and yet crossed",
		HEAD(2) "[0-1] for i0 = 0 to 5\n[0] p send 1 t\n[0-1] for i1 = 0 to {1-i0%2*2}\n[1] 0 recv p t\n[0] p send 1 t\ndone\n[1] 0 recv p t\ndone\n",
		"2 0 9 counted, counted: loop 0.1: 0 -> 1 t: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"received an iteration later, by tags that do not meet in the first",
		HEAD(2) "[0-1] p local x\n[0-1] for i0 = 0 to 8\nif {i0} != 0\n[1] 0 recv p tag{i0-1}\ndone\n[0] p send 1 tag{i0}\ndone\n[1] 0 recv p tag8\n",
		"1 0 0 counted, counted: loop 1: 0 -> 1 tag0: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"crossed in two loops, the outermost is told",
		HEAD(2) "0 send 1 tag0\n0 send 1 tag0\n[0-1] for i0 = 0 to 1\n[0-1] for i1 = 0 to 1\n[1] 0 recv p tag{i0}\n[0] p send 1 tag{1-i0}\ndone\ndone\n0 recv 1 tag0\n0 recv 1 tag0\n",
		"1 0 4 counted, counted: loop 2: 0 -> 1 tag1: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"neighbours by offsets", HEAD(4) "[0-3] for i0 = 0 to 99\n" SENDS RECEIVES "done\n" OFFSETS,
		"1 0 0 counted, counted: it holds"},
	{"... received an iteration later",
		HEAD(4) SENDS "[0-3] for i0 = 0 to 99\n" RECEIVES SENDS "done\n" RECEIVES OFFSETS,
		"1 0 18 counted, counted: loop 1: 0 -> 1 tag1: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"processes that go on for longer are no partners",
		HEAD(2) "0 send 1 t\n[0-1] for i0 = 0 to {2+p}\n[0] p send 1 t\n[1] 0 recv p t\ndone\n",
		"0 1 2 counted, counted: it holds"},
	{"... and are apart where messages cross",
		HEAD(3) "0 send 1 t0\n[0-2] for i0 = 0 to {$n[p]}\n[0] p send 1 t{i0+1}\n[1] 0 recv p t{i0}\n[2] p local x\ndone\n0 recv 1 t3\n// tables\n$n[p] = 2 2 7\n",
		"0 1 0 counted, counted: it holds"},
	{"collectives cross, too",
		HEAD(3) "2 sync A 0-2\n[0-2] for i0 = 0 to 5\n[0-2] p local x\nif {i0} = 9\n[0] p local y\ndone\n[0-2] p sync A 0-2\ndone\n[0-1] p sync A 0-2\n",
		"1 0 3 counted, counted: loop 1: A on 0-2: one comes to it in iteration 1, another in 0: messages cross from one iteration into another"},
	{"what one process tells itself is its own matter",
		HEAD(2) "[0-1] p send p t\n[0-1] for i0 = 0 to 5\n[0-1] p recv p t\n[0-1] p send p t\n[0-1] p send p tag{i0}\n[0-1] p recv p tag{i0}\ndone\n[0-1] p recv p t\n",
		"0 0 6 counted, counted: it holds"},
	{"... unless others are in it",
		HEAD(2) "[0-1] p send p t\n[0-1] for i0 = 0 to 5\n[0-1] p recv p t\n[0-1] p send p t\n[0-1] p send p^1 tag{i0}\n[0-1] p^1 recv p tag{i0}\ndone\n[0-1] p recv p t\n",
		"1 0 6 counted, counted: loop 1: 0 -> 0 t: messages cross from one iteration into another"},
	{"an earlier message, first in, first out",
		HEAD(2) "0 send 1 tag12\n0 send 1 tag15\nfor i0 = 0 to 1\n0 recv 1 tag{12+3*i0}\n0 send 1 tag{12+3*i0}\ndone\n0 recv 1 tag12\n0 recv 1 tag15\n",
		"0 0 0 counted, counted: it holds"},
	{"the message of the same iteration",
		HEAD(2) "0 local x\nfor i0 = 0 to 1\n0 recv 1 tag{12+3*i0}\n0 send 1 tag{12+3*i0}\ndone\n",
		"1 0 0 counted, graph: 1.0: '0 recv 1 tag{12+3*i0}' stands before the send of the same iteration that it receives"},
	{"... without numbers, nothing is run", HEAD(2) "for i0 = 0 to 1\n0 recv 1 t\n0 send 1 t\ndone\n",
		"1 0 0 counted, graph: 0.0: '0 recv 1 t' stands before the send of the same iteration that it receives"},
	{"too many to be run",
		HEAD(2) "[0-1] for i0 = 0 to 99999999999\n[0] p send 1 tag{i0%2}\n[0] 1 recv p tag{i0%2}\n[1] 0 recv p tag{i0%2}\n[1] p send 0 tag{i0%2}\ndone\n",
		"0 0 0 not, not: it holds"},
	{"... that stand in the wrong order, perhaps",
		HEAD(2) "for i0 = 0 to 99999999999\n0 recv 1 tag{i0%2}\n0 send 1 tag{i0%2}\ndone\n",
		"0 0 0 not, not: it holds"},
	{"what is missing stops the run",
		HEAD(2) "1 recv 0 u\nfor i0 = 0 to 9\n0 send 1 tag{i0}\n0 recv 1 tag{i0}\ndone\n",
		"1 0 0 counted, not: 1 channel with unmatched messages or syncs:\n  1 -> 0 u: 0 sends, 1 receive"},
};

static const char *order_by(const struct consistency *c)
{
	if (c->run)
		return c->schedule == SCHEDULE_UNKNOWN ? "not" : "run";
	if (c->schedule == SCHEDULE_UNKNOWN)
		return "not";
	return c->facts->order == ORDER_GRAPHS ? "graph" : "counted";
}

static void test_consistency(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct executed e = executed_of_text(cases[i].text);
		struct consistency c;
		struct error error = {0};
		struct text found = {0};
		consistency_of(e.run, &c);
		text_format(&found, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %s, %s", c.facts->joint, c.facts->apart,
			c.facts->irregular, c.facts->known ? "counted" : "not", order_by(&c));
		text_format(&found, ": %s", consistency_holds(&c, &error) ? "it holds" : error.message);
		row_same(cases[i].why, found.data, cases[i].found);
		text_clear(&found);
		consistency_clear(&c);
		executed_clear(&e);
	}
}

/* ------------------------------------- whatever a trace is made into, its text must be accepted */

static struct prepared *program_of_lines(const struct text *lines, const struct program_options *options)
{
	char path[] = "/tmp/tracenest-unit-XXXXXX";
	int fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0 && write(fd, lines->data, lines->length) == (ssize_t)lines->length);
	close(fd);
	struct program_facts facts;
	struct error error = {0};
	struct prepared *p = prepared_of_trace(path, options, &facts, &error);
	program_facts_clear(&facts);
	unlink(path);
	return p;
}

/* The text is read again: only what stands there counts. */
static bool is_accepted(const struct text *lines, const struct program_options *options, struct text *told)
{
	struct prepared *made = program_of_lines(lines, options);
	struct error error = {0};
	struct consistency c = {0};
	if (!made)
		return false;
	module_print_text(made->module, NULL, told);
	struct module *m = module_parse("made", told->data, told->length, &error);
	struct executed e = {0};
	if (m && module_inline(m, &error)) {
		e = executed_of(m);
		consistency_of(e.run, &c);
	} else {
		module_free(m);
	}
	bool good = e.run && consistency_holds(&c, &error);
	text_format(told, "%s\n", error.message);
	consistency_clear(&c);
	executed_clear(&e);
	prepared_free(made);
	return good;
}

static const struct program_options ways[] = {
	{PROGRAM_OPTIONS},
	{PROGRAM_OPTIONS, .unfolded = true},
	{PROGRAM_OPTIONS, .unfolded = true, .constant = true, .no_tables = true, .no_guards = true, .recorded = true},
};

static void check_lines(const char *what, uint64_t seed, const struct text *lines)
{
	for (size_t i = 0; i < COUNT(ways); i++) {
		struct text told = {0};
		if (!is_accepted(lines, &ways[i], &told)) {
			fprintf(stderr, "\n%s, seed %" PRIu64 ", way %zu:\n%s%s", what, seed, i, lines->data,
				told.data);
			CU_FAIL("what is made of a trace is not accepted");
		}
		text_clear(&told);
	}
}

static void add_event(struct text *lines, struct dictionary *d, uint32_t event, uint32_t process)
{
	event_print_as(d, event, process, lines);
	text_put(lines, "\n");
}

static void check_run(uint64_t seed)
{
	struct spmd *program = spmd_new(seed, SPMD_ANY);
	struct spmd_run *run = spmd_run(program);
	struct text lines = {0};
	text_put(&lines, "");
	for (uint32_t p = 0; p < run->processes; p++)
		for (size_t i = 0; i < run->stream[p].length; i++)
			add_event(&lines, run->dictionary, run->stream[p].event[i], p);
	if (lines.length)
		check_lines("a random program", seed, &lines);
	text_clear(&lines);
	spmd_run_free(run);
	spmd_free(program);
}

/*
 * Messages of several iterations under way: processes on a ring (two: in both directions) send
 * some ahead, go on receiving one and sending one, with collectives between, and receive the rest
 * at the end; all of it some times over.
 */
struct pipelined {
	uint64_t seed;
	uint32_t processes, turns, iterations, directions, every; /* a collective every so many iterations; 0: none */
	uint32_t ahead[2]; /* by direction */
	bool numbered, mixed; /* tags count; a turn ends with one more message */
};

static void add_message(
	struct text *lines, const struct pipelined *o, uint32_t p, uint32_t direction, bool sends, uint32_t number)
{
	uint32_t to = direction ? o->processes - 1 : 1, from = o->processes - to,
		 peer = (p + (sends ? to : from)) % o->processes;
	text_format(lines, sends ? "%" PRIu32 " send %" PRIu32 " " : "%" PRIu32 " recv %" PRIu32 " ", sends ? p : peer,
		sends ? peer : p);
	text_format(lines, o->numbered ? "%c%" PRIu32 "\n" : "%c\n", 'a' + direction, number);
}

static void add_turn(struct text *lines, const struct pipelined *o, uint32_t p)
{
	for (uint32_t d = 0; d < o->directions; d++)
		for (uint32_t k = 0; k < o->ahead[d]; k++)
			add_message(lines, o, p, d, true, k);
	for (uint32_t i = 0; i < o->iterations; i++) {
		for (uint32_t d = 0; d < o->directions; d++) {
			if (!o->ahead[d])
				add_message(lines, o, p, d, true, i);
			add_message(lines, o, p, d, false, i);
			if (o->ahead[d])
				add_message(lines, o, p, d, true, i + o->ahead[d]);
		}
		if (o->every && i % o->every == 0)
			text_format(lines, "%" PRIu32 " sync A 0-%" PRIu32 "\n", p, o->processes - 1);
	}
	for (uint32_t d = o->directions; d-- > 0;)
		for (uint32_t k = 0; k < o->ahead[d]; k++)
			add_message(lines, o, p, d, false, o->iterations + k);
	if (o->mixed && p == 0)
		add_message(lines, o, p, 0, true, 7);
	if (o->mixed && p == 1)
		add_message(lines, o, p, 0, false, 7);
}

static void check_pipelined(uint64_t seed)
{
	uint64_t draw = seed;
	struct pipelined o = {.seed = seed,
		.processes = 2 + (uint32_t)spmd_draw(&draw, 3),
		.turns = 1 + (uint32_t)spmd_draw(&draw, 4),
		.iterations = 1 + (uint32_t)spmd_draw(&draw, 8),
		.directions = 1 + (uint32_t)spmd_draw(&draw, 2),
		.every = (uint32_t)spmd_draw(&draw, 4),
		.ahead = {(uint32_t)spmd_draw(&draw, 5), (uint32_t)spmd_draw(&draw, 5)},
		.numbered = spmd_draw(&draw, 3) == 0,
		.mixed = spmd_draw(&draw, 2) == 0};
	struct text lines = {0};
	for (uint32_t p = 0; p < o.processes; p++)
		for (uint32_t k = 0; k < o.turns; k++)
			add_turn(&lines, &o, p);
	check_lines("messages under way", seed, &lines);
	text_clear(&lines);
}

#define PROGRAMS 25 /* of each kind, in every run */

static void test_made(void)
{
	for (uint64_t seed = 1; seed <= rounds(PROGRAMS) && CU_get_number_of_failures() < 5; seed++) {
		check_run(seed);
		check_pipelined(seed);
	}
}

void suite_consistency(CU_pSuite suite)
{
	CU_add_test(suite, "what was examined, and how", test_consistency);
	CU_add_test(suite, "what is made of a trace is accepted", test_made);
}
