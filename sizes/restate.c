/*
 * restate.c -- a body made anew, in which a statement may become several; and one map of all nodes.
 */
#include "sizes/restate.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* More numbers of processes are data. */
#define SPLIT_MOST DRAFT_PARTS

struct splitting {
	struct store *s;
	struct environment at;
	bool split;
};

/* The numbers of a table of processes at the place of each. */
struct numbers_by_process {
	int64_t number[SPLIT_MOST];
	struct ranks who[SPLIT_MOST];
	uint32_t length;
};

/* An entry that processes look up, whatever the iteration, and nothing else; NODE_NONE: there is none. */
static node_id entry_by_process(const struct store *s, node_id number)
{
	const struct node *n = node_of(s, number);
	node_id entry = NODE_NONE;
	if (n->looks != 1 || n->kind == NODE_GRID)
		return NODE_NONE;
	if (n->kind == NODE_ENTRY)
		return (n->uses[FOR_ALL] & (USES_PROCESS | USES_INDICES)) == USES_PROCESS ? number : NODE_NONE;
	for (uint32_t k = 0; k < n->kids && !entry; k++)
		entry = entry_by_process(s, n->kid[k]);
	return entry;
}

/* The same number with this in the place of the entry. */
static node_id with_entry(struct store *s, node_id number, node_id entry, int64_t value)
{
	const struct node *n = node_of(s, number);
	if (number == entry)
		return number_constant(s, value);
	if (n->kind == NODE_REMAINDER)
		return number_remainder(s, with_entry(s, n->kid[0], entry, value), n->kid[1]);
	if (n->kind == NODE_XOR)
		return number_xor(s, with_entry(s, n->kid[0], entry, value));
	if (n->kind != NODE_SUM)
		return number_of_factor(s, number);
	node_id sum = number_constant(s, n->number);
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *t = node_of(s, n->kid[k]);
		sum = number_add(s, sum, with_entry(s, t->kid[0], entry, value), t->number);
	}
	return sum;
}

static bool numbers_of(struct splitting *x, node_id entry, const struct ranks *who, struct numbers_by_process *to)
{
	uint32_t process;
	for (struct ranks_walk walk = {0}; ranks_next(who, &walk, &process);) {
		size_t k = 0;
		environment_set(&x->at, process);
		int64_t number = number_at(&x->at, entry);
		while (k < to->length && to->number[k] != number)
			k++;
		if (k == SPLIT_MOST)
			return false;
		if (k == to->length)
			to->number[to->length++] = number;
		ranks_add(&to->who[k], process);
	}
	return true;
}

/* By the peer, or by the tag, of this event: how many statements it becomes; 0: it stays. to: room for
   SPLIT_MOST. */
static uint32_t split_event(struct splitting *x, node_id event, node_id *to)
{
	const struct node *e = node_of(x->s, event), *who = node_of(x->s, e->kid[COLUMN_WHO]);
	uint32_t column = e->kid[COLUMN_PEER] ? COLUMN_PEER : COLUMN_ROOT;
	node_id entry = entry_by_process(x->s, e->kid[column]);
	struct ranks all = {0};
	struct numbers_by_process numbers = {0};
	if (!entry)
		entry = entry_by_process(x->s, e->kid[column = COLUMN_TAG]);
	if (!entry || who->sub || e->number || (who->kind != NODE_ALL && who->kind != NODE_RANKS))
		return 0;
	domain_holds(&x->at, e->kid[COLUMN_WHO], &all);
	bool good = numbers_of(x, entry, &all, &numbers);
	node_id *kid = mem_copy(e->kid, e->kids * sizeof *kid);
	for (size_t k = 0; k < numbers.length; k++) {
		kid[column] = with_entry(x->s, e->kid[column], entry, numbers.number[k]);
		kid[COLUMN_WHO] = node_make(x->s, NODE_RANKS, 0, 0, store_ranks(x->s, &numbers.who[k]), 0, NULL);
		good = good && kid[column];
		to[k] = good ? node_with(x->s, event, kid) : NODE_NONE;
		ranks_clear(&numbers.who[k]);
	}
	free(kid);
	ranks_clear(&all);
	return good ? numbers.length : 0;
}

static uint32_t split_statement(void *context, struct draft_walk *w, size_t line, node_id statement, node_id *to)
{
	struct splitting *x = context;
	const struct node *n = node_of(x->s, statement);
	uint32_t parts = n->kind == NODE_EVENT ? split_event(x, statement, to) : 0;
	x->split |= parts > 0;
	if (parts)
		return parts;
	node_id inside = n->kind == NODE_EVENT ? NODE_NONE : draft_inside(w, line, statement);
	*to = inside ? node_with(x->s, statement, (node_id[]){n->kid[0], n->kid[1], inside}) : statement;
	return inside || n->kind == NODE_EVENT;
}

struct draft *restate_split(const struct draft *from)
{
	const struct module *m = from->module;
	struct splitting x = {.s = m->store, .at = module_environment(m)};
	size_t *origin;
	struct draft *to =
		draft_of_parts(from, module_in(m->store, m->processes, &m->grid), split_statement, &x, &origin);
	free(origin);
	if (x.split)
		return to;
	draft_free(to);
	return NULL;
}

/* ------------------------------------------------------------------ grids */

/* x becomes y, and so on; a place on the grid, or a line of it, has x, or all of it, which is the same, in
   front. */
static node_id widen(struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	bool first = n->kind == NODE_GRID || n->kind == NODE_LINE;
	if (n->kind == NODE_VARIABLE && n->number >= VARIABLE_X && n->number < VARIABLE_W)
		return node_make(s, NODE_VARIABLE, n->sub, n->word, n->number + 1, 0, NULL);
	if (!n->kids || n->kind == NODE_SEQUENCE || n->kind == NODE_TABLE)
		return id;
	node_id *kid = mem_array(n->kids + (size_t)1, sizeof *kid);
	if (first)
		kid[0] = number_variable(s, VARIABLE_X);
	for (uint32_t k = 0; k < n->kids; k++)
		kid[k + first] = widen(s, n->kid[k]);
	id = node_make(s, (enum node_kind)n->kind, n->sub, n->word, n->number, n->kids + first, kid);
	free(kid);
	return id;
}

static node_id widen_statement(void *store, size_t line, node_id statement)
{
	(void)line;
	return widen(store, statement);
}

struct draft *restate_on_wider_grid(const struct draft *from)
{
	const struct grid *grid = &from->module->grid;
	if (!grid->axes || grid->axes == GRID_AXES)
		return NULL;
	struct draft *to = draft_copy(from);
	to->module->grid = (struct grid){.axes = grid->axes + 1, .size = {1}};
	memcpy(to->module->grid.size + 1, grid->size, grid->axes * sizeof *grid->size);
	draft_map(to, widen_statement, to->module->store);
	return to;
}
