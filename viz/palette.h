/*
 * palette.h -- colours of tags, shades of boxes.
 */
#ifndef TRACENEST_VIZ_PALETTE_H
#define TRACENEST_VIZ_PALETTE_H

#include "viz/layout.h"

/* Colour and line style of a tag; both together tell more tags apart than colours alone could. */
struct look {
	const char *colour, *on_dark, *style; /* on_dark: the colour where the paper is dark */
};

/*
 * Tags of a picture that look alike: mostly one; those of a statement whose tag is a function, or
 * all of a range ("tag3000–3015"), where the program has more than LOOKS.
 */
struct family {
	uint32_t first, last; /* ids of the tags with the lowest and highest number */
	uint32_t tags;
	uint32_t look;
};

/* A tag has the same look in every picture of a program: of all of it or a part, of processes or
   roles. */
struct palette {
	struct family *family; /* by look */
	uint32_t families;
	uint32_t *of_tag; /* per tag's id: its look */
	bool *used; /* per tag's id: is it in the picture? */
	size_t ids;
};

struct palette *palette_new(const struct layout *);
void palette_free(struct palette *);

#define LOOKS 21
struct look palette_look(uint32_t look); /* looks from LOOKS on are one */

/* "tag7", "tag3000–3015 (16 tags)" */
void family_name(const struct scene *, const struct family *, struct text *out);

/* The frame's filling at a depth, from 0. */
const char *palette_shade(uint32_t depth);

/* "tag3000@2" */
void tag_name(const struct scene *, uint32_t tag, struct text *out);

#endif
