/*
 * blocks.c -- sequences of units, by length: what is equal is known by its halves.
 *
 * Sequences get ids. That of a sequence is the pair of the ids of its first and its last part,
 * which are as long as the greatest power of two in it, so each length is one pass over all units.
 */
#include "model/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Units of one block; steps of the search, beyond which what has been found is all. */
#define LONGEST 64
#define WORK (UINT64_C(1) << 22)

struct search {
	struct blocks *b;
	struct intern *keys;
	const struct blocks_options *options;
	uint32_t *head, *indices; /* by loop: the key of its statement; those that occur in it */
	uint64_t work;
};

/* ------------------------------------------------------------------ bodies */

static size_t add_body(struct blocks *b, size_t loop, uint32_t depth)
{
	b->body = mem_grow(b->body, &b->capacity, b->bodies + 1, sizeof *b->body);
	b->body[b->bodies] = (struct block_body){.loop = loop, .depth = depth};
	return b->bodies++;
}

void blocks_add_hole(struct blocks *b, const char *word, const char *name, const struct value *value)
{
	b->hole = mem_grow(b->hole, &b->hole_capacity, b->hole_count + 1, sizeof *b->hole);
	b->hole[b->hole_count++] =
		(struct block_hole){intern_id(b->words, word, strlen(word)), intern_id(b->words, name, strlen(name)),
			value ? intern_id(b->values, value, sizeof *value) : BLOCK_NO_VALUE};
}

const char *blocks_word(const struct blocks *b, uint32_t word)
{
	return intern_data(b->words, word, NULL);
}

const struct value *blocks_value(const struct blocks *b, const struct block_hole *hole)
{
	return hole->value == BLOCK_NO_VALUE ? NULL : intern_data(b->values, hole->value, NULL);
}

static uint32_t hole_indices(const struct blocks *b, size_t hole)
{
	const struct value *value = blocks_value(b, &b->hole[hole]);
	return value ? value_indices(value) & ~INDEX_TABLE : 0;
}

static void list_hole(struct blocks *b, size_t hole)
{
	b->holes = mem_grow(b->holes, &b->holes_capacity, b->holes_listed + 1, sizeof *b->holes);
	b->holes[b->holes_listed++] = hole;
}

static uint32_t holes_since(const struct blocks *b, size_t first)
{
	return (uint32_t)(b->holes_listed - first);
}

/* What the unit is with the words in its holes. */
static void set_whole(struct search *s, struct unit *unit)
{
	struct blocks *b = s->b;
	struct text whole = {0};
	text_format(&whole, "%u", unit->key);
	for (uint32_t i = 0; i < unit->holes; i++)
		text_format(&whole, " %u", b->hole[b->holes[unit->hole + i]].word);
	unit->whole = unit->holes ? intern_id(s->keys, whole.data, whole.length) : unit->key;
	text_clear(&whole);
}

/* Besides what is inside: an `else` ends what is before it, and who is named stands in the line of
   the event. */
static const uint32_t lines_of_guard[] = {[GUARD_NONE] = 2, [GUARD_IF] = 2, [GUARD_ELSE] = 1, [GUARD_WHO] = 0};

/* What a loop is: its head, and its units. */
static void set_loop(struct search *s, struct unit *unit)
{
	struct blocks *b = s->b;
	const struct block_body *inside = &b->body[b->body_of[unit->statement]];
	struct text key = {0};
	text_format(&key, "%u", s->head[unit->statement]);
	unit->lines = lines_of_guard[statement_guard(&b->program->statement[unit->statement])];
	unit->indices = s->indices[unit->statement];
	unit->hole = b->holes_listed;
	for (size_t i = b->hole_of[unit->statement]; i < b->hole_of[unit->statement + 1]; i++)
		list_hole(b, i);
	for (size_t i = 0; i < inside->units; i++) {
		const struct unit *u = &inside->unit[i];
		text_format(&key, "|%u", u->key);
		unit->lines += u->lines;
		unit->indices |= u->indices;
		for (uint32_t k = 0; k < u->holes; k++)
			list_hole(b, b->holes[u->hole + k]);
	}
	unit->holes = holes_since(b, unit->hole);
	unit->key = intern_id(s->keys, key.data, key.length);
	text_clear(&key);
	set_whole(s, unit);
}

static size_t make_body(struct search *s, size_t from, size_t to, size_t loop, uint32_t depth);

static struct unit make_unit(struct search *s, size_t at, uint32_t depth)
{
	struct blocks *b = s->b;
	const struct statement *statement = &b->program->statement[at];
	struct unit unit = {
		.statement = at, .end = at + statement_size(statement), .function = BLOCKS_NONE, .lines = 1};
	struct text key = {0};
	b->hole_of[at] = b->hole_count;
	unit.indices = s->options->key(s->options->context, b, at, depth, &key) & ~INDEX_TABLE;
	b->hole_of[at + 1] = b->hole_count;
	unit.key = intern_id(s->keys, key.data, key.length);
	text_clear(&key);
	if (statement_is_loop(statement)) {
		s->head[at] = unit.key;
		s->indices[at] = unit.indices;
		b->body_of[at] = make_body(s, at + 1, at + statement->size, at, depth + 1);
		set_loop(s, &unit);
		return unit;
	}
	unit.hole = b->holes_listed;
	for (size_t i = b->hole_of[at]; i < b->hole_count; i++)
		list_hole(b, i);
	unit.holes = holes_since(b, unit.hole);
	set_whole(s, &unit);
	return unit;
}

static size_t make_body(struct search *s, size_t from, size_t to, size_t loop, uint32_t depth)
{
	struct blocks *b = s->b;
	size_t made = add_body(b, loop, depth), capacity = 0;
	struct unit *units = NULL;
	size_t count = 0;
	for (size_t i = from; i < to; i += statement_size(&b->program->statement[i])) {
		units = mem_grow(units, &capacity, count + 1, sizeof *units);
		units[count++] = make_unit(s, i, depth);
	}
	b->body[made].unit = units;
	b->body[made].units = count;
	return made;
}

/* ------------------------------------------------------------------ sequences */

struct block_place {
	size_t body, at;
};

/* All units of all bodies, one body behind the other. */
struct sequences {
	struct block_place *place;
	size_t length, capacity;
	uint32_t *level[8]; /* ids of the sequences of 1, 2, 4, ... units that begin at each place */
	uint32_t levels;
	struct intern *pairs;
	size_t *back; /* by place: the one before at which the same begins; SIZE_MAX: none */
};

/* How often a sequence stands, without overlapping itself. */
struct count {
	size_t end; /* behind the last one */
	size_t last;
	uint32_t times;
};

struct block {
	uint64_t saves; /* lines; 0: none */
	uint32_t length;
	struct block_place *place; /* where it stands */
	size_t places;
};

static const struct unit *unit_at(const struct blocks *b, struct block_place at)
{
	return &b->body[at.body].unit[at.at];
}

/* How many units of the body are from here on? */
static size_t rest_of(const struct blocks *b, struct block_place at)
{
	return b->body[at.body].units - at.at;
}

static bool is_loop(const struct blocks *b, const struct unit *unit)
{
	return unit->function == BLOCKS_NONE && statement_is_loop(&b->program->statement[unit->statement]);
}

/* An `else` is not parted from what is before it. */
static bool is_joined(const struct blocks *b, const struct unit *unit)
{
	return is_loop(b, unit) && statement_guard(&b->program->statement[unit->statement]) == GUARD_ELSE;
}

/* A block that is all of a function already is not made one again. */
static bool may_begin(const struct blocks *b, struct block_place at, uint32_t length)
{
	const struct block_body *body = &b->body[at.body];
	bool function = at.body != BLOCKS_TOP && body->loop == BLOCKS_NONE && body->units == length;
	return !function && !is_joined(b, unit_at(b, at)) &&
	       (rest_of(b, at) == length || !is_joined(b, unit_at(b, at) + length));
}

static uint32_t pair(struct sequences *q, uint32_t first, uint32_t last)
{
	return intern_id(q->pairs, (uint32_t[]){first, last}, 2 * sizeof first);
}

static void sequences_of(const struct blocks *b, bool whole, struct sequences *q)
{
	*q = (struct sequences){.pairs = intern_new_keys(2 * sizeof(uint32_t))};
	for (size_t i = 0; i < b->bodies; i++)
		for (size_t k = 0; !b->body[i].gone && k < b->body[i].units; k++) {
			q->place = mem_grow(q->place, &q->capacity, q->length + 1, sizeof *q->place);
			q->place[q->length++] = (struct block_place){i, k};
		}
	q->back = mem_array(q->length, sizeof *q->back);
	q->level[0] = mem_array(q->length, sizeof **q->level);
	for (size_t i = 0; i < q->length; i++)
		q->level[0][i] = whole ? unit_at(b, q->place[i])->whole : unit_at(b, q->place[i])->key;
	q->levels = 1;
}

/* The ids of sequences twice as long as the longest so far. */
static void add_level(const struct blocks *b, struct sequences *q)
{
	size_t half = (size_t)1 << (q->levels - 1);
	const uint32_t *from = q->level[q->levels - 1];
	uint32_t *to = q->level[q->levels++] = mem_array(q->length, sizeof *to);
	intern_empty(q->pairs);
	for (size_t i = 0; i < q->length; i++)
		to[i] = rest_of(b, q->place[i]) >= 2 * half ? pair(q, from[i], from[i + half]) : UINT32_MAX;
}

static void sequences_clear(struct sequences *q)
{
	for (uint32_t i = 0; i < q->levels; i++)
		free(q->level[i]);
	free(q->place);
	free(q->back);
	intern_free(q->pairs);
}

/* Counts those of this length; is there any that stands twice? */
static bool count_sequences(
	const struct blocks *b, struct sequences *q, uint32_t length, struct count **count, size_t *capacity)
{
	uint32_t level = 31 - (uint32_t)__builtin_clz(length);
	size_t part = (size_t)1 << level;
	bool any = false;
	while (q->levels <= level)
		add_level(b, q);
	intern_empty(q->pairs);
	for (size_t i = 0; i < q->length; i++) {
		if (rest_of(b, q->place[i]) < length || !may_begin(b, q->place[i], length))
			continue;
		uint32_t known = intern_count(q->pairs),
			 id = pair(q, q->level[level][i], q->level[level][i + length - part]);
		*count = mem_grow(*count, capacity, id + (size_t)1, sizeof **count);
		struct count *c = &(*count)[id];
		if (id == known)
			*c = (struct count){.last = SIZE_MAX};
		if (i < c->end)
			continue;
		q->back[i] = c->last;
		*c = (struct count){i + length, i, c->times + 1};
		any |= c->times > 1;
	}
	return any;
}

/* ------------------------------------------------------------------ blocks */

uint32_t block_around(uint32_t depth)
{
	return (UINT32_C(1) << (depth < INDEX_DEPTH ? depth : INDEX_DEPTH)) - 1;
}

uint32_t blocks_indices(const struct blocks *b, const struct block_body *body)
{
	uint32_t indices = 0;
	for (size_t i = 0; i < body->units; i++) {
		indices |= body->unit[i].indices;
		for (uint32_t k = 0; k < body->unit[i].holes; k++)
			indices |= hole_indices(b, b->holes[body->unit[i].hole + k]);
	}
	return indices & block_around(body->depth);
}

static uint32_t word_at(const struct blocks *b, struct block_place at, uint32_t unit, uint32_t hole)
{
	return b->hole[b->holes[unit_at(b, at)[unit].hole + hole]].word;
}

/* Do the words of two holes differ at the same places, or never? */
static bool vary_alike(
	const struct blocks *b, const struct block *block, const uint32_t (*hole)[2], size_t one, size_t other)
{
	for (size_t i = 0; i < block->places; i++)
		if (word_at(b, block->place[i], hole[one][0], hole[one][1]) !=
			word_at(b, block->place[i], hole[other][0], hole[other][1]))
			return false;
	return true;
}

static bool varies(const struct blocks *b, const struct block *block, uint32_t unit, uint32_t hole)
{
	uint32_t first = word_at(b, block->place[0], unit, hole);
	for (size_t i = 1; i < block->places; i++)
		if (word_at(b, block->place[i], unit, hole) != first)
			return true;
	return false;
}

/* May what stands there be given by those who call, who do not know of the loops inside? */
static bool is_known_outside(const struct blocks *b, const struct block *block, uint32_t unit, uint32_t hole)
{
	for (size_t i = 0; i < block->places; i++) {
		struct block_place at = block->place[i];
		uint32_t indices = hole_indices(b, b->holes[unit_at(b, at)[unit].hole + hole]);
		if (indices & ~block_around(b->body[at.body].depth))
			return false;
	}
	return true;
}

/* The holes that differ from place to place, as fillings of those of the first place; how many
   parameters fill them: UINT32_MAX: too many, or not all can be given. hole: by parameter the first
   such hole, as unit and number. indices: that occur in the others, at the first place. */
static uint32_t parameters_of(const struct blocks *b, const struct block *block, uint32_t (*hole)[2],
	struct block_filling **filling, size_t *fillings, uint32_t *indices)
{
	uint32_t parameters = 0;
	size_t capacity = 0;
	const struct unit *unit = unit_at(b, block->place[0]);
	for (uint32_t i = 0; i < block->length; i++)
		for (uint32_t k = 0; k < unit[i].holes; k++) {
			if (!varies(b, block, i, k) &&
				*blocks_word(b, word_at(b, block->place[0], i, k)) != BLOCK_FILLED) {
				*indices |= hole_indices(b, b->holes[unit[i].hole + k]);
				continue;
			}
			if (parameters == BLOCK_PARAMETERS || !is_known_outside(b, block, i, k))
				return UINT32_MAX;
			uint32_t same = 0;
			hole[parameters][0] = i;
			hole[parameters][1] = k;
			while (!vary_alike(b, block, (const uint32_t(*)[2])hole, same, parameters))
				same++;
			parameters += same == parameters;
			if (!filling)
				continue;
			*filling = mem_grow(*filling, &capacity, *fillings + 1, sizeof **filling);
			(*filling)[(*fillings)++] = (struct block_filling){b->holes[unit[i].hole + k], same};
		}
	return parameters;
}

/* In the order of the text. */
static void list_places(const struct sequences *q, const struct count *c, struct block *block)
{
	block->places = c->times;
	block->place = mem_resize(block->place, c->times, sizeof *block->place);
	for (size_t i = c->times, at = c->last; i-- > 0; at = q->back[at])
		block->place[i] = q->place[at];
}

/* What repeats itself at once is for a loop to say, not for a function. */
static bool repeats_itself(const struct unit *unit, uint32_t length)
{
	for (uint32_t period = 1; period <= length / 2; period++) {
		uint32_t same = period;
		while (length % period == 0 && same < length && unit[same].whole == unit[same - period].whole)
			same++;
		if (same == length)
			return true;
	}
	return false;
}

/* What the block would save; 0: nothing. */
static uint64_t saved_by(const struct search *s, const struct block *block)
{
	const struct blocks *b = s->b;
	const struct unit *unit = unit_at(b, block->place[0]);
	uint32_t hole[BLOCK_PARAMETERS + 1][2], lines = 0, indices = 0;
	for (uint32_t i = 0; i < block->length; i++) {
		lines += unit[i].lines;
		indices |= unit[i].indices;
	}
	uint32_t parameters = parameters_of(b, block, hole, NULL, NULL, &indices);
	if (parameters == UINT32_MAX)
		return 0;
	indices &= block_around(b->body[block->place->body].depth);
	uint32_t arguments = parameters + (uint32_t)__builtin_popcount(indices);
	uint64_t before = (uint64_t)block->places * lines,
		 after = lines + s->options->function_lines + (uint64_t)block->places * s->options->call_lines +
			 (uint64_t)arguments * (block->places + 1) * s->options->argument_lines / 2;
	return lines > 2 && before > after && !repeats_itself(unit, block->length) ? before - after : 0;
}

static void look_for_best(struct search *s, bool whole, struct block *best)
{
	struct sequences q;
	struct block block = {0};
	struct count *count = NULL;
	size_t capacity = 0;
	bool any = true;
	sequences_of(s->b, whole, &q);
	for (uint32_t length = 1; any && length <= LONGEST && s->work <= WORK; length++) {
		any = count_sequences(s->b, &q, length, &count, &capacity);
		s->work += q.length;
		block.length = length;
		for (uint32_t i = 0; any && i < intern_count(q.pairs); i++) {
			if (count[i].times < 2)
				continue;
			list_places(&q, &count[i], &block);
			s->work += count[i].times;
			block.saves = saved_by(s, &block);
			if (block.saves > best->saves) {
				struct block better = block;
				block.place = best->place;
				*best = better;
			}
		}
	}
	free(count);
	free(block.place);
	sequences_clear(&q);
}

/* What stands in the loops of a unit is said elsewhere. */
static void leave(struct blocks *b, const struct unit *unit)
{
	if (!is_loop(b, unit))
		return;
	struct block_body *body = &b->body[b->body_of[unit->statement]];
	body->gone = true;
	for (size_t i = 0; i < body->units; i++)
		leave(b, &body->unit[i]);
}

/* An argument is what stood there, whatever stands there now. */
static size_t copy_hole(struct blocks *b, size_t hole)
{
	struct block_hole copy = b->hole[hole];
	b->hole = mem_grow(b->hole, &b->hole_capacity, b->hole_count + 1, sizeof *b->hole);
	b->hole[b->hole_count] = copy;
	return b->hole_count++;
}

/* In the body of a function its parameters stand in the holes that they fill, and no words. */
static void fill_holes(struct search *s, size_t function)
{
	struct blocks *b = s->b;
	struct block_body *body = &b->body[function];
	struct text word = {0};
	for (size_t i = 0; i < body->fillings; i++) {
		text_truncate(&word, 0);
		text_format(&word, "%c%u of %zu", BLOCK_FILLED, body->filling[i].parameter, function);
		b->hole[body->filling[i].hole].word = intern_id(b->words, word.data, word.length);
		b->hole[body->filling[i].hole].value = BLOCK_NO_VALUE;
	}
	text_clear(&word);
	for (size_t i = 0; i < body->units; i++)
		set_whole(s, &body->unit[i]);
}

/* What occurs in the units at a place, but for what parameters fill: the same holes as in the
   function's own units, which stood at the first place. */
static uint32_t indices_of_call(
	const struct blocks *b, const struct unit *unit, uint32_t length, const struct block_body *function)
{
	uint32_t indices = 0;
	size_t filled = 0;
	for (uint32_t i = 0; i < length; i++) {
		indices |= unit[i].indices;
		for (uint32_t k = 0; k < unit[i].holes; k++) {
			bool is = filled < function->fillings &&
				  function->filling[filled].hole == b->holes[function->unit[i].hole + k];
			filled += is;
			indices |= is ? 0 : hole_indices(b, b->holes[unit[i].hole + k]);
		}
	}
	return indices;
}

/* The units at a place become a call. */
static void replace(struct search *s, const struct block *block, size_t at, size_t function, uint32_t key,
	const uint32_t (*hole)[2])
{
	struct blocks *b = s->b;
	struct block_body *body = &b->body[block->place[at].body];
	struct unit *unit = &body->unit[block->place[at].at];
	struct unit call = {.statement = unit->statement,
		.end = unit[block->length - 1].end,
		.function = function,
		.key = key,
		.lines = s->options->call_lines,
		.indices = indices_of_call(b, unit, block->length, &b->body[function]) & block_around(body->depth),
		.hole = b->holes_listed};
	for (uint32_t i = 0; i < b->body[function].parameters; i++)
		list_hole(b, copy_hole(b, b->holes[unit[hole[i][0]].hole + hole[i][1]]));
	call.holes = holes_since(b, call.hole);
	set_whole(s, &call);
	for (uint32_t i = 0; at && i < block->length; i++)
		leave(b, &unit[i]);
	*unit = call;
	size_t behind = block->place[at].at + block->length;
	memmove(unit + 1, body->unit + behind, (body->units - behind) * sizeof *unit);
	body->units -= block->length - 1;
}

/* Loops are what stands in them now: in the text those inside of others are bodies behind these,
   then come those of functions. */
static void set_loops(struct search *s)
{
	for (int functions = 0; functions < 2; functions++)
		for (size_t i = s->b->bodies; i-- > 0;) {
			struct block_body *body = &s->b->body[i];
			bool function = i != BLOCKS_TOP && body->loop == BLOCKS_NONE;
			for (size_t k = 0; !body->gone && function == functions && k < body->units; k++)
				if (is_loop(s->b, &body->unit[k]))
					set_loop(s, &body->unit[k]);
		}
}

static void make_function(struct search *s, const struct block *block)
{
	struct blocks *b = s->b;
	uint32_t hole[BLOCK_PARAMETERS + 1][2];
	size_t function = add_body(b, BLOCKS_NONE, b->body[block->place->body].depth);
	struct block_body *made = &b->body[function];
	made->units = block->length;
	made->unit = mem_copy(unit_at(b, block->place[0]), block->length * sizeof *made->unit);
	uint32_t indices = 0;
	made->parameters = parameters_of(b, block, hole, &made->filling, &made->fillings, &indices);
	struct text name = {0};
	text_format(&name, "call %zu", function);
	uint32_t key = intern_id(s->keys, name.data, name.length);
	text_clear(&name);
	for (size_t i = block->places; i-- > 0;)
		replace(s, block, i, function, key, (const uint32_t(*)[2])hole);
	fill_holes(s, function);
	set_loops(s);
}

void blocks_of(struct blocks *b, const struct program *program, const struct blocks_options *options)
{
	struct search s = {.b = b,
		.keys = intern_new(),
		.options = options,
		.head = mem_array(program->length + 1, sizeof *s.head),
		.indices = mem_array(program->length + 1, sizeof *s.indices)};
	struct block best = {0};
	*b = (struct blocks){.program = program,
		.body_of = mem_array(program->length + 1, sizeof *b->body_of),
		.hole_of = mem_zero((program->length + 1) * sizeof *b->hole_of),
		.words = intern_new(),
		.values = intern_new()};
	make_body(&s, 0, program->length, BLOCKS_NONE, 0);
	for (bool more = true; more; more = best.saves) {
		best.saves = 0;
		look_for_best(&s, true, &best);
		if (b->hole_count)
			look_for_best(&s, false, &best);
		if (best.saves)
			make_function(&s, &best);
	}
	free(best.place);
	free(s.head);
	free(s.indices);
	intern_free(s.keys);
}

/* depth: by body, plus one, where it is known. As deep as loops nest and functions call. */
static uint32_t depth_of(const struct blocks *b, size_t body, uint32_t *depth)
{
	uint32_t most = 0;
	if (depth[body])
		return depth[body] - 1;
	for (size_t i = 0; i < b->body[body].units; i++) {
		const struct unit *unit = &b->body[body].unit[i];
		bool call = unit->function != BLOCKS_NONE;
		uint32_t own = call               ? 1 + depth_of(b, unit->function, depth)
			       : is_loop(b, unit) ? depth_of(b, b->body_of[unit->statement], depth)
						  : 0;
		most = own > most ? own : most;
	}
	depth[body] = most + 1;
	return most;
}

uint32_t blocks_depth(const struct blocks *b)
{
	uint32_t *depth = mem_zero(b->bodies * sizeof *depth), most = depth_of(b, BLOCKS_TOP, depth);
	free(depth);
	return most;
}

void blocks_clear(struct blocks *b)
{
	for (size_t i = 0; i < b->bodies; i++) {
		free(b->body[i].unit);
		free(b->body[i].filling);
	}
	free(b->body);
	free(b->body_of);
	free(b->hole);
	free(b->hole_of);
	free(b->holes);
	intern_free(b->words);
	intern_free(b->values);
}
