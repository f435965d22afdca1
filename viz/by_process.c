/*
 * by_process.c -- every statement of a body is put, for each of its ranks, at the place (lane of
 * the rank, number of the statement among those of the rank); statements that meet at a place are
 * one. Where lanes are single ranks nothing ever meets, but for collectives that a body holds in
 * parts (one line per process, as before the reduction): the k-th parts of all members are one. On
 * a lane of different ranks, what is neither loop nor collective is counted in blocks.
 */
#include "viz/raws.h"

static void add_block(struct builder *b, uint32_t lane, size_t at)
{
	struct row *p = &b->row[lane];
	uint32_t raw = p->length ? p->raw[p->length - 1] : SCENE_NONE;
	if (raw == SCENE_NONE || b->raw[raw].kind != ITEM_BLOCK) {
		raw = raws_add(b, ITEM_BLOCK, at);
		raws_append(b, lane, raw);
	}
	b->raw[raw].count++;
	b->raw[raw].events++;
	b->raw[raw].messages += b->scene->drawn->messages[at];
}

static void add_sync(struct builder *b, size_t at, const struct ranks *who)
{
	struct drawn *d = b->scene->drawn;
	uint32_t raw = raws_add(b, ITEM_SYNC, at);
	b->raw[raw].process = who->run[0].first;
	b->raw[raw].events = ranks_count(who);
	raws_put_all(b, who, raw);
	struct drawn_event e = drawn_event_at(d, at, who->run[0].first, d->first);
	struct ranks group = ends_group(&d->ends, e.channel);
	struct ranks_walk walk = {0};
	for (uint32_t r; b->join_parts && !ranks_equal(who, &group) && ranks_next(who, &walk, &r);)
		raws_join_part(b, e.channel, r, raw);
}

static void add_event(struct builder *b, size_t at, const struct ranks *who)
{
	uint32_t process = who->run[0].first;
	if (b->scene->mixed[b->lane_of[process]]) {
		add_block(b, b->lane_of[process], at);
		return;
	}
	uint32_t raw = raws_add(b, raws_kind(b, at), at);
	b->raw[raw].process = process;
	b->raw[raw].events = 1;
	b->raw[raw].messages = b->scene->drawn->messages[at];
	raws_put(b, process, raw);
	raws_open(b, at, 1);
	b->raw_of[b->first_raw[at]] = raw;
}

static void add_loop(struct builder *b, size_t at, const struct ranks *who)
{
	struct drawn *d = b->scene->drawn;
	uint32_t raw = raws_add(b, ITEM_LOOP, at);
	b->raw[raw].past = drawn_behind(d, at);
	b->raw[raw].count = drawn_count(d, at, d->first);
	b->raw[raw].events = d->events[at];
	b->raw[raw].messages = d->messages[at];
	b->raw[raw].share = b->scene->share ? b->scene->share[at] : TIMES_UNKNOWN;
	raws_put_all(b, who, raw);
	raws_open(b, at, 1);
	b->raw_of[b->first_raw[at]] = raw;
}

void raws_of_processes(struct builder *b, size_t from, size_t past)
{
	for (size_t i = from; i < past; i = drawn_behind(b->scene->drawn, i)) {
		struct ranks who = drawn_who(b->scene->drawn, i);
		if (!who.length)
			continue; /* nobody executes it */
		if (drawn_is_loop(b->scene->drawn, i))
			add_loop(b, i, &who);
		else if (drawn_match(b->scene->drawn, i) == MATCH_GROUP)
			add_sync(b, i, &who);
		else
			add_event(b, i, &who);
	}
}
