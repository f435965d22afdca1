/*
 * unknowns.c -- unknowns by number; how they are summed, and written.
 */
#include "ask/unknowns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/number_range.h"

struct unknowns {
	const struct module *module;
	struct store *store;
	struct environment at;
	uint32_t loops, depth; /* depth: of those around what is asked for, */
	node_id *last; /* ... the last index of each, absolute, */
	int64_t *top; /* ... and the most that it is */
	struct ranges ranges;
	struct intern *keys;
	struct unknown *unknown;
	size_t length, capacity;
};

/* More loops around are not told apart. */
#define LOOPS 64
/* Rows of tables that are looked at to tell between what a number lies. */
#define TABLE_ROWS (UINT64_C(1) << 16)

struct unknowns *unknowns_new(struct run *run)
{
	struct unknowns *u = mem_zero(sizeof *u);
	uint32_t loops = node_of(run_module(run)->store, run_module(run)->body)->depth;
	u->module = run_module(run);
	u->store = u->module->store;
	u->at = run_environment(run);
	u->loops = loops;
	u->at.index = mem_zero((loops + (size_t)1) * sizeof *u->at.index);
	u->last = mem_zero((loops + (size_t)1) * sizeof *u->last);
	u->top = mem_zero((loops + (size_t)1) * sizeof *u->top);
	u->ranges = (struct ranges){.at = u->at, .top = u->top, .depth = loops};
	u->keys = intern_new();
	return u;
}

void unknowns_free(struct unknowns *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->length; i++)
		polynomial_clear(&u->unknown[i].n);
	free(u->unknown);
	free(u->at.index);
	free(u->last);
	free(u->top);
	intern_free(u->keys);
	free(u);
}

static bool is_unknown(uint16_t variable)
{
	return variable >= POLYNOMIAL_OTHERS;
}

const struct unknown *unknowns_get(const struct unknowns *u, uint16_t variable)
{
	return &u->unknown[variable - POLYNOMIAL_OTHERS];
}

uint32_t unknowns_loops(const struct unknowns *u)
{
	return u->loops;
}

/* Its number; false: there are too many. */
static bool find(struct unknowns *u, const struct unknown *new, uint16_t *variable)
{
	size_t behind = new->n.terms * sizeof *new->n.term;
	struct unknown_key *key = mem_alloc(sizeof *key + behind);
	memcpy(key, &new->is, sizeof *key);
	if (behind)
		memcpy(key + 1, new->n.term, behind);
	uint32_t id = intern_id(u->keys, key, sizeof *key + behind);
	free(key);
	if (id > UINT16_MAX - POLYNOMIAL_OTHERS)
		return false;
	*variable = (uint16_t)(POLYNOMIAL_OTHERS + id);
	if (id < u->length)
		return true;
	u->unknown = mem_grow(u->unknown, &u->capacity, id + (size_t)1, sizeof *u->unknown);
	u->unknown[u->length] = *new;
	u->unknown[u->length].n = (struct polynomial){0};
	polynomial_copy(&u->unknown[u->length++].n, &new->n);
	return true;
}

/* ------------------------------------------------------------------ numbers */

/* As if all loops were around it. */
static node_id absolute(struct unknowns *u, node_id id)
{
	bool good = true;
	return node_put(&(struct substitution){.store = u->store, .deeper = u->loops - u->depth}, id, &good);
}

static uint64_t indices_of(const struct unknowns *u, node_id id)
{
	uint64_t uses = node_of(u->store, id)->uses[FOR_ALL], indices = 0;
	for (uint32_t k = 0; k < u->loops && uses & USES_INDICES; k++)
		if (uses & USES_INDEX(k) && u->loops - 1 - k < LOOPS)
			indices |= UINT64_C(1) << (u->loops - 1 - k);
	return indices;
}

/* The loop whose index it is; false: it is none. */
static bool is_index(const struct unknowns *u, const struct node *factor, uint16_t *loop)
{
	if (factor->kind != NODE_VARIABLE || factor->number < VARIABLE_INDEX)
		return false;
	*loop = (uint16_t)(u->loops - 1 - (uint32_t)(factor->number - VARIABLE_INDEX));
	return true;
}

static bool is_place(const struct node *factor)
{
	return factor->kind == NODE_VARIABLE && factor->number <= VARIABLE_W;
}

/* ------------------------------------------------------------------ the parts of a number */

/* For these processes. */
static bool range_of(struct unknowns *u, node_id number, uint32_t first, uint32_t last, struct range *r)
{
	u->ranges.last = last;
	u->ranges.steps = TABLE_ROWS;
	environment_set(&u->ranges.at, first);
	return number_range(&u->ranges, number, r);
}

void unknowns_enter(struct unknowns *u, node_id last)
{
	struct range r;
	last = absolute(u, last);
	bool known = range_of(u, last, 0, u->at.processes - 1, &r);
	u->top[u->depth] = !known ? INT64_MAX : r.high < 0 ? 0 : r.high;
	u->last[u->depth++] = last;
}

uint16_t unknowns_depth(const struct unknowns *u)
{
	return (uint16_t)u->depth;
}

void unknowns_leave(struct unknowns *u)
{
	u->depth--;
}

/* Are all entries of the factor 0 or more? */
static bool is_natural(struct unknowns *u, node_id id)
{
	const struct node *f = node_of(u->store, id), *t;
	struct range r;
	switch ((enum node_kind)f->kind) {
	case NODE_SUM:
		return number_single(u->store, id) && is_natural(u, number_single(u->store, id));
	case NODE_PRODUCT:
		return is_natural(u, f->kid[0]) && is_natural(u, f->kid[1]);
	case NODE_ENTRY:
		t = node_of(u->store, f->kid[0]);
		return t->kids ? range_of(u, t->kid[0], 0, u->at.processes - 1, &r) && r.low >= 0
			       : table_least(store_get_table(u->store, (uint32_t)t->number)) >= 0;
	default:
		return false;
	}
}

/* May the term be counted on its own, not below 0? */
static bool is_part(struct unknowns *u, const struct node *term)
{
	const struct node *f = node_of(u->store, term->kid[0]);
	int64_t modulus;
	uint16_t loop;
	if (is_index(u, f, &loop))
		return true;
	if (f->kind == NODE_REMAINDER)
		return number_is_constant(u->store, f->kid[1], &modulus);
	return term->number > 0 && (f->kind == NODE_VARIABLE || f->kind == NODE_POWER || is_natural(u, term->kid[0]));
}

/* Are all terms parts, and is their sum not below 0 for these processes? Each index, the innermost
   first, is put where it makes the number least: at 0, or at the last iteration. */
static bool has_parts(struct unknowns *u, node_id number, uint32_t first, uint32_t last)
{
	const struct node *n = node_of(u->store, number);
	bool rises = n->number >= 0, parts = true;
	struct range r;
	for (uint32_t k = 0; k < n->kids && parts; k++) {
		const struct node *t = node_of(u->store, n->kid[k]);
		parts = is_part(u, t);
		rises = rises && t->number > 0;
	}
	if (!parts || rises)
		return parts;
	for (uint32_t d = u->depth; d-- > 0 && number;) {
		node_id index = number_variable(u->store, VARIABLE_INDEX + u->loops - 1 - d);
		int64_t factor = 0;
		n = node_of(u->store, number);
		for (uint32_t k = 0; k < n->kids; k++)
			if (node_kid(u->store, n->kid[k], 0) == number_single(u->store, index))
				factor = node_of(u->store, n->kid[k])->number;
		if (factor < 0 && factor > INT64_MIN)
			number = number_add(u->store, number_add(u->store, number, index, -factor), u->last[d], factor);
	}
	return number && range_of(u, number, first, last, &r) && r.low >= 0;
}

/* ------------------------------------------------------------------ counts */

static void add_unknown(struct unknowns *u, struct polynomial *p, enum unknown_kind kind, node_id node, int64_t times)
{
	struct unknown new = {
		.indices = indices_of(u, node), .process = node_of(u->store, node)->uses[FOR_ALL] & USES_PROCESS};
	uint16_t variable;
	new.is.kind = (uint32_t)kind;
	new.is.node = node;
	if (node && find(u, &new, &variable))
		polynomial_add(p, times, &variable, 1);
	else
		polynomial_lose(p);
}

enum part_order { REMAINDERS_FIRST, POWERS_NEXT, OTHERS_LAST, PART_ORDERS };

static enum part_order order_of(const struct node *factor)
{
	return factor->kind == NODE_REMAINDER ? REMAINDERS_FIRST
	       : factor->kind == NODE_POWER   ? POWERS_NEXT
					      : OTHERS_LAST;
}

static void add_parts(struct unknowns *u, struct polynomial *p, node_id number)
{
	const struct node *n = node_of(u->store, number);
	node_id places = number_constant(u->store, 0);
	polynomial_add(p, n->number, NULL, 0);
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *t = node_of(u->store, n->kid[k]), *f = node_of(u->store, t->kid[0]);
		uint16_t loop;
		if (is_index(u, f, &loop))
			polynomial_add(p, t->number, &loop, 1);
		else if (is_place(f))
			places = number_add(u->store, places, number_of_factor(u->store, t->kid[0]), t->number);
	}
	if (node_of(u->store, places)->kids)
		add_unknown(u, p, UNKNOWN_COUNT, places, 1);
	for (int order = 0; order < PART_ORDERS; order++)
		for (uint32_t k = 0; k < n->kids; k++) {
			const struct node *t = node_of(u->store, n->kid[k]), *f = node_of(u->store, t->kid[0]);
			uint16_t loop;
			if (!is_index(u, f, &loop) && !is_place(f) && order_of(f) == (enum part_order)order)
				add_unknown(u, p, UNKNOWN_COUNT, number_of_factor(u->store, t->kid[0]), t->number);
		}
}

void unknowns_add_count(struct unknowns *u, struct polynomial *p, node_id number, uint32_t first, uint32_t last)
{
	int64_t constant;
	number = absolute(u, number);
	if (number_is_constant(u->store, number, &constant))
		polynomial_add(p, constant < 0 ? 0 : constant, NULL, 0);
	else if (has_parts(u, number, first, last))
		add_parts(u, p, number);
	else
		add_unknown(u, p, UNKNOWN_COUNT, number, 1);
}

/* Of a table of flags, which are 0 or 1, the entry itself is the count. */
static bool holds_flags(const struct unknowns *u, const struct node *test)
{
	const struct node *e = node_of(u->store, number_single(u->store, test->kid[0]));
	if (e->kind != NODE_ENTRY || node_of(u->store, e->kid[0])->kids ||
		(test->sub != NODE_TEST_NOT_ZERO && (test->sub != NODE_TEST_DIFFERS || test->number)))
		return false;
	const struct table *table = store_get_table(u->store, (uint32_t)node_of(u->store, e->kid[0])->number);
	return table_least(table) >= 0 && table_most(table) <= 1;
}

void unknowns_add_test(struct unknowns *u, struct polynomial *p, node_id test)
{
	test = absolute(u, test);
	if (holds_flags(u, node_of(u->store, test)))
		add_parts(u, p, node_kid(u->store, test, 0));
	else
		add_unknown(u, p, UNKNOWN_TEST, test, 1);
}

/* The first look-up in a place. */
static node_id look_up_in(const struct store *s, node_id id)
{
	const struct node *n = node_of(s, id);
	node_id found = n->kind == NODE_ENTRY ? id : NODE_NONE;
	for (uint32_t k = 0; k < n->kids && !found; k++)
		found = look_up_in(s, n->kid[k]);
	return found;
}

/* The peer is found by one entry of a table. */
void unknowns_add_inside(struct unknowns *u, struct polynomial *p, node_id place)
{
	const struct node *entry = node_of(u->store, look_up_in(u->store, place));
	if (entry->kind == NODE_ENTRY && entry->kids == 2 && !node_of(u->store, entry->kid[0])->kids)
		add_unknown(u, p, UNKNOWN_INSIDE, absolute(u, place), 1);
	else
		polynomial_lose(p);
}

/* ------------------------------------------------------------------ sums */

/* On which indices, and on the process, does a product depend? False: one is of a loop too deep. */
static bool depends(const struct unknowns *u, const struct polynomial_term *product, uint64_t *indices, bool *process)
{
	for (size_t i = 0; i < product->degree; i++) {
		uint16_t variable = product->index[i];
		if (is_unknown(variable)) {
			*indices |= unknowns_get(u, variable)->indices;
			*process |= unknowns_get(u, variable)->process;
		} else if (variable >= LOOPS) {
			return false;
		} else {
			*indices |= UINT64_C(1) << variable;
		}
	}
	return true;
}

static bool counts_on(const struct unknowns *u, uint16_t variable, uint16_t index)
{
	return is_unknown(variable) && index < LOOPS && unknowns_get(u, variable)->indices >> index & 1;
}

static bool sum_is_number(struct unknowns *, const struct unknown *sum, int64_t *number);

/* p += the sum over the index of a term of a polynomial with this divisor, which depends on it. */
static void add_sum_of_product(struct unknowns *u, struct polynomial *p, const struct polynomial_term *term,
	int64_t divisor, uint16_t index, const struct polynomial *n)
{
	struct polynomial_term rest = {.coefficient = term->coefficient};
	struct unknown sum = {.n = *n};
	sum.is.kind = UNKNOWN_SUM;
	sum.is.index = index;
	sum.is.divisor = n->divisor;
	sum.is.product.coefficient = 1;
	for (size_t i = 0; i < term->degree; i++) {
		bool inside = term->index[i] == index || counts_on(u, term->index[i], index);
		struct polynomial_term *to = inside ? &sum.is.product : &rest;
		to->index[to->degree++] = term->index[i];
	}
	bool good = depends(u, &sum.is.product, &sum.indices, &sum.process);
	sum.indices &= ~(UINT64_C(1) << index);
	for (size_t i = 0; i < n->terms && good; i++)
		good = depends(u, &n->term[i], &sum.indices, &sum.process);
	uint16_t variable;
	if (!good || n->unknown || !find(u, &sum, &variable)) {
		polynomial_lose(p);
		return;
	}
	struct polynomial one = {0}, other = {.term = &rest, .terms = 1, .divisor = divisor};
	int64_t number;
	if (!sum.process && !sum.indices && sum_is_number(u, unknowns_get(u, variable), &number))
		polynomial_add(&one, number, NULL, 0);
	else
		polynomial_add(&one, 1, &variable, 1);
	polynomial_add_product(p, &other, &one);
	polynomial_clear(&one);
}

void unknowns_add_sum(struct unknowns *u, struct polynomial *p, const struct polynomial *q, uint16_t index,
	const struct polynomial *n)
{
	struct polynomial plain = {.divisor = q->divisor, .unknown = q->unknown};
	for (size_t i = 0; i < q->terms && !p->unknown; i++) {
		bool counts = false;
		for (size_t k = 0; k < q->term[i].degree; k++)
			counts |= counts_on(u, q->term[i].index[k], index);
		if (counts)
			add_sum_of_product(u, p, &q->term[i], q->divisor, index, n);
		else
			*MEM_PUSH(plain.term, plain.terms, plain.capacity) = q->term[i];
	}
	polynomial_add_sum(p, &plain, index, n);
	free(plain.term);
}

/* ------------------------------------------------------------------ values */

/* Who asks. */
struct asking {
	const struct unknowns *unknowns;
	struct environment *at;
};

static bool value_of_variable(const void *context, uint16_t variable, int64_t *value);

/* Recursion as deep as sums stand inside of sums. */
static bool value_of_polynomial(const struct asking *a, const struct polynomial *p, int64_t *value)
{
	struct polynomial_others others = {.context = a, .value = value_of_variable};
	return polynomial_value(p, a->at->index, &others, value);
}

static bool product_at(const struct asking *a, const struct unknown *sum, int64_t *product)
{
	*product = 1;
	for (size_t k = 0; k < sum->is.product.degree && *product; k++) {
		uint16_t variable = sum->is.product.index[k];
		int64_t factor = is_unknown(variable) ? 0 : a->at->index[variable];
		if (is_unknown(variable) && !value_of_variable(a, variable, &factor))
			return false;
		if (__builtin_mul_overflow(*product, factor, product))
			return false;
	}
	return true;
}

/* The first n iterations, one by one. */
static bool add_up(const struct asking *a, const struct unknown *sum, int64_t n, int64_t *total)
{
	int64_t *index = &a->at->index[sum->is.index], kept = *index, product;
	bool good = true;
	*total = 0;
	for (*index = 0; *index < n && good; ++*index)
		good = product_at(a, sum, &product) && !__builtin_add_overflow(*total, product, total);
	*index = kept;
	return good;
}

static bool value_of_variable(const void *context, uint16_t variable, int64_t *value)
{
	const struct asking *a = context;
	const struct unknown *x = unknowns_get(a->unknowns, variable);
	int64_t n;
	if (x->is.kind == UNKNOWN_SUM)
		return value_of_polynomial(a, &x->n, &n) && add_up(a, x, n, value);
	*value = x->is.kind == UNKNOWN_TEST     ? test_holds(a->at, x->is.node)
		 : x->is.kind == UNKNOWN_INSIDE ? place_is_in(a->at, x->is.node)
						: number_at(a->at, x->is.node);
	*value = *value < 0 ? 0 : *value;
	return !a->at->failure;
}

bool unknowns_value(const struct unknowns *u, const struct polynomial *p, struct environment *at, int64_t *value)
{
	size_t depth = at->depth;
	at->depth = u->loops;
	at->failure = FAILURE_NONE;
	bool good = !p->unknown && value_of_polynomial(&(struct asking){u, at}, p, value);
	at->depth = depth;
	at->failure = FAILURE_NONE;
	return good;
}

/* ------------------------------------------------------------------ sums that are numbers */

/* After so many iterations the product starts again; 0: it never does, for all that is known. */
static int64_t period_of_sum(const struct unknowns *u, const struct unknown *sum)
{
	int64_t outwards = (int64_t)u->loops - 1 - (int64_t)sum->is.index;
	uint64_t period = 1;
	for (size_t i = 0; i < sum->is.product.degree && period; i++) {
		uint16_t variable = sum->is.product.index[i];
		const struct unknown *x = is_unknown(variable) ? unknowns_get(u, variable) : NULL;
		bool known = x && x->is.kind != UNKNOWN_SUM;
		uint64_t own = known ? node_period(u->store, x->is.node, outwards, FOR_ALL) : 0;
		period = own ? common_multiple(period, own, (uint64_t)UNKNOWN_ITERATIONS) : 0;
	}
	return (int64_t)period;
}

/* The number of a count or a test, if it is start + step * index. */
static bool is_series(struct unknowns *u, node_id number, uint16_t index, int64_t *start, int64_t *step)
{
	const struct node *n = node_of(u->store, number);
	*step = 0;
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *t = node_of(u->store, n->kid[k]);
		uint16_t loop;
		if (is_index(u, node_of(u->store, t->kid[0]), &loop) && loop == index)
			*step = t->number;
		else if (indices_of(u, t->kid[0]) >> index & 1)
			return false;
	}
	u->at.depth = u->loops;
	*start = number_at(&u->at, number);
	return *step && !u->at.failure;
}

/* How many of 0 to n - 1 bring the series to this value? */
static int64_t hits(int64_t start, int64_t step, int64_t n, int64_t value)
{
	__int128 way = (__int128)value - start;
	return way % step == 0 && way / step >= 0 && way / step < n;
}

static int64_t hits_of_test(const struct unknowns *u, const struct node *test, int64_t start, int64_t step, int64_t n)
{
	bool among = test->sub >= NODE_TEST_AMONG, not = test->sub != NODE_TEST_EQUAL && test->sub != NODE_TEST_AMONG;
	int64_t found = 0;
	if (!among)
		found = hits(start, step, n, test->sub == NODE_TEST_NOT_ZERO ? 0 : test->number);
	const struct table *values = among ? store_get_table(u->store, (uint32_t)test->number) : NULL;
	for (uint64_t i = 0; values && i < table_entries(values); i++)
		found += hits(start, step, n, table_entry(values, i));
	return not ? n - found : found;
}

/* Of max(0, start + step*i): those i for which it is above are in a row. */
static __int128 positive_series(__int128 start, __int128 step, int64_t n)
{
	__int128 first = 0, last = (__int128)n - 1, end = start + step * last;
	if (start < 0)
		first = (-start + step - 1) / step;
	if (end < 0)
		last = start / -step;
	if ((start < 0 && step < 0) || (end < 0 && step > 0) || first > last)
		return 0;
	return (2 * start + step * (first + last)) * (last - first + 1) / 2;
}

/* A sum of one count or test that follows the index as it is: however many iterations. */
static bool sum_of_series(struct unknowns *u, const struct unknown *sum, int64_t n, int64_t *number)
{
	uint16_t variable = sum->is.product.index[0], index = (uint16_t)sum->is.index;
	if (sum->is.product.degree != 1 || !is_unknown(variable) || n >= INT64_C(1) << 40)
		return false;
	struct unknown x = *unknowns_get(u, variable);
	const struct node *node = node_of(u->store, x.is.node);
	int64_t start, step;
	if (x.is.kind == UNKNOWN_SUM || x.is.kind == UNKNOWN_INSIDE ||
		!is_series(u, x.is.kind == UNKNOWN_TEST ? node->kid[0] : x.is.node, index, &start, &step))
		return false;
	if (x.is.kind == UNKNOWN_TEST) {
		*number = hits_of_test(u, node, start, step, n);
		return true;
	}
	__int128 total = positive_series(start, step, n);
	*number = (int64_t)total;
	return *number == total;
}

/* Of a sum that depends neither on the process nor on the indices around. */
static bool sum_is_number(struct unknowns *u, const struct unknown *sum, int64_t *number)
{
	struct unknown x = *sum; /* others may be found */
	int64_t n, period, one = 0, whole = 0;
	struct asking asking = {u, &u->at};
	environment_set(&u->at, 0);
	u->at.depth = u->loops;
	memset(u->at.index, 0, u->loops * sizeof *u->at.index);
	*number = 0;
	if (!value_of_polynomial(&asking, &x.n, &n))
		return false;
	if (n <= 0 || sum_of_series(u, &x, n, number))
		return true;
	period = period_of_sum(u, &x);
	int64_t rest = period ? n % period : n;
	if (rest > UNKNOWN_ITERATIONS || (rest < n && !add_up(&asking, &x, period, &one)))
		return false;
	return add_up(&asking, &x, rest, number) && !__builtin_mul_overflow(one, period ? n / period : 0, &whole) &&
	       !__builtin_add_overflow(*number, whole, number);
}

/* ------------------------------------------------------------------ as text */

/* The index that is summed over is called k where it is called i elsewhere. */
static void rename_index(const char *from, uint64_t number, struct text *out)
{
	for (const char *at = from; *at;) {
		char *end = NULL;
		if (at[0] == 'i' && at[1] >= '0' && at[1] <= '9' && strtoul(at + 1, &end, 10) == number) {
			text_format(out, "k%" PRIu64, number);
			at = end;
		} else {
			text_char(out, *at++);
		}
	}
}

static void print_sum(const struct unknowns *u, const struct unknown *sum, struct text *out)
{
	struct text product = {0};
	struct polynomial inside = {.term = (struct polynomial_term *)&sum->is.product, .terms = 1};
	text_format(out, "sum(k%" PRIu64 "<", sum->is.index);
	unknowns_print(u, &sum->n, out);
	text_put(out, ": ");
	unknowns_print(u, &inside, &product);
	rename_index(product.data, sum->is.index, out);
	text_char(out, ')');
	text_clear(&product);
}

/* Parts that are not below 0, and no others. */
static bool stands_as_it_is(struct unknowns *u, node_id number)
{
	const struct node *n = node_of(u->store, number);
	bool good = !n->number && n->kids;
	for (uint32_t k = 0; k < n->kids && good; k++) {
		const struct node *t = node_of(u->store, n->kid[k]), *f = node_of(u->store, t->kid[0]);
		uint16_t loop;
		good = is_part(u, t) && !is_index(u, f, &loop) && (f->kind != NODE_ENTRY || t->number == 1);
	}
	return good;
}

/* p - $w[i0] = 0: the process is the one that the table names. */
static node_id named_by(const struct unknowns *u, const struct node *test)
{
	if (test->sub != NODE_TEST_EQUAL || test->number)
		return NODE_NONE;
	node_id own = number_variable(u->store, VARIABLE_P), name = number_add(u->store, own, test->kid[0], -1),
		single = number_single(u->store, name);
	return single && node_of(u->store, single)->kind == NODE_ENTRY ? name : NODE_NONE;
}

/* "$inside[p,i2]": as a table of flags, by process and by what its look-up asks for. */
static void print_inside(const struct unknowns *u, const struct unknown *inside, struct text *out)
{
	const struct node *entry = node_of(u->store, look_up_in(u->store, inside->is.node));
	struct text name = {0};
	size_t number = 1;
	for (const struct unknown *x = u->unknown; x < inside; x++)
		number += x->is.kind == UNKNOWN_INSIDE;
	text_put(&name, "inside");
	if (number > 1)
		text_format(&name, "%zu", number);
	node_id argument[] = {number_variable(u->store, VARIABLE_P), entry->kid[1]},
		table = node_make(u->store, NODE_TABLE, 0, store_word(u->store, name.data, name.length),
			node_of(u->store, entry->kid[0])->number, 0, NULL);
	node_print(u->module, number_entry(u->store, table, argument, 2), u->loops, out);
	text_clear(&name);
}

static void print_variable(const void *context, uint16_t variable, struct text *out)
{
	const struct unknowns *u = context;
	if (!is_unknown(variable)) {
		text_format(out, "i%u", (unsigned)variable);
		return;
	}
	const struct unknown *x = unknowns_get(u, variable);
	if (x->is.kind == UNKNOWN_SUM || x->is.kind == UNKNOWN_INSIDE) {
		(x->is.kind == UNKNOWN_SUM ? print_sum : print_inside)(u, x, out);
		return;
	}
	bool test = x->is.kind == UNKNOWN_TEST;
	node_id name = test ? named_by(u, node_of(u->store, x->is.node)) : NODE_NONE;
	bool plain = !test && stands_as_it_is((struct unknowns *)(uintptr_t)u, x->is.node);
	text_put(out, plain ? "" : test ? "(" : "max(0,");
	node_print(u->module, name ? name : x->is.node, u->loops, out);
	text_put(out, name ? " = p" : "");
	text_put(out, plain ? "" : ")");
}

void unknowns_print(const struct unknowns *u, const struct polynomial *p, struct text *out)
{
	polynomial_print_with(p, false, &(struct polynomial_others){.context = u, .print = print_variable}, out);
}
