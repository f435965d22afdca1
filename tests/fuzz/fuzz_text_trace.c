/*
 * fuzz_text_trace.c -- any bytes as a text trace: refused with a message, or read as events that
 * print and parse back to themselves.
 */
#include <string.h>

#include "base/text.h"
#include "tests/fuzz/fuzz.h"
#include "trace/trace.h"

struct reading {
	struct trace *trace;
	struct text line;
};

static bool print_and_parse(void *context, uint32_t rank, const struct trace_event *event, struct error *error)
{
	struct reading *reading = context;
	struct dictionary *dictionary = trace_dictionary(reading->trace, rank);
	MUST(dictionary);
	text_truncate(&reading->line, 0);
	event_print(dictionary, event->event, &reading->line);
	uint32_t again;
	MUST(event_parse(dictionary, reading->line.data, false, &again, error));
	MUST(again == event->event);
	if (event->attributes)
		MUST(strlen(event->attributes) < SIZE_MAX);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file file = memory_file(data, size);
	struct trace_options options = {.events = TRACE_ALL};
	struct error error = {0};
	struct reading reading = {.trace = trace_open(file.path, &options, &error)};
	struct trace_sink sink = {&reading, print_and_parse, NULL, NULL};
	bool read = reading.trace && trace_read(reading.trace, 1, NULL, &sink, &error);
	MUST(read || (error.kind != ERROR_NONE && *error.message));
	if (reading.trace)
		trace_close(reading.trace);
	text_clear(&reading.line);
	close(file.descriptor);
	return 0;
}
