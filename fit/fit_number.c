/*
 * fit_number.c -- a number is searched for as it is, a peer in several views, of which the shortest
 * is taken: as it is, by how much it is beyond p, on a ring of all processes, by which bits it
 * differs, and on the grid.
 */
#include "fit/fit_number.h"

#include <stdlib.h>
#include <string.h>

#include "ask/cost.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "fit/affine_fit.h"
#include "fit/limits.h"
#include "fit/search.h"
#include "fit/value_nodes.h"

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
	f->tables = tables_new();
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
	if (!found->any && what != FIT_FORMULA)
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
static const struct view {
	enum place_kind kind;
	uint32_t price;
	bool down; /* of a ring, who is half of it away is behind */
} views[] = {{PLACE_OFFSET, 0, false}, {PLACE_NUMBER, 0, false}, {PLACE_XOR, 5, false}, {PLACE_RING, 10, false},
	{PLACE_RING, 11, true}};
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
	struct place place;
	uint32_t price;
	uint64_t total;
};

static int64_t seen_as(const struct peers *x, const struct view *view, size_t point)
{
	int64_t p = x->domain->process[point], rank = x->rank[point];
	switch (view->kind) {
	case PLACE_OFFSET:
		return rank - p;
	case PLACE_XOR:
		return rank ^ p;
	case PLACE_RING:
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

static void take(struct peers *x, const struct place *place, const struct found *found, uint32_t price, uint64_t total)
{
	if (x->best.any && x->total <= total)
		return;
	x->best = *found;
	x->best.any = true;
	x->place = *place;
	x->price = price;
	x->total = total;
}

enum effort { EFFORT_AFFINE, EFFORT_FORMULA, EFFORT_TABLE };

/* A table of offsets on a ring holds those of the other end, too, where each is told by its
   opposite: of both the one is taken whose first number that has an opposite is positive. */
static bool is_opposed(const struct peers *x, size_t view)
{
	for (size_t i = 0; i < x->domain->count && views[view].kind == PLACE_RING; i++) {
		int64_t away = seen_as(x, &views[view], i);
		if (away && 2 * (away < 0 ? -away : away) != x->fit->processes)
			return away < 0;
	}
	return false;
}

/* {p+1+i0}, which is written p+1+i0. */
static bool is_offset(const struct place *p)
{
	const struct value *v = &p->value;
	return p->kind == PLACE_NUMBER && v->plain.p == 1 && value_is_quasi_affine(v) && !v->remainder[0].modulus;
}

/* What is relative to p is a function of indices alone, but for a table; of coordinates is only what
   stands on the grid. */
static void search_view(struct peers *x, size_t view, enum effort effort)
{
	const struct domain *d = x->domain;
	enum place_kind kind = views[view].kind;
	uint32_t around = OF_INDICES;
	struct found found = {0};
	struct search s;
	bool opposed = effort == EFFORT_TABLE && is_opposed(x, view);
	if (effort == EFFORT_TABLE && kind == PLACE_RING && opposed != views[view].down)
		return;
	look(x, view);
	for (size_t i = 0; i < d->count && opposed; i++)
		x->seen[view][i] = -x->seen[view][i];
	search_begin(&s, d, x->fit->tables, "peer");
	s.sources &= kind == PLACE_NUMBER ? OF_P | around : around;
	if (effort == EFFORT_AFFINE)
		search_affine(&s, x->seen[view], &found);
	if (effort == EFFORT_AFFINE && kind == PLACE_RING && !found.any)
		search_around(&s, x->seen[view], x->fit->processes, &found);
	if (effort == EFFORT_FORMULA)
		search_formula(&s, x->seen[view], &found);
	if (effort == EFFORT_TABLE)
		search_table(&s, x->seen[view],
			kind == PLACE_NUMBER || kind == PLACE_OFFSET ? d->sources : d->sources & around, &found);
	search_end(&s);
	if (!found.any)
		return;
	if (opposed)
		value_oppose(&found.value);
	struct place place = {
		.kind = kind, .modulus = kind == PLACE_RING ? x->fit->processes : 0, .value = found.value};
	if (is_offset(&place)) {
		place.kind = PLACE_OFFSET;
		place.value.plain.p = 0;
	}
	take(x, &place, &found, found.price + views[view].price, found.total + views[view].price);
}

/* Whose rank differs in one bit: the steps of a butterfly go from bit to bit, as tags count. */
static void search_bits(struct peers *x)
{
	const struct domain *d = x->domain;
	int64_t *bit = mem_array(d->count, sizeof *bit);
	bool good = d->sources & OF_INDICES;
	for (size_t i = 0; i < d->count && good; i++) {
		uint64_t differ = (uint64_t)x->rank[i] ^ d->process[i];
		good = differ && !(differ & (differ - 1));
		bit[i] = good ? __builtin_ctzll(differ) : 0;
	}
	struct found found = {0};
	struct search s;
	search_begin(&s, d, x->fit->tables, "peer");
	s.sources &= OF_INDICES;
	if (good)
		search_affine(&s, bit, &found);
	if (good && !found.any)
		search_count(&s, bit, &found);
	search_end(&s);
	free(bit);
	if (!found.any)
		return;
	struct place place = {.kind = PLACE_XOR};
	place.value.power[0] = (struct power){.base = 2, .factor = 1, .exponent = found.value.plain};
	take(x, &place, &found, found.price + PRICE_BITS, found.total + PRICE_BITS);
}

/* Moves along axes, the same from all processes. */
static void search_moves(struct peers *x)
{
	const struct domain *d = x->domain;
	const struct grid *g = d->grid;
	struct place place = {.kind = PLACE_GRID};
	bool good = g->axes > 0, moves = false;
	uint32_t below = 1;
	for (uint32_t k = 0; k < g->axes && good; below *= g->size[k++]) {
		int64_t size = g->size[k], move = 0;
		for (size_t i = 0; i < d->count && good; i++) {
			int64_t by = (x->rank[i] / below + size - d->process[i] / below % size) % size;
			good = !i || by == move;
			move = by;
		}
		place.axis[k].constant = grid_nearest(move, g->size[k]);
		/* where there are two, the one below is before */
		if (2 * move == size && d->process[0] / below % size >= move && !d->source[SOURCE_AXIS + k])
			place.axis[k].constant = -move;
		place.axis[k].axis[k] = 1;
		moves = moves || move;
	}
	if (good && moves)
		take(x, &place, &(struct found){0}, 0, 0);
}

/* Two coordinates exchanged: on a grid of 2 by 2, too, where each of them follows no law that two
   numbers could tell. */
static void search_exchange(struct peers *x)
{
	const struct domain *d = x->domain;
	const struct grid *g = d->grid;
	for (uint32_t a = 0; a < g->axes; a++)
		for (uint32_t b = a + 1; b < g->axes; b++) {
			struct place place = {.kind = PLACE_GRID};
			bool good =
				g->size[a] == g->size[b] && d->source[SOURCE_AXIS + a] && d->source[SOURCE_AXIS + b];
			for (uint32_t k = 0; k < g->axes; k++)
				place.axis[k].axis[k == a ? b : k == b ? a : k] = 1;
			for (size_t i = 0; i < d->count && good; i++) {
				struct spot spot = grid_spot(g, d->process[i]);
				good = place_at(&place, g, &spot) == x->rank[i];
			}
			if (good)
				take(x, &place, &(struct found){0}, PRICE_GRID + 2 * PRICE_EXCHANGED,
					PRICE_GRID + 2 * PRICE_EXCHANGED);
		}
}

/* Coordinates as functions of coordinates and indices; false: one of them is none. */
static void search_grid(struct peers *x, uint32_t sources)
{
	const struct domain *d = x->domain;
	const struct grid *g = d->grid;
	struct place place = {.kind = PLACE_GRID};
	int64_t *to = mem_array(d->count, sizeof *to);
	uint32_t below = 1, price = PRICE_GRID;
	bool good = g->axes > 0;
	for (uint32_t k = 0; k < g->axes && good; below *= g->size[k++]) {
		const int64_t *own = d->source[SOURCE_AXIS + k];
		struct affine a;
		for (size_t i = 0; i < d->count; i++)
			to[i] = x->rank[i] / below % g->size[k];
		for (size_t i = 0; i < d->count && own; i++)
			to[i] -= own[i];
		good = affine_find_modulo(d, to, 0, g->size[k], &a) ||
		       (sources & OF_INDICES && affine_find_modulo(d, to, sources & OF_INDICES, g->size[k], &a));
		price += good && affine_terms(&a) ? PRICE_EXCHANGED : 0;
		a.axis[k] += own && good;
		if (!good && sources) {
			for (size_t i = 0; i < d->count && own; i++)
				to[i] += own[i];
			good = affine_find_modulo(d, to, 0, g->size[k], &a) ||
			       affine_find_modulo(d, to, sources, g->size[k], &a);
			price += PRICE_EXCHANGED;
		}
		if (good)
			place.axis[k] = grid_coordinate(&a, g->size[k]);
	}
	if (good)
		take(x, &place, &(struct found){0}, price, price);
	free(to);
}

/* Where each point goes along an axis, as seen from its process; without a grid: along the line of
   ranks. around: the shorter way. */
static void offsets_along(const struct peers *x, uint32_t below, uint32_t size, bool around, int64_t *to)
{
	for (size_t i = 0; i < x->domain->count; i++) {
		int64_t move = x->rank[i] / below % size - x->domain->process[i] / below % size;
		to[i] = around ? grid_nearest(move, size) : move;
	}
}

static bool tabulate_offsets(
	struct peers *x, const struct variable *v, const char *name, const int64_t *to, const struct table **table)
{
	struct cells c;
	if (!cells_make(&c, x->domain, to, &v, 1))
		return false;
	*table = column_is_constant(c.number, c.count) ? NULL : tabulate(x->fit->tables, name, &c);
	bool good = *table || column_is_constant(c.number, c.count);
	cells_clear(&c);
	return good;
}

/* A table of offsets for each axis, by one index. */
static void search_offsets_by(struct peers *x, const struct variable *v, bool around)
{
	static const char *const name[] = {"dx", "dy", "dz", "dw"};
	const struct domain *d = x->domain;
	const struct grid *g = d->grid;
	struct place place = {.kind = g->axes ? PLACE_GRID : PLACE_OFFSET};
	int64_t *to = mem_array(d->count, sizeof *to);
	bool good = true;
	uint32_t below = 1, price = PRICE_GRID;
	for (uint32_t k = 0; k < g->axes && good; below *= g->size[k++]) {
		offsets_along(x, below, g->size[k], around, to);
		good = tabulate_offsets(x, v, name[k], to, &place.offset[k]);
		place.axis[k].constant = place.offset[k] ? 0 : to[0];
		place.axis[k].axis[k] = 1;
		price += place.offset[k] ? COST_LOOKUP : 0;
	}
	if (g->axes) {
		place.at = v->as.inside;
	} else {
		offsets_along(x, 1, x->fit->processes, around, to);
		place.value.lookup = (struct lookup){.factor = 1, .argument[0] = v->as};
		good = tabulate_offsets(x, v, "d", to, &place.value.lookup.table);
		price += COST_LOOKUP;
	}
	free(to);
	if (!good || !place_asks_table(&place))
		return;
	uint64_t total = price;
	for (uint32_t k = 0; k < g->axes; k++)
		total += table_price(x->fit->tables, place.offset[k]);
	take(x, &place, &(struct found){0}, price, total);
}

static void search_offsets(struct peers *x, bool around)
{
	struct search s;
	search_begin(&s, x->domain, x->fit->tables, "");
	search_variables(&s);
	for (uint32_t k = s.simple; k-- > 0;)
		if (s.variable[k].sources & OF_INDICES)
			search_offsets_by(x, &s.variable[k], around);
	search_end(&s);
}

/* Does it name the rank at every point? */
static bool is_proven(const struct peers *x)
{
	const struct domain *d = x->domain;
	int64_t index[INDEX_DEPTH];
	for (size_t i = 0; i < d->count; i++) {
		struct spot spot = domain_spot(d, i, index);
		if (place_at(&x->place, d->grid, &spot) != x->rank[i])
			return false;
	}
	return true;
}

/* From cheap to dear, until the next kind cannot be cheaper. */
static void find_peer(struct peers *x)
{
	bool alone = !(x->domain->sources & OF_P); /* one process: then its peers are named */
	const size_t order[] = {alone ? 1 : 0, alone ? 0 : 1, 2, 3, 4};
	if (!alone)
		search_moves(x);
	for (size_t k = 0; k < VIEWS; k++)
		if (!x->best.any || x->total > views[order[k]].price)
			search_view(x, order[k], EFFORT_AFFINE);
	if (!alone && (!x->best.any || x->total > COST_AFFINE + PRICE_BITS))
		search_bits(x);
	if (!x->best.any || x->total > PRICE_GRID)
		search_grid(x, 0);
	if (!x->best.any)
		search_exchange(x);
	if (!x->best.any || x->total > PRICE_GRID + PRICE_EXCHANGED)
		search_grid(x, OF_AXES | OF_INDICES);
	if (x->best.any && !is_proven(x))
		x->best = (struct found){0};
	if (!x->best.any)
		for (size_t k = 0; k < VIEWS; k++)
			search_view(x, order[k], EFFORT_FORMULA);
	if (!x->best.any && x->domain->grid->axes)
		search_offsets(x, true);
	/* tables that ask for the rank hold ranks as well as offsets: then ranks */
	if (!x->best.any || place_asks_table(&x->place))
		for (size_t k = 0; k < (alone ? 1 : VIEWS); k++)
			search_view(x, k ? k == 1 ? 0 : k : 1, EFFORT_TABLE);
}

/* ------------------------------------------------------------------ in public */

static const struct fitted *keep(struct fit *f, const struct fitted *one)
{
	return intern_data(f->found, intern_id(f->found, one, sizeof *one), NULL);
}

static void add_table(struct fit *f, struct fitted *one, const char *name, const struct table *table)
{
	struct fitted_table *to = one->table;
	node_id id = tables_node(f->tables, f->store, name, table);
	while (to->table && to->table != id)
		to++;
	*to = (struct fitted_table){id, (uint32_t)table_price(f->tables, table)};
}

static bool is_place(enum fit_what what)
{
	return what == FIT_PEER || what == FIT_NEIGHBOUR;
}

static const struct fitted *fit_place(struct fit *f, enum fit_what what, const struct fit_points *points)
{
	struct fitted one = {0};
	struct domain d;
	domain_make(&d, f->processes, &f->grid, points);
	struct peers x = {.fit = f, .domain = &d, .rank = points->number};
	if (what == FIT_PEER)
		find_peer(&x);
	else
		search_offsets(&x, false);
	for (size_t k = 0; k < VIEWS; k++)
		free(x.seen[k]);
	domain_clear(&d);
	for (int k = 0; x.best.any && x.place.kind != PLACE_GRID && value_lookup(&x.place.value, k); k++)
		add_table(f, &one, points->name, value_lookup(&x.place.value, k)->table);
	for (uint32_t k = 0; x.best.any && k < GRID_AXES && x.place.kind == PLACE_GRID; k++)
		if (x.place.offset[k])
			add_table(f, &one, points->name, x.place.offset[k]);
	if (x.best.any && !(f->formulas && one.table->table))
		one.number = node_of_place(f->store, f->tables, points->name, &f->grid, &x.place);
	one.price = x.price;
	return keep(f, &one);
}

static const struct fitted *fit_value(struct fit *f, enum fit_what what, const struct fit_points *points)
{
	struct fitted one = {0};
	struct domain d;
	struct found found = {0};
	domain_make(&d, f->processes, &f->grid, points);
	if (what == FIT_CONDITION)
		find_condition(f, &d, points->number, &found);
	else
		find_number(f, &d, what, points->number, &found);
	domain_clear(&d);
	for (int k = 0; value_lookup(&found.value, k); k++)
		add_table(f, &one, points->name, value_lookup(&found.value, k)->table);
	if (found.any && !(f->formulas && (one.table->table || found.value.among)))
		one.number = node_of_value(f->store, f->tables, points->name, &found.value);
	one.price = found.price;
	return keep(f, &one);
}

static const struct fitted *fit_all(struct fit *f, enum fit_what what, const struct fit_points *points)
{
	bool place = is_place(what);
	if (!points->count || (!place && column_is_constant(points->number, points->count))) {
		int64_t number = points->count && !place ? points->number[0] : 0;
		return keep(f, &(struct fitted){.number = number_constant(f->store, number)});
	}
	return place ? fit_place(f, what, points) : fit_value(f, what, points);
}

/* ------------------------------------------------------------------ what nodes come to */

/* An environment for points, whose indices are there as far as they are told. */
static struct environment environment_of(const struct fit *f, int64_t *index)
{
	memset(index, 0, INDEX_DEPTH * sizeof *index);
	return (struct environment){
		.store = f->store, .processes = f->processes, .grid = f->grid, .index = index, .depth = INDEX_DEPTH};
}

static void move_to(struct environment *e, const struct fit_points *points, size_t point)
{
	environment_move(e, points->process[point]);
	for (uint32_t k = 0; k < points->lives; k++)
		if (points->live[k] < INDEX_DEPTH)
			e->index[INDEX_DEPTH - 1 - points->live[k]] = points->index[point * points->lives + k];
	e->failure = FAILURE_NONE;
}

static bool is_right(const struct fit *f, node_id number, const struct fit_points *points)
{
	int64_t index[INDEX_DEPTH];
	struct environment e = environment_of(f, index);
	bool test = node_of(f->store, number)->kind == NODE_TEST, good = true;
	for (size_t i = 0; i < points->count && good; i++) {
		move_to(&e, points, i);
		int64_t is = test ? test_holds(&e, number) : number_at(&e, number);
		good = !e.failure && is == points->number[i];
	}
	return good;
}

bool fit_is_inside(const struct fit *f, node_id place, const struct fit_points *points)
{
	int64_t index[INDEX_DEPTH];
	struct environment e = environment_of(f, index);
	bool good = true;
	for (size_t i = 0; i < points->count && good; i++) {
		move_to(&e, points, i);
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

/* {i0} in {3,17,40} */
static bool is_among(const struct fit *f, node_id number)
{
	const struct node *n = node_of(f->store, number);
	return n->kind == NODE_TEST && n->sub >= NODE_TEST_AMONG;
}

/* One in so many points, wherever they stand: rows and columns keep some each. What is no formula
   of them is none of all; NULL: all have to be looked at. */
static const struct fitted *fit_few(struct fit *f, enum fit_what what, const struct fit_points *points)
{
	uint64_t each = points->count / SAMPLE_FIRST;
	size_t most = points->count;
	uint32_t *process = mem_array(most, sizeof *process);
	int64_t *number = mem_array(most, sizeof *number), *index = mem_array(most * points->lives, sizeof *index);
	struct fit_points few = {process, index, number, 0, points->live, points->lives, points->name};
	for (size_t i = 0; i < points->count; i++) {
		if (hash_mix(i) % each)
			continue;
		process[few.count] = points->process[i];
		number[few.count] = points->number[i];
		memcpy(index + few.count * points->lives, points->index + i * points->lives,
			points->lives * sizeof *index);
		few.count++;
	}
	const struct fitted *found = fit_all(f, what, &few);
	free(process);
	free(number);
	free(index);
	return found->number && !found->table->table && !is_among(f, found->number) &&
			       is_right(f, found->number, points)
		       ? found
		       : NULL;
}

const struct fitted *fit_points(struct fit *f, enum fit_what what, const struct fit_points *points)
{
	const struct fitted *found = NULL;
	if (points->count >= SAMPLE_GROWTH * SAMPLE_FIRST)
		found = fit_few(f, what, points);
	return found ? found : fit_all(f, what, points);
}
