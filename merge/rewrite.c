/*
 * rewrite.c -- inner bodies first, each once, a row of statements is rewritten while it costs less.
 * What stands where is followed line by line, so that calls are known in what it has become.
 */
#include "merge/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "merge/statement_row.h"

void row_add(struct statement_row *to, struct element e)
{
	*MEM_PUSH(to->at, to->length, to->capacity) = e;
}

uint64_t row_cost(const struct rewriting *r, const struct statement_row *row)
{
	uint64_t cost = 0;
	for (size_t i = 0; i < row->length; i++)
		cost += get(r, row->at[i].node)->cost;
	return cost;
}

void rewriting_spend(struct rewriting *r, uint64_t steps)
{
	r->steps -= r->steps < steps ? r->steps : steps;
}

uint32_t *new_origins(struct rewriting *r, size_t lines)
{
	return arena_alloc(r->arena, (lines + 1) * sizeof(uint32_t));
}

struct element element_around(struct rewriting *r, node_id statement, uint32_t line, const struct row_body *body)
{
	uint32_t lines = get(r, statement)->lines, *origin = new_origins(r, lines);
	*origin = line;
	memcpy(origin + 1, body->origin, (lines - 1) * sizeof *origin);
	return (struct element){statement, origin, 0, 0, UINT32_MAX};
}

node_id body_of_iteration(struct rewriting *r, node_id body, int64_t iteration)
{
	node_id outer[INDEX_DEPTH];
	bool good = true;
	indices_of_iteration(r, iteration, outer);
	node_id put = node_put(&(struct substitution){.store = r->s, .outer = outer}, body, &good);
	return good ? put : NODE_NONE;
}

/* Loops of one iteration are what stands in them, those of none are gone. */
void row_add_body(struct rewriting *r, node_id body, const uint32_t *origin, struct statement_row *to)
{
	const struct node *b = get(r, body);
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *n = get(r, b->kid[k]);
		node_id kid = b->kid[k],
			only = loop_iterations(r, kid) == 1 ? body_of_iteration(r, n->kid[2], 0) : NODE_NONE;
		if (n->kind == NODE_GUARD && n->sub)
			kid = node_make(r->s, NODE_GUARD, 0, n->word, n->number, n->kids, n->kid);
		if (only)
			row_add_body(r, only, origin + 1, to);
		else if (!does_nothing(r, kid))
			row_add(to, (struct element){kid, origin, (uint32_t)to->length, 0, UINT32_MAX});
		origin += n->lines;
	}
}

static struct statement_row row_of(struct rewriting *r, const struct row_body *body)
{
	struct statement_row row = {0};
	row_add_body(r, body->node, body->origin, &row);
	return row;
}

/* Where a guard follows that of the opposite it says `else`. */
static node_id otherwise(struct rewriting *r, node_id before, node_id statement)
{
	const struct node *a = get(r, before), *b = get(r, statement);
	bool is = before && a->kind == NODE_GUARD && b->kind == NODE_GUARD && !a->sub && a->kid[0] == b->kid[0] &&
		  test_opposite(r->s, a->kid[1]) == b->kid[1];
	return is ? node_make(r->s, NODE_GUARD, 1, b->word, b->number, b->kids, b->kid) : statement;
}

struct row_body row_as_body(struct rewriting *r, const struct statement_row *row)
{
	node_id *kid = mem_array(row->length, sizeof *kid);
	size_t lines = 0, at = 0;
	for (size_t i = 0; i < row->length; i++) {
		kid[i] = otherwise(r, i ? kid[i - 1] : NODE_NONE, row->at[i].node);
		lines += get(r, kid[i])->lines;
	}
	uint32_t *origin = new_origins(r, lines);
	for (size_t i = 0; i < row->length; i++) {
		memcpy(origin + at, row->at[i].origin, get(r, kid[i])->lines * sizeof *origin);
		at += get(r, kid[i])->lines;
	}
	struct row_body body = {node_make(r->s, NODE_SEQUENCE, 0, 0, 0, (uint32_t)row->length, kid), origin};
	free(kid);
	return body;
}

/* ------------------------------------------------------------------ bodies */

static bool rewrite_once(struct rewriting *r, const struct statement_row *row, struct statement_row *cheaper)
{
	static rewrite *const of[] = {
#define X(name) name##_row,
#include "merge/rewrites.def"
#undef X
	};
	bool any = false;
	for (size_t i = 0; i < sizeof of / sizeof *of && !any && r->steps && row->length <= ROW_MOST; i++)
		any = of[i](r, row, cheaper);
	return any;
}

static struct row_body improve(struct rewriting *, node_id body);

static void improve_inside(struct rewriting *r, struct element *e)
{
	const struct node *n = get(r, e->node);
	if (!has_body(n))
		return;
	struct row_body inside = improve(r, n->kid[2]);
	if (inside.node == n->kid[2])
		return;
	e->node = node_with(r->s, e->node, (node_id[]){n->kid[0], n->kid[1], inside.node});
	uint32_t lines = get(r, e->node)->lines, *origin = new_origins(r, lines);
	*origin = *e->origin;
	for (uint32_t i = 1; i < lines; i++)
		origin[i] = inside.origin[i - 1] == LINE_NONE ? LINE_NONE : e->origin[1 + inside.origin[i - 1]];
	e->origin = origin;
}

/* Each body once, whoever has it. Recursion as deep as statements are inside each other. */
static struct row_body improve(struct rewriting *r, node_id id)
{
	uint32_t known = intern_count(r->bodies), number = intern_id(r->bodies, &id, sizeof id);
	if (number < known)
		return r->improved[number];
	uint32_t lines = 0;
	const struct node *b = get(r, id);
	for (uint32_t k = 0; k < b->kids; k++)
		lines += get(r, b->kid[k])->lines;
	uint32_t *origin = new_origins(r, lines);
	for (uint32_t i = 0; i < lines; i++)
		origin[i] = i;
	r->improved = mem_grow(r->improved, &r->improved_capacity, (size_t)number + 1, sizeof *r->improved);
	r->improved[number] = (struct row_body){id, origin};
	struct statement_row row = row_of(r, &r->improved[number]);
	bool changed = row_as_body(r, &row).node != id;
	for (size_t i = 0; i < row.length; i++) {
		node_id before = row.at[i].node;
		improve_inside(r, &row.at[i]);
		changed = changed || row.at[i].node != before;
	}
	for (struct statement_row next; rewrite_once(r, &row, &next); changed = true) {
		struct row_body better = row_as_body(r, &next);
		free(row.at);
		free(next.at);
		row = row_of(r, &better);
		for (size_t i = 0; i < row.length; i++)
			improve_inside(r, &row.at[i]);
	}
	struct row_body body = changed ? row_as_body(r, &row) : r->improved[number];
	free(row.at);
	return r->improved[number] = body;
}

/* ------------------------------------------------------------------ drafts */

static bool is_whole(const struct program_call *c, const uint32_t *origin, size_t at, size_t lines)
{
	bool whole = c->end - c->start <= lines - at;
	for (size_t i = 0; i < c->end - c->start && whole; i++)
		whole = origin[at + i] == c->start + i;
	return whole;
}

/* Those of whose procedures there are several. */
static void keep_calls(struct program_calls *calls)
{
	size_t kept = 0;
	for (size_t i = 0; i < calls->length; i++) {
		bool several = false;
		for (size_t k = 0; k < calls->length && !several; k++)
			several = k != i && calls->call[k].procedure == calls->call[i].procedure;
		if (several)
			calls->call[kept++] = calls->call[i];
	}
	calls->length = kept;
}

static void take_calls(const struct program_calls *from, const uint32_t *origin, size_t lines, struct program_calls *to)
{
	program_calls_copy(to, from);
	to->length = 0;
	for (size_t at = 0; at < lines; at++)
		for (size_t i = 0; i < from->length; i++) {
			const struct program_call *c = &from->call[i];
			if (origin[at] == LINE_NONE || c->start != origin[at] || !is_whole(c, origin, at, lines))
				continue;
			*MEM_PUSH(to->call, to->length, to->capacity) =
				(struct program_call){at, at + c->end - c->start, c->procedure};
		}
	keep_calls(to);
}

static struct draft *draft_of_body(const struct draft *from, const struct row_body *body)
{
	struct draft *d = draft_copy(from);
	struct module *m = d->module;
	module_set_body(m, body->node);
	free(d->frames);
	d->frames = from->frames ? mem_zero((m->lines + 1) * sizeof *d->frames) : NULL;
	for (size_t i = 0; i < m->lines; i++) {
		uint32_t line = body->origin[i];
		m->sites[i] = line == LINE_NONE ? SITES_NONE : from->module->sites[line];
		if (d->frames)
			d->frames[i] = line == LINE_NONE ? 0 : from->frames[line];
	}
	program_calls_clear(&d->calls);
	take_calls(&from->calls, body->origin, m->lines, &d->calls);
	return d;
}

struct draft *rewritten(const struct draft *from)
{
	struct module *m = from->module;
	struct rewriting r = {.s = m->store,
		.run = run_new(m, NULL),
		.formulas = fit_new(m->store, m->processes, &m->grid),
		.tests = fit_new(m->store, m->processes, &m->grid),
		.arena = arena_new(),
		.likes = intern_new(),
		.conditions = intern_new(),
		.pairs = intern_new_keys(2 * sizeof(node_id)),
		.bodies = intern_new_keys(sizeof(node_id)),
		.steps = REWRITE_STEPS};
	fit_without_tables(r.formulas);
	struct row_body body = improve(&r, m->body);
	struct draft *d = body.node == m->body ? NULL : draft_of_body(from, &body);
	run_free(r.run);
	fit_free(r.formulas);
	fit_free(r.tests);
	arena_free(r.arena);
	intern_free(r.likes);
	intern_free(r.conditions);
	free(r.condition);
	intern_free(r.pairs);
	free(r.joint);
	intern_free(r.bodies);
	free(r.like);
	free(r.improved);
	return d;
}
