/*
 * test_statistics.c -- models measured, and what they cost who reads them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ask/cost.h"
#include "ask/measures.h"
#include "base/text.h"
#include "model/prepared.h"
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
	{"members of a sync meet behind guards, where there are sets",
		HEAD
		"for i0 = 0 to 5\nif {i0%2}\n[0] p sync B 0-1\n0 local x\ndone\nif {i0%2}\n1 sync B 0-1\ndone\ndone\n",
		"9 0-6 6 [1] 9 9 9"},
	{"and nowhere else",
		HEAD "for i0 = 0 to 5\nif {i0%2}\n0 sync B 0-1\n0 local x\ndone\nif {i0%2}\n1 sync B 0-1\ndone\ndone\n",
		"9 0-6 9 [1] 9 9 9"},
	{"also in loops that are written out",
		HEAD "for i0 = 0 to 1\nfor i1 = 0 to {i0}\n[0] p sync B 0-1\ndone\nfor i1 = 0 to {i0}\n1 sync B 0-1\n"
		     "done\ndone\n",
		"6 0-3 3 [1 2] 6 6 6"},
	{"a sync joins its members", HEAD "[0-3] for i0 = 0 to 9\n[0-3] p sync B 0-3\ndone\n",
		"40 10-10 2 [1] 40 40 40"},
	{"lines of the grid meet apart",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] for i0 = 0 to 9\n[0-5] p sync B @(*,y)\ndone\n",
		"60 10-10 6 [1] 60 60 0"},
	{"groups of communicators meet apart", HEAD "[0-3] for i0 = 0 to 9\n[0-3] p sync B @{5+p%2}\ndone\n",
		"40 10-10 4 [1] 40 40 0"},
	{"what advances is written out in the plain listing",
		HEAD "for i0 = 0 to 9\n0 send 1 tag{i0}\n0 recv 1 tag{i0}\ndone\n", "20 0-10 20 [1] 20 20 20"},
	{"a loop whose count advances stays one where that is 3 or more",
		HEAD "for i0 = 0 to 4\nfor i1 = 0 to {i0-1}\n0 local x\ndone\ndone\n", "10 0-10 7 [1 1] 10 0 10"},
	{"no loop is run", HEAD "for i0 = 0 to 999999999999999999\n0 local x\n0 local y\ndone\n",
		"2000000000000000000 0-2000000000000000000 3 [1] 2000000000000000000 0 2000000000000000000"},
	{"one process, whom a table names in each iteration",
		HEAD "[*] for i0 = 0 to 3\n[$w[i0]] p local x\n[*] p local y\ndone\n// tables\n$w[i0] = 2 0 1 1\n",
		"20 4-6 20 [1] 20 0 0"},
	{"counts by process: loops are those of the text", HEAD "[0-3] for i0 = 0 to {p}\n[0-3] p local x\ndone\n",
		"10 1-4 8 [1] 10 0 0"},
};

static void put_measured(const struct measures *s, struct text *out)
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
		struct prepared *p =
			prepared_new(module_parse_one("row", cases[i].text, strlen(cases[i].text), &error), &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		struct measures s;
		CU_ASSERT(measures_of(p->run, &s, &error));
		put_measured(&s, &have);
		CU_ASSERT_EQUAL(measures_in_several(p->run), s.in_several);
		row_same(cases[i].why, have.data, cases[i].measured);
		CU_ASSERT_EQUAL(s.events, p->text->events);
		measures_clear(&s);
		prepared_free(p);
		text_clear(&have);
	}
}

/* ------------------------------------------------------------------ the reader's cost */

static const struct {
	const char *why, *row;
	const char *
		/* total: statements, guards, arguments, tables, entries, look-ups; entries of the
		   longest table, cost of tables of sizes; numbers with remainders or powers, affine
		   ones */
		cost;
} costs[] = {
	{"nothing", "", "0: 0 0 0 0 0 0; 0 0; 0 0"},
	{"loops are statements, their ends are not", "[0-3] for i0 = 0 to 9 / [0-3] p local a / done // x.c:7",
		"200: 2 0 0 0 0 0; 0 0; 0 0"},
	{"guards", "for i0 = 0 to 3 / if {i0%2} = 1 / 0 local a / else / 0 local b / done / done",
		"430: 3 2 0 0 0 0; 0 0; 1 0"},
	{"numbers", "for i0 = 0 to 3 / 0 send {i0} t{i0%2} ; bytes={2^i0} / 1 send 2 t{1+3*i0} ; bytes=4 / done",
		"370: 3 0 0 0 0 0; 0 0; 2 2"},
	{"a look-up behind the semicolon costs less, and is not counted",
		"for i0 = 0 to 3 / 0 send $w[i0] t ; bytes=$w[i0] / done / $w[i0] = 3 1 2 1",
		"455: 2 0 0 1 4 1; 4 0; 0 0"},
	{"also a count, a condition, both of two",
		"for i0 = 0 to {$w[0]} / if $w[i0]*$v[i0] / 0 local a / done / done / $w[i0] = 3 1 4 9 / $v[i0] = 1..4",
		"725: 2 1 0 2 5 3; 4 0; 0 0"},
	{"entries as they are printed",
		"for i0 = 0 to 999 / 0 local a ; bytes=$b[i0] / 0 local b ; bytes=$b1[i0] / done / $b[i0] = (1 2 30)*300 (7)*100 / "
		"$b1[i0] = 0..999",
		"670: 3 0 0 2 5 0; 4 350; 0 0"},
	{"rows, and digits, one by one",
		"for i0 = 0 to 1 / for i1 = 0 to 63 / 0 local a ; bytes=$b[i0,i1] / done / done / "
		"$b[i0,i1] = 1'3141592653589793238462643383279502884197169399375105820974944592' | (7)*64 |",
		"2360: 3 0 0 1 65 0; 65 2050; 0 0"},
	{"names that begin like those of sizes",
		"0 send $b[0] t / 0 send $b7[0] t / 0 send $bx[0] t / $b[i0] = 1 / $b7[i0] = 1 / "
		"$bx[i0] = 1",
		"765: 3 0 0 3 3 3; 1 260; 0 0"},
	{"what is said once, and is called with arguments",
		"call a(1,2) / [0-3] p sync S 0-3 / call a(3,4) / [0-3] p sync T 0-3 / call a(5,6) / [0-3] p sync U 0-3 / call a(7,8) / "
		"procedure a(n,t) / [0-2] p send p+1 u ; bytes={n} / [1-3] p-1 recv p u ; bytes={n} / [1-3] p send p-1 v{t} / "
		"[0-2] p+1 recv p v{t} / [0-2] p send p+1 w ; bytes={n} / [1-3] p-1 recv p w ; bytes={n} / done",
		"1640: 14 0 8 0 0 0; 0 0; 0 6"},
};

static void put_cost(const struct cost *c, struct text *out)
{
	const uint64_t of[] = {c->lines, c->guards, c->arguments, c->tables, c->entries, c->lookups};
	text_format(out, "%" PRIu64 ":", c->total);
	for (size_t i = 0; i < COUNT(of); i++)
		text_format(out, " %" PRIu64, of[i]);
	text_format(
		out, "; %" PRIu64 " %" PRIu64 "; %" PRIu64 " %" PRIu64, c->longest, c->sizes, c->remainders, c->affine);
}

/* Counted without printing. */
static uint64_t entries_of(const struct module *m)
{
	uint64_t entries = 0;
	for (size_t k = 0; k < m->tables; k++)
		entries += table_printed_entries(
			store_get_table(m->store, (uint32_t)node_of(m->store, m->table[k])->number));
	return entries;
}

static void test_costs(void)
{
	for (size_t i = 0; i < COUNT(costs); i++) {
		struct text have = {0}, lines = lines_of_row(HEAD, costs[i].row);
		struct error error;
		struct module *m = module_parse_one("row", lines.data, lines.length, &error);
		ROW(costs[i].why, m);
		if (m) {
			struct cost cost = text_cost(m);
			put_cost(&cost, &have);
			ROW(costs[i].why, entries_of(m) == cost.entries);
		}
		row_same(costs[i].why, m ? have.data : error.message, costs[i].cost);
		module_free(m);
		text_clear(&have);
		text_clear(&lines);
	}
}

/* Of what the samples come to, as a program that shares nothing with this one finds it. */
static const struct {
	const char *path;
	uint64_t total;
} golden_costs[] = {
	{"tests/golden/mg.S.4.ez.nest", 41430},
	{"tests/golden/bt.S.4.scorep.nest", 27810},
	{"tests/golden/lu.S.4.tau.nest", 14800},
	{"tests/golden/scalatrace2-1.nest", 660},
};

static void test_golden_costs(void)
{
	for (size_t i = 0; i < COUNT(golden_costs); i++) {
		struct error error;
		struct module *m = module_read_one(golden_costs[i].path, &error);
		ROW(golden_costs[i].path, m && text_cost(m).total == golden_costs[i].total);
		ROW(golden_costs[i].path, m && text_cost(m).entries == entries_of(m));
		module_free(m);
	}
}

void suite_statistics(CU_pSuite suite)
{
	CU_add_test(suite, "the reader's cost", test_costs);
	CU_add_test(suite, "the reader's cost of samples", test_golden_costs);
	CU_add_test(suite, "models measured", test_cases);
}
