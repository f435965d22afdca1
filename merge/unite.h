/*
 * unite.h -- the trees of several classes of processes as one: what they share stands once.
 *
 *	struct tree_list united;
 *	for (int way = 0; way < UNITE_WAYS; way++)
 *		if (unite(builder, &grid, class_of, classes, way, &united))
 *			... price_list(pricing, united, NULL) ...
 *
 * (Design 17, step 4.) Classes are lists whose lanes do not meet. The way tells which nodes may be
 * one; in each, the order that each lane has its statements in stays what it is, and so do its
 * numbers. A peer is seen as a move on the grid (axes 0: none). Only nodes of one kind become one:
 * events of one shape, loops, guards, calls of one procedure.
 */
#ifndef TRACENEST_MERGE_UNITE_H
#define TRACENEST_MERGE_UNITE_H

#include "merge/tree.h"

/*
 *	UNITE_SHAPES	Lists of one structure are one, whatever their numbers. The others are aligned:
 *			nodes of one shape by how alike their numbers are (peer as an offset or as a
 *			constant, tag, sizes), with affine gaps; messages of one shape in a row are
 *			aligned as one item, and inside later.
 *	UNITE_TAGS	The same where messages of different tags are never one: lanes of a class whose
 *			tags differ are classes of their own.
 *	UNITE_PEERS	The same where messages to different peers are never one, either.
 *	UNITE_KTH_TAG	The k-th of a key (shape, tag, communicator, root) of each class is one: a graph,
 *			whose topological order is the list.
 *	UNITE_KTH_PEER	The same, the peer relative to the process in the key, too.
 *	UNITE_KTH_RANK	The same, but the peer's rank: an exchange in order of ranks without a table.
 */
enum unite_way { UNITE_SHAPES, UNITE_TAGS, UNITE_PEERS, UNITE_KTH_TAG, UNITE_KTH_PEER, UNITE_KTH_RANK, UNITE_WAYS };

/*
 * False, and nothing is made: the graph has a cycle (ways KTH), or the way cannot differ from one
 * before it (one class). Never so of UNITE_SHAPES. Memory in use: O(nodes and lanes of all
 * classes), and UNITE_CELLS bytes. Time: O(n log n) of all statements where classes are alike;
 * where they are not, at most UNITE_CELLS comparisons per pair of pieces that nothing in common
 * cuts shorter, and no comparison of pieces that are longer.
 */
bool unite(struct tree_builder *, const struct grid *, const struct tree_list *class_of, size_t classes, enum unite_way,
	struct tree_list *united);

/* The same, for tests of growth: compared is how many pairs of nodes were compared. */
bool unite_counted(struct tree_builder *, const struct grid *, const struct tree_list *class_of, size_t classes,
	enum unite_way, struct tree_list *united, uint64_t *compared);

/* Lists that are joined one after the other onto the largest: as many classes as a grid in three
   dimensions has (27), and as much again. More are joined in groups of so many that are alike, then
   the groups. Binds on a run of 65 processes that all do something else. */
#define UNITE_GROUP 64

/* Cells of a table of alignment, a byte each: pieces of 1,024 by 1,024 statements, 20 ms. AMG on 8
   processes needs it (a quarter: 2,500 statements instead of 2,250); binds on noise. */
#define UNITE_CELLS (UINT64_C(1) << 20)

#endif
