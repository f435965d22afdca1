/*
 * heat.h -- tables of numbers as coloured pictures: communication matrices, durations over
 * iterations.
 *
 *	struct heat *h = heat_new("Messages, whole run", "messages");
 *	struct heat_panel *p = heat_panel(h, "", 16, 16);
 *	p->row_axis = "sender", p->column_axis = "receiver";
 *	heat_set(p, 3, 4, 250);
 *	heat_svg(h, &text);
 *	heat_free(h);
 *
 * All panels but strips share one scale, so that they can be compared; a strip shows its own
 * structure: the scale goes from its 1st to its 99th percentile. Beyond 256 rows or columns,
 * neighbours are joined in blocks, and the axes say so.
 */
#ifndef TRACENEST_VIZ_HEAT_H
#define TRACENEST_VIZ_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Cells along an axis of a panel. */
#define HEAT_CELLS 256

struct heat;

struct heat_panel {
	char *title;
	uint64_t rows, columns;
	const char *row_axis, *column_axis; /* what the axes count; borrowed */
	uint64_t span; /* of a strip: what its columns share evenly, as iterations; 0: the columns themselves */
	bool strip; /* low rows as wide as a panel, a scale of their own; of what a cell joins the mean, not the sum */
	size_t height, width; /* in blocks */
	uint64_t row_block, column_block; /* rows, columns joined in one; the last block may hold fewer */
	double *sum; /* per block */
	uint32_t *count; /* values set in it; 0: nothing there */
};

struct heat *heat_new(const char *title, const char *unit);
void heat_free(struct heat *);

/* One more table, empty. The panel stays the heat's. */
struct heat_panel *heat_panel(struct heat *, const char *title, uint64_t rows, uint64_t columns);

/* The value of a cell; said twice, both count. */
void heat_set(struct heat_panel *, uint64_t row, uint64_t column, double value);

/* The picture: text is text, nothing refers to anything outside. */
void heat_svg(const struct heat *, struct text *);

/*
 * Does the name of an output (NULL: none) ask for a picture? False with *error set if for one of a
 * kind that is not made here.
 */
bool picture_asked(const char *path, bool *asked, struct error *);

/*
 * The picture as the file that a name asks for: .svg as it is, .png and .pdf by librsvg's
 * rsvg-convert. Takes the picture. False with *error set.
 */
bool heat_write(struct heat *, const char *path, struct error *);

#endif
