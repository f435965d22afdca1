/*
 * plan.c -- requests in the order of the listing, under the loops around them.
 *
 * Each request has a key, a number per level: 3k for the start of construct k, 3k+1 for what lies inside it, 3k+2 for its end; the start and the end of an iteration come
 * before and behind all of its body. Sorted by their keys, requests of one process never go back (positions ascend), and those inside one loop
 * stand together.
 */
#include "scangen/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/nest_coverage.h"

#define FIRST 0
#define INSIDE 2 /* so that FIRST is before all */
#define LAST UINT64_MAX

/* Polynomials that a process is compared with, to find one that it shares. */
#define LOOK_BACK 64

struct keyed {
	const struct scan_request *request;
	uint64_t *key;
	size_t levels;
	size_t number; /* among the requests */
};

static void make_key(struct keyed *k, const struct nest_position_path *path)
{
	enum nest_position_end end = k->request->end;
	bool iteration = end == NEST_POSITION_ITERATION || end == NEST_POSITION_ITERATION_END;
	k->key = mem_array(path->depth + 2, sizeof *k->key);
	for (size_t d = 0; d <= path->depth; d++)
		k->key[d] = 3 * (uint64_t)path->step[d] + INSIDE;
	k->levels = path->depth + 1;
	if (end == NEST_POSITION_START)
		k->key[path->depth]--;
	else if (end == NEST_POSITION_END)
		k->key[path->depth]++;
	else
		k->key[k->levels++] = iteration && end == NEST_POSITION_ITERATION ? FIRST : LAST;
}

static int by_key(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;
	for (size_t i = 0; i < a->levels && i < b->levels; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	if (a->levels != b->levels)
		return a->levels < b->levels ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* ------------------------------------------------------------------ positions */

static bool told_at(const struct scan_request *r, const char *name, struct error *error)
{
	return r->line ? error_at(error, "%s:%" PRIu64 ": get \"%s\"", name, r->line, r->label)
		       : error_at(error, "%s: %s", name, r->address);
}

/* Who takes part in the construct. */
static void covered_ranks(const struct nest_positions *p, const struct nest_position_path *path, struct ranks *ranks)
{
	size_t runs;
	const struct nest_position_run *run = nest_positions_starts(p, path->body[path->depth], path->step[path->depth], &runs);
	for (size_t i = 0; i < runs; i++)
		ranks_add_run(ranks, run[i].first, run[i].last);
}

static bool check_coverage(const struct scan_request *r, const struct ranks *covered, struct error *error)
{
	struct ranks missing = {0};
	struct text who = {0}, all = {0};
	ranks_subtract(&missing, &r->ranks, covered);
	bool good = !missing.length && covered->length;
	if (!good) {
		ranks_print(&missing, &who);
		ranks_print(covered, &all);
		if (covered->length)
			error_set(
				error, ERROR_INPUT, "construct %s covers the processes %s, not %s", r->address, all.data, who.data);
		else
			error_set(error, ERROR_INPUT, "construct %s is never executed", r->address);
	}
	ranks_clear(&missing);
	text_clear(&who);
	text_clear(&all);
	return good;
}

static void add_place(struct plan_get *g, size_t *capacity, uint32_t rank, struct polynomial *position)
{
	for (size_t i = g->places, steps = LOOK_BACK; i-- > 0 && steps--;) {
		if (!polynomial_equal(&g->place[i].position, position))
			continue;
		ranks_add(&g->place[i].ranks, rank);
		polynomial_clear(position);
		return;
	}
	g->place = mem_grow(g->place, capacity, g->places + 1, sizeof *g->place);
	g->place[g->places++] = (struct plan_place){.position = *position};
	ranks_add(&g->place[g->places - 1].ranks, rank);
}

static bool place_request(
	struct plan_get *g, const struct keyed *k, const struct nest_positions *p, const struct nest_position_path *path, struct error *error)
{
	struct ranks covered = {0};
	size_t capacity = 0;
	covered_ranks(p, path, &covered);
	bool good = check_coverage(k->request, &covered, error);
	struct ranks_walk walk = {0};
	const struct ranks *ranks = k->request->ranks.length ? &k->request->ranks : &covered;
	g->request = k->request;
	for (uint32_t rank; good && ranks_next(ranks, &walk, &rank);) {
		struct polynomial position = {0};
		good = nest_positions_polynomial(p, path, k->request->end, rank, &position, error);
		if (good)
			add_place(g, &capacity, rank, &position);
	}
	ranks_clear(&covered);
	return good;
}

/* ------------------------------------------------------------------ the tree */

static struct plan_item *add_item(struct plan_body *b)
{
	b->item = mem_grow(b->item, &b->capacity, b->items + 1, sizeof *b->item);
	b->item[b->items] = (struct plan_item){0};
	return &b->item[b->items++];
}

/* The requests from `first` to `end` share the loops down to this level, the body of which is `nodes`. */
static void build(struct plan *plan, const struct nest *n, const struct keyed *keyed, size_t first, size_t end, size_t level,
	struct body nodes, struct plan_body *body)
{
	if (level > plan->depth)
		plan->depth = level;
	for (size_t i = first; i < end;) {
		if (keyed[i].levels == level + 1) {
			add_item(body)->get = i++;
			continue;
		}
		size_t next = i + 1;
		while (next < end && keyed[next].levels > level + 1 && keyed[next].key[level] == keyed[i].key[level])
			next++;
		node loop = nodes.node[(keyed[i].key[level] - INSIDE) / 3];
		struct plan_body *inner = mem_zero(sizeof *inner);
		*add_item(body) = (struct plan_item){.is_loop = true, .count = nest_get(n, loop)->count, .body = inner};
		build(plan, n, keyed, i, next, level + 1, nest_body(n, loop), inner);
		i = next;
	}
}

static void collect_ranks(const struct plan *plan, struct plan_body *body)
{
	for (size_t i = 0; i < body->items; i++) {
		const struct plan_item *item = &body->item[i];
		if (item->is_loop)
			collect_ranks(plan, item->body);
		size_t sets = item->is_loop ? 1 : plan->get[item->get].places;
		for (size_t k = 0; k < sets; k++) {
			struct ranks both = {0};
			ranks_unite(&both, &body->ranks, item->is_loop ? &item->body->ranks : &plan->get[item->get].place[k].ranks);
			ranks_clear(&body->ranks);
			body->ranks = both;
		}
	}
}

static bool find_path(struct keyed *k, const struct model *m, struct nest_position_path *path, struct error *error)
{
	const struct scan_request *r = k->request;
	bool iteration = r->end == NEST_POSITION_ITERATION || r->end == NEST_POSITION_ITERATION_END;
	if (!nest_positions_path(m, r->address, path, error))
		return false;
	if (iteration && !node_is_loop(path->found))
		return error_set(error, ERROR_INPUT, "construct %s is an event: only loops have iterations", r->address);
	return true;
}

static bool key_all(struct keyed *keyed, const struct model *m, const struct scan_requests *requests, const char *name,
	struct nest_position_path *path, struct error *error)
{
	for (size_t i = 0; i < requests->length; i++) {
		keyed[i] = (struct keyed){.request = &requests->item[i], .number = i};
		if (!find_path(&keyed[i], m, path, error))
			return told_at(keyed[i].request, name, error);
		make_key(&keyed[i], path);
	}
	qsort(keyed, requests->length, sizeof *keyed, by_key);
	return true;
}

static bool place_all(struct plan *plan, const struct keyed *keyed, const struct model *m, const struct nest_positions *p,
	const char *name, struct nest_position_path *path, struct error *error)
{
	for (size_t i = 0; i < plan->gets; i++)
		if (!nest_positions_path(m, keyed[i].request->address, path, error) ||
			!place_request(&plan->get[i], &keyed[i], p, path, error))
			return told_at(keyed[i].request, name, error);
	return true;
}

bool plan_make(struct plan *plan, const struct model *m, const struct nest_positions *p, const struct scan_requests *requests,
	const char *name, struct error *error)
{
	struct keyed *keyed = mem_zero((requests->length + 1) * sizeof *keyed);
	struct nest_position_path *path = mem_alloc(sizeof *path);
	*plan = (struct plan){.get = mem_zero((requests->length + 1) * sizeof *plan->get), .gets = requests->length};
	bool good = key_all(keyed, m, requests, name, path, error) && place_all(plan, keyed, m, p, name, path, error);
	if (good) {
		build(plan, m->nest, keyed, 0, requests->length, 0, (struct body){m->nest->root, m->nest->root_length},
			&plan->root);
		collect_ranks(plan, &plan->root);
	}
	for (size_t i = 0; i < requests->length; i++)
		free(keyed[i].key);
	free(keyed);
	free(path);
	return good;
}

static void clear_body(struct plan_body *body)
{
	for (size_t i = 0; i < body->items; i++) {
		if (!body->item[i].is_loop)
			continue;
		clear_body(body->item[i].body);
		free(body->item[i].body);
	}
	free(body->item);
	ranks_clear(&body->ranks);
}

void plan_clear(struct plan *plan)
{
	for (size_t i = 0; i < plan->gets; i++) {
		for (size_t k = 0; k < plan->get[i].places; k++) {
			ranks_clear(&plan->get[i].place[k].ranks);
			polynomial_clear(&plan->get[i].place[k].position);
		}
		free(plan->get[i].place);
	}
	free(plan->get);
	clear_body(&plan->root);
}
