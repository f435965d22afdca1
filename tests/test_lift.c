/*
 * test_lift.c -- the records of each process of random programs, from the program's own loops: one
 * after the other as a cursor comes by them, with digests that tell programs apart by what they do.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/event_numbers.h"
#include "base/mem.h"
#include "merge/lift.h"
#include "tests/random_program.h"
#include "tests/unit.h"

struct lifted {
	struct module *module;
	struct run *run;
	struct dictionary *dictionary;
	struct tree_builder *builder;
	struct records *ids;
	struct lift *lift;
	uint32_t *process, lanes;
};

/* Takes the module. */
static bool lifted_of(struct lifted *l, struct module *m)
{
	*l = (struct lifted){.module = m, .run = run_new(m, NULL), .dictionary = dictionary_new()};
	l->lanes = lift_processes(l->run, &l->process);
	l->builder = tree_builder_new(l->lanes, l->process);
	l->ids = records_new(0);
	l->lift = lift_new(l->builder, l->ids, l->run, l->dictionary, false);
	return l->lift != NULL;
}

static void lifted_clear(struct lifted *l)
{
	lift_free(l->lift);
	records_free(l->ids);
	tree_builder_free(l->builder);
	free(l->process);
	run_free(l->run);
	dictionary_free(l->dictionary);
	module_free(l->module);
}

static struct module *parse(const struct random_program *r)
{
	struct text text = {0};
	struct error error;
	random_program_print(r, false, &text);
	struct module *m = module_parse("random", text.data, text.length, &error);
	text_clear(&text);
	return m;
}

static bool is_event(const struct lifted *l, uint32_t id, struct cursor *c, struct member_sets *members)
{
	const struct record *r = records_get(l->ids, id);
	const struct tree_shape *s = intern_data(l->builder->shapes, r->shape, NULL);
	struct event_numbers e;
	event_numbers_at(&c->at, members, c->event, &e);
	int64_t peer = e.number[e.kind == EVENT_SYNC ? COLUMN_ROOT : COLUMN_PEER], tag = e.number[COLUMN_TAG];
	uint32_t k = 0;
	bool same = s->kind == e.kind && s->numbered == (tag != EVENT_UNSAID) &&
		    !strcmp(dictionary_get_word(l->dictionary, s->word), store_get_word(c->at.store, e.word));
	same = same && (s->slots & 1 << SLOT_IS_PEER ? r->number[k++] == peer : peer == EVENT_UNSAID);
	same = same && (s->slots & 1 << SLOT_IS_TAG ? r->number[k++] == tag : tag == EVENT_UNSAID);
	if (e.kind != EVENT_SYNC)
		return same;
	struct ranks group = dictionary_get_ranks(l->dictionary, (uint32_t)s->group);
	return same && ranks_equal(&group, member_set_ranks(members, (uint32_t)e.number[COLUMN_GROUP]));
}

/* All of a lane, whole; and its digest, which is that of the ids. */
static bool check_lane(const struct lifted *l, struct member_sets *members, uint32_t lane)
{
	struct records *flat = records_new(l->lanes);
	uint32_t ids = records_count(l->ids), *to = mem_array(ids + (size_t)1, sizeof *to);
	size_t length;
	for (uint32_t i = 0; i < ids; i++)
		to[i] = i;
	records_keep_all(flat);
	lift_flatten(l->lift, lane, to, flat);
	const uint32_t *record = records_of(flat, lane, &length);
	struct cursor *c = cursor_new(l->run, l->process[lane]);
	struct digest all = digest_empty, own = lift_digest(l->lift, lane);
	bool good = length == lift_events(l->lift, lane);
	for (size_t i = 0; i < length && good; i++) {
		struct digest one = digest_of(record[i]);
		all = digest_join(&all, &one);
		good = cursor_next(c) && is_event(l, record[i], c, members);
	}
	good = good && !cursor_next(c) && !c->at.failure && digest_same(&all, &own);
	cursor_free(c);
	records_free(flat);
	free(to);
	return good;
}

static void test_random(void)
{
	unsigned lifted = 0;
	for (unsigned seed = 1; seed <= rounds(120); seed++) {
		struct random_program *r =
			random_program_new(seed, PROGRAM_LOCALS | PROGRAM_SETS | (seed % 2 ? PROGRAM_IRREGULAR : 0));
		struct module *m = parse(r);
		struct lifted l;
		random_program_free(r);
		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		bool good = true;
		if (m->events >= 100000) {
			module_free(m);
			continue;
		}
		if (lifted_of(&l, m)) {
			struct member_sets *members = member_sets_new(l.run);
			for (uint32_t lane = 0; lane < l.lanes && good; lane++)
				good = check_lane(&l, members, lane);
			member_sets_free(members);
			lifted++;
		}
		lifted_clear(&l);
		if (!good)
			printf("\nseed %u: other records\n", seed);
		CU_ASSERT(good);
	}
	CU_ASSERT(lifted > 0);
}

/* Two programs, and whether each of the two processes does the same in both. */
static const struct {
	const char *why, *one, *other;
	bool same[2];
} rows[] = {
	{"loops written out", "for i0 = 0 to 2\n0 send 1 a\n0 recv 1 a\ndone\n",
		"0 send 1 a\n0 send 1 a\n0 send 1 a\nfor i0 = 0 to 1\n0 recv 1 a\ndone\n0 recv 1 a\n", {true, true}},
	{"a message more", "for i0 = 0 to 2\n0 send 1 a\n0 recv 1 a\ndone\n",
		"for i0 = 0 to 3\n0 send 1 a\ndone\nfor i0 = 0 to 2\n0 recv 1 a\ndone\n", {false, true}},
	{"another order", "0 send 1 a1\n0 send 1 a2\n0 recv 1 a1\n0 recv 1 a2\n",
		"0 send 1 a2\n0 send 1 a1\n0 recv 1 a1\n0 recv 1 a2\n", {false, true}},
	{"tags by an index", "for i0 = 0 to 2\n0 send 1 a{i0}\n0 recv 1 a{i0}\ndone\n",
		"0 send 1 a0\n0 send 1 a1\n0 send 1 a2\nfor i0 = 0 to 2\n0 recv 1 a{2-i0}\ndone\n", {true, false}},
	{"more iterations than anybody writes out", "for i0 = 0 to 999999999999\n0 send 1 a\n0 recv 1 a\ndone\n",
		"for i0 = 0 to 999999\nfor i1 = 0 to 999999\n0 send 1 a\n0 recv 1 a\ndone\ndone\n", {true, true}},
};

static struct module *module_of_row(const char *body)
{
	struct text text = {0};
	struct error error;
	text_format(&text, "// tracenest 1\n// processes 2\n%s", body);
	struct module *m = module_parse("row", text.data, text.length, &error);
	text_clear(&text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	return m;
}

static void test_digests(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct lifted one;
		CU_ASSERT_FATAL(lifted_of(&one, module_of_row(rows[i].one)));
		struct module *other = module_of_row(rows[i].other);
		struct run *run = run_new(other, NULL);
		struct lift *lift = lift_new(one.builder, one.ids, run, one.dictionary, false);
		CU_ASSERT_PTR_NOT_NULL_FATAL(lift);
		for (uint32_t lane = 0; lane < 2; lane++) {
			struct digest a = lift_digest(one.lift, lane), b = lift_digest(lift, lane);
			if (digest_same(&a, &b) != rows[i].same[lane])
				printf("\n%s: process %u\n", rows[i].why, lane);
			CU_ASSERT(digest_same(&a, &b) == rows[i].same[lane]);
		}
		lift_free(lift);
		run_free(run);
		module_free(other);
		lifted_clear(&one);
	}
}

void suite_lift(CU_pSuite suite)
{
	CU_add_test(suite, "the records of random programs", test_random);
	CU_add_test(suite, "digests", test_digests);
}
