/*
 * test_module.c -- models read into modules: what comes of a text, what it costs, what is refused
 * and where; and calls replaced by what they call.
 */
#include <string.h>

#include "base/mem.h"
#include "model/module.h"
#include "tests/rows.h"

static struct module *read_row(const char *header, const char *row, struct error *error)
{
	struct text text = lines_of_row(header, row);
	struct module *m = module_parse("row", text.data, text.length, error);
	text_clear(&text);
	return m;
}

static struct text printed(const struct module *m)
{
	struct text whole = {0}, row;
	module_print_text(m, NULL, &whole);
	row = row_of_lines(whole.data, false);
	text_clear(&whole);
	return row;
}

/* ------------------------------------------------------------------ what is read */

#define HEADER "// tracenest 1\n// processes 12\n// grid 4 3\n"

static const struct {
	const char *why, *text, *printed; /* NULL: the same */
	uint64_t cost; /* in COST_UNITs */
} read[] = {
	{"nothing", "", NULL, 0},
	{"a plain event", "3 send 4 tag5@2 ; bytes=8", NULL, 20},
	{"a tag with leading zeros is a word", "3 send 4 tag05", NULL, 20},
	{"a tag beyond 64 bits is one, too", "3 send 4 tag99999999999999999999", NULL, 20},
	{"sets by their extent", "[4-11] p local a", "[y>0] p local a", 20},
	{"all of them", "[0-11] p sync MPI_Barrier 0-11", "[*] p sync MPI_Barrier *", 20},
	{"any lower bound", "for k = 3 to 7 / 0 send {k} t{2*k} / done",
		"for i0 = 0 to 4 / 0 send {3+i0} t{6+2*i0} / done", 40 + 2},
	{"no iterations", "for k = 3 to 2 / 0 local a / done", "for i0 = 0 to -1 / 0 local a / done", 40},
	{"names are those of the innermost loop", "for i = 0 to 1 / for i = 0 to 2 / 0 send {i} t / done / done",
		"for i0 = 0 to 1 / for i1 = 0 to 2 / 0 send {i1} t / done / done", 60},
	{"terms in their order", "[*] p send @(1+x,y) tag{x*2+3}", "[*] p send @(x+1,y) tag{3+2*x}", 20 + 2},
	{"numbers that are known", "[0] p send {2^3} tag{1+2*3^2}", "[0] p send 8 tag19", 20},
	{"the argument of a table is within its modulus", "[*] p send (p+1)%12 t$n[(x-1)%4] / $n[x] = 1 2 3 4",
		"[*] p send (p+1)%12 t$n[(x+3)%4] / $n[(x+3)%4] = 1..4", 20 + 6 + 5 + 20 + 6},
	{"any expression is a number", "[*] p send {min(x,2)+(y==1)} tag{(2*x+1)%3}", NULL, 20 + 8},
	{"bounds are numbers", "[*] for i = {p} to {p+3} / [*] p send 0 t{i} / done",
		"[*] for i0 = 0 to 3 / [*] p send 0 t{p+i0} / done", 40},
	{"what differs is gone through, nothing else",
		"for i0 = 0 to 100000000 / [*] for i1 = 0 to $n[p] / [*] p send $b[p,i1] t{i0} / done / done / "
		"$n[p] = (0 1)*6 / $b[p,i1] = (1 | 2 3 |)*6",
		NULL, 60 + 6 + 80},
	{"guards", "for i = 0 to 9 / if {i%3} != 0 / 0 local a / else / 0 local b / done / done",
		"for i0 = 0 to 9 / if {i0%3} / 0 local a / else / 0 local b / done / done", 80 + 6},
	{"values of a guard", "for i = 0 to 9 / if {i} not in {1,3..5} / 0 local a / done / done",
		"for i0 = 0 to 9 / if {i0} not in {1,3..5} / 0 local a / done / done", 60 + 6},
	{"words to choose from", "[*] p local a ; b=(A|\"\"|5|\"5\"|){x} c=\"1\" d=\"x y\" e=(A|B){1}",
		"[*] p local a ; b=(A|\"\"|5|\"5\"|){x} c=\"1\" d=\"x y\" e=B", 20},
	{"a group by a constant is the set", "[y>0] p sync s @{4}", "[y>0] p sync s 4-11@4", 20},
	{"a process that is named", "for i = 0 to 2 / [$w[i]] p send 0 t / done / $w[i] = 3 5 3",
		"for i0 = 0 to 2 / [$w[i0]] p send 0 t / done / $w[i0] = 3 5 3", 40 + 5 + 20 + 18},
	{"neighbours that there are", "for i = 0 to 1 / [*] p send @(x+$d[i],y) t where inside / done / $d[i] = 1 -1",
		"for i0 = 0 to 1 / [*] p send @(x+$d[i0],y) t where inside / done / $d[i0] = 1 -1", 40 + 5 + 20 + 12},
	{"a procedure", "call f(8,$t) / procedure f(n,$b) / [0] p send $b[1] t{n} / done / $t[i] = 3 4",
		"call f(8,$t) / procedure f(n,$b) / [0] p send $b[1] t{n} / done / "
		"$t[p] = 3 4",
		20 + 6 + 11 + 25 + 25 + 20 + 12},
	{"comments of statements, the last one", "0 local a // b // x.c:3,4 / // sites / // x.c:3,4 f",
		"0 local a // x.c:3,4", 20},
	{"more lines of the source", "3 send 4 t // x.c:3,4 | y.c:7 / // sites / // x.c:3,4 f / // y.c:7 g",
		"3 send 4 t // x.c:3,4 | y.c:7", 20 + 40},
	{"parentheses of a table that stand alone are entries",
		"0 send 1 t$t[0,1] / $t[0,1] = 3 7 | (| 9 6 4 1 |)*2 (5 1 | 9 6 4 1 | | 9 6 4 1 |)*3 5 1", NULL,
		20 + 5 + 20 + 21 * 6},
	{"... two that end at once are one", "0 send 1 t$t[0,1] / $t[0,1] = ((1 9 4 7 |)*2 (5 3 8 2 |)*2)*3", NULL,
		20 + 5 + 20 + 10 * 6},
	{"marks and names of tables in words are not told from those of numbers", "0 send 1 a%20$b/c ; d=\"$w/x\"",
		NULL, 20 + 6 + 5 + 6 + 6 + 2},
	{"positions are none", "0 local a // @{0=3}", "0 local a", 20},
	{"annotations", "get \"a // b\" {0,4-5}.time -> / 0 local a", "0 local a", 20},
};

static void reads(void)
{
	for (size_t i = 0; i < COUNT(read); i++) {
		struct error error;
		struct module *m = read_row(HEADER, read[i].text, &error);
		ROW(read[i].why, m != NULL);
		if (!m) {
			fprintf(stderr, "\n  %s\n", error.message);
			continue;
		}
		struct text row = printed(m);
		const char *want = read[i].printed ? read[i].printed : read[i].text;
		row_same(read[i].why, row.length ? row.data : "", want);
		uint64_t callers, cost = module_cost(m, &callers);
		if (cost != read[i].cost)
			fprintf(stderr, "\n  it costs %d\n", (int)cost);
		ROW(read[i].why, cost == read[i].cost);
		text_clear(&row);
		module_free(m);
	}
}

/* ------------------------------------------------------------------ what is refused */

static const struct {
	const char *why, *text, *message;
} refused[] = {
	{"a peer that is no rank", "[*] p send p+1 t",
		"row:4:1: the peer of process 11 would be 12, but the header says 12 processes"},
	{"... in some iteration", "for i = 0 to 3 / [0-8] p send p+1+i t / done",
		"row:5:1: the peer of process 8 would be 12, but the header says 12 processes"},
	{"... of some call", "call f(2) / procedure f(n) / [0-10] p send p+n t / done",
		"row:6:1: the peer of process 10 would be 12, but the header says 12 processes (called in line 4)"},
	{"a tag below 0", "[*] p send 0 t{1-p}", "row:4:1: the tag of process 2 would be negative"},
	{"no entry", "for i = 0 to 3 / 0 send 1 t$n[i] / done / $n[i] = 1 2 3",
		"row:5:1: a table has no such entry (of process 0)"},
	{"rows of other lengths",
		"[*] for i = 0 to {$n[p]} / [*] p send 0 t$b[p,i] / done / $n[p] = (0 1)*6 / "
		"$b[p,i] = (1 | 2 3 |)*5 1 | 2 |",
		"row:5:1: a table has no such entry (of process 11)"},
	{"a negative exponent", "for i = 0 to 3 / 0 send 1 t{2^(2-i)} / done", "row:5:1: an exponent is negative"},
	{"who is not in the group", "[0-3] p sync s 0-2", "row:4:1: process 3 is not in the group of its sync"},
	{"who is not in the line", "[0-3] p sync s @(*,1)", "row:4:1: process 0 is not in the group of its sync"},
	{"who does not execute the loop", "[0-3] for i = 0 to 1 / [2-5] p local a / done",
		"row:5:1: process 4 executes this statement, but not the loop around it"},
	{"a name that is none", "0 send {i0} t", "row:4:9: 'i0' is no index of a loop around this line"},
	{"no table", "0 send $n[1] t", "row:4:8: there is no table $n: '$n[...] = ...' is missing at the end"},
	{"another number of arguments", "0 send $n[1,2] t / $n[i] = 1 2",
		"row:4:8: table $n has 2 arguments here, but 1 in line 5"},
	{"a typo says more than what it breaks", "for i = 0 to 3 / 0 local a / dne / $n[i] = 1 x 2",
		"row:6:1: 'dne' is not an event"},
	{"not closed", "for i = 0 to 3 / 0 local a", "row:4:1: 'for' is not closed by a 'done'"},
	{"a table inside", "for i = 0 to 3 / $n[i] = 1", "row:5:1: a table is defined at the end, behind all loops"},
	{"too much", "done", "'done' without a 'for' before it"},
	{"no procedure", "call f", "row:4:1: there is no procedure f"},
	{"cycles", "call f / procedure f / call g / done / procedure g / call f / done",
		"procedure f calls itself through g"},
	{"parameters", "call f(1) / procedure f / done", "row:4:6: procedure f has 0 parameters, not 1"},
	{"no table as an argument", "call f($n) / procedure f(n) / done / $n[i] = 1",
		"parameter n is a number, the argument is none"},
	{"a bound that may be of another loop", "for i = 0 to 1 / for j = {i} to 3 / 0 local a / done / done",
		"row:5:9: the lower bound of a loop may not depend on indices"},
	{"no whole number", "0 send 1 t{7/2}", "row:4:13: '/' gives no whole number of 64 bits here"},
	{"a remainder by nothing", "[*] p send 0 t{p%(1-1)}", "row:4:17: '%' gives no whole number of 64 bits here"},
	{"a named process that is none", "for i = 0 to 1 / [$w[i]] p local a / done / $w[i] = 3 12",
		"row:5:1: process 12 is named, but executes nothing here"},
	{"backwards by an argument", "call f(-5) / procedure f(n) / for i = 0 to {n} / done / done",
		"the loop from 0 to -5 runs backwards (0 to -1 would be no iterations) (called in line 4)"},
	{"too many that differ", "for i = 0 to 1000000000 / for j = 0 to {i} / 0 send 1 t{i-j} / done / done",
		"iterations differ, and there are too many to go through (of process 0)"},
	{"attributes twice", "0 local a ; b=1 b=2", "row:4:17: the attribute 'b' stands twice in a statement"},
	{"a missing word", "[*] p send 0", "a word is missing: '[RANKS] p send RANK TAG'"},
	{"a number of events", "// events 3 / 0 local a",
		"row:4:1: the header says 3 events, but the listing stands for 1"},
};

static void refuses(void)
{
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct error error = {0};
		struct module *m = read_row(HEADER, refused[i].text, &error);
		ROW(refused[i].why, !m);
		row_contains(refused[i].why, error.message, refused[i].message);
		module_free(m);
	}
}

/* ------------------------------------------------------------------ parametric texts */

static const struct {
	const char *why, *text, *wrong;
} parametric[] = {
	{"extents", "[x<X-1] p send @(x+1,y) tag{2000+(x+y)%X} ; bytes={8*ceil(N,X)}", NULL},
	{"a table by a formula",
		"[*] p send (p+1)%P t ; bytes=$b[p] / // tables / "
		"$b[p] = 80*sum(c,X,((x+c)%X!=X-1)*share(23,X,(y-c)%X)*share(23,X,c))",
		NULL},
	{"trips", "for i0 = 0 to {log2(P)-1} / [*] p send p^{2^i0} t / done", NULL},
	{"a size that is not known", "[*] p sync s * ; bytes=?(8..640)", NULL},
	{"an unknown name", "[*] p send p+M t", "row:5:14: 'M' is neither P nor an extent"},
	{"a function without an argument", "for i0 = 0 to {gcd(P)} / done", "gcd() has 2 arguments"},
	{"sums inside", "[*] p local a ; b={sum(c,X,sum(d,Y,1))}", "a sum() inside of a sum()"},
};

static void reads_parametric(void)
{
	for (size_t i = 0; i < COUNT(parametric); i++) {
		struct error error = {0};
		struct module *m = read_row("// tracenest 1\n// parametric\n// processes X * Y\n// parameter N\n",
			parametric[i].text, &error);
		ROW(parametric[i].why, !m == (parametric[i].wrong != NULL));
		if (parametric[i].wrong)
			row_contains(parametric[i].why, error.message, parametric[i].wrong);
		else if (m)
			ROW(parametric[i].why, m->symbols == 1 && m->grid.axes == 2 && m->parametric);
		module_free(m);
	}
}

/* ------------------------------------------------------------------ calls replaced */

static const struct {
	const char *why, *text, *inlined;
} calls[] = {
	{"arguments are seen from inside of loops",
		"for i = 0 to 3 / call f(2*i) / done / procedure f(n) / for j = 0 to 2 / 0 send {j} t{n+j} / done / done",
		"for i0 = 0 to 3 / for i1 = 0 to 2 / 0 send {i1} t{2*i0+i1} / done / done"},
	{"through procedures",
		"call f(1) / procedure f(n) / call g(n+1) / done / procedure g(m) / 0 send {m} t{2*m} / done",
		"0 send 2 t4"},
	{"tables", "call f($b) / procedure f($t) / [*] p send 0 t$t[x] / done / $b[x] = 3 4 7 1",
		"[*] p send 0 t$b[x] / $b[x] = 3 4 7 1"},
	{"comments at their lines",
		"call f // a / 0 local b // c / procedure f / 0 local d // e / done / // sites / // c / // e",
		"0 local d // e / 0 local b // c"},
};

static void inlines(void)
{
	for (size_t i = 0; i < COUNT(calls); i++) {
		struct error error = {0};
		struct module *m = read_row(HEADER, calls[i].text, &error);
		ROW(calls[i].why, m && module_inline(m, &error));
		if (!m) {
			fprintf(stderr, "\n  %s\n", error.message);
			continue;
		}
		struct text row = printed(m);
		row_same(calls[i].why, row.data, calls[i].inlined);
		text_clear(&row);
		module_free(m);
	}
}

void suite_module(CU_pSuite suite)
{
	CU_add_test(suite, "texts are read", reads);
	CU_add_test(suite, "what is wrong is refused with its place", refuses);
	CU_add_test(suite, "parametric texts are read", reads_parametric);
	CU_add_test(suite, "calls are replaced", inlines);
}
