/*
 * table.c -- entries, packed in parts as they come, and where each row and block begins. As text a
 * table is a sequence of tokens, entries and ends of rows.
 */
#include "model/table.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/bits.h"
#include "base/compare.h"
#include "base/gcd.h"
#include "base/hash.h"
#include "base/mem.h"
#include "model/lines.h"

/* Tokens that are no entries. */
#define END_ROW INT64_MIN
#define END_BLOCK (INT64_MIN + 1)

static bool is_entry(int64_t token)
{
	return token != END_ROW && token != END_BLOCK;
}

/* Entries that are packed together; the bits of one above which it is looked whether few different
   ones come again. */
#define PART 1024
#define PART_BITS 16

/* Each entry is the least one and so much more; or the number of one of those listed. */
struct part {
	int64_t least;
	int64_t *listed; /* NULL: not so */
	uint64_t *word;
	uint32_t bytes; /* of the words */
	uint16_t listings;
	uint16_t width; /* bits */
};

struct table {
	atomic_uint shares;
	struct table *of; /* whose entries these are; NULL: its own */
	char *name;
	uint32_t arguments;
	bool row_open, block_open; /* until it is finished */
	int64_t *open; /* entries that are not packed yet; some of the last part */
	size_t opened;
	struct part *part;
	size_t parts, part_capacity;
	uint64_t entries;
	uint64_t *row, rows; /* first entries, and one more; of two arguments and more */
	uint64_t *block, blocks; /* first rows, and one more; of three arguments */
	size_t row_capacity, block_capacity;
	int64_t least, most;
	uint64_t hash;
};

struct table *table_new(const char *name, uint32_t arguments)
{
	struct table *t = mem_zero(sizeof *t);
	atomic_init(&t->shares, 1);
	t->name = mem_text(name);
	t->arguments = arguments;
	t->hash = arguments;
	t->row = mem_grow(NULL, &t->row_capacity, 1, sizeof *t->row);
	t->block = mem_grow(NULL, &t->block_capacity, 1, sizeof *t->block);
	t->row[0] = t->block[0] = 0;
	return t;
}

struct table *table_share(const struct table *shared)
{
	struct table *t = (struct table *)shared; /* the count of its shares is all that changes */
	atomic_fetch_add(&t->shares, 1);
	return t;
}

struct table *table_named(const struct table *shared, const char *name)
{
	struct table *t = mem_copy(shared, sizeof *shared);
	atomic_init(&t->shares, 1);
	t->of = table_share(shared);
	t->name = mem_text(name);
	return t;
}

void table_free(struct table *t)
{
	if (!t || atomic_fetch_sub(&t->shares, 1) > 1)
		return;
	if (t->of) {
		table_free(t->of);
		free(t->name);
		free(t);
		return;
	}
	for (size_t i = 0; i < t->parts; i++) {
		free(t->part[i].listed);
		free(t->part[i].word);
	}
	free(t->part);
	free(t->name);
	free(t->open);
	free(t->row);
	free(t->block);
	free(t);
}

/* ------------------------------------------------------------------ making one */

/* The different ones, ascending: how many. */
static size_t list_different(const int64_t *entry, size_t entries, int64_t *listed)
{
	size_t different = 0;
	memcpy(listed, entry, entries * sizeof *listed);
	qsort(listed, entries, sizeof *listed, compare_i64);
	for (size_t i = 0; i < entries; i++)
		if (!i || listed[i] != listed[different - 1])
			listed[different++] = listed[i];
	return different;
}

static size_t place_of(const int64_t *listed, size_t listings, const int64_t *number)
{
	size_t at;
	SEARCH_FIRST(at, 0, listings, listed[at] >= *number);
	return at;
}

static void pack_part(struct table *t)
{
	struct part p = {.least = t->opened ? t->open[0] : 0};
	int64_t most = p.least, listed[PART];
	for (size_t i = 0; i < t->opened; i++) {
		p.least = t->open[i] < p.least ? t->open[i] : p.least;
		most = t->open[i] > most ? t->open[i] : most;
	}
	p.width = (uint16_t)bits_of((uint64_t)most - (uint64_t)p.least);
	size_t different = p.width > PART_BITS ? list_different(t->open, t->opened, listed) : 0;
	unsigned width = bits_of(different ? different - 1 : 0);
	if (different && different * 64 + t->opened * width < t->opened * p.width) {
		p.listed = mem_copy(listed, different * sizeof *listed);
		p.listings = (uint16_t)different;
		p.width = (uint16_t)width;
	}
	size_t words = bits_words(t->opened, p.width);
	p.bytes = (uint32_t)(words * sizeof *p.word);
	p.word = mem_zero((words + 1) * sizeof *p.word);
	for (size_t i = 0; i < t->opened; i++)
		bits_put(p.word, i, p.width,
			p.listed ? place_of(p.listed, p.listings, &t->open[i])
				 : (uint64_t)t->open[i] - (uint64_t)p.least);
	*MEM_PUSH(t->part, t->parts, t->part_capacity) = p;
	t->opened = 0;
}

void table_add(struct table *t, int64_t entry)
{
	if (!t->open)
		t->open = mem_array(PART, sizeof *t->open);
	t->open[t->opened++] = entry;
	t->least = !t->entries || entry < t->least ? entry : t->least;
	t->most = !t->entries++ || entry > t->most ? entry : t->most;
	t->hash = hash_pair(t->hash, (uint64_t)entry);
	t->row_open = t->block_open = true;
	if (t->opened == PART)
		pack_part(t);
}

static void end_row(struct table *t)
{
	t->row = mem_grow(t->row, &t->row_capacity, t->rows + 2, sizeof *t->row);
	t->row[++t->rows] = t->entries;
	t->hash = hash_pair(t->hash, (uint64_t)END_ROW);
	t->row_open = false;
	t->block_open = true;
}

/* Every row has an end, every block, too. */
void table_end(struct table *t, uint32_t level)
{
	if (level == 1 || t->row_open)
		end_row(t);
	if (level == 1)
		return;
	t->block = mem_grow(t->block, &t->block_capacity, t->blocks + 2, sizeof *t->block);
	t->block[++t->blocks] = t->rows;
	t->hash = hash_pair(t->hash, (uint64_t)END_BLOCK);
	t->block_open = false;
}

static void add_token(struct table *t, int64_t token)
{
	if (is_entry(token))
		table_add(t, token);
	else
		table_end(t, token == END_ROW ? 1 : 2);
}

void table_finish(struct table *t)
{
	if (t->row_open && t->arguments > 1)
		end_row(t);
	if (t->block_open && t->arguments > 2)
		table_end(t, 2);
	if (t->opened)
		pack_part(t);
	free(t->open);
	t->open = NULL;
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
	const struct part *p = &t->part[at / PART];
	uint64_t number = bits_get(p->word, at % PART, p->width);
	return p->listed ? p->listed[number] : (int64_t)((uint64_t)p->least + number);
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

bool table_has(const struct table *t, int64_t number)
{
	size_t at;
	SEARCH_FIRST(at, 0, t->entries, table_entry(t, at) >= number);
	return at < t->entries && table_entry(t, at) == number;
}

static bool same_part(const struct part *a, const struct part *b)
{
	return a->least == b->least && a->bytes == b->bytes && a->width == b->width && a->listings == b->listings &&
	       !memcmp(a->word, b->word, a->bytes) &&
	       (!a->listings || !memcmp(a->listed, b->listed, a->listings * sizeof *a->listed));
}

bool table_same(const struct table *a, const struct table *b)
{
	bool same = a == b || (a->hash == b->hash && a->arguments == b->arguments && a->entries == b->entries &&
				      a->rows == b->rows && a->blocks == b->blocks &&
				      !memcmp(a->row, b->row, (a->rows + 1) * sizeof *a->row) &&
				      !memcmp(a->block, b->block, (a->blocks + 1) * sizeof *a->block));
	for (size_t i = 0; a != b && same && i < a->parts; i++)
		same = same_part(&a->part[i], &b->part[i]);
	return same;
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

/* Longest group that is looked for, in tokens; those from GRAM on by their first GRAM tokens, shorter
   ones by trying. */
#define GROUP_LIMIT 256
#define GRAM 4

/* What a group must save to be worth the reading of it: bytes, or numbers where it is shorter at
   all. (4)*4 is one entry to its reader, 4 4 4 4 are four. */
#define GROUP_SAVES 8
#define GROUP_ENTRIES 3

/* Numbers are written without blanks between them where there are so many, of so few digits, and
   this is shorter. */
#define PACKED_LEAST 64
#define PACKED_DIGITS 4

/* Lines end behind rows (of two arguments), blocks (of three), where they are longer than this;
   elsewhere where they are longer than that: what is cut anywhere repeats itself less. */
#define LINE_LENGTH 100
#define LINE_MOST 400

struct stretch {
	size_t from, to;
};

struct printing {
	struct text *text; /* NULL: what is printed is counted alone */
	bool one_by_one; /* are short copies counted so? */
	size_t length, line; /* printed so far, and where the line begins */
	uint64_t entries; /* numbers, runs, between apostrophes letters; parentheses that stand alone */
	bool opened, barred; /* is a parenthesis, a bar the last that was printed? */
	int64_t end; /* of rows, or blocks; lines may end there */
	bool ended; /* so does the token before */
	int inside; /* parentheses */
	size_t digits; /* of each number between apostrophes; 0: numbers are not written so */
	bool open; /* between apostrophes */
	const int64_t *token;
	size_t tokens;
	struct stretch *again; /* by distance: tokens that come again so far away, as far as is known */
	const uint32_t *next; /* by token: where the next one is from which on GRAM may be equal */
	uint32_t *written; /* by token: the length of all before it, one by one; and of all */
};

static void put(struct printing *p, const char *bytes, size_t length)
{
	p->length += length;
	if (p->text)
		text_add(p->text, bytes, length);
}

static size_t digits_of(int64_t number)
{
	size_t digits = 1 + (number < 0);
	for (; number > 9 || number < -9; number /= 10)
		digits++;
	return digits;
}

/* least: zeros in front of it make it so long. */
static void put_number(struct printing *p, int64_t number, size_t least)
{
	char digits[24];
	uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
	size_t first = sizeof digits;
	if (!p->text && !least) {
		p->length += digits_of(number);
		return;
	}
	do
		digits[--first] = (char)('0' + rest % 10);
	while ((rest /= 10) || sizeof digits - first < least);
	if (number < 0)
		digits[--first] = '-';
	put(p, digits + first, sizeof digits - first);
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
		put(p, "'", 1);
	p->open = false;
}

/* Behind the one before. */
static void begin_token(struct printing *p)
{
	end_packed(p);
	if (!p->inside && p->length - p->line > (p->ended ? LINE_LENGTH : LINE_MOST)) {
		put(p, "\n ", 2);
		p->line = p->length;
	}
	if (!p->opened)
		put(p, " ", 1);
	p->opened = p->barred = false;
}

static void print_packed(struct printing *p, int64_t token)
{
	if (p->open && !p->inside && p->length - p->line > LINE_MOST)
		end_packed(p);
	if (!p->open) {
		begin_token(p);
		put_number(p, (int64_t)p->digits, 0);
		put(p, "'", 1);
	}
	p->open = true;
	p->entries += p->digits;
	put_number(p, token, p->digits);
}

static void print_token(struct printing *p, int64_t token)
{
	if (is_entry(token) && p->digits) {
		print_packed(p, token);
		return;
	}
	p->entries += is_entry(token) || (p->opened && !p->one_by_one);
	begin_token(p);
	p->ended = token == p->end;
	p->barred = !is_entry(token);
	if (is_entry(token))
		put_number(p, token, 0);
	else
		put(p, "||", token == END_ROW ? 1 : 2);
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
	p->entries++;
	put_number(p, token[0], 0);
	put(p, "..", 2);
	put_number(p, token[length - 1], 0);
	if (step == 1 || step == -1)
		return;
	put(p, ":", 1);
	put_number(p, step < 0 ? -step : step, 0);
}

static void add_lengths(struct printing *p, size_t tokens)
{
	p->written[0] = 0;
	for (size_t i = 0; i < tokens; i++)
		p->written[i + 1] = p->written[i] + (uint32_t)token_length(p, p->token[i]);
}

static size_t length_of(const struct printing *p, size_t from, size_t tokens)
{
	return p->written[from + tokens] - p->written[from];
}

/* Rows are repeated whole: is it numbers of one row, or rows from the first number to the end? */
static bool is_whole(const struct printing *p, size_t at, size_t group)
{
	bool begins = !at || !is_entry(p->token[at - 1]), ends = !is_entry(p->token[at + group - 1]);
	size_t numbers = 0;
	while (numbers < group && is_entry(p->token[at + numbers]))
		numbers++;
	return numbers == group || (begins && ends);
}

/* How many tokens from here on come again so far away. */
static size_t same_tokens(const struct printing *p, size_t at, size_t far)
{
	struct stretch *known = &p->again[far];
	if (at < known->from || at >= known->to) {
		size_t to = at;
		while (to + far < p->tokens && p->token[to] == p->token[to + far])
			to++;
		*known = (struct stretch){at, to};
	}
	return known->to - at;
}

static bool saves_entries(const struct printing *p, size_t at, size_t group, size_t copies)
{
	size_t entries = 0;
	for (size_t i = 0; i < group && entries < GROUP_ENTRIES; i++)
		entries += is_entry(p->token[at + i]);
	return (copies - 1) * entries >= GROUP_ENTRIES;
}

/* What is saved when so many copies of a group are written once; 0: nothing, or too little. */
static size_t saved_by(const struct printing *p, size_t at, size_t group, size_t copies)
{
	size_t packed = p->digits ? 2 * PACKED_LENGTH : 0, once = length_of(p, at, group),
	       written = once + 2 + digits_of((int64_t)copies) + 1 + packed, plain = copies * once;
	bool saves = copies > 1 && plain > written &&
		     (plain >= written + GROUP_SAVES || (!p->one_by_one && saves_entries(p, at, group, copies)));
	return saves && is_whole(p, at, group) ? plain - written : 0;
}

/* The next length that may be that of a group: any below GRAM, then those after which GRAM tokens
   may come again. other: of those the last one looked at. */
static size_t next_group(const struct printing *p, size_t at, size_t end, size_t group, size_t *other)
{
	if (group + 1 < GRAM)
		return group + 1;
	while (*other < end && *other - at <= group)
		*other = p->next[*other];
	return *other < end ? *other - at : SIZE_MAX;
}

/* The length of the group at the beginning that saves the most; 0: none does. Copies of a group
   make no better group, so their lengths are passed over. */
static size_t find_group(const struct printing *p, size_t at, size_t end, size_t *copies, size_t *saved)
{
	size_t most = (end - at) / 2 < GROUP_LIMIT ? (end - at) / 2 : GROUP_LIMIT;
	size_t best = 0, period = 1, reach = 0, other = p->next[at];
	*saved = 0;
	for (size_t group = 1; group <= most; group = next_group(p, at, end, group, &other)) {
		if (group <= reach && group % period == 0)
			continue;
		size_t same = same_tokens(p, at, group), rest = end - at - group, times;
		times = 1 + (same < rest ? same : rest) / group;
		size_t saves = saved_by(p, at, group, times);
		if (times > 1 && same > reach) {
			period = group;
			reach = same;
		}
		if (saves > *saved) {
			*saved = saves;
			*copies = times;
			best = group;
		}
	}
	return best;
}

/* Recursion into groups, which are shorter each time. */
static void print_tokens(struct printing *p, size_t from, size_t to)
{
	for (size_t i = from; i < to;) {
		const int64_t *token = p->token + i;
		int64_t step = 0;
		size_t copies = 1, saved, run = run_length(token, to - i, &step);
		size_t group = find_group(p, i, to, &copies, &saved);
		size_t of_run = length_of(p, i, run), written = digits_of(token[0]) + digits_of(token[run - 1]) + 3;
		written += run > 1 && step != 1 && step != -1 ? 1 + digits_of(step) : 0;
		written += p->digits ? PACKED_LENGTH : 0;
		if (run > 2 && of_run > written && of_run - written >= saved) {
			print_run(p, token, run, step);
			i += run;
		} else if (group) {
			begin_token(p);
			put(p, "(", 1);
			p->opened = true;
			p->inside++;
			print_tokens(p, i, i + group);
			end_packed(p);
			p->inside--;
			put(p, ")*", 2);
			put_number(p, (int64_t)copies, 0);
			p->entries += p->one_by_one ? !is_entry(token[group - 1]) : p->barred;
			p->barred = false;
			p->ended = token[group - 1] == p->end;
			i += group * copies;
		} else {
			print_token(p, token[0]);
			i++;
		}
	}
}

/* Tokens that are printed together, so that a long table is never held as text; and those by which
   it is decided how they are written. */
#define PIECE ((size_t)1 << 20)
#define SAMPLE ((size_t)1 << 16)

/* Where printing stands. */
struct place {
	uint64_t entry, row, block;
};

static bool next_token(const struct table *t, struct place *at, int64_t *token)
{
	if (at->block < t->blocks && t->block[at->block + 1] <= at->row) {
		at->block++;
		*token = END_BLOCK;
	} else if (at->row < t->rows && t->row[at->row + 1] == at->entry) {
		at->row++;
		*token = END_ROW;
	} else if (at->entry < t->entries) {
		*token = table_entry(t, at->entry++);
	} else {
		return false;
	}
	return true;
}

uint64_t table_divisor(const struct table *t)
{
	uint64_t divisor = 0;
	for (uint64_t i = 0; i < t->entries && divisor != 1; i++) {
		int64_t entry = table_entry(t, i);
		divisor = gcd(divisor, entry < 0 ? 0 - (uint64_t)entry : (uint64_t)entry);
	}
	return divisor;
}

struct table *table_divided(const struct table *t, int64_t by)
{
	struct table *divided = table_new(t->name, t->arguments);
	int64_t token;
	for (struct place at = {0}; next_token(t, &at, &token);)
		add_token(divided, is_entry(token) ? token / by : token);
	table_finish(divided);
	return divided;
}

#define BUCKETS_MOST 4096
#define GRAM_BASE UINT64_C(0x9fb21c651e98df25)

static void find_next(const int64_t *token, size_t tokens, uint32_t *next)
{
	size_t buckets = 16;
	while (buckets < tokens && buckets < BUCKETS_MOST)
		buckets *= 2;
	uint32_t *last = mem_array(buckets, sizeof *last);
	memset(last, 0xff, buckets * sizeof *last);
	uint64_t gram = 0, power = 1; /* a polynomial over the next GRAM tokens */
	for (unsigned i = 0; i < GRAM; i++)
		power *= GRAM_BASE;
	for (size_t i = tokens; i-- > 0;) {
		uint64_t behind = i + GRAM < tokens ? hash_mix((uint64_t)token[i + GRAM]) * power : 0;
		gram = hash_mix((uint64_t)token[i]) + gram * GRAM_BASE - behind;
		uint32_t *bucket = &last[hash_mix(gram) & (buckets - 1)];
		next[i] = *bucket;
		*bucket = (uint32_t)i;
	}
	free(last);
}

/* What is open at the end of a table needs no end. */
static size_t without_end(const struct printing *p, size_t tokens)
{
	size_t ends = 0;
	while (ends < tokens && !is_entry(p->token[tokens - 1 - ends]))
		ends++;
	bool row = ends == 1 && p->token[tokens - 1] == END_ROW,
	     block = ends == 2 && p->token[tokens - 2] == END_ROW && p->token[tokens - 1] == END_BLOCK;
	return (row || block) && ends < tokens ? tokens - ends : tokens;
}

/* What so many tokens would come to. */
struct measured {
	size_t tokens, length; /* tokens: 0 if nothing was measured */
	uint64_t entries;
};

static struct measured measured(const struct printing *p, size_t tokens)
{
	struct printing trial = *p;
	trial.text = NULL;
	print_tokens(&trial, 0, tokens);
	end_packed(&trial);
	return (struct measured){tokens, trial.length - p->length, trial.entries - p->entries};
}

/* The last tokens are an end, or stand in a group with others: whatever is shorter. all: what they
   come to, if that was measured. */
static void print_last(struct printing *p, size_t tokens, struct measured all)
{
	size_t fewer = without_end(p, tokens);
	if (fewer < tokens) {
		struct measured open = measured(p, fewer);
		if (!all.tokens)
			all = measured(p, tokens);
		all = open.length <= all.length ? open : all;
	}
	if (p->text || !all.tokens) {
		print_tokens(p, 0, all.tokens ? all.tokens : tokens);
		end_packed(p);
		return;
	}
	p->length += all.length;
	p->entries += all.entries;
}

/* Without blanks, where that is shorter. What the tokens come to, if they are looked at. */
static struct measured choose_digits(const struct table *t, struct printing *p, size_t tokens)
{
	size_t digits = digits_of(t->most);
	struct measured as[2];
	if (t->least < 0 || t->entries < PACKED_LEAST || digits > PACKED_DIGITS)
		return (struct measured){0};
	for (int dense = 0; dense < 2; dense++) {
		p->digits = dense ? digits : 0;
		add_lengths(p, tokens);
		as[dense] = measured(p, tokens);
	}
	bool dense = as[1].length < as[0].length;
	p->digits = dense ? digits : 0;
	return as[dense];
}

static uint64_t print_pieces(
	const struct table *t, struct text *text, bool one_by_one, void (*flush)(void *), void *context)
{
	size_t most = t->entries + t->rows + t->blocks, room = most < PIECE ? most : PIECE;
	int64_t *token = mem_array(room + 1, sizeof *token);
	uint32_t *next = mem_array(room + 1, sizeof *next), *written = mem_array(room + 1, sizeof *written);
	struct stretch again[GROUP_LIMIT + 1];
	struct printing p = {.text = text,
		.one_by_one = one_by_one,
		.again = again,
		.end = t->arguments == 3 ? END_BLOCK : END_ROW,
		.token = token,
		.next = next,
		.written = written};
	struct place at = {0};
	for (bool first = true, more = true; more; first = false) {
		size_t tokens = 0;
		while (tokens < room && (more = next_token(t, &at, &token[tokens])))
			tokens++;
		more = more && at.entry + at.row + at.block < most;
		find_next(token, tokens, next);
		memset(again, 0, sizeof again);
		p.tokens = tokens;
		struct measured all = {0};
		if (first)
			all = choose_digits(t, &p, tokens < SAMPLE ? tokens : SAMPLE);
		add_lengths(&p, tokens);
		if (more) {
			print_tokens(&p, 0, tokens);
			end_packed(&p);
		} else {
			print_last(&p, tokens, all.tokens == tokens ? all : (struct measured){0});
		}
		if (more && flush)
			flush(context);
	}
	free(token);
	free(next);
	free(written);
	return p.entries;
}

void table_print(const struct table *t, struct text *text, void (*flush)(void *), void *context)
{
	print_pieces(t, text, false, flush, context);
}

void table_add_ranks(const struct table *t, int64_t plus, uint32_t processes, struct ranks *to)
{
	bool *named = mem_zero((processes + (size_t)1) * sizeof *named);
	for (uint64_t i = 0; i < table_entries(t); i++) {
		__int128 rank = (__int128)table_entry(t, i) + plus;
		if (rank >= 0 && rank < processes)
			named[rank] = true;
	}
	for (uint32_t rank = 0; rank < processes; rank++)
		if (named[rank])
			ranks_add(to, rank);
	free(named);
}

void table_print_set(const struct table *set, struct text *out)
{
	text_char(out, '{');
	for (uint64_t i = 0, last; i < table_entries(set); i = last + 1) {
		for (last = i;
			last + 1 < table_entries(set) && table_entry(set, last + 1) == table_entry(set, last) + 1;)
			last++;
		last = last > i + 1 ? last : i;
		text_format(out, "%s%" PRId64, i ? "," : "", table_entry(set, i));
		if (last > i)
			text_format(out, "..%" PRId64, table_entry(set, last));
	}
	text_char(out, '}');
}

uint64_t table_printed_entries(const struct table *t)
{
	return print_pieces(t, NULL, false, NULL, NULL);
}

uint64_t table_entries_to_choose(const struct table *t)
{
	return print_pieces(t, NULL, true, NULL, NULL);
}

/* ------------------------------------------------------------------ reading */

struct reading {
	struct table *table;
	const char *at;
	struct error *error;
	int64_t *group; /* tokens of the groups that are open */
	size_t grouped, capacity;
	bool inside; /* one */
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

static void put_token(struct reading *r, int64_t token)
{
	if (r->inside)
		*MEM_PUSH(r->group, r->grouped, r->capacity) = token;
	else
		add_token(r->table, token);
}

static bool has_room(struct reading *r, uint64_t more)
{
	uint64_t there = r->table->entries + r->table->rows + r->table->blocks + r->grouped;
	return (more <= TABLE_LIMIT && there + more <= TABLE_LIMIT) ||
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
		put_token(r, first + (last < first ? -1 : 1) * (int64_t)i * step);
	return true;
}

static bool read_tokens(struct reading *r, int inside);

/* )*n: what was put there since `from` is one copy of n. */
static bool read_copies(struct reading *r, size_t from, bool outermost)
{
	uint64_t copies;
	if (r->at[0] != ')' || r->at[1] != '*')
		return error_set(r->error, ERROR_INPUT, "a group of a table is (...)*n: ')*' is expected, not '%.*s'",
			SHOWN, r->at);
	r->at += 2;
	const char *start = r->at;
	if (!text_read_number(&r->at, UINT64_MAX, &copies))
		return error_set(r->error, ERROR_INPUT, "'%.*s' is no number of copies", SHOWN, start);
	size_t length = r->grouped - from;
	uint64_t all;
	if (__builtin_mul_overflow(copies, length, &all) || !has_room(r, copies ? all - length : 0))
		return has_room(r, UINT64_MAX);
	r->inside = !outermost;
	if (!copies || outermost)
		r->grouped = from;
	for (uint64_t k = outermost ? 0 : 1; length && k < copies; k++)
		for (size_t i = 0; i < length; i++)
			put_token(r, r->group[from + i]);
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
		put_token(r, number);
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
	size_t from = r->grouped;
	r->at++;
	r->inside = true;
	if (inside == GROUPS_INSIDE)
		return error_set(r->error, ERROR_INPUT, "more than %d groups inside each other", GROUPS_INSIDE);
	return read_tokens(r, inside + 1) && read_copies(r, from, !inside);
}

static bool read_end(struct reading *r)
{
	uint32_t level = r->at[1] == '|' ? 2 : 1;
	if (level >= r->table->arguments)
		return error_set(r->error, ERROR_INPUT, "'%.*s' in a table of %" PRIu32 " argument%s", (int)level,
			r->at, r->table->arguments, r->table->arguments == 1 ? "" : "s");
	r->at += level;
	put_token(r, level == 1 ? END_ROW : END_BLOCK);
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
			put_token(r, number);
		if (!good)
			return false;
	}
	return true;
}

bool table_parse(struct table *t, const char *text, struct error *error)
{
	struct reading r = {.table = t, .at = text, .error = error};
	bool good = read_tokens(&r, 0);
	free(r.group);
	if (!good)
		return false;
	if (*r.at)
		return error_set(error, ERROR_INPUT, "')' without '(' in a table");
	table_finish(t);
	return true;
}

bool table_is_begun(const char *line)
{
	const char *behind = *line == '$' ? strchr(line, ']') : NULL;
	while (behind && is_blank(*++behind))
		;
	return behind && behind[0] == '=' && behind[1] != '=';
}
