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
	size_t loop[NEST_DEPTH_LIMIT]; /* around the statement, the outermost first */
	uint32_t depth; /* 0, too, where nothing varies from one execution to the next */
};

/* ------------------------------------------------------------------ executions */

enum numbers { NUMBERS_READ, NUMBERS_DRAINED, NUMBERS_UNASKED };

struct points {
	const struct space *space;
	enum numbers numbers;
	size_t member;
	struct series_cursor *cursor; /* NULL: all numbers of the member are the same, or are not asked for */
	struct spot spot;
	int64_t index[NEST_DEPTH_LIMIT];
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
	to->process[at] = (uint32_t)p->spot.p;
	to->number[at] = p->number;
	memcpy(to->index + at * lives, p->index, lives * sizeof *to->index);
}

/* Of each member a share of its executions, from the first one on that the function is wrong for
   (NULL: the first one). True: it is right for all. */
static bool look(const struct space *s, const struct value *v, struct sample *to)
{
	struct points p;
	size_t member = SIZE_MAX, taken = 0, before = to->points.count;
	to->left = false;
	start_points(&p, s, NUMBERS_READ);
	for (bool passed = false; to->points.count <= SAMPLE_MOST && next_point(&p, passed);) {
		int64_t number;
		taken = p.member == member ? taken : 0;
		member = p.member;
		passed = taken == to->share;
		to->left = to->left || passed;
		if (passed || (!taken && v && value_fits(v, &p.spot, &number) && number == p.number))
			continue;
		take_point(to, &p);
		taken++;
	}
	series_cursor_free(p.cursor);
	return to->points.count == before;
}

/* NULL: there is none, or there are too many points. */
static const struct fitted *fit_sample(struct fit *f, enum fit_what what, struct sample *sample)
{
	struct fit_points *points = &sample->points;
	points->process = sample->process;
	points->index = sample->index;
	points->number = sample->number;
	points->live = sample->live;
	const struct fitted *found = points->count <= SAMPLE_MOST ? fit_points(f, what, points) : NULL;
	return found && found->said ? found : NULL;
}

static bool find_function(struct fit *f, enum fit_what what, const struct space *s, struct value *to)
{
	struct sample sample = {.share = SAMPLE_FIRST / s->members + 1};
	const struct fitted *found = NULL;
	sample.points.lives = s->depth < INDEX_DEPTH ? s->depth : INDEX_DEPTH;
	for (uint32_t d = 0; d < sample.points.lives; d++)
		sample.live[d] = d;
	for (; !look(s, found ? &found->value : NULL, &sample); sample.share *= SAMPLE_GROWTH) {
		bool whole = !found && !sample.left;
		found = fit_sample(f, what, &sample);
		if (!found || whole)
			break;
	}
	free(sample.process);
	free(sample.index);
	free(sample.number);
	if (found)
		*to = found->value;
	return found;
}

/* ------------------------------------------------------------------ an entry each */

/* The place of an execution in its process's row, (i0*n1 + i1)*n2 + i2, each loop being as long as
   where it is longest: so places ascend. False: there is no room for all. */
static bool find_places(const struct space *s, struct value *place)
{
	struct points p;
	uint64_t size[INDEX_DEPTH] = {0}, row = 1, rows = s->members > 1 ? s->member[s->members - 1].rank + 1 : 1;
	*place = value_of(0);
	if (s->depth > INDEX_DEPTH)
		return false;
	start_points(&p, s, NUMBERS_UNASKED);
	while (next_point(&p, false))
		for (uint32_t d = 0; d < s->depth; d++)
			size[d] = (uint64_t)p.index[d] < size[d] ? size[d] : (uint64_t)p.index[d] + 1;
	for (uint32_t d = s->depth; d-- > 0 && row <= TABLE_LIMIT;) {
		place->plain.index[d] = (int64_t)row;
		if (__builtin_mul_overflow(row, size[d], &row))
			return false;
	}
	return row && row <= TABLE_LIMIT / rows;
}

/* What a value comes to over all executions. */
static uint64_t digest_of(const struct space *s, const struct value *v)
{
	uint64_t digest = 0;
	struct points p;
	start_points(&p, s, NUMBERS_UNASKED);
	while (next_point(&p, false))
		digest = hash_pair(digest, (uint64_t)value_at(v, &p.spot));
	return digest;
}

/* By rank, where there are several, and place. Numbers are taken out of their series as they become
   entries; where there is no execution, that of the one before is repeated. */
static bool make_rows(struct program *program, const struct space *s, const char *name, struct value *to)
{
	struct value place;
	bool several = s->members > 1;
	if (!find_places(s, &place))
		return false;
	struct table *t = table_new(name, several ? 2 : 1);
	uint64_t digest = 0;
	int64_t row = 0, next = 0, before = 0;
	struct points p;
	start_points(&p, s, NUMBERS_DRAINED);
	while (next_point(&p, false)) {
		for (; several && row < p.spot.p; row++, next = 0)
			table_end(t, 1);
		int64_t at = value_at(&place, &p.spot), entry = next ? before : p.number;
		for (; next < at; next++)
			table_add(t, entry);
		table_add(t, p.number);
		next++;
		before = p.number;
		digest = hash_pair(digest, (uint64_t)p.number);
	}
	table_finish(t);
	const struct affine argument[] = {several ? (struct affine){.p = 1} : place.plain, place.plain};
	*to = value_looked_up(dictionary_adopt(program->dictionary, t, name), argument);
	table_free(t);
	bool same = digest_of(s, to) == digest;
	assert(same);
	return same;
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

bool fit_statement(struct fit *f, enum fit_what what, struct program *program, size_t at,
	const struct fit_series *member, size_t count, const char *name, struct value *to)
{
	struct space s = {.program = program, .member = member, .members = count};
	int64_t number;
	bool varies = false;
	for (size_t i = 0; i < count; i++)
		varies = varies || !series_constant(member[i].series, &number);
	if (varies)
		s.depth = program_loops_around(program, at, s.loop);
	bool same = is_even(&s);
	for (size_t i = 1; i < count && same; i++)
		same = is_same(&member[0], &member[i]);
	if (same)
		s.members = 1;
	if (!find_function(f, what, &s, to))
		return what != FIT_FORMULA && make_rows(program, &s, name, to);
	to->lookup.table = dictionary_adopt(program->dictionary, to->lookup.table, name);
	to->by.table = dictionary_adopt(program->dictionary, to->by.table, name);
	return true;
}
