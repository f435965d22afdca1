/*
 * matching.h -- C: the k-th message sent on a channel is the k-th received, the k-th sync of a
 * member is that of all others.
 *
 *	struct matching m = {0};
 *	uint32_t channel = MATCHING_NONE, sends = MATCHING_NONE, receives = MATCHING_NONE;
 *	struct match_end end = {.first = 0, .past = 10, .owner = 3};	-- the first ten sends are in loop 3
 *	while (matching_next(&m, &channel, &sends, &end, &match))	-- nobody has come yet
 *		;
 *	end = (struct match_end){.first = 4, .past = 6, .owner = 8};
 *	while (matching_next(&m, &channel, &receives, &end, &match))
 *		...							-- match: 2, with owner 3
 *	matching_clear(&m);
 *
 * Who counts along a process knows the numbers of what it passes; a loop carries an interval of
 * them. Whoever is the first to come to a number of a channel leaves a piece there; whoever comes
 * to it on another side meets that piece. A side comes by in the order of its numbers, and may
 * leave some out; the sides of a channel come in any order, and there may be any number of them.
 */
#ifndef TRACENEST_MODEL_MATCHING_H
#define TRACENEST_MODEL_MATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MATCHING_NONE UINT32_MAX

/* What is on several channels. Starts as {0}. */
struct matching {
	struct match_piece *piece;
	size_t pieces, capacity;
};

void matching_clear(struct matching *);

/* As new, with the memory kept: all channels and sides must start again from MATCHING_NONE. */
void matching_empty(struct matching *);

/* Messages (syncs) first to past - 1 of a side. */
struct match_end {
	uint64_t first, past;
	uint32_t owner; /* whatever they belong to */
	uint32_t key; /* only what has equal keys meets; else 0, or one number at a time */
};

/* So many of an end are those of this owner. */
struct match {
	uint64_t count;
	uint32_t owner;
};

/*
 * What does the end meet next? It is left with what comes behind; false: nothing more. `channel`
 * and `side` are the callers's, a number for each, MATCHING_NONE at first. O(1) for each piece that
 * the side passes.
 */
bool matching_next(struct matching *, uint32_t *channel, uint32_t *side, struct match_end *, struct match *);

/* Whose is this number, if one end alone has it? The owner given, if it is the first to come. */
uint32_t matching_owner(
	struct matching *, uint32_t *channel, uint32_t *side, uint64_t number, uint32_t key, uint32_t owner);

#endif
