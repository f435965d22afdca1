/*
 * stack.h -- the affine recognizer's window: a stack of terms with their numbers, which finds what
 * its top repeats. Private to nlr/.
 */
#ifndef TRACENEST_NLR_STACK_H
#define TRACENEST_NLR_STACK_H

#include "nlr/pattern.h"

struct stack_term {
	const struct pattern *pattern;
	size_t first; /* of its numbers in stack->number; they stand there in the order of the terms */
};

struct stack {
	struct stack_term *term;
	size_t height, capacity;
	int64_t *number;
	size_t numbers, number_capacity;
	size_t longest; /* body */
	unsigned repetitions;
	bool plain; /* no fingerprints */
	/* the index, by place or height: see stack.c */
	uint64_t *hash;
	uint64_t *power;
	uint32_t *print;
	uint32_t *gram;
	uint32_t *half[2];
	uint64_t *kind_hash;
	uint32_t *kind;
	uint32_t *kind_gram;
	uint32_t *loop_below; /* 1 + the place of the highest loop up to this one; 0: none */
	uint64_t *kinds;
	uint32_t *previous;
	uint32_t *again; /* by height: at most so many of the patterns below it stand further down as well, in a row */
	uint32_t *bucket;
};

struct stack *stack_new(size_t longest, unsigned repetitions, bool plain);
void stack_free(struct stack *);

static inline struct stack_term *stack_top(struct stack *p)
{
	return &p->term[p->height - 1];
}

static inline int64_t *stack_numbers(const struct stack *p, size_t at)
{
	return p->number + p->term[at].first;
}

/* number: may not be a part of the stack. */
void stack_push(struct stack *, const struct pattern *, const int64_t *number);
void stack_truncate(struct stack *, size_t height);
void stack_forget(struct stack *, size_t count); /* the lowest ones; O(height) */

/* Numbers of the top were changed in place. */
void stack_top_changed(struct stack *);

/* Least length of a sequence that stands on top `repetitions` times in a row, numbers advancing by
   constants; 0 if none. */
size_t stack_find_repetition(const struct stack *);

/*
 * The next length, greater than this one, of a sequence with a loop in it that stands on top twice
 * in a row but for its numbers; 0 if there is none.
 */
size_t stack_find_pair(const struct stack *, size_t length);

#endif
