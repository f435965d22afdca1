/*
 * table.c -- a table is a sequence of tokens, entries and ends of rows, while it is made; then
 * packed entries, and where each row and block begins.
 */
#include "model/table.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "model/lines.h"

/* Tokens that are no entries. */
#define END_ROW INT64_MIN
#define END_BLOCK (INT64_MIN + 1)

struct table {
	atomic_uint shares;
	char *name;
	uint32_t arguments;
	int64_t *token; /* until it is finished */
	size_t tokens, capacity;
	void *entry; /* of `width` bytes each */
	uint32_t width;
	uint64_t entries;
	uint64_t *row, rows; /* first entries, and one more; of two arguments and more */
	uint64_t *block, blocks; /* first rows, and one more; of three arguments */
	int64_t least, most;
	uint64_t hash;
};

struct table *table_new(const char *name, uint32_t arguments)
{
	struct table *t = mem_zero(sizeof *t);
	atomic_init(&t->shares, 1);
	t->name = mem_text(name);
	t->arguments = arguments;
	return t;
}

void table_rename(struct table *t, const char *name)
{
	free(t->name);
	t->name = mem_text(name);
}

struct table *table_share(const struct table *shared)
{
	struct table *t = (struct table *)shared; /* the count of its shares is all that changes */
	atomic_fetch_add(&t->shares, 1);
	return t;
}

void table_free(struct table *t)
{
	if (!t || atomic_fetch_sub(&t->shares, 1) > 1)
		return;
	free(t->name);
	free(t->token);
	free(t->entry);
	free(t->row);
	free(t->block);
	free(t);
}

/* ------------------------------------------------------------------ making one */

void table_add(struct table *t, int64_t entry)
{
	t->token = mem_grow(t->token, &t->capacity, t->tokens + 1, sizeof *t->token);
	t->token[t->tokens++] = entry;
}

void table_end(struct table *t, uint32_t level)
{
	table_add(t, level > 1 ? END_BLOCK : END_ROW);
}

static bool is_entry(int64_t token)
{
	return token != END_ROW && token != END_BLOCK;
}

static uint32_t width_of(int64_t least, int64_t most)
{
	return least >= INT8_MIN && most <= INT8_MAX     ? 1
	       : least >= INT16_MIN && most <= INT16_MAX ? 2
	       : least >= INT32_MIN && most <= INT32_MAX ? 4
							 : 8;
}

static void put_entry(struct table *t, uint64_t at, int64_t entry)
{
	switch (t->width) {
	case 1:
		((int8_t *)t->entry)[at] = (int8_t)entry;
		break;
	case 2:
		((int16_t *)t->entry)[at] = (int16_t)entry;
		break;
	case 4:
		((int32_t *)t->entry)[at] = (int32_t)entry;
		break;
	default:
		((int64_t *)t->entry)[at] = entry;
	}
}

static void measure(struct table *t)
{
	for (size_t i = 0; i < t->tokens; i++) {
		int64_t token = t->token[i];
		t->rows += token == END_ROW;
		t->blocks += token == END_BLOCK;
		if (!is_entry(token))
			continue;
		t->least = !t->entries || token < t->least ? token : t->least;
		t->most = !t->entries++ || token > t->most ? token : t->most;
	}
}

/* Every row has an end, every block, too. */
static void end_all(struct table *t)
{
	int64_t *token = t->token;
	size_t tokens = t->tokens;
	bool row_open = false, block_open = false;
	t->token = NULL;
	t->tokens = t->capacity = 0;
	for (size_t i = 0; i < tokens; i++) {
		if (token[i] == END_BLOCK && row_open)
			table_end(t, 1);
		row_open = is_entry(token[i]);
		block_open = token[i] != END_BLOCK;
		table_add(t, token[i]);
	}
	if (row_open && t->arguments > 1)
		table_end(t, 1);
	if (block_open && t->arguments > 2)
		table_end(t, 2);
	free(token);
}

void table_finish(struct table *t)
{
	end_all(t);
	measure(t);
	t->width = width_of(t->least, t->most);
	t->entry = mem_array(t->entries + 1, t->width);
	t->row = mem_array(t->rows + 1, sizeof *t->row);
	t->block = mem_array(t->blocks + 1, sizeof *t->block);
	uint64_t entries = 0, rows = 0, blocks = 0;
	t->row[0] = t->block[0] = 0;
	t->hash = hash_pair(t->arguments, hash_bytes(t->token, t->tokens * sizeof *t->token));
	for (size_t i = 0; i < t->tokens; i++) {
		if (t->token[i] == END_ROW)
			t->row[++rows] = entries;
		else if (t->token[i] == END_BLOCK)
			t->block[++blocks] = rows;
		else
			put_entry(t, entries++, t->token[i]);
	}
	free(t->token);
	t->token = NULL;
	t->tokens = t->capacity = 0;
}

/* ------------------------------------------------------------------ asking */

const char *table_name(const struct table *t)
{
	return t->name;
}

uint32_t table_arguments(const struct table *t)
{
	return t->arguments;
}

uint64_t table_entries(const struct table *t)
{
	return t->entries;
}

int64_t table_entry(const struct table *t, uint64_t at)
{
	switch (t->width) {
	case 1:
		return ((const int8_t *)t->entry)[at];
	case 2:
		return ((const int16_t *)t->entry)[at];
	case 4:
		return ((const int32_t *)t->entry)[at];
	default:
		return ((const int64_t *)t->entry)[at];
	}
}

int64_t table_least(const struct table *t)
{
	return t->least;
}

int64_t table_most(const struct table *t)
{
	return t->most;
}

static bool below(int64_t argument, uint64_t limit)
{
	return argument >= 0 && (uint64_t)argument < limit;
}

bool table_row(const struct table *t, const int64_t *argument, uint64_t *first, uint64_t *length)
{
	uint64_t row = 0;
	*first = 0;
	*length = t->entries;
	if (t->arguments == 1)
		return true;
	if (t->arguments == 3) {
		if (!below(argument[0], t->blocks) ||
			!below(argument[1], t->block[argument[0] + 1] - t->block[argument[0]]))
			return false;
		row = t->block[argument[0]] + (uint64_t)argument[1];
	} else {
		if (!below(argument[0], t->rows))
			return false;
		row = (uint64_t)argument[0];
	}
	*first = t->row[row];
	*length = t->row[row + 1] - *first;
	return true;
}

bool table_has_block(const struct table *t, int64_t number)
{
	return below(number, t->blocks);
}

bool table_value(const struct table *t, const int64_t *argument, int64_t *value)
{
	uint64_t first, length;
	if (!table_row(t, argument, &first, &length) || !below(argument[t->arguments - 1], length))
		return false;
	*value = table_entry(t, first + (uint64_t)argument[t->arguments - 1]);
	return true;
}

struct wanted {
	const struct table *table;
	int64_t number;
};

static bool reaches(const void *context, size_t i)
{
	const struct wanted *w = context;
	return table_entry(w->table, i) >= w->number;
}

bool table_has(const struct table *t, int64_t number)
{
	size_t at = search_first(0, t->entries, reaches, &(struct wanted){t, number});
	return at < t->entries && table_entry(t, at) == number;
}

bool table_same(const struct table *a, const struct table *b)
{
	return a == b || (a->hash == b->hash && a->arguments == b->arguments && a->entries == b->entries &&
				 a->rows == b->rows && a->blocks == b->blocks && a->width == b->width &&
				 !memcmp(a->entry, b->entry, a->entries * a->width) &&
				 !memcmp(a->row, b->row, (a->rows + 1) * sizeof *a->row) &&
				 !memcmp(a->block, b->block, (a->blocks + 1) * sizeof *a->block));
}

bool table_equal(const struct table *a, const struct table *b)
{
	return table_same(a, b) && !strcmp(a->name, b->name);
}

uint64_t table_hash(const struct table *t)
{
	return t->hash;
}

/* ------------------------------------------------------------------ as text */

/* Longest group that is looked for, in tokens. */
#define GROUP_LIMIT 256

/* Numbers are written without blanks between them where there are so many, of so few digits, and
   this is shorter. */
#define PACKED_LEAST 16
#define PACKED_DIGITS 4

/* Lines are ended where they are longer. */
#define LINE_LENGTH 100

struct printing {
	struct text *text;
	size_t line; /* where it begins */
	int inside; /* parentheses */
	size_t digits; /* of each number between apostrophes; 0: numbers are not written so */
	bool open; /* between apostrophes */
};

static size_t digits_of(int64_t number)
{
	size_t digits = 1 + (number < 0);
	for (; number > 9 || number < -9; number /= 10)
		digits++;
	return digits;
}

/* Of a token and the blank behind it. */
static size_t token_length(const struct printing *p, int64_t token)
{
	if (is_entry(token) && p->digits)
		return p->digits;
	return 1 + (is_entry(token) ? digits_of(token) : token == END_ROW ? 1 : 2);
}

/* "2'": of which follow as many as stand between the apostrophes. */
#define PACKED_LENGTH 4

static void end_packed(struct printing *p)
{
	if (p->open)
		text_char(p->text, '\'');
	p->open = false;
}

static void begin_token(struct printing *p)
{
	struct text *text = p->text;
	end_packed(p);
	if (!p->inside && text->length - p->line > LINE_LENGTH) {
		text_put(text, "\n ");
		p->line = text->length;
	}
	if (!text->length || text->data[text->length - 1] != '(')
		text_char(text, ' ');
}

static void print_packed(struct printing *p, int64_t token)
{
	if (p->open && !p->inside && p->text->length - p->line > LINE_LENGTH)
		end_packed(p);
	if (!p->open) {
		begin_token(p);
		text_format(p->text, "%zu'", p->digits);
	}
	p->open = true;
	text_format(p->text, "%0*" PRId64, (int)p->digits, token);
}

static void print_token(struct printing *p, int64_t token)
{
	if (is_entry(token) && p->digits) {
		print_packed(p, token);
		return;
	}
	begin_token(p);
	if (is_entry(token))
		text_format(p->text, "%" PRId64, token);
	else
		text_put(p->text, token == END_ROW ? "|" : "||");
}

/* How many entries from here on are equally far apart, and how far. */
static size_t run_length(const int64_t *token, size_t tokens, int64_t *step)
{
	size_t length = 2;
	if (tokens < 3 || !is_entry(token[0]) || !is_entry(token[1]) ||
		__builtin_sub_overflow(token[1], token[0], step) || !*step)
		return 1;
	for (int64_t next; length < tokens && is_entry(token[length]); length++)
		if (__builtin_add_overflow(token[length - 1], *step, &next) || next != token[length])
			break;
	return length;
}

static void print_run(struct printing *p, const int64_t *token, size_t length, int64_t step)
{
	begin_token(p);
	text_format(p->text, "%" PRId64 "..%" PRId64, token[0], token[length - 1]);
	if (step != 1 && step != -1)
		text_format(p->text, ":%" PRId64, step < 0 ? -step : step);
}

static size_t length_of(const struct printing *p, const int64_t *token, size_t tokens)
{
	size_t length = 0;
	for (size_t i = 0; i < tokens; i++)
		length += token_length(p, token[i]);
	return length;
}

/* The group at the beginning that saves the most when its copies are not written; 0: none does. */
static size_t find_group(const struct printing *p, const int64_t *token, size_t tokens, size_t *copies, size_t *saved)
{
	size_t best = 0;
	*saved = 0;
	for (size_t group = 1; group <= GROUP_LIMIT && 2 * group <= tokens; group++) {
		size_t same = 0;
		while (group + same < tokens && token[same] == token[group + same])
			same++;
		size_t times = 1 + same / group;
		if (times < 2)
			continue;
		size_t packed = p->digits ? 2 * PACKED_LENGTH : 0,
		       written = length_of(p, token, group) + 2 + digits_of((int64_t)times) + 1 + packed,
		       plain = times * length_of(p, token, group);
		if (plain > written && plain - written > *saved) {
			*saved = plain - written;
			*copies = times;
			best = group;
		}
	}
	return best;
}

/* Recursion into groups, which are shorter each time. */
static void print_tokens(struct printing *p, const int64_t *token, size_t tokens)
{
	for (size_t i = 0; i < tokens;) {
		int64_t step = 0;
		size_t copies = 1, saved, run = run_length(token + i, tokens - i, &step);
		size_t group = find_group(p, token + i, tokens - i, &copies, &saved);
		size_t of_run = length_of(p, token + i, run),
		       written = digits_of(token[i]) + digits_of(token[i + run - 1]) + 3;
		written += run > 1 && step != 1 && step != -1 ? 1 + digits_of(step) : 0;
		written += p->digits ? PACKED_LENGTH : 0;
		if (run > 2 && of_run > written && of_run - written >= saved) {
			print_run(p, token + i, run, step);
			i += run;
		} else if (group) {
			begin_token(p);
			text_char(p->text, '(');
			p->inside++;
			print_tokens(p, token + i, group);
			end_packed(p);
			p->inside--;
			text_format(p->text, ")*%zu", copies);
			i += group * copies;
		} else {
			print_token(p, token[i++]);
		}
	}
}

void table_print(const struct table *t, struct text *text)
{
	size_t tokens = 0;
	int64_t *token = mem_array(t->entries + t->rows + t->blocks + 1, sizeof *token);
	uint64_t entry = 0, block = 0;
	for (uint64_t row = 0; row < t->rows; row++) {
		for (; block < t->blocks && t->block[block + 1] <= row; block++)
			token[tokens++] = END_BLOCK;
		for (; entry < t->row[row + 1]; entry++)
			token[tokens++] = table_entry(t, entry);
		token[tokens++] = END_ROW;
	}
	for (; block < t->blocks; block++)
		token[tokens++] = END_BLOCK;
	for (; entry < t->entries; entry++)
		token[tokens++] = table_entry(t, entry);
	struct printing p = {.text = text, .line = text->length}, packed = p;
	struct text plain = {0}, dense = {0};
	p.text = &plain;
	packed.text = &dense;
	p.line = packed.line = 0;
	packed.digits = digits_of(t->most);
	print_tokens(&p, token, tokens);
	if (t->least >= 0 && t->entries >= PACKED_LEAST && packed.digits <= PACKED_DIGITS) {
		print_tokens(&packed, token, tokens);
		end_packed(&packed);
	}
	bool shorter = dense.length && dense.length < plain.length;
	if (plain.length)
		text_put(text, shorter ? dense.data : plain.data);
	text_clear(&plain);
	text_clear(&dense);
	free(token);
}

/* ------------------------------------------------------------------ reading */

struct reading {
	struct table *table;
	const char *at;
	struct error *error;
};

/* Deeper groups are written by nobody. */
#define GROUPS_INSIDE 64

static bool skip_blanks(struct reading *r)
{
	while (is_blank(*r->at) || *r->at == '\n')
		r->at++;
	return *r->at;
}

static bool read_number(struct reading *r, int64_t *number)
{
	const char *start = r->at;
	bool negative = *r->at == '-';
	uint64_t magnitude;
	r->at += negative;
	if (!is_digit(*r->at))
		return error_set(r->error, ERROR_INPUT,
			"a table is made of numbers, a..b, a..b:s, (...)*n and |, not of '%.*s'", SHOWN, start);
	if (!text_read_number(&r->at, INT64_MAX - (uint64_t)negative, &magnitude))
		return error_set(
			r->error, ERROR_INPUT, "'%.*s' is no number of 64 bits without leading zeros", SHOWN, start);
	*number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	return true;
}

static bool has_room(struct reading *r, uint64_t more)
{
	return (more <= TABLE_LIMIT && r->table->tokens + more <= TABLE_LIMIT) ||
	       error_set(r->error, ERROR_INPUT, "table $%s would have more than %" PRIu64 " entries", r->table->name,
		       TABLE_LIMIT);
}

/* ..b or ..b:s behind an a */
static bool read_run(struct reading *r, int64_t first)
{
	int64_t last, step = 1;
	const char *start = r->at;
	r->at += 2;
	if (!read_number(r, &last))
		return false;
	if (*r->at == ':') {
		r->at++;
		if (!read_number(r, &step))
			return false;
	}
	uint64_t distance = last < first ? (uint64_t)first - (uint64_t)last : (uint64_t)last - (uint64_t)first;
	if (step <= 0 || distance % (uint64_t)step)
		return error_set(r->error, ERROR_INPUT, "'%" PRId64 "%.*s': no such steps lead there", first,
			(int)(r->at - start), start);
	uint64_t count = distance / (uint64_t)step;
	if (!has_room(r, count < UINT64_MAX ? count + 1 : count))
		return false;
	for (uint64_t i = 0; i <= count; i++)
		table_add(r->table, first + (last < first ? -1 : 1) * (int64_t)i * step);
	return true;
}

static bool read_tokens(struct reading *r, int inside);

/* )*n: what was added since `from` is one copy of n. */
static bool read_copies(struct reading *r, size_t from)
{
	uint64_t copies;
	if (r->at[0] != ')' || r->at[1] != '*')
		return error_set(r->error, ERROR_INPUT, "a group of a table is (...)*n: ')*' is expected, not '%.*s'",
			SHOWN, r->at);
	r->at += 2;
	const char *start = r->at;
	if (!text_read_number(&r->at, UINT64_MAX, &copies))
		return error_set(r->error, ERROR_INPUT, "'%.*s' is no number of copies", SHOWN, start);
	size_t length = r->table->tokens - from;
	uint64_t all;
	if (__builtin_mul_overflow(copies, length, &all) || !has_room(r, copies ? all - length : 0))
		return has_room(r, UINT64_MAX);
	if (!copies)
		r->table->tokens = from;
	for (uint64_t k = 1; length && k < copies; k++)
		for (size_t i = 0; i < length; i++)
			table_add(r->table, r->table->token[from + i]);
	return true;
}

/* 2'142837': 14 28 37 */
static bool read_packed(struct reading *r, int64_t digits)
{
	const char *start = r->at;
	r->at++;
	while (digits >= 1 && digits <= 9 && is_digit(*r->at)) {
		int64_t number = 0;
		for (int64_t i = 0; i < digits; i++) {
			if (!is_digit(*r->at))
				break;
			number = number * 10 + (*r->at++ - '0');
		}
		if (!has_room(r, 1))
			return false;
		table_add(r->table, number);
	}
	if (*r->at != '\'' || digits < 1 || digits > 9 || (r->at - start - 1) % digits)
		return error_set(r->error, ERROR_INPUT,
			"numbers of N digits are written N'...', as in 2'142837', not '%" PRId64 "%.*s'", digits, SHOWN,
			start);
	r->at++;
	return true;
}

static bool read_group(struct reading *r, int inside)
{
	size_t from = r->table->tokens;
	r->at++;
	if (inside == GROUPS_INSIDE)
		return error_set(r->error, ERROR_INPUT, "more than %d groups inside each other", GROUPS_INSIDE);
	return read_tokens(r, inside + 1) && read_copies(r, from);
}

static bool read_end(struct reading *r)
{
	uint32_t level = r->at[1] == '|' ? 2 : 1;
	if (level >= r->table->arguments)
		return error_set(r->error, ERROR_INPUT, "'%.*s' in a table of %" PRIu32 " argument%s", (int)level,
			r->at, r->table->arguments, r->table->arguments == 1 ? "" : "s");
	r->at += level;
	table_end(r->table, level);
	return true;
}

/* As far as the closing parenthesis, or the end. */
static bool read_tokens(struct reading *r, int inside)
{
	while (skip_blanks(r) && *r->at != ')') {
		int64_t number;
		bool good = true;
		if (*r->at == '(')
			good = read_group(r, inside);
		else if (*r->at == '|')
			good = has_room(r, 1) && read_end(r);
		else if (!has_room(r, 1) || !read_number(r, &number))
			good = false;
		else if (*r->at == '\'')
			good = read_packed(r, number);
		else if (r->at[0] == '.' && r->at[1] == '.')
			good = read_run(r, number);
		else
			table_add(r->table, number);
		if (!good)
			return false;
	}
	return true;
}

bool table_parse(struct table *t, const char *text, struct error *error)
{
	struct reading r = {t, text, error};
	if (!read_tokens(&r, 0))
		return false;
	if (*r.at)
		return error_set(error, ERROR_INPUT, "')' without '(' in a table");
	table_finish(t);
	return true;
}
