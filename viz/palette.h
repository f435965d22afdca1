/*
 * palette.h -- colours of tags, shades of boxes.
 */
#ifndef TRACENEST_VIZ_PALETTE_H
#define TRACENEST_VIZ_PALETTE_H

#include "viz/layout.h"

/* Colour and line style of a tag; both together tell more tags apart than colours alone could. */
struct look {
	const char *colour, *style;
};

/*
 * Tags that look alike: one, or in a picture of more than LOOKS tags all of a range
 * ("tag3000-3015").
 */
struct family {
	uint32_t first, last; /* ids of the tags with the lowest and highest number */
	uint32_t tags;
	uint32_t place; /* of the first one, in the order of names */
	uint64_t arrows;
};

struct palette {
	struct family *family; /* most arrows first */
	uint32_t families;
	uint32_t *of_tag; /* per tag's id: its family */
	bool *used; /* per tag's id: is it in the picture? */
	size_t ids;
};

struct palette *palette_new(const struct layout *);
void palette_free(struct palette *);

#define LOOKS 21
struct look palette_look(uint32_t family); /* families from LOOKS on look alike */

/* "tag7", "tag3000-3015 (16)" */
void family_name(const struct scene *, const struct family *, struct text *out);

/* The frame's filling at a depth, from 0. */
const char *palette_shade(uint32_t depth);

/* "tag3000@2" */
void tag_name(const struct scene *, uint32_t tag, struct text *out);

#endif
