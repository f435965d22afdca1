/*
 * widen.c -- which messages share numbers, what passes on each side in which order, and do both
 * sides agree?
 *
 * Messages of a stem and communicator whose ranges of numbers overlap are a cluster; only clusters
 * in which something advances matter. What a process sends, or receives, on a cluster is kept as
 * its *lane*: its loops with all else left out, as a row of tokens.
 */
#include "merge/widen.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

#define NONE UINT32_MAX

struct cluster {
	bool ring; /* of all processes, not of a pair */
	bool proven;
	uint32_t channel; /* then: its number, from 1 */
	uint32_t first_lane; /* of its lanes, by NEXT; NONE */
};

enum token_kind { OPEN, CLOSE, MESSAGE };

struct token {
	enum token_kind kind;
	uint32_t event;
	uint64_t count; /* OPEN: iterations */
};

struct lane {
	uint32_t cluster, process, kind; /* enum event_kind */
	uint32_t next; /* of the same cluster */
	struct token *token;
	size_t tokens, capacity;
	uint64_t *open; /* loops that it is in: by their serial numbers */
	size_t depth, open_capacity;
};

/* A message of the model. */
struct message {
	uint32_t event, stem, numbered, kind, p, q;
	int64_t communicator;
	uint64_t low, high; /* of its numbers */
	bool peer_advances, advances;
};

struct level {
	node loop;
	uint64_t count, serial;
};

struct widening {
	struct model *model;
	struct nest *from;
	struct dictionary *dictionary;
	uint32_t events;
	bool *advances; /* by loop: is there anything inside that does? */
	uint64_t *low, *high; /* by event */
	bool *used;
	struct message *message;
	size_t messages, message_capacity;
	uint32_t *cluster_of; /* by event; NONE */
	bool *clustered; /* by loop: is there any event of a cluster inside? */
	struct cluster *cluster;
	size_t clusters, cluster_capacity;
	struct intern *keys; /* of lanes */
	struct lane **lane;
	size_t lane_capacity;
	struct level level[NEST_DEPTH_LIMIT];
	size_t depth;
	uint64_t serials;
};

static const struct event *get(const struct widening *w, uint32_t event)
{
	return dictionary_get_event(w->dictionary, event);
}

static const struct event_steps *steps_of(const struct widening *w, uint32_t event)
{
	return dictionary_get_steps(w->dictionary, get(w, event)->steps);
}

static bool is_message(const struct event *e)
{
	return kind_is_message(e->kind);
}

static uint64_t number_of(const struct widening *w, uint32_t event)
{
	const struct tag *tag = dictionary_get_tag(w->dictionary, get(w, event)->subject);
	return tag->numbered ? tag->number : 0;
}

/* ---------------------------------------------------------------- the messages and their ranges */

/* Bodies are older than their loops. True if anything advances. */
static bool find_advancing(struct widening *w)
{
	bool any = false;
	for (size_t l = 0; l < w->from->loops; l++) {
		struct body body = nest_body(w->from, (node)l | NEST_LOOP);
		for (size_t i = 0; i < body.length && !w->advances[l]; i++)
			w->advances[l] = node_is_loop(body.node[i]) ? w->advances[body.node[i] & ~NEST_LOOP]
								    : get(w, body.node[i])->steps != EVENT_CONSTANT;
		any |= w->advances[l];
	}
	return any;
}

static void use_event(struct widening *w, uint32_t event, uint64_t low, uint64_t high)
{
	if (!w->used[event] || low < w->low[event])
		w->low[event] = low;
	if (!w->used[event] || high > w->high[event])
		w->high[event] = high;
	w->used[event] = true;
}

static void use_constant(struct widening *w, node n)
{
	if (!node_is_loop(n) && is_message(get(w, n)) && get(w, n)->steps == EVENT_CONSTANT)
		use_event(w, n, number_of(w, n), number_of(w, n));
}

static void use_advancing(struct widening *w, uint32_t event)
{
	const struct event_steps *steps = steps_of(w, event);
	uint64_t low = number_of(w, event), high = low;
	for (size_t h = 0; h < EVENT_LOOPS && h < w->depth; h++) {
		uint64_t last = (uint64_t)steps->number[h] * (w->level[w->depth - 1 - h].count - 1);
		if (steps->number[h] < 0)
			low += last;
		else
			high += last;
	}
	use_event(w, event, low, high);
}

static void push_level(struct widening *w, node loop)
{
	assert(w->depth < NEST_DEPTH_LIMIT);
	w->level[w->depth++] = (struct level){loop, nest_get(w->from, loop)->count, ++w->serials};
}

static void use_nodes(struct widening *w, const node *n, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (node_is_loop(n[i]) && w->advances[n[i] & ~NEST_LOOP]) {
			struct body body = nest_body(w->from, n[i]);
			push_level(w, n[i]);
			use_nodes(w, body.node, body.length);
			w->depth--;
		} else if (!node_is_loop(n[i]) && is_message(get(w, n[i])) && get(w, n[i])->steps != EVENT_CONSTANT) {
			use_advancing(w, n[i]);
		}
	}
}

static void list_messages(struct widening *w)
{
	for (size_t i = 0; i < w->from->items; i++)
		use_constant(w, w->from->item[i]);
	for (size_t i = 0; i < w->from->root_length; i++)
		use_constant(w, w->from->root[i]);
	use_nodes(w, w->from->root, w->from->root_length);
	for (uint32_t event = 0; event < w->events; event++) {
		if (!w->used[event])
			continue;
		const struct event *e = get(w, event);
		const struct tag *tag = dictionary_get_tag(w->dictionary, e->subject);
		bool send = kind_sends(e->kind);
		struct message m = {.event = event,
			.stem = tag->stem,
			.numbered = tag->numbered,
			.kind = e->kind,
			.p = send ? e->process : e->peer,
			.q = send ? e->peer : e->process,
			.communicator = tag->communicator,
			.low = w->low[event],
			.high = w->high[event],
			.advances = e->steps != EVENT_CONSTANT};
		for (size_t h = 0; h < EVENT_LOOPS; h++)
			m.peer_advances |= steps_of(w, event)->peer[h] != 0;
		*MEM_PUSH(w->message, w->messages, w->message_capacity) = m;
	}
}

/* ------------------------------------------------------------------ clusters */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_stem(const struct message *x, const struct message *y)
{
	int order = compare(x->stem, y->stem);
	order = order ? order : compare(x->numbered, y->numbered);
	return order ? order : compare((uint64_t)x->communicator, (uint64_t)y->communicator);
}

static int by_low(const struct message *x, const struct message *y)
{
	int order = compare(x->low, y->low);
	return order ? order : compare(x->event, y->event);
}

static int by_range(const void *a, const void *b)
{
	int order = by_stem(a, b);
	return order ? order : by_low(a, b);
}

static int by_pair(const struct message *x, const struct message *y)
{
	int order = compare(x->p, y->p);
	return order ? order : compare(x->q, y->q);
}

static int by_pair_and_range(const void *a, const void *b)
{
	int order = by_pair(a, b);
	return order ? order : by_low(a, b);
}

/* The end of those whose ranges overlap, from `from` on. */
static size_t overlap_end(const struct message *m, size_t from, size_t count,
	int (*alike)(const struct message *, const struct message *))
{
	uint64_t high = m[from].high;
	size_t to = from + 1;
	for (; to < count && !alike(&m[from], &m[to]) && m[to].low <= high; to++)
		high = m[to].high > high ? m[to].high : high;
	return to;
}

static void add_cluster(struct widening *w, const struct message *m, size_t count, bool ring)
{
	w->cluster = mem_grow(w->cluster, &w->cluster_capacity, w->clusters + 1, sizeof *w->cluster);
	for (size_t i = 0; i < count; i++)
		w->cluster_of[m[i].event] = (uint32_t)w->clusters;
	w->cluster[w->clusters++] = (struct cluster){.ring = ring, .first_lane = NONE};
}

static bool any_advances(const struct message *m, size_t count)
{
	bool any = false;
	for (size_t i = 0; i < count && !any; i++)
		any = m[i].advances;
	return any;
}

static bool any_peer_advances(const struct message *m, size_t count)
{
	bool any = false;
	for (size_t i = 0; i < count && !any; i++)
		any = m[i].peer_advances;
	return any;
}

static void find_clusters(struct widening *w)
{
	qsort(w->message, w->messages, sizeof *w->message, by_range);
	for (size_t from = 0, to; from < w->messages; from = to) {
		struct message *m = w->message + from;
		to = overlap_end(w->message, from, w->messages, by_stem);
		if (any_peer_advances(m, to - from)) {
			add_cluster(w, m, to - from, true);
			continue;
		}
		if (!any_advances(m, to - from))
			continue;
		qsort(m, to - from, sizeof *m, by_pair_and_range);
		for (size_t at = 0, end; at < to - from; at = end) {
			end = overlap_end(m, at, to - from, by_pair);
			if (any_advances(m + at, end - at))
				add_cluster(w, m + at, end - at, false);
		}
	}
}

/* ------------------------------------------------------------------ lanes */

static struct lane *lane_of(struct widening *w, uint32_t cluster, uint32_t process, uint32_t kind)
{
	uint32_t key[3] = {cluster, process, kind};
	uint32_t known = intern_count(w->keys), id = intern_id(w->keys, key, sizeof key);
	if (id == known) {
		w->lane = mem_grow(w->lane, &w->lane_capacity, (size_t)id + 1, sizeof *w->lane);
		w->lane[id] = mem_zero(sizeof **w->lane);
		w->lane[id]->cluster = cluster;
		w->lane[id]->process = process;
		w->lane[id]->kind = kind;
		w->lane[id]->next = w->cluster[cluster].first_lane;
		w->cluster[cluster].first_lane = id;
	}
	return w->lane[id];
}

static void add_token(struct lane *l, struct token token)
{
	*MEM_PUSH(l->token, l->tokens, l->capacity) = token;
}

static void close_loops(struct lane *l, size_t depth)
{
	for (; l->depth > depth; l->depth--)
		add_token(l, (struct token){.kind = CLOSE});
}

static void enter_message(struct widening *w, uint32_t event)
{
	struct lane *l = lane_of(w, w->cluster_of[event], get(w, event)->process, get(w, event)->kind);
	size_t same = 0;
	while (same < l->depth && same < w->depth && l->open[same] == w->level[same].serial)
		same++;
	close_loops(l, same);
	for (; l->depth < w->depth; l->depth++) {
		l->open = mem_grow(l->open, &l->open_capacity, l->depth + 1, sizeof *l->open);
		l->open[l->depth] = w->level[l->depth].serial;
		add_token(l, (struct token){.kind = OPEN, .count = w->level[l->depth].count});
	}
	add_token(l, (struct token){.kind = MESSAGE, .event = event});
}

static void enter_nodes(struct widening *w, const node *n, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!node_is_loop(n[i])) {
			if (w->cluster_of[n[i]] != NONE)
				enter_message(w, n[i]);
		} else if (w->clustered[n[i] & ~NEST_LOOP]) {
			struct body body = nest_body(w->from, n[i]);
			push_level(w, n[i]);
			enter_nodes(w, body.node, body.length);
			w->depth--;
		}
	}
}

static void make_lanes(struct widening *w)
{
	for (size_t l = 0; l < w->from->loops; l++) {
		struct body body = nest_body(w->from, (node)l | NEST_LOOP);
		for (size_t i = 0; i < body.length && !w->clustered[l]; i++)
			w->clustered[l] = node_is_loop(body.node[i]) ? w->clustered[body.node[i] & ~NEST_LOOP]
								     : w->cluster_of[body.node[i]] != NONE;
	}
	enter_nodes(w, w->from->root, w->from->root_length);
	for (uint32_t i = 0; i < intern_count(w->keys); i++)
		close_loops(w->lane[i], 0);
}

/* ------------------------------------------------------------------ runs of numbers */

/* Messages of a lane, in order: as many as stand alone in a loop at once. */
struct runs {
	const struct widening *w;
	const struct lane *lane;
	size_t at; /* the token */
	struct {
		size_t open;
		uint64_t index;
	} level[NEST_DEPTH_LIMIT];
	size_t depth;
	uint64_t number, step, left;
};

static bool alone_in_loop(const struct lane *l, size_t at)
{
	return at && l->token[at - 1].kind == OPEN && l->token[at + 1].kind == CLOSE;
}

/* Numbers wrap around, as sums of what is in range do at worst on the way. */
static void start_run(struct runs *r)
{
	const struct token *t = &r->lane->token[r->at];
	const struct event_steps *steps = steps_of(r->w, t->event);
	bool whole = alone_in_loop(r->lane, r->at);
	r->number = number_of(r->w, t->event);
	for (size_t h = whole; h < r->depth && h < EVENT_LOOPS; h++)
		r->number += (uint64_t)steps->number[h] * r->level[r->depth - 1 - h].index;
	r->step = whole ? (uint64_t)steps->number[0] : 0;
	r->left = whole ? t[-1].count : 1;
	r->at += whole ? 2 : 1;
	r->depth -= whole;
}

/* False at the end of the lane. */
static bool next_run(struct runs *r)
{
	for (; r->at < r->lane->tokens; r->at++) {
		const struct token *t = &r->lane->token[r->at];
		if (t->kind == MESSAGE) {
			start_run(r);
			return true;
		}
		if (t->kind == OPEN) {
			r->level[r->depth].open = r->at;
			r->level[r->depth++].index = 0;
		} else if (++r->level[r->depth - 1].index < r->lane->token[r->level[r->depth - 1].open].count) {
			r->at = r->level[r->depth - 1].open;
		} else {
			r->depth--;
		}
	}
	return false;
}

static bool same_numbers(const struct widening *w, const struct lane *a, const struct lane *b)
{
	struct runs *x = mem_zero(sizeof *x), *y = mem_zero(sizeof *y);
	x->w = y->w = w;
	x->lane = a;
	y->lane = b;
	bool same = true, more = true;
	while (same && more) {
		more = x->left || next_run(x);
		same = more == (y->left || next_run(y));
		if (!more || !same)
			break;
		uint64_t n = x->left < y->left ? x->left : y->left;
		same = x->number == y->number && (n == 1 || x->step == y->step);
		x->number += n * x->step;
		y->number += n * y->step;
		x->left -= n;
		y->left -= n;
	}
	free(x);
	free(y);
	return same;
}

/* ------------------------------------------------------------------ proofs */

static bool steps_equal(const int64_t *a, const int64_t *b)
{
	return !memcmp(a, b, EVENT_LOOPS * sizeof *a);
}

/* How far a message goes, or comes, on the ring of all ranks; by the direction that it has. */
static uint32_t way_of(const struct widening *w, uint32_t event)
{
	const struct event *e = get(w, event);
	uint32_t ring = w->model->processes;
	return kind_sends(e->kind) ? (e->peer + ring - e->process) % ring : (e->process + ring - e->peer) % ring;
}

static bool ways_equal(const struct widening *w, uint32_t a, uint32_t b)
{
	const struct event_steps *x = steps_of(w, a), *y = steps_of(w, b);
	bool same = way_of(w, a) == way_of(w, b), opposite = get(w, a)->kind != get(w, b)->kind;
	for (size_t h = 0; h < EVENT_LOOPS && same; h++)
		same = (opposite ? x->peer[h] + y->peer[h] : x->peer[h] - y->peer[h]) % w->model->processes == 0;
	return same && x->ring <= w->model->processes;
}

static bool same_tokens(const struct widening *w, const struct lane *a, const struct lane *b, bool ring)
{
	bool same = a->tokens == b->tokens;
	for (size_t i = 0; i < a->tokens && same; i++) {
		const struct token *x = &a->token[i], *y = &b->token[i];
		same = x->kind == y->kind && x->count == y->count;
		if (same && x->kind == MESSAGE)
			same = number_of(w, x->event) == number_of(w, y->event) &&
			       steps_equal(steps_of(w, x->event)->number, steps_of(w, y->event)->number) &&
			       (!ring || ways_equal(w, x->event, y->event));
	}
	return same;
}

static bool prove(const struct widening *w, const struct cluster *c)
{
	const struct lane *first = w->lane[c->first_lane];
	uint32_t lanes = 1;
	bool same = true;
	for (uint32_t i = first->next; i != NONE && same; i = w->lane[i]->next, lanes++)
		same = same_tokens(w, first, w->lane[i], c->ring) || (!c->ring && same_numbers(w, first, w->lane[i]));
	return same && lanes == (c->ring ? 2 * w->model->processes : 2);
}

static void prove_all(struct widening *w)
{
	uint32_t channels = 0;
	for (size_t i = 0; i < w->clusters; i++) {
		w->cluster[i].proven = prove(w, &w->cluster[i]);
		if (w->cluster[i].proven)
			w->cluster[i].channel = ++channels;
	}
}

/* ------------------------------------------------------------------ the nest anew */

struct rewriting {
	struct widening *w;
	uint32_t *needs; /* by loop: the indices that are to be known inside, as bits; the innermost, its own, first */
	node *memo; /* by loop, where no index around is fixed */
	struct nest *to;
	struct {
		bool fixed;
		uint64_t index;
	} level[NEST_DEPTH_LIMIT];
	size_t depth, fixed;
};

struct nodes {
	node *node;
	size_t length, capacity;
};

static void find_needs(struct rewriting *r)
{
	const struct widening *w = r->w;
	for (size_t l = 0; l < w->from->loops; l++) {
		struct body body = nest_body(w->from, (node)l | NEST_LOOP);
		for (size_t i = 0; i < body.length; i++) {
			if (node_is_loop(body.node[i])) {
				r->needs[l] |= r->needs[body.node[i] & ~NEST_LOOP] >> 1;
				continue;
			}
			uint32_t cluster = w->cluster_of[body.node[i]];
			const struct event_steps *steps = steps_of(w, body.node[i]);
			for (size_t h = 0; h < EVENT_LOOPS && cluster != NONE && !w->cluster[cluster].proven; h++)
				r->needs[l] |= (uint32_t)(steps->number[h] || steps->peer[h]) << h;
		}
	}
}

/* The event where some indices around are known, on its channel. */
static uint32_t rewrite_event(struct rewriting *r, uint32_t event)
{
	const struct widening *w = r->w;
	struct event e = *get(w, event);
	uint32_t cluster = w->cluster_of[event];
	const struct event_steps *old = steps_of(w, event);
	bool matches = kind_matches(get(w, event)->kind);
	if (cluster == NONE && (matches || e.steps == EVENT_CONSTANT))
		return event;
	struct event_steps steps;
	struct tag tag = *dictionary_get_tag(w->dictionary, e.subject);
	uint64_t peer = e.peer;
	size_t kept = 0;
	bool proven = cluster != NONE && w->cluster[cluster].proven;
	memset(&steps, 0, sizeof steps);
	for (size_t h = 0; h < EVENT_LOOPS && h < r->depth; h++) {
		size_t level = r->depth - 1 - h;
		if (r->level[level].fixed) {
			tag.number += (uint64_t)old->number[h] * r->level[level].index;
			peer += (uint64_t)old->peer[h] * r->level[level].index;
		} else {
			steps.number[kept] = old->number[h];
			steps.peer[kept++] = old->peer[h];
		}
	}
	int64_t ring = old->ring;
	e.peer = (uint32_t)(ring ? ((int64_t)peer % ring + ring) % ring : (int64_t)peer);
	/* what meets nobody is on no channel, and goes on as it does */
	steps.ring = !matches ? old->ring : proven && w->cluster[cluster].ring ? w->model->processes : 0;
	steps.channel = matches ? w->cluster[cluster].channel : 0;
	e.subject = dictionary_tag(w->dictionary, &tag);
	e.steps = dictionary_steps(w->dictionary, &steps);
	return dictionary_event(w->dictionary, &e);
}

static void add_node(struct nodes *to, node n)
{
	*MEM_PUSH(to->node, to->length, to->capacity) = n;
}

static void rewrite_nodes(struct rewriting *r, const node *n, size_t length, struct nodes *to);

static void write_out(struct rewriting *r, node loop, struct nodes *to)
{
	struct body body = nest_body(r->w->from, loop);
	r->level[r->depth].fixed = true;
	r->fixed++;
	for (uint64_t k = 0; k < nest_get(r->w->from, loop)->count; k++) {
		r->level[r->depth++].index = k;
		rewrite_nodes(r, body.node, body.length, to);
		r->depth--;
	}
	r->fixed--;
}

static node rewrite_loop(struct rewriting *r, node loop)
{
	node *known = &r->memo[loop & ~NEST_LOOP];
	if (!r->fixed && *known != NONE)
		return *known;
	struct body body = nest_body(r->w->from, loop);
	struct nodes inside = {0};
	r->level[r->depth++].fixed = false;
	rewrite_nodes(r, body.node, body.length, &inside);
	r->depth--;
	node made = nest_loop(r->to, nest_get(r->w->from, loop)->count, inside.node, inside.length);
	free(inside.node);
	if (!r->fixed)
		*known = made;
	return made;
}

static void rewrite_nodes(struct rewriting *r, const node *n, size_t length, struct nodes *to)
{
	for (size_t i = 0; i < length; i++) {
		if (!node_is_loop(n[i]))
			add_node(to, rewrite_event(r, n[i]));
		else if (r->needs[n[i] & ~NEST_LOOP] & 1)
			write_out(r, n[i], to);
		else
			add_node(to, rewrite_loop(r, n[i]));
	}
}

static void rewrite(struct widening *w)
{
	size_t loops = w->from->loops;
	struct rewriting *r = mem_zero(sizeof *r);
	struct nodes root = {0};
	r->w = w;
	r->to = nest_new();
	r->needs = mem_zero(loops * sizeof *r->needs);
	r->memo = mem_array(loops, sizeof *r->memo);
	memset(r->memo, 0xff, loops * sizeof *r->memo);
	find_needs(r);
	rewrite_nodes(r, w->from->root, w->from->root_length, &root);
	for (size_t i = 0; i < root.length; i++)
		nest_append(r->to, root.node[i]);
	w->model->nest = r->to;
	free(root.node);
	free(r->needs);
	free(r->memo);
	free(r);
}

void merge_widen(struct model *m)
{
	struct widening *w = mem_zero(sizeof *w);
	w->model = m;
	w->from = m->nest;
	w->dictionary = m->dictionary;
	w->events = dictionary_events(m->dictionary);
	w->advances = mem_zero(m->nest->loops);
	if (find_advancing(w)) {
		w->low = mem_array(w->events, sizeof *w->low);
		w->high = mem_array(w->events, sizeof *w->high);
		w->used = mem_zero(w->events);
		w->cluster_of = mem_array(w->events, sizeof *w->cluster_of);
		memset(w->cluster_of, 0xff, w->events * sizeof *w->cluster_of);
		w->clustered = mem_zero(w->from->loops);
		w->keys = intern_new();
		list_messages(w);
		find_clusters(w);
		make_lanes(w);
		prove_all(w);
		rewrite(w);
		for (uint32_t i = 0; i < intern_count(w->keys); i++) {
			free(w->lane[i]->token);
			free(w->lane[i]->open);
			free(w->lane[i]);
		}
		intern_free(w->keys);
		free(w->lane);
		free(w->low);
		free(w->high);
		free(w->used);
		free(w->message);
		free(w->cluster_of);
		free(w->clustered);
		free(w->cluster);
		nest_free(w->from);
	}
	free(w->advances);
	free(w);
}
