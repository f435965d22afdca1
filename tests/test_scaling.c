/*
 * test_scaling.c -- functions of the number of processes.
 */
#include "fit/scaling.h"

#include <math.h>

#include "tests/rows.h"

static const double counts[] = {4, 8, 16, 32, 64, 128, 256};

static void test_laws(void)
{
	static const struct {
		const char *why, *prints;
		size_t points;
		double constant, factor, exponent, log, falling; /* the last one: times P^-1 */
	} cases[] = {
		{"what does not change", "5", 5, 5, 0, 0, 0, 0},
		{"nothing", "0", 5, 0, 0, 0, 0, 0},
		{"work that is divided", "100*P^-1", 5, 0, 0, 0, 0, 100},
		{"a surface in three dimensions", "50*P^(-2/3)", 5, 0, 50, -2. / 3, 0, 0},
		{"a tree", "2*log2(P) + 3", 5, 3, 2, 0, 1, 0},
		{"a tree behind work that is divided", "0.5*log2(P) + 100*P^-1", 5, 0, .5, 0, 1, 100},
		{"each with each, by stages", "0.01*P*log2(P)", 5, 0, .01, 1, 1, 0},
		{"three terms, of six", "0.1*P^(1/2) + 10 + 1e+03*P^-1", 6, 10, .1, .5, 0, 1000},
		{"a tree without its root", "4*log2(P) - 4", 5, -4, 4, 0, 1, 0},
		{"all others", "3*P - 3", 5, -3, 3, 1, 0, 0},
		{"a share that comes to an end", "0.9 - 2*P^-1", 5, .9, 0, 0, 0, -2},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		double value[COUNT(counts)];
		struct scaling s;
		struct text text = {0};
		double at = 4096;
		double want = 0;
		for (size_t k = 0; k <= cases[i].points; k++) {
			double p = k < cases[i].points ? counts[k] : at;
			want = cases[i].constant +
			       cases[i].factor * pow(p, cases[i].exponent) * pow(log2(p), cases[i].log) +
			       cases[i].falling / p;
			if (k < cases[i].points)
				value[k] = want;
		}
		ROW(cases[i].why, scaling_fit(counts, value, cases[i].points, &s));
		scaling_print(&s.best, &text);
		row_same(cases[i].why, text.data, cases[i].prints);
		struct scaling_range r = scaling_at(&s, at);
		ROW(cases[i].why, fabs(r.value - want) <= 1e-6 * want);
		ROW(cases[i].why, r.low <= want * (1 + 1e-6) && r.high >= want * (1 - 1e-6));
		ROW(cases[i].why, r.high - r.low <= 1e-4 * want);
		ROW(cases[i].why, s.from == 4 && s.to == counts[cases[i].points - 1]);
		text_clear(&text);
	}
}

/* Noise that is the same each time, between -1 and 1. */
static double noise(void)
{
	static unsigned seed = 1;
	seed = seed * 1103515245u + 12345u;
	return (double)(seed >> 16 & 0x7fff) / 16384 - 1;
}

static void test_noise(void)
{
	size_t held = 0, near = 0, runs = 200;
	for (size_t run = 0; run < runs; run++) {
		double value[COUNT(counts)];
		struct scaling s;
		for (size_t i = 0; i < 6; i++)
			value[i] = (3 + 2 * log2(counts[i])) * (1 + .03 * noise());
		CU_ASSERT_TRUE(scaling_fit(counts, value, 6, &s));
		struct scaling_range r = scaling_at(&s, 512);
		held += r.low <= 21 && r.high >= 21;
		near += fabs(r.value / 21 - 1) < .05;
	}
	CU_ASSERT_TRUE(held >= runs * 95 / 100);
	CU_ASSERT_TRUE(near >= runs * 90 / 100);
}

static void test_refusals(void)
{
	static const struct {
		const char *why;
		double processes[6], value[6];
		size_t count;
	} cases[] = {
		{"four process counts", {4, 8, 16, 32}, {1, 2, 3, 4}, 4},
		{"four of six runs", {4, 8, 8, 16, 32, 32}, {1, 2, 2, 3, 4, 4}, 6},
		{"time that is below nothing", {4, 8, 16, 32, 64}, {1, 2, -1, 3, 4}, 5},
		{"no number", {4, 8, 16, 32, 64}, {1, 2, NAN, 3, 4}, 5},
		{"no processes", {0, 8, 16, 32, 64}, {1, 2, 3, 3, 4}, 5},
	};
	struct scaling s;
	for (size_t i = 0; i < COUNT(cases); i++)
		ROW(cases[i].why, !scaling_fit(cases[i].processes, cases[i].value, cases[i].count, &s));
}

static void test_repeats(void)
{
	static const double processes[] = {4, 4, 8, 8, 16, 32, 64, 64},
			    value[] = {25, 25, 12, 13, 6.25, 3.125, 1.5, 1.625};
	struct scaling s;
	struct text text = {0};
	CU_ASSERT_TRUE(scaling_fit(processes, value, COUNT(value), &s));
	scaling_print(&s.best, &text);
	row_same("runs of one process count are several measurements", text.data, "99.8*P^-1");
	CU_ASSERT_TRUE(scaling_at(&s, 64).low < 1.5 && scaling_at(&s, 64).high > 1.625);
	text_clear(&text);
}

void suite_scaling(CU_pSuite suite)
{
	CU_add_test(suite, "laws", test_laws);
	CU_add_test(suite, "noise", test_noise);
	CU_add_test(suite, "refusals", test_refusals);
	CU_add_test(suite, "repeats", test_repeats);
}
