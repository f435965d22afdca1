/*
 * files.h -- a file of the user's as one text.
 */
#ifndef TRACENEST_BASE_FILES_H
#define TRACENEST_BASE_FILES_H

#include "base/error.h"
#include "base/text.h"

/* Append all of a file ("-": standard input). False with *error set where it cannot be read, or has
   more bytes than `most`. */
bool file_read(const char *path, size_t most, struct text *, struct error *);

#endif
