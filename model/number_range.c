/*
 * number_range.c -- interval arithmetic. Names are taken as if each was on its own, so a range may
 * be wider than what is met; what does not vary is known.
 */
#include "model/number_range.h"

#include "base/gcd.h"

static bool variable_range(const struct ranges *r, int64_t variable, struct range *to)
{
	if (variable == VARIABLE_COUNTER) /* q: any process (sum() is a function, and has no range) */
		return (*to = (struct range){0, r->at.processes - INT64_C(1)}, true);
	if (variable >= VARIABLE_INDEX + (int64_t)r->depth || (variable > VARIABLE_W && variable < VARIABLE_INDEX))
		return false;
	if (variable >= VARIABLE_INDEX)
		*to = (struct range){0, r->top[r->depth - 1 - (size_t)(variable - VARIABLE_INDEX)]};
	else if (variable == VARIABLE_P)
		*to = (struct range){r->at.p, r->last};
	else
		*to = (struct range){0, r->at.grid.size[variable - VARIABLE_X] - INT64_C(1)};
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
	if (by != modulus.high || by <= 0)
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
	return base.low == base.high && base.low >= 1 && exponent.low >= 0 && exponent.high <= 64 &&
	       raise(base.low, exponent.low, &to->low) && raise(base.low, exponent.high, &to->high);
}

/* A rank with bits flipped is below the next power of two above both. */
static bool flipped_range(const struct ranges *r, struct range with, struct range *to)
{
	int64_t bound = 1;
	while (with.high <= RANK_LIMIT && (bound <= with.high || bound <= r->last))
		bound *= 2;
	*to = (struct range){0, bound - 1};
	return with.low >= 0 && with.high <= RANK_LIMIT;
}

/* Has the table an entry wherever these arguments go? */
static bool has_entries(struct ranges *r, const struct table *t, const struct range *argument, uint32_t arguments)
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
		if (!r->steps || !table_row(t, at, &first, &length) || argument[arguments - 1].high >= (int64_t)length)
			return false;
		r->steps--;
		for (uint32_t i = arguments - 1; i-- > 0; at[i] = argument[i].low)
			if (++at[i] <= argument[i].high)
				break;
	}
	return true;
}

/* A table that says a sum for each process, or for each coordinate. */
static bool formula_range(struct ranges *r, const struct node *table, node_id argument, struct range *to)
{
	struct ranges all = *r;
	struct range at;
	const struct environment *e = &r->at;
	int64_t extent = table->sub == 'p' ? e->processes : e->grid.size[table->sub == 'w' ? 3 : table->sub - 'x'];
	environment_set(&all.at, 0);
	all.last = e->processes - 1;
	return number_range(r, argument, &at) && at.low >= 0 && at.high < extent &&
	       number_range(&all, table->kid[0], to);
}

static bool entry_range(struct ranges *r, const struct node *f, struct range *to)
{
	struct range argument[TABLE_ARGUMENTS];
	const struct node *n = node_of(r->at.store, f->kid[0]);
	if (n->kind == NODE_TABLE && n->kids && f->kids == 2)
		return formula_range(r, n, f->kid[1], to);
	if (n->kind != NODE_TABLE || n->kids)
		return false;
	const struct table *t = store_get_table(r->at.store, (uint32_t)n->number);
	for (uint32_t i = 0; i + 1 < f->kids && !r->lax; i++)
		if (!number_range(r, f->kid[i + 1], &argument[i]))
			return false;
	*to = (struct range){table_least(t), table_most(t)};
	return r->lax || has_entries(r, t, argument, f->kids - 1);
}

static bool factor_range(struct ranges *r, const struct node *f, struct range *to)
{
	struct range kid[GRID_AXES];
	if (f->kind == NODE_VARIABLE)
		return variable_range(r, f->number, to);
	if (f->kind == NODE_ENTRY)
		return entry_range(r, f, to);
	for (uint32_t k = 0; k < f->kids; k++)
		if (!number_range(r, f->kid[k], &kid[k]))
			return false;
	switch ((enum node_kind)f->kind) {
	case NODE_GRID:
		*to = (struct range){0, r->at.processes - INT64_C(1)};
		return true;
	case NODE_XOR:
		return flipped_range(r, kid[0], to);
	case NODE_REMAINDER:
		return remainder_range(kid[0], kid[1], to);
	case NODE_POWER:
		return power_range(kid[0], kid[1], to);
	case NODE_PRODUCT:
		return product_range(kid[0], kid[1], to);
	case NODE_FUNCTION:
		*to = (struct range){0, 1};
		return f->sub >= FUNCTION_LESS && f->sub <= FUNCTION_DIFFERS;
	default:
		return false;
	}
}

/* What is added up on the way fits, too. */
bool number_range(struct ranges *r, node_id id, struct range *to)
{
	const struct node *n = node_of(r->at.store, id);
	uint64_t varying = USES_INDICES | USES_COUNTER | (r->at.p < r->last ? USES_PROCESS : 0);
	if (!(n->uses[FOR_ALL] & varying)) {
		to->low = to->high = number_at(&r->at, id);
		enum failure failure = r->at.failure;
		r->at.failure = FAILURE_NONE;
		return !failure;
	}
	if (n->kind != NODE_SUM)
		return factor_range(r, n, to);
	*to = (struct range){n->number, n->number};
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(r->at.store, n->kid[i]);
		struct range factor, times = {t->number, t->number};
		if (!number_range(r, t->kid[0], &factor) || !product_range(factor, times, &factor) ||
			__builtin_add_overflow(to->low, factor.low, &to->low) ||
			__builtin_add_overflow(to->high, factor.high, &to->high))
			return false;
	}
	return true;
}
