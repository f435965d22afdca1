/*
 * pattern.h -- terms without the numbers that outer loops may change, interned. Private to nlr/.
 *
 * A term of the affine recognizer is a pattern and a row of numbers. Of a record the pattern is its
 * shape, and the numbers are its own. Of a loop the pattern is the patterns of its body and the
 * step by which each number of the body changes from one iteration to the next; its numbers are its
 * count, then those of the first iteration of its body. So terms are alike but for constants if and
 * only if their patterns are one, and an affine function of any number of indices is a number here,
 * a step there, and steps further out.
 */
#ifndef TRACENEST_NLR_PATTERN_H
#define TRACENEST_NLR_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One term of a body. */
struct pattern_item {
	uint32_t shape; /* of a record; or one of those below */
	uint32_t width; /* numbers of a record */
	uint32_t first; /* its first number among those of an iteration; of a loop this is the count */
	uint32_t pattern;
};

#define PATTERN_LOOP UINT32_C(0xfffffffe)
#define PATTERN_END UINT32_C(0xffffffff) /* behind the last term of every body */

struct pattern {
	uint32_t id;
	uint32_t shape; /* PATTERN_LOOP: a loop */
	size_t numbers; /* of a term with this pattern */
	uint64_t salt;
	uint64_t constructs;
	/* of loops */
	size_t length;
	const struct pattern_item *item;
	const int64_t *step; /* for each number of an iteration: numbers - 1 of them */
};

static inline bool pattern_is_loop(const struct pattern *s)
{
	return s->shape == PATTERN_LOOP;
}

static inline size_t iteration_numbers(const struct pattern *loop)
{
	return loop->numbers - 1;
}

struct patterns;

struct patterns *patterns_new(void);
void patterns_free(struct patterns *);

/* Skeletons live as long as their table and never move. */
const struct pattern *patterns_get(const struct patterns *, uint32_t id);
const struct pattern *patterns_record(struct patterns *, uint32_t shape, uint32_t width);
const struct pattern *patterns_loop(
	struct patterns *, const struct pattern *const *body, size_t length, const int64_t *step);
/* The same, but not of the table: for a loop that may not come to be. Ends with free(). */
struct pattern *patterns_sketch(const struct pattern *const *body, size_t length, const int64_t *step);

/* The same if it is known already, or NULL. */
const struct pattern *patterns_find_loop(
	struct patterns *, const struct pattern *const *body, size_t length, const int64_t *step);

/* The numbers of the next iteration. False, and `number` as it was, where 64 bits do not
   suffice. */
static inline bool iteration_next(const struct pattern *loop, int64_t *number)
{
	bool over = false;
	for (size_t i = 0; i < iteration_numbers(loop); i++)
		over |= __builtin_add_overflow(number[i], loop->step[i], &number[i]);
	for (size_t i = 0; over && i < iteration_numbers(loop); i++)
		number[i] = (int64_t)((uint64_t)number[i] - (uint64_t)loop->step[i]);
	return !over;
}

/* The numbers of iteration k (which may be -1), from those of the first one. */
bool iteration_at(const struct pattern *loop, const int64_t *first, int64_t k, int64_t *number);

#endif
