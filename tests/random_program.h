/*
 * random_program.h -- random loop nests with random annotations, run naively: what positions and
 * scanners are held against.
 *
 *	struct random_program *p = random_program_new(seed, PROGRAM_LOCALS | PROGRAM_SETS);
 *	random_program_print(p, true, &text);			-- a model's text, with its annotations
 *	random_program_run(p, rank, visit, context);		-- every place that the process comes by, with its position
 */
#ifndef TRACENEST_TESTS_RANDOM_PROGRAM_H
#define TRACENEST_TESTS_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define PROGRAM_RANKS 6u
#define PROGRAM_DEPTH 4u

struct random_program;

#define PROGRAM_LOCALS 1u /* with events that are no communication */
#define PROGRAM_SETS 2u /* with statements over sets of processes, and with tags and counts that advance */
#define PROGRAM_IRREGULAR 4u /* with guards, tables, and counts that depend on the process or are below 0 */
struct random_program *random_program_new(unsigned seed, unsigned kind);
void random_program_free(struct random_program *);
void random_program_print(const struct random_program *, bool annotated, struct text *);

/* Most loops around an annotation. */
size_t random_program_depth(const struct random_program *);

enum random_program_place { PLACE_START, PLACE_END, PLACE_ITERATION, PLACE_ITERATION_END };

/* A process comes to a place of a construct: before so many of its events, in these iterations of
   the loops around (of the loop itself, where it is an iteration's). */
struct random_program_visit {
	enum random_program_place place;
	const char *address;
	uint32_t rank;
	size_t depth;
	const int64_t *index; /* of guards, 0 */
	uint32_t guards; /* which of the loops around are some: a bit each */
	uint64_t position;
	const char *event; /* PLACE_START of an event: its line as this process sees it; else NULL */
	const char *const *label, *const *attribute; /* of the annotations here that ask this process */
	size_t annotations;
};

void random_program_run(const struct random_program *, uint32_t rank,
	void (*visit)(void *context, const struct random_program_visit *), void *context);

#endif
