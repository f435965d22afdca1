/*
 * rows.h -- the work of the processes of one construct in each iteration of the outermost loop:
 * exact, until all have left an iteration and memory asks for it; then in bins, with the sum of the
 * maxima.
 *
 *	rows_add(&rows, iteration, member, members, time, &bytes);
 *	rows_fold(&rows, passed, &bytes);
 *
 * Processes are the members of the construct, numbered from 0 as they came, so that a construct of
 * few takes little. bytes: what the rows that are not folded take, of all constructs together.
 */
#ifndef TRACENEST_TIME_ROWS_H
#define TRACENEST_TIME_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* By member; those beyond have none. */
struct work_row {
	uint64_t *work;
	uint32_t length;
};

struct rows {
	struct work_row *row; /* of iteration base + i */
	size_t length, capacity;
	uint64_t base;
	/* what was folded, in bins of so many iterations; NULL: nothing was */
	uint64_t width;
	size_t bins;
	struct work_row *sum;
	uint64_t *most;
};

void rows_begin(struct rows *);
void rows_clear(struct rows *, uint64_t *bytes);

/* members: how many there are, to make room for. The iteration was not folded. */
void rows_add(struct rows *, uint64_t iteration, uint32_t member, uint32_t members, uint64_t time, uint64_t *bytes);

/* All iterations below one go into bins. */
void rows_fold(struct rows *, uint64_t below, uint64_t *bytes);

/* Add another construct's, which is changed, and cleared by the caller. number: by its members,
   what they are here. */
void rows_merge(struct rows *, struct rows *from, const uint32_t *number, uint64_t *bytes);

/* All iterations become one. */
void rows_collapse(struct rows *, uint64_t *bytes);

/* The largest work in it. */
uint64_t row_most(const struct work_row *);

#endif
