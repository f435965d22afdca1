/*
 * affine_events.c -- events as records of the affine recognizer, and its nest as one over events
 * with steps.
 *
 * The recognizer may find loops whose counts advance, too. The reduction knows no such loops: those
 * on whose indices a count depends are written out, and found again when the text is built.
 */
#include "nlr/affine_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "nlr/affine_nlr.h"
#include "nlr/affine_unroll.h"

/* What text may hold. */
#define FACTOR_MOST (INT64_C(1) << 31)

/* Loops around a message that advances: the reduction may make two of each. */
#define DEPTH_MOST (EVENT_LOOPS / 2)

enum { PEER, NUMBER, NUMBERS };

/* What a shape is known by. */
#define SHAPE_WORDS 6

/* A shape of records. */
struct shape {
	uint32_t event; /* of the process's dictionary; of messages: one of them */
	uint32_t width; /* 0: the event as it is */
	bool unwrapped; /* `last` is one of its peers, on the ring, and `step` led there */
	int64_t last, step;
};

/* An event of the dictionary as a record. */
struct known {
	uint32_t shape;
	int64_t number[NUMBERS];
	bool happens; /* it is what happened, not only like it */
};

struct affine_events {
	uint32_t rank;
	struct affine_nlr_options options;
	const struct dictionary *dictionary;
	struct intern *shapes; /* their keys */
	struct shape *shape;
	size_t shape_capacity;
	struct intern *events; /* ids of the dictionary, in `known` */
	struct known *known;
	size_t known_capacity;
	uint32_t last_event, last; /* the event looked up last, and where it is known */
	struct affine_nlr *nlr; /* while it is fed */
	struct affine_nest *nest; /* then */
	uint32_t ring; /* peers are relative to the process, among so many; 0: they are ranks */
	bool unnamed;
};

struct affine_events *affine_events_new(uint32_t rank, size_t window, unsigned repetitions, const struct dictionary *d)
{
	struct affine_events *a = mem_zero(sizeof *a);
	a->rank = rank;
	a->options = (struct affine_nlr_options){
		.window = affine_nlr_window(window), .repetitions = repetitions < 3 ? 3 : repetitions};
	a->dictionary = d;
	a->last_event = UINT32_MAX;
	a->shapes = intern_new_keys(SHAPE_WORDS * sizeof(uint64_t));
	a->events = intern_new_keys(sizeof(uint32_t));
	a->nlr = affine_nlr_new(&a->options);
	return a;
}

void affine_events_free(struct affine_events *a)
{
	if (!a)
		return;
	intern_free(a->shapes);
	intern_free(a->events);
	free(a->shape);
	free(a->known);
	affine_nlr_free(a->nlr);
	affine_nest_free(a->nest);
	free(a);
}

/* ------------------------------------------------------------------ records */

static uint32_t shape_of(struct affine_events *a, uint32_t event)
{
	const struct event *e = dictionary_get_event(a->dictionary, event);
	uint64_t key[SHAPE_WORDS] = {e->kind, event};
	uint32_t width = 0;
	if (kind_has_tag(e->kind)) {
		const struct tag *tag = dictionary_get_tag(a->dictionary, e->subject);
		width = 1 + (tag->numbered && tag->number < TAG_NUMBER_LIMIT);
		key[1] = tag->stem;
		key[2] = (uint64_t)(a->unnamed ? NO_COMMUNICATOR : tag->communicator);
		key[3] = width;
		key[4] = tag->numbered;
		key[5] = width == 2 ? 0 : tag->number;
	}
	uint32_t known = intern_count(a->shapes), id = intern_id(a->shapes, key, sizeof key);
	if (id == known) {
		a->shape = mem_grow(a->shape, &a->shape_capacity, (size_t)id + 1, sizeof *a->shape);
		a->shape[id] = (struct shape){.event = event, .width = width};
	}
	return id;
}

static struct known *know(struct affine_events *a, uint32_t event)
{
	if (event == a->last_event)
		return &a->known[a->last];
	uint32_t count = intern_count(a->events), id = intern_id(a->events, &event, sizeof event);
	a->last_event = event;
	a->last = id;
	if (id == count) {
		const struct event *e = dictionary_get_event(a->dictionary, event);
		a->known = mem_grow(a->known, &a->known_capacity, (size_t)id + 1, sizeof *a->known);
		struct known *k = &a->known[id];
		*k = (struct known){.shape = shape_of(a, event), .number[PEER] = e->peer};
		if (a->shape[k->shape].width == 2)
			k->number[NUMBER] = (int64_t)dictionary_get_tag(a->dictionary, e->subject)->number;
	}
	return &a->known[id];
}

void affine_events_push(struct affine_events *a, uint32_t event)
{
	struct known *k = know(a, event);
	k->happens = true;
	affine_nlr_push(a->nlr, k->shape, a->shape[k->shape].width, k->number);
}

void affine_events_push_shape(struct affine_events *a, uint32_t shape, uint32_t peer, uint64_t number)
{
	const struct known *k = know(a, shape);
	affine_nlr_push(a->nlr, k->shape, a->shape[k->shape].width, (int64_t[NUMBERS]){peer, (int64_t)number});
}

void affine_events_finish(struct affine_events *a)
{
	a->nest = affine_nlr_finish(a->nlr);
	a->nlr = NULL;
}

void affine_events_mark(const struct affine_events *a, bool *mark)
{
	for (uint32_t i = 0; i < intern_count(a->shapes); i++)
		mark[a->shape[i].event] = true;
}

/* ------------------------------------------------------------------ as bytes */

static void pack_nodes(
	const struct affine_events *a, const struct affine_node *n, size_t length, size_t depth, struct text *to)
{
	pack_number(to, length);
	for (size_t i = 0; i < length; i++) {
		bool loop = affine_is_loop(&n[i]);
		size_t values = loop ? 1 : n[i].width;
		pack_number(to, loop ? 0 : (uint64_t)n[i].shape + 1);
		for (size_t k = 0; k < values * (1 + depth); k++)
			pack_signed(to, n[i].value[k] - (!loop && k == 0 ? (int64_t)a->rank : 0));
		if (loop)
			pack_nodes(a, n[i].body, n[i].length, depth + 1, to);
	}
}

void affine_events_happens(const struct affine_events *a, bool *happens)
{
	for (uint32_t i = 0; i < intern_count(a->events); i++)
		happens[*(const uint32_t *)intern_data(a->events, i, NULL)] = a->known[i].happens;
}

void affine_events_pack(const struct affine_events *a, struct text *to)
{
	pack_number(to, intern_count(a->shapes));
	for (uint32_t i = 0; i < intern_count(a->shapes); i++)
		pack_number(to, a->shape[i].event);
	pack_nodes(a, a->nest->root, a->nest->length, 0, to);
}

static struct affine_node *unpack_nodes(struct affine_events *a, struct unpack *from, size_t depth, size_t *length)
{
	*length = depth > AFFINE_DEPTH ? 0 : unpack_count(from);
	struct affine_node *n = arena_alloc(a->nest->arena, *length * sizeof *n);
	for (size_t i = 0; i < *length; i++) {
		uint64_t shape = unpack_below(from, (uint64_t)intern_count(a->shapes) + 1);
		size_t width = shape ? a->shape[shape - 1].width : 0, values = (shape ? width : 1) * (1 + depth);
		n[i] = (struct affine_node){
			.shape = shape ? (uint32_t)(shape - 1) : AFFINE_LOOP, .width = (uint32_t)width};
		n[i].value = arena_alloc(a->nest->arena, values * sizeof *n[i].value);
		for (size_t k = 0; k < values; k++)
			n[i].value[k] = unpack_signed(from) + (shape && k == 0 ? (int64_t)a->rank : 0);
		if (!shape)
			n[i].body = unpack_nodes(a, from, depth + 1, &n[i].length);
	}
	return n;
}

struct affine_events *affine_events_unpack(
	struct unpack *from, uint32_t rank, size_t window, unsigned repetitions, const struct dictionary *d)
{
	struct affine_events *a = affine_events_new(rank, window, repetitions, d);
	affine_events_finish(a);
	uint32_t events = dictionary_events(d);
	for (size_t shapes = unpack_count(from); shapes > 0; shapes--) {
		uint32_t event = (uint32_t)unpack_below(from, events);
		if (!from->bad)
			shape_of(a, event);
	}
	size_t length;
	struct affine_node *root = unpack_nodes(a, from, 0, &length);
	for (size_t i = 0; i < length; i++)
		affine_nest_append(a->nest, &root[i]);
	return a;
}

/* ------------------------------------------------------------------ communicators */

bool affine_events_names_any(const struct affine_events *a)
{
	for (uint32_t i = 0; i < intern_count(a->shapes); i++) {
		const struct event *e = dictionary_get_event(a->dictionary, a->shape[i].event);
		if (kind_has_tag(e->kind) &&
			dictionary_get_tag(a->dictionary, e->subject)->communicator != NO_COMMUNICATOR)
			return true;
		if (kind_gathers(e->kind) &&
			dictionary_get_sync(a->dictionary, e->subject)->communicator != NO_COMMUNICATOR)
			return true;
	}
	return false;
}

void affine_events_run(
	const struct affine_events *a, void *context, void (*event)(void *, const struct event *, const struct tag *))
{
	struct affine_walk *walk = affine_walk_new(a->nest);
	uint32_t shape;
	const int64_t *number;
	while (affine_walk_next(walk, &shape, &number)) {
		struct event e = *dictionary_get_event(a->dictionary, a->shape[shape].event);
		if (!kind_has_tag(e.kind)) {
			event(context, &e, NULL);
			continue;
		}
		struct tag tag = *dictionary_get_tag(a->dictionary, e.subject);
		e.peer = (uint32_t)number[PEER];
		if (a->shape[shape].width == 2)
			tag.number = (uint64_t)number[NUMBER];
		event(context, &e, &tag);
	}
	affine_walk_free(walk);
}

/* --------------------------------------------------------------- peers on the ring of all ranks */

static bool any_peer_advances(const struct affine_node *n, size_t length, size_t depth)
{
	bool any = false;
	for (size_t i = 0; i < length && !any; i++) {
		if (affine_is_loop(&n[i]))
			any = any_peer_advances(n[i].body, n[i].length, depth + 1);
		for (size_t k = 0; !affine_is_loop(&n[i]) && n[i].width && k < depth; k++)
			any |= n[i].value[1 + k] != 0;
	}
	return any;
}

/* The peer relative to the process: of all that are the same on the ring the one that goes on with
   single steps, or else the least. */
static int64_t unwrap(struct shape *s, int64_t peer, uint32_t rank, uint32_t ring)
{
	int64_t relative = (peer - rank + ring) % ring, next = s->last + s->step;
	bool steps = s->unwrapped && (s->step == 1 || s->step == -1);
	if (steps && (next - relative) % ring == 0)
		relative = next;
	s->step = s->unwrapped ? relative - s->last : 0;
	s->last = relative;
	s->unwrapped = true;
	return relative;
}

void affine_events_settle(struct affine_events *a, uint32_t processes, bool unnamed)
{
	bool rings = any_peer_advances(a->nest->root, a->nest->length, 0);
	if (!rings && !(unnamed && affine_events_names_any(a)))
		return;
	struct shape *old = a->shape;
	intern_free(a->shapes);
	a->shapes = intern_new_keys(SHAPE_WORDS * sizeof(uint64_t));
	a->shape = NULL;
	a->shape_capacity = 0;
	a->unnamed = unnamed;
	a->ring = rings ? processes : 0;
	struct affine_nlr *nlr = affine_nlr_new(&a->options);
	struct affine_walk *walk = affine_walk_new(a->nest);
	uint32_t was;
	const int64_t *number;
	while (affine_walk_next(walk, &was, &number)) {
		uint32_t shape = shape_of(a, old[was].event), width = old[was].width;
		int64_t own[NUMBERS] = {width ? number[PEER] : 0, width == 2 ? number[NUMBER] : 0};
		if (rings && width)
			own[PEER] = unwrap(&a->shape[shape], own[PEER], a->rank, processes);
		affine_nlr_push(nlr, shape, width, own);
	}
	affine_walk_free(walk);
	affine_nest_free(a->nest);
	free(old);
	a->nest = affine_nlr_finish(nlr);
}

/* ------------------------------------------------------------------ events with steps */

/* Mark loops by number on whose indices a count depends, or a number more than steps can say.
   Returns the number behind. */
static size_t mark_unfit(
	const struct affine_node *n, size_t length, size_t depth, size_t id, size_t *around, bool *mark)
{
	for (size_t i = 0; i < length; i++) {
		bool loop = affine_is_loop(&n[i]);
		for (size_t v = 0; v < (loop ? 1 : n[i].width); v++)
			for (size_t k = 0; k < depth; k++) {
				int64_t factor = n[i].value[v * (1 + depth) + 1 + k];
				bool fits =
					!loop && depth <= DEPTH_MOST && factor <= FACTOR_MOST && factor >= -FACTOR_MOST;
				mark[around[k]] |= factor && !fits;
			}
		if (loop) {
			around[depth] = id;
			id = mark_unfit(n[i].body, n[i].length, depth + 1, id + 1, around, mark);
		}
	}
	return id;
}

static int64_t nearest(int64_t move, uint32_t ring)
{
	int64_t rest = (move % ring + ring) % ring;
	return rest > ring / 2 ? rest - ring : rest;
}

struct appending {
	struct affine_events *a;
	struct dictionary *dictionary;
	struct nest *to;
	const uint32_t *event_of;
};

static uint32_t message_of(const struct appending *p, const struct affine_node *n, size_t depth)
{
	const struct affine_events *a = p->a;
	struct dictionary *d = p->dictionary;
	struct event e = *dictionary_get_event(d, p->event_of[a->shape[n->shape].event]);
	struct event_steps steps;
	memset(&steps, 0, sizeof steps);
	int64_t peer = n->value[0];
	for (size_t k = 0; k < depth; k++) {
		int64_t factor = n->value[1 + k];
		if (factor)
			steps.peer[depth - 1 - k] = a->ring ? nearest(factor, a->ring) : factor;
	}
	for (size_t k = 0; k < EVENT_LOOPS; k++)
		if (steps.peer[k])
			steps.ring = a->ring;
	e.peer = (uint32_t)(a->ring ? ((peer + a->rank) % a->ring + a->ring) % a->ring : peer);
	if (n->width == 2) {
		const int64_t *value = n->value + 1 + depth;
		struct tag tag = *dictionary_get_tag(d, e.subject);
		tag.number = (uint64_t)value[0];
		e.subject = dictionary_tag(d, &tag);
		for (size_t k = 0; k < depth; k++)
			if (value[1 + k])
				steps.number[depth - 1 - k] = value[1 + k];
	}
	e.steps = dictionary_steps(d, &steps);
	return dictionary_event(d, &e);
}

static bool does_something(const struct affine_node *n)
{
	return !affine_is_loop(n) || n->value[0] > 0;
}

static node append_node(const struct appending *p, const struct affine_node *n, size_t depth)
{
	if (!affine_is_loop(n))
		return n->width ? message_of(p, n, depth) : p->event_of[p->a->shape[n->shape].event];
	node *body = mem_array(n->length, sizeof *body);
	size_t length = 0;
	for (size_t i = 0; i < n->length; i++)
		if (does_something(&n->body[i]))
			body[length++] = append_node(p, &n->body[i], depth + 1);
	node loop = nest_loop(p->to, (uint64_t)n->value[0], body, length);
	free(body);
	return loop;
}

void affine_events_append(struct affine_events *a, struct dictionary *d, struct nest *to, const uint32_t *event_of)
{
	bool *mark = mem_zero(affine_loops(a->nest->root, a->nest->length) + 1);
	size_t around[AFFINE_DEPTH];
	mark_unfit(a->nest->root, a->nest->length, 0, 0, around, mark);
	a->nest = affine_unroll(a->nest, mark);
	free(mark);
	struct appending p = {a, d, to, event_of};
	for (size_t i = 0; i < a->nest->length; i++)
		if (does_something(&a->nest->root[i]))
			nest_append(to, append_node(&p, &a->nest->root[i], 0));
}
