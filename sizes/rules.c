/*
 * rules.c -- rules are few: all are tried.
 */
#include "sizes/rules.h"

#include <string.h>

/* Of all products of `axes` numbers the one with the least difference; of several the one whose
   largest is least. */
struct search {
	uint32_t axes, size[GRID_AXES], best[GRID_AXES];
	bool found;
};

static uint32_t spread(const uint32_t *size, uint32_t axes)
{
	return size[0] - size[axes - 1];
}

static void balance(struct search *s, uint32_t at, uint32_t rest, uint32_t most)
{
	if (at + 1 == s->axes) {
		s->size[at] = rest;
		bool better = !s->found || spread(s->size, s->axes) < spread(s->best, s->axes) ||
			      (spread(s->size, s->axes) == spread(s->best, s->axes) && s->size[0] < s->best[0]);
		if (rest > most || !better)
			return;
		memcpy(s->best, s->size, sizeof s->best);
		s->found = true;
		return;
	}
	for (uint32_t size = most < rest ? most : rest; size; size--) {
		uint64_t reach = 1; /* the others are no larger */
		for (uint32_t k = at; k < s->axes && reach < rest; k++)
			reach *= size;
		if (reach < rest)
			return;
		if (rest % size)
			continue;
		s->size[at] = size;
		balance(s, at + 1, rest / size, size);
	}
}

static bool make_dims(uint32_t processes, uint32_t axes, uint32_t *size)
{
	struct search s = {.axes = axes};
	balance(&s, 0, processes, processes);
	memcpy(size, s.best, axes * sizeof *size);
	return true;
}

static void sort_down(uint32_t *size, uint32_t axes)
{
	for (uint32_t i = 1; i < axes; i++)
		for (uint32_t k = i; k && size[k] > size[k - 1]; k--) {
			uint32_t larger = size[k];
			size[k] = size[k - 1];
			size[k - 1] = larger;
		}
}

static bool make_greedy(uint32_t processes, uint32_t axes, uint32_t *size)
{
	uint32_t prime[32], primes = 0;
	for (uint32_t f = 2; processes > 1; f++) {
		if ((uint64_t)f * f > processes)
			f = processes;
		for (; processes % f == 0; processes /= f)
			prime[primes++] = f;
	}
	for (uint32_t i = 0; i < axes; i++)
		size[i] = 1;
	while (primes--) {
		uint32_t least = 0;
		for (uint32_t i = 1; i < axes; i++)
			least = size[i] < size[least] ? i : least;
		size[least] *= prime[primes];
	}
	sort_down(size, axes);
	return true;
}

static bool make_equal(uint32_t processes, uint32_t axes, uint32_t *size)
{
	for (uint32_t root = 1;; root++) {
		uint64_t power = 1;
		for (uint32_t i = 0; i < axes; i++)
			power *= root;
		if (power < processes)
			continue;
		for (uint32_t i = 0; i < axes; i++)
			size[i] = root;
		return power == processes;
	}
}

static bool make_powers(uint32_t processes, uint32_t axes, uint32_t *size)
{
	if (processes & (processes - 1))
		return false;
	uint32_t exponent = (uint32_t)__builtin_ctz(processes);
	for (uint32_t i = 0; i < axes; i++)
		size[i] = UINT32_C(1) << (exponent / axes + (i < exponent % axes));
	return true;
}

/* The others equal, the first what is left of the exponent. */
static bool make_classes(uint32_t processes, uint32_t axes, uint32_t *size)
{
	if (processes & (processes - 1) || axes < 2)
		return false;
	uint32_t exponent = (uint32_t)__builtin_ctz(processes), each = exponent / (axes - 1);
	for (uint32_t i = 0; i < axes; i++)
		size[i] = UINT32_C(1) << (i ? each : exponent - each * (axes - 1));
	return true;
}

bool rule_apply(const struct rule *r, uint32_t axes, uint32_t processes, struct grid *grid)
{
	static bool (*const make[])(uint32_t, uint32_t, uint32_t *) = {[RULE_EQUAL] = make_equal,
		[RULE_DIMS] = make_dims,
		[RULE_GREEDY] = make_greedy,
		[RULE_POWERS] = make_powers,
		[RULE_CLASSES] = make_classes};
	uint32_t size[GRID_AXES], made = axes - (r->fixed > 0), rest = r->fixed ? processes / r->fixed : processes;
	if (!processes || (r->fixed && processes % r->fixed) || !make[r->kind](rest, made, size))
		return false;
	*grid = (struct grid){.axes = axes};
	if (r->fixed)
		grid->size[0] = r->fixed;
	for (uint32_t i = 0; i < made; i++)
		grid->size[r->order[i] + (r->fixed > 0)] = size[i];
	return true;
}

static bool holds(const struct rule *r, const struct learned_runs *runs)
{
	for (size_t i = 0; i < runs->length; i++) {
		struct grid grid;
		const struct extents *x = &runs->run[i];
		if (!rule_apply(r, x->grid.axes, x->processes, &grid) || memcmp(&grid, &x->grid, sizeof grid) != 0)
			return false;
	}
	return true;
}

size_t rules_of(const struct learned_runs *runs, struct rule *rule)
{
	uint32_t axes = runs->run[0].grid.axes;
	size_t count = 0;
	if (!axes)
		return 0;
	for (uint32_t fix = 0; fix < 2 && axes > fix && !count; fix++) {
		uint32_t made = axes - fix;
		for (int kind = RULE_EQUAL; kind <= RULE_CLASSES; kind++)
			for (uint32_t code = 0; code < 256 && count < RULES_MOST; code++) {
				struct rule r = {
					.kind = (enum rule_kind)kind, .fixed = fix ? runs->run[0].grid.size[0] : 0};
				uint32_t seen = 0;
				for (uint32_t i = 0; i < made; i++) {
					r.order[i] = code >> 2 * i & 3;
					seen |= UINT32_C(1) << r.order[i];
				}
				bool permutation = seen == (UINT32_C(1) << made) - 1 && code >> 2 * made == 0;
				if (!permutation || (kind == RULE_EQUAL && r.order[0]))
					continue;
				bool first = kind != RULE_EQUAL || made < 2 || r.order[1] == 1;
				if (first && holds(&r, runs))
					rule[count++] = r;
			}
	}
	return count;
}

void rule_print(const struct rule *r, uint32_t axes, struct text *to)
{
	static const char *const name[] = {"equal", "dims", "greedy", "powers2", "classes"};
	uint32_t made = axes - (r->fixed > 0);
	if (r->fixed)
		text_format(to, "X = %u; ", r->fixed);
	for (uint32_t i = 0; i < made; i++)
		text_format(to, "%s%c", i ? ", " : "", "XYZW"[r->order[i] + (r->fixed > 0)]);
	text_format(to, " = %s(P", name[r->kind]);
	if (r->fixed)
		text_put(to, "/X");
	text_char(to, ')');
}
