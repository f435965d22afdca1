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

/* A phase in the text: statements from `from` to before `to`. */
struct stretch {
	size_t from, to;
	struct communication *matrix;
	uint64_t *said; /* by cell, by the program itself; NULL: it does not say all */
};

struct volumes {
	const struct module *module; /* without calls */
	const char *model, *path;
	const struct volumes_options *options;
	struct cursor **cursor; /* per process */
	uint64_t *events; /* per process: told of */
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

static bool is_other(const struct volumes *v, uint32_t rank, struct error *error)
{
	return error_set(error, ERROR_INCONSISTENT,
		"%s: the trace is not that of the model %s: other events of rank %" PRIu32, v->path, v->model, rank);
}

static void add_bytes(const struct volumes *v, const struct event *send, uint32_t rank, size_t line, uint64_t bytes)
{
	for (size_t i = 0; i < v->stretches; i++) {
		const struct stretch *s = &v->stretch[i];
		if (line < s->from || line >= s->to)
			continue;
		struct communication_cell *cell = communication_find(s->matrix, rank, send->peer);
		if (cell)
			cell->bytes += bytes;
	}
}

static bool is_asked(const struct volumes *v, const struct dictionary *d, const struct event *send)
{
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
	if (rank >= v->module->processes)
		return is_other(v, rank, error);
	struct cursor *c = v->cursor[rank];
	struct dictionary *d = trace_dictionary(v->trace, rank);
	const struct event *event = dictionary_get_event(d, e->event);
	v->events[rank]++;
	if (!cursor_next(c))
		return is_other(v, rank, error);
	const struct node *n = node_of(c->at.store, c->event);
	if (n->sub != event->kind ||
		(event->kind == EVENT_SEND && number_at(&c->at, n->kid[COLUMN_PEER]) != event->peer))
		return is_other(v, rank, error);
	if (event->kind != EVENT_SEND || (v->options->tag && !is_asked(v, d, event)))
		return true;
	if (!e->sized)
		return error_set(error, ERROR_INPUT,
			"%s: event %" PRIu64 " of rank %" PRIu32 " carries no attribute 'bytes'", v->path,
			v->events[rank] - 1, rank);
	add_bytes(v, event, rank, c->line, e->bytes);
	return true;
}

/* ------------------------------------------------------------------ all of it */

static void progress(void *context, double share)
{
	progress_tell(&((struct volumes *)context)->options->progress, share);
}

static bool check_counts(const struct volumes *v, struct error *error)
{
	for (uint32_t rank = 0; rank < v->module->processes; rank++)
		if (cursor_next(v->cursor[rank]))
			return is_other(v, rank, error);
	return true;
}

static bool read_trace(struct volumes *v, struct error *error)
{
	progress_begin(&v->options->progress, "volumes");
	v->trace = trace_open(v->path, &v->options->trace, error);
	return v->trace &&
	       trace_read(
		       v->trace, v->options->jobs, NULL, &(struct trace_sink){v, take_event, progress, NULL}, error) &&
	       check_counts(v, error);
}

static void take_mean(struct communication *x)
{
	for (size_t i = 0; i < x->cells && x->executions; i++)
		x->cell[i].bytes = (x->cell[i].bytes + x->executions / 2) / x->executions;
}

static bool check_said(const struct volumes *v, const struct stretch *s, struct error *error)
{
	for (size_t i = 0; s->said && i < s->matrix->cells; i++) {
		const struct communication_cell *c = &s->matrix->cell[i];
		if (c->bytes != s->said[i])
			return error_set(error, ERROR_INCONSISTENT,
				"%s: from %" PRIu32 " to %" PRIu32 " %" PRIu64
				" bytes are sent, and the model %s says %" PRIu64,
				v->path, c->source, c->destination, c->bytes, v->model, s->said[i]);
	}
	return true;
}

static void volumes_clear(struct volumes *v)
{
	for (uint32_t rank = 0; rank < v->module->processes; rank++)
		cursor_free(v->cursor[rank]);
	free(v->cursor);
	free(v->events);
	for (size_t i = 0; i < v->stretches; i++)
		free(v->stretch[i].said);
	free(v->stretch);
	trace_close(v->trace);
}

bool volumes_read(struct run *run, const char *model, const char *path, const struct volumes_options *options,
	struct volumes_phase *phases, size_t count, struct missing_records *missing, struct error *error)
{
	const struct module *m = run_module(run);
	struct volumes v = {.module = m, .model = model, .path = path, .options = options};
	v.cursor = mem_array(m->processes, sizeof *v.cursor);
	for (uint32_t rank = 0; rank < m->processes; rank++)
		v.cursor[rank] = cursor_new(run, rank);
	v.events = mem_zero((m->processes + (size_t)1) * sizeof *v.events);
	bool good = find_stretches(&v, phases, count, error) && read_trace(&v, error);
	for (size_t i = 0; i < count && good; i++) {
		if (options->per_iteration)
			take_mean(v.stretch[i].matrix);
		good = check_said(&v, &v.stretch[i], error);
	}
	if (good && missing)
		trace_missing_records(v.trace, missing);
	volumes_clear(&v);
	return good;
}
