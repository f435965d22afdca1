/*
 * groups.c -- processes joined by what they pass on: first the members of collectives, then, where
 * these do not join all, the ends of messages.
 */
#include "ask/groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/channels.h"
#include "ask/messages.h"
#include "ask/neighbours.h"
#include "ask/plain_event.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/union_find.h"
#include "model/iteration.h"

struct joining {
	const struct program *program;
	size_t from, to; /* statements inside */
	uint32_t *parent; /* by process */
	uint32_t first; /* of a loop that holds all together */
	bool *inside; /* by process: has it events? */
	uint64_t alone; /* those that have, less the joins that there have been */
	bool messages; /* are messages looked at, or collectives? */
	bool tagless; /* tags tell no channels apart: they are functions of indices, of which few are looked at */
	struct channels *channels; /* of messages, */
	struct dictionary *tags; /* whose tags are numbered here */
	struct intern *syncs;
	uint32_t *member; /* by collective: the process met first */
	size_t member_capacity;
	int64_t index[INDEX_DEPTH];
	uint32_t all; /* of which all values are gone through, a bit each; the others are 0 */
};

/* ------------------------------------------------------------------ joining */

static void join(void *joining, uint32_t a, uint32_t b)
{
	struct joining *j = joining;
	j->alone -= union_find_join(j->parent, a, b);
}

/* axes: a bit each of those that the group goes along, where it lies on the grid. */
static void join_member(struct joining *j, const struct plain_event *e, uint32_t axes)
{
	uint64_t sync[] = {(uint64_t)e->word << 32 | e->group, (uint64_t)e->communicator, axes};
	uint32_t known = intern_count(j->syncs), id = intern_id(j->syncs, sync, sizeof sync);
	if (id == known) {
		j->member = mem_grow(j->member, &j->member_capacity, (size_t)id + 1, sizeof *j->member);
		j->member[id] = e->process;
	}
	join(j, j->member[id], e->process);
}

static void add_end(void *context, const struct channel *channel, bool sends)
{
	struct joining *j = context;
	struct channel c = {channel->from, channel->to, j->tagless ? 0 : channel->tag};
	channels_pass(j->channels, &c, sends, 1);
}

/* A line or plane of the grid is named by its axes and its lowest process; others are told by their
   communicators. */
static void join_members(struct joining *j, size_t at)
{
	struct ranks_run single;
	struct ranks who = program_processes(j->program, &j->program->statement[at], &single);
	struct ranks_walk walk = {0};
	struct plain_statement s;
	struct plain_event e;
	plain_statement_of(j->program, at, &s);
	uint32_t axes = 0;
	for (uint32_t i = 0; i < j->program->grid.axes && j->program->statement[at].set != STATEMENT_PLAIN; i++)
		axes |= (uint32_t)(s.form.area.kind == AREA_ON_GRID && s.form.area.all[i]) << i;
	for (uint32_t p; ranks_next(&who, &walk, &p);) {
		struct spot spot = grid_spot(&j->program->grid, p);
		plain_statement_event(&s, &spot, j->index, &e);
		if (e.group == PLAIN_GROUP_OF_AREA)
			e.group = UINT32_MAX - (uint32_t)program_group_number(j->program, &s.form, &spot);
		join_member(j, &e, axes);
	}
}

/* Indices in which peers inside are functions, a bit each. */
static uint32_t peers_depend_on(const struct program *p, size_t from, size_t to)
{
	uint32_t used = 0;
	for (size_t i = from; i < to; i++) {
		const struct statement *s = &p->statement[i];
		if (statement_is_loop(s) || s->set == STATEMENT_PLAIN)
			continue;
		struct form form = program_get_form(p, s->event);
		used |= place_indices(&form.peer);
	}
	return used;
}

/* By one of a loop at this depth or below. */
static bool has_tags_by_index(const struct program *p, size_t from, size_t to, uint32_t depth)
{
	bool any = false;
	for (size_t i = from; i < to && !any; i++) {
		const struct statement *s = &p->statement[i];
		if (statement_is_loop(s) || s->set == STATEMENT_PLAIN)
			continue;
		struct form form = program_get_form(p, s->event);
		any = form.numbered && form.varies && depth < INDEX_DEPTH && value_indices(&form.value) >> depth;
	}
	return any;
}

/* After so many iterations of this index a peer is the same again; UINT64_MAX: perhaps never. */
static uint64_t period_of(const struct program *p, const struct place *peer, uint32_t depth)
{
	if (!(place_indices(peer) >> depth & 1))
		return 1;
	if (place_asks_table(peer))
		return UINT64_MAX;
	if (peer->kind != PLACE_GRID)
		return peer->kind == PLACE_RING && value_is_quasi_affine(&peer->value) &&
				       !peer->value.remainder[0].modulus
			       ? (uint64_t)peer->modulus
			       : UINT64_MAX;
	uint64_t period = 1;
	for (uint32_t a = 0; a < p->grid.axes; a++)
		period *= p->grid.size[a];
	return period;
}

/* Iterations after which all has been said that can be said of who is joined with whom: what is
   received may be of the round before. */
static uint64_t rounds(const struct program *p, size_t from, size_t to, uint32_t depth)
{
	uint64_t period = 1;
	for (size_t i = from; i < to; i++) {
		const struct statement *s = &p->statement[i];
		if (statement_is_loop(s) && program_indices(p, s) >> depth & 1)
			return UINT64_MAX;
		if (statement_is_loop(s) || s->set == STATEMENT_PLAIN)
			continue;
		struct form form = program_get_form(p, s->event);
		uint64_t own = period_of(p, &form.peer, depth);
		if (own > 1 && period > 1 && own != period)
			return UINT64_MAX;
		period = own > period ? own : period;
	}
	return period > UINT64_MAX / 2 ? UINT64_MAX : 2 * period;
}

/* Recursion as deep as loops nest. */
static void visit(struct joining *j, size_t from, size_t to, uint32_t depth)
{
	const struct program *p = j->program;
	for (size_t i = from; i < to && j->alone > 1; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		if (!statement_is_loop(s)) {
			if (j->messages)
				messages_each(p, j->tags, i, j->index, add_end, j);
			else if (statement_kind(p, s) == EVENT_SYNC)
				join_members(j, i);
			continue;
		}
		uint32_t indices = peers_depend_on(p, i + 1, i + s->size);
		bool known = !(program_indices(p, s) & ~j->all), none = known && !program_count(p, i, j->index);
		if (indices && none) /* others are met inside, or at another time */
			continue;
		if (statement_guard(s) != GUARD_NONE) { /* has no index */
			visit(j, i + 1, i + s->size, depth + 1);
			continue;
		}
		bool all = depth < INDEX_DEPTH && indices >> depth & 1;
		uint64_t count = all ? program_count(p, i, j->index) : 1,
			 enough = all ? rounds(p, i + 1, i + s->size, depth) : 1;
		count = count || known ? count : 1; /* in another iteration of one around */
		struct iteration k = iteration_start(all ? &j->index[depth] : NULL, count < enough ? count : enough, 0);
		j->all |= (uint32_t)all << depth;
		while (iteration_step(&k) && j->alone > 1)
			visit(j, i + 1, i + s->size, depth + 1);
		j->all &= ~((uint32_t)all << depth);
	}
}

/* Those who do something in these statements, as often as there are such. */
static void each_process(struct joining *j, size_t from, size_t to, void (*take)(struct joining *, uint32_t process))
{
	for (size_t i = from; i < to; i++) {
		if (statement_is_loop(&j->program->statement[i]))
			continue;
		struct ranks_run single;
		struct ranks who = program_processes(j->program, &j->program->statement[i], &single);
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_next(&who, &walk, &p);)
			take(j, p);
	}
}

static void join_first(struct joining *j, uint32_t p)
{
	j->first = j->first == NO_GROUP ? p : j->first;
	join(j, j->first, p);
}

/* A loop without a set holds all together who do something inside. */
static void join_whole(struct joining *j, size_t loop)
{
	j->first = NO_GROUP;
	each_process(j, loop + 1, loop + j->program->statement[loop].size, join_first);
}

static void join_whole_loops(struct joining *j)
{
	for (size_t i = j->from; i < j->to; i++) {
		const struct statement *s = &j->program->statement[i];
		if (!statement_is_loop(s) || s->set != STATEMENT_PLAIN || statement_guard(s) != GUARD_NONE)
			continue;
		join_whole(j, i);
		i += s->size - 1;
	}
}

static void note_inside(struct joining *j, uint32_t p)
{
	j->alone += !j->inside[p];
	j->inside[p] = true;
}

static uint32_t depth_of(const struct program *p, size_t at)
{
	uint32_t depth = 0;
	for (size_t i = 0; i < at;) {
		bool around = i + statement_size(&p->statement[i]) > at;
		depth += around;
		i += around ? 1 : statement_size(&p->statement[i]);
	}
	return depth;
}

/* In place of the parents: numbers by the lowest processes. */
static void number_groups(struct joining *j, uint32_t *count)
{
	uint32_t processes = j->program->processes, *number = mem_array(processes, sizeof *number);
	*count = 0;
	for (uint32_t p = 0; p < processes; p++) {
		uint32_t root = j->inside[p] ? union_find_root(j->parent, p) : NO_GROUP;
		number[p] = root == p ? (*count)++ : root == NO_GROUP ? NO_GROUP : number[root];
	}
	memcpy(j->parent, number, processes * sizeof *number);
	free(number);
}

/* One process has none to be apart from. */
static bool is_one_group(const struct program *p, const struct statement *s)
{
	if (s->set == STATEMENT_PLAIN)
		return true;
	struct ranks who = dictionary_get_ranks(p->dictionary, s->set);
	return ranks_count(&who) == 1;
}

static bool is_divergent(const struct program *p, const struct statement *s)
{
	struct value count = program_bound(p, s);
	return !value_is_uniform(&count);
}

/* Loops inside whose counts depend on the process are taken apart first. */
static struct groups groups_of_divergent(const struct program *program, size_t loop)
{
	size_t *from_part, *from_uniform, at = 0;
	struct program *part = program_part(program, loop, &from_part), *uniform = program_uniform(part, &from_uniform);
	while (at < uniform->length && from_part[from_uniform[at]] != loop)
		at++;
	struct groups g = {.count = 1};
	if (at < uniform->length)
		g = groups_of_loop(uniform, at);
	free(from_part);
	free(from_uniform);
	program_free(part);
	program_free(uniform);
	return g;
}

static bool has_divergent(const struct program *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (statement_is_loop(&p->statement[i]) && is_divergent(p, &p->statement[i]))
			return true;
	return false;
}

/* Where each goes through it as often as its own count says, there is no telling groups. */
struct groups groups_of_loop(const struct program *program, size_t loop)
{
	const struct statement *s = &program->statement[loop];
	if (is_one_group(program, s) || is_divergent(program, s))
		return (struct groups){.count = 1};
	if (has_divergent(program, loop + 1, loop + s->size))
		return groups_of_divergent(program, loop);
	uint32_t depth = depth_of(program, loop);
	if (neighbours_join_all(program, loop, depth))
		return (struct groups){.count = 1};
	struct joining j = {.program = program, .from = loop + 1, .to = loop + s->size};
	j.parent = mem_array(program->processes, sizeof *j.parent);
	j.inside = mem_zero(program->processes);
	j.tags = dictionary_new();
	j.syncs = intern_new();
	union_find_start(j.parent, program->processes);
	each_process(&j, j.from, j.to, note_inside);
	join_whole_loops(&j);
	visit(&j, loop, loop + 1, depth);
	j.messages = true;
	j.tagless = has_tags_by_index(program, j.from, j.to, depth);
	j.channels = j.alone > 1 ? channels_new(program->processes) : NULL;
	visit(&j, loop, loop + 1, depth);
	if (j.alone > 1)
		channels_join(j.channels, join, &j);
	struct groups result = {.count = (uint32_t)j.alone};
	if (j.alone > 1) {
		number_groups(&j, &result.count);
		result.of = j.parent;
	} else {
		free(j.parent);
	}
	free(j.inside);
	channels_free(j.channels);
	dictionary_free(j.tags);
	intern_free(j.syncs);
	free(j.member);
	return result;
}

void groups_clear(struct groups *g)
{
	free(g->of);
	*g = (struct groups){0};
}

/* ------------------------------------------------------------------ as remarks */

/* So many groups are told one by one; of more, the first ones. */
enum { TOLD = 4, TOLD_OF_MORE = 2 };

/* In brackets where it has commas of its own. */
static void put_set(const struct ranks *set, struct text *out)
{
	struct text words = {0};
	ranks_print_short(set, &words);
	text_format(out, strchr(words.data, ',') ? "[%s]" : "%s", words.data);
	text_clear(&words);
}

/* Where tables tell each process its peers, and each has its own, there is nothing to be seen side
   by side. */
static bool looks_up_peers(const struct program *p, size_t loop)
{
	for (size_t i = loop + 1; i < loop + p->statement[loop].size; i++) {
		const struct statement *s = &p->statement[i];
		if (statement_is_loop(s) || s->set == STATEMENT_PLAIN)
			continue;
		struct form form = program_get_form(p, s->event);
		if (place_asks_table(&form.peer))
			return true;
	}
	return false;
}

void groups_remark(const void *context, size_t at, struct text *out)
{
	const struct program *program = context;
	const struct statement *s = &program->statement[at];
	if (!statement_is_loop(s) || is_one_group(program, s) || looks_up_peers(program, at))
		return;
	struct groups g = groups_of_loop(program, at);
	uint32_t told = g.count <= TOLD ? g.count : TOLD_OF_MORE;
	struct ranks member[TOLD] = {0};
	for (uint32_t p = 0; g.count > 1 && p < program->processes; p++)
		if (g.of[p] < told)
			ranks_add(&member[g.of[p]], p);
	for (uint32_t i = 0; g.count > 1 && i < told; i++) {
		text_put(out, i ? ", " : "");
		if (!i)
			text_format(out, "%" PRIu32 " side by side: ", g.count);
		put_set(&member[i], out);
		ranks_clear(&member[i]);
	}
	text_put(out, told < g.count && g.count > 1 ? ", ..." : "");
	groups_clear(&g);
}

struct program_remarks groups_remarks(const struct program *program)
{
	return (struct program_remarks){.context = program, .behind = groups_remark, .procedures = true};
}
