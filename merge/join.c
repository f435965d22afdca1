/*
 * join.c -- two events of different processes that are one: its set has both, its peer, tag and
 * sizes are functions of the process.
 */
#include <stdlib.h>
#include <string.h>

#include "merge/statement_row.h"

/* Statements between the two that are looked over: a stretch that a reader sees at once. Steps that
   it takes to look for the formula of two. */
#define JOIN_REACH 16
#define JOIN_STEPS 1024

struct joining {
	struct rewriting *r;
	struct environment at; /* of a process; no loop is known */
};

static const struct ranks *who_of(const struct joining *j, node_id statement)
{
	const struct node *n = get(j->r, statement), *d = get(j->r, n->kid[0]);
	if (n->kid[0] && (d->kind == NODE_RANKS || d->kind == NODE_WHERE))
		return run_ranks(j->r->run, n->kid[0]);
	return NULL;
}

/* Does a statement do nothing for these processes? */
static bool leaves_alone(const struct joining *j, node_id statement, const struct ranks *these)
{
	const struct ranks *who = who_of(j, statement);
	const struct node *d = get(j->r, get(j->r, statement)->kid[0]);
	int64_t rank;
	if (get(j->r, statement)->kid[0] && d->kind == NODE_NAMED && number_is_constant(j->r->s, d->kid[0], &rank))
		return !ranks_has(these, (uint32_t)rank);
	return who && !ranks_meet(who, these);
}

/* Of this process; false: it depends on loops around, or does not come out. */
static bool number_of(struct joining *j, node_id number, uint32_t process, int64_t *to)
{
	if (get(j->r, number)->uses[FOR_ALL] & (USES_INDICES | USES_PARAMETERS))
		return false;
	environment_set(&j->at, process);
	*to = number_at(&j->at, number);
	return !j->at.failure;
}

/* A number of the one event, and of the other, as one. NODE_NONE: there is no formula. */
static node_id joint_number(
	struct joining *j, enum fit_what what, node_id a, const struct ranks *of_a, node_id b, const struct ranks *of_b)
{
	size_t count = (size_t)(ranks_count(of_a) + ranks_count(of_b)), n = 0;
	uint32_t *process = mem_array(count, sizeof *process), live = 0;
	int64_t *number = mem_array(count, sizeof *number);
	bool good = a && b;
	for (int k = 0; k < 2; k++) {
		struct ranks_walk walk = {0};
		for (uint32_t p; good && ranks_next(k ? of_b : of_a, &walk, &p); n++) {
			process[n] = p;
			good = number_of(j, k ? b : a, p, &number[n]);
		}
	}
	j->at.failure = FAILURE_NONE;
	node_id found = NODE_NONE;
	if (good)
		found = fit_points(
			j->r->formulas, what, &(struct fit_points){process, NULL, number, count, &live, 0, NULL})
				->number;
	free(process);
	free(number);
	return found;
}

static node_id joint_attribute(
	struct joining *j, node_id a, const struct ranks *of_a, node_id b, const struct ranks *of_b)
{
	const struct node *x = get(j->r, a), *y = get(j->r, b);
	if (a == b || x->word != y->word || x->kid[1] || y->kid[1])
		return a == b ? a : NODE_NONE;
	node_id number = joint_number(j, FIT_SIZE, x->kid[0], of_a, y->kid[0], of_b);
	return number ? attribute_of(j->r->s, x->word, number, NODE_NONE) : NODE_NONE;
}

/* Both as one event; NODE_NONE: they are none. */
static node_id joint_event(struct joining *j, node_id a, node_id b)
{
	static const enum fit_what what[COLUMNS] = {[COLUMN_PEER] = FIT_PEER,
		[COLUMN_TAG] = FIT_TAG,
		[COLUMN_COMMUNICATOR] = FIT_NUMBER,
		[COLUMN_ROOT] = FIT_PEER};
	struct rewriting *r = j->r;
	const struct node *x = get(r, a), *y = get(r, b);
	const struct ranks *of_a = who_of(j, a), *of_b = who_of(j, b);
	if (!of_a || !of_b || x->sub != y->sub || x->word != y->word || x->number || y->number || x->kids != y->kids ||
		x->kid[COLUMN_GROUP] != y->kid[COLUMN_GROUP])
		return NODE_NONE;
	struct ranks first = {0}, both = {0};
	ranks_copy(&first, of_a);
	of_b = who_of(j, b); /* the run keeps one set at a time */
	node_id joint = NODE_NONE, *kid = mem_array(x->kids, sizeof *kid);
	if (!ranks_meet(&first, of_b)) {
		bool good = true;
		ranks_unite(&both, &first, of_b);
		kid[COLUMN_WHO] = ranks_equal(&both, run_processes(r->run, NODE_NONE))
					  ? node_make(r->s, NODE_ALL, 0, 0, 0, 0, NULL)
					  : node_make(r->s, NODE_RANKS, 0, 0, store_ranks(r->s, &both), 0, NULL);
		for (uint32_t k = COLUMN_PEER; k < x->kids && good; k++) {
			kid[k] = x->kid[k] == y->kid[k] ? x->kid[k]
				 : k >= COLUMNS         ? joint_attribute(j, x->kid[k], &first, y->kid[k], of_b)
							: joint_number(j, what[k], x->kid[k], &first, y->kid[k], of_b);
			good = kid[k] || !x->kid[k];
		}
		joint = good ? node_make(r->s, NODE_EVENT, x->sub, x->word, 0, x->kids, kid) : NODE_NONE;
	}
	free(kid);
	ranks_clear(&first);
	ranks_clear(&both);
	return joint;
}

/* May the second stand where the first does? */
static bool may_move(const struct joining *j, const struct statement_row *row, size_t first, size_t second)
{
	const struct ranks *of = who_of(j, row->at[second].node);
	struct ranks who = {0};
	bool good = of != NULL;
	if (good)
		ranks_copy(&who, of);
	for (size_t i = first + 1; i < second && good; i++)
		good = leaves_alone(j, row->at[i].node, &who);
	ranks_clear(&who);
	return good;
}

/* Both as one event, if that costs less; asked for again and again of the same. */
static node_id joint(struct joining *j, node_id a, node_id b)
{
	struct rewriting *r = j->r;
	node_id pair[] = {a, b};
	uint32_t known = intern_count(r->pairs), id = intern_id(r->pairs, pair, sizeof pair);
	r->joint = mem_grow(r->joint, &r->joint_capacity, (size_t)id + 1, sizeof *r->joint);
	if (id == known) {
		rewriting_spend(r, JOIN_STEPS);
		node_id both = joint_event(j, a, b);
		r->joint[id] = both && get(r, both)->cost < get(r, a)->cost + get(r, b)->cost ? both : NODE_NONE;
	}
	return r->joint[id];
}

/* Which of those that follow it saves the most; the same: none does. */
static size_t best_partner(struct joining *j, const struct statement_row *row, size_t of)
{
	struct rewriting *r = j->r;
	uint64_t saved = 0;
	size_t best = of;
	for (size_t k = of + 1; k < row->length && k <= of + JOIN_REACH; k++) {
		const struct node *a = get(r, row->at[of].node), *b = get(r, row->at[k].node);
		rewriting_spend(r, 1);
		if (b->kind != NODE_EVENT || a->sub != b->sub || !may_move(j, row, of, k))
			continue;
		uint64_t before = (uint64_t)a->cost + b->cost;
		node_id both = joint(j, row->at[of].node, row->at[k].node);
		if (both && before - get(r, both)->cost > saved) {
			saved = before - get(r, both)->cost;
			best = k;
		}
	}
	return best;
}

/* One event after the other takes all that it can. */
bool join_row(struct rewriting *r, const struct statement_row *row, struct statement_row *cheaper)
{
	struct joining j = {.r = r, .at = run_environment(r->run)};
	struct statement_row now = {0};
	for (size_t i = 0; i < row->length; i++)
		row_add(&now, row->at[i]);
	for (size_t i = 0; i < now.length && r->steps; i++) {
		if (get(r, now.at[i].node)->kind != NODE_EVENT)
			continue;
		for (size_t with; (with = best_partner(&j, &now, i)) != i;) {
			now.at[i].node = joint(&j, now.at[i].node, now.at[with].node);
			memmove(now.at + with, now.at + with + 1, (--now.length - with) * sizeof *now.at);
		}
	}
	bool any = now.length < row->length;
	if (any)
		*cheaper = now;
	else
		free(now.at);
	return any;
}
