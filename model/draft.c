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

/* ------------------------------------------------------------------ other statements */

struct draft_walk {
	const struct store *from;
	struct store *to;
	draft_parts *change;
	void *context;
	size_t *origin; /* by line of what is made */
	size_t lines, capacity;
};

static node_id body_of_parts(struct draft_walk *w, node_id body, size_t line)
{
	const struct node *b = node_of(w->from, body);
	node_id *kid = mem_array((size_t)b->kids * DRAFT_PARTS, sizeof *kid);
	uint32_t kids = 0, parts = 1;
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *n = node_of(w->from, b->kid[k]);
		node_id *made = kid + kids;
		size_t before = w->lines;
		bool first = !parts || !k;
		parts = w->change(w->context, w, line, b->kid[k], made);
		for (uint32_t i = 0; i < parts && n->kind == NODE_EVENT; i++)
			*MEM_PUSH(w->origin, w->lines, w->capacity) = line;
		if (!parts)
			w->lines = before;
		const struct node *m = node_of(w->to, parts ? *made : NODE_NONE);
		if (first && m->kind == NODE_GUARD && m->sub) /* no `else` any more */
			*made = node_make(w->to, NODE_GUARD, 0, 0, 0, m->kids, m->kid);
		kids += parts;
		line += n->lines;
	}
	body = node_make(w->to, NODE_SEQUENCE, 0, 0, 0, kids, kid);
	free(kid);
	return body;
}

node_id draft_inside(struct draft_walk *w, size_t line, node_id statement)
{
	size_t before = w->lines;
	*MEM_PUSH(w->origin, w->lines, w->capacity) = line;
	node_id body = body_of_parts(w, node_kid(w->from, statement, 2), line + 1);
	return w->lines > before + 1 ? body : NODE_NONE;
}

/* Those of whose statements some stay. place: by line, how many are before it. */
static void take_calls(const struct program_calls *from, const size_t *place, struct program_calls *to)
{
	size_t kept = 0;
	program_calls_copy(to, from);
	for (size_t i = 0; i < to->length; i++) {
		struct program_call c = to->call[i];
		c.start = place[c.start];
		c.end = place[c.end];
		if (c.start < c.end)
			to->call[kept++] = c;
	}
	to->length = kept;
}

struct draft *draft_of_parts(
	const struct draft *d, struct module *to, draft_parts *change, void *context, size_t **origin)
{
	const struct module *from = d->module;
	struct draft_walk w = {from->store, to->store, change, context, NULL, 0, 0};
	struct draft *made = draft_of(to);
	to->body = body_of_parts(&w, from->body, 0);
	to->lines = w.lines;
	site_places_free(&to->places);
	to->places = site_places_copy(&from->places);
	to->sites = mem_array(w.lines + 1, sizeof *to->sites);
	for (size_t i = 0; i < w.lines; i++)
		to->sites[i] = from->sites[w.origin[i]];
	size_t *place = mem_array(from->lines + 1, sizeof *place);
	for (size_t line = 0, before = 0; line <= from->lines; line++) {
		place[line] = before;
		while (before < w.lines && w.origin[before] == line)
			before++;
	}
	take_calls(&d->calls, place, &made->calls);
	free(place);
	*origin = w.origin;
	return made;
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
