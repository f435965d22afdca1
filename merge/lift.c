/*
 * lift.c -- a column for each statement of a process: which record it is, or how many iterations,
 * by the indices of the loops around (indexed.h).
 *
 * A loop is gone through iteration by iteration only if its index decides something inside; and
 * from the second iteration on only what it decides is asked again.
 */
#include "merge/lift.h"

#include <stdlib.h>
#include <string.h>

#include "ask/projection.h"
#include "model/attributes.h"

/* A loop comes before its body. */
struct lift_node {
	enum tree_kind kind;
	uint32_t size; /* nodes: of a loop or guard, itself and all inside; of an event 1 */
	uint32_t statement; /* that it is of */
	indexed value; /* of an event its record; of a loop its iterations */
};

struct lift_lane {
	struct lift_node *node;
	size_t length;
	uint64_t events;
};

struct lift {
	struct tree_builder *builder;
	struct records *records;
	struct lift_lane *lane;
};

struct lifting {
	struct lift *lift;
	struct program *from;
	struct projection *projection;
	uint32_t bytes, received; /* words */
	/* Indices, a bit each, by statement: which decide what it is; and what anything inside
	   is. */
	uint32_t *decided, *inside;
	const struct projection_entry *entry; /* of this lane */
	struct spot spot;
	int64_t *index;
	size_t capacity;
	uint64_t iterations;
	struct known_statement *known;
	bool at_sites, good;
};

/* A statement that was asked for not long ago, and the shape that it had last. */
struct known_statement {
	struct plain_statement statement;
	struct tree_shape shape;
	uint32_t id; /* of the shape; NO_SHAPE: none yet */
};

#define NO_SHAPE UINT32_MAX
#define KNOWN_STATEMENTS 64

/* ------------------------------------------------------------------ one event */

static void add_number(
	struct tree_shape *shape, struct record *record, uint32_t *numbers, enum tree_slot slot, int64_t number)
{
	shape->slots |= 1 << slot;
	record->number[(*numbers)++] = number;
}

/* False: it carries what is no number. */
static bool add_size(const struct lifting *l, size_t at, uint32_t name, enum tree_slot slot, struct tree_shape *shape,
	struct record *record, uint32_t *numbers)
{
	struct attribute a;
	if (!program_attribute(l->from, at, name, &a))
		return true;
	struct attribute_value v = attribute_at(l->from, &a, &l->spot);
	if (v.there && !v.word)
		add_number(shape, record, numbers, slot, v.number);
	return !v.there || !v.word;
}

static bool has_peer(const struct plain_event *e)
{
	return e->kind == EVENT_SEND || e->kind == EVENT_RECV || (e->kind == EVENT_SYNC && e->peer != NO_ROOT);
}

static struct known_statement *known_statement(struct lifting *l, size_t at)
{
	struct known_statement *known = &l->known[at % KNOWN_STATEMENTS];
	if (known->statement.program != l->from || known->statement.at != at) {
		plain_statement_of(l->from, at, &known->statement);
		known->id = NO_SHAPE;
	}
	return known;
}

/* The record of a statement at the indices at hand. */
static indexed record_at(struct lifting *l, size_t at)
{
	struct known_statement *known = known_statement(l, at);
	struct plain_event e;
	struct tree_shape shape;
	struct record record;
	uint32_t numbers = 0;
	memset(&shape, 0, sizeof shape);
	memset(&record, 0, sizeof record);
	projection_event(l->projection, &known->statement, &l->spot, &e);
	shape.kind = e.kind;
	shape.word = e.word;
	shape.sites = l->at_sites ? l->from->statement[at].sites : 0;
	shape.numbered = e.numbered;
	shape.group = e.kind == EVENT_SYNC ? e.group : 0;
	if (has_peer(&e))
		add_number(&shape, &record, &numbers, SLOT_IS_PEER, e.peer);
	l->good = l->good && !(e.numbered && e.number > INT64_MAX);
	if (e.numbered)
		add_number(&shape, &record, &numbers, SLOT_IS_TAG, (int64_t)e.number);
	if (e.kind != EVENT_LOCAL && e.communicator != NO_COMMUNICATOR)
		add_number(&shape, &record, &numbers, SLOT_IS_COMMUNICATOR, e.communicator);
	l->good = l->good && add_size(l, at, l->bytes, SLOT_IS_BYTES, &shape, &record, &numbers) &&
		  add_size(l, at, l->received, SLOT_IS_RECEIVED, &shape, &record, &numbers);
	if (known->id == NO_SHAPE || memcmp(&known->shape, &shape, sizeof shape) != 0) {
		known->shape = shape;
		known->id = intern_id(l->lift->builder->shapes, &shape, sizeof shape);
	}
	record.shape = known->id;
	return indexed_number(l->lift->builder->store, records_id(l->lift->records, &record));
}

/* ------------------------------------------------------------------ all statements of a lane */

static uint32_t bit_of(size_t depth)
{
	return depth < INDEX_DEPTH ? UINT32_C(1) << depth : 0;
}

/* around: indices that decide how often it is executed. Recursion as deep as loops nest. */
static uint32_t find_decided(struct lifting *l, size_t from, size_t to, uint32_t around)
{
	const struct program *p = l->from;
	uint32_t all = 0;
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		l->decided[i] = around | program_indices(p, s);
		if (statement_is_loop(s))
			l->inside[i] = l->decided[i] | find_decided(l, i + 1, i + s->size, l->decided[i]);
		else
			l->inside[i] = l->decided[i] |= program_attributes_indices(p, s->attributes);
		all |= l->inside[i];
	}
	return all;
}

static void lift_list(struct lifting *, size_t from, size_t to, size_t depth, uint32_t changed, indexed *value);

/* What the loop's body comes to by its index. value: as of lift_list, of the loop's entry on. */
static void lift_loop(struct lifting *l, size_t at, size_t depth, uint32_t changed, indexed *value)
{
	struct indexed_store *store = l->lift->builder->store;
	const struct projection_entry *e = &l->entry[at];
	uint64_t count = program_count_of(l->from, e->statement, &l->spot);
	size_t columns = e->size - (size_t)1;
	bool varies = l->inside[e->statement] & bit_of(depth);
	uint64_t rows = varies ? count : count > 0;
	if ((l->decided[e->statement] & changed) == changed)
		value[0] = indexed_number(store, (int64_t)count);
	if (varies && (count > LIFT_ITERATIONS || (l->iterations += count) > LIFT_ITERATIONS)) {
		l->good = false;
		rows = count > 0;
	}
	l->index = mem_grow(l->index, &l->capacity, depth + 1, sizeof *l->index);
	l->spot.index = l->index;
	indexed *row = mem_zero((rows * columns + 1) * sizeof *row), *column = mem_array(rows, sizeof *column);
	for (uint64_t k = 0; k < rows; k++) {
		if (k)
			memcpy(row + k * columns, row + (k - 1) * columns, columns * sizeof *row);
		l->index[depth] = (int64_t)k;
		lift_list(l, at + 1, at + e->size, depth + 1, k ? changed | bit_of(depth) : changed, row + k * columns);
	}
	l->index[depth] = 0;
	for (size_t c = 0; c < columns; c++) {
		if ((l->decided[l->entry[at + 1 + c].statement] & changed) != changed)
			continue;
		for (uint64_t k = 0; k < rows; k++)
			column[k] = row[k * columns + c];
		value[1 + c] = varies ? indexed_each(store, column, rows)
			       : rows ? indexed_same(store, column[0])
				      : INDEXED_NONE;
	}
	free(row);
	free(column);
}

/* The entries from here to there, at the indices at hand; of those that all of the changed indices
   decide. */
static void lift_list(struct lifting *l, size_t from, size_t to, size_t depth, uint32_t changed, indexed *value)
{
	for (size_t i = from; i < to && l->good; i += l->entry[i].size) {
		size_t at = l->entry[i].statement;
		if ((l->inside[at] & changed) != changed)
			continue;
		if (statement_is_loop(&l->from->statement[at]))
			lift_loop(l, i, depth, changed, value + (i - from));
		else
			value[i - from] = record_at(l, at);
	}
}

static void lift_lane(struct lifting *l, uint32_t lane)
{
	struct lift_lane *to = &l->lift->lane[lane];
	uint32_t rank = l->lift->builder->process[lane];
	l->entry = projection_list(l->projection, rank, &to->length);
	l->spot = grid_spot(&l->from->grid, rank);
	memset(l->index, 0, l->capacity * sizeof *l->index);
	l->spot.index = l->index;
	indexed *value = mem_zero((to->length + 1) * sizeof *value);
	lift_list(l, 0, to->length, 0, 0, value);
	to->node = mem_array(to->length, sizeof *to->node);
	to->events = projection_events(l->projection, rank);
	for (size_t i = 0; i < to->length; i++) {
		const struct statement *s = &l->from->statement[l->entry[i].statement];
		enum tree_kind kind = !statement_is_loop(s)              ? TREE_EVENT
				      : statement_guard(s) == GUARD_NONE ? TREE_LOOP
									 : TREE_GUARD;
		to->node[i] = (struct lift_node){kind, l->entry[i].size, l->entry[i].statement, value[i]};
	}
	free(value);
}

uint32_t lift_processes(struct program *p, uint32_t **process)
{
	uint32_t roles, lanes = 0, *role = program_role_of(p, &roles);
	*process = mem_array(p->processes, sizeof **process);
	for (uint32_t rank = 0; rank < p->processes; rank++)
		if (role[rank] != NO_ROLE)
			(*process)[lanes++] = rank;
	free(role);
	return lanes;
}

struct lift *lift_new(struct tree_builder *b, struct records *records, struct program *from, bool at_sites)
{
	struct lift *lift = mem_zero(sizeof *lift);
	*lift = (struct lift){b, records, mem_zero((b->lanes + (size_t)1) * sizeof *lift->lane)};
	struct lifting l = {.lift = lift,
		.from = from,
		.projection = projection_new(from, NULL),
		.bytes = dictionary_word(from->dictionary, "bytes", 5),
		.received = dictionary_word(from->dictionary, "received", 8),
		.decided = mem_zero((from->length + 1) * sizeof *l.decided),
		.inside = mem_zero((from->length + 1) * sizeof *l.inside),
		.known = mem_zero(KNOWN_STATEMENTS * sizeof *l.known),
		.at_sites = at_sites,
		.good = true};
	l.index = mem_grow(NULL, &l.capacity, INDEX_DEPTH, sizeof *l.index);
	find_decided(&l, 0, from->length, 0);
	for (uint32_t lane = 0; lane < b->lanes && l.good; lane++)
		lift_lane(&l, lane);
	projection_free(l.projection);
	free(l.decided);
	free(l.inside);
	free(l.known);
	free(l.index);
	if (!l.good) {
		lift_free(lift);
		lift = NULL;
	}
	return lift;
}

void lift_free(struct lift *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->builder->lanes; i++)
		free(l->lane[i].node);
	free(l->lane);
	free(l);
}

uint64_t lift_events(const struct lift *l, uint32_t lane)
{
	return l->lane[lane].events;
}

/* ------------------------------------------------------------------ one iteration after the
   other */

/* A walk over what a lane does, body by body. value: of the nodes from here to there, in this
   iteration of the loops around. Iterations that are the same are one. */
struct running {
	const struct lift *lift;
	const struct lift_node *node; /* of the lane */
	const uint32_t *to;
	struct records *records;
	uint32_t lane;
};

/* Are all iterations of a body the same? The values of the first. */
static bool is_same(const struct lift *l, const indexed *value, size_t length)
{
	bool same = true;
	for (size_t i = 0; i < length && same; i++)
		same = indexed_kind(l->builder->store, value[i]) != INDEXED_IS_EACH;
	return same;
}

static indexed *values_at(const struct lift *l, const indexed *value, size_t length, uint64_t iteration, indexed *to)
{
	for (size_t i = 0; i < length; i++)
		to[i] = indexed_at(l->builder->store, value[i], iteration);
	return to;
}

static indexed *values_of(const struct lift_lane *l)
{
	indexed *value = mem_array(l->length, sizeof *value);
	for (size_t i = 0; i < l->length; i++)
		value[i] = l->node[i].value;
	return value;
}

static uint64_t count_of(const struct lift *l, indexed value)
{
	return value == INDEXED_NONE ? 0 : (uint64_t)indexed_get(l->builder->store, value);
}

static void flatten(const struct running *r, size_t from, size_t to, const indexed *value)
{
	for (size_t i = from; i < to; i += r->node[i].size) {
		uint64_t number = count_of(r->lift, value[i - from]);
		size_t length = r->node[i].size - (size_t)1;
		if (r->node[i].kind == TREE_EVENT) {
			records_push(r->records, r->lane, r->to[number]);
			continue;
		}
		const indexed *body = value + (i - from) + 1;
		bool same = is_same(r->lift, body, length);
		indexed *at = mem_array(length, sizeof *at);
		for (uint64_t k = 0; k < number; k++) {
			size_t before = records_length(r->records, r->lane);
			flatten(r, i + 1, i + 1 + length, values_at(r->lift, body, length, k, at));
			if (same) {
				records_repeat(r->records, r->lane, before, number - 1);
				break;
			}
		}
		free(at);
	}
}

void lift_flatten(const struct lift *l, uint32_t lane, const uint32_t *to, struct records *records)
{
	indexed *value = values_of(&l->lane[lane]);
	flatten(&(struct running){l, l->lane[lane].node, to, records, lane}, 0, l->lane[lane].length, value);
	free(value);
}

static struct digest digest_list(
	const struct lift *l, const struct lift_node *list, size_t from, size_t to, const indexed *value)
{
	struct digest all = digest_empty;
	for (size_t i = from; i < to; i += list[i].size) {
		uint64_t number = count_of(l, value[i - from]);
		size_t length = list[i].size - (size_t)1;
		struct digest one = digest_empty;
		if (list[i].kind == TREE_EVENT) {
			one = digest_of((uint32_t)number);
			all = digest_join(&all, &one);
			continue;
		}
		const indexed *body = value + (i - from) + 1;
		bool same = is_same(l, body, length);
		indexed *at = mem_array(length, sizeof *at);
		for (uint64_t k = 0; k < number; k++) {
			one = digest_list(l, list, i + 1, i + 1 + length, values_at(l, body, length, k, at));
			if (same)
				one = digest_repeat(one, number);
			all = digest_join(&all, &one);
			if (same)
				break;
		}
		free(at);
	}
	return all;
}

struct digest lift_digest(const struct lift *l, uint32_t lane)
{
	indexed *value = values_of(&l->lane[lane]);
	struct digest d = digest_list(l, l->lane[lane].node, 0, l->lane[lane].length, value);
	free(value);
	return d;
}

/* ------------------------------------------------------------------ records, wherever they
   stand */

static void visit_value(
	const struct lift *l, indexed value, void (*visit)(void *context, uint32_t record), void *context)
{
	const struct indexed_store *store = l->builder->store;
	switch (indexed_kind(store, value)) {
	case INDEXED_IS_NONE:
		break;
	case INDEXED_IS_NUMBER:
		visit(context, (uint32_t)indexed_get(store, value));
		break;
	case INDEXED_IS_SAME:
		visit_value(l, indexed_at(store, value, 0), visit, context);
		break;
	case INDEXED_IS_EACH:
		for (size_t k = 0; k < indexed_length(store, value); k++)
			visit_value(l, indexed_at(store, value, k), visit, context);
	}
}

void lift_visit(const struct lift *l, uint32_t lane, void (*visit)(void *context, uint32_t record), void *context)
{
	for (size_t i = 0; i < l->lane[lane].length; i++)
		if (l->lane[lane].node[i].kind == TREE_EVENT)
			visit_value(l, l->lane[lane].node[i].value, visit, context);
}

/* ------------------------------------------------------------------ trees */

/* What is known of the records that a value stands for. */
struct numbers_of {
	bool known, mixed; /* mixed: of several shapes */
	uint32_t shape; /* UINT32_MAX: there is no record */
	indexed slot[EVENT_SLOTS];
};

struct planting {
	const struct lift *lift;
	const uint32_t *to;
	const struct records *records;
	struct numbers_of *numbers; /* by value */
	size_t capacity;
};

static struct numbers_of numbers_of(struct planting *, indexed);

static struct numbers_of numbers_of_each(struct planting *p, indexed value, size_t length)
{
	struct indexed_store *store = p->lift->builder->store;
	struct numbers_of all = {.known = true, .shape = UINT32_MAX};
	indexed *column = mem_array(length * EVENT_SLOTS, sizeof *column);
	for (size_t k = 0; k < length; k++) {
		struct numbers_of one = numbers_of(p, indexed_at(store, value, k));
		all.mixed = all.mixed || one.mixed ||
			    (one.shape != UINT32_MAX && all.shape != UINT32_MAX && one.shape != all.shape);
		all.shape = one.shape == UINT32_MAX ? all.shape : one.shape;
		for (size_t s = 0; s < EVENT_SLOTS; s++)
			column[s * length + k] = one.slot[s];
	}
	for (size_t s = 0; s < EVENT_SLOTS; s++)
		all.slot[s] = indexed_each(store, column + s * length, length);
	free(column);
	return all;
}

static struct numbers_of numbers_of(struct planting *p, indexed value)
{
	struct indexed_store *store = p->lift->builder->store;
	struct numbers_of n = {.known = true, .shape = UINT32_MAX};
	if (value < p->capacity && p->numbers[value].known)
		return p->numbers[value];
	switch (indexed_kind(store, value)) {
	case INDEXED_IS_NONE:
		break;
	case INDEXED_IS_NUMBER: {
		const struct record *record = records_get(p->records, p->to[indexed_get(store, value)]);
		const struct tree_shape *shape = intern_data(p->lift->builder->shapes, record->shape, NULL);
		n.shape = record->shape;
		for (int s = 0; s < __builtin_popcount(shape->slots); s++)
			n.slot[s] = indexed_number(store, record->number[s]);
		break;
	}
	case INDEXED_IS_SAME:
		n = numbers_of(p, indexed_at(store, value, 0));
		for (size_t s = 0; s < EVENT_SLOTS; s++)
			n.slot[s] = indexed_same(store, n.slot[s]);
		break;
	case INDEXED_IS_EACH:
		n = numbers_of_each(p, value, indexed_length(store, value));
	}
	size_t before = p->capacity;
	p->numbers = mem_grow(p->numbers, &p->capacity, (size_t)value + 1, sizeof *p->numbers);
	if (p->capacity > before)
		memset(p->numbers + before, 0, (p->capacity - before) * sizeof *p->numbers);
	p->numbers[value] = n;
	return n;
}

/* What lanes of a class have in common. False: it is no tree. */
static bool key_of(struct planting *p, const struct lift_lane *l, uint32_t *key)
{
	bool good = true;
	for (size_t i = 0; i < l->length && good; i++) {
		const struct lift_node *n = &l->node[i];
		key[3 * i] = n->kind;
		key[3 * i + 1] = n->size;
		key[3 * i + 2] = UINT32_MAX;
		if (n->kind == TREE_EVENT) {
			struct numbers_of numbers = numbers_of(p, n->value);
			key[3 * i + 2] = numbers.shape;
			good = !numbers.mixed;
		}
	}
	return good;
}

/* The loop that all lanes of the class have a part of. */
static uint32_t joint_of(const struct planting *p, const struct lane_class *c, size_t at)
{
	uint32_t statement = p->lift->lane[c->lane[0]].node[at].statement;
	bool same = true;
	for (size_t k = 1; k < c->lanes && same; k++)
		same = p->lift->lane[c->lane[k]].node[at].statement == statement;
	return same ? statement + 1 : 0;
}

/* Recursion as deep as loops nest. What no lane executes is left out. */
static struct tree_list plant(struct planting *p, const struct lane_class *c, uint32_t set, size_t from, size_t to)
{
	struct tree_builder *b = p->lift->builder;
	const struct lift_node *first = p->lift->lane[c->lane[0]].node;
	struct tree_node **made = arena_alloc(b->arena, (to - from + 1) * sizeof *made);
	size_t length = 0;
	for (size_t i = from; i < to; i += first[i].size) {
		if (first[i].kind != TREE_EVENT) {
			indexed *count = arena_alloc(b->arena, c->lanes * sizeof *count);
			for (size_t k = 0; k < c->lanes; k++)
				count[k] = p->lift->lane[c->lane[k]].node[i].value;
			struct tree_list body = plant(p, c, set, i + 1, i + first[i].size);
			if (!body.length)
				continue;
			made[length] = tree_loop(b, first[i].kind, set, count, body);
			made[length++]->joint = joint_of(p, c, i);
			continue;
		}
		uint32_t shape = numbers_of(p, first[i].value).shape;
		if (shape == UINT32_MAX)
			continue;
		uint32_t slots = (uint32_t)__builtin_popcount(
			((const struct tree_shape *)intern_data(b->shapes, shape, NULL))->slots);
		indexed **slot = tree_slots(b, slots, set);
		for (size_t k = 0; k < c->lanes; k++) {
			struct numbers_of numbers = numbers_of(p, p->lift->lane[c->lane[k]].node[i].value);
			for (uint32_t s = 0; s < slots; s++)
				slot[s][k] = numbers.slot[s];
		}
		made[length++] = tree_event(b, shape, set, slot, 0);
	}
	return (struct tree_list){made, length};
}

size_t lift_classes(
	const struct lift *l, const uint32_t *to, const struct records *records, struct tree_list **class_of)
{
	struct planting p = {.lift = l, .to = to, .records = records};
	struct intern *keys = intern_new();
	struct lane_class *class = NULL;
	size_t classes = 0, capacity = 0;
	bool good = true;
	for (uint32_t lane = 0; lane < l->builder->lanes && good; lane++) {
		const struct lift_lane *own = &l->lane[lane];
		uint32_t *key = mem_array(3 * own->length, sizeof *key);
		good = key_of(&p, own, key);
		uint32_t id = intern_id(keys, key, 3 * own->length * sizeof *key);
		free(key);
		if (id == classes)
			*MEM_PUSH(class, classes, capacity) = (struct lane_class){0};
		lane_class_add(&class[id], lane);
	}
	if (classes)
		qsort(class, classes, sizeof *class, lane_class_compare);
	*class_of = mem_array(classes, sizeof **class_of);
	for (size_t i = 0; i < classes; i++) {
		if (good)
			(*class_of)[i] = plant(&p, &class[i], tree_lane_set(l->builder, class[i].lane, class[i].lanes),
				0, l -> lane[class[i].lane[0]].length);
		free(class[i].lane);
	}
	free(class);
	free(p.numbers);
	intern_free(keys);
	return good ? classes : 0;
}
