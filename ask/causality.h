/*
 * causality.h -- does the order of a program's text alone prove that its events can happen, each
 * message sent before it is received, whatever the iteration counts?
 *
 * What processes do in their order, and what they pass on (T and C), must not close a cycle: a
 * receive waits for its send. Where the order of the text does not prove it, events are run
 * (ask/schedule.h).
 */
#ifndef TRACENEST_ASK_CAUSALITY_H
#define TRACENEST_ASK_CAUSALITY_H

#include <stdbool.h>

#include "model/program.h"

/* False: it may hold all the same. The communication must be complete. O(sum of the sets' sizes x
   depth). */
bool causality_proven(const struct program *);

/*
 * Loops out of which no message goes, and from no iteration into another, are executed once where
 * nothing in them depends on the index: with messages inside of iterations there is a cycle in one
 * iteration, or none. In place; what it stands for then is only good for schedule_find.
 */
void causality_shorten(struct program *);

/*
 * By statement: is nothing under way whenever the text has been executed to behind it, every
 * message sent that far received? What is behind it then waits for nothing that is before it, so
 * that there processes may wait for all that they have sent: this closes no cycle where there was
 * none. False: not so, or not known. The caller's. O(sum of the sets' sizes x depth).
 */
bool *causality_quiet(const struct program *);

#endif
