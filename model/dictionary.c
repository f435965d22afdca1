/*
 * dictionary.c -- a table of interned strings per kind of thing; things with parts hold the ids of
 * their parts, so that their bytes are their identity.
 */
#include "model/dictionary.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

struct dictionary {
	struct intern *words, *tags, *ranks, *syncs, *steps, *events;
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
	return d;
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
	if (kind_gathers(e->kind))
		return dictionary_get_ranks(d, e->process);
	*single = (struct ranks_run){e->process, e->process};
	return (struct ranks){.run = single, .length = 1};
}

uint32_t event_as(struct dictionary *d, uint32_t event, uint32_t rank)
{
	struct event e = *dictionary_get_event(d, event);
	if (!kind_gathers(e.kind))
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
	switch (kind_rows[e.kind].subject) {
	case SUBJECT_TAG:
		e.subject = import_tag(i, e.subject);
		break;
	case SUBJECT_SYNC:
		e.process = import_ranks(i, e.process);
		e.subject = import_sync(i, e.subject);
		break;
	case SUBJECT_WORD:
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
