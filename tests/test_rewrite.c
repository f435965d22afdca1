/*
 * test_rewrite.c -- statements that cost less and do the same: rows of what comes of what, and
 * random programs, which do the same before and after.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ask/sameness.h"
#include "base/mem.h"
#include "merge/rewrite.h"
#include "model/prepared.h"
#include "tests/models.h"
#include "tests/random_program.h"
#include "tests/rows.h"

#define HEADER "// tracenest 1\n// processes 4\n"

/* NULL: it is refused. */
static struct draft *draft_of_text(const char *text, size_t length)
{
	struct error error = {0};
	struct module *m = module_parse_one("row", text, length, &error);
	struct draft *d = m ? draft_of_module(m, &error) : NULL;
	module_free(m);
	return d;
}

static bool do_the_same(const struct draft *a, const struct draft *b)
{
	struct run *run = run_new(a->module, NULL), *other = run_new(b->module, NULL);
	bool same = runs_sameness(run, other, VALUES_ALL, UINT64_MAX, NULL) == SAMENESS_SAME;
	run_free(run);
	run_free(other);
	return same;
}

static void expect_rewritten(const char *why, const char *row, const char *expected)
{
	struct text text = lines_of_row(HEADER, row), whole = {0};
	struct draft *d = draft_of_text(text.data, text.length);
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	struct draft *now = rewritten(d);
	module_print_text((now ? now : d)->module, NULL, &whole);
	struct text own = row_of_lines(whole.data, false);
	row_same(why, own.data, expected);
	ROW(why, !now || do_the_same(d, now));
	text_clear(&own);
	text_clear(&whole);
	text_clear(&text);
	draft_free(now);
	draft_free(d);
}

#define GRID "// grid 2 2 / "
#define A "[*] p send p^1 t1 / [*] p^1 recv p t1"
#define B "[*] p send p^2 t2 / [*] p^2 recv p t2"
#define C "[*] p sync MPI_Barrier *"
#define LOOP(last, body) "[*] for i0 = 0 to " #last " / " body " / done"
#define STEP(last) " / [*] for i0 = 0 to " #last " / " A " / done / " C
#define IF(test, body) "if " test " / " body " / done"

static void rows(void)
{
	static const struct {
		const char *why, *text, *rewritten;
	} cases[] = {
		{"the first iteration does more", A " / " B " / " C " / " LOOP(8, A " / " B),
			LOOP(9, A " / " B " / " IF("{i0} = 0", C))},
		{"what the last one does is behind the loop", LOOP(8, A " / " B) " / " A " / " B " / " C,
			LOOP(9, A " / " B) " / " C},
		{"one in the middle", LOOP(4, A " / " B) " / " C " / " LOOP(5, A " / " B),
			LOOP(10, A " / " B " / " IF("{i0} = 4", C))},
		{"the first ones", LOOP(2, A " / " B " / " C) " / " LOOP(6, A " / " B),
			LOOP(9, A " / " B " / " IF("{i0} in {0..2}", C))},
		{"every second one", LOOP(5, A " / " B " / " C " / " A " / " B),
			LOOP(11, A " / " B " / " IF("{i0%2} = 0", C))},
		{"every third one: a loop inside of another costs less",
			"[*] for i0 = 0 to 5 / [*] for i1 = 0 to 2 / " A " / done / " C " / done",
			"[*] for i0 = 0 to 5 / [*] for i1 = 0 to 2 / " A " / done / " C " / done"},
		{"a turn that begins elsewhere", A " / " B " / " C " / " A " / " LOOP(8, B " / " A) " / " B,
			LOOP(10, A " / " B " / " IF("{i0} = 0", C))},
		{"counts that follow the step", A " / " C STEP(1) STEP(2) STEP(3) STEP(4) STEP(5),
			"[*] for i0 = 0 to 5 / [*] for i1 = 0 to {i0} / " A " / done / " C " / done"},
		{"tags that follow it",
			"[*] p send p^1 t1 / [*] p^1 recv p t1 / " C " / [*] p send p^1 t2 / [*] p^1 recv p t2 / " C
			" / [*] p send p^1 t3 / [*] p^1 recv p t3 / " C,
			LOOP(2, "[*] p send p^1 t{1+i0} / [*] p^1 recv p t{1+i0} / " C)},
		{"an index of the loop around stays its own",
			"[*] for i0 = 0 to 5 / [*] p send p^1 t{i0} / [*] p^1 recv p t{i0} / " C
			" / [*] for i1 = 0 to 6 / [*] p "
			"send p^1 t{i0} / [*] p^1 recv p t{i0} / done / done",
			"[*] for i0 = 0 to 5 / [*] for i1 = 0 to 7 / [*] p send p^1 t{i0} / [*] p^1 recv p t{i0} / if {i1} = 0 / " C
			" / done / done / done"},
		{"what alternates", LOOP(3, A " / " C " / " B " / " C), LOOP(3, A " / " C " / " B " / " C)},
		{"half and half", "[0-1] p send p+2 t / [2-3] p send p-2 t / [*] p^2 recv p t",
			"[*] p send p^2 t / [*] p^2 recv p t"},
		{"but for what comes between", "[0-1] p send p+2 t / [*] p^2 recv p t / [2-3] p send p-2 t",
			"[0-1] p send p+2 t / [*] p^2 recv p t / [2-3] p send p-2 t"},
		{"peers that only a part has a formula for", "[0-1] p send p+2 t / [2] p send 1 t / [3] p send 0 t",
			"[0-1] p send p+2 t / [2-3] p send p^3 t"},
		{"peers that no formula says are no table",
			"[0] p send 2 t / [1] p send 0 t / [2] p send 3 t / [3] p send 1 t",
			"[0,3] p send p^2 t / [1-2] p send p^1 t"},
		{"a list that costs more than what it decides on is none",
			A " / " C " / " A " / " A " / " C " / " A " / " A " / " A " / " C " / " A " / " C " / " A
			  " / " A " / " A " / " A " / " C " / " A " / " A " / " C,
			A " / " C " / " LOOP(11, A " / " IF("{i0} in {1,4,5,9}", C)) " / " C},
		{"numbers of coordinates",
			GRID "[*] p send @(x,y+1) t1 / [*] p send @(x,y+2) t1 / [*] p send @(x,y+3) t1",
			LOOP(2, "[*] p send @(x,y+1+i0) t1")},
		{"all but the first", A " / " B " / " LOOP(8, A " / " B " / " C),
			LOOP(9, A " / " B " / " IF("{i0}", C))},
		{"all but the last", LOOP(8, A " / " B " / " C) " / " A " / " B,
			LOOP(9, A " / " B " / " IF("{i0} != 9", C))},
		{"what is less than half of an iteration is none", C " / " LOOP(8, C " / " A " / " B),
			C " / " LOOP(8, C " / " A " / " B)},
		{"loops that were taken for one, in a row", LOOP(8, A) STEP(2) STEP(2) STEP(2) STEP(2) STEP(2),
			LOOP(7, "[*] for i1 = 0 to 2 / " A " / done / " IF("{i0} not in {0..2}", C))},
		{"what the first iteration begins with, and the last one ends with",
			LOOP(8, IF("{i0} = 0", C) " / " A " / " IF("{i0} = 8", B)), C " / " LOOP(8, A) " / " B},
		{"and with what it has in it", LOOP(8, IF("{i0} = 0", LOOP(3, B)) " / " A),
			LOOP(3, B) " / " LOOP(8, A)},
		{"nothing but that", LOOP(8, IF("{i0} = 8", C)), LOOP(8, IF("{i0} = 8", C))},
		{"entries of a table are numbers in known iterations",
			LOOP(3, "[*] for i1 = 0 to 1 / [*] p send p^1 t{$t[i0]+i1} / [*] p^1 recv p t{$t[i0]+i1} / done") " / // tables / $t[i0] = 0 2 0 2 ",
			LOOP(7, "[*] p send p^1 t{i0%4} / [*] p^1 recv p t{i0%4}")},
		{"loops inside each other are one, whatever of the outer one they ask",
			LOOP(3, "[*] for i1 = 0 to 1 / [*] p send p^1 t{2*i0+i1} / [*] p^1 recv p t{2*i0+i1} / done"),
			LOOP(7, "[*] p send p^1 t{i0} / [*] p^1 recv p t{i0}")},
		{"two that do less than half of an iteration", C " / " C " / " LOOP(8, C " / " A " / " B),
			LOOP(10, C " / " IF("{i0} not in {0,1}", A " / " B))},
		{"loops of no iterations do nothing",
			LOOP(5, IF("{i0} = 5", "[*] for i1 = 0 to -1 / " A " / done") " / " B " / " C),
			LOOP(5, B " / " C)},
		{"nothing", C, C},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		expect_rewritten(cases[i].why, cases[i].text, cases[i].rewritten);
}

/* Calls whose statements have stayed together are calls still. */
static void calls(void)
{
	const char *text =
		HEADER "call a\n" C "\n[*] for i0 = 0 to 3\ncall a\ncall b\ndone\ncall b\nprocedure a\n[*] p "
		       "send p^1 t1\n[*] p^1 recv p t1\n[*] p send p^1 t3\n[*] p^1 recv p t3\ndone\nprocedure "
		       "b\n[*] p send p^2 t2\n[*] p^2 recv p t2\n[*] p send p^2 t4\n[*] p^2 recv p "
		       "t4\ndone\n";
	struct text whole = {0};
	text_put(&whole, text);
	struct draft *d = draft_of_text(whole.data, whole.length), *now = d ? rewritten(d) : NULL;
	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	if (now) {
		CU_ASSERT_TRUE(do_the_same(d, now));
		for (size_t i = 0; i < now->calls.length; i++)
			CU_ASSERT_TRUE(now->calls.call[i].end <= now->module->lines);
	}
	text_clear(&whole);
	draft_free(now);
	draft_free(d);
}

static void random_programs(void)
{
	uint64_t changed = 0;
	for (unsigned seed = 0; seed < rounds(300); seed++) {
		struct random_program *p =
			random_program_new(seed, seed % 2 ? PROGRAM_SETS : PROGRAM_SETS | PROGRAM_IRREGULAR);
		struct text text = {0};
		random_program_print(p, false, &text);
		struct draft *d = draft_of_text(text.data, text.length), *now = d ? rewritten(d) : NULL;
		if (now) {
			changed++;
			bool same = do_the_same(d, now);
			CU_ASSERT_TRUE(same);
			if (!same)
				printf("seed %u\n", seed);
			/* an `else` of nothing costs nothing */
			CU_ASSERT_TRUE(node_of(now->module->store, now->module->body)->cost <=
				       node_of(d->module->store, d->module->body)->cost);
		}
		draft_free(now);
		draft_free(d);
		text_clear(&text);
		random_program_free(p);
	}
	CU_ASSERT_TRUE(changed > 0);
}

void suite_rewrite(CU_pSuite suite)
{
	CU_add_test(suite, "rows", rows);
	CU_add_test(suite, "calls", calls);
	CU_add_test(suite, "random programs", random_programs);
}
