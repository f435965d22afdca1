/*
 * number_parts.c -- one walk that finds the parts, or puts others there.
 */
#include "sizes/number_parts.h"

struct walk {
	struct store *s;
	struct number_parts *to; /* NULL: parts are put, */
	const node_id *from; /* ... these, */
	uint32_t next; /* ... from this one on */
};

enum role { OWN, FACTOR, FREE };

bool number_is_common(const struct store *s, node_id number)
{
	const struct node *n = node_of(s, number);
	return !(n->uses[FOR_ALL] & ~USES_EXTENTS) && !n->looks;
}

static node_id part(struct walk *w, node_id number, enum role role)
{
	int64_t k;
	bool constant = number_is_constant(w->s, number, &k);
	if (constant && role != FREE && (!k || (role == FACTOR && k >= -1 && k <= 1)))
		return number;
	if (!w->to)
		return w->from[w->next++];
	w->to->has_more |= w->to->length == PARTS_MOST;
	if (!w->to->has_more) {
		w->to->factor[w->to->length] = role == FACTOR;
		w->to->part[w->to->length++] = number;
	}
	return number;
}

static node_id walk_sum(struct walk *, node_id, enum role);
static node_id walk_factor(struct walk *, node_id, enum role);

static node_id walk_number(struct walk *w, node_id id, enum role role)
{
	return node_of(w->s, id)->kind == NODE_SUM ? walk_sum(w, id, role) : walk_factor(w, id, role);
}

static node_id walk_remainder(struct walk *w, const struct node *f, bool ring, enum role role)
{
	int64_t by;
	node_id modulus = ring ? walk_sum(w, f->kid[1], FACTOR) : NODE_NONE, inside = walk_sum(w, f->kid[0], role);
	modulus = ring ? modulus : walk_sum(w, f->kid[1], FACTOR);
	bool none = !modulus || (number_is_constant(w->s, modulus, &by) && by <= 0);
	return none ? NODE_NONE : number_remainder(w->s, inside, modulus);
}

static node_id walk_power(struct walk *w, const struct node *f)
{
	int64_t of;
	node_id exponent = walk_sum(w, f->kid[1], OWN), base = walk_sum(w, f->kid[0], FACTOR);
	bool none = !base || (number_is_constant(w->s, base, &of) && of <= 1);
	return none ? NODE_NONE : number_power(w->s, base, exponent);
}

static node_id walk_factor(struct walk *w, node_id id, enum role role)
{
	const struct node *f = node_of(w->s, id);
	node_id kid[1 + TABLE_ARGUMENTS + GRID_AXES] = {NODE_NONE};
	if (f->kind == NODE_REMAINDER)
		return walk_remainder(w, f, false, FACTOR);
	if (f->kind == NODE_POWER)
		return walk_power(w, f);
	if (f->kind == NODE_VARIABLE || f->kind == NODE_FUNCTION)
		return number_of_factor(w->s, id);
	for (uint32_t k = 0; k < f->kids; k++)
		kid[k] = f->kind == NODE_ENTRY && !k ? f->kid[k]
			 : f->kind == NODE_PRODUCT   ? walk_number(w, f->kid[k], FACTOR)
						     : walk_sum(w, f->kid[k], f->kind == NODE_XOR ? role : FACTOR);
	return number_of_kids(w->s, (enum node_kind)f->kind, f->sub, f->word, f->number, f->kids, kid);
}

/* Takes what is the same for all out of a product; gives the rest. */
static node_id split(struct store *s, node_id factor, node_id *common)
{
	const struct node *f = node_of(s, factor);
	for (uint32_t k = 0; f->kind == NODE_PRODUCT && k < 2; k++)
		if (number_is_common(s, f->kid[k])) {
			bool sum = node_of(s, f->kid[k])->kind == NODE_SUM;
			node_id by = sum ? f->kid[k] : number_of_factor(s, f->kid[k]);
			*common = number_multiply(s, *common, by);
			return split(s, f->kid[!k], common);
		}
	return factor;
}

/* (x+y)%X*X, but X*x */
static node_id product(struct store *s, node_id common, node_id rest)
{
	bool behind = node_of(s, number_single(s, rest))->kind == NODE_REMAINDER;
	return behind ? number_multiply(s, rest, common) : number_multiply(s, common, rest);
}

static node_id walk_sum(struct walk *w, node_id id, enum role role)
{
	const struct node *n = node_of(w->s, id);
	node_id whole = number_constant(w->s, n->number);
	for (uint32_t i = 0; i < n->kids; i++)
		if (number_is_common(w->s, n->kid[i]))
			whole = number_add(w->s, whole, number_of_factor(w->s, node_kid(w->s, n->kid[i], 0)),
				node_of(w->s, n->kid[i])->number);
	whole = part(w, whole, role);
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(w->s, n->kid[i]);
		if (number_is_common(w->s, n->kid[i]))
			continue;
		node_id common = number_constant(w->s, t->number), rest = split(w->s, t->kid[0], &common);
		common = part(w, common, FACTOR);
		rest = walk_number(w, rest, role == FREE ? FACTOR : role);
		whole = number_add(w->s, whole, product(w->s, common, rest), 1);
	}
	return whole;
}

static node_id walk_all(struct walk *w, node_id number, enum parts_of of)
{
	bool ring = of == PARTS_OF_PLACE && number_shape(w->s, number, true) == SHAPE_RING;
	if (ring)
		return walk_remainder(w, node_of(w->s, number_single(w->s, number)), true, OWN);
	return walk_sum(w, number, of == PARTS_OF_FREE_NUMBER ? FREE : OWN);
}

void number_parts_of(struct store *s, node_id number, enum parts_of of, struct number_parts *to)
{
	*to = (struct number_parts){0};
	walk_all(&(struct walk){.s = s, .to = to}, number, of);
}

node_id number_with_parts(struct store *s, node_id number, enum parts_of of, const node_id *part)
{
	return walk_all(&(struct walk){.s = s, .from = part}, number, of);
}
