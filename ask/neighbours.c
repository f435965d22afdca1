/*
 * neighbours.c -- sends by one step and the receives that they meet.
 *
 * A line of ranks a to b is joined by p+1 sent from a to b-1 and received from p-1 on a+1 to b, or
 * the other way round; a grid, by a step along each of its axes that has more than one place, where
 * all send and all receive.
 */
#include "ask/neighbours.h"

#include <string.h>

#define LINE GRID_AXES /* the ranks themselves, along no axis */
#define NO_STEP (GRID_AXES + 1)

/* Does a coordinate stay what it is, but for a constant? */
static bool is_move(const struct affine *a, uint32_t axis, int64_t *step)
{
	struct affine same = {.constant = a->constant};
	same.axis[axis] = 1;
	*step = a->constant;
	return !memcmp(a, &same, sizeof same);
}

static uint32_t grid_step(const struct place *f, const struct grid *g, int64_t *step)
{
	uint32_t along = NO_STEP;
	for (uint32_t i = 0; i < g->axes; i++) {
		int64_t here;
		if (!is_move(&f->axis[i], i, &here) || (here && along != NO_STEP))
			return NO_STEP;
		if (here) {
			along = i;
			*step = here;
		}
	}
	return along;
}

/* Along what the peer is one step away, and in which direction. */
static uint32_t step_of(const struct program *p, const struct place *f, int64_t *step)
{
	uint32_t along = NO_STEP;
	*step = 0;
	if (f->kind == PLACE_GRID) {
		along = grid_step(f, &p->grid, step);
	} else if ((f->kind == PLACE_OFFSET || (f->kind == PLACE_RING && f->modulus == p->processes)) &&
		   value_is_constant(&f->value)) {
		along = LINE;
		*step = f->value.plain.constant;
	}
	return *step == 1 || *step == -1 ? along : NO_STEP;
}

static bool same_channel(const struct form *send, const struct form *recv)
{
	return send->word == recv->word && send->numbered == recv->numbered && send->number == recv->number &&
	       !send->varies && !recv->varies && value_is_constant(&send->communicator) &&
	       !memcmp(&send->communicator, &recv->communicator, sizeof send->communicator);
}

/* Are these ranks, from first to last, all in the set? */
static bool has_run(const struct ranks *set, uint32_t first, uint32_t last)
{
	struct ranks_run run = {first, last};
	struct ranks wanted = {.run = &run, .length = 1};
	return first > last || ranks_within(&wanted, set);
}

/* One end of messages to neighbours. */
struct end {
	struct form form;
	uint32_t along;
	int64_t step;
};

/* As many of a kind are looked at. */
#define ENDS_MOST 16

struct ends {
	struct end send[ENDS_MOST], recv[ENDS_MOST];
	size_t sends, recvs;
};

/* Keep the statement if all of a line execute it but for the one at the end that has no neighbour;
   of a grid, all. */
static void note_end(const struct program *p, const struct statement *s, struct ranks_run who, struct ends *ends)
{
	struct end e = {.form = program_get_form(p, s->event)};
	bool send = e.form.kind == EVENT_SEND;
	if (!send && e.form.kind != EVENT_RECV)
		return;
	e.along = step_of(p, &e.form.peer, &e.step);
	struct ranks set = dictionary_get_ranks(p->dictionary, s->set);
	uint32_t up = e.step > 0 && e.along == LINE, down = e.step < 0 && e.along == LINE;
	if (e.along == NO_STEP || !has_run(&set, who.first + down, who.last - up))
		return;
	if (send && ends->sends < ENDS_MOST)
		ends->send[ends->sends++] = e;
	else if (!send && ends->recvs < ENDS_MOST)
		ends->recv[ends->recvs++] = e;
}

static bool holds_together(const struct program *p, const struct ends *ends, struct ranks_run who)
{
	bool joined[NO_STEP] = {false}, grid = p->grid.axes && !who.first && who.last == p->processes - 1;
	for (size_t i = 0; i < ends->sends; i++)
		for (size_t k = 0; k < ends->recvs; k++) {
			const struct end *send = &ends->send[i], *recv = &ends->recv[k];
			if (send->along == recv->along && send->step == -recv->step &&
				same_channel(&send->form, &recv->form))
				joined[send->along] = true;
		}
	for (uint32_t i = 0; i < p->grid.axes; i++)
		grid = grid && (joined[i] || p->grid.size[i] == 1);
	return joined[LINE] || grid;
}

bool neighbours_join_all(const struct program *p, size_t loop)
{
	const struct statement *l = &p->statement[loop];
	struct ranks who = dictionary_get_ranks(p->dictionary, l->set);
	struct ends ends = {.sends = 0};
	if (who.length != 1)
		return false;
	for (size_t i = loop + 1; i < loop + l->size; i += statement_size(&p->statement[i])) {
		const struct statement *s = &p->statement[i];
		if (!statement_is_loop(s) && s->set != STATEMENT_PLAIN)
			note_end(p, s, who.run[0], &ends);
	}
	return holds_together(p, &ends, who.run[0]);
}
