/*
 * part.c -- a part of a program as a program of its own: one statement, or what one process
 * executes.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "model/program.h"

/* A program that knows, by statement, where it came from. */
struct part {
	const struct program *from;
	struct program *to; /* has all but the statements */
	size_t *origin, capacity;
};

static struct part start(const struct program *from)
{
	struct part part = {.from = from, .to = program_copy(from)};
	program_empty(part.to);
	notes_clear(&part.to->notes);
	return part;
}

static struct program *finish(struct part *part, size_t **origin)
{
	if (origin)
		*origin = part->origin;
	else
		free(part->origin);
	return part->to;
}

/* The statement written last is that one. */
static void note_origin(struct part *part, size_t at)
{
	part->origin = mem_grow(part->origin, &part->capacity, part->to->length, sizeof *part->origin);
	part->origin[part->to->length - 1] = at;
}

/* ------------------------------------------------------------------ one statement */

static bool depends(const struct program *p, size_t at, uint32_t depth)
{
	uint32_t used = 0, around = (UINT32_C(1) << (depth < INDEX_DEPTH ? depth : INDEX_DEPTH)) - 1;
	for (size_t i = at; i < at + statement_size(&p->statement[at]); i++)
		used |= program_indices(p, &p->statement[i]) |
			program_attributes_indices(p, p->statement[i].attributes);
	return used & around;
}

/* Without the loops around, on which nothing in it depends. */
static void leave_loops(struct program *p, uint32_t depth)
{
	static const int64_t first[INDEX_DEPTH];
	uint32_t outside = depth < INDEX_DEPTH ? depth : INDEX_DEPTH;
	for (size_t i = 0; i < p->length; i++) {
		struct statement *s = &p->statement[i];
		if (program_attributes_indices(p, s->attributes))
			s->attributes = program_attributes_put(p, s->attributes, first, outside);
		if (!program_indices(p, s))
			continue;
		if (statement_is_loop(s)) {
			struct value count = program_bound(p, s);
			value_put(&count, first, outside);
			program_set_count(p, s, &count);
		} else {
			struct form form = program_get_form(p, s->event);
			form_put(&form, &p->grid, first, outside);
			s->event = program_form(p, &form);
		}
	}
}

static void copy_statements(struct part *part, size_t from, size_t to)
{
	struct program *p = part->to;
	for (size_t i = from; i < to; i++) {
		program_add(p, 0, 0);
		p->statement[p->length - 1] = part->from->statement[i];
		note_origin(part, i);
	}
}

struct program *program_part(const struct program *from, size_t at, size_t **origin)
{
	struct part part = start(from);
	size_t loop[NEST_DEPTH_LIMIT], opened[NEST_DEPTH_LIMIT];
	uint32_t depth = program_loops_around(from, at, loop);
	bool bound = depends(from, at, depth);
	for (uint32_t d = 0; bound && d < depth; d++) {
		opened[d] = part.to->length;
		copy_statements(&part, loop[d], loop[d] + 1);
	}
	copy_statements(&part, at, at + statement_size(&from->statement[at]));
	if (!bound)
		leave_loops(part.to, depth);
	for (uint32_t d = 0; bound && d < depth; d++)
		program_close(part.to, opened[d]);
	return finish(&part, origin);
}

/* ------------------------------------------------------------------ one process */

static bool form_put_process(struct form *form, struct program *p, const struct spot *spot)
{
	struct place peer = form->peer;
	if (form->area.kind) {
		struct ranks group = {0};
		program_members(p, form, spot, &group);
		form->group = dictionary_ranks(p->dictionary, &group);
		form->area = (struct area){0};
		ranks_clear(&group);
	}
	if (!place_put_process(&peer, &p->grid, spot))
		return false;
	form->peer = peer;
	value_put_process(&form->communicator, spot);
	value_put_process(&form->value, spot);
	if (form->varies && value_is_constant(&form->value)) {
		form->varies = 0;
		form->number = (uint64_t)form->value.plain.constant;
		form->value = value_of(0);
	}
	return value_is_constant(&form->communicator);
}

bool program_add_form(struct program *p, uint32_t set, const struct form *form)
{
	struct ranks who = dictionary_get_ranks(p->dictionary, set);
	struct spot spot = grid_spot(&p->grid, who.run->first);
	struct form own = *form;
	bool alone = ranks_count(&who) == 1 && form_put_process(&own, p, &spot);
	if (!alone) /* those whose communicators tell groups are all in the set */
		program_add(p, set, program_form(p, form->area.kind == AREA_BY_COMMUNICATOR ? &own : form));
	else if (form_indices(&own))
		program_add_alone(p, set, program_form(p, &own));
	else
		program_add(p, STATEMENT_PLAIN, program_event_of(p, set, &own));
	return alone;
}

static void put_event(struct part *part, size_t at, uint32_t rank)
{
	struct program *p = part->to;
	const struct statement *s = &part->from->statement[at];
	struct form form = s->set == STATEMENT_PLAIN ? (struct form){0} : program_get_form(p, s->event);
	if (p->length && statement_guard(&p->statement[p->length - 1]) == GUARD_INSIDE)
		program_add(p, dictionary_rank(p->dictionary, rank), program_form(p, &form));
	else if (s->set == STATEMENT_PLAIN)
		program_add(p, STATEMENT_PLAIN, event_as(p->dictionary, s->event, rank));
	else
		program_add_form(p, dictionary_rank(p->dictionary, rank), &form);
}

/* Loops without anything of the process are left out. Recursion as deep as loops nest. */
static void put_body(struct part *part, size_t from, size_t to, uint32_t rank)
{
	for (size_t i = from; i < to; i += statement_size(&part->from->statement[i])) {
		const struct statement *s = &part->from->statement[i];
		struct ranks_run single;
		struct ranks who = {0};
		bool anybody = s->set == STATEMENT_PLAIN && statement_is_loop(s);
		if (!anybody)
			who = program_processes(part->from, s, &single);
		if (!anybody && !ranks_has(&who, rank))
			continue;
		if (!statement_is_loop(s)) {
			struct spot spot = grid_spot(&part->from->grid, rank);
			put_event(part, i, rank);
			struct statement *own = &part->to->statement[part->to->length - 1];
			own->attributes = program_attributes_put_process(part->to, s->attributes, &spot);
			own->sites = s->sites;
			note_origin(part, i);
			continue;
		}
		struct value count = program_bound(part->from, s);
		struct spot own = grid_spot(&part->from->grid, rank);
		value_put_process(&count, &own);
		size_t loop = program_open_by(part->to, STATEMENT_PLAIN, &count);
		bool name = statement_guard(s) == GUARD_WHO;
		part->to->statement[loop].event = name ? GUARD_IF : statement_guard(s);
		part->to->statement[loop].sites = name ? SITES_NONE : s->sites;
		note_origin(part, i);
		if (part->to->statement[loop].bound != BOUND_NONE || part->to->statement[loop].count)
			put_body(part, i + 1, i + s->size, rank);
		if (part->to->length == loop + 1)
			part->to->length = loop;
		else
			program_close(part->to, loop);
	}
}

struct program *program_of_rank(const struct program *from, uint32_t rank, size_t **origin)
{
	struct part part = start(from);
	put_body(&part, 0, from->length, rank);
	if (!program_is_folded(part.to))
		part.to->grid = (struct grid){0};
	return finish(&part, origin);
}
