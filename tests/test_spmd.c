/*
 * test_spmd.c -- random SPMD programs, run to traces, recognized, reduced: whatever they do, what a
 * reduction promises must hold.
 *
 * A failure prints its seed, the smallest part of the program that still fails in the same way, and
 * its local models: a row for the tables of test_merge.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/consistency.h"
#include "base/mem.h"
#include "merge/merge.h"
#include "model/model.h"
#include "model/prepared.h"
#include "nlr/nlr.h"
#include "tests/executed.h"
#include "tests/models.h"
#include "tests/nest_coverage.h"
#include "tests/oracle.h"
#include "tests/spmd.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ models */

static void append_part(struct model *to, const struct model *from)
{
	uint32_t *map = dictionary_import(to->dictionary, from->dictionary, NULL, false);
	nest_append_all(to->nest, from->nest, map);
	free(map);
}

static struct model *model_of_process(const struct spmd_run *run, uint32_t process)
{
	struct model *m = model_new();
	m->processes = run->processes;
	uint32_t *map = dictionary_import(m->dictionary, run->dictionary, NULL, false);
	struct nlr *r = nlr_new(NULL);
	for (size_t i = 0; i < run->stream[process].length; i++)
		nlr_push(r, map[run->stream[process].event[i]]);
	struct nest *n = nlr_finish(r);
	nest_append_all(m->nest, n, NULL);
	free(map);
	nest_free(n);
	return m;
}

static struct model *model_of_all(struct model *const *part, size_t parts, uint32_t processes)
{
	struct model *m = model_new();
	m->processes = processes;
	for (size_t i = 0; i < parts; i++)
		append_part(m, part[i]);
	return m;
}

static struct text text_of(const struct model *m)
{
	struct text out = {0};
	model_print_text(m, &out);
	return out;
}

/* ------------------------------------------------------------------ what a reduction promises */

static bool has_note(const struct model *m, const char *start)
{
	for (size_t i = 0; i < m->notes.length; i++)
		if (!strncmp(m->notes.line[i], start, strlen(start)))
			return true;
	return false;
}

/* What has happened can happen. */
static const char *check_causality(const struct model *m)
{
	struct executed e = executed_of_model(m);
	struct text cycle = {0};
	struct consistency c;
	const char *why = NULL;
	consistency_of(e.run, &c);
	if (schedule_find(e.run, SENDS_BUFFERED, SCHEDULE_BUDGET, &cycle) != SCHEDULE_THERE ||
		c.schedule == SCHEDULE_CYCLE)
		why = "a cycle is seen where there is none";
	else if (c.listing.kind != ERROR_NONE)
		why = "a loop is not listed in an order in which it can happen";
	else if (c.loops.kind != ERROR_NONE)
		why = "messages are said to cross what they do not, as the oracle confirms";
	else if (c.facts->irregular && !has_note(m, "apart:"))
		why = "irregular links without a note";
	consistency_clear(&c);
	text_clear(&cycle);
	executed_clear(&e);
	return why;
}

static const char *check_invariants(const struct spmd_run *run, const struct model *m)
{
	struct error error = {0};
	const char *why = oracle_check(m, run->dictionary, run->stream, true);
	if (why)
		return why;
	if (!model_complete(m, &error))
		return "model_complete denies what the oracle confirms";
	return check_causality(m);
}

static const char *check_growth(const struct model *m, const struct merge_report *report)
{
	struct nest *n = m->nest;
	if (nest_constructs(n, n->root, n->root_length) != report->constructs_global)
		return "the report miscounts constructs";
	if ((double)report->constructs_global > 1.1 * (double)report->constructs_local && !has_note(m, "growth:"))
		return "growth without a note";
	return NULL;
}

static bool same_text(const struct model *a, const struct model *b)
{
	struct text x = text_of(a), y = text_of(b);
	bool same = x.length == y.length && !memcmp(x.data, y.data, x.length);
	text_clear(&x);
	text_clear(&y);
	return same;
}

/* Reduce the parts in some order, two by two: neighbours (a balanced tree), or any two. */
static struct model *reduce_by_pairs(struct model *const *part, size_t parts, uint32_t processes, uint64_t *seed)
{
	struct model **left = mem_copy(part, parts * sizeof *left);
	for (size_t i = 0; i < parts; i++)
		left[i] = model_of_all(&part[i], 1, processes);
	for (size_t at = 0; parts > 1; at = at + 2 < parts ? at + 1 : 0) {
		size_t a = seed ? spmd_draw(seed, parts) : at,
		       b = seed ? (a + 1 + spmd_draw(seed, parts - 1)) % parts : at + 1;
		struct model *two[2] = {left[a], left[b]}, *both = model_of_all(two, 2, processes);
		model_free(left[a]);
		model_free(left[b]);
		left[a] = merge_reduce(both, &(struct merge_options){.jobs = 1, .growth = MERGE_GROWTH}, NULL);
		model_free(both);
		memmove(left + b, left + b + 1, (--parts - b) * sizeof *left);
	}
	struct model *result = left[0];
	free(left);
	return result;
}

/* All at once, but listed in another order. */
static const char *check_listing(
	const struct spmd_run *run, struct model *const *part, const struct model *global, uint64_t seed)
{
	struct model **shuffled = mem_copy(part, run->processes * sizeof *shuffled);
	for (uint32_t i = run->processes; i > 1; i--) {
		uint64_t k = spmd_draw(&seed, i);
		struct model *other = shuffled[k];
		shuffled[k] = shuffled[i - 1];
		shuffled[i - 1] = other;
	}
	struct model *local = model_of_all(shuffled, run->processes, run->processes);
	struct model *m = merge_reduce(local, &(struct merge_options){.jobs = 1, .growth = MERGE_GROWTH}, NULL);
	const char *why = same_text(m, global) ? NULL : "the result depends on the order in which processes are listed";
	model_free(local);
	model_free(m);
	free(shuffled);
	return why;
}

/* Without one of the processes: what is left must be as it was, and sound. */
static bool loops_hold(const struct model *m)
{
	struct executed e = executed_of_model(m);
	struct consistency c;
	consistency_of(e.run, &c);
	bool good = c.loops.kind == ERROR_NONE;
	consistency_clear(&c);
	executed_clear(&e);
	return good;
}

static const char *check_without(const struct spmd_run *run, struct model *const *part, uint64_t seed)
{
	struct model **left = mem_copy(part, run->processes * sizeof *left);
	struct stream *stream = mem_copy(run->stream, run->processes * sizeof *stream);
	struct error error = {0};
	uint64_t gone = spmd_draw(&seed, run->processes);
	memmove(left + gone, left + gone + 1, (run->processes - gone - 1) * sizeof *left);
	stream[gone].length = 0;
	struct model *local = model_of_all(left, run->processes - 1, run->processes);
	struct model *m = merge_reduce(local, NULL, NULL);
	const char *why = oracle_check(m, run->dictionary, stream, false);
	if (!why && !loops_hold(m))
		why = "loops of a part are denied what the oracle confirms";
	if (!why && model_complete(local, &error) != model_complete(m, &error))
		why = "a part is less complete than before, or more";
	model_free(local);
	model_free(m);
	free(left);
	free(stream);
	return why;
}

static const char *check_orders(
	const struct spmd_run *run, struct model *const *part, const struct model *global, bool aligned, uint64_t seed)
{
	const char *why = NULL;
	for (int random = 0; !why && random < 2; random++) {
		struct model *m = reduce_by_pairs(part, run->processes, run->processes, random ? &seed : NULL);
		why = check_invariants(run, m);
		if (!why && aligned && !same_text(m, global))
			why = "an aligned program depends on the order of merging";
		model_free(m);
	}
	return why;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_loops(const struct model *m, const struct nest_coverage *c, struct body body, struct text *out)
{
	char **part = mem_array(body.length, sizeof *part);
	size_t parts = 0;
	for (size_t i = 0; i < body.length; i++) {
		if (!node_is_loop(body.node[i]))
			continue;
		struct text one = {0};
		text_format(&one, "%llux", (unsigned long long)nest_get(m->nest, body.node[i])->count);
		struct ranks who = nest_coverage_of(c, body.node[i]);
		ranks_print(&who, &one);
		text_char(&one, '(');
		print_loops(m, c, nest_body(m->nest, body.node[i]), &one);
		text_char(&one, ')');
		part[parts++] = one.data;
	}
	qsort(part, parts, sizeof *part, by_text);
	for (size_t i = 0; i < parts; i++) {
		text_put(out, part[i]);
		free(part[i]);
	}
	free(part);
}

static const char *check_loops(const struct spmd *program, const struct model *global)
{
	struct nest_coverage *c = nest_coverage_new(global);
	struct text wanted = {0}, found = {0};
	text_put(&found, "");
	spmd_print_loops(program, &wanted);
	print_loops(global, c, (struct body){global->nest->root, global->nest->root_length}, &found);
	bool same = !strcmp(wanted.data, found.data);
	text_clear(&wanted);
	text_clear(&found);
	nest_coverage_free(c);
	return same ? NULL : "the loops are not those of the program";
}

/* ------------------------------------------------------------------ figures of a long run */

struct figures {
	uint64_t programs, events, local, global, joined, grown;
	double worst;
	uint64_t worst_seed;
};

static void add_figures(struct figures *f, const struct spmd_run *run, const struct merge_report *r, uint64_t seed)
{
	double ratio = r->constructs_local ? (double)r->constructs_global / (double)r->constructs_local : 0;
	f->programs++;
	f->events += run->events;
	f->local += r->constructs_local;
	f->global += r->constructs_global;
	f->joined += r->joined;
	f->grown += ratio > 1.1;
	if (ratio > f->worst) {
		f->worst = ratio;
		f->worst_seed = seed;
	}
}

/* ------------------------------------------------------------------ one program */

/* NULL, or what is wrong. */
static const char *check_program(const struct spmd *program, bool aligned, uint64_t seed, struct figures *figures)
{
	struct spmd_run *run = spmd_run(program);
	struct model **part = mem_array(run->processes, sizeof *part);
	for (uint32_t p = 0; p < run->processes; p++)
		part[p] = model_of_process(run, p);
	struct model *local = model_of_all(part, run->processes, run->processes);
	struct merge_report report;
	struct model *one = merge_reduce(local, &(struct merge_options){.jobs = 1, .growth = MERGE_GROWTH}, &report);
	struct model *two = merge_reduce(local, &(struct merge_options){.jobs = 2, .growth = MERGE_GROWTH}, NULL);
	const char *why = check_invariants(run, one);
	if (!why)
		why = check_growth(one, &report);
	if (!why && !same_text(one, two))
		why = "the result depends on the number of threads";
	if (!why)
		why = check_listing(run, part, one, seed);
	if (!why)
		why = check_without(run, part, seed);
	if (!why)
		why = check_orders(run, part, one, aligned, seed);
	if (!why && aligned)
		why = check_loops(program, one);
	if (figures)
		add_figures(figures, run, &report, seed);
	for (uint32_t p = 0; p < run->processes; p++)
		model_free(part[p]);
	free(part);
	model_free(local);
	model_free(one);
	model_free(two);
	spmd_run_free(run);
	return why;
}

/* Switch off statements and shorten loops while the program still fails in the same way. */
static void shrink(struct spmd *program, bool aligned, const char *why)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < spmd_statements(program); i++) {
			if (!spmd_off(program, i, true)) {
				if (check_program(program, aligned, 0, NULL) == why)
					changed = true;
				else
					spmd_off(program, i, false);
			}
			uint64_t count = spmd_count(program, i, 3);
			if (count > 3 && check_program(program, aligned, 0, NULL) == why)
				changed = true;
			else
				spmd_count(program, i, count);
		}
	}
}

static void tell(struct spmd *program, enum spmd_style style, uint64_t seed, const char *why)
{
	struct text text = {0};
	shrink(program, style == SPMD_ALIGNED, why);
	spmd_print(program, &text);
	struct spmd_run *run = spmd_run(program);
	for (uint32_t p = 0; p < run->processes; p++) {
		struct model *m = model_of_process(run, p), *all = model_of_all(&m, 1, run->processes);
		model_print_text(all, &text);
		model_free(m);
		model_free(all);
	}
	fprintf(stderr, "\nseed %llu, %s: %s:\n%s\n", (unsigned long long)seed,
		style == SPMD_ALIGNED ? "aligned" : "any", why, text.data);
	text_clear(&text);
	spmd_run_free(run);
}

static void check_seed(enum spmd_style style, uint64_t seed, struct figures *figures)
{
	struct spmd *program = spmd_new(seed, style);
	const char *why = check_program(program, style == SPMD_ALIGNED, seed, figures);
	if (why)
		tell(program, style, seed, why);
	CU_ASSERT_PTR_NULL(why);
	spmd_free(program);
}

/* ------------------------------------------------------------------ tests */

#define PROGRAMS 200 /* of each style, in every run */
#define PROGRAMS_MOST 20000 /* however long the soak */

static void check_style(enum spmd_style style)
{
	struct figures f = {0};
	uint64_t programs = rounds(PROGRAMS);
	const char *first = getenv("TRACENEST_SEED");
	uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
	if (programs > PROGRAMS_MOST)
		programs = PROGRAMS_MOST;
	for (uint64_t i = 0; i < (first && soak_factor() == 1 ? 1 : programs) && CU_get_number_of_failures() < 5; i++)
		check_seed(style, seed + i, &f);
	if (soak_factor() > 1)
		printf("%llu programs, %llu events, constructs %llu -> %llu, %llu loops joined, %llu models grown by more than a "
		       "tenth, "
		       "at most %.2f times (seed %llu) ... ",
			(unsigned long long)f.programs, (unsigned long long)f.events, (unsigned long long)f.local,
			(unsigned long long)f.global, (unsigned long long)f.joined, (unsigned long long)f.grown,
			f.worst, (unsigned long long)f.worst_seed);
}

static void test_aligned(void)
{
	check_style(SPMD_ALIGNED);
}

static void test_any(void)
{
	check_style(SPMD_ANY);
}

void suite_spmd(CU_pSuite suite)
{
	CU_add_test(suite, "aligned programs keep their loops", test_aligned);
	CU_add_test(suite, "any program keeps what a reduction promises", test_any);
}
