/*
 * test_flat.c -- events of several lanes as one list: what becomes one, in which order, and that
 * each lane finds its own events in it.
 *
 * What a lane does is a word for each event: s+1t7 sends to the next one with tag 7, r=0t7
 * receives from process 0, B is a collective of all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "merge/flat.h"
#include "model/event_kinds.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define LANES 6

struct lanes {
	struct tree_builder *builder;
	struct records *records;
};

/* Of one event; at: the word, of which the end is the result. */
static const char *push_event(struct lanes *l, uint32_t lane, const char *at)
{
	struct tree_shape shape;
	struct record r;
	char *end;
	memset(&shape, 0, sizeof shape);
	memset(&r, 0, sizeof r);
	shape.kind = *at == 's' ? EVENT_SEND : *at == 'r' ? EVENT_RECV : EVENT_SYNC;
	shape.word = *at == 'B';
	if (*at++ != 'B') {
		bool relative = *at != '=';
		long peer = strtol(at + !relative, &end, 10);
		r.number[0] = relative ? ((long)lane + peer + LANES) % LANES : peer;
		r.number[1] = strtol(end + 1, &end, 10);
		shape.slots = 1 << SLOT_IS_PEER | 1 << SLOT_IS_TAG;
		shape.numbered = true;
		at = end;
	}
	r.shape = intern_id(l->builder->shapes, &shape, sizeof shape);
	records_push(l->records, lane, records_id(l->records, &r));
	return at;
}

/* "WORDS" of lane 0 | of lane 1 | ...; N(WORDS): so many times. */
static const char *push_words(struct lanes *l, uint32_t lane, const char *at)
{
	while (*at && *at != '|' && *at != ')') {
		if (*at == ' ') {
			at++;
		} else if (strchr("0123456789", *at)) {
			char *inside;
			const char *behind = at;
			for (long n = strtol(at, &inside, 10); n > 0; n--)
				behind = push_words(l, lane, inside + 1);
			at = behind + 1;
		} else {
			at = push_event(l, lane, at);
		}
	}
	return at;
}

static bool find_their_own(const struct lanes *l, struct tree_list list)
{
	bool good = true;
	for (uint32_t lane = 0; lane < LANES && good; lane++) {
		size_t length, at = 0;
		const uint32_t *record = records_of(l->records, lane, &length);
		for (size_t i = 0; i < list.length && good; i++) {
			const struct tree_node *n = list.node[i];
			struct lane_set set = tree_lanes(l->builder, n->lanes);
			if (!lane_set_has(set, lane))
				continue;
			const struct record *r = at < length ? records_get(l->records, record[at++]) : NULL;
			good = r && r->shape == n->shape;
			for (uint32_t k = 0; k < n->slots && good; k++)
				good = indexed_get(l->builder->store, n->slot[k][lane_index(set, lane)]) ==
				       r->number[k];
		}
		good = good && at == length;
	}
	return good;
}

/* Lanes, kind and tag of each in its place. */
static void print_list(const struct lanes *l, struct tree_list list, struct text *to)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		const struct tree_shape *s = tree_shape(l->builder, n);
		struct lane_set set = tree_lanes(l->builder, n->lanes);
		text_put(to, i ? " " : "");
		for (size_t k = 0; k < set.length && set.length < LANES; k++)
			text_number(to, set.lane[k]);
		text_put(to, set.length == LANES ? "*" : "");
		text_char(to, s->kind == EVENT_SEND ? 's' : s->kind == EVENT_RECV ? 'r' : 'B');
		if (n->slots)
			text_integer(to, indexed_get(l->builder->store, n->slot[1][0]));
	}
}

static void lanes_begin(struct lanes *l)
{
	static const uint32_t process[LANES] = {0, 1, 2, 3, 4, 5};
	l->builder = tree_builder_new(LANES, process);
	l->records = records_new(LANES);
	records_keep_all(l->records);
}

static void lanes_end(struct lanes *l)
{
	records_free(l->records);
	tree_builder_free(l->builder);
}

static void rows(void)
{
	static const struct {
		const char *why, *lanes, *list;
	} cases[] = {
		{"a ring", "s+1t1 r-1t1|s+1t1 r-1t1|s+1t1 r-1t1|s+1t1 r-1t1|s+1t1 r-1t1|s+1t1 r-1t1", "*s1 *r1"},
		{"who has no neighbour leaves it out",
			"s+1t1 r+1t2|s+1t1 s-1t2 r-1t1 r+1t2|s+1t1 s-1t2 r-1t1 r+1t2|s+1t1 s-1t2 "
			"r-1t1 r+1t2|s+1t1 s-1t2 r-1t1 r+1t2|s-1t2 r-1t1",
			"01234s1 12345s2 12345r1 01234r2"},
		{"tags that name who sends",
			"s+1t10 r-1t15|s+1t11 r-1t10|s+1t12 r-1t11|s+1t13 r-1t12|s+1t14 r-1t13|s+1t15 r-1t14",
			"*s10 *r15"},
		{"workers do not run ahead of the one who gathers",
			"2(r=1t1 r=2t1 r=3t1 r=4t1 r=5t1)|2(s=0t1)|2(s=0t1)|2(s=0t1)|2(s=0t1)|2(s=0t1)",
			"12345s1 0r1 0r1 12345s1 0r1 0r1 0r1 0r1 0r1 0r1 0r1 0r1"},
		{"pairs take turns, though none does what the others do",
			"2(s+1t1 r+1t1)|2(r-1t1 s-1t1)|2(s+1t1 r+1t1)|2(r-1t1 s-1t1)|2(s+1t1 r+1t1)|2(r-1t1 s-1t1)",
			"024s1 135r1 135s1 024r1 024s1 135r1 135s1 024r1"},
		{"the k-th collective is that of everybody", "B s+1t1 B|B r-1t1 B|B B|B B|B B|B B", "*B 0s1 1r1 *B"},
		{"nothing waits for ever", "r+1t1 B|r-1t1 B|B|B|B|B", "0r1 1r1 *B"},
		{"nobody does anything", "|||||", ""},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct lanes l;
		struct tree_list list = {0};
		struct text text = {0};
		const char *at = cases[i].lanes;
		lanes_begin(&l);
		for (uint32_t lane = 0; lane < LANES; lane++, at += *at == '|')
			at = push_words(&l, lane, at);
		ROW(cases[i].why, flat_list(l.builder, LANES, &(struct grid){0}, l.records, 100, &list));
		ROW(cases[i].why, find_their_own(&l, list));
		print_list(&l, list, &text);
		row_same(cases[i].why, text.data ? text.data : "", cases[i].list);
		text_clear(&text);
		lanes_end(&l);
	}
}

static void random_lanes(void)
{
	for (unsigned seed = 0; seed < rounds(300); seed++) {
		struct lanes l;
		struct tree_list list;
		srand(seed);
		lanes_begin(&l);
		for (uint32_t lane = 0; lane < LANES; lane++)
			for (int i = rand() % 30; i > 0; i--) {
				char word[32];
				snprintf(word, sizeof word, rand() % 4 ? "%c%c%dt%d" : "B", rand() % 2 ? 's' : 'r',
					rand() % 2 ? '+' : '=', rand() % LANES, rand() % 3);
				push_event(&l, lane, word);
			}
		CU_ASSERT_TRUE(flat_list(l.builder, LANES, &(struct grid){0}, l.records, 100, &list));
		CU_ASSERT_TRUE(find_their_own(&l, list));
		CU_ASSERT_FALSE(list.length > 3 && flat_list(l.builder, LANES, &(struct grid){0}, l.records, 0, &list));
		lanes_end(&l);
	}
}

void suite_flat(CU_pSuite suite)
{
	CU_add_test(suite, "what is one, and in which order", rows);
	CU_add_test(suite, "random lanes", random_lanes);
}
