/*
 * viz.c -- scene, layout, output.
 */
#include "viz/viz.h"

#include <string.h>

#include "viz/graphviz.h"
#include "viz/layout.h"
#include "viz/page.h"

bool viz_format_of(const char *path, enum viz_format *format, struct error *error)
{
	static const char *const suffixes[] = {
		[VIZ_SVG] = ".svg", [VIZ_PDF] = ".pdf", [VIZ_PNG] = ".png", [VIZ_DOT] = ".dot", [VIZ_HTML] = ".html"};
	size_t length = strlen(path);
	for (int i = 0; i <= VIZ_HTML; i++) {
		size_t suffix = strlen(suffixes[i]);
		if (length > suffix && strcmp(path + length - suffix, suffixes[i]) == 0) {
			*format = (enum viz_format)i;
			return true;
		}
	}
	return error_set(error, ERROR_INPUT, "%s: a picture's name ends with .svg, .pdf, .png, .dot or .html", path);
}

/* Narrower or wider columns first; what is then still too wide is scaled. */
static struct layout *layout_within(const struct scene *s, double limit)
{
	struct layout *l = layout_new(s, COLUMN_WIDE);
	double room = limit - graphviz_margins(l);
	if (limit <= 0 || l->width <= 0 || room <= 0)
		return l;
	double column = COLUMN_WIDE * room / l->width;
	column = column < COLUMN_NARROW ? COLUMN_NARROW : column > 2 * COLUMN_WIDE ? 2 * COLUMN_WIDE : column;
	layout_free(l);
	return layout_new(s, column);
}

/* What is drawn, and where. */
struct drawing {
	struct scene *scene;
	struct layout *layout;
};

static bool lay_out(
	struct drawing *d, const struct module *m, const struct viz_options *o, double limit, struct error *error)
{
	d->scene = scene_new(m, o, error);
	d->layout = d->scene ? layout_within(d->scene, limit) : NULL;
	return d->scene;
}

static void drawing_clear(struct drawing *d)
{
	layout_free(d->layout);
	scene_free(d->scene);
	*d = (struct drawing){0};
}

static bool lay_out_again(struct drawing *d, const struct module *m, const struct viz_options *o, struct error *error)
{
	drawing_clear(d);
	return lay_out(d, m, o, 0, error);
}

/* What is shorter by itself stays; else the ends of the list go, then half of it, and again; where that
   does not do, for one loop is too wide, loops are closed, the innermost first. */
static bool shorten(struct drawing *d, const struct module *m, const struct viz_options *given, struct error *error)
{
	enum { MOST = 256 };
	struct viz_options o = *given;
	o.skip_short = true;
	*given->left_out = true;
	bool good = lay_out_again(d, m, &o, error);
	for (o.keep = MOST; good && d->layout->width > VIZ_WIDE && o.keep > 1; o.keep /= 2)
		good = lay_out_again(d, m, &o, error);
	bool wide = good && d->layout->width > VIZ_WIDE;
	o.keep = 0;
	o.depth = wide ? d->scene->depth_limit : 0;
	while (good && d->layout->width > VIZ_WIDE && o.depth-- > 1)
		good = lay_out_again(d, m, &o, error);
	return good;
}

bool viz_draw(const struct module *m, const struct viz_options *o, enum viz_format format, struct output *out,
	struct error *error)
{
	struct drawing d = {0};
	double limit = o->width * 72 / 25.4;
	bool page = format == VIZ_HTML, good = lay_out(&d, m, o, page ? 0 : limit, error);
	if (good && !page && o->left_out && !o->loop && d.layout->width > VIZ_WIDE)
		good = shorten(&d, m, o, error);
	if (good && page)
		good = page_write(d.layout, o, out, error);
	else if (good)
		good = graphviz_render(d.layout, o, format, limit, out, error);
	drawing_clear(&d);
	return good;
}
