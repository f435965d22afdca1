/*
 * builder.h -- from what all processes do to the text that a reader of the source expects.
 *
 *	struct draft *built = build(module, &(struct build_options){.cost = cost, .accept = accept});
 *	...
 *	draft_free(built);
 *
 * One pipeline with one measure, the reader's cost (ask/cost.h), as design 17 has it: whole records
 * are recognized per process (recognize.h), processes that do the same but for numbers are a class,
 * classes become one tree (unite.h), bodies that stand in several places are procedures
 * (outline.h), copies that differ in numbers are loops over these (reroll.h), numbers are functions
 * of the process and of indices, or tables (fit/). What comes out is compared with what went in,
 * record by record.
 */
#ifndef TRACENEST_MERGE_BUILDER_H
#define TRACENEST_MERGE_BUILDER_H

#include "ask/cost.h"
#include "model/call_paths.h"
#include "model/draft.h"

struct build_options {
	bool no_tables, no_guards; /* is this not wanted? */
	bool as_it_stands; /* are loops not to be recognized anew? */
	bool at_sites; /* are events at different sites different? */
	/* What a program costs its reader with all that its events carry; a total of UINT64_MAX: it
	   cannot be written. And may it be (ask/consistency.h)? That is asked of the cheapest first. */
	struct cost (*cost)(void *context, struct draft *);
	bool (*accept)(void *context, struct draft *);
	/* NULL; or the paths of what happens, and by process one for each of so many events in order:
	   the array is the builder's; NULL: not known. */
	struct call_paths *paths;
	struct call_point *(*points_of)(void *context, uint32_t process, uint64_t events);
	void *context;
};

/*
 * A program of the same streams, with the sizes (bytes, received) that the events of this one
 * carry, and nothing else behind its statements. NULL: there is too much to be looked at
 * (BUILD_RECORDS), or nothing that can be said. The module has no calls. O(events) to read it; from
 * there on classes and their compressed size count.
 */
struct draft *build(const struct module *, const struct build_options *);

#endif
