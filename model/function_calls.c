/*
 * function_calls.c -- the innermost function that holds all events of a statement, from the inside
 * out; then calls, from the outside in.
 */
#include "model/function_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "model/body_names.h"
#include "model/call_paths.h"

struct adding {
	struct draft *draft;
	struct site_places *places;
	struct module_line *line;
	uint32_t *holder; /* by line: the innermost function that holds it, as a path that ends in its
			     name; CALL_PATH_NONE */
	struct program_calls calls; /* with those that are new */
	size_t next; /* of the old ones, that are not among these */
	uint32_t least;
};

/* Statements that stay together: one, or what is called, and the `else` of a guard. */
struct unit {
	size_t end;
	uint32_t holder;
	bool called;
};

static const struct node *statement_at(const struct adding *a, size_t line)
{
	return node_of(a->draft->module->store, a->line[line].node);
}

static uint32_t calls_around(const struct adding *a, uint32_t holder)
{
	return call_paths_frame(a->places->paths, holder)->depth - 1;
}

/* The function of a path inside of so many calls. */
static uint32_t function_in(struct adding *a, uint32_t path, uint32_t calls)
{
	const struct call_frame *f =
		call_paths_frame(a->places->paths, call_paths_outer(a->places->paths, path, calls + 1));
	return call_paths_inside(a->places->paths, f->caller, *f->name ? f->name : f->words);
}

static uint32_t common(struct adding *a, uint32_t left, uint32_t right)
{
	if (left == right || left == CALL_PATH_NONE || right == CALL_PATH_NONE)
		return left == right ? left : CALL_PATH_NONE;
	uint32_t calls = calls_around(a, left), other = calls_around(a, right), same = CALL_PATH_NONE;
	for (uint32_t k = 0; k <= calls && k <= other; k++) {
		uint32_t own = function_in(a, left, k);
		if (own != function_in(a, right, k))
			break;
		same = own;
	}
	return same;
}

static uint32_t holder_of_all(struct adding *a, size_t from, size_t to)
{
	uint32_t holder = from < to ? a->holder[from] : CALL_PATH_NONE;
	for (size_t i = from; i < to; i += statement_at(a, i)->lines)
		holder = common(a, holder, a->holder[i]);
	return holder;
}

/* Of a loop that its sites tell as it stands; else that of what is inside. */
static uint32_t holder_of(struct adding *a, size_t at)
{
	const uint32_t *site;
	const struct node *n = statement_at(a, at);
	size_t sites = sites_get(a->places, a->draft->module->sites[at], &site);
	uint32_t holder = CALL_PATH_NONE;
	if (!sites && n->kind != NODE_EVENT)
		return holder_of_all(a, at + 1, at + n->lines);
	for (size_t k = 0; k < sites; k++) {
		uint32_t own = function_in(a, site[k], call_paths_frame(a->places->paths, site[k])->depth - 1);
		holder = k ? common(a, holder, own) : own;
	}
	return holder;
}

/* ------------------------------------------------------------------ units */

static struct unit unit_at(struct adding *a, size_t at, size_t to)
{
	const struct program_calls *calls = &a->draft->calls;
	size_t old = a->next;
	while (old < calls->length && calls->call[old].start < at)
		old++;
	bool called = old < calls->length && calls->call[old].start == at && calls->call[old].end <= to;
	size_t end = called ? calls->call[old].end : at + statement_at(a, at)->lines;
	while (end < to && statement_at(a, end)->kind == NODE_GUARD && statement_at(a, end)->sub)
		end += statement_at(a, end)->lines;
	return (struct unit){end, holder_of_all(a, at, end), called};
}

/* The function that the one around calls for it; CALL_PATH_NONE: it is in that one. */
static uint32_t called_for(struct adding *a, const struct unit *u, uint32_t calls)
{
	bool inside = u->holder != CALL_PATH_NONE && calls_around(a, u->holder) > calls;
	return inside ? function_in(a, u->holder, calls + 1) : CALL_PATH_NONE;
}

static bool is_condition(const struct adding *a, size_t at, size_t end)
{
	const struct node *n = statement_at(a, at);
	return n->kind == NODE_GUARD && !n->sub && at + n->lines == end;
}

/* Old calls that begin before this statement. */
static void keep_calls(struct adding *a, size_t end)
{
	const struct program_calls *old = &a->draft->calls;
	for (; a->next < old->length && old->call[a->next].start < end; a->next++) {
		struct program_call call = old->call[a->next];
		call.procedure += call.procedure < old->names ? 0 : (uint32_t)a->draft->module->lines;
		*MEM_PUSH(a->calls.call, a->calls.length, a->calls.capacity) = call;
	}
}

static void add_call(struct adding *a, size_t from, size_t to, uint32_t function)
{
	struct text name = {0};
	body_name_of_function(call_paths_frame(a->places->paths, function)->name, &name);
	if (name.length && strspn(name.data, "_") < name.length) /* or left out */
		*MEM_PUSH(a->calls.call, a->calls.length, a->calls.capacity) =
			(struct program_call){from, to, program_calls_name(&a->calls, name.data)};
	text_clear(&name);
}

/* calls: around the function that holds the list. Recursion as deep as loops nest and functions
   call each other. */
static void add_list(struct adding *a, size_t from, size_t to, uint32_t calls)
{
	for (size_t at = from, end; at < to; at = end) {
		struct unit unit = unit_at(a, at, to);
		uint32_t called = called_for(a, &unit, calls);
		bool several = false;
		for (end = unit.end; called != CALL_PATH_NONE && end < to; several = true) {
			struct unit next = unit_at(a, end, to);
			if (called_for(a, &next, calls) != called)
				break;
			unit.holder = common(a, unit.holder, next.holder);
			end = next.end;
		}
		if (unit.called && !several) {
			/* it is a procedure already */
		} else if (called == CALL_PATH_NONE || is_condition(a, at, end)) {
			for (size_t i = at; i < end; i += statement_at(a, i)->lines)
				add_list(a, i + 1, i + statement_at(a, i)->lines, calls);
		} else if (end - at >= a->least) {
			add_call(a, at, end, unit.holder);
			add_list(a, at, end, calls_around(a, unit.holder));
		}
		keep_calls(a, end);
	}
}

/* ------------------------------------------------------------------ sites */

/* Do two calls of a function make the same calls of MPI, whoever calls it? */
static bool are_alike(const struct adding *d, const struct program_call *a, const struct program_call *b)
{
	const uint32_t *sites = d->draft->module->sites;
	bool alike = a->procedure == b->procedure && a->end - a->start == b->end - b->start;
	for (size_t i = 0; alike && i < a->end - a->start; i++) {
		struct text left = {0}, right = {0};
		sites_print_whole(d->places, sites[a->start + i], &left);
		sites_print_whole(d->places, sites[b->start + i], &right);
		alike = statement_at(d, a->start + i)->lines == statement_at(d, b->start + i)->lines &&
			left.length == right.length && (!left.length || !memcmp(left.data, right.data, left.length));
		text_clear(&left);
		text_clear(&right);
	}
	return alike;
}

static uint32_t both_sites(struct site_places *places, uint32_t a, uint32_t b)
{
	const uint32_t *left, *right;
	size_t lefts = sites_get(places, a, &left), rights = sites_get(places, b, &right);
	uint32_t *all = mem_array(lefts + rights, sizeof *all);
	memcpy(all, left, lefts * sizeof *all);
	memcpy(all + lefts, right, rights * sizeof *all);
	uint32_t both = sites_know(places, all, lefts + rights);
	free(all);
	return both;
}

/* A line of a procedure is one line for all its calls. */
static void unite_sites(struct adding *a)
{
	const struct program_calls *c = &a->draft->calls;
	uint32_t *sites = a->draft->module->sites;
	for (size_t i = 0; i < c->length; i++)
		for (size_t k = i + 1; k < c->length; k++) {
			if (!are_alike(a, &c->call[i], &c->call[k]))
				continue;
			for (size_t at = 0; at < c->call[i].end - c->call[i].start; at++) {
				uint32_t *x = &sites[c->call[i].start + at], *y = &sites[c->call[k].start + at];
				if (*x != *y && *x != SITES_NONE && *y != SITES_NONE)
					*x = *y = both_sites(a->places, *x, *y);
			}
		}
}

bool function_calls_add(struct draft *d, uint32_t least)
{
	size_t lines = d->module->lines;
	struct adding a = {.draft = d,
		.places = &d->module->places,
		.line = module_statements(d->module),
		.holder = mem_array(lines + 1, sizeof *a.holder),
		.least = least};
	for (size_t i = 0; i < d->calls.names; i++)
		program_calls_name(&a.calls, d->calls.name[i]);
	for (size_t i = lines; i-- > 0;)
		a.holder[i] = holder_of(&a, i);
	add_list(&a, 0, lines, 0);
	bool any = a.calls.length > d->calls.length;
	program_calls_clear(&d->calls);
	d->calls = a.calls;
	unite_sites(&a);
	free(a.line);
	free(a.holder);
	return any;
}
