/*
 * scan_output.c -- one thread at a time writes: text is gathered and handed on in pieces, columns
 * in blocks of a fixed number of rows.
 */
#include "scangen/run-time/scan_output.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/text.h"

#define PIECE ((size_t)1 << 18)
#define ROWS 4096

/* Labels and attributes come as a few pointers again and again: the number of each is looked up
   once. */
struct numbered {
	const char *words;
	uint32_t number;
};

/* A label as CSV, with its comma; the bytes have room for COPIED. */
struct written {
	const char *label;
	char *bytes;
	size_t length;
};

/* Indices and rank as CSV: the events of one iteration have them in common. */
#define NUMBER_MOST 21 /* with a sign and a comma */
struct middle {
	uint32_t rank, depth;
	int64_t index[SCAN_DEPTH];
	size_t length; /* 0: nothing was written yet */
	char bytes[(SCAN_DEPTH + 1) * NUMBER_MOST];
};

#define CELLS 1024
#define COPIED 32 /* bytes */

/* A block as it is written: the number of its rows, then the columns. */
struct record_columns {
	char *block;
	uint32_t *label, *attribute, *rank, *depth;
	int64_t *index; /* depth of the program times ROWS */
	uint64_t *position, *value;
	size_t rows;
};

struct scan_output {
	const struct scan_program *program;
	struct output *out;
	bool binary;
	struct text text;
	struct record_columns columns;
	struct numbered seen[CELLS]; /* by pointer */
	uint64_t head; /* of the last value: all but its last eight digits, and how they look */
	char head_digits[16];
	size_t head_length;
	struct written cell[CELLS]; /* labels as CSV, by pointer */
	struct middle middle; /* of the last record */
	struct error error;
};

/* ------------------------------------------------------------------ CSV */

/* Where so many bytes can be written; whoever writes sets the length. */
static inline char *text_room(struct text *text, size_t bytes)
{
	if (text->length + bytes + 1 > text->capacity)
		text->data = mem_grow(text->data, &text->capacity, text->length + bytes + 1, 1);
	return text->data + text->length;
}

static void put_names(struct scan_output *o)
{
	text_put(&o->text, "label,");
	for (uint32_t i = 0; i < o->program->depth; i++)
		text_format(&o->text, "i%" PRIu32 ",", i);
	text_put(&o->text, "rank,value\n");
}

static unsigned digits_of(uint64_t number)
{
	static const uint64_t power[] = {0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
		10000000000000000, 100000000000000000, 1000000000000000000, UINT64_C(10000000000000000000)};
	unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1), guess = bits * 1233 >> 12;
	return guess + (number >= power[guess]);
}

static const char digit_pairs[] =
	"000102030405060708091011121314151617181920212223242526272829303132333435363738394041424344454647"
	"4849505152535455565758596061626364"
	"6566676869707172737475767778798081828384858687888990919293949596979899";

/* Decimal digits at `at`; gives the end. */
static char *write_number(char *at, uint64_t number)
{
	char *end = at + digits_of(number), *to = end;
	for (; number >= 100; number /= 100) {
		to -= 2;
		memcpy(to, digit_pairs + number % 100 * 2, 2);
	}
	if (number >= 10)
		memcpy(at, digit_pairs + number * 2, 2);
	else
		*at = (char)('0' + number);
	return end;
}

#define TAIL 100000000 /* eight digits */

/* The same for times, which go on from one record to the next: what stands before the last eight
   digits was written before. */
static char *write_value(struct scan_output *o, char *at, uint64_t number)
{
	uint64_t head = number / TAIL;
	if (!head)
		return write_number(at, number);
	if (head != o->head) {
		o->head = head;
		o->head_length = (size_t)(write_number(o->head_digits, head) - o->head_digits);
	}
	/* a fixed number of bytes: what is too much is overwritten */
	memcpy(at, o->head_digits, sizeof o->head_digits);
	at += o->head_length;
	uint32_t tail = (uint32_t)(number % TAIL);
	for (int place = 6; place >= 0; place -= 2, tail /= 100)
		memcpy(at + place, digit_pairs + tail % 100 * 2, 2);
	return at + 8;
}

static char *write_index(char *at, int64_t index)
{
	if (index < 0)
		*at++ = '-';
	return write_number(at, index < 0 ? 0 - (uint64_t)index : (uint64_t)index);
}

/* Labels come as a few pointers again and again: each is written once and copied from then on. */
static const struct written *label_cell(struct scan_output *o, const char *label)
{
	struct written *cell = &o->cell[(uintptr_t)label / 4 % CELLS];
	if (cell->label != label) {
		struct text text = {0};
		text_put_csv(&text, label);
		text_char(&text, ',');
		free(cell->bytes);
		size_t length = text.length;
		text_add(&text, (const char[COPIED]){0}, COPIED);
		*cell = (struct written){label, text.data, length};
	}
	return cell;
}

static inline bool is_middle_of(const struct middle *m, const struct scan_record *r)
{
	bool same = m->length && m->rank == r->rank && m->depth == r->depth;
	for (uint32_t i = 0; same && i < r->depth; i++)
		same = m->index[i] == r->index[i];
	return same;
}

__attribute__((noinline)) static void write_middle(struct middle *m, const struct scan_record *r, uint32_t indices)
{
	char *at = m->bytes;
	m->rank = r->rank;
	m->depth = r->depth;
	memcpy(m->index, r->index, r->depth * sizeof *r->index);
	for (uint32_t i = 0; i < indices; i++) {
		if (i < r->depth)
			at = write_index(at, r->index[i]);
		*at++ = ',';
	}
	at = write_number(at, r->rank);
	*at++ = ',';
	m->length = (size_t)(at - m->bytes);
}

/* A copy of a fixed number of bytes is one of few instructions; what is too much is overwritten. */
static inline char *write_bytes(char *at, const char *bytes, size_t length)
{
	if (length <= COPIED)
		memcpy(at, bytes, COPIED);
	else
		memcpy(at, bytes, length);
	return at + length;
}

static void put_line(struct scan_output *o, const struct scan_record *r)
{
	const struct written *label = label_cell(o, r->label);
	char *at = text_room(&o->text, label->length + sizeof o->middle.bytes + NUMBER_MOST + COPIED);
	if (!is_middle_of(&o->middle, r))
		write_middle(&o->middle, r, o->program->depth);
	at = write_bytes(at, label->bytes, label->length);
	at = write_bytes(at, o->middle.bytes, o->middle.length);
	if (r->is_number) {
		at = write_value(o, at, r->number);
		*at++ = '\n';
	}
	o->text.length = (size_t)(at - o->text.data);
	if (!r->is_number) {
		text_put_csv(&o->text, r->text);
		text_char(&o->text, '\n');
	}
}

/* ------------------------------------------------------------------ columns */

static size_t count_of(const char *const *words)
{
	size_t count = 0;
	while (words[count])
		count++;
	return count;
}

static void put_list(struct text *text, const char *what, const char *const *words)
{
	text_format(text, "%s %zu\n", what, count_of(words));
	for (; *words; words++)
		text_format(text, "%s\n", *words);
}

static void put_heading(struct scan_output *o)
{
	text_format(&o->text, "tracenest columns 1\nindices %" PRIu32 "\n", o->program->depth);
	put_list(&o->text, "labels", o->program->labels);
	put_list(&o->text, "attributes", o->program->attributes);
	text_put(&o->text, "blocks\n");
}

static uint32_t search(const char *const *words, const char *wanted)
{
	uint32_t i = 0;
	while (words[i] && strcmp(words[i], wanted))
		i++;
	return i;
}

static uint32_t number_of(struct scan_output *o, const char *const *words, const char *wanted)
{
	struct numbered *n = &o->seen[(uintptr_t)wanted / 4 % CELLS];
	if (n->words != wanted)
		*n = (struct numbered){wanted, search(words, wanted)};
	return n->number;
}

static void write_column(struct scan_output *o, const void *column, size_t size)
{
	output_write(o->out, column, o->columns.rows * size);
}

/* With the columns where a full block has them. */
static void write_part(struct scan_output *o)
{
	struct record_columns *c = &o->columns;
	uint64_t rows = c->rows;
	output_write(o->out, (const char *)&rows, sizeof rows);
	write_column(o, c->label, sizeof *c->label);
	write_column(o, c->attribute, sizeof *c->attribute);
	write_column(o, c->rank, sizeof *c->rank);
	write_column(o, c->depth, sizeof *c->depth);
	for (uint32_t i = 0; i < o->program->depth; i++)
		write_column(o, c->index + (size_t)i * ROWS, sizeof *c->index);
	write_column(o, c->position, sizeof *c->position);
	write_column(o, c->value, sizeof *c->value);
}

static size_t block_bytes(uint32_t depth)
{
	const struct record_columns *c = NULL;
	size_t row = sizeof *c->label + sizeof *c->attribute + sizeof *c->rank + sizeof *c->depth +
		     depth * sizeof *c->index + sizeof *c->position + sizeof *c->value;
	return sizeof(uint64_t) + ROWS * row;
}

static void write_columns(struct scan_output *o)
{
	struct record_columns *c = &o->columns;
	if (!c->rows)
		return;
	output_text(o->out, &o->text);
	if (c->rows == ROWS)
		output_write(o->out, c->block, block_bytes(o->program->depth));
	else
		write_part(o);
	c->rows = 0;
}

static void put_row(struct scan_output *o, const struct scan_record *r)
{
	struct record_columns *c = &o->columns;
	size_t at = c->rows++;
	if (!r->is_number && o->error.kind == ERROR_NONE)
		error_set(&o->error, ERROR_INPUT,
			"rank %" PRIu32 ", position %" PRIu64
			": the %s '%s' is no whole number: columns hold none but those",
			r->rank, r->position, r->attribute, r->text);
	c->label[at] = number_of(o, o->program->labels, r->label);
	c->attribute[at] = number_of(o, o->program->attributes, r->attribute);
	c->rank[at] = r->rank;
	c->depth[at] = r->depth;
	for (uint32_t i = 0; i < o->program->depth; i++)
		c->index[(size_t)i * ROWS + at] = i < r->depth ? r->index[i] : 0;
	c->position[at] = r->position;
	c->value[at] = r->number;
	if (c->rows == ROWS)
		write_columns(o);
}

static void columns_begin(struct record_columns *c, uint32_t depth)
{
	static const uint64_t rows = ROWS;
	c->block = mem_alloc(block_bytes(depth));
	memcpy(c->block, &rows, sizeof rows);
	c->label = (uint32_t *)(void *)(c->block + sizeof rows);
	c->attribute = c->label + ROWS;
	c->rank = c->attribute + ROWS;
	c->depth = c->rank + ROWS;
	c->index = (int64_t *)(void *)(c->depth + ROWS);
	c->position = (uint64_t *)(c->index + (size_t)depth * ROWS);
	c->value = c->position + ROWS;
}

/* ------------------------------------------------------------------ in public */

struct scan_output *scan_output_new(const struct scan_program *program, struct output *out, bool binary)
{
	struct scan_output *o = mem_zero(sizeof *o);
	o->program = program;
	o->out = out;
	o->binary = binary;
	if (binary) {
		output_raw(out);
		columns_begin(&o->columns, program->depth);
		put_heading(o);
	} else if (!program->plain) {
		put_names(o);
	}
	return o;
}

void scan_put(struct scan_output *o, const struct scan_record *r)
{
	if (o->binary) {
		put_row(o, r);
		return;
	}
	put_line(o, r);
	if (o->text.length >= PIECE)
		output_text(o->out, &o->text);
}

void scan_printf(struct scan_output *o, const char *format, ...)
{
	char words[1024];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(words, sizeof words, format, arguments);
	va_end(arguments);
	if (length < (int)sizeof words) {
		text_put(&o->text, words);
	} else {
		char *all = mem_alloc((size_t)length + 1);
		va_start(arguments, format);
		vsnprintf(all, (size_t)length + 1, format, arguments);
		va_end(arguments);
		text_put(&o->text, all);
		free(all);
	}
	if (o->text.length >= PIECE)
		output_text(o->out, &o->text);
}

bool scan_output_failed(const struct scan_output *o)
{
	return output_failed(o->out);
}

bool scan_output_finish(struct scan_output *o, struct error *error)
{
	if (o->binary)
		write_columns(o);
	output_text(o->out, &o->text);
	if (o->error.kind == ERROR_NONE)
		return true;
	*error = o->error;
	return false;
}

void scan_output_free(struct scan_output *o)
{
	if (!o)
		return;
	text_clear(&o->text);
	for (size_t i = 0; i < CELLS; i++)
		free(o->cell[i].bytes);
	free(o->columns.block);
	free(o);
}
