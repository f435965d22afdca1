/*
 * unfold.h -- going through the terms and records that loops over skeletons stand for. Private to nlr/.
 */
#ifndef TRACENEST_NLR_UNFOLD_H
#define TRACENEST_NLR_UNFOLD_H

#include "base/mem.h"
#include "model/affine.h"
#include "nlr/skeleton.h"

/* Terms are given to `term` in order. Loops of `keep` iterations and more are given whole (keep 0: none is; those without any record are left out), others iteration by iteration. */
struct unfolding {
	const struct skeletons *skeletons;
	int64_t keep;
	void *context;
	void (*term)(void *context, const struct skeleton *, const int64_t *number);
};

/* Some terms of an iteration; so many iterations, or a loop as a term. Numbers are those of the iteration; of the first one; of the term. */
void unfold_items(const struct unfolding *, const struct item *from, const struct item *to, const int64_t *number);
void unfold_iterations(const struct unfolding *, const struct skeleton *loop, const int64_t *first, int64_t count);
void unfold_term(const struct unfolding *, const struct skeleton *, const int64_t *number);

/* The first records of an iteration, `records` of them, as terms; gives how many are missing. O(records): for tests of the cursor. */
uint64_t unfold_prefix(const struct unfolding *, const struct skeleton *loop, const int64_t *number, uint64_t records);

/* A term without its last records. */
void unfold_without_tail(const struct unfolding *, const struct skeleton *, const int64_t *number, uint64_t records);

/* Records of a term; `limit` if there are so many or more, or if iterations have numbers beyond 64 bits, which never come. */
uint64_t unfold_count(const struct skeletons *, const struct skeleton *, const int64_t *number, uint64_t limit);

/* Records of an iteration, likewise. */
uint64_t unfold_iteration_count(const struct skeletons *, const struct skeleton *loop, const int64_t *number, uint64_t limit);

/* A list of records, and their numbers. */
struct record_list {
	struct listed {
		const struct skeleton *skeleton;
		size_t first;
	} * record;
	size_t length, capacity;
	int64_t *number;
	size_t numbers, number_capacity;
};

void record_list_clear(struct record_list *);
void record_list_empty(struct record_list *); /* keeps its memory for the next ones */
void record_list_add(void *list, const struct skeleton *, const int64_t *number); /* as an unfolding's term */
bool record_list_same(const struct record_list *, size_t, const struct record_list *, size_t);

/*
 * Records from the end towards the begin, until the list holds `need` of them: of an iteration from item `from` on; of a term. False where a
 * number would go beyond 64 bits.
 */
bool unfold_last_part(const struct skeletons *, const struct skeleton *loop, size_t from, const int64_t *number, size_t need,
	struct record_list *);
bool unfold_last(const struct skeletons *, const struct skeleton *, const int64_t *number, size_t need, struct record_list *);

/* The first record of an iteration: false if it has none. number_at: its numbers, AFFINE_WIDTH at most. */
bool unfold_first(
	const struct skeletons *, const struct skeleton *loop, const int64_t *number, uint32_t *shape, int64_t *number_at);

/* A term as a node of a finished nest, at depth 0. */
void unfold_node(const struct skeletons *, const struct skeleton *, const int64_t *number, struct arena *, struct affine_node *);

#endif
