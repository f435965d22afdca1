/*
 * test_ranks.c -- sets of ranks: the tables say what is meant, a plain bit set is the oracle for
 * random operations.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ranks.h"
#include "tests/unit.h"

static struct ranks parse(const char *text)
{
	struct ranks set = {0};
	struct error error;
	if (*text)
		CU_ASSERT_FATAL(ranks_parse(&set, &text, &error) && !*text);
	return set;
}

static bool prints_as(const struct ranks *set, const char *expected)
{
	struct text text = {0};
	ranks_print(set, &text);
	bool same = !strcmp(text.data, expected);
	if (!same)
		fprintf(stderr, "\n  is '%s', should be '%s'\n", text.data, expected);
	text_clear(&text);
	return same;
}

static void adding(void)
{
	static const struct {
		const char *why, *set;
		uint32_t first, last;
		const char *result;
	} cases[] = {
		{"into the empty set", "", 3, 3, "3"},
		{"at the end, apart", "0-3", 5, 5, "0-3,5"},
		{"at the end, touching", "0-3", 4, 4, "0-4"},
		{"twice", "0-3", 2, 2, "0-3"},
		{"before everything", "5", 0, 0, "0,5"},
		{"before everything, touching", "5", 4, 4, "4-5"},
		{"between two, touching none", "0,9", 4, 5, "0,4-5,9"},
		{"between two, touching the lower", "0-3,9", 4, 5, "0-5,9"},
		{"between two, touching the upper", "0,9", 4, 8, "0,4-9"},
		{"closing a gap", "0-3,5-9", 4, 4, "0-9"},
		{"over several", "1,3,5,7,9", 2, 8, "1-9"},
		{"over everything", "1,3,5", 0, 9, "0-9"},
		{"inside", "0-9,20", 3, 4, "0-9,20"},
		{"the last rank there is", "0", RANK_LIMIT - 1, RANK_LIMIT - 1, "0,4194303"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ranks set = parse(cases[i].set);
		ranks_add_run(&set, cases[i].first, cases[i].last);
		if (!prints_as(&set, cases[i].result))
			CU_FAIL_FATAL(cases[i].why);
		ranks_clear(&set);
	}
}

static void patterns(void)
{
	static const struct {
		const char *why, *text, *runs, *shortest;
	} cases[] = {
		{"a run", "0-15", "0-15", "0-15"},
		{"a strided run", "1-15:2", "1,3,5,7,9,11,13,15", "1-15:2"},
		{"a stride that misses the end", "0-9:4", "0,4,8", "0,4,8"},
		{"a stride of one", "3-5:1", "3-5", "3-5"},
		{"a group repeated", "(1-3)+4*4", "1-3,5-7,9-11,13-15", "(1-3)+4*4"},
		{"once", "(1-3)+4*1", "1-3", "1-3"},
		{"groups that touch", "(0-3)+4*4", "0-15", "0-15"},
		{"a group of two", "(0-1,4)+8*3", "0-1,4,8-9,12,16-17,20", "(0-1,4)+8*3"},
		{"nested", "((1-2)+4*3)+16*3", "1-2,5-6,9-10,17-18,21-22,25-26,33-34,37-38,41-42", "((1-2)+4*3)+16*3"},
		{"behind others", "0,(4-5)+3*4,20", "0,4-5,7-8,10-11,13-14,20", "0,(4-5)+3*4,20"},
		{"too short to pay", "0,4,8", "0,4,8", "0,4,8"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ranks set = parse(cases[i].text);
		struct text text = {0};
		ranks_print_short(&set, &text);
		if (!prints_as(&set, cases[i].runs) || strcmp(text.data, cases[i].shortest)) {
			fprintf(stderr, "\n  '%s', should be '%s'\n", text.data, cases[i].shortest);
			CU_FAIL(cases[i].why);
		}
		text_clear(&text);
		ranks_clear(&set);
	}
}

static void bad_patterns(void)
{
	static const char *const cases[] = {"0-3,2", "3-0", "0-6:0", "(0)+0*3", "(0)+3*0", "(0-3)+3*2", "(0,2)+1*2",
		"(0-1)+4", "(0-1", "()+1*2", "(0)+4194303*3",
		"((((((((((((((((((0)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1)+1*1"};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ranks set = {0};
		struct error error = {0};
		const char *at = cases[i];
		if (ranks_parse(&set, &at, &error) || error.kind != ERROR_INPUT || set.length)
			CU_FAIL(cases[i]);
		ranks_clear(&set);
	}
}

/* Sets with some regularity, written short, are read back, and are never longer than their runs. */
static void random_patterns(void)
{
	for (unsigned round = 0; round < rounds(2000); round++) {
		struct ranks set = {0}, again = {0};
		struct text text = {0}, runs = {0};
		struct error error;
		uint32_t stride = 1 + (uint32_t)rand() % 9, limit = 1 + (uint32_t)rand() % 200;
		for (uint32_t p = 0; p < limit; p++)
			if (p % stride <= round % 4 && rand() % 30)
				ranks_add(&set, p);
		ranks_print_short(&set, &text);
		ranks_print(&set, &runs);
		const char *at = text.data;
		CU_ASSERT_FATAL(text.length <= runs.length);
		CU_ASSERT_FATAL(!set.length || (ranks_parse(&again, &at, &error) && !*at && ranks_equal(&set, &again)));
		text_clear(&text);
		text_clear(&runs);
		ranks_clear(&set);
		ranks_clear(&again);
	}
}

static void conditions(void)
{
	static const struct {
		const char *set;
		uint32_t limit;
		const char *condition;
	} cases[] = {
		{"0-15", 16, "1"},
		{"0-14", 16, "p <= 14"},
		{"1-15", 16, "p >= 1"},
		{"3", 16, "p == 3"},
		{"3-5", 16, "p >= 3 && p <= 5"},
		{"0-14:2", 16, "p % 2 == 0"},
		{"1-15:2", 16, "p % 2 == 1"},
		{"(1-3)+4*4", 16, "p % 4 >= 1"},
		{"(1-3)+4*2", 16, "((p >= 1 && p <= 3) || (p >= 5 && p <= 7))"},
		{"(5-7)+4*3", 16, "p >= 4 && p % 4 >= 1"},
		{"((17-18)+4*3)+16*2", 64, "p >= 16 && p <= 47 && p % 16 <= 11 && p % 16 % 4 >= 1 && p % 16 % 4 <= 2"},
		{"0,5-6", 16, "(p == 0 || (p >= 5 && p <= 6))"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ranks set = parse(cases[i].set);
		struct text text = {0};
		ranks_print_condition(&set, cases[i].limit, "p", &text);
		if (strcmp(text.data, cases[i].condition)) {
			fprintf(stderr, "\n  '%s', should be '%s'\n", text.data, cases[i].condition);
			CU_FAIL(cases[i].set);
		}
		text_clear(&text);
		ranks_clear(&set);
	}
}

static void operations(void)
{
	static const struct {
		const char *why, *a, *b, *both, *common, *only_a;
	} cases[] = {
		{"empty sets", "", "", "", "", ""},
		{"with the empty set", "0-3", "", "0-3", "", "0-3"},
		{"the empty set with", "", "0-3", "0-3", "", ""},
		{"equal", "0-3,8", "0-3,8", "0-3,8", "0-3,8", ""},
		{"apart", "0-3", "8", "0-3,8", "", "0-3"},
		{"touching", "0-3", "4-7", "0-7", "", "0-3"},
		{"overlapping", "0-5", "3-8", "0-8", "3-5", "0-2"},
		{"inside", "0-9", "3-4", "0-9", "3-4", "0-2,5-9"},
		{"one run over many", "0,2,4,6", "1-5", "0-6", "2,4", "0,6"},
		{"many in one run", "0-9", "1,3,5", "0-9", "1,3,5", "0,2,4,6-9"},
		{"a run of b over the end of two of a", "0-4,6-9", "3-7", "0-9", "3-4,6-7", "0-2,8-9"},
		{"up to the last rank", "0-4194303", "4194303", "0-4194303", "4194303", "0-4194302"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ranks a = parse(cases[i].a), b = parse(cases[i].b), result = {0};
		bool good = true;
		ranks_unite(&result, &a, &b);
		good &= prints_as(&result, cases[i].both);
		ranks_intersect(&result, &a, &b);
		good &= prints_as(&result, cases[i].common);
		good &= ranks_meet(&a, &b) == (result.length > 0);
		good &= ranks_within(&a, &b) == ranks_equal(&a, &result);
		ranks_subtract(&result, &a, &b);
		good &= prints_as(&result, cases[i].only_a);
		ranks_join(&result, &b);
		good &= prints_as(&result, cases[i].both);
		ranks_remove(&result, &b);
		good &= prints_as(&result, cases[i].only_a);
		if (!good)
			CU_FAIL_FATAL(cases[i].why);
		ranks_clear(&a);
		ranks_clear(&b);
		ranks_clear(&result);
	}
}

static void reading(void)
{
	static const struct {
		const char *why, *text, *set /* NULL: refused */, *rest;
	} cases[] = {
		{"one rank", "7", "7", ""},
		{"runs", "0-3,8-11", "0-3,8-11", ""},
		{"stops at what is no part of a set", "0-3 sync", "0-3", " sync"},
		{"stops at a communicator", "0-3@2", "0-3", "@2"},
		{"touching runs become one", "0,1,2-4", "0-4", ""},
		{"a run of one", "3-3", "3", ""},
		{"the last rank", "4194303", "4194303", ""},
		{"one too many", "4194304", NULL, NULL},
		{"huge", "99999999999999999999999999", NULL, NULL},
		{"empty", "", NULL, NULL},
		{"no digit", "x", NULL, NULL},
		{"negative", "-3", NULL, NULL},
		{"backwards", "5-3", NULL, NULL},
		{"twice", "3,3", NULL, NULL},
		{"out of order", "5,3", NULL, NULL},
		{"overlapping", "0-5,3-8", NULL, NULL},
		{"comma at the end", "3,", NULL, NULL},
		{"comma at the start", ",3", NULL, NULL},
		{"two commas", "3,,4", NULL, NULL},
		{"dash at the end", "3-", NULL, NULL},
		{"two dashes", "3-5-7", NULL, NULL},
		{"leading zero", "03", NULL, NULL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ranks set = {0};
		struct error error = {0};
		const char *at = cases[i].text;
		bool read = ranks_parse(&set, &at, &error);
		bool good = cases[i].set ? read && prints_as(&set, cases[i].set) && !strcmp(at, cases[i].rest)
					 : !read && error.kind == ERROR_INPUT && *error.message && !set.length &&
						   at == cases[i].text;
		if (!good)
			CU_FAIL_FATAL(cases[i].why);
		ranks_clear(&set);
	}
}

static void walking(void)
{
	struct ranks set = parse("0,4-6,9"), copy = {0};
	static const uint32_t members[] = {0, 4, 5, 6, 9};
	struct ranks_walk walk = {0};
	size_t n = 0;
	for (uint32_t rank; ranks_next(&set, &walk, &rank); n++)
		CU_ASSERT_FATAL(n < 5 && rank == members[n]);
	CU_ASSERT(n == 5);
	CU_ASSERT(ranks_count(&set) == 5);
	ranks_copy(&copy, &set);
	CU_ASSERT(ranks_equal(&copy, &set));
	ranks_copy(&copy, &(struct ranks){0});
	CU_ASSERT(!copy.length && ranks_count(&copy) == 0);
	ranks_clear(&copy);
	ranks_clear(&set);
}

/* ---------------------------------------------------------- random operations against a bit set */

#define UNIVERSE 64

static struct ranks from_bits(uint64_t bits)
{
	struct ranks set = {0};
	uint32_t order[UNIVERSE], n = 0;
	for (uint32_t r = 0; r < UNIVERSE; r++)
		if (bits >> r & 1)
			order[n++] = r;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = (uint32_t)rand() % i, swap = order[i - 1];
		order[i - 1] = order[j];
		order[j] = swap;
	}
	for (uint32_t i = 0; i < n; i++)
		ranks_add(&set, order[i]);
	return set;
}

static uint64_t to_bits(const struct ranks *set)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < set->length; i++) {
		CU_ASSERT_FATAL(set->run[i].first <= set->run[i].last);
		CU_ASSERT_FATAL(!i || set->run[i - 1].last + 1 < set->run[i].first);
		for (uint32_t r = set->run[i].first; r <= set->run[i].last; r++)
			bits |= UINT64_C(1) << r;
	}
	return bits;
}

static uint64_t random_bits(void)
{
	uint64_t bits = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();
	return rand() % 2 ? bits : bits & bits << 1 & bits << 2;
}

static void random_sets(void)
{
	srand(1);
	for (unsigned n = 0; n < rounds(2000); n++) {
		uint64_t x = random_bits(), y = random_bits();
		struct ranks a = from_bits(x), b = from_bits(y), result = {0}, again = {0};
		CU_ASSERT_FATAL(to_bits(&a) == x);
		ranks_unite(&result, &a, &b);
		CU_ASSERT_FATAL(to_bits(&result) == (x | y));
		ranks_subtract(&result, &a, &b);
		CU_ASSERT_FATAL(to_bits(&result) == (x & ~y));
		ranks_intersect(&result, &a, &b);
		CU_ASSERT_FATAL(to_bits(&result) == (x & y));
		CU_ASSERT_FATAL(ranks_meet(&a, &b) == !!(x & y));
		CU_ASSERT_FATAL(ranks_within(&result, &a) && ranks_within(&a, &b) == !(x & ~y));
		CU_ASSERT_FATAL(ranks_equal(&a, &b) == (x == y));
		CU_ASSERT_FATAL(ranks_count(&a) == (unsigned)__builtin_popcountll(x));
		for (uint32_t r = 0; r < UNIVERSE; r++)
			CU_ASSERT_FATAL(ranks_has(&a, r) == (x >> r & 1));
		if (x) {
			struct text text = {0};
			struct error error;
			ranks_print(&a, &text);
			const char *at = text.data;
			CU_ASSERT_FATAL(ranks_parse(&again, &at, &error) && !*at && ranks_equal(&a, &again));
			text_clear(&text);
		}
		ranks_clear(&a);
		ranks_clear(&b);
		ranks_clear(&result);
		ranks_clear(&again);
	}
}

void suite_ranks(CU_pSuite suite)
{
	CU_add_test(suite, "strides and groups", patterns);
	CU_add_test(suite, "bad strides and groups", bad_patterns);
	CU_add_test(suite, "random sets, written short", random_patterns);
	CU_add_test(suite, "sets as conditions in C", conditions);
	CU_add_test(suite, "adding to a set", adding);
	CU_add_test(suite, "union, intersection, difference", operations);
	CU_add_test(suite, "reading sets", reading);
	CU_add_test(suite, "walking over a set", walking);
	CU_add_test(suite, "random sets equal bit sets", random_sets);
}
