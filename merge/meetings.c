/*
 * meetings.c -- by channel, or collective of a group, what each lane has there.
 */
#include "merge/meetings.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "merge/grids.h"

/* A channel, or a collective of a communicator. All bytes are the identity. */
struct meeting {
	struct tree_channel channel;
	uint64_t group;
};

/* What a lane does there. */
struct side {
	uint32_t who; /* a process that sends to itself has two sides */
	size_t *owner;
	size_t length, capacity;
};

struct meet {
	struct side *side;
	size_t sides, capacity;
};

struct meetings {
	const struct tree_builder *builder;
	const struct grid *grid;
	struct intern *known; /* struct meeting */
	struct meet *meet; /* by these */
	size_t capacity;
};

struct meetings *meetings_new(const struct tree_builder *b, const struct grid *grid)
{
	struct meetings *m = mem_zero(sizeof *m);
	m->builder = b;
	m->grid = grid;
	m->known = intern_new();
	return m;
}

void meetings_free(struct meetings *m)
{
	for (uint32_t i = 0; i < intern_count(m->known); i++) {
		for (size_t s = 0; s < m->meet[i].sides; s++)
			free(m->meet[i].side[s].owner);
		free(m->meet[i].side);
	}
	free(m->meet);
	intern_free(m->known);
	free(m);
}

/* Equal for those who are in one group. */
static uint64_t group_of(const struct meetings *m, const struct meeting_event *e)
{
	const struct tree_shape *s = e->shape;
	uint32_t process = m->builder->process[e->lane];
	if (s->grouped == GROUP_IS_IN_PARTITION)
		return m->builder->partition[s->group].group[process];
	if (s->grouped == GROUP_IS_SET)
		return s->group;
	return UINT64_C(1) << 63 | s->group << 32 | grid_line_first(m->grid, (uint32_t)s->group, process);
}

static struct meeting meeting_of(const struct meetings *m, const struct meeting_event *e)
{
	const struct tree_shape *s = e->shape;
	struct meeting meeting;
	memset(&meeting, 0, sizeof meeting);
	meeting.channel.word = s->word;
	meeting.channel.communicator = e->communicator;
	if (kind_gathers(s->kind)) {
		meeting.channel.from = meeting.channel.to = UINT32_MAX;
		meeting.group = group_of(m, e);
		return meeting;
	}
	uint32_t own = m->builder->process[e->lane], peer = (uint32_t)e->peer;
	meeting.channel.from = kind_sends(s->kind) ? own : peer;
	meeting.channel.to = kind_sends(s->kind) ? peer : own;
	meeting.channel.numbered = s->numbered;
	meeting.channel.number = e->tag;
	return meeting;
}

/* The last one, to which it moves. */
static struct side *side_of(struct meet *meet, uint32_t who)
{
	size_t i = 0;
	if (meet->sides && meet->side[meet->sides - 1].who == who)
		return &meet->side[meet->sides - 1];
	while (i < meet->sides && meet->side[i].who != who)
		i++;
	if (i == meet->sides) {
		*MEM_PUSH(meet->side, meet->sides, meet->capacity) = (struct side){.who = who};
	} else {
		struct side swap = meet->side[i];
		meet->side[i] = meet->side[meet->sides - 1];
		meet->side[meet->sides - 1] = swap;
	}
	return &meet->side[meet->sides - 1];
}

void meetings_add(struct meetings *m, const struct meeting_event *e, size_t owner)
{
	if (!kind_matches(e->shape->kind))
		return;
	struct meeting meeting = meeting_of(m, e);
	uint32_t known = intern_count(m->known), id = intern_id(m->known, &meeting, sizeof meeting);
	m->meet = mem_grow(m->meet, &m->capacity, (size_t)id + 1, sizeof *m->meet);
	if (id == known)
		m->meet[id] = (struct meet){0};
	struct side *side = side_of(&m->meet[id], 2 * e->lane + kind_receives(e->shape->kind));
	*MEM_PUSH(side->owner, side->length, side->capacity) = owner;
}

void meetings_each(const struct meetings *m, meetings_take take, void *context)
{
	for (uint32_t i = 0; i < intern_count(m->known); i++) {
		const struct side *first = m->meet[i].side;
		for (size_t s = 1; s < m->meet[i].sides; s++) {
			const struct side *other = &m->meet[i].side[s];
			for (size_t k = 0; k < first->length && k < other->length; k++)
				take(context, first->who / 2, first->owner[k], other->who / 2, other->owner[k]);
		}
	}
}
