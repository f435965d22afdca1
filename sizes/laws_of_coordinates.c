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
	struct store *s;
	const struct column_of_coordinate *seen;
	uint32_t axis;
	struct environment *at; /* by run */
	int64_t whole; /* that is tried: in these the index of a loop */
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

/* ------------------------------------------------------------------ as nodes */

/* Is the coordinate the first one, or the last? */
static node_id edge_node(const struct laws *l, enum node_function f, bool last)
{
	node_id one = number_constant(l->s, 1);
	node_id edge = last ? number_add(l->s, extent_number(l->s, l->axis), one, -1) : number_constant(l->s, 0);
	return function_number(l->s, f, coordinate_number(l->s, l->axis), edge, NODE_NONE);
}

/* Of a block: what all have more, the first one, and the last. */
struct more {
	int64_t all, first, last;
};

static node_id share_node(const struct laws *l, node_id whole, const struct more *more)
{
	node_id share = function_number(
		l->s, FUNCTION_SHARE, whole, extent_number(l->s, l->axis), coordinate_number(l->s, l->axis));
	share = number_add(l->s, share, number_constant(l->s, more->all), 1);
	share = number_add(l->s, share, edge_node(l, FUNCTION_EQUAL, false), more->first);
	return number_add(l->s, share, edge_node(l, FUNCTION_EQUAL, true), more->last);
}

struct faces {
	bool swapped, back[2]; /* y+c and x; the second coordinate, and the third, count down */
	uint8_t across; /* which of the three the faces are seen along */
	bool last; /* not of the cell that is last there, else first */
};

/* (x+c)%X, and so on: of the three of a cell. */
static node_id cell_node(struct store *s, const struct faces *f, int k)
{
	node_id c = number_variable(s, VARIABLE_COUNTER), extent = number_variable(s, VARIABLE_SIZE);
	int64_t axis = VARIABLE_X + (k ? !f->swapped : f->swapped), sign = k && f->back[k - 1] ? -1 : 1;
	node_id from = k == 2 ? number_constant(s, 0) : number_variable(s, axis);
	return k == 2 && sign > 0 ? c : number_remainder(s, number_add(s, from, c, sign), extent);
}

static node_id faces_node(struct store *s, node_id whole, const struct faces *f)
{
	node_id extent = number_variable(s, VARIABLE_SIZE);
	node_id border = f->last ? number_add(s, extent, number_constant(s, 1), -1) : number_constant(s, 0);
	node_id face = function_number(s, FUNCTION_DIFFERS, cell_node(s, f, f->across), border, NODE_NONE);
	for (int k = 0; k < 3; k++)
		if (k != f->across)
			face = number_multiply(
				s, face, function_number(s, FUNCTION_SHARE, whole, extent, cell_node(s, f, k)));
	return function_number(s, FUNCTION_SUM, extent, face, NODE_NONE);
}

/* ------------------------------------------------------------------ what they come to */

static bool comes_to(struct environment *at, node_id number, uint32_t axis, uint32_t coordinate, int64_t *value)
{
	at->failure = FAILURE_NONE;
	if (axis == GRID_AXES)
		environment_move(at, coordinate);
	else
		at->axis[axis] = coordinate;
	*value = number_at(at, number);
	return !at->failure;
}

/* Does this, times the unit, say what was seen? */
static bool explains(struct laws *all, node_id number, int64_t unit)
{
	bool good = true;
	for (size_t r = 0; r < all->runs->length && good; r++)
		for (uint32_t c = 0; c < all->seen[r].length && good; c++) {
			int64_t value;
			good = !all->seen[r].known[c] || (comes_to(&all->at[r], number, all->axis, c, &value) &&
								 (__int128)unit * value == all->seen[r].value[c]);
		}
	return good;
}

static void keep(struct laws *all, enum law_kind kind, node_id number)
{
	if (number)
		*MEM_PUSH(all->law, all->length, all->capacity) = (struct coordinate_law){kind, number};
}

/* The whole: of the run with the most blocks, whose first known one says it but for a remainder. */
static void find_whole(struct laws *all, int64_t unit, const struct more *more)
{
	size_t r = 0;
	for (size_t i = 1; i < all->runs->length; i++)
		r = all->seen[i].length > all->seen[r].length ? i : r;
	const struct column_of_coordinate *s = &all->seen[r];
	uint32_t c = 0, blocks = s->length;
	while (c < blocks && !s->known[c])
		c++;
	if (c == blocks || s->value[c] % unit)
		return;
	int64_t block =
		s->value[c] / unit - more->all - (c == 0 ? more->first : 0) - (c + 1 == blocks ? more->last : 0);
	int64_t least = block * blocks - (blocks - 1), most = block * blocks + (blocks - 1);
	node_id share = share_node(all, number_variable(all->s, VARIABLE_INDEX), more);
	for (all->whole = least < 1 ? 1 : least; all->whole <= most; all->whole++)
		if (explains(all, share, unit))
			keep(all, LAW_OF_SHARES,
				number_times(all->s, number_constant(all->s, unit),
					share_node(all, number_constant(all->s, all->whole), more)));
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
					find_whole(all, units[k],
						&(struct more){add % 2 ? -(add + 1) / 2 : add / 2, a == 2 ? EDGE : -a,
							b == 2 ? EDGE : -b});
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
		for (size_t k = 0; k < bs; k++) {
			if (a[i].kind > FORMULA_INVERSE || b[k].kind > FORMULA_INVERSE)
				continue;
			node_id number = number_add(all->s,
				number_times(all->s, formula_node(&a[i]), edge_node(all, FUNCTION_EQUAL, last)),
				number_times(all->s, formula_node(&b[k]), edge_node(all, FUNCTION_DIFFERS, last)), 1);
			if (explains(all, number, 1))
				keep(all, LAW_OF_ONE, number);
		}
	free(a);
	free(b);
	free(special);
	free(otherwise);
}

static void find_faces(struct laws *all)
{
	size_t least = 0; /* the run whose faces are found soonest: that of its process 0 says the unit */
	for (size_t r = 0; r < all->runs->length; r++) {
		const struct grid *g = &all->runs->run[r].grid;
		least = all->seen[r].length < all->seen[least].length ? r : least;
		if (g->axes != 2 || g->size[0] != g->size[1] || !all->seen[r].known[0] || all->seen[r].value[0] < 1)
			return;
	}
	for (unsigned way = 0; way < 48; way++) {
		struct faces f = {way & 1, {way & 2, way & 4}, (uint8_t)(way / 16), way & 8};
		node_id number = faces_node(all->s, number_variable(all->s, VARIABLE_INDEX), &f);
		int64_t faces = 0, first = all->seen[least].value[0];
		/* a larger whole has no fewer faces */
		for (all->whole = 2; all->whole <= FACES_MOST && faces <= first; all->whole++)
			if (comes_to(&all->at[least], number, all->axis, 0, &faces) && faces > 0 &&
				first % faces == 0 && explains(all, number, first / faces))
				keep(all, LAW_OF_FACES,
					number_multiply(all->s, number_constant(all->s, first / faces),
						faces_node(all->s, number_constant(all->s, all->whole), &f)));
	}
}

size_t coordinate_laws_of(const struct learned_runs *runs, uint32_t axis, const struct column_of_coordinate *seen,
	struct coordinate_law **law)
{
	struct laws all = {.runs = runs, .s = runs->store, .seen = seen, .axis = axis};
	all.at = mem_array(runs->length, sizeof *all.at);
	for (size_t r = 0; r < runs->length; r++) {
		all.at[r] = extents_environment(&runs->run[r], runs->store);
		all.at[r].index = &all.whole;
		all.at[r].depth = 1;
	}
	find_special(&all, false);
	find_special(&all, true);
	find_shares(&all);
	if (axis == GRID_AXES && !all.length)
		find_faces(&all);
	free(all.at);
	*law = all.law;
	return all.length;
}

bool coordinate_laws_agree(const struct learned_runs *runs, const struct coordinate_law *law, size_t count,
	uint32_t axis, const struct extents *x, const struct column_of_coordinate *there)
{
	struct environment at = extents_environment(x, runs->store);
	bool agree = count > 0;
	for (size_t i = 0; i < count && agree; i++)
		for (uint32_t c = 0; c < there->length && agree; c++) {
			int64_t value;
			agree = comes_to(&at, law[i].number, axis, c, &value) && value == there->value[c];
		}
	return agree;
}
