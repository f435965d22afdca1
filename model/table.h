/*
 * table.h -- numbers that follow no formula, by name: $w[i0], $nbr[p,i1].
 *
 *	struct table *t = table_new("nbr", 2);
 *	table_add(t, 1); table_add(t, 4); table_end(t, 1);	-- $nbr[0,...]
 *	table_add(t, 0); table_end(t, 1);			-- $nbr[1,...]
 *	const struct table *kept = dictionary_table(dictionary, t);
 *
 * A table has one to three arguments, and rows of any length: the last argument counts the entries
 * of a row, the one before it the rows, the first of three the blocks of rows. As text:
 *
 *	$deg[p] = (3 4 4 3)*4
 *	$nbr[p,i1] = 1 4 | 0 2 5 | 1 3 6 | 2 7 |
 *	$w[i0] = 3 1 7 (2 4)*3 0..9 10..90:20 2'142837'
 *
 * a..b counts up or down by one, a..b:s by s, (...)*n is n copies, 2'142837' numbers of two digits,
 * | ends a row and || a block. What is open at the end needs no end.
 *
 * Tables do not change once a dictionary has them, so equal tables of one dictionary are one and
 * the same: their address is their identity. They are shared by copies of the dictionary, also
 * between threads. Entries take as many bits as those around them need.
 */
#ifndef TRACENEST_MODEL_TABLE_H
#define TRACENEST_MODEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ranks.h"
#include "base/text.h"

#define TABLE_ARGUMENTS 3

/* Entries and rows of one table, together. */
#define TABLE_LIMIT (UINT64_C(1) << 27)

struct table;

/* Without entries, of the one who asked for it. name: without the dollar; "" for a set. */
struct table *table_new(const char *name, uint32_t arguments);
struct table *table_share(const struct table *); /* one more who has it */
void table_free(struct table *); /* one less */

/* The same under another name, whoever else has it; what both say is shared. O(1) */
struct table *table_named(const struct table *, const char *name);

void table_add(struct table *, int64_t entry);

/* Ends a row (level 1), or a block and the row that is open in it (level 2). */
void table_end(struct table *, uint32_t level);

/* Ends what is open and makes the table small. Only then it may be asked. */
void table_finish(struct table *);

const char *table_name(const struct table *);
uint32_t table_arguments(const struct table *);
uint64_t table_entries(const struct table *);
int64_t table_entry(const struct table *, uint64_t number); /* in the order of the text */
int64_t table_least(const struct table *); /* of all entries; 0 where there are none */
int64_t table_most(const struct table *);

/* Where a row stands: the number of its first entry, and how many it has. False: there is no such
   row. argument: all but the last. O(1). */
bool table_row(const struct table *, const int64_t *argument, uint64_t *first, uint64_t *length);

bool table_has_block(const struct table *, int64_t number); /* of three arguments */

/* False: there is no such entry. O(1). */
bool table_value(const struct table *, const int64_t *argument, int64_t *value);

/* The greatest common divisor of all entries; 0 where they are all 0. The same table with each
   entry divided by one that divides all; the caller's. */
uint64_t table_divisor(const struct table *);
struct table *table_divided(const struct table *, int64_t by);

/* Is the number among the entries, which ascend? O(log entries). */
bool table_has(const struct table *, int64_t number);

/* The processes that it names: entries with so much added that are ranks, those that are none left
   out. O(entries + processes). */
void table_add_ranks(const struct table *, int64_t plus, uint32_t processes, struct ranks *to);

/* The same entries in the same rows, whatever the names? The same name, too? */
bool table_same(const struct table *, const struct table *);
bool table_equal(const struct table *, const struct table *);
uint64_t table_hash(const struct table *); /* of what table_same compares */

/*
 * What stands behind the equal sign, on lines of their own what would make the first one long.
 * flush: called now and then, to take the text away that is there; may be NULL.
 */
void table_print(const struct table *, struct text *, void (*flush)(void *), void *context);

/* Entries that ascend as a set: {3,17,20..30}; runs of three and more. */
void table_print_set(const struct table *, struct text *);

/* How many entries that text has: a number, a run, a letter between apostrophes, the number of
   copies of rows is one each. It is decided what is printed, but not printed. O(entries). */
uint64_t table_printed_entries(const struct table *);

/* The same for who chooses between a table and a loop: short copies, (1)*5 (3)*5, are counted one
   by one, because what repeats along an index is for a loop to say. */
uint64_t table_entries_to_choose(const struct table *);

/* Read this into a table without entries, and finish it. False with *error (without a place) set
   where it is no such text, or there would be more than TABLE_LIMIT entries. */
bool table_parse(struct table *, const char *text, struct error *);

/* Does the line, without what is blank before it, begin to define a table: "$NAME[...] ="? What is
   between the brackets says only how many arguments there are. */
bool table_is_begun(const char *line);

#endif
