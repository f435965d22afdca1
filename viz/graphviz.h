/*
 * graphviz.h -- a layout as SVG, PDF, PNG or dot.
 */
#ifndef TRACENEST_VIZ_GRAPHVIZ_H
#define TRACENEST_VIZ_GRAPHVIZ_H

#include "viz/layout.h"

/* Points that the picture is wider than its lanes: margins with the ranks. */
double graphviz_margins(const struct layout *);

/* limit: points that the picture may be wide, or 0. False with *error set if Graphviz fails. */
bool graphviz_render(const struct layout *, const struct viz_options *, enum viz_format, double limit, struct output *,
	struct error *);

#endif
