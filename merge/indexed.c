/*
 * indexed.c -- interned words: what kind it is, then a number or the ids of the iterations.
 */
#include "merge/indexed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "base/intern.h"
#include "base/mem.h"

struct indexed_store {
	struct intern *known; /* words: kind, then what it is made of; the id less one */
	uint32_t *word; /* room for one that is asked for; a stack: calls nest */
	size_t used, capacity;
};

struct indexed_store *indexed_store_new(void)
{
	struct indexed_store *s = mem_zero(sizeof *s);
	s->known = intern_new();
	return s;
}

void indexed_store_free(struct indexed_store *s)
{
	if (!s)
		return;
	intern_free(s->known);
	free(s->word);
	free(s);
}

static const uint32_t *words_of(const struct indexed_store *s, indexed v, size_t *words)
{
	size_t size;
	const uint32_t *word = intern_data(s->known, v - 1, &size);
	if (words)
		*words = size / sizeof *word;
	return word;
}

static indexed known(struct indexed_store *s, const uint32_t *word, size_t words)
{
	return intern_id(s->known, word, words * sizeof *word) + 1;
}

indexed indexed_number(struct indexed_store *s, int64_t number)
{
	uint32_t word[] = {INDEXED_IS_NUMBER, (uint32_t)(uint64_t)number, (uint32_t)((uint64_t)number >> 32)};
	return known(s, word, sizeof word / sizeof *word);
}

indexed indexed_same(struct indexed_store *s, indexed v)
{
	uint32_t word[] = {INDEXED_IS_SAME, v};
	return v == INDEXED_NONE ? INDEXED_NONE : known(s, word, sizeof word / sizeof *word);
}

/* Words at the top of the stack; the first one is the number from the bottom. */
static size_t open_words(struct indexed_store *s, size_t words)
{
	size_t first = s->used;
	s->word = mem_grow(s->word, &s->capacity, s->used + words, sizeof *s->word);
	s->used += words;
	return first;
}

static indexed close_each(struct indexed_store *s, size_t first)
{
	size_t words = s->used - first;
	indexed all = INDEXED_NONE;
	bool same = true;
	while (words > 1 && s->word[first + words - 1] == INDEXED_NONE)
		words--; /* beyond the last one there is none anyway */
	for (size_t i = 1; i < words && same; i++) {
		indexed v = s->word[first + i];
		same = v == INDEXED_NONE || all == INDEXED_NONE || v == all;
		all = v == INDEXED_NONE ? all : v;
	}
	s->word[first] = INDEXED_IS_EACH;
	indexed result = same ? indexed_same(s, all) : known(s, s->word + first, words);
	s->used = first;
	return result;
}

indexed indexed_each(struct indexed_store *s, const indexed *iteration, size_t count)
{
	size_t first = open_words(s, count + 1);
	memcpy(s->word + first + 1, iteration, count * sizeof *iteration);
	return close_each(s, first);
}

enum indexed_kind indexed_kind(const struct indexed_store *s, indexed v)
{
	return v == INDEXED_NONE ? INDEXED_IS_NONE : (enum indexed_kind)words_of(s, v, NULL)[0];
}

int64_t indexed_get(const struct indexed_store *s, indexed v)
{
	const uint32_t *word = words_of(s, v, NULL);
	assert(word[0] == INDEXED_IS_NUMBER);
	return (int64_t)(word[1] | (uint64_t)word[2] << 32);
}

indexed indexed_at(const struct indexed_store *s, indexed v, size_t iteration)
{
	if (v == INDEXED_NONE)
		return INDEXED_NONE;
	size_t words;
	const uint32_t *word = words_of(s, v, &words);
	assert(word[0] != INDEXED_IS_NUMBER);
	if (word[0] == INDEXED_IS_SAME)
		return word[1];
	return iteration + 1 < words ? word[iteration + 1] : INDEXED_NONE;
}

size_t indexed_length(const struct indexed_store *s, indexed v)
{
	size_t words = 1;
	return indexed_kind(s, v) == INDEXED_IS_EACH ? (words_of(s, v, &words), words - 1) : 0;
}

bool indexed_is_constant(const struct indexed_store *s, indexed v, int64_t *number)
{
	while (indexed_kind(s, v) == INDEXED_IS_SAME)
		v = indexed_at(s, v, 0);
	if (indexed_kind(s, v) != INDEXED_IS_NUMBER)
		return false;
	*number = indexed_get(s, v);
	return true;
}

bool indexed_varies(struct indexed_store *s, indexed v, uint32_t depth)
{
	if (indexed_kind(s, v) == INDEXED_IS_NONE || indexed_kind(s, v) == INDEXED_IS_NUMBER)
		return false;
	if (depth == 0)
		return indexed_kind(s, v) == INDEXED_IS_EACH;
	size_t length = indexed_length(s, v);
	if (!length)
		return indexed_varies(s, indexed_at(s, v, 0), depth - 1);
	bool varies = false;
	for (size_t i = 0; i < length && !varies; i++)
		varies = indexed_varies(s, indexed_at(s, v, i), depth - 1);
	return varies;
}

indexed indexed_wrap(struct indexed_store *s, indexed v, uint32_t loops)
{
	for (; loops > 0; loops--)
		v = indexed_same(s, v);
	return v;
}

/* What a function makes of each iteration of the outermost loop. */
typedef indexed (*inside)(struct indexed_store *, indexed, const void *context);

static indexed each_inside(struct indexed_store *s, indexed v, inside f, const void *context)
{
	size_t length = indexed_length(s, v);
	if (!length)
		return indexed_same(s, f(s, indexed_at(s, v, 0), context));
	size_t first = open_words(s, length + 1);
	for (size_t i = 0; i < length; i++) {
		indexed made = f(s, indexed_at(s, v, i), context);
		s->word[first + 1 + i] = made;
	}
	return close_each(s, first);
}

/* A change of the loop at a depth: the number is an iteration, or how many. */
struct change {
	indexed (*of)(struct indexed_store *, indexed, size_t number);
	uint32_t depth;
	size_t number;
};

static indexed changed(struct indexed_store *s, indexed v, const void *change)
{
	const struct change *c = change;
	if (v == INDEXED_NONE)
		return INDEXED_NONE;
	if (c->depth == 0)
		return c->of(s, v, c->number);
	struct change next = {c->of, c->depth - 1, c->number};
	return each_inside(s, v, changed, &next);
}

static indexed as_same(struct indexed_store *s, indexed v, size_t number)
{
	(void)number;
	return indexed_same(s, v);
}

indexed indexed_insert(struct indexed_store *s, indexed v, uint32_t depth)
{
	return changed(s, v, &(struct change){as_same, depth, 0});
}

static indexed at_iteration(struct indexed_store *s, indexed v, size_t iteration)
{
	return indexed_at(s, v, iteration);
}

indexed indexed_remove(struct indexed_store *s, indexed v, uint32_t depth, size_t iteration)
{
	return changed(s, v, &(struct change){at_iteration, depth, iteration});
}

static indexed in_blocks(struct indexed_store *s, indexed v, size_t period)
{
	if (!indexed_length(s, v))
		return indexed_same(s, v);
	size_t first = open_words(s, period + 1);
	for (size_t i = 0; i < period; i++)
		s->word[first + 1 + i] = indexed_at(s, v, i);
	return indexed_same(s, close_each(s, first));
}

indexed indexed_block(struct indexed_store *s, indexed v, uint32_t depth, size_t period)
{
	return changed(s, v, &(struct change){in_blocks, depth, period});
}

size_t indexed_turn(const struct indexed_store *s, indexed v, size_t from, size_t to)
{
	size_t length = to - from, same = 0, *border = mem_zero((length + 1) * sizeof *border);
	for (size_t i = 1; i < length; i++) {
		indexed own = indexed_at(s, v, from + i);
		while (same && own != indexed_at(s, v, from + same))
			same = border[same - 1];
		same += own == indexed_at(s, v, from + same);
		border[i] = same;
	}
	free(border);
	return length - same;
}

/* The turn of all, if they are whole ones. */
static size_t period_of_iterations(const struct indexed_store *s, indexed v)
{
	size_t length = indexed_length(s, v), turn = indexed_turn(s, v, 0, length);
	return length % turn ? length : turn;
}

size_t indexed_period(struct indexed_store *s, indexed v, uint32_t depth, size_t iterations)
{
	enum indexed_kind kind = indexed_kind(s, v);
	if (kind == INDEXED_IS_NONE || (kind == INDEXED_IS_SAME && depth == 0))
		return 1;
	if (kind == INDEXED_IS_SAME)
		return indexed_period(s, indexed_at(s, v, 0), depth - 1, iterations);
	if (depth == 0)
		return indexed_length(s, v) == iterations ? period_of_iterations(s, v) : iterations;
	size_t all = 1;
	for (size_t i = 0; i < indexed_length(s, v) && all < iterations; i++) {
		size_t own = indexed_period(s, indexed_at(s, v, i), depth - 1, iterations);
		all = common_multiple(all, own, iterations); /* which both divide */
	}
	return all;
}

static size_t longest(const struct indexed_store *s, const indexed *v, size_t count)
{
	size_t most = 0;
	for (size_t i = 0; i < count; i++) {
		size_t length = indexed_length(s, v[i]);
		most = length > most ? length : most;
	}
	return most;
}

/* The loops around what is walked: their counts, and in which iteration each is. */
struct around {
	const indexed *count; /* the outermost first; NULL: not known */
	size_t *at; /* by depth; ALL_ITERATIONS: in any */
};

#define ALL_ITERATIONS SIZE_MAX

/* How many iterations the loop at this depth has at most there; the loops outside of `depth` are in
   the count already. */
static size_t iterations_there(
	const struct indexed_store *s, const struct around *a, indexed count, uint32_t depth, uint32_t loop)
{
	if (count == INDEXED_NONE)
		return 0;
	if (depth == loop)
		return (size_t)indexed_get(s, count);
	size_t length = indexed_length(s, count), most = 0;
	if (!length || a->at[depth] != ALL_ITERATIONS)
		return iterations_there(s, a, indexed_at(s, count, length ? a->at[depth] : 0), depth + 1, loop);
	for (size_t i = 0; i < length; i++) {
		size_t own = iterations_there(s, a, indexed_at(s, count, i), depth + 1, loop);
		most = own > most ? own : most;
	}
	return most;
}

/* Iterations of the loop at this depth that are told apart: what is the same in all of them goes on
   where what differs has ended. 0: all are the same. */
static size_t told_apart(
	const struct indexed_store *s, const struct around *a, const indexed *v, size_t count, uint32_t depth)
{
	size_t length = longest(s, v, count), there = 0;
	for (size_t i = 0; i < count && length && a->count && !there; i++)
		if (indexed_kind(s, v[i]) == INDEXED_IS_SAME)
			there = iterations_there(s, a, a->count[depth], 0, depth);
	return there > length ? there : length;
}

/* Rows of copies are kept on the heap: their number is bounded by the depth. */
static indexed zip(struct indexed_store *s, const struct around *a, const indexed *copy, size_t copies,
	uint32_t outside, uint32_t depth)
{
	if (outside == depth)
		return indexed_each(s, copy, copies);
	bool any = false;
	for (size_t i = 0; i < copies; i++)
		any = any || copy[i] != INDEXED_NONE;
	if (!any)
		return INDEXED_NONE;
	size_t length = told_apart(s, a, copy, copies, outside);
	indexed *row = mem_array(copies, sizeof *row), made = INDEXED_NONE;
	a->at[outside] = ALL_ITERATIONS;
	if (!length) {
		for (size_t i = 0; i < copies; i++)
			row[i] = indexed_at(s, copy[i], 0);
		made = indexed_same(s, zip(s, a, row, copies, outside + 1, depth));
	} else {
		size_t first = open_words(s, length + 1);
		for (size_t k = 0; k < length; k++) {
			a->at[outside] = k;
			for (size_t i = 0; i < copies; i++)
				row[i] = indexed_at(s, copy[i], k);
			indexed zipped = zip(s, a, row, copies, outside + 1, depth);
			s->word[first + 1 + k] = zipped;
		}
		made = close_each(s, first);
	}
	free(row);
	return made;
}

indexed indexed_zip(struct indexed_store *s, const indexed *copy, size_t copies, uint32_t depth, const indexed *around)
{
	struct around a = {around, mem_array(depth + (size_t)1, sizeof *a.at)};
	indexed made = zip(s, &a, copy, copies, 0, depth);
	free(a.at);
	return made;
}

/* The loop that has one iteration more. */
struct extending {
	struct around around;
	uint32_t depth;
	size_t iterations;
	bool in_front;
};

static indexed extend(struct indexed_store *s, const struct extending *e, indexed v, indexed one, uint32_t outside)
{
	if (v == INDEXED_NONE && one == INDEXED_NONE)
		return INDEXED_NONE;
	bool own = outside == e->depth;
	size_t length = own ? e->iterations + 1 : told_apart(s, &e->around, (indexed[]){v, one}, 2, outside);
	e->around.at[outside] = ALL_ITERATIONS;
	if (!length)
		return indexed_same(s, extend(s, e, indexed_at(s, v, 0), indexed_at(s, one, 0), outside + 1));
	size_t first = open_words(s, length + 1);
	for (size_t i = 0; i < length; i++) {
		indexed made;
		e->around.at[outside] = i;
		if (!own)
			made = extend(s, e, indexed_at(s, v, i), indexed_at(s, one, i), outside + 1);
		else if (e->in_front)
			made = i == 0 ? one : indexed_at(s, v, i - 1);
		else
			made = i == e->iterations ? one : indexed_at(s, v, i);
		s->word[first + 1 + i] = made;
	}
	return close_each(s, first);
}

indexed indexed_extend(struct indexed_store *s, indexed v, indexed one, uint32_t depth, size_t iterations,
	bool in_front, const indexed *around)
{
	struct extending e = {{around, mem_array(depth + (size_t)1, sizeof *e.around.at)}, depth, iterations, in_front};
	indexed made = extend(s, &e, v, one, 0);
	free(e.around.at);
	return made;
}

indexed indexed_inner(const struct indexed_store *s, indexed v, uint32_t depth)
{
	for (; depth > 0; depth--) {
		if (indexed_kind(s, v) != INDEXED_IS_SAME)
			return INDEXED_NONE;
		v = indexed_at(s, v, 0);
	}
	return v;
}

struct outer {
	uint32_t depth;
	bool *good;
};

static indexed outer(struct indexed_store *s, indexed v, const void *context)
{
	struct outer o = *(const struct outer *)context;
	int64_t number;
	if (v == INDEXED_NONE)
		return INDEXED_NONE;
	if (o.depth > 0) {
		o.depth--;
		return each_inside(s, v, outer, &o);
	}
	if (indexed_is_constant(s, v, &number))
		return indexed_number(s, number);
	*o.good = false;
	return INDEXED_NONE;
}

bool indexed_outer(struct indexed_store *s, indexed v, uint32_t depth, indexed *result)
{
	bool good = true;
	*result = outer(s, v, &(struct outer){depth, &good});
	return good;
}
