/*
 * test_paths.c -- structure from call paths: loops of small streams. (test_call_graphs.c has those
 * of programs.)
 *
 * An event is written with the calls around it, the outermost first: m1/f2/a is event a in line 2
 * of f, which is called in line 1 of m; a capital is a collective of all. Behind it stands how many
 * of these were called since the event before, if that is known: m1/f2/a=1 f alone, m1/f2/a+1 f at
 * least. Lanes stand side by side, with " | " between.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "merge/outline.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "merge/path_tree.h"
#include "model/dictionary.h"
#include "model/prepared.h"
#include "tests/path_stream.h"
#include "tests/rows.h"
#include "tests/unit.h"

/* "m1/f2/a": words of the frames are "m.c:1 m", or without a line the name of a region. */
static void push_event(struct path_stream *s, uint32_t lane, char *words)
{
	uint32_t path = CALL_PATH_NONE;
	char *rest = NULL, *frame = strtok_r(words, "/", &rest), *next;
	for (; (next = strtok_r(NULL, "/", &rest)); frame = next) {
		struct text text = {0};
		size_t name = strcspn(frame, "0123456789");
		if (frame[0] == '+')
			text_format(&text, "x%s", frame);
		else if (frame[name])
			text_format(&text, "%.*s.c:%s %.*s", (int)name, frame, frame + name, (int)name, frame);
		else
			text_put(&text, frame);
		path = call_paths_inside(s->paths, path, text.data);
		text_clear(&text);
	}
	enum event_kind kind = isupper((unsigned char)frame[0]) ? EVENT_SYNC : EVENT_LOCAL;
	path_stream_push(s, lane, path, kind, (uint32_t)frame[0]);
	if (frame[1])
		path_stream_know(s, lane, (uint32_t)atoi(frame + 2), frame[1] == '=');
}

static void print_number(const struct path_stream *s, indexed v, struct text *to)
{
	int64_t number;
	if (v == INDEXED_NONE) {
		text_put(to, "-");
	} else if (indexed_is_constant(s->builder->store, v, &number)) {
		text_format(to, "%d", (int)number);
	} else if (indexed_kind(s->builder->store, v) == INDEXED_IS_SAME) {
		print_number(s, indexed_at(s->builder->store, v, 0), to);
	} else {
		for (size_t i = 0; i < indexed_length(s->builder->store, v); i++) {
			text_put(to, i ? "," : "{");
			print_number(s, indexed_at(s->builder->store, v, i), to);
		}
		text_put(to, "}");
	}
}

/* "3(a ?{1,0,1}(b))"; what lanes do otherwise stands between bars. */
static void print_list(const struct path_stream *s, struct tree_list list, struct text *to)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		struct lane_set lanes = tree_lanes(s->builder, n->lanes);
		text_put(to, i ? " " : "");
		if (lanes.length < s->builder->lanes)
			text_format(to, "[%u]", lanes.lane[0]);
		if (n->kind == TREE_EVENT) {
			text_char(to, (char)tree_shape(s->builder, n)->word);
			continue;
		}
		if (n->kind == TREE_CALL) {
			text_format(to, "%s()", n->procedure->function);
			continue;
		}
		text_put(to, n->kind == TREE_GUARD ? "?" : "");
		for (size_t k = 0; k < lanes.length; k++)
			if (!k || n->slot[0][k] != n->slot[0][0]) {
				text_put(to, k ? "|" : "");
				print_number(s, n->slot[0][k], to);
			}
		text_put(to, "(");
		print_list(s, n->body, to);
		text_put(to, ")");
	}
}

static const struct {
	const char *why, *lanes, *structure;
} streams[] = {
	{"no loop", "m1/a m2/b", "a b"},
	{"a loop", "m1/a m2/b m1/a m2/b", "2(a b)"},
	{"a line with two calls, between which another is reached", "m1/f1/a m2/g1/b m1/h1/c", "a b c"},
	{"... over one call", "m1/a m1/a m1/a m2/b", "3(a) b"},
	{"... whose function is called from two places", "m1/f1/a m1/f1/a m2/b m3/f1/a m3/f1/a", "2(a) b 2(a)"},
	{"... of the caller, as another call shows", "m1/f1/a m1/f2/b m1/f1/a m1/f2/b m2/f1/a m2/f2/b m3/f1/a m3/f2/b",
		"2(a b) a b a b"},
	{"... of who calls what wraps one call, as it is called once elsewhere",
		"m1/f1/w1/a m1/f1/w1/a m1/f2/b m1/f1/w1/a m2/w1/a", "3(a ?{0,1,0}(b)) a"},
	{"loops inside each other", "m1/a m2/b m2/b m1/a m2/b m2/b", "2(a 2(b))"},
	{"... that begin together", "m1/a m1/a m2/b m3/c m4/d m1/a m1/a m2/b m3/c m4/d m1/a m1/a m2/b m3/c m4/d",
		"3(2(a) b c d)"},
	{"... and another behind the first", "m1/a m1/a m2/b m2/b m3/c m1/a m1/a m2/b m2/b m3/c", "2(2(a) 2(b) c)"},
	{"... one with a condition at its end", "m1/a m2/b m1/a m2/b m3/c m1/a m2/b m1/a m2/b m3/c",
		"4(a b ?{0,1,0,1}(c))"},
	{"... with counts that differ", "m1/a m2/b m2/b m2/b m1/a m2/b m2/b m1/a m2/b", "3(a {3,2,1}(b))"},
	{"... of which there are none at times", "m1/a m2/b m2/b m1/a m1/a m2/b", "3(a {2,0,1}(b))"},
	{"what is there at times", "m1/a m2/b m3/c m1/a m3/c m1/a m2/b m3/c", "3(a ?{1,0,1}(b) c)"},
	{"one of two", "m1/a m3/c m1/a m3/c m1/a m3/c m2/b m3/c", "4(?{1,1,1,0}(a) ?{0,0,0,1}(b) c)"},
	{"one of two things, which stands elsewhere: neighbours are looked for where LAMMPS needs to",
		"m3/f m4/r m3/f m4/r m3/f m4/r m2/c m3/f m4/r m2/c m5/e m4/r m3/f m4/r m3/f m4/r m6/t m2/c m5/e m4/r m3/f m4/r m2/c m3/f m4/r m3/f m4/r m2/c m5/e m4/r m3/f m4/r m3/f m4/r m6/t",
		"14(?{0,0,0,1,1,0,0,1,0,1,0,1,0,0}(c) ?{1,1,1,1,0,1,1,0,1,1,1,0,1,1}(f) ?{0,0,0,0,1,0,0,1,0,0,0,1,0,0}(e) r ?{0,0,0,0,0,0,1,0,0,0,0,0,0,1}(t))"},
	{"lanes that do the same", "m1/a m1/a m2/b | m1/a m1/a m2/b", "2(a) b"},
	{"lanes with counts of their own", "m1/a m1/a m2/b | m1/a m1/a m1/a m2/b", "2|3(a) b"},
	{"what one lane does alone", "m1/a m2/b m3/c | m1/a m3/c", "a [0]b c"},
	{"a loop that one lane is in but once", "m1/a m2/b m1/a m2/b | m1/a m2/b", "2|1(a b)"},
	{"who does nothing in an iteration has it all the same",
		"m1/a m2/b m1/a m2/B m3/c m1/a m2/B m3/c | m2/B m3/c m2/B m3/c",
		"3([0]a ?{0,1,1}(B) [0]?{1,0,0}([0]b) ?{0,1,1}(c))"},
	{"... whatever is done before the loop",
		"m1/x m2/a m3/b m2/a m3/B m4/c m2/a m3/B m4/c | m1/x m3/B m4/c m3/B m4/c",
		"x 3([0]a ?{0,1,1}(B) [0]?{1,0,0}([0]b) ?{0,1,1}(c))"},
	{"... in one between", "m1/A m2/b m1/a m2/b m1/A m2/b | m1/A m2/b m1/A m2/b",
		"3(?{1,0,1}(A) [0]?{0,1,0}([0]a) ?1|{1,0,1}(b))"},
	{"not where there were more iterations than any lane has",
		"m1/A m2/b m1/A m2/b m1/a m2/b | m1/a m2/b m1/A m2/b m1/A m2/b",
		"3(?{1,1,0}|{0,1,1}(A) ?{0,0,1}|{1,0,0}(a) b)"},
	{"not where what meets has no order", "m1/A m2/B m1/A m2/B | m1/B m2/A m1/B m2/A", "2([0]A [1]B [0]B [1]A)"},
	{"regions, which have no lines", "m/f/a m/g/b m/f/a m/g/b", "2(a b)"},
	{"offsets", "+0x1/+0x10/+0x100/a +0x1/+0x20/b +0x1/+0x10/+0x100/a +0x1/+0x20/b", "2(a b)"},
	{"one place that calls several functions", "m1/f1/a m1/g1/b m1/f1/a m1/g1/b", "2(a b)"},
	{"... with another call between", "m1/f1/a m2/b m1/g1/c", "a b c"},
	{"... in a loop", "m1/f1/a m2/b m1/g1/c m2/b m1/f1/a m2/b m1/g1/c m2/b", "4(?{1,0,1,0}(a) ?{0,1,0,1}(c) b)"},
	{"recursion", "m1/f1/a m1/f2/f1/a m1/f2/f2/f1/a", "a a a"},
	{"recursion in a loop", "m1/f1/a m1/f2/f1/a m1/f1/a m1/f2/f1/a", "2(a a)"},
	{"mutual recursion in a loop",
		"m1/d1/a m1/d2/u1/b m1/d2/u2/d1/a m1/d2/u3/c m1/d1/a m1/d2/u1/b m1/d2/u2/d1/a m1/d2/u3/c",
		"2(a b a c)"},
	{"a tree that is walked, at each step", "m1/w1/w2/a m1/w2/a m1/w3/w2/a m2/b m1/w1/w2/a m1/w2/a m1/w3/w2/a m2/b",
		"2(a a a b)"},
	{"an event loop, which calls what is due", "m1/h1/a m1/h1/a m1/n1/b m1/h1/a m1/i1/c m1/h1/a m1/n1/b",
		"4(a ?{0,1,0,1}(b) ?{0,0,1,0}(c))"},
	{"events of one call", "m1/a m1/b m2/c m1/a m1/b m2/c", "2(a b c)"},
	{"events without a path", "a m1/b a m1/b", "2(a b)"},
	{"... all of them", "a b a b", ""},
	{"a stack that is cut off", "m1/f1/a m1/f2/g1/b f2/g1/b m2/c", "a 2(b) c"},
	{"... of which nothing was there before", "m1/f1/a m1/f2/g1/b h2/g1/b m2/c", ""},
	{"... but elsewhere", "m1/f1/a f2/g1/b m1/f2/g1/b m2/c", "a 2(b) c"},
	{"what is called before the program and behind it, as by an interpreter that ends",
		"i1/g1/x m1/f1/a m2/b m1/f1/a m2/b i2/h1/y i2/h1/y", "x 2(a b) 2(y)"},
	{"... but not in between", "m1/f1/a m2/b i2/h1/y m1/f1/a m2/b", ""},
	{"code made at run time, behind which no stack is known, most of the time",
		"?/f1/a m1/f2/b ?/f1/a ?/f2/b ?/f1/a ?/f2/b m1/f1/a m2/c", "4(a ?{1,1,1,0}(b)) c"},
	{"a function that loops, in a loop", "m1/f1/a=2 m1/f1/a=0 m1/f1/a=1 m1/f1/a=0 m1/f1/a=1 m1/f1/a=0", "3(2(a))"},
	{"... and where nothing is known of them", "m1/f1/a m1/f1/a m1/f1/a m1/f1/a m1/f1/a m1/f1/a", "6(a)"},
	{"... and where all are calls", "m1/f1/a=2 m1/f1/a=1 m1/f1/a=1 m1/f1/a=1 m1/f1/a=1 m1/f1/a=1", "6(a)"},
	{"a function that loops", "m1/f1/a=2 m2/b=1 m1/f1/a=1 m1/f1/a=0 m2/b=1", "2({1,2}(a) b)"},
	{"... and where it is called in a loop", "m1/f1/a=2 m2/b=1 m1/f1/a=1 m1/f1/a=1 m2/b=1", "3(a ?{1,0,1}(b))"},
	{"... as one call shows", "m1/f1/a m2/b m1/f1/a m1/f1/a+1 m2/b m1/f1/a m1/f1/a m2/b", "5(a ?{1,0,1,0,1}(b))"},
	{"... on another lane", "m1/f1/a=2 m2/b=1 m1/f1/a=1 m1/f1/a=1 m2/b=1 | m1/f1/a m2/b m1/f1/a m1/f1/a m2/b",
		"3(a ?{1,0,1}(b))"},
	{"... which shows that it loops, whatever others look like",
		"m1/f1/a=2 m1/f1/a=0 m2/b=1 | m1/f1/a m2/b m1/f1/a m2/b m1/f1/a m1/f1/a m2/b", "1|3(2|{1,1,2}(a) b)"},
	{"... not where it is called once more",
		"m1/f1/a=2 m1/f1/a=0 m2/b=1 | m1/f1/a m2/b m1/f1/a m2/b m1/f1/a m1/f1/a+1 m2/b",
		"1|4(2|1(a) ?1|{1,1,0,1}(b))"},
	{"two events of one function, and an event between", "m1/f1/a=2 m2/b=1 m1/f1/a=1 m1/f2/c=0 m1/f1/a=0 m2/b=1",
		"2({1,2}(a ?{0,{1,0}}(c)) b)"},
	{"... called anew", "m1/f1/a=2 m2/b=1 m1/f1/a=1 m1/f2/c=0 m1/f1/a=1 m2/b=1", "3(a ?{0,1,0}(c) ?{1,0,1}(b))"},
	{"recursion that calls twice", "m1/f1/a=2 m1/f2/f1/a=1 m1/f2/f1/a=1 m1/f1/a=1 m1/f2/f1/a=1 m1/f2/f1/a=1",
		"2(a 2(a))"},
	{"more than there are", "m1/f1/a+9 m1/f1/a+9 m1/f1/a+9", "3(a)"},
	{"a lane without paths", "m1/a m1/a m2/b | a a b", "2(a) b"},
	{"... that does something in place of another thing",
		"m1/f1/a m1/f2/b m2/f1/a m2/f2/b | m1/f1/c m1/f2/b m2/f1/c m2/f2/b | c b a b",
		"[0]a [1]c b [0]a [1]c b"},
	{"... and something nobody else does", "m1/a m2/b m1/a m2/b | a b c a b c", "2(a b [1]c)"},
	{"... before what it shares", "m/f/a=2 m/b=0 m/f/a=1 m/b=0 m/f/a=1 m/b=0 | c a b a b a b",
		"3([1]?{1,0,0}([1]c) a b)"},
	{"... nothing at all", "m1/a m2/b m1/a m2/b | | a b a b", "[0]2([0]a [0]b)"},
	{"regions beside call sites: a function that loops",
		"m1/f1/a m2/b m1/f1/a m1/f1/a m2/b | m/f/a=2 m/b=0 m/f/a=1 m/f/a=0 m/b=0", "2({1,2}(a) b)"},
	{"... that is called in a loop", "m1/f1/a m2/b m1/f1/a m1/f1/a m2/b | m/f/a=2 m/b=0 m/f/a=1 m/f/a=1 m/b=0",
		"3(a ?{1,0,1}(b))"},
	{"... that has another name", "m1/f1/a m2/b m1/f1/a m1/f1/a m2/b | m/g/a=2 m/b=0 m/g/a=1 m/g/a=1 m/b=0",
		"2({1,2}(a) b)"},
	{"regions and nothing", "m/f/a=2 m/b=0 m/f/a=1 m/f/a=0 m/b=0 | a b a a b", "2({1,2}(a) b)"},
	{"calls without their callers", "f1/a g1/b f1/a g1/b", ""},
	{"a function that loops, and is called anew by a loop, as registers tell",
		"m1/f1/a m1/f2/b m1/f1/a m1/f2/b m1/f1/a+1 m1/f2/b m1/f1/a m1/f2/b m1/f1/a+1 m1/f2/b m1/f1/a m1/f2/b",
		"3(2(a b))"},
};

static struct path_stream *stream_of(const char *lane_words)
{
	uint32_t lanes = 1;
	for (const char *at = lane_words; (at = strchr(at, '|')); at++)
		lanes++;
	struct path_stream *s = path_stream_new(lanes);
	char *words = mem_text(lane_words), *rest = NULL;
	uint32_t lane = 0;
	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (*word == '|')
			lane++;
		else
			push_event(s, lane, word);
	free(words);
	path_stream_find(s);
	return s;
}

static void test_streams(void)
{
	for (size_t i = 0; i < COUNT(streams); i++) {
		struct path_stream *s = stream_of(streams[i].lanes);
		struct text found = {0};
		if (s->good)
			print_list(s, s->list, &found);
		row_same(streams[i].why, found.data ? found.data : "", streams[i].structure);
		text_clear(&found);
		path_stream_free(s);
	}
}

/* Of each iteration one of two, and then a step several times, by no rule, as tables that nobody
   reads tell. */
static void test_long_tables(void)
{
	static const char *const step[] = {"m1/a ", "m3/b ", "m2/c "};
	for (unsigned first = 1; first <= 3; first++) {
		struct text words = {0}, found = {0};
		unsigned number = first;
		for (int i = 0; i < 400; i++) {
			number = number * 1103515245u + 12345u;
			text_put(&words, i && i % 100 == 0 ? "| " : "");
			text_put(&words, step[number >> 16 & 1]);
			for (unsigned k = 1 + (number >> 20) % 3; k; k--)
				text_put(&words, step[2]);
		}
		struct path_stream *s = stream_of(words.data);
		CU_ASSERT_FATAL(s->good && s->list.length == 1 && s->list.node[0]->kind == TREE_LOOP);
		struct tree_list inside = s->list.node[0]->body;
		print_number(s, s->list.node[0]->slot[0][0], &found);
		row_same("iterations", found.data, "100");
		CU_ASSERT_EQUAL_FATAL(inside.length, 3);
		CU_ASSERT_EQUAL(inside.node[0]->kind, TREE_GUARD);
		CU_ASSERT_EQUAL(inside.node[1]->kind, TREE_GUARD);
		CU_ASSERT_EQUAL(inside.node[2]->kind, TREE_LOOP);
		path_stream_free(s);
		text_clear(&words);
		text_clear(&found);
	}
}

/* ------------------------------------------------------------------ a solver */

/* Loops around an event of this word; 0: it is in none, or nowhere. */
static uint32_t loops_around(const struct path_stream *s, struct tree_list list, char word)
{
	uint32_t loops = 0;
	for (size_t i = 0; i < list.length && !loops; i++) {
		const struct tree_node *n = list.node[i];
		if (n->kind == TREE_EVENT && (char)tree_shape(s->builder, n)->word == word)
			return 1;
		loops = loops_around(s, n->body, word);
		loops += loops && n->kind == TREE_LOOP;
	}
	return loops;
}

static void push_words(struct path_stream *s, const char *words)
{
	char *copy = mem_text(words), *rest = NULL;
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		push_event(s, 0, word);
	free(copy);
}

/* A right-hand side is solved, corrected as often as it takes, and what is wrong with it estimated
   by products that are asked for one by one, as pdgerfs of ScaLAPACK does: no loop is as long as
   another, so that conditions in one loop seem as dear as a loop in a loop. */
static void test_solver(void)
{
	struct path_stream *s = path_stream_new(1);
	uint64_t odds = 1;
	for (int call = 0; call < 40; call++) {
		uint64_t place = (odds = hash_mix(odds + 1)) % 3, sides = 1 + odds / 3 % 9;
		const char *product = place < 2 ? "m2/r9/f=0" : "m2/r6/e=0";
		push_words(s, "m1/x=1 m2/r0/y=1");
		for (uint64_t side = 0; side < sides; side++) {
			bool again = true;
			for (odds = hash_mix(odds + 1); again; odds /= 4) {
				if (place)
					push_words(s, place < 2 ? "m2/r1/a=0 m2/r5/d=0" : "m2/r1/a=0 m2/r2/b=0");
				push_words(s, "m2/r3/c=0");
				again = odds % 4 == 0;
				push_words(s, again ? "m2/r4/g=0" : product);
			}
			for (uint64_t k = 3 + odds % 3; k > 0; k--) {
				push_words(s, k % 2 ? "m2/r10/h=0" : "m2/r8/i=0");
				push_words(s, product);
				if (odds >> k & 1)
					push_words(s, "m2/r7/j=0");
			}
		}
	}
	path_stream_find(s);
	CU_ASSERT(s->good);
	CU_ASSERT(loops_around(s, s->list, 'h') > loops_around(s, s->list, 'a'));
	path_stream_free(s);
}

#define CALL_F(line) line "/f1/a " line "/f2/b " line "/f3/c "
#define CALL_FD CALL_F("m1") "m2/d "
#define CALL_G(line) line "/g1/f1/a " line "/g1/f2/b " line "/g1/f3/c " line "/g2/d " line "/g3/e "

/* Behind the text, the procedures as they were made. */
static const struct {
	const char *why, *lanes, *text;
} functions[] = {
	{"called twice", CALL_F("m1") "m2/d " CALL_F("m3"), "f() d f() / f: a b c"},
	{"once", CALL_F("m1") "m2/d", "a b c d"},
	{"... by one that is called twice", CALL_G("m1") "m2/x " CALL_G("m3"), "g() x g() / f: a b c / g: f() d e"},
	{"... and elsewhere", CALL_G("m1") CALL_F("m2") CALL_G("m3"), "g() f() g() / f: a b c / g: f() d e"},
	{"what says little is read faster where it stands", "m1/f1/a m1/f2/b m2/d m3/f1/a m3/f2/b", "a b d a b"},
	{"what does something else is another call", CALL_F("m1") "m2/f1/a m2/f2/b m2/f4/d", "a b c a b d"},
	{"... unless another call is the same", CALL_F("m1") "m2/f1/a m2/f2/b m2/f4/d " CALL_F("m3"),
		"f() a b d f() / f: a b c"},
	{"in a loop, too", CALL_F("m1") "m2/d " CALL_F("m3") CALL_F("m3") CALL_F("m3") CALL_F("m4"),
		"f() d 3(f()) f() / f: a b c"},
	{"in some of its iterations",
		CALL_F("m1") CALL_F("m4") "m2/d m2/e " CALL_F("m3") "m2/d m2/e m2/d m2/e " CALL_F("m3"),
		"f() f() 3(d e ?{1,0,1}(f())) / f: a b c"},
	{"in a loop, though it is called once elsewhere, where it might have looped",
		CALL_FD CALL_FD CALL_FD CALL_F("m3") CALL_F("m3") CALL_F("m3"), "3(a b c d) 3(a b c)"},
	{"... unlike each time", CALL_FD CALL_FD CALL_FD CALL_FD CALL_F("m3") CALL_F("m3") CALL_F("m3"),
		"4(f() d) 3(f()) / f: a b c"},
	{"with a loop inside", "m1/f1/a m1/f2/b m1/f2/b m1/f3/c m2/d m3/f1/a m3/f2/b m3/f2/b m3/f3/c",
		"f() d f() / f: a 2(b) c"},
	{"on all lanes, or by some", CALL_F("m1") "m2/d " CALL_F("m3") "| " CALL_F("m1") "m2/d",
		"a b c d [0]a [0]b [0]c"},
	{"calls that follow each other", CALL_F("m1") CALL_F("m2"), "f() f() / f: a b c"},
};

static void test_functions(void)
{
	for (size_t i = 0; i < COUNT(functions); i++) {
		struct path_stream *s = stream_of(functions[i].lanes);
		struct text found = {0};
		CU_ASSERT_FATAL(s->good);
		print_list(s, outline_functions(s->builder, s->list), &found);
		for (size_t k = 0; k < s->builder->procedures; k++) {
			text_format(&found, " / %s: ", s->builder->procedure[k]->function);
			print_list(s, s->builder->procedure[k]->body, &found);
		}
		row_same(functions[i].why, found.data ? found.data : "", functions[i].text);
		text_clear(&found);
		path_stream_free(s);
	}
}

/* Two texts of the same events; '/' ends a line. */
void suite_paths(CU_pSuite suite)
{
	CU_add_test(suite, "loops of small streams", test_streams);
	CU_add_test(suite, "loops whose tables are long", test_long_tables);
	CU_add_test(suite, "functions that are called several times", test_functions);
	CU_add_test(suite, "right-hand sides that are refined", test_solver);
}
