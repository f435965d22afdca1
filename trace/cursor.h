/*
 * cursor.h -- events on demand: for programs that want few of those of a process, in ascending
 * order.
 *
 *	struct trace_cursor *c = trace_cursor_open(t, rank, &marks, &error);
 *	while (... && trace_cursor_get(c, position, &event, &error) == TRACE_FOUND)
 *		...
 *	trace_cursor_close(c);
 *
 * Positions are those of trace_read: the same events in the same order; only what each event is is
 * not told (its id is 0). Where marks are known, what lies between is not read: the OTF2 library
 * can go to a record by its number, but only a reading tells which event a record is. So a mark is
 * a place where reading may begin, noted when the stream was read before (trace_cursor_count): its
 * record, its event, and what the ordering of receives must know there.
 */
#ifndef TRACENEST_TRACE_CURSOR_H
#define TRACENEST_TRACE_CURSOR_H

#include "trace/trace.h"

/* Receives posted and not completed that a mark can carry; where there are more, there is no
   mark; nor where events wait for one of these to complete. */
#define TRACE_MARK_REQUESTS 16

struct trace_mark {
	uint64_t event; /* position of the next one */
	uint64_t record; /* number of the record to go on with, from 1 */
	uint64_t time; /* of the next event: tells whether a mark belongs to this stream */
	uint32_t regions; /* what was seen so far of the regions */
	uint32_t requests;
	uint64_t request[TRACE_MARK_REQUESTS]; /* in the order in which they were posted */
};

struct trace_marks {
	struct trace_mark *mark; /* ascending */
	size_t length, capacity;
	uint64_t events, records; /* of the whole stream; records 0: not known */
};

void trace_marks_clear(struct trace_marks *);

/* Records that the file of a process says it holds, without reading it; 0: that is not known, or
   the file is damaged. Archives only. */
uint64_t trace_records(const struct trace *, uint32_t rank);

/* The process has no stream of its own, as in text traces: false. */
bool trace_has_cursors(const struct trace *);

struct trace_cursor;

/* marks: borrowed as long as the cursor lives, or NULL. Different processes may be read from
   different threads at once. */
struct trace_cursor *trace_cursor_open(struct trace *, uint32_t rank, const struct trace_marks *marks, struct error *);
void trace_cursor_close(struct trace_cursor *);

enum trace_got {
	TRACE_FOUND,
	TRACE_ENDED, /* the stream is whole, and ends before that position */
	TRACE_CUT, /* it breaks off before that position: *error says why */
	TRACE_STALE, /* the marks are not of this stream: read it without them */
};

/* The event at a position not below the last one asked for: borrowed until the next call. Stops
   reading there. */
enum trace_got trace_cursor_get(struct trace_cursor *, uint64_t position, const struct trace_event **, struct error *);

/* Read to the end of a stream just opened, counting; notes marks. TRACE_ENDED if it is whole,
   TRACE_CUT with *error set if not. */
enum trace_got trace_cursor_count(struct trace_cursor *, struct trace_marks *, struct error *);

#endif
