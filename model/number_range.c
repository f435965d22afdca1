/*
 * number_range.c -- interval arithmetic. Names are taken as if each was on its own, so a range may
 * be wider than what is met.
 */
#include "model/number_range.h"

#include "base/gcd.h"

void ranges_of_process(struct ranges *r, uint32_t rank)
{
	r->p = (struct range){rank, rank};
	for (uint32_t a = 0; a < r->grid.axes; rank /= r->grid.size[a], a++)
		r->axis[a] = (struct range){rank % r->grid.size[a], rank % r->grid.size[a]};
}

void ranges_of_processes(struct ranges *r, uint32_t first, uint32_t last)
{
	ranges_of_process(r, first);
	if (first == last)
		return;
	r->p.high = last;
	for (uint32_t a = 0; a < r->grid.axes; a++)
		r->axis[a] = (struct range){0, r->grid.size[a] - INT64_C(1)};
}

static bool is_single(struct range a)
{
	return a.low == a.high;
}

static bool index_range(const struct ranges *r, int64_t outwards, struct range *to)
{
	if (outwards >= (int64_t)r->depth)
		return false;
	int64_t top = r->top[r->depth - 1 - (size_t)outwards];
	*to = (struct range){0, top < 0 ? 0 : top};
	return true;
}

static bool variable_range(const struct ranges *r, int64_t variable, struct range *to)
{
	int64_t extent;
	if (variable >= VARIABLE_INDEX)
		return index_range(r, variable - VARIABLE_INDEX, to);
	if (variable >= VARIABLE_SYMBOL)
		return false;
	if (variable <= VARIABLE_W) {
		*to = variable == VARIABLE_P ? r->p : r->axis[variable - VARIABLE_X];
		return true;
	}
	extent = variable == VARIABLE_RANKS ? r->processes : r->grid.size[variable - VARIABLE_SIZE];
	*to = (struct range){extent, extent};
	return true;
}

static bool product_range(struct range a, struct range b, struct range *to)
{
	const int64_t left[] = {a.low, a.high}, right[] = {b.low, b.high};
	for (int i = 0; i < 4; i++) {
		int64_t product;
		if (__builtin_mul_overflow(left[i / 2], right[i % 2], &product))
			return false;
		to->low = !i || product < to->low ? product : to->low;
		to->high = !i || product > to->high ? product : to->high;
	}
	return true;
}

static bool remainder_range(struct range inside, struct range modulus, struct range *to)
{
	int64_t by = modulus.low;
	if (!is_single(modulus) || by <= 0)
		return false;
	*to = floor_of(inside.low, by) == floor_of(inside.high, by)
		      ? (struct range){modulo(inside.low, by), modulo(inside.high, by)}
		      : (struct range){0, by - 1};
	return true;
}

static bool raise(int64_t base, int64_t exponent, int64_t *power)
{
	for (*power = 1; exponent > 0; exponent--)
		if (__builtin_mul_overflow(*power, base, power))
			return false;
	return true;
}

static bool power_range(struct range base, struct range exponent, struct range *to)
{
	return is_single(base) && base.low >= 1 && exponent.low >= 0 && exponent.high <= 64 &&
	       raise(base.low, exponent.low, &to->low) && raise(base.low, exponent.high, &to->high);
}

/* A rank with bits flipped is below the next power of two above both. */
static bool flipped_range(struct range p, struct range with, struct range *to)
{
	int64_t bound = 1;
	if (is_single(p) && is_single(with)) {
		*to = (struct range){p.low ^ with.low, p.low ^ with.low};
		return true;
	}
	if (with.low < 0 || with.high > RANK_LIMIT)
		return false;
	while (bound <= with.high || bound <= p.high)
		bound *= 2;
	*to = (struct range){0, bound - 1};
	return true;
}

/* Has the table an entry wherever these arguments go? */
static bool has_entries(const struct ranges *r, const struct table *t, const struct range *argument, uint32_t arguments)
{
	int64_t at[TABLE_ARGUMENTS] = {0};
	__int128 rows = 1;
	if (table_arguments(t) != arguments)
		return false;
	for (uint32_t i = 0; i < arguments; i++) {
		if (argument[i].low < 0 || argument[i].high > (int64_t)TABLE_LIMIT)
			return false;
		rows *= i + 1 < arguments ? argument[i].high - argument[i].low + 1 : 1;
		at[i] = argument[i].low;
	}
	for (; rows > 0; rows--) {
		uint64_t first, length;
		if (!*r->steps || !table_row(t, at, &first, &length) || argument[arguments - 1].high >= (int64_t)length)
			return false;
		--*r->steps;
		for (uint32_t i = arguments - 1; i-- > 0; at[i] = argument[i].low)
			if (++at[i] <= argument[i].high)
				break;
	}
	return true;
}

static bool entry_range(const struct ranges *r, const struct node *f, struct range *to)
{
	struct range argument[TABLE_ARGUMENTS];
	int64_t at[TABLE_ARGUMENTS];
	uint32_t arguments = f->kids - 1;
	bool single = true;
	const struct node *n = node_of(r->store, f->kid[0]);
	if (n->kind != NODE_TABLE || n->kids)
		return false;
	const struct table *t = store_get_table(r->store, (uint32_t)n->number);
	for (uint32_t i = 0; i < arguments; i++) {
		if (!number_range(r, f->kid[i + 1], &argument[i]))
			return false;
		single = single && is_single(argument[i]);
		at[i] = argument[i].low;
	}
	if (!has_entries(r, t, argument, arguments))
		return false;
	*to = (struct range){table_least(t), table_most(t)};
	if (single && table_value(t, at, &to->low))
		to->high = to->low;
	return true;
}

static bool grid_range(const struct ranges *r, const struct node *f, struct range *to)
{
	int64_t rank = 0, step = 1;
	bool single = true;
	for (uint32_t a = 0; a < f->kids; step *= r->grid.size[a], a++) {
		struct range at, size = {r->grid.size[a], r->grid.size[a]};
		if (!number_range(r, f->kid[a], &at) || !remainder_range(at, size, &at))
			return false;
		single = single && is_single(at);
		rank += step * at.low;
	}
	*to = single ? (struct range){rank, rank} : (struct range){0, r->processes - INT64_C(1)};
	return true;
}

static bool factor_range(const struct ranges *r, node_id id, struct range *to)
{
	const struct node *f = node_of(r->store, id);
	struct range kid[2];
	switch ((enum node_kind)f->kind) {
	case NODE_VARIABLE:
		return variable_range(r, f->number, to);
	case NODE_ENTRY:
		return entry_range(r, f, to);
	case NODE_GRID:
		return grid_range(r, f, to);
	case NODE_XOR:
		return number_range(r, f->kid[0], &kid[0]) && flipped_range(r->p, kid[0], to);
	case NODE_REMAINDER:
	case NODE_POWER:
	case NODE_PRODUCT:
		break;
	default:
		return false;
	}
	if (!number_range(r, f->kid[0], &kid[0]) || !number_range(r, f->kid[1], &kid[1]))
		return false;
	return f->kind == NODE_REMAINDER ? remainder_range(kid[0], kid[1], to)
	       : f->kind == NODE_POWER   ? power_range(kid[0], kid[1], to)
					 : product_range(kid[0], kid[1], to);
}

/* What is added up on the way fits, too. */
bool number_range(const struct ranges *r, node_id id, struct range *to)
{
	const struct node *n = node_of(r->store, id);
	if (n->kind != NODE_SUM)
		return factor_range(r, id, to);
	*to = (struct range){n->number, n->number};
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(r->store, n->kid[i]);
		struct range factor, times = {t->number, t->number};
		if (!factor_range(r, t->kid[0], &factor) || !product_range(factor, times, &factor) ||
			__builtin_add_overflow(to->low, factor.low, &to->low) ||
			__builtin_add_overflow(to->high, factor.high, &to->high))
			return false;
	}
	return true;
}
