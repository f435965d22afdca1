/*
 * declared_sites.h -- the sites of a program as its text declares them, and the comments that name
 * them.
 *
 *	0 send 1 tag1 // rhs.f:203
 *	0 send 2 tag1 // ssor.f:90 > norm.f:7
 *	// sites
 *	// ssor.f:90 ssor > norm.f:7 norm
 *	// ssor.f:120,131 ssor
 *	// ssor.f:140 ssor
 *	//   norm.f:7 norm
 *	//   rhs.f:203,210 compute_rhs
 *
 * Declarations are a tree of calls: what stands behind " > ", or two blanks further in, is called
 * from there. A comment names the innermost frame, and stands for all paths that end in it; where
 * others do, too, the caller, "ssor.f:90 > norm.f:7"; or a frame that is further out, "main.f:12 >
 * ... > norm.f:7"; or, behind " > ", all of the path. Lines of different functions are not told
 * apart, nor the callers where there are many. Of "lib.so+0x40 A::f", where the line is not known,
 * the name is that of the function: behind an event all declared calls in it, or "A::f#2,3", the
 * second and third by their offsets; "A::f#0" is no call but the function, which needs no number
 * behind a loop.
 *
 *	struct declared_sites *d = declared_sites_new(places);
 *	declared_sites_line(d, " ssor.f:90 ssor");	-- reading: each line, without its slashes
 *	id = declared_sites_find(d, "rhs.f:203,210", false);	-- then comments: SITES_NONE: none
 *	declared_sites_free(d);
 *
 *	declared_sites_use(d, id);			-- writing: all that statements have
 *	declared_sites_name(d, id, false, text);
 *	declared_sites_print(d, text);
 */
#ifndef TRACENEST_MODEL_DECLARED_SITES_H
#define TRACENEST_MODEL_DECLARED_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct site_places;
struct declared_sites;

/* Borrows the places, to which reading adds paths and sets of paths. */
struct declared_sites *declared_sites_new(struct site_places *);
void declared_sites_free(struct declared_sites *);

/* Writing: so that what this set of paths needs is declared. Before any is named; again: O(1). */
void declared_sites_use(struct declared_sites *, uint32_t id);

void declared_sites_line(struct declared_sites *, const char *line);
uint32_t declared_sites_find(struct declared_sites *, const char *comment, bool of_loop);

/* Before anything is found by the same declarations, which may add paths. O(paths of the id times
   those declared of the same innermost sites). */
void declared_sites_name(struct declared_sites *, uint32_t id, bool of_loop, struct text *);
void declared_sites_print(const struct declared_sites *, struct text *);

#endif
