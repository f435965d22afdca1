/*
 * long_periods.c -- terms that leave the window pass by here once more. Of the grams they form,
 * about 16 per window length are picked by their hash and remembered in a small table with the
 * place where they came last and the distance to the one before. A gram that keeps coming at one
 * distance, longer than the window, belongs to a loop that a longer window might have found. Noise
 * does not look like that. Rough on purpose: it only advises the user to try a longer window.
 */
#include "nlr/long_periods.h"

#include <stdlib.h>

#include "base/mem.h"

#define LONGEST_GRAM 32
#define PICKED_PER_WINDOW 16
#define PLACES 1024
#define GRAM_BASE UINT64_C(0x9fb21c651e98df25)

struct place {
	uint64_t gram, last, distance;
	unsigned times;
};

struct long_periods {
	size_t window, length; /* of grams */
	uint64_t picked; /* one gram in so many */
	unsigned repetitions;
	bool any;
	uint64_t terms;
	size_t at; /* in recent: of the oldest one */
	uint64_t recent[LONGEST_GRAM]; /* hashes of the last terms, round and round */
	uint64_t gram; /* a polynomial over them */
	uint64_t oldest; /* the factor of the oldest one in it */
	struct place place[PLACES];
};

struct long_periods *long_periods_new(size_t window, unsigned repetitions)
{
	struct long_periods *m = mem_zero(sizeof *m);
	m->window = window;
	m->length = window < LONGEST_GRAM ? window : LONGEST_GRAM;
	m->oldest = 1;
	for (size_t i = 1; i < m->length; i++)
		m->oldest *= GRAM_BASE;
	m->picked = window < PICKED_PER_WINDOW ? 1 : window / PICKED_PER_WINDOW;
	m->repetitions = repetitions;
	return m;
}

struct long_periods *long_periods_copy(const struct long_periods *m)
{
	return mem_copy(m, sizeof *m);
}

void long_periods_free(struct long_periods *m)
{
	free(m);
}

bool long_periods_any(const struct long_periods *m)
{
	return m->any;
}

static void note(struct long_periods *m, uint64_t gram)
{
	struct place *p = &m->place[gram / m->picked % PLACES];
	uint64_t distance = m->terms - p->last;
	if (p->gram != gram)
		*p = (struct place){.gram = gram, .times = 1};
	else
		p->times = p->times == 1 || distance == p->distance ? p->times + 1 : 2;
	p->distance = distance;
	p->last = m->terms;
	if (p->times >= m->repetitions && distance > m->window)
		m->any = true;
}

static bool is_picked(const struct long_periods *m, uint64_t gram)
{
	bool power_of_two = (m->picked & (m->picked - 1)) == 0;
	return (power_of_two ? gram & (m->picked - 1) : gram % m->picked) == 0;
}

void long_periods_add(struct long_periods *m, struct term t)
{
	uint64_t *place = &m->recent[m->at], old = *place;
	m->at = m->at + 1 < m->length ? m->at + 1 : 0;
	m->terms++;
	*place = hash_pair(t.id, t.count);
	m->gram = (m->gram - old * m->oldest) * GRAM_BASE + *place;
	uint64_t gram = hash_mix(m->gram);
	if (!m->any && m->terms >= m->length && is_picked(m, gram))
		note(m, gram);
}
