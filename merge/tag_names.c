/*
 * tag_names.c -- the messages of each tag, and those that it would be told with, if it named a
 * process.
 */
#include "merge/tag_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

/* Names are told apart from tags, which have 32 bits in MPI. */
#define TOLD_BY_SENDER (UINT64_C(1) << 62)
#define TOLD_BY_RECEIVER (UINT64_C(1) << 63)

#define SEVERAL UINT32_MAX

/* Messages of one tag, or that would be told alike. */
struct ends {
	uint32_t from, to; /* SEVERAL */
	uint32_t pairs, moves;
};

struct ends_of {
	struct intern *keys; /* tags, or what tells them */
	struct ends *ends; /* by these */
	size_t capacity;
};

struct tag_names {
	struct intern *tags;
	uint64_t *told; /* by these; of one that names nobody itself */
};

static struct ends *add_pair(struct ends_of *all, uint64_t key, const struct grid_pair *p)
{
	uint32_t known = intern_count(all->keys), at = intern_id(all->keys, &key, sizeof key);
	all->ends = mem_grow(all->ends, &all->capacity, (size_t)at + 1, sizeof *all->ends);
	struct ends *e = &all->ends[at];
	if (at == known)
		*e = (struct ends){p->from, p->to, 0, 0};
	e->from = e->from == p->from ? p->from : SEVERAL;
	e->to = e->to == p->to ? p->to : SEVERAL;
	e->pairs++;
	return e;
}

static struct ends *find_ends(const struct ends_of *all, uint64_t key)
{
	return &all->ends[intern_find(all->keys, &key, sizeof key)];
}

static uint64_t by_sender(uint64_t tag, const struct ends *e)
{
	return TOLD_BY_SENDER | ((tag - e->from) & (TOLD_BY_SENDER - 1));
}

static uint64_t by_receiver(uint64_t tag, const struct ends *e)
{
	return TOLD_BY_RECEIVER | ((tag - e->to) & (TOLD_BY_SENDER - 1));
}

/* Do messages of several processes make the same moves? Two of them at a time: round an axis of a
   grid, or back. */
static bool are_alike(const struct ends *e)
{
	return e->from == SEVERAL && e->to == SEVERAL && 2 * e->moves <= e->pairs;
}

static void add_moves(struct ends_of *told, struct intern *moves, uint64_t key, const struct grid_pair *p)
{
	uint64_t move[2] = {key, (uint64_t)p->to - p->from};
	uint32_t known = intern_count(moves);
	struct ends *e = add_pair(told, key, p);
	e->moves += intern_id(moves, move, sizeof move) == known;
}

static uint64_t told_by(const struct ends_of *told, uint64_t tag, const struct ends *e)
{
	const struct ends *sent = e->from == SEVERAL ? NULL : find_ends(told, by_sender(tag, e));
	const struct ends *received = e->to == SEVERAL ? NULL : find_ends(told, by_receiver(tag, e));
	bool from = sent && are_alike(sent), to = received && are_alike(received);
	if (from && (!to || sent->pairs >= received->pairs))
		return by_sender(tag, e);
	return to ? by_receiver(tag, e) : tag;
}

struct tag_names *tag_names_new(const struct grid_pair *pair, size_t pairs)
{
	struct ends_of tags = {.keys = intern_new_keys(sizeof(uint64_t))},
		       told = {.keys = intern_new_keys(sizeof(uint64_t))};
	struct intern *moves = intern_new_keys(2 * sizeof(uint64_t));
	struct tag_names *names = mem_zero(sizeof *names);
	bool any = false;
	for (size_t i = 0; i < pairs; i++)
		add_pair(&tags, pair[i].tag, &pair[i]);
	for (size_t i = 0; i < pairs; i++) {
		uint64_t tag = pair[i].tag;
		const struct ends *e = find_ends(&tags, tag);
		if (e->from != SEVERAL)
			add_moves(&told, moves, by_sender(tag, e), &pair[i]);
		if (e->to != SEVERAL)
			add_moves(&told, moves, by_receiver(tag, e), &pair[i]);
	}
	names->tags = tags.keys;
	names->told = mem_array(intern_count(tags.keys), sizeof *names->told);
	for (uint32_t i = 0; i < intern_count(tags.keys); i++) {
		uint64_t tag;
		memcpy(&tag, intern_data(tags.keys, i, NULL), sizeof tag);
		names->told[i] = told_by(&told, tag, &tags.ends[i]);
		any = any || names->told[i] != tag;
	}
	intern_free(moves);
	intern_free(told.keys);
	free(told.ends);
	free(tags.ends);
	if (any)
		return names;
	tag_names_free(names);
	return NULL;
}

void tag_names_free(struct tag_names *n)
{
	if (!n)
		return;
	intern_free(n->tags);
	free(n->told);
	free(n);
}

bool tag_names_find(const struct tag_names *n, int64_t tag, uint64_t *told)
{
	uint64_t key = (uint64_t)tag;
	uint32_t at = n ? intern_find(n->tags, &key, sizeof key) : INTERN_NONE;
	if (at == INTERN_NONE || n->told[at] == key)
		return false;
	*told = n->told[at];
	return true;
}

uint64_t tag_names_told(const struct tag_names *n, int64_t tag)
{
	uint64_t told = (uint64_t)tag;
	tag_names_find(n, tag, &told);
	return told;
}
