/*
 * rows.h -- tests as tables: a row is an input, what is to come out, and why; one that fails names
 * itself.
 *
 *	static const struct { const char *why, *text, *folded; } cases[] = {...};
 *	for (size_t i = 0; i < COUNT(cases); i++) {
 *		struct text lines = lines_of_row(HEADER, cases[i].text);	-- "a / b / c": three lines
 *		...
 *		ROW(cases[i].why, good);
 *		row_same(cases[i].why, row.data, cases[i].folded);
 *	}
 */
#ifndef TRACENEST_TESTS_ROWS_H
#define TRACENEST_TESTS_ROWS_H

#include <stdbool.h>

#include "base/text.h"
#include "tests/unit.h"

/* Does it hold? */
#define ROW(why, holds) row_holds((why), (holds), #holds, __FILE__, __LINE__)
void row_holds(const char *why, bool holds, const char *what, const char *file, unsigned line);

/* The same text? Gives whether it is. */
bool row_same(const char *why, const char *have, const char *want);

/* Is this part of the text? */
void row_contains(const char *why, const char *have, const char *part);

/* The header, and the lines of a row, " / " standing for the end of one; the caller's. */
struct text lines_of_row(const char *header, const char *row);

/* The other way: header lines left out (but for notes, if these are wanted), indentation too. */
struct text row_of_lines(const char *lines, bool notes);

#endif
