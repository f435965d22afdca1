/*
 * path_stream.c -- records of one number, their word.
 */
#include "tests/path_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/dictionary.h"

struct path_stream *path_stream_new(uint32_t lanes)
{
	static const uint32_t process[PATH_STREAM_LANES] = {0, 1, 2, 3};
	struct path_stream *s = mem_zero(sizeof *s);
	s->builder = tree_builder_new(lanes, process);
	s->records = records_new(lanes);
	s->paths = call_paths_new();
	records_keep_all(s->records);
	return s;
}

void path_stream_free(struct path_stream *s)
{
	for (int i = 0; i < PATH_STREAM_LANES; i++)
		free(s->point[i]);
	records_free(s->records);
	call_paths_free(s->paths);
	tree_builder_free(s->builder);
	free(s);
}

void path_stream_push(struct path_stream *s, uint32_t lane, uint32_t path, uint32_t kind, uint32_t word)
{
	struct tree_shape shape;
	struct record record;
	memset(&shape, 0, sizeof shape);
	memset(&record, 0, sizeof record);
	shape.kind = kind;
	shape.word = word;
	record.shape = intern_id(s->builder->shapes, &shape, sizeof shape);
	records_push(s->records, lane, records_id(s->records, &record));
	*MEM_PUSH(s->point[lane], s->length[lane], s->capacity[lane]) = (struct call_point){.path = path};
}

void path_stream_know(struct path_stream *s, uint32_t lane, uint32_t entered, bool exact)
{
	struct call_point *last = &s->point[lane][s->length[lane] - 1];
	last->entered = entered;
	last->exact = exact;
}

void path_stream_find(struct path_stream *s)
{
	struct path_source source = {s->records, s->paths, s->point, &(struct grid){0}};
	s->good = path_tree(s->builder, &source, &s->list, &s->joined);
}

static int64_t number_at(const struct path_stream *s, indexed v, const size_t *index, size_t depth)
{
	for (size_t i = 0; i < depth && v != INDEXED_NONE; i++)
		v = indexed_at(s->builder->store, v, index[i]);
	return v == INDEXED_NONE ? 0 : indexed_get(s->builder->store, v);
}

#define DEPTH_MOST 256

static void run_list(
	const struct path_stream *s, struct tree_list list, size_t *index, bool *guard, size_t depth, struct text *to)
{
	for (size_t i = 0; i < list.length; i++) {
		const struct tree_node *n = list.node[i];
		if (n->kind == TREE_EVENT) {
			for (size_t k = 0; k < depth; k++)
				if (!guard[k])
					text_format(to, "%zu.", index[k]);
			text_format(to, "%u ", tree_shape(s->builder, n)->word);
			continue;
		}
		int64_t count = number_at(s, n->slot[0][0], index, depth);
		guard[depth] = n->kind == TREE_GUARD;
		for (index[depth] = 0; (int64_t)index[depth] < count; index[depth]++)
			run_list(s, n->body, index, guard, depth + 1, to);
	}
}

void path_stream_run(const struct path_stream *s, struct text *to)
{
	size_t index[DEPTH_MOST];
	bool guard[DEPTH_MOST];
	run_list(s, s->list, index, guard, 0, to);
}
