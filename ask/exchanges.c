/*
 * exchanges.c -- sends kept until their receives follow.
 *
 * A send by the processes of A to p+c, and a receive by those of A+c from p-c, of one tag, are the
 * same messages; so on a ring, on the grid, and over p^c. Each such pair alone is complete and in
 * order, on any channel that it shares with others: so are all together.
 */
#include "ask/exchanges.h"

#include <stdlib.h>
#include <string.h>

#include "ask/partners.h"
#include "base/compare.h"
#include "base/mem.h"

struct exchange_bodies {
	const struct program *program;
	size_t *open; /* sends of the body, and of those around it */
	size_t opens, capacity;
};

/* ------------------------------------------------------------------ sets of partners */

/* One process's partner is some way from it. */
static struct form form_from(struct form f, const struct ranks *who)
{
	if (f.peer.kind == PLACE_NUMBER && ranks_count(who) == 1 && value_is_constant(&f.peer.value))
		f.peer = place_of(PLACE_OFFSET, f.peer.value.plain.constant - who->run->first);
	return f;
}

static void shift(const struct ranks *set, int64_t by, struct ranks *to)
{
	for (size_t i = 0; i < set->length; i++)
		ranks_add_run(to, (uint32_t)(set->run[i].first + by), (uint32_t)(set->run[i].last + by));
}

/* One by one, at indices 0. */
static void walk(const struct program *p, const struct ranks *set, const struct place *peer, struct ranks *to)
{
	size_t length = 0;
	uint32_t *rank = mem_array((size_t)ranks_count(set), sizeof *rank);
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(set, &walk, &r);) {
		struct spot spot = grid_spot(&p->grid, r);
		rank[length++] = (uint32_t)place_at(peer, &p->grid, &spot);
	}
	qsort(rank, length, sizeof *rank, compare_u32);
	for (size_t i = 0; i < length; i++)
		ranks_add(to, rank[i]);
	free(rank);
}

/* Ranks beyond a ring, or a grid, do not come back. */
static bool is_on(const struct program *p, const struct place *peer, const struct ranks *set)
{
	uint64_t size = peer->kind == PLACE_RING   ? (uint64_t)peer->modulus
			: peer->kind == PLACE_GRID ? grid_ranks(&p->grid)
						   : UINT64_MAX;
	return set->length && set->run[set->length - 1].last < size;
}

static bool is_everybody(const struct program *p, const struct ranks *set)
{
	return ranks_count(set) == p->processes;
}

/* Are the receivers those that are sent to? What goes round goes to everybody, in each
   iteration. */
static bool is_image(
	const struct program *p, const struct ranks *senders, const struct place *peer, const struct ranks *receivers)
{
	bool round = (peer->kind == PLACE_RING && peer->modulus == p->processes) ||
		     (peer->kind == PLACE_GRID && grid_ranks(&p->grid) == p->processes);
	if (round && is_everybody(p, senders))
		return is_everybody(p, receivers);
	if (place_indices(peer) || !is_on(p, peer, senders))
		return false;
	struct ranks image = {0};
	if (peer->kind == PLACE_OFFSET)
		shift(senders, peer->value.plain.constant, &image);
	else
		walk(p, senders, peer, &image);
	bool same = ranks_equal(&image, receivers);
	ranks_clear(&image);
	return same;
}

/* ------------------------------------------------------------------ statements */

static bool is_received(
	struct exchange_bodies *b, size_t send, const struct form *received, const struct ranks *receivers)
{
	const struct program *p = b->program;
	const struct statement *s = &p->statement[send];
	struct ranks_run single;
	struct ranks senders = program_processes(p, s, &single);
	struct form there = form_from(statement_form(p, s), &senders), back = form_from(*received, receivers);
	return partners_meet(&p->grid, &there, &back) && is_image(p, &senders, &there.peer, receivers);
}

/* own: where the open sends of the body begin. */
static bool take_receive(struct exchange_bodies *b, size_t own, const struct form *f, const struct ranks *who)
{
	for (size_t i = own; i < b->opens; i++)
		if (is_received(b, b->open[i], f, who)) {
			memmove(b->open + i, b->open + i + 1, (--b->opens - i) * sizeof *b->open);
			return true;
		}
	return false;
}

/* Of a line or plane of the grid, all are here where everybody is; they must agree on the
   communicator. */
static bool is_whole(const struct program *p, const struct form *f, const struct ranks *who)
{
	struct ranks among = dictionary_get_ranks(p->dictionary, (uint32_t)f->group);
	if (!f->area.kind)
		return value_is_uniform(&f->communicator) && ranks_equal(who, &among);
	if (f->area.kind == AREA_BY_COMMUNICATOR)
		return ranks_equal(who, &among);
	bool several = false, agreed = value_is_quasi_affine(&f->communicator) &&
				       !f->communicator.remainder[0].modulus && !f->communicator.plain.p;
	for (uint32_t i = 0; i < p->grid.axes; i++)
		if (f->area.all[i]) {
			several = true;
			agreed = agreed && !f->communicator.plain.axis[i];
		}
	return !several || (agreed && is_everybody(p, who));
}

static bool take_event(struct exchange_bodies *b, size_t own, size_t at)
{
	const struct program *p = b->program;
	const struct statement *s = &p->statement[at];
	enum event_kind kind = statement_kind(p, s);
	if (kind == EVENT_LOCAL)
		return true;
	if (kind == EVENT_SEND) {
		*MEM_PUSH(b->open, b->opens, b->capacity) = at;
		return true;
	}
	struct ranks_run single;
	struct ranks who = program_processes(p, s, &single);
	struct form form = statement_form(p, s);
	return kind == EVENT_SYNC ? is_whole(p, &form, &who) : take_receive(b, own, &form, &who);
}

/* Recursion as deep as loops nest. */
static bool take_body(struct exchange_bodies *b, size_t from, size_t to)
{
	const struct program *p = b->program;
	size_t own = b->opens;
	for (size_t i = from; i < to; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		if (!(statement_is_loop(s) ? take_body(b, i + 1, i + s->size) : take_event(b, own, i)))
			return false;
	}
	return b->opens == own;
}

bool exchanges_whole(const struct program *p)
{
	struct exchange_bodies b = {.program = p};
	bool whole = take_body(&b, 0, p->length);
	free(b.open);
	return whole;
}
