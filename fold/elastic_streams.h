/*
 * elastic_streams.h -- what the processes of a program do as trees (elastic_tree.h): processes that
 * do the same but for numbers have one together.
 *
 *	struct elastic_streams *s = elastic_streams_new(program, local);
 *	struct elastic_trees t;
 *	if (elastic_trees_make(s, ELASTIC_LOOPS, ELASTIC_RUNS, false, &t))
 *		...
 *	elastic_trees_clear(&t);
 *	elastic_streams_free(s);
 *
 * A tree is made of the loops of a process as they were recognized, or, where these are none that
 * others have, too, of its events one by one.
 */
#ifndef TRACENEST_FOLD_ELASTIC_STREAMS_H
#define TRACENEST_FOLD_ELASTIC_STREAMS_H

#include "ask/projection.h"
#include "base/intern.h"
#include "fold/elastic_tree.h"
#include "model/program.h"

/* What must be equal: an event without its peer and, where there are many, the number of its
   tag. */
struct elastic_shape {
	uint32_t kind, word, group, numbered;
	uint64_t number;
	int64_t communicator;
	uint32_t counted, rooted; /* is the number left out; has a sync a root? */
};

struct elastic_streams;

/*
 * Both are borrowed. local: the processes one after the other, as they were recognized, or NULL.
 * O(statements of the local program); without it O(events).
 */
struct elastic_streams *elastic_streams_new(struct program *, const struct program *local);
void elastic_streams_free(struct elastic_streams *);

const struct projection *elastic_projection(const struct elastic_streams *);
const struct elastic_shape *elastic_shape_of(const struct elastic_streams *, uint32_t shape);
bool elastic_has_loops(const struct elastic_streams *);

struct elastic_tree {
	uint32_t *process; /* ascending; their numbers are lanes of the tree's */
	uint32_t processes;
	size_t capacity;
	struct elastic_list list;
};

struct elastic_trees {
	struct elastic_tree *tree;
	size_t length, capacity;
	bool would; /* be smaller with partial iterations? */
};

/* From the loops of a process as they were recognized; from those of them that are too long to be
   written out; from events alone. */
enum elastic_way { ELASTIC_LOOPS, ELASTIC_BODIES, ELASTIC_EVENTS };

/*
 * Which events of a process are the same place?
 *
 *	ELASTIC_SHAPES	those of one shape, whatever their numbers
 *	ELASTIC_RUNS	the same, and neighbours are a loop at any rate
 *	ELASTIC_GIVEN	those of one shape, peer and tag: guards and counts alone are new. What one
 *			process's peers are to it, others are to the next one
 */
enum elastic_sameness { ELASTIC_SHAPES, ELASTIC_RUNS, ELASTIC_GIVEN, ELASTIC_SAMENESSES };

/*
 * partial: may loops have iterations at their ends that lack what the others begin with?
 * False: with ELASTIC_RUNS there are no such neighbours. O(what there is of different trees, times
 * BODY_LIMIT of elastic_tree.c) and, of events, O(events).
 */
bool elastic_trees_make(
	struct elastic_streams *, enum elastic_way, enum elastic_sameness, bool partial, struct elastic_trees *);
void elastic_trees_clear(struct elastic_trees *);

/* Events that are in a loop of their own on some processes, on all of them: is anything
   changed? */
bool elastic_trees_loop_alike(struct elastic_streams *, struct elastic_trees *);

#endif
