/*
 * merged.h -- the events of all processes of an archive, in the order of time.
 *
 *	struct merged *m = merged_open(trace, &error);
 *	uint32_t rank;
 *	const struct trace_event *e;
 *	while (m && (e = merged_next(m, &rank)))
 *		...
 *	if (!m || !merged_close(m, &error)) ...
 *
 * Each process is a stream that is read as far as it is needed: who matches what belongs together
 * holds what is under way, not the trace. Events are those of trace_read, with what its options ask
 * for; those of a process come in its order whatever its clock says.
 */
#ifndef TRACENEST_TRACE_MERGED_H
#define TRACENEST_TRACE_MERGED_H

#include "trace/trace.h"

struct merged;

/* Borrows the trace, which must be an archive. NULL with *error set on failure. */
struct merged *merged_open(struct trace *, struct error *);

/* Borrowed until the next call. NULL: there are no more, or reading failed. */
const struct trace_event *merged_next(struct merged *, uint32_t *rank);
bool merged_close(struct merged *, struct error *); /* did all go well? */

#endif
