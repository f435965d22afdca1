/*
 * conditions.c -- atoms as sets of bits over the processes of all runs; what a condition means is
 * their intersection.
 */
#include "sizes/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Of so many atoms that hold of all that are meant, three together are tried. */
#define TRIPLES_OF 64

enum { AXIS_P = GRID_AXES, AXIS_EXTENT, AXIS_NONE = 255 };
enum atom_right { RIGHT_NUMBER, RIGHT_EXTENT, RIGHT_HALF, RIGHT_AXIS };

/* Conditions of the steps of trees up to twice so many processes. */
#define POWER_MOST 64

/* A modulus: the extent less one, of which the first and the last coordinate are multiples. */
#define MODULUS_ENDS 255

/* ------------------------------------------------------------------ one comparison */

static node_id coordinate_node(struct store *s, uint8_t axis)
{
	return axis >= AXIS_EXTENT ? extent_number(s, axis - AXIS_EXTENT) : coordinate_number(s, axis);
}

static node_id comparison_of(struct store *s, const struct atom *a)
{
	node_id left = coordinate_node(s, a->left), right = number_constant(s, a->number), extent = NODE_NONE;
	if (a->plus != AXIS_NONE)
		left = number_add(s, left, coordinate_node(s, a->plus), 1);
	if (a->modulus == MODULUS_ENDS)
		left = number_remainder(s, left, number_add(s, extent_number(s, a->left), number_constant(s, 1), -1));
	else if (a->modulus)
		left = number_remainder(s, left, number_constant(s, a->modulus));
	if (a->right == RIGHT_EXTENT || a->right == RIGHT_HALF)
		extent = extent_number(s, a->left);
	if (a->right == RIGHT_HALF)
		extent = number_function(s, FUNCTION_FLOOR, (node_id[]){extent, number_constant(s, 2)});
	if (a->right == RIGHT_AXIS)
		extent = coordinate_node(s, a->other);
	if (extent)
		right = number_add(s, extent, right, 1);
	return node_make(s, NODE_COMPARISON, (int)a->relation, 0, 0, 2, (node_id[]){left, right});
}

/* ------------------------------------------------------------------ all of them */

struct atoms {
	struct atom *atom;
	uint64_t **bits;
	size_t length, capacity, bits_capacity, words;
	const struct learned_runs *runs;
	struct environment *at; /* by run */
	const uint64_t *wanted;
};

/* Is it one that holds of all that are meant? */
static void consider(struct atoms *all, struct atom a)
{
	uint64_t *bits = mem_zero((all->words + 1) * sizeof *bits);
	size_t bit = 0;
	bool holds = true;
	a.comparison = comparison_of(all->runs->store, &a);
	for (size_t r = 0; r < all->runs->length; r++)
		for (uint32_t p = 0; p < all->runs->run[r].processes; p++, bit++) {
			environment_set(&all->at[r], p);
			if (comparison_holds(&all->at[r], a.comparison))
				bits[bit / 64] |= UINT64_C(1) << bit % 64;
		}
	for (size_t w = 0; w < all->words; w++)
		holds &= !(all->wanted[w] & ~bits[w]);
	for (size_t i = 0; i < all->length && holds; i++)
		holds = all->atom[i].left != a.left || a.plus != AXIS_NONE || a.right == RIGHT_AXIS ||
			memcmp(all->bits[i], bits, all->words * sizeof *bits) != 0 || all->atom[i].right != a.right;
	if (!holds) {
		free(bits);
		return;
	}
	*MEM_PUSH(all->atom, all->length, all->capacity) = a;
	all->bits = mem_grow(all->bits, &all->bits_capacity, all->length, sizeof *all->bits);
	all->bits[all->length - 1] = bits;
}

static struct atom simple(uint8_t left, enum node_function relation, uint8_t right, int8_t number)
{
	return (struct atom){.left = left, .plus = AXIS_NONE, .relation = relation, .right = right, .number = number};
}

static void consider_coordinate(struct atoms *all, uint8_t axis)
{
	consider(all, simple(axis, FUNCTION_MORE, RIGHT_NUMBER, 0));
	consider(all, simple(axis, FUNCTION_LESS, RIGHT_EXTENT, -1));
	consider(all, simple(axis, FUNCTION_EQUAL, RIGHT_NUMBER, 0));
	consider(all, simple(axis, FUNCTION_EQUAL, RIGHT_EXTENT, -1));
	for (int8_t n = 1; n < 4; n++) {
		consider(all, simple(axis, FUNCTION_MORE, RIGHT_NUMBER, n));
		consider(all, simple(axis, FUNCTION_LESS, RIGHT_EXTENT, (int8_t)(-1 - n)));
		consider(all, simple(axis, FUNCTION_EQUAL, RIGHT_NUMBER, n));
		consider(all, simple(axis, FUNCTION_EQUAL, RIGHT_EXTENT, (int8_t)(-1 - n)));
		consider(all, simple(axis, FUNCTION_LESS, RIGHT_NUMBER, (int8_t)(1 + n)));
		consider(all, simple(axis, FUNCTION_DIFFERS, RIGHT_NUMBER, n));
		consider(all, simple(axis, FUNCTION_DIFFERS, RIGHT_EXTENT, (int8_t)(-1 - n)));
	}
	consider(all, simple(axis, FUNCTION_LESS, RIGHT_HALF, 0));
	consider(all, simple(axis, FUNCTION_AT_LEAST, RIGHT_HALF, 0));
	struct atom ends = simple(axis, FUNCTION_EQUAL, RIGHT_NUMBER, 0);
	ends.modulus = MODULUS_ENDS;
	consider(all, ends);
	for (uint8_t m = 2; m <= 4; m += 2)
		for (int8_t n = 0; n < m; n++) {
			struct atom a = simple(axis, FUNCTION_EQUAL, RIGHT_NUMBER, n);
			a.modulus = m;
			consider(all, a);
		}
}

/* Steps of trees: who is below 2^k, so far from the last one, a multiple of it. */
static void consider_powers(struct atoms *all)
{
	for (int8_t power = 8; power > 0 && power <= POWER_MOST; power = (int8_t)(2 * power)) {
		consider(all, simple(AXIS_P, FUNCTION_LESS, RIGHT_NUMBER, power));
		consider(all, simple(AXIS_P, FUNCTION_AT_LEAST, RIGHT_NUMBER, power));
		consider(all, simple(AXIS_P, FUNCTION_LESS, RIGHT_EXTENT, (int8_t)-power));
		for (int8_t n = 0; n < power; n = (int8_t)(n + power / 2)) {
			struct atom a = simple(AXIS_P, FUNCTION_EQUAL, RIGHT_NUMBER, n);
			a.modulus = (uint8_t)power;
			consider(all, a);
		}
	}
}

static void consider_all(struct atoms *all, uint32_t axes)
{
	static const enum node_function relation[] = {
		FUNCTION_EQUAL, FUNCTION_DIFFERS, FUNCTION_LESS, FUNCTION_MORE, FUNCTION_AT_MOST, FUNCTION_AT_LEAST};
	for (uint8_t i = 0; i < axes; i++)
		consider_coordinate(all, i);
	consider_coordinate(all, AXIS_P);
	consider_powers(all);
	for (uint8_t i = 0; i < axes; i++)
		for (uint8_t k = (uint8_t)(i + 1); k < axes; k++) {
			for (size_t r = 0; r < sizeof relation / sizeof *relation; r++) {
				struct atom a = simple(i, relation[r], RIGHT_AXIS, 0);
				a.other = k;
				consider(all, a);
			}
			for (int8_t n = 0; n < 2; n++) {
				struct atom a = simple(i, FUNCTION_EQUAL, RIGHT_NUMBER, n);
				a.plus = k;
				a.modulus = 2;
				consider(all, a);
			}
		}
	for (int8_t n = 1; n < 3; n++) {
		for (uint8_t i = 0; i < axes; i++)
			consider(all, simple((uint8_t)(AXIS_EXTENT + i), FUNCTION_MORE, RIGHT_NUMBER, n));
		consider(all, simple(AXIS_EXTENT + AXIS_P, FUNCTION_MORE, RIGHT_NUMBER, n));
	}
}

struct conditions {
	struct condition_of_ranks *condition;
	size_t length, capacity;
};

/* Is it of the step of a tree? */
static bool is_of_powers(const struct atom *a)
{
	return a->left == AXIS_P && (a->modulus > 4 || a->number > 4 || a->number < -4) && a->modulus != MODULUS_ENDS;
}

static bool condition_of_powers(const struct condition_of_ranks *c)
{
	bool powers = false;
	for (uint32_t i = 0; i < c->atoms; i++)
		powers |= is_of_powers(&c->atom[i]);
	return powers;
}

/* Beside powers of two stand bounds: one rank, or each second one, is no step of a tree. */
static bool is_sensible(const struct condition_of_ranks *c)
{
	bool bounds = true;
	for (uint32_t i = 0; i < c->atoms; i++)
		bounds &= is_of_powers(&c->atom[i]) || (!c->atom[i].modulus && c->atom[i].relation < FUNCTION_EQUAL);
	return bounds || !condition_of_powers(c);
}

static void find_of(const struct atoms *all, const size_t *which, uint32_t count, struct conditions *to)
{
	for (size_t w = 0; w < all->words; w++) {
		uint64_t met = all->bits[which[0]][w];
		for (uint32_t i = 1; i < count; i++)
			met &= all->bits[which[i]][w];
		if (met != all->wanted[w])
			return;
	}
	struct condition_of_ranks c = {.atoms = count};
	for (uint32_t i = 0; i < count; i++)
		c.atom[i] = all->atom[which[i]];
	if (is_sensible(&c))
		*MEM_PUSH(to->condition, to->length, to->capacity) = c;
}

static void find_with(const struct atoms *all, uint32_t count, struct conditions *to)
{
	size_t k[CONDITION_ATOMS];
	if (count == 3 && all->length > TRIPLES_OF)
		return;
	for (k[0] = 0; k[0] < all->length; k[0]++) {
		if (count == 1)
			find_of(all, k, 1, to);
		for (k[1] = k[0] + 1; count > 1 && k[1] < all->length; k[1]++) {
			if (count == 2)
				find_of(all, k, 2, to);
			for (k[2] = k[1] + 1; count > 2 && k[2] < all->length; k[2]++)
				find_of(all, k, 3, to);
		}
	}
}

int condition_compare(const struct condition_of_ranks *a, const struct condition_of_ranks *b)
{
	int powers = condition_of_powers(a) - condition_of_powers(b);
	return powers ? powers : (int)a->atoms - (int)b->atoms;
}

static void keep_shortest(struct conditions *all)
{
	size_t kept = 0;
	struct condition_of_ranks best = {.atoms = CONDITION_ATOMS + 1};
	for (size_t i = 0; i < all->length; i++)
		if (best.atoms > CONDITION_ATOMS || condition_compare(&all->condition[i], &best) < 0)
			best = all->condition[i];
	for (size_t i = 0; i < all->length; i++)
		if (!condition_compare(&all->condition[i], &best))
			all->condition[kept++] = all->condition[i];
	all->length = kept;
}

size_t conditions_of(
	const struct learned_runs *runs, const struct ranks *set, uint32_t more, struct condition_of_ranks **found)
{
	struct conditions to = {0};
	struct atoms all = {.runs = runs};
	size_t bits = 0, count = 0;
	all.at = mem_array(runs->length, sizeof *all.at);
	for (size_t r = 0; r < runs->length; r++) {
		all.at[r] = extents_environment(&runs->run[r], runs->store);
		bits += runs->run[r].processes;
		count += ranks_count(&set[r]);
	}
	all.words = (bits + 63) / 64;
	uint64_t *wanted = mem_zero((all.words + 1) * sizeof *wanted);
	bits = 0;
	for (size_t r = 0; r < runs->length; r++) {
		uint32_t p;
		for (struct ranks_walk walk = {0}; ranks_next(&set[r], &walk, &p);)
			wanted[(bits + p) / 64] |= UINT64_C(1) << (bits + p) % 64;
		bits += runs->run[r].processes;
	}
	all.wanted = wanted;
	if (count == bits)
		*MEM_PUSH(to.condition, to.length, to.capacity) = (struct condition_of_ranks){0};
	else
		consider_all(&all, runs->run[0].grid.axes);
	uint32_t fewest = 0;
	for (uint32_t n = 1; n <= CONDITION_ATOMS && count < bits && (!fewest || n <= fewest + more); n++) {
		find_with(&all, n, &to);
		for (size_t i = 0; i < to.length && !fewest; i++)
			fewest = condition_of_powers(&to.condition[i]) ? 0 : n;
	}
	if (!more)
		keep_shortest(&to);
	for (size_t i = 0; i < all.length; i++)
		free(all.bits[i]);
	free(all.bits);
	free(all.atom);
	free(all.at);
	free(wanted);
	*found = to.condition;
	return to.length;
}

bool condition_holds(const struct condition_of_ranks *c, struct environment *at)
{
	bool holds = true;
	for (uint32_t i = 0; i < c->atoms && holds; i++)
		holds = comparison_holds(at, c->atom[i].comparison);
	at->failure = FAILURE_NONE;
	return holds;
}

node_id condition_node(struct store *s, const struct condition_of_ranks *c)
{
	node_id kid[CONDITION_ATOMS];
	for (uint32_t i = 0; i < c->atoms; i++)
		kid[i] = c->atom[i].comparison;
	return node_make(s, c->atoms ? NODE_WHERE : NODE_ALL, 0, 0, 0, c->atoms, kid);
}

/* Was it the same in all runs, and is another one here? */
static bool is_new_extent(const struct learned_runs *runs, const struct extents *x, uint8_t axis)
{
	bool same = extent_along(x, axis) != extent_along(runs->run, axis);
	for (size_t r = 0; r < runs->length; r++)
		same &= extent_along(&runs->run[r], axis) == extent_along(runs->run, axis);
	return same;
}

/* On an axis of which all runs had 3, x>0 is x!=X-3 as well, and p<P-3 where y<Y-1: does it tell
   something else than the ends of such an axis, and of p beside it? */
static bool tells_inside(const struct learned_runs *runs, const struct condition_of_ranks *c, const struct extents *x)
{
	bool inside = false, any = false;
	for (uint8_t i = 0; i < x->grid.axes; i++)
		any |= is_new_extent(runs, x, i);
	for (uint32_t i = 0; i < c->atoms && any; i++) {
		const struct atom *a = &c->atom[i];
		bool end = a->right == RIGHT_EXTENT ? a->number == -1 : a->right == RIGHT_NUMBER && a->number == 0;
		bool open = a->left == AXIS_P || (a->left < x->grid.axes && is_new_extent(runs, x, a->left));
		inside |= open && (!end || a->modulus == 2 || a->modulus == 4);
	}
	return inside;
}

bool conditions_agree(const struct learned_runs *runs, const struct condition_of_ranks *c, size_t count,
	const struct extents *x, const struct ranks *there)
{
	bool *inside = mem_array(count + 1, sizeof *inside), ends = false, agree = count > 0;
	for (size_t i = 0; i < count; i++) {
		inside[i] = tells_inside(runs, &c[i], x);
		ends |= !inside[i];
	}
	struct environment at = extents_environment(x, runs->store);
	for (uint32_t p = 0; p < x->processes && agree; p++) {
		bool has = ranks_has(there, p);
		environment_set(&at, p);
		for (size_t i = 0; i < count && agree; i++)
			agree = (ends && inside[i]) || condition_holds(&c[i], &at) == has;
	}
	free(inside);
	return agree;
}
