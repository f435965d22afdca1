/*
 * traffic.c -- bodies innermost first, each in two passes: count what is on every channel, then let
 * receives take from sends in order.
 *
 * The channels of a body are forgotten behind it, so that memory follows the largest body.
 */
#include "viz/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/saturate.h"
#include "model/matching.h"

#define NONE UINT32_MAX

/* Iterations, and ends of messages, looked at beyond the first, where numbers advance. */
#define BUDGET 4000000

/* What messages that are one have in common; loops: the tag, too. */
struct common {
	uint32_t from, to, from_lane, to_lane, tag;
};

/* A channel of the body at hand. */
struct passed {
	uint32_t channel;
	uint64_t sum[2], passed[2]; /* received, sent; of these, matched */
	uint32_t pieces, stand[2]; /* of the matching */
};

struct end {
	uint32_t passed, owner;
	uint64_t count;
	bool sends;
};

struct making {
	struct traffic *traffic;
	struct drawn *drawn;
	const uint32_t *lane_of;
	struct exchange *body; /* at hand */
	struct passed *passed;
	size_t channels, channel_capacity;
	uint32_t *place; /* by channel, which of these it is; NONE */
	size_t places;
	struct end *end;
	size_t ends, end_capacity;
	struct matching matching;
	struct intern *merged;
	size_t *divergent; /* loops around the body at hand whose count the process decides */
	size_t divergent_loops, divergent_capacity;
	const int64_t *index;
	uint64_t budget;
};

static const struct node *body_of(const struct making *m, size_t loop)
{
	return node_of(m->drawn->module->store, drawn_node(m->drawn, loop)->kid[2]);
}

/* ------------------------------------------------------------------ the channels of a body */

/* Does a process come to this iteration of the loops around? */
static bool comes(const struct making *m, uint32_t rank)
{
	bool good = true;
	for (size_t i = 0; i < m->divergent_loops && good; i++) {
		size_t at = m->divergent[i];
		bool loop = drawn_node(m->drawn, at)->kind == NODE_LOOP;
		good = drawn_count_of(m->drawn, at, rank, m->index) >
		       (loop ? (uint64_t)m->index[m->drawn->line[at].loops] : 0);
	}
	return good;
}

static uint32_t slot_of(struct making *m, uint32_t channel)
{
	size_t before = m->places;
	m->place = mem_grow(m->place, &m->places, (size_t)channel + 1, sizeof *m->place);
	if (m->places > before)
		memset(m->place + before, 0xff, (m->places - before) * sizeof *m->place);
	if (m->place[channel] == NONE) {
		m->place[channel] = (uint32_t)m->channels;
		*MEM_PUSH(m->passed, m->channels, m->channel_capacity) =
			(struct passed){channel, {0}, {0}, MATCHING_NONE, {MATCHING_NONE, MATCHING_NONE}};
	}
	return m->place[channel];
}

static void add_end(struct making *m, uint32_t channel, bool sends, uint64_t count, size_t owner)
{
	const struct channel_key *key = ends_key(&m->drawn->ends, channel);
	if (!count || (m->divergent_loops && !comes(m, sends ? key->from : key->to)))
		return;
	uint32_t place = slot_of(m, channel);
	uint64_t *sum = &m->passed[place].sum[sends];
	*sum = saturating_add(*sum, count);
	*MEM_PUSH(m->end, m->ends, m->end_capacity) = (struct end){place, (uint32_t)owner, count, sends};
}

static void add_ends(struct making *m, size_t from, size_t to, const int64_t *index)
{
	for (size_t i = from; i < to; i = drawn_behind(m->drawn, i)) {
		const struct exchange *b = m->traffic->body[i];
		for (size_t k = 0; b && k < b->opens; k++) {
			add_end(m, b->open[k].channel, true, b->open[k].sends, i);
			add_end(m, b->open[k].channel, false, b->open[k].receives, i);
		}
		enum event_match match = b ? MATCH_NONE : drawn_match(m->drawn, i);
		struct ranks who = drawn_who(m->drawn, i);
		struct ranks_walk walk = {0};
		for (uint32_t rank; (match == MATCH_OUT || match == MATCH_IN) && ranks_next(&who, &walk, &rank);) {
			struct drawn_event e = drawn_event_at(m->drawn, i, rank, index);
			if (e.happens)
				add_end(m, e.channel, match == MATCH_OUT, 1, i);
		}
	}
}

static void forget_channels(struct making *m)
{
	for (size_t i = 0; i < m->channels; i++)
		m->place[m->passed[i].channel] = NONE;
	m->channels = m->ends = 0;
	matching_empty(&m->matching);
}

/* ------------------------------------------------------------------ messages */

static uint32_t lane_at(const struct making *m, uint32_t channel, bool sends)
{
	const struct channel_key *key = ends_key(&m->drawn->ends, channel);
	return m->lane_of[sends ? key->from : key->to];
}

/* Those of equal statements and lanes, and between loops of equal tags, are one. */
static void add_message(struct making *m, const struct message *match)
{
	struct exchange *b = m->body;
	uint32_t known = (uint32_t)b->messages, id = known;
	if (m->lane_of) {
		bool loops = drawn_is_loop(m->drawn, match->from) || drawn_is_loop(m->drawn, match->to);
		struct common key = {match->from, match->to, lane_at(m, match->channel, true),
			lane_at(m, match->channel, false), loops ? drawn_tag_of(m->drawn, match->channel) : NONE};
		id = intern_id(m->merged, &key, sizeof key);
	}
	if (id == known)
		*MEM_PUSH(b->message, b->messages, b->message_capacity) = *match;
	else
		b->message[id].count = saturating_add(b->message[id].count, match->count);
}

static bool is_late(const struct making *m, size_t at)
{
	return m->traffic->body[at] && m->traffic->body[at]->late;
}

static bool is_known(const struct making *m, const struct message *a)
{
	bool known = false;
	for (size_t i = 0; i < m->body->messages && !known; i++) {
		const struct message *b = &m->body->message[i];
		known = a->from == b->from && a->to == b->to &&
			lane_at(m, a->channel, true) == lane_at(m, b->channel, true) &&
			lane_at(m, a->channel, false) == lane_at(m, b->channel, false);
	}
	return known;
}

/* In the order of what comes later of two ends. balanced: on channels with as many sends as receives;
   late: those alone of parts that the first iteration does not have. */
static void match_ends(struct making *m, bool balanced, bool late)
{
	for (const struct end *e = m->end; e < m->end + m->ends; e++) {
		struct passed *c = &m->passed[e->passed];
		uint64_t first = c->passed[e->sends];
		c->passed[e->sends] = saturating_add(first, e->count);
		struct match_end end = {first, c->passed[e->sends], e->owner, 0};
		struct match match;
		while ((!balanced || c->sum[0] == c->sum[1]) &&
			matching_next(&m->matching, &c->pieces, &c->stand[e->sends], &end, &match)) {
			struct message message = {c->channel, e->sends ? e->owner : match.owner,
				e->sends ? match.owner : e->owner, match.count};
			if (!late)
				add_message(m, &message);
			else if ((is_late(m, message.from) || is_late(m, message.to)) && !is_known(m, &message))
				*MEM_PUSH(m->body->message, m->body->messages, m->body->message_capacity) = message;
		}
	}
}

static void match_late(struct making *m, size_t from, size_t to)
{
	match_ends(m, true, true);
	for (size_t i = from; i < to; i = drawn_behind(m->drawn, i))
		if (is_late(m, i) && m->traffic->body[i]->opens)
			m->traffic->body[i]->late = false;
}

/* ------------------------------------------------------------------ bodies */

static void run_loop(struct making *m, size_t at, int64_t *index, bool first);

/* all: also what is received in the iteration in which it is sent. */
static void keep_open(struct making *m, struct exchange *b, bool all)
{
	for (const struct passed *c = m->passed; c < m->passed + m->channels; c++)
		if (c->sum[0] != c->sum[1] || all)
			*MEM_PUSH(b->open, b->opens, b->open_capacity) =
				(struct open_end){c->channel, c->sum[1], c->sum[0]};
}

/* One iteration; first: of this body it is the first to be looked at. all: as of keep_open. */
static void run_body(struct making *m, struct exchange *b, size_t from, size_t to, int64_t *index, bool first, bool all)
{
	bool loop = b != traffic_root(m->traffic), late = false;
	for (size_t i = from; i < to; i = drawn_behind(m->drawn, i)) {
		if (!drawn_is_loop(m->drawn, i))
			continue;
		/* does it say something else in other iterations of the loops around it? */
		if (!first && !(drawn_node(m->drawn, i)->uses[FOR_CHANNEL] & USES_INDICES))
			continue;
		run_loop(m, i, index, first);
		late = late || (m->traffic->body[i]->late && m->traffic->body[i]->opens);
	}
	add_ends(m, from, to, index);
	size_t ends = 1 + m->ends;
	m->budget -= ends < m->budget ? ends : m->budget;
	keep_open(m, b, all);
	m->body = b;
	m->merged = intern_new_keys(sizeof(struct common));
	if (first)
		match_ends(m, loop, false);
	else if (late && m->lane_of)
		match_late(m, from, to);
	intern_free(m->merged);
	forget_channels(m);
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
		struct open_end o = b->open[i];
		const struct channel_key *key = ends_key(&m->drawn->ends, o.channel);
		if (o.sends)
			o.sends = saturating_multiply(o.sends, drawn_count_of(m->drawn, at, key->from, m->index));
		if (o.receives)
			o.receives = saturating_multiply(o.receives, drawn_count_of(m->drawn, at, key->to, m->index));
		if (o.sends != o.receives)
			b->open[kept++] = o;
	}
	b->opens = kept;
}

static void run_iterations(struct making *m, struct exchange *b, size_t at, int64_t *index, bool first, uint64_t count)
{
	size_t depth = m->drawn->line[at].loops, past = drawn_behind(m->drawn, at);
	bool advances =
		drawn_node(m->drawn, at)->kind == NODE_LOOP && body_of(m, at)->uses[FOR_CHANNEL] & USES_INDEX(0);
	bool divergent = drawn_is_divergent(m->drawn, at);
	if (divergent)
		*MEM_PUSH(m->divergent, m->divergent_loops, m->divergent_capacity) = at;
	run_body(m, b, at + 1, past, index, first, divergent && !advances);
	/* With tables and guards the first iteration does not say what the others do. */
	bool leaks = divergent || b->opens > 0 ||
		     (advances && node_is_irregular(m->drawn->module->store, m->drawn->line[at].node));
	for (uint64_t i = 1; advances && i < count && m->budget && leaks; i++) {
		index[depth] = (int64_t)i;
		run_body(m, b, at + 1, past, index, false, false);
	}
	if (advances)
		index[depth] = 0;
	m->divergent_loops -= divergent;
	if (divergent && !advances)
		scale_divergent(m, b, at);
	else if (!advances)
		scale_open(b, count);
}

/* first: keep its messages. */
static void run_loop(struct making *m, size_t at, int64_t *index, bool first)
{
	struct drawn *d = m->drawn;
	size_t room = run_depth(d->run) * sizeof *index;
	struct exchange *b = m->traffic->body[at];
	uint64_t count = drawn_count(d, at, index);
	if (first)
		b = m->traffic->body[at] = mem_zero(sizeof *b);
	b->opens = 0;
	if (first) {
		b->index = mem_copy(index, room);
		b->late = !count;
		b->executed = drawn_node(d, at)->lines > 1 && (count || drawn_instance(d, at + 1, b->index));
	}
	if (!b->executed || (!count && !first))
		return;
	if (count) {
		run_iterations(m, b, at, index, first, count);
	} else { /* not here, but elsewhere */
		int64_t *elsewhere = mem_copy(b->index, room);
		m->index = elsewhere;
		run_body(m, b, at + 1, drawn_behind(d, at), elsewhere, true, false);
		m->index = index;
		b->opens = 0;
		free(elsewhere);
	}
}

struct traffic *traffic_new(struct drawn *d, const uint32_t *lane_of)
{
	struct traffic *t = mem_zero(sizeof *t);
	size_t lines = d->module->lines;
	int64_t *index = mem_zero((run_depth(d->run) + 1) * sizeof *index);
	t->drawn = d;
	t->body = mem_zero((lines + 1) * sizeof(struct exchange *));
	t->body[lines] = mem_zero(sizeof **t->body);
	t->body[lines]->executed = true;
	t->body[lines]->index = mem_copy(index, run_depth(d->run) * sizeof *index);
	struct making m = {.traffic = t, .drawn = d, .lane_of = lane_of, .index = index, .budget = BUDGET};
	run_body(&m, t->body[lines], 0, lines, index, true, false);
	if (!m.budget)
		t->body[lines]->opens = 0;
	matching_clear(&m.matching);
	free(m.passed);
	free(m.place);
	free(m.end);
	free(m.divergent);
	free(index);
	return t;
}

void traffic_free(struct traffic *t)
{
	for (size_t i = 0; t && i <= t->drawn->module->lines; i++) {
		if (!t->body[i])
			continue;
		free(t->body[i]->index);
		free(t->body[i]->message);
		free(t->body[i]->open);
		free(t->body[i]);
	}
	if (t)
		free(t->body);
	free(t);
}
