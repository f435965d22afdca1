/*
 * unroll.c -- short loops that meet single events on the other side.
 *
 * A few trailing Allreduces become a loop on some processes and stay single on others, where
 * something stands between them. Written out, each sync of the loop shares a line with those of the
 * others, and each message stands with its other end. That is done where the model does not grow by
 * it: n iterations of a body of c constructs, of whose syncs m meet single ones, cost n c - m
 * instead of 1 + c.
 */
#include "merge/unroll.h"

#include <stdlib.h>

#include "model/dictionary.h"

/* Two walks through the system: first every single event leaves its number, then every loop sees
   which of its numbers it meets. */
struct visit {
	struct reduction *r;
	struct scratch *scratch;
	struct matching matching;
	uint64_t singles; /* single events; of a sync all members are one */
	uint64_t written;
};

static void see_event(struct visit *v, struct item *item)
{
	uint32_t side = item->loop ? NO_SIDE : v->r->loops.side_of[item->event];
	if (side == NO_SIDE)
		return;
	bool sync = kind_gathers(dictionary_get_event(v->r->dictionary, item->event)->kind);
	uint32_t self = (uint32_t)v->singles, owner = scratch_meet(v->r, v->scratch, &v->matching, side, 0, self);
	v->singles += !sync || owner == self;
}

static void walk_system(struct visit *v, struct system *s, void (*see)(struct visit *, struct item *),
	void (*leave)(const struct reduction *, struct scratch *, const struct item *))
{
	for (size_t p = 0; p < s->strands; p++)
		for (size_t i = 0; i < s->strand[p].length; i++) {
			see(v, &s->strand[p].item[i]);
			scratch_count(v->r, v->scratch, &s->strand[p].item[i]);
		}
	for (size_t p = 0; p < s->strands; p++)
		for (size_t i = 0; i < s->strand[p].length; i++)
			leave(v->r, v->scratch, &s->strand[p].item[i]);
}

/* By flow of the loop: an event of that side in the body itself (those in inner loops would still
   be in a loop), or NONE. */
static uint32_t *events_in_body(const struct reduction *r, const struct strand_loop *l)
{
	uint32_t *event = mem_array(l->flows, sizeof *event);
	for (uint32_t k = 0; k < l->flows; k++)
		event[k] = NONE;
	for (uint32_t i = 0; i < l->length; i++)
		if (!l->body[i].loop && r->loops.side_of[l->body[i].event] != NO_SIDE)
			event[loop_flow_index(l, r->loops.side_of[l->body[i].event])] = l->body[i].event;
	return event;
}

/* The owner of what loops leave behind, where they meet no single event. */
#define LOOP MATCHING_NONE

/* How many of the loop's messages on a side meet single events? */
static uint64_t count_met(struct visit *v, const struct strand_loop *l, const struct flow *f)
{
	uint64_t first = v->scratch->count[f->side], met = 0;
	struct match_end end = {first, first + l->count * f->count, LOOP, 0};
	struct match match;
	while (matching_next(
		&v->matching, &v->scratch->slot[v->r->channel_of[f->side]], &v->scratch->stand[f->side], &end, &match))
		met += match.owner == LOOP ? 0 : match.count;
	return met;
}

/* Marks the loops to write out, for lack of another place, by their `apart`. */
#define WRITE_OUT UINT32_MAX

static void weigh(struct visit *v, struct item *item)
{
	const struct strand_loop *l = item->loop;
	if (!l || item_joint(item))
		return;
	uint64_t body = l->constructs - 1, shared = 0;
	bool meets = false;
	if (l->count > v->singles || body > v->singles / l->count)
		return;
	uint32_t *event = events_in_body(v->r, l);
	for (uint32_t k = 0; k < l->flows; k++) {
		if (event[k] == NONE)
			continue;
		uint64_t n = count_met(v, l, &l->flow[k]);
		bool sync = kind_gathers(dictionary_get_event(v->r->dictionary, event[k])->kind);
		meets |= n > 0;
		shared += sync ? n : 0;
	}
	free(event);
	if (meets && l->count * body <= shared + 1 + body)
		item->apart = WRITE_OUT;
}

static void write_out(struct visit *v, const struct loop_context *c, struct strand *s)
{
	struct strand fresh = {.process = s->process};
	bool any = false;
	for (size_t i = 0; i < s->length && !any; i++)
		any = s->item[i].apart == WRITE_OUT;
	if (!any)
		return;
	for (size_t i = 0; i < s->length; i++) {
		if (s->item[i].apart != WRITE_OUT) {
			strand_add(&fresh, s->item[i]);
			continue;
		}
		const struct strand_loop *l = s->item[i].loop;
		for (uint64_t k = 0; k < l->count; k++)
			strand_add_iteration(&fresh, c, l->body, l->length, (int64_t)k);
		v->written++;
	}
	free(s->item);
	*s = fresh;
}

void unroll_short(struct reduction *r, struct system *s)
{
	struct visit v = {.r = r, .scratch = scratch_take(r)};
	walk_system(&v, s, see_event, scratch_rewind);
	if (v.singles) {
		walk_system(&v, s, weigh, scratch_forget);
		for (size_t p = 0; p < s->strands; p++)
			write_out(&v, &r->loops, &s->strand[p]);
		tally_add(r, TALLY_UNROLLED, v.written);
	}
	scratch_give(r, v.scratch);
	matching_clear(&v.matching);
}
