/*
 * instances.c -- walk through the iterations of loops whose indices are used, once to count and to check, once to write.
 */
#include "model/instances.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/saturate.h"

struct walker {
	const struct program *f;
	uint32_t *used; /* by statement: the indices used in it and inside, a bit each */
	int64_t index[INDEX_DEPTH];
	int64_t *least; /* by statement: what its tag's number is least on its processes, at indices 0 */
	uint64_t budget; /* statements, and iterations without any, that may still come */
	uint64_t executed; /* the same, for each process of a statement */
	struct instances_error *wrong;
	struct program *to; /* NULL: count only */
};

/* ------------------------------------------------------------------ indices that are used */

static uint32_t used_by(const struct advance *a)
{
	uint32_t used = 0;
	for (unsigned d = 0; d < INDEX_DEPTH; d++)
		used |= (uint32_t)(a->by[d] != 0) << d;
	return used;
}

static uint32_t used_in_steps(const struct steps *s)
{
	uint32_t used = used_by(&s->of_number);
	for (unsigned i = 0; i < GRID_AXES; i++)
		used |= used_by(&s->of_peer[i]);
	return used;
}

static uint32_t mark_used(struct walker *w, size_t from, size_t to)
{
	uint32_t all = 0;
	for (size_t i = from; i < to; i += statement_size(&w->f->statement[i])) {
		const struct statement *s = &w->f->statement[i];
		w->used[i] = s->steps == STEPS_NONE ? 0 : used_in_steps(program_steps(w->f, s));
		if (statement_is_loop(s))
			w->used[i] |= mark_used(w, i + 1, i + s->size);
		all |= w->used[i];
	}
	return all;
}

static int64_t least_value(const struct walker *w, const struct statement *s)
{
	const struct value *v = &program_get_form(w->f, s->event)->value;
	struct ranks who = dictionary_get_ranks(w->f->dictionary, s->set);
	struct ranks_walk walk = {0};
	int64_t least = INT64_MAX;
	for (uint32_t p; ranks_next(&who, &walk, &p);) {
		struct spot spot = grid_spot(&w->f->grid, p);
		int64_t here = value_at(v, &spot);
		least = here < least ? here : least;
	}
	return least;
}

static void find_least(struct walker *w)
{
	w->least = mem_zero((w->f->length + 1) * sizeof *w->least);
	for (size_t i = 0; i < w->f->length; i++) {
		const struct statement *s = &w->f->statement[i];
		if (s->set != STATEMENT_PLAIN && !statement_is_loop(s) && !advance_is_none(&program_steps(w->f, s)->of_number))
			w->least[i] = least_value(w, s);
	}
}

static bool uses_index(const struct walker *w, size_t loop, uint32_t depth)
{
	return depth < INDEX_DEPTH && (w->used[loop] >> depth & 1);
}

/* ------------------------------------------------------------------ one statement at the indices */

static bool fail(struct walker *w, size_t statement, const char *what)
{
	*w->wrong = (struct instances_error){statement, what};
	return false;
}

#define BEYOND "a number goes beyond 64 bits for some indices"

static bool loop_count(struct walker *w, size_t at, uint64_t *count)
{
	const struct statement *s = &w->f->statement[at];
	*count = s->count;
	if (s->steps == STEPS_NONE)
		return true;
	const struct steps *steps = program_steps(w->f, s);
	int64_t number = steps->number;
	if (!advance_add(&steps->of_number, w->index, INDEX_DEPTH, &number))
		return fail(w, at, BEYOND);
	*count = number < 0 ? 0 : (uint64_t)number;
	return true;
}

static bool check_rank(struct walker *w, size_t at, int64_t rank, uint32_t limit)
{
	return (rank >= 0 && rank < limit) || fail(w, at, "the peer or root is no rank of the run for some indices");
}

static bool check_tag(struct walker *w, size_t at, int64_t number)
{
	return number >= 0 || fail(w, at, "the tag is negative for some indices");
}

static bool plain_instance(struct walker *w, size_t at, uint32_t *event)
{
	const struct statement *s = &w->f->statement[at];
	const struct steps *steps = program_steps(w->f, s);
	struct dictionary *d = w->f->dictionary;
	struct event e = *dictionary_get_event(d, s->event);
	int64_t peer = steps->peer, number = steps->number;
	if (!advance_add(steps->of_peer, w->index, INDEX_DEPTH, &peer) ||
		!advance_add(&steps->of_number, w->index, INDEX_DEPTH, &number))
		return fail(w, at, BEYOND);
	if (!check_rank(w, at, peer, RANK_LIMIT) || !check_tag(w, at, number))
		return false;
	if (!w->to)
		return true;
	e.peer += (uint32_t)peer * !advance_is_none(steps->of_peer);
	if (e.kind != EVENT_SYNC) {
		struct tag tag = *dictionary_get_tag(d, e.subject);
		tag.number += (uint64_t)number;
		e.subject = dictionary_tag(d, &tag);
	}
	*event = dictionary_event(d, &e);
	return true;
}

/* The form with the indices put in. False where 64 bits do not suffice. */
static bool put_indices(const struct walker *w, struct form *form, const struct steps *steps)
{
	bool good = advance_add(&steps->of_number, w->index, INDEX_DEPTH, &form->value.plain.constant);
	if (form->peer.kind != PLACE_GRID) {
		good = good && advance_add(steps->of_peer, w->index, INDEX_DEPTH, &form->peer.number);
		if (form->peer.kind == PLACE_RING && !advance_is_none(steps->of_peer))
			form->peer.number = grid_nearest(form->peer.number, (uint32_t)form->peer.modulus);
		return good;
	}
	for (uint32_t i = 0; i < w->f->grid.axes; i++) {
		int64_t *constant = &form->peer.axis[i].constant;
		good = good && advance_add(&steps->of_peer[i], w->index, INDEX_DEPTH, constant);
		if (!advance_is_none(&steps->of_peer[i]))
			*constant = grid_nearest(*constant, w->f->grid.size[i]);
	}
	return good;
}

/* What does not advance has been checked. The same is added to the tag on all its processes. */
static bool check_instance(struct walker *w, size_t at, const struct form *form, const struct steps *steps)
{
	int64_t least = w->least[at];
	struct ranks who = dictionary_get_ranks(w->f->dictionary, w->f->statement[at].set);
	uint32_t first = who.run->first, last = who.run[who.length - 1].last, processes = w->f->processes;
	if (form->peer.kind == PLACE_NUMBER && !check_rank(w, at, form->peer.number, RANK_LIMIT))
		return false;
	if (form->peer.kind == PLACE_OFFSET &&
		(!check_rank(w, at, first + form->peer.number, processes) || !check_rank(w, at, last + form->peer.number, processes)))
		return false;
	if (advance_is_none(&steps->of_number))
		return true;
	return advance_add(&steps->of_number, w->index, INDEX_DEPTH, &least) ? check_tag(w, at, least) : fail(w, at, BEYOND);
}

static bool form_instance(struct walker *w, size_t at, uint32_t *event)
{
	const struct statement *s = &w->f->statement[at];
	const struct steps *steps = program_steps(w->f, s);
	struct form form = *program_get_form(w->f, s->event);
	if (!put_indices(w, &form, steps))
		return fail(w, at, BEYOND);
	if (!check_instance(w, at, &form, steps))
		return false;
	if (form.varies && !advance_is_none(&steps->of_number) && value_is_constant(&form.value)) {
		form.varies = 0;
		form.number = (uint64_t)form.value.plain.constant;
		form.value = value_of(0);
	}
	if (w->to)
		*event = program_form(w->to, &form);
	return true;
}

/* ------------------------------------------------------------------ single questions */

/* There may be fewer indices than a statement can use. */
static void copy_indices(struct walker *w, uint32_t used, const int64_t *index)
{
	for (unsigned d = 0; d < INDEX_DEPTH; d++)
		w->index[d] = used >> d & 1 ? index[d] : 0;
}

uint64_t program_count(const struct program *f, size_t at, const int64_t *index)
{
	const struct statement *s = &f->statement[at];
	const struct steps *steps = program_steps(f, s);
	int64_t number = steps->number;
	if (s->steps == STEPS_NONE)
		return s->count;
	bool good = advance_add(&steps->of_number, index, INDEX_DEPTH, &number);
	assert(good);
	(void)good;
	return number < 0 ? 0 : (uint64_t)number;
}

uint32_t program_event_at(struct program *f, size_t at, uint32_t rank, const int64_t *index)
{
	const struct statement *s = &f->statement[at];
	const struct steps *steps = program_steps(f, s);
	struct instances_error wrong;
	struct walker w = {.f = f, .to = f, .wrong = &wrong};
	uint32_t event = s->event;
	bool good = true;
	copy_indices(&w, used_in_steps(steps), index);
	if (s->set == STATEMENT_PLAIN) {
		good = s->steps == STEPS_NONE || plain_instance(&w, at, &event);
		assert(good);
		return event_as(f->dictionary, event, rank);
	}
	struct form form = *program_get_form(f, event);
	good = put_indices(&w, &form, steps);
	assert(good);
	(void)good;
	return program_event(f, &form, rank);
}

static bool uses(const struct program *f, size_t from, size_t to, unsigned depth)
{
	bool used = false;
	for (size_t i = from; i < to && !used; i++)
		used = used_in_steps(program_steps(f, &f->statement[i])) >> depth & 1;
	return used;
}

bool program_index_used(const struct program *f, size_t loop)
{
	unsigned depth = 0; /* loops around it */
	for (size_t i = 0; i < loop;) {
		bool around = i + statement_size(&f->statement[i]) > loop;
		depth += around;
		i += around ? 1 : statement_size(&f->statement[i]);
	}
	return depth < INDEX_DEPTH && uses(f, loop + 1, loop + f->statement[loop].size, depth);
}

/* ------------------------------------------------------------------ walking */

static bool walk_body(struct walker *w, size_t from, size_t to, uint32_t depth, uint64_t *events);

static bool spend(struct walker *w, size_t at)
{
	return w->budget-- > 0 || fail(w, at, "it stands for too many statements that differ");
}

static bool spend_executed(struct walker *w, size_t at, uint64_t processes)
{
	if (w->executed < processes)
		return fail(w, at, "it stands for too many statements that differ, counted for each of their processes");
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

static bool walk_iterations(struct walker *w, size_t loop, uint64_t count, uint32_t depth, uint64_t *events)
{
	const struct statement *s = &w->f->statement[loop];
	for (uint64_t k = 0; k < count; k++) {
		if (depth < INDEX_DEPTH)
			w->index[depth] = (int64_t)k;
		if (!spend(w, loop) || !walk_body(w, loop + 1, loop + s->size, depth + 1, events))
			return false;
	}
	return true;
}

static bool walk_loop(struct walker *w, size_t at, uint32_t depth, uint64_t *events)
{
	const struct statement *s = &w->f->statement[at];
	uint64_t count, once = 0;
	if (!loop_count(w, at, &count))
		return false;
	if (uses_index(w, at, depth) || (s->steps != STEPS_NONE && count <= 2))
		return walk_iterations(w, at, count, depth, events);
	size_t opened = w->to ? program_open(w->to, s->set, count) : 0;
	if (depth < INDEX_DEPTH)
		w->index[depth] = 0;
	if (!walk_body(w, at + 1, at + s->size, depth + 1, &once))
		return false;
	if (w->to)
		program_close(w->to, opened);
	*events = saturating_add(*events, saturating_multiply(once, count));
	return true;
}

static bool walk_event(struct walker *w, size_t at, uint64_t *events)
{
	const struct statement *s = &w->f->statement[at];
	uint32_t event = s->event;
	bool good = s->steps == STEPS_NONE || (s->set == STATEMENT_PLAIN ? plain_instance : form_instance)(w, at, &event);
	if (good && w->to)
		program_add(w->to, s->set, event);
	struct ranks_run single;
	struct ranks who = program_processes(w->f, s, &single);
	uint64_t processes = ranks_count(&who);
	*events = saturating_add(*events, processes);
	return good && spend_executed(w, at, processes);
}

/* Recursion as deep as loops nest. */
static bool walk_body(struct walker *w, size_t from, size_t to, uint32_t depth, uint64_t *events)
{
	for (size_t i = from; i < to; i += statement_size(&w->f->statement[i])) {
		if (!spend(w, i))
			return false;
		if (!(statement_is_loop(&w->f->statement[i]) ? walk_loop(w, i, depth, events) : walk_event(w, i, events)))
			return false;
	}
	return true;
}

static bool walk(struct walker *w, uint64_t *statements, uint64_t *events)
{
	uint64_t budget = INSTANCES_LIMIT + w->f->length, none = 0;
	w->budget = budget;
	w->executed = INSTANCES_EXECUTED_LIMIT + executed_once(w->f);
	w->used = mem_array(w->f->length, sizeof *w->used);
	mark_used(w, 0, w->f->length);
	find_least(w);
	if (events)
		*events = 0;
	bool good = walk_body(w, 0, w->f->length, 0, events ? events : &none);
	if (statements)
		*statements = budget - w->budget;
	free(w->used);
	free(w->least);
	return good;
}

bool instances_count(const struct program *f, uint64_t *statements, uint64_t *events, struct instances_error *wrong)
{
	struct walker w = {.f = f, .wrong = wrong};
	return walk(&w, statements, events);
}

void instances_write(struct program *f)
{
	if (!program_varies(f))
		return;
	struct program to = *f;
	to.statement = NULL;
	to.length = to.capacity = 0;
	struct instances_error wrong;
	struct walker w = {.f = f, .wrong = &wrong, .to = &to};
	bool good = walk(&w, NULL, NULL);
	assert(good);
	(void)good;
	free(f->statement);
	*f = to;
}
