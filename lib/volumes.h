/*
 * volumes.h -- the bytes that each pair of processes exchanges, from one reading of a trace beside
 * its program.
 */
#ifndef TRACENEST_LIB_VOLUMES_H
#define TRACENEST_LIB_VOLUMES_H

#include "ask/communication.h"
#include "base/error.h"
#include "base/progress.h"
#include "model/run.h"
#include "trace/trace.h"

struct volumes_phase {
	const char *address; /* of a statement; NULL: the whole run */
	struct communication *matrix; /* its cells get their bytes */
};

struct volumes_options {
	struct trace_options trace; /* as the program's maker read it */
	const char *tag; /* only messages of this tag; NULL: of all */
	bool per_iteration; /* of the mean iteration, rounded */
	unsigned jobs; /* threads; 0: all cores */
	struct progress progress;
};

/* The run's module has no calls. model: what to call the program in messages. False with *error
   set: what reading the trace came upon, or it is another program's, or has other volumes than the
   program itself says. Gives what the trace does not hold (missing may be NULL). O(events). */
bool volumes_read(struct run *, const char *model, const char *path, const struct volumes_options *,
	struct volumes_phase *, size_t phases, struct missing_records *missing, struct error *);

#endif
