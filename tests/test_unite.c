/*
 * test_unite.c -- lists of classes as one list: what becomes one, what stays, and that each lane
 * finds its own list in it.
 *
 * A class is written as its lanes and what they do:
 *
 *	0-3: s+1t7b64 r-1t7 4(s=0t1/2/3/4) B=0 ?1(l) c0=5
 *
 * Send to p+1 with tag 7 and 64 bytes; receive; a loop of 4 with tags by its index; a collective with
 * its root (L: of a line of the grid); a guard; a local event; a call of procedure 0 with an argument.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "merge/sequence.h"
#include "merge/tag_names.h"
#include "merge/unite.h"
#include "model/dictionary.h"
#include "tests/rows.h"
#include "tests/tree_text.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ classes from text */

#define PROCEDURES 3

struct reading {
	struct tree_builder *builder;
	struct tree_procedure *procedure[PROCEDURES];
	const char *at;
	uint32_t set, depth;
};

static long read_number(struct reading *r)
{
	char *end;
	long number = strtol(r->at, &end, 10);
	r->at = end;
	return number;
}

/* "1/2/3": by the index of the innermost loop. added: to each number. */
static indexed read_numbers(struct reading *r, long added)
{
	indexed number[64];
	size_t length = 0;
	do {
		number[length++] = indexed_number(r->builder->store, read_number(r) + added);
	} while (*r->at == '/' && r->at++ && length < COUNT(number));
	if (r->depth == 0)
		return number[0];
	indexed v = length == 1 ? indexed_same(r->builder->store, number[0])
				: indexed_each(r->builder->store, number, length);
	return indexed_wrap(r->builder->store, v, r->depth - 1);
}

static struct tree_node *read_event(struct reading *r)
{
	struct tree_shape shape;
	const char *from = r->at + 1;
	struct lane_set lanes = tree_lanes(r->builder, r->set);
	memset(&shape, 0, sizeof shape);
	shape.kind = *r->at == 's' ? EVENT_SEND : *r->at == 'r' ? EVENT_RECV : *r->at == 'l' ? EVENT_LOCAL : EVENT_SYNC;
	shape.grouped = *r->at == 'L';
	indexed **slot = tree_slots(r->builder, EVENT_SLOTS, r->set);
	for (size_t i = 0; i < lanes.length; i++) {
		uint32_t k = 0;
		r->at = from;
		shape.slots = 0;
		if (strchr("+-=", *r->at) && *r->at) {
			bool relative = *r->at != '=';
			r->at += *r->at != '-';
			shape.slots |= 1 << SLOT_IS_PEER;
			slot[k++][i] = read_numbers(r, relative ? r->builder->process[lanes.lane[i]] : 0);
		}
		if (*r->at == 't') {
			r->at++;
			shape.numbered = 1;
			shape.slots |= 1 << SLOT_IS_TAG;
			slot[k++][i] = read_numbers(r, 0);
		}
		if (*r->at == 'b') {
			r->at++;
			shape.slots |= 1 << SLOT_IS_BYTES;
			slot[k++][i] = read_numbers(r, 0);
		}
	}
	uint32_t id = intern_id(r->builder->shapes, &shape, sizeof shape);
	return tree_event(r->builder, id, r->set, slot, 0);
}

static indexed **numbers_for_all(struct reading *r)
{
	indexed **slot = tree_slots(r->builder, 1, r->set), v = read_numbers(r, 0);
	for (size_t i = 0; i < tree_lanes(r->builder, r->set).length; i++)
		slot[0][i] = v;
	return slot;
}

static struct tree_list read_list(struct reading *r)
{
	struct tree_node *node[4096];
	size_t length = 0;
	for (; *r->at && *r->at != ')' && *r->at != '\n'; r->at += strspn(r->at, " ")) {
		CU_ASSERT_FATAL(length < COUNT(node));
		if (*r->at == 'c') {
			r->at++;
			struct tree_procedure *p = r->procedure[read_number(r)];
			r->at++;
			node[length++] = tree_call(r->builder, p, r->set, numbers_for_all(r), 0);
		} else if (strchr("?0123456789", *r->at)) {
			enum tree_kind kind = *r->at == '?' ? TREE_GUARD : TREE_LOOP;
			r->at += *r->at == '?';
			indexed **count = numbers_for_all(r);
			r->at++;
			r->depth++;
			struct tree_list body = read_list(r);
			r->depth--;
			r->at++;
			node[length++] = tree_loop(r->builder, kind, r->set, count[0], body);
		} else {
			node[length++] = read_event(r);
		}
	}
	return tree_list_of(r->builder, node, length);
}

struct classes {
	struct tree_builder *builder;
	struct tree_procedure procedure[PROCEDURES];
	struct tree_list *list;
	size_t length, capacity;
};

/* A class a line. Processes are lanes. */
static struct classes *classes_of(const char *text, uint32_t lanes)
{
	struct classes *c = mem_zero(sizeof *c);
	uint32_t *process = mem_array(lanes, sizeof *process), *own = mem_array(lanes, sizeof *own);
	for (uint32_t lane = 0; lane < lanes; lane++)
		process[lane] = lane;
	c->builder = tree_builder_new(lanes, process);
	struct reading r = {.builder = c->builder, .at = text};
	for (uint32_t i = 0; i < PROCEDURES; i++) {
		c->procedure[i] = (struct tree_procedure){.number = i, .parameters = 1};
		r.procedure[i] = &c->procedure[i];
	}
	while (*r.at) {
		size_t length = 0;
		while (*r.at != ':') {
			uint32_t first = (uint32_t)read_number(&r), last = first;
			if (*r.at == '-' && r.at++)
				last = (uint32_t)read_number(&r);
			for (; first <= last; first++)
				own[length++] = first;
			r.at += *r.at == ',';
		}
		r.at++;
		r.at += strspn(r.at, " ");
		r.set = tree_lane_set(c->builder, own, length);
		c->list = mem_grow(c->list, &c->capacity, c->length + 1, sizeof *c->list);
		c->list[c->length++] = read_list(&r);
		r.at += *r.at == '\n';
	}
	free(process);
	free(own);
	return c;
}

static void classes_free(struct classes *c)
{
	tree_builder_free(c->builder);
	free(c->list);
	free(c);
}

/* ------------------------------------------------------------------ the law */

/* What a lane does, numbers as ids. */
static void project(const struct tree_builder *b, struct tree_list list, uint32_t lane, struct text *out)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		if (!lane_set_has(tree_lanes(b, n->lanes), lane))
			continue;
		text_format(out, "%d:%u", (int)n->kind,
			n->kind == TREE_EVENT  ? n->shape
			: n->kind == TREE_CALL ? n->procedure->number
					       : 0);
		for (uint32_t k = 0; k < n->slots; k++)
			text_format(out, ",%u", tree_at(b, n, k, lane));
		if (n->kind == TREE_LOOP || n->kind == TREE_GUARD) {
			text_put(out, "(");
			project(b, n->body, lane, out);
			text_put(out, ")");
		}
		text_put(out, " ");
	}
}

static bool same_for_lane(const struct classes *c, size_t class, struct tree_list united, uint32_t lane)
{
	struct text before = {0}, after = {0};
	text_put(&before, "");
	text_put(&after, "");
	project(c->builder, c->list[class], lane, &before);
	project(c->builder, united, lane, &after);
	bool same = !strcmp(before.data, after.data);
	if (!same)
		printf("\nlane %u:\n%s\n%s\n", lane, before.data, after.data);
	text_clear(&before);
	text_clear(&after);
	return same;
}

/* A loop is executed by who executes something in it, sizes are right. */
static bool is_whole(struct tree_builder *b, struct tree_list list)
{
	bool good = true;
	for (size_t i = 0; i < list.length && good; i++) {
		const struct tree_node *n = list.node[i];
		if (n->body.length)
			good = tree_list_lanes(b, n->body) == n->lanes && n->size == 1 + tree_size(n->body) &&
			       is_whole(b, n->body);
	}
	return good;
}

static bool keeps_law(const struct classes *c, struct tree_list united)
{
	bool good = is_whole(c->builder, united);
	for (size_t i = 0; i < c->length && good; i++) {
		struct lane_set set = tree_lanes(c->builder, tree_list_lanes(c->builder, c->list[i]));
		for (size_t k = 0; k < set.length && good; k++)
			good = same_for_lane(c, i, united, set.lane[k]);
	}
	return good;
}

/* ------------------------------------------------------------------ what becomes one */

#define GRID_4_2                                                                                                       \
	{                                                                                                              \
		.axes = 2, .size = { 4, 2 }                                                                            \
	}

struct row {
	const char *why;
	enum unite_way way;
	const char *classes, *united; /* NULL: this way makes nothing */
};

static const struct row rows[] = {
	{"one class stays what it is", UNITE_SHAPES, "0-3: s+1 3(r-1)",
		"[0-3] event0 1|2|3|4\n[0-3] for 3\n  [0-3] event1 -1|0|1|2\n"},
	{"one class has nothing to be united by tags", UNITE_TAGS, "0-3: s+1 3(r-1)", NULL},
	{"nor as a graph", UNITE_KTH_TAG, "0-3: s+1 3(r-1)", NULL},
	{"no class, no list", UNITE_SHAPES, "", ""},
	{"classes of one structure are one, whatever their numbers", UNITE_SHAPES, "0: s+1t1 s+2t2\n1: s-1t3 s+5t9",
		"[0-1] event0 1|0 1|3\n[0-1] event0 2|6 2|9\n"},
	{"by tags they are not", UNITE_TAGS, "0: s+1t1 s+2t2\n1: s+1t3 s+5t2",
		"[0] event0 1 1\n[1] event0 2 3\n[0-1] event0 2|6 2\n"},
	{"lanes of one class are split by their tags, and not one where that takes two gaps", UNITE_TAGS,
		"0: s+1t1 s+2t2\n1: s+1t2 s+2t1\n2: s+1t1 s+2t2",
		"[0,2] event0 1|3 1\n[0,2] event0 2|4 2\n[1] event0 2 2\n[1] event0 3 1\n"},
	{"alike but for lanes that do not take part", UNITE_SHAPES, "1-2: r-1 s+1\n0: s+1\n3: r-1",
		"[1-3] event0 0|1|2\n[0-2] event1 1|2|3\n"},
	{"a send and a receive are never one", UNITE_SHAPES, "0: s=1t1\n1: r=0t1", "[0] event0 1 1\n[1] event1 0 1\n"},
	{"a message below and one above have nothing in common without a tag", UNITE_SHAPES,
		"1: s+1 B=0\n2: s-1 l B=0\n", "[2] event0 1\n[2] event2\n[1] event0 2\n[1-2] event1 0\n"},
	{"peers that are the same for all agree as well as those that are as far away", UNITE_SHAPES,
		"1-2: s=0 s+1 l\n3: s=0\n", "[1-3] event0 0\n[1-2] event0 2|3\n[1-2] event1\n"},
	{"classes of one structure are one before others are aligned with them", UNITE_TAGS,
		"1: s-1t1 s+1t1 B=0 s-1t1 s+1t1 B=0\n0: s+1t1 B=0 s+1t1 B=0\n2: s-1t1 B=0 s-1t1 B=0",
		"[1] event0 0 1\n[0-2] event0 1|2|1 1\n[0-2] event1 0\n[1] event0 0 1\n[0-2] event0 1|2|1 1\n"
		"[0-2] event1 0\n"},
	{"unless peers tell them apart; messages in a row are one piece, and aligned inside", UNITE_PEERS,
		"1: s-1t1 s+1t1 B=0 s-1t1 s+1t1 B=0\n0: s+1t1 B=0 s+1t1 B=0\n2: s-1t1 B=0 s-1t1 B=0",
		"[1-2] event0 0|1 1\n[0-1] event0 1|2 1\n[0-2] event1 0\n[1-2] event0 0|1 1\n[0-1] event0 1|2 1\n"
		"[0-2] event1 0\n"},
	{"loops of one structure are one, counts side by side", UNITE_SHAPES, "0: 4(s+1t1 r+1t2) l\n1: 5(s+1t1 r+1t2)",
		"[0-1] for 4|5\n  [0-1] event0 1|2 1\n  [0-1] event1 1|2 2\n[0] event2\n"},
	{"loops that send much the same are one, and aligned inside", UNITE_SHAPES,
		"0: 4(s+1t1 r+1t2 B=0)\n1: 4(s+1t1 B=0)",
		"[0-1] for 4\n  [0-1] event0 1|2 1\n  [0] event1 1 2\n  [0-1] event2 0\n"},
	{"loops that have little in common are two", UNITE_SHAPES, "0: 4(s+1t1 r+1t2)\n1: 4(l B=0)",
		"[0] for 4\n  [0] event0 1 1\n  [0] event1 1 2\n[1] for 4\n  [1] event2\n  [1] event3 0\n"},
	{"a loop and a guard are two", UNITE_SHAPES, "0: 1(s+1t1)\n1: ?1(s+1t1)",
		"[0] for 1\n  [0] event0 1 1\n[1] if 1\n  [1] event0 2 1\n"},
	{"guards are one", UNITE_SHAPES, "0: ?1(s+1t1) l\n1: ?0(s+1t1)",
		"[0-1] if 1|0\n  [0-1] event0 1|2 1\n[0] event1\n"},
	{"calls of one procedure are one, of two are not", UNITE_SHAPES, "0: c0=5 c1=6 l\n1: c1=7",
		"[0] call0 5\n[0-1] call1 6|7\n[0] event0\n"},
	{"numbers by an index stay by lane", UNITE_SHAPES, "0: 3(s+1t1/2/3 l)\n1: 3(s+1t4/5/6)",
		"[0-1] for 3\n  [0-1] event0 1|2 (1 2 3)|(4 5 6)\n  [0] event1\n"},
	{"peers by an index agree if they do as seen from the process", UNITE_SHAPES,
		"0: 3(B=0 s+1/2/4t1b8 l)\n1: 3(s+1/2/4t1b8)",
		"[0-1] for 3\n  [0] event0 0\n  [0-1] event1 (1 2 4)|(2 3 5) 1 8\n  [0] event2\n"},
	{"bodies that have tags alone in common stay apart by tags", UNITE_TAGS,
		"0: 3(s+1t1 s+2t1) l\n5: 3(s-1t1 s-2t1)",
		"[0] for 3\n  [0] event0 1 1\n  [0] event0 2 1\n[0] event1\n[5] for 3\n  [5] event0 4 1\n  [5] event0 3 "
		"1\n"},
	{"of one class peers tell nothing", UNITE_PEERS, "0-1: s+1t1", NULL},
	{"messages to other peers are two", UNITE_PEERS, "0: s+1t1 s+2t1 l\n3: s+2t1",
		"[0] event0 1 1\n[0,3] event0 2|5 1\n[0] event1\n"},
	{"... inside of loops, too", UNITE_PEERS, "0: 3(s+1t1 B=0)\n3: 3(s+2t1 B=0)",
		"[0,3] for 3\n  [0] event0 1 1\n  [3] event0 5 1\n  [0,3] event1 0\n"},
	{"a loop of few messages is one with a loop of many, which has them all", UNITE_TAGS,
		"0: 3(s+1t1 s+1t2 s+1t3 s+1t4 s+1t5 s+1t6)\n1: 3(s+1t3)",
		"[0-1] for 3\n  [0] event0 1 1\n  [0] event0 1 2\n  [0-1] event0 1|2 3\n  [0] event0 1 4\n  [0] event0 1 5\n"
		"  [0] event0 1 6\n"},
	{"the k-th of a key is one", UNITE_KTH_TAG, "0: s+1t1 B=0 s+2t1\n1: s+3t1 B=0",
		"[0-1] event0 1|4 1\n[0-1] event1 0\n[0] event0 2 1\n"},
	{"what stands crosswise has no order", UNITE_KTH_TAG, "0: s+1t1 B=0\n1: B=0 s+1t1", NULL},
	{"a graph puts statements of several classes in the order of all", UNITE_KTH_TAG,
		"0: s+1t1 s+1t3\n1: s+1t1 s+1t2\n2: s+1t2 s+1t3",
		"[0-1] event0 1|2 1\n[1-2] event0 2|3 2\n[0,2] event0 1|3 3\n"},
	{"the peer is in the key", UNITE_KTH_PEER, "0: s+1t1 s+2t1\n1: s+2t1", "[0] event0 1 1\n[0-1] event0 2|3 1\n"},
	{"what is one by its rank is none by its move", UNITE_PEERS, "0: s=3t1 l\n1: s=3t1\n2: s=5t1",
		"[0-1] event0 3 1\n[0] event1\n[2] event0 5 1\n"},
	{"the rank is in the key", UNITE_KTH_RANK, "0: s=1t1 s=2t1\n1: s=0t1 s=2t1\n2: s=0t1 s=1t1",
		"[1-2] event0 0 1\n[0,2] event0 1 1\n[0-1] event0 2 1\n"},
	{"the root is, too", UNITE_KTH_TAG, "0: B=0 B=1\n1: B=1", "[0] event0 0\n[0-1] event0 1\n"},
	{"loops of the same traffic are one, bodies by their own graph", UNITE_KTH_TAG,
		"0: 2(s+1t1 s+1t2)\n1: 3(s+1t2 s+1t1 s+1t2)",
		"[0-1] for 2|3\n  [1] event0 2 2\n  [0-1] event0 1|2 1\n  [0-1] event0 1|2 2\n"},
	{"bodies whose order has a cycle are aligned", UNITE_KTH_TAG, "0: 2(s+1t1 B=0)\n1: 3(B=0 s+1t1)",
		"[0-1] for 2|3\n  [1] event1 0\n  [0-1] event0 1|2 1\n  [0] event1 0\n"},
};

/* Where tags 100+p and 200+p name who sends. */
static const struct row named[] = {
	{"tags that name a process are one", UNITE_TAGS, "0: s+1t100 l\n1: s+1t101 s-1t201\n2: s-1t202",
		"[0-1] event0 1|2 100|101\n[0] event1\n[1-2] event0 0|1 201|202\n"},
	{"... those of one structure, too", UNITE_TAGS, "0: s+1t100\n1: s+1t101\n2: s-1t202",
		"[0-1] event0 1|2 100|101\n[2] event0 1 202\n"},
};

/* On a grid of 4 by 2. */
static const struct row on_grid[] = {
	{"a peer is a move on the grid", UNITE_PEERS, "1: s+4t1 l\n5: s-4t1", "[1,5] event0 5|1 1\n[1] event1\n"},
	{"... round its axes", UNITE_PEERS, "1: s+1t1 l\n3: s-3t1", "[1,3] event0 2|0 1\n[1] event1\n"},
	{"... up and down, but half of the way round", UNITE_SHAPES, "1: s+1 B=0\n2: s-1 l B=0\n",
		"[2] event0 1\n[2] event2\n[1] event0 2\n[1-2] event1 0\n"},
	{"groups of other members that lie on the grid alike are one", UNITE_TAGS, "0: L=0b8 l\n5: L=4b64",
		"[0,5] event0 0|4 8|64\n[0] event1\n"},
};

static void try_row(const struct row *row, const struct grid *grid, const struct tag_names *names)
{
	struct classes *c = classes_of(row->classes, 16);
	c->builder->tags = names;
	struct tree_list united;
	struct text text = {0};
	text_put(&text, "");
	bool made = unite(c->builder, grid, c->list, c->length, row->way, &united);
	if (made)
		tree_print(c->builder, united, &text);
	bool good = made == !!row->united && (!made || (!strcmp(text.data, row->united) && keeps_law(c, united)));
	if (!good)
		printf("\n%s\n%s\n%s", row->why, row->classes, made ? text.data : "(nothing)\n");
	CU_ASSERT(good);
	text_clear(&text);
	classes_free(c);
}

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		try_row(&rows[i], &(struct grid){0}, NULL);
	for (size_t i = 0; i < COUNT(on_grid); i++)
		try_row(&on_grid[i], &(struct grid){.axes = 2, .size = {4, 2}}, NULL);
	struct grid_pair pair[] = {{0, 1, 100}, {1, 2, 101}, {2, 3, 102}, {1, 0, 201}, {2, 1, 202}, {3, 2, 203}};
	struct tag_names *names = tag_names_new(pair, COUNT(pair));
	for (size_t i = 0; i < COUNT(named); i++)
		try_row(&named[i], &(struct grid){0}, names);
	tag_names_free(names);
}

/* ------------------------------------------------------------------ the order of a list */

/* Lanes of a line of `classes` are those of one statement, here. */
static const struct {
	const char *why, *nodes, *ordered;
	bool priced;
} sequences[] = {
	{"a receive comes behind its send", "1-3: r-1t1\n0-2: s+1t1\n", "r s", false},
	{"... which another process sends", "1: r=0t1\n0: s=1t1\n", "s r", false},
	{"the k-th waits for the k-th", "1: r=0t1\n0: s=1t1\n1: r=0t1\n0: l\n0: s=1t1\n", "s r l s r", false},
	{"what nobody sends here waits for nothing", "1: r=0t2\n0: s=1t1\n", "r s", false},
	{"... nor what the same process sends later", "1: r=2t1\n1: s=2t1\n2: r=1t1\n2: s=1t1\n", "r s r s", false},
	{"members of a collective are one statement", "0: B=0\n0: l\n1-3: B=0\n", "B l", false},
	{"... the k-th with the k-th", "0: B=0\n0: l\n0: B=0\n1: B=0\n1: B=0\n", "B l B", false},
	{"... with what either has before and behind it", "0: B=0\n0: l\n1: l\n1: B=0\n0: L=0\n1: L=0\n", "l B l L",
		false},
	{"... but not two that come in another order", "0: B=0\n0: L=0\n1: L=0\n1: B=0\n", "L B L", false},
	{"... nor such that a receive had to come before its send", "0: B=0\n0: s=1t1\n1: r=0t1\n1: B=0\n", "B s r B",
		false},
	{"in loops, too", "1: 3(r=0t1)\n0: 3(s=1t1)\n", "3 3", false},
	{"messages of other lanes are not joined", "0: s=1t1\n1: s=2t1\n", "s s", false},
	{"... but for the sake of the price", "0: s=1t1\n1: s=2t1\n", "s", true},
	{"... over what other lanes do", "0: s=1t1\n1: l\n1: s=2t1\n", "l s", true},
	{"... not over what one does between them", "0: s=1t1\n0-1: l\n1: s=2t1\n", "s l s", true},
	{"... not if a lane has both", "0-1: s=1t1\n1: s=2t1\n", "s s", true},
	{"... with loops that other lanes do less often", "0: 3(s=5t1 l)\n1: 4(s=5t1 l)\n", "3", true},
	{"... not such as do something else", "0: 3(s=5t1 l)\n1: 4(s=5t1)\n", "3 3", true},
	{"... with a table that is there already", "0-1: 3(s=5t2 l)\n2: 3(s=9t2 l)\n0-1: s=5t1\n2: s=9t1\n", "3 s",
		true},
	{"... not with one that is not", "0-1: s=5t1\n2: s=9t1\n", "s s", true},
	{"... nor where two formulas are cheaper than a table", "0-5: s=7t1\n6: s=2t1\n7: s=3t1\n", "s s", true},
};

static void initials(const struct tree_builder *b, struct tree_list list, struct text *out)
{
	static const char kind[] = {[EVENT_SEND] = 's', [EVENT_RECV] = 'r', [EVENT_SYNC] = 'B', [EVENT_LOCAL] = 'l'};
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		char c = '3';
		if (n->kind == TREE_EVENT)
			c = tree_shape(b, n)->grouped ? 'L' : kind[tree_shape(b, n)->kind];
		text_format(out, "%s%c", i ? " " : "", c);
	}
}

static void test_sequence(void)
{
	for (size_t i = 0; i < COUNT(sequences); i++) {
		struct classes *c = classes_of(sequences[i].nodes, 8);
		struct tree_node *node[16];
		size_t length = 0;
		struct text have = {0};
		for (size_t k = 0; k < c->length; k++)
			node[length++] = c->list[k].node[0];
		struct store *store = store_new(8, &(struct grid){0});
		struct fit *fit = fit_new(store, 8, &(struct grid){0});
		struct pricing *pricing = pricing_new(c->builder, fit);
		struct tree_list before = tree_list_of(c->builder, node, length), after = sequence(c->builder, before);
		if (sequences[i].priced)
			after = sequence_joined(c->builder, pricing, after);
		initials(c->builder, after, &have);
		bool good = !strcmp(have.data, sequences[i].ordered);
		for (uint32_t lane = 0; lane < 8 && good; lane++) {
			struct text one = {0}, two = {0};
			text_put(&one, "");
			text_put(&two, "");
			project(c->builder, before, lane, &one);
			project(c->builder, after, lane, &two);
			good = !strcmp(one.data, two.data);
			text_clear(&one);
			text_clear(&two);
		}
		if (!good)
			printf("\n%s: %s\n", sequences[i].why, have.data);
		CU_ASSERT(good);
		text_clear(&have);
		pricing_free(pricing);
		fit_free(fit);
		store_free(store);
		classes_free(c);
	}
}

/* ------------------------------------------------------------------ random classes */

#define DEPTH 3
#define LANES 200

struct random_classes {
	unsigned base, own; /* seeds: what all classes do; what one does else */
	unsigned tags, offsets; /* how many different ones */
	unsigned unlike; /* of 100: how often a class does something else */
};

static unsigned below(unsigned *seed, unsigned limit)
{
	return (unsigned)rand_r(seed) % limit;
}

static void add_token(const struct random_classes *r, unsigned *seed, unsigned depth, struct text *out)
{
	unsigned kind = below(seed, 10), tag = below(seed, r->tags), offset = 1 + below(seed, r->offsets),
		 up = below(seed, 2), index = below(seed, 4), bytes = 8 << below(seed, 2), size = below(seed, 2);
	if (kind < 7) {
		text_format(out, "%c%c%ut%u", kind < 4 ? 's' : 'r', up ? '+' : '-', offset, tag);
		if (depth && index == 0)
			text_format(out, "/%u/%u", tag + 1, tag + 2);
		if (size)
			text_format(out, "b%u", bytes);
	} else if (kind == 7) {
		text_format(out, "B=%u", offset);
	} else {
		text_format(out, kind == 8 ? "c%u=%u" : "l", tag % PROCEDURES, offset);
	}
	text_put(out, " ");
}

/* The base stream is drawn from alike for all classes. */
static void add_list(struct random_classes *r, unsigned length, unsigned depth, struct text *out)
{
	for (unsigned i = 0; i < length; i++) {
		bool loop = depth < DEPTH && below(&r->base, 6) == 0, guard = below(&r->base, 3) == 0;
		unsigned inside = 1 + below(&r->base, 5), count = 2 + below(&r->base, 3);
		bool skip = below(&r->own, 100) < r->unlike;
		if (below(&r->own, 100) < r->unlike)
			add_token(r, &r->own, depth, out);
		struct text sink = {0}, *to = skip ? &sink : out;
		if (loop) {
			/* At least one statement in it. */
			text_format(to, guard ? "?%u(l " : "%u(l ", guard ? 1 : count + below(&r->own, 2));
			add_list(r, inside, depth + 1, to);
			text_put(to, ") ");
		} else {
			add_token(r, &r->base, depth, to);
		}
		text_clear(&sink);
	}
}

static void add_class(struct random_classes *r, unsigned first, unsigned last, unsigned length, struct text *out)
{
	text_format(out, "%u-%u: l ", first, last);
	add_list(r, length, 0, out);
	text_put(out, "\n");
}

static void test_random_classes(void)
{
	unsigned made_by[UNITE_WAYS] = {0};
	for (unsigned seed = 1; seed <= rounds(300); seed++) {
		struct text text = {0};
		unsigned own = seed * 7919, classes = 1 + below(&own, seed % 10 == 0 ? 150 : 8), lane = 0,
			 length = 1 + below(&own, 15);
		struct random_classes r = {
			.own = own, .tags = 1 + seed % 4, .offsets = 1 + seed % 3, .unlike = seed % 5 * (seed % 5) * 5};
		for (unsigned i = 0; i < classes; i++) {
			unsigned lanes = classes > 20 ? 1 : 1 + below(&r.own, 4);
			r.base = seed;
			add_class(&r, lane, lane + lanes - 1, length, &text);
			lane += lanes;
		}
		for (int way = 0; way < UNITE_WAYS; way++) {
			struct classes *c = classes_of(text.data, LANES);
			struct tree_list united, again;
			if (unite(c->builder, &(struct grid){0}, c->list, c->length, (enum unite_way)way, &united)) {
				struct text one = {0}, two = {0};
				made_by[way]++;
				struct store *store = store_new(LANES, &(struct grid){0});
				struct fit *fit = fit_new(store, LANES, &(struct grid){0});
				struct pricing *pricing =
					way == (int)(seed % UNITE_WAYS) ? pricing_new(c->builder, fit) : NULL;
				struct tree_list list = sequence(c->builder, united);
				if (pricing)
					list = sequence_joined(c->builder, pricing, list);
				bool good = keeps_law(c, united) && keeps_law(c, list);
				pricing_free(pricing);
				fit_free(fit);
				store_free(store);
				CU_ASSERT(unite(c->builder, &(struct grid){0}, c->list, c->length, (enum unite_way)way,
					&again));
				tree_print(c->builder, united, &one);
				tree_print(c->builder, again, &two);
				good = good && !strcmp(one.data, two.data);
				if (!good)
					printf("\nseed %u, way %d:\n%s", seed, way, text.data);
				CU_ASSERT_FATAL(good);
				text_clear(&one);
				text_clear(&two);
			}
			classes_free(c);
		}
		text_clear(&text);
	}
	for (int way = 0; way < UNITE_WAYS && !watched(); way++)
		CU_ASSERT(made_by[way] > 0); /* in all rounds, not in a tenth of them */
}

/* ------------------------------------------------------------------ growth */

/* Lists of one process each. */
static struct classes *generated(unsigned classes, unsigned length, unsigned tags, unsigned unlike)
{
	struct text text = {0};
	struct random_classes r = {.own = 1, .tags = tags, .offsets = 2, .unlike = unlike};
	for (unsigned i = 0; i < classes; i++) {
		r.base = 1;
		text_format(&text, "%u: ", i);
		for (unsigned k = 0; k < length; k++) {
			bool other = below(&r.own, 100) < unlike;
			unsigned base = r.base;
			if (other && below(&r.own, 2))
				add_token(&r, &r.own, 0, &text);
			struct text skipped = {0};
			add_token(&r, &base, 0, other ? &skipped : &text);
			r.base = base;
			text_clear(&skipped);
		}
		text_put(&text, "\n");
	}
	struct classes *c = classes_of(text.data, classes);
	text_clear(&text);
	return c;
}

static const struct {
	const char *why;
	unsigned classes, length, tags, unlike; /* unlike: of 100 statements */
	unsigned compared; /* for each statement, at most */
	unsigned size; /* statements of the united tree, at most */
} growth_rows[] = {
	{"classes that have one statement of 20 of their own", 500, 20, 50, 5, 40, 500},
	{"four times as many", 2000, 20, 50, 5, 40, 1000},
	{"two long lists that are alike", 2, 4000, 50, 1, 20, 4200},
	{"2,000 classes that have nothing in common", 2000, 20, 100000, 100, 1000, 40000},
	{"two long lists that have nothing in common: most is too long for a table", 2, 4000, 100000, 100, 65, 8000},
	{"two long lists of few keys (noise): as far as a table goes", 2, 4000, 3, 100, 65, 8000},
};

static void test_growth(void)
{
	for (size_t i = 0; i < COUNT(growth_rows) && !watched(); i++) {
		struct classes *c = generated(
			growth_rows[i].classes, growth_rows[i].length, growth_rows[i].tags, growth_rows[i].unlike);
		for (int way = 0; way < UNITE_WAYS; way++) {
			struct tree_list united;
			uint64_t compared, statements = (uint64_t)growth_rows[i].classes * growth_rows[i].length;
			if (!unite_counted(c->builder, &(struct grid){0}, c->list, c->length, (enum unite_way)way,
				    &united, &compared))
				continue;
			size_t size = tree_size(united);
			bool good = compared <= statements * growth_rows[i].compared && size <= growth_rows[i].size;
			if (!good)
				printf("\n%s: way %d: %.1f compared per statement, %zu statements\n",
					growth_rows[i].why, way, (double)compared / (double)statements, size);
			CU_ASSERT(good);
			for (size_t class = 0; class < c->length; class += 1 + c->length / 20)
				CU_ASSERT(same_for_lane(c, class, united, (uint32_t) class));
		}
		classes_free(c);
	}
}

void suite_unite(CU_pSuite suite)
{
	CU_add_test(suite, "what becomes one", test_rows);
	CU_add_test(suite, "each lane finds its own list", test_random_classes);
	CU_add_test(suite, "what can happen first comes first", test_sequence);
	CU_add_test(suite, "growth", test_growth);
}
