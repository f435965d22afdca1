/*
 * test_nest.c -- loops as interned nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/nest.h"
#include "tests/models.h"
#include "tests/unit.h"

static void test_equal_loops_are_one(void)
{
	struct nest *n = nest_new();
	node ab[] = {1, 2}, ba[] = {2, 1};
	node loop = nest_loop(n, 3, ab, 2);
	CU_ASSERT(node_is_loop(loop));
	CU_ASSERT_EQUAL(nest_loop(n, 3, ab, 2), loop);
	CU_ASSERT_NOT_EQUAL(nest_loop(n, 4, ab, 2), loop);
	CU_ASSERT_NOT_EQUAL(nest_loop(n, 3, ba, 2), loop);
	CU_ASSERT_NOT_EQUAL(nest_loop(n, 3, ab, 1), loop);
	CU_ASSERT_NOT_EQUAL(nest_loop(n, 3, NULL, 0), loop);
	CU_ASSERT_EQUAL(nest_loop(n, 3, NULL, 0), nest_loop(n, 3, NULL, 0));
	CU_ASSERT_EQUAL(n->loops, 5);
	nest_free(n);
}

/* The body of one loop, inside the array that grows, becomes another's. */
static void test_body_of_a_body(void)
{
	struct nest *n = nest_new();
	node first[] = {1, 2, 3};
	node loop = nest_loop(n, 1, first, 3);
	for (uint64_t count = 2; count < 1000; count++) {
		struct body body = nest_body(n, loop);
		node other = nest_loop(n, count, body.node, body.length);
		CU_ASSERT(!memcmp(nest_body(n, other).node, first, sizeof first));
	}
	for (uint64_t count = 1; count < 1000; count++)
		CU_ASSERT_EQUAL(nest_loop(n, count, first, 3), NEST_LOOP | (node)(count - 1));
	nest_free(n);
}

static void count_symbol(void *times, uint32_t symbol)
{
	((uint64_t *)times)[symbol]++;
}

static void test_sizes(void)
{
	struct nest *n = nest_new();
	node inner_body[] = {1, 2};
	node inner = nest_loop(n, 10, inner_body, 2);
	node outer_body[] = {inner, 7, inner};
	node outer = nest_loop(n, 5, outer_body, 3);
	CU_ASSERT_EQUAL(nest_events(n, inner), 20);
	CU_ASSERT_EQUAL(nest_events(n, outer), 205);
	CU_ASSERT_EQUAL(nest_events(n, 7), 1);
	CU_ASSERT_EQUAL(nest_get(n, inner)->depth, 1);
	CU_ASSERT_EQUAL(nest_get(n, outer)->depth, 2);
	CU_ASSERT_EQUAL(nest_constructs(n, &outer, 1), 8);
	nest_append(n, outer);
	nest_append(n, 3);
	CU_ASSERT_EQUAL(nest_total(n), 206);
	CU_ASSERT_EQUAL(nest_constructs(n, n->root, n->root_length), 9);
	uint64_t times[10] = {0}, run[10] = {0};
	bool there[10] = {false};
	nest_times(n, times);
	nest_run(n, count_symbol, run);
	nest_mark(n, there);
	CU_ASSERT(times[1] == 100 && times[2] == 100 && times[7] == 5 && times[3] == 1);
	for (uint32_t symbol = 0; symbol < COUNT(times); symbol++)
		CU_ASSERT(run[symbol] == times[symbol] && there[symbol] == (times[symbol] > 0));
	nest_free(n);
}

/* Loops that hold the loop below twice: 2^depth constructs, all in a few integers; sizes stop at
   the largest number. */
static void test_sharing_and_saturation(void)
{
	struct nest *n = nest_new();
	node loop = 1;
	for (unsigned depth = 0; depth < NEST_DEPTH_LIMIT; depth++) {
		node twice[] = {loop, loop};
		loop = nest_loop(n, 1, twice, 2);
		if (depth == 9)
			CU_ASSERT_EQUAL(nest_events(n, loop), 1024);
	}
	CU_ASSERT_EQUAL(n->loops, NEST_DEPTH_LIMIT);
	CU_ASSERT_EQUAL(nest_events(n, loop), UINT64_MAX);
	CU_ASSERT_EQUAL(nest_constructs(n, &loop, 1), UINT64_MAX);
	nest_append(n, loop);
	nest_append(n, loop);
	CU_ASSERT_EQUAL(nest_total(n), UINT64_MAX);

	node none = nest_loop(n, 0, &loop, 1 - 1);
	CU_ASSERT_EQUAL(nest_events(n, none), 0);
	node huge_body[] = {1, 2, 3};
	CU_ASSERT_EQUAL(nest_events(n, nest_loop(n, UINT64_MAX / 2, huge_body, 3)), UINT64_MAX);
	nest_free(n);
}

static void test_import_renames(void)
{
	struct nest *from = nest_new(), *to = nest_new();
	node inner_body[] = {0, 1};
	node inner = nest_loop(from, 4, inner_body, 2);
	node outer_body[] = {inner, 2, inner};
	node outer = nest_loop(from, 2, outer_body, 3);
	uint32_t map[] = {10, 11, 12};
	node renamed[] = {10, 11};
	node there = nest_loop(to, 4, renamed, 2);

	node root[] = {outer, 1, outer};
	memcpy(nest_extend(from, COUNT(root)), root, sizeof root);
	nest_append_all(to, from, map);
	CU_ASSERT_EQUAL(to->loops, 2);
	CU_ASSERT_EQUAL(nest_body(to, to->root[0]).node[0], there);
	CU_ASSERT_EQUAL(nest_body(to, to->root[0]).node[1], 12);
	CU_ASSERT_EQUAL(to->root[1], 11);
	CU_ASSERT_EQUAL(to->root[2], to->root[0]);
	nest_append_all(to, from, NULL);
	CU_ASSERT_EQUAL(to->root[4], 1);
	nest_free(from);
	nest_free(to);
}

/* Two names for one symbol make two loops one. */
static void test_import_joins(void)
{
	struct nest *from = nest_new(), *to = nest_new();
	node a = 0, b = 1;
	node loops[] = {nest_loop(from, 3, &a, 1), nest_loop(from, 3, &b, 1)};
	uint32_t map[] = {5, 5};
	memcpy(nest_extend(from, COUNT(loops)), loops, sizeof loops);
	nest_append_all(to, from, map);
	CU_ASSERT_EQUAL(to->root[0], to->root[1]);
	CU_ASSERT_EQUAL(to->loops, 1);
	nest_free(from);
	nest_free(to);
}

static void test_import_shared(void)
{
	struct nest *from = nest_new(), *to = nest_new();
	node loop = 1;
	for (unsigned depth = 0; depth < NEST_DEPTH_LIMIT; depth++) {
		node twice[] = {loop, loop};
		loop = nest_loop(from, 2, twice, 2);
	}
	nest_append(from, loop);
	nest_append_all(to, from, NULL);
	CU_ASSERT_EQUAL(to->loops, NEST_DEPTH_LIMIT);
	nest_free(from);
	nest_free(to);
}

void suite_nest(CU_pSuite suite)
{
	CU_add_test(suite, "equal loops are one loop", test_equal_loops_are_one);
	CU_add_test(suite, "a body taken from the nest itself", test_body_of_a_body);
	CU_add_test(suite, "events, depth and constructs", test_sizes);
	CU_add_test(suite, "shared loops cost nothing; sizes saturate", test_sharing_and_saturation);
	CU_add_test(suite, "import renames symbols", test_import_renames);
	CU_add_test(suite, "import joins what renaming makes equal", test_import_joins);
	CU_add_test(suite, "import of a deep shared nest", test_import_shared);
}
