/*
 * parquet.c -- a column gathers its values of a row group; at its end they become pages. What
 * describes them is in Thrift's compact protocol, whose numbers are those of pack.h.
 */
#include "base/parquet.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/pack.h"
#include "base/packed.h"

/* Readers take a group at once: many rows make it small, few let it be read in little memory. */
#ifndef TRACENEST_HOSTILE
#define GROUP_ROWS (UINT64_C(1) << 17)
#else
#define GROUP_ROWS UINT64_C(3)
#endif

static const char mark[] = "PAR1";

struct column {
	struct text present; /* a byte for each row of the group: 1, or 0 for null */
	struct text values; /* of those present: 8 bytes each */
	struct intern *words; /* then these are ids of it */
	bool given; /* in the row at hand */
};

struct parquet {
	const struct parquet_column *is;
	struct column *column;
	size_t columns;
	struct output *out;
	uint64_t written; /* bytes */
	uint64_t rows, group_rows, groups;
	struct text described; /* the groups, as the end of the file tells them */
	struct text page, packed; /* scratch */
};

/* ------------------------------------------------------------------ Thrift */

enum thrift { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

/* Fields of a struct come in the order of their ids: `last` is that of the one before. */
static void put_field(struct text *to, int *last, int id, enum thrift type)
{
	text_char(to, (char)((id - *last) << 4 | (int)type));
	*last = id;
}

static void put_number(struct text *to, int *last, int id, enum thrift type, uint64_t number)
{
	put_field(to, last, id, type);
	pack_signed(to, (int64_t)number);
}

static void put_word(struct text *to, int *last, int id, const char *word)
{
	put_field(to, last, id, THRIFT_BINARY);
	pack_bytes(to, word, strlen(word));
}

static void put_list(struct text *to, int *last, int id, enum thrift of, uint64_t length)
{
	put_field(to, last, id, THRIFT_LIST);
	text_char(to, (char)((length < 15 ? length : 15) << 4 | of));
	if (length >= 15)
		pack_number(to, length);
}

static void end_struct(struct text *to)
{
	text_char(to, 0);
}

/* ------------------------------------------------------------------ the format's numbers */

enum { PHYSICAL_INT64 = 2, PHYSICAL_DOUBLE = 5, PHYSICAL_BYTES = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DICTIONARY = 8 };
enum { CODEC_NONE = 0, CODEC_ZSTD = 6 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

static uint64_t physical(enum parquet_type type)
{
	static const uint64_t is[] = {PHYSICAL_INT64, PHYSICAL_DOUBLE, PHYSICAL_BYTES};
	return is[type];
}

static void put_bytes(struct text *to, uint64_t number, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		text_char(to, (char)(number >> 8 * i));
}

/* ------------------------------------------------------------------ rows */

struct parquet *parquet_new(const struct parquet_column *is, size_t columns, struct output *out)
{
	struct parquet *p = mem_zero(sizeof *p);
	p->is = is;
	p->columns = columns;
	p->column = mem_zero(columns * sizeof *p->column);
	p->out = out;
	output_write(out, mark, strlen(mark));
	p->written = strlen(mark);
	return p;
}

static void put_value(struct parquet *p, size_t column, uint64_t bits)
{
	p->column[column].given = true;
	put_bytes(&p->column[column].values, bits, 8);
}

void parquet_integer(struct parquet *p, size_t column, int64_t number)
{
	put_value(p, column, (uint64_t)number);
}

void parquet_figure(struct parquet *p, size_t column, double figure)
{
	uint64_t bits;
	memcpy(&bits, &figure, sizeof bits);
	put_value(p, column, bits);
}

void parquet_word(struct parquet *p, size_t column, const char *word)
{
	struct column *c = &p->column[column];
	if (!c->words)
		c->words = intern_new();
	put_value(p, column, intern_id(c->words, word, strlen(word)));
}

/* ------------------------------------------------------------------ pages */

/* Numbers of so many bits, eight at a time. */
static void put_bits(struct text *to, const struct text *from, size_t width, unsigned bits)
{
	size_t count = from->length / width, groups = (count + 7) / 8;
	uint64_t waiting = 0;
	unsigned have = 0;
	pack_number(to, groups << 1 | 1);
	for (size_t i = 0; i < groups * 8; i++) {
		uint64_t value = 0;
		if (i < count)
			for (size_t b = 0; b < width && b < 4; b++)
				value |= (uint64_t)(unsigned char)from->data[i * width + b] << 8 * b;
		waiting |= value << have;
		for (have += bits; have >= 8; have -= 8, waiting >>= 8)
			text_char(to, (char)waiting);
	}
}

/* A page whose content is in p->page, with its own header at this field. */
static void put_page(struct parquet *p, uint64_t kind, const struct text *own, int field, uint64_t *plain)
{
	struct text header = {0};
	struct error ignored;
	int last = 0;
	bool small = packed_make_quickly(p->page.data, p->page.length, &p->packed, &ignored);
	const struct text *body = small ? &p->packed : &p->page;
	put_number(&header, &last, 1, THRIFT_I32, kind);
	put_number(&header, &last, 2, THRIFT_I32, p->page.length);
	put_number(&header, &last, 3, THRIFT_I32, body->length);
	put_field(&header, &last, field, THRIFT_STRUCT);
	text_add(&header, own->data, own->length);
	end_struct(&header);
	end_struct(&header);
	output_write(p->out, header.data, header.length);
	output_write(p->out, body->data, body->length);
	p->written += header.length + body->length;
	*plain += header.length + p->page.length;
	text_clear(&header);
}

static void put_dictionary(struct parquet *p, const struct column *c, uint64_t *plain)
{
	struct text own = {0};
	int last = 0;
	text_truncate(&p->page, 0);
	for (uint32_t i = 0; i < intern_count(c->words); i++) {
		size_t length;
		const char *word = intern_data(c->words, i, &length);
		put_bytes(&p->page, length, 4);
		text_add(&p->page, word, length);
	}
	put_number(&own, &last, 1, THRIFT_I32, intern_count(c->words));
	put_number(&own, &last, 2, THRIFT_I32, ENCODING_PLAIN);
	put_page(p, PAGE_DICTIONARY, &own, 7, plain);
	text_clear(&own);
}

static void put_data(struct parquet *p, const struct column *c, uint64_t *plain)
{
	struct text own = {0}, levels = {0};
	unsigned bits = 1;
	int last = 0;
	text_truncate(&p->page, 0);
	put_bits(&levels, &c->present, 1, 1);
	put_bytes(&p->page, levels.length, 4);
	text_add(&p->page, levels.data, levels.length);
	if (c->words) {
		while (intern_count(c->words) > UINT64_C(1) << bits)
			bits++;
		text_char(&p->page, (char)bits);
		put_bits(&p->page, &c->values, 8, bits);
	} else {
		text_add(&p->page, c->values.data, c->values.length);
	}
	put_number(&own, &last, 1, THRIFT_I32, p->group_rows);
	put_number(&own, &last, 2, THRIFT_I32, c->words ? ENCODING_DICTIONARY : ENCODING_PLAIN);
	put_number(&own, &last, 3, THRIFT_I32, ENCODING_RLE);
	put_number(&own, &last, 4, THRIFT_I32, ENCODING_RLE);
	put_page(p, PAGE_DATA, &own, 5, plain);
	text_clear(&levels);
	text_clear(&own);
}

/* Is there what compresses? Pages of a column are all alike. */
static uint64_t codec(struct parquet *p)
{
	struct error ignored;
	return packed_make_quickly(mark, strlen(mark), &p->packed, &ignored) ? CODEC_ZSTD : CODEC_NONE;
}

static void put_column(struct parquet *p, size_t i, struct text *described)
{
	struct column *c = &p->column[i];
	uint64_t begin = p->written, plain = 0, data = begin;
	int chunk = 0, last = 0;
	if (p->is[i].type == PARQUET_WORD && !c->words)
		c->words = intern_new();
	if (c->words) {
		put_dictionary(p, c, &plain);
		data = p->written;
	}
	put_data(p, c, &plain);
	put_number(described, &chunk, 2, THRIFT_I64, begin);
	put_field(described, &chunk, 3, THRIFT_STRUCT);
	put_number(described, &last, 1, THRIFT_I32, physical(p->is[i].type));
	put_list(described, &last, 2, THRIFT_I32, 2);
	pack_signed(described, c->words ? ENCODING_DICTIONARY : ENCODING_PLAIN);
	pack_signed(described, ENCODING_RLE);
	put_list(described, &last, 3, THRIFT_BINARY, 1);
	pack_bytes(described, p->is[i].name, strlen(p->is[i].name));
	put_number(described, &last, 4, THRIFT_I32, codec(p));
	put_number(described, &last, 5, THRIFT_I64, p->group_rows);
	put_number(described, &last, 6, THRIFT_I64, plain);
	put_number(described, &last, 7, THRIFT_I64, p->written - begin);
	put_number(described, &last, 9, THRIFT_I64, data);
	if (c->words)
		put_number(described, &last, 11, THRIFT_I64, begin);
	end_struct(described);
	end_struct(described);
	text_truncate(&c->present, 0);
	text_truncate(&c->values, 0);
	intern_free(c->words);
	c->words = NULL;
}

static void end_group(struct parquet *p)
{
	uint64_t begin = p->written;
	struct text *to = &p->described;
	int last = 0;
	put_list(to, &last, 1, THRIFT_STRUCT, p->columns);
	for (size_t i = 0; i < p->columns; i++)
		put_column(p, i, to);
	put_number(to, &last, 2, THRIFT_I64, p->written - begin);
	put_number(to, &last, 3, THRIFT_I64, p->group_rows);
	end_struct(to);
	p->rows += p->group_rows;
	p->group_rows = 0;
	p->groups++;
}

void parquet_end_row(struct parquet *p)
{
	for (size_t i = 0; i < p->columns; i++) {
		text_char(&p->column[i].present, p->column[i].given);
		p->column[i].given = false;
	}
	if (++p->group_rows == GROUP_ROWS)
		end_group(p);
}

/* ------------------------------------------------------------------ the end of the file */

static void put_schema(const struct parquet *p, struct text *to)
{
	int root = 0;
	put_word(to, &root, 4, "table");
	put_number(to, &root, 5, THRIFT_I32, p->columns);
	end_struct(to);
	for (size_t i = 0; i < p->columns; i++) {
		int last = 0;
		put_number(to, &last, 1, THRIFT_I32, physical(p->is[i].type));
		put_number(to, &last, 3, THRIFT_I32, 1); /* may be null */
		put_word(to, &last, 4, p->is[i].name);
		if (p->is[i].type == PARQUET_WORD)
			put_number(to, &last, 6, THRIFT_I32, 0); /* UTF-8 */
		end_struct(to);
	}
}

void parquet_finish(struct parquet *p)
{
	struct text end = {0};
	int last = 0;
	if (p->group_rows)
		end_group(p);
	put_number(&end, &last, 1, THRIFT_I32, 1);
	put_list(&end, &last, 2, THRIFT_STRUCT, p->columns + 1);
	put_schema(p, &end);
	put_number(&end, &last, 3, THRIFT_I64, p->rows);
	put_list(&end, &last, 4, THRIFT_STRUCT, p->groups);
	text_add(&end, p->described.data, p->described.length);
	put_word(&end, &last, 6, "tracenest");
	end_struct(&end);
	put_bytes(&end, end.length, 4);
	text_put(&end, mark);
	output_write(p->out, end.data, end.length);
	text_clear(&end);
	for (size_t i = 0; i < p->columns; i++) {
		text_clear(&p->column[i].present);
		text_clear(&p->column[i].values);
	}
	text_clear(&p->described);
	text_clear(&p->page);
	text_clear(&p->packed);
	free(p->column);
	free(p);
}
