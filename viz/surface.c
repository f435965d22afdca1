/*
 * surface.c -- boxes, texts and dots are nodes, lines and arrows edges with curves, all pinned
 * (engine nop2).
 */
#include "viz/surface.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "viz/layout.h"

#define FONT "Helvetica,Arial,sans-serif"
#define ARROW_HEAD 4.2

/* ------------------------------------------------------------------ the library */

enum { KIND_GRAPH, KIND_NODE, KIND_EDGE }; /* AGRAPH, AGNODE, AGEDGE */
enum { ERRORS_NONE = 2 }; /* AGMAX */

/* What is used of cgraph and of gvc; the same in all versions since 2.30. One context for all
   pictures, never freed: the part of Graphviz that measures text remembers the name of the last
   font, which belongs to the context, and compares it with the next (in 2.43). */
static struct graphviz {
	void *context;
	Agraph_t *(*read)(const char *);
	Agnode_t *(*node)(Agraph_t *, char *, int);
	Agedge_t *(*edge)(Agraph_t *, Agnode_t *, Agnode_t *, char *, int);
	void *(*attribute)(Agraph_t *, int, char *, char *);
	int (*set)(void *, char *, char *, char *);
	int (*close)(Agraph_t *);
	int (*errors)(int);
	char *(*last_error)(void);
	int (*layout)(void *, Agraph_t *, const char *);
	int (*render)(void *, Agraph_t *, const char *, FILE *);
	int (*forget)(void *, Agraph_t *);
} graphviz;

static bool find(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);
	memcpy(function, &found, sizeof found);
	return found;
}

static bool load(struct error *error)
{
	static const char *const names[] = {"libgvc.so.6", "libgvc.so.7", "libgvc.so"};
	struct graphviz g = {0};
	void *library = NULL, *(*new)(void) = NULL;
	if (graphviz.context)
		return true;
	for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return error_set(error, ERROR_INPUT,
			"pictures need the library of Graphviz, which is not here: install graphviz (Debian: libgvc6), or write a page, .html");
	if (!find(library, "agmemread", &g.read) || !find(library, "agnode", &g.node) ||
		!find(library, "agedge", &g.edge) || !find(library, "agattr", &g.attribute) ||
		!find(library, "agsafeset", &g.set) || !find(library, "agclose", &g.close) ||
		!find(library, "agseterr", &g.errors) || !find(library, "aglasterr", &g.last_error) ||
		!find(library, "gvLayout", &g.layout) || !find(library, "gvRender", &g.render) ||
		!find(library, "gvFreeLayout", &g.forget) || !find(library, "gvContext", &new))
		return error_set(error, ERROR_INPUT, "the library of Graphviz is too old, or too new: %s", dlerror());
	g.errors(ERRORS_NONE); /* what it says of its own files, too, is for us to tell */
	g.context = new ();
	graphviz = g;
	return true;
}

/* ------------------------------------------------------------------ what is drawn */

void surface_set(void *object, const char *name, const char *value)
{
	graphviz.set(object, (char *)name, (char *)value, (char *)"");
}

void surface_set_number(void *object, const char *name, double value)
{
	char text[40];
	snprintf(text, sizeof text, "%.4g", value);
	surface_set(object, name, text);
}

/*
 * In the DOT language a backslash may take the quote behind it away from the name: there, each is
 * two.
 */
static void put_name(const struct surface *s, const char *name, struct text *out)
{
	for (; *name; name++) {
		text_char(out, *name);
		if (*name == '\\' && s->dot)
			text_char(out, *name);
	}
}

/* A name no other node has. */
static Agnode_t *add_node(struct surface *s, const char *plain, double x, double y)
{
	char text[80];
	struct text clean = {0};
	put_name(s, plain ? plain : "", &clean);
	const char *name = clean.data;
	Agnode_t *n = name ? graphviz.node(s->graph, (char *)name, 0) : NULL;
	if (n || !name) {
		struct text unique = {0};
		text_format(&unique, "%s%s#%" PRIu64, name ? name : "", name ? " " : "", ++s->anonymous);
		n = graphviz.node(s->graph, unique.data, 1);
		text_clear(&unique);
	} else {
		n = graphviz.node(s->graph, (char *)name, 1);
	}
	text_clear(&clean);
	snprintf(text, sizeof text, "%.2f,%.2f", x, s->height - y);
	surface_set(n, "pos", text);
	return n;
}

Agnode_t *surface_box(struct surface *s, const char *name, double x0, double y0, double x1, double y1)
{
	Agnode_t *n = add_node(s, name, (x0 + x1) / 2, (y0 + y1) / 2);
	surface_set(n, "shape", "box");
	surface_set_number(n, "width", (x1 - x0) / 72);
	surface_set_number(n, "height", (y1 - y0) / 72);
	return n;
}

/* A line of text; y is that of its middle. */
void surface_text(
	struct surface *s, double x, double y, enum anchor side, const char *string, double size, const char *colour)
{
	double width = text_width(string, size) + 4;
	double middle = side == LEFT ? x + width / 2 : side == RIGHT ? x - width / 2 : x;
	Agnode_t *n = add_node(s, NULL, middle, y);
	struct text label = {0};
	text_put_label(&label, string);
	text_put(&label, side == LEFT ? "\\l" : side == RIGHT ? "\\r" : "");
	surface_set(n, "shape", "plaintext");
	surface_set(n, "style", "solid");
	surface_set(n, "label", label.data);
	surface_set_number(n, "width", width / 72);
	surface_set_number(n, "height", size * 1.2 / 72);
	surface_set_number(n, "fontsize", size);
	surface_set(n, "fontcolor", colour);
	text_clear(&label);
}

Agnode_t *surface_dot(struct surface *s, const char *name, double x, double y, double radius, const char *colour)
{
	Agnode_t *n = add_node(s, name, x, y);
	surface_set_number(n, "width", radius / 36);
	surface_set_number(n, "height", radius / 36);
	surface_set(n, "fillcolor", colour);
	return n;
}

Agnode_t *surface_point(struct surface *s, const char *name, double x, double y)
{
	Agnode_t *n = add_node(s, name, x, y);
	surface_set(n, "style", "invis");
	return n;
}

static void curve_point(const struct surface *s, struct curve *p, double x, double y)
{
	text_format(&p->text, "%s%.2f,%.2f", p->text.length ? " " : "", x, s->height - y);
}

void curve_start(const struct surface *s, struct curve *p, double x, double y)
{
	curve_point(s, p, x, y);
	p->x = x;
	p->y = y;
}

void curve_line(const struct surface *s, struct curve *p, double x, double y)
{
	curve_point(s, p, p->x + (x - p->x) / 3, p->y + (y - p->y) / 3);
	curve_point(s, p, x - (x - p->x) / 3, y - (y - p->y) / 3);
	curve_point(s, p, x, y);
	p->x = x;
	p->y = y;
}

/* Level at both ends. */
void curve_wave(const struct surface *s, struct curve *p, double x, double y)
{
	double middle = (p->x + x) / 2;
	curve_point(s, p, middle, p->y);
	curve_point(s, p, middle, y);
	curve_point(s, p, x, y);
	p->x = x;
	p->y = y;
}

Agedge_t *surface_edge(
	struct surface *s, Agnode_t *from, Agnode_t *to, struct curve *path, const char *colour, double width)
{
	Agedge_t *e = graphviz.edge(s->graph, from, to, NULL, 1);
	surface_set(e, "pos", path->text.data);
	surface_set(e, "color", colour);
	surface_set_number(e, "penwidth", width);
	text_clear(&path->text);
	return e;
}

Agedge_t *surface_line(struct surface *s, Agnode_t *from, Agnode_t *to, double x0, double y0, double x1, double y1,
	const char *colour, double width)
{
	struct curve path = {0};
	curve_start(s, &path, x0, y0);
	curve_line(s, &path, x1, y1);
	return surface_edge(s, from, to, &path, colour, width);
}

Agedge_t *surface_bracket(struct surface *s, const char *name, double x, double y, bool opens, const char *colour)
{
	const double half = 4.5, lip = opens ? 2 : -2;
	struct curve path = {0};
	curve_start(s, &path, x + lip, y - half);
	curve_line(s, &path, x, y - half);
	curve_line(s, &path, x, y + half);
	curve_line(s, &path, x + lip, y + half);
	Agnode_t *from = surface_point(s, name, x + lip, y - half);
	return surface_edge(s, from, surface_point(s, NULL, x + lip, y + half), &path, colour, 0.8);
}

/* A straight arrow; its shaft ends where the head begins. */
Agedge_t *surface_pointer(
	struct surface *s, Agnode_t *from, Agnode_t *to, double x0, double y0, double x1, double y1, const char *colour)
{
	double length = hypot(x1 - x0, y1 - y0), head = length > 2 * ARROW_HEAD ? ARROW_HEAD : length / 2;
	double bx = length > 0 ? x1 - (x1 - x0) * head / length : x1,
	       by = length > 0 ? y1 - (y1 - y0) * head / length : y1;
	struct curve path = {0};
	text_format(&path.text, "e,%.2f,%.2f", x1, s->height - y1);
	curve_start(s, &path, x0, y0);
	curve_line(s, &path, bx, by);
	Agedge_t *e = surface_edge(s, from, to, &path, colour, 0.8);
	surface_set(e, "arrowhead", "normal");
	surface_set_number(e, "arrowsize", head / 10);
	return e;
}

Agedge_t *surface_arc(
	struct surface *s, Agnode_t *from, Agnode_t *to, double x0, double x1, double y, const char *colour)
{
	double high = 6.5;
	struct curve path = {0};
	text_format(&path.text, "e,%.2f,%.2f", x1, s->height - (y - 0.3));
	curve_start(s, &path, x0, y);
	curve_point(s, &path, x0 + (x1 - x0) * 0.2, y - high);
	curve_point(s, &path, x1 - (x1 - x0) * 0.2, y - high);
	curve_point(s, &path, x1 - 2.2, y - 3.2);
	Agedge_t *e = surface_edge(s, from, to, &path, colour, 0.8);
	surface_set(e, "arrowhead", "normal");
	surface_set_number(e, "arrowsize", ARROW_HEAD / 10);
	return e;
}

void surface_fill(Agnode_t *n, unsigned colour)
{
	char text[16];
	snprintf(text, sizeof text, "#%06x", colour);
	surface_set(n, "fillcolor", text);
}

/* ------------------------------------------------------------------ the whole */

bool surface_open(struct surface *s, struct error *error)
{
	if (!load(error))
		return false;
	s->graph = graphviz.read("digraph tracenest {}");
	static const struct {
		int kind;
		const char *name, *value;
	} defaults[] = {
		{KIND_GRAPH, "outputorder", "nodesfirst"},
		{KIND_GRAPH, "splines", "true"},
		{KIND_GRAPH, "pad", "0"},
		{KIND_GRAPH, "margin", "0"},
		{KIND_GRAPH, "fontname", FONT},
		{KIND_GRAPH, "size", ""},
		{KIND_GRAPH, "dpi", ""},
		{KIND_GRAPH, "bb", ""},
		{KIND_GRAPH, "bgcolor", "#ffffff"},
		{KIND_NODE, "shape", "point"},
		{KIND_NODE, "label", ""},
		{KIND_NODE, "pos", ""},
		{KIND_NODE, "width", "0.02"},
		{KIND_NODE, "height", "0.02"},
		{KIND_NODE, "fixedsize", "shape"},
		{KIND_NODE, "fontname", FONT},
		{KIND_NODE, "fontsize", "8.5"},
		{KIND_NODE, "fontcolor", "#000000"},
		{KIND_NODE, "style", "filled"},
		{KIND_NODE, "fillcolor", "#ffffff"},
		{KIND_NODE, "color", "#00000000"},
		{KIND_NODE, "penwidth", "0"},
		{KIND_NODE, "margin", "0"},
		{KIND_EDGE, "pos", ""},
		{KIND_EDGE, "color", "#000000"},
		{KIND_EDGE, "penwidth", "0.8"},
		{KIND_EDGE, "arrowhead", "none"},
		{KIND_EDGE, "arrowsize", "0.42"},
		{KIND_EDGE, "style", "solid"},
	};
	for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
		graphviz.attribute(s->graph, defaults[i].kind, (char *)defaults[i].name, (char *)defaults[i].value);
	return true;
}

static const char *format_name(enum viz_format format)
{
	static const char *const names[] = {[VIZ_SVG] = "svg", [VIZ_PDF] = "pdf", [VIZ_PNG] = "png", [VIZ_DOT] = "dot"};
	return names[format];
}

/*
 * Renderers have limits of their own: a PNG has at most 32,767 pixels a side, a PDF page 14,400
 * points.
 */
static void set_size(struct surface *s, enum viz_format format, double limit)
{
	char text[80];
	double most = format == VIZ_PDF ? 14000 : format == VIZ_PNG ? 15500 : 1e7, scale = 1;
	double longest = s->width > s->height ? s->width : s->height;
	if (longest > most)
		scale = most / longest;
	if (limit > 0 && s->width * scale > limit)
		scale = limit / s->width;
	if (scale < 1) {
		snprintf(text, sizeof text, "%.4f,%.4f", s->width * scale / 72, s->height * scale / 72);
		surface_set(s->graph, "size", text);
	}
	if (format == VIZ_PNG)
		surface_set(s->graph, "dpi", "144");
	snprintf(text, sizeof text, "0,0,%.2f,%.2f", s->width, s->height);
	surface_set(s->graph, "bb", text);
}

bool surface_render(struct surface *s, double limit, enum viz_format format, struct output *out, struct error *error)
{
	set_size(s, format, limit);
	char *data = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&data, &length);
	bool good = to && graphviz.layout(graphviz.context, s->graph, "nop2") == 0 &&
		    graphviz.render(graphviz.context, s->graph, format_name(format), to) == 0;
	if (to)
		fclose(to);
	if (format == VIZ_PDF || format == VIZ_PNG)
		output_raw(out);
	const char *from = good && s->inner ? strstr(data, "<svg") : NULL;
	char *why = good ? NULL : graphviz.last_error();
	if (good)
		output_write(out, from ? from : data, length - (from ? (size_t)(from - data) : 0));
	else
		error_set(error, ERROR_INTERNAL, "Graphviz cannot make %s: %s", format_name(format),
			why ? why : "no reason given");
	free(why);
	free(data);
	graphviz.forget(graphviz.context, s->graph);
	graphviz.close(s->graph);
	return good;
}
