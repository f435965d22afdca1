/*
 * otf2_attributes.c -- what records carry by name, as words and numbers.
 *
 * Whole numbers stay numbers where 64 bits with sign hold them; numbers with a point become words, as do
 * strings and the names of regions; other references are numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "model/call_paths.h"
#include "trace/otf2_stream.h"

static const char *kept(struct stream *s, const char *word)
{
	if (!s->figures)
		s->figures = intern_new();
	return intern_data(s->figures, intern_id(s->figures, word, strlen(word)), NULL);
}

static void put_unsigned(struct stream *s, uint64_t number, struct trace_attribute *to)
{
	char digits[32];
	to->number = (int64_t)number;
	if (number <= INT64_MAX)
		return;
	snprintf(digits, sizeof digits, "%" PRIu64, number);
	to->word = kept(s, digits);
}

static void put_figure(struct stream *s, double figure, struct trace_attribute *to)
{
	char digits[64];
	snprintf(digits, sizeof digits, "%.17g", figure);
	to->word = kept(s, digits);
}

static void put_value(struct stream *s, OTF2_Type type, OTF2_AttributeValue v, struct trace_attribute *to)
{
	switch (type) {
	case OTF2_TYPE_UINT8:
		to->number = v.uint8;
		break;
	case OTF2_TYPE_UINT16:
		to->number = v.uint16;
		break;
	case OTF2_TYPE_UINT32:
		to->number = v.uint32;
		break;
	case OTF2_TYPE_UINT64:
		put_unsigned(s, v.uint64, to);
		break;
	case OTF2_TYPE_INT8:
		to->number = v.int8;
		break;
	case OTF2_TYPE_INT16:
		to->number = v.int16;
		break;
	case OTF2_TYPE_INT32:
		to->number = v.int32;
		break;
	case OTF2_TYPE_INT64:
		to->number = v.int64;
		break;
	case OTF2_TYPE_FLOAT:
		put_figure(s, v.float32, to);
		break;
	case OTF2_TYPE_DOUBLE:
		put_figure(s, v.float64, to);
		break;
	case OTF2_TYPE_STRING:
		to->word = definitions_string(s->definitions, v.stringRef);
		break;
	case OTF2_TYPE_REGION:
		to->word = definitions_region_name(s->definitions, v.regionRef);
		break;
	default:
		to->number = v.uint32;
		break;
	}
}

static const char *recorded_site(struct stream *s, const OTF2_AttributeList *list)
{
	OTF2_StringRef string;
	OTF2_CallingContextRef path;
	if (list && s->definitions->pathed &&
		OTF2_AttributeList_GetCallingContextRef(list, s->definitions->path, &path) == OTF2_SUCCESS) {
		if (!s->site || path != s->site_path) {
			const struct calling_context *context = definitions_context(s->definitions, path);
			s->site = context ? context->words : NULL;
			s->site_path = path;
			s->site_string = OTF2_UNDEFINED_STRING;
		}
		return s->site;
	}
	if (!list || !s->definitions->sited ||
		OTF2_AttributeList_GetStringRef(list, s->definitions->site, &string) != OTF2_SUCCESS)
		return NULL;
	if (!s->site || string != s->site_string) {
		s->site = definitions_string(s->definitions, string);
		s->site_string = string;
		s->site_path = OTF2_UNDEFINED_CALLING_CONTEXT;
	}
	return s->site;
}

/* How many calls of a path are further in than those of another one, as words: 0, where that is no
   part of it. */
static uint32_t calls_further_in(const char *path, const char *outer)
{
	size_t length = strlen(path), kept = outer ? strlen(outer) : 0;
	uint32_t calls = 0;
	if (!kept || kept >= length || strcmp(path + length - kept, outer))
		return 0;
	for (const char *at = path; (at = strstr(at, CALL_PATH_OUTSIDE)) && at < path + length - kept; at++)
		calls++;
	return calls;
}

static uint32_t recorded_entered(struct stream *s, const OTF2_AttributeList *list)
{
	OTF2_CallingContextRef kept;
	if (!list || !s->site || !s->definitions->knows_kept ||
		OTF2_AttributeList_GetCallingContextRef(list, s->definitions->kept, &kept) != OTF2_SUCCESS)
		return 0;
	if (s->kept_site != s->site || s->kept_path != kept) {
		s->kept_site = s->site;
		s->kept_path = kept;
		const struct calling_context *outer = definitions_context(s->definitions, kept);
		s->newly = calls_further_in(s->site, outer ? outer->words : NULL);
	}
	return s->newly;
}

/* Of the program: MPI's own frames, and those of who measures, are left out. */
static void site_in_context(struct stream *s, struct trace_event *e)
{
	const struct calling_context *c = definitions_context(s->definitions, s->context);
	while (c && definitions_region(s->definitions, c->region)->flags & (REGION_MPI | REGION_INTERNAL))
		c = c->depth > 1 ? definitions_context(s->definitions, c->caller) : NULL;
	uint32_t depth = c ? c->depth : 0;
	e->site = c ? c->words : NULL;
	e->exact = c && !s->context_vague;
	e->entered = e->exact && depth > s->context_kept ? depth - s->context_kept : 0;
	s->context_kept = depth;
	s->context_vague = false;
}

void stream_site(struct stream *s, const OTF2_AttributeList *list, struct trace_event *e)
{
	e->site = recorded_site(s, list);
	if (e->site) {
		e->entered = recorded_entered(s, list);
		return;
	}
	if (s->context != OTF2_UNDEFINED_CALLING_CONTEXT) {
		site_in_context(s, e);
		return;
	}
	e->site = call_path_words(&s->path);
	e->exact = e->site != NULL;
	e->entered = call_path_entered(&s->path);
}

void stream_attributes(struct stream *s, const OTF2_AttributeList *list, struct trace_event *e)
{
	uint32_t there = list ? OTF2_AttributeList_GetNumberOfElements(list) : 0;
	e->attribute = s->attribute;
	for (uint32_t i = 0; i < there && e->attribute_count < STREAM_ATTRIBUTES; i++) {
		struct trace_attribute *to = &s->attribute[e->attribute_count];
		OTF2_AttributeRef id;
		OTF2_Type type;
		OTF2_AttributeValue value;
		if (OTF2_AttributeList_GetAttributeByIndex(list, i, &id, &type, &value) != OTF2_SUCCESS ||
			type == OTF2_TYPE_CALLING_CONTEXT || /* tells where the site is called */
			(s->sense.definitions && s->definitions->knows_thread &&
				id == s->definitions->which_thread)) /* told of all threads */
			continue;
		*to = (struct trace_attribute){.name = definitions_attribute(s->definitions, id)};
		to->length = strlen(to->name);
		put_value(s, type, value, to);
		e->attribute_count++;
	}
}
