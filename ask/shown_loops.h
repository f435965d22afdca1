/*
 * shown_loops.h -- are the loops of one text loops of another one that says the same?
 *
 *	for i0 = 0 to 3		for i0 = 0 to 11	for i0 = 0 to 3
 *	  for i1 = 0 to 2	  a			  a
 *	    a			done			  a
 *	  done						  a
 *	done						done
 *
 * The second text shows no loop of four iterations as the first one does, the third one no loop of
 * three. A loop is shown where, from one beginning of its iterations to the next one, always the
 * same loop of the other text goes on, by one. Where that one begins its iterations, what it does
 * before and behind, and which other loops there are, makes no difference.
 */
#ifndef TRACENEST_ASK_SHOWN_LOOPS_H
#define TRACENEST_ASK_SHOWN_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"

/* Both have the same events, and no calls. Looks at so many of them, process by process. O(events x
   depth). */
bool loops_shown(struct run *, struct run *of, uint64_t events);

#endif
