/*
 * carried.c -- all events are gone through twice: for the sizes of messages, then for the values.
 */
#include "lib/carried.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lib/event_values.h"
#include "lib/pipeline.h"
#include "model/matching.h"

#define UNSIZED (-1)

/* Messages on a channel: the sides send and receive. */
struct ends {
	uint32_t channel, side[2];
	uint64_t passed[2];
};

struct carrying {
	struct program *program;
	struct projection *projection;
	uint32_t bytes, received; /* words */
	int64_t *size; /* of each message event, in the order of ranks */
	struct intern *channels;
	struct ends *ends;
	size_t capacity;
	struct matching matching;
};

static bool is_message(const struct plain_event *e)
{
	return e->kind == EVENT_SEND || e->kind == EVENT_RECV;
}

static int64_t size_at(const struct carrying *c, const struct walk *walk)
{
	struct attribute a;
	struct spot spot = walk_spot(walk);
	if (!program_attribute(c->program, walk_statement(walk), c->bytes, &a))
		return UNSIZED;
	struct attribute_value v = attribute_at(c->program, &a, &spot);
	return v.there && !v.word && v.number >= 0 ? v.number : UNSIZED;
}

/* Either end gives its size to the other one, if that has none. */
static void meet(struct carrying *c, const struct plain_event *e, uint32_t event)
{
	uint64_t hash = plain_event_channel(e);
	uint32_t known = intern_count(c->channels), id = intern_id(c->channels, &hash, sizeof hash);
	c->ends = mem_grow(c->ends, &c->capacity, (size_t)id + 1, sizeof *c->ends);
	struct ends *ends = &c->ends[id];
	if (id == known)
		*ends = (struct ends){MATCHING_NONE, {MATCHING_NONE, MATCHING_NONE}, {0, 0}};
	bool receives = e->kind == EVENT_RECV;
	uint64_t number = ends->passed[receives]++;
	uint32_t other = matching_owner(&c->matching, &ends->channel, &ends->side[receives], number, 0, event);
	if (c->size[event] == UNSIZED)
		c->size[event] = c->size[other];
	else if (c->size[other] == UNSIZED)
		c->size[other] = c->size[event];
}

static void find_sizes(struct carrying *c)
{
	size_t capacity = 0;
	uint32_t events = 0;
	c->channels = intern_new_keys(sizeof(uint64_t));
	for (uint32_t rank = 0; rank < c->program->processes; rank++) {
		struct walk *walk = walk_new(c->projection, rank);
		while (walk_next(walk)) {
			struct plain_event e;
			walk_event(walk, &e);
			if (!is_message(&e))
				continue;
			c->size = mem_grow(c->size, &capacity, events + (size_t)1, sizeof *c->size);
			c->size[events] = size_at(c, walk);
			meet(c, &e, events++);
		}
		walk_free(walk);
	}
	intern_free(c->channels);
	matching_clear(&c->matching);
	free(c->ends);
}

static void push(struct carrying *c, struct event_values *values, const struct walk *walk, const int64_t *size)
{
	size_t at = walk_statement(walk);
	struct spot spot = walk_spot(walk);
	struct attribute attribute[ATTRIBUTES_MOST];
	struct trace_attribute more[ATTRIBUTES_MOST];
	struct trace_event e = {
		.attribute = more, .event = program_event_at(c->program, at, (uint32_t)spot.p, spot.index)};
	size_t count = program_get_attributes(c->program, c->program->statement[at].attributes, attribute);
	for (size_t i = 0; i < count; i++) {
		struct attribute_value v = attribute_at(c->program, &attribute[i], &spot);
		const char *name = dictionary_get_word(c->program->dictionary, attribute[i].name);
		bool sized = v.there && !v.word && v.number >= 0;
		if (sized && attribute[i].name == c->bytes) {
			e.sized = true;
			e.bytes = (uint64_t)v.number;
		} else if (sized && attribute[i].name == c->received) {
			e.exchanged = true;
			e.received = (uint64_t)v.number;
		} else if (v.there) {
			more[e.attribute_count++] = (struct trace_attribute){name, strlen(name), v.word, v.number};
		}
	}
	if (size && *size != UNSIZED) {
		e.sized = true;
		e.bytes = (uint64_t)*size;
	}
	event_values_push(values, (uint32_t)spot.p, c->program->dictionary, &e);
}

static void push_all(struct carrying *c, struct event_values *values)
{
	const int64_t *size = c->size;
	event_values_room(values, c->program->processes);
	for (uint32_t rank = 0; rank < c->program->processes; rank++) {
		struct walk *walk = walk_new(c->projection, rank);
		while (walk_next(walk)) {
			struct plain_event e;
			walk_event(walk, &e);
			push(c, values, walk, is_message(&e) ? size++ : NULL);
		}
		walk_free(walk);
	}
	event_values_finish(values, 0);
}

static bool any_carried(const struct program *p)
{
	size_t i = 0;
	while (i < p->length && p->statement[i].attributes == ATTRIBUTES_NONE)
		i++;
	return i < p->length;
}

bool carried_is_too_much(const struct program *p)
{
	return !program_is_folded(p) && any_carried(p) && program_events(p) > CARRIED_MOST;
}

/* NULL: nothing, or there are too many events. */
static struct event_values *carried_of(struct program *p)
{
	if (!any_carried(p) || program_events(p) > CARRIED_MOST)
		return NULL;
	struct carrying c = {.program = p,
		.projection = projection_new(p, NULL),
		.bytes = dictionary_word(p->dictionary, "bytes", 5),
		.received = dictionary_word(p->dictionary, "received", 8)};
	struct event_values *values = event_values_new("all", false, true);
	find_sizes(&c);
	push_all(&c, values);
	free(c.size);
	projection_free(c.projection);
	return values;
}

/* Takes the program, which may be NULL, and the values. */
static struct program *attach(struct program *p, struct event_values *values, struct error *error)
{
	if (p && values && !event_values_attach(values, p, true, error)) {
		program_free(p);
		p = NULL;
	}
	event_values_free(values);
	return p;
}

struct program *carried_as_made(struct program *p, struct error *error)
{
	struct event_values *values = program_is_folded(p) ? NULL : carried_of(p);
	return attach(program_as_made(p, error), values, error);
}

struct program *carried_complete(struct program *p, struct error *error)
{
	uint32_t bytes = dictionary_word(p->dictionary, "bytes", 5);
	size_t messages = 0, sized = 0;
	for (size_t i = 0; i < p->length; i++) {
		const struct statement *s = &p->statement[i];
		struct attribute a;
		if (statement_is_loop(s) || (statement_kind(p, s) != EVENT_SEND && statement_kind(p, s) != EVENT_RECV))
			continue;
		messages++;
		sized += program_attribute(p, i, bytes, &a) && a.choices == CHOICES_NONE;
	}
	return attach(p, sized < messages ? carried_of(p) : NULL, error);
}
