/*
 * test_procedures.c -- procedures of a text: read at each call, and written; what is wrong with them.
 */
#include <stdio.h>
#include <string.h>

#include "model/generalize.h"
#include "model/prepared.h"
#include "tests/models.h"
#include "tests/rows.h"

#define HEADER "// tracenest 1\n// processes 8\n// grid 4 2\n"

/* The row's program, or its message. */
static struct text printed(const char *row)
{
	struct error error = {0};
	struct text lines = lines_of_row(HEADER, row), out = {0};
	struct prepared *p = prepared_parse("row", lines.data, lines.length, &error);
	if (p)
		module_print_text(p->module, NULL, &out);
	else
		text_put(&out, error.message);
	text_clear(&lines);
	prepared_free(p);
	return out;
}

/* ------------------------------------------------------------------ read */

static const struct {
	const char *why, *row, *same;
} calls[] = {
	{"a body in two places", "call a / 0 local b / call a / procedure a / 0 local c / 1 local d / done",
		"0 local c / 1 local d / 0 local b / 0 local c / 1 local d"},
	{"defined first", "procedure a / 0 local c / done / call a / call a", "0 local c / 0 local c"},
	{"loops are numbered from the call on, by any name",
		"for i0 = 0 to 3 / call a / done / call a / procedure a / for i0 = 0 to 2 / 0 send {1+i0} t / done / done",
		"for i0 = 0 to 3 / for i1 = 0 to 2 / 0 send {1+i1} t / done / done / for i0 = 0 to 2 / 0 send {1+i0} t / done"},
	{"loops that begin elsewhere",
		"for k = 5 to 6 / call a(k) / done / procedure a(n) / for k = 2 to 3 / 0 send {n-k} t / done / done",
		"for i0 = 0 to 1 / for i1 = 0 to 1 / 0 send {3+i0-i1} t / done / done"},
	{"numbers wherever one may stand",
		"[0-7] for i0 = 0 to 2 / call a(2,1+i0,3) / done / "
		"procedure a(n,m,k) / [0-3] p send p+n t{m} ; bytes={8*k} / [2-5] p-n recv p t{m} ; bytes={n*12} / "
		"[0-7] p send (p+m)%8 u@{k} / [0-7] p send @(x+n,y) v / for i0 = 0 to {k-1} / [0-7] p sync S @(*,y) root={m} / done / "
		"if {n%2} = 0 / [0-7] p local a / done / done",
		"[0-7] for i0 = 0 to 2 / [0-3] p send p+2 t{1+i0} ; bytes=24 / [2-5] p-2 recv p t{1+i0} ; bytes=24 / "
		"[0-7] p send (p+1+i0)%8 u@3 / [0-7] p send @(x+2,y) v / for i1 = 0 to 2 / [0-7] p sync S @(*,y) root={1+i0} / "
		"done / if {0} = 0 / [0-7] p local a / done / done"},
	{"functions of the process",
		"call a(p,x) / procedure a(n,m) / [0-7] p send 0 t{3+2*n+m} ; bytes={5*m-m} / done",
		"[0-7] p send 0 t{3+2*p+x} ; bytes={4*x}"},
	{"a tag that comes to a number is one",
		"call a(3) / procedure a(n) / [0-6] p send p+1 t{n} / 0 send 1 t{n} / done",
		"[0-6] p send p+1 t3 / 0 send 1 t3"},
	{"powers, remainders, entries of tables",
		"[0-7] for i0 = 0 to 2 / call a(16*4^(5-i0),2^i0) / call a(16*4^i0+16*2^i0,i0%2+1) / call a(8-3*2^i0,$w[i0]*$w[0]) / done / "
		"procedure a(n,d) / [0-7] p send (p+d)%8 t ; bytes={n} / [0-7] (p-d)%8 recv p t ; bytes={8+2*n} / "
		"[0-7] p send p^{d} t{d*2-1} / done / $w[i0] = 1 2 2",
		"[0-7] for i0 = 0 to 2 / "
		"[0-7] p send (p+2^i0)%8 t ; bytes={16*4^(5-i0)} / [0-7] (p-2^i0)%8 recv p t ; bytes={8+32*4^(5-i0)} / "
		"[0-7] p send p^{2^i0} t{2*2^i0-1} / "
		"[0-7] p send (p+1+i0%2)%8 t ; bytes={16*4^i0+16*2^i0} / [0-7] (p-1-i0%2)%8 recv p t ; bytes={8+32*4^i0+32*2^i0} / "
		"[0-7] p send p^{1+i0%2} t{1+i0%2*2} / "
		"[0-7] p send (p+$w[i0]*$w[0])%8 t ; bytes={8-3*2^i0} / [0-7] (p-$w[i0]*$w[0])%8 recv p t ; bytes={24-6*2^i0} / "
		"[0-7] p send p^$w[i0]*$w[0] t{2*$w[i0]*$w[0]-1} / done / $w[i0] = 1 2 2"},
	{"an exponent",
		"for i0 = 0 to 2 / call a(1+i0) / call a(4) / done / procedure a(n) / 0 local x ; bytes={2^n+3*2^(n-1)} / done",
		"for i0 = 0 to 2 / 0 local x ; bytes={2^(1+i0)+3*2^i0} / 0 local x ; bytes=40 / done"},
	{"tables",
		"for i0 = 0 to 1 / call a($w,i0) / call a($v,0) / done / procedure a($t,k) / 0 send $t[k] t / done / $w[i0] = 1 2 / $v[i0] = 3",
		"for i0 = 0 to 1 / 0 send $w[i0] t / 0 send $v[0] t / done / $w[i0] = 1 2 / $v[i0] = 3"},
	{"any number where a number may stand",
		"for i0 = 0 to 1 / call a(2^i0) / call b($w[i0]) / done / procedure a(n) / 0 local x ; bytes={n%2} / done / "
		"procedure b(n) / 0 local x ; bytes={n+$w[0]} / done / $w[i0] = 1 2",
		"for i0 = 0 to 1 / 0 local x ; bytes={(2^i0)%2} / 0 local x ; bytes={$w[0]+$w[i0]} / done / $w[i0] = 1 2"},
	{"a large one", "call a(1000000000000000000) / procedure a(n) / [0-7] p send p t{2*n+p} / done",
		"[0-7] p send p t{2000000000000000000+p}"},
	{"a table of the same name",
		"call a($w) / procedure a($v) / 0 send $v[0] t / 0 send $w[1] t / done / $w[i0] = 1 2 / $v[i0] = 3",
		"0 send $w[0] t / 0 send $w[1] t / $w[i0] = 1 2"},
	{"calls inside",
		"call a(1,$w) / call b(3,$w) / "
		"procedure a(n,$u) / call b(n+1,$u) / 0 send {n} t / done / procedure b(n,$t) / 0 send {n} u / 0 send $t[0] w / done / $w[i0] = 4",
		"0 send 2 u / 0 send $w[0] w / 0 send 1 t / 0 send 3 u / 0 send $w[0] w / $w[i0] = 4"},
	{"methods of classes", "call mesh::swap(3) / procedure mesh::swap(n) / 0 send {n} t / done", "0 send 3 t"},
	{"in guards",
		"for i0 = 0 to 3 / if {i0} = 2 / call a / else / call b / done / done / "
		"procedure a / 0 local x / done / procedure b / if {1} = 1 / 0 local y / else / 0 local z / done / done",
		"for i0 = 0 to 3 / if {i0} = 2 / 0 local x / else / if {1} = 1 / 0 local y / else / 0 local z / done / done / done"},
	{"nothing inside", "call a / 0 local x / procedure a / done", "0 local x"},
	{"who is named",
		"[0-7] for i0 = 0 to 1 / call a($w,i0) / done / procedure a($t,k) / [$t[k]] p local x / done / $w[i0] = 1 2",
		"[0-7] for i0 = 0 to 1 / [$w[i0]] p local x / done / $w[i0] = 1 2"},
	{"not called", "0 local x / procedure a / 0 local y / done", "0 local x"},
	{"comments and blanks", "call  a( 1 , i0 + 0 ) // here",
		"row:4:1: there is no procedure a: 'procedure a' and what it does are missing"},
	{"blanks around arguments",
		"call a( 1 ,2 ) // here / procedure a(n, m) // there / // nothing / 0 send {n+m} t / done // end",
		"0 send 3 t"},
	{"annotations", "get \"a\" {0}.time -> / call a / procedure a / get \"b\" {*}.time -> / 0 local x / done",
		"0 local x"},
};

static void test_calls(void)
{
	for (size_t i = 0; i < COUNT(calls); i++) {
		struct text have = printed(calls[i].row), want = {0};
		if (strncmp(calls[i].same, "row:", 4))
			want = printed(calls[i].same);
		else
			text_put(&want, calls[i].same);
		row_same(calls[i].why, have.data, want.data);
		text_clear(&have);
		text_clear(&want);
	}
}

/* ------------------------------------------------------------------ what is wrong */

static const struct {
	const char *row, *message;
} wrong[] = {
	{"0 local x / procedure a / whatever / done",
		"row:6:1: 'whatever' is not an event: a rank and send, recv, sync, local, put or another verb of tracenest-model(5) are expected"},
	{"call a", "row:4:1: there is no procedure a: 'procedure a' and what it does are missing"},
	{"call a / procedure a / call b / done",
		"row:6:1: there is no procedure b: 'procedure b' and what it does are missing"},
	{"0 local x / procedure a / call b / done",
		"row:6:1: there is no procedure b: 'procedure b' and what it does are missing"},
	{"call a / procedure a / 0 local x / call a / done", "row:7:1: procedure a calls itself"},
	{"call a / procedure a / call b / done / procedure b / 0 local x / call a / done",
		"row:10:1: procedure a calls itself through b"},
	{"0 local x / procedure a / call b / done / procedure b / call c / done / procedure c / call d / done / procedure d / call b / done",
		"row:15:1: procedure b calls itself through d"},
	{"call a(1) / procedure a / 0 local x / done", "row:4:6: procedure a has 0 parameters, not 1"},
	{"call a / procedure a(n) / 0 local x / done", "row:4:6: procedure a has 1 parameter, not 0"},
	{"procedure a / 0 local x / done / procedure a / done / call a",
		"row:7:11: procedure a is defined in line 4 already"},
	{"procedure a / 0 local x", "row:4:1: 'procedure' is not closed by a 'done'"},
	{"procedure a / for i0 = 0 to 1 / 0 local x / done", "row:4:1: 'procedure' is not closed by a 'done'"},
	{"procedure a / procedure b / done / done", "row:5:1: a procedure stands outside of all loops and procedures"},
	{"for i0 = 0 to 1 / procedure a / done / done",
		"row:5:1: a procedure stands outside of all loops and procedures"},
	{"call a / for i0 = 0 to 1 / procedure a / done / done",
		"row:6:1: a procedure stands outside of all loops and procedures"},
	{"procedure a(n,n) / done", "row:4:15: parameter n stands twice"},
	{"procedure a(x) / done",
		"row:4:13: 'x)' is no parameter: these are names, of numbers as n, of tables as $b (p, x, y, z and w are taken)"},
	{"procedure a(1) / done",
		"row:4:13: '1)' is no parameter: these are names, of numbers as n, of tables as $b (p, x, y, z and w are taken)"},
	{"call 7",
		"row:4:6: a procedure has a name of letters, digits and _: 'call NAME' or 'call NAME(1,i0)', not '7'"},
	{"call mesh:: / procedure mesh / done", "row:4:10: '::' is too much behind the name of a procedure"},
	{"call mesh:swap / procedure mesh / done", "row:4:10: ':swap' is too much behind the name of a procedure"},
	{"call ::swap",
		"row:4:6: a procedure has a name of letters, digits and _: 'call NAME' or 'call NAME(1,i0)', not '::swap'"},
	{"call", "row:4:5: a procedure has a name of letters, digits and _: 'call NAME' or 'call NAME(1,i0)', not ''"},
	{"call a() / procedure a / done", "row:4:8: a number, without leading zeros, or a name is expected, not ')'"},
	{"call a(1 / procedure a(n) / done", "row:4:9: ')' is missing behind the arguments of a procedure"},
	{"call a b / procedure a / done", "row:4:7: 'b' is too much behind the name of a procedure"},
	{"call a(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16) / procedure a(n) / done",
		"row:4:45: a procedure takes at most 16 arguments"},
	{"call a($w) / procedure a(n) / done / $w[i0] = 1", "row:4:6: parameter n is a number, the argument is none"},
	{"call a(1) / procedure a($t) / done", "row:4:6: parameter t is a table, the argument is none"},
	{"call a(i0%2) / procedure a(n) / done", "row:4:8: 'i0' is no index of a loop around this line"},
	{"for i0 = 0 to 1 / call a({i0}) / done / procedure a(n) / done",
		"row:5:8: a number, without leading zeros, or a name is expected, not '{i0})'"},
	{"for i0 = 0 to 1 / call a(2*) / done / procedure a(n) / done",
		"row:5:10: a number, without leading zeros, or a name is expected, not ')'"},
	{"for i0 = 0 to 1 / call a(i0 2) / done / procedure a(n) / done",
		"row:5:11: ')' is missing behind the arguments of a procedure"},
	{"call a($w[0]) / procedure a($t) / done / $w[i0] = 1",
		"row:4:6: parameter t is a table, the argument is none"},
	{"for i0 = 0 to 1 / call a / done / procedure a / 0 send {i0} t / done",
		"row:8:9: 'i0' is no index of a loop around this line"},
	{"call a / procedure a / call b / done / procedure b / 0 local x / 0 sind 1 / done",
		"row:10:1: 'sind' is not an event: send, recv, sync, local, put or another verb of tracenest-model(5) is expected"},
	{"[0-3] for i0 = 0 to 1 / call a / done / procedure a / [0-7] p local x / done",
		"row:8:1: process 4 executes this statement, but not the loop around it (called in line 5)"},
	{"if {1} = 1 / call a / done / procedure a / else / done", "row:8:1: 'else' without an 'if' before it"},
	{"call a(9300000000000000000) / procedure a(n) / 0 local x / done",
		"row:4:8: a number, without leading zeros, or a name is expected, not '9300000000000000000)'"},
	{"0 send $w[0] t / $w[i0] = 1 / call a",
		"row:5:1: a table is made of numbers, a..b, a..b:s, (...)*n and |, not of 'call a '"},
	{"0 send $w[0] t / call a / procedure a / done / $w[i0] = 1 / procedure b / done",
		"row:8:1: a table is made of numbers, a..b, a..b:s, (...)*n and |, not of 'procedure b done '"},
	{"call a / procedure a / 0 send $w[0] t / done",
		"row:6:8: there is no table $w: '$w[...] = ...' is missing at the end"},
	{"call a / done / procedure a / 0 local x / done", "row:5:1: 'done' without a 'for' before it"},
	{"for i0 = 0 to 1 / call a / procedure a / 0 local x / done",
		"row:6:1: a procedure stands outside of all loops and procedures"},
};

static void test_wrong(void)
{
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct text have = printed(wrong[i].row);
		row_same(wrong[i].row, have.data, wrong[i].message);
		text_clear(&have);
	}
}

/* Each calls the one before twice: refused before anything of it is read. */
static struct text doubling(unsigned procedures)
{
	struct text t = {0};
	text_put(&t, HEADER);
	text_format(&t, "call f%u\n", procedures - 1);
	text_put(&t, "procedure f0\n0 local x\ndone\n");
	for (unsigned i = 1; i < procedures; i++)
		text_format(&t, "procedure f%u\ncall f%u\ncall f%u\ndone\n", i, i - 1, i - 1);
	return t;
}

static void test_growth(void)
{
	struct error error = {0};
	struct text few = doubling(11), many = doubling(60), deep = {0};
	struct prepared *p = prepared_parse("few", few.data, few.length, &error);
	ROW("1024 statements", p && p->module->lines == 1024);
	prepared_free(p);
	p = prepared_parse("many", many.data, many.length, &error);
	row_same("2^59 statements", p ? "read" : error.message,
		"many:78:1: up to here, calls stand for more than 1048576 lines");
	prepared_free(p);
	text_put(&deep, HEADER "call f99\nprocedure f0\ndone\n");
	for (unsigned i = 1; i < 100; i++)
		text_format(&deep, "procedure f%u\ncall f%u\ndone\n", i, i - 1);
	p = prepared_parse("deep", deep.data, deep.length, &error);
	row_same("calls 100 deep", p ? "read" : error.message,
		"deep:110:1: procedures that call each other are more than 64 deep");
	prepared_free(p);
	text_clear(&few);
	text_clear(&many);
	text_clear(&deep);
}

/* ------------------------------------------------------------------ written */

/* Eight statements. */
#define HALO_OF(bytes)                                                                                                 \
	"[0-6] p send p+1 t ; bytes=" bytes " / [1-7] p-1 recv p t ; bytes=" bytes                                     \
	" / [1-7] p send p-1 u ; bytes=" bytes " / [0-6] p+1 recv p u ; bytes=" bytes                                  \
	" / [y<Y-1] p send p+4 v ; bytes=" bytes " / [y>0] p-4 recv p v ; bytes=" bytes                                \
	" / [y>0] p send p-4 w ; bytes=" bytes " / [y<Y-1] p+4 recv p w ; bytes=" bytes
#define HALO HALO_OF("8")
#define SYNCS                                                                                                          \
	"[*] p sync S * / [*] p sync U * / [*] p sync V * / [*] p sync A * / [*] p sync B * / "                        \
	"[*] p sync C * / [*] p sync D * / [*] p sync E * / [*] p sync F * / [*] p sync G *"
#define SMOOTHING                                                                                                      \
	"[*] p local a // f.c:3 / [*] p local b // f.c:4 / [*] p local c // f.c:5 / [*] p local d // f.c:6 / "         \
	"[*] p local e // f.c:7 / [*] p local f // f.c:8 / [*] p local g // f.c:9"

#define SMOOTHING_TWICE "call smooth / [*] p sync S * // m.c:7 / call smooth / [*] p sync T * // m.c:8"

static const struct {
	const char *why, *row, *said; /* NULL: the same */
} bodies[] = {
	{"what no call stands in is written where it stands", HALO " / 0 local a / " HALO, NULL},
	{"at any depth",
		"call exchange / [*] p local x / [*] for i0 = 0 to 8 / call exchange / [*] p sync S * / "
		"[*] for i1 = 0 to 3 / call exchange / done / done / call exchange / "
		"procedure exchange / " HALO " / done",
		NULL},
	{"under the name that it was read with, and called once, too", "call halo / procedure halo / " HALO " / done",
		NULL},
	{"of one process, too", "call a / 0 local b / call a / procedure a / 0 local c / 1 local d / done", NULL},
	{"sizes that differ are an argument, named after what it is",
		"call exchange(8) / [*] p sync S * / call exchange(64) / [*] p sync U * / call exchange(640) / "
		"procedure exchange(n) / " HALO_OF("{n}") " / done",
		"call exchange(8) / [*] p sync S * / call exchange(64) / [*] p sync U * / call exchange(640) / "
		"procedure exchange(bytes) / " HALO_OF("{bytes}") " / done"},
	{"what is the same in all calls is none",
		"call a(8,3) / call a(9,3) / procedure a(n,m) / 0 send 1 t{m} ; bytes={n} / 0 local b / done",
		"call a(8) / call a(9) / procedure a(bytes) / 0 send 1 t3 ; bytes={bytes} / 0 local b / done"},
	{"... of statements over sets",
		"call a(8,3) / call a(9,3) / procedure a(n,m) / [0-6] p send p+1 t{m} ; bytes={n} / [1-7] p-1 recv p t{m} / done",
		"call a(8) / call a(9) / procedure a(bytes) / [0-6] p send p+1 t3 ; bytes={bytes} / [1-7] p-1 recv p t3 / done"},
	{"what is handed over is what stands there",
		"call a(8) / call a(9) / procedure a(n) / [0-6] p send p+1 t ; bytes={2*n} / [1-7] p-1 recv p t ; bytes={2*n} / [0-6] p send p+1 u{n} / done",
		"call a(16,8) / call a(18,9) / procedure a(bytes,tag) / [0-6] p send p+1 t ; bytes={bytes} / "
		"[1-7] p-1 recv p t ; bytes={bytes} / [0-6] p send p+1 u{tag} / done"},
	{"tags, peers, counts",
		"call step(3,1,1) / [*] p local x / call step(4,3,2) / [*] p local x / call step(5,2,3) / [*] p local x / "
		"call step(9,5,7) / procedure step(n,d,tag) / [*] for i0 = 0 to {n} / [*] p send (p+d)%8 t{tag} ; bytes=8 / "
		"[*] (p-1)%8 recv p u ; bytes=8 / " SYNCS " / done / done",
		NULL},
	{"entries of tables, beside numbers",
		"call exchange($b[p]) / [*] p local x / call exchange(8) / [*] p local x / call exchange($b[p]) / "
		"procedure exchange(bytes) / " HALO_OF("{bytes}") " / done / $b[p] = 1 5 2 9 4 7 7 1",
		NULL},
	{"... where loops inside ask for them, too, are no argument",
		"call step($b) / call step($c) / procedure step($t) / [*] for i0 = 0 to 3 / "
		"[*] p send (p+1)%8 t ; bytes=$t[i0] / [*] (p-1)%8 recv p t / done / done / "
		"$b[i0] = 1 5 2 9 / $c[i0] = 3 2 5 7 4",
		"[*] for i0 = 0 to 3 / [*] p send (p+1)%8 t ; bytes=$b[i0] / [*] (p-1)%8 recv p t / done / "
		"[*] for i0 = 0 to 3 / [*] p send (p+1)%8 t ; bytes=$c[i0] / [*] (p-1)%8 recv p t / done / "
		"$b[i0] = 1 5 2 9 / $c[i0] = 3 2 5 7 4"},
	{"... unless they are the same everywhere",
		"call step(1) / call step(2) / procedure step(tag) / [*] for i0 = 0 to 3 / "
		"[*] p send (p+1)%8 t{tag} ; bytes=$b[i0] / [*] (p-1)%8 recv p t{tag} / done / done / $b[i0] = 1 5 2 9",
		NULL},
	{"conditions are no arguments",
		"call a(1) / call a(2) / procedure a(n) / if {n} = 1 / 0 local x / done / 0 local y / done",
		"call a / call a2 / procedure a / if {1} = 1 / 0 local x / done / 0 local y / done / "
		"procedure a2 / if {2} = 1 / 0 local x / done / 0 local y / done"},
	{"sizes that are functions of the indices around",
		"[*] for i0 = 0 to 3 / call exchange(16*4^(5-i0)) / [*] p sync S * / call exchange(16*4^i0+16*2^i0) / "
		"[*] p sync U * / call exchange(640) / done / call exchange(8) / "
		"procedure exchange(bytes) / " HALO_OF("{bytes}") " / done",
		NULL},
	{"below guards, which have no index",
		"[*] for i0 = 0 to 8 / if {i0} = 2 / [*] for i1 = 0 to 3 / call exchange(i0+8*i1) / done / done / "
		"call exchange(i0) / done / procedure exchange(bytes) / " HALO_OF("{bytes}") " / done",
		NULL},
	{"indices of loops around where no argument may stand",
		"[*] for i0 = 0 to 8 / call a(i0) / [*] for i1 = 0 to 3 / call a(i1) / done / done / procedure a(n) / "
		"if {n%2} = 1 / [*] p local x / done / [*] p send @(x+n,y) t / done",
		"[*] for i0 = 0 to 8 / call a(i0) / [*] for i1 = 0 to 3 / call a(i1) / done / done / procedure a(i0) / "
		"if {i0%2} = 1 / [*] p local x / done / [*] p send @(x+i0,y) t / done"},
	{"in procedures in procedures",
		"[*] for i0 = 0 to 3 / call step(2^i0) / [*] p local a / call step(4^i0) / [*] p local b / call step(2^(9-i0)) / "
		"done / procedure step(bytes) / call exchange(bytes) / [*] p sync S * / [*] p sync U * / [*] p sync V * / "
		"call exchange(8) / done / "
		"procedure exchange(bytes) / " HALO_OF("{bytes}") " / done",
		NULL},
	{"in the order of their calls",
		"call step / call step / call exchange / procedure exchange / " HALO " / done / "
		"procedure step / call exchange / [*] p sync S * / done",
		"call step / call step / call exchange / "
		"procedure step / call exchange / [*] p sync S * / done / procedure exchange / " HALO " / done"},
	{"calls whose lines differ are of two procedures",
		"call a(0) / call a(0) / call a(4) / call a(4) / procedure a(n) / if {n} = 0 / [*] p local x / done / done",
		"call a / call a / call a2 / call a2 / procedure a / if {0} = 0 / [*] p local x / done / done / "
		"procedure a2 / if {4} = 0 / [*] p local x / done / done"},
	{"an else has its if before it",
		"[*] for i0 = 0 to 8 / call a / call a / done / procedure a / [*] for i0 = 0 to 3 / if {i0} = 1 / 0 local a / else / 0 local b / done / done / done",
		NULL},
	{"at the lines of their sites",
		SMOOTHING_TWICE " / procedure smooth / " SMOOTHING " / done / // sites / "
				"// f.c:3,4,5,6,7,8,9 mesh::smooth(double*) / // m.c:7,8 main",
		NULL},
};

static struct text text_of(const struct module *m)
{
	struct text text = {0};
	module_print_text(m, NULL, &text);
	return text;
}

static struct text said_by(const struct draft *d)
{
	struct module *m = module_of_draft(d, NULL, NULL);
	struct text said = text_of(m);
	module_free(m);
	return said;
}

/* NULL: the text is refused, and it is said why. */
static struct draft *draft_of_text(const char *text, size_t length)
{
	struct error error = {0};
	struct module *m = module_parse("row", text, length, &error);
	struct draft *d = m ? draft_of_module(m, &error) : NULL;
	if (!d)
		fprintf(stderr, "%s\n", error.message);
	module_free(m);
	return d;
}

static void test_bodies(void)
{
	for (size_t i = 0; i < COUNT(bodies); i++) {
		struct text lines = lines_of_row(HEADER, bodies[i].row);
		struct draft *d = draft_of_text(lines.data, lines.length);
		ROW(bodies[i].why, d);
		if (!d)
			continue;
		struct text said = said_by(d), row = row_of_lines(said.data, false), plain = text_of(d->module),
			    same = row_of_lines(lines.data, false), again = {0}, twice = {0};
		row_same(bodies[i].why, row.data, bodies[i].said ? bodies[i].said : same.data);
		struct draft *read = draft_of_text(said.data, said.length);
		ROW(bodies[i].why, read);
		if (read) {
			again = text_of(read->module);
			twice = said_by(read);
		}
		row_same("read again", read ? again.data : "", plain.data);
		row_same("said again", read ? twice.data : "", said.data);
		draft_free(d);
		draft_free(read);
		text_clear(&lines);
		text_clear(&said);
		text_clear(&plain);
		text_clear(&again);
		text_clear(&twice);
		text_clear(&row);
		text_clear(&same);
	}
}

/* Calls that are noted of statements that are not (any more) those of one body. */
static void test_stale(void)
{
	static const struct {
		const char *why;
		struct program_call call[3];
		const char *said;
	} rows[] = {
		{"two calls", {{0, 2, 0}, {5, 7, 0}},
			"call local / [*] for i0 = 0 to 2 / [*] p local a / done / [*] p local c / call local / [*] p local c / "
			"procedure local / [*] p local a / [*] p local b / done"},
		{"one alone", {{0, 2, 0}}, NULL},
		{"of other statements", {{0, 2, 0}, {4, 6, 0}}, NULL},
		{"that begin in a loop, and end behind it", {{3, 5, 0}, {0, 2, 0}}, NULL},
		{"that end in a loop", {{1, 4, 0}, {4, 6, 0}}, NULL},
		{"that overlap", {{0, 2, 0}, {1, 3, 1}, {5, 7, 0}},
			"call local / [*] for i0 = 0 to 2 / [*] p local a / done / [*] p local c / call local / [*] p local c / "
			"procedure local / [*] p local a / [*] p local b / done"},
		{"beyond the end", {{0, 2, 0}, {7, 9, 0}}, NULL},
	};
	const char *row = "[*] p local a / [*] p local b / [*] for i0 = 0 to 2 / [*] p local a / done / "
			  "[*] p local c / [*] p local a / [*] p local b / [*] p local c";
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text lines = lines_of_row(HEADER, row);
		struct draft *d = draft_of_text(lines.data, lines.length);
		for (size_t k = 0; k < COUNT(rows[i].call) && rows[i].call[k].end; k++) {
			const struct program_call *c = &rows[i].call[k];
			program_calls_end(&d->calls, program_calls_begin(&d->calls, c->procedure, c->start), c->end);
		}
		struct text said = said_by(d), have = row_of_lines(said.data, false);
		row_same(rows[i].why, have.data, rows[i].said ? rows[i].said : row);
		text_clear(&lines);
		text_clear(&said);
		text_clear(&have);
		draft_free(d);
	}
}

/* Two calls of the first two statements, in sites. */
static void test_names(void)
{
	static const struct {
		const char *why, *sites[2], *declared, *name;
	} rows[] = {
		{"both in one function", {"a.c:7", "a.c:9"}, "// a.c:7,9 f", "f"},
		{"in several, of which nothing is known", {"a.c:7", "b.c:9"}, "// a.c:7 f / // b.c:9 g", "local"},
		{"... called by one", {"m.c:3 > a.c:7", "m.c:3 > a.c:8 > b.c:9"},
			"// m.c:3 main / //   a.c:7 f / //   a.c:8 f > b.c:9 g", "f"},
		{"... one after the other", {"m.c:3 > a.c:7", "m.c:4 > b.c:9"},
			"// m.c:3 main > a.c:7 f / // m.c:4 main > b.c:9 g", "local"},
		{"a method", {"a.c:7", "a.c:9"}, "// a.c:7,9 app::mesh<double>::swap(int)", "mesh::swap"},
		{"... of a class", {"a.c:7", "a.c:9"}, "// a.c:7,9 void app::mesh::swap<int>(int)", "mesh::swap"},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text row = {0};
		text_format(&row,
			"[*] p local a // %s / [*] p local b // %s / [*] p local c // m.c:3 / [*] p local a // %s / [*] p local b // %s / // sites / // m.c:3 main / %s",
			rows[i].sites[0], rows[i].sites[1], rows[i].sites[0], rows[i].sites[1], rows[i].declared);
		struct text lines = lines_of_row(HEADER, row.data);
		struct draft *d = draft_of_text(lines.data, lines.length);
		for (size_t k = 0; d && k < 2; k++)
			program_calls_end(&d->calls, program_calls_begin(&d->calls, 0, 3 * k), 3 * k + 2);
		struct text said = d ? said_by(d) : (struct text){0}, want = {0};
		text_format(&want, "procedure %s\n", rows[i].name);
		row_contains(rows[i].why, said.data ? said.data : "", want.data);
		text_clear(&row);
		text_clear(&lines);
		text_clear(&said);
		text_clear(&want);
		draft_free(d);
	}
}

void suite_procedures(CU_pSuite suite)
{
	CU_add_test(suite, "names from the functions of sites", test_names);
	CU_add_test(suite, "calls are written as calls", test_bodies);
	CU_add_test(suite, "what is no instance of a body is written where it stands", test_stale);
	CU_add_test(suite, "calls are the lines of the body", test_calls);
	CU_add_test(suite, "what is wrong", test_wrong);
	CU_add_test(suite, "calls of calls of calls", test_growth);
}
