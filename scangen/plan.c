/*
 * plan.c -- requests in the order of the text, under the loops around them.
 *
 * Each request has a key, a number per level: 3k for the start of the statement on line k, 3k+1 for
 * what lies inside it, 3k+2 for its end; the start and the end of an iteration come before and behind all of
 * its body. Sorted by their keys, requests of one process never go back (positions ascend), and
 * those inside one loop stand together.
 */
#include "scangen/plan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"
#include "model/module_address.h"

#define FIRST 0
#define INSIDE 2 /* so that FIRST is before all */
#define LAST UINT64_MAX

struct keyed {
	const struct scan_request *request;
	size_t line;
	uint64_t *key;
	size_t levels;
	size_t number; /* among the requests */
};

static bool of_iteration(const struct scan_request *r)
{
	return r->end == POSITION_ITERATION || r->end == POSITION_ITERATION_END;
}

static void make_key(struct keyed *k, const struct store *s, const struct offsets *o)
{
	enum position_end end = k->request->end;
	struct located *way;
	size_t levels = offsets_way(o, k->line, &way);
	k->key = mem_array(levels + 1, sizeof *k->key);
	for (size_t d = 0; d < levels; d++)
		k->key[d] = 3 * (uint64_t)way[d].line + INSIDE;
	node_id statement = way[levels - 1].statement;
	if (node_of(s, statement)->kind == NODE_EVENT && !event_always_happens(s, statement)) {
		k->key[levels] = k->key[levels - 1];
		levels++;
	}
	if (end == POSITION_START)
		k->key[levels - 1]--;
	else if (end == POSITION_END)
		k->key[levels - 1]++;
	else
		k->key[levels++] = end == POSITION_ITERATION ? FIRST : LAST;
	k->levels = levels;
	free(way);
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
static bool check_coverage(const struct scan_request *r, const struct offsets *o, size_t line,
	const struct position_places *places, struct error *error)
{
	struct ranks covered = {0}, missing = {0};
	struct text who = {0}, all = {0};
	offsets_ranks(o, line, &covered);
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
static void find_idle(struct run *run, struct ranks *idle)
{
	struct environment at = {0};
	for (uint32_t rank = 0; rank < run_module(run)->processes; rank++) {
		run_start(run, rank, &at);
		if (!run_count(run, &at, run_module(run)->body))
			ranks_add(idle, rank);
	}
	free(at.index);
}

static void leave_out(struct position_places *places, const struct ranks *idle)
{
	size_t kept = 0;
	for (size_t i = 0; i < places->length && idle->length; i++) {
		struct position_place here = places->place[i];
		ranks_remove(&here.ranks, idle);
		if (here.ranks.length)
			places->place[kept++] = here;
		else
			polynomial_clear(&here.position);
	}
	places->length = idle->length ? kept : places->length;
}

static bool place_request(struct plan_get *g, const struct keyed *k, const struct offsets *o, const struct ranks *idle,
	struct error *error)
{
	const struct scan_request *r = k->request;
	g->request = r;
	offsets_places(o, k->line, r->end, r->ranks.length ? &r->ranks : NULL, &g->places);
	bool good = check_coverage(r, o, k->line, &g->places, error) && check_places(&g->places, error);
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
static void build(struct plan *plan, const struct module *m, const struct keyed *keyed, size_t first, size_t end,
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
		size_t line = (size_t)((keyed[i].key[level] - INSIDE) / 3);
		bool indexed = node_of(m->store, module_at(m, line).statement)->kind == NODE_LOOP;
		*add_item(body) = (struct plan_item){.is_loop = true, .loop = line, .indexed = indexed, .body = inner};
		build(plan, m, keyed, i, next, level + 1, depth + indexed, inner);
		i = next;
	}
}

static void collect_ranks(const struct plan *plan, struct plan_body *body)
{
	for (size_t i = 0; i < body->items; i++) {
		const struct plan_item *item = &body->item[i];
		if (item->is_loop) {
			collect_ranks(plan, item->body);
			ranks_join(&body->ranks, &item->body->ranks);
			continue;
		}
		const struct position_places *places = &plan->get[item->get].places;
		for (size_t k = 0; k < places->length; k++)
			ranks_join(&body->ranks, &places->place[k].ranks);
	}
}

static bool find_statement(struct keyed *k, const struct module *m, struct error *error)
{
	const struct scan_request *r = k->request;
	uint64_t place;
	if (!module_find(m, r->address, &place, error))
		return false;
	k->line = (size_t)place; /* there are no calls */
	if (of_iteration(r) && node_of(m->store, module_at(m, place).statement)->kind == NODE_EVENT)
		return error_set(
			error, ERROR_INPUT, "statement %s is an event: only loops have iterations", r->address);
	return true;
}

static bool key_all(struct keyed *keyed, const struct module *m, const struct offsets *o,
	const struct scan_requests *requests, const char *name, struct error *error)
{
	for (size_t i = 0; i < requests->length; i++) {
		keyed[i] = (struct keyed){.request = &requests->item[i], .number = i};
		if (!find_statement(&keyed[i], m, error))
			return told_at(keyed[i].request, name, error);
		make_key(&keyed[i], m->store, o);
	}
	qsort(keyed, requests->length, sizeof *keyed, by_key);
	return true;
}

static bool place_all(struct plan *plan, const struct keyed *keyed, struct run *run, const struct offsets *o,
	const char *name, struct error *error)
{
	struct ranks idle = {0};
	bool good = true;
	find_idle(run, &idle);
	for (size_t i = 0; i < plan->gets && good; i++)
		good = place_request(&plan->get[i], &keyed[i], o, &idle, error) ||
		       told_at(keyed[i].request, name, error);
	ranks_clear(&idle);
	return good;
}

bool plan_make(struct plan *plan, struct run *run, const struct offsets *o, const struct scan_requests *requests,
	const char *name, struct error *error)
{
	struct keyed *keyed = mem_zero((requests->length + 1) * sizeof *keyed);
	*plan = (struct plan){.get = mem_zero((requests->length + 1) * sizeof *plan->get), .gets = requests->length};
	const struct module *m = run_module(run);
	bool good = key_all(keyed, m, o, requests, name, error) && place_all(plan, keyed, run, o, name, error);
	if (good) {
		build(plan, m, keyed, 0, requests->length, 0, 0, &plan->root);
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
