/*
 * window.h -- the recognizer's window: a stack of terms that knows at once what its top repeats.
 * Private to nlr/.
 *
 * The top may be bare: pushed or changed, but not yet indexed. Questions are asked about a bare
 * top; window_index then takes it in.
 */
#ifndef TRACENEST_NLR_WINDOW_H
#define TRACENEST_NLR_WINDOW_H

#include "nlr/bodies.h"
#include "nlr/lanes.h"
#include "nlr/term.h"

/* Lengths up to this one are looked for without an index. */
#define WINDOW_NEAR 16

struct grams;

struct window {
	const struct bodies *bodies; /* where loops have their bodies */
	struct term *term;
	size_t height;
	size_t longest; /* sequence that may be a body */
	size_t limit; /* the height at which something must leave */
	unsigned repetitions;

	/* the index */
	size_t capacity;
	size_t indexed; /* height up to which terms are indexed: height or height - 1 */
	uint32_t *print; /* of each term */
	uint64_t *hash; /* by height: of the terms below */
	size_t hashed; /* the greatest height of which that is known */
	uint64_t *power; /* of the base */
	size_t powers; /* the greatest that is known */
	/* the loops among the terms that are indexed, upwards */
	struct window_loop {
		uint32_t at; /* its term */
		uint32_t ticket; /* while it is covered: see bodies.h */
		uint32_t below; /* 1 + the next lower one that is due where it is */
	} * loop;
	size_t loops, loop_capacity;
	/* by height: 1 + the highest of the loops whose body, if a copy of it follows, is complete
	   there */
	uint32_t *due;
	/* below a height (SIZE_MAX: not known) */
	struct near {
		size_t height;
		words recent; /* a byte of the print of each term, the topmost first */
		/* by length - 1: so many terms more, at least, must be those that stand the length
		   below, before what is on top may stand there often enough */
		bytes lacking;
	} near;
	bytes near_lacking; /* by length - 1: the same where nothing is like what stands below */
	/* at this height (0: nowhere) no more terms stand further down as well */
	struct {
		size_t height, again;
	} bound;
	/* no longer sequence stands on top often enough, and no loop is complete, at any height up
	   to this one, while all up to that one stays as it is and records come */
	size_t quiet, quiet_from;
	/* so many terms below a height are those `length` below; length 0: not known */
	struct likeness {
		size_t length, height, same;
	} likeness;
	struct grams *gram;
	unsigned grams;
};

/* longest: sequence whose repetition is looked for. */
struct window *window_new(const struct bodies *, unsigned repetitions, size_t longest, size_t limit);
void window_free(struct window *);

static inline struct term *window_top(struct window *w)
{
	return &w->term[w->height - 1];
}

/* Make room for one more term. Puts an index over all of it where it grows, so O(1) amortized. */
void window_reserve(struct window *);

/* Put a term on top, bare; what was is indexed. The height must be below the limit. */
void window_push(struct window *, struct term);

/* The same for a record, if it is clear that nothing repeats with it, and no loop is complete; else
   nothing is done. */
bool window_push_quietly(struct window *, uint32_t record);

/* Make the top bare: it may be changed, then. */
void window_bare(struct window *);

/* The bare top was changed. */
void window_top_changed(struct window *);

/* The bare top is what it will be. */
void window_index(struct window *);

/* The lowest of the loops from this term on; w->loops if none. */
size_t window_loop_from(const struct window *, size_t at);

/* Take off the `count` topmost terms; what is on top then is indexed. */
void window_drop(struct window *, size_t count);

/* Length of the body that stands on top as a copy right behind its loop; 0 if none. The
   shortest. */
size_t window_find_copy(const struct window *);

/* Least length of a sequence that stands on top `repetitions` times in a row; 0 if none. */
size_t window_find_repetition(struct window *);

/*
 * The top is `top`, say. May what repeats, now or with more terms above it, hold it, if all its
 * equals are below? Its copies are then at least L terms long, and with three or more of them the
 * last L terms up to the top come again L below.
 */
bool window_may_repeat(const struct window *, struct term top, unsigned surroundings);

/* What of that does not depend on the top, for as long as nothing below it changes. */
unsigned window_surroundings(struct window *);

/* Remove the `count` terms at the bottom. O(height). */
void window_forget(struct window *, size_t count);

#endif
