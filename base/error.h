/*
 * error.h -- a message for a person, and what kind of trouble it tells of.
 *
 * A function that can fail takes a struct error as its last argument, sets it and returns false (or
 * NULL). The message names the place ("run/traces.otf2: location 7: ..."), what is wrong and, where
 * that helps, what to do. Only cli/ prints and exits.
 */
#ifndef TRACENEST_BASE_ERROR_H
#define TRACENEST_BASE_ERROR_H

#include <stdbool.h>

enum error_kind {
	ERROR_NONE = 0,
	ERROR_INTERNAL = 1, /* our own failure: exit status 1 */
	ERROR_INPUT = 2, /* bad usage, unreadable or malformed input, unwritable output */
	ERROR_INCONSISTENT = 3, /* readable, but the trace or the model contradicts itself */
};

struct error {
	enum error_kind kind;
	char message[1024]; /* one line, or several separated by newlines; no newline at the end */
};

/* Set the error (cutting an overlong message) and return false, so that "return error_set(...)"
   reads well. */
bool error_set(struct error *, enum error_kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Put "place: " before the message. */
bool error_at(struct error *, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
