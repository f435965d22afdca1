/*
 * module_of_rank.c -- a module as one process has it: its number and its coordinates are put in,
 * what comes out then is a number, and its place on the grid becomes a rank.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/module_parts.h"
#include "model/run.h"
#include "model/substitution.h"

#define PLAIN_REMAINDERS 3 /* of a rank in a plain statement */

struct projecting {
	struct making making;
	struct store *s;
	struct run *run; /* of the module that it is made of, whose nodes these are */
	struct environment at; /* of the process; indices are 0 */
	struct substitution put;
	node_id own, own_set; /* the process, in a plain statement and as a set */
	bool lost; /* 64 bits do not suffice */
};

static node_id number_of_process(const struct substitution *put, int64_t variable, uint32_t depth)
{
	const struct environment *at = put->context;
	(void)depth;
	if (variable == VARIABLE_P)
		return number_constant(put->store, at->p);
	if (variable <= VARIABLE_W)
		return number_constant(put->store, at->axis[variable - VARIABLE_X]);
	if (variable == VARIABLE_RANKS)
		return number_constant(put->store, at->processes);
	if (variable < VARIABLE_SYMBOL)
		return number_constant(put->store, at->grid.size[variable - VARIABLE_SIZE]);
	return NODE_NONE;
}

static node_id put(struct projecting *p, node_id id)
{
	node_id own = id ? substitute(&p->put, id, 0) : id;
	p->lost |= id && !own;
	return own;
}

/* ------------------------------------------------------------------ places */

/* @(x+1+i0,y) as x+1+i0 modulo the extent, and so on. */
static node_id rank_of_coordinates(struct projecting *p, const struct node *grid)
{
	node_id rank = number_constant(p->s, 0);
	int64_t step = 1;
	for (uint32_t a = 0; a < grid->kids; step *= p->at.grid.size[a++]) {
		node_id size = number_constant(p->s, p->at.grid.size[a]);
		rank = number_add(p->s, rank, number_remainder(p->s, grid->kid[a], size), step);
	}
	return rank;
}

static uint32_t count_remainders(const struct store *s, node_id sum)
{
	const struct node *n = node_of(s, sum);
	uint32_t count = 0;
	for (uint32_t k = 0; k < n->kids; k++)
		count += node_of(s, node_kid(s, n->kid[k], 0))->kind == NODE_REMAINDER;
	return count;
}

/* The place as a rank, a function of indices; NODE_NONE: a plain statement does not say it. */
static node_id own_place(struct projecting *p, node_id place)
{
	node_id own = put(p, place);
	const struct node *f = node_of(p->s, number_single(p->s, own));
	bool inside = f->kind == NODE_REMAINDER || f->kind == NODE_GRID; /* of a remainder: sums of indices alone */
	if (f->kind == NODE_XOR || (inside && (f->looks || node_of(p->s, f->kid[0])->marks)))
		return NODE_NONE;
	own = f->kind == NODE_GRID ? put(p, rank_of_coordinates(p, f)) : own;
	return own && count_remainders(p->s, own) <= PLAIN_REMAINDERS ? own : NODE_NONE;
}

/* ------------------------------------------------------------------ events */

static node_id ranks_node(struct store *s, const struct ranks *ranks, bool plain)
{
	return node_make(s, NODE_RANKS, plain, 0, store_ranks(s, ranks), 0, NULL);
}

static node_id own_group(struct projecting *p, node_id event)
{
	struct ranks members = {0};
	const struct node *group = node_of(p->s, node_kid(p->s, event, COLUMN_GROUP));
	if (group->kind == NODE_RANKS || group->kind == NODE_ALL || !group->kind)
		return node_kid(p->s, event, COLUMN_GROUP);
	event_members(p->run, &p->at, event, &members);
	node_id own = ranks_node(p->s, &members, true);
	ranks_clear(&members);
	return own;
}

/* Words of which a number chooses; NODE_NONE: this process has no such attribute. */
static node_id own_attribute(struct projecting *p, node_id id)
{
	const struct node *a = node_of(p->s, put(p, id)), *words = node_of(p->s, a->kid[1]);
	int64_t choice;
	if (words->kind != NODE_WORDS || !number_is_constant(p->s, a->kid[0], &choice))
		return node_with(p->s, id, a->kid);
	if (choice < 0 || choice >= words->kids || !words->kid[choice])
		return NODE_NONE;
	return node_with(p->s, id, (node_id[]){NODE_NONE, words->kid[choice]});
}

/* Also where the event names who executes it. */
static node_id own_event(struct projecting *p, node_id id)
{
	const struct node *e = node_of(p->s, id);
	node_id *kid = mem_copy(e->kid, e->kids * sizeof *kid);
	uint32_t kids = COLUMNS;
	int64_t number;
	bool plain = node_of(p->s, kid[COLUMN_WHO])->sub;
	kid[COLUMN_WHO] = plain ? p->own : p->own_set;
	for (uint32_t k = COLUMNS; k < e->kids; k++) {
		node_id own = own_attribute(p, e->kid[k]);
		if (own)
			kid[kids++] = own;
	}
	node_id peer = own_place(p, e->kid[COLUMN_PEER]), root = own_place(p, e->kid[COLUMN_ROOT]),
		communicator = put(p, e->kid[COLUMN_COMMUNICATOR]);
	if (node_of(p->s, e->kid[COLUMN_GROUP])->kind == NODE_BY_COMMUNICATOR)
		kid[COLUMN_GROUP] = own_group(p, id);
	if (!plain && !e->number && !peer == !e->kid[COLUMN_PEER] && !root == !e->kid[COLUMN_ROOT] &&
		(!communicator || number_is_constant(p->s, communicator, &number))) {
		kid[COLUMN_WHO] = p->own;
		kid[COLUMN_PEER] = peer;
		kid[COLUMN_ROOT] = root;
		kid[COLUMN_COMMUNICATOR] = communicator;
		kid[COLUMN_TAG] = put(p, e->kid[COLUMN_TAG]);
		kid[COLUMN_GROUP] = own_group(p, id);
	}
	id = node_make(p->s, NODE_EVENT, e->sub, e->word, e->number, kids, kid);
	free(kid);
	return id;
}

/* [$w[i0]] is a guard, if {3-$w[i0]} = 0. */
static node_id named_event(struct projecting *p, node_id id, size_t line)
{
	node_id name = node_kid(p->s, node_kid(p->s, id, COLUMN_WHO), 0), event = own_event(p, id);
	node_id is = put(p, number_add(p->s, number_variable(p->s, VARIABLE_P), name, -1));
	node_id test = node_make(p->s, NODE_TEST, NODE_TEST_EQUAL, 0, 0, 1, &is);
	making_line(&p->making, line);
	making_line(&p->making, line);
	return node_make(p->s, NODE_GUARD, 0, 0, 0, 3,
		(node_id[]){NODE_NONE, test, node_make(p->s, NODE_SEQUENCE, 0, 0, 0, 1, &event)});
}

/* ------------------------------------------------------------------ statements */

static node_id own_body(struct projecting *, node_id body, size_t line);

/* What never happens stands for nothing. */
static bool is_empty(struct projecting *p, enum node_kind kind, node_id how)
{
	const struct node *n = node_of(p->s, how);
	int64_t number;
	if (kind == NODE_LOOP)
		return number_is_constant(p->s, how, &number) && number < 0;
	return n->sub == NODE_TEST_NOT_ZERO && number_is_constant(p->s, n->kid[0], &number) && number <= 0;
}

/* A loop or a guard. */
static node_id own_construct(struct projecting *p, node_id id, size_t line)
{
	const struct node *n = node_of(p->s, id);
	node_id how = put(p, n->kid[1]);
	size_t before = p->making.lines;
	making_line(&p->making, line);
	node_id body =
		p->lost || is_empty(p, (enum node_kind)n->kind, how) ? NODE_NONE : own_body(p, n->kid[2], line + 1);
	if (!body || !node_of(p->s, body)->kids) {
		p->making.lines = before;
		return NODE_NONE;
	}
	return node_with(p->s, id, (node_id[]){NODE_NONE, how, body});
}

/* A table names those who stand in it. */
static bool may_be_named(struct projecting *p, node_id name)
{
	const struct node *n = node_of(p->s, name), *t = node_of(p->s, n->kids == 1 ? n->kid[0] : NODE_NONE),
			  *f = node_of(p->s, t->kids && t->number == 1 ? t->kid[0] : NODE_NONE);
	if (f->kind != NODE_ENTRY || node_of(p->s, f->kid[0])->kids)
		return true;
	const struct table *table = store_get_table(p->s, (uint32_t)node_of(p->s, f->kid[0])->number);
	bool any = false;
	for (uint64_t i = 0; i < table_entries(table) && !any; i++)
		any = table_entry(table, i) == p->at.p - n->number;
	return any;
}

static bool executes(struct projecting *p, node_id statement)
{
	node_id who = node_kid(p->s, statement, 0);
	if (node_of(p->s, who)->kind == NODE_NAMED)
		return may_be_named(p, node_kid(p->s, who, 0));
	return !who || run_has(p->run, who, (uint32_t)p->at.p);
}

static node_id own_statement(struct projecting *p, node_id id, size_t line)
{
	const struct node *n = node_of(p->s, id);
	if (p->lost || !executes(p, id))
		return NODE_NONE;
	if (n->kind != NODE_EVENT)
		return own_construct(p, id, line);
	if (node_of(p->s, n->kid[COLUMN_WHO])->kind == NODE_NAMED)
		return named_event(p, id, line);
	making_line(&p->making, line);
	return own_event(p, id);
}

/* As deep as loops nest. */
static node_id own_body(struct projecting *p, node_id body, size_t line)
{
	const struct node *n = node_of(p->s, body);
	node_id *kid = mem_array(n->kids, sizeof *kid);
	uint32_t kids = 0;
	node_id before = NODE_NONE; /* what is left of the statement before */
	for (uint32_t k = 0; k < n->kids; line += node_of(p->s, n->kid[k++])->lines) {
		node_id own = own_statement(p, n->kid[k], line);
		if (own)
			kid[kids++] = before ? own : guard_alone(p->s, own);
		before = own;
	}
	node_id result = node_make(p->s, NODE_SEQUENCE, 0, 0, 0, kids, kid);
	free(kid);
	return result;
}

struct module *module_of_rank(const struct module *from, uint32_t rank, size_t **origin, struct error *error)
{
	if (rank >= from->processes) {
		error_set(error, ERROR_INPUT, "there is no rank %" PRIu32 ": the run has %" PRIu32 " processes", rank,
			from->processes);
		return NULL;
	}
	struct projecting p = {.making = making_start(from)};
	struct ranks own = {0};
	struct module *m = p.making.to;
	p.s = m->store;
	m->body = store_import(p.s, from->store, from->body);
	p.run = run_new(m, NULL);
	p.at = run_environment(p.run);
	environment_set(&p.at, rank);
	p.at.depth = node_of(p.s, m->body)->depth;
	p.at.index = mem_zero((p.at.depth + 1) * sizeof *p.at.index);
	p.put = (struct substitution){.store = p.s, .of = number_of_process, .context = &p.at, .at = &p.at};
	ranks_add(&own, rank);
	p.own = ranks_node(p.s, &own, true);
	p.own_set = ranks_node(p.s, &own, false);
	ranks_clear(&own);
	node_id body = own_body(&p, m->body, 0);
	run_free(p.run);
	free(p.at.index);
	m = making_finish(&p.making, from, body, origin);
	if (!p.lost && !p.at.failure) {
		m->grid.axes = module_is_folded(m) ? m->grid.axes : 0;
		return m;
	}
	error_set(error, ERROR_INPUT, "of rank %u no program can be made: %s", rank,
		failure_text(p.lost ? FAILURE_OVERFLOW : p.at.failure));
	module_free(m);
	if (origin)
		free(*origin);
	return NULL;
}
