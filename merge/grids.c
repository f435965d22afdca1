/*
 * grids.c -- the moves between the ends of messages, counted on each grid of the processes.
 *
 * On the grid that a program has, messages of one tag make one move, from all processes of a box
 * (those for whom the move does not lead out), and groups are lines and planes. On others they make
 * several, or leave holes in the box. Of each tag moves are counted apart.
 */
#include "merge/grids.h"

#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "base/intern.h"
#include "base/mem.h"

/* In hundredths: a move along an axis more, a stride along one, and a grid that is longer than wide
   decide only between grids of as many different moves. A group that does not lie on the grid is a
   statement of its own, as a move is. */
#define GRID_MOVE 100
#define GRID_AXIS 10
#define GRID_RATIO 10

/* Partners whose numbers differ in one bit are a grid of 2 by 2 by 2 ...: p^4 says it. */
#define AXES_MOST 3

/* Modulo the size of each axis; intern_new_keys needs keys of one size. */
struct move {
	uint64_t tag;
	uint32_t along[GRID_AXES];
};

/* Who makes a move: of a coarse level every second process, every fourth ... along an axis. */
struct box {
	uint32_t low[GRID_AXES], high[GRID_AXES], stride[GRID_AXES], inside; /* stride 0: one place */
};

static void box_add(struct box *b, const struct grid *g, const uint32_t *at)
{
	for (uint32_t k = 0; k < g->axes; k++) {
		uint32_t low = !b->inside || at[k] < b->low[k] ? at[k] : b->low[k];
		if (b->inside)
			b->stride[k] = (uint32_t)gcd(b->stride[k], at[k] - low + b->low[k] - low);
		b->low[k] = low;
		b->high[k] = !b->inside || at[k] > b->high[k] ? at[k] : b->high[k];
	}
	b->inside++;
}

/* A box with holes costs more, up to one more move. Two places are always one stride apart: three
   are a box without holes. */
static uint64_t price_of(const struct move *move, const struct box *b, const struct grid *g)
{
	uint64_t size = 1;
	uint32_t axes = 0, strided = 0;
	for (uint32_t k = 0; k < g->axes; k++) {
		uint32_t last = b->high[k] - b->low[k], stride = b->stride[k];
		bool is_strided = stride > 1 && last > stride;
		size *= is_strided ? last / stride + 1 : last + 1;
		axes += move->along[k] != 0;
		strided += is_strided;
	}
	return GRID_MOVE + GRID_AXIS * ((axes > 1 ? axes - 1 : 0) + strided) + (size - b->inside) * GRID_MOVE / size;
}

uint32_t grid_line_first(const struct grid *g, uint32_t axes, uint32_t rank)
{
	uint32_t first = g->axes ? 0 : rank;
	for (uint32_t k = 0, stride = 1, left = rank; k < g->axes; stride *= g->size[k], left /= g->size[k], k++)
		first += axes >> k & 1 ? 0 : left % g->size[k] * stride;
	return first;
}

bool grid_line_of(const struct grid *g, const struct ranks *set, uint32_t *axes)
{
	uint64_t size = ranks_count(set);
	for (*axes = 0; *axes < UINT32_C(1) << g->axes; ++*axes) {
		uint64_t product = 1;
		for (uint32_t k = 0; k < g->axes; k++)
			product *= *axes >> k & 1 ? g->size[k] : 1;
		bool same = product == size;
		struct ranks_walk walk = {0};
		for (uint32_t rank; same && ranks_next(set, &walk, &rank);)
			same = grid_line_first(g, *axes, rank) == set->run[0].first;
		if (same)
			return true;
	}
	return false;
}

/* No less than `enough`, perhaps early, if it is not below. */
static uint64_t score_of(const struct grid *g, const struct grid_traffic *t, uint64_t enough)
{
	struct intern *moves = intern_new_keys(sizeof(struct move));
	struct box *box = mem_zero((t->pairs + 1) * sizeof *box);
	uint64_t score = 0;
	for (size_t i = 0; i < t->pairs && intern_count(moves) * (uint64_t)GRID_MOVE < enough; i++) {
		struct move move = {.tag = t->pair[i].tag};
		uint32_t from = t->pair[i].from, to = t->pair[i].to, at[GRID_AXES];
		for (uint32_t k = 0; k < g->axes; k++) {
			uint32_t size = g->size[k];
			at[k] = from % size;
			move.along[k] = (to % size + size - from % size) % size;
			from /= size;
			to /= size;
		}
		box_add(&box[intern_id(moves, &move, sizeof move)], g, at);
	}
	for (uint32_t i = 0; i < intern_count(moves); i++)
		score += price_of(intern_data(moves, i, NULL), &box[i], g);
	intern_free(moves);
	free(box);
	for (size_t i = 0; i < t->groups; i++) {
		uint32_t axes;
		score += grid_line_of(g, &t->group[i], &axes) ? 0 : GRID_MOVE;
	}
	uint32_t least = g->size[0], most = g->size[0];
	score += GRID_AXIS * (g->axes - 1);
	for (uint32_t k = 1; k < g->axes; k++) {
		least = g->size[k] < least ? g->size[k] : least;
		most = g->size[k] > most ? g->size[k] : most;
	}
	return score + GRID_RATIO * (most - least) / most;
}

struct choice {
	const struct grid_traffic *traffic;
	uint64_t score;
	struct grid grid; /* axes 0: none so far */
};

/* All ways to write what is left as a product of the axes that are left, each 2 and more. */
static void try_sizes(struct choice *best, struct grid *g, uint32_t axis, uint32_t axes, uint32_t left)
{
	if (axis + 1 == axes) {
		g->axes = axes;
		g->size[axis] = left;
		uint64_t score = left > 1 ? score_of(g, best->traffic, best->score) : UINT64_MAX;
		if (score < best->score) {
			best->score = score;
			best->grid = *g;
		}
		return;
	}
	for (uint32_t size = 2; size <= left / 2; size++)
		if (left % size == 0) {
			g->size[axis] = size;
			try_sizes(best, g, axis + 1, axes, left / size);
		}
}

/* Messages of a tag that all go to one process, or come from one, name it: they are the same on any
   grid. The others; the caller's. */
static size_t without_stars(const struct grid_traffic *t, struct grid_pair **kept)
{
	struct intern *tags = intern_new_keys(sizeof(uint64_t));
	struct star {
		uint32_t from, to; /* UINT32_MAX: several */
	} *star = mem_zero((t->pairs + 1) * sizeof *star);
	for (size_t i = 0; i < t->pairs; i++) {
		const struct grid_pair *p = &t->pair[i];
		uint32_t known = intern_count(tags), tag = intern_id(tags, &p->tag, sizeof p->tag);
		if (tag == known)
			star[tag] = (struct star){p->from, p->to};
		star[tag].from = star[tag].from == p->from ? p->from : UINT32_MAX;
		star[tag].to = star[tag].to == p->to ? p->to : UINT32_MAX;
	}
	size_t length = 0;
	*kept = mem_array(t->pairs, sizeof **kept);
	for (size_t i = 0; i < t->pairs; i++) {
		const struct star *s = &star[intern_id(tags, &t->pair[i].tag, sizeof t->pair[i].tag)];
		if (s->from == UINT32_MAX && s->to == UINT32_MAX)
			(*kept)[length++] = t->pair[i];
	}
	free(star);
	intern_free(tags);
	return length;
}

bool grid_of(uint32_t processes, const struct grid_traffic *traffic, struct grid *grid)
{
	struct grid_pair *pair;
	struct grid_traffic told = *traffic;
	told.pairs = without_stars(traffic, &pair);
	told.pair = pair;
	struct choice best = {.traffic = &told, .score = UINT64_MAX};
	struct grid line = {.axes = 1, .size = {processes}}, g = {0};
	for (uint32_t axes = 2; axes <= AXES_MOST && (told.pairs || told.groups); axes++)
		try_sizes(&best, &g, 0, axes, processes);
	*grid = best.grid;
	bool better = best.grid.axes && best.score < score_of(&line, &told, UINT64_MAX);
	free(pair);
	return better;
}
