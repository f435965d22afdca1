/*
 * fission.c -- all events with the iterations around them, by channel; then the loops of which two
 * ends see different iterations.
 */
#include "merge/fission.h"

#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "merge/bounds.h"
#include "merge/meetings.h"

/* An iteration of a loop, which is told by where it stands in the text. */
struct around {
	uint32_t loop, iteration;
};

/* Two lanes that see different iterations of a loop. */
struct conflict {
	uint32_t loop, lane, other;
};

struct fission {
	struct tree_builder *builder;
	struct meetings *meetings; /* owners: where the loops around an event begin */
	struct around *around; /* of each event: those around, the outermost first, then a loop of INTERN_NONE */
	size_t length, around_capacity;
	struct around open[INDEX_DEPTH];
	size_t index[INDEX_DEPTH]; /* of these */
	uint32_t depth, lane;
	struct intern *crossed; /* struct conflict */
};

static struct tree_standing standing(const struct fission *f)
{
	return (struct tree_standing){0, f->index, f->depth};
}

static void note_path(struct fission *f)
{
	f->around = mem_grow(f->around, &f->around_capacity, f->length + f->depth + 1, sizeof *f->around);
	memcpy(f->around + f->length, f->open, f->depth * sizeof *f->around);
	f->length += f->depth;
	f->around[f->length++].loop = INTERN_NONE;
}

static bool is_met(const struct tree_shape *s)
{
	return kind_matches(s->kind);
}

static void add_event(struct fission *f, const struct tree_node *n, size_t lane)
{
	struct tree_standing at = standing(f);
	struct meeting_event e = {tree_shape(f->builder, n), f->lane,
		tree_number(f->builder, n, SLOT_IS_PEER, lane, &at, 0),
		tree_number(f->builder, n, SLOT_IS_TAG, lane, &at, 0),
		tree_number(f->builder, n, SLOT_IS_COMMUNICATOR, lane, &at, NO_COMMUNICATOR)};
	meetings_add(f->meetings, &e, f->length);
	if (is_met(e.shape))
		note_path(f);
}

static int64_t count_of(const struct fission *f, const struct tree_node *loop, size_t lane)
{
	struct tree_standing at = standing(f);
	indexed v = tree_standing_at(f->builder, loop->slot[0][lane], &at);
	return v == INDEXED_NONE || f->depth == INDEX_DEPTH ? 0 : indexed_get(f->builder->store, v);
}

/* Events of the lane, or more than are compared. Only loops around loops are gone through. */
static uint64_t count_events(struct fission *f, struct tree_list list)
{
	uint64_t events = 0;
	for (size_t i = 0; i < list.length && events <= FISSION_EVENTS; i++) {
		const struct tree_node *n = list.node[i];
		struct lane_set set = tree_lanes(f->builder, n->lanes);
		if (!lane_set_has(set, f->lane))
			continue;
		if (n->kind == TREE_EVENT) {
			events += is_met(tree_shape(f->builder, n));
			continue;
		}
		int64_t count = count_of(f, n, lane_index(set, f->lane));
		bool nested = false;
		for (size_t k = 0; k < n->body.length; k++)
			nested = nested || n->body.node[k]->body.length;
		f->depth++;
		for (int64_t k = 0; k < count && events <= FISSION_EVENTS; k += nested ? 1 : count) {
			f->index[f->depth - 1] = (size_t)k;
			uint64_t times = nested ? 1 : (uint64_t)count;
			events = saturating_add(events, saturating_multiply(times, count_events(f, n->body)));
		}
		f->depth--;
	}
	return events;
}

/* place: of the first node of the list in the text. */
static void add_list(struct fission *f, struct tree_list list, uint32_t place)
{
	for (size_t i = 0; i < list.length; place += list.node[i]->size, i++) {
		const struct tree_node *n = list.node[i];
		struct lane_set set = tree_lanes(f->builder, n->lanes);
		if (!lane_set_has(set, f->lane))
			continue;
		size_t lane = lane_index(set, f->lane);
		if (n->kind == TREE_EVENT) {
			add_event(f, n, lane);
			continue;
		}
		int64_t count = count_of(f, n, lane);
		f->depth++;
		for (int64_t k = 0; k < count; k++) {
			f->open[f->depth - 1] = (struct around){place, (uint32_t)k};
			f->index[f->depth - 1] = (size_t)k;
			add_list(f, n->body, place + 1);
		}
		f->depth--;
	}
}

static void add_conflict(struct fission *f, uint32_t loop, uint32_t lane, uint32_t other)
{
	struct conflict c = {loop, lane < other ? lane : other, lane < other ? other : lane};
	intern_id(f->crossed, &c, sizeof c);
}

/* The first loop around both in which the iterations differ. */
static void compare(void *fission, uint32_t lane, size_t at, uint32_t other_lane, size_t other)
{
	struct fission *f = fission;
	const struct around *a = f->around + at, *b = f->around + other;
	while (a->loop == b->loop && a->loop != INTERN_NONE && a->iteration == b->iteration)
		a++, b++;
	if (a->loop == b->loop && a->loop != INTERN_NONE)
		add_conflict(f, a->loop, lane, other_lane);
}

/* ------------------------------------------------------------------ taken apart */

static bool conflicts(const struct fission *f, uint32_t loop, const uint32_t *lane, size_t lanes, uint32_t other)
{
	bool any = false;
	for (size_t i = 0; i < lanes && !any; i++) {
		struct conflict c = {loop, lane[i], other};
		any = intern_find(f->crossed, &c, sizeof c) != INTERN_NONE;
	}
	return any;
}

/* The loop for the first lane and all that agree with it, then for those that are left. to: has
   room for all lanes. */
static size_t divide(struct fission *f, struct tree_node *n, uint32_t place, struct tree_node **to)
{
	struct tree_builder *b = f->builder;
	size_t left = tree_lanes(b, n->lanes).length, made = 0;
	uint32_t *lane = mem_copy(tree_lanes(b, n->lanes).lane, left * sizeof *lane),
		 *own = mem_array(left, sizeof *own);
	while (left) {
		size_t count = 0, kept = 0;
		for (size_t i = 0; i < left; i++)
			if (conflicts(f, place, own, count, lane[i]))
				lane[kept++] = lane[i];
			else
				own[count++] = lane[i];
		to[made++] = tree_of_lanes(b, n, own, count);
		left = kept;
	}
	free(lane);
	free(own);
	return made;
}

static struct tree_list divide_all(struct fission *f, const bool *crossed, struct tree_list list, uint32_t place)
{
	struct tree_builder *b = f->builder;
	struct tree_node **made = NULL;
	size_t length = 0, capacity = 0;
	for (size_t i = 0; i < list.length; place += list.node[i]->size, i++) {
		struct tree_node *n = list.node[i];
		made = mem_grow(made, &capacity, length + tree_lanes(b, n->lanes).length, sizeof *made);
		if (crossed[place]) {
			length += divide(f, n, place, made + length);
			continue;
		}
		if (n->body.length)
			n = tree_with_body(b, n, divide_all(f, crossed, n->body, place + 1));
		made[length++] = n;
	}
	struct tree_list all = tree_list_of(b, made, length);
	free(made);
	return all;
}

/* Once: loops inside of one that is taken apart are looked at again. */
static bool take_apart(struct tree_builder *b, const struct grid *grid, struct tree_list *list)
{
	struct fission f = {
		.builder = b, .meetings = meetings_new(b, grid), .crossed = intern_new_keys(sizeof(struct conflict))};
	bool *crossed = mem_zero(tree_size(*list) + 1);
	uint64_t events = 0;
	for (f.lane = 0; f.lane < b->lanes && events <= FISSION_EVENTS; f.lane++)
		events += count_events(&f, *list);
	for (f.lane = 0; f.lane < b->lanes && events <= FISSION_EVENTS; f.lane++)
		add_list(&f, *list, 0);
	meetings_each(f.meetings, compare, &f);
	uint32_t conflicts = intern_count(f.crossed);
	for (uint32_t i = 0; i < conflicts; i++)
		crossed[((const struct conflict *)intern_data(f.crossed, i, NULL))->loop] = true;
	if (conflicts)
		*list = divide_all(&f, crossed, *list, 0);
	free(crossed);
	free(f.around);
	meetings_free(f.meetings);
	intern_free(f.crossed);
	return conflicts;
}

bool fission(struct tree_builder *b, const struct grid *grid, struct tree_list *list)
{
	bool any = false;
	for (int round = 0; round < FISSION_ROUNDS && take_apart(b, grid, list); round++)
		any = true;
	return any;
}
