/*
 * expand.h -- the events that a program stands for, as a text trace.
 */
#ifndef TRACENEST_LIB_EXPAND_H
#define TRACENEST_LIB_EXPAND_H

#include "base/error.h"
#include "base/output.h"
#include "base/ranks.h"
#include "model/run.h"
#include "profile/time_series.h"

/* What is printed behind the events, besides. */
struct expand_options {
	const char *values; /* these of what they carry (trace/event_values.h); NULL: nothing */
	struct time_series *series; /* when each was (time_series.h), of this very run; NULL: nothing */
};

/* Print the events of these processes, one after the other. False with *error set: what the times
   are read from is damaged. O(events); stops early where the output has failed. */
bool expand_write(struct run *, const struct ranks *, const struct expand_options *, struct output *, struct error *);

#endif
