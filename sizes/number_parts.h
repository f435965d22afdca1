/*
 * number_parts.h -- what a number is made of that is the same for all processes and iterations:
 * constants, and in parametric texts formulas; and the same number with others in their places.
 *
 *	number_parts_of(store, tag, PARTS_OF_NUMBER, &parts);		-- {3000+(x+y)%4*2}: 3000, 2, 4
 *	number_with_parts(store, tag, PARTS_OF_NUMBER, part)		-- {1000*X+(x+y)%X*2}
 */
#ifndef TRACENEST_SIZES_NUMBER_PARTS_H
#define TRACENEST_SIZES_NUMBER_PARTS_H

#include "model/number.h"

/* Of one number. */
#define PARTS_MOST 24

struct number_parts {
	uint32_t length;
	node_id part[PARTS_MOST];
	bool factor[PARTS_MOST]; /* 1 there is a name with nothing before it, not a number of its own */
	bool has_more;
};

enum parts_of {
	PARTS_OF_NUMBER,
	PARTS_OF_PLACE, /* a peer, or a root */
	PARTS_OF_FREE_NUMBER /* its constant is the first, even if it is 0 */
};

/* Of what is 0, or a factor of 1, there is none. */
void number_parts_of(struct store *, node_id number, enum parts_of, struct number_parts *);

/* NODE_NONE: these make no number: 64 bits do not suffice, a remainder by nothing. */
node_id number_with_parts(struct store *, node_id number, enum parts_of, const node_id *part);

/* Is it the same for all processes and iterations? */
bool number_is_common(const struct store *, node_id number);

#endif
