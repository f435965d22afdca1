/*
 * otf2_attributes.c -- what records carry by name, as words and numbers.
 *
 * Whole numbers stay numbers where 64 bits with sign hold them; numbers with a point become words, as do
 * strings and the names of regions; other references are numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/compare.h"
#include "model/attributes.h"
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

/* What stands in the order of the communicator, in that of ranks; NULL: it is no list of as many. */
static char *by_rank(const struct otf2_group *g, const char *list)
{
	struct member {
		uint32_t rank;
		int64_t number;
	} *member = mem_array(g->length, sizeof *member), moved;
	struct text text = {0};
	size_t length = 0;
	uint64_t times;
	bool good = true;
	for (int64_t number; good && member_list_next(&list, &number, &times);) {
		good = times <= g->length - length;
		for (; good && times; times--, length++)
			member[length] = (struct member){g->member[length], number};
	}
	good = good && !*list && length == g->length;
	qsort(member, length, sizeof *member, compare_u32); /* ranks come first */
	for (size_t i = 0, next; good && i < length; i = next) {
		moved = member[i];
		for (next = i + 1; next < length && member[next].number == moved.number; next++)
			;
		member_list_add(&text, moved.number, next - i);
	}
	free(member);
	if (good)
		return text.data;
	text_clear(&text);
	return NULL;
}

static const char *in_order_of_ranks(struct stream *s, uint32_t communicator, const char *list)
{
	const struct otf2_communicator *c = definitions_communicator(s->definitions, communicator);
	bool ascends = true;
	if (!list || !c || c->remote || c->local->self || c->local->identity || c->local->damaged)
		return list;
	for (size_t i = 1; i < c->local->length && ascends; i++)
		ascends = c->local->member[i - 1] < c->local->member[i];
	char *moved = ascends ? NULL : by_rank(c->local, list);
	if (moved)
		list = kept(s, moved);
	free(moved);
	return list;
}

static const char *recorded_site(struct stream *s, const struct event_record *r)
{
	const struct definitions *d = s->definitions;
	const struct record_attribute *path =
		d->pathed ? record_attribute(r, d->path, OTF2_TYPE_CALLING_CONTEXT) : NULL;
	const struct record_attribute *string =
		!path && d->sited ? record_attribute(r, d->site, OTF2_TYPE_STRING) : NULL;
	if (path && (!s->site || path->value != s->site_path)) {
		const struct calling_context *context = definitions_context(d, (uint32_t)path->value);
		s->site = context ? context->words : NULL;
		s->site_path = (uint32_t)path->value;
		s->site_string = OTF2_UNDEFINED_STRING;
	} else if (string && (!s->site || string->value != s->site_string)) {
		s->site = definitions_string(d, (uint32_t)string->value);
		s->site_string = (uint32_t)string->value;
		s->site_path = OTF2_UNDEFINED_CALLING_CONTEXT;
	}
	return path || string ? s->site : NULL;
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

static uint32_t recorded_entered(struct stream *s, const struct event_record *r)
{
	const struct record_attribute *kept =
		s->site && s->definitions->knows_kept
			? record_attribute(r, s->definitions->kept, OTF2_TYPE_CALLING_CONTEXT)
			: NULL;
	if (!kept)
		return 0;
	if (s->kept_site != s->site || s->kept_path != kept->value) {
		s->kept_site = s->site;
		s->kept_path = (uint32_t)kept->value;
		const struct calling_context *outer = definitions_context(s->definitions, s->kept_path);
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

void stream_site(struct stream *s, const struct event_record *r, struct trace_event *e)
{
	e->site = recorded_site(s, r);
	if (e->site) {
		e->entered = recorded_entered(s, r);
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

void stream_attributes(struct stream *s, const struct event_record *r, struct trace_event *e)
{
	const struct definitions *d = s->definitions;
	e->attribute = s->attribute;
	for (uint32_t i = 0; r && i < r->attributes && e->attribute_count < STREAM_ATTRIBUTES; i++) {
		const struct record_attribute *from = &r->attribute[i];
		struct trace_attribute *to = &s->attribute[e->attribute_count];
		if (d->knows_neighbours && (from->id == d->to || from->id == d->from))
			continue; /* the event is what it says */
		if (from->type == OTF2_TYPE_CALLING_CONTEXT || /* tells where the site is called */
			(s->sense.definitions && d->knows_thread &&
				from->id == d->which_thread)) /* told of all threads */
			continue;
		if (s->carrying == CARRYING_USUAL && !definitions_attribute_is_usual(d, from->id))
			continue;
		OTF2_AttributeValue value;
		memcpy(&value, &from->value, sizeof value);
		*to = (struct trace_attribute){.name = definitions_attribute(d, from->id)};
		to->length = strlen(to->name);
		put_value(s, (OTF2_Type)from->type, value, to);
		if (attribute_is_by_member(to->name))
			to->word = in_order_of_ranks(s, r->communicator, to->word);
		e->attribute_count++;
	}
}
