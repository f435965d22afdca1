/*
 * arrival.h -- how control came to an event, in the innermost loop around it: times differ by the
 * path that was taken (X. Wu, F. Mueller et al.: ScalaTrace's path-sensitive times).
 *
 *	struct control control = {0};
 *	while (cursor_next(c))
 *		... arrival_next(c, &control)
 */
#ifndef TRACENEST_ASK_ARRIVAL_H
#define TRACENEST_ASK_ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"

enum arrival {
	ARRIVAL_START, /* the first event of the process */
	ARRIVAL_STRAIGHT, /* from the statement before */
	ARRIVAL_ENTRY, /* into the loop, from outside */
	ARRIVAL_NEXT, /* from the iteration before */
	ARRIVAL_EXIT, /* out of a loop inside */
	ARRIVALS
};

const char *arrival_name(enum arrival); /* "entry" */
bool arrival_named(const char *name, enum arrival *); /* false: none is called so */

/* Where control is: the first lines of the bodies of the loops around, the outermost first, and
   their indices. Guards are no loops here. {0}: nowhere yet. */
struct control {
	bool any;
	size_t loops;
	size_t loop[INDEX_DEPTH];
	int64_t index[INDEX_DEPTH];
};

/* How control came from where it was to the event that the cursor stands at, where it is now.
   O(depth). */
enum arrival arrival_next(const struct cursor *, struct control *);

#endif
