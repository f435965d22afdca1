/*
 * event_values.c -- series by process and kind of event; and which statement a kind of event has become.
 *
 * Mostly one statement stands for all events of a kind of a process, or they all carry the same:
 * then the series is the statement's. Only where several statements share a kind whose values vary,
 * or where an event is a function of indices, the process's part of the program is walked, and
 * values are dealt out to the statements.
 */
#include "lib/event_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/executions.h"
#include "ask/projection.h"
#include "base/binary_search.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/series.h"
#include "fit/fit_statement.h"
#include "model/lines.h"
#include "model/program_of_module.h"
#include "trace/postings.h"

/* What stands in a series for no value, and for words (by their ids, from here on). */
#define ABSENT INT64_MIN
#define WORDS (INT64_C(1) << 61)

enum { SLOT_BYTES, SLOT_RECEIVED, SLOT_SITES, SLOT_ENTERED, SLOTS_KNOWN };

/* Of where events are, and which calls there are new: no attributes, so that no attribute can have
   their names. */
#define SITES_NAME "// "
#define ENTERED_NAME "// entered"

/* Numbers of ENTERED: twice as many frames, and whether the others were not. */
#define ENTERED_EXACT 1
#define ENTERED_FRAME 2

/* Sites come again and again: so many are looked up by their addresses. */
#define SITES_SEEN 8

/* A kind of event of one process. All bytes are fields. */
struct kind {
	uint32_t kind; /* enum event_kind */
	uint32_t shape; /* all that differ in peer and number, but those that have a kind of their own */
	uint32_t peer;
	uint32_t word, group; /* ids of the process's words and groups */
	uint32_t numbered;
	uint64_t number;
	int64_t communicator; /* of a local event: 0 */
};

/* What came last, so many times: it is not in the series yet. */
struct pending {
	int64_t number;
	uint64_t times;
	uint64_t length; /* of the series, and these */
};

struct source {
	uint64_t events;
	struct pending *pending; /* by slot, as long as there are events */
	struct series **series; /* by slot; NULL: none carried it */
	uint32_t slots;
	uint32_t users; /* statements that it has become */
	struct series_cursor **cursor; /* while values are dealt out */
};

/* The values of one statement, dealt out. */
struct dealt {
	uint32_t statement;
	struct series **series; /* by slot; none of sites */
	uint64_t executed; /* times */
	int64_t *site; /* each once */
	size_t sites, site_capacity;
};

struct site_seen {
	const char *site;
	int64_t number;
};

struct process {
	/* 1 + the process that carried the same, whose kinds have peers relative to it; 0: it has
	   what follows itself */
	uint32_t like;
	struct intern *words, *groups, *kinds, *names; /* names by slot */
	bool *asked; /* by slot */
	size_t asked_capacity;
	struct source *source; /* by kind */
	size_t source_capacity, run_capacity;
	struct event_values_lane lane;
	struct intern *own; /* where all processes speak of one dictionary: numbers of this one's events */
	uint32_t *shape_of; /* as lane.kind_of, for shapes */
	size_t shapes, shapes_capacity;
	struct dealt *dealt; /* by statement, ascending */
	size_t dealts, dealt_capacity;
	struct site_seen *seen; /* SITES_SEEN; NULL: none */
	bool unfit; /* other events carried something than those that are there */
};

struct event_values {
	const char *asked;
	bool sites; /* where events are is wanted */
	bool common; /* all processes speak of one dictionary */
	struct process *process;
	size_t processes, capacity;
	struct intern *unnamed; /* paths; NULL: paths are what they mean */
	char **name; /* of these */
	bool copy; /* they are another one's */
	struct text left_out;
};

/* ------------------------------------------------------------------ names */

static bool is_name(const char *name, size_t length, const char *what)
{
	return strlen(what) == length && !memcmp(name, what, length);
}

/* One word asks for all that is told of calls. */
bool event_values_asks_calls(const char *names)
{
	bool asked = false;
	for (const char *at = names ? names : ""; *at && !asked; at += strspn(at, ",")) {
		size_t word = strcspn(at, ",");
		asked = postings_is_attribute(at, word);
		at += word;
	}
	return asked;
}

static bool is_size(const char *name, size_t length)
{
	return is_name(name, length, "bytes") || is_name(name, length, "received");
}

bool event_values_is_asked(const char *names, const char *name, size_t length)
{
	if (!names)
		return is_size(name, length) || is_name(name, length, "thread");
	if (!strcmp(names, "all"))
		return true;
	if (postings_is_attribute(name, length))
		return event_values_asks_calls(names);
	for (const char *at = names; *at; at += strspn(at, ",")) {
		size_t word = strcspn(at, ",");
		if (word == length && !memcmp(at, name, length))
			return true;
		at += word;
	}
	return false;
}

bool event_values_asks_none(const char *names)
{
	return names && !strcmp(names, "none");
}

bool event_values_asks_more(const char *names)
{
	bool more = false;
	for (const char *at = names ? names : ""; *at && !event_values_asks_none(names); at += strspn(at, ",")) {
		size_t word = strcspn(at, ",");
		more = more || !is_size(at, word);
		at += word;
	}
	return more;
}

/* ------------------------------------------------------------------ one event */

/* A number beyond the limit is a word. */
static struct attribute_value size_value(bool there, uint64_t size, char digits[EVENT_VALUES_DIGITS])
{
	if (size <= (uint64_t)ATTRIBUTE_LIMIT)
		return (struct attribute_value){there, NULL, (int64_t)size};
	snprintf(digits, EVENT_VALUES_DIGITS, "%" PRIu64, size);
	return (struct attribute_value){there, digits, 0};
}

static struct attribute_value named_value(const struct trace_attribute *a, char digits[EVENT_VALUES_DIGITS])
{
	if (a->word || (a->number <= ATTRIBUTE_LIMIT && a->number >= -ATTRIBUTE_LIMIT))
		return (struct attribute_value){true, a->word, a->number};
	snprintf(digits, EVENT_VALUES_DIGITS, "%" PRId64, a->number);
	return (struct attribute_value){true, digits, 0};
}

struct attribute_value event_values_value(
	const struct trace_event *e, const char *name, size_t length, char digits[EVENT_VALUES_DIGITS])
{
	if (is_name(name, length, "bytes"))
		return size_value(e->sized, e->bytes, digits);
	if (is_name(name, length, "received"))
		return size_value(e->exchanged, e->received, digits);
	for (uint32_t i = 0; i < e->attribute_count; i++)
		if (e->attribute[i].length == length && !memcmp(e->attribute[i].name, name, length))
			return named_value(&e->attribute[i], digits);
	return (struct attribute_value){0};
}

static void print_pair(const char *name, size_t length, const struct attribute_value *v, bool *any, struct text *out)
{
	if (!v->there)
		return;
	text_put(out, *any ? " " : " ; ");
	text_add(out, name, length);
	text_char(out, '=');
	attribute_value_print(v, out);
	*any = true;
}

void event_values_print(const struct trace_event *e, const char *names, bool timed, struct text *out)
{
	static const char *const sizes[] = {"bytes", "received"};
	char digits[EVENT_VALUES_DIGITS];
	bool any = timed && e->timed;
	if (any)
		text_format(out, " ; time=%" PRIu64, e->time);
	for (size_t i = 0; i < 2; i++) {
		struct attribute_value v = event_values_value(e, sizes[i], strlen(sizes[i]), digits);
		if (event_values_is_asked(names, sizes[i], strlen(sizes[i])))
			print_pair(sizes[i], strlen(sizes[i]), &v, &any, out);
	}
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		const struct trace_attribute *a = &e->attribute[i];
		struct attribute_value v = named_value(a, digits);
		if (event_values_is_asked(names, a->name, a->length))
			print_pair(a->name, a->length, &v, &any, out);
	}
}

/* ------------------------------------------------------------------ streams */

struct event_values *event_values_new(const char *names, bool sites, bool common)
{
	struct event_values *c = mem_zero(sizeof *c);
	c->asked = names;
	c->sites = sites;
	c->common = common;
	return c;
}

void event_values_room(struct event_values *c, size_t processes)
{
	if (processes <= c->processes)
		return;
	c->process = mem_grow(c->process, &c->capacity, processes, sizeof *c->process);
	memset(c->process + c->processes, 0, (processes - c->processes) * sizeof *c->process);
	c->processes = processes;
}

static uint32_t slot_of(const struct event_values *c, struct process *p, const char *name, size_t length)
{
	uint32_t known = intern_count(p->names), slot = intern_id(p->names, name, length);
	if (slot == known) {
		p->asked = mem_grow(p->asked, &p->asked_capacity, (size_t)slot + 1, sizeof *p->asked);
		p->asked[slot] = event_values_is_asked(c->asked, name, length);
	}
	return slot;
}

static void start_process(const struct event_values *c, struct process *p)
{
	p->words = intern_new();
	p->groups = intern_new();
	p->kinds = intern_new_keys(sizeof(struct kind));
	p->names = intern_new();
	p->own = intern_new_keys(sizeof(uint32_t));
	slot_of(c, p, "bytes", 5);
	slot_of(c, p, "received", 8);
	slot_of(c, p, SITES_NAME, strlen(SITES_NAME));
	slot_of(c, p, ENTERED_NAME, strlen(ENTERED_NAME));
}

static uint32_t word_of(struct process *p, const struct dictionary *d, uint32_t word)
{
	const char *bytes = dictionary_get_word(d, word);
	return intern_id(p->words, bytes, strlen(bytes));
}

static uint32_t group_of(struct process *p, struct ranks group)
{
	return intern_id(p->groups, group.run, group.length * sizeof *group.run);
}

/* Of a message: its own tag, which the dictionary need not have. */
static struct kind message_kind(
	struct process *p, const struct dictionary *d, const struct event *e, const struct tag *tag, bool shape)
{
	return (struct kind){.kind = e->kind,
		.shape = shape,
		.peer = shape ? 0 : e->peer,
		.word = word_of(p, d, tag->stem),
		.numbered = tag->numbered,
		.number = shape ? 0 : tag->number,
		.communicator = tag->communicator};
}

static struct kind kind_of(struct process *p, const struct dictionary *d, const struct event *e, bool shape)
{
	struct kind kind = {.kind = e->kind, .peer = e->peer};
	if (e->kind == EVENT_SYNC) {
		const struct sync *sync = dictionary_get_sync(d, e->subject);
		kind.word = word_of(p, d, sync->name);
		kind.group = group_of(p, dictionary_get_ranks(d, sync->group));
		kind.communicator = sync->communicator;
	} else if (e->kind == EVENT_LOCAL) {
		kind.word = word_of(p, d, e->subject);
	} else {
		kind = message_kind(p, d, e, dictionary_get_tag(d, e->subject), shape);
	}
	return kind;
}

static uint32_t source_of_kind(struct process *p, const struct kind *kind)
{
	uint32_t known = intern_count(p->kinds), id = intern_id(p->kinds, kind, sizeof *kind);
	if (id == known) {
		p->source = mem_grow(p->source, &p->source_capacity, (size_t)id + 1, sizeof *p->source);
		p->source[id] = (struct source){0};
		p->lane.run = mem_grow(p->lane.run, &p->run_capacity, (size_t)id + 1, sizeof *p->lane.run);
		p->lane.run[id] = (struct event_values_run){0};
	}
	return id;
}

/* event: as the process numbers it. */
__attribute__((noinline)) static uint32_t new_source(
	struct process *p, const struct dictionary *d, const struct trace_event *e, uint32_t event)
{
	uint32_t **of = e->shape ? &p->shape_of : &p->lane.kind_of;
	size_t *known = e->shape ? &p->shapes : &p->lane.events,
	       *capacity = e->shape ? &p->shapes_capacity : &p->lane.events_capacity;
	if (event >= *known) {
		*of = mem_grow(*of, capacity, (size_t)event + 1, sizeof **of);
		memset(*of + *known, 0, (event + 1 - *known) * sizeof **of);
		*known = (size_t)event + 1;
	}
	struct kind kind = kind_of(p, d, dictionary_get_event(d, e->event), e->shape);
	uint32_t source = source_of_kind(p, &kind);
	(*of)[event] = source + 1;
	return source;
}

static inline uint32_t source_of(
	const struct event_values *c, struct process *p, const struct dictionary *d, const struct trace_event *e)
{
	if (!p->kinds)
		start_process(c, p);
	uint32_t event = c->common ? intern_id(p->own, &e->event, sizeof e->event) : e->event;
	const uint32_t *of = e->shape ? p->shape_of : p->lane.kind_of;
	size_t known = e->shape ? p->shapes : p->lane.events;
	return event < known && of[event] ? of[event] - 1 : new_source(p, d, e, event);
}

static void end_pending(struct source *s, uint32_t slot)
{
	series_push_times(s->series[slot], s->pending[slot].number, s->pending[slot].times);
	s->pending[slot].times = 0;
}

/* Its numbers are those of all events so far. */
static struct series *whole_series(struct source *s, uint32_t slot)
{
	struct pending *p = &s->pending[slot];
	end_pending(s, slot);
	series_push_times(s->series[slot], ABSENT, s->events - p->length);
	p->length = s->events;
	return s->series[slot];
}

__attribute__((noinline)) static void put_other(struct source *s, uint32_t slot, int64_t number)
{
	if (slot >= s->slots) {
		size_t more = slot + (size_t)1 - s->slots;
		s->series = mem_resize(s->series, (size_t)slot + 1, sizeof *s->series);
		s->pending = mem_resize(s->pending, (size_t)slot + 1, sizeof *s->pending);
		memset(s->series + s->slots, 0, more * sizeof *s->series);
		memset(s->pending + s->slots, 0, more * sizeof *s->pending);
		s->slots = slot + 1;
	}
	struct pending *p = &s->pending[slot];
	if (!s->series[slot])
		s->series[slot] = series_new();
	if (p->length > s->events)
		return; /* the event has carried one of this name */
	whole_series(s, slot);
	*p = (struct pending){number, 1, s->events + 1};
}

/* A value of the event at hand, which is not counted yet. */
static inline void put(struct source *s, uint32_t slot, int64_t number)
{
	struct pending *p = slot < s->slots ? &s->pending[slot] : NULL;
	if (p && p->length == s->events && p->number == number && p->times) {
		p->times++;
		p->length++;
	} else {
		put_other(s, slot, number);
	}
}

/* Words as choices have them. */
static int64_t number_of(struct process *p, struct attribute_value v)
{
	if (!v.word)
		return v.number;
	if (!choice_needs_mark(v.word))
		return WORDS + intern_id(p->words, v.word, strlen(v.word));
	struct text marked = {0};
	text_format(&marked, "%c%s", CHOICE_MARK, v.word);
	int64_t number = WORDS + intern_id(p->words, marked.data, marked.length);
	text_clear(&marked);
	return number;
}

__attribute__((noinline)) static int64_t number_of_large_size(struct process *p, uint64_t size)
{
	char digits[EVENT_VALUES_DIGITS];
	return number_of(p, size_value(true, size, digits));
}

static inline int64_t number_of_size(struct process *p, uint64_t size)
{
	return size <= (uint64_t)ATTRIBUTE_LIMIT ? (int64_t)size : number_of_large_size(p, size);
}

static int64_t site_number(struct process *p, const char *site)
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
	const struct event_values *c, struct process *p, struct source *s, const struct trace_event *e)
{
	char digits[EVENT_VALUES_DIGITS];
	if (e->site && c->sites)
		put(s, SLOT_SITES, site_number(p, e->site));
	if (e->site && c->sites && (e->entered || e->exact))
		put(s, SLOT_ENTERED, (int64_t)e->entered * ENTERED_FRAME + (e->exact ? ENTERED_EXACT : 0));
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		uint32_t slot = slot_of(c, p, e->attribute[i].name, e->attribute[i].length);
		if (p->asked[slot])
			put(s, slot, number_of(p, named_value(&e->attribute[i], digits)));
	}
}

static void count_run(struct process *p, uint32_t source)
{
	struct source *s = &p->source[source];
	struct event_values_run *run = &p->lane.run[source];
	if (!run->times)
		return;
	s->pending[SLOT_BYTES].times += run->times;
	s->pending[SLOT_BYTES].length += run->times;
	s->events += run->times;
	run->times = 0;
}

struct event_values_lane *event_values_lane(struct event_values *c, uint32_t rank)
{
	return &c->process[rank].lane;
}

void event_values_push(struct event_values *c, uint32_t rank, const struct dictionary *d, const struct trace_event *e)
{
	struct process *p = &c->process[rank];
	uint32_t source = source_of(c, p, d, e);
	struct source *s = &p->source[source];
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

static void lane_clear(struct event_values_lane *l)
{
	free(l->run);
	free(l->kind_of);
	*l = (struct event_values_lane){0};
}

void event_values_finish_process(struct event_values *c, uint32_t rank)
{
	struct process *p = &c->process[rank];
	for (uint32_t i = 0; p->kinds && i < intern_count(p->kinds); i++) {
		struct source *s = &p->source[i];
		count_run(p, i);
		for (uint32_t slot = 0; slot < s->slots; slot++)
			if (s->series[slot])
				series_finish(whole_series(s, slot));
	}
	for (uint32_t i = 0; p->kinds && i < intern_count(p->kinds); i++) {
		free(p->source[i].pending);
		p->source[i].pending = NULL;
	}
	lane_clear(&p->lane);
	p->run_capacity = 0;
	free(p->shape_of);
	free(p->seen);
	p->shape_of = NULL;
	p->seen = NULL;
	p->shapes = 0;
}

static void finish_process(void *carried, size_t rank)
{
	event_values_finish_process(carried, (uint32_t)rank);
}

void event_values_finish(struct event_values *c, unsigned jobs)
{
	parallel_for(jobs, c->processes, finish_process, c);
}

static void dealt_clear(struct process *p)
{
	for (size_t i = 0; i < p->dealts; i++) {
		for (uint32_t slot = 0; slot < intern_count(p->names); slot++)
			if (p->dealt[i].series)
				series_free(p->dealt[i].series[slot]);
		free(p->dealt[i].series);
		free(p->dealt[i].site);
	}
	free(p->dealt);
	p->dealt = NULL;
	p->dealts = p->dealt_capacity = 0;
}

static void process_clear(struct process *p)
{
	if (!p->kinds)
		return;
	for (uint32_t i = 0; i < intern_count(p->kinds); i++) {
		for (uint32_t slot = 0; slot < p->source[i].slots; slot++)
			series_free(p->source[i].series[slot]);
		free(p->source[i].series);
		free(p->source[i].pending);
	}
	dealt_clear(p);
	intern_free(p->words);
	intern_free(p->groups);
	intern_free(p->kinds);
	intern_free(p->names);
	intern_free(p->own);
	free(p->asked);
	free(p->source);
	lane_clear(&p->lane);
	free(p->shape_of);
	free(p->seen);
}

void event_values_forget(struct event_values *c, uint32_t rank)
{
	process_clear(&c->process[rank]);
	c->process[rank] = (struct process){0};
}

void event_values_free(struct event_values *c)
{
	if (!c)
		return;
	for (size_t rank = 0; rank < c->processes; rank++)
		process_clear(&c->process[rank]);
	for (uint32_t i = 0; !c->copy && c->unnamed && i < intern_count(c->unnamed); i++)
		free(c->name[i]);
	if (!c->copy) {
		intern_free(c->unnamed);
		free(c->name);
	}
	text_clear(&c->left_out);
	free(c->process);
	free(c);
}

/* ------------------------------------------------------------------ passed on */

static void pack_intern(const struct intern *from, struct text *to)
{
	pack_number(to, intern_count(from));
	for (uint32_t i = 0; i < intern_count(from); i++) {
		size_t size;
		const void *bytes = intern_data(from, i, &size);
		pack_bytes(to, bytes, size);
	}
}

static struct intern *unpack_intern(struct unpack *from)
{
	struct intern *to = intern_new();
	for (size_t i = unpack_count(from); i > 0; i--) {
		size_t size;
		const void *bytes = unpack_bytes(from, &size);
		if (bytes)
			intern_id(to, bytes, size);
	}
	return to;
}

/* Its peer as so many ranks from this one, or back. */
static struct kind moved(const struct kind *kind, uint32_t processes, uint32_t by)
{
	struct kind to = *kind;
	bool message = kind->kind == EVENT_SEND || kind->kind == EVENT_RECV;
	if (message && !kind->shape && kind->peer < processes)
		to.peer = (uint32_t)(((uint64_t)kind->peer + by) % processes);
	return to;
}

void event_values_pack(const struct event_values *c, uint32_t rank, struct text *to)
{
	const struct process *p = &c->process[rank];
	uint32_t processes = (uint32_t)c->processes;
	pack_number(to, p->kinds != NULL);
	if (!p->kinds)
		return;
	pack_intern(p->words, to);
	pack_intern(p->groups, to);
	pack_intern(p->names, to);
	pack_number(to, intern_count(p->kinds));
	for (uint32_t i = 0; i < intern_count(p->kinds); i++) {
		struct kind kind = moved(intern_data(p->kinds, i, NULL), processes, processes - rank);
		const struct source *s = &p->source[i];
		pack_bytes(to, &kind, sizeof kind);
		pack_number(to, s->events);
		pack_number(to, s->slots);
		for (uint32_t slot = 0; slot < s->slots; slot++) {
			pack_number(to, s->series[slot] != NULL);
			if (s->series[slot])
				series_pack(s->series[slot], to);
		}
	}
}

static void unpack_source(struct source *s, uint32_t names, struct unpack *from)
{
	s->events = unpack_number(from);
	s->slots = (uint32_t)unpack_below(from, (uint64_t)names + 1);
	s->series = mem_zero(s->slots * sizeof *s->series);
	for (uint32_t slot = 0; slot < s->slots; slot++)
		if (unpack_below(from, 2))
			s->series[slot] = series_unpack(from);
}

/* What a communicator of the packed process is here; see dictionary_unpack. */
static int64_t communicator_here(int64_t packed, const int64_t *communicator, struct unpack *from)
{
	int64_t known = 0;
	if (!communicator || packed == NO_COMMUNICATOR)
		return packed;
	while (known < packed && communicator[known] != NO_COMMUNICATOR)
		known++;
	from->bad = from->bad || known != packed;
	return communicator[known];
}

void event_values_unpack(struct event_values *c, uint32_t rank, const int64_t *communicator, struct unpack *from)
{
	struct process *p = &c->process[rank];
	if (!unpack_below(from, 2))
		return;
	p->words = unpack_intern(from);
	p->groups = unpack_intern(from);
	p->names = unpack_intern(from);
	p->kinds = intern_new_keys(sizeof(struct kind));
	p->own = intern_new_keys(sizeof(uint32_t));
	for (size_t i = unpack_count(from); i > 0; i--) {
		size_t size;
		const struct kind *packed = unpack_bytes(from, &size);
		struct kind kind;
		if (!packed || size != sizeof kind) {
			from->bad = true;
			return;
		}
		memcpy(&kind, packed, sizeof kind);
		kind = moved(&kind, (uint32_t)c->processes, rank);
		if (kind.kind != EVENT_LOCAL)
			kind.communicator = communicator_here(kind.communicator, communicator, from);
		uint32_t source = source_of_kind(p, &kind);
		unpack_source(&p->source[source], intern_count(p->names), from);
	}
}

void event_values_like(struct event_values *c, uint32_t rank, uint32_t other)
{
	c->process[rank].like = other + 1;
}

/* By itself, as if it had been taken in. */
static void settle(struct event_values *c, uint32_t rank)
{
	struct text bytes = {0};
	event_values_pack(c, c->process[rank].like - 1, &bytes);
	struct unpack from = unpack_start(bytes.data, bytes.length);
	c->process[rank].like = 0;
	event_values_unpack(c, rank, NULL, &from);
	text_clear(&bytes);
}

/* Where what a process carried stands. */
static uint32_t owner_of(const struct event_values *c, uint32_t rank)
{
	return c->process[rank].like ? c->process[rank].like - 1 : rank;
}

struct event_values *event_values_copy(const struct event_values *from)
{
	struct event_values *to = event_values_new(from->asked, from->sites, from->common);
	to->unnamed = from->unnamed;
	to->name = from->name;
	to->copy = true;
	struct text packed = {0};
	event_values_room(to, from->processes);
	for (uint32_t rank = 0; rank < from->processes; rank++) {
		text_truncate(&packed, 0);
		event_values_pack(from, rank, &packed);
		struct unpack own = unpack_start(packed.data, packed.length);
		event_values_unpack(to, rank, NULL, &own);
		to->process[rank].like = from->process[rank].like;
	}
	text_clear(&packed);
	return to;
}

/* ------------------------------------------------------------------ without communicators */

/* The kinds of a process become those without communicators. */
struct dropping {
	struct process *process;
	const struct dictionary *dictionary;
	struct intern *named; /* the kinds as they were, and what they carried */
	struct source *source;
	uint32_t *source_of; /* by event of a nest: its source, plus one; 0: not known yet */
};

static struct kind unnamed(const struct kind *kind)
{
	struct kind to = *kind;
	to.communicator = kind->kind == EVENT_LOCAL ? 0 : NO_COMMUNICATOR;
	return to;
}

/* Is what the kinds carried put together? Messages of a shape may be those that have a kind of
   their own on another communicator. */
static bool become_one(const struct intern *named, const struct intern *kinds)
{
	bool shapes = false, several = false;
	int64_t known = 0;
	for (uint32_t i = 0, messages = 0; i < intern_count(named); i++) {
		const struct kind *kind = intern_data(named, i, NULL);
		if (kind->kind != EVENT_SEND && kind->kind != EVENT_RECV)
			continue;
		shapes = shapes || kind->shape;
		several = several || (messages++ && kind->communicator != known);
		known = kind->communicator;
	}
	return intern_count(kinds) < intern_count(named) || (shapes && several);
}

/* What the next event of a source carried, of all of this kind now. */
static void take_next(struct dropping *d, struct source *from, struct source *to)
{
	if (!from->cursor) {
		from->cursor = mem_zero(from->slots * sizeof *from->cursor);
		for (uint32_t slot = 0; slot < from->slots; slot++)
			from->cursor[slot] = from->series[slot] ? series_drain(from->series[slot]) : NULL;
	}
	for (uint32_t slot = 0; slot < from->slots; slot++) {
		int64_t number = ABSENT;
		if (from->cursor[slot] && !series_next(from->cursor[slot], &number))
			d->process->unfit = true;
		if (number != ABSENT)
			put(to, slot, number);
	}
	to->events++;
}

/* That of a message's own kind, or of its shape. */
static uint32_t find_message(
	struct dropping *d, const struct intern *kinds, const struct event *e, const struct tag *tag, bool drop)
{
	uint32_t id = INTERN_NONE;
	for (int shape = 0; shape < 2 && id == INTERN_NONE; shape++) {
		struct kind kind = message_kind(d->process, d->dictionary, e, tag, shape);
		kind = drop ? unnamed(&kind) : kind;
		id = intern_find(kinds, &kind, sizeof kind);
	}
	return id;
}

static void put_together(struct dropping *d, uint32_t from, uint32_t to)
{
	if (from == INTERN_NONE || to == INTERN_NONE)
		d->process->unfit = true;
	else
		take_next(d, &d->source[from], &d->process->source[to]);
}

static void drop_of_affine(void *dropping, const struct event *e, const struct tag *tag)
{
	struct dropping *d = dropping;
	struct process *p = d->process;
	if (tag) {
		put_together(d, find_message(d, d->named, e, tag, false), find_message(d, p->kinds, e, tag, true));
		return;
	}
	struct kind kind = kind_of(p, d->dictionary, e, false), to = unnamed(&kind);
	put_together(d, intern_find(d->named, &kind, sizeof kind), intern_find(p->kinds, &to, sizeof to));
}

/* Here no message is known by its shape alone. */
static void drop_of_nest(void *dropping, uint32_t event)
{
	struct dropping *d = dropping;
	uint32_t *of = &d->source_of[event];
	if (!*of) {
		struct kind kind =
			kind_of(d->process, d->dictionary, dictionary_get_event(d->dictionary, event), false);
		*of = 1 + intern_find(d->named, &kind, sizeof kind);
	}
	uint32_t from = *of - 1;
	if (from == INTERN_NONE) {
		d->process->unfit = true;
		return;
	}
	struct kind to = unnamed(intern_data(d->named, from, NULL));
	put_together(d, from, intern_find(d->process->kinds, &to, sizeof to));
}

static void sources_free(struct process *p, struct source *source, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct source *s = &source[i];
		for (uint32_t slot = 0; slot < s->slots; slot++) {
			if (s->cursor && s->cursor[slot])
				p->unfit = !series_ended(s->cursor[slot]) || p->unfit;
			p->unfit = p->unfit || (!s->cursor && s->events);
			series_cursor_free(s->cursor ? s->cursor[slot] : NULL);
			series_free(s->series[slot]);
		}
		free(s->cursor);
		free(s->series);
		free(s->pending);
	}
	free(source);
}

void event_values_drop_communicators(struct event_values *c, uint32_t rank, const struct dictionary *dictionary,
	const struct nest *nest, const struct affine_events *affine)
{
	struct process *p = &c->process[rank];
	if (!p->kinds)
		return;
	struct dropping d = {.process = p, .dictionary = dictionary, .named = p->kinds, .source = p->source};
	uint32_t count = intern_count(d.named);
	p->kinds = intern_new_keys(sizeof(struct kind));
	for (uint32_t i = 0; i < count; i++) {
		struct kind kind = unnamed(intern_data(d.named, i, NULL));
		intern_id(p->kinds, &kind, sizeof kind);
	}
	if (!become_one(d.named, p->kinds)) {
		intern_free(d.named);
		return;
	}
	intern_free(p->kinds);
	p->kinds = intern_new_keys(sizeof(struct kind));
	p->source = NULL;
	p->source_capacity = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct kind kind = unnamed(intern_data(d.named, i, NULL));
		source_of_kind(p, &kind);
	}
	if (nest) {
		d.source_of = mem_zero(dictionary_events(dictionary) * sizeof *d.source_of);
		nest_run(nest, drop_of_nest, &d);
		free(d.source_of);
	} else {
		affine_events_run(affine, &d, drop_of_affine);
	}
	sources_free(p, d.source, count);
	intern_free(d.named);
	event_values_finish_process(c, rank);
}

/* ------------------------------------------------------------------ from events of the program */

struct attaching {
	struct event_values *values;
	struct program *program;
	bool tables; /* may be made */
	struct projection *projection; /* NULL as long as nothing is walked */
	struct executions executions; /* where all processes have the same counts, and anybody asks */
	const char **name; /* by name in order */
	bool lost[ATTRIBUTES_MOST]; /* ... what a statement carries cannot be told */
	struct fit *fit;
	struct fit_series *member; /* of the statement at hand */
	size_t member_capacity;
};

/* The kind of an event of the program; false: the streams had no such event. */
static bool program_kind(const struct process *p, const struct program *program, const struct plain_event *e,
	bool shape, struct kind *kind)
{
	const char *word = dictionary_get_word(program->dictionary, e->word);
	*kind = (struct kind){.kind = e->kind, .shape = shape, .peer = shape ? 0 : e->peer};
	kind->word = intern_find(p->words, word, strlen(word));
	if (e->kind == EVENT_SYNC) {
		struct ranks group = dictionary_get_ranks(program->dictionary, e->group);
		kind->group = intern_find(p->groups, group.run, group.length * sizeof *group.run);
		kind->communicator = e->communicator;
	} else if (e->kind != EVENT_LOCAL) {
		kind->numbered = e->numbered;
		kind->number = shape ? 0 : e->number;
		kind->communicator = e->communicator;
	}
	return kind->word != INTERN_NONE && kind->group != INTERN_NONE;
}

static struct source *source_of_event(
	const struct process *p, const struct program *program, const struct plain_event *e)
{
	struct kind kind;
	bool message = e->kind == EVENT_SEND || e->kind == EVENT_RECV;
	uint32_t id = INTERN_NONE;
	if (program_kind(p, program, e, false, &kind))
		id = intern_find(p->kinds, &kind, sizeof kind);
	if (id == INTERN_NONE && message && program_kind(p, program, e, true, &kind))
		id = intern_find(p->kinds, &kind, sizeof kind);
	return id == INTERN_NONE ? NULL : &p->source[id];
}

/* What carried a process's event, as peers are told there. */
static struct source *source_told(
	const struct event_values *c, const struct program *program, struct plain_event *e, uint32_t rank)
{
	uint32_t owner = owner_of(c, rank), processes = (uint32_t)c->processes;
	if (owner != rank && (e->kind == EVENT_SEND || e->kind == EVENT_RECV) && e->peer < processes)
		e->peer = (uint32_t)(((uint64_t)e->peer + processes - rank + owner) % processes);
	return source_of_event(&c->process[owner], program, e);
}

/* Of a statement that is the same event in each iteration. */
static struct source *source_of_statement(
	const struct event_values *c, struct program *program, const struct plain_statement *s, uint32_t rank)
{
	static const int64_t first[INDEX_DEPTH];
	struct spot spot = grid_spot(&program->grid, rank);
	struct plain_event e;
	plain_statement_event(s, &spot, first, &e);
	if (e.kind == EVENT_SYNC && e.group == PLAIN_GROUP_OF_AREA)
		e.group = plain_event_group(program, s->at, &spot);
	return source_told(c, program, &e, rank);
}

static bool has_values(const struct source *s)
{
	for (uint32_t slot = 0; slot < s->slots; slot++)
		if (s->series[slot])
			return true;
	return false;
}

static bool is_constant(const struct source *s)
{
	int64_t number;
	for (uint32_t slot = 0; slot < s->slots; slot++)
		if (slot != SLOT_ENTERED && s->series[slot] && !series_constant(s->series[slot], &number))
			return false;
	return true;
}

/* ------------------------------------------------------------------ dealing out */

/* Is what a source carries dealt out among statements? */
static bool is_dealt(const struct source *s)
{
	return s->users > 1 && !is_constant(s);
}

/* They come in any order, few of them; the last one is likely to come again. */
static void deal_site(struct dealt *to, int64_t number)
{
	for (size_t i = to->sites; i-- > 0;)
		if (to->site[i] == number)
			return;
	*MEM_PUSH(to->site, to->sites, to->site_capacity) = number;
}

/* False: there are fewer. */
static bool deal_sites(struct dealt *to, struct series_cursor *from, uint64_t times)
{
	int64_t number, stride;
	for (uint64_t run; times && (run = series_run(from, &number, &stride)) > 0;) {
		uint64_t same = stride ? 1 : run < times ? run : times;
		deal_site(to, number);
		series_skip(from, same);
		times -= same;
	}
	return !times;
}

/* Sources may lack what others of the same statement have: so many values of it are there now. */
static void fill(struct series *series, uint64_t length)
{
	if (series && series_length(series) < length)
		series_push_times(series, ABSENT, length - series_length(series));
}

static void deal(struct process *p, struct source *s, struct dealt *to, uint64_t times)
{
	uint64_t before = to->executed;
	to->executed += times;
	if (!s->cursor)
		s->cursor = mem_zero(s->slots * sizeof *s->cursor);
	for (uint32_t slot = 0; slot < s->slots; slot++) {
		if (!s->series[slot] || slot == SLOT_ENTERED)
			continue;
		if (!s->cursor[slot])
			s->cursor[slot] = is_dealt(s) ? series_drain(s->series[slot]) : series_read(s->series[slot]);
		if (slot == SLOT_SITES) {
			p->unfit = !deal_sites(to, s->cursor[slot], times) || p->unfit;
			continue;
		}
		if (!to->series)
			to->series = mem_zero(intern_count(p->names) * sizeof *to->series);
		if (!to->series[slot])
			to->series[slot] = series_new();
		fill(to->series[slot], before);
		p->unfit = !series_move(s->cursor[slot], times, to->series[slot]) || p->unfit;
	}
}

/* What all carry alike may be a statement's that was passed. */
static void end_dealing(struct process *p)
{
	for (uint32_t i = 0; i < intern_count(p->kinds); i++) {
		struct source *s = &p->source[i];
		bool dealt = is_dealt(s);
		p->unfit = p->unfit || (dealt && s->events && !s->cursor);
		if (!s->cursor)
			continue;
		for (uint32_t slot = 0; slot < s->slots; slot++) {
			if (dealt && s->cursor[slot])
				p->unfit = !series_ended(s->cursor[slot]) || p->unfit;
			series_cursor_free(s->cursor[slot]);
			if (!dealt)
				continue;
			series_free(s->series[slot]);
			s->series[slot] = NULL;
		}
		free(s->cursor);
		s->cursor = NULL;
	}
	for (size_t i = 0; i < p->dealts; i++)
		for (uint32_t slot = 0; p->dealt[i].series && slot < intern_count(p->names); slot++)
			if (p->dealt[i].series[slot]) {
				fill(p->dealt[i].series[slot], p->dealt[i].executed);
				series_finish(p->dealt[i].series[slot]);
			}
}

/* What an event that varies was found to be, by the values of the indices that decide it: of one
   index by its value, else by their ids. */
struct found {
	uint32_t *source; /* FOUND, and its number; or one of these: */
	size_t length, capacity;
	struct intern *known;
};

enum { FOUND_UNKNOWN, FOUND_NONE, FOUND };

#define FOUND_MOST 4096

/* What the walk does at each statement of a process. */
struct station {
	enum { STATION_PASSED, STATION_FIXED, STATION_VARYING } state;
	struct source *source; /* FIXED */
	uint32_t dealt; /* its place */
	uint32_t indices; /* VARYING: those that decide it, a bit each */
	struct found found;
};

static void stations_free(struct station *station, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		intern_free(station[i].found.known);
		free(station[i].found.source);
	}
	free(station);
}

static struct source *source_here(const struct process *p, const struct program *program, const struct walk *walk)
{
	struct plain_event e;
	walk_event(walk, &e);
	return source_of_event(p, program, &e);
}

/* Where what is found stands; FOUND_MOST: nowhere. */
static size_t place_of_found(struct station *s, const int64_t *index)
{
	uint32_t indices = s->indices & ~INDEX_TABLE;
	if (!(indices & (indices - 1))) {
		int64_t own = indices ? index[__builtin_ctz(indices)] : 0;
		return own >= 0 && own < FOUND_MOST ? (size_t)own : FOUND_MOST;
	}
	int64_t key[INDEX_DEPTH];
	size_t length = 0;
	for (uint32_t d = 0; d < INDEX_DEPTH; d++)
		if (indices >> d & 1)
			key[length++] = index[d];
	if (!s->found.known)
		s->found.known = intern_new();
	bool full = intern_count(s->found.known) == FOUND_MOST;
	uint32_t id = full ? intern_find(s->found.known, key, length * sizeof *key)
			   : intern_id(s->found.known, key, length * sizeof *key);
	return id < FOUND_MOST ? id : FOUND_MOST;
}

/* Of the event that the walk stands at; NULL: the streams had no such event. Inner indices take the
   same values again and again. */
static struct source *varying_source(
	const struct process *p, const struct program *program, const struct walk *walk, struct station *s)
{
	struct found *f = &s->found;
	size_t loops, at = place_of_found(s, walk_indices(walk, &loops));
	if (at == FOUND_MOST)
		return source_here(p, program, walk);
	if (at >= f->length) {
		f->source = mem_grow(f->source, &f->capacity, at + 1, sizeof *f->source);
		memset(f->source + f->length, 0, (at + 1 - f->length) * sizeof *f->source);
		f->length = at + 1;
	}
	if (f->source[at] == FOUND_UNKNOWN) {
		struct source *source = source_here(p, program, walk);
		f->source[at] = source ? FOUND + (uint32_t)(source - p->source) : FOUND_NONE;
	}
	return f->source[at] == FOUND_NONE ? NULL : &p->source[f->source[at] - FOUND];
}

/* Deal out what some statements carry. of: the source that all of them have; NULL: all sources. */
static void walk_stations(struct attaching *a, uint32_t rank, struct station *station, const struct source *of)
{
	struct process *p = &a->values->process[rank];
	bool *wanted = mem_array(a->program->length, sizeof *wanted);
	for (size_t i = 0; i < a->program->length; i++)
		wanted[i] = station[i].state != STATION_PASSED && (!of || station[i].source == of);
	struct walk *walk = walk_new_of(a->projection, rank, wanted);
	free(wanted);
	while (walk_next(walk)) {
		struct station *s = &station[walk_statement(walk)];
		struct source *source =
			s->state == STATION_VARYING ? varying_source(p, a->program, walk, s) : s->source;
		p->unfit = p->unfit || !source;
		if (source)
			deal(p, source, &p->dealt[s->dealt], of ? walk_pass(walk) : 1);
	}
	walk_free(walk);
}

/* One source after the other: then most loops have but one statement to look at, and what they
   carry is dealt out at once. */
static void walk_process(struct attaching *a, uint32_t rank, struct station *station)
{
	struct process *p = &a->values->process[rank];
	bool varying = false;
	if (!a->projection)
		a->projection = projection_new(a->program, NULL);
	for (size_t i = 0; i < a->program->length; i++)
		varying = varying || station[i].state == STATION_VARYING;
	if (varying)
		walk_stations(a, rank, station, NULL);
	for (uint32_t i = 0; !varying && i < intern_count(p->kinds); i++)
		if (is_dealt(&p->source[i]))
			walk_stations(a, rank, station, &p->source[i]);
	end_dealing(p);
}

static void add_dealt(struct process *p, size_t statement, struct station *s)
{
	p->dealt = mem_grow(p->dealt, &p->dealt_capacity, p->dealts + 1, sizeof *p->dealt);
	s->dealt = (uint32_t)p->dealts;
	p->dealt[p->dealts++] = (struct dealt){.statement = (uint32_t)statement};
}

static bool executes(const struct program *program, size_t at, uint32_t rank)
{
	struct ranks_run single;
	const struct statement *s = &program->statement[at];
	struct ranks who = statement_is_loop(s) ? (struct ranks){0} : program_processes(program, s, &single);
	return ranks_has(&who, rank);
}

/* How often a process executes a statement. */
static uint64_t times_of(struct attaching *a, uint32_t rank, size_t at, struct executions *own)
{
	struct executions *e = program_is_divergent(a->program) ? own : &a->executions;
	if (!e->times)
		*e = executions_of_process(a->program, rank);
	return e->times[at];
}

/* Has every kind become statements, and every statement, but one that is never executed, a kind? Is
   what varies, and is not dealt out, carried as often as it is executed? */
static void check_whole(struct attaching *a, uint32_t rank, const struct station *station)
{
	struct process *p = &a->values->process[rank];
	struct executions own = {0};
	for (uint32_t i = 0; i < intern_count(p->kinds); i++)
		p->unfit = p->unfit || (p->source[i].events && !p->source[i].users);
	for (size_t i = 0; i < a->program->length; i++) {
		const struct source *s = station[i].source;
		if (station[i].state != STATION_FIXED || (s && (s->users > 1 || is_constant(s))))
			continue;
		p->unfit = p->unfit || times_of(a, rank, i, &own) != (s ? s->events : 0);
	}
	executions_clear(&own);
}

/* Which statements have which sources; where several share what varies, it is dealt out. */
static void share_out(struct attaching *a, uint32_t rank, const struct plain_statement *plain, const uint32_t *indices)
{
	struct process *p = &a->values->process[rank];
	struct program *program = a->program;
	struct station *station = mem_zero(program->length * sizeof *station);
	bool varying = false, walked = false;
	for (size_t i = 0; i < program->length; i++) {
		if (!executes(program, i, rank))
			continue;
		if (!indices[i])
			station[i].source = source_of_statement(a->values, program, &plain[i], rank);
		station[i].state = indices[i] ? STATION_VARYING : STATION_FIXED;
		station[i].indices = indices[i];
		varying = varying || indices[i];
		if (station[i].source)
			station[i].source->users++;
	}
	for (uint32_t i = 0; varying && i < intern_count(p->kinds); i++)
		p->source[i].users += 2;
	check_whole(a, rank, station);
	for (size_t i = 0; i < program->length; i++) {
		struct station *s = &station[i];
		bool dealt = s->state == STATION_VARYING || (s->source && has_values(s->source) && is_dealt(s->source));
		if (!dealt)
			s->state = STATION_PASSED;
		else
			add_dealt(p, i, s);
		walked = walked || dealt;
	}
	if (walked)
		walk_process(a, rank, station);
	stations_free(station, program->length);
}

/* Does a process carry the same with all events of each kind, and do no indices decide what an
   event is? Then nothing is dealt out. */
static bool is_even(const struct process *p, const struct program *program, const uint32_t *indices)
{
	for (uint32_t i = 0; i < intern_count(p->kinds); i++)
		if (!is_constant(&p->source[i]))
			return false;
	for (size_t i = 0; i < program->length; i++)
		if (indices[i])
			return false;
	return true;
}

/* All that is dealt out is a process's own. */
static void settle_all(struct attaching *a, const uint32_t *indices)
{
	struct event_values *c = a->values;
	bool *even = mem_zero(c->processes * sizeof *even), *known = mem_zero(c->processes * sizeof *known);
	for (uint32_t rank = 0; rank < c->processes; rank++) {
		uint32_t owner = owner_of(c, rank);
		if (owner == rank)
			continue;
		if (!known[owner])
			even[owner] = is_even(&c->process[owner], a->program, indices);
		known[owner] = true;
		if (!even[owner])
			settle(c, rank);
	}
	free(even);
	free(known);
}

/* ------------------------------------------------------------------ statements */

static const struct dealt *find_dealt(const struct process *p, size_t statement)
{
	size_t at;
	SEARCH_FIRST(at, 0, p->dealts, p->dealt[at].statement >= statement);
	return at < p->dealts && p->dealt[at].statement == statement ? &p->dealt[at] : NULL;
}

/*
 * Does the process execute the statement at all, which a guard may keep it from? Then *series is
 * what it carries under the name; NULL: nothing.
 */
static bool find_series(struct attaching *a, const struct plain_statement *s, uint32_t rank, const char *name,
	bool varies, struct series **series)
{
	*series = NULL;
	if (rank >= a->values->processes)
		return false;
	const struct process *p = &a->values->process[owner_of(a->values, rank)];
	if (!p->kinds)
		return false;
	uint32_t slot = intern_find(p->names, name, strlen(name));
	const struct dealt *dealt = find_dealt(&a->values->process[rank], s->at);
	if (dealt) {
		*series = dealt->series && slot != INTERN_NONE ? dealt->series[slot] : NULL;
		return dealt->executed > 0;
	}
	const struct source *source = varies ? NULL : source_of_statement(a->values, a->program, s, rank);
	if (source && slot < source->slots)
		*series = source->series[slot];
	return source;
}

/* As one of the choices. */
static const char *process_word(const struct process *p, int64_t number, char *digits, size_t room)
{
	if (number == ABSENT)
		return "";
	if (number >= WORDS)
		return intern_data(p->words, (uint32_t)(number - WORDS), NULL);
	snprintf(digits, room, "%c%" PRId64, CHOICE_MARK, number);
	return digits;
}

/* Also of the last number of a run, that goes around where it does not fit: then it comes by others
   that are none. */
static bool is_plain_number(__int128 number)
{
	return number > ABSENT && number < WORDS;
}

static bool all_numbers(const struct fit_series *member, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t number, stride;
		if (!member[i].series)
			return false;
		if (series_constant(member[i].series, &number)) {
			if (!is_plain_number(number))
				return false;
			continue;
		}
		struct series_cursor *c = series_read(member[i].series);
		bool good = true;
		for (uint64_t run; good && (run = series_run(c, &number, &stride)) > 0;) {
			__int128 last = number + (__int128)(run - 1) * stride;
			good = is_plain_number(number) && is_plain_number(last);
			series_skip(c, run);
		}
		series_cursor_free(c);
		if (!good)
			return false;
	}
	return true;
}

static struct series *in_words(const struct process *p, const struct series *s, struct intern *words)
{
	struct series *to = series_new();
	char digits[32];
	if (s) {
		struct series_cursor *c = series_read(s);
		for (int64_t number; series_next(c, &number);) {
			const char *word = process_word(p, number, digits, sizeof digits);
			series_push(to, intern_id(words, word, strlen(word)));
		}
		series_cursor_free(c);
	} else {
		series_push(to, intern_id(words, "", 0));
	}
	series_finish(to);
	return to;
}

static uint32_t choices_of(struct program *program, const struct intern *words)
{
	uint32_t count = intern_count(words);
	const char **word = mem_array(count, sizeof *word);
	for (uint32_t i = 0; i < count; i++)
		word[i] = intern_data(words, i, NULL);
	uint32_t id = program_choices(program, word, count);
	free(word);
	return id;
}

#define TABLE_NAME_LETTERS 31

/* Tables are named by what is in them; sizes, which are most, by their first letters. */
static const char *table_name_of(const char *name)
{
	if (!strcmp(name, "bytes"))
		return "b";
	if (!strcmp(name, "received"))
		return "r";
	size_t letters = 0;
	while (is_letter(name[letters]) || (letters && is_digit(name[letters])))
		letters++;
	return letters && !name[letters] && letters <= TABLE_NAME_LETTERS ? name : "t";
}

static bool fit_numbers(struct attaching *a, size_t at, const char *name, size_t count, struct attribute *to)
{
	struct program *p = a->program;
	const char *table = table_name_of(name);
	size_t around[NEST_DEPTH_LIMIT];
	uint32_t loop[NEST_DEPTH_LIMIT], loops = 0, depth = program_loops_around(p, at, around);
	node_id number = fit_statement(a->fit, a->tables ? FIT_DATA : FIT_FORMULA, p, at, a->member, count, table);
	for (uint32_t d = 0; d < depth; d++)
		if (statement_guard(&p->statement[around[d]]) == GUARD_NONE)
			loop[loops++] = d;
	if (!number || !value_of_node(fit_store(a->fit), number, loop, loops, &to->value))
		return false;
	to->value.lookup.table = dictionary_adopt(p->dictionary, to->value.lookup.table, table);
	to->value.by.table = dictionary_adopt(p->dictionary, to->value.by.table, table);
	return true;
}

static bool fit_words(struct attaching *a, size_t at, const char *name, size_t count, struct attribute *to)
{
	struct intern *words = intern_new();
	struct series **translated = mem_array(count, sizeof *translated);
	for (size_t i = 0; i < count; i++) {
		const struct process *p = &a->values->process[owner_of(a->values, a->member[i].rank)];
		a->member[i].series = translated[i] = in_words(p, a->member[i].series, words);
	}
	bool good = fit_numbers(a, at, name, count, to);
	if (good)
		to->choices = choices_of(a->program, words);
	for (size_t i = 0; i < count; i++)
		series_free(translated[i]);
	free(translated);
	intern_free(words);
	return good;
}

static bool carries_any(const struct series *series)
{
	int64_t number;
	return series && !(series_constant(series, &number) && number == ABSENT);
}

/* The attribute of the k-th name; false: no execution carries it, or it is lost. */
static bool fit_attribute(
	struct attaching *a, const struct plain_statement *s, size_t k, bool varies, struct attribute *to)
{
	const char *name = a->name[k];
	struct ranks_run single;
	struct ranks who = program_processes(a->program, &a->program->statement[s->at], &single);
	struct ranks_walk walk = {0};
	size_t count = 0;
	bool any = false;
	memset(to, 0, sizeof *to);
	for (uint32_t rank; ranks_next(&who, &walk, &rank);) {
		a->member = mem_grow(a->member, &a->member_capacity, count + 1, sizeof *a->member);
		struct series *series;
		if (!find_series(a, s, rank, name, varies, &series))
			continue;
		a->member[count++] = (struct fit_series){rank, series};
		any = any || carries_any(series);
	}
	if (!any)
		return false;
	bool good = all_numbers(a->member, count) ? fit_numbers(a, s->at, name, count, to)
						  : fit_words(a, s->at, name, count, to);
	if (good)
		to->name = dictionary_word(a->program->dictionary, name, strlen(name));
	a->lost[k] |= !good;
	return good;
}

/* What a statement has already is a function of the same numbers (merge/builder.h). */
static bool is_known(const struct attaching *a, size_t at, const char *name, struct attribute *to)
{
	return program_attribute(a->program, at, dictionary_word(a->program->dictionary, name, strlen(name)), to);
}

/* ------------------------------------------------------------------ names of paths */

static const char *words_of_path(const struct event_values *c, const struct process *p, uint32_t word)
{
	size_t length;
	const char *words = intern_data(p->words, word, &length);
	uint32_t known = c->unnamed ? intern_find(c->unnamed, words, length) : INTERN_NONE;
	return known == INTERN_NONE ? words : c->name[known];
}

/* Of a number of a source's sites. path: by word of the process, plus one; 0: not known yet. */
static uint32_t path_of_site(
	const struct event_values *c, const struct process *p, int64_t number, uint32_t *path, struct call_paths *paths)
{
	uint32_t word = (uint32_t)(number - WORDS);
	if (!path[word])
		path[word] = 1 + call_paths_know(paths, words_of_path(c, p, word));
	return path[word] - 1;
}

/* NULL: none of its events has one. */
static const struct series *series_of_source(const struct source *s, uint32_t slot)
{
	return slot < s->slots ? s->series[slot] : NULL;
}

static const struct series *sites_of_source(const struct source *s)
{
	return series_of_source(s, SLOT_SITES);
}

static void collect_paths(struct intern *paths, const struct process *p, const struct series *series)
{
	int64_t number, stride;
	struct series_cursor *c = series_read(series);
	for (uint64_t run; (run = series_run(c, &number, &stride)) > 0; series_skip(c, run))
		for (uint64_t i = 0; i < (stride ? run : 1);
			i++, number = (int64_t)((uint64_t)number + (uint64_t)stride))
			if (number >= WORDS) {
				size_t length;
				const char *words = intern_data(p->words, (uint32_t)(number - WORDS), &length);
				intern_id(paths, words, length);
			}
	series_cursor_free(c);
}

void event_values_name_sites(struct event_values *c, const struct site_names *names)
{
	struct intern *paths = intern_new();
	for (size_t rank = 0; rank < c->processes; rank++) {
		const struct process *p = &c->process[rank];
		for (uint32_t i = 0; p->kinds && i < intern_count(p->kinds); i++)
			if (sites_of_source(&p->source[i]))
				collect_paths(paths, p, sites_of_source(&p->source[i]));
	}
	uint32_t count = intern_count(paths);
	const char **path = mem_array(count, sizeof *path);
	for (uint32_t i = 0; i < count; i++)
		path[i] = intern_data(paths, i, NULL);
	c->name = mem_zero((count + (size_t)1) * sizeof *c->name);
	names->name(names->context, path, count, c->name);
	c->unnamed = paths;
	free(path);
}

/* ------------------------------------------------------------------ sites */

struct siting {
	struct attaching *attaching;
	struct sites *sites;
	uint32_t **path; /* by owner: path_of_site */
	struct intern *of_statement; /* paths, each once */
};

static void add_site(struct siting *s, uint32_t owner, int64_t number)
{
	const struct process *p = &s->attaching->values->process[owner];
	if (number < WORDS)
		return;
	if (!s->path[owner])
		s->path[owner] = mem_zero(intern_count(p->words) * sizeof **s->path);
	uint32_t path =
		path_of_site(s->attaching->values, p, number, s->path[owner], s->attaching->program->places.paths);
	intern_id(s->of_statement, &path, sizeof path);
}

static void add_sites_of(struct siting *s, uint32_t owner, const struct series *series)
{
	int64_t number, stride;
	if (series_constant(series, &number)) {
		add_site(s, owner, number);
		return;
	}
	struct series_cursor *c = series_read(series);
	for (uint64_t run; (run = series_run(c, &number, &stride)) > 0; series_skip(c, run))
		for (uint64_t i = 0; i < (stride ? run : 1); i++)
			add_site(s, owner, (int64_t)((uint64_t)number + i * (uint64_t)stride));
	series_cursor_free(c);
}

static void add_process_sites(struct siting *s, const struct plain_statement *plain, uint32_t rank, bool varies)
{
	struct event_values *c = s->attaching->values;
	uint32_t owner = rank < c->processes ? owner_of(c, rank) : 0;
	if (rank >= c->processes || !c->process[owner].kinds)
		return;
	const struct dealt *dealt = find_dealt(&c->process[rank], plain->at);
	for (size_t i = 0; dealt && i < dealt->sites; i++)
		add_site(s, owner, dealt->site[i]);
	const struct source *source =
		dealt || varies ? NULL : source_of_statement(c, s->attaching->program, plain, rank);
	if (source && sites_of_source(source))
		add_sites_of(s, owner, sites_of_source(source));
}

/* All sites of the events that a statement stands for. */
static void locate(struct siting *s, const struct plain_statement *plain, bool varies)
{
	const struct program *p = s->attaching->program;
	struct ranks_run single;
	struct ranks who = program_processes(p, &p->statement[plain->at], &single);
	struct ranks_walk walk = {0};
	intern_empty(s->of_statement);
	for (uint32_t rank; ranks_next(&who, &walk, &rank);)
		add_process_sites(s, plain, rank, varies);
	uint32_t count = intern_count(s->of_statement), *path = mem_array(count, sizeof *path);
	for (uint32_t i = 0; i < count; i++)
		path[i] = *(const uint32_t *)intern_data(s->of_statement, i, NULL);
	sites_of_statement(s->sites, plain->at, path, count);
	free(path);
}

static void locate_all(struct attaching *a, const struct plain_statement *plain, const uint32_t *indices)
{
	struct siting s = {a, sites_new(a->program), mem_zero((a->values->processes + 1) * sizeof *s.path),
		intern_new_keys(sizeof **s.path)};
	for (size_t i = 0; i < a->program->length; i++)
		if (!statement_is_loop(&a->program->statement[i]))
			locate(&s, &plain[i], indices[i]);
	for (size_t rank = 0; rank < a->values->processes; rank++)
		free(s.path[rank]);
	free(s.path);
	intern_free(s.of_statement);
	sites_finish(s.sites);
}

/* ------------------------------------------------------------------ paths in order */

/* Of a process, source by source. */
struct point_reading {
	struct series_cursor **site, **entered; /* by source */
	uint32_t *path; /* path_of_site */
};

/* The next one, or ABSENT, where they have none. cursor: of the source. */
static int64_t next_of(struct series_cursor **cursor, const struct series *series)
{
	int64_t number;
	if (!series)
		return ABSENT;
	*cursor = *cursor ? *cursor : series_read(series);
	return series_next(*cursor, &number) ? number : ABSENT;
}

static bool read_point(const struct event_values *c, struct point_reading *r, const struct process *p,
	const struct source *s, struct call_paths *paths, struct call_point *point)
{
	*point = (struct call_point){.path = CALL_PATH_NONE};
	if (!s)
		return false;
	int64_t site = next_of(&r->site[s - p->source], sites_of_source(s)),
		entered = next_of(&r->entered[s - p->source], series_of_source(s, SLOT_ENTERED));
	if (site >= WORDS)
		point->path = path_of_site(c, p, site, r->path, paths);
	if (entered >= 0) {
		point->entered = (uint32_t)(entered / ENTERED_FRAME);
		point->exact = entered % ENTERED_FRAME;
	}
	return true;
}

struct call_point *event_values_points(const struct event_values *c, struct program *program,
	struct projection *projection, uint32_t rank, struct call_paths *paths, uint64_t events)
{
	bool carried = rank < c->processes && c->process[owner_of(c, rank)].kinds;
	if (projection_events(projection, rank) != events || (events && !carried))
		return NULL;
	if (!events)
		return mem_array(1, sizeof(struct call_point));
	const struct process *p = &c->process[owner_of(c, rank)];
	uint32_t kinds = intern_count(p->kinds);
	struct point_reading r = {mem_zero((kinds + (size_t)1) * sizeof *r.site),
		mem_zero((kinds + (size_t)1) * sizeof *r.entered),
		mem_zero((intern_count(p->words) + (size_t)1) * sizeof *r.path)};
	struct call_point *point = mem_array(events + 1, sizeof *point);
	struct walk *walk = walk_new(projection, rank);
	bool good = true;
	for (uint64_t i = 0; good && walk_next(walk); i++) {
		struct plain_event e;
		walk_event(walk, &e);
		good = i < events && read_point(c, &r, p, source_told(c, program, &e, rank), paths, &point[i]);
	}
	for (uint32_t i = 0; i < kinds; i++) {
		series_cursor_free(r.site[i]);
		series_cursor_free(r.entered[i]);
	}
	walk_free(walk);
	free(r.site);
	free(r.entered);
	free(r.path);
	if (!good) {
		free(point);
		point = NULL;
	}
	return point;
}

/* ------------------------------------------------------------------ names in order */

static bool any_value(const struct event_values *c, const char *name)
{
	for (size_t rank = 0; rank < c->processes; rank++) {
		const struct process *p = &c->process[rank];
		uint32_t slot = p->names ? intern_find(p->names, name, strlen(name)) : INTERN_NONE;
		for (uint32_t i = 0; slot != INTERN_NONE && i < intern_count(p->kinds); i++) {
			int64_t number;
			const struct source *s = &p->source[i];
			const struct series *series = slot < s->slots ? s->series[slot] : NULL;
			if (series && (c->asked || !series_constant(series, &number) || number))
				return true;
		}
	}
	return false;
}

bool event_values_has_sites(const struct event_values *c)
{
	bool any = false;
	for (size_t rank = 0; rank < c->processes && !any; rank++) {
		const struct process *p = &c->process[rank];
		for (uint32_t i = 0; p->kinds && !any && i < intern_count(p->kinds); i++)
			any = sites_of_source(&p->source[i]) != NULL;
	}
	return any;
}

static int by_name(const void *left, const void *right)
{
	const char *a = *(const char *const *)left, *b = *(const char *const *)right;
	bool first = !strcmp(a, "bytes"), second = !strcmp(b, "bytes");
	return first != second ? (first ? -1 : 1) : strcmp(a, b);
}

/* Bytes first, then by the alphabet. Those that nobody carries are left out. */
static size_t find_names(struct attaching *a, struct intern *names)
{
	size_t count = 0;
	for (size_t rank = 0; rank < a->values->processes; rank++) {
		const struct process *p = &a->values->process[rank];
		for (uint32_t slot = 0; p->names && slot < intern_count(p->names); slot++) {
			const char *name = intern_data(p->names, slot, NULL);
			intern_id(names, name, strlen(name));
		}
	}
	a->name = mem_array(intern_count(names), sizeof *a->name);
	for (uint32_t i = 0; i < intern_count(names); i++) {
		const char *name = intern_data(names, i, NULL);
		if (strcmp(name, SITES_NAME) && strcmp(name, ENTERED_NAME) && any_value(a->values, name))
			a->name[count++] = name;
	}
	qsort(a->name, count, sizeof *a->name, by_name);
	return count < ATTRIBUTES_MOST ? count : ATTRIBUTES_MOST;
}

/* A value that some statement carries and does not tell would be taken for none: then no statement
   tells it. */
static void leave_out_lost(struct attaching *a, size_t names)
{
	struct program *program = a->program;
	for (size_t k = 0; k < names; k++) {
		if (!a->lost[k])
			continue;
		text_format(&a->values->left_out, "%s%s", a->values->left_out.length ? ", " : "", a->name[k]);
		uint32_t word = dictionary_word(program->dictionary, a->name[k], strlen(a->name[k]));
		for (size_t i = 0; i < program->length; i++) {
			struct attribute attribute[ATTRIBUTES_MOST];
			size_t count = program_get_attributes(program, program->statement[i].attributes, attribute),
			       kept = 0;
			for (size_t j = 0; j < count; j++)
				if (attribute[j].name != word)
					attribute[kept++] = attribute[j];
			if (kept < count)
				program->statement[i].attributes = program_attributes(program, attribute, kept);
		}
	}
}

const char *event_values_left_out(const struct event_values *c)
{
	return c->left_out.length ? c->left_out.data : NULL;
}

/* To statements, of sources that have been shared out. */
static void attach_all(
	struct attaching *a, size_t names, bool sited, const struct plain_statement *plain, const uint32_t *indices)
{
	struct program *program = a->program;
	for (size_t i = 0; names && i < program->length; i++) {
		struct attribute attribute[ATTRIBUTES_MOST];
		size_t kept = 0;
		for (size_t k = 0; k < names && !statement_is_loop(&program->statement[i]); k++)
			kept += is_known(a, i, a->name[k], &attribute[kept]) ||
				fit_attribute(a, &plain[i], k, indices[i], &attribute[kept]);
		program->statement[i].attributes = program_attributes(program, attribute, kept);
	}
	leave_out_lost(a, names);
	if (sited)
		locate_all(a, plain, indices);
}

static bool all_fit(const struct event_values *c, struct error *error)
{
	for (size_t rank = 0; rank < c->processes; rank++)
		if (c->process[rank].unfit)
			return error_set(error, ERROR_INTERNAL,
				"what the events of process %zu carry does not fit the program: --values none makes "
				"it without",
				rank);
	return true;
}

bool event_values_attach(struct event_values *c, struct program *program, bool tables, struct error *error)
{
	struct attaching a = {.values = c, .program = program, .tables = tables};
	struct store *store = store_new(program->processes, &program->grid);
	a.fit = fit_new(store, program->processes, &program->grid);
	struct intern *names = intern_new();
	struct plain_statement *plain = mem_array(program->length, sizeof *plain);
	uint32_t *indices = mem_zero(program->length * sizeof *indices); /* that decide an event, a bit each */
	size_t count = find_names(&a, names);
	bool sited = event_values_has_sites(c);
	for (size_t i = 0; i < program->length; i++) {
		if (statement_is_loop(&program->statement[i]))
			continue;
		plain_statement_of(program, i, &plain[i]);
		indices[i] = program_indices(program, &program->statement[i]);
	}
	if (count || sited)
		settle_all(&a, indices);
	for (size_t rank = 0; (count || sited) && rank < c->processes; rank++)
		if (c->process[rank].kinds)
			share_out(&a, (uint32_t)rank, plain, indices);
	bool fit = all_fit(c, error);
	if (fit)
		attach_all(&a, count, sited, plain, indices);
	projection_free(a.projection);
	executions_clear(&a.executions);
	fit_free(a.fit);
	store_free(store);
	free(a.name);
	free(a.member);
	free(plain);
	free(indices);
	intern_free(names);
	return fit;
}
