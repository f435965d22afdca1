/*
 * test_located.c -- where in the source statements are: sites as text, of paths of calls, and of
 * random programs whose events carry sites.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "lib/comparison.h"
#include "lib/pipeline.h"
#include "model/call_paths.h"
#include "model/function_calls.h"
#include "model/generalize.h"
#include "model/module_address.h"
#include "model/prepared.h"
#include "model/site_paths.h"
#include "tests/archive.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/simulated.h"
#include "tests/spmd.h"
#include "trace/call_path.h"
#include "trace/streams.h"

/* ------------------------------------------------------------------ text */

#define HEADER "// tracenest 1\n// processes 2\n"

static void print_sites(const struct site_places *p, uint32_t id, struct text *out)
{
	const uint32_t *path;
	size_t count = sites_get(p, id, &path);
	const char **site = mem_array(count, sizeof *site);
	for (size_t i = 0; i < count; i++)
		site[i] = path_site(p, path[i]);
	sites_print(site, count, out);
	free(site);
}

static void test_parts(void)
{
	static const struct {
		const char *why, *words, *file, *function;
		uint64_t line;
	} cases[] = {
		{"a line of a function", "a.c:7 f", "a.c", "f", 7},
		{"several", "a.c:7,9 f<int, 2>", "a.c", "f<int, 2>", 7},
		{"of no function", "a b.c:7", "a b.c", "", 7},
		{"a colon in the name of the file", "c:/x:y/a.c:7 f", "c:/x:y/a.c", "f", 7},
		{"colons of a region", "std::sort", "std::sort", "std::sort", 0},
		{"... and a line", "a::b.cpp:12", "a::b.cpp", "", 12},
		{"a line of nothing", ":7", ":7", ":7", 0},
		{"a comma too many", "a.c:7, f", "a.c:7, f", "a.c:7, f", 0},
		{"an offset", "lib.so.1+0x1f2", "lib.so.1+0x1f2", "", 0},
		{"... in a function", "lib.so.1+0x1f2 A::f", "lib.so.1+0x1f2", "A::f", 0},
		{"... without a name", "lib.so.1+0x1f2 lib.so.1+0x1e0", "lib.so.1+0x1f2", "lib.so.1+0x1e0", 0},
		{"no offset", "a+0xb::f", "a+0xb::f", "a+0xb::f", 0},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct site site = site_parts(cases[i].words);
		ROW(cases[i].why,
			site.length == strlen(cases[i].file) && !memcmp(site.file, cases[i].file, site.length));
		row_same(cases[i].why, site.function, cases[i].function);
		ROW(cases[i].why, site.line == cases[i].line);
	}
}

static const struct {
	const char *why, *words, *outer; /* ... all but the innermost frame; NULL: none */
	const char *name;
	uint64_t position;
	uint32_t depth;
} tree[] = {
	{"lines", "a.c:7 f < b.c:9 main", "b.c:9 main", "f", 7, 2},
	{"the outermost alone", "b.c:9 main", NULL, "main", 9, 1},
	{"the same call of another function", "a.c:7 f < b.c:11 main", "b.c:11 main", "f", 7, 2},
	{"functions that are not known", "l.so+0x1f < x+0x20", "x+0x20", "", 0x1f, 2},
	{"... but for where they begin", "l.so+0x1f l.so+0x10 < x+0x20", "x+0x20", "l.so+0x10", 0x1f, 2},
	{"a module with a plus", "l+0x1-2.so+0x1f < x+0x20", "x+0x20", "", 0x1f, 2},
	{"regions", "exchange < norm of it < main", "norm of it < main", "exchange", 0, 3},
	{"recursion", "a.c:7 f < a.c:7 f < a.c:7 f", "a.c:7 f < a.c:7 f", "f", 7, 3},
	{"no words", "", NULL, "\"\"", 0, 1},
};

static void test_paths_read(void)
{
	struct call_paths *t = call_paths_new();
	for (size_t i = 0; i < COUNT(tree); i++) {
		uint32_t path = call_paths_know(t, tree[i].words), outer = call_paths_know(t, tree[i].outer);
		const struct call_frame *f = call_paths_frame(t, path);
		ROW(tree[i].why, f && f->caller == outer && f->depth == tree[i].depth);
		ROW(tree[i].why, f && f->position == tree[i].position);
		ROW(tree[i].why, path == call_paths_know(t, tree[i].words));
		ROW(tree[i].why, outer == call_paths_outer(t, path, tree[i].depth - 1));
		row_same(tree[i].why, f ? f->name : "", tree[i].name);
	}
	uint32_t here = call_paths_know(t, "x+0x20 < s.c:58 __libc_start_call_main < x+0x1"),
		 there = call_paths_know(t, "x+0x30 < s.c:58 __libc_start_call_main < x+0x1");
	ROW("calls in main, whatever it is called",
		call_paths_frame(t, here)->function == call_paths_frame(t, there)->function);
	struct call_paths *copy = call_paths_copy(t);
	ROW("a copy has the same numbers", call_paths_count(copy) == call_paths_count(t));
	for (uint32_t path = 1; path < call_paths_count(t); path++)
		ROW("a copy has the same numbers",
			call_paths_frame(copy, path)->function == call_paths_frame(t, path)->function);
	call_paths_free(copy);
	const struct call_frame *f = call_paths_frame(t, call_paths_know(t, tree[0].words)),
				*g = call_paths_frame(t, call_paths_know(t, tree[2].words));
	ROW("a call is one place, whoever calls its function", f->place == g->place && f->function == g->function);
	call_paths_free(t);
}

/* What is read, printed again; NULL: the same. */
static const struct {
	const char *why, *text, *printed;
} texts[] = {
	{"lines and functions",
		"for i0 = 0 to 2 // solve / 0 local a // rhs.f:7 / 0 local b // rhs.f:9 / done / // sites / // rhs.f:7,9 rhs / // solve",
		NULL},
	{"a function of which there are lines, too",
		"for i0 = 0 to 2 // f / 0 local a // x.c:7 / done / // sites / // x.c:7 f", NULL},
	{"several lines, in order", "0 local a // b.c:9,10 | a.c:7 / // sites / // a.c:7 f / // b.c:9 f / // b.c:10 g",
		"0 local a // a.c:7 | b.c:9,10 / // sites / // a.c:7 f / // b.c:9 f / // b.c:10 g"},
	{"a line that is in two functions", "0 local a // a.h:7 / // sites / // a.h:7 f<double> / // a.h:7 f<int>",
		NULL},
	{"no debug information", "0 local a // lib.so.1+0x1f2 / // sites / // lib.so.1+0x1f2", NULL},
	{"functions without lines",
		"for i0 = 0 to 2 // A::f / 0 local a // A::f / done / // sites / // x.so+0x7 A::f / // x.so+0x9 A::f",
		NULL},
	{"... called in several places, by their offsets",
		"0 local a // f#3 / 0 local b // f#1,2 / // sites / // x.so+0x7 f / // x.so+0x9 f / // x.so+0xb f",
		NULL},
	{"... all calls and no call",
		"0 local a // f#1,2 / 0 local b // f#0 / // sites / // x.so+0x7 f / // x.so+0x9 f",
		"0 local a // f / 0 local b // f#0 / // sites / // x.so+0x7 f / // x.so+0x9 f"},
	{"... whose function alone has no other name", "0 local a // f / // sites / // f", NULL},
	{"... called by such",
		"0 local a // g > f / 0 local b // h#1 > f / 0 local c // h#2 > f / // sites / // x.so+0x3 g > x.so+0x7 f / // x.so+0x4 h > x.so+0x7 f / // x.so+0x5 h > x.so+0x7 f",
		NULL},
	{"... of a number that is not there", "0 local a // f#3 / 0 local b // f#0 / // sites / // x.so+0x7 f",
		"0 local a / 0 local b // f / // sites / // f"},
	{"a lambda", "0 local a // {lambda()#1} / // sites / // x.so+0x7 {lambda()#1}", NULL},
	{"functions without names",
		"for i0 = 0 to 2 // x.so+0x5 / 0 local a // x.so+0x7 / done / // sites / // x.so+0x7 x.so+0x5", NULL},
	{"lines without functions", "0 local a // a b.c:7 / // sites / // a b.c:7", NULL},
	{"regions", "0 local a // exchange | norm of it / // sites / // exchange / // norm of it", NULL},
	{"behind another comment", "0 local a // @{0=1} // a.c:7 / // sites / // a.c:7",
		"0 local a // a.c:7 / // sites / // a.c:7"},
	{"trailing blanks", "0 local a // a.c:7  / // sites / // a.c:7", "0 local a // a.c:7 / // sites / // a.c:7"},
	{"beside what is carried", "0 local a ; n=1 // a.c:7 / // sites / // a.c:7", NULL},
	{"guards",
		"for i0 = 0 to 5 / if {i0%2} = 1 // f / 0 local a // a.c:7 / else // g / 0 local b // g / done / done / // sites / // a.c:7 f / // g",
		NULL},
	{"a process that is named",
		"for i0 = 0 to 3 / [$w[i0]] p local a ; n=1 // a.c:7 / done / // sites / // a.c:7 f / // tables / $w[i0] = 0 1 0 1",
		NULL},
	{"what is not declared is a comment", "0 local a // to do / 0 local b // a.c:7 / // sites / // a.c:8 f",
		"0 local a / 0 local b"},
	{"as is what is declared in part", "0 local a // a.c:7,8 / 0 local b // a.c:7 | g / // sites / // a.c:7 f",
		"0 local a / 0 local b"},
	{"or before the word", "0 local a // a.c:7 / // a.c:7 f / // sites", "0 local a"},
	{"a caller", "0 local a // a.c:7 / // sites / // m.c:1 main > a.c:7 f", NULL},
	{"several calls of a function",
		"0 local a // a.c:7 / 0 local b // b.c:9 / // sites / // m.c:1 main / //   a.c:7 f / //   b.c:9 g",
		NULL},
	{"lines beside each other, and one that calls",
		"0 local a // a.c:7,9 / 0 local b // b.c:9 / // sites / // m.c:1 main / //   a.c:7,9 f / //   a.c:12 f > b.c:9 g",
		NULL},
	{"a site that is called from two lines, apart",
		"0 local a // m.c:1 > a.c:7 / 0 local b // m.c:2 > a.c:7 / // sites / // m.c:1 main > a.c:7 f / // m.c:2 main > a.c:7 f",
		NULL},
	{"... and together",
		"0 local a // a.c:7 / 0 local b // m.c:2 > a.c:7 / // sites / // m.c:1 main > a.c:7 f / // m.c:2 main > a.c:7 f",
		NULL},
	{"what tells them is further out",
		"0 local a // m.c:1 > ... > a.c:7 / 0 local b // m.c:2 > ... > a.c:7 / // sites / // m.c:1 main > s.c:3 s > a.c:7 f / // m.c:2 main > s.c:3 s > a.c:7 f",
		NULL},
	{"functions without a name are told by who calls them",
		"for i0 = 0 to 2 // solve > m+0x900 / 0 local a // solve > m+0x914 / 0 local b // norm > ... > m+0xa20 / done / // sites / // m.c:1 main > l+0x10 solve / //   m+0x914 m+0x900 / //   m+0x928 m+0x900 > l+0x40 norm > m+0xa08 m+0xa00 > m+0xa20 m+0xa10",
		NULL},
	{"... and so are others by callers with a name",
		"0 local a // solve > ... > f / 0 local b // set > ... > f / // sites / // l+0x10 solve > m+0x914 m+0x900 > l+0x80 f / // l+0x20 set > m+0x914 m+0x900 > l+0x80 f",
		NULL},
	{"a path that is cut off",
		"0 local a // > a.c:7 / 0 local b // m.c:2 > a.c:7 / // sites / // a.c:7 f / // m.c:2 main > a.c:7 f",
		NULL},
	{"recursion",
		"0 local a // m.c:2 > f.c:7 / 0 local b // f.c:9 > f.c:7 / // sites / // m.c:2 main / //   f.c:7 f / //   f.c:9 f > f.c:7 f",
		NULL},
	{"a loop's function that is called from two lines",
		"for i0 = 0 to 2 // m.c:1 > f / 0 local a // m.c:1 > a.c:7 / done / 0 local b // m.c:2 > a.c:7 / // sites / // m.c:1 main > a.c:7 f / // m.c:2 main > a.c:7 f",
		NULL},
	{"regions in each other", "0 local a // exchange / // sites / // main > solve > exchange", NULL},
	{"callers that are not declared", "0 local a // x.c:1 > a.c:7 / // sites / // m.c:1 main > a.c:7 f",
		"0 local a"},
	{"declared twice, and not used", "0 local a // a.c:7 / // sites / // a.c:7 f / // a.c:7 f / // a.c:9 f",
		"0 local a // a.c:7 / // sites / // a.c:7 f"},
};

/* All lines behind the header, as a row. */
static struct text body_of(const char *at)
{
	struct text row = {0};
	for (int line = 0; *at; line++) {
		size_t length = strcspn(at, "\n"), blanks = strspn(at, " ");
		if (line >= 3) {
			text_put(&row, line > 3 ? " / " : "");
			text_add(&row, at + blanks, length - blanks);
		}
		at += length + (at[length] == '\n');
	}
	return row;
}

/* With the functions of the source as procedures, of two statements and more. */
static const struct {
	const char *why, *text, *printed;
} functions[] = {
	{"what a function does in a loop of another one",
		"for i0 = 0 to 2 // run / 0 local a // r.c:2 > s.c:7 / 0 local b // r.c:2 > s.c:8 / 0 local c // r.c:3 / done / // sites / // m.c:1 main > r.c:2 run > s.c:7,8 step / // m.c:1 main > r.c:3 run / // m.c:1 main > run",
		"call run / // procedures / procedure run / for i0 = 0 to 2 / call step / 0 local c / done / done / procedure step / 0 local a / 0 local b / done"},
	{"a condition stays where the function is called",
		"for i0 = 0 to 2 / if {i0} = 1 / 0 local a // f.c:7 / 0 local b // f.c:8 / done / 0 local c // m.c:9 / done / // sites / // m.c:1 main > f.c:7,8 f / // m.c:9 main",
		"for i0 = 0 to 2 / if {i0} = 1 / call f / done / 0 local c / done / // procedures / procedure f / 0 local a / 0 local b / done"},
	{"functions that only call each other",
		"0 local a // s.c:7 / 0 local b // s.c:8 / 0 local c // m.c:9 / // sites / // m.c:1 main > q.c:2 q > r.c:3 r > s.c:7,8 s / // m.c:9 main",
		"call s / 0 local c / // procedures / procedure s / 0 local a / 0 local b / done"},
	{"one call that calls several functions",
		"0 local a // f.c:7 / 0 local b // f.c:8 / 0 local c // g.c:7 / 0 local d // g.c:8 / 0 local e // m.c:9 / // sites / // m.c:1 main / //   f.c:7,8 f / //   g.c:7,8 g / // m.c:9 main",
		"call f / call g / 0 local e / // procedures / procedure f / 0 local a / 0 local b / done / procedure g / 0 local c / 0 local d / done"},
	{"what else a function does elsewhere is another procedure of its name",
		"0 local a // f.c:7 / 0 local b // f.c:8 / 0 local e // m.c:9 / 0 local a // f.c:7 / 0 local c // f.c:9 / // sites / // m.c:1 main > f.c:7,8,9 f / // m.c:9 main",
		"call f / 0 local e / call f2 / // procedures / procedure f / 0 local a / 0 local b / done / procedure f2 / 0 local a / 0 local c / done"},
	{"what it does for several callers is one procedure, whose lines have the sites of all",
		"0 local a // m.c:2 > f.c:7 / 0 local b // m.c:2 > f.c:8 / 0 local e // m.c:9 / 0 local a // m.c:3 > f.c:7 / 0 local b // m.c:3 > f.c:8 / // sites / // m.c:2 main / //   f.c:7,8 f / // m.c:3 main / //   f.c:7,8 f / // m.c:9 main",
		"call f / 0 local e // m.c:9 / call f / // procedures / procedure f / 0 local a // f.c:7 / 0 local b // f.c:8 / done / // sites / // m.c:2 main / //   f.c:7,8 f / // m.c:3 main / //   f.c:7,8 f / // m.c:9 main"},
	{"what is called once is told in which iteration it is, rather than many numbers",
		"for i0 = 0 to 2 / 0 send 1 tag1 ; bytes=$b[i0] // f.c:7 / 0 send 1 tag2 ; bytes=$c[i0] // f.c:8 / 0 local c // m.c:9 / done / // sites / // m.c:1 main > f.c:7,8 f / // m.c:9 main / // tables / $b[i0] = 1 5 2 / $c[i0] = 9 2 8",
		"for i0 = 0 to 2 / call f(i0) / 0 local c / done / // procedures / procedure f(i0) / 0 send 1 tag1 ; bytes=$b[i0] / 0 send 1 tag2 ; bytes=$c[i0] / done / // tables / $b[i0] = 1 5 2 / $c[i0] = 9 2 8"},
	{"procedures that are there, in it and as they are",
		"call x / 0 local c // f.c:9 / 0 local d // m.c:3 / call x / // procedures / procedure x / 0 local a // g.c:7 / 0 local b // g.c:8 / done / // sites / // m.c:1 main > f.c:9 f / // m.c:1 main > f.c:4 f > g.c:7,8 g / // m.c:3 main",
		"call f / 0 local d / call x / // procedures / procedure f / call x / 0 local c / done / procedure x / 0 local a / 0 local b / done"},
	{"a single statement, what main does, and what is not known, are no call",
		"0 local a // f.c:7 / 0 local b // m.c:8 / 0 local c // m.c:9 / 0 local d / 0 local e / // sites / // m.c:1 main > f.c:7 f / // m.c:8,9 main",
		"0 local a / 0 local b / 0 local c / 0 local d / 0 local e"},
};

static void test_functions(void)
{
	for (size_t i = 0; i < COUNT(functions); i++) {
		struct error error = {0};
		struct text text = lines_of_row(HEADER, functions[i].text), printed = {0}, body = {0};
		struct module *m = module_parse("p", text.data, text.length, &error);
		struct draft *d = m ? draft_of_module(m, &error) : NULL;
		ROW(functions[i].why, d);
		if (d) {
			function_calls_add(d, 2);
			struct module *called = module_of_draft(d, NULL, NULL);
			for (size_t k = 0; k < called->lines && !strstr(functions[i].printed, "// sites"); k++)
				called->sites[k] = SITES_NONE;
			module_print_text(called, NULL, &printed);
			module_free(called);
			body = body_of(printed.data);
		}
		row_same(functions[i].why, body.data, functions[i].printed);
		text_clear(&text);
		text_clear(&printed);
		text_clear(&body);
		draft_free(d);
		module_free(m);
	}
}

static void test_texts(void)
{
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct error error = {0};
		struct text text = lines_of_row(HEADER, texts[i].text), printed = {0}, body = {0};
		struct prepared *p = prepared_parse("p", text.data, text.length, &error);
		ROW(texts[i].why, p);
		if (p) {
			module_print_text(p->text, NULL, &printed);
			body = body_of(printed.data);
		}
		row_same(texts[i].why, body.data, texts[i].printed ? texts[i].printed : texts[i].text);
		text_clear(&text);
		text_clear(&printed);
		text_clear(&body);
		prepared_free(p);
	}
}

/* ------------------------------------------------------------------ paths */

/* Two events in a loop, where they are, and where the loop is then. */
static const struct {
	const char *why, *first, *second, *loop;
} paths[] = {
	{"two lines of a function", "a.c:3 f", "a.c:5 f", "f"},
	{"two functions, and nothing known around them", "a.c:3 f", "a.c:5 g", ""},
	{"the function that calls both", "a.c:3 f < b.c:7 solve < b.c:1 main", "a.c:5 g < b.c:8 solve < b.c:1 main",
		"solve"},
	{"one that is called from two lines", "a.c:3 f < b.c:7 solve", "a.c:3 f < b.c:8 solve", "solve"},
	{"one that is called from one", "a.c:3 f < b.c:7 solve", "a.c:4 f < b.c:7 solve", "f"},
	{"one that also calls itself", "a.c:3 f < b.c:7 solve < b.c:1 main", "b.c:9 solve < b.c:1 main", "solve"},
	{"paths that are cut off outside", "a.c:3 f < b.c:7 solve", "b.c:9 solve < c.c:1 main", "solve"},
	{"code made at run time, called by anybody", "a.c:3 f < b.c:7 solve < ?+0x7f0",
		"a.c:5 f < b.c:7 solve < c.c:1 main", "f"},
	{"nothing in common", "a.c:3 f < b.c:7 g", "a.c:9 x < b.c:8 y", ""},
	{"of regions", "exchange < solve < main", "norm < solve < main", "solve"},
	{"the same region", "exchange < solve < main", "exchange < solve < main", "exchange"},
	{"no debug information", "a.out+0x12", "a.out+0x12", ""},
	{"symbols", "a.out+0x12 f < a.out+0x70 main", "a.out+0x14 f < a.out+0x70 main", "f"},
	{"a function without a name, called twice", "x+0x12 f < x+0x42 x+0x40", "x+0x12 f < x+0x44 x+0x40", "x+0x40"},
	{"but outside", "lib.so+0x12 < b.c:7 solve", "lib.so+0x13 < b.c:7 solve", "solve"},
};

static void test_paths(void)
{
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct error error = {0};
		struct text text = lines_of_row(HEADER, "for i0 = 0 to 2 / 0 local a / 0 local b / done"), sites = {0};
		struct module *m = module_parse("p", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		struct sites *s = sites_new(m, NULL);
		uint32_t first = call_paths_know(m->places.paths, paths[i].first),
			 second = call_paths_know(m->places.paths, paths[i].second);
		sites_of_line(s, 1, &first, 1);
		sites_of_line(s, 2, &second, 1);
		sites_finish(s, NULL);
		text_add(&sites, "", 0);
		print_sites(&m->places, m->sites[0], &sites);
		row_same(paths[i].why, sites.data, paths[i].loop);
		text_clear(&text);
		text_clear(&sites);
		module_free(m);
	}
}

/* ------------------------------------------------------------------ sites from strangers */

static const struct {
	const char *why, *words, *shown;
} strange[] = {
	{"the heading of sites", "sites", "\"sites\""},
	{"... of tables", "tables", "\"tables\""},
	{"the number of a call", "f#2", "\"f\\x232\""},
	{"two sites", "a | b", "\"a \\x7c b\""},
	{"a blank at the beginning", " lead", "\" lead\""},
	{"a blank at the end", "trail ", "\"trail \""},
	{"a remark", "@{0=1}", "\"@{0=1}\""},
	{"nothing", "", "\"\""},
	{"a quote", "\"", "\"\\x22\""},
	{"what looks quoted", "\"f\"", "\"\\x22f\\x22\""},
	{"a statement", "x.c:1\n0 local injected", "\"x.c\\x3a1\\x0a0 local injected\""},
	{"an escape sequence", "f\x1b[2J", "\"f\\x1b[2J\""},
	{"C1", "f\xc2\x9b", "\"f\\xc2\\x9b\""},
	{"no UTF-8", "\xff", "\"\\xff\""},
	{"a comment", "//", "\"/\\x2f\""},
	{"a comment behind a blank", "a //b", "\"a /\\x2fb\""},
	{"callers", "> a", "\"\\x3e a\""},
	{"... that are left out", "...", "\"...\""},
	{"a comparison", "a > b", "\"a \\x3e b\""},
	{"a line with a zero", "x.c:07 f", "\"x.c\\x3a07 f\""},
	{"no function behind a line", "x.c:7 ", "\"x.c\\x3a7 \""},
	{"two lines", "x.c:1,2 f", "\"x.c\\x3a1,2 f\""},
	{"a strange file of a line", "a\tb.c:7 f", "\"a\\x09b.c\":7"},
	{"a strange module", "a|b\x01+0x12 f", "f"},
	{"a function in quotes behind a line", "x.c:7 \"f", "x.c:7"},
	{"what needs no quotes", "a b//c.c:7 f<A<int> > g\\{x;y} \xc3\xa9", "a b//c.c:7"},
};

static void same_again(const char *why, const struct module *m, struct text *text)
{
	struct text again = {0};
	struct error error = {0};
	text_truncate(text, 0);
	module_print_text(m, NULL, text);
	struct module *q = module_parse("p", text->data, text->length, &error);
	ROW(why, q != NULL);
	if (q) {
		module_print_text(q, NULL, &again);
		row_same(why, again.data, text->data);
		ROW(why, q->sites[0] != SITES_NONE);
	}
	module_free(q);
	text_clear(&again);
}

static void test_strange(void)
{
	for (size_t i = 0; i < COUNT(strange); i++) {
		struct error error = {0};
		struct text text = lines_of_row(HEADER, "0 local a / 0 local b"), shown = {0};
		struct module *m = module_parse("p", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		uint32_t path = call_paths_know(m->places.paths, strange[i].words);
		m->sites[0] = sites_know(&m->places, &path, 1);
		same_again(strange[i].why, m, &text);
		print_sites(&m->places, m->sites[0], &shown);
		if (strcmp(strange[i].shown, "f") != 0)
			row_same(strange[i].why, shown.data, strange[i].shown);
		text_clear(&text);
		text_clear(&shown);
		module_free(m);
	}
}

/* Words of what means something in models. */
static void put_strange(uint64_t *random, struct text *out)
{
	static const char *const pieces[] = {" ", ">", "|", "<", "#", "2", "1,2", ":", ":3", "+0x12", "x.c", "f", "g",
		"...", "/", "//", "\"", "\\", "\\x41", "@", "{0=1}", "sites", "tables", "\n", "\t", "\x1b", "\xc2\x9b",
		"\xff", "\xc3\xa9", ";", "$a", "(", "?", "done", "0 local b", "main", " < ", " > ", "%", "\r", "0"};
	for (uint64_t count = (*random = hash_mix(*random + 1)) % 6; count > 0; count--)
		text_put(out, pieces[(*random = hash_mix(*random + 1)) % COUNT(pieces)]);
}

static bool is_event(const struct module *m, node_id statement)
{
	return node_of(m->store, statement)->kind == NODE_EVENT;
}

static void test_strange_random(void)
{
	uint64_t random = 41;
	for (unsigned round = 0; round < 300; round++) {
		struct error error = {0};
		struct text text = lines_of_row(HEADER, "0 local a / 1 local b / for i0 = 0 to 2 / 0 local a / done"),
			    words = {0};
		struct module *m = module_parse("p", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		for (size_t i = 0; i < m->lines; i++) {
			bool event = is_event(m, module_at(m, i).statement);
			uint32_t path[3];
			for (size_t k = 0; k < COUNT(path) && event; k++) {
				text_truncate(&words, 0);
				text_add(&words, "", 0);
				put_strange(&random, &words);
				if (k)
					text_put(&words, CALL_PATH_OUTSIDE);
				put_strange(&random, &words);
				path[k] = call_paths_know(m->places.paths, words.data);
			}
			if (event)
				m->sites[i] = sites_know(&m->places, path, 1 + round % 3);
		}
		same_again("strange names at random", m, &text);
		text_clear(&text);
		text_clear(&words);
		module_free(m);
	}
}

/* Paths as they are known, and as people read them. */
static const struct {
	const char *why, *path[5], *shown, *whole;
} printed[] = {
	{"from the caller to the call", {"heat.c:12 exchange < heat.c:30 limiter"},
		"limiter (heat.c:30) > exchange (heat.c:12)", "limiter (heat.c:30) > exchange (heat.c:12)"},
	{"the innermost frames", {"d.c:4 d < c.c:3 c < b.c:2 b < a.c:1 a"}, "... > b (b.c:2) > c (c.c:3) > d (d.c:4)",
		"a (a.c:1) > b (b.c:2) > c (c.c:3) > d (d.c:4)"},
	{"what calls main is no part", {"a.c:3 main < libc-start.c:360 __libc_start_main_impl < a.out+0x1261"},
		"main (a.c:3)", "main (a.c:3)"},
	{"lines of one function", {"a.c:5 f < m.c:1 main", "a.c:3 f < m.c:1 main"}, "main (m.c:1) > f (a.c:3,5)",
		"main (m.c:1) > f (a.c:3,5)"},
	{"two callers", {"a.c:5 f < m.c:1 main", "a.c:5 f < m.c:2 main"},
		"main (m.c:1) > f (a.c:5) | main (m.c:2) > f (a.c:5)",
		"main (m.c:1) > f (a.c:5) | main (m.c:2) > f (a.c:5)"},
	{"many", {"a.c:1 a", "b.c:1 b", "c.c:1 c", "d.c:1 d", "e.c:1 e"}, "a (a.c:1) | b (b.c:1) | c (c.c:1) | 2 more",
		"a (a.c:1) | b (b.c:1) | c (c.c:1) | d (d.c:1) | e (e.c:1)"},
	{"regions", {"exchange < solve"}, "solve > exchange", "solve > exchange"},
	{"a name with the sign of a call", {"a.h:7 f<A<int> > g"}, "f<A<int>> g (a.h:7)", "f<A<int>> g (a.h:7)"},
	{"no debug information: functions alone, as far as they are known", {"lib.so+0x7 < a.out+0x9 solve"},
		"solve > lib.so+0x7", "solve (a.out+0x9) > lib.so+0x7"},
	{"calls that differ in offsets read the same",
		{"lib.so+0x7 forward < a.out+0x9 run", "lib.so+0x8 forward < a.out+0xb run", "lib.so+0x9 forward"},
		"run > forward | forward",
		"run (a.out+0x9) > forward (lib.so+0x7) | run (a.out+0xb) > forward (lib.so+0x8) | forward (lib.so+0x9)"},
};

static void test_printed(void)
{
	for (size_t i = 0; i < COUNT(printed); i++) {
		struct site_places places = site_places_new();
		struct text shown = {0}, whole = {0};
		uint32_t path[5], count = 0;
		for (; count < COUNT(path) && printed[i].path[count]; count++)
			path[count] = call_paths_know(places.paths, printed[i].path[count]);
		uint32_t sites = sites_know(&places, path, count);
		sites_print_paths(&places, sites, PATH_SHORT, &shown);
		sites_print_paths(&places, sites, PATH_WHOLE, &whole);
		row_same(printed[i].why, shown.data, printed[i].shown);
		row_same(printed[i].why, whole.data, printed[i].whole);
		text_clear(&shown);
		text_clear(&whole);
		site_places_free(&places);
	}
}

/* "+7f" enters region 7, which is called f; "-7" leaves it; at "." there is an event. */
static const struct {
	const char *why, *steps, *path;
	uint32_t entered; /* since the event before */
} calls[] = {
	{"nothing entered", "", NULL, 0},
	{"the innermost first", "+1main +2solve +3exchange", "exchange < solve < main", 3},
	{"what was left is outside", "+1main +2solve . -2 +3exchange", "exchange < main", 1},
	{"into itself", "+1main +2solve . +2solve +2solve", "solve < solve < solve < main", 2},
	{"and out again", "+1main +2solve +2solve . -2", "solve < main", 0},
	{"to the end", "+1main +2solve +2solve -2 -2", "main", 1},
	{"through another one", "+1a +2b . +1a", "a < b < a", 1},
	{"what was not entered is not left", "+1main . -7", "main", 0},
	{"what is inside is left, too", "+1main +2solve +3exchange . -2", "main", 0},
	{"the same once more", "+1main +2solve +3exchange . -3 -2 +2solve +3exchange", "exchange < solve < main", 2},
	{"... without what is inside", "+1main +2solve +3exchange . -3 +3exchange . -3", "solve < main", 0},
	{"everything left", "+1main . -1 +1main", "main", 1},
	{"where it is defined is not its name", "+1solve[{solve.f}{12,7}-{80,9}]", "solve[{solve.f}{12,7}-{80,9}]", 1},
};

static void test_call_paths(void)
{
	for (size_t i = 0; i < COUNT(calls); i++) {
		struct call_path path = {0};
		for (const char *at = calls[i].steps; *at; at += strcspn(at, " "), at += *at == ' ') {
			char *name, word[64];
			uint32_t region = (uint32_t)strtoul(at + 1, &name, 10);
			snprintf(word, sizeof word, "%.*s", (int)strcspn(name, " "), name);
			if (*at == '.')
				call_path_entered(&path);
			else if (*at == '+')
				call_path_enter(&path, region, word);
			else
				call_path_leave(&path, region);
		}
		const char *words = call_path_words(&path);
		row_same(calls[i].why, words ? words : "", calls[i].path ? calls[i].path : "");
		ROW(calls[i].why, call_path_entered(&path) == calls[i].entered);
		call_path_clear(&path);
	}
	struct call_path deep = {0};
	for (uint32_t i = 0; i < 1000; i++)
		call_path_enter(&deep, i, "f");
	CU_ASSERT_EQUAL(strlen(call_path_words(&deep)), CALL_PATH_FRAMES + (CALL_PATH_FRAMES - 1) * strlen(" < "));
	CU_ASSERT_EQUAL(call_path_entered(&deep), CALL_PATH_FRAMES);
	call_path_leave(&deep, 999);
	CU_ASSERT_EQUAL(call_path_entered(&deep), 0);
	for (uint32_t i = 999; i-- > 1;)
		call_path_leave(&deep, i);
	CU_ASSERT_STRING_EQUAL(call_path_words(&deep), "f");
	call_path_clear(&deep);
	struct call_path tau = {0};
	call_path_enter(&tau, 1, "SOLVE [{solve.f} {12,7}-{80,9}]");
	CU_ASSERT_STRING_EQUAL(call_path_words(&tau), "SOLVE");
	call_path_clear(&tau);
}

/* ------------------------------------------------------------------ random programs */

/* Where the k-th event of a process is: of an event alone, by turns, or as the run goes on. */
static void put_site(uint64_t seed, uint32_t event, size_t k, struct text *to)
{
	uint64_t mixed = (seed + event) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	uint64_t line = mixed % 50, turn = mixed / 50 % 4;
	if (turn == 1)
		line += k % 2;
	else if (turn == 2)
		line += k / 16 % 3;
	text_format(to, "f%" PRIu64 ".c:%" PRIu64 " f%" PRIu64, line % 3, 1 + line, line % 3);
}

static struct text trace_of_run(const struct spmd_run *run, uint64_t seed)
{
	struct text trace = {0};
	text_add(&trace, "", 0);
	for (uint32_t rank = 0; rank < run->processes; rank++)
		for (size_t k = 0; k < run->stream[rank].length; k++) {
			uint32_t event = run->stream[rank].event[k];
			event_print(run->dictionary, event, &trace);
			text_put(&trace, " ; site=\"");
			put_site(seed, event, k, &trace);
			text_put(&trace, "\"\n");
		}
	return trace;
}

static bool has_site(const struct module *m, size_t line, const char *site, bool *seen)
{
	const uint32_t *word;
	size_t count = sites_get(&m->places, m->sites[line], &word);
	bool has = false;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(path_site(&m->places, word[i]), site))
			has = seen[i] = true;
	return has;
}

/* Each event is where its statement says; and nobody says more. */
static const char *check_events(const struct prepared *p, const struct spmd_run *run, uint64_t seed)
{
	const char *wrong = NULL;
	const struct module *m = p->module;
	struct module_line *line = module_statements(m);
	bool *seen = mem_zero((m->lines + 1) * SITES_LISTED * sizeof *seen); /* by line of the text */
	struct error error;
	struct draft *d = draft_of_module(p->text, &error);
	size_t *said = draft_lines_said(d);
	const uint32_t *word;
	for (uint32_t rank = 0; rank < run->processes; rank++) {
		struct cursor *cursor = cursor_new(p->run, rank);
		for (size_t k = 0; cursor_next(cursor); k++) {
			struct text site = {0};
			size_t count = sites_get(&m->places, m->sites[cursor->line], &word);
			put_site(seed, run->stream[rank].event[k], k, &site);
			bool lines = count && site_parts(path_site(&m->places, word[0])).line;
			if (lines && !has_site(m, cursor->line, site.data, seen + said[cursor->line] * SITES_LISTED))
				wrong = "an event is elsewhere";
			text_clear(&site);
		}
		cursor_free(cursor);
	}
	for (size_t at = 0; at < m->lines; at++) {
		size_t count = is_event(m, line[at].node) ? sites_get(&m->places, m->sites[at], &word) : 0;
		for (size_t i = 0; i < count && site_parts(path_site(&m->places, word[i])).line; i++)
			if (!seen[said[at] * SITES_LISTED + i])
				wrong = "a statement is where none of its events is";
	}
	free(seen);
	free(said);
	free(line);
	draft_free(d);
	return wrong;
}

/* The function of all lines inside; "": there are several. */
static const char *check_loops(const struct prepared *p)
{
	const struct module *m = p->module;
	struct module_line *line = module_statements(m);
	const char *wrong = NULL;
	for (size_t at = 0; at < m->lines; at++) {
		const char *function = NULL;
		const uint32_t *word;
		bool several = false;
		for (size_t i = at + 1; i < module_line_behind(m, at, line[at].node); i++) {
			size_t count = is_event(m, line[i].node) ? sites_get(&m->places, m->sites[i], &word) : 0;
			several |= !count && is_event(m, line[i].node);
			for (size_t k = 0; k < count; k++) {
				const char *own = site_parts(path_site(&m->places, word[k])).function;
				several |= function && strcmp(function, own);
				function = own;
			}
		}
		size_t count = sites_get(&m->places, m->sites[at], &word);
		if (function && (several ? count != 0 : count != 1 || strcmp(path_site(&m->places, word[0]), function)))
			wrong = "a loop is in another function";
	}
	free(line);
	return wrong;
}

/* Read back, it is the same text. */
static const char *check_text(const struct prepared *p)
{
	struct text once = {0}, twice = {0};
	struct error error = {0};
	module_print_text(p->module, NULL, &once);
	struct prepared *read = prepared_parse("p", once.data, once.length, &error);
	if (read)
		module_print_text(read->module, NULL, &twice);
	bool same = read && !strcmp(once.data, twice.data);
	text_clear(&once);
	text_clear(&twice);
	prepared_free(read);
	return same ? NULL : "read back, it is another text";
}

static const char *check_run(const struct spmd_run *run, uint64_t seed)
{
	char path[] = "/tmp/tracenest-unit-XXXXXX";
	struct text trace = trace_of_run(run, seed);
	struct program_facts facts;
	struct error error = {0};
	int fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0 && write(fd, trace.data, trace.length) == (ssize_t)trace.length);
	close(fd);
	struct program_options options = {PROGRAM_OPTIONS, .at_sites = seed % 3 == 0};
	struct prepared *p = prepared_of_trace(path, &options, &facts, &error);
	unlink(path);
	const char *wrong = p ? check_events(p, run, seed) : "there is no program";
	wrong = wrong || !p ? wrong : check_loops(p);
	wrong = wrong || !p ? wrong : check_text(p);
	program_facts_clear(&facts);
	prepared_free(p);
	text_clear(&trace);
	return wrong;
}

/* Sites are of statements: a longer run has no others. Shorter ones where it is watched. */
#define EVENTS_MOST (watched() ? 400 : 2000)

static void test_random(void)
{
	uint64_t done = 0;
	for (uint64_t seed = 0; done < rounds(60); seed++) {
		struct spmd *program = spmd_new(seed, seed % SPMD_STYLES);
		struct spmd_run *run = spmd_run(program);
		bool fits = run->events && run->events <= EVENTS_MOST;
		const char *wrong = fits ? check_run(run, seed) : NULL;
		done += fits;
		if (wrong)
			printf("\nseed %" PRIu64 ": %s\n", seed, wrong);
		CU_ASSERT_PTR_NULL(wrong);
		spmd_run_free(run);
		spmd_free(program);
	}
}

/* ------------------------------------------------------------------ regions */

/* named: in functions that are recorded, not in main alone. */
static char *regions_archive(bool named)
{
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, 4, 1, 0);
	for (uint32_t rank = 0; rank < 4; rank++) {
		do_enter(s, rank, "main");
		for (int i = 0; i < 5; i++) {
			if (named)
				do_enter(s, rank, "solve");
			if (named)
				do_enter(s, rank, "exchange");
			do_isend(s, rank, (rank + 1) % 4, 7, 800);
			do_irecv(s, rank, (rank + 3) % 4, 7);
			do_waitall(s, rank);
			if (named)
				do_leave(s, rank);
			do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
			if (named)
				do_leave(s, rank);
		}
		do_collective(s, rank, "MPI_Barrier", 0, NO_ROOT, AS_USUAL);
		do_leave(s, rank);
	}
	simulated_run(s);
	char *anchor = simulated_write(s, SIMULATED_REGIONS);
	simulated_free(s);
	return anchor;
}

static void test_regions(void)
{
	static const char *const wanted[] = {
		"[*] for i0 = 0 to 4 / [*] p send (p+1)%4 tag7 / [*] (p-1)%4 recv p tag7 / [*] p sync MPI_Allreduce * / done / [*] p sync MPI_Barrier *",
		"[*] for i0 = 0 to 4 // main / [*] p send (p+1)%4 tag7 // exchange / [*] (p-1)%4 recv p tag7 // exchange / [*] p sync MPI_Allreduce * // solve / done / [*] p sync MPI_Barrier * // main / // sites / // main > solve > exchange"};
	for (int named = 0; named < 2; named++) {
		struct program_options options = {PROGRAM_OPTIONS, .values = "none"};
		struct program_facts facts;
		struct error error = {0};
		char *anchor = regions_archive(named);
		struct prepared *p = prepared_of_trace(anchor, &options, &facts, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		struct text text = {0};
		module_print_text(p->text, NULL, &text);
		struct text body = body_of(text.data);
		text_clear(&text);
		row_same(named ? "the innermost regions" : "main says nothing", body.data, wanted[named]);
		text_clear(&body);
		program_facts_clear(&facts);
		prepared_free(p);
		archive_remove(anchor);
	}
}

/* ------------------------------------------------------------------ calling contexts */

static bool note_event(void *text, uint32_t rank, uint32_t event, const struct trace_event *e, struct error *error)
{
	(void)rank, (void)event, (void)error;
	text_format(text, "%s%s %u%s", ((struct text *)text)->length ? " / " : "", e->site ? e->site : "-", e->entered,
		e->exact ? "" : "?");
	return true;
}

/* As Score-P writes them where it unwinds the stack: step of line 20 is called in line 10 of main;
   0 to 4 are contexts: main, step, MPI_Send there, MPI_Send in main, and one that calls itself. */
static const struct {
	const char *why, *records, *events;
} contexts[] = {
	{"all new", "@0 in 2 4\n@0 send 1 0 7\n@0 out 2", "s.c:20 step < m.c:10 main 2"},
	{"the call of MPI alone", "@0 in 2 4\n@0 send 1 0 7\n@0 out 2\n@0 in 2 2\n@0 send 1 0 7",
		"s.c:20 step < m.c:10 main 2 / s.c:20 step < m.c:10 main 0"},
	{"a call in the same place", "@0 in 2 4\n@0 send 1 0 7\n@0 out 2\n@0 in 2 3\n@0 send 1 0 7",
		"s.c:20 step < m.c:10 main 2 / s.c:20 step < m.c:10 main 1"},
	{"... as a sample saw", "@0 in 2 4\n@0 send 1 0 7\n@0 out 2\n@0 sample 1 2\n@0 in 2 2\n@0 send 1 0 7",
		"s.c:20 step < m.c:10 main 2 / s.c:20 step < m.c:10 main 1"},
	{"back in the caller", "@0 in 2 4\n@0 send 1 0 7\n@0 out 2\n@0 in 3 2\n@0 send 1 0 7",
		"s.c:20 step < m.c:10 main 2 / m.c:10 main 0"},
	{"nothing new in the same call of MPI", "@0 in 2 4\n@0 send 1 0 7\n@0 send 1 0 7",
		"s.c:20 step < m.c:10 main 2 / s.c:20 step < m.c:10 main 0"},
	{"a context that is not defined", "@0 in 9 2\n@0 send 1 0 7\n@0 out 9", "- 0?"},
	{"... that is its own caller", "@0 in 4 1\n@0 send 1 0 7", "- 0?"},
	{"more that are new than there are", "@0 in 2 99\n@0 send 1 0 7\n@0 out 2\n@0 in 2 2\n@0 send 1 0 7",
		"s.c:20 step < m.c:10 main 0? / s.c:20 step < m.c:10 main 0"},
	{"regions, whatever contexts are defined", "@0 enter 0\n@0 enter 1\n@0 send 1 0 7", "step < main 2"},
	{"where a place is, whatever is received there",
		"@0 enter 0\n@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 1 0 7 2\n@0 leave 1\n@0 irecv 1 0 7 1",
		"step < main 2 / main 0"},
	{"what was not entered is left", "@0 out 2\n@0 in 2 2\n@0 send 1 0 7", "s.c:20 step < m.c:10 main 2"},
};

#define CONTEXTS_ARCHIVE                                                                                               \
	"process 0\nlocation 0 0\nprocess 1\nlocation 1 1\nlist 0 mpi 0 1\ngroup 1 mpi 0 1\ncomm 0 1\n"                \
	"region 0 main\nregion 1 step\nmpiregion 2 MPI_Send\nplace 0 10 m.c\nplace 1 20 s.c\n"                         \
	"context 0 0 0 none\ncontext 1 1 1 0\ncontext 2 2 none 1\ncontext 3 2 none 0\ncontext 4 2 none 4\n"

static void test_contexts(void)
{
	for (size_t i = 0; i < COUNT(contexts); i++) {
		struct text archive = {0}, events = {0};
		struct error error = {0};
		struct streams_options options = {.trace = {.sites = true}, .jobs = 1};
		struct streams_sink sink = {&events, note_event};
		text_format(&archive, CONTEXTS_ARCHIVE "%s\n", contexts[i].records);
		char *anchor = archive_write(archive.data);
		struct streams *streams = streams_open(anchor, &options, &error);
		CU_ASSERT(streams && streams_read(streams, NULL, 1, &sink, &error));
		row_same(contexts[i].why, events.data ? events.data : "", contexts[i].events);
		streams_close(streams);
		archive_remove(anchor);
		text_clear(&archive);
		text_clear(&events);
	}
}

/* Loops have the function that loops, whatever holds all their events. distance: of all calls but
   the first, whether step is called anew. */
static void test_who_loops(void)
{
	static const struct {
		const char *why;
		int distance;
		const char *loop;
	} rows[] = {
		{"main calls step", 3, "for i0 = 0 to 9 // main\n"}, {"step loops", 2, "for i0 = 0 to 9 // step\n"}};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text archive = {0}, text = {0};
		struct error error = {0};
		struct program_options options = {PROGRAM_OPTIONS, .jobs = 1};
		struct program_facts facts = {0};
		text_put(&archive, CONTEXTS_ARCHIVE);
		for (int k = 0; k < 20; k++)
			text_format(&archive, "@%d in 2 %d\n@%d send %d 0 7\n@%d recv %d 0 7\n@%d out 2\n", k % 2,
				k < 2 ? 4 : rows[i].distance, k % 2, 1 - k % 2, k % 2, 1 - k % 2, k % 2);
		char *anchor = archive_write(archive.data);
		struct prepared *p = prepared_of_trace(anchor, &options, &facts, &error);
		CU_ASSERT_FATAL(p != NULL);
		module_print_text(p->module, NULL, &text);
		ROW(rows[i].why, strstr(text.data, rows[i].loop) != NULL);
		program_facts_clear(&facts);
		prepared_free(p);
		archive_remove(anchor);
		text_clear(&archive);
		text_clear(&text);
	}
}

/* Two processes that enter and leave at random, what was entered, what was not, and what is not
   defined: the text is what they did. */
static void put_records(struct text *archive, uint64_t seed)
{
	bool in_contexts = seed % 2;
	for (uint64_t k = 0; k < 100; k++) {
		uint64_t odds = hash_pair(seed, k), who = odds % 2, what = odds / 2 % 6;
		if (odds / 16 % 3 == 0)
			text_format(archive, "@%d send %d 0 7\n@%d recv %d 0 7\n", (int)who, (int)(1 - who),
				(int)(1 - who), (int)who);
		else if (in_contexts)
			text_format(archive, "@%d %s %d %d\n", (int)who,
				odds / 64 % 3 ? odds / 64 % 3 < 2 ? "in" : "sample" : "out", (int)what,
				(int)(odds / 256 % 4));
		else
			text_format(archive, "@%d %s %d\n", (int)who, odds / 64 % 3 ? "enter" : "leave", (int)what);
	}
}

static void test_wrong_nesting(void)
{
	for (uint64_t seed = 0; seed < rounds(30); seed++) {
		struct text archive = {0};
		struct error error = {0};
		struct program_options options = {PROGRAM_OPTIONS, .jobs = 1};
		struct program_facts facts = {0};
		struct comparison_facts compared = {0};
		text_put(&archive, CONTEXTS_ARCHIVE);
		put_records(&archive, seed);
		char *anchor = archive_write(archive.data), why[32];
		struct prepared *p = prepared_of_trace(anchor, &options, &facts, &error);
		snprintf(why, sizeof why, "seed %d", (int)seed);
		ROW(why, p && comparison_run(
				      p->run, anchor, true, &(struct streams_options){.jobs = 1}, &compared, &error));
		comparison_facts_clear(&compared);
		program_facts_clear(&facts);
		prepared_free(p);
		archive_remove(anchor);
		text_clear(&archive);
	}
}

void suite_located(CU_pSuite suite)
{
	CU_add_test(suite, "calls that were never made, or never left", test_wrong_nesting);
	CU_add_test(suite, "calling contexts that were entered", test_contexts);
	CU_add_test(suite, "the function that loops", test_who_loops);
	CU_add_test(suite, "regions where there are no sites", test_regions);
	CU_add_test(suite, "paths as a tree of frames", test_paths_read);
	CU_add_test(suite, "parts of a site", test_parts);
	CU_add_test(suite, "paths from the caller to the call", test_printed);
	CU_add_test(suite, "sites as text", test_texts);
	CU_add_test(suite, "functions as procedures", test_functions);
	CU_add_test(suite, "functions around paths of calls", test_paths);
	CU_add_test(suite, "paths of regions", test_call_paths);
	CU_add_test(suite, "sites from strangers come back equal", test_strange);
	CU_add_test(suite, "... at random", test_strange_random);
	CU_add_test(suite, "random programs", test_random);
}
