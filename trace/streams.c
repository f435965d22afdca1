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

static bool count_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	(void)error;
	struct tally *t = &((struct tally *)context)[rank];
	if (e->event >= t->events) {
		t->times = mem_grow(t->times, &t->capacity, (size_t)e->event + 1, sizeof *t->times);
		memset(t->times + t->events, 0, (e->event + 1 - t->events) * sizeof *t->times);
		t->events = (size_t)e->event + 1;
	}
	t->times[e->event]++;
	return true;
}

/* Of an archive, each reading is half of it. */
static void tell_first(void *context, double share)
{
	progress_tell(context, share / 2);
}

static void tell_second(void *context, double share)
{
	progress_tell(context, (1 + share) / 2);
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
	struct tally *tally = mem_zero(processes * sizeof *tally);
	struct progress progress = {&s->options.progress, tell_first, NULL};
	progress_begin(&s->options.progress, "reading");
	struct trace_sink sink = {tally, count_event, &progress, NULL};
	bool good = trace_read(s->trace, s->options.jobs, NULL, &sink, error);
	if (good) {
		s->facts = *trace_facts(s->trace);
		s->unnamed = is_unnamed(s, tally);
		translate(s);
	}
	for (uint32_t rank = 0; rank < processes; rank++)
		free(tally[rank].times);
	free(tally);
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

bool streams_read(struct streams *s, const struct ranks *wanted, unsigned jobs, const struct streams_sink *sink,
	struct error *error)
{
	struct passing passing = {s, sink};
	progress_begin(&s->options.progress, "reading");
	struct progress second = {&s->options.progress, tell_second, NULL};
	struct trace_sink inner = {&passing, pass_event, s->facts.archive ? &second : &s->options.progress, NULL};
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
