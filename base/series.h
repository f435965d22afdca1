/*
 * series.h -- numbers in the order in which they came, in the memory of what does not repeat.
 *
 *	struct series *s = series_new();
 *	series_push(s, 1600);				-- as often as there are numbers
 *	series_finish(s);				-- no more; from here on it can be read
 *	struct series_cursor *c = series_read(s);
 *	while (series_next(c, &number))
 *		...
 *	series_cursor_free(c);
 *	series_free(s);
 *
 * Numbers become runs (first, stride, count), kept as the distance of their first number from that
 * of the run before: so a stride in an outer loop repeats, too. Runs that occurred before become
 * copies (of so many runs, so many runs back; J. Ziv, A. Lempel 1977), found by the last two. What
 * is pushed costs a comparison while a run goes on; where nothing repeats a number takes the bits
 * that tell its distance from the one before. Equal numbers pushed give equal bytes.
 */
#ifndef TRACENEST_BASE_SERIES_H
#define TRACENEST_BASE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pack.h"
#include "base/text.h"

struct series;

struct series *series_new(void);
void series_free(struct series *);

/* Append a number; the same number so many times. Amortized O(1). */
void series_push(struct series *, int64_t);
void series_push_times(struct series *, int64_t, uint64_t times);

/* No more numbers: what only pushing needs is given back. */
void series_finish(struct series *);

uint64_t series_length(const struct series *);

/* Are all numbers the same (of a series of none: no)? */
bool series_constant(const struct series *, int64_t *number);

/* The same numbers? Both are finished. */
bool series_equal(const struct series *, const struct series *);

/* Held for the numbers alone. */
size_t series_bytes(const struct series *);

/* A finished one as bytes, and again. NULL: they are none, and *from is bad. */
void series_pack(const struct series *, struct text *);
struct series *series_unpack(struct unpack *from);

struct series_cursor;

/* Borrows a finished series, which any number of cursors may read, none of them behind its end. */
struct series_cursor *series_read(const struct series *);

/* The same for the last time: what has been read is given back. The series may then be freed, but
   not asked for its numbers: that is an assertion. */
struct series_cursor *series_drain(struct series *);
void series_cursor_free(struct series_cursor *);

/* The next number; false at the end, however often it is asked. O(1). */
__attribute__((warn_unused_result)) bool series_next(struct series_cursor *, int64_t *number);

/* How many of the next numbers form one run, the next one included, and its stride; 0 at the
   end. */
__attribute__((warn_unused_result)) uint64_t series_run(struct series_cursor *, int64_t *number, int64_t *stride);
void series_skip(struct series_cursor *, uint64_t count); /* within the run */

/* Append so many of the next numbers; false: there are fewer, and those are appended. O(1) for those
   that are equal. */
__attribute__((warn_unused_result)) bool series_move(struct series_cursor *, uint64_t count, struct series *to);

/* Has every number been read? */
bool series_ended(struct series_cursor *);

#endif
