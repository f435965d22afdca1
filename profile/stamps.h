/*
 * stamps.h -- when each event of a run was, read from its archive, as columns (profile/columns.h).
 *
 *	struct stamps stamps;
 *	if (stamps_read(&stamps, program, "run.nest", "run/traces.otf2", &options, &error)) ...
 *	stamps_clear(&stamps);
 *
 * The k-th event of a process in the archive is the k-th one that the program has for it, whatever
 * statement that is: so loops, guards and tables are all the same here.
 */
#ifndef TRACENEST_PROFILE_STAMPS_H
#define TRACENEST_PROFILE_STAMPS_H

#include "base/progress.h"
#include "model/program.h"
#include "profile/columns.h"
#include "trace/trace.h"

struct stamps_options {
	struct trace_options trace; /* as the program's maker read it */
	struct columns_form form;
	struct progress progress;
};

struct stamps_stretch {
	uint32_t rank, tables;
	uint64_t first, events, begin;
	struct text index, data;
};

struct stamps {
	struct columns_form form;
	struct text *tables;
	struct stamps_stretch *stretch; /* by rank, then first event */
	size_t tables_length, stretches, tables_capacity, capacity;
	uint64_t events;
};

/* path: an archive. False with *error set: what reading came upon, or the archive is not that of
   the program; to be cleared in any case. O(events); memory: what is kept. */
bool stamps_read(struct stamps *, struct program *, const char *model, const char *path, const struct stamps_options *,
	struct error *);
void stamps_clear(struct stamps *);

#endif
