/*
 * layout.h -- where everything of a scene stands: one layout for all outputs.
 *
 * x grows with logical time, y downwards, both in points. Lanes run in *slots*, which have fixed
 * heights; a lane changes its slot in moves.
 */
#ifndef TRACENEST_VIZ_LAYOUT_H
#define TRACENEST_VIZ_LAYOUT_H

#include "viz/scene.h"

/* Sizes of text. */
#define FONT_SMALL 7.0
#define FONT_TEXT 8.5
#define FONT_TITLE 13.0

#define HEADING 11.0 /* of a box: height of its iteration count */

/* A column: the least distance between two events of one line. */
#define COLUMN_WIDE 13.0
#define COLUMN_NARROW 6.0

struct place_of_item {
	double x0, x1; /* equal for events; of a collective: its dashed line */
	double y0, y1; /* of boxes, blocks and marks: the frame; else the lines of the first and last slot */
	uint32_t top, bottom; /* slots */
	const uint32_t *slot; /* of each lane of the item, in the order of its lanes */
	bool told; /* a box above, which begins at the same place, has the same label: it says it for both */
	bool odd; /* some lane is not in its usual slot: write the ranks at its left */
};

struct move {
	uint32_t lane, from, to; /* from and to: slots */
	uint32_t system;
	double x0, x1;
};

enum arrow_kind {
	ARROW_MESSAGE, /* from a send to its receive */
	ARROW_WITHIN, /* from a lane to itself: an arc over the line */
	ARROW_BUNDLE, /* messages of loops that were not joined */
	ARROW_OUT, /* a send whose receive is not drawn, or not at its right */
	ARROW_IN, /* a receive likewise */
};

struct arrow {
	enum arrow_kind kind;
	double x0, y0, x1, y1;
	uint32_t from, to; /* items; SCENE_NONE: not drawn */
	uint32_t tag;
	uint64_t count;
};

struct layout {
	const struct scene *scene;
	double column;
	double width, height; /* of what is drawn of the processes, from x = 0 and y = 0 */
	uint32_t slots;
	double *slot_y;
	struct place_of_item *item; /* as in the scene */
	double *system_x, *system_width; /* start of each system, and how wide one iteration is */
	struct move *move; /* by lane, then x0 */
	size_t moves, move_capacity;
	size_t *first_move; /* per lane, and one more */
	struct arrow *arrow;
	size_t arrows, arrow_capacity;
	size_t upright; /* bundles between loops that run side by side, so far */
	bool crowded; /* ... are too many to be drawn */
	uint64_t crossings, crossings_plain; /* of lines; with barycenters alone */
	struct arena *arena;
};

/* Does it end in nothing because what is there was not recorded? */
bool arrow_is_lost(const struct layout *, const struct arrow *);

struct layout *layout_new(const struct scene *, double column);
void layout_free(struct layout *);

/* The slot that a lane is in at x (in a move: the one it goes to), and its height there. */
uint32_t layout_slot(const struct layout *, uint32_t lane, double x);

/* About how wide a text comes out. */
double text_width(const char *text, double size);

/* 1234567 as "1,234,567". */
void text_grouped(struct text *, uint64_t number);

/* The ranks of a lane, short enough for a margin: "0-3,8-11 .. (24 ranks)". */
void lane_name(const struct scene *, uint32_t lane, struct text *out);

/* What is written at an item: "62 x", the name of a collective, how much a mark leaves out. */
void item_label(const struct scene *, uint32_t item, struct text *out);

#endif
