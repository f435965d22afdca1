/*
 * test_paths.c -- structure from call paths: loops of small streams, and of random programs whose
 * loops are known.
 *
 * An event is written with the calls around it, the outermost first: m1/f2/a is event a in line 2
 * of f, which is called in line 1 of m. Lanes stand side by side, with " | " between.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "merge/path_tree.h"
#include "model/dictionary.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define LANES_MOST 4

struct stream {
	struct tree_builder *builder;
	struct records *records;
	struct call_paths *paths;
	uint32_t *path[LANES_MOST];
	size_t length[LANES_MOST], capacity[LANES_MOST];
	struct tree_list list;
	bool good;
};

static struct stream stream_of(uint32_t lanes)
{
	static const uint32_t process[LANES_MOST] = {0, 1, 2, 3};
	struct stream s = {
		.builder = tree_builder_new(lanes, process), .records = records_new(lanes), .paths = call_paths_new()};
	records_keep_all(s.records);
	return s;
}

static void stream_clear(struct stream *s)
{
	for (int i = 0; i < LANES_MOST; i++)
		free(s->path[i]);
	records_free(s->records);
	call_paths_free(s->paths);
	tree_builder_free(s->builder);
}

static void push(struct stream *s, uint32_t lane, uint32_t path, uint32_t word)
{
	struct tree_shape shape;
	struct record record;
	memset(&shape, 0, sizeof shape);
	memset(&record, 0, sizeof record);
	shape.kind = EVENT_LOCAL;
	shape.word = word;
	record.shape = intern_id(s->builder->shapes, &shape, sizeof shape);
	records_push(s->records, lane, records_id(s->records, &record));
	*MEM_PUSH(s->path[lane], s->length[lane], s->capacity[lane]) = path;
}

static void find_structure(struct stream *s)
{
	s->good = path_tree(s->builder, s->records, s->paths, s->path, &s->list);
}

/* ------------------------------------------------------------------ small streams */

/* "m1/f2/a": words of the frames are "m.c:1 m", or without a line the name of a region. */
static void push_event(struct stream *s, uint32_t lane, char *words)
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
	push(s, lane, path, (uint32_t)frame[0]);
}

static void print_number(const struct stream *s, indexed v, struct text *to)
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
static void print_list(const struct stream *s, struct tree_list list, struct text *to)
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
	{"... over one call", "m1/a m1/a m1/a m2/b", "3(a) b"},
	{"... whose function is called from two places", "m1/f1/a m1/f1/a m2/b m3/f1/a m3/f1/a", "2(a) b 2(a)"},
	{"... of the caller, as another call shows", "m1/f1/a m1/f2/b m1/f1/a m1/f2/b m2/f1/a m2/f2/b m3/f1/a m3/f2/b",
		"2(a b) a b a b"},
	{"loops inside each other", "m1/a m2/b m2/b m1/a m2/b m2/b", "2(a 2(b))"},
	{"... with counts that differ", "m1/a m2/b m2/b m2/b m1/a m2/b m2/b m1/a m2/b", "3(a {3,2,1}(b))"},
	{"... of which there are none at times", "m1/a m2/b m2/b m1/a m1/a m2/b", "3(a {2,0,1}(b))"},
	{"what is there at times", "m1/a m2/b m3/c m1/a m3/c m1/a m2/b m3/c", "3(a ?{1,0,1}(b) c)"},
	{"one of two", "m1/a m3/c m1/a m3/c m1/a m3/c m2/b m3/c", "4(?{1,1,1,0}(a) ?{0,0,0,1}(b) c)"},
	{"lanes that do the same", "m1/a m1/a m2/b | m1/a m1/a m2/b", "2(a) b"},
	{"lanes with counts of their own", "m1/a m1/a m2/b | m1/a m1/a m1/a m2/b", "2|3(a) b"},
	{"what one lane does alone", "m1/a m2/b m3/c | m1/a m3/c", "a [0]b c"},
	{"a loop that one lane is in but once", "m1/a m2/b m1/a m2/b | m1/a m2/b", "2|1(a b)"},
	{"regions, which have no lines", "m/f/a m/g/b m/f/a m/g/b", "2(a b)"},
	{"offsets", "+0x1/+0x10/+0x100/a +0x1/+0x20/b +0x1/+0x10/+0x100/a +0x1/+0x20/b", "2(a b)"},
	{"one place that calls several functions", "m1/f1/a m1/g1/b m1/f1/a m1/g1/b", "2(a b)"},
	{"recursion", "m1/f1/a m1/f2/f1/a m1/f2/f2/f1/a", "a a a"},
	{"recursion in a loop", "m1/f1/a m1/f2/f1/a m1/f1/a m1/f2/f1/a", "2(a a)"},
	{"events of one call", "m1/a m1/b m2/c m1/a m1/b m2/c", "2(a b c)"},
	{"events without a path", "a m1/b a m1/b", "2(a b)"},
	{"... all of them", "a b a b", ""},
	{"a stack that is cut off", "m1/f1/a m1/f2/g1/b f2/g1/b m2/c", "a 2(b) c"},
	{"... of which nothing was there before", "m1/f1/a m1/f2/g1/b h2/g1/b m2/c", ""},
	{"... but elsewhere", "m1/f1/a f2/g1/b m1/f2/g1/b m2/c", "a 2(b) c"},
	{"code made at run time, behind which no stack is known, most of the time",
		"?/f1/a m1/f2/b ?/f1/a ?/f2/b ?/f1/a ?/f2/b m1/f1/a m2/c", "4(a ?{1,1,1,0}(b)) c"},
	{"calls without their callers", "f1/a g1/b f1/a g1/b", ""},
};

static void test_streams(void)
{
	for (size_t i = 0; i < COUNT(streams); i++) {
		uint32_t lanes = 1;
		for (const char *at = streams[i].lanes; (at = strchr(at, '|')); at++)
			lanes++;
		struct stream s = stream_of(lanes);
		char *words = mem_text(streams[i].lanes), *rest = NULL;
		uint32_t lane = 0;
		for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
			if (*word == '|')
				lane++;
			else
				push_event(&s, lane, word);
		find_structure(&s);
		struct text found = {0};
		if (s.good)
			print_list(&s, s.list, &found);
		row_same(streams[i].why, found.data ? found.data : "", streams[i].structure);
		text_clear(&found);
		free(words);
		stream_clear(&s);
	}
}

/* ------------------------------------------------------------------ random programs */

#define FUNCTIONS 5
#define STATEMENTS 4
#define DEPTH 3
#define EVENTS_MOST 4000

/* A loop stands between two events of its function: else nobody could tell it from one of the
   caller. */
enum { RANDOM_EVENT, RANDOM_LOOP, RANDOM_GUARD, RANDOM_CALL, RANDOM_KINDS };

struct random_statement {
	int kind, number; /* iterations; every so many times; the function */
	unsigned line;
	struct random_statement *inside;
	size_t length;
	size_t executed; /* times the guard was asked */
	size_t once; /* of a loop in a context: see below */
};

struct random_source {
	unsigned seed;
	unsigned line;
	struct random_statement *body[FUNCTIONS];
	size_t length[FUNCTIONS];
	struct stream stream;
	/* of each event, the iterations of the loops around it */
	struct text index;
	unsigned iteration[64];
	size_t loops, events;
};

static unsigned random_below(struct random_source *r, unsigned below)
{
	r->seed = r->seed * 1103515245u + 12345u;
	return (r->seed >> 16) % below;
}

static struct random_statement *random_body(struct random_source *r, int function, int depth, bool loop, size_t *length)
{
	size_t inner = 1 + random_below(r, STATEMENTS - 1);
	*length = inner + (loop ? 1 : 0);
	struct random_statement *body = mem_zero(*length * sizeof *body);
	for (size_t i = 0; i < *length; i++) {
		struct random_statement *s = &body[i];
		int kind = depth < DEPTH ? (int)random_below(r, RANDOM_KINDS) : RANDOM_EVENT;
		s->line = ++r->line;
		s->kind = (loop && i == 0) || (kind == RANDOM_CALL && function + 1 == FUNCTIONS) ? RANDOM_EVENT : kind;
		if (s->kind == RANDOM_LOOP) {
			s->number = 2 + (int)random_below(r, 4);
			s->inside = random_body(r, function, depth + 1, true, &s->length);
		} else if (s->kind == RANDOM_GUARD) {
			s->number = 2 + (int)random_below(r, 3);
			s->inside = random_body(r, function, depth + 1, false, &s->length);
		} else if (s->kind == RANDOM_CALL) {
			s->number = function + 1 + (int)random_below(r, (unsigned)(FUNCTIONS - function - 1));
		}
	}
	return body;
}

static void random_free(struct random_statement *body, size_t length)
{
	for (size_t i = 0; i < length; i++)
		random_free(body[i].inside, body[i].length);
	free(body);
}

static void run_body(struct random_source *r, int function, struct random_statement *body, size_t length, uint32_t path)
{
	for (size_t i = 0; i < length && r->events < EVENTS_MOST; i++) {
		struct random_statement *s = &body[i];
		char words[64];
		snprintf(words, sizeof words, "p.c:%u f%d", s->line, function);
		switch (s->kind) {
		case RANDOM_EVENT:
			push(&r->stream, 0, call_paths_inside(r->stream.paths, path, words), s->line);
			for (size_t k = 0; k < r->loops; k++)
				text_format(&r->index, "%u.", r->iteration[k]);
			text_format(&r->index, "%u ", s->line);
			r->events++;
			break;
		case RANDOM_LOOP:
			r->loops++;
			for (int k = 0; k < s->number; k++) {
				r->iteration[r->loops - 1] = (unsigned)k;
				run_body(r, function, s->inside, s->length, path);
			}
			r->loops--;
			break;
		case RANDOM_GUARD:
			if (s->executed++ % (size_t)s->number == 0)
				run_body(r, function, s->inside, s->length, path);
			break;
		case RANDOM_CALL:
			run_body(r, s->number, r->body[s->number], r->length[s->number],
				call_paths_inside(r->stream.paths, path, words));
		}
	}
}

static int64_t number_at(const struct stream *s, indexed v, const size_t *index, size_t depth)
{
	for (size_t i = 0; i < depth && v != INDEXED_NONE; i++)
		v = indexed_at(s->builder->store, v, index[i]);
	return v == INDEXED_NONE ? 0 : indexed_get(s->builder->store, v);
}

/* What was found, as the program was run. */
static void run_list(
	const struct stream *s, struct tree_list list, size_t *index, bool *guard, size_t depth, struct text *to)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		if (n->kind == TREE_EVENT) {
			for (size_t k = 0; k < depth; k++)
				if (!guard[k])
					text_format(to, "%zu.", index[k]);
			text_format(to, "%u ", tree_shape(s->builder, n)->word);
			continue;
		}
		int64_t count = number_at(s, n->slot[0][0], index, depth);
		guard[depth] = n->kind == TREE_GUARD;
		for (index[depth] = 0; (int64_t)index[depth] < count; index[depth]++)
			run_list(s, n->body, index, guard, depth + 1, to);
	}
}

/* The last numbers, behind the points, alone. */
static void keep_events(const char *indexed_events, struct text *to)
{
	for (const char *at = indexed_events; *at;) {
		size_t length = strcspn(at, " "), dot = length;
		while (dot > 0 && at[dot - 1] != '.')
			dot--;
		text_add(to, at + dot, length - dot + 1);
		at += length + 1;
	}
}

#define RANDOM_PROGRAMS 1000

/* Loops are those of the program in 95 of 100; what is done is the same in all. */
static void test_random(void)
{
	unsigned same = 0, programs = 0, most = rounds(RANDOM_PROGRAMS);
	for (unsigned seed = 1; seed <= most; seed++) {
		struct random_source r = {.seed = seed * 2654435761u, .stream = stream_of(1)};
		for (int f = 0; f < FUNCTIONS; f++)
			r.body[f] = random_body(&r, f, 0, false, &r.length[f]);
		run_body(&r, 0, r.body[0], r.length[0], CALL_PATH_NONE);
		if (r.events && r.events < EVENTS_MOST) {
			struct text found = {0}, own = {0}, other = {0};
			size_t index[256];
			bool guard[256];
			find_structure(&r.stream);
			CU_ASSERT(r.stream.good);
			run_list(&r.stream, r.stream.list, index, guard, 0, &found);
			keep_events(found.data, &own);
			keep_events(r.index.data, &other);
			CU_ASSERT_STRING_EQUAL(own.data, other.data);
			programs++;
			same += !strcmp(found.data, r.index.data);
			text_clear(&found);
			text_clear(&own);
			text_clear(&other);
		}
		for (int f = 0; f < FUNCTIONS; f++)
			random_free(r.body[f], r.length[f]);
		text_clear(&r.index);
		stream_clear(&r.stream);
	}
	printf("(%u of %u) ", same, programs);
	CU_ASSERT(programs > most / 2);
	CU_ASSERT(100 * same >= 95 * programs);
}

void suite_paths(CU_pSuite suite)
{
	CU_add_test(suite, "loops of small streams", test_streams);
	CU_add_test(suite, "loops of random programs", test_random);
}
