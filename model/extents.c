/*
 * extents.c -- names, and what they stand for.
 */
#include "model/extents.h"

struct environment extents_environment(const struct extents *x, struct store *s)
{
	struct environment e = {.store = s, .processes = x->processes, .grid = x->grid};
	for (uint32_t i = 0; i < x->parameters; i++)
		e.symbol[i] = x->parameter[i].value;
	return e;
}

uint32_t extents_terms(const struct extents *x)
{
	return 1 + x->grid.axes + x->parameters;
}

int64_t extents_term(const struct extents *x, uint32_t k)
{
	return k == 0              ? x->processes
	       : k <= x->grid.axes ? x->grid.size[k - 1]
				   : x->parameter[k - 1 - x->grid.axes].value;
}

void extents_print_term(const struct extents *x, uint32_t k, struct text *to)
{
	if (k == 0)
		text_char(to, 'P');
	else if (k <= x->grid.axes)
		text_char(to, "XYZW"[k - 1]);
	else
		text_put(to, x->parameter[k - 1 - x->grid.axes].name);
}

bool extents_same(const struct extents *a, const struct extents *b)
{
	bool same = a->processes == b->processes && a->parameters == b->parameters;
	for (uint32_t i = 0; i < a->parameters && same; i++)
		same = a->parameter[i].value == b->parameter[i].value;
	return same;
}
