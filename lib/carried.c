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

#define UNSIZED (-1)

/* Messages on a channel: the sides send and receive. */
struct sides {
	uint32_t channel, side[2];
	uint64_t passed[2];
};

struct carrying {
	struct run *run;
	struct cursor *cursor;
	struct member_sets *members;
	struct dictionary *dictionary;
	struct intern *met; /* struct event_numbers, */
	uint32_t *event; /* ... and by these an event of the dictionary */
	size_t events, event_capacity;
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
	c->ends = ends_new(c->run);
	for (uint32_t rank = 0; rank < run_module(c->run)->processes; rank++) {
		cursor_restart(c->cursor, rank);
		while (cursor_next(c->cursor)) {
			if (!is_message(c->cursor))
				continue;
			struct event_value v = event_value_at(&c->cursor->at, NULL, c->cursor->event, c->bytes);
			*MEM_PUSH(c->size, events, capacity) = is_size(&v) ? v.number : UNSIZED;
			meet(c, (uint32_t)events - 1);
		}
	}
	ends_clear(&c->ends);
	matching_clear(&c->matching);
	free(c->sides);
}

/* What it is, in the dictionary. */
static uint32_t make_event(const struct carrying *c, const struct event_numbers *n)
{
	const char *word = store_get_word(c->cursor->at.store, n->word);
	uint32_t id = dictionary_word(c->dictionary, word, strlen(word));
	struct event e = {n->kind, (uint32_t)c->cursor->at.p, 0, id, EVENT_CONSTANT};
	int64_t communicator = n->number[COLUMN_COMMUNICATOR];
	if (communicator == EVENT_UNSAID)
		communicator = NO_COMMUNICATOR;
	if (kind_has_peer(n->kind))
		e.peer = (uint32_t)n->number[COLUMN_PEER];
	if (kind_rows[n->kind].subject == SUBJECT_SYNC) {
		const struct ranks *group = member_set_ranks(c->members, (uint32_t)n->number[COLUMN_GROUP]);
		struct sync sync = {id, dictionary_ranks(c->dictionary, group), communicator};
		e.process = dictionary_rank(c->dictionary, e.process);
		e.peer = n->number[COLUMN_ROOT] == EVENT_UNSAID ? NO_ROOT : (uint32_t)n->number[COLUMN_ROOT];
		e.subject = dictionary_sync(c->dictionary, &sync);
	} else if (kind_rows[n->kind].subject == SUBJECT_TAG) {
		bool numbered = n->number[COLUMN_TAG] != EVENT_UNSAID;
		struct tag tag = {id, numbered, numbered ? (uint64_t)n->number[COLUMN_TAG] : 0, communicator};
		e.subject = dictionary_tag(c->dictionary, &tag);
	}
	return dictionary_event(c->dictionary, &e);
}

static uint32_t event_at(struct carrying *c)
{
	struct event_numbers n;
	event_numbers_at(&c->cursor->at, c->members, c->cursor->event, &n);
	uint32_t known = intern_count(c->met), id = intern_id(c->met, &n, sizeof n);
	if (id == known)
		*MEM_PUSH(c->event, c->events, c->event_capacity) = make_event(c, &n);
	return c->event[id];
}

static void push(struct carrying *c, struct value_columns *values, const int64_t *size)
{
	struct cursor *at = c->cursor;
	const struct node *n = node_of(at->at.store, at->event);
	struct trace_attribute more[ATTRIBUTES_MOST];
	struct trace_event e = {.attribute = more, .event = event_at(c)};
	for (uint32_t k = COLUMNS; k < n->kids; k++) {
		uint32_t word = node_of(at->at.store, n->kid[k])->word;
		struct event_value v = event_value_at(&at->at, c->members, at->event, word);
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
	value_columns_push(values, (uint32_t)at->at.p, c->dictionary, &e);
}

static void push_all(struct carrying *c, struct value_columns *values)
{
	const int64_t *size = c->size;
	value_columns_room(values, run_module(c->run)->processes);
	for (uint32_t rank = 0; rank < run_module(c->run)->processes; rank++) {
		cursor_restart(c->cursor, rank);
		while (cursor_next(c->cursor))
			push(c, values, is_message(c->cursor) ? size++ : NULL);
	}
	value_columns_finish(values, 0);
}

/* Of a module without calls. */
static struct value_columns *carried_of(const struct module *m)
{
	struct run *run = run_new(m, NULL);
	struct carrying c = {.run = run,
		.cursor = cursor_new(run, 0),
		.members = member_sets_new(run),
		.dictionary = dictionary_new(),
		.met = intern_new_keys(sizeof(struct event_numbers)),
		.bytes = store_word(m->store, "bytes", 5),
		.received = store_word(m->store, "received", 8)};
	struct value_columns *values = value_columns_new("all", false, true);
	find_sizes(&c);
	push_all(&c, values);
	free(c.size);
	free(c.event);
	intern_free(c.met);
	dictionary_free(c.dictionary);
	member_sets_free(c.members);
	cursor_free(c.cursor);
	run_free(run);
	return values;
}

struct messages {
	bool unsized, carried; /* is there a message without a size; is there an attribute? */
};

static struct messages messages_of(const struct module *m)
{
	struct messages found = {0};
	uint32_t bytes = store_word(m->store, "bytes", 5);
	struct module_line *line = module_statements(m);
	for (size_t i = 0; i < m->lines; i++) {
		const struct node *n = node_of(m->store, line[i].node);
		if (n->kind != NODE_EVENT)
			continue;
		node_id size = event_attribute(m->store, n, bytes);
		found.carried |= n->kids > COLUMNS;
		found.unsized |= kind_is_message(n->sub) && (!size || node_kid(m->store, size, 1));
	}
	free(line);
	return found;
}

bool module_carries_too_much(const struct module *m)
{
	return !module_is_folded(m) && messages_of(m).carried && m->events > CARRIED_MOST;
}

/* Takes the module, which may be NULL, and the values. */
static struct module *with_values(struct module *m, struct value_columns *values, struct error *error)
{
	if (m && values)
		m = module_with_values(m, values, error);
	value_columns_free(values);
	return m;
}

struct module *module_carried_as_made(struct module *m, struct error *error)
{
	if (!m || module_is_folded(m))
		return m;
	if (!module_inline(m, error)) {
		module_free(m);
		return NULL;
	}
	struct value_columns *values = messages_of(m).carried && m->events <= CARRIED_MOST ? carried_of(m) : NULL;
	return with_values(module_as_made(m, error), values, error);
}

struct module *module_carried_complete(struct module *m, struct error *error)
{
	struct messages found = m ? messages_of(m) : (struct messages){0};
	if (!found.unsized || !found.carried || m->events > CARRIED_MOST)
		return m;
	struct module *plain = module_copy(m);
	struct value_columns *values = module_inline(plain, error) ? carried_of(plain) : NULL;
	module_free(plain);
	if (values)
		return with_values(m, values, error);
	module_free(m);
	return NULL;
}
