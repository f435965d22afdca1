/*
 * likeness.c -- nodes without the constants of their sums: the same statement with other numbers.
 */
#include "merge/statement_row.h"

#include <stdlib.h>
#include <string.h>

struct tokens {
	uint64_t *token;
	size_t length, capacity;
	struct like_number *number; /* in the order of the tokens */
	size_t numbers, number_capacity;
	uint32_t place, places; /* 0: no place; else which of them this is */
};

/* A sum that is a rank at coordinates, which are sums again. */
static const struct node *grid_of(const struct rewriting *r, node_id sum)
{
	node_id factor = get(r, sum)->kind == NODE_SUM ? number_single(r->s, sum) : NODE_NONE;
	return factor && get(r, factor)->kind == NODE_GRID ? get(r, factor) : NULL;
}

static void add_tokens(const struct rewriting *r, node_id id, struct tokens *to)
{
	struct number_there there;
	if (id && get(r, id)->kind == NODE_SUM && number_is_at_process(r->s, id, &there)) {
		*MEM_PUSH(to->token, to->length, to->capacity) = there.there ? UINT64_MAX : UINT64_MAX - 2;
		add_tokens(r, there.process, to);
		id = number_there_value(r->s, &there);
	}
	const struct node *grid = id ? grid_of(r, id) : NULL, *n = grid ? grid : get(r, id);
	bool sum = id && n->kind == NODE_SUM, whole = !sum && !grid && (!id || n->kind < NODE_ATTRIBUTE);
	*MEM_PUSH(to->token, to->length, to->capacity) = whole ? (uint64_t)id << 1 : (uint64_t)n->kids << 1 | 1;
	if (whole)
		return;
	*MEM_PUSH(to->token, to->length, to->capacity) = (uint64_t)n->word << 16 | (uint64_t)n->kind << 8 | n->sub;
	if (sum)
		*MEM_PUSH(to->number, to->numbers, to->number_capacity) = (struct like_number){n->number, to->place};
	else
		*MEM_PUSH(to->token, to->length, to->capacity) = (uint64_t)n->number;
	if (grid)
		to->place = ++to->places;
	for (uint32_t k = 0; k < n->kids; k++) {
		if (sum)
			*MEM_PUSH(to->token, to->length, to->capacity) = n->kid[k];
		else
			add_tokens(r, n->kid[k], to);
	}
	if (grid)
		to->place = 0;
}

static void tokens_clear(struct tokens *t)
{
	free(t->token);
	free(t->number);
}

uint32_t likeness(struct rewriting *r, node_id id)
{
	if (id >= r->like_capacity) {
		size_t before = r->like_capacity;
		r->like = mem_grow(r->like, &r->like_capacity, (size_t)id + 1, sizeof *r->like);
		memset(r->like + before, 0, (r->like_capacity - before) * sizeof *r->like);
	}
	if (!r->like[id]) {
		struct tokens t = {0};
		add_tokens(r, id, &t);
		r->like[id] = 1 + intern_id(r->likes, t.token, t.length * sizeof *t.token);
		tokens_clear(&t);
	}
	return r->like[id];
}

size_t like_numbers(const struct rewriting *r, node_id id, struct like_number **number)
{
	struct tokens t = {0};
	add_tokens(r, id, &t);
	free(t.token);
	*number = t.number;
	return t.numbers;
}

/* As they are seen from so many loops inside; *at counts them. */
static node_id with_numbers(struct rewriting *r, node_id id, const node_id *number, size_t *at, uint32_t inside)
{
	const struct node *grid = id ? grid_of(r, id) : NULL, *n = get(r, id);
	struct number_there there;
	if (id && n->kind == NODE_SUM && number_is_at_process(r->s, id, &there)) {
		node_id process = with_numbers(r, there.process, number, at, inside),
			value = with_numbers(r, number_there_value(r->s, &there), number, at, inside);
		return value && process ? number_at_process(r->s, value, process, there.there) : NODE_NONE;
	}
	if (grid) {
		node_id coordinate[GRID_AXES];
		bool good = true;
		for (uint32_t k = 0; k < grid->kids; k++) {
			coordinate[k] = with_numbers(r, grid->kid[k], number, at, inside);
			good = good && coordinate[k];
		}
		return good ? number_grid(r->s, coordinate, grid->kids) : NODE_NONE;
	}
	if (id && n->kind == NODE_SUM) {
		node_id now = number[(*at)++];
		if (!now)
			return id;
		now = number_put(&(struct substitution){.store = r->s, .deeper = inside}, now);
		node_id rest = number_add(r->s, id, number_constant(r->s, n->number), -1);
		return rest && now ? number_add(r->s, rest, now, 1) : NODE_NONE;
	}
	if (!id || n->kind < NODE_ATTRIBUTE)
		return id;
	node_id *kid = mem_array(n->kids, sizeof *kid);
	bool good = true;
	for (uint32_t k = 0; k < n->kids; k++) {
		kid[k] = with_numbers(r, n->kid[k], number, at, inside + (n->kind == NODE_LOOP && k == 2));
		good = good && (!n->kid[k]) == (!kid[k]);
	}
	if (good)
		id = n->kind == NODE_ATTRIBUTE ? attribute_of(r->s, n->word, kid[0], kid[1]) : node_with(r->s, id, kid);
	free(kid);
	return good ? id : NODE_NONE;
}

node_id like_with(struct rewriting *r, node_id id, const node_id *number)
{
	size_t at = 0;
	return with_numbers(r, id, number, &at, 0);
}
