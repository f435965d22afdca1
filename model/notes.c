/*
 * notes.c -- lines of remarks.
 */
#include "model/notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool is_space(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f;
}

void notes_add(struct notes *n, const char *text)
{
	while (*text && is_space(*text))
		text++;
	size_t length = strlen(text);
	while (length && is_space(text[length - 1]))
		length--;
	char *line = mem_alloc(length + 1);
	for (size_t i = 0; i < length; i++)
		line[i] = is_space(text[i]) ? ' ' : text[i];
	line[length] = 0;
	n->line = mem_grow(n->line, &n->capacity, n->length + 1, sizeof *n->line);
	n->line[n->length++] = line;
}

void notes_add_all(struct notes *n, const struct notes *from)
{
	for (size_t i = 0; i < from->length; i++)
		notes_add(n, from->line[i]);
}

void notes_clear(struct notes *n)
{
	for (size_t i = 0; i < n->length; i++)
		free(n->line[i]);
	free(n->line);
	*n = (struct notes){0};
}
