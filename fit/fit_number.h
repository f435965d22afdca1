/*
 * fit_number.h -- a column of numbers over (process, indices) as one function: the shortest that is
 * right for every number.
 *
 *	struct fit *f = fit_new(store, 16, &grid);
 *	const struct fitted *found = fit_points(f, FIT_PEER, &points);
 *	... found->number, found->price ...
 *	fit_free(f);
 *
 * Tried are, shortest first (design 17, step 9): a constant; affine in indices, p, coordinates; a
 * remainder of one of these; c0 + c1 2^u + c2 4^u; base + (affine)%m + (affine)%m*m; floor division;
 * a product of two short tables; of peers p+, p^, (p+)%P, @(..), coordinates exchanged or moved by
 * an index, moved along each axis by a table; of sizes what one process has alone, or all but one;
 * else the smallest table, perhaps beside a formula.
 * Evidence: a formula has to explain more points than it has numbers of its own.
 */
#ifndef TRACENEST_FIT_FIT_NUMBER_H
#define TRACENEST_FIT_FIT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/number.h"

enum fit_what {
	FIT_NUMBER,
	FIT_TAG,
	FIT_SIZE,
	FIT_COUNT,
	FIT_PEER,
	FIT_NEIGHBOUR, /* a peer by a table of offsets, p+$d[i0] or @(x+$dx[i0],y), or not said */
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
	const uint32_t *live; /* of the loops whose indices are told: how many loops stand between, VARIABLE_INDEX + */
	uint32_t lives;
	const char *name; /* of tables; NULL: by what it is */
};

/* No padding: its bytes are its identity. */
struct fitted {
	/* a sum, as seen from where the numbers were; of a FIT_CONDITION a TEST, or 1 or 0 where it always
	   or never holds; NODE_NONE: there is no way to say it (too many arguments) */
	node_id number;
	uint32_t price; /* hundredths of a statement, without tables; look-ups included */
	struct fitted_table {
		node_id table; /* that is looked up, once or twice, or NODE_NONE; equal tables are one */
		uint32_t price; /* of the table itself, to be paid once */
	} table[GRID_AXES]; /* those that there are come first */
};

struct fit;

/* Makes nodes in this store, which outlives it. grid: copied; axes 0: none. */
struct fit *fit_new(struct store *, uint32_t processes, const struct grid *);
struct store *fit_store(const struct fit *);
/* From now on what is no formula is not said. */
void fit_without_tables(struct fit *);
void fit_free(struct fit *);

/* What is found is right for every point, and stays valid until fit_free; asking again looks again.
   Where it is constant or affine: O(points x indices); else times the sets of arguments that tables
   may have, most of which are given up early (fit/limits.h). */
const struct fitted *fit_points(struct fit *, enum fit_what, const struct fit_points *);

/* Of a FIT_NEIGHBOUR: is each number 1 where that is inside of the open grid, else 0? */
bool fit_is_inside(const struct fit *, node_id place, const struct fit_points *);

/* Is rank `to` beyond `from` by what is the same wherever else it is inside, along each axis, or on
   the line? */
struct fit_offset {
	int64_t axis[GRID_AXES];
};
struct fit_offset fit_offset(const struct fit *, uint32_t from, uint32_t to);
bool fit_has_offset(const struct fit *, uint32_t from, const struct fit_offset *);

#endif
