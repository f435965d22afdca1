/*
 * local_models.h -- from the streams of a trace to one model: the processes' own loop nests, listed rank after rank.
 *
 *	struct local_models local;
 *	if (local_models_read(settings, path, &report, &local, &error))
 *		model_print(local.model, out);
 *	local_models_clear(&local);
 *
 * The trace is read once. The model does not depend on the number of threads.
 */
#ifndef TRACENEST_CLI_LOCAL_MODELS_H
#define TRACENEST_CLI_LOCAL_MODELS_H

#include "base/error.h"
#include "base/ranks.h"
#include "cli/options.h"
#include "cli/report.h"
#include "model/model.h"
#include "trace/trace.h"

struct local_models {
	struct model *model; /* ours until taken (then set to NULL) */
	struct trace_facts facts;
	bool unnamed; /* communicators were dropped: sends and receives do not balance with them */
	struct ranks window_hit; /* where a repetition longer than the window may have been missed */
};

bool local_models_read(const struct settings *, const char *path, struct report *, struct local_models *, struct error *);
void local_models_clear(struct local_models *);

#endif
