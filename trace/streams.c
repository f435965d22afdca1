/*
 * streams.c -- the first reading of an archive counts how often each event occurs; the counts tell
 * whether channels balance with their communicators. Then the dictionaries of all processes, by now
 * complete, are brought into one, with communicators or without, and the second reading only
 * translates ids.
 */
#include "trace/streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct tally {
	uint64_t *times; /* by event */
	size_t events, capacity;
};

struct streams {
	struct trace *trace;
	struct trace_facts facts;
	struct streams_options options;
	struct dictionary *dictionary; /* of an archive: ours */
	uint32_t **id_of; /* of an archive: by rank and event of its own dictionary; NULL: a rank without events */
	bool unnamed;
};

/* ------------------------------------------------------------------ the first reading */

struct counting {
	struct tally *tally; /* by rank */
	const struct progress *progress;
};

static bool count_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	(void)error;
	struct tally *t = &((struct counting *)context)->tally[rank];
	if (e->event >= t->events) {
		t->times = mem_grow(t->times, &t->capacity, (size_t)e->event + 1, sizeof *t->times);
		memset(t->times + t->events, 0, (e->event + 1 - t->events) * sizeof *t->times);
		t->events = (size_t)e->event + 1;
	}
	t->times[e->event]++;
	return true;
}

static void count_progress(void *context, double share)
{
	progress_tell(((struct counting *)context)->progress, share / 2);
}

static bool is_unnamed(const struct streams *s, const struct tally *tally)
{
	struct balance *balance = balance_new();
	for (uint32_t rank = 0; rank < s->facts.processes; rank++)
		balance_add_all(balance, trace_dictionary(s->trace, rank), tally[rank].times, tally[rank].events);
	bool unnamed = balance_unnamed(balance);
	balance_free(balance);
	return unnamed;
}

static void translate(struct streams *s)
{
	s->dictionary = dictionary_new();
	s->id_of = mem_zero(s->facts.processes * sizeof *s->id_of);
	for (uint32_t rank = 0; rank < s->facts.processes; rank++)
		if (trace_dictionary(s->trace, rank))
			s->id_of[rank] =
				dictionary_import(s->dictionary, trace_dictionary(s->trace, rank), NULL, s->unnamed);
}

static bool count_archive(struct streams *s, struct error *error)
{
	uint32_t processes = trace_facts(s->trace)->processes;
	struct counting counting = {mem_zero(processes * sizeof *counting.tally), &s->options.progress};
	progress_begin(&s->options.progress, "reading");
	struct trace_sink sink = {&counting, count_event, count_progress, NULL};
	bool good = trace_read(s->trace, s->options.jobs, NULL, &sink, error);
	if (good) {
		s->facts = *trace_facts(s->trace);
		s->unnamed = is_unnamed(s, counting.tally);
		translate(s);
	}
	for (uint32_t rank = 0; rank < processes; rank++)
		free(counting.tally[rank].times);
	free(counting.tally);
	return good;
}

/* ------------------------------------------------------------------ the reading */

struct streams *streams_open(const char *path, const struct streams_options *options, struct error *error)
{
	struct trace *trace = trace_open(path, &options->trace, error);
	if (!trace)
		return NULL;
	struct streams *s = mem_zero(sizeof *s);
	s->trace = trace;
	s->options = *options;
	s->facts = *trace_facts(trace);
	if (!s->facts.archive || count_archive(s, error))
		return s;
	streams_close(s);
	return NULL;
}

void streams_close(struct streams *s)
{
	if (!s)
		return;
	for (uint32_t rank = 0; s->id_of && rank < s->facts.processes; rank++)
		free(s->id_of[rank]);
	free(s->id_of);
	dictionary_free(s->dictionary);
	trace_close(s->trace);
	free(s);
}

struct passing {
	const struct streams *streams;
	const struct streams_sink *sink;
};

static bool pass_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	const struct passing *p = context;
	uint32_t event = p->streams->id_of ? p->streams->id_of[rank][e->event] : e->event;
	return p->sink->event(p->sink->context, rank, event, e, error);
}

static void pass_progress(void *context, double share)
{
	const struct streams *s = ((struct passing *)context)->streams;
	progress_tell(&s->options.progress, s->facts.archive ? (1 + share) / 2 : share);
}

bool streams_read(struct streams *s, const struct ranks *wanted, unsigned jobs, const struct streams_sink *sink,
	struct error *error)
{
	struct passing passing = {s, sink};
	progress_begin(&s->options.progress, "reading");
	struct trace_sink inner = {&passing, pass_event, pass_progress, NULL};
	if (!trace_read(s->trace, jobs, wanted, &inner, error))
		return false;
	if (!s->facts.archive)
		s->facts = *trace_facts(s->trace);
	return true;
}

const struct dictionary *streams_dictionary(const struct streams *s, uint32_t rank)
{
	return s->dictionary ? s->dictionary : trace_dictionary(s->trace, rank);
}

const struct trace_facts *streams_facts(const struct streams *s)
{
	return &s->facts;
}

void streams_missing_records(const struct streams *s, struct missing_records *to)
{
	trace_missing_records(s->trace, to);
}

bool streams_unnamed(const struct streams *s)
{
	return s->unnamed;
}
