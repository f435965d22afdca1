/*
 * indexed.h -- numbers by the indices of the loops around them: hash-consed, so that what is the
 * same in all iterations takes no room, and comparing is comparing ids.
 *
 *	under no loop			7			a number
 *	under for i0 = 0 to 2		same(7)			7 in each iteration
 *					each(1, 2, 4)		1, then 2, then 4
 *	under two loops			each(same(1), each(1, 2))
 *
 * The outermost loop comes first. Where nothing is executed (a loop of no iterations, a guard that
 * does not hold) there is no number, INDEXED_NONE, and iterations without a number do not keep the
 * others from being the same.
 */
#ifndef TRACENEST_MERGE_INDEXED_H
#define TRACENEST_MERGE_INDEXED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An id, of one store. Equal numbers of the same depth have equal ids. */
typedef uint32_t indexed;
#define INDEXED_NONE UINT32_C(0)

enum indexed_kind { INDEXED_IS_NONE, INDEXED_IS_NUMBER, INDEXED_IS_SAME, INDEXED_IS_EACH };

struct indexed_store;

struct indexed_store *indexed_store_new(void);
void indexed_store_free(struct indexed_store *);

indexed indexed_number(struct indexed_store *, int64_t number);
/* under one loop more, the same in all iterations; of none: none */
indexed indexed_same(struct indexed_store *, indexed);
/* under one loop more, one for each iteration; `same` where those that are there are equal. O(count). */
indexed indexed_each(struct indexed_store *, const indexed *iteration, size_t count);

enum indexed_kind indexed_kind(const struct indexed_store *, indexed);
int64_t indexed_get(const struct indexed_store *, indexed number);
/* What it is in an iteration of the outermost loop around; none beyond the last one. O(1). */
indexed indexed_at(const struct indexed_store *, indexed, size_t iteration);
/* How many iterations are told apart: 0 unless `each`. */
size_t indexed_length(const struct indexed_store *, indexed);

/* Is it one number, whatever the iteration? */
bool indexed_is_constant(const struct indexed_store *, indexed, int64_t *number);

/* Does it differ, anywhere, between iterations of the loop at this depth (0: the outermost)? */
bool indexed_varies(struct indexed_store *, indexed, uint32_t depth);

/* The same in all iterations of so many loops more around. */
indexed indexed_wrap(struct indexed_store *, indexed, uint32_t loops);

/* With one loop more at this depth, in all of whose iterations it is the same. */
indexed indexed_insert(struct indexed_store *, indexed, uint32_t depth);

/* Without the loop at this depth: as it is in this iteration of it. */
indexed indexed_remove(struct indexed_store *, indexed, uint32_t depth, size_t iteration);

/* After how many of these iterations of the outermost loop they come again, the last time perhaps
   in part (Knuth, Morris & Pratt, SIAM Journal on Computing 6(2), 1977). O(to - from). */
size_t indexed_turn(const struct indexed_store *, indexed, size_t from, size_t to);

/* After how many of its iterations, a divisor of them, the loop at this depth does the same again,
   whatever the others are at; `iterations`: it never does. O(size). */
size_t indexed_period(struct indexed_store *, indexed, uint32_t depth, size_t iterations);

/* With that loop as two: an inner one of so many iterations, which are the same in each of the
   outer one. */
indexed indexed_block(struct indexed_store *, indexed, uint32_t depth, size_t period);

/*
 * With one loop more at this depth, iteration by iteration what these are, each below `depth`
 * loops: that is how copies of a body become iterations. O(size).
 *
 * around: the counts of the loops outside of it, the outermost first. Where a guard holds in some
 * iterations alone, what is under it ends with the last of these, and what is the same in all
 * iterations beside it goes on. NULL: all that is given is there in the same iterations.
 */
indexed indexed_zip(struct indexed_store *, const indexed *copy, size_t copies, uint32_t depth, const indexed *around);

/* One iteration more of the loop at this depth, which has `iterations` so far, in front or behind:
   `one` is below that many loops less one. around: as above. */
indexed indexed_extend(struct indexed_store *, indexed, indexed one, uint32_t depth, size_t iterations, bool in_front,
	const indexed *around);

/* What it is below the `depth` outermost loops, if that is the same for all their iterations;
   INDEXED_NONE: it is not, or there is none. */
indexed indexed_inner(const struct indexed_store *, indexed, uint32_t depth);

/* What it is by the `depth` outermost loops, if the inner ones make no difference; false: they
   do. */
bool indexed_outer(struct indexed_store *, indexed, uint32_t depth, indexed *outer);

#endif
