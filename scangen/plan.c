/*
 * plan.c -- requests in the order of the text, under the loops around them.
 *
 * Each request has a key, a number per level: 3k for the start of statement k, 3k+1 for what lies
 * inside it, 3k+2 for its end; the start and the end of an iteration come before and behind all of
 * its body. Sorted by their keys, requests of one process never go back (positions ascend), and
 * those inside one loop stand together.
 */
#include "scangen/plan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"

#define FIRST 0
#define INSIDE 2 /* so that FIRST is before all */
#define LAST UINT64_MAX

struct keyed {
	const struct scan_request *request;
	size_t statement;
	uint64_t *key;
	size_t levels;
	size_t number; /* among the requests */
};

static bool of_iteration(const struct scan_request *r)
{
	return r->end == POSITION_ITERATION || r->end == POSITION_ITERATION_END;
}

static void make_key(struct keyed *k, const struct positions *p)
{
	enum position_end end = k->request->end;
	size_t depth = 0;
	for (size_t at = positions_around(p, k->statement); at != POSITIONS_PROGRAM; at = positions_around(p, at))
		depth++;
	k->key = mem_array(depth + 2, sizeof *k->key);
	k->levels = depth + 1;
	for (size_t at = k->statement, d = depth + 1; d--; at = positions_around(p, at))
		k->key[d] = 3 * (uint64_t)at + INSIDE;
	if (end == POSITION_START)
		k->key[depth]--;
	else if (end == POSITION_END)
		k->key[depth]++;
	else
		k->key[k->levels++] = end == POSITION_ITERATION ? FIRST : LAST;
}

static int by_key(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;
	for (size_t i = 0; i < a->levels && i < b->levels; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return a->levels != b->levels ? COMPARE(a->levels, b->levels) : COMPARE(a->number, b->number);
}

/* ------------------------------------------------------------------ positions */

static bool told_at(const struct scan_request *r, const char *name, struct error *error)
{
	return r->line ? error_at(error, "%s:%" PRIu64 ": get \"%s\"", name, r->line, r->label)
		       : error_at(error, "%s: %s", name, r->address);
}

/* places: of all who have a part in it, or of those asked for. */
static bool check_coverage(const struct scan_request *r, const struct positions *p, size_t statement,
	const struct position_places *places, struct error *error)
{
	struct ranks covered = {0}, missing = {0};
	struct text who = {0}, all = {0};
	positions_ranks(p, statement, &covered);
	ranks_subtract(&missing, &r->ranks, &covered);
	ranks_print_short(&missing, &who);
	ranks_print_short(&covered, &all);
	bool good = true;
	if (covered.length && missing.length)
		good = error_set(error, ERROR_INPUT, "statement %s covers the processes %s, not %s", r->address,
			all.data, who.data);
	else if (!places->length)
		good = error_set(error, ERROR_INPUT, "statement %s is never executed", r->address);
	ranks_clear(&covered);
	ranks_clear(&missing);
	text_clear(&who);
	text_clear(&all);
	return good;
}

static bool check_places(const struct position_places *places, struct error *error)
{
	for (size_t i = 0; i < places->length; i++)
		if (places->place[i].position.unknown)
			return error_set(error, ERROR_INPUT, "its position in process %" PRIu32 " goes beyond 64 bits",
				places->place[i].ranks.run[0].first);
	return true;
}

/* Who executes nothing, though statements name it: guards leave it out. */
static void find_idle(const struct positions *p, struct ranks *idle)
{
	struct ranks all = {0};
	struct ranks_walk walk = {0};
	positions_all(p, &all);
	for (uint32_t rank; ranks_next(&all, &walk, &rank);)
		if (!positions_stream(p, rank))
			ranks_add(idle, rank);
	ranks_clear(&all);
}

static void leave_out(struct position_places *places, const struct ranks *idle)
{
	size_t kept = 0;
	for (size_t i = 0; i < places->length && idle->length; i++) {
		struct position_place here = places->place[i];
		struct ranks rest = {0};
		ranks_subtract(&rest, &here.ranks, idle);
		ranks_clear(&here.ranks);
		here.ranks = rest;
		if (rest.length)
			places->place[kept++] = here;
		else
			polynomial_clear(&here.position);
	}
	places->length = idle->length ? kept : places->length;
}

static bool place_request(struct plan_get *g, const struct keyed *k, const struct positions *p,
	const struct ranks *idle, struct error *error)
{
	const struct scan_request *r = k->request;
	g->request = r;
	g->body = of_iteration(r) ? k->statement : positions_around(p, k->statement);
	positions_places(p, k->statement, r->end, r->ranks.length ? &r->ranks : NULL, &g->places);
	bool good = check_coverage(r, p, k->statement, &g->places, error) && check_places(&g->places, error);
	leave_out(&g->places, idle);
	return good;
}

/* ------------------------------------------------------------------ the tree */

static struct plan_item *add_item(struct plan_body *b)
{
	b->item = mem_grow(b->item, &b->capacity, b->items + 1, sizeof *b->item);
	b->item[b->items] = (struct plan_item){0};
	return &b->item[b->items++];
}

/* The requests from `first` to `end` share the loops down to this level; depth: without guards. */
static void build(struct plan *plan, const struct program *f, const struct keyed *keyed, size_t first, size_t end,
	size_t level, size_t depth, struct plan_body *body)
{
	if (depth > plan->depth)
		plan->depth = depth;
	for (size_t i = first; i < end;) {
		if (keyed[i].levels == level + 1) {
			add_item(body)->get = i++;
			continue;
		}
		size_t next = i + 1;
		while (next < end && keyed[next].levels > level + 1 && keyed[next].key[level] == keyed[i].key[level])
			next++;
		struct plan_body *inner = mem_zero(sizeof *inner);
		*add_item(body) = (struct plan_item){
			.is_loop = true, .loop = (size_t)((keyed[i].key[level] - INSIDE) / 3), .body = inner};
		bool guard = statement_guard(&f->statement[body->item[body->items - 1].loop]);
		build(plan, f, keyed, i, next, level + 1, depth + !guard, inner);
		i = next;
	}
}

static void unite(struct ranks *all, const struct ranks *more)
{
	struct ranks both = {0};
	ranks_unite(&both, all, more);
	ranks_clear(all);
	*all = both;
}

static void collect_ranks(const struct plan *plan, struct plan_body *body)
{
	for (size_t i = 0; i < body->items; i++) {
		const struct plan_item *item = &body->item[i];
		if (item->is_loop) {
			collect_ranks(plan, item->body);
			unite(&body->ranks, &item->body->ranks);
			continue;
		}
		const struct position_places *places = &plan->get[item->get].places;
		for (size_t k = 0; k < places->length; k++)
			unite(&body->ranks, &places->place[k].ranks);
	}
}

static bool find_statement(struct keyed *k, const struct program *f, struct error *error)
{
	const struct scan_request *r = k->request;
	if (!program_find(f, r->address, &k->statement, error))
		return false;
	if (of_iteration(r) && !statement_is_loop(&f->statement[k->statement]))
		return error_set(
			error, ERROR_INPUT, "statement %s is an event: only loops have iterations", r->address);
	k->statement += statement_is_in_line(&f->statement[k->statement]); /* the event of who is named */
	return true;
}

static bool key_all(struct keyed *keyed, const struct program *f, const struct positions *p,
	const struct scan_requests *requests, const char *name, struct error *error)
{
	for (size_t i = 0; i < requests->length; i++) {
		keyed[i] = (struct keyed){.request = &requests->item[i], .number = i};
		if (!find_statement(&keyed[i], f, error))
			return told_at(keyed[i].request, name, error);
		make_key(&keyed[i], p);
	}
	qsort(keyed, requests->length, sizeof *keyed, by_key);
	return true;
}

static bool place_all(
	struct plan *plan, const struct keyed *keyed, const struct positions *p, const char *name, struct error *error)
{
	struct ranks idle = {0};
	bool good = true;
	find_idle(p, &idle);
	for (size_t i = 0; i < plan->gets && good; i++)
		good = place_request(&plan->get[i], &keyed[i], p, &idle, error) ||
		       told_at(keyed[i].request, name, error);
	ranks_clear(&idle);
	return good;
}

bool plan_make(struct plan *plan, const struct program *f, const struct positions *p,
	const struct scan_requests *requests, const char *name, struct error *error)
{
	struct keyed *keyed = mem_zero((requests->length + 1) * sizeof *keyed);
	*plan = (struct plan){.get = mem_zero((requests->length + 1) * sizeof *plan->get), .gets = requests->length};
	bool good = key_all(keyed, f, p, requests, name, error) && place_all(plan, keyed, p, name, error);
	if (good) {
		build(plan, f, keyed, 0, requests->length, 0, 0, &plan->root);
		collect_ranks(plan, &plan->root);
	}
	for (size_t i = 0; i < requests->length; i++)
		free(keyed[i].key);
	free(keyed);
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
	for (size_t i = 0; i < plan->gets; i++)
		position_places_clear(&plan->get[i].places);
	free(plan->get);
	clear_body(&plan->root);
}
