/*
 * test_ask.c -- what can be asked of a program.
 */
#include <stdio.h>
#include <string.h>

#include "ask/arrival.h"
#include "ask/overview.h"
#include "ask/executions.h"
#include "ask/loop_groups.h"
#include "ask/overview.h"
#include "ask/sameness.h"
#include "base/text.h"
#include "model/prepared.h"
#include "tests/executed.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define HEAD "// tracenest 1\n// processes 8\n"

/* ------------------------------------------------------------------ coverage */

static const struct {
	const char *why, *text;
	const char *covered; /* by each statement */
} covered[] = {
	{"nothing", HEAD, ""},
	{"events say whose they are", HEAD "0 send 1 t\n0 recv 1 t\n2-4 sync B 0-7\n[0-7] p local x\n",
		"0; 1; 2-4; 0-7;"},
	{"a loop with a set says so", HEAD "[0-3] for i0 = 0 to 9\n[1-2] p local x\ndone\n", "0-3; 1-2;"},
	{"a loop without one unites what is inside",
		HEAD "for i0 = 0 to 9\n[1-2] p local x\n5 local y\n2 local z\ndone\n", "1-2,5; 1-2; 5; 2;"},
	{"also through loops",
		HEAD
		"for i0 = 0 to 9\nfor i1 = 0 to {i0}\n3 local x\ndone\n[4] for i1 = 0 to 1\n[4] p local x\ndone\ndone\n",
		"3-4; 3; 3; 4; 4;"},
	{"what never runs covers nobody",
		HEAD
		"for i0 = 0 to 1\nfor i1 = 0 to -1\n3 local x\ndone\ndone\n[1] for i0 = 0 to -1\n[1] p local y\ndone\n",
		"; ; 3; ; 1;"},
	{"equal sets are one", HEAD "for i0 = 0 to 1\n[0-1] p local x\n0 local y\n[0-1] p local z\n1 local y\ndone\n",
		"0-1; 0-1; 0; 0-1; 1;"},
};

static void check_covered(const char *why, const struct overview *o, const char *want)
{
	struct text have = {0};
	text_add(&have, "", 0);
	for (size_t i = 0; i < o->lines; i++) {
		text_put(&have, i ? " " : "");
		ranks_print(&o->line[i].who, &have);
		text_put(&have, ";");
	}
	row_same(why, have.data, want);
	text_clear(&have);
}

static void test_coverage(void)
{
	for (size_t i = 0; i < COUNT(covered); i++) {
		struct prepared *p = program_of(covered[i].text);
		struct overview o;
		overview_of(&o, p->run);
		check_covered(covered[i].why, &o, covered[i].covered);
		overview_clear(&o);
		prepared_free(p);
	}
}

/* ------------------------------------------------------------------ walking */

static const struct {
	const char *why, *text;
	uint32_t rank;
	const char *events;
} walked[] = {
	{"a rank without events", HEAD "0 send 1 t\n", 2, ""},
	{"its own events only", HEAD "0 send 1 t\n0 recv 1 t\n0-3 sync B 0-3 root=2\n[0-7] p local x y\n", 1,
		"0 recv 1 t\n1 sync B 0-3 root=2\n1 local x y\n"},
	{"a plain loop in a loop over a set stays where it stands",
		HEAD
		"[0-1] for i0 = 0 to 1\n[0-1] p local a\n[0-1] for i1 = 0 to 1\nfor i2 = 0 to 1\n1 local b\n[0-1] p local c\ndone\ndone\ndone\n",
		1,
		"1 local a\n1 local b\n1 local c\n1 local b\n1 local c\n1 local b\n1 local c\n1 local b\n1 local c\n"
		"1 local a\n1 local b\n1 local c\n1 local b\n1 local c\n1 local b\n1 local c\n1 local b\n1 local c\n"},
	{"tags and peers advance",
		HEAD "[0-3] for i0 = 0 to 2\n[0-3] p send p+1+i0 tag{7+2*i0}\n0 send {2+i0} t{i0}@3\ndone\n", 0,
		"0 send 1 tag7\n0 send 2 t0@3\n0 send 2 tag9\n0 send 3 t1@3\n0 send 3 tag11\n0 send 4 t2@3\n"},
	{"counts advance, some to nothing",
		HEAD "for i0 = 0 to 3\nfor i1 = 0 to {2*i0-3}\n0 local l\ndone\n0 sync S 0-7 root={7-i0}\ndone\n", 0,
		"0 sync S 0-7 root=7\n0 sync S 0-7 root=6\n0 local l\n0 local l\n0 sync S 0-7 root=5\n0 local l\n0 local l\n0 local l\n0 local l\n0 sync S 0-7 root=4\n"},
	{"groups and neighbours on the grid",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] p sync B @(*,y)@{4+y}\n[0-5] p send @(x,y+1) tag{x}\n",
		5, "5 sync B 4-5@6\n5 send 1 tag1\n"},
	{"groups of communicators, of those who execute the statement",
		HEAD
		"[0-5] for i0 = 0 to 1\n[0-5] p sync B @{$t[p]+10*i0} root=$r[p]\ndone\n$t[p] = 3 3 4 3 4 4 3\n$r[p] = 3 3 5 3 5 5\n",
		3, "3 sync B 0-1,3@3 root=3\n3 sync B 0-1,3@13 root=3\n"},
	{"neighbours that advance on the grid",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[4-5] for i0 = 0 to 2\n[4-5] p send @(x+i0,y+1+i0) t\ndone\n",
		5, "5 send 1 t\n5 send 2 t\n5 send 5 t\n"},
};

static void test_walks(void)
{
	for (size_t i = 0; i < COUNT(walked); i++) {
		struct executed e = executed_of_text(walked[i].text);
		struct text events = {0};
		executed_put(e.run, walked[i].rank, UINT64_MAX, &events);
		row_same(walked[i].why, events.data, walked[i].events);
		text_clear(&events);
		executed_clear(&e);
	}
}

/* What a cursor needs does not grow with the events that differ. */
static void test_nothing_is_interned(void)
{
	struct executed e = executed_of_text(HEAD "[0-6] for i0 = 0 to 99999\n[0-6] p send p+1 tag{i0}\ndone\n");
	struct cursor *c = cursor_new(e.run, 3);
	size_t before, after, bytes;
	int64_t tag = 0;
	store_sizes(e.module->store, &before, &bytes);
	while (cursor_next(c))
		tag = number_at(&c->at, node_kid(e.module->store, c->event, COLUMN_TAG));
	store_sizes(e.module->store, &after, &bytes);
	CU_ASSERT_EQUAL(tag, 99999);
	CU_ASSERT_EQUAL(before, after);
	cursor_free(c);
	executed_clear(&e);
}

/* ------------------------------------------------------------------ loops side by side */

static const struct {
	const char *why, *text;
	const char *remark; /* behind the first statement */
} sides[] = {
	{"an event", HEAD "[0-7] p local x\n", ""},
	{"a loop without a set is one", HEAD "for i0 = 0 to 1\n0 local x\n1 local x\ndone\n", ""},
	{"of one process", HEAD "[3] for i0 = 0 to 1\n[3] p local x\ndone\n", ""},
	{"pairs", HEAD "[0-7] for i0 = 0 to 1\n[0-3] p send p+4 t\n[4-7] p-4 recv p t\ndone\n",
		"4 side by side: [0,4], [1,5], [2,6], [3,7]"},
	{"other tags do not join", HEAD "[0-1] for i0 = 0 to 1\n[0] p send 1 t\n[1] 0 recv p u\ndone\n",
		"2 side by side: 0, 1"},
	{"tags by an index tell no channels apart: not all iterations are looked at",
		HEAD
		"[0-3] for i0 = 0 to 3\n[0-3] for i1 = 0 to 1\n[0-3] p send p^1 tag{i1}\ndone\n"
		"[0-3] for i1 = 0 to 1\n[0-3] p^1 recv p tag{1-i1}\ndone\n[0-3] p send p^2 t\n[0-3] p^2 recv p t\ndone\n",
		""},
	{"many", HEAD "[0-7] for i0 = 0 to 1\n[0-7] p local x\ndone\n", "8 side by side: 0, 1, ..."},
	{"a chain of one tag is one", HEAD "[0-7] for i0 = 0 to 1\n[1-7] p send p-1 t\n[0-6] p+1 recv p t\ndone\n", ""},
	{"a chain with a gap is two",
		HEAD "[0-7] for i0 = 0 to 1\n[0-2,4-6] p send p+1 t\n[1-3,5-7] p-1 recv p t\ndone\n",
		"2 side by side: 0-3, 4-7"},
	{"a ring is one", HEAD "[0-7] for i0 = 0 to 1\n[0-7] p send (p+1)%8 t\n[0-7] (p-1)%8 recv p t\ndone\n", ""},
	{"what does not meet joins nothing", HEAD "[0-1] for i0 = 0 to 1\n[0] p send p+1 t\n[1] p-1 recv p u\ndone\n",
		"2 side by side: 0, 1"},
	{"a torus is one",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] for i0 = 0 to 9\n[0-5] p send @(x+1,y) t\n[0-5] @(x-1,y) recv p t\n"
		"[0-5] p send @(x,y-1) u\n[0-5] @(x,y+1) recv p u\ndone\n",
		""},
	{"one of its axes is not enough",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] for i0 = 0 to 9\n[0-5] p send @(x,y-1) u\n[0-5] @(x,y+1) recv p u\ndone\n",
		"2 side by side: [0,2,4], [1,3,5]"},
	{"rows meet no columns, of the same lowest process",
		"// tracenest 1\n// processes 4\n// grid 2 2\n[1-2] for i0 = 0 to 9\n[1] p sync B @(*,y)\n[2] p sync B @(x,*)\ndone\n",
		"2 side by side: 1, 2"},
	{"a chain is one", HEAD "[0-7] for i0 = 0 to 1\n[0-6] p send p+1 tag{i0}\n[1-7] p-1 recv p tag{i0}\ndone\n",
		""},
	{"rows and what goes from row to row are one",
		HEAD
		"[0-7] for i0 = 0 to 1\n[0-2,4-6] p send p+1 t\n[0-3] p send p+4 u\n[1-3,5-7] p-1 recv p t\n[4-7] p-4 recv p u\ndone\n",
		""},
	{"it need not be all of them",
		HEAD
		"[0-7] for i0 = 0 to 1\n[0-2,4-6] p send p+1 t\n[7] p send p-4 u\n[1-3,5-7] p-1 recv p t\n[3] p+4 recv p u\ndone\n",
		""},
	{"but some",
		HEAD
		"[0-7] for i0 = 0 to 1\n[0-2,4-6] p send p+1 t\n[1-3,5-7] p-1 recv p t\n[0-3] p send p+4 t\n[4-7] p-4 recv p u\ndone\n",
		"2 side by side: 0-3, 4-7"},
	{"a ring of everybody by a step of three",
		HEAD "[0-7] for i0 = 0 to 1\n[0-7] p send (p+3)%8 t\n[0-7] (p-3)%8 recv p t\ndone\n", ""},
	{"two rings by a step of two",
		HEAD "[0-7] for i0 = 0 to 1\n[0-7] p send (p+2)%8 t\n[0-7] (p-2)%8 recv p t\ndone\n",
		"2 side by side: 0-6:2, 1-7:2"},
	{"peers that advance join in all iterations",
		HEAD "[0-7] for i0 = 0 to 6\n[0-7] p send (p+1+i0)%8 t\n[0-7] (p-1-i0)%8 recv p t\ndone\n", ""},
	{"those of half the ring",
		HEAD "[0-7] for i0 = 0 to 6\n[0-7] p send (p+2+2*i0)%8 t\n[0-7] (p-2-2*i0)%8 recv p t\ndone\n",
		"2 side by side: 0-6:2, 1-7:2"},
	{"once is not enough",
		HEAD "[0-7] for i0 = 0 to 0\n[0-7] p send (p+2+i0)%8 t\n[0-7] (p-2-i0)%8 recv p t\ndone\n",
		"2 side by side: 0-6:2, 1-7:2"},
	{"steps of two and of three",
		HEAD
		"[0-7] for i0 = 0 to 6\n[0-7] p send (p+2)%8 t\n[0-7] (p-2)%8 recv p t\n[0-7] p send (p+3)%8 tag{i0}\n[0-7] (p+5)%8 recv p tag{i0}\ndone\n",
		""},
	{"what is not there in the first iteration joins in another one",
		HEAD
		"[0-7] for i0 = 0 to 3\nif {i0}\n[0-7] for i1 = 0 to 1\n[0-7] p send (p+1+i1)%8 t\n[0-7] (p-1-i1)%8 recv p t\ndone\ndone\ndone\n",
		""},
	{"... a loop, too",
		HEAD
		"[0-7] for i0 = 0 to 3\n[0-7] for i1 = 0 to {i0-1}\n[0-7] for i2 = 0 to 1\n[0-7] p send (p+1+i2)%8 t\n[0-7] (p-1-i2)%8 recv p t\ndone\ndone\ndone\n",
		""},
	{"a loop that begins later joins whom it then meets",
		HEAD
		"[0-7] for i0 = 0 to 1\n[0-7] for i1 = 0 to {i0-1}\n[0-5] p send p+1+i0 t\n[2-7] p-1-i0 recv p t\ndone\ndone\n",
		"2 side by side: 0-6:2, 1-7:2"},
	{"so does one around a ring",
		HEAD
		"[0-7] for i0 = 0 to 1\n[0-7] for i1 = 0 to {i0-1}\n[0-7] p send (p+1+i0)%8 t\n[0-7] (p-1-i0)%8 recv p t\ndone\ndone\n",
		"2 side by side: 0-6:2, 1-7:2"},
	{"a sync joins its members",
		HEAD
		"[0-7] for i0 = 0 to 6\n[0-3] for i1 = 0 to 1\n[0-3] p sync B 0-3\ndone\n[4-7] p sync B 4-7\ndone\n",
		"2 side by side: 0-3, 4-7"},
	{"a loop without a set holds its processes together",
		HEAD "[0-7] for i0 = 0 to 6\nfor i1 = 0 to 1\n[0-5] p local x\ndone\n[6-7] p local x\ndone\n",
		"3 side by side: 0-5, 6, 7"},
	{"lines of the grid",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] for i0 = 0 to 9\n[0-5] p sync B @(x,*)\ndone\n",
		"2 side by side: [0,2,4], [1,3,5]"},
	{"groups of communicators", HEAD "[0-7] for i0 = 0 to 9\n[0-7] p sync B @{3+p%3+4*i0}\ndone\n",
		"3 side by side: [0,3,6], [1,4,7], [2,5]"},
};

/* Of the first line, without what begins it. */
static struct text remark_of(const char *text)
{
	struct error error;
	struct text remark = {0}, words = {0};
	struct module *m = module_parse_one("row", text, strlen(text), &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	struct loop_remarks *loops = loop_remarks_new(m);
	struct module_remarks remarks = loop_remarks(loops);
	remarks.behind(remarks.context, 0, &remark);
	text_put(&words, remark.length ? remark.data + strlen(" // ") : "");
	loop_remarks_free(loops);
	module_free(m);
	text_clear(&remark);
	return words;
}

static void test_groups(void)
{
	for (size_t i = 0; i < COUNT(sides); i++) {
		struct text remark = remark_of(sides[i].text);
		row_same(sides[i].why, remark.data, sides[i].remark);
		text_clear(&remark);
	}
}

/* Of a module with calls, what stands in procedures, too; not where tables say who the peers are. */
static void test_module_remarks(void)
{
	static const char body[] = "call f / [*] for i0 = 0 to 1 /   [*] p send $w[p] t /   [*] p^1 recv p t / done / "
				   "// procedures / procedure f /   [*] for i0 = 0 to 1%s /     [*] p send p^1 t /     "
				   "[*] p^1 recv p t /   done / done / // tables / $w[p] = 1 0 3 2";
	struct text rows = {0}, remarked = {0}, have = {0};
	struct error error = {0};
	text_format(&rows, body, "");
	text_format(&remarked, body, " // 2 side by side: 0-1, 2-3");
	struct text text = lines_of_row("// tracenest 1\n// processes 4\n", rows.data),
		    wanted = lines_of_row("// tracenest 1\n// processes 4\n// events 32\n", remarked.data);
	struct module *m = module_parse("test", text.data, text.length, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	struct loop_remarks *l = loop_remarks_new(m);
	struct module_remarks remarks = loop_remarks(l);
	module_print_text(m, &remarks, &have);
	row_same("remarks in procedures", have.data, wanted.data);
	loop_remarks_free(l);
	module_free(m);
	text_clear(&rows);
	text_clear(&remarked);
	text_clear(&have);
	text_clear(&text);
	text_clear(&wanted);
}

/* Iterations are gone through only where a count inside depends on them. */
static void test_executions(void)
{
	struct executed of = executed_of_text(HEAD "for i0 = 0 to 999999999999\n0 local a\nfor i1 = 0 to 1\n0 local b\n"
						   "for i2 = 0 to {i1}\n0 local c\ndone\ndone\ndone\n");
	struct executions e[2];
	CU_ASSERT(run_executions(of.run, &e[0]) && run_executions_of(of.run, 0, &e[1]));
	for (size_t i = 0; i < COUNT(e); i++) {
		const uint64_t *times = e[i].times, *iterations = e[i].iterations;
		CU_ASSERT(times[1] == 1000000000000 && times[3] == 2000000000000 && times[5] == 3000000000000);
		CU_ASSERT(iterations[2] == 2000000000000 && iterations[4] == 3000000000000);
		executions_clear(&e[i]);
	}
	executed_clear(&of);
}

/* ------------------------------------------------------------------ how control comes to events */

static void test_arrivals(void)
{
	static const struct {
		const char *why, *text, *arrivals; /* of process 0 */
	} rows[] = {
		{"one after the other", "0 local a\n1 local x\n0 local b\n", "start straight "},
		{"a loop", "0 local a\nfor i0 = 0 to 1\n0 local b\n0 local c\ndone\n0 local d\n",
			"start entry straight next straight exit "},
		{"a loop inside", "for i0 = 0 to 1\n0 local a\nfor i1 = 0 to 1\n0 local b\ndone\n0 local c\ndone\n",
			"start entry next exit next entry next exit "},
		{"a loop alone in a loop", "for i0 = 0 to 1\nfor i1 = 0 to 1\n0 local b\ndone\ndone\n",
			"start next entry next "},
		{"three deep",
			"for i0 = 0 to 1\nfor i1 = 0 to 1\n0 local a\nfor i2 = 0 to 1\n0 local b\ndone\ndone\ndone\n",
			"start entry next next entry next entry entry next next entry next "},
		{"one loop after the other", "for i0 = 0 to 1\n0 local a\ndone\nfor i0 = 0 to 1\n0 local b\ndone\n",
			"start next entry next "},
		{"conditions are no loops", "for i0 = 0 to 3\nif {i0} = 2\n[0] p local g\ndone\n[0] p local a\ndone\n",
			"start next next straight next "},
		{"what others do is nothing to it",
			"for i0 = 0 to 1\n0 local a\nfor i1 = 0 to 1\n1 local b\ndone\n0 local c\ndone\n",
			"start straight next straight "},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text text = {0}, told = {0};
		text_format(&text, HEAD "%s", rows[i].text);
		struct prepared *p = program_of(text.data);
		struct cursor *c = cursor_new(p->run, 0);
		struct control control = {0};
		while (cursor_next(c))
			text_format(&told, "%s ", arrival_name(arrival_next(c, &control)));
		row_same(rows[i].why, told.data, rows[i].arrivals);
		cursor_free(c);
		prepared_free(p);
		text_clear(&told);
		text_clear(&text);
	}
}

/* ------------------------------------------------------------------ the same streams */

static const struct {
	const char *why, *first, *other;
	enum compared_values values;
	enum sameness same;
} compared[] = {
	{"nothing", "", "", VALUES_NONE, SAMENESS_SAME},
	{"the same text", "0 send 1 t\n0 recv 1 t\n", "0 send 1 t\n0 recv 1 t\n", VALUES_NONE, SAMENESS_SAME},
	{"words in another order", "0 local a\n1 local b\n2 local c\n", "2 local c\n1 local b\n0 local a\n",
		VALUES_NONE, SAMENESS_SAME},
	{"tags in another order", "0 send 1 t\n2 send 3 u\n", "2 send 3 u\n0 send 1 t\n", VALUES_NONE, SAMENESS_SAME},
	{"groups in another order", "0-1 sync S 0-1\n2-3 sync S 2-3\n", "2-3 sync S 2-3\n0-1 sync S 0-1\n", VALUES_NONE,
		SAMENESS_SAME},
	{"a loop", "0 local a\n0 local a\n", "for i0 = 0 to 1\n0 local a\ndone\n", VALUES_NONE, SAMENESS_SAME},
	{"all processes at once", "[0-7] p send (p+1)%8 t\n", "[0-6] p send p+1 t\n7 send 0 t\n", VALUES_NONE,
		SAMENESS_SAME},
	{"a number of a tag", "0 send 1 t0\n0 send 1 t1\n", "for i0 = 0 to 1\n0 send 1 t{i0}\ndone\n", VALUES_NONE,
		SAMENESS_SAME},
	{"another order", "0 local a\n0 local b\n", "0 local b\n0 local a\n", VALUES_NONE, SAMENESS_DIFFERENT},
	{"another word", "0 local a\n0 local b\n", "0 local a\n0 local c\n", VALUES_NONE, SAMENESS_DIFFERENT},
	{"a word that the other one does not have", "0 local a\n", "0 local b\n", VALUES_NONE, SAMENESS_DIFFERENT},
	{"another process", "0 local a\n", "1 local a\n", VALUES_NONE, SAMENESS_DIFFERENT},
	{"another peer", "0 send 1 t\n", "0 send 2 t\n", VALUES_NONE, SAMENESS_DIFFERENT},
	{"another group", "[0-1] p sync S 0-1\n", "[0-1] p sync S 0-2\n", VALUES_NONE, SAMENESS_DIFFERENT},
	{"another root", "[0-1] p sync S 0-1 root=0\n", "[0-1] p sync S 0-1 root=1\n", VALUES_NONE, SAMENESS_DIFFERENT},
	{"another communicator", "0 send 1 t@1\n", "0 send 1 t@2\n", VALUES_NONE, SAMENESS_DIFFERENT},
	{"one more", "0 local a\n", "0 local a\n0 local a\n", VALUES_NONE, SAMENESS_DIFFERENT},
	{"one less for another", "0 local a\n1 local a\n1 local a\n", "0 local a\n0 local a\n1 local a\n", VALUES_NONE,
		SAMENESS_DIFFERENT},
	{"more than may be compared", "for i0 = 0 to 99\n[0-7] p local a\ndone\n",
		"for i0 = 0 to 99\n[0-7] p local a\ndone\n", VALUES_NONE, SAMENESS_UNKNOWN},
	{"as many as may be", "for i0 = 0 to 98\n[0-7] p local a\ndone\n", "for i0 = 0 to 98\n[0-7] p local a\ndone\n",
		VALUES_NONE, SAMENESS_SAME},
	{"the same bytes", "0 send 1 t ; bytes=8\n0 send 1 t ; bytes=8\n",
		"for i0 = 0 to 1\n0 send 1 t ; bytes=8\ndone\n", VALUES_SHARED, SAMENESS_SAME},
	{"other bytes", "0 send 1 t ; bytes=8\n", "0 send 1 t ; bytes=9\n", VALUES_SHARED, SAMENESS_DIFFERENT},
	{"other bytes that nobody asks for", "0 send 1 t ; bytes=8\n", "0 send 1 t ; bytes=9\n", VALUES_NONE,
		SAMENESS_SAME},
	{"a word that they carry", "0 send 1 t ; type=a\n", "0 send 1 t ; type=b\n", VALUES_SHARED, SAMENESS_DIFFERENT},
	{"a site, which is no communication", "0 send 1 t ; site=a\n", "0 send 1 t ; site=b\n", VALUES_SHARED,
		SAMENESS_SAME},
	{"bytes that one does not know of one event", "0 send 1 t ; bytes=8\n0 send 1 t ; bytes=8\n",
		"0 send 1 t ; bytes=8\n0 send 1 t\n", VALUES_SHARED, SAMENESS_DIFFERENT},
	{"bytes that one does not know, where all are asked for", "0 send 1 t ; bytes=8\n", "0 send 1 t\n", VALUES_ALL,
		SAMENESS_DIFFERENT},
	{"bytes that one event does not carry", "0 send 1 t ; bytes=8\n0 send 1 t ; bytes=8\n",
		"0 send 1 t ; bytes=8\n0 send 1 t\n", VALUES_OF_BOTH, SAMENESS_SAME},
	{"other bytes where both carry them", "0 send 1 t ; bytes=8 type=a\n0 send 1 t\n",
		"0 send 1 t ; bytes=9\n0 send 1 t\n", VALUES_OF_BOTH, SAMENESS_DIFFERENT},
	{"what they carry in another order", "0 send 1 t ; bytes=8 type=\"a b\"\n",
		"0 send 1 t ; type=\"a b\" bytes=8\n", VALUES_ALL, SAMENESS_SAME},
	{"... and other values", "0 send 1 t ; bytes=8 type=\"a b\"\n", "0 send 1 t ; type=\"a c\" bytes=8\n",
		VALUES_ALL, SAMENESS_DIFFERENT},
	{"bytes that one does not know", "0 send 1 t ; bytes=8\n", "0 send 1 t\n", VALUES_SHARED, SAMENESS_SAME},
};

#define COMPARED_MOST 792

static enum sameness sameness_of(
	const struct prepared *first, const struct prepared *other, enum compared_values values, uint64_t events)
{
	return runs_sameness(first->run, other->run, values, events, NULL);
}

static void test_sameness(void)
{
	for (size_t i = 0; i < COUNT(compared); i++) {
		struct text text[2] = {{0}, {0}};
		struct prepared *p[2];
		text_format(&text[0], HEAD "%s", compared[i].first);
		text_format(&text[1], HEAD "%s", compared[i].other);
		for (int k = 0; k < 2; k++)
			p[k] = program_of(text[k].data);
		ROW(compared[i].why, sameness_of(p[0], p[1], compared[i].values, COMPARED_MOST) == compared[i].same);
		ROW(compared[i].why, sameness_of(p[1], p[0], compared[i].values, COMPARED_MOST) == compared[i].same);
		for (int k = 0; k < 2; k++) {
			prepared_free(p[k]);
			text_clear(&text[k]);
		}
	}
	struct prepared *eight = program_of(HEAD), *seven = program_of("// tracenest 1\n// processes 7\n");
	CU_ASSERT_EQUAL(sameness_of(eight, seven, VALUES_NONE, COMPARED_MOST), SAMENESS_DIFFERENT);
	prepared_free(eight);
	prepared_free(seven);
}

/* ------------------------------------------------------------------ neighbours */

static const struct {
	const char *why, *body; /* of a loop over all eight */
	bool joined;
} around[] = {
	{"around the ring", "[0-7] p send (p+1)%8 t\n[0-7] (p-1)%8 recv p t\n", true},
	{"the other way, by three", "[0-7] p send (p-3)%8 t\n[0-7] (p+3)%8 recv p t\n", true},
	{"by two: odd and even", "[0-7] p send (p+2)%8 t\n[0-7] (p-2)%8 recv p t\n", false},
	{"by two and by three",
		"[0-7] p send (p+2)%8 t\n[0-7] p send (p+3)%8 u\n[0-7] (p-2)%8 recv p t\n[0-7] (p-3)%8 recv p u\n",
		true},
	{"by two and by four",
		"[0-7] p send (p+2)%8 t\n[0-7] p send (p+4)%8 u\n[0-7] (p-2)%8 recv p t\n[0-7] (p-4)%8 recv p u\n",
		false},
	{"what is received first is of another tag",
		"[0-7] p send (p+1)%8 t\n[0-7] (p-1)%8 recv p u\n[0-7] (p-1)%8 recv p t\n", true},
	{"of another tag alone", "[0-7] p send (p+1)%8 t\n[0-7] (p-1)%8 recv p u\n", false},
	{"sent and not received", "[0-7] p send (p+1)%8 t\n", false},
	{"received from elsewhere", "[0-7] p send (p+1)%8 t\n[0-7] (p-2)%8 recv p t\n", false},
	{"on the line", "[0-6] p send p+1 t\n[1-7] p-1 recv p t\n", true},
	{"with a gap", "[0-2,4-6] p send p+1 t\n[1-3,5-7] p-1 recv p t\n", false},
	{"a number is no way back", "[1-7] p send p-1 t\n[0-6] 1 recv p t\n", false},
	{"another ring, which is a line", "[0-7] p send (p+1)%8 t\n[0-7] (p-1)%7 recv p t\n", true},
	{"along both axes",
		"[0-7] p send @(x+1,y) t\n[0-7] @(x-1,y) recv p t\n[0-7] p send @(x,y+1) t\n[0-7] @(x,y-1) recv p t\n",
		true},
	{"along one axis", "[0-7] p send @(x+1,y) t\n[0-7] @(x-1,y) recv p t\n", false},
};

static void test_neighbours(void)
{
	for (size_t i = 0; i < COUNT(around); i++) {
		struct text text = {0};
		text_format(&text, HEAD "// grid 4 2\n[0-7] for i0 = 0 to 9\n%sdone\n", around[i].body);
		struct text remark = remark_of(text.data);
		ROW(around[i].why, !remark.length == around[i].joined);
		text_clear(&remark);
		text_clear(&text);
	}
}

/* Which loop is the innermost around each line; guards are none. */
static void test_loops_around(void)
{
	static const size_t loops[] = {OVERVIEW_NONE, OVERVIEW_NONE, 1, 1, 3, 4, 4, 1, OVERVIEW_NONE, OVERVIEW_NONE};
	struct prepared *p =
		program_of("// tracenest 1\n// processes 2\n0 send 1 t\nfor i0 = 0 to 9\n  0 send 1 t\n"
			   "  for i1 = 0 to 4\n    for i2 = 0 to 4\n      if {i2%3} = 1\n        0 send 1 t\n"
			   "      done\n    done\n  done\n  0 send 1 t\ndone\nif {p} = 0\n  0 send 1 t\ndone\n");
	struct overview o;
	overview_of(&o, p->run);
	CU_ASSERT_EQUAL_FATAL(o.lines, COUNT(loops));
	for (size_t i = 0; i < o.lines; i++)
		CU_ASSERT_EQUAL(overview_loop_around(&o, i), loops[i]);
	overview_clear(&o);
	prepared_free(p);
}

void suite_ask(CU_pSuite suite)
{
	CU_ADD_TEST(suite, test_coverage);
	CU_ADD_TEST(suite, test_groups);
	CU_ADD_TEST(suite, test_module_remarks);
	CU_ADD_TEST(suite, test_arrivals);
	CU_ADD_TEST(suite, test_sameness);
	CU_ADD_TEST(suite, test_neighbours);
	CU_ADD_TEST(suite, test_executions);
	CU_ADD_TEST(suite, test_walks);
	CU_ADD_TEST(suite, test_nothing_is_interned);
	CU_ADD_TEST(suite, test_loops_around);
}
