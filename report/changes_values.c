/*
 * changes_values.c -- what a call site does otherwise: how often, and with which values.
 */
#include "report/changes_work.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

#define VALUES_TOLD 4

/* ------------------------------------------------------------------ how often */

/* By rank, ANYBODY behind the last; and how often all do it. */
static uint64_t (*counts_of(const struct comparing *c, const struct site_unit *u, bool merged))[SIDES]
{
	uint32_t processes = c->program[GOLDEN]->processes;
	uint64_t(*count)[SIDES] = mem_zero((processes + (size_t)1) * sizeof *count);
	for (size_t i = u->first; i < u->end; i++) {
		uint32_t rank = c->item[i].call.rank;
		count[merged && c->unforeseen[rank] ? processes : rank][c->item[i].side] += c->item[i].count;
	}
	return count;
}

struct count_words {
	struct ranks who; /* that do it */
	bool even; /* as often each, */
	uint64_t times; /* so often; else all together */
};

static struct count_words count_words_of(const struct comparing *c, uint64_t (*count)[SIDES], uint32_t side)
{
	uint32_t processes = c->program[GOLDEN]->processes;
	struct count_words w = {.even = !count[processes][side]};
	uint64_t all = 0;
	for (uint32_t r = 0; r < processes; r++)
		if (count[r][side]) {
			w.even = w.even && (!all || count[r][side] == w.times);
			w.times = count[r][side];
			all += count[r][side];
			ranks_add(&w.who, r);
		}
	if (!w.even)
		w.times = all + count[processes][side];
	return w;
}

static void put_times(const struct comparing *c, const struct count_words *w, bool ranks, struct text *to)
{
	if (w->times == 1)
		text_put(to, "once");
	else
		text_format(to, "%" PRIu64 " times", w->times);
	if (!w->even)
		text_put(to, " in all");
	else if (ranks) {
		text_put(to, ranks_count(&w->who) > 1 ? " each on " : " on ");
		changes_put_ranks(c, &w->who, to);
	}
}

void changes_say_there(struct comparing *c, const struct site_unit *u, uint32_t side)
{
	uint64_t(*count)[SIDES] = counts_of(c, u, false);
	struct count_words w = count_words_of(c, count, side);
	struct text words = {0};
	text_format(&words, "%s is %s: ", changes_name_of(c, u, side), side == RUN ? "new" : "gone");
	put_times(c, &w, true, &words);
	if (side == GOLDEN) {
		const struct site *at = parts_of(c, u, GOLDEN);
		text_put(&words, " in the golden program");
		if (at->line)
			text_format(&words, ", there %.*s:%" PRIu64, (int)at->length, at->file, at->line);
	}
	changes_add_change(c, side == RUN ? CHANGE_NEW : CHANGE_GONE, u, side == RUN ? u->site[RUN] : NONE, &words);
	ranks_clear(&w.who);
	free(count);
}

/* The first rank that differs. */
static void put_count_of_one(const struct comparing *c, uint64_t (*count)[SIDES], struct text *words)
{
	for (uint32_t r = 0; r < c->program[GOLDEN]->processes; r++)
		if (count[r][GOLDEN] != count[r][RUN]) {
			text_format(words, " (rank %" PRIu32 ": %" PRIu64 " instead of %" PRIu64 ")", r, count[r][RUN],
				count[r][GOLDEN]);
			return;
		}
}

static void say_counts(struct comparing *c, const struct site_unit *u, uint64_t (*count)[SIDES])
{
	struct count_words was = count_words_of(c, count, GOLDEN), is = count_words_of(c, count, RUN);
	struct text words = {0};
	bool same_ranks = ranks_equal(&was.who, &is.who);
	if (was.even && is.even && same_ranks && is.times == 2 * was.times)
		text_format(&words, "%s now runs twice as often: ", changes_name_of(c, u, RUN));
	else
		text_format(&words, "%s now runs ", changes_name_of(c, u, RUN));
	put_times(c, &is, !same_ranks || is.even, &words);
	text_put(&words, ", in the golden program ");
	put_times(c, &was, !same_ranks, &words);
	if (!is.even || !was.even)
		put_count_of_one(c, count, &words);
	changes_add_change(c, CHANGE_COUNT, u, u->site[RUN], &words);
	ranks_clear(&was.who);
	ranks_clear(&is.who);
}

/* ------------------------------------------------------------------ what they say */

/* A value of a field, on a rank. */
struct field_key {
	uint32_t rank, value;
};

/* Values that differ: those that are gone, and those that are new. */
struct field_change {
	struct intern *values;
	struct tally tally; /* of struct field_key */
	uint32_t *site; /* by key: of the run's first such call; NONE */
	uint32_t *list[SIDES]; /* values */
	size_t listed[SIDES];
	struct ranks who;
	uint32_t example, instead[SIDES]; /* a rank, and its first values; NONE */
	uint32_t at; /* a site of the run where it is; NONE */
};

/* "tag9" before "tag10". */
static void sort_values(struct field_change *f, uint32_t side)
{
	for (size_t i = 1; i < f->listed[side]; i++)
		for (size_t k = i; k > 0; k--) {
			uint32_t *x = &f->list[side][k - 1], swap = x[0];
			size_t n, m;
			const char *a = intern_data(f->values, x[0], &n), *b = intern_data(f->values, x[1], &m);
			if (n < m || (n == m && strcmp(a, b) <= 0))
				break;
			x[0] = x[1];
			x[1] = swap;
		}
}

static const char *value_at_place(const struct field_change *f, uint32_t side, size_t i)
{
	return intern_data(f->values, f->list[side][i], NULL);
}

static void put_values(const struct field_change *f, uint32_t side, struct text *to)
{
	size_t n = f->listed[side];
	for (size_t i = 0; i < n && i < VALUES_TOLD - (n > VALUES_TOLD); i++)
		text_format(to, "%s%s", i ? ", " : "", value_at_place(f, side, i));
	if (n > VALUES_TOLD)
		text_format(to, ", ... %s", value_at_place(f, side, n - 1));
	text_add(to, "", 0);
}

static bool is_in_unit(const struct comparing *c, const struct site_unit *u, uint32_t side, size_t line)
{
	const uint32_t *path;
	const struct module *m = c->program[side];
	const struct call_sites *calls = c->calls[side];
	size_t count = sites_of_event(c, side, line, &path);
	bool here = false;
	if (count && overview_node(&c->lines[side], line)->sub != calls->site[u->site[side]].kind)
		return false;
	for (size_t k = 0; k < count && !here; k++)
		for (uint32_t site = 0; site < calls->sites && !here; site++)
			here = c->unit_of[side][site] == (uint32_t)(u - c->unit) &&
			       !strcmp(calls->site[site].words, path_site(&m->places, path[k]));
	return here;
}

/* The peers of a unit as functions of the rank: "p+1, p-1"; nothing where these are many. */
static void put_peers(const struct comparing *c, const struct site_unit *u, uint32_t side, struct text *to)
{
	const struct module *m = c->program[side];
	struct intern *seen = intern_new();
	text_add(to, "", 0);
	for (size_t i = 0; i < m->lines && intern_count(seen) <= VALUES_TOLD; i++) {
		if (!is_in_unit(c, u, side, i))
			continue;
		struct text place = {0};
		const struct node *n = overview_node(&c->lines[side], i);
		node_id peer = n->kid[n->kid[COLUMN_PEER] ? COLUMN_PEER : COLUMN_ROOT];
		if (peer)
			node_print_place(m, peer, c->lines[side].line[i].loops, &place);
		intern_id(seen, place.length ? place.data : "", place.length);
		text_clear(&place);
	}
	for (uint32_t i = 0; i < intern_count(seen) && intern_count(seen) <= VALUES_TOLD; i++)
		text_format(to, "%s%s", i ? ", " : "", (const char *)intern_data(seen, i, NULL));
	intern_free(seen);
}

static void count_values(const struct comparing *c, const struct site_unit *u, enum change_kind field,
	uint64_t (*count)[SIDES], struct field_change *f)
{
	struct text text = {0};
	size_t room = 0;
	for (size_t i = u->first; i < u->end; i++) {
		struct site_call call = changes_together(c, &c->item[i].call);
		struct field_key key = {.rank = call.rank == ANYBODY ? c->program[GOLDEN]->processes : call.rank};
		if (!changes_has_field(c, &call, field) || !count[key.rank][GOLDEN] || !count[key.rank][RUN])
			continue;
		text_truncate(&text, 0);
		changes_put_value(c, u, field, &call, &text);
		key.value = intern_id(f->values, text.data, text.length);
		size_t known = f->tally.length;
		changes_tally_add(&f->tally, &key, sizeof key, c->item[i].side, c->item[i].count);
		f->site = mem_grow(f->site, &room, f->tally.length, sizeof *f->site);
		uint32_t *site = &f->site[intern_find(f->tally.keys, &key, sizeof key)];
		if (known < f->tally.length)
			*site = NONE;
		if (*site == NONE && c->item[i].side == RUN)
			*site = call.site;
	}
	text_clear(&text);
}

/* counted: all ranks make the call as often. */
static void find_values(const struct comparing *c, struct field_change *f, bool counted)
{
	for (uint32_t side = 0; side < SIDES; side++)
		f->list[side] = mem_array(f->tally.length + 1, sizeof *f->list[side]);
	for (size_t i = 0; i < f->tally.length; i++) {
		const struct field_key *key = intern_data(f->tally.keys, (uint32_t)i, NULL);
		const uint64_t *times = f->tally.count[i];
		bool less = counted ? times[RUN] < times[GOLDEN] : !times[RUN];
		bool more = counted ? times[RUN] > times[GOLDEN] : !times[GOLDEN];
		if (!less && !more)
			continue;
		uint32_t side = more ? RUN : GOLDEN;
		size_t at = 0;
		while (at < f->listed[side] && f->list[side][at] != key->value)
			at++;
		if (at == f->listed[side])
			f->list[side][f->listed[side]++] = key->value;
		if (key->rank < c->program[GOLDEN]->processes) {
			ranks_add(&f->who, key->rank);
			f->example = f->example == NONE ? key->rank : f->example;
		}
		if (key->rank == f->example && f->instead[side] == NONE)
			f->instead[side] = key->value;
		if (more && f->at == NONE)
			f->at = f->site[i];
	}
	sort_values(f, GOLDEN);
	sort_values(f, RUN);
}

static void put_instead(const struct comparing *c, const struct site_unit *u, enum change_kind field, const char *was,
	const char *is, struct text *words)
{
	const char *name = changes_name_of(c, u, RUN);
	uint32_t kind = c->calls[RUN]->site[u->site[RUN]].kind;
	const char *does = kind_sends(kind) ? "sends" : kind_receives(kind) ? "receives" : "accesses";
	const char *way = kind_sends(kind) ? " to" : kind_receives(kind) ? " from" : "";
	bool both = field == CHANGE_BYTES && (strchr(was, '/') || strchr(is, '/'));
	const char *prefix = both ? "bytes sent/received " : changes_field_prefix(field);
	if (field == CHANGE_NAME || (field == CHANGE_CALL && *was && *is))
		text_format(words, "%s in place of %s", is, was);
	else if (field == CHANGE_PEER && *was && *is)
		text_format(words, "%s now %s%s %s instead of %s", name, does, way, is, was);
	else if (field == CHANGE_PEER)
		text_format(words, "%s %s %s%s %s", name, *is ? "now also" : "no longer", does, way, *is ? is : was);
	else if (*was && *is)
		text_format(words, "%s: %s%s -> %s", name, prefix, was, is);
	else
		text_format(words, "%s: %s%s %s", name, prefix, *is ? "now also" : "no longer", *is ? is : was);
}

/* Peers as functions of the rank, where they are others as such. */
static bool peers_differ(const struct comparing *c, const struct site_unit *u, struct text *was, struct text *is)
{
	put_peers(c, u, GOLDEN, was);
	put_peers(c, u, RUN, is);
	bool differ = was->length && is->length && strcmp(was->data, is->data) != 0;
	if (!differ) {
		text_truncate(was, 0);
		text_truncate(is, 0);
	}
	return differ;
}

static void say_values(
	struct comparing *c, const struct site_unit *u, enum change_kind field, const struct field_change *f)
{
	struct text words = {0}, was = {0}, is = {0};
	bool example = f->instead[GOLDEN] != NONE && f->instead[RUN] != NONE;
	bool formulas = field == CHANGE_PEER && peers_differ(c, u, &was, &is);
	if (!formulas) {
		put_values(f, GOLDEN, &was);
		put_values(f, RUN, &is);
	}
	bool permuted = !strcmp(was.data, is.data);
	put_instead(c, u, field, was.data, is.data, &words);
	if ((formulas || permuted) && example)
		text_format(&words, " (rank %" PRIu32 ": %s instead of %s)", f->example,
			(const char *)intern_data(f->values, f->instead[RUN], NULL),
			(const char *)intern_data(f->values, f->instead[GOLDEN], NULL));
	else if (ranks_count(&f->who) && ranks_count(&f->who) < c->program[GOLDEN]->processes) {
		text_put(&words, ", on ");
		changes_put_ranks(c, &f->who, &words);
	}
	changes_add_change(c, field, u, f->at == NONE ? u->site[RUN] : f->at, &words);
	text_clear(&was);
	text_clear(&is);
}

/* Where the values of a field are others, among ranks that make the call in both programs. */
static bool say_field(
	struct comparing *c, const struct site_unit *u, enum change_kind field, uint64_t (*count)[SIDES], bool counted)
{
	struct field_change f = {.values = intern_new(),
		.tally = {.keys = intern_new_keys(sizeof(struct field_key))},
		.example = NONE,
		.instead = {NONE, NONE},
		.at = NONE};
	count_values(c, u, field, count, &f);
	find_values(c, &f, counted && !u->counts_vary);
	bool any = f.listed[GOLDEN] || f.listed[RUN];
	if (any)
		say_values(c, u, field, &f);
	intern_free(f.values);
	changes_tally_clear(&f.tally);
	free(f.site);
	free(f.list[GOLDEN]);
	free(f.list[RUN]);
	ranks_clear(&f.who);
	return any;
}

void changes_say_unit(struct comparing *c, const struct site_unit *u)
{
	uint32_t processes = c->program[GOLDEN]->processes;
	uint64_t(*count)[SIDES] = counts_of(c, u, true);
	bool even = true;
	enum change_kind said = CHANGE_KINDS;
	for (uint32_t r = 0; r <= processes && even; r++)
		even = u->counts_vary ? !count[r][GOLDEN] == !count[r][RUN] : count[r][GOLDEN] == count[r][RUN];
	if (!even)
		say_counts(c, u, count);
	for (enum change_kind field = CHANGE_NAME; field < CHANGE_ORDER; field++) {
		/* of another collective, or root, other sizes are a matter of course */
		bool follows = said == CHANGE_NAME || said == CHANGE_ROOT;
		if (field != CHANGE_COUNT && !follows && say_field(c, u, field, count, even) && said == CHANGE_KINDS)
			said = field;
	}
	if (even && said == CHANGE_KINDS) {
		struct text words = {0};
		text_format(&words, "%s: the same ranks, tags and sizes, put together in another way",
			changes_name_of(c, u, RUN));
		changes_add_change(c, CHANGE_PEER, u, u->site[RUN], &words);
	}
	free(count);
}
