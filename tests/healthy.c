/*
 * healthy.c -- simulated programs that lose next to nothing.
 */
#include "tests/healthy.h"

#define MS 1e-3
#define US 1e-6

static void compute_in(struct simulated *s, uint32_t rank, const char *region, double seconds)
{
	do_enter(s, rank, region);
	do_compute(s, rank, seconds);
	do_leave(s, rank);
}

static void reduce(struct simulated *s, uint32_t rank)
{
	do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
}

/* Non-blocking, with the neighbours on a line: its ends have one. */
static void halo(struct simulated *s, uint32_t rank, uint32_t ranks, uint32_t tag)
{
	if (rank > 0)
		do_irecv(s, rank, rank - 1, tag);
	if (rank + 1 < ranks)
		do_irecv(s, rank, rank + 1, tag + 1);
	if (rank + 1 < ranks)
		do_isend(s, rank, rank + 1, tag, 1024);
	if (rank > 0)
		do_isend(s, rank, rank - 1, tag + 1, 1024);
	do_waitall(s, rank);
}

/* Blocking: even ranks send first, to the right and then to the left. */
static void coloured_halo(struct simulated *s, uint32_t rank, uint32_t ranks, uint32_t tag)
{
	for (uint32_t side = 0; side < 2; side++) {
		bool right = (rank + side) % 2 == 0;
		if (right ? rank + 1 >= ranks : rank == 0)
			continue;
		uint32_t other = right ? rank + 1 : rank - 1;
		if (rank % 2 == 0)
			do_send(s, rank, other, tag, 1024);
		do_recv(s, rank, other, tag);
		if (rank % 2)
			do_send(s, rank, other, tag, 1024);
	}
}

/* One neighbour after the other, in two phases; tags of phase and sender. */
static void open_chain(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	static const char *const phase[] = {"phaseA", "phaseB"};
	do_enter(s, rank, "main");
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		for (uint32_t k = 0; k < 2; k++) {
			do_enter(s, rank, phase[k]);
			do_compute(s, rank, MS);
			for (uint32_t side = 0; side < 2; side++)
				if (side ? rank + 1 < ranks : rank > 0)
					do_irecv(s, rank, side ? rank + 1 : rank - 1,
						10 + 4 * k + (side ? rank + 1 : rank - 1) % 4);
			for (uint32_t side = 0; side < 2; side++)
				if (side ? rank + 1 < ranks : rank > 0)
					do_isend(s, rank, side ? rank + 1 : rank - 1, 10 + 4 * k + rank % 4, 1024);
			do_waitall(s, rank);
			do_leave(s, rank);
		}
	}
	do_leave(s, rank);
}

static void red_and_black(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		for (uint32_t k = 0; k < 2; k++) {
			do_enter(s, rank, k ? "black" : "red");
			do_compute(s, rank, 500 * US);
			coloured_halo(s, rank, ranks, 5 + k);
			do_leave(s, rank);
		}
		if (i % 10 == 9)
			reduce(s, rank);
	}
}

/* What even ranks do first, odd ones do second: as long. */
static void crossed_colours(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		for (uint32_t k = 0; k < 2; k++) {
			compute_in(s, rank, (rank + k) % 2 ? "odd_cells" : "even_cells", MS);
			do_enter(s, rank, "swap");
			halo(s, rank, ranks, 5);
			do_leave(s, rank);
		}
	}
}

/* Ranks of one colour have a region of their own. */
static void two_colours(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, rank % 2 ? "black_cells" : "red_cells");
		do_compute(s, rank, MS);
		coloured_halo(s, rank, ranks, 3);
		do_leave(s, rank);
	}
}

static void grid_with_edges(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	uint32_t x = rank % 4;
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "smooth");
		do_compute(s, rank, MS);
		if (x > 0)
			do_irecv(s, rank, rank - 1, 7);
		if (x < 3)
			do_isend(s, rank, rank + 1, 7, 2048);
		do_waitall(s, rank);
		do_compute(s, rank, 500 * US);
		if (rank >= 4)
			do_irecv(s, rank, rank - 4, 9);
		if (rank + 4 < ranks)
			do_irecv(s, rank, rank + 4, 10);
		if (rank >= 4)
			do_isend(s, rank, rank - 4, 10, 2048);
		if (rank + 4 < ranks)
			do_isend(s, rank, rank + 4, 9, 2048);
		do_waitall(s, rank);
		do_leave(s, rank);
		if (i % 8 == 7)
			reduce(s, rank);
	}
}

/* An inner loop of `inner` sweeps, behind what the outer one computes. */
static void sweeps(struct simulated *s, uint32_t rank, uint32_t ranks, uint64_t inner, double before)
{
	if (before > 0)
		compute_in(s, rank, "assemble", before);
	do_enter(s, rank, "solve");
	for (uint64_t k = 0; k < inner; k++) {
		do_compute(s, rank, 400 * US);
		halo(s, rank, ranks, 20);
		reduce(s, rank);
	}
	do_leave(s, rank);
}

static void inner_loop(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		sweeps(s, rank, ranks, 6, MS);
	}
}

static void inner_loop_by_index(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		sweeps(s, rank, ranks, 2 + i % 4, 0);
	}
}

static void inner_loop_converges(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_collective(s, rank, "MPI_Bcast", 8, 0, AS_USUAL);
		sweeps(s, rank, ranks, 3 + i * i * 7 % 11, 200 * US);
	}
}

static void inner_loop_shrinks(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		do_collective(s, rank, "MPI_Bcast", 8, 0, AS_USUAL);
		sweeps(s, rank, ranks, 30 - i, 0);
	}
}

static void once_longer(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		do_collective(s, rank, "MPI_Bcast", 8, 0, AS_USUAL);
		sweeps(s, rank, ranks, i == 14 ? 60 : 5, 0);
	}
}

/* A step has as many parts as the rank has neighbours: each computes as long as the others. */
static void parts_by_rank(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	bool end = rank == 0 || rank + 1 == ranks;
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "faces");
		for (uint32_t side = 0; side < 2; side++) {
			if (side ? rank + 1 == ranks : rank == 0)
				continue;
			do_compute(s, rank, end ? MS : MS / 2);
			do_isend(s, rank, side ? rank + 1 : rank - 1, 30, 1024);
		}
		for (uint32_t side = 0; side < 2; side++)
			if (side ? rank + 1 < ranks : rank > 0)
				do_irecv(s, rank, side ? rank + 1 : rank - 1, 30);
		do_waitall(s, rank);
		do_leave(s, rank);
	}
}

/* A chain in fine blocks: it is full most of the time. */
static void full_pipeline(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	do_enter(s, rank, "sweep");
	for (uint64_t i = 0; i < 250; i++) {
		do_iteration(s, rank, i);
		if (rank > 0)
			do_recv(s, rank, rank - 1, 5);
		do_compute(s, rank, 300 * US);
		if (rank + 1 < ranks)
			do_send(s, rank, rank + 1, 5, 1024);
	}
	do_leave(s, rank);
}

static void tree_up(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", 3 * MS);
		do_enter(s, rank, "combine");
		for (uint32_t step = 1; step < ranks; step *= 2) {
			if (rank % (2 * step)) {
				do_send(s, rank, rank - step, 40, 64);
				break;
			}
			if (rank + step < ranks)
				do_recv(s, rank, rank + step, 40);
		}
		do_leave(s, rank);
	}
}

static void tree_down(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		uint32_t step = 1;
		do_iteration(s, rank, i);
		do_enter(s, rank, "spread");
		for (; step < ranks && rank % (2 * step) == 0; step *= 2)
			;
		if (rank)
			do_recv(s, rank, rank - step, 41);
		for (step /= 2; step; step /= 2)
			if (rank + step < ranks)
				do_send(s, rank, rank + step, 41, 64);
		do_leave(s, rank);
		compute_in(s, rank, "work", 3 * MS);
	}
}

/* The master works as long as its workers, then takes what they send. */
static void working_master(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, rank ? "worker" : "master");
		do_compute(s, rank, 2 * MS);
		for (uint32_t w = 1; rank == 0 && w < ranks; w++)
			do_recv(s, rank, w, 50);
		for (uint32_t w = 1; rank == 0 && w < ranks; w++)
			do_send(s, rank, w, 51, 64);
		if (rank) {
			do_send(s, rank, 0, 50, 512);
			do_recv(s, rank, 0, 51);
		}
		do_leave(s, rank);
	}
}

/* Two models beside each other, which meet now and then. */
static void coupled(struct simulated *s, uint32_t rank, uint32_t ranks, uint64_t steps, uint64_t others)
{
	uint32_t half = ranks / 2;
	bool first = rank < half;
	uint64_t own = first ? steps : others;
	for (uint64_t i = 0; i < own; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, first ? "air" : "sea");
		do_compute(s, rank, 100 * MS / (double)own);
		if (first)
			halo(s, rank, half, 60);
		else {
			if (rank > half)
				do_irecv(s, rank, rank - 1, 62);
			if (rank + 1 < ranks)
				do_isend(s, rank, rank + 1, 62, 512);
			do_waitall(s, rank);
		}
		do_leave(s, rank);
		if ((i + 1) % (own / 10))
			continue;
		do_enter(s, rank, "couple");
		do_irecv(s, rank, (rank + half) % ranks, 64);
		do_isend(s, rank, (rank + half) % ranks, 64, 2048);
		do_waitall(s, rank);
		do_leave(s, rank);
	}
}

static void coupled_alike(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	coupled(s, rank, ranks, 50, 50);
}

static void coupled_apart(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	coupled(s, rank, ranks, 120, 40);
}

static void ring(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "rotate");
		do_compute(s, rank, MS);
		if (rank % 2 == 0)
			do_send(s, rank, (rank + 1) % ranks, 70, 4096);
		do_recv(s, rank, (rank + ranks - 1) % ranks, 70);
		if (rank % 2)
			do_send(s, rank, (rank + 1) % ranks, 70, 4096);
		do_leave(s, rank);
	}
}

static void cycle(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	static const char *const down[] = {"down0", "down1", "down2"}, *const up[] = {"up0", "up1", "up2"};
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		for (uint32_t turn = 0; turn < 6; turn++) {
			uint32_t level = turn < 3 ? turn : 5 - turn;
			do_enter(s, rank, turn < 3 ? down[level] : up[level]);
			do_compute(s, rank, 2 * MS / (1 << 2 * level));
			halo(s, rank, ranks, 80 + 2 * level);
			do_leave(s, rank);
		}
	}
}

static void long_setup(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	do_enter(s, rank, "main");
	do_collective(s, rank, "MPI_Bcast", 8, 0, AS_USUAL);
	do_compute(s, rank, 40 * MS);
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_compute(s, rank, MS);
		halo(s, rank, ranks, 90);
	}
	do_leave(s, rank);
}

/* Before the loop one opens a file: a twentieth of an iteration of all. */
static void longer_setup_of_one(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	do_enter(s, rank, "main");
	do_compute(s, rank, rank ? MS : 3 * MS);
	for (uint64_t i = 0; i < 80; i++) {
		do_iteration(s, rank, i);
		do_compute(s, rank, MS);
		halo(s, rank, ranks, 90);
		reduce(s, rank);
	}
	do_leave(s, rank);
}

static void first_is_special(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		if (i == 0)
			do_collective(s, rank, "MPI_Bcast", 1024, 0, AS_USUAL);
		do_enter(s, rank, "step");
		do_compute(s, rank, MS);
		halo(s, rank, ranks, 92);
		do_leave(s, rank);
		if (i + 1 < 40)
			reduce(s, rank);
	}
}

static void small_output(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 60; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "step");
		do_compute(s, rank, MS);
		halo(s, rank, ranks, 92);
		do_leave(s, rank);
		if (i % 10)
			continue;
		do_enter(s, rank, "output");
		do_compute(s, rank, rank ? 0 : 100 * US);
		do_collective(s, rank, "MPI_Gather", 64, 0, AS_USUAL);
		do_leave(s, rank);
	}
}

/* Panels go along rows, from another root each time. */
static void rows_in_turn(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	(void)ranks;
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "panel");
		do_row_collective(s, rank, 4, "MPI_Bcast", 1024, (uint32_t)(i % 4));
		do_leave(s, rank);
		compute_in(s, rank, "update", 2 * MS);
	}
}

/* Pairs that change: in every second step the ends have no partner. */
static void changing_pairs(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 60; i++) {
		uint32_t other = (rank + i) % 2 ? rank - 1 : rank + 1;
		do_iteration(s, rank, i);
		do_enter(s, rank, i % 2 ? "odd_pairs" : "even_pairs");
		do_compute(s, rank, MS);
		if (other < ranks) {
			do_irecv(s, rank, other, 95);
			do_isend(s, rank, other, 95, 2048);
			do_waitall(s, rank);
		}
		do_leave(s, rank);
	}
}

static void butterfly(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "exchange");
		for (uint32_t step = 1; step < ranks; step *= 2) {
			do_compute(s, rank, 600 * US);
			do_irecv(s, rank, rank ^ step, 96);
			do_isend(s, rank, rank ^ step, 96, 1024);
			do_waitall(s, rank);
		}
		do_leave(s, rank);
	}
}

/* Tags tell the phase and the direction: the ends have one of each two. */
static void directed_chain(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	static const char *const phase[] = {"phaseA", "phaseB"};
	do_enter(s, rank, "main");
	for (uint64_t i = 0; i < 40; i++)
		for (uint32_t k = 0; k < 2; k++) {
			do_iteration(s, rank, i);
			do_enter(s, rank, phase[k]);
			do_compute(s, rank, MS);
			halo(s, rank, ranks, 10 + 4 * k);
			do_leave(s, rank);
		}
	do_leave(s, rank);
}

/* They meet at the end only, after other numbers of steps. */
static void apart_to_the_end(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	uint32_t half = ranks / 2, in = rank % half;
	uint64_t steps = rank < half ? 120 : 45;
	for (uint64_t i = 0; i < steps; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, rank < half ? "air" : "sea");
		do_compute(s, rank, 200 * MS / (double)steps);
		do_irecv(s, rank, rank - in + (in + half - 1) % half, 60);
		do_isend(s, rank, rank - in + (in + 1) % half, 60, 512);
		do_waitall(s, rank);
		do_leave(s, rank);
	}
	do_collective(s, rank, "MPI_Barrier", 0, NO_ROOT, AS_USUAL);
}

/* One rank in three does first what the next does second, and that one third. */
static void three_colours(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	static const char *const colour[] = {"red", "green", "blue"};
	for (uint64_t i = 0; i < 40; i++)
		for (uint32_t k = 0; k < 3; k++) {
			do_iteration(s, rank, i);
			do_enter(s, rank, colour[(rank + k) % 3]);
			do_compute(s, rank, 700 * US);
			halo(s, rank, ranks, 10);
			do_leave(s, rank);
		}
}

/* The ends have conditions to look at, the others as much to do inside. */
static void boundaries(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	bool end = rank == 0 || rank + 1 == ranks;
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "step");
		do_compute(s, rank, MS);
		halo(s, rank, ranks, 20);
		do_leave(s, rank);
		do_enter(s, rank, end ? "boundary" : "inside");
		do_compute(s, rank, 500 * US);
		if (end)
			do_send(s, rank, rank ? 0 : ranks - 1, 22, 64);
		if (end)
			do_recv(s, rank, rank ? 0 : ranks - 1, 22);
		do_leave(s, rank);
	}
}

/* Pairs cut a step into one to three parts. */
static void parts_by_pair(struct simulated *s, uint32_t rank, uint32_t ranks)
{
	uint32_t parts = rank / 2 % 3 + 1;
	(void)ranks;
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "substeps");
		for (uint32_t k = 0; k < parts; k++) {
			do_compute(s, rank, 1.2 * MS / parts);
			do_irecv(s, rank, rank ^ 1, 24);
			do_isend(s, rank, rank ^ 1, 24, 512);
			do_waitall(s, rank);
		}
		do_leave(s, rank);
		reduce(s, rank);
	}
}

/* ------------------------------------------------------------------ at random */

#define STEPS 4
#define REGIONS 12

static uint64_t pick(uint64_t seed, uint64_t what, uint64_t below)
{
	uint64_t x = (seed * 1000003 + what + 1) * UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return (x >> 33) % below;
}

/* more: how many times as long it computes. */
static void random_step(struct simulated *s, uint32_t rank, uint32_t ranks, uint64_t seed, uint32_t k, double more)
{
	static const char *const region[REGIONS] = {"a", "b", "c", "d", "e", "f", "g", "h", "k", "l", "m", "n"};
	double work = more * (double)(2 + pick(seed, 10 * k, 10)) * 100 * US;
	uint64_t kind = pick(seed, 10 * k + 1, 6), parts = 1 + pick(seed, 10 * k + 2, 4);
	bool end = rank == 0 || rank + 1 == ranks;
	do_enter(s, rank, region[(k + (kind == 5 && rank % 2 ? STEPS : 0)) % REGIONS]);
	for (uint64_t i = 0; i < (kind == 4 ? parts : 1); i++) {
		do_compute(s, rank, kind == 4 ? work / (double)parts : kind == 2 && !end ? work / 2 : work);
		if (kind == 0 || kind == 4)
			halo(s, rank, ranks, 100 + 10 * k);
		else if (kind == 1 || kind == 5)
			coloured_halo(s, rank, ranks, 100 + 10 * k);
		else if (kind == 3)
			reduce(s, rank);
		else if (rank > 0)
			do_isend(s, rank, rank - 1, 100 + 10 * k, 512);
		if (kind != 2)
			continue;
		if (!end)
			do_compute(s, rank, work / 2);
		if (rank + 1 < ranks)
			do_irecv(s, rank, rank + 1, 100 + 10 * k);
		do_waitall(s, rank);
	}
	do_leave(s, rank);
}

struct simulated *random_run(uint64_t seed, double noise, bool faulty, uint32_t *culprit)
{
	uint32_t ranks = 4 + (uint32_t)pick(seed, 1, 9), steps = 1 + (uint32_t)pick(seed, 2, STEPS);
	uint64_t iterations = 30 + pick(seed, 3, 40);
	uint32_t slow = (uint32_t)pick(seed, 4, steps);
	*culprit = (uint32_t)pick(seed, 5, ranks);
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, ranks, seed, noise);
	for (uint32_t rank = 0; rank < ranks; rank++)
		for (uint64_t i = 0; i < iterations; i++) {
			do_iteration(s, rank, i);
			for (uint32_t k = 0; k < steps; k++)
				random_step(s, rank, ranks, seed, k, faulty && k == slow && rank == *culprit ? 5 : 1);
			if (pick(seed, 6, 2) && i % 8 == 7)
				reduce(s, rank);
		}
	simulated_run(s);
	return s;
}

const struct healthy healthy[] = {
	{"an open chain of two phases", open_chain, 4},
	{"... of more ranks", open_chain, 9},
	{"red and black cells", red_and_black, 8},
	{"colours in another order", crossed_colours, 8},
	{"a region for each colour", two_colours, 8},
	{"a grid with edges and corners", grid_with_edges, 16},
	{"an inner loop of one length", inner_loop, 6},
	{"of a length by index", inner_loop_by_index, 6},
	{"until it converges", inner_loop_converges, 6},
	{"that shrinks", inner_loop_shrinks, 6},
	{"that is long once", once_longer, 6},
	{"parts by the number of neighbours", parts_by_rank, 8},
	{"a full pipeline", full_pipeline, 6},
	{"up a tree", tree_up, 16},
	{"down a tree", tree_down, 16},
	{"a master that works as its workers do", working_master, 8},
	{"two models of as many steps", coupled_alike, 8},
	{"two models of other steps", coupled_apart, 8},
	{"a ring", ring, 8},
	{"a cycle over levels", cycle, 8},
	{"a long setup", long_setup, 8},
	{"a setup that one has longer", longer_setup_of_one, 8},
	{"a special first iteration", first_is_special, 8},
	{"output now and then", small_output, 8},
	{"panels in turn", rows_in_turn, 12},
	{"pairs that change", changing_pairs, 8},
	{"a butterfly", butterfly, 8},
	{"a chain with a tag for each direction", directed_chain, 4},
	{"... of more ranks", directed_chain, 7},
	{"two models that meet at the end", apart_to_the_end, 8},
	{"three colours in turn", three_colours, 9},
	{"conditions at the ends", boundaries, 6},
	{"parts by pair", parts_by_pair, 6},
};
const size_t healthy_count = sizeof healthy / sizeof *healthy;

struct simulated *healthy_run(const struct healthy *x, uint64_t seed, double noise)
{
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, x->ranks, seed, noise);
	for (uint32_t rank = 0; rank < x->ranks; rank++)
		x->program(s, rank, x->ranks);
	simulated_run(s);
	return s;
}
