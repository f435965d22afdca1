/*
 * streams.h -- the streams of a trace as they are printed and compared: all events in one dictionary, communicators named or
 * not as the rule has it (the design, section 3).
 *
 *	struct streams *s = streams_open(settings, path, &report, &error);
 *	streams_read(s, NULL, 1, &sink, &error);
 *	streams_close(s);
 *
 * Whether communicators may be named is known only when an archive has been read, so opening one reads it once, counting. The
 * communicators of text traces stand as they were written, and text is read once.
 */
#ifndef TRACENEST_CLI_STREAMS_H
#define TRACENEST_CLI_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ranks.h"
#include "cli/options.h"
#include "cli/report.h"
#include "model/dictionary.h"
#include "trace/trace.h"

struct streams;

/* As of trace.h; events are ids of streams_dictionary. */
struct streams_sink {
	void *context;
	bool (*event)(void *context, uint32_t rank, uint32_t event, struct error *);
};

struct streams *streams_open(const struct settings *, const char *path, struct report *, struct error *);
void streams_close(struct streams *);

bool streams_read(struct streams *, const struct ranks *wanted, unsigned jobs, const struct streams_sink *, struct error *);

/* The one dictionary, as soon as this rank has had an event. Of archives it is complete from the start; of text it grows. */
const struct dictionary *streams_dictionary(const struct streams *, uint32_t rank);

/* What the trace is; of the reading that is complete. */
const struct trace_facts *streams_facts(const struct streams *);

/* Were communicators dropped, because sends and receives do not balance with them? */
bool streams_unnamed(const struct streams *);

#endif
