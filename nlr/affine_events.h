/*
 * affine_events.h -- the loop nest of one process whose messages have too many different tags or
 * peers to be told apart one by one.
 *
 *	struct affine_events *a = affine_events_new(rank, window, repetitions, trace_dictionary(trace, rank));
 *	affine_events_push(a, event);			-- an event that has an id
 *	affine_events_push_shape(a, shape, peer, number);	-- a message that has none (trace_options.distinct)
 *	affine_events_finish(a);
 *	affine_events_settle(a, processes, unnamed);
 *	affine_events_append(a, dictionary, nest, event_of);	-- loops over events with steps (model/dictionary.h)
 *	affine_events_free(a);
 *
 * Messages are records of a shape (kind, stem, communicator) and numbers (peer, number of the tag);
 * everything else is a shape without numbers. Peers advance on the ring of all ranks, how many
 * there are is known at the end: so where they do advance the nest is run once more, and its
 * records are recognized with peers relative to the process. Memory is that of the affine
 * recognizer (nlr/affine_nlr.h): what does not repeat.
 */
#ifndef TRACENEST_NLR_AFFINE_EVENTS_H
#define TRACENEST_NLR_AFFINE_EVENTS_H

#include "base/pack.h"
#include "model/dictionary.h"
#include "model/nest.h"

struct affine_events;

/* dictionary: borrowed; the events that are pushed are its. */
struct affine_events *affine_events_new(uint32_t rank, size_t window, unsigned repetitions, const struct dictionary *);
void affine_events_free(struct affine_events *);

void affine_events_push(struct affine_events *, uint32_t event);
void affine_events_push_shape(struct affine_events *, uint32_t shape, uint32_t peer, uint64_t number);

/* No more events. */
void affine_events_finish(struct affine_events *);

/* Mark the events of the process's dictionary for which affine_events_append asks. */
void affine_events_mark(const struct affine_events *, bool *mark);

/* Between finish and settle: as bytes, in numbers relative to the process; and back, where it may
   be another one. happens: marks events that were pushed as they are. */
void affine_events_happens(const struct affine_events *, bool *happens);
void affine_events_pack(const struct affine_events *, struct text *to);
struct affine_events *affine_events_unpack(
	struct unpack *, uint32_t rank, size_t window, unsigned repetitions, const struct dictionary *);

/* Does any event name a communicator? */
bool affine_events_names_any(const struct affine_events *);

/* Call back for each event, in order; tag: of a message, else NULL. O(events). */
void affine_events_run(const struct affine_events *, void *context,
	void (*event)(void *context, const struct event *, const struct tag *));

/* Drop communicators, if they must go, and see how peers advance among so many processes. */
void affine_events_settle(struct affine_events *, uint32_t processes, bool unnamed);

/* Append the nest to a model's, whose dictionary this is. event_of: ids of its events, by those of
   the process's dictionary. */
void affine_events_append(struct affine_events *, struct dictionary *, struct nest *to, const uint32_t *event_of);

#endif
