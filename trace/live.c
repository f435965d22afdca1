/*
 * live.c -- an archive of which one location exists, in the making.
 */
#include "trace/live.h"

#include <stdlib.h>

#include "base/mem.h"
#include "trace/otf2_stream.h"

struct live {
	struct archive *archive;
	struct trace *trace;
	struct stream stream;
	struct stream_facts facts;
	struct error error;
	bool failed;
	char **site; /* by string, or by path; NULL: it is none */
	size_t sites, capacity;
	event_listener listener; /* NULL: there is none */
	void *context;
	const struct event_attributes *attributes; /* of the record at hand, for it */
};

static struct archive *archive_of(
	uint32_t processes, const char *const *region, uint32_t regions, const struct trace_options *options)
{
	struct archive *a = mem_zero(sizeof *a);
	a->options = *options;
	a->counts = call_counts_new();
	a->ours = true;
	a->dictionary = mem_zero(processes * sizeof *a->dictionary);
	definitions_begin(&a->definitions, processes, region, regions);
	return a;
}

struct trace *trace_of_parts(uint32_t processes)
{
	return trace_of_archive(archive_of(processes, NULL, 0, &(struct trace_options){0}));
}

struct live *live_new(uint32_t rank, uint32_t processes, const char *const *region, uint32_t regions,
	const struct trace_options *options, const struct trace_sink *sink)
{
	struct live *l = mem_zero(sizeof *l);
	struct archive *a = archive_of(processes, region, regions, options);
	l->trace = trace_of_archive(a);
	l->archive = a;
	l->stream = (struct stream){.archive = a, .rank = rank, .sink = sink, .error = &l->error, .facts = &l->facts};
	stream_begin(&l->stream);
	return l;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->sites; i++)
		free(l->site[i]);
	free(l->site);
	stream_clear(&l->stream);
	trace_close(l->trace); /* with the archive */
	free(l);
}

void live_communicator(struct live *l, uint32_t id, const uint32_t *member, size_t members)
{
	definitions_add_communicator(&l->archive->definitions, id, member, members);
}

void live_site(struct live *l, uint32_t id, const char *words)
{
	l->site = mem_grow(l->site, &l->capacity, (size_t)id + 1, sizeof *l->site);
	while (l->sites <= id)
		l->site[l->sites++] = NULL;
	free(l->site[id]);
	l->site[id] = mem_text(words);
}

void live_string(struct live *l, uint32_t id, const char *text)
{
	definitions_add_string(&l->archive->definitions, id, text);
}

static const char *site_of(const struct live *l, const struct event_attributes *a)
{
	if (!a || !(a->have & 1 << ATTRIBUTE_SITE))
		return NULL;
	uint32_t id = a->have & 1 << ATTRIBUTE_PATH ? a->path : a->site;
	return id < l->sites ? l->site[id] : NULL;
}

/* What an archive has as attributes, but for sites, which are told apart. */
static void list_attributes(
	const struct event_attributes *a, struct record_attribute attribute[ATTRIBUTES], struct event_record *r)
{
	const uint64_t value[ATTRIBUTES] = {
		[ATTRIBUTE_TYPE] = a->type,
		[ATTRIBUTE_COUNT] = a->count,
		[ATTRIBUTE_REQUEST] = a->request,
		[ATTRIBUTE_POSTED_SOURCE] = UINT32_MAX,
		[ATTRIBUTE_POSTED_TAG] = UINT32_MAX,
		[ATTRIBUTE_PREEMPTED] = a->preempted,
		[ATTRIBUTE_COMMUNICATOR] = r->communicator,
		[ATTRIBUTE_OPERATION] = a->operation,
		[ATTRIBUTE_TO] = a->to,
		[ATTRIBUTE_FROM] = a->from,
		[ATTRIBUTE_BYTES_BY_MEMBER] = a->bytes_by_member,
		[ATTRIBUTE_DISPLACEMENT] = (uint64_t)a->displacement,
		[ATTRIBUTE_SIZE] = a->size,
		[ATTRIBUTE_UNIT] = a->unit,
		[ATTRIBUTE_LOCK] = a->lock,
		[ATTRIBUTE_GROUP] = a->group,
	};
	uint32_t have = a->have & ~(1u << ATTRIBUTE_SITE | 1u << ATTRIBUTE_PATH | 1u << ATTRIBUTE_KEPT);
	if (have & 1u << ATTRIBUTE_TO)
		have |= 1u << ATTRIBUTE_COMMUNICATOR;
	for (uint32_t i = 0; i < ATTRIBUTES; i++)
		if (have >> i & 1)
			attribute[r->attributes++] = (struct record_attribute){
				.id = i, .type = event_attribute_rows[i].type, .value = value[i]};
	r->attribute = attribute;
}

void live_listen(struct live *l, event_listener listener, void *context)
{
	l->listener = listener;
	l->context = context;
}

static bool take_record(void *context, const struct event_record *r)
{
	struct live *l = context;
	if (l->listener)
		l->listener(l->context, r, l->attributes);
	return stream_take(&l->stream, r);
}

void live_take(void *context, const struct event_record *record, const struct event_attributes *attributes)
{
	struct live *l = context;
	l->facts.records++;
	l->stream.site = site_of(l, attributes);
	l->stream.newly = attributes && attributes->have & 1 << ATTRIBUTE_KEPT ? attributes->entered : 0;
	struct record_attribute attribute[ATTRIBUTES];
	struct event_record r = *record;
	l->attributes = attributes;
	if (attributes)
		list_attributes(attributes, attribute, &r);
	if (!l->failed)
		l->failed = !neighbours_pass_on(&l->archive->definitions, &r, take_record, l);
}

void live_moved(struct live *l, const char *call, uint64_t calls)
{
	l->facts.entered[name_of_call(call)] = calls;
}

bool live_finish(struct live *l, struct error *error)
{
	l->failed = l->failed || !stream_end(&l->stream);
	l->facts.events = l->stream.events;
	l->facts.collective_regions_seen = l->stream.seen & REGION_COLLECTIVE;
	l->facts.disordered = l->stream.order.disordered;
	trace_add_stream(l->trace, l->stream.rank, &l->facts);
	if (l->failed)
		*error = l->error;
	return !l->failed;
}

struct trace *live_trace(struct live *l)
{
	return l->trace;
}
