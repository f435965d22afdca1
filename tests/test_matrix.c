/*
 * test_matrix.c -- messages counted without running, against running.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ask/communication.h"
#include "ask/durations.h"
#include "model/module_address.h"
#include "model/prepared.h"
#include "tests/random_program.h"
#include "tests/rows.h"
#include "tests/unit.h"
#include "viz/heat.h"

/* With collectives; the line is that of the address. */
static struct communication *count(const struct prepared *p, struct communication_part part, struct error *error)
{
	if (part.address && !module_find(p->module, part.address, &part.line, error))
		return NULL;
	part.collectives = true;
	return communication_new(p->run, &part, error);
}

static uint64_t messages(const struct communication *x, uint32_t from, uint32_t to)
{
	const struct communication_cell *c = communication_find(x, from, to);
	return c ? c->messages : 0;
}

static const char nested[] =
	"// tracenest 1\n// processes 3\nfor a = 0 to 9\n  0 send 1 tag1\n  0 recv 1 tag1\n  for b = 0 to "
	"999999999\n    1 send 2 tag2\n"
	"    1 recv 2 tag2\n  done\n  0-2 sync MPI_Barrier 0-2\ndone\n0 send 0 7\n0 recv 0 7\n";

/* ------------------------------------------------------------------ parts */

static const struct {
	const char *why;
	struct communication_part part;
	uint64_t zero_one, one_two, self, calls;
} parts[] = {
	{"the whole", {.whole = true}, 10, 10000000000, 1, 30},
	{"a loop, all of it", {.address = "0"}, 10, 10000000000, 0, 30},
	{"one iteration", {.address = "0", .per_iteration = true}, 1, 1000000000, 0, 3},
	{"an inner loop, in all iterations of the outer", {.address = "0.2"}, 0, 10000000000, 0, 0},
	{"one iteration of the inner loop", {.address = "0.2", .per_iteration = true}, 0, 1, 0, 0},
	{"an event", {.address = "1"}, 0, 0, 1, 0},
	{"one tag by its words", {.whole = true, .tag = "tag2"}, 0, 10000000000, 0, 30},
	{"one tag by its number", {.whole = true, .tag = "7"}, 0, 0, 1, 30},
};

static void test_parts(void)
{
	struct prepared *m = program_of(nested);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct error error = {0};
		struct communication *x = count(m, parts[i].part, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(x);
		CU_ASSERT_EQUAL(messages(x, 0, 1), parts[i].zero_one);
		CU_ASSERT_EQUAL(messages(x, 1, 2), parts[i].one_two);
		CU_ASSERT_EQUAL(messages(x, 0, 0), parts[i].self);
		CU_ASSERT_EQUAL(x->collectives ? x->collective[0].calls : 0, parts[i].calls);
		CU_ASSERT(x->sent == x->received || !strcmp(parts[i].why, "an event"));
		communication_free(x);
	}
	prepared_free(m);
}

static const struct {
	const char *why, *tag;
	uint64_t messages; /* 0: there are none */
} tags[] = {
	{"the words, on all communicators", "tag7", 3},
	{"the number alone", "7", 3},
	{"on one communicator", "tag7@2", 2},
	{"the number alone, there", "7@2", 2},
	{"a tag that is all words", "x", 4},
	{"on a communicator that it is not on", "tag7@3", 0},
	{"a communicator alone", "@2", 0},
	{"the start of a tag", "tag", 0},
	{"words of another tag", "x7", 0},
};

static void test_tags(void)
{
	struct prepared *m = program_of(
		"// tracenest 1\n// processes 2\n0 send 1 tag7\n0 recv 1 tag7\nfor a = 0 to 1\n  0 send 1 tag7@2\n  0 recv 1 "
		"tag7@2\ndone\nfor a = 0 to 3\n  1 send 0 x@3\n  1 recv 0 x@3\ndone\n");
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		struct error error = {0};
		struct communication *x =
			count(m, (struct communication_part){.whole = true, .tag = tags[i].tag}, &error);
		ROW(tags[i].why, (x ? x->sent : 0) == tags[i].messages);
		ROW(tags[i].why, error.kind == (tags[i].messages ? ERROR_NONE : ERROR_INPUT));
		ROW(tags[i].why, tags[i].messages || strstr(error.message, "there are tag7, tag7@2, x@3"));
		communication_free(x);
	}
	prepared_free(m);
}

static const struct {
	const char *why, *line;
	uint64_t to, to_bytes, from, from_bytes; /* from 0 to 1, and from 1 to 0 */
} one_sided[] = {
	{"a put goes to the target", "0 put 1 win2 ; bytes=8", 5, 40, 0, 0},
	{"a get comes from it", "0 get 1 win2 ; bytes=8", 0, 0, 5, 40},
	{"an update goes there", "0 accumulate 1 win2 ; bytes=8", 5, 40, 0, 0},
	{"what is updated comes back", "0 get_accumulate 1 win2 ; bytes=8 received=16", 5, 40, 5, 80},
	{"one element", "0 fetch_and_op 1 win2 ; bytes={8+i0} received=8", 5, 50, 5, 40},
	{"two go, one comes", "0 compare_and_swap 1 win2 ; bytes=16 received=8", 5, 80, 5, 40},
	{"the other puts, too", "0 get 1 win2 ; bytes=8\n  1 put 0 win2 ; bytes=4", 0, 0, 10, 60},
};

static void test_one_sided(void)
{
	for (size_t i = 0; i < sizeof one_sided / sizeof *one_sided; i++) {
		struct text program = {0};
		struct error error = {0};
		text_format(
			&program, "// tracenest 1\n// processes 2\nfor i0 = 0 to 4\n  %s\ndone\n", one_sided[i].line);
		struct prepared *m = program_of(program.data);
		struct communication *x = count(m, (struct communication_part){.whole = true, .sizes = true}, &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(x);
		const struct communication_cell *to = communication_find(x, 0, 1), *from = communication_find(x, 1, 0);
		ROW(one_sided[i].why, (to ? to->messages : 0) == one_sided[i].to);
		ROW(one_sided[i].why, (to ? to->bytes : 0) == one_sided[i].to_bytes);
		ROW(one_sided[i].why, (from ? from->messages : 0) == one_sided[i].from);
		ROW(one_sided[i].why, (from ? from->bytes : 0) == one_sided[i].from_bytes);
		ROW(one_sided[i].why, x->one_sided == x->sent && x->sized == x->sent && !x->received);
		communication_free(x);
		prepared_free(m);
		text_clear(&program);
	}
}

/* Whom a message goes to is not asked where only tags are, or how many there are. */
static void test_many_iterations(void)
{
	struct prepared *m = program_of("// tracenest 1\n// processes 8\n[0-7] for i0 = 0 to 999999999999\n"
					"[0-7] p send (p+1+i0)%8 tag7\n[0-7] (p-1-i0)%8 recv p tag7\ndone\n");
	struct error error = {0};
	struct communication_part part = {.whole = true, .totals = true, .tag = "7"};
	struct communication *x = count(m, part, &error);
	CU_ASSERT(x && x->sent == 8000000000000 && x->received == x->sent);
	communication_free(x);
	part.tag = "8";
	CU_ASSERT_PTR_NULL(count(m, part, &error));
	x = communication_of_lines(m->run, false, &error);
	CU_ASSERT(x && x[1].sent == 8000000000000 && !x[2].sent);
	communication_free(x);
	prepared_free(m);
}

static void test_refusals(void)
{
	struct prepared *m = program_of(nested);
	static const struct communication_part bad[] = {
		{.address = "9"}, {.address = "0.0.0"}, {.address = "x"}, {.address = "0.0", .per_iteration = true}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct error error = {0};
		CU_ASSERT_PTR_NULL(count(m, bad[i], &error));
		CU_ASSERT_EQUAL(error.kind, ERROR_INPUT);
	}
	prepared_free(m);
}

/* --------------------------------------------------- statements over sets, numbers that advance */

static const struct {
	const char *why, *text;
	struct communication_part part;
	const char *matrix; /* source>destination:messages ...; collectives: calls; executions. NULL: refused */
} rows[] = {
	{"each of a set", "[0-2] for i = 0 to 9 / [0-2] p send p+1 t / done", {.whole = true},
		"0>1:10 1>2:10 2>3:10 ; 1"},
	{"a statement in all iterations", "[0-3] for i = 0 to 9 / [0-2] p send p+1 t / [1-3] p-1 recv p t / done",
		{.address = "0.0"}, "0>1:10 1>2:10 2>3:10 ; 10"},
	{"peers that advance", "for i = 0 to 2 / [0] p send p+1+i t / 1 send {i} u / done", {.whole = true},
		"0>1:1 0>2:1 0>3:1 1>0:1 1>1:1 1>2:1 ; 1"},
	{"round and round", "[0-3] for i = 0 to 7 / [0-3] p send (p+i)%4 t / done", {.whole = true},
		"0>0:2 0>1:2 0>2:2 0>3:2 1>0:2 1>1:2 1>2:2 1>3:2 2>0:2 2>1:2 2>2:2 2>3:2 3>0:2 3>1:2 3>2:2 3>3:2 ; 1"},
	{"counts that advance", "for i = 0 to 3 / for j = 0 to {i-2} / 0 send 1 t / done / done", {.address = "0.0"},
		"0>1:3 ; 4"},
	{"in the iterations of the inner loop", "for i = 0 to 3 / for j = 0 to {i-1} / 0 send 1 t / done / done",
		{.address = "0.0", .per_iteration = true}, "0>1:1 ; 6"},
	{"iterations that differ by a count", "for i = 0 to 3 / for j = 0 to {i} / 0 send 1 t / done / done",
		{.address = "0", .per_iteration = true}, NULL},
	{"... by a peer", "for i = 0 to 2 / 0 send {1+i} t / done", {.address = "0", .per_iteration = true}, NULL},
	{"... by an outer index", "for i = 0 to 2 / for j = 0 to 1 / 0 send {1+i} t / done / done",
		{.address = "0.0", .per_iteration = true}, NULL},
	{"... by an inner one they do not", "for i = 0 to 2 / for j = 0 to 1 / 0 send {1+j} t / done / done",
		{.address = "0", .per_iteration = true}, "0>1:1 0>2:1 ; 3"},
	{"tags are no matter", "for i = 0 to 2 / 0 send 1 tag{i} / done", {.address = "0", .per_iteration = true},
		"0>1:1 ; 3"},
	{"but where one is asked for", "for i = 0 to 2 / 0 send 1 tag{i} / done",
		{.address = "0", .per_iteration = true, .tag = "tag1"}, NULL},
	{"one of those that advance", "for i = 0 to 9 / for j = 0 to 4 / [0-1] p send 3 tag{i+2*p} / done / done",
		{.whole = true, .tag = "3"}, "0>3:5 1>3:5 ; 1"},
	{"lines of the grid", "[0-3] for i = 0 to 4 / [0-3] p sync B @(*,y) / done", {.whole = true},
		"B0-1:10 B2-3:10 ; 1"},
	{"groups of communicators", "[1-3] for i = 0 to 4 / [1-3] p sync B @$t[p] / done / $t[p] = 0 7 5 7",
		{.whole = true}, "B1,3:10 B2:5 ; 1"},
	{"counts of each process, and who is named",
		"[0-3] for i = 0 to {$n[p]-1} / [0-3] p send $b[p,i] t / done / [0-3] for i = 0 to 3 / [$w[i]] p send 0 u / [0-3] p sync B "
		"0-3 / done / $n[p] = 1 2 0 1 / $b[p,i] = 1 | 0 2 | | 2 / $w[i] = 3 1 3 2",
		{.whole = true}, "0>1:1 1>0:2 1>2:1 2>0:1 3>0:2 3>2:1 B0-3:16 ; 1"},
	{"... a loop of them",
		"[0-3] for i = 0 to {$n[p]-1} / [0-3] p send $b[p,i] t / done / $n[p] = 1 2 0 1 / $b[p,i] = 1 | 0 2 | | 2",
		{.address = "0"}, "0>1:1 1>0:1 1>2:1 3>2:1 ; 1"},
	{"guards, and otherwise", "for i = 0 to 9 / if {i%5} = 2 / 0 send 1 t / else / 0 send 2 t / done / done",
		{.whole = true}, "0>1:2 0>2:8 ; 1"},
	{"an event of those whose peer is inside, once",
		"[0-3] for i = 0 to 1 / [0-3] p send @(x+$dx[i],y+$dy[i]) t where inside / done / $dx[i] = 1 0 / $dy[i] = 0 1",
		{.address = "0.0"}, "0>1:1 0>2:1 1>3:1 2>3:1 ; 2"},
	{"deeper than indices go",
		"for a = 0 to 1 / for b = 0 to 1 / for c = 0 to 1 / for d = 0 to 1 / for e = 0 to 1 / for f = 0 to 1 / for g = 0 to 1 / for h = 0 to 1 "
		"/ for i = 0 to 1 / for j = 0 to 1 / for k = 0 to 1 / for l = 0 to 1 / for m = 0 to 1 / for n = 0 to 1 / 0 send {a+l} t "
		"/ done / done / done / done / done / done / done / done / done / done / done / done / done / done",
		{.whole = true}, "0>0:4096 0>1:8192 0>2:4096 ; 1"},
};

static struct prepared *program_of_row(const char *row)
{
	struct text text = {0};
	text_put(&text, "// tracenest 1\n// processes 4\n// grid 2 2\n");
	for (; *row; row++)
		text_char(&text, *row == '/' ? '\n' : *row);
	text_char(&text, '\n');
	struct prepared *p = program_of(text.data);
	text_clear(&text);
	return p;
}

static void put_matrix(const struct prepared *p, const struct communication *x, struct text *out)
{
	for (size_t i = 0; i < x->cells; i++)
		text_format(out, "%" PRIu32 ">%" PRIu32 ":%" PRIu64 " ", x->cell[i].source, x->cell[i].destination,
			x->cell[i].messages);
	for (size_t i = 0; i < x->collectives; i++)
		text_format(out, "%s%s:%" PRIu64 " ", store_get_word(p->module->store, x->collective[i].key.name),
			member_set_text(x->members, x->collective[i].key.group), x->collective[i].calls);
	text_format(out, "; %" PRIu64, x->executions);
}

/* One statement after the other is the whole. */
static void check_statements(const char *why, const struct prepared *p)
{
	struct error error = {0};
	uint64_t pair[4][4] = {{0}}, sent = 0, events = 0;
	struct communication *each = communication_of_lines(p->run, true, &error),
			     *whole = count(p, (struct communication_part){.whole = true}, &error);
	for (size_t k = 0; k < p->module->lines; k++) {
		events += each[k].events;
		for (size_t i = 0; i < each[k].cells; i++)
			pair[each[k].cell[i].source][each[k].cell[i].destination] += each[k].cell[i].messages;
	}
	for (size_t i = 0; i < whole->cells; i++) {
		const struct communication_cell *c = &whole->cell[i];
		ROW(why, pair[c->source][c->destination] == c->messages);
		sent += c->messages;
	}
	ROW(why, sent == whole->sent && events == whole->events);
	communication_free(each);
	communication_free(whole);
}

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prepared *p = program_of_row(rows[i].text);
		struct error error = {0};
		struct text have = {0};
		struct communication *x = count(p, rows[i].part, &error);
		if (x)
			put_matrix(p, x, &have);
		row_same(rows[i].why, x ? have.data : "refused", rows[i].matrix ? rows[i].matrix : "refused");
		communication_free(x);
		text_clear(&have);
		check_statements(rows[i].why, p);
		prepared_free(p);
	}
}

/* ------------------------------------------------------------------ random programs */

struct counts {
	uint64_t pair[PROGRAM_RANKS][PROGRAM_RANKS];
};

static void count_visit(void *context, const struct random_program_visit *v)
{
	struct counts *c = context;
	unsigned from, to;
	if (v->event && sscanf(v->event, "%u send %u", &from, &to) == 2)
		c->pair[from][to]++;
}

static void add_phases(struct prepared *m, uint64_t sum[PROGRAM_RANKS][PROGRAM_RANKS])
{
	for (uint32_t i = 0; i < node_of(m->module->store, m->module->body)->kids; i++) {
		char address[24];
		struct error error = {0};
		snprintf(address, sizeof address, "%u", i);
		struct communication *x = count(m, (struct communication_part){.address = address}, &error);
		for (size_t k = 0; k < x->cells; k++)
			sum[x->cell[k].source][x->cell[k].destination] += x->cell[k].messages;
		communication_free(x);
	}
}

static void test_random(void)
{
	uint64_t wrong = 0, all = 0;
	for (unsigned seed = 0; seed < rounds(300); seed++) {
		struct random_program *p =
			random_program_new(seed, PROGRAM_LOCALS | PROGRAM_SETS | (seed % 6 ? 0 : PROGRAM_IRREGULAR));
		struct text text = {0};
		struct error error = {0};
		struct counts run = {0}, phases = {0};
		random_program_print(p, false, &text);
		struct prepared *m = program_of(text.data);
		struct communication *x = count(m, (struct communication_part){.whole = true}, &error);
		for (uint32_t rank = 0; rank < PROGRAM_RANKS; rank++)
			random_program_run(p, rank, count_visit, &run);
		add_phases(m, phases.pair);
		for (uint32_t a = 0; a < PROGRAM_RANKS; a++)
			for (uint32_t b = 0; b < PROGRAM_RANKS; b++) {
				wrong += messages(x, a, b) != run.pair[a][b] || phases.pair[a][b] != run.pair[a][b];
				all += run.pair[a][b];
			}
		communication_free(x);
		prepared_free(m);
		text_clear(&text);
		random_program_free(p);
	}
	CU_ASSERT(all > 1000);
	CU_ASSERT_EQUAL(wrong, 0);
}

/* ------------------------------------------------------------------ durations */

static void test_durations(void)
{
	struct prepared *f = program_of(
		"// tracenest 1\n// processes 2\n0 local a\nfor x = 0 to 2\n  0 local b\n  for y = 0 to 1\n    0 "
		"local c\n  done\ndone\n0 local d\n");
	struct durations *d = durations_new(f->run, 5, true);
	struct duration of;
	static const uint64_t times[] = {0, 10, 11, 13, 20, 22, 25, 40, 50, 51, 100};
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (i == 4) { /* a call inside of another counts once */
			durations_call(d, 0, 15);
			durations_call(d, 0, 16);
			durations_return(d, 0, 18);
		}
		durations_event(d, 0, times[i]);
		if (i == 4)
			durations_return(d, 0, 21);
	}
	durations_finish(d, 0);
	CU_ASSERT_EQUAL(durations_loops(d), 2);
	CU_ASSERT_STRING_EQUAL(durations_loop(d, 1)->address, "1.1");
	CU_ASSERT(durations_of(d, 0, 0, &of));
	CU_ASSERT_EQUAL(of.occurrences, 1);
	CU_ASSERT_EQUAL(of.iterations, 3);
	CU_ASSERT_EQUAL(of.total, 90); /* 10 to 100 */
	CU_ASSERT_EQUAL(of.least, 10);
	CU_ASSERT_EQUAL(of.median, 20);
	CU_ASSERT_EQUAL(of.most, 60);
	CU_ASSERT_EQUAL(of.inside, 6);
	CU_ASSERT(durations_of(d, 1, 0, &of));
	CU_ASSERT_EQUAL(of.occurrences, 3);
	CU_ASSERT_EQUAL(of.total, 2 + 7 + 3 + 15 + 1 + 49);
	CU_ASSERT_FALSE(durations_of(d, 0, 1, &of));
	CU_ASSERT_EQUAL(durations_run(d, 0), 100);
	durations_free(d);
	prepared_free(f);
}

/* Told when events end, work belongs to the event behind it, and what is in no loop has its own
   time. */
static void test_durations_of_work(void)
{
	struct prepared *f =
		program_of("// tracenest 1\n// processes 1\n0 local a\nfor x = 0 to 2\n  0 local b\ndone\n0 local d\n");
	struct durations *d = durations_new(f->run, 5, false);
	struct duration of;
	durations_done(d, 0, 5);
	for (uint64_t i = 0; i < 5; i++) { /* at 20, 40, ... calls of 10, their events in the middle */
		durations_call(d, 0, 20 * (i + 1));
		durations_event(d, 0, 20 * (i + 1) + 5);
		durations_return(d, 0, 20 * (i + 1) + 10);
		durations_done(d, 0, 20 * (i + 1) + 10);
	}
	durations_finish(d, 0);
	CU_ASSERT(durations_of(d, 0, 0, &of));
	CU_ASSERT_EQUAL(of.total, 60);
	CU_ASSERT_EQUAL(of.least, 20);
	CU_ASSERT_EQUAL(of.inside, 30);
	CU_ASSERT_EQUAL(durations_gaps(d), 2);
	CU_ASSERT(durations_gap(d, 0, 0, &of));
	CU_ASSERT(of.occurrences == 1 && of.total == 25 && of.inside == 10);
	CU_ASSERT(durations_gap(d, 1, 0, &of));
	CU_ASSERT(of.occurrences == 1 && of.total == 20 && of.inside == 10);
	CU_ASSERT_EQUAL(durations_gap_loop(d, 1), SIZE_MAX);
	CU_ASSERT_EQUAL(durations_run(d, 0), 105);
	durations_free(d);
	prepared_free(f);
}

/* The end of a stream: loops that end with it last to the last event. */
static void test_durations_at_the_end(void)
{
	struct prepared *f = program_of(
		"// tracenest 1\n// processes 1\nfor x = 0 to 2\n  for y = 0 to 9999\n    0 local c\n  done\ndone\n");
	struct durations *d = durations_new(f->run, 5, true);
	struct duration of;
	for (uint64_t i = 0; i < 30000; i++)
		durations_event(d, 0, 1000 * i + (i % 100 == 99 ? 500 : 0));
	durations_finish(d, 0);
	CU_ASSERT(durations_of(d, 1, 0, &of));
	CU_ASSERT_EQUAL(of.iterations, 30000);
	CU_ASSERT_EQUAL(of.total, 29999500);
	CU_ASSERT_EQUAL(of.least, 0);
	CU_ASSERT_EQUAL(of.most, 1500);
	CU_ASSERT(of.median >= 990 && of.median <= 1010); /* a histogram's */
	CU_ASSERT(durations_of(d, 0, 0, &of));
	CU_ASSERT_EQUAL(of.iterations, 3);
	CU_ASSERT_EQUAL(of.total, 29999500);
	double strip[DURATIONS_BINS];
	CU_ASSERT_EQUAL(durations_strip(d, 1, 0, strip), DURATIONS_BINS);
	CU_ASSERT_EQUAL(durations_strip(d, 0, 0, strip), 3);
	durations_free(d);
	prepared_free(f);
}

/* What lasted how long is told of those who execute it, and only where it was asked for. */
static void test_no_durations(void)
{
	struct prepared *f =
		program_of("// tracenest 1\n// processes 2\nfor x = 0 to 2\n  0 local c\ndone\n1 local d\n");
	struct durations *with = durations_new(f->run, 5, true), *without = durations_new(f->run, 5, false);
	double strip[DURATIONS_BINS];
	for (uint64_t i = 0; i < 3; i++) {
		durations_event(with, 0, 10 * i);
		durations_event(without, 0, 10 * i);
	}
	durations_event(with, 1, 10);
	for (uint32_t rank = 0; rank < 2; rank++) {
		durations_finish(with, rank);
		CU_ASSERT_EQUAL(durations_strip(with, 0, rank, strip), rank == 0 ? 3 : 0);
	}
	durations_finish(without, 0);
	CU_ASSERT_EQUAL(durations_strip(without, 0, 0, strip), 0);
	durations_free(with);
	durations_free(without);
	prepared_free(f);
}

/* Random programs, with an event each 10 ticks: an iteration lasts as long as a plain run says. */
struct timed {
	const struct durations *durations;
	struct text address[64]; /* of loops */
	uint64_t iterations[64], total[64], begin[64];
	size_t loops;
	uint64_t events;
};

static size_t timed_loop(struct timed *t, const char *address)
{
	for (size_t i = 0; i < t->loops; i++)
		if (!strcmp(t->address[i].data, address))
			return i;
	CU_ASSERT_FATAL(t->loops < 64);
	text_put(&t->address[t->loops], address);
	return t->loops++;
}

/* At the end of the stream, the last event counts. */
static uint64_t time_at(const struct timed *t, uint64_t position)
{
	return 10 * (position < t->events ? position : t->events - 1);
}

static void count_timed(void *context, const struct random_program_visit *v)
{
	((struct timed *)context)->events += v->event != NULL;
}

static void time_iteration(void *context, const struct random_program_visit *v)
{
	struct timed *t = context;
	if (v->place != PLACE_ITERATION && v->place != PLACE_ITERATION_END)
		return;
	size_t loop = timed_loop(t, v->address);
	if (v->place == PLACE_ITERATION) {
		t->begin[loop] = time_at(t, v->position);
		return;
	}
	t->iterations[loop]++;
	t->total[loop] += time_at(t, v->position) - t->begin[loop];
}

static size_t durations_differ(const struct durations *d, const struct timed *t, uint32_t rank)
{
	size_t wrong = 0;
	for (size_t i = 0; i < durations_loops(d); i++) {
		struct duration of;
		bool there = durations_of(d, i, rank, &of);
		for (size_t k = 0; k < t->loops; k++)
			if (!strcmp(t->address[k].data, durations_loop(d, i)->address) && t->total[k])
				wrong += !there || of.total != t->total[k] || of.iterations != t->iterations[k];
	}
	return wrong;
}

static void test_random_durations(void)
{
	size_t wrong = 0, loops = 0;
	for (unsigned seed = 0; seed < rounds(300); seed++) {
		struct random_program *program = random_program_new(seed, PROGRAM_LOCALS | PROGRAM_SETS);
		struct text text = {0};
		random_program_print(program, false, &text);
		struct prepared *f = program_of(text.data);
		struct durations *d = durations_new(f->run, 9, false);
		for (uint32_t rank = 0; rank < PROGRAM_RANKS; rank++) {
			struct timed t = {.durations = d};
			random_program_run(program, rank, count_timed, &t);
			random_program_run(program, rank, time_iteration, &t);
			for (uint64_t i = 0; i < t.events; i++)
				durations_event(d, rank, 10 * i);
			durations_finish(d, rank);
			size_t bad = durations_differ(d, &t, rank);
			if (bad)
				printf("seed %u, rank %u\n%s\n", seed, rank, text.data);
			wrong += bad;
			for (size_t i = 0; i < t.loops; i++)
				text_clear(&t.address[i]);
			loops += t.loops;
		}
		durations_free(d);
		prepared_free(f);
		text_clear(&text);
		random_program_free(program);
	}
	CU_ASSERT(loops > rounds(1000));
	CU_ASSERT_EQUAL(wrong, 0);
}

/* ------------------------------------------------------------------ pictures */

static size_t count_words(const char *text, const char *words)
{
	size_t count = 0;
	for (; (text = strstr(text, words)); text++)
		count++;
	return count;
}

static void test_heat(void)
{
	struct heat *h = heat_new("a <b> & \"c\"", "messages");
	struct heat_panel *small = heat_panel(h, "small", 3, 3), *large = heat_panel(h, "large", 4096, 4096);
	struct text svg = {0};
	small->row_axis = large->row_axis = "sender";
	small->column_axis = large->column_axis = "receiver";
	heat_set(small, 0, 1, 5);
	heat_set(small, 0, 1, 2);
	for (uint64_t i = 0; i < 4096; i++)
		heat_set(large, i, (i + 1) % 4096, 10);
	heat_svg(h, &svg);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "<title>sender 0, receiver 1: 7 messages</title>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "a &lt;b&gt; &amp; &quot;c&quot;"));
	CU_ASSERT_EQUAL(count_words(svg.data, "sender (rows"), 2);
	CU_ASSERT_EQUAL(large->height, 256);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "receiver (columns, each the sum of 16)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, ">none</text>"));
	CU_ASSERT(svg.length < 200000);
	text_clear(&svg);
	heat_free(h);
}

static void test_strip(void)
{
	struct heat *h = heat_new("strip", "us");
	struct heat_panel *p = heat_panel(h, "p", 2, 128);
	struct text svg = {0};
	p->row_axis = "rank";
	p->column_axis = "iteration";
	p->strip = true;
	p->span = 2000;
	for (uint64_t i = 0; i < 256; i++)
		heat_set(p, i / 128, i % 128, i == 7 ? 1000000 : i == 9 ? 0 : 50 + (double)(i % 51));
	heat_svg(h, &svg);
	CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "iteration (columns, each the mean of 15 or 16)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, ">1,000</text>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "rank 0, iteration 110-124: 1,000,000 us"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "≤ 50<"));
	CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "≥ 100 us<"));
	CU_ASSERT_PTR_NULL(strstr(svg.data, ">none<"));
	text_clear(&svg);
	heat_free(h);
}

static const struct {
	const char *name;
	bool good, picture;
} outputs[] = {{NULL, true, false}, {"a.svg", true, true}, {"a.b.png", true, true}, {"a.pdf", true, true},
	{"a.csv", true, false}, {"a", true, false}, {"jpg", true, false}, {"a.svg/b", true, false},
	{"/dev/stdout", true, false}, {"a.jpg", false, false}, {"a.SVG", false, false}, {"a.jpeg", false, false},
	{"a.html", false, false}};

static void test_outputs(void)
{
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
		struct error error = {0};
		bool picture = true;
		CU_ASSERT_EQUAL(picture_asked(outputs[i].name, &picture, &error), outputs[i].good);
		CU_ASSERT_EQUAL(picture, outputs[i].picture);
	}
}

static void test_empty_heat(void)
{
	struct heat *h = heat_new("nothing", "bytes");
	struct text svg = {0};
	heat_panel(h, "none", 0, 0);
	heat_panel(h, "one", 1, 1);
	heat_svg(h, &svg);
	CU_ASSERT_PTR_NULL(strstr(svg.data, "nan"));
	CU_ASSERT_PTR_NULL(strstr(svg.data, "inf"));
	text_clear(&svg);
	heat_free(h);
}

void suite_matrix(CU_pSuite suite)
{
	CU_add_test(suite, "the whole, parts, iterations, tags", test_parts);
	CU_add_test(suite, "tags on one communicator and on all", test_tags);
	CU_add_test(suite, "more iterations than can be gone through", test_many_iterations);
	CU_add_test(suite, "what is moved one-sided", test_one_sided);
	CU_add_test(suite, "addresses that lead nowhere", test_refusals);
	CU_add_test(suite, "sets, and numbers that advance", test_rows);
	CU_add_test(suite, "random programs: as counted in a run; phases sum up", test_random);
	CU_add_test(suite, "durations of iterations", test_durations);
	CU_add_test(suite, "durations at the end of a stream, many of them", test_durations_at_the_end);
	CU_add_test(suite, "no durations", test_no_durations);
	CU_add_test(suite, "durations where calls end", test_durations_of_work);
	CU_add_test(suite, "durations in random programs", test_random_durations);
	CU_add_test(suite, "a heat map's words and blocks", test_heat);
	CU_add_test(suite, "a strip's axis and scale", test_strip);
	CU_add_test(suite, "heat maps of nothing", test_empty_heat);
	CU_add_test(suite, "which outputs are pictures", test_outputs);
}
