/*
 * at_extents.c -- nodes are made again in another store; what depends on extents alone is what it comes
 * to there, and conditions are the processes that they hold of.
 */
#include "sizes/at_extents.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sizes/number_space.h"

struct making {
	struct environment at; /* of the text's store */
	struct store *s;
	node_id *made; /* by node of that, what tables and domains are; NODE_NONE: not yet asked */
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
	struct table *to = table_new(store_get_word(x->at.store, t->word), 1);
	uint32_t axis = axis_of_table(t), entries = axis == GRID_AXES ? x->at.processes : x->at.grid.size[axis];
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
	for (uint32_t k = 0; k < f->kids; k++)
		kid[k] = f->kind == NODE_ENTRY && !k ? table(x, f->kid[k]) : number(x, f->kid[k]);
	return number_of_kids(x->s, (enum node_kind)f->kind, f->sub, word(x, f->word), f->number, f->kids, kid);
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
	domain_holds(&at, id, &who);
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

/* None where nobody executes it. */
static uint32_t statement(void *context, struct draft_walk *w, size_t line, node_id id, node_id *to)
{
	struct making *x = context;
	const struct node *n = node(x, id);
	node_id who = any(x, n->kid[0]), inside;
	if (n->kid[0] && !who)
		return 0;
	if (n->kind == NODE_EVENT)
		*to = again(x, id, n->number);
	else if ((inside = draft_inside(w, line, id)))
		*to = node_make(
			x->s, (enum node_kind)n->kind, n->sub, 0, 0, 3, (node_id[]){who, any(x, n->kid[1]), inside});
	else
		return 0;
	return 1;
}

struct draft *draft_at(const struct draft *text, const struct extents *extents, size_t **origin, struct error *error)
{
	struct store *from = text->module->store, *s = store_new(extents->processes, &extents->grid);
	struct making x = {.at = extents_environment(extents, from), .s = s};
	size_t nodes, bytes, *lines;
	store_sizes(from, &nodes, &bytes);
	x.made = mem_zero((nodes + 1) * sizeof *x.made);
	struct module *m = module_in(s, extents->processes, &extents->grid);
	store_free(s);
	struct draft *to = draft_of_parts(text, m, statement, &x, &lines);
	free(x.made);
	bool good = environment_good(&x.at, error);
	if (origin && good)
		*origin = lines;
	else
		free(lines);
	if (good)
		return to;
	draft_free(to);
	return NULL;
}
