/*
 * attributes.c -- attributes interned, evaluated, printed, read.
 */
#include "model/attributes.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "model/lines.h"
#include "model/program.h"

/* ------------------------------------------------------------------ kept */

uint32_t program_attributes(struct program *p, const struct attribute *attribute, size_t count)
{
	return count ? 1 + intern_id(p->attributes, attribute, count * sizeof *attribute) : ATTRIBUTES_NONE;
}

size_t program_get_attributes(const struct program *p, uint32_t id, struct attribute *attribute)
{
	size_t size;
	if (id == ATTRIBUTES_NONE)
		return 0;
	const void *kept = intern_data(p->attributes, id - 1, &size);
	memcpy(attribute, kept, size);
	return size / sizeof *attribute;
}

bool program_attribute(const struct program *p, size_t statement, uint32_t name, struct attribute *found)
{
	size_t size;
	uint32_t id = p->statement[statement].attributes;
	const char *kept = id == ATTRIBUTES_NONE ? NULL : intern_data(p->attributes, id - 1, &size);
	for (size_t at = 0; kept && at < size; at += sizeof *found) {
		uint32_t this;
		memcpy(&this, kept + at + offsetof(struct attribute, name), sizeof this);
		if (this != name)
			continue;
		memcpy(found, kept + at, sizeof *found);
		return true;
	}
	return false;
}

bool attribute_is_number(const char *word, int64_t *number)
{
	uint64_t magnitude;
	bool negative = *word == '-';
	if (!text_is_number(word + negative, ATTRIBUTE_LIMIT, &magnitude) || (negative && !magnitude))
		return false;
	*number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	return true;
}

/* The words one after the other, each with its NUL. */
uint32_t program_choices(struct program *p, const char *const *word, size_t count)
{
	struct text words = {0};
	for (size_t i = 0; i < count; i++)
		text_add(&words, word[i], strlen(word[i]) + 1);
	uint32_t id = 1 + intern_id(p->choices, words.data, words.length);
	text_clear(&words);
	return id;
}

/* The word at a place; NULL beyond the last. */
static const char *choice_at(const struct program *p, uint32_t choices, int64_t place)
{
	size_t size;
	const char *word = intern_data(p->choices, choices - 1, &size), *end = word + size;
	for (; word < end && place > 0; place--)
		word += strlen(word) + 1;
	return word < end && place == 0 ? word : NULL;
}

static size_t choices_count(const struct program *p, uint32_t choices)
{
	size_t size, count = 0;
	const char *word = intern_data(p->choices, choices - 1, &size);
	for (size_t i = 0; i < size; i++)
		count += !word[i];
	return count;
}

uint32_t program_attributes_indices(const struct program *p, uint32_t id)
{
	struct attribute attribute[ATTRIBUTES_MOST];
	uint32_t indices = 0;
	for (size_t i = program_get_attributes(p, id, attribute); i-- > 0;)
		indices |= value_indices(&attribute[i].value);
	return indices;
}

struct attribute_value attribute_at(const struct program *p, const struct attribute *a, const struct spot *spot)
{
	int64_t number = value_at(&a->value, spot);
	if (a->choices == CHOICES_NONE)
		return (struct attribute_value){.there = true, .number = number};
	const char *word = choice_at(p, a->choices, number);
	bool marked = word && *word == CHOICE_MARK;
	if (marked && attribute_is_number(word + 1, &number))
		return (struct attribute_value){.there = true, .number = number};
	return (struct attribute_value){.there = word && *word, .word = marked ? word + 1 : word};
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

/* ------------------------------------------------------------------ written */

static void print_value(const struct value *v, struct text *out)
{
	if (value_is_constant(v))
		text_format(out, "%" PRId64, v->plain.constant);
	else
		value_print(v, out);
}

static void print_choice(const char *word, struct text *out)
{
	int64_t number;
	bool marked = *word == CHOICE_MARK;
	if (marked && attribute_is_number(word + 1, &number))
		text_put(out, word + 1);
	else
		attribute_word_print(word + marked, out);
}

static void print_choices(const struct program *p, uint32_t choices, struct text *out)
{
	size_t count = choices_count(p, choices);
	for (size_t i = 0; i < count; i++) {
		const char *word = choice_at(p, choices, (int64_t)i);
		text_char(out, i ? '|' : '(');
		if (*word)
			print_choice(word, out);
	}
	text_char(out, ')');
}

void attribute_print(const struct program *p, const struct attribute *a, struct text *out)
{
	text_put(out, dictionary_get_word(p->dictionary, a->name));
	text_char(out, '=');
	if (a->choices == CHOICES_NONE) {
		print_value(&a->value, out);
	} else if (value_is_constant(&a->value)) {
		print_choice(choice_at(p, a->choices, a->value.plain.constant), out);
	} else {
		print_choices(p, a->choices, out);
		value_print(&a->value, out);
	}
}

void attribute_value_print(const struct attribute_value *v, struct text *out)
{
	if (v->word)
		attribute_word_print(v->word, out);
	else
		text_format(out, "%" PRId64, v->number);
}

/* ------------------------------------------------------------------ read */

static size_t name_length(const char *name)
{
	size_t length = 0;
	while (name[length] && !is_blank(name[length]) && !strchr("=\"", name[length]))
		length++;
	return length;
}

/* "NAME=" */
static bool read_name(const char **at, const char **name, size_t *length, struct error *error)
{
	*name = *at;
	*length = name_length(*at);
	bool comment = !strncmp(*at, "//", 2);
	if (!*length || comment || (*at)[*length] != '=' || !(*at)[*length + 1] || is_blank((*at)[*length + 1]))
		return error_set(error, ERROR_INPUT, "an attribute is NAME=VALUE, not '%.*s'",
			(int)(strcspn(*at, " \t") < SHOWN ? strcspn(*at, " \t") : SHOWN), *at);
	*at += *length + 1;
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
	if (!**at || !read_name(at, name, length, error))
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
