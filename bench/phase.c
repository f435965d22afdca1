/*
 * phase.c -- what turning loops costs: time per construct as programs grow, which should stay the
 * same.
 *
 *	phase		a row for each kind of program, and for each size
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fold/phase.h"
#include "nlr/nlr.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	return (uint32_t)(hash_mix(++*seed) % below);
}

/* ------------------------------------------------------------------ programs */

struct recording {
	struct nlr *nlr;
	uint64_t seed;
};

/* Each loop of records of its own, and part of an iteration behind it. */
static void different_loops(struct recording *r, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++) {
		uint32_t period = 3 + draw(&r->seed, 5), iterations = 4 + draw(&r->seed, 5);
		uint32_t records = iterations * period + draw(&r->seed, period);
		for (uint32_t k = 0; k < records; k++)
			nlr_push(r->nlr, 8 * i + k % period);
		nlr_push(r->nlr, 8 * size + i);
	}
}

/* Loops over one body, begun anywhere. */
static void rotations(struct recording *r, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++) {
		uint32_t begin = draw(&r->seed, 4), records = 16 + draw(&r->seed, 20);
		for (uint32_t k = 0; k < records; k++)
			nlr_push(r->nlr, (begin + k) % 4);
		nlr_push(r->nlr, 4 + draw(&r->seed, 3));
	}
}

static void noise(struct recording *r, uint32_t size)
{
	for (uint32_t i = 0; i < 8 * size; i++)
		nlr_push(r->nlr, draw(&r->seed, 3));
}

/* Loops inside of loops, all with parts of iterations around them, as deep as the size allows. */
static void deep(struct recording *r, uint32_t size)
{
	size_t length = 2, room = 32 * (size_t)size;
	uint32_t *records = mem_array(room, sizeof *records), level = 2;
	records[0] = 0;
	records[1] = 1;
	while (5 * length + 1 < room) {
		size_t before = draw(&r->seed, (uint32_t)length), behind = draw(&r->seed, (uint32_t)length);
		size_t all = before + 3 * length + behind;
		uint32_t *next = mem_array(room, sizeof *next);
		for (size_t i = 0; i < all; i++)
			next[i] = records[(length - before + i) % length];
		next[all] = level++;
		free(records);
		records = next;
		length = all + 1;
	}
	for (size_t i = 0; i < length; i++)
		nlr_push(r->nlr, records[i]);
	free(records);
}

static const struct {
	const char *name;
	void (*run)(struct recording *, uint32_t size);
} kinds[] = {
	{"different loops", different_loops},
	{"rotations of one loop", rotations},
	{"noise", noise},
	{"deep", deep},
};

/* ------------------------------------------------------------------ rows */

static uint64_t constructs(const struct nest *n)
{
	return nest_constructs(n, n->root, n->root_length);
}

int main(void)
{
	printf("%-24s %12s %12s %10s %14s\n", "", "constructs", "turned", "seconds", "us/construct");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		for (uint32_t size = 1000; size <= 64000; size *= 4) {
			struct recording r = {nlr_new(NULL), 1};
			kinds[i].run(&r, size);
			struct nest *n = nlr_finish(r.nlr);
			double start = now();
			struct nest *turned = phase_turned(n, NLR_REPETITIONS);
			double seconds = now() - start;
			printf("%-24s %12" PRIu64 " %12" PRIu64 " %10.3f %14.2f\n", kinds[i].name, constructs(n),
				constructs(turned ? turned : n), seconds, 1e6 * seconds / (double)constructs(n));
			nest_free(turned);
			nest_free(n);
		}
	}
}
