/*
 * causality.c -- the order of the text as a schedule.
 *
 * Statement after statement, a loop iteration after iteration, each statement by all its processes
 * at once: this respects the order of every process. So for each channel what counts is how many
 * messages more are sent than received (net), and every collective is one statement.
 *
 * All loops are open (number.h), so that a channel is also how its tag advances, and in which loop:
 * what advances alike, inside the same iteration, meets there. In the next iteration it is another
 * channel. Where all processes of a ring send equally far, and that distance advances, so is how it
 * does: all of it must be under way before any of it is received.
 */
#include "ask/causality.h"

#include <stdlib.h>
#include <string.h>

#include "ask/ends.h"
#include "base/mem.h"
#include "model/draft.h"

struct channel_of_flow {
	uint32_t channel; /* of ends.h */
	node_id ring; /* how the distance advances; NODE_NONE: it does not */
};

/* What one body passes on over one channel. */
struct flow {
	struct channel_of_flow channel;
	int64_t net;
	uint64_t loops; /* in whose indices it is a function, a bit each, the outermost first */
};

/* The flows of a body, by channel. */
struct flows {
	struct intern *channels;
	struct flow *flow;
	size_t capacity;
	size_t open; /* those with messages under way, or received too often */
};

struct proof {
	struct run *run;
	const struct store *store;
	struct environment at;
	struct ends ends;
	struct flows *level; /* by loops and guards around */
	uint32_t levels;
	bool *quiet; /* by line */
};

#define COUNT_LIMIT (INT64_MAX / 4) /* counts beyond are not reckoned with */
#define DEPTH_LIMIT 30 /* indices with a bit of their own */

/* Then comes what has this net. False where it goes beyond what is reckoned with. */
static bool add(struct flows *f, const struct flow *then)
{
	uint32_t known = intern_count(f->channels), id = intern_id(f->channels, &then->channel, sizeof then->channel);
	if (id == known) {
		f->flow = mem_grow(f->flow, &f->capacity, (size_t)id + 1, sizeof *f->flow);
		f->flow[id] = *then;
		f->open += then->net != 0;
		return true;
	}
	struct flow *here = &f->flow[id];
	f->open -= here->net != 0;
	f->open += here->net + then->net != 0;
	here->net += then->net;
	return here->net < COUNT_LIMIT && here->net > -COUNT_LIMIT;
}

/* ------------------------------------------------------------------ events */

static uint64_t uses_of(const struct proof *p, node_id id)
{
	return node_of(p->store, id)->uses[FOR_ALL];
}

/* How messages move that all processes of a ring send at once, each equally far: the same for those
   who receive them all at once. NODE_NONE: they do not do so. */
static node_id ring_of(struct proof *p, const struct node *event, const struct ranks *who)
{
	const struct node *peer = node_of(p->store, number_single(p->store, event->kid[COLUMN_PEER]));
	uint64_t channel = uses_of(p, event->kid[COLUMN_TAG]) | uses_of(p, event->kid[COLUMN_COMMUNICATOR]);
	int64_t size, way = kind_rows[event->sub].match == MATCH_OUT ? 1 : -1;
	struct store *s = p->at.store;
	if (number_shape(s, event->kid[COLUMN_PEER], true) != SHAPE_RING || channel & USES_PROCESS ||
		!number_is_constant(s, peer->kid[1], &size) || who->length != 1 || who->run->first ||
		who->run->last != size - 1)
		return NODE_NONE;
	node_id move = number_add(s, peer->kid[0], number_variable(s, VARIABLE_P), -1);
	if (!move || uses_of(p, move) & USES_PROCESS)
		return NODE_NONE;
	node_id first = number_constant(s, node_of(s, move)->number * way); /* the channel has that */
	return number_remainder(
		s, number_add(s, number_add(s, number_constant(s, 0), move, way), first, -1), peer->kid[1]);
}

/* False: the peer depends on indices, in another way than all around a ring. */
static bool add_messages(
	struct proof *p, struct flows *f, const struct node *event, node_id id, const struct ranks *who)
{
	bool moves = uses_of(p, event->kid[COLUMN_PEER]) & USES_INDICES;
	struct flow flow = {.channel.ring = moves ? ring_of(p, event, who) : NODE_NONE};
	struct ranks_walk walk = {0};
	bool good = !event->number && (!moves || flow.channel.ring);
	flow.net = kind_rows[event->sub].match == MATCH_OUT ? 1 : -1;
	for (size_t d = 0; d < p->at.depth; d++)
		flow.loops |= event->uses[FOR_CHANNEL] & USES_INDEX(p->at.depth - 1 - d) ? UINT64_C(1) << d : 0;
	for (uint32_t rank; good && ranks_next(who, &walk, &rank);) {
		environment_move(&p->at, rank);
		flow.channel.channel = ends_channel(&p->ends, &p->at, id);
		good = add(f, &flow) && !p->ends.unfit && !p->at.failure;
	}
	return good;
}

/* Are all members of a collective in this statement? Then it is no obstacle. */
static bool is_whole_sync(struct proof *p, const struct node *event, node_id id, const struct ranks *who)
{
	enum node_kind kind = node_of(p->store, event->kid[COLUMN_GROUP])->kind;
	struct ranks_walk walk = {0};
	if (kind == NODE_BY_COMMUNICATOR)
		return true;
	bool whole = kind == NODE_LINE || !(uses_of(p, event->kid[COLUMN_COMMUNICATOR]) & USES_PROCESS);
	for (uint32_t rank, seen = UINT32_MAX; whole && ranks_next(who, &walk, &rank);) {
		environment_move(&p->at, rank);
		uint32_t group = member_set_of(p->ends.members, &p->at, id);
		whole = group == seen || ranks_within(member_set_ranks(p->ends.members, group), who);
		seen = group;
	}
	return whole && !p->at.failure;
}

/* False, too: who it is depends on indices. */
static bool add_event(struct proof *p, struct flows *f, node_id id)
{
	const struct node *event = node_of(p->store, id);
	enum event_match match = kind_rows[event->sub].match;
	if (match == MATCH_NONE)
		return true;
	if (node_of(p->store, event->kid[COLUMN_WHO])->kind == NODE_NAMED &&
		uses_of(p, event->kid[COLUMN_WHO]) & USES_INDICES)
		return false;
	struct ranks who = run_who(p->run, &p->at, event->kid[COLUMN_WHO], NULL);
	bool good = who.length &&
		    (match == MATCH_GROUP ? is_whole_sync(p, event, id, &who) : add_messages(p, f, event, id, &who));
	ranks_clear(&who);
	return good;
}

/* ------------------------------------------------------------------ where nothing is under way */

static bool mark_body(struct proof *p, node_id body, size_t line, uint32_t level, bool before);

/* One iteration becomes all of them, in the body around. False: its flow is not known. */
static bool repeat(struct proof *p, uint32_t level, int64_t count)
{
	struct flows *inside = &p->level[level + 1];
	for (uint32_t i = 0; i < intern_count(inside->channels); i++) {
		struct flow *f = &inside->flow[i];
		if (f->net && (f->loops >> p->at.depth & 1 || __builtin_mul_overflow(count, f->net, &f->net) ||
				      f->net >= COUNT_LIMIT || f->net <= -COUNT_LIMIT || !add(&p->level[level], f)))
			return false;
	}
	return true;
}

/* A loop or guard; its processes go through it together, or it is not known. */
static bool mark_inside(struct proof *p, const struct node *n, size_t line, uint32_t level, bool before)
{
	int64_t last = 0;
	bool loop = n->kind == NODE_LOOP, fixed = loop && number_is_constant(p->store, n->kid[1], &last);
	if (fixed && last < 0)
		return true;
	if (uses_of(p, n->kid[1]) & USES_PROCESS || p->at.depth == DEPTH_LIMIT)
		return false;
	intern_empty(p->level[level + 1].channels);
	p->level[level + 1].open = 0;
	if (loop) {
		p->at.open |= UINT64_C(1) << p->at.depth;
		p->at.trips[p->at.depth++] =
			(int64_t)line + 1; /* the loop, however often: ends.h takes it into the channel */
	}
	bool good = mark_body(p, n->kid[2], line + 1, level + 1, before);
	p->at.depth -= loop;
	if (good && !p->level[level + 1].open)
		return true; /* however often */
	memset(p->quiet + line + 1, 0, (n->lines - 1) * sizeof *p->quiet);
	return good && fixed && last < COUNT_LIMIT && repeat(p, level, last + 1);
}

/* before: is nothing under way where the body begins? False: from here on it is not known. */
static bool mark_body(struct proof *p, node_id body, size_t line, uint32_t level, bool before)
{
	const struct flows *here = &p->level[level];
	const struct node *b = node_of(p->store, body);
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *n = node_of(p->store, b->kid[k]);
		bool event = n->kind == NODE_EVENT;
		if (!(event ? add_event(p, &p->level[level], b->kid[k])
			    : mark_inside(p, n, line, level, before && !here->open)))
			return false;
		p->quiet[line] = before && !here->open;
		line += n->lines;
	}
	return true;
}

bool *causality_quiet(struct run *run)
{
	const struct module *m = run_module(run);
	struct proof p = {
		run, m->store, run_environment(run), ends_new(run), .levels = node_of(m->store, m->body)->height + 1};
	p.at.depth = 0;
	p.at.index = mem_zero((run_depth(run) + 1) * sizeof *p.at.index);
	p.level = mem_zero(p.levels * sizeof *p.level);
	p.quiet = mem_zero((m->lines + 1) * sizeof *p.quiet);
	for (uint32_t i = 0; i < p.levels; i++)
		p.level[i].channels = intern_new_keys(sizeof(struct channel_of_flow));
	mark_body(&p, m->body, 0, 0, true);
	for (uint32_t i = 0; i < p.levels; i++) {
		intern_free(p.level[i].channels);
		free(p.level[i].flow);
	}
	ends_clear(&p.ends);
	free(p.level);
	free(p.at.index);
	return p.quiet;
}

/* ------------------------------------------------------------------ one iteration */

struct shortening {
	struct store *s;
	const bool *quiet;
};

static node_id shortened(void *context, size_t line, node_id statement)
{
	const struct shortening *x = context;
	const struct node *n = node_of(x->s, statement);
	int64_t top;
	if (n->kind != NODE_LOOP || !number_is_constant(x->s, n->kid[1], &top) || top <= 0 || !x->quiet[line])
		return statement;
	const struct node *body = node_of(x->s, n->kid[2]);
	size_t last = line;
	for (uint32_t k = 0; k < body->kids; k++)
		last = line + n->lines - node_of(x->s, body->kid[k])->lines;
	if (!x->quiet[last] || body->uses[FOR_CHANNEL] & USES_INDEX(0))
		return statement;
	return node_with(x->s, statement, (node_id[]){n->kid[0], number_constant(x->s, 0), n->kid[2]});
}

struct module *causality_shortened(struct run *run)
{
	const struct module *m = run_module(run);
	bool *quiet = causality_quiet(run);
	struct draft d = {.module = module_copy(m)};
	draft_map(&d, shortened, &(struct shortening){m->store, quiet});
	free(quiet);
	return d.module;
}
