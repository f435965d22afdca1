/*
 * polynomial.c -- terms in order, each product of indices once; whole coefficients over one
 * divisor.
 */
#include "base/polynomial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "base/mem.h"

typedef struct polynomial polynomial;

void polynomial_clear(polynomial *p)
{
	free(p->term);
	*p = (polynomial){0};
}

void polynomial_copy(polynomial *to, const polynomial *from)
{
	polynomial_clear(to);
	*to = *from;
	to->capacity = from->terms;
	to->term = from->terms ? mem_copy(from->term, from->terms * sizeof *from->term) : NULL;
}

void polynomial_lose(polynomial *p)
{
	polynomial_clear(p);
	p->unknown = true;
}

static int64_t divisor_of(const polynomial *p)
{
	return p->divisor ? p->divisor : 1;
}

static void set_divisor(polynomial *p, int64_t divisor)
{
	p->divisor = divisor == 1 ? 0 : divisor;
}

/* ------------------------------------------------------------------ terms */

static int compare_products(const struct polynomial_term *t, const uint16_t *index, size_t degree)
{
	if (t->degree != degree)
		return t->degree < degree ? -1 : 1;
	for (size_t i = 0; i < degree; i++)
		if (t->index[i] != index[i])
			return t->index[i] < index[i] ? -1 : 1;
	return 0;
}

/* Where this product stands, or would. */
static size_t place_of(const polynomial *p, const uint16_t *index, size_t degree, bool *there)
{
	size_t at = p->terms; /* most come in order */
	while (at && compare_products(&p->term[at - 1], index, degree) >= 0)
		at--;
	*there = at < p->terms && !compare_products(&p->term[at], index, degree);
	return at;
}

static void insert(polynomial *p, size_t at, const struct polynomial_term *term)
{
	p->term = mem_grow(p->term, &p->capacity, p->terms + 1, sizeof *p->term);
	memmove(p->term + at + 1, p->term + at, (p->terms++ - at) * sizeof *p->term);
	p->term[at] = *term;
}

static void take_out(polynomial *p, size_t at)
{
	memmove(p->term + at, p->term + at + 1, (--p->terms - at) * sizeof *p->term);
}

/* The term counts parts of the divisor. */
static void add_term(polynomial *p, const struct polynomial_term *term)
{
	bool there;
	size_t at = place_of(p, term->index, term->degree, &there);
	if (!there)
		insert(p, at, term);
	else if (__builtin_add_overflow(p->term[at].coefficient, term->coefficient, &p->term[at].coefficient))
		polynomial_lose(p);
	else if (!p->term[at].coefficient)
		take_out(p, at);
}

/* The product of two terms, but for the coefficient. False: it is too long. */
static bool join(struct polynomial_term *product, const struct polynomial_term *a, const struct polynomial_term *b)
{
	size_t i = 0, k = 0;
	*product = (struct polynomial_term){.degree = (uint16_t)(a->degree + b->degree)};
	if (product->degree > POLYNOMIAL_DEGREE)
		return false;
	for (size_t n = 0; n < product->degree; n++) {
		bool first = k == b->degree || (i < a->degree && a->index[i] <= b->index[k]);
		product->index[n] = first ? a->index[i++] : b->index[k++];
	}
	return true;
}

/* ------------------------------------------------------------------ divisors */

static uint64_t magnitude(int64_t a)
{
	return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

/* a is positive. */
static int64_t common_divisor(int64_t a, int64_t b)
{
	return (int64_t)gcd((uint64_t)a, magnitude(b));
}

static void reduce(polynomial *p)
{
	int64_t common = divisor_of(p);
	for (size_t i = 0; i < p->terms && common > 1; i++)
		common = common_divisor(common, p->term[i].coefficient);
	if (common == 1)
		return;
	for (size_t i = 0; i < p->terms; i++)
		p->term[i].coefficient /= common;
	set_divisor(p, divisor_of(p) / common);
}

/* Bring p to a divisor that `wanted` divides, too; by how much one part of `wanted` is to be
   multiplied then. 0: not known. */
static int64_t widen(polynomial *p, int64_t wanted)
{
	int64_t divisor = divisor_of(p), up = wanted / common_divisor(divisor, wanted), both;
	bool good = !p->unknown && !__builtin_mul_overflow(divisor, up, &both);
	for (size_t i = 0; good && i < p->terms; i++)
		good = !__builtin_mul_overflow(p->term[i].coefficient, up, &p->term[i].coefficient);
	if (!good) {
		polynomial_lose(p);
		return 0;
	}
	set_divisor(p, both);
	return both / wanted;
}

/* ------------------------------------------------------------------ sums and products */

/* p += q * term / divisor */
static void add_multiple(polynomial *p, const polynomial *q, const struct polynomial_term *term, int64_t divisor)
{
	int64_t both;
	if (q->unknown || __builtin_mul_overflow(divisor_of(q), divisor, &both)) {
		polynomial_lose(p);
		return;
	}
	int64_t up = widen(p, both);
	for (size_t i = 0; i < q->terms && !p->unknown; i++) {
		struct polynomial_term product;
		if (join(&product, &q->term[i], term) &&
			!__builtin_mul_overflow(q->term[i].coefficient, term->coefficient, &product.coefficient) &&
			!__builtin_mul_overflow(product.coefficient, up, &product.coefficient))
			add_term(p, &product);
		else
			polynomial_lose(p);
	}
	reduce(p);
}

static const struct polynomial_term one = {.coefficient = 1};

void polynomial_add(polynomial *p, int64_t coefficient, const uint16_t *index, size_t degree)
{
	struct polynomial_term term = {.degree = (uint16_t)degree};
	if (!coefficient || p->unknown)
		return;
	if (degree > POLYNOMIAL_DEGREE || __builtin_mul_overflow(coefficient, divisor_of(p), &term.coefficient)) {
		polynomial_lose(p);
		return;
	}
	for (size_t i = 0; i < degree; i++)
		term.index[i] = index[i];
	add_term(p, &term);
}

void polynomial_add_all(polynomial *p, const polynomial *q)
{
	add_multiple(p, q, &one, 1);
}

void polynomial_add_product(polynomial *p, const polynomial *q, const polynomial *factor)
{
	if (factor->unknown)
		polynomial_lose(p);
	for (size_t i = 0; i < factor->terms; i++)
		add_multiple(p, q, &factor->term[i], divisor_of(factor));
}

/* The sum of i^k over 0 <= i < n as a polynomial in n: part[e] of the divisor for n^(e+1). */
struct power_sum {
	int64_t divisor, part[POLYNOMIAL_DEGREE + 1];
};

static bool add_part(struct power_sum *s, size_t e, int64_t part, int64_t divisor)
{
	int64_t up = divisor / common_divisor(s->divisor, divisor), value;
	bool good = !__builtin_mul_overflow(s->divisor, up, &s->divisor);
	for (size_t i = 0; good && i <= POLYNOMIAL_DEGREE; i++)
		good = !__builtin_mul_overflow(s->part[i], up, &s->part[i]);
	return good && !__builtin_mul_overflow(part, s->divisor / divisor, &value) &&
	       !__builtin_add_overflow(s->part[e], value, &s->part[e]);
}

static bool finish_power_sum(struct power_sum *s, int64_t divisor)
{
	if (__builtin_mul_overflow(s->divisor, divisor, &s->divisor))
		return false;
	int64_t common = s->divisor;
	for (size_t i = 0; i <= POLYNOMIAL_DEGREE; i++)
		common = common_divisor(common, s->part[i]);
	s->divisor /= common;
	for (size_t i = 0; i <= POLYNOMIAL_DEGREE; i++)
		s->part[i] /= common;
	return true;
}

/* (k+1) * sum of i^k = n^(k+1) - the sum over j < k of binomial(k+1, j) * sum of i^j: (i+1)^(k+1) -
   i^(k+1), added up. sum: of the powers 0 to k. */
static bool power_sums(struct power_sum *sum, size_t k)
{
	bool good = true;
	for (size_t n = 0; n <= k && good; n++) {
		int64_t binomial = 1;
		sum[n] = (struct power_sum){.divisor = 1};
		sum[n].part[n] = 1;
		for (size_t j = 0; j < n && good; j++) {
			for (size_t e = 0; e <= j && good; e++) {
				int64_t part;
				good = !__builtin_mul_overflow(-binomial, sum[j].part[e], &part) &&
				       (!part || add_part(&sum[n], e, part, sum[j].divisor));
			}
			binomial = binomial * (int64_t)(n + 1 - j) / (int64_t)(j + 1);
		}
		good = good && finish_power_sum(&sum[n], (int64_t)n + 1);
	}
	return good;
}

/* Take an index out of a product; its power. */
static size_t take_power(struct polynomial_term *term, uint16_t index)
{
	size_t kept = 0, degree = term->degree;
	for (size_t i = 0; i < degree; i++)
		if (term->index[i] != index)
			term->index[kept++] = term->index[i];
	for (size_t i = kept; i < degree; i++)
		term->index[i] = 0;
	term->degree = (uint16_t)kept;
	return degree - kept;
}

static size_t highest_power(const polynomial *q, uint16_t index)
{
	size_t highest = 0;
	for (size_t i = 0; i < q->terms; i++) {
		struct polynomial_term rest = q->term[i];
		size_t power = take_power(&rest, index);
		highest = power > highest ? power : highest;
	}
	return highest;
}

/* p += the sum of a term over the index; power[e]: n^(e+1). */
static void add_sum_of_term(polynomial *p, const struct polynomial_term *term, int64_t divisor, uint16_t index,
	const polynomial *power, const struct power_sum *sums)
{
	struct polynomial_term rest = *term;
	const struct power_sum *sum = &sums[take_power(&rest, index)];
	if (__builtin_mul_overflow(divisor, sum->divisor, &divisor)) {
		polynomial_lose(p);
		return;
	}
	for (size_t e = 0; e <= (size_t)(term->degree - rest.degree); e++) {
		struct polynomial_term part = rest;
		if (__builtin_mul_overflow(rest.coefficient, sum->part[e], &part.coefficient))
			polynomial_lose(p);
		else if (part.coefficient)
			add_multiple(p, &power[e], &part, divisor);
	}
}

void polynomial_add_sum(polynomial *p, const polynomial *q, uint16_t index, const polynomial *n)
{
	size_t highest = highest_power(q, index);
	struct power_sum *sums = mem_array(highest + 1, sizeof *sums);
	polynomial *power = mem_zero((highest + 1) * sizeof *power);
	polynomial_copy(&power[0], n);
	for (size_t k = 1; k <= highest; k++)
		polynomial_add_product(&power[k], &power[k - 1], n);
	if (q->unknown || n->unknown || !power_sums(sums, highest))
		polynomial_lose(p);
	for (size_t i = 0; i < q->terms && !p->unknown; i++)
		add_sum_of_term(p, &q->term[i], divisor_of(q), index, power, sums);
	for (size_t k = 0; k <= highest; k++)
		polynomial_clear(&power[k]);
	free(power);
	free(sums);
}

/* ------------------------------------------------------------------ what it says */

bool polynomial_value(
	const polynomial *p, const int64_t *value, const struct polynomial_others *others, int64_t *result)
{
	__int128 total = 0; /* a part of the sum may be wider than the sum */
	for (size_t i = 0; i < p->terms; i++) {
		__int128 product = p->term[i].coefficient;
		for (size_t k = 0; k < p->term[i].degree; k++) {
			uint16_t variable = p->term[i].index[k];
			int64_t factor = 0;
			if (variable < POLYNOMIAL_OTHERS)
				factor = value[variable];
			else if (!others->value(others->context, variable, &factor))
				return false;
			if (__builtin_mul_overflow(product, (__int128)factor, &product))
				return false;
		}
		if (__builtin_add_overflow(total, product, &total))
			return false;
	}
	total /= divisor_of(p);
	*result = (int64_t)total;
	return !p->unknown && *result == total;
}

static void print_variable(uint16_t variable, const struct polynomial_others *others, struct text *out)
{
	if (others)
		others->print(others->context, variable, out);
	else
		text_format(out, "i%u", (unsigned)variable);
}

/* The absolute value of INT64_MIN is written so that C reads it as what it is. */
static void print_term(const struct polynomial_term *t, bool first, const char *space,
	const struct polynomial_others *others, struct text *out)
{
	bool factor = magnitude(t->coefficient) != 1 || !t->degree;
	if (first)
		text_put(out, t->coefficient < 0 ? "-" : "");
	else
		text_format(out, "%s%c%s", space, t->coefficient < 0 ? '-' : '+', space);
	if (factor)
		text_number(out, magnitude(t->coefficient));
	for (size_t k = 0; k < t->degree; k++) {
		if (k || factor)
			text_format(out, "%s*%s", space, space);
		print_variable(t->index[k], others, out);
	}
}

void polynomial_print_with(const polynomial *p, bool spaced, const struct polynomial_others *others, struct text *out)
{
	const char *space = spaced ? " " : "";
	if (p->unknown || !p->terms) {
		text_put(out, p->unknown ? "?" : "0");
		return;
	}
	text_put(out, p->divisor ? "(" : "");
	for (size_t i = 0; i < p->terms; i++)
		print_term(&p->term[i], !i, space, others, out);
	if (p->divisor)
		text_format(out, ")%s/%s%" PRId64, space, space, p->divisor);
}

void polynomial_print(const polynomial *p, struct text *out)
{
	polynomial_print_with(p, false, NULL, out);
}
