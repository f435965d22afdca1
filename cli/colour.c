/*
 * colour.c -- lines are looked at as text: who prints them knows nothing of colours.
 */
#include "cli/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/event_kinds.h"

#define STRONG "\033[1m"
#define FAINT "\033[2m"
#define SET "\033[36m" /* cyan */
#define TAG "\033[32m" /* green */
#define LOST "\033[1;31m" /* red */
#define SOME "\033[33m" /* yellow */

/* Shares of the run time, in percent, from which on a loss is much, or worth a look. */
#define MUCH 10
#define LITTLE 1

bool colour_on(int descriptor)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
	return !(no && *no) && terminal && strcmp(terminal, "dumb") != 0 && isatty(descriptor);
}

static void put(struct text *out, const char *colour, const char *from, const char *to)
{
	if (from == to)
		return;
	if (colour)
		text_put(out, colour);
	text_add(out, from, (size_t)(to - from));
	if (colour)
		text_put(out, COLOUR_PLAIN);
}

/* ------------------------------------------------------------------ programs */

static bool is_any(const char *from, const char *to, const char *const *word)
{
	while (*word && (strlen(*word) != (size_t)(to - from) || memcmp(from, *word, (size_t)(to - from)) != 0))
		word++;
	return *word;
}

/* Behind a set, which may have others inside: "[$peer[i0]]". */
static const char *behind_set(const char *at, const char *end)
{
	int depth = 0;
	do {
		depth += (*at == '[') - (*at == ']');
		at++;
	} while (at < end && depth > 0);
	return at;
}

/* Where what is remarked begins, or what events carry. */
static const char *find_remark(const char *from, const char *end)
{
	for (const char *at = from; at + 1 < end; at++) {
		bool apart = at == from || at[-1] == ' ';
		if (apart && ((at[0] == '/' && at[1] == '/') || (at[0] == ';' && at[1] == ' ')))
			return at;
	}
	return end;
}

static const char *word_end(const char *at, const char *end)
{
	while (at < end && *at != ' ')
		at++;
	return at;
}

/* The tag of a message is the last word of its statement. */
static const char *last_word(const char *from, const char *end)
{
	while (end > from && end[-1] == ' ')
		end--;
	while (end > from && end[-1] != ' ')
		end--;
	return end;
}

static void put_words(struct text *out, const char *at, const char *end)
{
	static const char *const strong[] = {"for", "done", "if", "else", "call", "procedure", NULL};
	const char *tag = last_word(at, end);
	for (bool of_message = false; at < end;) {
		if (*at == ' ') {
			text_char(out, *at++);
			continue;
		}
		const char *to = word_end(at, end);
		uint32_t kind = kind_of_verb(at, (size_t)(to - at));
		of_message |= kind < EVENT_KINDS && kind_is_message(kind);
		put(out,
			kind < EVENT_KINDS || is_any(at, to, strong) ? STRONG
			: of_message && at == tag                    ? TAG
								     : NULL,
			at, to);
		at = to;
	}
}

static void dress_program(const char *line, size_t length, struct text *out)
{
	const char *end = line + length, *at = line, *remark = find_remark(line, end);
	while (at < remark && *at == ' ')
		at++;
	put(out, NULL, line, at);
	if (at < remark && *at == '[') {
		const char *behind = behind_set(at, remark);
		put(out, SET, at, behind);
		at = behind;
	}
	if (at < remark && *at == '$')
		put(out, NULL, at, remark); /* a table */
	else
		put_words(out, at, remark);
	put(out, FAINT, remark, end);
}

/* ------------------------------------------------------------------ pages */

/* "40.0 % of the run time is lost in ...", or a row of losses: the share. */
static void dress_page(const char *line, size_t length, struct text *out)
{
	const char *end = line + length, *at = line + strspn(line, " "), *behind = at + strspn(at, "0123456789.");
	bool row = at > line && behind > at, lost = !strncmp(behind, " % of the run time is lost", 26);
	bool heading = !strncmp(at, "lost ", 5) || !strncmp(at, "entered ", 8);
	if (heading || !length) {
		put(out, STRONG, line, end);
		return;
	}
	if (!(row || lost) || !memchr(at, '.', (size_t)(behind - at))) {
		put(out, NULL, line, end);
		return;
	}
	double share = strtod(at, NULL);
	put(out, NULL, line, at);
	put(out, share >= MUCH ? LOST : share >= LITTLE ? SOME : NULL, at, behind);
	put(out, lost ? STRONG : NULL, behind, end);
}

/* ------------------------------------------------------------------ outputs */

void colour_program(struct output *out)
{
	if (colour_on(STDOUT_FILENO) && output_is_terminal(out))
		output_dress_lines(out, dress_program);
}

void colour_page(struct output *out)
{
	if (colour_on(STDOUT_FILENO) && output_is_terminal(out))
		output_dress_lines(out, dress_page);
}
