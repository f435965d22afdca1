/*
 * stretch.h -- sequences of nodes of a nest, cut anywhere, and how far they go on with what a loop
 * repeats. Private to fold/.
 */
#ifndef TRACENEST_FOLD_STRETCH_H
#define TRACENEST_FOLD_STRETCH_H

#include <stdbool.h>

#include "fold/digests.h"

#define NODE_UNKNOWN 0 /* in tables of loops: a record, which is no loop */

/* Also a stack, whose top is the last node. */
struct sequence {
	node *node;
	size_t length, capacity;
};

void sequence_add(struct sequence *, node);
void sequence_add_all(struct sequence *, const node *, size_t length);
void sequence_add_reversed(struct sequence *, const struct sequence *);
bool sequence_equal(const struct sequence *, const struct sequence *);
void sequence_clear(struct sequence *);

/* The length of the shortest sequence of which it is copies. O(length) for each of its divisors. */
size_t sequence_period(const struct sequence *);

/* A nest that grows, and what its parts are. */
struct stretches {
	struct nest *nest; /* owned */
	struct digests digests;
	unsigned repetitions; /* adjacent copies that become a loop */
};

void stretches_start(struct stretches *, unsigned repetitions);
void stretches_end(struct stretches *);

uint64_t stretch_constructs(const struct stretches *, const struct sequence *);

/*
 * Append so many iterations of a body: no loop where they are too few for one. A body that is
 * copies of a shorter one, or just one loop, multiplies.
 */
void stretch_add_loop(struct stretches *, uint64_t count, const struct sequence *body, struct sequence *to);

/* Append the nodes of a loop's body; those of an iteration that begins behind so many of its
   records. */
void stretch_add_body(const struct stretches *, node loop, struct sequence *to);
void stretch_rotate(struct stretches *, node loop, uint64_t records, struct sequence *to);

/* The first records go to a, the others to b. A loop that is cut through becomes two, and the
   iteration cut through is itself cut. */
void stretch_cut(struct stretches *, const struct sequence *, uint64_t records, struct sequence *a, struct sequence *b);

/* Take records off the end of a sequence; off the front of one that is held as a stack with its
   first node on top. */
void stretch_drop_last(struct stretches *, struct sequence *, uint64_t records);
void stretch_drop_first(struct stretches *, struct sequence *stack, uint64_t records);

/*
 * Records of a node that go on with what a loop repeats, where `passed` records behind the loop do
 * so already; back: from the node's end towards its front, and before the loop. A loop goes on in
 * part of its iterations only with one of a longer body. O(depth * log of everything).
 */
uint64_t stretch_matched(struct stretches *, node loop, bool back, uint64_t passed, node);

/* The same of the nodes of a stack, from its top. O(nodes that go on). */
uint64_t stretch_matched_all(struct stretches *, node loop, bool back, const struct sequence *stack);

#endif
