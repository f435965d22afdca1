/*
 * affine_cursor.h -- follows the records of a loop that may go on, for the affine recognizer.
 * Private to nlr/.
 *
 * The next record is one comparison away, and costs constant time while input follows the loop,
 * however deep and however affine.
 */
#ifndef TRACENEST_NLR_AFFINE_CURSOR_H
#define TRACENEST_NLR_AFFINE_CURSOR_H

#include "nlr/iterate.h"

struct cursor_frame {
	const struct pattern *loop;
	int64_t *number; /* of its iteration at hand */
	size_t capacity;
	int64_t count, done; /* iterations; of the outermost frame: done since the loop was opened */
	const struct pattern_item *place; /* of the loop in the body outside */
};

struct affine_cursor {
	const struct pattern_item *next; /* the record expected, if it is not lost */
	const struct pattern_item *stop; /* then: up to where the loop was followed */
	const int64_t *current; /* numbers of the innermost frame */
	uint64_t records; /* so far, expected or not: counted by those who use it */
	uint64_t boundary; /* records when the iteration at hand of the open loop began */
	struct cursor_frame *frame;
	unsigned depth; /* index of the innermost frame */
	unsigned frames; /* allocated */
	bool slow; /* without frames but the outermost: what is expected is counted off each time */
	const struct patterns *patterns;
};

void affine_cursor_start(struct affine_cursor *, const struct patterns *, bool slow);
void affine_cursor_clear(struct affine_cursor *);

/* Expect the iteration behind the last one of this loop, with these numbers; it begins after so
   many records. */
void affine_cursor_open(struct affine_cursor *, const struct pattern *loop, const int64_t *number, uint64_t boundary);

/* Expect nothing any more. Gives how many iterations were passed whole since the loop was
   opened. */
int64_t affine_cursor_close(struct affine_cursor *);

/* Is nothing expected? (No loop is open, or there is no iteration behind those that were
   passed.) */
bool affine_cursor_lost(const struct affine_cursor *);

/* Is this record, the last one counted, the one expected? If so, accept takes it. */
bool affine_cursor_expects(const struct affine_cursor *, const struct affine_record *);
void affine_cursor_accept(struct affine_cursor *);

/* What was passed of the unfinished iteration, which is `pending` records, since the cursor was
   closed. */
void affine_cursor_passed(const struct affine_cursor *, const struct iterating *, uint64_t pending);

/* The place expected is a loop or the end of a body: go on to the next record. */
void affine_cursor_advance(struct affine_cursor *);

/* Both in one where that is one comparison; false also where only expects can tell. */
static inline bool affine_cursor_step(struct affine_cursor *c, uint32_t shape, const int64_t *number)
{
	const struct pattern_item *next = c->next;
	if (next->shape != shape || c->slow || !same_numbers(c->current + next->first, number, next->width))
		return false;
	c->next = ++next;
	if (next->shape >= PATTERN_LOOP)
		affine_cursor_advance(c);
	return true;
}

#endif
