/*
 * stored_numbers.h -- statements as profiles number them: as lines, but that the condition of an
 * event in its own line (a process that is named; a peer that may be outside of the grid) has a
 * number before that of the event. Nobody else counts so; the form of profiles stays.
 *
 *	struct stored_numbers n = stored_numbers_of(module);
 *	... n.of_line[line] ... n.line[number] ...
 *	stored_numbers_clear(&n);
 */
#ifndef TRACENEST_PROFILE_STORED_NUMBERS_H
#define TRACENEST_PROFILE_STORED_NUMBERS_H

#include "model/module.h"

struct stored_numbers {
	size_t *of_line;
	size_t *line; /* by number */
	size_t count; /* of numbers */
};

/* The module has no calls. O(lines). */
struct stored_numbers stored_numbers_of(const struct module *);
void stored_numbers_clear(struct stored_numbers *);

/* Is it that of a condition? */
static inline bool stored_is_condition(const struct stored_numbers *n, size_t number)
{
	return n->of_line[n->line[number]] != number;
}

/* Has the event on this line one? */
static inline bool stored_has_condition(const struct stored_numbers *n, size_t line)
{
	return n->of_line[line] && n->line[n->of_line[line] - 1] == line;
}

#endif
