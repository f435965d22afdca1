/*
 * blocks.c -- the block that saves most lines becomes a function, and so on, until none saves any.
 */
#include "replay/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

/* Units of one block; programs of more statements are not searched. */
#define LONGEST 64
#define SEARCHED 3000

/* A function's head and braces, and the line that is its call. */
#define FUNCTION_LINES 5
#define CALL_LINES 1

struct search {
	struct blocks *b;
	struct intern *keys;
	void (*key)(void *context, size_t statement, uint32_t depth, struct text *);
	void *context;
};

/* ------------------------------------------------------------------ bodies */

static size_t add_body(struct blocks *b, size_t loop, uint32_t depth)
{
	b->body = mem_grow(b->body, &b->capacity, b->bodies + 1, sizeof *b->body);
	b->body[b->bodies] = (struct block_body){.loop = loop, .depth = depth};
	return b->bodies++;
}

static size_t make_body(struct search *s, size_t from, size_t to, size_t loop, uint32_t depth);

/* A loop is what stands in its head, and its units. */
static struct unit make_unit(struct search *s, size_t at, uint32_t depth)
{
	struct blocks *b = s->b;
	const struct statement *statement = &b->program->statement[at];
	struct unit unit = {.statement = at, .function = BLOCKS_NONE, .lines = 1};
	struct text key = {0};
	s->key(s->context, at, depth, &key);
	if (statement_is_loop(statement)) {
		size_t inside = make_body(s, at + 1, at + statement->size, at, depth + 1);
		b->body_of[at] = inside;
		unit.lines = 2;
		for (size_t i = 0; i < b->body[inside].units; i++) {
			text_format(&key, "|%u", b->body[inside].unit[i].key);
			unit.lines += b->body[inside].unit[i].lines;
		}
	}
	unit.key = intern_id(s->keys, key.data, key.length);
	text_clear(&key);
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

/* ------------------------------------------------------------------ blocks */

struct block {
	uint64_t saves; /* lines; 0: none */
	uint32_t lines, length;
	size_t body, at; /* where it stands first */
};

/* How often a sequence stands, without overlapping itself. */
struct count {
	size_t body, at, end; /* the first; behind the last */
	size_t last_body;
	uint32_t times, lines;
};

static uint32_t lines_of(const struct unit *unit, uint32_t length)
{
	uint32_t lines = 0;
	for (uint32_t i = 0; i < length; i++)
		lines += unit[i].lines;
	return lines;
}

static void count_sequences(
	const struct blocks *b, uint32_t length, struct intern *sequences, struct count **count, size_t *capacity)
{
	uint32_t keys[LONGEST];
	for (size_t i = 0; i < b->bodies; i++) {
		const struct block_body *body = &b->body[i];
		for (size_t k = 0; !body->gone && k + length <= body->units; k++) {
			for (uint32_t n = 0; n < length; n++)
				keys[n] = body->unit[k + n].key;
			uint32_t known = intern_count(sequences),
				 id = intern_id(sequences, keys, length * sizeof *keys);
			*count = mem_grow(*count, capacity, id + (size_t)1, sizeof **count);
			struct count *c = &(*count)[id];
			if (id == known)
				*c = (struct count){i, k, 0, BLOCKS_NONE, 0, lines_of(&body->unit[k], length)};
			if (c->last_body == i && k < c->end)
				continue;
			c->times++;
			c->last_body = i;
			c->end = k + length;
		}
	}
}

/* A block that is all of a function already is not made one again. */
static bool is_function(const struct blocks *b, const struct count *c, uint32_t length)
{
	const struct block_body *body = &b->body[c->body];
	return c->body != BLOCKS_TOP && body->loop == BLOCKS_NONE && body->units == length;
}

static struct block best_block(const struct blocks *b)
{
	struct block best = {0};
	struct count *count = NULL;
	size_t capacity = 0;
	for (uint32_t length = 1; length <= LONGEST; length++) {
		struct intern *sequences = intern_new();
		bool any = false;
		count_sequences(b, length, sequences, &count, &capacity);
		for (uint32_t i = 0; i < intern_count(sequences); i++) {
			const struct count *c = &count[i];
			uint64_t before = (uint64_t)c->times * c->lines,
				 after = c->lines + FUNCTION_LINES + (uint64_t)c->times * CALL_LINES;
			any |= c->times > 1;
			if (c->times > 1 && c->lines > 2 && before > after && before - after > best.saves &&
				!is_function(b, c, length))
				best = (struct block){before - after, c->lines, length, c->body, c->at};
		}
		intern_free(sequences);
		if (!any)
			break;
	}
	free(count);
	return best;
}

/* What stands in the loops of a unit is said elsewhere. */
static void leave(struct blocks *b, const struct unit *unit)
{
	if (unit->function != BLOCKS_NONE || !statement_is_loop(&b->program->statement[unit->statement]))
		return;
	struct block_body *body = &b->body[b->body_of[unit->statement]];
	body->gone = true;
	for (size_t i = 0; i < body->units; i++)
		leave(b, &body->unit[i]);
}

static bool stands_at(const struct block_body *body, size_t at, const struct unit *units, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		if (at + i >= body->units || body->unit[at + i].key != units[i].key)
			return false;
	return true;
}

static void replace(
	struct blocks *b, size_t at, const struct unit *units, uint32_t length, size_t function, uint32_t key)
{
	struct block_body *body = &b->body[at];
	size_t to = 0;
	for (size_t i = 0; i < body->units;) {
		if (!stands_at(body, i, units, length)) {
			body->unit[to++] = body->unit[i++];
			continue;
		}
		size_t statement = body->unit[i].statement;
		for (uint32_t k = 0; statement != units[0].statement && k < length; k++)
			leave(b, &body->unit[i + k]);
		body->unit[to++] = (struct unit){statement, function, key, CALL_LINES};
		i += length;
	}
	body->units = to;
}

static void make_function(struct search *s, const struct block *block)
{
	struct blocks *b = s->b;
	size_t function = add_body(b, BLOCKS_NONE, b->body[block->body].depth);
	struct unit *units = mem_array(block->length, sizeof *units);
	memcpy(units, &b->body[block->body].unit[block->at], block->length * sizeof *units);
	struct text name = {0};
	text_format(&name, "call %zu", function);
	uint32_t key = intern_id(s->keys, name.data, name.length);
	text_clear(&name);
	for (size_t i = 0; i < function; i++)
		if (!b->body[i].gone)
			replace(b, i, units, block->length, function, key);
	b->body[function].unit = units;
	b->body[function].units = block->length;
}

void blocks_of(struct blocks *b, const struct program *program,
	void (*key)(void *context, size_t statement, uint32_t depth, struct text *), void *context)
{
	struct search s = {b, intern_new(), key, context};
	*b = (struct blocks){.program = program, .body_of = mem_array(program->length + 1, sizeof *b->body_of)};
	make_body(&s, 0, program->length, BLOCKS_NONE, 0);
	for (struct block block; program->length <= SEARCHED && (block = best_block(b)).saves;)
		make_function(&s, &block);
	intern_free(s.keys);
}

void blocks_clear(struct blocks *b)
{
	for (size_t i = 0; i < b->bodies; i++)
		free(b->body[i].unit);
	free(b->body);
	free(b->body_of);
}
