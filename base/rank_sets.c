/*
 * rank_sets.c -- runs as bytes, interned; runs of the sets that are joined, sorted and put together.
 */
#include "base/rank_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/intern.h"
#include "base/mem.h"

struct rank_sets {
	struct intern *sets;
	uint32_t *seen; /* by set: the union in which it was last met */
	size_t seens, seen_capacity;
	/* of the union at hand: */
	uint32_t number, distinct, last; /* sets met; the last of them */
	struct ranks_run *run;
	size_t runs, run_capacity;
};

struct rank_sets *rank_sets_new(void)
{
	struct rank_sets *s = mem_zero(sizeof *s);
	s->sets = intern_new();
	rank_sets_id(s, &(struct ranks){0}, NULL); /* RANK_SETS_NOBODY */
	return s;
}

void rank_sets_free(struct rank_sets *s)
{
	if (!s)
		return;
	intern_free(s->sets);
	free(s->seen);
	free(s->run);
	free(s);
}

uint32_t rank_sets_id(struct rank_sets *s, const struct ranks *set, const struct ranks *wanted)
{
	struct ranks some = {0};
	if (wanted && set->length == 1 && set->run->first == set->run->last) {
		if (!ranks_has(wanted, set->run->first))
			return RANK_SETS_NOBODY;
	} else if (wanted) {
		ranks_intersect(&some, set, wanted);
		set = &some;
	}
	uint32_t id = intern_id(s->sets, set->length ? (const void *)set->run : "", set->length * sizeof *set->run);
	ranks_clear(&some);
	return id;
}

struct ranks rank_sets_get(const struct rank_sets *s, uint32_t id)
{
	size_t size;
	const void *runs = intern_data(s->sets, id, &size);
	return (struct ranks){.run = (struct ranks_run *)runs, .length = size / sizeof(struct ranks_run)};
}

uint32_t rank_sets_count(const struct rank_sets *s)
{
	return intern_count(s->sets);
}

/* ------------------------------------------------------------------ unions */

void rank_sets_start(struct rank_sets *s)
{
	s->number++;
	s->runs = s->distinct = 0;
}

static bool is_first_time(struct rank_sets *s, uint32_t id)
{
	if (id >= s->seens) {
		s->seen = mem_grow(s->seen, &s->seen_capacity, (size_t)id + 1, sizeof *s->seen);
		memset(s->seen + s->seens, 0, (s->seen_capacity - s->seens) * sizeof *s->seen);
		s->seens = s->seen_capacity;
	}
	bool first = s->seen[id] != s->number;
	s->seen[id] = s->number;
	return first;
}

void rank_sets_join(struct rank_sets *s, uint32_t id)
{
	if (id == RANK_SETS_NOBODY || !is_first_time(s, id))
		return;
	struct ranks ranks = rank_sets_get(s, id);
	s->run = mem_grow(s->run, &s->run_capacity, s->runs + ranks.length, sizeof *s->run);
	memcpy(s->run + s->runs, ranks.run, ranks.length * sizeof *ranks.run);
	s->runs += ranks.length;
	s->distinct++;
	s->last = id;
}

static int by_first(const void *a, const void *b)
{
	return COMPARE(((const struct ranks_run *)a)->first, ((const struct ranks_run *)b)->first);
}

uint32_t rank_sets_union(struct rank_sets *s)
{
	if (s->distinct <= 1)
		return s->distinct ? s->last : RANK_SETS_NOBODY;
	qsort(s->run, s->runs, sizeof *s->run, by_first);
	struct ranks all = {0};
	for (size_t i = 0; i < s->runs; i++)
		ranks_add_run(&all, s->run[i].first, s->run[i].last);
	uint32_t id = rank_sets_id(s, &all, NULL);
	ranks_clear(&all);
	return id;
}
