/*
 * path_tree.h -- what all lanes do as one tree, made from call paths.
 *
 *	struct tree_list list;
 *	struct path_source source = {records, paths, point_of, grid};
 *	if (path_tree(builder, &source, &list, &joined))
 *		...
 *
 * The same call, with all calls around it, is the same statement on all lanes, so that nothing has
 * to be aligned but iterations (iterations.h). Loops are those of functions (step_loops.h); what
 * stands in some of their iterations alone is guarded.
 */
#ifndef TRACENEST_MERGE_PATH_TREE_H
#define TRACENEST_MERGE_PATH_TREE_H

#include "merge/recognize.h"
#include "merge/tree.h"
#include "model/call_paths.h"
#include "model/dictionary.h"

struct path_source {
	const struct records *records; /* whole */
	struct call_paths *paths;
	/* By lane, one for each of its records; paths that are cut off outside continue those before
	   them. */
	struct call_point *const *point_of;
	const struct grid *grid; /* of groups that are lines */
};

/*
 * joined: some lanes have the paths of others (joined_paths.h). False: paths do not all come from
 * one function (calls that are known without their callers say nothing of loops), or there are more
 * events or statements than are looked at (PATH_TREE_EVENTS, PATH_TREE_CELLS).
 */
bool path_tree(struct tree_builder *, const struct path_source *, struct tree_list *, bool *joined);

#endif
