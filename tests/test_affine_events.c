/*
 * test_affine_events.c -- programs whose tags and peers advance, from their events back to
 * their text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/output.h"
#include "lib/expand.h"
#include "lib/local_models.h"
#include "lib/pipeline.h"
#include "merge/merge.h"
#include "merge/widen.h"
#include "model/prepared.h"
#include "nlr/nlr.h"
#include "tests/executed.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"

static struct prepared *parse(const char *why, uint32_t processes, const char *body)
{
	struct text text = {0};
	struct error error = {0};
	text_format(&text, "// tracenest 1\n// processes %u\n%s", processes, body);
	struct prepared *p = prepared_parse("row", text.data, text.length, &error);
	if (!p) {
		printf("\n%s: %s\n%s", why, error.message, text.data);
		CU_FAIL_FATAL("does not parse");
	}
	text_clear(&text);
	return p;
}

/* What all processes do, as a text trace. */
static void expand(struct prepared *p, const char *path)
{
	struct error error;
	struct ranks all = {0};
	struct output *out = output_open(path, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	ranks_add_run(&all, 0, p->module->processes - 1);
	expand_write(p->run, &all, &(struct expand_options){0}, out, &error);
	ranks_clear(&all);
	CU_ASSERT_TRUE_FATAL(output_close(out, &error));
}

/* The program of its events, where all messages are told by shape and numbers; a few have ids where
   `distinct` is greater than 1. */
static struct prepared *made_again(const char *why, struct prepared *p, uint32_t distinct)
{
	char path[] = "/tmp/tracenest-unit-XXXXXX";
	struct program_facts facts;
	struct error error = {0};
	struct program_options options = {PROGRAM_OPTIONS, .trace.distinct = distinct};
	close(mkstemp(path));
	expand(p, path);
	struct prepared *made = prepared_of_trace(path, &options, &facts, &error);
	unlink(path);
	program_facts_clear(&facts);
	if (!made) {
		printf("\n%s: %s\n", why, error.message);
		CU_FAIL_FATAL("no program");
	}
	return made;
}

static bool same_events(struct run *a, struct run *b)
{
	struct text x = {0}, y = {0};
	executed_put_all(a, &x);
	executed_put_all(b, &y);
	bool same = !strcmp(x.data, y.data);
	text_clear(&x);
	text_clear(&y);
	return same;
}

/* Is the reduction alone, of the processes' loops as they were recognized, still what they do? What
   comes behind it may hide what it does wrong: the program of constants is taken where it is
   shorter, and a tag that is no more what it was makes others longer. */
static bool same_reduced(const char *why, struct prepared *p)
{
	char path[] = "/tmp/tracenest-unit-XXXXXX";
	struct error error = {0};
	struct program_options options = {PROGRAM_OPTIONS, .trace.distinct = 1, .no_sites = true};
	struct program_facts facts = {0};
	struct value_columns *values;
	close(mkstemp(path));
	expand(p, path);
	struct model *local = local_models_read(path, &options, &facts, &values, &error);
	unlink(path);
	ROW(why, local);
	CU_ASSERT_FATAL(local != NULL);
	merge_widen(local);
	struct model *global = merge_reduce(local, NULL, NULL);
	struct executed reduced = executed_of_model(global);
	bool same = same_events(p->run, reduced.run);
	executed_clear(&reduced);
	model_free(global);
	model_free(local);
	value_columns_free(values);
	program_facts_clear(&facts);
	return same;
}

static const char *without_header(const char *text)
{
	while (!strncmp(text, "//", 2))
		text += strcspn(text, "\n") + 1;
	return text;
}

/* ------------------------------------------------------------------ rows */

static const struct {
	const char *why;
	uint32_t processes;
	const char *program, *made; /* NULL: the same */
} rows[] = {
#include "tests/affine_events.def"
};

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prepared *p = parse(rows[i].why, rows[i].processes, rows[i].program);
		struct prepared *made = made_again(rows[i].why, p, 1);
		struct text text = {0};
		module_print_text(made->module, NULL, &text);
		row_same(rows[i].why, without_header(text.data), rows[i].made ? rows[i].made : rows[i].program);
		ROW(rows[i].why, same_events(p->run, made->run));
		ROW(rows[i].why, same_reduced(rows[i].why, p));
		text_clear(&text);
		prepared_free(p);
		prepared_free(made);
	}
}

/* ------------------------------------------------------------------ random programs */

struct generator {
	uint64_t state;
	uint32_t processes;
	struct text text;
};

static uint64_t roll_below(struct generator *g, uint64_t limit)
{
	g->state = hash_mix(g->state + 1);
	return (g->state >> 20) % limit;
}

static void indent(struct generator *g, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		text_put(&g->text, "  ");
}

/* What is added for the indices around. */
static void put_indices(struct generator *g, unsigned depth, bool down)
{
	static const char *const factor[] = {"", "", "1", "1", "2", "10"};
	for (unsigned d = 0; d < depth; d++) {
		const char *f = factor[roll_below(g, COUNT(factor))];
		if (*f)
			text_format(&g->text, "%c%s*i%u", down ? '-' : '+', f, d);
	}
}

static void put_tag(struct generator *g, unsigned depth)
{
	bool down = roll_below(g, 4) == 0;
	text_format(&g->text, " %c{%llu", "ab"[roll_below(g, 2)],
		(unsigned long long)roll_below(g, 20) + (down ? 1000 : 0));
	put_indices(g, depth, down);
	text_put(&g->text, "}\n");
}

/* Between two processes, in this order, the receive perhaps a whole loop later; or all around the
   ring. */
static void put_messages(struct generator *g, unsigned depth)
{
	uint32_t p = (uint32_t)roll_below(g, g->processes), q = (uint32_t)roll_below(g, g->processes),
		 all = g->processes - 1;
	bool ring = g->processes > 1 && roll_below(g, 3) == 0;
	struct generator way = {.state = g->state};
	put_indices(&way, depth, false);
	text_add(&way.text, "", 0);
	uint64_t state = way.state, first = roll_below(&way, g->processes);
	for (int receives = 0; receives < 2; receives++) {
		indent(g, depth);
		if (ring) {
			text_format(&g->text, receives ? "[0-%u] (p-%llu" : "[0-%u] p send (p+%llu", all,
				(unsigned long long)first);
			for (const char *c = way.text.data; *c; c++)
				text_char(&g->text, *c == '+' && receives ? '-' : *c);
			text_format(&g->text, receives ? ")%%%u recv p" : ")%%%u", g->processes);
		} else {
			text_format(&g->text, "%u %s %u", p, receives ? "recv" : "send", q);
		}
		g->state = state;
		put_tag(g, depth);
	}
	text_clear(&way.text);
}

static void put_body(struct generator *g, unsigned depth)
{
	for (uint64_t n = 1 + roll_below(g, 3); n > 0; n--) {
		switch (roll_below(g, depth < 3 ? 5 : 3)) {
		case 0:
			indent(g, depth);
			text_format(&g->text, "%llu local x\n", (unsigned long long)roll_below(g, g->processes));
			break;
		case 1:
		case 2:
			put_messages(g, depth);
			break;
		default:
			indent(g, depth);
			text_format(&g->text, "for i%u = 0 to %llu\n", depth, (unsigned long long)roll_below(g, 6));
			put_body(g, depth + 1);
			indent(g, depth);
			text_put(&g->text, "done\n");
		}
	}
}

/* Where it is watched, no longer runs: four of 150 take half of all the time. */
#define WATCHED_MOST 500

static void test_random(void)
{
	for (uint64_t seed = 0; seed < rounds(150); seed++) {
		struct generator g = {.state = seed * 1000};
		static const uint32_t processes[] = {1, 2, 3, 4, 7};
		g.processes = processes[roll_below(&g, COUNT(processes))];
		put_body(&g, 0);
		struct prepared *p = parse("random", g.processes, g.text.data);
		if (watched() && p->module->events > WATCHED_MOST) {
			prepared_free(p);
			text_clear(&g.text);
			continue;
		}
		if (!same_reduced("random", p)) {
			printf("\nseed %llu, %u processes:\n%s", (unsigned long long)seed, g.processes, g.text.data);
			CU_FAIL("the reduction changes events");
		}
		for (uint32_t distinct = 1; distinct <= 4; distinct += 3) {
			struct prepared *made = made_again(g.text.data, p, distinct);
			if (!same_events(p->run, made->run)) {
				printf("\nseed %llu, %u processes:\n%s", (unsigned long long)seed, g.processes,
					g.text.data);
				CU_FAIL("other events");
			}
			prepared_free(made);
		}
		prepared_free(p);
		text_clear(&g.text);
	}
}

void suite_affine_events(CU_pSuite suite)
{
	CU_ADD_TEST(suite, test_rows);
	CU_ADD_TEST(suite, test_random);
}
