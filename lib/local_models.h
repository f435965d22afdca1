/*
 * local_models.h -- from the streams of a trace to one model: the processes' own loop nests, listed
 * rank after rank.
 *
 *	struct local_models local;
 *	if (local_models_read(path, &(struct local_options){.window = NLR_WINDOW, .repetitions = NLR_REPETITIONS}, &local, &error))
 *		... merge_reduce(local.model, ...)
 *
 * The trace is read once. The model does not depend on the number of threads.
 */
#ifndef TRACENEST_LIB_LOCAL_MODELS_H
#define TRACENEST_LIB_LOCAL_MODELS_H

#include "base/error.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "fit/value_columns.h"
#include "lib/transport.h"
#include "model/model.h"
#include "trace/trace.h"

struct local_options {
	struct trace_options trace;
	size_t window; /* longest loop body searched for, in terms */
	unsigned repetitions; /* adjacent copies that become a loop */
	const char *values; /* which to keep (trace/event_values.h) */
	bool sites; /* ... and where events are; */
	bool at_sites; /* which takes part in recognition */
	unsigned jobs; /* threads; 0: all cores */
	bool online; /* the path is of what a run left of its model itself (online.h) */
	/* NULL; or several processes call this with the same path, and share the reading */
	const struct transport *transport;
	struct progress progress;
};

struct local_models {
	struct model *model; /* ours until taken (then set to NULL) */
	struct trace_facts facts;
	bool unnamed; /* communicators were dropped: sends and receives do not balance with them */
	struct missing_records missing;
	struct ranks window_hit; /* where a repetition longer than the window may have been missed */
	struct value_columns *values; /* what the events carry; NULL: nothing is asked for. Ours until taken */
};

/* path: as of trace_open. How the trace was read is noted in the model where that is not the
   default. False with *error set, and nothing to clear; of several processes only the first, which
   is 0, has the models, or the error, and the others are done with false and ERROR_NONE. */
bool local_models_read(const char *path, const struct local_options *, struct local_models *, struct error *);

#endif
