/*
 * timing.c -- every event is handed to the durations; where regions are read for their own sake,
 * those alone tell of calls.
 */
#include "time/timing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "time/analysis.h"
#include "trace/calls.h"

/* Of a process. */
struct progress_of {
	bool begun, told; /* told: the call that is open holds an event */
	unsigned calls; /* open */
	uint64_t latest; /* of the records whose order is that of the recording */
};

struct reading {
	struct timing *timing;
	const struct timing_options *options;
	struct tracker *tracker; /* says what is wrong: durations step */
	struct calls *calls;
	struct progress_of *at; /* likewise */
};

/* ------------------------------------------------------------------ reading */

static void tell_return(struct durations *d, struct progress_of *p, uint32_t rank, uint64_t time)
{
	durations_return(d, rank, time);
	p->calls -= p->calls > 0;
	if (!p->calls && p->told)
		durations_done(d, rank, time);
	p->told &= p->calls > 0;
}

/* MPI_Init and MPI_Finalize stand apart: a process begins behind the one and ends before the
   other. */
static void tell(struct reading *t, uint32_t rank, uint64_t time, struct call_event what)
{
	struct durations *d = t->timing->durations;
	struct progress_of *p = &t->at[rank];
	bool event = !what.extra, begins = what.kind == CALL_RETURN && what.sort == NAME_BEGINS;
	if (begins)
		tell_return(d, p, rank, time);
	if (!p->begun || begins)
		durations_done(d, rank, time);
	p->begun = true;
	if (what.kind == CALL_ENTER && what.sort != NAME_ENDS) {
		durations_call(d, rank, time);
		p->told &= p->calls++ > 0;
	}
	if (event)
		durations_event(d, rank, time);
	p->told |= event;
	if (event && !p->calls)
		durations_done(d, rank, time);
	if (what.kind == CALL_RETURN && !begins)
		tell_return(d, p, rank, time);
}

static bool take_event(
	void *context, uint32_t rank, const struct trace_event *e, struct call_event what, struct error *error)
{
	struct reading *t = context;
	/* receives may stand in another order than they were recorded in; a text says when as it likes */
	bool ordered = trace_facts(calls_trace(t->calls))->archive && !kind_receives(what.of);
	if (ordered && !clock_goes_on(calls_trace(t->calls), rank, e->time, &t->at[rank].latest, error))
		return false;
	tell(t, rank, e->time, what);
	return true;
}

static bool read_trace(struct reading *t, struct error *error)
{
	progress_begin(&t->options->progress, "times");
	const struct trace *trace = calls_trace(t->calls);
	t->timing->ticks_per_second = trace_facts(trace)->ticks_per_second;
	struct calls_sink sink = {t, take_event, &t->options->progress};
	bool good = calls_read(t->calls, t->tracker, t->options->jobs, &sink, error);
	t->timing->trace = *trace_facts(trace);
	trace_missing_records(trace, &t->timing->missing);
	return good;
}

static bool check_counts(const struct reading *t, struct error *error)
{
	struct run *run = t->timing->run;
	struct environment at = {0};
	bool good = true;
	for (uint32_t rank = 0; rank < run_module(run)->processes && good; rank++) {
		run_start(run, rank, &at);
		uint64_t told = durations_events(t->timing->durations, rank),
			 wanted = run_count(run, &at, run_module(run)->body);
		good = told == wanted ||
		       error_set(error, ERROR_INCONSISTENT,
			       "rank %" PRIu32 " has %" PRIu64 " events in the trace, %" PRIu64 " in the model", rank,
			       told, wanted) ||
		       tracker_is_other(t->tracker, error);
	}
	free(at.index);
	return good;
}

/* ------------------------------------------------------------------ summing up */

static void add_duration(struct loop_time *s, uint32_t rank, const struct duration *d)
{
	ranks_add(&s->ranks, rank);
	if (!s->processes++ || d->least < s->least)
		s->least = d->least;
	if (d->most > s->longest)
		s->longest = d->most;
	if (d->total > s->most || s->processes == 1) {
		s->most = d->total;
		s->slowest = rank;
	}
	s->total += d->total;
	s->iterations += d->iterations;
	s->inside += d->inside;
}

static void sum_up_process(struct timing *t, uint32_t rank)
{
	const struct durations *all = t->durations;
	struct duration d;
	t->whole += (double)durations_run(all, rank);
	for (size_t i = durations_next(all, rank, 0); i != SIZE_MAX; i = durations_next(all, rank, i + 1))
		if (durations_of(all, i, rank, &d))
			add_duration(&t->loop[i], rank, &d);
	for (size_t i = durations_next_gap(all, rank, 0); i != SIZE_MAX; i = durations_next_gap(all, rank, i + 1))
		if (durations_gap(all, i, rank, &d))
			add_duration(&t->gap[i], rank, &d);
}

static int by_total(const void *left, const void *right)
{
	const struct loop_time *a = left, *b = right;
	return a->total != b->total ? COMPARE(b->total, a->total) : COMPARE(a->loop, b->loop);
}

static void sum_up_all(struct timing *t, const struct ranks *wanted)
{
	size_t loops = durations_loops(t->durations), gaps = durations_gaps(t->durations);
	t->loop = mem_array(loops + gaps, sizeof *t->loop);
	t->gap = t->loop + loops;
	for (size_t i = 0; i < loops; i++)
		t->loop[i] = (struct loop_time){.loop = i};
	for (size_t i = 0; i < gaps; i++)
		t->gap[i] = (struct loop_time){.loop = durations_gap_loop(t->durations, i)};
	for (uint32_t rank = 0; rank < run_module(t->run)->processes; rank++)
		if (!wanted || ranks_has(wanted, rank))
			sum_up_process(t, rank);
	for (struct loop_time *s = t->loop; s < t->gap + gaps; s++) {
		s->share = t->whole > 0 ? (double)s->total / t->whole : 0;
		s->imbalance = s->total ? (double)s->most * s->processes / (double)s->total : 1;
	}
	qsort(t->loop, loops, sizeof *t->loop, by_total);
}

/* ------------------------------------------------------------------ the whole */

bool timing_read(struct timing *t, struct run *run, const char *model, const char *path,
	const struct timing_options *options, struct error *error)
{
	uint32_t processes = run_module(run)->processes;
	*t = (struct timing){.run = run};
	t->durations = durations_new(run, options->depth, options->strips);
	struct reading r = {.timing = t,
		.options = options,
		.calls = calls_open(path, &options->trace, processes, error),
		.at = mem_zero((processes + (size_t)1) * sizeof *r.at)};
	if (r.calls)
		r.tracker = tracker_new(run, model, calls_trace(r.calls), true);
	bool good = r.calls && read_trace(&r, error) && check_counts(&r, error);
	for (uint32_t rank = 0; rank < processes && good; rank++)
		durations_finish(t->durations, rank);
	calls_close(r.calls);
	tracker_free(r.tracker);
	free(r.at);
	if (good)
		sum_up_all(t, options->ranks);
	return good;
}

void timing_clear(struct timing *t)
{
	for (struct loop_time *s = t->loop; s && s < t->gap + durations_gaps(t->durations); s++)
		ranks_clear(&s->ranks);
	free(t->loop);
	durations_free(t->durations);
	missing_records_clear(&t->missing);
	*t = (struct timing){0};
}
