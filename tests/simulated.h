/*
 * simulated.h -- message-passing programs in virtual time: archives whose waiting is known.
 *
 *	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, 16, seed, 0.02);
 *	for (uint32_t rank = 0; rank < 16; rank++) {		-- what each rank does, one after the other
 *		for (uint64_t i = 0; i < 100; i++) {
 *			do_iteration(s, rank, i);		-- for the truth alone
 *			do_enter(s, rank, "smooth");
 *			do_compute(s, rank, 1e-3);
 *			do_irecv(s, rank, left, 7);
 *			do_isend(s, rank, right, 7, 8192);
 *			do_waitall(s, rank);
 *			do_leave(s, rank);
 *			do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
 *		}
 *	}
 *	simulated_run(s);
 *	char *anchor = simulated_write(s, SIMULATED_REGIONS);		-- archive_remove takes it
 *
 * A message of at most `eager` bytes flies for latency + bytes / bandwidth from the moment it is
 * sent. A larger one (rendezvous) starts when both sides are there; a blocking sender waits, too. A
 * collective ends for all when the last one came, plus its cost. There is no contention, so the
 * result does not depend on the order in which ranks are run. Records are those of Score-P:
 * received non-blocking messages stand inside the MPI_Wait* that completed them.
 */
#ifndef TRACENEST_TESTS_SIMULATED_H
#define TRACENEST_TESTS_SIMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct network {
	double latency; /* s */
	double bandwidth; /* bytes/s */
	uint64_t eager; /* bytes */
	double post, call; /* s: of posting a message, of a call that waits */
	/* one link, in both directions, if its ends differ */
	uint32_t from, to;
	double link_latency, link_bandwidth;
	uint64_t
		contended; /* bytes: larger ones share one switch, and take as many times as long as there are ranks; 0: none */
};
#define USUAL_NETWORK                                                                                                  \
	{                                                                                                              \
		.latency = 2e-6, .bandwidth = 10e9, .eager = 16384, .post = 0.4e-6, .call = 0.5e-6                     \
	}

#define NO_ROOT UINT32_MAX
#define AS_USUAL (-1.0) /* a collective's cost: that of a tree of messages */
#define NO_ITERATION UINT64_MAX

struct simulated;

/* The archive is one of `record`, with these cores (trace/cores.h); borrowed. */
void simulated_on_cores(struct simulated *, const char *cores);

struct simulated *simulated_new(const struct network *, uint32_t ranks, uint64_t seed, double noise);
void simulated_free(struct simulated *);
uint32_t simulated_ranks(const struct simulated *);

/* What a rank does next. Names are borrowed. Times in s; those to compute are made uneven by a
   factor exp(noise * N(0, 1)). */
void do_iteration(struct simulated *, uint32_t rank, uint64_t iteration);
void do_enter(struct simulated *, uint32_t rank, const char *region);
void do_leave(struct simulated *, uint32_t rank);
void do_compute(struct simulated *, uint32_t rank, double seconds);
/* Ready to compute, while others have the core: as `record` tells it. */
void do_without_core(struct simulated *, uint32_t rank, double seconds);
void do_isend(struct simulated *, uint32_t rank, uint32_t to, uint32_t tag, uint64_t bytes);
void do_irecv(struct simulated *, uint32_t rank, uint32_t from, uint32_t tag);
void do_waitall(struct simulated *, uint32_t rank); /* for all that is under way */
void do_send(struct simulated *, uint32_t rank, uint32_t to, uint32_t tag, uint64_t bytes);
void do_recv(struct simulated *, uint32_t rank, uint32_t from, uint32_t tag);
void do_collective(struct simulated *, uint32_t rank, const char *name, uint64_t bytes, uint32_t root, double cost);
/* ... in the communicator of its row: `row` ranks from a multiple of that on; root: a rank of the row, counted there. */
void do_row_collective(
	struct simulated *, uint32_t rank, uint32_t row, const char *name, uint64_t bytes, uint32_t root);

/* Dies of a deadlock, or of messages that nobody receives: the program is wrong. */
void simulated_run(struct simulated *);

/* ------------------------------------------------------------------ the truth */

enum truth {
	TRUTH_LATE_SENDER, /* a receiver is in its call before the sender is in its own: the difference */
	/* a blocking rendezvous sender is in its call before the receiver posted, or one that waits
	   for its completion is in the wait: the difference */
	TRUTH_LATE_RECEIVER,
	TRUTH_TRANSFER, /* of one that waits in a call: the time after both sides were there */
	TRUTH_COLLECTIVE, /* before the last one came */
	TRUTH_COMPUTATION, /* given to do_compute */
	TRUTHS
};

/* In ns, by the innermost region around the call, or NULL: wherever; of or caused by one rank, or
   ALL_RANKS; in one iteration, or ANY_ITERATION. */
#define ALL_RANKS UINT32_MAX
#define ANY_ITERATION (UINT64_MAX - 1)
uint64_t truth_of(const struct simulated *, enum truth, const char *region, uint32_t rank, uint64_t iteration);
uint64_t truth_caused(const struct simulated *, enum truth, const char *region, uint32_t by);
uint64_t simulated_run_time(const struct simulated *); /* ns */

/* ------------------------------------------------------------------ the archive */

/* Write it under a new directory; the path of the anchor file. With the program's regions; else
   these are defined, but MPI's alone are entered, as where tracers filter; with paths, events have
   call paths through them, as `tracenest record` leaves them: main > region, a line each. */
enum simulated_form { SIMULATED_BARE, SIMULATED_REGIONS, SIMULATED_PATHS };
char *simulated_write(const struct simulated *, enum simulated_form);

#endif
