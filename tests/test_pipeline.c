/*
 * test_pipeline.c -- from a trace to a program, and what is told of it on the way; traces beside
 * programs; options of reading as words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "lib/comparison.h"
#include "lib/pipeline.h"
#include "model/prepared.h"
#include "tests/executed.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"
#include "trace/trace_options.h"

/* A loop around a t a a: the recognizer sees three a first. */
#define ITERATION "0 local a\n0 local t\n0 local a\n0 local a\n"
#define ITERATIONS ITERATION ITERATION ITERATION ITERATION ITERATION ITERATION
#define SEEN                                                                                                                \
	"0 local a\nfor i0 = 0 to 4\n  0 local t\n  for i1 = 0 to 2\n    0 local a\n  done\ndone\n0 local t\n0 local a\n0 " \
	"local a\n"
#define TURNED "for i0 = 0 to 17\n  0 local a\n  if {i0%3} = 0\n    0 local t\n  done\ndone\n"

static const struct {
	const char *why, *trace;
	struct program_options options;
	const char *program; /* without its header; NULL: there is none */
	const char *facts; /* events, fewest to most, constructs local and global, loops joined, roles, complete? */
} cases[] = {
	{"processes that meet", "0 sync B 0-1\n1 sync B 0-1\n0 sync B 0-1\n1 sync B 0-1\n0 sync B 0-1\n1 sync B 0-1\n",
		{PROGRAM_OPTIONS}, "[*] for i0 = 0 to 2\n  [*] p sync B *\ndone\n", "6 3-3 4 2 1 1 complete"},
	{"local programs are not merged", "0 local a\n0 local a\n0 local a\n1 local a\n",
		{PROGRAM_OPTIONS, .local = true}, "for i0 = 0 to 2\n  0 local a\ndone\n1 local a\n",
		"4 1-3 3 0 0 2 complete"},
	{"a message is missing", "0 recv 1 t\n0 local x\n", {PROGRAM_OPTIONS}, NULL, "2 1-1 2 0 0 0 incomplete"},
	{"a send is never received", "0 send 1 t\n1 local x\n", {PROGRAM_OPTIONS}, "0 send 1 t\n1 local x\n",
		"2 1-1 2 2 0 2 incomplete"},
	{"which may be", "0 send 1 t\n1 local x\n", {PROGRAM_OPTIONS, .lenient = true}, "0 send 1 t\n1 local x\n",
		"2 1-1 2 2 0 2 incomplete"},
	{"a line for each event",
		"0 local a\n0 send 1 t1\n0 send 1 t2\n0 send 1 t3\n1 local b\n0 recv 1 t1\n0 recv 1 t2\n0 recv 1 t3\n",
		{PROGRAM_OPTIONS, .unfolded = true},
		"0 local a\n1 local b\n0 send 1 t1\n0 recv 1 t1\n0 send 1 t2\n0 recv 1 t2\n0 send 1 t3\n0 recv 1 t3\n",
		"8 4-4 8 8 0 2 complete"},
	{"the same where numbers that advance are not looked for",
		"0 send 1 t1\n0 send 1 t2\n0 send 1 t3\n0 recv 1 t1\n0 recv 1 t2\n0 recv 1 t3\n",
		{PROGRAM_OPTIONS, .unfolded = true, .constant = true},
		"0 send 1 t1\n0 recv 1 t1\n0 send 1 t2\n0 recv 1 t2\n0 send 1 t3\n0 recv 1 t3\n",
		"6 3-3 6 6 0 2 complete"},
	{"loops begin where the text is shortest", ITERATIONS, {PROGRAM_OPTIONS}, TURNED, "24 24-24 8 24 0 1 complete"},
	{"those of single processes where they were first seen", ITERATIONS, {PROGRAM_OPTIONS, .local = true}, SEEN,
		"24 24-24 8 0 0 1 complete"},
	{"... and what was reduced", ITERATIONS, {PROGRAM_OPTIONS, .unfolded = true, .constant = true}, SEEN,
		"24 24-24 8 8 0 1 complete"},
	{"or left as they were first seen", ITERATIONS,
		{PROGRAM_OPTIONS, .recorded = true, .no_tables = true, .no_guards = true}, SEEN,
		"24 24-24 8 8 0 1 complete"},
	{"as they are where nothing is shorter",
		"0 local a\n0 local b\n0 local a\n0 local b\n0 local a\n0 local b\n0 local a\n",
		{PROGRAM_OPTIONS, .local = true}, "for i0 = 0 to 2\n  0 local a\n  0 local b\ndone\n0 local a\n",
		"7 7-7 4 0 0 1 complete"},
};

static void write_trace(char path[32], const char *trace)
{
	strcpy(path, "/tmp/tracenest-unit-XXXXXX");
	int fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0 && write(fd, trace, strlen(trace)) == (ssize_t)strlen(trace));
	close(fd);
}

static const char *without_header(const char *text)
{
	while (!strncmp(text, "//", 2))
		text += strcspn(text, "\n") + 1;
	return text;
}

static void test_programs(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		char path[32];
		struct program_facts f;
		struct error error = {0};
		struct text text = {0}, facts = {0};
		write_trace(path, cases[i].trace);
		struct prepared *p = prepared_of_trace(path, &cases[i].options, &f, &error);
		unlink(path);
		text_add(&text, "", 0);
		if (p)
			module_print_text(p->module, NULL, &text);
		text_format(&facts,
			"%" PRIu64 " %" PRIu64 "-%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %s",
			f.local.events, f.local.fewest, f.local.most, f.local.constructs, f.global.constructs,
			f.merge.joined, f.roles, f.incomplete.kind ? "incomplete" : "complete");
		row_same(cases[i].why, without_header(text.data), cases[i].program ? cases[i].program : "");
		row_same(cases[i].why, facts.data, cases[i].facts);
		ROW(cases[i].why, p || error.kind == ERROR_INCONSISTENT);
		program_facts_clear(&f);
		prepared_free(p);
		text_clear(&text);
		text_clear(&facts);
	}
}

/* What is sent along the grid, beside what is not, comes back from its trace. */
static const struct {
	const char *why, *head, *body;
} returning[] = {
	{"a ring beside an open grid", "// tracenest 1\n// processes 12\n// grid 3 4\n",
		"  [x<X-1] p send @(x+1,y) tag1\n  [x>0] p send @(x-1,y) tag2\n"
		"  [x>0] @(x-1,y) recv p tag1\n  [x<X-1] @(x+1,y) recv p tag2\n"
		"  [*] p send (p+1)%12 tag3\n  [*] (p-1)%12 recv p tag3\n"},
	{"tags that name who sends", "// tracenest 1\n// processes 9\n// grid 3 3\n",
		"  [x<X-1] p send @(x+1,y) tag{100+p}\n  [x>0] p send @(x-1,y) tag{200+p}\n"
		"  [x>0] @(x-1,y) recv p tag{99+p}\n  [x<X-1] @(x+1,y) recv p tag{201+p}\n"
		"  [*] p send (p+1)%9 tag1\n  [*] (p-1)%9 recv p tag1\n"},
	{"a butterfly beside another grid", "// tracenest 1\n// processes 8\n// grid 2 4\n",
		"  [*] p send @(x,y+1) tag1\n  [*] @(x,y-1) recv p tag1\n  [*] for i1 = 0 to 2\n"
		"    [*] p send p^{2^i1} tag2\n    [*] p^{2^i1} recv p tag2\n  done\n"},
};

static void test_returning(void)
{
	for (size_t i = 0; i < COUNT(returning); i++) {
		char path[32];
		struct program_facts f;
		struct error error = {0};
		struct text source = {0}, trace = {0}, text = {0};
		text_format(&source, "%s[*] for i0 = 0 to 19\n%sdone\n", returning[i].head, returning[i].body);
		struct executed e = executed_of_text(source.data);
		executed_put_all(e.run, &trace);
		write_trace(path, trace.data);
		struct prepared *p = prepared_of_trace(path, &(struct program_options){PROGRAM_OPTIONS}, &f, &error);
		unlink(path);
		text_add(&text, "", 0);
		if (p)
			module_print_text(p->module, NULL, &text);
		row_same(returning[i].why, without_header(text.data), without_header(source.data));
		ROW(returning[i].why, strstr(text.data, strstr(returning[i].head, "// grid")) != NULL);
		program_facts_clear(&f);
		prepared_free(p);
		executed_clear(&e);
		text_clear(&source);
		text_clear(&trace);
		text_clear(&text);
	}
}

/* Tags that count modulo 60, from another one on each process: loops over them do not fit each
   other. */
/* What is begun; a share that is told belongs to the reading. */
static void note_phase(void *context, const char *phase)
{
	text_format(context, "%s ", phase);
}

static void note_share(void *context, double share)
{
	struct text *phases = context;
	CU_ASSERT(share >= 0 && share <= 1);
	CU_ASSERT(strstr(phases->data, "reading") && !strstr(phases->data, "recognition"));
}

static void test_phases(void)
{
	char path[32];
	struct program_facts f;
	struct error error = {0};
	struct text phases = {0};
	write_trace(path, "0 sync B 0-1\n1 sync B 0-1\n");
	struct program_options options = {PROGRAM_OPTIONS, .progress = {&phases, note_share, note_phase}};
	prepared_free(prepared_of_trace(path, &options, &f, &error));
	row_same("phases, one after the other", phases.data, "reading recognition merging building checking values ");
	text_clear(&phases);
	program_facts_clear(&f);
	unlink(path);
}

static void test_constants(void)
{
	struct text trace = {0};
	for (int p = 0; p < 4; p++)
		for (int i = 0; i < 5 * 60; i++)
			text_format(&trace, "%d send %d tag%d\n%d recv %d tag%d\n", p, (p + 1) % 4, (15 * p + i) % 60,
				(p + 3) % 4, p, (15 * ((p + 3) % 4) + i) % 60);
	char path[32];
	struct program_facts f;
	struct comparison_facts facts;
	struct error error = {0};
	write_trace(path, trace.data);
	struct prepared *p = prepared_of_trace(path, NULL, &f, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT(p->module->lines <= 35); /* as loops that advance: twice as many */
	CU_ASSERT_EQUAL(f.apart.length, 0);
	CU_ASSERT(comparison_run(p->run, path, true, &(struct streams_options){0}, &facts, &error));
	unlink(path);
	comparison_facts_clear(&facts);
	program_facts_clear(&f);
	prepared_free(p);
	text_clear(&trace);
}

static void test_comparison(void)
{
	static const struct {
		const char *why, *trace, *told;
	} rows[] = {
		{"the same", "0 send 1 t\n0 recv 1 t\n1 local a\n", ""},
		{"another event", "0 send 1 u\n0 recv 1 t\n1 local a\n",
			"\n  rank 0, position 0: the trace has '0 send 1 u', the model has '0 send 1 t'"},
		{"the trace is longer", "0 send 1 t\n0 local b\n0 recv 1 t\n1 local a\n",
			"\n  rank 0, position 1: the trace has '0 local b', the model ends"},
		{"the model is longer", "0 send 1 t\n0 recv 1 t\n",
			"\n  rank 1, position 1: the trace ends, the model has '1 local a'"},
	};
	static const char program[] = "// tracenest 1\n// processes 2\n0 send 1 t\n0 recv 1 t\n1 local a\n";
	struct error bad;
	struct prepared *p = prepared_parse("p", program, strlen(program), &bad);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char path[32];
		struct comparison_facts facts;
		struct error error = {0};
		write_trace(path, rows[i].trace);
		bool same = comparison_run(p->run, path, true, &(struct streams_options){0}, &facts, &error);
		unlink(path);
		row_same(rows[i].why, facts.told.data ? facts.told.data : "", rows[i].told);
		ROW(rows[i].why, same == !*rows[i].told);
		comparison_facts_clear(&facts);
	}
	prepared_free(p);
}

static void test_words(void)
{
	static const struct {
		const char *words, *back, *error;
	} rows[] = {
		{"", "", NULL},
		{"--events mpi", "--events mpi", NULL},
		{"--collectives regions --events comm --order recorded", "--order recorded --collectives regions",
			NULL},
		{"--events", NULL, "--events  is not how a trace can be read"},
		{"--events some", NULL, "--events some is not how a trace can be read"},
		{"--jobs 3", NULL, "'--jobs' does not say how to read a trace"},
		{"events mpi", NULL, "'events' does not say how to read a trace"},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct trace_options o = {0};
		struct error error = {0};
		struct text text = {0};
		text_add(&text, "", 0);
		bool good = trace_options_read(&o, rows[i].words, &error);
		trace_options_print(&o, &text);
		CU_ASSERT_EQUAL(good, rows[i].back != NULL);
		CU_ASSERT_STRING_EQUAL(good ? text.data : error.message, good ? rows[i].back : rows[i].error);
		text_clear(&text);
	}
}

void suite_pipeline(CU_pSuite suite)
{
	CU_add_test(suite, "a trace becomes a program, and facts", test_programs);
	CU_add_test(suite, "what is sent along a grid comes back", test_returning);
	CU_add_test(suite, "phases are told", test_phases);
	CU_add_test(suite, "numbers that advance apart", test_constants);
	CU_add_test(suite, "a trace beside a model", test_comparison);
	CU_add_test(suite, "how to read a trace, in words", test_words);
}
