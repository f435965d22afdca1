/*
 * test_tables.c -- tables of numbers, guards, and counts that depend on the process: read, printed,
 * executed; what is wrong with them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/unfolding.h"
#include "base/hash.h"
#include "base/mem.h"
#include "merge/fusion.h"
#include "model/draft.h"
#include "model/module_address.h"
#include "model/run.h"
#include "model/table.h"
#include "tests/executed.h"
#include "tests/rows.h"

#define HEADER "// tracenest 1\n// processes 8\n"

/* ------------------------------------------------------------------ tables as text */

static const struct {
	const char *why;
	uint32_t arguments;
	const char *text, *printed; /* NULL: the same */
} texts[] = {
	{"numbers", 1, "3 1 7", NULL},
	{"nothing", 1, "", NULL},
	{"a run", 1, "0 1 2 3 4 5", "0..5"},
	{"down, and below 0", 1, "2..-3", NULL},
	{"a stride", 1, "10 30 50 70 90", "10..90:20"},
	{"a short run is as long as its numbers", 1, "1 2 3", "1..3"},
	{"copies", 1, "3 4 4 3 3 4 4 3 3 4 4 3", "(3 4 4 3)*3"},
	{"copies of one", 1, "5 5 5 5 5 5 5", "(5)*7"},
	{"copies of copies", 1, "((1 2)*6 9)*4", "((1 2)*6 9)*4"},
	{"copies of runs", 1, "(0..9)*3", NULL},
	{"few digits", 1, "1'3141592653589793'", "3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3"},
	{"digits", 1, "1'3141592653589793238462643383279502884197169399375105820974944592'", NULL},
	{"two digits", 1,
		"31 41 59 26 53 58 97 93 23 84 62 64 33 83 27 95 88 41 97 16 93 99 37 51 82 74 94 45 92 23 81 64 "
		"28 62 99 86 28 48 25 34 21 17 79 82 14 80 86 51 32 82 30 66 47 38 44 60 95 50 58 22 31 72 53 59",
		"2'31415926535897932384626433832795884197169399375182749445922381642862998628482534211779821480865132823066473844609550582231725359'"},
	{"copies that begin in a row", 2, "1 2 | 3 200000 | 3 200000 | 3 4", NULL},
	{"whole rows", 2, "1 2 | 30 200000 | 30 200000 | 3 4", "1 2 | (30 200000 |)*2 3 4"},
	{"copies that save little", 1, "56 56 56 8", NULL},
	{"copies that save three numbers", 1, "4 4 4 8 4 4 4 4", "4 4 4 8 (4)*4"},
	{"equal rows of one number", 2, "40 | 0 | 0 | 0 | 0", "40 | (0 |)*4"},
	{"no copies", 1, "1 (2)*0 3", "1 3"},
	{"rows", 2, "1 4 | 0 2 5 | 7 |", "1 4 | 0 2 5 | 7"},
	{"the last row is open", 2, "1 4 | 0 2 5 | |", NULL},
	{"rows without entries", 2, "| | 7 | |", NULL},
	{"equal rows", 2, "(1 2 3 |)*4", "(1..3 |)*4"},
	{"blocks", 3, "1 | 2 3 || 4 || | 5", "1 | 2 3 | || 4 | || | 5"},
	{"wide numbers", 1, "-9223372036854775806 9223372036854775807 0", NULL},
};

static void test_texts(void)
{
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct table *t = table_new("t", texts[i].arguments);
		struct error error = {0};
		struct text out = {0};
		ROW(texts[i].why, table_parse(t, texts[i].text, &error));
		text_put(&out, "");
		table_print(t, &out, NULL, NULL);
		const char *printed = out.data ? out.data : "";
		row_same(
			texts[i].why, printed + (*printed == ' '), texts[i].printed ? texts[i].printed : texts[i].text);
		text_clear(&out);
		table_free(t);
	}
}

/* Whatever the numbers are, entries are what was added: few different ones far apart, small steps,
   all of 64 bits. */
static void test_entries(void)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		struct table *t = table_new("t", 1);
		int64_t number[3000], at = 0;
		for (size_t i = 0; i < COUNT(number); i++) {
			uint64_t draw = hash_mix(i + 10000 * kind);
			at += (int64_t)(draw % 7);
			number[i] = kind == 0   ? (int64_t)(draw % 5) << 40
				    : kind == 1 ? at
				    : kind == 2 ? (int64_t)(draw >> 1) - (INT64_MAX >> 1)
						: (int64_t)(draw % 2000) << 20;
			table_add(t, number[i]);
		}
		table_finish(t);
		size_t right = 0;
		for (size_t i = 0; i < COUNT(number); i++)
			right += table_entry(t, i) == number[i];
		CU_ASSERT(right == COUNT(number));
		CU_ASSERT(table_entries(t) == COUNT(number));
		table_free(t);
	}
}

/* Random rows of few different numbers are read as they were printed. */
static void test_random_texts(void)
{
	srand(7);
	for (unsigned seed = 0; seed < rounds(300); seed++) {
		uint32_t arguments = 1 + (uint32_t)rand() % TABLE_ARGUMENTS;
		struct table *t = table_new("t", arguments), *back = table_new("t", arguments);
		int range = 1 + rand() % 6, tokens = rand() % 400;
		for (int i = 0; i < tokens; i++) {
			int what = rand() % 12;
			if (what == 0 && arguments > 1)
				table_end(t, 1);
			else if (what == 1 && arguments > 2)
				table_end(t, 2);
			else
				for (int k = rand() % 8, n = rand() % range; k >= 0; k--)
					table_add(t, rand() % 2 ? n : n + k);
		}
		table_finish(t);
		struct text out = {0};
		struct error error = {0};
		text_put(&out, "");
		table_print(t, &out, NULL, NULL);
		ROW("read back", table_parse(back, out.data, &error));
		ROW("the same", table_same(t, back) && table_equal(t, back));
		text_clear(&out);
		table_free(t);
		table_free(back);
	}
}

/* ------------------------------------------------------------------ programs */

static struct module *module_of_row(const char *header, const char *row, struct error *error)
{
	struct text lines = lines_of_row(header, row);
	struct module *m = module_parse("row", lines.data, lines.length, error);
	text_clear(&lines);
	return m;
}

static struct text events_of(const struct module *m)
{
	struct text out = {0};
	struct run *run = run_new(m, NULL);
	executed_put_all(run, &out);
	run_free(run);
	return out;
}

static const struct {
	const char *why, *row, *same; /* the same events */
} programs[] = {
	{"a number that a table has", "for i0 = 0 to 2 / 0 send $w[i0] t / done / $w[i0] = 3 1 4",
		"0 send 3 t / 0 send 1 t / 0 send 4 t"},
	{"of each process", "[0-2] p send $n[p] t{$n[p]+1} / $n[p] = 5 7 6", "0 send 5 t6 / 1 send 7 t8 / 2 send 6 t7"},
	{"roots, communicators",
		"for i0 = 0 to 1 / [0-1] p sync S 0-1@{$c[i0]} root=$r[i0] / done / $c[i0] = 4 2 / $r[i0] = 1 0",
		"[0-1] p sync S 0-1@4 root=1 / [0-1] p sync S 0-1@2 root=0"},
	{"what is added to the process", "[0-2] for i0 = 0 to 1 / [0-2] p send p+1+$d[i0] t / done / $d[i0] = 3 -1",
		"[0-2] p send p+4 t / [0-2] p send p t"},
	{"or taken from it", "[3-4] p send p-$d[p] t / $d[p] = (0)*3 1 3", "3 send 2 t / 4 send 1 t"},
	{"on a ring", "[0-7] for i0 = 0 to 2 / [0-7] p send (p+2*$d[i0])%8 t / done / $d[i0] = 3 -9 1",
		"[0-7] p send (p-2)%8 t / [0-7] p send (p-2)%8 t / [0-7] p send (p+2)%8 t"},
	{"mirrored", "[0-3] p send {3-p} t / [0-3] {3-p} recv p t",
		"0 send 3 t / 3 recv 0 t / 1 send 2 t / 2 recv 1 t / 2 send 1 t / 1 recv 2 t / 3 send 0 t / 0 recv 3 t"},
	{"bits that are flipped", "[0-7] for i0 = 0 to 2 / [0-7] p send p^$x[i0] t / done / $x[i0] = 4 2 1",
		"[0-7] p send p^4 t / [0-7] p send p^2 t / [0-7] p send p^1 t"},
	{"times and sums", "for i0 = 0 to 1 / 0 send {2*$w[i0]+i0} t{10-$w[i0]} / done / $w[i0] = 3 1",
		"0 send 6 t7 / 0 send 3 t9"},
	{"arguments are functions", "for i0 = 0 to 3 / 0 send $w[i0%2] t$w[3-i0] / done / $w[i0] = 3 1 4 5",
		"0 send 3 t5 / 0 send 1 t4 / 0 send 3 t1 / 0 send 1 t3"},
	{"a count for each process", "[0-2] for i0 = 0 to {$n[p]-1} / [0-2] p local a / done / $n[p] = 2 0 1",
		"0 local a / 0 local a / 2 local a"},
	{"which a formula gives", "[0-3] for i0 = 0 to {p-1} / [0-3] p send i0 t / done", NULL},
	{"neighbours",
		"[0-2] for i0 = 0 to {$n[p]-1} / [0-2] p send $b[p,i0] t / done / $n[p] = 2 0 1 / $b[p,i0] = 4 5 | | 6",
		"0 send 4 t / 0 send 5 t / 2 send 6 t"},
	{"a count for each iteration",
		"for i0 = 0 to 3 / for i1 = 0 to {$n[i0]-1} / 0 local a / done / 0 local b / done / $n[i0] = 2 0 1 3",
		"0 local a / 0 local a / 0 local b / 0 local b / 0 local a / 0 local b / for i0 = 0 to 2 / 0 local a / done / 0 local b"},
	{"a guard", "for i0 = 0 to 5 / if {i0%3} = 2 / 0 local a / done / 0 local b / done",
		"0 local b / 0 local b / 0 local a / 0 local b / 0 local b / 0 local b / 0 local a / 0 local b"},
	{"of a set", "for i0 = 0 to 5 / if {i0} in {0,3..4} / 0 local a / done / 0 local b / done",
		"0 local a / 0 local b / 0 local b / 0 local b / 0 local a / 0 local b / 0 local a / 0 local b / 0 local b"},
	{"of a table, and otherwise",
		"for i0 = 0 to 3 / if $g[i0] / 0 local a / else / 0 local b / done / done / $g[i0] = 0 1 1 0",
		"0 local b / 0 local a / 0 local a / 0 local b"},
	{"not", "for i0 = 0 to 3 / if {i0} not in {1} / 0 local a / done / if {i0} != 1 / 0 local b / done / done",
		"0 local a / 0 local b / 0 local a / 0 local b / 0 local a / 0 local b"},
	{"a condition that is more than 1 is no count",
		"for i0 = 0 to 3 / if {2*i0} / 0 local a / else / 0 local b / done / if $g[i0] / 0 local c / done / done / $g[i0] = 2 0 -1 0",
		"0 local b / 0 local c / 0 local a / 0 local a / 0 local c / 0 local a"},
	{"of some processes", "if {p} in {1,3} / [0-3] p local a / done", "[1,3] p local a"},
	{"indices inside of guards",
		"for i0 = 0 to 1 / if {i0} = 1 / for i1 = 0 to 1 / 0 send {2*i0+i1} t / done / done / done",
		"0 send 2 t / 0 send 3 t"},
	{"a count inside a guard, from a table that ends before the indices do",
		"for i0 = 0 to 3 / if {i0} != 3 / for i1 = 0 to {$n[i0]-1} / 0 local a / done / done / 0 local b / done / $n[i0] = 2 0 1",
		"0 local a / 0 local a / 0 local b / 0 local b / 0 local a / 0 local b / 0 local b"},
	{"in a loop whose count depends on the process",
		"[0-2] for i0 = 0 to {$n[p]-1} / if {i0} != 2 / [0-1] for i1 = 0 to {$m[p,i0]-1} / [0-1] p local a / done / done / done / "
		"$n[p] = 3 3 2 / $m[p,i0] = 1 2 | 0 1",
		"[0-1] p local a / 0 local a / 0 local a"},
	{"in a loop that has no iteration",
		"for i0 = 0 to 1 / for i1 = 0 to {$n[i0]-1} / for i2 = 0 to {$m[i0]-1} / 0 local a / done / done / done / $n[i0] = 2 0 / $m[i0] = 3",
		"for i0 = 0 to 5 / 0 local a / done"},
	{"guards in guards",
		"for i0 = 0 to 3 / if {i0%2} = 1 / if {i0} = 3 / 0 send {i0} t / else / 0 local b / done / done / done",
		"0 local b / 0 send 3 t"},
	{"who", "[0-3] for i0 = 0 to 3 / [$w[i0]] p send 0 t / [0] $w[i0] recv p t / done / $w[i0] = 3 1 1 2",
		"3 send 0 t / 3 recv 0 t / 1 send 0 t / 1 recv 0 t / 1 send 0 t / 1 recv 0 t / 2 send 0 t / 2 recv 0 t"},
	{"who by a formula", "[0-3] for i0 = 0 to 3 / [{3-i0}] p local a / done",
		"0 local a / 1 local a / 2 local a / 3 local a"},
	{"powers", "for i0 = 0 to 2 / 0 send {2^i0} t{16*4^(2-i0)} / 0 send {7-3*2^i0+2^(2*i0)} t{1+2^3} / done",
		"0 send 1 t256 / 0 send 5 t9 / 0 send 2 t64 / 0 send 5 t9 / 0 send 4 t16 / 0 send 11 t9"},
	{"powers of what a loop begins with",
		"for l = 1 to 3 / 0 local a ; bytes={2^l} / 0 send {2^(l-1)} t{2^(3-l)} / done",
		"0 local a / 0 send 1 t4 / 0 local a / 0 send 2 t2 / 0 local a / 0 send 4 t1"},
	{"powers of the process", "[0-3] p send 0 t{2^p+2*3^(3-p)} / [0-2] p local a ; bytes={2^p}",
		"0 send 0 t55 / 0 local a / 1 send 0 t20 / 1 local a / 2 send 0 t10 / 2 local a / 3 send 0 t10"},
	{"a butterfly", "[0-7] for i0 = 0 to 2 / [0-7] p send p^{2^i0} t / [0-7] p^{2^(2-i0)} recv p t / done",
		"[0-7] p send p^1 t / [0-7] p^4 recv p t / [0-7] p send p^2 t / [0-7] p^2 recv p t / [0-7] p send p^4 t / "
		"[0-7] p^1 recv p t"},
	{"bits that count", "[0-7] for i0 = 0 to 2 / [0-7] p send p^{1+i0} t / done",
		"[0-7] p send p^1 t / [0-7] p send p^2 t / [0-7] p send p^3 t"},
	{"dissemination", "[0-7] for i0 = 0 to 2 / [0-7] p send (p+2^i0)%8 t / [0-7] (p-2^i0)%8 recv p t / done",
		"[0-7] p send (p+1)%8 t / [0-7] (p-1)%8 recv p t / [0-7] p send (p+2)%8 t / [0-7] (p-2)%8 recv p t / "
		"[0-7] p send (p+4)%8 t / [0-7] (p-4)%8 recv p t"},
	{"a tree", "[0-3] for i0 = 0 to 2 / if {p} in {0,1} / [0-1] p send p+2^i0+(i0+1)%2 t / done / done",
		"[0-1] p send p+2 t / [0-1] p send p+2 t / [0-1] p send p+5 t"},
	{"a count", "for i0 = 0 to 3 / for i1 = 0 to {2^i0-3} / 0 send {i1} t{2^i0} / done / done",
		"0 send 0 t4 / 0 send 1 t4 / 0 send 0 t8 / 0 send 1 t8 / 0 send 2 t8 / 0 send 3 t8 / 0 send 4 t8 / 0 send 5 t8"},
	{"which depends on the process", "[0-3] for i0 = 0 to {2^p-2} / [0-3] p send {i0} t / done",
		"1 send 0 t / 2 send 0 t / 2 send 1 t / 2 send 2 t / 3 send 0 t / 3 send 1 t / 3 send 2 t / 3 send 3 t / "
		"3 send 4 t / 3 send 5 t / 3 send 6 t"},
	{"a guard of powers",
		"for i0 = 0 to 4 / if {2^i0} in {2,3,8..9} / 0 send {i0} t / done / if {2^i0+3^i0} = 13 / 0 local a / done / done",
		"0 send 1 t / 0 local a / 0 send 3 t"},
	{"who by a power", "[0-7] for i0 = 0 to 2 / [{2^i0}] p local a / done", "1 local a / 2 local a / 4 local a"},
	{"a product of two tables",
		"[0-2] for i0 = 0 to 1 / [0-2] p send {5-$f[p]*$g[i0]} t$f[p]*$g[i0] ; bytes={8+16*$g[i0]*$f[(p+1)%3]} / done / "
		"$f[p] = 0 1 2 / $g[i0] = 1 2",
		"0 send 5 t0 / 0 send 5 t0 / 1 send 4 t1 / 1 send 3 t2 / 2 send 3 t2 / 2 send 1 t4"},
	{"of one table, of an entry that is always the same",
		"for i0 = 0 to 2 / 0 send $w[i0]*$w[1] t{$w[1]*$w[2-i0]} / done / $w[i0] = 1 2 3",
		"0 send 2 t6 / 0 send 4 t4 / 0 send 6 t2"},
	{"that counts",
		"for i0 = 0 to 2 / for i1 = 0 to {$w[i0]*$n[i0]-1} / 0 local a / done / done / $w[i0] = 1 0 2 / $n[p] = 1 7 2",
		"0 local a / 0 local a / 0 local a / 0 local a / 0 local a"},
	{"on a ring, and of flipped bits",
		"[0-7] for i0 = 0 to 1 / [0-7] p send (p+$w[i0]*$w[p%2])%8 t / [0-7] p send p^$w[i0]*$w[p%2] t / done / $w[i0] = 1 2",
		NULL},
	{"neighbours on a line",
		"[*] for i0 = 0 to 3 / [*] p send p+$d[i0] t{i0} where inside ; bytes=8 / done / $d[i0] = -2 -1 1 7",
		"[2-7] p send p-2 t0 / [1-7] p send p-1 t1 / [0-6] p send p+1 t2 / [0] p send p+7 t3"},
	{"on an open grid",
		"// grid 2 4 / [*] for i0 = 0 to 2 / [*] @(x+$dx[i0],y+$dy[i0]) recv p t where inside / done / "
		"$dx[i0] = -1 1 0 / $dy[i0] = 1 0 -1",
		"// grid 2 4 / [1,3,5] @(x-1,y+1) recv p t / [0,2,4,6] @(x+1,y) recv p t / [2-7] @(x,y-1) recv p t"},
	{"on one that goes around",
		"// grid 2 4 / [*] for i0 = 0 to 1 / [*] p send @(x+$dx[i0],y-2) t{i0} / done / $dx[i0] = -1 3",
		"// grid 2 4 / [*] p send @(x-1,y-2) t0 / [*] p send @(x+1,y-2) t1"},
	{"of some processes, by another function of indices",
		"// grid 2 4 / [0-5] for i0 = 0 to 1 / [0-5] for i1 = 1 to 2 / [1-5] p send @(x,y-1+$o[i0+2*i1]) t where inside / done / "
		"done / $o[i0] = 9 9 3 1 0 2",
		"// grid 2 4 / [1-3] p send @(x,y+2) t / [2-5] p send @(x,y-1) t / [1-5] p send @(x,y) t / [1-5] p send @(x,y+1) t"},
	{"under a condition, of a tag by process",
		"[*] for i0 = 0 to 1 / if {p%2} = 1 / [*] p send p+$d[i0] t{p+8*i0} where inside / done / done / $d[i0] = -1 1",
		"1 send 0 t1 / 3 send 2 t3 / 5 send 4 t5 / 7 send 6 t7 / 1 send 2 t9 / 3 send 4 t11 / 5 send 6 t13"},
	{"one more, without a table", "[4-7] p send p+1 t where inside", "4 send 5 t / 5 send 6 t / 6 send 7 t"},
	{"on a ring everybody is", "[0-3] p send (p+$d[0])%8 t where inside / $d[i0] = 1",
		"0 send 1 t / 1 send 2 t / 2 send 3 t / 3 send 4 t"},
	{"a move by process", "// grid 2 4 / [0] p send @(x+$d[p],y) t / $d[i0] = 1", "0 send 1 t"},
	{"combined with what differs by process", "[0-3] p send p^{1+p} t",
		"0 send 1 t / 1 send 3 t / 2 send 1 t / 3 send 7 t"},
	{"a power of a remainder", "for i0 = 0 to 1 / 0 send 1 t{2^(i0%2)} / done", "0 send 1 t1 / 0 send 1 t2"},
	{"three powers", "for i0 = 0 to 1 / 0 send 1 t{2^i0+3^i0+5^i0} / done", "0 send 1 t3 / 0 send 1 t10"},
	{"a product of three", "0 send $w[0]*$w[0]*$w[0] t / $w[i0] = 2", "0 send 8 t"},
	{"words of a local event", "[0-1] p local send where inside", "[0-1] p local send where inside"},
	{"on several lines", "for i0 = 0 to 5 / 0 send $w[i0] t / done / // tables / $w[i0] = (1 / 2)*2 / 3 4",
		"0 send 1 t / 0 send 2 t / 0 send 1 t / 0 send 2 t / 0 send 3 t / 0 send 4 t"},
};

/* The same events as they stand, read again, and of the plain program. */
static void check_module(const char *why, const struct module *m, const char *want)
{
	struct text text = {0}, events = events_of(m);
	struct error error = {0};
	if (want)
		row_same(why, events.data, want);
	module_print_text(m, NULL, &text);
	struct module *again = module_parse("again", text.data, text.length, &error);
	ROW(why, again != NULL);
	if (again) {
		struct text second = {0};
		module_print_text(again, NULL, &second);
		row_same(why, second.data, text.data);
		text_clear(&second);
		module_free(again);
	} else {
		fprintf(stderr, "%s\n%s", error.message, text.data);
	}
	struct module *plain = module_unfold(m, NULL, &error);
	ROW(why, plain != NULL);
	if (plain) {
		struct text of_plain = events_of(plain);
		row_same(why, of_plain.data, events.data);
		text_clear(&of_plain);
		module_free(plain);
	}
	text_clear(&text);
	text_clear(&events);
}

static void test_programs(void)
{
	for (size_t i = 0; i < COUNT(programs); i++) {
		struct error error = {0};
		struct module *m = module_of_row(HEADER, programs[i].row, &error),
			      *same = programs[i].same ? module_of_row(HEADER, programs[i].same, &error) : NULL;
		ROW(programs[i].why, m || !programs[i].same);
		if (!m && programs[i].same)
			fprintf(stderr, "%s\n", error.message);
		if (m && same) {
			struct text want = events_of(same);
			check_module(programs[i].why, m, want.data);
			text_clear(&want);
		}
		module_free(m);
		module_free(same);
	}
}

/* What ranges do not tell is tried for all that a table has. */
static void test_long_tables(void)
{
	static const struct {
		const char *row, *message;
	} rows[] = {
		{"for i0 = 0 to 1100000 / if {i0} != 1100000 / 0 local a ; bytes=$b[i0] / done / done / $b[i0] = (1 2)*550000",
			"read"},
		{"for i0 = 0 to 1100000 / if {i0} != 1100000 / 0 local a ; bytes=$b[i0] / done / done / $b[i0] = (1 2)*549999",
			"row:5:1: a table has no such entry (of process 0)"},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error error = {0};
		struct module *m = module_of_row(HEADER, rows[i].row, &error);
		row_same(rows[i].row, m ? "read" : error.message, rows[i].message);
		module_free(m);
	}
}

/* ------------------------------------------------------------------ what is wrong */

static const struct {
	const char *row, *message;
} wrong[] = {
	{"for i0 = 0 to 3 / 0 send $w[i0] t / done",
		"row:4:8: there is no table $w: '$w[...] = ...' is missing at the end"},
	{"for i0 = 0 to 3 / 0 send $w[i0] t / done / $w[i0] = 1 2 3",
		"row:4:1: a table has no such entry (of process 0)"},
	{"for i0 = 0 to 3 / 0 send $w[i0-1] t / done / $w[i0] = 1 2 3",
		"row:4:1: a table has no such entry (of process 0)"},
	{"[0-1] for i0 = 0 to {$n[p]-1} / [0-1] p send $b[p,i0] t / done / $n[p] = 1 2 / $b[p,i0] = 1 | 2",
		"row:4:1: a table has no such entry (of process 1)"},
	{"[0-7] for i0 = 0 to {$n[p]} / [0-7] p local a / done / $n[p] = 1 2",
		"row:3:1: a table has no such entry (of process 2)"},
	{"for i0 = 0 to 1 / if $g[i0] / 0 local a / done / done / $g[i0] = 1",
		"row:4:1: a table has no such entry (of process 0)"},
	{"0 send $w[0] t / $w[i0] = 1 2 x",
		"row:4:1: a table is made of numbers, a..b, a..b:s, (...)*n and |, not of 'x '"},
	{"0 send $w[0] t / $w[i0] = (1 2)*1152921504606846976",
		"row:4:1: table $w would have more than 134217728 entries"},
	{"0 send $w[0] t / $w[i0] = 0..1152921504606846976",
		"row:4:1: table $w would have more than 134217728 entries"},
	{"0 send $w[0] t / $w[i0] = (1 2", "row:4:1: a group of a table is (...)*n: ')*' is expected, not ''"},
	{"0 send $w[0] t / $w[i0] = 1)", "row:4:1: ')' without '(' in a table"},
	{"0 send $w[0] t / $w[i0] = 1..8:3", "row:4:1: '1..8:3': no such steps lead there"},
	{"0 send $w[0] t / $w[i0] = 2'142",
		"row:4:1: numbers of N digits are written N'...', as in 2'142837', not '2'142 '"},
	{"0 send $w[0] t / $w[i0] = 0'1'",
		"row:4:1: numbers of N digits are written N'...', as in 2'142837', not '0'1' '"},
	{"0 send $w[0] t / $w[i0] = 1 | 2", "row:4:1: '|' in a table of 1 argument"},
	{"0 send $w[0] t / $w[p,i0] = 1 | 2", "row:3:8: table $w has 1 argument here, but 2 in line 4"},
	{"0 send $w[0] t / 0 send $w[p,0] t / $w[i0] = 1", "row:4:8: table $w has 2 arguments here, but 1 in line 5"},
	{"0 send 1 t ; bytes=$w[0] / 1 recv 0 t ; bytes=$w[p,0] / $w[i0] = 1",
		"row:4:20: table $w has 2 arguments here, but 1 in line 5"},
	{"for i0 = 0 to {$w[0]} / for i1 = 0 to {$w[0,i0]} / 0 local a / done / done / $w[i0] = 1",
		"row:4:16: table $w has 2 arguments here, but 1 in line 8"},
	{"[0-3] for i0 = 0 to 1 / [0-3] p send p^$x[i0] t / done / $x[i0] = 1 8",
		"row:4:1: the peer of process 0 would be 8, but the header says 8 processes"},
	{"[0-3] for i0 = 0 to 1 / [0-3] p send (p+$d[i0])%4 t / done / $d[i0] = 1",
		"row:4:1: a table has no such entry (of process 0)"},
	{"[0-3] p send {9-p} t", "row:3:1: the peer of process 0 would be 9, but the header says 8 processes"},
	{"[0-3] p send p^$x[p+1] t / $x[p] = 1 2 3", "row:3:1: a table has no such entry (of process 2)"},
	{"[0-3] p send p^{1+$x[p]} t / $x[p] = 1 2 3", "row:3:1: a table has no such entry (of process 3)"},
	{"[0-7] for i0 = 0 to 3 / [0-7] p send p^{2^i0} t / done",
		"row:4:1: the peer of process 0 would be 8, but the header says 8 processes"},
	{"for i0 = 0 to 3 / 0 send 1 t{2^(2-i0)} / done", "row:4:1: an exponent is negative (of process 0)"},
	{"for i0 = 0 to 63 / 0 send 1 t{2^i0} / done", "row:4:1: a number is beyond 64 bits (of process 0)"},
	{"for i0 = 0 to 3 / 0 local a ; bytes={2^(2-i0)} / done", "row:4:1: an exponent is negative (of process 0)"},
	{"for i0 = 0 to 3 / for i1 = 0 to {3^(2-i0)} / 0 local a / done / done",
		"row:4:1: an exponent is negative (of process 0)"},
	{"[0-3] p send 0 t{2^(2-p)}", "row:3:1: an exponent is negative (of process 3)"},
	{"0 send 1 t{2^64}", "row:3:13: a number in a formula is too large"},
	{"0 send 1 t{1^i0}", "row:3:14: 'i0' is no index of a loop around this line"},
	{"0 send 1 t{2^-1}", "row:3:14: a number, without leading zeros, or a name is expected, not '-1}'"},
	{"for i0 = 0 to 1 / 0 send 1 t{2^(i0} / done", "row:4:17: ')' is expected, not '}'"},
	{"for i0 = 0 to 1 / 0 local a ; bytes=$w[i0]*$w[i0] / done / $w[i0] = 1 4000000000",
		"row:4:1: a number is beyond 64 bits (of process 0)"},
	{"for i0 = 0 to 1 / 0 local a ; bytes=$w[0]*$v[i0] / done / $w[i0] = 1 / $v[i0] = 1",
		"row:4:1: a table has no such entry (of process 0)"},
	{"0 send $w[0,0,0,0] t", "row:3:8: there is no table $w: '$w[...] = ...' is missing at the end"},
	{"0 send {$w[0]+$v[0]} t", "row:3:9: there is no table $w: '$w[...] = ...' is missing at the end"},
	{"0 send $w[0] t / $w[i0] = 1 / $w[i0] = 2", "row:5:2: table $w is defined in line 4 already"},
	{"0 send $w[i1] t / $w[i0] = 1", "row:3:11: 'i1' is no index of a loop around this line"},
	{"if {i0} = 1 / 0 local a / done", "row:3:5: 'i0' is no index of a loop around this line"},
	{"for i0 = 0 to 3 / if i0 == 1 / 0 local a / done / done", "row:4:6: '== 1' is too much behind a condition"},
	{"for i0 = 0 to 3 / if {i0} in {3,1} / 0 local a / done / done", "row:4:12: the numbers of a set must ascend"},
	{"for i0 = 0 to 3 / if {i0} in 3 / 0 local a / done / done",
		"row:4:12: a set of numbers is written {3,17,20..30}, not '3'"},
	{"[0-1] {4+$n[p]} recv p t / $n[p] = 0 9",
		"row:3:1: the peer of process 1 would be 13, but the header says 8 processes"},
	{"else / done", "row:3:1: 'else' without an 'if' before it"},
	{"if {p} = 1 / 0 local a", "row:3:1: 'if' is not closed by a 'done'"},
	{"[0-3] for i0 = 0 to 1 / [$w[i0]] p local a / done / $w[i0] = 1 9",
		"row:4:1: process 9 is named, but executes nothing here"},
	{"[0-3] for i0 = 0 to 1 / [$w[i0]] p local a / done / $w[i0] = 1 5",
		"row:4:1: process 5 is named, but executes nothing here"},
	{"[$w[0]] for i0 = 0 to 1 / 0 local a / done / $w[i0] = 1",
		"row:3:12: a loop is executed by a set of ranks, not by a process that is named"},
	{"[0-3] for i0 = 0 to 2 / [0-3] p send p+$d[i0] t where inside / done / $d[i0] = 1 2",
		"row:4:1: a table has no such entry (of process 0)"},
	{"[0-3] p send p+$d[0] where inside / $d[i0] = 1",
		"row:3:28: 'inside' is one word too many: '[RANKS] p send RANK TAG'"},
	{"0 send {$d[0]} t where inside / $d[i0] = 1", "row:3:18: 'where' is one word too many: 'RANK send RANK TAG'"},
	{"// grid 2 4 / for i0 = 0 to 1 / [0] p send @(x+$dx[i0],y+$dy[0]) t / done / $dx[i0] = 1 / $dy[i0] = 1",
		"row:5:1: a table has no such entry (of process 0)"},
	{"// grid 2 4 / for i0 = 0 to 2 / [0] p send @(x+$d[i0],y) t / done / $d[i0] = 1",
		"row:5:1: a table has no such entry (of process 0)"},
	{"for i0 = 0 to 1 / $w[i0] = 1 2 / done", "row:4:1: a table is defined at the end, behind all loops"},
};

static void test_wrong(void)
{
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct error error = {0};
		struct module *m = module_of_row(HEADER, wrong[i].row, &error);
		row_same(wrong[i].row, m ? "read" : error.message, wrong[i].message);
		module_free(m);
	}
}

/* ------------------------------------------------------------------ fusion */

static const struct {
	const char *why, *row, *joined; /* NULL: it stays as it is */
} fused[] = {
	{"whom a table names does its part then",
		"[0] for i0 = 0 to 3 / [0] $w[i0] recv p t / [0] p send $w[i0] u / done / "
		"[1-3] for i0 = 0 to {$n[p]} / [1-3] p send 0 t / [1-3] 0 recv p u / done / $w[i0] = 2 1 3 2 / $n[p] = 7 0 1 0",
		"[0-3] for i0 = 0 to 3 / [$w[i0]] p send 0 t / [0] $w[i0] recv p t / [0] p send $w[i0] u / [$w[i0]] 0 recv p u / done / "
		"$w[i0] = 2 1 3 2"},
	{"the workers first, the same number of times each, others around",
		"[0-3] p sync S 0-3 / [2-3] for i0 = 0 to 1 / [2-3] 1 recv p t / done / [1] for i0 = 0 to 3 / [1] p send $w[i0%4] t / "
		"done / [0] p local x / $w[i0] = 3 2 2 3",
		"[0-3] p sync S 0-3 / [1-3] for i0 = 0 to 3 / [1] p send $w[i0%4] t / [$w[i0%4]] 1 recv p t / done / [0] p local x / "
		"$w[i0%4] = 3 2 2 3"},
	{"one of them not as often",
		"[0] for i0 = 0 to 3 / [0] $w[i0] recv p t / done / [1-3] for i0 = 0 to {$n[p]} / [1-3] p send 0 t / done / $w[i0] = 2 1 "
		"2 2 / $n[p] = 7 0 1 0",
		NULL},
	{"other tags",
		"[0] for i0 = 0 to 1 / [0] $w[i0] recv p t / done / [1-2] for i0 = 0 to 0 / [1-2] p send 0 u / done / $w[i0] = 2 1",
		NULL},
	{"tags that count",
		"[0] for i0 = 0 to 1 / [0] $w[i0] recv p t{i0} / done / [1-2] for i0 = 0 to 0 / [1-2] p send 0 t{i0} / done / $w[i0] = 2 1",
		NULL},
	{"another order",
		"[0] for i0 = 0 to 1 / [0] $w[i0] recv p t / [0] p send $w[i0] u / done / [1-2] for i0 = 0 to 0 / [1-2] 0 recv p u / [1-2] "
		"p send 0 t / done / $w[i0] = 2 1",
		NULL},
	{"workers who begin with what they are sent",
		"[0] for i0 = 1 to 2 / [0] p send {i0} u / done / [0] for i0 = 0 to 3 / [0] $w[i0] recv p t / [0] p send $w[i0] u / done / "
		"[1-2] for i0 = 0 to {$n[p]} / [1-2] 0 recv p u / [1-2] p send 0 t / done / $w[i0] = 1 2 2 2 / $n[p] = 7 1 3 0",
		"[0] for i0 = 0 to 1 / [0] p send {1+i0} u / done / [1-2] 0 recv p u / [0-2] for i0 = 0 to 3 / [$w[i0]] p send 0 t / "
		"[0] $w[i0] recv p t / [0] p send $w[i0] u / [$w[i0]] 0 recv p u / done / [1-2] p send 0 t / $w[i0] = 1 2 2 2"},
	{"... who are not asked once more than they answer",
		"[0] for i0 = 0 to 2 / [0] $w[i0] recv p t / [0] p send $w[i0] u / done / [1-2] for i0 = 0 to {2-p} / [1-2] 0 recv p u / "
		"[1-2] p send 0 t / done / $w[i0] = 1 2 1",
		NULL},
	{"what the master does between is done behind",
		"[0] for i0 = 0 to 3 / [0] $w[i0] recv p t / done / 0 send 3 u / [0,3] p local x / [1-2] for i0 = 0 to 1 / [1-2] p send 0 t / "
		"done / $w[i0] = 2 1 1 2",
		"[0-2] for i0 = 0 to 3 / [$w[i0]] p send 0 t / [0] $w[i0] recv p t / done / 0 send 3 u / [0,3] p local x / $w[i0] = 2 1 1 2"},
	{"... or before",
		"[1-2] for i0 = 0 to 1 / [1-2] p send 0 t / done / 0 send 3 u / [0] for i0 = 0 to 3 / [0] $w[i0] recv p t / done / "
		"$w[i0] = 2 1 1 2",
		"0 send 3 u / [0-2] for i0 = 0 to 3 / [$w[i0]] p send 0 t / [0] $w[i0] recv p t / done / $w[i0] = 2 1 1 2"},
	{"what a worker does between",
		"[0] for i0 = 0 to 3 / [0] $w[i0] recv p t / done / 1 send 3 u / [1-2] for i0 = 0 to 1 / [1-2] p send 0 t / done / $w[i0] = 2 1 1 2",
		NULL},
	{"to another",
		"[0] for i0 = 0 to 1 / [0] $w[i0] recv p t / done / [1-2] for i0 = 0 to 0 / [1-2] p send 3 t / done / $w[i0] = 2 1",
		NULL},
	{"to itself, too",
		"[0] for i0 = 0 to 1 / [0] $w[i0] recv p t / done / [0-1] for i0 = 0 to 0 / [0-1] p send 0 t / done / $w[i0] = 0 1",
		NULL},
};

static void test_fusion(void)
{
	for (size_t i = 0; i < COUNT(fused); i++) {
		struct error error = {0};
		struct module *m = module_of_row(HEADER, fused[i].row, &error);
		if (!m)
			fprintf(stderr, "%s: %s\n", fused[i].why, error.message);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		struct text events = events_of(m), before = {0}, after = {0};
		module_print_text(m, NULL, &before);
		struct draft *d = draft_of(m);
		fusion(d);
		module_print_text(d->module, NULL, &after);
		struct text joined = events_of(d->module), row = row_of_lines(after.data, false);
		row_same(fused[i].why, joined.data, events.data);
		if (fused[i].joined)
			row_same(fused[i].why, row.data, fused[i].joined);
		else
			row_same(fused[i].why, after.data, before.data);
		text_clear(&events);
		text_clear(&before);
		text_clear(&after);
		text_clear(&joined);
		text_clear(&row);
		draft_free(d);
	}
}

/* ------------------------------------------------------------------ addresses */

static void test_addresses(void)
{
	struct error error = {0};
	struct module *m = module_of_row(HEADER,
		"[0-3] for i0 = 0 to 3 / [$w[i0]] p send 0 t / [0] $w[i0] recv p t / if {i0} = 1 / [0] p local a / else / "
		"[1] p local b / done / [0-3] p send p+$d[i0] u where inside / done / $w[i0] = 3 1 1 2 / $d[i0] = 1 1 -1 1",
		&error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	static const struct {
		const char *address;
		uint64_t at;
	} cases[] = {{"0", 0}, {"0.0", 1}, {"0.1", 2}, {"0.2", 3}, {"0.2.0", 4}, {"0.3", 5}, {"0.3.0", 6}, {"0.4", 7}};
	struct module_addresses all = module_addresses_of(m);
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t at;
		struct text address = {0};
		ROW(cases[i].address, module_find(m, cases[i].address, &at, &error) && at == cases[i].at);
		module_address(m, cases[i].at, &address);
		row_same(cases[i].address, address.data, cases[i].address);
		row_same(cases[i].address, module_addresses_get(&all, cases[i].at), cases[i].address);
		text_clear(&address);
	}
	module_addresses_clear(&all);
	module_free(m);
}

void suite_tables(CU_pSuite suite)
{
	CU_add_test(suite, "tables as text", test_texts);
	CU_add_test(suite, "entries as they were added", test_entries);
	CU_add_test(suite, "random tables as text", test_random_texts);
	CU_add_test(suite, "programs with tables and guards", test_programs);
	CU_add_test(suite, "long tables in guards", test_long_tables);
	CU_add_test(suite, "what is wrong", test_wrong);
	CU_add_test(suite, "masters and workers", test_fusion);
	CU_add_test(suite, "addresses", test_addresses);
}
