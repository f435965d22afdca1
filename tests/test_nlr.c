/*
 * test_nlr.c -- loops recognized: tables say what is meant; random streams say that nothing is lost
 * and that neither the window's indexes nor the cursor show in a result. For that the rules stand
 * here a second time, as plainly as they can be put.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "nlr/nlr.h"
#include "tests/unit.h"

/* ------------------------------------------------ nests as text: records are the letters a to z */

static void print_nodes(const struct nest *n, const node *nodes, size_t length, unsigned depth, struct text *out)
{
	for (size_t i = 0; i < length; i++) {
		if (out->length)
			text_put(out, " / ");
		if (!node_is_loop(nodes[i])) {
			text_char(out, (char)('a' + nodes[i]));
			continue;
		}
		text_format(out, "for i%u = 0 to %llu", depth, (unsigned long long)nest_get(n, nodes[i])->count - 1);
		struct body body = nest_body(n, nodes[i]);
		print_nodes(n, body.node, body.length, depth + 1, out);
		text_put(out, " / done");
	}
}

static struct text nest_text(const struct nest *n)
{
	struct text out = {0};
	text_put(&out, "");
	print_nodes(n, n->root, n->root_length, 0, &out);
	return out;
}

struct stream {
	uint32_t *record;
	size_t length, capacity;
};

static void emit(struct stream *s, uint32_t record)
{
	s->record = mem_grow(s->record, &s->capacity, s->length + 1, sizeof *s->record);
	s->record[s->length++] = record;
}

static void expand_nodes(const struct nest *n, const node *nodes, size_t length, struct stream *out)
{
	for (size_t i = 0; i < length; i++) {
		if (!node_is_loop(nodes[i])) {
			emit(out, nodes[i]);
			continue;
		}
		struct body body = nest_body(n, nodes[i]);
		for (uint64_t k = 0; k < nest_get(n, nodes[i])->count; k++)
			expand_nodes(n, body.node, body.length, out);
	}
}

static bool stands_for(const struct nest *n, const struct stream *s)
{
	struct stream expanded = {0};
	expand_nodes(n, n->root, n->root_length, &expanded);
	bool same = expanded.length == s->length &&
		    (!s->length || !memcmp(expanded.record, s->record, s->length * sizeof *s->record));
	free(expanded.record);
	return same;
}

static struct nest *recognize(const struct stream *s, const struct nlr_options *options)
{
	struct nlr *r = nlr_new(options);
	for (size_t i = 0; i < s->length; i++)
		nlr_push(r, s->record[i]);
	return nlr_finish(r);
}

/* ------------------------------------------------------------------ the rules, plainly */

struct plain {
	struct nest *nest;
	struct stream term;
	size_t window, repetitions;
};

static bool plain_same(const struct plain *p, size_t a, size_t b, size_t length)
{
	return !memcmp(p->term.record + a, p->term.record + b, length * sizeof *p->term.record);
}

static bool plain_copy(struct plain *p)
{
	for (size_t length = 1; length < p->term.length; length++) {
		size_t at = p->term.length - 1 - length;
		node loop = p->term.record[at];
		if (!node_is_loop(loop) || nest_get(p->nest, loop)->length != length)
			continue;
		struct body body = nest_body(p->nest, loop);
		if (memcmp(body.node, p->term.record + at + 1, length * sizeof(node)))
			continue;
		p->term.length = at + 1;
		p->term.record[at] =
			nest_loop(p->nest, nest_get(p->nest, loop)->count + 1, p->term.record + at + 1, length);
		return true;
	}
	return false;
}

static bool plain_repetition(struct plain *p)
{
	for (size_t length = 1; length <= p->window && length * p->repetitions <= p->term.length; length++) {
		size_t from = p->term.length - length * p->repetitions;
		if (!plain_same(p, from, from + length, (p->repetitions - 1) * length))
			continue;
		p->term.length = from + 1;
		p->term.record[from] = nest_loop(p->nest, p->repetitions, p->term.record + from + length, length);
		return true;
	}
	return false;
}

static void plain_leave(struct plain *p, size_t count)
{
	for (size_t i = 0; i < count; i++)
		nest_append(p->nest, p->term.record[i]);
	p->term.length -= count;
	memmove(p->term.record, p->term.record + count, p->term.length * sizeof(node));
}

static struct nest *recognize_plainly(const struct stream *s, const struct nlr_options *options)
{
	struct plain p = {.nest = nest_new(), .window = options->window, .repetitions = options->repetitions};
	size_t keep = (p.repetitions + 1) * p.window;
	for (size_t i = 0; i < s->length; i++) {
		if (p.term.length == (keep < 32 ? 64 : 2 * keep))
			plain_leave(&p, p.term.length - keep);
		emit(&p.term, s->record[i]);
		while (plain_copy(&p) || plain_repetition(&p))
			;
	}
	plain_leave(&p, p.term.length);
	free(p.term.record);
	return p.nest;
}

/* ------------------------------------------------------------------ random streams */

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % below;
}

/* A program: nested loops over few records, now and then with an iteration that differs. */
static void emit_block(struct stream *s, uint64_t *seed, unsigned depth, unsigned alphabet, size_t limit)
{
	uint64_t statements = 1 + draw(seed, 4), kind[5], record[5], count[5], state[5];
	for (uint64_t i = 0; i < statements; i++) {
		kind[i] = draw(seed, 3);
		record[i] = draw(seed, alphabet);
		count[i] = draw(seed, 7);
		state[i] = *seed + i * 77;
	}
	for (uint64_t i = 0; i < statements && s->length < limit; i++) {
		if (kind[i] || !depth) {
			emit(s, (uint32_t)record[i]);
			continue;
		}
		bool vary = draw(seed, 8) == 0;
		for (uint64_t k = 0; k < count[i] && s->length < limit; k++) {
			uint64_t body = vary && draw(seed, 4) == 0 ? *seed : state[i];
			emit_block(s, &body, depth - 1, alphabet, limit);
		}
	}
}

/* A long body again and again, with a record changed, left out or put in now and then. */
static void emit_near_repetitions(struct stream *s, uint64_t *seed, unsigned alphabet, size_t limit)
{
	size_t length = 1 + draw(seed, 300), often = 1 + draw(seed, 2000);
	uint64_t body = *seed;
	while (s->length < limit) {
		uint64_t again = body;
		for (size_t i = 0; i < length; i++) {
			uint32_t record = (uint32_t)draw(&again, alphabet);
			uint64_t change = draw(seed, often) ? 3 : draw(seed, 3);
			if (change != 0)
				emit(s, change == 1 ? (uint32_t)draw(seed, alphabet) : record);
			if (change == 2)
				emit(s, record);
		}
	}
}

static struct stream random_stream(uint64_t seed)
{
	struct stream s = {0};
	unsigned alphabet = 1 + (unsigned)draw(&seed, draw(&seed, 2) ? 3 : 12);
	size_t limit = 1 + draw(&seed, draw(&seed, 8) ? 400 : 3000);
	unsigned depth = (unsigned)draw(&seed, 6);
	if (depth == 0) {
		for (size_t i = 0; i < limit; i++)
			emit(&s, (uint32_t)draw(&seed, alphabet));
		return s;
	}
	if (depth == 1)
		emit_near_repetitions(&s, &seed, alphabet, limit);
	while (s.length < limit) {
		uint64_t block = seed;
		for (uint64_t k = 1 + draw(&seed, 9); k && s.length < limit; k--) {
			uint64_t same = block;
			emit_block(&s, &same, depth, alphabet, limit);
		}
		if (draw(&seed, 2))
			emit(&s, (uint32_t)draw(&seed, alphabet));
	}
	for (uint64_t noise = draw(&seed, 3) ? 0 : 1 + s.length / 100; noise; noise--)
		s.record[draw(&seed, s.length)] = (uint32_t)draw(&seed, alphabet);
	return s;
}

static struct nlr_options random_options(uint64_t seed)
{
	static const size_t windows[] = {1, 2, 3, 5, 8, 13, 40, 200, NLR_WINDOW, NLR_WINDOW};
	seed = seed * 31 + 7;
	struct nlr_options options = {.repetitions = 2 + (unsigned)draw(&seed, 3)};
	options.window = windows[draw(&seed, sizeof windows / sizeof *windows)];
	return options;
}

static bool same_text(const struct nest *a, const struct nest *b)
{
	struct text one = nest_text(a), other = nest_text(b);
	bool same = one.length == other.length && !strcmp(one.data, other.data);
	if (!same)
		fprintf(stderr, "\n  is  %s\n  not %s\n", one.data, other.data);
	text_clear(&one);
	text_clear(&other);
	return same;
}

static void random_streams(void)
{
	for (uint64_t seed = 0; seed < rounds(3000); seed++) {
		struct stream s = random_stream(seed);
		struct nlr_options options = random_options(seed);
		struct nest *fast = recognize(&s, &options), *plain = recognize_plainly(&s, &options);
		options.slow = true;
		struct nest *slow = recognize(&s, &options);
		bool good = stands_for(fast, &s) && same_text(slow, plain) && same_text(fast, slow);
		if (!good)
			fprintf(stderr, "\n  seed %llu, window %zu, repetitions %u\n", (unsigned long long)seed,
				options.window, options.repetitions);
		nest_free(fast);
		nest_free(slow);
		nest_free(plain);
		free(s.record);
		CU_ASSERT_FATAL(good);
	}
}

/* Words whose parts come again and again at many distances, with and without a wrong record now and
   then. */
static struct stream hard_word(uint64_t kind, size_t length, bool noisy)
{
	struct stream s = {0};
	uint64_t seed = kind;
	for (size_t i = 0; i < length; i++) {
		const double golden = 1.6180339887498949;
		uint32_t fibonacci =
			(uint32_t)((uint64_t)((double)(i + 2) / golden) - (uint64_t)((double)(i + 1) / golden));
		uint32_t record = kind == 0   ? (uint32_t)__builtin_parityll(i)
				  : kind == 1 ? fibonacci
				  : kind == 2 ? (uint32_t)__builtin_ctzll(i + 1)
					      : (uint32_t)(i % 70 * i % 70 % 5);
		emit(&s, noisy && !draw(&seed, 150) ? 20 : record);
	}
	return s;
}

static void hard_words(void)
{
	for (uint64_t n = 0; n < 4 * 2 * 3; n++) {
		struct stream s = hard_word(n % 4, 3000, n / 4 % 2);
		struct nlr_options options = {.window = n / 8 ? 100 : NLR_WINDOW, .repetitions = n / 8 == 2 ? 2 : 3};
		struct nest *fast = recognize(&s, &options), *plain = recognize_plainly(&s, &options);
		CU_ASSERT(stands_for(fast, &s) && same_text(fast, plain));
		nest_free(fast);
		nest_free(plain);
		free(s.record);
	}
}

/* ------------------------------------------------------------------ by hand */

static struct stream parse(const char *records)
{
	struct stream s = {0};
	for (; *records; records++)
		if (*records != ' ')
			emit(&s, (uint32_t)(*records - 'a'));
	return s;
}

static void becomes(const char *why, const char *records, size_t window, unsigned repetitions, const char *expected)
{
	for (int slow = 0; slow < 2; slow++) {
		struct stream s = parse(records);
		struct nlr_options options = {.window = window, .repetitions = repetitions, .slow = slow};
		struct nest *n = recognize(&s, &options);
		struct text text = nest_text(n);
		if (strcmp(text.data, expected)) {
			fprintf(stderr, "\n  %s:\n  is        %s\n  should be %s\n", why, text.data, expected);
			CU_FAIL(why);
		}
		CU_ASSERT(stands_for(n, &s));
		text_clear(&text);
		nest_free(n);
		free(s.record);
	}
}

static void loops(void)
{
	static const struct {
		const char *why, *records, *nest;
	} cases[] = {
		{"nothing", "", ""},
		{"one record", "a", "a"},
		{"two copies are not a loop", "a a", "a / a"},
		{"three are", "a a a", "for i0 = 0 to 2 / a / done"},
		{"it goes on", "a a a a a a", "for i0 = 0 to 5 / a / done"},
		{"the same loop again", "a a a b a a a a",
			"for i0 = 0 to 2 / a / done / b / for i0 = 0 to 3 / a / done"},
		{"a longer body", "a b c a b c a b c a b c", "for i0 = 0 to 3 / a / b / c / done"},
		{"a body longer than those tried one by one", "abcdefghij abcdefghij abcdefghij abcdefghij k",
			"for i0 = 0 to 3 / a / b / c / d / e / f / g / h / i / j / done / k"},
		{"the shortest body", "a a a a a a a a a", "for i0 = 0 to 8 / a / done"},
		{"what is left of an iteration stands behind", "a b a b a b a", "for i0 = 0 to 2 / a / b / done / a"},
		{"what comes before shifts the body", "b a b a b a b", "for i0 = 0 to 2 / b / a / done / b"},
		{"a nest grows inside out", "abbb abbb abbb",
			"for i0 = 0 to 2 / a / for i1 = 0 to 2 / b / done / done"},
		{"and goes on inside and outside", "abbbb abbbb abbbb abbbb",
			"for i0 = 0 to 3 / a / for i1 = 0 to 3 / b / done / done"},
		{"inner loops of different counts are different", "abbb abbbb abbbbb",
			"a / for i0 = 0 to 2 / b / done / a / for i0 = 0 to 3 / b / done / a / for i0 = 0 to 4 / b / done"},
		{"an iteration broken off inside", "abbbbc abbbbc abbbbc abbb d",
			"for i0 = 0 to 2 / a / for i1 = 0 to 3 / b / done / c / done / a / for i0 = 0 to 2 / b / done / d"},
		{"broken off before the inner loop is one", "abbbbc abbbbc abbbbc abb d",
			"for i0 = 0 to 2 / a / for i1 = 0 to 3 / b / done / c / done / a / b / b / d"},
		{"broken off within an inner iteration", "a bcbcbc d a bcbcbc d a bcbcbc d a bcbcb e",
			"for i0 = 0 to 2 / a / for i1 = 0 to 2 / b / c / done / d / done / a / b / c / b / c / b / e"},
		{"the inner loop goes on where the body is over: greedy", "abbb abbb abbb abbbb",
			"for i0 = 0 to 3 / a / for i1 = 0 to 2 / b / done / done / b"},
		{"a loop in a body is extended by a copy of that body", "aaab aaab aaab aaab",
			"for i0 = 0 to 3 / for i1 = 0 to 2 / a / done / b / done"},
		{"loops side by side, as in LU", "ababab cdcdcd e ababab cdcdcd e ababab cdcdcd e ababab cdcdcd e",
			"for i0 = 0 to 3 / for i1 = 0 to 2 / a / b / done / for i1 = 0 to 2 / c / d / done / e / done"},
		{"three deep", "aaab aaab aaab c aaab aaab aaab c aaab aaab aaab c",
			"for i0 = 0 to 2 / for i1 = 0 to 2 / for i2 = 0 to 2 / a / done / b / done / c / done"},
		{"a loop that, half through an iteration, completes a greater body", "ababab a ababab a ababab a b",
			"for i0 = 0 to 2 / for i1 = 0 to 2 / a / b / done / a / done / b"},
		{"the end of a body and the begin of the next make a loop", "abaa abaa abaa abaa",
			"a / for i0 = 0 to 2 / b / for i1 = 0 to 2 / a / done / done / b / a / a"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		becomes(cases[i].why, cases[i].records, NLR_WINDOW, NLR_REPETITIONS, cases[i].nest);
}

static void options(void)
{
	becomes("two copies, if asked", "a a b a a", NLR_WINDOW, 2,
		"for i0 = 0 to 1 / a / done / b / for i0 = 0 to 1 / a / done");
	becomes("nests of two", "a a b a a b", NLR_WINDOW, 2,
		"for i0 = 0 to 1 / for i1 = 0 to 1 / a / done / b / done");
	becomes("three are not four", "a a a b b b b", NLR_WINDOW, 4, "a / a / a / for i0 = 0 to 3 / b / done");
	becomes("a body as long as the window", "a b c a b c a b c", 3, 3, "for i0 = 0 to 2 / a / b / c / done");
	becomes("a body longer than the window", "a b c a b c a b c", 2, 3, "a / b / c / a / b / c / a / b / c");
	becomes("terms count, not records", "aaab aaab aaab", 2, 3,
		"for i0 = 0 to 2 / for i1 = 0 to 2 / a / done / b / done");
}

/* Is the window reported as too short for copies of a random word? */
static bool hit(size_t window, size_t length, size_t copies)
{
	struct nlr_options options = {.window = window, .repetitions = 3};
	struct nlr *r = nlr_new(&options);
	for (size_t k = 0; k < copies; k++) {
		uint64_t seed = length;
		for (size_t i = 0; i < length; i++)
			nlr_push(r, (uint32_t)draw(&seed, 1000));
	}
	bool answer = nlr_window_hit(r);
	nlr_free(r);
	return answer;
}

static void window_hits(void)
{
	CU_ASSERT(!hit(100, 100, 50));
	CU_ASSERT(hit(100, 101, 50));
	CU_ASSERT(hit(100, 101, 4));
	CU_ASSERT(hit(100, 5000, 4));
	CU_ASSERT(!hit(100, 5000, 2));
	CU_ASSERT(!hit(100, 50000, 1));
	CU_ASSERT(!hit(4096, 4096, 4));
	CU_ASSERT(hit(4096, 4097, 4));
	CU_ASSERT(!hit(NLR_WINDOW, 100000, 4));
	CU_ASSERT(hit(1, 2, 4));
}

/* The ruler word: record k comes every 2^k times, so with two repetitions every record brings a
   loop of its own depth. */
static void deep_nest(void)
{
	struct stream s = {0};
	for (uint32_t i = 1; i <= 1 << 20; i++) {
		emit(&s, 0);
		for (uint32_t k = 1; i % (1u << k) == 0; k++)
			emit(&s, k);
	}
	struct nlr_options options = {.window = NLR_WINDOW, .repetitions = 2};
	struct nest *n = recognize(&s, &options);
	CU_ASSERT(n->root_length == 2 && node_is_loop(n->root[0]) && nest_get(n, n->root[0])->depth == 20);
	CU_ASSERT(stands_for(n, &s));
	nest_free(n);
	free(s.record);
}

/* More than the window holds, many times, leaves it in order. */
static void long_noise(void)
{
	struct stream s = {0};
	uint64_t seed = 1;
	for (size_t i = 0; i < 200000; i++)
		emit(&s, draw(&seed, 50) ? (uint32_t)(i % 5) : (uint32_t)draw(&seed, UINT64_C(1) << 31));
	struct nest *n = recognize(&s, &(struct nlr_options){.window = 4096, .repetitions = NLR_REPETITIONS});
	CU_ASSERT(stands_for(n, &s));
	nest_free(n);
	free(s.record);
}

/* Bodies of any length, without being asked for. */
static void long_bodies(void)
{
	static const size_t lengths[] = {4096, 5000, 100000};
	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct stream s = {0};
		for (uint32_t copy = 0; copy < 4; copy++) {
			uint64_t seed = 1;
			for (size_t k = 0; k < lengths[i]; k++)
				emit(&s, (uint32_t)draw(&seed, 3000));
		}
		struct nest *n = recognize(&s, NULL);
		CU_ASSERT(stands_for(n, &s));
		CU_ASSERT(nest_constructs(n, n->root, n->root_length) <= lengths[i] + 1);
		nest_free(n);
		free(s.record);
	}
}

void suite_nlr(CU_pSuite suite)
{
	CU_add_test(suite, "loops", loops);
	CU_add_test(suite, "options", options);
	CU_add_test(suite, "the window as the limit", window_hits);
	CU_add_test(suite, "a deep nest", deep_nest);
	CU_add_test(suite, "long noise", long_noise);
	CU_add_test(suite, "long bodies", long_bodies);
	CU_add_test(suite, "hard words", hard_words);
	CU_add_test(suite, "random streams: lossless, and the rules' own result", random_streams);
}
