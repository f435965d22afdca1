/*
 * elastic_fit.c -- formulas are tried from the shortest one on: a constant, what is added to the
 * process, a step per iteration of one loop; then tables of as few arguments as decide the number.
 */
#include "fold/elastic_fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/series.h"
#include "fold/fit.h"

/* A number of one execution, as it is to be said. */
enum view { VIEW_NUMBER, VIEW_OFFSET, VIEW_RING, VIEW_FLIPPED, VIEWS };

static int64_t fit_number(const struct fit_times *t, size_t execution)
{
	return number_at(t->number, execution, t->lane);
}

static int64_t viewed(const struct fitting *f, const struct fit_times *t, size_t k, enum view view)
{
	int64_t number = fit_number(t, k);
	if (view == VIEW_NUMBER)
		return number;
	if (view == VIEW_FLIPPED)
		return number ^ t->process;
	number -= t->process;
	return view == VIEW_RING ? grid_nearest(number, f->program->processes) : number;
}

/* ------------------------------------------------------------------ formulas */

/* constant + step * index[d] + of_p * p; d = depth: none. */
static bool is_affine(const struct fitting *f, enum view view, uint32_t d, int64_t step, int64_t of_p, int64_t constant)
{
	for (size_t i = 0; i < f->processes; i++) {
		const struct fit_times *t = &f->times[i];
		for (size_t k = 0; k < t->executions; k++) {
			__int128 number = (__int128)constant + (__int128)of_p * t->process;
			number += d < f->depth ? (__int128)step * t->index[d][k] : 0;
			if (view == VIEW_RING && number == (int64_t)number)
				number = grid_nearest((int64_t)number, f->program->processes);
			if (number != viewed(f, t, k, view))
				return false;
		}
	}
	return true;
}

/* Steps beyond are chance. */
#define STEP_LIMIT (INT64_C(1) << 30)

/* The step of an index between two executions of a process in which it differs. */
static bool find_step(const struct fitting *f, enum view view, uint32_t d, int64_t *step)
{
	for (size_t i = 0; i < f->processes; i++) {
		const struct fit_times *t = &f->times[i];
		for (size_t k = 1; k < t->executions; k++) {
			int64_t way = t->index[d][k] - t->index[d][0],
				rise = viewed(f, t, k, view) - viewed(f, t, 0, view);
			if (!way)
				continue;
			*step = rise / way;
			return rise % way == 0 && *step && *step<STEP_LIMIT && * step> - STEP_LIMIT;
		}
	}
	return false;
}

static const struct fit_times *first_of(const struct fitting *f)
{
	const struct fit_times *t = f->times;
	while (t < f->times + f->processes && !t->executions)
		t++;
	return t;
}

/* The step of p between two processes. */
static int64_t step_of_process(const struct fitting *f)
{
	const struct fit_times *a = first_of(f), *b = a + 1;
	while (b < f->times + f->processes && !b->executions)
		b++;
	if (b >= f->times + f->processes)
		return 0;
	int64_t rise = fit_number(b, 0) - fit_number(a, 0), way = (int64_t)b->process - a->process;
	return rise % way ? 0 : rise / way;
}

static bool in_view(const struct fitting *f, enum view view, struct affine *a)
{
	const struct fit_times *t = first_of(f);
	*a = (struct affine){0};
	if (t == f->times + f->processes)
		return true; /* never executed */
	a->constant = viewed(f, t, 0, view);
	if (is_affine(f, view, f->depth, 0, 0, a->constant))
		return true;
	for (uint32_t d = 0; d < f->depth; d++) {
		int64_t step;
		if (f->guards >> d & 1 || !find_step(f, view, d, &step))
			continue;
		a->constant = viewed(f, t, 0, view) - step * t->index[d][0];
		if (view == VIEW_RING)
			a->constant = grid_nearest(a->constant, f->program->processes);
		if (is_affine(f, view, d, step, 0, a->constant)) {
			a->index[d] = step;
			return true;
		}
	}
	return false;
}

static bool formula(const struct fitting *f, struct value *v)
{
	*v = value_of(0);
	if (in_view(f, VIEW_NUMBER, &v->plain))
		return true;
	v->plain = (struct affine){.p = step_of_process(f)};
	const struct fit_times *t = first_of(f);
	v->plain.constant = fit_number(t, 0) - v->plain.p * t->process;
	return v->plain.p && is_affine(f, VIEW_NUMBER, f->depth, 0, v->plain.p, v->plain.constant);
}

/* What fit.h makes of one number of each process that has one: a function of its rank, or of its
   place on the grid. */
static bool of_process(struct fitting *f, const int64_t *number, const bool *has, struct value *v)
{
	struct fit_series *member = mem_array(f->processes, sizeof *member);
	size_t members = 0;
	for (size_t i = 0; i < f->processes; i++) {
		if (!has[i])
			continue;
		struct series *s = series_new();
		series_push(s, number[i]);
		series_finish(s);
		member[members++] = (struct fit_series){f->times[i].process, s};
	}
	bool good = members && fit_statement(f->program, 0, member, members, NULL, v);
	for (size_t i = 0; i < members; i++)
		series_free(member[i].series);
	free(member);
	return good;
}

/* Functions of the process are chance for fewer. */
#define FEW_PROCESSES 3

/* The same of numbers of which each process has one. */
static bool process_alone(struct fitting *f, struct value *v)
{
	if (f->depth)
		return false;
	int64_t *number = mem_array(f->processes, sizeof *number);
	bool *has = mem_array(f->processes, sizeof *has);
	size_t processes = 0;
	for (size_t i = 0; i < f->processes; i++) {
		has[i] = f->times[i].executions;
		number[i] = has[i] ? fit_number(&f->times[i], 0) : 0;
		processes += has[i];
	}
	bool good = processes >= FEW_PROCESSES && of_process(f, number, has, v);
	free(number);
	free(has);
	return good;
}

/* ------------------------------------------------------------------ tables */

/* Of what a number is looked up: some indices, and perhaps the process, in the order of the
   arguments. */
struct arguments {
	uint32_t count;
	bool of_process[TABLE_ARGUMENTS];
	uint32_t depth[TABLE_ARGUMENTS];
};

static int64_t argument_value(const struct arguments *a, uint32_t i, const struct fit_times *t, size_t k)
{
	return a->of_process[i] ? (int64_t)t->process : t->index[a->depth[i]][k];
}

static int64_t extent_of(struct fitting *f, uint32_t depth)
{
	int64_t most = -1;
	if (f->extent[depth])
		return f->extent[depth];
	for (size_t i = 0; i < f->processes; i++)
		for (size_t k = 0; k < f->times[i].executions; k++)
			most = f->times[i].index[depth][k] > most ? f->times[i].index[depth][k] : most;
	return f->extent[depth] = most + 1;
}

/* What each combination of arguments has been seen to be: by its place among all that there could
   be, or where these are too many, by its id. */
struct seen {
	uint64_t extent[TABLE_ARGUMENTS], places;
	bool *there; /* by place */
	struct intern *at; /* NULL: by place */
	int64_t *number;
	size_t capacity;
};

/* Places that may be empty: so many times as many as numbers, and so many. */
#define PLACES_RATIO 4
#define PLACES_FEW 4096

static struct seen seen_new(struct fitting *f, const struct arguments *a)
{
	struct seen seen = {.places = 1};
	uint64_t numbers = 0;
	for (size_t i = 0; i < f->processes; i++)
		numbers += f->times[i].executions;
	for (uint32_t i = 0; i < a->count; i++) {
		seen.extent[i] = a->of_process[i] ? f->times[f->processes - 1].process + UINT64_C(1)
						  : (uint64_t)extent_of(f, a->depth[i]);
		if (__builtin_mul_overflow(seen.places, seen.extent[i], &seen.places))
			seen.places = UINT64_MAX;
	}
	if (seen.places / PLACES_RATIO > numbers + PLACES_FEW) {
		seen.at = intern_new_keys(TABLE_ARGUMENTS * sizeof(int64_t));
	} else {
		seen.there = mem_zero(seen.places * sizeof *seen.there);
		seen.number = mem_array(seen.places, sizeof *seen.number);
	}
	return seen;
}

/* Is it the number that was seen there before, or the first one? */
static bool see(struct seen *seen, const struct arguments *a, const struct fit_times *t, size_t k, int64_t number)
{
	uint64_t place = 0;
	int64_t at[TABLE_ARGUMENTS] = {0};
	bool known;
	if (seen->at) {
		for (uint32_t i = 0; i < a->count; i++)
			at[i] = argument_value(a, i, t, k);
		uint32_t met = intern_count(seen->at);
		place = intern_id(seen->at, at, sizeof at);
		known = place < met;
		seen->number = mem_grow(seen->number, &seen->capacity, place + 1, sizeof *seen->number);
	} else {
		for (uint32_t i = 0; i < a->count; i++)
			place = place * seen->extent[i] + (uint64_t)argument_value(a, i, t, k);
		known = seen->there[place];
		seen->there[place] = true;
	}
	if (!known)
		seen->number[place] = number;
	return seen->number[place] == number;
}

/* Executions of each process that are looked at before all of one: where a number is of the
   process, these tell. */
#define FIRST_FEW 4

static bool decide_between(
	struct fitting *f, enum view view, const struct arguments *a, struct seen *seen, size_t from, size_t to)
{
	for (size_t i = 0; i < f->processes; i++)
		for (size_t k = from; k < to && k < f->times[i].executions; k++)
			if (!see(seen, a, &f->times[i], k, viewed(f, &f->times[i], k, view)))
				return false;
	return true;
}

static bool decide(struct fitting *f, enum view view, const struct arguments *a, struct seen *seen)
{
	*seen = seen_new(f, a);
	return decide_between(f, view, a, seen, 0, FIRST_FEW) && decide_between(f, view, a, seen, FIRST_FEW, SIZE_MAX);
}

static void seen_clear(struct seen *seen)
{
	intern_free(seen->at);
	free(seen->there);
	free(seen->number);
}

struct cell {
	int64_t at[TABLE_ARGUMENTS], number;
};

static int by_place(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;
	for (int i = 0; i < TABLE_ARGUMENTS; i++)
		if (x->at[i] != y->at[i])
			return x->at[i] < y->at[i] ? -1 : 1;
	return 0;
}

/* Of a place among all. */
static struct cell cell_of(const struct seen *seen, const struct arguments *a, uint64_t place)
{
	struct cell cell = {.number = seen->number[place]};
	for (uint32_t i = a->count; i-- > 0; place /= seen->extent[i])
		cell.at[i] = (int64_t)(place % seen->extent[i]);
	return cell;
}

static struct cell *sorted_cells(const struct seen *seen, const struct arguments *a, size_t *cells)
{
	*cells = seen->at ? intern_count(seen->at) : 0;
	for (uint64_t place = 0; !seen->at && place < seen->places; place++)
		*cells += seen->there[place];
	struct cell *cell = mem_array(*cells, sizeof *cell);
	size_t length = 0;
	for (uint64_t place = 0; !seen->at && place < seen->places; place++)
		if (seen->there[place])
			cell[length++] = cell_of(seen, a, place);
	if (!seen->at)
		return cell;
	for (uint32_t i = 0; i < *cells; i++) {
		memcpy(cell[i].at, intern_data(seen->at, i, NULL), sizeof cell[i].at);
		cell[i].number = seen->number[i];
	}
	if (*cells)
		qsort(cell, *cells, sizeof *cell, by_place);
	return cell;
}

/* What is never looked up is what stands before it. False: that would be most of the table. */
static bool fill_table(struct table *t, const struct cell *cell, size_t cells, uint32_t arguments)
{
	int64_t at[TABLE_ARGUMENTS] = {0}, previous = cells ? cell->number : 0;
	uint64_t filled = 0, room = 4 * (uint64_t)cells + 4096;
	for (size_t i = 0; i < cells; i++) {
		for (uint32_t level = 0; level < arguments; level++) {
			uint32_t ends = arguments - 1 - level;
			while (at[level] < cell[i].at[level] && filled++ < room) {
				if (ends)
					table_end(t, ends);
				else
					table_add(t, previous);
				at[level]++;
				for (uint32_t inner = level + 1; inner < arguments; inner++)
					at[inner] = 0;
			}
		}
		if (filled > room)
			return false;
		table_add(t, cell[i].number);
		previous = cell[i].number;
		at[arguments - 1]++;
	}
	return true;
}

/* A known one, or this one, by a name that no other has. */
static const struct table *named_table(struct program *p, const char *name, struct table *t)
{
	const struct table *known = dictionary_same_table(p->dictionary, t);
	if (known) {
		table_free(t);
		return known;
	}
	struct text words = {0};
	text_put(&words, name);
	dictionary_free_name(p->dictionary, &words);
	table_rename(t, words.data);
	text_clear(&words);
	dictionary_add_table(p->dictionary, t);
	return t;
}

/* Of each value of an argument: what is looked up there. */
static uint64_t *sum_up(const struct cell *cell, size_t cells, uint32_t argument, uint64_t extent)
{
	uint64_t *sum = mem_zero(extent * sizeof *sum);
	for (size_t i = 0; i < cells; i++) {
		struct cell other = cell[i];
		other.at[argument] = 0;
		sum[cell[i].at[argument]] += hash_bytes(&other, sizeof other);
	}
	return sum;
}

/* Where what is looked up comes again with an index, it is taken modulo that; cells that say it
   once more go. */
static size_t drop_repeats(struct cell *cell, size_t cells, const struct arguments *a, struct lookup *to)
{
	for (uint32_t k = 0; k < a->count; k++) {
		int64_t most = -1;
		for (size_t i = 0; i < cells; i++)
			most = cell[i].at[k] > most ? cell[i].at[k] : most;
		uint64_t extent = (uint64_t)(most + 1), period;
		if (a->of_process[k] || extent < 2 || extent / PLACES_RATIO > cells + PLACES_FEW)
			continue;
		uint64_t *sum = sum_up(cell, cells, k, extent);
		period = fit_period((const int64_t *)sum, extent);
		free(sum);
		if (period == extent)
			continue;
		size_t kept = 0;
		for (size_t i = 0; i < cells; i++)
			if ((uint64_t)cell[i].at[k] < period)
				cell[kept++] = cell[i];
		cells = kept;
		to->argument[k].modulus = (int64_t)period;
	}
	return cells;
}

/* A known one whose numbers lead back from where these lead to. */
static const struct table *opposite_table(
	const struct fitting *f, enum view view, struct cell *cell, size_t cells, uint32_t arguments)
{
	if (view != VIEW_OFFSET && view != VIEW_RING)
		return NULL;
	struct table *back = table_new("", arguments);
	for (size_t i = 0; i < cells; i++)
		cell[i].number =
			view == VIEW_RING ? grid_nearest(-cell[i].number, f->program->processes) : -cell[i].number;
	bool filled = fill_table(back, cell, cells, arguments);
	table_finish(back);
	const struct table *known = filled ? dictionary_same_table(f->program->dictionary, back) : NULL;
	table_free(back);
	return known;
}

static bool look_up(struct fitting *f, enum view view, const struct arguments *a, struct value *v)
{
	struct seen seen;
	bool good = decide(f, view, a, &seen);
	if (good) {
		size_t cells;
		struct cell *cell = sorted_cells(&seen, a, &cells);
		struct table *t = table_new("", a->count);
		struct affine argument[TABLE_ARGUMENTS] = {{0}};
		struct lookup periods = {0};
		cells = drop_repeats(cell, cells, a, &periods);
		good = fill_table(t, cell, cells, a->count);
		table_finish(t);
		for (uint32_t i = 0; i < a->count; i++) {
			argument[i].p = a->of_process[i];
			if (!a->of_process[i])
				argument[i].index[a->depth[i]] = 1;
		}
		const struct table *back = good ? opposite_table(f, view, cell, cells, a->count) : NULL;
		if (good)
			*v = value_looked_up(back ? back : named_table(f->program, f->name, t), argument);
		v->lookup.factor = back ? -1 : v->lookup.factor;
		for (uint32_t i = 0; i < a->count && good; i++)
			v->lookup.argument[i].modulus = periods.argument[i].modulus;
		if (!good || back)
			table_free(t);
		free(cell);
	}
	seen_clear(&seen);
	return good;
}

/* Of so many arguments, all of which are indices, or all but the process. Outer before inner
   loops. */
static bool find_table_of(
	struct fitting *f, enum view view, const uint32_t *own, uint32_t loops, struct arguments a, struct value *v)
{
	uint32_t indices = a.count - a.of_process[0];
	if (indices > loops)
		return false;
	if (!indices)
		return look_up(f, view, &a, v);
	for (uint32_t x = loops; x-- > 0;) {
		a.depth[a.count - 1] = own[x];
		if (indices == 1 && look_up(f, view, &a, v))
			return true;
		for (uint32_t y = x; indices > 1 && y-- > 0;) {
			a.depth[a.count - 2] = own[y];
			if (indices == 2 && look_up(f, view, &a, v))
				return true;
			for (uint32_t z = y; indices > 2 && z-- > 0;) {
				a.depth[0] = own[z];
				if (look_up(f, view, &a, v))
					return true;
			}
		}
	}
	return false;
}

/* Arguments from few to many; those that are the same for all processes before the process. Of a
   table that asks for the process each view is as long: then it is of numbers. */
static bool find_table(struct fitting *f, enum view last, struct value *v, enum view *view)
{
	uint32_t own[INDEX_DEPTH], loops = 0;
	for (uint32_t d = 0; d < f->depth && d < INDEX_DEPTH; d++)
		if (!(f->guards >> d & 1))
			own[loops++] = d;
	for (uint32_t count = 1; count <= TABLE_ARGUMENTS; count++) {
		for (*view = VIEW_NUMBER; *view <= last; ++*view)
			if (find_table_of(f, *view, own, loops, (struct arguments){.count = count}, v))
				return true;
		*view = VIEW_NUMBER;
		struct arguments by_process = {.count = count, .of_process = {true}};
		if (find_table_of(f, *view, own, loops, by_process, v))
			return true;
	}
	return false;
}

/* Bytes of a table, at the least: so much of what does not repeat. */
#define LEAST_SHARE 3

static size_t least_bytes(const struct fitting *f, enum view view)
{
	struct series *s = series_new();
	for (size_t i = 0; i < f->processes && series_bytes(s) / LEAST_SHARE <= f->room; i++)
		for (size_t k = 0; k < f->times[i].executions && k < f->times[i].number->rows; k++)
			series_push(s, viewed(f, &f->times[i], k, view));
	series_finish(s);
	size_t bytes = series_bytes(s) / LEAST_SHARE;
	series_free(s);
	return bytes;
}

/* last: of the views that may be taken. */
static bool tabulate(struct fitting *f, enum view last, struct value *v, enum view *view)
{
	size_t tables = dictionary_tables(f->program->dictionary), bytes = SIZE_MAX;
	for (enum view any = VIEW_NUMBER; any <= last && bytes > f->room; any++)
		bytes = least_bytes(f, any);
	if (bytes > f->room || !find_table(f, last, v, view))
		return false;
	f->room -= dictionary_tables(f->program->dictionary) > tables ? bytes : 0;
	return true;
}

static bool tabulate_number(struct fitting *f, struct value *v)
{
	enum view view;
	return tabulate(f, VIEW_NUMBER, v, &view);
}

/* ------------------------------------------------------------------ in public */

bool fit_value(struct fitting *f, struct value *v)
{
	return formula(f, v) || process_alone(f, v) || tabulate_number(f, v);
}

static bool on_grid(const struct fitting *f, struct place *place)
{
	const struct grid *g = &f->program->grid;
	const struct fit_times *first = first_of(f);
	struct spot own = grid_spot(g, first->process), other = grid_spot(g, (uint32_t)fit_number(first, 0));
	if (!g->axes)
		return false;
	*place = (struct place){.kind = PLACE_GRID};
	for (uint32_t i = 0; i < g->axes; i++) {
		place->axis[i].axis[i] = 1;
		place->axis[i].constant = other.axis[i] - own.axis[i];
		place->axis[i] = grid_coordinate(&place->axis[i], g->size[i]);
	}
	for (size_t i = 0; i < f->processes; i++) {
		struct spot spot = grid_spot(g, f->times[i].process);
		int64_t rank = place_at(place, g, &spot);
		for (size_t k = 0; k < f->times[i].executions; k++)
			if (fit_number(&f->times[i], k) != rank)
				return false;
	}
	return true;
}

static struct place place_in(const struct fitting *f, enum view view, const struct value *v)
{
	static const enum place_kind kind[VIEWS] = {PLACE_NUMBER, PLACE_OFFSET, PLACE_RING, PLACE_XOR};
	return (struct place){
		.kind = kind[view], .modulus = view == VIEW_RING ? f->program->processes : 0, .value = *v};
}

bool fit_place(struct fitting *f, struct place *place)
{
	struct value v = value_of(0);
	enum view view;
	for (view = VIEW_NUMBER; view < VIEWS; view++)
		if (in_view(f, view, &v.plain) && (view != VIEW_FLIPPED || value_is_constant(&v))) {
			*place = place_in(f, view, &v);
			return true;
		}
	if (on_grid(f, place))
		return true;
	*place = (struct place){.kind = PLACE_NUMBER};
	if (formula(f, &place->value) && place->value.plain.p < 0)
		return true;
	if (process_alone(f, &place->value))
		return true;
	bool good = tabulate(f, VIEW_FLIPPED, &v, &view);
	if (good)
		*place = place_in(f, view, &v);
	return good;
}

/* The numbers of executions of one loop, 0 or 1 by its index: what is said of them. */
#define PERIOD_LIMIT 128
#define LISTED 8

static bool is_periodic(const bool *holds, size_t length, size_t period)
{
	for (size_t i = period; i < length; i++)
		if (holds[i] != holds[i - period])
			return false;
	return true;
}

/* What is seen of a condition, by a sum that counts from `low` on. */
struct condition {
	enum seen_so { UNSEEN, HOLDS, HOLDS_NOT } * at;
	size_t length;
	int64_t low;
};

static const struct table *set_of(struct program *p, const struct condition *c, enum seen_so wanted)
{
	struct table *set = table_new("", 1);
	for (size_t i = 0; i < c->length; i++)
		if (c->at[i] == wanted)
			table_add(set, c->low + (int64_t)i);
	table_finish(set);
	return dictionary_table(p->dictionary, set);
}

static size_t count_of(const struct condition *c, enum seen_so wanted)
{
	size_t count = 0;
	for (size_t i = 0; i < c->length; i++)
		count += c->at[i] == wanted;
	return count;
}

/* The sum is one of those for which it holds, or none of the others. */
static bool test_for(struct program *p, const struct condition *c, struct value *v)
{
	size_t few = count_of(c, HOLDS), others = count_of(c, HOLDS_NOT);
	bool wanted = few <= others;
	size_t listed = wanted ? few : others;
	if (listed > LISTED || !listed)
		return false;
	const struct table *set = set_of(p, c, wanted ? HOLDS : HOLDS_NOT);
	if (table_least(set) < 0)
		return false;
	if (listed == 1) {
		v->test = wanted ? TEST_EQUAL : TEST_DIFFERS;
		v->number = table_entry(set, 0);
	} else {
		v->test = wanted ? TEST_AMONG : TEST_NOT_AMONG;
		v->among = set;
	}
	return true;
}

static bool condition_of_index(struct fitting *f, uint32_t d, struct value *v)
{
	struct arguments a = {.count = 1, .depth = {d}};
	struct seen seen;
	bool good = decide(f, VIEW_NUMBER, &a, &seen);
	size_t cells = 0;
	struct cell *cell = good ? sorted_cells(&seen, &a, &cells) : NULL;
	size_t length = cells ? (size_t)cell[cells - 1].at[0] + 1 : 0;
	good = good && length == cells;
	bool *holds = mem_array(length + 1, sizeof *holds);
	struct condition c = {mem_array(length + 1, sizeof *c.at), length, 0};
	for (size_t i = 0; good && i < cells; i++) {
		holds[i] = cell[i].number;
		c.at[i] = cell[i].number ? HOLDS : HOLDS_NOT;
	}
	size_t period = 2;
	while (good && period <= PERIOD_LIMIT && 2 * period <= length && !is_periodic(holds, length, period))
		period++;
	*v = value_of(0);
	if (good && period <= PERIOD_LIMIT && 2 * period <= length) {
		v->remainder[0] = (struct remainder){.modulus = (int64_t)period, .factor = 1};
		v->remainder[0].inside.index[d] = 1;
		c.length = period;
		good = test_for(f->program, &c, v);
	} else if (good) {
		v->plain.index[d] = 1;
		good = test_for(f->program, &c, v);
	}
	free(c.at);
	free(holds);
	free(cell);
	seen_clear(&seen);
	return good;
}

/* --------------------------------------------------------- conditions of other iterations */

/* The iteration in which a process first meets this, or meets it for the last time; false: it
   does not always, and not never. */
static bool turn_of(const struct fit_times *t, uint32_t d, bool holds, bool last, int64_t *turn)
{
	size_t met = 0;
	for (size_t k = 0; k < t->executions; k++) {
		if ((bool)fit_number(t, k) != holds)
			continue;
		if (!met++ || last)
			*turn = t->index[d][k];
	}
	return met && met < t->executions;
}

/* By how much the process is behind the others, from where each of them turns: a function of the
   process. */
static bool find_delay(struct fitting *f, uint32_t d, bool holds, bool last, struct value *delay)
{
	int64_t *turn = mem_array(f->processes, sizeof *turn);
	bool *turns = mem_array(f->processes, sizeof *turns);
	size_t processes = 0;
	for (size_t i = 0; i < f->processes; i++) {
		turns[i] = turn_of(&f->times[i], d, holds, last, &turn[i]);
		processes += turns[i];
	}
	bool good = processes >= FEW_PROCESSES && of_process(f, turn, turns, delay) && !value_is_constant(delay);
	delay->plain.constant = 0;
	free(turn);
	free(turns);
	return good;
}

static int64_t delay_of(const struct fitting *f, const struct value *delay, const struct fit_times *t)
{
	struct spot spot = grid_spot(&f->program->grid, t->process);
	return value_at(delay, &spot);
}

/* The condition as one of the index less the delay; false: it is none. */
static bool see_delayed(const struct fitting *f, uint32_t d, const struct value *delay, struct condition *c)
{
	int64_t low = INT64_MAX, most = INT64_MIN;
	for (size_t i = 0; i < f->processes; i++) {
		int64_t own = delay_of(f, delay, &f->times[i]);
		for (size_t k = 0; k < f->times[i].executions; k++) {
			int64_t sum = f->times[i].index[d][k] - own;
			low = sum < low ? sum : low;
			most = sum > most ? sum : most;
		}
	}
	uint64_t length = low <= most ? (uint64_t)(most - low) + 1 : 0;
	bool good = length && length <= PLACES_FEW << 8;
	*c = (struct condition){mem_zero((good ? length : 1) * sizeof *c->at), good ? length : 0, low};
	for (size_t i = 0; i < f->processes && good; i++) {
		int64_t own = delay_of(f, delay, &f->times[i]);
		for (size_t k = 0; k < f->times[i].executions && good; k++) {
			enum seen_so so = fit_number(&f->times[i], k) ? HOLDS : HOLDS_NOT,
				     *known = &c->at[f->times[i].index[d][k] - own - low];
			good = *known == UNSEEN || *known == so;
			*known = so;
		}
	}
	return good;
}

/* {i0+p} not in {0..4}: each process meets it in other iterations than the one before. */
static bool delayed_condition(struct fitting *f, uint32_t d, struct value *v)
{
	bool found = false;
	for (int way = 0; way < 4 && !found; way++) {
		struct value delay;
		struct condition c;
		if (!find_delay(f, d, way & 1, way & 2, &delay))
			continue;
		*v = delay;
		value_oppose(v);
		v->plain.index[d] = 1;
		found = see_delayed(f, d, &delay, &c) && test_for(f->program, &c, v);
		free(c.at);
	}
	return found;
}

bool fit_condition(struct fitting *f, struct value *v)
{
	for (uint32_t d = f->depth; d-- > 0;)
		if (!(f->guards >> d & 1) && condition_of_index(f, d, v))
			return true;
	for (uint32_t d = f->depth; d-- > 0;)
		if (!(f->guards >> d & 1) && delayed_condition(f, d, v))
			return true;
	return tabulate_number(f, v);
}
