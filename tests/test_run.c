/*
 * test_run.c -- what processes execute: the cursor, the counts and what differs tell the same of
 * programs made by hand; numbers of iterations that nobody could go through are counted, or
 * refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/communication.h"
#include "ask/event_texts.h"
#include "ask/measures.h"
#include "base/saturate.h"
#include "model/member_sets.h"
#include "tests/random_program.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define RANKS 6

static const struct grid no_grid;

static node_id number(struct store *s, int64_t value)
{
	return number_constant(s, value);
}

static node_id index_of(struct store *s, int64_t outwards)
{
	return number_variable(s, VARIABLE_INDEX + outwards);
}

static node_id sequence(struct store *s, uint32_t n, const node_id *statement)
{
	return node_make(s, NODE_SEQUENCE, 0, 0, 0, n, statement);
}

static node_id ranks_node(struct store *s, uint32_t first, uint32_t last)
{
	struct ranks ranks = {0};
	ranks_add_run(&ranks, first, last);
	node_id node = node_make(s, NODE_RANKS, 0, 0, store_ranks(s, &ranks), 0, NULL);
	ranks_clear(&ranks);
	return node;
}

static node_id send(struct store *s, node_id who, node_id peer, node_id tag)
{
	node_id kid[COLUMNS] = {[COLUMN_WHO] = who, [COLUMN_PEER] = peer, [COLUMN_TAG] = tag};
	return node_make(s, NODE_EVENT, EVENT_SEND, store_word(s, "t", 1), 0, COLUMNS, kid);
}

static node_id loop(struct store *s, node_id who, node_id last, node_id inside)
{
	return node_make(s, NODE_LOOP, 0, 0, 0, 3, (node_id[]){who, last, sequence(s, 1, &inside)});
}

static node_id guard(struct store *s, enum node_test test, node_id left, int64_t right, node_id inside)
{
	node_id t = node_make(s, NODE_TEST, (int)test, 0, right, 1, &left);
	return node_make(s, NODE_GUARD, 0, 0, 0, 3, (node_id[]){NODE_NONE, t, sequence(s, 1, &inside)});
}

static node_id procedure(struct store *s, const char *name, uint32_t parameters, node_id inside)
{
	node_id kid[1 + PARAMETERS_LIMIT] = {sequence(s, 1, &inside)};
	for (uint32_t k = 0; k < parameters; k++)
		kid[1 + k] = node_make(s, NODE_VARIABLE, 0, store_word(s, "n", 1), VARIABLE_PARAMETER + k, 0, NULL);
	return node_make(s, NODE_PROCEDURE, 0, store_word(s, name, strlen(name)), 0, 1 + parameters, kid);
}

static node_id call(struct store *s, node_id procedure, node_id argument)
{
	return node_make(s, NODE_CALL, 0, 0, 0, argument ? 2 : 1, (node_id[]){procedure, argument});
}

/* The sends of a process, "1:0 2:5", peer and tag; its lines in brackets where they are asked for. */
static struct text sends_of(struct run *r, uint32_t rank, bool lines)
{
	struct text out = {0};
	struct cursor *c = cursor_new(r, rank);
	text_put(&out, "");
	for (text_add(&out, "", 0); cursor_next(c);) {
		const struct node *n = node_of(c->at.store, c->event);
		text_format(&out, out.length ? " %lld:%lld" : "%lld:%lld",
			(long long)number_at(&c->at, n->kid[COLUMN_PEER]),
			(long long)number_at(&c->at, n->kid[COLUMN_TAG]));
		if (lines)
			text_format(&out, "[%zu]", c->line);
	}
	if (c->at.failure)
		text_format(&out, " %s", failure_text(c->at.failure));
	cursor_free(c);
	return out;
}

static void add_times(void *context, struct environment *e, node_id event, size_t line, uint64_t times)
{
	(void)e, (void)event, (void)line;
	*(uint64_t *)context = saturating_add(*(uint64_t *)context, times);
}

static uint64_t count(struct run *r, uint32_t rank, struct environment *e)
{
	run_start(r, rank, e);
	return run_count(r, e, run_module(r)->body);
}

static bool each(struct run *r, uint32_t rank, enum purpose purpose, uint64_t *events, struct environment *e)
{
	*events = 0;
	run_start(r, rank, e);
	return run_each(r, e, purpose, NULL, add_times, events);
}

/* Of a process, how many events three ways of counting find, if all are the same. */
static uint64_t events_of(struct run *r, uint32_t rank, enum failure *failure)
{
	struct environment e = {0};
	uint64_t by_each, counted = count(r, rank, &e);
	*failure = e.failure;
	for (int purpose = 0; purpose < PURPOSES && !e.failure; purpose++)
		if (each(r, rank, (enum purpose)purpose, &by_each, &e))
			CU_ASSERT_EQUAL(by_each, counted);
	free(e.index);
	return counted;
}

static struct module module_of(struct store *s, uint32_t n, const node_id *statement)
{
	return (struct module){.store = s, .processes = RANKS, .body = sequence(s, n, statement)};
}

static void walks(void)
{
	struct store *s = store_new(RANKS, &no_grid);
	node_id all = node_make(s, NODE_ALL, 1, 0, 0, 0, NULL), p = number_variable(s, VARIABLE_P), n;
	n = number_variable(s, VARIABLE_PARAMETER);
	node_id f = procedure(s, "f", 1,
		loop(s, NODE_NONE, n, guard(s, NODE_TEST_DIFFERS, index_of(s, 0), 1, send(s, all, n, index_of(s, 0)))));
	node_id named = node_make(s, NODE_NAMED, 0, 0, 0, 1, (node_id[]){index_of(s, 0)});
	node_id body[] = {
		send(s, ranks_node(s, 2, 3), number(s, 0), p), /* 0 */
		loop(s, ranks_node(s, 1, 2), number(s, 1), call(s, f, number_add(s, index_of(s, 0), number(s, 1), 1))),
		loop(s, NODE_NONE, number(s, 4), send(s, named, number(s, 5), index_of(s, 0))), /* 3 */
		call(s, f, p) /* 5; then procedure f: 6 */
	};
	struct module m = module_of(s, 4, body);
	m.procedure = &f;
	m.procedures = 1;
	static const struct {
		uint32_t rank;
		const char *sends;
	} expected[] = {
		{0, "5:0[4] 0:0[9]"},
		{1, "1:0[9] 2:0[9] 2:2[9] 5:1[4] 1:0[9]"},
		{2, "0:2[0] 1:0[9] 2:0[9] 2:2[9] 5:2[4] 2:0[9] 2:2[9]"},
		{5, "5:0[9] 5:2[9] 5:3[9] 5:4[9] 5:5[9]"},
	};
	struct run *r = run_new(&m, NULL);
	CU_ASSERT_EQUAL(run_classes(r), 4); /* 0 4 5, 1, 2, 3 */
	CU_ASSERT_EQUAL(run_class(r, 5), 0);
	CU_ASSERT_EQUAL(run_class(r, 3), 3);
	CU_ASSERT_EQUAL(run_class_first(r, 2), 2);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		enum failure failure;
		struct text sends = sends_of(r, expected[i].rank, true);
		uint64_t spaces = 1;
		CU_ASSERT_STRING_EQUAL(sends.data, expected[i].sends);
		for (const char *c = sends.data; *c; c++)
			spaces += *c == ' ';
		CU_ASSERT_EQUAL(events_of(r, expected[i].rank, &failure), spaces);
		text_clear(&sends);
	}
	run_free(r);
	store_free(s);
}

/* Loops of 2^60 iterations: what makes no difference is counted; what does is given up. */
static void many_iterations(void)
{
	struct store *s = store_new(RANKS, &no_grid);
	node_id all = node_make(s, NODE_ALL, 1, 0, 0, 0, NULL), big = number(s, (INT64_C(1) << 60) - 1);
	node_id plain = loop(s, NODE_NONE, big, send(s, all, number(s, 0), index_of(s, 0)));
	node_id named = node_make(s, NODE_NAMED, 0, 0, 0, 1, (node_id[]){index_of(s, 0)});
	node_id body[] = {
		plain, loop(s, NODE_NONE, big, plain), loop(s, NODE_NONE, big, send(s, named, named, NODE_NONE))};
	uint64_t events[] = {UINT64_C(1) << 60, UINT64_MAX, 0}; /* the last: who does it differs */
	for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
		struct module m = module_of(s, 1, &body[i]);
		struct run *r = run_new(&m, NULL);
		struct environment e = {0};
		run_allow(r, 100000);
		CU_ASSERT_EQUAL(count(r, 2, &e), events[i]);
		CU_ASSERT_EQUAL(e.failure, i == 2 ? FAILURE_STEPS : FAILURE_NONE);
		uint64_t seen;
		bool good = each(r, 2, FOR_PEER, &seen, &e);
		CU_ASSERT(good == (i < 2) && (!good || seen == events[i]));
		CU_ASSERT_FALSE(each(r, 2, FOR_CHANNEL, &seen, &e)); /* tags, one by one */
		free(e.index);
		run_free(r);
	}
	store_free(s);
}

/* Calls that double, f0 twice in f1 twice in f2 ..., are 2^50 events, but 50 procedures. */
static void many_calls(void)
{
	struct store *s = store_new(RANKS, &no_grid);
	node_id all = node_make(s, NODE_ALL, 1, 0, 0, 0, NULL), f[50], body;
	f[0] = procedure(s, "f", 0, send(s, all, number(s, 0), NODE_NONE));
	for (uint32_t k = 1; k < 50; k++) {
		node_id twice[2] = {call(s, f[k - 1], NODE_NONE), call(s, f[k - 1], NODE_NONE)},
			list = sequence(s, 2, twice);
		f[k] = node_make(s, NODE_PROCEDURE, 0, k, 0, 1, &list);
	}
	body = call(s, f[49], NODE_NONE);
	struct module m = module_of(s, 1, &body);
	m.procedure = f;
	m.procedures = 50;
	struct run *r = run_new(&m, NULL);
	struct environment e = {0};
	run_allow(r, 1000);
	CU_ASSERT_EQUAL(count(r, 0, &e), UINT64_C(1) << 49);
	free(e.index);
	run_free(r);
	store_free(s);
}

static void too_deep(void)
{
	struct store *s = store_new(RANKS, &no_grid);
	node_id all = node_make(s, NODE_ALL, 1, 0, 0, 0, NULL), inside = send(s, all, number(s, 0), number(s, 7));
	for (int depth = 0; depth <= RUN_DEPTH; depth++) {
		struct module m = module_of(s, 1, &inside);
		struct run *r = depth % 64 && depth < RUN_DEPTH - 1 ? NULL : run_new(&m, NULL);
		struct environment e = {0};
		if (r)
			CU_ASSERT_EQUAL(count(r, 1, &e), depth < RUN_DEPTH);
		free(e.index);
		if (r && depth == RUN_DEPTH) {
			struct text sends = sends_of(r, 0, false);
			CU_ASSERT_EQUAL(run_failure(r), FAILURE_DEPTH);
			CU_ASSERT_PTR_NOT_NULL(strstr(sends.data, "too deep"));
			text_clear(&sends);
		}
		run_free(r);
		inside = loop(s, NODE_NONE, number(s, 0), inside);
	}
	store_free(s);
}

static void groups(void)
{
	struct grid grid = {2, {3, 2}};
	struct store *s = store_new(RANKS, &grid);
	node_id y = number_add(s, number_variable(s, VARIABLE_Y), number(s, 1), 1), all, named[2], own;
	all = node_make(s, NODE_ALL, 1, 0, 0, 0, NULL);
	own = number_remainder(s, number_variable(s, VARIABLE_P), number(s, 2));
	named[0] = NODE_NONE, named[1] = y;
	node_id group[] = {all, ranks_node(s, 1, 4), node_make(s, NODE_LINE, 0, 0, 0, 2, named),
		node_make(s, NODE_SELF, 0, 0, 0, 0, NULL), node_make(s, NODE_BY_COMMUNICATOR, 0, 0, 0, 0, NULL)};
	static const char *const expected[] = {"0-5", "1-4", "3-5", "1", "1,3,5"};
	for (size_t i = 0; i < sizeof group / sizeof *group; i++) {
		node_id kid[COLUMNS] = {[COLUMN_WHO] = all, [COLUMN_GROUP] = group[i], [COLUMN_COMMUNICATOR] = own};
		node_id sync = node_make(s, NODE_EVENT, EVENT_SYNC, 0, 0, COLUMNS, kid);
		struct module m = module_of(s, 1, &sync);
		m.grid = grid;
		struct run *r = run_new(&m, NULL);
		struct cursor *c = cursor_new(r, 1);
		struct member_sets *members = member_sets_new(r);
		CU_ASSERT_FATAL(cursor_next(c));
		CU_ASSERT_STRING_EQUAL(member_set_text(members, member_set_of(members, &c->at, c->event)), expected[i]);
		member_sets_free(members);
		cursor_free(c);
		run_free(r);
	}
	store_free(s);
}

static void shares(void)
{
	static const struct {
		const char *why, *text;
		uint64_t inside, several, all;
	} rows[] = {
		{"a table has counts for the set alone",
			"[0-1] for i0 = 0 to {$n[p]-1}\n[0-1] p send {1-p} t\n[0-1] {1-p} recv p t\ndone\n"
			"[2-3] for i0 = 0 to 1\n[2-3] p send {5-p} t\n[2-3] {5-p} recv p t\ndone\n$n[p] = 3 3\n",
			20, 20, 0},
		{"iterations of which only one process has something",
			"[*] for i0 = 0 to 2\n[*] for i1 = 0 to {$n[i0]-1}\n0 send 1 t\ndone\ndone\n$n[i0] = 0 0 1\n",
			1, 0, 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error error = {0};
		struct text text = {0};
		struct measures s = {0};
		text_format(&text, "// tracenest 1\n// processes 4\n%s", rows[i].text);
		struct module *m = module_parse("m", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		struct run *r = run_new(m, NULL);
		ROW(rows[i].why, measures_of(r, &s, &error));
		ROW(rows[i].why, s.in_loops == rows[i].inside && s.in_several == rows[i].several);
		ROW(rows[i].why, s.in_all == rows[i].all);
		measures_clear(&s);
		run_free(r);
		module_free(m);
		text_clear(&text);
	}
}

/* What repeats with an index is not gone through one by one: 7 and 5 iterations make 35. */
static void periods(void)
{
	static const struct {
		const char *why;
		int64_t last;
		const char *condition, *count;
		uint64_t events;
	} rows[] = {
		{"few", 99, "{i0%7} = 6", "{i0%5}", 360},
		{"many", INT64_C(34999999999), "{i0%7} = 6", "{i0%5}", UINT64_C(130000000000)},
		{"by process", INT64_C(34999999999), "{(3*i0+p)%7} = 6", "{(i0+p)%5}", UINT64_C(130000000000)},
		{"that are no part of a period", INT64_C(35000000005), "{i0%7} = 6", "{i0%5}", UINT64_C(130000000012)},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error error = {0};
		struct text text = {0};
		enum failure failure;
		text_format(&text,
			"// tracenest 1\n// processes 2\n[*] for i0 = 0 to %lld\n[*] p local a\nif %s\n"
			"[*] for i1 = 0 to %s\n[*] p local b\n[*] p local c\ndone\ndone\ndone\n",
			(long long)rows[i].last, rows[i].condition, rows[i].count);
		struct module *m = module_parse("m", text.data, text.length, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		struct run *r = run_new(m, NULL);
		uint64_t events = run_events(r, &failure);
		if (events != rows[i].events)
			printf("\n  %llu\n", (unsigned long long)events);
		ROW(rows[i].why, !failure && events == rows[i].events);
		run_free(r);
		module_free(m);
		text_clear(&text);
	}
}

/* ------------------------------------------------------------------ random programs */

static unsigned below(unsigned *r, unsigned n)
{
	*r = *r * 1664525u + 1013904223u;
	return (*r >> 8) % n;
}

/* Sizes of messages, by what may be said of them: nothing, a number, functions of the process and
   of the loop around, affine or not. */
static void put_size(const char *line, const char *index, unsigned *r, struct text *out)
{
	bool plain = !strstr(line, "p send ");
	unsigned which = below(r, plain ? 2 : *index ? 5 : 3);
	if (!strstr(line, " send ") || !which)
		return;
	if (which < 3)
		text_put(out, which == 1 ? " ; bytes=64" : " ; bytes={8+8*p}");
	else if (which == 3)
		text_format(out, " ; bytes={5+3*p+7*%s}", index);
	else
		text_format(out, " ; bytes={1+(%s+p)%%3}", index);
}

static struct text sized(const char *text, unsigned *r)
{
	struct text out = {0};
	char around[PROGRAM_DEPTH * 4][4] = {""}; /* of each body: the innermost index */
	size_t depth = 0;
	while (*text) {
		const char *end = strchr(text, '\n'), *loop;
		struct text whole = {0};
		text_add(&whole, text, (size_t)(end - text));
		text_put(&out, whole.data);
		const char *line = whole.data;
		loop = strstr(line, "for i");
		if (loop || strstr(line, "if ")) {
			depth++;
			snprintf(around[depth], sizeof *around, "%.2s", loop ? loop + 4 : around[depth - 1]);
		} else if (!strcmp(line + strspn(line, " "), "done")) {
			depth--;
		}
		put_size(line, around[depth], r, &out);
		text_char(&out, '\n');
		text_clear(&whole);
		text = end + 1;
	}
	return out;
}

static void put_line(void *context, const struct random_program_visit *v)
{
	if (v->place == PLACE_START && v->event)
		text_format(context, "%s\n", v->event);
}

/* What the events of a process come to, one after the other. */
struct counted {
	uint64_t messages[PROGRAM_RANKS], bytes[PROGRAM_RANKS], events, received;
};

static int64_t size_at(struct environment *e, const struct node *event)
{
	for (uint32_t k = COLUMNS; k < event->kids; k++)
		return number_at(e, node_kid(e->store, event->kid[k], 0));
	return 0;
}

static struct counted walk(struct run *r, uint32_t rank, struct text *lines)
{
	struct counted c = {0};
	struct cursor *at = cursor_new(r, rank);
	struct event_texts *l = event_texts_new(r, NULL, NULL);
	for (text_add(lines, "", 0); cursor_next(at); c.events++) {
		const struct node *n = node_of(at->at.store, at->event);
		event_texts_put(l, &at->at, at->event, NULL, lines);
		if (n->sub == EVENT_SEND) {
			int64_t to = number_at(&at->at, n->kid[COLUMN_PEER]);
			c.messages[to]++;
			c.bytes[to] += (uint64_t)size_at(&at->at, n);
		}
		c.received += n->sub == EVENT_RECV;
	}
	CU_ASSERT_EQUAL(at->at.failure, FAILURE_NONE);
	event_texts_free(l);
	cursor_free(at);
	return c;
}

/* The cells, and who receives, in all. */
static bool has_counts(const struct communication *x, const struct counted *c, uint32_t ranks)
{
	uint64_t received = 0, cells = 0;
	for (uint32_t from = 0; from < ranks; from++) {
		received += c[from].received;
		for (uint32_t to = 0; to < ranks; to++)
			cells += c[from].messages[to] > 0;
	}
	for (size_t i = 0; i < x->cells; i++) {
		const struct counted *of = &c[x->cell[i].source];
		uint32_t to = x->cell[i].destination;
		if (x->cell[i].messages != of->messages[to] || x->cell[i].bytes != of->bytes[to])
			return false;
	}
	return x->cells == cells && x->received == received;
}

static const char *check_text(const struct random_program *p, const char *text)
{
	struct error error = {0};
	struct module *m = module_parse("random", text, strlen(text), &error);
	if (!m) {
		fprintf(stderr, "%s\n", error.message);
		return "something is not read";
	}
	struct run *r = run_new(m, NULL);
	struct counted c[PROGRAM_RANKS];
	const char *wrong = NULL;
	uint64_t events = 0;
	for (uint32_t rank = 0; rank < PROGRAM_RANKS && !wrong; rank++) {
		struct text lines = {0}, expected = {0};
		enum failure failure;
		text_add(&expected, "", 0);
		random_program_run(p, rank, put_line, &expected);
		c[rank] = walk(r, rank, &lines);
		wrong = strcmp(lines.data, expected.data)                ? "events differ"
			: events_of(r, rank, &failure) != c[rank].events ? "counts differ"
									 : wrong;
		events += c[rank].events;
		text_clear(&lines);
		text_clear(&expected);
	}
	struct communication_part part = {.whole = true, .sizes = true};
	struct communication *x = communication_new(r, &part, &error);
	struct measures s = {0};
	if (!wrong)
		wrong = !x || !has_counts(x, c, PROGRAM_RANKS)              ? "messages differ"
			: !measures_of(r, &s, &error) || s.events != events ? "measures differ"
									    : NULL;
	communication_free(x);
	measures_clear(&s);
	run_free(r);
	module_free(m);
	return wrong;
}

static void random_programs(void)
{
	unsigned r = 3;
	for (unsigned i = 0; i < rounds(2000); i++) {
		struct random_program *p = random_program_new(i, i % 8);
		struct text bare = {0};
		random_program_print(p, false, &bare);
		struct text text = sized(bare.data, &r);
		const char *wrong = check_text(p, text.data);
		if (wrong) {
			fprintf(stderr, "%s in program %u:\n%s", wrong, i, text.data);
			CU_FAIL_FATAL("a random program");
		}
		text_clear(&bare);
		text_clear(&text);
		random_program_free(p);
	}
}

void suite_run(CU_pSuite suite)
{
	CU_add_test(suite, "the cursor and the counts tell the same", walks);
	CU_add_test(
		suite, "iterations that make no difference are not gone through, others in a budget", many_iterations);
	CU_add_test(suite, "what depends on nothing is counted once", many_calls);
	CU_add_test(suite, "deep programs are refused", too_deep);
	CU_add_test(suite, "members of groups", groups);
	CU_add_test(suite, "events of several processes, and of all", shares);
	CU_add_test(suite, "counts that repeat with an index", periods);
	CU_add_test(suite, "random programs: events, counts and messages are those of plain running", random_programs);
}
