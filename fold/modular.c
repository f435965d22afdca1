/*
 * modular.c -- coordinates as remainders, and back.
 */
#include "fold/modular.h"

#include <string.h>

static int used(const struct value *v)
{
	int count = 0;
	while (count < REMAINDERS && v->remainder[count].modulus)
		count++;
	return count;
}

static int64_t scale_of(const struct grid *g, uint32_t axis)
{
	int64_t scale = 1;
	for (uint32_t i = 0; i < axis; i++)
		scale *= g->size[i];
	return scale;
}

static void add_axis(struct value *v, const struct grid *g, uint32_t axis, int64_t factor)
{
	struct remainder *r = &v->remainder[used(v)];
	*r = (struct remainder){.modulus = g->size[axis], .factor = factor};
	r->inside.axis[axis] = 1;
}

static bool comes_before(const struct remainder *a, const struct remainder *b)
{
	if (a->factor != b->factor)
		return a->factor < b->factor;
	if (a->modulus != b->modulus)
		return a->modulus < b->modulus;
	return memcmp(a->inside.axis, b->inside.axis, sizeof a->inside.axis) < 0;
}

static void sort_remainders(struct value *v)
{
	for (int i = 1; i < used(v); i++)
		for (int k = i; k && comes_before(&v->remainder[k], &v->remainder[k - 1]); k--) {
			struct remainder swap = v->remainder[k];
			v->remainder[k] = v->remainder[k - 1];
			v->remainder[k - 1] = swap;
		}
}

void value_normalize(struct value *v, const struct grid *g)
{
	uint32_t axes = 0, room = (uint32_t)(REMAINDERS - used(v));
	bool flat = false;
	for (uint32_t i = 0; i < g->axes; i++) {
		axes += v->plain.p || v->plain.axis[i];
		flat = flat || g->size[i] == 1;
	}
	if (axes > room || flat)
		return;
	for (uint32_t i = 0; i < g->axes; i++) {
		int64_t factor = v->plain.p * scale_of(g, i) + v->plain.axis[i];
		v->plain.axis[i] = 0;
		if (factor)
			add_axis(v, g, i, factor);
	}
	if (g->axes)
		v->plain.p = 0;
	sort_remainders(v);
}

/* The axis that is all the remainder is; -1: it is something else. */
static int only_axis(const struct remainder *r, const struct grid *g)
{
	for (uint32_t i = 0; i < g->axes; i++) {
		struct affine axis = {0};
		axis.axis[i] = 1;
		if (r->modulus == g->size[i] && !memcmp(&axis, &r->inside, sizeof axis))
			return (int)i;
	}
	return -1;
}

static bool is_rank(const struct value *v, const struct grid *g)
{
	for (uint32_t i = 0; i < g->axes; i++)
		if (v->plain.axis[i] != v->plain.axis[0] * scale_of(g, i))
			return false;
	return g->axes && v->plain.axis[0];
}

void value_simplify(struct value *v, const struct grid *g)
{
	int kept = 0;
	for (int i = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		struct remainder r = v->remainder[i];
		int axis = only_axis(&r, g);
		v->remainder[i] = (struct remainder){0};
		if (axis >= 0)
			v->plain.axis[axis] += r.factor;
		else
			v->remainder[kept++] = r;
	}
	if (!is_rank(v, g))
		return;
	v->plain.p += v->plain.axis[0];
	memset(v->plain.axis, 0, sizeof v->plain.axis);
}
