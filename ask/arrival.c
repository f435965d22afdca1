/*
 * arrival.c -- the loops around two events that follow each other, compared.
 */
#include "ask/arrival.h"

#include <string.h>

static const char *const names[ARRIVALS] = {"start", "straight", "entry", "next", "exit"};

const char *arrival_name(enum arrival arrival)
{
	return names[arrival];
}

bool arrival_named(const char *name, enum arrival *arrival)
{
	for (int i = 0; i < ARRIVALS; i++)
		if (!strcmp(name, names[i])) {
			*arrival = (enum arrival)i;
			return true;
		}
	return false;
}

/* Where the cursor is, at an event. O(depth) */
static struct control control_at(const struct cursor *c)
{
	struct control here = {.any = true};
	for (size_t i = 0; i < c->frames && here.loops < INDEX_DEPTH; i++)
		if (c->frame[i].loop) {
			here.loop[here.loops] = c->frame[i].line;
			here.index[here.loops] = c->at.index[here.loops];
			here.loops++;
		}
	return here;
}

static enum arrival arrival_of(const struct control *from, const struct control *to)
{
	size_t same = 0;
	if (!from->any)
		return ARRIVAL_START;
	while (same < to->loops && same < from->loops && from->loop[same] == to->loop[same] &&
		(same + 1 == to->loops || from->index[same] == to->index[same]))
		same++;
	if (same < to->loops)
		return ARRIVAL_ENTRY;
	if (to->loops && from->index[to->loops - 1] != to->index[to->loops - 1])
		return ARRIVAL_NEXT;
	return from->loops > to->loops ? ARRIVAL_EXIT : ARRIVAL_STRAIGHT;
}

enum arrival arrival_next(const struct cursor *cursor, struct control *control)
{
	struct control here = control_at(cursor);
	enum arrival arrival = arrival_of(control, &here);
	*control = here;
	return arrival;
}
