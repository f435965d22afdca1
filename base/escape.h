/*
 * escape.h -- strings from outside, as each target can hold them: the only functions through which
 * they get there.
 *
 * A name in a trace is any bytes, chosen by a stranger. In C, in a shell, on a page or on a
 * terminal it must stay a name. Besides these: json_string (json.h); SQL has parameters alone.
 */
#ifndef TRACENEST_BASE_ESCAPE_H
#define TRACENEST_BASE_ESCAPE_H

#include "base/error.h"
#include "base/text.h"

/* UTF-8 without control characters, for what escapes by itself. */
void text_put_printable(struct text *, const char *string);

/* XML, HTML and SVG, in attributes, too. */
void text_put_escaped(struct text *, const char *string);

/* A label of Graphviz, in which backslash and ampersand have meanings. */
void text_put_label(struct text *, const char *string);

/* A word of a shell's command. */
void text_put_quoted(struct text *, const char *string);

/* C: a string with its quotes; what stands inside of a comment. */
void text_put_c_string(struct text *, const char *string);
void text_put_c_comment(struct text *, const char *words);

/* A field of CSV: in quotes where it needs these; what a spreadsheet would compute is a word. */
void text_put_csv(struct text *, const char *word);

/* A terminal: what it would obey is shown, \x1b. Newlines and tabs stay. */
void text_put_visible(struct text *, const char *bytes, size_t length);

/*
 * Models and text traces, tracenest-model(5): a word in double quotes, in which \xHH is a byte.
 * Besides what cannot stand there, the characters in `special` are written so. text_read_word is at
 * the quote, and moves behind the one that ends it.
 */
void text_put_word(struct text *, const char *word, const char *special);
bool text_read_word(const char **at, struct text *word, struct error *);

#endif
