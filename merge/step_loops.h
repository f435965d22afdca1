/*
 * step_loops.h -- the loops of each function, from the order of its steps.
 *
 *	steps of activations	a b b c  a b c  b a b b b c ...
 *	loops			for / [a] / for / b / done / [c] / done
 *
 * Steps that follow each other are edges of a graph; its strongly connected parts are loops, what
 * is in their iterations the parts that are left inside. Which edges begin an iteration is chosen
 * such that all activations of all lanes together cost their reader least: those to the steps
 * where the loop is entered, or those that lead back in the text of the program (P. Havlak, ACM
 * TOPLAS 19(4), 1997, of a graph of calls in place of one of blocks).
 */
#ifndef TRACENEST_MERGE_STEP_LOOPS_H
#define TRACENEST_MERGE_STEP_LOOPS_H

#include "merge/activations.h"

/* A loop comes before what is in it. */
struct step_node {
	uint32_t step; /* STEP_NONE: it is a loop */
	uint32_t size; /* nodes: itself and all inside */
};

struct step_list {
	const struct step_node *node;
	size_t length;
};

struct step_loops;

/* Of all functions. */
struct step_loops *step_loops_new(const struct activations *);
void step_loops_free(struct step_loops *);

struct step_list step_loops_of(const struct step_loops *, uint32_t function);

/* The loops around a step in its function, as numbers of nodes there, the outermost first. */
const uint32_t *step_loops_around(const struct step_loops *, uint32_t step, size_t *loops);

/* The loop of which another iteration begins between these steps; STEP_NONE: none does. */
uint32_t step_loops_between(const struct step_loops *, uint32_t from, uint32_t to);

#endif
