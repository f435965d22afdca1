/*
 * planted.c -- simulated programs with faults that are known.
 */
#include "tests/planted.h"

#include <math.h>

#define MS 1e-3
#define US 1e-6

/* ------------------------------------------------------------------ what programs share */

static void compute_in(struct simulated *s, uint32_t rank, const char *region, double seconds)
{
	do_enter(s, rank, region);
	do_compute(s, rank, seconds);
	do_leave(s, rank);
}

static void allreduce(struct simulated *s, uint32_t rank)
{
	do_enter(s, rank, "norm");
	do_compute(s, rank, 5 * US);
	do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
	do_leave(s, rank);
}

/* Left and right neighbours on a line. */
static void exchange_line(struct simulated *s, uint32_t rank, uint32_t ranks, uint64_t bytes)
{
	if (rank > 0)
		do_irecv(s, rank, rank - 1, 1);
	if (rank + 1 < ranks)
		do_irecv(s, rank, rank + 1, 2);
	if (rank + 1 < ranks)
		do_isend(s, rank, rank + 1, 1, bytes);
	if (rank > 0)
		do_isend(s, rank, rank - 1, 2, bytes);
	do_waitall(s, rank);
}

/* The four neighbours on a grid of 4 columns. */
static void exchange_grid(struct simulated *s, uint32_t rank, uint32_t ranks, uint64_t bytes)
{
	uint32_t x = rank % 4, neighbour[4], n = 0;
	if (x > 0)
		neighbour[n++] = rank - 1;
	if (x < 3 && rank + 1 < ranks)
		neighbour[n++] = rank + 1;
	if (rank >= 4)
		neighbour[n++] = rank - 4;
	if (rank + 4 < ranks)
		neighbour[n++] = rank + 4;
	for (uint32_t i = 0; i < n; i++)
		do_irecv(s, rank, neighbour[i], 11);
	for (uint32_t i = 0; i < n; i++)
		do_isend(s, rank, neighbour[i], 11, bytes);
	do_waitall(s, rank);
}

/* Forces, an exchange, a norm: `more` of forces' millisecond. */
static void step(struct simulated *s, uint32_t rank, uint32_t ranks, uint64_t iteration, double more)
{
	do_iteration(s, rank, iteration);
	compute_in(s, rank, "setup_step", 20 * US);
	do_enter(s, rank, "forces");
	do_compute(s, rank, MS * (1 + more));
	exchange_grid(s, rank, ranks, 4096);
	do_leave(s, rank);
	allreduce(s, rank);
}

/* ------------------------------------------------------------------ imbalance */

static void slow_ranks(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, rank >= 12 ? 0.6 * p->amount : 0);
}

static void slow_rank(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, rank == 5 ? 0.6 * p->amount : 0);
}

static void grid_line(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, rank % 4 == 0 ? 0.6 * p->amount : 0);
}

static void one_iteration(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, rank == 9 && i == 17 ? 30 * p->amount : 0);
}

static void few_iterations(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, rank == 9 && (i == 3 || i == 20 || i == 41) ? 12 * p->amount : 0);
}

static void every_eighth(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 64; i++)
		step(s, rank, p->ranks, i, rank < 2 && i % 8 == 7 ? 4 * p->amount : 0);
}

static void growing(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 80; i++)
		step(s, rank, p->ranks, i, rank >= 8 && rank < 12 ? p->amount * (double)i / 60 : 0);
}

static void inner_iteration(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "prepare", 200 * US);
		do_collective(s, rank, "MPI_Bcast", 64, 0, AS_USUAL);
		for (uint32_t k = 0; k < 6; k++) {
			do_enter(s, rank, "relax");
			do_compute(s, rank, 300 * US * (1 + (rank == 2 && k == 2 ? 4 * p->amount : 0)));
			exchange_line(s, rank, p->ranks, 2048);
			do_leave(s, rank);
		}
		allreduce(s, rank);
	}
}

/* What is computed before and between loops is no iteration of theirs. */
static void two_loops(struct simulated *s, uint32_t rank, const struct planting *p)
{
	compute_in(s, rank, "setup", 6 * MS);
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "explicit");
		do_compute(s, rank, 400 * US);
		exchange_line(s, rank, p->ranks, 2048);
		do_leave(s, rank);
	}
	compute_in(s, rank, "remesh", 18 * MS);
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "implicit");
		do_compute(s, rank, 500 * US * (1 + (rank == 2 ? p->amount : 0)));
		exchange_line(s, rank, p->ranks, 4096);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

static void second_half(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, rank == 3 && i >= 30 ? 1.5 * p->amount : 0);
}

/* One computes what the others wait for. */
static void serial_stage(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", MS);
		do_enter(s, rank, "assemble");
		if (rank == 0)
			do_compute(s, rank, 400 * US * p->amount + 2 * US);
		do_collective(s, rank, "MPI_Bcast", 1024, 0, AS_USUAL);
		do_leave(s, rank);
	}
}

/* ------------------------------------------------------------------ serialization */

static void chain(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "rhs", 2 * MS);
		do_enter(s, rank, "sweep");
		if (rank > 0)
			do_recv(s, rank, rank - 1, 5);
		do_compute(s, rank, 300 * US * p->amount + 0.5 * US);
		if (rank + 1 < p->ranks)
			do_send(s, rank, rank + 1, 5, 1024);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* A wavefront over a grid of 4 columns, in blocks: few of them, and it cannot fill. */
static void wavefront(struct simulated *s, uint32_t rank, const struct planting *p)
{
	uint32_t x = rank % 4, blocks = 4;
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "rhs", 3 * MS);
		do_enter(s, rank, "wave");
		for (uint32_t b = 0; b < blocks; b++) {
			if (x > 0)
				do_recv(s, rank, rank - 1, 6);
			if (rank >= 4)
				do_recv(s, rank, rank - 4, 7);
			do_compute(s, rank, 250 * US * p->amount + 0.5 * US);
			if (x < 3)
				do_send(s, rank, rank + 1, 6, 512);
			if (rank + 4 < p->ranks)
				do_send(s, rank, rank + 4, 7, 512);
		}
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* 4 has something to do before it sends, 5 as much after it received. */
static void late_sender(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", MS);
		do_enter(s, rank, "handover");
		if (rank == 5) {
			do_recv(s, rank, 4, 3);
			do_compute(s, rank, 500 * US * p->amount);
		} else {
			do_compute(s, rank, 500 * US * p->amount);
			if (rank == 4)
				do_send(s, rank, 5, 3, 256);
		}
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* 3 cannot go on before 2 has time to receive. */
static void late_receiver(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", MS);
		do_enter(s, rank, "handover");
		if (rank == 3)
			do_send(s, rank, 2, 3, 65536);
		do_compute(s, rank, 500 * US * p->amount + US);
		if (rank == 2)
			do_recv(s, rank, 3, 3);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* One grants, in turn, what only one at a time may do. */
static void lock(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", 1.5 * MS);
		do_enter(s, rank, "lock");
		for (uint32_t w = 1; rank == 0 && w < p->ranks; w++) {
			do_send(s, rank, w, 50, 8);
			do_recv(s, rank, w, 51);
		}
		if (rank) {
			do_recv(s, rank, 0, 50);
			do_compute(s, rank, 200 * US * p->amount + US);
			do_send(s, rank, 0, 51, 8);
		}
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* Each sends its part to one, which looks at it: a loop of its own there. */
static void gathered(struct simulated *s, uint32_t rank, const struct planting *p)
{
	do_enter(s, rank, "main");
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", 1.5 * MS);
		do_enter(s, rank, "gather");
		for (uint32_t w = 1; rank == 0 && w < p->ranks; w++) {
			do_recv(s, rank, w, 31);
			do_compute(s, rank, 80 * US * p->amount + US);
		}
		if (rank)
			do_send(s, rank, 0, 31, 8000);
		do_leave(s, rank);
		allreduce(s, rank);
	}
	do_leave(s, rank);
}

/* Workers ask for work; what a master does for one keeps the others waiting. */
static void master(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "farm");
		if (rank == 0) {
			for (uint32_t w = 1; w < p->ranks; w++)
				do_recv(s, rank, w, 20);
			for (uint32_t w = 1; w < p->ranks; w++) {
				do_compute(s, rank, 100 * US * p->amount + 0.3 * US);
				do_send(s, rank, w, 21, 1024);
			}
		} else {
			do_send(s, rank, 0, 20, 128);
			do_recv(s, rank, 0, 21);
			do_compute(s, rank, MS);
		}
		do_leave(s, rank);
	}
}

/* It serves one after the other, and each computes as long as that takes for all. */
static void busy_master(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "tasks");
		for (uint32_t w = 1; rank == 0 && w < p->ranks; w++) {
			do_recv(s, rank, w, 20);
			do_compute(s, rank, 180 * US * p->amount + US);
			do_send(s, rank, w, 21, 2000);
		}
		if (rank) {
			do_send(s, rank, 0, 20, 128);
			do_recv(s, rank, 0, 21);
			do_compute(s, rank, 1.3 * MS);
		}
		do_leave(s, rank);
	}
}

/* ------------------------------------------------------------------ transfer */

static void slow_link(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", MS);
		do_enter(s, rank, "halo");
		exchange_line(s, rank, p->ranks, 8192);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

static void collective_cost(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", MS);
		do_enter(s, rank, "transpose");
		do_collective(s, rank, "MPI_Alltoall", 65536, NO_ROOT, 400 * US * p->amount + 10 * US);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

static void growing_messages(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", MS);
		do_enter(s, rank, "halo");
		exchange_line(s, rank, p->ranks, 1000 + (uint64_t)(150000 * p->amount) * i);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

static void not_overlapped(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "halo");
		do_compute(s, rank, MS);
		exchange_line(s, rank, p->ranks, 8000 + (uint64_t)(4000000 * p->amount));
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* ------------------------------------------------------------------ moving, and rooted */

static void moving(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 64; i++)
		step(s, rank, p->ranks, i, rank == 5 * i % p->ranks ? 0.8 * p->amount : 0);
}

static void late_root(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "params");
		do_compute(s, rank, 20 * US + (rank == 6 ? 600 * US * p->amount : 0));
		do_collective(s, rank, "MPI_Bcast", 64, 6, AS_USUAL);
		do_leave(s, rank);
		do_enter(s, rank, "solve");
		do_compute(s, rank, MS);
		exchange_line(s, rank, p->ranks, 4096);
		do_leave(s, rank);
	}
}

/* What has been reduced is looked at by the root, while the others wait to be told. */
static void busy_root(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "assemble", MS);
		do_enter(s, rank, "decide");
		do_collective(s, rank, "MPI_Reduce", 1024, 2, AS_USUAL);
		do_compute(s, rank, rank == 2 ? 10 * US + 700 * US * p->amount : 0);
		do_collective(s, rank, "MPI_Bcast", 8, 2, AS_USUAL);
		do_leave(s, rank);
	}
}

static void warm_rank(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, rank == 5 && i < 4 ? 3 * p->amount : 0);
}

/* ------------------------------------------------------------------ shared by all */

static void warm_up(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++)
		step(s, rank, p->ranks, i, i < 5 ? 2.2 * p->amount : 0);
}

static void throttled(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, i >= 40 ? 0.8 * p->amount : 0);
}

/* ----------------------------------------------------- without a pattern, or hidden */

/* A number of a rank and an iteration that looks like chance, from 0 to 1. */
static double chance(uint32_t rank, uint64_t iteration)
{
	uint64_t x = (rank * UINT64_C(2654435761) + iteration + 1) * UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return (double)(x >> 40) / 16777216;
}

/* Cells that are refined here and there: loads are about lognormal. */
static void irregular(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i,
			exp(1.5 * p->amount *
				(chance(rank, i) + chance((uint32_t)i + 61, rank) + chance(rank, i + 99) - 1.5)) -
				1);
}

/* Each has as much to do as the others over all iterations, never in one of them. */
static void balanced_in_sum(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, ((rank + i) % 2 ? 0.3 : -0.3) * p->amount);
}

static void long_start(struct simulated *s, uint32_t rank, const struct planting *p)
{
	do_enter(s, rank, "MPI_Init");
	do_compute(s, rank, 5 * US + 500 * MS * p->amount);
	do_leave(s, rank);
	for (uint64_t i = 0; i < 40; i++)
		step(s, rank, p->ranks, i, 0);
}

/* One region in a loop and in one inside; there one computes before it sends. */
static void same_region(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "diffuse");
		do_compute(s, rank, 600 * US);
		exchange_line(s, rank, p->ranks, 4096);
		do_leave(s, rank);
		for (uint32_t k = 0; k < 4; k++) {
			do_enter(s, rank, "diffuse");
			do_compute(s, rank, 150 * US + (rank == 5 ? 90 * US * p->amount : 0));
			exchange_line(s, rank, p->ranks, 2048);
			do_leave(s, rank);
		}
		allreduce(s, rank);
	}
}

/* What is too large to be buffered waits for one who is at work before it receives. */
static void late_receiver_in_a_line(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", MS);
		do_enter(s, rank, "pass");
		if (rank == 9)
			do_compute(s, rank, 400 * US * p->amount);
		if (rank % 2 == 0)
			do_send(s, rank, rank + 1, 8, 50000);
		else
			do_recv(s, rank, rank - 1, 8);
		if (rank == 8)
			do_compute(s, rank, 150 * US * p->amount);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* Nobody waits for it where it is late, and all do later. */
static void delayed(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "chemistry", MS * (1 + (rank == 4 ? 0.5 * p->amount : 0)));
		do_enter(s, rank, "pairs");
		do_compute(s, rank, 200 * US);
		if (rank % 2)
			do_send(s, rank, rank - 1, 12, 1024);
		else
			do_recv(s, rank, rank + 1, 12);
		do_leave(s, rank);
		compute_in(s, rank, "advect", 300 * US);
		allreduce(s, rank);
	}
}

static void two_faults(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "forces");
		do_compute(s, rank, MS * (1 + (rank == 3 ? 0.5 * p->amount : 0)));
		exchange_grid(s, rank, p->ranks, 4096);
		do_leave(s, rank);
		do_enter(s, rank, "spread");
		do_compute(s, rank, 500 * US * (1 + (rank == 10 ? 0.7 * p->amount : 0)));
		do_collective(s, rank, "MPI_Alltoall", 1024, NO_ROOT, AS_USUAL);
		do_leave(s, rank);
	}
}

/* All send to one, which takes them in a fixed order; the first is late. */
static void fixed_order(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "produce", MS * (1 + (rank == 1 ? 0.5 * p->amount : 0)));
		do_enter(s, rank, "collect");
		for (uint32_t w = 1; rank == 0 && w < p->ranks; w++) {
			do_recv(s, rank, w, 31);
			do_compute(s, rank, 5 * US);
		}
		if (rank)
			do_send(s, rank, 0, 31, 800);
		do_collective(s, rank, "MPI_Bcast", 64, 0, AS_USUAL);
		do_leave(s, rank);
		do_enter(s, rank, "smooth");
		for (uint32_t k = 0; k < 12; k++)
			exchange_line(s, rank, p->ranks, 64);
		do_leave(s, rank);
	}
}

/* Sends before receives: fine as long as they are buffered. */
static void beyond_eager(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", MS);
		do_enter(s, rank, "shift");
		if (rank + 1 < p->ranks)
			do_send(s, rank, rank + 1, 9, 8000 + (uint64_t)(12000 * p->amount));
		do_compute(s, rank, 150 * US);
		if (rank)
			do_recv(s, rank, rank - 1, 9);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* A delay, once, that goes from neighbour to neighbour. */
static void idle_wave(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "halo");
		do_compute(s, rank, MS * (1 + (rank == 7 && i == 10 ? 15 * p->amount : 0)));
		exchange_line(s, rank, p->ranks, 4096);
		do_leave(s, rank);
	}
}

/* Rows that ranks do not divide: the first have one more. */
static void more_rows(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, rank < 5 ? p->amount / 3 : 0);
}

static void small_messages(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "work", MS);
		do_enter(s, rank, "columns");
		for (uint32_t k = 0; k < (p->amount > 0 ? 60 : 1); k++)
			exchange_line(s, rank, p->ranks, 8);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* On the coarse grid few have anything to do. */
static void coarse_levels(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "fine");
		do_compute(s, rank, MS);
		exchange_line(s, rank, p->ranks, 4096);
		do_leave(s, rank);
		do_enter(s, rank, "coarse");
		if (rank % 4 == 0) {
			do_compute(s, rank, 400 * US * p->amount);
			if (rank)
				do_send(s, rank, rank - 4, 14, 256);
			if (rank + 4 < p->ranks)
				do_recv(s, rank, rank + 4, 14);
		}
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* What ends every third iteration stands before the next one. */
static void flushed(struct simulated *s, uint32_t rank, const struct planting *p)
{
	do_enter(s, rank, "main");
	for (uint64_t i = 0; i < 60; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "rhs");
		do_compute(s, rank, MS);
		exchange_line(s, rank, p->ranks, 2048);
		do_leave(s, rank);
		allreduce(s, rank);
		if (i % 3 == 2)
			compute_in(s, rank, "flush", 2 * US + (rank == 2 ? 1.5 * MS * p->amount : 0));
	}
	do_leave(s, rank);
}

/* ... and now and then somebody else is held up for longer. */
static void disturbed(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 40; i++) {
		double held = (rank == 0 && (i == 10 || i == 37)) || (rank == 5 && i == 22) ? 20 : 0;
		do_iteration(s, rank, i);
		do_enter(s, rank, "limiter");
		do_compute(s, rank, MS * (1 + (held + (rank == 3 && i % 4 == 1 ? 6 : 0)) * p->amount));
		exchange_line(s, rank, p->ranks, 8);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* What the first iteration receives is sent before the loop: it is recognized rotated. */
static void rotated(struct simulated *s, uint32_t rank, const struct planting *p)
{
	uint32_t left = (rank + p->ranks - 1) % p->ranks, right = (rank + 1) % p->ranks;
	do_enter(s, rank, "main");
	do_irecv(s, rank, left, 2);
	do_isend(s, rank, right, 2, 1000);
	for (uint64_t i = 0; i < 60; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "interior", MS);
		do_enter(s, rank, "finish");
		do_waitall(s, rank);
		do_leave(s, rank);
		if (i % 3 == 2)
			compute_in(s, rank, "flush", 2 * US + (rank == 1 ? 1.8 * MS * p->amount : 0));
		do_enter(s, rank, "start");
		if (i < 59) {
			do_irecv(s, rank, left, 2);
			do_isend(s, rank, right, 2, 1000);
		}
		do_leave(s, rank);
		do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
	}
	do_leave(s, rank);
}

/* The first of each row factors a panel, which the others of the row need. */
static void late_root_in_rows(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "panel");
		do_compute(s, rank, 100 * US + (rank % 3 == 1 ? 900 * US * p->amount : 0));
		do_row_collective(s, rank, 3, "MPI_Bcast", 4096, 1);
		do_leave(s, rank);
		compute_in(s, rank, "update", MS);
		do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
	}
}

/* All send to the other half at once. */
static void contention(struct simulated *s, uint32_t rank, const struct planting *p)
{
	uint32_t half = p->ranks / 2;
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "solve");
		do_compute(s, rank, MS);
		exchange_line(s, rank, p->ranks, 1024);
		do_leave(s, rank);
		do_enter(s, rank, "transpose");
		do_compute(s, rank, 50 * US);
		do_irecv(s, rank, (rank + half) % p->ranks, 40);
		do_isend(s, rank, (rank + half) % p->ranks, 40, 12000);
		do_waitall(s, rank);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

static void odd_iterations(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++)
		step(s, rank, p->ranks, i, rank == 2 && i % 2 ? 0.9 * p->amount : 0);
}

static void odd_for_all(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 50; i++)
		step(s, rank, p->ranks, i, i % 2 ? 0.7 * p->amount : 0);
}

/* One in three has more to do in turn: as much as the others over all iterations. */
static void in_turn(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 48; i++)
		step(s, rank, p->ranks, i, i % p->ranks == rank ? 0.7 * p->amount : 0);
}

/* What is reduced has been computed two phases before. */
static void two_phases_later(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		compute_in(s, rank, "chemistry", 700 * US * (1 + (rank == 1 ? 0.9 * p->amount : 0)));
		compute_in(s, rank, "advect", 300 * US);
		compute_in(s, rank, "diffuse", 200 * US);
		do_enter(s, rank, "pressure");
		do_compute(s, rank, 200 * US);
		exchange_line(s, rank, p->ranks, 1024);
		do_leave(s, rank);
		allreduce(s, rank);
	}
}

/* One comes last each time; what costs most the first time is not what is lost. */
static void late_to_all(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "transpose");
		do_compute(s, rank, MS * (1 + (rank == 0 ? 2 * p->amount : 0)));
		do_collective(s, rank, "MPI_Alltoall", 65536, NO_ROOT, 10 * US + p->amount * (i ? MS : 12 * MS));
		do_leave(s, rank);
	}
}

static void once_for_all(struct simulated *s, uint32_t rank, const struct planting *p)
{
	for (uint64_t i = 0; i < 60; i++)
		step(s, rank, p->ranks, i, i == 17 ? 30 * p->amount : 0);
}

/* ------------------------------------------------------------------ the table */

#define NET USUAL_NETWORK
#define CONTENDED                                                                                                      \
	{                                                                                                              \
		.latency = 2e-6, .bandwidth = 250e6, .eager = 16384, .post = 0.4e-6, .call = 0.5e-6, .contended = 8000 \
	}
#define LINK                                                                                                           \
	{                                                                                                              \
		.latency = 2e-6, .bandwidth = 10e9, .eager = 16384, .post = 0.4e-6, .call = 0.5e-6, .from = 3,         \
		.to = 4, .link_latency = 300e-6, .link_bandwidth = 1e9                                                 \
	}

const struct planted planted[] = {
	{"some ranks are slow", slow_ranks, 16, NET, "forces", "tag11", "slow computation", "ranks 12-15", "all 60"},
	{"one rank is slow", slow_rank, 16, NET, "forces", "tag11", "slow computation", "rank 5", "all 60"},
	{"a line of the grid is slow", grid_line, 16, NET, "forces", "tag11", "slow computation", "ranks 0,4,8,12",
		"all 60"},
	{"one iteration is", one_iteration, 16, NET, "forces", "tag11", "slow computation", "rank 9", "17 of 60"},
	{"a few are", few_iterations, 16, NET, "forces", "tag11", "slow computation", "rank 9", "3, 20 and 41 of 60"},
	{"every eighth is", every_eighth, 16, NET, "forces", "tag11", "slow computation", "ranks 0-1",
		"every 8th: 7, 15, 23"},
	{"a trend", growing, 16, NET, "forces", "tag11", "slow computation", "ranks 8-11", "growing"},
	{"an iteration of an inner loop", inner_iteration, 8, NET, "relax", "tag1", "slow computation", "rank 2",
		"i1 = 2 of 6"},
	{"in the second of two loops", two_loops, 8, NET, "implicit", "tag1", "slow computation", "rank 2", "all 50"},
	{"from the middle on", second_half, 16, NET, "forces", "tag11", "slow computation", "rank 3", "30-59 of 60"},
	{"a serial stage", serial_stage, 8, NET, "assemble", "MPI_Bcast", "serial stage|slow computation", "rank 0",
		"all 50"},
	{"a chain", chain, 8, NET, "sweep", "tag5", "chain", "all 8 ranks", "all 40"},
	{"a lock", lock, 8, NET, "lock", "", "chain", "ranks", "all 40"},
	{"a wavefront", wavefront, 16, NET, "wave", "tag6", "chain", "all 16 ranks", "all 30"},
	{"a late sender", late_sender, 8, NET, "handover", "", "late sender", "rank 4", "all 50"},
	{"a late receiver", late_receiver, 8, NET, "handover", "", "late receiver", "rank 2", "all 50"},
	{"a master", master, 8, NET, "farm", "", "serial stage", "rank 0", "all 60"},
	{"a master that works", busy_master, 9, NET, "tasks", "", "serial stage", "rank 0", "all 60"},
	{"one to whom all send", gathered, 8, NET, "gather", "tag31", "", "rank 0", "all 40"},
	{"a slow link", slow_link, 8, LINK, "halo", "tag1", "slow link", "ranks 3 and 4", "all 50"},
	{"a collective that costs", collective_cost, 8, NET, "transpose", "MPI_Alltoall", "expensive collective",
		"MPI_Alltoall", "all 50"},
	{"messages that grow", growing_messages, 8, NET, "halo", "tag1", "growing messages", "", "growing"},
	{"transfer that is not overlapped", not_overlapped, 8, NET, "halo", "tag1", "transfer", "", "all 50"},
	{"another rank each time", moving, 16, NET, "forces", "tag11", "slow computation",
		"all 16 ranks, another one each time", "all 64"},
	{"the root of a broadcast is late", late_root, 12, NET, "params", "", "serial stage", "rank 6", "all 60"},
	{"a root that decides for all", busy_root, 8, NET, "decide", "MPI_Reduce+MPI_Bcast",
		"serial stage|slow computation", "rank 2", "all 50"},
	{"warm-up of one rank", warm_rank, 16, NET, "forces", "tag11", "slow computation", "rank 5",
		"the first 4 of 60: 0-3"},
	{"warm-up", warm_up, 16, NET, "forces", "tag11", "slow", "all 16 ranks", "the first 5 of 50: 0-4"},
	{"cells refined here and there", irregular, 16, NET, "forces", "tag11", "imbalance without a pattern",
		"all 16 ranks: computation varies between ranks in each iteration; the busiest computes", "all 60"},
	{"balanced in sum only", balanced_in_sum, 16, NET, "forces", "tag11", "imbalance", "ranks", "all 60"},
	{"a long start", long_start, 8, NET, "MPI_Init", "MPI_Init", "", "", ""},
	{"a region in two loops", same_region, 8, NET, "diffuse", "tag1", "slow computation", "rank 5", "all 30"},
	{"a late receiver among others", late_receiver_in_a_line, 12, NET, "pass", "tag8", "", "rank 9", "all 50"},
	{"a delay that shows later", delayed, 8, NET, "chemistry", "", "slow computation", "rank 4", "all 50"},
	{"two at once", two_faults, 16, NET, "forces", "tag11", "slow computation", "rank 3", "all 50"},
	{"receives in a fixed order", fixed_order, 8, NET, "produce|collect", "tag31", "slow computation", "rank 1",
		"all 50"},
	{"beyond the eager limit", beyond_eager, 8, NET, "shift", "tag9", "chain", "ranks", "all 40"},
	{"an idle wave", idle_wave, 16, NET, "halo", "tag1", "slow computation", "rank 7", "10 of 60"},
	{"a remainder", more_rows, 16, NET, "forces", "tag11", "slow computation", "ranks 0-4", "all 60"},
	{"small messages", small_messages, 8, NET, "columns", "tag1", "transfer", "", "all 30"},
	{"coarse levels", coarse_levels, 16, NET, "coarse", "tag14", "", "0,4,8,12", "all 40"},
	{"throttling", throttled, 16, NET, "forces", "tag11", "slow", "all 16 ranks", "40-59 of 60"},
	{"what ends every third iteration", flushed, 9, NET, "flush|rhs", "tag1", "", "rank 2", "every 3rd: 2, 5, 8"},
	{"every fourth, and others now and then", disturbed, 8, NET, "limiter", "tag1", "slow computation", "rank 3",
		"every 4th: 1, 5, 9"},
	{"the roots of rows are late", late_root_in_rows, 9, NET, "panel", "MPI_Bcast", "", "ranks 1,4,7 (x = 1)",
		"all 40"},
	{"all send at once", contention, 6, CONTENDED, "transpose", "tag40", "contention", "all 6 ranks", "all 40"},
	{"odd iterations", odd_iterations, 12, NET, "forces", "tag11", "slow computation", "rank 2",
		"every 2nd: 1, 3, 5"},
	{"odd iterations of all", odd_for_all, 9, NET, "forces", "tag11", "slow", "all 9 ranks", "every 2nd: 1, 3, 5"},
	{"one of four in turn", in_turn, 4, NET, "forces", "tag11", "slow computation", "all 4 ranks, another one",
		"all 48"},
	{"a delay that shows two phases later", two_phases_later, 6, NET, "chemistry|pressure", "tag1",
		"slow computation", "rank 1", "all 40"},
	{"one comes last to a collective that costs", late_to_all, 4, NET, "transpose", "MPI_Alltoall",
		"slow computation", "rank 0", "all 30"},
	{"one iteration of all", once_for_all, 16, NET, "forces", "tag11", "slow", "all 16 ranks", "17 of 60"},
	{"in a rotated loop", rotated, 6, NET, "flush|start", "tag2", "", "rank 1", "every 3rd: 2, 5, 8"},
};
const size_t planted_count = sizeof planted / sizeof *planted;

struct simulated *planted_run(const struct planted *x, uint64_t seed, double noise, bool faulty)
{
	static const struct network healthy = USUAL_NETWORK;
	struct simulated *s = simulated_new(faulty ? &x->net : &healthy, x->ranks, seed, noise);
	struct planting p = {.ranks = x->ranks, .amount = faulty ? 1 : 0};
	for (uint32_t rank = 0; rank < x->ranks; rank++)
		x->program(s, rank, &p);
	simulated_run(s);
	return s;
}
