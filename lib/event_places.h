/*
 * event_places.h -- where the events of a trace meet, whatever dictionary their process speaks:
 * each channel of messages, and each room, the collectives of a communicator, has one number.
 *
 *	struct event_places *p = event_places_new(trace);
 *	const struct event_place *at = event_place_of(p, rank, event->event);
 *	... the k-th that come to at->number from either side, or of all members, belong together
 *	event_places_free(p);
 */
#ifndef TRACENEST_LIB_EVENT_PLACES_H
#define TRACENEST_LIB_EVENT_PLACES_H

#include "trace/trace.h"

enum place_kind { PLACE_NONE, PLACE_CHANNEL, PLACE_ROOM };

struct event_place {
	enum place_kind kind;
	bool looked; /* at it before */
	bool sends; /* to the channel */
	uint32_t number; /* of channels, or of rooms, from 0 */
	uint32_t root; /* of a collective; or NO_ROOT */
	const char *name; /* of the collective, as it is called; NULL: of a message */
};

struct place_channel {
	uint64_t number; /* of the tag */
	int64_t communicator;
	uint32_t source, destination, stem, unused;
};

/* Blocking and posted ones do not meet. */
struct place_room {
	struct ranks members;
	uint32_t processes;
	int64_t communicator;
	bool between; /* it is of an intercommunicator */
};

struct event_places;

/* Borrows the trace. */
struct event_places *event_places_new(struct trace *);
void event_places_free(struct event_places *);

/* Of an event of a process. Borrowed until another one of the process is asked for. O(1)
   expected. */
const struct event_place *event_place_of(struct event_places *, uint32_t rank, uint32_t event);

/* The room of a collective of this name. O(members). */
uint32_t event_places_room(struct event_places *, const struct ranks *members, int64_t communicator, const char *name);

/* Borrowed until there is another one. */
const struct place_channel *event_places_get_channel(const struct event_places *, uint32_t number);
const struct place_room *event_places_get_room(const struct event_places *, uint32_t number);
uint32_t event_places_channels(const struct event_places *);
uint32_t event_places_rooms(const struct event_places *);

#endif
