/*
 * arrival.c -- the loops around two events that follow each other, compared.
 */
#include "ask/arrival.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

struct arrivals {
	const struct program *program;
	size_t *around;
};

struct arrivals *arrivals_new(const struct program *p)
{
	struct arrivals *a = mem_alloc(sizeof *a);
	*a = (struct arrivals){p, mem_array(p->length + 1, sizeof *a->around)};
	for (size_t i = 0; i < p->length; i++)
		a->around[i] = SIZE_MAX;
	for (size_t i = 0; i < p->length; i++) /* an inner loop comes later */
		for (size_t k = 1; k < p->statement[i].size; k++)
			a->around[i + k] = i;
	return a;
}

void arrivals_free(struct arrivals *a)
{
	if (a)
		free(a->around);
	free(a);
}

size_t arrivals_around(const struct arrivals *a, size_t statement)
{
	return a->around[statement];
}

static struct control control_at(const struct arrivals *a, size_t statement, const int64_t *index)
{
	struct control c = {.any = true};
	const struct program *p = a->program;
	size_t depth = 0, inside[INDEX_DEPTH];
	for (size_t at = a->around[statement]; at != SIZE_MAX && depth < INDEX_DEPTH; at = a->around[at])
		inside[depth++] = at;
	for (size_t i = 0; i < depth; i++) {
		size_t loop = inside[depth - 1 - i];
		if (statement_guard(&p->statement[loop]) != GUARD_NONE)
			continue;
		c.loop[c.loops] = loop;
		c.index[c.loops] = index[c.loops];
		c.loops++;
	}
	return c;
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

enum arrival arrival_next(const struct arrivals *a, size_t statement, const int64_t *index, struct control *control)
{
	struct control here = control_at(a, statement, index);
	enum arrival arrival = arrival_of(control, &here);
	*control = here;
	return arrival;
}
