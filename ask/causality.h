/*
 * causality.h -- where in a text nothing is under way, whatever the iteration counts.
 *
 *	bool *quiet = causality_quiet(run);
 *	... quiet[line]: behind that line processes may wait for all that they have sent
 *
 * Of modules without calls (module_inline).
 */
#ifndef TRACENEST_ASK_CAUSALITY_H
#define TRACENEST_ASK_CAUSALITY_H

#include <stdbool.h>

#include "model/run.h"

/*
 * The same with one iteration of each loop out of which no message goes, and from no iteration into
 * another, where nothing in it depends on the index: with messages inside of iterations there is a
 * cycle in one iteration, or none. The caller's; it is only good for schedule_find.
 */
struct module *causality_shortened(struct run *);

/*
 * By line: is nothing under way whenever the text has been executed to behind it, every message
 * sent that far received? What is behind it then waits for nothing that is before it, so that there
 * processes may wait for all that they have sent: this closes no cycle where there was none. False:
 * not so, or not known. The caller's. O(sum of the sets' sizes x depth).
 */
bool *causality_quiet(struct run *);

#endif
