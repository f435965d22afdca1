/*
 * test_channels.c -- sums of random ends of many channels against the obvious way.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/channels.h"
#include "tests/unit.h"

struct random_end {
	struct channel channel;
	bool sends;
};

/* Of the channel of this end. */
static struct channel_sum sum_of(const struct random_end *end, uint32_t ends, uint32_t who)
{
	struct channel_sum sum = {end[who].channel, 0, 0};
	for (uint32_t i = 0; i < ends; i++) {
		bool same = !memcmp(&end[i].channel, &end[who].channel, sizeof end->channel);
		sum.sends += same && end[i].sends;
		sum.receives += same && !end[i].sends;
	}
	return sum;
}

/* Few senders with many channels crowd their buckets. */
static void test_random(void)
{
	uint64_t seed = 5;
	for (unsigned round = 0; round < rounds(20); round++) {
		uint32_t ends = 50 + round * 40, senders = 1 + round % 8;
		size_t known = 0;
		struct channels *c = channels_new(8);
		struct random_end *end = mem_zero(ends * sizeof *end);
		for (uint32_t i = 0; i < ends; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			end[i].channel = (struct channel){(uint32_t)(seed >> 60) % senders, (uint32_t)(seed >> 50) % 64,
				(uint32_t)(seed >> 40) % 3};
			end[i].sends = seed >> 33 & 1;
			channels_pass(c, &end[i].channel, end[i].sends, 1);
		}
		for (uint32_t i = 0; i < ends; i++) { /* channels stand in the order of their first ends */
			struct channel_sum sum = sum_of(end, i + 1, i), all = sum_of(end, ends, i);
			if (sum.sends + sum.receives > 1)
				continue;
			struct channel_sum got = channels_sum(c, known++);
			CU_ASSERT(!memcmp(&got.channel, &all.channel, sizeof all.channel));
			CU_ASSERT(got.sends == all.sends && got.receives == all.receives);
		}
		CU_ASSERT_EQUAL(channels_count(c), known);
		channels_free(c);
		free(end);
	}
}

/* 10^5 processes, each with channels of its own. */
static void test_many(void)
{
	struct channels *c = channels_new(100000);
	for (uint32_t i = 0; i < 400000; i++)
		channels_pass(c, &(struct channel){i / 4, (i / 4 + 1) % 100000, i % 4}, i % 3, 1);
	CU_ASSERT_EQUAL(channels_count(c), 400000);
	CU_ASSERT_EQUAL(channels_sum(c, 399999).channel.from, 99999);
	CU_ASSERT_EQUAL(channels_sum(c, 0).sends, 0);
	channels_free(c);
}

void suite_channels(CU_pSuite suite)
{
	CU_add_test(suite, "random ends", test_random);
	CU_add_test(suite, "many channels", test_many);
}
