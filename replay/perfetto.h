/*
 * perfetto.h -- a window of a run as a JSON trace for Perfetto (https://ui.perfetto.dev) and
 * Chrome: calls as slices, a track for each process, messages as arrows.
 * (Trace Event Format,
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU)
 */
#ifndef TRACENEST_REPLAY_PERFETTO_H
#define TRACENEST_REPLAY_PERFETTO_H

#include "base/output.h"
#include "base/ranks.h"
#include "replay/playback.h"

/* What of the run: all of it where nothing is set. */
struct perfetto_window {
	double from, until; /* seconds from its beginning; until 0: to its end */
	const struct ranks *ranks; /* NULL: of all processes */
	bool inside; /* only what is inside this statement, */
	size_t line; /* of the module, */
	uint64_t first, last; /* ... if it is a loop, in these iterations, counted from 0, of each execution of it */
};

struct perfetto_facts {
	uint64_t calls, arrows; /* slices and messages, both of whose ends are in the window */
};

/* False: the events cannot all happen. O(events of the run, until its window is over), memory of
   messages under way. */
bool perfetto_write(
	struct run *, const struct pace *, const struct perfetto_window *, struct output *, struct perfetto_facts *);

#endif
