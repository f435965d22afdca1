/*
 * surface.h -- what is drawn on: a graph in which Graphviz places nothing, as every node is pinned
 * and every edge has its curve.
 *
 *	struct surface s = {.width = 340, .height = 200};
 *	surface_open(&s, &error);
 *	surface_box(&s, "0: 62 iterations", 10, 10, 90, 60);
 *	surface_render(&s, 0, VIZ_SVG, out, &error);
 *
 * Nodes are painted in their order, edges after all nodes. x grows to the right, y downwards, in
 * points. The names of nodes are what they stand for ("2.0.1: 0 send 1 tag3000"): SVG viewers show
 * names as tooltips, and the dot file can be read. A name that is taken already gets a number.
 *
 * The library of Graphviz is loaded where a picture is drawn, and not needed before.
 */
#ifndef TRACENEST_VIZ_SURFACE_H
#define TRACENEST_VIZ_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "viz/viz.h"

/* Graphviz's own. */
typedef struct Agraph_s Agraph_t;
typedef struct Agnode_s Agnode_t;
typedef struct Agedge_s Agedge_t;

struct surface {
	Agraph_t *graph; /* NULL: only measured */
	double width, height;
	uint64_t anonymous; /* numbers given so far */
	bool dot; /* the graph itself is the output */
	bool inner; /* SVG: without what stands before the element */
};

enum anchor { LEFT, MIDDLE, RIGHT };

/* False with *error set: Graphviz is not here. */
bool surface_open(struct surface *, struct error *);

/*
 * Write what was drawn, and take the graph back. limit: the width in points that it is scaled down
 * to; 0: none.
 */
bool surface_render(struct surface *, double limit, enum viz_format, struct output *, struct error *);

/* An attribute of a node or edge. */
void surface_set(void *object, const char *name, const char *value);
void surface_set_number(void *object, const char *name, double value);
void surface_fill(Agnode_t *, unsigned colour); /* 0xRRGGBB */

/* name NULL: none of its own. */
Agnode_t *surface_box(struct surface *, const char *name, double x0, double y0, double x1, double y1);
Agnode_t *surface_dot(struct surface *, const char *name, double x, double y, double radius, const char *colour);
Agnode_t *surface_point(struct surface *, const char *name, double x, double y); /* not seen: an end of lines */

/* A line of text; y is that of its middle. */
void surface_text(
	struct surface *, double x, double y, enum anchor, const char *string, double size, const char *colour);

/* Starts as {0}; surface_edge empties it. */
struct curve {
	struct text text;
	double x, y;
};

void curve_start(const struct surface *, struct curve *, double x, double y);
void curve_line(const struct surface *, struct curve *, double x, double y);
void curve_wave(const struct surface *, struct curve *, double x, double y); /* level at both ends */

Agedge_t *surface_edge(
	struct surface *, Agnode_t *from, Agnode_t *to, struct curve *, const char *colour, double width);
Agedge_t *surface_line(struct surface *, Agnode_t *from, Agnode_t *to, double x0, double y0, double x1, double y1,
	const char *colour, double width);

/* A bracket over a line, which opens or closes. */
Agedge_t *surface_bracket(struct surface *, const char *name, double x, double y, bool opens, const char *colour);

/* A straight arrow; its shaft ends where the head begins. */
Agedge_t *surface_pointer(
	struct surface *, Agnode_t *from, Agnode_t *to, double x0, double y0, double x1, double y1, const char *colour);

/* An arrow from a line to itself, over it. */
Agedge_t *surface_arc(
	struct surface *, Agnode_t *from, Agnode_t *to, double x0, double x1, double y, const char *colour);

#endif
