/*
 * substitution.c -- a node is made anew of its kids; sums are added up again.
 */
#include "model/substitution.h"

#include <stdlib.h>

#include "base/mem.h"

static node_id variable_of(const struct substitution *s, node_id id, uint32_t depth)
{
	node_id sum = s->of(s, node_of(s->store, id)->number, depth);
	return sum ? sum : number_of_factor(s->store, id);
}

static node_id table_of(const struct substitution *s, node_id id, uint32_t depth)
{
	const struct node *t = node_of(s->store, id);
	node_id table = t->kind == NODE_VARIABLE ? s->of(s, t->number, depth) : NODE_NONE;
	return table ? table : id;
}

/* (i0+5)%4 is (i0+1)%4 */
static node_id remainder_of_sum(const struct substitution *s, node_id inside, node_id modulus)
{
	int64_t by;
	if (inside && modulus && number_is_constant(s->store, modulus, &by) && by > 0) {
		int64_t constant = node_of(s->store, inside)->number, least = (constant % by + by) % by;
		inside = number_add(s->store, inside, number_constant(s->store, constant), -1);
		inside = inside ? number_add(s->store, inside, number_constant(s->store, least), 1) : inside;
	}
	return number_remainder(s->store, inside, modulus);
}

static bool is_known(const struct substitution *s, node_id factor)
{
	const struct node *f = node_of(s->store, factor);
	if (!s->at || f->kind == NODE_VARIABLE)
		return false;
	for (uint32_t k = 0; k < f->kids; k++) {
		const struct node *kid = node_of(s->store, f->kid[k]);
		if (kid->kind == NODE_VARIABLE || (kid->kind == NODE_SUM && kid->kids))
			return false;
	}
	return true;
}

static node_id factor_again(const struct substitution *s, node_id id, const node_id *kid)
{
	const struct node *f = node_of(s->store, id);
	switch ((enum node_kind)f->kind) {
	case NODE_REMAINDER:
		return remainder_of_sum(s, kid[0], kid[1]);
	case NODE_POWER:
		return number_power(s->store, kid[0], kid[1]);
	case NODE_PRODUCT:
		return number_multiply(s->store, kid[0], kid[1]);
	default:
		id = node_with(s->store, id, kid);
		return is_known(s, id) ? number_constant(s->store, number_at(s->at, id))
				       : number_of_factor(s->store, id);
	}
}

static node_id substitute_factor(const struct substitution *s, node_id id, uint32_t depth)
{
	const struct node *f = node_of(s->store, id);
	node_id kid[1 + TABLE_ARGUMENTS];
	if (f->kind == NODE_VARIABLE)
		return variable_of(s, id, depth);
	for (uint32_t k = 0; k < f->kids; k++) {
		kid[k] = f->kind == NODE_ENTRY && !k ? table_of(s, f->kid[k], depth) : substitute(s, f->kid[k], depth);
		if (!kid[k])
			return NODE_NONE;
	}
	return factor_again(s, id, kid);
}

static node_id substitute_sum(const struct substitution *s, node_id id, uint32_t depth)
{
	const struct node *n = node_of(s->store, id);
	node_id sum = number_constant(s->store, n->number);
	for (uint32_t k = 0; k < n->kids && sum; k++) {
		const struct node *t = node_of(s->store, n->kid[k]);
		sum = number_add(s->store, sum, substitute_factor(s, t->kid[0], depth), t->number);
	}
	return sum;
}

static bool is_factor(enum node_kind kind)
{
	return kind >= NODE_VARIABLE && kind < NODE_TABLE;
}

node_id substitute(const struct substitution *s, node_id id, uint32_t depth)
{
	const struct node *n = node_of(s->store, id);
	enum node_kind kind = (enum node_kind)n->kind;
	if (kind == NODE_SUM)
		return substitute_sum(s, id, depth);
	if (is_factor(kind))
		return substitute_factor(s, id, depth);
	if (!id || !n->kids || kind == NODE_TABLE || kind == NODE_PROCEDURE || kind == NODE_WORDS)
		return id;
	node_id *kid = mem_array(n->kids, sizeof *kid);
	bool lost = false;
	for (uint32_t k = 0; k < n->kids; k++) {
		bool table = kind == NODE_CALL && node_of(s->store, n->kid[k])->kind == NODE_VARIABLE;
		kid[k] = table ? table_of(s, n->kid[k], depth)
			       : substitute(s, n->kid[k], depth + (kind == NODE_LOOP && k == 2));
		lost |= !kid[k] && n->kid[k];
	}
	node_id result = lost ? NODE_NONE : node_with(s->store, id, kid);
	free(kid);
	return result;
}

/* ------------------------------------------------------------------ further in */

static node_id index_inside(const struct substitution *s, int64_t variable, uint32_t depth)
{
	const uint32_t *loops = s->context;
	(void)depth;
	return variable < VARIABLE_INDEX ? NODE_NONE : number_variable(s->store, variable + *loops);
}

node_id number_inside(struct store *store, node_id id, uint32_t loops)
{
	struct substitution s = {.store = store, .of = index_inside, .context = &loops};
	return loops && node_of(store, id)->uses[FOR_ALL] & USES_INDICES ? substitute(&s, id, 0) : id;
}
