/*
 * notes.h -- remarks of a program's maker, "// note ..." lines of its header.
 */
#ifndef TRACENEST_MODEL_NOTES_H
#define TRACENEST_MODEL_NOTES_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}; owned lines, without the prefix. */
struct notes {
	char **line;
	size_t length, capacity;
};

/* Add a remark: one line, stored with its white space trimmed and control characters made
   spaces. */
void notes_add(struct notes *, const char *text);
void notes_add_all(struct notes *, const struct notes *from);
void notes_clear(struct notes *);

#endif
