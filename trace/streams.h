/*
 * streams.h -- the streams of a trace as they are printed and compared: all events in one
 * dictionary, communicators named or not as the rule has it: they are where sends and receives
 * balance with them (trace/balance.c).
 *
 *	struct streams *s = streams_open(path, &(struct streams_options){.jobs = 1}, &error);
 *	streams_read(s, NULL, 1, &sink, &error);
 *	streams_close(s);
 *
 * Whether communicators may be named is known only when an archive has been read, so opening one
 * reads it once, counting. The communicators of text traces stand as they were written, and text is
 * read once.
 */
#ifndef TRACENEST_TRACE_STREAMS_H
#define TRACENEST_TRACE_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "model/dictionary.h"
#include "trace/trace.h"

struct streams;

/* As of trace.h; events are ids of streams_dictionary. carried: the event as the reader has it, for
   what it carries. */
struct streams_sink {
	void *context;
	bool (*event)(void *context, uint32_t rank, uint32_t event, const struct trace_event *carried, struct error *);
};

struct streams_options {
	struct trace_options trace;
	unsigned jobs; /* threads of opening; 0: all cores */
	struct progress progress; /* of opening and reading together */
};

/* path: as of trace_open. Copies the options. NULL with *error set on failure. */
struct streams *streams_open(const char *path, const struct streams_options *, struct error *);
void streams_close(struct streams *);

/* Read the streams of `wanted` ranks (NULL: all). jobs: threads; with 1, an archive comes rank
   after rank. False with *error set by the reader, or by the sink, which returned false. */
bool streams_read(
	struct streams *, const struct ranks *wanted, unsigned jobs, const struct streams_sink *, struct error *);

/* The one dictionary, as soon as this rank has had an event. Of archives it is complete from the
   start; of text it grows. */
const struct dictionary *streams_dictionary(const struct streams *, uint32_t rank);

/* What the trace is; of the reading that is complete. */
const struct trace_facts *streams_facts(const struct streams *);

/* Gives what the trace does not hold, of the reading that is complete. */
void streams_missing_records(const struct streams *, struct missing_records *);

/* Were communicators dropped, because sends and receives do not balance with them? */
bool streams_unnamed(const struct streams *);

#endif
