/*
 * pattern.c -- a loop's key is the row of its body's patterns, then its steps; a record's is found
 * by its shape.
 */
#include "nlr/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

struct patterns {
	struct arena *arena;
	struct pattern **pattern; /* by id */
	size_t count, capacity;
	uint32_t *record; /* by shape: 1 + the id */
	size_t shapes;
	struct intern *loops;
	uint32_t *loop; /* by key: the id */
	size_t loop_capacity;
	int64_t *key;
	size_t key_capacity;
};

struct patterns *patterns_new(void)
{
	struct patterns *s = mem_zero(sizeof *s);
	s->arena = arena_new();
	s->loops = intern_new();
	return s;
}

void patterns_free(struct patterns *s)
{
	if (!s)
		return;
	arena_free(s->arena);
	intern_free(s->loops);
	free(s->pattern);
	free(s->record);
	free(s->loop);
	free(s->key);
	free(s);
}

const struct pattern *patterns_get(const struct patterns *s, uint32_t id)
{
	return s->pattern[id];
}

static struct pattern *add(struct patterns *s)
{
	struct pattern *new = arena_alloc(s->arena, sizeof *new);
	*new = (struct pattern){.id = (uint32_t)s->count, .constructs = 1, .salt = hash_mix(s->count + 1)};
	s->pattern = mem_grow(s->pattern, &s->capacity, s->count + 1, sizeof(struct pattern *));
	s->pattern[s->count++] = new;
	return new;
}

const struct pattern *patterns_record(struct patterns *s, uint32_t shape, uint32_t width)
{
	size_t old = s->shapes;
	if (shape >= old) {
		s->record = mem_grow(s->record, &s->shapes, (size_t)shape + 1, sizeof *s->record);
		memset(s->record + old, 0, (s->shapes - old) * sizeof *s->record);
	}
	if (!s->record[shape]) {
		struct pattern *new = add(s);
		new->shape = shape;
		new->numbers = width;
		s->record[shape] = new->id + 1;
	}
	return s->pattern[s->record[shape] - 1];
}

/* item: room for one more than length. */
static void describe(struct pattern *loop, const struct pattern *const *body, size_t length, struct pattern_item *item)
{
	uint32_t first = 0;
	for (size_t i = 0; i < length; i++) {
		uint32_t numbers = (uint32_t)body[i]->numbers;
		item[i] = (struct pattern_item){
			body[i]->shape, pattern_is_loop(body[i]) ? 0 : numbers, first, body[i]->id};
		first += numbers;
		loop->constructs += body[i]->constructs;
	}
	item[length] = (struct pattern_item){.shape = PATTERN_END};
	loop->shape = PATTERN_LOOP;
	loop->item = item;
	loop->length = length;
	loop->numbers = 1 + (size_t)first;
}

struct pattern *patterns_sketch(const struct pattern *const *body, size_t length, const int64_t *step)
{
	struct pattern *loop = mem_alloc(sizeof *loop + (length + 1) * sizeof(struct pattern_item));
	*loop = (struct pattern){.id = UINT32_MAX, .constructs = 1};
	describe(loop, body, length, (struct pattern_item *)(loop + 1));
	loop->step = step;
	return loop;
}

static const int64_t *make_key(
	struct patterns *s, const struct pattern *const *body, size_t length, const int64_t *step, size_t *size)
{
	size_t numbers = 0;
	for (size_t i = 0; i < length; i++)
		numbers += body[i]->numbers;
	s->key = mem_grow(s->key, &s->key_capacity, 1 + length + numbers, sizeof *s->key);
	s->key[0] = (int64_t)length;
	for (size_t i = 0; i < length; i++)
		s->key[1 + i] = body[i]->id;
	if (numbers)
		memcpy(s->key + 1 + length, step, numbers * sizeof *step);
	*size = (1 + length + numbers) * sizeof *s->key;
	return s->key;
}

const struct pattern *patterns_loop(
	struct patterns *s, const struct pattern *const *body, size_t length, const int64_t *step)
{
	size_t size;
	const int64_t *key = make_key(s, body, length, step, &size);
	uint32_t known = intern_count(s->loops), id = intern_id(s->loops, key, size);
	if (id == known) {
		struct pattern *new = add(s);
		describe(new, body, length, arena_alloc(s->arena, (length + 1) * sizeof(struct pattern_item)));
		new->step = (const int64_t *)intern_data(s->loops, id, NULL) + 1 + length;
		s->loop = mem_grow(s->loop, &s->loop_capacity, (size_t)id + 1, sizeof *s->loop);
		s->loop[id] = new->id;
	}
	return s->pattern[s->loop[id]];
}

const struct pattern *patterns_find_loop(
	struct patterns *s, const struct pattern *const *body, size_t length, const int64_t *step)
{
	size_t size;
	const int64_t *key = make_key(s, body, length, step, &size);
	uint32_t id = intern_find(s->loops, key, size);
	return id == INTERN_NONE ? NULL : s->pattern[s->loop[id]];
}

bool iteration_at(const struct pattern *loop, const int64_t *first, int64_t k, int64_t *number)
{
	for (size_t i = 0; i < iteration_numbers(loop); i++) {
		int64_t way;
		if (__builtin_mul_overflow(loop->step[i], k, &way) || __builtin_add_overflow(first[i], way, &number[i]))
			return false;
	}
	return true;
}
