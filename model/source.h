/*
 * source.h -- the lines of the source that a program's sites name, where its files are at hand.
 *
 *	struct source *s = source_open("src", program, &error);
 *	struct program_remarks remarks = ...;
 *	source_remarks(s, &remarks);		-- lines above the statements that they are
 *	program_print_remarks(program, &remarks, out);
 *	source_close(s);
 *
 * Sites have no directories: a file is looked for by its name in a directory and all below it, the
 * one that is least deep, of these the first by the alphabet.
 */
#ifndef TRACENEST_MODEL_SOURCE_H
#define TRACENEST_MODEL_SOURCE_H

#include "base/error.h"
#include "model/program.h"

struct source;

/* Borrows the program. NULL with *error set: it has no sites with lines, or none of their files is
   there. O(files below the directory). */
struct source *source_open(const char *directory, const struct program *, struct error *);
void source_close(struct source *);

/* The files of statements that were not found, "rhs.f, norm.f"; nothing: there are none. */
void source_missing(const struct source *, struct text *);

/* Where the file of this name was found; NULL: it was not. Borrowed. */
const char *source_path(const struct source *, const char *file);

/* A line without the blanks around it; false: it is not there. */
bool source_line(const struct source *, const char *site, struct text *);

/* Above an event, the lines of its calls, the outermost first (those of functions that are inlined,
   too), from the first that the event before it has not. */
void source_remarks(const struct source *, struct program_remarks *);

#endif
