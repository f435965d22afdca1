/*
 * test_module_print.c -- the printer: numbers and places as they are read best, statements, what
 * stands behind them.
 */
#include <string.h>

#include "model/module.h"
#include "tests/rows.h"
#include "tests/unit.h"

static struct store *s; /* of the test that runs */

static node_id con(int64_t number)
{
	return number_constant(s, number);
}

static node_id var(int64_t variable)
{
	return number_variable(s, variable);
}

static node_id plus(node_id a, node_id b)
{
	return number_add(s, a, b, 1);
}

static node_id times(node_id a, node_id b)
{
	return number_multiply(s, a, b);
}

static node_id table(const char *name)
{
	struct table *t = table_new(name, 1);
	for (int64_t i = 0; i < 8; i++)
		table_add(t, i * i);
	table_finish(t);
	uint32_t word = store_word(s, name, strlen(name));
	return node_make(s, NODE_TABLE, 0, word, store_table(s, t), 0, NULL);
}

static node_id entry(const char *name, node_id argument)
{
	return number_entry(s, table(name), &argument, 1);
}

static node_id divided(node_id a, node_id b)
{
	return number_function(s, FUNCTION_DIVIDED, (node_id[]){a, b});
}

#define P var(VARIABLE_P)
#define X var(VARIABLE_X)
#define I0 var(VARIABLE_INDEX + 1)
#define I1 var(VARIABLE_INDEX)
#define RANKS var(VARIABLE_RANKS)

static void numbers(void)
{
	s = store_new(16, &(struct grid){2, {4, 4}});
	struct module m = {.store = s, .processes = 16, .grid = {2, {4, 4}}};
	node_id next[] = {plus(X, con(1)), number_add(s, con(3), var(VARIABLE_Y), -1)};
	const struct {
		const char *why, *text, *place; /* NULL: as the number is */
		node_id number;
	} cases[] = {
		{"a constant is bare", "3", NULL, con(3)},
		{"what is below 0 is no rank", "-3", "{-3}", con(-3)},
		{"in braces the constant comes first", "{1+p+i0}", "p+1+i0", plus(plus(I0, con(1)), P)},
		{"on a ring", "{(p+1)%16}", "(p+1)%16", number_remainder(s, plus(P, con(1)), con(16))},
		{"a factor of a remainder stands behind it", "{3+i0%7*2}", NULL,
			plus(times(number_remainder(s, I0, con(7)), con(2)), con(3))},
		{"coordinates that go down begin with their constant", "{@(x+1,3-y)}", "@(x+1,3-y)",
			number_grid(s, next, 2)},
		{"an entry needs no braces", "$w[1+i0]", NULL, entry("w", plus(I0, con(1)))},
		{"tables come first, but in places", "{$w[i1]+p+1}", "p+1+$w[i1]",
			plus(plus(entry("w", I1), con(1)), P)},
		{"the process and a pattern", "{p^2}", "p^2", number_xor(s, con(2))},
		{"an exponent that is a sum", "{16*4^(5-i0)}", NULL,
			times(con(16), number_power(s, con(4), number_add(s, con(5), I0, -1)))},
		{"what is behind a factor is not divided with it", "{2*i0*(i1%3)}", NULL,
			times(times(con(2), I0), number_remainder(s, I1, con(3)))},
		{"a quotient is multiplied behind", "{P/2*3-1}", NULL,
			plus(times(divided(RANKS, con(2)), con(3)), con(-1))},
		{"sums that are divided stand in brackets", "{(P-1)/(1+i0)}", NULL,
			divided(plus(RANKS, con(-1)), plus(I0, con(1)))},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text number = {0}, place = {0};
		node_print(&m, cases[i].number, 2, &number);
		node_print_place(&m, cases[i].number, 2, &place);
		row_same(cases[i].why, number.data, cases[i].text);
		row_same(cases[i].why, place.data, cases[i].place ? cases[i].place : cases[i].text);
		text_clear(&number);
		text_clear(&place);
	}
	store_free(s);
}

static node_id sequence(node_id a, node_id b)
{
	return node_make(s, NODE_SEQUENCE, 0, 0, 0, b ? 2 : 1, (node_id[]){a, b});
}

static node_id send_to(node_id who, node_id peer, node_id tag)
{
	node_id kid[COLUMNS] = {[COLUMN_WHO] = who, [COLUMN_PEER] = peer, [COLUMN_TAG] = tag};
	return node_make(s, NODE_EVENT, EVENT_SEND, store_word(s, "tag", 3), 0, COLUMNS, kid);
}

static void whole_texts(void)
{
	s = store_new(4, &(struct grid){0});
	struct ranks first = {0};
	ranks_add_run(&first, 0, 2);
	node_id all = node_make(s, NODE_ALL, 0, 0, 0, 0, NULL),
		some = node_make(s, NODE_RANKS, 0, 0, store_ranks(s, &first), 0, NULL);
	ranks_clear(&first);
	node_id parameter = node_make(s, NODE_VARIABLE, 0, store_word(s, "i0", 2), VARIABLE_PARAMETER, 0, NULL),
		loop = node_make(s, NODE_LOOP, 0, 0, 0, 3,
			(node_id[]){some, con(4),
				sequence(
					send_to(some, plus(P, con(1)), plus(I1, var(VARIABLE_PARAMETER))), NODE_NONE)}),
		procedure = node_make(s, NODE_PROCEDURE, 0, store_word(s, "step", 4), 0, 2,
			(node_id[]){sequence(loop, NODE_NONE), parameter}),
		call = node_make(s, NODE_CALL, 0, 0, 0, 2, (node_id[]){procedure, I1}),
		test = node_make(s, NODE_TEST, NODE_TEST_EQUAL, 0, 2, 1, (node_id[]){entry("w", I1)}),
		opposite = node_make(s, NODE_TEST, NODE_TEST_DIFFERS, 0, 2, 1, (node_id[]){entry("w", I1)}),
		guard = node_make(s, NODE_GUARD, 0, 0, 0, 3, (node_id[]){NODE_NONE, test, sequence(call, NODE_NONE)}),
		otherwise = node_make(s, NODE_GUARD, 1, 0, 0, 3,
			(node_id[]){NODE_NONE, opposite, sequence(send_to(all, con(0), con(7)), NODE_NONE)});
	char header[] = "// tracenest 1\n";
	struct site_places places = site_places_new();
	uint32_t path = call_paths_know(places.paths, "a.c:3 f");
	uint32_t sites[] = {0, 0, 0, 0, sites_know(&places, &path, 1), 0, 0, 0};
	struct module m = {.store = s,
		.processes = 4,
		.header = header,
		.places = places,
		.sites = sites,
		.lines = COUNT(sites),
		.procedure = &procedure,
		.procedures = 1};
	m.body = sequence(
		node_make(s, NODE_LOOP, 0, 0, 0, 3, (node_id[]){all, con(7), sequence(guard, otherwise)}), NODE_NONE);
	struct text text = {0};
	module_print_text(&m, NULL, &text);
	row_same("an index that is a parameter keeps its name", text.data,
		"// tracenest 1\n"
		"[*] for i0 = 0 to 7\n"
		"  if $w[i0] = 2\n"
		"    call step(i0)\n"
		"  else\n"
		"    [*] p send 0 tag7 // a.c:3\n"
		"  done\n"
		"done\n"
		"// procedures\n"
		"procedure step(i0)\n"
		"  [0-2] for i1 = 0 to 4\n"
		"    [0-2] p send p+1 tag{i0+i1}\n"
		"  done\n"
		"done\n"
		"// sites\n"
		"// a.c:3 f\n"
		"// tables\n"
		"$w[i0] = 0 1 4 9 16 25 36 49\n");
	text_clear(&text);
	site_places_free(&places);
	store_free(s);
}

void suite_module_print(CU_pSuite suite)
{
	CU_add_test(suite, "numbers and places", numbers);
	CU_add_test(suite, "whole module texts", whole_texts);
}
