/*
 * path_stream.h -- events with their call paths, and the structure that these tell.
 *
 *	struct path_stream *s = path_stream_new(1);
 *	path_stream_push(s, 0, call_paths_inside(s->paths, CALL_PATH_NONE, "p.c:3 main"), EVENT_LOCAL, 7);
 *	path_stream_find(s);		-- s->good: s->list
 *	path_stream_free(s);
 */
#ifndef TRACENEST_TESTS_PATH_STREAM_H
#define TRACENEST_TESTS_PATH_STREAM_H

#include "base/text.h"
#include "merge/path_tree.h"

#define PATH_STREAM_LANES 4

struct path_stream {
	struct tree_builder *builder;
	struct records *records;
	struct call_paths *paths;
	struct call_point *point[PATH_STREAM_LANES];
	size_t length[PATH_STREAM_LANES], capacity[PATH_STREAM_LANES];
	struct tree_list list;
	bool good; /* is there a list? */
	bool joined; /* have some lanes the paths of others? */
};

struct path_stream *path_stream_new(uint32_t lanes);
void path_stream_free(struct path_stream *);

/* kind: enum event_kind; events of one word are alike. */
void path_stream_push(struct path_stream *, uint32_t lane, uint32_t path, uint32_t kind, uint32_t word);

/* What is known of the calls of the last one. */
void path_stream_know(struct path_stream *, uint32_t lane, uint32_t entered, bool exact);

void path_stream_find(struct path_stream *);

/* What the first lane does as the list has it, "0.2.7 ": the iterations of the loops around each
   event, and its word. */
void path_stream_run(const struct path_stream *, struct text *);

#endif
