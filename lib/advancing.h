/*
 * advancing.h -- the loop nest of one process whose messages have too many different tags or peers
 * to be told apart one by one.
 *
 *	struct advancing *a = advancing_new(rank, window, repetitions, trace_dictionary(trace, rank));
 *	advancing_push(a, event);				-- an event that has an id
 *	advancing_push_shape(a, shape, peer, number);		-- a message that has none (trace_options.distinct)
 *	advancing_finish(a);
 *	advancing_settle(a, processes, unnamed);
 *	advancing_append(a, dictionary, nest, event_of);	-- loops over events with steps (model/dictionary.h)
 *	advancing_free(a);
 *
 * Messages are records of a shape (kind, stem, communicator) and numbers (peer, number of the tag);
 * everything else is a shape without numbers. Peers advance on the ring of all ranks, how many
 * there are is known at the end: so where they do advance the nest is run once more, and its
 * records are recognized with peers relative to the process. Memory is that of the affine
 * recognizer (nlr/affine_nlr.h): what does not repeat.
 */
#ifndef TRACENEST_LIB_ADVANCING_H
#define TRACENEST_LIB_ADVANCING_H

#include "base/pack.h"
#include "model/dictionary.h"
#include "model/nest.h"

struct advancing;

/* dictionary: borrowed; the events that are pushed are its. */
struct advancing *advancing_new(uint32_t rank, size_t window, unsigned repetitions, const struct dictionary *);
void advancing_free(struct advancing *);

void advancing_push(struct advancing *, uint32_t event);
void advancing_push_shape(struct advancing *, uint32_t shape, uint32_t peer, uint64_t number);

/* No more events. */
void advancing_finish(struct advancing *);

/* Between finish and settle: as bytes, in numbers relative to the process; and back, where it may
   be another one. happens: marks events that were pushed as they are. */
void advancing_happens(const struct advancing *, bool *happens);
void advancing_pack(const struct advancing *, struct text *to);
struct advancing *advancing_unpack(
	struct unpack *, uint32_t rank, size_t window, unsigned repetitions, const struct dictionary *);

/* Does any event name a communicator? */
bool advancing_names_any(const struct advancing *);

/* Call back for each event, in order; tag: of a message, else NULL. O(events). */
void advancing_run(const struct advancing *, void *context,
	void (*event)(void *context, const struct event *, const struct tag *));

/* Drop communicators, if they must go, and see how peers advance among so many processes. */
void advancing_settle(struct advancing *, uint32_t processes, bool unnamed);

/* Append the nest to a model's, whose dictionary this is. event_of: ids of its events, by those of
   the process's dictionary. */
void advancing_append(struct advancing *, struct dictionary *, struct nest *to, const uint32_t *event_of);

#endif
