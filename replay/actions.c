/*
 * actions.c -- a walk over the events of a process. Messages of collectives have tags of their own,
 * by group.
 */
#include "replay/actions.h"

#include <stdlib.h>
#include <string.h>

#include "ask/causality.h"
#include "ask/collective_names.h"
#include "base/binary_search.h"
#include "base/mem.h"
#include "replay/tags.h"

/* The members of a group, in the order of their ranks. */
struct members {
	uint32_t *rank, count;
};

struct actions {
	struct program *program;
	struct actions_options options;
	struct projection *projection;
	struct payloads payloads;
	struct members *group; /* by set of the dictionary */
	size_t groups;
	struct tags *tags;
	struct arrivals *arrivals; /* for the loops around a statement */
	bool *quiet; /* by statement, behind it */
	uint32_t *quiets; /* by statement: how many ends before it are quiet */

	/* of the process at hand */
	const struct action_sink *sink;
	const struct walk *walk;
	uint32_t rank;
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
	const struct program *p = a->program;
	a->arrivals = arrivals_new(p);
	a->quiet = causality_quiet(p);
	a->quiets = mem_zero((p->length + 1) * sizeof *a->quiets);
	for (size_t i = 0; i < p->length; i++)
		a->quiets[i + statement_size(&p->statement[i])] += a->quiet[i];
	for (size_t i = 1; i <= p->length; i++)
		a->quiets[i] += a->quiets[i - 1];
}

struct actions *actions_new(struct program *program, const struct actions_options *options)
{
	struct actions *a = mem_zero(sizeof *a);
	a->program = program;
	a->options = *options;
	a->projection = projection_new(program, NULL);
	a->tags = tags_new(program, true);
	payloads_of(program, &a->payloads);
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
	arrivals_free(a->arrivals);
	free(a->quiet);
	free(a->quiets);
	projection_free(a->projection);
	free(a);
}

struct actions_facts actions_facts(const struct program *p)
{
	struct actions_facts facts = {.unknown = INTERN_NONE};
	enum collective_kind kind;
	struct payloads payloads;
	payloads_of(p, &payloads);
	for (size_t i = 0; i < p->length; i++) {
		const struct statement *s = &p->statement[i];
		if (statement_is_loop(s) || statement_kind(p, s) == EVENT_LOCAL)
			continue;
		struct form form = statement_form(p, s);
		bool moves = true;
		if (form.kind == EVENT_SYNC) {
			bool known = collective_kind_of(dictionary_get_word(p->dictionary, form.word), &kind);
			bool told = collective_scope(dictionary_get_word(p->dictionary, form.word)) != SCOPE_GROUP;
			if (!known && !told && facts.unknown == INTERN_NONE)
				facts.unknown = form.word;
			moves = known && kind != COLLECTIVE_BARRIER;
		}
		facts.unsized += moves && !payload_known(&payloads, i);
	}
	return facts;
}

/* ------------------------------------------------------------------ messages */

static void give(const struct actions *a, const struct action *action)
{
	a->sink->take(a->sink->context, action);
}

uint64_t actions_bytes(const struct actions *a, const struct walk *walk)
{
	struct attribute attribute;
	struct spot spot = walk_spot(walk);
	uint32_t name = a->payloads.bytes;
	if (name == INTERN_NONE || !program_attribute(a->program, walk_statement(walk), name, &attribute))
		return a->options.size;
	struct attribute_value v = attribute_at(a->program, &attribute, &spot);
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
		struct ranks ranks = dictionary_get_ranks(a->program->dictionary, set);
		struct ranks_walk walk = {0};
		m->rank = mem_array(ranks_count(&ranks) + 1, sizeof *m->rank);
		for (uint32_t rank; ranks_next(&ranks, &walk, &rank);)
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
	case COLLECTIVE_BARRIER:
		return 0;
	case COLLECTIVE_GATHER:
	case COLLECTIVE_SCATTER:
	case COLLECTIVE_ALLGATHER:
	case COLLECTIVE_REDUCE_SCATTER:
		for (uint32_t i = 0; i < count && a->sized; i++)
			bytes += payload_part(&a->payload, a->members.rank[first + i]);
		break;
	case COLLECTIVE_ALLTOALL:
		for (uint32_t i = 0; i < count && a->sized; i++)
			bytes += payload_pair(&a->payload, a->members.rank[from], first + i);
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

static void take_collective(struct actions *a, const struct plain_event *e)
{
	size_t statement = walk_statement(a->walk);
	struct spot spot = walk_spot(a->walk);
	a->members = *members_of(a, e->group);
	a->payload = payload_of(&a->payloads, statement, e, &spot, a->members.count);
	a->sized = payload_known(&a->payloads, statement);
	a->tag = TAG_LIMIT + e->group % TAG_LIMIT;
	if (!collective_kind_of(a->payload.name, &a->kind))
		a->kind = COLLECTIVE_BARRIER;
	if (a->members.count < 2 || collective_scope(a->payload.name) != SCOPE_GROUP)
		return; /* nobody is known to wait for all the others */
	struct collective_sizes sizes = {a, blocks_size};
	if (a->options.native && a->members.count == a->program->processes) {
		give(a, &(struct action){
				.kind = ACTION_COLLECTIVE, .peer = e->peer, .collective = a->kind, .sizes = &sizes});
		return;
	}
	uint32_t root = collective_has_root(a->kind) && e->peer != NO_ROOT ? number_in(&a->members, e->peer) : 0;
	struct collective_call c = {
		a->kind, a->members.count, number_in(&a->members, a->rank), root, &sizes, a->first, a->most};
	decompose(&c, a->options.algorithms.of[a->kind], &(struct exchange_sink){a, take_exchange});
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
	struct plain_event e;
	walk_event(a->walk, &e);
	switch ((enum event_kind)e.kind) {
	case EVENT_SEND:
	case EVENT_RECV:
		give(a, &(struct action){.kind = e.kind == EVENT_SEND ? ACTION_SEND : ACTION_RECV,
				.peer = e.peer,
				.tag = tags_number(a->tags, &e),
				.bytes = actions_bytes(a, a->walk)});
		return;
	case EVENT_SYNC:
		take_collective(a, &e);
		return;
	case EVENT_LOCAL:
		return;
	}
}

void actions_at(struct actions *a, uint32_t rank, const struct walk *walk, uint64_t first, uint64_t most,
	const struct action_sink *sink)
{
	a->sink = sink;
	a->rank = rank;
	a->walk = walk;
	a->first = first;
	a->most = most;
	take_event(a);
	a->first = a->most = 0;
}

/* The last statement of a loop's body: behind it an iteration ends. */
static size_t last_inside(const struct program *p, size_t loop)
{
	size_t at = loop + 1;
	while (at + statement_size(&p->statement[at]) < loop + p->statement[loop].size)
		at += statement_size(&p->statement[at]);
	return at;
}

/* Is there a quiet place between two events that follow each other? Further on in the text, or in
   the next iteration of the innermost loop around both. */
static bool is_quiet_between(const struct actions *a, size_t from, size_t to)
{
	if (to > from && a->quiets[to] > a->quiets[from])
		return true;
	size_t loop = arrivals_around(a->arrivals, from);
	while (loop != SIZE_MAX && to >= loop + a->program->statement[loop].size)
		loop = arrivals_around(a->arrivals, loop);
	while (loop != SIZE_MAX && to < loop)
		loop = arrivals_around(a->arrivals, loop);
	return to <= from && loop != SIZE_MAX && a->quiet[last_inside(a->program, loop)];
}

void actions_of(struct actions *a, uint32_t rank, const struct action_sink *sink)
{
	struct walk *walk = walk_new(a->projection, rank);
	struct pacing *pacing = a->options.pace ? pacing_new(a->options.pace, rank) : NULL;
	a->sink = sink;
	a->rank = rank;
	a->walk = walk;
	for (size_t last = SIZE_MAX; walk_next(walk); last = walk_statement(walk)) {
		if (last != SIZE_MAX && is_quiet_between(a, last, walk_statement(walk)))
			give(a, &(struct action){.kind = ACTION_QUIET});
		if (pacing && statement_kind(a->program, &a->program->statement[walk_statement(walk)]) != EVENT_LOCAL)
			compute(a, pacing_next(pacing, walk).before);
		take_event(a);
	}
	if (pacing)
		compute(a, pace_get_process(a->options.pace, rank).after);
	pacing_free(pacing);
	walk_free(walk);
}
