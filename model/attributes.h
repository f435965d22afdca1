/*
 * attributes.h -- what the events of a statement carry besides who passes what to whom: sizes,
 * datatypes, call sites.
 *
 *	[0-15] p send (p+1)%16 tag1 ; bytes={1600+80*i0} type=MPI_DOUBLE site="main.c:7 main"
 *
 * Behind a statement stand pairs NAME=VALUE. A value is a number, as a function of the process, its
 * place on the grid and the indices of the loops around (formula.h); or a word. Words that differ
 * from one execution to the next are listed, and a number chooses: type=(MPI_INT|MPI_DOUBLE){i0%2}.
 * An empty one of these says that the event does not carry the attribute, a number is one.
 *
 * Two words are in quotes where they would be read as anything else: numbers, what holds blanks or
 * one of "\(){}|;#$, or two slashes; in quotes, \xHH is a byte.
 */
#ifndef TRACENEST_MODEL_ATTRIBUTES_H
#define TRACENEST_MODEL_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/formula.h"

struct program;

/* Of one statement. */
#define ATTRIBUTES_MOST 16

#define ATTRIBUTES_NONE 0
#define CHOICES_NONE 0
#define CHOICE_MARK '\1' /* begins a choice that is a number, or a word that is empty or begins so */

static inline bool choice_needs_mark(const char *word)
{
	return !*word || *word == CHOICE_MARK;
}

/* All bytes are fields: set it to zero first. */
struct attribute {
	uint32_t name; /* a word of the program's dictionary */
	uint32_t choices; /* CHOICES_NONE: the value is a number; else the words of which the number chooses */
	struct value value;
};

/* The id of these attributes, in this order; of these words. */
uint32_t program_attributes(struct program *, const struct attribute *, size_t count);
uint32_t program_choices(struct program *, const char *const *word, size_t count);

/* The attributes of an id: how many. attribute: room for ATTRIBUTES_MOST. */
size_t program_get_attributes(const struct program *, uint32_t id, struct attribute *attribute);

/* The attribute of this name of a statement; false: it has none. */
bool program_attribute(const struct program *, size_t statement, uint32_t name, struct attribute *);

/* The indices on which the attributes of an id depend, a bit each. */
uint32_t program_attributes_indices(const struct program *, uint32_t id);

/* The value of one execution. */
struct attribute_value {
	bool there; /* does the event carry it at all? */
	const char *word; /* NULL: it is a number */
	int64_t number;
};
struct attribute_value attribute_at(const struct program *, const struct attribute *, const struct spot *);

/* Is the word a whole number as one would print it? A word, in quotes where it would be read as
   anything else. */
bool attribute_is_number(const char *word, int64_t *number);
void attribute_word_print(const char *word, struct text *);

/* NAME=VALUE; the value of one execution, which is there, as a text trace has it. */
void attribute_print(const struct program *, const struct attribute *, struct text *);
void attribute_value_print(const struct attribute_value *, struct text *);

/*
 * Of a text trace: the next NAME=VALUE at *at, which moves behind it. name: where it stands. A word
 * is unquoted into `word`. False, with *error set, where it is no such thing; or, with
 * error->kind ERROR_NONE, at the end.
 */
bool attribute_scan(const char **at, const char **name, size_t *length, struct text *word, struct attribute_value *,
	struct error *);

/* Numbers beyond are words. */
#define ATTRIBUTE_LIMIT (INT64_C(1) << 60)

#endif
