/*
 * affine.h -- loop nests whose numbers and bounds are affine functions of the indices of the loops
 * around them.
 *
 *	for i0 = 0 to 9
 *	  for i1 = 0 to {0+1*i0}		-- a triangle
 *	    load {4096+80*i0+8*i1}
 *
 * A node is a record (a shape, and as many numbers as records of that shape have) or a loop (a
 * count of iterations and a body). A value below d loops is 1 + d whole numbers of 64 bits: a
 * constant, and a factor for the index of each loop around it, outermost first. A loop whose count
 * is negative for some indices does nothing there. (Ketterlin & Clauss, CGO 2008.)
 */
#ifndef TRACENEST_MODEL_AFFINE_H
#define TRACENEST_MODEL_AFFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* Numbers of a record. */
#define AFFINE_WIDTH 64

/* Loops nest no deeper. */
#define AFFINE_DEPTH 200

/* Shapes are numbers below this. */
#define AFFINE_SHAPES UINT32_C(0x80000000)

struct affine_node {
	uint32_t shape; /* AFFINE_LOOP: a loop */
	uint32_t width; /* numbers of a record */
	/* vectors of 1 + depth whole numbers: one for each number of a record; one for the count of
	   a loop */
	int64_t *value;
	struct affine_node *body;
	size_t length;
};

#define AFFINE_LOOP UINT32_MAX

static inline bool affine_is_loop(const struct affine_node *n)
{
	return n->shape == AFFINE_LOOP;
}

struct affine_nest {
	struct arena *arena; /* everything but the root */
	struct affine_node *root;
	size_t length, capacity;
};

struct affine_nest *affine_nest_new(void);
void affine_nest_free(struct affine_nest *);
void affine_nest_append(
	/* to the root; body and values borrowed: of this nest's arena */
	struct affine_nest *, const struct affine_node *);

/* The value at these indices. False where 64 bits do not suffice. */
bool affine_value(const int64_t *vector, const int64_t *index, size_t depth, int64_t *value);

/*
 * Is the value of this vector, below these loops, at least 0 wherever their indices go? around: the
 * vectors of their counts, outermost first. Exact but for 64 bits, and for loops that some indices
 * leave without an iteration: these count as if they began one. O(depth^2).
 */
bool affine_never_negative(const int64_t *vector, const int64_t *const *around, size_t depth);

/* Records and loops as printed. Saturates. */
uint64_t affine_constructs(const struct affine_node *, size_t length);

/* Loops as printed. */
size_t affine_loops(const struct affine_node *, size_t length);

/* ------------------------------------------------------------------ running a nest */

/*
 *	struct affine_walk *w = affine_walk_new(nest);
 *	while (affine_walk_next(w, &shape, &number))
 *		...					-- number: as many as the shape has, until the next call
 *	affine_walk_free(w);
 *
 * Constant time per record, for loops that do something. The nest must not change meanwhile.
 */
struct affine_walk;
struct affine_walk *affine_walk_new(const struct affine_nest *);
void affine_walk_free(struct affine_walk *);
bool affine_walk_next(struct affine_walk *, uint32_t *shape, const int64_t **number);

/* Why did it end: did a value go beyond 64 bits; or did so many iterations in a row hold no record
   (only a nest written by hand does that)? */
bool affine_walk_overflowed(const struct affine_walk *);
bool affine_walk_idle(const struct affine_walk *);
#define AFFINE_IDLE_LIMIT 10000000

#endif
