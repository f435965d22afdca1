/*
 * test_matching.c -- k-th with k-th: rows of one channel, and random sides of several against the
 * obvious way.
 */
#include <stdlib.h>
#include <string.h>

#include "model/matching.h"
#include "tests/rows.h"

#define SIDES 4

/*
 * Ends as an owner, its side, and first..past of its numbers (with a key behind it, perhaps);
 * matches as the one who comes later, the one who came first, and how many.
 */
static const struct {
	const char *why, *ends, *matches;
} rows[] = {
	{"nothing", "", ""},
	{"alone", "a0:0-5", ""},
	{"one with one", "a0:0-1 b1:0-1", "ba1"},
	{"only what both have", "a0:0-4 b1:2-9", "ba2"},
	{"nothing in common", "a0:0-4 b1:4-9", ""},
	{"one with several", "a0:0-2 b0:2-4 c1:0-4", "ca2 cb2"},
	{"several with one", "a0:0-4 b1:0-1 c1:1-4", "ba1 ca3"},
	{"the other side comes first", "b1:0-2 a0:0-1 c0:1-2", "ab1 cb1"},
	{"by turns", "a0:0-1 b1:0-2 c0:1-3 d1:2-3", "ba1 cb1 dc1"},
	{"of its own side it meets nothing", "a0:0-1 b0:1-2", ""},
	{"numbers left out", "a0:0-1 b0:5-6 c1:3-4 d1:5-6", "db1"},
	{"behind those who went before", "a0:7-8 b1:3-4 c1:7-8", "ca1"},
	{"across a hole", "a0:0-2 b0:6-8 c1:0-8", "ca2 cb2"},
	{"members meet whoever was there first", "a0:0-3 b1:0-3 c2:0-3", "ba3 ca3"},
	{"... in what he left out, the next one", "a0:0-1 b0:4-5 c1:0-5 d2:0-5", "ca1 cb1 da1 dc3 db1"},
	{"other keys do not meet", "a0:0-1:7 b1:0-1:8 c2:0-1:7 d3:0-1:8", "ca1 db1"},
	{"no messages", "a0:3-3 b1:3-4 c0:3-4", "cb1"},
	{"very many", "a0:0-18446744073709551615 b1:1-18446744073709551615", "ba18446744073709551614"},
};

static void match_row(const char *ends, struct text *out)
{
	struct matching m = {0};
	uint32_t channel = MATCHING_NONE, side[SIDES] = {MATCHING_NONE, MATCHING_NONE, MATCHING_NONE, MATCHING_NONE};
	while (*ends) {
		char *next;
		struct match_end end = {.owner = (uint32_t)ends[0]};
		uint32_t who = (uint32_t)(ends[1] - '0');
		end.first = strtoull(ends + 3, &next, 10);
		end.past = strtoull(next + 1, &next, 10);
		if (*next == ':')
			end.key = (uint32_t)strtoul(next + 1, &next, 10);
		struct match match;
		while (matching_next(&m, &channel, &side[who], &end, &match))
			text_format(out, "%s%c%c%llu", out->length ? " " : "", ends[0], (int)match.owner,
				(unsigned long long)match.count);
		ends = next + (*next == ' ');
	}
	matching_clear(&m);
}

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text got = {0};
		text_put(&got, "");
		match_row(rows[i].ends, &got);
		row_same(rows[i].why, got.data, rows[i].matches);
		text_clear(&got);
	}
}

/* ------------------------------------------------------------------ many sides */

enum { CHANNELS = 3, NUMBERS = 60, STEPS = 400 };

/* By channel and number: who was the first to come. */
static uint32_t first[CHANNELS][NUMBERS];

/* Sides come by in random order, each with single numbers and intervals, and leave some out. */
static void random_round(uint64_t *seed)
{
	struct matching m = {0};
	uint32_t channel[CHANNELS], side[CHANNELS][SIDES];
	uint64_t passed[CHANNELS][SIDES] = {{0}};
	memset(channel, 0xff, sizeof channel);
	memset(side, 0xff, sizeof side);
	memset(first, 0xff, sizeof first);
	for (uint32_t owner = 0; owner < STEPS; owner++) {
		*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint32_t c = (uint32_t)(*seed >> 60) % CHANNELS, s = (uint32_t)(*seed >> 50) % SIDES;
		uint64_t from = passed[c][s] + (*seed >> 40) % 3, past = from + (*seed >> 33) % 4;
		if (past > NUMBERS)
			continue;
		passed[c][s] = past;
		struct match_end end = {from, past, owner, 0};
		struct match match;
		for (uint64_t k = from; k < past; k++) {
			if (first[c][k] != MATCHING_NONE)
				continue;
			first[c][k] = owner;
		}
		uint64_t k = from;
		while (matching_next(&m, &channel[c], &side[c][s], &end, &match)) {
			while (k < past && first[c][k] == owner)
				k++;
			for (uint64_t i = 0; i < match.count; i++, k++)
				ROW("a random interval", k < past && first[c][k] == match.owner);
		}
		while (k < past && first[c][k] == owner)
			k++;
		ROW("nothing is left out", k == past);
	}
	matching_clear(&m);
}

static void test_random(void)
{
	uint64_t seed = 11;
	for (unsigned round = 0; round < rounds(50); round++)
		random_round(&seed);
}

void suite_matching(CU_pSuite suite)
{
	CU_add_test(suite, "rows", test_rows);
	CU_add_test(suite, "random sides", test_random);
}
