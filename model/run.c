/*
 * run.c -- classes by splitting: all processes are one, and each domain of the program takes apart
 * what it has of a class from what it has not. A class has a list of each body, made when somebody
 * comes to it; lists name those of the bodies inside, so nobody who walks looks anything up.
 *
 * A statement is never visited twice where it cannot make a difference: what depends on the class
 * alone is counted once, and a loop that makes none for the purpose stands for its iterations.
 * Where it does make one, its iterations are gone through, within RUN_STEPS.
 */
#include "model/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/saturate.h"

#define OPEN_MOST 64 /* loops that the environment can say are open */

struct list {
	struct projected *entry;
	size_t length;
};

/* Who has what of a body. Plain programs have a statement for each process: what few processes have
   is found by class, so that a list is not looked for among all statements. */
#define FEW 16
struct body {
	uint32_t *line, *place; /* by statement, from the body's first */
	uint32_t *common; /* statements that many processes have; */
	size_t commons, common_capacity;
	struct own {
		uint32_t class, statement;
	} * own; /* ... and others, by class and place */
	size_t owns, own_capacity;
};

/* A class while domains split it. */
struct part {
	uint32_t size, inside; /* processes; ... of the domain at hand */
	uint32_t twin; /* the class of those inside; 0: there is none yet */
};

struct run {
	const struct module *module;
	struct environment at; /* of no process */
	uint32_t *class, *first, classes; /* by rank; by class */
	size_t depth; /* loops inside each other, calls replaced */
	uint64_t steps; /* left, of RUN_STEPS */
	struct intern *shared; /* of a body, who has what */
	struct body *body;
	size_t shares, body_capacity;
	struct intern *bodies; /* body and class: a list */
	struct list *list;
	size_t lists, list_capacity;
	struct intern *counts; /* statement and class: how many events */
	uint64_t *count;
	size_t counted, count_capacity;
	struct intern *conditions; /* WHERE: its processes */
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

static uint64_t pair_of(node_id node, uint32_t class)
{
	return (uint64_t)node << 32 | class;
}

static const struct node *node_in(const struct run *r, node_id id)
{
	return node_of(r->at.store, id);
}

static node_id body_of(const struct run *r, node_id statement)
{
	const struct node *n = node_in(r, statement);
	return n->kind == NODE_CALL ? node_kid(r->at.store, n->kid[0], 0) : n->kid[2];
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

static void take_where(struct run *r, node_id domain, struct ranks *to)
{
	const struct node *d = node_in(r, domain);
	struct environment at = r->at;
	for (uint32_t rank = 0; rank < r->at.processes && !r->at.failure; rank++) {
		bool holds = true;
		environment_set(&at, rank);
		for (uint32_t k = 0; k < d->kids && holds; k++)
			holds = comparison_holds(&at, d->kid[k]);
		if (at.failure)
			set_failure(&r->at, at.failure, at.failed);
		else if (holds)
			ranks_add(to, rank);
	}
}

/* NULL: all, or whoever is named. */
static const struct ranks *ranks_of(struct run *r, node_id domain)
{
	const struct node *d = node_in(r, domain);
	if (d->kind == NODE_RANKS)
		return store_get_ranks(r->at.store, (uint32_t)d->number);
	if (d->kind != NODE_WHERE)
		return NULL;
	uint32_t known = intern_count(r->conditions), id = intern_id(r->conditions, &domain, sizeof domain);
	if (id == known) {
		struct ranks holds = {0};
		take_where(r, domain, &holds);
		*MEM_PUSH(r->ranks, r->condition_count, r->condition_capacity) = holds;
	}
	return &r->ranks[id];
}

bool run_has(struct run *r, node_id domain, uint32_t rank)
{
	const struct ranks *ranks = domain ? ranks_of(r, domain) : NULL;
	return !ranks || ranks_has(ranks, rank);
}

/* ------------------------------------------------------------------ classes */

struct survey {
	struct run *run;
	struct intern *domains, *bodies;
	uint32_t *height; /* by body: statements inside each other */
	size_t heights, height_capacity;
	struct part *part; /* by class */
	uint32_t *touched; /* classes that the domain at hand has somebody of */
};

static void split(struct survey *v, const struct ranks *domain)
{
	struct run *r = v->run;
	struct ranks_walk first = {0}, second = {0};
	uint32_t touched = 0, rank;
	while (ranks_next(domain, &first, &rank) && rank < r->at.processes)
		if (!v->part[r->class[rank]].inside++)
			v->touched[touched++] = r->class[rank];
	while (ranks_next(domain, &second, &rank) && rank < r->at.processes) {
		struct part *part = &v->part[r->class[rank]];
		if (part->inside == part->size)
			continue;
		if (!part->twin) {
			part->twin = r->classes++;
			v->part[part->twin] = (struct part){.size = part->inside};
		}
		r->class[rank] = part->twin;
	}
	for (uint32_t i = 0; i < touched; i++) {
		struct part *part = &v->part[v->touched[i]];
		part->size -= part->twin ? part->inside : 0;
		part->inside = part->twin = 0;
	}
}

static void split_by(struct survey *v, node_id domain)
{
	uint32_t known = intern_count(v->domains);
	if (!domain || intern_id(v->domains, &domain, sizeof domain) != known)
		return;
	const struct ranks *ranks = ranks_of(v->run, domain);
	if (ranks)
		split(v, ranks);
}

/* How many statements are inside each other in a body that itself is inside of `level` of them. */
static uint32_t survey(struct survey *v, node_id body, uint32_t level)
{
	struct run *r = v->run;
	const struct node *b = node_in(r, body);
	uint32_t known = intern_find(v->bodies, &body, sizeof body), height = 0;
	if (level + (known == INTERN_NONE ? 1 : v->height[known]) > RUN_DEPTH) {
		set_failure(&r->at, FAILURE_DEPTH, body);
		return 0;
	}
	if (known != INTERN_NONE)
		return v->height[known];
	for (uint32_t k = 0; k < b->kids && !r->at.failure; k++) {
		const struct node *s = node_in(r, b->kid[k]);
		if (never_runs(r, s))
			continue;
		split_by(v, domain_of(s));
		uint32_t inside = s->kind == NODE_EVENT ? 0 : survey(v, body_of(r, b->kid[k]), level + 1);
		height = inside + 1 > height ? inside + 1 : height;
	}
	intern_id(v->bodies, &body, sizeof body);
	*MEM_PUSH(v->height, v->heights, v->height_capacity) = height;
	return height;
}

/* In the order of their lowest processes. */
static void number_classes(struct run *r)
{
	uint32_t *number = mem_array(r->classes, sizeof *number), classes = 0;
	memset(number, 0xff, r->classes * sizeof *number);
	r->first = mem_array(r->classes, sizeof *r->first);
	for (uint32_t rank = 0; rank < r->at.processes; rank++) {
		uint32_t *class = &r->class[rank];
		if (number[*class] == UINT32_MAX) {
			r->first[classes] = rank;
			number[*class] = classes++;
		}
		*class = number[*class];
	}
	free(number);
}

static void find_classes(struct run *r)
{
	size_t processes = r->at.processes;
	struct survey v = {.run = r,
		.domains = intern_new_keys(sizeof(node_id)),
		.bodies = intern_new_keys(sizeof(node_id)),
		.part = mem_zero((processes + 1) * sizeof *v.part),
		.touched = mem_array(processes + 1, sizeof *v.touched)};
	r->class = mem_zero((processes + 1) * sizeof *r->class);
	r->classes = processes > 0;
	v.part[0].size = r->at.processes;
	survey(&v, r->module->body, 0);
	number_classes(r);
	intern_free(v.domains);
	intern_free(v.bodies);
	free(v.height);
	free(v.part);
	free(v.touched);
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

struct run *run_new(const struct module *m, const struct environment *environment)
{
	struct run *r = mem_zero(sizeof *r);
	r->module = m;
	r->at = environment ? *environment
			    : (struct environment){.store = m->store, .processes = m->processes, .grid = m->grid};
	r->at.failure = FAILURE_NONE;
	r->depth = (size_t)node_in(r, m->body)->depth + 1;
	r->steps = RUN_STEPS;
	r->shared = intern_new_keys(sizeof(node_id));
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
	for (size_t i = 0; i < r->lists; i++)
		free(r->list[i].entry);
	for (size_t i = 0; i < r->shares; i++) {
		free(r->body[i].line);
		free(r->body[i].place);
		free(r->body[i].common);
		free(r->body[i].own);
	}
	for (size_t i = 0; i < r->condition_count; i++)
		ranks_clear(&r->ranks[i]);
	intern_free(r->shared);
	free(r->body);
	intern_free(r->bodies);
	intern_free(r->counts);
	intern_free(r->conditions);
	intern_free(r->procedures);
	free(r->procedure_line);
	free(r->list);
	free(r->count);
	free(r->ranks);
	free(r->class);
	free(r->first);
	free(r);
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

/* A process before its first statement. */
static void start(const struct run *r, uint32_t rank, int64_t *index, struct environment *to)
{
	*to = r->at;
	environment_set(to, rank);
	to->index = index;
	to->failure = r->at.failure;
	to->failed = r->at.failed;
}

/* ------------------------------------------------------------------ projections */

static bool happens_always(const struct run *r, const struct node *event)
{
	return event->kind == NODE_EVENT && !event->number && node_in(r, event->kid[COLUMN_WHO])->kind != NODE_NAMED;
}

static uint32_t plus(uint32_t a, uint32_t b)
{
	return a + b < a ? UINT32_MAX : a + b;
}

static int by_class(const void *left, const void *right)
{
	const struct own *a = left, *b = right;
	return a->class != b->class ? COMPARE(a->class, b->class) : COMPARE(a->statement, b->statement);
}

/* A class is in a domain with all its processes, or with none. */
static void add_owners(struct run *r, struct body *to, uint32_t statement, const struct ranks *domain)
{
	struct ranks_walk walk = {0};
	for (uint32_t rank; ranks_next(domain, &walk, &rank) && rank < r->at.processes;)
		if (r->first[r->class[rank]] == rank)
			*MEM_PUSH(to->own, to->owns, to->own_capacity) = (struct own){r->class[rank], statement};
}

static struct body share(struct run *r, node_id id)
{
	const struct node *b = node_in(r, id);
	struct body body = {
		.line = mem_array(b->kids, sizeof *body.line), .place = mem_array(b->kids, sizeof *body.place)};
	uint32_t line = 0, place = 0;
	for (uint32_t k = 0; k < b->kids; k++) {
		const struct node *s = node_in(r, b->kid[k]);
		const struct ranks *domain = domain_of(s) ? ranks_of(r, domain_of(s)) : NULL;
		body.line[k] = line;
		body.place[k] = place;
		line = plus(line, s->lines);
		place = plus(place, s->statements);
		if (never_runs(r, s))
			continue;
		if (domain && ranks_count(domain) <= FEW)
			add_owners(r, &body, k, domain);
		else
			*MEM_PUSH(body.common, body.commons, body.common_capacity) = k;
	}
	if (body.owns)
		qsort(body.own, body.owns, sizeof *body.own, by_class);
	return body;
}

static uint32_t shared(struct run *r, node_id id)
{
	uint32_t known = intern_find(r->shared, &id, sizeof id);
	if (known != INTERN_NONE)
		return known;
	struct body body = share(r, id);
	*MEM_PUSH(r->body, r->shares, r->body_capacity) = body;
	return intern_id(r->shared, &id, sizeof id);
}

static size_t first_own(const struct body *body, uint32_t class)
{
	size_t from = 0, to = body->owns;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (body->own[middle].class < class)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static uint32_t project(struct run *r, node_id id, uint32_t class);

static void project_statement(struct run *r, const struct body *body, node_id id, uint32_t k, uint32_t class,
	struct list *list, size_t *capacity)
{
	node_id statement = node_kid(r->at.store, id, k);
	const struct node *s = node_in(r, statement);
	struct projected entry = {statement, body->line[k], body->place[k], 0, s->kind, happens_always(r, s)};
	if (s->kind != NODE_EVENT) {
		entry.inside = project(r, body_of(r, statement), class);
		if (!r->list[entry.inside].length)
			return;
	}
	*MEM_PUSH(list->entry, list->length, *capacity) = entry;
}

/* What it has in common with many, and its own, in the order of the text. */
static uint32_t project(struct run *r, node_id id, uint32_t class)
{
	uint64_t key = pair_of(id, class);
	uint32_t known = intern_find(r->bodies, &key, sizeof key);
	if (known != INTERN_NONE)
		return known;
	struct list list = {0};
	size_t capacity = 0, common = 0;
	struct body body = {0};
	if (!r->at.failure) {
		uint32_t number = shared(r, id); /* which may move them all */
		body = r->body[number];
	}
	for (size_t own = first_own(&body, class); !r->at.failure;) {
		bool has_own = own < body.owns && body.own[own].class == class;
		if (common < body.commons && (!has_own || body.common[common] < body.own[own].statement)) {
			uint32_t k = body.common[common++];
			if (run_has(r, domain_of(node_in(r, node_kid(r->at.store, id, k))), r->first[class]))
				project_statement(r, &body, id, k, class, &list, &capacity);
		} else if (has_own) {
			project_statement(r, &body, id, body.own[own++].statement, class, &list, &capacity);
		} else {
			break;
		}
	}
	if (list.length)
		list.entry = mem_resize(list.entry, list.length, sizeof *list.entry);
	intern_id(r->bodies, &key, sizeof key);
	*MEM_PUSH(r->list, r->lists, r->list_capacity) = list;
	return (uint32_t)r->lists - 1;
}

const struct projected *run_projection(struct run *r, node_id body, uint32_t class, size_t *length)
{
	uint32_t list = project(r, body, class); /* which may move them all */
	*length = r->list[list].length;
	return r->list[list].entry;
}

/* ------------------------------------------------------------------ one statement */

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

/* An argument that is a table is passed as its node. */
static int64_t argument_at(struct environment *e, node_id argument)
{
	const struct node *a = node_of(e->store, argument);
	if (a->kind == NODE_TABLE)
		return argument;
	if (a->kind != NODE_VARIABLE)
		return number_at(e, argument);
	if (!e->parameter)
		set_failure(e, FAILURE_INDEX, argument);
	return e->parameter ? e->parameter[a->number - VARIABLE_PARAMETER] : 0;
}

void enter_call(struct environment *e, node_id call, int64_t *argument)
{
	const struct node *n = node_of(e->store, call);
	for (uint32_t k = 1; k < n->kids; k++)
		argument[k - 1] = argument_at(e, n->kid[k]);
	e->parameter = argument;
	e->base = e->depth;
}

static size_t procedure_line(const struct run *r, node_id procedure)
{
	uint32_t number = intern_find(r->procedures, &procedure, sizeof procedure);
	return number == INTERN_NONE ? 0 : r->procedure_line[number];
}

/* ------------------------------------------------------------------ groups */

/* Of an axis, where the line goes along it: all; else the coordinate that it says. */
static void stretch_of(struct environment *e, const struct node *line, uint32_t axis, int64_t *least, int64_t *most)
{
	int64_t size = e->grid.size[axis];
	*least = 0;
	*most = size - 1;
	if (axis >= line->kids || !line->kid[axis])
		return;
	*least = number_at(e, line->kid[axis]) % size;
	*most = *least += *least < 0 ? size : 0;
}

static int64_t rank_on(const struct grid *grid, const int64_t *at)
{
	int64_t rank = 0;
	for (uint32_t a = grid->axes; a-- > 0;)
		rank = rank * grid->size[a] + at[a];
	return rank;
}

static void members_on_line(struct environment *e, const struct node *line, struct ranks *to)
{
	int64_t least[GRID_AXES], most[GRID_AXES], at[GRID_AXES];
	uint32_t axes = e->grid.axes, axis = 0;
	for (uint32_t a = 0; a < axes; a++) {
		stretch_of(e, line, a, &least[a], &most[a]);
		at[a] = least[a];
	}
	while (axis < axes && !e->failure) {
		int64_t rank = rank_on(&e->grid, at);
		if (rank < e->processes)
			ranks_add(to, (uint32_t)rank);
		for (axis = 0; axis < axes && at[axis]++ == most[axis]; axis++)
			at[axis] = least[axis];
	}
}

int64_t event_group_number(struct environment *e, node_id event)
{
	const struct node *n = node_of(e->store, event), *g = node_of(e->store, n->kid[COLUMN_GROUP]);
	int64_t least[GRID_AXES], most;
	if (g->kind == NODE_SELF)
		return e->p;
	if (g->kind == NODE_BY_COMMUNICATOR)
		return number_at(e, n->kid[COLUMN_COMMUNICATOR]);
	if (g->kind != NODE_LINE)
		return 0;
	for (uint32_t a = 0; a < e->grid.axes; a++)
		stretch_of(e, g, a, &least[a], &most);
	return rank_on(&e->grid, least);
}

/* Who executes the event there, and has the same communicator. */
static void members_by_communicator(
	struct run *r, struct environment *e, const struct node *n, node_id event, struct ranks *to)
{
	int64_t own = number_at(e, n->kid[COLUMN_COMMUNICATOR]);
	struct environment other = *e;
	for (uint32_t rank = 0; rank < e->processes && !e->failure; rank++) {
		if (!run_has(r, n->kid[COLUMN_WHO], rank))
			continue;
		environment_set(&other, rank);
		other.depth = e->depth;
		other.base = e->base;
		other.parameter = e->parameter;
		if (event_happens(&other, event) && number_at(&other, n->kid[COLUMN_COMMUNICATOR]) == own)
			ranks_add(to, rank);
		if (other.failure)
			set_failure(e, other.failure, other.failed);
	}
}

void event_members(struct run *r, struct environment *e, node_id event, struct ranks *to)
{
	const struct node *n = node_of(e->store, event), *g = node_of(e->store, n->kid[COLUMN_GROUP]);
	const struct ranks *fixed;
	to->length = 0;
	switch ((enum node_kind)g->kind) {
	case NODE_SELF:
		ranks_add(to, (uint32_t)e->p);
		break;
	case NODE_LINE:
		members_on_line(e, g, to);
		break;
	case NODE_BY_COMMUNICATOR:
		members_by_communicator(r, e, n, event, to);
		break;
	default:
		fixed = ranks_of(r, n->kid[COLUMN_GROUP]);
		if (fixed)
			ranks_copy(to, fixed);
		else if (e->processes)
			ranks_add_run(to, 0, e->processes - 1);
	}
}

/* ------------------------------------------------------------------ event by event */

static void enter(struct cursor *c, uint32_t list, size_t line, int64_t iterations, bool loop)
{
	const struct list *body = &c->run->list[list];
	if (c->frames == c->frame_capacity) {
		size_t before = c->frame_capacity;
		c->frame = mem_grow(c->frame, &c->frame_capacity, c->frames + 1, sizeof *c->frame);
		memset(c->frame + before, 0, (c->frame_capacity - before) * sizeof *c->frame);
	}
	struct cursor_frame *f = &c->frame[c->frames++];
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
	enter(c, p->inside, procedure_line(c->run, node_in(c->run, p->statement)->kid[0]), 1, false);
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
	c->at.index = mem_array(r->depth, sizeof *c->at.index);
	cursor_restart(c, rank);
	return c;
}

void cursor_restart(struct cursor *c, uint32_t rank)
{
	start(c->run, rank, c->at.index, &c->at);
	c->class = run_class(c->run, rank);
	c->event = NODE_NONE;
	c->frames = 0;
	enter(c, project(c->run, c->run->module->body, c->class), 0, 1, false);
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

bool cursor_next(struct cursor *c)
{
	for (uint64_t steps = 0; c->frames && !c->at.failure; steps++) {
		struct cursor_frame *f = &c->frame[c->frames - 1];
		if (steps == CURSOR_STEPS)
			set_failure(&c->at, FAILURE_STEPS, c->run->module->body);
		else if (f->at == f->end)
			end_iteration(c, f);
		else if (f->at++, begin(c, f->at - 1, f->line + f->at[-1].line))
			return true;
	}
	return false;
}

uint64_t cursor_pass(struct cursor *c)
{
	struct cursor_frame *f = &c->frame[c->frames - 1];
	bool alone = f->loop && f->end - f->first == 1;
	if (!alone || node_in(c->run, c->event)->uses[FOR_ALL] & USES_INDEX(0))
		return 1;
	uint64_t times = (uint64_t)f->left + 1;
	c->at.index[c->at.depth - 1] += f->left;
	f->left = 0;
	return times;
}

/* ------------------------------------------------------------------ how often */

/* False, with a failure, where the run has gone through too much. */
static bool may_go_on(struct run *r, struct environment *e)
{
	if (!r->steps)
		set_failure(e, FAILURE_STEPS, r->module->body);
	else
		r->steps--;
	return !e->failure;
}

static uint64_t count_statement(struct run *r, struct environment *e, node_id statement, uint32_t list, uint32_t class);

static uint64_t count_list(struct run *r, struct environment *e, uint32_t list, uint32_t class)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < r->list[list].length && may_go_on(r, e); i++) {
		struct projected p = r->list[list].entry[i];
		sum = saturating_add(sum, count_statement(r, e, p.statement, p.inside, class));
	}
	return sum;
}

static uint64_t count_loop(struct run *r, struct environment *e, node_id loop, uint32_t list, uint32_t class)
{
	int64_t trips = loop_trips(e, loop);
	uint64_t sum = 0;
	bool alike = !(node_in(r, body_of(r, loop))->uses[FOR_COUNT] & USES_INDEX(0));
	e->index[e->depth++] = 0;
	if (alike && trips)
		sum = saturating_multiply((uint64_t)trips, count_list(r, e, list, class));
	for (int64_t i = 0; !alike && i < trips && may_go_on(r, e); i++) {
		e->index[e->depth - 1] = i;
		sum = saturating_add(sum, count_list(r, e, list, class));
	}
	e->depth--;
	return sum;
}

static uint64_t count_inside(struct run *r, struct environment *e, node_id statement, uint32_t list, uint32_t class)
{
	const struct node *n = node_in(r, statement);
	if (n->kind == NODE_LOOP)
		return count_loop(r, e, statement, list, class);
	if (n->kind == NODE_GUARD)
		return test_holds(e, n->kid[1]) ? count_list(r, e, list, class) : 0;
	int64_t argument[PARAMETERS_LIMIT];
	size_t base = e->base;
	const int64_t *parameter = e->parameter;
	enter_call(e, statement, argument);
	uint64_t sum = count_list(r, e, list, class);
	e->base = base;
	e->parameter = parameter;
	return sum;
}

static uint64_t count_statement(struct run *r, struct environment *e, node_id statement, uint32_t list, uint32_t class)
{
	const struct node *n = node_in(r, statement);
	bool of_class = !(n->uses[FOR_COUNT] & ~USES_EXTENTS);
	if (n->kind == NODE_EVENT)
		return event_happens(e, statement);
	uint64_t key = pair_of(statement, class), sum;
	uint32_t known = of_class ? intern_find(r->counts, &key, sizeof key) : INTERN_NONE;
	if (known != INTERN_NONE)
		return r->count[known];
	sum = count_inside(r, e, statement, list, class);
	if (of_class && !e->failure) {
		intern_id(r->counts, &key, sizeof key);
		*MEM_PUSH(r->count, r->counted, r->count_capacity) = sum;
	}
	return e->failure ? 0 : sum;
}

uint64_t run_count(struct run *r, struct environment *e, node_id statement, uint32_t class)
{
	const struct node *n = node_in(r, statement);
	uint32_t list = 0;
	if (e->failure || !run_has(r, domain_of(n), r->first[class]))
		return 0;
	if (n->kind != NODE_EVENT)
		list = project(r, body_of(r, statement), class);
	return count_statement(r, e, statement, list, class);
}

/* What its numbers stood for is gone. */
static void give_failure(const struct environment *e, struct environment *to)
{
	if (!to)
		return;
	*to = *e;
	to->index = NULL;
	to->parameter = NULL;
	to->depth = to->base = 0;
}

uint64_t run_events(struct run *r, uint32_t rank, struct environment *failure)
{
	struct environment e;
	int64_t *index = mem_array(r->depth, sizeof *index);
	uint32_t class = run_class(r, rank);
	start(r, rank, index, &e);
	uint64_t events = count_list(r, &e, project(r, r->module->body, class), class);
	free(index);
	give_failure(&e, failure);
	return e.failure ? 0 : events;
}

/* ------------------------------------------------------------------ what differs */

struct each {
	struct run *run;
	struct environment *at;
	enum purpose purpose;
	bool one; /* what is taken is not events, but the statement at this line: */
	size_t line;
	run_take *take;
	void *context;
};

static void each_of_list(struct each *x, uint32_t list, size_t line, uint64_t times);

/* Beyond OPEN_MOST no loop can be open: there one stands for its iterations if it makes no
   difference at all. */
static bool is_open(const struct each *x, node_id loop)
{
	enum purpose purpose = x->at->depth < OPEN_MOST ? x->purpose : FOR_ALL;
	return !(node_in(x->run, body_of(x->run, loop))->uses[purpose] & USES_INDEX(0));
}

static void each_of_loop(struct each *x, const struct projected *p, size_t line, uint64_t times)
{
	struct environment *e = x->at;
	int64_t trips = loop_trips(e, p->statement);
	bool open = is_open(x, p->statement);
	uint64_t bit = open && e->depth < OPEN_MOST ? UINT64_C(1) << e->depth : 0;
	if (bit)
		e->trips[e->depth] = trips;
	e->open |= bit;
	e->index[e->depth++] = 0;
	if (open && trips)
		each_of_list(x, p->inside, line + 1, saturating_multiply(times, (uint64_t)trips));
	for (int64_t i = 0; !open && i < trips && may_go_on(x->run, e); i++) {
		e->index[e->depth - 1] = i;
		each_of_list(x, p->inside, line + 1, times);
	}
	e->depth--;
	e->open &= ~bit;
}

static void each_of_call(struct each *x, const struct projected *p, uint64_t times)
{
	int64_t argument[PARAMETERS_LIMIT];
	size_t base = x->at->base;
	const int64_t *parameter = x->at->parameter;
	enter_call(x->at, p->statement, argument);
	each_of_list(x, p->inside, procedure_line(x->run, node_in(x->run, p->statement)->kid[0]), times);
	x->at->base = base;
	x->at->parameter = parameter;
}

/* May the statement that is asked for be this one, or inside? */
static bool may_hold(const struct each *x, const struct node *n, size_t line)
{
	bool calls = n->kind != NODE_EVENT && x->run->module->procedures;
	return calls || (x->line >= line && x->line < line + n->lines);
}

static void each_of_statement(struct each *x, const struct projected *p, size_t line, uint64_t times)
{
	const struct node *n = node_in(x->run, p->statement);
	if (x->one ? line == x->line : n->kind == NODE_EVENT && event_happens(x->at, p->statement))
		x->take(x->context, x->at, p->statement, line, times);
	else if (n->kind == NODE_LOOP)
		each_of_loop(x, p, line, times);
	else if (n->kind == NODE_CALL)
		each_of_call(x, p, times);
	else if (n->kind == NODE_GUARD && test_holds(x->at, n->kid[1]))
		each_of_list(x, p->inside, line + 1, times);
}

static void each_of_list(struct each *x, uint32_t list, size_t first, uint64_t times)
{
	for (size_t i = 0; i < x->run->list[list].length && may_go_on(x->run, x->at); i++) {
		struct projected p = x->run->list[list].entry[i];
		if (!x->one || may_hold(x, node_in(x->run, p.statement), first + p.line))
			each_of_statement(x, &p, first + p.line, times);
	}
}

static bool each_of_process(struct each *x, uint32_t rank, struct environment *failure)
{
	struct run *r = x->run;
	struct environment e;
	int64_t *index = mem_array(r->depth, sizeof *index);
	start(r, rank, index, &e);
	x->at = &e;
	each_of_list(x, project(r, r->module->body, run_class(r, rank)), 0, 1);
	free(index);
	give_failure(&e, failure);
	return !e.failure;
}

bool run_each(
	struct run *r, uint32_t rank, enum purpose purpose, run_take *take, void *context, struct environment *failure)
{
	struct each x = {.run = r, .purpose = purpose, .take = take, .context = context};
	return each_of_process(&x, rank, failure);
}

bool run_each_at(struct run *r, uint32_t rank, enum purpose purpose, size_t line, run_take *take, void *context,
	struct environment *failure)
{
	struct each x = {r, NULL, purpose, true, line, take, context};
	return each_of_process(&x, rank, failure);
}

void run_each_of(struct run *r, struct environment *e, node_id statement, size_t line, enum purpose purpose,
	uint64_t times, run_take *take, void *context)
{
	struct each x = {.run = r, .at = e, .purpose = purpose, .take = take, .context = context};
	const struct node *n = node_in(r, statement);
	uint32_t class = run_class(r, (uint32_t)e->p);
	struct projected p = {.statement = statement};
	if (e->failure || !run_has(r, domain_of(n), (uint32_t)e->p))
		return;
	if (n->kind == NODE_SEQUENCE) {
		each_of_list(&x, project(r, statement, class), line, times);
		return;
	}
	if (n->kind != NODE_EVENT)
		p.inside = project(r, body_of(r, statement), class);
	each_of_statement(&x, &p, line, times);
}

/* The outermost loop from `depth` on that is open, and used; or the depth of the event. */
static size_t open_and_used(const struct environment *e, uint64_t uses, size_t depth)
{
	size_t end = e->depth < OPEN_MOST ? e->depth : OPEN_MOST;
	while (depth < end && !(e->open >> depth & 1 && uses & USES_INDEX(e->depth - 1 - depth)))
		depth++;
	return depth < end ? depth : e->depth;
}

void run_each_open(struct run *r, struct environment *e, node_id event, size_t line, uint64_t uses, uint64_t times,
	run_take *take, void *context)
{
	size_t depth = open_and_used(e, uses, 0);
	if (depth == e->depth) {
		take(context, e, event, line, times);
		return;
	}
	uint64_t bit = UINT64_C(1) << depth;
	times = times == UINT64_MAX ? times : times / (uint64_t)e->trips[depth];
	e->open &= ~bit;
	for (int64_t i = 0; i < e->trips[depth] && may_go_on(r, e); i++) {
		e->index[depth] = i;
		run_each_open(r, e, event, line, uses, times, take, context);
	}
	e->open |= bit;
	e->index[depth] = 0;
}
