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
	uint64_t ends, loops; /* sends, receives and collectives; loops with any */
};

static uint64_t uses_of(const struct bodies *b, node_id id)
{
	return node_of(b->store, id)->uses[FOR_ALL];
}

static node_id column(const struct bodies *b, node_id event, enum event_column which)
{
	return node_kid(b->store, event, which);
}

/* Loops and guards around are executed by all who execute what is in them. */
static struct ranks who_of(const struct bodies *b, node_id event)
{
	return *run_processes(b->run, column(b, event, COLUMN_WHO));
}

static uint64_t count_who(const struct bodies *b, node_id event)
{
	struct ranks who = who_of(b, event);
	return ranks_count(&who);
}

/* ------------------------------------------------------------------ two ends of the same messages
   */

static int64_t value_for(struct bodies *b, node_id number, int64_t rank)
{
	environment_set(&b->at, (uint32_t)rank);
	return number_at(&b->at, number);
}

/* Are tags and communicators the same for these two processes, or for all (p below 0), whatever the
   indices? */
static bool is_same_channel(struct bodies *b, node_id send, node_id receive, int64_t p, int64_t q)
{
	for (int c = COLUMN_TAG; c <= COLUMN_COMMUNICATOR; c++) {
		node_id x = column(b, send, (enum event_column)c), y = column(b, receive, (enum event_column)c);
		if (x == y && !(uses_of(b, x) & USES_PROCESS))
			continue;
		if (p < 0 || !x || !y || (uses_of(b, x) | uses_of(b, y)) & USES_INDICES ||
			value_for(b, x, p) != value_for(b, y, q) || b->at.failure)
			return false;
	}
	return true;
}

/* Process by process. */
static bool is_inverse_for_each(struct bodies *b, node_id send, node_id receive)
{
	node_id receiver = column(b, receive, COLUMN_WHO), to = column(b, send, COLUMN_PEER),
		from = column(b, receive, COLUMN_PEER);
	struct ranks senders = who_of(b, send);
	struct ranks_walk next = {0};
	for (uint32_t p; ranks_next(&senders, &next, &p);) {
		int64_t q = value_for(b, to, p);
		if (b->at.failure || q < 0 || q >= b->at.processes || !run_has(b->run, receiver, (uint32_t)q) ||
			value_for(b, from, q) != p || b->at.failure || !is_same_channel(b, send, receive, p, q))
			return false;
	}
	return count_who(b, send) == count_who(b, receive);
}

/* Around a ring of so many, there by f and back by g: f - own + g - own comes to a multiple of
   them. */
static bool is_back(const struct bodies *b, node_id f, node_id g, int64_t variable, int64_t ring)
{
	node_id own = number_variable(b->store, variable), there = number_add(b->store, f, own, -1),
		both = there ? number_add(b->store, number_add(b->store, g, own, -1), there, 1) : NODE_NONE;
	int64_t rounds;
	return both && !(uses_of(b, there) & USES_PROCESS) && number_is_constant(b->store, both, &rounds) && ring > 0 &&
	       rounds % ring == 0;
}

/* In each iteration: all go round, on a ring of all or along the axes of the grid. */
static bool is_inverse_around(struct bodies *b, node_id send, node_id receive)
{
	const struct node *f = node_of(b->store, number_single(b->store, column(b, send, COLUMN_PEER))),
			  *g = node_of(b->store, number_single(b->store, column(b, receive, COLUMN_PEER)));
	bool grid = f->kind == NODE_GRID && g->kind == NODE_GRID && f->kids == b->at.grid.axes && f->kids == g->kids;
	bool good = grid || (f->kind == NODE_REMAINDER && g->kind == NODE_REMAINDER && f->kid[1] == g->kid[1]);
	int64_t ranks = 1, size;
	for (uint32_t a = 0; good && a < (grid ? f->kids : 1); a++, ranks *= size) {
		size = grid ? b->at.grid.size[a] : 0;
		good = (grid || number_is_constant(b->store, f->kid[1], &size)) &&
		       is_back(b, f->kid[a], g->kid[a], grid ? VARIABLE_X + a : VARIABLE_P, size);
	}
	return good && ranks == b->at.processes && is_same_channel(b, send, receive, -1, -1) &&
	       count_who(b, send) == b->at.processes && count_who(b, receive) == b->at.processes;
}

static bool is_inverse(struct bodies *b, node_id send, node_id receive)
{
	uint64_t peers = uses_of(b, column(b, send, COLUMN_PEER)) | uses_of(b, column(b, receive, COLUMN_PEER));
	return node_of(b->store, send)->word == node_of(b->store, receive)->word &&
	       (peers & USES_INDICES ? is_inverse_around(b, send, receive) : is_inverse_for_each(b, send, receive));
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

/* Do all of each line or plane of the grid come with the communicator of its first? */
static bool agrees_on_lines(struct bodies *b, const struct node *line, node_id communicator)
{
	if (uses_of(b, communicator) & USES_INDICES)
		return false;
	for (uint32_t p = 0; p < b->at.processes; p++) {
		int64_t number = value_for(b, communicator, p), first = p, stride = 1;
		for (uint32_t a = 0; a < line->kids; stride *= b->at.grid.size[a++])
			first -= line->kid[a] == NODE_NONE ? stride * b->at.axis[a] : 0;
		if (b->at.failure || number != value_for(b, communicator, first))
			return false;
	}
	return true;
}

/* Of a line or plane of the grid, all are here where everybody is. */
static bool is_whole(struct bodies *b, node_id sync)
{
	node_id group = column(b, sync, COLUMN_GROUP), communicator = column(b, sync, COLUMN_COMMUNICATOR);
	const struct node *g = node_of(b->store, group);
	bool uniform = !(uses_of(b, communicator) & USES_PROCESS);
	if (g->kind == NODE_SELF || g->kind == NODE_BY_COMMUNICATOR)
		return true;
	if (g->kind == NODE_LINE)
		return count_who(b, sync) == b->at.processes && (uniform || agrees_on_lines(b, g, communicator));
	struct ranks here = who_of(b, sync);
	return uniform && ranks_equal(&here, run_processes(b->run, group));
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
	b->ends++;
	if (!event_always_happens(b->store, event))
		return false;
	if (match == MATCH_OUT && is_on_the_way(b, own, event))
		return false;
	if (match == MATCH_OUT)
		*MEM_PUSH(b->open, b->opens, b->capacity) = event;
	return match == MATCH_OUT || (match == MATCH_GROUP ? is_whole(b, event) : take_receive(b, own, event));
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
	if (n->kid[0] && run_module(b->run)->parametric)
		return false; /* those who execute what is inside may be others, too */
	uint64_t before = b->ends;
	bool good = take_body(b, n->kid[2]);
	b->loops += n->kind == NODE_LOOP && b->ends > before;
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
	bool good = b.at.processes && !run_failure(run) && take_body(&b, run_module(run)->body);
	*loops = b.loops;
	free(b.open);
	return good;
}
