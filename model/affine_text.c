/*
 * affine_text.c -- lines to shapes and numbers, and back.
 *
 * A shape is stored as the bytes of the line with a hole for each number: a NUL, then how to print
 * it ('d', 'x'). So equal shapes are equal strings, and a line is its shape with the holes filled.
 */
#include "model/affine_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "model/affine_positions.h"
#include "model/lines.h"

struct affine_shapes {
	struct intern *shapes;
	bool numbers;
	struct text shape; /* being put together */
};

struct affine_shapes *affine_shapes_new(bool numbers)
{
	struct affine_shapes *s = mem_zero(sizeof *s);
	s->shapes = intern_new();
	s->numbers = numbers;
	return s;
}

void affine_shapes_free(struct affine_shapes *s)
{
	if (!s)
		return;
	intern_free(s->shapes);
	text_clear(&s->shape);
	free(s);
}

/* ------------------------------------------------------------------ numbers in a line */

static bool ends_word(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || (c && strchr(",;:=()[]<>|@", c));
}

/* "0-15" is two numbers. */
static bool ends_number(char last, char c)
{
	return c == '-' && is_digit(last);
}

/* Digits of a number that fits into 63 bits, without leading zeros. */
static bool read_digits(const char *at, const char *end, unsigned base, uint64_t most, uint64_t *value)
{
	if (at == end || (*at == '0' && end - at > 1))
		return false;
	uint64_t sum = 0;
	for (; at < end; at++) {
		unsigned digit = *at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
				 : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10
							    : 99;
		if (digit >= base || sum > (most - digit) / base)
			return false;
		sum = sum * base + digit;
	}
	*value = sum;
	return true;
}

static char read_number(const char *at, const char *end, int64_t *value)
{
	uint64_t magnitude;
	if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
		if (!read_digits(at + 2, end, 16, INT64_MAX, &magnitude))
			return 0;
		*value = (int64_t)magnitude;
		return 'x';
	}
	bool negative = *at == '-';
	if (!read_digits(at + negative, end, 10, (uint64_t)INT64_MAX + negative, &magnitude) ||
		(negative && !magnitude))
		return 0;
	*value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return 'd';
}

/* May a number end a word that begins like this? Not where it would be a part of one: after a
   point, a sign, or 0x. */
static bool is_stem(const char *at, const char *end)
{
	return at < end && !is_digit(end[-1]) && !strchr(".-+", end[-1]) &&
	       !(end - at >= 2 && at[0] == '0' && at[1] == 'x');
}

/* The number that is this word, or ends it: where it begins is *from. Gives how it is written, 0 if
   there is none. */
static char find_number(const char *at, const char *end, const char **from, int64_t *value)
{
	uint64_t magnitude;
	char kind = at < end ? read_number(at, end, value) : 0;
	*from = at;
	if (kind)
		return kind;
	const char *digits = end;
	while (digits > at && is_digit(digits[-1]))
		digits--;
	if (!is_stem(at, digits) || !read_digits(digits, end, 10, INT64_MAX, &magnitude))
		return 0;
	*from = digits;
	*value = (int64_t)magnitude;
	return 'd';
}

static void add_hole(struct text *shape, char kind)
{
	text_char(shape, 0);
	text_char(shape, kind);
}

/* Numbers before and behind are counted in *width. */
static void add_words(struct affine_shapes *s, const char *at, const char *end, uint32_t *width, int64_t *number)
{
	while (at < end) {
		const char *word = at;
		while (at < end && !ends_word(*at) && !(at > word && ends_number(at[-1], *at)))
			at++;
		const char *from = at;
		char kind = *width < AFFINE_WIDTH && s->numbers ? find_number(word, at, &from, &number[*width]) : 0;
		text_add(&s->shape, word, (size_t)((kind ? from : at) - word));
		if (kind) {
			add_hole(&s->shape, kind);
			++*width;
		}
		if (at < end)
			text_char(&s->shape, *at++);
	}
}

static uint32_t intern_shape(struct affine_shapes *s)
{
	return intern_id(s->shapes, s->shape.length ? s->shape.data : "", s->shape.length);
}

uint32_t affine_shapes_line(struct affine_shapes *s, const char *line, size_t length, uint32_t *width, int64_t *number)
{
	text_truncate(&s->shape, 0);
	*width = 0;
	if (s->numbers)
		add_words(s, line, line + length, width, number);
	else
		text_add(&s->shape, line, length);
	return intern_shape(s);
}

uint32_t affine_shapes_width(const struct affine_shapes *s, uint32_t shape)
{
	size_t size;
	const char *at = intern_data(s->shapes, shape, &size);
	uint32_t width = 0;
	for (size_t i = 0; i < size; i++)
		width += !at[i];
	return width;
}

/* ------------------------------------------------------------------ printing */

static uint64_t magnitude_of(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static void put_number(struct text *out, int64_t value, char kind)
{
	if (value < 0)
		text_char(out, '-');
	if (kind == 'x')
		text_format(out, "0x%" PRIx64, magnitude_of(value));
	else
		text_number(out, magnitude_of(value));
}

void affine_shapes_print(const struct affine_shapes *s, uint32_t shape, const int64_t *number, struct text *out)
{
	size_t size;
	const char *at = intern_data(s->shapes, shape, &size);
	for (size_t i = 0; i < size; i++) {
		if (at[i])
			text_char(out, at[i]);
		else
			put_number(out, *number++, at[++i]);
	}
	text_char(out, '\n');
}

static bool is_constant(const int64_t *vector, size_t depth)
{
	for (size_t i = 1; i <= depth; i++)
		if (vector[i])
			return false;
	return true;
}

static void put_factors(struct text *out, const int64_t *factor, size_t depth, bool first)
{
	for (size_t i = 0; i < depth; i++) {
		if (!factor[i])
			continue;
		if (factor[i] < 0 || !first)
			text_char(out, factor[i] < 0 ? '-' : '+');
		first = false;
		if (magnitude_of(factor[i]) != 1) {
			text_number(out, magnitude_of(factor[i]));
			text_char(out, '*');
		}
		text_format(out, "i%zu", i);
	}
}

/* bare: a constant may stand without braces. */
static void put_value(struct text *out, const int64_t *vector, size_t depth, char kind, bool bare)
{
	bool constant = is_constant(vector, depth), shown = constant || vector[0] || kind == 'x';
	if (bare && constant && (kind == 'd' || vector[0] >= 0)) {
		put_number(out, vector[0], kind);
		return;
	}
	text_char(out, '{');
	if (shown)
		put_number(out, vector[0], kind);
	put_factors(out, vector + 1, depth, !shown);
	text_char(out, '}');
}

/* A count less one may just not fit into 64 bits. */
static void put_bound(struct text *out, const int64_t *count, size_t depth)
{
	bool constant = is_constant(count, depth), shown = constant || count[0] != 1;
	if (!constant)
		text_char(out, '{');
	if (shown && count[0] < 1)
		text_format(out, "-%" PRIu64, magnitude_of(count[0]) + 1);
	else if (shown)
		text_number(out, (uint64_t)count[0] - 1);
	put_factors(out, count + 1, depth, !shown);
	if (!constant)
		text_char(out, '}');
}

static bool needs_backslash(const char *line, size_t length)
{
	return !length || *line == ' ' || *line == '\t' || (length >= 4 && !memcmp(line, "for ", 4)) ||
	       (length == 4 && !memcmp(line, "done", 4)) || (length >= 2 && !memcmp(line, "//", 2));
}

static void put_record(const struct affine_shapes *s, const struct affine_node *n, size_t depth, struct text *out)
{
	size_t size;
	const char *at = intern_data(s->shapes, n->shape, &size);
	const int64_t *vector = n->value;
	if (needs_backslash(at, size))
		text_char(out, '\\');
	const char *word = at; /* the one at hand; NULL if it has a number already */
	for (size_t i = 0; i < size; i++) {
		if (at[i]) {
			bool behind_hole = i > 1 && !at[i - 2];
			if (ends_word(at[i]) || ends_number(behind_hole ? '0' : i ? at[i - 1] : ' ', at[i]))
				word = at + i + 1;
			if (at[i] == '{' || at[i] == '}' || at[i] == '\\')
				text_char(out, '\\');
			text_char(out, at[i]);
		} else {
			bool bare = word &&
				    (i + 2 == size || ends_word(at[i + 2]) || (at[i + 2] == '-' && at[i + 1] == 'd'));
			if (bare && word < at + i)
				bare = at[i + 1] == 'd' && vector[0] >= 0 && is_stem(word, at + i);
			put_value(out, vector, depth, at[++i], bare);
			word = NULL;
			vector += 1 + depth;
		}
	}
}

struct printing {
	const struct affine_shapes *shapes;
	struct text *text;
	struct output *out; /* or NULL */
};

static void indent(struct text *out, size_t depth)
{
	for (size_t i = 0; i < depth; i++)
		text_put(out, "  ");
}

static void end_line(struct printing *p)
{
	text_char(p->text, '\n');
	if (p->out && p->text->length > 1 << 16)
		output_text(p->out, p->text);
}

static void begin_node(struct printing *p, const struct affine_node *n, size_t depth)
{
	indent(p->text, depth);
	if (affine_is_loop(n)) {
		text_format(p->text, "for i%zu = 0 to ", depth);
		put_bound(p->text, n->value, depth);
	} else {
		put_record(p->shapes, n, depth, p->text);
	}
	end_line(p);
}

static void end_node(void *context, const struct affine_node *n, size_t depth)
{
	struct printing *p = context;
	if (!affine_is_loop(n))
		return;
	indent(p->text, depth);
	text_put(p->text, "done");
	end_line(p);
}

static void print_nodes(struct printing *p, const struct affine_node *node, size_t length, size_t depth)
{
	for (size_t i = 0; i < length; i++) {
		begin_node(p, &node[i], depth);
		print_nodes(p, node[i].body, node[i].length, depth + 1);
		end_node(p, &node[i], depth);
	}
}

static void print_remark(struct printing *p, size_t depth, const char *mark, const struct polynomial *value)
{
	indent(p->text, depth);
	text_format(p->text, "// %s{", mark);
	polynomial_print(value, p->text);
	text_char(p->text, '}');
	end_line(p);
}

static void print_placed(void *context, const struct affine_node *n, size_t depth, const struct polynomial *position,
	const struct polynomial *iteration)
{
	struct printing *p = context;
	print_remark(p, depth, "@", position);
	begin_node(p, n, depth);
	if (iteration)
		print_remark(p, depth + 1, "#", iteration);
}

static void print_all(struct printing *p, const struct affine_nest *n, bool positions)
{
	if (positions)
		affine_positions(
			n, &(struct affine_positions_visit){.context = p, .construct = print_placed, .done = end_node});
	else
		print_nodes(p, n->root, n->length, 0);
}

void affine_print_text(const struct affine_nest *n, const struct affine_shapes *s, bool positions, struct text *out)
{
	struct printing p = {s, out, NULL};
	text_put(out, "");
	print_all(&p, n, positions);
}

void affine_print(const struct affine_nest *n, const struct affine_shapes *s, uint64_t records, bool positions,
	struct output *out)
{
	struct text text = {0};
	text_format(&text, "// tracenest nest 1\n// records %" PRIu64 "\n", records);
	struct printing p = {s, &text, out};
	print_all(&p, n, positions);
	output_text(out, &text);
	text_clear(&text);
}

/* ------------------------------------------------------------------ reading */

struct reading {
	struct affine_shapes *shapes;
	struct affine_nest *nest;
	const char *name;
	uint64_t line;
	struct error *error;
	uint64_t records;
	struct level {
		struct affine_node *node;
		size_t length, capacity;
		int64_t *count; /* of the loop whose body this is */
	} level[AFFINE_DEPTH + 1];
	size_t depth;
	int64_t *value; /* of the record at hand */
	size_t values, value_capacity;
};

static bool wrong(struct reading *r, const char *what)
{
	error_set(r->error, ERROR_INPUT, "%s", what);
	return error_at(r->error, "%s:%" PRIu64, r->name, r->line);
}

/* Digits as far as they go. */
static bool read_magnitude(const char **at, const char *end, char *kind, __int128 *value)
{
	const char *from = *at, *to = from;
	bool hexadecimal = end - from > 2 && from[0] == '0' && from[1] == 'x';
	if (hexadecimal)
		to = from += 2;
	while (to < end && ((*to >= '0' && *to <= '9') || (hexadecimal && *to >= 'a' && *to <= 'f')))
		to++;
	uint64_t magnitude;
	if (!read_digits(from, to, hexadecimal ? 16 : 10, (UINT64_C(1) << 63) + 1, &magnitude))
		return false;
	if (hexadecimal)
		*kind = 'x';
	*value = magnitude;
	*at = to;
	return true;
}

/* i3, of a loop around this place. */
static bool read_index(struct reading *r, const char **at, const char *end, size_t *index)
{
	char kind;
	__int128 value;
	const char *digits = *at + 1;
	if (*at == end || **at != 'i' || !read_magnitude(&digits, end, &kind, &value))
		return wrong(r, "expected an index such as i0");
	if (value >= r->depth)
		return wrong(r, "an index of a loop that is not around this place");
	*index = (size_t)value;
	*at = digits;
	return true;
}

static bool read_factor(struct reading *r, const char **at, const char *end, char *kind, __int128 sum[])
{
	bool negative = *at < end && **at == '-';
	if (*at < end && (**at == '-' || **at == '+'))
		++*at;
	__int128 value = 1;
	size_t entry = 0, index = 0;
	if (*at < end && **at != 'i') {
		if (!read_magnitude(at, end, kind, &value))
			return wrong(r, "expected a number of 64 bits, or an index");
		if (*at < end && **at == '*') {
			++*at;
			if (!read_index(r, at, end, &index))
				return false;
			entry = 1 + index;
		}
	} else {
		if (!read_index(r, at, end, &index))
			return false;
		entry = 1 + index;
	}
	sum[entry] += negative ? -value : value;
	if (sum[entry] > (__int128)INT64_MAX + 2 || sum[entry] < -(__int128)INT64_MAX - 2)
		return wrong(r, "a number beyond 64 bits");
	return true;
}

/* What stands behind an opening brace, and the closing one; less: what is to be added to the
   constant. */
static bool read_affine(struct reading *r, const char **at, const char *end, int less, char *kind, int64_t *vector)
{
	__int128 sum[AFFINE_DEPTH + 2] = {0};
	do
		if (!read_factor(r, at, end, kind, sum))
			return false;
	while (*at < end && (**at == '+' || **at == '-'));
	if (*at == end || *(*at)++ != '}')
		return wrong(r, "expected + or - or }");
	sum[0] += less;
	for (size_t i = 0; i <= r->depth; i++) {
		if (sum[i] > INT64_MAX || sum[i] < INT64_MIN)
			return wrong(r, "a number beyond 64 bits");
		vector[i] = (int64_t)sum[i];
	}
	return true;
}

static int64_t *new_value(struct reading *r)
{
	size_t entries = 1 + r->depth;
	r->value = mem_grow(r->value, &r->value_capacity, r->values + entries, sizeof *r->value);
	int64_t *vector = r->value + r->values;
	memset(vector, 0, entries * sizeof *vector);
	r->values += entries;
	return vector;
}

/* A word that may be a number. */
static void take_word(struct reading *r, const char *at, const char *end, uint32_t *width)
{
	int64_t number;
	const char *from;
	char kind = *width < AFFINE_WIDTH && r->shapes->numbers ? find_number(at, end, &from, &number) : 0;
	text_add(&r->shapes->shape, at, (size_t)((kind ? from : end) - at));
	if (kind) {
		add_hole(&r->shapes->shape, kind);
		new_value(r)[0] = number;
		++*width;
	}
}

static void add_node(struct reading *r, const struct affine_node *node)
{
	struct level *level = &r->level[r->depth];
	*MEM_PUSH(level->node, level->length, level->capacity) = *node;
}

static bool read_hole(struct reading *r, const char **at, const char *end, uint32_t *width)
{
	char kind = 'd';
	if (*width == AFFINE_WIDTH)
		return wrong(r, "too many numbers in one record");
	if (!read_affine(r, at, end, 0, &kind, new_value(r)))
		return false;
	add_hole(&r->shapes->shape, kind);
	++*width;
	return true;
}

static bool read_record(struct reading *r, const char *at, const char *end)
{
	struct text word = {0};
	bool good = true;
	char last = ' '; /* a digit behind a number, however it was written */
	uint32_t width = 0;
	text_truncate(&r->shapes->shape, 0);
	r->values = 0;
	while (good && at < end) {
		char c = *at++;
		bool escaped = c == '\\';
		if (escaped && at == end)
			break;
		if (escaped)
			c = *at++;
		bool ends = ends_word(c) || ends_number(last, c);
		if (ends || (c == '{' && !escaped)) {
			take_word(r, word.data ? word.data : "", word.data ? word.data + word.length : "", &width);
			text_truncate(&word, 0);
			if (ends)
				text_char(&r->shapes->shape, c);
			else
				good = read_hole(r, &at, end, &width);
			last = ends ? ' ' : '0';
		} else if (c == '}' && !escaped) {
			good = wrong(r, "a closing brace without an opening one");
		} else {
			text_char(&word, c);
			last = c;
		}
	}
	if (good) {
		take_word(r, word.data ? word.data : "", word.data ? word.data + word.length : "", &width);
		struct affine_node node = {.shape = intern_shape(r->shapes), .width = width};
		if (width)
			node.value = arena_copy(r->nest->arena, r->value, r->values * sizeof *r->value);
		add_node(r, &node);
	}
	text_clear(&word);
	return good;
}

static bool read_bound(struct reading *r, const char *at, const char *end, int64_t *vector)
{
	char kind;
	__int128 value;
	if (at < end && *at == '{') {
		at++;
		if (!read_affine(r, &at, end, 1, &kind, vector))
			return false;
	} else {
		bool negative = at < end && *at == '-';
		at += negative;
		if (!read_magnitude(&at, end, &kind, &value))
			return wrong(r, "expected a bound: a number, or an affine function in braces");
		value = (negative ? -value : value) + 1;
		if (value > INT64_MAX || value < INT64_MIN)
			return wrong(r, "a number beyond 64 bits");
		vector[0] = (int64_t)value;
	}
	return at == end || wrong(r, "something follows the bound");
}

static bool read_for(struct reading *r, const char *at, const char *end)
{
	char head[48];
	int length = snprintf(head, sizeof head, "for i%zu = 0 to ", r->depth);
	if (end - at < length || memcmp(at, head, (size_t)length) != 0) {
		error_set(r->error, ERROR_INPUT, "expected '%s...' (the loop at this depth)", head);
		return error_at(r->error, "%s:%" PRIu64, r->name, r->line);
	}
	if (r->depth == AFFINE_DEPTH)
		return wrong(r, "loops are nested too deeply");
	int64_t *count = arena_alloc(r->nest->arena, (1 + r->depth) * sizeof *count);
	memset(count, 0, (1 + r->depth) * sizeof *count);
	if (!read_bound(r, at + length, end, count))
		return false;
	struct level *inside = &r->level[++r->depth];
	inside->length = 0;
	inside->count = count;
	return true;
}

static bool read_done(struct reading *r)
{
	if (!r->depth)
		return wrong(r, "'done' without a 'for'");
	struct level *inside = &r->level[r->depth--];
	struct affine_node loop = {.shape = AFFINE_LOOP, .value = inside->count, .length = inside->length};
	loop.body = arena_alloc(r->nest->arena, inside->length * sizeof *loop.body);
	if (inside->length)
		memcpy(loop.body, inside->node, inside->length * sizeof *loop.body);
	add_node(r, &loop);
	return true;
}

static bool read_comment(struct reading *r, const char *at, const char *end)
{
	static const char first[] = "// tracenest nest 1", records[] = "// records ";
	if (r->line == 1 && ((size_t)(end - at) != sizeof first - 1 || memcmp(at, first, sizeof first - 1) != 0))
		return wrong(r, "not a nest: the first line must be '// tracenest nest 1'");
	if (r->line == 2 && (size_t)(end - at) >= sizeof records && !memcmp(at, records, sizeof records - 1) &&
		!read_digits(at + sizeof records - 1, end, 10, UINT64_MAX - 1, &r->records))
		return wrong(r, "expected a number of records");
	return true;
}

static bool read_line(struct reading *r, const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (end - at >= 2 && !memcmp(at, "//", 2))
		return read_comment(r, at, end);
	if (r->line == 1)
		return read_comment(r, at, end);
	if (at == end)
		return true;
	if (end - at >= 4 && !memcmp(at, "for ", 4))
		return read_for(r, at, end);
	if (end - at == 4 && !memcmp(at, "done", 4))
		return read_done(r);
	return read_record(r, at, end);
}

static struct affine_nest *read_nest(
	struct lines *lines, struct affine_shapes *shapes, uint64_t *records, struct error *error)
{
	struct reading *r = mem_zero(sizeof *r);
	*r = (struct reading){.shapes = shapes,
		.nest = affine_nest_new(),
		.name = lines_name(lines),
		.error = error,
		.records = UINT64_MAX};
	*error = (struct error){0};
	bool good = true;
	for (char *line; good && (line = lines_next(lines, error));) {
		r->line = lines_number(lines);
		good = read_line(r, line, line + strlen(line));
	}
	good = good && error->kind == ERROR_NONE;
	if (good && !r->line) {
		r->line = 1;
		good = wrong(r, "not a nest: it is empty");
	}
	if (good && r->depth)
		good = wrong(r, "a loop without its 'done'");
	struct affine_nest *nest = r->nest;
	for (size_t i = 0; good && i < r->level[0].length; i++)
		affine_nest_append(nest, &r->level[0].node[i]);
	*records = r->records;
	for (size_t i = 0; i <= AFFINE_DEPTH; i++)
		free(r->level[i].node);
	free(r->value);
	free(r);
	if (!good) {
		affine_nest_free(nest);
		nest = NULL;
	}
	return nest;
}

struct affine_nest *affine_read(const char *path, struct affine_shapes *shapes, uint64_t *records, struct error *error)
{
	struct lines *lines = lines_open(path, TEXT_ANY, error);
	if (!lines)
		return NULL;
	struct affine_nest *nest = read_nest(lines, shapes, records, error);
	lines_close(lines);
	return nest;
}

struct affine_nest *affine_parse(const char *name, const char *bytes, size_t length, struct affine_shapes *shapes,
	uint64_t *records, struct error *error)
{
	struct lines *lines = lines_of(name, bytes, length);
	struct affine_nest *nest = read_nest(lines, shapes, records, error);
	lines_close(lines);
	return nest;
}
