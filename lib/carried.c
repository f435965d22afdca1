/*
 * carried.c -- all events are gone through twice: for the sizes of messages, then for the values.
 */
#include "lib/carried.h"

#include <stdlib.h>
#include <string.h>

#include "ask/ends.h"
#include "ask/event_numbers.h"
#include "base/mem.h"
#include "fit/value_columns.h"
#include "lib/pipeline.h"
#include "model/matching.h"
#include "model/program_nodes.h"

#define UNSIZED (-1)

/* Messages on a channel: the sides send and receive. */
struct sides {
	uint32_t channel, side[2];
	uint64_t passed[2];
};

struct carrying {
	struct program *program;
	const struct program_nodes *nodes;
	struct cursor *cursor;
	uint32_t bytes, received; /* words of the store */
	int64_t *size; /* of each message event, in the order of ranks */
	struct ends ends;
	struct sides *sides; /* by channel */
	size_t known, capacity;
	struct matching matching;
};

static enum event_match match_at(const struct cursor *c)
{
	return kind_rows[node_of(c->at.store, c->event)->sub].match;
}

static bool is_message(const struct cursor *c)
{
	return match_at(c) == MATCH_OUT || match_at(c) == MATCH_IN;
}

static bool is_size(const struct event_value *v)
{
	return v->there && !v->word && v->number >= 0;
}

/* Either end gives its size to the other one, if that has none. */
static void meet(struct carrying *c, uint32_t event)
{
	uint32_t id = ends_channel(&c->ends, &c->cursor->at, c->cursor->event);
	if (id == c->known)
		*MEM_PUSH(c->sides, c->known, c->capacity) =
			(struct sides){MATCHING_NONE, {MATCHING_NONE, MATCHING_NONE}, {0, 0}};
	struct sides *sides = &c->sides[id];
	bool receives = match_at(c->cursor) == MATCH_IN;
	uint64_t number = sides->passed[receives]++;
	uint32_t other = matching_owner(&c->matching, &sides->channel, &sides->side[receives], number, 0, event);
	if (c->size[event] == UNSIZED)
		c->size[event] = c->size[other];
	else if (c->size[other] == UNSIZED)
		c->size[other] = c->size[event];
}

static void find_sizes(struct carrying *c)
{
	size_t events = 0, capacity = 0;
	c->ends = ends_new(c->nodes->run);
	for (uint32_t rank = 0; rank < c->program->processes; rank++) {
		cursor_restart(c->cursor, rank);
		while (cursor_next(c->cursor)) {
			if (!is_message(c->cursor))
				continue;
			struct event_value v = event_value_at(&c->cursor->at, c->cursor->event, c->bytes);
			*MEM_PUSH(c->size, events, capacity) = is_size(&v) ? v.number : UNSIZED;
			meet(c, (uint32_t)events - 1);
		}
	}
	ends_clear(&c->ends);
	matching_clear(&c->matching);
	free(c->sides);
}

/* Of the program's dictionary: there guards have indices, too. */
static uint32_t event_at(const struct carrying *c)
{
	const struct cursor *at = c->cursor;
	int64_t index[INDEX_DEPTH] = {0};
	for (size_t i = 1, loops = 0; i < at->frames && i <= INDEX_DEPTH; i++)
		if (at->frame[i].loop)
			index[i - 1] = at->at.index[loops++];
	return program_event_at(c->program, c->nodes->statement[at->line], (uint32_t)at->at.p, index);
}

static void push(struct carrying *c, struct value_columns *values, const int64_t *size)
{
	struct cursor *at = c->cursor;
	const struct node *n = node_of(at->at.store, at->event);
	struct trace_attribute more[ATTRIBUTES_MOST];
	struct trace_event e = {.attribute = more, .event = event_at(c)};
	for (uint32_t k = COLUMNS; k < n->kids; k++) {
		uint32_t word = node_of(at->at.store, n->kid[k])->word;
		struct event_value v = event_value_at(&at->at, at->event, word);
		const char *name = store_get_word(at->at.store, word);
		if (is_size(&v) && word == c->bytes) {
			e.sized = true;
			e.bytes = (uint64_t)v.number;
		} else if (is_size(&v) && word == c->received) {
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
	value_columns_push(values, (uint32_t)at->at.p, c->program->dictionary, &e);
}

static void push_all(struct carrying *c, struct value_columns *values)
{
	const int64_t *size = c->size;
	value_columns_room(values, c->program->processes);
	for (uint32_t rank = 0; rank < c->program->processes; rank++) {
		cursor_restart(c->cursor, rank);
		while (cursor_next(c->cursor))
			push(c, values, is_message(c->cursor) ? size++ : NULL);
	}
	value_columns_finish(values, 0);
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
static struct value_columns *carried_of(struct program *p)
{
	if (!any_carried(p) || program_events(p) > CARRIED_MOST)
		return NULL;
	const struct program_nodes *nodes = program_nodes(p, &(struct error){0});
	struct store *store = nodes->module->store;
	struct carrying c = {.program = p,
		.nodes = nodes,
		.cursor = cursor_new(nodes->run, 0),
		.bytes = store_word(store, "bytes", 5),
		.received = store_word(store, "received", 8)};
	struct value_columns *values = value_columns_new("all", false, true);
	find_sizes(&c);
	push_all(&c, values);
	free(c.size);
	cursor_free(c.cursor);
	return values;
}

/* Takes the program, which may be NULL, and the values. */
static struct program *attach(struct program *p, struct value_columns *values, struct error *error)
{
	if (p && values && !program_attach_values(&p, values, true, error)) {
		program_free(p);
		p = NULL;
	}
	value_columns_free(values);
	return p;
}

struct program *carried_as_made(struct program *p, struct error *error)
{
	struct value_columns *values = program_is_folded(p) ? NULL : carried_of(p);
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

/* ------------------------------------------------------------------ modules */

struct messages {
	const struct store *store;
	uint32_t bytes;
	bool unsized, carried; /* is there a message without a size; is there an attribute? */
};

static void look(struct messages *m, node_id at)
{
	const struct node *n = node_of(m->store, at);
	bool sized = n->kind != NODE_EVENT || (n->sub != KIND_SEND && n->sub != KIND_RECV);
	for (uint32_t k = 0; k < n->kids && n->kind != NODE_EVENT; k++)
		if (n->kid[k] && (n->kind == NODE_SEQUENCE || k == 2))
			look(m, n->kid[k]);
	for (uint32_t k = COLUMNS; k < n->kids && n->kind == NODE_EVENT; k++) {
		const struct node *a = node_of(m->store, n->kid[k]);
		sized |= a->word == m->bytes && !a->kid[1];
		m->carried = true;
	}
	m->unsized |= !sized;
}

static struct messages messages_of(const struct module *m)
{
	struct messages found = {.store = m->store, .bytes = store_word(m->store, "bytes", 5)};
	look(&found, m->body);
	for (size_t i = 0; i < m->procedures; i++)
		look(&found, node_kid(m->store, m->procedure[i], 0));
	return found;
}

bool module_carries_too_much(const struct module *m)
{
	return !module_is_folded(m) && messages_of(m).carried && m->events > CARRIED_MOST;
}

struct module *module_carried_as_made(struct module *m, struct error *error)
{
	if (!m || module_is_folded(m))
		return m;
	struct program *p = program_from(m, error);
	return module_from(p ? carried_as_made(p, error) : NULL, error);
}

struct module *module_carried_complete(struct module *m, struct error *error)
{
	struct messages found = m ? messages_of(m) : (struct messages){0};
	if (!found.unsized || !found.carried || m->events > CARRIED_MOST)
		return m;
	struct program *p = program_from(m, error);
	return module_from(p ? carried_complete(p, error) : NULL, error);
}
