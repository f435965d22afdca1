/*
 * partners.c -- tags that are equal, moves that take each other back.
 */
#include "ask/partners.h"

#include <string.h>

static bool cancel(int64_t a, int64_t b, int64_t modulus)
{
	return modulus ? (a % modulus + b % modulus) % modulus == 0 : (uint64_t)a + (uint64_t)b == 0;
}

/* Functions of indices: moves, of which one takes back the other. */
static bool moves_cancel(const struct affine *a, const struct affine *b, int64_t modulus)
{
	bool nothing = affine_is_uniform(a) && affine_is_uniform(b) && cancel(a->constant, b->constant, modulus);
	for (unsigned d = 0; nothing && d < INDEX_DEPTH; d++)
		nothing = cancel(a->index[d], b->index[d], modulus);
	return nothing;
}

static bool is_plain(const struct value *v)
{
	struct value plain = {.plain = v->plain};
	return !memcmp(&plain, v, sizeof plain);
}

/* Along each axis. */
static bool undoes_on_grid(const struct grid *g, const struct place *there, const struct place *back)
{
	if (place_asks_table(there) || place_asks_table(back))
		return false;
	for (uint32_t i = 0; i < g->axes; i++) {
		struct affine a = there->axis[i], b = back->axis[i];
		if (a.axis[i]-- != 1 || b.axis[i]-- != 1 || !moves_cancel(&a, &b, g->size[i]))
			return false;
	}
	return true;
}

static bool undoes(const struct grid *g, const struct place *there, const struct place *back)
{
	if (there->kind != back->kind || there->modulus != back->modulus)
		return false;
	if (there->kind == PLACE_GRID)
		return undoes_on_grid(g, there, back);
	const struct value *a = &there->value, *b = &back->value;
	if (there->kind == PLACE_XOR)
		return value_is_uniform(a) && !memcmp(a, b, sizeof *a);
	return (there->kind == PLACE_OFFSET || there->kind == PLACE_RING) && is_plain(a) && is_plain(b) &&
	       moves_cancel(&a->plain, &b->plain, there->modulus);
}

static bool same_tag(const struct form *a, const struct form *b)
{
	return a->word == b->word && a->numbered == b->numbered && a->varies == b->varies && a->number == b->number &&
	       !memcmp(&a->value, &b->value, sizeof a->value) && value_is_uniform(&a->value) &&
	       !memcmp(&a->communicator, &b->communicator, sizeof a->communicator) &&
	       value_is_uniform(&a->communicator);
}

bool partners_meet(const struct grid *g, const struct form *send, const struct form *recv)
{
	return same_tag(send, recv) && undoes(g, &send->peer, &recv->peer);
}
