/*
 * site_paths.h -- which line of a program is where in its source.
 *
 *	struct sites *s = sites_new(module, frames);
 *	path = call_paths_know(module->places.paths, "rhs.f:203 compute_rhs < main.f:12 main");
 *	sites_of_line(s, line, &path, 1);	-- all that the events of a line have
 *	sites_finish(s, said_at);		-- lines have their sites, loops their functions
 *
 * What an event has is a path of calls, the innermost first, of which the module keeps the first.
 * A loop gets the innermost function that holds all its events: that of the frame which their paths
 * have in common, as far as they reach; of single calls the function, if it is the same; or one
 * further out, if it is known to be the one that loops. What one line of a procedure stands for has
 * the sites of all calls.
 */
#ifndef TRACENEST_MODEL_SITE_PATHS_H
#define TRACENEST_MODEL_SITE_PATHS_H

#include "model/module.h"

struct sites;

/* Of an event with sites in more lines, the function that holds them is told. */
#define SITES_LISTED 8

/* Borrows the module, which has no procedures. frames: by line, as drafts have it (model/draft.h); or
   NULL. */
struct sites *sites_new(struct module *, const uint32_t *frames);

void sites_of_line(struct sites *, size_t line, const uint32_t *path, size_t count);

/* Takes the sites. said_at: by line the one whose text stands for it, where a program is written
   with calls; or NULL. O(lines, pairs of paths that meet). */
void sites_finish(struct sites *, const size_t *said_at);
void sites_free(struct sites *); /* NULL is fine; lines keep what they have */

#endif
