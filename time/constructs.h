/*
 * constructs.h -- what is added up while a trace is read: time by construct and process, and over
 * iterations.
 *
 *	uint32_t c = constructs_get(all, &key);
 *	constructs_work(all, &(struct cell){place, c}, rank, 120);
 *	constructs_finish(all, analysis);
 */
#ifndef TRACENEST_TIME_CONSTRUCTS_H
#define TRACENEST_TIME_CONSTRUCTS_H

#include "ask/overview.h"
#include "time/analysis.h"
#include "time/path.h"

struct constructs;

/* Borrows the module alone. */
struct constructs *constructs_new(const struct overview *, bool regions);
void constructs_free(struct constructs *);

/* A name of a region, a tag or a collective. */
uint32_t constructs_label(struct constructs *, const char *name);
/* It is met on this line, which decides where it stands in the names of phases. */
void constructs_first(struct constructs *, uint32_t label, size_t line);
/* What follows in a label tells it from others, and is not said. */
#define CONSTRUCTS_UNSAID "\n"

/* An event of this line is one of this construct, in a region that this one called (a label;
   UINT32_MAX: none). */
void constructs_event(struct constructs *, uint32_t construct, size_t line, uint32_t caller);

/* The construct of a label in a loop. */
uint32_t constructs_get(struct constructs *, size_t loop, uint32_t label, enum construct_sort);

/* The innermost loop around a line; ANALYSIS_NO_LOOP. */
size_t constructs_loop_around(const struct constructs *, size_t line);

/* How many loops are around a place in it, itself included; ANALYSIS_NO_LOOP: 0. */
uint32_t constructs_depth(const struct constructs *, size_t loop);

/* Is this loop around that one, or the same? */
bool constructs_encloses(const struct constructs *, size_t loop, size_t inner);

/* Work of it lies between two events of one execution of a loop so deep, the outermost being 1.
   What never does so in its own loop stands before that, and is moved out of it. */
void constructs_inside(struct constructs *, uint32_t construct, uint32_t depth);

/* What stands before the outermost loop of a construct, or begins its first iteration: which of
   both is known in the end. */
uint32_t constructs_before(struct constructs *, uint32_t construct);

/* So much work of it is between two iterations of the outermost loop: no region says of which. */
void constructs_between(struct constructs *, uint32_t construct, uint64_t work);

/* Without regions: these two are one phase. */
void constructs_join(struct constructs *, uint32_t, uint32_t);

/* Time of a process, in ticks. */
void constructs_work(struct constructs *, const struct cell *, uint32_t rank, uint64_t time);
/* What a process has of it, borrowed until the next is asked for. */
struct analysis_share *constructs_share(struct constructs *, uint32_t construct, uint32_t rank);
void constructs_count(struct constructs *, const struct cell *, uint32_t rank, uint64_t events); /* of a call */
void constructs_wait(
	struct constructs *, const struct cell *, uint32_t rank, enum wait_kind, uint32_t culprit, uint64_t time);
/* As a link of one message. */
void constructs_message(struct constructs *, const struct cell *, const struct analysis_link *);

/* The critical path: what it did in a cell of a process, and what for; its steps are taken back
   when decided. */
void constructs_path(struct paths *, struct piece *, const struct cell *, uint32_t rank, uint64_t work, uint64_t call,
	bool hop, uint32_t cause);
/* The cause that messages of this pair are in this construct. */
uint32_t constructs_link(struct constructs *, uint32_t construct, uint32_t source, uint32_t destination);
void constructs_take(struct constructs *, const struct path_step *);
uint32_t constructs_coarse(struct constructs *, uint32_t construct, uint32_t where);

/* Is there much, so that it pays to say where all have passed? */
bool constructs_full(const struct constructs *);

/* No process will come back to iterations of this outermost loop below this one. */
void constructs_passed(struct constructs *, size_t loop, uint64_t iteration);

/* Move everything into the analysis: constructs, totals, losses. */
void constructs_finish(struct constructs *, struct analysis *);

#endif
