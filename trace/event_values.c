/*
 * event_values.c -- sizes are fields of an event, all else stands in its list.
 */
#include "trace/event_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/postings.h"

static bool is_name(const char *name, size_t length, const char *what)
{
	return strlen(what) == length && !memcmp(name, what, length);
}

static bool is_said(const char *name, size_t length)
{
	static const char *const said[EVENT_VALUES_SAID_COUNT] = EVENT_VALUES_SAID;
	bool is = false;
	for (size_t i = 0; i < EVENT_VALUES_SAID_COUNT; i++)
		is = is || (length == strlen(said[i]) && !memcmp(name, said[i], length));
	return is;
}

/* One word asks for all that is told of calls. */
bool event_values_asks_calls(const char *names)
{
	bool asked = false;
	for (const char *at = names ? names : ""; *at && !asked; at += strspn(at, ",")) {
		size_t word = strcspn(at, ",");
		asked = postings_is_attribute(at, word);
		at += word;
	}
	return asked;
}

static bool is_size(const char *name, size_t length)
{
	return is_name(name, length, "bytes") || is_name(name, length, "received");
}

bool event_values_is_asked(const char *names, const char *name, size_t length)
{
	if (!names)
		return is_size(name, length) || is_said(name, length) || is_name(name, length, "thread");
	if (!strcmp(names, "all"))
		return true;
	if (postings_is_attribute(name, length))
		return event_values_asks_calls(names);
	if (is_said(name, length) && event_values_asks_calls(names))
		return true;
	for (const char *at = names; *at; at += strspn(at, ",")) {
		size_t word = strcspn(at, ",");
		if (word == length && !memcmp(at, name, length))
			return true;
		at += word;
	}
	return false;
}

bool event_values_asks_none(const char *names)
{
	return names && !strcmp(names, "none");
}

bool event_values_asks_more(const char *names)
{
	bool more = false;
	for (const char *at = names ? names : ""; *at && !event_values_asks_none(names); at += strspn(at, ",")) {
		size_t word = strcspn(at, ",");
		more = more || !is_size(at, word);
		at += word;
	}
	return more;
}

/* A number beyond the limit is a word. */
struct attribute_value event_values_size(bool there, uint64_t size, char digits[EVENT_VALUES_DIGITS])
{
	if (size <= (uint64_t)ATTRIBUTE_LIMIT)
		return (struct attribute_value){there, NULL, (int64_t)size};
	snprintf(digits, EVENT_VALUES_DIGITS, "%" PRIu64, size);
	return (struct attribute_value){there, digits, 0};
}

struct attribute_value event_values_named(const struct trace_attribute *a, char digits[EVENT_VALUES_DIGITS])
{
	if (a->word || (a->number <= ATTRIBUTE_LIMIT && a->number >= -ATTRIBUTE_LIMIT))
		return (struct attribute_value){true, a->word, a->number};
	snprintf(digits, EVENT_VALUES_DIGITS, "%" PRId64, a->number);
	return (struct attribute_value){true, digits, 0};
}

struct attribute_value event_values_value(
	const struct trace_event *e, const char *name, size_t length, char digits[EVENT_VALUES_DIGITS])
{
	if (is_name(name, length, "bytes"))
		return event_values_size(e->sized, e->bytes, digits);
	if (is_name(name, length, "received"))
		return event_values_size(e->exchanged, e->received, digits);
	for (uint32_t i = 0; i < e->attribute_count; i++)
		if (e->attribute[i].length == length && !memcmp(e->attribute[i].name, name, length))
			return event_values_named(&e->attribute[i], digits);
	return (struct attribute_value){0};
}

static void print_pair(const char *name, size_t length, const struct attribute_value *v, bool *any, struct text *out)
{
	if (!v->there)
		return;
	text_put(out, *any ? " " : " ; ");
	text_add(out, name, length);
	text_char(out, '=');
	attribute_value_print(v, out);
	*any = true;
}

void event_values_print(const struct trace_event *e, const char *names, bool timed, struct text *out)
{
	static const char *const sizes[] = {"bytes", "received"};
	char digits[EVENT_VALUES_DIGITS];
	bool any = timed && e->timed;
	if (any)
		text_format(out, " ; time=%" PRIu64, e->time);
	for (size_t i = 0; i < 2; i++) {
		struct attribute_value v = event_values_value(e, sizes[i], strlen(sizes[i]), digits);
		if (event_values_is_asked(names, sizes[i], strlen(sizes[i])))
			print_pair(sizes[i], strlen(sizes[i]), &v, &any, out);
	}
	for (uint32_t i = 0; i < e->attribute_count; i++) {
		const struct trace_attribute *a = &e->attribute[i];
		struct attribute_value v = event_values_named(a, digits);
		if (event_values_is_asked(names, a->name, a->length))
			print_pair(a->name, a->length, &v, &any, out);
	}
}
