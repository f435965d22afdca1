/*
 * text.c -- a text that grows: after every call data[length] is NUL.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void make_room(struct text *text, size_t more)
{
	text->data = mem_grow(text->data, &text->capacity, text->length + more + 1, 1);
}

void text_reserve(struct text *text, size_t more)
{
	make_room(text, more);
}

void text_add(struct text *text, const char *bytes, size_t length)
{
	make_room(text, length);
	if (length)
		memcpy(text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = 0;
}

void text_put(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

void text_char(struct text *text, char c)
{
	text_add(text, &c, 1);
}

void text_number(struct text *text, uint64_t number)
{
	char digits[20];
	size_t first = sizeof digits;
	do
		digits[--first] = (char)('0' + number % 10);
	while (number /= 10);
	text_add(text, digits + first, sizeof digits - first);
}

void text_ordinal(struct text *text, uint64_t number)
{
	static const char *const suffix[] = {"th", "st", "nd", "rd"};
	bool teen = number / 10 % 10 == 1;
	text_number(text, number);
	text_put(text, suffix[!teen && number % 10 < 4 ? number % 10 : 0]);
}

void text_integer(struct text *text, int64_t number)
{
	if (number < 0)
		text_char(text, '-');
	text_number(text, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void text_format(struct text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	assert(length >= 0);
	make_room(text, (size_t)length);
	va_start(arguments, format);
	vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
	va_end(arguments);
	text->length += (size_t)length;
}

void text_truncate(struct text *text, size_t length)
{
	assert(length <= text->length);
	text->length = length;
	if (text->data)
		text->data[length] = 0;
}

void text_clear(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool text_read_number(const char **at, uint64_t limit, uint64_t *value)
{
	const char *c = *at;
	if (!is_digit(*c) || (*c == '0' && is_digit(c[1])))
		return false;
	uint64_t sum = 0;
	for (; is_digit(*c); c++) {
		uint64_t digit = (uint64_t)(*c - '0');
		if (digit > limit || sum > (limit - digit) / 10)
			return false;
		sum = 10 * sum + digit;
	}
	*at = c;
	*value = sum;
	return true;
}

bool text_is_number(const char *string, uint64_t limit, uint64_t *value)
{
	uint64_t number;
	if (!text_read_number(&string, limit, &number) || *string)
		return false;
	*value = number;
	return true;
}

bool text_begins_with(const char *string, const char *beginning)
{
	return !strncmp(string, beginning, strlen(beginning));
}

bool text_ends_with(const char *string, const char *end)
{
	size_t length = strlen(string), behind = strlen(end);
	return length > behind && !strcmp(string + length - behind, end);
}
