/*
 * lines.c -- a buffer that starts small and grows to hold one line and the newline that ends it,
 * never beyond LINE_LIMIT.
 *
 * Bytes from `at` to `end` are read but not yet given out; up to `searched` they are known to hold
 * no newline.
 */
#include "model/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/packed.h"
#include "base/utf8.h"

#define FIRST_CAPACITY ((size_t)1 << 16)

struct lines {
	char *name;
	int file; /* -1: nothing more to read */
	char *buffer; /* one byte more than capacity, for the NUL of a last line without newline */
	size_t capacity, at, searched, end;
	uint64_t number;
};

static struct lines *new_lines(const char *name, int file, size_t capacity)
{
	struct lines *l = mem_zero(sizeof *l);
	l->name = mem_text(name);
	l->file = file;
	l->capacity = capacity;
	l->buffer = mem_alloc(capacity + 1);
	return l;
}

static void stop_reading(struct lines *l)
{
	if (l->file > STDIN_FILENO)
		close(l->file);
	l->file = -1;
}

static void make_room(struct lines *l)
{
	memmove(l->buffer, l->buffer + l->at, l->end - l->at);
	l->end -= l->at;
	l->searched -= l->at;
	l->at = 0;
	if (2 * l->end <= l->capacity)
		return;
	l->capacity *= 2;
	l->buffer = mem_resize(l->buffer, l->capacity + 1, 1);
}

/* Read some more; at the end of the file: stop. */
static bool fill(struct lines *l, struct error *error)
{
	if (l->end == l->capacity)
		make_room(l);
	ssize_t got;
	do
		got = read(l->file, l->buffer + l->end, l->capacity - l->end);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_set(error, ERROR_INPUT, "%s: %s", l->name, strerror(errno));
	l->end += (size_t)got;
	if (!got)
		stop_reading(l);
	return true;
}

static bool is_packed(const struct lines *l)
{
	return l->end >= PACKED_MARK_LENGTH && !memcmp(l->buffer, PACKED_MARK, PACKED_MARK_LENGTH);
}

/* What is compressed is read whole, and its content instead. Takes the lines; NULL with *error
   set. */
static struct lines *unpacked(struct lines *l, struct error *error)
{
	struct text content = {0};
	bool good = true;
	while (good && l->file >= 0)
		good = fill(l, error);
	good = good && (packed_open(l->buffer, l->end, &content, error) || error_at(error, "%s", l->name));
	struct lines *result = good ? lines_of(l->name, content.data, content.length) : NULL;
	text_clear(&content);
	lines_close(l);
	return result;
}

/* How it begins is looked at as far as it came at once: what is typed is not waited for. Takes the
   lines; NULL with *error set. */
static struct lines *checked(struct lines *l, enum text_wanted wanted, struct error *error)
{
	while (l->file >= 0 && l->end < PACKED_MARK_LENGTH)
		if (!fill(l, error))
			return l; /* which is said again when its lines are asked for */
	if (is_packed(l) && !(l = unpacked(l, error)))
		return NULL;
	if (file_signature_check(
		    l->name, l->buffer, l->end < FILE_SIGNATURE_LENGTH ? l->end : FILE_SIGNATURE_LENGTH, wanted, error))
		return l;
	lines_close(l);
	return NULL;
}

struct lines *lines_open(const char *path, enum text_wanted wanted, struct error *error)
{
	bool standard = !strcmp(path, "-");
	int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0) {
		error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
		return NULL;
	}
	struct stat status;
	if (!fstat(file, &status) && S_ISDIR(status.st_mode)) {
		error_set(error, ERROR_INPUT, "%s: is a directory, not a file%s", path,
			wanted == TEXT_MODEL ? ": if it holds a trace, run 'tracenest model' on it first" : "");
		if (!standard)
			close(file);
		return NULL;
	}
	return checked(new_lines(standard ? "standard input" : path, file, FIRST_CAPACITY), wanted, error);
}

struct lines *lines_of(const char *name, const char *bytes, size_t length)
{
	struct lines *l = new_lines(name, -1, length);
	if (length)
		memcpy(l->buffer, bytes, length);
	l->end = length;
	return l;
}

void lines_close(struct lines *l)
{
	if (!l)
		return;
	stop_reading(l);
	free(l->name);
	free(l->buffer);
	free(l);
}

/* The end of the line at l->at: its newline, or the end of the file. NULL with *error set on
   failure. */
static char *find_end(struct lines *l, struct error *error)
{
	for (;;) {
		char *newline = memchr(l->buffer + l->searched, '\n', l->end - l->searched);
		l->searched = newline ? (size_t)(newline - l->buffer) : l->end;
		if (l->searched - l->at > LINE_LIMIT) {
			error_set(error, ERROR_INPUT, "%s:%" PRIu64 ": a line of more than %zu bytes", l->name,
				l->number + 1, LINE_LIMIT);
			return NULL;
		}
		if (newline || l->file < 0)
			return l->buffer + l->searched;
		if (!fill(l, error))
			return NULL;
	}
}

static bool check_bytes(const struct lines *l, const char *line, const char *end, struct error *error)
{
	enum utf8_kind kind;
	for (size_t length; line < end; line += length) {
		length = 1;
		if (*line >= ' ' && *line < 0x7f) /* most are */
			continue;
		length = utf8_next(line, &kind);
		if (utf8_is_control(line))
			return error_set(error, ERROR_INPUT,
				"%s:%" PRIu64 ": control character 0x%02x: this is not a text%s", l->name, l->number,
				(unsigned char)*line,
				l->number == 1 ? " (of an OTF2 archive, name the anchor, *.otf2)" : "");
	}
	return true;
}

char *lines_next(struct lines *l, struct error *error)
{
	char *end = find_end(l, error);
	if (!end)
		return NULL;
	char *line = l->buffer + l->at;
	if (l->at == l->end) {
		error->kind = ERROR_NONE;
		return NULL;
	}
	l->at = l->searched = l->searched + (l->searched < l->end);
	l->number++;
	if (end > line && end[-1] == '\r')
		end--;
	*end = 0;
	return check_bytes(l, line, end, error) ? line : NULL;
}

uint64_t lines_number(const struct lines *l)
{
	return l->number;
}

const char *lines_name(const struct lines *l)
{
	return l->name;
}

struct word word_next(const char **at)
{
	const char *start = *at;
	while (is_blank(*start))
		start++;
	const char *end = start;
	while (*end && !is_blank(*end))
		end++;
	*at = end;
	return (struct word){start, (size_t)(end - start)};
}

bool word_is(struct word word, const char *text)
{
	return word.length == strlen(text) && !memcmp(word.start, text, word.length);
}

const char *word_number(struct word word, uint64_t *number)
{
	const char *end = word.start + word.length, *digits = end;
	while (digits > word.start && is_digit(digits[-1]))
		digits--;
	const char *at = digits;
	return digits < end && text_read_number(&at, INT64_MAX, number) && at == end ? digits : end;
}

bool words_end(const char *at, const char *form, struct error *error)
{
	struct word extra = word_next(&at);
	return !extra.length ||
	       error_set(error, ERROR_INPUT, "'%.*s' is one word too many: %s", SHOWN_WORD(extra), form);
}
