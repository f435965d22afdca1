/*
 * changes_order.c -- what no call site tells by itself: the order of the calls of a rank, what can
 * overlap, and what wildcards may be the reason of.
 */
#include "report/changes_work.h"

#include <inttypes.h>

/* Differences of order that are told; units that are looked ahead. */
#define ORDERS_TOLD 8
#define AHEAD 4096

/* ------------------------------------------------------------------ the order of a rank */

/* The next call of a rank, in units; of loops that are loose none. */
static bool next_call(
	const struct comparing *c, struct cursor *w, uint32_t side, struct site_call *call, uint32_t *unit)
{
	while (cursor_next(w)) {
		if (!kind_is_call(node_of(w->at.store, w->event)->sub))
			continue;
		call_sites_at(c->calls[side], w, call);
		*unit = c->unit_of[side][call->site];
		if (!c->unit[*unit].counts_vary)
			return true;
	}
	*unit = NONE;
	return false;
}

/* How far ahead a unit comes. */
static size_t ahead(const struct comparing *c, struct cursor *w, uint32_t side, uint32_t wanted)
{
	struct site_call call;
	uint32_t unit;
	size_t n = 0;
	while (n < AHEAD && next_call(c, w, side, &call, &unit) && unit != wanted)
		n++;
	return n;
}

struct parting changes_part(struct comparing *c, uint32_t rank)
{
	struct parting p = {0};
	struct cursor *w[SIDES];
	bool more[SIDES];
	for (uint32_t side = 0; side < SIDES; side++)
		w[side] = cursor_new(c->calls[side]->run, rank);
	do {
		for (uint32_t side = 0; side < SIDES; side++)
			more[side] = next_call(c, w[side], side, &p.call[side], &p.unit[side]);
		p.parted = more[GOLDEN] != more[RUN] || p.unit[GOLDEN] != p.unit[RUN];
		if (!p.parted && more[RUN]) {
			struct site_call x = changes_bare_call(c, &p.call[GOLDEN], &c->unit[p.unit[GOLDEN]]),
					 y = changes_bare_call(c, &p.call[RUN], &c->unit[p.unit[RUN]]);
			p.parted = memcmp(&x, &y, sizeof x) != 0;
		}
	} while (!p.parted && more[RUN]);
	if (p.parted && more[GOLDEN] && more[RUN] && p.unit[GOLDEN] != p.unit[RUN])
		p.moved =
			ahead(c, w[RUN], RUN, p.unit[GOLDEN]) > ahead(c, w[GOLDEN], GOLDEN, p.unit[RUN]) ? GOLDEN : RUN;
	cursor_free(w[GOLDEN]);
	cursor_free(w[RUN]);
	return p;
}

static void say_order(struct comparing *c, const struct parting *p, uint32_t rank)
{
	struct text words = {0};
	const struct site_unit *was = &c->unit[p->unit[GOLDEN]], *is = &c->unit[p->unit[RUN]];
	if (was == is) {
		struct text old = {0}, new = {0};
		enum change_kind field = CHANGE_PEER;
		for (enum change_kind f = CHANGE_NAME; f < CHANGE_ORDER; f++) {
			if (f == CHANGE_COUNT || !changes_has_field(c, &p->call[RUN], f))
				continue;
			text_truncate(&old, 0);
			text_truncate(&new, 0);
			changes_put_value(c, is, f, &p->call[GOLDEN], &old);
			changes_put_value(c, is, f, &p->call[RUN], &new);
			field = f;
			if (strcmp(old.data, new.data) != 0)
				break;
		}
		text_format(&words, "%s goes another way round: on rank %" PRIu32 " %s%s comes where %s%s was",
			changes_name_of(c, is, RUN), rank, changes_field_prefix(field), new.data,
			changes_field_prefix(field), old.data);
		text_clear(&old);
		text_clear(&new);
		changes_add_change(c, CHANGE_ORDER, is, is->site[RUN], &words);
		return;
	}
	const struct site_unit *moved = p->moved == GOLDEN ? was : is, *other = p->moved == GOLDEN ? is : was;
	const struct site_call *call = &p->call[p->moved];
	bool completes = kind_receives(call->kind) && call->other != INTERN_NONE;
	text_format(&words, "%s %s %s ", changes_name_of(c, moved, RUN), completes ? "is now completed" : "now comes",
		p->moved == GOLDEN ? "after" : "before");
	const struct site *at = parts_of(c, other, RUN);
	text_put(&words, changes_name_of(c, other, RUN));
	if (at->line)
		text_format(&words, " at %.*s:%" PRIu64, (int)at->length, at->file, at->line);
	text_format(&words, " on rank %" PRIu32 ", in the golden program %s it", rank,
		p->moved == GOLDEN ? "before" : "after");
	changes_add_change(c, CHANGE_ORDER, moved, moved->site[RUN], &words);
}

void changes_say_orders(struct comparing *c, const struct parting *parting)
{
	uint32_t told[ORDERS_TOLD][SIDES], count = 0;
	for (uint32_t r = 0; r < c->program[GOLDEN]->processes && count < ORDERS_TOLD; r++) {
		bool known = !parting[r].parted || c->excused[r] || parting[r].unit[GOLDEN] == NONE ||
			     parting[r].unit[RUN] == NONE;
		for (uint32_t i = 0; i < count && !known; i++)
			known = !memcmp(told[i], parting[r].unit, sizeof told[i]);
		if (known)
			continue;
		memcpy(told[count++], parting[r].unit, sizeof *told);
		say_order(c, &parting[r], r);
	}
}

/* ------------------------------------------------------------------ requests */

void changes_say_overlap(struct comparing *c, const struct site_unit *u)
{
	int64_t least[SIDES] = {INT64_MAX, INT64_MAX};
	struct text words = {0};
	for (size_t i = u->first; i < u->end; i++) {
		const struct site_item *x = &c->item[i];
		if (x->call.apart != CALL_UNTOLD && x->call.apart < least[x->side])
			least[x->side] = x->call.apart;
	}
	text_format(&words,
		"%s is complete after at least %" PRId64
		" other calls of its rank, in the golden program after %" PRId64,
		changes_name_of(c, u, RUN), least[RUN], least[GOLDEN]);
	text_put(&words, least[RUN] < least[GOLDEN] ? ": less can overlap" : "");
	changes_add_change(c, CHANGE_OVERLAP, u, u->site[RUN], &words);
}

/* ------------------------------------------------------------------ wildcards */

static bool hears_from(const struct comparing *c, const struct site_call *call, const bool *them)
{
	if (!kind_gathers(call->kind))
		return changes_is_among(c, them, call->peer);
	struct ranks group = call_sites_group(c->words, call);
	struct ranks_walk walk = {0};
	bool any = false;
	for (uint32_t r; !any && ranks_next(&group, &walk, &r);)
		any = changes_is_among(c, them, r);
	return any;
}

/* Ranks that differ, and hear from such ranks, too. */
static void spread(const struct comparing *c, bool *them)
{
	bool more = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < c->items; i++) {
			const struct site_call *call = &c->item[i].call;
			if (c->differs[call->rank] && !them[call->rank] && hears_from(c, call, them))
				them[call->rank] = more = true;
		}
	}
}

/*
 * What comes first may be another thing in each run, and all that follows from it. Which calls a
 * rank makes may follow wherever it takes what comes first; the order, where its streams part at
 * such a call.
 */
void changes_foresee(struct comparing *c, const struct parting *parting)
{
	for (size_t i = 0; i < c->items; i++)
		if (c->item[i].call.loose && c->differs[c->item[i].call.rank])
			c->unforeseen[c->item[i].call.rank] = true;
	for (uint32_t r = 0; r < c->program[GOLDEN]->processes; r++)
		for (uint32_t side = 0; side < SIDES; side++)
			c->excused[r] |=
				parting[r].parted && parting[r].unit[side] != NONE && parting[r].call[side].loose;
	spread(c, c->unforeseen);
	spread(c, c->excused);
}

/* Receives that took messages from anybody name one now, or the other way round. */
bool changes_say_wildcards(struct comparing *c, const struct site_unit *u)
{
	bool any[SIDES] = {false, false}, receives = false;
	for (size_t i = u->first; i < u->end; i++) {
		any[c->item[i].side] |= c->item[i].call.loose;
		receives |= kind_receives(c->item[i].call.kind);
	}
	if (!receives || u->tested || !c->told[CHANGE_CALL] || any[GOLDEN] == any[RUN])
		return false;
	struct text words = {0};
	text_format(&words, "%s %s messages from anybody", changes_name_of(c, u, RUN),
		any[RUN] ? "now takes" : "no longer takes");
	changes_add_change(c, CHANGE_PEER, u, u->site[RUN], &words);
	return true;
}
