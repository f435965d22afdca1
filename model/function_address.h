/*
 * function_address.h -- the address of a statement by the function that it is in: "solve/0.1",
 * which is the same for other process counts, and after statements elsewhere have changed.
 *
 *	if (function_find(module, "main/solve/0.1", &f, &error))
 *		... f.body		-- the statements of solve, the first of which is 0
 *		... f.inside		-- "0.1", of the address; NULL: it says the function alone
 */
#ifndef TRACENEST_MODEL_FUNCTION_ADDRESS_H
#define TRACENEST_MODEL_FUNCTION_ADDRESS_H

#include "model/module.h"

struct function_body {
	node_id body; /* a SEQUENCE of these statements; */
	size_t line; /* of the first */
	const char *inside;
};

/* Of a module without calls. False with *error set where no statement is in the function, or where
   it is called in several places, which the message lists. O(statements, their paths). */
bool function_find(const struct module *, const char *address, struct function_body *, struct error *);

#endif
