/*
 * module_inline.c -- calls replaced by what they call: parameters are variables of a body, and an
 * argument is put in for them as a number of the place of the call, from where it is seen from as
 * many loops further in as stand around it in the body.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/module_read.h"

struct inlining {
	struct module *m;
	struct store *s;
	size_t *procedure_line; /* by node of a procedure: its first line behind the head; 0: none */
	struct inlined_line *line;
	size_t lines, line_capacity;
	size_t nested;
	struct error *error; /* set: what is below it is wrong */
	struct inlined_line wrong;
	node_id *kid; /* a stack: statements of the bodies around */
	size_t kids, kid_capacity;
};

/* Arguments where parameters stand; seen from so many loops further in. */
struct arguments {
	const node_id *argument;
	int64_t deeper;
};

/* ------------------------------------------------------------------ numbers */

static node_id replaced(struct store *, node_id, const struct arguments *);

static node_id as_sum(struct store *s, node_id id)
{
	return node_of(s, id)->kind == NODE_SUM ? id : number_of_factor(s, id);
}

/* What a factor comes to, as a sum. */
static node_id factor_replaced(struct store *s, node_id id, const struct arguments *a)
{
	const struct node *f = node_of(s, id);
	node_id kid[1 + TABLE_ARGUMENTS], depth = NODE_NONE;
	if (f->kind == NODE_VARIABLE) {
		bool parameter = f->number >= VARIABLE_PARAMETER && f->number < VARIABLE_INDEX;
		if (parameter && a->argument)
			return replaced(
				s, a->argument[f->number - VARIABLE_PARAMETER], &(struct arguments){NULL, a->deeper});
		depth = f->number >= VARIABLE_INDEX && !a->argument
				? node_make(s, NODE_VARIABLE, 0, 0, f->number + a->deeper, 0, NULL)
				: id;
		return number_of_factor(s, depth);
	}
	bool entry = f->kind == NODE_ENTRY;
	for (uint32_t k = 0; k < f->kids; k++) {
		kid[k] = entry && !k ? f->kid[k] : replaced(s, as_sum(s, f->kid[k]), a);
		const struct node *wrapped = node_of(s, number_single(s, kid[k]));
		if (entry && wrapped->kind == NODE_REMAINDER)
			kid[k] = number_wrapped(s, wrapped->kid[0], wrapped->kid[1]);
		if (!kid[k])
			return NODE_NONE;
	}
	if (entry && node_of(s, kid[0])->kind == NODE_VARIABLE && a->argument)
		kid[0] = a->argument[node_of(s, kid[0])->number - VARIABLE_PARAMETER];
	switch ((enum node_kind)f->kind) {
	case NODE_REMAINDER:
		return number_remainder(s, kid[0], kid[1]);
	case NODE_POWER:
		return number_power(s, kid[0], kid[1]);
	case NODE_PRODUCT:
		return number_multiply(s, kid[0], kid[1]);
	default:
		return number_of_factor(s, node_with(s, id, kid));
	}
}

static node_id number_replaced(struct store *s, node_id id, const struct arguments *a)
{
	const struct node *n = node_of(s, id);
	node_id sum = number_constant(s, n->number);
	for (uint32_t i = 0; i < n->kids; i++) {
		const struct node *t = node_of(s, n->kid[i]);
		node_id factor = factor_replaced(s, t->kid[0], a);
		sum = sum && factor ? number_add(s, sum, factor, t->number) : NODE_NONE;
	}
	return sum;
}

static bool is_moved(const struct node *n, const struct arguments *a)
{
	uint64_t uses = a->argument ? USES_PARAMETERS : a->deeper ? USES_INDICES : 0;
	return n->uses[FOR_ALL] & uses;
}

/* A number, or what has numbers, but no statements. NODE_NONE also where there is none. */
static node_id replaced(struct store *s, node_id id, const struct arguments *a)
{
	const struct node *n = node_of(s, id);
	if (!id || !is_moved(n, a))
		return id;
	if (n->kind == NODE_SUM)
		return number_replaced(s, id, a);
	node_id *kid = mem_array(n->kids, sizeof *kid), result = id;
	for (uint32_t k = 0; k < n->kids && result; k++) {
		kid[k] = replaced(s, n->kid[k], a);
		result = kid[k] || !n->kid[k] ? result : NODE_NONE;
	}
	if (result)
		result = n->kind == NODE_ATTRIBUTE ? attribute_of(s, n->word, kid[0], kid[1]) : node_with(s, id, kid);
	free(kid);
	return result;
}

/* ------------------------------------------------------------------ statements */

static void give_up(struct inlining *x, struct inlined_line here, const char *why)
{
	if (x->error->kind != ERROR_NONE)
		return;
	x->wrong = here;
	error_set(x->error, ERROR_INPUT, "%s", why);
}

static bool is_good(const struct inlining *x)
{
	return x->error->kind == ERROR_NONE;
}

#define BEYOND "with arguments put in, a number is beyond 64 bits"

/* Groups by a communicator that is the same for all are the set. */
static node_id settle_group(struct store *s, node_id event)
{
	const struct node *e = node_of(s, event), *who = node_of(s, e->kid[COLUMN_WHO]);
	int64_t number;
	if (node_of(s, e->kid[COLUMN_GROUP])->kind != NODE_BY_COMMUNICATOR || who->kind == NODE_WHERE ||
		!number_is_constant(s, e->kid[COLUMN_COMMUNICATOR], &number))
		return event;
	node_id *kid = mem_copy(e->kid, e->kids * sizeof *kid);
	kid[COLUMN_GROUP] = node_make(s, (enum node_kind)who->kind, 1, 0, who->number, 0, NULL);
	node_id result = node_with(s, event, kid);
	free(kid);
	return result;
}

/* Attributes whose choice is none are not there. */
static node_id event_replaced(struct inlining *x, node_id event, const struct arguments *a, struct inlined_line here)
{
	struct store *s = x->s;
	const struct node *e = node_of(s, event);
	if (!is_moved(e, a))
		return event;
	node_id *kid = mem_array(e->kids, sizeof *kid), result = event;
	uint32_t kids = 0;
	for (uint32_t k = 0; k < e->kids; k++) {
		const struct node *attribute = node_of(s, e->kid[k]);
		node_id number = k < COLUMNS ? NODE_NONE : replaced(s, attribute->kid[0], a);
		kid[kids] = k < COLUMNS ? replaced(s, e->kid[k], a)
			    : number    ? attribute_of(s, attribute->word, number, attribute->kid[1])
					: e->kid[k];
		bool lost = k < COLUMNS ? e->kid[k] && !kid[kids] : attribute->kid[0] && !number;
		if (lost)
			give_up(x, here, BEYOND);
		kids += k < COLUMNS || kid[kids];
	}
	if (is_good(x))
		result = settle_group(s, node_make(s, NODE_EVENT, e->sub, e->word, e->number, kids, kid));
	free(kid);
	return result;
}

static node_id body_replaced(
	struct inlining *, node_id body, const struct arguments *, size_t line, const struct inlined_line *call);

static void add_statement(struct inlining *x, node_id statement)
{
	*MEM_PUSH(x->kid, x->kids, x->kid_capacity) = statement;
}

static void statement_replaced(struct inlining *, node_id, const struct arguments *, struct inlined_line);

static void statements_replaced(
	struct inlining *x, node_id body, const struct arguments *a, size_t line, const struct inlined_line *call)
{
	for (uint32_t k = 0; k < node_of(x->s, body)->kids && is_good(x); k++) {
		node_id statement = node_kid(x->s, body, k);
		struct inlined_line here = {(uint32_t)line, call ? call->call : (uint32_t)line};
		statement_replaced(x, statement, a, here);
		line = module_line_behind(x->m, line, statement);
	}
}

static void call_replaced(struct inlining *x, node_id call, const struct arguments *a, struct inlined_line here)
{
	const struct node *n = node_of(x->s, call);
	node_id argument[PARAMETERS_LIMIT];
	for (uint32_t k = 1; k < n->kids; k++) {
		const struct node *given = node_of(x->s, n->kid[k]);
		bool table = given->kind == NODE_VARIABLE && a->argument;
		argument[k - 1] =
			table ? a->argument[given->number - VARIABLE_PARAMETER] : replaced(x->s, n->kid[k], a);
		if (!argument[k - 1])
			give_up(x, here, BEYOND);
	}
	if (is_good(x))
		statements_replaced(x, node_kid(x->s, n->kid[0], 0), &(struct arguments){argument, 0},
			x->procedure_line[n->kid[0]], &here);
}

static void statement_replaced(struct inlining *x, node_id id, const struct arguments *a, struct inlined_line here)
{
	const struct node *n = node_of(x->s, id);
	if (n->kind == NODE_CALL) {
		call_replaced(x, id, a, here);
		return;
	}
	*MEM_PUSH(x->line, x->lines, x->line_capacity) = here;
	if (n->kind == NODE_EVENT) {
		add_statement(x, event_replaced(x, id, a, here));
		return;
	}
	struct arguments inside = {a->argument, a->argument ? a->deeper + (n->kind == NODE_LOOP) : 0};
	node_id kid[3] = {n->kid[0], replaced(x->s, n->kid[1], a), NODE_NONE};
	if (!kid[1])
		give_up(x, here, BEYOND);
	if (++x->nested > NESTED_LIMIT)
		give_up(x, here, "with calls replaced, too many loops and guards are nested");
	kid[2] = body_replaced(x, n->kid[2], &inside, here.line + (size_t)1, here.call == here.line ? NULL : &here);
	x->nested--;
	add_statement(x, is_good(x) ? node_with(x->s, id, kid) : id);
}

static node_id body_replaced(
	struct inlining *x, node_id body, const struct arguments *a, size_t line, const struct inlined_line *call)
{
	size_t first = x->kids;
	statements_replaced(x, body, a, line, call);
	body = node_make(x->s, NODE_SEQUENCE, 0, 0, 0, (uint32_t)(x->kids - first), x->kid ? x->kid + first : NULL);
	x->kids = first;
	return body;
}

node_id module_inlined(struct module *m, struct inlined_line **line, struct inlined_line *wrong, struct error *error)
{
	struct inlining x = {.m = m, .s = m->store, .error = error};
	size_t at = node_of(m->store, m->body)->lines, most = 0;
	error->kind = ERROR_NONE;
	for (size_t i = 0; i < m->procedures; i++)
		most = m->procedure[i] > most ? m->procedure[i] : most;
	x.procedure_line = mem_zero((most + 1) * sizeof *x.procedure_line);
	for (size_t i = 0; i < m->procedures; i++) {
		x.procedure_line[m->procedure[i]] = at + 1;
		at += node_of(m->store, m->procedure[i])->lines;
	}
	node_id body = body_replaced(&x, m->body, &(struct arguments){NULL, 0}, 0, NULL);
	free(x.procedure_line);
	free(x.kid);
	*wrong = x.wrong;
	*line = x.line;
	return is_good(&x) ? body : NODE_NONE;
}

bool module_inline(struct module *m, struct error *error)
{
	struct inlined_line *line, wrong;
	if (node_of(m->store, m->body)->statements > MODULE_LINES)
		return error_set(
			error, ERROR_INPUT, "with calls replaced, the program has more than %u lines", MODULE_LINES);
	node_id body = module_inlined(m, &line, &wrong, error);
	if (!body) {
		free(line);
		return false;
	}
	size_t lines = node_of(m->store, body)->lines;
	uint32_t *sites = mem_array(lines + 1, sizeof *sites);
	for (size_t i = 0; i < lines; i++)
		sites[i] = line[i].line < m->lines ? m->sites[line[i].line] : SITES_NONE;
	free(m->sites);
	free(line);
	m->sites = sites;
	m->lines = lines;
	m->body = body;
	m->procedures = 0;
	return true;
}
