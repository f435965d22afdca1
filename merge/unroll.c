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

#include "base/search.h"
#include "model/dictionary.h"

/* Which end of a channel an event is; the ends that meet are opposite, but all members of a sync
   are alike. */
enum end { SENDS, RECEIVES, SYNCS };

struct met {
	uint32_t channel;
	enum end end;
	uint64_t number;
};

static int met_compare(const void *a, const void *b)
{
	const struct met *x = a, *y = b;
	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static enum end end_of(const struct reduction *r, uint32_t event)
{
	uint32_t kind = dictionary_get_event(r->dictionary, event)->kind;
	return kind == EVENT_SYNC ? SYNCS : kind == EVENT_SEND ? SENDS : RECEIVES;
}

static enum end opposite(enum end e)
{
	return e == SYNCS ? SYNCS : e == SENDS ? RECEIVES : SENDS;
}

/* Visit every single event of the system with its number, and every loop with the counts before
   it. */
struct visit {
	void (*event)(struct visit *, const struct met *);
	void (*loop)(struct visit *, struct item *, const uint64_t *count);
	struct met *met;
	size_t length, capacity;
	struct reduction *r;
	uint64_t written;
};

static void walk_system(struct visit *v, struct system *s)
{
	struct reduction *r = v->r;
	struct scratch *scratch = scratch_take(r);
	for (size_t p = 0; p < s->strands; p++) {
		for (size_t i = 0; i < s->strand[p].length; i++) {
			struct item *item = &s->strand[p].item[i];
			uint32_t side = item->loop ? NO_SIDE : r->loops.side_of[item->event];
			if (item->loop && !item->joint && v->loop)
				v->loop(v, item, scratch->count);
			if (side != NO_SIDE && v->event)
				v->event(v, &(struct met){
						    r->channel_of[side], end_of(r, item->event), scratch->count[side]});
			scratch_count(r, scratch, item);
		}
		for (size_t i = 0; i < s->strand[p].length; i++)
			scratch_uncount(r, scratch, &s->strand[p].item[i]);
	}
	scratch_give(r, scratch);
}

static void collect(struct visit *v, const struct met *met)
{
	v->met = mem_grow(v->met, &v->capacity, v->length + 1, sizeof *v->met);
	v->met[v->length++] = *met;
}

static void sort_met(struct visit *v)
{
	size_t kept = 0;
	if (v->length)
		qsort(v->met, v->length, sizeof *v->met, met_compare);
	for (size_t i = 0; i < v->length; i++)
		if (!kept || met_compare(&v->met[kept - 1], &v->met[i]))
			v->met[kept++] = v->met[i];
	v->length = kept;
}

struct met_key {
	const struct visit *visit;
	struct met key;
};

static bool is_met_or_behind(const void *context, size_t i)
{
	const struct met_key *k = context;
	return met_compare(&k->visit->met[i], &k->key) >= 0;
}

static size_t met_before(const struct visit *v, struct met key)
{
	return search_first(0, v->length, is_met_or_behind, &(struct met_key){v, key});
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

/* How many of the loop's messages on a side meet single events? */
static size_t count_met(
	const struct visit *v, const struct strand_loop *l, const struct flow *f, const uint64_t *count, enum end end)
{
	struct met first = {v->r->channel_of[f->side], opposite(end), count[f->side]}, past = first;
	past.number += l->count * f->count;
	return met_before(v, past) - met_before(v, first);
}

/* Marks the loops to write out, for lack of another place, by their `apart`. */
#define WRITE_OUT UINT32_MAX

static void weigh(struct visit *v, struct item *item, const uint64_t *count)
{
	const struct strand_loop *l = item->loop;
	uint64_t body = l->constructs - 1, shared = 0;
	bool meets = false;
	if (l->count > v->length || body > v->length / l->count)
		return;
	uint32_t *event = events_in_body(v->r, l);
	for (uint32_t k = 0; k < l->flows; k++) {
		if (event[k] == NONE)
			continue;
		enum end end = end_of(v->r, event[k]);
		size_t n = count_met(v, l, &l->flow[k], count, end);
		meets |= n > 0;
		shared += end == SYNCS ? n : 0;
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
	struct visit v = {.r = r, .event = collect};
	walk_system(&v, s);
	if (v.length) {
		sort_met(&v);
		v.event = NULL;
		v.loop = weigh;
		walk_system(&v, s);
		for (size_t p = 0; p < s->strands; p++)
			write_out(&v, &r->loops, &s->strand[p]);
		tally_add(r, TALLY_UNROLLED, v.written);
	}
	free(v.met);
}
