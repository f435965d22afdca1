/*
 * draft.c -- drafts made, copied, changed statement by statement.
 */
#include "model/draft.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/module_read.h"

struct draft *draft_of(struct module *m)
{
	assert(!m->procedures);
	struct draft *d = mem_zero(sizeof *d);
	d->module = m;
	return d;
}

struct draft *draft_of_module(const struct module *m, struct error *error)
{
	struct draft *d = mem_zero(sizeof *d);
	d->module = module_copy(m);
	if (module_inline_calls(d->module, &d->calls, error))
		return d;
	draft_free(d);
	return NULL;
}

struct draft *draft_new(struct store *s, uint32_t processes, const struct grid *grid)
{
	return draft_of(module_in(s, processes, grid));
}

struct draft *draft_copy(const struct draft *d)
{
	struct draft *copy = draft_of(module_copy(d->module));
	program_calls_copy(&copy->calls, &d->calls);
	if (d->frames)
		copy->frames = mem_copy(d->frames, d->module->lines * sizeof *d->frames);
	return copy;
}

void draft_free(struct draft *d)
{
	if (!d)
		return;
	module_free(d->module);
	program_calls_clear(&d->calls);
	free(d->frames);
	free(d);
}

/* ------------------------------------------------------------------ changes */

struct mapping {
	struct store *s;
	draft_change *change;
	void *context;
};

static node_id mapped_body(const struct mapping *, node_id body, size_t line);

static node_id mapped(const struct mapping *m, node_id statement, size_t line)
{
	const struct node *n = node_of(m->s, statement);
	if (n->kind == NODE_LOOP || n->kind == NODE_GUARD) {
		node_id body = mapped_body(m, n->kid[2], line + 1);
		if (!body)
			return NODE_NONE;
		if (body != n->kid[2])
			statement = node_with(m->s, statement, (node_id[]){n->kid[0], n->kid[1], body});
	}
	node_id changed = m->change(m->context, line, statement);
	assert(!changed || node_of(m->s, changed)->lines == n->lines);
	return changed;
}

/* Recursion as deep as loops nest. */
static node_id mapped_body(const struct mapping *m, node_id body, size_t line)
{
	const struct node *n = node_of(m->s, body);
	node_id *kid = mem_array(n->kids, sizeof *kid);
	bool good = true;
	for (uint32_t k = 0; k < n->kids && good; k++) {
		kid[k] = mapped(m, n->kid[k], line);
		good = kid[k] != NODE_NONE;
		line += node_of(m->s, n->kid[k])->lines;
	}
	node_id made = good ? node_with(m->s, body, kid) : NODE_NONE;
	free(kid);
	return made;
}

bool draft_map(struct draft *d, draft_change *change, void *context)
{
	struct mapping m = {d->module->store, change, context};
	node_id body = mapped_body(&m, d->module->body, 0);
	if (body)
		d->module->body = body;
	return body != NODE_NONE;
}

/* ------------------------------------------------------------------ another store */

struct moving {
	struct store *from, *to;
	node_id *now; /* by node; NODE_NONE: not known yet */
};

static int64_t moved_number(const struct moving *m, const struct node *n)
{
	if (n->kind == NODE_RANKS)
		return store_ranks(m->to, store_get_ranks(m->from, (uint32_t)n->number));
	if ((n->kind == NODE_TABLE && !n->kids) || (n->kind == NODE_TEST && n->sub >= NODE_TEST_AMONG))
		return store_table(m->to, table_share((struct table *)store_get_table(m->from, (uint32_t)n->number)));
	return n->number;
}

static node_id moved(struct moving *m, node_id id)
{
	const struct node *n = node_of(m->from, id);
	if (!id || m->now[id])
		return m->now[id];
	const char *word = store_get_word(m->from, n->word);
	node_id *kid = mem_array(n->kids, sizeof *kid);
	for (uint32_t k = 0; k < n->kids; k++)
		kid[k] = moved(m, n->kid[k]);
	m->now[id] = node_make(m->to, (enum node_kind)n->kind, n->sub, store_word(m->to, word, strlen(word)),
		moved_number(m, n), n->kids, kid);
	free(kid);
	return m->now[id];
}

void draft_move(struct draft *d, struct store *to)
{
	struct module *m = d->module;
	size_t nodes, bytes;
	store_sizes(m->store, &nodes, &bytes);
	struct moving moving = {m->store, to, mem_zero((nodes + 1) * sizeof *moving.now)};
	m->body = moved(&moving, m->body);
	m->tables = 0;
	m->grid = (struct grid){0};
	free(moving.now);
	store_free(m->store);
	m->store = store_share(to);
}

bool draft_check(struct draft *d, struct error *error)
{
	struct module *m = d->module;
	struct environment own = module_environment(m);
	struct inlined_line wrong;
	uint64_t events;
	if (!module_check(m, &own, &events, &wrong, error))
		return false;
	m->events = events;
	return events < EVENTS_LIMIT || error_set(error, ERROR_INPUT, "it stands for 2^63 events or more");
}
