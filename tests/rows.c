/*
 * rows.c -- rows as lines, lines as rows, and what a failing one says.
 */
#include "tests/rows.h"

#include <stdio.h>
#include <string.h>

void row_holds(const char *why, bool holds, const char *what, const char *file, unsigned line)
{
	if (!holds)
		printf("\n%s: does not hold: %s\n", why, what);
	CU_assertImplementation(holds, line, what, file, "", CU_FALSE);
}

bool row_same(const char *why, const char *have, const char *want)
{
	bool same = have && want && !strcmp(have, want);
	if (!same)
		printf("\n%s:\n  have %s\n  want %s\n", why, have ? have : "(nothing)", want ? want : "(nothing)");
	CU_ASSERT(same);
	return same;
}

void row_contains(const char *why, const char *have, const char *part)
{
	bool there = have && strstr(have, part);
	if (!there)
		printf("\n%s:\n  have %s\n  want ... %s ...\n", why, have ? have : "(nothing)", part);
	CU_ASSERT(there);
}

struct text lines_of_row(const char *header, const char *row)
{
	struct text text = {0};
	text_put(&text, header);
	for (const char *at = row; *at;) {
		const char *end = strstr(at, " / ");
		text_add(&text, at, end ? (size_t)(end - at) : strlen(at));
		text_char(&text, '\n');
		at = end ? end + 3 : at + strlen(at);
	}
	return text;
}

struct text row_of_lines(const char *lines, bool notes)
{
	struct text row = {0};
	text_add(&row, "", 0);
	for (const char *at = lines; *at;) {
		size_t length = strcspn(at, "\n");
		bool header = !strncmp(at, "//", 2) && !(notes && !strncmp(at, "// note", 7));
		const char *start = at + strspn(at, " ");
		if (!header && row.length)
			text_put(&row, " / ");
		if (!header)
			text_add(&row, start, (size_t)(at + length - start));
		at += length + (at[length] == '\n');
	}
	return row;
}
