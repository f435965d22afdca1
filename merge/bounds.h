/*
 * bounds.h -- where passes over the joint tree stop looking, and why: all of these limits stand
 * here.
 */
#ifndef TRACENEST_MERGE_BOUNDS_H
#define TRACENEST_MERGE_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

/* What a change has to save, in hundredths of a statement: a loop that saves less than an argument
   is not easier to read than its copies. */
#define REROLL_SAVES 30
#define OUTLINE_SAVES 150

/* Of a run of copies, each segment is tried where the copies are this many at most (36 segments);
   of longer runs those where numbers advance evenly, and the whole. */
#define REROLL_ALL 8

/* Messages to neighbours that are a loop over a table of offsets: two are read faster than it. */
#define STENCIL_LEAST 3

/* Statements that a recognized loop is when it is copies again: levels of a V-cycle are some 20
   calls, or 240 messages; what is longer repeats by time steps, not by levels. */
#define REROLL_UNROLLED 512

/* The same of a loop that is rotated because it sends to whom it received from an iteration before:
   a master's, which hands out so many pieces of work. */
#define REROLL_ROTATED ((size_t)1 << 16)

/* Where in a run its loops may begin: the price of phases differs by what is left over at the ends
   alone, which is less than a period. */
#define REROLL_PHASES 6

/* Period of a loop whose copies are a run of a shorter period themselves (a pair of sizes that
   alternate, 26 neighbours): every multiple of a period is one, so that long runs have many. */
#define REROLL_MULTIPLE 40

/* Statements of a procedure at least: two are read at a glance. */
#define OUTLINE_STATEMENTS 3

/* Parameters of a procedure: by what differs from process to process, and from statement to
   statement; calls with more arguments are tables. */
#define OUTLINE_BY_LANE 6
#define OUTLINE_PARAMETERS 8

/* Processes whose records are looked at for iterations that differ: so many records, or so many for
   each statement that they are without; and so many classes, as many as are united
   (BUILD_CLASSES). */
#define ANCHORS_SHORT 4096
#define ANCHORS_RATIO 256
#define ANCHORS_CLASSES 32

/* Anchors that are tried in one sequence: those that occur most often; in so many iterations. Of a
   loop the anchor is nearly always the most frequent symbol, or next to it. */
#define ANCHORS_TRIED 8
#define ANCHORS_LEAST 3

/* Blocks that are loops wherever they stand, and how long they are: an inner loop of a solver has
   30 statements; the third best has never been the one. */
#define ANCHORS_BLOCK 48
#define ANCHORS_BLOCKS 3

/* Of a loop whose iterations differ: statements of its body, and different iterations (a table of
   more is not read); places times iterations, a byte each; comparisons of all iterations of a
   sequence, 1 ns each; loops in one sequence. */
#define ANCHORS_BODY ((size_t)1000)
#define ANCHORS_KINDS 400
#define ANCHORS_PRESENT (UINT64_C(1) << 24)
#define ANCHORS_CELLS (UINT64_C(1) << 26)
#define ANCHORS_LOOPS 64

/* Messages of a loop that are counted to see whether they cross its iterations: what is made all
   the same is proven, or not taken, when the text is there. */
#define FLOWS_MOST ((size_t)1 << 14)

/* Events of a united tree whose ends are compared: of so many, 120 MB. ScaLAPACK's LU test on four
   grids has 374,028. */
#define FISSION_EVENTS (UINT64_C(1) << 20)

/* Loops inside of a loop that is taken apart are looked at again: as deep as loops mostly nest. */
#define FISSION_ROUNDS 4

/* Numbers of one slot: more are not looked at for a formula. A table of them would not be read. */
#define PRICE_POINTS ((size_t)1 << 22)

/* Items of a period that is looked for from the inside out, once what is inside is loops: a time
   step has some tens of phases. Rounds: of each at least one loop comes, ScaLAPACK's LU takes
   20. */
#define INSIDE_OUT_PERIOD 64
#define INSIDE_OUT_ROUNDS 64

/* Numbers of one slot of a lane by all indices, from the inside out, if no period tells them: eight
   messages in each of 200 steps. Binds on AMG, all of whose messages are one loop so (3,404). */
#define INSIDE_OUT_NUMBERS ((size_t)1 << 11)

/* Times that all is looked at again because activations end elsewhere: as often as calls of loops
   nest, which is 4 in ScaLAPACK's LU. */
#define ACTIVATION_ROUNDS 12

/* Activations of a function at one place that repeat nothing, where it repeats at others: of so
   many that should have, it is another who repeats. */
#define ACTIVATION_HABIT UINT64_C(4)

/* Ways to begin the iterations of a loop: so many single entries are tried, and steps that may be
   in all iterations, in loops as deep as this; sequences that are compared; entries of a table
   that is not read anyway (of 40 and fewer a refinement of solutions inside a loop over right hand
   sides, ScaLAPACK's pdgerfs, is one loop of conditions, as its columns are all as dear then). */
#define STEP_LOOPS_ENTERED 4
#define STEP_LOOPS_HEADS 64
#define STEP_LOOPS_DEPTH 2
#define STEP_LOOPS_SEEN ((size_t)1000)
#define STEP_LOOPS_ENTRIES 90

/* What two loops that begin together do: so many times as much as the inner one, or there is one
   with a condition in it. (CG's reduction along a row is a quarter of an iteration.) Where another
   step of it is repeated, too, less is enough: of the three of LU's ssor, blts and buts are. */
#define STEP_LOOPS_INNER 4
#define STEP_LOOPS_INNER_BESIDE 3

/* Events whose paths are looked at, 80 bytes each, and 50 more where iterations are aligned;
   statements by iterations, 24 bytes each. */
#define PATH_TREE_EVENTS (UINT64_C(1) << 21)
#define PATH_TREE_CELLS (UINT64_C(1) << 26)

/* Events in which a lane without call paths differs from one that has them (16 MB, and so many
   steps for each event); different lanes that it is compared with; paths on which events of a shape
   happen. */
#define JOINED_PATHS_EDITS 2000
#define JOINED_PATHS_LIKE 64
#define JOINED_PATHS_OF_SHAPE 64

/* Iterations that are written one after the other where each does something else: commands of a
   script; 16 are no program to be read. A loop is the source's, and stays where that saves no more
   than so many statements; statements by lanes and iterations that are looked at, 0.1 us each. */
#define PATH_TREE_UNROLLED 16
#define PATH_TREE_SAVES 3
#define PATH_TREE_LOOKED_AT ((size_t)1 << 20)

#endif
