/*
 * event_values.h -- what an event of a trace carries, by names of attributes: "bytes,type"; "all";
 * "none"; NULL: bytes, received, what calls say (op, disp, ...) and thread.
 */
#ifndef TRACENEST_TRACE_EVENT_VALUES_H
#define TRACENEST_TRACE_EVENT_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/attributes.h"
#include "trace/trace.h"

/* What a call says beside sizes, and its event has no field for: told where nothing else is asked
   for. */
#define EVENT_VALUES_SAID                                                                                              \
	{                                                                                                              \
		"op", "bytes[q]", "disp", "size", "unit", "lock", "group"                                              \
	}
#define EVENT_VALUES_SAID_COUNT 7

bool event_values_is_asked(const char *names, const char *name, size_t length);
bool event_values_asks_more(const char *names); /* than sizes, which every event has a field for */
bool event_values_asks_calls(const char *names); /* "call" and what goes with it (trace/postings.h) */
bool event_values_asks_none(const char *names);

/* What an event carries under a name. digits: room for a number too large for one. */
#define EVENT_VALUES_DIGITS 32
struct attribute_value event_values_value(
	const struct trace_event *, const char *name, size_t length, char digits[EVENT_VALUES_DIGITS]);

/* The same of an attribute at hand; of a size, where it is known. */
struct attribute_value event_values_named(const struct trace_attribute *, char digits[EVENT_VALUES_DIGITS]);
struct attribute_value event_values_size(bool there, uint64_t size, char digits[EVENT_VALUES_DIGITS]);

/* Behind an event's line, " ; bytes=800 type=MPI_INT": those of these names, bytes and received
   first; timed: before them its time, where it has one. Nothing where it carries none. */
void event_values_print(const struct trace_event *, const char *names, bool timed, struct text *);

#endif
