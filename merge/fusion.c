/*
 * fusion.c -- the two loops say the same exchanges from both ends, statement by statement. Which
 * of them belong together, and with which tags, is asked of the streams: what is joined must say
 * the same as before for every process.
 */
#include "merge/fusion.h"

#include <stdlib.h>
#include <string.h>

#include "ask/sameness.h"
#include "base/mem.h"
#include "base/saturate.h"

/* Pairs are counted as they are met; so many of them are tried. */
#define PAIRS 16

#define LINE_NONE UINT32_MAX

struct joining {
	const struct draft *from;
	struct store *s;
	struct run *run; /* of `from` */
	bool wanted[PAIRS]; /* which are joined */
	uint32_t master[PAIRS];
	uint64_t workers[PAIRS]; /* how many */
	size_t pairs;
	node_id *kid; /* a stack: statements of the bodies around */
	size_t kids, kid_capacity;
	uint32_t *line; /* by line: which of `from` it was; LINE_NONE: none */
	size_t lines, line_capacity;
	size_t *to; /* by line of `from`: which it has become; where the text ends, too */
};

/* One exchange after the other: events that stand at these places, and nothing else. */
struct pair {
	struct joining *joining;
	const struct node *master, *workers; /* the loops */
	size_t master_line, workers_line;
	uint32_t events; /* in the body of each */
	uint32_t turn; /* the workers' loop begins with so many events that end an exchange */
	uint32_t rank; /* of the master */
	node_id name; /* whom it exchanges messages with */
};

static node_id event_of(const struct joining *j, const struct node *loop, uint32_t k)
{
	return node_kid(j->s, loop->kid[2], k);
}

static uint32_t events_of(const struct joining *j, const struct node *loop)
{
	return node_of(j->s, loop->kid[2])->kids;
}

static node_id column(const struct joining *j, node_id event, enum event_column which)
{
	return node_kid(j->s, event, which);
}

/* Whose loop it is: that of one process has no set of its own, but its events do. */
static const struct ranks *who_loops(const struct joining *j, const struct node *loop)
{
	return run_processes(j->run, loop->kid[0] ? loop->kid[0] : column(j, event_of(j, loop, 0), COLUMN_WHO));
}

static bool is_message(const struct joining *j, node_id event, const struct ranks *who)
{
	const struct node *e = node_of(j->s, event);
	return e->kind == NODE_EVENT && kind_is_message(e->sub) && e->kids == COLUMNS &&
	       event_always_happens(j->s, event) && ranks_equal(run_processes(j->run, e->kid[COLUMN_WHO]), who);
}

static bool holds_messages_alone(const struct joining *j, const struct node *loop)
{
	uint32_t events = loop->kind == NODE_LOOP ? events_of(j, loop) : 0;
	bool good = events && (loop->kid[0] || node_of(j->s, event_of(j, loop, 0))->kind == NODE_EVENT);
	for (uint32_t k = 0; k < events && good; k++)
		good = is_message(j, event_of(j, loop, k), who_loops(j, loop));
	return good;
}

static bool is_uniform(const struct joining *j, node_id number)
{
	return !(node_of(j->s, number)->uses[FOR_ALL] & USES_PROCESS);
}

static bool is_master(struct pair *x)
{
	const struct joining *j = x->joining;
	if (!holds_messages_alone(j, x->master))
		return false;
	const struct ranks *who = who_loops(j, x->master);
	if (ranks_count(who) != 1 || !is_uniform(j, x->master->kid[1]))
		return false;
	x->rank = who->run[0].first;
	x->events = events_of(j, x->master);
	x->name = column(j, event_of(j, x->master, 0), COLUMN_PEER);
	for (uint32_t i = 0; i < x->events; i++) {
		node_id event = event_of(j, x->master, i), peer = column(j, event, COLUMN_PEER);
		if (peer != x->name || !node_of(j->s, peer)->looks || !is_uniform(j, peer) ||
			!is_uniform(j, column(j, event, COLUMN_TAG)))
			return false;
	}
	return true;
}

/* What whoever is named does there: the other end. */
static node_id other_end(const struct pair *x, node_id own)
{
	struct store *s = x->joining->s;
	const struct node *e = node_of(s, own);
	node_id kid[COLUMNS];
	memcpy(kid, e->kid, sizeof kid);
	kid[COLUMN_WHO] = node_make(s, NODE_NAMED, 0, 0, 0, 1, &x->name);
	kid[COLUMN_PEER] = number_constant(s, x->rank);
	return node_make(s, NODE_EVENT, kind_sends(e->sub) ? EVENT_RECV : EVENT_SEND, e->word, 0, COLUMNS, kid);
}

/* But for the number of its tag, which the worker counts in its own way. */
static bool is_other_end(const struct pair *x, node_id own, node_id other)
{
	struct store *s = x->joining->s;
	const struct node *found = node_of(s, other), *wanted = node_of(s, other_end(x, own));
	node_id tag = wanted->kid[COLUMN_TAG], communicator = wanted->kid[COLUMN_COMMUNICATOR], kid[COLUMNS];
	int64_t number;
	memcpy(kid, wanted->kid, sizeof kid);
	kid[COLUMN_WHO] = found->kid[COLUMN_WHO];
	kid[COLUMN_TAG] = found->kid[COLUMN_TAG];
	return !tag == !kid[COLUMN_TAG] && (!communicator || number_is_constant(s, communicator, &number)) &&
	       node_make(s, NODE_EVENT, wanted->sub, wanted->word, 0, COLUMNS, kid) == other;
}

/* Which event of the workers' body is the other end of the master's. */
static node_id other_of(const struct pair *x, uint32_t event)
{
	return event_of(x->joining, x->workers, (event + x->turn) % x->events);
}

static bool are_other_ends(const struct pair *x)
{
	bool good = true;
	for (uint32_t i = 0; i < x->events && good; i++) {
		node_id other = other_of(x, i);
		good = is_other_end(x, event_of(x->joining, x->master, i), other) &&
		       (!x->turn || !(node_of(x->joining->s, other)->uses[FOR_ALL] & USES_INDICES));
	}
	return good;
}

static bool is_pair(struct pair *x)
{
	if (!is_master(x) || !holds_messages_alone(x->joining, x->workers) ||
		events_of(x->joining, x->workers) != x->events)
		return false;
	x->turn = 0;
	while (x->turn < x->events && !are_other_ends(x))
		x->turn++;
	return x->turn < x->events && !ranks_has(who_loops(x->joining, x->workers), x->rank);
}

/* Are calls whole with everything up to `end`, or with what is between the two loops, or elsewhere?
   By lines. */
static bool keeps_calls(const struct program_calls *calls, size_t first, size_t between, size_t second, size_t end)
{
	bool good = true;
	for (size_t i = 0; i < calls->length && good; i++) {
		const struct program_call *c = &calls->call[i];
		good = c->end <= first || c->start >= end || (c->start <= first && c->end >= end) ||
		       (c->start >= between && c->end <= second);
	}
	return good;
}

static void add_processes(const struct joining *j, node_id statement, struct ranks *to)
{
	const struct node *n = node_of(j->s, statement);
	for (uint32_t k = 0; n->kind != NODE_EVENT && k < node_of(j->s, n->kid[2])->kids; k++)
		add_processes(j, node_kid(j->s, n->kid[2], k), to);
	if (n->kind != NODE_EVENT)
		return;
	ranks_join(to, run_processes(j->run, n->kid[COLUMN_WHO]));
}

static bool is_pair_of(
	struct pair *x, struct joining *j, node_id master, size_t master_line, node_id workers, size_t workers_line)
{
	*x = (struct pair){.joining = j,
		.master = node_of(j->s, master),
		.workers = node_of(j->s, workers),
		.master_line = master_line,
		.workers_line = workers_line};
	return is_pair(x);
}

/* The pair of the k-th statement of a body, a loop at this line, and one behind it, whose number is
   the result, with nothing between them that a worker does; else 0. */
static uint32_t find_pair(struct joining *j, const struct node *body, uint32_t k, size_t line, struct pair *x)
{
	node_id first = body->kid[k];
	size_t between = module_line_behind(j->from->module, line, first), at = between;
	uint32_t next = k + 1;
	struct ranks others = {0};
	if (!holds_messages_alone(j, node_of(j->s, first)))
		return 0;
	while (next < body->kids && !is_pair_of(x, j, first, line, body->kid[next], at) &&
		!is_pair_of(x, j, body->kid[next], at, first, line)) {
		add_processes(j, body->kid[next], &others);
		at = module_line_behind(j->from->module, at, body->kid[next++]);
	}
	bool found = next < body->kids && !ranks_meet(&others, who_loops(j, x->workers)) &&
		     keeps_calls(&j->from->calls, line, between, at,
			     module_line_behind(j->from->module, at, body->kid[next]));
	ranks_clear(&others);
	return found ? next : 0;
}

/* ------------------------------------------------------------------ the joint loop */

static void put_line(struct joining *j, size_t line)
{
	*MEM_PUSH(j->line, j->lines, j->line_capacity) = (uint32_t)line;
}

static void put(struct joining *j, node_id statement)
{
	*MEM_PUSH(j->kid, j->kids, j->kid_capacity) = statement;
}

/* What was put since there were so many. */
static node_id take_body(struct joining *j, size_t first)
{
	node_id body =
		node_make(j->s, NODE_SEQUENCE, 0, 0, 0, (uint32_t)(j->kids - first), j->kid ? j->kid + first : NULL);
	j->kids = first;
	return body;
}

static void put_named(struct joining *j, node_id event)
{
	put_line(j, LINE_NONE);
	put(j, event);
}

/* The sends first: then it can happen as it is written. */
static void put_exchange(const struct pair *x, uint32_t i)
{
	struct joining *j = x->joining;
	node_id own = event_of(j, x->master, i), named = other_end(x, own);
	bool sends = kind_sends(node_of(j->s, own)->sub);
	if (!sends)
		put_named(j, named);
	put_line(j, x->master_line + 1 + i);
	put(j, own);
	if (sends)
		put_named(j, named);
}

/* Events of the workers' loop, beside the joint one. */
static void put_beside(const struct pair *x, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		put_line(x->joining, x->workers_line + 1 + i);
		put(x->joining, event_of(x->joining, x->workers, i));
	}
}

static void put_pair(const struct pair *x)
{
	struct joining *j = x->joining;
	struct ranks both = {0};
	put_beside(x, 0, x->turn);
	put_line(j, LINE_NONE);
	size_t first = j->kids;
	for (uint32_t i = 0; i < x->events; i++)
		put_exchange(x, i);
	ranks_unite(&both, who_loops(j, x->master), who_loops(j, x->workers));
	node_id who = node_make(j->s, NODE_RANKS, 0, 0, store_ranks(j->s, &both), 0, NULL);
	put(j, node_make(j->s, NODE_LOOP, 0, 0, 0, 3, (node_id[]){who, x->master->kid[1], take_body(j, first)}));
	put_beside(x, x->turn ? x->turn : x->events, x->events);
	ranks_clear(&both);
}

static bool meet(const struct pair *x)
{
	struct joining *j = x->joining;
	size_t number = j->pairs++;
	if (number >= PAIRS)
		return false;
	j->master[number] = x->rank;
	j->workers[number] = ranks_count(who_loops(j, x->workers));
	return j->wanted[number];
}

static void put_statement(struct joining *, node_id, size_t line);

/* Those of a body from one on, before the end. Gives the line behind them. */
static size_t put_statements(struct joining *j, const struct node *body, uint32_t k, uint32_t end, size_t line)
{
	while (k < end) {
		j->to[line] = j->lines;
		struct pair x;
		size_t behind = module_line_behind(j->from->module, line, body->kid[k]);
		uint32_t second = find_pair(j, body, k, line, &x);
		if (!second || second >= end || !meet(&x)) {
			put_statement(j, body->kid[k++], line);
			line = behind;
			continue;
		}
		bool ahead = x.master_line == line;
		if (ahead)
			put_pair(&x);
		line = put_statements(j, body, k + 1, second, behind);
		j->to[line] = j->lines;
		if (!ahead)
			put_pair(&x);
		line = module_line_behind(j->from->module, line, body->kid[second]);
		k = second + 1;
	}
	return line;
}

/* Recursion as deep as loops nest. */
static void put_statement(struct joining *j, node_id statement, size_t line)
{
	const struct node *n = node_of(j->s, statement);
	put_line(j, line);
	if (n->kind != NODE_EVENT) {
		const struct node *body = node_of(j->s, n->kid[2]);
		size_t first = j->kids;
		put_statements(j, body, 0, body->kids, line + 1);
		statement = node_with(j->s, statement, (node_id[]){n->kid[0], n->kid[1], take_body(j, first)});
	}
	put(j, statement);
}

static node_id joined_body(struct joining *j)
{
	const struct node *body = node_of(j->s, j->from->module->body);
	j->lines = j->pairs = 0;
	j->to[put_statements(j, body, 0, body->kids, 0)] = j->lines;
	return take_body(j, 0);
}

/* Who is named goes through all that the master does: so many steps, of all together. */
#define STEPS (UINT64_C(1) << 21)

static bool is_short(const struct joining *j, size_t pair)
{
	struct environment e = {0};
	run_start(j->run, j->master[pair], &e);
	uint64_t events = run_count(j->run, &e, j->from->module->body);
	bool is = !e.failure && saturating_multiply(events, j->workers[pair]) <= STEPS;
	free(e.index);
	return is;
}

static bool is_the_same(const struct joining *j, node_id body)
{
	struct module *m = module_copy(j->from->module);
	module_set_body(m, body);
	struct run *run = run_new(m, NULL);
	bool same = runs_sameness(j->run, run, VALUES_NONE, UINT64_MAX, NULL) == SAMENESS_SAME;
	run_free(run);
	module_free(m);
	return same;
}

static struct draft *joined_draft(struct joining *j)
{
	const struct draft *from = j->from;
	struct draft *d = draft_copy(from);
	module_set_body(d->module, joined_body(j));
	free(d->frames);
	d->frames = from->frames ? mem_zero((j->lines + 1) * sizeof *d->frames) : NULL;
	for (size_t i = 0; i < j->lines; i++) {
		uint32_t line = j->line[i];
		d->module->sites[i] = line == LINE_NONE ? SITES_NONE : from->module->sites[line];
		if (d->frames)
			d->frames[i] = line == LINE_NONE ? 0 : from->frames[line];
	}
	for (size_t i = 0; i < d->calls.length; i++) {
		d->calls.call[i].start = j->to[d->calls.call[i].start];
		d->calls.call[i].end = j->to[d->calls.call[i].end];
	}
	return d;
}

bool fusion(struct draft *d)
{
	const struct module *m = d->module;
	struct joining j = {.from = d, .s = m->store, .run = run_new(m, NULL)};
	bool any = false;
	j.to = mem_zero((m->lines + 1) * sizeof *j.to);
	joined_body(&j);
	size_t pairs = j.pairs < PAIRS ? j.pairs : PAIRS;
	for (size_t i = 0; i < pairs; i++) {
		if (!is_short(&j, i))
			continue;
		j.wanted[i] = true;
		j.wanted[i] = is_the_same(&j, joined_body(&j));
		any = any || j.wanted[i];
	}
	struct draft *joined = any ? joined_draft(&j) : NULL;
	run_free(j.run);
	free(j.kid);
	free(j.line);
	free(j.to);
	if (joined) {
		struct draft before = *d;
		*d = *joined;
		*joined = before;
		draft_free(joined);
	}
	return any;
}
