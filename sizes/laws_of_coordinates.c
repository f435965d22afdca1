/*
 * laws_of_coordinates.c -- the whole follows from the blocks; everything else is tried.
 */
#include "sizes/laws_of_coordinates.h"

#include <inttypes.h>
#include <stdio.h>
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

bool coordinate_law_at(
	const struct coordinate_law *l, const struct extents *x, uint32_t axis, uint32_t coordinate, int64_t *value)
{
	uint32_t extent = extent_along(x, axis);
	bool first = coordinate == 0, last = coordinate + 1 == extent;
	int64_t most;
	if (l->faces.are) {
		*value = faces_at(l, x, coordinate);
		return true;
	}
	if (!l->share)
		return formula_range((l->last ? last : first) ? &l->special : &l->otherwise, x, value, &most) &&
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
			if (all->seen[r].known[c] && (!coordinate_law_at(l, &all->runs->run[r], all->axis, c, &value) ||
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

bool coordinate_laws_agree(const struct coordinate_law *law, size_t count, uint32_t axis, const struct extents *x,
	const struct column_of_coordinate *there)
{
	bool agree = count > 0;
	for (size_t i = 0; i < count && agree; i++)
		for (uint32_t c = 0; c < there->length && agree; c++) {
			int64_t value;
			agree = coordinate_law_at(&law[i], x, axis, c, &value) && value == there->value[c];
		}
	return agree;
}

static void print_edge(char axis, const char *where, int64_t more, struct text *to)
{
	if (more)
		text_format(to, "%c(%c==%s)", more < 0 ? '-' : '+', axis, where);
}

static void print_factor(const struct formula *f, const struct extents *names, struct text *to)
{
	bool constant = f->kind == FORMULA_CONSTANT;
	text_put(to, constant ? "" : "(");
	formula_print(f, names, to);
	text_put(to, constant ? "*" : ")*");
}

static void print_faces(const struct coordinate_law *l, struct text *to)
{
	const struct faces_of_cells *f = &l->faces;
	char coordinate[3][16];
	snprintf(coordinate[0], sizeof *coordinate, "(%c+c)%%X", f->swapped ? 'y' : 'x');
	snprintf(coordinate[1], sizeof *coordinate, "(%c%cc)%%X", f->swapped ? 'x' : 'y', f->back[0] ? '-' : '+');
	snprintf(coordinate[2], sizeof *coordinate, "%s", f->back[1] ? "(-c)%X" : "c");
	if (l->unit != 1)
		text_format(to, "%" PRId64 "*", l->unit);
	text_format(to, "sum(c,X,(%s!=%s)", coordinate[f->across], f->last ? "X-1" : "0");
	for (int k = 0; k < 3; k++)
		if (k != f->across)
			text_format(to, "*share(%" PRId64 ",X,%s)", l->whole, coordinate[k]);
	text_char(to, ')');
}

void coordinate_law_print(const struct coordinate_law *l, const struct extents *names, uint32_t axis, struct text *to)
{
	if (l->faces.are) {
		print_faces(l, to);
		return;
	}
	char letter = axis == GRID_AXES ? 'p' : "xyzw"[axis], extent = axis == GRID_AXES ? 'P' : "XYZW"[axis];
	char last[8] = {extent, '-', '1', 0};
	if (!l->share) {
		bool none = l->special.kind == FORMULA_CONSTANT && l->special.add == 0;
		bool only = l->otherwise.kind == FORMULA_CONSTANT && l->otherwise.add == 0;
		const char *where = l->last ? last : "0";
		if (!none && (l->special.kind != FORMULA_CONSTANT || l->special.add != 1)) {
			print_factor(&l->special, names, to);
		}
		if (!none)
			text_format(to, "(%c==%s)", letter, where);
		if (!none && !only)
			text_char(to, '+');
		if (!only) {
			print_factor(&l->otherwise, names, to);
			text_format(to, "(%c!=%s)", letter, where);
		}
		return;
	}
	bool alone = !l->add && !l->first_more && !l->last_more;
	if (l->unit != 1)
		text_format(to, "%" PRId64 "*", l->unit);
	text_put(to, alone || l->unit == 1 ? "" : "(");
	text_format(to, "share(%" PRId64 ",%c,%c)", l->whole, extent, letter);
	if (l->add)
		text_format(to, "%+" PRId64, l->add);
	print_edge(letter, "0", l->first_more, to);
	print_edge(letter, last, l->last_more, to);
	text_put(to, alone || l->unit == 1 ? "" : ")");
}
