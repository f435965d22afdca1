/*
 * otf2_threads.c -- the threads of a process become one stream, in an order that can have happened.
 *
 * A thread is a sequence: a location of the process, or what one location has of one thread. Their
 * order is found once, when the archive is opened. All threads of all processes go on by time, but
 * a receive waits for its send, and a collective for all its members; since no thread is in two
 * places, that ends, whatever the clocks say. Where it does not (a record is missing), who has
 * waited longest goes on. The order is kept as the thread whose communication comes next, in the
 * memory of what does not repeat, and each reading follows it; local events come by time in
 * between.
 */
#include "trace/otf2_threads.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/intern.h"
#include "base/parallel.h"
#include "trace/otf2_stream.h"

/* Records of a thread read at once. */
#ifndef TRACENEST_HOSTILE
#define SLICE UINT64_C(512)
#else
#define SLICE UINT64_C(2)
#endif

bool threads_several(const struct archive *a, uint32_t rank)
{
	return a->order && a->order[rank];
}

/* ------------------------------------------------------------------ one location of several
   threads */

#define NO_SITE UINT64_MAX

static uint64_t site_of(const struct definitions *d, const struct event_record *r)
{
	const struct record_attribute *path =
		d->pathed ? record_attribute(r, d->path, OTF2_TYPE_CALLING_CONTEXT) : NULL;
	const struct record_attribute *site = d->sited ? record_attribute(r, d->site, OTF2_TYPE_STRING) : NULL;
	return path ? path->value : site ? UINT64_C(1) << 32 | site->value : NO_SITE;
}

struct thread_sense thread_sense(const struct archive *a, uint32_t rank)
{
	bool wanted = a->shares_locations && threads_several(a, rank);
	return (struct thread_sense){wanted ? &a->definitions : NULL, NO_SITE};
}

void thread_enters(struct thread_sense *s, const struct event_record *r)
{
	if (s->definitions && !s->definitions->knows_thread)
		s->site = site_of(s->definitions, r);
}

uint32_t thread_of(const struct thread_sense *s, unsigned inside, const struct event_record *r)
{
	if (!s->definitions)
		return 0;
	if (!s->definitions->knows_thread)
		return inside == TRACE_NO_CALL || (!call_completes(inside) && site_of(s->definitions, r) != s->site);
	const struct record_attribute *thread = record_attribute(r, s->definitions->which_thread, OTF2_TYPE_UINT32);
	return thread ? (uint32_t)thread->value : 0;
}

/* ------------------------------------------------------------------ the merge */

static void next_due(struct thread_merge *m)
{
	if (!m->order || !series_next(m->order, &m->due))
		m->due = -1;
}

void merge_begin(struct thread_merge *m, const struct archive *a, uint32_t rank)
{
	*m = (struct thread_merge){.apart = !a->shares_locations};
	if (m->apart) {
		m->threads = a->definitions.first_thread[rank + 1] - a->definitions.first_thread[rank];
		m->lane = mem_grow(NULL, &m->capacity, m->threads, sizeof *m->lane);
		memset(m->lane, 0, m->threads * sizeof *m->lane);
	}
	if (threads_several(a, rank) && series_length(a->order[rank]))
		m->order = series_read(a->order[rank]);
	next_due(m);
}

void merge_clear(struct thread_merge *m)
{
	for (uint32_t i = 0; i < m->threads; i++)
		free(m->lane[i].item);
	free(m->lane);
	series_cursor_free(m->order);
}

void merge_put(struct thread_merge *m, const struct thread_item *item)
{
	for (; m->threads <= item->thread; m->threads++) {
		m->lane = mem_grow(m->lane, &m->capacity, m->threads + (size_t)1, sizeof *m->lane);
		m->lane[m->threads] = (struct thread_lane){0};
	}
	struct thread_lane *l = &m->lane[item->thread];
	if (l->first && l->first == l->length)
		l->first = l->length = 0;
	*MEM_PUSH(l->item, l->length, l->capacity) = *item;
}

static bool is_empty(const struct thread_lane *l)
{
	return l->first == l->length;
}

struct thread_item *merge_next(struct thread_merge *m, uint32_t *thread)
{
	struct thread_item *best = NULL;
	bool ordered = m->due >= 0 && m->due < m->threads && !(is_empty(&m->lane[m->due]) && m->lane[m->due].ended);
	*thread = ordered && is_empty(&m->lane[m->due]) ? (uint32_t)m->due : 0;
	if ((ordered && is_empty(&m->lane[m->due])) || (!m->threads))
		return NULL;
	for (uint32_t i = 0; i < m->threads; i++) {
		struct thread_lane *l = &m->lane[i];
		*thread = i;
		if (is_empty(l) && m->apart && !l->ended)
			return NULL;
		struct thread_item *head = is_empty(l) ? NULL : &l->item[l->first];
		if (head && (head->local || !ordered || i == m->due) && (!best || head->time < best->time))
			best = head;
	}
	if (!best)
		return NULL;
	m->lane[best->thread].first++;
	if (!best->local)
		next_due(m);
	m->last = best->time = best->time > m->last ? best->time : m->last;
	return best;
}

/* ------------------------------------------------------------------ events */

/* A location. */
struct feed {
	struct process_reader *reader;
	uint32_t thread;
	struct stream stream;
	struct location_reader location;
	uint64_t read;
	bool open;
};

struct process_reader {
	struct archive *archive;
	uint32_t rank, feeds;
	struct feed *feed;
	struct trace_sink sink;
	struct thread_merge merge;
	struct trace_attribute attribute[EVENT_ATTRIBUTES + 1];
	void *attributes; /* of the event at hand */
	struct stream_facts *facts;
	uint64_t last; /* time of what was read last */
	struct error error;
	bool failed;
};

static bool take_event(void *context, uint32_t feed, const struct trace_event *e, struct error *error)
{
	(void)error;
	struct process_reader *p = context;
	struct thread_item item = {e->time, e->local, p->merge.apart ? feed : e->thread, .event = *e};
	if (e->attribute_count)
		item.event.attribute = mem_copy(e->attribute, e->attribute_count * sizeof *e->attribute);
	merge_put(&p->merge, &item);
	p->last = e->time;
	return true;
}

static bool end_feed(struct process_reader *p, struct feed *f)
{
	p->failed |= !stream_end(&f->stream);
	f->open = false;
	location_close(&f->location);
	for (uint32_t i = 0; i < p->merge.threads; i++)
		p->merge.lane[i].ended |= !p->merge.apart || i == f->thread;
	return !p->failed;
}

static bool read_feed(struct process_reader *p, struct feed *f)
{
	uint64_t read = 0, records = f->location.file.records;
	library_enter(&f->stream.call);
	OTF2_ErrorCode code = location_read(&f->location, SLICE, &read);
	f->read += read;
	p->facts->records += read;
	bool last = read < SLICE;
	if (!f->stream.failed && code != OTF2_SUCCESS)
		error_set(&p->error, ERROR_INPUT, "damaged or cut off behind record %llu: %s",
			(unsigned long long)f->read, library_words());
	else if (f->read > f->location.file.limit ||
		 (records != UINT64_MAX && (f->read > records || (last && f->read < records))))
		error_set(&p->error, ERROR_INPUT, "damaged or cut off: %llu of %llu records found",
			(unsigned long long)f->read, (unsigned long long)records);
	p->failed |= f->stream.failed || p->error.kind != ERROR_NONE;
	if (p->failed)
		error_at(&p->error, "%s: location %llu", p->archive->files.anchor,
			(unsigned long long)f->stream.location);
	else if (last)
		end_feed(p, f);
	library_leave();
	return !p->failed;
}

static bool open_feed(struct process_reader *p, uint32_t i, bool anonymous)
{
	struct feed *f = &p->feed[i];
	const struct definitions *d = &p->archive->definitions;
	*f = (struct feed){.reader = p, .thread = i, .open = true};
	f->stream = (struct stream){.archive = p->archive,
		.rank = p->rank,
		.error = &p->error,
		.facts = p->facts,
		.sink = &p->sink,
		.merged = true,
		.feed = i,
		.anonymous = anonymous};
	stream_begin(&f->stream);
	f->stream.location = d->thread[d->first_thread[p->rank] + i].location;
	library_enter(&f->stream.call);
	bool good = location_open(&f->location, p->archive, f->stream.location, stream_take, &f->stream, &p->error);
	library_leave();
	if (!good)
		return error_at(&p->error, "%s: location %llu", p->archive->files.anchor,
			(unsigned long long)f->stream.location);
	while (f->open && f->location.file.records <= SLICE) /* its chunk is given back at once */
		if (!read_feed(p, f))
			return false;
	return true;
}

struct process_reader *process_open(
	struct archive *a, uint32_t rank, bool anonymous, struct stream_facts *facts, struct error *error)
{
	struct process_reader *p = mem_zero(sizeof *p);
	uint32_t feeds = a->definitions.first_thread[rank + 1] - a->definitions.first_thread[rank];
	*p = (struct process_reader){.archive = a, .rank = rank, .facts = facts};
	p->sink = (struct trace_sink){.context = p, .event = take_event};
	p->feed = mem_zero(feeds * sizeof *p->feed);
	merge_begin(&p->merge, a, rank);
	while (p->feeds < feeds && !p->failed) {
		p->failed = !open_feed(p, p->feeds, anonymous);
		p->feeds++;
	}
	if (!p->failed)
		return p;
	process_close(p, error);
	return NULL;
}

static struct thread_item *next_item(struct process_reader *p)
{
	struct thread_item *item = NULL;
	uint32_t thread;
	free(p->attributes);
	p->attributes = NULL;
	while (!p->failed && !(item = merge_next(&p->merge, &thread))) {
		struct feed *f = &p->feed[p->merge.apart ? thread : 0];
		if (!f->open || !read_feed(p, f))
			return NULL;
	}
	if (item && item->event.attribute_count)
		p->attributes = (void *)(uintptr_t)item->event.attribute;
	return item;
}

/* Behind the names before its own: what an event carries is in their order. */
static void tell_thread(struct process_reader *p, struct thread_item *item)
{
	struct trace_event *e = &item->event;
	uint32_t n = e->attribute_count, at = 0;
	while (at < n && strcmp(e->attribute[at].name, "thread") < 0)
		at++;
	for (uint32_t i = 0; i < n; i++)
		p->attribute[i + (i >= at)] = e->attribute[i];
	p->attribute[at] = (struct trace_attribute){"thread", strlen("thread"), NULL, item->thread};
	e->attribute = p->attribute;
	e->attribute_count = n + 1;
}

const struct trace_event *process_next(struct process_reader *p)
{
	struct thread_item *item = next_item(p);
	if (!item)
		return NULL;
	item->event.time = item->time;
	if (item->event.attribute_count <= EVENT_ATTRIBUTES)
		tell_thread(p, item);
	p->facts->events++;
	return &item->event;
}

bool process_close(struct process_reader *p, struct error *error)
{
	bool good = !p->failed;
	*error = p->error;
	for (uint32_t i = 0; i < p->feeds; i++) {
		library_enter(&p->feed[i].stream.call);
		location_close(&p->feed[i].location);
		library_leave();
		p->facts->collective_regions_seen |= p->feed[i].stream.seen & REGION_COLLECTIVE;
		p->facts->disordered |= p->feed[i].stream.order.disordered;
		stream_clear(&p->feed[i].stream);
	}
	for (uint32_t i = 0; i < p->merge.threads; i++)
		for (size_t k = p->merge.lane[i].first; k < p->merge.lane[i].length; k++)
			if (p->merge.lane[i].item[k].event.attribute_count)
				free((void *)(uintptr_t)p->merge.lane[i].item[k].event.attribute);
	merge_clear(&p->merge);
	free(p->attributes);
	free(p->feed);
	free(p);
	return good;
}

/* ------------------------------------------------------------------ who communicates */

struct looking {
	struct archive *archive;
	bool *communicates;
	struct error *error; /* of each */
};

static void look_at(void *context, size_t i)
{
	struct looking *l = context;
	const struct otf2_thread *t = &l->archive->definitions.thread[i];
	l->communicates[i] = !t->other;
	if (t->other && (!t->vacant || files_have(&l->archive->files, t->location, "evt")))
		location_communicates(l->archive, t->location, t->rank == NO_RANK ? LOOK_FOR_MESSAGES : LOOK_FOR_CALLS,
			&l->communicates[i], &l->error[i]);
}

/* Only those that communicate stay; each rank's are counted. */
static bool look_at_threads(struct archive *a, uint32_t *without, struct error *error)
{
	struct definitions *d = &a->definitions;
	struct looking l = {a, mem_zero(d->threads + (size_t)1), mem_zero((d->threads + (size_t)1) * sizeof *l.error)};
	uint32_t all = d->threads, rank = 0;
	bool good = true;
	parallel_for(d->threads > d->processes ? 0 : 1, d->threads, look_at, &l);
	d->first_thread = mem_zero((d->processes + (size_t)1) * sizeof *d->first_thread);
	d->threads = *without = 0;
	for (uint32_t i = 0; i < all && good; i++) {
		struct otf2_thread t = d->thread[i];
		*without += !l.communicates[i];
		if (l.error[i].kind != ERROR_NONE) {
			*error = l.error[i];
			good = false;
		} else if (l.communicates[i] && t.rank == NO_RANK)
			good = error_set(error, ERROR_INPUT,
				"%s: location %llu communicates, and belongs to no process of the run", a->files.anchor,
				(unsigned long long)t.location);
		else if (l.communicates[i]) {
			while (rank < t.rank)
				d->first_thread[++rank] = d->threads;
			d->thread[d->threads++] = t;
		}
	}
	while (rank < d->processes)
		d->first_thread[++rank] = d->threads;
	free(l.communicates);
	free(l.error);
	return good;
}

/* ------------------------------------------------------------------ the order of all processes */

#define NOBODY UINT32_MAX

/* A thread: where it stands. */
struct actor {
	uint32_t rank, thread;
	bool stands; /* at this: */
	uint32_t event;
	uint64_t time; /* ... or not before this */
	uint32_t meeting; /* it waits there; NOBODY */
	uint32_t next; /* of those that do; NOBODY */
};

/* A channel, or a collective. */
struct meeting {
	uint64_t under_way; /* messages */
	uint32_t members, arrived;
	uint32_t first; /* actor that waits; NOBODY */
};

struct ordering {
	struct archive *archive;
	struct process_reader **process;
	uint32_t *known; /* actors of each */
	struct actor *actor;
	size_t actors, capacity;
	struct dictionary *words; /* of all */
	struct intern *keys;
	struct meeting *meeting; /* by key */
	size_t meetings, meeting_capacity;
	struct heap heap;
};

static uint32_t meeting_of(struct ordering *o, uint32_t kind, uint32_t a, uint32_t b, uint32_t c, int64_t number)
{
	int64_t key[] = {kind, a, b, c, number};
	uint32_t id = intern_id(o->keys, key, sizeof key);
	for (; o->meetings <= id; o->meetings++) {
		o->meeting = mem_grow(o->meeting, &o->meeting_capacity, o->meetings + 1, sizeof *o->meeting);
		o->meeting[o->meetings] = (struct meeting){.first = NOBODY};
	}
	return id;
}

static uint32_t word_of(struct ordering *o, const struct dictionary *d, uint32_t word)
{
	const char *text = dictionary_get_word(d, word);
	return dictionary_word(o->words, text, strlen(text));
}

/* The k-th sync of each member belongs together. */
static uint32_t meeting_of_event(struct ordering *o, const struct dictionary *d, const struct event *e, uint32_t rank)
{
	if (!kind_gathers(e->kind)) {
		struct tag tag = *dictionary_get_tag(d, e->subject);
		tag.stem = word_of(o, d, tag.stem);
		bool sent = kind_sends(e->kind);
		return meeting_of(
			o, EVENT_SEND, sent ? rank : e->peer, sent ? e->peer : rank, dictionary_tag(o->words, &tag), 0);
	}
	const struct sync *s = dictionary_get_sync(d, e->subject);
	struct ranks members = dictionary_get_ranks(d, s->group);
	uint32_t name = word_of(o, d, s->name), group = dictionary_ranks(o->words, &members);
	uint32_t own = meeting_of(o, EVENT_LOCAL, name, group, rank, s->communicator);
	uint32_t channel = meeting_of(o, EVENT_RECV, name, group, 0, s->communicator);
	uint32_t id = meeting_of(o, EVENT_SYNC, channel, 0, 0, (int64_t)o->meeting[own].under_way++);
	o->meeting[id].members = (uint32_t)ranks_count(&members);
	return id;
}

static void wait_for_turn(struct ordering *o, uint32_t actor)
{
	heap_push(&o->heap, (struct heap_entry){o->actor[actor].time, actor, actor});
}

/* Its event is the next one of its process. */
static void pass(struct ordering *o, uint32_t actor)
{
	struct actor *a = &o->actor[actor];
	if (threads_several(o->archive, a->rank))
		series_push(o->archive->order[a->rank], a->thread);
	a->stands = false;
	a->meeting = NOBODY;
	wait_for_turn(o, actor);
}

static void park(struct ordering *o, uint32_t actor, uint32_t meeting)
{
	o->actor[actor].meeting = meeting;
	o->actor[actor].next = o->meeting[meeting].first;
	o->meeting[meeting].first = actor;
}

/* Those that wait for a collective have done it; others look again. */
static void wake(struct ordering *o, struct meeting *m, bool done)
{
	for (uint32_t i = m->first, next; i != NOBODY; i = next) {
		next = o->actor[i].next;
		if (done)
			pass(o, i);
		else
			wait_for_turn(o, i);
	}
	m->first = NOBODY;
}

static void act(struct ordering *o, uint32_t actor)
{
	struct actor *a = &o->actor[actor];
	const struct dictionary *d = o->archive->dictionary[a->rank];
	const struct event *e = dictionary_get_event(d, a->event);
	if (!kind_matches(e->kind)) {
		pass(o, actor);
		return;
	}
	uint32_t id = a->meeting != NOBODY ? a->meeting : meeting_of_event(o, d, e, a->rank);
	struct meeting *m = &o->meeting[id];
	if (kind_gathers(e->kind)) {
		park(o, actor, id);
		if (++m->arrived == m->members)
			wake(o, m, true);
	} else if (kind_sends(e->kind)) {
		m->under_way++;
		pass(o, actor);
		wake(o, m, false);
	} else if (m->under_way) {
		m->under_way--;
		pass(o, actor);
	} else {
		park(o, actor, id);
	}
}

/* Who waits for what the archive does not hold, and has waited longest, waits no more. */
static bool release(struct ordering *o)
{
	uint32_t first = NOBODY;
	for (uint32_t i = 0; i < o->actors; i++)
		if (o->actor[i].meeting != NOBODY && (first == NOBODY || o->actor[i].time < o->actor[first].time))
			first = i;
	if (first == NOBODY)
		return false;
	uint32_t *at = &o->meeting[o->actor[first].meeting].first;
	while (*at != first)
		at = &o->actor[*at].next;
	*at = o->actor[first].next;
	pass(o, first);
	return true;
}

static void know_actors(struct ordering *o, uint32_t rank, uint64_t time)
{
	for (; o->known[rank] < o->process[rank]->merge.threads || !o->known[rank]; o->known[rank]++) {
		*MEM_PUSH(o->actor, o->actors, o->capacity) =
			(struct actor){.rank = rank, .thread = o->known[rank], .time = time, .meeting = NOBODY};
		wait_for_turn(o, (uint32_t)o->actors - 1);
	}
}

/* Its next event, or some more records of its location; who has no more is gone. */
static bool fetch(struct ordering *o, uint32_t actor)
{
	struct actor *a = &o->actor[actor];
	struct process_reader *p = o->process[a->rank];
	struct thread_lane *l = a->thread < p->merge.threads ? &p->merge.lane[a->thread] : NULL;
	struct feed *f = &p->feed[p->merge.apart ? a->thread : 0];
	if (l && !is_empty(l)) {
		const struct thread_item *item = &l->item[l->first++];
		a->stands = true;
		a->event = item->event.event;
		a->time = item->time > a->time ? item->time : a->time;
	} else if (!f->open) {
		return true;
	} else {
		if (!read_feed(p, f))
			return false;
		know_actors(o, a->rank, a->time);
		a = &o->actor[actor];
		l = a->thread < p->merge.threads ? &p->merge.lane[a->thread] : NULL;
		if (l && is_empty(l) && p->last > a->time)
			a->time = p->last;
	}
	wait_for_turn(o, actor);
	return true;
}

static bool order_all(struct ordering *o, struct stream_facts *facts, struct error *error)
{
	bool good = true;
	for (uint32_t rank = 0; rank < o->archive->definitions.processes && good; rank++) {
		o->process[rank] = process_open(o->archive, rank, false, &facts[rank], error);
		good = o->process[rank];
		if (good)
			know_actors(o, rank, 0);
	}
	while (good && (o->heap.length || release(o))) {
		uint32_t actor = heap_pop(&o->heap).id;
		if (o->actor[actor].stands)
			act(o, actor);
		else
			good = fetch(o, actor);
	}
	return good;
}

/* In one location: where the recording says so, or is an old one that does not say. */
static bool shares_locations(const struct archive *a)
{
	const struct definitions *d = &a->definitions;
	if (!a->ours || d->knows_thread)
		return a->ours && a->threads_noted;
	for (size_t i = 0; i < d->region_slots; i++)
		if (d->region[i].flags & REGION_DEFINED &&
			!strcmp(d->region_name[d->region[i].name], "MPI_Init_thread"))
			return true;
	return false;
}

static bool find_order(struct archive *a, struct error *error)
{
	uint32_t processes = a->definitions.processes;
	struct trace_options options = a->options;
	struct ordering o = {.archive = a,
		.process = mem_zero(processes * sizeof *o.process),
		.known = mem_zero(processes * sizeof *o.known)};
	struct stream_facts *facts = mem_zero(processes * sizeof *facts);
	o.words = dictionary_new();
	o.keys = intern_new_keys(sizeof(int64_t[5]));
	a->options = (struct trace_options){
		.recorded_order = options.recorded_order, .collective_regions = options.collective_regions};
	bool good = order_all(&o, facts, error);
	a->options = options;
	for (uint32_t rank = 0; rank < processes; rank++) {
		bool one = !o.process[rank] || o.process[rank]->merge.threads < 2;
		struct error own = {0};
		if (o.process[rank] && !process_close(o.process[rank], &own) && good) {
			*error = own;
			good = false;
		}
		if (a->order[rank])
			series_finish(a->order[rank]);
		if (one) {
			series_free(a->order[rank]);
			a->order[rank] = NULL;
		}
		dictionary_free(a->dictionary[rank]);
		a->dictionary[rank] = NULL;
	}
	dictionary_free(o.words);
	intern_free(o.keys);
	heap_clear(&o.heap);
	free(o.meeting);
	free(o.actor);
	free(o.known);
	free(o.process);
	free(facts);
	return good;
}

bool threads_open(struct archive *a, uint32_t *without, struct error *error)
{
	if (!look_at_threads(a, without, error))
		return false;
	const struct definitions *d = &a->definitions;
	a->shares_locations = d->threads == d->processes && shares_locations(a);
	if (d->threads == d->processes && !a->shares_locations)
		return true;
	a->order = mem_zero(d->processes * sizeof *a->order);
	for (uint32_t rank = 0; rank < d->processes; rank++)
		if (a->shares_locations || d->first_thread[rank + 1] - d->first_thread[rank] > 1)
			a->order[rank] = series_new();
	return find_order(a, error);
}

void threads_close(struct archive *a)
{
	for (uint32_t rank = 0; a->order && rank < a->definitions.processes; rank++)
		series_free(a->order[rank]);
	free(a->order);
}
