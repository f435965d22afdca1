/*
 * population.c -- observations in their two orders, and the statements they would make.
 */
#include "fold/population.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fold/schedule.h"

#define SCHEDULED 20000 /* observations, about */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_number(const void *a, const void *b)
{
	const struct observation *x = a, *y = b;
	int order = compare(x->p, y->p);
	order = order ? order : compare(x->number, y->number);
	return order ? order : compare(x->turn, y->turn);
}

struct in_turn {
	uint32_t p, turn, at;
};

static int by_turn(const void *a, const void *b)
{
	const struct in_turn *x = a, *y = b;
	int order = compare(x->p, y->p);
	order = order ? order : compare(x->turn, y->turn);
	return order ? order : compare(x->at, y->at);
}

/* Observations by process and turn. */
static uint32_t *sequence_of(const struct observation *seen, size_t count)
{
	struct in_turn *place = mem_array(count, sizeof *place);
	uint32_t *sequence = mem_array(count, sizeof *sequence);
	bool sorted = true;
	for (size_t i = 0; i < count; i++) {
		place[i] = (struct in_turn){seen[i].p, seen[i].turn, (uint32_t)i};
		sorted = sorted && (!i || by_turn(&place[i - 1], &place[i]) < 0);
	}
	if (!sorted)
		qsort(place, count, sizeof *place, by_turn);
	for (size_t i = 0; i < count; i++)
		sequence[i] = place[i].at;
	free(place);
	return sequence;
}

size_t observations_sort(struct observation *seen, size_t count)
{
	size_t kept = 0;
	if (count)
		qsort(seen, count, sizeof *seen, by_number);
	for (size_t i = 0; i < count; i++)
		if (!kept || seen[kept - 1].p != seen[i].p || seen[kept - 1].number != seen[i].number)
			seen[kept++] = seen[i];
	uint32_t *sequence = sequence_of(seen, kept);
	for (size_t i = 0, first = 0; i < kept; i++) {
		first = seen[sequence[i]].p == seen[sequence[first]].p ? first : i;
		seen[sequence[i]].turn = (uint32_t)(i - first);
	}
	free(sequence);
	return kept;
}

struct population population_of(const struct observation *seen, size_t count)
{
	struct population to = {.seen = seen, .count = count, .sequence = sequence_of(seen, count)};
	for (size_t i = 0, first = 0; i < count; i++) {
		first = seen[i].p == seen[first].p ? first : i;
		to.least = i - first >= to.least ? (uint32_t)(i - first + 1) : to.least;
	}
	return to;
}

void population_clear(struct population *p)
{
	free(p->sequence);
	*p = (struct population){0};
}

/* ------------------------------------------------------------------ statements */

/* Does some order of the functions agree with that of every process? (Kahn: functions that none
   left comes before are taken away, until none is left.) */
static bool agree(const struct population *p, const uint32_t *of, uint32_t functions)
{
	size_t *first = mem_zero((functions + 2) * sizeof *first), edges = 0;
	uint32_t *before = mem_zero(functions * sizeof *before), *ready = mem_array(functions, sizeof *ready),
		 listed = 0, length = 0;
	uint32_t *next = mem_array(p->count, sizeof *next);
	for (size_t i = 1; i < p->count; i++)
		if (p->seen[p->sequence[i]].p == p->seen[p->sequence[i - 1]].p) {
			first[of[p->sequence[i - 1]] + 2]++;
			before[of[p->sequence[i]]]++;
			edges++;
		}
	for (uint32_t f = 0; f < functions; f++)
		first[f + 2] += first[f + 1];
	for (size_t i = 1; i < p->count; i++)
		if (p->seen[p->sequence[i]].p == p->seen[p->sequence[i - 1]].p)
			next[first[of[p->sequence[i - 1]] + 1]++] = of[p->sequence[i]];
	for (uint32_t f = 0; f < functions; f++)
		if (!before[f])
			ready[length++] = f;
	for (; listed < length; listed++)
		for (size_t k = first[ready[listed]]; k < first[ready[listed] + 1]; k++)
			if (!--before[next[k]])
				ready[length++] = next[k];
	free(first);
	free(before);
	free(ready);
	free(next);
	return length == functions;
}

/* Statements that some functions take beyond the first: of large populations those of some
   processes. */
static uint32_t repetitions(const struct population *p, const uint32_t *of, uint32_t functions)
{
	struct schedule s = {.hasty = true};
	size_t step = p->count / SCHEDULED + 1, n = 0;
	bool *met = mem_zero(functions);
	uint32_t strands = 0, last = UINT32_MAX, different = 0;
	s.construct = mem_array(p->count, sizeof *s.construct);
	s.process = mem_array(p->count, sizeof *s.process);
	for (size_t i = 0; i < p->count; i++) {
		uint32_t who = p->seen[p->sequence[i]].p, function = of[p->sequence[i]];
		if (hash_mix(who) % step)
			continue;
		strands += who != last;
		last = who;
		different += !met[function];
		met[function] = true;
		s.construct[n] = (struct construct){.shape = function, .first_process = n, .processes = 1};
		s.process[n++] = strands - 1;
	}
	s.constructs = s.processes = n;
	schedule_make(&s, strands, 0);
	uint32_t groups = (uint32_t)s.groups;
	schedule_clear(&s);
	free(met);
	return groups - different;
}

uint32_t population_statements(const struct population *p, const uint32_t *of, uint32_t functions)
{
	return agree(p, of, functions) ? functions : functions + repetitions(p, of, functions);
}
