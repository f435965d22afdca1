/*
 * path.h -- the critical path, carried forward: what would be the path if the run ended here, for
 * each process, in pieces that are shared.
 *
 *	struct paths *p = paths_new(constructs);
 *	struct piece *mine = piece_new(p, NULL);		-- a process begins
 *	piece_add(p, mine, &cell);				-- it computed
 *	struct piece *later = piece_new(p, mine);		-- from here on others may refer to `mine`
 *	...
 *	paths_decide(p, last);				-- the run ended here: all that is left is taken
 *	paths_free(p);
 *
 * Pieces are a tree that grows at its leaves: a piece holds what happened on the path since the
 * piece before it. A piece that one other alone refers to is merged with that; what lies before all
 * that is still alive is decided: it is handed over and dropped. So memory follows the processes
 * and the messages in flight, times the cells that their pieces distinguish.
 *
 * Most pieces hold a cell or two and are dropped before long, for the path went elsewhere: so what
 * is added is kept as it comes, and taken apart into steps, which add up over many cells, only
 * where pieces are merged or decided.
 */
#ifndef TRACENEST_TIME_PATH_H
#define TRACENEST_TIME_PATH_H

#include "time/analysis.h"

/* Where in the program: the innermost loop around (ANALYSIS_NO_LOOP), and the indices of all of
   them. */
struct iteration_vector {
	size_t loop;
	uint32_t depth; /* indices kept */
	uint32_t index[ANALYSIS_DEPTH];
};
bool iteration_vectors_equal(const struct iteration_vector *, const struct iteration_vector *);

/* Place and construct. */
struct cell {
	struct iteration_vector place;
	uint32_t construct;
};

/* What the path did in one cell of one process. */
struct path_cell {
	struct cell at;
	uint32_t rank;
	/* what its calls were for: PATH_LINK and a link, PATH_MEETING and a collective's label,
	   PATH_AWAY, or PATH_NOTHING */
	uint32_t cause;
	uint64_t work, call; /* ticks */
	uint32_t hops; /* the path came from another process */
	uint32_t times; /* calls for that cause */
};

/* Time on the path: added up by `construct` and `where`. */
struct path_step {
	uint32_t construct;
	/* PATH_RANK and a rank, PATH_LINK and a link, PATH_MEETING and a collective (`hops`: how
	   many), PATH_AWAY; or the depth of a loop and an index of it */
	uint32_t where;
	uint64_t work, call; /* ticks */
	uint64_t hops; /* the path came from another process */
};

#define PATH_SHIFT 29
#define PATH_RANK (UINT32_C(7) << PATH_SHIFT)
#define PATH_LINK (UINT32_C(6) << PATH_SHIFT)
#define PATH_MEETING (UINT32_C(5) << PATH_SHIFT)
#define PATH_AWAY (UINT32_C(4) << PATH_SHIFT)
#define PATH_INDEX ((UINT32_C(1) << PATH_SHIFT) - 1)
#define PATH_NOTHING UINT32_MAX

struct piece;
struct paths;

/* What is decided is handed to these, each step once, in no order (constructs_take); where memory
   asks for it, steps are said coarser (constructs_coarse), which changes nothing of that. */
struct constructs;
struct paths *paths_new(struct constructs *);
void paths_free(struct paths *);

/* A new piece behind another one (NULL: behind nothing), with one reference, the caller's. */
struct piece *piece_new(struct paths *, struct piece *before);
struct piece *piece_keep(struct piece *); /* another reference */
void piece_drop(struct paths *, struct piece *); /* NULL is fine */
void piece_add(struct paths *, struct piece *, const struct path_cell *);

/* What comes before a piece is not known yet; it is now: another piece, or (NULL) what it was when
   it was made. */
void piece_open(struct piece *);
void piece_close(struct paths *, struct piece *, struct piece *before);

/* Merge and hand over what can be, if there is much. At any time. */
void paths_tidy(struct paths *);

/* The run ends behind this piece: all of its path that was not yet handed over is. */
void paths_decide(struct paths *, struct piece *last);

/* Pieces that there were at once, at most. */
size_t paths_most(const struct paths *);

#endif
