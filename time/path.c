/*
 * path.c -- pieces with reference counts. Merging and deciding happen now and then, over all pieces
 * that are alive, so that they cost O(1) for each piece ever made.
 */
#include "time/path.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "time/constructs.h"

/* Cells that a piece keeps as they came. */
#ifndef TRACENEST_HOSTILE
#define CELLS 2
#else
#define CELLS 1
#endif

struct piece {
	struct piece *before; /* holds a reference to it; of one that is unused: the next of these */
	uint32_t references; /* 0: it is unused */
	bool open; /* what is before may change */
	uint8_t cells;
	struct path_cell cell[CELLS];
	struct path_step *step; /* of what was more */
	size_t length, capacity;
	size_t compact; /* steps after the last time that equal ones were brought together */
};

struct paths {
	struct piece **block; /* all there are, BLOCK by BLOCK */
	size_t blocks, capacity;
	struct piece *unused;
	size_t pieces, most, limit; /* limit: tidy when there are so many */
	struct constructs *to;
};

#ifndef TRACENEST_HOSTILE
#define LEAST_LIMIT 1024
#define LEAST_COMPACT 256
#define BLOCK 256
#else
#define LEAST_LIMIT 2
#define LEAST_COMPACT 1
#define BLOCK 1
#endif

/* Steps looked at for an equal one, from the end. */
#define LOOK_BACK 8

struct paths *paths_new(struct constructs *to)
{
	struct paths *p = mem_zero(sizeof *p);
	p->to = to;
	p->limit = LEAST_LIMIT;
	return p;
}

void paths_free(struct paths *p)
{
	if (!p)
		return;
	for (size_t b = 0; b < p->blocks; b++) {
		for (size_t i = 0; i < BLOCK; i++)
			free(p->block[b][i].step);
		free(p->block[b]);
	}
	free(p->block);
	free(p);
}

size_t paths_most(const struct paths *p)
{
	return p->most;
}

/* ------------------------------------------------------------------ single pieces */

static void more_pieces(struct paths *p)
{
	struct piece *block = mem_zero(BLOCK * sizeof *block);
	*MEM_PUSH(p->block, p->blocks, p->capacity) = block;
	for (size_t i = BLOCK; i > 0; i--) {
		block[i - 1].before = p->unused;
		p->unused = &block[i - 1];
	}
}

struct piece *piece_new(struct paths *p, struct piece *before)
{
	if (!p->unused)
		more_pieces(p);
	struct piece *piece = p->unused;
	p->unused = piece->before;
	piece->before = before ? piece_keep(before) : NULL;
	piece->references = 1;
	piece->open = false;
	piece->cells = 0;
	piece->length = piece->compact = 0;
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
	piece->before = p->unused;
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
	return a->construct != b->construct ? COMPARE(a->construct, b->construct) : COMPARE(a->where, b->where);
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
		piece->step[i].where = constructs_coarse(p->to, piece->step[i].construct, piece->step[i].where);
	qsort(piece->step, piece->length, sizeof *piece->step, by_cell);
	for (size_t i = 1; i < piece->length; i++)
		if (by_cell(&piece->step[to], &piece->step[i]))
			piece->step[++to] = piece->step[i];
		else
			add_to(&piece->step[to], &piece->step[i]);
	piece->length = piece->compact = piece->length ? to + 1 : 0;
}

static void add_step(struct paths *p, struct piece *piece, const struct path_step *step)
{
	size_t least = piece->length > LOOK_BACK ? piece->length - LOOK_BACK : 0;
	for (size_t i = piece->length; i > least; i--)
		if (piece->step[i - 1].construct == step->construct && piece->step[i - 1].where == step->where) {
			add_to(&piece->step[i - 1], step);
			return;
		}
	if (piece->length > LEAST_COMPACT && piece->length > 2 * piece->compact)
		compact(p, piece);
	if (piece->length == piece->capacity)
		piece->step = mem_grow(piece->step, &piece->capacity, piece->length + 1, sizeof *piece->step);
	piece->step[piece->length++] = *step;
}

/* The steps that a cell consists of: at most one for each loop, and two. */
static size_t take_apart(const struct path_cell *c, struct path_step step[ANALYSIS_DEPTH + 2])
{
	size_t n = 0;
	const struct iteration_vector *place = &c->at.place;
	step[n++] = (struct path_step){c->at.construct, PATH_RANK | c->rank, c->work, c->call, c->hops};
	for (uint32_t d = 0; d < (place->depth ? place->depth : 1); d++) {
		step[n] = step[0];
		step[n++].where = d << PATH_SHIFT | (place->depth ? place->index[d] & PATH_INDEX : 0);
	}
	if (c->cause != PATH_NOTHING)
		step[n++] = (struct path_step){c->at.construct, c->cause, 0, c->call, c->times};
	return n;
}

static void take_cells_apart(struct paths *p, struct piece *piece)
{
	struct path_step step[ANALYSIS_DEPTH + 2];
	for (size_t i = 0; i < piece->cells; i++)
		for (size_t n = take_apart(&piece->cell[i], step); n > 0; n--)
			add_step(p, piece, &step[n - 1]);
	piece->cells = 0;
}

bool iteration_vectors_equal(const struct iteration_vector *a, const struct iteration_vector *b)
{
	if (a->loop != b->loop || a->depth != b->depth)
		return false;
	for (uint32_t d = 0; d < a->depth; d++)
		if (a->index[d] != b->index[d])
			return false;
	return true;
}

void piece_add(struct paths *p, struct piece *piece, const struct path_cell *cell)
{
	for (size_t i = 0; i < piece->cells; i++) {
		struct path_cell *old = &piece->cell[i];
		if (old->at.construct != cell->at.construct || old->rank != cell->rank || old->cause != cell->cause ||
			!iteration_vectors_equal(&old->at.place, &cell->at.place))
			continue;
		old->work += cell->work;
		old->call += cell->call;
		old->hops += cell->hops;
		old->times += cell->times;
		return;
	}
	if (piece->cells == CELLS)
		take_cells_apart(p, piece);
	piece->cell[piece->cells++] = *cell;
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
		add_step(p, piece, &old->step[i]);
	for (size_t i = 0; i < old->cells; i++)
		piece_add(p, piece, &old->cell[i]);
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
	struct path_step step[ANALYSIS_DEPTH + 2];
	for (size_t i = 0; i < piece->cells; i++)
		for (size_t n = take_apart(&piece->cell[i], step); n > 0; n--)
			constructs_take(p->to, &step[n - 1]);
	for (size_t i = 0; i < piece->length; i++)
		constructs_take(p->to, &piece->step[i]);
	piece->cells = 0;
	piece->length = piece->compact = 0;
}

/* The next piece that is in use, from this place on; NULL: there are no more. */
static struct piece *next_used(const struct paths *p, size_t *at)
{
	for (; *at < p->blocks * BLOCK; ++*at) {
		struct piece *piece = &p->block[*at / BLOCK][*at % BLOCK];
		if (piece->references) {
			++*at;
			return piece;
		}
	}
	return NULL;
}

/* The piece that all others come behind; NULL: there are several. */
static struct piece *only_first(const struct paths *p)
{
	struct piece *first = NULL, *piece;
	for (size_t at = 0; (piece = next_used(p, &at));) {
		if (!piece->before && first)
			return NULL;
		first = piece->before ? first : piece;
	}
	return first;
}

/* All that is before a piece is decided, if nothing else comes behind the first. */
static bool decide_before(struct paths *p, struct piece *piece, const struct piece *first)
{
	const struct piece *least = piece;
	while (can_merge(least))
		least = least->before;
	if (least != first || least->open)
		return false;
	for (struct piece *old = piece->before, *before; old; old = before) {
		before = old->before;
		hand_over(p, old);
		old->references = 0;
		release(p, old);
	}
	piece->before = NULL;
	return true;
}

static void tidy(struct paths *p)
{
	struct piece *first = only_first(p), *piece;
	for (size_t at = 0; (piece = next_used(p, &at));) {
		if (can_merge(piece) && first && decide_before(p, piece, first))
			first = piece;
		while (can_merge(piece))
			merge(p, piece);
	}
	if (first && !first->open)
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
