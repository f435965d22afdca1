/*
 * causality.h -- where in a program's text nothing is under way, whatever the iteration counts.
 */
#ifndef TRACENEST_ASK_CAUSALITY_H
#define TRACENEST_ASK_CAUSALITY_H

#include <stdbool.h>

#include "model/program.h"

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
