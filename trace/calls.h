/*
 * calls.h -- the calls of MPI among the events of a trace: for those who read streams together with
 * when their calls began and ended.
 *
 *	struct calls *c = calls_open("run/traces.otf2", &options, processes, &error);
 *	calls_read(c, tracker, jobs, &sink, &error);	-- calls sink for every event
 *	calls_close(c);
 */
#ifndef TRACENEST_TRACE_CALLS_H
#define TRACENEST_TRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "trace/names.h"
#include "trace/trace.h"
#include "trace/tracker.h"

enum call_kind {
	CALL_NONE, /* communication */
	CALL_ENTER, /* a call of MPI begins */
	CALL_RETURN,
	CALL_OTHER, /* a local event that is neither */
};

struct call_event {
	unsigned char kind; /* enum call_kind */
	unsigned char sort; /* enum name_sort, of a call */
	unsigned char of; /* enum event_kind */
	bool extra; /* it is there only to tell of calls, and no event of the program */
};

/* What an event is; extra: as it says of local ones. */
struct call_event call_event_of(const struct dictionary *, uint32_t event, bool extra);

/* The name of the call that it tells of: of CALL_ENTER and CALL_RETURN. */
const char *call_event_name(const struct dictionary *, uint32_t event);

struct calls;

/* A trace of so many processes with the beginnings and ends of its calls; of an archive these are
   extra, unless the options ask for them. NULL with *error set. */
struct calls *calls_open(const char *path, const struct trace_options *, uint32_t processes, struct error *);
void calls_close(struct calls *);
struct trace *calls_trace(const struct calls *); /* borrowed */

/* As of trace.h. Every event has a time. */
struct calls_sink {
	void *context;
	bool (*event)(void *context, uint32_t rank, const struct trace_event *, struct call_event, struct error *);
	const struct progress *progress; /* or NULL */
};

/* False with *error set: by the reader, or by the sink; an event has no time, or is of no process
   that the tracker knows. */
bool calls_read(struct calls *, const struct tracker *, unsigned jobs, const struct calls_sink *, struct error *);

#endif
