/*
 * source.h -- the lines of the source that a program's sites name, where its files are at hand.
 *
 *	struct source *s = source_open("src", &module->places, &error);
 *	struct module_remarks remarks = ...;
 *	source_remarks(s, module, &remarks);	-- lines above the statements that they are
 *	module_print(module, &remarks, out);
 *	source_close(s);
 *
 * Sites have no directories: a file is looked for by its name in a directory and all below it, the
 * one that is least deep, of these the first by the alphabet.
 */
#ifndef TRACENEST_MODEL_SOURCE_H
#define TRACENEST_MODEL_SOURCE_H

#include "base/error.h"
#include "model/module.h"

struct source;

/* Borrows the places. NULL with *error set: there are none with lines, or none of their files is
   there. O(files below the directory). */
struct source *source_open(const char *directory, const struct site_places *, struct error *);
void source_close(struct source *);

/* The files of statements that were not found, "rhs.f, norm.f"; nothing: there are none. */
void source_missing(const struct source *, struct text *);

/* Where the file of this name was found; NULL: it was not. Borrowed. */
const char *source_path(const struct source *, const char *file);

/* A line without the blanks around it; false: it is not there. */
bool source_line(const struct source *, const char *site, struct text *);

/* Above an event, the lines of its calls, the outermost first (those of functions that are inlined,
   too), from the first that the event before it has not. The module, borrowed, has these places. */
void source_remarks(struct source *, const struct module *, struct module_remarks *);

#endif
