/*
 * attributes.c -- words that are numbers and words that are not, printed and read.
 */
#include "model/attributes.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/ranks.h"
#include "base/utf8.h"
#include "model/lines.h"

bool attribute_is_number(const char *word, int64_t *number)
{
	uint64_t magnitude;
	bool negative = *word == '-';
	if (!text_is_number(word + negative, ATTRIBUTE_LIMIT, &magnitude) || (negative && !magnitude))
		return false;
	*number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	return true;
}

/* ------------------------------------------------------------------ words */

static bool is_special(const char *at, const char *start)
{
	return utf8_is_control(at) || strchr("\"\\(){}|;#$\n", *at) || (*at == '/' && at > start && at[-1] == '/');
}

void attribute_word_print(const char *word, struct text *out)
{
	int64_t number;
	bool bare = *word && !attribute_is_number(word, &number);
	enum utf8_kind kind;
	for (const char *at = word; *at && bare; at += utf8_next(at, &kind))
		bare = !is_blank(*at) && !is_special(at, word);
	if (bare) {
		text_put(out, word);
		return;
	}
	text_put_word(out, word, ";#");
}

void attribute_value_print(const struct attribute_value *v, struct text *out)
{
	if (v->word)
		attribute_word_print(v->word, out);
	else
		text_format(out, "%" PRId64, v->number);
}

/* ------------------------------------------------------------------ by member */

bool attribute_is_by_member(const char *name)
{
	size_t length = strlen(name);
	return length > 3 && !strcmp(name + length - 3, "[q]");
}

void member_list_add(struct text *to, int64_t number, uint64_t times)
{
	text_format(to, to->length ? ",%" PRId64 : "%" PRId64, number);
	if (times > 1)
		text_format(to, "*%" PRIu64, times);
}

bool member_list_next(const char **at, int64_t *number, uint64_t *times)
{
	const char *here = *at;
	uint64_t magnitude;
	bool negative = *here == '-';
	here += negative;
	*times = 1;
	if (!text_read_number(&here, ATTRIBUTE_LIMIT, &magnitude))
		return false;
	if (*here == '*' && (++here, !text_read_number(&here, RANK_LIMIT, times) || !*times))
		return false;
	if (*here && (*here != ',' || !here[1]))
		return false;
	*number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	*at = here + (*here == ',');
	return true;
}

/* ------------------------------------------------------------------ read */

bool attribute_name(const char **at, const char **name, size_t *length, struct error *error)
{
	*name = *at;
	*length = strcspn(*at, " \t=\"");
	const char *value = *at + *length + 1;
	if (!*length || !strncmp(*at, "//", 2) || value[-1] != '=' || !*value || is_blank(*value))
		return error_set(error, ERROR_INPUT, "an attribute is NAME=VALUE, not '%.*s'",
			(int)(strcspn(*at, " \t") < SHOWN ? strcspn(*at, " \t") : SHOWN), *at);
	*at = value;
	return true;
}

static bool at_pair_end(const char *at, struct error *error)
{
	return !*at || is_blank(*at) || error_set(error, ERROR_INPUT, "'%.*s' is too much behind a value", SHOWN, at);
}

bool attribute_scan(const char **at, const char **name, size_t *length, struct text *word,
	struct attribute_value *value, struct error *error)
{
	error->kind = ERROR_NONE;
	*at += strspn(*at, " \t");
	if (!**at || !attribute_name(at, name, length, error))
		return false;
	text_truncate(word, 0);
	bool quoted = **at == '"';
	const char *start = *at;
	if (quoted) {
		if (!text_read_word(at, word, error) || !at_pair_end(*at, error))
			return false;
	} else {
		*at += strcspn(*at, " \t");
		text_add(word, start, (size_t)(*at - start));
	}
	*value = (struct attribute_value){.there = true};
	if (quoted || !attribute_is_number(word->data, &value->number))
		value->word = word->data ? word->data : "";
	return true;
}
