/*
 * path.c -- pieces with reference counts. Merging and deciding happen now and then, over all pieces
 * that are alive, so that they cost O(1) for each piece ever made.
 */
#include "time/path.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct piece {
	struct piece *before; /* holds a reference to it */
	struct piece *next, **self; /* of all that are alive */
	uint32_t references;
	bool open; /* what is before may change */
	struct path_step *step;
	size_t length, capacity;
	size_t compact; /* steps after the last time that equal ones were brought together */
};

struct paths {
	struct piece *alive, *unused;
	size_t pieces, most, limit; /* limit: tidy when there are so many */
	void (*take)(void *, const struct path_step *);
	uint32_t (*coarse)(void *, uint32_t, uint32_t);
	void *context;
};

#ifndef TRACENEST_HOSTILE
#define LEAST_LIMIT 4096
#define LEAST_COMPACT 256
#else
#define LEAST_LIMIT 2
#define LEAST_COMPACT 1
#endif

/* Steps looked at for an equal one, from the end. */
#define LOOK_BACK 8

struct paths *paths_new(
	void (*take)(void *, const struct path_step *), uint32_t (*coarse)(void *, uint32_t, uint32_t), void *context)
{
	struct paths *p = mem_zero(sizeof *p);
	*p = (struct paths){.take = take, .coarse = coarse, .context = context, .limit = LEAST_LIMIT};
	return p;
}

static void free_list(struct piece *first)
{
	for (struct piece *next; first; first = next) {
		next = first->next;
		free(first->step);
		free(first);
	}
}

void paths_free(struct paths *p)
{
	if (!p)
		return;
	free_list(p->alive);
	free_list(p->unused);
	free(p);
}

size_t paths_most(const struct paths *p)
{
	return p->most;
}

/* ------------------------------------------------------------------ single pieces */

struct piece *piece_new(struct paths *p, struct piece *before)
{
	struct piece *piece = p->unused;
	if (piece)
		p->unused = piece->next;
	else
		piece = mem_zero(sizeof *piece);
	piece->before = before ? piece_keep(before) : NULL;
	piece->references = 1;
	piece->open = false;
	piece->length = piece->compact = 0;
	piece->next = p->alive;
	piece->self = &p->alive;
	if (piece->next)
		piece->next->self = &piece->next;
	p->alive = piece;
	if (++p->pieces > p->most)
		p->most = p->pieces;
	return piece;
}

struct piece *piece_keep(struct piece *piece)
{
	piece->references++;
	return piece;
}

static void release(struct paths *p, struct piece *piece)
{
	*piece->self = piece->next;
	if (piece->next)
		piece->next->self = piece->self;
	piece->next = p->unused;
	p->unused = piece;
	p->pieces--;
	if (piece->capacity > 4096) { /* it was a large one */
		free(piece->step);
		piece->step = NULL;
		piece->capacity = 0;
	}
}

void piece_drop(struct paths *p, struct piece *piece)
{
	while (piece && !--piece->references) {
		struct piece *before = piece->before;
		release(p, piece);
		piece = before;
	}
}

static int by_cell(const void *left, const void *right)
{
	const struct path_step *a = left, *b = right;
	if (a->construct != b->construct)
		return a->construct < b->construct ? -1 : 1;
	return (a->where > b->where) - (a->where < b->where);
}

static void add_to(struct path_step *to, const struct path_step *from)
{
	to->work += from->work;
	to->call += from->call;
	to->hops += from->hops;
}

/* Bring equal steps together. */
static void compact(struct paths *p, struct piece *piece)
{
	size_t to = 0;
	for (size_t i = 0; i < piece->length; i++)
		piece->step[i].where = p->coarse(p->context, piece->step[i].construct, piece->step[i].where);
	qsort(piece->step, piece->length, sizeof *piece->step, by_cell);
	for (size_t i = 1; i < piece->length; i++)
		if (by_cell(&piece->step[to], &piece->step[i]))
			piece->step[++to] = piece->step[i];
		else
			add_to(&piece->step[to], &piece->step[i]);
	piece->length = piece->compact = piece->length ? to + 1 : 0;
}

void piece_add(struct paths *p, struct piece *piece, const struct path_step *step)
{
	size_t least = piece->length > LOOK_BACK ? piece->length - LOOK_BACK : 0;
	for (size_t i = piece->length; i > least; i--)
		if (piece->step[i - 1].construct == step->construct && piece->step[i - 1].where == step->where) {
			add_to(&piece->step[i - 1], step);
			return;
		}
	if (piece->length > LEAST_COMPACT && piece->length > 2 * piece->compact)
		compact(p, piece);
	piece->step = mem_grow(piece->step, &piece->capacity, piece->length + 1, sizeof *piece->step);
	piece->step[piece->length++] = *step;
}

void piece_open(struct piece *piece)
{
	piece->open = true;
}

void piece_close(struct paths *p, struct piece *piece, struct piece *before)
{
	piece->open = false;
	if (!before)
		return;
	struct piece *old = piece->before;
	piece->before = piece_keep(before);
	piece_drop(p, old);
}

/* ------------------------------------------------------------------ all pieces */

/* What is before it is part of it now. */
static void merge(struct paths *p, struct piece *piece)
{
	struct piece *old = piece->before;
	if (old->length > piece->length) {
		struct piece swap = *old;
		old->step = piece->step, old->length = piece->length, old->capacity = piece->capacity;
		piece->step = swap.step, piece->length = swap.length, piece->capacity = swap.capacity;
		piece->compact = swap.compact;
	}
	for (size_t i = 0; i < old->length; i++)
		piece_add(p, piece, &old->step[i]);
	piece->before = old->before;
	old->references = 0;
	release(p, old);
}

static bool can_merge(const struct piece *piece)
{
	const struct piece *before = piece->before;
	return !piece->open && before && before->references == 1 && !before->open;
}

static void hand_over(struct paths *p, struct piece *piece)
{
	for (size_t i = 0; i < piece->length; i++)
		p->take(p->context, &piece->step[i]);
	piece->length = piece->compact = 0;
}

static void tidy(struct paths *p)
{
	struct piece *first = NULL;
	size_t firsts = 0;
	for (struct piece *piece = p->alive; piece; piece = piece->next)
		while (can_merge(piece))
			merge(p, piece);
	for (struct piece *piece = p->alive; piece; piece = piece->next)
		if (!piece->before) {
			first = piece;
			firsts++;
		}
	if (firsts == 1 && !first->open)
		hand_over(p, first);
	p->limit = 2 * p->pieces > LEAST_LIMIT ? 2 * p->pieces : LEAST_LIMIT;
}

void paths_tidy(struct paths *p)
{
	if (p->pieces >= p->limit)
		tidy(p);
}

void paths_decide(struct paths *p, struct piece *last)
{
	for (; last; last = last->before)
		hand_over(p, last);
}
