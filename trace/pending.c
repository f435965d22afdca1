/*
 * pending.c -- lines of words.
 */
#include "trace/pending.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const kind_words[PENDING_KINDS] = {"nothing", "send", "receive", "collective", "turns"};
static const char *const where_words[PENDING_WHERES] = {"call", "wait", "posted", "-"};

static void put_number(struct text *out, uint32_t number)
{
	if (number == PENDING_ANY || number == PENDING_NONE)
		text_put(out, number == PENDING_ANY ? " *" : " -");
	else
		text_format(out, " %" PRIu32, number);
}

void pending_print(const struct pending_line *l, struct text *out)
{
	const struct pending *p = &l->pending;
	text_format(out, "%" PRIu32 " %s %s %s", l->rank, where_words[p->where], kind_words[p->kind],
		l->call ? l->call : "-");
	put_number(out, p->peer);
	put_number(out, p->tag);
	text_format(out, " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", p->communicator, p->sent,
		p->received, p->turn, p->times, l->site ? l->site : "-");
}

static bool read_word(const char **at, const char *const *words, uint32_t count, uint32_t *index)
{
	size_t length = strcspn(*at, " \n");
	for (*index = 0; *index < count; ++*index)
		if (strlen(words[*index]) == length && !strncmp(*at, words[*index], length)) {
			*at += length;
			return *(*at)++ == ' ';
		}
	return false;
}

static bool read_number(const char **at, uint64_t limit, uint64_t *number)
{
	return text_read_number(at, limit, number) && *(*at)++ == ' ';
}

static bool read_number_or(const char **at, uint32_t *number)
{
	uint64_t value;
	if ((**at == '*' || **at == '-') && (*at)[1] == ' ') {
		*number = **at == '*' ? PENDING_ANY : PENDING_NONE;
		*at += 2;
		return true;
	}
	bool good = read_number(at, PENDING_NONE - 1, &value);
	*number = good ? (uint32_t)value : 0;
	return good;
}

static char *copy(const char *text, size_t length)
{
	char *own = mem_zero(length + 1);
	memcpy(own, text, length);
	return own;
}

static bool read_line(struct pending_line *l, const char *at, uint32_t processes)
{
	struct pending *p = &l->pending;
	uint64_t rank, communicator;
	if (!read_number(&at, processes ? processes - 1 : 0, &rank) ||
		!read_word(&at, where_words, PENDING_WHERES, &p->where) ||
		!read_word(&at, kind_words, PENDING_KINDS, &p->kind))
		return false;
	const char *call = at;
	size_t length = strcspn(at, " \n");
	at += length;
	if (*at++ != ' ' || !read_number_or(&at, &p->peer) || !read_number_or(&at, &p->tag) ||
		!read_number(&at, UINT32_MAX, &communicator) || !read_number(&at, UINT64_MAX, &p->sent) ||
		!read_number(&at, UINT64_MAX, &p->received) || !read_number(&at, UINT64_MAX, &p->turn) ||
		!read_number(&at, UINT64_MAX, &p->times))
		return false;
	bool of_messages = p->kind == PENDING_SEND || p->kind == PENDING_RECEIVE;
	if (of_messages && p->peer >= processes && p->peer != PENDING_ANY)
		return false;
	l->rank = (uint32_t)rank;
	p->communicator = (uint32_t)communicator;
	l->call = copy(call, length);
	l->site = copy(at, strcspn(at, "\n"));
	return true;
}

struct pending_line *pending_read(const char *property, uint32_t processes, size_t *lines)
{
	struct pending_line *line = NULL;
	size_t capacity = 0;
	*lines = 0;
	for (const char *at = property; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		struct pending_line next = {0};
		if (read_line(&next, at, processes))
			*MEM_PUSH(line, *lines, capacity) = next;
	}
	return line;
}

void pending_free(struct pending_line *line, size_t lines)
{
	for (size_t i = 0; i < lines; i++) {
		free(line[i].call);
		free(line[i].site);
	}
	free(line);
}
