/*
 * projection.c -- a list of statements for each role; a walk is a place in it for each loop that is
 * open.
 */
#include "ask/projection.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ask/executions.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/rank_sets.h"
#include "base/saturate.h"

/* What the processes of one role execute. */
struct list {
	struct projection_entry *entry;
	size_t length, capacity;
	size_t open; /* while the list is made: the innermost loop that is open, OPEN_NONE if none is */
	uint64_t events; /* of one process; saturates */
};

#define OPEN_NONE SIZE_MAX

struct projection {
	struct program *program;
	uint32_t *role; /* by rank: its list, NO_ROLE where it has no events or is not wanted */
	struct list *list;
	uint32_t lists;
	uint32_t *area; /* by statement: of a sync whose group depends on the process, its number */
	uint32_t **group; /* by area: of each rank */
	uint32_t areas;
	uint64_t *events; /* by rank, where processes of a role have different numbers; else NULL */
};

/* ------------------------------------------------------------------ roles */

/*
 * Keep the roles of those wanted, numbered anew in the order of their lowest ranks, which are added
 * to *lowest.
 */
static void choose_roles(struct projection *p, const struct ranks *wanted, struct ranks *lowest)
{
	uint32_t roles;
	p->role = program_role_of(p->program, &roles);
	uint32_t *number = mem_array(roles, sizeof *number);
	memset(number, 0xff, roles * sizeof *number);
	for (uint32_t rank = 0; rank < p->program->processes; rank++) {
		uint32_t *role = &p->role[rank];
		if (wanted && !ranks_has(wanted, rank))
			*role = NO_ROLE;
		if (*role == NO_ROLE)
			continue;
		if (number[*role] == NO_ROLE) {
			number[*role] = p->lists++;
			ranks_add(lowest, rank);
		}
		*role = number[*role];
	}
	free(number);
}

/* ------------------------------------------------------------------ who executes each statement */

struct coverage {
	const struct program *program;
	const struct ranks *wanted; /* while the coverage is made */
	struct rank_sets *sets;
	uint32_t *set; /* by statement */
};

/* Those who execute one of these statements. */
static uint32_t unite(struct coverage *c, size_t from, size_t to)
{
	rank_sets_start(c->sets);
	for (size_t i = from; i < to; i += statement_size(&c->program->statement[i]))
		rank_sets_join(c->sets, c->set[i]);
	return rank_sets_union(c->sets);
}

static uint32_t statement_set(struct coverage *c, size_t at)
{
	const struct statement *s = &c->program->statement[at];
	if (statement_never_runs(s))
		return RANK_SETS_NOBODY;
	if (statement_is_loop(s) && s->set == STATEMENT_PLAIN)
		return unite(c, at + 1, at + s->size);
	struct ranks_run single;
	struct ranks who = program_processes(c->program, s, &single);
	return rank_sets_id(c->sets, &who, c->wanted);
}

static struct coverage *coverage_within(const struct program *program, const struct ranks *wanted)
{
	struct coverage *c = mem_zero(sizeof *c);
	*c = (struct coverage){program, wanted, rank_sets_new(), mem_array(program->length, sizeof *c->set)};
	for (size_t i = program->length; i-- > 0;)
		c->set[i] = statement_set(c, i);
	c->wanted = NULL;
	return c;
}

static void coverage_free(struct coverage *c)
{
	if (!c)
		return;
	rank_sets_free(c->sets);
	free(c->set);
	free(c);
}

static struct ranks coverage_of(const struct coverage *c, size_t at)
{
	return rank_sets_get(c->sets, c->set[at]);
}

/* ------------------------------------------------------------------ lists */

struct listing {
	struct projection *p;
	const struct coverage *coverage; /* by the lowest rank of each role */
	const struct executions *executions;
};

static void append(struct list *l, size_t statement)
{
	assert(statement < UINT32_MAX);
	*MEM_PUSH(l->entry, l->length, l->capacity) = (struct projection_entry){(uint32_t)statement, 1};
}

/* While a loop is open, the size of its entry is the place of the loop around it, plus one. */
static void open_loop(struct list *l, size_t statement)
{
	append(l, statement);
	l->entry[l->length - 1].size = (uint32_t)(l->open + 1);
	l->open = l->length - 1;
}

static void close_loop(struct list *l)
{
	struct projection_entry *loop = &l->entry[l->open];
	size_t size = l->length - l->open, around = (size_t)loop->size - 1;
	if (loop->size == 0)
		around = OPEN_NONE;
	loop->size = (uint32_t)size;
	if (size == 1)
		l->length--;
	l->open = around;
}

/* Recursion as deep as loops nest. */
static void list_statements(struct listing *x, size_t from, size_t to)
{
	const struct program *program = x->p->program;
	for (size_t i = from; i < to; i += statement_size(&program->statement[i])) {
		const struct statement *s = &program->statement[i];
		struct ranks who = coverage_of(x->coverage, i);
		struct ranks_walk walk = {0};
		uint32_t rank;
		if (!who.length)
			continue;
		while (ranks_next(&who, &walk, &rank)) {
			struct list *l = &x->p->list[x->p->role[rank]];
			(statement_is_loop(s) ? open_loop : append)(l, i);
			if (!statement_is_loop(s))
				l->events = saturating_add(l->events, x->executions->times[i]);
		}
		if (!statement_is_loop(s))
			continue;
		list_statements(x, i + 1, i + s->size);
		walk = (struct ranks_walk){0};
		while (ranks_next(&who, &walk, &rank))
			close_loop(&x->p->list[x->p->role[rank]]);
	}
}

static void make_lists(struct projection *p, const struct ranks *lowest)
{
	struct coverage *coverage = coverage_within(p->program, lowest);
	struct executions executions = executions_of(p->program);
	struct listing x = {p, coverage, &executions};
	p->list = mem_zero(p->lists * sizeof *p->list);
	for (uint32_t i = 0; i < p->lists; i++)
		p->list[i].open = OPEN_NONE;
	list_statements(&x, 0, p->program->length);
	executions_clear(&executions);
	coverage_free(coverage);
}

/* ------------------------------------------------------------------ groups */

static bool has_groups(const struct program *p, const struct statement *s)
{
	if (statement_is_loop(s) || s->set == STATEMENT_PLAIN)
		return false;
	struct form form = program_get_form(p, s->event);
	return form.kind == EVENT_SYNC && form.area.kind;
}

/* By rank; each group is made once. */
static uint32_t *groups_of(const struct projection *p, size_t at, const struct form *form)
{
	struct program *program = p->program;
	uint32_t *group = mem_zero(program->processes * sizeof *group), *made = NULL;
	struct ranks among = dictionary_get_ranks(program->dictionary, (uint32_t)form->group);
	struct intern *numbers = intern_new_keys(sizeof(int64_t));
	size_t capacity = 0;
	for (uint32_t rank = 0; rank < program->processes; rank++) {
		struct spot spot = grid_spot(&program->grid, rank);
		if (p->role[rank] == NO_ROLE || (form->area.kind == AREA_BY_COMMUNICATOR && !ranks_has(&among, rank)))
			continue;
		int64_t number = program_group_number(program, form, &spot);
		uint32_t known = intern_count(numbers), id = intern_id(numbers, &number, sizeof number);
		made = mem_grow(made, &capacity, (size_t)id + 1, sizeof *made);
		if (id == known)
			made[id] = plain_event_group(program, at, &spot);
		group[rank] = made[id];
	}
	intern_free(numbers);
	free(made);
	return group;
}

static void find_groups(struct projection *p)
{
	struct intern *areas = intern_new();
	size_t capacity = 0;
	p->area = mem_zero(p->program->length * sizeof *p->area);
	for (size_t i = 0; i < p->program->length; i++) {
		const struct statement *s = &p->program->statement[i];
		if (!has_groups(p->program, s))
			continue;
		struct form form = program_get_form(p->program, s->event), area;
		memset(&area, 0, sizeof area);
		area.area = form.area;
		if (form.area.kind == AREA_BY_COMMUNICATOR) {
			area.group = form.group;
			area.communicator = form.communicator;
		}
		p->area[i] = intern_id(areas, &area, sizeof area);
		if (p->area[i] < p->areas)
			continue;
		*MEM_PUSH(p->group, p->areas, capacity) = groups_of(p, i, &form);
	}
	intern_free(areas);
}

/* Where counts depend on the process. */
static void count_events(struct projection *p)
{
	const struct program *program = p->program;
	p->events = mem_zero(program->processes * sizeof *p->events);
	for (uint32_t rank = 0; rank < program->processes; rank++) {
		if (p->role[rank] == NO_ROLE)
			continue;
		const struct list *l = &p->list[p->role[rank]];
		struct executions executions = executions_of_process(program, rank);
		for (size_t i = 0; i < l->length; i++)
			if (!statement_is_loop(&program->statement[l->entry[i].statement]))
				p->events[rank] =
					saturating_add(p->events[rank], executions.times[l->entry[i].statement]);
		executions_clear(&executions);
	}
}

/* ------------------------------------------------------------------ in public */

struct projection *projection_new(struct program *program, const struct ranks *wanted)
{
	struct projection *p = mem_zero(sizeof *p);
	struct ranks lowest = {0};
	p->program = program;
	choose_roles(p, wanted, &lowest);
	make_lists(p, &lowest);
	find_groups(p);
	if (program_is_divergent(program))
		count_events(p);
	ranks_clear(&lowest);
	return p;
}

void projection_free(struct projection *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->lists; i++)
		free(p->list[i].entry);
	for (uint32_t i = 0; i < p->areas; i++)
		free(p->group[i]);
	free(p->list);
	free(p->group);
	free(p->area);
	free(p->events);
	free(p->role);
	free(p);
}

static const struct list *list_of(const struct projection *p, uint32_t rank)
{
	static const struct list none;
	return rank < p->program->processes && p->role[rank] != NO_ROLE ? &p->list[p->role[rank]] : &none;
}

uint64_t projection_events(const struct projection *p, uint32_t rank)
{
	return p->events && rank < p->program->processes ? p->events[rank] : list_of(p, rank)->events;
}

const struct projection_entry *projection_list(const struct projection *p, uint32_t rank, size_t *length)
{
	const struct list *l = list_of(p, rank);
	*length = l->length;
	return l->entry;
}

void projection_event(
	const struct projection *p, const struct plain_statement *s, const struct spot *spot, struct plain_event *e)
{
	plain_statement_event(s, spot, spot->index, e);
	if (e->group == PLAIN_GROUP_OF_AREA)
		e->group = p->group[p->area[s->at]][spot->p];
}

/* ------------------------------------------------------------------ walking */

/* A body being executed: the root's, or a loop's. */
struct frame {
	const struct projection_entry *at, *first, *past;
	uint64_t left; /* iterations, this one included */
};

/* An event that is the same in every iteration is evaluated once. */
struct kept_frame {
	enum { NOT_ASKED, SAME, VARIES } state;
	struct plain_event event;
};

#define KEPT_MOST 4096

struct walk {
	const struct projection *projection;
	struct spot spot;
	struct frame *frame;
	size_t depth, capacity;
	int64_t *index; /* of the loops that are open */
	size_t index_capacity;
	uint32_t statement;
	size_t entry; /* its place in the list */
	struct kept_frame *kept; /* by entry, NULL where there are too many */
	struct projection_entry *own; /* where some events are passed: those that are not, and loops around them */
};

static void enter(
	struct walk *w, const struct projection_entry *first, const struct projection_entry *past, uint64_t times)
{
	if (times == 0)
		return;
	*MEM_PUSH(w->frame, w->depth, w->capacity) = (struct frame){first, first, past, times};
	if (w->depth < 2)
		return;
	size_t loops = w->depth - 1;
	if (loops > w->index_capacity) {
		size_t before = w->index_capacity;
		w->index = mem_grow(w->index, &w->index_capacity, loops, sizeof *w->index);
		memset(w->index + before, 0, (w->index_capacity - before) * sizeof *w->index);
	}
	w->index[loops - 1] = 0;
}

static struct walk *walk_over(const struct projection *p, uint32_t rank, const struct list *l)
{
	struct walk *w = mem_zero(sizeof *w);
	w->projection = p;
	w->spot = grid_spot(&p->program->grid, rank);
	w->index = mem_grow(w->index, &w->index_capacity, INDEX_DEPTH, sizeof *w->index);
	memset(w->index, 0, w->index_capacity * sizeof *w->index);
	if (l->length)
		enter(w, l->entry, l->entry + l->length, 1);
	if (l->length && l->length <= KEPT_MOST)
		w->kept = mem_zero(l->length * sizeof *w->kept);
	return w;
}

struct walk *walk_new(const struct projection *p, uint32_t rank)
{
	return walk_over(p, rank, list_of(p, rank));
}

struct walk *walk_new_of(const struct projection *p, uint32_t rank, const bool *wanted)
{
	const struct list *all = list_of(p, rank);
	struct list some = {.open = OPEN_NONE};
	size_t *past = mem_array(all->length + 1, sizeof *past), loops = 0; /* where loops that are open end */
	for (size_t i = 0; i < all->length; i++) {
		const struct projection_entry *e = &all->entry[i];
		for (; loops && past[loops - 1] == i; loops--)
			close_loop(&some);
		if (statement_is_loop(&p->program->statement[e->statement])) {
			open_loop(&some, e->statement);
			past[loops++] = i + e->size;
		} else if (wanted[e->statement]) {
			append(&some, e->statement);
		}
	}
	while (loops--)
		close_loop(&some);
	free(past);
	struct walk *w = walk_over(p, rank, &some);
	w->own = some.entry;
	return w;
}

/* The end of a body: the next iteration, or back to what is around. */
static void leave(struct walk *w)
{
	struct frame *f = &w->frame[w->depth - 1];
	f->at = f->first;
	if (w->depth > 1)
		w->index[w->depth - 2]++;
	if (--f->left)
		return;
	if (w->depth > 1)
		w->index[w->depth - 2] = 0;
	w->depth--;
}

bool walk_next(struct walk *w)
{
	const struct program *program = w->projection->program;
	while (w->depth) {
		struct frame *f = &w->frame[w->depth - 1];
		if (f->at == f->past) {
			leave(w);
			continue;
		}
		const struct projection_entry *e = f->at;
		f->at += e->size;
		if (!statement_is_loop(&program->statement[e->statement])) {
			w->statement = e->statement;
			w->entry = (size_t)(e - w->frame->first);
			return true;
		}
		struct spot spot = w->spot;
		spot.index = w->index;
		enter(w, e + 1, e + e->size, program_count_of(program, e->statement, &spot));
	}
	return false;
}

uint64_t walk_pass(struct walk *w)
{
	struct frame *f = &w->frame[w->depth - 1];
	uint64_t times = f->past - f->first == 1 ? f->left : 1;
	f->left -= times - 1;
	return times;
}

size_t walk_statement(const struct walk *w)
{
	return w->statement;
}

const int64_t *walk_indices(const struct walk *w, size_t *loops)
{
	*loops = w->depth ? w->depth - 1 : 0;
	return w->index;
}

static void evaluate(const struct walk *w, struct plain_event *e)
{
	struct spot spot = w->spot;
	struct plain_statement s;
	spot.index = w->index;
	plain_statement_of(w->projection->program, w->statement, &s);
	projection_event(w->projection, &s, &spot, e);
}

void walk_event(const struct walk *w, struct plain_event *e)
{
	struct kept_frame *kept = w->kept ? &w->kept[w->entry] : NULL;
	if (kept && kept->state == NOT_ASKED) {
		const struct program *p = w->projection->program;
		kept->state = program_indices(p, &p->statement[w->statement]) ? VARIES : SAME;
		evaluate(w, &kept->event);
	}
	if (kept && kept->state == SAME)
		*e = kept->event;
	else
		evaluate(w, e);
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	free(w->frame);
	free(w->index);
	free(w->kept);
	free(w->own);
	free(w);
}
