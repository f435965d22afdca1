/*
 * test_recognize.c -- numbers by the indices of loops, and trees of loops from records: rows of
 * letters (shapes) with numbers behind them (sizes); and random streams, which come out again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "merge/inside_out.h"
#include "tests/rows.h"

static struct tree_builder *builder_of(uint32_t lanes)
{
	uint32_t process[64];
	for (uint32_t i = 0; i < lanes; i++)
		process[i] = i;
	return tree_builder_new(lanes, process);
}

static uint32_t shape_of(struct tree_builder *b, char letter)
{
	struct tree_shape shape;
	memset(&shape, 0, sizeof shape);
	shape.kind = 3;
	shape.word = (uint32_t)letter;
	shape.slots = letter == 'm' ? 1 << SLOT_IS_PEER : 1 << SLOT_IS_BYTES;
	return intern_id(b->shapes, &shape, sizeof shape);
}

static void push(struct tree_builder *b, struct records *r, uint32_t lane, char letter, int64_t number)
{
	struct record record;
	memset(&record, 0, sizeof record);
	record.shape = shape_of(b, letter);
	record.number[0] = number;
	records_push(r, lane, records_id(r, &record));
}

/* "a1 b a2 | c": a record is a letter and a number, which is 0 where none stands. */
static struct records *records_of_row(struct tree_builder *b, uint32_t lanes, const char *row)
{
	struct records *r = records_new(lanes);
	uint32_t lane = 0;
	for (const char *at = row; *at; at++) {
		lane += *at == '|';
		if (*at >= 'a' && *at <= 'z')
			push(b, r, lane, *at, strtol(at + 1, NULL, 10));
	}
	return r;
}

static void put_numbers(const struct tree_builder *b, const struct tree_node *n, struct text *out)
{
	for (size_t i = 0; i < tree_lanes(b, n->lanes).length; i++) {
		int64_t number;
		text_put(out, i ? "|" : "");
		if (indexed_is_constant(b->store, n->slot[0][i], &number))
			text_format(out, "%d", (int)number);
		else
			text_put(out, "~");
	}
}

/* "4(a0 b~)": a tilde is a number that varies; lanes with a bar between. A guard is "~?(a0)". */
static void put_list(const struct tree_builder *b, struct tree_list list, struct text *out)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		text_put(out, i ? " " : "");
		if (n->kind == TREE_EVENT)
			text_char(out, (char)tree_shape(b, n)->word);
		put_numbers(b, n, out);
		if (n->kind == TREE_EVENT)
			continue;
		text_put(out, n->kind == TREE_GUARD ? "?(" : "(");
		put_list(b, n->body, out);
		text_char(out, ')');
	}
}

/* Behind the masks. */
#define INSIDE_OUT RECOGNIZE_MASKS
#define INSIDE_OUT_PEERS (RECOGNIZE_MASKS + 1)

/* Where nothing is new iterations are alike. */
static size_t recognize_as(
	struct tree_builder *b, struct records *r, int mask, enum recognize_iterations how, struct tree_list **class_of)
{
	if (mask >= INSIDE_OUT)
		return recognize_inside_out(b, r, mask == INSIDE_OUT_PEERS, class_of);
	struct recognition *found = recognition_new(b, r, (enum recognize_mask)mask);
	size_t classes = recognize(found, how, class_of);
	if (!classes)
		classes = recognize(found, RECOGNIZE_ALIKE, class_of);
	recognition_free(found);
	return classes;
}

/* After RECOGNIZE_RUNS only what differs is given. */
static void test_of_all(void)
{
	static const struct {
		const char *why, *row;
		size_t classes;
	} these[] = {{"what is no loop anywhere", "a b c a b c", 0},
		{"what is a loop in one class is one in the other", "a b a b b a b | a b a b c", 2}};
	for (size_t i = 0; i < sizeof these / sizeof *these; i++) {
		struct tree_builder *b = builder_of(2);
		struct records *r = records_of_row(b, 2, these[i].row);
		struct recognition *found = recognition_new(b, r, RECOGNIZE_ALL);
		struct tree_list *runs, *of_all;
		ROW(these[i].why, recognize(found, RECOGNIZE_RUNS, &runs) > 0);
		ROW(these[i].why, recognize(found, RECOGNIZE_RUNS_OF_ALL, &of_all) == these[i].classes);
		free(runs);
		free(of_all);
		recognition_free(found);
		records_free(r);
		tree_builder_free(b);
	}
}

static const struct {
	const char *why, *row;
	uint32_t lanes;
	int mask;
	const char *trees;
	enum recognize_iterations how;
} rows[] = {
	{"three are copies, which cost decides on", "a a a", 1, RECOGNIZE_ALL, "a0 a0 a0", RECOGNIZE_ALIKE},
	{"four are a loop", "a a a a", 1, RECOGNIZE_ALL, "4(a0)", RECOGNIZE_ALIKE},
	{"a nest is found from the outside in", "a b b b b a b b b b a b b b b a b b b b", 1, RECOGNIZE_ALL,
		"4(a0 4(b0))", RECOGNIZE_ALIKE},
	{"sizes take part", "a1 a2 a1 a2 a1 a2 a1 a2", 1, RECOGNIZE_ALL, "4(a1 a2)", RECOGNIZE_ALIKE},
	{"... unless they are masked", "a1 a2 a1 a2 a1 a2 a1 a2", 1, RECOGNIZE_NO_SIZES, "8(a~)", RECOGNIZE_ALIKE},
	{"levels of different sizes are no loop", "a1 a2 a4 a8", 1, RECOGNIZE_ALL, "a1 a2 a4 a8", RECOGNIZE_ALIKE},
	{"what is before and behind stays outside", "x a b a b a b a b y", 1, RECOGNIZE_ALL, "x0 4(a0 b0) y0",
		RECOGNIZE_ALIKE},
	{"the earliest beginning, where nothing tells", "b a b a b a b a b", 1, RECOGNIZE_ALL, "4(b0 a0) b0",
		RECOGNIZE_ALIKE},
	{"a loop never begins inside an inner loop", "b b a b b b b a b b b b a b b b b a b b b b a", 1, RECOGNIZE_ALL,
		"b0 b0 4(a0 4(b0)) a0", RECOGNIZE_ALIKE},
	{"most lanes tell where a loop begins", "a b a b a b a b | a b a b a b a b | b a b a b a b a b", 3,
		RECOGNIZE_ALL, "4|4(a0|0 b0|0) / b0 4(a0 b0)", RECOGNIZE_ALIKE},
	{"lanes that differ in numbers alone are one class", "a1 a1 a1 a1 | a2 a2 a2 a2", 2, RECOGNIZE_ALL, "4|4(a1|2)",
		RECOGNIZE_ALIKE},
	{"what repeats otherwise each time is no loop", "a b b c a b c a b b b c", 1, RECOGNIZE_ALL,
		"a0 b0 b0 c0 a0 b0 c0 a0 b0 b0 b0 c0", RECOGNIZE_ALIKE},
	{"... but from the inside out", "a b b c a b c a b b b c", 1, INSIDE_OUT, "3(a0 ~(b0) c0)", RECOGNIZE_ALIKE},
	{"... whatever the numbers", "a1 b2 b3 a4 b5 b6", 1, INSIDE_OUT, "2(a~ 2(b~))", RECOGNIZE_ALIKE},
	{"... also of several records", "a b c b c a b c b c b c a b c b c", 1, INSIDE_OUT, "3(a0 ~(b0 c0))",
		RECOGNIZE_ALIKE},
	{"... and what one process does once, if another repeats it", "a b a b b | a a", 2, INSIDE_OUT,
		"2(1(a0) ~(b0)) / 2(a0)", RECOGNIZE_ALIKE},
	{"... and whatever the peers", "m1 m1 m2 m2 m1 m2", 1, INSIDE_OUT, "6(m~)", RECOGNIZE_ALIKE},
	{"... unless these tell records apart", "m1 m1 m2 m2 m1 m2", 1, INSIDE_OUT_PEERS, "2(~(m1) ~(m2))",
		RECOGNIZE_ALIKE},
	{"... which lanes number by themselves", "m1 m1 m2 m1 m2 | m3 m3 m4 m3 m4", 2, INSIDE_OUT_PEERS,
		"2|2(~|~(m1|3) m2|4)", RECOGNIZE_ALIKE},
	{"lanes that differ in counts alone are one class", "a b b a b | a b a b b", 2, INSIDE_OUT,
		"2|2(a0|0 ~|~(b0|0))", RECOGNIZE_ALIKE},
	{"the run that saves most goes first", "a a a a b a a a a b a a a a b a a a a b", 1, RECOGNIZE_ALL,
		"4(4(a0) b0)", RECOGNIZE_ALIKE},
	{"a short loop is copies, where another lane has these", "a b a b a b a b | a b a b c a b a b", 2,
		RECOGNIZE_ALL, "a0 b0 a0 b0 a0 b0 a0 b0 / a0 b0 a0 b0 c0 a0 b0 a0 b0", RECOGNIZE_COPIES},
	{"... inside of others, which stay", "a b b b b a b b b b a b b b b a b b b b | c", 2, RECOGNIZE_ALL,
		"4(a0 b0 b0 b0 b0) / c0", RECOGNIZE_COPIES},
	{"... not of eight iterations, nor of one class", "a a a a a a a a | b", 2, RECOGNIZE_ALL, "8(a0) / b0",
		RECOGNIZE_COPIES},
	{"what stands in some iterations is guarded", "a b a b c a b a b c a b", 1, RECOGNIZE_ALL, "5(a0 b0 ~?(c0))",
		RECOGNIZE_UNLIKE},
	{"what stands together has one guard", "a b c a a b c a a b c", 1, RECOGNIZE_ALL, "5(a0 ~?(b0 c0))",
		RECOGNIZE_UNLIKE},
	{"what repeats at once counts by the index", "a b c a b c b c a b c b c b c", 1, RECOGNIZE_ALL,
		"3(a0 ~(b0 c0))", RECOGNIZE_UNLIKE},
	{"a loop alone needs no guard", "a b b c a c a b b b c a b b c", 1, RECOGNIZE_ALL, "4(a0 ~(b0) c0)",
		RECOGNIZE_RUNS},
	{"where nothing differs, nothing changes", "x a b a b a b a b y", 1, RECOGNIZE_ALL, "x0 4(a0 b0) y0",
		RECOGNIZE_UNLIKE},
	{"two iterations are none", "a b c a b", 1, RECOGNIZE_ALL, "a0 b0 c0 a0 b0", RECOGNIZE_UNLIKE},
	{"what fills and drains is iterations, too", "f f f g f g f g g g", 1, RECOGNIZE_ALL, "7(~?(f0) ~?(g0))",
		RECOGNIZE_PARTIAL},
	{"neighbours are a loop on all lanes", "a a a b | a b", 2, RECOGNIZE_ALL, "3(a0) b0 / 1(a0) b0",
		RECOGNIZE_RUNS_OF_ALL},
};

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tree_builder *b = builder_of(rows[i].lanes);
		struct records *r = records_of_row(b, rows[i].lanes, rows[i].row);
		struct tree_list *class_of;
		struct text is = {0};
		size_t classes = recognize_as(b, r, rows[i].mask, rows[i].how, &class_of);
		for (size_t k = 0; k < classes; k++) {
			text_put(&is, k ? " / " : "");
			put_list(b, class_of[k], &is);
		}
		row_same(rows[i].why, is.data, rows[i].trees);
		text_clear(&is);
		free(class_of);
		records_free(r);
		tree_builder_free(b);
	}
}

/* ------------------------------------------------------------------ what comes out again */

struct expanding {
	const struct tree_builder *builder;
	uint32_t lane;
	const struct records *records;
	size_t at;
	bool good;
};

static void expand(struct expanding *e, struct tree_list list, const size_t *index, size_t depth)
{
	size_t inside[32];
	if (depth)
		memcpy(inside, index, depth * sizeof *index);
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		indexed v = tree_at(e->builder, n, 0, e->lane);
		for (size_t d = 0; d < depth; d++)
			v = indexed_at(e->builder->store, v, index[d]);
		int64_t number = indexed_get(e->builder->store, v);
		if (n->kind != TREE_EVENT) {
			for (inside[depth] = 0; inside[depth] < (size_t)number; inside[depth]++)
				expand(e, n->body, inside, depth + 1);
			continue;
		}
		size_t length;
		const uint32_t *record = records_of(e->records, e->lane, &length);
		e->good = e->good && e->at < length;
		if (!e->good)
			return;
		const struct record *is = records_get(e->records, record[e->at++]);
		e->good = is->shape == n->shape && is->number[0] == number;
	}
}

/* A body of up to four parts, some of which are loops over bodies again. */
static void random_body(uint64_t *random, struct tree_builder *b, struct records *r, uint32_t lane, unsigned depth)
{
	unsigned parts = 1 + (unsigned)((*random = hash_mix(*random + 1)) % 4);
	for (unsigned i = 0; i < parts; i++) {
		uint64_t what = *random = hash_mix(*random + 1);
		if (depth && what % 3 == 0) {
			uint64_t again = what >> 8;
			for (unsigned k = 0; k < 2 + what / 3 % 6; k++) {
				uint64_t body = again;
				random_body(&body, b, r, lane, depth - 1);
			}
		} else {
			push(b, r, lane, (char)('a' + what / 4 % 3), what / 16 % 3);
		}
	}
}

static void test_random(void)
{
	uint64_t random = 1;
	for (unsigned round = 0; round < rounds(300); round++) {
		struct tree_builder *b = builder_of(4);
		struct records *r = records_new(4);
		for (uint32_t lane = 0; lane < 4; lane++) {
			uint64_t own = random + lane / 2;
			random_body(&own, b, r, lane, 3);
		}
		for (int way = 0; way <= INSIDE_OUT_PEERS * RECOGNIZE_ITERATIONS; way++) {
			struct tree_list *class_of;
			size_t classes = recognize_as(b, r, way % (INSIDE_OUT_PEERS + 1),
				(enum recognize_iterations)(way / (INSIDE_OUT_PEERS + 1)), &class_of);
			size_t lanes = 0;
			for (size_t i = 0; i < classes; i++) {
				struct lane_set set = tree_lanes(b, tree_list_lanes(b, class_of[i]));
				for (size_t k = 0; k < set.length; k++, lanes++) {
					struct expanding e = {b, set.lane[k], r, 0, true};
					size_t length;
					expand(&e, class_of[i], NULL, 0);
					records_of(r, set.lane[k], &length);
					CU_ASSERT(e.good && e.at == length);
				}
			}
			CU_ASSERT(lanes == 4);
			free(class_of);
		}
		records_free(r);
		tree_builder_free(b);
		random = hash_mix(random + 7);
	}
}

/* ------------------------------------------------------------------ numbers by indices */

static void test_indexed(void)
{
	struct indexed_store *s = indexed_store_new();
	indexed one = indexed_number(s, 1), two = indexed_number(s, -2), pair[] = {one, two, INDEXED_NONE};
	int64_t number;
	CU_ASSERT(indexed_number(s, 1) == one && indexed_get(s, two) == -2);
	indexed each = indexed_each(s, pair, 2);
	CU_ASSERT(each == indexed_each(s, pair, 3)); /* none at the end is none anyway */
	CU_ASSERT(indexed_length(s, each) == 2 && indexed_at(s, each, 1) == two && !indexed_at(s, each, 2));
	CU_ASSERT(indexed_each(s, (indexed[]){one, INDEXED_NONE, one}, 3) == indexed_same(s, one));
	CU_ASSERT(indexed_is_constant(s, indexed_wrap(s, one, 3), &number) && number == 1);
	CU_ASSERT(!indexed_is_constant(s, each, &number) && indexed_varies(s, each, 0));

	indexed deep = indexed_insert(s, each, 1); /* i0 decides, i1 does not */
	CU_ASSERT(indexed_at(s, indexed_at(s, deep, 1), 7) == two && indexed_varies(s, deep, 0) &&
		  !indexed_varies(s, deep, 1));
	indexed back;
	CU_ASSERT(indexed_outer(s, deep, 1, &back) && back == each);
	CU_ASSERT(!indexed_outer(s, indexed_same(s, each), 1, &back));
	CU_ASSERT(indexed_inner(s, indexed_same(s, each), 1) == each && !indexed_inner(s, each, 1));

	indexed zipped = indexed_zip(s, (indexed[]){each, each, indexed_same(s, one)}, 3, 1, NULL);
	CU_ASSERT(
		indexed_at(s, indexed_at(s, zipped, 1), 1) == two && indexed_at(s, indexed_at(s, zipped, 1), 2) == one);
	CU_ASSERT(indexed_at(s, zipped, 0) == indexed_same(s, one));

	indexed six = indexed_each(s, (indexed[]){one, two, one, two, one, two}, 6);
	CU_ASSERT(indexed_period(s, six, 0, 6) == 2 && indexed_block(s, six, 0, 2) == indexed_same(s, each));
	CU_ASSERT(indexed_period(s, six, 0, 12) == 12 && indexed_period(s, indexed_same(s, one), 0, 6) == 1);
	indexed thrice = indexed_each(s, (indexed[]){one, two, two, one, two, two}, 6),
		both = indexed_each(s, (indexed[]){six, thrice}, 2), apart = indexed_block(s, both, 1, 3);
	CU_ASSERT(indexed_period(s, thrice, 0, 6) == 3 && indexed_period(s, both, 1, 6) == 6);
	CU_ASSERT(indexed_period(s, indexed_insert(s, thrice, 0), 1, 6) == 3);
	CU_ASSERT(indexed_at(s, indexed_at(s, indexed_at(s, apart, 1), 5), 2) == two);
	CU_ASSERT(indexed_at(s, indexed_at(s, indexed_at(s, apart, 1), 5), 0) == one);

	indexed longer = indexed_extend(s, indexed_same(s, one), two, 0, 3, false, NULL);
	CU_ASSERT(indexed_length(s, longer) == 4 && indexed_at(s, longer, 3) == two && indexed_at(s, longer, 2) == one);
	longer = indexed_extend(s, each, one, 0, 2, true, NULL);
	CU_ASSERT(indexed_at(s, longer, 0) == one && indexed_at(s, longer, 2) == two);
	indexed_store_free(s);
}

/* What is under a guard ends with the last iteration in which that holds; what is beside it does not. */
static void test_indexed_around(void)
{
	struct indexed_store *s = indexed_store_new();
	indexed one = indexed_number(s, 1), two = indexed_number(s, 2), three = indexed_number(s, 3),
		four = indexed_number(s, 4), count[] = {two, indexed_each(s, (indexed[]){three, four}, 2)};
	indexed ends = indexed_each(s, (indexed[]){one, two}, 2), goes_on = indexed_same(s, three);

	indexed zipped = indexed_zip(s, (indexed[]){ends, goes_on}, 2, 1, &four), last = indexed_at(s, zipped, 3);
	CU_ASSERT(indexed_length(s, zipped) == 4 && indexed_at(s, last, 1) == three);
	CU_ASSERT(
		indexed_zip(s, (indexed[]){goes_on, goes_on}, 2, 1, &four) == indexed_same(s, indexed_same(s, three)));
	zipped = indexed_zip(s, (indexed[]){indexed_same(s, ends), indexed_same(s, goes_on)}, 2, 2, count);
	CU_ASSERT(indexed_length(s, zipped) == 0 && indexed_length(s, indexed_at(s, zipped, 0)) == 4);
	indexed later = indexed_each(s, (indexed[]){ends, goes_on}, 2);
	zipped = indexed_zip(s, (indexed[]){later, indexed_same(s, ends)}, 2, 2, count);
	CU_ASSERT(indexed_length(s, indexed_at(s, zipped, 1)) == 4);

	indexed longer = indexed_extend(s, indexed_same(s, ends), goes_on, 1, 2, false, &three);
	CU_ASSERT(indexed_at(s, indexed_at(s, longer, 2), 2) == three);
	longer = indexed_extend(s, indexed_each(s, (indexed[]){goes_on, ends}, 2), goes_on, 1, 2, false, &four);
	CU_ASSERT(indexed_length(s, longer) == 4 && indexed_at(s, indexed_at(s, longer, 3), 2) == three);
	indexed_store_free(s);
}

void suite_recognize(CU_pSuite suite)
{
	CU_add_test(suite, "rows", test_rows);
	CU_add_test(suite, "of all", test_of_all);
	CU_add_test(suite, "random", test_random);
	CU_add_test(suite, "indexed", test_indexed);
	CU_add_test(suite, "indexed, by loops around", test_indexed_around);
}
