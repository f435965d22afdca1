/*
 * run.c -- classes by splitting: all processes are one, and each domain of the program takes apart
 * what it has of a class from what it has not. A class has a list of each body, made for all of
 * them at once when the first is asked for; lists name those of the bodies inside, so nobody who
 * walks looks anything up.
 *
 * A statement is never visited twice where it cannot make a difference: what depends on the class
 * alone is counted once, and a loop that makes none for the purpose stands for its iterations.
 * Where it does make one, its iterations are gone through, within RUN_STEPS.
 */
#include "model/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/gcd.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"

#define OPEN_MOST 64 /* loops that the environment can say are open */

struct list {
	struct projected *entry, *end;
	size_t length;
};

struct run {
	const struct module *module;
	struct environment at; /* of no process */
	uint32_t *class, *first, classes; /* by rank; by class */
	size_t depth; /* loops inside each other, calls replaced */
	uint64_t steps; /* left, of RUN_STEPS */
	struct ranks_run all; /* processes */
	struct ranks everybody; /* as a set */
	struct intern *bodies; /* body and class: a list */
	struct list *list;
	size_t lists, list_capacity;
	struct projected **entries; /* of lists that were made together */
	size_t projected, entries_capacity;
	struct intern *counts; /* statement and class: how many events */
	uint64_t *count;
	size_t counted, count_capacity;
	/* WHERE, names from a table: their processes; a body: those who may have events in it */
	struct intern *conditions;
	struct ranks *ranks;
	size_t condition_count, condition_capacity;
	struct intern *procedures; /* the line of its first statement */
	size_t *procedure_line;
};

static void set_failure(struct environment *e, enum failure failure, node_id what)
{
	if (e->failure)
		return;
	e->failure = failure;
	e->failed = what;
}

static const struct node *node_in(const struct run *r, node_id id)
{
	return node_of(r->at.store, id);
}

static node_id body_of(const struct run *r, const struct node *statement)
{
	return statement->kind == NODE_CALL ? node_kid(r->at.store, statement->kid[0], 0) : statement->kid[2];
}

static node_id domain_of(const struct node *statement)
{
	bool has = statement->kind == NODE_EVENT || statement->kind == NODE_LOOP || statement->kind == NODE_GUARD;
	return has ? statement->kid[0] : NODE_NONE;
}

/* Nobody does anything in it. */
static bool never_runs(const struct run *r, const struct node *statement)
{
	int64_t last;
	return statement->kind == NODE_LOOP && number_is_constant(r->at.store, statement->kid[1], &last) && last < 0;
}

/* ------------------------------------------------------------------ domains */

/* The table whose entries name processes; NULL: there is none. */
static const struct table *naming_table(const struct run *r, const struct node *name)
{
	const struct node *t = node_in(r, name->kids == 1 ? name->kid[0] : NODE_NONE),
			  *f = node_in(r, t->kids && t->number == 1 ? t->kid[0] : NODE_NONE);
	bool known = f->kind == NODE_ENTRY && node_in(r, f->kid[0])->kind == NODE_TABLE && !node_in(r, f->kid[0])->kids;
	return known ? store_get_table(r->at.store, (uint32_t)node_in(r, f->kid[0])->number) : NULL;
}

const struct ranks *run_ranks(struct run *r, node_id domain)
{
	const struct node *d = node_in(r, domain), *name = d->kind == NODE_NAMED ? node_in(r, d->kid[0]) : NULL;
	const struct table *names = name ? naming_table(r, name) : NULL;
	if (d->kind == NODE_RANKS)
		return store_get_ranks(r->at.store, (uint32_t)d->number);
	if (d->kind != NODE_WHERE && !names)
		return NULL;
	uint32_t known = intern_count(r->conditions), id = intern_id(r->conditions, &domain, sizeof domain);
	if (id == known) {
		struct ranks holds = {0};
		struct environment at = r->at;
		if (names)
			table_add_ranks(names, name->number, r->at.processes, &holds);
		else if (!r->at.failure && !domain_holds(&at, domain, &holds))
			set_failure(&r->at, at.failure, at.failed);
		*MEM_PUSH(r->ranks, r->condition_count, r->condition_capacity) = holds;
	}
	return &r->ranks[id];
}

const struct ranks *run_processes(struct run *r, node_id domain)
{
	const struct ranks *ranks = run_ranks(r, domain);
	return ranks ? ranks : &r->everybody;
}

struct ranks run_who(struct run *r, struct environment *e, node_id domain, const struct ranks *among)
{
	const struct node *d = node_in(r, domain);
	struct ranks named = {0}, who = {0};
	int64_t name = d->kind == NODE_NAMED ? number_at(e, d->kid[0]) : 0;
	if (d->kind == NODE_NAMED && !e->failure && name >= 0 && name < r->at.processes)
		ranks_add(&named, (uint32_t)name);
	const struct ranks *set = d->kind == NODE_NAMED ? &named : run_processes(r, domain);
	if (among)
		ranks_intersect(&who, set, among);
	else
		ranks_copy(&who, set);
	ranks_clear(&named);
	return who;
}

bool run_has(struct run *r, node_id domain, uint32_t rank)
{
	const struct ranks *ranks = run_ranks(r, domain);
	return !ranks || ranks_has(ranks, rank);
}

/* ------------------------------------------------------------------ classes */

/* twin: by class, who was in the last domain that had some of it. New classes are numbered by their
   lowest processes as soon as there are many without any. */
static void number_classes(struct run *r, uint32_t *twin)
{
	memset(twin, 0xff, r->classes * sizeof *twin);
	r->classes = 0;
	for (uint32_t rank = 0; rank < r->at.processes; rank++) {
		uint32_t *class = &r->class[rank];
		if (twin[*class] == UINT32_MAX) {
			r->first[r->classes] = rank;
			twin[*class] = r->classes++;
		}
		*class = twin[*class];
	}
	memset(twin, 0, r->classes * sizeof *twin);
}

static void split(struct run *r, const struct ranks *domain, uint32_t *twin)
{
	struct ranks_walk walk = {0};
	if (r->classes > 2 * r->at.processes)
		number_classes(r, twin);
	for (uint32_t rank, before = r->classes; ranks_next(domain, &walk, &rank) && rank < r->at.processes;) {
		uint32_t *class = &r->class[rank];
		if (twin[*class] < before) {
			twin[r->classes] = 0;
			twin[*class] = r->classes++;
		}
		*class = twin[*class];
	}
}

static void survey(struct run *r, node_id body, struct intern *seen, uint32_t *twin)
{
	const struct node *b = node_in(r, body);
	uint32_t known = intern_count(seen);
	if (intern_id(seen, &body, sizeof body) != known)
		return;
	for (uint32_t k = 0; k < b->kids && !r->at.failure; k++) {
		const struct node *s = node_in(r, b->kid[k]);
		node_id domain = domain_of(s);
		if (never_runs(r, s))
			continue;
		known = intern_count(seen);
		const struct ranks *ranks = run_ranks(r, domain);
		if (ranks && intern_id(seen, &domain, sizeof domain) == known)
			split(r, ranks, twin);
		if (s->kind != NODE_EVENT)
			survey(r, body_of(r, s), seen, twin);
	}
}

static void find_classes(struct run *r)
{
	size_t processes = r->at.processes;
	uint32_t *twin = mem_array(3 * processes + 1, sizeof *twin);
	struct intern *seen = intern_new_keys(sizeof(node_id));
	r->class = mem_zero((processes + 1) * sizeof *r->class);
	r->first = mem_array(processes + 1, sizeof *r->first);
	r->classes = 1;
	twin[0] = 0;
	if (node_in(r, r->module->body)->height > RUN_DEPTH)
		set_failure(&r->at, FAILURE_DEPTH, r->module->body);
	survey(r, r->module->body, seen, twin);
	number_classes(r, twin);
	intern_free(seen);
	free(twin);
}

uint32_t run_class(const struct run *r, uint32_t rank)
{
	assert(rank < r->at.processes);
	return r->class[rank];
}

uint32_t run_classes(const struct run *r)
{
	return r->classes;
}

uint32_t run_class_first(const struct run *r, uint32_t class)
{
	assert(class < r->classes);
	return r->first[class];
}

bool run_counts_by_class(const struct run *r)
{
	return !(node_in(r, r->module->body)->uses[FOR_COUNT] & USES_PROCESS);
}

/* ------------------------------------------------------------------ runs */

static void find_procedures(struct run *r)
{
	const struct module *m = r->module;
	size_t line = node_in(r, m->body)->lines;
	r->procedures = intern_new_keys(sizeof(node_id));
	r->procedure_line = mem_array(m->procedures, sizeof *r->procedure_line);
	for (size_t i = 0; i < m->procedures; i++) {
		uint32_t known = intern_count(r->procedures);
		if (intern_id(r->procedures, &m->procedure[i], sizeof(node_id)) == known)
			r->procedure_line[known] = line + 1;
		line += node_in(r, m->procedure[i])->lines;
	}
}

static size_t procedure_line(const struct run *r, node_id call)
{
	node_id procedure = node_kid(r->at.store, call, 0);
	uint32_t number = intern_find(r->procedures, &procedure, sizeof procedure);
	return number == INTERN_NONE ? 0 : r->procedure_line[number];
}

struct run *run_new(const struct module *m, const struct environment *environment)
{
	struct run *r = mem_zero(sizeof *r);
	r->module = m;
	r->at = environment ? *environment
			    : (struct environment){.store = m->store, .processes = m->processes, .grid = m->grid};
	r->at.failure = FAILURE_NONE;
	r->all.last = r->at.processes - 1;
	r->everybody = (struct ranks){.run = &r->all, .length = r->at.processes > 0};
	r->depth = (size_t)node_in(r, m->body)->depth + 1;
	r->steps = RUN_STEPS;
	r->bodies = intern_new_keys(sizeof(uint64_t));
	r->counts = intern_new_keys(sizeof(uint64_t));
	r->conditions = intern_new_keys(sizeof(node_id));
	find_procedures(r);
	find_classes(r);
	return r;
}

void run_free(struct run *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->projected; i++)
		free(r->entries[i]);
	for (size_t i = 0; i < r->condition_count; i++)
		ranks_clear(&r->ranks[i]);
	intern_free(r->bodies);
	intern_free(r->counts);
	intern_free(r->conditions);
	intern_free(r->procedures);
	void *owned[] = {r->procedure_line, r->entries, r->list, r->count, r->ranks, r->class, r->first, r};
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
}

void run_allow(struct run *r, uint64_t steps)
{
	r->steps = steps;
}

const struct module *run_module(const struct run *r)
{
	return r->module;
}

size_t run_depth(const struct run *r)
{
	return r->depth;
}

struct environment run_environment(const struct run *r)
{
	return r->at;
}

enum failure run_failure(const struct run *r)
{
	return r->at.failure;
}

void run_start(const struct run *r, uint32_t rank, struct environment *to)
{
	int64_t *index = to->index ? to->index : mem_array(r->depth, sizeof *index);
	*to = r->at;
	environment_set(to, rank);
	to->index = index;
	to->failure = r->at.failure;
	to->failed = r->at.failed;
}

/* ------------------------------------------------------------------ projections */

static uint64_t pair_of(node_id node, uint32_t class)
{
	return (uint64_t)node << 32 | class;
}

static const struct ranks *who_in_body(struct run *r, node_id body);

/* Who may have events in a statement; NULL: all. */
static const struct ranks *who_in(struct run *r, const struct node *s)
{
	const struct ranks *domain = run_ranks(r, domain_of(s));
	return domain || s->kind == NODE_EVENT ? domain : who_in_body(r, body_of(r, s));
}

static void add_who(struct run *r, const struct ranks *who, struct ranks *to)
{
	const struct ranks_run all = {0, r->at.processes - 1};
	for (size_t i = 0; i < (who ? who->length : 1); i++)
		ranks_add_run(to, who ? who->run[i].first : all.first, who ? who->run[i].last : all.last);
}

static const struct ranks *who_in_body(struct run *r, node_id body)
{
	const struct node *b = node_in(r, body);
	uint32_t known = intern_find(r->conditions, &body, sizeof body);
	if (known == INTERN_NONE) {
		struct ranks who = {0};
		for (uint32_t k = 0; k < b->kids; k++)
			if (!never_runs(r, node_in(r, b->kid[k])))
				add_who(r, who_in(r, node_in(r, b->kid[k])), &who);
		known = intern_id(r->conditions, &body, sizeof body);
		*MEM_PUSH(r->ranks, r->condition_count, r->condition_capacity) = who;
	}
	const struct ranks *who = &r->ranks[known];
	return who->length == 1 && !who->run->first && who->run->last >= r->at.processes - 1 ? NULL : who;
}

const struct ranks *run_inside(struct run *r, node_id statement)
{
	const struct ranks *who = who_in(r, node_in(r, statement));
	return who ? who : &r->everybody;
}

/* Of these classes those that have a statement, by their places among them. A class is in a domain
   with all its processes, or with none; their order is that of their first ones. */
static size_t places_in(
	struct run *r, const struct node *statement, const uint32_t *class, size_t classes, uint32_t *place)
{
	const struct ranks *ranks = who_in(r, statement);
	struct ranks_walk walk = {0};
	size_t length = 0, at;
	if (ranks && ranks_count(ranks) < classes) {
		for (uint32_t rank; ranks_next(ranks, &walk, &rank) && rank < r->at.processes;) {
			uint32_t own = r->class[rank];
			SEARCH_FIRST(at, 0, classes, class[at] >= own);
			if (r->first[own] == rank && at < classes && class[at] == own)
				place[length++] = (uint32_t)at;
		}
		return length;
	}
	for (uint32_t i = 0; i < classes; i++)
		if (!ranks || ranks_has(ranks, r->first[class[i]]))
			place[length++] = i;
	return length;
}

static uint32_t plus(uint32_t a, uint32_t b)
{
	return a + b < a ? UINT32_MAX : a + b;
}

/* What a body has for several classes, in the order of the text; by the places of their lists. */
struct gathered {
	struct placed {
		uint32_t place;
		struct projected entry;
	} * item;
	size_t length, capacity;
};

static void project(struct run *r, node_id body, uint32_t *class, size_t classes);

static void gather(struct run *r, node_id body, const uint32_t *class, size_t classes, struct gathered *to)
{
	const struct node *b = node_in(r, body);
	uint32_t *place = mem_array(classes, sizeof *place), *inside = mem_array(classes, sizeof *inside);
	struct projected entry = {0};
	for (uint32_t k = 0; k < b->kids && classes && !r->at.failure; k++) {
		const struct node *s = node_in(r, b->kid[k]);
		bool event = s->kind == NODE_EVENT;
		size_t having = never_runs(r, s) ? 0 : places_in(r, s, class, classes, place);
		entry.statement = b->kid[k];
		entry.kind = s->kind;
		entry.always = event && event_always_happens(r->at.store, b->kid[k]);
		for (size_t i = 0; i < having; i++)
			inside[i] = class[place[i]];
		if (!event && having)
			project(r, body_of(r, s), inside, having);
		for (size_t i = 0; i < having; i++) {
			entry.inside = event ? 0 : inside[i];
			if (event || r->list[entry.inside].length)
				*MEM_PUSH(to->item, to->length, to->capacity) = (struct placed){place[i], entry};
		}
		entry.line = plus(entry.line, s->lines);
		entry.place = plus(entry.place, s->statements);
	}
	free(place);
	free(inside);
}

/* Puts the lists that these classes, in their order, have of the body in place of them. */
static void project(struct run *r, node_id body, uint32_t *class, size_t classes)
{
	uint32_t *fresh = mem_array(classes, sizeof *fresh);
	size_t base = r->lists, count = 0;
	struct gathered all = {0};
	for (size_t i = 0; i < classes; i++) {
		uint64_t key = pair_of(body, class[i]);
		uint32_t list = intern_id(r->bodies, &key, sizeof key), own = class[i];
		class[i] = list;
		if (list < r->lists)
			continue;
		fresh[count++] = own;
		*MEM_PUSH(r->list, r->lists, r->list_capacity) = (struct list){0};
	}
	gather(r, body, fresh, count, &all);
	struct projected *entry = mem_array(all.length, sizeof *entry);
	*MEM_PUSH(r->entries, r->projected, r->entries_capacity) = entry;
	for (size_t i = 0; i < all.length; i++)
		r->list[base + all.item[i].place].length++;
	for (size_t i = base; i < base + count; entry += r->list[i].length, i++)
		r->list[i].entry = r->list[i].end = entry;
	for (size_t i = 0; i < all.length; i++)
		*r->list[base + all.item[i].place].end++ = all.item[i].entry;
	free(all.item);
	free(fresh);
}

static uint32_t list_of(struct run *r, node_id body, uint32_t class)
{
	uint64_t key = pair_of(body, class);
	uint32_t known = intern_find(r->bodies, &key, sizeof key);
	if (known != INTERN_NONE)
		return known;
	bool whole = body == r->module->body && !r->lists;
	uint32_t classes = whole ? r->classes : 1, *list = mem_array(classes, sizeof *list);
	for (uint32_t i = 0; i < classes; i++)
		list[i] = whole ? i : class;
	project(r, body, list, classes);
	known = list[whole ? class : 0];
	free(list);
	return known;
}

const struct projected *run_projection(struct run *r, node_id body, uint32_t class, size_t *length)
{
	uint32_t list = list_of(r, body, class); /* which may move them all */
	*length = r->list[list].length;
	return r->list[list].entry;
}

bool run_is_inside(struct run *r, node_id body, uint32_t rank)
{
	size_t length;
	run_projection(r, body, run_class(r, rank), &length);
	return length;
}

/* ------------------------------------------------------------------ one statement */

bool event_always_happens(const struct store *s, node_id event)
{
	const struct node *n = node_of(s, event);
	return !n->number && node_of(s, n->kid[COLUMN_WHO])->kind != NODE_NAMED;
}

bool event_happens(struct environment *e, node_id event)
{
	const struct node *n = node_of(e->store, event), *who = node_of(e->store, n->kid[COLUMN_WHO]);
	if (who->kind == NODE_NAMED && number_at(e, who->kid[0]) != e->p)
		return false;
	return (!n->number || place_is_in(e, n->kid[COLUMN_PEER])) && !e->failure;
}

int64_t loop_trips(struct environment *e, node_id loop)
{
	int64_t last = number_at(e, node_kid(e->store, loop, 1));
	if (last == INT64_MAX)
		set_failure(e, FAILURE_OVERFLOW, loop);
	return last < 0 || e->failure ? 0 : last + 1;
}

/* Who has nothing inside does not ask how often. */
struct run_parts run_parts(struct run *r, struct environment *e, node_id statement, const struct ranks *among)
{
	const struct node *n = node_in(r, statement);
	struct run_parts parts = {0};
	struct substitution put = {.store = e->store, .at = e, .kept = USES_INDICES};
	struct intern *functions = intern_new_keys(sizeof(node_id));
	struct ranks who = run_who(r, e, n->kid[0], among);
	struct ranks_walk walk = {0};
	for (uint32_t rank; !e->failure && ranks_next(&who, &walk, &rank);) {
		if (!run_is_inside(r, n->kid[2], rank))
			continue;
		environment_move(e, rank);
		bool guard = n->kind == NODE_GUARD;
		node_id function = guard ? test_holds(e, n->kid[1]) : number_put(&put, n->kid[1]);
		if (!guard && !function)
			set_failure(e, FAILURE_OVERFLOW, n->kid[1]);
		if (e->failure || !function)
			continue;
		uint32_t id = intern_id(functions, &function, sizeof function);
		if (id == parts.count)
			*MEM_PUSH(parts.part, parts.count, parts.capacity) = (struct ranks){0};
		ranks_add(&parts.part[id], rank);
	}
	ranks_clear(&who);
	intern_free(functions);
	return parts;
}

void run_parts_clear(struct run_parts *p)
{
	for (size_t i = 0; i < p->count; i++)
		ranks_clear(&p->part[i]);
	free(p->part);
}

/* An argument that is a table is passed as its node. */
static int64_t argument_at(struct environment *e, node_id argument)
{
	const struct node *a = node_of(e->store, argument);
	if (a->kind == NODE_TABLE)
		return argument;
	if (a->kind != NODE_VARIABLE) {
		bool before = e->failure;
		int64_t number = number_at(e, argument);
		if (before || !e->failure)
			return number;
		e->failure = FAILURE_NONE; /* it matters where the parameter is asked for */
		return PARAMETER_UNKNOWN;
	}
	if (!e->parameter)
		set_failure(e, FAILURE_INDEX, argument);
	return e->parameter ? e->parameter[a->number - VARIABLE_PARAMETER] : 0;
}

/* Into a call: its arguments, for which there is room, become the parameters. The caller keeps base
   and parameter to go back. */
static void enter_call(struct environment *e, node_id call, int64_t *argument)
{
	const struct node *n = node_of(e->store, call);
	for (uint32_t k = 1; k < n->kids; k++)
		argument[k - 1] = argument_at(e, n->kid[k]);
	e->parameter = argument;
	e->base = e->depth;
}

/* ------------------------------------------------------------------ event by event */

static void enter(struct cursor *c, uint32_t list, size_t line, int64_t iterations, bool loop)
{
	const struct list *body = &c->run->list[list];
	struct cursor_frame *f = MEM_AT(c->frame, c->frame_capacity, c->frames);
	c->frames++;
	f->first = f->at = body->entry;
	f->end = body->entry + body->length;
	f->line = line;
	f->left = iterations - 1;
	f->loop = loop;
	f->base = c->at.base;
	f->parameter = c->at.parameter;
	if (loop)
		c->at.index[c->at.depth++] = 0;
}

/* Arguments are the frame's, which keeps their room for the next call from there. */
static void begin_call(struct cursor *c, const struct projected *p)
{
	enter(c, p->inside, procedure_line(c->run, p->statement), 1, false);
	struct cursor_frame *f = &c->frame[c->frames - 1];
	if (!f->argument)
		f->argument = mem_array(PARAMETERS_LIMIT, sizeof *f->argument);
	enter_call(&c->at, p->statement, f->argument);
	f->base = c->at.base;
	f->parameter = c->at.parameter;
}

struct cursor *cursor_new(struct run *r, uint32_t rank)
{
	struct cursor *c = mem_zero(sizeof *c);
	c->run = r;
	cursor_restart(c, rank);
	return c;
}

void cursor_restart(struct cursor *c, uint32_t rank)
{
	run_start(c->run, rank, &c->at);
	c->class = run_class(c->run, rank);
	c->event = NODE_NONE;
	c->frames = 0;
	enter(c, list_of(c->run, c->run->module->body, c->class), 0, 1, false);
}

void cursor_free(struct cursor *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->frame_capacity; i++)
		free(c->frame[i].argument);
	free(c->frame);
	free(c->at.index);
	free(c);
}

static void end_iteration(struct cursor *c, struct cursor_frame *f)
{
	if (f->left > 0) {
		f->left--;
		f->at = f->first;
		c->at.index[c->at.depth - 1]++;
		return;
	}
	c->at.depth -= f->loop;
	if (!--c->frames)
		return;
	c->at.base = f[-1].base;
	c->at.parameter = f[-1].parameter;
}

/* Is it an event that happens? */
static bool begin(struct cursor *c, const struct projected *p, size_t line)
{
	int64_t trips;
	switch ((enum node_kind)p->kind) {
	case NODE_EVENT:
		c->event = p->statement;
		c->line = line;
		return p->always || event_happens(&c->at, p->statement);
	case NODE_CALL:
		begin_call(c, p);
		return false;
	case NODE_GUARD:
		if (test_holds(&c->at, node_kid(c->at.store, p->statement, 1)))
			enter(c, p->inside, line + 1, 1, false);
		return false;
	default:
		trips = loop_trips(&c->at, p->statement);
		if (trips)
			enter(c, p->inside, line + 1, trips, true);
		return false;
	}
}

bool cursor_step(struct cursor *c)
{
	struct cursor_frame *f = &c->frame[c->frames - 1];
	if (f->at == f->end) {
		end_iteration(c, f);
		return false;
	}
	const struct projected *next = f->at++;
	return begin(c, next, f->line + next->line);
}

bool cursor_next(struct cursor *c)
{
	for (uint64_t steps = 0; c->frames && !c->at.failure; steps++)
		if (steps == CURSOR_STEPS)
			set_failure(&c->at, FAILURE_STEPS, c->run->module->body);
		else if (cursor_step(c))
			return true;
	return false;
}

/* What a body has at this line, or around it. */
static const struct projected *find_line(const struct cursor_frame *f, size_t line)
{
	size_t behind, length = (size_t)(f->end - f->first);
	SEARCH_FIRST(behind, 0, length, f->line + f->first[behind].line > line);
	return behind ? &f->first[behind - 1] : NULL;
}

bool cursor_to(struct cursor *c, size_t line, const int64_t *level, size_t levels)
{
	cursor_restart(c, (uint32_t)c->at.p);
	for (size_t k = 0, frames = 0; c->frames > frames; k++) {
		struct cursor_frame *f = &c->frame[c->frames - 1];
		const struct projected *p = find_line(f, line);
		frames = c->frames;
		if (!p)
			break;
		f->at = p + 1;
		if (begin(c, p, f->line + p->line) && c->line == line && k == levels)
			return true;
		if (c->frames == frames || k == levels)
			break;
		f = &c->frame[c->frames - 1];
		if (f->loop && (level[k] < 0 || level[k] > f->left))
			break;
		if (f->loop)
			c->at.index[c->at.depth - 1] = level[k];
		f->left -= f->loop ? level[k] : 0;
	}
	c->frames = 0;
	return false;
}

/* ------------------------------------------------------------------ what differs */

struct each {
	struct run *run;
	struct environment *at;
	enum purpose purpose;
	const size_t *line; /* what is taken is not events, but the statement there */
	run_take *take; /* NULL: events are counted alone */
	void *context;
	uint32_t class;
	bool all; /* loops and guards are taken, too */
};

bool run_may_go_on(struct run *r, struct environment *e)
{
	if (!r->steps)
		set_failure(e, FAILURE_STEPS, r->module->body);
	else
		r->steps--;
	return !e->failure;
}

static uint64_t each_of_list(struct each *x, uint32_t list, size_t line, uint64_t times);

/* Beyond OPEN_MOST no loop can be open: there one stands for its iterations if it makes no
   difference at all, or what is open is not asked. */
static bool is_open(const struct each *x, const struct node *loop)
{
	enum purpose purpose = x->at->depth < OPEN_MOST || !x->take ? x->purpose : FOR_ALL;
	return !(node_in(x->run, loop->kid[2])->uses[purpose] & USES_INDEX(0));
}

#define PERIOD_MOST (UINT64_C(1) << 20)
#define PERIOD_WORTH 64 /* iterations from which on it is looked for */

uint64_t node_period(const struct store *s, node_id id, int64_t k, enum purpose purpose)
{
	const struct node *n = node_of(s, id);
	bool counted = n->kind == NODE_EVENT && purpose == FOR_COUNT;
	uint64_t period = 1;
	int64_t modulus = 0;
	if (n->kind == NODE_VARIABLE)
		return n->number != VARIABLE_INDEX + k;
	if (!(n->uses[purpose] & USES_INDEX(k)))
		return 1;
	for (uint32_t i = 0; i < n->kids && period; i++) {
		const struct node *kid = node_of(s, n->kid[i]);
		bool asked = !counted || i == COLUMN_WHO || (i == COLUMN_PEER && n->number);
		if (n->kid[i] && asked && kid->kind != NODE_PROCEDURE && kid->kind != NODE_TABLE)
			period = common_multiple(period,
				node_period(s, n->kid[i], k + (n->kind == NODE_LOOP && i == 2), purpose), PERIOD_MOST);
	}
	/* (2*i0+p)%7: its own terms repeat by the modulus */
	if (!period && n->kind == NODE_REMAINDER && number_is_constant(s, n->kid[1], &modulus) && modulus > 0) {
		const struct node *inside = node_of(s, n->kid[0]);
		period = (uint64_t)modulus <= PERIOD_MOST ? (uint64_t)modulus : 0;
		for (uint32_t i = 0; i < inside->kids && period; i++) {
			node_id factor = node_kid(s, inside->kid[i], 0);
			if (node_of(s, factor)->kind != NODE_VARIABLE)
				period = common_multiple(period, node_period(s, factor, k, purpose), PERIOD_MOST);
		}
	}
	return period;
}

/* Iterations of a loop. Those a period apart are alike: in everything, where somebody sees them,
   but who asks for channels wants to see each. */
static uint64_t iterate(struct each *x, const struct projected *p, size_t line, uint64_t times, int64_t trips)
{
	struct environment *e = x->at;
	node_id body = node_kid(e->store, p->statement, 2);
	bool each = trips < PERIOD_WORTH || (x->take && x->purpose >= FOR_CHANNEL);
	uint64_t period = each ? 0 : node_period(e->store, body, 0, x->take ? FOR_ALL : FOR_COUNT);
	int64_t different = period && (int64_t)period < trips ? (int64_t)period : trips;
	uint64_t events = 0;
	for (int64_t i = 0; i < different && run_may_go_on(x->run, e); i++) {
		uint64_t alike = (uint64_t)((trips - 1 - i) / different + 1);
		e->index[e->depth - 1] = i;
		events = saturating_add(events, saturating_multiply(alike, each_of_list(x, p->inside, line + 1,
										   saturating_multiply(times, alike))));
	}
	return events;
}

static uint64_t each_of_loop(struct each *x, const struct projected *p, size_t line, uint64_t times)
{
	struct environment *e = x->at;
	int64_t trips = loop_trips(e, p->statement);
	bool open = is_open(x, node_in(x->run, p->statement));
	uint64_t bit = open && e->depth < OPEN_MOST ? UINT64_C(1) << e->depth : 0, events = 0;
	if (bit)
		e->trips[e->depth] = trips;
	e->open |= bit;
	e->index[e->depth++] = 0;
	if (open && trips)
		events = saturating_multiply((uint64_t)trips,
			each_of_list(x, p->inside, line + 1, saturating_multiply(times, (uint64_t)trips)));
	if (!open)
		events = iterate(x, p, line, times, trips);
	e->depth--;
	e->open &= ~bit;
	return events;
}

static uint64_t each_of_call(struct each *x, const struct projected *p, uint64_t times)
{
	int64_t argument[PARAMETERS_LIMIT];
	size_t base = x->at->base;
	const int64_t *parameter = x->at->parameter;
	enter_call(x->at, p->statement, argument);
	uint64_t events = each_of_list(x, p->inside, procedure_line(x->run, p->statement), times);
	x->at->base = base;
	x->at->parameter = parameter;
	return events;
}

static uint64_t each_inside(struct each *x, const struct projected *p, size_t line, uint64_t times)
{
	const struct node *n = node_in(x->run, p->statement);
	if (n->kind == NODE_LOOP)
		return each_of_loop(x, p, line, times);
	if (n->kind == NODE_CALL)
		return each_of_call(x, p, times);
	return n->kind == NODE_GUARD && test_holds(x->at, n->kid[1]) ? each_of_list(x, p->inside, line + 1, times) : 0;
}

/* Gives how many events it is once. */
static uint64_t each_of_statement(struct each *x, const struct projected *p, size_t line, uint64_t times)
{
	struct run *r = x->run;
	const struct node *n = node_in(r, p->statement);
	uint64_t key = pair_of(p->statement, x->class), events;
	if (x->all && n->kind != NODE_EVENT)
		x->take(x->context, x->at, p->statement, line, times);
	if (x->line ? line == *x->line : n->kind == NODE_EVENT) {
		events = x->line || event_happens(x->at, p->statement);
		if (events && x->take)
			x->take(x->context, x->at, p->statement, line, times);
		return events;
	}
	bool of_class = !x->take && !(n->uses[FOR_COUNT] & ~USES_EXTENTS);
	uint32_t known = of_class ? intern_find(r->counts, &key, sizeof key) : INTERN_NONE;
	if (known != INTERN_NONE)
		return r->count[known];
	events = each_inside(x, p, line, times);
	if (of_class && !x->at->failure) {
		intern_id(r->counts, &key, sizeof key);
		*MEM_PUSH(r->count, r->counted, r->count_capacity) = events;
	}
	return events;
}

/* May the statement that is asked for be this one, or inside? */
static bool may_hold(const struct each *x, const struct node *n, size_t line)
{
	bool calls = n->kind != NODE_EVENT && x->run->module->procedures;
	return !x->line || calls || (*x->line >= line && *x->line < line + n->lines);
}

/* Without calls, the statement that is asked for is in the last that begins at its line, or
   before. */
static uint64_t each_of_list(struct each *x, uint32_t list, size_t first, uint64_t times)
{
	uint64_t events = 0;
	size_t from = 0, end = x->run->list[list].length;
	if (x->line && !x->run->module->procedures) {
		SEARCH_FIRST(end, 0, x->run->list[list].length, first + x->run->list[list].entry[end].line > *x->line);
		from = end - (end > 0);
	}
	for (size_t i = from; i < end && run_may_go_on(x->run, x->at); i++) {
		struct projected p = x->run->list[list].entry[i];
		if (may_hold(x, node_in(x->run, p.statement), first + p.line))
			events = saturating_add(events, each_of_statement(x, &p, first + p.line, times));
	}
	return events;
}

/* From a statement, or a SEQUENCE, on. */
static uint64_t each_from(struct each *x, node_id statement, size_t line, uint64_t times)
{
	struct run *r = x->run;
	const struct node *n = node_in(r, statement);
	struct projected p = {.statement = statement};
	if (x->at->failure || !run_has(r, domain_of(n), (uint32_t)x->at->p))
		return 0;
	x->class = run_class(r, (uint32_t)x->at->p);
	if (n->kind == NODE_SEQUENCE)
		return each_of_list(x, list_of(r, statement, x->class), line, times);
	if (n->kind != NODE_EVENT)
		p.inside = list_of(r, body_of(r, n), x->class);
	return each_of_statement(x, &p, line, times);
}

bool run_each(
	struct run *r, struct environment *e, enum purpose purpose, const size_t *line, run_take *take, void *context)
{
	struct each x = {r, e, purpose, line, take, context, 0, false};
	each_from(&x, r->module->body, 0, 1);
	return !e->failure;
}

bool run_each_statement(struct run *r, struct environment *e, run_take *take, void *context)
{
	struct each x = {r, e, FOR_COUNT, NULL, take, context, 0, true};
	each_from(&x, r->module->body, 0, 1);
	return !e->failure;
}

void run_each_of(struct run *r, struct environment *e, node_id statement, size_t line, enum purpose purpose,
	uint64_t times, run_take *take, void *context)
{
	struct each x = {r, e, purpose, NULL, take, context, 0, false};
	each_from(&x, statement, line, times);
}

uint64_t run_count(struct run *r, struct environment *e, node_id statement)
{
	struct each x = {.run = r, .at = e, .purpose = FOR_COUNT};
	uint64_t events = each_from(&x, statement, 0, 1);
	return e->failure ? 0 : events;
}

/* Of a statement of the module's body, of a class of so many. */
static uint64_t events_of_class(
	struct run *r, struct environment *e, node_id statement, uint32_t class, uint32_t processes)
{
	bool alike = !(node_in(r, statement)->uses[FOR_COUNT] & USES_PROCESS);
	uint64_t events = 0;
	for (uint32_t rank = r->first[class], end = alike ? rank + 1 : r->at.processes; rank < end && !e->failure;
		rank++) {
		if (r->class[rank] != class)
			continue;
		run_start(r, rank, e);
		events = saturating_add(events, run_count(r, e, statement));
	}
	return alike ? saturating_multiply(events, processes) : events;
}

uint64_t run_events(struct run *r, enum failure *failure)
{
	struct environment e = {.failure = r->at.failure};
	uint64_t events = 0;
	uint32_t *processes = mem_zero((r->classes + (size_t)1) * sizeof *processes);
	for (uint32_t rank = 0; rank < r->at.processes; rank++)
		processes[r->class[rank]]++;
	for (uint32_t class = 0; class < r->classes; class ++) {
		size_t length;
		const struct projected *own = run_projection(r, r->module->body, class, &length);
		for (size_t i = 0; i < length && !e.failure; i++)
			events = saturating_add(
				events, events_of_class(r, &e, own[i].statement, class, processes[class]));
	}
	free(e.index);
	free(processes);
	*failure = e.failure;
	return events;
}

void run_each_open(struct run *r, struct environment *e, node_id event, size_t line, uint64_t uses, uint64_t times,
	run_take *take, void *context)
{
	size_t depth = 0, end = e->depth < OPEN_MOST ? e->depth : OPEN_MOST;
	while (depth < end && !(e->open >> depth & 1 && uses & USES_INDEX(e->depth - 1 - depth)))
		depth++;
	if (depth == end) {
		take(context, e, event, line, times);
		return;
	}
	uint64_t bit = UINT64_C(1) << depth;
	times = times == UINT64_MAX ? times : times / (uint64_t)e->trips[depth];
	e->open &= ~bit;
	for (int64_t i = 0; i < e->trips[depth] && run_may_go_on(r, e); i++) {
		e->index[depth] = i;
		run_each_open(r, e, event, line, uses, times, take, context);
	}
	e->open |= bit;
	e->index[depth] = 0;
}
