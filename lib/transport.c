/*
 * transport.c -- in round k, who is an odd multiple of 2^k sends, and is done. What is sent goes
 * behind its length, in pieces.
 */
#include "lib/transport.h"

static size_t piece_of(uint64_t rest)
{
	return rest < TRANSPORT_PIECE ? rest : TRANSPORT_PIECE;
}

static void send_all(const struct transport *t, uint32_t to, const struct text *bytes)
{
	uint64_t length = bytes->length;
	t->send(t->context, to, &length, sizeof length);
	for (uint64_t at = 0; at < length; at += TRANSPORT_PIECE)
		t->send(t->context, to, bytes->data + at, piece_of(length - at));
}

/* The text is empty. */
static void receive_all(const struct transport *t, uint32_t from, struct text *bytes)
{
	uint64_t length;
	t->receive(t->context, from, &length, sizeof length);
	text_reserve(bytes, length);
	for (uint64_t at = 0; at < length; at += TRANSPORT_PIECE)
		t->receive(t->context, from, bytes->data + at, piece_of(length - at));
	bytes->length = length;
	bytes->data[length] = 0;
}

void transport_gather(const struct transport *t, const struct gathering *g)
{
	struct text bytes = {0};
	for (uint32_t way = 1; way < t->size; way *= 2) {
		if (t->rank & way) {
			g->pack(g->context, &bytes);
			send_all(t, t->rank - way, &bytes);
			break;
		}
		if (t->size - t->rank <= way)
			continue;
		receive_all(t, t->rank + way, &bytes);
		g->add(g->context, &bytes);
		text_truncate(&bytes, 0);
	}
	text_clear(&bytes);
}
