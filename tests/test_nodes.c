/*
 * test_nodes.c -- interned nodes: equal ones are one id, also after a release and in another store; sums
 * come to what plain arithmetic does, whatever the order in which they are made.
 */
#include <stdlib.h>
#include <string.h>

#include "model/number.h"
#include "tests/unit.h"

static const struct grid no_grid;

static node_id event(struct store *s, node_id who, node_id peer, node_id tag)
{
	node_id kid[COLUMNS] = {[COLUMN_WHO] = who, [COLUMN_PEER] = peer, [COLUMN_TAG] = tag};
	return node_make(s, NODE_EVENT, EVENT_SEND, store_word(s, "tag", 3), 0, COLUMNS, kid);
}

static node_id loop(struct store *s, int64_t last, node_id body)
{
	body = node_make(s, NODE_SEQUENCE, 0, 0, 0, 1, &body);
	return node_make(s, NODE_LOOP, 0, 0, 0, 3, (node_id[]){NODE_NONE, number_constant(s, last), body});
}

/* p + 1 sends, in loops of 2 to k iterations */
static node_id some_program(struct store *s, int64_t loops)
{
	node_id all = node_make(s, NODE_ALL, 0, 0, 0, 0, NULL);
	node_id next = number_add(s, number_variable(s, VARIABLE_P), number_constant(s, 1), 1);
	node_id tag = number_add(s, number_constant(s, 5), number_variable(s, VARIABLE_INDEX), 2);
	node_id body = event(s, all, next, tag);
	for (int64_t last = 1; last <= loops; last++)
		body = loop(s, last, body);
	return body;
}

static void equal_nodes(void)
{
	struct store *s = store_new(8, &no_grid);
	node_id a = some_program(s, 3), b = some_program(s, 3), c = some_program(s, 4);
	CU_ASSERT_EQUAL(a, b);
	CU_ASSERT_NOT_EQUAL(a, c);
	CU_ASSERT_EQUAL(node_kid(s, node_kid(s, c, 2), 0), a); /* what is inside is shared */
	CU_ASSERT_EQUAL(node_of(s, c)->cost, 5 * COST_UNIT + 2); /* a further term, 5+2*i0 */
	CU_ASSERT_EQUAL(node_of(s, c)->depth, 4);
	CU_ASSERT_EQUAL(node_of(s, c)->lines, 5);
	CU_ASSERT_EQUAL(node_of(s, a)->uses[FOR_CHANNEL], USES_PROCESS); /* its index stays inside */
	store_free(s);
}

static void releases(void)
{
	struct store *s = store_new(8, &no_grid);
	node_id before = some_program(s, 3);
	struct store_mark mark = store_mark(s);
	size_t nodes, held, bytes, then;
	store_sizes(s, &nodes, &bytes);
	for (int64_t k = 4; k < 2000; k += 7) { /* over chunks and tables that grow */
		node_id kept[2] = {some_program(s, k % 50 + 3), some_program(s, 2)};
		node_id expected_loops = node_of(s, kept[0])->loops;
		for (int64_t extra = 0; extra < 40; extra++)
			number_constant(s, k * 1000 + extra);
		store_release(s, mark, kept, 2);
		CU_ASSERT_EQUAL(node_of(s, kept[0])->loops, expected_loops);
		CU_ASSERT_EQUAL(kept[0], some_program(s, k % 50 + 3));
		CU_ASSERT_EQUAL(kept[1], some_program(s, 2));
		store_release(s, mark, NULL, 0);
		store_sizes(s, &held, &then);
		CU_ASSERT_EQUAL(held, nodes);
	}
	CU_ASSERT_EQUAL(before, some_program(s, 3));
	store_free(s);
}

static unsigned below(unsigned *r, unsigned n)
{
	*r = *r * 1664525u + 1013904223u;
	return (*r >> 8) % n;
}

/* A random sum as a node, and what it comes to at some indices. */
static node_id random_sum(struct store *s, unsigned *r, int depth, const int64_t *index, int64_t *value)
{
	node_id sum = number_constant(s, *value = (int64_t)below(r, 20) - 10);
	for (int terms = (int)below(r, 4); terms; terms--) {
		int64_t times = (int64_t)below(r, 7) - 3, inner, k = (int64_t)below(r, 3), modulus = 1 + k * 3;
		node_id factor = number_variable(s, VARIABLE_INDEX + k);
		int64_t v = index[2 - k];
		if (depth && below(r, 2)) {
			factor = number_remainder(
				s, random_sum(s, r, depth - 1, index, &inner), number_constant(s, modulus));
			v = ((inner % modulus) + modulus) % modulus;
		} else if (depth && !below(r, 3)) {
			factor = number_multiply(s, random_sum(s, r, depth - 1, index, &inner), factor);
			v *= inner;
		}
		sum = below(r, 2) ? number_add(s, sum, factor, times)
				  : number_add(s, number_multiply(s, factor, number_constant(s, times)), sum, 1);
		*value += times * v;
	}
	return sum;
}

static void random_sums(void)
{
	unsigned r = 7;
	struct store *s = store_new(8, &no_grid);
	for (int i = 0; i < (int)rounds(20000); i++) {
		int64_t index[3] = {(int64_t)below(&r, 5), (int64_t)below(&r, 5), (int64_t)below(&r, 5)}, expected;
		struct environment e = {.store = s, .processes = 8, .index = index};
		environment_set(&e, 3);
		e.depth = 3;
		node_id sum = random_sum(s, &r, 2, index, &expected);
		CU_ASSERT_FATAL(sum && number_at(&e, sum) == expected && !e.failure);
		e.open = below(&r, 8);
		node_id rest = number_partial(&e, sum);
		CU_ASSERT_FATAL(rest && number_at(&e, rest) == expected && !e.failure);
		for (uint32_t d = 0; d < 3; d++)
			CU_ASSERT_FATAL(e.open >> d & 1 || !(node_of(s, rest)->uses[FOR_ALL] & USES_INDEX(2 - d)));
	}
	store_free(s);
}

static void too_much(void)
{
	struct store *s = store_new(8, &no_grid);
	node_id most = number_constant(s, INT64_MAX), p = number_variable(s, VARIABLE_P), sum = number_constant(s, 0);
	struct environment e = {.store = s, .processes = 8};
	environment_set(&e, 2);
	CU_ASSERT_EQUAL(number_add(s, most, number_constant(s, 1), 1), NODE_NONE);
	CU_ASSERT_EQUAL(number_multiply(s, most, number_constant(s, 2)), NODE_NONE);
	CU_ASSERT_EQUAL(number_power(s, number_constant(s, 10), number_constant(s, 19)), NODE_NONE);
	CU_ASSERT_EQUAL(number_power(s, number_constant(s, 1), most), number_constant(s, 1));
	CU_ASSERT_EQUAL(
		number_remainder(s, p, number_power(s, number_constant(s, 10), number_constant(s, 19))), NODE_NONE);
	number_at(&e, number_multiply(s, number_multiply(s, p, most), p));
	CU_ASSERT_EQUAL(e.failure, FAILURE_OVERFLOW);
	for (uint32_t k = 0; k < NUMBER_TERMS + 1; k++)
		sum = number_add(s, sum, number_variable(s, VARIABLE_INDEX + k), 1);
	CU_ASSERT_EQUAL(sum, NODE_NONE);
	store_free(s);
}

void suite_nodes(CU_pSuite suite)
{
	CU_add_test(suite, "equal nodes are one, and shared", equal_nodes);
	CU_add_test(suite, "a release keeps what is asked, and nothing else", releases);
	CU_add_test(suite, "random sums come to what plain arithmetic does", random_sums);
	CU_add_test(suite, "what 64 bits do not hold is no number", too_much);
}
