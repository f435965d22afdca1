/*
 * lines.h -- a text file line by line, in bounded memory, with every place in it known; and the
 * words of a line.
 */
#ifndef TRACENEST_MODEL_LINES_H
#define TRACENEST_MODEL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "model/file_signature.h"

/* Longer lines are refused, and never held in memory as a whole. */
#define LINE_LIMIT (size_t)(1 << 20)

struct lines;

/* path: a file, or "-" for standard input. NULL with *error set if it can not be read, or plainly
   is not what is wanted. */
struct lines *lines_open(const char *path, enum text_wanted, struct error *);
struct lines *lines_of(const char *name, const char *bytes, size_t length);
void lines_close(struct lines *);

/*
 * The next line: NUL-terminated, without its newline (or CR LF), the caller's to change until the
 * next call. NULL at the end (error->kind is ERROR_NONE) and on a failure (*error set, with
 * file:line): unreadable, too long, or with control characters other than tabs, as in binary junk.
 */
char *lines_next(struct lines *, struct error *);

/* Number of the line last returned, from 1; what to call the file in a message. */
uint64_t lines_number(const struct lines *);
const char *lines_name(const struct lines *);

/* ASCII, whatever the locale. */
static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline const char *behind_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

/* Does the line begin with this word? */
static inline bool line_begins(const char *line, const char *word)
{
	size_t length = strlen(word);
	return !strncmp(line, word, length) && (!line[length] || is_blank(line[length]));
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Of a name: also the underscore. */
static inline bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool has_letter(const char *at)
{
	while (*at && !is_letter(*at))
		at++;
	return *at;
}

/* But for tabs. */
static inline bool is_control(char c)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

/* A part of a line between blanks; points into the line. */
struct word {
	const char *start;
	size_t length;
};

/* The next word at *at, which moves behind it; of length 0 at the end of the line. */
struct word word_next(const char **at);

bool word_is(struct word, const char *text);

/* Where the number of 63 bits at the end of a tag starts, which has no leading zeros; the end of the
   word if there is none. */
const char *word_number(struct word, uint64_t *number);

/* Is there no further word? form: what is expected, for the error. */
bool words_end(const char *at, const char *form, struct error *);

/* For printf's "%.*s" in messages: no more than so many bytes, and a word cut to them. */
#define SHOWN 40
#define SHOWN_WORD(word) (int)((word).length < SHOWN ? (word).length : SHOWN), (word).start

#endif
