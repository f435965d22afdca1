/*
 * oracle.h -- is a global model what the processes did, and does no message leave the iterations
 * that it was sent in?
 *
 *	struct stream *stream = oracle_streams(local, dictionary);
 *	const char *wrong = oracle_check(global, dictionary, stream, true);
 *
 * Time and memory are those of all events.
 */
#ifndef TRACENEST_TESTS_ORACLE_H
#define TRACENEST_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

/* The events of one process, each its own (syncs are of one process). */
struct stream {
	uint32_t *event;
	size_t length, capacity;
};

/* What every process of the model executes, in events of this dictionary. */
struct stream *oracle_streams(const struct model *, struct dictionary *);
void streams_free(struct stream *, uint32_t processes);

/*
 * NULL, or what is wrong: the streams are others, or the k-th send and the k-th receive of a
 * channel (or the k-th syncs of two members) are in different iterations of a loop that both are
 * in. complete: each must have its partner, too.
 */
const char *oracle_check(const struct model *, struct dictionary *, const struct stream *, bool complete);

#endif
