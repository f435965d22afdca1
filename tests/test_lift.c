/*
 * test_lift.c -- the records of each process of random programs, from the program's own loops: one
 * after the other as a walk comes by them, with digests that tell programs apart by what they do.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/projection.h"
#include "base/mem.h"
#include "merge/lift.h"
#include "tests/random_program.h"
#include "tests/unit.h"

struct lifted {
	struct program *program;
	struct tree_builder *builder;
	struct records *ids;
	struct lift *lift;
	uint32_t *process, lanes;
};

static bool lifted_of(struct lifted *l, struct program *p)
{
	*l = (struct lifted){.program = p};
	l->lanes = lift_processes(p, &l->process);
	l->builder = tree_builder_new(l->lanes, l->process);
	l->ids = records_new(0);
	l->lift = lift_new(l->builder, l->ids, p, false);
	return l->lift != NULL;
}

static void lifted_clear(struct lifted *l)
{
	lift_free(l->lift);
	records_free(l->ids);
	tree_builder_free(l->builder);
	free(l->process);
	program_free(l->program);
}

static struct program *parse(const struct random_program *r)
{
	struct text text = {0};
	struct error error;
	random_program_print(r, false, &text);
	struct program *p = program_parse("random", text.data, text.length, &error);
	text_clear(&text);
	return p;
}

static bool is_event(const struct lifted *l, uint32_t id, const struct plain_event *e)
{
	const struct record *r = records_get(l->ids, id);
	const struct tree_shape *s = intern_data(l->builder->shapes, r->shape, NULL);
	uint32_t k = 0;
	bool same = s->kind == e->kind && s->word == e->word && s->numbered == e->numbered;
	if (s->slots & 1 << SLOT_IS_PEER)
		same = same && r->number[k++] == e->peer;
	if (s->slots & 1 << SLOT_IS_TAG)
		same = same && r->number[k++] == (int64_t)e->number;
	return same && (e->kind != EVENT_SYNC || s->group == e->group);
}

/* All of a lane, whole; and its digest, which is that of the ids. */
static bool check_lane(const struct lifted *l, const struct projection *projection, uint32_t lane)
{
	struct records *flat = records_new(l->lanes);
	uint32_t ids = records_count(l->ids), *to = mem_array(ids + (size_t)1, sizeof *to);
	size_t length;
	for (uint32_t i = 0; i < ids; i++)
		to[i] = i;
	records_keep_all(flat);
	lift_flatten(l->lift, lane, to, flat);
	const uint32_t *record = records_of(flat, lane, &length);
	struct walk *w = walk_new(projection, l->process[lane]);
	struct digest all = digest_empty, own = lift_digest(l->lift, lane);
	bool good = length == lift_events(l->lift, lane);
	for (size_t i = 0; i < length && good; i++) {
		struct plain_event e;
		good = walk_next(w);
		if (!good)
			break;
		walk_event(w, &e);
		struct digest one = digest_of(record[i]);
		all = digest_join(&all, &one);
		good = is_event(l, record[i], &e);
	}
	good = good && !walk_next(w) && digest_same(&all, &own);
	walk_free(w);
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
		struct program *p = parse(r);
		struct lifted l;
		random_program_free(r);
		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		bool good = true;
		if (program_events(p) < 100000 && lifted_of(&l, p)) {
			struct projection *projection = projection_new(p, NULL);
			for (uint32_t lane = 0; lane < l.lanes && good; lane++)
				good = check_lane(&l, projection, lane);
			projection_free(projection);
			lifted_clear(&l);
			lifted++;
		} else {
			program_free(p);
		}
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

static struct program *program_of_row(const char *body)
{
	struct text text = {0};
	struct error error;
	text_format(&text, "// tracenest 1\n// processes 2\n%s", body);
	struct program *p = program_parse("row", text.data, text.length, &error);
	text_clear(&text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	return p;
}

static void test_digests(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct lifted one;
		CU_ASSERT_FATAL(lifted_of(&one, program_of_row(rows[i].one)));
		struct program *other = program_of_row(rows[i].other);
		struct lift *lift = lift_new(one.builder, one.ids, other, false);
		CU_ASSERT_PTR_NOT_NULL_FATAL(lift);
		for (uint32_t lane = 0; lane < 2; lane++) {
			struct digest a = lift_digest(one.lift, lane), b = lift_digest(lift, lane);
			if (digest_same(&a, &b) != rows[i].same[lane])
				printf("\n%s: process %u\n", rows[i].why, lane);
			CU_ASSERT(digest_same(&a, &b) == rows[i].same[lane]);
		}
		lift_free(lift);
		program_free(other);
		lifted_clear(&one);
	}
}

void suite_lift(CU_pSuite suite)
{
	CU_add_test(suite, "the records of random programs", test_random);
	CU_add_test(suite, "digests", test_digests);
}
