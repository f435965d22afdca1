/*
 * volumes.c -- each process of the trace is followed through the program: the statement that it is
 * at tells to which phases the bytes of a send belong.
 */
#include "lib/volumes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/module_address.h"
#include "trace/tracker.h"

/* A phase in the text: statements from `from` to before `to`. */
struct stretch {
	size_t from, to;
	struct communication *matrix;
	uint64_t *said; /* by cell, by the program itself; NULL: it does not say all */
};

struct volumes {
	const struct module *module; /* without calls */
	const char *path;
	const struct volumes_options *options;
	struct tracker *tracker;
	struct stretch *stretch;
	size_t stretches;
	struct trace *trace;
};

/* What the program says of the volumes, which are put to 0. */
static uint64_t *take_said(struct communication *x)
{
	uint64_t *said = x->sized == x->sent ? mem_array(x->cells, sizeof *said) : NULL;
	for (size_t i = 0; i < x->cells; i++) {
		if (said)
			said[i] = x->cell[i].bytes;
		x->cell[i].bytes = 0;
	}
	return said;
}

static bool find_stretches(struct volumes *v, const struct volumes_phase *phases, size_t count, struct error *error)
{
	v->stretch = mem_array(count + 1, sizeof *v->stretch);
	for (; v->stretches < count; v->stretches++) {
		const struct volumes_phase *phase = &phases[v->stretches];
		uint64_t at = 0;
		if (phase->address && !module_find(v->module, phase->address, &at, error))
			return false;
		size_t behind = phase->address ? module_line_behind(v->module, at, module_at(v->module, at).statement)
					       : v->module->lines;
		v->stretch[v->stretches] = (struct stretch){at, behind, phase->matrix, take_said(phase->matrix)};
	}
	return true;
}

/* ------------------------------------------------------------------ one event */

static void add_bytes(const struct volumes *v, uint32_t from, uint32_t to, size_t line, uint64_t bytes)
{
	for (size_t i = 0; i < v->stretches; i++) {
		const struct stretch *s = &v->stretch[i];
		if (line < s->from || line >= s->to)
			continue;
		struct communication_cell *cell = communication_find(s->matrix, from, to);
		if (cell)
			cell->bytes += bytes;
	}
}

static bool is_asked(const struct volumes *v, const struct dictionary *d, const struct event *send)
{
	if (kind_rows[send->kind].subject != SUBJECT_TAG)
		return false;
	const struct tag *tag = dictionary_get_tag(d, send->subject);
	struct text words = {0};
	text_put(&words, "");
	tag_print(d, tag, &words);
	bool asked = communication_is_tag(&words, strlen(dictionary_get_word(d, tag->stem)), v->options->tag);
	text_clear(&words);
	return asked;
}

static bool take_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	struct volumes *v = context;
	struct dictionary *d = trace_dictionary(v->trace, rank);
	const struct event *event = dictionary_get_event(d, e->event);
	struct cursor *c = tracker_next(v->tracker, rank, (enum event_kind)event->kind, error);
	if (!c)
		return false;
	const struct node *n = node_of(c->at.store, c->event);
	const struct kind_row *row = &kind_rows[event->kind];
	bool counts = kind_messages(event->kind) > 0, both = row->out && row->back;
	if (counts && number_at(&c->at, n->kid[COLUMN_PEER]) != event->peer)
		return tracker_differs(v->tracker, rank, error);
	if (!counts || (v->options->tag && !is_asked(v, d, event)))
		return true;
	if (!e->sized || (both && !e->exchanged))
		return error_set(error, ERROR_INPUT,
			"%s: event %" PRIu64 " of rank %" PRIu32 " carries no attribute '%s'", v->path,
			tracker_events(v->tracker, rank) - 1, rank, e->sized ? "received" : "bytes");
	if (row->out)
		add_bytes(v, rank, event->peer, c->line, e->bytes);
	if (row->back)
		add_bytes(v, event->peer, rank, c->line, both ? e->received : e->bytes);
	return true;
}

/* ------------------------------------------------------------------ all of it */

static bool read_trace(struct volumes *v, struct run *run, const char *model, struct error *error)
{
	progress_begin(&v->options->progress, "volumes");
	v->trace = trace_open(v->path, &v->options->trace, error);
	v->tracker = v->trace ? tracker_new(run, model, v->trace, true) : NULL;
	return v->trace &&
	       trace_read(v->trace, v->options->jobs, NULL,
		       &(struct trace_sink){v, take_event, &v->options->progress, NULL}, error) &&
	       tracker_end_all(v->tracker, error);
}

static void take_mean(struct communication *x)
{
	for (size_t i = 0; i < x->cells && x->executions; i++)
		x->cell[i].bytes = (x->cell[i].bytes + x->executions / 2) / x->executions;
}

static bool check_said(const struct volumes *v, const char *model, const struct stretch *s, struct error *error)
{
	for (size_t i = 0; s->said && i < s->matrix->cells; i++) {
		const struct communication_cell *c = &s->matrix->cell[i];
		if (c->bytes != s->said[i])
			return error_set(error, ERROR_INCONSISTENT,
				"%s: from %" PRIu32 " to %" PRIu32 " %" PRIu64
				" bytes are sent, and the model %s says %" PRIu64,
				v->path, c->source, c->destination, c->bytes, model, s->said[i]);
	}
	return true;
}

static void volumes_clear(struct volumes *v)
{
	tracker_free(v->tracker);
	for (size_t i = 0; i < v->stretches; i++)
		free(v->stretch[i].said);
	free(v->stretch);
	trace_close(v->trace);
}

bool volumes_read(struct run *run, const char *model, const char *path, const struct volumes_options *options,
	struct volumes_phase *phases, size_t count, struct missing_records *missing, struct error *error)
{
	struct volumes v = {.module = run_module(run), .path = path, .options = options};
	bool good = find_stretches(&v, phases, count, error) && read_trace(&v, run, model, error);
	for (size_t i = 0; i < count && good; i++) {
		if (options->per_iteration)
			take_mean(v.stretch[i].matrix);
		good = check_said(&v, model, &v.stretch[i], error);
	}
	if (good && missing)
		trace_missing_records(v.trace, missing);
	volumes_clear(&v);
	return good;
}
