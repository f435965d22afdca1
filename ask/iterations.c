/*
 * iterations.c -- what is under way knows the iterations that it comes from.
 *
 * A message (a collective's first member) leaves its statement and the indices of all loops around
 * as an origin, and whoever receives it compares: from the outside in, loop by loop that both stand
 * in. The first index that differs is of the loop that is crossed.
 */
#include "ask/iterations.h"

#include <stdlib.h>
#include <string.h>

#include "ask/execution.h"
#include "ask/groups.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

#define NO_LOOP SIZE_MAX

/* Where a message under way, or the first member of a collective, comes from. */
struct origin {
	uint32_t process;
	size_t statement;
	size_t next; /* of those that are free: 1 + the next */
};

/* A collective that some have come to. */
struct meeting {
	uint64_t members; /* that have come */
	size_t origin;
};

struct run {
	struct program *program;
	size_t *around; /* by statement: the loop around, NO_LOOP at the root */
	uint32_t *depth; /* by statement: loops around */
	struct groups **groups; /* by statement: of loops of which they were asked */
	bool *uneven, *apart; /* by statement: does a loop's count depend on the process; is it crossed? */
	uint32_t deepest;
	struct origin *origin;
	int64_t *index; /* of all origins, `deepest` each */
	size_t origins, origin_capacity, index_capacity, free_origin;
	struct intern *meetings, *ordinals; /* hashes of 64 bits, taken for what was hashed */
	struct meeting *meeting;
	uint64_t *ordinal; /* collectives on a channel that a member has come to */
	size_t meeting_capacity, ordinal_capacity;
	enum iterations_answer answer;
	struct iterations *found;
};

/* ------------------------------------------------------------------ the program */

/* Recursion as deep as loops nest. */
static void note_around(struct run *r, size_t from, size_t to, size_t loop, uint32_t depth)
{
	const struct statement *s = r->program->statement;
	r->deepest = depth > r->deepest ? depth : r->deepest;
	for (size_t i = from; i < to; i += statement_size(&s[i])) {
		r->around[i] = loop;
		r->depth[i] = depth;
		if (statement_is_loop(&s[i]))
			note_around(r, i + 1, i + s[i].size, i, depth + 1);
	}
}

/* Does the process talk to another one in this loop? Where it does not, its iterations are its own
   matter. */
static bool is_joint(struct run *r, size_t loop, uint32_t process)
{
	if (!r->groups[loop]) {
		r->groups[loop] = mem_alloc(sizeof **r->groups);
		*r->groups[loop] = groups_of_loop(r->program, loop);
	}
	const struct groups *g = r->groups[loop];
	if (!g->of)
		return r->program->processes > 1 && g->count;
	uint32_t members = 0;
	for (uint32_t p = 0; p < r->program->processes && members < 2; p++)
		members += g->of[p] == g->of[process];
	return members > 1;
}

/* ------------------------------------------------------------------ origins */

static size_t keep_origin(struct run *r, uint32_t process, const struct walk *walk)
{
	size_t loops, at = r->free_origin;
	const int64_t *index = walk_indices(walk, &loops);
	if (at) {
		r->free_origin = r->origin[at - 1].next;
	} else {
		at = ++r->origins;
		r->origin = mem_grow(r->origin, &r->origin_capacity, at, sizeof *r->origin);
		r->index = mem_grow(r->index, &r->index_capacity, at * r->deepest + 1, sizeof *r->index);
	}
	r->origin[at - 1] = (struct origin){.process = process, .statement = walk_statement(walk)};
	if (loops)
		memcpy(r->index + (at - 1) * r->deepest, index, loops * sizeof *index);
	return at;
}

static void forget_origin(struct run *r, size_t at)
{
	r->origin[at - 1].next = r->free_origin;
	r->free_origin = at;
}

/* The outermost loop that both are in, in different iterations; NO_LOOP: there is none. */
static size_t crossed(
	const struct run *r, const struct origin *from, const int64_t *there, size_t statement, const int64_t *here)
{
	size_t a = from->statement, b = statement, loop = NO_LOOP;
	while (r->depth[a] > r->depth[b])
		a = r->around[a];
	while (r->depth[b] > r->depth[a])
		b = r->around[b];
	for (; r->depth[a]; a = r->around[a], b = r->around[b])
		if (r->around[a] == r->around[b] && here[r->depth[a] - 1] != there[r->depth[a] - 1])
			loop = r->around[a];
	return loop;
}

/* False: it crosses, and that is all that was asked. What is inside of a loop whose processes are
   apart is not compared. */
static bool compare(
	struct run *r, size_t origin, uint32_t process, const struct walk *walk, const struct plain_event *e)
{
	size_t loops, statement = walk_statement(walk);
	const struct origin *from = &r->origin[origin - 1];
	const int64_t *here = walk_indices(walk, &loops), *there = r->index + (origin - 1) * r->deepest;
	size_t loop = crossed(r, from, there, statement, here);
	if (loop == NO_LOOP) {
		bool misplaced = e->kind == EVENT_RECV && from->process != process && statement < from->statement &&
				 r->depth[statement] && r->around[statement] == r->around[from->statement];
		if (misplaced && !r->found->misplaced) {
			r->found->misplaced = true;
			r->found->receive = statement;
		}
		return true;
	}
	if (r->uneven[loop]) {
		r->found->apart += !r->apart[loop];
		r->apart[loop] = true;
		return true;
	}
	if (from->process == process && !is_joint(r, loop, process))
		return true;
	r->answer = ITERATIONS_CROSSED;
	r->found->loop = loop;
	plain_event_print(r->program->dictionary, e, &r->found->event);
	r->found->here = here[r->depth[loop]];
	r->found->there = there[r->depth[loop]];
	return false;
}

/* ------------------------------------------------------------------ the run */

static uint64_t ordinal_of(struct run *r, uint64_t channel, uint32_t process)
{
	uint64_t key = hash_pair(channel, process);
	uint32_t known = intern_count(r->ordinals), id = intern_id(r->ordinals, &key, sizeof key);
	if (id == known) {
		r->ordinal = mem_grow(r->ordinal, &r->ordinal_capacity, (size_t)id + 1, sizeof *r->ordinal);
		r->ordinal[id] = 0;
	}
	return r->ordinal[id]++;
}

static bool meet(struct run *r, uint32_t process, const struct walk *walk, const struct plain_event *e)
{
	struct ranks group = dictionary_get_ranks(r->program->dictionary, e->group);
	uint64_t channel = hash_pair(hash_pair(e->word, e->group), (uint64_t)e->communicator),
		 key = hash_pair(channel, ordinal_of(r, channel, process));
	uint32_t id = intern_find(r->meetings, &key, sizeof key);
	if (id == INTERN_NONE) {
		id = intern_id(r->meetings, &key, sizeof key);
		r->meeting = mem_grow(r->meeting, &r->meeting_capacity, (size_t)id + 1, sizeof *r->meeting);
		r->meeting[id] = (struct meeting){0, keep_origin(r, process, walk)};
	}
	struct meeting *m = &r->meeting[id];
	if (!compare(r, m->origin, process, walk, e))
		return false;
	if (++m->members == ranks_count(&group)) {
		forget_origin(r, m->origin);
		intern_forget(r->meetings, id);
	}
	return true;
}

static uint64_t comes(void *context, uint32_t rank, const struct walk *walk, const struct plain_event *e)
{
	return e->kind == EVENT_SEND ? keep_origin(context, rank, walk) : 0;
}

static bool done(void *context, uint32_t rank, const struct walk *walk, const struct plain_event *e, uint64_t mark)
{
	struct run *r = context;
	if (e->kind == EVENT_SYNC)
		return meet(r, rank, walk, e);
	if (e->kind != EVENT_RECV)
		return true;
	bool kept = compare(r, (size_t)mark, rank, walk, e);
	forget_origin(r, (size_t)mark);
	return kept;
}

static void note_uneven(struct run *r, const struct program *program, const size_t *origin)
{
	for (size_t i = 0; i < r->program->length; i++) {
		const struct statement *s = &program->statement[origin[i]];
		struct value count = value_of(0);
		if (statement_is_loop(s) && statement_guard(s) == GUARD_NONE)
			count = program_bound(program, s);
		r->uneven[i] = !value_is_uniform(&count);
	}
}

static void run_all(struct run *r)
{
	struct execution_client client = {r, comes, done};
	struct execution *x = execution_new(r->program, &client);
	r->answer = ITERATIONS_KEPT;
	if (!execution_run(x))
		r->answer = ITERATIONS_UNKNOWN;
	execution_free(x);
}

enum iterations_answer iterations_run(const struct program *program, uint64_t budget, struct iterations *found)
{
	*found = (struct iterations){0};
	if (program_events(program) > budget)
		return ITERATIONS_UNKNOWN;
	size_t *origin, length;
	struct run r = {.program = program_even(program, &origin), .found = found};
	length = r.program->length;
	r.around = mem_array(length, sizeof *r.around);
	r.depth = mem_array(length, sizeof *r.depth);
	r.groups = mem_zero(length * sizeof *r.groups);
	r.uneven = mem_zero(length * sizeof *r.uneven);
	r.apart = mem_zero(length * sizeof *r.apart);
	note_uneven(&r, program, origin);
	r.meetings = intern_new_keys(sizeof(uint64_t));
	r.ordinals = intern_new_keys(sizeof(uint64_t));
	note_around(&r, 0, length, NO_LOOP, 0);
	run_all(&r);
	if (r.answer == ITERATIONS_CROSSED)
		found->loop = origin[found->loop];
	if (found->misplaced)
		found->receive = origin[found->receive];
	for (size_t i = 0; i < length; i++)
		if (r.groups[i]) {
			groups_clear(r.groups[i]);
			free(r.groups[i]);
		}
	free(r.around);
	free(r.depth);
	free(r.groups);
	free(r.uneven);
	free(r.apart);
	free(r.origin);
	free(r.index);
	free(r.meeting);
	free(r.ordinal);
	intern_free(r.meetings);
	intern_free(r.ordinals);
	free(origin);
	program_free(r.program);
	return r.answer;
}

void iterations_clear(struct iterations *found)
{
	text_clear(&found->event);
	*found = (struct iterations){0};
}
