/*
 * tracenest.c -- programs behind handles: where they come from, what they are written as, what
 * stands in them.
 */
#include "lib/tracenest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/loop_groups.h"
#include "ask/roles.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/output.h"
#include "lib/handles.h"
#include "lib/pipeline.h"
#include "model/module_address.h"
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

static void count_statement(tracenest_program *p, size_t line, uint32_t depth, bool is_loop, bool has_line)
{
	*MEM_PUSH(p->counted, p->statements, p->capacity) =
		(struct counted){.line = line, .depth = depth, .is_loop = is_loop, .has_line = has_line};
}

/* Gives the line behind the body. */
static size_t count_body(tracenest_program *p, node_id body, size_t line, uint32_t depth)
{
	const struct store *s = p->program->module->store;
	const struct node *b = node_of(s, body);
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *n = node_of(s, b->kid[k]);
		size_t first = p->statements;
		bool event = n->kind == NODE_EVENT, condition = event && !event_always_happens(s, b->kid[k]);
		if (condition)
			count_statement(p, line, depth, true, false);
		p->statement[line] = p->statements;
		count_statement(p, line++, depth + condition, !event, true);
		if (!event)
			line = count_body(p, n->kid[2], line, depth + 1);
		p->counted[first].inside = p->statements - first - 1;
	}
	return line;
}

/* Takes the module, which may be NULL: then so is the handle. */
static tracenest_program *handle_of(struct module *text, struct error *error)
{
	struct prepared *program = prepared_new(text, error);
	if (!program)
		return NULL;
	tracenest_program *handle = mem_zero(sizeof *handle);
	handle->program = program;
	handle->statement = mem_array(program->module->lines + 1, sizeof *handle->statement);
	count_body(handle, program->module->body, 0, 0);
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
	tracenest_program *program = NULL;
	struct error why = {0};
	if (!options || check_options(options, &why)) {
		struct program_options of_ours =
			options ? options_of(options) : (struct program_options){PROGRAM_OPTIONS};
		program = handle_of(module_of_trace(path, &of_ours, &found, &why), &why);
	}
	if (facts)
		tell_facts(&found, facts);
	program_facts_clear(&found);
	tell(program, &why, error);
	return program;
}

/* ------------------------------------------------------------------ as text */

tracenest_program *tracenest_program_read(const char *path, tracenest_error *error)
{
	struct error why = {0};
	tracenest_program *program = handle_of(module_read_one(path, &why), &why);
	tell(program, &why, error);
	return program;
}

tracenest_program *tracenest_program_parse(const char *name, const char *text, size_t length, tracenest_error *error)
{
	struct error why = {0};
	tracenest_program *program = handle_of(module_parse_one(name, text, length, &why), &why);
	tell(program, &why, error);
	return program;
}

void tracenest_program_free(tracenest_program *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->words && i < p->program->module->lines; i++)
		free(p->words[i]);
	free(p->words);
	kept_series_leave(p->times);
	offsets_free(p->offsets);
	if (p->overview.line)
		overview_clear(&p->overview);
	module_addresses_clear(&p->addresses);
	free(p->counted);
	free(p->statement);
	prepared_free(p->program);
	free(p);
}

bool tracenest_program_write(const tracenest_program *p, const char *path, tracenest_error *error)
{
	struct error why = {0};
	struct output *out = output_open(path, &why);
	if (out)
		loop_remarks_print(p->program->text, out);
	return tell(out && output_close(out, &why), &why, error);
}

char *tracenest_program_text(const tracenest_program *p, size_t *length)
{
	struct text text = {0};
	struct loop_remarks *loops = loop_remarks_new(p->program->text);
	struct module_remarks remarks = loop_remarks(loops);
	module_print_text(p->program->text, &remarks, &text);
	loop_remarks_free(loops);
	return give(&text, length);
}

uint32_t tracenest_program_processes(const tracenest_program *p)
{
	return p->program->text->processes;
}

const char *tracenest_program_note(const tracenest_program *p, size_t i)
{
	const struct notes *notes = &p->program->text->notes;
	return i < notes->length ? notes->line[i] : NULL;
}

/* ------------------------------------------------------------------ statements */

size_t tracenest_program_statements(const tracenest_program *p)
{
	return p->statements;
}

static void prepare(tracenest_program *p)
{
	if (p->overview.line)
		return;
	overview_of(&p->overview, p->program->run);
	p->addresses = module_addresses_of(p->program->module);
}

bool tracenest_statement_at(tracenest_program *p, size_t at, tracenest_statement *statement)
{
	if (at >= p->statements)
		return false;
	prepare(p);
	const struct counted *s = &p->counted[at];
	*statement =
		(tracenest_statement){s->is_loop, s->inside, s->depth, ranks_count(&p->overview.line[s->line].who)};
	return true;
}

char *tracenest_statement_address(tracenest_program *p, size_t at)
{
	struct text text = {0};
	if (at < p->statements) {
		prepare(p);
		text_put(&text, module_addresses_get(&p->addresses, p->counted[at].line));
	}
	return give(&text, NULL);
}

bool tracenest_statement_find(const tracenest_program *p, const char *address, size_t *at, tracenest_error *error)
{
	struct error why = {0};
	uint64_t line;
	bool found = module_find(p->program->module, address, &line, &why);
	if (found) {
		*at = p->statement[line];
		*at -= *at && p->counted[*at - 1].line == line;
	}
	return tell(found, &why, error);
}

char *tracenest_statement_text(tracenest_program *p, size_t at)
{
	bool there = at < p->statements && p->counted[at].has_line;
	if (there && !p->words)
		p->words = database_line_words(p->program->module);
	return mem_text(there ? p->words[p->counted[at].line] : "");
}

char *tracenest_statement_ranks(tracenest_program *p, size_t at)
{
	struct text text = {0};
	if (at < p->statements) {
		prepare(p);
		ranks_print(&p->overview.line[p->counted[at].line].who, &text);
	}
	return give(&text, NULL);
}

_Static_assert((int)TRACENEST_END == (int)POSITION_END && (int)TRACENEST_ITERATION == (int)POSITION_ITERATION &&
		       (int)TRACENEST_ITERATION_END == (int)POSITION_ITERATION_END,
	"positions");

char *tracenest_statement_position(tracenest_program *p, size_t at, tracenest_place place, uint32_t rank)
{
	bool iteration = place == TRACENEST_ITERATION || place == TRACENEST_ITERATION_END;
	if (at >= p->statements || (unsigned)place > TRACENEST_ITERATION_END || (iteration && !p->counted[at].is_loop))
		return NULL;
	if (!p->offsets)
		p->offsets = offsets_new(p->program->run);
	struct ranks only = {0};
	struct position_places places = {0};
	struct text text = {0};
	ranks_add(&only, rank);
	offsets_places(p->offsets, p->counted[at].line, (enum position_end)place, &only, &places);
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
	uint32_t *of = roles_of(p->program->run, &roles);
	memcpy(role, of, p->program->text->processes * sizeof *role);
	free(of);
	return roles;
}
