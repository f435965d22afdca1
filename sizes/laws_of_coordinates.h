/*
 * laws_of_coordinates.h -- numbers that depend on one coordinate: blocks of N points with
 * remainders, and what one process has that others have not.
 *
 *	8*share(250,X,x)  40*(share(33,X,x)-(x==0)-(x==X-1))  4*(p==0)
 *
 * All laws that explain what was seen in every run are kept (number_space.h). A law of shares has
 * the whole, N, which is the same in all runs; a unit; and what the first block and the last one
 * have more or less than theirs.
 *
 * Of a process on a square, faces of cells: a multipartition gives process (x, y) the X cells
 * (x+c, y-c, c), so that each has as many in every plane (Bruno & Cappello 1988; NPB's BT and SP),
 * and it sends the faces of all cells but the one at the border, in one message:
 *
 *	80*sum(c,X,((x+c)%X!=X-1)*share(24,X,(y-c)%X)*share(24,X,c))
 */
#ifndef TRACENEST_SIZES_LAWS_OF_COORDINATES_H
#define TRACENEST_SIZES_LAWS_OF_COORDINATES_H

#include "sizes/number_space.h"

/* What was seen in a run by coordinate. */
struct column_of_coordinate {
	int64_t *value;
	bool *known;
	uint32_t length; /* the extent */
};

/* Nothing is known of it yet. */
struct column_of_coordinate column_new(uint32_t length);
void column_clear(struct column_of_coordinate *);

enum law_kind { LAW_OF_ONE, LAW_OF_SHARES, LAW_OF_FACES }; /* of one: the first, or the last, has another number */

struct coordinate_law {
	enum law_kind kind;
	node_id number; /* what a table of the coordinate has */
};

/* How many, the shortest first; the array is the caller's. */
size_t coordinate_laws_of(
	const struct learned_runs *, uint32_t axis, const struct column_of_coordinate *seen, struct coordinate_law **);

/* Is there one, and do all say this at these extents? */
bool coordinate_laws_agree(const struct learned_runs *, const struct coordinate_law *, size_t count, uint32_t axis,
	const struct extents *, const struct column_of_coordinate *there);

#endif
