/*
 * extents.h -- what the names in a parametric text stand for: P, the number of processes, X Y Z W,
 * the extents of the grid, and the parameters of the problem, N.
 *
 *	for i0 = 0 to {log2(P)-1}		for i0 = 0 to 2
 *	[x<X-1] p send @(x+1,y) tag{2*X}	[x<3] p send @(x+1,y) tag8
 *	$b[x] = 8*share(N,X,x)			$b[x] = 168 168 160 160
 *
 * Such a text is a module in an environment (model/number.h); sizes/at_extents.h makes a program of it there.
 */
#ifndef TRACENEST_MODEL_EXTENTS_H
#define TRACENEST_MODEL_EXTENTS_H

#include "base/text.h"
#include "model/number.h"

/* Parameters of a problem; a name has at most so many letters. */
#define EXTENTS_PARAMETERS 4
#define EXTENTS_NAME 15

struct extents {
	uint32_t processes;
	struct grid grid; /* axes 0: there is none */
	uint32_t parameters;
	struct extents_parameter {
		char name[EXTENTS_NAME + 1]; /* capital letters and digits */
		int64_t value;
	} parameter[EXTENTS_PARAMETERS];
};

/* What the names stand for in a text of this store, whose parameters are these in their order. */
struct environment extents_environment(const struct extents *, struct store *);

/* P, the extents of the grid, the parameters: how many; what the k-th of these stands for; its
   name. */
uint32_t extents_terms(const struct extents *);
int64_t extents_term(const struct extents *, uint32_t k);
void extents_print_term(const struct extents *, uint32_t k, struct text *);

/* The same number of processes, and of each parameter; the grid aside. */
bool extents_same(const struct extents *, const struct extents *);

#endif
