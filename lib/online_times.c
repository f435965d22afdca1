/*
 * online_times.c -- the times between records as profile/profile.c has them, by context.
 */
#include "lib/online_times.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/arrival.h"
#include "base/files.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/pack.h"
#include "base/series.h"
#include "lib/pipeline.h"
#include "trace/names.h"

#define FIRST_LINE "tracenest times 1\n"
#define NANOSECONDS UINT64_C(1000000000) /* the recorder's clock counts them */
#define NOWHERE UINT32_MAX
#define TO_NOBODY (UINT32_C(1) << 31) /* peers from here on are MPI_PROC_NULL */

/*
 * An event, and where it is: its path, or its site; and on which communicator, with whom, by which
 * tag. Programs that count with tags, or address one process after the other, would have as many
 * contexts as messages: behind the first so many of what differs in these two alone
 * (PROGRAM_DISTINCT), they are left out.
 */
struct place {
	uint32_t what, where, communicator, peer, tag;
};

struct context {
	enum event_kind kind;
	struct histogram before, call;
	struct sample sample; /* of `before` */
};

/* Of a process. */
struct learned {
	struct context *context;
	size_t contexts, capacity;
	struct series *order; /* of contexts */
	struct profile_process process;
	bool any; /* a record */
	uint64_t records;
};

struct online_times {
	uint32_t rank;
	enum name_sort *sort; /* by region */
	struct intern *keys; /* of contexts: a place, and the one before */
	struct intern *shapes, *places; /* places without peer and tag; places */
	uint32_t *distinct; /* by shape: so many places */
	size_t distinct_capacity;
	struct learned learned;
	struct place last;
	unsigned depth; /* of calls */
	bool apart; /* the outermost one stands apart */
	bool pending; /* a context is to have the times of this call: */
	uint32_t context;
	uint64_t mark, before, call;
};

static void learned_clear(struct learned *l)
{
	for (size_t i = 0; i < l->contexts; i++) {
		histogram_clear(&l->context[i].before);
		histogram_clear(&l->context[i].call);
		sample_clear(&l->context[i].sample);
	}
	free(l->context);
	series_free(l->order);
}

struct online_times *online_times_new(uint32_t rank, const char *const *region, uint32_t regions)
{
	struct online_times *t = mem_zero(sizeof *t);
	t->rank = rank;
	t->sort = mem_array(regions + (size_t)1, sizeof *t->sort);
	for (uint32_t i = 0; i < regions; i++)
		t->sort[i] = name_sort(region[i]);
	t->keys = intern_new_keys(2 * sizeof(struct place));
	t->learned.order = series_new();
	t->shapes = intern_new_keys(sizeof(struct place));
	t->places = intern_new_keys(sizeof(struct place));
	t->last = (struct place){.what = NOWHERE};
	return t;
}

void online_times_free(struct online_times *t)
{
	if (!t)
		return;
	learned_clear(&t->learned);
	intern_free(t->keys);
	intern_free(t->shapes);
	intern_free(t->places);
	free(t->distinct);
	free(t->sort);
	free(t);
}

/* ------------------------------------------------------------------ in the process */

/* The times since the last one are those of this context. */
static void settle(struct online_times *t)
{
	struct context *c = &t->learned.context[t->context];
	histogram_add(&c->before, t->before, t->rank, HISTOGRAM_NOT_KNOWN);
	histogram_add(&c->call, t->call, t->rank, HISTOGRAM_NOT_KNOWN);
	sample_add(&c->sample, t->before);
	t->before = t->call = 0;
	t->pending = false;
}

/* To the end of what it did before: outside of calls, or in one. */
static void advance(struct online_times *t, uint64_t time)
{
	uint64_t spent = time > t->mark ? time - t->mark : 0;
	*(!t->depth ? &t->before : t->apart ? &t->learned.process.apart : &t->call) += spent;
	t->mark = time > t->mark ? time : t->mark;
}

static struct place place_of(
	struct online_times *t, enum event_kind kind, const struct event_record *r, const struct event_attributes *a)
{
	bool pathed = a && a->have & 1 << ATTRIBUTE_PATH, sited = a && a->have & 1 << ATTRIBUTE_SITE;
	struct place shape = {.what = (uint32_t)kind | (kind == EVENT_SYNC ? r->number << 8 : 0),
		.where = pathed  ? a->path
			 : sited ? a->site
				 : NOWHERE,
		.communicator = r->communicator};
	struct place place = shape;
	place.peer = r->id;
	place.tag = r->number;
	uint32_t *distinct = MEM_AT(t->distinct, t->distinct_capacity, intern_id(t->shapes, &shape, sizeof shape));
	if (intern_find(t->places, &place, sizeof place) != INTERN_NONE)
		return place;
	if (*distinct == PROGRAM_DISTINCT)
		return shape;
	intern_id(t->places, &place, sizeof place);
	++*distinct;
	return place;
}

static void take_event(
	struct online_times *t, enum event_kind kind, const struct event_record *r, const struct event_attributes *a)
{
	struct learned *l = &t->learned;
	struct place key[2] = {place_of(t, kind, r, a), t->last};
	uint32_t id = intern_id(t->keys, key, sizeof key);
	if (id == l->contexts)
		*MEM_PUSH(l->context, l->contexts, l->capacity) = (struct context){.kind = kind};
	l->process.events++;
	t->last = key[0];
	series_push(l->order, id);
	if (!t->pending) {
		t->context = id;
		t->pending = true;
		if (!t->depth) {
			t->before += r->time - t->mark;
			t->mark = r->time;
			settle(t);
		}
	}
}

static void enter(struct online_times *t, const struct event_record *r)
{
	advance(t, r->time);
	if (!t->depth++)
		t->apart = t->sort[r->id] != NAME_COMMUNICATES;
}

static void leave(struct online_times *t, const struct event_record *r)
{
	if (!t->depth)
		return;
	advance(t, r->time);
	t->depth--;
	if (t->pending && !t->depth)
		settle(t);
}

void online_times_take(struct online_times *t, const struct event_record *r, const struct event_attributes *a)
{
	struct profile_process *p = &t->learned.process;
	if (r->kind == RECORD_MEASUREMENT || r->kind == RECORD_COLLECTIVE_BEGIN)
		return;
	if (!t->learned.any) {
		t->learned.any = true;
		p->first = t->mark = r->time;
	}
	p->last = r->time;
	t->learned.records++;
	switch (r->kind) {
	case RECORD_ENTER:
		enter(t, r);
		break;
	case RECORD_LEAVE:
		leave(t, r);
		break;
	case RECORD_SEND:
	case RECORD_ISEND:
		if (r->id < TO_NOBODY)
			take_event(t, EVENT_SEND, r, a);
		break;
	case RECORD_RECV:
	case RECORD_IRECV:
		if (r->id < TO_NOBODY)
			take_event(t, EVENT_RECV, r, a);
		break;
	case RECORD_COLLECTIVE_END:
	case RECORD_COLLECTIVE_COMPLETE:
		take_event(t, EVENT_SYNC, r, a);
		break;
	default:
		break;
	}
}

static void finish(struct online_times *t)
{
	struct profile_process *p = &t->learned.process;
	advance(t, p->last);
	if (t->pending)
		settle(t);
	p->after = t->before;
	p->after_call = t->call;
	series_finish(t->learned.order);
}

/* ------------------------------------------------------------------ in a file */

static void pack_histogram(const struct histogram *h, struct text *to)
{
	pack_number(to, h->count);
	if (!h->count)
		return;
	pack_number(to, h->sum);
	pack_number(to, (uint64_t)h->squares);
	pack_number(to, (uint64_t)(h->squares >> 64));
	pack_number(to, h->least.value);
	pack_number(to, h->most.value);
	pack_number(to, h->first);
	pack_number(to, h->buckets);
	for (uint32_t i = 0; i < h->buckets; i++)
		pack_number(to, h->bucket[i]);
}

#define BUCKETS_MOST 512 /* more than there are for 64 bits */

static void unpack_histogram(struct unpack *from, uint32_t rank, struct histogram *h)
{
	*h = (struct histogram){.count = unpack_number(from)};
	if (!h->count)
		return;
	h->sum = unpack_number(from);
	h->squares = unpack_number(from);
	h->squares |= (unsigned __int128)unpack_number(from) << 64;
	h->least = (struct histogram_extreme){unpack_number(from), HISTOGRAM_NOT_KNOWN, rank};
	h->most = (struct histogram_extreme){unpack_number(from), HISTOGRAM_NOT_KNOWN, rank};
	h->first = (uint32_t)unpack_below(from, BUCKETS_MOST);
	h->buckets = h->capacity = (uint32_t)unpack_below(from, BUCKETS_MOST);
	h->bucket = mem_array(h->buckets, sizeof *h->bucket);
	for (uint32_t i = 0; i < h->buckets; i++)
		h->bucket[i] = unpack_number(from);
}

static void pack_sample(const struct sample *s, struct text *to)
{
	pack_number(to, s->seen);
	pack_number(to, s->level);
	pack_number(to, s->length);
	for (size_t i = 0; i < s->length; i++) {
		pack_number(to, s->kept[i].index);
		pack_number(to, s->kept[i].value);
	}
}

static void unpack_sample(struct unpack *from, struct sample *s)
{
	*s = (struct sample){.seen = unpack_number(from), .level = (uint32_t)unpack_below(from, 64)};
	for (size_t n = (size_t)unpack_below(from, SAMPLE_MOST + 1); n; n--) {
		uint64_t index = unpack_number(from);
		*MEM_PUSH(s->kept, s->length, s->capacity) = (struct sampled){index, unpack_number(from)};
	}
}

static void pack(const struct learned *l, struct text *to)
{
	const struct profile_process *p = &l->process;
	pack_number(to, l->any);
	pack_number(to, l->records);
	pack_number(to, p->first);
	pack_number(to, p->last);
	pack_number(to, p->after);
	pack_number(to, p->after_call);
	pack_number(to, p->apart);
	pack_number(to, p->events);
	pack_number(to, l->contexts);
	for (size_t i = 0; i < l->contexts; i++) {
		pack_number(to, l->context[i].kind);
		pack_histogram(&l->context[i].before, to);
		pack_histogram(&l->context[i].call, to);
		pack_sample(&l->context[i].sample, to);
	}
	series_pack(l->order, to);
}

static void unpack(struct unpack *from, uint32_t rank, struct learned *l)
{
	l->any = unpack_below(from, 2);
	l->records = unpack_number(from);
	l->process.first = unpack_number(from);
	l->process.last = unpack_number(from);
	l->process.after = unpack_number(from);
	l->process.after_call = unpack_number(from);
	l->process.apart = unpack_number(from);
	l->process.events = unpack_number(from);
	for (size_t n = unpack_count(from); n; n--) {
		struct context c = {.kind = (enum event_kind)unpack_below(from, EVENT_KINDS)};
		unpack_histogram(from, rank, &c.before);
		unpack_histogram(from, rank, &c.call);
		unpack_sample(from, &c.sample);
		*MEM_PUSH(l->context, l->contexts, l->capacity) = c;
	}
	l->order = series_unpack(from);
}

bool online_times_write(struct online_times *t, const char *path, struct error *error)
{
	struct text bytes = {0};
	finish(t);
	text_put(&bytes, FIRST_LINE);
	pack(&t->learned, &bytes);
	bool good = output_all(path, bytes.data, bytes.length, error);
	text_clear(&bytes);
	online_times_free(t);
	return good;
}

static bool read_file(const char *path, uint32_t rank, struct learned *l, struct error *error)
{
	struct text file = {0};
	size_t first = strlen(FIRST_LINE);
	*l = (struct learned){0};
	if (!file_read(path, SIZE_MAX, &file, error))
		return false;
	bool known = file.length > first && !memcmp(file.data, FIRST_LINE, first);
	struct unpack from = unpack_start(file.data + (known ? first : 0), known ? file.length - first : 0);
	unpack(&from, rank, l);
	bool good = known && unpack_ended(&from) && l->order;
	text_clear(&file);
	return good || error_set(error, ERROR_INPUT, "%s: not what a recording leaves of its times", path);
}

/* ------------------------------------------------------------------ by statement */

/* Executions of a statement, come to in one way, in one context. */
struct met {
	uint64_t context, line, arrival;
};

struct meeting {
	struct learned *learned;
	struct intern *keys; /* struct met */
	uint64_t *times; /* by id of these */
	size_t length, capacity;
};

static bool is_other(uint32_t rank, uint64_t events, struct error *error)
{
	return error_set(error, ERROR_INCONSISTENT,
		"rank %" PRIu32 ", event %" PRIu64 ": the times are not those of the program", rank, events);
}

/* What each event of the process is, and in which context. */
static bool meet(struct run *run, uint32_t rank, struct meeting *m, struct error *error)
{
	const struct learned *l = m->learned;
	struct cursor *c = cursor_new(run, rank);
	struct series_cursor *order = series_read(l->order);
	struct control control = {0};
	uint64_t events = 0;
	int64_t id;
	bool good = true;
	while (good && cursor_next(c)) {
		const struct node *n = node_of(c->at.store, c->event);
		if (n->sub == EVENT_LOCAL)
			continue;
		good = series_next(order, &id) && id >= 0 && (uint64_t)id < l->contexts &&
		       l->context[id].kind == (enum event_kind)n->sub;
		if (!good)
			break;
		struct met met = {(uint64_t)id, c->line, arrival_next(c, &control)};
		uint32_t at = intern_id(m->keys, &met, sizeof met);
		if (at == m->length)
			*MEM_PUSH(m->times, m->length, m->capacity) = 0;
		m->times[at]++;
		events++;
	}
	good = good && series_ended(order);
	series_cursor_free(order);
	cursor_free(c);
	return good || is_other(rank, events, error);
}

static uint64_t part(uint64_t number, uint64_t of, uint64_t from, uint64_t to)
{
	return (uint64_t)((unsigned __int128)number * to / of) - (uint64_t)((unsigned __int128)number * from / of);
}

/* What executions `from` to `to` of so many have of a histogram, whose parts add up to it. */
static struct histogram part_of(const struct histogram *h, uint64_t of, uint64_t from, uint64_t to)
{
	struct histogram p = *h;
	p.count = 0;
	p.sum = part(h->sum, of, from, to);
	p.squares = to - from < of ? h->squares / of * (to - from) : h->squares;
	p.bucket = mem_array(h->buckets + (size_t)1, sizeof *p.bucket);
	p.capacity = h->buckets + 1;
	for (uint32_t i = 0; i < h->buckets; i++)
		p.count += p.bucket[i] = part(h->bucket[i], of, from, to);
	return p;
}

static void add_part(struct histogram *to, const struct histogram *h, uint64_t of, uint64_t from, uint64_t end)
{
	if (!h->count)
		return;
	struct histogram p = part_of(h, of, from, end);
	if (p.count)
		histogram_merge(to, &p);
	histogram_clear(&p);
}

/* Each context is shared out by its executions, in the order in which they were met first. The
   sample of one goes with all of it to a row that has nothing else. */
static void add_rows(struct profile *p, uint32_t rank, const struct meeting *m)
{
	uint64_t *all = mem_zero((m->learned->contexts + 1) * sizeof *all),
		 *from = mem_zero((m->learned->contexts + 1) * sizeof *from);
	size_t *row = mem_array(m->length + 1, sizeof *row);
	for (uint32_t i = 0; i < m->length; i++) {
		const struct met *met = intern_data(m->keys, i, NULL);
		row[i] = profile_row(p, (size_t)met->line, rank, (enum arrival)met->arrival);
		p->row[row[i]].occurrences += m->times[i];
		all[met->context] += m->times[i];
	}
	for (uint32_t i = 0; i < m->length; i++) {
		const struct met *met = intern_data(m->keys, i, NULL);
		struct context *c = &m->learned->context[met->context];
		struct profile_row *to = &p->row[row[i]];
		uint64_t of = all[met->context], end = from[met->context] + m->times[i];
		add_part(&to->before, &c->before, of, from[met->context], end);
		add_part(&to->call, &c->call, of, from[met->context], end);
		from[met->context] = end;
		if (m->times[i] == of && m->times[i] == to->occurrences) {
			to->sample = c->sample;
			c->sample = (struct sample){0};
		}
	}
	free(row);
	free(from);
	free(all);
}

static bool add_process(struct profile *p, uint32_t rank, const char *path, struct error *error)
{
	struct learned l;
	bool good = read_file(path, rank, &l, error);
	if (good) {
		struct meeting m = {.learned = &l, .keys = intern_new_keys(sizeof(struct met))};
		good = meet(p->run, rank, &m, error);
		if (good)
			add_rows(p, rank, &m);
		p->process[rank] = l.process;
		p->records += l.records;
		p->process[rank].work = l.process.after;
		p->process[rank].call = l.process.after_call;
		for (size_t i = 0; i < l.contexts; i++) {
			p->process[rank].work += l.context[i].before.sum;
			p->process[rank].call += l.context[i].call.sum;
		}
		intern_free(m.keys);
		free(m.times);
	}
	learned_clear(&l);
	return good;
}

struct profile *online_times_profile(struct run *run, const char *files, struct error *error)
{
	struct profile *p = profile_new(run, NANOSECONDS);
	bool good = true;
	for (uint32_t rank = 0; good && rank < run_module(run)->processes; rank++) {
		struct text path = {0};
		text_format(&path, "%s%" PRIu32, files, rank);
		good = add_process(p, rank, path.data, error);
		text_clear(&path);
	}
	if (good)
		return p;
	profile_free(p);
	return NULL;
}
