/*
 * side.c -- lines, each written at once.
 */
#include "record/preload/side.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

bool side_open(struct side *side, const char *path)
{
	side->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	return side->file >= 0;
}

/* What cannot be written is missed where it is read. */
static void write_line(struct side *side)
{
	text_char(&side->line, '\n');
	for (size_t at = 0; side->file >= 0 && at < side->line.length;) {
		ssize_t done = write(side->file, side->line.data + at, side->line.length - at);
		if (done <= 0)
			break;
		at += (size_t)done;
	}
	text_truncate(&side->line, 0);
}

static void put_words(struct side *side, const char *format, va_list arguments)
{
	char words[512];
	vsnprintf(words, sizeof words, format, arguments);
	text_put(&side->line, words);
}

void side_line(struct side *side, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	put_words(side, format, arguments);
	va_end(arguments);
	write_line(side);
}

void side_text(struct side *side, const struct text *text)
{
	text_add(&side->line, text->data, text->length);
	write_line(side);
}

void side_named(struct side *side, const char *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	put_words(side, format, arguments);
	va_end(arguments);
	text_char(&side->line, ' ');
	for (; *text; text++)
		if (*text == '\n')
			text_put(&side->line, "\\n");
		else if (*text == '\\')
			text_put(&side->line, "\\\\");
		else
			text_char(&side->line, *text);
	write_line(side);
}

void side_close(struct side *side)
{
	if (side->file >= 0)
		close(side->file);
	side->file = -1;
	text_clear(&side->line);
}
