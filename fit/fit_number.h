/*
 * fit_number.h -- a column of numbers over (process, indices) as one function: the shortest that is
 * right for every number.
 *
 *	struct fit *f = fit_new(16, &grid);
 *	const struct fitted *found = fit_points(f, FIT_PEER, &points);
 *	... found->place, found->price ...
 *	fit_free(f);
 *
 * Tried are, shortest first (design 17, step 9): a constant; affine in indices, p, coordinates; a
 * remainder of one of these; c0 + c1 2^u + c2 4^u; base + (affine)%m + (affine)%m*m; floor division;
 * a product of two short tables; of peers p+, p^, (p+)%P, @(..), coordinates exchanged or moved by
 * an index, moved along each axis by a table; else the smallest table, perhaps beside a formula.
 * Evidence: a formula has to explain more points than it has numbers of its own.
 */
#ifndef TRACENEST_FIT_FIT_NUMBER_H
#define TRACENEST_FIT_FIT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/formula.h"

enum fit_what {
	FIT_NUMBER,
	FIT_TAG,
	FIT_SIZE,
	FIT_COUNT,
	FIT_PEER,
	FIT_NEIGHBOUR, /* a peer by a table of offsets (place_stencil), or not said */
	FIT_CONDITION,
	FIT_DATA, /* goes with what stands there anyway: then a line through two points saves a table */
	FIT_FORMULA /* the same, but for tables, of which there are none */
};

/* Numbers, and where they were seen. Indices that make no difference are not in there. */
struct fit_points {
	const uint32_t *process; /* of each point */
	const int64_t *index; /* point by point, one for each live loop, the outermost first */
	const int64_t *number;
	size_t count;
	const uint32_t *live; /* the depths of the loops whose indices are told */
	uint32_t lives;
};

struct fitted {
	struct value value; /* but for FIT_PEER and FIT_NEIGHBOUR: */
	struct place place;
	uint32_t price; /* hundredths of a statement, without tables; look-ups included */
	struct fitted_table {
		const struct table *table; /* that is looked up, once or twice, or NULL; equal tables are one */
		uint32_t price; /* of the table itself, to be paid once */
		uint32_t unused; /* 0 */
	} table[GRID_AXES]; /* those that there are come first */
	bool said; /* false: there is no way to say it (too many arguments): it must not be taken */
};

struct fit;

/* grid: copied; axes 0: none. */
struct fit *fit_new(uint32_t processes, const struct grid *);
/* From now on what is no formula is not said. */
void fit_without_tables(struct fit *);
void fit_free(struct fit *); /* its tables stay with whoever shares them (table_share) */

/* What is found is right for every point, and stays valid until fit_free; asking again looks again.
   Where it is constant or affine: O(points x indices); else times the sets of arguments that tables
   may have, most of which are given up early (fit/limits.h). */
const struct fitted *fit_points(struct fit *, enum fit_what, const struct fit_points *);

/* Of a stencil (place_stencil): is each number 1 where that is inside of the open grid, else 0? */
bool fit_is_inside(const struct fit *, const struct place *, const struct fit_points *);

/* Is rank `to` beyond `from` by what is the same wherever else it is inside, along each axis, or on
   the line? */
struct fit_offset {
	int64_t axis[GRID_AXES];
};
struct fit_offset fit_offset(const struct fit *, uint32_t from, uint32_t to);
bool fit_has_offset(const struct fit *, uint32_t from, const struct fit_offset *);

#endif
