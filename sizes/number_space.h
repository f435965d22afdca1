/*
 * number_space.h -- all formulas of P, the extents and parameters that explain a number in every
 * run.
 *
 *	struct formula *f;
 *	size_t count = formulas_of(&runs, value, &f);		-- 9: 2, 16: 3, 25: 4
 *	formula_print(&f[0], &runs.run[0], &text);		-- X-1, the shortest one
 *	formula_range(&f[0], &extents, &least, &most);
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

/* The learned runs. */
struct learned_runs {
	const struct extents *run;
	size_t length;
};

enum formula_kind { FORMULA_CONSTANT, FORMULA_LINEAR, FORMULA_INVERSE, FORMULA_CEIL, FORMULA_FLOOR, FORMULA_BLOCKS };

/* Else T is of terms by their numbers (extents_term). */
#define TERM_NONE UINT32_MAX

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
	bool proven; /* it has fewer free numbers than different T that it explains */
	uint32_t a, b; /* T is a, a*b or a function of one of these */
	enum term_function of;
	int64_t k, rest; /* IS_MODULO: T%k==rest */
	int64_t factor, add, divisor; /* LINEAR */
	int64_t least, most, unit; /* c of the others, which are linear in it; of BLOCKS N, and u */
	int64_t times, more[2]; /* of BLOCKS: m is T+times, TIMES_NONE: 1; a, b */
	uint32_t whole; /* of BLOCKS: N, a parameter; TERM_NONE: the number */
};

/* The shortest first: how many; the array is the caller's. O(terms^2 runs). */
size_t formulas_of(const struct learned_runs *, const int64_t *value, struct formula **);

/* The functions, whatever else explains the runs: those that formulas_of has not looked for because
   something shorter is proven. The same for the rest. */
size_t rivals_of(const struct learned_runs *, const int64_t *value, struct formula **);

/* How much there is to read of it: what formulas are sorted by. */
int64_t formula_length(const struct formula *);

/* What it comes to, from `least` to `most`. False: it is no number there. */
bool formula_range(const struct formula *, const struct extents *, int64_t *least, int64_t *most);

/* names: any of the runs. */
void formula_print(const struct formula *, const struct extents *names, struct text *);

/* Is there one, and do all come to `value` at these extents? */
bool formulas_agree(const struct formula *, size_t count, const struct extents *, int64_t value);

#endif
