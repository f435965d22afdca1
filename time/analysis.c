/*
 * analysis.c -- all processes in the order of time. A receive waits for its send, and a collective
 * for all its members, whatever the clocks say, so that what happens comes after its cause.
 */
#include "time/analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "time/engine.h"
#include "trace/cores.h"

/* Records between two looks at what can be given back. */
#define TIDY 4096

/* Clocks disagree if one in so many messages is received before it is sent, or by such a part of
   the run. */
#define DISAGREE 100

/* ------------------------------------------------------------------ beginning and end */

/* Records of a process that are looked at before those of the next. */
#define GLANCE 256

/* Is a region of the program entered anywhere, main apart? Definitions do not tell. */
static bool regions_are_entered(struct engine *e)
{
	struct timeline *t = timeline_open(e->trace, e->error);
	bool found = false, more = t;
	while (more && !found) {
		more = false;
		for (uint32_t rank = 0; rank < e->processes && !found; rank++) {
			const struct timeline_record *r = timeline_get(t, rank);
			for (size_t i = 0; i < GLANCE && r && !found; i++, r = timeline_get(t, rank)) {
				found = r->kind == TIMELINE_ENTER && e->region[r->id].of.sort == TIMELINE_PROGRAM &&
					!e->region[r->id].of.around;
				timeline_next(t, rank);
			}
			more |= r != NULL;
		}
	}
	timeline_close(t);
	return found;
}

static void find_regions(struct engine *e)
{
	uint32_t regions = timeline_regions(e->timeline);
	e->region = mem_zero((regions + (size_t)1) * sizeof *e->region);
	for (uint32_t i = 0; i < regions; i++) {
		e->region[i] = (struct region_note){timeline_region(e->timeline, i), NO_LABEL};
		e->regions |= e->region[i].of.sort == TIMELINE_PROGRAM && !e->region[i].of.around;
	}
}

static bool at_one_site(const struct overview *o, size_t a, size_t b)
{
	const uint32_t *sites;
	return overview_is_event(o, a) && overview_is_event(o, b) &&
	       overview_node(o, a)->sub == overview_node(o, b)->sub && o->module->sites[a] == o->module->sites[b] &&
	       sites_get(&o->module->places, o->module->sites[a], &sites);
}

/* What ends the body of a loop, and stands before it, too, at the same place of the source, begins
   the iterations of the source: the loop is rotated. */
static void note_statements(struct engine *e)
{
	const struct overview *o = &e->overview;
	size_t *before = mem_array(o->lines + 1, sizeof *before); /* by line: the one before it in its body */
	size_t *last = mem_array(o->lines + 1, sizeof *last); /* ... of the body */
	memset(before, 0xff, (o->lines + 1) * sizeof *before); /* OVERVIEW_NONE */
	e->statement = mem_zero((o->lines + 1) * sizeof *e->statement);
	for (size_t i = 0; i < o->lines; i++) {
		size_t around = o->line[i].around, behind = o->line[i].end;
		e->statement[i] = (struct statement_note){.label = NO_LABEL,
			.construct = NO_LABEL,
			.region = NO_LABEL,
			.loop = constructs_loop_around(e->constructs, i)};
		/* part of what events are where the program names any (trace/trace.h: balance) */
		e->communicators |=
			overview_is_event(o, i) && overview_node(o, i)->kid[COLUMN_COMMUNICATOR] != NODE_NONE;
		if (behind < o->lines && o->line[behind].around == around)
			before[behind] = i;
		if (around != OVERVIEW_NONE)
			last[around] = i;
	}
	for (size_t loop = 0; loop < o->lines; loop++) {
		size_t i = last[loop], k = before[loop];
		if (!overview_is_loop(o, loop) || o->line[loop].loops >= ANALYSIS_DEPTH || i == OVERVIEW_NONE)
			continue;
		for (; before[i] != OVERVIEW_NONE && k != OVERVIEW_NONE && at_one_site(o, i, k);
			i = before[i], k = before[k])
			e->statement[i].later |= 1U << o->line[loop].loops;
	}
	free(before);
	free(last);
}

static bool begin(struct engine *e)
{
	e->timeline = timeline_open(e->trace, e->error);
	if (!e->timeline)
		return false;
	find_regions(e);
	e->regions = e->regions && regions_are_entered(e);
	if (e->error->kind != ERROR_NONE)
		return false;
	overview_of(&e->overview, e->analysis->program->run);
	e->constructs = constructs_new(&e->overview, e->regions);
	note_statements(e);
	e->paths = paths_new(e->constructs);
	e->process = mem_zero((e->processes + (size_t)1) * sizeof *e->process);
	e->messages = arena_new();
	e->channel_keys = intern_new();
	e->meeting_keys = intern_new();
	e->at_ends = intern_new_keys(sizeof(struct end_key));
	memset(e->flight, 0xff, sizeof e->flight);
	memset(e->expected, 0xff, sizeof e->expected);
	e->eager_given = e->options->eager != UINT64_MAX;
	e->eager = e->eager_given ? e->options->eager : 0;
	e->outside = constructs_get(e->constructs, ANALYSIS_NO_LOOP,
		constructs_label(e->constructs, "before the first record"), CONSTRUCT_OUTSIDE);
	return true;
}

static void clear_process(struct timed_process *p)
{
	free(p->frame);
	free(p->item);
	free(p->request);
	free(p->channel);
	free(p->turn);
}

static void clear(struct engine *e)
{
	if (e->process)
		calls_clear(e);
	for (uint32_t rank = 0; e->process && rank < e->processes; rank++)
		clear_process(&e->process[rank]);
	free(e->process);
	free(e->region);
	free(e->statement);
	overview_clear(&e->overview);
	heap_clear(&e->heap);
	paths_free(e->paths);
	constructs_free(e->constructs);
	timeline_close(e->timeline);
	tracker_free(e->tracker);
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->constructs; i++) {
		struct analysis_construct *c = &a->construct[i];
		for (size_t d = 0; d < ANALYSIS_DEPTH; d++)
			for (size_t k = 0; k < ANALYSIS_SERIES; k++)
				free(c->series[d].each[k]);
		free(c->address);
		free(c->name);
		free(c->sites);
		free(c->callers);
		free(c->path);
		free(c->collective);
		free(c->share);
		free(c->bin_work);
		free(c->bin_most);
		free(c->link);
		ranks_clear(&c->ranks);
	}
	ranks_clear(&a->shared);
	free(a->construct);
	free(a->iterations);
	free(a->process);
	free(a->construct_of);
	free(a->shown_around);
	free(a);
}

/* ------------------------------------------------------------------ one record */

static uint32_t region_label(struct engine *e, uint32_t id)
{
	struct region_note *r = &e->region[id];
	if (r->label == NO_LABEL)
		r->label = constructs_label(e->constructs, r->of.name);
	return r->label;
}

/* A process that calls MPI no longer waits for a device. */
static void end_device_wait(struct engine *e, uint32_t rank, uint64_t time)
{
	const struct timed_process *p = &e->process[rank];
	while (p->call && p->call->sort == CONSTRUCT_DEVICE)
		call_ends(e, rank, time);
}

/* What waits for a device is both a region of the program and a call. */
static bool is_region(const struct region_note *region)
{
	return region->of.sort == TIMELINE_PROGRAM || region->of.sort == TIMELINE_DEVICE;
}

static bool is_call(const struct region_note *region)
{
	return region->of.sort != TIMELINE_PROGRAM && region->of.sort != TIMELINE_INTERNAL;
}

static void enter(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	const struct region_note *region = &e->region[r->id];
	struct timed_process *p = &e->process[rank];
	uint64_t away = !p->call && r->bytes < r->time - p->mark ? r->bytes : 0;
	if (region->of.sort == TIMELINE_INTERNAL)
		return;
	if (!is_region(region))
		end_device_wait(e, rank, r->time);
	if (away) {
		cells_work(e, rank, r->time - away);
		cells_away(e, rank, r->time);
	}
	if (is_region(region) && !p->call && e->regions) {
		cells_work(e, rank, r->time);
		cells_region_begins(e, rank, region_label(e, r->id));
	}
	if (is_call(region))
		call_begins(e, rank, r->time, &region->of);
}

static void leave(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	const struct region_note *region = &e->region[r->id];
	if (is_call(region))
		call_ends(e, rank, r->time);
	if (!is_region(region) || e->process[rank].call || !e->regions)
		return;
	cells_work(e, rank, r->time);
	cells_region_ends(e, rank, region_label(e, r->id));
}

/* What the kinds of records are to a process; false: it must wait. */
static bool (*const communicate[])(struct engine *, uint32_t rank, const struct timeline_record *) = {
	[TIMELINE_SEND] = call_send,
	[TIMELINE_ISEND] = call_send,
	[TIMELINE_SENT] = call_sent,
	[TIMELINE_RECV] = call_receive,
	[TIMELINE_POST] = call_posts,
	[TIMELINE_IRECV] = call_receive,
	[TIMELINE_SYNC] = call_meets,
	[TIMELINE_COMPLETED] = call_gathers,
	[TIMELINE_CANCELLED] = call_cancelled,
	[TIMELINE_ONE_SIDED] = call_accesses,
	[TIMELINE_OTHER] = NULL,
};

/* A record outside of all calls is one of a call that takes no time. */
static bool communicate_somewhere(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	static const struct timeline_region nameless = {.sort = TIMELINE_MPI};
	struct timed_process *p = &e->process[rank];
	end_device_wait(e, rank, r->time);
	bool inside = p->calls_open && !p->bare;
	if (!p->call) {
		call_begins(e, rank, r->time, &nameless);
		p->bare = true;
	}
	if (communicate[r->kind] && !communicate[r->kind](e, rank, r))
		return false;
	if (!inside) {
		p->bare = false;
		call_ends(e, rank, r->time);
	}
	return true;
}

static bool take(struct engine *e, uint32_t rank, const struct timeline_record *r)
{
	switch (r->kind) {
	case TIMELINE_ENTER:
		enter(e, rank, r);
		return true;
	case TIMELINE_LEAVE:
		leave(e, rank, r);
		return true;
	default:
		return communicate_somewhere(e, rank, r);
	}
}

/* ------------------------------------------------------------------ all records */

void engine_wake(struct engine *e, uint32_t rank)
{
	struct timed_process *p = &e->process[rank];
	const struct timeline_record *r = timeline_get(e->timeline, rank);
	if (!p->parked || !r)
		return;
	p->parked = false;
	heap_push(&e->heap, (struct heap_entry){.key = r->time, .tie = rank, .id = rank});
}

static void end_process(struct engine *e, uint32_t rank)
{
	struct timed_process *p = &e->process[rank];
	while (p->calls_open)
		call_ends(e, rank, p->last);
	cells_work(e, rank, p->last);
	cells_end(e, rank);
	p->ended = true;
}

bool clock_goes_on(const struct trace *trace, uint32_t rank, uint64_t time, uint64_t *latest, struct error *error)
{
	if (time < *latest)
		return error_set(error, ERROR_INCONSISTENT,
			"%s: the clock of rank %" PRIu32 " runs backwards: a record at %" PRIu64
			" follows one at %" PRIu64,
			trace_path(trace), rank, time, *latest);
	*latest = time;
	return true;
}

/* Go on with a process until another one is earlier, or it must wait, or ends. *next: the one to go
   on with; NOBODY: the first of those that are due. */
static bool run_process(struct engine *e, uint32_t rank, uint32_t *next)
{
	const struct timeline_record *r;
	*next = NOBODY;
	while ((r = timeline_get(e->timeline, rank))) {
		for (size_t n = timeline_ahead(e->timeline, rank); n > 0; n--, r++) {
			if (e->heap.length && r->time > e->heap.entry[0].key) { /* one of the others is due */
				*next = heap_exchange(
					&e->heap, (struct heap_entry){.key = r->time, .tie = rank, .id = rank})
						.id;
				return true;
			}
			if (!clock_goes_on(e->trace, rank, r->time, &e->process[rank].last, e->error))
				return false;
			if (!take(e, rank, r)) {
				e->process[rank].parked = true;
				return true;
			}
			if (e->error->kind != ERROR_NONE)
				return false;
			timeline_next(e->timeline, rank);
		}
	}
	if (!timeline_good(e->timeline, e->error))
		return false;
	end_process(e, rank);
	return true;
}

/* Who waits for what the trace does not hold: the one that has waited longest. among: of those in
   collectives of neighbours, which need not be the neighbours of all who are awaited. */
static uint32_t stuck(struct engine *e, bool among)
{
	uint32_t first = NOBODY;
	uint64_t since = UINT64_MAX;
	for (uint32_t rank = 0; rank < e->processes; rank++) {
		const struct timeline_record *r = e->process[rank].parked ? timeline_get(e->timeline, rank) : NULL;
		if (r && r->time < since && (!among || e->process[rank].call->neighbours)) {
			first = rank;
			since = r->time;
		}
	}
	return first;
}

static bool refuse_stuck(struct engine *e, uint32_t rank)
{
	const struct timeline_record *r = timeline_get(e->timeline, rank);
	struct text text = {0};
	event_print_as(trace_dictionary(e->trace, rank), r->id, rank, &text);
	error_set(e->error, ERROR_INCONSISTENT,
		"%s: rank %" PRIu32 " waits for ever in \"%s\": the trace does not hold its partner%s",
		trace_path(e->trace), rank, text.data, trace_may_be_lenient() ? " (--lenient goes on)" : "");
	text_clear(&text);
	return false;
}

/* How far the processes have come, at least, in the outermost loop in which the last of them is. */
static void tell_passed(struct engine *e)
{
	size_t last = SIZE_MAX;
	for (uint32_t rank = 0; rank < e->processes; rank++) {
		const struct timed_process *p = &e->process[rank];
		if (!p->ended && !p->at.any)
			return;
		if (!p->ended && p->at_statement < last)
			last = p->at_statement;
	}
	if (last == SIZE_MAX)
		return;
	while (e->overview.line[last].around != OVERVIEW_NONE)
		last = e->overview.line[last].around;
	if (overview_is_event(&e->overview, last))
		return;
	uint64_t least = UINT64_MAX;
	for (uint32_t rank = 0; rank < e->processes; rank++) {
		const struct timed_process *p = &e->process[rank];
		if (!p->ended && p->at_statement < e->overview.line[last].end && p->at.place.index[0] < least)
			least = p->at.place.index[0];
	}
	if (least)
		constructs_passed(e->constructs, last, least);
}

static void tidy(struct engine *e)
{
	calls_decide_some(e);
	paths_tidy(e->paths);
	timeline_tell(e->timeline, &e->options->progress);
	if (constructs_full(e->constructs))
		tell_passed(e);
}

static bool run_all(struct engine *e)
{
	uint32_t next = NOBODY;
	for (uint64_t turns = 1;; turns++) {
		if (next == NOBODY && !e->heap.length) {
			uint32_t rank = stuck(e, true);
			bool goes_on = rank != NOBODY || e->options->lenient;
			rank = rank == NOBODY ? stuck(e, false) : rank;
			if (rank == NOBODY)
				return true;
			if (!goes_on)
				return refuse_stuck(e, rank);
			call_release(e, rank);
		}
		if (!run_process(e, next == NOBODY ? heap_pop(&e->heap).id : next, &next))
			return false;
		if (turns % TIDY == 0)
			tidy(e);
	}
}

/* Is the process at work when its records begin? */
static bool begins_late(const struct engine *e, const struct timeline_record *first)
{
	bool region = first->kind == TIMELINE_ENTER || first->kind == TIMELINE_LEAVE;
	enum timeline_sort sort = region ? e->region[first->id].of.sort : TIMELINE_MPI;
	return sort == TIMELINE_MPI || sort == TIMELINE_IO;
}

static bool start_processes(struct engine *e)
{
	struct analysis *a = e->analysis;
	a->begin = UINT64_MAX;
	for (uint32_t rank = 0; rank < e->processes; rank++) {
		const struct timeline_record *r = timeline_get(e->timeline, rank);
		struct timed_process *p = &e->process[rank];
		p->piece = piece_new(e->paths, NULL);
		if (!r)
			continue;
		p->first = p->last = p->mark = r->time;
		a->begin = r->time < a->begin ? r->time : a->begin;
		heap_push(&e->heap, (struct heap_entry){.key = r->time, .tie = rank, .id = rank});
	}
	if (a->begin == UINT64_MAX)
		a->begin = 0;
	for (uint32_t rank = 0; rank < e->processes; rank++) {
		const struct timeline_record *r = timeline_get(e->timeline, rank);
		struct timed_process *p = &e->process[rank];
		struct cell none = {{.loop = ANALYSIS_NO_LOOP}, e->outside};
		if (r && begins_late(e, r)) {
			p->first = p->mark = a->begin;
			a->begins_late = true;
		}
		if (p->first > a->begin)
			constructs_path(e->paths, p->piece, &none, rank, 0, p->first - a->begin, false, PATH_NOTHING);
	}
	return timeline_good(e->timeline, e->error);
}

/* ------------------------------------------------------------------ summing up */

/* A time without a core is usually no longer than so many times their mean. */
#define USUALLY 4
/* What Linux gives a process at once, about, in s: each of the others has a turn. */
#define SLICE 4e-3

static void find_shared(struct engine *e)
{
	struct analysis *a = e->analysis;
	const struct cores *cores = trace_facts(e->trace)->cores;
	for (uint32_t rank = 0; cores && cores->cpu && rank < e->processes; rank++)
		a->process[rank].cpu = cores->cpu[rank];
	if (!cores || !cores->shared.length)
		return;
	ranks_copy(&a->shared, &cores->shared);
	uint64_t usual = e->aways ? USUALLY * (e->away / e->aways) : 0;
	a->slice = (uint64_t)(SLICE * ceil(cores->each - 1) * (double)a->ticks_per_second);
	usual = usual < e->longest ? usual : e->longest;
	a->slice = a->slice > usual ? a->slice : usual;
}

static void sum_up(struct engine *e)
{
	struct analysis *a = e->analysis;
	a->end = a->begin;
	for (uint32_t rank = 0; rank < e->processes; rank++) {
		struct timed_process *p = &e->process[rank];
		a->process[rank].first = p->first;
		a->process[rank].last = p->last;
		if (p->last > a->end) {
			a->end = p->last;
			a->path_end = rank;
		}
	}
	calls_decide_all(e);
	if (e->processes)
		paths_decide(e->paths, e->process[a->path_end].piece);
	constructs_finish(e->constructs, a);
	for (size_t i = 0; i < a->constructs; i++) {
		const struct analysis_construct *c = &a->construct[i];
		for (const struct analysis_share *s = c->share; s < c->share + c->shares; s++) {
			struct analysis_process *p = &a->process[s->rank];
			p->work += s->work;
			*(c->sort == CONSTRUCT_PROGRAM ? &p->call : &p->apart) += s->call;
			for (size_t k = 0; k < WAIT_KINDS; k++)
				p->waited[k] += s->waited[k];
		}
	}
	find_shared(e);
	a->records = timeline_records(e->timeline);
	for (uint32_t rank = 0; rank < e->processes; rank++)
		a->ideal = e->process[rank].ideal > a->ideal ? e->process[rank].ideal : a->ideal;
	a->clocks_disagree =
		a->contradictions * DISAGREE > a->meetings || a->contradiction > (a->end - a->begin) / DISAGREE;
	a->eager = e->eager;
	a->regions = e->regions;
	a->pieces = paths_most(e->paths);
}

struct analysis *analysis_read(const struct prepared *program, const char *model, struct trace *trace,
	const struct analysis_options *options, struct error *error)
{
	const struct module *m = program->module;
	struct engine e = {.tracker = tracker_new(program->run, model, trace, false),
		.module = m,
		.trace = trace,
		.options = options,
		.error = error,
		.processes = m->processes,
		.analysis = mem_zero(sizeof *e.analysis)};
	struct analysis *a = e.analysis;
	*error = (struct error){0};
	a->program = program;
	a->processes = m->processes;
	a->ticks_per_second = trace_facts(trace)->ticks_per_second;
	a->process = mem_zero((m->processes + (size_t)1) * sizeof *a->process);
	bool good = tracker_takes(e.tracker, error) && begin(&e) && start_processes(&e) && run_all(&e) &&
		    tracker_end_all(e.tracker, error);
	if (good)
		sum_up(&e);
	clear(&e);
	if (good)
		return a;
	analysis_free(a);
	return NULL;
}

double analysis_tick(const struct analysis *a)
{
	return a->ticks_per_second ? 1 / (double)a->ticks_per_second : 0;
}

uint64_t analysis_run(const struct analysis *a)
{
	return a->end - a->begin;
}

double analysis_percent(const struct analysis *a, double sum)
{
	double all = (double)analysis_run(a) * a->processes, percent = all > 0 ? 100 * sum / all : 0;
	return percent < 0 && percent > -0.05 ? 0 : percent;
}

uint64_t analysis_work(const struct analysis *a)
{
	uint64_t work = 0;
	for (uint32_t rank = 0; rank < a->processes; rank++)
		work += a->process[rank].work;
	return work;
}

double analysis_lost(const struct analysis *a)
{
	return analysis_run(a) ? 100 - analysis_percent(a, (double)analysis_work(a)) : 0;
}

const char *construct_sort_key(enum construct_sort sort)
{
	static const char *const keys[] = {[CONSTRUCT_PROGRAM] = "program",
		[CONSTRUCT_INIT] = "init",
		[CONSTRUCT_FINALIZE] = "finalize",
		[CONSTRUCT_IO] = "io",
		[CONSTRUCT_DEVICE] = "device",
		[CONSTRUCT_OUTSIDE] = "outside"};
	return keys[sort];
}

/* ------------------------------------------------------------------ wait states */

static const struct {
	const char *key, *name;
} wait_states[WAIT_KINDS] = {
	[WAIT_LATE_SENDER] = {"late_sender", "Late Sender"},
	[WAIT_LATE_RECEIVER] = {"late_receiver", "Late Receiver"},
	[WAIT_NXN] = {"wait_at_nxn", "Wait at N x N"},
	[WAIT_BARRIER] = {"wait_at_barrier", "Wait at Barrier"},
	[WAIT_LATE_BROADCAST] = {"late_broadcast", "Late Broadcast"},
	[WAIT_EARLY_REDUCE] = {"early_reduce", "Early Reduce"},
};

const char *wait_name(enum wait_kind kind)
{
	return wait_states[kind].name;
}

const char *wait_key(enum wait_kind kind)
{
	return wait_states[kind].key;
}

uint64_t wait_in_collectives(const uint64_t by_kind[WAIT_KINDS])
{
	uint64_t sum = 0;
	for (enum wait_kind k = WAIT_COLLECTIVES; k < WAIT_KINDS; k++)
		sum += by_kind[k];
	return sum;
}

/* ------------------------------------------------------------------ POP's factors */

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 1;
}

struct efficiency analysis_efficiency(const struct analysis *a)
{
	double mean = (double)analysis_work(a) / (a->processes ? a->processes : 1), busiest = 0, most = 0, even = 0;
	double run = (double)analysis_run(a), ideal, apart = 0;
	for (uint32_t rank = 0; rank < a->processes; rank++)
		busiest = (double)a->process[rank].work > busiest ? (double)a->process[rank].work : busiest;
	for (const struct analysis_construct *c = a->construct; c < a->construct + a->constructs; c++) {
		most += (double)c->most;
		even += ranks_count(&c->ranks) ? (double)c->total.work / (double)ranks_count(&c->ranks) : 0;
		if (c->sort == CONSTRUCT_INIT || c->sort == CONSTRUCT_FINALIZE)
			apart += (double)(c->total.path_work + c->total.path_call);
	}
	/* The critical path knows of sends that wait. Clocks that contradict a few messages may
	   take the chain beyond the run. */
	ideal = (double)(a->ideal > a->path_work ? a->ideal : a->path_work);
	ideal = ideal < run ? ideal : run;
	struct efficiency e = {NAN, NAN, NAN, NAN, NAN, NAN, run - apart, NAN};
	if (!a->communicates)
		return e;
	e.parallel = ratio(mean, run);
	e.load_balance = ratio(mean, busiest);
	e.communication = ratio(busiest, run);
	e.iteration_balance = ratio(even, most);
	e.inner_parallel = ratio(mean, run - apart);
	if (!a->clocks_disagree) {
		e.serialization = ratio(busiest, ideal);
		e.transfer = ratio(ideal, run);
	}
	return e;
}
