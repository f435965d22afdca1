/*
 * notes.c -- lines of remarks, and calls in the order of their numbers.
 */
#include "model/notes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NEVER_RECEIVED "sends that are never received: "

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
	*MEM_PUSH(n->line, n->length, n->capacity) = line;
	if (!strncmp(line, NEVER_RECEIVED, strlen(NEVER_RECEIVED)))
		n->never_received = strtoull(line + strlen(NEVER_RECEIVED), NULL, 10);
}

void notes_add_never_received(struct notes *n, uint64_t sends)
{
	struct text line = {0};
	text_format(&line, NEVER_RECEIVED "%" PRIu64, sends);
	notes_add(n, line.data);
	text_clear(&line);
}

void notes_add_all(struct notes *n, const struct notes *from)
{
	for (size_t i = 0; i < from->length; i++)
		notes_add(n, from->line[i]);
	for (size_t i = 0; i < from->omissions; i++)
		notes_omit(n, from->omission[i].call, from->omission[i].calls);
}

void notes_clear(struct notes *n)
{
	for (size_t i = 0; i < n->length; i++)
		free(n->line[i]);
	free(n->line);
	for (size_t i = 0; i < n->omissions; i++)
		free(n->omission[i].call);
	free(n->omission);
	*n = (struct notes){0};
}

/* ------------------------------------------------------------------ omissions */

static int by_frequency(const void *a, const void *b)
{
	const struct omission *x = a, *y = b;
	return x->calls != y->calls ? (x->calls < y->calls ? 1 : -1) : strcmp(x->call, y->call);
}

void notes_omit(struct notes *n, const char *call, uint64_t calls)
{
	size_t at = 0;
	while (at < n->omissions && strcmp(n->omission[at].call, call))
		at++;
	if (at == n->omissions)
		*MEM_PUSH(n->omission, n->omissions, n->omission_capacity) = (struct omission){mem_text(call), 0};
	if (__builtin_add_overflow(n->omission[at].calls, calls, &n->omission[at].calls))
		n->omission[at].calls = UINT64_MAX;
	qsort(n->omission, n->omissions, sizeof *n->omission, by_frequency);
}

void notes_print_omissions(const struct notes *n, struct text *out)
{
	for (size_t i = 0; i < n->omissions; i++)
		text_format(out, "%s%" PRIu64 " %s", i ? ", " : "", n->omission[i].calls, n->omission[i].call);
}

static bool is_of_name(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool notes_read_omissions(struct notes *n, const char *list)
{
	while (n->omissions < OMISSIONS_LIMIT) {
		uint64_t calls;
		while (is_space(*list) && *list)
			list++;
		if (!text_read_number(&list, UINT64_MAX, &calls) || !calls || *list++ != ' ')
			return false;
		const char *name = list;
		while (is_of_name(*list))
			list++;
		if (list == name)
			return false;
		struct text call = {0};
		text_add(&call, name, (size_t)(list - name));
		notes_omit(n, call.data, calls);
		text_clear(&call);
		while (is_space(*list) && *list)
			list++;
		if (*list++ != ',')
			return !list[-1];
	}
	return false;
}
