/*
 * columns_read.c -- a block from its beginning to its end, as it was written.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/columns_form.h"

/* Nodes asked for last, by some bits of the statement. */
#define KNOWN 64

struct known {
	const struct context_node *node; /* NULL: not known */
	uint32_t statement;
};

struct columns_cursor {
	enum columns_keep keep;
	struct bins bins;
	const struct columns_tables *tables;
	uint32_t rank;
	struct known known[COLUMNS_ALL][KNOWN];
	struct odds_reader reader;
	uint16_t last[COLUMNS_ALL];
	uint64_t left; /* events */
	struct event_time at; /* the event before; leave: the end of its call */
};

/* ------------------------------------------------------------------ the index of a segment */

bool columns_index_read(struct columns_index *index, const void *bytes, size_t size, uint64_t first, uint64_t begin)
{
	struct unpack from = unpack_start(bytes, size);
	size_t blocks = unpack_count(&from), offset = 0, indices = 0, capacity = 0;
	*index = (struct columns_index){.block = mem_zero((blocks + 1) * sizeof *index->block), .blocks = blocks};
	for (size_t i = 0; i < blocks && !from.bad; i++) {
		struct columns_block *b = &index->block[i];
		b->first = first;
		b->events = unpack_number(&from);
		b->offset = offset;
		b->size = (size_t)unpack_number(&from);
		begin += unpack_number(&from);
		b->begin = begin;
		b->base = begin - unpack_number(&from);
		b->statement = (size_t)unpack_number(&from);
		b->loops = unpack_count(&from);
		index->indices = mem_grow(index->indices, &capacity, indices + b->loops + 1, sizeof *index->indices);
		for (size_t d = 0; d < b->loops; d++)
			index->indices[indices++] = (int64_t)unpack_below(&from, INT64_MAX);
		from.bad |= b->events < 1 || b->size > SIZE_MAX / 2 - offset || first > UINT64_MAX / 2;
		offset += b->size;
		first += b->events;
	}
	for (size_t i = 0, at = 0; i < blocks; at += index->block[i++].loops)
		index->block[i].index = index->indices + at;
	if (unpack_ended(&from))
		return true;
	columns_index_clear(index);
	return false;
}

void columns_index_clear(struct columns_index *index)
{
	free(index->block);
	free(index->indices);
	*index = (struct columns_index){0};
}

/* ------------------------------------------------------------------ one block */

struct columns_cursor *columns_cursor_new(const struct columns_form *form)
{
	struct columns_cursor *c = mem_zero(sizeof *c);
	c->keep = form->keep;
	c->bins = bins_new(form);
	return c;
}

void columns_cursor_free(struct columns_cursor *c)
{
	if (c)
		free(c->bins.limit);
	free(c);
}

void columns_cursor_start(struct columns_cursor *c, const struct columns_tables *tables, uint32_t rank,
	const struct columns_block *block, const void *data)
{
	memset(c->known, 0, sizeof c->known);
	c->tables = tables;
	c->rank = rank;
	c->reader = odds_start(data, block->size);
	c->left = block->events;
	c->at = (struct event_time){block->base, block->base, block->base, 0, false};
	for (unsigned i = 0; i < COLUMNS_ALL; i++)
		c->last[i] = SYMBOL_NONE;
}

static const struct context_node *context_of(struct columns_cursor *c, uint32_t column, size_t statement)
{
	struct context context = {column, column < TIME_COLUMNS ? (uint32_t)statement : 0, c->rank, 0};
	struct known *known = &c->known[column][context.statement % KNOWN];
	if (!known->node || known->statement != context.statement)
		*known = (struct known){columns_node(c->tables, &context), context.statement};
	return known->node;
}

static bool read_symbol(struct columns_cursor *c, uint32_t column, size_t statement, uint16_t *symbol)
{
	const struct odds *odds = columns_odds_behind(context_of(c, column, statement), c->last[column]);
	if (!odds || !odds_get(&c->reader, odds, symbol))
		return false;
	c->last[column] = *symbol;
	return true;
}

/* The rest of a number whose symbol is known. */
static bool read_rest(struct columns_cursor *c, uint32_t column, uint16_t symbol, int64_t *value)
{
	unsigned bits = magnitude_bits(symbol);
	uint64_t rest = 0;
	uint16_t low = 0;
	if (bits &&
		(!read_symbol(c, LOW_OF(column), 0, &low) || low > 1 || !odds_get_bits(&c->reader, bits - 1, &rest)))
		return false;
	*value = (int64_t)((uint64_t)magnitude_value(symbol, rest << 1 | low) * (uint64_t)c->tables->unit);
	return symbol < SYMBOL_SHARES;
}

static bool read_number(struct columns_cursor *c, uint32_t column, size_t statement, int64_t *value)
{
	uint16_t symbol;
	return read_symbol(c, column, statement, &symbol) && read_rest(c, column, symbol, value);
}

static bool read_bin(struct columns_cursor *c, uint32_t column, size_t statement, uint64_t *value)
{
	uint16_t symbol;
	if (!read_symbol(c, column, statement, &symbol) || symbol >= c->bins.limits)
		return false;
	*value = c->bins.limit[symbol];
	return true;
}

static bool next_stamp(struct columns_cursor *c, size_t statement)
{
	int64_t since;
	if (!read_number(c, TIME_GAP, statement, &since))
		return false;
	c->at.time = c->at.enter = c->at.leave = c->at.time + (uint64_t)since;
	return true;
}

static bool next_exact(struct columns_cursor *c, size_t statement)
{
	uint16_t gap;
	int64_t before = 0, other = 0, inside, after = 0;
	if (!read_symbol(c, TIME_GAP, statement, &gap))
		return false;
	c->at.shares = gap == SYMBOL_SHARES;
	if (c->at.shares) {
		if (!read_number(c, TIME_INSIDE, statement, &inside))
			return false;
		c->at.time += (uint64_t)inside;
		return true;
	}
	if (!read_rest(c, TIME_GAP, gap, &before) || !read_number(c, TIME_OTHER, statement, &other) ||
		!read_number(c, TIME_INSIDE, statement, &inside) || !read_number(c, TIME_AFTER, statement, &after))
		return false;
	c->at.other = (uint64_t)other;
	c->at.enter = c->at.leave + (uint64_t)before + (uint64_t)other;
	c->at.time = c->at.enter + (uint64_t)inside;
	c->at.leave = c->at.time + (uint64_t)after;
	return true;
}

static bool next_within(struct columns_cursor *c, size_t statement)
{
	uint16_t gap, part;
	uint64_t other, whole;
	if (!read_symbol(c, TIME_GAP, statement, &gap))
		return false;
	c->at.shares = gap == SYMBOL_SHARES;
	if (!c->at.shares) {
		if (gap >= c->bins.limits || !read_bin(c, TIME_OTHER, statement, &other) ||
			!read_bin(c, TIME_INSIDE, statement, &whole))
			return false;
		c->at.other = other;
		c->at.enter = c->at.leave + c->bins.limit[gap] + other;
		c->at.leave = c->at.enter + whole;
	}
	if (!read_symbol(c, TIME_AFTER, statement, &part))
		return false;
	c->at.time = c->at.enter + part_time(c->at.leave - c->at.enter, part, c->bins.parts);
	return true;
}

bool columns_cursor_next(struct columns_cursor *c, size_t statement, struct event_time *time)
{
	static bool (*const next[])(struct columns_cursor *, size_t) = {next_stamp, next_exact, next_within};
	if (!c->left || !next[c->keep](c, statement))
		return false;
	*time = c->at;
	return --c->left || odds_ended(&c->reader);
}
