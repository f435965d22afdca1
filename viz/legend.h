/*
 * legend.h -- what the colours, lines and boxes of a picture mean.
 */
#ifndef TRACENEST_VIZ_LEGEND_H
#define TRACENEST_VIZ_LEGEND_H

#include "viz/palette.h"
#include "viz/surface.h"

/* A layout that is being drawn. */
struct picture {
	struct surface surface;
	const struct layout *layout;
	const struct viz_options *options;
	struct palette *palette;
	double left, top; /* of the lanes in the picture */
};

#define MARGIN 12.0
#define SYNC_COLOUR "#333333"
#define FAINT "#666666"
#define CALL_COLOUR "#444444"

/* Gives the height that it takes, from y on. Without a graph, only measures. */
double legend_draw(struct picture *, double y);

#endif
