/*
 * affine_positions.c -- records before a construct = records before its loop + those of the
 * iterations done + those before it in its body.
 *
 * Let p be the number of records in iteration i of a loop, a polynomial in i and the indices
 * outside. The records of n iterations are the sum of p over i < n: with n the count, the records
 * of the loop; with n = i, those of the iterations done.
 */
#include "model/affine_positions.h"

#include <stdlib.h>

/* The records of a loop: of one iteration, and of all. */
struct counted {
	struct polynomial iteration, all;
};

struct placing {
	const struct affine_positions_visit *visit;
	const int64_t *around[AFFINE_DEPTH]; /* the counts of the loops around, outermost first */
	size_t depth;
	struct counted *loop; /* in the order of the text */
	size_t loops; /* so far */
};

static void count_body(struct placing *p, const struct affine_node *body, size_t length, struct polynomial *records);

static void add_vector(struct polynomial *p, const int64_t *vector, size_t depth)
{
	polynomial_add(p, vector[0], NULL, 0);
	for (size_t i = 0; i < depth; i++)
		polynomial_add(p, vector[1 + i], &(uint16_t){(uint16_t)i}, 1);
}

static const struct polynomial *count_loop(struct placing *p, const struct affine_node *loop)
{
	struct counted *here = &p->loop[p->loops++];
	struct polynomial count = {0};
	p->around[p->depth++] = loop->value;
	count_body(p, loop->body, loop->length, &here->iteration);
	p->depth--;
	add_vector(&count, loop->value, p->depth);
	if (!affine_never_negative(loop->value, p->around, p->depth))
		polynomial_lose(&count);
	polynomial_add_sum(&here->all, &here->iteration, (uint16_t)p->depth, &count);
	polynomial_clear(&count);
	return &here->all;
}

static void count_body(struct placing *p, const struct affine_node *body, size_t length, struct polynomial *records)
{
	for (size_t i = 0; i < length; i++)
		if (affine_is_loop(&body[i]))
			polynomial_add_all(records, count_loop(p, &body[i]));
		else
			polynomial_add(records, 1, NULL, 0);
}

/* start: moved behind the body. */
static void visit_body(struct placing *p, const struct affine_node *body, size_t length, struct polynomial *start);

static void visit_loop(struct placing *p, const struct affine_node *loop, const struct polynomial *start)
{
	const struct counted *here = &p->loop[p->loops++];
	struct polynomial inside = {0}, index = {0};
	uint16_t depth = (uint16_t)p->depth++;
	p->visit->construct(p->visit->context, loop, depth, start, &here->iteration);
	polynomial_add(&index, 1, &depth, 1);
	polynomial_copy(&inside, start);
	polynomial_add_sum(&inside, &here->iteration, depth, &index);
	visit_body(p, loop->body, loop->length, &inside);
	p->depth--;
	polynomial_clear(&inside);
	polynomial_clear(&index);
}

static void visit_body(struct placing *p, const struct affine_node *body, size_t length, struct polynomial *start)
{
	for (size_t i = 0; i < length; i++) {
		size_t loop = p->loops;
		if (affine_is_loop(&body[i]))
			visit_loop(p, &body[i], start);
		else
			p->visit->construct(p->visit->context, &body[i], p->depth, start, NULL);
		if (p->visit->done)
			p->visit->done(p->visit->context, &body[i], p->depth);
		if (affine_is_loop(&body[i]))
			polynomial_add_all(start, &p->loop[loop].all);
		else
			polynomial_add(start, 1, NULL, 0);
	}
}

void affine_positions(const struct affine_nest *n, const struct affine_positions_visit *visit)
{
	size_t loops = affine_loops(n->root, n->length);
	struct placing p = {.visit = visit, .loop = mem_zero((loops + 1) * sizeof *p.loop)};
	struct polynomial all = {0}, start = {0};
	count_body(&p, n->root, n->length, &all);
	p.loops = 0;
	visit_body(&p, n->root, n->length, &start);
	polynomial_clear(&all);
	polynomial_clear(&start);
	for (size_t i = 0; i < loops; i++) {
		polynomial_clear(&p.loop[i].iteration);
		polynomial_clear(&p.loop[i].all);
	}
	free(p.loop);
}
