/*
 * columns.c -- the writing. Times wait until there are enough of them for their odds to be known;
 * then odds, blocks and segments are written, and the memory is used again.
 */
#include "profile/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "base/mem.h"
#include "profile/columns_form.h"

/* Events that wait, at most; that a segment has before it ends with a block, and a block before it
   ends with a call: where an event has more columns, blocks are shorter, so that reading one takes
   as long. */
#ifndef TRACENEST_HOSTILE
#define EVENTS_MOST ((size_t)1 << 17)
#define STRETCH ((size_t)1 << 16)
static const size_t block_events[COLUMNS_KEEPS] = {256, 96, 96};
#else
#define EVENTS_MOST ((size_t)100)
#define STRETCH ((size_t)20)
static const size_t block_events[COLUMNS_KEEPS] = {3, 2, 1};
#endif

/* An event that waits: what its columns say, as numbers or numbers of bins. */
struct row {
	uint32_t statement;
	bool shares;
	int64_t value[TIME_COLUMNS];
};

struct block {
	size_t row;
	uint32_t rank;
	uint64_t first, base, begin;
	size_t place; /* in the text of places */
};

/* Of the process at hand. */
struct process {
	uint32_t rank;
	uint64_t events;
	uint64_t time, end; /* of the event before: its own, and the end of its call */
	uint64_t told; /* that end as it will be read */
	uint64_t latest; /* of all times that will be read so far */
	int64_t error; /* told - end */
	bool fresh; /* it has no block yet */
};

struct columns {
	const struct stored_numbers *numbers;
	struct columns_form form;
	struct columns_kept *kept;
	struct bins bins;
	struct process process;
	struct row *row;
	size_t rows, row_capacity;
	struct block *block;
	size_t blocks, block_capacity;
	struct text places; /* where blocks begin in the program, packed */
	struct odds_writer writer;
};

struct columns *columns_new(
	const struct stored_numbers *numbers, const struct columns_form *form, struct columns_kept *kept)
{
	struct columns *c = mem_zero(sizeof *c);
	c->numbers = numbers;
	c->form = *form;
	c->kept = kept;
	c->bins = bins_new(form);
	return c;
}

void columns_free(struct columns *c)
{
	if (!c)
		return;
	free(c->bins.limit);
	free(c->row);
	free(c->block);
	text_clear(&c->places);
	odds_writer_clear(&c->writer);
	free(c);
}

void columns_begin(struct columns *c, uint32_t rank, uint64_t origin)
{
	c->process = (struct process){
		.rank = rank, .time = origin, .end = origin, .told = origin, .latest = origin, .fresh = true};
}

/* ------------------------------------------------------------------ odds */

/* What a byte of the tables comes to once they are compressed. */
#define TABLE_BITS 4.0

/* A symbol with what decides its odds. */
struct fact {
	struct context context;
	uint16_t symbol;
};

struct facts {
	struct fact *fact, *other; /* other: room to sort */
	size_t facts, capacity;
	uint32_t statements, ranks; /* above all */
	uint32_t count[SYMBOLS];
	uint16_t met[SYMBOLS];
};

static uint32_t key_of(const struct fact *f, unsigned key)
{
	switch (key) {
	case 0:
		return f->context.last < SYMBOLS ? f->context.last : SYMBOLS;
	case 1:
		return f->context.rank;
	case 2:
		return f->context.statement;
	default:
		return f->context.column;
	}
}

/* By column, statement, rank and the symbol before: from the last key to the first, each stable. */
static void sort_facts(struct facts *f)
{
	const uint32_t keys[] = {SYMBOLS + 1, f->ranks, f->statements, COLUMNS_ALL};
	for (unsigned key = 0; key < 4; key++) {
		size_t *start = mem_zero((keys[key] + (size_t)1) * sizeof *start);
		for (size_t i = 0; i < f->facts; i++)
			start[key_of(&f->fact[i], key) + 1]++;
		for (uint32_t k = 0; k < keys[key]; k++)
			start[k + 1] += start[k];
		for (size_t i = 0; i < f->facts; i++)
			f->other[start[key_of(&f->fact[i], key)]++] = f->fact[i];
		struct fact *sorted = f->other;
		f->other = f->fact;
		f->fact = sorted;
		free(start);
	}
}

static int by_symbol(const void *left, const void *right)
{
	return *(const uint16_t *)left - *(const uint16_t *)right;
}

/* All with one table: gives the bits that it and they take, and the table. */
static double describe_together(struct facts *f, const struct fact *fact, size_t facts, struct text *to)
{
	uint32_t symbols = 0, *count;
	double bits = (double)facts * log2((double)facts);
	struct odds odds = {0};
	size_t before = to->length;
	for (size_t i = 0; i < facts; i++)
		if (!f->count[fact[i].symbol]++)
			f->met[symbols++] = fact[i].symbol;
	qsort(f->met, symbols, sizeof *f->met, by_symbol);
	count = mem_array(symbols, sizeof *count);
	for (uint32_t i = 0; i < symbols; i++) {
		count[i] = f->count[f->met[i]];
		bits -= count[i] * log2(count[i]);
		f->count[f->met[i]] = 0;
	}
	odds_of(&odds, symbols, f->met, count);
	pack_number(to, TREE_ODDS);
	odds_pack(&odds, to);
	odds_clear(&odds);
	free(count);
	return bits + TABLE_BITS * (double)(to->length - before);
}

/* By the symbol before, in so many classes of equal size as far as equal symbols allow. */
static double describe_classes(struct facts *f, const struct fact *fact, size_t facts, size_t classes, struct text *to)
{
	uint32_t limit[8];
	size_t limits = 0, at = 0;
	for (size_t i = 1; i < classes; i++) {
		uint32_t last = fact[facts * i / classes].context.last;
		if (last > fact[0].context.last && (!limits || last > limit[limits - 1]))
			limit[limits++] = last;
	}
	pack_number(to, TREE_CLASSES);
	pack_number(to, limits + 1);
	for (size_t i = 0; i < limits; i++)
		pack_number(to, i ? limit[i] - limit[i - 1] - 1 : limit[i]);
	double bits = TABLE_BITS * (double)(limits + 2);
	for (size_t i = 0; i <= limits; i++) {
		size_t first = at;
		while (at < facts && (i == limits || fact[at].context.last < limit[i]))
			at++;
		bits += describe_together(f, fact + first, at - first, to);
	}
	return bits;
}

static double describe(struct facts *, const struct fact *, size_t facts, unsigned level, struct text *to);

/* By statement (level 0), by rank (1). */
static double describe_keys(struct facts *f, const struct fact *fact, size_t facts, unsigned level, struct text *to)
{
	struct text nodes = {0}, keys = {0};
	uint32_t next = 0;
	size_t length = 0;
	double bits = 0;
	for (size_t at = 0, end; at < facts; at = end, length++) {
		uint32_t key = key_of(&fact[at], 2 - level);
		for (end = at; end < facts && key_of(&fact[end], 2 - level) == key;)
			end++;
		pack_number(&keys, key - next);
		next = key + 1;
		bits += describe(f, fact + at, end - at, level + 1, &nodes);
	}
	pack_number(to, TREE_KEYS);
	pack_number(to, length);
	bits += TABLE_BITS * (double)(keys.length + 2);
	text_add(to, keys.data, keys.length);
	text_add(to, nodes.data, nodes.length);
	text_clear(&keys);
	text_clear(&nodes);
	return bits;
}

/* The shortest way; appended. */
static double describe(struct facts *f, const struct fact *fact, size_t facts, unsigned level, struct text *to)
{
	struct text best = {0};
	double least = describe_together(f, fact, facts, &best);
	for (size_t way = 2; way <= (level < 2 ? 2 : 8); way *= 2) {
		struct text other = {0};
		double bits = level < 2 ? describe_keys(f, fact, facts, level, &other)
					: describe_classes(f, fact, facts, way, &other);
		struct text worse = bits < least ? best : other;
		best = bits < least ? other : best;
		least = bits < least ? bits : least;
		text_clear(&worse);
	}
	text_add(to, best.data, best.length);
	text_clear(&best);
	return least;
}

static void describe_all(struct facts *f, struct text *to)
{
	sort_facts(f);
	for (uint32_t column = 0, at = 0; column < COLUMNS_ALL; column++) {
		size_t first = at;
		while (at < f->facts && f->fact[at].context.column == column)
			at++;
		if (at > first)
			describe(f, f->fact + first, at - first, 0, to);
		else
			pack_number(to, TREE_NONE);
	}
}

/* ------------------------------------------------------------------ symbols */

/* Who is told of the symbols of a block, in the order in which they are read again. */
struct listener {
	void (*symbol)(struct listener *, const struct context *, uint16_t symbol);
	void (*bits)(struct listener *, uint64_t value, unsigned bits);
	uint16_t last[COLUMNS_ALL];
	uint32_t rank;
	int64_t unit;
};

static void tell_symbol(struct listener *l, uint32_t column, uint32_t statement, uint16_t symbol)
{
	struct context context = {column, column < TIME_COLUMNS ? statement : 0, l->rank, l->last[column]};
	l->symbol(l, &context, symbol);
	l->last[column] = symbol;
}

static void tell_number(struct listener *l, uint32_t column, uint32_t statement, int64_t value)
{
	struct magnitude m = magnitude_of(value / l->unit);
	tell_symbol(l, column, statement, m.symbol);
	if (!m.bits)
		return;
	tell_symbol(l, LOW_OF(column), 0, (uint16_t)(m.rest & 1));
	l->bits(l, m.rest >> 1, m.bits - 1);
}

static void tell_row(struct listener *l, enum columns_keep keep, const struct row *r)
{
	switch (keep) {
	case COLUMNS_TIMESTAMPS:
		tell_number(l, TIME_GAP, r->statement, r->value[TIME_GAP]);
		return;
	case COLUMNS_CALLS:
		if (r->shares) {
			tell_symbol(l, TIME_GAP, r->statement, SYMBOL_SHARES);
			tell_number(l, TIME_INSIDE, r->statement, r->value[TIME_INSIDE]);
			return;
		}
		for (uint32_t column = 0; column < TIME_COLUMNS; column++)
			tell_number(l, column, r->statement, r->value[column]);
		return;
	case COLUMNS_WITHIN:
		for (uint32_t column = 0; column < TIME_COLUMNS; column++)
			if (!r->shares || column == TIME_AFTER)
				tell_symbol(l, column, r->statement, (uint16_t)r->value[column]);
			else if (column == TIME_GAP)
				tell_symbol(l, column, r->statement, SYMBOL_SHARES);
		return;
	}
}

static size_t block_end(const struct columns *c, size_t block)
{
	return block + 1 < c->blocks ? c->block[block + 1].row : c->rows;
}

static void tell_block(struct columns *c, size_t block, struct listener *l)
{
	memset(l->last, 0xff, sizeof l->last);
	l->rank = c->block[block].rank;
	for (size_t i = c->block[block].row, end = block_end(c, block); i < end; i++)
		tell_row(l, c->form.keep, &c->row[i]);
}

/* What all differences are multiples of. */
static int64_t find_unit(const struct columns *c)
{
	uint64_t unit = 0;
	if (c->form.keep == COLUMNS_WITHIN)
		return 1;
	for (size_t i = 0; i < c->rows && unit != 1; i++)
		for (size_t k = 0; k < TIME_COLUMNS; k++)
			unit = gcd(unit, (uint64_t)llabs(c->row[i].value[k]));
	return unit > 0 && unit < INT64_MAX ? (int64_t)unit : 1;
}

/* ------------------------------------------------------------------ writing */

struct collecting {
	struct listener listener;
	struct facts *facts;
};

static void collect(struct listener *l, const struct context *context, uint16_t symbol)
{
	struct facts *f = ((struct collecting *)l)->facts;
	*MEM_PUSH(f->fact, f->facts, f->capacity) = (struct fact){*context, symbol};
	f->statements = context->statement >= f->statements ? context->statement + 1 : f->statements;
	f->ranks = context->rank >= f->ranks ? context->rank + 1 : f->ranks;
}

static void pass_bits(struct listener *l, uint64_t value, unsigned bits)
{
	(void)l, (void)value, (void)bits;
}

static void make_tables(struct columns *c, struct text *to)
{
	struct facts *facts = mem_zero(sizeof *facts);
	struct collecting collecting = {{.symbol = collect, .bits = pass_bits, .unit = find_unit(c)}, facts};
	pack_number(to, (uint64_t)collecting.listener.unit);
	for (size_t i = 0; i < c->blocks; i++)
		tell_block(c, i, &collecting.listener);
	facts->other = mem_array(facts->facts, sizeof *facts->other);
	describe_all(facts, to);
	free(facts->fact);
	free(facts->other);
	free(facts);
}

struct coding {
	struct listener listener;
	const struct columns_tables *tables;
	struct odds_writer *writer;
};

static void code(struct listener *l, const struct context *context, uint16_t symbol)
{
	struct coding *coding = (struct coding *)l;
	odds_put(coding->writer, columns_odds(coding->tables, context), symbol);
}

static void code_bits(struct listener *l, uint64_t value, unsigned bits)
{
	odds_put_bits(((struct coding *)l)->writer, value, bits);
}

/* The blocks of one process from this one on, as many as make a segment; gives the next. */
static size_t write_segment(struct columns *c, size_t first, struct coding *coding)
{
	struct text index = {0}, data = {0};
	const struct block *start = &c->block[first];
	size_t end = first;
	uint64_t begin = start->begin;
	while (end < c->blocks && c->block[end].row - start->row < STRETCH && c->block[end].rank == start->rank)
		end++;
	pack_number(&index, end - first);
	for (size_t i = first; i < end; i++) {
		const struct block *b = &c->block[i];
		size_t before = data.length, place = i + 1 < c->blocks ? b[1].place : c->places.length;
		tell_block(c, i, &coding->listener);
		odds_finish(coding->writer, &data);
		pack_number(&index, block_end(c, i) - b->row);
		pack_number(&index, data.length - before);
		pack_number(&index, b->begin - begin);
		pack_number(&index, b->begin - b->base);
		text_add(&index, c->places.data + b->place, place - b->place);
		begin = b->begin;
	}
	*MEM_PUSH(c->kept->segment, c->kept->segments, c->kept->capacity) =
		(struct columns_segment){start->rank, (uint32_t)c->kept->tables_length - 1, start->first,
			c->block[end - 1].first + (block_end(c, end - 1) - c->block[end - 1].row) - start->first,
			start->begin, index, data};
	return end;
}

/* All that waits. */
void columns_finish(struct columns *c)
{
	struct text tables = {0};
	if (!c->rows)
		return;
	make_tables(c, &tables);
	struct columns_tables *read = columns_tables_new(tables.data, tables.length);
	struct coding coding = {{.symbol = code, .bits = code_bits, .unit = read->unit}, read, &c->writer};
	*MEM_PUSH(c->kept->tables, c->kept->tables_length, c->kept->tables_capacity) = tables;
	for (size_t i = 0; i < c->blocks;)
		i = write_segment(c, i, &coding);
	columns_tables_free(read);
	text_truncate(&c->places, 0);
	c->rows = c->blocks = 0;
}

void columns_kept_clear(struct columns_kept *k)
{
	for (size_t i = 0; i < k->tables_length; i++)
		text_clear(&k->tables[i]);
	for (size_t i = 0; i < k->segments; i++) {
		text_clear(&k->segment[i].index);
		text_clear(&k->segment[i].data);
	}
	free(k->tables);
	free(k->segment);
	*k = (struct columns_kept){0};
}

/* ------------------------------------------------------------------ events */

static void start_block(struct columns *c, const struct cursor *at)
{
	const struct process *p = &c->process;
	bool condition = stored_has_condition(c->numbers, at->line);
	size_t depth = 0;
	*MEM_PUSH(c->block, c->blocks, c->block_capacity) = (struct block){c->rows, p->rank, p->events,
		c->form.keep == COLUMNS_TIMESTAMPS ? p->time : p->told, p->latest, c->places.length};
	pack_number(&c->places, c->numbers->of_line[at->line]);
	pack_number(&c->places, at->frames - 1 + condition);
	for (size_t i = 1; i < at->frames; i++)
		pack_number(&c->places, at->frame[i].loop ? (uint64_t)at->at.index[depth++] : 0);
	if (condition) /* cursors have no frame for it */
		pack_number(&c->places, 0);
}

static void add_exactly(struct columns *c, const struct event_time *t, struct row *row)
{
	struct process *p = &c->process;
	if (t->shares) {
		row->value[TIME_INSIDE] = (int64_t)(t->time - p->time);
	} else {
		row->value[TIME_GAP] = (int64_t)(t->enter - p->end - t->other);
		row->value[TIME_OTHER] = (int64_t)t->other;
		row->value[TIME_INSIDE] = (int64_t)(t->time - t->enter);
		row->value[TIME_AFTER] = (int64_t)(t->leave - t->time);
		p->told = t->leave;
	}
}

/* The limit on this side of the value or on that, so that the errors so far come to less. */
static uint64_t choose_bin(struct columns *c, uint64_t value, int64_t *bin)
{
	struct process *p = &c->process;
	uint32_t at = bins_below(&c->bins, value);
	int64_t below = (int64_t)(c->bins.limit[at] - value), above = below;
	if (below && at + 1 < c->bins.limits)
		above = (int64_t)(c->bins.limit[at + 1] - value);
	if (llabs(p->error + above) < llabs(p->error + below)) {
		at++;
		below = above;
	}
	p->error += below;
	*bin = at;
	return c->bins.limit[at];
}

static void add_within(struct columns *c, const struct event_time *t, struct row *row)
{
	struct process *p = &c->process;
	uint64_t whole = t->leave - t->enter;
	if (!t->shares) {
		p->told += choose_bin(c, t->enter - p->end - t->other, &row->value[TIME_GAP]);
		p->told += choose_bin(c, t->other, &row->value[TIME_OTHER]);
		p->told += choose_bin(c, whole, &row->value[TIME_INSIDE]);
	}
	row->value[TIME_AFTER] = part_of(t->time - t->enter, whole, c->bins.parts);
}

void columns_add(struct columns *c, const struct cursor *at, const struct event_time *t)
{
	struct process *p = &c->process;
	bool splits = !t->shares || c->form.keep == COLUMNS_TIMESTAMPS;
	if (p->fresh || (splits && c->rows - c->block[c->blocks - 1].row >= block_events[c->form.keep])) {
		if (c->rows >= EVENTS_MOST)
			columns_finish(c);
		start_block(c, at);
		p->fresh = false;
	}
	c->row = mem_grow(c->row, &c->row_capacity, c->rows + 1, sizeof *c->row);
	struct row *row = &c->row[c->rows++];
	*row = (struct row){.statement = (uint32_t)c->numbers->of_line[at->line], .shares = t->shares};
	if (c->form.keep == COLUMNS_TIMESTAMPS) {
		row->value[TIME_GAP] = (int64_t)(t->time - p->time);
		p->told = t->time;
	} else if (c->form.keep == COLUMNS_CALLS) {
		add_exactly(c, t, row);
	} else {
		add_within(c, t, row);
	}
	p->time = t->time;
	p->end = t->leave;
	p->latest = p->told > p->latest ? p->told : p->latest;
	p->events++;
}

bool columns_block_find(const struct columns_block *b, const struct stored_numbers *n, struct cursor *to)
{
	size_t line = b->statement < n->count ? n->line[b->statement] : 0;
	size_t conditions = b->statement < n->count && stored_has_condition(n, line);
	return b->statement < n->count && !stored_is_condition(n, b->statement) && b->loops >= conditions &&
	       cursor_to(to, line, b->index, b->loops - conditions);
}
