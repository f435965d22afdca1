/*
 * messages.h -- on which channels a statement sends or receives.
 *
 *	struct dictionary *tags = dictionary_new();
 *	messages_each(program, tags, at, index, take, context);		-- take(context, &channel, sends), for every process
 *
 * O(processes that execute it).
 */
#ifndef TRACENEST_ASK_MESSAGES_H
#define TRACENEST_ASK_MESSAGES_H

#include "model/channels.h"
#include "model/program.h"

/*
 * The channel of the statement at a place, if it sends or receives, for each of its processes, in
 * these iterations of the loops around. Tags are numbered as in a dictionary: that of the program
 * itself, or any other.
 */
void messages_each(const struct program *, struct dictionary *tags, size_t at, const int64_t *index,
	void (*take)(void *context, const struct channel *, bool sends), void *context);

#endif
