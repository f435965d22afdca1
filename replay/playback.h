/*
 * playback.h -- a run played back: when each of its events was, as far as a profile tells.
 *
 *	playback_run(run, pace, NULL, &(struct playback_client){context, take});
 *
 * Each process goes by its own clock: computing, then a call, as long as its profile says. No
 * message is received before it is sent, and nobody leaves a collective before those have come whom
 * it must wait for: where means of the profile would have that, a call lasts longer, and the calls
 * behind it are shorter until the process is where its profile has it. Computing lasts as long as
 * it did.
 *
 * Where the profile has the times of all events, these are what is told, as they were recorded;
 * where it has them nearly, a message is not received before it is sent all the same.
 *
 * On a network of another kind (network.h) only computing is the profile's: a call lasts as long as
 * its messages take, collectives as long as those that they are decomposed into. All follows from
 * the order of the events of each process, and of messages on each channel, so that it does not
 * matter which process goes on first.
 */
#ifndef TRACENEST_REPLAY_PLAYBACK_H
#define TRACENEST_REPLAY_PLAYBACK_H

#include "ask/event_numbers.h"
#include "profile/pace.h"
#include "replay/actions.h"
#include "replay/network.h"

/* Without a profile there is no computing, and each call takes so long. */
#define PLAYBACK_CALL 1000

/* An event that is done. Ticks, from the beginning of the run. */
struct played {
	uint32_t rank;
	struct cursor *cursor; /* stands at it */
	const struct event_numbers *event;
	struct member_sets *sets; /* of its group */
	bool own; /* else the call before goes on, and ends now */
	uint64_t enter, leave; /* of the call */
	uint64_t time; /* of the event */
	uint64_t before, other; /* computing before the call; behind that, in calls without events */
	uint64_t message; /* of a send and its receive: the same number, from 1 */
	uint64_t sent; /* of a receive: when its sender came */
	uint32_t *note; /* of both: what the client notes at the send, 0 at first */
};

struct playback_client {
	void *context;
	bool (*take)(void *context, const struct played *); /* false: nothing more is wanted */
};

struct playback_network {
	struct network network;
	struct actions *actions; /* sizes, and what collectives are made of */
	const double *compute; /* by process: computing takes so many times as long */
	double bytes, scale_bytes; /* of all messages; below 0: as it is, times so many */
};

/*
 * The events of each process in its order, a receive after its send; pace: NULL, or of the program
 * that the run is of;
 * network: NULL, or ticks are nanoseconds. False: they cannot all happen. O(events, and messages of
 * collectives), memory of processes and messages under way.
 */
bool playback_run(struct run *, const struct pace *, const struct playback_network *, const struct playback_client *);

/* Ticks per second of what it tells. */
uint64_t playback_ticks_per_second(const struct pace *);

#endif
