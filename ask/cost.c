/*
 * cost.c -- the total is that of the nodes; what it is of is counted, statements as they are written,
 * each once.
 */
#include "ask/cost.h"

#include <stdlib.h>
#include <string.h>

struct counting {
	const struct store *s;
	struct cost cost;
};

/* Sizes are data: they tell no structure. */
static bool is_size(const char *name)
{
	size_t digits = 1 + strspn(name + (*name != 0), "0123456789");
	return !strncmp(name, "bytes", 5) || !strncmp(name, "received", 8) ||
	       ((*name == 'b' || *name == 'r') && !name[digits]);
}

static void count_table(struct counting *c, node_id id)
{
	const struct node *t = node_of(c->s, id);
	uint64_t entries = t->kids ? 1 : table_printed_entries(store_get_table(c->s, (uint32_t)t->number));
	c->cost.tables++;
	c->cost.entries += entries;
	c->cost.longest = entries > c->cost.longest ? entries : c->cost.longest;
	if (is_size(store_get_word(c->s, t->word)))
		c->cost.sizes += COST_TABLE + COST_ENTRY * entries;
}

static void count_number(struct counting *c, node_id id, bool place, bool carried)
{
	int64_t constant;
	const struct node *n = node_of(c->s, id);
	if (!id)
		return;
	c->cost.lookups += carried ? 0 : n->looks;
	if (n->kind != NODE_SUM || !number_is_braced(c->s, id, place) || number_is_constant(c->s, id, &constant))
		return;
	c->cost.remainders += n->marks > 0;
	c->cost.affine += n->marks == 0;
}

/* ------------------------------------------------------------------ statements */

static void count_event(struct counting *c, const struct node *event)
{
	const struct node *who = node_of(c->s, event->kid[COLUMN_WHO]);
	if (who->kind == NODE_NAMED)
		count_number(c, who->kid[0], false, false);
	for (uint32_t k = COLUMN_PEER; k < COLUMNS; k++)
		count_number(c, event->kid[k], k == COLUMN_PEER || k == COLUMN_ROOT, false);
	for (uint32_t k = COLUMNS; k < event->kids; k++)
		count_number(c, node_kid(c->s, event->kid[k], 0), false, true);
}

static void count_call(struct counting *c, const struct node *call)
{
	for (uint32_t k = 1; k < call->kids; k++) {
		const struct node *argument = node_of(c->s, call->kid[k]);
		bool table = argument->kind == NODE_TABLE || argument->kind == NODE_VARIABLE;
		c->cost.arguments += 1u + (table ? 0 : argument->commas);
		c->cost.lookups += table ? 1 : argument->looks;
	}
}

static void count_statement(struct counting *c, const struct node *n)
{
	c->cost.lines += n->kind != NODE_GUARD;
	c->cost.guards += n->kind == NODE_GUARD;
	if (n->kind == NODE_EVENT) {
		count_event(c, n);
	} else if (n->kind == NODE_CALL) {
		count_call(c, n);
	} else if (n->kind == NODE_PROCEDURE) {
		for (uint32_t k = 1; k < n->kids; k++)
			c->cost.lookups += node_of(c->s, n->kid[k])->sub != 0;
	} else if (n->kind == NODE_LOOP || !n->sub) { /* `else` says no condition */
		count_number(c, n->kind == NODE_LOOP ? n->kid[1] : node_kid(c->s, n->kid[1], 0), false, false);
	}
}

struct cost text_cost(const struct module *m)
{
	uint64_t callers, total = module_cost(m, &callers);
	struct counting c = {.s = m->store,
		.cost.callers = callers * (COST_STATEMENT / COST_UNIT),
		.cost.total = total * (COST_STATEMENT / COST_UNIT)};
	struct module_line *line = module_statements(m);
	for (size_t i = 0; i < m->lines; i++)
		count_statement(&c, node_of(m->store, line[i].node));
	free(line);
	for (size_t i = 0; i < m->tables; i++)
		count_table(&c, m->table[i]);
	return c.cost;
}
