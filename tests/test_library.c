/*
 * test_library.c -- the library through its front door: what tracenest.h promises.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "lib/tracenest.h"
#include "tests/unit.h"

static const char ring[] = "// tracenest 1\n// processes 4\n// note by hand\n"
			   "[0-3] p sync MPI_Bcast 0-3 root=1\n"
			   "[0-3] for i0 = 0 to 9\n"
			   "  [0-3] p send (p+1)%4 tag{5+2*i0}@3\n"
			   "  [0-3] (p-1)%4 recv p tag{5+2*i0}@3\n"
			   "  [2] for i1 = 0 to 2\n"
			   "    [2] p local work\n"
			   "  done\n"
			   "done\n";

static tracenest_program *handle_of(const char *text)
{
	tracenest_error error;
	tracenest_program *p = tracenest_program_parse("here", text, strlen(text), &error);
	if (!p)
		puts(error.message);
	CU_ASSERT_FATAL(p != NULL);
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_NONE);
	return p;
}

static void test_statements(void)
{
	static const struct {
		bool is_loop;
		size_t inside;
		uint32_t depth;
		const char *address, *ranks;
		const char *start; /* of process 2; NULL: it has no part */
	} rows[] = {
		{false, 0, 0, "0", "0-3", "0"},
		{true, 4, 0, "1", "0-3", "1"},
		{false, 0, 1, "1.0", "0-3", "1+5*i0"},
		{false, 0, 1, "1.1", "0-3", "2+5*i0"},
		{true, 1, 1, "1.2", "2", "3+5*i0"},
		{false, 0, 2, "1.2.0", "2", "3+5*i0+i1"},
	};
	tracenest_program *p = handle_of(ring);
	CU_ASSERT_EQUAL(tracenest_program_statements(p), COUNT(rows));
	CU_ASSERT_EQUAL(tracenest_program_processes(p), 4);
	CU_ASSERT_STRING_EQUAL(tracenest_program_note(p, 0), "by hand");
	CU_ASSERT_PTR_NULL(tracenest_program_note(p, 1));
	char *text = tracenest_statement_text(p, 2), *none = tracenest_statement_text(p, COUNT(rows));
	CU_ASSERT(!strcmp(text, "[*] p send (p+1)%4 tag{5+2*i0}@3") && !*none);
	tracenest_free(text);
	tracenest_free(none);
	for (size_t at = 0; at < COUNT(rows); at++) {
		tracenest_statement s;
		size_t found;
		CU_ASSERT_FATAL(tracenest_statement_at(p, at, &s));
		char *address = tracenest_statement_address(p, at), *ranks = tracenest_statement_ranks(p, at);
		char *start = tracenest_statement_position(p, at, TRACENEST_START, 2);
		CU_ASSERT(s.is_loop == rows[at].is_loop && s.inside == rows[at].inside && s.depth == rows[at].depth);
		CU_ASSERT_EQUAL(s.processes, strcmp(rows[at].ranks, "2") ? 4 : 1);
		CU_ASSERT_STRING_EQUAL(address, rows[at].address);
		CU_ASSERT_STRING_EQUAL(ranks, rows[at].ranks);
		CU_ASSERT_STRING_EQUAL(start, rows[at].start);
		CU_ASSERT(tracenest_statement_find(p, address, &found, NULL) && found == at);
		tracenest_free(address);
		tracenest_free(ranks);
		tracenest_free(start);
	}
	tracenest_statement s;
	tracenest_error error;
	size_t at;
	char *end = tracenest_statement_position(p, 1, TRACENEST_ITERATION_END, 0);
	CU_ASSERT_STRING_EQUAL(end, "3+2*i0");
	tracenest_free(end);
	CU_ASSERT_PTR_NULL(tracenest_statement_position(p, 4, TRACENEST_START, 0));
	CU_ASSERT_PTR_NULL(tracenest_statement_position(p, 0, TRACENEST_ITERATION, 0));
	CU_ASSERT_PTR_NULL(tracenest_statement_position(p, 99, TRACENEST_START, 0));
	CU_ASSERT_FALSE(tracenest_statement_at(p, COUNT(rows), &s));
	CU_ASSERT_FALSE(tracenest_statement_find(p, "1.7", &at, &error));
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INPUT);
	uint32_t role[4];
	CU_ASSERT_EQUAL(tracenest_program_roles(p, role), 2);
	CU_ASSERT(role[0] == 0 && role[1] == 0 && role[2] == 1 && role[3] == 0);
	tracenest_program_free(p);
}

/* A condition in the line of its event is a statement around that, which has its address and no
   line. */
static void test_conditions_in_lines(void)
{
	static const struct {
		bool is_loop;
		size_t inside;
		uint32_t depth;
		const char *address, *text;
	} rows[] = {
		{true, 4, 0, "0", "[*] for i0 = 0 to 3"},
		{true, 1, 1, "0.0", ""},
		{false, 0, 2, "0.0", "[$w[i0]] p send 0 t"},
		{true, 1, 1, "0.1", "if {i0} = 2"},
		{false, 0, 2, "0.1.0", "[*] p sync MPI_Barrier *"},
	};
	tracenest_program *p = handle_of("// tracenest 1\n"
					 "// processes 4\n"
					 "[*] for i0 = 0 to 3\n"
					 "  [$w[i0]] p send 0 t\n"
					 "  if {i0} = 2\n"
					 "    [*] p sync MPI_Barrier *\n"
					 "  done\n"
					 "done\n"
					 "// tables\n"
					 "$w[i0] = 2 1 3 1\n");
	CU_ASSERT_EQUAL(tracenest_program_statements(p), COUNT(rows));
	for (size_t at = 0; at < COUNT(rows); at++) {
		tracenest_statement s;
		size_t found;
		CU_ASSERT_FATAL(tracenest_statement_at(p, at, &s));
		char *address = tracenest_statement_address(p, at), *text = tracenest_statement_text(p, at);
		CU_ASSERT(s.is_loop == rows[at].is_loop && s.inside == rows[at].inside && s.depth == rows[at].depth);
		CU_ASSERT_STRING_EQUAL(address, rows[at].address);
		CU_ASSERT_STRING_EQUAL(text, rows[at].text);
		CU_ASSERT(tracenest_statement_find(p, address, &found, NULL) && found == at - (at == 2));
		tracenest_free(address);
		tracenest_free(text);
	}
	char *end = tracenest_statement_position(p, 1, TRACENEST_ITERATION_END, 3);
	CU_ASSERT_STRING_EQUAL(end, "1+sum(k0<i0: ($w[k0] = p))+sum(k0<i0: ({k0} = 2))");
	tracenest_free(end);
	tracenest_walk *w = tracenest_walk_new(p, 3, NULL);
	tracenest_event e[3];
	CU_ASSERT_EQUAL(tracenest_walk_read(w, e, COUNT(e), NULL), 2);
	CU_ASSERT(e[0].statement == 2 && e[1].statement == 4);
	tracenest_walk_free(w);
	tracenest_program_free(p);
}

static void put_event(const tracenest_event *e, struct text *out)
{
	text_format(out, "%d %" PRIu32 " %" PRId64 " %s", (int)e->kind, e->process,
		e->peer == TRACENEST_NONE ? -1 : (int64_t)e->peer, e->word);
	if (e->numbered)
		text_format(out, " %" PRIu64, e->number);
	if (e->group)
		text_format(out, " of %s", e->group);
	text_format(out, " @%" PRId64 " #%zu\n", e->communicator, e->statement);
}

static void test_walk(void)
{
	tracenest_program *p = handle_of(ring);
	tracenest_walk *w = tracenest_walk_new(p, 2, NULL);
	tracenest_event e;
	struct text text = {0};
	size_t events = 0;
	while (tracenest_walk_next(w, &e))
		if (events++ < 7)
			put_event(&e, &text);
		else if (events == 47)
			CU_ASSERT_STRING_EQUAL(tracenest_walk_line(w), "2 send 3 tag23@3");
	CU_ASSERT_EQUAL(events, 51);
	CU_ASSERT_STRING_EQUAL(text.data,
		"2 2 1 MPI_Bcast of 0-3 @-1 #0\n"
		"0 2 3 tag 5 @3 #2\n1 2 1 tag 5 @3 #3\n3 2 -1 work @-1 #5\n3 2 -1 work @-1 #5\n3 2 -1 work @-1 #5\n"
		"0 2 3 tag 7 @3 #2\n");
	tracenest_walk_free(w);
	tracenest_error error;
	CU_ASSERT_PTR_NULL(tracenest_walk_new(p, 4, &error));
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INPUT);
	text_clear(&text);
	tracenest_program_free(p);
}

static void test_questions(void)
{
	tracenest_program *p = handle_of(ring);
	tracenest_error error;
	tracenest_statistics s;
	CU_ASSERT(tracenest_check(p, &error));
	tracenest_program_statistics(p, &s);
	CU_ASSERT(s.events == 4 + 80 + 30 && s.fewest == 21 && s.most == 51 && s.statements == 6 && s.loops == 2 &&
		  s.depth == 2 && s.roles == 2);
	size_t cells;
	tracenest_matrix *m = tracenest_matrix_new(p, NULL, false, "tag5", &error);
	const tracenest_cell *cell = tracenest_matrix_cells(m, &cells);
	CU_ASSERT(cells == 4 && cell[3].source == 3 && cell[3].destination == 0 && cell[3].messages == 1);
	tracenest_matrix_free(m);
	m = tracenest_matrix_new(p, "1", true, NULL, &error);
	cell = tracenest_matrix_cells(m, &cells);
	CU_ASSERT(cells == 4 && cell[2].source == 2 && cell[2].destination == 3 && cell[2].messages == 1);
	tracenest_matrix_free(m);
	CU_ASSERT_PTR_NULL(tracenest_matrix_new(p, "2", false, NULL, &error));
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INPUT);
	tracenest_program_free(p);
	p = handle_of("// tracenest 1\n// processes 2\n1 recv 0 t\n0 recv 1 u\n1 send 0 u\n0 send 1 t\n");
	CU_ASSERT_FALSE(tracenest_check(p, &error));
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INCONSISTENT);
	tracenest_program_free(p);
	p = handle_of("// tracenest 1\n// processes 2\n0 send 1 t\n");
	CU_ASSERT_FALSE(tracenest_check(p, &error));
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INCONSISTENT);
	tracenest_program_free(p);
}

static void test_files(void)
{
	tracenest_program *p = handle_of(ring);
	tracenest_error error;
	tracenest_facts facts;
	char events[64], model[64];
	size_t length;
	snprintf(events, sizeof events, "/tmp/tracenest-unit-%d.trace", (int)getpid());
	snprintf(model, sizeof model, "/tmp/tracenest-unit-%d.nest", (int)getpid());
	CU_ASSERT(tracenest_expand(p, events, &error));
	CU_ASSERT(tracenest_check_trace(p, events, 1, &error));
	tracenest_program *made = tracenest_program_of_trace(events, NULL, &facts, &error);
	CU_ASSERT_FATAL(made != NULL);
	CU_ASSERT(facts.processes == 4 && facts.events == 114 && facts.roles == 2 &&
		  facts.incomplete.kind == TRACENEST_ERROR_NONE);
	CU_ASSERT(tracenest_program_write(made, model, &error));
	tracenest_program *read = tracenest_program_read(model, &error);
	char *one = tracenest_program_text(made, &length), *two = tracenest_program_text(read, NULL);
	CU_ASSERT(length == strlen(one) && !strcmp(one, two));
	tracenest_free(one);
	tracenest_free(two);
	tracenest_program_free(read);
	tracenest_program_free(made);
	unlink(events);
	unlink(model);
	CU_ASSERT_PTR_NULL(tracenest_program_of_trace(events, NULL, &facts, &error));
	CU_ASSERT(error.kind == TRACENEST_ERROR_INPUT && strstr(error.message, events));
	CU_ASSERT_FALSE(tracenest_program_write(p, "/no/such/place", NULL));
	CU_ASSERT_PTR_NULL(tracenest_program_parse("here", "// tracenest 1\n// processes 1\nnonsense\n", 39, &error));
	CU_ASSERT(error.kind == TRACENEST_ERROR_INPUT && !strncmp(error.message, "here:3:1: ", 10));
	tracenest_program_free(p);
}

static void test_scanner(void)
{
	tracenest_error error;
	char path[64];
	snprintf(path, sizeof path, "/tmp/tracenest-unit-%d.nest", (int)getpid());
	FILE *file = fopen(path, "w");
	CU_ASSERT_FATAL(file &&
			fprintf(file, "// tracenest 1\n// processes 1\nget \"x\" {0}.time ->\n0 local a\n") > 0 &&
			!fclose(file));
	char *source = tracenest_scanner(path, NULL, &error);
	CU_ASSERT(source && strstr(source, "#include <tracenest-scan.h>"));
	tracenest_free(source);
	unlink(path);
	CU_ASSERT_PTR_NULL(tracenest_scanner(path, NULL, &error));
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INPUT);
}

static void test_times(void)
{
	static const char trace[] =
		"0 local a ; time=10\n0 local b ; time=11\n0 local b ; time=13\n0 local b ; time=16\n0 local c ; time=20\n";
	tracenest_program *p =
		handle_of("// tracenest 1\n// processes 1\n0 local a\nfor i0 = 0 to 2\n0 local b\ndone\n0 local c\n");
	tracenest_error error;
	char path[64];
	size_t loops;
	snprintf(path, sizeof path, "/tmp/tracenest-unit-%d.trace", (int)getpid());
	FILE *file = fopen(path, "w");
	CU_ASSERT_FATAL(file && fputs(trace, file) >= 0 && !fclose(file));
	tracenest_times *times = tracenest_times_new(p, path, 3, 1, &error);
	CU_ASSERT_FATAL(times != NULL);
	const tracenest_loop_time *loop = tracenest_times_loops(times, &loops);
	CU_ASSERT(loops == 1 && loop->statement == 1 && loop->iterations == 3 && loop->total == 6 &&
		  loop->processes == 1);
	CU_ASSERT_EQUAL(tracenest_times_ticks(times), 0);
	tracenest_times_free(times);
	tracenest_program_free(p);
	p = handle_of("// tracenest 1\n// processes 1\n0 local a\n");
	CU_ASSERT_PTR_NULL(tracenest_times_new(p, path, 3, 1, &error));
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INCONSISTENT);
	tracenest_program_free(p);
	unlink(path);
}

/* Read in pieces of 7: the events of all processes, their calls and bytes, in order of time. */
static void walk_timed(tracenest_program *p, uint64_t events)
{
	tracenest_error error;
	for (uint32_t rank = 0; rank < tracenest_program_processes(p); rank++) {
		tracenest_walk *w = tracenest_walk_new(p, rank, &error);
		tracenest_event e[7];
		uint64_t last = 0;
		for (size_t i, read; (read = tracenest_walk_read(w, e, COUNT(e), &error)); events -= read) {
			for (i = 0; i < read && e[i].enter <= e[i].time && e[i].time <= e[i].leave; i++)
				CU_ASSERT_FATAL(
					e[i].time >= last && e[i].bytes != TRACENEST_UNKNOWN && (last = e[i].time));
			CU_ASSERT_EQUAL(i, read);
		}
		CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_NONE);
		tracenest_walk_free(w);
	}
	CU_ASSERT_EQUAL(events, 0);
}

static void test_profile(void)
{
	const char *directory = getenv("TRACENEST_SAMPLES");
	struct text trace = {0}, path = {0};
	tracenest_facts facts;
	tracenest_error error;
	uint64_t ticks = 0;
	if (!directory)
		return;
	text_format(&trace, "%s/is.S.4.scorep/traces.otf2", directory);
	text_format(&path, "/tmp/tracenest-unit-%d.db", (int)getpid());
	tracenest_profiling kept = {.stamps = TRACENEST_STAMPS_CALLS, .jobs = 1};
	CU_ASSERT_FATAL(tracenest_profile_write(NULL, trace.data, &kept, path.data, &error));
	tracenest_program *p = tracenest_program_of_trace(trace.data, NULL, &facts, &error), *other = handle_of(ring);
	CU_ASSERT_FATAL(p && tracenest_program_times(p, path.data, &ticks, &error) && ticks > 0);
	walk_timed(p, facts.events);
	tracenest_event event;
	tracenest_walk *walk = tracenest_walk_new(p, 0, NULL); /* keeps its times when others are asked for */
	CU_ASSERT_TRUE(tracenest_program_times(p, path.data, &ticks, &error) && tracenest_walk_next(walk, &event));
	CU_ASSERT_NOT_EQUAL(event.time, TRACENEST_UNKNOWN);
	tracenest_walk_free(walk);
	CU_ASSERT_FALSE(tracenest_program_times(other, path.data, NULL, &error));
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INCONSISTENT);
	CU_ASSERT_FALSE(tracenest_profile_write("/no/such/model", trace.data, NULL, path.data, &error));
	CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INPUT);
	CU_ASSERT_FALSE(tracenest_profile_write(NULL, trace.data, NULL, "/no/such/place", NULL));
	tracenest_program_free(other);
	tracenest_program_free(p);
	unlink(path.data);
	text_clear(&trace);
	text_clear(&path);
}

static void test_options(void)
{
	static const tracenest_options wrong[] = {
		{.events = (tracenest_events)3}, {.repetitions = 1}, {.growth = 0.5}, {.window = SIZE_MAX}};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		tracenest_error error;
		CU_ASSERT_PTR_NULL(tracenest_program_of_trace("/dev/null", &wrong[i], NULL, &error));
		CU_ASSERT_EQUAL(error.kind, TRACENEST_ERROR_INPUT);
	}
}

static void test_nlr(void)
{
	tracenest_nlr *r = tracenest_nlr_new(0, 0, 4);
	uint32_t width, load = tracenest_nlr_shape(r, "load 0", &width), shape;
	int64_t number[TRACENEST_NLR_WIDTH];
	CU_ASSERT_EQUAL(width, 1);
	CU_ASSERT_EQUAL(tracenest_nlr_shape(r, "two\nlines", NULL), TRACENEST_NONE);
	CU_ASSERT_FALSE(tracenest_nlr_push(r, load + 1, number));
	for (int64_t i = 0; i < 10; i++) {
		number[0] = 7 * i;
		CU_ASSERT(tracenest_nlr_push(r, load, number));
	}
	CU_ASSERT(tracenest_nlr_ahead(r, 3, &shape, number) && shape == load && number[0] == 84);
	CU_ASSERT(tracenest_nlr_ahead(r, 4, &shape, number) && number[0] == 91);
	CU_ASSERT_FALSE(tracenest_nlr_ahead(r, 0, &shape, number) || tracenest_nlr_ahead(r, 5, &shape, number));
	char *line = tracenest_nlr_line(r, shape, number);
	CU_ASSERT_STRING_EQUAL(line, "load 91");
	tracenest_free(line);
	CU_ASSERT(tracenest_nlr_push_line(r, "load 70") && tracenest_nlr_push_line(r, "end"));
	size_t length;
	char *nest = tracenest_nlr_finish(r, &length);
	CU_ASSERT_STRING_EQUAL(nest, "for i0 = 0 to 10\n  load {7*i0}\ndone\nend\n");
	CU_ASSERT_EQUAL(length, strlen(nest));
	tracenest_free(nest);
	r = tracenest_nlr_new(1, 1, 0);
	CU_ASSERT_FALSE(tracenest_nlr_ahead(r, 1, &shape, number));
	tracenest_nlr_free(r);
	tracenest_nlr_free(NULL);
	tracenest_program_free(NULL);
	tracenest_walk_free(NULL);
	tracenest_matrix_free(NULL);
}

void suite_library(CU_pSuite suite)
{
	CU_add_test(suite, "statements, their addresses, processes and positions", test_statements);
	CU_add_test(suite, "conditions in the lines of events are statements", test_conditions_in_lines);
	CU_add_test(suite, "the events of a process", test_walk);
	CU_add_test(suite, "checks and figures", test_questions);
	CU_add_test(suite, "traces and files", test_files);
	CU_add_test(suite, "times of loops", test_times);
	CU_add_test(suite, "profiles, and when events were", test_profile);
	CU_add_test(suite, "scanners", test_scanner);
	CU_add_test(suite, "options that cannot be", test_options);
	CU_add_test(suite, "the recognizer of records", test_nlr);
}
