/*
 * dictionary.c -- a table of interned strings per kind of thing; things with parts hold the ids of
 * their parts, so that their bytes are their identity.
 */
#include "model/dictionary.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

/* Tables by what they say and by their names, so far as anybody asked. */
struct table_index {
	size_t tables; /* those that are in it */
	struct intern *hashes, *names;
	size_t *last; /* by id of a hash: a table; */
	size_t *before; /* by table: the one before it of the same hash; TABLES_END */
	uint64_t *number; /* by id of a name: behind it, all numbers up to this are taken */
	size_t last_capacity, before_capacity, number_capacity, numbers;
};
#define TABLES_END SIZE_MAX

struct dictionary {
	struct intern *words, *tags, *ranks, *syncs, *steps, *events;
	struct table **table;
	size_t tables, table_capacity;
	struct table_index index;
};

static const struct event_steps no_steps;

struct dictionary *dictionary_new(void)
{
	struct dictionary *d = mem_alloc(sizeof *d);
	*d = (struct dictionary){.words = intern_new(),
		.tags = intern_new(),
		.ranks = intern_new(),
		.syncs = intern_new(),
		.steps = intern_new(),
		.events = intern_new()};
	return d;
}

struct dictionary *dictionary_copy(const struct dictionary *from)
{
	struct dictionary *d = mem_alloc(sizeof *d);
	*d = (struct dictionary){.words = intern_copy(from->words),
		.tags = intern_copy(from->tags),
		.ranks = intern_copy(from->ranks),
		.syncs = intern_copy(from->syncs),
		.steps = intern_copy(from->steps),
		.events = intern_copy(from->events)};
	for (size_t i = 0; i < from->tables; i++)
		dictionary_add_table(d, table_share(from->table[i]));
	return d;
}

static void forget_index(struct dictionary *d)
{
	intern_free(d->index.hashes);
	intern_free(d->index.names);
	free(d->index.last);
	free(d->index.before);
	free(d->index.number);
	d->index = (struct table_index){0};
}

void dictionary_free(struct dictionary *d)
{
	if (!d)
		return;
	intern_free(d->words);
	intern_free(d->tags);
	intern_free(d->ranks);
	intern_free(d->syncs);
	intern_free(d->steps);
	intern_free(d->events);
	for (size_t i = 0; i < d->tables; i++)
		table_free(d->table[i]);
	free(d->table);
	forget_index(d);
	free(d);
}

/* ------------------------------------------------------------------ ids of things */

uint32_t dictionary_word(struct dictionary *d, const char *word, size_t length)
{
	return intern_id(d->words, word, length);
}

/* The bytes of a tag as they are its identity, the padding too. */
static void tag_key(const struct tag *tag, struct tag *key)
{
	memset(key, 0, sizeof *key);
	key->stem = tag->stem;
	key->numbered = tag->numbered;
	key->number = tag->numbered ? tag->number : 0;
	key->communicator = tag->communicator;
}

uint32_t dictionary_tag(struct dictionary *d, const struct tag *tag)
{
	struct tag key;
	tag_key(tag, &key);
	return intern_id(d->tags, &key, sizeof key);
}

uint32_t dictionary_find_tag(const struct dictionary *d, const struct tag *tag)
{
	struct tag key;
	tag_key(tag, &key);
	return intern_find(d->tags, &key, sizeof key);
}

uint32_t dictionary_ranks(struct dictionary *d, const struct ranks *set)
{
	return intern_id(d->ranks, set->length ? (const void *)set->run : "", set->length * sizeof *set->run);
}

uint32_t dictionary_rank(struct dictionary *d, uint32_t rank)
{
	struct ranks_run run = {rank, rank};
	return intern_id(d->ranks, &run, sizeof run);
}

uint32_t dictionary_sync(struct dictionary *d, const struct sync *sync)
{
	static_assert(sizeof *sync == 16, "no padding");
	return intern_id(d->syncs, sync, sizeof *sync);
}

/* Ids are one more than those of the table. */
uint32_t dictionary_steps(struct dictionary *d, const struct event_steps *steps)
{
	static_assert(sizeof *steps == (2 * EVENT_LOOPS + 1) * sizeof(int64_t), "no padding");
	return memcmp(steps, &no_steps, sizeof *steps) ? 1 + intern_id(d->steps, steps, sizeof *steps) : EVENT_CONSTANT;
}

void dictionary_add_table(struct dictionary *d, struct table *table)
{
	d->table = mem_grow(d->table, &d->table_capacity, d->tables + 1, sizeof(struct table *));
	d->table[d->tables++] = table;
}

static uint32_t name_id(struct table_index *x, const char *name)
{
	uint32_t id = intern_id(x->names, name, strlen(name));
	if (id < x->numbers)
		return id;
	x->number = mem_grow(x->number, &x->number_capacity, id + (size_t)1, sizeof *x->number);
	x->number[x->numbers++] = 0;
	return id;
}

static void index_table(struct table_index *x, const struct table *t)
{
	uint64_t hash = table_hash(t);
	uint32_t known = intern_count(x->hashes), id = intern_id(x->hashes, &hash, sizeof hash);
	x->last = mem_grow(x->last, &x->last_capacity, id + (size_t)1, sizeof *x->last);
	x->before = mem_grow(x->before, &x->before_capacity, x->tables + 1, sizeof *x->before);
	x->before[x->tables] = id < known ? x->last[id] : TABLES_END;
	x->last[id] = x->tables++;
	uint32_t name = name_id(x, table_name(t));
	x->number[name] = x->number[name] ? x->number[name] : 1;
}

static struct table_index *indexed(struct dictionary *d)
{
	struct table_index *x = &d->index;
	if (!x->names) {
		x->names = intern_new();
		x->hashes = intern_new();
	}
	while (x->tables < d->tables)
		index_table(x, d->table[x->tables]);
	return x;
}

const struct table *dictionary_table(struct dictionary *d, struct table *table)
{
	for (size_t i = 0; i < d->tables; i++) {
		if (!table_equal(d->table[i], table))
			continue;
		table_free(table);
		return d->table[i];
	}
	dictionary_add_table(d, table);
	return table;
}

const struct table *dictionary_same_table(struct dictionary *d, const struct table *table)
{
	const struct table_index *x = indexed(d);
	const struct table *found = NULL;
	uint64_t hash = table_hash(table);
	uint32_t id = intern_find(x->hashes, &hash, sizeof hash);
	for (size_t i = id == INTERN_NONE ? TABLES_END : x->last[id]; i != TABLES_END; i = x->before[i])
		if (*table_name(d->table[i]) && table_same(d->table[i], table))
			found = d->table[i];
	return found;
}

static bool dictionary_has_name(struct dictionary *d, const char *name)
{
	const struct table_index *x = indexed(d);
	uint32_t id = intern_find(x->names, name, strlen(name));
	return id != INTERN_NONE && x->number[id];
}

void dictionary_free_name(struct dictionary *d, struct text *name)
{
	struct table_index *x = indexed(d);
	size_t length = name->length;
	uint32_t id = name_id(x, name->data);
	while (x->number[id]) {
		text_truncate(name, length);
		text_number(name, x->number[id] + 1);
		if (!dictionary_has_name(d, name->data))
			return;
		x->number[id]++;
	}
}

const struct table *dictionary_adopt(struct dictionary *d, const struct table *table, const char *name)
{
	const struct table *known = table ? dictionary_same_table(d, table) : NULL;
	struct text own = {0};
	if (!table || known)
		return known;
	text_put(&own, name);
	dictionary_free_name(d, &own);
	struct table *shared = table_share(table);
	table_rename(shared, own.data);
	text_clear(&own);
	return dictionary_table(d, shared);
}

static void name_anew(struct dictionary *d, struct table *t)
{
	struct text name = {0};
	text_put(&name, table_name(t));
	while (name.length > 1 && isdigit((unsigned char)name.data[name.length - 1]))
		text_truncate(&name, name.length - 1);
	if (name.length)
		dictionary_free_name(d, &name);
	table_rename(t, name.length ? name.data : "");
	text_clear(&name);
}

void dictionary_keep_tables(struct dictionary *d, const struct table *const *used, size_t count)
{
	struct table **kept = mem_zero((count + 1) * sizeof *kept);
	for (size_t i = 0; i < d->tables; i++) {
		size_t place = 0;
		while (place < count && used[place] != d->table[i])
			place++;
		if (place < count)
			kept[place] = d->table[i];
		else
			table_free(d->table[i]);
	}
	d->tables = 0;
	forget_index(d);
	for (size_t place = 0; place < count; place++) {
		assert(kept[place]);
		name_anew(d, kept[place]);
		d->table[d->tables++] = kept[place];
	}
	free(kept);
}

uint32_t dictionary_event(struct dictionary *d, const struct event *event)
{
	static_assert(sizeof *event == 20, "no padding");
	return intern_id(d->events, event, sizeof *event);
}

uint32_t dictionary_find_event(const struct dictionary *d, const struct event *event)
{
	return intern_find(d->events, event, sizeof *event);
}

/* ------------------------------------------------------------------ things of ids */

const char *dictionary_get_word(const struct dictionary *d, uint32_t id)
{
	return intern_data(d->words, id, NULL);
}

const struct tag *dictionary_get_tag(const struct dictionary *d, uint32_t id)
{
	return intern_data(d->tags, id, NULL);
}

struct ranks dictionary_get_ranks(const struct dictionary *d, uint32_t id)
{
	size_t size;
	const void *runs = intern_data(d->ranks, id, &size);
	return (struct ranks){.run = (struct ranks_run *)runs, .length = size / sizeof(struct ranks_run)};
}

const struct sync *dictionary_get_sync(const struct dictionary *d, uint32_t id)
{
	return intern_data(d->syncs, id, NULL);
}

const struct event_steps *dictionary_get_steps(const struct dictionary *d, uint32_t id)
{
	return id == EVENT_CONSTANT ? &no_steps : intern_data(d->steps, id - 1, NULL);
}

bool event_advances_on_ring(const struct event_steps *s)
{
	bool any = false;
	for (size_t h = 0; h < EVENT_LOOPS && s->ring; h++)
		any |= s->peer[h] != 0;
	return any;
}

const struct event *dictionary_get_event(const struct dictionary *d, uint32_t id)
{
	return intern_data(d->events, id, NULL);
}

uint32_t dictionary_events(const struct dictionary *d)
{
	return intern_count(d->events);
}

/* ------------------------------------------------------------------ whose an event is */

struct ranks event_processes(const struct dictionary *d, uint32_t event, struct ranks_run *single)
{
	const struct event *e = dictionary_get_event(d, event);
	if (e->kind == EVENT_SYNC)
		return dictionary_get_ranks(d, e->process);
	*single = (struct ranks_run){e->process, e->process};
	return (struct ranks){.run = single, .length = 1};
}

uint32_t event_as(struct dictionary *d, uint32_t event, uint32_t rank)
{
	struct event e = *dictionary_get_event(d, event);
	if (e.kind != EVENT_SYNC)
		return event;
	e.process = dictionary_rank(d, rank);
	return dictionary_event(d, &e);
}

/* ------------------------------------------------------------- from one dictionary into another */

struct import {
	struct dictionary *to;
	const struct dictionary *from;
	bool drop_communicators;
	uint32_t *words, *tags, *ranks, *syncs; /* ids of `from` to ids of `to`, INTERN_NONE where not known yet */
};

static uint32_t *unknown_ids(const struct intern *table)
{
	uint32_t *ids = mem_array(intern_count(table), sizeof *ids);
	memset(ids, 0xff, intern_count(table) * sizeof *ids);
	return ids;
}

/* Copy a thing that has no parts. */
static uint32_t import_bytes(struct intern *to, const struct intern *from, uint32_t *known, uint32_t id)
{
	if (known[id] == INTERN_NONE) {
		size_t size;
		const void *bytes = intern_data(from, id, &size);
		known[id] = intern_id(to, bytes, size);
	}
	return known[id];
}

static uint32_t import_word(struct import *i, uint32_t id)
{
	return import_bytes(i->to->words, i->from->words, i->words, id);
}

static uint32_t import_ranks(struct import *i, uint32_t id)
{
	return import_bytes(i->to->ranks, i->from->ranks, i->ranks, id);
}

static uint32_t import_tag(struct import *i, uint32_t id)
{
	if (i->tags[id] == INTERN_NONE) {
		struct tag tag = *dictionary_get_tag(i->from, id);
		tag.stem = import_word(i, tag.stem);
		if (i->drop_communicators)
			tag.communicator = NO_COMMUNICATOR;
		i->tags[id] = dictionary_tag(i->to, &tag);
	}
	return i->tags[id];
}

static uint32_t import_sync(struct import *i, uint32_t id)
{
	if (i->syncs[id] == INTERN_NONE) {
		struct sync sync = *dictionary_get_sync(i->from, id);
		sync.name = import_word(i, sync.name);
		sync.group = import_ranks(i, sync.group);
		if (i->drop_communicators)
			sync.communicator = NO_COMMUNICATOR;
		i->syncs[id] = dictionary_sync(i->to, &sync);
	}
	return i->syncs[id];
}

static uint32_t import_event(struct import *i, uint32_t id)
{
	struct event e = *dictionary_get_event(i->from, id);
	switch ((enum event_kind)e.kind) {
	case EVENT_SEND:
	case EVENT_RECV:
		e.subject = import_tag(i, e.subject);
		break;
	case EVENT_SYNC:
		e.process = import_ranks(i, e.process);
		e.subject = import_sync(i, e.subject);
		break;
	case EVENT_LOCAL:
		e.subject = import_word(i, e.subject);
		break;
	}
	e.steps = dictionary_steps(i->to, dictionary_get_steps(i->from, e.steps));
	return dictionary_event(i->to, &e);
}

uint32_t *dictionary_import(
	struct dictionary *to, const struct dictionary *from, const bool *wanted, bool drop_communicators)
{
	struct import i = {to, from, drop_communicators, unknown_ids(from->words), unknown_ids(from->tags),
		unknown_ids(from->ranks), unknown_ids(from->syncs)};
	uint32_t events = dictionary_events(from);
	uint32_t *result = mem_array(events, sizeof *result);
	for (uint32_t id = 0; id < events; id++)
		result[id] = !wanted || wanted[id] ? import_event(&i, id) : INTERN_NONE;
	free(i.words);
	free(i.tags);
	free(i.ranks);
	free(i.syncs);
	return result;
}
