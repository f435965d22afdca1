/*
 * roles.h -- processes that are in the sets of the same events: a role each. Which of these happen,
 * conditions and counts decide (model/run.h has classes: who is told apart by no domain at all).
 *
 *	uint32_t roles, *role = roles_of(run, &roles);
 */
#ifndef TRACENEST_ASK_ROLES_H
#define TRACENEST_ASK_ROLES_H

#include "model/run.h"

#define NO_ROLE UINT32_MAX /* it has no events */

/* By rank, numbered by their lowest ranks; the caller's. The run's module has no calls. O(statements
   of all classes + processes). */
uint32_t *roles_of(struct run *, uint32_t *roles);

/* How many there are; of how many processes no events. */
uint32_t roles_count(struct run *, uint32_t *idle);

#endif
