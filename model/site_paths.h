/*
 * site_paths.h -- which statement of a program is where in its source.
 *
 *	struct sites *s = sites_new(program);
 *	path = call_paths_know(program->places.paths, "rhs.f:203 compute_rhs < main.f:12 main");
 *	sites_of_statement(s, at, &path, 1);	-- all that the events of a statement have
 *	sites_finish(s);			-- statements have their sites, loops their functions
 *
 * What an event has is a path of calls, the innermost first, of which the program keeps the first.
 * A loop gets the innermost function that holds all its events: that of the frame which their paths
 * have in common, as far as they reach; of single calls the function, if it is the same; or one
 * further out, if it is known to be the one that loops. What one line of a procedure stands for has
 * the sites of all calls.
 */
#ifndef TRACENEST_MODEL_SITE_PATHS_H
#define TRACENEST_MODEL_SITE_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "model/program.h"

struct sites;

/* Of an event with sites in more lines, the function that holds them is told. */
#define SITES_LISTED 8

/* Borrows the program. */
struct sites *sites_new(struct program *);

void sites_of_statement(struct sites *, size_t statement, const uint32_t *path, size_t count);

/* Takes the sites. O(statements, pairs of paths that meet). */
void sites_finish(struct sites *);

#endif
