/*
 * counterparts.h -- which line of another program does what a line of this one does.
 *
 *	size_t *of = counterparts_of(before, after);
 *	... of[at]: a line of `after`, or COUNTERPART_NONE
 *	free(of);
 *
 * Programs are texts that were changed here and there, or runs of one on more processes: events are
 * aligned in the order of the text, so that most is matched. Only events of one kind, tag (but for
 * its number, where that is a function) or collective are. Of several ways to do so, that counts
 * more in which call sites, peers and the loops around are the same. Loops belong together if
 * events inside do.
 */
#ifndef TRACENEST_ASK_COUNTERPARTS_H
#define TRACENEST_ASK_COUNTERPARTS_H

#include <stddef.h>

#include "model/module.h"

#define COUNTERPART_NONE SIZE_MAX

/* By line, of modules without calls; no two have the same one. The caller's. O(statements that differ of the one x of
   the other), up to a limit beyond which the k-th events of a sort belong together. */
size_t *counterparts_of(const struct module *, const struct module *other);

#endif
