/*
 * inside_out.c -- rounds over sequences of items: the shortest period of which there is a run
 * anywhere becomes loops everywhere.
 */
#include "merge/inside_out.h"

#include <stdlib.h>
#include <string.h>

#include "merge/bounds.h"

/* An event, or a loop by its body: what it is, whatever its numbers. */
struct symbol {
	uint32_t columns; /* numbers: EVENT_SLOTS, or the count and those of the body */
	uint32_t looped; /* the loop whose body is this symbol alone; 0: there is none */
};

/* A part of what a lane does. */
struct item {
	uint32_t symbol;
	size_t at; /* its first record */
	indexed *column; /* in the arena */
};

struct lane_items {
	struct item *item;
	size_t length;
	size_t cuts; /* those that became iterations */
};

struct inside_out {
	struct tree_builder *builder;
	const struct records *records;
	struct arena *arena;
	struct intern *symbols; /* words: IS_EVENT, shape, peer; or IS_LOOP and the body's symbols */
	struct symbol *symbol;
	size_t capacity;
	bool peers; /* do they tell records apart? */
	struct lane_items *lane;
	bool readable; /* are tables short enough? */
};

enum { IS_EVENT, IS_LOOP };

static uint32_t symbol_of(struct inside_out *r, const uint32_t *word, size_t words, uint32_t columns)
{
	uint32_t known = intern_count(r->symbols), id = intern_id(r->symbols, word, words * sizeof *word);
	r->symbol = mem_grow(r->symbol, &r->capacity, (size_t)id + 1, sizeof *r->symbol);
	if (id == known)
		r->symbol[id] = (struct symbol){.columns = columns};
	return id;
}

static bool is_loop(const struct inside_out *r, uint32_t symbol)
{
	return *(const uint32_t *)intern_data(r->symbols, symbol, NULL) == IS_LOOP;
}

/* peers: of the lane, which numbers them in the order of first sight; or NULL. */
static uint32_t symbol_of_record(struct inside_out *r, const struct record *record, struct intern *peers)
{
	const struct tree_shape *shape = intern_data(r->builder->shapes, record->shape, NULL);
	uint32_t word[] = {IS_EVENT, record->shape, 0};
	if (peers && shape->slots & 1 << SLOT_IS_PEER)
		word[2] = intern_id(peers, &record->number[0], sizeof *record->number);
	return symbol_of(r, word, sizeof word / sizeof *word, EVENT_SLOTS);
}

static uint32_t symbol_of_loop(struct inside_out *r, const struct item *body, size_t length)
{
	uint32_t *word = mem_array(length + 1, sizeof *word), columns = 1;
	word[0] = IS_LOOP;
	for (size_t i = 0; i < length; i++) {
		word[i + 1] = body[i].symbol;
		columns += r->symbol[body[i].symbol].columns;
	}
	uint32_t id = symbol_of(r, word, length + 1, columns);
	free(word);
	if (length == 1)
		r->symbol[body->symbol].looped = id;
	return id;
}

/* ------------------------------------------------------------------ items of a lane */

static indexed *columns_of_record(struct inside_out *r, uint32_t id)
{
	const struct record *record = records_get(r->records, id);
	const struct tree_shape *shape = intern_data(r->builder->shapes, record->shape, NULL);
	uint32_t slots = (uint32_t)__builtin_popcount(shape->slots);
	indexed *column = arena_alloc(r->arena, EVENT_SLOTS * sizeof *column);
	for (uint32_t k = 0; k < EVENT_SLOTS; k++)
		column[k] = k < slots ? indexed_number(r->builder->store, record->number[k]) : INDEXED_NONE;
	return column;
}

static void read_items(struct inside_out *r, uint32_t lane)
{
	size_t length;
	const uint32_t *record = records_of(r->records, lane, &length);
	struct lane_items *l = &r->lane[lane];
	l->item = mem_array(length + 1, sizeof *l->item);
	struct intern *peers = r->peers ? intern_new_keys(sizeof(int64_t)) : NULL;
	uint32_t *symbol = mem_array(records_count(r->records) + (size_t)1, sizeof *symbol);
	indexed **column = mem_zero((records_count(r->records) + (size_t)1) * sizeof *column);
	for (size_t i = 0; i < length; i++) {
		if (!column[record[i]]) {
			column[record[i]] = columns_of_record(r, record[i]);
			symbol[record[i]] = symbol_of_record(r, records_get(r->records, record[i]), peers);
		}
		l->item[i] = (struct item){symbol[record[i]], i, column[record[i]]};
	}
	free(column);
	free(symbol);
	intern_free(peers);
	l->length = length;
	l->item[length].at = length; /* behind the last one */
}

/* ------------------------------------------------------------------ loops */

/* Iterations that are put together, one after the other. */
struct rows {
	const indexed **row;
	size_t length, capacity;
};

static void add_row(struct rows *rows, const indexed *row)
{
	*MEM_PUSH(rows->row, rows->length, rows->capacity) = row;
}

/* The columns of the items one behind the other, copied to the arena. */
static const indexed *row_of(struct inside_out *r, const struct item *item, size_t length, uint32_t columns)
{
	if (length == 1)
		return item->column;
	indexed *row = arena_alloc(r->arena, columns * sizeof *row);
	for (size_t i = 0, at = 0; i < length; i++) {
		uint32_t own = r->symbol[item[i].symbol].columns;
		memcpy(row + at, item[i].column, own * sizeof *row);
		at += own;
	}
	return row;
}

/* Each iteration of a loop that goes on as this one. */
static void add_iterations(struct inside_out *r, struct rows *rows, const struct item *loop, uint32_t columns)
{
	struct indexed_store *store = r->builder->store;
	size_t count = (size_t)indexed_get(store, loop->column[0]);
	indexed *row = arena_alloc(r->arena, count * columns * sizeof *row);
	for (size_t k = 0; k < count; k++)
		for (uint32_t c = 0; c < columns; c++)
			row[k * columns + c] = indexed_at(store, loop->column[1 + c], k);
	for (size_t k = 0; k < count; k++)
		add_row(rows, row + k * columns);
}

/* The copies that were left out where this iteration ends. */
static void add_copies(struct inside_out *r, struct rows *rows, uint32_t lane, size_t from, size_t end)
{
	struct lane_items *l = &r->lane[lane];
	for (size_t k = records_cut_from(r->records, lane, from + 1); k < records_cuts(r->records, lane); k++) {
		struct records_cut cut = records_cut(r->records, lane, k);
		if (cut.at > end)
			break;
		if (cut.period != end - from)
			continue;
		const indexed *row = rows->row[rows->length - 1];
		for (uint64_t i = 0; i < cut.copies; i++)
			add_row(rows, row);
		l->cuts++;
	}
}

/* Items as one loop: copies of so many items each. */
static struct item loop_of(struct inside_out *r, uint32_t lane, const struct item *item, size_t period, size_t copies)
{
	struct rows rows = {0};
	bool goes_on = period == 1 && is_loop(r, item->symbol);
	uint32_t symbol = goes_on ? item->symbol : symbol_of_loop(r, item, period),
		 columns = r->symbol[symbol].columns - 1;
	for (size_t k = 0; k < copies; k++) {
		const struct item *first = item + k * period;
		if (goes_on) {
			add_iterations(r, &rows, first, columns);
		} else {
			add_row(&rows, row_of(r, first, period, columns));
			add_copies(r, &rows, lane, first->at, first[period].at);
		}
	}
	struct indexed_store *store = r->builder->store;
	indexed *column = arena_alloc(r->arena, (columns + (size_t)1) * sizeof *column);
	indexed *each = mem_array(rows.length, sizeof *each);
	column[0] = indexed_number(store, (int64_t)rows.length);
	for (uint32_t c = 0; c < columns; c++) {
		for (size_t k = 0; k < rows.length; k++)
			each[k] = rows.row[k][c];
		column[1 + c] = indexed_each(store, each, rows.length);
	}
	free(each);
	free(rows.row);
	return (struct item){symbol, item->at, column};
}

/* How many copies of so many items follow each other from there on. */
static size_t copies_from(const struct lane_items *l, size_t from, size_t period)
{
	size_t i = from;
	while (i + period < l->length && l->item[i].symbol == l->item[i + period].symbol)
		i++;
	return (i - from) / period + 1;
}

/* Runs of this period as loops; false: there are none. */
static bool close_runs(struct inside_out *r, uint32_t lane, size_t period)
{
	struct lane_items *l = &r->lane[lane];
	size_t length = 0, i = 0;
	struct item end = l->item[l->length];
	bool any = false;
	while (i < l->length) {
		size_t copies = copies_from(l, i, period);
		if (copies >= 2) {
			struct item loop = loop_of(r, lane, l->item + i, period, copies);
			i += copies * period;
			l->item[length++] = loop;
			any = true;
		} else {
			l->item[length++] = l->item[i++];
		}
	}
	l->length = length;
	l->item[length] = end;
	return any;
}

/* What is the body of a loop elsewhere is one of a single iteration. */
static void close_single(struct inside_out *r, uint32_t lane)
{
	struct lane_items *l = &r->lane[lane];
	for (size_t i = 0; i < l->length; i++)
		if (r->symbol[l->item[i].symbol].looped)
			l->item[i] = loop_of(r, lane, l->item + i, 1, 1);
}

static bool close_period(struct inside_out *r, size_t period)
{
	bool any = false;
	for (uint32_t lane = 0; lane < r->builder->lanes; lane++)
		any = close_runs(r, lane, period) || any;
	for (uint32_t lane = 0; lane < r->builder->lanes && any && period == 1; lane++)
		close_single(r, lane);
	return any;
}

static void close_all(struct inside_out *r)
{
	size_t period = 1;
	for (int round = 0; round < INSIDE_OUT_ROUNDS && period <= INSIDE_OUT_PERIOD; round++) {
		while (period <= INSIDE_OUT_PERIOD && !close_period(r, period))
			period++;
		period = period <= INSIDE_OUT_PERIOD ? 1 : period;
	}
}

/* ------------------------------------------------------------------ trees */

/* Numbers by all indices, as a table without periods has them; more than `most` are not counted. */
static size_t numbers_in(const struct indexed_store *store, indexed v, size_t most)
{
	size_t numbers = 0;
	if (indexed_kind(store, v) == INDEXED_IS_SAME)
		return numbers_in(store, indexed_at(store, v, 0), most);
	if (indexed_kind(store, v) != INDEXED_IS_EACH)
		return 1;
	for (size_t k = 0; k < indexed_length(store, v) && numbers <= most; k++)
		numbers += numbers_in(store, indexed_at(store, v, k), most - numbers);
	return numbers;
}

static size_t collect(const struct indexed_store *store, indexed v, int64_t *number)
{
	if (indexed_kind(store, v) == INDEXED_IS_SAME)
		return collect(store, indexed_at(store, v, 0), number);
	if (indexed_kind(store, v) != INDEXED_IS_EACH) {
		*number = v == INDEXED_NONE ? 0 : indexed_get(store, v);
		return 1;
	}
	size_t numbers = 0;
	for (size_t k = 0; k < indexed_length(store, v); k++)
		numbers += collect(store, indexed_at(store, v, k), number + numbers);
	return numbers;
}

/* After so many numbers it goes on by as much, all the way. */
static bool advances_after(const int64_t *number, size_t numbers, size_t period)
{
	uint64_t step = (uint64_t)number[period] - (uint64_t)number[0];
	size_t i = 0;
	while (i + period < numbers && (uint64_t)number[i + period] - (uint64_t)number[i] == step)
		i++;
	return i + period == numbers;
}

/* Few numbers, or many that one short period tells. */
static bool is_readable(const struct indexed_store *store, indexed v)
{
	size_t numbers = numbers_in(store, v, INSIDE_OUT_NUMBERS), period = 1;
	if (numbers <= INSIDE_OUT_NUMBERS)
		return true;
	int64_t *number = mem_array(numbers_in(store, v, SIZE_MAX), sizeof *number);
	numbers = collect(store, v, number);
	while (period <= INSIDE_OUT_PERIOD && !advances_after(number, numbers, period))
		period++;
	free(number);
	return period <= INSIDE_OUT_PERIOD;
}

/* The node of a symbol; *at is where its columns begin. */
static struct tree_node *node_of(struct inside_out *r, const struct lane_class *c, uint32_t set, uint32_t symbol,
	indexed *const *column, size_t *at)
{
	struct tree_builder *b = r->builder;
	size_t words;
	const uint32_t *word = intern_data(r->symbols, symbol, &words);
	words /= sizeof *word;
	if (word[0] == IS_LOOP) {
		indexed **count = tree_slots(b, 1, set);
		for (size_t k = 0; k < c->lanes; k++)
			count[0][k] = column[k][*at];
		++*at;
		struct tree_node **body = mem_array(words - 1, sizeof *body);
		for (size_t i = 1; i < words; i++)
			body[i - 1] = node_of(r, c, set, word[i], column, at);
		struct tree_node *loop = tree_loop(b, TREE_LOOP, set, count[0], tree_list_of(b, body, words - 1));
		free(body);
		return loop;
	}
	const struct tree_shape *shape = intern_data(b->shapes, word[1], NULL);
	uint32_t slots = (uint32_t)__builtin_popcount(shape->slots);
	indexed **slot = tree_slots(b, slots, set);
	for (uint32_t s = 0; s < slots; s++)
		for (size_t k = 0; k < c->lanes; k++) {
			slot[s][k] = column[k][*at + s];
			r->readable = r->readable && is_readable(b->store, slot[s][k]);
		}
	*at += EVENT_SLOTS;
	return tree_event(b, word[1], set, slot, 0);
}

static struct tree_list tree_of(struct inside_out *r, const struct lane_class *c)
{
	uint32_t set = tree_lane_set(r->builder, c->lane, c->lanes);
	const struct lane_items *first = &r->lane[c->lane[0]];
	struct tree_node **node = arena_alloc(r->builder->arena, (first->length + 1) * sizeof *node);
	indexed **column = mem_array(c->lanes, sizeof *column);
	for (size_t i = 0; i < first->length; i++) {
		size_t at = 0;
		for (size_t k = 0; k < c->lanes; k++)
			column[k] = r->lane[c->lane[k]].item[i].column;
		node[i] = node_of(r, c, set, first->item[i].symbol, column, &at);
	}
	free(column);
	return (struct tree_list){node, first->length};
}

/* Lanes with the same symbols. */
static size_t classify(struct inside_out *r, struct lane_class **class_of)
{
	struct intern *known = intern_new();
	struct lane_class *class = mem_zero((r->builder->lanes + (size_t)1) * sizeof *class);
	for (uint32_t lane = 0; lane < r->builder->lanes; lane++) {
		const struct lane_items *l = &r->lane[lane];
		uint32_t *key = mem_array(l->length, sizeof *key);
		for (size_t i = 0; i < l->length; i++)
			key[i] = l->item[i].symbol;
		lane_class_add(&class[intern_id(known, key, l->length * sizeof *key)], lane);
		free(key);
	}
	size_t classes = intern_count(known);
	intern_free(known);
	if (classes)
		qsort(class, classes, sizeof *class, lane_class_compare);
	*class_of = class;
	return classes;
}

static void read_all(struct inside_out *r)
{
	uint32_t lanes = r->builder->lanes;
	/* a symbol 0 that is none */
	symbol_of(r, &(uint32_t){IS_EVENT}, 1, 0);
	r->lane = mem_zero((lanes + (size_t)1) * sizeof *r->lane);
	for (uint32_t lane = 0; lane < lanes; lane++)
		read_items(r, lane);
}

size_t recognize_inside_out(
	struct tree_builder *b, const struct records *records, bool peers, struct tree_list **class_of)
{
	struct inside_out r = {.builder = b,
		.records = records,
		.arena = arena_new(),
		.symbols = intern_new(),
		.readable = true,
		.peers = peers};
	struct lane_class *class;
	read_all(&r);
	close_all(&r);
	size_t classes = classify(&r, &class);
	bool good = true;
	*class_of = mem_array(classes, sizeof **class_of);
	for (size_t i = 0; i < classes; i++) {
		(*class_of)[i] = tree_of(&r, &class[i]);
		free(class[i].lane);
	}
	for (uint32_t lane = 0; lane < b->lanes; lane++) {
		good = good && r.lane[lane].cuts == records_cuts(records, lane);
		free(r.lane[lane].item);
	}
	free(class);
	free(r.lane);
	free(r.symbol);
	intern_free(r.symbols);
	arena_free(r.arena);
	return good && r.readable ? classes : 0;
}
