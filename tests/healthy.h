/*
 * healthy.h -- simulated programs that lose next to nothing: edges that talk less, colours, inner
 * loops, roles.
 *
 *	struct simulated *s = healthy_run(&healthy[i], seed, 0.01);
 *	... nobody is to be accused
 */
#ifndef TRACENEST_TESTS_HEALTHY_H
#define TRACENEST_TESTS_HEALTHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/simulated.h"

struct healthy {
	const char *why;
	void (*program)(struct simulated *, uint32_t rank, uint32_t ranks);
	uint32_t ranks;
};

extern const struct healthy healthy[];
extern const size_t healthy_count;

/* A run of it; the caller's. */
struct simulated *healthy_run(const struct healthy *, uint64_t seed, double noise);

/* A program at random, of up to four steps an iteration; faulty: in one of them one rank, the
   culprit, computes five times as long. The caller's. */
struct simulated *random_run(uint64_t seed, double noise, bool faulty, uint32_t *culprit);

#endif
