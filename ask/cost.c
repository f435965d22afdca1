/*
 * cost.c -- the text is written as it is printed, and its lines are told apart: nobody else knows
 * which bodies a text says once.
 */
#include "ask/cost.h"

#include <string.h>

#include "base/text.h"
#include "model/lines.h"

struct counting {
	struct cost cost;
	uint64_t table; /* entries so far of the table at hand */
	bool tables; /* has it begun? */
	bool size; /* is the table at hand one of sizes? */
};

/* ------------------------------------------------------------------ tables */

/* 12'...': where a packed word begins behind the quote; NULL: it is none. */
static const char *packed_word(const char *at, const char *end)
{
	for (const char *quote = at; (quote = memchr(quote, '\'', (size_t)(end - quote))); quote++)
		if (quote > at && is_digit(quote[-1]))
			return quote + 1;
	return NULL;
}

/* Of a line of numbers: runs and numbers as they are written, of packed words each letter. */
static uint64_t count_entries(const char *line)
{
	uint64_t entries = 0;
	for (const char *at = line; *(at = behind_blanks(at));) {
		size_t length = strcspn(at, " \t|");
		const char *end = at + length, *packed = packed_word(at, end);
		if (packed)
			entries += strcspn(packed, "'");
		else
			entries += length > 0;
		at = *end == '|' ? end + 1 : end;
	}
	return entries;
}

/* Sizes are data: looking these up is no detour of the program's. */
static bool is_size(const char *name)
{
	size_t digits = 1 + strspn(name + (*name != 0), "0123456789");
	return !strncmp(name, "bytes", 5) || !strncmp(name, "received", 8) ||
	       ((*name == 'b' || *name == 'r') && name[digits] == '[');
}

static void count_table_line(struct counting *c, const char *line)
{
	struct cost *cost = &c->cost;
	bool begins = table_is_begun(line);
	uint64_t entries = count_entries(begins ? strchr(line, '=') + 1 : line);
	cost->tables += begins;
	c->size = begins ? is_size(line + 1) : c->size;
	if (c->size)
		cost->sizes += COST_TABLE * begins + COST_ENTRY * entries;
	c->table = begins ? entries : c->table + entries;
	cost->entries += entries;
	cost->longest = c->table > cost->longest ? c->table : cost->longest;
}

/* ------------------------------------------------------------------ statements */

/* Between the first parenthesis and the last one. */
static uint64_t count_arguments(const char *line)
{
	const char *at = strchr(line, '('), *end = strrchr(line, ')');
	uint64_t arguments = at && end && at < end;
	for (; arguments && at < end; at++)
		arguments += *at == ',';
	return arguments;
}

static void count_numbers(struct cost *cost, const char *line)
{
	for (const char *at = line; (at = strchr(at, '{'));) {
		size_t length = strcspn(at, "}");
		bool power = memchr(at, '%', length) || memchr(at, '^', length), affine = false;
		for (size_t i = 0; i < length; i++)
			affine = affine || is_letter(at[i]);
		cost->remainders += power;
		cost->affine += !power && affine;
		at += length;
	}
}

static void count_statement(struct cost *cost, char *line)
{
	if (!strcmp(line, "done"))
		return;
	if (word_is(word_next(&(const char *){line}), "if") || !strcmp(line, "else"))
		cost->guards++;
	else
		cost->lines++;
	const char *behind_set = *line == '[' ? strstr(line, "] ") : NULL;
	cost->loops += text_begins_with(behind_set ? behind_set + 2 : line, "for ");
	count_numbers(cost, line);
	char *data = strstr(line, " ; ");
	if (data)
		*data = 0;
	if (!strncmp(line, "call ", 5))
		cost->arguments += count_arguments(line);
	for (const char *at = line; (at = strchr(at, '$')); at++)
		cost->lookups += !is_size(at + 1);
}

static void count_line(struct counting *c, char *line)
{
	char *at = line + (behind_blanks(line) - line), *remark = strstr(at, " //");
	if (!strncmp(at, "//", 2)) {
		c->tables = c->tables || !strcmp(at, "// tables");
		return;
	}
	if (c->tables) {
		count_table_line(c, at);
		return;
	}
	if (remark)
		*remark = 0;
	count_statement(&c->cost, at);
}

struct cost program_cost(const struct program *p)
{
	struct text text = {0};
	struct counting c = {0};
	program_print_remarks_text(p, &(struct program_remarks){.procedures = true, .uncounted = true}, &text);
	for (char *line = text.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		count_line(&c, line);
	}
	text_clear(&text);
	struct cost *cost = &c.cost;
	cost->total = COST_STATEMENT * cost->lines + COST_ARGUMENT * cost->arguments + COST_GUARD * cost->guards +
		      COST_TABLE * cost->tables + COST_ENTRY * cost->entries + COST_LOOKUP * cost->lookups;
	return *cost;
}
