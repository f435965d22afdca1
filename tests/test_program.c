/*
 * test_program.c -- programs asked about single statements.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/roles.h"
#include "ask/unfolding.h"
#include "model/member_sets.h"
#include "model/module_address.h"
#include "model/prepared.h"
#include "tests/executed.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define HEAD "// tracenest 1\n// processes 6\n// grid 3 2\n"

/* Statement numbers:    0                     1                             2 */
static const char nest[] = HEAD "0 local a\n[0-5] for i0 = 0 to 3\n  [0-5] p send @(x+1+i0,y) tag{5+y+2*i0}\n"
				/* 3 */ "  for i1 = 0 to {i0-2}\n"
				/* 4 */ "    1 send {2+i1} tag{7+3*i0}\n"
				/* 5 */ "    0-2 sync MPI_Bcast 0-5 root={i1}\n"
				"  done\n"
				/* 6 */ "  [1-2] p local b\ndone\n"
				/* 7 */ "for i0 = 0 to 1\n"
				/* 8 */ "  for i1 = 0 to 9\n"
				/* 9 */ "    3 local c\n  done\ndone\n";

/* ------------------------------------------------------------------ addresses */

static const struct {
	const char *why, *address;
	size_t at;
	const char *message; /* NULL: it is found */
} addresses[] = {
	{"the first", "0", 0, NULL},
	{"a loop", "1", 1, NULL},
	{"inside", "1.0", 2, NULL},
	{"a loop inside", "1.1", 3, NULL},
	{"two deep", "1.1.1", 5, NULL},
	{"behind a loop", "1.2", 6, NULL},
	{"the last loop", "2", 7, NULL},
	{"the innermost of it", "2.0.0", 9, NULL},
	{"beyond the end", "3", 0, "no construct at 3: the constructs of the model are numbered 0 to 2, not 3"},
	{"beyond a body", "1.1.2", 0, "no construct at 1.1.2: the constructs of 1.1 are numbered 0 to 1, not 2"},
	{"in an event", "0.0", 0, "no construct at 0.0: 0 is an event, not a loop"},
	{"no number", "1.a", 0, "'1.a' is not an address: numbers separated by dots, as in 2.0.1"},
	{"an end", "1.", 0, "'1.' is not an address: numbers separated by dots, as in 2.0.1"},
	{"nothing", "", 0, "'' is not an address: numbers separated by dots, as in 2.0.1"},
};

static void test_addresses(void)
{
	struct prepared *p = program_of(nest);
	for (size_t i = 0; i < COUNT(addresses); i++) {
		struct error error = {0};
		size_t at = 0;
		bool found = module_find(p->module, addresses[i].address, &at, &error);
		if (addresses[i].message) {
			CU_ASSERT_FALSE(found);
			CU_ASSERT_STRING_EQUAL(error.message, addresses[i].message);
			continue;
		}
		struct text text = {0};
		CU_ASSERT_TRUE(found);
		CU_ASSERT_EQUAL(at, addresses[i].at);
		module_address(p->module, at, &text);
		CU_ASSERT_STRING_EQUAL(text.data, addresses[i].address);
		struct module_addresses all = module_addresses_of(p->module);
		CU_ASSERT_STRING_EQUAL(module_addresses_get(&all, at), addresses[i].address);
		module_addresses_clear(&all);
		text_clear(&text);
	}
	prepared_free(p);
}

/* Of a program in which main calls limiter in a loop, and solve twice. */
static const char functions_text[] = HEAD
	"[*] p sync B * // main.c:3\n"
	"[*] for i0 = 0 to 4 // limiter\n  [*] p sync A * // heat.c:30 > heat.c:12\n  [*] p sync C * // heat.c:31\ndone\n"
	"[*] p sync A * // main.c:8 > heat.c:12\n[*] p sync B * // main.c:9\n"
	"[*] p sync D * // solve.c:4\n[*] p sync B * // main.c:12\n[*] p sync D * // solve.c:4\n"
	"// sites\n// main.c:3,9,12 main\n// main.c:5 main\n//   heat.c:30 limiter > heat.c:12 exchange(int)\n"
	"//   heat.c:31 limiter\n// main.c:8 main > heat.c:12 exchange(int)\n// main.c:10 main > solve.c:4 solve\n";

static const struct {
	const char *why, *address, *found; /* numbers, or a message */
} functions[] = {
	{"a loop of a function", "limiter", "1"},
	{"what is inside", "limiter/0.1", "1.1"},
	{"all of the program", "main/4", "4"},
	{"called by one", "limiter/exchange/0", "1.0"},
	{"several calls", "exchange",
		"exchange: exchange is executed in 2 places: say who calls it, as in CALLER/exchange/0, or a number:\n"
		"  1.0, called by main (main.c:5) > limiter (heat.c:30)\n  2, called by main (main.c:8)"},
	{"several statements", "main", "main has 7 constructs: main/0 to main/6"},
	{"beyond the end", "limiter/0.2",
		"no construct at limiter/0.2: the constructs of limiter/0 are numbered 0 to 1, not 2"},
	{"in an event", "main/0.1", "no construct at main/0.1: main/0 is an event, not a loop"},
	{"nobody", "halo",
		"'halo' is not an address: numbers separated by dots, as in 2.0.1, or a function of the model's sites and a number inside, as in solve/0.1; nothing is in halo"},
};

static void test_functions(void)
{
	struct prepared *p = program_of(functions_text);
	for (size_t i = 0; i < COUNT(functions); i++) {
		struct error error = {0};
		struct text found = {0};
		size_t at;
		if (module_find(p->module, functions[i].address, &at, &error))
			module_address(p->module, at, &found);
		row_same(functions[i].why, found.data ? found.data : error.message, functions[i].found);
		text_clear(&found);
	}
	prepared_free(p);
}

static void test_empty(void)
{
	struct prepared *p = program_of(HEAD);
	struct error error = {0};
	size_t at;
	CU_ASSERT_FALSE(module_find(p->module, "0", &at, &error));
	CU_ASSERT_STRING_EQUAL(error.message, "no construct at 0: the model has no constructs");
	prepared_free(p);
}

/* ------------------------------------------------------------------ at indices */

/* Of a line, in these iterations: the last one of a loop, or what an event comes to. */
static void put_at(const struct prepared *p, size_t line, uint32_t rank, const int64_t *index, size_t depth,
	uint32_t attributes, struct text *to)
{
	struct environment at = {0};
	struct member_sets *members = member_sets_new(p->run);
	node_id statement = module_at(p->module, line).statement;
	const struct node *n = node_of(p->module->store, statement);
	run_start(p->run, rank, &at);
	memcpy(at.index, index, depth * sizeof *index);
	at.depth = depth;
	if (n->kind == NODE_EVENT)
		event_print_at(&at, members, statement, attributes, to);
	else
		text_integer(to, number_at(&at, n->kid[1]));
	free(at.index);
	member_sets_free(members);
}

static const struct {
	const char *why;
	size_t line;
	uint32_t rank;
	size_t depth;
	int64_t index[2];
	const char *comes_to;
} events[] = {
	{"a plain one", 0, 0, 0, {0, 0}, "0 local a"},
	{"a move on the grid", 2, 0, 1, {0, 0}, "0 send 1 tag5"},
	{"a move that goes on", 2, 0, 1, {1, 0}, "0 send 2 tag7"},
	{"around the grid", 2, 5, 1, {0, 0}, "5 send 3 tag6"},
	{"a plain one that goes on", 4, 1, 2, {3, 1}, "1 send 3 tag16"},
	{"a root that goes on, one member", 5, 2, 2, {3, 1}, "2 sync MPI_Bcast 0-5 root=1"},
	{"a local one of a set", 6, 2, 1, {3, 0}, "2 local b"},
	{"a loop of so many", 1, 0, 0, {0, 0}, "3"},
	{"a loop that is not gone through", 3, 0, 1, {0, 0}, "-2"},
	{"... which goes on", 3, 0, 1, {3, 0}, "1"},
};

static void test_events(void)
{
	struct prepared *p = program_of(nest);
	for (size_t i = 0; i < COUNT(events); i++) {
		struct text text = {0};
		put_at(p, events[i].line, events[i].rank, events[i].index, events[i].depth, ATTRIBUTES_ALL, &text);
		row_same(events[i].why, text.data, events[i].comes_to);
		text_clear(&text);
	}
	prepared_free(p);
}

static bool index_is_used(const struct module *m, size_t loop)
{
	node_id body = node_kid(m->store, module_at(m, loop).statement, 2);
	return node_of(m->store, body)->uses[FOR_ALL] & USES_INDEX(0);
}

static void test_index_used(void)
{
	struct prepared *p = program_of(nest);
	CU_ASSERT_TRUE(index_is_used(p->module, 1));
	CU_ASSERT_TRUE(index_is_used(p->module, 3));
	CU_ASSERT_FALSE(index_is_used(p->module, 7));
	CU_ASSERT_FALSE(index_is_used(p->module, 8));
	prepared_free(p);
}

/* ------------------------------------------------------------------ unfolded */

/* Every plain statement is what one process has of the statement it came from. */
static void test_origins(void)
{
	struct executed from = executed_of_text(nest);
	struct error error;
	struct inlined_line *origin;
	struct module *unfolded = module_unfold(from.module, &origin, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(unfolded);
	struct executed plain = executed_of(unfolded);
	for (size_t line = 0; line < unfolded->lines; line++) {
		const struct node *one = node_of(unfolded->store, module_at(unfolded, line).statement),
				  *of = node_of(unfolded->store, module_at(from.module, origin[line].line).statement);
		CU_ASSERT_EQUAL_FATAL(one->kind, of->kind);
		if (one->kind != NODE_EVENT)
			continue;
		CU_ASSERT_EQUAL(one->sub, of->sub);
		CU_ASSERT_TRUE(node_of(unfolded->store, one->kid[COLUMN_WHO])->sub);
		const struct ranks *who = run_ranks(plain.run, one->kid[COLUMN_WHO]);
		struct ranks_walk walk = {0};
		for (uint32_t rank; ranks_next(who, &walk, &rank);)
			CU_ASSERT_TRUE(run_has(from.run, of->kid[COLUMN_WHO], rank));
	}
	enum failure failure;
	CU_ASSERT_EQUAL(run_events(plain.run, &failure), run_events(from.run, &failure));
	free(origin);
	executed_clear(&plain);
	executed_clear(&from);
}

/* ------------------------------------------------------------------ what follows the text */

static const struct {
	const char *why, *text, *message; /* of unfolding; NULL: it can be */
	uint64_t events;
} many[] = {
	{"ten million tags", HEAD "for i0 = 0 to 9999999\n  0 send 1 tag{i0}\n  0 recv 1 tag{i0}\ndone\n",
		"the program cannot be unfolded: at 0.0 it stands for too many statements that differ", 20000000},
	{"all processes in turn",
		HEAD
		"[0-5] for i0 = 0 to 1000000000000\n  [0-5] p send (p+i0)%6 tag\n  [0-5] (p-i0)%6 recv p tag\ndone\n",
		"the program cannot be unfolded: at 0.0 it stands for too many statements that differ", 12000000000012},
	{"few statements of many processes",
		"// tracenest 1\n// processes 100000\n[0-99999] for i0 = 0 to 99\n  [0-99999] p send p tag{i0}\ndone\n",
		"the program cannot be unfolded: at 0.0 it stands for too many statements that differ", 10000000},
	{"an inner loop that is never too long",
		HEAD "for i0 = 0 to 999\n  for i1 = 0 to {i0}\n    0 send 1 tag{1000+i0-i1}\n  done\ndone\n", NULL,
		500500},
	{"sixteen loops",
		HEAD
		"for i0 = 0 to 1\nfor i1 = 0 to 1\nfor i2 = 0 to 1\nfor i3 = 0 to 0\nfor i4 = 0 to 0\nfor i5 = 0 to 0\n"
		"for i6 = 0 to 0\nfor i7 = 0 to 0\nfor i8 = 0 to 0\nfor i9 = 0 to 0\nfor i10 = 0 to 0\nfor i11 = 0 to 0\n"
		"for i12 = 0 to 0\nfor i13 = 0 to 0\nfor i14 = 0 to 0\nfor i15 = 0 to 2\n0 send 1 tag{i2+i15}\ndone\n"
		"done\ndone\ndone\ndone\ndone\ndone\ndone\ndone\ndone\ndone\ndone\ndone\ndone\ndone\ndone\n",
		NULL, 24},
	{"what depends on the process alone", HEAD "if {p} = 3\n  2-3 sync b 0-5\ndone\n", NULL, 1},
	{"an index that is not used", HEAD "for i0 = 0 to 999999999999\n  0 send 1 tag\ndone\n", NULL, 1000000000000},
};

static void test_many(void)
{
	for (size_t i = 0; i < COUNT(many) && !watched(); i++) {
		struct error error = {0};
		struct executed e = executed_of_text(many[i].text);
		CU_ASSERT_EQUAL(e.module->events, many[i].events);
		struct model *m = model_of_module(e.module, &error);
		CU_ASSERT_EQUAL(m == NULL, many[i].message != NULL);
		if (many[i].message)
			row_same(many[i].why, error.message, many[i].message);
		else
			ROW(many[i].why, model_events(m) == many[i].events);
		model_free(m);
		executed_clear(&e);
	}
}

/* ------------------------------------------------------------------ what events carry */

#define CARRYING "// tracenest 1\n// processes 6\n// grid 3 2\n[0-5] for i0 = 0 to 3\n[0-5] p send @(x+1,y) t"
#define DONE "\ndone\n"

static const struct {
	const char *why, *text;
	uint32_t rank;
	int64_t index;
	const char *printed; /* behind the event; NULL: refused */
	const char *value; /* of the first; or why it is refused */
} carried[] = {
	{"a number", " ; bytes=16000", 0, 0, " ; bytes=16000", "16000"},
	{"below 0", " ;bytes=-1", 0, 0, " ; bytes=-1", "-1"},
	{"a function", " ; bytes={1600+(x)%2*8+80*i0}", 1, 2, " ; bytes={1600+80*i0+x%2*8}", "1768"},
	{"a word", " ;  type=MPI_DOUBLE", 0, 0, " ; type=MPI_DOUBLE", "MPI_DOUBLE"},
	{"a quoted word that needs none", " ; type=\"MPI_INT\"", 0, 0, " ; type=MPI_INT", "MPI_INT"},
	{"a word that is like a number", " ; version=\"16\" bytes=8", 0, 0, " ; version=\"16\" bytes=8", "\"16\""},
	{"a number that is none", " ; version=007", 0, 0, " ; version=007", "007"},
	{"blanks", " ; site=\"main.c:7 main\"", 0, 0, " ; site=\"main.c:7 main\"", "\"main.c:7 main\""},
	{"bytes", " ; site=\"a\\x22\\x2fb\"", 0, 0, " ; site=\"a\\x22/b\"", "\"a\\x22/b\""},
	{"choices", " ; type=(MPI_INT|\"a b\"){(i0)%2}", 0, 3, " ; type=(MPI_INT|\"a b\"){i0%2}", "\"a b\""},
	{"a constant choice is a word", " ; type=(A|B){1}", 0, 3, " ; type=B", "B"},
	{"none", " ; type=(A|){(i0)%2}", 0, 1, " ; type=(A|){i0%2}", ""},
	{"no attribute", " ;", 0, 0, NULL, "p:5:26: behind ';' stand attributes, NAME=VALUE"},
	{"no value", " ; bytes=", 0, 0, NULL, "p:5:27: an attribute is NAME=VALUE, not 'bytes='"},
	{"no name", " ; =5", 0, 0, NULL, "p:5:27: an attribute is NAME=VALUE, not '=5'"},
	{"twice", " ; a=5 a=6", 0, 0, NULL, "p:5:31: the attribute 'a' stands twice in a statement"},
	{"an open quote", " ; a=\"b c", 0, 0, NULL, "p:5:29: the quote that begins '\"b c' does not end"},
	{"no byte", " ; a=\"\\n\"", 0, 0, NULL, "p:5:29: a backslash in quotes begins a byte, '\\x2f', not '\\n\"'"},
	{"no index", " ; a={i1}", 0, 0, NULL, "p:5:30: 'i1' is no index of a loop around this line"},
	{"more behind a function", " ; a={i0}b", 0, 0, NULL, "p:5:33: 'b' is too much behind a value"},
	{"nothing that chooses", " ; a=(b|c)", 0, 0, NULL,
		"p:5:34: behind words in parentheses stands what chooses: (A|B){i0%2}"},
	{"no such word", " ; a=(b|c){2}", 0, 0, NULL, "p:5:37: there is no word 2 in the list, counted from 0"},
};

/* What the text has behind a word. */
static const char *behind(const struct text *text, const char *word)
{
	const char *at = text->data ? strstr(text->data, word) : NULL;
	return at ? at + strlen(word) : "";
}

static void test_attributes(void)
{
	for (size_t i = 0; i < COUNT(carried); i++) {
		struct text text = {0}, printed = {0}, value = {0};
		struct error error = {0};
		text_format(&text, CARRYING "%s" DONE, carried[i].text);
		struct prepared *p = prepared_parse("p", text.data, text.length, &error);
		ROW(carried[i].why, (p != NULL) == (carried[i].printed != NULL));
		if (p) {
			node_print(p->module, module_at(p->module, 1).statement, 1, &printed);
			row_same(carried[i].why, behind(&printed, " t"), carried[i].printed);
			put_at(p, 1, carried[i].rank, &carried[i].index, 1, 1, &value);
			row_same(carried[i].why, behind(&value, "="), carried[i].value);
		} else {
			row_same(carried[i].why, error.message, carried[i].value);
		}
		text_clear(&text);
		text_clear(&printed);
		text_clear(&value);
		prepared_free(p);
	}
}

static void test_roles(void)
{
	static const struct {
		const char *why, *text;
		uint32_t roles, idle;
	} rows[] = {
		{"alike", "[0-3] p local a\n", 1, 0},
		{"some do more", "[0-3] p local a\n[1-2] p local b\n", 2, 0},
		{"in a loop, too", "[0-3] for i0 = 0 to 1\n[0-3] p local a\n[1-2] p local b\ndone\n", 2, 0},
		{"but not in one without iterations",
			"[0-3] p local a\n[1-2] for i0 = 0 to -1\n[1-2] for i1 = 0 to 1\n[1-2] p local b\ndone\ndone\n",
			1, 0},
		{"in which alone nobody does anything",
			"[0-1] p local a\n[2-3] for i0 = 0 to -1\n[2-3] p local b\ndone\n", 1, 2},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text text = {0};
		struct error error = {0};
		text_format(&text, "// tracenest 1\n// processes 4\n%s", rows[i].text);
		struct prepared *p = prepared_parse("p", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		uint32_t idle, roles = roles_count(p->run, &idle);
		if (roles != rows[i].roles || idle != rows[i].idle) {
			printf("\n%s: %u roles, %u idle\n", rows[i].why, (unsigned)roles, (unsigned)idle);
			CU_FAIL("other roles");
		}
		text_clear(&text);
		prepared_free(p);
	}
}

void suite_program(CU_pSuite suite)
{
	CU_add_test(suite, "statements have addresses, found again", test_addresses);
	CU_add_test(suite, "statements have functions, found by these", test_functions);
	CU_add_test(suite, "an empty program has none", test_empty);
	CU_add_test(suite, "processes that execute the same", test_roles);
	CU_add_test(suite, "counts and events at indices", test_events);
	CU_add_test(suite, "which indices are used", test_index_used);
	CU_add_test(suite, "plain statements know where they came from", test_origins);
	CU_add_test(suite, "more iterations than can be written out", test_many);
	CU_add_test(suite, "what events carry, read, printed and evaluated", test_attributes);
}
