/*
 * laws_of_coordinates.c -- the whole follows from the blocks; everything else is tried.
 */
#include "sizes/laws_of_coordinates.h"

#include <stdlib.h>

#include "base/gcd.h"
#include "base/mem.h"

/* Points that the first and the last block have less or more; that all have. */
#define EDGE 1
#define ADD 2

/* Points along an edge of cells. */
#define FACES_MOST 2048

struct laws {
	const struct learned_runs *runs;
	const struct column_of_coordinate *seen;
	uint32_t axis;
	struct coordinate_law *law;
	size_t length, capacity;
};

struct column_of_coordinate column_new(uint32_t length)
{
	return (struct column_of_coordinate){
		mem_zero((length + 1) * sizeof(int64_t)), mem_zero((length + 1) * sizeof(bool)), length};
}

void column_clear(struct column_of_coordinate *c)
{
	free(c->value);
	free(c->known);
}

uint32_t extent_along(const struct extents *x, uint32_t axis)
{
	return axis == GRID_AXES ? x->processes : x->grid.size[axis];
}

static int64_t share(int64_t whole, int64_t blocks, int64_t block)
{
	return whole / blocks + (block < whole % blocks);
}

/* Of cell c of a process, on a square. */
static int64_t cell_coordinate(const struct faces_of_cells *f, const struct spot *s, int64_t extent, int64_t c, int k)
{
	int64_t from[3] = {s->axis[f->swapped], s->axis[!f->swapped], 0};
	int64_t at = from[k] + (k && f->back[k - 1] ? extent - c : c);
	return at % extent;
}

static int64_t faces_at(const struct coordinate_law *l, const struct extents *x, uint32_t process)
{
	struct spot spot = grid_spot(&x->grid, process);
	int64_t extent = x->grid.size[0], faces = 0;
	for (int64_t c = 0; c < extent; c++) {
		int64_t face = 1;
		for (int k = 0; k < 3; k++) {
			int64_t at = cell_coordinate(&l->faces, &spot, extent, c, k);
			bool border = at == (l->faces.last ? extent - 1 : 0);
			face *= k == l->faces.across ? !border : share(l->whole, extent, at);
		}
		faces += face;
	}
	return l->unit * faces;
}

bool coordinate_law_at(const struct learned_runs *runs, const struct coordinate_law *l, const struct extents *x,
	uint32_t axis, uint32_t coordinate, int64_t *value)
{
	uint32_t extent = extent_along(x, axis);
	bool first = coordinate == 0, last = coordinate + 1 == extent;
	int64_t most;
	if (l->faces.are) {
		*value = faces_at(l, x, coordinate);
		return true;
	}
	if (!l->share)
		return formula_range(runs, (l->last ? last : first) ? &l->special : &l->otherwise, x, value, &most) &&
		       *value == most;
	*value = l->unit * (share(l->whole, extent, coordinate) + l->add + (first ? l->first_more : 0) +
				   (last ? l->last_more : 0));
	return true;
}

static bool explains(const struct laws *all, const struct coordinate_law *l)
{
	for (size_t r = 0; r < all->runs->length; r++)
		for (uint32_t c = 0; c < all->seen[r].length; c++) {
			int64_t value;
			if (all->seen[r].known[c] &&
				(!coordinate_law_at(all->runs, l, &all->runs->run[r], all->axis, c, &value) ||
					value != all->seen[r].value[c]))
				return false;
		}
	return true;
}

static void keep(struct laws *all, const struct coordinate_law *l)
{
	if (explains(all, l))
		*MEM_PUSH(all->law, all->length, all->capacity) = *l;
}

/* The whole: of the run with the most blocks, whose first known one says it but for a remainder. */
static void find_whole(struct laws *all, struct coordinate_law l)
{
	size_t r = 0;
	for (size_t i = 1; i < all->runs->length; i++)
		r = all->seen[i].length > all->seen[r].length ? i : r;
	const struct column_of_coordinate *s = &all->seen[r];
	uint32_t c = 0, blocks = s->length;
	while (c < blocks && !s->known[c])
		c++;
	if (c == blocks || s->value[c] % l.unit)
		return;
	int64_t block =
		s->value[c] / l.unit - l.add - (c == 0 ? l.first_more : 0) - (c + 1 == blocks ? l.last_more : 0);
	int64_t least = block * blocks - (blocks - 1), most = block * blocks + (blocks - 1);
	for (l.whole = least < 1 ? 1 : least; l.whole <= most; l.whole++)
		keep(all, &l);
}

static void find_shares(struct laws *all)
{
	int64_t unit = 0;
	bool varies = false;
	for (size_t r = 0; r < all->runs->length; r++) {
		int64_t first = -1;
		for (uint32_t c = 0; c < all->seen[r].length; c++) {
			if (!all->seen[r].known[c])
				continue;
			if (all->seen[r].value[c] < 0)
				return;
			unit = (int64_t)gcd((uint64_t)unit, (uint64_t)all->seen[r].value[c]);
			first = first < 0 ? all->seen[r].value[c] : first;
			varies |= first != all->seen[r].value[c];
		}
	}
	if (!varies || !unit)
		return;
	const int64_t units[] = {unit, 8, 4, 1};
	for (size_t k = 0; k < sizeof units / sizeof *units; k++)
		for (int64_t add = 0; add <= 2 * ADD && (!k || units[k] < unit); add++)
			for (int64_t a = 0; a < 3 && unit % units[k] == 0; a++)
				for (int64_t b = 0; b < 3; b++)
					find_whole(all, (struct coordinate_law){.share = true,
								.unit = units[k],
								.add = add % 2 ? -(add + 1) / 2 : add / 2,
								.first_more = a == 2 ? EDGE : -a,
								.last_more = b == 2 ? EDGE : -b});
}

static void find_special(struct laws *all, bool last)
{
	size_t runs = all->runs->length;
	int64_t *special = mem_array(runs, sizeof *special), *otherwise = mem_array(runs, sizeof *otherwise);
	bool good = true;
	for (size_t r = 0; r < runs && good; r++) {
		const struct column_of_coordinate *s = &all->seen[r];
		uint32_t at = last ? s->length - 1 : 0, other = last ? 0 : s->length - 1;
		good = s->length > 1 && s->known[at] && s->known[other];
		special[r] = good ? s->value[at] : 0;
		otherwise[r] = good ? s->value[other] : 0;
	}
	struct formula *a = NULL, *b = NULL;
	size_t as = good ? formulas_of(all->runs, special, &a) : 0,
	       bs = good ? formulas_of(all->runs, otherwise, &b) : 0;
	for (size_t i = 0; i < as; i++)
		for (size_t k = 0; k < bs; k++)
			if (a[i].kind <= FORMULA_INVERSE && b[k].kind <= FORMULA_INVERSE)
				keep(all, &(struct coordinate_law){.last = last, .special = a[i], .otherwise = b[k]});
	free(a);
	free(b);
	free(special);
	free(otherwise);
}

/* Does process 0 of the first run say the unit? Then all others may be explained. */
static void find_unit(struct laws *all, struct coordinate_law l)
{
	l.unit = 1;
	int64_t faces = faces_at(&l, all->runs->run, 0);
	if (faces < 1 || all->seen[0].value[0] % faces)
		return;
	l.unit = all->seen[0].value[0] / faces;
	keep(all, &l);
}

static void find_faces(struct laws *all)
{
	for (size_t r = 0; r < all->runs->length; r++) {
		const struct grid *g = &all->runs->run[r].grid;
		if (g->axes != 2 || g->size[0] != g->size[1] || !all->seen[r].known[0] || all->seen[r].value[0] < 1)
			return;
	}
	for (unsigned way = 0; way < 48; way++) {
		struct coordinate_law l = {.faces = {true, way & 1, {way & 2, way & 4}, (uint8_t)(way / 16), way & 8}};
		for (l.whole = 2; l.whole <= FACES_MOST; l.whole++)
			find_unit(all, l);
	}
}

size_t coordinate_laws_of(const struct learned_runs *runs, uint32_t axis, const struct column_of_coordinate *seen,
	struct coordinate_law **law)
{
	struct laws all = {.runs = runs, .seen = seen, .axis = axis};
	find_special(&all, false);
	find_special(&all, true);
	find_shares(&all);
	if (axis == GRID_AXES && !all.length)
		find_faces(&all);
	*law = all.law;
	return all.length;
}

bool coordinate_laws_agree(const struct learned_runs *runs, const struct coordinate_law *law, size_t count,
	uint32_t axis, const struct extents *x, const struct column_of_coordinate *there)
{
	bool agree = count > 0;
	for (size_t i = 0; i < count && agree; i++)
		for (uint32_t c = 0; c < there->length && agree; c++) {
			int64_t value;
			agree = coordinate_law_at(runs, &law[i], x, axis, c, &value) && value == there->value[c];
		}
	return agree;
}

/* ------------------------------------------------------------------ as nodes */

static node_id compare(struct store *s, enum node_function f, node_id a, node_id b)
{
	return number_function(s, f, (node_id[]){a, b});
}

/* (x+c)%X, and so on: of the three of a cell. */
static node_id cell_node(struct store *s, const struct faces_of_cells *f, int k)
{
	node_id c = number_variable(s, VARIABLE_COUNTER), extent = number_variable(s, VARIABLE_SIZE);
	int64_t axis = VARIABLE_X + (k ? !f->swapped : f->swapped), sign = k && f->back[k - 1] ? -1 : 1;
	node_id from = k == 2 ? number_constant(s, 0) : number_variable(s, axis);
	return k == 2 && sign > 0 ? c : number_remainder(s, number_add(s, from, c, sign), extent);
}

static node_id faces_node(struct store *s, const struct coordinate_law *l)
{
	const struct faces_of_cells *f = &l->faces;
	node_id extent = number_variable(s, VARIABLE_SIZE);
	node_id border = f->last ? number_add(s, extent, number_constant(s, 1), -1) : number_constant(s, 0);
	node_id face = compare(s, FUNCTION_DIFFERS, cell_node(s, f, f->across), border);
	for (int k = 0; k < 3; k++)
		if (k != f->across)
			face = number_multiply(s, face,
				number_function(s, FUNCTION_SHARE,
					(node_id[]){number_constant(s, l->whole), extent, cell_node(s, f, k)}));
	return number_multiply(s, number_constant(s, l->unit), compare(s, FUNCTION_SUM, extent, face));
}

/* A product that stays one: 8*(share(N,X,x)+1). */
static node_id product(struct store *s, node_id a, node_id b)
{
	const struct node *n = node_of(s, b);
	int64_t one;
	if ((number_is_constant(s, a, &one) && one == 1) || (n->kids == 1 && !n->number) || !n->kids)
		return number_multiply(s, a, b);
	return number_of_factor(s, node_make(s, NODE_PRODUCT, 0, 0, 0, 2, (node_id[]){a, b}));
}

node_id coordinate_law_node(const struct learned_runs *runs, const struct coordinate_law *l, uint32_t axis)
{
	struct store *s = runs->store;
	bool all = axis == GRID_AXES;
	node_id at = number_variable(s, all ? VARIABLE_P : VARIABLE_X + (int64_t)axis),
		extent = number_variable(s, all ? VARIABLE_RANKS : VARIABLE_SIZE + (int64_t)axis),
		first = number_constant(s, 0), last = number_add(s, extent, number_constant(s, 1), -1);
	if (l->faces.are)
		return faces_node(s, l);
	if (!l->share) {
		node_id where = l->last ? last : first;
		return number_add(s, product(s, formula_node(&l->special), compare(s, FUNCTION_EQUAL, at, where)),
			product(s, formula_node(&l->otherwise), compare(s, FUNCTION_DIFFERS, at, where)), 1);
	}
	node_id share = number_function(s, FUNCTION_SHARE, (node_id[]){number_constant(s, l->whole), extent, at});
	share = number_add(s, share, number_constant(s, l->add), 1);
	share = number_add(s, share, compare(s, FUNCTION_EQUAL, at, first), l->first_more);
	share = number_add(s, share, compare(s, FUNCTION_EQUAL, at, last), l->last_more);
	return product(s, number_constant(s, l->unit), share);
}
