/*
 * test_fit.c -- numbers that random functions of the process, its place and the indices make are
 * told as a function again: fold/fit finds one where there is one, and what it finds gives the
 * numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "fit/series_fit.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define PROCESSES 6 /* on a grid of 3 by 2 */
#define STATEMENT 2

/* What numbers are, of the simplest kind to those that follow nothing. */
enum kind { CONSTANT, AFFINE, WITH_REMAINDER, IN_A_TABLE, AT_RANDOM, KINDS };

/* for i0 to `outer`, for i1 to `inner`, or to i0 */
struct numbers {
	enum kind kind;
	bool triangle, on_grid, member[PROCESSES];
	int64_t outer, inner;
	int64_t constant, p, axis[2], index[2], modulus, factor, around; /* ... + (around*i1) % modulus * factor */
	uint64_t seed;
};

static int64_t up_to(uint64_t *seed, int64_t most)
{
	return (int64_t)(hash_mix(*seed += UINT64_C(0x9e3779b97f4a7c15)) % ((uint64_t)most + 1));
}

static struct numbers numbers_of(uint64_t seed)
{
	uint64_t odds = seed;
	struct numbers n = {.kind = (enum kind)(seed % KINDS),
		.triangle = up_to(&odds, 1),
		.on_grid = up_to(&odds, 1),
		.outer = up_to(&odds, 12),
		.inner = up_to(&odds, 12),
		.constant = up_to(&odds, 2000),
		.seed = seed};
	bool any = false;
	for (int p = 0; p < PROCESSES; p++) /* on the grid all: where x and y move at once, which it was is not told */
		any |= n.member[p] = up_to(&odds, 3) > 0 || n.on_grid;
	n.member[0] |= !any;
	if (n.kind == CONSTANT)
		return n;
	n.p = n.on_grid ? 0 : up_to(&odds, 40) - 20;
	for (int i = 0; i < 2; i++) {
		n.axis[i] = n.on_grid ? up_to(&odds, 40) - 20 : 0;
		n.index[i] = up_to(&odds, 40) - 20;
	}
	if (n.kind == WITH_REMAINDER) {
		n.modulus = 2 + up_to(&odds, 3);
		n.factor = 1 + up_to(&odds, 50);
		n.around = 1 + up_to(&odds, 4);
	}
	return n;
}

static int64_t number_at(const struct numbers *n, int64_t p, const int64_t *index)
{
	if (n->kind == IN_A_TABLE || n->kind == AT_RANDOM) {
		uint64_t odds = n->seed + 1000 * (uint64_t)index[1];
		odds += n->kind == AT_RANDOM ? 100000 * (uint64_t)index[0] + 10000000 * (uint64_t)p : 0;
		return n->constant + up_to(&odds, 500);
	}
	int64_t number = n->constant + n->p * p + n->axis[0] * (p % 3) + n->axis[1] * (p / 3) + n->index[0] * index[0] +
			 n->index[1] * index[1];
	return number + (n->modulus ? n->around * index[1] % n->modulus * n->factor : 0);
}

/* The first execution, the next one; false: there is none. */
static bool first(const struct numbers *n, int64_t *index)
{
	index[0] = index[1] = 0;
	return n->outer >= 0;
}

static bool next(const struct numbers *n, int64_t *index)
{
	if (++index[1] <= (n->triangle ? index[0] : n->inner))
		return true;
	index[1] = 0;
	return ++index[0] <= n->outer;
}

static size_t make_series(const struct numbers *n, struct fit_series *member)
{
	size_t count = 0;
	int64_t index[INDEX_DEPTH];
	for (uint32_t p = 0; p < PROCESSES; p++) {
		if (!n->member[p])
			continue;
		member[count] = (struct fit_series){p, series_new()};
		for (bool more = first(n, index); more; more = next(n, index))
			series_push(member[count].series, number_at(n, p, index));
		series_finish(member[count++].series);
	}
	return count;
}

static struct program *program_around(const struct numbers *n)
{
	struct text text = {0}, who = {0};
	for (int p = 0; p < PROCESSES; p++)
		if (n->member[p])
			text_format(&who, "%s%d", who.length ? "," : "", p);
	text_format(&text, "// tracenest 1\n// processes %d\n// grid 3 2\n[%s] for i0 = 0 to %d\n", PROCESSES, who.data,
		(int)n->outer);
	if (n->triangle)
		text_format(&text, "[%s] for i1 = 0 to {i0}\n", who.data);
	else
		text_format(&text, "[%s] for i1 = 0 to %d\n", who.data, (int)n->inner);
	text_format(&text, "[%s] p local x\ndone\ndone\n", who.data);
	struct program *p = program_of(text.data);
	text_clear(&text);
	text_clear(&who);
	return p;
}

/* How many of its numbers are not what they were. */
static unsigned wrong_of(const struct numbers *n, const struct program *program, const struct value *v)
{
	unsigned wrong = 0;
	int64_t index[INDEX_DEPTH] = {0};
	for (uint32_t p = 0; p < PROCESSES; p++)
		for (bool more = n->member[p] && first(n, index); more; more = next(n, index)) {
			struct spot spot = grid_spot(&program->grid, p);
			spot.index = index;
			wrong += value_at(v, &spot) != number_at(n, p, index);
		}
	return wrong;
}

static void random_numbers(void)
{
	unsigned without_tables = 0, tried = rounds(1500);
	for (uint64_t seed = 0; seed < tried && CU_get_number_of_failures() < 5; seed++) {
		struct numbers n = numbers_of(seed);
		for (int tables = 0; tables < 2; tables++) {
			struct program *program = program_around(&n);
			struct fit_series member[PROCESSES];
			size_t count = make_series(&n, member);
			struct value v;
			bool found = fit_statement(program, STATEMENT, member, count, tables ? "b" : NULL, &v);
			char why[32];
			snprintf(why, sizeof why, "seed %d, %s", (int)seed, tables ? "tables" : "no tables");
			ROW(why, found || (!tables && n.kind > AFFINE));
			ROW(why, !found || !wrong_of(&n, program, &v));
			ROW(why, !found || tables || !v.lookup.table);
			without_tables += found && !tables && n.kind == WITH_REMAINDER;
			for (size_t i = 0; i < count; i++)
				series_free(member[i].series);
			program_free(program);
		}
	}
	printf("(%u of %u with remainders found) ", without_tables, tried / KINDS);
	CU_ASSERT(without_tables > tried / KINDS / 3);
}

/* What a table is looked up by: no more than its numbers depend on. */
static void places_in_tables(void)
{
	static const struct {
		const char *why;
		bool x, y, index; /* the numbers depend on */
		const char *value;
	} cases[] = {
		{"a column", true, false, false, "$b[x]"},
		{"a column, later another number", true, false, true, "$b[x,i1]"},
		{"a row, later another number", false, true, true, "$b[y,i1]"},
		{"a process", true, true, false, "$b[p]"},
		{"an iteration", false, false, true, "$b[i1]"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct numbers n = {
			.kind = IN_A_TABLE, .on_grid = true, .outer = 3, .inner = 4, .member = {1, 1, 1, 1, 1, 1}};
		struct program *program = program_around(&n);
		struct fit_series member[PROCESSES];
		struct value v;
		struct text text = {0};
		int64_t index[INDEX_DEPTH];
		for (uint32_t p = 0; p < PROCESSES; p++) {
			member[p] = (struct fit_series){p, series_new()};
			for (bool more = first(&n, index); more; more = next(&n, index)) {
				uint64_t odds = (cases[i].x ? p % 3 : 0) + (cases[i].y ? p / 3 * 10 : 0) +
						(cases[i].index ? (uint64_t)index[1] * 100 : 0);
				series_push(member[p].series, up_to(&odds, 5000));
			}
			series_finish(member[p].series);
		}
		ROW(cases[i].why, fit_statement(program, STATEMENT, member, PROCESSES, "b", &v));
		value_print(&v, &text);
		row_same(cases[i].why, text.data, cases[i].value);
		text_clear(&text);
		for (uint32_t p = 0; p < PROCESSES; p++)
			series_free(member[p].series);
		program_free(program);
	}
}

static void periods(void)
{
	static const struct {
		const char *why;
		int64_t entry[8];
		uint64_t size, period;
	} cases[] = {
		{"one", {7}, 1, 1},
		{"all the same", {7, 7, 7}, 3, 1},
		{"twice", {1, 2, 3, 1, 2, 3}, 6, 3},
		{"not whole at the end", {1, 2, 3, 1, 2, 3, 1}, 7, 3},
		{"not even twice", {1, 2, 3, 1, 2}, 5, 5},
		{"but for the last one", {1, 2, 1, 2, 1, 3}, 6, 6},
		{"inside of a longer one", {1, 1, 2, 1, 1, 2, 1, 1}, 8, 3},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		ROW(cases[i].why, fit_period(cases[i].entry, cases[i].size) == cases[i].period);
}

void suite_fit(CU_pSuite suite)
{
	CU_add_test(suite, "numbers of random functions", random_numbers);
	CU_add_test(suite, "what tables are looked up by", places_in_tables);
	CU_add_test(suite, "after how many entries they begin anew", periods);
}
