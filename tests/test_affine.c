/*
 * test_affine.c -- affine loops recognized. Tables say what is meant. Random programs say that
 * nothing is lost, that what is found is hardly ever larger than the program that made the trace,
 * and that neither fingerprints nor the cursor show in a result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/affine_positions.h"
#include "model/affine_text.h"
#include "nlr/affine_nlr.h"
#include "nlr/predict.h"
#include "tests/affine_equal.h"
#include "tests/unit.h"

/* ------------------------------------------------ traces as text: records stand between slashes */

struct trace {
	struct affine_shapes *shapes;
	struct listed {
		uint32_t shape, width;
		size_t first;
	} * record;
	size_t length, capacity;
	int64_t *number;
	size_t numbers, number_capacity;
};

static void trace_add(struct trace *t, uint32_t shape, uint32_t width, const int64_t *number)
{
	t->record = mem_grow(t->record, &t->capacity, t->length + 1, sizeof *t->record);
	t->number = mem_grow(t->number, &t->number_capacity, t->numbers + AFFINE_WIDTH, sizeof *t->number);
	t->record[t->length++] = (struct listed){shape, width, t->numbers};
	if (width)
		memcpy(t->number + t->numbers, number, width * sizeof *number);
	t->numbers += width;
}

static void trace_add_line(struct trace *t, const char *line, size_t length)
{
	int64_t number[AFFINE_WIDTH];
	uint32_t width, shape = affine_shapes_line(t->shapes, line, length, &width, number);
	trace_add(t, shape, width, number);
}

static struct trace trace_of(const char *text)
{
	struct trace t = {.shapes = affine_shapes_new(true)};
	while (*text) {
		size_t length = strcspn(text, "/");
		if (length)
			trace_add_line(&t, text, length);
		text += length + (text[length] == '/');
	}
	return t;
}

static void trace_clear(struct trace *t)
{
	affine_shapes_free(t->shapes);
	free(t->record);
	free(t->number);
}

static struct affine_nest *recognize(const struct trace *t, const struct affine_nlr_options *options)
{
	struct affine_nlr *r = affine_nlr_new(options);
	for (size_t i = 0; i < t->length; i++)
		affine_nlr_push(r, t->record[i].shape, t->record[i].width, t->number + t->record[i].first);
	return affine_nlr_finish(r);
}

static bool stands_for(const struct affine_nest *n, const struct trace *t)
{
	struct affine_walk *w = affine_walk_new(n);
	uint32_t shape;
	const int64_t *number;
	size_t i = 0;
	bool same = true;
	for (; same && affine_walk_next(w, &shape, &number); i++) {
		const struct listed *record = &t->record[i];
		same = i < t->length && shape == record->shape &&
		       (!record->width || !memcmp(number, t->number + record->first, record->width * sizeof *number));
	}
	affine_walk_free(w);
	return same && i == t->length;
}

/* As one line, nests between slashes, too. */
static struct text line_of(const struct affine_nest *n, const struct affine_shapes *shapes, bool positions)
{
	struct text text = {0}, line = {0};
	affine_print_text(n, shapes, positions, &text);
	text_put(&line, "");
	for (size_t i = 0; i < text.length; i++) {
		bool indentation =
			text.data[i] == ' ' &&
			(!i || text.data[i - 1] == '\n' ||
				(text.data[i - 1] == ' ' && line.length && line.data[line.length - 1] == '/'));
		if (!indentation && (text.data[i] != '\n' || i + 1 < text.length))
			text_char(&line, text.data[i] == '\n' ? '/' : text.data[i]);
	}
	text_clear(&text);
	return line;
}

static void becomes(
	const char *why, const char *records, const struct affine_nlr_options *options, const char *expected)
{
	for (int slow = 0; slow < 2; slow++) {
		struct trace t = trace_of(records);
		struct affine_nlr_options these = *options;
		these.slow = slow;
		struct affine_nest *n = recognize(&t, &these);
		struct text line = line_of(n, t.shapes, false);
		if (strcmp(line.data, expected) != 0) {
			fprintf(stderr, "\n  %s:\n  is        %s\n  should be %s\n", why, line.data, expected);
			CU_FAIL(why);
		}
		CU_ASSERT(stands_for(n, &t));
		text_clear(&line);
		affine_nest_free(n);
		trace_clear(&t);
	}
}

static const struct affine_nlr_options usual = {.window = AFFINE_NLR_WINDOW, .repetitions = AFFINE_NLR_REPETITIONS};

static void loops(void)
{
	static const struct {
		const char *why, *records, *nest;
	} cases[] = {
		{"nothing", "", ""},
		{"one record", "a 1", "a 1"},
		{"two advance by anything", "1/5", "1/5"},
		{"a dash ends a number", "0-15/5-x/tag5-3", "0-15/5-x/tag5-3"},
		{"three by a constant", "1/2/3", "for i0 = 0 to 2/{1+i0}/done"},
		{"or they are no loop", "1/2/4", "1/2/4"},
		{"downwards", "9/7/5/3", "for i0 = 0 to 3/{9-2*i0}/done"},
		{"words alone: constant loops", "a/b/a/b/a/b/a", "for i0 = 0 to 2/a/b/done/a"},
		{"numbers of one record advance each by its own", "a 1 5 7/a 2 5 4/a 3 5 1",
			"for i0 = 0 to 2/a {1+i0} 5 {7-3*i0}/done"},
		{"shapes differ: no loop", "a 1/b 2/a 3", "a 1/b 2/a 3"},
		{"a body of different widths", "a 1/b 2 2/c/a 2/b 2 4/c/a 3/b 2 6/c",
			"for i0 = 0 to 2/a {1+i0}/b 2 {2+2*i0}/c/done"},
		{"hexadecimal addresses", "load 0x10/load 0x18/load 0x20", "for i0 = 0 to 2/load {0x10+8*i0}/done"},
		{"two loops", "0/1/2/10/11/12/20/21/22", "for i0 = 0 to 2/for i1 = 0 to 2/{10*i0+i1}/done/done"},
		{"one that goes on is one", "0/1/2/3/4/5/6/7/8", "for i0 = 0 to 8/{i0}/done"},
		{"a triangle of words, from its third line on and back to its first",
			"a/b/a/b/b/a/b/b/b/a/b/b/b/b/a/b/b/b/b/b/c",
			"for i0 = 0 to 4/a/for i1 = 0 to {i0}/b/done/done/c"},
		{"a triangle that begins with nothing", "a/a/b/a/b/b/a/b/b/b/a/b/b/b/b/a/b/b/b/b/b",
			"for i0 = 0 to 5/a/for i1 = 0 to {-1+i0}/b/done/done"},
		{"downwards, to nothing", "a/b/b/b/b/a/b/b/b/a/b/b/a/b/a/c",
			"for i0 = 0 to 4/a/for i1 = 0 to {3-i0}/b/done/done/c"},
		{"the record that ends an iteration comes behind the inner loop, which began with nothing",
			"a/b/a/a/b/a/a/a/b/a/a/a/a/b/c", "for i0 = 0 to 3/for i1 = 0 to {i0}/a/done/b/done/c"},
		{"a loop of loops that grows on after an iteration as long as the last one",
			"a/b/b/b/a/b/b/b/a/b/b/b/a/b/b/b/b/a/b/b/b/b/a/b/b/b/b/a/b/b/b/b",
			"for i0 = 0 to 2/a/for i1 = 0 to 2/b/done/done/for i0 = 0 to 3/a/for i1 = 0 to 3/b/done/done"},
		{"a difference beyond 64 bits: no loop", "-9223372036854775808/0/9223372036854775807",
			"-9223372036854775808/0/9223372036854775807"},
		{"a span of all 64 bits", "-9223372036854775808/-4611686018427387904/0",
			"for i0 = 0 to 2/{-9223372036854775808+4611686018427387904*i0}/done"},
		{"the last number, and no next iteration of an inner loop",
			"9223372036854775766/9223372036854775767/9223372036854775768/9223372036854775786/9223372036854775787/"
			"9223372036854775788/9223372036854775806/9223372036854775807",
			"for i0 = 0 to 2/{9223372036854775766+i0}/done/for i0 = 0 to 2/{9223372036854775786+i0}/done/"
			"9223372036854775806/9223372036854775807"},
		{"up to the last number", "9223372036854775805/9223372036854775806/9223372036854775807/5",
			"for i0 = 0 to 2/{9223372036854775805+i0}/done/5"},
		{"down to the first", "-9223372036854775806/-9223372036854775807/-9223372036854775808/0",
			"for i0 = 0 to 2/{-9223372036854775806-i0}/done/0"},
		{"numbers at the end of words", "3 send 4 tag100@2/3 send 5 tag101@2/3 send 6 tag102@2",
			"for i0 = 0 to 2/3 send {4+i0} tag{100+i0}@2/done"},
		{"beyond 64 bits: words", "9223372036854775808/9223372036854775809/9223372036854775810",
			"9223372036854775808/9223372036854775809/9223372036854775810"},
		{"not as one would print them: words", "01/02/03/+1/+2/+3", "01/02/03/+1/+2/+3"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		becomes(cases[i].why, cases[i].records, &usual, cases[i].nest);
}

static void options(void)
{
	struct affine_nlr_options four = {.window = 100, .repetitions = 4}, narrow = {.window = 2, .repetitions = 3};
	becomes("three are not four", "1/2/3/7/8/9/10", &four, "1/2/3/for i0 = 0 to 3/{7+i0}/done");
	becomes("a body as long as the window", "a/b 1/a/b 2/a/b 3", &narrow, "for i0 = 0 to 2/a/b {1+i0}/done");
	becomes("a body longer than the window", "a/b 1/c/a/b 2/c/a/b 3/c", &narrow, "a/b 1/c/a/b 2/c/a/b 3/c");
}

/* ------------------------------------------------------------------ random programs */

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % below;
}

static int64_t draw_between(uint64_t *seed, int64_t low, int64_t high)
{
	return low + (int64_t)draw(seed, (uint64_t)(high - low + 1));
}

#define SHAPES 12
#define LONGEST_TRACE 20000

static uint32_t width_of(uint32_t shape)
{
	return shape % 4;
}

static int64_t *draw_value(struct arena *arena, uint64_t *seed, unsigned depth, uint32_t width)
{
	int64_t *vector = arena_alloc(arena, width * (1 + depth) * sizeof *vector);
	for (uint32_t i = 0; i < width; i++)
		for (unsigned d = 0; d <= depth; d++) {
			int64_t step = draw(seed, 2) ? draw_between(seed, -3, 3) : 8 * draw_between(seed, -10, 10);
			vector[i * (1 + depth) + d] = d ? (draw(seed, 3) ? step : 0) : draw_between(seed, -20, 1000);
		}
	return vector;
}

/*
 * A constant count, or a triangle: upwards or downwards along one of the loops around, whose most
 * iterations are in `most`, beginning or ending with none, one or a few.
 */
static int64_t *draw_count(struct arena *arena, uint64_t *seed, unsigned depth, int64_t *most)
{
	int64_t *vector = arena_alloc(arena, (1 + depth) * sizeof *vector);
	memset(vector, 0, (1 + depth) * sizeof *vector);
	unsigned along;
	most[depth] = vector[0] = draw_between(seed, 3, 12);
	if (depth && draw(seed, 5) < 2 && most[(along = (unsigned)draw(seed, depth))] >= 6) {
		int64_t step = draw(seed, 4) ? 1 : 2, least = draw_between(seed, -1, 3), way = step * (most[along] - 1);
		bool down = draw(seed, 2);
		vector[0] = down ? least + way : least;
		vector[1 + along] = down ? -step : step;
		most[depth] = least + way;
	}
	return vector;
}

static void draw_body(
	struct arena *arena, uint64_t *seed, unsigned depth, unsigned levels, int64_t *most, struct affine_node *loop)
{
	loop->length = 1 + draw(seed, 3);
	loop->body = arena_alloc(arena, loop->length * sizeof *loop->body);
	size_t nested = levels ? draw(seed, loop->length) : loop->length;
	for (size_t i = 0; i < loop->length; i++) {
		struct affine_node *n = &loop->body[i];
		*n = (struct affine_node){0};
		if (i == nested || (levels && !draw(seed, 4))) {
			n->shape = AFFINE_LOOP;
			n->value = draw_count(arena, seed, depth, most);
			draw_body(arena, seed, depth + 1, levels - 1, most, n);
		} else {
			n->shape = (uint32_t)draw(seed, SHAPES);
			n->width = width_of(n->shape);
			n->value = draw_value(arena, seed, depth, n->width);
		}
	}
}

/* Of at most LONGEST_TRACE records. */
static struct affine_nest *draw_program(uint64_t seed)
{
	for (;;) {
		struct affine_nest *n = affine_nest_new();
		struct affine_node whole = {0};
		int64_t most[6];
		draw_body(n->arena, &seed, 0, 1 + (unsigned)draw(&seed, 5), most, &whole);
		for (size_t i = 0; i < whole.length; i++)
			affine_nest_append(n, &whole.body[i]);
		struct affine_walk *w = affine_walk_new(n);
		uint32_t shape;
		const int64_t *number;
		size_t records = 0;
		while (records <= LONGEST_TRACE && affine_walk_next(w, &shape, &number))
			records++;
		affine_walk_free(w);
		if (records <= LONGEST_TRACE)
			return n;
		affine_nest_free(n);
	}
}

static struct trace trace_of_program(const struct affine_nest *program)
{
	struct trace t = {0};
	struct affine_walk *w = affine_walk_new(program);
	uint32_t shape;
	const int64_t *number;
	while (affine_walk_next(w, &shape, &number))
		trace_add(&t, shape, width_of(shape), number);
	affine_walk_free(w);
	return t;
}

/* Some traces reach the last numbers of 64 bits, or the first ones, or go from one end to the
   other. True if not this one. */
static bool stretch(struct trace *t, uint64_t seed)
{
	int64_t least = INT64_MAX, most = INT64_MIN;
	for (size_t i = 0; i < t->numbers; i++) {
		least = t->number[i] < least ? t->number[i] : least;
		most = t->number[i] > most ? t->number[i] : most;
	}
	uint64_t factor = most > least ? UINT64_MAX / ((uint64_t)most - (uint64_t)least) : 1;
	for (size_t i = 0; i < t->numbers; i++) {
		uint64_t above = (uint64_t)t->number[i] - (uint64_t)least;
		if (seed % 8 == 1)
			t->number[i] = (int64_t)((uint64_t)INT64_MAX - ((uint64_t)most - (uint64_t)t->number[i]));
		else if (seed % 8 == 2)
			t->number[i] = INT64_MIN + (int64_t)above;
		else if (seed % 8 == 3)
			t->number[i] = (int64_t)((uint64_t)INT64_MIN + above * factor);
	}
	return seed % 8 == 0 || seed % 8 > 3;
}

/* What is found is no larger than the program in this share of all programs whose numbers are
   small; and never anything but the trace. */
static void random_programs(void)
{
	uint64_t programs = rounds(2000), small = 0, good = 0;
	for (uint64_t seed = 0; seed < programs; seed++) {
		struct affine_nest *program = draw_program(seed);
		struct trace t = trace_of_program(program);
		bool counts = stretch(&t, seed);
		struct affine_nest *found = recognize(&t, NULL);
		bool whole = stands_for(found, &t);
		small += counts;
		good += counts && affine_constructs(found->root, found->length) <=
					  affine_constructs(program->root, program->length);
		if (!whole)
			fprintf(stderr, "\n  seed %llu\n", (unsigned long long)seed);
		affine_nest_free(found);
		affine_nest_free(program);
		trace_clear(&t);
		CU_ASSERT_FATAL(whole);
	}
	if (soak_factor() > 1)
		fprintf(stderr, "\n  %llu of %llu programs (%.2f %%) come back no larger\n", (unsigned long long)good,
			(unsigned long long)small, 100 * (double)good / (double)small);
	CU_ASSERT(good * 100 >= small * 95);
}

/* ------------------------------------------------------------------ random streams */

static struct affine_nlr_options random_options(uint64_t *seed)
{
	static const size_t windows[] = {1, 2, 3, 5, 8, 13, 40, 100, AFFINE_NLR_WINDOW, AFFINE_NLR_WINDOW};
	return (struct affine_nlr_options){.window = windows[draw(seed, sizeof windows / sizeof *windows)],
		.repetitions = draw(seed, 4) ? 3 : 4 + (unsigned)draw(seed, 2)};
}

/* A program's trace with changes: records left out, doubled, replaced, and parts of it once
   more. */
static struct trace noisy_trace(uint64_t *seed)
{
	struct trace t = {0};
	uint64_t often = 2 + draw(seed, 200);
	size_t limit = 1 + draw(seed, 600);
	while (t.length < limit) {
		struct affine_nest *program = draw_program(draw(seed, UINT64_C(1) << 31));
		struct trace one = trace_of_program(program);
		for (size_t i = 0; i < one.length && t.length < limit; i++) {
			struct listed *record = &one.record[i];
			uint64_t change = draw(seed, often) ? 4 : draw(seed, 4);
			int64_t number[AFFINE_WIDTH] = {draw_between(seed, 0, 5), 7, 7};
			if (change == 3)
				i = draw(seed, one.length);
			else if (change == 2)
				trace_add(&t, record->shape, record->width, number);
			else if (change != 0)
				trace_add(&t, record->shape, record->width, one.number + record->first);
			if (change == 1)
				trace_add(&t, record->shape, record->width, one.number + record->first);
		}
		affine_nest_free(program);
		trace_clear(&one);
	}
	return t;
}

static void add_random(struct trace *t, uint64_t *seed, uint32_t shapes, int64_t most)
{
	int64_t number[AFFINE_WIDTH];
	for (unsigned i = 0; i < 4; i++)
		number[i] = draw_between(seed, -most, most);
	uint32_t shape = (uint32_t)draw(seed, shapes);
	trace_add(t, shape, width_of(shape), number);
}

static struct trace random_trace(uint64_t *seed)
{
	struct trace t = {0};
	if (draw(seed, 3))
		return noisy_trace(seed);
	size_t limit = 1 + draw(seed, 500);
	uint32_t shapes = 1 + (uint32_t)draw(seed, 6);
	int64_t most = draw(seed, 4) ? draw_between(seed, 0, 4) : INT64_MAX / 2;
	while (t.length < limit)
		add_random(&t, seed, shapes, most);
	return t;
}

static bool fast_is_slow(uint64_t seed)
{
	struct trace t = random_trace(&seed);
	struct affine_nlr_options o = random_options(&seed);
	/* at the ends of 64 bits the cursor may give up what the rules find */
	bool small = stretch(&t, draw(&seed, 16));
	struct affine_nest *fast = recognize(&t, &o);
	o.slow = true;
	struct affine_nest *slow = recognize(&t, &o);
	bool good = stands_for(fast, &t) && (small ? affine_equal(fast, slow) : stands_for(slow, &t));
	affine_nest_free(fast);
	affine_nest_free(slow);
	trace_clear(&t);
	return good;
}

static void random_streams(void)
{
	CU_ASSERT(fast_is_slow(81504)); /* a loop that is opened where its next iteration is one of nothing */
	for (uint64_t seed = 0; seed < rounds(1000); seed++) {
		bool good = fast_is_slow(seed);
		if (!good)
			fprintf(stderr, "\n  seed %llu\n", (unsigned long long)seed);
		CU_ASSERT_FATAL(good);
	}
}

/* The words of Thue and Morse and of Fibonacci, with a wrong one now and then: their parts come
   again at many distances. */
static void hard_words(void)
{
	const double golden = 1.6180339887498949;
	for (uint64_t n = 0; n < 8; n++) {
		struct trace t = {0};
		uint64_t seed = n;
		for (uint64_t i = 0; i < 2500; i++) {
			uint64_t fibonacci =
				(uint64_t)((double)(i + 2) / golden) - (uint64_t)((double)(i + 1) / golden);
			uint32_t word = n % 2 ? (uint32_t)fibonacci : (uint32_t)__builtin_parityll(i);
			trace_add(&t, n / 2 % 2 && !draw(&seed, 100) ? 8 : 4 * word, 0, NULL);
		}
		struct affine_nlr_options o = {.window = n / 4 ? 100 : AFFINE_NLR_WINDOW, .repetitions = 3};
		struct affine_nest *fast = recognize(&t, &o);
		o.slow = true;
		struct affine_nest *slow = recognize(&t, &o);
		CU_ASSERT(stands_for(fast, &t) && affine_equal(fast, slow));
		affine_nest_free(fast);
		affine_nest_free(slow);
		trace_clear(&t);
	}
}

/* More than the window holds, many times, leaves it in order. */
static void long_noise(void)
{
	struct trace t = {0};
	uint64_t seed = 1;
	for (int64_t i = 0; i < 100000; i++) {
		int64_t number[] = {8 * i, i % 7, 3};
		if (draw(&seed, 20))
			trace_add(&t, (uint32_t)(i % 7) % 4, width_of((uint32_t)(i % 7) % 4), number);
		else
			add_random(&t, &seed, 5, 1000);
	}
	struct affine_nest *n = recognize(&t, NULL);
	CU_ASSERT(stands_for(n, &t));
	affine_nest_free(n);
	trace_clear(&t);
}

/* As many numbers as a record may have, each with its own step. */
static void wide_records(void)
{
	struct trace t = {0};
	for (int64_t i = 0; i < 100; i++) {
		int64_t number[AFFINE_WIDTH];
		for (int64_t k = 0; k < AFFINE_WIDTH; k++)
			number[k] = k * i - 100 * k;
		trace_add(&t, 0, AFFINE_WIDTH, number);
	}
	struct affine_nest *n = recognize(&t, NULL);
	CU_ASSERT(stands_for(n, &t));
	CU_ASSERT(n->length == 1 && affine_constructs(n->root, n->length) == 2);
	affine_nest_free(n);
	trace_clear(&t);
}

/* The bound of the inner loop grows into billions of iterations of nothing: followed no further
   than is reasonable. */
static void idle_iterations(void)
{
	struct trace t = {0};
	static const int64_t number[] = {INT64_C(1) << 40};
	for (int64_t i = 0; i < 6; i++) {
		trace_add(&t, 0, 0, NULL);
		for (int64_t j = 0; j < 5 - i; j++)
			trace_add(&t, 4, 0, NULL);
	}
	trace_add(&t, 1, 1, number);
	struct affine_nest *n = recognize(&t, NULL);
	CU_ASSERT(stands_for(n, &t));
	affine_nest_free(n);
	trace_clear(&t);
}

/* ------------------------------------------------------------------ text */

static struct affine_nest *read_back(const struct text *text, struct affine_shapes *shapes, struct error *error)
{
	uint64_t records;
	return affine_parse("nest", text->data, text->length, shapes, &records, error);
}

static void text_of_random_programs(void)
{
	for (uint64_t seed = 0; seed < rounds(300); seed++) {
		struct affine_nest *program = draw_program(seed);
		struct affine_shapes *shapes = affine_shapes_new(true);
		for (uint32_t shape = 0; shape < SHAPES; shape++) {
			struct text line = {0};
			uint32_t width;
			int64_t number[AFFINE_WIDTH];
			text_format(&line, "%c", 'a' + (int)shape);
			for (uint32_t i = 0; i < width_of(shape); i++)
				text_put(&line, i % 2 ? " 0x0" : " 0");
			CU_ASSERT_FATAL(affine_shapes_line(shapes, line.data, line.length, &width, number) == shape &&
					width == width_of(shape));
			text_clear(&line);
		}
		struct text text = {0};
		struct error error = {0};
		text_put(&text, "// tracenest nest 1\n");
		affine_print_text(program, shapes, seed % 2, &text);
		struct affine_nest *again = read_back(&text, shapes, &error);
		if (!again)
			fprintf(stderr, "\n  %s\n", error.message);
		CU_ASSERT_FATAL(again && affine_equal(program, again));
		text_clear(&text);
		affine_nest_free(again);
		affine_nest_free(program);
		affine_shapes_free(shapes);
	}
}

/* Lines that look like the text of a nest, or hardly like a record. */
static void odd_lines(void)
{
	static const char *const lines[] = {"", " ", "for i0 = 0 to 3", "for x", "for", "done", "done ", "// a comment",
		"/", "{1+i0}", "\\", "a\\b", "\\{", "a {3} b", " 5", "\t-7", "x[3][4]=5", "0x7f", "0x07f", "0x", "-0",
		"-", "--1", "0", "1 2 3", "1,2;3:4", "a=0x10,b=0x20", "}", "9223372036854775807",
		"-9223372036854775808", "9223372036854775808", "-9223372036854775809", "0x7fffffffffffffff",
		"0x8000000000000000", "tag12@3", "tag012", "a-5", "0-15", "0--3", "5-", "-5-6", "1-2-3", "tag5-3",
		"0x1f-5", "0x10-5", "007-5", "1.5", "x1.25", "v1.x2", "0x1G7", "a1b2", "0-15", "tag9223372036854775807",
		"tag9223372036854775808",
		"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 "
		"42 43 44 45 46 47 48 49 50 51 52 "
		"53 54 55 56 57 58 59 60 61 62 63 64 65 66"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct trace t = {.shapes = affine_shapes_new(true)};
		for (int k = 0; k < 4; k++) {
			trace_add_line(&t, lines[i], strlen(lines[i]));
			trace_add_line(&t, "x", 1);
		}
		struct affine_nest *n = recognize(&t, NULL);
		struct text text = {0}, line = {0};
		struct error error = {0};
		text_put(&text, "// tracenest nest 1\n");
		affine_print_text(n, t.shapes, false, &text);
		struct affine_nest *again = read_back(&text, t.shapes, &error);
		affine_shapes_print(t.shapes, t.record[0].shape, t.number, &line);
		bool good = again && affine_equal(n, again) && stands_for(again, &t) &&
			    line.length == strlen(lines[i]) + 1 && !memcmp(line.data, lines[i], line.length - 1);
		if (!good)
			fprintf(stderr, "\n  '%s': %s\n%s", lines[i], error.message, text.data);
		CU_ASSERT(good);
		text_clear(&text);
		text_clear(&line);
		affine_nest_free(n);
		affine_nest_free(again);
		trace_clear(&t);
	}
}

static void refusals(void)
{
	static const struct {
		const char *why, *text, *message;
	} cases[] = {
		{"nothing at all", "", "nest:1: not a nest: it is empty"},
		{"a trace", "1\n2\n", "nest:1: not a nest: the first line must be"},
		{"another version", "// tracenest nest 2\na\n", "nest:1: not a nest: the first line must be"},
		{"no number of records", "// tracenest nest 1\n// records many\na\n",
			"nest:2: expected a number of records"},
		{"no end", "// tracenest nest 1\nfor i0 = 0 to 3\na\n", "nest:3: a loop without its 'done'"},
		{"no begin", "// tracenest nest 1\ndone\n", "nest:2: 'done' without a 'for'"},
		{"the wrong index", "// tracenest nest 1\nfor i1 = 0 to 3\n", "nest:2: expected 'for i0 = 0 to ...'"},
		{"an index of nothing", "// tracenest nest 1\nfor i0 = 0 to 3\na {i1}\ndone\n",
			"nest:3: an index of a loop that is not around"},
		{"its own index in a bound", "// tracenest nest 1\nfor i0 = 0 to {i0}\n",
			"nest:2: an index of a loop that is not around"},
		{"no bound", "// tracenest nest 1\nfor i0 = 0 to x\n", "nest:2: expected a bound"},
		{"more than a bound", "// tracenest nest 1\nfor i0 = 0 to 3 4\n",
			"nest:2: something follows the bound"},
		{"a bound beyond 64 bits", "// tracenest nest 1\nfor i0 = 0 to 9223372036854775807\n",
			"nest:2: a number beyond 64 bits"},
		{"a factor beyond 64 bits", "// tracenest nest 1\nfor i0 = 0 to 3\n{9223372036854775808*i0}\ndone\n",
			"nest:3: a number beyond 64 bits"},
		{"digits without end", "// tracenest nest 1\n{99999999999999999999}\n",
			"nest:2: expected a number of 64 bits"},
		{"a brace left open", "// tracenest nest 1\na {1+2\n", "nest:2: expected + or - or }"},
		{"nothing in braces", "// tracenest nest 1\na {}\n", "nest:2: expected"},
		{"a brace never opened", "// tracenest nest 1\na 1}\n", "nest:2: a closing brace"},
		{"no product of indices", "// tracenest nest 1\nfor i0 = 0 to 3\n{i0*i0}\ndone\n",
			"nest:3: expected + or - or }"},
		{"control characters", "// tracenest nest 1\na\001\n", "nest:2"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct affine_shapes *shapes = affine_shapes_new(true);
		struct error error = {0};
		uint64_t records;
		struct affine_nest *n =
			affine_parse("nest", cases[i].text, strlen(cases[i].text), shapes, &records, &error);
		if (n || strncmp(error.message, cases[i].message, strlen(cases[i].message)) != 0) {
			fprintf(stderr, "\n  %s: %s\n", cases[i].why, n ? "accepted" : error.message);
			CU_FAIL(cases[i].why);
		}
		affine_nest_free(n);
		affine_shapes_free(shapes);
	}
}

/* Only what begins as the header of records does is one. */
static void headers(void)
{
	static const struct {
		const char *why, *text;
		uint64_t records;
	} cases[] = {
		{"what it says", "// tracenest nest 1\n// records 7\na\n", 7},
		{"another word", "// tracenest nest 1\n// recordsx7\na\n", UINT64_MAX},
		{"further down", "// tracenest nest 1\na\n// records 7\n", UINT64_MAX},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct affine_shapes *shapes = affine_shapes_new(true);
		struct error error = {0};
		uint64_t records = 0;
		struct affine_nest *n =
			affine_parse("nest", cases[i].text, strlen(cases[i].text), shapes, &records, &error);
		if (!n || records != cases[i].records)
			fprintf(stderr, "\n  %s: %llu records\n", cases[i].why, (unsigned long long)records);
		CU_ASSERT(n && records == cases[i].records);
		affine_nest_free(n);
		affine_shapes_free(shapes);
	}
}

/* ------------------------------------------------------------------ positions */

struct placing {
	uint64_t known, all;
	bool good;
	const struct affine_nest *nest;
};

/* The records before a construct at given indices, by counting. */
struct counting {
	const struct affine_node *wanted;
	const int64_t *at;
	size_t depth;
	int64_t index[8];
	int64_t records, found; /* found: -1 until it is */
};

static void count_body(struct counting *c, const struct affine_node *body, size_t length, size_t depth)
{
	for (size_t i = 0; i < length; i++) {
		if (&body[i] == c->wanted && depth == c->depth && !memcmp(c->index, c->at, depth * sizeof *c->index))
			c->found = c->records;
		if (!affine_is_loop(&body[i])) {
			c->records++;
			continue;
		}
		int64_t count;
		CU_ASSERT_FATAL(affine_value(body[i].value, c->index, depth, &count));
		for (c->index[depth] = 0; c->index[depth] < count; c->index[depth]++)
			count_body(c, body[i].body, body[i].length, depth + 1);
	}
}

static void check_position(void *context, const struct affine_node *n, size_t depth, const struct polynomial *position,
	const struct polynomial *iteration)
{
	struct placing *p = context;
	(void)iteration;
	p->all++;
	p->known += !position->unknown;
	static const int64_t places[][6] = {{0}, {1, 0, 2, 1, 0, 0}, {2, 1, 1, 3, 0, 0}};
	for (size_t i = 0; i < sizeof places / sizeof *places && !position->unknown; i++) {
		struct counting c = {.wanted = n, .at = places[i], .depth = depth, .found = -1};
		count_body(&c, p->nest->root, p->nest->length, 0);
		int64_t value = -1;
		if (c.found >= 0 && (!polynomial_value(position, places[i], NULL, &value) || value != c.found))
			p->good = false;
	}
}

static void positions_of_random_programs(void)
{
	struct placing p = {.good = true};
	for (uint64_t seed = 0; seed < rounds(100) && p.good; seed++) {
		struct affine_nest *program = draw_program(seed);
		p.nest = program;
		affine_positions(program, &(struct affine_positions_visit){.context = &p, .construct = check_position});
		if (!p.good)
			fprintf(stderr, "\n  seed %llu\n", (unsigned long long)seed);
		affine_nest_free(program);
	}
	CU_ASSERT(p.good);
	CU_ASSERT(p.known * 2 > p.all); /* the others are beside loops that some indices leave without any iteration */
}

static void positions(void)
{
	struct trace t = trace_of("a/b/a/b/b/a/b/b/b/a/b/b/b/b/a/b/b/b/b/b/c");
	struct affine_nest *n = recognize(&t, NULL);
	struct text line = line_of(n, t.shapes, true);
	CU_ASSERT_STRING_EQUAL(line.data,
		"// @{0}/for i0 = 0 to 4/// #{2+i0}/// @{(3*i0+i0*i0)/2}/a/// @{(2+3*i0+i0*i0)/2}/for i1 = 0 to {i0}/// #{1}/"
		"// @{(2+3*i0+2*i1+i0*i0)/2}/b/done/done/// @{20}/c");
	text_clear(&line);
	affine_nest_free(n);
	trace_clear(&t);
}

/* Deeper than any array of indices would be. */
static void positions_in_deep_nests(void)
{
	struct text source = {0}, printed = {0};
	struct error error = {0};
	struct affine_shapes *shapes = affine_shapes_new(false);
	uint64_t records;
	text_put(&source, "// tracenest nest 1\n");
	for (int d = 0; d < 30; d++)
		text_format(&source, "for i%d = 0 to 1\n", d);
	text_put(&source, "a {i29}\n");
	for (int d = 0; d < 30; d++)
		text_put(&source, "done\n");
	struct affine_nest *n = affine_parse("nest", source.data, source.length, shapes, &records, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(n);
	affine_print_text(n, shapes, true, &printed);
	CU_ASSERT_PTR_NOT_NULL(strstr(printed.data, "// #{536870912}"));
	CU_ASSERT_PTR_NOT_NULL(strstr(printed.data, "+2*i28+i29}"));
	affine_nest_free(n);
	affine_shapes_free(shapes);
	text_clear(&source);
	text_clear(&printed);
}

/* ------------------------------------------------------------------ predictions */

/* From the fifth iteration on, everything is foretold, whatever the distance, up to the end of a
   triangle's row. */
static void predictions(void)
{
	struct predictor *p = predictor_new(NULL, 7);
	struct trace t = {0};
	for (int64_t i = 0; i < 300; i++)
		for (int64_t j = 0; j < 5; j++) {
			int64_t number[] = {i, 10 * i - j, 4};
			trace_add(&t, j == 4 ? 3 : 1, j == 4 ? 3 : 1, j == 4 ? number : number + 1);
		}
	size_t wrong = 0, apart = 0;
	for (size_t i = 0; i < t.length; i++) {
		uint32_t shape, width;
		int64_t number[AFFINE_WIDTH], other[AFFINE_WIDTH];
		for (unsigned k = 0; i >= 25 && k < 7 && i + (1u << k) - 1 < t.length; k++) {
			const struct listed *record = &t.record[i + (1u << k) - 1];
			bool known = predictor_ahead(p, k, &shape, &width, number);
			wrong += !known || shape != record->shape ||
				 memcmp(number, t.number + record->first, width * sizeof *number) != 0;
			apart += !predictor_at(p, UINT64_C(1) << k, &shape, &width, other) ||
				 memcmp(number, other, width * sizeof *number) != 0;
		}
		predictor_push(p, t.record[i].shape, t.record[i].width, t.number + t.record[i].first);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(apart, 0);
	struct affine_nest *n = predictor_finish(p);
	CU_ASSERT(stands_for(n, &t));
	affine_nest_free(n);
	trace_clear(&t);
}

/* Without any loop yet: what followed the last time. */
static void recalled(void)
{
	struct predictor *p = predictor_new(NULL, 4);
	uint32_t shape, width;
	int64_t number[AFFINE_WIDTH];
	CU_ASSERT(!predictor_ahead(p, 0, &shape, &width, number));
	CU_ASSERT(!predictor_at(p, 1, &shape, &width, number));
	static const uint32_t word[] = {0, 4, 8, 0, 8, 4, 4, 0, 4, 8};
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		predictor_push(p, word[i], 0, NULL);
	CU_ASSERT(predictor_ahead(p, 0, &shape, &width, number) && shape == 0 && width == 0);
	CU_ASSERT(predictor_ahead(p, 1, &shape, &width, number) && shape == 8);
	CU_ASSERT(predictor_ahead(p, 3, &shape, &width, number) && shape == 0);
	predictor_free(p);
}

/* A predictor's recognizer is the recognizer. */
static void predictors_recognize(void)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		uint64_t s = seed;
		struct trace t = random_trace(&s);
		struct affine_nest *n = recognize(&t, NULL);
		struct predictor *p = predictor_new(NULL, 1 + (unsigned)draw(&s, 8));
		for (size_t i = 0; i < t.length; i++)
			predictor_push(p, t.record[i].shape, t.record[i].width, t.number + t.record[i].first);
		struct affine_nest *other = predictor_finish(p);
		CU_ASSERT(affine_equal(n, other));
		affine_nest_free(n);
		affine_nest_free(other);
		trace_clear(&t);
	}
}

void suite_affine(CU_pSuite suite)
{
	CU_add_test(suite, "loops", loops);
	CU_add_test(suite, "options", options);
	CU_add_test(suite, "random programs come back, hardly ever larger", random_programs);
	CU_add_test(suite, "random streams: lossless, fast as slow", random_streams);
	CU_add_test(suite, "long noise", long_noise);
	CU_add_test(suite, "hard words", hard_words);
	CU_add_test(suite, "wide records", wide_records);
	CU_add_test(suite, "iterations of nothing", idle_iterations);
	CU_add_test(suite, "text, and back", text_of_random_programs);
	CU_add_test(suite, "odd lines", odd_lines);
	CU_add_test(suite, "what is refused", refusals);
	CU_add_test(suite, "headers of texts", headers);
	CU_add_test(suite, "positions", positions);
	CU_add_test(suite, "positions of random programs", positions_of_random_programs);
	CU_add_test(suite, "positions in deep nests", positions_in_deep_nests);
	CU_add_test(suite, "predictions", predictions);
	CU_add_test(suite, "predictions without a loop", recalled);
	CU_add_test(suite, "a predictor recognizes", predictors_recognize);
}
