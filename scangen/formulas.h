/*
 * formulas.h -- positions and counts as C: for the room only.
 *
 * What is a polynomial in the indices stands in place; each term in it (ask/terms.h) is a call of a
 * function, which is written once: of the process and of the indices that it depends on.
 */
#ifndef TRACENEST_SCANGEN_FORMULAS_H
#define TRACENEST_SCANGEN_FORMULAS_H

#include "ask/positions.h"
#include "scangen/c_text.h"

/* Starts as {.positions = ..., .program = ...}. */
struct formulas {
	const struct positions *positions;
	const struct program *program;
	struct c_text numbers;
	struct text functions; /* in an order in which each stands behind those that it calls */
	bool *written; /* by term */
	size_t terms;
};

void formulas_clear(struct formulas *);

/* Is there a term in it? */
bool formulas_has_terms(const struct polynomial *);

/* Does one of them depend on the process? */
bool formulas_ask_process(const struct formulas *, const struct polynomial *);

/* An expression of p and of the indices, of a statement in the body of this loop. */
void formulas_put(struct formulas *, const struct polynomial *, size_t loop, struct text *);

/* The functions that the expressions call, with their tables; nothing where there are none. */
void formulas_definitions(const struct formulas *, struct text *);

#endif
