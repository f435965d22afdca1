/*
 * affine_text.h -- records and affine nests as text.
 *
 * A record is a line. Its numbers are the words of it that are whole numbers of 64 bits, decimal
 * ("17", "-3") or hexadecimal ("0x7f20"), or end with one ("tag3000"), as one would print them
 * again: no leading zeros, no plus sign. Words end at blanks, at , ; : = ( ) [ ] < > | @ and at a
 * dash behind a digit ("0-15"). All the rest of the line, byte for byte, is the record's shape; so
 * are numbers after the 64th.
 *
 *	// tracenest nest 1
 *	// records 66
 *	for i0 = 0 to 10
 *	  for i1 = 0 to {i0}
 *	    load {0x1000+80*i0+8*i1}
 *	  done
 *	done
 *
 * In a nest, a backslash before a character makes it an ordinary one: before braces and
 * backslashes, before the first character of a record that begins with a blank, or like `for`,
 * `done` or a comment; alone on its line it is the empty record. (doc/tracenest-nlr.1)
 */
#ifndef TRACENEST_MODEL_AFFINE_TEXT_H
#define TRACENEST_MODEL_AFFINE_TEXT_H

#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "model/affine.h"

struct affine_shapes;

/* numbers: look for them; otherwise the whole line is a shape. */
struct affine_shapes *affine_shapes_new(bool numbers);
void affine_shapes_free(struct affine_shapes *);

/* The shape of a line (without its newline, and without any NUL), and its numbers. number: room for
   AFFINE_WIDTH. */
uint32_t affine_shapes_line(struct affine_shapes *, const char *line, size_t length, uint32_t *width, int64_t *number);
uint32_t affine_shapes_width(const struct affine_shapes *, uint32_t shape);

/* The line again, with a newline. */
void affine_shapes_print(const struct affine_shapes *, uint32_t shape, const int64_t *number, struct text *);

/*
 * The nest: to a text without a header, for tests and messages; to an output with its header, in
 * pieces. positions: with remarks above each construct, "// @{...}", the records before it; and
 * below each `for`, "// #{...}", the records of one iteration.
 */
void affine_print_text(const struct affine_nest *, const struct affine_shapes *, bool positions, struct text *);
void affine_print(
	const struct affine_nest *, const struct affine_shapes *, uint64_t records, bool positions, struct output *);

/*
 * Read a nest with its header, from a file ("-": standard input), or from memory, name standing for
 * the file in messages. NULL, with file:line in the error, where anything is wrong with it.
 * records: what the header says, UINT64_MAX if nothing.
 */
struct affine_nest *affine_read(const char *path, struct affine_shapes *, uint64_t *records, struct error *);
struct affine_nest *affine_parse(
	const char *name, const char *bytes, size_t length, struct affine_shapes *, uint64_t *records, struct error *);

#endif
