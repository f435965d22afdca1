/*
 * events.c -- tracenest events: print the event streams of a trace.
 */
#include <unistd.h>

#include "base/output.h"
#include "cli/call_table.h"
#include "cli/cautions.h"
#include "cli/event_lines.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "trace/event_values.h"
#include "trace/streams.h"

#define PIECE (size_t)(1 << 16) /* bytes gathered before they are written */

struct printing {
	struct streams *streams;
	struct event_lines *lines;
	struct output *out;
	const char *values; /* of these names */
	bool carried; /* any of them, or times */
	bool times;
	bool any; /* of these was there */
	struct text text;
	uint64_t events;
};

static bool print_event(
	void *context, uint32_t rank, uint32_t event, const struct trace_event *carried, struct error *error)
{
	struct printing *p = context;
	if (!p->lines)
		p->lines = event_lines_new(streams_dictionary(p->streams, rank));
	event_lines_put(p->lines, event, rank, &p->text);
	if (p->carried) {
		text_truncate(&p->text, p->text.length - 1);
		size_t bare = p->text.length;
		event_values_print(carried, p->values, p->times, &p->text);
		p->any |= p->text.length > bare;
		text_char(&p->text, '\n');
	}
	p->events++;
	if (p->text.length < PIECE)
		return true;
	output_text(p->out, &p->text);
	if (!output_failed(p->out))
		return true;
	error->kind = ERROR_NONE; /* why it failed is output_close's to say */
	return false;
}

/* One thread, so that an archive comes rank after rank. */
static bool print_streams(struct printing *p, const struct settings *settings, struct error *error)
{
	const struct ranks *wanted = settings->ranks.length ? &settings->ranks : NULL;
	struct streams_sink sink = {p, print_event};
	const struct trace_facts *facts = streams_facts(p->streams);
	if (facts->archive && !selection_exists(settings, facts->processes, error))
		return false;
	if (!streams_read(p->streams, wanted, 1, &sink, error) && !output_failed(p->out))
		return false;
	output_text(p->out, &p->text);
	return facts->archive || output_failed(p->out) || selection_exists(settings, facts->processes, error);
}

static struct streams *open_streams(const struct settings *settings, struct report *report, struct error *error)
{
	struct streams_options options = {.jobs = (unsigned)settings->jobs};
	if (settings->output || !isatty(STDOUT_FILENO)) /* printed while they are read */
		options.progress = report_listens(report);
	if (!settings_trace(settings, NULL, &options.trace, error))
		return NULL;
	options.trace.attributes = event_values_asks_more(settings->values);
	options.trace.calls = event_values_asks_calls(settings->values);
	return streams_open(settings->argument[0], &options, error);
}

bool verb_events(const struct settings *settings, struct report *report, struct error *error)
{
	if (settings->csv || settings->parquet)
		return call_table_print(settings, report, error);
	struct printing p = {.out = output_open(settings->output, error)};
	p.values = settings->values ? settings->values : "none";
	p.times = settings->when;
	p.carried = p.times || !event_values_asks_none(p.values);
	if (!p.out)
		return false;
	p.streams = open_streams(settings, report, error);
	if (p.streams) { /* of all processes: later, of those that are printed */
		struct missing_records missing = {0};
		streams_missing_records(p.streams, &missing);
		missing_records_say(report, &missing);
		missing_records_clear(&missing);
	}
	bool good = p.streams && print_streams(&p, settings, error);
	if (good && streams_unnamed(p.streams))
		report_say(report, "communicators are not named: sends and receives do not balance with them");
	good = output_finish(p.out, good, error);
	if (good) {
		idle_reading(report, settings, streams_facts(p.streams));
		if (p.carried && !p.any)
			idle_say(report, settings, OPTIONS(OPTION_PRINTED_VALUES, OPTION_WHEN), "no event has any");
		report_close_long(report, p.events);
	}
	event_lines_free(p.lines);
	streams_close(p.streams);
	text_clear(&p.text);
	return good;
}
