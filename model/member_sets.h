/*
 * member_sets.h -- groups of events, each found and worded once: events of a million executions on
 * a thousand groups have a thousand texts.
 *
 *	struct member_sets *m = member_sets_new(run);
 *	uint32_t group = member_set_of(m, &cursor->at, cursor->event);
 *	puts(member_set_text(m, group));		-- "0-3,8"
 *	member_sets_free(m);
 */
#ifndef TRACENEST_MODEL_MEMBER_SETS_H
#define TRACENEST_MODEL_MEMBER_SETS_H

#include "model/run.h"

struct member_sets;

struct member_sets *member_sets_new(struct run *);
void member_sets_free(struct member_sets *);

/* The group that the event has for the process at hand, from 0; equal sets are one. O(1) where it
   has been seen, if it depends on no indices. */
uint32_t member_set_of(struct member_sets *, struct environment *, node_id event);

/* The same of a set that somebody else says. */
uint32_t member_set_of_ranks(struct member_sets *, const struct ranks *);

/* Borrowed until there is another group. */
const struct ranks *member_set_ranks(const struct member_sets *, uint32_t group);
const char *member_set_text(const struct member_sets *, uint32_t group);

/* What a number of an attribute by member (model/attributes.h) is for each member of the event's
   group, as a list; a failure of the environment where one does not come out. Borrowed until the
   sets are freed; equal lists are one. O(members). */
const char *member_list_at(struct member_sets *, struct environment *, node_id event, node_id number);

#endif
