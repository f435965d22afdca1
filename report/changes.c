/*
 * changes.c -- call sites become units, one for what is the same place in both programs. Units are
 * compared by what each rank does there; where all of them agree, by the order of each rank.
 */
#include "report/changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/alignment.h"
#include "ask/call_sites.h"
#include "base/compare.h"
#include "base/mem.h"

#define NONE UINT32_MAX

/* In place of a rank, or of a peer: any of those that nobody foresees. */
#define ANYBODY (UINT32_MAX - 1)

/* Values, and differences of order, that are told; units that are looked ahead. */
#define VALUES_TOLD 4
#define ORDERS_TOLD 8
#define AHEAD 4096

static const char *const rules[CHANGE_KINDS][2] = {
	[CHANGE_NEW] = {"new-call", "A call that the golden program does not have"},
	[CHANGE_GONE] = {"missing-call", "A call of the golden program that is not made any more"},
	[CHANGE_NAME] = {"collective", "Another collective operation"},
	[CHANGE_CALL] = {"function", "Another MPI function, or completed by another one"},
	[CHANGE_COUNT] = {"count", "Called more, or less, often, or by other ranks"},
	[CHANGE_PEER] = {"peer", "Messages to, or from, other ranks"},
	[CHANGE_ROOT] = {"root", "Another root"},
	[CHANGE_TAG] = {"tag", "Another tag"},
	[CHANGE_COMMUNICATOR] = {"communicator", "Another communicator"},
	[CHANGE_GROUP] = {"group", "A collective of other ranks"},
	[CHANGE_BYTES] = {"bytes", "Another size"},
	[CHANGE_ORDER] = {"order", "Another order of the calls of a rank"},
	[CHANGE_OVERLAP] = {"overlap", "Another number of calls between the begin and the end of a request"},
};

const char *change_rule(enum change_kind kind)
{
	return rules[kind][0];
}

const char *change_meaning(enum change_kind kind)
{
	return rules[kind][1];
}

/* ------------------------------------------------------------------ what is compared */

enum { GOLDEN, RUN, SIDES };

struct item {
	struct site_call call;
	uint64_t count;
	uint32_t unit, side;
};

struct unit {
	uint32_t site[SIDES]; /* NONE: it is not there */
	size_t first, end; /* its items */
	bool counts_vary; /* it is in a loop that is loose */
	bool tested; /* which call completes its requests depends on when they are complete */
};

struct comparing {
	const struct changes_options *options;
	struct program *program[SIDES];
	struct vocabulary vocabulary;
	struct intern *words;
	struct call_sites *calls[SIDES];
	bool told[CHANGE_KINDS]; /* which fields both programs tell */
	struct unit *unit;
	uint32_t units;
	uint32_t *unit_of[SIDES]; /* by site */
	struct item *item;
	size_t items;
	bool *differs, *unforeseen; /* by rank; where wildcards may be why, */
	bool *excused; /* ... and are, as far as the order goes */
	struct changes *out;
};

/* The call that begins a message, and the one that completes it, if that is another one. */
static uint32_t *beginning(struct site_call *call)
{
	return call->kind == EVENT_RECV && call->other != INTERN_NONE ? &call->other : &call->call;
}

static uint32_t *completing(struct site_call *call)
{
	return call->kind == EVENT_RECV && call->other != INTERN_NONE ? &call->call : &call->other;
}

/* All but the place, and but what is not compared. unit: NULL, or its own. */
static struct site_call bare_call(const struct comparing *c, const struct site_call *call, const struct unit *unit)
{
	struct site_call bare = *call;
	bare.site = bare.loose = 0;
	bare.apart = 0;
	if (!c->told[CHANGE_CALL])
		bare.call = bare.other = 0;
	if (unit && unit->tested)
		*completing(&bare) = 0;
	if (!c->told[CHANGE_BYTES])
		bare.bytes = bare.received = 0;
	return bare;
}

/* ------------------------------------------------------------------ sites that are one place */

struct listed_site {
	uint32_t site;
	const struct call_site *at;
	uint64_t does; /* a hash of its calls; 0: not known */
};

struct site_list {
	struct listed_site *item;
	size_t length;
};

struct both {
	const struct site_list *side[SIDES];
};

static bool is_same_file(const struct site *a, const struct site *b)
{
	return a->length == b->length && !memcmp(a->file, b->file, a->length) && !a->line == !b->line;
}

static int compare_sites(const void *left, const void *right)
{
	const struct listed_site *a = left, *b = right;
	int order = site_compare(a->at->words, b->at->words);
	if (order)
		return order;
	return a->at->kind != b->at->kind ? COMPARE(a->at->kind, b->at->kind) : COMPARE(a->site, b->site);
}

/* FNV-1a. */
static uint64_t hash_of(const struct comparing *c, const struct site_call *call)
{
	struct site_call bare = bare_call(c, call, NULL);
	const unsigned char *byte = (const unsigned char *)&bare;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < sizeof bare; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static struct site_list sites_of(const struct comparing *comparing, const struct call_sites *c)
{
	struct site_list p = {.item = mem_zero((c->sites + (size_t)1) * sizeof *p.item), .length = c->sites};
	for (uint32_t i = 0; i < c->sites; i++)
		p.item[i] = (struct listed_site){.site = i, .at = &c->site[i]};
	for (uint32_t i = 0; i < intern_count(c->calls); i++) {
		const struct site_call *call = call_sites_get(c, i);
		p.item[call->site].does += hash_of(comparing, call) * c->count[i];
	}
	for (uint32_t i = 0; i < c->sites; i++)
		if (c->site[i].first != i)
			p.item[i].does = p.item[call_sites_first(c, i)].does = 0;
	qsort(p.item, p.length, sizeof *p.item, compare_sites);
	return p;
}

/* What it counts that two places are one: the same name and function, close by, doing the same. */
static uint32_t weigh(const void *context, size_t i, size_t k)
{
	const struct both *both = context;
	const struct listed_site *a = &both->side[GOLDEN]->item[i], *b = &both->side[RUN]->item[k];
	const struct site *x = &a->at->parts, *y = &b->at->parts;
	uint64_t moved = x->line > y->line ? x->line - y->line : y->line - x->line;
	bool same_name = a->at->word == b->at->word, same_function = !strcmp(x->function, y->function),
	     does_same = a->does && a->does == b->does;
	if (a->at->kind != b->at->kind || !is_same_file(x, y) || (!same_name && moved) ||
		(!same_function && !does_same))
		return 0;
	return 8 + 6 * same_name + 4 * same_function + 4 * does_same + (moved <= 3) + (moved <= 20);
}

/* Those that moved elsewhere: in the same function, or doing the same. */
static void pair_the_rest(const struct both *both, size_t *of, bool *taken)
{
	const struct site_list *a = both->side[GOLDEN], *b = both->side[RUN];
	for (int strict = 1; strict >= 0; strict--)
		for (size_t i = 0; i < a->length; i++)
			for (size_t k = 0; k < b->length && of[i] == ALIGNMENT_NONE; k++) {
				const struct listed_site *x = &a->item[i], *y = &b->item[k];
				bool same = strict ? x->does && x->does == y->does
						   : !strcmp(x->at->parts.function, y->at->parts.function) &&
							     is_same_file(&x->at->parts, &y->at->parts);
				if (taken[k] || !same || x->at->kind != y->at->kind || x->at->word != y->at->word)
					continue;
				of[i] = k;
				taken[k] = true;
			}
}

static uint32_t add_unit(struct comparing *c)
{
	c->unit[c->units] = (struct unit){.site = {NONE, NONE}};
	return c->units++;
}

static void find_units(struct comparing *c)
{
	struct site_list side[SIDES] = {sites_of(c, c->calls[GOLDEN]), sites_of(c, c->calls[RUN])};
	struct both both = {{&side[GOLDEN], &side[RUN]}};
	size_t n = side[GOLDEN].length, m = side[RUN].length, *of = mem_array(n + 1, sizeof *of);
	bool *taken = mem_zero(m + 1);
	alignment_heaviest(n, m, weigh, &both, of);
	for (size_t i = 0; i < n; i++)
		if (of[i] != ALIGNMENT_NONE)
			taken[of[i]] = true;
	pair_the_rest(&both, of, taken);
	c->unit = mem_array(n + m + 1, sizeof *c->unit);
	for (size_t k = 0; k < SIDES; k++) {
		c->unit_of[k] = mem_array(side[k].length + 1, sizeof *c->unit_of[k]);
		memset(c->unit_of[k], 0xff, (side[k].length + 1) * sizeof *c->unit_of[k]);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t site = side[GOLDEN].item[i].site, first = call_sites_first(c->calls[GOLDEN], site);
		if (c->unit_of[GOLDEN][first] == NONE) {
			uint32_t unit = add_unit(c);
			c->unit_of[GOLDEN][first] = unit;
			c->unit[unit].site[GOLDEN] = site;
		}
		uint32_t unit = c->unit_of[GOLDEN][site] = c->unit_of[GOLDEN][first];
		if (of[i] == ALIGNMENT_NONE)
			continue;
		uint32_t there = side[RUN].item[of[i]].site;
		uint32_t run = call_sites_first(c->calls[RUN], there);
		if (c->unit_of[RUN][run] == NONE)
			c->unit_of[RUN][run] = unit;
		c->unit_of[RUN][there] = c->unit_of[RUN][run];
		if (c->unit[unit].site[RUN] == NONE)
			c->unit[unit].site[RUN] = there;
	}
	for (size_t k = 0; k < m; k++) {
		uint32_t site = side[RUN].item[k].site, first = call_sites_first(c->calls[RUN], site);
		if (c->unit_of[RUN][first] == NONE) {
			uint32_t unit = add_unit(c);
			c->unit_of[RUN][first] = unit;
			c->unit[unit].site[RUN] = site;
		}
		c->unit_of[RUN][site] = c->unit_of[RUN][first];
	}
	free(of);
	free(taken);
	free(side[GOLDEN].item);
	free(side[RUN].item);
}

/* ------------------------------------------------------------------ what ranks do there */

static int by_unit(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	return a->unit != b->unit ? COMPARE(a->unit, b->unit) : COMPARE(a->side, b->side);
}

/* A request that is complete when it is tested, or later, when it is waited for. */
static bool is_tested(const struct comparing *c, const struct site_call *call)
{
	struct site_call copy = *call;
	uint32_t by = *completing(&copy);
	return by != INTERN_NONE && text_begins_with(intern_data(c->words, by, NULL), "MPI_Test");
}

static void gather(struct comparing *c)
{
	size_t all = (size_t)intern_count(c->calls[GOLDEN]->calls) + intern_count(c->calls[RUN]->calls);
	c->item = mem_array(all + 1, sizeof *c->item);
	for (uint32_t side = 0; side < SIDES; side++)
		for (uint32_t i = 0; i < intern_count(c->calls[side]->calls); i++) {
			const struct site_call *call = call_sites_get(c->calls[side], i);
			uint32_t unit = c->unit_of[side][call->site];
			c->item[c->items++] = (struct item){*call, c->calls[side]->count[i], unit, side};
			c->unit[unit].tested |= is_tested(c, call);
		}
	if (c->items)
		qsort(c->item, c->items, sizeof *c->item, by_unit);
	for (size_t i = 0; i < c->items; i++) {
		struct unit *u = &c->unit[c->item[i].unit];
		if (!u->end)
			u->first = i;
		u->end = i + 1;
	}
}

/* How often each of some keys occurs, in either program. */
struct tally {
	struct intern *keys;
	uint64_t (*count)[SIDES];
	size_t length, capacity;
};

static void tally_add(struct tally *t, const void *key, size_t size, uint32_t side, uint64_t count)
{
	uint32_t id = intern_id(t->keys, key, size);
	if (id == t->length) {
		t->count = mem_grow(t->count, &t->capacity, t->length + 1, sizeof *t->count);
		t->count[t->length][GOLDEN] = t->count[t->length][RUN] = 0;
		t->length++;
	}
	t->count[id][side] += count;
}

static bool tally_same(const struct tally *t, const struct unit *u, size_t i)
{
	return u->counts_vary ? !t->count[i][GOLDEN] == !t->count[i][RUN] : t->count[i][GOLDEN] == t->count[i][RUN];
}

static bool tally_all_same(const struct tally *t, const struct unit *u)
{
	bool same = true;
	for (size_t i = 0; i < t->length && same; i++)
		same = tally_same(t, u, i);
	return same;
}

static void tally_clear(struct tally *t)
{
	intern_free(t->keys);
	free(t->count);
}

/* A model may name ranks that are none of the run. */
static bool is_among(const struct comparing *c, const bool *them, uint32_t rank)
{
	return rank < c->program[GOLDEN]->processes && them[rank];
}

/* Ranks that wildcards may have led elsewhere are one. */
static struct site_call together(const struct comparing *c, const struct site_call *call)
{
	struct site_call any = *call;
	if (c->unforeseen[call->rank])
		any.rank = ANYBODY;
	if (call->kind != EVENT_SYNC && is_among(c, c->unforeseen, call->peer))
		any.peer = ANYBODY;
	return any;
}

/* Do both programs do the same there? apart: requests complete after as many calls, too. */
static bool unit_same(const struct comparing *c, const struct unit *u, bool merged, bool apart)
{
	struct tally t = {.keys = intern_new_keys(sizeof(struct site_call))};
	for (size_t i = u->first; i < u->end; i++) {
		const struct site_call *call = &c->item[i].call;
		struct site_call bare = bare_call(c, call, u);
		if (apart)
			bare.apart = call->apart;
		if (merged)
			bare = together(c, &bare);
		tally_add(&t, &bare, sizeof bare, c->item[i].side, c->item[i].count);
	}
	bool same = tally_all_same(&t, u);
	tally_clear(&t);
	return same;
}

/* ------------------------------------------------------------------ words */

static const struct site *parts_of(const struct comparing *c, const struct unit *u, uint32_t side)
{
	return &c->calls[side]->site[u->site[side]].parts;
}

/* Where a call that is gone would be now: as far below the one before it as it was. */
static uint64_t line_now(const struct comparing *c, const struct unit *gone)
{
	const struct site *at = parts_of(c, gone, GOLDEN);
	uint64_t nearest = 0, line = at->line;
	for (uint32_t i = 0; i < c->units; i++) {
		const struct unit *u = &c->unit[i];
		if (u->site[GOLDEN] == NONE || u->site[RUN] == NONE)
			continue;
		const struct site *was = parts_of(c, u, GOLDEN), *is = parts_of(c, u, RUN);
		if (!is_same_file(was, at) || was->line > at->line || was->line <= nearest)
			continue;
		nearest = was->line;
		line = at->line - was->line + is->line;
	}
	return line;
}

/* Takes the words. */
static void add_change(
	struct comparing *c, enum change_kind kind, const struct unit *u, uint32_t site, struct text *words)
{
	const struct site *at = site == NONE ? parts_of(c, u, GOLDEN) : &c->calls[RUN]->site[site].parts;
	struct text file = {0};
	text_add(&file, "", 0);
	if (at->line)
		text_add(&file, at->file, at->length);
	*MEM_PUSH(c->out->change, c->out->length, c->out->capacity) = (struct change){.kind = kind,
		.file = file.data,
		.line = site == NONE ? line_now(c, u) : at->line,
		.function = mem_text(at->function),
		.words = words->data};
}

static const char *word_in(const struct comparing *c, uint32_t word)
{
	return dictionary_get_word(c->program[GOLDEN]->dictionary, word);
}

/* Functions that are both. */
static bool sends_and_receives(const char *name)
{
	return text_begins_with(name, "MPI_Sendrecv") || text_begins_with(name, "MPI_Start");
}

/* MPI_Isend, "send of MPI_Sendrecv"; "send" where the function is not known. */
static const char *name_of(const struct comparing *c, const struct unit *u, uint32_t side)
{
	for (size_t i = u->first; i < u->end; i++)
		if (c->item[i].side == side) {
			struct site_call call = c->item[i].call;
			uint32_t word = *beginning(&call);
			if (call.kind == EVENT_SYNC)
				return word_in(c, call.word);
			const char *name = word == INTERN_NONE ? "" : intern_data(c->words, word, NULL);
			const char *side_of = call.kind == EVENT_SEND ? "send" : "receive";
			if (!sends_and_receives(name))
				return *name ? name : side_of;
			struct text words = {0};
			text_format(&words, "%s of %s", side_of, name);
			word = intern_id(c->words, words.data, words.length + 1);
			text_clear(&words);
			return intern_data(c->words, word, NULL);
		}
	return "call";
}

static void put_ranks(const struct comparing *c, const struct ranks *who, struct text *to)
{
	if (ranks_count(who) == c->program[GOLDEN]->processes)
		text_put(to, "all ranks");
	else {
		text_put(to, ranks_count(who) == 1 ? "rank " : "ranks ");
		ranks_print_short(who, to);
	}
}

/* The value of a field of a call, as it is written. */
static void put_value(const struct comparing *c, const struct unit *u, enum change_kind field,
	const struct site_call *call, struct text *to)
{
	struct site_call copy = *call;
	struct ranks group;
	switch (field) {
	case CHANGE_NAME:
		text_put(to, word_in(c, call->word));
		break;
	case CHANGE_CALL:
		if (*beginning(&copy) != INTERN_NONE)
			text_put(to, intern_data(c->words, *beginning(&copy), NULL));
		if (*completing(&copy) != INTERN_NONE && !u->tested)
			text_format(
				to, " completed by %s", (const char *)intern_data(c->words, *completing(&copy), NULL));
		break;
	case CHANGE_PEER:
	case CHANGE_ROOT:
		if (call->peer == ANYBODY)
			text_put(to, "any");
		else if (call->peer != NO_ROOT)
			text_format(to, "%" PRIu32, call->peer);
		else
			text_put(to, "none");
		break;
	case CHANGE_TAG:
		text_put(to, word_in(c, call->word));
		if (call->numbered)
			text_format(to, "%" PRIu64, call->number);
		break;
	case CHANGE_COMMUNICATOR:
		if (call->communicator != NO_COMMUNICATOR)
			text_format(to, "@%" PRId64, call->communicator);
		else
			text_put(to, "MPI_COMM_WORLD");
		break;
	case CHANGE_GROUP:
		group = dictionary_get_ranks(c->program[GOLDEN]->dictionary, call->group);
		ranks_print_short(&group, to);
		break;
	case CHANGE_BYTES:
		if (call->bytes != CALL_UNTOLD)
			text_format(to, "%" PRId64, call->bytes);
		if (call->received != CALL_UNTOLD && call->received != call->bytes)
			text_format(to, "%s%" PRId64, call->bytes != CALL_UNTOLD ? "/" : "received ", call->received);
		break;
	default:
		break;
	}
	text_add(to, "", 0);
}

static bool has_field(const struct comparing *c, const struct site_call *call, enum change_kind field)
{
	bool sync = call->kind == EVENT_SYNC;
	return field == CHANGE_CALL || field == CHANGE_BYTES ? c->told[field]
	       : field == CHANGE_PEER || field == CHANGE_TAG ? !sync
	       : field == CHANGE_COMMUNICATOR                ? true
							     : sync;
}

/* ------------------------------------------------------------------ how often */

/* By rank, ANYBODY behind the last; and how often all do it. */
static uint64_t (*counts_of(const struct comparing *c, const struct unit *u, bool merged))[SIDES]
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
		put_ranks(c, &w->who, to);
	}
}

static void say_there(struct comparing *c, const struct unit *u, uint32_t side)
{
	uint64_t(*count)[SIDES] = counts_of(c, u, false);
	struct count_words w = count_words_of(c, count, side);
	struct text words = {0};
	text_format(&words, "%s is %s: ", name_of(c, u, side), side == RUN ? "new" : "gone");
	put_times(c, &w, true, &words);
	if (side == GOLDEN) {
		const struct site *at = parts_of(c, u, GOLDEN);
		text_put(&words, " in the golden program");
		if (at->line)
			text_format(&words, ", there %.*s:%" PRIu64, (int)at->length, at->file, at->line);
	}
	add_change(c, side == RUN ? CHANGE_NEW : CHANGE_GONE, u, side == RUN ? u->site[RUN] : NONE, &words);
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

static void say_counts(struct comparing *c, const struct unit *u, uint64_t (*count)[SIDES])
{
	struct count_words was = count_words_of(c, count, GOLDEN), is = count_words_of(c, count, RUN);
	struct text words = {0};
	bool same_ranks = ranks_equal(&was.who, &is.who);
	if (was.even && is.even && same_ranks && is.times == 2 * was.times)
		text_format(&words, "%s now runs twice as often: ", name_of(c, u, RUN));
	else
		text_format(&words, "%s now runs ", name_of(c, u, RUN));
	put_times(c, &is, !same_ranks || is.even, &words);
	text_put(&words, ", in the golden program ");
	put_times(c, &was, !same_ranks, &words);
	if (!is.even || !was.even)
		put_count_of_one(c, count, &words);
	add_change(c, CHANGE_COUNT, u, u->site[RUN], &words);
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

static void list_value(struct field_change *f, uint32_t side, uint32_t value)
{
	bool known = false;
	for (size_t i = 0; i < f->listed[side] && !known; i++)
		known = f->list[side][i] == value;
	if (!known)
		f->list[side][f->listed[side]++] = value;
}

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

/* Where an event is: how many paths; of a loop none are asked for. */
static size_t sites_of_event(const struct program *p, size_t at, const uint32_t **path)
{
	return statement_is_loop(&p->statement[at]) ? 0 : program_get_sites(p, p->statement[at].sites, path);
}

static bool is_in_unit(const struct comparing *c, const struct unit *u, uint32_t side, size_t at)
{
	const uint32_t *path;
	const struct program *p = c->program[side];
	const struct call_sites *calls = c->calls[side];
	size_t count = sites_of_event(p, at, &path);
	bool here = false;
	if (count && (uint32_t)statement_kind(p, &p->statement[at]) != calls->site[u->site[side]].kind)
		return false;
	for (size_t k = 0; k < count && !here; k++)
		for (uint32_t site = 0; site < calls->sites && !here; site++)
			here = c->unit_of[side][site] == (uint32_t)(u - c->unit) &&
			       !strcmp(calls->site[site].words, path_site(p, path[k]));
	return here;
}

/* The peers of a unit as functions of the rank: "p+1, p-1"; nothing where these are many. */
static void put_peers(const struct comparing *c, const struct unit *u, uint32_t side, struct text *to)
{
	const struct program *p = c->program[side];
	struct intern *seen = intern_new();
	text_add(to, "", 0);
	for (size_t i = 0; i < p->length && intern_count(seen) <= VALUES_TOLD; i++) {
		if (!is_in_unit(c, u, side, i))
			continue;
		struct text place = {0};
		struct form form = statement_form(p, &p->statement[i]);
		place_print(&form.peer, &p->grid, &place);
		intern_id(seen, place.data, place.length);
		text_clear(&place);
	}
	for (uint32_t i = 0; i < intern_count(seen) && intern_count(seen) <= VALUES_TOLD; i++)
		text_format(to, "%s%s", i ? ", " : "", (const char *)intern_data(seen, i, NULL));
	intern_free(seen);
}

static void count_values(const struct comparing *c, const struct unit *u, enum change_kind field,
	uint64_t (*count)[SIDES], struct field_change *f)
{
	struct text text = {0};
	size_t room = 0;
	for (size_t i = u->first; i < u->end; i++) {
		struct site_call call = together(c, &c->item[i].call);
		struct field_key key = {.rank = call.rank == ANYBODY ? c->program[GOLDEN]->processes : call.rank};
		if (!has_field(c, &call, field) || !count[key.rank][GOLDEN] || !count[key.rank][RUN])
			continue;
		text_truncate(&text, 0);
		put_value(c, u, field, &call, &text);
		key.value = intern_id(f->values, text.data, text.length);
		size_t known = f->tally.length;
		tally_add(&f->tally, &key, sizeof key, c->item[i].side, c->item[i].count);
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
		list_value(f, side, key->value);
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

/* A tag says that it is one. */
static const char *field_prefix(enum change_kind field)
{
	return field == CHANGE_TAG     ? ""
	       : field == CHANGE_BYTES ? "bytes "
	       : field == CHANGE_ROOT  ? "root "
	       : field == CHANGE_PEER  ? "rank "
	       : field == CHANGE_GROUP ? "ranks "
				       : "";
}

static void put_instead(const struct comparing *c, const struct unit *u, enum change_kind field, const char *was,
	const char *is, struct text *words)
{
	const char *name = name_of(c, u, RUN);
	const char *does = c->calls[RUN]->site[u->site[RUN]].kind == EVENT_SEND ? "send" : "receive";
	const char *way = *does == 's' ? "to" : "from";
	bool both = field == CHANGE_BYTES && (strchr(was, '/') || strchr(is, '/'));
	const char *prefix = both ? "bytes sent/received " : field_prefix(field);
	if (field == CHANGE_NAME || (field == CHANGE_CALL && *was && *is))
		text_format(words, "%s in place of %s", is, was);
	else if (field == CHANGE_PEER && *was && *is)
		text_format(words, "%s now %ss %s %s instead of %s", name, does, way, is, was);
	else if (field == CHANGE_PEER)
		text_format(words, "%s %s %ss %s %s", name, *is ? "now also" : "no longer", does, way, *is ? is : was);
	else if (*was && *is)
		text_format(words, "%s: %s%s -> %s", name, prefix, was, is);
	else
		text_format(words, "%s: %s%s %s", name, prefix, *is ? "now also" : "no longer", *is ? is : was);
}

/* Peers as functions of the rank, where they are others as such. */
static bool peers_differ(const struct comparing *c, const struct unit *u, struct text *was, struct text *is)
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

static void say_values(struct comparing *c, const struct unit *u, enum change_kind field, const struct field_change *f)
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
		put_ranks(c, &f->who, &words);
	}
	add_change(c, field, u, f->at == NONE ? u->site[RUN] : f->at, &words);
	text_clear(&was);
	text_clear(&is);
}

/* Where the values of a field are others, among ranks that make the call in both programs. */
static bool say_field(
	struct comparing *c, const struct unit *u, enum change_kind field, uint64_t (*count)[SIDES], bool counted)
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
	tally_clear(&f.tally);
	free(f.site);
	free(f.list[GOLDEN]);
	free(f.list[RUN]);
	ranks_clear(&f.who);
	return any;
}

/* Of another collective, or root, other sizes are a matter of course. */
static bool follows(enum change_kind field, enum change_kind from)
{
	return from != CHANGE_KINDS && (from == CHANGE_NAME || from == CHANGE_ROOT) && field > from;
}

static void say_unit(struct comparing *c, const struct unit *u)
{
	uint32_t processes = c->program[GOLDEN]->processes;
	uint64_t(*count)[SIDES] = counts_of(c, u, true);
	bool even = true;
	enum change_kind said = CHANGE_KINDS;
	for (uint32_t r = 0; r <= processes && even; r++)
		even = u->counts_vary ? !count[r][GOLDEN] == !count[r][RUN] : count[r][GOLDEN] == count[r][RUN];
	if (!even)
		say_counts(c, u, count);
	for (enum change_kind field = CHANGE_NAME; field < CHANGE_ORDER; field++)
		if (field != CHANGE_COUNT && !follows(field, said) && say_field(c, u, field, count, even) &&
			said == CHANGE_KINDS)
			said = field;
	if (even && said == CHANGE_KINDS) {
		struct text words = {0};
		text_format(
			&words, "%s: the same ranks, tags and sizes, put together in another way", name_of(c, u, RUN));
		add_change(c, CHANGE_PEER, u, u->site[RUN], &words);
	}
	free(count);
}

/* ------------------------------------------------------------------ the order of a rank */

/* Where the streams of a rank part: what comes then in either, or NONE at the end. */
struct parting {
	bool parted;
	uint32_t unit[SIDES];
	struct site_call call[SIDES];
	uint32_t moved; /* the side whose unit is the one that moved: what the other one has now comes later there */
};

/* The next call of a rank, in units; of loops that are loose none. */
static bool next_call(const struct comparing *c, struct walk *w, uint32_t side, struct site_call *call, uint32_t *unit)
{
	while (walk_next(w)) {
		const struct program *p = c->program[side];
		if (statement_kind(p, &p->statement[walk_statement(w)]) == EVENT_LOCAL)
			continue;
		call_sites_at(c->calls[side], w, call);
		*unit = c->unit_of[side][call->site];
		if (!c->unit[*unit].counts_vary)
			return true;
	}
	*unit = NONE;
	return false;
}

/* How far ahead of a walk a unit comes. */
static size_t ahead(const struct comparing *c, struct walk *w, uint32_t side, uint32_t wanted)
{
	struct site_call call;
	uint32_t unit;
	size_t n = 0;
	while (n < AHEAD && next_call(c, w, side, &call, &unit) && unit != wanted)
		n++;
	return n;
}

static struct parting part(struct comparing *c, uint32_t rank)
{
	struct parting p = {0};
	struct walk *w[SIDES];
	bool more[SIDES];
	for (uint32_t side = 0; side < SIDES; side++)
		w[side] = walk_new(c->calls[side]->projection, rank);
	do {
		for (uint32_t side = 0; side < SIDES; side++)
			more[side] = next_call(c, w[side], side, &p.call[side], &p.unit[side]);
		p.parted = more[GOLDEN] != more[RUN] || p.unit[GOLDEN] != p.unit[RUN];
		if (!p.parted && more[RUN]) {
			struct site_call x = bare_call(c, &p.call[GOLDEN], &c->unit[p.unit[GOLDEN]]),
					 y = bare_call(c, &p.call[RUN], &c->unit[p.unit[RUN]]);
			p.parted = memcmp(&x, &y, sizeof x) != 0;
		}
	} while (!p.parted && more[RUN]);
	if (p.parted && more[GOLDEN] && more[RUN] && p.unit[GOLDEN] != p.unit[RUN])
		p.moved =
			ahead(c, w[RUN], RUN, p.unit[GOLDEN]) > ahead(c, w[GOLDEN], GOLDEN, p.unit[RUN]) ? GOLDEN : RUN;
	walk_free(w[GOLDEN]);
	walk_free(w[RUN]);
	return p;
}

static void put_place(const struct comparing *c, const struct unit *u, uint32_t side, struct text *to)
{
	const struct site *at = parts_of(c, u, side);
	text_put(to, name_of(c, u, side));
	if (at->line)
		text_format(to, " at %.*s:%" PRIu64, (int)at->length, at->file, at->line);
}

static void say_order(struct comparing *c, const struct parting *p, uint32_t rank)
{
	struct text words = {0};
	const struct unit *was = &c->unit[p->unit[GOLDEN]], *is = &c->unit[p->unit[RUN]];
	if (was == is) {
		struct text old = {0}, new = {0};
		enum change_kind field = CHANGE_PEER;
		for (enum change_kind f = CHANGE_NAME; f < CHANGE_ORDER; f++) {
			if (f == CHANGE_COUNT || !has_field(c, &p->call[RUN], f))
				continue;
			text_truncate(&old, 0);
			text_truncate(&new, 0);
			put_value(c, is, f, &p->call[GOLDEN], &old);
			put_value(c, is, f, &p->call[RUN], &new);
			field = f;
			if (strcmp(old.data, new.data) != 0)
				break;
		}
		text_format(&words, "%s goes another way round: on rank %" PRIu32 " %s%s comes where %s%s was",
			name_of(c, is, RUN), rank, field_prefix(field), new.data, field_prefix(field), old.data);
		text_clear(&old);
		text_clear(&new);
		add_change(c, CHANGE_ORDER, is, is->site[RUN], &words);
		return;
	}
	const struct unit *moved = p->moved == GOLDEN ? was : is, *other = p->moved == GOLDEN ? is : was;
	const struct site_call *call = &p->call[p->moved];
	bool completes = call->kind == EVENT_RECV && call->other != INTERN_NONE;
	text_format(&words, "%s %s %s ", name_of(c, moved, RUN), completes ? "is now completed" : "now comes",
		p->moved == GOLDEN ? "after" : "before");
	put_place(c, other, RUN, &words);
	text_format(&words, " on rank %" PRIu32, rank);
	text_put(&words, p->moved == GOLDEN ? ", in the golden program before it" : ", in the golden program after it");
	add_change(c, CHANGE_ORDER, moved, moved->site[RUN], &words);
}

/* Where all sites do the same on these ranks, what differs is their order: once for each pair. */
static void say_orders(struct comparing *c, const struct parting *parting)
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

static void say_overlap(struct comparing *c, const struct unit *u)
{
	int64_t least[SIDES] = {INT64_MAX, INT64_MAX};
	struct text words = {0};
	for (size_t i = u->first; i < u->end; i++) {
		const struct item *x = &c->item[i];
		if (x->call.apart != CALL_UNTOLD && x->call.apart < least[x->side])
			least[x->side] = x->call.apart;
	}
	text_format(&words,
		"%s is complete after at least %" PRId64
		" other calls of its rank, in the golden program after %" PRId64,
		name_of(c, u, RUN), least[RUN], least[GOLDEN]);
	text_put(&words, least[RUN] < least[GOLDEN] ? ": less can overlap" : "");
	add_change(c, CHANGE_OVERLAP, u, u->site[RUN], &words);
}

/* ------------------------------------------------------------------ wildcards */

static bool hears_from(const struct comparing *c, const struct site_call *call, const bool *them)
{
	if (call->kind != EVENT_SYNC)
		return is_among(c, them, call->peer);
	struct ranks group = dictionary_get_ranks(c->program[GOLDEN]->dictionary, call->group);
	struct ranks_walk walk = {0};
	bool any = false;
	for (uint32_t r; !any && ranks_next(&group, &walk, &r);)
		any = is_among(c, them, r);
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
static void foresee(struct comparing *c, const struct parting *parting)
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

/* ------------------------------------------------------------------ loops that are loose */

/* "main:120", "solve.c:120". */
static bool is_place(const char *place, const char *site)
{
	struct site s = site_parts(site);
	const char *colon = strrchr(place, ':');
	size_t length = colon ? (size_t)(colon - place) : 0;
	size_t function = strcspn(s.function, " ");
	uint64_t line;
	return colon && s.line && text_is_number(colon + 1, UINT64_MAX, &line) && line == s.line &&
	       ((length == s.length && !memcmp(place, s.file, length)) ||
		       (length == function && !memcmp(place, s.function, length)));
}

static bool is_at(const struct program *p, size_t statement, const char *place)
{
	const uint32_t *path;
	bool here = false;
	size_t count = sites_of_event(p, statement, &path);
	for (size_t i = 0; i < count && !here; i++)
		here = is_place(place, path_site(p, path[i]));
	return here;
}

static void loosen_statement(struct comparing *c, uint32_t side, size_t at)
{
	const struct program *p = c->program[side];
	const uint32_t *path;
	size_t count = sites_of_event(p, at, &path);
	for (size_t i = 0; i < count; i++)
		for (uint32_t site = 0; site < c->calls[side]->sites; site++)
			if (!strcmp(c->calls[side]->site[site].words, path_site(p, path[i])))
				c->unit[c->unit_of[side][site]].counts_vary = true;
}

/* The innermost loop around each statement there. */
static bool loosen(struct comparing *c, uint32_t side, const char *place)
{
	const struct program *p = c->program[side];
	size_t *around = mem_array(program_depth(p) + (size_t)1, sizeof *around);
	bool any = false;
	for (size_t i = 0; i < p->length; i++) {
		if (!is_at(p, i, place))
			continue;
		size_t first = i, end = i + 1;
		for (uint32_t depth = program_loops_around(p, i, around); depth-- > 0 && end == i + 1;)
			if (statement_guard(&p->statement[around[depth]]) == GUARD_NONE) {
				first = around[depth];
				end = first + p->statement[first].size;
			}
		for (size_t k = first; k < end; k++)
			loosen_statement(c, side, k);
		any = true;
	}
	free(around);
	return any;
}

static bool loosen_all(struct comparing *c, struct error *error)
{
	for (size_t i = 0; i < c->options->loose_count; i++) {
		const char *place = c->options->loose[i];
		bool golden = loosen(c, GOLDEN, place), run = loosen(c, RUN, place);
		if (!golden && !run)
			return error_set(error, ERROR_INPUT,
				"--loose %s: neither program calls MPI there: name a line that does, as in main:120 or solve.c:120",
				place);
	}
	return true;
}

/* ------------------------------------------------------------------ all of it */

static int by_place(const void *left, const void *right)
{
	const struct change *a = left, *b = right;
	int order = strcmp(a->file, b->file);
	if (order)
		return order;
	return a->line != b->line ? COMPARE(a->line, b->line) : COMPARE(a->kind, b->kind);
}

/* Receives that took messages from anybody name one now, or the other way round. */
static bool say_wildcards(struct comparing *c, const struct unit *u)
{
	bool any[SIDES] = {false, false}, receives = false;
	for (size_t i = u->first; i < u->end; i++) {
		any[c->item[i].side] |= c->item[i].call.loose;
		receives |= c->item[i].call.kind == EVENT_RECV;
	}
	if (!receives || u->tested || !c->told[CHANGE_CALL] || any[GOLDEN] == any[RUN])
		return false;
	struct text words = {0};
	text_format(
		&words, "%s %s messages from anybody", name_of(c, u, RUN), any[RUN] ? "now takes" : "no longer takes");
	add_change(c, CHANGE_PEER, u, u->site[RUN], &words);
	return true;
}

static void compare_units(struct comparing *c, bool *all_same)
{
	for (uint32_t i = 0; i < c->units; i++) {
		const struct unit *u = &c->unit[i];
		bool there[SIDES] = {false, false};
		for (size_t k = u->first; k < u->end; k++)
			there[c->item[k].side] = true;
		if (!there[GOLDEN] && !there[RUN])
			continue;
		if (unit_same(c, u, false, false) || unit_same(c, u, true, false)) {
			*all_same &= !say_wildcards(c, u);
			continue;
		}
		*all_same = false;
		if (there[GOLDEN] && there[RUN])
			say_unit(c, u);
		else
			say_there(c, u, there[RUN] ? RUN : GOLDEN);
	}
}

static void compare(struct comparing *c)
{
	uint32_t processes = c->program[GOLDEN]->processes;
	struct parting *parting = mem_array(processes + (size_t)1, sizeof *parting);
	bool same = true, any_unforeseen = false;
	for (uint32_t r = 0; r < processes; r++) {
		parting[r] = part(c, r);
		c->differs[r] = parting[r].parted;
	}
	foresee(c, parting);
	for (uint32_t r = 0; r < processes; r++)
		any_unforeseen |= c->unforeseen[r];
	compare_units(c, &same);
	if (same && !c->options->ignore_order) {
		say_orders(c, parting);
		for (uint32_t i = 0; i < c->units && !c->out->length && c->told[CHANGE_CALL] && !any_unforeseen; i++)
			if (!c->unit[i].tested && !unit_same(c, &c->unit[i], false, true))
				say_overlap(c, &c->unit[i]);
	}
	free(parting);
}

static void comparing_clear(struct comparing *c)
{
	for (uint32_t side = 0; side < SIDES; side++) {
		call_sites_free(c->calls[side]);
		free(c->unit_of[side]);
	}
	vocabulary_clear(&c->vocabulary);
	intern_free(c->words);
	free(c->unit);
	free(c->item);
	free(c->differs);
	free(c->unforeseen);
	free(c->excused);
}

bool changes_of(struct program *golden, struct program *run, const struct changes_options *options,
	struct changes *changes, struct error *error)
{
	*changes = (struct changes){0};
	bool calls = !options->ignore_calls && call_sites_carry(golden, "call") && call_sites_carry(run, "call");
	bool bytes = !options->ignore_bytes && call_sites_carry(golden, "bytes") && call_sites_carry(run, "bytes");
	bool located = call_sites_are_located(golden) && call_sites_are_located(run);
	struct comparing c = {.options = options,
		.program = {golden, run},
		.vocabulary = vocabulary_of(golden->dictionary, run->dictionary),
		.words = intern_new(),
		.told = {[CHANGE_CALL] = calls, [CHANGE_BYTES] = bytes},
		.differs = mem_zero(golden->processes + (size_t)1),
		.unforeseen = mem_zero(golden->processes + (size_t)1),
		.excused = mem_zero(golden->processes + (size_t)1),
		.out = changes};
	c.calls[GOLDEN] = call_sites_of(golden, NULL, c.words, located);
	c.calls[RUN] = call_sites_of(run, &c.vocabulary, c.words, located);
	find_units(&c);
	gather(&c);
	bool good = loosen_all(&c, error);
	if (good)
		compare(&c);
	if (changes->length)
		qsort(changes->change, changes->length, sizeof *changes->change, by_place);
	comparing_clear(&c);
	return good;
}

void changes_clear(struct changes *c)
{
	for (size_t i = 0; i < c->length; i++) {
		free(c->change[i].file);
		free(c->change[i].function);
		free(c->change[i].words);
	}
	free(c->change);
	*c = (struct changes){0};
}

void changes_print(const struct changes *c, struct text *text)
{
	for (size_t i = 0; i < c->length; i++) {
		const struct change *x = &c->change[i];
		if (x->line)
			text_format(text, "%s:%" PRIu64 " ", x->file, x->line);
		text_format(text, "%s%s%s\n", x->function, *x->function ? ": " : "", x->words);
	}
}
