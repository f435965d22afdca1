/*
 * instances.c -- all that statements are at the indices around them: checked by ranges, counted,
 * written out one by one.
 */
#include "model/instances.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/saturate.h"
#include "model/iteration.h"

#define BEYOND "a number goes beyond 64 bits for some indices"
#define NO_RANK "the peer or root is no rank of the run for some indices"
#define NO_TAG "the tag is negative for some indices"
#define NEGATIVE_COMMUNICATOR "the communicator is negative for some indices"
#define NO_ENTRY "a table has no entry for some indices, or a number goes beyond 64 bits"
#define NO_POWER "an exponent is negative for some indices, or a number goes beyond 64 bits"
#define NOBODY "the process that is named executes nothing here for some indices"
#define TOO_MANY "it stands for too many statements that differ"

static bool fail(struct instances_error *wrong, size_t statement, const char *what)
{
	*wrong = (struct instances_error){statement, what};
	return false;
}

/* What must be wrong with it where it is no number. */
static const char *why_none(const struct value *v)
{
	return v->lookup.table ? NO_ENTRY : v->power[0].base ? NO_POWER : BEYOND;
}

/* The indices at which attributes of a statement may be no numbers. */
static uint32_t looked_up(const struct program *f, const struct statement *s)
{
	struct attribute attribute[ATTRIBUTES_MOST];
	uint32_t indices = 0;
	for (size_t i = program_get_attributes(f, s->attributes, attribute); i-- > 0;)
		if (!value_is_quasi_affine(&attribute[i].value))
			indices |= value_indices(&attribute[i].value);
	return indices;
}

/* By statement: the indices used in it and inside; attributes: also those at which these look up
   tables. The result is the caller's. */
static uint32_t mark_used(const struct program *f, size_t from, size_t to, bool attributes, uint32_t *used)
{
	uint32_t all = 0;
	for (size_t i = from; i < to; i += statement_size(&f->statement[i])) {
		used[i] = program_indices(f, &f->statement[i]);
		used[i] |= attributes ? looked_up(f, &f->statement[i]) : 0;
		if (statement_is_loop(&f->statement[i]))
			used[i] |= mark_used(f, i + 1, i + f->statement[i].size, attributes, used);
		all |= used[i];
	}
	return all;
}

static bool uses_index(uint32_t used, uint32_t depth)
{
	return depth < INDEX_DEPTH && used >> depth & 1;
}

/* ------------------------------------------------------------------ ranges */

/* All whole numbers from low to high, and perhaps more than are met. */
struct range {
	__int128 low, high;
};

struct ranges {
	const struct program *f;
	int64_t top[INDEX_DEPTH]; /* the largest index of each loop around */
};

/* What the indices add. */
static struct range index_range(const struct ranges *r, const struct affine *a)
{
	struct range sum = {0, 0};
	for (int d = 0; d < INDEX_DEPTH; d++) {
		if (!a->index[d])
			continue;
		__int128 most = (__int128)a->index[d] * r->top[d];
		sum.low += most < 0 ? most : 0;
		sum.high += most > 0 ? most : 0;
	}
	return sum;
}

/* An argument of a table is in this range for a process. */
static struct range argument_range(const struct ranges *r, const struct argument *a, const struct spot *spot)
{
	struct value own = {.plain = a->inside};
	struct range add = index_range(r, &a->inside);
	memset(own.plain.index, 0, sizeof own.plain.index);
	int64_t here = value_at(&own, spot);
	if (!a->modulus)
		return (struct range){here + add.low, here + add.high};
	if (add.low == add.high) {
		here = ((here + (int64_t)add.low) % a->modulus + a->modulus) % a->modulus;
		return (struct range){here, here};
	}
	return (struct range){0, a->modulus - 1};
}

/* Rows that are looked at to tell whether all are long enough. */
#define ROWS_LOOKED_AT 1000000

/* Has the table an entry wherever these indices go, on this process? */
static bool has_entries(const struct ranges *r, const struct lookup *l, const struct spot *spot)
{
	struct range in[TABLE_ARGUMENTS];
	uint32_t arguments = table_arguments(l->table);
	int64_t at[TABLE_ARGUMENTS] = {0};
	__int128 rows = 1;
	for (uint32_t i = 0; i < arguments; i++) {
		in[i] = argument_range(r, &l->argument[i], spot);
		rows *= i + 1 < arguments ? in[i].high - in[i].low + 1 : 1;
		if (in[i].low < 0 || in[i].high > (__int128)TABLE_LIMIT || rows > ROWS_LOOKED_AT)
			return false;
		at[i] = (int64_t)in[i].low;
	}
	for (__int128 k = 0; k < rows; k++) {
		uint64_t first, length;
		if (!table_row(l->table, at, &first, &length) || in[arguments - 1].high >= (__int128)length)
			return false;
		for (uint32_t i = arguments - 1; i-- > 0;) {
			if (++at[i] <= in[i].high)
				break;
			at[i] = (int64_t)in[i].low;
		}
	}
	return true;
}

/* What the power comes to on this process; false: perhaps to what is no number. */
static bool power_range(const struct ranges *r, const struct power *w, const struct spot *spot, struct range *range)
{
	struct range exponent = argument_range(r, &(struct argument){w->exponent, 0}, spot);
	struct value v = {.power[0] = *w};
	int64_t least, most;
	v.power[0].exponent = (struct affine){.constant = (int64_t)exponent.low};
	bool good = exponent.low >= 0 && exponent.high <= INT8_MAX && value_fits(&v, &(struct spot){0}, &least);
	v.power[0].exponent.constant = (int64_t)exponent.high;
	good = good && value_fits(&v, &(struct spot){0}, &most);
	if (good)
		*range = w->factor < 0 ? (struct range){most, least} : (struct range){least, most};
	return good;
}

/* Is it a number wherever these indices go, on this process? */
static bool is_number(const struct ranges *r, const struct value *v, const struct spot *spot)
{
	struct range range;
	__int128 least, most;
	bool good = !v->by.table || value_product_range(v, &least, &most);
	for (int k = 0; good && value_lookup(v, k); k++)
		good = has_entries(r, value_lookup(v, k), spot);
	for (int i = 0; good && i < POWERS && v->power[i].base; i++)
		good = power_range(r, &v->power[i], spot, &range);
	return good;
}

/* Has the value's table an entry for all that is met, and are its powers numbers? */
static bool are_numbers(const struct ranges *r, const struct value *v, const struct ranks *who)
{
	if (value_is_quasi_affine(v))
		return true;
	struct ranks_walk walk = {0};
	bool uniform = value_is_uniform(v), good = true;
	for (uint32_t p; good && ranks_next(who, &walk, &p);) {
		struct spot spot = grid_spot(&r->f->grid, p);
		good = is_number(r, v, &spot);
		if (uniform)
			break;
	}
	return good;
}

/* A function of the process, and what the indices add to it; beside its powers. */
struct split {
	struct value own, powers;
	struct range add;
};

static struct split split_value(const struct ranges *r, const struct value *v)
{
	struct split s = {value_of(0), value_of(0), index_range(r, &v->plain)};
	memcpy(s.powers.power, v->power, sizeof v->power);
	s.own.plain = v->plain;
	memset(s.own.plain.index, 0, sizeof s.own.plain.index);
	for (int i = 0, kept = 0; i < REMAINDERS && v->remainder[i].modulus; i++) {
		const struct remainder *m = &v->remainder[i];
		__int128 most = (__int128)(m->modulus - 1) * m->factor;
		if (!affine_indices(&m->inside)) {
			s.own.remainder[kept++] = *m;
			continue;
		}
		s.add.low += most < 0 ? most : 0;
		s.add.high += most > 0 ? most : 0;
	}
	if (v->lookup.table) {
		__int128 least, most;
		value_product_range(v, &least, &most);
		s.add.low += least;
		s.add.high += most;
	}
	return s;
}

/* Added to the range. What is no number may be anything. */
static void add_powers(const struct ranges *r, const struct value *v, const struct spot *spot, struct range *to)
{
	for (int i = 0; i < POWERS && v->power[i].base; i++) {
		struct range power = {INT64_MIN, INT64_MAX};
		power_range(r, &v->power[i], spot, &power);
		to->low += power.low;
		to->high += power.high;
	}
}

/* p_factor: how often the process's rank is added, too. */
static struct range value_range(const struct ranges *r, const struct value *v, const struct ranks *who, int p_factor)
{
	struct split split = split_value(r, v);
	bool uniform = value_is_uniform(&split.own) && value_is_uniform(&split.powers) && !p_factor;
	struct range own = {0, 0};
	if (v->test)
		return (struct range){0, 1};
	struct ranks_walk walk = {0};
	bool first = true;
	for (uint32_t p; ranks_next(who, &walk, &p); first = false) {
		struct spot spot = grid_spot(&r->f->grid, p);
		int64_t number = value_at(&split.own, &spot) + p * p_factor;
		struct range here = {number, number};
		add_powers(r, &split.powers, &spot, &here);
		own.low = first || here.low < own.low ? here.low : own.low;
		own.high = first || here.high > own.high ? here.high : own.high;
		if (uniform)
			break;
	}
	return (struct range){own.low + split.add.low, own.high + split.add.high};
}

static bool within(struct range r, int64_t low, int64_t high)
{
	return r.low >= low && r.high <= high;
}

/* A rank with bits flipped is below the next power of two above both. */
static bool flips_within(const struct ranges *r, const struct value *v, const struct ranks *who)
{
	struct range range = value_range(r, v, who, 0);
	__int128 bound = 1;
	while (bound <= range.high || bound <= who->run[who->length - 1].last)
		bound *= 2;
	return range.low >= 0 && bound <= r->f->processes;
}

/* The grid goes around. */
static bool offsets_within(const struct ranges *r, const struct place *place)
{
	bool good = true;
	for (uint32_t i = 0; i < GRID_AXES && good; i++) {
		struct lookup l = place_offset(place, i);
		good = !l.table || has_entries(r, &l, &(struct spot){0});
	}
	return good;
}

static bool place_within(const struct ranges *r, const struct place *place, const struct ranks *who)
{
	if (place->kind == PLACE_NONE || !place_indices(place))
		return true; /* it has been checked */
	if (place->kind == PLACE_GRID)
		return offsets_within(r, place);
	if (!are_numbers(r, &place->value, who))
		return false;
	if (place->kind == PLACE_RING)
		return true; /* it goes around */
	if (place->kind == PLACE_XOR)
		return flips_within(r, &place->value, who);
	struct range range = value_range(r, &place->value, who, place->kind == PLACE_OFFSET);
	return within(range, 0, program_rank_limit(r->f, place) - INT64_C(1));
}

static bool event_within(const struct ranges *r, const struct statement *s)
{
	struct form form = program_get_form(r->f, s->event);
	struct ranks who = dictionary_get_ranks(r->f->dictionary, s->set);
	return place_within(r, &form.peer, &who) && are_numbers(r, &form.value, &who) &&
	       are_numbers(r, &form.communicator, &who) &&
	       (!value_indices(&form.value) || within(value_range(r, &form.value, &who, 0), 0, INT64_MAX)) &&
	       (!value_indices(&form.communicator) ||
		       within(value_range(r, &form.communicator, &who, 0), 0, INT64_MAX));
}

/* Have the tables of attributes an entry for all that is met? */
static bool attributes_within(const struct ranges *r, const struct statement *s)
{
	struct attribute attribute[ATTRIBUTES_MOST];
	bool good = true;
	struct ranks_run single;
	struct ranks who = program_processes(r->f, s, &single);
	for (size_t i = program_get_attributes(r->f, s->attributes, attribute); good && i-- > 0;)
		good = are_numbers(r, &attribute[i].value, &who);
	return good;
}

static bool names_entries(const struct table *t, int64_t more, const struct ranks *who)
{
	bool good = true;
	for (uint64_t i = 0; i < table_entries(t) && good; i++) {
		__int128 rank = (__int128)table_entry(t, i) + more;
		good = rank >= 0 && rank <= UINT32_MAX && ranks_has(who, (uint32_t)rank);
	}
	return good;
}

/* Can it name only those who execute the statement (in loops of equal counts, some of these)? */
static bool names_those(const struct ranges *r, size_t at, const struct value *condition)
{
	struct ranks who = dictionary_get_ranks(r->f->dictionary, r->f->statement[at + 1].set);
	struct value name = *condition;
	name.test = TEST_NONE;
	name.plain.p = 0;
	value_oppose(&name);
	if (value_is_entry(&name))
		return names_entries(name.lookup.table, name.plain.constant, &who);
	struct range range = value_range(r, &name, &who, 0);
	return who.length == 1 && within(range, who.run->first, who.run->last);
}

static bool body_within(struct ranges *r, size_t from, size_t to, uint32_t depth);

/* A loop that never has an iteration has nothing that could be wrong. */
static bool loop_within(struct ranges *r, size_t at, uint32_t depth)
{
	const struct statement *s = &r->f->statement[at];
	struct value bound = program_bound(r->f, s);
	struct range count = {s->count, s->count};
	if (s->bound != BOUND_NONE) { /* the same for all processes, but for a guard that names one */
		struct ranks_run run = {0, 0};
		struct ranks first = {.run = &run, .length = 1};
		if (!are_numbers(r, &bound, &first))
			return false;
		count = value_range(r, &bound, &first, 0);
	}
	if (count.high <= 0)
		return true;
	if (s->bound != BOUND_NONE && !within(count, INT64_MIN, INT64_MAX))
		return false;
	if (depth < INDEX_DEPTH)
		r->top[depth] = (int64_t)(count.high > INT64_MAX ? INT64_MAX : count.high - 1);
	if (statement_guard(s) == GUARD_WHO && !names_those(r, at, &bound))
		return false;
	return body_within(r, at + 1, at + s->size, depth + 1);
}

/* Recursion as deep as loops nest. */
static bool body_within(struct ranges *r, size_t from, size_t to, uint32_t depth)
{
	bool good = true;
	for (size_t i = from; i < to && good; i += statement_size(&r->f->statement[i])) {
		const struct statement *s = &r->f->statement[i];
		if (statement_is_loop(s))
			good = loop_within(r, i, depth);
		else
			good = (s->set == STATEMENT_PLAIN || event_within(r, s)) && attributes_within(r, s);
	}
	return good;
}

/* ----------------------------------------------------------------- one statement at the indices */

struct walker {
	const struct program *f;
	uint32_t *used; /* by statement: the indices used in it and inside */
	int64_t index[INDEX_DEPTH];
	uint64_t budget; /* statements, and iterations without any, that may still come */
	uint64_t executed; /* the same, for each process of a statement */
	struct instances_error *wrong;
	struct program *to; /* NULL: check only */
	size_t *origin, capacity; /* by statement of `to` */
};

static bool loop_count(
	const struct program *f, const int64_t *index, size_t at, uint64_t *count, struct instances_error *wrong)
{
	const struct statement *s = &f->statement[at];
	*count = s->count;
	if (s->bound == BOUND_NONE)
		return true;
	struct value bound = program_bound(f, s);
	int64_t number;
	if (!value_fits(&bound, &(struct spot){.index = index}, &number))
		return fail(wrong, at, why_none(&bound));
	*count = number < 0 ? 0 : (uint64_t)number;
	return true;
}

/* Why something of it is no number on this process; NULL: nothing. */
static const char *no_number(const struct form *form, const struct spot *spot)
{
	if (!place_is_number(&form->peer, spot))
		return form->peer.kind == PLACE_GRID ? NO_ENTRY : why_none(&form->peer.value);
	if (!value_is_number(&form->communicator, spot))
		return why_none(&form->communicator);
	return value_is_number(&form->value, spot) ? NULL : why_none(&form->value);
}

/* moving: the form before the indices were put in; what they do not move has been checked. */
static const char *what_is_wrong(
	const struct program *f, const struct form *moving, const struct form *form, const struct ranks *who)
{
	int64_t limit = program_rank_limit(f, &form->peer);
	bool tag = value_indices(&moving->value), place = place_indices(&moving->peer),
	     communicator = value_indices(&moving->communicator);
	struct ranks_walk walk = {0};
	for (uint32_t p; ranks_next(who, &walk, &p);) {
		struct spot spot = grid_spot(&f->grid, p);
		int64_t rank = place ? place_at(&form->peer, &f->grid, &spot) : 0;
		int64_t number = form->varies ? value_at(&form->value, &spot) : (int64_t)form->number;
		const char *no = no_number(form, &spot);
		if (no)
			return no;
		if (rank < 0 || rank >= limit)
			return NO_RANK;
		if (tag && number < 0)
			return NO_TAG;
		if (communicator && value_at(&form->communicator, &spot) < 0)
			return NEGATIVE_COMMUNICATOR;
	}
	return NULL;
}

static const char *why_wrong(const struct form *form)
{
	const struct value *of[] = {&form->value, &form->communicator, &form->peer.value};
	const char *why = form->peer.kind == PLACE_GRID && place_asks_table(&form->peer) ? NO_ENTRY : BEYOND;
	for (int i = form->peer.kind == PLACE_GRID ? 1 : 2; i >= 0 && !strcmp(why, BEYOND); i--)
		why = why_none(of[i]);
	return why;
}

/* set: of those who execute it. */
static bool put_event(struct walker *w, size_t at, uint32_t set)
{
	const struct statement *s = &w->f->statement[at];
	struct form moving = program_get_form(w->f, s->event), form = moving;
	if (!form_put(&form, &w->f->grid, w->index, INDEX_DEPTH))
		return fail(w->wrong, at, why_wrong(&moving));
	if (!w->to) {
		struct ranks who = dictionary_get_ranks(w->f->dictionary, set);
		const char *what = what_is_wrong(w->f, &moving, &form, &who);
		return !what || fail(w->wrong, at, what);
	}
	if (s->alone)
		program_add(w->to, STATEMENT_PLAIN, program_event_of(w->to, set, &form));
	else
		program_add(w->to, set, program_form(w->to, &form));
	return true;
}

/* ------------------------------------------------------------------ walking */

/* What was written last came from there. */
static void note_origin(struct walker *w, size_t at)
{
	w->origin = mem_grow(w->origin, &w->capacity, w->to->length, sizeof *w->origin);
	w->origin[w->to->length - 1] = at;
}

static bool walk_body(struct walker *w, size_t from, size_t to, uint32_t depth);

static bool spend(struct walker *w, size_t at)
{
	return w->budget-- > 0 || fail(w->wrong, at, TOO_MANY);
}

static bool spend_executed(struct walker *w, size_t at)
{
	struct ranks_run single;
	struct ranks who = program_processes(w->f, &w->f->statement[at], &single);
	uint64_t processes = ranks_count(&who);
	if (w->executed < processes)
		return fail(w->wrong, at, TOO_MANY ", counted for each of their processes");
	w->executed -= processes;
	return true;
}

/* What the text itself has. */
static uint64_t executed_once(const struct program *f)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < f->length; i++) {
		struct ranks_run single;
		if (statement_is_loop(&f->statement[i]))
			continue;
		struct ranks who = program_processes(f, &f->statement[i], &single);
		sum += ranks_count(&who);
	}
	return sum;
}

static bool walk_iterations(struct walker *w, size_t loop, uint64_t count, uint32_t depth)
{
	const struct statement *s = &w->f->statement[loop];
	struct iteration k = iteration_start(depth < INDEX_DEPTH ? &w->index[depth] : NULL, count, 0);
	while (iteration_step(&k))
		if (!spend(w, loop) || !walk_body(w, loop + 1, loop + s->size, depth + 1))
			return false;
	return true;
}

/* The event of the process that a guard names. */
static bool walk_named(struct walker *w, size_t at, uint32_t depth)
{
	const struct program *f = w->f;
	uint64_t none;
	if (!loop_count(f, w->index, at, &none, w->wrong))
		return false;
	int64_t rank = program_named(f, at, w->index);
	struct ranks who = dictionary_get_ranks(f->dictionary, f->statement[at + 1].set);
	if (rank < 0 || rank >= f->processes || !ranks_has(&who, (uint32_t)rank))
		return fail(w->wrong, at, NOBODY);
	if (depth < INDEX_DEPTH)
		w->index[depth] = 0;
	if (!spend(w, at + 1) || !put_event(w, at + 1, dictionary_rank(f->dictionary, (uint32_t)rank)))
		return false;
	if (w->to)
		note_origin(w, at + 1);
	return true;
}

static bool walk_loop(struct walker *w, size_t at, uint32_t depth)
{
	const struct statement *s = &w->f->statement[at];
	uint64_t count;
	if (statement_guard(s) == GUARD_WHO)
		return walk_named(w, at, depth);
	if (!loop_count(w->f, w->index, at, &count, w->wrong))
		return false;
	if (!count && (!w->to || w->used[at])) /* what is inside is never executed, and may be nothing that can be */
		return true;
	if (uses_index(w->used[at], depth) || (s->bound != BOUND_NONE && count <= 2) ||
		statement_guard(s) != GUARD_NONE)
		return walk_iterations(w, at, count, depth);
	size_t opened = w->to ? program_open(w->to, s->set, count) : 0;
	if (w->to)
		note_origin(w, at);
	if (depth < INDEX_DEPTH)
		w->index[depth] = 0;
	if (!walk_body(w, at + 1, at + s->size, depth + 1))
		return false;
	if (w->to)
		program_close(w->to, opened);
	return true;
}

static bool try_attributes(struct walker *w, size_t at)
{
	struct attribute attribute[ATTRIBUTES_MOST];
	const struct statement *s = &w->f->statement[at];
	struct ranks_run single;
	struct ranks who = program_processes(w->f, s, &single);
	for (size_t i = program_get_attributes(w->f, s->attributes, attribute); i-- > 0;) {
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_next(&who, &walk, &p);) {
			struct spot spot = grid_spot(&w->f->grid, p);
			spot.index = w->index;
			if (!value_is_number(&attribute[i].value, &spot))
				return fail(w->wrong, at, why_none(&attribute[i].value));
		}
	}
	return true;
}

static bool walk_event(struct walker *w, size_t at)
{
	const struct statement *s = &w->f->statement[at];
	if (!spend_executed(w, at))
		return false;
	if (w->used[at] && s->set != STATEMENT_PLAIN && !put_event(w, at, s->set))
		return false;
	if (!w->to && w->used[at] && !try_attributes(w, at))
		return false;
	if (w->to && !w->used[at])
		program_add(w->to, s->set, s->event);
	if (w->to)
		note_origin(w, at);
	return true;
}

/* Recursion as deep as loops nest. */
static bool walk_body(struct walker *w, size_t from, size_t to, uint32_t depth)
{
	for (size_t i = from; i < to; i += statement_size(&w->f->statement[i])) {
		if (!spend(w, i))
			return false;
		if (!(statement_is_loop(&w->f->statement[i]) ? walk_loop(w, i, depth) : walk_event(w, i)))
			return false;
	}
	return true;
}

/* Entries of tables are looked up one by one, each in an iteration of a loop or of several. */
#define STEPS_AN_ENTRY 4

static uint64_t looking_up(const struct program *f)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < dictionary_tables(f->dictionary); i++)
		sum += table_entries(dictionary_get_table(f->dictionary, i)) * STEPS_AN_ENTRY;
	return sum < INSTANCES_EXECUTED_LIMIT ? sum : INSTANCES_EXECUTED_LIMIT;
}

static bool walk(struct walker *w, uint64_t executed_limit)
{
	w->budget = INSTANCES_LIMIT + w->f->length + (w->to ? 0 : looking_up(w->f));
	w->executed = executed_limit + executed_once(w->f);
	w->used = mem_array(w->f->length, sizeof *w->used);
	mark_used(w->f, 0, w->f->length, !w->to, w->used);
	bool good = walk_body(w, 0, w->f->length, 0);
	free(w->used);
	return good;
}

/* The same on the program whose counts are those of all processes: what is wrong is wrong in the
   statement that it came from. */
static bool on_uniform(const struct program *f, struct instances_error *wrong,
	bool (*ask)(const struct program *, void *context, struct instances_error *), void *context)
{
	size_t *origin;
	struct program *uniform = program_uniform(f, &origin);
	bool good = ask(uniform, context, wrong);
	if (!good)
		wrong->statement = origin[wrong->statement];
	free(origin);
	program_free(uniform);
	return good;
}

/* But for names. */
static bool is_divergent(const struct program *f)
{
	for (size_t i = 0; i < f->length; i++) {
		const struct statement *s = &f->statement[i];
		struct value bound;
		if (!statement_is_loop(s) || s->bound == BOUND_NONE || statement_guard(s) == GUARD_WHO)
			continue;
		bound = program_bound(f, s);
		if (!value_is_uniform(&bound))
			return true;
	}
	return false;
}

static bool has_guards(const struct program *f)
{
	for (size_t i = 0; i < f->length; i++)
		if (statement_guard(&f->statement[i]) != GUARD_NONE)
			return true;
	return false;
}

static bool check_uniform(const struct program *f, void *context, struct instances_error *wrong)
{
	(void)context;
	struct ranges ranges = {.f = f};
	return body_within(&ranges, 0, f->length, 0) ||
	       walk(&(struct walker){.f = f, .wrong = wrong}, INSTANCES_EXECUTED_LIMIT);
}

static bool attributes_vary(const struct program *f)
{
	for (size_t i = 0; i < f->length; i++)
		if (looked_up(f, &f->statement[i]))
			return true;
	return false;
}

bool instances_check(const struct program *f, struct instances_error *wrong)
{
	if (is_divergent(f))
		return on_uniform(f, wrong, check_uniform, NULL);
	return (!program_varies(f) && !has_guards(f) && !attributes_vary(f)) || check_uniform(f, NULL, wrong);
}

static bool write_uniform(struct program *f, uint64_t executed_limit, size_t **origin, struct instances_error *wrong)
{
	if (!program_varies(f) && !has_guards(f))
		return true;
	struct program to = *f;
	to.statement = NULL;
	to.length = to.capacity = 0;
	struct walker w = {.f = f, .wrong = wrong, .to = &to};
	bool good = walk(&w, executed_limit);
	if (origin && good)
		*origin = w.origin;
	else
		free(w.origin);
	free(good ? f->statement : to.statement);
	if (good)
		*f = to;
	return good;
}

bool instances_write(struct program *f, uint64_t executed_limit, size_t **origin, struct instances_error *wrong)
{
	size_t *uniform_origin = NULL;
	program_calls_clear(&f->calls);
	if (origin)
		*origin = NULL;
	if (is_divergent(f)) {
		struct program *uniform = program_uniform(f, &uniform_origin), swap = *f;
		*f = *uniform;
		*uniform = swap;
		program_free(uniform);
		addresses_clear(f->addresses);
		free(f->addresses);
		f->addresses = NULL;
	}
	bool good = write_uniform(f, executed_limit, origin, wrong);
	if (uniform_origin && !good)
		wrong->statement = uniform_origin[wrong->statement];
	for (size_t i = 0; uniform_origin && good && origin && *origin && i < f->length; i++)
		(*origin)[i] = uniform_origin[(*origin)[i]];
	if (uniform_origin && good && origin && !*origin)
		*origin = uniform_origin;
	else
		free(uniform_origin);
	return good;
}

/* ------------------------------------------------------------------ events */

/* Iterations that are counted one by one: tables have as many entries. */
#define COUNTED_LIMIT INSTANCES_EXECUTED_LIMIT

struct counter {
	const struct program *f;
	uint32_t *used; /* by loop: the indices used in counts inside */
	uint64_t *period; /* periods.h */
	int64_t index[INDEX_DEPTH];
	uint64_t budget; /* iterations to be counted one by one */
	struct instances_error *wrong;
};

static uint32_t mark_counts(struct counter *c, size_t from, size_t to)
{
	uint32_t all = 0;
	for (size_t i = from; i < to; i += statement_size(&c->f->statement[i])) {
		const struct statement *s = &c->f->statement[i];
		if (!statement_is_loop(s))
			continue;
		c->used[i] = mark_counts(c, i + 1, i + s->size);
		all |= c->used[i];
		if (statement_guard(s) != GUARD_WHO)
			all |= program_indices(c->f, s);
	}
	return all;
}

static bool count_body(struct counter *c, size_t from, size_t to, uint32_t depth, uint64_t *events);

static bool count_loop(struct counter *c, size_t at, uint32_t depth, uint64_t *events)
{
	const struct statement *s = &c->f->statement[at];
	uint64_t count, once = 0;
	if (statement_guard(s) == GUARD_WHO) { /* one process each time */
		*events = saturating_add(*events, 1);
		return true;
	}
	if (!loop_count(c->f, c->index, at, &count, c->wrong))
		return false;
	if (!count) /* what is inside is never executed, and may be nothing that can be */
		return true;
	bool differ = uses_index(c->used[at], depth);
	struct iteration k =
		iteration_start(depth < INDEX_DEPTH ? &c->index[depth] : NULL, count, differ ? c->period[at] : 1);
	while (iteration_step(&k)) {
		if (differ && c->budget-- == 0)
			return fail(c->wrong, at, TOO_MANY);
		once = 0;
		if (!count_body(c, at + 1, at + s->size, depth + 1, &once))
			return false;
		*events = saturating_add(*events, saturating_multiply(once, k.times));
	}
	return true;
}

/* Recursion as deep as loops nest. */
static bool count_body(struct counter *c, size_t from, size_t to, uint32_t depth, uint64_t *events)
{
	for (size_t i = from; i < to; i += statement_size(&c->f->statement[i])) {
		const struct statement *s = &c->f->statement[i];
		if (statement_is_loop(s)) {
			if (!count_loop(c, i, depth, events))
				return false;
			continue;
		}
		struct ranks_run single;
		struct ranks who = program_processes(c->f, s, &single);
		*events = saturating_add(*events, ranks_count(&who));
	}
	return true;
}

static bool count_uniform(const struct program *f, void *context, struct instances_error *wrong)
{
	uint64_t *events = context;
	struct counter c = {
		.f = f, .used = mem_zero((f->length + 1) * sizeof *c.used), .budget = COUNTED_LIMIT, .wrong = wrong};
	c.period = program_periods(f);
	mark_counts(&c, 0, f->length);
	*events = 0;
	bool good = count_body(&c, 0, f->length, 0, events);
	free(c.used);
	free(c.period);
	return good;
}

bool instances_events(const struct program *f, uint64_t *events, struct instances_error *wrong)
{
	return is_divergent(f) ? on_uniform(f, wrong, count_uniform, events) : count_uniform(f, events, wrong);
}
