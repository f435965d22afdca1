/*
 * open_rows.c -- what a loop does, iteration by iteration, as statements of the row around it: its
 * index is a number in each, conditions that are known hold or are gone.
 */
#include "merge/statement_row.h"

bool is_for_all(const struct rewriting *r, node_id domain)
{
	return !domain || get(r, domain)->kind == NODE_ALL;
}

uint32_t loop_iterations(const struct rewriting *r, node_id statement)
{
	const struct node *n = get(r, statement);
	int64_t last;
	bool known = n->kind == NODE_LOOP && number_is_constant(r->s, n->kid[1], &last);
	return known && last >= 0 && last < ROW_MOST ? (uint32_t)last + 1 : 0;
}

bool does_nothing(const struct rewriting *r, node_id statement)
{
	const struct node *n = get(r, statement);
	int64_t last;
	if (!has_body(n))
		return false;
	bool nothing = n->kind == NODE_LOOP && number_is_constant(r->s, n->kid[1], &last) && last < 0;
	const struct node *b = get(r, n->kid[2]);
	for (uint32_t k = 0; k < b->kids && !nothing; k++)
		if (!does_nothing(r, b->kid[k]))
			return false;
	return true;
}

bool body_has(const struct rewriting *r, node_id body, node_id statement)
{
	const struct node *b = get(r, body);
	bool is = false;
	for (uint32_t k = 0; k < b->kids && !is; k++)
		is = b->kid[k] == statement ||
		     (has_body(get(r, b->kid[k])) && body_has(r, node_kid(r->s, b->kid[k], 2), statement));
	return is;
}

void indices_of_iteration(struct rewriting *r, int64_t iteration, node_id *outer)
{
	outer[0] = number_constant(r->s, iteration);
	for (uint32_t k = 1; k < INDEX_DEPTH; k++)
		outer[k] = number_variable(r->s, VARIABLE_INDEX + k - 1);
}

struct opening {
	struct rewriting *r;
	struct statement_row *to;
	uint32_t kid, turn;
	node_id domain;
	node_id target; /* loops that hold this statement are open, */
	uint32_t levels; /* ... so many inside each other */
	bool good;
};

/* written: the statement before the indices around it were put in, by which it is known. */
static void open_loop(struct opening *, const struct element *, node_id written, bool outermost);
static void add_opened(
	struct opening *, node_id statement, node_id written, const uint32_t *origin, const struct substitution *with);

/* What stands in a loop or guard. origin: by line of it, its own first. */
static void add_inside(
	struct opening *o, node_id statement, node_id written, const uint32_t *origin, const struct substitution *with)
{
	const struct node *b = get(o->r, node_kid(o->r->s, statement, 2)),
			  *w = get(o->r, node_kid(o->r->s, written, 2));
	for (uint32_t k = 0, line = 1; k < b->kids; line += get(o->r, b->kid[k++])->lines)
		add_opened(o, b->kid[k], w->kid[k], origin + line, with);
}

static void add_opened(
	struct opening *o, node_id statement, node_id written, const uint32_t *origin, const struct substitution *with)
{
	struct rewriting *r = o->r;
	const struct node *n = get(r, statement);
	if (!o->good)
		return;
	if (n->kind == NODE_GUARD && is_for_all(r, n->kid[0])) {
		const struct node *t = get(r, n->kid[1]);
		node_id sum = number_put(with, t->kid[0]);
		int64_t number;
		if (sum && number_is_constant(r->s, sum, &number)) {
			struct environment none = {.store = r->s};
			if (test_holds(&none, test_make(r->s, t->sub, t->number, sum)))
				add_inside(o, statement, written, origin, with);
			return;
		}
	}
	if (n->kind == NODE_GUARD && n->sub)
		statement = node_make(r->s, NODE_GUARD, 0, n->word, n->number, n->kids, n->kid);
	struct element e = {node_put(with, statement, &o->good), origin, o->kid, o->turn, o->domain};
	if (!o->good)
		return;
	if (does_nothing(r, e.node))
		return;
	if (o->levels && loop_iterations(r, e.node) && body_has(r, node_kid(r->s, written, 2), o->target))
		open_loop(o, &e, written, false);
	else
		row_add(o->to, e);
	o->good = o->good && o->to->length <= ROW_MOST;
}

/* outermost: its iterations are the turns of what is opened. */
static void open_loop(struct opening *o, const struct element *e, node_id written, bool outermost)
{
	struct rewriting *r = o->r;
	uint32_t times = loop_iterations(r, e->node);
	const struct node *n = get(r, e->node);
	node_id outer[INDEX_DEPTH];
	o->good = o->good && times && (outermost || n->kid[0] == o->domain || is_for_all(r, n->kid[0]));
	o->levels--;
	for (uint32_t j = 0; j < times && o->good; j++) {
		indices_of_iteration(r, j, outer);
		o->turn = outermost ? j : o->turn;
		add_inside(o, e->node, written, e->origin, &(struct substitution){.store = r->s, .outer = outer});
	}
	o->levels++;
}

bool row_open(
	struct rewriting *r, const struct statement_row *row, node_id target, uint32_t levels, struct statement_row *to)
{
	struct opening o = {.r = r, .to = to, .target = target, .levels = levels, .good = true};
	for (size_t i = 0; i < row->length && o.good; i++) {
		o.kid = (uint32_t)i;
		o.turn = 0;
		o.domain = UINT32_MAX;
		struct element e = row->at[i];
		e.kid = o.kid;
		e.turn = 0;
		e.domain = UINT32_MAX;
		if (!loop_iterations(r, e.node) || !body_has(r, get(r, e.node)->kid[2], target)) {
			row_add(to, e);
			continue;
		}
		o.domain = get(r, e.node)->kid[0];
		open_loop(&o, &e, e.node, true);
	}
	rewriting_spend(r, to->length);
	return o.good && to->length <= ROW_MOST;
}
