/*
 * terms.c -- terms by number; how they are summed, and written.
 */
#include "ask/terms.h"

#include <stdlib.h>
#include <string.h>

#include "ask/term_sums.h"
#include "base/intern.h"
#include "base/mem.h"

/* What tells terms apart; of a sum, the terms of n stand behind. */
struct key {
	uint64_t is_sum, guards, index;
	int64_t divisor;
	struct value count;
	struct polynomial_term product;
};

struct terms {
	const struct program *program;
	struct intern *keys;
	struct sum_term *term;
	size_t length, capacity;
	struct term_sums *sums;
};

/* More loops around a term are not told apart. */
#define LOOPS 64

struct terms *terms_new(const struct program *program)
{
	struct terms *t = mem_zero(sizeof *t);
	t->program = program;
	t->keys = intern_new();
	t->sums = term_sums_new(program, t);
	return t;
}

void terms_free(struct terms *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->length; i++)
		polynomial_clear(&t->term[i].n);
	free(t->term);
	intern_free(t->keys);
	term_sums_free(t->sums);
	free(t);
}

const struct sum_term *terms_get(const struct terms *t, uint16_t variable)
{
	return &t->term[variable - POLYNOMIAL_OTHERS];
}

static bool is_term(uint16_t variable)
{
	return variable >= POLYNOMIAL_OTHERS;
}

/* Its number; false: there are too many. */
static bool find_term(struct terms *t, const struct sum_term *new, uint16_t *variable)
{
	size_t behind = new->n.terms * sizeof *new->n.term;
	struct key *key = mem_zero(sizeof *key + behind);
	*key = (struct key){new->is_sum, new->guards, new->index, new->n.divisor, new->count, new->product};
	if (behind)
		memcpy(key + 1, new->n.term, behind);
	uint32_t id = intern_id(t->keys, key, sizeof *key + behind);
	free(key);
	if (id > UINT16_MAX - POLYNOMIAL_OTHERS)
		return false;
	*variable = (uint16_t)(POLYNOMIAL_OTHERS + id);
	if (id < t->length)
		return true;
	t->term = mem_grow(t->term, &t->capacity, id + (size_t)1, sizeof *t->term);
	t->term[t->length] = *new;
	t->term[t->length].n = (struct polynomial){0};
	polynomial_copy(&t->term[t->length++].n, &new->n);
	return true;
}

/* ------------------------------------------------------------------ counts */

static bool affine_has_process(const struct affine *a)
{
	return !affine_is_uniform(a);
}

static void add_count(struct terms *t, struct polynomial *p, const struct value *count, int64_t factor, uint64_t guards)
{
	uint16_t variable;
	struct sum_term term = {.count = *count,
		.guards = guards,
		.process = !value_is_uniform(count),
		.indices = value_indices(count) & ~INDEX_TABLE};
	if (find_term(t, &term, &variable))
		polynomial_add(p, factor, &variable, 1);
	else
		polynomial_lose(p);
}

/* What is added up in it, one by one: indices go to the polynomial, the others are terms. */
static void add_parts(struct terms *t, struct polynomial *p, const struct value *count, uint64_t guards)
{
	struct affine plain = count->plain;
	polynomial_add(p, plain.constant, NULL, 0);
	for (uint16_t d = 0; d < INDEX_DEPTH; d++) {
		polynomial_add(p, plain.index[d], &d, 1);
		plain.index[d] = 0;
	}
	plain.constant = 0;
	if (affine_has_process(&plain))
		add_count(t, p, &(struct value){.plain = plain}, 1, guards);
	for (int i = 0; i < REMAINDERS && count->remainder[i].modulus; i++) {
		struct value part = {.remainder = {count->remainder[i]}};
		part.remainder[0].factor = 1;
		add_count(t, p, &part, count->remainder[i].factor, guards);
	}
	for (int i = 0; i < POWERS && count->power[i].base; i++) {
		struct value part = {.power = {count->power[i]}};
		part.power[0].factor = 1;
		add_count(t, p, &part, count->power[i].factor, guards);
	}
	if (count->lookup.table) {
		struct value part = {.lookup = count->lookup, .by = count->by};
		part.lookup.factor = 1;
		add_count(t, p, &part, count->lookup.factor, guards);
	}
}

/* A part below 0 would count as 0 alone. */
static bool has_parts(const struct value *v)
{
	struct value tables = {.lookup = v->lookup, .by = v->by};
	tables.lookup.factor = 1;
	bool good = !v->test && !value_falls(&tables);
	for (int i = 0; i < GRID_AXES; i++)
		good = good && v->plain.axis[i] >= 0;
	return good && v->plain.p >= 0;
}

void terms_add_count(
	struct terms *t, struct polynomial *p, const struct value *count, bool never_negative, uint64_t guards)
{
	if (never_negative && has_parts(count))
		add_parts(t, p, count, guards);
	else
		add_count(t, p, count, 1, guards);
}

/* ------------------------------------------------------------------ sums */

/* On which indices, and on the process, does a product depend? False: one is of a loop too deep. */
static bool depends(const struct terms *t, const struct polynomial_term *product, uint64_t *indices, bool *process)
{
	for (size_t i = 0; i < product->degree; i++) {
		uint16_t variable = product->index[i];
		if (is_term(variable)) {
			*indices |= terms_get(t, variable)->indices;
			*process |= terms_get(t, variable)->process;
		} else if (variable >= LOOPS) {
			return false;
		} else {
			*indices |= UINT64_C(1) << variable;
		}
	}
	return true;
}

/* p += the sum over the index of coefficient / divisor times a product that depends on it. */
static void add_sum_of_product(struct terms *t, struct polynomial *p, const struct polynomial_term *product,
	int64_t divisor, uint16_t index, const struct polynomial *n, uint64_t guards)
{
	struct polynomial_term rest = {.coefficient = product->coefficient};
	struct sum_term sum = {.is_sum = true, .index = index, .n = *n, .guards = guards, .product.coefficient = 1};
	for (size_t i = 0; i < product->degree; i++) {
		uint16_t variable = product->index[i];
		bool inside = variable == index || (is_term(variable) && terms_get(t, variable)->indices >> index & 1);
		struct polynomial_term *to = inside ? &sum.product : &rest;
		to->index[to->degree++] = variable;
	}
	bool good = depends(t, &sum.product, &sum.indices, &sum.process);
	sum.indices &= ~(UINT64_C(1) << index);
	for (size_t i = 0; i < n->terms && good; i++)
		good = depends(t, &n->term[i], &sum.indices, &sum.process);
	uint16_t variable;
	if (!good || n->unknown || !find_term(t, &sum, &variable)) {
		polynomial_lose(p);
		return;
	}
	struct polynomial one = {0}, other = {.term = &rest, .terms = 1, .divisor = divisor};
	int64_t number;
	if (!sum.process && !sum.indices && term_value(t->sums, variable, &number))
		polynomial_add(&one, number, NULL, 0);
	else
		polynomial_add(&one, 1, &variable, 1);
	polynomial_add_product(p, &other, &one);
	polynomial_clear(&one);
}

static bool counts_on(const struct terms *t, const struct polynomial_term *product, uint16_t index)
{
	for (size_t i = 0; i < product->degree; i++)
		if (is_term(product->index[i]) && index < LOOPS &&
			terms_get(t, product->index[i])->indices >> index & 1)
			return true;
	return false;
}

void terms_add_sum(struct terms *t, struct polynomial *p, const struct polynomial *q, uint16_t index,
	const struct polynomial *n, uint64_t guards)
{
	struct polynomial plain = {.divisor = q->divisor, .unknown = q->unknown};
	for (size_t i = 0; i < q->terms && !p->unknown; i++) {
		if (counts_on(t, &q->term[i], index)) {
			add_sum_of_product(t, p, &q->term[i], q->divisor, index, n, guards);
			continue;
		}
		*MEM_PUSH(plain.term, plain.terms, plain.capacity) = q->term[i];
	}
	polynomial_add_sum(p, &plain, index, n);
	free(plain.term);
}

bool terms_value(
	struct terms *t, const struct polynomial *p, uint32_t rank, const int64_t *index, size_t depth, int64_t *result)
{
	return term_sums_value(t->sums, p, rank, index, depth, result);
}

/* ------------------------------------------------------------------ as text */

unsigned terms_index(uint64_t guards, uint16_t index)
{
	uint64_t before = index < LOOPS ? guards & ((UINT64_C(1) << index) - 1) : guards;
	return index - (unsigned)__builtin_popcountll(before);
}

struct writing {
	const struct terms *terms;
	uint64_t guards;
};

static void print_variable(const void *context, uint16_t variable, struct text *out);

/* The index that is summed over is called k where it is called i elsewhere. */
static void rename_index(const char *from, unsigned number, struct text *out)
{
	for (const char *at = from; *at;) {
		char *end = NULL;
		if (at[0] == 'i' && at[1] >= '0' && at[1] <= '9' && strtoul(at + 1, &end, 10) == number) {
			text_format(out, "k%u", number);
			at = end;
		} else {
			text_char(out, *at++);
		}
	}
}

static void print_sum(const struct terms *t, const struct sum_term *sum, struct text *out)
{
	struct text product = {0};
	unsigned number = terms_index(sum->guards, sum->index);
	struct polynomial inside = {.term = (struct polynomial_term *)&sum->product, .terms = 1};
	text_format(out, "sum(k%u<", number);
	terms_print(t, &sum->n, sum->guards, out);
	text_put(out, ": ");
	terms_print(t, &inside, sum->guards, &product);
	rename_index(product.data, number, out);
	text_char(out, ')');
	text_clear(&product);
}

/* A number that cannot be below 0 stands as it is. */
static bool never_negative(const struct value *v)
{
	static const struct affine none;
	bool part = !value_is_quasi_affine(v) || v->remainder[0].modulus || v->plain.p ||
		    memcmp(&v->plain, &none, sizeof none);
	return v->test || (part && has_parts(v) && !v->plain.constant && !affine_indices(&v->plain) &&
				  (!v->lookup.table || v->lookup.factor == 1) && !value_falls(v));
}

/* p - $w[i0] = 0: the process is the one that the table names. */
static bool names_process(const struct value *v, struct value *name)
{
	*name = *v;
	name->test = TEST_NONE;
	name->plain.p = 0;
	value_oppose(name);
	return v->test == TEST_EQUAL && !v->number && v->plain.p == 1 && value_is_entry(name) && !name->plain.constant;
}

static void print_count(const struct sum_term *t, struct text *out)
{
	struct value count = t->count, name;
	value_squeeze(&count, (uint32_t)t->guards);
	if (names_process(&count, &name)) {
		text_put(out, "(");
		value_print(&name, out);
		text_put(out, " = p)");
		return;
	}
	bool clipped = !never_negative(&count);
	text_put(out, count.test ? "(" : clipped ? "max(0," : "");
	condition_print(&count, out);
	text_put(out, count.test || clipped ? ")" : "");
}

static void print_variable(const void *context, uint16_t variable, struct text *out)
{
	const struct writing *w = context;
	if (!is_term(variable))
		text_format(out, "i%u", terms_index(w->guards, variable));
	else if (terms_get(w->terms, variable)->is_sum)
		print_sum(w->terms, terms_get(w->terms, variable), out);
	else
		print_count(terms_get(w->terms, variable), out);
}

void terms_print(const struct terms *t, const struct polynomial *p, uint64_t guards, struct text *out)
{
	struct writing w = {t, guards};
	polynomial_print_with(p, false, &(struct polynomial_others){.context = &w, .print = print_variable}, out);
}
