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

static const char *site_of(const struct live *l, const struct event_attributes *a)
{
	if (!a || !(a->have & 1 << ATTRIBUTE_SITE))
		return NULL;
	uint32_t id = a->have & 1 << ATTRIBUTE_PATH ? a->path : a->site;
	return id < l->sites ? l->site[id] : NULL;
}

void live_take(void *context, const struct event_record *record, const struct event_attributes *attributes)
{
	struct live *l = context;
	l->facts.records++;
	l->stream.site = site_of(l, attributes);
	l->stream.newly = attributes && attributes->have & 1 << ATTRIBUTE_KEPT ? attributes->entered : 0;
	if (!l->failed)
		l->failed = !stream_take(&l->stream, record);
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
