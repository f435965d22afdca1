/*
 * files.h -- a file of the user's as one text; many files of one directory.
 */
#ifndef TRACENEST_BASE_FILES_H
#define TRACENEST_BASE_FILES_H

#include "base/error.h"
#include "base/text.h"

/* Append all of a file ("-": standard input). False with *error set where it cannot be read, or has
   more bytes than `most`. */
bool file_read(const char *path, size_t most, struct text *, struct error *);

/* Does a regular file, which can be read again, begin with these bytes, up to 16? False of what
   cannot be read, too. */
bool file_begins(const char *path, const char *bytes, size_t length);

/* Remove the files of a directory whose paths inside it fit one of these patterns (glob(7)), of
   which NULL is the last: "rank-*.txt". A pattern that ends with a slash is for directories, which
   go if they are empty. */
void files_remove(const char *directory, const char *const *pattern);

/* Append what people call a file: its name without folders and what is behind its last point; of an
   archive's anchor, whose name says nothing, that of its folder. */
void file_title(const char *path, struct text *);

#endif
