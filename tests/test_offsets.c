/*
 * test_offsets.c -- where statements stand: as they are written, and as they are counted event by
 * event.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/offsets.h"
#include "tests/rows.h"
#include "tests/unit.h"

static const struct {
	const char *why, *body, *shown; /* the last statement's */
} programs[] = {
	{"counts of loops", "for i0 = 0 to 9\n  0 send 1 t\n  0 send 2 t\ndone\n0 send 1 u\n", "@{0=20}"},
	{"a triangle", "for i0 = 0 to 9\n  for i1 = 0 to {i0}\n    0 send 1 t\n  done\n  0 send 1 u\ndone\n",
		"@{0=1+i0}"},
	{"... and behind it", "for i0 = 0 to 9\n  for i1 = 0 to {i0}\n    0 send 1 t\n  done\ndone\n0 send 1 u\n",
		"@{0=55}"},
	{"by the process", "[*] for i0 = 0 to {p}\n  [*] p send 0 t\ndone\n[*] p send 0 u\n", "@{0-3=1+{p}}"},
	{"by a table",
		"[*] for i0 = 0 to {$n[p]-1}\n  [*] p send 0 t\ndone\n[*] p send 0 u\n// tables\n$n[p] = 0 3 1 4\n",
		"@{0-3=$n[p]}"},
	{"perhaps below 0", "[*] for i0 = 0 to {p-2}\n  [*] p send 0 t\ndone\n[*] p send 0 u\n",
		"@{0-3=max(0,{-1+p})}"},
	{"a guard", "for i0 = 0 to 9\n  if {i0%3} = 1\n    0 send 1 t\n  done\n  0 send 1 u\ndone\n",
		"@{0=({i0%3} = 1)}"},
	{"... in all iterations", "for i0 = 0 to 9\n  if {i0%3} = 1\n    0 send 1 t\n  done\ndone\n0 send 1 u\n",
		"@{0=3}"},
	{"... of more than are gone through",
		"for i0 = 0 to 999999\n  if {i0} != 5\n    0 send 1 t\n  done\ndone\n0 send 1 u\n", "@{0=999999}"},
	{"... of remainders", "for i0 = 0 to 999998\n  if {i0%3} = 1\n    0 send 1 t\n  done\ndone\n0 send 1 u\n",
		"@{0=333333}"},
	{"... of remainders of remainders, which come again together",
		"for i0 = 0 to 999999\n  if {(i0%4+i0%6)%5} = 1\n    0 send 1 t\n  done\ndone\n0 send 1 u\n",
		"@{0=250000}"},
	{"... with the process",
		"[*] for i0 = 0 to 9\n  if {p+i0} != 3\n    [*] p send 0 t\n  done\ndone\n[*] p send 0 u\n",
		"@{0-3=sum(k0<10: ({p+k0} != 3))}"},
	{"a guard inside and a count outside are one number",
		"[*] for i0 = 0 to 9\n  if {i0} = 3\n    [*] for i1 = 0 to {$n[p]}\n      [*] p send 0 t\n    done\n  done\n"
		"  [*] for i1 = 0 to {$n[p]}\n    [*] p send 0 t\n  done\ndone\n[*] p send 0 u\n// tables\n$n[p] = 0 3 1 4\n",
		"@{0-3=11+11*$n[p]}"},
	{"who is named",
		"[*] for i0 = 0 to 3\n  [$w[i0]] p send 0 t\n  [*] p send 0 u\ndone\n// tables\n$w[i0] = 2 0 1 1\n",
		"@{0-2=($w[i0] = p),3=0}"},
	{"two classes", "[0-1] p send 2 t\n1 send 2 t\n[*] p send 0 u\n", "@{0=1,1=2,2-3=0}"},
};

static struct module *module_of_row(const char *why, const char *body)
{
	struct text text = {0};
	struct error error = {0};
	text_format(&text, "// tracenest 1\n// processes 4\n%s", body);
	struct module *m = module_parse(why, text.data, text.length, &error);
	if (!m)
		printf("\n  %s: %s", why, error.message);
	text_clear(&text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	return m;
}

static void written(void)
{
	for (size_t i = 0; i < COUNT(programs); i++) {
		struct module *m = module_of_row(programs[i].why, programs[i].body);
		struct run *run = run_new(m, NULL);
		struct offsets *o = offsets_new(run);
		struct module_remarks remarks = offsets_remarks(o);
		struct text text = {0};
		size_t line = node_of(m->store, m->body)->lines;
		remarks.behind(remarks.context, line - 1, &text);
		row_same(programs[i].why, text.data + 4, programs[i].shown);
		text_clear(&text);
		offsets_free(o);
		run_free(run);
		module_free(m);
	}
}

/* Of a process: at the first event of each statement that stands in no loop, events before it are
   counted. */
static void hold_against_events(const char *why, struct run *run, struct offsets *o, uint32_t rank)
{
	const struct module *m = run_module(run);
	const struct node *body = node_of(m->store, m->body);
	struct environment at = {0};
	struct ranks_run single = {rank, rank};
	struct ranks only = {.run = &single, .length = 1};
	int64_t events = 0, value;
	run_start(run, rank, &at);
	memset(at.index, 0, run_depth(run) * sizeof *at.index);
	struct cursor *c = cursor_new(run, rank);
	size_t line = 0, behind;
	uint32_t k = 0;
	for (bool more = cursor_next(c); k < body->kids; k++, line = behind) {
		struct position_places places = {0};
		behind = module_line_behind(m, line, body->kid[k]);
		offsets_places(o, line, POSITION_START, &only, &places);
		if (places.length)
			ROW(why, unknowns_value(offsets_unknowns(o), &places.place->position, &at, &value) &&
					 value == events);
		position_places_clear(&places);
		for (; more && c->line < behind; more = cursor_next(c))
			events++;
	}
	cursor_free(c);
	free(at.index);
}

static void counted(void)
{
	for (size_t i = 0; i < COUNT(programs); i++) {
		struct module *m = module_of_row(programs[i].why, programs[i].body);
		struct run *run = run_new(m, NULL);
		struct offsets *o = offsets_new(run);
		run_allow(run, 10000);
		for (uint32_t p = 0; p < 4; p++) {
			struct environment e = {0};
			run_start(run, p, &e);
			if (run_count(run, &e, m->body) < 1000 && !e.failure)
				hold_against_events(programs[i].why, run, o, p);
			free(e.index);
		}
		offsets_free(o);
		run_free(run);
		module_free(m);
	}
}

void suite_offsets(CU_pSuite suite)
{
	CU_add_test(suite, "as they are written", written);
	CU_add_test(suite, "as events are counted", counted);
}
