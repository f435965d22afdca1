/*
 * elastic_join.c -- sequences of places by their longest common subsequences, one tree after the
 * other; then the bodies of the loops that fell together in the same way.
 *
 * Loops are taken for the same place where the same collectives stand in them, be it of other
 * groups, or, without any, mostly the same shapes: what else differs is for their bodies to say.
 * Loosely, shapes that stand in one loop of as many iterations count as the same, too.
 */
#include "fold/elastic_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Of the table of one comparison, and of all. */
#define COMPARISON_LIMIT 16000000
#define COMPARISONS_LIMIT (UINT64_C(1) << 28)

/* The shapes in a tree, whatever their order and number, and those of collectives, with and without
   their groups, a bit each. */
struct inside {
	uint64_t all, collectives, stems;
};

static uint64_t bit_of(uint32_t id)
{
	return UINT64_C(1) << (hash_mix(id + UINT64_C(1)) & 63);
}

static void look_inside(const struct elastic_node *n, struct inside *in)
{
	if (n->kind == ELASTIC_EVENT) {
		in->all |= bit_of(n->shape);
		in->collectives |= n->collective ? bit_of(n->shape) : 0;
		in->stems |= n->collective ? bit_of(n->collective) : 0;
	}
	for (size_t i = 0; i < n->body.length; i++)
		look_inside(n->body.node[i], in);
}

/* Classes of shapes, by what stands in one loop; none: each shape is its own. */
struct classes {
	uint64_t *shapes;
	size_t length, capacity;
};

static void add_class(struct classes *c, uint64_t shapes)
{
	for (size_t i = 0; i < c->length;)
		if (c->shapes[i] & shapes) {
			shapes |= c->shapes[i];
			c->shapes[i] = c->shapes[--c->length];
			i = 0;
		} else {
			i++;
		}
	c->shapes = mem_grow(c->shapes, &c->capacity, c->length + 1, sizeof *c->shapes);
	c->shapes[c->length++] = shapes;
}

static uint64_t class_of(const struct classes *c, uint64_t shapes)
{
	for (size_t i = 0; i < c->length; i++)
		if (c->shapes[i] & shapes)
			return c->shapes[i];
	return shapes;
}

static void classify(const struct joined_own *own, size_t count, struct classes *c)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < own[i].list->length; k++) {
			struct inside in = {0, 0, 0};
			look_inside(own[i].list->node[k], &in);
			if (own[i].list->node[k]->kind != ELASTIC_EVENT && !in.collectives)
				add_class(c, in.all);
		}
}

static uint64_t hash_of_counts(const struct elastic_node *n)
{
	const struct numbers *count = &n->slot[SLOT_COUNT];
	return hash_bytes(count->number, count->rows * sizeof *count->number);
}

/* What a node is compared by. */
struct outlook {
	enum elastic_kind kind;
	uint32_t shape; /* of an event */
	uint32_t key; /* where they must be equal */
	uint64_t counts; /* loosely */
	struct inside in;
};

static struct outlook outlook_of(const struct elastic_node *n, enum joined_how how, const struct classes *classes)
{
	bool event = n->kind == ELASTIC_EVENT;
	struct outlook o = {.kind = n->kind, .shape = event ? n->shape : 0};
	look_inside(n, &o.in);
	o.key = event || o.in.collectives || how != JOINED_EQUAL ? 0 : n->key;
	if (!event && !o.in.collectives && classes->length) {
		o.counts = hash_of_counts(n);
		o.in.all = class_of(classes, o.in.all);
	}
	return o;
}

/* How much two nodes have in common, LIKENESS at the most; 0: they are no one place. */
#define LIKENESS 4

static uint32_t likeness_of(const struct outlook *a, const struct outlook *b)
{
	if (a->kind != b->kind || a->shape != b->shape || a->key != b->key || a->counts != b->counts ||
		a->in.stems != b->in.stems)
		return 0;
	if (a->in.collectives != b->in.collectives)
		return LIKENESS - 1;
	if (a->kind == ELASTIC_EVENT || a->in.collectives || a->in.all == b->in.all)
		return LIKENESS;
	int both = __builtin_popcountll(a->in.all & b->in.all), either = __builtin_popcountll(a->in.all | b->in.all);
	return 2 * both > either ? LIKENESS - 1 : 0;
}

/* What has fallen together so far, and how its places look: as the first of their members, with
   what is inside of any of them. */
struct joining {
	enum joined_how how;
	struct classes classes;
	uint64_t *comparisons; /* left to be made */
	struct joined_list *all;
	struct outlook *look; /* by place */
};

static void add_member(struct joined *to, uint32_t tree, const struct elastic_node *n)
{
	to->member = mem_grow(to->member, &to->capacity, to->members + 1, sizeof *to->member);
	to->member[to->members++] = (struct joined_member){tree, n};
}

static struct joined place_of(uint32_t tree, const struct elastic_node *n)
{
	struct joined place = {.kind = n->kind, .shape = n->shape};
	add_member(&place, tree, n);
	return place;
}

static void look_again(const struct joining *j, struct outlook *place, const struct outlook *own)
{
	place->in.all |= place->kind == ELASTIC_EVENT || j->classes.length ? 0 : own->in.all;
}

/* Where all agree, as they mostly do, no comparison is needed. */
static bool add_same(struct joining *j, const struct joined_own *own, const struct outlook *look)
{
	struct joined_list *all = j->all;
	bool same = all->length == own->list->length;
	for (size_t i = 0; i < all->length && same; i++)
		same = likeness_of(&j->look[i], &look[i]);
	for (size_t i = 0; i < all->length && same; i++) {
		add_member(&all->place[i], own->tree, own->list->node[i]);
		look_again(j, &j->look[i], &look[i]);
	}
	return same;
}

static uint32_t most_of(uint32_t a, uint32_t b, uint32_t c)
{
	return a > b ? (a > c ? a : c) : b > c ? b : c;
}

/* How much the rest of all has in common with the rest of look, by both: m + 1 to a row. */
static uint32_t *compare(const struct joining *j, const struct outlook *look, size_t m)
{
	size_t n = j->all->length, width = m + 1;
	uint32_t *common = mem_zero((n + 1) * width * sizeof *common);
	for (size_t i = n; i-- > 0;)
		for (size_t k = m; k-- > 0;) {
			uint32_t *at = &common[i * width + k], like = likeness_of(&j->look[i], &look[k]);
			*at = most_of(at[1], at[width], like ? at[width + 1] + like : 0);
		}
	return common;
}

static bool add_aligned(struct joining *j, const struct joined_own *own, const struct outlook *look)
{
	struct joined_list *all = j->all;
	size_t n = all->length, m = own->list->length, width = m + 1, united = 0, i = 0, k = 0;
	if ((n + 1) * width > COMPARISON_LIMIT || (n + 1) * width > *j->comparisons)
		return false;
	*j->comparisons -= (n + 1) * width;
	uint32_t *common = compare(j, look, m);
	struct joined *to = mem_array(n + m, sizeof *to);
	struct outlook *seen = mem_array(n + m, sizeof *seen);
	for (; i < n || k < m; united++) {
		const uint32_t *at = &common[i * width + k];
		uint32_t like = i < n && k < m ? likeness_of(&j->look[i], &look[k]) : 0;
		if (like && *at == at[width + 1] + like) {
			to[united] = all->place[i];
			seen[united] = j->look[i++];
			look_again(j, &seen[united], &look[k]);
			add_member(&to[united], own->tree, own->list->node[k++]);
		} else if (k == m || (i < n && at[width] >= at[1])) {
			to[united] = all->place[i];
			seen[united] = j->look[i++];
		} else {
			to[united] = place_of(own->tree, own->list->node[k]);
			seen[united] = look[k++];
		}
	}
	free(common);
	free(all->place);
	free(j->look);
	*all = (struct joined_list){to, united};
	j->look = seen;
	return true;
}

static bool add_own(struct joining *j, const struct joined_own *own)
{
	struct outlook *look = mem_array(own->list->length, sizeof *look);
	for (size_t i = 0; i < own->list->length; i++)
		look[i] = outlook_of(own->list->node[i], j->how, &j->classes);
	bool good = add_same(j, own, look) || add_aligned(j, own, look);
	free(look);
	return good;
}

static bool join(const struct joined_own *, size_t count, enum joined_how, uint64_t *comparisons, struct joined_list *);

static bool join_bodies(struct joined *place, enum joined_how how, uint64_t *comparisons)
{
	if (place->kind == ELASTIC_EVENT)
		return true;
	struct joined_own *own = mem_array(place->members, sizeof *own);
	for (size_t i = 0; i < place->members; i++)
		own[i] = (struct joined_own){place->member[i].tree, &place->member[i].node->body};
	bool good = join(own, place->members, how, comparisons, &place->body);
	free(own);
	return good;
}

/* Recursion as deep as loops nest. */
static bool join(
	const struct joined_own *own, size_t count, enum joined_how how, uint64_t *comparisons, struct joined_list *all)
{
	bool good = true;
	struct joining j = {.how = how, .comparisons = comparisons, .all = all};
	*all = (struct joined_list){0};
	if (how == JOINED_LOOSELY)
		classify(own, count, &j.classes);
	for (size_t i = 0; i < count && good; i++)
		good = add_own(&j, &own[i]);
	free(j.classes.shapes);
	free(j.look);
	for (size_t i = 0; i < all->length && good; i++)
		good = join_bodies(&all->place[i], how, comparisons);
	return good;
}

bool joined_make(const struct joined_own *own, size_t count, enum joined_how how, struct joined_list *all)
{
	uint64_t comparisons = COMPARISONS_LIMIT;
	return join(own, count, how, &comparisons, all);
}

void joined_clear(struct joined_list *list)
{
	for (size_t i = 0; i < list->length; i++) {
		joined_clear(&list->place[i].body);
		free(list->place[i].member);
	}
	free(list->place);
	*list = (struct joined_list){0};
}

uint64_t joined_hash(const struct joined_list *list)
{
	uint64_t hash = list->length;
	for (size_t i = 0; i < list->length; i++) {
		const struct joined *place = &list->place[i];
		hash = hash_pair(hash, place->members);
		for (size_t k = 0; k < place->members; k++)
			hash = hash_pair(hash_pair(hash, place->member[k].tree), (uintptr_t)place->member[k].node);
		hash = hash_pair(hash, joined_hash(&place->body));
	}
	return hash;
}
