/*
 * module_address.c -- the statements of a body are counted through its calls.
 */
#include "model/module_address.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/lines.h"

/* On the way to a statement: a body, and its first line and place. */
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

static node_id inside_of(const struct way *w, node_id statement)
{
	const struct node *n = node_of(w->s, statement);
	bool body = n->kind == NODE_LOOP || n->kind == NODE_GUARD;
	return n->kind == NODE_CALL ? node_kid(w->s, n->kid[0], 0) : body ? n->kid[2] : NODE_NONE;
}

static size_t line_of_procedure(const struct module *m, node_id procedure)
{
	size_t line = node_of(m->store, m->body)->lines;
	for (size_t i = 0; i < m->procedures && m->procedure[i] != procedure; i++)
		line += node_of(m->store, m->procedure[i])->lines;
	return line;
}

/* Into a statement that is at hand, which is a loop or a guard, or into a call. */
static struct way enter(const struct way *w, node_id statement)
{
	struct way inside = *w;
	bool call = node_of(w->s, statement)->kind == NODE_CALL;
	inside.line = 1 + (call ? line_of_procedure(w->m, node_kid(w->s, statement, 0)) : w->line);
	inside.place += !call;
	inside.body = inside_of(w, statement);
	return inside;
}

static void pass(struct way *w, node_id statement)
{
	w->line += node_of(w->s, statement)->lines;
	w->place += node_of(w->s, statement)->statements;
}

/* Statements of a body, those of calls among them; a call of nothing is none. */
static uint64_t count_constructs(const struct store *s, node_id body)
{
	const struct node *n = node_of(s, body);
	uint64_t count = 0;
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *kid = node_of(s, n->kid[k]);
		bool call = kid->kind == NODE_CALL;
		count += !call ? 1 : kid->statements ? count_constructs(s, node_kid(s, kid->kid[0], 0)) : 0;
	}
	return count;
}

/* ------------------------------------------------------------------ by place */

/* Goes to the statement of a body at the place, or around it; before: so many others come before it
   there. */
static node_id go_to_place(struct way *w, uint64_t place, uint64_t *before)
{
	const struct node *n = node_of(w->s, w->body);
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *kid = node_of(w->s, n->kid[k]);
		bool call = kid->kind == NODE_CALL;
		if (place >= w->place + kid->statements) {
			*before += !call ? 1 : kid->statements ? count_constructs(w->s, inside_of(w, n->kid[k])) : 0;
			pass(w, n->kid[k]);
			continue;
		}
		if (!call)
			return n->kid[k];
		*w = enter(w, n->kid[k]);
		return go_to_place(w, place, before);
	}
	return NODE_NONE;
}

struct located module_at(const struct module *m, uint64_t place)
{
	struct way w = start(m);
	for (uint64_t before = 0;;) {
		node_id statement = go_to_place(&w, place, &before);
		if (!statement || w.place == place)
			return (struct located){statement, w.line};
		w = enter(&w, statement);
	}
}

void module_address(const struct module *m, uint64_t place, struct text *text)
{
	struct way w = start(m);
	for (bool inside = false;; inside = true) {
		uint64_t before = 0;
		node_id statement = go_to_place(&w, place, &before);
		text_format(text, inside ? ".%" PRIu64 : "%" PRIu64, before);
		if (!statement || w.place == place)
			return;
		w = enter(&w, statement);
	}
}

/* ------------------------------------------------------------------ by address */

/* Goes to the statement of a body that has so many before it. */
static node_id go_to_index(struct way *w, uint64_t *index)
{
	const struct node *n = node_of(w->s, w->body);
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *kid = node_of(w->s, n->kid[k]);
		bool call = kid->kind == NODE_CALL;
		if (!call && !(*index)--)
			return n->kid[k];
		if (call && kid->statements) {
			struct way inside = enter(w, n->kid[k]);
			node_id found = go_to_index(&inside, index);
			if (found) {
				*w = inside;
				return found;
			}
		}
		pass(w, n->kid[k]);
	}
	return NODE_NONE;
}

/* begin: where the index that is too large stands in the address. */
static bool no_statement(
	const struct way *w, const char *address, const char *begin, uint64_t index, struct error *error)
{
	uint64_t statements = count_constructs(w->s, w->body);
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

bool module_find(const struct module *m, const char *address, uint64_t *place, struct error *error)
{
	struct way w = start(m);
	for (const char *next = address;; next++) {
		const char *begin = next;
		uint64_t index, left;
		if (!text_read_number(&next, UINT64_MAX, &index) || (*next && *next != '.'))
			return error_set(error, ERROR_INPUT,
				"'%s' is not an address: numbers separated by dots, as in 2.0.1", address);
		struct way body = w;
		left = index;
		node_id statement = go_to_index(&w, &left);
		if (!statement)
			return no_statement(&body, address, begin, index, error);
		*place = w.place;
		if (!*next)
			return true;
		if (!inside_of(&w, statement))
			return error_set(error, ERROR_INPUT, "no construct at %s: %.*s is an event, not a loop",
				address, (int)(next - address), address);
		w = enter(&w, statement);
	}
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
		a->start = mem_grow(a->start, &a->capacity, a->count + 1, sizeof *a->start);
		a->start[a->count++] = a->words.length;
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
