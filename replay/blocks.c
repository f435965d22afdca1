/*
 * blocks.c -- bodies, from the outside in; that of a function where it is called first.
 */
#include "replay/blocks.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/body_names.h"

struct making {
	struct blocks *b;
	struct generalized g;
	struct body_names names;
	size_t *function; /* by body of `g`; BLOCKS_NONE: not met so far */
};

/* Besides what is inside: an `else` ends what is before it, and who is named, or has a neighbour,
   stands in the line of the event. */
static const uint32_t lines_of_guard[] = {
	[GUARD_NONE] = 2, [GUARD_IF] = 2, [GUARD_ELSE] = 1, [GUARD_WHO] = 0, [GUARD_INSIDE] = 0};

static size_t add_body(struct blocks *b, size_t loop, uint32_t depth)
{
	b->body = mem_grow(b->body, &b->capacity, b->bodies + 1, sizeof *b->body);
	b->body[b->bodies] = (struct block_body){.loop = loop, .depth = depth};
	return b->bodies++;
}

static void fill_body(struct making *m, size_t body, size_t from, size_t to, size_t *next);

static size_t function_of(struct making *m, size_t called)
{
	size_t first = m->g.body[called].call, next = first + 1;
	const struct program_call *c = &m->b->program->calls.call[first];
	if (m->function[called] != BLOCKS_NONE)
		return m->function[called];
	size_t made = m->function[called] = add_body(m->b, BLOCKS_NONE, m->g.call[first].depth);
	m->b->body[made].name = mem_text(body_name(&m->names, called));
	fill_body(m, made, c->start, c->end, &next);
	return made;
}

static struct unit unit_of(struct making *m, size_t at, uint32_t depth, size_t *next)
{
	const struct program *p = m->b->program;
	const struct statement *s = &p->statement[at];
	size_t call = generalized_call_at(&m->g, at, next);
	if (call != SIZE_MAX)
		return (struct unit){at, p->calls.call[call].end, function_of(m, m->g.call[call].body), 1};
	struct unit unit = {at, at + statement_size(s), BLOCKS_NONE, 1};
	if (!statement_is_loop(s))
		return unit;
	size_t body = m->b->body_of[at] = add_body(m->b, at, depth + 1);
	fill_body(m, body, at + 1, unit.end, next);
	unit.lines = lines_of_guard[statement_guard(s)];
	for (size_t i = 0; i < m->b->body[body].units; i++)
		unit.lines += m->b->body[body].unit[i].lines;
	return unit;
}

/* next: the call that may stand there (generalized_call_at). As deep as loops nest and procedures
   call each other. */
static void fill_body(struct making *m, size_t body, size_t from, size_t to, size_t *next)
{
	struct unit *units = NULL;
	size_t count = 0, capacity = 0;
	uint32_t depth = m->b->body[body].depth;
	while (from < to) {
		struct unit unit = unit_of(m, from, depth, next);
		*MEM_PUSH(units, count, capacity) = unit;
		from = unit.end;
	}
	m->b->body[body].unit = units;
	m->b->body[body].units = count;
}

void blocks_of(struct blocks *b, const struct program *program, generalize_line *key, void *context)
{
	struct making m = {.b = b};
	size_t next = 0;
	*b = (struct blocks){.program = program, .body_of = mem_array(program->length + 1, sizeof *b->body_of)};
	generalize(&m.g, program, key, context);
	m.names = body_names_of(&m.g);
	m.function = mem_array(m.g.bodies + 1, sizeof *m.function);
	for (size_t i = 0; i < m.g.bodies; i++)
		m.function[i] = BLOCKS_NONE;
	fill_body(&m, add_body(b, BLOCKS_NONE, 0), 0, program->length, &next);
	free(m.function);
	body_names_clear(&m.names);
	generalized_clear(&m.g);
}

void blocks_clear(struct blocks *b)
{
	for (size_t i = 0; i < b->bodies; i++) {
		free(b->body[i].unit);
		free(b->body[i].name);
	}
	free(b->body);
	free(b->body_of);
}
