/*
 * grids.c -- the moves between the ends of messages, counted on each grid of the processes.
 *
 * On the grid that a program has, messages of one tag make one move, from all processes of a box
 * (those for whom the move does not lead out), and groups are lines and planes. On others they make
 * several, or leave holes in the box. Messages of each tag are counted apart: where they are as
 * short on the line of all processes (a ring), or by the bits in which both ends differ (a
 * butterfly), they tell nothing of the grid, and are said so beside it.
 */
#include "merge/grids.h"

#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "base/intern.h"
#include "base/mem.h"

/* In hundredths. An axis more, a grid that is longer than wide, and what is said beside it decide
   only between grids of as many different moves. A group that does not lie on the grid is a statement
   of its own, as a move is. */
#define GRID_MOVE 100
#define GRID_AXIS 4
#define GRID_RATIO 4
#define GRID_BESIDE 4

/* A condition more on who makes a move: x==0&&y<Y-1. */
#define GRID_COMPARISON 30

/* Around the line, or to a number that differs in some bits: (p+1)%P, p^4. */
#define GRID_AROUND 30

/* Partners in so many bits, one each, are a loop: p^{2^i}. */
#define BUTTERFLY_STEPS 3

/* Partners whose numbers differ in one bit are a grid of 2 by 2 by 2 ...: p^4 says it. */
#define AXES_MOST 3

/* On a grid, modulo the size of each axis; the line of all processes is one of one axis; or by
   bits. */
struct view {
	struct grid grid;
	bool bits;
};

struct move {
	uint32_t along[GRID_AXES];
};

/* Who makes a move: of a coarse level every second process, every fourth ... along an axis. */
struct box {
	uint32_t low[GRID_AXES], high[GRID_AXES], stride[GRID_AXES], inside; /* stride 0: one place */
	bool up, down; /* are there ranks above the sender's, or below? */
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

/* Is it where this move along an axis stays inside, or all of the axis? Then the peer says it:
   `where inside`. */
static bool is_where_inside(const struct box *b, uint32_t axis, uint32_t size, uint32_t along)
{
	uint32_t first = b->low[axis], last = b->high[axis];
	return b->stride[axis] <= 1 && ((!first && (last == size - 1 || last == size - 1 - along)) ||
					       (last == size - 1 && first == size - along));
}

/* How many comparisons tell that a coordinate is one of these. */
static uint32_t comparisons_of(const struct box *b, uint32_t axis, uint32_t size)
{
	uint32_t first = b->low[axis], last = b->high[axis], step = b->stride[axis] ? b->stride[axis] : 1;
	if (first == last)
		return size > 1;
	return (step > 1) + (first >= step) + (last + step < size);
}

/* A box with holes costs more, up to one more move. Two places are always one stride apart: three
   are a box without holes. */
static uint64_t price_of(const struct move *move, const struct box *b, const struct view *v)
{
	bool line = v->grid.axes == 1;
	uint64_t size = 1;
	uint32_t comparisons = 0;
	bool inside = true;
	for (uint32_t k = 0; k < v->grid.axes; k++) {
		uint32_t last = b->high[k] - b->low[k], stride = b->stride[k];
		bool is_strided = stride > 1 && (last > stride || line);
		size *= is_strided ? last / stride + 1 : last + 1;
		comparisons += line ? (uint32_t)1 + (stride > 1) : comparisons_of(b, k, v->grid.size[k]);
		inside = inside && is_where_inside(b, k, v->grid.size[k], move->along[k]);
	}
	comparisons = comparisons > b->inside ? b->inside : comparisons; /* a list of ranks instead */
	bool around = v->bits || (line && b->up && b->down);
	return GRID_MOVE + (around ? GRID_AROUND : 0) +
	       GRID_COMPARISON * (comparisons > 1 && !inside ? comparisons - 1 : 0) +
	       (size - b->inside) * GRID_MOVE / size;
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

/* Messages of one tag, and what they cost where the grid says nothing of them. */
struct lot {
	const struct grid_pair *pair;
	size_t pairs;
	uint64_t without_grid;
};

struct lots {
	struct lot *lot;
	size_t length;
	const struct grid_traffic *traffic; /* for its groups */
	/* room for what is counted */
	struct intern *moves;
	struct box *box;
};

/* Where both axes are as long: does it go to the process whose coordinates are these, exchanged, as
   in a transposition? */
static bool is_exchange(const struct grid_pair *p, const struct grid *g)
{
	uint32_t size = g->size[0];
	return g->axes == 2 && size == g->size[1] && p->from != p->to &&
	       p->to == p->from % size * size + p->from / size;
}

static bool have_exchange(const struct lot *lot, const struct grid *g)
{
	size_t exchanges = 0;
	for (size_t i = 0; i < lot->pairs; i++)
		exchanges += is_exchange(&lot->pair[i], g);
	return exchanges && exchanges == (size_t)g->size[0] * (g->size[0] - 1);
}

/* No less than `enough`, perhaps early, if it is not below. */
static uint64_t price_of_lot(struct lots *all, const struct lot *lot, const struct view *v, uint64_t enough)
{
	bool exchange = have_exchange(lot, &v->grid); /* all that there are: one move */
	uint64_t price = exchange ? GRID_MOVE : 0;
	intern_empty(all->moves);
	for (size_t i = 0; i < lot->pairs; i++) {
		struct move move = {{0}};
		if (exchange && is_exchange(&lot->pair[i], &v->grid))
			continue;
		uint32_t from = lot->pair[i].from, to = lot->pair[i].to, at[GRID_AXES], rank = from, known;
		for (uint32_t k = 0, other = to; k < v->grid.axes; k++) {
			uint32_t size = v->grid.size[k];
			at[k] = rank % size;
			move.along[k] = v->bits ? from ^ to : (other % size + size - at[k]) % size;
			rank /= size;
			other /= size;
		}
		known = intern_count(all->moves);
		if (!v->bits && (known + (uint64_t)1) * GRID_MOVE > enough &&
			intern_find(all->moves, &move, sizeof move) == INTERN_NONE)
			return enough;
		struct box *box = &all->box[intern_id(all->moves, &move, sizeof move)];
		if (intern_count(all->moves) > known)
			*box = (struct box){0};
		box_add(box, &v->grid, at);
		box->up |= to > from;
		box->down |= to < from;
	}
	uint32_t moves = intern_count(all->moves);
	bool butterfly = v->bits && moves >= BUTTERFLY_STEPS;
	for (uint32_t i = 0; i < moves; i++) {
		const struct move *move = intern_data(all->moves, i, NULL);
		price += price_of(move, &all->box[i], v);
		butterfly = butterfly && !(move->along[0] & (move->along[0] - 1));
	}
	price -= butterfly ? moves * GRID_AROUND : 0;
	return price < enough ? price : enough;
}

/* Along some axes all lines are one statement; a few of them are sets, as groups are that do not lie
   on the grid. The communicator is a formula of the other coordinates. */
static uint64_t price_of_groups(const struct grid_traffic *t, const struct grid *g)
{
	size_t lines[1 << GRID_AXES] = {0}, told = 0;
	uint64_t product[1 << GRID_AXES];
	uint32_t ranks = (uint32_t)grid_ranks(g), axes;
	for (size_t i = 0; i < t->groups; i++)
		if (grid_line_of(g, &t->group[i], &axes)) {
			lines[axes]++;
			product[axes] = ranks_count(&t->group[i]);
		}
	for (axes = 0; axes < 1 << GRID_AXES; axes++)
		told += lines[axes] && lines[axes] * product[axes] == ranks ? lines[axes] : 0;
	return (t->groups - told) * GRID_MOVE + (told && g->axes > 2 ? GRID_AXIS * (g->axes - 2) : 0);
}

static uint64_t score_of(struct lots *all, const struct grid *g, uint64_t enough)
{
	uint64_t score = GRID_AXIS * (g->axes - 1);
	uint32_t least = g->size[0], most = g->size[0];
	for (uint32_t k = 1; k < g->axes; k++) {
		least = g->size[k] < least ? g->size[k] : least;
		most = g->size[k] > most ? g->size[k] : most;
	}
	score += GRID_RATIO * (most - least) / most;
	score += price_of_groups(all->traffic, g);
	for (size_t i = 0; i < all->length && score < enough; i++) {
		const struct lot *lot = &all->lot[i];
		uint64_t beside = lot->without_grid + (g->axes > 1 ? GRID_BESIDE : 0);
		score += g->axes > 1 ? price_of_lot(all, lot, &(struct view){*g, false}, beside) : beside;
	}
	return score;
}

struct choice {
	struct lots *lots;
	uint64_t score;
	struct grid grid; /* axes 0: none so far */
};

/* All ways to write what is left as a product of the axes that are left, each 2 and more. */
static void try_sizes(struct choice *best, struct grid *g, uint32_t axis, uint32_t axes, uint32_t left)
{
	if (axis + 1 == axes) {
		g->axes = axes;
		g->size[axis] = left;
		uint64_t score = left > 1 ? score_of(best->lots, g, best->score) : UINT64_MAX;
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

static int by_tag(const void *a, const void *b)
{
	const struct grid_pair *x = a, *y = b;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

/* Where those of the first one's tag end. */
static size_t tag_end(const struct grid_pair *pair, size_t first, size_t pairs)
{
	size_t end = first + 1;
	while (end < pairs && pair[end].tag == pair[first].tag)
		end++;
	return end;
}

/* Do these of one tag name a process, to which all go, or from which all come, or two? They are the
   same on any grid. */
static bool name_processes(const struct grid_pair *pair, size_t pairs)
{
	bool from = true, to = true, two = true;
	for (size_t i = 1; i < pairs; i++) {
		const struct grid_pair *p = &pair[i], *first = &pair[0];
		from = from && p->from == first->from;
		to = to && p->to == first->to;
		two = two && (p->from == first->from || p->from == first->to) &&
		      (p->to == first->from || p->to == first->to);
	}
	return from || to || two;
}

/* The others, in the order of tags; the caller's. */
static struct grid_pair *without_named(const struct grid_traffic *t, size_t *length)
{
	struct grid_pair *pair = mem_copy(t->pair, t->pairs * sizeof *pair);
	*length = 0;
	if (t->pairs)
		qsort(pair, t->pairs, sizeof *pair, by_tag);
	for (size_t first = 0, end; first < t->pairs; first = end) {
		end = tag_end(pair, first, t->pairs);
		if (name_processes(pair + first, end - first))
			continue;
		memmove(pair + *length, pair + first, (end - first) * sizeof *pair);
		*length += end - first;
	}
	return pair;
}

static struct lots lots_new(const struct grid_traffic *t, struct grid_pair *pair, size_t pairs, uint32_t processes)
{
	struct lots all = {.lot = mem_array(pairs, sizeof *all.lot),
		.traffic = t,
		.moves = intern_new_keys(sizeof(struct move)),
		.box = mem_array(pairs + 1, sizeof *all.box)};
	struct view line = {{.axes = 1, .size = {processes}}, false}, bits = {line.grid, true};
	for (size_t first = 0, end; first < pairs; first = end) {
		end = tag_end(pair, first, pairs);
		struct lot *lot = &all.lot[all.length++];
		*lot = (struct lot){.pair = pair + first, .pairs = end - first};
		lot->without_grid = price_of_lot(&all, lot, &line, UINT64_MAX);
		lot->without_grid = price_of_lot(&all, lot, &bits, lot->without_grid);
	}
	return all;
}

bool grid_of(uint32_t processes, const struct grid_traffic *traffic, struct grid *grid)
{
	size_t pairs;
	struct grid_pair *pair = without_named(traffic, &pairs);
	struct lots lots = lots_new(traffic, pair, pairs, processes);
	struct choice best = {.lots = &lots, .score = UINT64_MAX};
	struct grid line = {.axes = 1, .size = {processes}}, g = {0};
	for (uint32_t axes = 2; axes <= AXES_MOST && (pairs || traffic->groups); axes++)
		try_sizes(&best, &g, 0, axes, processes);
	*grid = best.grid;
	bool better = best.grid.axes && best.score < score_of(&lots, &line, UINT64_MAX);
	intern_free(lots.moves);
	free(lots.lot);
	free(lots.box);
	free(pair);
	return better;
}
