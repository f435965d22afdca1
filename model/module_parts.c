/*
 * module_parts.c -- parts are made in the store of a copy: what does not change is the same node.
 */
#include "model/module_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static uint32_t word_again(struct store *to, const struct store *from, uint32_t word)
{
	const char *bytes = store_get_word(from, word);
	return store_word(to, bytes, strlen(bytes));
}

static node_id *nodes_again(struct store *to, const struct store *from, const node_id *node, size_t count)
{
	node_id *again = mem_array(count, sizeof *again);
	for (size_t i = 0; i < count; i++)
		again[i] = store_import(to, from, node[i]);
	return again;
}

/* Header, call sites and tables of another module. */
static struct module *module_like(const struct module *from)
{
	struct module *m = module_new(from->processes, &from->grid);
	m->parametric = from->parametric;
	m->symbols = from->symbols;
	for (uint32_t k = 0; k < from->symbols; k++)
		m->symbol[k] = word_again(m->store, from->store, from->symbol[k]);
	m->header = from->header ? mem_text(from->header) : NULL;
	site_places_free(&m->places);
	m->places = site_places_copy(&from->places);
	return m;
}

struct module *module_copy(const struct module *from)
{
	struct module *m = module_like(from);
	notes_add_all(&m->notes, &from->notes);
	m->body = store_import(m->store, from->store, from->body);
	m->procedure = nodes_again(m->store, from->store, from->procedure, from->procedures);
	m->table = nodes_again(m->store, from->store, from->table, from->tables);
	m->sites = mem_array(from->lines, sizeof *m->sites);
	memcpy(m->sites, from->sites, from->lines * sizeof *m->sites);
	m->procedures = m->procedure_capacity = from->procedures;
	m->tables = m->table_capacity = from->tables;
	m->lines = from->lines;
	return m;
}

static bool has_sets(const struct store *s, node_id body)
{
	const struct node *n = node_of(s, body);
	bool any = false;
	for (uint32_t k = 0; k < n->kids && !any; k++) {
		const struct node *kid = node_of(s, n->kid[k]);
		const struct node *who = kid->kind == NODE_CALL ? node_of(s, NODE_NONE) : node_of(s, kid->kid[0]);
		any = who->kind && !who->sub;
		any = any || ((kid->kind == NODE_LOOP || kid->kind == NODE_GUARD) && has_sets(s, kid->kid[2]));
	}
	return any;
}

bool module_is_folded(const struct module *m)
{
	bool any = has_sets(m->store, m->body);
	for (size_t i = 0; i < m->procedures && !any; i++)
		any = has_sets(m->store, node_kid(m->store, m->procedure[i], 0));
	return any;
}

/* ------------------------------------------------------------------ making one */

struct making making_start(const struct module *from)
{
	return (struct making){.to = module_like(from)};
}

void making_line(struct making *making, size_t origin)
{
	*MEM_PUSH(making->origin, making->lines, making->capacity) = origin;
}

struct module *making_finish(struct making *making, const struct module *from, node_id body, size_t **origin)
{
	struct module *m = making->to;
	m->body = body;
	m->sites = mem_array(making->lines, sizeof *m->sites);
	m->lines = making->lines;
	for (size_t i = 0; i < making->lines; i++)
		m->sites[i] = from->sites[making->origin[i]];
	if (origin)
		*origin = making->origin;
	else
		free(making->origin);
	return m;
}

/* ------------------------------------------------------------------ one statement */

node_id guard_alone(struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	bool otherwise = n->kind == NODE_GUARD && n->sub;
	return otherwise ? node_make(s, NODE_GUARD, 0, 0, 0, n->kids, n->kid) : id;
}

/* Of a body whose first line is `first`: the statement of the line, in what is around it if
   `around`. */
static node_id part_of_body(struct making *making, node_id body, size_t first, size_t line, bool around)
{
	struct store *s = making->to->store;
	const struct node *n = node_of(s, body);
	uint32_t k = 0;
	while (first + node_of(s, n->kid[k])->lines <= line)
		first += node_of(s, n->kid[k++])->lines;
	node_id id = guard_alone(s, n->kid[k]);
	const struct node *statement = node_of(s, id);
	if (first == line) {
		for (uint32_t i = 0; i < statement->lines; i++)
			making_line(making, line + i);
		return id;
	}
	if (around)
		making_line(making, first);
	node_id inside = part_of_body(making, statement->kid[2], first + 1, line, around);
	if (!around)
		return inside;
	node_id kid[] = {statement->kid[0], statement->kid[1], node_make(s, NODE_SEQUENCE, 0, 0, 0, 1, &inside)};
	return node_with(s, id, kid);
}

struct module *module_part(const struct module *from, size_t line, size_t **origin)
{
	struct making making = making_start(from);
	struct store *s = making.to->store;
	node_id body = store_import(s, from->store, from->body), found = part_of_body(&making, body, 0, line, false);
	if (node_of(s, found)->uses[FOR_ALL] & USES_INDICES) {
		making.lines = 0;
		found = part_of_body(&making, body, 0, line, true);
	}
	return making_finish(&making, from, node_make(s, NODE_SEQUENCE, 0, 0, 0, 1, &found), origin);
}
