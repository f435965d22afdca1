/*
 * fusion.c -- the two loops say the same exchanges from both ends, statement by statement. Which
 * of them belong together, and with which tags, is asked of the streams: what is joined must say
 * the same as before for every process.
 */
#include "merge/fusion.h"

#include <stdlib.h>
#include <string.h>

#include "ask/sameness.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/program_nodes.h"

/* One exchange after the other: events that stand at these places, and nothing else. */
struct pair {
	const struct program *program;
	size_t master, workers; /* the loops */
	size_t events; /* in the body of each */
	size_t turn; /* the workers' loop begins with so many events that end an exchange */
	uint32_t rank; /* of the master */
	struct value name; /* whom it exchanges messages with */
};

static struct form form_at(const struct pair *x, size_t loop, size_t event)
{
	return program_get_form(x->program, x->program->statement[loop + 1 + event].event);
}

/* Whose loop it is: that of one process has no set of its own, but its events do. */
static uint32_t set_of(const struct program *p, size_t loop)
{
	const struct statement *s = &p->statement[loop];
	return s->set == STATEMENT_PLAIN && s->size > 1 ? s[1].set : s->set;
}

static bool holds_messages_alone(const struct program *p, size_t loop)
{
	const struct statement *s = &p->statement[loop];
	uint32_t set = statement_is_loop(s) ? set_of(p, loop) : STATEMENT_PLAIN;
	bool good = set != STATEMENT_PLAIN && !statement_guard(s) && s->size > 1;
	for (size_t i = loop + 1; good && i < loop + s->size; i++) {
		const struct statement *e = &p->statement[i];
		good = !statement_is_loop(e) && e->set == set && !e->attributes;
		enum event_kind kind = good ? statement_kind(p, e) : EVENT_LOCAL;
		good = good && (kind == EVENT_SEND || kind == EVENT_RECV);
	}
	return good;
}

/* A peer that is looked up, by indices alone. */
static bool looks_up(const struct form *f)
{
	return f->peer.kind == PLACE_NUMBER && f->peer.value.lookup.table && value_is_uniform(&f->peer.value);
}

static bool is_master(struct pair *x)
{
	const struct program *p = x->program;
	if (!holds_messages_alone(p, x->master))
		return false;
	struct value count = program_bound(p, &p->statement[x->master]);
	struct ranks who = dictionary_get_ranks(p->dictionary, set_of(p, x->master));
	if (ranks_count(&who) != 1 || !value_is_uniform(&count))
		return false;
	x->rank = who.run[0].first;
	x->events = p->statement[x->master].size - 1;
	for (size_t i = 0; i < x->events; i++) {
		struct form form = form_at(x, x->master, i);
		x->name = i ? x->name : form.peer.value;
		if (!looks_up(&form) || memcmp(&form.peer.value, &x->name, sizeof x->name) ||
			!value_is_uniform(&form.value))
			return false;
	}
	return true;
}

/* What whoever is named does there: the other end. */
static struct form other_end(const struct pair *x, const struct form *own)
{
	struct form other = *own;
	other.kind = own->kind == EVENT_SEND ? EVENT_RECV : EVENT_SEND;
	other.peer = place_of(PLACE_NUMBER, x->rank);
	return other;
}

/* But for the number of its tag, which the worker counts in its own way. */
static bool is_other_end(const struct pair *x, const struct form *own, const struct form *other)
{
	struct form wanted = other_end(x, own), found = *other;
	bool numbered = wanted.numbered == found.numbered && (wanted.numbered || wanted.number == found.number);
	found.value = wanted.value;
	found.varies = wanted.varies;
	found.number = wanted.number;
	return numbered && !memcmp(&wanted, &found, sizeof wanted) && value_is_constant(&own->communicator);
}

/* Which event of the workers' body is the other end of the master's. */
static size_t other_at(const struct pair *x, size_t event)
{
	return (event + x->turn) % x->events;
}

static bool are_other_ends(const struct pair *x)
{
	bool good = true;
	for (size_t i = 0; i < x->events && good; i++) {
		struct form own = form_at(x, x->master, i), other = form_at(x, x->workers, other_at(x, i));
		good = is_other_end(x, &own, &other) && (!x->turn || !form_indices(&other));
	}
	return good;
}

static bool is_pair(struct pair *x)
{
	if (!is_master(x) || !holds_messages_alone(x->program, x->workers) ||
		x->program->statement[x->workers].size != x->events + 1)
		return false;
	struct ranks who = dictionary_get_ranks(x->program->dictionary, set_of(x->program, x->workers));
	x->turn = 0;
	while (x->turn < x->events && !are_other_ends(x))
		x->turn++;
	return x->turn < x->events && !ranks_has(&who, x->rank);
}

/* Are calls whole with everything up to `end`, or with what is between the two loops, or
   elsewhere? */
static bool keeps_calls(const struct program *p, size_t first, size_t between, size_t second, size_t end)
{
	bool good = true;
	for (size_t i = 0; i < p->calls.length && good; i++) {
		const struct program_call *c = &p->calls.call[i];
		good = c->end <= first || c->start >= end || (c->start <= first && c->end >= end) ||
		       (c->start >= between && c->end <= second);
	}
	return good;
}

static void add_processes(const struct program *p, size_t from, size_t end, struct ranks *to)
{
	for (size_t i = from; i < end; i++) {
		if (statement_is_loop(&p->statement[i]))
			continue;
		struct ranks_run single;
		struct ranks who = program_processes(p, &p->statement[i], &single), all = {0};
		ranks_unite(&all, to, &who);
		ranks_clear(to);
		*to = all;
	}
}

static bool is_pair_of(struct pair *x, const struct program *p, size_t master, size_t workers)
{
	*x = (struct pair){.program = p, .master = master, .workers = workers};
	return is_pair(x);
}

/* The pair of this loop and one behind it, before `end`, with nothing between them that a worker
   does. */
static bool find_pair(const struct program *p, size_t at, size_t end, struct pair *x)
{
	size_t first = at + statement_size(&p->statement[at]), next = first;
	struct ranks between = {0};
	if (!holds_messages_alone(p, at))
		return false;
	while (next < end && !is_pair_of(x, p, at, next) && !is_pair_of(x, p, next, at)) {
		size_t behind = next + statement_size(&p->statement[next]);
		add_processes(p, next, behind, &between);
		next = behind;
	}
	bool found = next < end;
	if (found) {
		struct ranks workers = dictionary_get_ranks(p->dictionary, set_of(p, x->workers));
		found = !ranks_meet(&between, &workers) &&
			keeps_calls(p, at, first, next, next + statement_size(&p->statement[next]));
	}
	ranks_clear(&between);
	return found;
}

/* ------------------------------------------------------------------ the joint loop */

static void put_statement(struct program *to, const struct program *from, size_t at)
{
	program_add(to, 0, 0);
	to->statement[to->length - 1] = from->statement[at];
}

static void put_named(struct program *to, const struct pair *x, uint32_t set, const struct form *form)
{
	struct value condition = value_naming(&x->name);
	size_t guard = program_open_guard(to, GUARD_WHO, &condition);
	program_add(to, set, program_form(to, form));
	program_close(to, guard);
}

/* The sends first: then it can happen as it is written. */
static void put_exchange(struct program *to, const struct pair *x, size_t i)
{
	const struct statement *s = x->program->statement;
	size_t own = x->master + 1 + i;
	struct form form = form_at(x, x->master, i), named = other_end(x, &form);
	if (form.kind == EVENT_SEND)
		put_statement(to, x->program, own);
	put_named(to, x, s[x->workers + 1].set, &named);
	if (form.kind != EVENT_SEND)
		put_statement(to, x->program, own);
}

static void put_pair(struct program *to, const struct pair *x)
{
	const struct statement *s = x->program->statement;
	struct ranks master = dictionary_get_ranks(to->dictionary, set_of(x->program, x->master)),
		     workers = dictionary_get_ranks(to->dictionary, set_of(x->program, x->workers)), all = {0};
	struct value count = program_bound(x->program, &s[x->master]);
	ranks_unite(&all, &master, &workers);
	for (size_t i = 0; i < x->turn; i++)
		put_statement(to, x->program, x->workers + 1 + i);
	size_t loop = program_open_by(to, dictionary_ranks(to->dictionary, &all), &count);
	for (size_t i = 0; i < x->events; i++)
		put_exchange(to, x, i);
	program_close(to, loop);
	for (size_t i = x->turn; i < x->events && x->turn; i++)
		put_statement(to, x->program, x->workers + 1 + i);
	ranks_clear(&all);
}

/* Pairs are counted as they are met; so many of them are tried. */
#define PAIRS 16

struct joining {
	const struct program *from;
	bool wanted[PAIRS]; /* which are joined */
	uint32_t master[PAIRS];
	uint64_t workers[PAIRS]; /* how many */
	size_t pairs;
	size_t *to; /* by statement of `from`: which it has become; where the text ends, too */
};

static uint64_t workers_of(const struct pair *x)
{
	struct ranks who = dictionary_get_ranks(x->program->dictionary, set_of(x->program, x->workers));
	return ranks_count(&who);
}

static bool meet(struct joining *j, const struct pair *x)
{
	size_t number = j->pairs++;
	if (number >= PAIRS)
		return false;
	j->master[number] = x->rank;
	j->workers[number] = workers_of(x);
	return j->wanted[number];
}

/* Recursion as deep as loops nest. */
static void put_body(struct joining *j, struct program *to, size_t from, size_t end)
{
	const struct statement *s = j->from->statement;
	for (size_t i = from; i < end;) {
		j->to[i] = to->length;
		size_t next = i + statement_size(&s[i]), loop = to->length;
		struct pair x;
		if (find_pair(j->from, i, end, &x) && meet(j, &x)) {
			size_t second = x.master == i ? x.workers : x.master;
			if (x.master == i)
				put_pair(to, &x);
			put_body(j, to, next, second);
			j->to[second] = to->length;
			if (x.master != i)
				put_pair(to, &x);
			i = second + statement_size(&s[second]);
			continue;
		}
		put_statement(to, j->from, i);
		put_body(j, to, i + 1, next);
		if (statement_is_loop(&s[i]))
			program_close(to, loop);
		i = next;
	}
}

static void put_joined(struct program *to, struct joining *j)
{
	const struct program_calls *calls = &j->from->calls;
	to->length = j->pairs = 0;
	put_body(j, to, 0, j->from->length);
	j->to[j->from->length] = to->length;
	for (size_t i = 0; i < calls->length; i++) {
		to->calls.call[i].start = j->to[calls->call[i].start];
		to->calls.call[i].end = j->to[calls->call[i].end];
	}
}

/* Who is named goes through all that the master does: so many steps, of all together. */
#define STEPS (UINT64_C(1) << 21)

static bool is_short(const struct joining *j, struct run *streams, size_t pair)
{
	struct environment e = {0};
	run_start(streams, j->master[pair], &e);
	uint64_t events = run_count(streams, &e, run_module(streams)->body);
	bool is = !e.failure && saturating_multiply(events, j->workers[pair]) <= STEPS;
	free(e.index);
	return is;
}

static bool is_the_same(const struct program *p, struct run *streams)
{
	struct error error;
	const struct program_nodes *n = program_nodes(p, &error);
	return n && runs_sameness(streams, n->run, VALUES_NONE, UINT64_MAX, NULL) == SAMENESS_SAME;
}

bool fusion(struct program *p)
{
	struct program *from = program_copy(p);
	struct joining j = {.from = from, .to = mem_zero((from->length + 1) * sizeof *j.to)};
	bool any = false;
	put_joined(p, &j);
	size_t pairs = j.pairs < PAIRS ? j.pairs : PAIRS;
	struct error error;
	const struct program_nodes *nodes = pairs ? program_nodes(from, &error) : NULL;
	for (size_t i = 0; nodes && i < pairs; i++) {
		if (!is_short(&j, nodes->run, i))
			continue;
		j.wanted[i] = true;
		put_joined(p, &j);
		j.wanted[i] = is_the_same(p, nodes->run);
		any = any || j.wanted[i];
	}
	if (pairs)
		put_joined(p, &j);
	program_free(from);
	free(j.to);
	return any;
}
