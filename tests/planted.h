/*
 * planted.h -- simulated programs with faults that are known, and each with a healthy control.
 *
 *	for (size_t i = 0; i < planted_count; i++) {
 *		struct simulated *s = planted_run(&planted[i], seed, noise, true);
 *		... planted[i].region, .kind, .ranks, .iterations: to be told of it
 *		simulated_free(s);
 *	}
 */
#ifndef TRACENEST_TESTS_PLANTED_H
#define TRACENEST_TESTS_PLANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/simulated.h"

struct planting {
	uint32_t ranks;
	double amount; /* of the fault: 0 in the control, else 1 */
};

struct planted {
	const char *why;
	void (*program)(struct simulated *, uint32_t rank, const struct planting *);
	uint32_t ranks;
	struct network net;
	/* where the loss is: "flush|rhs" with regions, and with call paths, on which only those are
	   that call MPI */
	const char *region;
	const char *bare; /* the same where the archive has MPI's regions alone */
	/* words of the first three lines; kind: "serial stage|slow computation" with regions, and bare */
	const char *kind, *culprits, *iterations;
};

extern const struct planted planted[];
extern const size_t planted_count;

/* A run of it, or of its control; the caller's. */
struct simulated *planted_run(const struct planted *, uint64_t seed, double noise, bool faulty);

#endif
