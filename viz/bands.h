/*
 * bands.h -- which processes share a line of the picture.
 */
#ifndef TRACENEST_VIZ_BANDS_H
#define TRACENEST_VIZ_BANDS_H

#include "model/model.h"

struct program; /* model/program.h */

/* What the root of a picture lists: constructs of the model, and marks for those left out. */
struct entry {
	node node;
	uint32_t index; /* in the listing; of a mark: the first left out */
	uint64_t cut; /* constructs left out; 0: this is a construct */
};

/* How much alike the ranks of a band are, from the strictest. */
enum band_level {
	BANDS_ROLES, /* execute the same statements of the folded program; not one of the levels that are tried in turn */
	BANDS_NONE, /* a line per rank */
	BANDS_RELATIVE, /* in the same loops, and the same events but for the peers, which stand at the same distances */
	BANDS_DIRECTION, /* ... in the same directions */
	BANDS_KIND, /* in the same loops, the same kinds of events and tags */
	BANDS_SHAPE, /* in loops of the same counts, with the same kinds of events and tag stems */
	BANDS_BLOCKS, /* neighbours; they may differ */
	BAND_LEVELS
};

struct bands {
	const struct model *model;
	const struct program *folded; /* for roles */
	const struct nest_coverage *coverage;
	const struct entry *entry;
	size_t entries;
	uint32_t depth_limit;
	struct ranks drawn; /* who has a line at all */
	struct ranks opened; /* who has a line of its own */
};

/* At most so many bands, beside the opened ranks. */
#define BANDS_MOST 40

/*
 * Put every rank drawn into a lane: lane_of[rank] (others are left alone). Gives the number of lanes, which are numbered by their lowest rank; 0 if
 * the level gives too many.
 */
uint32_t bands_make(const struct bands *, enum band_level, uint32_t *lane_of);

#endif
