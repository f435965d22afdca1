/*
 * search_condition.c -- when a guard holds: a sum of an index and another source is one number, or
 * one of some, perhaps modulo a period; else flags in a table.
 */
#include "fit/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fit/affine_fit.h"
#include "fit/limits.h"

/* Of a sum of sources: for which of its values, ascending, it holds. */
struct answers {
	struct linear sum;
	int64_t *at;
	const int64_t *holds;
	size_t count, held;
};

/* The sum is the one, or all but the one, or one of these, or none of these; NODE_NONE: that cannot
   be said. */
static node_id test_sum(struct search *s, const struct answers *a, node_id sum)
{
	node_id test = NODE_NONE;
	bool wanted = 2 * a->held <= a->count;
	size_t listed = 0, length = wanted ? a->held : a->count - a->held;
	int64_t *number = mem_array(length, sizeof *number);
	for (size_t i = 0; i < a->count; i++)
		if ((a->holds[i] != 0) == wanted)
			number[listed++] = a->at[i];
	if (length == 1)
		test = test_make(s->store, wanted ? NODE_TEST_EQUAL : NODE_TEST_DIFFERS, number[0], sum);
	else if (length && number[0] >= 0)
		test = test_make(s->store, wanted ? NODE_TEST_AMONG : NODE_TEST_NOT_AMONG,
			tabulate_set(s->tables, number, length), sum);
	free(number);
	return test;
}

/* The shortest period of the answers, twice of which is there; 0: there is none. to: the answers of
   one period, the caller's. */
static int64_t answer_period(const struct answers *a, bool *holds, bool *known)
{
	int64_t range = a->at[a->count - 1] - a->at[0] + 1;
	for (int64_t period = 2; period <= PERIOD_MOST && 2 * period <= range; period++) {
		bool good = true;
		memset(known, 0, (size_t)period);
		for (size_t i = 0; i < a->count && good; i++) {
			int64_t at = (a->at[i] % period + period) % period;
			good = !known[at] || holds[at] == (a->holds[i] != 0);
			known[at] = true;
			holds[at] = a->holds[i];
		}
		if (good)
			return period;
	}
	return 0;
}

static void consider_answers(struct search *s, const int64_t *number, const struct answers *a, struct found *f)
{
	node_id sum = linear_node(s->store, &a->sum);
	found_consider(f, s, number, test_sum(s, a, sum), 0);
	bool holds[PERIOD_MOST], known[PERIOD_MOST];
	int64_t period = answer_period(a, holds, known), at[PERIOD_MOST], flag[PERIOD_MOST];
	struct answers around = {.at = at, .holds = flag};
	for (int64_t k = 0; k < period; k++)
		if (known[k]) {
			at[around.count] = k;
			flag[around.count++] = holds[k];
			around.held += holds[k];
		}
	if (!period)
		return;
	sum = number_remainder(s->store, sum, number_constant(s->store, period));
	found_consider(f, s, number, test_sum(s, &around, sum), 0);
}

/* Does this sum of a source and another, or of one alone, decide? */
static void condition_of(
	struct search *s, const int64_t *number, int a, int64_t of_a, int b, int64_t of_b, struct found *f)
{
	const struct domain *d = s->domain;
	int64_t *at = mem_array(d->count, sizeof *at);
	struct answers answers = {0};
	answers.sum.factor[b] = of_b;
	answers.sum.factor[a] = of_a;
	for (size_t i = 0; i < d->count; i++)
		at[i] = of_a * d->source[a][i] + (of_b ? of_b * d->source[b][i] : 0);
	struct variable sum = {.column = column_of(at, d->count)};
	struct cells c;
	if (cells_make(&c, d, number, (const struct variable *[]){&sum}, 1)) {
		answers.at = c.at;
		answers.holds = c.number;
		answers.count = c.count;
		for (size_t i = 0; i < c.count; i++)
			answers.held += c.number[i] != 0;
		consider_answers(s, number, &answers, f);
		cells_clear(&c);
	}
	free(at);
}

/* Each process goes on from where it holds first: `{i0-p%2*2} in {20,21}`. */
static void condition_shifted(struct search *s, const int64_t *number, int index, struct found *f)
{
	const struct domain *d = s->domain;
	uint32_t processes = d->environment.processes;
	int64_t *first = mem_array(processes, sizeof *first), *shift = mem_array(d->count, sizeof *shift);
	int64_t least = INT64_MAX;
	bool each = true;
	for (uint32_t p = 0; p < processes; p++)
		first[p] = INT64_MAX;
	for (size_t i = 0; i < d->count; i++) {
		int64_t *own = &first[d->points->process[i]], at = d->source[index][i];
		*own = number[i] && at < *own ? at : *own;
		least = *own < least ? *own : least;
	}
	for (size_t i = 0; i < d->count; i++) {
		each = each && first[d->points->process[i]] < INT64_MAX;
		shift[i] = each ? first[d->points->process[i]] - least : 0;
	}
	struct search formula = *s;
	struct found found = {0};
	formula.sources &= OF_P | OF_AXES;
	if (each)
		search_formula(&formula, shift, &found);
	if (found.number) {
		node_id moved = number_add(s->store, source_node(s->store, index), found.number, -1);
		for (size_t i = 0; i < d->count; i++)
			shift[i] = d->source[index][i] - shift[i];
		struct variable sum = {.column = column_of(shift, d->count)};
		struct cells c;
		if (cells_make(&c, d, number, (const struct variable *[]){&sum}, 1)) {
			struct answers answers = {.at = c.at, .holds = c.number, .count = c.count};
			for (size_t i = 0; i < c.count; i++)
				answers.held += c.number[i] != 0;
			found_consider(f, s, number, test_sum(s, &answers, moved), 0);
			cells_clear(&c);
		}
	}
	free(first);
	free(shift);
}

void search_condition(struct search *s, const int64_t *number, struct found *f)
{
	const struct domain *d = s->domain;
	search_affine(s, number, f);
	int64_t constant;
	if (f->number && number_is_constant(s->store, f->number, &constant))
		return; /* always, or never */
	*f = (struct found){0};
	for (int a = SOURCES; a-- > 0;) /* indices first, the innermost of all */
		if (d->source[a])
			condition_of(s, number, a, 1, a, 0, f);
	static const int64_t sign[][2] = {{1, 1}, {-1, 1}, {1, -1}};
	bool alone = f->number;
	for (int a = SOURCES; a-- > SOURCE_INDEX && !alone;)
		for (int b = 0; b < a; b++)
			for (size_t k = 0; k < sizeof sign / sizeof *sign && d->source[a] && d->source[b]; k++)
				condition_of(s, number, a, sign[k][0], b, sign[k][1], f);
	for (int a = SOURCES; a-- > SOURCE_INDEX && !f->number && d->source[SOURCE_P];)
		if (d->source[a])
			condition_shifted(s, number, a, f);
	struct found flags = {0};
	search_table(s, number, d->sources, &flags);
	node_id table = flags.number ? number_table(s->store, flags.number, 0) : NODE_NONE;
	if (table)
		found_consider(f, s, number, test_make(s->store, NODE_TEST_DIFFERS, 0, flags.number),
			(uint32_t)(flags.total - flags.price - table_price(s->store, s->tables, table)));
}
