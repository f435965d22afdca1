/*
 * prepared.h -- a program ready to be asked: its text, the same without calls, and the run of that.
 *
 *	struct prepared *p = prepared_new(module_read("lu.nest", &error), &error);
 *	... measures_of(p->run, &s, &error) ... module_print(p->text, ...)
 *	prepared_free(p);
 */
#ifndef TRACENEST_MODEL_PREPARED_H
#define TRACENEST_MODEL_PREPARED_H

#include "model/run.h"

struct prepared {
	struct module *text; /* with its calls */
	struct module *module; /* without: places of the text are its lines. Where there are none it is the text */
	struct run *run; /* of the module */
};

/* Takes the text. NULL with *error set: calls cannot be replaced; or, without change to it, the text
   is NULL. */
struct prepared *prepared_new(struct module *text, struct error *);
void prepared_free(struct prepared *); /* NULL is fine */

#endif
