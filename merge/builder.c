/*
 * builder.c -- the pipeline: read, recognize, unite, outline, reroll, outline, fit, rewrite, prove.
 */
#include "merge/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/dictionary.h"
#include "model/module_tables.h"
#include "merge/anchors.h"
#include "merge/emit.h"
#include "merge/fission.h"
#include "merge/flat.h"
#include "merge/grids.h"
#include "merge/inside_out.h"
#include "merge/lift.h"
#include "merge/fusion.h"
#include "merge/moved.h"
#include "merge/multiples.h"
#include "merge/outline.h"
#include "merge/path_tree.h"
#include "merge/recognize.h"
#include "merge/rewrite.h"
#include "merge/reroll.h"
#include "merge/sequence.h"
#include "merge/tag_names.h"
#include "merge/unite.h"

/* Records of all processes that are looked at one by one: beyond, a program that is recognized
   while it is read is kept as it is. */
#define BUILD_RECORDS (UINT64_C(1) << 22)

/* Statements of all classes together that are looked at: what is longer repeats too little to be
   read as a program (ScaLAPACK's LU without call paths: 40,000). From the inside out bodies have
   few statements of their own (10,000, which become 4,000). */
#define BUILD_STATEMENTS ((size_t)1 << 13)
#define BUILD_INSIDE_OUT ((size_t)1 << 14)

/* Statements of the reduced program for each process: of more there is no program to be read. */
#define BUILD_LENGTH ((size_t)1 << 16)

/* Classes that are looked at; of more, there are to be four processes for each. Where each does
   something of its own (an irregular graph), what they have in common is no program. */
#define BUILD_CLASSES 32
#define BUILD_CLASS_LANES 4

/* Formulas and their prices on a grid. */
struct priced_grid {
	struct grid grid;
	struct store *store;
	struct fit *fit;
	struct pricing *pricing;
};

#define STRUCTURES (RECOGNIZE_MASKS * RECOGNIZE_ITERATIONS + 4)

struct building {
	const struct module *from;
	struct run *run;
	struct dictionary *words; /* and groups, of shapes */
	struct tables *there; /* of `from` */
	const struct build_options *options;
	struct tree_builder *builder;
	struct lift *lift, *proven; /* proven: without sites, of which a program knows nothing yet */
	struct records *read; /* as they were read: groups are sets */
	struct records *records; /* groups are lines of the grid, where they can be */
	uint32_t *to; /* by record as it was read: which it is on the grid */
	size_t to_capacity;
	uint64_t events;
	bool flat; /* are there few enough to look at one after the other? */
	bool flattened; /* have they been listed so? */
	struct tag_names *tags;
	struct grid grid;
	bool partitioned; /* are groups that are no lines told by their communicators? */
	struct priced_grid priced[2]; /* without a grid, on the last one */
	struct store *without_grid;
	uint64_t price[STRUCTURES]; /* of structures on the first grid; 0: there was none */
	uint32_t *process; /* by lane */
	uint32_t lanes;
	struct call_point **point; /* by lane, by event; NULL: not known of all */
	bool joined; /* do lanes know different paths, or none? */
};

/* ------------------------------------------------------------------ events as records */

static bool read_lanes(struct building *b)
{
	b->lanes = lift_processes(b->run, &b->process);
	if (b->lanes == 0 || b->from->lines / b->lanes > BUILD_LENGTH)
		return false;
	b->builder = tree_builder_new(b->lanes, b->process);
	b->read = records_new(0);
	b->lift = lift_new(b->builder, b->read, b->run, b->words, b->options->at_sites);
	b->proven = b->options->at_sites ? lift_new(b->builder, b->read, b->run, b->words, false) : b->lift;
	for (uint32_t lane = 0; b->lift && lane < b->lanes; lane++)
		b->events = saturating_add(b->events, lift_events(b->lift, lane));
	b->flat = b->events < BUILD_RECORDS;
	return b->lift && b->events;
}

static void clear_paths(struct building *b)
{
	for (uint32_t lane = 0; lane < b->lanes && b->point; lane++)
		free(b->point[lane]);
	free(b->point);
	b->point = NULL;
}

static void read_paths(struct building *b)
{
	bool known = b->options->paths && b->flat && !b->options->as_it_stands;
	b->point = known ? mem_zero((b->lanes + (size_t)1) * sizeof *b->point) : NULL;
	for (uint32_t lane = 0; lane < b->lanes && known; lane++) {
		b->point[lane] =
			b->options->points_of(b->options->context, b->process[lane], lift_events(b->lift, lane));
		known = b->point[lane] != NULL;
	}
	if (!known)
		clear_paths(b);
}

/* ------------------------------------------------------------------ grids */

/* Messages, by processes and tag, that are looked at. More tags than so many are numbers that
   advance, and tell nothing apart. */
#define PAIRS_MOST ((size_t)1 << 16)
#define PAIR_TAGS 256

/* Many processes that each exchange messages with so much of all others (one in PAIRS_DENSE), and
   with more than the neighbours in a cube, stand nowhere. */
#define PAIRS_DENSE 4
#define PAIRS_CUBE 26
#define GRID_LEAST 32

struct traffic {
	struct intern *pairs, *groups;
	struct building *b;
	bool tags; /* do they tell messages apart? */
	uint32_t process;
};

static bool is_whole(const struct building *b, uint64_t group)
{
	struct ranks set = dictionary_get_ranks(b->words, (uint32_t)group);
	return ranks_count(&set) == b->from->processes && b->from->processes > 1;
}

static void add_traffic(struct traffic *t, uint32_t process, const struct record *r, bool tags)
{
	const struct tree_shape *shape = intern_data(t->b->builder->shapes, r->shape, NULL);
	uint32_t peer = (uint32_t)r->number[0];
	bool tagged = tags && shape->slots & 1 << SLOT_IS_TAG;
	struct grid_pair pair = {process, peer, tagged ? tag_names_told(t->b->tags, r->number[1]) : 0};
	if (kind_receives(shape->kind)) {
		pair.from = peer;
		pair.to = process;
	}
	if (kind_gathers(shape->kind) && !is_whole(t->b, shape->group))
		intern_id(t->groups, &shape->group, sizeof shape->group);
	else if (kind_has_peer(shape->kind))
		intern_id(t->pairs, &pair, sizeof pair);
}

static void visit_traffic(void *traffic, uint32_t id)
{
	struct traffic *t = traffic;
	if (intern_count(t->pairs) < PAIRS_MOST)
		add_traffic(t, t->process, records_get(t->b->read, id), t->tags);
}

static void gather_traffic(struct traffic *t)
{
	struct building *b = t->b;
	for (uint32_t lane = 0; lane < b->lanes && intern_count(t->pairs) < PAIRS_MOST; lane++) {
		t->process = b->process[lane];
		lift_visit(b->lift, lane, visit_traffic, t);
	}
}

static size_t count_tags(struct building *b)
{
	struct intern *tags = intern_new_keys(sizeof(uint64_t));
	for (uint32_t i = 0; i < records_count(b->read); i++) {
		const struct record *r = records_get(b->read, i);
		const struct tree_shape *shape = intern_data(b->builder->shapes, r->shape, NULL);
		if (kind_has_tag(shape->kind) && shape->slots & 1 << SLOT_IS_TAG)
			intern_id(tags, &(uint64_t){tag_names_told(b->tags, r->number[1])}, sizeof(uint64_t));
	}
	size_t count = intern_count(tags);
	intern_free(tags);
	return count;
}

/* Of messages, by processes and tag; the caller's. */
static struct grid_pair *pairs_of(const struct traffic *t, size_t *length)
{
	*length = intern_count(t->pairs);
	struct grid_pair *pair = mem_array(*length, sizeof *pair);
	for (size_t i = 0; i < *length; i++)
		memcpy(&pair[i], intern_data(t->pairs, (uint32_t)i, NULL), sizeof *pair);
	return pair;
}

static struct traffic traffic_of(struct building *b, bool tags)
{
	struct traffic t = {intern_new_keys(sizeof(struct grid_pair)), intern_new_keys(sizeof(int64_t)), b, tags, 0};
	gather_traffic(&t);
	return t;
}

static void traffic_clear(struct traffic *t)
{
	intern_free(t->pairs);
	intern_free(t->groups);
}

static void name_tags(struct building *b)
{
	struct traffic t = traffic_of(b, true);
	size_t pairs;
	struct grid_pair *pair = pairs_of(&t, &pairs);
	if (pairs < PAIRS_MOST)
		b->tags = tag_names_new(pair, pairs);
	b->builder->tags = b->tags;
	free(pair);
	traffic_clear(&t);
}

/* Is it better than none? */
static bool find_grid(struct building *b, struct grid *grid)
{
	struct traffic t = traffic_of(b, count_tags(b) <= PAIR_TAGS);
	size_t pairs, groups = intern_count(t.groups);
	struct grid_pair *pair = pairs_of(&t, &pairs);
	struct ranks *group = mem_array(groups, sizeof *group);
	for (size_t i = 0; i < groups; i++) {
		int64_t id;
		memcpy(&id, intern_data(t.groups, (uint32_t)i, NULL), sizeof id);
		group[i] = dictionary_get_ranks(b->words, (uint32_t)id);
	}
	uint64_t all = (uint64_t)b->from->processes * b->from->processes;
	bool dense = pairs == PAIRS_MOST ||
		     (b->lanes > GRID_LEAST && pairs > all / PAIRS_DENSE && pairs > PAIRS_CUBE * (size_t)b->lanes);
	bool better = grid_of(b->from->processes, &(struct grid_traffic){pair, dense ? 0 : pairs, group, groups}, grid);
	free(pair);
	free(group);
	traffic_clear(&t);
	return better;
}

/* ------------------------------------------------------------------ partitions */

/* A group of a collective, by the lowest number of its communicators. */
struct grouped {
	int64_t communicator;
	uint32_t group;
};

static int by_communicator(const void *a, const void *b)
{
	const struct grouped *x = a, *y = b;
	if (x->communicator != y->communicator)
		return x->communicator < y->communicator ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

static bool is_line(const struct building *b, uint32_t group, uint32_t *axes)
{
	struct ranks set = dictionary_get_ranks(b->words, group);
	return grid_line_of(&b->grid, &set, axes);
}

static bool has_partition(const struct building *b, const struct tree_shape *shape)
{
	return kind_gathers(shape->kind) && shape->slots & 1 << SLOT_IS_COMMUNICATOR && !is_whole(b, shape->group);
}

static struct grouped *find_groups(const struct building *b, size_t *length)
{
	struct intern *known = intern_new_keys(sizeof(uint64_t));
	struct grouped *grouped = NULL;
	size_t capacity = 0;
	*length = 0;
	for (uint32_t i = 0; i < records_count(b->read); i++) {
		const struct record *r = records_get(b->read, i);
		const struct tree_shape *shape = intern_data(b->builder->shapes, r->shape, NULL);
		if (!has_partition(b, shape))
			continue;
		int64_t number = r->number[(shape->slots & 1 << SLOT_IS_PEER) != 0];
		uint32_t id = intern_id(known, &shape->group, sizeof shape->group);
		grouped = mem_grow(grouped, &capacity, (size_t)id + 1, sizeof *grouped);
		if (id == *length)
			grouped[(*length)++] = (struct grouped){number, (uint32_t)shape->group};
		grouped[id].communicator = number < grouped[id].communicator ? number : grouped[id].communicator;
	}
	intern_free(known);
	if (*length)
		qsort(grouped, *length, sizeof *grouped, by_communicator);
	return grouped;
}

/* Communicators that are made in one call have no process in common, and numbers in a row: each
   group is of the first partition that has none of its processes. O(members of groups x
   partitions). */
static void make_partitions(struct building *b)
{
	size_t length;
	struct grouped *grouped = find_groups(b, &length);
	for (size_t i = 0; i < length; i++) {
		struct ranks set = dictionary_get_ranks(b->words, grouped[i].group);
		struct tree_partition *p = tree_partition_without(b->builder, &set, b->from->processes);
		struct ranks_walk walk = {0};
		for (uint32_t process; ranks_next(&set, &walk, &process);)
			p->group[process] = grouped[i].group;
		p->groups++;
	}
	free(grouped);
}

static bool has_lines(const struct building *b, const struct tree_partition *p)
{
	uint32_t axes, before = UINT32_MAX;
	bool lines = true;
	for (uint32_t process = 0; process < b->from->processes && lines; before = p->group[process++])
		lines = p->group[process] == UINT32_MAX || p->group[process] == before ||
			is_line(b, p->group[process], &axes);
	return lines;
}

/* Are there groups that the grid does not tell? */
static bool has_partitions(const struct building *b)
{
	for (size_t i = 0; i < b->builder->partitions; i++)
		if (b->builder->partition[i].groups > 1 && !b->builder->partition[i].lines)
			return true;
	return false;
}

static size_t partition_of(const struct building *b, uint32_t group)
{
	uint32_t first = dictionary_get_ranks(b->words, group).run[0].first;
	size_t at = 0;
	while (b->builder->partition[at].group[first] != group)
		at++;
	return at;
}

/* The record on this grid. A group that is a line through one of its members is one through all. */
static uint32_t on_grid(struct building *b, uint32_t id)
{
	struct record record = *records_get(b->read, id);
	struct tree_shape shape = *(const struct tree_shape *)intern_data(b->builder->shapes, record.shape, NULL);
	if (!kind_gathers(shape.kind))
		return records_id(b->records, &record);
	bool parted = b->partitioned && has_partition(b, &shape);
	size_t partition = parted ? partition_of(b, (uint32_t)shape.group) : 0;
	uint32_t axes;
	if (parted && !b->builder->partition[partition].lines) {
		shape.grouped = GROUP_IS_IN_PARTITION;
		shape.group = partition;
	} else if (!is_whole(b, shape.group) && is_line(b, (uint32_t)shape.group, &axes)) {
		shape.grouped = GROUP_IS_LINE;
		shape.group = axes;
	}
	record.shape = intern_id(b->builder->shapes, &shape, sizeof shape);
	return records_id(b->records, &record);
}

static void put_on_grid(struct building *b, const struct grid *grid)
{
	uint32_t count = records_count(b->read);
	b->to = mem_grow(b->to, &b->to_capacity, count + (size_t)1, sizeof *b->to);
	b->grid = *grid;
	records_free(b->records);
	b->records = records_new(b->lanes);
	b->flattened = false;
	for (size_t i = 0; i < b->builder->partitions; i++)
		b->builder->partition[i].lines = has_lines(b, &b->builder->partition[i]);
	for (uint32_t i = 0; i < count; i++)
		b->to[i] = on_grid(b, i);
}

/* What each lane does, one record after the other. */
static void flatten(struct building *b)
{
	for (uint32_t lane = 0; lane < b->lanes && !b->flattened; lane++)
		lift_flatten(b->lift, lane, b->to, b->records);
	b->flattened = true;
}

/* ------------------------------------------------------------------ masters */

/* Are there two kinds of lanes, each with counts and statements of its own? kind: by lane of the
   loop. */
static bool has_two_kinds(const struct tree_builder *b, const struct tree_node *loop, bool *kind)
{
	struct lane_set set = tree_lanes(b, loop->lanes);
	bool two = false;
	for (size_t i = 0; i < set.length; i++) {
		kind[i] = loop->slot[0][i] != loop->slot[0][0];
		two = two || kind[i];
	}
	for (size_t i = 0; i < loop->body.length && two; i++) {
		struct lane_set own = tree_lanes(b, loop->body.node[i]->lanes);
		for (size_t k = 1; k < own.length && two; k++)
			two = kind[lane_index(set, own.lane[k])] == kind[lane_index(set, own.lane[0])];
	}
	return two;
}

static struct tree_node *loop_of_kind(struct tree_builder *b, struct tree_node *loop, const bool *kind, bool wanted)
{
	struct lane_set set = tree_lanes(b, loop->lanes);
	uint32_t *lane = mem_array(set.length, sizeof *lane);
	size_t lanes = 0;
	for (size_t i = 0; i < set.length; i++)
		if (kind[i] == wanted)
			lane[lanes++] = set.lane[i];
	struct tree_node *made = tree_of_lanes(b, loop, lane, lanes);
	free(lane);
	return made;
}

/* Loops of lanes that have nothing but the loop in common, each by itself: they were united because
   messages of one are those of the other, but an iteration of a master is none of a worker. */
static struct tree_list split_by_counts(struct tree_builder *b, struct tree_list list)
{
	struct tree_node **made = mem_array(2 * list.length, sizeof *made);
	size_t length = 0;
	for (size_t i = 0; i < list.length; i++) {
		struct tree_node *n = list.node[i];
		if (n->body.length)
			n = tree_with_body(b, n, split_by_counts(b, n->body));
		bool *kind = mem_zero(tree_lanes(b, n->lanes).length + 1);
		if (n->kind == TREE_LOOP && has_two_kinds(b, n, kind)) {
			made[length++] = loop_of_kind(b, n, kind, false);
			n = loop_of_kind(b, n, kind, true);
		}
		made[length++] = n;
		free(kind);
	}
	struct tree_list split = tree_list_of(b, made, length);
	free(made);
	return split;
}

/* ------------------------------------------------------------------ one tree */

struct made {
	struct tree_list list;
	uint32_t price; /* UINT32_MAX: none */
};

static struct made improve(struct building *b, struct pricing *p, struct made m)
{
	m.list = outline(b->builder, m.list, false);
	m.list = reroll(b->builder, p, m.list, NULL);
	reroll_procedures(b->builder, p);
	m.list = tree_dissolve(b->builder, m.list, 0);
	for (size_t i = 0; i < b->builder->procedures; i++)
		b->builder->procedure[i]->body = tree_dissolve(b->builder, b->builder->procedure[i]->body, 0);
	m.list = outline(b->builder, m.list, true);
	m.list = outline_inline(b->builder, p, m.list, &m.price);
	struct tree_list joined = sequence_joined(b->builder, p, m.list);
	if (joined.node != m.list.node && price_program(p, joined) < price_program(p, m.list))
		m.list = joined;
	return m;
}

/* Is it what the processes did? */
static bool is_proven(struct building *b, const struct draft *d)
{
	struct run *run = run_new(d->module, NULL);
	struct lift *lift = lift_new(b->builder, b->read, run, b->words, false);
	bool good = lift != NULL;
	for (uint32_t lane = 0; lane < b->lanes && good; lane++) {
		struct digest own = lift_digest(b->proven, lane), other = lift_digest(lift, lane);
		good = digest_same(&own, &other);
	}
	lift_free(lift);
	run_free(run);
	return good;
}

struct attempt {
	struct pricing *pricing; /* the building's */
	struct made way[UNITE_WAYS];
	bool there[UNITE_WAYS]; /* false: the price is UINT32_MAX */
	uint32_t least; /* price */
};

/* Classes of processes, whose loops are those of the program, or were recognized. */
struct structure {
	struct tree_list *class_of;
	size_t classes, statements;
	size_t longest; /* statements of a class */
	size_t different; /* forms of classes */
	uint64_t digest;
	size_t most; /* statements that are looked at */
	bool unlike; /* do iterations differ? */
	bool from_paths; /* are loops those of functions? */
};

struct structures {
	struct structure structure[STRUCTURES];
	size_t length;
	size_t statements, longest, different; /* the least of those whose iterations are alike */
};

/* Equal lists have equal digests: all that is made is interned. Recursion as deep as loops nest. */
static uint64_t list_digest(const struct tree_builder *b, struct tree_list list)
{
	uint64_t digest = list.length;
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		size_t lanes = tree_lanes(b, n->lanes).length;
		digest = hash_pair(hash_pair(digest, n->structure), n->lanes);
		for (uint32_t k = 0; k < n->slots; k++)
			digest = hash_pair(digest, hash_bytes(n->slot[k], lanes * sizeof **n->slot));
		digest = hash_pair(digest, list_digest(b, n->body));
	}
	return digest;
}

static void describe_structure(const struct building *b, struct structure *s)
{
	struct intern *forms = intern_new();
	for (size_t i = 0; i < s->classes; i++) {
		struct tree_list list = s->class_of[i];
		uint32_t *own = mem_array(list.length, sizeof *own);
		for (size_t k = 0; k < list.length; k++)
			own[k] = list.node[k]->structure;
		intern_id(forms, own, list.length * sizeof *own);
		free(own);
		s->statements += tree_size(list);
		s->longest = tree_size(list) > s->longest ? tree_size(list) : s->longest;
		s->digest = hash_pair(s->digest, list_digest(b->builder, list));
	}
	s->different = intern_count(forms);
	intern_free(forms);
}

/* Numbers of events that iterations have in a longer turn than this are those of a loop inside of
   another (the levels of a V-cycle); so are counts, but that work comes again after some steps is
   common. */
#define TURN_OF_NUMBERS 4
#define TURN_OF_COUNTS 16

/* The shortest turn of what stands in these iterations, two of which are there; 0: none. */
static size_t turn_of(const struct indexed_store *s, indexed v, size_t from, size_t to)
{
	size_t turn = indexed_turn(s, v, from, to);
	return 2 * turn <= to - from ? turn : 0;
}

/* What is before the turns, or behind them, may be a quarter of it. */
static bool turns(const struct indexed_store *s, indexed v, size_t most)
{
	size_t length = indexed_length(s, v);
	if (length)
		return turn_of(s, v, 0, length) > most || turn_of(s, v, length / 4, length) > most ||
		       turn_of(s, v, 0, length - length / 4) > most;
	return v != INDEXED_NONE && indexed_kind(s, v) == INDEXED_IS_SAME && turns(s, indexed_at(s, v, 0), most);
}

/* Is it one long loop of what is loops inside each other? Recursion as deep as loops nest. */
static bool is_flattened(const struct tree_builder *b, struct tree_list list)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		for (uint32_t k = 0; k < n->slots && n->kind != TREE_GUARD; k++)
			if (turns(b->store, n->slot[k][0], n->kind == TREE_LOOP ? TURN_OF_COUNTS : TURN_OF_NUMBERS))
				return true;
		if (is_flattened(b, n->body))
			return true;
	}
	return false;
}

/* Numbers that follow no line and no turn: entries of a table, if anything. Recursion as deep as
   loops nest. */
static uint64_t unruly(const struct indexed_store *s, indexed v)
{
	size_t length = v == INDEXED_NONE ? 0 : indexed_length(s, v), turn = length ? turn_of(s, v, 0, length) : 0;
	uint64_t sum = 0;
	int64_t before = 0, step = 0;
	if (v != INDEXED_NONE && indexed_kind(s, v) == INDEXED_IS_SAME)
		return unruly(s, indexed_at(s, v, 0));
	for (size_t i = 0; i < (turn ? turn : length); i++) {
		indexed own = indexed_at(s, v, i);
		if (own == INDEXED_NONE || indexed_kind(s, own) != INDEXED_IS_NUMBER) {
			sum += unruly(s, own);
			continue;
		}
		int64_t number = indexed_get(s, own);
		sum += i > 1 && number - before != step;
		step = number - before;
		before = number;
	}
	return sum;
}

/* Of the first lane of each node, what is equal once: it is one table. Recursion as deep as loops
   nest. */
static uint64_t unruly_of(const struct tree_builder *b, struct tree_list list, struct intern *seen)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < list.length; i++) {
		for (uint32_t k = 0; k < list.node[i]->slots; k++) {
			indexed v = list.node[i]->slot[k][0];
			uint32_t known = intern_count(seen);
			if (intern_id(seen, &v, sizeof v) == known)
				sum += unruly(b->store, v);
		}
		sum += unruly_of(b, list.node[i]->body, seen);
	}
	return sum;
}

/* One number that is out of line changes the step twice, and is one entry. */
#define CHANGES_OF_ENTRY 2

/* Would its tables alone cost more than what there is? */
static bool is_all_tables(const struct building *b, const struct structure *s, uint64_t known)
{
	struct intern *seen = intern_new_keys(sizeof(indexed));
	uint64_t sum = 0;
	for (size_t i = 0; i < s->classes; i++)
		sum += unruly_of(b->builder, s->class_of[i], seen);
	intern_free(seen);
	return sum / CHANGES_OF_ENTRY * COST_ENTRY > known;
}

/* Loops whose iterations differ are tried where classes have half of the statements with them, or
   less, or become more alike: a reader pays for each condition with the question when it holds. */
#define UNLIKE_SAVES 2

/* Of these the ways that are so many times as long as the shortest one, at most: what is shortest
   has often tables where others have a loop or two more. */
#define UNLIKE_LONGER 4

static bool is_worth_building(const struct building *b, const struct structures *all, const struct structure *s)
{
	bool worth = s->classes > 0;
	for (size_t i = 0; i < all->length && worth; i++)
		worth = all->structure[i].digest != s->digest || all->structure[i].from_paths != s->from_paths;
	if (s->unlike && s->statements * UNLIKE_SAVES > all->statements && s->longest * UNLIKE_SAVES > all->longest &&
		s->different >= all->different)
		worth = false;
	for (size_t i = 0; i < s->classes && worth && s->unlike; i++)
		worth = !is_flattened(b->builder, s->class_of[i]);
	return worth;
}

static void add_structure(const struct building *b, struct structures *all, struct structure s)
{
	describe_structure(b, &s);
	if (!is_worth_building(b, all, &s)) {
		free(s.class_of);
		return;
	}
	if (!s.unlike && !s.from_paths) {
		all->statements = s.statements < all->statements ? s.statements : all->statements;
		all->longest = s.longest < all->longest ? s.longest : all->longest;
		all->different = s.different < all->different ? s.different : all->different;
	}
	all->structure[all->length++] = s;
}

/* A way that is dearer may be the better one once copies are loops: so many times as dear, where
   the tree is small. */
#define WAY_DEARER 2
#define WAY_SMALL 1000

/* In all of these ways, under each mask that makes a difference; as copies where they are few. */
static void recognize_all(struct building *b, const struct records *records, enum recognize_iterations from,
	enum recognize_iterations to, struct structures *all)
{
	int masks = from == RECOGNIZE_ALIKE ? RECOGNIZE_NO_TAGS : RECOGNIZE_MASKS;
	struct intern *known = intern_new_keys(sizeof(uint64_t));
	for (int mask = 0; mask < masks; mask++) {
		struct recognition *r = recognition_new(b->builder, records, (enum recognize_mask)mask);
		uint64_t digest = recognition_digest(r);
		uint32_t before = intern_count(known);
		bool new = intern_id(known, &digest, sizeof digest) == before;
		for (enum recognize_iterations how = from; how <= to && new; how++) {
			if (how == RECOGNIZE_COPIES && mask != RECOGNIZE_ALL)
				break;
			struct structure s = {.unlike = how >= RECOGNIZE_UNLIKE,
				.most = how == RECOGNIZE_COPIES ? WAY_SMALL : BUILD_STATEMENTS};
			s.classes = recognize(r, how, &s.class_of);
			add_structure(b, all, s);
		}
		recognition_free(r);
	}
	intern_free(known);
}

/* The loops of the reduced program as they stand, on the grid at hand. */
static struct structures structure_as_it_stands(struct building *b)
{
	struct structures all = {.statements = SIZE_MAX, .longest = SIZE_MAX, .different = SIZE_MAX};
	struct structure stands = {.most = BUILD_STATEMENTS};
	stands.classes = lift_classes(b->lift, b->to, b->records, &stands.class_of);
	add_structure(b, &all, stands);
	return all;
}

/* And, each once, those that are recognized. */
static void add_recognized(struct building *b, struct structures *all)
{
	if (!b->flat || b->options->as_it_stands)
		return;
	flatten(b);
	recognize_all(b, b->records, RECOGNIZE_ALIKE, RECOGNIZE_COPIES, all);
}

/* Of what a process does at most, and the longest class. */
static bool is_worth_anchoring(const struct building *b, const struct structures *all)
{
	uint64_t most = 0;
	for (uint32_t lane = 0; lane < b->lanes; lane++)
		most = lift_events(b->lift, lane) > most ? lift_events(b->lift, lane) : most;
	return anchors_pay(most, all->longest);
}

/* All records, on the grid at hand. */
static struct records *whole_records(struct building *b)
{
	struct records *whole = records_new(b->lanes);
	records_keep_all(whole);
	records_take_ids(whole, b->records);
	for (uint32_t lane = 0; lane < b->lanes; lane++)
		lift_flatten(b->lift, lane, b->to, whole);
	return whole;
}

/* The loops of the functions that call. */
static void add_from_paths(struct building *b, struct structures *all)
{
	struct tree_list list;
	if (!b->point || b->options->no_guards || b->options->no_tables)
		return;
	struct records *whole = whole_records(b);
	struct path_source source = {whole, b->options->paths, b->point, &b->grid};
	if (path_tree(b->builder, &source, &list, &b->joined)) {
		struct structure s = {.class_of = mem_copy(&list, sizeof list),
			.classes = 1,
			.most = BUILD_STATEMENTS,
			.from_paths = true};
		add_structure(b, all, s);
	}
	records_free(whole);
}

/* Of those whose iterations differ, only what is nearly as short as the shortest. */
static void add_unlike(struct building *b, struct structures *all, uint64_t known)
{
	size_t alike = all->length, kept = alike, fewest = SIZE_MAX;
	if (!b->flat || !is_worth_anchoring(b, all) || b->options->as_it_stands || b->options->no_guards ||
		b->options->no_tables || all->statements > BUILD_STATEMENTS)
		return;
	struct records *whole = whole_records(b);
	recognize_all(b, whole, RECOGNIZE_UNLIKE, RECOGNIZE_RUNS_OF_ALL, all);
	records_free(whole);
	for (size_t i = alike; i < all->length; i++)
		fewest = all->structure[i].statements < fewest ? all->structure[i].statements : fewest;
	for (size_t i = alike; i < all->length; i++) {
		if (all->structure[i].statements / UNLIKE_LONGER <= fewest &&
			!is_all_tables(b, &all->structure[i], known))
			all->structure[kept++] = all->structure[i];
		else
			free(all->structure[i].class_of);
	}
	all->length = kept;
}

/* A text that costs less (hundredths of a statement) reads as its source already: LU, CG, BT,
   MG. */
#define INSIDE_OUT_COST 6000

/* With the same peers there are more loops, which become loops over time steps: so many times the
   fewest statements of another structure (md has 2 to 4). */
#define INSIDE_OUT_LONGER 4

/* Loops with counts that are data: with the same peers, or with fewer statements than any other. */
static void add_inside_out(struct building *b, struct structures *all, uint64_t known)
{
	for (int peers = 1; peers >= 0 && known > INSIDE_OUT_COST && b->flat && !b->options->as_it_stands; peers--) {
		struct structure s = {.most = BUILD_INSIDE_OUT};
		s.classes = recognize_inside_out(b->builder, b->records, peers, &s.class_of);
		describe_structure(b, &s);
		bool hopeful = peers ? s.statements / INSIDE_OUT_LONGER < all->statements && s.statements <= WAY_SMALL
				     : s.statements < all->statements;
		if (s.classes && hopeful && !is_all_tables(b, &s, known))
			all->structure[all->length++] = s;
		else
			free(s.class_of);
	}
}

/* So many events of a process are looked at one after the other. */
#define FLAT_EVENTS 4096

static void structures_clear(struct structures *s)
{
	for (size_t i = 0; i < s->length; i++)
		free(s->structure[i].class_of);
	*s = (struct structures){0};
}

/* In all ways; without prices. */
static void unite_all(struct building *b, const struct structure *s, struct attempt *a)
{
	b->builder->procedures = 0;
	bool few = s->classes <= BUILD_CLASSES || s->classes * BUILD_CLASS_LANES <= b->lanes;
	int ways = b->options->no_tables ? UNITE_WAYS : UNITE_KTH_RANK; /* tables are shorter */
	for (int way = 0; way < ways && few && s->statements <= s->most; way++)
		if (unite(b->builder, &b->grid, s->class_of, s->classes, (enum unite_way)way, &a->way[way].list)) {
			a->way[way].list = sequence(b->builder, split_by_counts(b->builder, a->way[way].list));
			a->there[way] = true;
		}
}

/* What was fitted in one way stands in others, too: all ask the same. */
static struct pricing *pricing_on(struct building *b, const struct grid *grid)
{
	struct priced_grid *p = &b->priced[grid->axes > 0];
	if (p->pricing && !memcmp(&p->grid, grid, sizeof *grid))
		return p->pricing;
	pricing_free(p->pricing);
	fit_free(p->fit);
	p->grid = *grid;
	store_free(p->store);
	p->store = grid->axes ? store_new(b->from->processes, grid) : store_share(b->without_grid);
	p->fit = fit_new(p->store, b->from->processes, grid);
	if (b->options->no_tables)
		fit_without_tables(p->fit);
	return p->pricing = pricing_new(b->builder, p->fit);
}

static void price_all(struct building *b, const struct grid *grid, struct attempt *a)
{
	a->pricing = pricing_on(b, grid);
	a->least = UINT32_MAX;
	for (int way = 0; way < UNITE_WAYS; way++) {
		struct made *m = &a->way[way];
		m->price = a->there[way] ? price_list(a->pricing, m->list, NULL) : UINT32_MAX;
		a->least = m->price < a->least ? m->price : a->least;
	}
}

/* A text that may be written. */
struct candidate {
	struct draft *draft;
	struct cost cost;
	bool proven;
	bool from_paths; /* are loops those of functions? */
	uint64_t saved; /* of that: functions_save */
	bool shared; /* are tables told by others where that costs less? */
	enum { ACCEPT_UNKNOWN, ACCEPTED, REFUSED } accepted;
	bool joined; /* do some processes not know their paths themselves? */
	const struct draft *whole; /* before loops were taken apart, because messages cross; or NULL */
};

struct candidates {
	struct candidate *candidate;
	size_t length, capacity;
	bool from_paths; /* those that are offered now */
	bool again; /* on a grid, after none */
	struct intern *united, *written; /* digests of the trees that were improved, and written */
};

/* Ways and structures that differ often unite to the same tree, or become the same. */
static bool is_new(const struct building *b, struct intern *trees, struct tree_list list)
{
	uint64_t digest = list_digest(b->builder, list);
	uint32_t known = intern_count(trees);
	return intern_id(trees, &digest, sizeof digest) == known;
}

/* Conditions of one index that do not come again: who reads them asks when that is, and why; else loops
   swallow what is before and behind them (LU's warm-up, 54.6 for 55.3). Weighs half a statement. */
#define COST_ONCE (COST_STATEMENT / 2)

static void add_once(const struct store *s, node_id body, struct intern *to)
{
	const struct node *n = node_of(s, body);
	for (uint32_t k = 0; k < n->kids; k++) {
		const struct node *inside = node_of(s, n->kid[k]);
		if (inside->kind == NODE_EVENT)
			continue;
		if (inside->kind == NODE_GUARD && !inside->sub && !node_of(s, node_kid(s, inside->kid[1], 0))->marks)
			intern_id(to, &n->kid[k], sizeof *n->kid);
		add_once(s, inside->kid[2], to);
	}
}

/* Each once, as in a procedure. */
static uint64_t conditions_once(const struct draft *d)
{
	struct intern *once = intern_new_keys(sizeof(node_id));
	add_once(d->module->store, d->module->body, once);
	uint64_t conditions = intern_count(once);
	intern_free(once);
	return conditions;
}

/* Less what its functions save. */
static struct cost cost_of(const struct building *b, struct draft *d, uint64_t saved)
{
	struct cost cost = b->options->cost(b->options->context, d);
	if (cost.total != UINT64_MAX)
		cost.total += COST_ONCE * conditions_once(d) - saved;
	return cost;
}

/* Whatever is known of functions that loop. */
static bool is_same_text(const struct draft *a, const struct draft *b)
{
	return a->module->store == b->module->store && a->module->body == b->module->body;
}

static void know_functions(struct draft *to, const struct draft *from)
{
	for (size_t i = 0; i < to->module->lines; i++)
		if (!to->frames[i])
			to->frames[i] = from->frames[i];
}

/* Takes the draft. saved: functions_save. False: it was there already, or cannot be written. */
static bool offer(struct building *b, struct candidates *c, struct draft *to, uint64_t saved, bool proven,
	const struct draft *whole)
{
	struct cost cost = cost_of(b, to, saved);
	struct candidate own = {.draft = to,
		.cost = cost,
		.saved = saved,
		.proven = proven,
		.from_paths = c->from_paths,
		.joined = b->joined,
		.whole = whole};
	bool known = own.cost.total == UINT64_MAX;
	for (size_t i = 0; i < c->length && !known; i++) {
		struct candidate *other = &c->candidate[i];
		known = other->cost.total == own.cost.total && is_same_text(other->draft, to);
		if (known && own.from_paths)
			know_functions(other->draft, to);
		other->from_paths = other->from_paths || (known && own.from_paths);
	}
	if (known) {
		draft_free(to);
		return false;
	}
	*MEM_PUSH(c->candidate, c->length, c->capacity) = own;
	return true;
}

/* What is read at a glance: nothing shorter is looked for, unless there are so few records
   that it takes no time. */
#define UNLIKE_SHORT (24 * COST_STATEMENT)
#define UNLIKE_RECORDS (UINT64_C(1) << 16)

static uint64_t least_cost(const struct candidates *c)
{
	uint64_t least = UINT64_MAX;
	for (size_t i = 0; i < c->length; i++)
		least = c->candidate[i].cost.total < least ? c->candidate[i].cost.total : least;
	return least;
}

static uint64_t cost_of_structure(const struct candidate *c)
{
	return c->cost.total - c->cost.sizes;
}

/* That its loops are those of the source is worth a statement to its reader, if all processes know
   their paths. */
static uint64_t worth_of_loops(const struct candidate *c)
{
	return c->from_paths && !c->joined ? COST_STATEMENT : 0;
}

/* Of equal ones those with the loops of functions come first. A grid that saves nothing is told in
   vain. */
static int by_cost(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	uint64_t of_x = x->cost.total - worth_of_loops(x), of_y = y->cost.total - worth_of_loops(y);
	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	if (x->from_paths != y->from_paths)
		return y->from_paths - x->from_paths;
	uint32_t own = x->draft->module->grid.axes, other = y->draft->module->grid.axes;
	return (own > other) - (own < other);
}

static bool may_be_taken(struct building *b, struct candidate *one)
{
	if (one->accepted == ACCEPT_UNKNOWN) {
		bool good = b->options->accept(b->options->context, one->draft);
		one->accepted = good && (one->proven || is_proven(b, one->draft)) ? ACCEPTED : REFUSED;
	}
	return one->accepted == ACCEPTED;
}

/* Was it taken apart for messages that may cross: calls of a collective by processes with different
   counts? */
static bool is_apart_in_vain(struct building *b, struct candidates *c, const struct candidate *one)
{
	for (size_t i = 0; i < c->length && one->whole; i++)
		if (c->candidate[i].draft == one->whole)
			return may_be_taken(b, &c->candidate[i]);
	return false;
}

/* Tables that are told by others, where that costs less. */
static void share_if_cheaper(struct building *b, struct candidate *one, bool (*share)(struct draft *))
{
	struct draft *shared = draft_copy(one->draft);
	struct cost cost = share(shared) ? cost_of(b, shared, one->saved) : one->cost;
	if (cost.total < one->cost.total) {
		struct draft before = *one->draft; /* who knows the draft knows it still */
		*one->draft = *shared;
		*shared = before;
		one->cost = cost;
	}
	draft_free(shared);
}

static void share_tables(struct building *b, struct candidate *one)
{
	if (!one->shared) {
		share_if_cheaper(b, one, multiples_share);
		share_if_cheaper(b, one, moved_share);
		share_if_cheaper(b, one, moved_share_later);
	}
	one->shared = true;
}

/* So many of the cheapest are rewritten, too: what costs more now seldom costs less then. Loops of
   functions stay as they are. */
#define REWRITTEN_MOST 3

static void offer_rewritten(struct building *b, struct candidates *c)
{
	size_t given = c->length;
	if (given)
		qsort(c->candidate, given, sizeof *c->candidate, by_cost);
	c->from_paths = false;
	for (size_t i = 0, tried = 0; i < given && tried < REWRITTEN_MOST; i++) {
		struct draft *now = c->candidate[i].from_paths ? NULL : rewritten(c->candidate[i].draft);
		tried += !c->candidate[i].from_paths;
		if (now)
			offer(b, c, now, c->candidate[i].saved, false, NULL);
	}
}

/* The cheapest one that is accepted. */
static struct draft *choose(struct building *b, struct candidates *c)
{
	struct candidate *best = NULL;
	for (size_t i = 0; i < c->length; i++)
		if (c->candidate[i].from_paths)
			share_tables(b, &c->candidate[i]);
	if (c->length)
		qsort(c->candidate, c->length, sizeof *c->candidate, by_cost);
	for (size_t i = 0; i < c->length && !best; i++) {
		struct candidate *one = &c->candidate[i];
		if (is_apart_in_vain(b, c, one))
			continue;
		share_tables(b, one);
		best = may_be_taken(b, one) ? one : NULL;
	}
	struct draft *chosen = best ? best->draft : NULL;
	for (size_t i = 0; i < c->length; i++)
		if (c->candidate[i].draft != chosen)
			draft_free(c->candidate[i].draft);
	free(c->candidate);
	return chosen;
}

static node_id without_attributes(void *store, size_t line, node_id statement)
{
	const struct node *n = node_of(store, statement);
	(void)line;
	return n->kind == NODE_EVENT ? node_make(store, NODE_EVENT, n->sub, n->word, n->number, COLUMNS, n->kid)
				     : statement;
}

/* By how much calls of functions of the source, and their heads, cost less than other ones do. */
static uint64_t calls_save(struct tree_list list, bool *called)
{
	uint64_t saves = 0;
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		saves += calls_save(n->body, called);
		if (n->kind != TREE_CALL || !n->procedure->function)
			continue;
		saves += COST_STATEMENT - COST_FUNCTION_CALL;
		*called = true;
	}
	return saves;
}

static uint64_t functions_save(const struct tree_builder *b, struct tree_list list)
{
	bool called = false;
	uint64_t saves = calls_save(list, &called);
	for (size_t i = 0; i < b->procedures; i++)
		saves += calls_save(b->procedure[i]->body, &called) + (b->procedure[i]->function ? COST_PROCEDURE : 0);
	return called ? saves : 0;
}

static struct draft *emit_draft(struct building *b, struct attempt *a, struct tree_list list)
{
	struct draft *d = emit(b->builder, a->pricing, list,
		&(struct emit_options){b->from->processes, b->grid, b->words, b->there, b->without_grid});
	if (d)
		module_name_tables(d->module);
	return d;
}

/* What is offered, or NULL. */
static const struct draft *write_out(
	struct building *b, struct attempt *a, struct tree_list list, struct candidates *c, const struct draft *whole)
{
	struct draft *to = emit_draft(b, a, list);
	return to && offer(b, c, to, functions_save(b->builder, list), false, whole) ? to : NULL;
}

/* A master's loop and that of its workers as one, where they stand side by side. */
static void write_fused(struct building *b, struct attempt *a, struct tree_list list, struct candidates *c)
{
	struct error unreadable;
	struct draft *to = emit_draft(b, a, list), *bare = to ? draft_copy(to) : NULL;
	if (bare && draft_map(bare, without_attributes, bare->module->store) && fusion(bare) &&
		draft_check(to, &unreadable) && is_proven(b, to))
		offer(b, c, bare, functions_save(b->builder, list), true, NULL);
	else
		draft_free(bare);
	draft_free(to);
}

/* Loops of several lanes whose messages cross are apart; of a small tree the price decides. apart: the
   list without its calls. */
static void write_sound(
	struct building *b, struct attempt *a, struct tree_list list, struct tree_list apart, struct candidates *c)
{
	bool crossed = fission(b->builder, &b->grid, &apart);
	const struct draft *whole = NULL;
	if (!crossed || tree_size(list) <= WAY_SMALL)
		whole = write_out(b, a, list, c, NULL);
	if (crossed) {
		b->builder->procedures = 0;
		uint32_t price;
		apart = tree_dissolve(b->builder, apart, 0);
		apart = outline(b->builder, apart, true);
		write_out(b, a, outline_inline(b->builder, a->pricing, apart, &price), c, whole);
	}
}

static void write_way(struct building *b, struct attempt *a, struct made m, struct candidates *c)
{
	m = improve(b, a->pricing, m);
	struct tree_list plain = outline_undo(b->builder, m.list);
	if (!is_new(b, c->written, plain) && !c->from_paths)
		return;
	if (!b->options->no_tables && !b->options->no_guards && tree_size(m.list) <= WAY_SMALL)
		write_fused(b, a, m.list, c);
	write_sound(b, a, m.list, plain, c); /* last: it may leave other procedures */
}

/* Where functions of the source are called several times, also with these as procedures. */
static void build_way(struct building *b, struct attempt *a, struct made m, struct candidates *c)
{
	if (!is_new(b, c->united, m.list) && !c->from_paths)
		return;
	b->builder->procedures = 0;
	if (c->from_paths) {
		struct made functions = {outline_functions(b->builder, m.list), m.price};
		if (b->builder->procedures)
			write_way(b, a, functions, c);
		b->builder->procedures = 0;
	}
	write_way(b, a, m, c);
}

/* What a pass leaves as it is was built before. */
static void build_changed(
	struct building *b, struct attempt *a, struct made *m, struct tree_list list, struct candidates *c)
{
	if (list.node == m->list.node)
		return;
	m->list = list;
	build_way(b, a, *m, c);
}

/* of: which of its structures this is. */
static void build_as(struct building *b, const struct structure *s, size_t of, struct candidates *c)
{
	struct attempt a = {0};
	unite_all(b, s, &a);
	price_all(b, &b->grid, &a);
	if (!c->again)
		b->price[of] = a.least;
	else if (a.least >= b->price[of])
		return; /* the grid is in vain */
	uint64_t known = s->unlike || s->most == BUILD_INSIDE_OUT ? least_cost(c)
								  : UINT64_MAX; /* much more is not worth a try */
	for (int way = 0; way < UNITE_WAYS; way++) {
		struct made m = a.way[way];
		bool small = tree_size(m.list) <= WAY_SMALL && m.price / WAY_DEARER <= a.least;
		if (m.price == UINT32_MAX || ((c->again || m.price > a.least) && !small) ||
			m.price / WAY_DEARER > known)
			continue;
		build_way(b, &a, m, c);
		if (m.price != a.least)
			continue;
		if (small)
			build_changed(b, &a, &m, sequence_joined(b->builder, a.pricing, m.list), c);
	}
}

/* Statements know no sites: equal ones may not be where these tell events apart. */
static bool may_rewrite(const struct build_options *o)
{
	return !o->no_guards && !o->as_it_stands && !o->at_sites;
}

/* What all do, event by event, and then its loops. */
static void build_flat(struct building *b, struct candidates *c)
{
	struct attempt a = {0};
	struct tree_list list;
	c->from_paths = false;
	for (uint32_t lane = 0; lane < b->lanes; lane++)
		if (lift_events(b->lift, lane) > FLAT_EVENTS)
			return;
	if (!may_rewrite(b->options))
		return;
	struct records *whole = whole_records(b);
	bool good = flat_list(b->builder, b->from->processes, &b->grid, whole, FLAT_EVENTS, &list);
	records_free(whole);
	b->builder->procedures = 0;
	a.pricing = pricing_on(b, &b->grid);
	struct draft *d = good ? emit_draft(b, &a, list) : NULL, *cut = d ? rewritten(d) : NULL;
	if (cut)
		offer(b, c, cut, 0, false, NULL);
	draft_free(d);
}

static void build_from(struct building *b, const struct structures *s, size_t first, struct candidates *c)
{
	for (size_t i = first; i < s->length; i++) {
		c->from_paths = s->structure[i].from_paths;
		build_as(b, &s->structure[i], i, c);
	}
}

/* What any text costs: a statement for each kind and name of events, a loop where there are
   more. */
static uint64_t least_possible(const struct building *b)
{
	struct intern *known = intern_new_keys(2 * sizeof(uint32_t));
	uint64_t most = 0;
	for (uint32_t i = 0; i < records_count(b->read); i++) {
		const struct tree_shape *shape = intern_data(b->builder->shapes, records_get(b->read, i)->shape, NULL);
		intern_id(known, (uint32_t[]){shape->kind, shape->word}, 2 * sizeof(uint32_t));
	}
	uint64_t kinds = intern_count(known);
	intern_free(known);
	for (uint32_t lane = 0; lane < b->lanes; lane++)
		most = lift_events(b->lift, lane) > most ? lift_events(b->lift, lane) : most;
	return COST_STATEMENT * (kinds + (most > kinds));
}

/* Is there a text with the loops of functions whose lines say more than its tables and conditions?
   Where one place calls everything (an interpreter), paths tell nothing of what is done. */
static bool has_source_loops(struct building *b, struct candidates *c)
{
	bool has = false;
	for (size_t i = 0; i < c->length && !has; i++) {
		struct candidate *one = &c->candidate[i];
		has = one->from_paths && COST_STATEMENT * 2 * one->cost.lines >= cost_of_structure(one) &&
		      may_be_taken(b, one);
	}
	return has;
}

/* Iterations that differ, and counts that are data: where paths do not tell them. */
static void look_further(struct building *b, struct structures *s, struct candidates *c)
{
	size_t known = s->length;
	if (b->events <= UNLIKE_RECORDS || least_cost(c) > UNLIKE_SHORT)
		add_unlike(b, s, least_cost(c));
	build_from(b, s, known, c);
	known = s->length;
	add_inside_out(b, s, least_cost(c));
	build_from(b, s, known, c);
}

/* With the processes on this grid. again: as another try, of what is quickly made. */
static void build_on(struct building *b, const struct grid *grid, bool again, struct candidates *c)
{
	c->united = intern_new_keys(sizeof(uint64_t));
	c->written = intern_new_keys(sizeof(uint64_t));
	c->again = again;
	put_on_grid(b, grid);
	struct structures s = structure_as_it_stands(b);
	build_from(b, &s, 0, c);
	size_t known = s.length;
	bool least = least_cost(c) <= least_possible(b);
	add_from_paths(b, &s); /* first: what is recognized to be the same is the source's, too */
	if (!least)
		add_recognized(b, &s);
	build_from(b, &s, known, c);
	if (!least && !again && !has_source_loops(b, c))
		look_further(b, &s, c);
	structures_clear(&s);
	build_flat(b, c);
	intern_free(c->united);
	intern_free(c->written);
}

/* On the best one, if it says messages and groups better than none; else on none, and small trees
   on that one, too. */
static void build_on_grids(struct building *b, struct candidates *c)
{
	struct grid grid;
	bool better = find_grid(b, &grid);
	memset(b->price, 0, sizeof b->price);
	if (!better)
		build_on(b, &(struct grid){0}, false, c);
	if (grid.axes)
		build_on(b, &grid, !better, c);
}

struct draft *build(const struct module *from, const struct build_options *options)
{
	struct building b = {.from = from,
		.run = run_new(from, NULL),
		.words = dictionary_new(),
		.there = tables_new(from->store),
		.options = options};
	struct candidates candidates = {0};
	for (size_t i = 0; i < from->tables; i++)
		tables_keep(
			b.there, store_get_table(from->store, (uint32_t)node_of(from->store, from->table[i])->number));
	b.without_grid = store_new(from->processes, &(struct grid){0});
	if (read_lanes(&b)) {
		read_paths(&b);
		name_tags(&b);
		make_partitions(&b);
		build_on_grids(&b, &candidates);
		b.partitioned = has_partitions(&b);
		if (b.partitioned)
			build_on_grids(&b, &candidates);
	}
	if (may_rewrite(options))
		offer_rewritten(&b, &candidates);
	struct draft *best = choose(&b, &candidates);
	if (b.proven != b.lift)
		lift_free(b.proven);
	lift_free(b.lift);
	tag_names_free(b.tags);
	for (int k = 0; k < 2; k++) {
		pricing_free(b.priced[k].pricing);
		fit_free(b.priced[k].fit);
		store_free(b.priced[k].store);
	}
	store_free(b.without_grid);
	tree_builder_free(b.builder);
	clear_paths(&b);
	free(b.to);
	records_free(b.records);
	records_free(b.read);
	free(b.process);
	run_free(b.run);
	dictionary_free(b.words);
	tables_free(b.there);
	return best;
}
