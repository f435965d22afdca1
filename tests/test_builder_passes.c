/*
 * test_builder_passes.c -- procedures, loops over numbers and guards made in the joint tree: what
 * each lane does stays what it is, and what comes out where.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge/bounds.h"
#include "merge/emit.h"
#include "merge/fission.h"
#include "merge/moved.h"
#include "merge/multiples.h"
#include "merge/outline.h"
#include "merge/repeats.h"
#include "merge/reroll.h"
#include "model/dictionary.h"
#include "model/module_tables.h"
#include "model/generalize.h"
#include "model/prepared.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/tree_text.h"

#define LANES 4

/* ------------------------------------------------------------------ what a lane does */

struct running {
	const struct tree_builder *b;
	uint32_t lane;
	int64_t index[32];
	const int64_t *argument;
	size_t budget;
	struct text out;
};

static int64_t number_of(const struct running *r, const struct tree_node *n, uint32_t k, uint32_t depth)
{
	indexed v = tree_at(r->b, n, k, r->lane);
	for (uint32_t d = 0; d < depth && v != INDEXED_NONE; d++)
		v = indexed_at(r->b->store, v, (size_t)r->index[d]);
	if (v == INDEXED_NONE)
		return INT64_MIN;
	int64_t number = indexed_get(r->b->store, v);
	return n->parameters >> k & 1 ? r->argument[number] : number;
}

static void run(struct running *r, struct tree_list list, uint32_t depth)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		if (!lane_set_has(tree_lanes(r->b, n->lanes), r->lane))
			continue;
		int64_t number[PARAMETERS_LIMIT];
		for (uint32_t k = 0; k < n->slots; k++)
			number[k] = number_of(r, n, k, depth);
		if (n->kind == TREE_CALL) {
			struct running called = *r;
			called.argument = number;
			run(&called, n->procedure->body, 0);
			r->out = called.out;
		} else if (n->kind == TREE_EVENT) {
			text_format(&r->out, "%" PRIu32, n->shape);
			for (uint32_t k = 0; k < n->slots; k++)
				text_format(&r->out, ",%" PRId64, number[k]);
			text_put(&r->out, "\n");
		} else {
			for (r->index[depth] = 0; r->index[depth] < number[0]; r->index[depth]++)
				run(r, n->body, depth + 1);
		}
	}
}

static struct text what_is_done(const struct tree_builder *b, struct tree_list list)
{
	struct running r = {.b = b};
	for (r.lane = 0; r.lane < LANES; r.lane++) {
		text_format(&r.out, "lane %" PRIu32 "\n", r.lane);
		run(&r, list, 0);
	}
	return r.out;
}

/* ------------------------------------------------------------------ random trees */

static uint64_t random_state;
static uint32_t random_below(uint32_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % n;
}

/* From x on letters receive what a, b, ... send. */
static uint32_t shape_of(struct tree_builder *b, uint32_t word, uint32_t slots)
{
	struct tree_shape s;
	memset(&s, 0, sizeof s);
	s.kind = !(slots & 1 << SLOT_IS_PEER) ? EVENT_LOCAL : word < 'x' ? EVENT_SEND : EVENT_RECV;
	s.word = word < 'x' ? word : 'a' + word - 'x';
	s.slots = slots;
	return intern_id(b->shapes, &s, sizeof s);
}

#define MESSAGE (1 << SLOT_IS_PEER | 1 << SLOT_IS_TAG | 1 << SLOT_IS_BYTES)
#define REDUCTION (1 << SLOT_IS_BYTES)

static uint32_t random_lanes(struct tree_builder *b, struct lane_set of)
{
	uint32_t lane[LANES];
	size_t lanes = 0;
	bool all = random_below(3) > 0;
	for (size_t i = 0; i < of.length; i++)
		if (all || random_below(2))
			lane[lanes++] = of.lane[i];
	if (!lanes)
		lane[lanes++] = of.lane[random_below((uint32_t)of.length)];
	return tree_lane_set(b, lane, lanes);
}

/* What a random number is made of: base + x % modulus, where x goes on by step with indices. */
struct numbers {
	int64_t base, x, step, modulus;
	bool noise;
};

/* By the indices of loops around, which have at most 4 iterations. */
static indexed random_number(struct tree_builder *b, uint32_t depth, struct numbers n)
{
	indexed each[4];
	if (!depth)
		return indexed_number(b->store, n.base + (n.x + (n.noise ? random_below(3) : 0)) % n.modulus);
	if (random_below(3))
		return indexed_same(b->store, random_number(b, depth - 1, n));
	for (int64_t i = 0; i < 4; i++) {
		each[i] = random_number(b, depth - 1, n);
		n.x += n.step;
	}
	return indexed_each(b->store, each, 4);
}

static indexed *random_column(struct tree_builder *b, uint32_t set, uint32_t depth, int64_t base, int64_t modulus)
{
	struct lane_set lanes = tree_lanes(b, set);
	indexed *column = tree_slots(b, 1, set)[0];
	bool by_lane = random_below(4) == 0;
	int64_t step = random_below(4) == 0;
	bool noise = random_below(4) == 0;
	for (size_t i = 0; i < lanes.length; i++)
		column[i] =
			i && !by_lane
				? column[0]
				: random_number(b, depth,
					  (struct numbers){base, by_lane ? lanes.lane[i] : 0, step, modulus, noise});
	return column;
}

struct adding {
	struct tree_builder *b;
	int64_t add;
};

static indexed add_number(void *context, indexed v)
{
	const struct adding *a = context;
	struct indexed_store *s = a->b->store;
	indexed each[8];
	switch (indexed_kind(s, v)) {
	case INDEXED_IS_NONE:
		return v;
	case INDEXED_IS_NUMBER:
		return indexed_number(s, indexed_get(s, v) + a->add);
	case INDEXED_IS_SAME:
		return indexed_same(s, add_number(context, indexed_at(s, v, 0)));
	case INDEXED_IS_EACH:
		break;
	}
	size_t length = indexed_length(s, v);
	for (size_t i = 0; i < length; i++)
		each[i] = add_number(context, indexed_at(s, v, i));
	return indexed_each(s, each, length);
}

/* The same with other sizes, or tags. */
static struct tree_node *changed_copy(
	struct tree_builder *b, const struct tree_node *n, enum tree_slot which, int64_t add)
{
	size_t lanes = tree_lanes(b, n->lanes).length;
	indexed **slot = tree_slots(b, n->slots, n->lanes);
	for (uint32_t k = 0; k < n->slots; k++)
		for (size_t i = 0; i < lanes; i++)
			slot[k][i] = tree_slot_of(b, n, k) == which
					     ? add_number(&(struct adding){b, add}, n->slot[k][i])
					     : n->slot[k][i];
	if (n->kind == TREE_EVENT)
		return tree_event(b, n->shape, n->lanes, slot, 0);
	struct tree_node **body = mem_array(n->body.length, sizeof *body);
	for (size_t i = 0; i < n->body.length; i++)
		body[i] = changed_copy(b, n->body.node[i], which, add);
	struct tree_node *made = tree_loop(b, n->kind, n->lanes, slot[0], tree_list_of(b, body, n->body.length));
	free(body);
	return made;
}

static struct tree_list random_list(struct tree_builder *, struct lane_set, uint32_t depth, uint32_t most);

static struct tree_node *random_node(struct tree_builder *b, struct lane_set of, uint32_t depth)
{
	uint32_t set = random_lanes(b, of);
	if (depth < 3 && random_below(4) == 0) {
		bool guarded = random_below(3) == 0;
		struct tree_list body = random_list(b, tree_lanes(b, set), depth + 1, 3);
		return tree_loop(b, guarded ? TREE_GUARD : TREE_LOOP, set,
			random_column(b, set, depth, guarded ? 0 : 1 + random_below(2), guarded ? 2 : 3), body);
	}
	uint32_t word = random_below(3), slots = word ? MESSAGE : REDUCTION, k = 0;
	indexed **slot = tree_slots(b, 3, set);
	if (word) {
		slot[k++] = random_column(b, set, depth, 1, 100);
		slot[k++] = random_column(b, set, depth, 5, 100);
	}
	slot[k] = random_column(b, set, depth, 8, 100);
	return tree_event(b, shape_of(b, word, slots), set, slot, 0);
}

/* Every now and then what was there before comes again, once or in a row, with other numbers. */
static struct tree_list random_list(struct tree_builder *b, struct lane_set of, uint32_t depth, uint32_t most)
{
	struct tree_node *item[128];
	size_t length = 0, want = 1 + random_below(most);
	while (length < want) {
		if (length && random_below(3) == 0) {
			size_t block = 1 + random_below((uint32_t)(length < 5 ? length : 5)),
			       from = random_below((uint32_t)(length - block + 1));
			uint32_t copies = 1 + random_below(depth ? 2 : 9);
			enum tree_slot which = random_below(2) ? SLOT_IS_TAG : SLOT_IS_BYTES;
			int64_t step = random_below(3),
				leave = random_below(3) ? -1 : (int64_t)random_below((uint32_t)block);
			for (uint32_t c = 1; c <= copies; c++)
				for (size_t i = 0; i < block && length < COUNT(item); i++)
					if (c < copies || (int64_t)i != leave)
						item[length++] = changed_copy(b, item[from + i], which, step * c);
		} else {
			item[length++] = random_node(b, of, depth);
		}
	}
	return tree_list_of(b, item, length);
}

/* ------------------------------------------------------------------ every pass is exact */

static bool keeps(const char *pass, uint64_t seed, const struct tree_builder *b, struct tree_list before,
	struct tree_list after, const struct text *want)
{
	struct text have = what_is_done(b, after);
	bool same = have.length == want->length && !memcmp(have.data, want->data, have.length);
	if (!same) {
		struct text trees = {0};
		tree_print(b, before, &trees);
		text_put(&trees, "------\n");
		tree_print(b, after, &trees);
		printf("\nseed %" PRIu64 ": %s changes what is done\n%s", seed, pass, trees.data);
		text_clear(&trees);
	}
	CU_ASSERT(same);
	text_clear(&have);
	return same;
}

/* Peers of random events are ranks of a run of so many. */
#define RANKS 1024

/* What is emitted is, node for node, what the reader makes of its text. */
static bool is_read_back(struct tree_builder *b, struct pricing *p, struct tree_list list)
{
	struct dictionary *words = dictionary_new();
	for (uint32_t word = 0; word < 3; word++)
		CU_ASSERT_EQUAL(dictionary_word(words, &"abc"[word], 1), word);
	struct tables *none = tables_new(fit_store(price_fit(p)));
	struct emit_options options = {.processes = RANKS, .words = words, .there = none};
	struct draft *d = emit(b, p, list, &options), *read;
	struct text text = {0};
	struct error error;
	dictionary_free(words);
	tables_free(none);
	if (!d)
		return true;
	module_name_tables(d->module);
	module_print_text(d->module, NULL, &text);
	struct module *m = module_parse("draft", text.data, text.length, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	read = draft_of(m);
	draft_move(read, d->module->store);
	bool same = read->module->body == d->module->body && read->module->lines == d->module->lines;
	if (!same)
		printf("\nis read as something else:\n%s", text.data);
	text_clear(&text);
	draft_free(read);
	draft_free(d);
	return same;
}

static void test_exact(void)
{
	static const uint32_t process[LANES] = {0, 1, 2, 3};
	for (uint64_t seed = 1; seed <= rounds(300); seed++) {
		random_state = seed;
		struct tree_builder *b = tree_builder_new(LANES, process);
		struct store *store = store_new(RANKS, &(struct grid){0});
		struct fit *fit = fit_new(store, LANES, &(struct grid){0});
		struct pricing *p = pricing_new(b, fit);
		struct tree_list list = random_list(b, (struct lane_set){process, LANES}, 0, 24), next;
		struct text want = what_is_done(b, list);
		bool good = true;
		for (int pass = 0; pass < 5 && good; pass++) {
			static const char *const name[] = {"outline", "reroll", "outline", "reroll", "outline_undo"};
			uint32_t price = price_program(p, list);
			switch (pass) {
			case 1:
			case 3:
				next = reroll(b, p, list, NULL);
				reroll_procedures(b, p);
				break;
			case 4:
				next = outline_undo(b, list);
				break;
			default:
				next = outline(b, list, pass == 2);
				break;
			}
			good = keeps(name[pass], seed, b, list, next, &want);
			CU_ASSERT(is_read_back(b, p, next));
			CU_ASSERT(pass == 0 || pass == 2 || pass == 4 || price_program(p, next) <= price);
			list = next;
		}
		text_clear(&want);
		pricing_free(p);
		fit_free(fit);
		store_free(store);
		tree_builder_free(b);
	}
}

/* ------------------------------------------------------------------ what comes out */

/* "a7:64": a message with tag 7, "a7:64>3": to 3, "A:8": a collective, "@02": of lanes 0 and 2,
   "5(...)": a loop, "3(a7:1,2,4)": in whose iterations numbers differ. */
static indexed read_number(struct tree_builder *b, const char **at, uint32_t depth)
{
	indexed each[32];
	size_t count = 0;
	do {
		*at += count > 0;
		each[count++] = indexed_number(b->store, strtol(*at, (char **)at, 10));
	} while (**at == ',');
	return count > 1 ? indexed_wrap(b->store, indexed_each(b->store, each, count), depth - 1)
			 : indexed_wrap(b->store, each[0], depth);
}

static struct tree_node *read_event(struct tree_builder *b, const char **at, uint32_t depth)
{
	uint32_t lane[LANES] = {0, 1, 2, 3}, slots = 0, word = (uint32_t) * (*at)++;
	size_t lanes = LANES;
	indexed number[3] = {0};
	if (word >= 'a')
		number[++slots] = read_number(b, at, depth);
	++*at;
	number[++slots] = read_number(b, at, depth);
	uint32_t kinds = word >= 'a' ? 1 << SLOT_IS_TAG | 1 << SLOT_IS_BYTES : REDUCTION, first = 1;
	if (**at == '>') {
		++*at;
		number[--first] = read_number(b, at, depth);
		kinds |= 1 << SLOT_IS_PEER;
		slots++;
	}
	if (**at == '@')
		for (lanes = 0, ++*at; **at >= '0' && **at < '0' + LANES; ++*at)
			lane[lanes++] = (uint32_t)(**at - '0');
	uint32_t set = tree_lane_set(b, lane, lanes);
	indexed **slot = tree_slots(b, slots, set);
	for (uint32_t k = 0; k < slots; k++)
		for (size_t i = 0; i < lanes; i++)
			slot[k][i] = number[first + k];
	return tree_event(b, shape_of(b, word, kinds), set, slot, 0);
}

static struct tree_list read_list(struct tree_builder *b, const char **at, uint32_t depth)
{
	struct tree_node *item[64];
	size_t length = 0;
	for (; **at && **at != ')'; *at += **at == ' ') {
		if (**at < '0' || **at > '9') {
			item[length++] = read_event(b, at, depth);
			continue;
		}
		uint32_t all = tree_lane_set(b, (uint32_t[]){0, 1, 2, 3}, LANES);
		indexed *count = tree_slots(b, 1, all)[0];
		indexed n = indexed_wrap(b->store, indexed_number(b->store, strtol(*at, (char **)at, 10)), depth);
		for (size_t i = 0; i < LANES; i++)
			count[i] = n;
		++*at;
		struct tree_list body = read_list(b, at, depth + 1);
		++*at;
		item[length++] = tree_loop(b, TREE_LOOP, all, count, body);
	}
	return tree_list_of(b, item, length);
}

/* passes: o(utline), r(eroll), g(uard), u(ndo), f(ission). Columns as tree_print has them: "=" the
   same in all iterations, "#" the number of a parameter. */
static const struct {
	const char *why, *tree, *passes, *made;
} rows[] = {
	{"copies that differ by an affine tag are a loop", "a1:8 A:8 a2:8 A:8 a3:8 A:8", "r",
		"[0-3] for 3 / [0-3] event0 (1 2 3) 8 / [0-3] event1 8"},
	{"... of several statements and below a loop, too", "5(a1:8 b1:8 A:8 a2:8 b2:8 A:8 a3:8 b3:8 A:8)", "r",
		"[0-3] for 5 / [0-3] for 3 / [0-3] event0 =(1 2 3) 8 / [0-3] event1 =(1 2 3) 8 / [0-3] event2 8"},
	{"... where the run begins within a copy", "A:8 a1:8 A:8 a2:8 A:8 a3:8 A:8 a4:8", "r",
		"[0-3] for 4 / [0-3] event0 8 / [0-3] event1 (1 2 3 4) 8"},
	{"two sizes by accident are no loop", "A:8 A:40", "r", "[0-3] event0 8 / [0-3] event0 40"},
	{"... nor is what is not cheaper", "a1:8 a7:9", "r", "[0-3] event0 1 8 / [0-3] event0 7 9"},
	{"a run of which a part advances evenly", "a1:8 a2:8 a3:8 a4:8 a5:8 a6:8 a7:8 a8:8 a9:8 a50:77 a30:3 a71:62",
		"r",
		"[0-3] for 9 / [0-3] event0 (1 2 3 4 5 6 7 8 9) 8 / [0-3] event0 50 77 / [0-3] event0 30 3 / "
		"[0-3] event0 71 62"},
	{"a long run is one loop for each peer first",
		"a1:8>1 b1:8>1 a3:8>1 b3:8>1 a0:8>1 b0:8>1 a4:8>1 b4:8>1 a2:8>1 b2:8>1 "
		"a11:9>3 b11:9>3 a13:9>3 b13:9>3 a10:9>3 b10:9>3 a14:9>3 b14:9>3 a12:9>3 b12:9>3",
		"r",
		"[0-3] for 2 / [0-3] for 5 / [0-3] event0 (1 3) ((1 3 0 4 2) (11 13 10 14 12)) (8 9) / "
		"[0-3] event1 (1 3) ((1 3 0 4 2) (11 13 10 14 12)) (8 9)"},
	{"a loop may begin where it sends to whom it received from",
		"9(a1:8>3,1,2,1,3,3,2,3,1@0 x2:8>1,2,1,3,3,2,3,1,2@0)", "r",
		"[0] event0 3 1 8 / [0] for 8 / [0] event1 (1 2 1 3 3 2 3 1) 2 8 / [0] event0 (1 2 1 3 3 2 3 1) 1 8 / "
		"[0] event1 2 2 8"},
	{"... which is not the one that is sent to next", "9(a1:8>3,1,2,1,3,3,2,3,1@0 x2:8>1,2,1,3,1,2,3,1,2@0)", "r",
		"[0-3] for 9 / [0] event0 (3 1 2 1 3 3 2 3 1) 1 8 / [0] event1 (1 2 1 3 1 2 3 1 2) 2 8"},
	{"a loop is one with what goes on behind it", "4(a1:8>1,2,3,4) a1:8>5", "r",
		"[0-3] for 5 / [0-3] event0 (1 2 3 4 5) 1 8"},
	{"... and before it", "b1:8 a1:8>1 4(a1:8>2,3,4,5)", "r",
		"[0-3] event0 1 8 / [0-3] for 5 / [0-3] event1 (1 2 3 4 5) 1 8"},
	{"... where that is not dearer", "4(a1:8>1,2,3,4) a1:8>7", "r",
		"[0-3] for 4 / [0-3] event0 (1 2 3 4) 1 8 / [0-3] event0 7 1 8"},
	{"blocks of other lanes are these lanes' iterations", "a1:8@0 b1:8@0 a1:8@1 b1:8@1 a1:8@2 b1:8@2 a1:8@3 b1:8@3",
		"r", "[0-3] for 1 / [0-3] event0 1 8 / [0-3] event1 1 8"},
	{"lanes that differ inside of blocks keep them apart", "a1:8@0 b1:8@1 a2:8@1 b2:8@0", "r",
		"[0] event0 1 8 / [1] event1 1 8 / [1] event0 2 8 / [0] event1 2 8"},

	{"a block in two places is a procedure", "a1:8 b1:8 c1:8 d1:8 e1:8 A:8 a1:8 b1:8 c1:8 d1:8 e1:8", "o",
		"[0-3] call0 / [0-3] event5 8 / [0-3] call0 / procedure 0 0 / [0-3] event0 1 8 / [0-3] event1 1 8 / "
		"[0-3] event2 1 8 / [0-3] event3 1 8 / [0-3] event4 1 8"},
	{"two side by side are left to be a loop", "a1:8 b1:8 c1:8 d1:8 e1:8 f1:8 a1:8 b1:8 c1:8 d1:8 e1:8 f1:8", "ori",
		"[0-3] for 2 / [0-3] event0 1 8 / [0-3] event1 1 8 / [0-3] event2 1 8 / [0-3] event3 1 8 / "
		"[0-3] event4 1 8 / [0-3] event5 1 8"},
	{"... not where they differ", "a1:8 b1:8 c1:8 d1:8 e1:8 f1:8 a1:9 b1:9 c1:9 d1:9 e1:9 f1:9", "or",
		"[0-3] call0 8 / [0-3] call0 9 / procedure 0 1 / [0-3] event0 1 #0 / [0-3] event1 1 #0 / "
		"[0-3] event2 1 #0 / [0-3] event3 1 #0 / [0-3] event4 1 #0 / [0-3] event5 1 #0"},
	{"... but for sizes, which are parameters; what agrees in all calls shares one",
		"a1:8 b1:8 c1:4 d1:4 e1:8 f1:5 A:8 a1:9 b1:9 c1:7 d1:7 e1:9 f1:5", "o",
		"[0-3] call0 8 4 / [0-3] event6 8 / [0-3] call0 9 7 / procedure 0 2 / [0-3] event0 1 #0 / "
		"[0-3] event1 1 #0 / [0-3] event2 1 #1 / [0-3] event3 1 #1 / [0-3] event4 1 #0 / [0-3] event5 1 5"},
	{"... by lanes, which select it",
		"a1:8@01 a1:4@23 b1:8@01 b1:4@23 c1:8@01 c1:4@23 d1:8 A:8 a1:9@01 a1:4@23 b1:9@01 b1:4@23 c1:9@01 c1:4@23 d1:9",
		"o",
		"[0-3] call0 8 / [0-3] event4 8 / [0-3] call0 9 / procedure 0 1 / [0-1] event0 1 #0 / [2-3] event0 1 4 / "
		"[0-1] event1 1 #0 / [2-3] event1 1 4 / [0-1] event2 1 #0 / [2-3] event2 1 4 / [0-3] event3 1 #0"},
	{"... not for tags", "a1:8 b1:8 c1:8 d1:8 e1:8 A:8 a2:8 b2:8 c2:8 d2:8 e2:8", "o",
		"[0-3] event0 1 8 / [0-3] event1 1 8 / [0-3] event2 1 8 / [0-3] event3 1 8 / [0-3] event4 1 8 / "
		"[0-3] event5 8 / [0-3] event0 2 8 / [0-3] event1 2 8 / [0-3] event2 2 8 / [0-3] event3 2 8 / "
		"[0-3] event4 2 8"},
	{"... but at the end", "a1:8 b1:8 c1:8 d1:8 e1:8 f1:8 A:8 a2:8 b2:8 c2:8 d2:8 e2:8 f2:8", "t",
		"[0-3] call0 1 / [0-3] event6 8 / [0-3] call0 2 / procedure 0 1 / [0-3] event0 #0 8 / [0-3] event1 #0 8 / "
		"[0-3] event2 #0 8 / [0-3] event3 #0 8 / [0-3] event4 #0 8 / [0-3] event5 #0 8"},
	{"... nor where it saves too little", "a1:8 b1:8 c1:8 A:8 a1:8 b1:8 c1:8", "o",
		"[0-3] event0 1 8 / [0-3] event1 1 8 / [0-3] event2 1 8 / [0-3] event3 8 / [0-3] event0 1 8 / "
		"[0-3] event1 1 8 / [0-3] event2 1 8"},
	{"below loops and in procedures, the largest first",
		"4(a1:8 b1:8 c1:8 d1:8 e1:8) A:8 a1:8 b1:8 c1:8 d1:8 e1:8 B:8 C:8 a1:8 b1:8 c1:8 d1:8 e1:8 B:8 C:8",
		"o",
		"[0-3] for 4 / [0-3] call0 / [0-3] event5 8 / [0-3] call0 / [0-3] event6 8 / [0-3] event7 8 / [0-3] call0 / [0-3] event6 8 / [0-3] event7 8 / "
		"procedure 0 0 / [0-3] event0 1 8 / [0-3] event1 1 8 / [0-3] event2 1 8 / [0-3] event3 1 8 / [0-3] event4 1 8"},
	{"... and bodies come back where they were called", "4(a1:8 b1:8 c1:8 d1:8 e1:8) A:8 a1:9 b1:9 c1:9 d1:9 e1:9",
		"ou",
		"[0-3] for 4 / [0-3] event0 1 8 / [0-3] event1 1 8 / [0-3] event2 1 8 / [0-3] event3 1 8 / [0-3] event4 1 8 / "
		"[0-3] event5 8 / [0-3] event0 1 9 / [0-3] event1 1 9 / [0-3] event2 1 9 / [0-3] event3 1 9 / [0-3] event4 1 9"},
	{"... a procedure that costs more than its calls, once others are found in it, is undone",
		"a1:8 b1:8 c1:8 d1:8 e1:8 f1:8 g1:8 h1:8 i1:8 j1:8 "
		"A:8 f1:8 g1:8 h1:8 i1:8 j1:8 B:8 a1:8 b1:8 c1:8 d1:8 e1:8 "
		"C:8 a1:8 b1:8 c1:8 d1:8 e1:8 f1:8 g1:8 h1:8 i1:8 j1:8",
		"oi",
		"[0-3] call2 / [0-3] call1 / [0-3] event10 8 / [0-3] call1 / [0-3] event11 8 / [0-3] call2 / "
		"[0-3] event12 8 / [0-3] call2 / [0-3] call1 / "
		"procedure 1 0 / [0-3] event5 1 8 / [0-3] event6 1 8 / [0-3] event7 1 8 / [0-3] event8 1 8 / [0-3] event9 1 8 / "
		"procedure 2 0 / [0-3] event0 1 8 / [0-3] event1 1 8 / [0-3] event2 1 8 / [0-3] event3 1 8 / [0-3] event4 1 8"},
	{"an exchange by levels is a procedure, called in a loop over its size",
		"a1:16 b2:16 c3:16 d4:16 a1:64 b2:64 c3:64 d4:64 a1:256 b2:256 c3:256 d4:256 a1:1024 b2:1024 c3:1024 d4:1024",
		"or",
		"[0-3] for 4 / [0-3] call0 (16 64 256 1024) / procedure 0 1 / [0-3] event0 1 #0 / [0-3] event1 2 #0 / "
		"[0-3] event2 3 #0 / [0-3] event3 4 #0"},

	{"the levels of a V-cycle are two loops, however many there are",
		"a1:256 b2:256 c3:256 a1:64 b2:64 c3:64 a1:16 b2:16 c3:16 a1:4 b2:4 c3:4 a1:1 b2:1 c3:1 "
		"a1:1 b2:1 c3:1 a1:4 b2:4 c3:4 a1:4 b2:4 c3:4 a1:16 b2:16 c3:16 a1:16 b2:16 c3:16 "
		"a1:64 b2:64 c3:64 a1:64 b2:64 c3:64 a1:256 b2:256 c3:256 a1:256 b2:256 c3:256 "
		"a1:1024 b2:1024 c3:1024 a1:1024 b2:1024 c3:1024 a1:1024 b2:1024 c3:1024",
		"or",
		"[0-3] for 4 / [0-3] call0 (256 64 16 4) / [0-3] for 6 / [0-3] for 2 / [0-3] call0 (1 4 16 64 256 1024) / "
		"[0-3] call0 1024 / procedure 0 1 / [0-3] event0 1 #0 / [0-3] event1 2 #0 / [0-3] event2 3 #0"},

	{"... also of exchanges that were recognized without their sizes",
		"5(17(a1:256,64,16,4,1,1,4,4,16,16,64,64,256,256,1024,1024,1024))", "r",
		"[0-3] for 5 / [0-3] for 4 / [0-3] event0 1 =(256 64 16 4) / [0-3] for 6 / "
		"[0-3] event0 1 =(1 4 16 64 256 1024) / [0-3] event0 1 =(1 4 16 64 256 1024) / [0-3] event0 1 1024"},
	{"... where that is cheaper", "9(a1:7,3,8,5,1,9,2,4,6)", "r",
		"[0-3] for 9 / [0-3] event0 1 (7 3 8 5 1 9 2 4 6)"},

	{"iterations that come again are a loop inside", "15(a1:1,4,16,64,256,1,4,16,64,256,1,4,16,64,256)", "r",
		"[0-3] for 3 / [0-3] for 5 / [0-3] event0 1 =(1 4 16 64 256)"},
	{"... where that is cheaper", "6(a1:8,16,8,16,8,16)", "r", "[0-3] for 6 / [0-3] event0 1 (8 16 8 16 8 16)"},

	{"messages that stay in their iterations", "3(a1:8>1@0 x1:8>0@1)", "f",
		"[0-3] for 3 / [0] event0 1 1 8 / [1] event1 0 1 8"},
	{"... and those that cross", "a1:8>1@0 3(a1:8>1@0 x1:8>0@1) x1:8>0@1", "f",
		"[0] event0 1 1 8 / [0,2-3] for 3 / [0] event0 1 1 8 / [1] for 3 / [1] event1 0 1 8 / [1] event1 0 1 8"},
	{"... only where they do", "2(a1:8>1@0 3(a1:8>1@0 x1:8>0@1) x1:8>0@1)", "f",
		"[0-3] for 2 / [0] event0 1 1 8 / [0,2-3] for 3 / [0] event0 1 1 8 / [1] for 3 / [1] event1 0 1 8 / "
		"[1] event1 0 1 8"},
};

static struct tree_list taken_apart(struct tree_builder *b, struct tree_list list)
{
	static const struct grid none;
	fission(b, &none, &list);
	return list;
}

static void test_rows(void)
{
	static const uint32_t process[LANES] = {0, 1, 2, 3};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tree_builder *b = tree_builder_new(LANES, process);
		struct store *store = store_new(LANES, &(struct grid){0});
		struct fit *fit = fit_new(store, LANES, &(struct grid){0});
		struct pricing *p = pricing_new(b, fit);
		const char *at = rows[i].tree;
		struct tree_list list = read_list(b, &at, 0);
		struct text want = what_is_done(b, list), lines = {0};
		uint32_t price;
		for (const char *pass = rows[i].passes; *pass; pass++) {
			struct tree_list next = *pass == 'o'   ? outline(b, list, false)
						: *pass == 't' ? outline(b, list, true)
						: *pass == 'r' ? reroll(b, p, list, NULL)
						: *pass == 'i' ? outline_inline(b, p, list, &price)
						: *pass == 'f' ? taken_apart(b, list)
							       : outline_undo(b, list);
			keeps(rows[i].why, i, b, list, next, &want);
			list = next;
		}
		if (strchr(rows[i].passes, 'u'))
			b->procedures = 0;
		tree_print(b, list, &lines);
		struct text row = row_of_lines(lines.data, false);
		row_same(rows[i].why, row.data, rows[i].made);
		text_clear(&want);
		text_clear(&lines);
		text_clear(&row);
		pricing_free(p);
		fit_free(fit);
		store_free(store);
		tree_builder_free(b);
	}
}

/* ------------------------------------------------------------------ repeats */

/* Is it a run, and the longest around? Is a part of its period one, too? */
static bool is_run(const uint32_t *number, size_t n, size_t start, size_t end, size_t period)
{
	if (end - start < 2 * period || (start && number[start - 1] == number[start - 1 + period]) ||
		(end < n && number[end] == number[end - period]))
		return false;
	for (size_t i = start; i + period < end; i++)
		if (number[i] != number[i + period])
			return false;
	return true;
}

static bool has_part(const uint32_t *number, size_t n, struct repeat r)
{
	for (size_t period = 1; period < r.period; period++)
		if (r.period % period == 0 && is_run(number, n, r.start, r.end, period))
			return true;
	return false;
}

static void test_repeats(void)
{
	for (uint64_t seed = 1; seed <= rounds(200); seed++) {
		uint32_t number[40], letters = 1 + (uint32_t)(seed % 3);
		size_t n = 1 + seed % 40, runs = 0, multiple = 1 + seed % 4;
		random_state = seed;
		for (size_t i = 0; i < n; i++)
			number[i] = i > 6 && random_below(2) ? number[i - 3] : random_below(letters);
		struct runs found = runs_find(number, n, multiple);
		for (size_t period = 1; 2 * period <= n; period++)
			for (size_t start = 0; start < n; start++)
				for (size_t end = start + 2 * period; end <= n; end++) {
					struct repeat r = {start, end, period, 0};
					bool want = is_run(number, n, start, end, period) &&
						    (period <= multiple || !has_part(number, n, r));
					bool have = false;
					for (size_t i = 0; i < found.length; i++)
						have = have ||
						       (found.run[i].start == start && found.run[i].end == end &&
							       found.run[i].period == period);
					CU_ASSERT(have || !want);
					CU_ASSERT(!have || is_run(number, n, start, end, period));
					runs += have;
				}
		CU_ASSERT_EQUAL(runs, found.length);
		runs_clear(&found);

		struct blocks_found blocks = blocks_find(number, n);
		size_t repeated = 0;
		for (size_t i = 0; i < blocks.length; i++) {
			const struct repeated *r = &blocks.block[i];
			size_t first = blocks.order[r->first], places = 0;
			for (size_t at = 0; at + r->length <= n; at++)
				places += !memcmp(number + at, number + first, r->length * sizeof *number);
			CU_ASSERT_EQUAL(places, r->last - r->first + 1);
			CU_ASSERT(r->shorter < r->length);
			repeated += r->length - r->shorter;
		}
		/* every block that stands in two places is one of these, or the beginning of one */
		size_t want = 0;
		for (size_t length = 1; length < n; length++)
			for (size_t at = 0; at + length <= n; at++) {
				bool first = true, again = false;
				for (size_t other = 0; other + length <= n; other++) {
					bool same = !memcmp(number + at, number + other, length * sizeof *number);
					first = first && !(same && other < at);
					again = again || (same && other > at);
				}
				want += first && again;
			}
		CU_ASSERT_EQUAL(repeated, want);
		blocks_found_clear(&blocks);
	}
}

/* ------------------------------------------------------------------ tables */

#define GRID_2_2 "// tracenest 1\n// processes 4\n// grid 2 2\n"
#define GRID_2_3 "// tracenest 1\n// processes 6\n// grid 2 3\n"
#define GRID_3_2 "// tracenest 1\n// processes 6\n// grid 3 2\n"

static const struct shared_row {
	const char *why, *before, *after; /* NULL: the same */
} multiples[] = {
	{"one is a multiple of what the other is",
		"[*] p send p^1 t ; bytes=$b[y] / [*] p send p^1 u ; bytes=$c[y] / $b[y] = 112 104 / $c[y] = 1344 1248",
		"[*] p send p^1 t ; bytes={8*$b[y]} / [*] p send p^1 u ; bytes={96*$b[y]} / $b[y] = 14 13"},
	{"of the other itself", "[*] p local a ; bytes=$b[p] received=$r[p] / $b[p] = 4 0 0 0 / $r[p] = 1 0 0 0",
		"[*] p local a ; bytes={4*$r[p]} received=$r[p] / $r[p] = 1 0 0 0"},
	{"in sums, in products, of both",
		"for i0 = 0 to 1 / [*] p local a ; bytes={8+2*$b[i0]*$c[p]} received=$d[i0] / done / [*] p local b ; bytes=$e[p] / "
		"$b[i0] = 3 6 / $c[p] = 5 10 15 20 / $d[i0] = 1 2 / $e[p] = 1..4",
		"for i0 = 0 to 1 / [*] p local a ; bytes={30*$d[i0]*$e[p]+8} received=$d[i0] / done / [*] p local b ; bytes=$e[p] / "
		"$d[i0] = 1 2 / $e[p] = 1..4"},
	{"alone, it stays", "[*] p local a ; bytes=$b[p] / $b[p] = 4 8 8 12", NULL},
	{"rows are others", "[*] p local a ; bytes=$b[x,y] received=$c[p] / $b[x,y] = 2 4 | 6 2 / $c[p] = 1..3 1",
		NULL},
	{"with its rows and blocks",
		"for i0 = 0 to 1 / [*] p local a ; bytes=$b[i0,x,y] received=$c[i0,y,x] / done / "
		"$b[i0,x,y] = 2 4 | 6 2 || 2 8 | 0 2 / $c[i0,y,x] = 3 6 | 9 3 || 3 12 | 0 3",
		"for i0 = 0 to 1 / [*] p local a ; bytes={2*$b[i0,x,y]} received={3*$b[i0,y,x]} / done / "
		"$b[i0,x,y] = 1 2 | 3 1 | || 1 4 | 0 1"},
	{"a peer's is none of sizes", "[*] p send $peer[p] t ; bytes=$b[p] / $peer[p] = 0 2 2 0 / $b[p] = 0 4 4 0",
		NULL},
	{"below 0", "[*] p local a ; k=$b[p] l=$c[p] / $b[p] = -4 4 8 0 / $c[p] = -2 2 4 0",
		"[*] p local a ; k={4*$b[p]} l={2*$b[p]} / $b[p] = -1 1 2 0"},
	{"what the root has, and all others",
		"for i0 = 0 to 2 / [*] p local a ; bytes=$b[p,i0] received=$r[p,i0] / done / "
		"$b[p,i0] = 4 7 9 | (0 0 0 |)*3 / $r[p,i0] = 0 0 0 | (8 14 18 |)*3",
		"for i0 = 0 to 2 / [*] p local a ; bytes=$b[p]*$b2[i0] received={2*$r[p]*$b2[i0]} / done / "
		"$b[p] = 1 0 0 0 / $b2[i0] = 4 7 9 / $r[p] = 0 1 1 1"},
	{"by one coordinate, where the other is 0, and nothing else",
		"[*] p local a ; bytes=$b[x] received=$r[p] / $b[x] = 3 5 / $r[p] = 6 10 0 0",
		"[*] p local a ; bytes=$b[x] received={2*$r[y]*$b[x]} / $b[x] = 3 5 / $r[y] = 1 0"},
	{"blocks of rows, and a mask that is there already",
		"for i0 = 0 to 1 / [*] p local a ; k=$b[p,x,i0] l=$c[p,x,i0] m=$d[p] / done / "
		"$b[p,x,i0] = 0 0 | 0 0 | || 2 4 | 2 6 | || 0 0 | 0 0 | || 2 4 | 2 6 / "
		"$c[p,x,i0] = 3 6 | 3 9 | (|| 0 0 | 0 0 |)*3 / $d[p] = 0 5 0 5",
		"for i0 = 0 to 1 / [*] p local a ; k={2*$b[p]*$b2[x,i0]} l={3*$c[p]*$b2[x,i0]} m={5*$b[p]} / done / "
		"$b[p] = 0 1 0 1 / $b2[x,i0] = 1 2 | 1 3 / $c[p] = 1 0 0 0"},
	{"rows of which nobody has a second use, or that are not as long",
		"for i0 = 0 to {p} / [*] p local a ; k=$b[p,i0] l=$c[p,i0] / done / "
		"$b[p,i0] = 0 | 3 4 | 0 0 0 | 3 4 0 0 / $c[p,i0] = 2 | 0 0 | 0 0 0 | (0)*4",
		NULL},
	{"in a product there is no room",
		"for i0 = 0 to 1 / [*] p local a ; k=$b[p,i0]*$c[i0] l=$d[i0] / done / "
		"$b[p,i0] = 0 0 | (1 3 |)*3 / $c[i0] = 5 8 / $d[i0] = 1 3",
		NULL},
	{"nothing but 0", "[*] p local a ; bytes=$b[p,x] received=$c[p] / $b[p,x] = (0 0 |)*4 / $c[p] = (0)*4", NULL},
	{"factors that are too large to be read",
		"[*] p local a ; k=$b[p] l=$c[p] / $b[p] = 0 4294967296 0 0 / $c[p] = 0 1 0 0", NULL},
};

static void test_shared(const char *grid, const struct shared_row *row, size_t count, bool (*share)(struct draft *))
{
	for (size_t i = 0; i < count; i++) {
		struct error error = {0};
		struct text lines = lines_of_row(grid, row[i].before), have = {0}, again = {0};
		struct module *m = module_parse_one("row", lines.data, lines.length, &error);
		ROW(row[i].why, m);
		struct draft *d = draft_of_module(m, &error);
		ROW(row[i].why, share(d) == (row[i].after != NULL));
		ROW(row[i].why, !share(d));
		module_free(m);
		m = module_of_draft(d, NULL, NULL);
		module_print_text(m, NULL, &have);
		draft_free(d);
		again = row_of_lines(have.data, false);
		row_same(row[i].why, again.data, row[i].after ? row[i].after : row[i].before);
		module_free(m);
		text_clear(&lines);
		text_clear(&have);
		text_clear(&again);
	}
}

static void test_multiples(void)
{
	test_shared(GRID_2_2, multiples, COUNT(multiples), multiples_share);
}

static void test_moved(void)
{
	static const struct shared_row moved[] = {
		{"what the neighbour along an axis has",
			"[*] p send p^1 t ; bytes=$b[p] / [*] p local a ; bytes=$c[p] / $b[p] = 4 8 8 12 / $c[p] = 8 4 12 8",
			"[*] p send p^1 t ; bytes=$b[y,x] / [*] p local a ; bytes=$b[y,(x+1)%2] / $b[y,x] = 4 8 | 8 12"},
		{"along two, and beside it what the neighbour along one has, in sums and products",
			"for i0 = 0 to 1 / [*] p local a ; k={8+2*$d[i0]*$b[p]} l=$c[p] m={3*$e[p]} / done / "
			"$d[i0] = 1 5 / $b[p] = 1..3 7 / $c[p] = 7 3 2 1 / $e[p] = 3 7 1 2",
			"for i0 = 0 to 1 / [*] p local a ; k={2*$d[i0]*$b[y,x]+8} l=$b[(y+1)%2,(x+1)%2] m={3*$b[(y+1)%2,x]} / "
			"done / $d[i0] = 1 5 / $b[y,x] = 1 2 | 3 7"},
		{"other numbers, or others in between",
			"[*] p local a ; k=$b[p] l=$c[p] m=$d[p] / "
			"$b[p] = 1..3 7 / $c[p] = 1 3 2 7 / $d[p] = 1..3 6",
			NULL},
		{"the same table is there already", "[*] p local a ; k=$b[p] l={2*$b[p]} / $b[p] = 1..3 7", NULL},
		{"by coordinates, or a part of the ranks",
			"[*] p local a ; k=$b[y,x] l=$c[y,x] m=$d[p] / "
			"$b[y,x] = 1 2 | 3 7 / $c[y,x] = 2 1 | 7 3 / $d[p] = 1..3 7 9",
			NULL},
		{"rows by an index, of the neighbour along an axis of two",
			"for i0 = 0 to 1 / [*] p local a ; k=$b[p,i0] l=$c[p,i0] m=$d[p,i0] / done / $b[p,i0] = 1 2 | 3 4 | 5 6 | 7 8 / "
			"$c[p,i0] = 3 4 | 1 2 | 7 8 | 5 6 / $d[p,i0] = 7 8 | 5 6 | 3 4 | 1 2",
			"for i0 = 0 to 1 / [*] p local a ; k=$b[p,i0] l=$b[p-2*x+1,i0] m=$b[p-2*x-4*y+3,i0] / done / "
			"$b[p,i0] = 1 2 | 3 4 | 5 6 | 7 8"},
		{"blocks by two, which differ in where rows end",
			"for i0 = 0 to 1 / [*] p local a ; k=$b[p,x,i0] l=$c[p,x,i0] / done / "
			"$b[p,x,i0] = 1 1 | 4 1 | (|| 1 1 | 1 1 |)*2 || 1 | 1 1 1 / $c[p,x,i0] = (1 1 | 1 1 | ||)*2 1 1 | 4 1 | || 1 1 | 1 1",
			NULL},
	};
	static const struct shared_row around[] = {
		{"around all processes, and along both axes",
			"for i0 = 0 to 1 / [*] p local a ; k=$b[p,i0] l=$c[p,i0] m=$d[p,i0] / done / "
			"$b[p,i0] = 1 1 | 2 2 | 3 3 | 4 4 | 5 5 | 6 6 / $c[p,i0] = 3 3 | 4 4 | 5 5 | 6 6 | 1 1 | 2 2 / "
			"$d[p,i0] = 6 6 | 5 5 | 2 2 | 1 1 | 4 4 | 3 3",
			"for i0 = 0 to 1 / [*] p local a ; k=$b[p,i0] l=$b[(p+2)%6,i0] m=$b[(p-2*x+5)%6,i0] / done / "
			"$b[p,i0] = 1 1 | 2 2 | 3 3 | 4 4 | 5 5 | 6 6"},
	};
	static const struct shared_row longer[] = {
		{"around an axis that is not the last, there is no such argument",
			"for i0 = 0 to 1 / [*] p local a ; k=$b[p,i0] l=$c[p,i0] / done / "
			"$b[p,i0] = 1 1 | 2 2 | 3 3 | 4 4 | 5 5 | 6 6 / $c[p,i0] = 2 2 | 3 3 | 1 1 | 5 5 | 6 6 | 4 4",
			NULL},
	};
#define LATER "$b[p,i0] = 1..3 | 4..6 | 7..9 | 3 1 2 / "
	static const struct shared_row later[] = {
		{"what the neighbour has in the next iteration",
			"for i0 = 0 to 2 / [*] p local a ; k=$b[p,i0] l=$c[p,i0] / done / " LATER
			"$c[p,i0] = 5 6 0 | 2 3 1 | 1 2 4 | 8 9 5",
			"for i0 = 0 to 2 / [*] p local a ; k=$b[p,i0] l=$b[p-2*x+1,1+i0] / done / "
			"$b[p,i0] = 1..3 1 | 4..6 0 | 7..9 5 | 3 1 2 4"},
		{"... and is asked for from there",
			"for i0 = 0 to 2 / [*] p local a ; k=$b[p,i0] l=$c[p-2*x+1,i0] / done / " LATER
			"$c[p,i0] = 5 6 0 | 2 3 1 | 1 2 4 | 8 9 5",
			"for i0 = 0 to 2 / [*] p local a ; k=$b[p,i0] l=$b[p,1+i0] / done / "
			"$b[p,i0] = 1..3 1 | 4..6 0 | 7..9 5 | 3 1 2 4"},
		{"of two, each in its place, with the same behind it",
			"for i0 = 0 to 2 / [*] p local a ; k=$b[p,i0] l=$c[p,i0] m=$d[p,i0] / done / " LATER
			"$c[p,i0] = 5 6 0 | 2 3 1 | 1 2 4 | 8 9 5 / $d[p,i0] = 8 9 5 | 1 2 4 | 2 3 1 | 5 6 0",
			"for i0 = 0 to 2 / [*] p local a ; k=$b[p,i0] l=$b[p-2*x+1,1+i0] m=$b[p-4*y+2,1+i0] / done / "
			"$b[p,i0] = 1..3 1 | 4..6 0 | 7..9 5 | 3 1 2 4"},
		{"not with something else behind it, nor if it is asked for by another number",
			"for i0 = 0 to 2 / [*] p local a ; k=$b[p,i0] l=$c[p,i0%3] m=$d[p,i0] / done / " LATER
			"$c[p,i0%3] = 5 6 0 | 2 3 1 | 1 2 4 | 8 9 5 / $d[p,i0] = 8 9 5 | 1 2 4 | 2 4 1 | 5 6 0",
			NULL},
		{"one number alone is an accident",
			"for i0 = 0 to 1 / [*] p local a ; k=$b[p,i0] l=$c[p,i0] / done / "
			"$b[p,i0] = 1 2 | 4 5 | 7 8 | 3 1 / $c[p,i0] = 5 6 | 2 3 | 1 2 | 8 9",
			NULL},
	};
	test_shared(GRID_2_2, later, COUNT(later), moved_share_later);
	test_shared(GRID_2_2, moved, COUNT(moved), moved_share);
	test_shared(GRID_2_3, around, COUNT(around), moved_share);
	test_shared(GRID_3_2, longer, COUNT(longer), moved_share);
}

void suite_builder_passes(CU_pSuite suite)
{
	CU_add_test(suite, "every pass keeps what each lane does", test_exact);
	CU_add_test(suite, "procedures, loops and guards are where they are cheaper", test_rows);
	CU_add_test(suite, "runs and repeated blocks are those that there are", test_repeats);
	CU_add_test(suite, "tables that are multiples of one are one", test_multiples);
	CU_add_test(suite, "tables that are moved along the grid are one", test_moved);
}
