/*
 * tag_names.h -- tags that name a process, as 100+p: which of them say the same.
 *
 *	struct tag_names *names = tag_names_new(pair, pairs);
 *	tag_names_told(names, 103) == tag_names_told(names, 104);	-- by processes 3 and 4
 *
 * Messages of such a tag all come from one process, or all go to one. They are told by how much
 * the tag is above that, where several processes have such tags, and do alike: their messages go as
 * far.
 */
#ifndef TRACENEST_MERGE_TAG_NAMES_H
#define TRACENEST_MERGE_TAG_NAMES_H

#include "merge/grids.h"

struct tag_names;

/* NULL: no tag names a process. pair: each once. O(pairs) */
struct tag_names *tag_names_new(const struct grid_pair *pair, size_t pairs);
void tag_names_free(struct tag_names *);

/* Does it name a process? Then what it is told by; equal for those that say the same. names: may be
   NULL. O(1) */
bool tag_names_find(const struct tag_names *, int64_t tag, uint64_t *told);

/* That, or the tag itself. */
uint64_t tag_names_told(const struct tag_names *, int64_t tag);

#endif
