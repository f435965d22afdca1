/*
 * groups.c -- processes joined by what they pass on.
 *
 * Sends are entered into a table under a hash of their channel (source, destination, tag), receives look there for the sender. Members of a sync find each
 * other by its channel likewise. Where one sync joins all, nothing else is looked at.
 */
#include "ask/groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/plain_event.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/union_find.h"

/* Processes under hashes of 64 bits, which are taken for what was hashed. */
struct meetings {
	struct meeting {
		uint64_t key; /* 0: free */
		uint32_t process;
	} * slot;
	size_t size, used;
};

struct joining {
	const struct program *program;
	size_t from, to; /* statements inside */
	uint32_t *parent; /* by process */
	bool *inside; /* by process: has it events? */
	uint64_t alone; /* those that have, less the joins that there have been */
	struct meetings meetings;
	int64_t index[INDEX_DEPTH];
};

/* ------------------------------------------------------------------ meetings */

static struct meeting *find(struct meetings *m, uint64_t key)
{
	size_t at = key & (m->size - 1);
	while (m->slot[at].key && m->slot[at].key != key)
		at = (at + 1) & (m->size - 1);
	return &m->slot[at];
}

static void grow(struct meetings *m)
{
	struct meetings larger = {.size = m->size ? 2 * m->size : 1024};
	larger.slot = mem_zero(larger.size * sizeof *larger.slot);
	for (size_t i = 0; i < m->size; i++)
		if (m->slot[i].key)
			*find(&larger, m->slot[i].key) = m->slot[i];
	larger.used = m->used;
	free(m->slot);
	*m = larger;
}

static struct meeting *enter(struct meetings *m, uint64_t key, uint32_t process)
{
	if (3 * m->used >= 2 * m->size)
		grow(m);
	struct meeting *here = find(m, key);
	if (!here->key) {
		*here = (struct meeting){key, process};
		m->used++;
	}
	return here;
}

/* ------------------------------------------------------------------ joining */

static void join(struct joining *j, uint32_t a, uint32_t b)
{
	if (union_find_root(j->parent, a) == union_find_root(j->parent, b))
		return;
	union_find_join(j->parent, a, b);
	j->alone--;
}

static uint64_t key_of_message(const struct plain_event *e)
{
	bool sends = e->kind == EVENT_SEND;
	uint64_t ends = sends ? hash_pair(e->process, e->peer) : hash_pair(e->peer, e->process);
	uint64_t tag = hash_pair(hash_pair((uint64_t)e->word << 1 | e->numbered, e->number), (uint64_t)e->communicator);
	return hash_pair(ends, tag) | 1;
}

static uint64_t key_of_sync(const struct plain_event *e)
{
	return hash_pair(hash_pair(e->word, e->group), (uint64_t)e->communicator) << 1 | 2;
}

/* A line or plane of the grid is named by its lowest process. */
static uint32_t lowest_of_area(const struct joining *j, const struct plain_statement *s, const struct spot *spot)
{
	struct ranks group = {0};
	area_at(&s->form.area, &j->program->grid, spot, &group);
	uint32_t lowest = group.run->first;
	ranks_clear(&group);
	return lowest;
}

static void meet(struct joining *j, const struct plain_statement *s, uint32_t process, enum event_kind kind)
{
	struct spot spot = grid_spot(&j->program->grid, process);
	struct plain_event e;
	plain_statement_event(s, &spot, j->index, &e);
	if (kind == EVENT_SYNC) {
		if (e.group == PLAIN_GROUP_OF_AREA)
			e.group = UINT32_MAX - lowest_of_area(j, s, &spot);
		join(j, enter(&j->meetings, key_of_sync(&e), process)->process, process);
	} else if (kind == EVENT_SEND) {
		enter(&j->meetings, key_of_message(&e), process);
	} else if (j->meetings.size) {
		const struct meeting *sender = find(&j->meetings, key_of_message(&e));
		if (sender->key)
			join(j, sender->process, process);
	}
}

static enum event_kind kind_of(const struct program *p, const struct statement *s)
{
	return s->set == STATEMENT_PLAIN ? dictionary_get_event(p->dictionary, s->event)->kind : program_get_form(p, s->event).kind;
}

static void meet_all(struct joining *j, size_t at, enum event_kind kind)
{
	struct ranks_run single;
	struct ranks who = program_processes(j->program, &j->program->statement[at], &single);
	struct ranks_walk walk = {0};
	struct plain_statement s;
	plain_statement_of(j->program, at, &s);
	for (uint32_t p; ranks_next(&who, &walk, &p);)
		meet(j, &s, p, kind);
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

/* Recursion as deep as loops nest. */
static void visit(struct joining *j, size_t from, size_t to, uint32_t depth, enum event_kind kind)
{
	const struct program *p = j->program;
	for (size_t i = from; i < to && j->alone > 1; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		if (!statement_is_loop(s)) {
			if (kind_of(p, s) == kind)
				meet_all(j, i, kind);
			continue;
		}
		bool all = depth < INDEX_DEPTH && peers_depend_on(p, i + 1, i + s->size) >> depth & 1;
		uint64_t count = all ? program_count(p, i, j->index) : 1;
		for (uint64_t k = 0; k < count && j->alone > 1; k++) {
			if (all)
				j->index[depth] = (int64_t)k;
			visit(j, i + 1, i + s->size, depth + 1, kind);
		}
		if (all)
			j->index[depth] = 0;
	}
}

/* A loop without a set holds all together who do something inside. */
static void join_whole(struct joining *j, size_t loop)
{
	uint32_t first = NO_GROUP;
	for (size_t i = loop + 1; i < loop + j->program->statement[loop].size; i++) {
		if (statement_is_loop(&j->program->statement[i]))
			continue;
		struct ranks_run single;
		struct ranks who = program_processes(j->program, &j->program->statement[i], &single);
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_next(&who, &walk, &p);) {
			first = first == NO_GROUP ? p : first;
			join(j, first, p);
		}
	}
}

static void join_whole_loops(struct joining *j)
{
	for (size_t i = j->from; i < j->to; i++) {
		const struct statement *s = &j->program->statement[i];
		if (!statement_is_loop(s) || s->set != STATEMENT_PLAIN)
			continue;
		join_whole(j, i);
		i += s->size - 1;
	}
}

static void find_inside(struct joining *j)
{
	for (size_t i = j->from; i < j->to; i++) {
		if (statement_is_loop(&j->program->statement[i]))
			continue;
		struct ranks_run single;
		struct ranks who = program_processes(j->program, &j->program->statement[i], &single);
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_next(&who, &walk, &p);) {
			j->alone += !j->inside[p];
			j->inside[p] = true;
		}
	}
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

struct groups groups_of_loop(const struct program *program, size_t loop)
{
	const struct statement *s = &program->statement[loop];
	if (is_one_group(program, s))
		return (struct groups){.count = 1};
	struct joining j = {.program = program, .from = loop + 1, .to = loop + s->size};
	j.parent = mem_array(program->processes, sizeof *j.parent);
	j.inside = mem_zero(program->processes);
	union_find_start(j.parent, program->processes);
	find_inside(&j);
	join_whole_loops(&j);
	static const enum event_kind turn[] = {EVENT_SYNC, EVENT_SEND, EVENT_RECV};
	for (unsigned i = 0; i < sizeof turn / sizeof *turn; i++)
		visit(&j, loop, loop + 1, depth_of(program, loop), turn[i]);
	struct groups result = {.count = (uint32_t)j.alone};
	if (j.alone > 1) {
		number_groups(&j, &result.count);
		result.of = j.parent;
	} else {
		free(j.parent);
	}
	free(j.inside);
	free(j.meetings.slot);
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

void groups_remark(const void *context, size_t at, struct text *out)
{
	const struct program *program = context;
	const struct statement *s = &program->statement[at];
	if (!statement_is_loop(s) || is_one_group(program, s))
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
	return (struct program_remarks){.context = program, .behind = groups_remark};
}
