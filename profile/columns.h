/*
 * columns.h -- when each event of a run was, kept as columns beside its program, in nearly as few
 * bytes as that is worth, and read again from any place.
 *
 *	struct columns *c = columns_new(&numbers, &(struct columns_form){COLUMNS_WITHIN, 1.2}, &kept);
 *	columns_begin(c, rank, first_record);
 *	columns_add(c, cursor, &event_time);		-- each event of it, in order
 *	columns_finish(c);
 *	... kept.segment[0]
 *
 * What follows a formula stands in the program; what is left of times is noise, so what there is to
 * gain is to know its distribution. Times are told as gaps and durations, each a symbol (its
 * magnitude, or the number of its bin) and bits that are as likely as any others; symbols have the
 * odds of their column, statement, process and of the symbol before (odds.h), as far as what that
 * saves is more than the tables of odds take: a tree, pruned by the length of the description.
 *
 * Within a bound: bins whose limits are a factor apart, so that each time lies between two limits,
 * and each of these is within the bound. The one is taken that makes the sum of all errors so far
 * smaller. So the sum is never more than the largest single error was: there is no drift.
 *
 * Blocks of some hundred events can each be read alone: they begin with the time and the place in
 * the program. A segment is blocks of one process, with their index, a row of the database.
 */
#ifndef TRACENEST_PROFILE_COLUMNS_H
#define TRACENEST_PROFILE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/run.h"
#include "profile/stored_numbers.h"

enum columns_keep {
	COLUMNS_TIMESTAMPS, /* the stamp of each event */
	COLUMNS_CALLS, /* and of the beginning and the end of its call, and of calls without events */
	COLUMNS_WITHIN /* gaps and durations within a factor, and where in its call an event is */
};

const char *columns_keep_name(enum columns_keep); /* "stamps", "calls", "within" */
#define COLUMNS_KEEPS 3

#define COLUMNS_WITHIN_LEAST 1.01
#define COLUMNS_WITHIN_MOST 100

struct columns_form {
	enum columns_keep keep;
	double within; /* the factor, of COLUMNS_WITHIN */
};

/*
 * When an event was, in ticks. Where calls are not kept, or were not recorded, enter and leave are
 * its time. Of events of one call the first has its own call, the others share it.
 */
struct event_time {
	uint64_t time;
	uint64_t enter, leave; /* the call it is in */
	uint64_t other; /* in calls without events, between the call before and this one */
	bool shares;
};

struct columns_segment {
	uint32_t rank, tables; /* tables: their number, from 0 */
	uint64_t first, events; /* numbers of its events in the stream */
	uint64_t begin; /* no event before is later */
	struct text index, data;
};

/* What is kept in the end. */
struct columns_kept {
	struct text *tables;
	struct columns_segment *segment; /* as they came: each process by itself, by first event */
	size_t tables_length, segments, tables_capacity, capacity;
};
void columns_kept_clear(struct columns_kept *);

struct columns;

/* Borrows the numbers, and what it adds to, which is {0}. */
struct columns *columns_new(const struct stored_numbers *, const struct columns_form *, struct columns_kept *);
void columns_free(struct columns *);

/* From now on events of this process, of which origin is the first record. */
void columns_begin(struct columns *, uint32_t rank, uint64_t origin);

/* The event that the cursor stands at. Its memory follows what is kept. */
void columns_add(struct columns *, const struct cursor *, const struct event_time *);
void columns_finish(struct columns *);

/* ------------------------------------------------------------------ reading */

struct columns_tables;

/* NULL: damaged. */
struct columns_tables *columns_tables_new(const void *bytes, size_t size);
void columns_tables_free(struct columns_tables *);

/* A block of a segment, as its index has it. */
struct columns_block {
	uint64_t first, events;
	uint64_t base; /* the end of the event before */
	uint64_t begin; /* no event before is later */
	size_t offset, size; /* in the data */
	size_t statement, loops; /* of its first event: its number, */
	int64_t *index; /* ... of the loops and guards around, that in its own line among them */
};

/* Stand at its first event, whose statement the program has. False: damaged. */
bool columns_block_find(const struct columns_block *, const struct stored_numbers *, struct cursor *);

struct columns_index {
	struct columns_block *block;
	size_t blocks;
	int64_t *indices;
};

/* first, begin: of the segment. False: damaged. */
bool columns_index_read(struct columns_index *, const void *bytes, size_t size, uint64_t first, uint64_t begin);
void columns_index_clear(struct columns_index *);

/* Goes through a block. */
struct columns_cursor;
struct columns_cursor *columns_cursor_new(const struct columns_form *);
void columns_cursor_free(struct columns_cursor *);

/* data: of the block; borrowed, like the tables. */
void columns_cursor_start(struct columns_cursor *, const struct columns_tables *, uint32_t rank,
	const struct columns_block *, const void *data);

/* The next event, which is the statement of this number. False: damaged, or there are no more. */
bool columns_cursor_next(struct columns_cursor *, size_t statement, struct event_time *);

#endif
