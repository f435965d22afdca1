/*
 * traffic.c -- bodies innermost first, each in two passes: count what is on every channel, then let
 * receives take from sends in order.
 *
 * The channels of a body are forgotten behind it, so that memory follows the largest body.
 */
#include "viz/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "ask/messages.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/union_find.h"

#define NONE UINT32_MAX

/* Iterations, and ends of messages, looked at beyond the first, where numbers advance. */
#define BUDGET 4000000

/* What messages that are one have in common; loops: the tag, too. */
struct meeting {
	uint32_t from, to, from_lane, to_lane, tag;
};

struct making {
	struct traffic *traffic;
	struct program *program;
	const uint32_t *lane_of; /* NULL: no lanes */
	uint32_t lanes;
	uint32_t *used; /* by statement: the indices used in it and inside, a bit each */
	struct channels *channels; /* of the body at hand */
	uint32_t at; /* the statement whose ends are added */
	struct exchange *body; /* that messages are added to */
	struct intern *merged; /* messages by statements and lanes */
	struct meeting last; /* that was merged last, */
	uint32_t last_message; /* and as which */
	uint32_t **parent; /* by depth: processes joined so far in the loop there */
	uint64_t *apart; /* by depth: groups left */
	size_t depths;
	/* Loops around the body at hand whose count the process decides, and the indices. */
	struct {
		size_t at, depth;
	} divergent[INDEX_DEPTH];
	size_t divergent_loops;
	const int64_t *index;
	uint32_t *member; /* by the lowest rank of a group: one of its members */
	uint64_t budget;
};

/* ------------------------------------------------------------------ what a statement says */

static uint32_t mark_used(struct making *m, size_t from, size_t to)
{
	uint32_t all = 0;
	for (size_t i = from; i < to; i += statement_size(&m->program->statement[i])) {
		const struct statement *s = &m->program->statement[i];
		m->used[i] = program_indices(m->program, s);
		if (drawn_is_named(m->traffic->drawn, i)) {
			struct value name =
				program_bound(m->program, &(struct statement){.bound = m->traffic->drawn->named[i]});
			m->used[i] |= value_indices(&name);
		}
		if (statement_guard(s))
			m->used[i] |= INDEX_TABLE;
		if (statement_is_loop(s))
			m->used[i] |= mark_used(m, i + 1, i + s->size);
		all |= m->used[i];
	}
	return all;
}

/* ------------------------------------------------------------------ the channels of a body */

static uint64_t count_of(const struct making *m, size_t at, uint32_t rank)
{
	struct spot spot = grid_spot(&m->program->grid, rank);
	spot.index = m->index;
	return program_count_of(m->program, at, &spot);
}

/* Does a process come to this iteration of the loops around? */
static bool comes(const struct making *m, uint32_t rank)
{
	bool good = true;
	for (size_t i = 0; i < m->divergent_loops && good; i++)
		good = count_of(m, m->divergent[i].at, rank) > (uint64_t)m->index[m->divergent[i].depth];
	return good;
}

static void add_end(struct making *m, const struct channel *c, bool sends, uint64_t count)
{
	if (count && (!m->divergent_loops || comes(m, sends ? c->from : c->to)))
		channels_add(m->channels, c, sends, count, m->at);
}

static void add_single(void *context, const struct channel *c, bool sends)
{
	add_end(context, c, sends, 1);
}

static void add_ends(struct making *m, size_t from, size_t to, const int64_t *index)
{
	for (size_t i = from; i < to; i += statement_size(&m->program->statement[i])) {
		m->at = (uint32_t)i;
		if (!statement_is_loop(&m->program->statement[i])) {
			drawn_messages_each(m->traffic->drawn, i, index, add_single, m);
			continue;
		}
		const struct exchange *b = m->traffic->body[i];
		for (size_t k = 0; k < b->opens; k++) {
			add_end(m, &b->open[k].channel, true, b->open[k].sends);
			add_end(m, &b->open[k].channel, false, b->open[k].receives);
		}
	}
}

/* ------------------------------------------------------------------ messages */

static void append_message(struct exchange *b, const struct channel_match *match)
{
	*MEM_PUSH(b->message, b->messages, b->message_capacity) = *match;
}

static bool same_meeting(const struct meeting *a, const struct meeting *b)
{
	return a->from == b->from && a->to == b->to && a->from_lane == b->from_lane && a->to_lane == b->to_lane &&
	       a->tag == b->tag;
}

/* Those of equal statements and lanes, and between loops of equal tags, are one. */
static void add_message(void *context, const struct channel_match *match)
{
	struct making *m = context;
	struct exchange *b = m->body;
	const struct statement *s = m->program->statement;
	if (!m->lane_of) {
		append_message(b, match);
		return;
	}
	bool loops = statement_is_loop(&s[match->from]) || statement_is_loop(&s[match->to]);
	struct meeting key = {match->from, match->to, m->lane_of[match->channel.from], m->lane_of[match->channel.to],
		loops ? match->channel.tag : NONE};
	if (!b->messages || !same_meeting(&key, &m->last)) {
		m->last = key;
		m->last_message = intern_id(m->merged, &key, sizeof key);
	}
	if (m->last_message == b->messages)
		append_message(b, match);
	else
		b->message[m->last_message].count = saturating_add(b->message[m->last_message].count, match->count);
}

static bool is_late(const struct making *m, uint32_t at)
{
	return statement_is_loop(&m->program->statement[at]) && m->traffic->body[at]->late;
}

static bool is_known(const struct making *m, const struct channel_match *a)
{
	bool known = false;
	for (size_t i = 0; i < m->body->messages && !known; i++) {
		const struct channel_match *b = &m->body->message[i];
		known = a->from == b->from && a->to == b->to &&
			m->lane_of[a->channel.from] == m->lane_of[b->channel.from] &&
			m->lane_of[a->channel.to] == m->lane_of[b->channel.to];
	}
	return known;
}

/* Of a later iteration: what the parts that the first one does not have send and receive. */
static void add_late(void *context, const struct channel_match *match)
{
	struct making *m = context;
	if ((is_late(m, match->from) || is_late(m, match->to)) && !is_known(m, match))
		append_message(m->body, match);
}

static void match_late(struct making *m, struct exchange *b, size_t from, size_t to)
{
	m->body = b;
	channels_match(m->channels, CHANNELS_BALANCED, add_late, m);
	for (size_t i = from; i < to; i += statement_size(&m->program->statement[i]))
		if (is_late(m, (uint32_t)i) && m->traffic->body[i]->opens)
			m->traffic->body[i]->late = false;
}

static void match_ends(struct making *m, struct exchange *b, bool loop)
{
	m->body = b;
	m->merged = intern_new();
	channels_match(m->channels, loop ? CHANNELS_BALANCED : CHANNELS_ALL, add_message, m);
	intern_free(m->merged);
}

/* ------------------------------------------------------------------ who is joined */

static void join(struct making *m, size_t depth, uint32_t a, uint32_t b)
{
	m->apart[depth] -= union_find_join(m->parent[depth], a, b);
}

struct joining {
	struct making *making;
	size_t depth;
};

static void join_ends(void *joining, uint32_t from, uint32_t to)
{
	struct joining *j = joining;
	join(j->making, j->depth, from, to);
}

static void start_joining(struct making *m, size_t depth, const struct ranks *who)
{
	for (; m->depths <= depth; m->depths++) {
		m->parent = mem_resize(m->parent, m->depths + 1, sizeof *m->parent);
		m->apart = mem_resize(m->apart, m->depths + 1, sizeof *m->apart);
		m->parent[m->depths] = mem_array(m->program->processes, sizeof **m->parent);
	}
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(who, &walk, &p);)
		m->parent[depth][p] = p;
	m->apart[depth] = ranks_count(who);
}

static void join_members(struct making *m, size_t depth, size_t at)
{
	const struct program *p = m->program;
	const struct statement *s = &p->statement[at];
	struct form form = statement_form(p, s);
	struct ranks_run single;
	struct ranks who = program_processes(p, s, &single);
	struct ranks_walk walk = {0};
	if (!form.area.kind) {
		for (uint32_t rank; ranks_next(&who, &walk, &rank);)
			join(m, depth, who.run[0].first, rank);
		return;
	}
	memset(m->member, 0xff, p->processes * sizeof *m->member);
	for (uint32_t rank; ranks_next(&who, &walk, &rank);) {
		struct spot spot = grid_spot(&p->grid, rank);
		uint32_t *member = &m->member[program_first_member(p, &form, &spot)];
		*member = *member == NONE ? rank : *member;
		join(m, depth, *member, rank);
	}
}

/* A loop without a set is one loop, whatever its processes do. */
static void join_loop(struct making *m, size_t depth, size_t at)
{
	struct ranks who = coverage_of(m->traffic->drawn->coverage, at);
	bool whole = m->program->statement[at].set == STATEMENT_PLAIN;
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(&who, &walk, &p);)
		join(m, depth, p, whole ? who.run[0].first : union_find_root(m->parent[depth + 1], p));
}

static bool is_sync(const struct program *p, const struct statement *s)
{
	return !statement_is_loop(s) && statement_kind(p, s) == EVENT_SYNC;
}

static void join_body(struct making *m, size_t depth, size_t from, size_t to)
{
	for (size_t i = from; i < to && m->apart[depth] > 1; i += statement_size(&m->program->statement[i]))
		if (is_sync(m->program, &m->program->statement[i]))
			join_members(m, depth, i);
	if (m->apart[depth] > 1)
		channels_join(m->channels, join_ends, &(struct joining){m, depth});
}

/* From processes to lanes. */
static void keep_joined(struct making *m, struct exchange *b, size_t depth, const struct ranks *who)
{
	b->joined = mem_array(m->lanes, sizeof *b->joined);
	b->groups = mem_zero(m->lanes * sizeof *b->groups);
	union_find_start(b->joined, m->lanes);
	struct ranks_walk walk = {0}, again = {0};
	for (uint32_t p; ranks_next(who, &walk, &p);)
		union_find_join(b->joined, m->lane_of[p], m->lane_of[union_find_root(m->parent[depth], p)]);
	for (uint32_t i = 0; i < m->lanes; i++)
		b->joined[i] = union_find_root(b->joined, i);
	for (uint32_t p; ranks_next(who, &again, &p);)
		b->groups[b->joined[m->lane_of[p]]] += m->parent[depth][p] == p;
}

/* ------------------------------------------------------------------ bodies */

static void run_loop(struct making *m, size_t at, size_t depth, int64_t *index, bool first);

/* all: also what is received in the iteration in which it is sent. */
static void keep_open(struct making *m, struct exchange *b, bool all)
{
	for (size_t i = 0; i < channels_count(m->channels); i++) {
		struct channel_sum sum = channels_sum(m->channels, i);
		if (sum.sends == sum.receives && !all)
			continue;
		*MEM_PUSH(b->open, b->opens, b->open_capacity) = sum;
	}
}

/* Does a loop say something else in other iterations of the loops around it? */
static bool depends(const struct making *m, size_t at, size_t depth)
{
	return (m->used[at] & (depth < INDEX_DEPTH ? (UINT32_C(1) << depth) - 1 : UINT32_MAX)) != 0;
}

/* One iteration; first: of this body it is the first to be looked at. all: as of keep_open. */
static void run_body(struct making *m, struct exchange *b, size_t from, size_t to, size_t depth, int64_t *index,
	bool first, bool all)
{
	bool loop = b != traffic_root(m->traffic), joins = loop && m->lane_of, late = false;
	for (size_t i = from; i < to; i += statement_size(&m->program->statement[i])) {
		if (!statement_is_loop(&m->program->statement[i]))
			continue;
		if (!first && !depends(m, i, depth))
			continue;
		run_loop(m, i, depth, index, first);
		late = late || (m->traffic->body[i]->late && m->traffic->body[i]->opens);
		if (joins && m->traffic->body[i]->executed)
			join_loop(m, depth - 1, i);
	}
	add_ends(m, from, to, index);
	size_t ends = 1 + channels_ends(m->channels);
	m->budget -= ends < m->budget ? ends : m->budget;
	if (joins)
		join_body(m, depth - 1, from, to);
	keep_open(m, b, all);
	if (first)
		match_ends(m, b, loop);
	else if (late && m->lane_of)
		match_late(m, b, from, to);
	channels_empty(m->channels);
}

static void scale_open(struct exchange *b, uint64_t count)
{
	for (size_t i = 0; i < b->opens; i++) {
		b->open[i].sends = saturating_multiply(b->open[i].sends, count);
		b->open[i].receives = saturating_multiply(b->open[i].receives, count);
	}
}

/* Each end as often as its process has iterations; what is balanced then is forgotten. */
static void scale_divergent(struct making *m, struct exchange *b, size_t at)
{
	size_t kept = 0;
	for (size_t i = 0; i < b->opens; i++) {
		struct channel_sum sum = b->open[i];
		sum.sends = sum.sends ? saturating_multiply(sum.sends, count_of(m, at, sum.channel.from)) : 0;
		sum.receives = sum.receives ? saturating_multiply(sum.receives, count_of(m, at, sum.channel.to)) : 0;
		if (sum.sends != sum.receives)
			b->open[kept++] = sum;
	}
	b->opens = kept;
}

static void run_iterations(
	struct making *m, struct exchange *b, size_t at, size_t depth, int64_t *index, bool first, uint64_t count)
{
	const struct statement *s = &m->program->statement[at];
	bool advances = depth < INDEX_DEPTH && (m->used[at] >> depth & 1);
	bool divergent = depth < INDEX_DEPTH && drawn_is_divergent(m->program, at);
	if (divergent) {
		m->divergent[m->divergent_loops].at = at;
		m->divergent[m->divergent_loops++].depth = depth;
	}
	run_body(m, b, at + 1, at + s->size, depth + 1, index, first, divergent && !advances);
	/* With tables and guards the first iteration does not say what the others do. */
	bool leaks = divergent || b->opens > 0 || m->used[at] & INDEX_TABLE;
	for (uint64_t i = 1;
		advances && i < count && m->budget && (leaks || (m->lane_of && first && m->apart[depth] > 1)); i++) {
		index[depth] = (int64_t)i;
		run_body(m, b, at + 1, at + s->size, depth + 1, index, false, false);
	}
	if (depth < INDEX_DEPTH)
		index[depth] = 0;
	m->divergent_loops -= divergent;
	if (divergent && !advances)
		scale_divergent(m, b, at);
	else if (!advances)
		scale_open(b, count);
}

/* depth: loops around. first: keep its messages, and whom it joins. */
static void run_loop(struct making *m, size_t at, size_t depth, int64_t *index, bool first)
{
	struct exchange *b = m->traffic->body[at];
	const struct statement *s = &m->program->statement[at];
	uint64_t count = drawn_count(m->program, at, index);
	if (first)
		b = m->traffic->body[at] = mem_zero(sizeof *b);
	b->opens = 0;
	if (first) {
		memcpy(b->index, index, sizeof b->index);
		b->late = !count;
		b->executed = s->size > 1 && (count || drawn_instance(m->program, at + 1, b->index));
	}
	struct ranks who = coverage_of(m->traffic->drawn->coverage, at);
	if (!b->executed || (!count && !first))
		return;
	if (m->lane_of)
		start_joining(m, depth, &who);
	if (count) {
		run_iterations(m, b, at, depth, index, first, count);
	} else { /* not here, but elsewhere */
		int64_t elsewhere[INDEX_DEPTH];
		memcpy(elsewhere, b->index, sizeof elsewhere);
		m->index = elsewhere;
		run_body(m, b, at + 1, at + s->size, depth + 1, elsewhere, true, false);
		m->index = index;
		b->opens = 0;
	}
	if (first && m->lane_of && s->set != STATEMENT_PLAIN)
		keep_joined(m, b, depth, &who);
}

struct traffic *traffic_new(struct drawn *d, const uint32_t *lane_of, uint32_t lanes)
{
	struct traffic *t = mem_zero(sizeof *t);
	size_t length = d->program->length;
	t->drawn = d;
	t->body = mem_zero((length + 1) * sizeof *t->body);
	t->body[length] = mem_zero(sizeof **t->body);
	t->body[length]->executed = true;
	struct making m = {.traffic = t, .program = d->program, .lane_of = lane_of, .lanes = lanes, .budget = BUDGET};
	m.used = mem_zero(length * sizeof *m.used);
	m.member = mem_array(d->program->processes, sizeof *m.member);
	mark_used(&m, 0, length);
	m.channels = channels_new(d->program->processes);
	int64_t index[INDEX_DEPTH] = {0};
	m.index = index;
	run_body(&m, t->body[length], 0, length, 0, index, true, false);
	if (!m.budget)
		t->body[length]->opens = 0;
	for (size_t i = 0; i < m.depths; i++)
		free(m.parent[i]);
	free(m.parent);
	free(m.apart);
	free(m.member);
	free(m.used);
	channels_free(m.channels);
	return t;
}

void traffic_free(struct traffic *t)
{
	if (!t)
		return;
	for (size_t i = 0; i <= t->drawn->program->length; i++) {
		if (!t->body[i])
			continue;
		free(t->body[i]->message);
		free(t->body[i]->open);
		free(t->body[i]->joined);
		free(t->body[i]->groups);
		free(t->body[i]);
	}
	free(t->body);
	free(t);
}
