/*
 * test_phase.c -- loops turned: tables say what is meant; random programs say that nothing is lost
 * and nothing becomes longer.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "fold/digests.h"
#include "fold/phase.h"
#include "merge/merge.h"
#include "nlr/nlr.h"
#include "tests/oracle.h"
#include "tests/spmd.h"
#include "tests/rows.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ nests as text: "a 3(b c)" */

struct nodes {
	node *node;
	size_t length, capacity;
};

static void put(struct nodes *l, node n)
{
	l->node = mem_grow(l->node, &l->capacity, l->length + 1, sizeof *l->node);
	l->node[l->length++] = n;
}

static void put_all(struct nodes *l, const struct nodes *from)
{
	for (size_t i = 0; i < from->length; i++)
		put(l, from->node[i]);
}

static void parse(struct nest *n, const char **at, struct nodes *to)
{
	for (; **at && **at != ')'; ++*at) {
		if (islower((unsigned char)**at))
			put(to, (node)(**at - 'a'));
		if (!isdigit((unsigned char)**at))
			continue;
		struct nodes body = {0};
		uint64_t count = strtoull(*at, (char **)at, 10);
		++*at;
		parse(n, at, &body);
		put(to, nest_loop(n, count, body.node, body.length));
		free(body.node);
	}
}

static struct nest *nest_of(const char *text)
{
	struct nest *n = nest_new();
	struct nodes root = {0};
	parse(n, &text, &root);
	for (size_t i = 0; i < root.length; i++)
		nest_append(n, root.node[i]);
	free(root.node);
	return n;
}

static void print(const struct nest *n, const node *nodes, size_t length, struct text *to)
{
	for (size_t i = 0; i < length; i++) {
		if (i)
			text_char(to, ' ');
		if (!node_is_loop(nodes[i])) {
			text_char(to, (char)('a' + nodes[i]));
			continue;
		}
		text_format(to, "%llu(", (unsigned long long)nest_get(n, nodes[i])->count);
		struct body body = nest_body(n, nodes[i]);
		print(n, body.node, body.length, to);
		text_char(to, ')');
	}
}

/* ------------------------------------------------------------------ what is meant */

static void table(void)
{
	static const struct {
		const char *why, *recorded, *turned; /* NULL: there is nothing to turn */
		unsigned repetitions;
	} rows[] = {
		{"nothing", "", NULL, 3},
		{"no loop", "a b c", NULL, 3},
		{"a loop in its only phase", "a 5(b c) d", NULL, 3},
		{"what follows goes before: a loop begins late", "a 5(b c) b d", "a b 5(c b) d", 3},
		{"what goes before already stays", "a c 5(b c) d", NULL, 3},
		{"iterations written out behind the loop", "5(a b) a b a", "a 6(b a)", 3},
		{"and before it", "b a b 5(a b) c", "b 6(a b) c", 3},
		{"parts on both sides that are an iteration together", "x c 5(a b c) a b y", "x 6(c a b) y", 3},
		{"which are less", "x c 5(a b c) a y", "x c a 5(b c a) y", 3},
		{"but where another loop over the same body begins", "4(a b c) x 4(a b c) a y", NULL, 3},
		{"which two may come to from both sides", "a b 6(c a b) w 15(a b c) z", "6(a b c) a b w 15(a b c) z",
			3},
		{"as most of them can, and as late as these can", "b c 4(a b c) w c 5(a b c) x c 6(a b c) y 7(b c a) z",
			NULL, 3},
		{"inside of others, too", "4(y 4(a b c) x) 4(a b c) a y", NULL, 3},
		{"and a loop over them", "4(a b c) a x 4(a b c) a x a 4(b c a) x", "3(a 4(b c a) x)", 3},
		{"a short loop gives of its iterations to a longer body", "4(c a b) c 5(a b c) 3(a b)",
			"10(c a b) a b a b", 3},
		{"but not where that is longer", "5(a b c) 4(a b)", NULL, 3},
		{"of equal periods neither gives", "5(a b) 5(b c)", NULL, 3},
		{"CG of the NAS benchmarks: S = a b, R = b a, T = t",
			"25(26(a b b a t a b) 26(a b a b b a t) 3(a b) 26(b a t a b a b))", "75(a b 26(b a t a b a b))",
			3},
		{"CG on four processes", "a a 25(t 3(a)) t a a b a 14(a 26(t 3(a))) a 25(t 3(a)) t a a r",
			"a 26(a t a a) b 15(a 26(a t a a)) r", 3},
		{"inner loops first", "9(a 5(b c) b d)", "9(a b 5(c b) d)", 3},
		{"through inner loops", "5(6(a) b) 6(a)", "6(a) 5(b 6(a))", 3},
		{"part of an inner loop is as long", "5(6(a) b) a a", NULL, 3},
		{"a loop of one loop multiplies", "5(3(a b) a b) c", "20(a b) c", 3},
		{"so does one of two that become equal", "10(26(a b c) a x a 26(b c a) x)", "20(a 26(b c a) x)", 3},
		{"V-cycles of one name: 2 steps before, 1 after",
			"i 3(s s r) s s 9(c 3(s p) 3(s) 3(r s s)) c 3(s p) s f", "i 10(s s 3(r s s) c s 3(p s)) f", 3},
		{"bodies that end as they begin", "5(3(a) b 3(a)) c", NULL, 3},
		{"two copies are a loop where they shall be", "4(a b) 2(4(a b) c)", NULL, 2},
		{"counts do not matter", "1000000000(a 100000000(b c)) a 100000000(b c) d",
			"1000000001(a 100000000(b c)) d", 3},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct nest *n = nest_of(rows[i].recorded), *turned = phase_turned(n, rows[i].repetitions);
		struct text text = {0};
		text_put(&text, "");
		if (turned)
			print(turned, turned->root, turned->root_length, &text);
		row_same(rows[i].why, text.data, rows[i].turned ? rows[i].turned : "");
		text_clear(&text);
		nest_free(turned);
		nest_free(n);
	}
}

/* ------------------------------------------------------------------ what always holds */

static void expand(const struct nest *n, const node *nodes, size_t length, struct nodes *to)
{
	for (size_t i = 0; i < length; i++) {
		if (!node_is_loop(nodes[i])) {
			put(to, nodes[i]);
			continue;
		}
		struct body body = nest_body(n, nodes[i]);
		for (uint64_t k = 0; k < nest_get(n, nodes[i])->count; k++)
			expand(n, body.node, body.length, to);
	}
}

/* Few letters, so that parts repeat by chance; often a loop with a part of its body before or
   behind it. */
static void draw(uint64_t *seed, unsigned depth, struct nodes *to)
{
	struct nodes body = {0};
	for (uint64_t i = 1 + spmd_draw(seed, 4); i > 0; i--) {
		if (!depth || spmd_draw(seed, 3))
			put(&body, (node)spmd_draw(seed, 3));
		else
			draw(seed, depth - 1, &body);
	}
	size_t whole = spmd_draw(seed, 7) * body.length;
	size_t before = spmd_draw(seed, body.length + 1), behind = spmd_draw(seed, body.length + 1);
	for (size_t i = body.length - before; i < body.length + whole + behind; i++)
		put(to, body.node[i % body.length]);
	free(body.node);
}

static struct nest *recognize(const struct nodes *records, unsigned repetitions)
{
	struct nlr *r = nlr_new(&(struct nlr_options){.window = NLR_WINDOW, .repetitions = repetitions});
	for (size_t i = 0; i < records->length; i++)
		nlr_push(r, records->node[i]);
	return nlr_finish(r);
}

static uint64_t constructs(const struct nest *n)
{
	return nest_constructs(n, n->root, n->root_length);
}

static void random_programs(void)
{
	unsigned turned_once = 0, shorter = 0;
	for (uint64_t seed = 1; seed <= rounds(2000); seed++) {
		struct nodes records = {0}, expanded = {0};
		uint64_t draws = seed;
		unsigned repetitions = 2 + (unsigned)(seed % 3);
		for (int i = 0; i < 3; i++)
			draw(&draws, 2, &records);
		struct nest *n = recognize(&records, repetitions), *turned = phase_turned(n, repetitions);
		if (turned) {
			turned_once++;
			shorter += constructs(turned) < constructs(n);
			expand(turned, turned->root, turned->root_length, &expanded);
			bool same = expanded.length == records.length &&
				    !memcmp(expanded.node, records.node, records.length * sizeof *records.node);
			if (!same || constructs(turned) > constructs(n)) {
				printf("\nseed %llu\n", (unsigned long long)seed);
				CU_FAIL("not the program, or longer");
			}
		}
		nest_free(turned);
		nest_free(n);
		free(records.node);
		free(expanded.node);
	}
	CU_ASSERT(turned_once > rounds(400) && shorter > rounds(200));
}

/* A sum over l partners, there and back: CG of the NAS benchmarks on 4^l processes. Recorded, it
   begins anywhere. */
static void any_number_of_processes(void)
{
	for (node partners = 1; partners <= 5; partners++) {
		struct nodes sum = {0}, iteration = {0}, records = {0};
		for (node i = 0; i < partners; i++)
			put(&sum, i);
		for (node i = partners; i > 0; i--)
			put(&iteration, i - 1);
		put(&iteration, 't' - 'a');
		for (int twice = 0; twice < 2; twice++)
			for (node i = 0; i < partners; i++)
				put(&iteration, i);
		put(&records, 'x' - 'a');
		for (int outer = 0; outer < 15; outer++) {
			put_all(&records, &sum);
			for (int inner = 0; inner < 26; inner++)
				put_all(&records, &iteration);
		}
		struct nest *n = recognize(&records, NLR_REPETITIONS), *turned = phase_turned(n, NLR_REPETITIONS);
		struct nest *wanted = nest_new();
		node inner = nest_loop(wanted, 26, iteration.node, iteration.length);
		put(&sum, inner);
		nest_append(wanted, 'x' - 'a');
		nest_append(wanted, nest_loop(wanted, 15, sum.node, sum.length));
		struct text is = {0}, expected = {0};
		const struct nest *result = turned ? turned : n;
		print(result, result->root, result->root_length, &is);
		print(wanted, wanted->root, wanted->root_length, &expected);
		CU_ASSERT_STRING_EQUAL(is.data, expected.data);
		text_clear(&is);
		text_clear(&expected);
		nest_free(n);
		nest_free(turned);
		nest_free(wanted);
		free(sum.node);
		free(iteration.node);
		free(records.node);
	}
}

/* The processes of a random run, turned and then merged. */
static struct model *merged_turned(const struct spmd_run *run, bool *turned_any)
{
	struct model *local = model_new();
	local->processes = run->processes;
	uint32_t *map = dictionary_import(local->dictionary, run->dictionary, false);
	for (uint32_t p = 0; p < run->processes; p++) {
		struct nodes records = {0};
		for (size_t i = 0; i < run->stream[p].length; i++)
			put(&records, map[run->stream[p].event[i]]);
		struct nest *n = recognize(&records, NLR_REPETITIONS), *turned = phase_turned(n, NLR_REPETITIONS);
		*turned_any |= turned != NULL;
		nest_append_all(local->nest, turned ? turned : n, NULL);
		nest_free(turned);
		nest_free(n);
		free(records.node);
	}
	free(map);
	struct model *global = merge_reduce(local, NULL, NULL);
	model_free(local);
	return global;
}

static void random_runs(void)
{
	unsigned turned = 0;
	for (uint64_t seed = 1; seed <= rounds(150); seed++) {
		struct spmd *program = spmd_new(seed, SPMD_ANY);
		struct spmd_run *run = spmd_run(program);
		bool any = false;
		struct model *global = merged_turned(run, &any);
		turned += any;
		const char *wrong = oracle_check(global, run->dictionary, run->stream, true);
		if (wrong)
			printf("\nseed %llu: %s\n", (unsigned long long)seed, wrong);
		CU_ASSERT_PTR_NULL(wrong);
		model_free(global);
		spmd_run_free(run);
		spmd_free(program);
	}
	CU_ASSERT(turned > rounds(20));
}

/* ------------------------------------------------------------------ digests */

static struct digest plainly(const struct nodes *records, uint64_t from, uint64_t length)
{
	struct nest *n = nest_new();
	struct nodes part = {0};
	for (uint64_t i = 0; i < length; i++)
		put(&part, records->node[(from + i) % records->length]);
	struct digests d = {.nest = n};
	struct digest digest = digests_body(&d, nest_loop(n, 1, part.node, part.length));
	digests_clear(&d);
	nest_free(n);
	free(part.node);
	return digest;
}

static bool shifted_is_same(const struct nodes *records, uint64_t from, uint64_t length)
{
	uint64_t i = 0;
	while (i < length &&
		records->node[(from + i) % records->length] == records->node[(from + i + 1) % records->length])
		i++;
	return i == length;
}

static void parts(void)
{
	struct nest *n = nest_of("7(a 3(b 2(c) d) c 4(a))");
	struct digests d = {.nest = n};
	struct nodes body = {0};
	expand(n, nest_body(n, n->root[0]).node, nest_body(n, n->root[0]).length, &body);
	CU_ASSERT_EQUAL(digests_period(&d, n->root[0]), body.length);
	for (uint64_t from = 0; from <= 2 * body.length; from++) {
		for (uint64_t length = 1; length < 3 * body.length; length++) {
			struct digest is = digests_part(&d, n->root[0], from, length);
			struct digest wanted = plainly(&body, from, length), other = plainly(&body, from + 1, length);
			CU_ASSERT(digest_same(&is, &wanted));
			CU_ASSERT(digest_same(&is, &other) == shifted_is_same(&body, from, length));
		}
	}
	digests_clear(&d);
	nest_free(n);
	free(body.node);
}

void suite_phase(CU_pSuite suite)
{
	CU_add_test(suite, "random programs: the same records, never longer", random_programs);
	CU_add_test(suite, "a program on any number of processes", any_number_of_processes);
	CU_add_test(suite, "random runs, turned and merged", random_runs);
	CU_add_test(suite, "digests of parts of a loop", parts);
	CU_add_test(suite, "which phase", table);
}
