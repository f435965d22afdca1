/*
 * bands.c -- processes that do the same share a line.
 *
 * Each process gets a hash of all that it executes, in order, as far as the picture opens loops;
 * peers enter it relative to the process. Equal hashes share a lane. The strict levels hash which
 * loops a process is in, so that a box covers lanes as a whole; they may give too many lanes (every
 * rank of an irregular program differs from all others), and then a coarser one is tried. Roles are
 * hashed from the statements as they stand.
 */
#include "viz/bands.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

#define BANDS_FEW 4
#define BANDS_PARTS 8

struct hashing {
	const struct bands *bands;
	enum band_level level;
	uint64_t *hash; /* per rank */
	uint64_t occurrence;
};

static uint64_t hash_peer(const struct hashing *h, const struct drawn_event *e)
{
	if (h->level == BANDS_RELATIVE)
		return (uint64_t)e->peer - e->process;
	if (h->level == BANDS_DIRECTION)
		return e->peer < e->process ? 1 : e->peer > e->process ? 2 : 3;
	return 0;
}

static void hash_all(struct hashing *h, const struct ranks *set, uint64_t token)
{
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(set, &walk, &r);)
		h->hash[r] = hash_pair(h->hash[r], token);
}

/* Of one process, or a collective. */
static void hash_event(struct hashing *h, size_t at)
{
	struct drawn *d = h->bands->drawn;
	const struct node *n = drawn_node(d, at);
	struct ranks who = drawn_who(d, at);
	uint64_t what = n->word;
	if (drawn_match(d, at) == MATCH_OUT || drawn_match(d, at) == MATCH_IN) {
		struct drawn_event e = drawn_event_at(d, at, who.run[0].first, d->first);
		what = hash_pair(h->level < BANDS_SHAPE ? drawn_tag_of(d, e.channel) : n->word, hash_peer(h, &e));
	}
	hash_all(h, &who, hash_pair(n->sub, what));
}

static void hash_body(struct hashing *h, size_t from, size_t past, uint32_t depth);

static void hash_loop(struct hashing *h, size_t at, uint32_t depth)
{
	struct drawn *d = h->bands->drawn;
	struct ranks who = drawn_who(d, at);
	uint64_t token = h->level < BANDS_SHAPE ? ++h->occurrence : drawn_count(d, at, d->first);
	hash_all(h, &who, hash_pair(5, token));
	if (depth < h->bands->depth_limit)
		hash_body(h, at + 1, drawn_behind(d, at), depth + 1);
	hash_all(h, &who, 7);
}

/*
 * Statements written out, or (BANDS_ROLES) over sets: those that the picture shows go to the
 * processes that execute them.
 */
static void hash_body(struct hashing *h, size_t from, size_t past, uint32_t depth)
{
	const struct drawn *d = h->bands->drawn;
	for (size_t i = from; i < past; i = drawn_behind(d, i)) {
		struct ranks who = drawn_who(d, i);
		bool loop = drawn_is_loop(d, i);
		if (h->level != BANDS_ROLES && loop)
			hash_loop(h, i, depth);
		else if (h->level != BANDS_ROLES)
			hash_event(h, i);
		else if (loop && depth < h->bands->depth_limit)
			hash_body(h, i + 1, drawn_behind(d, i), depth + 1);
		else
			hash_all(h, &who, i + 1);
	}
}

static uint32_t make_blocks(const struct bands *b, uint32_t *lane_of)
{
	uint64_t closed = ranks_count(&b->shown) - ranks_count(&b->opened), seen = 0;
	uint32_t lanes = 0, last = UINT32_MAX;
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(&b->shown, &walk, &r);) {
		if (ranks_has(&b->opened, r)) {
			lane_of[r] = lanes++;
			last = UINT32_MAX;
			continue;
		}
		uint32_t block = (uint32_t)(seen++ * 32 / closed);
		lanes += block != last;
		last = block;
		lane_of[r] = lanes - 1;
	}
	return lanes;
}

static uint32_t make_single(const struct bands *b, uint32_t *lane_of)
{
	uint32_t lanes = 0;
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(&b->shown, &walk, &r);)
		lane_of[r] = lanes++;
	return lanes;
}

/* Equal hashes share a lane, if their ranks are in the same of so many equal parts of all ranks. */
static uint32_t number_lanes(const struct bands *b, const uint64_t *hash, uint32_t parts, uint32_t *lane_of)
{
	struct intern *seen = intern_new();
	uint64_t limit = BANDS_MOST + ranks_count(&b->opened);
	struct ranks_walk walk = {0};
	for (uint32_t r; ranks_next(&b->shown, &walk, &r) && intern_count(seen) <= limit;) {
		uint64_t part = (uint64_t)r * parts / b->drawn->module->processes;
		uint64_t key[3] = {hash[r], ranks_has(&b->opened, r) ? r : UINT32_MAX, part};
		lane_of[r] = intern_id(seen, key, sizeof key);
	}
	uint32_t lanes = intern_count(seen) <= limit ? intern_count(seen) : 0;
	intern_free(seen);
	return lanes;
}

uint32_t bands_make(const struct bands *b, enum band_level level, uint32_t *lane_of)
{
	if (level == BANDS_NONE)
		return make_single(b, lane_of);
	if (level == BANDS_BLOCKS)
		return make_blocks(b, lane_of);
	struct hashing h = {b, level, mem_zero((b->drawn->module->processes + (size_t)1) * sizeof *h.hash), 0};
	for (size_t i = 0; i < b->entries; i++) {
		if (b->entry[i].cut && level != BANDS_ROLES)
			hash_all(&h, &b->shown, 13);
		else
			hash_body(&h, b->entry[i].from, b->entry[i].past, 0);
	}
	uint32_t lanes = number_lanes(b, h.hash, 1, lane_of);
	/*
	 * Where peers do not count, all may come out the same, and the picture would show no
	 * message between lines.
	 */
	if (level >= BANDS_KIND && lanes > 0 && lanes < BANDS_FEW)
		lanes = number_lanes(b, h.hash, BANDS_PARTS, lane_of);
	free(h.hash);
	return lanes;
}
