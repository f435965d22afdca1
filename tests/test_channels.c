/*
 * test_channels.c -- first in, first out: rows of one channel, and random ends of many against the
 * obvious way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/channels.h"
#include "base/mem.h"
#include "base/text.h"
#include "tests/rows.h"
#include "tests/unit.h"

/*
 * Ends as an owner, + for sends and - for receives, and how many; matches as the two owners and how
 * many.
 */
static const struct {
	const char *why, *ends, *all, *balanced;
} rows[] = {
	{"nothing", "", "", ""},
	{"a message", "a+1 b-1", "ab1", "ab1"},
	{"received before it is sent", "b-1 a+1", "ab1", "ab1"},
	{"the first sent is the first received", "a+1 b+1 c-1 d-1", "ac1 bd1", "ac1 bd1"},
	{"several at once", "a+5 b-2 c-3", "ab2 ac3", "ab2 ac3"},
	{"several of several", "a+2 b+2 c-3 d-1", "ac2 bc1 bd1", "ac2 bc1 bd1"},
	{"ahead, then behind", "a-1 b+2 c-2 d+1", "ba1 bc1 dc1", "ba1 bc1 dc1"},
	{"one that nobody receives", "a+2 b-1", "ab1", ""},
	{"one that nobody sends", "a-1 b+1 c-1", "ba1", ""},
	{"no messages", "a+0 b-0", "", ""},
	{"the same owner", "a+1 a-1", "aa1", "aa1"},
	{"very many", "a+18446744073709551615 b+1 c-18446744073709551615", "ac18446744073709551615",
		"ac18446744073709551615"},
};

static void add_row(struct channels *c, const char *ends)
{
	while (*ends) {
		char *next;
		bool sends = ends[1] == '+';
		uint64_t count = strtoull(ends + 2, &next, 10);
		channels_add(c, &(struct channel){3, 1, 7}, sends, count, (uint32_t)ends[0]);
		ends = next + (*next == ' ');
	}
}

static void put_match(void *context, const struct channel_match *m)
{
	struct text *t = context;
	CU_ASSERT(m->channel.from == 3 && m->channel.to == 1 && m->channel.tag == 7);
	text_format(t, "%s%c%c%llu", t->length ? " " : "", (int)m->from, (int)m->to, (unsigned long long)m->count);
}

static void test_rows(void)
{
	struct channels *c = channels_new(4);
	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		enum channels_which which = i % 2 ? CHANNELS_BALANCED : CHANNELS_ALL;
		const char *wanted = i % 2 ? rows[i / 2].balanced : rows[i / 2].all;
		struct text got = {0};
		text_put(&got, "");
		add_row(c, rows[i / 2].ends);
		channels_match(c, which, put_match, &got);
		row_same(rows[i / 2].why, got.data, wanted);
		text_clear(&got);
		channels_empty(c); /* the next row finds nothing of this one */
		CU_ASSERT(!channels_count(c) && !channels_ends(c));
	}
	channels_free(c);
}

/* ------------------------------------------------------------------ many channels */

struct random_end {
	struct channel channel;
	bool sends;
};

struct checking {
	const struct random_end *end;
	uint32_t *partner; /* by owner */
};

static void keep_match(void *context, const struct channel_match *m)
{
	struct checking *c = context;
	CU_ASSERT(m->count == 1 && c->end[m->from].sends && !c->end[m->to].sends);
	CU_ASSERT(!memcmp(&c->end[m->from].channel, &m->channel, sizeof m->channel));
	c->partner[m->from] = m->to;
	c->partner[m->to] = m->from;
}

/* The k-th of one side is with the k-th of the other. */
static uint32_t partner_of(const struct random_end *end, uint32_t ends, uint32_t who)
{
	uint32_t before = 0;
	for (uint32_t i = 0; i < who; i++)
		before += end[i].sends == end[who].sends &&
			  !memcmp(&end[i].channel, &end[who].channel, sizeof end->channel);
	for (uint32_t i = 0; i < ends; i++)
		if (end[i].sends != end[who].sends &&
			!memcmp(&end[i].channel, &end[who].channel, sizeof end->channel) && !before--)
			return i;
	return UINT32_MAX;
}

/* Few senders with many channels crowd their buckets. */
static void test_random(void)
{
	uint64_t seed = 5;
	struct channels *c = channels_new(8);
	for (unsigned round = 0; round < rounds(20); round++) {
		uint32_t ends = 50 + round * 40, senders = 1 + round % 8;
		struct random_end *end = mem_zero(ends * sizeof *end);
		uint32_t *partner = mem_array(ends, sizeof *partner);
		memset(partner, 0xff, ends * sizeof *partner);
		for (uint32_t i = 0; i < ends; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			end[i].channel = (struct channel){(uint32_t)(seed >> 60) % senders, (uint32_t)(seed >> 50) % 64,
				(uint32_t)(seed >> 40) % 3};
			end[i].sends = seed >> 33 & 1;
			channels_add(c, &end[i].channel, end[i].sends, 1, i);
		}
		channels_match(c, CHANNELS_ALL, keep_match, &(struct checking){end, partner});
		for (uint32_t i = 0; i < ends; i++)
			CU_ASSERT(partner[i] == partner_of(end, ends, i));
		channels_empty(c);
		free(partner);
		free(end);
	}
	channels_free(c);
}

/* 10^5 processes, each with channels of its own. */
static void test_many(void)
{
	struct channels *c = channels_new(100000);
	for (uint32_t i = 0; i < 400000; i++)
		channels_add(c, &(struct channel){i / 4, (i / 4 + 1) % 100000, i % 4}, i % 3, 1, i);
	CU_ASSERT_EQUAL(channels_count(c), 400000);
	CU_ASSERT_EQUAL(channels_sum(c, 399999).channel.from, 99999);
	CU_ASSERT_EQUAL(channels_sum(c, 0).sends, 0);
	channels_free(c);
}

void suite_channels(CU_pSuite suite)
{
	CU_add_test(suite, "rows", test_rows);
	CU_add_test(suite, "random ends", test_random);
	CU_add_test(suite, "many", test_many);
}
