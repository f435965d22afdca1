/*
 * elastic_join.c -- sequences of places by their longest common subsequences, one tree after the
 * other; then the bodies of the loops that fell together in the same way.
 *
 * Loops are taken for the same place where the same collectives stand in them, or, without any, the
 * same shapes: what else differs is for their bodies to say.
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

static uint64_t loose_key(const struct elastic_node *n)
{
	struct inside in = {0, 0};
	if (n->kind == ELASTIC_EVENT)
		return hash_pair(ELASTIC_EVENT, n->shape);
	look_inside(n, &in);
	return hash_pair(hash_pair(n->kind, in.collectives != 0), in.collectives ? in.collectives : in.all);
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

static uint64_t key_of(const struct joined *place)
{
	return loose_key(place->member->node);
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

static bool add_own(struct joined_list *all, const struct joined_own *own)
{
	uint64_t *a = mem_array(all->length, sizeof *a), *b = mem_array(own->list->length, sizeof *b);
	for (size_t i = 0; i < all->length; i++)
		a[i] = key_of(&all->place[i]);
	for (size_t i = 0; i < own->list->length; i++)
		b[i] = loose_key(own->list->node[i]);
	bool good = add_same(all, own, a, b) || add_aligned(all, own, a, b);
	free(a);
	free(b);
	return good;
}

static bool join_bodies(struct joined *place)
{
	if (place->kind == ELASTIC_EVENT)
		return true;
	struct joined_own *own = mem_array(place->members, sizeof *own);
	for (size_t i = 0; i < place->members; i++)
		own[i] = (struct joined_own){place->member[i].tree, &place->member[i].node->body};
	bool good = joined_make(own, place->members, &place->body);
	free(own);
	return good;
}

/* Recursion as deep as loops nest. */
bool joined_make(const struct joined_own *own, size_t count, struct joined_list *all)
{
	bool good = true;
	*all = (struct joined_list){0};
	for (size_t i = 0; i < count && good; i++)
		good = add_own(all, &own[i]);
	for (size_t i = 0; i < all->length && good; i++)
		good = join_bodies(&all->place[i]);
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
