/*
 * fit_statement.c -- executions are gone through one after the other, with their numbers; some of
 * those that the last function was wrong for, of each process, make the next one.
 */
#include "fit/fit_statement.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fit/limits.h"

/* A loop, a guard, or the event itself: where it does not always happen, or once for each member of
   its group, like a loop whose index is the member. */
struct level {
	node_id statement;
	uint32_t loops; /* around it */
	bool loop, members;
};

struct space {
	const struct run *run;
	struct store *store;
	const struct fit_series *member;
	size_t members; /* those that are looked at */
	struct level *level; /* the outermost first; none where nothing varies from one execution to the next */
	size_t levels, capacity;
	uint32_t loops;
	struct member_sets *sets; /* NULL: there is one number for each execution */
};

static void find_levels(const struct module *m, size_t line, struct space *s)
{
	node_id body = m->body;
	for (size_t first = 0; body;) {
		const struct node *b = node_of(m->store, body), *n;
		uint32_t k = 0;
		for (; module_line_behind(m, first, b->kid[k]) <= line; k++)
			first = module_line_behind(m, first, b->kid[k]);
		n = node_of(m->store, b->kid[k]);
		bool event = n->kind == NODE_EVENT, loop = n->kind == NODE_LOOP;
		if (!event || !event_always_happens(m->store, b->kid[k]))
			*MEM_PUSH(s->level, s->levels, s->capacity) = (struct level){b->kid[k], s->loops, loop, false};
		if (event && s->sets)
			*MEM_PUSH(s->level, s->levels, s->capacity) = (struct level){b->kid[k], s->loops, true, true};
		s->loops += loop || (event && s->sets);
		body = event ? NODE_NONE : n->kid[2];
		first++;
	}
}

/* ------------------------------------------------------------------ executions */

struct points {
	const struct space *space;
	bool asked; /* for numbers */
	size_t member;
	struct series_cursor *cursor; /* NULL: all numbers of the member are the same, or are not asked for */
	struct environment at;
	int64_t *pass, *passes; /* by level, of those begun: which of how many */
	uint32_t *who; /* the members of the execution at hand */
	size_t who_capacity;
	int64_t number;
};

static void start_points(struct points *p, const struct space *space, bool asked)
{
	*p = (struct points){.space = space, .asked = asked, .member = SIZE_MAX};
	p->pass = mem_array(2 * space->levels + 1, sizeof *p->pass);
	p->passes = p->pass + space->levels;
}

static void end_points(struct points *p)
{
	series_cursor_free(p->cursor);
	free(p->at.index);
	free(p->pass);
	free(p->who);
}

static void stand(struct points *p, size_t level, int64_t pass)
{
	const struct level *l = &p->space->level[level];
	p->pass[level] = pass;
	if (l->loop)
		p->at.index[l->loops] = l->members ? p->who[pass] : pass;
}

/* Move on to the next iteration of the innermost loop outside of this level that has one; false:
   none has. *level: the levels that stand. */
static bool iterate(struct points *p, size_t *level)
{
	while (*level > 0 && p->pass[*level - 1] + 1 >= p->passes[*level - 1])
		--*level;
	if (*level)
		stand(p, *level - 1, p->pass[*level - 1] + 1);
	return *level > 0;
}

static int64_t find_members(struct points *p, node_id event)
{
	struct member_sets *sets = p->space->sets;
	const struct ranks *members = member_set_ranks(sets, member_set_of(sets, &p->at, event));
	struct ranks_walk walk = {0};
	uint32_t count = 0, member;
	while (ranks_next(members, &walk, &member))
		*MEM_PUSH(p->who, count, p->who_capacity) = member;
	return count;
}

static int64_t passes_of(struct points *p, const struct level *l)
{
	const struct node *n = node_of(p->space->store, l->statement);
	p->at.depth = l->loops;
	if (l->members)
		return find_members(p, l->statement);
	return l->loop                 ? loop_trips(&p->at, l->statement)
	       : n->kind == NODE_GUARD ? test_holds(&p->at, n->kid[1])
				       : event_happens(&p->at, l->statement);
}

/* Stand at the first execution from here on, in the iterations outside of this level; false: the
   process has none. */
static bool begin(struct points *p, size_t level)
{
	const struct space *s = p->space;
	while (level < s->levels) {
		p->passes[level] = passes_of(p, &s->level[level]);
		if (p->passes[level])
			stand(p, level++, 0);
		else if (!iterate(p, &level))
			return false;
	}
	p->at.depth = s->loops;
	return true;
}

static bool next_member(struct points *p)
{
	const struct space *s = p->space;
	series_cursor_free(p->cursor);
	p->cursor = NULL;
	if (++p->member == s->members)
		return false;
	const struct series *series = s->member[p->member].series;
	if (p->asked && !series_constant(series, &p->number))
		p->cursor = series_read(series);
	run_start(s->run, s->member[p->member].rank, &p->at);
	if (s->sets) /* and a member */
		p->at.index = mem_resize(p->at.index, s->loops, sizeof *p->at.index);
	return true;
}

/* The next execution, of the member at hand or (passed) another one; false at the end. */
static bool next_point(struct points *p, bool passed)
{
	size_t level = p->space->levels;
	bool more = p->member != SIZE_MAX && !passed && iterate(p, &level) && begin(p, level);
	while (!more && next_member(p))
		more = begin(p, 0);
	bool there = !more || !p->cursor || series_next(p->cursor, &p->number);
	assert(there);
	return more;
}

/* ------------------------------------------------------------------ what is looked at */

struct sample {
	struct fit_points points;
	uint32_t *process, live[INDEX_DEPTH];
	int64_t *index, *number;
	size_t capacity[3];
	size_t share; /* of each member */
	bool left; /* were executions passed? */
};

static void take_point(struct sample *to, const struct points *p)
{
	size_t at = to->points.count++, lives = to->points.lives;
	to->process = mem_grow(to->process, &to->capacity[0], at + 1, sizeof *to->process);
	to->number = mem_grow(to->number, &to->capacity[1], at + 1, sizeof *to->number);
	to->index = mem_grow(to->index, &to->capacity[2], (at + 1) * lives, sizeof *to->index);
	to->process[at] = (uint32_t)p->at.p;
	to->number[at] = p->number;
	memcpy(to->index + at * lives, p->at.index, lives * sizeof *to->index);
}

static bool is_right(struct points *p, node_id known)
{
	bool right = number_at(&p->at, known) == p->number && !p->at.failure;
	p->at.failure = FAILURE_NONE;
	return right;
}

/* Of each member a share of its executions, from the first one on that the function is wrong for
   (NODE_NONE: the first one). True: it is right for all. */
static bool look(const struct space *s, node_id known, struct sample *to)
{
	struct points p;
	size_t member = SIZE_MAX, taken = 0, before = to->points.count;
	to->left = false;
	start_points(&p, s, true);
	for (bool passed = false; to->points.count <= SAMPLE_MOST && next_point(&p, passed);) {
		taken = p.member == member ? taken : 0;
		member = p.member;
		passed = taken == to->share;
		to->left = to->left || passed;
		if (passed || (!taken && known && is_right(&p, known)))
			continue;
		take_point(to, &p);
		taken++;
	}
	end_points(&p);
	return to->points.count == before;
}

/* NODE_NONE: there is none, or there are too many points. */
static node_id fit_sample(struct fit *f, enum fit_what what, struct sample *sample)
{
	struct fit_points *points = &sample->points;
	points->process = sample->process;
	points->index = sample->index;
	points->number = sample->number;
	points->live = sample->live;
	return points->count <= SAMPLE_MOST ? fit_points(f, what, points)->number : NODE_NONE;
}

static node_id find_function(struct fit *f, enum fit_what what, const struct space *s, const char *name)
{
	struct sample sample = {.share = SAMPLE_FIRST / s->members + 1, .points.name = name};
	node_id found = NODE_NONE;
	sample.points.lives = s->loops < INDEX_DEPTH ? s->loops : INDEX_DEPTH;
	for (uint32_t k = 0; k < sample.points.lives; k++)
		sample.live[k] = s->loops - 1 - k;
	for (; !look(s, found, &sample); sample.share *= SAMPLE_GROWTH) {
		bool whole = !found && !sample.left;
		found = fit_sample(f, what, &sample);
		if (!found || whole)
			break;
	}
	free(sample.process);
	free(sample.index);
	free(sample.number);
	return found;
}

/* ------------------------------------------------------------------ an entry each */

/* The place of an execution in its process's row, (i0*n1 + i1)*n2 + i2, each loop being as long as
   where it is longest: so places ascend. factor: by loop. False: there is no room for all. */
static bool find_places(const struct space *s, int64_t *factor)
{
	struct points p;
	uint64_t size[INDEX_DEPTH] = {0}, row = 1, rows = s->members > 1 ? s->member[s->members - 1].rank + 1 : 1;
	if (s->loops > INDEX_DEPTH)
		return false;
	start_points(&p, s, false);
	while (next_point(&p, false))
		for (uint32_t k = 0; k < s->loops; k++)
			size[k] = (uint64_t)p.at.index[k] < size[k] ? size[k] : (uint64_t)p.at.index[k] + 1;
	end_points(&p);
	for (uint32_t k = s->loops; k-- > 0 && row <= TABLE_LIMIT;) {
		factor[k] = (int64_t)row;
		if (__builtin_mul_overflow(row, size[k], &row))
			return false;
	}
	return row && row <= TABLE_LIMIT / rows;
}

static node_id entry_by_place(struct table *t, const struct space *space, const int64_t *factor)
{
	struct store *s = space->store;
	node_id own = number_constant(s, 0);
	uint32_t word = store_word(s, table_name(t), strlen(table_name(t))), arguments = table_arguments(t);
	for (uint32_t k = 0; k < space->loops; k++)
		own = number_add(s, own, number_variable(s, VARIABLE_INDEX + space->loops - 1 - k), factor[k]);
	const node_id argument[] = {arguments > 1 ? number_variable(s, VARIABLE_P) : own, own};
	node_id table = node_make(s, NODE_TABLE, 0, word, store_table(s, t), 0, NULL);
	return number_entry(s, table, argument, arguments);
}

/* By rank, where there are several, and place; where there is no execution, the number of the one
   before is repeated. */
static node_id make_rows(const struct space *s, const char *name)
{
	int64_t factor[INDEX_DEPTH] = {0};
	bool several = s->members > 1;
	if (!find_places(s, factor))
		return NODE_NONE;
	struct table *t = table_new(name, several ? 2 : 1);
	int64_t row = 0, next = 0, before = 0;
	struct points p;
	start_points(&p, s, true);
	while (next_point(&p, false)) {
		for (; several && row < p.at.p; row++, next = 0)
			table_end(t, 1);
		int64_t at = 0, entry = next ? before : p.number;
		for (uint32_t k = 0; k < s->loops; k++)
			at += factor[k] * p.at.index[k];
		for (; next < at; next++)
			table_add(t, entry);
		table_add(t, p.number);
		next++;
		before = p.number;
	}
	end_points(&p);
	table_finish(t);
	node_id number = entry_by_place(t, s, factor);
	struct sample wrong = {.share = 1};
	bool right = look(s, number, &wrong);
	assert(right);
	return right ? number : NODE_NONE;
}

/* ------------------------------------------------------------------ in public */

static bool is_same(const struct fit_series *a, const struct fit_series *b)
{
	int64_t x, y;
	if (series_constant(a->series, &x) && series_constant(b->series, &y))
		return x == y;
	return series_equal(a->series, b->series);
}

/* Do all processes execute the event at the same indices? */
static bool is_even(const struct space *s)
{
	bool even = true;
	for (size_t i = 0; i < s->levels && even; i++) {
		const struct node *n = node_of(s->store, s->level[i].statement);
		even = s->level[i].members
			       ? node_of(s->store, n->kid[COLUMN_GROUP])->kind == NODE_ALL
			       : n->kind != NODE_EVENT && !(node_of(s->store, n->kid[1])->uses[FOR_ALL] & USES_PROCESS);
	}
	return even;
}

/* Has each execution a number for each member? */
static bool are_as_many(const struct space *s)
{
	struct points p;
	uint64_t *points = mem_zero((s->members + 1) * sizeof *points);
	bool good = true;
	start_points(&p, s, false);
	while (next_point(&p, false))
		points[p.member]++;
	end_points(&p);
	for (size_t i = 0; i < s->members && good; i++)
		good = points[i] == series_length(s->member[i].series);
	free(points);
	return good;
}

/* All executions are one: the members alone are gone through. */
static void keep_members(struct space *s)
{
	s->level[0] = s->level[s->levels - 1];
	s->level[0].loops = 0;
	s->levels = s->loops = 1;
}

static node_id fit_all(struct fit *f, enum fit_what what, const struct run *run, struct member_sets *sets, bool once,
	size_t line, const struct fit_series *member, size_t count, const char *name)
{
	struct space s = {
		.run = run, .store = run_module(run)->store, .member = member, .members = count, .sets = sets};
	int64_t number;
	bool varies = sets != NULL;
	for (size_t i = 0; i < count; i++)
		varies = varies || !series_constant(member[i].series, &number);
	if (varies)
		find_levels(run_module(run), line, &s);
	if (once)
		keep_members(&s);
	if (sets && !are_as_many(&s)) {
		free(s.level);
		return NODE_NONE;
	}
	bool same = is_even(&s);
	for (size_t i = 1; i < count && same; i++)
		same = is_same(&member[0], &member[i]);
	if (same)
		s.members = 1;
	node_id found = find_function(f, what, &s, name);
	if (!found && what != FIT_FORMULA)
		found = make_rows(&s, name);
	free(s.level);
	return found;
}

node_id fit_statement(struct fit *f, enum fit_what what, const struct run *run, size_t line,
	const struct fit_series *member, size_t count, const char *name)
{
	return fit_all(f, what, run, NULL, false, line, member, count, name);
}

node_id fit_by_member(struct fit *f, enum fit_what what, const struct run *run, struct member_sets *sets, bool once,
	size_t line, const struct fit_series *member, size_t count, const char *name)
{
	struct store *s = run_module(run)->store;
	node_id found = fit_all(f, what, run, sets, once, line, member, count, name), outer[INDEX_DEPTH + 1];
	outer[0] = number_variable(s, VARIABLE_COUNTER);
	for (uint32_t k = 0; k < INDEX_DEPTH; k++)
		outer[k + 1] = number_variable(s, VARIABLE_INDEX + k);
	bool known = found && !(node_of(s, found)->uses[FOR_ALL] & USES_INDICES & ~uses_inside(INDEX_DEPTH + 1));
	return known ? number_put(&(struct substitution){.store = s, .outer = outer}, found) : NODE_NONE;
}
