/*
 * body_names.h -- what the procedures of a text are called, and their parameters.
 *
 * A procedure has the name that it was read with; else that of the function in which all its
 * statements are, or which is called for these and no others, where call sites tell; else one by
 * what it does: exchange, sweep, step.
 */
#ifndef TRACENEST_MODEL_BODY_NAMES_H
#define TRACENEST_MODEL_BODY_NAMES_H

#include "base/text.h"
#include "model/module.h"
#include "model/program_calls.h"

/* A module without calls, its statements (module_statements), and which of them are calls. */
struct called_lines {
	const struct module *m;
	const struct module_line *line;
	const struct program_calls *calls;
};

/* Appends the name of what this call is a call of. Others may have it, too. */
void body_name(const struct called_lines *, size_t call, struct text *name);

/* Appends what a procedure may be called that is this function: of
   "int app::mesh<double>::exchange(int)" mesh::exchange. */
void body_name_of_function(const char *function, struct text *name);

/* What another procedure of this name, so many characters, is called: exchange2, comm3_2. */
void body_name_number(struct text *name, size_t length, unsigned number);

/* Of parameters with these names, which may be no names, those of the text, each once; "": an
   index, which is called i0, i1, ... Words of the store, in place. */
void parameter_names(struct store *, uint32_t *name, size_t count);

#endif
