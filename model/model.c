/*
 * model.c -- a dictionary, a nest over its events, and remarks.
 */
#include "model/model.h"

#include <stdlib.h>

#include "base/mem.h"

struct model *model_new(void)
{
	struct model *m = mem_zero(sizeof *m);
	m->dictionary = dictionary_new();
	m->nest = nest_new();
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	dictionary_free(m->dictionary);
	nest_free(m->nest);
	notes_clear(&m->notes);
	free(m);
}

uint64_t model_constructs(const struct model *m)
{
	return nest_constructs(m->nest, m->nest->root, m->nest->root_length);
}
