/*
 * unite.c -- alignment of lists with affine gaps, or a graph of the k-th of each key.
 *
 * Lanes that the way cannot tell apart are a group; the lists of a group have one structure and
 * are joined place by place. Groups are then joined one after the other onto the largest: it has
 * most of what the others do, and the order of what they do not share. Until the end nothing is
 * made but items, each of which has its nodes (members), so that joining costs what the smaller
 * list has, however many lanes the larger one stands for.
 *
 *	class 0-3	send p+1 tag1	recv p-1 tag1	4( send p+1 tag2 )
 *	class 4				recv p-1 tag1	3( send p+1 tag2  send 0 tag9 )
 *	united		[0-3] send	[0-4] recv	[0-4] 4|3( [0-4] send  [4] send )
 *
 * Two lists are aligned as sequences are (Gotoh 1982: a gap costs once, however long). What is
 * equal at both ends is joined first. Lists too long for a table are cut by anchors: rows of
 * statements that occur once in both (patience diff), at last the k-th of each key, as far as
 * their order agrees (longest increasing subsequence). A piece that is too long even then is not
 * compared: its statements stand one after the other, which is longer, and right.
 */
#include "merge/unite.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/hash.h"
#include "base/heap.h"
#include "merge/tag_names.h"
#include "model/dictionary.h"

/* Likeness in tenths of a statement. */
enum {
	LIKE_MESSAGE = 2, /* of one shape */
	LIKE_OTHER = 7, /* whose shape tells more: the group of a collective, the words of a local event */
	LIKE_PEER = 6,
	UNLIKE_PEER = -1,
	OPPOSITE_PEER = -4, /* one is below, the other above */
	LIKE_NUMBER = 5, /* tag, communicator, root */
	UNLIKE_NUMBER = -3,
	LIKE_SIZE = 3,
	UNLIKE_SIZE = -1,
	LIKE_LEAST = 4, /* less is nothing in common */
	LIKE_LOOP = 10,
	LIKE_JOINT = 10000, /* parts of one loop */
	LIKE_COUNT = 5,
	LIKE_CALL = 30, /* a procedure has three statements at least */
	LIKE_RUN = 8, /* each of the shorter of two runs of messages */
	GAP = 12
};

static const struct {
	bool tags, peers; /* do they tell lanes apart? */
	bool ranks; /* are these peers ranks, not moves? */
	bool graph;
} way_of[UNITE_WAYS] = {
	[UNITE_SHAPES] = {false, false, false, false},
	[UNITE_TAGS] = {true, false, false, false},
	[UNITE_PEERS] = {true, true, false, false},
	[UNITE_KTH_TAG] = {true, false, false, true},
	[UNITE_KTH_PEER] = {true, true, false, true},
	[UNITE_KTH_RANK] = {true, true, true, true},
};

/* Nodes that an item is made of, each with the lanes that it stands there for. */
struct member {
	const struct tree_node *node;
	uint32_t lanes;
	struct member *next;
};

/* What is sent around in an item, and how often in the text. Ascending. */
struct traffic {
	uint32_t what, times;
};

struct chain {
	struct item *first, *last;
	size_t length;
	uint64_t size; /* statements */
};

/* Beside numbers. */
#define TAG_IS_NAMED (UINT32_C(1) << 31)

/* Of peers that are one rank, seen from processes in other places. */
#define NO_MOVE 0

/* One node of the united tree. Numbers are those of the first lane of the first member. */
struct item {
	struct item *next;
	struct member *member, *last_member;
	struct chain body;
	const struct tree_shape *shape; /* of an event */
	const struct traffic *traffic;
	size_t traffics;
	struct traffic own; /* traffic of an event or call */
	uint64_t relative; /* the peer, seen from the process; a hash, or NO_MOVE */
	indexed absolute; /* the peer, if it is the same for all lanes */
	uint32_t tag; /* if it is one in all iterations: its number, or what it names; else INDEXED_NONE */
	uint32_t first; /* where the first lane stands in the slots of the first member */
	uint32_t structure; /* equal: joined place by place */
	uint32_t run; /* equal for neighbours: one item of an alignment; 0: stands alone */
	uint32_t anchor; /* equal: alike but for peers and sizes */
	uint32_t kth; /* the key of a graph */
	int32_t full; /* the likeness of the same again */
	uint32_t size;
	int8_t direction; /* of a peer that is one number: above the process or not; 0: not known */
};

struct uniting {
	struct tree_builder *builder;
	const struct grid *grid;
	enum unite_way way;
	struct arena *arena; /* items, members, traffic */
	struct intern *keys;
	uint32_t *word; /* of a key that is asked for */
	size_t capacity;
	uint64_t compared;
	/* the lanes of the last sequence of members, in order, and which member each is from */
	uint32_t *sequence;
	size_t sequence_length, sequence_capacity;
	struct lane_of {
		uint32_t lane, member;
	} * lane_of;
	size_t lane_capacity;
	uint32_t lanes; /* their set */
};

static void chain_add(struct chain *c, struct item *item)
{
	if (c->last)
		c->last->next = item;
	else
		c->first = item;
	c->last = item;
	item->next = NULL;
	c->length++;
	c->size += item->size;
}

/* The caller's. */
static struct item **chain_items(struct chain c)
{
	struct item **item = mem_array(c.length, sizeof *item);
	size_t length = 0;
	for (struct item *i = c.first; i; i = i->next)
		item[length++] = i;
	return item;
}

/* ------------------------------------------------------------------ keys */

enum key {
	KEY_EVENT,
	KEY_CALL,
	KEY_BODY,
	KEY_LIST,
	KEY_TRAFFIC,
	KEY_RUN,
	KEY_ANCHOR,
	KEY_ANCHOR_OF_BODY,
	KEY_KTH,
	KEY_KTH_BODY,
	KEY_TAG
};

/* Never 0. */
static uint32_t key_of(struct uniting *u, const uint32_t *word, size_t words)
{
	return intern_id(u->keys, word, words * sizeof *word) + 1;
}

/* Of a few words. */
#define KEY(u, ...)                                                                                                    \
	key_of(u, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* One number in all iterations, or none. */
static indexed constant(const struct uniting *u, indexed v)
{
	const struct indexed_store *s = u->builder->store;
	while (indexed_kind(s, v) == INDEXED_IS_SAME)
		v = indexed_at(s, v, 0);
	return indexed_kind(s, v) == INDEXED_IS_NUMBER ? v : INDEXED_NONE;
}

/* Is it one tag, which names a process? Then what it is told by instead. */
static bool tag_name(const struct uniting *u, indexed tag, uint64_t *name)
{
	indexed number = constant(u, tag);
	return number != INDEXED_NONE && tag_names_find(u->builder->tags, indexed_get(u->builder->store, number), name);
}

/* A move on the grid, round each axis: there are no ends. Or the rank, if the way asks for it. */
static uint64_t move_to(const struct uniting *u, uint32_t process, uint64_t peer)
{
	uint64_t hash = 0;
	if (way_of[u->way].ranks)
		return peer;
	if (!u->grid->axes)
		return peer - process;
	for (uint32_t k = 0; k < u->grid->axes; k++) {
		uint32_t size = u->grid->size[k];
		hash = hash_pair(hash, (peer % size + size - process % size) % size);
		peer /= size;
		process /= size;
	}
	return hash;
}

/* Is the move up or down along the slowest axis that it moves along? 0: half of the way round, or
   nowhere. */
static int8_t direction_to(const struct uniting *u, uint32_t process, uint64_t peer)
{
	int8_t direction = 0;
	if (!u->grid->axes)
		return peer > process ? 1 : -1;
	for (uint32_t k = 0; k < u->grid->axes; k++) {
		uint32_t size = u->grid->size[k];
		uint64_t move = (peer % size + size - process % size) % size;
		if (move)
			direction = (int8_t)((2 * move < size) - (2 * move > size));
		peer /= size;
		process /= size;
	}
	return direction;
}

/* Recursion as deep as loops nest. */
static uint64_t seen_from(const struct uniting *u, indexed v, uint32_t process)
{
	const struct indexed_store *s = u->builder->store;
	uint64_t hash = indexed_kind(s, v);
	if (hash == INDEXED_IS_NUMBER)
		return hash_pair(hash, move_to(u, process, (uint64_t)indexed_get(s, v)));
	if (hash == INDEXED_IS_SAME)
		return hash_pair(hash, seen_from(u, indexed_at(s, v, 0), process));
	size_t length = indexed_length(s, v);
	for (size_t i = 0; i < length; i++)
		hash = hash_pair(hash, seen_from(u, indexed_at(s, v, i), process));
	return hash;
}

static bool has_peer(const struct tree_shape *s)
{
	return kind_has_peer(s->kind);
}

/* ------------------------------------------------------------------ items */

/* The number that a slot has for the first lane; INDEXED_NONE: there is no such slot. */
static indexed number_of(const struct item *item, enum tree_slot slot)
{
	uint32_t slots = item->shape->slots, before = slots & ((UINT32_C(1) << slot) - 1);
	if (!(slots >> slot & 1))
		return INDEXED_NONE;
	return item->member->node->slot[__builtin_popcount(before)][item->first];
}

static indexed same_for_all(const struct uniting *u, const struct member *m, uint32_t slot)
{
	struct lane_set all = tree_lanes(u->builder, m->node->lanes), own = tree_lanes(u->builder, m->lanes);
	indexed v = m->node->slot[slot][lane_index(all, own.lane[0])];
	for (size_t i = 1; i < own.length; i++)
		if (m->node->slot[slot][lane_index(all, own.lane[i])] != v)
			return INDEXED_NONE;
	return v;
}

static void describe_peer(struct uniting *u, struct item *item, uint32_t process)
{
	indexed peer = number_of(item, SLOT_IS_PEER), number = constant(u, peer);
	if (peer == INDEXED_NONE)
		return;
	item->relative = seen_from(u, peer, process);
	item->absolute = same_for_all(u, item->member, 0);
	if (number != INDEXED_NONE)
		item->direction = direction_to(u, process, (uint64_t)indexed_get(u->builder->store, number));
}

static void describe_event(struct uniting *u, struct item *item)
{
	const struct tree_node *n = item->member->node;
	const struct tree_shape *shape = item->shape = tree_shape(u->builder, n);
	uint32_t process = u->builder->process[tree_lanes(u->builder, item->member->lanes).lane[0]];
	bool peered = has_peer(shape);
	bool line = shape->grouped != GROUP_IS_SET;
	uint64_t name;
	indexed communicator = line ? 0 : constant(u, number_of(item, SLOT_IS_COMMUNICATOR));
	item->tag = constant(u, number_of(item, SLOT_IS_TAG));
	if (tag_name(u, number_of(item, SLOT_IS_TAG), &name))
		item->tag = KEY(u, KEY_TAG, (uint32_t)name, (uint32_t)(name >> 32)) | TAG_IS_NAMED;
	item->full = peered ? LIKE_MESSAGE : LIKE_OTHER;
	for (uint32_t slots = shape->slots; slots; slots &= slots - 1) {
		enum tree_slot slot = (enum tree_slot)__builtin_ctz(slots);
		item->full += SLOT_IS_SIZE(slot) ? LIKE_SIZE : slot == SLOT_IS_PEER && peered ? LIKE_PEER : LIKE_NUMBER;
	}
	/* Of a collective the root is told as it is, of others the peer as it is seen. */
	uint32_t root = 0, peer[2] = {0};
	if (peered) {
		describe_peer(u, item, process);
		if (way_of[u->way].peers && constant(u, number_of(item, SLOT_IS_PEER)) != INDEXED_NONE)
			memcpy(peer, &item->relative, sizeof peer);
	} else if (!line) {
		root = constant(u, number_of(item, SLOT_IS_PEER));
	}
	bool tags = way_of[u->way].tags && peered;
	item->structure = KEY(u, KEY_EVENT, n->structure, tags ? item->tag : 0);
	item->run = peered ? KEY(u, KEY_RUN, item->structure) : 0;
	item->own.what = KEY(u, KEY_TRAFFIC, kind_is_message(shape->kind) ? EVENT_SEND : shape->kind,
		peered ? 0 : shape->word, item->tag, communicator);
	item->anchor = KEY(u, KEY_ANCHOR, n->structure, item->tag, communicator, root);
	item->kth = KEY(u, KEY_KTH, item->anchor, peer[0], peer[1]);
}

static void describe_call(struct uniting *u, struct item *item)
{
	const struct tree_node *n = item->member->node;
	item->structure = KEY(u, KEY_CALL, n->structure);
	item->full = LIKE_CALL + LIKE_COUNT;
	item->own.what = item->anchor = item->kth = item->structure;
}

static int by_what(const void *a, const void *b)
{
	const struct traffic *x = a, *y = b;
	return (x->what > y->what) - (x->what < y->what);
}

static void gather_traffic(struct uniting *u, struct item *item)
{
	size_t length = 0, used = 0;
	for (const struct item *i = item->body.first; i; i = i->next)
		length += i->traffics;
	struct traffic *all = mem_array(length, sizeof *all);
	for (const struct item *i = item->body.first; i; i = i->next) {
		memcpy(all + used, i->traffic, i->traffics * sizeof *all);
		used += i->traffics;
	}
	if (length)
		qsort(all, length, sizeof *all, by_what);
	used = 0;
	for (size_t i = 0; i < length; i++) {
		if (used && all[used - 1].what == all[i].what)
			all[used - 1].times += all[i].times;
		else
			all[used++] = all[i];
	}
	item->traffic = arena_copy(u->arena, all, used * sizeof *all);
	item->traffics = used;
	free(all);
}

static uint32_t *words(struct uniting *u, size_t length, enum key key, enum tree_kind kind)
{
	u->word = mem_grow(u->word, &u->capacity, length + 2, sizeof *u->word);
	u->word[0] = key;
	u->word[1] = kind;
	return u->word + 2;
}

/* What follows from the items inside, and again when these have changed. */
static void describe_loop(struct uniting *u, struct item *item)
{
	enum tree_kind kind = item->member->node->kind;
	size_t length = item->body.length, k = 0;
	gather_traffic(u, item);
	item->size = 1;
	item->full = LIKE_LOOP + LIKE_COUNT;
	uint32_t *word = words(u, length, KEY_BODY, kind);
	for (const struct item *i = item->body.first; i; i = i->next) {
		item->size += i->size;
		item->full += i->full;
		word[k++] = i->structure;
	}
	item->structure = key_of(u, u->word, length + 2);
	word = words(u, length, KEY_ANCHOR_OF_BODY, kind);
	k = 0;
	for (const struct item *i = item->body.first; i; i = i->next)
		word[k++] = i->anchor;
	item->anchor = key_of(u, u->word, length + 2);
	word = words(u, item->traffics, KEY_KTH_BODY, kind);
	for (size_t i = 0; i < item->traffics; i++)
		word[i] = item->traffic[i].what;
	item->kth = key_of(u, u->word, item->traffics + 2);
}

/* The lanes that a list stands for, where it is split; NODE_LANES: those of each node. */
#define NODE_LANES UINT32_MAX

static struct chain items_of(struct uniting *u, struct tree_list list, uint32_t lanes)
{
	struct chain c = {0};
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		struct member member = {.node = n, .lanes = lanes == NODE_LANES ? n->lanes : lanes};
		struct item item = {.size = 1, .own.times = 1, .traffics = 1}, *made;
		struct lane_set own = tree_lanes(u->builder, member.lanes);
		assert(own.length);
		item.first = (uint32_t)lane_index(tree_lanes(u->builder, n->lanes), own.lane[0]);
		item.member = item.last_member = arena_copy(u->arena, &member, sizeof member);
		made = arena_copy(u->arena, &item, sizeof item);
		made->traffic = &made->own;
		if (n->kind == TREE_EVENT) {
			describe_event(u, made);
		} else if (n->kind == TREE_CALL) {
			describe_call(u, made);
		} else {
			made->body = items_of(u, n->body, lanes);
			describe_loop(u, made);
		}
		chain_add(&c, made);
	}
	return c;
}

/* ------------------------------------------------------------------ likeness */

static bool same_peer(const struct item *a, const struct item *b)
{
	return (a->relative == b->relative && a->relative != NO_MOVE) ||
	       (a->absolute != INDEXED_NONE && a->absolute == b->absolute);
}

static int32_t event_likeness(const struct uniting *u, const struct item *a, const struct item *b)
{
	const struct tree_node *x = a->member->node, *y = b->member->node;
	bool peered = has_peer(a->shape);
	if (peered && way_of[u->way].peers && !same_peer(a, b))
		return 0;
	int32_t like = peered ? LIKE_MESSAGE : LIKE_OTHER;
	uint32_t k = 0;
	for (uint32_t slots = a->shape->slots; slots; slots &= slots - 1, k++) {
		enum tree_slot slot = (enum tree_slot)__builtin_ctz(slots);
		bool equal = x->slot[k][a->first] == y->slot[k][b->first];
		if (slot == SLOT_IS_TAG)
			equal = equal || (a->tag != INDEXED_NONE && a->tag == b->tag);
		if (SLOT_IS_SIZE(slot))
			like += equal ? LIKE_SIZE : UNLIKE_SIZE;
		else if (a->shape->grouped != GROUP_IS_SET)
			like += equal ? LIKE_NUMBER : 0;
		else if (slot != SLOT_IS_PEER || !peered)
			like += equal ? LIKE_NUMBER : UNLIKE_NUMBER;
		else if (same_peer(a, b))
			like += LIKE_PEER;
		else
			like += a->direction * b->direction < 0 ? OPPOSITE_PEER : UNLIKE_PEER;
	}
	return like >= LIKE_LEAST ? like : 0;
}

static int32_t call_likeness(const struct item *a, const struct item *b)
{
	const struct tree_node *x = a->member->node, *y = b->member->node;
	for (uint32_t k = 0; k < x->slots; k++)
		if (x->slot[k][a->first] != y->slot[k][b->first])
			return LIKE_CALL;
	return LIKE_CALL + LIKE_COUNT;
}

/* Loops whose bodies are not of one structure: by what is sent around in both. */
static int32_t traffic_likeness(const struct item *a, const struct item *b)
{
	uint64_t common = 0, of_a = 0, of_b = 0;
	for (size_t i = 0, k = 0; i < a->traffics || k < b->traffics;) {
		const struct traffic *x = i < a->traffics ? &a->traffic[i] : NULL,
				     *y = k < b->traffics ? &b->traffic[k] : NULL;
		bool from_a = x && (!y || x->what <= y->what), from_b = y && (!x || y->what <= x->what);
		if (from_a && from_b)
			common += x->times < y->times ? x->times : y->times;
		of_a += from_a ? x->times : 0;
		of_b += from_b ? y->times : 0;
		i += from_a;
		k += from_b;
	}
	uint64_t all = of_a + of_b, less = of_a < of_b ? of_a : of_b;
	return common && 2 * common >= less ? (int32_t)(20 * common * common / all) + 1 : 0;
}

/* Have all that stands at the same place the same peer, where that tells what is one? Recursion as
   deep as loops nest. */
static bool is_same(const struct uniting *u, const struct item *a, const struct item *b)
{
	bool same = a->structure == b->structure;
	if (same && way_of[u->way].peers && a->shape && has_peer(a->shape))
		return same_peer(a, b);
	for (const struct item *i = a->body.first, *k = b->body.first; same && i; i = i->next, k = k->next)
		same = is_same(u, i, k);
	return same;
}

/* 0: they may not become one. Recursion as deep as loops nest. */
static int32_t likeness(struct uniting *u, const struct item *a, const struct item *b)
{
	const struct tree_node *x = a->member->node, *y = b->member->node;
	u->compared++;
	if (x->kind != y->kind)
		return 0;
	if (x->joint && x->joint == y->joint)
		return LIKE_JOINT;
	if (!is_same(u, a, b))
		return x->kind == TREE_LOOP || x->kind == TREE_GUARD ? traffic_likeness(a, b) : 0;
	if (x->kind == TREE_EVENT)
		return event_likeness(u, a, b);
	if (x->kind == TREE_CALL)
		return call_likeness(a, b);
	int32_t like = x->slot[0][a->first] == y->slot[0][b->first] ? LIKE_COUNT : 0, inside = 0;
	for (const struct item *i = a->body.first, *k = b->body.first; i && k; i = i->next, k = k->next)
		inside += likeness(u, i, k);
	/* Where tags tell what is one, bodies that have little in common but these stay apart. */
	if (way_of[u->way].tags && inside < (int32_t)a->size * 5)
		return 0;
	like += LIKE_LOOP + inside;
	/* a loop that receives is rather another one that does than the one that sends to it */
	int32_t traffic = x->kind == TREE_LOOP ? traffic_likeness(a, b) : 0;
	return like > traffic ? like : traffic + 1;
}

/* ------------------------------------------------------------------ joining */

static struct chain align(struct uniting *, struct chain a, struct chain b);

/* b's nodes are a's, too, but for what is inside. */
static void take_members(const struct uniting *u, struct item *a, const struct item *b)
{
	a->last_member->next = b->member;
	a->last_member = b->last_member;
	if (a->absolute != b->absolute)
		a->absolute = INDEXED_NONE;
	if (way_of[u->way].peers && a->relative != b->relative)
		a->relative = NO_MOVE;
}

/* a becomes both; b is gone. Recursion as deep as loops nest. */
static void join(struct uniting *u, struct item *a, struct item *b)
{
	take_members(u, a, b);
	if (is_same(u, a, b)) {
		for (struct item *i = a->body.first, *k = b->body.first; i; i = i->next, k = k->next)
			join(u, i, k);
		return;
	}
	a->body = align(u, a->body, b->body);
	describe_loop(u, a);
}

/* ------------------------------------------------------------------ alignment */

/* What is aligned as one: an item, or a run of messages. */
struct unit {
	struct item **item;
	size_t length;
	uint64_t size;
};

static struct unit *units_of(struct item **item, size_t length, bool runs, size_t *units)
{
	struct unit *unit = mem_array(length, sizeof *unit);
	*units = 0;
	for (size_t i = 0; i < length; i++) {
		if (i && runs && item[i]->run && item[i]->run == item[i - 1]->run) {
			unit[*units - 1].length++;
			unit[*units - 1].size++;
			continue;
		}
		unit[(*units)++] = (struct unit){item + i, 1, item[i]->size};
	}
	return unit;
}

static int32_t unit_likeness(struct uniting *u, const struct unit *a, const struct unit *b)
{
	if (a->length == 1 && b->length == 1)
		return likeness(u, a->item[0], b->item[0]);
	u->compared++;
	if (a->item[0]->run != b->item[0]->run)
		return 0;
	return LIKE_RUN * (int32_t)(a->length < b->length ? a->length : b->length);
}

static bool fully_alike(struct uniting *u, const struct unit *a, const struct unit *b)
{
	bool alike = a->length == b->length;
	for (size_t i = 0; i < a->length && alike; i++)
		alike = a->item[i]->full == b->item[i]->full && likeness(u, a->item[i], b->item[i]) == a->item[i]->full;
	return alike;
}

static void take_units(const struct unit *unit, size_t units, struct chain *to)
{
	for (size_t i = 0; i < units; i++)
		for (size_t k = 0; k < unit[i].length; k++)
			chain_add(to, unit[i].item[k]);
}

static void align_units(
	struct uniting *, const struct unit *a, size_t n, const struct unit *b, size_t m, int stage, struct chain *to);

static void join_units(struct uniting *u, const struct unit *a, const struct unit *b, struct chain *to)
{
	if (a->length == 1 && b->length == 1) {
		join(u, a->item[0], b->item[0]);
		chain_add(to, a->item[0]);
		return;
	}
	size_t n, m;
	struct unit *x = units_of(a->item, a->length, false, &n), *y = units_of(b->item, b->length, false, &m);
	align_units(u, x, n, y, m, 0, to);
	free(x);
	free(y);
}

enum step { STEP_BOTH, STEP_A, STEP_B };
#define NEVER (INT32_MIN / 2)

/*
 * The best from (i, j) on, and the same behind a gap that is open; the step that leads there is kept
 * for each, two bits and two bits.
 */
static unsigned char *best_steps(struct uniting *u, const struct unit *a, size_t n, const struct unit *b, size_t m)
{
	unsigned char *step = mem_array(n + 1, m + 1);
	int32_t *best = mem_zero(2 * (m + 1) * sizeof *best), *open = mem_zero(2 * (m + 1) * sizeof *open);
	for (size_t i = n + 1; i-- > 0;) {
		int32_t *best_here = best + (i & 1) * (m + 1), *open_here = open + (i & 1) * (m + 1);
		const int32_t *best_next = best + (~i & 1) * (m + 1), *open_next = open + (~i & 1) * (m + 1);
		for (size_t j = m + 1; j-- > 0;) {
			if (i == n && j == m)
				continue;
			int32_t gap = NEVER, both = NEVER;
			enum step of_gap = STEP_A;
			if (i < n)
				gap = open_next[j];
			if (j < m && open_here[j + 1] > gap) {
				gap = open_here[j + 1];
				of_gap = STEP_B;
			}
			if (i < n && j < m) {
				int32_t like = unit_likeness(u, &a[i], &b[j]);
				both = like ? like + best_next[j + 1] : NEVER;
			}
			open_here[j] = both >= gap ? both : gap;
			best_here[j] = both >= gap - GAP ? both : gap - GAP;
			step[i * (m + 1) + j] = (unsigned char)((both >= gap - GAP ? STEP_BOTH : of_gap) |
								(both >= gap ? STEP_BOTH : of_gap) << 2);
		}
	}
	free(best);
	free(open);
	return step;
}

static void align_by_table(
	struct uniting *u, const struct unit *a, size_t n, const struct unit *b, size_t m, struct chain *to)
{
	unsigned char *step = best_steps(u, a, n, b, m);
	bool open = false;
	for (size_t i = 0, j = 0; i < n || j < m;) {
		enum step s = (enum step)(step[i * (m + 1) + j] >> (open ? 2 : 0) & 3);
		if (s == STEP_BOTH)
			join_units(u, &a[i++], &b[j++], to);
		else if (s == STEP_A)
			take_units(&a[i++], 1, to);
		else
			take_units(&b[j++], 1, to);
		open = s != STEP_BOTH;
	}
	free(step);
}

/* ------------------------------------------------------------------ anchors */

/* What is looked for, stage by stage, in pieces that are still too long: so many anchors in a row
   that occur once in both lists; at last each alone, the k-th of a with the k-th of b. Without the
   rows, a statement more or less at the beginning leads all others astray (AMG on 8 processes, a
   quarter of UNITE_CELLS: 4,900 statements instead of 2,500; 5,300 where peers have to agree). */
static const struct {
	size_t row;
	bool once;
} stage_of[] = {{8, true}, {4, true}, {2, true}, {1, true}, {1, false}};
#define STAGES ((int)(sizeof stage_of / sizeof *stage_of))

struct pair {
	size_t a, b;
};

/* Where a row begins, and a hash of it. */
struct anchored {
	uint64_t key;
	size_t at;
};

static int by_key(const void *a, const void *b)
{
	const struct anchored *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* In order of keys. The caller's; *rows: their number. */
static struct anchored *anchors_of(const struct unit *unit, size_t units, int stage, size_t *rows)
{
	size_t row = stage_of[stage].row;
	uint32_t *anchor = mem_array(units, sizeof *anchor);
	for (size_t i = 0; i < units; i++)
		anchor[i] = unit[i].length == 1 ? unit[i].item[0]->anchor : unit[i].item[0]->run;
	*rows = units < row ? 0 : units - row + 1;
	struct anchored *all = mem_array(*rows, sizeof *all);
	for (size_t i = 0; i < *rows; i++)
		all[i] = (struct anchored){hash_bytes(anchor + i, row * sizeof *anchor), i};
	free(anchor);
	if (*rows)
		qsort(all, *rows, sizeof *all, by_key);
	return all;
}

static size_t same_key(const struct anchored *all, size_t length, size_t first)
{
	size_t end = first;
	while (end < length && all[end].key == all[first].key)
		end++;
	return end - first;
}

static int by_a(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return (x->a > y->a) - (x->a < y->a);
}

/* In the order of a. */
static struct pair *same_anchors(
	struct uniting *u, const struct unit *a, size_t n, const struct unit *b, size_t m, int stage, size_t *pairs)
{
	size_t of_x, of_y;
	struct anchored *x = anchors_of(a, n, stage, &of_x), *y = anchors_of(b, m, stage, &of_y);
	struct pair *pair = mem_array(of_x < of_y ? of_x : of_y, sizeof *pair);
	*pairs = 0;
	for (size_t i = 0, k = 0; i < of_x && k < of_y;) {
		if (x[i].key != y[k].key) {
			if (x[i].key < y[k].key)
				i++;
			else
				k++;
			continue;
		}
		size_t of_a = same_key(x, of_x, i), of_b = same_key(y, of_y, k);
		for (size_t t = 0; t < of_a && t < of_b && (!stage_of[stage].once || (of_a == 1 && of_b == 1)); t++)
			if (unit_likeness(u, &a[x[i + t].at], &b[y[k + t].at]))
				pair[(*pairs)++] = (struct pair){x[i + t].at, y[k + t].at};
		i += of_a;
		k += of_b;
	}
	free(x);
	free(y);
	if (*pairs)
		qsort(pair, *pairs, sizeof *pair, by_a);
	return pair;
}

/* Keeps the most pairs whose order is the same in a and b (patience sorting); how many. */
static size_t keep_ordered(struct pair *pair, size_t pairs)
{
	size_t *least = mem_array(pairs, sizeof *least), *before = mem_array(pairs, sizeof *before), length = 0;
	for (size_t i = 0; i < pairs; i++) {
		size_t low;
		SEARCH_FIRST(low, 0, length, pair[least[low]].b >= pair[i].b);
		before[i] = low ? least[low - 1] : i;
		least[low] = i;
		length += low == length;
	}
	struct pair *kept = mem_array(length, sizeof *kept);
	for (size_t k = length, at = length ? least[length - 1] : 0; k-- > 0; at = before[at])
		kept[k] = pair[at];
	memcpy(pair, kept, length * sizeof *pair);
	free(kept);
	free(least);
	free(before);
	return length;
}

static void align_by_anchors(
	struct uniting *u, const struct unit *a, size_t n, const struct unit *b, size_t m, int stage, struct chain *to)
{
	size_t pairs, i = 0, j = 0;
	struct pair *pair = same_anchors(u, a, n, b, m, stage, &pairs);
	pairs = keep_ordered(pair, pairs);
	for (size_t k = 0; k < pairs; k++) {
		align_units(u, a + i, pair[k].a - i, b + j, pair[k].b - j, stage + 1, to);
		join_units(u, &a[pair[k].a], &b[pair[k].b], to);
		i = pair[k].a + 1;
		j = pair[k].b + 1;
	}
	free(pair);
	align_units(u, a + i, n - i, b + j, m - j, stage + 1, to);
}

static uint64_t units_size(const struct unit *unit, size_t units)
{
	uint64_t size = 0;
	for (size_t i = 0; i < units; i++)
		size += unit[i].size;
	return size;
}

/* Comparing two loops takes as long as the shorter one is. */
static bool has_room(const struct unit *a, size_t n, const struct unit *b, size_t m)
{
	uint64_t x = units_size(a, n) * m, y = units_size(b, m) * n;
	return (x < y ? x : y) <= UNITE_CELLS;
}

/* stage: anchors that were tried already. Recursion as deep as loops nest, times STAGES + 2. */
static void align_units(
	struct uniting *u, const struct unit *a, size_t n, const struct unit *b, size_t m, int stage, struct chain *to)
{
	size_t head = 0, tail = 0;
	while (head < n && head < m && fully_alike(u, &a[head], &b[head])) {
		join_units(u, &a[head], &b[head], to);
		head++;
	}
	while (tail < n - head && tail < m - head && fully_alike(u, &a[n - 1 - tail], &b[m - 1 - tail]))
		tail++;
	const struct unit *x = a + head, *y = b + head;
	size_t of_a = n - head - tail, of_b = m - head - tail;
	if (of_a && of_b && has_room(x, of_a, y, of_b)) {
		align_by_table(u, x, of_a, y, of_b, to);
	} else if (of_a && of_b && stage < STAGES) {
		align_by_anchors(u, x, of_a, y, of_b, stage, to);
	} else {
		take_units(x, of_a, to);
		take_units(y, of_b, to);
	}
	for (size_t i = 0; i < tail; i++)
		join_units(u, &a[n - tail + i], &b[m - tail + i], to);
}

static struct chain align(struct uniting *u, struct chain a, struct chain b)
{
	struct chain to = {0};
	size_t n, m;
	struct item **of_a = chain_items(a), **of_b = chain_items(b);
	struct unit *x = units_of(of_a, a.length, true, &n), *y = units_of(of_b, b.length, true, &m);
	align_units(u, x, n, y, m, 0, &to);
	free(x);
	free(y);
	free(of_a);
	free(of_b);
	return to;
}

/* ------------------------------------------------------------------ many lists */

#define SKETCH 3

/* A list of a group of lanes. */
struct lot {
	struct chain chain;
	uint64_t lanes;
	uint32_t first_lane;
	uint64_t sketch[SKETCH]; /* equal for lists that are alike, the more so the more alike (minhash) */
};

static int by_likeness(const void *a, const void *b)
{
	const struct lot *x = a, *y = b;
	for (int i = 0; i < SKETCH; i++)
		if (x->sketch[i] != y->sketch[i])
			return x->sketch[i] < y->sketch[i] ? -1 : 1;
	return (x->first_lane > y->first_lane) - (x->first_lane < y->first_lane);
}

static int by_size(const void *a, const void *b)
{
	const struct lot *x = a, *y = b;
	if (x->chain.size != y->chain.size)
		return x->chain.size < y->chain.size ? 1 : -1;
	if (x->lanes != y->lanes)
		return x->lanes < y->lanes ? 1 : -1;
	return (x->first_lane > y->first_lane) - (x->first_lane < y->first_lane);
}

static void draw_sketch(struct lot *l)
{
	memset(l->sketch, 0xff, sizeof l->sketch);
	for (const struct item *item = l->chain.first; item; item = item->next)
		for (size_t i = 0; i < item->traffics; i++)
			for (uint64_t k = 0; k < SKETCH; k++) {
				uint64_t hash = hash_pair(k, item->traffic[i].what);
				l->sketch[k] = hash < l->sketch[k] ? hash : l->sketch[k];
			}
}

/* The first one becomes all. The lists are gone. */
static void align_lots(struct uniting *u, struct lot *lot, size_t lots)
{
	if (lots > UNITE_GROUP) {
		for (size_t i = 0; i < lots; i++)
			draw_sketch(&lot[i]);
		qsort(lot, lots, sizeof *lot, by_likeness);
	}
	while (lots > 1) {
		size_t groups = 0;
		for (size_t first = 0; first < lots; first += UNITE_GROUP) {
			size_t length = lots - first < UNITE_GROUP ? lots - first : UNITE_GROUP;
			qsort(lot + first, length, sizeof *lot, by_size);
			struct lot all = lot[first];
			for (size_t i = 1; i < length; i++) {
				all.chain = align(u, all.chain, lot[first + i].chain);
				all.lanes += lot[first + i].lanes;
			}
			lot[groups++] = all;
		}
		lots = groups;
	}
}

/* ------------------------------------------------------------------ the k-th of each key */

/* Statements of all lists: places, an edge from each to the next one of a list. */
struct graph {
	struct item **item; /* list by list */
	uint32_t *place; /* of each */
	size_t items;
	struct intern *places; /* key, k */
	uint64_t *priority; /* by place */
	struct item **sorted; /* items place by place */
	size_t *first; /* where those of a place begin, and one more */
	uint32_t *next; /* the place behind the sorted item in its list; UINT32_MAX: none */
	uint32_t *waits; /* how often a place is the next one */
};

static void find_places(const struct uniting *u, struct graph *g, const struct lot *lot, size_t lots)
{
	/* how many of a key there are in the list so far */
	size_t keys = intern_count(u->keys) + 1;
	struct {
		size_t list;
		uint32_t times;
	} *seen = mem_zero(keys * sizeof *seen);
	for (size_t i = 0; i < lots; i++) {
		size_t at = 0;
		for (struct item *item = lot[i].chain.first; item; item = item->next, at++) {
			if (seen[item->kth].list != i + 1) {
				seen[item->kth].list = i + 1;
				seen[item->kth].times = 0;
			}
			uint32_t key[] = {item->kth, seen[item->kth].times++};
			uint32_t place = intern_id(g->places, key, sizeof key);
			/* Receives that are ready first, then what stands far in front in all. */
			const struct tree_node *n = item->member->node;
			bool receive = n->kind == TREE_EVENT && kind_receives(item->shape->kind);
			uint64_t priority = ((uint64_t)at << 24) / lot[i].chain.length | (uint64_t)!receive << 32;
			if (priority > g->priority[place])
				g->priority[place] = priority;
			g->place[g->items] = place;
			g->item[g->items++] = item;
		}
	}
	free(seen);
}

static void sort_places(struct graph *g, const struct lot *lot, size_t lots)
{
	uint32_t places = intern_count(g->places);
	g->first = mem_zero((places + 2) * sizeof *g->first);
	g->waits = mem_zero(places * sizeof *g->waits);
	for (size_t i = 0; i < g->items; i++)
		g->first[g->place[i] + 2]++;
	for (uint32_t p = 0; p < places; p++)
		g->first[p + 2] += g->first[p + 1];
	size_t at = 0;
	for (size_t i = 0; i < lots; i++)
		for (size_t k = 0; k < lot[i].chain.length; k++, at++) {
			size_t to = g->first[g->place[at] + 1]++;
			g->sorted[to] = g->item[at];
			g->next[to] = k + 1 < lot[i].chain.length ? g->place[at + 1] : UINT32_MAX;
			if (g->next[to] != UINT32_MAX)
				g->waits[g->next[to]]++;
		}
}

/* The places in an order that all lists agree to; how many there are in it. The caller's. */
static uint32_t *ordered_places(struct graph *g, size_t *ordered)
{
	uint32_t places = intern_count(g->places), *order = mem_array(places, sizeof *order);
	struct heap ready = {0};
	*ordered = 0;
	for (uint32_t p = 0; p < places; p++)
		if (!g->waits[p])
			heap_push(&ready, (struct heap_entry){.key = g->priority[p], .id = p});
	while (ready.length) {
		uint32_t p = heap_pop(&ready).id;
		order[(*ordered)++] = p;
		for (size_t i = g->first[p]; i < g->first[p + 1]; i++)
			if (g->next[i] != UINT32_MAX && !--g->waits[g->next[i]])
				heap_push(
					&ready, (struct heap_entry){.key = g->priority[g->next[i]], .id = g->next[i]});
	}
	heap_clear(&ready);
	return order;
}

static bool join_graph(struct uniting *, struct lot *, size_t lots);

/* Loops of one place. */
static struct item *join_place(struct uniting *u, struct item *const *item, size_t items)
{
	struct lot *body = mem_zero(items * sizeof *body);
	for (size_t i = 0; i < items; i++) {
		body[i].chain = item[i]->body;
		body[i].first_lane = (uint32_t)i;
		if (i)
			take_members(u, item[0], item[i]);
	}
	if (item[0]->member->node->kind == TREE_LOOP || item[0]->member->node->kind == TREE_GUARD) {
		if (!join_graph(u, body, items))
			align_lots(u, body, items);
		item[0]->body = body[0].chain;
		describe_loop(u, item[0]);
	}
	free(body);
	return item[0];
}

/* The first list becomes all; false: there is a cycle, they stay as they are. Recursion as deep as
   loops nest. */
static bool join_graph(struct uniting *u, struct lot *lot, size_t lots)
{
	struct graph g = {0};
	size_t items = 0, ordered;
	if (lots == 1)
		return true;
	for (size_t i = 0; i < lots; i++)
		items += lot[i].chain.length;
	g.item = mem_array(items, sizeof *g.item);
	g.sorted = mem_array(items, sizeof *g.sorted);
	g.place = mem_array(items, sizeof *g.place);
	g.next = mem_array(items, sizeof *g.next);
	g.priority = mem_zero(items * sizeof *g.priority);
	g.places = intern_new_keys(2 * sizeof(uint32_t));
	find_places(u, &g, lot, lots);
	sort_places(&g, lot, lots);
	uint32_t *order = ordered_places(&g, &ordered);
	bool good = ordered == intern_count(g.places);
	if (good) {
		lot[0].chain = (struct chain){0};
		for (size_t i = 0; i < ordered; i++) {
			size_t first = g.first[order[i]];
			chain_add(&lot[0].chain, join_place(u, g.sorted + first, g.first[order[i] + 1] - first));
		}
	}
	free(order);
	intern_free(g.places);
	free(g.item);
	free(g.sorted);
	free(g.place);
	free(g.next);
	free(g.priority);
	free(g.first);
	free(g.waits);
	return good;
}

/* ------------------------------------------------------------------ groups of lanes */

/* Lanes of a list that are one group. */
struct part {
	uint32_t group;
	size_t list;
	uint32_t lanes; /* a set, or NODE_LANES */
};

struct parts {
	struct part *part;
	size_t length, capacity;
	struct intern *groups;
};

struct group_key {
	uint64_t structure, numbers;
};

static bool has_lanes(struct tree_list list, uint32_t lanes)
{
	bool same = true;
	for (size_t i = 0; i < list.length && same; i++)
		same = list.node[i]->lanes == lanes && has_lanes(list.node[i]->body, lanes);
	return same;
}

/* What the way tells lanes apart by, lane by lane. */
static void hash_numbers(const struct uniting *u, struct tree_list list, struct lane_set set, uint64_t *hash)
{
	bool peers = way_of[u->way].peers;
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		hash_numbers(u, n->body, set, hash);
		for (uint32_t k = 0; n->kind == TREE_EVENT && k < n->slots; k++) {
			enum tree_slot slot = tree_slot_of(u->builder, n, k);
			bool peer = slot == SLOT_IS_PEER && peers && has_peer(tree_shape(u->builder, n));
			if (!peer && slot != SLOT_IS_TAG && slot != SLOT_IS_COMMUNICATOR)
				continue;
			for (size_t lane = 0; lane < set.length; lane++) {
				uint64_t number = n->slot[k][lane], name;
				if (peer) {
					/* Peers that go by an index are not told apart. */
					indexed v = constant(u, n->slot[k][lane]);
					uint32_t process = u->builder->process[set.lane[lane]];
					number = v == INDEXED_NONE ? 0 : seen_from(u, v, process);
				}
				if (slot == SLOT_IS_TAG && tag_name(u, n->slot[k][lane], &name))
					number = hash_pair(TAG_IS_NAMED, name);
				hash[lane] = hash_pair(hash[lane], number);
			}
		}
	}
}

struct lane_group {
	uint32_t group, lane;
};

static int by_group(const void *a, const void *b)
{
	const struct lane_group *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->lane > y->lane) - (x->lane < y->lane);
}

static void add_part(struct parts *p, struct part part)
{
	*MEM_PUSH(p->part, p->length, p->capacity) = part;
}

static uint32_t list_structure(struct uniting *u, struct tree_list list)
{
	uint32_t *word = words(u, list.length, KEY_LIST, TREE_EVENT);
	for (size_t i = 0; i < list.length; i++)
		word[i] = list.node[i]->structure;
	return key_of(u, u->word, list.length + 2);
}

/* Numbers are told apart by a hash: lanes that are one group by accident have one structure, and
   what is made of them is right. */
static void split_lanes(struct uniting *u, struct parts *p, struct tree_list list, size_t at)
{
	uint32_t all = list.node[0]->lanes;
	struct group_key key = {.structure = list_structure(u, list)};
	struct lane_set set = tree_lanes(u->builder, all);
	uint64_t *hash = mem_zero(set.length * sizeof *hash);
	struct lane_group *group = mem_array(set.length, sizeof *group);
	uint32_t *lane = mem_array(set.length, sizeof *lane);
	if (way_of[u->way].tags)
		hash_numbers(u, list, set, hash);
	for (size_t i = 0; i < set.length; i++) {
		key.numbers = hash[i];
		group[i] = (struct lane_group){intern_id(p->groups, &key, sizeof key), set.lane[i]};
	}
	if (set.length)
		qsort(group, set.length, sizeof *group, by_group);
	for (size_t first = 0, end; first < set.length; first = end) {
		for (end = first; end < set.length && group[end].group == group[first].group; end++)
			lane[end - first] = group[end].lane;
		uint32_t lanes = end - first == set.length ? all : tree_lane_set(u->builder, lane, end - first);
		add_part(p, (struct part){group[first].group, at, lanes});
	}
	free(hash);
	free(group);
	free(lane);
}

static int by_part(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->list > y->list) - (x->list < y->list);
}

/* A list whose nodes have different lanes stays as it is. Groups: their number. */
static size_t find_parts(struct uniting *u, const struct tree_list *list, size_t lists, struct parts *p)
{
	*p = (struct parts){.groups = intern_new_keys(sizeof(struct group_key))};
	for (size_t i = 0; i < lists; i++) {
		if (list[i].length && has_lanes(list[i], list[i].node[0]->lanes)) {
			split_lanes(u, p, list[i], i);
		} else if (list[i].length) {
			struct group_key key = {UINT64_C(1) << 63, i};
			add_part(p, (struct part){intern_id(p->groups, &key, sizeof key), i, NODE_LANES});
		}
	}
	if (p->length)
		qsort(p->part, p->length, sizeof *p->part, by_part);
	return intern_count(p->groups);
}

static void parts_clear(struct parts *p)
{
	intern_free(p->groups);
	free(p->part);
}

/* Lists of one structure, place by place. */
static void join_parts(struct uniting *u, const struct parts *p, const struct tree_list *list, struct lot *lot)
{
	for (size_t i = 0; i < p->length; i++) {
		const struct part *part = &p->part[i];
		struct lot *l = &lot[part->group];
		struct chain chain = items_of(u, list[part->list], part->lanes);
		struct lane_set set = tree_lanes(u->builder, chain.first->member->lanes);
		if (!l->chain.length) {
			l->chain = chain;
			l->first_lane = set.lane[0];
		} else {
			for (struct item *a = l->chain.first, *b = chain.first; a; a = a->next, b = b->next)
				join(u, a, b);
		}
		l->lanes += set.length;
	}
}

/* ------------------------------------------------------------------ nodes */

static int by_lane(const void *a, const void *b)
{
	const struct lane_of *x = a, *y = b;
	return (x->lane > y->lane) - (x->lane < y->lane);
}

/* The lanes of all members in order. Neighbours have the same members often. */
static void find_lanes(struct uniting *u, const struct item *item)
{
	size_t members = 0, lanes = 0;
	bool same = true;
	for (const struct member *m = item->member; m; m = m->next, members++)
		same = same && members < u->sequence_length && u->sequence[members] == m->lanes;
	if (same && members == u->sequence_length)
		return;
	u->sequence = mem_grow(u->sequence, &u->sequence_capacity, members, sizeof *u->sequence);
	u->sequence_length = 0;
	for (const struct member *m = item->member; m; m = m->next) {
		struct lane_set set = tree_lanes(u->builder, m->lanes);
		u->lane_of = mem_grow(u->lane_of, &u->lane_capacity, lanes + set.length, sizeof *u->lane_of);
		for (size_t i = 0; i < set.length; i++)
			u->lane_of[lanes++] = (struct lane_of){set.lane[i], (uint32_t)u->sequence_length};
		u->sequence[u->sequence_length++] = m->lanes;
	}
	if (lanes)
		qsort(u->lane_of, lanes, sizeof *u->lane_of, by_lane);
	uint32_t *lane = mem_array(lanes, sizeof *lane);
	for (size_t i = 0; i < lanes; i++)
		lane[i] = u->lane_of[i].lane;
	u->lanes = tree_lane_set(u->builder, lane, lanes);
	free(lane);
}

static struct tree_list nodes_of(struct uniting *, struct chain);

/* A node that nothing was joined with stays itself. Recursion as deep as loops nest. */
static struct tree_node *node_of(struct uniting *u, struct tree_node *own, const struct item *item)
{
	struct tree_builder *b = u->builder;
	struct tree_list body = nodes_of(u, item->body);
	find_lanes(u, item);
	uint32_t lanes = u->lanes;
	size_t length = tree_lanes(b, lanes).length;
	const struct tree_node **member = mem_array(u->sequence_length, sizeof *member);
	size_t members = 0;
	for (const struct member *m = item->member; m; m = m->next)
		member[members++] = m->node;
	indexed **slot = tree_slots(b, own->slots, lanes);
	for (size_t i = 0; i < length; i++) {
		const struct tree_node *n = member[u->lane_of[i].member];
		size_t at = lane_index(tree_lanes(b, n->lanes), u->lane_of[i].lane);
		for (uint32_t k = 0; k < own->slots; k++)
			slot[k][i] = n->slot[k][at];
	}
	free(member);
	if (own->kind == TREE_EVENT)
		return tree_event(b, own->shape, lanes, slot, own->parameters);
	if (own->kind == TREE_CALL)
		return tree_call(b, own->procedure, lanes, slot, own->parameters);
	return tree_loop(b, own->kind, lanes, slot[0], body);
}

static struct tree_list nodes_of(struct uniting *u, struct chain c)
{
	struct tree_node **node = arena_alloc(u->builder->arena, (c.length + 1) * sizeof *node);
	size_t length = 0;
	for (const struct item *item = c.first; item; item = item->next) {
		struct tree_node *own = (struct tree_node *)item->member->node;
		bool alone = !item->member->next && item->member->lanes == own->lanes;
		node[length++] = alone ? own : node_of(u, own, item);
	}
	return (struct tree_list){node, length};
}

/* ------------------------------------------------------------------ all together */

bool unite(struct tree_builder *b, const struct grid *grid, const struct tree_list *class_of, size_t classes,
	enum unite_way way, struct tree_list *united)
{
	uint64_t compared;
	return unite_counted(b, grid, class_of, classes, way, united, &compared);
}

bool unite_counted(struct tree_builder *b, const struct grid *grid, const struct tree_list *class_of, size_t classes,
	enum unite_way way, struct tree_list *united, uint64_t *compared)
{
	struct uniting u = {.builder = b, .grid = grid, .way = way};
	struct parts parts;
	u.arena = arena_new();
	u.keys = intern_new();
	size_t lots = find_parts(&u, class_of, classes, &parts);
	bool good = way == UNITE_SHAPES || lots != 1; /* one group is the same in all ways */
	if (good && lots) {
		struct lot *lot = mem_zero(lots * sizeof *lot);
		join_parts(&u, &parts, class_of, lot);
		qsort(lot, lots, sizeof *lot, by_size);
		if (!way_of[way].graph)
			align_lots(&u, lot, lots);
		else
			good = join_graph(&u, lot, lots);
		if (good)
			*united = nodes_of(&u, lot[0].chain);
		free(lot);
	} else if (good) {
		*united = (struct tree_list){0};
	}
	*compared = u.compared;
	parts_clear(&parts);
	intern_free(u.keys);
	arena_free(u.arena);
	free(u.word);
	free(u.sequence);
	free(u.lane_of);
	return good;
}
