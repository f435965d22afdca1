/*
 * test_sets.c -- sets of ranks as conditions: what is written, what is read, what is wrong; random
 * conditions against a count over all ranks.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/module_address.h"
#include "model/prepared.h"
#include "model/sets.h"
#include "tests/models.h"
#include "tests/rows.h"

/* "4 3", or "12": no grid. Gives the ranks. */
static uint32_t read_sizes(const char *sizes, struct grid *grid)
{
	uint64_t ranks = 1, size;
	*grid = (struct grid){0};
	for (; *sizes; sizes += *sizes == ' ') {
		CU_ASSERT_FATAL(text_read_number(&sizes, RANK_LIMIT, &size));
		grid->size[grid->axes++] = (uint32_t)size;
		ranks *= size;
	}
	if (grid->axes == 1)
		*grid = (struct grid){0};
	return (uint32_t)ranks;
}

static struct ranks read_set(const char *text, const struct grid *grid, uint32_t ranks)
{
	struct ranks set = {0};
	struct error error = {0};
	struct text whole = {0};
	header_put(&whole, ranks, grid);
	text_format(&whole, "[%s] p local a\n", text);
	struct prepared *p = prepared_parse("set", whole.data, whole.length, &error);
	if (!p)
		fprintf(stderr, "\n  %s\n", error.message);
	CU_ASSERT_FATAL(p != NULL);
	node_id event = module_at(p->module, 0).statement;
	const struct ranks *who = run_ranks(p->run, node_kid(p->module->store, event, COLUMN_WHO));
	if (who)
		ranks_copy(&set, who);
	else
		ranks_add_run(&set, 0, ranks - 1);
	prepared_free(p);
	text_clear(&whole);
	return set;
}

/* ------------------------------------------------------------------ one text */

static const struct {
	const char *why, *sizes, *list, *text;
} cases[] = {
	{"all", "4 3", "0-11", "*"},
	{"all, without a grid", "12", "0-11", "*"},
	{"all that there is", "1", "0", "*"},
	{"no grid, no condition", "12", "1-11", "1-11"},
	{"one rank is a rank", "4 3", "3", "3"},
	{"who has a neighbour before", "4 3", "1-3,5-7,9-11", "x>0"},
	{"who has one behind", "4 3", "0-2,4-6,8-10", "x<X-1"},
	{"in both directions", "4 3", "1-2,5-6,9-10", "x>0&&x<X-1"},
	{"along another axis", "4 3", "4-11", "y>0"},
	{"a corner's neighbour", "4 3", "5-7,9-11", "x>0&&y>0"},
	{"of two coordinates each is an end", "2 3", "1,3,5", "x>0"},
	{"the other end", "2 3", "0,2,4", "x<X-1"},
	{"the first line", "4 3", "0-3", "y==0"},
	{"the last", "4 3", "8-11", "y==Y-1"},
	{"one in the middle", "4 3", "4-7", "y==1"},
	{"a part of a line is no shorter", "4 3", "1-2", "1-2"},
	{"an interval from below", "8 3", "0-2,8-10,16-18", "x<3"},
	{"to the end", "8 3", "6-7,14-15,22-23", "x>X-3"},
	{"all but the last two", "8 3", "0-5,8-13,16-21", "x<X-2"},
	{"all but one", "4 3", "0-3,8-11", "y!=1"},
	{"both ends: a list", "4 4", "0-3,12-15", "0-3,12-15"},
	{"every other", "4 3", "1,3,5,7,9,11", "x%2==1"},
	{"every other of a part", "8 2", "2,4,6,10,12,14", "x%2==0&&x>0"},
	{"red and black", "4 3", "0,2,5,7,8,10", "(x+y)%2==0"},
	{"black, in three dimensions", "2 2 2", "1-2,4,7", "(x+y+z)%2==1"},
	{"red, but for the last column", "4 4", "0,2,5,8,10,13", "x<X-1&&(x+y)%2==0"},
	{"the diagonal", "3 3", "0,4,8", "x==y"},
	{"who transposes", "3 3", "1-3,5-7", "x!=y"},
	{"a triangle, whose ends follow", "3 3", "1-2,5", "x>y"},
	{"with the diagonal", "3 3", "0,3-4,6-8", "x<=y"},
	{"three of four are no triangle", "2 2", "0-2", "0-2"},
	{"a plane", "3 2 3", "6-11", "z==1"},
	{"no rule", "4 4", "0,3,6,9,13", "0-9:3,13"},
	{"an axis of one", "1 4", "1-3", "y>0"},
	{"four axes", "2 2 2 2", "8-15", "w>0"},
};

static void printing(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct grid grid;
		uint32_t ranks = read_sizes(cases[i].sizes, &grid);
		struct ranks set = read_set(cases[i].list, &grid, ranks), again = read_set(cases[i].text, &grid, ranks);
		struct text text = {0};
		set_print(&set, &grid, ranks, &text);
		row_same(cases[i].why, text.data, cases[i].text);
		ROW(cases[i].why, ranks_equal(&set, &again));
		text_clear(&text);
		ranks_clear(&set);
		ranks_clear(&again);
	}
}

/* ------------------------------------------------------------------ what people write */

static const struct {
	const char *why, *sizes, *text, *list;
} read[] = {
	{"the rank itself, without a grid", "12", "p>0", "1-11"},
	{"how many there are", "12", "p<P-1&&p%3==1", "1,4,7,10"},
	{"sides are turned", "4 3", "0<x", "1-3,5-7,9-11"},
	{"factors", "4 3", "2*x+y>=7", "7,11"},
	{"a remainder in a sum", "4 3", "x%2+y%2==2", "5,7"},
	{"remainders are never negative", "3 3", "(x-y)%3==1", "1,5-6"},
	{"of an extent", "4 3", "x+1==X", "3,7,11"},
	{"a power", "4 3", "2^x>4", "3,7,11"},
	{"what needs no comparison", "4 3", "x>=0&&1<2", "0-11"},
};

static void reading(void)
{
	for (size_t i = 0; i < COUNT(read); i++) {
		struct grid grid;
		uint32_t ranks = read_sizes(read[i].sizes, &grid);
		struct ranks set = read_set(read[i].text, &grid, ranks);
		struct text text = {0};
		ranks_print(&set, &text);
		row_same(read[i].why, text.data, read[i].list);
		text_clear(&text);
		ranks_clear(&set);
	}
}

/* ------------------------------------------------------------------ what is wrong */

#define HEADER "// tracenest 1\n// processes 12\n// grid 4 3\n"
#define NO_GRID "// tracenest 1\n// processes 12\n\n"

static const struct {
	const char *header, *row, *message;
} wrong[] = {
	{HEADER, "[x>3Q] p local a", "row:4:2: 'x>3' holds of no process"},
	{HEADER, "[z>0] p local a",
		"row:4:2: a condition is of p, P, coordinates x and extents X of the grid, and numbers, not of 'z'"},
	{NO_GRID, "[p>3Q] p local a", "row:4:5: ']' is missing behind a set of ranks, before 'Q] p local a'"},
	{NO_GRID, "[x>0] p local a",
		"row:4:2: a condition is of p, P, coordinates x and extents X of the grid, and numbers, not of 'x'"},
	{HEADER, "[x>3] p local a", "row:4:2: 'x>3' holds of no process"},
	{HEADER, "[x] p local a", "row:4:3: <, <=, >, >=, == or != is expected in a condition, not '] p local a'"},
	{HEADER, "[x=0] p local a", "row:4:3: <, <=, >, >=, == or != is expected in a condition, not '=0] p local a'"},
	{HEADER, "[x>0&y>0] p local a", "row:4:5: ']' is missing behind a set of ranks, before '&y>0] p local a'"},
	{HEADER, "[x>0,y>0] p local a", "row:4:5: ']' is missing behind a set of ranks, before ',y>0] p local a'"},
	{HEADER, "[x>0&&] p local a",
		"row:4:7: a number, without leading zeros, or a name is expected, not '] p local a'"},
	{HEADER, "[0<x<3] p local a", "row:4:5: ']' is missing behind a set of ranks, before '<3] p local a'"},
	{HEADER, "[0-3&&x>0] p local a",
		"row:4:5: <, <=, >, >=, == or != is expected in a condition, not '&&x>0] p local a'"},
	{HEADER, "[x>0 p local a", "row:4:5: ']' is missing behind a set of ranks, before ' p local a'"},
	{HEADER, "[x%0==0] p local a", "row:4:3: '%' gives no whole number of 64 bits here"},
	{HEADER, "[2^(61*x)>1] p local a", "row:4:2: a number in a condition is too large"},
	{HEADER, "[**] p local a", "row:4:3: ']' is missing behind a set of ranks, before '*] p local a'"},
	{HEADER, "[x>0] for i0 = 0 to 3 / [*] p local a / done",
		"row:5:1: process 0 executes this statement, but not the loop around it"},
	{HEADER, "[x>0] p send @(x-1,y) tag1 / [x<X-1] p sync A ** ", "row:5:18: '**' is not a group"},
	{HEADER, "for i0 = 0 to 3 / [*] p sync A @{(p+i0)%4} / done",
		"row:5:1: a communicator tells groups that depend on indices"},
	{HEADER, "[*] for i0 = 0 to 3 / [{i0}] p sync A @{p%4} / done",
		"row:5:17: coordinates are written '@(x,y)', not '@{p%4}'"},
	{HEADER, "[*] p sync A @{x-1}", "row:4:1: the communicator of process 0 would be negative"},
};

static void refusing(void)
{
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct error error = {0};
		struct text lines = lines_of_row(wrong[i].header, wrong[i].row);
		struct prepared *p = prepared_parse("row", lines.data, lines.length, &error);
		ROW(wrong[i].row, !p);
		row_same(wrong[i].row, error.message, wrong[i].message);
		prepared_free(p);
		text_clear(&lines);
	}
}

/* ------------------------------------------------------------------ in programs */

static const struct {
	const char *why, *row, *same;
} programs[] = {
	{"loops, events, groups of all",
		"[*] for i0 = 0 to 3 / [x>0] p send @(x-1,y) t1 / [x<X-1] @(x+1,y) recv p t1 / "
		"[*] p sync A * root=0 / [*] p sync B *@2 / done",
		"[0-11] for i0 = 0 to 3 / [(1-3)+4*3] p send @(x-1,y) t1 / [(0-2)+4*3] @(x+1,y) recv p t1 / "
		"[0-11] p sync A 0-11 root=0 / [0-11] p sync B 0-11@2 / done"},
	{"groups of one communicator", "[y<1] p sync A @{7} / [*] p sync A @{3+x}",
		"[0-3] p sync A 0-3@7 / [*] p sync A @{x+3}"},
	{"in what is called", "call a / call a / procedure a / [y==0] p local a / [(x+y)%2==1] p local b / done",
		"[0-3] p local a / [1,3-4,6,9,11] p local b / [0-3] p local a / [1,3-4,6,9,11] p local b"},
	{"inside of guards", "for i0 = 0 to 3 / if {i0%2} = 0 / [x>y] p local a / done / done",
		"for i0 = 0 to 3 / if {i0%2} = 0 / [1-3,6-7,11] p local a / done / done"},
};

static struct text printed(const char *why, const char *row)
{
	struct error error = {0};
	struct text lines = lines_of_row(HEADER, row), out = {0};
	struct prepared *p = prepared_parse("row", lines.data, lines.length, &error);
	ROW(why, p);
	module_print_text(p->module, NULL, &out);
	text_clear(&lines);
	prepared_free(p);
	return out;
}

static void programs_are_the_same(void)
{
	for (size_t i = 0; i < COUNT(programs); i++) {
		struct text one = printed(programs[i].why, programs[i].row),
			    other = printed(programs[i].why, programs[i].same);
		row_same(programs[i].why, one.data, other.data);
		text_clear(&one);
		text_clear(&other);
	}
}

/* ------------------------------------------------------------------ random sets */

struct random_comparison {
	int64_t factor[GRID_AXES], modulus, number;
	unsigned relation;
};

static const char *const relations[] = {"<", "<=", ">", ">=", "==", "!="};

static bool holds(const struct random_comparison *c, const struct spot *spot)
{
	int64_t sum = 0;
	for (int i = 0; i < GRID_AXES; i++)
		sum += c->factor[i] * spot->axis[i];
	sum = c->modulus ? ((sum % c->modulus) + c->modulus) % c->modulus : sum;
	bool is[] = {
		sum<c->number, sum <= c->number, sum> c->number, sum >= c->number, sum == c->number, sum != c->number};
	return is[c->relation];
}

static struct random_comparison random_comparison(const struct grid *grid, struct text *text)
{
	struct random_comparison c = {.modulus = rand() % 3 ? 0 : 1 + rand() % 4, .relation = (unsigned)rand() % 6};
	text_put(text, c.modulus ? "(" : "");
	for (uint32_t i = 0; i < grid->axes; i++) {
		c.factor[i] = rand() % 4 - 1;
		text_format(text, "%s%" PRId64 "*%c", i && c.factor[i] >= 0 ? "+" : "", c.factor[i], "xyzw"[i]);
	}
	if (c.modulus)
		text_format(text, ")%%%" PRId64, c.modulus);
	c.number = rand() % 6;
	text_format(text, "%s%" PRId64, relations[c.relation], c.number);
	return c;
}

static void check_read_back(const struct ranks *set, const struct grid *grid, uint32_t ranks)
{
	struct text text = {0}, again = {0};
	set_print(set, grid, ranks, &text);
	struct ranks read_again = read_set(text.data, grid, ranks);
	set_print(&read_again, grid, ranks, &again);
	CU_ASSERT_FATAL(ranks_equal(set, &read_again) && !strcmp(text.data, again.data));
	ranks_clear(&read_again);
	text_clear(&text);
	text_clear(&again);
}

static void random_conditions(void)
{
	srand(17);
	for (unsigned round = 0; round < rounds(3000); round++) {
		struct grid grid = {.axes = 2 + (uint32_t)rand() % 3};
		for (uint32_t i = 0; i < grid.axes; i++)
			grid.size[i] = 1 + (uint32_t)rand() % 5;
		uint32_t ranks = (uint32_t)grid_ranks(&grid);
		struct text text = {0};
		struct ranks set = {0};
		struct random_comparison c[3];
		unsigned comparisons = 1 + (unsigned)rand() % 3;
		for (unsigned i = 0; i < comparisons; i++) {
			text_put(&text, i ? "&&" : "");
			c[i] = random_comparison(&grid, &text);
		}
		for (uint32_t rank = 0; rank < ranks; rank++) {
			struct spot spot = grid_spot(&grid, rank);
			bool all = true;
			for (unsigned i = 0; i < comparisons && all; i++)
				all = holds(&c[i], &spot);
			if (all)
				ranks_add(&set, rank);
		}
		if (set.length) {
			struct ranks have = read_set(text.data, &grid, ranks);
			CU_ASSERT_FATAL(ranks_equal(&have, &set));
			ranks_clear(&have);
			check_read_back(&set, &grid, ranks);
		}
		ranks_clear(&set);
		text_clear(&text);
	}
}

static void random_subsets(void)
{
	srand(18);
	for (unsigned round = 0; round < rounds(3000); round++) {
		struct grid grid = {.axes = 2, .size = {1 + (uint32_t)rand() % 4, 1 + (uint32_t)rand() % 4}};
		struct ranks set = {0};
		for (uint32_t rank = 0; rank < grid_ranks(&grid); rank++)
			if (rand() % 3)
				ranks_add(&set, rank);
		if (set.length)
			check_read_back(&set, &grid, (uint32_t)grid_ranks(&grid));
		ranks_clear(&set);
	}
}

void suite_sets(CU_pSuite suite)
{
	CU_add_test(suite, "sets are written as the condition", printing);
	CU_add_test(suite, "conditions of other forms are read", reading);
	CU_add_test(suite, "conditions that are wrong are refused", refusing);
	CU_add_test(suite, "a program of conditions is that of lists", programs_are_the_same);
	CU_add_test(suite, "random conditions are read as they are counted", random_conditions);
	CU_add_test(suite, "random sets are read back", random_subsets);
}
