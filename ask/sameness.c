/*
 * sameness.c -- two walks beside each other, for each process.
 */
#include "ask/sameness.h"

#include <stdlib.h>
#include <string.h>

#include "ask/vocabulary.h"
#include "base/mem.h"
#include "base/saturate.h"

/* What the events of a statement carry. */
struct compared_values {
	bool any;
	struct attribute attribute;
};

struct comparing {
	struct program *program[2];
	struct projection *projection[2];
	struct compared_values *carried[2]; /* by statement; NULL: it is not asked for */
	struct vocabulary vocabulary;
};

/* ------------------------------------------------------------------ what is carried */

static struct compared_values *carried_of(struct program *p, const char *name)
{
	uint32_t word = dictionary_word(p->dictionary, name, strlen(name));
	struct compared_values *all = mem_zero((p->length + 1) * sizeof *all);
	for (size_t i = 0; i < p->length; i++)
		all[i].any = !statement_is_loop(&p->statement[i]) && program_attribute(p, i, word, &all[i].attribute);
	return all;
}

static bool carry_same(const struct comparing *c, const struct walk *a, const struct walk *b)
{
	if (!c->carried[0])
		return true;
	const struct compared_values *x = &c->carried[0][walk_statement(a)], *y = &c->carried[1][walk_statement(b)];
	if (!x->any || !y->any)
		return true;
	struct spot here = walk_spot(a), there = walk_spot(b);
	struct attribute_value v = attribute_at(c->program[0], &x->attribute, &here),
			       w = attribute_at(c->program[1], &y->attribute, &there);
	return attribute_value_equal(&v, &w);
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

enum sameness programs_sameness(struct program *first, struct program *other, const char *value, uint64_t events)
{
	struct comparing c = {.program = {first, other}};
	uint64_t all = 0;
	enum sameness result = first->processes == other->processes ? SAMENESS_SAME : SAMENESS_DIFFERENT;
	if (result != SAMENESS_SAME)
		return result;
	for (size_t i = 0; i < 2; i++) {
		c.projection[i] = projection_new(c.program[i], NULL);
		c.carried[i] = value ? carried_of(c.program[i], value) : NULL;
	}
	c.vocabulary = vocabulary_of(first->dictionary, other->dictionary);
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
