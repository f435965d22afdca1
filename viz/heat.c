/*
 * heat.c -- rectangles in the colours of viridis: even steps of lightness, so that the scale
 * survives gray paper and eyes that do not tell red from green. What is nothing at all stays white:
 * few and none are different things.
 *
 * Cells of one colour in a row are one rectangle where there are too many for tooltips, which keeps
 * a picture of 4,096 processes small.
 */
#include "viz/heat.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/output.h"
#include "viz/layout.h"
#include "viz/viridis.h"

#define PANEL 420.0 /* the longer side of a panel, in pixels; cells may make it smaller or larger */
#define MARGIN_LEFT 70.0
#define MARGIN_TOP 62.0
#define MARGIN_BELOW 16.0
#define LEGEND_WIDTH 150.0
#define TOOLTIPS 4096 /* no more cells than this get one each */
#define ACROSS 3 /* panels side by side */

struct heat {
	char *title, *unit;
	struct heat_panel **panel;
	size_t panels, capacity;
};

struct heat *heat_new(const char *title, const char *unit)
{
	struct heat *h = mem_zero(sizeof *h);
	h->title = mem_text(title);
	h->unit = mem_text(unit);
	return h;
}

void heat_free(struct heat *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->panels; i++) {
		free(h->panel[i]->title);
		free(h->panel[i]->sum);
		free(h->panel[i]->count);
		free(h->panel[i]);
	}
	free(h->panel);
	free(h->title);
	free(h->unit);
	free(h);
}

static uint64_t blocks_of(uint64_t length, uint64_t *block)
{
	*block = length > HEAT_CELLS ? (length + HEAT_CELLS - 1) / HEAT_CELLS : 1;
	return (length + *block - 1) / *block;
}

struct heat_panel *heat_panel(struct heat *h, const char *title, uint64_t rows, uint64_t columns)
{
	struct heat_panel *p = mem_zero(sizeof *p);
	p->title = mem_text(title);
	p->rows = rows;
	p->columns = columns;
	p->row_axis = p->column_axis = "";
	p->height = (size_t)blocks_of(rows, &p->row_block);
	p->width = (size_t)blocks_of(columns, &p->column_block);
	p->sum = mem_zero((p->height * p->width + 1) * sizeof *p->sum);
	p->count = mem_zero((p->height * p->width + 1) * sizeof *p->count);
	h->panel = mem_grow(h->panel, &h->capacity, h->panels + 1, sizeof(struct heat_panel *));
	return h->panel[h->panels++] = p;
}

void heat_set(struct heat_panel *p, uint64_t row, uint64_t column, double value)
{
	size_t at = (size_t)(row / p->row_block) * p->width + (size_t)(column / p->column_block);
	p->sum[at] += value;
	p->count[at]++;
}

/* ------------------------------------------------------------------ the scale */

struct scale {
	double low, high; /* of what is there, or of most of it */
	bool logarithmic;
	bool below, above; /* something lies outside */
};

static double cell_value(const struct heat_panel *p, size_t at)
{
	return p->strip && p->count[at] ? p->sum[at] / p->count[at] : p->sum[at];
}

/* Numbers that span a factor of 100. */
static bool is_wide(const struct scale *s)
{
	return s->low > 0 && s->high / s->low >= 100;
}

static struct scale scale_of(const struct heat *h)
{
	struct scale s = {.low = INFINITY, .high = -INFINITY};
	for (size_t i = 0; i < h->panels; i++) {
		const struct heat_panel *p = h->panel[i];
		if (p->strip)
			continue;
		for (size_t at = 0; at < p->height * p->width; at++) {
			if (!p->count[at])
				continue;
			s.low = fmin(s.low, cell_value(p, at));
			s.high = fmax(s.high, cell_value(p, at));
		}
	}
	if (s.low > s.high)
		return (struct scale){0};
	s.logarithmic = is_wide(&s);
	if (!s.logarithmic && s.low > 0)
		s.low = 0;
	return s;
}

/*
 * Single cells shall not make all others look alike; nor shall noise look like structure: the scale
 * has room for 10 % around the median.
 */
static struct scale scale_of_values(double *value, size_t values)
{
	if (!values)
		return (struct scale){0};
	qsort(value, values, sizeof *value, compare_double);
	double median = value[values / 2];
	struct scale s = {.low = fmin(value[values / 100], 0.9 * median),
		.high = fmax(value[values - 1 - values / 100], 1.1 * median)};
	s.below = value[0] < s.low;
	s.above = value[values - 1] > s.high;
	s.logarithmic = is_wide(&s);
	return s;
}

static struct scale scale_of_strip(const struct heat_panel *p)
{
	double *value = mem_array(p->height * p->width + 1, sizeof *value);
	size_t values = 0;
	for (size_t at = 0; at < p->height * p->width; at++)
		if (p->count[at])
			value[values++] = cell_value(p, at);
	struct scale s = scale_of_values(value, values);
	free(value);
	return s;
}

/* 0 to 1 */
static double share_of(const struct scale *s, double value)
{
	if (value <= s->low && s->low < s->high)
		return 0;
	double share =
		s->logarithmic ? log(value / s->low) / log(s->high / s->low) : (value - s->low) / (s->high - s->low);
	return isfinite(share) ? fmin(fmax(share, 0), 1) : 1;
}

static unsigned colour_of(const struct scale *s, double value)
{
	return viridis(share_of(s, value));
}

/* ------------------------------------------------------------------ words */

/*
 * Whole numbers, and those that are large enough for their fraction not to matter, without one;
 * others with four digits.
 */
static void put_number(struct text *out, double value)
{
	if (value >= 0 && value < 1e15 && (value == floor(value) || value >= 100))
		text_grouped(out, (uint64_t)round(value));
	else
		text_format(out, "%.4g", value);
}

static void put_words(struct text *out, double x, double y, const char *anchor, const char *extra, const char *words)
{
	text_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, extra);
	text_put_escaped(out, words);
	text_put(out, "</text>\n");
}

/* ------------------------------------------------------------------ a panel */

struct position {
	double x, y, cell_width, cell_height;
};

static double cell_side(size_t cells)
{
	double side = PANEL / (double)(cells ? cells : 1);
	return side > 28 ? 28 : side < 1.5 ? 1.5 : side;
}

/* Matrices have square cells; strips are wide and low. */
static void measure(const struct heat_panel *p, struct position *place)
{
	place->cell_width = cell_side(p->width);
	place->cell_height = p->strip ? fmin(cell_side(p->height), 12) : place->cell_width;
	if (p->strip)
		place->cell_width = PANEL / (double)(p->width ? p->width : 1);
}

static double panel_width(const struct heat_panel *p)
{
	struct position place;
	measure(p, &place);
	return fmax((double)p->width * place.cell_width, 120);
}

static double panel_height(const struct heat_panel *p)
{
	struct position place;
	measure(p, &place);
	return (double)p->height * place.cell_height;
}

static void put_range(struct text *out, uint64_t first, uint64_t end, uint64_t length)
{
	uint64_t last = (end < length ? end : length) - 1;
	text_format(out, first >= last ? "%" PRIu64 : "%" PRIu64 "-%" PRIu64, first, last);
}

/* The first of what a column of a strip stands for: n is in column n * width / span. */
static uint64_t share_start(const struct heat_panel *p, size_t column)
{
	uint64_t each = p->span / p->width, over = p->span % p->width;
	return column * each + (column * over + p->width - 1) / p->width;
}

static void put_tooltip(
	struct text *out, const struct heat *h, const struct heat_panel *p, size_t row, size_t column, double value)
{
	text_format(out, "<title>%s ", p->row_axis);
	put_range(out, row * p->row_block, (row + 1) * p->row_block, p->rows);
	text_format(out, ", %s ", p->column_axis);
	if (p->span)
		put_range(out, share_start(p, column), share_start(p, column + 1), p->span);
	else
		put_range(out, column * p->column_block, (column + 1) * p->column_block, p->columns);
	text_put(out, ": ");
	put_number(out, value);
	text_char(out, ' ');
	text_put_escaped(out, h->unit);
	text_put(out, "</title>");
}

/* Where a cell begins: at a whole pixel, as gaps show between cells otherwise. */
static double edge(double start, size_t cells, double side)
{
	return round(start + (double)cells * side);
}

static void put_row(struct text *out, const struct heat *h, const struct heat_panel *p, const struct scale *s,
	const struct position *place, size_t row)
{
	bool tooltips = p->height * p->width <= TOOLTIPS;
	double top = edge(place->y, row, place->cell_height),
	       height = edge(place->y, row + 1, place->cell_height) - top;
	for (size_t column = 0; column < p->width;) {
		size_t at = row * p->width + column, length = 1;
		if (!p->count[at]) {
			column++;
			continue;
		}
		unsigned colour = colour_of(s, cell_value(p, at));
		while (!tooltips && column + length < p->width && p->count[at + length] &&
			colour_of(s, cell_value(p, at + length)) == colour)
			length++;
		double left = edge(place->x, column, place->cell_width),
		       right = edge(place->x, column + length, place->cell_width);
		text_format(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"#%06x\"", left, top,
			right - left, height, colour);
		text_put(out, tooltips ? ">" : "/>\n");
		if (tooltips) {
			put_tooltip(out, h, p, row, column, cell_value(p, at));
			text_put(out, "</rect>\n");
		}
		column += length;
	}
}

/* Every how many cells there is room for a number of so many pixels: 1, 2, 5, 10, 20 ... */
static size_t label_step(double cell, double room)
{
	size_t step = 1;
	for (int i = 0; (double)step * cell < room; i++)
		step = i % 3 == 1 ? step / 2 * 5 : step * 2;
	return step;
}

static void put_row_labels(struct text *out, const struct heat_panel *p, const struct position *place)
{
	char number[32];
	double each = place->cell_height / (double)p->row_block;
	uint64_t step = label_step(each, 11);
	for (uint64_t row = 0; row < p->rows; row += step) {
		snprintf(number, sizeof number, "%" PRIu64, row);
		put_words(out, place->x - 5, place->y + ((double)row + 0.5) * each + 3.5, "end", "", number);
	}
}

/* Ranks are numbers, iterations are grouped as amounts. */
static void put_column_labels(struct text *out, const struct heat_panel *p, const struct position *place)
{
	uint64_t columns = p->span ? p->span : p->columns;
	double each = p->span ? (double)p->width * place->cell_width / (double)p->span
			      : place->cell_width / (double)p->column_block;
	struct text number = {0};
	(p->span ? text_grouped : text_number)(&number, columns);
	uint64_t step = label_step(each, 8 + 6.5 * (double)number.length);
	for (uint64_t column = 0; column < columns; column += step) {
		text_truncate(&number, 0);
		(p->span ? text_grouped : text_number)(&number, column);
		put_words(out, place->x + ((double)column + 0.5) * each, place->y - 5, "middle", "", number.data);
	}
	text_clear(&number);
}

/* What an axis counts, and what is joined along it. */
static void put_axis_name(struct text *out, const struct heat_panel *p, const char *name, const char *lines,
	uint64_t least, uint64_t most)
{
	text_format(out, "%s (%s", name, lines);
	if (most > 1) {
		text_put(out, p->strip ? ", each the mean of " : ", each the sum of ");
		text_grouped(out, least);
		if (most > least) {
			text_put(out, " or ");
			text_grouped(out, most);
		}
	}
	text_char(out, ')');
}

static void put_axes(struct text *out, const struct heat_panel *p, const struct position *place)
{
	double width = (double)p->width * place->cell_width, height = (double)p->height * place->cell_height;
	char turned[96];
	struct text words = {0};
	if (p->span)
		put_axis_name(
			&words, p, p->column_axis, "columns", p->span / p->width, (p->span + p->width - 1) / p->width);
	else
		put_axis_name(&words, p, p->column_axis, "columns", p->column_block, p->column_block);
	put_words(out, place->x + width / 2, place->y - 19, "middle", "", words.data);
	text_truncate(&words, 0);
	put_axis_name(&words, p, p->row_axis, "rows", p->row_block, p->row_block);
	snprintf(turned, sizeof turned, " transform=\"rotate(-90 %.1f %.1f)\"", place->x - 44, place->y + height / 2);
	put_words(out, place->x - 44, place->y + height / 2, "middle", turned, words.data);
	text_clear(&words);
	text_format(out,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" stroke=\"#888\" stroke-width=\"0.7\"/>\n",
		place->x, place->y, width, height);
}

static void put_end(struct text *out, double value, const char *sign)
{
	text_put(out, sign);
	put_number(out, value);
}

/* Below a strip: from the colour of few to that of many. */
static void put_strip_scale(struct text *out, const struct heat *h, const struct scale *s, double x, double y)
{
	enum { STEPS = 40, STEP = 3 };
	struct text words = {0};
	put_end(&words, s->low, s->below ? "≤ " : "");
	put_words(out, x + 48, y + 9, "end", "", words.data);
	for (int i = 0; i < STEPS; i++)
		text_format(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"9\" fill=\"#%06x\"/>\n",
			x + 53 + i * STEP, y + 1, STEP + 0.3, viridis((i + 0.5) / STEPS));
	text_truncate(&words, 0);
	put_end(&words, s->high, s->above ? "≥ " : "");
	text_format(&words, " %s%s", h->unit, s->logarithmic ? " (scale: log)" : "");
	put_words(out, x + 58 + STEPS * STEP, y + 9, "start", "", words.data);
	text_clear(&words);
}

static void put_panel(struct text *out, const struct heat *h, const struct heat_panel *p, const struct scale *common,
	double x, double y)
{
	struct scale own = p->strip ? scale_of_strip(p) : (struct scale){0};
	const struct scale *s = p->strip ? &own : common;
	struct position place = {x + MARGIN_LEFT, y + MARGIN_TOP, 0, 0};
	measure(p, &place);
	put_words(out, place.x, y + 20, "start", " font-weight=\"bold\"", p->title);
	text_format(out, "<g shape-rendering=\"crispEdges\">\n");
	for (size_t row = 0; row < p->height; row++)
		put_row(out, h, p, s, &place, row);
	text_put(out, "</g>\n");
	put_row_labels(out, p, &place);
	put_column_labels(out, p, &place);
	put_axes(out, p, &place);
	if (p->strip)
		put_strip_scale(out, h, s, place.x, place.y + (double)p->height * place.cell_height + 5);
}

/* ------------------------------------------------------------------ the picture */

static void put_legend(struct text *out, const struct heat *h, const struct scale *s, double x, double y)
{
	enum { STEPS = 40 };
	struct text number = {0};
	put_words(out, x, y - 8, "start", "", h->unit);
	for (int i = 0; i < STEPS; i++) {
		double share = (i + 0.5) / STEPS;
		double value =
			s->logarithmic ? s->low * pow(s->high / s->low, share) : s->low + share * (s->high - s->low);
		text_format(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"4.4\" fill=\"#%06x\"/>\n", x,
			y + (STEPS - 1 - i) * 4.0, colour_of(s, value));
	}
	for (int i = 0; i <= 4; i++) {
		double value = s->logarithmic ? s->low * pow(s->high / s->low, i / 4.0)
					      : s->low + i / 4.0 * (s->high - s->low);
		text_truncate(&number, 0);
		put_number(&number, value);
		put_words(out, x + 22, y + (4 - i) * 40.0 + 4, "start", "", number.data);
	}
	text_clear(&number);
	text_format(out,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"10\" fill=\"#fff\" stroke=\"#888\" stroke-width=\"0.7\"/>\n",
		x, y + 176);
	put_words(out, x + 22, y + 185, "start", "", "none");
	if (s->logarithmic)
		put_words(out, x, y + 205, "start", "", "scale: log");
}

/* Is there a panel that is a strip, or one that is not? */
static bool has_strip(const struct heat *h, bool strip)
{
	for (size_t i = 0; i < h->panels; i++)
		if (h->panel[i]->strip == strip)
			return true;
	return false;
}

static void largest(const struct heat *h, double *width, double *height)
{
	*width = *height = 0;
	for (size_t i = 0; i < h->panels; i++) {
		*width = fmax(*width, panel_width(h->panel[i]));
		*height = fmax(*height, panel_height(h->panel[i]));
	}
	*width += MARGIN_LEFT + 24;
	*height += MARGIN_TOP + MARGIN_BELOW + (has_strip(h, true) ? 12 : 0);
}

void heat_svg(const struct heat *h, struct text *out)
{
	struct scale scale = scale_of(h);
	double width, height;
	largest(h, &width, &height);
	size_t across = h->panels < ACROSS ? h->panels : ACROSS, down = across ? (h->panels + across - 1) / across : 0;
	bool legend = has_strip(h, false);
	double all = (double)across * width + (legend ? LEGEND_WIDTH : 0);
	double high = fmax(34 + (double)down * height, legend ? 34 + MARGIN_TOP + 214 : 0);
	double least = 14 + 9.5 * (double)strlen(h->title);
	text_format(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n",
		fmax(all, least), high, fmax(all, least), high);
	text_put(out, "<title>");
	text_put_escaped(out, *h->title ? h->title : h->unit);
	text_put(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	put_words(out, 14, 24, "start", " font-size=\"15\"", h->title);
	for (size_t i = 0; i < h->panels; i++)
		put_panel(
			out, h, h->panel[i], &scale, (double)(i % across) * width, 34 + (double)(i / across) * height);
	if (legend)
		put_legend(out, h, &scale, (double)across * width + 6, 34 + MARGIN_TOP);
	text_put(out, "</svg>\n");
}

/* ------------------------------------------------------------------ files */

static bool ends_with(const char *path, const char *suffix)
{
	size_t length = strlen(path), tail = strlen(suffix);
	return length > tail && !strcmp(path + length - tail, suffix);
}

static bool refuse_picture(const char *path, struct error *error)
{
	return error_set(error, ERROR_INPUT, "%s: a picture's name ends with .svg, .png or .pdf", path);
}

/* Any other name is one for text. */
bool picture_asked(const char *path, bool *asked, struct error *error)
{
	static const char *const others[] = {"svg", "png", "pdf", "svgz", "jpg", "jpeg", "gif", "bmp", "tif", "tiff",
		"webp", "avif", "heic", "ps", "eps", "dot", "htm", "html"};
	*asked = path && (ends_with(path, ".svg") || ends_with(path, ".png") || ends_with(path, ".pdf"));
	const char *dot = path && !*asked ? strrchr(path, '.') : NULL;
	for (size_t i = 0; dot && i < sizeof others / sizeof *others; i++)
		if (!strcasecmp(dot + 1, others[i]))
			return refuse_picture(path, error);
	return true;
}

extern char **environ;

/* Run the converter with its input and its output in these files. */
static bool convert(int in, int out, const char *format, struct error *error)
{
	char *words[] = {(char *)"rsvg-convert", (char *)"--format", (char *)format, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	pid_t child;
	int failure = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failure)
		return error_set(error, ERROR_INPUT,
			"%s pictures are made by rsvg-convert (Debian: librsvg2-bin), which is not here: %s; .svg needs nothing",
			format, strerror(failure));
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return error_set(error, ERROR_INTERNAL, "rsvg-convert: %s", strerror(errno));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	return error_set(error, ERROR_INPUT,
		"rsvg-convert could not make a %s picture (is librsvg2-bin installed?); .svg needs nothing", format);
}

static bool read_back(FILE *file, struct text *to, struct error *error)
{
	char buffer[1 << 14];
	rewind(file);
	for (size_t got; (got = fread(buffer, 1, sizeof buffer, file));)
		text_add(to, buffer, got);
	return !ferror(file) ||
	       error_set(error, ERROR_INTERNAL, "a temporary file cannot be read: %s", strerror(errno));
}

static bool write_converted(const char *path, const struct text *svg, const char *format, struct error *error)
{
	FILE *in = tmpfile(), *out = tmpfile();
	struct text picture = {0};
	bool good = in && out && fwrite(svg->data, 1, svg->length, in) == svg->length && !fflush(in) &&
		    lseek(fileno(in), 0, SEEK_SET) == 0;
	if (!good)
		error_set(error, ERROR_INPUT, "a temporary file cannot be written: %s", strerror(errno));
	good = good && convert(fileno(in), fileno(out), format, error) && read_back(out, &picture, error) &&
	       output_all(path, picture.data, picture.length, error);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	text_clear(&picture);
	return good;
}

static bool picture_write(const char *path, const struct text *svg, struct error *error)
{
	if (ends_with(path, ".svg"))
		return output_all_text(path, svg, error);
	if (ends_with(path, ".png"))
		return write_converted(path, svg, "png", error);
	if (ends_with(path, ".pdf"))
		return write_converted(path, svg, "pdf", error);
	return refuse_picture(path, error);
}

bool heat_write(struct heat *h, const char *path, struct error *error)
{
	struct text svg = {0};
	heat_svg(h, &svg);
	bool good = picture_write(path, &svg, error);
	text_clear(&svg);
	heat_free(h);
	return good;
}
