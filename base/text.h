/*
 * text.h -- a text that grows, and numbers read strictly.
 */
#ifndef TRACENEST_BASE_TEXT_H
#define TRACENEST_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as {0}; data is NUL-terminated once anything was added. Release with text_clear. */
struct text {
	char *data;
	size_t length, capacity;
};

void text_add(struct text *, const char *bytes, size_t length);
void text_put(struct text *, const char *string);
void text_char(struct text *, char);
void text_number(struct text *, uint64_t);
void text_integer(struct text *, int64_t);
void text_ordinal(struct text *, uint64_t); /* "1st", "12th" */
void text_format(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_reserve(struct text *, size_t more); /* room behind the end for so many bytes */
void text_truncate(struct text *, size_t length);
void text_clear(struct text *);

/* Read decimal digits at *at, without sign or leading zeros ("0" itself is fine), up to limit
   inclusive; moves *at behind them. False, *at unmoved, where there is no such number. */
bool text_read_number(const char **at, uint64_t limit, uint64_t *value);

/* "process" for one, "processes" for any other number. */
static inline const char *text_plural(uint64_t number, const char *one, const char *many)
{
	return number == 1 ? one : many;
}

/* The whole string as such a number. */
bool text_is_number(const char *string, uint64_t limit, uint64_t *value);

bool text_begins_with(const char *string, const char *beginning);

/* Does the string end so, with something before it? ("run.nestz", ".nestz") */
bool text_ends_with(const char *string, const char *end);

#endif
