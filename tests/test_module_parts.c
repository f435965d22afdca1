/*
 * test_module_parts.c -- addresses through calls, and parts: one statement, one process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/unfolding.h"
#include "model/module_address.h"
#include "model/module_parts.h"
#include "tests/rows.h"
#include "tests/unit.h"

/* Statements are separated by " / ". */
static struct module *module_of(const char *why, const char *processes, const char *rows)
{
	struct error error = {0};
	struct text text = lines_of_row(processes, rows);
	struct module *m = module_parse("test", text.data, text.length, &error);
	if (!m)
		fprintf(stderr, "%s: %s\n", why, error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	text_clear(&text);
	return m;
}

#define FOUR "// tracenest 1\n// processes 4\n// grid 2 2\n"

static const char called[] = "call f / [*] for i0 = 0 to 2 / call f / 0 local a / call g / if {i0%2} = 1 / 0 local b / "
			     "else / call f / done / done / procedure f / call h / 1 local c / call h / done / "
			     "procedure g / done / procedure h / 2 local d / 2 local e / done";

static void addresses(void)
{
	static const struct {
		const char *why, *address;
		uint64_t place;
		const char *line; /* as node_print has it, or what is wrong */
	} cases[] = {
		{"a call is what it calls", "1", 1, "2 local e"},
		{"through two calls", "3", 3, "2 local d"},
		{"behind calls of the same body", "5", 5, ""},
		{"in a loop", "5.5", 11, "0 local a"},
		{"a call of nothing is none", "5.6", 12, ""},
		{"an else has an address", "5.7", 14, ""},
		{"and what is inside", "5.7.2", 17, "1 local c"},
		{"too far", "5.7.5", 0, "no construct at 5.7.5: the constructs of 5.7 are numbered 0 to 4, not 5"},
		{"beyond the text", "6", 0,
			"no construct at 6: the constructs of the model are numbered 0 to 5, not 6"},
		{"inside of an event", "1.0", 0, "no construct at 1.0: 1 is an event, not a loop"},
		{"no address", "5..2", 0, "'5..2' is not an address: numbers separated by dots, as in 2.0.1"},
	};
	struct module *m = module_of("calls", FOUR, called);
	struct module_addresses all = module_addresses_of(m);
	CU_ASSERT_EQUAL(all.count, 20);
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t place;
		struct error error = {0};
		struct text line = {0}, address = {0};
		if (!module_find(m, cases[i].address, &place, &error)) {
			row_same(cases[i].why, error.message, cases[i].line);
			continue;
		}
		CU_ASSERT_EQUAL(place, cases[i].place);
		module_address(m, place, &address);
		row_same(cases[i].why, address.data, cases[i].address);
		row_same(cases[i].why, module_addresses_get(&all, place), cases[i].address);
		struct located at = module_at(m, place);
		if (node_of(m->store, at.statement)->kind == NODE_EVENT)
			node_print(m, at.statement, 1, &line);
		row_same(cases[i].why, line.data ? line.data : "", cases[i].line);
		text_clear(&line);
		text_clear(&address);
	}
	CU_ASSERT_EQUAL(module_at(m, 20).statement, NODE_NONE);
	module_addresses_clear(&all);
	module_free(m);
}

/* The statements of a text, and its tables; before these its events, where the row has them. */
static void expect_statements(const char *why, const struct module *m, const char *rows)
{
	struct text text = {0}, wanted = lines_of_row("", rows);
	module_print_text(m, NULL, &text);
	const char *at = text.data;
	const char *first = strncmp(rows, "// events", 9) ? "// tables" : "// events";
	while (!strncmp(at, "// ", 3) && strncmp(at, first, 9))
		at = strchr(at, '\n') + 1;
	row_same(why, at, wanted.data);
	text_clear(&text);
	text_clear(&wanted);
}

static const char tree[] =
	"0 send 1 a / for i = 0 to 1 / for j = 0 to 2 / 0 send 1 b / 0-3 sync MPI_Barrier 0-3 / done / for j = 0 to 3 / "
	"2 send 3 c / done / done / for i = 0 to 4 / done / for i = 0 to 4 / for j = 0 to {i} / 0 send 1 t{j} / "
	"[0-3] for k = 0 to {j} / [0-3] p send p^1 u / done / done / done";

static void parts(void)
{
	static const struct {
		const char *why, *text, *address, *part;
	} cases[] = {
		{"what does not depend on loops is without them", "[*] for i0 = 0 to 2 / [*] p send 0 t / done", "0.0",
			"[*] p send 0 t"},
		{"the index of its own loop stays",
			"[*] for i0 = 0 to 2 / [*] for i1 = 0 to 3 / 0 local a ; n={i1} / done / done", "0.0",
			"[*] for i0 = 0 to 3 /   0 local a ; n={i0} / done"},
		{"with loops and guards around",
			"for i0 = 0 to 2 / if {i0} = 1 / 0 local b / else / 0 local a ; n={i0} / done / done", "0.1.0",
			"for i0 = 0 to 2 /   if {i0} != 1 /     0 local a ; n={i0} /   done / done"},
		{"an event", tree, "0", "// events 1 / 0 send 1 a"},
		{"an event in two loops", tree, "1.0.0", "// events 1 / 0 send 1 b"},
		{"a loop in a loop", tree, "1.1", "// events 4 / for i0 = 0 to 3 /   2 send 3 c / done"},
		{"a loop of a collective", tree, "1.0",
			"// events 15 / for i0 = 0 to 2 /   0 send 1 b /   0-3 sync MPI_Barrier 0-3 / done"},
		{"nothing", tree, "2", "// events 0 / for i0 = 0 to 4 / done"},
		{"with the loops whose indices it asks for", tree, "3.0.0",
			"// events 15 / for i0 = 0 to 4 /   for i1 = 0 to {i0} /     0 send 1 t{i1} /   done / done"},
		{"without those that it does not ask for", tree, "3.0.1.0", "// events 4 / [*] p send p^1 u"},
		{"what events carry",
			"[*] for i0 = 0 to 1 / [*] for i1 = 0 to 3 / [*] p local a ; n={i1+p} type=A / done / done",
			"0.0", "[*] for i0 = 0 to 3 /   [*] p local a ; n={p+i0} type=A / done"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct module *m = module_of(
			cases[i].why, cases[i].text == tree ? "// tracenest 1\n// processes 4\n" : FOUR, cases[i].text);
		struct error error = {0};
		uint64_t line;
		struct inlined_line *origin;
		CU_ASSERT_TRUE_FATAL(module_find(m, cases[i].address, &line, &error));
		struct module *part = module_part(m, (size_t)line, &origin);
		expect_statements(cases[i].why, part, cases[i].part);
		CU_ASSERT_EQUAL(origin[part->lines - 1].line,
			line + node_of(m->store, module_at(m, line).statement)->lines - 1);
		free(origin);
		module_free(part);
		module_free(m);
	}
}

static void processes(void)
{
	static const struct {
		const char *why, *text, *own;
	} cases[] = {
		{"numbers are put in", "[*] p send @(x+1,y) tag{3+p} / [x<1] p recv p a", "3 send 2 tag6"},
		{"indices stay", "[*] for i0 = 0 to {p-1} / [*] p send (p+i0)%4 tag{i0} / done",
			"for i0 = 0 to 2 /   3 send {(3+i0)%4} tag{i0} / done"},
		{"a place on the grid is a rank", "[*] for i0 = 0 to 1 / [*] p send @(x+i0,y) t / done",
			"for i0 = 0 to 1 /   3 send {2+(1+i0)%2} t / done"},
		{"what no plain statement says is over a set", "[*] for i0 = 0 to 1 / [*] p send p^{i0} t / done",
			"for i0 = 0 to 1 /   [3] p send p^{i0} t / done"},
		{"loops of others go", "[0-2] for i0 = 0 to 1 / [0-2] p local a / done / [*] p sync b @(x,*)",
			"3 sync b 1,3"},
		{"an else of a guard that is gone",
			"for i0 = 0 to 1 / if {i0} = 1 / 0 local a / else / 3 local b / done / done",
			"for i0 = 0 to 1 /   if {i0} != 1 /     3 local b /   done / done"},
		{"who is named by a table is a guard",
			"for i0 = 0 to 1 / [$w[i0]] p local a / done / // tables / $w[i0] = 3 1",
			"for i0 = 0 to 1 /   if {-$w[i0]+3} = 0 /     3 local a /   done / done / // tables / $w[i0] = 3 1"},
		{"an attribute that this process has not", "[*] p local a ; n=(A|){p%2} m=(A|B){p%2}",
			"3 local a ; m=B"},
		{"numbers of what events carry stay functions",
			"[*] for i0 = 0 to 3 / [*] p send 0 t ; bytes={100+10*i0+x} type=A / done",
			"for i0 = 0 to 3 /   3 send 0 t ; bytes={101+10*i0} type=A / done"},
		{"of several loops", tree,
			"// events 41 / for i0 = 0 to 1 /   for i1 = 0 to 2 /     3 sync MPI_Barrier 0-3 /   done / done / "
			"for i0 = 0 to 4 /   for i1 = 0 to {i0} /     for i2 = 0 to {i1} /       3 send 2 u /     done /   done / "
			"done"},
		{"a stencil that goes on",
			"[0-3] for i0 = 0 to 3 / [0-3] p send @(x+1+i0,y) tag{5+y+2*i0} / for i1 = 0 to {i0-2} / "
			"3 send {2+i1} tag{7+3*i0} / 0-3 sync MPI_Bcast 0-3 root={i1} / done / [1-3] p local b / done",
			"// events 14 / for i0 = 0 to 3 /   3 send {2+i0%2} tag{6+2*i0} /   for i1 = 0 to {-2+i0} /     "
			"3 send {2+i1} tag{7+3*i0} /     3 sync MPI_Bcast 0-3 root={i1} /   done /   3 local b / done"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct module *m = module_of(cases[i].why, FOUR, cases[i].text);
		struct error error = {0};
		struct module *own = module_of_rank(m, 3, NULL, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(own);
		expect_statements(cases[i].why, own, cases[i].own);
		CU_ASSERT_PTR_NULL(module_of_rank(m, 4, NULL, &error));
		module_free(own);
		module_free(m);
	}
}

static void plain_listings(void)
{
	static const struct {
		const char *why, *text, *plain;
	} cases[] = {
		{"sends before their receives", "[1] 0 recv p t / [0] p send 1 t / [*] p sync b *",
			"0 send 1 t / 0 recv 1 t / 0-3 sync b 0-3"},
		{"a loop for each pair", "[*] for i0 = 0 to 9 / [*] p send p^1 t / [*] p^1 recv p t / done",
			"for i0 = 0 to 9 /   0 send 1 t /   1 send 0 t /   1 recv 0 t /   0 recv 1 t / done / "
			"for i0 = 0 to 9 /   2 send 3 t /   3 send 2 t /   3 recv 2 t /   2 recv 3 t / done"},
		{"an index that is asked for",
			"[0] for i0 = 0 to 2 / [0] p local a ; n={i0} / done / "
			"[0] for i0 = 0 to 1 / [0] p send {1+i0} tag{i0} / done",
			"for i0 = 0 to 2 /   0 local a / done / 0 send 1 tag0 / 0 send 2 tag1"},
		{"counts by process", "[*] for i0 = 0 to {p%2} / [*] p local a / done",
			"for i0 = 0 to 0 /   0 local a / done / for i0 = 0 to 1 /   1 local a / done / "
			"for i0 = 0 to 0 /   2 local a / done / for i0 = 0 to 1 /   3 local a / done"},
		{"what stands without sets stays", "for i0 = 0 to 1 / 1 local b / 0 local a / done",
			"for i0 = 0 to 1 /   1 local b /   0 local a / done"},
		{"who is named", "for i0 = 0 to 1 / [$w[i0]] p local a / done / // tables / $w[i0] = 3 1",
			"1 local a / 3 local a"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct module *m = module_of(cases[i].why, FOUR, cases[i].text);
		struct error error = {0};
		struct inlined_line *origin = NULL;
		struct module *plain = module_unfold(m, &origin, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(plain);
		expect_statements(cases[i].why, plain, cases[i].plain);
		free(origin);
		module_free(plain);
		module_free(m);
	}
	struct module *m = module_of("budget", FOUR, "for i0 = 0 to 99999999 / 0 send {i0%3+1} t / done");
	struct error error = {0};
	CU_ASSERT_PTR_NULL(module_unfold(m, NULL, &error));
	row_same("budget", error.message,
		"the program cannot be unfolded: at 0.0 it stands for too many statements that differ");
	module_free(m);
}

void suite_module_parts(CU_pSuite suite)
{
	CU_add_test(suite, "addresses through calls", addresses);
	CU_add_test(suite, "parts of modules", parts);
	CU_add_test(suite, "modules of one process", processes);
	CU_add_test(suite, "plain listings of modules", plain_listings);
}
