/*
 * skeleton.h -- terms without the numbers that outer loops may change, interned. Private to nlr/.
 *
 * A term of the affine recognizer is a skeleton and a row of numbers. Of a record the skeleton is its shape, and the numbers are its own. Of a
 * loop the skeleton is the skeletons of its body and the step by which each number of the body changes from one iteration to the next; its numbers
 * are its count, then those of the first iteration of its body. So terms are alike but for constants if and only if their skeletons are one,
 * and an affine function of any number of indices is a number here, a step there, and steps further out.
 */
#ifndef TRACENEST_NLR_SKELETON_H
#define TRACENEST_NLR_SKELETON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One term of a body. */
struct item {
	uint32_t shape; /* of a record; or one of those below */
	uint32_t width; /* numbers of a record */
	uint32_t first; /* its first number among those of an iteration; of a loop this is the count */
	uint32_t skeleton;
};

#define ITEM_LOOP UINT32_C(0xfffffffe)
#define ITEM_END UINT32_C(0xffffffff) /* behind the last term of every body */

struct skeleton {
	uint32_t id;
	uint32_t shape; /* ITEM_LOOP: a loop */
	size_t numbers; /* of a term with this skeleton */
	uint64_t salt;
	uint64_t constructs;
	/* of loops */
	size_t length;
	const struct item *item;
	const int64_t *step; /* for each number of an iteration: numbers - 1 of them */
};

static inline bool skeleton_is_loop(const struct skeleton *s)
{
	return s->shape == ITEM_LOOP;
}

static inline size_t iteration_numbers(const struct skeleton *loop)
{
	return loop->numbers - 1;
}

struct skeletons;

struct skeletons *skeletons_new(void);
void skeletons_free(struct skeletons *);

/* Skeletons live as long as their table and never move. */
const struct skeleton *skeletons_get(const struct skeletons *, uint32_t id);
const struct skeleton *skeletons_record(struct skeletons *, uint32_t shape, uint32_t width);
const struct skeleton *skeletons_loop(struct skeletons *, const struct skeleton *const *body, size_t length, const int64_t *step);
/* The same, but not of the table: for a loop that may not come to be. Ends with free(). */
struct skeleton *skeletons_sketch(const struct skeleton *const *body, size_t length, const int64_t *step);

/* The same if it is known already, or NULL. */
const struct skeleton *skeletons_find_loop(
	struct skeletons *, const struct skeleton *const *body, size_t length, const int64_t *step);

/* The numbers of the next iteration. False, and `number` as it was, where 64 bits do not suffice. */
static inline bool iteration_next(const struct skeleton *loop, int64_t *number)
{
	bool over = false;
	for (size_t i = 0; i < iteration_numbers(loop); i++)
		over |= __builtin_add_overflow(number[i], loop->step[i], &number[i]);
	for (size_t i = 0; over && i < iteration_numbers(loop); i++)
		number[i] = (int64_t)((uint64_t)number[i] - (uint64_t)loop->step[i]);
	return !over;
}

/* The numbers of iteration k (which may be -1), from those of the first one. */
bool iteration_at(const struct skeleton *loop, const int64_t *first, int64_t k, int64_t *number);

#endif
