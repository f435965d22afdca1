/*
 * by_process.c -- every statement of a body is put, for each of its ranks, at the place (lane of
 * the rank, number of the statement among those of the rank); statements that meet at a place are
 * one. Where lanes are single ranks nothing ever meets, but for collectives that a body holds in
 * parts (one line per process, as before the reduction): the k-th parts of all members are one. On
 * a lane of different ranks, what is neither loop nor collective is counted in blocks.
 */
#include "viz/raws.h"

static void add_block(struct builder *b, uint32_t lane, size_t at, const struct event *e)
{
	struct row *p = &b->row[lane];
	uint32_t raw = p->length ? p->raw[p->length - 1] : SCENE_NONE;
	if (raw == SCENE_NONE || b->raw[raw].kind != ITEM_BLOCK) {
		raw = raws_add(b, ITEM_BLOCK, at);
		raws_append(b, lane, raw);
	}
	b->raw[raw].count++;
	b->raw[raw].events++;
	b->raw[raw].messages += e->kind == EVENT_SEND;
}

static void add_sync(struct builder *b, size_t at, const struct event *e)
{
	const struct dictionary *d = scene_dictionary(b->scene);
	struct ranks_run single;
	struct ranks members = event_processes(d, raws_statement(b, at)->event, &single);
	struct ranks group = dictionary_get_ranks(d, dictionary_get_sync(d, e->subject)->group);
	uint32_t raw = raws_add(b, ITEM_SYNC, at), channel = e->subject;
	b->raw[raw].event = raws_statement(b, at)->event;
	b->raw[raw].events = ranks_count(&members);
	raws_put_all(b, &members, raw);
	if (!b->join_parts || !members.length || ranks_equal(&members, &group))
		return;
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(&members, &walk, &r);)
		raws_join_part(b, channel, r, raw);
}

static void add_event(struct builder *b, size_t at)
{
	static const enum item_kind kinds[] = {
		[EVENT_SEND] = ITEM_SEND, [EVENT_RECV] = ITEM_RECV, [EVENT_LOCAL] = ITEM_LOCAL};
	uint32_t event = raws_statement(b, at)->event;
	struct event e = *dictionary_get_event(scene_dictionary(b->scene), event);
	if (e.kind == EVENT_SYNC) {
		add_sync(b, at, &e);
		return;
	}
	uint32_t lane = b->lane_of[e.process];
	if (b->scene->mixed[lane]) {
		add_block(b, lane, at, &e);
		return;
	}
	uint32_t raw = raws_add(b, kinds[e.kind], at);
	b->raw[raw].event = event;
	b->raw[raw].events = 1;
	b->raw[raw].messages = e.kind == EVENT_SEND;
	raws_put(b, e.process, raw);
	raws_open(b, at, 1);
	b->raw_of[b->first_raw[at]] = raw;
}

static void add_loop(struct builder *b, size_t at)
{
	const struct drawn *d = b->scene->drawn;
	struct ranks who = coverage_of(d->coverage, at);
	if (!who.length)
		return; /* nobody executes it */
	uint32_t raw = raws_add(b, ITEM_LOOP, at);
	b->raw[raw].past = at + raws_statement(b, at)->size;
	b->raw[raw].count = raws_statement(b, at)->count;
	b->raw[raw].events = d->events[at];
	b->raw[raw].messages = d->messages[at];
	b->raw[raw].share = b->scene->share ? b->scene->share[at] : TIMES_UNKNOWN;
	raws_put_all(b, &who, raw);
	raws_open(b, at, 1);
	b->raw_of[b->first_raw[at]] = raw;
}

void raws_of_processes(struct builder *b, size_t from, size_t past)
{
	for (size_t i = from; i < past; i += statement_size(raws_statement(b, i))) {
		if (statement_is_loop(raws_statement(b, i)))
			add_loop(b, i);
		else
			add_event(b, i);
	}
}
