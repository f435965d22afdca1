/*
 * test_series.c -- what is pushed is read again, in the memory of what does not repeat.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/series.h"
#include "tests/rows.h"
#include "tests/unit.h"

static int64_t constant(uint64_t i)
{
	(void)i;
	return 16000;
}
static int64_t rising(uint64_t i)
{
	return 1600 + 80 * (int64_t)i;
}
static int64_t alternating(uint64_t i)
{
	return i & 1 ? 880 : 800;
}
static int64_t levels(uint64_t i)
{
	static const int64_t level[] = {8, 32, 128, 512, 2048, 512, 128, 32};
	return level[i % COUNT(level)];
}
static int64_t nested(uint64_t i)
{
	return 1000 + 100 * (int64_t)(i / 50 % 20) + 4 * (int64_t)(i % 50);
}
static int64_t growing(uint64_t i)
{
	return 7 * (int64_t)(i / 100) * (int64_t)(i % 100);
}
static int64_t far_apart(uint64_t i)
{
	return i % 3 == 0 ? INT64_MIN : i % 3 == 1 ? INT64_MAX : 0;
}
static int64_t pairs(uint64_t i)
{
	return (int64_t)(hash_mix(i / 2) % 1000);
}
static int64_t scattered(uint64_t i)
{
	return (int64_t)(hash_mix(i) % 60000);
}
static int64_t long_period(uint64_t i)
{
	return (int64_t)(hash_mix(i % 3000) % 60000);
}

static const struct {
	const char *why;
	int64_t (*number)(uint64_t i);
	uint64_t length;
	size_t bytes; /* at most */
} cases[] = {
	{"none", constant, 0, 0},
	{"one", constant, 1, 3},
	{"two that differ", rising, 2, 5},
	{"the same always", constant, 1000000, 7},
	{"one that rises", rising, 1000000, 8},
	{"two in turn", alternating, 1000000, 20},
	{"the levels of a multigrid cycle", levels, 800000, 40},
	{"a rise in two loops, begun anew in a third", nested, 1000000, 50},
	{"a rise that rises", growing, 100000, 8 * 1000},
	{"numbers as far apart as can be", far_apart, 1000, 60},
	{"equal pairs are runs", pairs, 10000, 6 * 5000},
	{"nothing repeats: 17 bits for a distance", scattered, 100000, 220 * 1000},
	{"a period as long as is looked for", long_period, 300000, 3 * 3100},
};

static void lossless(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct series *s = series_new();
		for (uint64_t k = 0; k < cases[i].length; k++)
			series_push(s, cases[i].number(k));
		series_finish(s);
		bool small = series_bytes(s) <= cases[i].bytes;
		if (!small)
			printf("%s: %zu bytes\n", cases[i].why, series_bytes(s));
		CU_ASSERT(small);
		CU_ASSERT(series_length(s) == cases[i].length);
		struct series_cursor *c = series_read(s);
		int64_t number;
		uint64_t right = 0;
		while (series_next(c, &number) && number == cases[i].number(right))
			right++;
		if (right != cases[i].length)
			printf("%s: the number at %llu differs\n", cases[i].why, (unsigned long long)right);
		CU_ASSERT(right == cases[i].length);
		series_cursor_free(c);
		c = series_drain(s);
		for (right = 0; series_next(c, &number) && number == cases[i].number(right);)
			right++;
		CU_ASSERT(right == cases[i].length && !series_bytes(s));
		for (int again = 0; again < 3; again++)
			ROW(cases[i].why, series_ended(c) && !series_next(c, &number));
		series_cursor_free(c);
		series_free(s);
	}
}

/* Who asks for more than there are is told so, and has got those that there are. */
static void used_up(void)
{
	static const struct {
		const char *why;
		uint64_t asked[3], length;
	} rows[] = {
		{"all at once", {1000, 0, 1}, 1000},
		{"one by one, and once more", {1, 999, 1}, 1000},
		{"more than there are", {1001, 1, 1}, 1000},
		{"more than the rest", {600, 600, 600}, 1000},
		{"of none", {1, 1, 1}, 0},
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t k = 0; k < 2 * COUNT(cases); k++) {
			struct series *s = series_new(), *to = series_new();
			for (uint64_t n = 0; n < rows[i].length; n++)
				series_push(s, cases[k / 2].number(n));
			series_finish(s);
			struct series_cursor *c = k % 2 ? series_drain(s) : series_read(s);
			uint64_t rest = rows[i].length;
			for (size_t a = 0; a < COUNT(rows[i].asked); a++) {
				uint64_t asked = rows[i].asked[a];
				ROW(rows[i].why, series_move(c, asked, to) == (asked <= rest));
				rest -= asked < rest ? asked : rest;
				ROW(rows[i].why, series_ended(c) == !rest);
			}
			ROW(rows[i].why, series_length(to) == rows[i].length);
			series_cursor_free(c);
			series_free(s);
			series_free(to);
		}
}

/* Numbers of few kinds, in loops of random lengths. */
static void random_series(void)
{
	uint64_t seed = 1;
	for (unsigned round = 0; round < rounds(200); round++) {
		size_t length = 0, capacity = 0;
		int64_t *number = NULL, at = 0;
		struct series *s = series_new(), *again = series_new();
		while (length < 2000) {
			uint64_t body = hash_mix(seed++) % 9 + 1, times = hash_mix(seed++) % 30 + 1, start = seed;
			for (uint64_t k = 0; k < body * times; k++) {
				uint64_t draw = hash_mix(start + k % body);
				at = draw % 3 ? (int64_t)(draw % 7) * 10 : at + (int64_t)(draw % 5);
				number = mem_grow(number, &capacity, length + 1, sizeof *number);
				number[length++] = at;
			}
			seed += body;
		}
		for (size_t k = 0; k < length; k++)
			series_push(s, number[k]);
		for (size_t k = 0, same; k < length; k += same) {
			for (same = 1; k + same < length && number[k + same] == number[k];)
				same++;
			series_push_times(again, number[k], same);
		}
		series_finish(s);
		series_finish(again);
		CU_ASSERT(series_equal(s, again));
		struct series_cursor *c = series_read(s);
		int64_t read, stride;
		size_t right = 0;
		for (uint64_t run; (run = series_run(c, &read, &stride)) > 0;) {
			for (uint64_t k = 0; k < run; k++)
				right += number[right] == read + (int64_t)k * stride;
			series_skip(c, run);
		}
		CU_ASSERT(right == length);
		series_cursor_free(c);
		series_free(s);
		series_free(again);
		free(number);
	}
}

static void constants(void)
{
	int64_t number;
	struct series *s = series_new();
	CU_ASSERT(!series_constant(s, &number));
	series_push_times(s, 5, 10);
	CU_ASSERT(series_constant(s, &number) && number == 5);
	series_push(s, 6);
	CU_ASSERT(!series_constant(s, &number));
	series_free(s);
}

void suite_series(CU_pSuite suite)
{
	CU_add_test(suite, "what is pushed is read again, and is small where it repeats", lossless);
	CU_add_test(suite, "a series that is used up says so", used_up);
	CU_add_test(suite, "random series", random_series);
	CU_add_test(suite, "constants", constants);
}
