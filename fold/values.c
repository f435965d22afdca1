/*
 * values.c -- which functions explain the numbers that processes use?
 *
 * If one affine function a + b*p + c*x + ... tells the numbers of each turn, there can be no fewer, as every process has one for each of its turns. Else,
 * as for peers (places.c), figures vote and a set cover chooses. Candidates are the numbers themselves; a + b*p and the like with small or natural
 * factors (the sizes of the grid below an axis); and numbers written in the sizes of the grid, each digit a sum of coordinates modulo its size:
 * 3000 + (x+y)%4 + 4*((-x)%4), as programs number their cells.
 */
#include "fold/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "fold/cover.h"

#define CANDIDATES 128
#define HYPOTHESES 200000
#define ROUNDS 3

void values_clear(struct values *v)
{
	free(v->value);
	free(v->of);
	*v = (struct values){0};
}

static int64_t modulo(int64_t a, int64_t modulus)
{
	int64_t rest = a % modulus;
	return rest < 0 ? rest + modulus : rest;
}

/* ------------------------------------------------------------------ one affine function */

static int64_t coordinate(const struct spot *s, int which)
{
	return which < 0 ? s->p : s->axis[which];
}

static int64_t *factor_of(struct value *v, int which)
{
	return which < 0 ? &v->plain.p : &v->plain.axis[which];
}

/* The factor of one coordinate, from two processes that differ in it alone; 0 where there are none or it is no whole number. */
static int64_t slope(const struct figure *f, size_t figures, const struct grid *g, int which)
{
	struct spot first = grid_spot(g, f[0].p);
	for (size_t i = 1; i < figures; i++) {
		struct spot s = grid_spot(g, f[i].p);
		bool alone = true;
		for (int k = 0; k < (int)g->axes && which >= 0; k++)
			alone = alone && (k == which || s.axis[k] == first.axis[k]);
		int64_t step = coordinate(&s, which) - coordinate(&first, which);
		int64_t rise = (int64_t)f[i].number - (int64_t)f[0].number;
		if (alone && step)
			return rise % step == 0 ? rise / step : 0;
	}
	return 0;
}

static bool fits(const struct figure *f, size_t figures, const struct grid *g, const struct value *v)
{
	for (size_t i = 0; i < figures; i++) {
		struct spot s = grid_spot(g, f[i].p);
		if (value_at(v, &s) != (int64_t)f[i].number)
			return false;
	}
	return true;
}

static bool small(const struct value *v)
{
	bool good = llabs(v->plain.p) < 1 << 30;
	for (int i = 0; i < GRID_AXES; i++)
		good = good && llabs(v->plain.axis[i]) < 1 << 30;
	return good;
}

static bool fit_through(const struct figure *f, size_t figures, const struct grid *g, struct value *v)
{
	struct spot first = grid_spot(g, f[0].p);
	if (!small(v))
		return false;
	v->plain.constant = (int64_t)f[0].number - value_at(v, &first);
	return fits(f, figures, g, v);
}

bool values_fit(const struct figure *f, size_t figures, const struct grid *g, struct value *v)
{
	for (int which = -1; which < (int)g->axes; which++) {
		*v = value_of(0);
		*factor_of(v, which) = slope(f, figures, g, which);
		if (fit_through(f, figures, g, v))
			return true;
	}
	*v = value_of(0);
	for (int which = 0; which < (int)g->axes; which++)
		*factor_of(v, which) = slope(f, figures, g, which);
	return fit_through(f, figures, g, v);
}

/* ------------------------------------------------------------------ votes */

struct vote {
	uint32_t function, votes, cost;
	uint32_t turn; /* of the last vote */
	uint32_t together, best; /* votes from the turn at hand; the most from any turn */
};

struct election {
	const struct grid *grid;
	const struct figure *figure;
	size_t figures;
	uint64_t least; /* of all numbers */
	uint32_t turns;
	struct intern *functions; /* values, as bytes */
	struct vote *vote;
	size_t capacity;
	struct cover cover;
	struct value *value; /* by candidate */
	size_t value_capacity;
};

/* Votes come turn by turn. */
static void cast(struct election *e, const struct value *v, uint32_t turn, uint32_t cost)
{
	uint32_t id = intern_id(e->functions, v, sizeof *v);
	if (id >= e->capacity) {
		size_t before = e->capacity;
		e->vote = mem_grow(e->vote, &e->capacity, id + 1, sizeof *e->vote);
		memset(e->vote + before, 0, (e->capacity - before) * sizeof *e->vote);
	}
	struct vote *vote = &e->vote[id];
	vote->function = id;
	vote->votes++;
	vote->cost = cost;
	vote->together = vote->turn == turn ? vote->together + 1 : 1;
	vote->turn = turn;
	vote->best = vote->together > vote->best ? vote->together : vote->best;
}

static void cast_affine(struct election *e, const struct figure *f)
{
	struct spot s = grid_spot(e->grid, f->p);
	struct value v = value_of((int64_t)f->number);
	cast(e, &v, f->turn, 1);
	for (int which = -1; which < (int)e->grid->axes; which++) {
		int64_t natural[2 * GRID_AXES + 2] = {1, -1};
		int naturals = 2;
		for (uint32_t i = 0, size = 1; i + 1 < e->grid->axes; i++) {
			size *= e->grid->size[i];
			natural[naturals++] = size;
			natural[naturals++] = -(int64_t)size;
		}
		for (int k = 0; k < naturals; k++) {
			v = value_of(0);
			*factor_of(&v, which) = natural[k];
			v.plain.constant = (int64_t)f->number - value_at(&v, &s);
			cast(e, &v, f->turn, 2);
		}
	}
}

/* Digits: a remainder that is just a coordinate, or constant, is said without '%'. */
static void add_digit(
	const struct grid *g, struct value *v, const int *sign, int64_t constant, uint32_t size, int64_t factor, uint32_t *cost)
{
	int only = -1, used = 0;
	for (int i = 0; i < (int)g->axes; i++)
		if (sign[i]) {
			used++;
			only = i;
		}
	if (!used) {
		v->plain.constant += constant * factor;
		return;
	}
	*cost += (uint32_t)used;
	if (used == 1 && sign[only] == 1 && !constant && g->size[only] <= size) {
		v->plain.axis[only] += factor;
		return;
	}
	struct remainder *r = v->remainder;
	while (r->modulus)
		r++;
	*r = (struct remainder){.inside.constant = constant, .modulus = size, .factor = factor};
	for (uint32_t i = 0; i < g->axes; i++)
		r->inside.axis[i] = sign[i];
}

/* The next choice of factors -1, 0 and 1; false after the last. */
static bool next_signs(const struct grid *g, int *sign)
{
	for (uint32_t i = 0; i < g->axes; i++) {
		if (++sign[i] <= 1)
			return true;
		sign[i] = -1;
	}
	return false;
}

static int64_t digit_constant(const struct grid *g, const struct spot *s, const int *sign, int64_t digit, uint32_t size)
{
	for (uint32_t i = 0; i < g->axes; i++)
		digit -= sign[i] * s->axis[i];
	return modulo(digit, size);
}

/* The number above the least as two digits, of these sizes (the second 1: one digit). */
static void cast_digits(struct election *e, const struct figure *f, uint32_t low_size, uint32_t high_size)
{
	const struct grid *g = e->grid;
	struct spot s = grid_spot(g, f->p);
	uint64_t above = f->number - e->least;
	int64_t low_digit = (int64_t)(above % low_size), high_digit = (int64_t)(above / low_size);
	if (high_digit >= high_size)
		return;
	int low[GRID_AXES] = {-1, -1, -1, -1};
	do {
		int high[GRID_AXES] = {-1, -1, -1, -1};
		do {
			struct value v = value_of((int64_t)e->least);
			uint32_t cost = 3;
			add_digit(g, &v, low, digit_constant(g, &s, low, low_digit, low_size), low_size, 1, &cost);
			if (high_size > 1)
				add_digit(g, &v, high, digit_constant(g, &s, high, high_digit, high_size), high_size, low_size,
					&cost);
			cast(e, &v, f->turn, cost);
		} while (high_size > 1 && next_signs(g, high));
	} while (next_signs(g, low));
}

static void cast_remainders(struct election *e, const struct figure *f)
{
	const struct grid *g = e->grid;
	for (uint32_t i = 0; i < g->axes; i++) {
		if (g->size[i] < 2)
			continue;
		bool again = false;
		for (uint32_t k = 0; k < i; k++)
			again |= g->size[k] == g->size[i];
		if (!again)
			cast_digits(e, f, g->size[i], 1);
		for (uint32_t j = 0; j < g->axes; j++) {
			bool known = j == i || g->size[j] < 2;
			for (uint32_t k = 0; k < j && !known; k++) /* the same sizes in another axis */
				known = k != i && g->size[k] == g->size[j];
			if (!known && !again)
				cast_digits(e, f, g->size[i], g->size[j]);
		}
	}
}

static size_t hypotheses(const struct grid *g)
{
	size_t signs = 1, pairs = 0;
	for (uint32_t i = 0; i < g->axes; i++)
		signs *= 3;
	for (uint32_t i = 0; i < g->axes; i++)
		for (uint32_t j = 0; j < g->axes; j++)
			pairs += i != j;
	return 20 + signs * g->axes + signs * signs * pairs;
}

/* ------------------------------------------------------------------ the election */

static int by_votes(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;
	if (x->best != y->best)
		return x->best > y->best ? -1 : 1;
	if (x->votes != y->votes)
		return x->votes > y->votes ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

static size_t find_figure(const struct election *e, uint32_t p, uint64_t number)
{
	size_t low = 0, high = e->figures;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct figure *at = &e->figure[middle];
		if (at->p < p || (at->p == p && at->number < number))
			low = middle + 1;
		else
			high = middle;
	}
	return low < e->figures && e->figure[low].p == p && e->figure[low].number == number ? low : e->figures;
}

static void nominate(struct election *e, const struct value *v, uint32_t cost)
{
	uint32_t c = cover_add(&e->cover, cost);
	uint32_t explained = 0, together = 0, *by_turn = mem_zero(e->turns * sizeof *by_turn);
	e->value = mem_grow(e->value, &e->value_capacity, c + 1, sizeof *e->value);
	e->value[c] = *v;
	for (size_t i = 0; i < e->figures; i++) {
		if (i && e->figure[i].p == e->figure[i - 1].p)
			continue;
		struct spot s = grid_spot(e->grid, e->figure[i].p);
		int64_t number = value_at(v, &s);
		size_t found = number < 0 ? e->figures : find_figure(e, e->figure[i].p, (uint64_t)number);
		if (found == e->figures)
			continue;
		cover_set(&e->cover, c, found);
		uint32_t same = ++by_turn[e->figure[found].turn];
		together = same > together ? same : together;
		explained++;
	}
	e->cover.cost[c] = cost + 100 * (explained - together);
	free(by_turn);
}

/* All numbers of some processes vote, by turns. */
static void elect(struct election *e, const size_t *item, size_t items)
{
	size_t voters = HYPOTHESES / hypotheses(e->grid) + 1, taken = 0;
	uint32_t step = (uint32_t)(items / voters) + 1, process = 0;
	size_t *voter = mem_array(items, sizeof *voter);
	for (size_t i = 0; i < items; i++) {
		process += i && e->figure[item[i]].p != e->figure[item[i - 1]].p;
		if (process % step == 0)
			voter[taken++] = item[i];
	}
	e->functions = intern_new();
	for (uint32_t turn = 0; turn < e->turns; turn++)
		for (size_t i = 0; i < taken; i++)
			if (e->figure[voter[i]].turn == turn) {
				cast_affine(e, &e->figure[voter[i]]);
				cast_remainders(e, &e->figure[voter[i]]);
			}
	free(voter);
	uint32_t count = intern_count(e->functions);
	struct vote *ranked = mem_copy(e->vote, count * sizeof *ranked);
	qsort(ranked, count, sizeof *ranked, by_votes);
	for (uint32_t i = 0; i < count && i < CANDIDATES; i++)
		nominate(e, intern_data(e->functions, ranked[i].function, NULL), ranked[i].cost);
	free(ranked);
	free(e->vote);
	e->vote = NULL;
	e->capacity = 0;
	intern_free(e->functions);
}

static void nominate_numbers(struct election *e, const size_t *item, size_t items)
{
	for (size_t i = 0; i < items; i++) {
		bool known = false;
		for (uint32_t k = 0; k < e->cover.candidates && !known; k++)
			known = cover_has(&e->cover, k, item[i]);
		struct value v = value_of((int64_t)e->figure[item[i]].number);
		if (!known)
			nominate(e, &v, 1);
	}
}

static size_t find_left(const struct election *e, const uint32_t *chosen, uint32_t count, size_t *item)
{
	size_t left = 0;
	for (size_t i = 0; i < e->figures; i++) {
		bool known = false;
		for (uint32_t k = 0; k < count && !known; k++)
			known = cover_has(&e->cover, chosen[k], i);
		if (!known)
			item[left++] = i;
	}
	return left;
}

/* ------------------------------------------------------------------ turn by turn */

static int by_turn(const void *a, const void *b)
{
	const struct figure *x = a, *y = b;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return (x->p > y->p) - (x->p < y->p);
}

/* Are the numbers of every turn one affine function, and those of some turn not the same? The functions, by turn, are the caller's. */
static struct intern *fit_turns(const struct figure *figure, size_t figures, const struct grid *g, uint32_t *of_turn)
{
	struct figure *f = mem_copy(figure, figures * sizeof *f);
	struct intern *values = intern_new();
	bool good = figures > 0, varies = false;
	qsort(f, figures, sizeof *f, by_turn);
	for (size_t from = 0, to; from < figures && good; from = to) {
		struct value v;
		for (to = from + 1; to < figures && f[to].turn == f[from].turn;)
			to++;
		good = values_fit(f + from, to - from, g, &v);
		varies |= good && !value_is_constant(&v);
		of_turn[f[from].turn] = good ? intern_id(values, &v, sizeof v) : 0;
	}
	free(f);
	if (good && varies)
		return values;
	intern_free(values);
	return NULL;
}

bool values_choose_by_turn(struct values *to, const struct figure *figure, size_t figures, const struct grid *g)
{
	uint32_t turns = 0;
	for (size_t i = 0; i < figures; i++)
		turns = figure[i].turn >= turns ? figure[i].turn + 1 : turns;
	uint32_t *of_turn = mem_array(turns, sizeof *of_turn);
	struct intern *values = fit_turns(figure, figures, g, of_turn);
	if (values) {
		*to = (struct values){.count = intern_count(values)};
		to->value = mem_array(to->count, sizeof *to->value);
		to->of = mem_array(figures, sizeof *to->of);
		for (uint32_t k = 0; k < to->count; k++)
			to->value[k] = *(const struct value *)intern_data(values, k, NULL);
		for (size_t i = 0; i < figures; i++)
			to->of[i] = of_turn[figure[i].turn];
		intern_free(values);
	}
	free(of_turn);
	return values != NULL;
}

/* ------------------------------------------------------------------ in public */

void values_choose(struct values *to, const struct figure *figure, size_t figures, const struct grid *g)
{
	if (values_choose_by_turn(to, figure, figures, g))
		return;
	struct election e = {.grid = g, .figure = figure, .figures = figures, .least = UINT64_MAX};
	size_t *item = mem_array(figures, sizeof *item), left = figures;
	uint32_t *chosen = NULL;
	for (size_t i = 0; i < figures; i++) {
		item[i] = i;
		e.least = figure[i].number < e.least ? figure[i].number : e.least;
		e.turns = figure[i].turn >= e.turns ? figure[i].turn + 1 : e.turns;
	}
	cover_start(&e.cover, figures);
	*to = (struct values){0};
	for (int round = 0; left; round++) {
		size_t unexplained;
		if (round < ROUNDS)
			elect(&e, item, left);
		else
			nominate_numbers(&e, item, left);
		chosen = mem_resize(chosen, e.cover.candidates + 1, sizeof *chosen);
		to->count = cover_choose(&e.cover, chosen, &unexplained);
		left = find_left(&e, chosen, to->count, item);
	}
	to->value = mem_array(to->count, sizeof *to->value);
	to->of = mem_array(figures, sizeof *to->of);
	for (uint32_t k = 0; k < to->count; k++)
		to->value[k] = e.value[chosen[k]];
	for (size_t i = 0; i < figures; i++)
		for (uint32_t k = to->count; k--;)
			if (cover_has(&e.cover, chosen[k], i))
				to->of[i] = k;
	free(item);
	free(chosen);
	free(e.value);
	cover_clear(&e.cover);
}
