/*
 * module_parts.c -- a body made anew by one walk. Calls are replaced by what they call: parameters
 * are variables of a body, and an argument is put in for them as it is seen from as many loops
 * further in as stand around it there. What one process has of a body is made by the same walk: its
 * number and its coordinates are put in, what comes out then is a number, and its place on the grid
 * becomes a rank. What does not change is the same node.
 */
#include "model/module_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/module_read.h"
#include "model/member_sets.h"

#define PLAIN_REMAINDERS 3 /* of a rank in a plain statement */
#define NO_LINE UINT32_MAX

struct making {
	const struct module *m;
	struct store *s;
	struct inlined_line *line;
	size_t lines, line_capacity;
	node_id *kid; /* a stack: statements of the bodies around */
	size_t kids, kid_capacity;
	struct inlined_line here; /* the statement at hand */
	const char *why; /* it can't be made */
	struct inlined_line wrong;
	struct substitution put;
	size_t *procedure_line; /* by node of a procedure: its first line behind the head */
	size_t nested;
	uint32_t only; /* the one statement that is wanted, NO_LINE: all; */
	bool around; /* ... and what is around it */
	struct run *run; /* of one process; NULL: of all */
	struct member_sets *members;
	struct environment at; /* ... whose indices are 0; or what the indices around a part are */
	/* calls as they are where they stand, in their order; of each procedure whose calls become loops
	   who has any of it, by node; of the line of such a loop its call */
	struct called {
		node_id call;
		size_t line, end; /* its first line, and that behind its last one */
	} * called;
	size_t calls, call_capacity;
	node_id *who;
	node_id own, own_set; /* the process, in a plain statement and as a set */
	bool folded; /* is there any statement over a set? */
};

static void give_up(struct making *x, const char *why)
{
	if (!x->why)
		x->wrong = x->here;
	x->why = x->why ? x->why : why;
}

static void add_line(struct making *x)
{
	*MEM_PUSH(x->line, x->lines, x->line_capacity) = x->here;
}

static void add(struct making *x, node_id statement)
{
	*MEM_PUSH(x->kid, x->kids, x->kid_capacity) = statement;
}

/* The statements that were added since there were `first`. */
static node_id take_body(struct making *x, size_t first)
{
	node_id body =
		node_make(x->s, NODE_SEQUENCE, 0, 0, 0, (uint32_t)(x->kids - first), x->kid ? x->kid + first : NULL);
	x->kids = first;
	return body;
}

/* A number, or what has numbers, but no statements. */
static node_id put(struct making *x, node_id id)
{
	bool good = true;
	node_id changed = node_put(&x->put, id, &good);
	if (!good)
		give_up(x, "with arguments put in, a number is beyond 64 bits");
	return good ? changed : id;
}

/* ------------------------------------------------------------------ events */

static node_id ranks_node(struct store *s, const struct ranks *ranks, bool plain)
{
	return node_make(s, NODE_RANKS, plain, 0, store_ranks(s, ranks), 0, NULL);
}

/* Groups by a communicator that is the same for all are the set. */
static node_id settled_group(struct making *x, const node_id *kid)
{
	const struct node *who = node_of(x->s, kid[COLUMN_WHO]);
	int64_t number;
	if (node_of(x->s, kid[COLUMN_GROUP])->kind != NODE_BY_COMMUNICATOR || who->kind == NODE_WHERE ||
		!number_is_constant(x->s, kid[COLUMN_COMMUNICATOR], &number))
		return kid[COLUMN_GROUP];
	return node_make(x->s, (enum node_kind)who->kind, 1, 0, who->number, 0, NULL);
}

/* @(x+1+i0,y) as x+1+i0 modulo the extent, and so on. */
static node_id rank_of_coordinates(struct store *s, const struct grid *g, const struct node *place)
{
	node_id rank = number_constant(s, 0);
	int64_t step = 1;
	for (uint32_t a = 0; a < place->kids; step *= g->size[a++]) {
		node_id size = number_constant(s, g->size[a]);
		rank = number_add(s, rank, number_remainder(s, place->kid[a], size), step);
	}
	return rank;
}

static uint32_t count_remainders(const struct store *s, node_id sum)
{
	const struct node *n = node_of(s, sum);
	uint32_t count = 0;
	for (uint32_t k = 0; k < n->kids; k++)
		count += node_of(s, node_kid(s, n->kid[k], 0))->kind == NODE_REMAINDER;
	return count;
}

node_id rank_put(const struct substitution *x, node_id place)
{
	struct store *s = x->store;
	node_id own = place ? number_put(x, place) : NODE_NONE;
	const struct node *f = node_of(s, number_single(s, own));
	bool inside = f->kind == NODE_REMAINDER || f->kind == NODE_GRID; /* of a remainder: sums of indices alone */
	if (f->kind == NODE_XOR || (inside && (f->looks || node_of(s, f->kid[0])->marks)))
		return NODE_NONE;
	own = f->kind == NODE_GRID ? number_put(x, rank_of_coordinates(s, &x->at->grid, f)) : own;
	return own && count_remainders(s, own) <= PLAIN_REMAINDERS ? own : NODE_NONE;
}

static node_id own_group(struct making *x, node_id event)
{
	const struct node *group = node_of(x->s, node_kid(x->s, event, COLUMN_GROUP));
	if (group->kind == NODE_RANKS || group->kind == NODE_ALL || !group->kind)
		return node_kid(x->s, event, COLUMN_GROUP);
	return ranks_node(x->s, member_set_ranks(x->members, member_set_of(x->members, &x->at, event)), true);
}

/* Plain, if a plain statement can say it. */
static void own_columns(struct making *x, node_id event, node_id *kid)
{
	const struct node *e = node_of(x->s, event);
	int64_t number;
	bool plain = node_of(x->s, kid[COLUMN_WHO])->sub;
	node_id peer = rank_put(&x->put, kid[COLUMN_PEER]), root = rank_put(&x->put, kid[COLUMN_ROOT]),
		communicator = put(x, kid[COLUMN_COMMUNICATOR]);
	bool becomes_plain = !plain && !e->number && !peer == !kid[COLUMN_PEER] && !root == !kid[COLUMN_ROOT] &&
			     (!communicator || number_is_constant(x->s, communicator, &number));
	if (becomes_plain || node_of(x->s, kid[COLUMN_GROUP])->kind == NODE_BY_COMMUNICATOR)
		kid[COLUMN_GROUP] = own_group(x, event);
	kid[COLUMN_WHO] = plain || becomes_plain ? x->own : x->own_set;
	x->folded |= !plain && !becomes_plain;
	if (!becomes_plain)
		return;
	kid[COLUMN_PEER] = peer;
	kid[COLUMN_ROOT] = root;
	kid[COLUMN_COMMUNICATOR] = communicator;
	kid[COLUMN_TAG] = put(x, kid[COLUMN_TAG]);
}

/* Attributes whose choice is none are not there. */
static node_id event_again(struct making *x, node_id event)
{
	const struct node *e = node_of(x->s, event);
	if (!x->run && !is_put_in(&x->put, event))
		return event;
	node_id *kid = mem_copy(e->kid, e->kids * sizeof *kid);
	uint32_t kids = COLUMNS;
	if (x->run)
		own_columns(x, event, kid);
	for (uint32_t k = 0; k < COLUMNS && !x->run; k++)
		kid[k] = put(x, kid[k]);
	for (uint32_t k = COLUMNS; k < e->kids; k++) {
		kid[kids] = put(x, e->kid[k]);
		kids += kid[kids] != NODE_NONE;
	}
	kid[COLUMN_GROUP] = settled_group(x, kid);
	event = node_make(x->s, NODE_EVENT, e->sub, e->word, e->number, kids, kid);
	free(kid);
	return event;
}

/* [$w[i0]] is a guard of what one process does, if {3-$w[i0]} = 0. */
static node_id guard_of_named(struct making *x, node_id event, node_id name)
{
	node_id is = put(x, number_add(x->s, number_variable(x->s, VARIABLE_P), name, -1));
	node_id test = node_make(x->s, NODE_TEST, NODE_TEST_EQUAL, 0, 0, 1, &is);
	add_line(x);
	return node_make(x->s, NODE_GUARD, 0, 0, 0, 3,
		(node_id[]){NODE_NONE, test, node_make(x->s, NODE_SEQUENCE, 0, 0, 0, 1, &event)});
}

/* ------------------------------------------------------------------ statements */

static void add_statements(struct making *, node_id body, size_t line, uint32_t call);

static bool is_wanted(struct making *x, const struct node *n)
{
	node_id who = n->kid[0];
	if (x->only != NO_LINE && (x->only < x->here.line || x->only >= x->here.line + n->lines))
		return false;
	return !x->run || !who || run_has(x->run, who, (uint32_t)x->at.p);
}

static void add_called(struct making *x, const struct node *call)
{
	node_id argument[1 + PARAMETERS_LIMIT] = {call->kid[0]}, who = x->who ? x->who[call->kid[0]] : NODE_NONE;
	struct substitution outer = x->put;
	size_t first = x->kids;
	for (uint32_t k = 1; k < call->kids; k++)
		argument[k] = put(x, call->kid[k]);
	size_t number = x->calls;
	*MEM_PUSH(x->called, x->calls, x->call_capacity) = (struct called){
		x->why ? NODE_NONE : node_make(x->s, NODE_CALL, 0, 0, 0, call->kids, argument), x->lines, x->lines};
	x->put.argument = argument + 1;
	x->put.deeper = who != NODE_NONE;
	if (who)
		add_line(x);
	if (!x->why)
		add_statements(x, node_kid(x->s, call->kid[0], 0), x->procedure_line[call->kid[0]], x->here.call);
	x->put = outer;
	x->called[number].end = x->lines;
	if (who && !x->why)
		add(x, node_make(x->s, NODE_LOOP, 0, 0, 0, 3,
			       (node_id[]){who, number_constant(x->s, 0), take_body(x, first)}));
}

/* What never happens stands for nothing. */
static bool is_empty(const struct making *x, enum node_kind kind, node_id how)
{
	const struct node *n = node_of(x->s, how);
	int64_t number;
	if (kind == NODE_LOOP)
		return number_is_constant(x->s, how, &number) && number < 0;
	return n->sub == NODE_TEST_NOT_ZERO && number_is_constant(x->s, n->kid[0], &number) && number <= 0;
}

/* A loop or a guard. */
static void add_construct(struct making *x, node_id id)
{
	const struct node *n = node_of(x->s, id);
	struct inlined_line here = x->here;
	size_t before = x->lines, first = x->kids;
	node_id how = put(x, n->kid[1]);
	add_line(x);
	if (x->why || (x->run && is_empty(x, (enum node_kind)n->kind, how))) {
		x->lines = before;
		return;
	}
	if (++x->nested > NESTED_LIMIT)
		give_up(x, "with calls replaced, too many loops and guards are nested");
	uint64_t kept = x->put.kept;
	bool settles = x->put.at && !x->run && n->kind == NODE_LOOP; /* its own index stays */
	x->put.deeper += x->put.argument && n->kind == NODE_LOOP;
	x->at.depth += settles;
	if (settles)
		x->put.kept = (kept & ~USES_INDICES) | (kept << 1 & USES_INDICES) | USES_INDEX(0);
	add_statements(x, n->kid[2], here.line + (size_t)1, here.call == here.line ? NO_LINE : here.call);
	x->put.deeper -= x->put.argument && n->kind == NODE_LOOP;
	x->at.depth -= settles;
	x->put.kept = kept;
	x->nested--;
	if (x->run && x->kids == first)
		x->lines = before;
	else
		add(x, node_with(x->s, id, (node_id[]){x->run ? NODE_NONE : n->kid[0], how, take_body(x, first)}));
}

static void add_statement(struct making *x, node_id id)
{
	const struct node *n = node_of(x->s, id), *who = node_of(x->s, n->kid[0]);
	if (n->kind == NODE_CALL) {
		add_called(x, n);
	} else if (x->only != NO_LINE && x->only != x->here.line && !x->around) {
		add_statements(x, n->kid[2], x->here.line + (size_t)1, NO_LINE);
	} else if (n->kind == NODE_EVENT) {
		node_id event = event_again(x, id);
		add_line(x);
		add(x, x->run && who->kind == NODE_NAMED ? guard_of_named(x, event, who->kid[0]) : event);
	} else {
		uint32_t only = x->only;
		x->only = only == x->here.line ? NO_LINE : only;
		add_construct(x, id);
		x->only = only;
	}
}

/* An `else` is a guard of its own where nothing is left of the statement before. As deep as loops
   nest. */
static void add_statements(struct making *x, node_id body, size_t line, uint32_t call)
{
	const struct node *n = node_of(x->s, body);
	bool follows = false;
	for (uint32_t k = 0; k < n->kids && !x->why; k++) {
		const struct node *statement = node_of(x->s, n->kid[k]);
		size_t first = x->kids;
		x->here = (struct inlined_line){(uint32_t)line, call == NO_LINE ? (uint32_t)line : call};
		if (statement->kind == NODE_CALL || is_wanted(x, statement))
			add_statement(x, n->kid[k]);
		bool added = x->kids > first;
		const struct node *own = added ? node_of(x->s, x->kid[first]) : statement;
		if (added && !follows && own->kind == NODE_GUARD && own->sub)
			x->kid[first] = node_make(x->s, NODE_GUARD, 0, 0, 0, own->kids, own->kid);
		follows = added;
		line += statement->lines;
	}
}

static struct making making_of(const struct module *m)
{
	return (struct making){.m = m, .s = m->store, .put.store = m->store, .only = NO_LINE};
}

/* NODE_NONE: it can't be made. The lines stay. */
static node_id make_body(struct making *x)
{
	add_statements(x, x->m->body, 0, NO_LINE);
	node_id body = x->why ? NODE_NONE : take_body(x, 0);
	free(x->kid);
	x->kid = NULL;
	x->kids = x->kid_capacity = 0;
	return body;
}

/* ------------------------------------------------------------------ modules */

/* By line, of which there may be none. */
static uint32_t *sites_of(const struct module *from, const struct inlined_line *line, size_t lines)
{
	uint32_t *sites = mem_array(lines + 1, sizeof *sites);
	for (size_t i = 0; i < lines; i++)
		sites[i] = line[i].line < from->lines ? from->sites[line[i].line] : SITES_NONE;
	return sites;
}

struct module *module_with_procedures(const struct module *from, node_id body, const node_id *procedure,
	size_t procedures, struct inlined_line *line, struct inlined_line **origin)
{
	struct module *m = mem_copy(from, sizeof *from);
	m->store = store_share(from->store);
	m->notes = (struct notes){0};
	m->events = 0;
	m->header = from->header ? mem_text(from->header) : NULL;
	m->body = body;
	m->procedure = mem_copy(procedure, procedures * sizeof *procedure);
	m->procedures = m->procedure_capacity = procedures;
	m->table = NULL;
	m->place = NULL;
	m->tables = m->table_capacity = 0;
	m->lines = node_of(m->store, body)->lines;
	for (size_t i = 0; i < procedures; i++)
		m->lines += node_of(m->store, procedure[i])->lines;
	m->sites = sites_of(from, line, m->lines);
	m->places = site_places_copy(&from->places);
	if (origin)
		*origin = line;
	else
		free(line);
	return m;
}

struct module *module_with(
	const struct module *from, node_id body, struct inlined_line *line, struct inlined_line **origin)
{
	return module_with_procedures(from, body, NULL, 0, line, origin);
}

/* Gives the last of their nodes. */
static size_t find_procedures(struct making *x)
{
	const struct module *m = x->m;
	size_t at = node_of(m->store, m->body)->lines, most = 0;
	for (size_t i = 0; i < m->procedures; i++)
		most = m->procedure[i] > most ? m->procedure[i] : most;
	x->procedure_line = mem_zero((most + 1) * sizeof *x->procedure_line);
	for (size_t i = 0; i < m->procedures; i++) {
		x->procedure_line[m->procedure[i]] = at + 1;
		at += node_of(m->store, m->procedure[i])->lines;
	}
	return most;
}

/* calls: is given the lines of each; or NULL. */
static node_id inlined(const struct module *m, struct program_calls *calls, struct inlined_line **line,
	struct inlined_line *wrong, struct error *error)
{
	struct making x = making_of(m);
	find_procedures(&x);
	node_id body = make_body(&x);
	for (size_t i = 0; calls && i < x.calls; i++) {
		const struct node *procedure = node_of(x.s, node_kid(x.s, x.called[i].call, 0));
		uint32_t name = program_calls_name(calls, store_get_word(x.s, procedure->word));
		program_calls_end(calls, program_calls_begin(calls, name, x.called[i].line), x.called[i].end);
	}
	free(x.procedure_line);
	free(x.called);
	*wrong = x.wrong;
	*line = x.line;
	if (!body)
		error_set(error, ERROR_INPUT, "%s", x.why);
	return body;
}

node_id module_inlined(
	const struct module *m, struct inlined_line **line, struct inlined_line *wrong, struct error *error)
{
	return inlined(m, NULL, line, wrong, error);
}

bool module_inline_calls(struct module *m, struct program_calls *calls, struct error *error)
{
	struct inlined_line *line, wrong;
	if (node_of(m->store, m->body)->statements > MODULE_LINES)
		return error_set(
			error, ERROR_INPUT, "with calls replaced, the program has more than %u lines", MODULE_LINES);
	node_id body = inlined(m, calls, &line, &wrong, error);
	if (body) {
		size_t lines = node_of(m->store, body)->lines;
		uint32_t *sites = sites_of(m, line, lines);
		free(m->sites);
		free(m->place);
		m->sites = sites;
		m->place = NULL;
		m->lines = lines;
		m->body = body;
		m->procedures = 0;
	}
	free(line);
	return body;
}

bool module_inline(struct module *m, struct error *error)
{
	return module_inline_calls(m, NULL, error);
}

/* NODE_NONE: nobody has any of it. */
static node_id who_has(struct run *r, node_id procedure)
{
	const struct module *m = run_module(r);
	struct ranks who = {0};
	for (uint32_t rank = 0; rank < run_environment(r).processes; rank++)
		if (run_is_inside(r, node_kid(m->store, procedure, 0), rank))
			ranks_add(&who, rank);
	node_id domain = who.length ? ranks_node(m->store, &who, false) : NODE_NONE;
	ranks_clear(&who);
	return domain;
}

struct module *module_boxed(const struct module *m, struct inlined_line **origin, node_id **call, struct error *error)
{
	struct making plain = making_of(m), x = making_of(m);
	size_t most = find_procedures(&plain);
	struct run *r = run_new(m, NULL);
	x.procedure_line = plain.procedure_line;
	x.who = mem_zero((most + 1) * sizeof *x.who);
	for (size_t i = 0; i < m->procedures; i++)
		x.who[m->procedure[i]] = who_has(r, m->procedure[i]);
	run_free(r);
	node_id body = make_body(&plain) ? make_body(&x) : NODE_NONE;
	struct module *boxed = body ? module_with(m, body, x.line, origin) : NULL;
	if (boxed)
		*call = mem_zero((boxed->lines + 1) * sizeof **call);
	else
		error_set(error, ERROR_INPUT, "%s", plain.why ? plain.why : x.why);
	for (size_t i = 0; boxed && i < x.calls; i++)
		if (x.who[node_kid(m->store, x.called[i].call, 0)])
			(*call)[x.called[i].line] = plain.called[i].call;
	free(plain.procedure_line);
	free(plain.line);
	free(plain.called);
	free(x.called);
	free(x.who);
	return boxed;
}

struct module *module_settled(const struct module *from, size_t line, const struct environment *around,
	struct inlined_line **origin, struct error *error)
{
	struct making x = making_of(from);
	size_t room = around->depth + node_of(x.s, from->body)->depth + (size_t)1;
	x.only = (uint32_t)line;
	x.at = *around;
	x.at.index = mem_zero(room * sizeof *x.at.index);
	if (around->depth)
		memcpy(x.at.index, around->index, around->depth * sizeof *x.at.index);
	x.put.at = &x.at;
	x.put.kept = ~USES_INDICES;
	node_id body = make_body(&x);
	free(x.at.index);
	if (body)
		return module_with(from, body, x.line, origin);
	free(x.line);
	error_set(error, ERROR_INPUT, "%s", x.why);
	return NULL;
}

struct module *module_part(const struct module *from, size_t line, struct inlined_line **origin)
{
	struct making x = making_of(from);
	x.only = (uint32_t)line;
	node_id body = make_body(&x);
	if (node_of(x.s, body)->uses[FOR_ALL] & USES_INDICES) {
		x.lines = 0;
		x.around = true;
		body = make_body(&x);
	}
	return module_with(from, body, x.line, origin);
}

struct module *module_of_rank(
	const struct module *from, uint32_t rank, struct inlined_line **origin, struct error *error)
{
	if (rank >= from->processes) {
		error_set(error, ERROR_INPUT, "there is no rank %" PRIu32 ": the run has %" PRIu32 " processes", rank,
			from->processes);
		return NULL;
	}
	struct making x = making_of(from);
	struct ranks own = {0};
	ranks_add(&own, rank);
	x.own = ranks_node(x.s, &own, true);
	x.own_set = ranks_node(x.s, &own, false);
	ranks_clear(&own);
	x.run = run_new(from, NULL);
	x.members = member_sets_new(x.run);
	x.at = run_environment(x.run);
	environment_set(&x.at, rank);
	x.at.depth = node_of(x.s, from->body)->depth;
	x.at.index = mem_zero((x.at.depth + 1) * sizeof *x.at.index);
	x.put.at = &x.at;
	x.put.kept = USES_INDICES;
	node_id body = make_body(&x);
	enum failure failure = x.at.failure ? x.at.failure : FAILURE_OVERFLOW;
	member_sets_free(x.members);
	run_free(x.run);
	free(x.at.index);
	if (body && !x.at.failure) {
		struct module *m = module_with(from, body, x.line, origin);
		m->grid.axes = x.folded ? m->grid.axes : 0;
		return m;
	}
	error_set(error, ERROR_INPUT, "of rank %" PRIu32 " no program can be made: %s", rank, failure_text(failure));
	free(x.line);
	return NULL;
}
