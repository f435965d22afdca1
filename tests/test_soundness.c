/*
 * test_soundness.c -- what is counted, what is run, what is left open, and what is said of it.
 */
#include <inttypes.h>

#include "lib/soundness.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define HEAD(n) "// tracenest 1\n// processes " #n "\n"

/* Loops counted, run and open, irregular links, how the listing was examined, loops apart: what does not hold. */
static const struct {
	const char *why, *text, *found;
} cases[] = {
	{"nothing", HEAD(2), "0 0 0 0 counted: it holds"},
	{"counted, however many iterations",
		HEAD(2) "[0-1] for i0 = 0 to 99999999999\n[0] p send 1 t\n[1] 0 recv p t\ndone\n",
		"1 0 0 0 counted: it holds"},
	{"a loop for each group", HEAD(4) "[0-3] for i0 = 0 to 9\n[0-3] p send p^1 t\n[0-3] p^1 recv p t\ndone\n",
		"2 0 0 0 counted: it holds"},
	{"crossing, as counted", HEAD(2) "0 send 1 t\n[0-1] for i0 = 0 to 9\n[1] 0 recv p t\n[0] p send 1 t\ndone\n0 recv 1 t\n",
		"1 0 0 0 not: loop 1: 0 -> 1 t: messages cross from one iteration into another"},
	{"crossing below a guard",
		HEAD(2) "[0-1] for i0 = 0 to 5\n[0] p send 1 tag1\nif {i0} != 0\n[1] 0 recv p tag1\ndone\ndone\n[1] 0 recv p tag1\n",
		"0 0 1 0 counted: loop 0: '0 recv 1 tag1' in iteration 1 belongs to what is done in iteration 0: messages cross from one iteration into another"},
	{"not crossing below a guard",
		HEAD(2) "[0-1] for i0 = 0 to 5\n[0] p send 1 tag1\nif {i0} != 9\n[1] 0 recv p tag1\ndone\ndone\n",
		"0 1 0 0 counted: it holds"},
	{"a loop below a loop whose index decides",
		HEAD(2) "[0-1] for i0 = 0 to 5\n[0-1] for i1 = 0 to 2\n[0] p send 1 tag{i0}\n[1] 0 recv p tag{i0}\ndone\ndone\n",
		"2 0 0 0 counted: it holds"},
	{"crossed, as counted in one of the iterations around",
		HEAD(2) "0 send 1 t\n[0-1] for i0 = 0 to 5\n[0-1] for i1 = 0 to {i0}\n[1] 0 recv p t\n[0] p send 1 t\ndone\ndone\n0 recv 1 t\n",
		"0 0 2 0 not: loop 1.0: 0 -> 1 t: messages cross from one iteration into another"},
	{"a count of two is written out, and yet crossed",
		HEAD(2) "[0-1] for i0 = 0 to 5\n[0] p send 1 t\n[0-1] for i1 = 0 to {1-i0%2*2}\n[1] 0 recv p t\n[0] p send 1 t\ndone\n[1] 0 recv p t\ndone\n",
		"0 0 2 0 counted: loop 0.1: '0 recv 1 t' in iteration 1 belongs to what is done in iteration 0: messages cross from one iteration into another"},
	{"received an iteration later, by tags that do not meet in the first",
		HEAD(2) "[0-1] p local x\n[0-1] for i0 = 0 to 8\nif {i0} != 0\n[1] 0 recv p tag{i0-1}\ndone\n[0] p send 1 tag{i0}\ndone\n[1] 0 recv p tag8\n",
		"0 0 1 0 counted: loop 1: '0 recv 1 tag0' in iteration 1 belongs to what is done in iteration 0: messages cross from one iteration into another"},
	{"crossed in two loops, the outermost is told",
		HEAD(2) "0 send 1 tag0\n0 send 1 tag0\n[0-1] for i0 = 0 to 1\n[0-1] for i1 = 0 to 1\n[1] 0 recv p tag{i0}\n[0] p send 1 tag{1-i0}\ndone\ndone\n0 recv 1 tag0\n0 recv 1 tag0\n",
		"0 0 1 4 counted: loop 2: '0 recv 1 tag1' in iteration 1 belongs to what is done in iteration 0: messages cross from one iteration into another"},
	{"processes that go on for longer are no partners",
		HEAD(2) "0 send 1 t\n[0-1] for i0 = 0 to {2+p}\n[0] p send 1 t\n[1] 0 recv p t\ndone\n",
		"0 0 0 2 counted: it holds"},
	{"... and are apart where messages cross",
		HEAD(3) "0 send 1 t0\n[0-2] for i0 = 0 to {$n[p]}\n[0] p send 1 t{i0+1}\n[1] 0 recv p t{i0}\n[2] p local x\ndone\n0 recv 1 t3\n// tables\n$n[p] = 2 2 7\n",
		"0 0 0 0 counted, 1 apart: it holds"},
	{"collectives cross, too",
		HEAD(3) "2 sync A 0-2\n[0-2] for i0 = 0 to 5\n[0-2] p local x\nif {i0} = 9\n[0] p local y\ndone\n[0-2] p sync A 0-2\ndone\n[0-1] p sync A 0-2\n",
		"0 0 1 0 counted: loop 1: '2 sync A 0-2' in iteration 0 belongs to what is done in iteration 1: messages cross from one iteration into another"},
	{"what one process tells itself is its own matter",
		HEAD(2) "[0-1] p send p t\n[0-1] for i0 = 0 to 5\n[0-1] p recv p t\n[0-1] p send p t\n[0-1] p send p tag{i0}\n[0-1] p recv p tag{i0}\ndone\n[0-1] p recv p t\n",
		"0 1 0 0 counted: it holds"},
	{"... unless others are in it",
		HEAD(2) "[0-1] p send p t\n[0-1] for i0 = 0 to 5\n[0-1] p recv p t\n[0-1] p send p t\n[0-1] p send p^1 tag{i0}\n[0-1] p^1 recv p tag{i0}\ndone\n[0-1] p recv p t\n",
		"0 0 1 0 counted: loop 1: '1 recv 1 t' in iteration 1 belongs to what is done in iteration 0: messages cross from one iteration into another"},
	{"an earlier message, first in, first out",
		HEAD(2) "0 send 1 tag12\n0 send 1 tag15\nfor i0 = 0 to 1\n0 recv 1 tag{12+3*i0}\n0 send 1 tag{12+3*i0}\ndone\n0 recv 1 tag12\n0 recv 1 tag15\n",
		"0 1 0 0 run: it holds"},
	{"the message of the same iteration",
		HEAD(2) "0 local x\nfor i0 = 0 to 1\n0 recv 1 tag{12+3*i0}\n0 send 1 tag{12+3*i0}\ndone\n",
		"0 1 0 0 run: 1.0: '0 recv 1 tag{12+3*i0}' stands before the send of the same iteration that it receives"},
	{"... without numbers, nothing is run", HEAD(2) "for i0 = 0 to 1\n0 recv 1 t\n0 send 1 t\ndone\n",
		"1 0 0 0 counted: 0.0: '0 recv 1 t' stands before the send of the same iteration that it receives"},
	{"too many to be run",
		HEAD(2) "[0-1] for i0 = 0 to 99999999999\n[0] p send 1 tag{i0}\n[0] 1 recv p tag{i0}\n[1] 0 recv p tag{i0}\n[1] p send 0 tag{i0}\ndone\n",
		"0 0 1 0 counted: it holds"},
	{"... that stand in the wrong order, perhaps",
		HEAD(2) "for i0 = 0 to 99999999999\n0 recv 1 tag{i0}\n0 send 1 tag{i0}\ndone\n",
		"0 0 1 0 not: it holds"},
	{"what is missing stops the run", HEAD(2) "1 recv 0 u\nfor i0 = 0 to 9\n0 send 1 tag{i0}\n0 recv 1 tag{i0}\ndone\n",
		"0 0 1 0 counted: 1 channel with unmatched messages or syncs:\n  1 -> 0 u: 0 sends, 1 receive"},
};

static void test_soundness(void)
{
	static const char *const by[] = {"not", "counted", "run"};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct program *p = program_of(cases[i].text);
		struct soundness s;
		struct error error = {0};
		struct text found = {0};
		soundness_of(p, &s);
		text_format(&found, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
			s.loops_by[EXAMINED_COUNTED], s.loops_by[EXAMINED_RUN], s.loops_by[EXAMINED_NOT], s.irregular,
			by[s.listing_by]);
		if (s.loops_apart)
			text_format(&found, ", %" PRIu64 " apart", s.loops_apart);
		text_format(&found, ": %s", soundness_holds(&s, &error) ? "it holds" : error.message);
		row_same(cases[i].why, found.data, cases[i].found);
		text_clear(&found);
		soundness_clear(&s);
		program_free(p);
	}
}

void suite_soundness(CU_pSuite suite)
{
	CU_add_test(suite, "what was examined, and how", test_soundness);
}
