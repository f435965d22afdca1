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
#include "model/generalize.h"
#include "model/node.h"

struct body_names {
	const struct generalized *g;
	char **name; /* by body; NULL: not asked for so far */
	size_t *asked; /* bodies, in the order in which they were asked for first */
	size_t length;
	struct intern *taken;
};

struct body_names body_names_of(const struct generalized *);
void body_names_clear(struct body_names *);

const char *body_name(struct body_names *, size_t body);

/* Appends what a procedure may be called that is this function: of
   "int app::mesh<double>::exchange(int)" mesh::exchange. */
void body_name_of_function(const char *function, struct text *name);

/* What another procedure of this name, so many characters, is called: exchange2, comm3_2. */
void body_name_number(struct text *name, size_t length, unsigned number);

/* The names of a body's parameters. name: PARAMETERS_LIMIT, initialized. */
void parameter_names(const struct generalized *, const struct called_body *, struct text *name);

#endif
