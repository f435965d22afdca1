/*
 * local_models.h -- from the streams of a trace to one model: the processes' own loop nests, listed
 * rank after rank.
 *
 *	struct model *model = local_models_read(path, &(struct program_options){PROGRAM_OPTIONS}, &facts, &values, &error);
 *	if (model)
 *		... merge_reduce(model, ...)
 *
 * The trace is read once. The model does not depend on the number of threads.
 */
#ifndef TRACENEST_LIB_LOCAL_MODELS_H
#define TRACENEST_LIB_LOCAL_MODELS_H

#include "lib/pipeline.h"

/*
 * path: as of trace_open. How the trace was read is noted in the model where that is not the
 * default. facts: told of the trace, and where communicators were dropped, a window was hit,
 * records are missing; values: what the events carry; NULL: nothing is asked for. NULL with *error
 * set, and nothing to clear; of several processes only the first, which is 0, has the model, or the
 * error, and the others are done with NULL and ERROR_NONE.
 */
struct model *local_models_read(const char *path, const struct program_options *, struct program_facts *,
	struct value_columns **values, struct error *);

#endif
