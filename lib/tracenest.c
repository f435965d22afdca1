/*
 * tracenest.c -- programs behind handles: where they come from, what they are written as, what
 * stands in them.
 */
#include "lib/tracenest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/loop_groups.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/output.h"
#include "lib/handles.h"
#include "lib/pipeline.h"
#include "model/program_nodes.h"
#include "profile/database.h"

const char *tracenest_version(void)
{
	return TRACENEST_VERSION;
}

void tracenest_free(void *text)
{
	free(text);
}

/* ------------------------------------------------------------------ across the border */

_Static_assert((int)TRACENEST_ERROR_INCONSISTENT == (int)ERROR_INCONSISTENT &&
		       (int)TRACENEST_ERROR_INPUT == (int)ERROR_INPUT &&
		       (int)TRACENEST_ERROR_INTERNAL == (int)ERROR_INTERNAL,
	"kinds of errors");

/* Names in messages may be anything, and callers print them. */
static void translate(const struct error *from, tracenest_error *to)
{
	struct text shown = {0};
	text_put_visible(&shown, from->message, strlen(from->message));
	to->kind = (tracenest_error_kind)from->kind;
	snprintf(to->message, sizeof to->message, "%s", shown.data);
	text_clear(&shown);
}

bool tell(bool good, const struct error *error, tracenest_error *to)
{
	static const struct error none = {.kind = ERROR_NONE};
	if (to)
		translate(good ? &none : error, to);
	return good;
}

char *give(struct text *text, size_t *length)
{
	if (length)
		*length = text->length;
	return text->data ? text->data : mem_text("");
}

/* Takes the program, which may be NULL: then so is the handle. */
static tracenest_program *handle_of(struct program *program)
{
	if (!program)
		return NULL;
	tracenest_program *handle = mem_zero(sizeof *handle);
	handle->program = program;
	return handle;
}

/* ------------------------------------------------------------------ from traces */

_Static_assert(
	(int)TRACENEST_EVENTS_MPI == (int)TRACE_MPI && (int)TRACENEST_EVENTS_ALL == (int)TRACE_ALL, "what is an event");

static bool check_options(const tracenest_options *o, struct error *error)
{
	if ((unsigned)o->events > TRACENEST_EVENTS_ALL)
		return error_set(error, ERROR_INPUT, "events: %d is none of the choices", (int)o->events);
	if (o->window > NLR_WINDOW_MOST)
		return error_set(error, ERROR_INPUT, "window: %zu is more than %d", o->window, NLR_WINDOW_MOST);
	if (o->repetitions == 1 || o->repetitions > NLR_REPETITIONS_MOST)
		return error_set(error, ERROR_INPUT, "repetitions: %u is not from 2 to %d", o->repetitions,
			NLR_REPETITIONS_MOST);
	if (o->growth != 0 && !(o->growth >= 1))
		return error_set(error, ERROR_INPUT, "growth: %g is less than 1", o->growth);
	return true;
}

static struct program_options options_of(const tracenest_options *o)
{
	struct program_options to = {PROGRAM_OPTIONS};
	to.trace = (struct trace_options){.events = (enum trace_events)o->events,
		.recorded_order = o->recorded_order,
		.collective_regions = o->collective_regions};
	to.local = o->local;
	to.unfolded = o->unfolded;
	to.constant = o->constant_numbers;
	to.recorded = o->recorded_phase;
	to.lenient = o->lenient;
	to.window = o->window ? o->window : to.window;
	to.repetitions = o->repetitions ? o->repetitions : to.repetitions;
	to.growth = o->growth > 0 ? o->growth : to.growth;
	to.jobs = o->jobs;
	to.progress = (struct progress){.context = o->context, .tell = o->progress};
	return to;
}

static void tell_facts(const struct program_facts *f, tracenest_facts *to)
{
	*to = (tracenest_facts){
		.processes = f->trace.processes,
		.records = f->trace.records,
		.events = f->trace.events,
		.locations_without = f->trace.locations_without,
		.to_nobody = f->trace.to_nobody,
		.communicators_dropped = f->communicators_dropped,
		.collectives_hidden = f->trace.collective_regions_seen && !f->trace.collectives_recorded,
		.window_hit = ranks_count(&f->window_hit),
		.constructs_local = f->local.constructs,
		.constructs_global = f->global.constructs,
		.loops_joined = f->merge.joined,
		.roles = f->roles,
	};
	for (int i = 0; i < APART_REASONS; i++)
		to->loops_apart += f->merge.apart[i];
	translate(&f->incomplete, &to->incomplete);
	translate(&f->cyclic, &to->cyclic);
	translate(&f->unrecorded, &to->unrecorded);
}

tracenest_program *tracenest_program_of_trace(
	const char *path, const tracenest_options *options, tracenest_facts *facts, tracenest_error *error)
{
	struct program_facts found = {0};
	struct program *program = NULL;
	struct error why = {0};
	if (!options || check_options(options, &why)) {
		struct program_options of_ours =
			options ? options_of(options) : (struct program_options){PROGRAM_OPTIONS};
		program = program_of_trace(path, &of_ours, &found, &why);
	}
	if (facts)
		tell_facts(&found, facts);
	program_facts_clear(&found);
	tell(program, &why, error);
	return handle_of(program);
}

/* ------------------------------------------------------------------ as text */

tracenest_program *tracenest_program_read(const char *path, tracenest_error *error)
{
	struct error why = {0};
	struct program *program = program_read(path, &why);
	tell(program, &why, error);
	return handle_of(program);
}

tracenest_program *tracenest_program_parse(const char *name, const char *text, size_t length, tracenest_error *error)
{
	struct error why = {0};
	struct program *program = program_parse(name, text, length, &why);
	tell(program, &why, error);
	return handle_of(program);
}

void tracenest_program_free(tracenest_program *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->words && i < p->program->nodes->module->lines; i++)
		free(p->words[i]);
	free(p->words);
	kept_series_leave(p->times);
	offsets_free(p->offsets);
	coverage_free(p->coverage);
	program_free(p->program);
	free(p->depth);
	addresses_clear(&p->addresses);
	free(p);
}

bool tracenest_program_write(const tracenest_program *p, const char *path, tracenest_error *error)
{
	struct error why = {0};
	struct output *out = output_open(path, &why);
	struct program_remarks remarks = loop_groups_remarks(p->program);
	if (out)
		program_print_remarks(p->program, &remarks, out);
	return tell(out && output_close(out, &why), &why, error);
}

char *tracenest_program_text(const tracenest_program *p, size_t *length)
{
	struct text text = {0};
	struct program_remarks remarks = loop_groups_remarks(p->program);
	program_print_remarks_text(p->program, &remarks, &text);
	return give(&text, length);
}

uint32_t tracenest_program_processes(const tracenest_program *p)
{
	return p->program->processes;
}

const char *tracenest_program_note(const tracenest_program *p, size_t i)
{
	return i < p->program->notes.length ? p->program->notes.line[i] : NULL;
}

/* ------------------------------------------------------------------ statements */

size_t tracenest_program_statements(const tracenest_program *p)
{
	return p->program->length;
}

/* Each loop raises the depth of what is inside by one: noted where its body begins and where it
   ends. */
static uint32_t *find_depths(const struct program *p)
{
	uint32_t *depth = mem_zero((p->length + 1) * sizeof *depth);
	for (size_t at = 0; at < p->length; at++)
		if (statement_is_loop(&p->statement[at]))
			for (size_t inside = at + 1; inside < at + p->statement[at].size;
				inside += statement_size(&p->statement[inside]))
				depth[inside] = depth[at] + 1;
	return depth;
}

static void prepare(tracenest_program *p)
{
	if (p->coverage)
		return;
	p->coverage = coverage_new(program_nodes(p->program, &(struct error){0})->run);
	p->depth = find_depths(p->program);
	p->addresses = addresses_of(p->program);
}

static struct ranks covering(const tracenest_program *p, size_t at)
{
	return coverage_of(p->coverage, program_nodes(p->program, &(struct error){0})->line[at]);
}

bool tracenest_statement_at(tracenest_program *p, size_t at, tracenest_statement *statement)
{
	if (at >= p->program->length)
		return false;
	prepare(p);
	const struct statement *s = &p->program->statement[at];
	struct ranks who = covering(p, at);
	*statement =
		(tracenest_statement){statement_is_loop(s), statement_size(s) - 1, p->depth[at], ranks_count(&who)};
	return true;
}

char *tracenest_statement_address(tracenest_program *p, size_t at)
{
	struct text text = {0};
	if (at < p->program->length) {
		prepare(p);
		text_put(&text, addresses_get(&p->addresses, at));
	}
	return give(&text, NULL);
}

bool tracenest_statement_find(const tracenest_program *p, const char *address, size_t *at, tracenest_error *error)
{
	struct error why = {0};
	return tell(program_find(p->program, address, at, &why), &why, error);
}

char *tracenest_statement_text(tracenest_program *p, size_t at)
{
	const struct program_nodes *nodes = program_nodes(p->program, &(struct error){0});
	if (!p->words && nodes)
		p->words = database_line_words(nodes->module);
	bool there = nodes && at < p->program->length && !statement_is_in_line(&p->program->statement[at]);
	return mem_text(there ? p->words[nodes->line[at]] : "");
}

char *tracenest_statement_ranks(tracenest_program *p, size_t at)
{
	struct text text = {0};
	if (at < p->program->length) {
		prepare(p);
		struct ranks who = covering(p, at);
		ranks_print(&who, &text);
	}
	return give(&text, NULL);
}

_Static_assert((int)TRACENEST_END == (int)POSITION_END && (int)TRACENEST_ITERATION == (int)POSITION_ITERATION &&
		       (int)TRACENEST_ITERATION_END == (int)POSITION_ITERATION_END,
	"positions");

char *tracenest_statement_position(tracenest_program *p, size_t at, tracenest_place place, uint32_t rank)
{
	bool iteration = place == TRACENEST_ITERATION || place == TRACENEST_ITERATION_END;
	if (at >= p->program->length || (unsigned)place > TRACENEST_ITERATION_END ||
		(iteration && !statement_is_loop(&p->program->statement[at])))
		return NULL;
	const struct program_nodes *nodes = program_nodes(p->program, &(struct error){0});
	if (!nodes)
		return NULL;
	if (!p->offsets)
		p->offsets = offsets_new(nodes->run);
	struct ranks only = {0};
	struct position_places places = {0};
	struct text text = {0};
	ranks_add(&only, rank);
	offsets_places(p->offsets, nodes->line[at], (enum position_end)place, &only, &places);
	bool any = places.length;
	if (any)
		unknowns_print(offsets_unknowns(p->offsets), &places.place[0].position, &text);
	position_places_clear(&places);
	ranks_clear(&only);
	return any ? give(&text, NULL) : NULL;
}

_Static_assert(TRACENEST_NONE == NO_ROLE, "no role");

uint32_t tracenest_program_roles(const tracenest_program *p, uint32_t *role)
{
	uint32_t roles;
	uint32_t *of = program_role_of(p->program, &roles);
	memcpy(role, of, p->program->processes * sizeof *role);
	free(of);
	return roles;
}
