/*
 * chains.c -- pairs found, and their loops taken apart.
 */
#include "fold/chains.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fold/fold.h"

#define FEWEST 3 /* pairs that are a chain */
#define RAREST 64 /* chains that are a smaller part of a body are chance */

/* A loop of events by which one process sends to another. */
struct pair {
	uint32_t sender, receiver;
	uint64_t count;
	size_t length, at; /* of its body; in the body around */
};

static int by_sender(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return (x->sender > y->sender) - (x->sender < y->sender);
}

static bool find_pair(const struct model *m, node n, struct pair *pair)
{
	if (!node_is_loop(n))
		return false;
	struct body body = nest_body(m->nest, n);
	size_t sends = 0;
	for (size_t i = 0; i < body.length; i++) {
		const struct event *e =
			node_is_loop(body.node[i]) ? NULL : dictionary_get_event(m->dictionary, body.node[i]);
		if (!e || (e->kind != EVENT_SEND && e->kind != EVENT_RECV))
			return false;
		uint32_t sender = e->kind == EVENT_SEND ? e->process : e->peer,
			 receiver = e->kind == EVENT_SEND ? e->peer : e->process;
		if (i && (sender != pair->sender || receiver != pair->receiver))
			return false;
		pair->sender = sender;
		pair->receiver = receiver;
		sends += e->kind == EVENT_SEND;
	}
	pair->count = nest_get(m->nest, n)->count;
	pair->length = body.length;
	return sends && sends < body.length && pair->sender != pair->receiver;
}

static bool same_loop(const struct pair *x, const struct pair *y)
{
	return x->count == y->count && x->length == y->length;
}

/* Marks, of pairs in the same loop, those whose sender is the receiver of another, or the other way
   round, if they are several. */
static size_t mark_chained(const struct pair *pair, size_t pairs, bool *chained)
{
	size_t found = 0;
	for (size_t i = 0; i < pairs; i++) {
		struct pair next = pair[i];
		next.sender = pair[i].receiver;
		const struct pair *after = bsearch(&next, pair, pairs, sizeof *pair, by_sender);
		if (after)
			chained[pair[i].at] = chained[after->at] = true;
	}
	for (size_t i = 0; i < pairs; i++)
		found += chained[pair[i].at];
	for (size_t i = 0; i < pairs && found < FEWEST; i++)
		chained[pair[i].at] = false;
	return found < FEWEST ? 0 : found;
}

static bool find_chains(const struct model *m, struct body body, bool *chained)
{
	struct pair *pair = NULL;
	size_t pairs = 0, capacity = 0, found = 0;
	for (size_t i = 0; i < body.length; i++) {
		struct pair own = {.at = i};
		chained[i] = false;
		if (!find_pair(m, body.node[i], &own))
			continue;
		pair = mem_grow(pair, &capacity, pairs + 1, sizeof *pair);
		pair[pairs++] = own;
	}
	if (pairs)
		qsort(pair, pairs, sizeof *pair, by_sender);
	for (size_t from = 0, to; from < pairs; from = to) {
		for (to = from; to < pairs && same_loop(&pair[from], &pair[to]);)
			to++;
		found += mark_chained(pair + from, to - from, chained);
	}
	free(pair);
	return found > body.length / RAREST;
}

struct nodes {
	node *node;
	size_t length, capacity;
};

static void add(struct nodes *to, node n)
{
	to->node = mem_grow(to->node, &to->capacity, to->length + 1, sizeof *to->node);
	to->node[to->length++] = n;
}

/* The events of one kind, in a loop of their own. */
static node loop_of_kind(const struct model *m, struct nest *to, node loop, uint32_t kind)
{
	struct body body = nest_body(m->nest, loop);
	struct nodes events = {0};
	for (size_t i = 0; i < body.length; i++)
		if (dictionary_get_event(m->dictionary, body.node[i])->kind == kind)
			add(&events, body.node[i]);
	node made = nest_loop(to, nest_get(m->nest, loop)->count, events.node, events.length);
	free(events.node);
	return made;
}

/* The body in `to`, for the caller. map: by loop, what it is there. */
static struct nodes copy_body(const struct model *m, struct nest *to, struct body body, const node *map, bool *any)
{
	struct nodes copy = {0};
	bool *chained = mem_alloc(body.length + 1);
	bool apart = find_chains(m, body, chained);
	*any |= apart;
	for (size_t i = 0; i < body.length; i++) {
		node n = body.node[i];
		if (apart && chained[i]) {
			add(&copy, loop_of_kind(m, to, n, EVENT_SEND));
			add(&copy, loop_of_kind(m, to, n, EVENT_RECV));
		} else {
			add(&copy, node_is_loop(n) ? map[n & ~NODE_LOOP] : n);
		}
	}
	free(chained);
	return copy;
}

/* NULL: there is nothing to take apart. */
static struct nest *take_apart(const struct model *m)
{
	struct nest *to = nest_new();
	node *map = mem_array(m->nest->loops, sizeof *map);
	bool any = false;
	for (uint32_t i = 0; i < m->nest->loops; i++) {
		node loop = i | NODE_LOOP;
		struct nodes body = copy_body(m, to, nest_body(m->nest, loop), map, &any);
		map[i] = nest_loop(to, nest_get(m->nest, loop)->count, body.node, body.length);
		free(body.node);
	}
	struct nodes root = copy_body(m, to, (struct body){m->nest->root, m->nest->root_length}, map, &any);
	for (size_t i = 0; i < root.length; i++)
		nest_append(to, root.node[i]);
	free(root.node);
	free(map);
	if (any)
		return to;
	nest_free(to);
	return NULL;
}

struct model *chains_apart(const struct model *m)
{
	struct nest *nest = take_apart(m);
	if (!nest)
		return NULL;
	struct model apart = *m, *listed = NULL;
	apart.nest = nest;
	struct program *as_it_is = fold(m, NULL), *taken_apart = fold(&apart, NULL);
	struct error error = {0};
	if (taken_apart->length < as_it_is->length)
		listed = program_to_model(taken_apart, &error); /* listed as unfolding does it */
	else
		program_free(taken_apart);
	program_free(as_it_is);
	nest_free(nest);
	return listed;
}
