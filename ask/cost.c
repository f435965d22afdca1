/*
 * cost.c -- statements as they are written, each once; what they look up, and the tables that this
 * asks for.
 */
#include "ask/cost.h"

#include <string.h>

#include "base/intern.h"

struct counting {
	const struct store *s;
	struct cost cost;
	struct intern *tables; /* that were counted: nodes */
	const struct node *procedure; /* the one around, or NULL */
};

/* ------------------------------------------------------------------ tables */

/* Sizes are data: looking these up is no detour of the program's. entry: is it an entry, not the
   table as an argument? */
static bool is_size(const char *name, bool entry)
{
	size_t digits = 1 + strspn(name + (*name != 0), "0123456789");
	return !strncmp(name, "bytes", 5) || !strncmp(name, "received", 8) ||
	       ((*name == 'b' || *name == 'r') && !name[digits] && entry);
}

static void count_table(struct counting *c, node_id id)
{
	const struct node *t = node_of(c->s, id);
	uint32_t known = intern_count(c->tables);
	if (t->kind != NODE_TABLE || intern_id(c->tables, &id, sizeof id) < known)
		return;
	uint64_t entries = t->kids ? 1 : table_printed_entries(store_get_table(c->s, (uint32_t)t->number));
	c->cost.tables++;
	c->cost.entries += entries;
	c->cost.longest = entries > c->cost.longest ? entries : c->cost.longest;
	if (is_size(store_get_word(c->s, t->word), true))
		c->cost.sizes += COST_TABLE + COST_ENTRY * entries;
}

/* What a table, or a parameter that is one, is called. */
static const char *name_of(const struct counting *c, const struct node *t)
{
	bool parameter = t->kind == NODE_VARIABLE;
	const struct node *named = parameter ? node_of(c->s, c->procedure->kid[1 + t->number - VARIABLE_PARAMETER]) : t;
	return store_get_word(c->s, named->word);
}

/* ------------------------------------------------------------------ numbers */

/* carried: behind the event, where look-ups are free. */
static void count_looks(struct counting *c, node_id id, bool carried)
{
	const struct node *n = node_of(c->s, id);
	if (n->kind == NODE_TABLE)
		return;
	if (n->kind == NODE_ENTRY) {
		count_table(c, n->kid[0]);
		c->cost.lookups += !carried && !is_size(name_of(c, node_of(c->s, n->kid[0])), true);
	}
	for (uint32_t k = 0; k < n->kids; k++)
		count_looks(c, n->kid[k], carried);
}

/* Anywhere in it, also in what a table is asked for. */
static bool has_remainder_or_power(const struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	bool has = n->kind == NODE_REMAINDER || n->kind == NODE_POWER;
	for (uint32_t k = 0; k < n->kids && !has; k++)
		has = n->kind != NODE_TABLE && has_remainder_or_power(s, n->kid[k]);
	return has;
}

static void count_number(struct counting *c, node_id id, bool place, bool carried)
{
	int64_t constant;
	const struct node *n = node_of(c->s, id);
	if (!id)
		return;
	count_looks(c, id, carried);
	if (n->kind != NODE_SUM || !number_is_braced(c->s, id, place) || number_is_constant(c->s, id, &constant))
		return;
	bool power = has_remainder_or_power(c->s, id);
	c->cost.remainders += power;
	c->cost.affine += !power;
}

/* ------------------------------------------------------------------ statements */

static void count_body(struct counting *, node_id body);

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
		bool table = argument->kind != NODE_SUM;
		c->cost.arguments += 1u + argument->commas;
		count_table(c, call->kid[k]);
		c->cost.lookups += table && !is_size(name_of(c, argument), false);
		if (!table)
			count_looks(c, call->kid[k], false);
	}
}

static void count_statement(struct counting *c, const struct node *n)
{
	c->cost.lines += n->kind != NODE_GUARD;
	c->cost.guards += n->kind == NODE_GUARD;
	c->cost.loops += n->kind == NODE_LOOP;
	if (n->kind == NODE_EVENT) {
		count_event(c, n);
	} else if (n->kind == NODE_CALL) {
		count_call(c, n);
	} else {
		/* `else` says no condition */
		if (n->kind == NODE_LOOP || !n->sub)
			count_number(c, n->kind == NODE_LOOP ? n->kid[1] : node_kid(c->s, n->kid[1], 0), false, false);
		count_body(c, n->kid[2]);
	}
}

/* Recursion as deep as statements are inside each other. */
static void count_body(struct counting *c, node_id body)
{
	const struct node *n = node_of(c->s, body);
	for (uint32_t k = 0; k < n->kids; k++)
		count_statement(c, node_of(c->s, n->kid[k]));
}

static void count_procedure(struct counting *c, const struct node *p)
{
	c->procedure = p;
	c->cost.lines++;
	for (uint32_t k = 1; k < p->kids; k++) {
		const struct node *parameter = node_of(c->s, p->kid[k]);
		c->cost.lookups += parameter->sub && !is_size(store_get_word(c->s, parameter->word), false);
	}
	count_body(c, p->kid[0]);
	c->procedure = NULL;
}

struct cost text_cost(const struct module *m)
{
	struct counting c = {.s = m->store, .tables = intern_new_keys(sizeof(node_id))};
	count_body(&c, m->body);
	for (size_t i = 0; i < m->procedures; i++)
		count_procedure(&c, node_of(m->store, m->procedure[i]));
	intern_free(c.tables);
	struct cost *cost = &c.cost;
	cost->total = COST_STATEMENT * cost->lines + COST_ARGUMENT * cost->arguments + COST_GUARD * cost->guards +
		      COST_TABLE * cost->tables + COST_ENTRY * cost->entries + COST_LOOKUP * cost->lookups;
	return *cost;
}
