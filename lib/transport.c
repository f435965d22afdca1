/*
 * transport.c -- in round k, who is an odd multiple of 2^k sends, and is done.
 */
#include "lib/transport.h"

void transport_gather(const struct transport *t, const struct gathering *g)
{
	struct text bytes = {0};
	for (uint32_t way = 1; way < t->size; way *= 2) {
		if (t->rank & way) {
			g->pack(g->context, &bytes);
			t->send(t->context, t->rank - way, bytes.data, bytes.length);
			break;
		}
		if (t->size - t->rank <= way)
			continue;
		t->receive(t->context, t->rank + way, &bytes);
		g->add(g->context, &bytes);
		text_truncate(&bytes, 0);
	}
	text_clear(&bytes);
}
