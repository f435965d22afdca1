/*
 * fit_statement.c -- executions are gone through one after the other, with their numbers; some of
 * those that the last function was wrong for, of each process, make the next one.
 */
#include "fit/fit_statement.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fit/limits.h"

struct space {
	const struct program *program;
	const struct fit_series *member;
	size_t members; /* those that are looked at */
	size_t loop[NEST_DEPTH_LIMIT]; /* and guards around the statement, the outermost first */
	uint32_t depth; /* 0, too, where nothing varies from one execution to the next */
	uint32_t level[NEST_DEPTH_LIMIT], levels; /* of these the loops */
	struct environment environment; /* of no process */
};

/* ------------------------------------------------------------------ executions */

enum numbers { NUMBERS_READ, NUMBERS_DRAINED, NUMBERS_UNASKED };

struct points {
	const struct space *space;
	enum numbers numbers;
	size_t member;
	struct series_cursor *cursor; /* NULL: all numbers of the member are the same, or are not asked for */
	struct spot spot;
	int64_t index[NEST_DEPTH_LIMIT], own[NEST_DEPTH_LIMIT]; /* of loops and guards; of loops */
	uint64_t count[NEST_DEPTH_LIMIT];
	int64_t number;
};

static void start_points(struct points *p, const struct space *space, enum numbers numbers)
{
	memset(p, 0, sizeof *p);
	p->space = space;
	p->numbers = numbers;
	p->member = SIZE_MAX;
}

/* Move on to the next iteration of the innermost loop outside of this level that has one; false:
   none has. *level: the loops that stand. */
static bool iterate(struct points *p, uint32_t *level)
{
	while (*level > 0 && (uint64_t)++p->index[*level - 1] >= p->count[*level - 1])
		--*level;
	return *level > 0;
}

/* Stand at the first execution from here on; false: the process has none. */
static bool begin(struct points *p, uint32_t level)
{
	const struct space *s = p->space;
	while (level < s->depth) {
		p->index[level] = 0;
		p->count[level] = program_count_of(s->program, s->loop[level], &p->spot);
		if (p->count[level])
			level++;
		else if (!iterate(p, &level))
			return false;
	}
	return true;
}

static bool next_member(struct points *p)
{
	const struct space *s = p->space;
	series_cursor_free(p->cursor);
	p->cursor = NULL;
	if (++p->member == s->members)
		return false;
	struct series *series = s->member[p->member].series;
	if (p->numbers != NUMBERS_UNASKED && !series_constant(series, &p->number))
		p->cursor = p->numbers == NUMBERS_DRAINED ? series_drain(series) : series_read(series);
	p->spot = grid_spot(&s->program->grid, s->member[p->member].rank);
	p->spot.index = p->index;
	return true;
}

/* The next execution, of the member at hand or (passed) another one; false at the end. */
static bool next_point(struct points *p, bool passed)
{
	uint32_t level = p->space->depth;
	bool more = p->member != SIZE_MAX && !passed && iterate(p, &level) && begin(p, level);
	while (!more && next_member(p))
		more = begin(p, 0);
	bool there = !more || !p->cursor || series_next(p->cursor, &p->number);
	assert(there);
	for (uint32_t k = 0; k < p->space->levels; k++)
		p->own[k] = p->index[p->space->level[k]];
	return more;
}

/* What a number comes to there; its environment is moved to the process. */
static int64_t number_here(struct environment *e, struct points *p, node_id number)
{
	if (e->p != p->spot.p)
		environment_move(e, (uint32_t)p->spot.p);
	e->index = p->own;
	e->depth = p->space->levels;
	e->failure = FAILURE_NONE;
	return number_at(e, number);
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
	to->process[at] = (uint32_t)p->spot.p;
	to->number[at] = p->number;
	memcpy(to->index + at * lives, p->own, lives * sizeof *to->index);
}

/* Of each member a share of its executions, from the first one on that the function is wrong for
   (NODE_NONE: the first one). True: it is right for all. */
static bool look(const struct space *s, node_id known, struct sample *to)
{
	struct points p;
	struct environment e = s->environment;
	size_t member = SIZE_MAX, taken = 0, before = to->points.count;
	to->left = false;
	start_points(&p, s, NUMBERS_READ);
	for (bool passed = false; to->points.count <= SAMPLE_MOST && next_point(&p, passed);) {
		taken = p.member == member ? taken : 0;
		member = p.member;
		passed = taken == to->share;
		to->left = to->left || passed;
		if (passed || (!taken && known && number_here(&e, &p, known) == p.number && !e.failure))
			continue;
		take_point(to, &p);
		taken++;
	}
	series_cursor_free(p.cursor);
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
	sample.points.lives = s->levels < INDEX_DEPTH ? s->levels : INDEX_DEPTH;
	for (uint32_t k = 0; k < sample.points.lives; k++)
		sample.live[k] = s->levels - 1 - k;
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
	if (s->levels > INDEX_DEPTH)
		return false;
	start_points(&p, s, NUMBERS_UNASKED);
	while (next_point(&p, false))
		for (uint32_t k = 0; k < s->levels; k++)
			size[k] = (uint64_t)p.own[k] < size[k] ? size[k] : (uint64_t)p.own[k] + 1;
	for (uint32_t k = s->levels; k-- > 0 && row <= TABLE_LIMIT;) {
		factor[k] = (int64_t)row;
		if (__builtin_mul_overflow(row, size[k], &row))
			return false;
	}
	return row && row <= TABLE_LIMIT / rows;
}

/* What a number comes to over all executions. */
static uint64_t digest_of(const struct space *s, node_id number)
{
	uint64_t digest = 0;
	struct points p;
	struct environment e = s->environment;
	start_points(&p, s, NUMBERS_UNASKED);
	while (next_point(&p, false))
		digest = hash_pair(digest, (uint64_t)number_here(&e, &p, number));
	return digest;
}

static node_id entry_by_place(struct store *s, struct table *t, const struct space *space, const int64_t *factor)
{
	node_id own = number_constant(s, 0);
	uint32_t word = store_word(s, table_name(t), strlen(table_name(t))), arguments = table_arguments(t);
	for (uint32_t k = 0; k < space->levels; k++)
		own = number_add(s, own, number_variable(s, VARIABLE_INDEX + space->levels - 1 - k), factor[k]);
	const node_id argument[] = {arguments > 1 ? number_variable(s, VARIABLE_P) : own, own};
	node_id table = node_make(s, NODE_TABLE, 0, word, store_table(s, t), 0, NULL);
	return number_entry(s, table, argument, arguments);
}

/* By rank, where there are several, and place. Numbers are taken out of their series as they become
   entries; where there is no execution, that of the one before is repeated. */
static node_id make_rows(struct store *store, const struct space *s, const char *name)
{
	int64_t factor[INDEX_DEPTH] = {0};
	bool several = s->members > 1;
	if (!find_places(s, factor))
		return NODE_NONE;
	struct table *t = table_new(name, several ? 2 : 1);
	uint64_t digest = 0;
	int64_t row = 0, next = 0, before = 0;
	struct points p;
	start_points(&p, s, NUMBERS_DRAINED);
	while (next_point(&p, false)) {
		for (; several && row < p.spot.p; row++, next = 0)
			table_end(t, 1);
		int64_t at = 0, entry = next ? before : p.number;
		for (uint32_t k = 0; k < s->levels; k++)
			at += factor[k] * p.own[k];
		for (; next < at; next++)
			table_add(t, entry);
		table_add(t, p.number);
		next++;
		before = p.number;
		digest = hash_pair(digest, (uint64_t)p.number);
	}
	table_finish(t);
	node_id number = entry_by_place(store, t, s, factor);
	bool same = digest_of(s, number) == digest;
	assert(same);
	return same ? number : NODE_NONE;
}

/* ------------------------------------------------------------------ in public */

static bool is_same(const struct fit_series *a, const struct fit_series *b)
{
	int64_t x, y;
	if (series_constant(a->series, &x) && series_constant(b->series, &y))
		return x == y;
	return series_equal(a->series, b->series);
}

/* Do all processes execute the statement at the same indices? */
static bool is_even(const struct space *s)
{
	bool even = true;
	for (uint32_t d = 0; d < s->depth; d++) {
		struct value count = program_bound(s->program, &s->program->statement[s->loop[d]]);
		even = even && value_is_uniform(&count);
	}
	return even;
}

node_id fit_statement(struct fit *f, enum fit_what what, const struct program *program, size_t at,
	const struct fit_series *member, size_t count, const char *name)
{
	struct space s = {.program = program, .member = member, .members = count};
	int64_t number;
	bool varies = false;
	s.environment = (struct environment){
		.store = fit_store(f), .processes = program->processes, .grid = program->grid, .p = -1};
	for (size_t i = 0; i < count; i++)
		varies = varies || !series_constant(member[i].series, &number);
	if (varies)
		s.depth = program_loops_around(program, at, s.loop);
	for (uint32_t d = 0; d < s.depth; d++)
		if (statement_guard(&program->statement[s.loop[d]]) == GUARD_NONE)
			s.level[s.levels++] = d;
	bool same = is_even(&s);
	for (size_t i = 1; i < count && same; i++)
		same = is_same(&member[0], &member[i]);
	if (same)
		s.members = 1;
	node_id found = find_function(f, what, &s, name);
	return found || what == FIT_FORMULA ? found : make_rows(fit_store(f), &s, name);
}
