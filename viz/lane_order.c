/*
 * lane_order.c -- boxes stay tight because lines move: which lanes are neighbours when.
 *
 * Items are taken in an order that respects T and the messages (Kahn's algorithm, the lowest in the
 * listing first). As long as the lane sets of the boxes are disjoint or nested, one order of the
 * lanes makes them all contiguous; a box that does not fit is put off, with all that depends on it,
 * and when nothing else is left a new stretch begins with another order.
 *
 * Within a stretch the sets form a tree. The order of the children of each node is free; they are
 * sorted by their barycenter in the order before, then sifted: each child is tried at every place,
 * and goes where the lines cross least, counting the crossings with the order before and the order
 * behind. Passes over all stretches are repeated until nothing improves, and all that from some
 * other starts; the best is kept. What is natural (ranks ascending) breaks ties.
 */
#include "viz/lane_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/mem.h"

/* ------------------------------------------------------------------ which items can go together */

struct kahn {
	const struct scene *scene;
	const struct scene_system *system;
	uint32_t *steps_left, *links_left; /* per item: predecessors not yet placed */
	uint32_t *arc_first, *arc; /* successors: by lane (below `items`) and by message (items added) */
	bool *placed;
	struct heap ready;
	uint32_t *box; /* of the stretch */
	size_t boxes, box_capacity;
	uint32_t *later;
	size_t laters, later_capacity;
	uint32_t stuck_from; /* items below are placed */
};

static bool disjoint_or_nested(const struct scene_item *a, const struct scene_item *b)
{
	uint32_t common = 0;
	for (uint32_t i = 0, k = 0; i < a->lanes && k < b->lanes;) {
		if (a->lane[i] == b->lane[k]) {
			common++;
			i++;
			k++;
		} else if (a->lane[i] < b->lane[k]) {
			i++;
		} else {
			k++;
		}
	}
	return common == 0 || common == a->lanes || common == b->lanes;
}

static bool is_shaping(const struct kahn *k, uint32_t item)
{
	const struct scene_item *i = &k->scene->item[item];
	return i->kind == ITEM_LOOP && i->lanes > 1 && i->lanes < k->system->lanes;
}

static bool fits(const struct kahn *k, uint32_t item)
{
	if (!is_shaping(k, item))
		return true;
	for (size_t i = 0; i < k->boxes; i++)
		if (!disjoint_or_nested(&k->scene->item[k->box[i]], &k->scene->item[item]))
			return false;
	return true;
}

static void count_predecessors(struct kahn *k)
{
	const struct scene_system *s = k->system;
	uint32_t first = s->first_item, items = s->items;
	k->steps_left = mem_zero((items + 1) * sizeof *k->steps_left);
	k->links_left = mem_zero((items + 1) * sizeof *k->links_left);
	k->arc_first = mem_zero((items + 2) * sizeof *k->arc_first);
	k->placed = mem_zero(items + 1);
	const struct scene_link *link = k->scene->link + s->first_link;
	for (uint32_t i = 1; i < s->steps; i++)
		if (s->step[i].lane == s->step[i - 1].lane) {
			k->steps_left[s->step[i].item - first]++;
			k->arc_first[s->step[i - 1].item - first + 1]++;
		}
	for (uint32_t i = 0; i < s->links; i++) {
		k->links_left[link[i].to - first]++;
		k->arc_first[link[i].from - first + 1]++;
	}
	for (uint32_t i = 0; i < items; i++)
		k->arc_first[i + 1] += k->arc_first[i];
	uint32_t *at = mem_copy(k->arc_first, (items + 1) * sizeof *at);
	k->arc = mem_array(k->arc_first[items] + 1, sizeof *k->arc);
	for (uint32_t i = 1; i < s->steps; i++)
		if (s->step[i].lane == s->step[i - 1].lane)
			k->arc[at[s->step[i - 1].item - first]++] = s->step[i].item - first;
	for (uint32_t i = 0; i < s->links; i++)
		k->arc[at[link[i].from - first]++] = link[i].to - first + items;
	free(at);
}

static void release(struct kahn *k, uint32_t item)
{
	uint32_t items = k->system->items;
	for (uint32_t a = k->arc_first[item]; a < k->arc_first[item + 1]; a++) {
		uint32_t to = k->arc[a] % items;
		uint32_t *left = k->arc[a] < items ? k->steps_left : k->links_left;
		left[to]--;
		if (!k->steps_left[to] && !k->links_left[to] && !k->placed[to])
			heap_push(&k->ready, (struct heap_entry){.id = to});
	}
}

/*
 * Links between loops that were left apart may run in circles, as may the messages of a program
 * that would block: the first that only waits for messages goes.
 */
static uint32_t unblock(struct kahn *k)
{
	uint32_t items = k->system->items;
	while (k->stuck_from < items && k->placed[k->stuck_from])
		k->stuck_from++;
	uint32_t best = SCENE_NONE;
	for (uint32_t i = k->stuck_from; i < items; i++) {
		if (k->placed[i] || k->steps_left[i])
			continue;
		if (k->scene->item[k->system->first_item + i].kind != ITEM_RECV)
			return i;
		best = best == SCENE_NONE ? i : best;
	}
	return best;
}

static void begin_stretch(struct ordering *o, uint32_t placed)
{
	o->stretch = mem_resize(o->stretch, o->stretches + 1, sizeof *o->stretch);
	o->stretch[o->stretches++] = (struct stretch){.first = placed};
}

static void split_into_stretches(struct ordering *o, const struct scene *scene, const struct scene_system *system)
{
	struct kahn k = {.scene = scene, .system = system};
	count_predecessors(&k);
	o->item = mem_array(system->items + 1, sizeof *o->item);
	uint32_t placed = 0;
	for (uint32_t i = 0; i < system->items; i++)
		if (!k.steps_left[i] && !k.links_left[i])
			heap_push(&k.ready, (struct heap_entry){.id = i});
	begin_stretch(o, 0);
	while (placed < system->items) {
		uint32_t item;
		if (k.ready.length) {
			item = heap_pop(&k.ready).id;
			if (k.placed[item])
				continue;
		} else if (k.laters) {
			o->stretch[o->stretches - 1].items = placed - o->stretch[o->stretches - 1].first;
			begin_stretch(o, placed);
			k.boxes = 0;
			while (k.laters)
				heap_push(&k.ready, (struct heap_entry){.id = k.later[--k.laters]});
			continue;
		} else {
			item = unblock(&k);
		}
		if (!fits(&k, system->first_item + item)) {
			*MEM_PUSH(k.later, k.laters, k.later_capacity) = item;
			continue;
		}
		if (is_shaping(&k, system->first_item + item)) {
			*MEM_PUSH(k.box, k.boxes, k.box_capacity) = system->first_item + item;
		}
		k.placed[item] = true;
		o->item[placed++] = system->first_item + item;
		release(&k, item);
	}
	o->stretch[o->stretches - 1].items = placed - o->stretch[o->stretches - 1].first;
	free(k.steps_left);
	free(k.links_left);
	free(k.arc_first);
	free(k.arc);
	free(k.placed);
	heap_clear(&k.ready);
	free(k.box);
	free(k.later);
}

/* ------------------------------------------------------------------ the tree of lane sets */

/* A set of lanes, or a lane alone; children as a list of tree indices. */
struct knot {
	uint32_t lane; /* SCENE_NONE: a set */
	uint32_t *child;
	uint32_t children;
	uint32_t first, lanes; /* its lanes in tree.leaf */
};

struct tree {
	struct knot *knot;
	size_t knots, capacity;
	uint32_t *leaf; /* lanes in the order of the tree */
	uint32_t root;
};

static uint32_t add_knot(struct tree *t, uint32_t lane, const uint32_t *child, uint32_t children)
{
	t->knot = mem_grow(t->knot, &t->capacity, t->knots + 1, sizeof *t->knot);
	struct knot *k = &t->knot[t->knots];
	*k = (struct knot){.lane = lane, .children = children, .lanes = lane != SCENE_NONE};
	k->child = mem_array(children, sizeof *k->child);
	if (children)
		memcpy(k->child, child, children * sizeof *child);
	for (uint32_t i = 0; i < children; i++)
		k->lanes += t->knot[child[i]].lanes;
	return (uint32_t)t->knots++;
}

struct box_set {
	const struct scene_item *item;
};

static int compare_sizes(const void *a, const void *b)
{
	const struct scene_item *x = ((const struct box_set *)a)->item, *y = ((const struct box_set *)b)->item;
	if (x->lanes != y->lanes)
		return x->lanes < y->lanes ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * From the smallest set to the largest: each becomes the parent of the tops that its lanes have by
 * then.
 */
static void build_tree(struct tree *t, const struct scene *scene, const struct scene_system *s,
	const struct ordering *o, const struct stretch *x)
{
	struct box_set *set = mem_array(x->items + 1, sizeof *set);
	size_t sets = 0;
	for (uint32_t i = 0; i < x->items; i++) {
		const struct scene_item *item = &scene->item[o->item[x->first + i]];
		if (item->kind == ITEM_LOOP && item->lanes > 1 && item->lanes < s->lanes)
			set[sets++].item = item;
	}
	if (sets)
		qsort(set, sets, sizeof *set, compare_sizes);
	uint32_t *top = mem_array(s->lanes + 1, sizeof *top), *child = mem_array(s->lanes + 1, sizeof *child);
	for (uint32_t i = 0; i < s->lanes; i++)
		top[i] = add_knot(t, i, NULL, 0);
	for (size_t i = 0; i <= sets; i++) {
		uint32_t lanes = i < sets ? set[i].item->lanes : s->lanes, children = 0;
		for (uint32_t k = 0; k < lanes; k++) {
			uint32_t lane = i < sets ? scene_lane_index(s, set[i].item->lane[k]) : k;
			bool seen = false;
			/*
			 * Lanes of one knot need not be neighbours here, but a knot is known by its
			 * lowest lane.
			 */
			for (uint32_t c = 0; c < children && !seen; c++)
				seen = child[c] == top[lane];
			if (!seen)
				child[children++] = top[lane];
		}
		if (children == 1 && i < sets)
			continue;
		uint32_t knot = add_knot(t, SCENE_NONE, child, children);
		for (uint32_t k = 0; k < lanes; k++)
			top[i < sets ? scene_lane_index(s, set[i].item->lane[k]) : k] = knot;
		t->root = knot;
	}
	t->leaf = mem_array(s->lanes + 1, sizeof *t->leaf);
	free(set);
	free(top);
	free(child);
}

static uint32_t list_leaves(struct tree *t, uint32_t knot, uint32_t at)
{
	struct knot *k = &t->knot[knot];
	k->first = at;
	if (k->lane != SCENE_NONE)
		t->leaf[at++] = k->lane;
	for (uint32_t i = 0; i < k->children; i++)
		at = list_leaves(t, k->child[i], at);
	return at;
}

static void tree_clear(struct tree *t)
{
	for (size_t i = 0; i < t->knots; i++)
		free(t->knot[i].child);
	free(t->knot);
	free(t->leaf);
}

/* ------------------------------------------------------------------ fewer crossings */

struct keyed {
	double key;
	uint32_t child;
};

static int compare_keys(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	if (x->key < y->key || x->key > y->key)
		return x->key < y->key ? -1 : 1;
	return x->child < y->child ? -1 : x->child > y->child;
}

static void sort_by_barycenter(struct tree *t, uint32_t knot, const uint32_t *before)
{
	struct knot *k = &t->knot[knot];
	struct keyed *keyed = mem_array(k->children, sizeof *keyed);
	for (uint32_t i = 0; i < k->children; i++) {
		const struct knot *c = &t->knot[k->child[i]];
		double sum = 0;
		for (uint32_t l = 0; l < c->lanes; l++)
			sum += before[t->leaf[c->first + l]];
		keyed[i] = (struct keyed){sum / c->lanes, k->child[i]};
	}
	if (k->children)
		qsort(keyed, k->children, sizeof *keyed, compare_keys);
	for (uint32_t i = 0; i < k->children; i++)
		k->child[i] = keyed[i].child;
	free(keyed);
	for (uint32_t i = 0; i < k->children; i++)
		sort_by_barycenter(t, t->knot[knot].child[i], before);
}

/* Crossings more with x above y than with y above x. */
static int64_t preference(const struct tree *t, uint32_t x, uint32_t y, const uint32_t *order)
{
	const struct knot *a = &t->knot[x], *b = &t->knot[y];
	int64_t sum = 0;
	for (uint32_t i = 0; i < a->lanes; i++)
		for (uint32_t k = 0; k < b->lanes; k++)
			sum += order[t->leaf[a->first + i]] > order[t->leaf[b->first + k]] ? 1 : -1;
	return sum;
}

static bool sift(struct tree *t, uint32_t knot, const uint32_t *before, const uint32_t *behind)
{
	struct knot *k = &t->knot[knot];
	uint32_t n = k->children;
	bool better = false;
	int64_t *cost = mem_zero(((size_t)n * n + 1) * sizeof *cost);
	/* Leaves of every child stand together in t->leaf, in whatever order the children are. */
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			if (i != j)
				cost[i * n + j] = preference(t, k->child[i], k->child[j], before) +
						  (behind ? preference(t, k->child[i], k->child[j], behind) : 0);
	uint32_t *at = mem_array(n, sizeof *at); /* who stands where, as indices into cost */
	uint32_t *child = mem_copy(k->child, n * sizeof *child);
	for (uint32_t i = 0; i < n; i++)
		at[i] = i;
	for (uint32_t who = 0; who < n; who++) {
		uint32_t from = 0;
		while (at[from] != who)
			from++;
		int64_t change = 0, best = 0;
		uint32_t to = from;
		for (uint32_t i = from; i-- > 0;) /* upwards: who comes to stand above at[i] */
			if ((change += cost[who * n + at[i]]) < best) {
				best = change;
				to = i;
			}
		change = 0;
		for (uint32_t i = from + 1; i < n; i++)
			if ((change -= cost[who * n + at[i]]) < best) {
				best = change;
				to = i;
			}
		if (to == from)
			continue;
		better = true;
		if (to < from)
			memmove(at + to + 1, at + to, (from - to) * sizeof *at);
		else
			memmove(at + from, at + from + 1, (to - from) * sizeof *at);
		at[to] = who;
	}
	for (uint32_t i = 0; i < n; i++)
		k->child[i] = child[at[i]];
	free(cost);
	free(at);
	free(child);
	for (uint32_t i = 0; i < n; i++)
		better |= sift(t, t->knot[knot].child[i], before, behind);
	return better;
}

static void read_slots(struct tree *t, struct stretch *x)
{
	uint32_t lanes = list_leaves(t, t->root, 0);
	for (uint32_t i = 0; i < lanes; i++)
		x->slot[t->leaf[i]] = i;
}

static uint64_t count_crossings(const uint32_t *a, const uint32_t *b, uint32_t lanes)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < lanes; i++)
		for (uint32_t k = i + 1; k < lanes; k++)
			count += (a[i] < a[k]) != (b[i] < b[k]);
	return count;
}

static uint64_t all_crossings(const struct ordering *o, const uint32_t *entry, bool comes_back, uint32_t lanes)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < o->stretches; i++)
		count += count_crossings(i ? o->stretch[i - 1].slot : entry, o->stretch[i].slot, lanes);
	if (comes_back && o->stretches)
		count += count_crossings(o->stretch[o->stretches - 1].slot, entry, lanes);
	return count;
}

/* Limits of the quadratic cost. */
#define SIFTED_LANES 512
#define SIFTED_PASSES 8
#define RESTARTED_LANES 64
#define RESTARTS 12

/* Where choices are made: one tree per stretch. */
struct choice {
	struct ordering *ordering;
	struct tree *tree;
	const uint32_t *entry;
	bool comes_back;
	uint32_t lanes;
};

static void sift_all(const struct choice *c)
{
	struct ordering *o = c->ordering;
	bool better = true;
	for (int pass = 0; better && pass < SIFTED_PASSES; pass++) {
		better = false;
		for (uint32_t i = 0; i < o->stretches; i++) {
			bool last = i + 1 == o->stretches;
			better |= sift(&c->tree[i], c->tree[i].root, i ? o->stretch[i - 1].slot : c->entry,
				last ? (c->comes_back ? c->entry : NULL) : o->stretch[i + 1].slot);
			read_slots(&c->tree[i], &o->stretch[i]);
		}
	}
}

static void shuffle(struct tree *t, uint64_t *seed)
{
	for (size_t i = 0; i < t->knots; i++)
		for (uint32_t k = t->knot[i].children; k > 1; k--) {
			*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			uint32_t other = (uint32_t)((*seed >> 33) % k), child = t->knot[i].child[k - 1];
			t->knot[i].child[k - 1] = t->knot[i].child[other];
			t->knot[i].child[other] = child;
		}
}

static void copy_slots(const struct choice *c, uint32_t *saved, bool back)
{
	for (uint32_t i = 0; i < c->ordering->stretches; i++) {
		uint32_t *slot = c->ordering->stretch[i].slot, *copy = saved + (size_t)i * c->lanes;
		memcpy(back ? slot : copy, back ? copy : slot, c->lanes * sizeof *slot);
	}
}

/*
 * Sifting stops where no single child can be moved; other starts may end lower. Always the same
 * ones: a picture does not change by itself.
 */
static void restart(const struct choice *c)
{
	struct ordering *o = c->ordering;
	uint32_t *best = mem_array((size_t)o->stretches * c->lanes + 1, sizeof *best);
	uint64_t seed = 1;
	copy_slots(c, best, false);
	for (int round = 0; round < RESTARTS && o->crossings > 0; round++) {
		for (uint32_t i = 0; i < o->stretches; i++) {
			shuffle(&c->tree[i], &seed);
			read_slots(&c->tree[i], &o->stretch[i]);
		}
		sift_all(c);
		uint64_t crossings = all_crossings(o, c->entry, c->comes_back, c->lanes);
		if (crossings < o->crossings) {
			o->crossings = crossings;
			copy_slots(c, best, false);
		}
	}
	copy_slots(c, best, true);
	free(best);
}

static void choose_slots(struct ordering *o, const struct scene *scene, const struct scene_system *s,
	const uint32_t *entry, bool comes_back)
{
	struct choice c = {o, mem_zero(o->stretches * sizeof *c.tree), entry, comes_back, s->lanes};
	for (uint32_t i = 0; i < o->stretches; i++) {
		struct stretch *x = &o->stretch[i];
		x->slot = mem_array(s->lanes + 1, sizeof *x->slot);
		build_tree(&c.tree[i], scene, s, o, x);
		list_leaves(&c.tree[i], c.tree[i].root, 0);
		sort_by_barycenter(&c.tree[i], c.tree[i].root, i ? o->stretch[i - 1].slot : entry);
		read_slots(&c.tree[i], x);
	}
	if (s->lanes <= SIFTED_LANES) {
		o->crossings_plain = all_crossings(o, entry, comes_back, s->lanes);
		sift_all(&c);
		o->crossings = all_crossings(o, entry, comes_back, s->lanes);
		if (s->lanes <= RESTARTED_LANES && o->stretches > 1)
			restart(&c);
	}
	for (uint32_t i = 0; i < o->stretches; i++) {
		const uint32_t *before = i ? o->stretch[i - 1].slot : entry;
		o->stretch[i].moved = memcmp(before, o->stretch[i].slot, s->lanes * sizeof *before) != 0;
		tree_clear(&c.tree[i]);
	}
	free(c.tree);
}

struct ordering *ordering_new(const struct scene *scene, uint32_t system, const uint32_t *entry, bool comes_back)
{
	const struct scene_system *s = &scene->system[system];
	struct ordering *o = mem_zero(sizeof *o);
	split_into_stretches(o, scene, s);
	choose_slots(o, scene, s, entry, comes_back);
	return o;
}

void ordering_free(struct ordering *o)
{
	for (uint32_t i = 0; i < o->stretches; i++)
		free(o->stretch[i].slot);
	free(o->stretch);
	free(o->item);
	free(o);
}
