/*
 * bands.h -- which processes share a line of the picture.
 */
#ifndef TRACENEST_VIZ_BANDS_H
#define TRACENEST_VIZ_BANDS_H

#include "viz/drawn.h"

/* What the root of a picture lists: statements, and marks for those left out. */
struct entry {
	size_t from, past;
	uint64_t cut; /* statements left out; 0: they are drawn */
};

/* How much alike the ranks of a band are, from the strictest. */
enum band_level {
	BANDS_ROLES, /* execute the same statements; not one of the levels that are tried in turn */
	BANDS_NONE, /* a line per rank */
	/* in the same loops, and the same events but for the peers, which stand at the same
	   distances */
	BANDS_RELATIVE,
	BANDS_DIRECTION, /* ... in the same directions */
	BANDS_KIND, /* in the same loops, the same kinds of events and tags */
	BANDS_SHAPE, /* in loops of the same counts, with the same kinds of events and tag stems */
	BANDS_BLOCKS, /* neighbours; they may differ */
	BAND_LEVELS
};

struct bands {
	struct drawn *drawn;
	const struct entry *entry;
	size_t entries;
	uint32_t depth_limit;
	struct ranks shown; /* who has a line at all */
	struct ranks opened; /* who has a line of its own */
};

/* At most so many bands, beside the opened ranks. */
#define BANDS_MOST 40

/*
 * Put every rank shown into a lane: lane_of[rank] (others are left alone). Gives the number of
 * lanes, which are numbered by their lowest rank; 0 if the level gives too many.
 */
uint32_t bands_make(const struct bands *, enum band_level, uint32_t *lane_of);

#endif
