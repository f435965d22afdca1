/*
 * part.c -- one statement of a program as a program of its own.
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
