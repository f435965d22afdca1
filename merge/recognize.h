/*
 * recognize.h -- the records of each process as a tree of loops: whole records, sizes too.
 *
 *	struct records *r = records_new(lanes);
 *	records_push(r, lane, shape, number);		-- each event of each lane, in order
 *	struct recognition *found = recognition_new(builder, r, RECOGNIZE_ALL);
 *	struct tree_list *class_of;
 *	size_t classes = recognize(found, RECOGNIZE_ALIKE, &class_of);
 *
 * (Design 17, steps 1 to 3.) From the outside in: the run of a period that saves most records
 * becomes a loop, then its body, what is before it and what is behind. A loop has LOOP_LEAST
 * iterations and more; shorter ones are left to cost (reroll.h). Where it may begin in several
 * places, it begins where an inner loop does not go on, and of these where most lanes would.
 *
 * Lanes that differ in numbers alone are one class: it is recognized once.
 */
#ifndef TRACENEST_MERGE_RECOGNIZE_H
#define TRACENEST_MERGE_RECOGNIZE_H

#include "merge/tree.h"

/* An event: its shape, and the numbers of the shape's slots in their order. All bytes are the
   identity. */
struct record {
	uint32_t shape, unused;
	int64_t number[EVENT_SLOTS];
};

struct records;

struct records *records_new(uint32_t lanes);
/* No copies are left out. */
void records_keep_all(struct records *);
/* Those that the other one has, under the same ids. */
void records_take_ids(struct records *, const struct records *);
void records_free(struct records *);
/* The id of a record; appended to what a lane does. */
uint32_t records_id(struct records *, const struct record *);
void records_push(struct records *, uint32_t lane, uint32_t record);
/*
 * Append what a lane does from there on so many times more. Of many copies all but RECORDS_COPIES
 * are left out; where, and how many, is noted, and the loop that they become has them again.
 */
void records_repeat(struct records *, uint32_t lane, size_t from, uint64_t times);
size_t records_length(const struct records *, uint32_t lane);

/* Enough to see what repeats from any of its phases, and more than twice what makes a loop. */
#define RECORDS_COPIES 16
/* What a lane does: ids. */
const uint32_t *records_of(const struct records *, uint32_t lane, size_t *length);
uint32_t records_count(const struct records *); /* different ones */

/* Copies that are left out of what a lane does, ascending: between the records before `at` and from
   there on. records_cut_from: the first one at this place or behind it, O(log). */
struct records_cut {
	size_t at, period; /* records of a copy */
	uint64_t copies;
};
size_t records_cuts(const struct records *, uint32_t lane);
size_t records_cut_from(const struct records *, uint32_t lane, size_t at);
struct records_cut records_cut(const struct records *, uint32_t lane, size_t k);
const struct record *records_get(const struct records *, uint32_t record);

/* What must be equal in a loop's iterations: all numbers; all but sizes; all but sizes, peers and
   roots; all but these and tags. */
enum recognize_mask { RECOGNIZE_ALL, RECOGNIZE_NO_SIZES, RECOGNIZE_NO_PEERS, RECOGNIZE_NO_TAGS, RECOGNIZE_MASKS };

/*
 *	RECOGNIZE_ALIKE		Iterations have the same records.
 *	RECOGNIZE_COPIES	The same; innermost loops of few iterations are copies, as they are on
 *				processes that do something between these. Nothing, of one class.
 *	RECOGNIZE_UNLIKE	They may differ (anchors.h); of classes where none do, as above.
 *	RECOGNIZE_PARTIAL	The same, and what fills and drains a pipeline is iterations, too.
 *	RECOGNIZE_RUNS		The same as UNLIKE, and neighbours that are equal are a loop at any rate.
 *	RECOGNIZE_RUNS_OF_ALL	What is such a loop anywhere is one wherever it stands.
 */
enum recognize_iterations {
	RECOGNIZE_ALIKE,
	RECOGNIZE_COPIES,
	RECOGNIZE_UNLIKE,
	RECOGNIZE_PARTIAL,
	RECOGNIZE_RUNS,
	RECOGNIZE_RUNS_OF_ALL,
	RECOGNIZE_ITERATIONS
};

/*
 * What the lanes do under a mask: classes, and their loops. recognition_digest: equal for masks
 * that make no difference. O(n log n) of the records of each class.
 */
struct recognition;
struct recognition *recognition_new(struct tree_builder *, const struct records *, enum recognize_mask);
void recognition_free(struct recognition *);
uint64_t recognition_digest(const struct recognition *);

/*
 * The lists of the classes, the largest (most lanes, then most statements) first; the array is the
 * caller's. 0: copies were left out that did not become a loop; or no iterations differ; or it is
 * RECOGNIZE_RUNS_OF_ALL, and RECOGNIZE_RUNS gave the same just now. O(n) of each lane.
 */
size_t recognize(struct recognition *, enum recognize_iterations, struct tree_list **class_of);

#endif
