/*
 * attributes.h -- what the events of a statement carry besides who passes what to whom: sizes,
 * datatypes, call sites.
 *
 *	[0-15] p send (p+1)%16 tag1 ; bytes={1600+80*i0} type=MPI_DOUBLE site="main.c:7 main"
 *
 * Behind a statement stand pairs NAME=VALUE. A value is a number, as a function of the process, its
 * place on the grid and the indices of the loops around (number.h); or a word. Words that differ
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
#include "model/statement_limits.h"

/* The value of one execution. */
struct attribute_value {
	bool there; /* does the event carry it at all? */
	const char *word; /* NULL: it is a number */
	int64_t number;
};

/* Is the word a whole number as one would print it? A word, in quotes where it would be read as
   anything else. */
bool attribute_is_number(const char *word, int64_t *number);
void attribute_word_print(const char *word, struct text *);

/* One that is there, as a text trace has it. */
void attribute_value_print(const struct attribute_value *, struct text *);

/* "NAME=" at *at, which moves behind it to a value. False, with *error set: it is no such thing. */
bool attribute_name(const char **at, const char **name, size_t *length, struct error *);

/*
 * Of a text trace: the next NAME=VALUE at *at, which moves behind it. name: where it stands. A word
 * is unquoted into `word`. False, with *error set, where it is no such thing; or, with
 * error->kind ERROR_NONE, at the end.
 */
bool attribute_scan(const char **at, const char **name, size_t *length, struct text *word, struct attribute_value *,
	struct error *);

/*
 * Of a name that ends with "[q]" the value is a number for each member q of the event's group, a
 * rank: what the process has for that one. In a program it is a formula of q, too; of one execution,
 * a word that lists the numbers in the order of ranks, "0,800,0*5,400", v*n being n of them; of a
 * group of one it is the number.
 */
#define MEMBER_NAME 'q'
bool attribute_is_by_member(const char *name);
void member_list_add(struct text *, int64_t number, uint64_t times); /* runs as long as they are */
/* The next run of a list, whose rest *at is; false: it has no more, or is no list. */
bool member_list_next(const char **at, int64_t *number, uint64_t *times);

/* Numbers beyond are words. */
#define ATTRIBUTE_LIMIT (INT64_C(1) << 60)

#endif
