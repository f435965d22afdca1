/*
 * test_fold.c -- folded programs: their formulas and text, what folding makes of models, and that
 * unfolding gives the models back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/exchanges.h"
#include "base/mem.h"
#include "fold/chains.h"
#include "fold/fold.h"
#include "merge/merge.h"
#include "nlr/nlr.h"
#include "fold/roll.h"
#include "tests/oracle.h"
#include "tests/spmd.h"
#include "tests/rows.h"
#include "tests/models.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ formulas */

static const struct grid grid_4_2 = {2, {4, 2, 0, 0}};
static const struct scope on_4_2 = {.grid = &grid_4_2};

static bool same(const char *why, const char *is, const char *expected)
{
	if (!strcmp(is, expected))
		return true;
	fprintf(stderr, "\n  %s: is '%s', should be '%s'\n", why, is, expected);
	return false;
}

static void values(void)
{
	static const struct {
		const char *text, *printed;
		int64_t at_0, at_6; /* 6 stands at x = 2, y = 1 */
	} cases[] = {
		{"{0}", "{0}", 0, 0},
		{"{3000+y}", "{3000+y}", 3000, 3001},
		{"{p*2+1}", "{1+2*p}", 1, 13},
		{"{x-y+x}", "{2*x-y}", 0, 3},
		{"{-x+10}", "{10-x}", 10, 8},
		{"{(x+y)%4}", "{(x+y)%4}", 0, 3},
		{"{(-x)%4}", "{(-x)%4}", 0, 2},
		{"{5+(x-3)%4*4-(y)%2}", "{5+(x-3)%4*4-y%2}", 9, 16},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct value v;
		struct error error = {0};
		const char *at = cases[i].text;
		struct text text = {0};
		struct spot origin = grid_spot(&grid_4_2, 0), six = grid_spot(&grid_4_2, 6);
		CU_ASSERT_FATAL(value_parse(&v, &on_4_2, &at, &error) && !*at);
		value_print(&v, &text);
		CU_ASSERT(same("printed", text.data, cases[i].printed));
		CU_ASSERT_EQUAL(value_at(&v, &origin), cases[i].at_0);
		CU_ASSERT_EQUAL(value_at(&v, &six), cases[i].at_6);
		text_clear(&text);
	}
}

static void places(void)
{
	static const struct {
		const char *text, *printed;
		int64_t at_0, at_6;
	} cases[] = {
		{"7", "7", 7, 7},
		{"p", "p", 0, 6},
		{"p+1", "p+1", 1, 7},
		{"p-4", "p-4", -4, 2},
		{"p^2", "p^2", 2, 4},
		{"(p+1)%8", "(p+1)%8", 1, 7},
		{"(p-1)%8", "(p-1)%8", 7, 5},
		{"(p+3)%7", "(p+3)%7", 3, 2},
		{"@(x+1,y)", "@(x+1,y)", 1, 7},
		{"@(x-1,y)", "@(x-1,y)", 3, 5},
		{"@(x+2,1+y)", "@(x+2,y+1)", 6, 0},
		{"@(y,x)", "@(y,x)", 0, 1},
		{"@(3-x,y)", "@(3-x,y)", 3, 5},
		{"@(0,y)", "@(0,y)", 0, 4},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct place f;
		struct error error = {0};
		const char *at = cases[i].text;
		struct text text = {0};
		struct spot origin = grid_spot(&grid_4_2, 0), six = grid_spot(&grid_4_2, 6);
		CU_ASSERT_FATAL(place_parse(&f, &on_4_2, &at, &error) && !*at);
		place_print(&f, &grid_4_2, &text);
		CU_ASSERT(same("printed", text.data, cases[i].printed));
		CU_ASSERT_EQUAL(place_at(&f, &grid_4_2, &origin), cases[i].at_0);
		CU_ASSERT_EQUAL(place_at(&f, &grid_4_2, &six), cases[i].at_6);
		text_clear(&text);
	}
}

static void areas(void)
{
	static const struct {
		const char *text, *at_6;
	} cases[] = {
		{"@(*,y)", "4-7"},
		{"@(x,*)", "2,6"},
		{"@(*,*)", "0-7"},
		{"@(x,y)", "6"},
		{"@(*,y+1)", "0-3"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct area a;
		struct error error = {0};
		const char *at = cases[i].text;
		struct text text = {0};
		struct ranks ranks = {0};
		struct spot six = grid_spot(&grid_4_2, 6);
		CU_ASSERT_FATAL(area_parse(&a, &on_4_2, &at, &error) && !*at);
		area_print(&a, &grid_4_2, &text);
		CU_ASSERT(same("printed", text.data, cases[i].text));
		text_truncate(&text, 0);
		area_at(&a, &grid_4_2, &six, &ranks);
		ranks_print(&ranks, &text);
		CU_ASSERT(same(cases[i].text, text.data, cases[i].at_6));
		text_clear(&text);
		ranks_clear(&ranks);
	}
}

/* ------------------------------------------------------------------ text */

static struct program *program_of_row(const char *header, const char *row, struct error *error)
{
	struct text text = lines_of_row(header, row);
	*error = (struct error){0};
	struct program *f = program_parse("row", text.data, text.length, error);
	text_clear(&text);
	return f;
}

/* The listing as a row. */
static struct text row_of_model(const struct model *m)
{
	struct text text = {0};
	model_print_text(m, &text);
	struct text row = row_of_lines(text.data, false);
	text_clear(&text);
	return row;
}

static struct text row_of_folded(const struct program *f)
{
	struct text text = {0};
	program_print_text(f, &text);
	struct text row = row_of_lines(text.data, false);
	text_clear(&text);
	return row;
}

static struct model *relisted(const struct model *m)
{
	struct error error = {0};
	struct program *plain = program_of_plain(m), *again = program_relist(plain);
	program_free(plain);
	return program_to_model(again, &error);
}

#define HEAD "// tracenest 1\n// processes 8\n// grid 4 2\n"

static void unfolding(void)
{
	static const struct {
		const char *why, *folded, *plain;
	} cases[] = {
		{"one event each", "[0-1] p send p+2 t", "0 send 2 t / 1 send 3 t"},
		{"send and receive stand together", "[0,2] p send p+1 t / [1-3:2] p-1 recv p t",
			"0 send 1 t / 0 recv 1 t / 2 send 3 t / 2 recv 3 t"},
		{"a loop is one for each group that communicates",
			"[0-3] for i0 = 0 to 2 / [0,2] p send p+1 t / [1,3] p-1 recv p t / done",
			"for i0 = 0 to 2 / 0 send 1 t / 0 recv 1 t / done / for i0 = 0 to 2 / 2 send 3 t / 2 recv 3 t / done"},
		{"... by messages in loops inside",
			"[0-1] for i0 = 0 to 2 / [0-1] for i1 = 0 to 3 / [0] p send p+1 t / [1] p-1 recv p t / done / done",
			"for i0 = 0 to 2 / for i1 = 0 to 3 / 0 send 1 t / 0 recv 1 t / done / done"},
		{"... or syncs", "[0-3] for i0 = 0 to 2 / [0-3] p sync S @(*,y)@{y+1} / done",
			"for i0 = 0 to 2 / 0-3 sync S 0-3@1 / done"},
		{"... each group of its own", "[0-7] for i0 = 0 to 2 / [0-7] p sync S @(*,y) root=@(1,y) / done",
			"for i0 = 0 to 2 / 0-3 sync S 0-3 root=1 / done / for i0 = 0 to 2 / 4-7 sync S 4-7 root=5 / done"},
		{"a loop without a set is one", "for i0 = 0 to 2 / [0-1] p send p+4 t / done",
			"for i0 = 0 to 2 / 0 send 4 t / 1 send 5 t / done"},
		{"... and joins those inside which are one",
			"[0-1] for i0 = 0 to 2 / [0-1] p local a / for i1 = 0 to 1 / 1 local b / [0-1] p local c / done / done",
			"for i0 = 0 to 2 / 0 local a / 1 local a / for i1 = 0 to 1 / 0 local c / 1 local b / 1 local c / done / done"},
		{"... however deep it stands",
			"[0-1] for i0 = 0 to 2 / [0-1] p local a / [0-1] for i1 = 0 to 3 / for i2 = 0 to 1 / 1 local b / [0-1] p local c / done / done / done",
			"for i0 = 0 to 2 / 0 local a / 1 local a / for i1 = 0 to 3 / for i2 = 0 to 1 / 0 local c / 1 local b / 1 local c / done / done / done"},
		{"plain bodies stay as they stand", "1 send 2 t / 0 send 1 t", "1 send 2 t / 0 send 1 t"},
		{"tags and communicators", "[0,5] p send p^1 a{10+p+y}b@{2*y}", ""},
		{"tags with functions", "[0,5] p send p^1 tag{10+p+y}@{2*y}", "0 send 1 tag10@0 / 5 send 4 tag16@2"},
		{"the same sync in two statements meets", "[0-6:2] p sync S 0-7 / [1-7:2] p sync S 0-7",
			"0-7 sync S 0-7"},
		{"... but for cycles", "[0] p sync A 0-1 / [0] p sync B 0-1 / [1] p sync B 0-1 / [1] p sync A 0-1",
			"0 sync A 0-1 / 1 sync B 0-1 / 0 sync B 0-1 / 1 sync A 0-1"},
		{"each alone", "[0-1] p sync S p@{1+p}", "0 sync S 0@1 / 1 sync S 1@2"},
		{"local events", "[0-1] p local call MPI_Wait", "0 local call MPI_Wait / 1 local call MPI_Wait"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error error;
		struct program *f = program_of_row(HEAD, cases[i].folded, &error);
		if (!*cases[i].plain) {
			CU_ASSERT_PTR_NULL(f);
			continue;
		}
		if (!f) {
			fprintf(stderr, "\n  %s: %s\n", cases[i].why, error.message);
			CU_FAIL_FATAL("does not parse");
		}
		struct model *m = program_to_model(f, &error);
		struct text row = row_of_model(m);
		if (!same(cases[i].why, row.data, cases[i].plain))
			CU_FAIL("unfolds otherwise");
		text_clear(&row);
		model_free(m);
	}
}

static void bad_text(void)
{
	static const struct {
		const char *row, *message;
	} cases[] = {
		{"[0-3,2-5] p send p+1 t", "row:4: rank 2 stands twice or out of order in a set of ranks"},
		{"[3-1] p send p+1 t", "row:4: the range 3-1 runs backwards"},
		{"[0-6:0] p send p+1 t", "row:4: a stride in a set of ranks must be a number from 1 to 4194304"},
		{"[(0-1)+4*0] p send p+1 t",
			"row:4: the number of copies in a set of ranks must be a number from 1 to 4194304"},
		{"[(0-1)+0*2] p send p+1 t",
			"row:4: the distance of copies in a set of ranks must be a number from 1 to 4194304"},
		{"[(0-3)+2*2] p send p+1 t", "row:4: the copies of the group of 0 to 3, 2 apart, overlap"},
		{"[(0-3)+4] p send p+1 t", "row:4: a group of ranks is repeated as in (1-3)+4*2: '*' is missing"},
		{"[] p send p+1 t", "row:4: a rank is missing in a set of ranks"},
		{"[0-7 p send p+1 t", "row:4: ']' is missing behind a set of ranks"},
		{"[0-7]p send p+1 t", "row:4: a set of ranks must be followed by a blank and what they execute"},
		{"[0-8] p send 0 t", "row:4: a statement of rank 8, but the header says 8 processes"},
		{"[0-7] p send p+1 t", "row:4: the peer of process 7 would be 8, but the header says 8 processes"},
		{"[0-7] p-1 recv p t", "row:4: the peer of process 0 would be -1, but the header says 8 processes"},
		{"[0-3] for i0 = 0 to 2 / [2-4] p send 0 t / done",
			"row:5: process 4 executes this statement, but not the loop around it"},
		{"[0-3] for i0 = 0 to 2 / 5 send 0 t / done",
			"row:5: process 5 executes this statement, but not the loop around it"},
		{"[0-3] for i0 = 0 to 2 / for i1 = 0 to 3 / [4] for i2 = 0 to 2 / done / done / done",
			"row:6: process 4 executes this statement, but not the loop around it"},
		{"[0-3] q send 0 t",
			"row:4: 'q' must be p, the process that executes the statement: a send of a set of ranks is "
			"'[RANKS] p send DESTINATION TAG'"},
		{"[0-3] 0 recv 1 t",
			"row:4: '1' must be p, the process that executes the statement: a receive of a set of ranks "
			"is '[RANKS] SOURCE recv p TAG'"},
		{"[0-3] p send (q+1)%8 t", "row:4: a rank in parentheses is relative to p, on a ring: (p+1)%8"},
		{"[0-3] p send (p+1 t", "row:4: a rank on a ring is written (p+1)%8: ')%' is expected, not ' t'"},
		{"[0-3] p send (p+1)%0 t", "row:4: a remainder modulo 0"},
		{"[0-3] p send (p+1)%9 t", "row:4: the peer is on a ring of 9 ranks, but the header says 8 processes"},
		{"[0-3] p send @(x,y,z) t", "row:4: 2 coordinates are expected, as the grid has"},
		{"[0-3] p send @(x+z,y) t", "row:4: the grid has no coordinate 'z' (it has 2)"},
		{"[0-3] p send p t{p", "row:4: '}' is expected in a formula, not ''"},
		{"[0-3] p send p t{i0}", "row:4: 'i0' is no index of a loop around this line"},
		{"[0-3] p send p t{(x)%0}", "row:4: a remainder modulo 0"},
		{"[0-3] p send p t{p-1}", "row:4: the tag of process 0 would be negative"},
		{"[0-3] p send p t9{p}", "row:4: 't9{': a digit before the number of a tag would be part of it"},
		{"[0-3] p sync S p0", "row:4: 'p0' is not a group"},
		{"[0-3] p sync S 0-2", "row:4: process 3 is not in the group of its sync"},
		{"[0-3] p sync S @(*,y+1)", "row:4: process 0 is not in the group of its sync"},
		{"[0-3] p jump 4", "row:4: 'jump' is not an event: send, recv, sync or local is expected, or 'for'"},
		{"[0-3] p send 1 t u",
			"row:4: 'u' is one word too many: a send of a set of ranks is '[RANKS] p send DESTINATION TAG'"},
		{"[0-3] for i0 = 0 to 2", "row:4: 'for' is not closed by a 'done'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error error;
		struct program *f = program_of_row(HEAD, cases[i].row, &error);
		CU_ASSERT_PTR_NULL(f);
		CU_ASSERT_EQUAL(error.kind, ERROR_INPUT);
		CU_ASSERT(same(cases[i].row, f ? "no error" : error.message, cases[i].message));
		program_free(f);
	}
}

static void bad_grids(void)
{
	static const struct {
		const char *grid, *message;
	} cases[] = {
		{"4 4", "row:3: the sizes of the grid give 16 processes, but the header says 8"},
		{"8", "row:3: a grid has at least 2 sizes: '// grid NX NY'"},
		{"2 2 2 1 1", "row:3: a grid has at most 4 sizes"},
		{"4 0", "row:3: the sizes of a grid are numbers from 1 to 4194304, not '0'"},
		{"4 x", "row:3: the sizes of a grid are numbers from 1 to 4194304, not 'x'"},
		{"8 1\n// grid 4 2", "row:4: '// grid' stands twice in the header"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error error;
		struct text head = {0};
		text_format(&head, "// tracenest 1\n// processes 8\n// grid %s\n", cases[i].grid);
		struct program *f = program_of_row(head.data, "[0-7] p send p t", &error);
		CU_ASSERT_PTR_NULL(f);
		CU_ASSERT(same(cases[i].grid, f ? "no error" : error.message, cases[i].message));
		program_free(f);
		text_clear(&head);
	}
}

/* ------------------------------------------------------------------ folding */

static void folding(void)
{
	static const struct {
		const char *why;
		unsigned processes;
		const char *plain, *folded;
	} cases[] = {
		{"a pipeline", 4, "0 send 1 t / 0 recv 1 t / 1 send 2 t / 1 recv 2 t / 2 send 3 t / 2 recv 3 t",
			"[1-3] p-1 recv p t / [0-2] p send p+1 t"},
		{"a ring", 4,
			"for i0 = 0 to 2 / 0 send 1 t / 0 recv 1 t / 1 send 2 t / 1 recv 2 t / 2 send 3 t / 2 recv 3 t / 3 send 0 "
			"t / 3 recv 0 t / done",
			"[0-3] for i0 = 0 to 2 / [1-3] (p-1)%4 recv p t / [0-3] p send (p+1)%4 t / 3 recv 0 t / done"},
		{"everybody to the master", 4,
			"1 send 0 t / 1 recv 0 t / 2 send 0 t / 2 recv 0 t / 3 send 0 t / 3 recv 0 t",
			"[1-3] p send 0 t / 1 recv 0 t / 2 recv 0 t / 3 recv 0 t"},
		{"each alone", 3, "0 sync S 0@1 root=0 / 1 sync S 1@1 root=1 / 2 sync S 2@1 root=2",
			"[0-2] p sync S p@1 root=p"},
		{"pairs exchange", 4,
			"0 send 1 t / 1 send 0 t / 0 recv 1 t / 1 recv 0 t / 2 send 3 t / 3 send 2 t / 2 recv 3 t / 3 recv 2 t",
			"[0-3] p send p^1 t / [0-3] p^1 recv p t"},
		{"to the master, and then around, where that is the same message for the last one", 4,
			"3 send 0 t / 1 send 0 t / 2 send 0 t / 0 send 1 t / 1 send 2 t / 2 send 3 t / 3 send 0 t",
			"[1-3] p send 0 t / [0-3] p send (p+1)%4 t"},
		{"tags that count", 4, "0 local a / 0 send 0 t5 / 1 send 1 t6 / 2 send 2 t7 / 3 send 3 t8",
			"0 local a / [0-3] p send p t{5+p}"},
		{"tags with large factors, several in turn", 4,
			"0 send 1 t7 / 0 recv 1 t7 / 1 send 2 t1007 / 1 recv 2 t1007 / 2 send 3 t2007 / 2 recv 3 t2007 / 0 send 1 t17 / "
			"0 recv 1 t17 / 1 send 2 t1017 / 1 recv 2 t1017 / 2 send 3 t2017 / 2 recv 3 t2017",
			"[1-3] p-1 recv p t{-993+1000*p} / [0-2] p send p+1 t{7+1000*p} / [1-3] p-1 recv p t{-983+1000*p} / "
			"[0-2] p send p+1 t{17+1000*p}"},
		{"loops that do not communicate", 4,
			"for i0 = 0 to 2 / 0 send 1 t / 0 recv 1 t / done / for i0 = 0 to 2 / 2 send 3 t / 2 recv 3 t / done",
			"[0-3] for i0 = 0 to 2 / [0,2] p send p+1 t / [1,3] p-1 recv p t / done"},
		{"loops of other counts", 4,
			"for i0 = 0 to 2 / 0 send 1 t / 0 recv 1 t / done / for i0 = 0 to 3 / 2 send 3 t / 2 recv 3 t / done",
			"[0-1] for i0 = 0 to 2 / 0 send 1 t / 0 recv 1 t / done / [2-3] for i0 = 0 to 3 / 2 send 3 t / 2 recv 3 t "
			"/ done"},
		{"loops that communicate but were kept apart stay so", 2,
			"for i0 = 0 to 2 / 0 send 1 t / 1 recv 0 u / done / for i0 = 0 to 2 / 1 send 0 u / 0 recv 1 t / done",
			"for i0 = 0 to 2 / 0 send 1 t / 1 recv 0 u / done / for i0 = 0 to 2 / 1 send 0 u / 0 recv 1 t / done"},
		{"a loop whose processes do not communicate stays one", 4,
			"for i0 = 0 to 2 / 0 send 2 t / 1 send 3 t / done",
			"for i0 = 0 to 2 / [0-1] p send p+2 t / done"},
		{"a loop of no iterations keeps its place", 2,
			"0 send 1 t / for i0 = 0 to -1 / 0 send 1 t / done / 1 send 0 t",
			"0 send 1 t / for i0 = 0 to -1 / 0 send 1 t / done / 1 send 0 t"},
		{"a crossing of two syncs is split", 2, "0 sync A 0-1 / 1 sync B 0-1 / 0 sync B 0-1 / 1 sync A 0-1",
			"0 sync A 0-1 / [0-1] p sync B 0-1 / 1 sync A 0-1"},
		{"what all share separates", 2, "0 send 0 t / 0-1 sync S 0-1 / 1 send 1 t",
			"0 send 0 t / [0-1] p sync S 0-1 / 1 send 1 t"},
		{"groups on lines of a grid", 4,
			"0-1 sync S 0-1@2 / 2-3 sync S 2-3@2 / 0,2 sync T 0,2 root=2 / 1,3 sync T 1,3 root=3",
			"[0-3] p sync S @(*,y)@2 / [0-3] p sync T @(x,*) root=@(x,1)"},
		{"each with a communicator of its own", 6,
			"0-2 sync S 0-2@3 / 3-5 sync S 3-5@4 / 0,3 sync S 0,3@5 / 1,4 sync S 1,4@6 / 2,5 sync S 2,5@7",
			"[0-5] p sync S @(*,y)@{3+y} / [0-5] p sync S @(x,*)@{5+x}"},
		{"nothing", 2, "", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error error = {0};
		struct text head = {0};
		text_format(&head, "// tracenest 1\n// processes %u\n", cases[i].processes);
		struct text text = lines_of_row(head.data, cases[i].plain);
		struct model *m = model_parse("row", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		struct program *f = fold(m, NULL);
		struct text row = row_of_folded(f);
		CU_ASSERT(same(cases[i].why, row.data, cases[i].folded));
		struct model *u = program_to_model(f, &error), *again = relisted(m);
		if (!model_equal(u, m) && !model_equal(u, again)) {
			struct text unfolded = row_of_model(u);
			CU_ASSERT(same(cases[i].why, unfolded.data, cases[i].plain));
			text_clear(&unfolded);
		}
		text_clear(&row);
		text_clear(&text);
		text_clear(&head);
		model_free(again);
		model_free(u);
		model_free(m);
	}
}

/* ------------------------------------------------------------------ chains */

/* So many rounds, by which a process sends to the next. */
#define PAIR(rounds, from, to) "for i0 = 0 to " rounds " / " from " send " to " t / " from " recv " to " t / done / "
#define CHAIN                                                                                                          \
	"for i0 = 0 to 2 / 0 send 1 t / done / for i0 = 0 to 2 / 0 recv 1 t / done / "                                 \
	"for i0 = 0 to 2 / 1 recv 2 t / done / for i0 = 0 to 2 / 2 recv 3 t / done / "                                 \
	"for i0 = 0 to 2 / 1 send 2 t / done / for i0 = 0 to 2 / 2 send 3 t / done"

static void chains(void)
{
	static const struct {
		const char *why, *plain;
		const char *apart; /* empty: left as it is */
	} cases[] = {
		{"two are a pair of pairs", PAIR("2", "0", "1") PAIR("2", "1", "2"), ""},
		{"three are a chain", PAIR("2", "0", "1") PAIR("2", "1", "2") PAIR("2", "2", "3"), CHAIN},
		{"three of others are none", PAIR("2", "0", "1") PAIR("2", "3", "4") PAIR("2", "6", "7"), ""},
		{"where it is no shorter", PAIR("2", "2", "3") PAIR("2", "0", "1") PAIR("2", "1", "2"), ""},
		{"two of other counts beside three",
			PAIR("2", "0", "1") PAIR("2", "1", "2") PAIR("2", "2", "3") PAIR("4", "3", "4")
				PAIR("4", "4", "5"),
			CHAIN
			" / for i0 = 0 to 4 / 3 send 4 t / 3 recv 4 t / done / for i0 = 0 to 4 / 4 send 5 t / 4 recv 5 t / done"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text text = lines_of_row("// tracenest 1\n// processes 8\n", cases[i].plain);
		struct model *m = model_of(text.data), *apart = chains_apart(m);
		struct text row = {0};
		if (apart)
			row = row_of_model(apart);
		row_same(cases[i].why, apart ? row.data : "", cases[i].apart);
		text_clear(&row);
		text_clear(&text);
		model_free(apart);
		model_free(m);
	}
}

/* Three in a long body are chance. */
static void rare_chains(void)
{
	for (unsigned others = 188; others < 190; others++) {
		struct text text = lines_of_row("// tracenest 1\n// processes 8\n",
			PAIR("2", "0", "1") PAIR("2", "1", "2") PAIR("2", "2", "3"));
		for (unsigned i = 0; i < others; i++)
			text_format(&text, "7 local l%u\n", i * i);
		struct model *m = model_of(text.data), *apart = chains_apart(m);
		CU_ASSERT_EQUAL(apart != NULL, others == 188);
		text_clear(&text);
		model_free(apart);
		model_free(m);
	}
}

/* -------------------------------------------------- the same program on any number of processes */

/* Takes the nest. */
static void append_nest(struct model *m, struct nest *n)
{
	nest_append_all(m->nest, n, NULL);
	nest_free(n);
}

/* One process on a grid of n x n (x n), and the recognizer of its events. */
struct member {
	struct dictionary *dictionary;
	struct nlr *nlr;
	uint32_t n, rank, x, y, z, tag[5];
};

static void exchange(struct member *m, enum event_kind kind, uint32_t peer, uint32_t tag)
{
	nlr_push(m->nlr,
		dictionary_event(m->dictionary, &(struct event){kind, m->rank, peer, m->tag[tag], EVENT_CONSTANT}));
}

/* As LU's: from one corner to the other, and back. */
static void wavefront(struct member *m)
{
	for (int i = 0; i < 4; i++) {
		if (m->x > 0)
			exchange(m, EVENT_RECV, m->rank - 1, 2);
		if (m->y > 0)
			exchange(m, EVENT_RECV, m->rank - m->n, 4);
		if (m->x < m->n - 1)
			exchange(m, EVENT_SEND, m->rank + 1, 2);
		if (m->y < m->n - 1)
			exchange(m, EVENT_SEND, m->rank + m->n, 4);
	}
	for (int i = 0; i < 4; i++) {
		if (m->x < m->n - 1)
			exchange(m, EVENT_RECV, m->rank + 1, 1);
		if (m->y < m->n - 1)
			exchange(m, EVENT_RECV, m->rank + m->n, 3);
		if (m->x > 0)
			exchange(m, EVENT_SEND, m->rank - 1, 1);
		if (m->y > 0)
			exchange(m, EVENT_SEND, m->rank - m->n, 3);
	}
}

/* With all neighbours, of 4 or 26; reach 0 in z: two dimensions. */
static void stencil(struct member *m, enum event_kind kind, int reach, bool corners)
{
	for (int dz = -reach; dz <= reach; dz++)
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++) {
				int64_t x = (int64_t)m->x + dx, y = (int64_t)m->y + dy, z = (int64_t)m->z + dz;
				if ((!corners && abs(dx) + abs(dy) + abs(dz) != 1) || (!dx && !dy && !dz))
					continue;
				if (x >= 0 && y >= 0 && z >= 0 && x < m->n && y < m->n && z < m->n)
					exchange(m, kind, (uint32_t)(x + m->n * (y + m->n * z)), 1);
			}
}

static void stencil_5(struct member *m)
{
	stencil(m, EVENT_SEND, 0, false);
	stencil(m, EVENT_RECV, 0, false);
}

static void stencil_27(struct member *m)
{
	stencil(m, EVENT_SEND, 1, true);
	stencil(m, EVENT_RECV, 1, true);
}

/* Around in both directions: the grid must be found. */
static void torus(struct member *m)
{
	uint32_t n = m->n, east = (m->x + 1) % n + n * m->y, west = (m->x + n - 1) % n + n * m->y;
	uint32_t south = m->x + n * ((m->y + 1) % n), north = m->x + n * ((m->y + n - 1) % n);
	exchange(m, EVENT_SEND, east, 1);
	exchange(m, EVENT_SEND, west, 1);
	exchange(m, EVENT_SEND, south, 1);
	exchange(m, EVENT_SEND, north, 1);
	exchange(m, EVENT_RECV, west, 1);
	exchange(m, EVENT_RECV, east, 1);
	exchange(m, EVENT_RECV, north, 1);
	exchange(m, EVENT_RECV, south, 1);
}

static size_t statements_of(void (*step)(struct member *), uint32_t n, unsigned dimensions)
{
	struct model *local = model_new();
	local->processes = dimensions == 2 ? n * n : n * n * n;
	for (uint32_t p = 0; p < local->processes; p++) {
		struct member m = {local->dictionary, nlr_new(NULL), n, p, p % n, p / n % n, p / n / n, {0}};
		for (uint32_t k = 0; k < 5; k++)
			m.tag[k] = dictionary_tag(m.dictionary,
				&(struct tag){dictionary_word(m.dictionary, "tag", 3), true, k, NO_COMMUNICATOR});
		for (int i = 0; i < 5; i++)
			step(&m);
		append_nest(local, nlr_finish(m.nlr));
	}
	struct model *global = merge_reduce(local, NULL, NULL);
	struct program *f = fold(global, NULL);
	size_t statements = f->length;
	struct error error = {0};
	struct model *u = program_to_model(f, &error);
	CU_ASSERT(model_equal(u, global));
	model_free(u);
	model_free(global);
	model_free(local);
	return statements;
}

static void any_size(void)
{
	CU_ASSERT_EQUAL(statements_of(wavefront, 4, 2), 11);
	CU_ASSERT_EQUAL(statements_of(wavefront, 64, 2), 11);
	CU_ASSERT_EQUAL(statements_of(stencil_5, 3, 2), 9);
	CU_ASSERT_EQUAL(statements_of(stencil_5, 30, 2), 9);
	CU_ASSERT_EQUAL(statements_of(stencil_27, 3, 3), 53);
	CU_ASSERT_EQUAL(statements_of(stencil_27, 10, 3), 53);
	CU_ASSERT_EQUAL(statements_of(torus, 4, 2), 9);
	CU_ASSERT_EQUAL(statements_of(torus, 50, 2), 9);
}

/* ------------------------------------------------------------------ random programs */

struct sums {
	size_t statements, constructs, relisted, whole;
};

/* NULL, or what is wrong. */
static const char *check_fold(const struct model *m, const struct fold_options *options, struct sums *sums)
{
	struct program *f = fold(m, options);
	struct text text = {0};
	struct error error = {0};
	program_print_text(f, &text);
	struct program *g = program_parse("fold", text.data, text.length, &error);
	text_clear(&text);
	sums->statements += f->length;
	sums->constructs += model_constructs(m);
	if (!g || !program_equal(f, g)) {
		fprintf(stderr, "\n%s\n", g ? "" : error.message);
		program_free(f);
		program_free(g);
		return "the text is read otherwise";
	}
	bool counted = program_events(f) == model_events(m);
	program_free(g);
	roll(f);
	bool whole = exchanges_whole(f);
	struct model *u = program_to_model(f, &error);
	const char *why = counted ? NULL : "other events";
	struct merge_links links;
	sums->whole += whole;
	if (!why && whole && (!merge_complete(m, &error) || !merge_verify(m, &links, &error) || links.irregular))
		why = "not all is received in its iteration";
	if (!why && !model_equal(u, m)) {
		struct model *again = relisted(m);
		sums->relisted++;
		if (!model_equal(u, again))
			why = "unfolding gives another model";
		model_free(again);
	}
	model_free(u);
	return why;
}

static bool check_program(uint64_t seed, enum spmd_style style, struct sums *sums)
{
	static const struct fold_options offsets = {.offsets_only = true};
	struct spmd *program = spmd_new(seed, style);
	struct spmd_run *run = spmd_run(program);
	struct model *m = spmd_model(run);
	struct sums ignored = {0};
	const char *why = check_fold(m, NULL, sums);
	why = why ? why : check_fold(m, &offsets, &ignored);
	if (why) {
		struct text text = {0};
		model_print_text(m, &text);
		fprintf(stderr, "\nseed %llu, style %d: %s\n%s\n", (unsigned long long)seed, (int)style, why,
			text.data);
		text_clear(&text);
		CU_FAIL("a random program");
	}
	model_free(m);
	spmd_run_free(run);
	spmd_free(program);
	return !why;
}

#define PROGRAMS 100
#define PROGRAMS_MOST 10000 /* however long the soak */

static void random_programs(void)
{
	uint64_t programs = rounds(PROGRAMS);
	struct sums sums = {0};
	programs = programs < PROGRAMS_MOST ? programs : PROGRAMS_MOST;
	for (uint64_t i = 0; i < programs * SPMD_STYLES; i++)
		if (!check_program(1 + i / SPMD_STYLES, (enum spmd_style)(i % SPMD_STYLES), &sums))
			break;
	fprintf(stderr, "(%zu statements for %zu constructs, %zu models equal but for their listing) ", sums.statements,
		sums.constructs, sums.relisted);
	CU_ASSERT(sums.whole > programs / 4);
}

void suite_fold(CU_pSuite suite)
{
	CU_add_test(suite, "numbers as functions", values);
	CU_add_test(suite, "ranks as functions", places);
	CU_add_test(suite, "groups as functions", areas);
	CU_add_test(suite, "unfolding", unfolding);
	CU_add_test(suite, "bad text", bad_text);
	CU_add_test(suite, "bad grids", bad_grids);
	CU_add_test(suite, "folding", folding);
	CU_add_test(suite, "chains of pairs", chains);
	CU_add_test(suite, "rare chains", rare_chains);
	CU_add_test(suite, "the same on any number of processes", any_size);
	CU_add_test(suite, "random programs", random_programs);
}
