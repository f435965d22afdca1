/*
 * fit.c -- coordinates (the rank, or its place on the grid; the indices of the loops around) of
 * each execution, and hypotheses that meet them one after the other.
 */
#include "fit/series_fit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Coordinates of an execution: the rank, its place on the grid, the indices. */
enum { AT_RANK, AT_AXIS, AT_INDEX = AT_AXIS + GRID_AXES, COORDINATES = AT_INDEX + INDEX_DEPTH };

#define FACTOR_MOST (INT64_C(1) << 30)
#define CONSTANT_MOST (INT64_C(1) << 59)

/* What functions may be made of. */
struct space {
	const struct program *program;
	const struct fit_series *member;
	size_t members; /* those that are looked at */
	size_t loop[NEST_DEPTH_LIMIT]; /* around the statement, the outermost first */
	uint32_t depth; /* 0, too, where nothing varies from one execution to the next */
	bool moves[COORDINATES]; /* may stand in the function */
};

/* ------------------------------------------------------------------ executions */

struct points {
	const struct space *space;
	bool blind, last; /* are the numbers not asked for; is it for the last time? */
	size_t member;
	struct series_cursor *cursor; /* NULL: all numbers of the member are the same, or are not asked for */
	struct spot spot;
	int64_t index[NEST_DEPTH_LIMIT];
	uint64_t count[NEST_DEPTH_LIMIT];
	int64_t at[COORDINATES], number;
};

static void start_points(struct points *p, const struct space *space)
{
	memset(p, 0, sizeof *p);
	p->space = space;
	p->member = SIZE_MAX;
}

static void end_points(struct points *p)
{
	series_cursor_free(p->cursor);
	p->cursor = NULL;
}

/* The first execution from this loop on, those around standing where they do: false where there is
   none without moving these. *level: the loop that is to move. */
static bool enter(struct points *p, uint32_t *level)
{
	const struct space *s = p->space;
	for (; *level < s->depth; ++*level) {
		p->index[*level] = 0;
		p->spot.index = p->index;
		p->count[*level] = program_count_of(s->program, s->loop[*level], &p->spot);
		if (!p->count[*level])
			return false;
	}
	return true;
}

/* From so deep on, whose index is the last one that was counted. */
static bool go_on(struct points *p, uint32_t level)
{
	do {
		while (level > 0 && (uint64_t)++p->index[level - 1] >= p->count[level - 1])
			p->index[--level] = 0;
		if (level == 0)
			return false;
	} while (!enter(p, &level));
	return true;
}

static bool next_execution(struct points *p)
{
	return go_on(p, p->space->depth);
}

static bool first_execution(struct points *p)
{
	uint32_t level = 0;
	return enter(p, &level) || go_on(p, level);
}

static bool next_member(struct points *p)
{
	const struct space *s = p->space;
	assert(!p->cursor || series_ended(p->cursor));
	end_points(p);
	if (++p->member == s->members)
		return false;
	struct series *series = s->member[p->member].series;
	p->number = 0;
	if (!p->blind && !series_constant(series, &p->number))
		p->cursor = p->last ? series_drain(series) : series_read(series);
	p->spot = grid_spot(&s->program->grid, s->member[p->member].rank);
	return true;
}

static void set_coordinates(struct points *p)
{
	p->at[AT_RANK] = p->spot.p;
	memcpy(&p->at[AT_AXIS], p->spot.axis, sizeof p->spot.axis);
	for (uint32_t d = 0; d < INDEX_DEPTH && d < p->space->depth; d++)
		p->at[AT_INDEX + d] = p->index[d];
}

/* The next execution, with its number; false at the end. */
static bool next_point(struct points *p)
{
	bool more = p->member != SIZE_MAX && p->space->depth && next_execution(p);
	while (!more) {
		if (!next_member(p))
			return false;
		more = first_execution(p);
	}
	bool there = !p->cursor || series_next(p->cursor, &p->number);
	assert(there);
	set_coordinates(p);
	return true;
}

/* Is it the number of every execution? */
static bool holds(const struct space *s, const struct value *v)
{
	struct points p;
	bool good = true;
	start_points(&p, s);
	while (good && next_point(&p)) {
		int64_t number;
		p.spot.index = p.index;
		good = value_fits(v, &p.spot, &number) && number == p.number;
	}
	end_points(&p);
	return good;
}

/* ------------------------------------------------------------------ functions */

static int64_t *factor_of(struct affine *a, int which)
{
	return which == AT_RANK ? &a->p : which < AT_INDEX ? &a->axis[which - AT_AXIS] : &a->index[which - AT_INDEX];
}

static bool is_small(__int128 number, int64_t limit)
{
	return number <= limit && number >= -limit;
}

/* Factors that show up one by one, in the order of the executions. */
struct line {
	bool started, good;
	int64_t base[COORDINATES], number;
	bool known[COORDINATES];
	int64_t factor[COORDINATES];
};

/* The first of the unknown factors whose coordinate has moved; the others, if any, are taken for
   0. */
static int take_unknown(struct line *l, const struct points *p)
{
	int found = -1;
	for (int which = 0; which < COORDINATES; which++) {
		if (!p->space->moves[which] || l->known[which] || p->at[which] == l->base[which])
			continue;
		l->known[which] = true;
		found = found < 0 ? which : found;
	}
	return found;
}

static void learn(struct line *l, const struct points *p)
{
	if (!l->started) {
		memcpy(l->base, p->at, sizeof l->base);
		l->number = p->number;
		l->started = l->good = true;
		return;
	}
	__int128 rest = (__int128)p->number - l->number;
	for (int which = 0; which < COORDINATES; which++)
		rest -= (__int128)l->factor[which] * (p->at[which] - l->base[which]);
	int which = take_unknown(l, p);
	if (!rest)
		return; /* what has moved without effect has none */
	int64_t moved = which < 0 ? 0 : p->at[which] - l->base[which];
	l->good = moved && rest % moved == 0 && is_small(rest / moved, FACTOR_MOST);
	if (l->good)
		l->factor[which] = (int64_t)(rest / moved);
}

static bool line_value(const struct line *l, struct value *v)
{
	__int128 constant = l->number;
	*v = value_of(0);
	for (int which = 0; which < COORDINATES; which++) {
		constant -= (__int128)l->factor[which] * l->base[which];
		if (l->factor[which])
			*factor_of(&v->plain, which) = l->factor[which];
	}
	v->plain.constant = (int64_t)constant;
	return l->good && is_small(constant, CONSTANT_MOST);
}

static bool fit_line(const struct space *s, struct value *v)
{
	struct points p;
	struct line l = {0};
	start_points(&p, s);
	while ((!l.started || l.good) && next_point(&p))
		learn(&l, &p);
	end_points(&p);
	return l.started && line_value(&l, v);
}

/* ------------------------------------------------------------------ remainders */

#define SAMPLES 4096

/* Numbers where one coordinate alone differs from the first execution. */
struct sample {
	int64_t *at, *number;
	size_t count, at_capacity, number_capacity;
};

static void keep_sample(struct sample *s, int64_t at, int64_t number)
{
	if (s->count == SAMPLES || (s->count && s->at[s->count - 1] >= at))
		return;
	s->at = mem_grow(s->at, &s->at_capacity, s->count + 1, sizeof *s->at);
	s->number = mem_grow(s->number, &s->number_capacity, s->count + 1, sizeof *s->number);
	s->at[s->count] = at;
	s->number[s->count++] = number;
}

static bool all_sampled(const struct space *s, const struct sample *sample)
{
	bool all = true;
	for (int i = 0; i < COORDINATES; i++)
		all = all && (!s->moves[i] || sample[i].count == SAMPLES);
	return all;
}

static void take_samples(const struct space *s, struct sample *sample, int64_t *base)
{
	struct points p;
	bool first = true;
	start_points(&p, s);
	for (bool more = true; more && next_point(&p); first = false) {
		int differs = 0, which = 0;
		if (first)
			memcpy(base, p.at, sizeof p.at);
		for (int i = 0; i < COORDINATES; i++)
			if (s->moves[i] && p.at[i] != base[i]) {
				differs++;
				which = i;
			}
		for (int i = 0; i < COORDINATES && !differs; i++)
			keep_sample(&sample[i], p.at[i], p.number);
		if (differs == 1)
			keep_sample(&sample[which], p.at[which], p.number);
		more = differs != 1 || sample[which].count < SAMPLES || !all_sampled(s, sample);
	}
	end_points(&p);
}

/* factor * at + remainder_factor * ((at + phase) % modulus) */
struct wave {
	int64_t factor, modulus, phase, remainder_factor;
};

/* Do the steps between neighbours have this value at distances of `modulus`, from `first` on, and
   another one elsewhere? */
static bool is_wave(const struct sample *s, size_t first, int64_t modulus, struct wave *w)
{
	int64_t jump = s->number[first + 1] - s->number[first];
	size_t other = first == 0 ? 1 : 0;
	int64_t step = s->number[other + 1] - s->number[other];
	for (size_t i = 0; i + 1 < s->count; i++) {
		bool jumps = i % (size_t)modulus == first % (size_t)modulus;
		if (s->number[i + 1] - s->number[i] != (jumps ? jump : step))
			return false;
	}
	__int128 fall = (__int128)step - jump;
	if (fall % modulus || !is_small(fall, FACTOR_MOST))
		return false;
	w->modulus = modulus;
	w->remainder_factor = (int64_t)(fall / modulus);
	w->factor = step - w->remainder_factor;
	w->phase = ((modulus - 1 - s->at[first]) % modulus + modulus) % modulus;
	return is_small(w->factor, FACTOR_MOST);
}

/* Does it go around where the coordinate does, and rise alone? */
static bool goes_around(const struct sample *s, size_t jump, int64_t size, struct wave *w)
{
	return size > 1 && (int64_t)s->count <= size && is_wave(s, jump, size, w) && !w->factor;
}

/* size: of the coordinate; 0 of an index. */
static bool fit_wave(const struct sample *s, int64_t size, struct wave *w)
{
	*w = (struct wave){0};
	if (s->count < 2)
		return true;
	if (s->at[s->count - 1] - s->at[0] != (int64_t)s->count - 1)
		return false;
	int64_t step = s->number[1] - s->number[0];
	size_t change = 1;
	while (change + 1 < s->count && s->number[change + 1] - s->number[change] == step)
		change++;
	if (change + 1 == s->count) {
		w->factor = step;
		return is_small(step, FACTOR_MOST);
	}
	/* the first step that differs is the jump, or the first of all is */
	for (size_t next = change + 1; next + 1 < s->count; next++) {
		bool again = s->number[next + 1] - s->number[next] == s->number[change + 1] - s->number[change];
		if (again && is_wave(s, change, (int64_t)(next - change), w))
			return true;
		if (again)
			break;
	}
	if (goes_around(s, change, size, w) || goes_around(s, 0, size, w))
		return true;
	/* the first jump ends a period of which two are there */
	if (2 * (change + 1) <= s->count && is_wave(s, change, (int64_t)change + 1, w))
		return true;
	for (size_t next = 1; next + 1 < s->count; next++)
		if (next > 1 && s->number[next + 1] - s->number[next] == step)
			return is_wave(s, 0, (int64_t)next, w);
	return false;
}

static bool add_wave(struct value *v, const struct wave *w, int which, int64_t base)
{
	*factor_of(&v->plain, which) = w->factor;
	v->plain.constant -= w->factor * base;
	if (!w->modulus)
		return true;
	int used = 0;
	while (used < REMAINDERS && v->remainder[used].modulus)
		used++;
	if (used == REMAINDERS)
		return false;
	struct remainder *r = &v->remainder[used];
	r->inside.constant = grid_nearest(w->phase, (uint32_t)w->modulus);
	*factor_of(&r->inside, which) = 1;
	r->modulus = w->modulus;
	r->factor = w->remainder_factor;
	v->plain.constant -= r->factor * ((base + w->phase) % w->modulus);
	return true;
}

static int64_t size_of(const struct space *s, int which)
{
	const struct grid *g = &s->program->grid;
	if (which == AT_RANK)
		return s->program->processes;
	return which < AT_INDEX && (uint32_t)(which - AT_AXIS) < g->axes ? g->size[which - AT_AXIS] : 0;
}

static bool fit_waves(const struct space *s, struct value *v)
{
	int64_t base[COORDINATES];
	struct sample sample[COORDINATES] = {0};
	bool good = true, any = false;
	take_samples(s, sample, base);
	int64_t first = 0;
	*v = value_of(0);
	for (int which = 0; which < COORDINATES && good; which++) {
		struct wave w;
		if (!s->moves[which])
			continue;
		first = sample[which].number[0];
		good = fit_wave(&sample[which], size_of(s, which), &w) && add_wave(v, &w, which, base[which]);
		any = any || w.modulus;
	}
	for (int which = 0; which < COORDINATES; which++) {
		free(sample[which].at);
		free(sample[which].number);
	}
	v->plain.constant += first;
	return good && any && is_small(v->plain.constant, CONSTANT_MOST) && holds(s, v);
}

/* ------------------------------------------------------------------ tables */

/* Numbers that are looked for among the first ones, before all are asked. */
#define TRIED ((uint64_t)1 << 20)
/* Entries of a table that is filled in any order; of one that is not filled in the order of the
   executions, if that goes, which takes no room besides. */
#define BOX_SMALL ((uint64_t)1 << 16)
#define BOX_MOST ((uint64_t)1 << 24)
/* Longest period looked for. */
#define PERIOD_MOST ((uint64_t)1 << 20)

/* Numbers less an affine function of the indices. */
struct residue {
	const struct space *space;
	struct value line;
	bool none; /* is that 0? */
};

static struct residue residue_on(const struct space *s, const struct value *line)
{
	return (struct residue){s, *line, value_is_constant(line) && !line->plain.constant};
}

static int64_t residue_of(const struct residue *r, struct points *p)
{
	if (r->none)
		return p->number;
	p->spot.index = p->index;
	return (int64_t)((uint64_t)p->number - (uint64_t)value_at(&r->line, &p->spot));
}

/* Numbers by the coordinates that are kept, for as long as they agree. */
struct known {
	uint64_t key; /* 0: there is none */
	int64_t number;
};

static uint64_t key_of(const struct points *p, const bool *kept)
{
	uint64_t key = 0;
	for (int which = 0; which < COORDINATES; which++)
		if (kept[which])
			key = hash_pair(key + (uint64_t)which, (uint64_t)p->at[which]);
	return key | 1;
}

/* Are these coordinates enough to tell the first numbers? */
static bool suffice(const struct residue *r, const bool *kept)
{
	size_t size = 1024, count = 0;
	struct known *known = mem_zero(size * sizeof *known);
	struct points p;
	bool good = true;
	start_points(&p, r->space);
	for (uint64_t n = 0; good && n < TRIED && next_point(&p); n++) {
		uint64_t key = key_of(&p, kept);
		int64_t number = residue_of(r, &p);
		size_t at = (size_t)key & (size - 1);
		while (known[at].key && known[at].key != key)
			at = (at + 1) & (size - 1);
		good = !known[at].key || known[at].number == number;
		count += !known[at].key;
		known[at] = (struct known){key, number};
		if (2 * count < size)
			continue;
		struct known *wider = mem_zero(2 * size * sizeof *wider);
		for (size_t i = 0; i < size; i++) {
			size_t to = (size_t)known[i].key & (2 * size - 1);
			while (known[i].key && wider[to].key)
				to = (to + 1) & (2 * size - 1);
			if (known[i].key)
				wider[to] = known[i];
		}
		free(known);
		known = wider;
		size *= 2;
	}
	end_points(&p);
	free(known);
	return good;
}

/* An argument of a table: a coordinate, or several as one: (i0*n + i1)*m + i2. */
struct argument_of {
	struct affine function;
	int64_t most;
};

struct arguments {
	struct argument_of argument[COORDINATES];
	uint32_t count;
};

static int64_t argument_at(const struct argument_of *a, const struct points *p)
{
	int64_t sum = 0;
	sum += a->function.p * p->at[AT_RANK];
	for (int i = 0; i < GRID_AXES; i++)
		sum += a->function.axis[i] * p->at[AT_AXIS + i];
	for (int d = 0; d < INDEX_DEPTH; d++)
		sum += a->function.index[d] * p->at[AT_INDEX + d];
	return sum;
}

/* The last two as one; the table is then as long as the first is, times the longest of the
   second. */
static void join_last(struct arguments *a)
{
	struct argument_of *to = &a->argument[a->count - 2], *last = to + 1;
	int64_t length = last->most + 1, *into = (int64_t *)&to->function;
	const int64_t *from = (const int64_t *)&last->function;
	for (size_t i = 0; i < sizeof to->function / sizeof *into; i++)
		into[i] = into[i] * length + from[i];
	to->most = to->most * length + last->most;
	a->count--;
}

/* The coordinates that are kept, those that change slowest first, no more than a table takes. */
static void make_arguments(const struct space *s, const bool *kept, struct arguments *a)
{
	static const int order[] = {AT_RANK, AT_AXIS + 3, AT_AXIS + 2, AT_AXIS + 1, AT_AXIS};
	int64_t most[COORDINATES] = {0};
	struct points p;
	start_points(&p, s);
	while (next_point(&p))
		for (int which = 0; which < COORDINATES; which++)
			most[which] = p.at[which] > most[which] ? p.at[which] : most[which];
	end_points(&p);
	memset(a, 0, sizeof *a);
	for (int i = 0; i < COORDINATES; i++) {
		int which = i < AT_INDEX ? order[i] : i;
		if (!kept[which])
			continue;
		struct argument_of *to = &a->argument[a->count++];
		*factor_of(&to->function, which) = 1;
		to->most = most[which];
	}
	while (a->count > TABLE_ARGUMENTS)
		join_last(a);
}

/* The number of entries in a box of all arguments; saturates. */
static uint64_t box_size(const struct arguments *a)
{
	uint64_t size = 1;
	for (uint32_t k = 0; k < a->count; k++)
		if (__builtin_mul_overflow(size, (uint64_t)a->argument[k].most + 1, &size))
			return UINT64_MAX;
	return size;
}

static uint64_t box_at(const struct arguments *a, const struct points *p)
{
	uint64_t at = 0;
	for (uint32_t k = 0; k < a->count; k++)
		at = at * ((uint64_t)a->argument[k].most + 1) + (uint64_t)argument_at(&a->argument[k], p);
	return at;
}

/* The length of a row of the box; of the whole, where there is one argument. */
static uint64_t row_of(const struct arguments *a)
{
	return (uint64_t)a->argument[a->count - 1].most + 1;
}

/* Ends of rows and blocks behind the entry at this place of the box. */
static void end_rows(struct table *t, const struct arguments *a, uint64_t at)
{
	uint64_t row = row_of(a);
	if (a->count == 1 || (at + 1) % row)
		return;
	uint64_t block = a->count == 3 ? row * ((uint64_t)a->argument[1].most + 1) : 0;
	table_end(t, block && (at + 1) % block == 0 ? 2 : 1);
}

uint64_t fit_period(const int64_t *entry, uint64_t size)
{
	if (size > PERIOD_MOST)
		return size;
	uint32_t *border = mem_array(size + 1, sizeof *border), k = 0;
	border[0] = 0;
	for (uint64_t i = 1; i < size; i++) {
		while (k && entry[i] != entry[k])
			k = border[k - 1];
		k += entry[i] == entry[k];
		border[i] = k;
	}
	uint64_t period = size - border[size - 1];
	free(border);
	return 2 * period <= size ? period : size;
}

static uint64_t last_there(const bool *there, uint64_t length)
{
	while (length && !there[length - 1])
		length--;
	return length;
}

/* Of the first argument, if it is an index, between equal entries of all others. */
static uint64_t period_of(const struct arguments *a, const int64_t *entry, const bool *there)
{
	uint64_t blocks = (uint64_t)a->argument[0].most + 1, length = box_size(a) / blocks;
	if (a->count == 1)
		return fit_period(entry, blocks);
	if (!affine_is_uniform(&a->argument[0].function))
		return blocks;
	int64_t *block = mem_array(blocks, sizeof *block);
	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t hash = 0;
		for (uint64_t k = i * length; k < (i + 1) * length; k++)
			hash = hash_pair(hash, there[k] ? hash_pair(1, (uint64_t)entry[k]) : 0);
		block[i] = (int64_t)hash;
	}
	uint64_t period = fit_period(block, blocks);
	free(block);
	return period;
}

/* Filled in any order; where no execution asks, the entry before is repeated, and rows end early.
   NULL: two executions ask for different entries in one place. */
static struct table *fill_box(const struct residue *r, const char *name, struct arguments *a, int64_t *modulus)
{
	uint64_t size = box_size(a), shown = size, row = row_of(a), last = 0;
	int64_t *entry = mem_array(size, sizeof *entry);
	bool *there = mem_zero(size), good = true;
	struct points p;
	start_points(&p, r->space);
	while (good && next_point(&p)) {
		uint64_t at = box_at(a, &p);
		int64_t number = residue_of(r, &p);
		good = !there[at] || entry[at] == number;
		entry[at] = number;
		there[at] = true;
	}
	end_points(&p);
	uint64_t first = 0;
	while (good && first < size && !there[first])
		first++;
	for (uint64_t i = 0; good && i < size; i++)
		if (!there[i])
			entry[i] = i < first ? entry[first] : entry[i - 1];
	uint64_t blocks = (uint64_t)a->argument[0].most + 1, period = good ? period_of(a, entry, there) : blocks;
	shown = size / blocks * period;
	*modulus = period < blocks ? (int64_t)period : 0;
	struct table *t = good ? table_new(name, a->count) : NULL;
	for (uint64_t i = 0; t && i < shown; i++) {
		if (i % row == 0)
			last = last_there(there + i, row);
		if (i % row < last || a->count == 1)
			table_add(t, entry[i]);
		end_rows(t, a, i);
	}
	free(entry);
	free(there);
	return t;
}

/* Do the executions come in the order of the entries? */
static bool in_order(const struct residue *r, const struct arguments *a)
{
	uint64_t next = 0;
	struct points p;
	bool good = box_size(a) <= TABLE_LIMIT;
	start_points(&p, r->space);
	p.blind = true;
	while (good && next_point(&p)) {
		good = box_at(a, &p) >= next;
		next = box_at(a, &p) + 1;
	}
	end_points(&p);
	return good;
}

/* All coordinates, in the order of the executions: the rank and the innermost indices come row by
   row. The numbers are taken out of their series, so that they are not held twice; *seen is what
   they come to. */
static struct table *fill_rows(const struct residue *r, const char *name, const struct arguments *a, uint64_t *seen)
{
	if (!in_order(r, a))
		return NULL;
	struct table *t = table_new(name, a->count);
	uint64_t next = 0, row = row_of(a);
	int64_t number = 0;
	struct points p;
	start_points(&p, r->space);
	p.last = true;
	for (bool first = true; next_point(&p); first = false) {
		uint64_t at = box_at(a, &p);
		if (first)
			number = residue_of(r, &p);
		for (; next < at; next++) {
			if (next / row == at / row)
				table_add(t, number);
			end_rows(t, a, next);
		}
		number = residue_of(r, &p);
		table_add(t, number);
		end_rows(t, a, next++);
		*seen = hash_pair(*seen, (uint64_t)p.number);
	}
	end_points(&p);
	return t;
}

/* What a value comes to over all executions, in the same way. */
static uint64_t said_by(const struct space *s, const struct value *v)
{
	uint64_t said = 0;
	struct points p;
	start_points(&p, s);
	p.blind = true;
	while (next_point(&p)) {
		p.spot.index = p.index;
		said = hash_pair(said, (uint64_t)value_at(v, &p.spot));
	}
	end_points(&p);
	return said;
}

/* Another table of the dictionary with the same entries; else this one, with the name, or the name
   and a number, that is free. */
static const struct table *settle_table(struct dictionary *d, struct table *t, const char *name)
{
	size_t alike = 0, length = strlen(name);
	table_finish(t);
	for (size_t i = 0; i < dictionary_tables(d); i++) {
		const struct table *other = dictionary_get_table(d, i);
		alike += !strncmp(table_name(other), name, length);
		if (table_arguments(other) != table_arguments(t) || !table_same(other, t))
			continue;
		table_free(t);
		return other;
	}
	if (alike) {
		struct text unused = {0};
		do {
			text_truncate(&unused, 0);
			text_format(&unused, "%s%zu", name, alike++);
		} while (dictionary_has_name(d, unused.data));
		table_rename(t, unused.data);
		text_clear(&unused);
	}
	dictionary_add_table(d, t);
	return t;
}

/* Coordinates that are enough, of those that may be used: without the rank or the place where that
   goes, then without indices, the outermost first. */
static uint32_t find_needed(const struct residue *r, bool on_grid, bool *kept)
{
	const struct space *s = r->space;
	uint32_t count = 0;
	for (int which = 0; which < COORDINATES; which++) {
		bool process = which < AT_INDEX, allowed = which == AT_RANK ? !on_grid : on_grid;
		bool there = which == AT_RANK || (uint32_t)(which - AT_AXIS) < s->program->grid.axes;
		kept[which] = process ? s->members > 1 && allowed && there : (uint32_t)(which - AT_INDEX) < s->depth;
	}
	for (int which = 0; which < COORDINATES; which++) {
		if (!kept[which])
			continue;
		kept[which] = false;
		kept[which] = !suffice(r, kept);
		count += kept[which];
	}
	return count;
}

/* What one process's numbers rise by with the indices; false: they do not. */
static bool find_line(const struct space *s, struct value *line)
{
	struct space first = *s;
	first.members = 1;
	memset(first.moves, 0, sizeof first.moves);
	for (uint32_t d = 0; d < INDEX_DEPTH; d++)
		first.moves[AT_INDEX + d] = d < s->depth;
	bool good = fit_line(&first, line) && value_indices(line);
	line->plain.constant = 0;
	return good;
}

struct choice {
	struct value line;
	bool kept[COORDINATES];
	uint32_t count;
};

static void consider(const struct space *s, const struct value *line, bool on_grid, struct choice *best)
{
	struct choice c = {.line = *line};
	struct residue r = residue_on(s, line);
	c.count = find_needed(&r, on_grid, c.kept);
	if (c.count < best->count || (c.count == best->count && on_grid))
		*best = c;
}

static bool make_table(
	struct program *program, const struct space *s, const struct choice *c, const char *name, struct value *to)
{
	struct residue r = residue_on(s, &c->line);
	struct arguments a;
	struct affine argument[TABLE_ARGUMENTS];
	int64_t modulus = 0;
	make_arguments(s, c->kept, &a);
	uint64_t size = box_size(&a);
	struct table *filled = NULL;
	uint64_t seen = 0;
	if (a.count && size > BOX_SMALL)
		filled = fill_rows(&r, name, &a, &seen);
	bool in_rows = filled;
	if (a.count && !filled && size <= BOX_MOST)
		filled = fill_box(&r, name, &a, &modulus);
	if (!filled)
		return false;
	const struct table *t = settle_table(program->dictionary, filled, name);
	for (uint32_t k = 0; k < a.count; k++)
		argument[k] = a.argument[k].function;
	*to = value_looked_up(t, argument);
	to->lookup.argument[0].modulus = modulus;
	to->plain = c->line.plain;
	if (!in_rows)
		return holds(s, to);
	bool same = said_by(s, to) == seen;
	assert(same);
	return same;
}

/* What is seen in the first numbers may be wrong of the others: then all coordinates are asked. */
static bool fit_table(struct program *program, struct space *s, const char *name, struct value *to)
{
	struct value none = value_of(0), line;
	struct choice best = {.count = UINT32_MAX}, all = {.count = 0};
	bool grid = program->grid.axes && s->members > 1;
	consider(s, &none, false, &best);
	if (grid)
		consider(s, &none, true, &best);
	if (s->depth && s->members > 1 && find_line(s, &line)) {
		consider(s, &line, false, &best);
		if (grid)
			consider(s, &line, true, &best);
	}
	all.kept[AT_RANK] = s->members > 1;
	for (uint32_t d = 0; d < s->depth && d < INDEX_DEPTH; d++)
		all.kept[AT_INDEX + d] = true;
	return make_table(program, s, &best, name, to) || make_table(program, s, &all, name, to);
}

/* ------------------------------------------------------------------ in public */

static bool fit_in(struct space *s, bool on_grid, bool by_rank, struct value *v)
{
	s->moves[AT_RANK] = by_rank;
	for (uint32_t i = 0; i < GRID_AXES; i++)
		s->moves[AT_AXIS + i] = on_grid && i < s->program->grid.axes;
	for (uint32_t d = 0; d < INDEX_DEPTH; d++)
		s->moves[AT_INDEX + d] = d < s->depth;
	return fit_line(s, v) || fit_waves(s, v);
}

static size_t printed_length(const struct value *v)
{
	struct text text = {0};
	value_print(v, &text);
	size_t length = text.length;
	text_clear(&text);
	return length;
}

static bool is_same(const struct fit_series *a, const struct fit_series *b)
{
	int64_t x, y;
	if (series_constant(a->series, &x) && series_constant(b->series, &y))
		return x == y;
	return series_equal(a->series, b->series);
}

static void find_loops(struct space *s, size_t at)
{
	for (size_t i = 0; i < at;) {
		size_t size = statement_size(&s->program->statement[i]);
		bool around = i + size > at;
		if (around)
			s->loop[s->depth++] = i;
		i += around ? 1 : size;
	}
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

bool fit_statement(struct program *program, size_t at, const struct fit_series *member, size_t count, const char *name,
	struct value *to)
{
	struct space s = {.program = program, .member = member, .members = 1};
	bool varies = false;
	int64_t number;
	for (size_t i = 0; i < count; i++)
		varies = varies || !series_constant(member[i].series, &number);
	if (varies)
		find_loops(&s, at);
	s.members = is_even(&s) ? 1 : count;
	for (size_t i = 1; i < count && s.members == 1; i++)
		s.members = is_same(&member[0], &member[i]) ? 1 : count;
	if (s.members == 1)
		return fit_in(&s, false, false, to) || (name && fit_table(program, &s, name, to));
	struct value by_rank;
	bool on_grid = program->grid.axes && fit_in(&s, true, false, to), found = fit_in(&s, false, true, &by_rank);
	if (found && (!on_grid || printed_length(&by_rank) < printed_length(to)))
		*to = by_rank;
	return found || on_grid || (name && fit_table(program, &s, name, to));
}
