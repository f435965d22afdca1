/*
 * test_ask.c -- what can be asked of a program.
 */
#include <stdio.h>
#include <string.h>

#include "ask/coverage.h"
#include "base/text.h"
#include "tests/unit.h"

#define HEAD "// tracenest 1\n// processes 8\n"

static struct program *program_of(const char *text)
{
	struct error error = {0};
	struct program *p = program_parse("row", text, strlen(text), &error);
	if (!p)
		printf("\n%s\n", error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

static void check_text(const char *why, const char *have, const char *want)
{
	if (strcmp(have, want) != 0) {
		printf("\n%s: have\n%s\nwant\n%s\n", why, have, want);
		CU_FAIL("texts differ");
	}
}

/* ------------------------------------------------------------------ coverage */

static const struct {
	const char *why, *text;
	const char *covered; /* by each statement, then by the whole */
} covered[] = {
	{"nothing", HEAD, ";"},
	{"events say whose they are", HEAD "0 send 1 t\n0 recv 1 t\n2-4 sync B 0-7\n[0-7] p local x\n", "0; 1; 2-4; 0-7; 0-7;"},
	{"a loop with a set says so", HEAD "[0-3] for i0 = 0 to 9\n[1-2] p local x\ndone\n", "0-3; 1-2; 0-3;"},
	{"a loop without one unites what is inside", HEAD "for i0 = 0 to 9\n[1-2] p local x\n5 local y\n2 local z\ndone\n",
		"1-2,5; 1-2; 5; 2; 1-2,5;"},
	{"also through loops", HEAD "for i0 = 0 to 9\nfor i1 = 0 to {i0}\n3 local x\ndone\n[4] for i1 = 0 to 1\n[4] p local x\ndone\ndone\n",
		"3-4; 3; 3; 4; 4; 3-4;"},
	{"what never runs covers nobody", HEAD "for i0 = 0 to 1\nfor i1 = 0 to -1\n3 local x\ndone\ndone\n[1] for i0 = 0 to -1\n[1] p local y\ndone\n",
		"; ; 3; ; 1; ;"},
	{"equal sets are one", HEAD "for i0 = 0 to 1\n[0-1] p local x\n0 local y\n[0-1] p local z\n1 local y\ndone\n", "0-1; 0-1; 0; 0-1; 1; 0-1;"},
};

static void check_covered(const char *why, const struct program *p, const struct coverage *c, const char *want)
{
	struct text have = {0};
	text_add(&have, "", 0);
	for (size_t i = 0; i <= p->length; i++) {
		struct ranks who = i < p->length ? coverage_of(c, i) : coverage_of_all(c);
		text_put(&have, i ? " " : "");
		ranks_print(&who, &have);
		text_put(&have, ";");
	}
	check_text(why, have.data, want);
	text_clear(&have);
}

static void test_coverage(void)
{
	for (size_t i = 0; i < COUNT(covered); i++) {
		struct program *p = program_of(covered[i].text);
		struct coverage *c = coverage_new(p);
		check_covered(covered[i].why, p, c, covered[i].covered);
		coverage_free(c);
		program_free(p);
	}
}

static void test_coverage_within(void)
{
	struct program *p = program_of(HEAD "for i0 = 0 to 9\n[1-2] p local x\n5 local y\ndone\n[0-7] p local z\n");
	struct ranks wanted = {0};
	ranks_add_run(&wanted, 2, 4);
	struct coverage *c = coverage_within(p, &wanted);
	check_covered("as if there were only 2-4", p, c, "2; 2; ; 2-4; 2-4;");
	coverage_free(c);
	ranks_clear(&wanted);
	program_free(p);
}

void suite_ask(CU_pSuite suite)
{
	CU_ADD_TEST(suite, test_coverage);
	CU_ADD_TEST(suite, test_coverage_within);
}
