/*
 * nest_program.c -- models from programs, and programs from models.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "model/program.h"

/* The nodes of plain statements: *length of them, the caller's. Recursion as deep as loops nest. */
static node *nodes_of(const struct program *p, struct nest *nest, size_t from, size_t to, size_t *length)
{
	node *listing = mem_array(to - from, sizeof *listing);
	*length = 0;
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		node n = s->event;
		if (statement_is_loop(s)) {
			size_t inside;
			node *body = nodes_of(p, nest, i + 1, i + s->size, &inside);
			n = nest_loop(nest, s->count, body, inside);
			free(body);
		}
		listing[(*length)++] = n;
	}
	return listing;
}

struct model *model_of_plain(struct program *plain)
{
	struct model *m = model_new();
	size_t length;
	node *root = nodes_of(plain, m->nest, 0, plain->length, &length);
	for (size_t i = 0; i < length; i++)
		nest_append(m->nest, root[i]);
	free(root);
	dictionary_free(m->dictionary);
	m->dictionary = plain->dictionary;
	m->processes = plain->processes;
	m->notes = plain->notes;
	plain->dictionary = NULL;
	plain->notes = (struct notes){0};
	program_free(plain);
	return m;
}

/* ---------------------------------------------------------------- the other way, nothing folded */

static void add_plain(struct program *p, const struct nest *nest, const node *body, size_t length,
	const uint32_t *event_of, size_t depth)
{
	for (size_t i = 0; i < length; i++) {
		if (!node_is_loop(body[i])) {
			program_add_plain(p, event_of[body[i]], depth);
			continue;
		}
		size_t loop = program_open(p, STATEMENT_PLAIN, nest_get(nest, body[i])->count);
		struct body inside = nest_body(nest, body[i]);
		add_plain(p, nest, inside.node, inside.length, event_of, depth + 1);
		program_close(p, loop);
	}
}

struct program *program_of_plain(const struct model *m)
{
	struct program *p = program_new();
	p->processes = m->processes;
	notes_add_all(&p->notes, &m->notes);
	uint32_t *event_of = dictionary_import(p->dictionary, m->dictionary, NULL, false);
	add_plain(p, m->nest, m->nest->root, m->nest->root_length, event_of, 0);
	free(event_of);
	return p;
}
