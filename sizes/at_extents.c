/*
 * at_extents.c -- nodes are made again in another store; what depends on extents alone is what it comes
 * to there, and conditions are the processes that they hold of.
 */
#include "sizes/at_extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct making {
	const struct module *from;
	struct environment at; /* of its store */
	struct store *s;
	uint32_t known; /* nodes of that store so far; */
	node_id *made; /* ... by node what tables and domains are; NODE_NONE: not yet asked */
	size_t *origin; /* by line of what is made */
	size_t lines, capacity;
	size_t *place; /* by line: how many lines stay before it */
};

static const struct node *node(const struct making *x, node_id id)
{
	return node_of(x->at.store, id);
}

static uint32_t word(const struct making *x, uint32_t from)
{
	const char *bytes = store_get_word(x->at.store, from);
	return store_word(x->s, bytes, strlen(bytes));
}

/* ------------------------------------------------------------------ numbers */

static node_id number(struct making *, node_id);

static struct table *entries_of_formula(struct making *x, node_id id)
{
	const struct node *t = node(x, id);
	const struct grid *grid = &x->at.grid;
	struct table *to = table_new(store_get_word(x->at.store, t->word), 1);
	uint32_t entries = t->sub == 'p' ? x->at.processes : grid->size[t->sub == 'w' ? 3 : t->sub - 'x'];
	for (uint32_t i = 0; i < entries; i++) {
		int64_t entry = 0;
		entry_at(&x->at, id, &(int64_t){i}, 1, &entry);
		table_add(to, entry);
	}
	table_finish(to);
	return to;
}

static uint32_t share_table(struct making *x, int64_t table)
{
	return store_table(x->s, table_share(store_get_table(x->at.store, (uint32_t)table)));
}

static node_id table(struct making *x, node_id id)
{
	const struct node *t = node(x, id);
	if (!x->made[id])
		x->made[id] = node_make(x->s, NODE_TABLE, 0, word(x, t->word),
			t->kids ? store_table(x->s, entries_of_formula(x, id)) : share_table(x, t->number), 0, NULL);
	return x->made[id];
}

static node_id factor(struct making *x, node_id id)
{
	const struct node *f = node(x, id);
	node_id kid[1 + TABLE_ARGUMENTS + GRID_AXES] = {NODE_NONE};
	for (uint32_t k = 0; k < f->kids; k++) {
		kid[k] = f->kind == NODE_ENTRY && !k ? table(x, f->kid[k]) : number(x, f->kid[k]);
		if (!kid[k])
			return NODE_NONE;
	}
	switch ((enum node_kind)f->kind) {
	case NODE_PRODUCT:
		return number_multiply(x->s, kid[0], kid[1]);
	case NODE_REMAINDER:
		return number_remainder(x->s, kid[0], kid[1]);
	case NODE_POWER:
		return number_power(x->s, kid[0], kid[1]);
	case NODE_ENTRY:
		return number_entry(x->s, kid[0], kid + 1, f->kids - 1);
	default:
		return number_of_factor(x->s,
			node_make(x->s, (enum node_kind)f->kind, f->sub, word(x, f->word), f->number, f->kids, kid));
	}
}

/* A sum, or a factor. */
static node_id number(struct making *x, node_id id)
{
	const struct node *n = node(x, id);
	if (!(n->uses[FOR_ALL] & (USES_PROCESS | USES_INDICES)) && !n->looks)
		return number_constant(x->s, number_at(&x->at, id));
	if (n->kind != NODE_SUM)
		return factor(x, id);
	node_id sum = number_constant(x->s, n->number);
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *t = node(x, n->kid[k]);
		sum = number_add(x->s, sum, number(x, t->kid[0]), t->number);
	}
	return sum;
}

/* ------------------------------------------------------------------ statements */

/* NODE_NONE: of nobody. */
static node_id domain(struct making *x, node_id id)
{
	const struct node *d = node(x, id);
	struct ranks who = {0};
	struct environment at = x->at;
	if (x->made[id])
		return x->made[id];
	if (d->kind == NODE_WHERE)
		where_holds(&at, id, &who);
	else if (d->kind == NODE_RANKS)
		ranks_copy(&who, store_get_ranks(x->at.store, (uint32_t)d->number));
	else
		ranks_add_run(&who, 0, x->at.processes - 1);
	bool all = ranks_count(&who) == x->at.processes && (d->kind != NODE_RANKS || !d->sub);
	if (who.length)
		x->made[id] = node_make(
			x->s, all ? NODE_ALL : NODE_RANKS, d->sub, 0, all ? 0 : store_ranks(x->s, &who), 0, NULL);
	ranks_clear(&who);
	return x->made[id];
}

static node_id any(struct making *, node_id);

/* With what its kids become. */
static node_id again(struct making *x, node_id id, int64_t of)
{
	const struct node *n = node(x, id);
	node_id *kid = mem_array(n->kids + (size_t)1, sizeof *kid);
	uint32_t kids = 0;
	for (uint32_t k = 0; k < n->kids; k++) {
		kid[kids] = any(x, n->kid[k]);
		kids += kid[kids] || n->kind != NODE_EVENT || k < COLUMNS;
	}
	if (n->kind == NODE_EVENT && kid[COLUMN_GROUP] &&
		node_of(x->s, kid[COLUMN_GROUP])->kind == NODE_BY_COMMUNICATOR &&
		number_is_constant(x->s, kid[COLUMN_COMMUNICATOR], &(int64_t){0})) {
		const struct node *who = node_of(x->s, kid[COLUMN_WHO]);
		kid[COLUMN_GROUP] = node_make(x->s, (enum node_kind)who->kind, 1, 0, who->number, 0, NULL);
	}
	id = n->kind == NODE_ATTRIBUTE
		     ? attribute_of(x->s, word(x, n->word), kid[0], kid[1])
		     : node_make(x->s, (enum node_kind)n->kind, n->sub, word(x, n->word), of, kids, kid);
	free(kid);
	return id;
}

/* But loops, guards and bodies. */
static node_id any(struct making *x, node_id id)
{
	const struct node *n = node(x, id);
	if (!id)
		return NODE_NONE;
	switch ((enum node_kind)n->kind) {
	case NODE_SUM:
		return number(x, id);
	case NODE_ALL:
	case NODE_RANKS:
	case NODE_WHERE:
		return domain(x, id);
	case NODE_TEST:
		return again(x, id, n->sub >= NODE_TEST_AMONG ? share_table(x, n->number) : n->number);
	case NODE_WORD:
		return n->sub ? NODE_NONE : again(x, id, n->number);
	case NODE_ATTRIBUTE:
		return n->kid[1] && node(x, n->kid[1])->sub ? NODE_NONE : again(x, id, n->number);
	default:
		return again(x, id, n->number);
	}
}

static node_id body(struct making *, node_id, size_t line);

/* NODE_NONE: nobody executes it. */
static node_id statement(struct making *x, node_id id, size_t line)
{
	const struct node *n = node(x, id);
	node_id who = any(x, n->kid[0]);
	size_t before = x->lines;
	if (n->kid[0] && !who)
		return NODE_NONE;
	*MEM_PUSH(x->origin, x->lines, x->capacity) = line;
	if (n->kind == NODE_EVENT)
		return again(x, id, n->number);
	node_id inside = body(x, n->kid[2], line + 1);
	if (x->lines == before + 1) {
		x->lines = before;
		return NODE_NONE;
	}
	return node_make(x->s, (enum node_kind)n->kind, n->sub, 0, 0, 3, (node_id[]){who, any(x, n->kid[1]), inside});
}

static node_id body(struct making *x, node_id id, size_t line)
{
	const struct node *n = node(x, id);
	node_id *kid = mem_array(n->kids + (size_t)1, sizeof *kid);
	uint32_t kids = 0;
	bool follows = false;
	for (uint32_t k = 0; k < n->kids; k++) {
		node_id made = statement(x, n->kid[k], line);
		const struct node *m = node_of(x->s, made);
		line += node(x, n->kid[k])->lines;
		if (made && !follows && m->kind == NODE_GUARD && m->sub) /* no `else` any more */
			made = node_make(x->s, NODE_GUARD, 0, 0, 0, m->kids, m->kid);
		follows = made != NODE_NONE;
		kid[kids] = made;
		kids += follows;
	}
	id = node_make(x->s, NODE_SEQUENCE, 0, 0, 0, kids, kid);
	free(kid);
	return id;
}

/* Those of whose statements some stay. */
static void take_calls(const struct making *x, const struct program_calls *from, struct program_calls *to)
{
	size_t kept = 0;
	program_calls_copy(to, from);
	for (size_t i = 0; i < to->length; i++) {
		struct program_call c = to->call[i];
		c.start = x->place[c.start];
		c.end = x->place[c.end];
		if (c.start < c.end)
			to->call[kept++] = c;
	}
	to->length = kept;
}

struct draft *draft_at(const struct draft *text, const struct extents *extents, size_t **origin, struct error *error)
{
	const struct module *from = text->module;
	struct store *s = store_new(extents->processes, &extents->grid);
	struct making x = {.from = from, .at = extents_environment(extents, from->store), .s = s};
	size_t nodes, bytes;
	store_sizes(from->store, &nodes, &bytes);
	x.made = mem_zero((nodes + 1) * sizeof *x.made);
	x.place = mem_array(from->lines + 1, sizeof *x.place);
	struct draft *to = draft_new(s, extents->processes, &extents->grid);
	struct module *m = to->module;
	store_free(s);
	m->body = body(&x, from->body, 0);
	m->lines = x.lines;
	for (size_t line = 0, kept = 0; line <= from->lines; line++) {
		x.place[line] = kept;
		kept += kept < x.lines && x.origin[kept] == line;
	}
	site_places_free(&m->places);
	m->places = site_places_copy(&from->places);
	m->sites = mem_array(m->lines + 1, sizeof *m->sites);
	for (size_t i = 0; i < m->lines; i++)
		m->sites[i] = from->sites[x.origin[i]];
	take_calls(&x, &text->calls, &to->calls);
	free(x.made);
	free(x.place);
	bool good = environment_good(&x.at, error);
	if (origin && good)
		*origin = x.origin;
	else
		free(x.origin);
	if (good)
		return to;
	draft_free(to);
	return NULL;
}
