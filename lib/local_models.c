/*
 * local_models.c -- one recognizer per process, fed as the events come.
 *
 * Whether communicators may be named is known only at the end of an archive (trace/balance.c). So
 * events go into the recognizers with their communicators; how often each occurs is then read off
 * the finished nests. If the communicators have to go, and two events of a process become one
 * without them, that process is recognized again from what its own nest expands to: the result is
 * as if communicators had never been there, and the archive is still read once.
 *
 * Programs that use their step number as a tag, or address one process after the other, have no use
 * for ids of events: as soon as the trace says so (trace_options.distinct) what was recognized so
 * far goes into a recognizer of advancing numbers, and the rest follows (advancing.h).
 *
 * Where several read one archive, each reads some of the processes, and what it recognized is
 * brought to the first of them (shares.h), before anything is asked that concerns all.
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
#include "fold/phase.h"
#include "lib/advancing.h"
#include "lib/shares.h"
#include "model/pack.h"
#include "nlr/nlr.h"
#include "trace/options.h"

struct process {
	struct dictionary *dictionary; /* of its events; NULL: it has none, or all of a text trace have one */
	bool received; /* it was read elsewhere; the dictionary is ours */
	struct nlr *nlr; /* while it is fed */
	struct nest *nest; /* then */
	struct nest *turned; /* NULL: the same */
	bool window_hit;
	uint32_t *id_of; /* by event as the recognizer knows it: the id in the model's dictionary */
	/* of text traces: the recognizer's numbers of the events, whose dictionary all processes
	   share */
	struct intern *own;
	bool again; /* events became one: recognize once more, in the model's ids */
	struct advancing *advancing; /* has taken over from nlr and nest */
};

struct reading {
	struct trace *trace;
	struct nlr_options options;
	struct process *process; /* by rank */
	size_t processes, capacity;
	struct dictionary *dictionary; /* of the model to be */
	uint32_t *common; /* of text traces: by event, its id in there */
	const struct progress *progress;
	struct carried *carried; /* NULL: nothing is asked for */
	bool archive, unnamed;
};

/* ------------------------------------------------------------------ streams into recognizers */

/* Ranks of a text trace show up as it is read; of an archive all are known before. */
static void make_room(struct reading *r, size_t processes)
{
	if (processes <= r->processes)
		return;
	r->process = mem_grow(r->process, &r->capacity, processes, sizeof *r->process);
	memset(r->process + r->processes, 0, (processes - r->processes) * sizeof *r->process);
	r->processes = processes;
	if (r->carried)
		carried_room(r->carried, processes);
}

/* A recognizer has tables over the events, which must not be as long as the dictionary of all. */
static uint32_t own_number(struct process *p, uint32_t event)
{
	if (!p->own)
		p->own = intern_new();
	return intern_id(p->own, &event, sizeof event);
}

static void push_again_advancing(void *process, uint32_t event)
{
	struct process *p = process;
	advancing_push(p->advancing, p->own ? *(const uint32_t *)intern_data(p->own, event, NULL) : event);
}

static void start_advancing(struct reading *r, uint32_t rank)
{
	struct process *p = &r->process[rank];
	p->advancing = advancing_new(rank, r->options.window, r->options.repetitions, trace_dictionary(r->trace, rank));
	if (!p->nlr)
		return;
	struct nest *nest = nlr_finish(p->nlr);
	p->nlr = NULL;
	nest_run(nest, push_again_advancing, p);
	nest_free(nest);
	intern_free(p->own);
	p->own = NULL;
}

static void push_advancing(struct reading *r, uint32_t rank, const struct trace_event *e)
{
	struct process *p = &r->process[rank];
	if (!p->advancing)
		start_advancing(r, rank);
	if (e->shape)
		advancing_push_shape(p->advancing, e->event, e->peer, e->number);
	else
		advancing_push(p->advancing, e->event);
}

static bool push_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	(void)error;
	struct reading *r = context;
	make_room(r, (size_t)rank + 1);
	struct process *p = &r->process[rank];
	if (r->carried)
		carried_push(r->carried, rank, trace_dictionary(r->trace, rank), e);
	if (p->advancing || e->shape) {
		push_advancing(r, rank, e);
		return true;
	}
	if (!p->nlr)
		p->nlr = nlr_new(&r->options);
	nlr_push(p->nlr, r->archive ? e->event : own_number(p, e->event));
	return true;
}

static void show_progress(void *context, double share)
{
	progress_tell(((struct reading *)context)->progress, share);
}

static void finish_process(void *context, size_t rank)
{
	struct process *p = &((struct reading *)context)->process[rank];
	if (p->advancing)
		advancing_finish(p->advancing);
	if (!p->nlr)
		return;
	p->window_hit = nlr_window_hit(p->nlr);
	p->nest = nlr_finish(p->nlr);
	p->nlr = NULL;
}

/* ------------------------------------------------------------------ the rule on communicators */

struct adding {
	struct balance *balance;
	const struct dictionary *dictionary;
};

static void add_message(void *context, const struct event *e, const struct tag *tag)
{
	struct adding *to = context;
	balance_add_message(to->balance, to->dictionary, e, tag, 1);
}

static void add_process(struct balance *balance, const struct process *p)
{
	if (p->nest) {
		uint32_t events = dictionary_events(p->dictionary);
		uint64_t *times = mem_zero(events * sizeof *times);
		nest_times(p->nest, times);
		balance_add_all(balance, p->dictionary, times, events);
		free(times);
	}
	if (p->advancing && advancing_names_any(p->advancing))
		balance_add_name(balance);
}

/* Where numbers advance, messages are told one by one; if it matters. */
static bool is_unnamed(const struct reading *r)
{
	struct balance *balance = balance_new();
	for (uint32_t rank = 0; rank < r->processes; rank++)
		add_process(balance, &r->process[rank]);
	for (uint32_t rank = 0; rank < r->processes && balance_names_any(balance); rank++)
		if (r->process[rank].advancing)
			advancing_messages(r->process[rank].advancing,
				&(struct adding){balance, r->process[rank].dictionary}, add_message);
	bool unnamed = balance_unnamed(balance);
	balance_free(balance);
	return unnamed;
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

static void translate_archive(struct reading *r, bool unnamed)
{
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		struct process *p = &r->process[rank];
		const struct dictionary *own = p->nest || p->advancing ? p->dictionary : NULL;
		if (!own)
			continue;
		p->id_of = dictionary_import(r->dictionary, own, unnamed);
		p->again = p->nest && unnamed && any_twice(p->id_of, dictionary_events(own), r->dictionary);
	}
}

/* All processes of a text trace speak of one dictionary. */
static void translate_text(struct reading *r)
{
	uint32_t *common = NULL;
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		struct process *p = &r->process[rank];
		if (!p->nest && !p->advancing)
			continue;
		if (!common)
			common = dictionary_import(r->dictionary, trace_dictionary(r->trace, rank), false);
		if (p->advancing)
			continue;
		uint32_t events = intern_count(p->own);
		p->id_of = mem_array(events, sizeof *p->id_of);
		for (uint32_t i = 0; i < events; i++)
			p->id_of[i] = common[*(const uint32_t *)intern_data(p->own, i, NULL)];
	}
	r->common = common;
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
	if (p->advancing)
		advancing_settle(p->advancing, (uint32_t)trace_facts(r->trace)->processes, r->unnamed);
	if (!p->again)
		return;
	struct nest *old = p->nest;
	p->nlr = nlr_new(&r->options);
	nest_run(old, push_again, p);
	nest_free(old);
	free(p->id_of);
	p->id_of = NULL;
	finish_process(r, rank);
}

static void turn_process(void *context, size_t rank)
{
	struct reading *r = context;
	struct process *p = &r->process[rank];
	if (p->nest)
		p->turned = phase_turned(p->nest, r->options.repetitions);
}

/* ------------------------------------------------------------------ one model */

static void note_reading(struct model *model, const struct trace_options *options, bool unnamed)
{
	trace_options_note(options, &model->notes);
	if (unnamed)
		notes_add(&model->notes, "communicators are not named: sends and receives do not balance with them");
}

static void append_process(struct reading *r, const struct process *p, struct nest *to, const struct nest *own)
{
	if (p->advancing)
		advancing_append(p->advancing, r->dictionary, to, r->common ? r->common : p->id_of);
	if (own)
		nest_append_all(to, own, p->id_of);
}

static void assemble(struct reading *r, struct local_models *local)
{
	local->model->processes = local->facts.processes;
	bool turned = false;
	for (uint32_t rank = 0; rank < r->processes; rank++) {
		const struct process *p = &r->process[rank];
		turned |= p->turned != NULL;
		append_process(r, p, local->model->nest, p->nest);
		if (p->window_hit)
			ranks_add(&local->window_hit, rank);
	}
	local->turned = turned ? nest_new() : NULL;
	for (uint32_t rank = 0; turned && rank < r->processes; rank++) {
		const struct process *p = &r->process[rank];
		append_process(r, p, local->turned, p->turned ? p->turned : p->nest);
	}
}

/* ------------------------------------------------------------------ several that read */

/* Ranks of an archive are dealt out in pieces; a text trace is read by the first alone. */
static bool read_share(struct reading *r, const struct local_options *options, struct error *error)
{
	const struct transport *t = options->transport;
	struct trace_sink sink = {r, push_event, show_progress};
	struct ranks mine = {0};
	if (t && (!r->archive || t->size > 1)) {
		uint64_t from = r->processes * t->rank / t->size, to = r->processes * (t->rank + 1) / t->size;
		if (r->archive && from < to)
			ranks_add_run(&mine, (uint32_t)from, (uint32_t)to - 1);
		else if (r->archive || t->rank)
			return true;
	}
	bool good = trace_read(r->trace, options->jobs, mine.length ? &mine : NULL, &sink, error);
	ranks_clear(&mine);
	if (!good)
		return false;
	parallel_for(options->jobs, r->processes, finish_process, r);
	if (r->carried)
		carried_finish(r->carried, options->jobs);
	for (uint32_t rank = 0; rank < r->processes && r->archive; rank++)
		r->process[rank].dictionary = trace_dictionary(r->trace, rank);
	return true;
}

static void pack_process(const struct reading *r, uint32_t rank, struct text *to)
{
	const struct process *p = &r->process[rank];
	uint32_t processes = (uint32_t)r->processes;
	pack_number(to, p->window_hit);
	pack_number(to, p->advancing != NULL);
	bool *happens = mem_zero(dictionary_events(p->dictionary) + 1);
	if (p->advancing)
		advancing_happens(p->advancing, happens);
	else
		nest_mark(p->nest, happens);
	dictionary_pack(p->dictionary, happens, rank, processes, to);
	free(happens);
	if (p->advancing)
		advancing_pack(p->advancing, to);
	else
		nest_pack(p->nest, to);
	if (r->carried)
		carried_pack(r->carried, rank, to);
}

static bool unpack_process(struct reading *r, uint32_t rank, const void *bytes, size_t size)
{
	struct process *p = &r->process[rank];
	struct unpack from = unpack_start(bytes, size);
	p->received = true;
	p->window_hit = unpack_below(&from, 2);
	bool advances = unpack_below(&from, 2);
	p->dictionary = dictionary_unpack(&from, rank, (uint32_t)r->processes);
	if (advances)
		p->advancing = advancing_unpack(&from, rank, r->options.window, r->options.repetitions, p->dictionary);
	else
		p->nest = nest_unpack(&from, dictionary_events(p->dictionary));
	if (r->carried)
		carried_unpack(r->carried, rank, &from);
	return unpack_ended(&from);
}

struct collecting {
	struct reading *reading;
	struct shares *shares; /* of processes that were not read here, but on the way up of all */
	struct error *error; /* the first one, in the order of ranks */
};

/* An error alone; or how the reading went, and what was read. */
static void pack_collected(void *context, struct text *to)
{
	struct collecting *c = context;
	pack_number(to, c->error->kind);
	if (c->error->kind != ERROR_NONE) {
		pack_bytes(to, c->error->message, strlen(c->error->message));
		return;
	}
	trace_pack_reading(c->reading->trace, to);
	shares_pack(c->shares, to);
}

static void add_collected(void *context, const struct text *bytes)
{
	struct collecting *c = context;
	if (c->error->kind != ERROR_NONE)
		return;
	struct unpack from = unpack_start(bytes->data, bytes->length);
	enum error_kind kind = (enum error_kind)unpack_below(&from, ERROR_INCONSISTENT + 1);
	if (kind != ERROR_NONE) {
		size_t length;
		const char *message = unpack_bytes(&from, &length);
		error_set(c->error, kind, "%.*s", (int)length, message ? message : "");
		return;
	}
	trace_add_reading(c->reading->trace, &from);
	shares_unpack(c->shares, &from);
	if (!unpack_ended(&from))
		error_set(c->error, ERROR_INTERNAL, "what another process has read arrives damaged");
}

static void unpack_all(struct reading *r, const struct shares *shares, struct error *error)
{
	for (uint32_t i = 0; i < shares_count(shares); i++) {
		const struct ranks *who;
		size_t size;
		const void *bytes = shares_get(shares, i, &who, &size);
		struct ranks_walk walk = {0};
		for (uint32_t rank; ranks_next(who, &walk, &rank);)
			if (rank >= r->processes || !unpack_process(r, rank, bytes, size)) {
				error_set(error, ERROR_INTERNAL, "what another process has read arrives damaged");
				return;
			}
	}
}

/* Everything to the first. False: not well, or not here. */
static bool collect(struct reading *r, const struct transport *t, struct error *error)
{
	struct collecting c = {r, shares_new(), error};
	for (uint32_t rank = 0; t->rank && rank < r->processes; rank++) {
		struct process *p = &r->process[rank];
		if (!p->nest && !p->advancing)
			continue;
		struct text bytes = {0};
		pack_process(r, rank, &bytes);
		shares_add(c.shares, rank, bytes.data, bytes.length);
		text_clear(&bytes);
	}
	transport_gather(t, &(struct gathering){&c, add_collected, pack_collected});
	if (t->rank == 0 && error->kind == ERROR_NONE)
		unpack_all(r, c.shares, error);
	shares_free(c.shares);
	if (t->rank) /* the first tells it */
		*error = (struct error){0};
	return t->rank == 0 && error->kind == ERROR_NONE;
}

static bool read_and_recognize(
	struct reading *r, const struct local_options *options, struct local_models *local, struct error *error)
{
	unsigned jobs = options->jobs;
	bool good = r->trace && read_share(r, options, error);
	if (options->transport)
		good = collect(r, options->transport, error);
	if (!good)
		return false;
	local->facts = *trace_facts(r->trace);
	trace_losses(r->trace, &local->losses);
	r->dictionary = local->model->dictionary;
	if (local->facts.archive) {
		r->unnamed = local->unnamed = is_unnamed(r);
		translate_archive(r, local->unnamed);
	} else {
		translate_text(r);
	}
	parallel_for(jobs, r->processes, recognize_again, r);
	if (options->turn)
		parallel_for(jobs, r->processes, turn_process, r);
	note_reading(local->model, &options->trace, local->unnamed);
	assemble(r, local);
	local->carried = r->carried;
	r->carried = NULL;
	return true;
}

static void reading_clear(struct reading *r)
{
	for (size_t rank = 0; rank < r->processes; rank++) {
		nlr_free(r->process[rank].nlr);
		nest_free(r->process[rank].nest);
		nest_free(r->process[rank].turned);
		free(r->process[rank].id_of);
		intern_free(r->process[rank].own);
		advancing_free(r->process[rank].advancing);
		if (r->process[rank].received)
			dictionary_free(r->process[rank].dictionary);
	}
	carried_free(r->carried);
	free(r->common);
	free(r->process);
	trace_close(r->trace);
}

bool local_models_read(
	const char *path, const struct local_options *options, struct local_models *local, struct error *error)
{
	*local = (struct local_models){0};
	struct trace_options of_trace = options->trace;
	of_trace.attributes = carried_asks_more(options->values);
	struct reading r = {
		.trace = trace_open(path, &of_trace, error),
		.options = {.window = options->window, .repetitions = options->repetitions},
		.progress = &options->progress,
	};
	if (!r.trace && !options->transport)
		return false;
	r.archive = r.trace && trace_facts(r.trace)->archive;
	if (!carried_asks_none(options->values))
		r.carried = carried_new(options->values, !r.archive);
	if (r.archive)
		make_room(&r, trace_facts(r.trace)->processes);
	local->model = model_new();
	bool good = read_and_recognize(&r, options, local, error);
	reading_clear(&r);
	if (!good)
		local_models_clear(local);
	return good;
}

void local_models_clear(struct local_models *local)
{
	model_free(local->model);
	nest_free(local->turned);
	ranks_clear(&local->window_hit);
	carried_free(local->carried);
	trace_losses_clear(&local->losses);
	*local = (struct local_models){0};
}
