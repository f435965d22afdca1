/*
 * perfetto.c -- an arrow is written when its end is known, with its begin.
 */
#include "replay/perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "model/module_address.h"

/* The call of a process that may go on: it is written when the next one begins. */
struct open_call {
	bool any;
	const char *name;
	uint64_t enter, leave;
	struct text words; /* its first event */
	size_t line;
	uint64_t events;
};

struct drawing {
	uint32_t processes;
	const struct perfetto_window *window;
	struct overview overview;
	struct module_addresses addresses;
	struct open_call *call; /* by process */
	uint32_t *past; /* processes that are behind the window, one each */
	uint32_t behind;
	double tick; /* microseconds */
	struct json json;
	struct perfetto_facts *facts;
};

static double microseconds(const struct drawing *d, uint64_t ticks)
{
	return (double)ticks * d->tick;
}

static void begin(struct drawing *d, const char *phase, const char *name, uint32_t rank, uint64_t time)
{
	json_object(&d->json, NULL, JSON_TIGHT);
	json_string(&d->json, "ph", phase);
	json_string(&d->json, "name", name);
	json_number(&d->json, "pid", 0);
	json_number(&d->json, "tid", rank);
	json_short(&d->json, "ts", microseconds(d, time), 3);
}

/* ------------------------------------------------------------------ what is there */

/* rank: NULL: of all processes. */
static void name_track(struct drawing *d, const char *what, const uint32_t *rank, const char *name)
{
	json_object(&d->json, NULL, JSON_TIGHT);
	json_string(&d->json, "ph", "M");
	json_string(&d->json, "name", what);
	json_number(&d->json, "pid", 0);
	if (rank)
		json_number(&d->json, "tid", *rank);
	json_object(&d->json, "args", JSON_TIGHT);
	json_string(&d->json, "name", name);
	json_close(&d->json);
	json_close(&d->json);
}

static bool is_wanted(const struct drawing *d, uint32_t rank)
{
	return !d->window->ranks || ranks_has(d->window->ranks, rank);
}

static void name_tracks(struct drawing *d)
{
	name_track(d, "process_name", NULL, "MPI processes");
	for (uint32_t rank = 0; rank < d->processes; rank++) {
		char name[32];
		snprintf(name, sizeof name, "rank %" PRIu32, rank);
		if (is_wanted(d, rank))
			name_track(d, "thread_name", &rank, name);
	}
}

static void put_call(struct drawing *d, uint32_t rank)
{
	struct open_call *c = &d->call[rank];
	if (!c->any)
		return;
	c->any = false;
	d->facts->calls++;
	begin(d, "X", c->name, rank, c->enter);
	json_short(&d->json, "dur", microseconds(d, c->leave - c->enter), 3);
	json_object(&d->json, "args", JSON_TIGHT);
	json_string(&d->json, "event", c->words.data);
	json_string(&d->json, "statement", module_addresses_get(&d->addresses, c->line));
	if (c->events > 1)
		json_number(&d->json, "events", c->events);
	json_close(&d->json);
	json_close(&d->json);
}

static void put_arrow(struct drawing *d, const struct played *p)
{
	uint64_t inside = p->leave > p->enter ? p->leave - 1 : p->leave; /* its end is no longer in a slice */
	d->facts->arrows++;
	for (int end = 0; end < 2; end++) {
		begin(d, end ? "f" : "s", "message", end ? p->rank : (uint32_t)p->event->number[COLUMN_PEER],
			end ? inside : p->sent);
		json_string(&d->json, "cat", "message");
		json_number(&d->json, "id", p->message);
		if (end)
			json_string(&d->json, "bp", "e");
		json_close(&d->json);
	}
}

/* ------------------------------------------------------------------ the window */

static bool in_time(const struct drawing *d, uint64_t enter, uint64_t leave)
{
	const struct perfetto_window *w = d->window;
	return microseconds(d, leave) >= w->from * 1e6 && (w->until <= 0 || microseconds(d, enter) <= w->until * 1e6);
}

static bool is_inside(const struct drawing *d, const struct played *p)
{
	const struct perfetto_window *w = d->window;
	const struct overview_line *line = &d->overview.line[w->line];
	if (!w->inside)
		return true;
	if (p->cursor->line < w->line || p->cursor->line >= line->end)
		return false;
	if (!overview_is_loop(&d->overview, w->line))
		return true;
	uint64_t index = (uint64_t)p->cursor->at.index[line->loops];
	return index >= w->first && index <= w->last;
}

/* Once all processes are behind it, nothing more is wanted. */
static bool note_end(struct drawing *d, const struct played *p)
{
	if (d->window->until > 0 && microseconds(d, p->enter) > d->window->until * 1e6 && !d->past[p->rank]) {
		d->past[p->rank] = 1;
		d->behind++;
	}
	return d->behind < d->processes;
}

static bool take(void *context, const struct played *p)
{
	struct drawing *d = context;
	struct open_call *c = &d->call[p->rank];
	bool wanted = is_wanted(d, p->rank) && is_inside(d, p) && in_time(d, p->enter, p->leave);
	if (p->own || !c->any)
		put_call(d, p->rank);
	if (wanted && !c->any) {
		const struct event_numbers *e = p->event;
		text_truncate(&c->words, 0);
		event_print_at(&p->cursor->at, p->sets, p->cursor->event, 0, &c->words);
		*c = (struct open_call){.any = true,
			.name = kind_sends(e->kind)      ? "MPI_Send"
				: kind_receives(e->kind) ? "MPI_Recv"
				: kind_gathers(e->kind)  ? store_get_word(d->overview.store, e->word)
							 : kind_rows[e->kind].call,
			.enter = p->enter,
			.words = c->words,
			.line = p->cursor->line};
	}
	if (wanted) {
		c->leave = p->leave;
		c->events++;
	}
	if (kind_sends(p->event->kind))
		*p->note = wanted;
	else if (kind_receives(p->event->kind) && wanted && *p->note)
		put_arrow(d, p);
	return note_end(d, p) && !output_failed(d->json.out);
}

bool perfetto_write(struct run *run, const struct pace *pace, const struct perfetto_window *window, struct output *out,
	struct perfetto_facts *facts)
{
	uint32_t processes = run_module(run)->processes;
	struct drawing d = {.processes = processes,
		.window = window,
		.addresses = module_addresses_of(run_module(run)),
		.tick = 1e6 / (double)playback_ticks_per_second(pace),
		.json = {.out = out},
		.facts = facts};
	*facts = (struct perfetto_facts){0};
	overview_of(&d.overview, run);
	d.call = mem_zero((processes + (size_t)1) * sizeof *d.call);
	d.past = mem_zero((processes + (size_t)1) * sizeof *d.past);
	json_object(&d.json, NULL, JSON_LINES);
	json_string(&d.json, "displayTimeUnit", "ns");
	json_array(&d.json, "traceEvents", JSON_LINES);
	name_tracks(&d);
	bool good = playback_run(run, pace, NULL, &(struct playback_client){&d, take});
	for (uint32_t rank = 0; rank < processes; rank++) {
		put_call(&d, rank);
		text_clear(&d.call[rank].words);
	}
	json_close(&d.json);
	json_close(&d.json);
	json_finish(&d.json);
	module_addresses_clear(&d.addresses);
	overview_clear(&d.overview);
	free(d.call);
	free(d.past);
	return good;
}
