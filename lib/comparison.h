/*
 * comparison.h -- is a program that of a trace, event by event?
 *
 *	struct comparison_facts facts;
 *	if (!comparison_run(run, path, true, &(struct streams_options){0}, &facts, &error))
 *		... error; facts.told: where the two part
 *	comparison_facts_clear(&facts);
 *
 * A cursor of each process goes beside its stream, so that memory grows with neither.
 */
#ifndef TRACENEST_LIB_COMPARISON_H
#define TRACENEST_LIB_COMPARISON_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/run.h"
#include "trace/streams.h"

/* Processes whose first difference is told. */
#define COMPARISON_TOLD 10

struct comparison_facts {
	struct trace_facts trace; /* how it was read */
	struct missing_records missing; /* of the trace */
	uint64_t different; /* processes that differ */
	/* the first differences of the first of them, a line each that begins with a newline and
	   two blanks */
	struct text told;
};

/*
 * False: ERROR_INCONSISTENT where they differ, else what reading the trace came upon. What the
 * program's maker noted of the reading (trace_options_of_notes) is for the caller to put into the
 * options. carried: what events carry is compared, too. The run's module has no calls
 * (module_inline). O(events, and the length of the program).
 */
bool comparison_run(struct run *, const char *path, bool carried, const struct streams_options *,
	struct comparison_facts *, struct error *);
void comparison_facts_clear(struct comparison_facts *);

#endif
