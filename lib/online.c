/*
 * online.c -- a reading of one process, whose trace is in the making.
 */
#include "lib/online.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "base/output.h"
#include "lib/online_times.h"
#include "lib/pipeline.h"
#include "lib/reading.h"
#include "trace/event_values.h"
#include "trace/live.h"

struct online {
	uint32_t rank;
	struct reading reading;
	struct live *live;
	struct online_times *times; /* NULL: not wanted */
	struct trace_options options;
	struct trace_sink sink;
	struct error error;
	struct collecting collecting;
};

static void take_times(void *times, const struct event_record *record, const struct event_attributes *attributes)
{
	if (times)
		online_times_take(times, record, attributes);
}

struct online *online_new(uint32_t rank, uint32_t processes, const char *const *region, uint32_t regions,
	const struct online_options *options)
{
	static const struct program_options usual = {PROGRAM_OPTIONS};
	struct online *o = mem_zero(sizeof *o);
	o->rank = rank;
	bool sites = options->at_sites || !event_values_asks_none(options->values);
	o->options = (struct trace_options){.distinct = PROGRAM_DISTINCT,
		.sites = sites,
		.attributes = event_values_asks_more(options->values),
		.calls = event_values_asks_calls(options->values)};
	o->reading.options = (struct nlr_options){.window = usual.window, .repetitions = usual.repetitions};
	o->reading.archive = true;
	o->reading.at_sites = options->at_sites;
	o->reading.values = sites ? value_columns_new(options->values, true, false) : NULL;
	o->sink = (struct trace_sink){.context = &o->reading, .event = reading_push};
	o->live = live_new(rank, processes, region, regions, &o->options, &o->sink);
	if (options->times)
		o->times = online_times_new(rank, region, regions);
	live_listen(o->live, take_times, o->times);
	o->reading.trace = live_trace(o->live);
	o->collecting = (struct collecting){&o->reading, behaviours_new(), &o->error};
	reading_make_room(&o->reading, processes);
	return o;
}

void online_free(struct online *o)
{
	if (!o)
		return;
	behaviours_free(o->collecting.behaviours);
	online_times_free(o->times);
	o->reading.trace = NULL; /* it is the live one's */
	reading_clear(&o->reading);
	live_free(o->live);
	free(o);
}

void online_communicator(struct online *o, uint32_t id, const uint32_t *member, size_t members)
{
	live_communicator(o->live, id, member, members);
}

void online_used(struct online *o, uint32_t id, uint64_t key)
{
	struct process *p = &o->reading.process[o->rank];
	p->key = mem_grow(p->key, &p->key_capacity, id, sizeof *p->key);
	while (p->keys + 1 < id) /* 0: ids that nothing is recorded of */
		p->key[p->keys++] = 0;
	p->key[id - 2] = key;
}

void online_site(struct online *o, uint32_t id, const char *words)
{
	live_site(o->live, id, words);
}

void online_string(struct online *o, uint32_t id, const char *text)
{
	live_string(o->live, id, text);
}

void online_take(void *online, const struct event_record *record, const struct event_attributes *attributes)
{
	live_take(((struct online *)online)->live, record, attributes);
}

void online_moved(struct online *o, const char *call, uint64_t calls)
{
	live_moved(o->live, call, calls);
}

void online_finish(struct online *o, const char *failure)
{
	struct process *p = &o->reading.process[o->rank];
	live_finish(o->live, &o->error);
	if (failure)
		error_set(&o->error, ERROR_INPUT, "rank %" PRIu32 ": %s", o->rank, failure);
	if (!p->nlr && !p->affine)
		p->nlr = nlr_new(&o->reading.options);
	reading_finish_process(&o->reading, o->rank);
	if (o->reading.values)
		value_columns_finish(o->reading.values, 1);
	p->dictionary = trace_dictionary(o->reading.trace, o->rank);
	if (o->error.kind == ERROR_NONE)
		collecting_take(&o->collecting, o->rank);
}

void online_gather(struct online *o, const struct transport *t)
{
	transport_gather(t, &(struct gathering){&o->collecting, collecting_add, collecting_pack});
}

bool online_write_times(struct online *o, const char *path, struct error *error)
{
	struct online_times *times = o->times;
	o->times = NULL;
	return !times || online_times_write(times, path, error);
}

/* ------------------------------------------------------------------ in a file */

#define FIRST_LINE "tracenest online 1\n"

bool online_write(struct online *o, const char *path, struct error *error)
{
	struct text bytes = {0};
	text_put(&bytes, FIRST_LINE);
	pack_number(&bytes, o->reading.processes);
	collecting_pack(&o->collecting, &bytes);
	bool good = output_all(path, bytes.data, bytes.length, error);
	text_clear(&bytes);
	return good;
}

static bool unpack_file(struct reading *r, const struct text *file, struct error *error)
{
	size_t first = strlen(FIRST_LINE);
	bool known = file->length > first && !memcmp(file->data, FIRST_LINE, first);
	struct unpack from = unpack_start(file->data + (known ? first : 0), known ? file->length - first : 0);
	uint64_t processes = unpack_below(&from, RANK_LIMIT);
	if (!processes)
		return error_set(error, ERROR_INPUT, "not what a recording leaves of its model");
	r->archive = true;
	r->trace = trace_of_parts((uint32_t)processes);
	reading_make_room(r, processes);
	struct collecting c = {r, behaviours_new(), error};
	collecting_add(&c, &(struct text){.data = (char *)from.at, .length = (size_t)(from.end - from.at)});
	if (error->kind == ERROR_NONE)
		collecting_unpack(&c);
	behaviours_free(c.behaviours);
	return error->kind == ERROR_NONE;
}

bool reading_of_online(struct reading *r, const char *path, struct error *error)
{
	struct text file = {0};
	bool good = file_read(path, SIZE_MAX, &file, error);
	if (good && !unpack_file(r, &file, error))
		good = error_at(error, "%s", path);
	text_clear(&file);
	return good;
}
