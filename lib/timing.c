/*
 * timing.c -- every event is handed to the durations; where regions are read for their own sake,
 * those alone tell of calls.
 */
#include "lib/timing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

/* What a local event says of communication; how events are told apart, per process and event. */
enum meaning { UNSEEN, PLAIN, CALL, RETURN, OTHER };

struct meanings {
	unsigned char *of;
	size_t length, capacity;
};

struct reading {
	struct timing *timing;
	const struct timing_options *options;
	const char *model, *path;
	struct trace *trace;
	struct meanings *meanings; /* per rank */
	bool regions_extra; /* regions are read, but are no events of the program */
};

/* ------------------------------------------------------------------ reading */

static enum meaning find_meaning(const struct dictionary *d, uint32_t event)
{
	const struct event *e = dictionary_get_event(d, event);
	if (e->kind != EVENT_LOCAL)
		return PLAIN;
	const char *words = dictionary_get_word(d, e->subject);
	bool call = !strncmp(words, "call ", 5), back = !strncmp(words, "return ", 7);
	if ((!call && !back) || strncasecmp(words + (call ? 5 : 7), "mpi_", 4))
		return OTHER; /* TAU has regions inside of MPI's, "MPI Collective Sync" */
	return call ? CALL : RETURN;
}

static enum meaning meaning_of(struct reading *t, uint32_t rank, uint32_t event)
{
	struct meanings *m = &t->meanings[rank];
	if (event >= m->length) {
		m->of = mem_grow(m->of, &m->capacity, (size_t)event + 1, 1);
		memset(m->of + m->length, UNSEEN, event + 1 - m->length);
		m->length = (size_t)event + 1;
	}
	if (m->of[event] == UNSEEN)
		m->of[event] = (unsigned char)find_meaning(trace_dictionary(t->trace, rank), event);
	return (enum meaning)m->of[event];
}

static bool take_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	struct reading *t = context;
	if (rank >= t->timing->program->processes)
		return error_set(error, ERROR_INCONSISTENT,
			"%s: the trace is not that of the model %s: it has a rank %" PRIu32, t->path, t->model, rank);
	if (!e->timed)
		return error_set(error, ERROR_INPUT, "%s: an event of rank %" PRIu32 " has no time", t->path, rank);
	enum meaning meaning = meaning_of(t, rank, e->event);
	if (meaning == CALL)
		durations_call(t->timing->durations, rank, e->time);
	if (meaning == PLAIN || !t->regions_extra)
		durations_event(t->timing->durations, rank, e->time);
	if (meaning == RETURN)
		durations_return(t->timing->durations, rank, e->time);
	return true;
}

static void progress(void *context, double share)
{
	progress_tell(&((struct reading *)context)->options->progress, share);
}

static bool read_trace(struct reading *t, struct error *error)
{
	struct trace_options options = t->options->trace;
	t->trace = trace_open(t->path, &options, error);
	if (!t->trace)
		return false;
	if (trace_facts(t->trace)->archive && options.events == TRACE_COMM) {
		trace_close(t->trace);
		options.events = TRACE_MPI;
		t->regions_extra = true;
		t->trace = trace_open(t->path, &options, error);
	}
	if (!t->trace)
		return false;
	t->timing->ticks_per_second = trace_facts(t->trace)->ticks_per_second;
	return trace_read(t->trace, t->options->jobs, NULL, &(struct trace_sink){t, take_event, progress}, error);
}

static bool check_counts(const struct reading *t, struct error *error)
{
	for (uint32_t rank = 0; rank < t->timing->program->processes; rank++) {
		uint64_t told = durations_events(t->timing->durations, rank),
			 wanted = positions_stream(t->timing->positions, rank);
		if (told != wanted)
			return error_set(error, ERROR_INCONSISTENT,
				"%s: the trace is not that of the model %s: rank %" PRIu32 " has %" PRIu64
				" events in the trace, %" PRIu64 " in the model",
				t->path, t->model, rank, told, wanted);
	}
	return true;
}

/* ------------------------------------------------------------------ summing up */

static void sum_up(const struct timing *t, size_t loop, struct loop_time *s)
{
	struct duration d;
	struct ranks_walk walk = {0};
	*s = (struct loop_time){.loop = loop};
	positions_ranks(t->positions, durations_loop(t->durations, loop)->statement, &s->ranks);
	for (uint32_t rank; ranks_next(&s->ranks, &walk, &rank);) {
		if (!durations_of(t->durations, loop, rank, &d))
			continue;
		if (!s->processes++ || d.least < s->least)
			s->least = d.least;
		if (d.most > s->longest)
			s->longest = d.most;
		if (d.total > s->most || s->processes == 1) {
			s->most = d.total;
			s->slowest = rank;
		}
		s->total += d.total;
		s->iterations += d.iterations;
		s->inside += d.inside;
	}
	s->share = t->run > 0 ? (double)s->total / t->run : 0;
	s->imbalance = s->total ? (double)s->most * s->processes / (double)s->total : 1;
}

static int by_imbalance(const void *left, const void *right)
{
	const struct loop_time *a = left, *b = right;
	if (a->imbalance != b->imbalance)
		return a->imbalance > b->imbalance ? -1 : 1;
	return (a->loop > b->loop) - (a->loop < b->loop);
}

static void sum_up_all(struct timing *t)
{
	size_t loops = durations_loops(t->durations);
	for (uint32_t rank = 0; rank < t->program->processes; rank++)
		t->run += (double)durations_run(t->durations, rank);
	t->loop = mem_array(loops + 1, sizeof *t->loop);
	for (size_t i = 0; i < loops; i++)
		sum_up(t, i, &t->loop[i]);
	qsort(t->loop, loops, sizeof *t->loop, by_imbalance);
}

/* ------------------------------------------------------------------ the whole */

bool timing_read(struct timing *t, const struct program *program, const char *model, const char *path,
	const struct timing_options *options, struct error *error)
{
	*t = (struct timing){.program = program, .positions = positions_new(program)};
	t->durations = durations_new(program, t->positions, options->depth, options->strips);
	struct reading r = {
		t, options, model, path, NULL, mem_zero((program->processes + (size_t)1) * sizeof *r.meanings), false};
	bool good = read_trace(&r, error) && check_counts(&r, error);
	for (uint32_t rank = 0; rank < program->processes; rank++) {
		free(r.meanings[rank].of);
		if (good)
			durations_finish(t->durations, rank);
	}
	free(r.meanings);
	trace_close(r.trace);
	if (good)
		sum_up_all(t);
	return good;
}

void timing_clear(struct timing *t)
{
	for (size_t i = 0; t->loop && i < durations_loops(t->durations); i++)
		ranks_clear(&t->loop[i].ranks);
	free(t->loop);
	durations_free(t->durations);
	positions_free(t->positions);
	*t = (struct timing){0};
}
