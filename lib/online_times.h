/*
 * online_times.h -- how long the statements of a run took, learned in its processes while they run.
 *
 *	struct online_times *t = online_times_new(rank, region_names, count);	-- in each process
 *	online_times_take(t, &record, attributes);
 *	online_times_write(t, "run.trace/times-3", &error);			-- takes it
 *
 *	struct profile *p = online_times_profile(run, "run.trace/times-", &error);	-- in the command
 *
 * When an event happens nobody knows which statement it will be. So times are kept by
 * *context*: what the event is, where and with whom, and the same of the event before. The
 * order of contexts is kept in the memory of what does not repeat (base/series.h). When the
 * program is there, the k-th event of a process tells its context and its statement. A context
 * that several statements share, or ways to come to them, is shared out in proportion to their
 * executions: numbers of executions are exact, sums over all statements too. Memory follows
 * the contexts, not the run.
 */
#ifndef TRACENEST_LIB_ONLINE_TIMES_H
#define TRACENEST_LIB_ONLINE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/profile.h"
#include "trace/event_writer.h"

struct online_times;

/* region: names by id, borrowed. */
struct online_times *online_times_new(uint32_t rank, const char *const *region, uint32_t regions);
void online_times_free(struct online_times *);

/* O(1) amortized. */
void online_times_take(struct online_times *, const struct event_record *, const struct event_attributes *);

/* No more; takes it. */
bool online_times_write(struct online_times *, const char *path, struct error *);

/* Of all processes, whose files are called so with their ranks behind. The run's module has no
   calls. NULL with *error set: a file cannot be read, or is not of this program. O(events). */
struct profile *online_times_profile(struct run *, const char *files, struct error *);

#endif
