/*
 * test_elastic.c -- trees of loops as one: what they have in common stands once.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fold/elastic_join.h"
#include "tests/rows.h"
#include "tests/unit.h"

/* "a(bc)3S1": an event, a loop of 3 iterations (2, if it is not said), a collective of group 1. */
static struct elastic_list tree_of(struct intern *keys, const char **at)
{
	struct elastic_list list = {0};
	while (**at && **at != ' ' && **at != ')') {
		bool loop = *(*at)++ == '(', collective = isupper((unsigned char)(*at)[-1]);
		uint32_t letter = (uint32_t)(*at)[-1];
		struct elastic_list body = {0};
		if (loop) {
			body = tree_of(keys, at);
			++*at;
		}
		uint32_t number = isdigit((unsigned char)**at) ? (uint32_t)(*(*at)++ - '0') : 2;
		if (loop) {
			struct elastic_node *n = elastic_loop(keys, ELASTIC_LOOP, &body);
			n->slot[SLOT_COUNT].lanes = 1;
			numbers_add(&n->slot[SLOT_COUNT], number);
			elastic_add(&list, n);
		} else {
			uint32_t shape = collective ? letter * 10 + number : letter;
			struct elastic_node *n = elastic_event(elastic_event_key(keys, shape), shape, 1, false);
			n->collective = collective ? letter : 0;
			elastic_add(&list, n);
		}
	}
	return list;
}

/* "(b01 c0)01": in the trees 0 and 1, with an event of both and one of the first. */
static void put_joined(const struct joined_list *all, struct text *out)
{
	for (size_t i = 0; i < all->length; i++) {
		const struct joined *place = &all->place[i];
		text_put(out, i ? " " : "");
		if (place->kind == ELASTIC_EVENT) {
			text_char(out, (char)(place->shape < 256 ? place->shape : place->shape / 10));
		} else {
			text_char(out, '(');
			put_joined(&place->body, out);
			text_char(out, ')');
		}
		for (size_t k = 0; k < place->members; k++)
			text_format(out, "%u", place->member[k].tree);
	}
}

static const struct {
	const char *why;
	enum joined_how how;
	const char *trees, *joined;
} cases[] = {
	{"the same", JOINED_ALIKE, "abc abc", "a01 b01 c01"},
	{"what one lacks", JOINED_ALIKE, "abc ac bc", "a01 b02 c012"},
	{"another order", JOINED_ALIKE, "ab ba", "a0 b01 a1"},
	{"nothing in common", JOINED_ALIKE, "ab cd", "a0 b0 c1 d1"},
	{"loops over the same", JOINED_ALIKE, "(ab) (ab)", "(a01 b01)01"},
	{"whatever their counts", JOINED_ALIKE, "(ab)3 (ab)4", "(a01 b01)01"},
	{"most in common", JOINED_ALIKE, "(abcd) (abce)", "(a01 b01 c01 d0 e1)01"},
	{"half of it is not most", JOINED_ALIKE, "(abc) (abd)", "(a0 b0 c0)0 (a1 b1 d1)1"},
	{"with what others have there as well", JOINED_ALIKE, "(abcd) (abce) (abde)", "(a012 b012 c01 d02 e12)012"},
	{"the loop that has more of it", JOINED_ALIKE, "(abc)(abcd) (abcd)", "(a0 b0 c0)0 (a01 b01 c01 d01)01"},
	{"a loop is no event", JOINED_ALIKE, "(a) a", "(a0)0 a1"},
	{"inside of loops in the same way", JOINED_ALIKE, "(a(bc)) (a(bc)d)", "(a01 (b01 c01)01 d1)01"},
	{"the same collective tells", JOINED_ALIKE, "(aS) (bS)", "(a0 b1 S01)01"},
	{"also of other groups", JOINED_ALIKE, "(aS1) (aS2)", "(a01 S0 S1)01"},
	{"rather of the same", JOINED_ALIKE, "(aS1)(aS2) (aS2)", "(a0 S0)0 (a01 S01)01"},
	{"another one does not", JOINED_ALIKE, "(abcS) (abcT)", "(a0 b0 c0 S0)0 (a1 b1 c1 T1)1"},
	{"equal but for numbers", JOINED_EQUAL, "(ab)3 (ab)4", "(a01 b01)01"},
	{"not equal", JOINED_EQUAL, "(abcd) (abce)", "(a0 b0 c0 d0)0 (a1 b1 c1 e1)1"},
	{"but for collectives", JOINED_EQUAL, "(abS) (acS)", "(a01 b0 c1 S01)01"},
	{"what stands in one loop somewhere", JOINED_LOOSELY, "(ab) (a) (b)", "(a01 b02)012"},
	{"... or with a third", JOINED_LOOSELY, "(a) (c) (ab) (bc)", "(a02 c1 b23 c3)0123"},
	{"as often alone", JOINED_LOOSELY, "(ab)3 (a)4", "(a0 b0)0 (a1)1"},
	{"nowhere in one", JOINED_LOOSELY, "(a) (b)", "(a0)0 (b1)1"},
};

#define TREES 4

static void joins(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct intern *keys = intern_new();
		struct elastic_list tree[TREES];
		struct joined_own own[TREES];
		struct joined_list all;
		struct text text = {0};
		size_t count = 0;
		for (const char *at = cases[i].trees; *at; at += *at == ' ') {
			tree[count] = tree_of(keys, &at);
			own[count] = (struct joined_own){(uint32_t)count, &tree[count]};
			count++;
		}
		ROW(cases[i].why, joined_make(own, count, cases[i].how, &all));
		put_joined(&all, &text);
		row_same(cases[i].why, text.data, cases[i].joined);
		text_clear(&text);
		joined_clear(&all);
		for (size_t k = 0; k < count; k++)
			elastic_clear(&tree[k]);
		intern_free(keys);
	}
}

void suite_elastic(CU_pSuite suite)
{
	CU_add_test(suite, "trees as one", joins);
}
