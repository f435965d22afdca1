/*
 * outside.c -- what only the first iteration of a loop does before all else stands before the loop,
 * what only the last one does after all else, behind it.
 */
#include <stdlib.h>

#include "merge/statement_row.h"

/* Is it done in this iteration, and in no other? */
static bool is_of_iteration(struct rewriting *r, node_id statement, int64_t iteration)
{
	const struct node *n = get(r, statement);
	return n->kind == NODE_GUARD && is_for_all(r, n->kid[0]) &&
	       n->kid[1] == test_make(r->s, NODE_TEST_EQUAL, iteration, number_variable(r->s, VARIABLE_INDEX));
}

/* What stands under this condition, as the row around the loop has it. */
static bool add_outside(struct rewriting *r, const struct element *guard, int64_t iteration, struct statement_row *to)
{
	node_id body = body_of_iteration(r, get(r, guard->node)->kid[2], iteration);
	if (body)
		row_add_body(r, body, guard->origin + 1, to);
	return body;
}

/* The loop, and what is none of it. False: all of it is. */
static bool add_loop(struct rewriting *r, const struct element *loop, struct statement_row *to)
{
	const struct node *n = get(r, loop->node);
	int64_t last = (int64_t)loop_iterations(r, loop->node) - 1;
	struct statement_row inside = {0}, rest = {0}, behind = {0};
	bool any = false;
	if (last > 0 && is_for_all(r, n->kid[0]))
		row_add_body(r, n->kid[2], loop->origin + 1, &inside);
	for (size_t i = 0; i < inside.length; i++) {
		const struct element *e = &inside.at[i];
		bool is_first = i == 0 && is_of_iteration(r, e->node, 0) && add_outside(r, e, 0, to),
		     is_last = !is_first && i + 1 == inside.length && is_of_iteration(r, e->node, last) &&
			       add_outside(r, e, last, &behind);
		any = any || is_first || is_last;
		if (!is_first && !is_last)
			row_add(&rest, *e);
	}
	any = any && rest.length;
	if (any) {
		struct row_body body = row_as_body(r, &rest);
		node_id now = node_with(r->s, loop->node, (node_id[]){n->kid[0], n->kid[1], body.node});
		row_add(to, element_around(r, now, *loop->origin, &body));
	}
	for (size_t i = 0; i < behind.length && any; i++)
		row_add(to, behind.at[i]);
	free(inside.at);
	free(rest.at);
	free(behind.at);
	return any;
}

bool outside_row(struct rewriting *r, const struct statement_row *row, struct statement_row *cheaper)
{
	struct statement_row now = {0};
	bool any = false;
	for (size_t i = 0; i < row->length; i++) {
		size_t before = now.length;
		rewriting_spend(r, 1);
		if (add_loop(r, &row->at[i], &now)) {
			any = true;
			continue;
		}
		now.length = before;
		row_add(&now, row->at[i]);
	}
	any = any && row_cost(r, &now) < row_cost(r, row);
	if (any)
		*cheaper = now;
	else
		free(now.at);
	return any;
}
