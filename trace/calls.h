/*
 * calls.h -- the calls of MPI among the events of a trace: for those who read streams together with
 * when their calls began and ended.
 *
 *	struct trace *t = calls_trace(path, &options, &extra, &error);
 *	struct calls *calls = calls_new(processes);
 *	... of each event: calls_event(calls, rank, trace_dictionary(t, rank), e->event)
 *	calls_free(calls);
 */
#ifndef TRACENEST_TRACE_CALLS_H
#define TRACENEST_TRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/dictionary.h"
#include "trace/names.h"
#include "trace/trace.h"

/*
 * Open a trace with the beginnings and ends of its calls. *extra: these are local events besides
 * those that the options ask for; of text there are none besides. NULL with *error set.
 */
struct trace *calls_trace(const char *path, const struct trace_options *, bool *extra, struct error *);

enum call_kind {
	CALL_NONE, /* communication */
	CALL_ENTER, /* a call of MPI begins */
	CALL_RETURN,
	CALL_OTHER, /* a local event that is neither */
};

struct call_event {
	unsigned char kind; /* enum call_kind */
	unsigned char sort; /* enum name_sort, of a call */
};

struct calls;
struct calls *calls_new(uint32_t processes);
void calls_free(struct calls *);

/* Different processes may be asked of at once. O(1) once an event was met. */
struct call_event calls_event(struct calls *, uint32_t rank, const struct dictionary *, uint32_t event);

#endif
