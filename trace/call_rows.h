/*
 * call_rows.h -- the calls of MPI as rows: who called what, from when to when, and what it
 * passed on.
 *
 *	struct call_rows *rows = call_rows_new(trace);	-- opened with call_rows_options
 *	struct call_rows_sink sink = {context, take};
 *	call_rows_read(rows, NULL, &sink, &error);
 *	call_rows_free(rows);
 *
 * A call has a row for each message and each collective that it sends, receives or completes,
 * all with the call's own begin and end; a call without any has one row, without a peer. So an
 * MPI_Sendrecv has two rows, an MPI_Irecv one without a peer, and the MPI_Waitall that
 * completes it one for each receive. What is outside of all calls, as in traces that do not
 * record these, has a row whose function is that of the collective, or not told.
 *
 * Rows of a thread come in the order in which its calls ended, an archive rank after rank.
 * Memory follows what one call passes on, and the names, not the trace.
 */
#ifndef TRACENEST_TRACE_CALL_ROWS_H
#define TRACENEST_TRACE_CALL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "trace/trace.h"

#define CALL_ROW_NOBODY UINT32_MAX

/* Its words are borrowed from the call_rows; its attributes for the call of the sink. */
struct call_row {
	uint32_t rank, thread;
	const char *function; /* "MPI_Waitall"; NULL: not told */
	bool passes; /* a message or a collective; else all up to `bytes` is as of nothing */
	uint32_t kind; /* enum event_kind */
	const char *event; /* "send", "recv", "MPI_Ibcast"; NULL */
	uint32_t peer; /* the destination, the source, the root; CALL_ROW_NOBODY */
	const char *tag; /* of a message: its tag up to the number, "tag"; NULL */
	bool numbered; /* and it has one: */
	uint64_t number;
	int64_t communicator; /* NO_COMMUNICATOR: the world, or not named */
	bool sized, exchanged; /* as of trace_event */
	uint64_t bytes, received;
	bool begun, ended; /* is it known when? */
	uint64_t begin, end; /* ticks */
	const char *site; /* "rhs.f:203 compute_rhs": of the call, else of what it passes on; NULL: not known */
	const char *path; /* the same behind its callers, "main.f:12 main > rhs.f:203 compute_rhs"; NULL */
	const struct trace_attribute *attribute; /* of what it passes on */
	uint32_t attributes;
};

struct call_rows_sink {
	void *context;
	bool (*row)(void *context, const struct call_row *, struct error *); /* false: no more, with the error set */
	const struct progress *progress; /* or NULL */
};

/* How a trace is to be opened for this. */
void call_rows_options(struct trace_options *);

struct call_rows;

/* Borrows the trace. */
struct call_rows *call_rows_new(struct trace *);
void call_rows_free(struct call_rows *);

/* Once: the rows of the ranks that are wanted (NULL: all). False with *error set, by the reader or
   the sink. */
bool call_rows_read(struct call_rows *, const struct ranks *wanted, const struct call_rows_sink *, struct error *);

/* What time it was in seconds since the run began, with nine digits: "-0.000000012". */
void call_rows_put_seconds(const struct trace_facts *, uint64_t ticks, struct text *);
double call_rows_seconds(const struct trace_facts *, uint64_t ticks);

#endif
