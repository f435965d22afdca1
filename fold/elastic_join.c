/*
 * elastic_join.c -- sequences of places by their longest common subsequences, one tree after the
 * other; then the bodies of the loops that fell together in the same way.
 *
 * Loops are taken for the same place where the same collectives stand in them, or, without any, the
 * same shapes: what else differs is for their bodies to say. Loosely, shapes that stand in one loop
 * of as many iterations count as the same, too.
 */
#include "fold/elastic_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Of the table of one comparison. */
#define COMPARISON_LIMIT 16000000

/* The shapes in a tree, whatever their order and number, and those of collectives, a bit each. */
struct inside {
	uint64_t all, collectives;
};

static void look_inside(const struct elastic_node *n, struct inside *in)
{
	uint64_t bit = UINT64_C(1) << (hash_mix(n->shape + 1) & 63);
	if (n->kind == ELASTIC_EVENT) {
		in->all |= bit;
		in->collectives |= n->collective ? bit : 0;
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
			struct inside in = {0, 0};
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

static uint64_t loose_key(const struct elastic_node *n, const struct classes *classes)
{
	struct inside in = {0, 0};
	if (n->kind == ELASTIC_EVENT)
		return hash_pair(ELASTIC_EVENT, n->shape);
	look_inside(n, &in);
	uint64_t key = hash_pair(n->kind, in.collectives != 0);
	if (!in.collectives && classes->length)
		return hash_pair(hash_pair(key, hash_of_counts(n)), class_of(classes, in.all));
	return hash_pair(key, in.collectives ? in.collectives : in.all);
}

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

static uint64_t key_of(const struct joined *place, const struct classes *classes)
{
	return loose_key(place->member->node, classes);
}

/* Where all keys agree, as they mostly do, no comparison is needed. */
static bool add_same(struct joined_list *all, const struct joined_own *own, const uint64_t *a, const uint64_t *b)
{
	if (all->length != own->list->length || memcmp(a, b, all->length * sizeof *a))
		return false;
	for (size_t i = 0; i < all->length; i++)
		add_member(&all->place[i], own->tree, own->list->node[i]);
	return true;
}

static bool add_aligned(struct joined_list *all, const struct joined_own *own, const uint64_t *a, const uint64_t *b)
{
	size_t n = all->length, m = own->list->length, width = m + 1, united = 0, i = 0, k = 0;
	if ((n + 1) * width > COMPARISON_LIMIT)
		return false;
	uint32_t *common = mem_zero((n + 1) * width * sizeof *common);
	for (i = n; i-- > 0;)
		for (k = m; k-- > 0;) {
			uint32_t right = common[i * width + k + 1], below = common[(i + 1) * width + k];
			common[i * width + k] = a[i] == b[k]    ? common[(i + 1) * width + k + 1] + 1
						: right > below ? right
								: below;
		}
	struct joined *to = mem_array(n + m, sizeof *to);
	for (i = 0, k = 0; i < n || k < m;) {
		if (i < n && k < m && a[i] == b[k]) {
			to[united] = all->place[i++];
			add_member(&to[united++], own->tree, own->list->node[k++]);
		} else if (k == m || (i < n && common[(i + 1) * width + k] >= common[i * width + k + 1])) {
			to[united++] = all->place[i++];
		} else {
			to[united++] = place_of(own->tree, own->list->node[k++]);
		}
	}
	free(common);
	free(all->place);
	*all = (struct joined_list){to, united};
	return true;
}

static bool add_own(struct joined_list *all, const struct joined_own *own, const struct classes *classes)
{
	uint64_t *a = mem_array(all->length, sizeof *a), *b = mem_array(own->list->length, sizeof *b);
	for (size_t i = 0; i < all->length; i++)
		a[i] = key_of(&all->place[i], classes);
	for (size_t i = 0; i < own->list->length; i++)
		b[i] = loose_key(own->list->node[i], classes);
	bool good = add_same(all, own, a, b) || add_aligned(all, own, a, b);
	free(a);
	free(b);
	return good;
}

static bool join_bodies(struct joined *place, bool loosely)
{
	if (place->kind == ELASTIC_EVENT)
		return true;
	struct joined_own *own = mem_array(place->members, sizeof *own);
	for (size_t i = 0; i < place->members; i++)
		own[i] = (struct joined_own){place->member[i].tree, &place->member[i].node->body};
	bool good = joined_make(own, place->members, loosely, &place->body);
	free(own);
	return good;
}

/* Recursion as deep as loops nest. */
bool joined_make(const struct joined_own *own, size_t count, bool loosely, struct joined_list *all)
{
	bool good = true;
	struct classes classes = {0};
	*all = (struct joined_list){0};
	if (loosely)
		classify(own, count, &classes);
	for (size_t i = 0; i < count && good; i++)
		good = add_own(all, &own[i], &classes);
	free(classes.shapes);
	for (size_t i = 0; i < all->length && good; i++)
		good = join_bodies(&all->place[i], loosely);
	return good;
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
