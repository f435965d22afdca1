/*
 * value_columns.c -- columns by process and kind of event, as events come.
 */
#include "fit/value_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "fit/value_kinds.h"
#include "trace/event_values.h"

#define SITES_NAME "// "
#define ENTERED_NAME "// entered"

/* Sites come again and again: so many are looked up by their addresses. */
#define SITES_SEEN 8

struct site_seen {
	const char *site;
	int64_t number;
};

struct value_columns *value_columns_new(const char *names, bool sites, bool common)
{
	struct value_columns *c = mem_zero(sizeof *c);
	c->asked = names;
	c->sites = sites;
	c->common = common;
	return c;
}

void value_columns_room(struct value_columns *c, size_t processes)
{
	if (processes <= c->processes)
		return;
	c->process = mem_grow(c->process, &c->capacity, processes, sizeof *c->process);
	memset(c->process + c->processes, 0, (processes - c->processes) * sizeof *c->process);
	c->processes = processes;
}

static uint32_t slot_of(const struct value_columns *c, struct value_process *p, const char *name, size_t length)
{
	uint32_t known = intern_count(p->names), slot = intern_id(p->names, name, length);
	if (slot == known) {
		p->asked = mem_grow(p->asked, &p->asked_capacity, (size_t)slot + 1, sizeof *p->asked);
		p->asked[slot] = event_values_is_asked(c->asked, name, length);
	}
	return slot;
}

static void start_process(const struct value_columns *c, struct value_process *p)
{
	p->words = intern_new();
	p->groups = intern_new();
	p->kinds = intern_new_keys(sizeof(struct value_kind));
	p->names = intern_new();
	p->own = intern_new_keys(sizeof(uint32_t));
	slot_of(c, p, "bytes", 5);
	slot_of(c, p, "received", 8);
	slot_of(c, p, SITES_NAME, strlen(SITES_NAME));
	slot_of(c, p, ENTERED_NAME, strlen(ENTERED_NAME));
}

static uint32_t word_of(struct value_process *p, const struct dictionary *d, uint32_t word)
{
	const char *bytes = dictionary_get_word(d, word);
	return intern_id(p->words, bytes, strlen(bytes));
}

static uint32_t group_of(struct value_process *p, struct ranks group)
{
	return intern_id(p->groups, group.run, group.length * sizeof *group.run);
}

struct value_kind value_kind_of_message(
	struct value_process *p, const struct dictionary *d, const struct event *e, const struct tag *tag, bool shape)
{
	return (struct value_kind){.kind = e->kind,
		.shape = shape,
		.peer = shape ? 0 : e->peer,
		.word = word_of(p, d, tag->stem),
		.numbered = tag->numbered,
		.number = shape ? 0 : tag->number,
		.communicator = tag->communicator};
}

struct value_kind value_kind_of(struct value_process *p, const struct dictionary *d, const struct event *e, bool shape)
{
	struct value_kind kind = {.kind = e->kind, .peer = e->peer};
	const struct sync *sync;
	switch (kind_rows[e->kind].subject) {
	case SUBJECT_TAG:
		return value_kind_of_message(p, d, e, dictionary_get_tag(d, e->subject), shape);
	case SUBJECT_SYNC:
		sync = dictionary_get_sync(d, e->subject);
		kind.word = word_of(p, d, sync->name);
		kind.group = group_of(p, dictionary_get_ranks(d, sync->group));
		kind.communicator = sync->communicator;
		break;
	case SUBJECT_WORD:
		kind.word = word_of(p, d, e->subject);
		break;
	}
	return kind;
}

uint32_t value_source_of_kind(struct value_process *p, const struct value_kind *kind)
{
	uint32_t known = intern_count(p->kinds), id = intern_id(p->kinds, kind, sizeof *kind);
	if (id == known) {
		p->source = mem_grow(p->source, &p->source_capacity, (size_t)id + 1, sizeof *p->source);
		p->source[id] = (struct value_source){0};
		p->lane.run = mem_grow(p->lane.run, &p->run_capacity, (size_t)id + 1, sizeof *p->lane.run);
		p->lane.run[id] = (struct value_run){0};
	}
	return id;
}

/* at: where the lane has the event. */
__attribute__((noinline)) static uint32_t new_source(
	struct value_process *p, const struct dictionary *d, const struct trace_event *e, size_t at)
{
	struct value_lane *l = &p->lane;
	if (at >= l->length) {
		l->kind_of = mem_grow(l->kind_of, &l->capacity, at + 1, sizeof *l->kind_of);
		memset(l->kind_of + l->length, 0, (at + 1 - l->length) * sizeof *l->kind_of);
		l->length = at + 1;
	}
	struct value_kind kind = value_kind_of(p, d, dictionary_get_event(d, e->event), e->shape);
	uint32_t source = value_source_of_kind(p, &kind);
	l->kind_of[at] = source + 1;
	return source;
}

static inline uint32_t source_of(
	const struct value_columns *c, struct value_process *p, const struct dictionary *d, const struct trace_event *e)
{
	if (!p->kinds)
		start_process(c, p);
	uint32_t event = c->common ? intern_id(p->own, &e->event, sizeof e->event) : e->event;
	size_t at = 2 * (size_t)event + e->shape;
	return at < p->lane.length && p->lane.kind_of[at] ? p->lane.kind_of[at] - 1 : new_source(p, d, e, at);
}

static void end_pending(struct value_source *s, uint32_t slot)
{
	series_push_times(s->column[slot], s->pending[slot].number, s->pending[slot].times);
	s->pending[slot].times = 0;
}

/* Its numbers are those of all events so far. */
static struct series *whole_series(struct value_source *s, uint32_t slot)
{
	struct pending *p = &s->pending[slot];
	end_pending(s, slot);
	series_push_times(s->column[slot], ABSENT, s->events - p->length);
	p->length = s->events;
	return s->column[slot];
}

__attribute__((noinline)) static void put_other(struct value_source *s, uint32_t slot, int64_t number)
{
	if (slot >= s->slots) {
		size_t more = slot + (size_t)1 - s->slots;
		s->column = mem_resize(s->column, (size_t)slot + 1, sizeof *s->column);
		s->pending = mem_resize(s->pending, (size_t)slot + 1, sizeof *s->pending);
		memset(s->column + s->slots, 0, more * sizeof *s->column);
		memset(s->pending + s->slots, 0, more * sizeof *s->pending);
		s->slots = slot + 1;
	}
	struct pending *p = &s->pending[slot];
	if (!s->column[slot])
		s->column[slot] = series_new();
	if (p->length > s->events)
		return; /* the event has carried one of this name */
	whole_series(s, slot);
	*p = (struct pending){number, 1, s->events + 1};
}

static inline void put(struct value_source *s, uint32_t slot, int64_t number)
{
	struct pending *p = slot < s->slots ? &s->pending[slot] : NULL;
	if (p && p->length == s->events && p->number == number && p->times) {
		p->times++;
		p->length++;
	} else {
		put_other(s, slot, number);
	}
}

void value_source_put(struct value_source *s, uint32_t slot, int64_t number)
{
	put(s, slot, number);
}

static int64_t number_of(struct value_process *p, struct attribute_value v)
{
	return v.word ? WORDS + intern_id(p->words, v.word, strlen(v.word)) : v.number;
}

__attribute__((noinline)) static int64_t number_of_large_size(struct value_process *p, uint64_t size)
{
	char digits[EVENT_VALUES_DIGITS];
	return number_of(p, event_values_size(true, size, digits));
}

static inline int64_t number_of_size(struct value_process *p, uint64_t size)
{
	return size <= (uint64_t)ATTRIBUTE_LIMIT ? (int64_t)size : number_of_large_size(p, size);
}

static int64_t site_number(struct value_process *p, const char *site)
{
	if (!p->seen)
		p->seen = mem_zero(SITES_SEEN * sizeof *p->seen);
	struct site_seen *seen = &p->seen[((uintptr_t)site >> 4) % SITES_SEEN];
	if (seen->site != site)
		*seen = (struct site_seen){site, WORDS + intern_id(p->words, site, strlen(site))};
	return seen->number;
}

/* What few events have. */
__attribute__((noinline)) static void put_more(
	const struct value_columns *c, struct value_process *p, struct value_source *s, const struct trace_event *e)
{
	char digits[EVENT_VALUES_DIGITS];
	if (e->site && c->sites)
		put(s, SLOT_SITES, site_number(p, e->site));
	if (e->site && c->sites && (e->entered || e->exact))
		put(s, SLOT_ENTERED, (int64_t)e->entered * ENTERED_FRAME + (e->exact ? ENTERED_EXACT : 0));
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		uint32_t slot = slot_of(c, p, e->attribute[i].name, e->attribute[i].length);
		if (p->asked[slot])
			put(s, slot, number_of(p, event_values_named(&e->attribute[i], digits)));
	}
}

static void count_run(struct value_process *p, uint32_t source)
{
	struct value_source *s = &p->source[source];
	struct value_run *run = &p->lane.run[source];
	if (!run->times)
		return;
	s->pending[SLOT_BYTES].times += run->times;
	s->pending[SLOT_BYTES].length += run->times;
	s->events += run->times;
	run->times = 0;
}

struct value_lane *value_columns_lane(struct value_columns *c, uint32_t rank)
{
	return &c->process[rank].lane;
}

void value_columns_push(struct value_columns *c, uint32_t rank, const struct dictionary *d, const struct trace_event *e)
{
	struct value_process *p = &c->process[rank];
	uint32_t source = source_of(c, p, d, e);
	struct value_source *s = &p->source[source];
	count_run(p, source);
	if (e->sized && p->asked[SLOT_BYTES])
		put(s, SLOT_BYTES, number_of_size(p, e->bytes));
	if (e->exchanged && p->asked[SLOT_RECEIVED])
		put(s, SLOT_RECEIVED, number_of_size(p, e->received));
	if (e->site || e->attribute_count)
		put_more(c, p, s, e);
	s->events++;
	p->lane.run[source].bytes = e->bytes;
	p->lane.run[source].plain =
		!c->common && p->asked[SLOT_BYTES] && e->sized && !e->exchanged && !e->site && !e->attribute_count;
}

static void lane_clear(struct value_lane *l)
{
	free(l->run);
	free(l->kind_of);
	*l = (struct value_lane){0};
}

void value_process_finish(struct value_process *p)
{
	for (uint32_t i = 0; p->kinds && i < intern_count(p->kinds); i++) {
		struct value_source *s = &p->source[i];
		count_run(p, i);
		for (uint32_t slot = 0; slot < s->slots; slot++)
			if (s->column[slot])
				series_finish(whole_series(s, slot));
	}
	for (uint32_t i = 0; p->kinds && i < intern_count(p->kinds); i++) {
		free(p->source[i].pending);
		p->source[i].pending = NULL;
	}
	lane_clear(&p->lane);
	p->run_capacity = 0;
	free(p->seen);
	p->seen = NULL;
}

void value_columns_finish_process(struct value_columns *c, uint32_t rank)
{
	value_process_finish(&c->process[rank]);
}

static void finish_process(void *carried, size_t rank)
{
	value_columns_finish_process(carried, (uint32_t)rank);
}

void value_columns_finish(struct value_columns *c, unsigned jobs)
{
	parallel_for(jobs, c->processes, finish_process, c);
}

void value_source_clear(struct value_source *s)
{
	for (uint32_t slot = 0; slot < s->slots; slot++)
		series_free(s->column[slot]);
	free(s->column);
	free(s->pending);
}

static void process_clear(struct value_process *p)
{
	if (!p->kinds)
		return;
	for (uint32_t i = 0; i < intern_count(p->kinds); i++)
		value_source_clear(&p->source[i]);
	intern_free(p->words);
	intern_free(p->groups);
	intern_free(p->kinds);
	intern_free(p->names);
	intern_free(p->own);
	free(p->asked);
	free(p->source);
	lane_clear(&p->lane);
	free(p->seen);
}

void value_columns_forget(struct value_columns *c, uint32_t rank)
{
	process_clear(&c->process[rank]);
	c->process[rank] = (struct value_process){0};
}

void value_columns_free(struct value_columns *c)
{
	if (!c)
		return;
	for (size_t rank = 0; rank < c->processes; rank++)
		process_clear(&c->process[rank]);
	for (uint32_t i = 0; c->unnamed && i < intern_count(c->unnamed); i++)
		free(c->name[i]);
	intern_free(c->unnamed);
	free(c->name);
	text_clear(&c->left_out);
	free(c->process);
	free(c);
}
