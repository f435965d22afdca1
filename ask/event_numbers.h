/*
 * event_numbers.h -- an event as one process executes it: what its columns come to, and what it
 * carries.
 *
 *	struct event_numbers e;
 *	event_numbers_at(&cursor->at, members, cursor->event, &e);
 *	... e.number[COLUMN_PEER]
 *	struct event_value bytes = event_value_at(&cursor->at, NULL, cursor->event, store_word(store, "bytes", 5));
 */
#ifndef TRACENEST_ASK_EVENT_NUMBERS_H
#define TRACENEST_ASK_EVENT_NUMBERS_H

#include "model/member_sets.h"

#define EVENT_UNSAID INT64_MIN /* it has no such column */

/* Integers without padding: its bytes are its identity, within one store. */
struct event_numbers {
	uint32_t kind; /* enum event_kind */
	uint32_t word; /* of the store */
	int64_t number[COLUMNS]; /* who: the process; a group: of the sets of members */
};

void event_numbers_at(struct environment *, struct member_sets *, node_id event, struct event_numbers *);

struct event_value {
	bool there;
	int64_t number;
	const char *word; /* as it is written; NULL: the number */
};

/* Under this name, a word of the store. members: NULL: what is a number for each member
   (model/attributes.h) is not asked for, and not there. */
struct event_value event_value_at(struct environment *, struct member_sets *members, node_id event, uint32_t name);

/* Of what is a number for each member: that for a rank, which is the member of this number. False:
   the event does not say it. O(1); of lists that follow no formula, O(members). */
bool event_member_value(
	struct environment *, node_id event, uint32_t name, uint32_t rank, uint32_t member, int64_t *number);

/* " ; bytes=8 type=MPI_INT": a value more, where it is there. */
void event_value_put(const char *name, const struct event_value *, struct text *);

#endif
