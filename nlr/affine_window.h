/*
 * affine_window.h -- what the rules of the affine recognizer work on: a stack of terms, at whose
 * top loops are made. Private to nlr/.
 *
 * Terms that leave it at the bottom have their final form, and become nodes of the nest.
 */
#ifndef TRACENEST_NLR_AFFINE_WINDOW_H
#define TRACENEST_NLR_AFFINE_WINDOW_H

#include "nlr/affine_nlr.h"
#include "nlr/iterate.h"
#include "nlr/stack.h"

/* A part of an iteration that is longer than this, in records, is not looked for before a loop. */
#define AFFINE_PART_LIMIT 65536
#define AFFINE_NOT_THERE SIZE_MAX

struct affine_window {
	struct stack *stack;
	struct patterns *patterns;
	struct affine_nest *nest; /* what left */
	size_t longest;
	unsigned repetitions;
	struct record_list *compared; /* room for two lists */
};

void affine_window_start(struct affine_window *, const struct affine_nlr_options *);
void affine_window_clear(struct affine_window *);

/* Put a term on top. number: may not be a part of the stack. */
void affine_window_push(struct affine_window *, const struct pattern *, const int64_t *number);

/* So many terms leave at the bottom. O(height) */
void affine_window_leave(struct affine_window *, size_t count);

/* To put terms on top as they stand in a body: loops long enough to be loops stay loops. */
struct iterating affine_window_onto(struct affine_window *);

/* The numbers of the loop on top, to be freed. */
int64_t *affine_window_top_numbers(struct affine_window *);

/* What a loop is made of. */
struct loop_parts {
	int64_t *number; /* its count, then those of the first iteration; and the memory of the others */
	int64_t *step;
	const struct pattern **body;
	size_t numbers; /* of an iteration */
	size_t length; /* of the body */
};

/* The numbers of the iteration, the steps and the body are left to be filled in. */
struct loop_parts loop_parts_new(int64_t count, size_t numbers, size_t length);
void loop_parts_clear(struct loop_parts *);

/* Put the loop on top. */
void affine_window_push_loop(struct affine_window *, const struct loop_parts *);

/*
 * Are the records below this height, at their end, those of an iteration (with these numbers) from
 * item `from` on? Gives how many these are, AFFINE_PART_LIMIT + 1 at most; AFFINE_NOT_THERE if they
 * do not stand there.
 */
size_t affine_window_ends_with(
	const struct affine_window *, size_t height, const struct pattern *loop, size_t from, const int64_t *number);

/* The same for the last `need` of them only. */
size_t affine_window_ends_with_last(const struct affine_window *, size_t height, const struct pattern *loop,
	size_t from, const int64_t *number, size_t need);

/* Take the last records off; false, and nothing is changed, where that would leave more constructs
   than there were. */
bool affine_window_take_off(struct affine_window *, uint64_t records);

#endif
