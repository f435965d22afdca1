/*
 * scaling.c -- sums of a term that grows, a constant and a term that falls, by least squares on
 * relative residuals. An orthogonal basis of the terms at the points gives the factors, and how far
 * off each point is when it is left out, without fitting anew: the residual over 1 - leverage.
 */
#include "fit/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * By how much a function of one more term has to be better, for a hundred functions are better by
 * chance; whose errors are rivals' to the best one's, of functions as large and of larger ones. With
 * these, of 9 laws on 5 to 7 process counts with 2 and 10 % of noise, ranges at 4 times as many
 * processes hold 96 % of what was to come, and no law less than 69 % (a root that is a percent of
 * what was measured).
 */
#define OCCAM 0.4
#define RIVAL 2.5
#define RIVAL_LARGER 0.8
/* Below this all is rounding. */
#define EXACT 1e-9
/* Two terms that are nearly one at the points. */
#define DEPENDENT 1e-7

/* The term P^(n/d) * log2(P)^j. */
struct basis {
	signed char numerator, denominator, log;
};

/* The constant; work that is divided, and its surfaces in two and three dimensions; what grows, as
   Extra-P has it. */
static const struct basis basis[] = {
	{0, 1, 0},
	{-1, 1, 0},
	{-2, 3, 0},
	{-1, 2, 0},
	{-1, 3, 0},
	{0, 1, 1},
	{0, 1, 2},
	{1, 3, 0},
	{1, 3, 1},
	{1, 2, 0},
	{1, 2, 1},
	{2, 3, 0},
	{2, 3, 1},
	{1, 1, 0},
	{1, 1, 1},
	{1, 1, 2},
	{3, 2, 0},
	{2, 1, 0},
	{2, 1, 1},
};
#define BASES (sizeof basis / sizeof *basis)
#define CONSTANT 0
#define FALLING 5 /* the first that grows */

struct points {
	const double *processes, *value;
	double *weight;
	size_t count;
	double *column[BASES]; /* of each term, times the weights */
};

static double term_at(const struct basis *b, double p)
{
	return pow(p, (double)b->numerator / b->denominator) * pow(log2(p), b->log);
}

static double function_at(const struct scaling_function *f, double p)
{
	double sum = 0;
	for (size_t i = 0; i < f->terms; i++) {
		struct basis b = {f->term[i].numerator, f->term[i].denominator, f->term[i].log};
		sum += f->term[i].factor * term_at(&b, p);
	}
	return sum;
}

/* Which of two terms grows faster? */
static int growth(const struct basis *a, const struct basis *b)
{
	int exponents_differ = a->numerator * b->denominator - b->numerator * a->denominator;
	return exponents_differ ? exponents_differ : a->log - b->log;
}

/* ------------------------------------------------------------------ one function */

static double product(const double *a, const double *b, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

/* The terms made orthogonal (modified Gram and Schmidt); q: count numbers a term. False: they depend
   on each other. root: the inverse of the triangle. */
static bool orthogonal(
	const struct points *p, const size_t *term, size_t terms, double *q, double root[SCALING_TERMS][SCALING_TERMS])
{
	double r[SCALING_TERMS][SCALING_TERMS] = {{0}};
	for (size_t k = 0; k < terms; k++) {
		double *column = q + k * p->count;
		memcpy(column, p->column[term[k]], p->count * sizeof *q);
		double before = product(column, column, p->count);
		for (size_t j = 0; j < k; j++) {
			r[j][k] = product(q + j * p->count, column, p->count);
			for (size_t i = 0; i < p->count; i++)
				column[i] -= r[j][k] * q[j * p->count + i];
		}
		double after = product(column, column, p->count);
		if (!(after > before * DEPENDENT * DEPENDENT))
			return false;
		r[k][k] = sqrt(after);
		for (size_t i = 0; i < p->count; i++)
			column[i] /= r[k][k];
	}
	for (size_t k = 0; k < terms; k++)
		for (size_t j = k + 1; j-- > 0;) {
			double sum = j == k;
			for (size_t i = j + 1; i <= k; i++)
				sum -= r[j][i] * root[i][k];
			root[j][k] = sum / r[j][j];
		}
	return true;
}

/* What is taken off: a constant of what grows (4*log2(P) - 4), what falls of a constant. Not of
   three terms: ranges of laws that fall would hold 95 % instead of 96. */
static bool may_be_below(const size_t *term, size_t terms, size_t j)
{
	return terms == 2 && (term[0] >= FALLING ? term[j] == CONSTANT : !j);
}

/* False: it is no function of them, or goes below 0 at a point. */
static bool fit_terms(const struct points *p, const size_t *term, size_t terms, double *q, struct scaling_function *f)
{
	double along[SCALING_TERMS], squares = 0, left_out = 0;
	*f = (struct scaling_function){.terms = terms, .freedom = p->count - terms};
	if (!orthogonal(p, term, terms, q, f->root))
		return false;
	for (size_t k = 0; k < terms; k++) {
		along[k] = 0;
		for (size_t i = 0; i < p->count; i++)
			along[k] += q[k * p->count + i] * p->value[i] * p->weight[i];
	}
	for (size_t i = 0; i < p->count; i++) {
		double residual = p->value[i] * p->weight[i], leverage = 0;
		double said = 0;
		for (size_t k = 0; k < terms; k++) {
			said += along[k] * q[k * p->count + i];
			leverage += q[k * p->count + i] * q[k * p->count + i];
		}
		if (said < 0 || leverage > 1 - DEPENDENT)
			return false;
		residual -= said;
		squares += residual * residual;
		left_out += residual / (1 - leverage) * (residual / (1 - leverage));
	}
	for (size_t j = 0; j < terms; j++) {
		double factor = 0;
		for (size_t k = j; k < terms; k++)
			factor += f->root[j][k] * along[k];
		f->term[j].factor = factor;
		f->term[j].numerator = basis[term[j]].numerator;
		f->term[j].denominator = basis[term[j]].denominator;
		f->term[j].log = basis[term[j]].log;
		if (factor < 0 && !may_be_below(term, terms, j))
			return false;
	}
	f->error = sqrt(left_out / (double)p->count);
	f->spread = sqrt(squares / (double)f->freedom);
	return true;
}

/* ------------------------------------------------------------------ all functions */

struct choice {
	struct scaling_function *function;
	size_t count, capacity;
};

static void try_terms(const struct points *p, const size_t *term, size_t terms, double *q, struct choice *c)
{
	struct scaling_function f;
	if (p->count <= terms + 1 || !fit_terms(p, term, terms, q, &f))
		return;
	c->function = mem_grow(c->function, &c->capacity, c->count + 1, sizeof f);
	c->function[c->count++] = f;
}

static int by_error(const void *a, const void *b)
{
	const struct scaling_function *f = a, *g = b;
	return (f->error > g->error) - (f->error < g->error);
}

static void choose(struct choice *c, struct scaling *s)
{
	const struct scaling_function *best = NULL;
	qsort(c->function, c->count, sizeof *c->function, by_error);
	for (size_t terms = 1; terms <= SCALING_TERMS; terms++)
		for (size_t i = 0; i < c->count; i++)
			if (c->function[i].terms == terms) {
				if (!best || c->function[i].error < best->error * OCCAM)
					best = best && best->error <= EXACT ? best : &c->function[i];
				break;
			}
	s->best = *best;
	s->rivals = 0;
	for (size_t i = 0; i < c->count && s->rivals < SCALING_RIVALS; i++)
		if (c->function[i].error <=
			best->error * (c->function[i].terms > best->terms ? RIVAL_LARGER : RIVAL) + EXACT)
			s->rival[s->rivals++] = c->function[i];
}

static size_t count_different(const double *processes, size_t count)
{
	size_t different = 0;
	for (size_t i = 0; i < count; i++) {
		size_t j = 0;
		while (j < i && processes[j] != processes[i])
			j++;
		different += j == i;
	}
	return different;
}

static void measure_terms(struct points *p)
{
	for (size_t i = 0; i < BASES; i++) {
		p->column[i] = mem_array(p->count, sizeof **p->column);
		for (size_t k = 0; k < p->count; k++)
			p->column[i][k] = term_at(&basis[i], p->processes[k]) * p->weight[k];
	}
}

static bool fit(const double *processes, const double *value, size_t count, size_t fewest, struct scaling *s)
{
	struct points p = {.processes = processes, .value = value, .count = count};
	struct choice c = {0};
	double most = 0;
	*s = (struct scaling){.from = INFINITY};
	for (size_t i = 0; i < count; i++) {
		if (!(value[i] >= 0) || !isfinite(value[i]) || !(processes[i] >= 1))
			return false;
		most = value[i] > most ? value[i] : most;
		s->from = processes[i] < s->from ? processes[i] : s->from;
		s->to = processes[i] > s->to ? processes[i] : s->to;
	}
	if (count_different(processes, count) < fewest)
		return false;
	p.weight = mem_array(count, sizeof *p.weight);
	double *q = mem_array(count * SCALING_TERMS, sizeof *q);
	/* what is next to nothing beside the others may be off by some of these */
	for (size_t i = 0; i < count; i++)
		p.weight[i] = most > 0 ? 1 / (value[i] > most * 1e-3 ? value[i] : most * 1e-3) : 1;
	measure_terms(&p);
	for (size_t i = 0; i < BASES; i++) {
		try_terms(&p, (size_t[]){i}, 1, q, &c);
		if (i != CONSTANT)
			try_terms(&p, (size_t[]){i, CONSTANT}, 2, q, &c);
		for (size_t falls = CONSTANT + 1; falls < FALLING && i >= FALLING; falls++) {
			try_terms(&p, (size_t[]){i, falls}, 2, q, &c);
			try_terms(&p, (size_t[]){i, CONSTANT, falls}, 3, q, &c);
		}
	}
	if (c.count)
		choose(&c, s);
	bool any = c.count > 0;
	for (size_t i = 0; i < BASES; i++)
		free(p.column[i]);
	free(c.function);
	free(p.weight);
	free(q);
	return any;
}

bool scaling_fit(const double *processes, const double *value, size_t count, struct scaling *s)
{
	return fit(processes, value, count, SCALING_FEWEST, s);
}

bool scaling_trend(const double *processes, const double *value, size_t count, struct scaling *s)
{
	return fit(processes, value, count, SCALING_TREND_FEWEST, s);
}

/* ------------------------------------------------------------------ what it says */

/* Student's t that 2.5 % are above, within 1 % (a series of Cornish and Fisher from 5 degrees of
   freedom on). */
static double student(size_t freedom)
{
	static const double few[] = {INFINITY, 12.706, 4.303, 3.182, 2.776};
	double z = 1.959964, n = (double)freedom;
	if (freedom < sizeof few / sizeof *few)
		return few[freedom];
	return z + (z * z * z + z) / (4 * n) + (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

/* Half of the interval. */
static double uncertainty(const struct scaling_function *f, double p)
{
	double value = function_at(f, p), squares = 0;
	for (size_t k = 0; k < f->terms; k++) {
		double along = 0;
		for (size_t j = 0; j <= k; j++) {
			struct basis b = {f->term[j].numerator, f->term[j].denominator, f->term[j].log};
			along += f->root[j][k] * term_at(&b, p);
		}
		squares += along * along;
	}
	return student(f->freedom) * f->spread * sqrt(squares + value * value);
}

struct scaling_range scaling_at(const struct scaling *s, double processes)
{
	struct scaling_range r = {.value = function_at(&s->best, processes), .low = INFINITY};
	r.value = r.value > 0 ? r.value : 0;
	for (size_t i = 0; i < s->rivals; i++) {
		double value = function_at(&s->rival[i], processes), half = uncertainty(&s->rival[i], processes);
		r.low = value - half < r.low ? value - half : r.low;
		r.high = value + half > r.high ? value + half : r.high;
	}
	r.low = r.low > 0 ? r.low : 0;
	return r;
}

static void print_term(const struct scaling_function *f, size_t i, struct text *text)
{
	int n = f->term[i].numerator, d = f->term[i].denominator, log = f->term[i].log;
	text_format(text, "%.3g", fabs(f->term[i].factor));
	if (n) {
		text_put(text, "*P");
		if (d != 1)
			text_format(text, "^(%d/%d)", n, d);
		else if (n != 1)
			text_format(text, "^%d", n);
	}
	if (log)
		text_put(text, log > 1 ? "*log2(P)^2" : "*log2(P)");
}

void scaling_print(const struct scaling_function *f, struct text *text)
{
	bool told[SCALING_TERMS] = {false};
	for (size_t k = 0; k < f->terms; k++) {
		size_t next = SCALING_TERMS;
		for (size_t i = 0; i < f->terms; i++) {
			struct basis a = {f->term[i].numerator, f->term[i].denominator, f->term[i].log}, b;
			if (next < SCALING_TERMS)
				b = (struct basis){
					f->term[next].numerator, f->term[next].denominator, f->term[next].log};
			if (!told[i] && (next == SCALING_TERMS || growth(&a, &b) > 0))
				next = i;
		}
		told[next] = true;
		bool below = f->term[next].factor < 0;
		text_put(text, k ? (below ? " - " : " + ") : (below ? "-" : ""));
		print_term(f, next, text);
	}
}
