/*
 * instances.c -- all that statements are at the indices around them, written out one by one.
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
