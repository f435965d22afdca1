/*
 * members.h -- groups of events, each found and worded once: events of a million executions on a
 * thousand groups have a thousand texts.
 *
 *	struct members *m = members_new(run);
 *	uint32_t group = members_of(m, &cursor->at, cursor->event);
 *	puts(members_text(m, group));		-- "0-3,8"
 *	members_free(m);
 */
#ifndef TRACENEST_ASK_MEMBERS_H
#define TRACENEST_ASK_MEMBERS_H

#include "model/run.h"

struct members;

struct members *members_new(struct run *);
void members_free(struct members *);

/* The group that the event has for the process at hand, from 0; equal sets are one. O(1) where it has
   been seen, if it depends on no indices. */
uint32_t members_of(struct members *, struct environment *, node_id event);

/* Borrowed until there is another group. */
const struct ranks *members_get(const struct members *, uint32_t group);
const char *members_text(const struct members *, uint32_t group);

#endif
