/*
 * tracker.h -- a trace beside its program: the k-th event of a process in the trace is the k-th one
 * that the program has for it, whatever statement that is.
 *
 *	struct tracker *t = tracker_new(run, "run.nest", trace, true);
 *	... of each event: struct cursor *at = tracker_next(t, rank, kind, &error);
 *	... tracker_end_all(t, &error)
 *	tracker_free(t);
 *
 * Errors are ERROR_INCONSISTENT, "run/traces.otf2: the trace is not that of the model run.nest:
 * ...".
 */
#ifndef TRACENEST_TRACE_TRACKER_H
#define TRACENEST_TRACE_TRACKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/run.h"
#include "trace/trace.h"

struct tracker;

/* The run's module has no calls. model: what to call the program; borrowed, as the trace is.
   locals: local events are told of; if not, those of the program are stepped over. */
struct tracker *tracker_new(struct run *, const char *model, const struct trace *, bool locals);
void tracker_free(struct tracker *);

/* Has an archive as many processes as the program? Has the program this rank of any trace? */
bool tracker_takes(const struct tracker *, struct error *);
bool tracker_knows(const struct tracker *, uint32_t rank, struct error *);

/* The next event of a process: the program's cursor, borrowed until the one after; NULL with *error
   set: the program has another event there, or none. Different processes may be stepped at once.
   O(1) amortized. */
struct cursor *tracker_next(struct tracker *, uint32_t rank, enum event_kind, struct error *);
uint64_t tracker_events(const struct tracker *, uint32_t rank);

/* For who looks at more than the kind: the program has another event there. False. */
bool tracker_differs(const struct tracker *, uint32_t rank, struct error *);

/* The process, all of them that did not end yet: no more events. False: the program has more. */
bool tracker_end(struct tracker *, uint32_t rank, struct error *);
bool tracker_end_all(struct tracker *, struct error *);

/* Put "PATH: the trace is not that of the model MODEL: " before the message. False. */
bool trace_is_other(const char *model, const char *path, struct error *);
bool tracker_is_other(const struct tracker *, struct error *);
bool trace_has_other_processes(
	const char *model, const char *path, uint32_t in_trace, uint32_t in_model, struct error *);

#endif
