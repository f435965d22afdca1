/*
 * masters.c -- the two loops say the same exchanges from both ends: statement by statement, with
 * equal tags.
 */
#include "fold/masters.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Iterations in which the table is looked at. */
#define NAMED_MOST (UINT64_C(1) << 26)

/* One exchange after the other: events that stand at these places, and nothing else. */
struct pair {
	const struct program *program;
	size_t master, workers; /* the loops */
	size_t events; /* in the body of each */
	uint32_t rank; /* of the master */
	struct value name; /* whom it exchanges messages with */
};

static struct form form_at(const struct pair *x, size_t loop, size_t event)
{
	return program_get_form(x->program, x->program->statement[loop + 1 + event].event);
}

static bool holds_messages_alone(const struct program *p, size_t loop)
{
	const struct statement *s = &p->statement[loop];
	bool good = statement_is_loop(s) && !statement_guard(s) && s->set != STATEMENT_PLAIN && s->size > 1;
	for (size_t i = loop + 1; good && i < loop + s->size; i++) {
		const struct statement *e = &p->statement[i];
		good = !statement_is_loop(e) && e->set == s->set && !e->alone && !e->attributes;
		enum event_kind kind = good ? statement_kind(p, e) : EVENT_LOCAL;
		good = good && (kind == EVENT_SEND || kind == EVENT_RECV);
	}
	return good;
}

/* A peer that is looked up, by the index of the loop alone. */
static bool looks_up(const struct form *f)
{
	return f->peer.kind == PLACE_NUMBER && f->peer.value.lookup.table && value_is_uniform(&f->peer.value);
}

static bool is_master(struct pair *x)
{
	const struct program *p = x->program;
	if (!holds_messages_alone(p, x->master) || p->statement[x->master].bound != BOUND_NONE)
		return false;
	struct ranks who = dictionary_get_ranks(p->dictionary, p->statement[x->master].set);
	if (ranks_count(&who) != 1 || p->statement[x->master].count > NAMED_MOST)
		return false;
	x->rank = who.run[0].first;
	x->events = p->statement[x->master].size - 1;
	for (size_t i = 0; i < x->events; i++) {
		struct form form = form_at(x, x->master, i);
		x->name = i ? x->name : form.peer.value;
		if (!looks_up(&form) || memcmp(&form.peer.value, &x->name, sizeof x->name))
			return false;
	}
	return true;
}

/* The other end, with the same tag, which is always the same. */
static bool is_other_end(const struct pair *x, const struct form *own, const struct form *other)
{
	struct place master = place_of(PLACE_NUMBER, x->rank);
	struct form same = *other;
	same.kind = own->kind;
	same.peer = own->peer;
	return other->kind == (own->kind == EVENT_SEND ? EVENT_RECV : EVENT_SEND) &&
	       !memcmp(&other->peer, &master, sizeof master) && !memcmp(&same, own, sizeof same) &&
	       !value_indices(&own->value) && value_is_uniform(&own->value) && value_is_constant(&own->communicator);
}

/* Does each of them go through its loop as often as it is named? */
static bool counts_agree(const struct pair *x)
{
	const struct program *p = x->program;
	struct ranks who = dictionary_get_ranks(p->dictionary, p->statement[x->workers].set);
	uint64_t *named = mem_zero((p->processes + (size_t)1) * sizeof *named);
	bool good = true;
	for (uint64_t i = 0; i < p->statement[x->master].count && good; i++) {
		int64_t index[INDEX_DEPTH] = {(int64_t)i}, rank = value_at(&x->name, &(struct spot){.index = index});
		good = rank >= 0 && rank < p->processes;
		if (good)
			named[rank]++;
	}
	for (uint32_t rank = 0; rank < p->processes && good; rank++) {
		struct spot spot = grid_spot(&p->grid, rank);
		int64_t index[INDEX_DEPTH] = {0};
		spot.index = index;
		good = named[rank] == (ranks_has(&who, rank) ? program_count_of(p, x->workers, &spot) : 0);
	}
	free(named);
	return good && !ranks_has(&who, x->rank);
}

static bool is_pair(struct pair *x)
{
	if (!is_master(x) || !holds_messages_alone(x->program, x->workers) ||
		x->program->statement[x->workers].size != x->events + 1)
		return false;
	for (size_t i = 0; i < x->events; i++) {
		struct form own = form_at(x, x->master, i), other = form_at(x, x->workers, i);
		if (!is_other_end(x, &own, &other))
			return false;
	}
	return counts_agree(x);
}

/* ------------------------------------------------------------------ the joint loop */

static void put_named(struct program *to, const struct pair *x, uint32_t set, uint32_t event)
{
	struct value condition = value_naming(&x->name);
	size_t guard = program_open_guard(to, GUARD_WHO, &condition);
	program_add(to, set, event);
	program_close(to, guard);
}

/* The sends first: then it can happen as it is written. */
static void put_exchange(struct program *to, const struct pair *x, size_t i)
{
	const struct statement *s = x->program->statement;
	const struct statement *own = &s[x->master + 1 + i], *other = &s[x->workers + 1 + i];
	bool sends = statement_kind(x->program, own) == EVENT_SEND;
	if (sends)
		program_add(to, own->set, own->event);
	put_named(to, x, other->set, other->event);
	if (!sends)
		program_add(to, own->set, own->event);
}

static void put_pair(struct program *to, const struct pair *x)
{
	const struct statement *s = x->program->statement;
	struct ranks master = dictionary_get_ranks(to->dictionary, s[x->master].set),
		     workers = dictionary_get_ranks(to->dictionary, s[x->workers].set), all = {0};
	ranks_unite(&all, &master, &workers);
	size_t loop = program_open(to, dictionary_ranks(to->dictionary, &all), s[x->master].count);
	for (size_t i = 0; i < x->events; i++)
		put_exchange(to, x, i);
	program_close(to, loop);
	ranks_clear(&all);
}

static void put_statement(struct program *to, const struct program *from, size_t at)
{
	for (size_t i = at; i < at + statement_size(&from->statement[at]); i++) {
		program_add(to, 0, 0);
		to->statement[to->length - 1] = from->statement[i];
	}
}

void masters_join(struct program *p)
{
	struct program *from = program_copy(p);
	p->length = 0;
	for (size_t i = 0; i < from->length;) {
		size_t next = i + statement_size(&from->statement[i]);
		struct pair x = {.program = from, .master = i, .workers = next},
			    turned = {.program = from, .master = next, .workers = i};
		bool there = next < from->length, pair = there && is_pair(&x),
		     other = there && !pair && is_pair(&turned);
		if (pair || other)
			put_pair(p, pair ? &x : &turned);
		else
			put_statement(p, from, i);
		i = pair || other ? next + statement_size(&from->statement[next]) : next;
	}
	program_free(from);
}
