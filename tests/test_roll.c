/*
 * test_roll.c -- statements that advance with the indices of loops: their text, what they stand
 * for, and that rolling finds them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fold/absorb.h"
#include "fold/fold.h"
#include "fold/nested.h"
#include "merge/merge.h"
#include "model/instances.h"
#include "nlr/nlr.h"
#include "fold/roll.h"
#include "tests/rows.h"
#include "tests/models.h"
#include "tests/unit.h"

#define HEAD "// tracenest 1\n// processes 8\n// grid 8 1\n"

static struct program *parse_row(const char *row, struct error *error)
{
	struct text text = lines_of_row(HEAD, row);
	*error = (struct error){0};
	struct program *f = program_parse("row", text.data, text.length, error);
	text_clear(&text);
	return f;
}

static struct program *need_row(const char *row)
{
	struct error error;
	struct program *f = parse_row(row, &error);
	if (!f) {
		fprintf(stderr, "\n  %s\n  %s\n", row, error.message);
		CU_FAIL_FATAL("does not parse");
	}
	return f;
}

static bool same_text(const char *why, const struct program *is, const struct program *expected)
{
	struct text a = {0}, b = {0};
	program_print_text(is, &a);
	program_print_text(expected, &b);
	bool same = !strcmp(a.data, b.data);
	if (!same)
		fprintf(stderr, "\n%s: is\n%sinstead of\n%s", why, a.data, b.data);
	text_clear(&a);
	text_clear(&b);
	return same;
}

/* ------------------------------------------------------------------ iterations around loops */

static bool write_itself(void *context, uint32_t shape, uint32_t width, const int64_t *number, struct absorb_list *to)
{
	(void)context;
	absorb_add(to, shape, width, number);
	return true;
}

/* Nodes behind the end of a nest, or before its begin, are none of it, whatever stands there. */
static void iterations_cut_off(void)
{
	struct affine_node body[] = {{.shape = 1}, {.shape = 2}};
	struct affine_node loop = {.shape = AFFINE_LOOP, .value = (int64_t[]){3}, .body = body, .length = 2};
	struct affine_node behind[] = {loop, {.shape = 1}, {.shape = 2}, {.shape = 1}, {.shape = 2}},
			   before[] = {{.shape = 1}, {.shape = 2}, loop};
	int64_t count = 3, again = 3;
	struct absorb_rules rules = {.write = write_itself};
	struct affine_nest *n = affine_nest_new();
	struct affine_node *own = n->root;
	behind[0].value = &count;
	n->root = behind;
	n->length = 4; /* the last iteration is cut off */
	CU_ASSERT(absorb(n, &rules));
	CU_ASSERT_EQUAL(n->length, 2);
	CU_ASSERT_EQUAL(count, 4);
	before[2].value = &again;
	n->root = before + 1;
	n->length = 2; /* the first one is */
	CU_ASSERT(!absorb(n, &rules));
	CU_ASSERT_EQUAL(n->length, 2);
	CU_ASSERT_EQUAL(again, 3);
	n->root = own;
	n->length = 0;
	affine_nest_free(n);
}

/* An iteration whose numbers or counts are beyond 64 bits is none, whatever stands there. */
static void iterations_beyond(void)
{
	static const struct {
		const char *why;
		bool behind; /* else before */
		int64_t first, step; /* of the number, or of the count of the loop inside */
		bool loop, absorbed;
	} cases[] = {
		{"a number that goes on", false, 1, 1, false, true},
		{"a number below the least", false, INT64_MIN + 10, 20, false, false},
		{"a number above the most", true, INT64_MAX - 50, 20, false, false},
		{"a count of nothing that goes on", false, -100, 20, true, true},
		{"a count below the least", false, INT64_MIN + 10, 20, true, false},
		{"... behind the loop", true, INT64_MIN + 50, -20, true, false},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t value[] = {cases[i].first, cases[i].step}, count = 3;
		struct affine_node inner = {.shape = 3};
		struct affine_node body[] = {{.shape = 1}, {.shape = 2, .width = 1, .value = value}};
		if (cases[i].loop)
			body[1] =
				(struct affine_node){.shape = AFFINE_LOOP, .value = value, .body = &inner, .length = 1};
		struct affine_node loop = {.shape = AFFINE_LOOP, .value = &count, .body = body, .length = 2};
		int64_t before_first = (int64_t)((uint64_t)cases[i].first - (uint64_t)cases[i].step);
		struct affine_node number = {.shape = 2, .width = 1, .value = &before_first};
		struct affine_node before[] = {{.shape = 1}, number, loop}, alone[] = {{.shape = 1}, loop},
				   behind[] = {loop, {.shape = 1}, number};
		struct absorb_rules rules = {.write = write_itself};
		struct affine_nest *n = affine_nest_new();
		struct affine_node *own = n->root;
		size_t length = cases[i].loop ? 2 : 3;
		n->root = cases[i].behind ? behind : cases[i].loop ? alone : before;
		n->length = length;
		ROW(cases[i].why, absorb(n, &rules) == cases[i].absorbed);
		ROW(cases[i].why, n->length == (cases[i].absorbed ? 1 : length));
		ROW(cases[i].why, count == (cases[i].absorbed ? 4 : 3));
		n->root = own;
		n->length = 0;
		affine_nest_free(n);
	}
}

/* ------------------------------------------------------------------ what they stand for */

static void instances(void)
{
	static const struct {
		const char *why, *row, *constant;
	} cases[] = {
		{"a tag that counts", "for i0 = 0 to 2 / 0 send 1 t{5+2*i0} / done",
			"0 send 1 t5 / 0 send 1 t7 / 0 send 1 t9"},
		{"a peer that does", "for i0 = 0 to 2 / {3-i0} recv 0 t / done",
			"3 recv 0 t / 2 recv 0 t / 1 recv 0 t"},
		{"a root", "for i0 = 0 to 1 / 0-7 sync S 0-7 root={6+i0} / done",
			"0-7 sync S 0-7 root=6 / 0-7 sync S 0-7 root=7"},
		{"tag and peer, with a communicator", "for k = 0 to 1 / 0 send {1+k} {k}@3 / done",
			"0 send 1 0@3 / 0 send 2 1@3"},
		{"the index as it is written", "for k = 5 to 6 / 0 send 1 t{k} / done", "0 send 1 t5 / 0 send 1 t6"},
		{"the innermost of that name", "for i = 0 to 1 / for i = 4 to 5 / 0 send 1 t{i} / done / done",
			"for i = 0 to 1 / 0 send 1 t4 / 0 send 1 t5 / done"},
		{"a loop around whose index is not used stays",
			"for i0 = 0 to 8 / for i1 = 0 to 1 / 0 send 1 t{i1} / done / done",
			"for i0 = 0 to 8 / 0 send 1 t0 / 0 send 1 t1 / done"},
		{"a loop inside stays", "for i0 = 0 to 1 / for i1 = 0 to 8 / 0 send 1 t{i0} / done / done",
			"for i0 = 0 to 8 / 0 send 1 t0 / done / for i0 = 0 to 8 / 0 send 1 t1 / done"},
		{"a triangle", "for i0 = 0 to 4 / for i1 = 0 to {i0-1} / 0 send 1 t / done / 0-7 sync S 0-7 / done",
			"0-7 sync S 0-7 / 0 send 1 t / 0-7 sync S 0-7 / 0 send 1 t / 0 send 1 t / 0-7 sync S 0-7 / "
			"for i = 0 to 2 / 0 send 1 t / done / 0-7 sync S 0-7 / for i = 0 to 3 / 0 send 1 t / done / 0-7 sync S 0-7"},
		{"a triangle whose index is used",
			"for i = 0 to 2 / for j = 0 to {i} / 0 send 1 t{10*i+j} / done / done",
			"0 send 1 t0 / 0 send 1 t10 / 0 send 1 t11 / 0 send 1 t20 / 0 send 1 t21 / 0 send 1 t22"},
		{"less than nothing is nothing", "for i = 0 to 3 / for j = 0 to {i-3} / 0 send 1 t{j} / done / done",
			"0 send 1 t0"},
		{"a lower bound counts", "for i = 2 to 4 / for j = 2 to {i} / 0 send 1 t{j} / done / done",
			"0 send 1 t2 / 0 send 1 t2 / 0 send 1 t3 / 0 send 1 t2 / 0 send 1 t3 / 0 send 1 t4"},
		{"relative to the process", "[1-2] for i0 = 0 to 1 / [1-2] p send p+1+2*i0 t{10*p+i0} / done",
			"[1-2] p send p+1 t{10*p} / [1-2] p send p+3 t{1+10*p}"},
		{"on the grid", "[0-7] for i0 = 0 to 2 / [0-7] p send @(x-1-i0,y) t / done",
			"[0-7] p send @(x-1,y) t / [0-7] p send @(x-2,y) t / [0-7] p send @(x-3,y) t"},
		{"around the grid, by the shorter way", "[0-7] for i0 = 0 to 1 / [0-7] p send @(x+4+i0,y) t / done",
			"[0-7] p send @(x+4,y) t / [0-7] p send @(x-3,y) t"},
		{"a number, and a root",
			"[0-3] for i0 = 0 to 1 / [0-3] p send {4+i0} t / [0-3] p sync S 0-3 root={i0} / done",
			"[0-3] p send 4 t / [0-3] p sync S 0-3 root=0 / [0-3] p send 5 t / [0-3] p sync S 0-3 root=1"},
		{"braces without an index are numbers", "0 send {1} t{5}", "0 send 1 t5"},
		{"a communicator", "for i0 = 0 to 1 / [0-7] p sync S 0-7@{1+i0} / [0-7] p send p t{p}@{2*i0} / done",
			"[0-7] p sync S 0-7@1 / [0-7] p send p t{p}@0 / [0-7] p sync S 0-7@2 / [0-7] p send p t{p}@2"},
		{"a remainder", "for i0 = 0 to 2 / [0-7] p send p t{(p+i0)%4} / 0 send {5+(i0)%2} t{(2*i0)%3*2} / done",
			"[0-7] p send p t{(p)%4} / 0 send 5 t0 / [0-7] p send p t{(p+1)%4} / 0 send 6 t4 / [0-7] p send p t{(p+2)%4} / 0 send 5 t2"},
		{"on a ring", "for i0 = 0 to 2 / [0-7] p send (p+2+i0)%5 t / done",
			"[0-7] p send (p+2)%5 t / [0-7] p send (p-2)%5 t / [0-7] p send (p-1)%5 t"},
		{"a name longer than is kept of it",
			"for a23456789b23456789c23456789d23456789 = 1 to 2 / 0 send 1 t{a23456789b23456789c23456789d23456789} / done",
			"0 send 1 t1 / 0 send 1 t2"},
		{"a tag that is least on the last process", "[0-3] for i = 0 to 1 / [0-3] p send p t{3-p+i} / done",
			"[0-3] p send p t{3-p} / [0-3] p send p t{4-p}"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct program *f = need_row(cases[i].row), *constant = need_row(cases[i].constant), *again;
		struct text text = {0};
		struct error error;
		program_print_text(f, &text);
		again = program_parse("row", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(again);
		CU_ASSERT(same_text("read again", again, f));
		CU_ASSERT_EQUAL(program_events(f), program_events(constant));
		struct instances_error wrong;
		CU_ASSERT(instances_write(f, INSTANCES_EXECUTED_LIMIT, NULL, &wrong));
		CU_ASSERT(same_text(cases[i].why, f, constant));
		text_clear(&text);
		program_free(again);
		program_free(f);
		program_free(constant);
	}
}

/* Where loops around are left out that nothing depends on, the numbers stay. */
static void squeezed(void)
{
	struct program *f = program_of(
		"// tracenest 1\n// processes 99\nfor i0 = 0 to 3\nfor i1 = 0 to 3\nfor i2 = 0 to 3\nfor i3 = 0 to 3\n"
		"0 send {1+i3+(i0)%2+(2*i0+i2)%3*5+(i2+i3)%4*7+$w[i0,i2,i3%2]} t\ndone\ndone\ndone\ndone\n// tables\n"
		"$w[i0,i1,i2] = 1 2 | 3 4 | 5 6 | 7 8 || 9 10 | 11 12 | 13 14 | 15 16 || 17 18 | 19 20 | 21 22 | 23 24 || 25 26 | 27 28 | 29 30 | 31 32\n");
	struct form form = program_get_form(f, f->statement[4].event);
	struct value squeezed = form.peer.value;
	value_squeeze(&squeezed, 1u << 1);
	for (int n = 0; n < 256; n++) {
		int64_t index[INDEX_DEPTH] = {n >> 6, n >> 4 & 3, n >> 2 & 3, n & 3};
		int64_t without[INDEX_DEPTH] = {index[0], index[2], index[3]};
		struct spot spot = grid_spot(&f->grid, 0), there = spot;
		spot.index = index;
		there.index = without;
		CU_ASSERT_EQUAL(value_at(&squeezed, &there), value_at(&form.peer.value, &spot));
	}
	CU_ASSERT_EQUAL(value_indices(&squeezed) & 15, 7);
	program_free(f);
}

#define NAMED 2048

/* Each iteration is looked at for the process that it names, not for all that are named, also
   beside counts that depend on the process. */
static void named_processes(void)
{
	struct text text = {0};
	text_format(&text, "// tracenest 1\n// processes %d\nfor i0 = 0 to %d\n[$w[i0]] p send 0 t{i0}\ndone\n", NAMED,
		NAMED - 1);
	text_put(&text, "[0-1] for i0 = 0 to {p}\n[0-1] p local x\ndone\n// tables\n$w[i0] =");
	for (int i = 0; i < NAMED; i++)
		text_format(&text, " %d", i * 5 % NAMED);
	text_char(&text, '\n');
	struct program *f = program_of(text.data);
	struct instances_error wrong;
	CU_ASSERT_FATAL(instances_write(f, INSTANCES_EXECUTED_LIMIT, NULL, &wrong));
	for (int i = 0; i < NAMED; i++) {
		struct ranks_run single;
		struct ranks who = program_processes(f, &f->statement[i], &single);
		CU_ASSERT(ranks_count(&who) == 1 && ranks_has(&who, (uint32_t)(i * 5 % NAMED)));
	}
	program_free(f);
	text_clear(&text);
}

static void bad_text(void)
{
	static const struct {
		const char *row, *message;
	} cases[] = {
		{"0 send 1 t{i0}", "row:4: 'i0' is no index of a loop around this line"},
		{"for i0 = 0 to {i0} / done", "row:4: 'i0' is no index of a loop around this line"},
		{"for i0 = {3} to 5 / done", "row:4: the lower bound of a loop must be a number"},
		{"for i0 = 0 to 3 / 0 send 1 t{2-i0} / done", "row:5: the tag is negative for some indices"},
		{"for i0 = 0 to 3 / 0 send {2-i0} t / done",
			"row:5: the peer or root is no rank of the run for some indices"},
		{"for i0 = 0 to 3 / [0-7] p send p-3+i0 t / done",
			"row:5: the peer or root is no rank of the run for some indices"},
		{"for i0 = 0 to 3 / [0-7] p send p t{3-i0-p} / done", "row:5: the tag is negative for some indices"},
		{"for i0 = 0 to 3 / 0 send 1 t{p+i0} / done",
			"row:5: 't{p+i0}': in a statement without a set, only indices may stand in braces"},
		{"for i0 = 0 to 3 / 0 send 1 t9{i0} / done",
			"row:5: 't9{i0}': a digit before the number of a tag would be part of it"},
		{"for i0 = 0 to 3 / 0 send 1 t{i0}2 / done",
			"row:5: 't{i0}2' is not a tag: behind what is in braces only @ and a communicator may follow"},
		{"for i0 = 0 to 3 / 0 send {i0}1 t / done",
			"row:5: '{i0}1' is not a rank: nothing follows what is in braces"},
		{"for i0 = 0 to 3 / 0 sync S 0 root={0}1 / done",
			"row:5: 'root={0}1' is not a rank: nothing follows what is in braces"},
		{"for i0 = 0 to 3 / 0 send 1 t@{i0} / done",
			"row:5: 't@{i0}': the communicator of a statement without a set is a number"},
		{"for i0 = 0 to 3 / {i0} send 1 t / done", "row:5: '{i0}': braces may stand in tags, peers and roots"},
		{"for i0 = 0 to 3 / 0 sync S {i0} / done", "row:5: '{i0}': braces may stand in tags, peers and roots"},
		{"for i0 = 0 to 3 / [0-7] p sync S @(*,y+i0) / done",
			"row:5: 'i0': an index may not stand here, only in tags, peers, roots, communicators and bounds"},
		{"for i0 = 0 to 3 / [0-7] p send p t@{2-i0} / done",
			"row:5: the communicator is negative for some indices"},
		{"for i0 = 0 to 3 / [0-7] p send p t{(p+i0)%4-3} / done",
			"row:5: the tag is negative for some indices"},
		{"for i0 = 0 to 3 / [0-7] p send {9+(i0)%2-10} t / done",
			"row:5: the peer or root is no rank of the run for some indices"},
		{"for i0 = 0 to 3 / [0-7] p send {p+i0} t / done",
			"row:5: a rank that is p and something is written without braces, p+1+i0"},
		{"for i0 = 0 to 3 / [0-7] p send p+x t / done", "row:5: a rank relative to p is p+1, p-1 or p+1+i0"},
		{"for i0 = 0 to 3 / 0 send 1 t{i0+} / done",
			"row:5: a number or one of p, x, y, z, w or an index is expected, not '}'"},
		{"for i0 = 0 to 3 / [0-3] p send {i0+} t / done",
			"row:5: a number or one of p, x, y, z, w or an index is expected, not '} t'"},
		{"for i0 = 0 to 3 / 0 send 1 t{i0-i0-2} / done", "row:5: 't{i0-i0-2}' would be negative"},
		{"for i0 = 0 to 3 / 0 send {i0-i0-2} t / done", "row:5: '{i0-i0-2}' would be negative"},
		{"[0-3] for i0 = 0 to 3 / [0-3] p sync S 0-1 root={i0} / done",
			"row:5: process 2 is not in the group of its sync"},
		{"[0-3] for i0 = 0 to 3 / [0-3] p sync S @(0,y) root={i0} / done",
			"row:5: process 1 is not in the group of its sync"},
		{"[0-3] for i0 = 0 to 3 / [0-3] p send p^8 t{i0} / done",
			"row:5: the peer of process 0 would be 8, but the header says 8 processes"},
		{"[0-3] for i0 = 0 to 3 / [0-3] p send @(x+1+i0,y) t{2-p} / done",
			"row:5: the tag of process 3 would be negative"},
		{"[0-3] for i0 = 0 to 3 / [0-3] p send @(x+1+i0,y) t@{2-p} / done",
			"row:5: the communicator of process 3 would be negative"},
		{"for i0 = 0 to 999999999999 / for i1 = 0 to {i0} / 0 send 1 t{i0-i1} / done / done",
			"row:5: it stands for too many statements that differ"},
		{"for i0 = 0 to 999999999999 / for i1 = 0 to {-1-i0} / 0 send 1 t{i1} / done / done",
			"row:5: it stands for too many statements that differ"},
		{"for i0 = 0 to 9000000000000000000 / for i1 = 0 to {2000000000*i0} / 0 send 1 t / done / done",
			"row:5: it stands for too many statements that differ"},
		{"for i0 = 0 to 2 / for i1 = 0 to {2000000000*i0} / for i2 = 0 to 4000000000000000 / 0 send 1 t / done / done / done",
			"row:5: the model stands for 2^63 events or more"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error error;
		struct program *f = parse_row(cases[i].row, &error);
		CU_ASSERT_PTR_NULL(f);
		if (f || strcmp(error.message, cases[i].message)) {
			fprintf(stderr, "\n%s:\n  is  %s\n  not %s\n", cases[i].row, f ? "read" : error.message,
				cases[i].message);
			CU_FAIL("another message");
		}
		program_free(f);
	}
}

/* ------------------------------------------------------------------ finding them */

static void rolling(void)
{
	static const struct {
		const char *why, *constant, *rolled; /* NULL: it stays */
	} cases[] = {
		{"three are too few", "0 send 1 t1 / 0 send 1 t2 / 0 send 1 t3", NULL},
		{"four are a loop", "0 send 1 t1 / 0 send 1 t2 / 0 send 1 t3 / 0 send 1 t4",
			"for i0 = 0 to 3 / 0 send 1 t{1+i0} / done"},
		{"equal ones are not, for that would be another model",
			"0 send 1 t / 0 send 1 t / 0 send 1 t / 0 send 1 t", NULL},
		{"... and do not keep others from being one, where a ring brings them back to where they were",
			"[0-7] p send (p+1)%8 t / [0-7] p send (p+3)%8 t / [0-7] p send (p+1)%8 t / [0-7] p send (p+3)%8 t / "
			"[0-7] p send (p+1)%8 t / [0-7] p send (p+3)%8 t / 0 send 1 t1 / 0 send 1 t2 / 0 send 1 t3 / 0 send 1 t4",
			"[0-7] p send (p+1)%8 t / [0-7] p send (p+3)%8 t / [0-7] p send (p+1)%8 t / [0-7] p send (p+3)%8 t / "
			"[0-7] p send (p+1)%8 t / [0-7] p send (p+3)%8 t / for i0 = 0 to 3 / 0 send 1 t{1+i0} / done"},
		{"loops that advance, in a loop",
			"for i = 0 to 9 / for j = 0 to 4 / 0 send 1 t1 / done / for j = 0 to 5 / 0 send 1 t2 / done / for j = 0 to 6 / 0 "
			"send 1 t3 / done / done",
			"for i0 = 0 to 9 / for i1 = 0 to 2 / for i2 = 0 to {4+i1} / 0 send 1 t{1+i1} / done / done / done"},
		{"its own index inside, one of a loop around it",
			"0 send 1 t1 / 0 send 1 t2 / 0 send 1 t3 / 0 send 1 t4 / 0-7 sync S 0-7 / "
			"0 send 1 t2 / 0 send 1 t3 / 0 send 1 t4 / 0 send 1 t5 / 0-7 sync S 0-7 / "
			"0 send 1 t3 / 0 send 1 t4 / 0 send 1 t5 / 0 send 1 t6 / 0-7 sync S 0-7",
			"for i0 = 0 to 2 / for i1 = 0 to 3 / 0 send 1 t{1+i0+i1} / done / 0-7 sync S 0-7 / done"},
		{"a triangle from its first row",
			"0-7 sync S 0-7 / 0 send 1 t / 0-7 sync S 0-7 / 0 send 1 t / 0 send 1 t / 0-7 sync S 0-7 / "
			"for i = 0 to 2 / 0 send 1 t / done / 0-7 sync S 0-7 / for i = 0 to 3 / 0 send 1 t / done / 0-7 sync S 0-7 / "
			"for i = 0 to 4 / 0 send 1 t / done / 0-7 sync S 0-7",
			"for i0 = 0 to 4 / 0-7 sync S 0-7 / for i1 = 0 to {i0} / 0 send 1 t / done / done / 0-7 sync S 0-7"},
		{"to its last row",
			"for i = 0 to 4 / 0 send 1 t / done / 0-7 sync S 0-7 / for i = 0 to 3 / 0 send 1 t / done / 0-7 sync S 0-7 / "
			"for i = 0 to 2 / 0 send 1 t / done / 0-7 sync S 0-7 / 0 send 1 t / 0 send 1 t / 0-7 sync S 0-7 / "
			"0 send 1 t / 0-7 sync S 0-7 / 0-7 sync S 0-7",
			"for i0 = 0 to 5 / for i1 = 0 to {4-i0} / 0 send 1 t / done / 0-7 sync S 0-7 / done"},
		{"no message goes from one iteration to the next",
			"0 send 1 t1 / 0 send 1 t2 / 0 recv 1 t1 / 0 send 1 t3 / 0 recv 1 t2 / 0 send 1 t4 / 0 recv 1 t3 / 0 send 1 t5 / "
			"0 recv 1 t4 / 0 recv 1 t5",
			NULL},
		{"but out of a loop, and into it",
			"0 send 1 t1 / 0 send 1 t2 / 0 send 1 t3 / 0 send 1 t4 / 0 recv 1 t4 / 0 recv 1 t3 / 0 recv 1 t2 / 0 recv 1 t1",
			"for i0 = 0 to 3 / 0 send 1 t{1+i0} / done / for i0 = 0 to 3 / 0 recv 1 t{4-i0} / done"},
		{"over all processes, around the grid",
			"[0-7] p send @(x+2,y) t / [0-7] @(x-2,y) recv p t / [0-7] p send @(x+3,y) t / [0-7] @(x-3,y) recv p t / "
			"[0-7] p send @(x+4,y) t / [0-7] @(x+4,y) recv p t / [0-7] p send @(x-3,y) t / [0-7] @(x+3,y) recv p t",
			"[0-7] for i0 = 0 to 3 / [0-7] p send @(x+2+i0,y) t / [0-7] @(x-2-i0,y) recv p t / done"},
		{"over the ring",
			"[0-7] p send (p+2)%8 t / [0-7] (p-2)%8 recv p t / [0-7] p send (p+3)%8 t / [0-7] (p-3)%8 recv p t / "
			"[0-7] p send (p+4)%8 t / [0-7] (p+4)%8 recv p t / [0-7] p send (p-3)%8 t / [0-7] (p+3)%8 recv p t",
			"[0-7] for i0 = 0 to 3 / [0-7] p send (p+2+i0)%8 t / [0-7] (p-2-i0)%8 recv p t / done"},
		{"a coordinate goes on where it wraps around",
			"[0-7] p sync S 0-7 root=@(6,y) / [0-7] p sync S 0-7 root=@(7,y) / [0-7] p sync S 0-7 root=@(0,y) / "
			"[0-7] p sync S 0-7 root=@(1,y)",
			"[0-7] for i0 = 0 to 3 / [0-7] p sync S 0-7 root=@(6+i0,y) / done"},
		{"a digit, too",
			"[0-7] p send p t{5+(x+6)%8} / [0-7] p recv p t{5+(x+6)%8} / [0-7] p send p t{5+(x+7)%8} / [0-7] p recv p t{5+(x+7)%8} / "
			"[0-7] p send p t{5+(x)%8} / [0-7] p recv p t{5+(x)%8}",
			"[0-7] for i0 = 0 to 2 / [0-7] p send p t{5+(x+6+i0)%8} / [0-7] p recv p t{5+(x+6+i0)%8} / done"},
		{"roots that come to 0, in fewer steps each time",
			"[0-7] p sync S 0-7 root=@(3,y) / [0-7] p sync S 0-7 root=@(2,y) / [0-7] p sync S 0-7 root=@(1,y) / "
			"[0-7] p sync S 0-7 root=@(0,y) / [0-7] p sync T 0-7 / [0-7] p sync S 0-7 root=@(2,y) / "
			"[0-7] p sync S 0-7 root=@(1,y) / [0-7] p sync S 0-7 root=@(0,y) / [0-7] p sync T 0-7 / "
			"[0-7] p sync S 0-7 root=@(1,y) / [0-7] p sync S 0-7 root=@(0,y) / [0-7] p sync T 0-7 / "
			"[0-7] p sync S 0-7 root=@(0,y) / [0-7] p sync T 0-7",
			"[0-7] for i0 = 0 to 3 / [0-7] for i1 = 0 to {3-i0} / [0-7] p sync S 0-7 root=@(3-i0-i1,y) / done / "
			"[0-7] p sync T 0-7 / done"},
		{"over some",
			"[0-3] p send p+1 t{p} / [1-4] p-1 recv p t{-1+p} / [0-3] p send p+2 t{2+p} / [2-5] p-2 recv p t{p} / "
			"[0-3] p send p+3 t{4+p} / [3-6] p-3 recv p t{1+p} / [0-3] p send p+4 t{6+p} / [4-7] p-4 recv p t{2+p}",
			NULL},
		{"numbers too large for 64 bits are left alone",
			"0 send 1 t18446744073709551612 / 0 send 1 t18446744073709551613 / 0 send 1 t18446744073709551614 / "
			"0 send 1 t18446744073709551615",
			NULL},
		{"large steps, too",
			"0 send 1 t1 / 0 send 1 t4000000001 / 0 send 1 t8000000001 / 0 send 1 t12000000001 / 0 send 1 t16000000001",
			NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct program *f = need_row(cases[i].constant);
		struct program *expected = need_row(cases[i].rolled ? cases[i].rolled : cases[i].constant);
		CU_ASSERT(roll(f) || !cases[i].rolled);
		CU_ASSERT(same_text(cases[i].why, f, expected));
		program_free(f);
		program_free(expected);
	}
	struct program *f = need_row(cases[COUNT(cases) - 1].constant);
	CU_ASSERT_FALSE(roll(f)); /* there is something, but text cannot say it */
	program_free(f);
	f = need_row(cases[1].constant);
	struct program *rolled = need_row(cases[1].rolled);
	CU_ASSERT(roll(f));
	CU_ASSERT(roll(f));
	CU_ASSERT(same_text("what is rolled stays", f, rolled));
	program_free(f);
	program_free(rolled);
}

/* ------------------------------------------------------------------ random programs */

struct random {
	uint64_t state;
};

static unsigned below(struct random *r, unsigned limit)
{
	r->state += 0x9e3779b97f4a7c15u;
	return (unsigned)(hash_mix(r->state) % limit);
}

static void write_function(struct random *r, int least, unsigned depth, struct text *to)
{
	text_format(to, "{%d", least + (int)below(r, 5));
	for (unsigned d = 0; d < depth; d++)
		if (below(r, 2))
			text_format(to, "+%u*i%u", below(r, 4), d);
	text_char(to, '}');
}

static void write_random_event(struct random *r, unsigned depth, struct text *to)
{
	switch (below(r, 5)) {
	case 0:
		text_put(to, "[0-7] p send @(x");
		if (depth)
			text_format(to, "+i%u", below(r, depth));
		text_format(to, "+%u,y) t\n", below(r, 8));
		break;
	case 1:
		text_put(to, "[2-5] p sync S 2-5 root=4\n");
		break;
	case 2:
		text_format(to, "%u send ", below(r, 3));
		write_function(r, 0, depth, to);
		text_put(to, " t\n");
		break;
	default:
		text_format(to, "%u send 3 t", below(r, 3));
		write_function(r, 0, depth, to);
		text_char(to, '\n');
	}
}

static void write_random_body(struct random *r, unsigned depth, struct text *to)
{
	for (unsigned n = 1 + below(r, 3); n--;) {
		if (depth == 3 || below(r, 2)) {
			write_random_event(r, depth, to);
			continue;
		}
		text_format(to, "for i%u = 0 to ", depth);
		if (depth && below(r, 3) == 0)
			text_format(to, "{%d%ci%u}", (int)below(r, 5) - 1, below(r, 3) ? '+' : '-', below(r, depth));
		else
			text_format(to, "%u", 2 + below(r, 5));
		text_char(to, '\n');
		write_random_body(r, depth + 1, to);
		text_put(to, "done\n");
	}
}

/* Whatever the program, rolling what it stands for loses nothing; and mostly comes to something as
   short. */
static void random_programs(void)
{
	unsigned programs = rounds(300), shorter = 0, tried = 0;
	for (unsigned seed = 1; seed <= programs; seed++) {
		struct random r = {seed};
		struct text text = {0}, rolled = {0};
		struct error error = {0};
		text_put(&text, HEAD);
		write_random_body(&r, 0, &text);
		struct program *f = program_parse("program", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		size_t length = f->length;
		struct instances_error wrong;
		CU_ASSERT(instances_write(f, INSTANCES_EXECUTED_LIMIT, NULL, &wrong));
		struct text before = {0};
		program_print_text(f, &before);
		roll(f);
		program_print_text(f, &rolled);
		struct program *again = program_parse("rolled", rolled.data, rolled.length, &error);
		if (!again)
			fprintf(stderr, "\nseed %u: %s\n%s", seed, error.message, rolled.data);
		CU_ASSERT_PTR_NOT_NULL_FATAL(again);
		struct text after = {0};
		CU_ASSERT(instances_write(again, INSTANCES_EXECUTED_LIMIT, NULL, &wrong));
		program_print_text(again, &after);
		if (strcmp(before.data, after.data)) {
			fprintf(stderr, "\nseed %u:\n%s", seed, text.data);
			CU_FAIL_FATAL("rolled to something else");
		}
		tried++;
		shorter += f->length <= length;
		text_clear(&text);
		text_clear(&before);
		text_clear(&after);
		text_clear(&rolled);
		program_free(f);
		program_free(again);
	}
	fprintf(stderr, "(%.1f %% come back no longer) ", 100.0 * shorter / tried);
}

/* ------------------------------------------------- whole runs: events to global models and back */

/* Rounds of messages to (rank + shift) modulo all, tags that count, a triangle of syncs with roots
   that move. */
struct run {
	struct dictionary *dictionary;
	struct nlr *nlr;
	uint32_t rank, processes;
};

static void message(struct run *r, enum event_kind kind, uint32_t peer, uint64_t tag)
{
	struct tag t = {dictionary_word(r->dictionary, "t", 1), true, tag, NO_COMMUNICATOR};
	nlr_push(r->nlr, dictionary_event(r->dictionary, &(struct event){kind, r->rank, peer,
								 dictionary_tag(r->dictionary, &t), EVENT_CONSTANT}));
}

static void all_to_all(struct run *r)
{
	for (uint32_t i = 1; i < r->processes; i++) {
		message(r, EVENT_SEND, (r->rank + i) % r->processes, 7);
		message(r, EVENT_RECV, (r->rank + r->processes - i) % r->processes, 7);
	}
}

static void counting_tags(struct run *r)
{
	for (uint64_t i = 0; i < 50; i++) {
		if (r->rank + 1 < r->processes)
			message(r, EVENT_SEND, r->rank + 1, 100 + 2 * i);
		if (r->rank)
			message(r, EVENT_RECV, r->rank - 1, 100 + 2 * i);
	}
}

static void triangular_sweep(struct run *r)
{
	for (uint64_t i = 0; i < 12; i++)
		for (uint64_t k = 0; k <= i; k++) {
			if (r->rank)
				message(r, EVENT_RECV, r->rank - 1, i);
			if (r->rank + 1 < r->processes)
				message(r, EVENT_SEND, r->rank + 1, i);
		}
}

static void each_to_first(struct run *r)
{
	for (uint32_t i = 1; i < r->processes; i++) {
		if (!r->rank)
			message(r, EVENT_RECV, i, 1);
		else if (r->rank == i)
			message(r, EVENT_SEND, 0, 1);
	}
}

static void whole_runs(void)
{
	static const struct {
		void (*program)(struct run *);
		uint32_t processes;
		const char *row; /* NULL: other processes than HEAD's */
		size_t statements;
	} cases[] = {
		{all_to_all, 8,
			"[0-7] for i0 = 0 to 6 / [0-7] p send (p+1+i0)%8 t7 / [0-7] (p-1-i0)%8 recv p t7 / done", 3},
		{all_to_all, 12, NULL, 3},
		{all_to_all, 64, NULL, 3},
		{counting_tags, 8,
			"[0-7] for i0 = 0 to 49 / [0-6] p send p+1 t{100+2*i0} / [1-7] p-1 recv p t{100+2*i0} / done",
			3},
		{counting_tags, 100, NULL, 3},
		{triangular_sweep, 8,
			"[0-7] for i0 = 0 to 11 / [0-7] for i1 = 0 to {i0} / [1-7] p-1 recv p t{i0} / [0-6] p send p+1 t{i0} / done / done",
			4},
		{triangular_sweep, 30, NULL, 4},
		{each_to_first, 8, "[1-7] p send 0 t1 / for i0 = 0 to 6 / {1+i0} recv 0 t1 / done", 3},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct model *local = model_new();
		local->processes = cases[i].processes;
		for (uint32_t p = 0; p < local->processes; p++) {
			struct run r = {local->dictionary, nlr_new(NULL), p, local->processes};
			cases[i].program(&r);
			struct nest *n = nlr_finish(r.nlr);
			nest_append_all(local->nest, n, NULL);
			nest_free(n);
		}
		struct model *global = merge_reduce(local, NULL, NULL);
		struct program *f = fold(global, NULL);
		roll(f);
		CU_ASSERT_EQUAL(f->length, cases[i].statements);
		if (cases[i].row) {
			struct program *expected = need_row(cases[i].row);
			expected->grid = f->grid; /* HEAD's, where it is not needed */
			CU_ASSERT(same_text("a run", f, expected));
			program_free(expected);
		}
		struct error error = {0};
		struct model *again = program_to_model(f, &error);
		CU_ASSERT(model_equal(again, global));
		model_free(again);
		model_free(global);
		model_free(local);
	}
}

/* Loops around nothing but loops; "" : as they were. */
static void nested(void)
{
	static const struct {
		const char *why, *row, *joined;
	} cases[] = {
		{"numbers that go on", "for i0 = 0 to 3 / for i1 = 0 to 2 / 0 send 1 t{7+6*i0+2*i1} / done / done",
			"for i0 = 0 to 11 / 0 send 1 t{7+2*i0} / done"},
		{"numbers that do not", "for i0 = 0 to 3 / for i1 = 0 to 2 / 0 send 1 t{6*i0+i1} / done / done", ""},
		{"numbers that start again", "for i0 = 0 to 3 / for i1 = 0 to 2 / 0 send 1 t{i1} / done / done", ""},
		{"on the ring, if it has gone round",
			"[0-7] for i0 = 0 to 3 / [0-7] for i1 = 0 to 7 / [0-7] p send (p+1+i1)%8 t / done / done",
			"[0-7] for i0 = 0 to 31 / [0-7] p send (p+1+i0)%8 t / done"},
		{"else not", "[0-7] for i0 = 0 to 3 / [0-7] for i1 = 0 to 6 / [0-7] p send (p+1+i1)%8 t / done / done",
			""},
		{"roots on the grid",
			"[0-7] for i0 = 0 to 3 / [0-7] for i1 = 0 to 7 / [0-7] p sync B 0-7 root=@(3*i1,0) / done / done",
			"[0-7] for i0 = 0 to 31 / [0-7] p sync B 0-7 root=@(3*i0,0) / done"},
		{"remainders", "for i0 = 0 to 3 / for i1 = 0 to 4 / 0 send 1 t{(2*i1)%5*4} / done / done",
			"for i0 = 0 to 19 / 0 send 1 t{(2*i0)%5*4} / done"},
		{"three of them",
			"for i0 = 0 to 1 / for i1 = 0 to 2 / for i2 = 0 to 3 / 0 send 1 t{12*i0+4*i1+i2} / done / done / done",
			"for i0 = 0 to 23 / 0 send 1 t{i0} / done"},
		{"what is inside counts by the outer one, too",
			"for i0 = 0 to 1 / for i1 = 0 to 2 / for i2 = 0 to {3*i0+i1} / 0 send 1 t{i2} / done / done / done / 0 local x",
			"for i0 = 0 to 5 / for i1 = 0 to {i0} / 0 send 1 t{i1} / done / done / 0 local x"},
		{"something else beside it",
			"for i0 = 0 to 3 / for i1 = 0 to 2 / 0 send 1 t{3*i0+i1} / done / 0 local x / done", ""},
		{"what does not advance", "for i0 = 0 to 3 / for i1 = 0 to 2 / 0 send 1 t / done / done", ""},
		{"too much of it", "for i0 = 0 to 9999 / for i1 = 0 to 2 / 0 send 1 t{3*i0+i1} / done / done", ""},
		{"of fewer processes",
			"[0-7] for i0 = 0 to 3 / [0-6] for i1 = 0 to 7 / [0-6] p send p+1 t{8*i0+i1} / done / done",
			""},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct program *is = need_row(cases[i].row);
		struct program *expected = need_row(*cases[i].joined ? cases[i].joined : cases[i].row);
		uint64_t events = program_events(is);
		nested_join(is);
		CU_ASSERT(same_text(cases[i].why, is, expected) && program_events(is) == events);
		program_free(is);
		program_free(expected);
	}
}

void suite_roll(CU_pSuite suite)
{
	CU_add_test(suite, "iterations that are cut off", iterations_cut_off);
	CU_add_test(suite, "iterations beyond 64 bits", iterations_beyond);
	CU_add_test(suite, "what advances stands for", instances);
	CU_add_test(suite, "loops that nothing depends on", squeezed);
	CU_add_test(suite, "processes that are named", named_processes);
	CU_add_test(suite, "bad text", bad_text);
	CU_add_test(suite, "rolling", rolling);
	CU_add_test(suite, "loops around nothing but loops", nested);
	CU_add_test(suite, "random programs", random_programs);
	CU_add_test(suite, "whole runs", whole_runs);
}
