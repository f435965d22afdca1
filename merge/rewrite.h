/*
 * rewrite.h -- a draft whose statements are rewritten while that costs its reader less: the
 * table of rewrites is rewrites.def, the measure is the cost of nodes (model/node.h).
 *
 *	struct draft *now = rewritten(draft);
 *	if (now) ... its statements cost less
 *	draft_free(now);
 */
#ifndef TRACENEST_MERGE_REWRITE_H
#define TRACENEST_MERGE_REWRITE_H

#include "model/draft.h"

/* A draft of the same streams in the same store; NULL: nothing costs less. Calls stay where
   all that they call has stayed together. Within a budget of steps (statement_row.h). */
struct draft *rewritten(const struct draft *);

#endif
