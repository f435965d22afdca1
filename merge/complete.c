/*
 * complete.c -- is every message of a model received, has every collective all its members? Judged
 * from its text alone, by counting; loops are never run. What each construct of a body carries on
 * each side is summed up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "merge/merge.h"
#include "model/sides.h"
#include "merge/strand.h"

struct carried {
	uint32_t side;
	uint64_t count; /* per iteration */
};

/* What one construct of a listing carries on one side. */
struct span {
	uint32_t channel, side, index;
	uint64_t first, past;
};

struct table {
	struct carried *item;
	size_t length;
};

struct verifier {
	const struct model *model;
	struct sides sides;
	struct table *loop; /* by loop: per iteration */
	struct span *span;
	size_t spans, span_capacity;
};

static void add_span(struct verifier *v, uint32_t side, uint32_t index, uint64_t count)
{
	v->span = mem_grow(v->span, &v->span_capacity, v->spans + 1, sizeof *v->span);
	v->span[v->spans++] = (struct span){v->sides.channel_of[side], side, index, 0, count};
}

/* One span per construct and side, in the order of the listing, not yet placed. */
static void gather(struct verifier *v, struct body body)
{
	v->spans = 0;
	for (uint32_t i = 0; i < body.length; i++) {
		if (node_is_loop(body.node[i])) {
			const struct table *t = &v->loop[body.node[i] & ~NEST_LOOP];
			uint64_t count = nest_get(v->model->nest, body.node[i])->count;
			for (size_t k = 0; count && k < t->length; k++)
				add_span(v, t->item[k].side, i, saturating_multiply(count, t->item[k].count));
			continue;
		}
		struct ranks_run single;
		struct ranks who = event_processes(v->model->dictionary, body.node[i], &single);
		struct ranks_walk walk = {0};
		for (uint32_t p; ranks_next(&who, &walk, &p);) {
			uint32_t side = sides_of(&v->sides, body.node[i], p);
			if (side != NO_SIDE)
				add_span(v, side, i, 1);
		}
	}
}

static int by_place(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Sort the spans by channel, side and place, and number the messages. */
static void place(struct verifier *v)
{
	if (v->spans)
		qsort(v->span, v->spans, sizeof *v->span, by_place);
	for (size_t i = 0; i < v->spans; i++) {
		struct span *s = &v->span[i];
		if (i && s[-1].side == s->side) {
			uint64_t count = s->past;
			s->first = s[-1].past;
			s->past = s->first > UINT64_MAX - count ? UINT64_MAX : s->first + count;
		}
	}
}

static void keep_table(struct verifier *v, struct table *t)
{
	size_t sides = 0;
	for (size_t i = 0; i < v->spans; i++)
		sides += i + 1 == v->spans || v->span[i + 1].side != v->span[i].side;
	*t = (struct table){mem_array(sides, sizeof *t->item), 0};
	for (size_t i = 0; i < v->spans; i++)
		if (i + 1 == v->spans || v->span[i + 1].side != v->span[i].side)
			t->item[t->length++] = (struct carried){v->span[i].side, v->span[i].past};
}

#define CHANNELS_SHOWN 10

struct shown {
	struct text list;
	uint64_t channels, leftovers; /* of the latter, sends alone are left, */
	uint64_t sends; /* ... so many */
};

static void show_channel(struct shown *s, const struct text *line)
{
	if (s->channels++ < CHANNELS_SHOWN)
		text_format(&s->list, "\n  %s", line->data);
}

static void put_plural(struct text *out, uint64_t n, const char *noun)
{
	text_number(out, n);
	text_format(out, " %s%s", noun, n == 1 ? "" : "s");
}

static void check_messages(struct verifier *v, const struct span *s, size_t sides, struct shown *shown)
{
	uint64_t sent = 0, received = 0;
	for (size_t i = 0; i < sides; i++)
		*(sides_sends(&v->sides, s[i].side) ? &sent : &received) = s[i].past;
	if (sent == received)
		return;
	struct text line = {0};
	sides_print(&v->sides, s->channel, &line);
	text_put(&line, ": ");
	put_plural(&line, sent, "send");
	text_put(&line, ", ");
	put_plural(&line, received, "receive");
	show_channel(shown, &line);
	shown->leftovers += sent > received;
	shown->sends += sent > received ? sent - received : 0;
	text_clear(&line);
}

/* A member of a collective, and how often it came. */
struct member {
	uint64_t times;
	uint32_t process;
};

static int by_process(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	return (x->process > y->process) - (x->process < y->process);
}

static int by_times(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	return x->times != y->times ? (x->times < y->times ? -1 : 1) : by_process(a, b);
}

/* Those that came equally often, and which time they miss first. */
static void put_missing(struct text *line, const struct member *member, size_t members)
{
	struct ranks who = {0};
	for (size_t i = 0; i < members; i++)
		ranks_add(&who, member[i].process);
	text_put(line, member->times ? "by " : "never by ");
	ranks_print(&who, line);
	if (member->times) {
		text_put(line, " only ");
		put_plural(line, member->times, "time");
		text_put(line, " (the ");
		text_ordinal(line, member->times + 1);
		text_put(line, " is missing)");
	}
	ranks_clear(&who);
}

#define COUNTS_SHOWN 3

static void check_members(
	struct verifier *v, const struct span *s, size_t sides, const struct ranks *group, struct shown *shown)
{
	struct member *member = mem_array(ranks_count(group), sizeof *member);
	struct ranks_walk walk = {0};
	size_t members = 0, told = 0;
	uint64_t most = 0;
	for (uint32_t p; ranks_next(group, &walk, &p);)
		member[members++] = (struct member){0, p};
	for (size_t i = 0; i < sides; i++) {
		struct member wanted = {0, sides_process(&v->sides, s[i].side)};
		struct member *here = bsearch(&wanted, member, members, sizeof *member, by_process);
		here->times = s[i].past;
		most = s[i].past > most ? s[i].past : most;
	}
	qsort(member, members, sizeof *member, by_times);
	if (member->times != most) {
		struct text line = {0};
		sides_print(&v->sides, s->channel, &line);
		text_put(&line, ": ");
		put_plural(&line, most, "time");
		text_put(&line, ", but ");
		for (size_t i = 0, past; i < members && member[i].times < most; i = past, told++) {
			for (past = i; past < members && member[past].times == member[i].times;)
				past++;
			if (told < COUNTS_SHOWN) {
				text_put(&line, told ? ", " : "");
				put_missing(&line, member + i, past - i);
			}
		}
		if (told > COUNTS_SHOWN)
			text_put(&line, ", ...");
		show_channel(shown, &line);
		text_clear(&line);
	}
	free(member);
}

/* Reduce the spans of the root to one per side: how much it carries in all. */
static size_t totals(struct verifier *v)
{
	size_t kept = 0;
	for (size_t i = 0; i < v->spans; i++)
		if (i + 1 == v->spans || v->span[i + 1].side != v->span[i].side)
			v->span[kept++] = v->span[i];
	return kept;
}

bool merge_complete_but_sends(const struct model *m, uint64_t *never_received, struct error *error)
{
	struct verifier v = {.model = m};
	struct shown shown = {0};
	sides_start(&v.sides, m->dictionary);
	v.loop = mem_zero(m->nest->loops * sizeof *v.loop);
	for (uint32_t i = 0; i < m->nest->loops; i++) {
		gather(&v, nest_body(m->nest, i | NEST_LOOP));
		place(&v);
		keep_table(&v, &v.loop[i]);
	}
	struct body root = {m->nest->root, m->nest->root_length};
	gather(&v, root);
	place(&v);
	size_t sides = totals(&v);
	for (size_t at = 0, end; at < sides; at = end) {
		struct ranks group;
		for (end = at; end < sides && v.span[end].channel == v.span[at].channel;)
			end++;
		if (sides_group(&v.sides, v.span[at].channel, &group))
			check_members(&v, v.span + at, end - at, &group, &shown);
		else if (!sides_wide(&v.sides, v.span[at].channel))
			check_messages(&v, v.span + at, end - at, &shown);
	}
	if (shown.channels) {
		error_set(error, ERROR_INCONSISTENT, "%llu channel%s with unmatched messages or syncs:%s",
			(unsigned long long)shown.channels, shown.channels == 1 ? "" : "s", shown.list.data);
		if (shown.channels > CHANNELS_SHOWN) {
			size_t used = strlen(error->message);
			snprintf(error->message + used, sizeof error->message - used, "\n  and %llu more",
				(unsigned long long)(shown.channels - CHANNELS_SHOWN));
		}
	}
	*never_received = shown.channels == shown.leftovers ? shown.sends : 0;
	for (uint32_t i = 0; i < m->nest->loops; i++)
		free(v.loop[i].item);
	free(v.loop);
	free(v.span);
	text_clear(&shown.list);
	sides_end(&v.sides);
	return !shown.channels;
}
