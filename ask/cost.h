/*
 * cost.h -- the reader's cost: what a program's text costs who reads it. The only measure that any
 * decision between texts uses.
 *
 * A statement, a loop, a call, the head of a procedure cost 1; an argument of a call 0.3; a guard
 * 0.5; a table 1, an entry of it as it is printed 0.3 (a number, a run, a letter of a packed word); a
 * look-up in a table where peers, tags, counts, conditions or arguments stand 0.25. Weights between
 * 0.2 and 0.4 for an entry rank pairs of texts as people did. That is the total of a finished text.
 *
 * A builder chooses with 0 for the head of a procedure that is a function of the source, and 0.5
 * for a call of it: its reader knows them. A finished text is counted as above, whatever its names.
 *
 * Whoever chooses between ways to write a number also counts 0.3 for one with a remainder or a
 * power, 0.15 for one that is affine. Of a text these are told, but not in its total.
 */
#ifndef TRACENEST_ASK_COST_H
#define TRACENEST_ASK_COST_H

#include <stdint.h>

#include "model/module.h"

/* In hundredths. */
enum {
	COST_STATEMENT = 100,
	COST_PROCEDURE = 100,
	COST_FUNCTION_CALL = 50, /* of a function of the source */
	COST_ARGUMENT = 30,
	COST_GUARD = 50,
	COST_TABLE = 100,
	COST_ENTRY = 30,
	COST_LOOKUP = 25,
	COST_REMAINDER = 30,
	COST_AFFINE = 15
};

struct cost {
	uint64_t lines; /* statements, loops, calls, heads of procedures */
	uint64_t arguments, guards, tables, entries, lookups;
	uint64_t loops; /* of the lines */
	uint64_t remainders, affine; /* numbers in braces; not in the total */
	uint64_t longest; /* entries of the longest table */
	uint64_t sizes; /* hundredths: tables of sizes, and their entries; in the total */
	uint64_t total; /* hundredths */
};

/* Of its text. O(nodes of the text) */
struct cost text_cost(const struct module *);

#endif
