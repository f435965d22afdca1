/*
 * cost.h -- the reader's cost: what a program's text costs who reads it. The only measure that any
 * decision between texts uses.
 *
 * A statement (a message, a collective, a loop, a guard, a call), the head of a procedure, a table
 * cost 1; 0.3 each argument of a call, each entry of a table as it is printed (a number, a run, a
 * letter of a packed word), each further item of a set or of a list of iterations, each remainder,
 * division and power; 0.1 each further term in braces; a look-up in a table where peers, tags,
 * counts, conditions or arguments stand 0.25, behind the semicolon 0.1; a message or a collective
 * 1 for each line of the source that it stands for beyond the first. Whoever makes a node counts
 * it (model/derive.c), module_cost adds up. Weights between 0.2 and 0.4 for an entry rank pairs of
 * texts as people did.
 *
 * A builder chooses with 0 for the head of a procedure that is a function of the source, and 0.5
 * for a call of it: its reader knows them. A finished text is counted as above, whatever its names.
 *
 * Before there is a text, trees and numbers are compared by estimates of it, the weights below.
 */
#ifndef TRACENEST_ASK_COST_H
#define TRACENEST_ASK_COST_H

#include <stdint.h>

#include "model/module.h"

/* Estimates, in hundredths. */
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
	uint64_t lines; /* statements, loops, calls, heads of procedures; no guards */
	uint64_t arguments, guards, tables, entries;
	uint64_t lookups; /* but those behind the semicolon */
	uint64_t remainders, affine; /* numbers in braces, with %, / or ^ outside of brackets, and without */
	uint64_t longest; /* entries of the longest table */
	uint64_t sizes; /* hundredths: tables of sizes, and their entries; in the total */
	uint64_t callers; /* hundredths: lines of the source that only call others; in the total */
	uint64_t total; /* hundredths */
};

/* Of its text. O(nodes of the text) */
struct cost text_cost(const struct module *);

#endif
