/*
 * actions.c -- a cursor over the events of a process. Messages of collectives have tags of their
 * own, by group.
 */
#include "replay/actions.h"

#include <stdlib.h>
#include <string.h>

#include "ask/causality.h"
#include "ask/collective_names.h"
#include "ask/event_numbers.h"
#include "base/binary_search.h"
#include "base/mem.h"
#include "replay/tags.h"

/* The members of a group, in the order of their ranks. */
struct members {
	uint32_t *rank, count;
};

struct actions {
	struct actions_options options;
	struct overview overview;
	struct payloads payloads;
	struct member_sets *sets;
	struct members *group; /* by set */
	size_t groups;
	struct tags *tags;
	bool *quiet; /* by line, behind it */
	uint32_t *quiets; /* by line: how many ends before it are quiet */

	/* of the process at hand */
	const struct action_sink *sink;
	struct cursor *cursor;
	/* ... and its collective */
	struct payload payload;
	struct members members;
	enum collective_kind kind;
	bool sized;
	uint32_t tag;
	uint64_t first, most; /* of its messages (decompose.h) */
};

/* ------------------------------------------------------------------ begin and end */

static void find_quiet(struct actions *a)
{
	const struct overview *o = &a->overview;
	a->quiet = causality_quiet(o->run);
	a->quiets = mem_zero((o->lines + 1) * sizeof *a->quiets);
	for (size_t i = 0; i < o->lines; i++)
		a->quiets[o->line[i].end] += a->quiet[i];
	for (size_t i = 1; i <= o->lines; i++)
		a->quiets[i] += a->quiets[i - 1];
}

struct actions *actions_new(struct run *run, const struct actions_options *options)
{
	struct actions *a = mem_zero(sizeof *a);
	a->options = *options;
	overview_of(&a->overview, run);
	a->sets = member_sets_new(run);
	a->tags = tags_new(&a->overview, true);
	a->payloads = payloads_of(&a->overview);
	find_quiet(a);
	return a;
}

void actions_free(struct actions *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->groups; i++)
		free(a->group[i].rank);
	free(a->group);
	tags_free(a->tags);
	free(a->quiet);
	free(a->quiets);
	member_sets_free(a->sets);
	overview_clear(&a->overview);
	free(a);
}

struct actions_facts actions_facts(struct run *run)
{
	struct actions_facts facts = {0};
	enum collective_kind kind;
	struct overview o;
	overview_of(&o, run);
	for (size_t i = 0; i < o.lines; i++) {
		const char *name = overview_word(&o, i);
		bool moves = overview_is_call(&o, i) && overview_match(&o, i) != MATCH_NONE;
		if (overview_match(&o, i) == MATCH_GROUP) {
			bool known = collective_kind_of(name, &kind);
			bool of_window = !strncmp(name, "MPI_Win_", strlen("MPI_Win_"));
			if (!known && collective_scope(name) == SCOPE_GROUP && !facts.unknown && !of_window)
				facts.unknown = name;
			moves = known && kind != COLLECTIVE_BARRIER;
		}
		facts.unsized += moves && !payload_known(&o, i);
	}
	overview_clear(&o);
	return facts;
}

/* ------------------------------------------------------------------ messages */

static void give(const struct actions *a, const struct action *action)
{
	a->sink->take(a->sink->context, action);
}

uint64_t actions_bytes(const struct actions *a, struct cursor *c)
{
	struct event_value v = event_value_at(&c->at, NULL, c->event, a->payloads.bytes);
	return v.there && !v.word && v.number >= 0 ? (uint64_t)v.number : a->options.size;
}

/* ------------------------------------------------------------------ collectives */

static struct members *members_of(struct actions *a, uint32_t set)
{
	if (set >= a->groups) {
		size_t groups = (size_t)set + 1;
		a->group = mem_resize(a->group, groups, sizeof *a->group);
		memset(a->group + a->groups, 0, (groups - a->groups) * sizeof *a->group);
		a->groups = groups;
	}
	struct members *m = &a->group[set];
	if (!m->rank) {
		const struct ranks *ranks = member_set_ranks(a->sets, set);
		struct ranks_walk walk = {0};
		m->rank = mem_array(ranks_count(ranks) + 1, sizeof *m->rank);
		for (uint32_t rank; ranks_next(ranks, &walk, &rank);)
			m->rank[m->count++] = rank;
	}
	return m;
}

static uint32_t number_in(const struct members *m, uint32_t rank)
{
	size_t at;
	SEARCH_FIRST(at, 0, m->count, m->rank[at] >= rank);
	return (uint32_t)at;
}

/* Of those of the vector, the first ones are a byte longer. */
static uint64_t vector_blocks(uint64_t whole, uint32_t n, uint32_t first, uint32_t count)
{
	uint64_t longer = whole % n, end = (uint64_t)first + count;
	return whole / n * count + (end < longer ? end : longer) - (first < longer ? first : longer);
}

static uint64_t blocks_size(void *context, uint32_t from, uint32_t first, uint32_t count)
{
	struct actions *a = context;
	uint64_t bytes = 0;
	switch (a->kind) {
	case COLLECTIVE_GATHER:
	case COLLECTIVE_SCATTER:
	case COLLECTIVE_ALLGATHER:
	case COLLECTIVE_REDUCE_SCATTER:
		for (uint32_t i = 0; i < count && a->sized; i++)
			bytes += payload_part(&a->payload, a->members.rank[first + i]);
		break;
	case COLLECTIVE_ALLTOALL:
		for (uint32_t i = 0; i < count && a->sized; i++)
			bytes +=
				payload_pair(&a->payload, a->members.rank[from], a->members.rank[first + i], first + i);
		break;
	default:
		return vector_blocks(
			a->sized ? payload_vector(&a->payload) : a->options.size, a->members.count, first, count);
	}
	return a->sized ? bytes : (uint64_t)count * a->options.size;
}

static void take_exchange(void *context, const struct collective_message *x)
{
	struct actions *a = context;
	give(a, &(struct action){.kind = x->sends ? ACTION_SEND : ACTION_RECV,
			.peer = a->members.rank[x->peer],
			.tag = a->tag,
			.bytes = x->bytes});
}

static void take_collective(struct actions *a)
{
	struct cursor *c = a->cursor;
	uint32_t group = member_set_of(a->sets, &c->at, c->event);
	a->members = *members_of(a, group);
	a->payload = payload_of(&a->payloads, c->line, &c->at, a->members.count);
	a->sized = payload_known(&a->overview, c->line);
	a->tag = tags_of_group(a->tags, group);
	uint32_t root = a->payload.root >= 0 ? (uint32_t)a->payload.root : ACTION_NO_ROOT;
	if (!collective_kind_of(a->payload.name, &a->kind))
		a->kind = COLLECTIVE_BARRIER;
	if (a->members.count < 2 || collective_scope(a->payload.name) != SCOPE_GROUP)
		return; /* nobody is known to wait for all the others */
	struct collective_sizes sizes = {a, blocks_size};
	if (a->options.native && a->members.count == a->overview.module->processes) {
		give(a, &(struct action){
				.kind = ACTION_COLLECTIVE, .peer = root, .collective = a->kind, .sizes = &sizes});
		return;
	}
	bool rooted = collective_has_root(a->kind) && root != ACTION_NO_ROOT;
	struct collective_call call = {a->kind, a->members.count, number_in(&a->members, (uint32_t)c->at.p),
		rooted ? number_in(&a->members, root) : 0, &sizes, a->first, a->most};
	decompose(&call, a->options.algorithms.of[a->kind], &(struct exchange_sink){a, take_exchange});
}

/* ------------------------------------------------------------------ a process */

static void compute(const struct actions *a, uint64_t ticks)
{
	if (ticks)
		give(a, &(struct action){.kind = ACTION_COMPUTE,
				.seconds = (double)ticks / (double)pace_ticks_per_second(a->options.pace)});
}

static void take_event(struct actions *a)
{
	struct event_numbers e;
	const struct node *n = node_of(a->overview.store, a->cursor->event);
	if (kind_gathers(n->sub)) {
		take_collective(a);
	} else if (kind_is_message(n->sub)) { /* of windows shortfalls_tell_one_sided */
		event_numbers_at(&a->cursor->at, a->sets, a->cursor->event, &e);
		give(a, &(struct action){.kind = kind_sends(n->sub) ? ACTION_SEND : ACTION_RECV,
				.peer = (uint32_t)e.number[COLUMN_PEER],
				.tag = tags_number(a->tags, &e),
				.bytes = actions_bytes(a, a->cursor)});
	}
}

void actions_at(struct actions *a, struct cursor *cursor, uint64_t first, uint64_t most, const struct action_sink *sink)
{
	a->sink = sink;
	a->cursor = cursor;
	a->first = first;
	a->most = most;
	take_event(a);
	a->first = a->most = 0;
}

/* The last statement of a loop's body: behind it an iteration ends. */
static size_t last_inside(const struct overview *o, size_t loop)
{
	size_t at = loop + 1;
	while (o->line[at].end < o->line[loop].end)
		at = o->line[at].end;
	return at;
}

/* Is there a quiet place between two events that follow each other? Further on in the text, or in
   the next iteration of the innermost loop around both. */
static bool is_quiet_between(const struct actions *a, size_t from, size_t to)
{
	const struct overview_line *line = a->overview.line;
	if (to > from && a->quiets[to] > a->quiets[from])
		return true;
	size_t loop = line[from].around;
	while (loop != OVERVIEW_NONE && (to < loop || to >= line[loop].end))
		loop = line[loop].around;
	return to <= from && loop != OVERVIEW_NONE && a->quiet[last_inside(&a->overview, loop)];
}

void actions_of(struct actions *a, uint32_t rank, const struct action_sink *sink)
{
	struct cursor *c = cursor_new(a->overview.run, rank);
	struct pacing *pacing = a->options.pace ? pacing_new(a->options.pace, rank) : NULL;
	a->sink = sink;
	a->cursor = c;
	for (size_t last = OVERVIEW_NONE; cursor_next(c); last = c->line) {
		if (last != OVERVIEW_NONE && is_quiet_between(a, last, c->line))
			give(a, &(struct action){.kind = ACTION_QUIET});
		if (pacing && overview_is_call(&a->overview, c->line))
			compute(a, pacing_next(pacing, c).before);
		take_event(a);
	}
	if (pacing)
		compute(a, pace_get_process(a->options.pace, rank).after);
	pacing_free(pacing);
	cursor_free(c);
}
