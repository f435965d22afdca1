/*
 * lookups.c -- terms of numbers whose factor is a look-up, or a product of them.
 */
#include "merge/lookups.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/module_tables.h"

struct changing {
	struct store *s;
	lookup_change *change;
	void *context;
	bool any;
};

/* As a number. */
static node_id changed_factor(struct changing *c, node_id factor, int64_t times, bool alone)
{
	const struct node *f = node_of(c->s, factor);
	node_id changed = NODE_NONE;
	if (f->kind == NODE_ENTRY && lookup_get_table(c->s, f->kid[0]))
		changed = c->change(c->context, factor, times, alone);
	if (f->kind == NODE_PRODUCT && node_of(c->s, f->kid[0])->kind != NODE_SUM)
		changed = number_multiply(
			c->s, changed_factor(c, f->kid[0], times, false), changed_factor(c, f->kid[1], times, false));
	return changed ? changed : number_of_factor(c->s, factor);
}

static node_id changed_number(struct changing *c, node_id number)
{
	const struct node *n = node_of(c->s, number);
	node_id sum = number_constant(c->s, n->number);
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *t = node_of(c->s, n->kid[k]);
		sum = number_add(c->s, sum, changed_factor(c, t->kid[0], t->number, true), t->number);
	}
	return sum ? sum : number; /* 64 bits do not suffice */
}

static node_id change_event(void *changing, size_t line, node_id event)
{
	struct changing *c = changing;
	const struct node *e = node_of(c->s, event);
	(void)line;
	if (e->kind != NODE_EVENT)
		return event;
	node_id *kid = mem_copy(e->kid, e->kids * sizeof *kid);
	for (uint32_t k = COLUMNS; k < e->kids; k++) {
		const struct node *a = node_of(c->s, kid[k]);
		if (a->kid[0] && !a->kid[1])
			kid[k] = node_with(c->s, kid[k], (node_id[]){changed_number(c, a->kid[0]), NODE_NONE});
	}
	c->any |= memcmp(kid, e->kid, e->kids * sizeof *kid) != 0;
	event = node_with(c->s, event, kid);
	free(kid);
	return event;
}

bool lookups_change(struct draft *d, lookup_change *change, void *context)
{
	struct changing c = {d->module->store, change, context, false};
	draft_map(d, change_event, &c);
	if (c.any) {
		d->module->tables = 0; /* none keeps its number */
		module_name_tables(d->module);
	}
	return c.any;
}

const struct table *lookup_get_table(const struct store *s, node_id table)
{
	const struct node *t = node_of(s, table);
	return t->kind == NODE_TABLE && !t->kids ? store_get_table(s, (uint32_t)t->number) : NULL;
}

node_id lookup_number(struct store *s, node_id table, const node_id *argument)
{
	return number_entry(s, table, argument, table_arguments(lookup_get_table(s, table)));
}

/* ------------------------------------------------------------------ the tables of a draft */

struct draft_tables {
	struct store *s;
	struct intern *seen; /* nodes */
	struct same {
		uint64_t hash;
		node_id node;
	} * table;
	size_t length, capacity;
};

static void note_table(struct draft_tables *to, node_id table)
{
	const struct table *t = lookup_get_table(to->s, table);
	if (t)
		*MEM_PUSH(to->table, to->length, to->capacity) = (struct same){table_hash(t), table};
}

/* Recursion as deep as loops and numbers nest. */
static void note_tables(struct draft_tables *to, node_id at)
{
	const struct node *n = node_of(to->s, at);
	uint32_t known = intern_count(to->seen);
	if (!n->kids && n->kind != NODE_TABLE)
		return;
	if (intern_id(to->seen, &at, sizeof at) < known)
		return;
	if (n->kind == NODE_TABLE)
		note_table(to, at);
	for (uint32_t k = 0; k < n->kids; k++)
		note_tables(to, n->kid[k]);
}

struct draft_tables *draft_tables_of(const struct draft *d)
{
	struct draft_tables *tables = mem_zero(sizeof *tables);
	tables->s = d->module->store;
	tables->seen = intern_new_keys(sizeof(node_id));
	note_tables(tables, d->module->body);
	return tables;
}

void draft_tables_free(struct draft_tables *tables)
{
	intern_free(tables->seen);
	free(tables->table);
	free(tables);
}

node_id draft_tables_adopt(struct draft_tables *tables, struct table *t)
{
	uint64_t hash = table_hash(t);
	for (size_t i = 0; i < tables->length; i++)
		if (tables->table[i].hash == hash &&
			table_same(lookup_get_table(tables->s, tables->table[i].node), t)) {
			table_free(t);
			return tables->table[i].node;
		}
	uint32_t word = store_word(tables->s, table_name(t), strlen(table_name(t)));
	node_id node = node_make(tables->s, NODE_TABLE, 0, word, store_table(tables->s, t), 0, NULL);
	note_table(tables, node);
	return node;
}
