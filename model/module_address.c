/*
 * module_address.c -- the statements of a body are counted through its calls.
 */
#include "model/module_address.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/function_address.h"
#include "model/lines.h"

/* On the way to a statement: a body, and the line and place at hand. */
struct way {
	const struct module *m;
	const struct store *s;
	node_id body;
	size_t line;
	uint64_t place;
};

static struct way start(const struct module *m)
{
	return (struct way){.m = m, .s = m->store, .body = m->body};
}

/* Into the statement at hand: a loop, a guard, or a call. */
static struct way enter(const struct way *w, node_id statement)
{
	const struct node *n = node_of(w->s, statement);
	struct way inside = {w->m, w->s, n->kid[2], w->line + 1, w->place + 1};
	if (n->kind != NODE_CALL)
		return inside;
	inside.body = node_kid(w->s, n->kid[0], 0);
	inside.place = w->place;
	inside.line = 1 + (size_t)node_of(w->s, w->m->body)->lines;
	for (size_t i = 0; i < w->m->procedures && w->m->procedure[i] != n->kid[0]; i++)
		inside.line += node_of(w->s, w->m->procedure[i])->lines;
	return inside;
}

/* Goes to the statement of a body that is at the place, or has it inside, or that comes behind so
   many others; these are counted. A call of nothing is none. */
static node_id go_to(struct way *w, uint64_t place, uint64_t index, uint64_t *before)
{
	const struct node *n = node_of(w->s, w->body);
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *kid = node_of(w->s, n->kid[k]);
		if (kid->kind == NODE_CALL && kid->statements) {
			struct way inside = enter(w, n->kid[k]);
			node_id found = go_to(&inside, place, index, before);
			if (found) {
				*w = inside;
				return found;
			}
		} else if (kid->kind != NODE_CALL) {
			if (place < w->place + kid->statements || *before == index)
				return n->kid[k];
			++*before;
		}
		w->line += kid->lines;
		w->place += kid->statements;
	}
	return NODE_NONE;
}

/* address: what it is, or NULL. */
static struct located locate(const struct module *m, uint64_t place, struct text *address)
{
	struct way w = start(m);
	for (const char *dot = "";; dot = ".") {
		uint64_t before = 0;
		node_id statement = go_to(&w, place, UINT64_MAX, &before);
		if (address)
			text_format(address, "%s%" PRIu64, dot, before);
		if (!statement || w.place == place)
			return (struct located){statement, w.line};
		w = enter(&w, statement);
	}
}

struct located module_at(const struct module *m, uint64_t place)
{
	return locate(m, place, NULL);
}

void module_address(const struct module *m, uint64_t place, struct text *text)
{
	locate(m, place, text);
}

/* ------------------------------------------------------------------ by address */

/* begin: where the index that is too large stands in the address. */
static bool no_statement(
	const char *address, const char *begin, uint64_t statements, uint64_t index, struct error *error)
{
	int before = begin > address ? (int)(begin - address - 1) : 0;
	const char *where = before ? address : "the model";
	before = before ? before : (int)strlen(where);
	if (!statements)
		return error_set(
			error, ERROR_INPUT, "no construct at %s: %.*s has no constructs", address, before, where);
	return error_set(error, ERROR_INPUT,
		"no construct at %s: the constructs of %.*s are numbered 0 to %" PRIu64 ", not %" PRIu64, address,
		before, where, statements - 1, index);
}

/* next: where in the address the indices begin. */
static bool find_in(struct way w, const char *address, const char *next, uint64_t *place, struct error *error)
{
	for (;; next++) {
		const char *begin = next;
		uint64_t index, before = 0;
		if (!text_read_number(&next, UINT64_MAX, &index) || (*next && *next != '.'))
			return error_set(error, ERROR_INPUT,
				"'%s' is not an address: numbers separated by dots, as in 2.0.1", address);
		node_id statement = go_to(&w, UINT64_MAX, index, &before);
		if (!statement)
			return no_statement(address, begin, before, index, error);
		*place = w.place;
		if (!*next)
			return true;
		if (node_of(w.s, statement)->kind == NODE_EVENT)
			return error_set(error, ERROR_INPUT, "no construct at %s: %.*s is an event, not a loop",
				address, (int)(next - address), address);
		w = enter(&w, statement);
	}
}

static bool find_in_function(const struct module *m, const char *address, uint64_t *place, struct error *error)
{
	struct function_body f;
	if (!function_find(m, address, &f, error))
		return false;
	uint32_t count = node_of(m->store, f.body)->kids;
	*place = f.line;
	if (!f.inside && count > 1)
		return error_set(error, ERROR_INPUT, "%s has %" PRIu32 " constructs: %s/0 to %s/%" PRIu32, address,
			count, address, address, count - 1);
	return !f.inside || find_in((struct way){m, m->store, f.body, f.line, f.line}, address, f.inside, place, error);
}

bool module_find(const struct module *m, const char *address, uint64_t *place, struct error *error)
{
	bool of_function = *address && !is_digit(*address);
	return of_function ? find_in_function(m, address, place, error)
			   : find_in(start(m), address, address, place, error);
}

/* ------------------------------------------------------------------ all */

/* around: that of the body, with its dot; index: of its first statement. */
static void add_addresses(
	const struct store *s, node_id body, const char *around, uint64_t *index, struct module_addresses *a)
{
	const struct node *n = node_of(s, body);
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *kid = node_of(s, n->kid[k]);
		if (kid->kind == NODE_CALL) {
			if (kid->statements)
				add_addresses(s, node_kid(s, kid->kid[0], 0), around, index, a);
			continue;
		}
		struct text address = {0};
		uint64_t inside = 0;
		text_format(&address, "%s%" PRIu64, around, (*index)++);
		*MEM_PUSH(a->start, a->count, a->capacity) = a->words.length;
		text_add(&a->words, address.data, address.length + 1);
		text_char(&address, '.');
		if (kid->kind != NODE_EVENT)
			add_addresses(s, kid->kid[2], address.data, &inside, a);
		text_clear(&address);
	}
}

struct module_addresses module_addresses_of(const struct module *m)
{
	struct module_addresses a = {0};
	uint64_t index = 0;
	add_addresses(m->store, m->body, "", &index, &a);
	return a;
}

const char *module_addresses_get(const struct module_addresses *a, uint64_t place)
{
	return a->words.data + a->start[place];
}

void module_addresses_clear(struct module_addresses *a)
{
	text_clear(&a->words);
	free(a->start);
	*a = (struct module_addresses){0};
}
