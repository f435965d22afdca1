/*
 * module_tables.c -- first all tables are met in their order, then all nodes with tables are made
 * anew.
 */
#include "model/module_tables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"

struct naming {
	struct store *s;
	struct intern *names, *tables; /* that there are; what tells tables apart */
	node_id *table; /* by table: its node */
	size_t table_capacity;
	bool *met; /* by node: what is in it is known */
	node_id *now; /* by node: what it becomes; NODE_NONE: not known yet */
};

/* b, b2, ...: the next that no other table has. */
static uint32_t next_name(struct naming *n, uint32_t word)
{
	struct text name = {0};
	text_put(&name, store_get_word(n->s, word));
	while (name.length > 1 && isdigit((unsigned char)name.data[name.length - 1]))
		text_truncate(&name, name.length - 1);
	size_t letters = name.length;
	for (uint32_t number = 2; intern_find(n->names, name.data, name.length) != INTERN_NONE; number++) {
		text_truncate(&name, letters);
		text_number(&name, number);
	}
	word = store_word(n->s, name.data, name.length);
	text_clear(&name);
	return word;
}

/* Tables of the same entries are one, whatever their names. */
static uint32_t id_of_table(struct naming *n, node_id table)
{
	const struct node *t = node_of(n->s, table);
	if (t->kids)
		return intern_id(n->tables, (uint64_t[3]){1, table, 0}, sizeof(uint64_t[3]));
	const struct table *own = store_get_table(n->s, (uint32_t)t->number);
	for (uint64_t key[3] = {0, table_hash(own), 0};; key[2]++) { /* of equal hashes */
		uint32_t known = intern_count(n->tables), id = intern_id(n->tables, key, sizeof key);
		const struct node *same = id < known ? node_of(n->s, n->table[id]) : NULL;
		if (!same || table_same(store_get_table(n->s, (uint32_t)same->number), own))
			return id;
	}
}

/* named: it keeps its name. */
static void meet_table(struct naming *n, node_id table, bool named)
{
	uint32_t known = intern_count(n->tables), id = id_of_table(n, table);
	const struct node *t = node_of(n->s, table);
	int64_t number = t->number;
	if (id < known)
		return;
	uint32_t word = named ? t->word : next_name(n, t->word);
	const char *name = store_get_word(n->s, word);
	intern_id(n->names, name, strlen(name));
	if (!t->kids)
		number = store_table(n->s, table_named(store_get_table(n->s, (uint32_t)number), name));
	n->table = mem_grow(n->table, &n->table_capacity, id + (size_t)1, sizeof *n->table);
	n->table[id] = node_make(n->s, NODE_TABLE, t->sub, word, number, t->kids, t->kid);
}

/* Recursion as deep as statements and numbers are. */
static void meet(struct naming *n, node_id id)
{
	const struct node *node = node_of(n->s, id);
	if (n->met[id])
		return;
	n->met[id] = true;
	if (node->kind == NODE_TABLE)
		meet_table(n, id, false);
	for (uint32_t k = node->kind == NODE_CALL; k < node->kids; k++)
		meet(n, node->kid[k]);
}

static node_id renamed(struct naming *n, node_id id)
{
	const struct node *node = node_of(n->s, id);
	if (!id || n->now[id])
		return n->now[id];
	if (node->kind == NODE_TABLE)
		return n->now[id] = n->table[id_of_table(n, id)];
	bool same = true;
	node_id *kid = mem_array(node->kids, sizeof *kid);
	for (uint32_t k = 0; k < node->kids; k++) {
		kid[k] = renamed(n, node->kid[k]);
		same = same && kid[k] == node->kid[k];
	}
	n->now[id] = same ? id : node_with(n->s, id, kid);
	free(kid);
	return n->now[id];
}

/* first: these, which keep their names or not, come before all others. */
static void name_all(struct module *m, const node_id *first, size_t count, bool named)
{
	size_t nodes, bytes;
	store_sizes(m->store, &nodes, &bytes);
	struct naming n = {.s = m->store,
		.names = intern_new(),
		.tables = intern_new_keys(sizeof(uint64_t[3])),
		.met = mem_zero(nodes + 1),
		.now = mem_zero((nodes + 1) * sizeof(node_id))};
	for (size_t i = 0; i < count; i++)
		meet_table(&n, first[i], named);
	meet(&n, m->body);
	for (size_t i = 0; i < m->procedures; i++)
		meet(&n, m->procedure[i]);
	m->body = renamed(&n, m->body);
	for (size_t i = 0; i < m->procedures; i++)
		m->procedure[i] = renamed(&n, m->procedure[i]);
	m->tables = intern_count(n.tables);
	m->table = mem_grow(m->table, &m->table_capacity, m->tables, sizeof *m->table);
	if (m->tables)
		memcpy(m->table, n.table, m->tables * sizeof *m->table);
	intern_free(n.names);
	intern_free(n.tables);
	free(n.table);
	free(n.met);
	free(n.now);
}

void module_name_tables(struct module *m)
{
	name_all(m, m->table, m->tables, true);
}

void module_number_tables(struct module *m, const node_id *first, size_t count)
{
	name_all(m, first, count, false);
}
