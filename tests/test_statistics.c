/*
 * test_statistics.c -- models measured.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ask/statistics.h"
#include "base/text.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define HEAD "// tracenest 1\n// processes 4\n"

static const struct {
	const char *why, *text;
	const char *
		/* events, fewest to most, constructs, loops by level, events in loops: any, of
		   several, of all processes */
		measured;
} cases[] = {
	{"nothing", HEAD, "0 0-0 0 [] 0 0 0"},
	{"events, but no loop", HEAD "0 send 1 t\n0 recv 1 t\n", "2 0-1 2 [] 0 0 0"},
	{"a sync of four is four events", HEAD "0-3 sync B 0-3\n", "4 1-1 1 [] 0 0 0"},
	{"a loop of one process", HEAD "for i0 = 0 to 9\n0 send 1 t\ndone\n1 local x\n", "11 0-10 3 [1] 10 0 0"},
	{"of two of three that do anything", HEAD "for i0 = 0 to 9\n0 send 1 t\n0 recv 1 t\ndone\n2 local x\n",
		"21 0-10 4 [1] 20 20 0"},
	{"of all that do anything", HEAD "for i0 = 0 to 9\n0 send 1 t\n0 recv 1 t\ndone\n", "20 0-10 3 [1] 20 20 20"},
	{"the only process is all, but not several",
		"// tracenest 1\n// processes 1\nfor i0 = 0 to 9\n0 local x\ndone\n", "10 10-10 2 [1] 10 0 10"},
	{"the widest loop around counts",
		HEAD "for i0 = 0 to 4\nfor i1 = 0 to 1\n0 send 1 t\ndone\n0-3 sync B 0-3\ndone\n",
		"30 5-15 4 [1 1] 30 30 30"},
	{"equal loops count where they stand",
		HEAD
		"for i0 = 0 to 1\nfor i1 = 0 to 2\n0 local x\ndone\n1 local y\nfor i1 = 0 to 2\n0 local x\ndone\ndone\n"
		"for i0 = 0 to 2\n0 local x\ndone\n",
		"17 0-15 8 [2 2] 17 14 14"},
	{"a loop without iterations", HEAD "for i0 = 0 to -1\n0 local x\ndone\n", "0 0-0 2 [1] 0 0 0"},
	{"loops side by side are several", HEAD "[0-3] for i0 = 0 to 9\n[0,2] p send p+1 t\n[1,3] p-1 recv p t\ndone\n",
		"40 10-10 6 [1] 40 40 0"},
	{"and of one process each", HEAD "[0-3] for i0 = 0 to 9\n[0-3] p local x\ndone\n", "40 10-10 8 [1] 40 0 0"},
	{"a sync joins its members", HEAD "[0-3] for i0 = 0 to 9\n[0-3] p sync B 0-3\ndone\n",
		"40 10-10 2 [1] 40 40 40"},
	{"lines of the grid meet apart",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] for i0 = 0 to 9\n[0-5] p sync B @(*,y)\ndone\n",
		"60 10-10 6 [1] 60 60 0"},
	{"what advances is written out in the plain listing",
		HEAD "for i0 = 0 to 9\n0 send 1 tag{i0}\n0 recv 1 tag{i0}\ndone\n", "20 0-10 20 [1] 20 20 20"},
	{"a loop whose count advances stays one where that is 3 or more",
		HEAD "for i0 = 0 to 4\nfor i1 = 0 to {i0-1}\n0 local x\ndone\ndone\n", "10 0-10 7 [1 1] 10 0 10"},
	{"no loop is run", HEAD "for i0 = 0 to 999999999999999999\n0 local x\n0 local y\ndone\n",
		"2000000000000000000 0-2000000000000000000 3 [1] 2000000000000000000 0 2000000000000000000"},
};

static void put_measured(const struct statistics *s, struct text *out)
{
	text_format(
		out, "%" PRIu64 " %" PRIu64 "-%" PRIu64 " %" PRIu64 " [", s->events, s->fewest, s->most, s->constructs);
	uint64_t loops = 0;
	for (uint32_t i = 0; i < s->depth; i++) {
		text_format(out, "%s%" PRIu64, i ? " " : "", s->loops_at[i]);
		loops += s->loops_at[i];
	}
	CU_ASSERT_EQUAL(loops, s->loops);
	text_format(out, "] %" PRIu64 " %" PRIu64 " %" PRIu64, s->in_loops, s->in_several, s->in_all);
}

static void test_cases(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text have = {0};
		struct error error;
		struct program *m = program_parse("row", cases[i].text, strlen(cases[i].text), &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		struct statistics *s = statistics_new(m);
		put_measured(s, &have);
		row_same(cases[i].why, have.data, cases[i].measured);
		CU_ASSERT_EQUAL(s->events, program_events(m));
		statistics_free(s);
		program_free(m);
		text_clear(&have);
	}
}

void suite_statistics(CU_pSuite suite)
{
	CU_add_test(suite, "models measured", test_cases);
}
