/*
 * ti_trace.h -- SimGrid's time-independent traces (smpirun -replay) as events, for text_trace.c
 * only.
 *
 *	struct ti_trace *t = ti_trace_new(dictionary, processes, true);
 *	ti_trace_line(t, line, &sink, &error);		-- calls sink for each event that it tells
 *	ti_trace_end(t, &sink, &error);
 *	ti_trace_free(t);
 *
 * What is posted, a receive or a collective, is an event where it is waited for; what is only
 * tested, or completed by one of several, behind all others of its process: the trace does not tell
 * by which call. Computing is passed over. Communicators are not told: all collectives are of all.
 */
#ifndef TRACENEST_TRACE_TI_TRACE_H
#define TRACENEST_TRACE_TI_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/dictionary.h"
#include "trace/trace.h"

/* Does a trace that begins with this line tell of the process of this rank: "3 init"? */
bool ti_trace_begins(const char *line, uint32_t *rank);

/* Whose line it is: false, if it says none. */
bool ti_trace_rank(const char *line, uint32_t *rank);

struct ti_trace;

/* attributes: tell types, too. Borrows the dictionary. */
struct ti_trace *ti_trace_new(struct dictionary *, uint32_t processes, bool attributes);
void ti_trace_free(struct ti_trace *);

/* Of a message the subject is not set: its tag is told. */
struct ti_sink {
	void *context;
	bool (*event)(void *context, struct event *, const struct tag *, struct trace_event *, struct error *);
};

/* The line is changed. */
bool ti_trace_line(struct ti_trace *, char *line, const struct ti_sink *, struct error *);
bool ti_trace_end(struct ti_trace *, const struct ti_sink *, struct error *);

#endif
