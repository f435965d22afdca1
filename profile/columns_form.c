/*
 * columns_form.c -- a magnitude is where the first bit of a number is, and the bits behind it.
 */
#include "profile/columns_form.h"

#include <stdlib.h>

#include "base/binary_search.h"
#include "base/mem.h"

#define SMALL (UINT64_C(2) << MAGNITUDE_BITS) /* below, the symbol tells all */

/* Times beyond are none. */
#define LIMIT_MOST (UINT64_C(1) << 62)

struct magnitude magnitude_of(int64_t value)
{
	uint16_t sign = value < 0 ? SYMBOL_NEGATIVE : 0;
	uint64_t n = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	if (n < SMALL)
		return (struct magnitude){(uint16_t)(sign + n), 0, 0};
	unsigned bits = 63 - (unsigned)__builtin_clzll(n) - MAGNITUDE_BITS;
	return (struct magnitude){
		(uint16_t)(sign + (bits << MAGNITUDE_BITS) + (n >> bits)), bits, n & ((UINT64_C(1) << bits) - 1)};
}

unsigned magnitude_bits(uint16_t symbol)
{
	uint32_t n = symbol & (SYMBOL_NEGATIVE - 1);
	return n < SMALL ? 0 : (n >> MAGNITUDE_BITS) - 1;
}

int64_t magnitude_value(uint16_t symbol, uint64_t rest)
{
	uint64_t n = symbol & (SYMBOL_NEGATIVE - 1);
	unsigned bits = magnitude_bits(symbol);
	if (bits)
		n = (n - ((uint64_t)bits << MAGNITUDE_BITS)) << bits | rest;
	return (int64_t)(symbol & SYMBOL_NEGATIVE ? 0 - n : n);
}

const char *columns_keep_name(enum columns_keep keep)
{
	static const char *const names[COLUMNS_KEEPS] = {"stamps", "calls", "within"};
	return names[keep];
}

/* ------------------------------------------------------------------ bins */

struct bins bins_new(const struct columns_form *form)
{
	struct bins b = {0};
	size_t capacity = 0;
	if (form->keep != COLUMNS_WITHIN)
		return b;
	for (uint64_t at = 0; at < LIMIT_MOST;) {
		uint64_t next = (uint64_t)((double)at * form->within);
		*MEM_PUSH(b.limit, b.limits, capacity) = at;
		at = next > at ? next : at + 1;
	}
	/* as many that an event is in the right place within the factor of the call's duration */
	b.parts = 1;
	while (b.parts < SMALL && 0.5 / b.parts > form->within - 1)
		b.parts++;
	return b;
}

uint32_t bins_below(const struct bins *b, uint64_t value)
{
	size_t above;
	SEARCH_FIRST(above, 1, b->limits, b->limit[above] > value);
	return (uint32_t)above - 1;
}

uint32_t part_of(uint64_t after, uint64_t whole, uint32_t parts)
{
	if (!whole)
		return 0;
	uint32_t part = (uint32_t)((double)after * parts / (double)whole + 0.5);
	return part < parts ? part : parts;
}

uint64_t part_time(uint64_t whole, uint32_t part, uint32_t parts)
{
	return (uint64_t)(((unsigned __int128)whole * part + parts / 2) / parts);
}

/* ------------------------------------------------------------------ odds by context */

/* The first that is above. */
static uint32_t find(const uint32_t *key, uint32_t keys, uint32_t wanted)
{
	size_t at;
	SEARCH_FIRST(at, 0, keys, key[at] > wanted);
	return (uint32_t)at;
}

const struct context_node *columns_node(const struct columns_tables *t, const struct context *c)
{
	const struct context_node *n = &t->column[c->column];
	for (unsigned level = 0; n->kind == TREE_KEYS; level++) {
		uint32_t wanted = level == 0 ? c->statement : c->rank, at = find(n->key, n->length, wanted);
		if (at == 0 || n->key[at - 1] != wanted)
			return NULL;
		n = &n->node[at - 1];
	}
	return n;
}

const struct odds *columns_odds_behind(const struct context_node *n, uint16_t last)
{
	if (n && n->kind == TREE_CLASSES)
		n = &n->node[find(n->key, n->length - 1, last)];
	return n && n->kind == TREE_ODDS ? &n->odds : NULL;
}

const struct odds *columns_odds(const struct columns_tables *t, const struct context *c)
{
	return columns_odds_behind(columns_node(t, c), c->last);
}

static void clear_node(struct context_node *n)
{
	for (uint32_t i = 0; i < n->length; i++)
		clear_node(&n->node[i]);
	free(n->key);
	free(n->node);
	odds_clear(&n->odds);
}

/* level: below so many TREE_KEYS. */
static void read_node(struct context_node *n, struct unpack *from, unsigned level)
{
	n->kind = (enum tree_kind)unpack_below(from, TREE_CLASSES + 1);
	if (n->kind == TREE_NONE)
		return;
	if (n->kind == TREE_ODDS) {
		odds_unpack(&n->odds, from);
		return;
	}
	size_t length = unpack_count(from), keys = length - (n->kind == TREE_CLASSES);
	from->bad |= !length || length > UINT32_MAX || level > 2 || (n->kind == TREE_KEYS && level > 1);
	if (from->bad)
		return;
	n->length = (uint32_t)length;
	n->key = mem_zero((keys + 1) * sizeof *n->key);
	n->node = mem_zero(length * sizeof *n->node);
	uint64_t next = 0;
	for (size_t i = 0; i < keys; i++) {
		next += unpack_below(from, UINT32_MAX);
		from->bad |= next > UINT32_MAX;
		n->key[i] = (uint32_t)next++;
	}
	for (size_t i = 0; i < length && !from->bad; i++)
		read_node(&n->node[i], from, n->kind == TREE_CLASSES ? 3 : level + 1);
}

struct columns_tables *columns_tables_new(const void *bytes, size_t size)
{
	struct columns_tables *t = mem_zero(sizeof *t);
	struct unpack from = unpack_start(bytes, size);
	t->unit = (int64_t)unpack_below(&from, INT64_MAX);
	for (unsigned i = 0; i < COLUMNS_ALL; i++)
		read_node(&t->column[i], &from, 0);
	if (unpack_ended(&from) && t->unit > 0)
		return t;
	columns_tables_free(t);
	return NULL;
}

void columns_tables_free(struct columns_tables *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < COLUMNS_ALL; i++)
		clear_node(&t->column[i]);
	free(t);
}
