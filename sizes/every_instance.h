/*
 * every_instance.h -- does the program of a parametric text come to its end, on every number of
 * processes?
 *
 *	struct every_instance e;
 *	if (every_instance_examine(app, &asked, 128, &progress, &e, &error)) ...
 *	every_instance_clear(&e);
 *
 * Instances are made and examined one after the other, from the smallest learned number of
 * processes on; what is said holds of those, and of no others. Each is asked whether it is complete
 * and can happen with sends that wait for nobody (ask/consistency.h), and then with sends that wait
 * (enum sending). The runs that were learned came to their end: with as much waiting as these allow
 * every instance must. What would stop some of them is told all the same, because they may have
 * come through by buffers that larger messages do not find.
 */
#ifndef TRACENEST_SIZES_EVERY_INSTANCE_H
#define TRACENEST_SIZES_EVERY_INSTANCE_H

#include "ask/schedule.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "sizes/parametric.h"

/* Events of an instance that are run, loops that repeat themselves once. */
#define EVERY_INSTANCE_EVENTS (UINT64_C(1) << 22)

struct instances_with {
	struct ranks ending, stopping; /* numbers of processes, where sends wait as this says */
	struct text told; /* of the first that stops, why: lines that begin with a newline and two blanks */
};

struct every_instance {
	struct instances_with with[SENDS_SYNCHRONOUS + 1]; /* by enum sending */
	enum sending asked; /* no learned run stops with it; */
	uint32_t learned; /* ... one that does with the next one; 0: there is none, or no next one */
	struct ranks unrun; /* too many events where sends wait: they are in neither set of these */
	struct ranks unproven; /* instances that may be others than would run (sizes/doubts.h) */
	struct ranks undecided, outside; /* no instance: formulas differ; the rules make no grid, or several */
	struct text why; /* of the first that is undecided */
};

/* From the smallest learned number of processes to `most`; asked: parameters, no processes. False
   with *error set: a parameter is not given, or no number is that small. To be cleared in any case. */
bool every_instance_examine(struct parametric *, const struct extents *asked, uint32_t most, const struct progress *,
	struct every_instance *, struct error *);
void every_instance_clear(struct every_instance *);

#endif
