/*
 * inverses.c -- sends kept until their receives follow.
 *
 * A send by the processes of A to f(p), and a receive by those of f(A) from g(p), with g(f(p)) = p
 * and tags that are equal there, are the same messages. Each such pair alone is complete and in
 * order, on any channel that it shares with others: so are all together.
 */
#include "ask/inverses.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct bodies {
	struct run *run;
	struct store *store;
	struct environment at;
	node_id *open; /* sends of the body, and of those around it */
	size_t opens, capacity;
	node_id *domain; /* of the loops and guards around */
	size_t domains, domain_capacity;
	uint64_t loops;
};

static uint64_t uses_of(const struct bodies *b, node_id id)
{
	return node_of(b->store, id)->uses[FOR_ALL];
}

static node_id column(const struct bodies *b, node_id event, enum event_column which)
{
	return node_kid(b->store, event, which);
}

static bool executes(const struct bodies *b, node_id who, uint32_t rank)
{
	bool does = run_has(b->run, who, rank);
	for (size_t i = 0; i < b->domains && does; i++)
		does = run_has(b->run, b->domain[i], rank);
	return does;
}

static uint64_t count_who(const struct bodies *b, node_id who)
{
	uint64_t count = 0;
	for (uint32_t p = 0; p < b->at.processes; p++)
		count += executes(b, who, p);
	return count;
}

static bool is_everybody(const struct bodies *b, node_id who)
{
	return count_who(b, who) == b->at.processes;
}

/* ------------------------------------------------------------------ two ends of the same messages */

static int64_t value_for(struct bodies *b, node_id number, int64_t rank)
{
	environment_set(&b->at, (uint32_t)rank);
	return number_at(&b->at, number);
}

/* For these two processes, whatever the indices? */
static bool is_same_for(struct bodies *b, node_id x, int64_t p, node_id y, int64_t q)
{
	uint64_t own = USES_PROCESS, around = USES_INDICES;
	if (x == y && !(uses_of(b, x) & own))
		return true;
	return !((uses_of(b, x) | uses_of(b, y)) & around) && value_for(b, x, p) == value_for(b, y, q) &&
	       !b->at.failure;
}

/* Process by process. */
static bool is_inverse_for_each(struct bodies *b, node_id send, node_id receive)
{
	node_id sender = column(b, send, COLUMN_WHO), receiver = column(b, receive, COLUMN_WHO),
		to = column(b, send, COLUMN_PEER), from = column(b, receive, COLUMN_PEER);
	uint64_t senders = 0;
	for (uint32_t p = 0; p < b->at.processes; p++) {
		if (!executes(b, sender, p))
			continue;
		senders++;
		int64_t q = value_for(b, to, p);
		if (b->at.failure || q < 0 || q >= b->at.processes || !executes(b, receiver, (uint32_t)q) ||
			value_for(b, from, q) != p || b->at.failure)
			return false;
		for (int c = COLUMN_TAG; c <= COLUMN_COMMUNICATOR; c++)
			if (!is_same_for(b, column(b, send, (enum event_column)c), p,
				    column(b, receive, (enum event_column)c), q))
				return false;
	}
	return senders == count_who(b, receiver);
}

static bool is_multiple(const struct bodies *b, node_id number, int64_t of)
{
	int64_t constant;
	return number && of > 0 && number_is_constant(b->store, number, &constant) && constant % of == 0;
}

/* p goes around a ring of all processes by f, and back by g: f - p + g - p comes to a multiple of it. */
static bool is_ring_back(const struct bodies *b, const struct node *f, const struct node *g)
{
	int64_t ring;
	node_id own = number_variable(b->store, VARIABLE_P);
	if (f->kind != NODE_REMAINDER || g->kind != NODE_REMAINDER || f->kid[1] != g->kid[1] ||
		!number_is_constant(b->store, f->kid[1], &ring) || ring != b->at.processes)
		return false;
	node_id there = number_add(b->store, f->kid[0], own, -1), back = number_add(b->store, g->kid[0], own, -1);
	if (!there || !back || (uses_of(b, there) | uses_of(b, back)) & USES_PROCESS)
		return false;
	return is_multiple(b, number_add(b->store, there, back, 1), ring);
}

static bool is_grid_back(const struct bodies *b, const struct node *f, const struct node *g)
{
	uint64_t ranks = 1;
	if (f->kind != NODE_GRID || g->kind != NODE_GRID || f->kids != g->kids)
		return false;
	for (uint32_t a = 0; a < f->kids; a++) {
		node_id own = number_variable(b->store, VARIABLE_X + a);
		node_id there = number_add(b->store, f->kid[a], own, -1),
			back = number_add(b->store, g->kid[a], own, -1);
		if (!there || !back || (uses_of(b, there) | uses_of(b, back)) & USES_PROCESS ||
			!is_multiple(b, number_add(b->store, there, back, 1), b->at.grid.size[a]))
			return false;
		ranks *= b->at.grid.size[a];
	}
	return ranks == b->at.processes;
}

/* In each iteration: all go round. */
static bool is_inverse_around(const struct bodies *b, node_id send, node_id receive)
{
	const struct node *f = node_of(b->store, number_single(b->store, column(b, send, COLUMN_PEER))),
			  *g = node_of(b->store, number_single(b->store, column(b, receive, COLUMN_PEER)));
	for (int c = COLUMN_TAG; c <= COLUMN_COMMUNICATOR; c++)
		if (column(b, send, (enum event_column)c) != column(b, receive, (enum event_column)c) ||
			uses_of(b, column(b, send, (enum event_column)c)) & USES_PROCESS)
			return false;
	return (is_ring_back(b, f, g) || is_grid_back(b, f, g)) && is_everybody(b, column(b, send, COLUMN_WHO)) &&
	       is_everybody(b, column(b, receive, COLUMN_WHO));
}

static bool is_inverse(struct bodies *b, node_id send, node_id receive)
{
	uint64_t peers = uses_of(b, column(b, send, COLUMN_PEER)) | uses_of(b, column(b, receive, COLUMN_PEER));
	for (int c = COLUMN_TAG; c <= COLUMN_COMMUNICATOR; c++)
		if (!column(b, send, (enum event_column)c) != !column(b, receive, (enum event_column)c))
			return false;
	if (node_of(b->store, send)->word != node_of(b->store, receive)->word)
		return false;
	return peers & USES_INDICES ? is_inverse_around(b, send, receive) : is_inverse_for_each(b, send, receive);
}

/* ------------------------------------------------------------------ statements */

/* own: where the open sends of the body begin. */
static bool take_receive(struct bodies *b, size_t own, node_id receive)
{
	for (size_t i = own; i < b->opens; i++)
		if (is_inverse(b, b->open[i], receive)) {
			memmove(b->open + i, b->open + i + 1, (--b->opens - i) * sizeof *b->open);
			return true;
		}
	return false;
}

/* Of a line or plane of the grid, all are here where everybody is; they must agree on the
   communicator. */
static bool is_whole(const struct bodies *b, node_id sync)
{
	node_id group = column(b, sync, COLUMN_GROUP), who = column(b, sync, COLUMN_WHO);
	const struct node *g = node_of(b->store, group);
	uint64_t communicator = uses_of(b, column(b, sync, COLUMN_COMMUNICATOR));
	if (g->kind == NODE_SELF || (g->kind == NODE_BY_COMMUNICATOR && !b->domains))
		return true;
	if (communicator & USES_PROCESS || g->kind == NODE_BY_COMMUNICATOR)
		return false;
	if (g->kind == NODE_LINE)
		return is_everybody(b, who);
	for (uint32_t p = 0; p < b->at.processes; p++)
		if (executes(b, who, p) != run_has(b->run, group, p))
			return false;
	return true;
}

static bool is_another(const struct bodies *b, node_id x, node_id y)
{
	int64_t a, c;
	return !x != !y || (x && number_is_constant(b->store, x, &a) && number_is_constant(b->store, y, &c) && a != c);
}

/* Is something under way, sent by a body around, perhaps on the same channel? The messages of this
   body would cross its iterations, each received as the next one. */
static bool is_on_the_way(const struct bodies *b, size_t own, node_id send)
{
	for (size_t i = 0; i < own; i++) {
		bool apart = node_of(b->store, b->open[i])->word != node_of(b->store, send)->word;
		for (int c = COLUMN_TAG; c <= COLUMN_COMMUNICATOR; c++)
			apart |= is_another(
				b, column(b, b->open[i], (enum event_column)c), column(b, send, (enum event_column)c));
		if (!apart)
			return true;
	}
	return false;
}

static bool take_event(struct bodies *b, size_t own, node_id event)
{
	const struct node *n = node_of(b->store, event);
	enum event_match match = kind_rows[n->sub].match;
	if (match == MATCH_NONE)
		return true;
	if (n->number || node_of(b->store, n->kid[COLUMN_WHO])->kind == NODE_NAMED)
		return false;
	if (match == MATCH_OUT && is_on_the_way(b, own, event))
		return false;
	if (match == MATCH_OUT)
		*MEM_PUSH(b->open, b->opens, b->capacity) = event;
	return match == MATCH_OUT || (match == MATCH_GROUP ? is_whole(b, event) : take_receive(b, own, event));
}

static bool any_talks(const struct store *s, node_id statement)
{
	const struct node *n = node_of(s, statement);
	if (n->kind == NODE_EVENT)
		return kind_rows[n->sub].match != MATCH_NONE;
	bool any = n->kind != NODE_SEQUENCE && any_talks(s, n->kid[2]);
	for (uint32_t k = 0; n->kind == NODE_SEQUENCE && k < n->kids && !any; k++)
		any = any_talks(s, n->kid[k]);
	return any;
}

static bool take_body(struct bodies *b, node_id body);

/* Its processes go through it together. */
static bool take_statement(struct bodies *b, size_t own, node_id statement)
{
	const struct node *n = node_of(b->store, statement);
	if (n->kind == NODE_EVENT)
		return take_event(b, own, statement);
	if (uses_of(b, n->kid[1]) & USES_PROCESS)
		return false;
	if (n->kid[0])
		*MEM_PUSH(b->domain, b->domains, b->domain_capacity) = n->kid[0];
	bool good = take_body(b, n->kid[2]);
	b->domains -= n->kid[0] != NODE_NONE;
	b->loops += n->kind == NODE_LOOP && any_talks(b->store, n->kid[2]);
	return good;
}

/* Recursion as deep as statements nest. */
static bool take_body(struct bodies *b, node_id body)
{
	const struct node *n = node_of(b->store, body);
	size_t own = b->opens;
	for (uint32_t k = 0; k < n->kids; k++)
		if (!take_statement(b, own, n->kid[k]))
			return false;
	return b->opens == own;
}

bool inverses_prove(struct run *run, uint64_t *loops)
{
	struct bodies b = {.run = run, .store = run_module(run)->store, .at = run_environment(run)};
	bool good = !run_failure(run) && take_body(&b, run_module(run)->body);
	*loops = b.loops;
	free(b.open);
	free(b.domain);
	return good;
}
