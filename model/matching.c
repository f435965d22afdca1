/*
 * matching.c -- the pieces of a channel are a list in the order of their numbers. A side stands
 * behind the last piece that it has passed, so that it goes through the list once.
 */
#include "model/matching.h"

#include <stdlib.h>

#include "base/mem.h"

struct match_piece {
	uint64_t first, past;
	uint32_t owner, key;
	uint32_t next;
};

void matching_clear(struct matching *m)
{
	free(m->piece);
	*m = (struct matching){0};
}

void matching_empty(struct matching *m)
{
	m->pieces = 0;
}

/* Behind this piece, or before all. */
static uint32_t leave_piece(
	struct matching *m, uint32_t *channel, uint32_t behind, const struct match_end *end, uint64_t past)
{
	m->piece = mem_grow(m->piece, &m->capacity, m->pieces + 1, sizeof *m->piece);
	uint32_t *link = behind == MATCHING_NONE ? channel : &m->piece[behind].next;
	m->piece[m->pieces] = (struct match_piece){end->first, past, end->owner, end->key, *link};
	return *link = (uint32_t)m->pieces++;
}

bool matching_next(struct matching *m, uint32_t *channel, uint32_t *side, struct match_end *end, struct match *match)
{
	while (end->first < end->past) {
		uint32_t next = *side == MATCHING_NONE ? *channel : m->piece[*side].next;
		const struct match_piece *piece = next == MATCHING_NONE ? NULL : &m->piece[next];
		if (!piece || piece->first > end->first) {
			uint64_t past = piece && piece->first < end->past ? piece->first : end->past;
			*side = leave_piece(m, channel, *side, end, past);
			end->first = past;
		} else if (piece->past <= end->first || piece->key != end->key) {
			*side = next;
		} else {
			uint64_t past = piece->past < end->past ? piece->past : end->past;
			*match = (struct match){past - end->first, piece->owner};
			end->first = past;
			return true;
		}
	}
	return false;
}

uint32_t matching_owner(
	struct matching *m, uint32_t *channel, uint32_t *side, uint64_t number, uint32_t key, uint32_t owner)
{
	struct match_end end = {number, number + 1, owner, key};
	struct match match;
	return matching_next(m, channel, side, &end, &match) ? match.owner : owner;
}
