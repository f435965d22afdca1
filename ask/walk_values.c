/*
 * walk_values.c -- values that never vary are computed once.
 */
#include "ask/walk_values.h"

#include <stdlib.h>

#include "base/mem.h"

struct walk_value {
	struct attribute attribute;
	bool varies;
	struct attribute_value value; /* where it does not vary */
};

void walk_values_of(struct walk_values *c, const struct program *p, uint32_t *name, size_t names)
{
	*c = (struct walk_values){p, name, names, mem_zero(p->length * names * sizeof *c->value)};
	for (size_t i = 0; i < p->length; i++)
		for (size_t k = 0; k < names; k++) {
			struct walk_value *x = &c->value[i * names + k];
			bool there = program_attribute(p, i, name[k], &x->attribute);
			x->varies = there && !value_is_constant(&x->attribute.value);
			if (there && !x->varies)
				x->value = attribute_at(p, &x->attribute, &(struct spot){0});
		}
}

void walk_values_clear(struct walk_values *c)
{
	free(c->name);
	free(c->value);
	*c = (struct walk_values){0};
}

struct attribute_value walk_values_at(const struct walk_values *c, const struct walk *walk, size_t name)
{
	const struct walk_value *x = &c->value[walk_statement(walk) * c->names + name];
	struct spot spot = walk_spot(walk);
	return x->varies ? attribute_at(c->program, &x->attribute, &spot) : x->value;
}

void walk_values_put(const struct walk_values *c, size_t name, const struct attribute_value *v, struct text *out)
{
	if (!v->there)
		return;
	text_put(out, out->length ? " " : " ; ");
	text_put(out, dictionary_get_word(c->program->dictionary, c->name[name]));
	text_char(out, '=');
	attribute_value_print(v, out);
}
