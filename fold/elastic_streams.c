/*
 * elastic_streams.c -- events are items, interned; what a process does is a script of items. Those
 * whose scripts have the same keys share a tree, in which each has a lane.
 */
#include "fold/elastic_streams.h"

#include <stdlib.h>
#include <string.h>

#include "ask/plain_event.h"
#include "base/mem.h"

/* Tags that differ in their number alone are listed one by one up to so many. */
#define TAGS_LISTED 6

/* An event as trees have it: its key, and what the key leaves out; its shape where numbers of tags
   are given. All bytes are fields. */
struct item {
	uint32_t key, shape, given;
	uint32_t peer; /* or root */
	uint32_t counted;
	uint32_t stem; /* of a collective: its shape without its group, plus one */
	int64_t tag; /* its number, where it is counted */
};

/* Items, one after the other: events, or (of loops) statements. */
struct script {
	uint32_t *item;
	size_t length, capacity;
};

struct elastic_streams {
	struct program *from;
	const struct program *local; /* NULL: it is of no use */
	struct projection *projection;
	struct intern *shapes, *keys, *tags, *stems, *items;
	uint32_t *numbers; /* by stem: different numbers of its tags */
	size_t numbers_capacity;
	struct item *item;
	size_t item_capacity;
	uint32_t *item_of; /* by event of the local program's dictionary */
	struct stretch {
		size_t from, to;
	} * own; /* by process: its statements in the local program */
	struct script *events; /* by process, when they were asked for */
	struct intern *places; /* NULL: ELASTIC_GIVEN is not; else shapes and peers of one process */
	struct elastic_reducing how; /* trees are made at the moment */
};

/* ------------------------------------------------------------------ items */

static bool is_message(const struct plain_event *event)
{
	return event->kind == EVENT_SEND || event->kind == EVENT_RECV;
}

static uint32_t stem_of(struct elastic_streams *s, const struct plain_event *event)
{
	return intern_id(s->stems, (uint32_t[]){event->kind, event->word}, 2 * sizeof(uint32_t));
}

static void note_tag(struct elastic_streams *s, const struct plain_event *event)
{
	if (!is_message(event) || !event->numbered)
		return;
	uint32_t stems = intern_count(s->stems), stem = stem_of(s, event), tags = intern_count(s->tags);
	s->numbers = mem_grow(s->numbers, &s->numbers_capacity, (size_t)stem + 1, sizeof *s->numbers);
	if (stem == stems)
		s->numbers[stem] = 0;
	uint64_t tag[] = {stem, event->number};
	s->numbers[stem] += intern_id(s->tags, tag, sizeof tag) == tags;
}

static uint32_t item_of(struct elastic_streams *s, const struct plain_event *event)
{
	struct elastic_shape shape;
	struct item item;
	memset(&shape, 0, sizeof shape);
	memset(&item, 0, sizeof item);
	shape.kind = event->kind;
	shape.word = event->word;
	shape.group = event->group;
	shape.numbered = event->numbered;
	shape.communicator = event->communicator;
	shape.rooted = event->kind == EVENT_SYNC && event->peer != NO_ROOT;
	shape.number = event->number;
	item.given = intern_id(s->shapes, &shape, sizeof shape);
	shape.counted = is_message(event) && event->numbered && s->numbers[stem_of(s, event)] > TAGS_LISTED &&
			event->number <= INT64_MAX;
	shape.number = shape.counted ? 0 : event->number;
	item.shape = intern_id(s->shapes, &shape, sizeof shape);
	item.key = elastic_event_key(s->keys, item.shape);
	item.peer = is_message(event) || shape.rooted ? event->peer : 0;
	item.counted = shape.counted;
	if (event->kind == EVENT_SYNC) {
		shape.group = 0;
		shape.communicator = NO_COMMUNICATOR;
		item.stem = intern_id(s->shapes, &shape, sizeof shape) + 1;
	}
	item.tag = shape.counted ? (int64_t)event->number : 0;
	uint32_t known = intern_count(s->items), id = intern_id(s->items, &item, sizeof item);
	s->item = mem_grow(s->item, &s->item_capacity, (size_t)id + 1, sizeof *s->item);
	if (id == known)
		s->item[id] = item;
	return id;
}

/* ------------------------------------------------------------------ the local program */

static bool is_all_plain(const struct program *p)
{
	for (size_t i = 0; i < p->length; i++) {
		const struct statement *s = &p->statement[i];
		if (s->set != STATEMENT_PLAIN || s->bound != BOUND_NONE ||
			(statement_is_loop(s) && (s->size == 1 || !s->count)))
			return false;
	}
	return true;
}

static uint32_t owner_of(const struct program *p, size_t at)
{
	while (statement_is_loop(&p->statement[at]))
		at++;
	struct ranks_run single;
	return program_processes(p, &p->statement[at], &single).run->first;
}

/* Where the processes stand; false: not in a row. */
static bool find_own(struct elastic_streams *s)
{
	const struct program *p = s->local;
	s->own = mem_zero(s->from->processes * sizeof *s->own);
	for (size_t i = 0; i < p->length; i += statement_size(&p->statement[i])) {
		struct stretch *own = &s->own[owner_of(p, i)];
		if (own->to && own->to != i)
			return false;
		own->from = own->to ? own->from : i;
		own->to = i + statement_size(&p->statement[i]);
	}
	return true;
}

/* Each of its events once. */
static void visit_local(struct elastic_streams *s, bool items)
{
	const struct program *p = s->local;
	bool *seen = mem_zero(dictionary_events(p->dictionary) + (size_t)1);
	for (size_t i = 0; i < p->length; i++) {
		struct plain_event event;
		uint32_t id = p->statement[i].event;
		if (statement_is_loop(&p->statement[i]) || seen[id])
			continue;
		seen[id] = true;
		plain_event_of(s->from->dictionary, p->dictionary, id, 0, &event);
		if (items)
			s->item_of[id] = item_of(s, &event);
		else
			note_tag(s, &event);
	}
	free(seen);
}

static void note_tags_of_events(struct elastic_streams *s)
{
	for (uint32_t rank = 0; rank < s->from->processes; rank++) {
		struct walk *w = walk_new(s->projection, rank);
		struct plain_event event;
		while (walk_next(w)) {
			walk_event(w, &event);
			note_tag(s, &event);
		}
		walk_free(w);
	}
}

struct elastic_streams *elastic_streams_new(struct program *from, const struct program *local)
{
	struct elastic_streams *s = mem_zero(sizeof *s);
	s->from = from;
	s->local = local && is_all_plain(local) ? local : NULL;
	s->projection = projection_new(from, NULL);
	s->shapes = intern_new();
	s->keys = intern_new();
	s->tags = intern_new();
	s->stems = intern_new();
	s->items = intern_new();
	if (s->local && !find_own(s))
		s->local = NULL;
	if (!s->local)
		return s;
	s->item_of = mem_array(dictionary_events(local->dictionary) + (size_t)1, sizeof *s->item_of);
	visit_local(s, false);
	visit_local(s, true);
	return s;
}

void elastic_streams_free(struct elastic_streams *s)
{
	for (uint32_t rank = 0; s->events && rank < s->from->processes; rank++)
		free(s->events[rank].item);
	projection_free(s->projection);
	intern_free(s->shapes);
	intern_free(s->keys);
	intern_free(s->tags);
	intern_free(s->stems);
	intern_free(s->items);
	free(s->numbers);
	free(s->item);
	free(s->item_of);
	free(s->own);
	free(s->events);
	free(s);
}

const struct projection *elastic_projection(const struct elastic_streams *s)
{
	return s->projection;
}

const struct elastic_shape *elastic_shape_of(const struct elastic_streams *s, uint32_t shape)
{
	return intern_data(s->shapes, shape, NULL);
}

bool elastic_has_loops(const struct elastic_streams *s)
{
	return s->local;
}

/* ------------------------------------------------------------------ scripts */

static void script_add(struct script *to, uint32_t item)
{
	to->item = mem_grow(to->item, &to->capacity, to->length + 1, sizeof *to->item);
	to->item[to->length++] = item;
}

/* The last ones once more, so many times in all. */
static void script_repeat(struct script *to, size_t from, uint64_t times)
{
	size_t length = to->length - from;
	to->item = mem_grow(to->item, &to->capacity, from + length * times, sizeof *to->item);
	for (uint64_t k = 1; k < times; k++)
		memcpy(to->item + from + k * length, to->item + from, length * sizeof *to->item);
	to->length = from + length * times;
}

/* Recursion as deep as loops nest. */
static void write_out(const struct elastic_streams *s, struct stretch at, struct script *to)
{
	const struct program *p = s->local;
	for (size_t i = at.from; i < at.to; i += statement_size(&p->statement[i])) {
		size_t start = to->length;
		if (!statement_is_loop(&p->statement[i])) {
			script_add(to, s->item_of[p->statement[i].event]);
			continue;
		}
		write_out(s, (struct stretch){i + 1, i + p->statement[i].size}, to);
		script_repeat(to, start, p->statement[i].count);
	}
}

static void write_events(struct elastic_streams *s)
{
	if (s->events)
		return;
	s->events = mem_zero(s->from->processes * sizeof *s->events);
	if (!s->local)
		note_tags_of_events(s);
	for (uint32_t rank = 0; rank < s->from->processes; rank++) {
		if (s->local) {
			write_out(s, s->own[rank], &s->events[rank]);
			continue;
		}
		struct walk *w = walk_new(s->projection, rank);
		struct plain_event event;
		while (walk_next(w)) {
			walk_event(w, &event);
			script_add(&s->events[rank], item_of(s, &event));
		}
		walk_free(w);
	}
}

/* Peers are given in the order in which a process first meets them. */
static uint32_t key_of(const struct elastic_streams *s, const struct item *item)
{
	if (!s->places)
		return item->key;
	uint32_t place = intern_id(s->places, (uint32_t[]){item->given, item->peer}, 2 * sizeof(uint32_t));
	return elastic_given_key(s->keys, item->given, place);
}

/* The keys of the next process. */
static void restart_keys(struct elastic_streams *s)
{
	if (s->places)
		intern_free(s->places);
	s->places = s->places ? intern_new() : NULL;
}

/* What scripts must have in common: keys, and what loops are. */
static void keys_of_events(const struct elastic_streams *s, const struct script *events, struct script *to)
{
	for (size_t i = 0; i < events->length; i++)
		script_add(to, key_of(s, &s->item[events->item[i]]));
}

static void keys_of_loops(const struct elastic_streams *s, struct stretch at, struct script *to)
{
	for (size_t i = at.from; i < at.to; i++) {
		const struct statement *statement = &s->local->statement[i];
		if (!statement_is_loop(statement)) {
			script_add(to, key_of(s, &s->item[s->item_of[statement->event]]));
			continue;
		}
		script_add(to, UINT32_MAX);
		script_add(to, (uint32_t)statement->size);
		script_add(to, (uint32_t)statement->count);
		script_add(to, (uint32_t)(statement->count >> 32));
	}
}

/* ------------------------------------------------------------------ trees */

/* Processes by what they have in common; those that do nothing have no tree. */
static struct elastic_trees find_alike(struct elastic_streams *s, enum elastic_way way)
{
	struct elastic_trees t = {0};
	struct intern *known = intern_new();
	struct script keys = {0};
	for (uint32_t rank = 0; rank < s->from->processes; rank++) {
		keys.length = 0;
		restart_keys(s);
		if (way != ELASTIC_EVENTS)
			keys_of_loops(s, s->own[rank], &keys);
		else
			keys_of_events(s, &s->events[rank], &keys);
		if (!keys.length)
			continue;
		uint32_t id = intern_id(known, keys.item, keys.length * sizeof *keys.item);
		if (id == t.length) {
			t.tree = mem_grow(t.tree, &t.capacity, t.length + 1, sizeof *t.tree);
			t.tree[t.length++] = (struct elastic_tree){0};
		}
		struct elastic_tree *tree = &t.tree[id];
		tree->process =
			mem_grow(tree->process, &tree->capacity, (size_t)tree->processes + 1, sizeof *tree->process);
		tree->process[tree->processes++] = rank;
	}
	intern_free(known);
	free(keys.item);
	return t;
}

/* The event that stands at a place of the scripts, on all lanes. */
static struct elastic_node *node_of(
	const struct elastic_streams *s, const struct elastic_tree *tree, enum elastic_way way, size_t at)
{
	struct elastic_node *n = NULL;
	for (uint32_t lane = 0; lane < tree->processes; lane++) {
		uint32_t rank = tree->process[lane];
		const struct item *item =
			&s->item[way == ELASTIC_EVENTS ? s->events[rank].item[at]
						       : s->item_of[s->local->statement[s->own[rank].from + at].event]];
		bool counted = item->counted && !s->places;
		if (!n) {
			n = elastic_event(
				key_of(s, item), s->places ? item->given : item->shape, tree->processes, counted);
			n->collective = item->stem;
		}
		n->slot[SLOT_PEER].number[lane] = item->peer;
		if (counted)
			n->slot[SLOT_TAG].number[lane] = item->tag;
	}
	return n;
}

static void list_events(struct elastic_streams *s, struct elastic_tree *tree)
{
	for (size_t i = 0; i < s->events[*tree->process].length; i++)
		elastic_add(&tree->list, node_of(s, tree, ELASTIC_EVENTS, i));
}

/* Events of a loop that is written out: so many, and so many for each of its statements. */
#define WRITTEN_OUT 4096
#define WRITTEN_OUT_RATIO 4

/* Of the events of statements, saturating at more than are written out. */
static uint64_t events_of(const struct statement *statement, struct stretch at)
{
	uint64_t events = 0;
	for (size_t i = at.from; i < at.to && events <= WRITTEN_OUT; i += statement_size(&statement[i])) {
		bool loop = statement_is_loop(&statement[i]);
		uint64_t own = loop ? events_of(statement, (struct stretch){i + 1, i + statement[i].size}) : 1,
			 times = loop && statement[i].count > WRITTEN_OUT ? WRITTEN_OUT + 1
				 : loop                                   ? statement[i].count
									  : 1;
		events += own * times;
	}
	return events < WRITTEN_OUT ? events : WRITTEN_OUT + 1;
}

static void reduce(struct elastic_streams *s, struct elastic_list *list, enum elastic_sameness same)
{
	if (same == ELASTIC_GIVEN)
		elastic_loop_advancing(list, s->keys);
	elastic_reduce(list, &s->how);
}

/* Loops as they were recognized, or written out where they are short; statements are counted from
   the process's first. Recursion as deep as loops nest. */
static void list_loops(struct elastic_streams *s, const struct elastic_tree *tree, struct stretch at,
	enum elastic_way way, enum elastic_sameness same, struct elastic_list *list)
{
	const struct statement *statement = s->local->statement + s->own[*tree->process].from;
	for (size_t i = at.from; i < at.to; i += statement_size(&statement[i])) {
		struct stretch inside = {i + 1, i + statement_size(&statement[i])};
		if (!statement_is_loop(&statement[i])) {
			elastic_add(list, node_of(s, tree, ELASTIC_LOOPS, i));
			continue;
		}
		uint64_t events = way == ELASTIC_BODIES ? events_of(statement, (struct stretch){i, inside.to}) : 0;
		if (events && events <= WRITTEN_OUT && events <= WRITTEN_OUT_RATIO * statement[i].size) {
			for (uint64_t k = 0; k < statement[i].count; k++)
				list_loops(s, tree, inside, way, same, list);
			continue;
		}
		struct elastic_list body = {0};
		list_loops(s, tree, inside, way, same, &body);
		reduce(s, &body, same);
		struct elastic_node *loop = elastic_loop(s->keys, ELASTIC_LOOP, &body);
		for (size_t k = 0; k < loop->body.length; k++)
			elastic_repeat(loop->body.node[k], statement[i].count);
		numbers_add(&loop->slot[SLOT_COUNT], (int64_t)statement[i].count);
		elastic_add(list, loop);
	}
}

bool elastic_trees_make(struct elastic_streams *s, enum elastic_way way, enum elastic_sameness same, bool partial,
	struct elastic_trees *t)
{
	s->how = (struct elastic_reducing){.keys = s->keys, .runs = same == ELASTIC_RUNS, .partial = partial};
	s->places = same == ELASTIC_GIVEN ? intern_new() : NULL;
	if (way == ELASTIC_EVENTS)
		write_events(s);
	*t = find_alike(s, way);
	bool any = same != ELASTIC_RUNS || way != ELASTIC_EVENTS;
	for (size_t i = 0; i < t->length; i++) {
		struct elastic_tree *tree = &t->tree[i];
		struct stretch own = s->own ? s->own[*tree->process] : (struct stretch){0};
		restart_keys(s);
		if (way != ELASTIC_EVENTS)
			list_loops(s, tree, (struct stretch){0, own.to - own.from}, way, same, &tree->list);
		else
			list_events(s, tree);
		any = any || elastic_has_runs(&tree->list);
	}
	for (size_t i = 0; i < t->length && any; i++)
		reduce(s, &t->tree[i].list, same);
	if (s->places)
		intern_free(s->places);
	s->places = NULL;
	t->would = s->how.would;
	return any;
}

void elastic_trees_clear(struct elastic_trees *t)
{
	for (size_t i = 0; i < t->length; i++) {
		elastic_clear(&t->tree[i].list);
		free(t->tree[i].process);
	}
	free(t->tree);
	*t = (struct elastic_trees){0};
}

bool elastic_trees_loop_alike(struct elastic_streams *s, struct elastic_trees *t)
{
	bool *looped = mem_zero(intern_count(s->shapes) + (size_t)1), any = false;
	for (size_t i = 0; i < t->length; i++)
		elastic_mark_looped(&t->tree[i].list, looped);
	for (size_t i = 0; i < t->length; i++)
		any = elastic_loop_marked(&t->tree[i].list, s->keys, looped) || any;
	free(looped);
	return any;
}
