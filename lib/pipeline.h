/*
 * pipeline.h -- from a trace to the one program behind it: read, recognize, reduce, build.
 *
 *	struct program_facts facts;
 *	struct module *program = module_of_trace("run/traces.otf2", &(struct program_options){PROGRAM_OPTIONS}, &facts, &error);
 *	if (program)
 *		module_print(program, NULL, out);
 *	program_facts_clear(&facts);
 *	module_free(program);
 *
 * What people would be told on the way stands in the facts. The program does not depend on the
 * number of threads.
 */
#ifndef TRACENEST_LIB_PIPELINE_H
#define TRACENEST_LIB_PIPELINE_H

#include "ask/measures.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "fit/value_columns.h"
#include "lib/transport.h"
#include "merge/merge.h"
#include "model/module.h"
#include "nlr/nlr.h"
#include "trace/trace.h"

struct program_options {
	struct trace_options trace;
	size_t window; /* longest loop body searched for, in terms */
	unsigned repetitions; /* adjacent copies that become a loop */
	double growth; /* as of merge.h */
	bool local; /* the processes one after the other, not merged */
	bool unfolded; /* a line for every event of every process */
	bool constant; /* do not look for numbers that advance */
	bool no_tables, no_guards; /* ... nor for what needs tables, or guards */
	bool no_procedures; /* say everything where it stands, as without tables and guards */
	bool recorded; /* leave loops as they were recognized and reduced */
	/* which values of events to keep (trace/event_values.h); NULL: sizes, where there are any */
	const char *values;
	bool at_sites; /* calls from different lines, alike otherwise, are not recognized as the same */
	bool no_sites; /* do not tell where in the source statements are */
	const struct site_names *site_names; /* NULL; or what the sites of an online model mean (fit/value_columns.h) */
	bool lenient; /* go on where messages, or members of collectives, are missing */
	unsigned jobs; /* threads; 0: all cores */
	bool online; /* the path is of what a run left of its model itself (lib/online.h) */
	const struct transport *transport; /* NULL; or several processes share the reading of an archive */
	struct progress progress;
};

/* A process that has sent, or received, so many messages that differ in peer and tag alone is taken
   to count with them; where nothing is merged, one. */
#define PROGRAM_DISTINCT 48

/* The defaults; jobs and progress are 0. */
#define PROGRAM_OPTIONS .window = NLR_WINDOW, .repetitions = NLR_REPETITIONS, .growth = MERGE_GROWTH

struct program_facts {
	struct trace_facts trace;
	bool communicators_dropped; /* sends and receives do not balance with them */
	struct ranks window_hit; /* where a repetition longer than the window may have been missed */
	struct measures local; /* of the processes one after the other; known where trace.processes > 0 */
	struct missing_records missing; /* what the archive shows to have happened, and does not hold */
	struct error incomplete; /* of kind ERROR_NONE: every message is received, every collective is complete */
	struct error unrecorded; /* calls were made that left no record; of kind ERROR_NONE: none is known */
	/* messages are received before they can have been sent; of kind ERROR_NONE: none is known
	   to be */
	struct error cyclic;
	bool merged; /* then: */
	struct measures global; /* of the program */
	struct merge_report merge;
	struct notes apart; /* loops that communicate and were left apart, a line for people each */
	char *left_out; /* names of values that follow no formula, and are not told; NULL: none */
	uint32_t roles, idle; /* of the program: classes of processes that do the same; processes without events */
};

/*
 * path: an OTF2 anchor file, a text trace, a directory of text traces, or "-" (text on standard
 * input). options: NULL for the defaults. NULL with *error set on failure: ERROR_INCONSISTENT where
 * the communication is incomplete, or cannot have happened, and a global program was asked for
 * without `lenient`. The facts tell as far as it came, and are to be cleared in any case. O(events)
 * to read, memory follows what does not repeat. What the program says of loops holds
 * (ask/consistency.h): where a shorter text would not, it is the shortest one found of which it
 * does. With a transport the first process gets the program, byte for byte the one that it would
 * have made alone; the others NULL and ERROR_NONE.
 */
struct module *module_of_trace(
	const char *path, const struct program_options *, struct program_facts *, struct error *);
void program_facts_clear(struct program_facts *);

/* Is it an archive: its anchor file, .otf2, or its folder? */
bool program_is_of_archive(const char *path);

/* What a module without calls stands for, folded over the processes, numbers advancing with the
   indices of loops. NULL with *error set where it cannot be unfolded (ask/unfolding.h). */
struct module *module_fold(const struct module *, struct error *);

/* As it would have been made: one that is plain is folded. Takes the module, which may be NULL.
   NULL with *error set where it cannot be unfolded. */
struct module *module_as_made(struct module *, struct error *);

/* Its events get what these carry, as attributes. Takes the module. NULL with *error set as of
   value_columns_attach. */
struct module *module_with_values(struct module *, struct value_columns *, struct error *);

/* A stored model as it is, where a parametric one is refused; or of an archive, made with these
   values of events (program_options). NULL with *error set. */
struct module *module_of_file(const char *path, const char *values, bool lenient, struct error *);

#endif
