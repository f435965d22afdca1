/*
 * function_calls.h -- the functions of the source as procedures of a draft, as far as call paths
 * tell them.
 *
 *	for i0 = 0 to 199 // run		procedure run
 *	  p send ... // run > step > forward	  for i0 = 0 to 199
 *	  p send ... // run > step > reverse	    call step
 *	done
 *
 * Statements beside each other whose events all come through one call of the function around them
 * are a call of what that calls; of functions that only call each other, of the innermost one.
 * Procedures that the draft has stay as they are.
 */
#ifndef TRACENEST_MODEL_FUNCTION_CALLS_H
#define TRACENEST_MODEL_FUNCTION_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/draft.h"

/* Functions of the source that say less are read faster where they are called. */
#define FUNCTION_STATEMENTS 3

/* least: shorter ones, in lines, stay where they are. Statements of calls that do the same
   have the sites of all. False: no call is new. O(lines x depth of paths + calls of a
   function^2 x their lines). */
bool function_calls_add(struct draft *, uint32_t least);

#endif
