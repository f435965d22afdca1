/*
 * utf8.h -- names from outside may be any bytes: character by character, and what each is.
 */
#ifndef TRACENEST_BASE_UTF8_H
#define TRACENEST_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

enum utf8_kind {
	UTF8_PLAIN,
	UTF8_CONTROL, /* of ASCII but tab and newline, DEL, U+0080 to U+009F */
	UTF8_BROKEN, /* a byte of no character */
};

/* Bytes of the character at `at`, which is no NUL, and what it is. */
size_t utf8_next(const char *at, enum utf8_kind *);

/* May a terminal obey what is at `at`: a control character, or a byte that is one elsewhere? */
bool utf8_is_control(const char *at);

#endif
