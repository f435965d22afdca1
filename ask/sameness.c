/*
 * sameness.c -- two walks beside each other, for each process.
 */
#include "ask/sameness.h"

#include <stdlib.h>
#include <string.h>

#include "ask/walk_values.h"
#include "ask/vocabulary.h"
#include "base/mem.h"

struct comparing {
	struct program *program[2];
	struct projection *projection[2];
	struct walk_values values[2]; /* under the same names */
	struct vocabulary vocabulary;
	uint64_t events; /* that may still be compared */
	struct first_difference *difference;
};

/* ------------------------------------------------------------------ what is carried */

static bool carries(const struct program *p, const char *name)
{
	uint32_t *names, word = dictionary_word(p->dictionary, name, strlen(name));
	size_t count = program_attribute_names(p, &names), i = 0;
	while (i < count && names[i] != word)
		i++;
	free(names);
	return i < count;
}

/* The names that are compared, each once. */
static void find_carried(struct comparing *c, enum compared_values values)
{
	uint32_t *name[2] = {NULL, NULL}, *theirs;
	size_t names = 0, capacity[2] = {0, 0};
	for (size_t side = 0; side < 2; side++) {
		size_t known = program_attribute_names(c->program[side], &theirs);
		for (size_t i = 0; i < known; i++) {
			const char *word = dictionary_get_word(c->program[side]->dictionary, theirs[i]);
			bool other = carries(c->program[!side], word);
			if (!strcmp(word, "site") || (side && other) || (!other && values == VALUES_SHARED))
				continue;
			for (size_t k = 0; k < 2; k++) {
				name[k] = mem_grow(name[k], &capacity[k], names + 1, sizeof *name[k]);
				name[k][names] = dictionary_word(c->program[k]->dictionary, word, strlen(word));
			}
			names++;
		}
		free(theirs);
	}
	for (size_t i = 0; i < 2; i++)
		walk_values_of(&c->values[i], c->program[i], name[i], names);
}

static bool carry_same(const struct comparing *c, const struct walk *a, const struct walk *b)
{
	bool same = true;
	for (size_t k = 0; k < c->values[0].names && same; k++) {
		struct attribute_value v = walk_values_at(&c->values[0], a, k), w = walk_values_at(&c->values[1], b, k);
		same = attribute_value_equal(&v, &w);
	}
	return same;
}

/* ------------------------------------------------------------------ streams */

static void put_event(const struct comparing *c, size_t side, const struct walk *walk, struct text *out)
{
	struct text carries = {0};
	struct plain_event e;
	walk_event(walk, &e);
	plain_event_print(c->program[side]->dictionary, &e, out);
	for (size_t k = 0; k < c->values[side].names; k++) {
		struct attribute_value v = walk_values_at(&c->values[side], walk, k);
		walk_values_put(&c->values[side], k, &v, &carries);
	}
	text_add(out, carries.data, carries.length);
	text_clear(&carries);
}

void first_difference_clear(struct first_difference *p)
{
	text_clear(&p->event[0]);
	text_clear(&p->event[1]);
	*p = (struct first_difference){0};
}

/* c: NULL, where nothing is to be translated, carried, counted or told. */
static enum sameness same(
	const struct projection *first, const struct projection *second, uint32_t rank, struct comparing *c)
{
	struct walk *walk[2] = {walk_new(first, rank), walk_new(second, rank)};
	struct plain_event x, y;
	uint64_t position = 0;
	bool alike = true, more[2] = {true, true};
	for (;; position++) {
		more[0] = walk_next(walk[0]);
		more[1] = walk_next(walk[1]);
		alike = more[0] == more[1];
		if (!alike || !more[0] || (c && position == c->events))
			break;
		walk_event(walk[0], &x);
		walk_event(walk[1], &y);
		if (c)
			vocabulary_translate(&c->vocabulary, &y);
		alike = plain_event_equal(&x, &y) && (!c || carry_same(c, walk[0], walk[1]));
		if (!alike)
			break;
	}
	enum sameness result = !alike ? SAMENESS_DIFFERENT : more[0] ? SAMENESS_UNKNOWN : SAMENESS_SAME;
	if (c)
		c->events -= position;
	if (!alike && c && c->difference) {
		*c->difference = (struct first_difference){.known = true, .rank = rank, .position = position};
		for (size_t i = 0; i < 2; i++)
			if (more[i])
				put_event(c, i, walk[i], &c->difference->event[i]);
	}
	walk_free(walk[0]);
	walk_free(walk[1]);
	return result;
}

bool streams_same(const struct projection *projection, struct program *other)
{
	struct projection *others = projection_new(other, NULL);
	bool alike = true;
	for (uint32_t rank = 0; rank < other->processes && alike; rank++)
		alike = same(projection, others, rank, NULL) == SAMENESS_SAME;
	projection_free(others);
	return alike;
}

enum sameness programs_sameness(struct program *first, struct program *other, enum compared_values values,
	uint64_t events, struct first_difference *difference)
{
	struct comparing c = {.program = {first, other}, .events = events, .difference = difference};
	enum sameness result = first->processes == other->processes ? SAMENESS_SAME : SAMENESS_DIFFERENT;
	if (difference)
		*difference = (struct first_difference){0};
	if (result != SAMENESS_SAME)
		return result;
	c.projection[0] = projection_new(first, NULL);
	c.projection[1] = projection_new(other, NULL);
	if (values != VALUES_NONE)
		find_carried(&c, values);
	c.vocabulary = vocabulary_of(first->dictionary, other->dictionary);
	for (uint32_t rank = 0; rank < first->processes && result == SAMENESS_SAME; rank++)
		result = same(c.projection[0], c.projection[1], rank, &c);
	for (uint32_t rank = 0; rank < first->processes && result == SAMENESS_UNKNOWN; rank++)
		if (projection_events(c.projection[0], rank) != projection_events(c.projection[1], rank))
			result = SAMENESS_DIFFERENT;
	for (size_t i = 0; i < 2; i++) {
		projection_free(c.projection[i]);
		walk_values_clear(&c.values[i]);
	}
	vocabulary_clear(&c.vocabulary);
	return result;
}
