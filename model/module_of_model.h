/*
 * module_of_model.h -- a plain model (model.h) as a module: a line for each of its constructs,
 * without sets of ranks but those of collectives.
 *
 *	struct module *m = module_of_model(model);
 *	module_print(m, NULL, out);
 *	module_free(m);
 */
#ifndef TRACENEST_MODEL_MODULE_OF_MODEL_H
#define TRACENEST_MODEL_MODULE_OF_MODEL_H

#include "model/model.h"
#include "model/module.h"

/* Numbers that advance are functions of indices; who has a peer that advances on a ring stands in a set. The caller frees
   it. O(constructs) */
struct module *module_of_model(const struct model *);

#endif
