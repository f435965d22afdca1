/*
 * timestamps.h -- when each event of a run was, read from its archive, as columns (columns.h).
 *
 *	struct timestamps timestamps;
 *	if (timestamps_read(&timestamps, run, "run.nest", "run/traces.otf2", &options, &error)) ...
 *	timestamps_clear(&timestamps);
 *
 * The k-th event of a process in the archive is the k-th one that the program has for it, whatever
 * statement that is: so loops, guards and tables are all the same here.
 */
#ifndef TRACENEST_PROFILE_TIMESTAMPS_H
#define TRACENEST_PROFILE_TIMESTAMPS_H

#include "base/progress.h"
#include "profile/columns.h"
#include "trace/trace.h"

struct timestamps_options {
	struct trace_options trace; /* as the program's maker read it */
	struct columns_form form;
	struct progress progress;
};

struct timestamps {
	struct columns_form form;
	struct columns_kept kept;
	uint64_t events;
};

/* path: an archive. False with *error set: what reading came upon, or the archive is not that of
   the program; to be cleared in any case. O(events); memory: what is kept. */
bool timestamps_read(struct timestamps *, struct run *, const char *model, const char *path,
	const struct timestamps_options *, struct error *);
void timestamps_clear(struct timestamps *);

#endif
