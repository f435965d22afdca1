/*
 * local_models.c -- one recognizer per process, fed as the events come.
 *
 * Whether communicators may be named is known only at the end of an archive (trace/balance.c). So
 * events go into the recognizers with their communicators; how often each occurs is then read off
 * the finished nests. If the communicators have to go, and two events of a process become one
 * without them, that process is recognized again from what its own nest expands to: the result is
 * as if communicators had never been there, and the archive is still read once. What events carry
 * is put together in the same way.
 *
 * Programs that use their step number as a tag, or address one process after the other, have no use
 * for ids of events: as soon as the trace says so (trace_options.distinct) what was recognized so
 * far goes into a recognizer of advancing numbers, and the rest follows (nlr/affine_events.h).
 *
 * Where several read one archive, each reads some of the processes, and what it recognized is
 * brought to the first of them (behaviours.h), before anything is asked that concerns all.
 *
 * Each process has its recognizer and (in archives) its dictionary, so processes are worked on by
 * several threads; the parts are put together in the order of ranks.
 */
#include "lib/local_models.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "nlr/affine_events.h"
#include "lib/reading.h"
#include "nlr/nlr.h"
#include "trace/event_values.h"
#include "trace/trace_options.h"

/* ------------------------------------------------------------------ streams into recognizers */

/* Ranks of a text trace show up as it is read; of an archive all are known before. */
void reading_make_room(struct reading *r, size_t processes)
{
	if (processes <= r->processes)
		return;
	r->process = mem_grow(r->process, &r->capacity, processes, sizeof *r->process);
	memset(r->process + r->processes, 0, (processes - r->processes) * sizeof *r->process);
	r->processes = processes;
	if (r->values)
		value_columns_room(r->values, processes);
}

/* A recognizer has tables over the events, which must not be as long as the dictionary of all.
   Where sites take part in recognition, an event at another site is another event to it. */
static uint32_t own_number(const struct reading *r, struct process *p, const struct trace_event *e)
{
	struct {
		uint32_t event, unused; /* own_event takes it from the start */
		const char *site;
	} key = {e->event, 0, r->at_sites ? e->site : NULL};
	if (!p->own)
		p->own = intern_new_keys(sizeof key);
	return intern_id(p->own, &key, sizeof key);
}

static uint32_t own_event(const struct process *p, uint32_t number)
{
	return *(const uint32_t *)intern_data(p->own, number, NULL);
}

static void push_again_affine(void *process, uint32_t event)
{
	struct process *p = process;
	affine_events_push(p->affine, p->own ? own_event(p, event) : event);
}

static void start_affine(struct reading *r, uint32_t rank)
{
	struct process *p = &r->process[rank];
	p->lane = NULL;
	p->affine =
		affine_events_new(rank, r->options.window, r->options.repetitions, trace_dictionary(r->trace, rank));
	if (!p->nlr)
		return;
	struct nest *nest = nlr_finish(p->nlr);
	p->nlr = NULL;
	nest_run(nest, push_again_affine, p);
	nest_free(nest);
	intern_free(p->own);
	p->own = NULL;
}

static void push_affine(struct reading *r, uint32_t rank, const struct trace_event *e)
{
	struct process *p = &r->process[rank];
	if (!p->affine)
		start_affine(r, rank);
	if (e->shape)
		affine_events_push_shape(p->affine, e->event, e->peer, e->number);
	else
		affine_events_push(p->affine, e->event);
}

__attribute__((noinline)) static void push_slowly(struct reading *r, uint32_t rank, const struct trace_event *e)
{
	reading_make_room(r, (size_t)rank + 1);
	struct process *p = &r->process[rank];
	if (r->values && !value_lane_extend(value_columns_lane(r->values, rank), e))
		value_columns_push(r->values, rank, trace_dictionary(r->trace, rank), e);
	if (p->affine || e->shape) {
		push_affine(r, rank, e);
		return;
	}
	if (!p->nlr)
		p->nlr = nlr_new(&r->options);
	bool as_it_is = r->archive && !r->at_sites;
	nlr_push(p->nlr, as_it_is ? e->event : own_number(r, p, e));
	if (as_it_is && r->values)
		p->lane = value_columns_lane(r->values, rank);
}

/* The usual event is one that its process knows, and carries what the last one of its kind did. */
bool reading_push(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	(void)error;
	struct reading *r = context;
	struct process *p = rank < r->processes ? &r->process[rank] : NULL;
	if (p && p->lane && value_lane_extend(p->lane, e))
		nlr_push(p->nlr, e->event);
	else
		push_slowly(r, rank, e);
	return true;
}

/* What was recognized by events and sites, as events of the process. */
static void forget_sites(struct process *p)
{
	uint32_t numbers = intern_count(p->own), *event = mem_array(numbers, sizeof *event);
	struct nest *nest = nest_new();
	for (uint32_t i = 0; i < numbers; i++)
		event[i] = own_event(p, i);
	nest_append_all(nest, p->nest, event);
	nest_free(p->nest);
	p->nest = nest;
	free(event);
	intern_free(p->own);
	p->own = NULL;
}

void reading_finish_process(void *context, size_t rank)
{
	struct reading *r = context;
	struct process *p = &r->process[rank];
	if (p->affine)
		affine_events_finish(p->affine);
	if (!p->nlr)
		return;
	p->window_hit = nlr_window_hit(p->nlr);
	p->nest = nlr_finish(p->nlr);
	p->nlr = NULL;
	if (r->archive && p->own)
		forget_sites(p);
}

/* ------------------------------------------------------------------ the rule on communicators */

struct adding {
	struct balance *balance;
	const struct dictionary *dictionary;
};

static void add_message(void *context, const struct event *e, const struct tag *tag)
{
	struct adding *to = context;
	if (tag)
		balance_add_message(to->balance, to->dictionary, e, tag, 1);
}

static void add_process(struct balance *balance, struct reading *r, uint32_t rank)
{
	const struct process *p = &r->process[rank];
	const struct nest *nest = reading_model(r, p)->nest;
	if (nest) {
		const struct dictionary *d = reading_dictionary(r, rank);
		uint32_t events = dictionary_events(d);
		uint64_t *times = mem_zero(events * sizeof *times);
		nest_times(nest, times);
		balance_add_all(balance, d, times, events);
		free(times);
		reading_dictionary_free(r, rank, d);
	}
	if (p->affine && affine_events_names_any(p->affine))
		balance_add_name(balance);
}

/* Where numbers advance, messages are told one by one; if it matters. */
static bool is_unnamed(struct reading *r)
{
	struct balance *balance = balance_new();
	for (uint32_t rank = 0; rank < r->processes; rank++)
		add_process(balance, r, rank);
	for (uint32_t rank = 0; rank < r->processes && balance_names_any(balance); rank++)
		if (r->process[rank].affine)
			affine_events_run(r->process[rank].affine,
				&(struct adding){balance, r->process[rank].dictionary}, add_message);
	bool unnamed = balance_unnamed(balance);
	balance_free(balance);
	return unnamed;
}

/* Those that are like another one have what that one carried. */
static void drop_communicators(void *context, size_t rank)
{
	struct reading *r = context;
	const struct process *p = &r->process[rank];
	if (!p->nest && !p->affine)
		return;
	struct value_dropping *d = value_columns_drop_communicators(r->values, (uint32_t)rank, p->dictionary);
	if (d && p->nest)
		nest_run(p->nest, value_dropping_event, d);
	else if (d)
		affine_events_run(p->affine, d, value_dropping_advancing);
	value_dropping_finish(d);
}

/* ------------------------------------------------------------------ one dictionary */

static bool any_twice(const uint32_t *id, uint32_t length, const struct dictionary *dictionary)
{
	bool *seen = mem_zero(dictionary_events(dictionary) * sizeof *seen), twice = false;
	for (uint32_t i = 0; i < length && !twice; i++) {
		twice = seen[id[i]];
		seen[id[i]] = true;
	}
	free(seen);
	return twice;
}

/* That of the one that it is like as its own: it becomes another. */
static void take_nest(struct reading *r, struct process *p)
{
	if (!p->like)
		return;
	p->nest = nest_new();
	nest_append_all(p->nest, reading_model(r, p)->nest, NULL);
	p->like = 0;
}

static void translate_archive(struct reading *r, bool unnamed)
{
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		struct process *p = &r->process[rank];
		const struct dictionary *own = reading_dictionary(r, rank);
		if (!own)
			continue;
		p->id_of = dictionary_import(r->dictionary, own, NULL, unnamed);
		p->again = !p->affine && unnamed && any_twice(p->id_of, dictionary_events(own), r->dictionary);
		reading_dictionary_free(r, rank, own);
		if (p->again)
			take_nest(r, p);
	}
}

/* Of a text trace, what the nests of all processes have. */
static void import_text(struct reading *r, const struct dictionary *d)
{
	bool *wanted = mem_zero(dictionary_events(d) * sizeof *wanted);
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		const struct process *p = &r->process[rank];
		if (p->affine)
			affine_events_mark(p->affine, wanted);
		for (uint32_t i = 0; p->nest && i < intern_count(p->own); i++)
			wanted[own_event(p, i)] = true;
	}
	r->common = dictionary_import(r->dictionary, d, wanted, false);
	free(wanted);
}

/* All processes of a text trace speak of one dictionary. */
static void translate_text(struct reading *r)
{
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		struct process *p = &r->process[rank];
		if (!p->nest && !p->affine)
			continue;
		if (!r->common)
			import_text(r, trace_dictionary(r->trace, rank));
		if (p->affine)
			continue;
		uint32_t events = intern_count(p->own);
		p->id_of = mem_array(events, sizeof *p->id_of);
		for (uint32_t i = 0; i < events; i++)
			p->id_of[i] = r->common[own_event(p, i)];
	}
}

static void push_again(void *process, uint32_t event)
{
	struct process *p = process;
	nlr_push(p->nlr, p->id_of[event]);
}

static void recognize_again(void *context, size_t rank)
{
	struct reading *r = context;
	struct process *p = &r->process[rank];
	if (p->affine)
		affine_events_settle(p->affine, (uint32_t)trace_facts(r->trace)->processes, r->unnamed);
	if (!p->again)
		return;
	struct nest *old = p->nest;
	p->nlr = nlr_new(&r->options);
	nest_run(old, push_again, p);
	nest_free(old);
	free(p->id_of);
	p->id_of = NULL;
	reading_finish_process(r, rank);
}

/* ------------------------------------------------------------------ one model */

static void append_process(struct reading *r, const struct process *p, struct nest *to, const struct nest *own)
{
	if (p->affine)
		affine_events_append(p->affine, r->dictionary, to, r->common ? r->common : p->id_of);
	if (own)
		nest_append_all(to, own, p->id_of);
}

static void assemble(struct reading *r, struct model *to, struct ranks *window_hit)
{
	to->processes = trace_facts(r->trace)->processes;
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		const struct process *p = &r->process[rank];
		append_process(r, p, to->nest, reading_model(r, p)->nest);
		if (p->window_hit)
			ranks_add(window_hit, rank);
	}
}

/* ------------------------------------------------------------------ several that read */

/* From so many processes on, each becomes bytes when it ends, so that those that do the same are
   held once. */
#ifdef TRACENEST_HOSTILE
#define SHARED_LEAST 1
#else
#define SHARED_LEAST 128
#endif

/* Ranks of an archive are dealt out in pieces; a text trace is read by the first alone. */
static bool read_share(struct reading *r, const struct program_options *options, struct error *error)
{
	const struct transport *t = options->transport;
	pthread_mutex_t sharing = PTHREAD_MUTEX_INITIALIZER;
	bool shared = r->archive && r->processes >= SHARED_LEAST;
	struct trace_sink sink = {r, reading_push, r->progress, shared ? reading_share : NULL};
	struct ranks mine = {0};
	if (t && (!r->archive || t->size > 1)) {
		uint64_t from = r->processes * t->rank / t->size, to = r->processes * (t->rank + 1) / t->size;
		if (r->archive && from < to)
			ranks_add_run(&mine, (uint32_t)from, (uint32_t)to - 1);
		else if (r->archive || t->rank)
			return true;
	}
	progress_begin(r->progress, "reading");
	if (shared)
		r->behaviours = behaviours_new();
	r->sharing = &sharing;
	bool good = trace_read(r->trace, options->jobs, mine.length ? &mine : NULL, &sink, error);
	pthread_mutex_destroy(&sharing);
	ranks_clear(&mine);
	if (!good || shared)
		return good;
	parallel_for(options->jobs, r->processes, reading_finish_process, r);
	if (r->values)
		value_columns_finish(r->values, options->jobs);
	for (uint32_t rank = 0; rank < r->processes && r->archive; rank++)
		r->process[rank].dictionary = trace_dictionary(r->trace, rank);
	return true;
}

static struct model *put_together(struct reading *r, const struct program_options *options, struct program_facts *facts)
{
	unsigned jobs = options->jobs;
	struct model *model = model_new();
	facts->trace = *trace_facts(r->trace);
	trace_missing_records(r->trace, &facts->missing);
	r->dictionary = model->dictionary;
	if (facts->trace.archive) {
		r->unnamed = facts->communicators_dropped = is_unnamed(r);
		if (r->unnamed && r->values)
			parallel_for(jobs, r->processes, drop_communicators, r);
		translate_archive(r, r->unnamed);
	} else {
		translate_text(r);
	}
	parallel_for(jobs, r->processes, recognize_again, r);
	trace_options_note(&options->trace, &model->notes);
	trace_omissions(r->trace, &model->notes);
	if (r->unnamed)
		notes_add(&model->notes, "communicators are not named: sends and receives do not balance with them");
	assemble(r, model, &facts->window_hit);
	return model;
}

void reading_clear(struct reading *r)
{
	for (size_t rank = 0; rank < r->processes; rank++) {
		nlr_free(r->process[rank].nlr);
		nest_free(r->process[rank].nest);
		free(r->process[rank].id_of);
		intern_free(r->process[rank].own);
		affine_events_free(r->process[rank].affine);
		free(r->process[rank].key);
		if (r->process[rank].received)
			dictionary_free(r->process[rank].dictionary);
	}
	value_columns_free(r->values);
	intern_free(r->keys);
	behaviours_free(r->behaviours);
	free(r->common);
	free(r->process);
	trace_close(r->trace);
}

static bool read_trace(struct reading *r, const char *path, const struct program_options *options, struct error *error)
{
	struct trace_options of_trace = options->trace;
	of_trace.attributes = event_values_asks_more(options->values);
	of_trace.calls = event_values_asks_calls(options->values);
	of_trace.sites = !options->no_sites;
	r->at_sites = options->at_sites;
	r->trace = trace_open(path, &of_trace, error);
	if (!r->trace && !options->transport)
		return false;
	r->archive = r->trace && trace_facts(r->trace)->archive;
	if (!event_values_asks_none(options->values) || of_trace.sites)
		r->values = value_columns_new(options->values, of_trace.sites, !r->archive);
	if (r->archive)
		reading_make_room(r, trace_facts(r->trace)->processes);
	bool good = r->trace && read_share(r, options, error);
	if (good)
		*error = (struct error){0};
	bool apart = options->transport || (good && r->behaviours);
	return apart ? reading_collect(r, options->transport, error) : good;
}

struct model *local_models_read(const char *path, const struct program_options *options, struct program_facts *facts,
	struct value_columns **values, struct error *error)
{
	struct reading r = {
		.options = {.window = options->window, .repetitions = options->repetitions},
		.progress = &options->progress,
	};
	struct model *model = NULL;
	if (options->online && !options->no_sites)
		r.values = value_columns_new(options->values, true, false);
	if (options->online ? reading_of_online(&r, path, error) : read_trace(&r, path, options, error)) {
		progress_begin(r.progress, "recognition");
		model = put_together(&r, options, facts);
		*values = r.values;
		r.values = NULL;
	}
	reading_clear(&r);
	return model;
}
