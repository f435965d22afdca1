/*
 * sameness.c -- two walks beside each other, for each process.
 */
#include "ask/sameness.h"

#include <stdlib.h>
#include <string.h>

#include "ask/vocabulary.h"
#include "base/mem.h"
#include "base/saturate.h"

/* What the events of a statement carry under a name. */
struct compared_values {
	bool any;
	struct attribute attribute;
};

#define NAMES_MOST 8

struct comparing {
	struct program *program[2];
	struct projection *projection[2];
	size_t names; /* that are compared */
	struct compared_values *carried[2]; /* by statement and name */
	struct vocabulary vocabulary;
};

/* ------------------------------------------------------------------ what is carried */

/* names: a program's words. */
static struct compared_values *carried_of(const struct program *p, const uint32_t *name, size_t names)
{
	struct compared_values *all = mem_zero((p->length * names + 1) * sizeof *all);
	for (size_t i = 0; i < p->length * names; i++) {
		size_t at = i / names;
		all[i].any = !statement_is_loop(&p->statement[at]) &&
			     program_attribute(p, at, name[i % names], &all[i].attribute);
	}
	return all;
}

/* "bytes,call": words of either program. */
static void ask_for(struct comparing *c, const char *values)
{
	uint32_t name[2][NAMES_MOST];
	for (const char *at = values ? values : ""; *at && c->names < NAMES_MOST; at += strspn(at, ",")) {
		size_t length = strcspn(at, ",");
		for (size_t i = 0; i < 2; i++)
			name[i][c->names] = dictionary_word(c->program[i]->dictionary, at, length);
		c->names++;
		at += length;
	}
	for (size_t i = 0; i < 2; i++)
		c->carried[i] = carried_of(c->program[i], name[i], c->names);
}

static bool carry_same(const struct comparing *c, const struct walk *a, const struct walk *b)
{
	bool alike = true;
	for (size_t k = 0; k < c->names && alike; k++) {
		const struct compared_values *x = &c->carried[0][walk_statement(a) * c->names + k],
					     *y = &c->carried[1][walk_statement(b) * c->names + k];
		if (!x->any || !y->any)
			continue;
		struct spot here = walk_spot(a), there = walk_spot(b);
		struct attribute_value v = attribute_at(c->program[0], &x->attribute, &here),
				       w = attribute_at(c->program[1], &y->attribute, &there);
		alike = attribute_value_equal(&v, &w);
	}
	return alike;
}

/* ------------------------------------------------------------------ streams */

/* c: NULL, where nothing is to be translated and nothing carried. */
static bool same(const struct projection *first, const struct projection *second, uint32_t rank, struct comparing *c)
{
	struct walk *a = walk_new(first, rank), *b = walk_new(second, rank);
	struct plain_event x, y;
	bool alike = true, more = true;
	while (alike && more) {
		more = walk_next(a);
		alike = walk_next(b) == more;
		if (!alike || !more)
			break;
		walk_event(a, &x);
		walk_event(b, &y);
		if (c)
			vocabulary_translate(&c->vocabulary, &y);
		alike = plain_event_equal(&x, &y) && (!c || carry_same(c, a, b));
	}
	walk_free(a);
	walk_free(b);
	return alike;
}

bool streams_same(const struct projection *projection, struct program *other)
{
	struct projection *others = projection_new(other, NULL);
	bool alike = true;
	for (uint32_t rank = 0; rank < other->processes && alike; rank++)
		alike = same(projection, others, rank, NULL);
	projection_free(others);
	return alike;
}

enum sameness programs_sameness(struct program *first, struct program *other, const char *values, uint64_t events)
{
	struct comparing c = {.program = {first, other}};
	uint64_t all = 0;
	enum sameness result = first->processes == other->processes ? SAMENESS_SAME : SAMENESS_DIFFERENT;
	if (result != SAMENESS_SAME)
		return result;
	for (size_t i = 0; i < 2; i++)
		c.projection[i] = projection_new(c.program[i], NULL);
	c.vocabulary = vocabulary_of(first->dictionary, other->dictionary);
	ask_for(&c, values);
	for (uint32_t rank = 0; rank < first->processes && result == SAMENESS_SAME; rank++) {
		uint64_t mine = projection_events(c.projection[0], rank);
		all = saturating_add(all, mine);
		result = mine != projection_events(c.projection[1], rank) ? SAMENESS_DIFFERENT
			 : all > events                                   ? SAMENESS_UNKNOWN
									  : SAMENESS_SAME;
	}
	for (uint32_t rank = 0; rank < first->processes && result == SAMENESS_SAME; rank++)
		result = same(c.projection[0], c.projection[1], rank, &c) ? SAMENESS_SAME : SAMENESS_DIFFERENT;
	for (size_t i = 0; i < 2; i++) {
		projection_free(c.projection[i]);
		free(c.carried[i]);
	}
	vocabulary_clear(&c.vocabulary);
	return result;
}
