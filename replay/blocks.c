/*
 * blocks.c -- bodies, from the outside in; that of a function where it is called first.
 */
#include "replay/blocks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

struct making {
	struct blocks *b;
	const struct overview *overview;
	const struct store *called;
	block_key *key;
	void *context;
	struct intern *keys; /* of calls */
	size_t *function; /* by key its body */
	size_t functions, capacity;
};

static size_t add_body(struct blocks *b, size_t loop, uint32_t depth)
{
	b->body = mem_grow(b->body, &b->capacity, b->bodies + 1, sizeof *b->body);
	b->body[b->bodies] = (struct block_body){.loop = loop, .depth = depth};
	return b->bodies++;
}

static void fill_body(struct making *, size_t body, node_id sequence, size_t at);

static size_t function_of(struct making *m, node_id procedure, size_t at, size_t end)
{
	const struct overview_line *line = m->overview->line;
	const struct node *p = node_of(m->called, procedure);
	struct text key = {0};
	text_format(&key, "%" PRIu32 "\n", procedure);
	for (size_t i = at; i < end; i++) {
		text_format(&key, "%zu ", line[i].end - i);
		m->key(m->context, i, line[at].loops, &key);
		text_char(&key, '\n');
	}
	uint32_t id = intern_id(m->keys, key.data, key.length);
	text_clear(&key);
	if (id < m->functions)
		return m->function[id];
	size_t made = add_body(m->b, BLOCKS_NONE, line[at].loops);
	*MEM_PUSH(m->function, m->functions, m->capacity) = made;
	m->b->body[made].name = mem_text(store_get_word(m->called, p->word));
	fill_body(m, made, p->kid[0], at);
	return made;
}

static struct unit unit_of(struct making *m, node_id statement, size_t at)
{
	const struct node *n = node_of(m->called, statement);
	const struct overview_line *line = &m->overview->line[at];
	if (n->kind == NODE_CALL)
		return (struct unit){at, at + n->statements, function_of(m, n->kid[0], at, at + n->statements), 1};
	struct unit unit = {at, line->end, BLOCKS_NONE, 1};
	if (n->kind == NODE_EVENT)
		return unit;
	size_t body = m->b->body_of[at] = add_body(m->b, at, line->loops + (n->kind == NODE_LOOP));
	fill_body(m, body, n->kid[2], at + 1);
	unit.lines = n->kind == NODE_GUARD && n->sub ? 1 : 2; /* an `else` ends what is before it */
	for (size_t i = 0; i < m->b->body[body].units; i++)
		unit.lines += m->b->body[body].unit[i].lines;
	return unit;
}

/* As deep as loops nest and procedures call each other. */
static void fill_body(struct making *m, size_t body, node_id sequence, size_t at)
{
	const struct node *n = node_of(m->called, sequence);
	struct unit *units = NULL;
	size_t count = 0, capacity = 0;
	for (uint32_t k = 0; k < n->kids; k++) {
		struct unit unit = unit_of(m, n->kid[k], at);
		at = unit.end;
		if (unit.end > unit.statement)
			*MEM_PUSH(units, count, capacity) = unit;
	}
	m->b->body[body].unit = units;
	m->b->body[body].units = count;
}

void blocks_of(
	struct blocks *b, const struct overview *overview, const struct module *called, block_key *key, void *context)
{
	struct making m = {b, overview, called->store, key, context, .keys = intern_new()};
	*b = (struct blocks){.body_of = mem_array(overview->lines + 1, sizeof *b->body_of)};
	fill_body(&m, add_body(b, BLOCKS_NONE, 0), called->body, 0);
	free(m.function);
	intern_free(m.keys);
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
