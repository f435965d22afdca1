/*
 * test_meeting.c -- whether all messages meet, and whether that can happen: of programs by hand,
 * what is found; of random ones, whether an oracle that goes through all events finds it, too.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/consistency.h"
#include "ask/ends.h"
#include "ask/inverses.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define HEAD "// tracenest 1\n// processes 8\n"
#define RANDOM_PROGRAMS UINT64_C(10000)

static struct module *module_of_text(const char *why, uint32_t processes, const char *body)
{
	struct text text = {0};
	struct error error = {0};
	text_format(&text, "// tracenest 1\n// processes %" PRIu32 "\n%s%s", processes,
		processes == 16 ? "// grid 4 4\n" : "", body);
	struct module *m = module_parse(why, text.data, text.length, &error);
	if (!m)
		printf("\n  %s: %s", why, error.message);
	text_clear(&text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_FATAL(module_inline(m, &error));
	return m;
}

/* ------------------------------------------------------------------ what is found */

static const struct {
	const char *why;
	uint32_t processes;
	const char *body, *found;
} programs[] = {
	{"an exchange stands in its iteration", 4,
		"for i0 = 0 to 9\n  [*] p send (p+1)%4 tag1\n  [*] (p-1)%4 recv p tag1\ndone\n",
		"meets, joint 1, in the order of the text"},
	{"peers that follow an index go round", 8,
		"for i0 = 0 to 6\n  [*] p send (p+1+i0)%8 tag1\n  [*] (p-1-i0)%8 recv p tag1\ndone\n",
		"meets, joint 1, in the order of the text"},
	{"... the wrong way round, they wait for later iterations", 4,
		"for i0 = 0 to 2\n  [*] p send (p+1+i0)%4 tag1\n  [*] (p+1+i0)%4 recv p tag1\ndone\n",
		"messages are received before they can have been sent:\n"
		"  rank 0, position 1: '1 recv 0 tag1', which rank 1 sends later\n"
		"  rank 1, position 1: '2 recv 1 tag1', which rank 2 sends later\n"
		"  rank 2, position 1: '3 recv 2 tag1', which rank 3 sends later\n"
		"  rank 3, position 1: '0 recv 3 tag1', which rank 0 sends later"},
	{"a message that overtakes a loop", 2,
		"0 send 1 t\nfor i0 = 0 to 9\n  0 send 1 t\n  0 recv 1 t\ndone\nfor i0 = 0 to 9\n  0 send 1 t\n"
		"  0 recv 1 t\ndone\n0 recv 1 t\n",
		"loop 1: 0 -> 1 t: what iteration 0 sends is received in iteration 1: messages cross from one iteration "
		"into another"},
	{"... on a channel that only a formula tells", 2,
		"0 send 1 tag0\nfor i0 = 0 to 3\n  0 send 1 tag{i0%2}\n  0 recv 1 tag{i0%2}\ndone\n0 recv 1 tag0\n",
		"loop 1: 0 -> 1 tag0: what iteration 0 sends is received in iteration 2: messages cross from one iteration "
		"into another"},
	{"iterations that go unequally fast", 2,
		"for i0 = 0 to 999999999\n  0 send 1 t\n  0 send 1 t\ndone\nfor i0 = 0 to 1999999999\n  0 recv 1 t\n"
		"done\n",
		"meets, joint 0, in the order of the text"},
	{"tags that follow an index are functions", 2,
		"[0] for i0 = 0 to 999999999\n  0 send 1 tag{3+i0}\ndone\n[1] for i0 = 0 to 999999999\n"
		"  0 recv 1 tag{3+i0}\ndone\n",
		"meets, joint 0, in the order of the text"},
	{"... and others in iterations that differ", 2,
		"[0] for i0 = 0 to 9\n  0 send 1 tag{3+i0}\ndone\n[1] for i0 = 0 to 9\n  0 recv 1 tag{12-i0}\ndone\n",
		"meets, joint 0, in the order of the text"},
	{"a message in an odd number of them is missing", 2,
		"for i0 = 0 to 9\n  0 send 1 tag{i0%2}\ndone\nfor i0 = 0 to 8\n  0 recv 1 tag{i0%2}\ndone\n",
		"1 channel with unmatched messages or syncs:\n  0 -> 1 tag1: 5 sends, 4 receives"},
	{"an earlier message, of the same tag by a formula", 2,
		"0 send 1 tag12\n0 send 1 tag15\nfor i0 = 0 to 1\n  0 recv 1 tag{12+3*i0}\n"
		"  0 send 1 tag{12+3*i0}\ndone\n0 recv 1 tag12\n0 recv 1 tag15\n",
		"meets, joint 0, in the order of the text"},
	{"who misses a collective", 4,
		"[*] p sync MPI_Barrier *\n[*] p sync MPI_Barrier *\n[0-2] p sync MPI_Barrier *\n",
		"1 channel with unmatched messages or syncs:\n  MPI_Barrier on 0-3: 3 times, but by 3 only 2 times "
		"(the 3rd is missing)"},
	{"... and who never comes", 4, "[1-3] p sync MPI_Barrier *\n",
		"1 channel with unmatched messages or syncs:\n  MPI_Barrier on 0-3: 1 time, but never by 0"},
	{"a wavefront is no order of the text", 16,
		"for i0 = 0 to 9\n  [x>0] @(x-1,y) recv p tag1\n  [x<X-1] p send @(x+1,y) tag1\ndone\n",
		"meets, joint 1, by 1 graph"},
	{"each waits for the other", 2, "for i0 = 0 to 9\n  [*] p^1 recv p tag1\n  [*] p send p^1 tag1\ndone\n",
		"messages are received before they can have been sent:\n  rank 0, position 0: '1 recv 0 tag1', which rank 1 "
		"sends later\n  rank 1, position 0: '0 recv 1 tag1', which rank 0 sends later"},
	{"... and for a collective", 2, "0 recv 1 tag1\n[*] p sync MPI_Barrier *\n0 send 1 tag1\n",
		"messages are received before they can have been sent:\n  rank 0, position 0: '0 sync MPI_Barrier 0-1', to "
		"which rank 1 comes later\n  rank 1, position 0: '0 recv 1 tag1', which rank 0 sends later"},
	{"a receive of another iteration", 2,
		"0 send 1 tag1\nfor i0 = 0 to 9\n  0 recv 1 tag1\n  0 send 1 tag1\ndone\n0 recv 1 tag1\n",
		"loop 1: 0 -> 1 tag1: what iteration 0 sends is received in iteration 1: messages cross from one iteration "
		"into another"},
	{"... which inverses alone do not tell", 2,
		"0 send 1 t\nfor i0 = 0 to 9\n  0 send 1 t\n  0 recv 1 t\ndone\n0 recv 1 t\n",
		"loop 1: 0 -> 1 t: what iteration 0 sends is received in iteration 1: messages cross from one iteration "
		"into another"},
	{"an argument that follows a loop is no number", 2,
		"for i0 = 0 to 3\n  call f(2*i0)\ndone\n0 recv 1 tag0\n0 recv 1 tag2\n0 recv 1 tag4\n0 recv 1 tag6\n"
		"// procedures\nprocedure f(n)\n  0 send 1 tag{n}\ndone\n",
		"meets, joint 0, in the order of the text"},
	{"what one construct sends, two receive", 2,
		"for i0 = 0 to 19\n  0 send 1 tag1\ndone\nfor i0 = 0 to 9\n  0 recv 1 tag1\ndone\n"
		"for i0 = 0 to 9\n  0 recv 1 tag1\ndone\n",
		"meets, joint 0, irregular 2, in the order of the text"},
};

static struct text found(struct run *run)
{
	struct consistency c;
	struct error error = {0};
	struct text out = {0};
	consistency_of(run, &c);
	if (!consistency_holds(&c, &error)) {
		text_put(&out, error.message);
	} else {
		text_format(&out, "meets, joint %" PRIu64, c.facts->joint);
		if (c.facts->irregular)
			text_format(&out, ", irregular %" PRIu64, c.facts->irregular);
		if (c.run)
			text_put(&out, ", by a run");
		else if (c.facts->order == ORDER_GRAPHS)
			text_format(&out, ", by %" PRIu64 " graph", c.facts->graphs);
		else
			text_put(&out, ", in the order of the text");
	}
	consistency_clear(&c);
	return out;
}

static void facts(void)
{
	for (size_t i = 0; i < COUNT(programs); i++) {
		struct module *m = module_of_text(programs[i].why, programs[i].processes, programs[i].body);
		struct run *run = run_new(m, NULL);
		struct text text = found(run);
		row_same(programs[i].why, text.data, programs[i].found);
		text_clear(&text);
		run_free(run);
		module_free(m);
	}
}

/* ------------------------------------------------------ bodies that receive what they send */

static const struct {
	const char *why, *text;
	bool whole;
} inverse[] = {
	{"nothing at all", HEAD, true},
	{"on the line", HEAD "[0-6] p send p+1 t\n[1-7] p-1 recv p t\n", true},
	{"before it is sent", HEAD "[1-7] p-1 recv p t\n[0-6] p send p+1 t\n", false},
	{"not by all", HEAD "[0-6] p send p+1 t\n[1-6] p-1 recv p t\n", false},
	{"by others", HEAD "[0-5] p send p+1 t\n[2-7] p-1 recv p t\n", false},
	{"twice, received once", HEAD "[0-6] p send p+1 t\n[0-6] p send p+1 t\n[1-7] p-1 recv p t\n", false},
	{"with another tag", HEAD "[0-6] p send p+1 t\n[1-7] p-1 recv p u\n", false},
	{"with another number", HEAD "[0-6] p send p+1 t1\n[1-7] p-1 recv p t2\n", false},
	{"on another communicator", HEAD "[0-6] p send p+1 t1@2\n[1-7] p-1 recv p t1@3\n", false},
	{"from elsewhere", HEAD "[0-5] p send p+1 t\n[1-6] p+1 recv p t\n", false},
	{"tags that advance alike",
		HEAD "[0-7] for i0 = 0 to 2\n[0-6] p send p+1 tag{3*i0}\n[1-7] p-1 recv p tag{3*i0}\ndone\n", true},
	{"and otherwise", HEAD "[0-7] for i0 = 0 to 2\n[0-6] p send p+1 tag{i0}\n[1-7] p-1 recv p tag{2-i0}\ndone\n",
		false},
	{"tags that differ by process alike", HEAD "[0-6] p send p+1 tag{p}\n[1-7] p-1 recv p tag{p-1}\n", true},
	{"... and otherwise", HEAD "[0-6] p send p+1 tag{p}\n[1-7] p-1 recv p tag{p}\n", false},
	{"in the loop behind",
		HEAD
		"[0-6] for i0 = 0 to 2\n[0-6] p send p+1 t\ndone\n[1-7] for i0 = 0 to 2\n[1-7] p-1 recv p t\ndone\n",
		false},
	{"sent before a loop, received in it",
		HEAD "[0-6] p send p+1 t\n[1-7] for i0 = 0 to 0\n[1-7] p-1 recv p t\ndone\n", false},
	{"around the ring", HEAD "[0-7] p send (p+3)%8 t\n[0-7] (p-3)%8 recv p t\n", true},
	{"in all directions of the ring",
		HEAD "[0-7] for i0 = 0 to 6\n[0-7] p send (p+1+i0)%8 t\n[0-7] (p-1-i0)%8 recv p t\ndone\n", true},
	{"around another ring", HEAD "[0-6] p send (p+1)%8 t\n[0-6] (p-1)%7 recv p t\n", false},
	{"on the line and around", HEAD "[1-7] p send p-1 t\n[0-7] (p+1)%8 recv p t\n", false},
	{"a number is no way back", HEAD "[1-7] p send p-1 t\n[0-7] 1 recv p t\n", false},
	{"of which one is not it",
		HEAD "[0-7] for i0 = 0 to 6\n[0-7] p send (p+1+i0)%8 t\n[0-7] (p-1-2*i0)%8 recv p t\ndone\n", false},
	{"some of the ring", HEAD "[6-7] p send (p+3)%8 t\n[1-2] (p-3)%8 recv p t\n", true},
	{"a ring of fewer", HEAD "[0-3] p send (p+1)%4 t\n[0-3] (p-1)%4 recv p t\n", true},
	{"that others send into", HEAD "[4] p send (p+1)%4 t\n[1] (p-1)%4 recv p t\n", false},
	{"over a bit", HEAD "[0-7] p send p^5 t\n[0-7] p^5 recv p t\n", true},
	{"over another", HEAD "[0-7] p send p^5 t\n[0-7] p^4 recv p t\n", false},
	{"half of it", HEAD "[0-3] p send p^4 t\n[4-7] p^4 recv p t\n", true},
	{"on the grid",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] p send @(x+1,y-1) t\n[0-5] @(x-1,y+1) recv p t\n",
		true},
	{"the other way",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] p send @(x,y-1) t\n[0-5] @(x,y-1) recv p t\n",
		false},
	{"by another way on it",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] p send @(x+1,y) t\n[0-5] @(x-1,y+1) recv p t\n",
		false},
	{"a row of it",
		"// tracenest 1\n// processes 6\n// grid 2 3\n[0-1] p send @(x,y-1) t\n[4-5] @(x,y+1) recv p t\n",
		true},
	{"one to one", HEAD "2 send 5 t\n2 recv 5 t\n", true},
	{"one to many is not looked into", HEAD "0 send 1 t\n0 send 2 t\n[1-2] 0 recv p t\n", false},
	{"all of a group", HEAD "[0-3] p sync B 0-3\n4-7 sync B 4-7\n", true},
	{"some of a group", HEAD "[0-2] p sync B 0-3\n", false},
	{"all lines of the grid", "// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] p sync B @(*,y)@{3+y}\n", true},
	{"that do not agree", "// tracenest 1\n// processes 6\n// grid 2 3\n[0-5] p sync B @(*,y)@{3+x}\n", false},
	{"some of its lines", "// tracenest 1\n// processes 6\n// grid 2 3\n[0-3] p sync B @(*,y)\n", false},
	{"each alone", HEAD "[2-3] p sync B p\n", true},
	{"those of each communicator", HEAD "[2-7] p sync B @{p%3}\n", true},
};

static void inverses(void)
{
	for (size_t i = 0; i < COUNT(inverse); i++) {
		struct error error = {0};
		struct module *m = module_parse(inverse[i].why, inverse[i].text, strlen(inverse[i].text), &error);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		struct run *run = run_new(m, NULL);
		uint64_t loops;
		row_same(inverse[i].why, inverses_prove(run, &loops) ? "whole" : "perhaps not",
			inverse[i].whole ? "whole" : "perhaps not");
		run_free(run);
		module_free(m);
	}
}

/* ------------------------------------------------------------------ random programs */

static uint32_t drawn(uint64_t *seed, uint32_t below)
{
	*seed = hash_pair(*seed, below);
	return (uint32_t)(*seed >> 32) % below;
}

static void put_body(uint64_t *seed, uint32_t depth, struct text *out)
{
	static const char *const events[] = {"0 send 1 t", "0 recv 1 t", "1 send 0 t", "1 recv 0 t", "0 send 1 tag%",
		"0 recv 1 tag%", "[*] p send p^1 u", "[*] p^1 recv p u"};
	for (uint32_t left = 1 + drawn(seed, 3); left; left--) {
		if (depth < 3 && !drawn(seed, 2)) {
			if (depth && !drawn(seed, 3))
				text_format(out, "for i%" PRIu32 " = 0 to {i%" PRIu32 "}\n", depth, depth - 1);
			else
				text_format(out, "for i%" PRIu32 " = 0 to %" PRIu32 "\n", depth, drawn(seed, 4));
			put_body(seed, depth + 1, out);
			text_put(out, "done\n");
			continue;
		}
		for (const char *c = events[drawn(seed, COUNT(events))]; *c; c++)
			if (*c != '%')
				text_char(out, *c);
			else if (depth)
				text_format(out, "{i%" PRIu32 "}", depth - 1);
			else
				text_char(out, '0');
		text_char(out, '\n');
	}
}

/* Is as much received as is sent, on each channel? */
static bool all_is_received(struct run *run)
{
	struct ends ends = ends_new(run);
	int64_t *left = NULL;
	size_t capacity = 0;
	bool all = true;
	for (uint32_t p = 0, known = 0; p < run_environment(run).processes; p++) {
		struct cursor *c = cursor_new(run, p);
		while (cursor_next(c)) {
			uint32_t channel = ends_channel(&ends, &c->at, c->event);
			left = mem_grow(left, &capacity, channel + (size_t)1, sizeof *left);
			for (; known <= channel; known++)
				left[known] = 0;
			left[channel] += kind_sends(node_of(c->at.store, c->event)->sub) ? 1 : -1;
		}
		cursor_free(c);
	}
	for (uint32_t i = 0; i < intern_count(ends.channels); i++)
		all = all && !left[i];
	free(left);
	ends_clear(&ends);
	return all;
}

/* All is received where the oracle says so; then, proofs can be run. */
static void random_programs(void)
{
	uint64_t complete = 0, proven = 0;
	for (uint64_t i = 0; i < RANDOM_PROGRAMS; i++) {
		uint64_t seed = i;
		struct text body = {0}, cycle = {0};
		put_body(&seed, 0, &body);
		struct module *m = module_of_text("random", 2, body.data);
		struct run *run = run_new(m, NULL);
		struct meeting *meeting = meeting_new(run, MEETING_BUDGET);
		const struct meeting_facts *f = meeting_facts(meeting);
		bool good = f->known && f->complete == all_is_received(run);
		if (f->complete) {
			complete++;
			proven += f->order != ORDER_UNKNOWN;
			good = good && (f->order == ORDER_UNKNOWN || schedule_find(run, SENDS_BUFFERED, SCHEDULE_BUDGET,
									     &cycle) == SCHEDULE_THERE);
		}
		if (!good)
			printf("\n  seed %" PRIu64 ":\n%s", i, body.data);
		CU_ASSERT(good);
		text_clear(&body);
		text_clear(&cycle);
		meeting_free(meeting);
		run_free(run);
		module_free(m);
	}
	CU_ASSERT(complete > RANDOM_PROGRAMS / 1000 && proven > complete / 10);
	if (getenv("TELL"))
		printf("%" PRIu64 " complete, %" PRIu64 " proven\n", complete, proven);
}

static void budgets(void)
{
	struct module *m = module_of_text("regular loops are gone through once", 2,
		"for i0 = 0 to 999999\n  for i1 = 0 to 999999\n    0 send 1 tag1\n    0 recv 1 tag1\n  done\ndone\n");
	struct run *run = run_new(m, NULL);
	struct meeting *meeting = meeting_new(run, 16);
	CU_ASSERT(meeting_facts(meeting)->known && meeting_facts(meeting)->complete);
	meeting_free(meeting);
	run_free(run);
	module_free(m);
	m = module_of_text("peers by a table", 2,
		"for i0 = 0 to 9\n  if {i0%2} = 1\n    0 send 1 tag{i0}\n  done\ndone\n"
		"for i0 = 0 to 4\n  0 recv 1 tag{1+2*i0}\ndone\n");
	run = run_new(m, NULL);
	meeting = meeting_new(run, 10);
	CU_ASSERT(!meeting_facts(meeting)->known);
	meeting_free(meeting);
	meeting = meeting_new(run, 100);
	CU_ASSERT(meeting_facts(meeting)->known && meeting_facts(meeting)->complete);
	meeting_free(meeting);
	run_free(run);
	module_free(m);
}

void suite_meeting(CU_pSuite suite)
{
	CU_add_test(suite, "what meets, crosses and can happen", facts);
	CU_add_test(suite, "bodies that receive what they send", inverses);
	CU_add_test(suite, "messages and order of random programs", random_programs);
	CU_add_test(suite, "budgets", budgets);
}
