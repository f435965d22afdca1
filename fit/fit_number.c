/*
 * fit_number.c -- a number is searched for as it is, a peer in several views, of which the shortest
 * is taken: as it is, by how much it is beyond p, on a ring of all processes, by which bits it
 * differs, and on the grid.
 */
#include "fit/fit_number.h"

#include <stdlib.h>
#include <string.h>

#include "ask/cost.h"
#include "base/gcd.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "fit/affine_fit.h"
#include "fit/limits.h"
#include "fit/search.h"

struct fit {
	struct store *store;
	uint32_t processes;
	struct grid grid;
	struct tables *tables;
	struct intern *found; /* struct fitted: most columns are said alike */
	bool formulas; /* are there no tables? */
};

struct fit *fit_new(struct store *store, uint32_t processes, const struct grid *g)
{
	struct fit *f = mem_zero(sizeof *f);
	f->store = store;
	f->processes = processes;
	f->grid = *g;
	f->tables = tables_new(store);
	f->found = intern_new();
	return f;
}

struct store *fit_store(const struct fit *f)
{
	return f->store;
}

void fit_without_tables(struct fit *f)
{
	f->formulas = true;
}

void fit_free(struct fit *f)
{
	if (!f)
		return;
	tables_free(f->tables);
	intern_free(f->found);
	free(f);
}

/* ------------------------------------------------------------------ numbers */

static void find_number(
	struct fit *f, const struct domain *d, enum fit_what what, const int64_t *number, struct found *found)
{
	static const char *const name[] = {[FIT_NUMBER] = "t",
		[FIT_TAG] = "tag",
		[FIT_SIZE] = "b",
		[FIT_COUNT] = "n",
		[FIT_DATA] = "t",
		[FIT_FORMULA] = ""};
	struct search s;
	search_begin(&s, d, f->tables, name[what]);
	s.unproven = what == FIT_DATA || what == FIT_FORMULA;
	s.digits = what != FIT_SIZE && !s.unproven;
	search_formula(&s, number, found);
	if (what == FIT_TAG || what == FIT_NUMBER)
		search_count(&s, number, found);
	if (!found->number && what != FIT_FORMULA && !f->formulas)
		search_table(&s, number, d->sources, found);
	search_end(&s);
}

static void find_condition(struct fit *f, const struct domain *d, const int64_t *number, struct found *found)
{
	struct search s;
	search_begin(&s, d, f->tables, "g");
	search_condition(&s, number, found);
	search_end(&s);
}

/* ------------------------------------------------------------------ peers */

/* Ties between views, where formulas are as short: p+1 before p^1 before (p+1)%P. */
enum way { WAY_OFFSET, WAY_RANK, WAY_XOR, WAY_RING };

static const struct view {
	enum way way;
	uint32_t price;
	bool down; /* of a ring, who is half of it away is behind */
} views[] = {
	{WAY_OFFSET, 0, false}, {WAY_RANK, 0, false}, {WAY_XOR, 5, false}, {WAY_RING, 10, false}, {WAY_RING, 11, true}};
#define VIEWS (sizeof views / sizeof *views)
#define PRICE_BITS 5 /* as of p^1 */

#define PRICE_GRID COST_AFFINE
#define PRICE_EXCHANGED 5 /* more, where a coordinate is not a constant away from itself */

struct peers {
	struct fit *fit;
	const struct domain *domain;
	const int64_t *rank;
	int64_t *seen[VIEWS];
	struct found best;
};

static int64_t seen_as(const struct peers *x, const struct view *view, size_t point)
{
	int64_t p = x->domain->points->process[point], rank = x->rank[point];
	switch (view->way) {
	case WAY_OFFSET:
		return rank - p;
	case WAY_XOR:
		return rank ^ p;
	case WAY_RING:
		return view->down ? -grid_nearest(p - rank, x->fit->processes)
				  : grid_nearest(rank - p, x->fit->processes);
	default:
		return rank;
	}
}

static void look(struct peers *x, size_t view)
{
	if (x->seen[view])
		return;
	x->seen[view] = mem_array(x->domain->count, sizeof *x->seen[view]);
	for (size_t i = 0; i < x->domain->count; i++)
		x->seen[view][i] = seen_as(x, &views[view], i);
}

/* The place that such a number tells. */
static node_id place_seen_as(const struct peers *x, enum way way, node_id number)
{
	struct store *s = x->fit->store;
	node_id own = number_variable(s, VARIABLE_P);
	switch (way) {
	case WAY_OFFSET:
		return number_add(s, own, number, 1);
	case WAY_XOR:
		return number_xor(s, number);
	case WAY_RING:
		return number_remainder(s, number_add(s, own, number, 1), number_constant(s, x->fit->processes));
	default:
		return number;
	}
}

static void take(struct peers *x, node_id place, uint32_t price, uint64_t total)
{
	if (place && (!x->best.number || total < x->best.total))
		x->best = (struct found){place, price, total};
}

static bool looks_up(const struct peers *x)
{
	return node_of(x->fit->store, x->best.number)->looks;
}

enum effort { EFFORT_AFFINE, EFFORT_FORMULA, EFFORT_TABLE };

/* A table of offsets on a ring holds those of the other end, too, where each is told by its
   opposite: of both the one is taken whose first number that has an opposite is positive. */
static bool is_opposed(const struct peers *x, size_t view)
{
	for (size_t i = 0; i < x->domain->count && views[view].way == WAY_RING; i++) {
		int64_t away = seen_as(x, &views[view], i);
		if (away && 2 * (away < 0 ? -away : away) != x->fit->processes)
			return away < 0;
	}
	return false;
}

/* What is relative to p is a function of indices alone, but for a table; of coordinates is only what
   stands on the grid. */
static void search_view(struct peers *x, size_t view, enum effort effort)
{
	const struct domain *d = x->domain;
	enum way way = views[view].way;
	uint32_t around = OF_INDICES;
	struct found found = {0};
	struct search s;
	bool opposed = effort == EFFORT_TABLE && is_opposed(x, view);
	if (effort == EFFORT_TABLE && way == WAY_RING && opposed != views[view].down)
		return;
	look(x, view);
	for (size_t i = 0; i < d->count && opposed; i++)
		x->seen[view][i] = -x->seen[view][i];
	search_begin(&s, d, x->fit->tables, "peer");
	s.sources &= way == WAY_RANK ? OF_P | around : around;
	if (effort == EFFORT_AFFINE)
		search_affine(&s, x->seen[view], &found);
	if (effort == EFFORT_AFFINE && way == WAY_RING && !found.number)
		search_around(&s, x->seen[view], x->fit->processes, &found);
	if (effort == EFFORT_FORMULA)
		search_formula(&s, x->seen[view], &found);
	if (effort == EFFORT_TABLE)
		search_table(&s, x->seen[view], way == WAY_RANK || way == WAY_OFFSET ? d->sources : d->sources & around,
			&found);
	search_end(&s);
	if (!found.number)
		return;
	if (opposed)
		found.number = number_add(s.store, number_constant(s.store, 0), found.number, -1);
	take(x, place_seen_as(x, way, found.number), found.price + views[view].price, found.total + views[view].price);
}

/* Whose rank differs in one bit: the steps of a butterfly go from bit to bit, as tags count. */
static void search_bits(struct peers *x)
{
	const struct domain *d = x->domain;
	int64_t *bit = mem_array(d->count, sizeof *bit);
	bool good = d->sources & OF_INDICES;
	for (size_t i = 0; i < d->count && good; i++) {
		uint64_t differ = (uint64_t)x->rank[i] ^ d->points->process[i];
		good = differ && !(differ & (differ - 1));
		bit[i] = good ? __builtin_ctzll(differ) : 0;
	}
	struct found found = {0};
	struct search s;
	search_begin(&s, d, x->fit->tables, "peer");
	s.sources &= OF_INDICES;
	if (good)
		search_affine(&s, bit, &found);
	if (good && !found.number)
		search_count(&s, bit, &found);
	search_end(&s);
	free(bit);
	if (!found.number)
		return;
	node_id power = number_power(s.store, number_constant(s.store, 2), found.number);
	take(x, number_xor(s.store, power), found.price + PRICE_BITS, found.total + PRICE_BITS);
}

static node_id grid_node(const struct peers *x, const struct linear *axis)
{
	struct store *s = x->fit->store;
	node_id coordinate[GRID_AXES];
	for (uint32_t k = 0; k < x->fit->grid.axes; k++)
		coordinate[k] = linear_node(s, &axis[k]);
	return number_grid(s, coordinate, x->fit->grid.axes);
}

/* Moves along axes, the same from all processes. */
static void search_moves(struct peers *x)
{
	const struct domain *d = x->domain;
	const struct grid *g = &d->environment.grid;
	struct linear axis[GRID_AXES] = {0};
	bool good = g->axes > 0, moves = false;
	uint32_t below = 1;
	for (uint32_t k = 0; k < g->axes && good; below *= g->size[k++]) {
		int64_t size = g->size[k], move = 0;
		for (size_t i = 0; i < d->count && good; i++) {
			int64_t by = (x->rank[i] / below + size - d->points->process[i] / below % size) % size;
			good = !i || by == move;
			move = by;
		}
		axis[k].constant = grid_nearest(move, g->size[k]);
		/* where there are two, the one below is before */
		if (2 * move == size && d->points->process[0] / below % size >= move && !d->source[SOURCE_AXIS + k])
			axis[k].constant = -move;
		axis[k].factor[SOURCE_AXIS + k] = 1;
		moves = moves || move;
	}
	if (good && moves)
		take(x, grid_node(x, axis), 0, 0);
}

/* Two coordinates exchanged: on a grid of 2 by 2, too, where each of them follows no law that two
   numbers could tell. */
static void search_exchange(struct peers *x)
{
	const struct domain *d = x->domain;
	const struct grid *g = &d->environment.grid;
	for (uint32_t a = 0; a < g->axes; a++)
		for (uint32_t b = a + 1; b < g->axes; b++) {
			struct linear axis[GRID_AXES] = {0};
			bool good =
				g->size[a] == g->size[b] && d->source[SOURCE_AXIS + a] && d->source[SOURCE_AXIS + b];
			for (uint32_t k = 0; k < g->axes; k++)
				axis[k].factor[SOURCE_AXIS + (k == a ? b : k == b ? a : k)] = 1;
			node_id place = good ? grid_node(x, axis) : NODE_NONE;
			if (good && domain_proves(d, x->rank, place))
				take(x, place, PRICE_GRID + 2 * PRICE_EXCHANGED, PRICE_GRID + 2 * PRICE_EXCHANGED);
		}
}

/* The constant as it is best read: beside a coordinate as a move, alone as a coordinate. */
static void settle_coordinate(struct linear *a, uint32_t size)
{
	bool alone = true;
	for (int k = 0; k < SOURCE_INDEX; k++)
		alone = alone && !a->factor[k];
	a->constant = alone ? modulo(a->constant, size) : grid_nearest(a->constant, size);
}

/* Coordinates as functions of coordinates and indices; false: one of them is none. */
static void search_grid(struct peers *x, uint32_t sources)
{
	const struct domain *d = x->domain;
	const struct grid *g = &d->environment.grid;
	struct linear axis[GRID_AXES] = {0};
	int64_t *to = mem_array(d->count, sizeof *to);
	uint32_t below = 1, price = PRICE_GRID;
	bool good = g->axes > 0;
	for (uint32_t k = 0; k < g->axes && good; below *= g->size[k++]) {
		const int64_t *own = d->source[SOURCE_AXIS + k];
		struct linear a;
		for (size_t i = 0; i < d->count; i++)
			to[i] = x->rank[i] / below % g->size[k];
		for (size_t i = 0; i < d->count && own; i++)
			to[i] -= own[i];
		good = affine_find_modulo(d, to, 0, g->size[k], &a) ||
		       (sources & OF_INDICES && affine_find_modulo(d, to, sources & OF_INDICES, g->size[k], &a));
		price += good && linear_terms(&a) ? PRICE_EXCHANGED : 0;
		a.factor[SOURCE_AXIS + k] += own && good;
		if (!good && sources) {
			for (size_t i = 0; i < d->count && own; i++)
				to[i] += own[i];
			good = affine_find_modulo(d, to, 0, g->size[k], &a) ||
			       affine_find_modulo(d, to, sources, g->size[k], &a);
			price += PRICE_EXCHANGED;
		}
		if (good)
			settle_coordinate(&a, g->size[k]);
		axis[k] = a;
	}
	if (good)
		take(x, grid_node(x, axis), price, price);
	free(to);
}

/* Where each point goes along an axis, as seen from its process; without a grid: along the line of
   ranks. around: the shorter way. */
static void offsets_along(const struct peers *x, uint32_t below, uint32_t size, bool around, int64_t *to)
{
	for (size_t i = 0; i < x->domain->count; i++) {
		int64_t move = x->rank[i] / below % size - x->domain->points->process[i] / below % size;
		to[i] = around ? grid_nearest(move, size) : move;
	}
}

/* What is added to a coordinate, or a rank: one number, or an entry of a table; NODE_NONE: the
   variable does not tell. */
static node_id offset_node(
	const struct search *s, const struct variable *v, const char *name, const int64_t *to, bool *looks)
{
	struct cells c;
	node_id argument = variable_node(s, v), offset = NODE_NONE;
	if (!cells_make(&c, s->domain, to, &v, 1))
		return NODE_NONE;
	*looks = !column_is_constant(c.number, c.count);
	node_id table = *looks ? tabulate(s->tables, name, &c) : NODE_NONE;
	if (table)
		offset = number_entry(s->store, table, &argument, 1);
	else if (!*looks)
		offset = number_constant(s->store, to[0]);
	cells_clear(&c);
	return offset;
}

/* A table of offsets for each axis, by one index. */
static void search_offsets_by(struct peers *x, const struct search *s, const struct variable *v, bool around)
{
	static const char *const name[] = {"dx", "dy", "dz", "dw"};
	const struct domain *d = x->domain;
	const struct grid *g = &d->environment.grid;
	int64_t *to = mem_array(d->count, sizeof *to);
	node_id place = NODE_NONE, coordinate[GRID_AXES];
	uint32_t below = 1, price = PRICE_GRID;
	bool good = true, looks;
	for (uint32_t k = 0; k < g->axes && good; below *= g->size[k++]) {
		offsets_along(x, below, g->size[k], around, to);
		node_id offset = offset_node(s, v, name[k], to, &looks);
		coordinate[k] = number_add(s->store, source_node(s->store, SOURCE_AXIS + (int)k), offset, 1);
		good = offset;
		price += good && looks ? COST_LOOKUP : 0;
	}
	if (g->axes && good)
		place = number_grid(s->store, coordinate, g->axes);
	if (!g->axes) {
		offsets_along(x, 1, x->fit->processes, around, to);
		place = place_seen_as(x, WAY_OFFSET, offset_node(s, v, "d", to, &looks));
		price += COST_LOOKUP;
	}
	free(to);
	if (!place || !node_of(s->store, place)->looks)
		return;
	uint64_t total = price;
	for (uint32_t k = 0; g->axes && number_table(s->store, place, k); k++)
		total += table_price(s->store, s->tables, number_table(s->store, place, k));
	take(x, place, price, total);
}

static void search_offsets(struct peers *x, bool around)
{
	struct search s;
	search_begin(&s, x->domain, x->fit->tables, "");
	search_variables(&s);
	for (uint32_t k = s.simple; k-- > 0;)
		if (s.variable[k].sources & OF_INDICES)
			search_offsets_by(x, &s, &s.variable[k], around);
	search_end(&s);
}

/* From cheap to dear, until the next kind cannot be cheaper. */
static void find_peer(struct peers *x)
{
	bool alone = !(x->domain->sources & OF_P); /* one process: then its peers are named */
	const size_t order[] = {alone ? 1 : 0, alone ? 0 : 1, 2, 3, 4};
	if (!alone)
		search_moves(x);
	for (size_t k = 0; k < VIEWS; k++)
		if (!x->best.number || x->best.total > views[order[k]].price)
			search_view(x, order[k], EFFORT_AFFINE);
	if (!alone && (!x->best.number || x->best.total > COST_AFFINE + PRICE_BITS))
		search_bits(x);
	if (!x->best.number || x->best.total > PRICE_GRID)
		search_grid(x, 0);
	if (!x->best.number)
		search_exchange(x);
	if (!x->best.number || x->best.total > PRICE_GRID + PRICE_EXCHANGED)
		search_grid(x, OF_AXES | OF_INDICES);
	if (x->best.number && !domain_proves(x->domain, x->rank, x->best.number))
		x->best = (struct found){0};
	if (!x->best.number)
		for (size_t k = 0; k < VIEWS; k++)
			search_view(x, order[k], EFFORT_FORMULA);
	if (!x->best.number && x->fit->grid.axes && !x->fit->formulas)
		search_offsets(x, true);
	/* tables that ask for the rank hold ranks as well as offsets: then ranks */
	if ((!x->best.number || looks_up(x)) && !x->fit->formulas)
		for (size_t k = 0; k < (alone ? 1 : VIEWS); k++)
			search_view(x, k ? k == 1 ? 0 : k : 1, EFFORT_TABLE);
}

/* ------------------------------------------------------------------ in public */

/* Equal ones once. */
static void add_tables(const struct fit *f, struct fitted *one)
{
	for (uint32_t k = 0; number_table(f->store, one->number, k); k++) {
		node_id table = number_table(f->store, one->number, k);
		struct fitted_table *to = one->table;
		while (to->table && to->table != table)
			to++;
		*to = (struct fitted_table){table, (uint32_t)table_price(f->store, f->tables, table)};
	}
}

static struct found find_place(struct fit *f, enum fit_what what, const struct domain *d, const int64_t *rank)
{
	struct peers x = {.fit = f, .domain = d, .rank = rank};
	if (what == FIT_PEER)
		find_peer(&x);
	else
		search_offsets(&x, false);
	for (size_t k = 0; k < VIEWS; k++)
		free(x.seen[k]);
	return x.best;
}

/* {i0} in {3,17,40} */
static bool is_among(const struct fit *f, node_id number)
{
	const struct node *n = node_of(f->store, number);
	return n->kind == NODE_TEST && n->sub >= NODE_TEST_AMONG;
}

static bool asks_table(const struct fit *f, node_id number)
{
	return node_of(f->store, number)->looks || is_among(f, number);
}

static struct found fit_all(struct fit *, enum fit_what, const struct fit_points *);

static bool is_right(const struct fit *f, node_id number, const struct fit_points *points)
{
	int64_t index[INDEX_DEPTH], is;
	struct environment e = points_environment(f->store, f->processes, &f->grid, index);
	for (size_t i = 0; i < points->count; i++)
		if (!points_number(&e, points, i, number, &is) || is != points->number[i])
			return false;
	return true;
}

/* Some points of others. */
struct some_points {
	struct fit_points points;
	uint32_t *process;
	int64_t *number, *index;
};

static struct some_points some_of(const struct fit_points *from)
{
	struct some_points some = {.process = mem_array(from->count, sizeof *some.process),
		.number = mem_array(from->count, sizeof *some.number),
		.index = mem_array(from->count * from->lives, sizeof *some.index)};
	some.points =
		(struct fit_points){some.process, some.index, some.number, 0, from->live, from->lives, from->name};
	return some;
}

/* Where there are none, something still. */
static const int64_t *indices_at(const struct fit_points *points, size_t at)
{
	static const int64_t none;
	return points->lives ? points->index + at * points->lives : &none;
}

static void some_add(struct some_points *to, const struct fit_points *from, size_t at)
{
	size_t lives = from->lives, count = to->points.count++;
	to->process[count] = from->process[at];
	to->number[count] = from->number[at];
	if (lives)
		memcpy(to->index + count * lives, indices_at(from, at), lives * sizeof *to->index);
}

/* By indices alone. False: others have another number there. */
static bool some_add_once(struct some_points *to, struct intern *indices, const struct fit_points *from, size_t at)
{
	uint32_t known = intern_count(indices),
		 id = intern_id(indices, indices_at(from, at), from->lives * sizeof *from->index);
	if (id < known)
		return to->number[id] == from->number[at];
	some_add(to, from, at);
	to->process[id] = 0;
	return true;
}

static void some_clear(struct some_points *some)
{
	free(some->process);
	free(some->number);
	free(some->index);
}

static bool are_several(const struct fit_points *points)
{
	size_t i = 0;
	while (i < points->count && points->process[i] == points->process[0])
		i++;
	return i < points->count;
}

/* Those that are 0, or not: of one process? Or, at the same indices, of one each? */
static bool are_alone(const struct fit_points *points, bool nonzero, bool *same)
{
	struct intern *all = intern_new(), *own = intern_new();
	uint32_t of = UINT32_MAX, count = 0;
	*same = true;
	for (size_t i = 0; i < points->count; i++) {
		const int64_t *index = indices_at(points, i);
		intern_id(all, index, points->lives * sizeof *index);
		if (!points->number[i] == nonzero)
			continue;
		*same = *same && (of == UINT32_MAX || of == points->process[i]);
		of = points->process[i];
		intern_id(own, index, points->lives * sizeof *index);
		count++;
	}
	bool alone = count && (*same || (count == intern_count(own) && count == intern_count(all)));
	intern_free(all);
	intern_free(own);
	return alone;
}

/* Which process that is: a number, or a function of indices. */
static node_id process_of(struct fit *f, const struct fit_points *points, bool nonzero)
{
	struct some_points alone = some_of(points);
	for (size_t i = 0; i < points->count; i++)
		if (!points->number[i] != nonzero) {
			some_add(&alone, points, i);
			alone.number[alone.points.count - 1] = points->process[i];
			alone.process[alone.points.count - 1] = 0;
		}
	struct found found = fit_all(f, FIT_NUMBER, &alone.points);
	some_clear(&alone);
	return found.number && !asks_table(f, found.number) ? found.number : NODE_NONE;
}

static bool has_zero(const struct fit_points *points)
{
	size_t i = 0;
	while (i < points->count && points->number[i])
		i++;
	return i < points->count;
}

/* {40 at 0}, {40 not at i0}: what stands there, or elsewhere, is the same for whoever it is. */
static struct found fit_at_process(struct fit *f, enum fit_what what, const struct fit_points *points)
{
	struct found found = {0};
	bool size = what == FIT_SIZE || what == FIT_DATA || what == FIT_FORMULA, same, there = false;
	if (!size || !has_zero(points) || !are_several(points) ||
		(!(there = are_alone(points, true, &same)) && !are_alone(points, false, &same)))
		return found;
	node_id process = process_of(f, points, there);
	int64_t one;
	bool known = same && process && number_is_constant(f->store, process, &one);
	struct some_points some = some_of(points);
	struct intern *indices = intern_new();
	bool good = process;
	for (size_t i = 0; i < points->count && good; i++)
		if (known ? (points->process[i] == one) == there : points->number[i] != 0)
			good = some_add_once(&some, indices, points, i);
	if (good && some.points.count)
		found = fit_all(f, what, &some.points);
	intern_free(indices);
	some_clear(&some);
	if (found.number)
		found.number = number_at_process(f->store, found.number, process, there);
	if (found.number && !is_right(f, found.number, points))
		found.number = NODE_NONE;
	return found;
}

static struct found fit_all(struct fit *f, enum fit_what what, const struct fit_points *points)
{
	bool place = what == FIT_PEER || what == FIT_NEIGHBOUR;
	struct found found = {0};
	struct domain d;
	if (!points->count || (!place && column_is_constant(points->number, points->count))) {
		found.number = number_constant(f->store, points->count && !place ? points->number[0] : 0);
		return found;
	}
	struct found at_process = fit_at_process(f, what, points);
	if (at_process.number && !asks_table(f, at_process.number))
		return at_process;
	domain_make(&d, f->store, f->processes, &f->grid, points);
	if (place)
		found = find_place(f, what, &d, points->number);
	else if (what == FIT_CONDITION)
		find_condition(f, &d, points->number, &found);
	else
		find_number(f, &d, what, points->number, &found);
	domain_clear(&d);
	if (at_process.number && (!found.number || at_process.total <= found.total))
		found = at_process;
	if (f->formulas && asks_table(f, found.number))
		found.number = NODE_NONE;
	return found;
}

bool fit_is_inside(const struct fit *f, node_id place, const struct fit_points *points)
{
	int64_t index[INDEX_DEPTH];
	struct environment e = points_environment(f->store, f->processes, &f->grid, index);
	bool good = true;
	for (size_t i = 0; i < points->count && good; i++) {
		points_move(&e, points, i);
		bool inside = place_is_in(&e, place);
		good = !e.failure && inside == points->number[i];
	}
	return good;
}

/* The axes; without a grid the line of all ranks is one. */
static uint32_t line_axes(const struct fit *f, uint32_t *size)
{
	size[0] = f->processes;
	for (uint32_t k = 0; k < f->grid.axes; k++)
		size[k] = f->grid.size[k];
	return f->grid.axes ? f->grid.axes : 1;
}

struct fit_offset fit_offset(const struct fit *f, uint32_t from, uint32_t to)
{
	struct fit_offset offset = {0};
	uint32_t size[GRID_AXES], axes = line_axes(f, size);
	for (uint32_t k = 0; k < axes; from /= size[k], to /= size[k], k++)
		offset.axis[k] = (int64_t)(to % size[k]) - from % size[k];
	return offset;
}

bool fit_has_offset(const struct fit *f, uint32_t from, const struct fit_offset *offset)
{
	uint32_t size[GRID_AXES], axes = line_axes(f, size);
	bool inside = true;
	for (uint32_t k = 0; k < axes; from /= size[k++]) {
		int64_t at = from % size[k] + offset->axis[k];
		inside = inside && at >= 0 && at < size[k];
	}
	return inside;
}

/* One in so many points, wherever they stand: rows and columns keep some each. What is no formula
   of them is none of all; NODE_NONE: all have to be looked at. */
static struct found fit_few(struct fit *f, enum fit_what what, const struct fit_points *points)
{
	uint64_t each = points->count / SAMPLE_FIRST;
	struct some_points few = some_of(points);
	for (size_t i = 0; i < points->count; i++)
		if (hash_mix(i) % each == 0)
			some_add(&few, points, i);
	struct found found = fit_all(f, what, &few.points);
	some_clear(&few);
	if (found.number && (asks_table(f, found.number) || !is_right(f, found.number, points)))
		found.number = NODE_NONE;
	return found;
}

/* With its tables; of all nodes that were made on the way these stay. */
static const struct fitted *keep(struct fit *f, const struct found *found, struct store_mark mark)
{
	struct fitted one = {.number = found->number, .price = found->price};
	node_id kept[1 + GRID_AXES] = {one.number};
	add_tables(f, &one);
	for (int k = 0; k < GRID_AXES; k++)
		kept[1 + k] = one.table[k].table;
	store_release(f->store, mark, kept, sizeof kept / sizeof *kept);
	one.number = kept[0];
	for (int k = 0; k < GRID_AXES; k++)
		one.table[k].table = kept[1 + k];
	return intern_data(f->found, intern_id(f->found, &one, sizeof one), NULL);
}

const struct fitted *fit_points(struct fit *f, enum fit_what what, const struct fit_points *points)
{
	struct store_mark mark = store_mark(f->store);
	struct found found = {0};
	tables_call(f->tables, points->name);
	if (points->count >= SAMPLE_GROWTH * SAMPLE_FIRST)
		found = fit_few(f, what, points);
	if (!found.number)
		found = fit_all(f, what, points);
	return keep(f, &found, mark);
}
