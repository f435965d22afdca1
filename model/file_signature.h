/*
 * file_signature.h -- files that are something else than what was asked for, told by how they
 * begin.
 */
#ifndef TRACENEST_MODEL_FILE_SIGNATURE_H
#define TRACENEST_MODEL_FILE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* What a file is wanted for. */
enum text_wanted {
	TEXT_ANY, /* records, whatever they are */
	TEXT_MODEL,
	TEXT_TRACE,
};

/* How much of a file is looked at. */
#define FILE_SIGNATURE_LENGTH 512

/*
 * May a file that begins so be what is wanted? Where it cannot, the error says what it is, and what
 * to do with it. What is no known kind of file passes: its lines will tell.
 */
bool file_signature_check(const char *name, const char *start, size_t length, enum text_wanted, struct error *);

#endif
