/*
 * iteration.c -- what is taken modulo something repeats; what advances, or is looked up by an index
 * as it is, does not.
 */
#include "model/iteration.h"

#include "base/gcd.h"
#include "base/mem.h"

#define PERIOD_MOST (UINT64_C(1) << 20)
#define STEP_MOST (INT64_C(1) << 20) /* below it nothing runs over in PERIODS_INDEX iterations */

/* While loops are visited: those around. */
struct marking {
	const struct program *program;
	uint64_t *period;
	size_t around[INDEX_DEPTH];
};

static uint64_t common(uint64_t a, uint64_t b)
{
	return a && b ? common_multiple(a, b, PERIOD_MOST) : 0;
}

/* Of this modulo something (0: as it is). */
static uint64_t period_modulo(const struct affine *inside, int64_t modulus, uint32_t depth)
{
	int64_t step = inside->index[depth];
	if (!step)
		return 1;
	if (modulus <= 0 || step > STEP_MOST || step < -STEP_MOST)
		return 0;
	return (uint64_t)modulus / gcd((uint64_t)modulus, (uint64_t)(step < 0 ? -step : step));
}

static uint64_t value_period(const struct value *v, uint32_t depth)
{
	uint64_t period = period_modulo(&v->plain, 0, depth);
	for (unsigned r = 0; r < POWERS && v->power[r].base; r++)
		period = common(period, period_modulo(&v->power[r].exponent, 0, depth));
	for (unsigned r = 0; r < REMAINDERS && v->remainder[r].modulus; r++)
		period = common(period, period_modulo(&v->remainder[r].inside, v->remainder[r].modulus, depth));
	for (int k = 0; value_lookup(v, k); k++) {
		const struct lookup *l = value_lookup(v, k);
		for (uint32_t a = 0; a < table_arguments(l->table); a++)
			period = common(period, period_modulo(&l->argument[a].inside, l->argument[a].modulus, depth));
	}
	return period;
}

static void mark(struct marking *m, size_t from, size_t to, uint32_t depth)
{
	for (size_t i = from; i < to; i += statement_size(&m->program->statement[i])) {
		const struct statement *s = &m->program->statement[i];
		if (!statement_is_loop(s))
			continue;
		m->period[i] = 1;
		struct value bound = program_bound(m->program, s);
		for (uint32_t d = 0; d < depth && d < INDEX_DEPTH; d++) {
			uint64_t *around = &m->period[m->around[d]];
			*around = common(*around, value_period(&bound, d));
		}
		if (depth < INDEX_DEPTH)
			m->around[depth] = i;
		mark(m, i + 1, i + s->size, depth + 1);
	}
}

uint64_t *program_periods(const struct program *p)
{
	struct marking m = {.program = p, .period = mem_zero((p->length + 1) * sizeof *m.period)};
	mark(&m, 0, p->length, 0);
	return m.period;
}

struct iteration iteration_start(int64_t *index, uint64_t count, uint64_t period)
{
	bool known = period == 1 || (period && count <= (uint64_t)PERIODS_INDEX);
	return (struct iteration){.index = index, .seen = known && period < count ? period : count, .count = count};
}

bool iteration_step(struct iteration *k)
{
	bool any = k->next < k->seen;
	if (k->index)
		*k->index = any ? (int64_t)k->next : 0;
	if (any)
		k->times = k->count / k->seen + (k->next++ < k->count % k->seen);
	return any;
}
