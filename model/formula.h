/*
 * formula.h -- what a folded statement says as a function of the process that executes it: numbers, ranks, groups.
 *
 *	{3000+y}  {(x+y)%4+(-x)%4*4}		numbers
 *	3  p  p+4  p^2  (p+1)%16  @(x+1,y)  @(y,x)	ranks
 *	0-15  @(*,y)				groups
 *	{5+2*i0}  p+1+i0  (p+1+i0)%16  @(x+1+i0,y)	with the indices of the loops around
 *
 * The process stands on a grid: p = x + NX*(y + NY*(z + NZ*w)). Each coordinate of a rank on the grid is taken modulo its size.
 * All structs are plain integers without padding, so that their bytes are their identity.
 */
#ifndef TRACENEST_MODEL_FORMULA_H
#define TRACENEST_MODEL_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ranks.h"
#include "base/text.h"

#define GRID_AXES 4

struct grid {
	uint32_t axes; /* 0: there is no grid; else 2 to GRID_AXES */
	uint32_t size[GRID_AXES];
};

/* Where a process stands. */
struct spot {
	int64_t p, axis[GRID_AXES]; /* axes that the grid lacks: 0 */
};

struct spot grid_spot(const struct grid *, uint32_t rank);
uint64_t grid_ranks(const struct grid *); /* the product of the sizes */

/* A move along an axis of this size, as the number next to 0 that means the same: from -(size-1)/2 to size/2. */
int64_t grid_nearest(int64_t move, uint32_t size);

/* constant + p*P + axis[0]*x + axis[1]*y + ... */
struct affine {
	int64_t constant, p, axis[GRID_AXES];
};

/* (inside modulo modulus) * factor; the remainder is never negative. modulus 0: not there. */
struct remainder {
	struct affine inside;
	int64_t modulus, factor;
};

#define REMAINDERS 3

struct value {
	struct affine plain;
	struct remainder remainder[REMAINDERS];
};

enum place_kind { PLACE_NONE, PLACE_NUMBER, PLACE_OFFSET, PLACE_XOR, PLACE_RING, PLACE_GRID };

struct place {
	int64_t kind; /* enum place_kind */
	int64_t number; /* NUMBER: the rank; OFFSET, RING: what is added to p; XOR: what p is combined with */
	int64_t modulus; /* RING */
	struct affine axis[GRID_AXES]; /* GRID */
};

/* A group that depends on the process: the line, plane, ... of the grid through it. */
struct area {
	int64_t on_grid; /* 0: a fixed set, which stands elsewhere */
	int64_t all[GRID_AXES]; /* every coordinate of this axis: '*' */
	struct affine axis[GRID_AXES]; /* of the others */
};

/* Loops around a statement whose indices may stand in it, the outermost first. */
#define INDEX_DEPTH 12

/* What is added to a number for each index; the first iteration of a loop has index 0. */
struct advance {
	int64_t by[INDEX_DEPTH];
};

bool advance_is_none(const struct advance *);

/* number + by[0]*index[0] + ...; false where 64 bits do not suffice. */
bool advance_add(const struct advance *, const int64_t *index, uint32_t depth, int64_t *number);

/* A longer name of an index is not told from others that begin with it. */
#define INDEX_NAME 31

/* The loops around a line of text. */
struct index_name {
	const char *name;
	size_t length;
	int64_t low; /* of the index as it is written */
};
struct scope {
	const struct grid *grid;
	const struct index_name *index;
	size_t depth;
};

static inline struct value value_of(int64_t constant)
{
	return (struct value){.plain.constant = constant};
}
bool value_is_constant(const struct value *);
int64_t value_at(const struct value *, const struct spot *);

/* The rank; negative or beyond the processes where there is none. */
int64_t place_at(const struct place *, const struct grid *, const struct spot *);

/* to: replaced. */
void area_at(const struct area *, const struct grid *, const struct spot *, struct ranks *to);

bool area_has(const struct area *, const struct grid *, const struct spot *); /* is the process itself in its group? */

/* A value prints with its braces. An advance (NULL: none) belongs to the constant; of a place on the grid there is one for each coordinate. */
void value_print(const struct value *, const struct advance *, struct text *);
void place_print(const struct place *, const struct advance *, const struct grid *, struct text *);
void area_print(const struct area *, const struct grid *, struct text *);

/*
 * Read what stands at *at and move it behind. False with *error (without a place) set. The area's text starts with '@'. The advance is set;
 * NULL: indices may not stand here. place_parse wants GRID_AXES of them.
 */
bool value_parse(struct value *, struct advance *, const struct scope *, const char **at, struct error *);
bool place_parse(struct place *, struct advance *, const struct scope *, const char **at, struct error *);
bool area_parse(struct area *, const struct scope *, const char **at, struct error *);

#endif
