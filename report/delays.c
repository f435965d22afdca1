/*
 * delays.c -- the loops one after the other: what each bin delays, and what is waited in it.
 */
#include "report/delays.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"

/* Constructs of a loop, the first ones met: pairs of more take too long. */
#define MOST_TOGETHER 64

struct together {
	const struct analysis_construct *construct[MOST_TOGETHER];
	size_t length;
};

static int by_order(const void *left, const void *right)
{
	const struct analysis_construct *const *a = left, *const *b = right;
	return COMPARE((*a)->order, (*b)->order);
}

static double delayed_in(const struct analysis_construct *c, size_t bin, uint32_t processes)
{
	if (bin >= c->rank_bins || bin >= c->series[0].bins)
		return 0;
	double more = (double)c->bin_most[bin] - (double)c->series[0].work[bin] / processes;
	return more > 0 ? more : 0;
}

/* Those of one outermost loop whose bins are the same iterations. */
static struct together take_together(const struct analysis *a, size_t first, bool *seen)
{
	struct together t = {.length = 0};
	const struct analysis_construct *c = &a->construct[first];
	for (size_t i = first; i < a->constructs; i++) {
		const struct analysis_construct *d = &a->construct[i];
		if (d->sort != CONSTRUCT_PROGRAM || !d->depth || d->around[0] != c->around[0])
			continue;
		seen[i] = true;
		if (t.length < MOST_TOGETHER && d->series[0].width == c->series[0].width &&
			d->rank_width == c->series[0].width)
			t.construct[t.length++] = d;
	}
	qsort(t.construct, t.length, sizeof *t.construct, by_order);
	return t;
}

/* Where the processes meet next, from this one on and round the loop. */
static size_t meets_next(const struct together *t, size_t from)
{
	for (size_t k = 0; k < t->length; k++)
		if (t->construct[(from + k) % t->length]->total.calls)
			return (from + k) % t->length;
	return from;
}

static void share_out(const struct analysis *a, const struct together *t, struct delay *delay)
{
	double *delayed = mem_array(t->length, sizeof *delayed);
	double *cost = mem_zero(t->length * t->length * sizeof *cost); /* by who delays, then who pays */
	size_t bins = 0;
	for (size_t k = 0; k < t->length; k++)
		bins = t->construct[k]->series[0].bins > bins ? t->construct[k]->series[0].bins : bins;
	for (size_t i = 0; i < bins; i++) {
		double all = 0;
		for (size_t k = 0; k < t->length; k++)
			all += delayed[k] = delayed_in(t->construct[k], i, a->processes);
		for (size_t j = 0; j < t->length && all > 0; j++) {
			const struct analysis_series *s = &t->construct[j]->series[0];
			double waited = i < s->bins ? (double)s->waited[i] : 0;
			for (size_t k = 0; k < t->length && waited > 0; k++)
				cost[k * t->length + j] += waited * delayed[k] / all;
		}
	}
	for (size_t k = 0; k < t->length; k++) {
		struct delay *d = &delay[t->construct[k] - a->construct];
		size_t next = meets_next(t, k);
		for (size_t j = 0; j < t->length; j++) {
			double its = cost[k * t->length + j];
			*(j == next ? &d->direct : &d->late) += its;
			if (j == next || its <= d->most)
				continue;
			d->most = its;
			d->payer = t->construct[j];
		}
	}
	free(delayed);
	free(cost);
}

struct delay *delays_of(const struct analysis *a)
{
	struct delay *delay = mem_zero((a->constructs + 1) * sizeof *delay);
	bool *seen = mem_zero(a->constructs + 1);
	for (size_t i = 0; i < a->constructs && !a->clocks_disagree; i++)
		if (!seen[i] && a->construct[i].sort == CONSTRUCT_PROGRAM && a->construct[i].depth) {
			struct together t = take_together(a, i, seen);
			share_out(a, &t, delay);
		}
	free(seen);
	return delay;
}
