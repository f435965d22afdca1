/*
 * formulas.h -- positions and counts as C: for the room only.
 *
 * What is a polynomial in the indices stands in place; each unknown in it (ask/unknowns.h) is a call of a
 * function, which is written once: of the process and of the indices that it depends on.
 */
#ifndef TRACENEST_SCANGEN_FORMULAS_H
#define TRACENEST_SCANGEN_FORMULAS_H

#include "ask/unknowns.h"
#include "scangen/c_text.h"

struct formulas {
	const struct unknowns *unknowns;
	struct c_text numbers;
	struct text functions; /* in an order in which each stands behind those that it calls */
	bool *written; /* by unknown */
	size_t unknown;
};

struct formulas formulas_with(const struct module *, const struct unknowns *);
void formulas_clear(struct formulas *);

/* Is there an unknown in it? */
bool formulas_has_unknowns(const struct polynomial *);

/* Does one of them depend on the process? */
bool formulas_ask_process(const struct formulas *, const struct polynomial *);

/* An expression of p and of the indices. */
void formulas_put(struct formulas *, const struct polynomial *, struct text *);

/* The functions that the expressions call, with their tables; nothing where there are none. */
void formulas_definitions(const struct formulas *, struct text *);

#endif
