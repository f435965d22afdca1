/*
 * iterate.h -- going through the terms and records that loops over patterns stand for. Private to
 * nlr/.
 */
#ifndef TRACENEST_NLR_ITERATE_H
#define TRACENEST_NLR_ITERATE_H

#include "base/mem.h"
#include "model/affine.h"
#include "nlr/pattern.h"

static inline bool same_numbers(const int64_t *a, const int64_t *b, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* Terms are given to `term` in order. Loops of `keep` iterations and more are given whole (keep 0:
   none is; those without any record are left out), others iteration by iteration. */
struct iterating {
	const struct patterns *patterns;
	int64_t keep;
	void *context;
	void (*term)(void *context, const struct pattern *, const int64_t *number);
};

/* Some terms of an iteration; so many iterations, or a loop as a term. Numbers are those of the
   iteration; of the first one; of the term. */
void iterate_items(const struct iterating *, const struct pattern_item *from, const struct pattern_item *to,
	const int64_t *number);
void iterate_iterations(const struct iterating *, const struct pattern *loop, const int64_t *first, int64_t count);
void iterate_term(const struct iterating *, const struct pattern *, const int64_t *number);

/* The first records of an iteration, `records` of them, as terms; gives how many are missing.
   O(records): for tests of the cursor. */
uint64_t iterate_prefix(const struct iterating *, const struct pattern *loop, const int64_t *number, uint64_t records);

/* A term without its last records. */
void iterate_without_tail(const struct iterating *, const struct pattern *, const int64_t *number, uint64_t records);

/* Records of a term; `limit` if there are so many or more, or if iterations have numbers beyond 64
   bits, which never come. */
uint64_t iterate_count(const struct patterns *, const struct pattern *, const int64_t *number, uint64_t limit);

/* Records of an iteration, likewise. */
uint64_t iterate_iteration_count(
	const struct patterns *, const struct pattern *loop, const int64_t *number, uint64_t limit);

/* A list of records, and their numbers. */
struct record_list {
	struct listed {
		const struct pattern *pattern;
		size_t first;
	} * record;
	size_t length, capacity;
	int64_t *number;
	size_t numbers, number_capacity;
};

void record_list_clear(struct record_list *);
void record_list_empty(struct record_list *); /* keeps its memory for the next ones */
void record_list_add(void *list, const struct pattern *, const int64_t *number); /* as an iterating's term */
bool record_list_same(const struct record_list *, size_t, const struct record_list *, size_t);

/*
 * Records from the end towards the begin, until the list holds `need` of them: of an iteration from
 * item `from` on; of a term. False where a number would go beyond 64 bits.
 */
bool iterate_last_part(const struct patterns *, const struct pattern *loop, size_t from, const int64_t *number,
	size_t need, struct record_list *);
bool iterate_last(
	const struct patterns *, const struct pattern *, const int64_t *number, size_t need, struct record_list *);

/* A record on its own. */
struct affine_record {
	uint32_t shape, width;
	bool again; /* it came before, and was taken back: see affine.c */
	int64_t number[AFFINE_WIDTH];
};

static inline bool affine_record_is(const struct affine_record *r, uint32_t shape, const int64_t *number)
{
	return r->shape == shape && same_numbers(r->number, number, r->width);
}

/* Is this the first record of an iteration? */
bool iterate_begins_with(
	const struct patterns *, const struct pattern *loop, const int64_t *number, const struct affine_record *);

/* A term as a node of a finished nest, at depth 0. */
void iterate_node(
	const struct patterns *, const struct pattern *, const int64_t *number, struct arena *, struct affine_node *);

#endif
