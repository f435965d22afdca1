/*
 * call_rows.c -- a stack of calls for each thread, and the rows of those that have not ended,
 * of which the innermost call's are the last.
 */
#include "trace/call_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/call_paths.h"
#include "trace/calls.h"
#include "trace/names.h"

#define NANOSECONDS UINT64_C(1000000000)

struct row {
	struct call_row row;
	struct trace_attribute *own; /* its attributes */
};

struct open_call {
	const char *function, *site, *path;
	uint64_t begin;
	bool timed;
	size_t first; /* of its rows */
};

struct thread_calls {
	uint32_t rank, thread;
	struct open_call *call;
	size_t calls, call_capacity;
	struct row *row;
	size_t rows, row_capacity;
};

/* What an event says is looked at once. */
struct met_event {
	bool met;
	unsigned char kind; /* enum call_kind */
	const char *function;
};

struct call_rows {
	struct trace *trace;
	const struct call_rows_sink *sink;
	struct intern *words, *keys; /* a key: a rank and a thread */
	struct thread_calls *thread; /* by id of its key */
	size_t threads, thread_capacity;
	struct met_event *met; /* by event; of an archive: of the rank at hand */
	size_t met_capacity;
	const char *last_site; /* as the trace has it, and as a row has it: */
	const char *site, *path;
	struct text scratch;
	bool refused; /* by the sink, which gets no more then, */
	struct error why; /* ... and said why */
};

void call_rows_options(struct trace_options *o)
{
	o->events = TRACE_MPI;
	o->recorded_order = o->attributes = o->sites = o->call_sites = true;
	o->calls = false;
	o->distinct = 0;
}

static const char *kept(struct call_rows *r, const char *word, size_t length)
{
	struct text copy = {0};
	text_add(&copy, word, length);
	text_char(&copy, 0);
	const char *same = intern_data(r->words, intern_id(r->words, copy.data, copy.length), NULL);
	text_clear(&copy);
	return same;
}

/* ------------------------------------------------------------------ what an event says */

static struct met_event look(struct call_rows *r, const struct dictionary *d, uint32_t event)
{
	struct met_event m = {.met = true, .kind = call_event_of(d, event, false).kind};
	const struct event *e = dictionary_get_event(d, event);
	text_truncate(&r->scratch, 0);
	if (m.kind == CALL_ENTER || m.kind == CALL_RETURN)
		name_standard(call_event_name(d, event), &r->scratch);
	else if (kind_gathers(e->kind))
		text_put(&r->scratch, dictionary_get_word(d, dictionary_get_sync(d, e->subject)->name));
	if (r->scratch.length)
		m.function = kept(r, r->scratch.data, r->scratch.length);
	return m;
}

static struct met_event met_event(struct call_rows *r, uint32_t rank, uint32_t event)
{
	struct met_event *m = MEM_AT(r->met, r->met_capacity, event);
	if (!m->met)
		*m = look(r, trace_dictionary(r->trace, rank), event);
	return *m;
}

/* ------------------------------------------------------------------ where */

/* The frames, the outermost first. */
static void put_path(const char *site, struct text *out)
{
	const char *end = site + strlen(site), *between = CALL_PATH_OUTSIDE;
	for (const char *at = end; at > site; at--)
		if (at + strlen(between) <= end && text_begins_with(at, between)) {
			const char *frame = at + strlen(between);
			text_add(out, frame, (size_t)(end - frame));
			text_put(out, CALL_PATH_INSIDE);
			end = at;
		}
	text_add(out, site, (size_t)(end - site));
}

static void know_site(struct call_rows *r, const char *site)
{
	if (site == r->last_site)
		return;
	const char *callers = site ? strstr(site, CALL_PATH_OUTSIDE) : NULL;
	r->last_site = site;
	r->site = site ? kept(r, site, callers ? (size_t)(callers - site) : strlen(site)) : NULL;
	r->path = r->site;
	if (!callers)
		return;
	text_truncate(&r->scratch, 0);
	put_path(site, &r->scratch);
	r->path = kept(r, r->scratch.data, r->scratch.length);
}

/* ------------------------------------------------------------------ rows */

static bool pass_on(struct call_rows *r, const struct call_row *row)
{
	r->refused = r->refused || !r->sink->row(r->sink->context, row, &r->why);
	return !r->refused;
}

static uint32_t thread_of(const struct trace_event *e)
{
	static const char name[] = "thread";
	for (uint32_t i = 0; i < e->attribute_count; i++)
		if (e->attribute[i].length == strlen(name) && !memcmp(e->attribute[i].name, name, strlen(name)))
			return e->attribute[i].word ? e->thread : (uint32_t)e->attribute[i].number;
	return e->thread;
}

static struct thread_calls *thread_calls(struct call_rows *r, uint32_t rank, const struct trace_event *e)
{
	uint64_t key = (uint64_t)rank << 32 | thread_of(e);
	uint32_t id = intern_id(r->keys, &key, sizeof key);
	if (id == r->threads)
		*MEM_PUSH(r->thread, r->threads, r->thread_capacity) =
			(struct thread_calls){.rank = rank, .thread = (uint32_t)key};
	return &r->thread[id];
}

static struct trace_attribute *own_attributes(struct call_rows *r, const struct trace_event *e)
{
	struct trace_attribute *own =
		e->attribute_count ? mem_copy(e->attribute, e->attribute_count * sizeof *own) : NULL;
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		own[i].name = kept(r, own[i].name, own[i].length);
		if (own[i].word)
			own[i].word = kept(r, own[i].word, strlen(own[i].word));
	}
	return own;
}

static struct call_row row_of(struct call_rows *r, const struct thread_calls *t, const struct trace_event *e)
{
	const struct dictionary *d = trace_dictionary(r->trace, t->rank);
	const struct event *what = dictionary_get_event(d, e->event);
	struct call_row row = {.rank = t->rank,
		.thread = t->thread,
		.function = met_event(r, t->rank, e->event).function,
		.passes = true,
		.kind = what->kind,
		.event = kind_rows[what->kind].verb,
		.peer = what->peer,
		.sized = e->sized,
		.exchanged = e->exchanged,
		.bytes = e->bytes,
		.received = e->received,
		.begun = e->timed,
		.ended = e->timed,
		.begin = e->time,
		.end = e->time,
		.attributes = e->attribute_count};
	if (kind_rows[what->kind].subject == SUBJECT_TAG) {
		const struct tag *tag = dictionary_get_tag(d, what->subject);
		const char *stem = dictionary_get_word(d, tag->stem);
		row.tag = kept(r, stem, strlen(stem));
		row.numbered = tag->numbered;
		row.number = tag->number;
		row.communicator = tag->communicator;
	} else {
		row.communicator = dictionary_get_sync(d, what->subject)->communicator;
		row.peer = what->peer == NO_ROOT ? CALL_ROW_NOBODY : what->peer;
		row.event = row.function;
	}
	know_site(r, e->site);
	row.site = r->site;
	row.path = r->path;
	return row;
}

static bool take_communication(struct call_rows *r, struct thread_calls *t, const struct trace_event *e)
{
	struct row row = {row_of(r, t, e), NULL};
	if (!t->calls) {
		row.row.attribute = e->attribute;
		return pass_on(r, &row.row);
	}
	row.row.attribute = row.own = own_attributes(r, e);
	*MEM_PUSH(t->row, t->rows, t->row_capacity) = row;
	return true;
}

static void enter_call(struct call_rows *r, struct thread_calls *t, const struct trace_event *e, const char *function)
{
	know_site(r, e->site);
	*MEM_PUSH(t->call, t->calls, t->call_capacity) =
		(struct open_call){function, r->site, r->path, e->time, e->timed, t->rows};
}

/* The innermost call has ended, at this event; NULL: it is not known when. */
static bool end_call(struct call_rows *r, struct thread_calls *t, const struct trace_event *e)
{
	const struct open_call *call = &t->call[--t->calls];
	struct call_row shared = {.rank = t->rank,
		.thread = t->thread,
		.function = call->function,
		.peer = CALL_ROW_NOBODY,
		.begun = call->timed,
		.begin = call->begin,
		.ended = e && e->timed,
		.end = e ? e->time : 0,
		.communicator = NO_COMMUNICATOR,
		.site = call->site,
		.path = call->path};
	if (call->first == t->rows)
		return pass_on(r, &shared);
	bool good = true;
	for (size_t i = call->first; i < t->rows; i++) {
		struct call_row *row = &t->row[i].row;
		row->function = shared.function;
		row->begun = shared.begun;
		row->begin = shared.begin;
		row->ended = shared.ended;
		row->end = shared.end;
		if (shared.site) {
			row->site = shared.site;
			row->path = shared.path;
		}
		good = good && pass_on(r, row);
		free(t->row[i].own);
	}
	t->rows = call->first;
	return good;
}

/* Calls inside of it that were not left end with it; a call that was not entered is passed over. */
static bool leave_call(struct call_rows *r, struct thread_calls *t, const struct trace_event *e, const char *function)
{
	size_t at = t->calls;
	while (at && t->call[at - 1].function != function)
		at--;
	while (at && t->calls >= at)
		if (!end_call(r, t, e))
			return false;
	return true;
}

static bool take(struct call_rows *r, uint32_t rank, const struct trace_event *e)
{
	struct met_event what = met_event(r, rank, e->event);
	if (what.kind == CALL_OTHER)
		return true;
	struct thread_calls *t = thread_calls(r, rank, e);
	if (what.kind == CALL_RETURN)
		return leave_call(r, t, e, what.function);
	if (what.kind == CALL_NONE)
		return take_communication(r, t, e);
	enter_call(r, t, e, what.function);
	return true;
}

static bool take_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	struct call_rows *r = context;
	if (!r->refused && take(r, rank, e))
		return true;
	*error = r->why;
	return false;
}

/* Those that never returned, the innermost first. */
static void end_threads(struct call_rows *r)
{
	for (size_t i = 0; i < r->threads; i++) {
		struct thread_calls *t = &r->thread[i];
		while (t->calls)
			end_call(r, t, NULL);
		free(t->call);
		free(t->row);
	}
	r->threads = 0;
	intern_empty(r->keys);
}

/* Its dictionary goes, and the next rank's events are other ones. */
static void end_rank(void *context, uint32_t rank)
{
	struct call_rows *r = context;
	end_threads(r);
	free(r->met);
	r->met = NULL;
	r->met_capacity = 0;
	r->last_site = r->site = r->path = NULL;
	trace_forget(r->trace, rank);
}

struct call_rows *call_rows_new(struct trace *trace)
{
	struct call_rows *r = mem_zero(sizeof *r);
	r->trace = trace;
	r->words = intern_new();
	r->keys = intern_new_keys(sizeof(uint64_t));
	return r;
}

void call_rows_free(struct call_rows *r)
{
	free(r->thread);
	free(r->met);
	intern_free(r->words);
	intern_free(r->keys);
	text_clear(&r->scratch);
	free(r);
}

bool call_rows_read(
	struct call_rows *r, const struct ranks *wanted, const struct call_rows_sink *sink, struct error *error)
{
	bool archive = trace_facts(r->trace)->archive;
	struct trace_sink events = {r, take_event, sink->progress, archive ? end_rank : NULL};
	r->sink = sink;
	bool good = trace_read(r->trace, 1, wanted, &events, error); /* rank after rank */
	r->refused = r->refused || !good;
	end_threads(r);
	if (good && r->refused)
		*error = r->why;
	return good && !r->refused;
}

/* ------------------------------------------------------------------ seconds */

/* Where the clock does not say how long a tick is, it is taken for a nanosecond. */
static uint64_t tick_rate(const struct trace_facts *f)
{
	return f->ticks_per_second ? f->ticks_per_second : NANOSECONDS;
}

void call_rows_put_seconds(const struct trace_facts *f, uint64_t ticks, struct text *out)
{
	uint64_t rate = tick_rate(f), begin = f->clock_begin;
	uint64_t since = ticks >= begin ? ticks - begin : begin - ticks;
	uint64_t whole = since / rate;
	uint64_t ns = (uint64_t)((long double)(since % rate) * NANOSECONDS / rate + 0.5L);
	whole += ns / NANOSECONDS;
	ns %= NANOSECONDS;
	text_format(out, "%s%" PRIu64 ".%09" PRIu64, ticks < begin && (whole || ns) ? "-" : "", whole, ns);
}

double call_rows_seconds(const struct trace_facts *f, uint64_t ticks)
{
	double since = ticks >= f->clock_begin ? (double)(ticks - f->clock_begin) : -(double)(f->clock_begin - ticks);
	return since / (double)tick_rate(f);
}
