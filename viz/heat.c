/*
 * heat.c -- rectangles in the colours of viridis: even steps of lightness, so that the scale survives gray paper and eyes that do not tell red
 * from green. What is nothing at all stays white: few and none are different things.
 *
 * Cells of one colour in a row are one rectangle where there are too many for tooltips, which keeps a picture of 4,096 processes small.
 */
#include "viz/heat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
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
	double low, high; /* of what is there */
	bool logarithmic;
};

static double value_at(const struct heat_panel *p, size_t at)
{
	return p->mean && p->count[at] ? p->sum[at] / p->count[at] : p->sum[at];
}

static struct scale scale_of(const struct heat *h)
{
	struct scale s = {INFINITY, -INFINITY, false};
	for (size_t i = 0; i < h->panels; i++) {
		const struct heat_panel *p = h->panel[i];
		for (size_t at = 0; at < p->height * p->width; at++) {
			if (!p->count[at])
				continue;
			s.low = fmin(s.low, value_at(p, at));
			s.high = fmax(s.high, value_at(p, at));
		}
	}
	if (s.low > s.high)
		return (struct scale){0, 0, false};
	s.logarithmic = s.low > 0 && s.high / s.low >= 100;
	if (!s.logarithmic && s.low > 0)
		s.low = 0;
	return s;
}

/* 0 to 1 */
static double share_of(const struct scale *s, double value)
{
	double share = s->logarithmic ? log(value / s->low) / log(s->high / s->low) : (value - s->low) / (s->high - s->low);
	return isfinite(share) ? fmin(fmax(share, 0), 1) : 1;
}

static unsigned colour_of(const struct scale *s, double value)
{
	return viridis(share_of(s, value));
}

/* ------------------------------------------------------------------ words */

static void put_escaped(struct text *out, const char *words)
{
	for (; *words; words++) {
		if (*words == '<')
			text_put(out, "&lt;");
		else if (*words == '>')
			text_put(out, "&gt;");
		else if (*words == '&')
			text_put(out, "&amp;");
		else if (*words == '"')
			text_put(out, "&quot;");
		else
			text_char(out, *words);
	}
}

/* Whole numbers, and those that are large enough for their fraction not to matter, without one; others with four digits. */
static const char *number_text(double value, char buffer[32])
{
	bool whole = (value == floor(value) || fabs(value) >= 100) && fabs(value) < 1e15;
	snprintf(buffer, 32, whole ? "%.0f" : "%.4g", value);
	return buffer;
}

static void put_words(struct text *out, double x, double y, const char *anchor, const char *extra, const char *words)
{
	text_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, extra);
	put_escaped(out, words);
	text_put(out, "</text>\n");
}

/* ------------------------------------------------------------------ a panel */

struct place {
	double x, y, cell_width, cell_height;
};

static double cell_side(size_t cells)
{
	double side = PANEL / (double)(cells ? cells : 1);
	return side > 28 ? 28 : side < 1.5 ? 1.5 : side;
}

/* Matrices have square cells; strips are wide and low. */
static void measure(const struct heat_panel *p, struct place *place)
{
	place->cell_width = cell_side(p->width);
	place->cell_height = p->mean ? fmin(cell_side(p->height), 12) : place->cell_width;
	if (p->mean)
		place->cell_width = PANEL / (double)(p->width ? p->width : 1);
}

static double panel_width(const struct heat_panel *p)
{
	struct place place;
	measure(p, &place);
	return fmax((double)p->width * place.cell_width, 120);
}

static double panel_height(const struct heat_panel *p)
{
	struct place place;
	measure(p, &place);
	return (double)p->height * place.cell_height;
}

static void put_range(struct text *out, uint64_t block, uint64_t size, uint64_t length)
{
	uint64_t first = block * size, last = first + size - 1;
	if (last >= length)
		last = length - 1;
	text_format(out, first == last ? "%" PRIu64 : "%" PRIu64 "-%" PRIu64, first, last);
}

static void put_tooltip(struct text *out, const struct heat *h, const struct heat_panel *p, size_t row, size_t column, double value)
{
	char number[32];
	text_format(out, "<title>%s ", p->row_axis);
	put_range(out, row, p->row_block, p->rows);
	text_format(out, ", %s ", p->column_axis);
	put_range(out, column, p->column_block, p->columns);
	text_format(out, ": %s ", number_text(value, number));
	put_escaped(out, h->unit);
	text_put(out, "</title>");
}

/* Where a cell begins: at a whole pixel, as gaps show between cells otherwise. */
static double edge(double start, size_t cells, double side)
{
	return round(start + (double)cells * side);
}

static void put_row(struct text *out, const struct heat *h, const struct heat_panel *p, const struct scale *s,
	const struct place *place, size_t row)
{
	bool tooltips = p->height * p->width <= TOOLTIPS;
	double top = edge(place->y, row, place->cell_height), height = edge(place->y, row + 1, place->cell_height) - top;
	for (size_t column = 0; column < p->width;) {
		size_t at = row * p->width + column, length = 1;
		if (!p->count[at]) {
			column++;
			continue;
		}
		unsigned colour = colour_of(s, value_at(p, at));
		while (!tooltips && column + length < p->width && p->count[at + length] &&
			colour_of(s, value_at(p, at + length)) == colour)
			length++;
		double left = edge(place->x, column, place->cell_width), right = edge(place->x, column + length, place->cell_width);
		text_format(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"#%06x\"", left, top,
			right - left, height, colour);
		text_put(out, tooltips ? ">" : "/>\n");
		if (tooltips) {
			put_tooltip(out, h, p, row, column, value_at(p, at));
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

static void put_labels(struct text *out, const struct heat_panel *p, const struct place *place)
{
	char number[32];
	size_t step = label_step(place->cell_height, 11);
	for (size_t row = 0; row < p->height; row += step) {
		snprintf(number, sizeof number, "%" PRIu64, row * p->row_block);
		put_words(out, place->x - 5, place->y + ((double)row + 0.5) * place->cell_height + 3.5, "end", "", number);
	}
	snprintf(number, sizeof number, "%" PRIu64, p->columns);
	step = label_step(place->cell_width, 8 + 6.5 * (double)strlen(number));
	for (size_t column = 0; column < p->width; column += step) {
		snprintf(number, sizeof number, "%" PRIu64, column * p->column_block);
		put_words(out, place->x + ((double)column + 0.5) * place->cell_width, place->y - 5, "middle", "", number);
	}
}

static void put_axes(struct text *out, const struct heat_panel *p, const struct place *place)
{
	double width = (double)p->width * place->cell_width, height = (double)p->height * place->cell_height;
	char turned[96];
	struct text words = {0};
	text_format(&words, "%s (columns)", p->column_axis);
	put_words(out, place->x + width / 2, place->y - 19, "middle", "", words.data);
	text_truncate(&words, 0);
	text_format(&words, "%s (rows)", p->row_axis);
	snprintf(turned, sizeof turned, " transform=\"rotate(-90 %.1f %.1f)\"", place->x - 44, place->y + height / 2);
	put_words(out, place->x - 44, place->y + height / 2, "middle", turned, words.data);
	text_clear(&words);
	text_format(out,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" stroke=\"#888\" stroke-width=\"0.7\"/>\n",
		place->x, place->y, width, height);
}

static void put_panel(struct text *out, const struct heat *h, const struct heat_panel *p, const struct scale *s, double x, double y)
{
	struct place place = {x + MARGIN_LEFT, y + MARGIN_TOP, 0, 0};
	measure(p, &place);
	put_words(out, place.x, y + 20, "start", " font-weight=\"bold\"", p->title);
	text_format(out, "<g shape-rendering=\"crispEdges\">\n");
	for (size_t row = 0; row < p->height; row++)
		put_row(out, h, p, s, &place, row);
	text_put(out, "</g>\n");
	put_labels(out, p, &place);
	put_axes(out, p, &place);
}

/* ------------------------------------------------------------------ the picture */

static void put_legend(struct text *out, const struct heat *h, const struct scale *s, double x, double y)
{
	enum { STEPS = 40 };
	char number[32];
	put_words(out, x, y - 8, "start", "", h->unit);
	for (int i = 0; i < STEPS; i++) {
		double share = (i + 0.5) / STEPS;
		double value = s->logarithmic ? s->low * pow(s->high / s->low, share) : s->low + share * (s->high - s->low);
		text_format(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"4.4\" fill=\"#%06x\"/>\n", x,
			y + (STEPS - 1 - i) * 4.0, colour_of(s, value));
	}
	for (int i = 0; i <= 4; i++) {
		double value = s->logarithmic ? s->low * pow(s->high / s->low, i / 4.0) : s->low + i / 4.0 * (s->high - s->low);
		put_words(out, x + 22, y + (4 - i) * 40.0 + 4, "start", "", number_text(value, number));
	}
	text_format(out,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"10\" fill=\"#fff\" stroke=\"#888\" stroke-width=\"0.7\"/>\n", x,
		y + 176);
	put_words(out, x + 22, y + 185, "start", "", s->logarithmic ? "none (scale: log)" : "none");
}

static void largest(const struct heat *h, double *width, double *height)
{
	*width = *height = 0;
	for (size_t i = 0; i < h->panels; i++) {
		*width = fmax(*width, panel_width(h->panel[i]));
		*height = fmax(*height, panel_height(h->panel[i]));
	}
	*width += MARGIN_LEFT + 24;
	*height += MARGIN_TOP + MARGIN_BELOW;
}

void heat_svg(const struct heat *h, struct text *out)
{
	struct scale scale = scale_of(h);
	double width, height;
	largest(h, &width, &height);
	size_t across = h->panels < ACROSS ? h->panels : ACROSS, down = across ? (h->panels + across - 1) / across : 0;
	double all = (double)across * width + LEGEND_WIDTH, high = fmax(34 + (double)down * height, 34 + MARGIN_TOP + 200);
	double least = 14 + 9.5 * (double)strlen(h->title);
	text_format(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"sans-serif\" font-size=\"11\" role=\"img\">\n",
		fmax(all, least), high, fmax(all, least), high);
	text_put(out, "<title>");
	put_escaped(out, h->title);
	text_put(out, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	put_words(out, 14, 24, "start", " font-size=\"15\"", h->title);
	for (size_t i = 0; i < h->panels; i++)
		put_panel(out, h, h->panel[i], &scale, (double)(i % across) * width, 34 + (double)(i / across) * height);
	put_legend(out, h, &scale, (double)across * width + 6, 34 + MARGIN_TOP);
	text_put(out, "</svg>\n");
}

/* ------------------------------------------------------------------ files */

static bool ends_with(const char *path, const char *suffix)
{
	size_t length = strlen(path), tail = strlen(suffix);
	return length > tail && !strcmp(path + length - tail, suffix);
}

static bool write_all(const char *path, const char *bytes, size_t length, struct error *error)
{
	struct output *out = output_open(path, error);
	if (!out)
		return false;
	output_write(out, bytes, length);
	return output_close(out, error);
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
	return !ferror(file) || error_set(error, ERROR_INTERNAL, "a temporary file cannot be read: %s", strerror(errno));
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
	       write_all(path, picture.data, picture.length, error);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	text_clear(&picture);
	return good;
}

bool picture_write(const char *path, const struct text *svg, struct error *error)
{
	if (ends_with(path, ".svg"))
		return write_all(path, svg->data, svg->length, error);
	if (ends_with(path, ".png"))
		return write_converted(path, svg, "png", error);
	if (ends_with(path, ".pdf"))
		return write_converted(path, svg, "pdf", error);
	return error_set(error, ERROR_INPUT, "%s: what picture is this to be? Its name must end in .svg, .png or .pdf", path);
}
