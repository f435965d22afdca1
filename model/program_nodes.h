/*
 * program_nodes.h -- a program of the older form (program.h) as a module with its run (run.h),
 * while what is asked of programs moves from the one to the other. It goes with the older one.
 *
 *	const struct program_nodes *n = program_nodes(program, &error);
 *	run_each(n->run, ...)
 */
#ifndef TRACENEST_MODEL_PROGRAM_NODES_H
#define TRACENEST_MODEL_PROGRAM_NODES_H

#include "model/program.h"
#include "model/prepared.h"

struct program_nodes {
	struct module *module; /* without calls: places are lines */
	struct run *run; /* NULL: nobody has asked so far */
	size_t *line; /* by statement its line; a guard in the line of its event (statement_is_in_line) has that */
	size_t *statement; /* by line its statement; of an event behind such a guard that of the event */
	struct prepared *prepared; /* program_prepared */
	uint64_t known; /* what the statements were */
};

/* Borrowed until the program's statements change, or it is freed: made when it is asked for first,
   and again where they have changed. NULL with *error set, without a place, where a reader would
   not take the program. O(statements); O(text) when it is made. */
const struct program_nodes *program_nodes(const struct program *, struct error *);

/* ... its run alone; with its text, which has calls. */
struct run *program_run(const struct program *, struct error *);
const struct prepared *program_prepared(const struct program *, struct error *);

/* The same as a module of the caller's, with the calls that its text has. */
struct module *module_of_program(const struct program *, struct error *);

/* A module that says the same, with or without calls, is kept to become them. Takes the module. */
void program_nodes_keep(struct program *, struct module *);

/* What the program keeps of it. */
void program_nodes_free(struct program_nodes *); /* NULL is fine */

#endif
