/*
 * lift.c -- a column for each statement of a process: which record it is, or how many iterations,
 * by the indices of the loops around (indexed.h).
 *
 * A loop is gone through iteration by iteration only if its index decides something inside; and
 * from the second iteration on only what it decides is asked again.
 */
#include "merge/lift.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ask/event_numbers.h"

/* A loop comes before its body. */
struct lift_node {
	enum tree_kind kind;
	uint32_t size; /* nodes: of a loop or guard, itself and all inside; of an event 1 */
	uint32_t line; /* of the module */
	node_id statement; /* an event's guard has its event, too */
	indexed value; /* of an event its record; of a loop its iterations */
};

struct lift_lane {
	struct lift_node *node;
	size_t length, capacity;
	uint64_t events;
};

struct lift {
	struct tree_builder *builder;
	struct records *records;
	struct lift_lane *lane;
};

struct lifting {
	struct lift *lift;
	struct run *run;
	const struct module *from;
	struct dictionary *dictionary;
	struct member_sets *members;
	struct intern *shapes; /* struct shape_key */
	uint32_t *shape; /* by the id of its key, that of the builder */
	size_t shape_count, shape_capacity;
	uint32_t bytes, received; /* words */
	/* Loops around, a bit each, by line: whose indices decide what it is; and what anything
	   inside is. */
	uint64_t *decided, *inside;
	const struct lift_node *node; /* of this lane */
	struct environment at;
	uint64_t iterations;
	bool at_sites, good;
};

/* What of a shape is said by the run. All bytes are the identity. */
struct shape_key {
	uint32_t kind, word, slots, sites, members; /* members: a set */
};

/* ------------------------------------------------------------------ one event */

static uint32_t shape_of(struct lifting *l, const struct shape_key *key)
{
	uint32_t id = intern_id(l->shapes, key, sizeof *key);
	if (id < l->shape_count)
		return l->shape[id];
	const char *word = store_get_word(l->at.store, key->word);
	struct tree_shape shape;
	memset(&shape, 0, sizeof shape);
	shape.kind = key->kind;
	shape.word = dictionary_word(l->dictionary, word, strlen(word));
	shape.numbered = (key->slots & 1 << SLOT_IS_TAG) != 0;
	shape.slots = key->slots;
	shape.sites = key->sites;
	if (kind_rows[key->kind].match == MATCH_GROUP)
		shape.group = dictionary_ranks(l->dictionary, member_set_ranks(l->members, key->members));
	return *MEM_PUSH(l->shape, l->shape_count, l->shape_capacity) =
		       intern_id(l->lift->builder->shapes, &shape, sizeof shape);
}

/* The record of an event in the iterations at hand. */
static indexed record_of(struct lifting *l, const struct lift_node *n)
{
	struct event_numbers e;
	struct event_value bytes = event_value_at(&l->at, NULL, n->statement, l->bytes),
			   received = event_value_at(&l->at, NULL, n->statement, l->received);
	event_numbers_at(&l->at, l->members, n->statement, &e);
	int64_t peer = e.number[e.number[COLUMN_PEER] == EVENT_UNSAID ? COLUMN_ROOT : COLUMN_PEER];
	const struct {
		bool there;
		int64_t number;
	} said[] = {
		[SLOT_IS_PEER] = {peer != EVENT_UNSAID, peer},
		[SLOT_IS_TAG] = {e.number[COLUMN_TAG] != EVENT_UNSAID, e.number[COLUMN_TAG]},
		[SLOT_IS_COMMUNICATOR] = {e.number[COLUMN_COMMUNICATOR] != EVENT_UNSAID, e.number[COLUMN_COMMUNICATOR]},
		[SLOT_IS_BYTES] = {bytes.there, bytes.number},
		[SLOT_IS_RECEIVED] = {received.there, received.number},
	};
	struct shape_key key = {.kind = e.kind, .word = e.word, .sites = l->at_sites ? l->from->sites[n->line] : 0};
	struct record record;
	uint32_t numbers = 0;
	memset(&record, 0, sizeof record);
	for (size_t slot = 0; slot < sizeof said / sizeof *said; slot++) {
		if (!said[slot].there)
			continue;
		key.slots |= 1 << slot;
		record.number[numbers++] = said[slot].number;
	}
	if (kind_rows[e.kind].match == MATCH_GROUP)
		key.members = (uint32_t)e.number[COLUMN_GROUP];
	l->good = !bytes.word && !received.word && !l->at.failure;
	record.shape = shape_of(l, &key);
	return indexed_number(l->lift->builder->store, records_id(l->lift->records, &record));
}

/* ------------------------------------------------------------------ all statements of a lane */

#define DEEPEST 63 /* loops that are as deep and deeper have one bit */

static uint64_t bit_of(size_t depth)
{
	return UINT64_C(1) << (depth < DEEPEST ? depth : DEEPEST);
}

/* Loops whose indices somebody uses who has so many around. */
static uint64_t loops_in(uint64_t uses, size_t depth)
{
	uint64_t loops = 0;
	for (size_t k = 0; k < depth; k++)
		loops |= uses & USES_INDEX(k) ? bit_of(depth - 1 - k) : 0;
	return loops;
}

/* around: loops that decide how often it is executed. Recursion as deep as loops nest. */
static uint64_t find_decided(struct lifting *l, node_id body, size_t line, size_t depth, uint64_t around)
{
	const struct node *b = node_of(l->at.store, body);
	uint64_t all = 0;
	for (uint32_t k = 0; k < b->kids; line += node_of(l->at.store, b->kid[k++])->lines) {
		const struct node *s = node_of(l->at.store, b->kid[k]);
		const struct node *own = s->kind == NODE_EVENT ? s : node_of(l->at.store, s->kid[1]);
		l->decided[line] = l->inside[line] = around | loops_in(own->uses[FOR_ALL], depth);
		if (s->kind != NODE_EVENT)
			l->inside[line] |=
				find_decided(l, s->kid[2], line + 1, depth + (s->kind == NODE_LOOP), l->decided[line]);
		all |= l->inside[line];
	}
	return all;
}

static void add_node(struct lift_lane *to, enum tree_kind kind, node_id statement, size_t line)
{
	assert(line < UINT32_MAX && to->length < UINT32_MAX);
	*MEM_PUSH(to->node, to->length, to->capacity) =
		(struct lift_node){kind, 1, (uint32_t)line, statement, INDEXED_NONE};
}

/* What the lane has of a body. Who is named in an event, or has a peer on the grid, is asked by a
   guard around it. */
static void add_body(struct lifting *l, struct lift_lane *to, node_id body, uint32_t class, size_t line)
{
	size_t length;
	const struct projected *first = run_projection(l->run, body, class, &length);
	for (const struct projected *p = first; p < first + length; p++) {
		size_t at = to->length;
		if (p->kind != NODE_EVENT) {
			add_node(to, p->kind == NODE_LOOP ? TREE_LOOP : TREE_GUARD, p->statement, line + p->line);
			add_body(l, to, node_kid(l->at.store, p->statement, 2), class, line + p->line + 1);
		} else {
			if (!p->always)
				add_node(to, TREE_GUARD, p->statement, line + p->line);
			add_node(to, TREE_EVENT, p->statement, line + p->line);
		}
		to->node[at].size = (uint32_t)(to->length - at);
	}
}

static void lift_list(struct lifting *, size_t from, size_t to, uint64_t changed, indexed *value);

static int64_t iterations_of(struct lifting *l, const struct lift_node *n)
{
	if (n->kind == TREE_LOOP)
		return loop_trips(&l->at, n->statement);
	const struct node *s = node_of(l->at.store, n->statement);
	return s->kind == NODE_EVENT ? event_happens(&l->at, n->statement) : test_holds(&l->at, s->kid[1]);
}

/* What the body of a loop, or guard, comes to by its index. value: as of lift_list, of the loop's
   node on. */
static void lift_loop(struct lifting *l, size_t at, uint64_t changed, indexed *value)
{
	struct indexed_store *store = l->lift->builder->store;
	const struct lift_node *n = &l->node[at];
	bool loop = n->kind == TREE_LOOP;
	uint64_t count = (uint64_t)iterations_of(l, n), own = loop ? bit_of(l->at.depth) : 0;
	size_t columns = n->size - (size_t)1;
	bool varies = l->inside[n->line] & own;
	uint64_t rows = varies ? count : count > 0;
	if ((l->decided[n->line] & changed) == changed)
		value[0] = indexed_number(store, (int64_t)count);
	if (varies && (count > LIFT_ITERATIONS || (l->iterations += count) > LIFT_ITERATIONS)) {
		l->good = false;
		rows = count > 0;
	}
	indexed *row = mem_zero((rows * columns + 1) * sizeof *row), *column = mem_array(rows, sizeof *column);
	l->at.depth += loop;
	for (uint64_t k = 0; k < rows; k++) {
		if (k)
			memcpy(row + k * columns, row + (k - 1) * columns, columns * sizeof *row);
		if (loop)
			l->at.index[l->at.depth - 1] = (int64_t)k;
		lift_list(l, at + 1, at + n->size, k ? changed | own : changed, row + k * columns);
	}
	l->at.depth -= loop;
	for (size_t c = 0; c < columns; c++) {
		if ((l->decided[n[1 + c].line] & changed) != changed)
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

/* The nodes from here to there, in the iterations at hand; of those that all of the changed indices
   decide. */
static void lift_list(struct lifting *l, size_t from, size_t to, uint64_t changed, indexed *value)
{
	for (size_t i = from; i < to && l->good; i += l->node[i].size) {
		const struct lift_node *n = &l->node[i];
		if ((l->inside[n->line] & changed) != changed)
			continue;
		if (n->kind == TREE_EVENT)
			value[i - from] = record_of(l, n);
		else
			lift_loop(l, i, changed, value + (i - from));
	}
}

static void lift_lane(struct lifting *l, uint32_t lane)
{
	struct lift_lane *to = &l->lift->lane[lane];
	uint32_t rank = l->lift->builder->process[lane];
	run_start(l->run, rank, &l->at);
	add_body(l, to, l->from->body, run_class(l->run, rank), 0);
	l->node = to->node;
	indexed *value = mem_zero((to->length + 1) * sizeof *value);
	lift_list(l, 0, to->length, 0, value);
	for (size_t i = 0; i < to->length; i++)
		to->node[i].value = value[i];
	free(value);
	to->events = run_count(l->run, &l->at, l->from->body);
	l->good = l->good && !l->at.failure;
}

uint32_t lift_processes(struct run *run, uint32_t **process)
{
	const struct module *m = run_module(run);
	uint32_t lanes = 0;
	size_t length;
	*process = mem_array(m->processes, sizeof **process);
	for (uint32_t rank = 0; rank < m->processes; rank++) {
		run_projection(run, m->body, run_class(run, rank), &length);
		if (length)
			(*process)[lanes++] = rank;
	}
	return lanes;
}

struct lift *lift_new(
	struct tree_builder *b, struct records *records, struct run *run, struct dictionary *dictionary, bool at_sites)
{
	struct lift *lift = mem_zero(sizeof *lift);
	const struct module *from = run_module(run);
	*lift = (struct lift){b, records, mem_zero((b->lanes + (size_t)1) * sizeof *lift->lane)};
	struct lifting l = {.lift = lift,
		.run = run,
		.from = from,
		.dictionary = dictionary,
		.members = member_sets_new(run),
		.shapes = intern_new_keys(sizeof(struct shape_key)),
		.bytes = store_word(from->store, "bytes", 5),
		.received = store_word(from->store, "received", 8),
		.decided = mem_array(from->lines + 1, sizeof *l.decided),
		.inside = mem_array(from->lines + 1, sizeof *l.inside),
		.at = run_environment(run),
		.at_sites = at_sites,
		.good = true};
	find_decided(&l, from->body, 0, 0, 0);
	for (uint32_t lane = 0; lane < b->lanes && l.good; lane++)
		lift_lane(&l, lane);
	member_sets_free(l.members);
	intern_free(l.shapes);
	free(l.shape);
	free(l.decided);
	free(l.inside);
	free(l.at.index);
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
	uint32_t line = p->lift->lane[c->lane[0]].node[at].line;
	bool same = true;
	for (size_t k = 1; k < c->lanes && same; k++)
		same = p->lift->lane[c->lane[k]].node[at].line == line;
	return same ? line + 1 : 0;
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
