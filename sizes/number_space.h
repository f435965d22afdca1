/*
 * number_space.h -- all formulas of P, the extents and parameters that explain a number in every
 * run.
 *
 *	struct formula *f;
 *	size_t count = formulas_of(&runs, value, &f);		-- 9: 2, 16: 3, 25: 4
 *	formula_print(&runs, &f[0], &text);			-- X-1, the shortest one
 *	formula_range(&runs, &f[0], &extents, &least, &most);
 *
 * A version space (Mitchell 1982), kept by solving: a family with one or two free numbers has one
 * member, or an interval of them, that agrees with the runs. There are
 *
 *	c			where all runs have the same
 *	(a*T+b)/d		T: an extent, P, a parameter, a product of two of these, log2 of one;
 *				log2 rounded up where nothing shorter is proven
 *	c/T
 *	u*ceil(c,T)  u*floor(c,T)	c: all that agree; u: a unit of which all are multiples
 *
 *	(a*F+b)/d		F: log2down(T), isqrt(T), T-2^log2down(T), T%2; only where nothing shorter is
 *				proven, and if they are. Where blocks are not, either: gcd(k,T), min(T,k),
 *				k%T, T%k, T%k==r
 *	u*m*(ceil(N,T)+a)[*(ceil(N,T)+b)]	faces of blocks: m is 1, T-1, T or T+1; only where nothing
 *						shorter is proven; N is a parameter or one number
 *
 * Those that have as many free numbers as there are runs explain anything: they are left only where
 * no other does. A formula says nothing of runs in which its T is always the same.
 */
#ifndef TRACENEST_SIZES_NUMBER_SPACE_H
#define TRACENEST_SIZES_NUMBER_SPACE_H

#include <stddef.h>

#include "model/extents.h"
#include "model/number.h"

/* Along an axis, 0 to 3, or GRID_AXES for p: the extent, here and as a number; the coordinate. */
uint32_t extent_along(const struct extents *, uint32_t axis);
node_id extent_number(struct store *, uint32_t axis);
node_id coordinate_number(struct store *, uint32_t axis);
extern const char table_axes[GRID_AXES + 2]; /* what a table by it has as its `sub` */
uint32_t axis_of_table(const struct node *);

/* The product, which stays one of a sum: 8*(P-2^log2down(P)). A function of numbers: those that it
   has not are NODE_NONE. */
node_id number_times(struct store *, node_id factor, node_id);
node_id function_number(struct store *, enum node_function, node_id a, node_id b, node_id c);

/* The learned runs. Formulas and conditions are nodes of the store. */
struct learned_runs {
	const struct extents *run;
	size_t length;
	struct store *store;
};

enum formula_kind { FORMULA_CONSTANT, FORMULA_LINEAR, FORMULA_INVERSE, FORMULA_CEIL, FORMULA_FLOOR, FORMULA_BLOCKS };

/* Of T; those from GCD_OF on have a number of their own, k. */
enum term_function {
	ITSELF,
	LOG2,
	LOG2_UP,
	LOG2_DOWN,
	ROOT,
	ABOVE_POWER,
	GCD_OF,
	LEAST_OF,
	REST_OF,
	MODULO,
	IS_MODULO
};

struct formula {
	enum formula_kind kind;
	enum term_function of;
	uint32_t
		term; /* T is this one, one times another, or a function of these: a term by its number (extents_term) */
	bool proven; /* it has fewer free numbers than different T that it explains */
	int64_t unit; /* u */
	int64_t length; /* how much there is to read of it: what formulas are sorted by */
	node_id least, most; /* with the least c and the most; but of CEIL and FLOOR the same */
};

/* The shortest first: how many; the array is the caller's. O(terms^2 runs). */
size_t formulas_of(const struct learned_runs *, const int64_t *value, struct formula **);

/* The functions, whatever else explains the runs: those that formulas_of has not looked for because
   something shorter is proven. The same for the rest. */
size_t rivals_of(const struct learned_runs *, const int64_t *value, struct formula **);

/* As it is written: of an interval the one that is closest to a whole. */
node_id formula_node(const struct formula *);
void formula_print(const struct learned_runs *, const struct formula *, struct text *);
/* A number, or a comparison, without braces. */
void number_text(const struct learned_runs *, node_id, struct text *);

/* What it comes to, from `least` to `most`. False: it is no number there. */
bool formula_range(
	const struct learned_runs *, const struct formula *, const struct extents *, int64_t *least, int64_t *most);

/* Is there one, and do all come to `value` at these extents? */
bool formulas_agree(
	const struct learned_runs *, const struct formula *, size_t count, const struct extents *, int64_t value);

#endif
