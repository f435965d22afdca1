/*
 * error.c -- messages are put together beside the error, for their arguments may point into it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static const char cut[] = " ...";

static void format_message(
	char message[static sizeof((struct error *)0)->message], const char *format, va_list arguments)
{
	size_t room = sizeof((struct error *)0)->message;
	int length = vsnprintf(message, room, format, arguments);
	if (length < 0)
		message[0] = 0;
	else if ((size_t)length >= room)
		memcpy(message + room - sizeof cut, cut, sizeof cut);
}

bool error_set(struct error *error, enum error_kind kind, const char *format, ...)
{
	char message[sizeof error->message];
	va_list arguments;
	va_start(arguments, format);
	format_message(message, format, arguments);
	va_end(arguments);
	error->kind = kind;
	memcpy(error->message, message, sizeof message);
	return false;
}

bool error_at(struct error *error, const char *format, ...)
{
	char place[sizeof error->message];
	va_list arguments;
	va_start(arguments, format);
	format_message(place, format, arguments);
	va_end(arguments);
	return error_set(error, error->kind, "%s: %s", place, error->message);
}
