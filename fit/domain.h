/*
 * domain.h -- where numbers were seen: the points of a column, coordinate by coordinate.
 *
 * A source is a coordinate of a point: the rank, its place along an axis, the index of a loop. Only
 * sources that differ between points are there. A variable is what a table may be asked for: a
 * source, or the sum of two modulo a size.
 */
#ifndef TRACENEST_FIT_DOMAIN_H
#define TRACENEST_FIT_DOMAIN_H

#include "fit/fit_number.h"

/* The index of the outermost loop that can be named first: VARIABLE_INDEX + k is the k-th from
   behind. */
enum { SOURCE_P, SOURCE_AXIS, SOURCE_INDEX = SOURCE_AXIS + GRID_AXES, SOURCES = SOURCE_INDEX + INDEX_DEPTH };

/* A sum of sources, each so many times, and a number. */
struct linear {
	int64_t constant, factor[SOURCES];
};
uint32_t linear_terms(const struct linear *); /* without the constant */
node_id linear_node(struct store *, const struct linear *);
node_id source_node(struct store *, int source);

#define OF_P (UINT32_C(1) << SOURCE_P)
#define OF_AXES (((UINT32_C(1) << GRID_AXES) - 1) << SOURCE_AXIS)
#define OF_INDICES (((UINT32_C(1) << INDEX_DEPTH) - 1) << SOURCE_INDEX)

/* Numbers by point, borrowed. */
struct column {
	const int64_t *at;
	int64_t least, most;
};
struct column column_of(const int64_t *at, size_t count);
bool column_is_constant(const int64_t *at, size_t count);

struct variable {
	struct linear as; /* how it is written, */
	int64_t modulus; /* modulo that; 0: as it is */
	uint32_t sources; /* bits */
	struct column column; /* of a table's argument: not negative */
};

struct domain {
	struct environment environment; /* of no point */
	int64_t index[INDEX_DEPTH]; /* its indices */
	const struct fit_points *points; /* borrowed */
	size_t count;
	uint32_t sources; /* bits: those that are there */
	int64_t *source[SOURCES]; /* by point; NULL: not there */
	struct column column[SOURCES]; /* the same */
};

/* Points without their numbers. O(points x sources). */
void domain_make(struct domain *, struct store *, uint32_t processes, const struct grid *, const struct fit_points *);
void domain_clear(struct domain *);

/* Is what a sum, a place or a test comes to the number of each point? */
bool domain_proves(const struct domain *, const int64_t *number, node_id);

/* How many times a coordinate goes: the size of the axis, the processes; 0: an index. */
uint32_t source_size(const struct domain *, int source);

/* An environment in which a number comes to what it is at points. index: INDEX_DEPTH of them. */
struct environment points_environment(struct store *, uint32_t processes, const struct grid *, int64_t *index);
void points_move(struct environment *, const struct fit_points *, size_t point);
/* False: it does not come out there. Of a test 1 or 0. */
bool points_number(struct environment *, const struct fit_points *, size_t point, node_id, int64_t *number);

/* Are there at least so many points that differ in these sources? O(points) at most. */
bool domain_has(const struct domain *, uint32_t sources, size_t least);

/* Points that are the same in some columns. groups_first: the first one that was asked for and is
   the same as this, or itself. */
struct point_groups;
struct point_groups *groups_new(size_t count, const struct column *, uint32_t columns); /* columns: borrowed */
void groups_free(struct point_groups *);
size_t groups_first(struct point_groups *, size_t point);

/* What numbers are by these variables: the different points, ascending, the first variable
   slowest. */
struct cells {
	uint32_t arguments;
	size_t count;
	int64_t *at; /* by cell, one for each argument */
	int64_t *number;
};

/* False, early, if they do not decide the numbers. */
bool cells_make(struct cells *, const struct domain *, const int64_t *number, const struct variable *const *,
	uint32_t arguments);
void cells_clear(struct cells *);

#endif
