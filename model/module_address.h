/*
 * module_address.h -- places of statements, and their addresses: "2.0.1", the path of indices in
 * the text with calls replaced by what they call.
 *
 * A place is the number of a statement in that text, from 0, in which guards and `else` are
 * statements and calls are none: what a procedure says has a place for each call. Without calls
 * places are lines.
 *
 *	if (module_find(m, "2.0.1", &place, &error))		-- "solve/0.1", of a module without calls, too
 *		... module_at(m, place).statement ...
 *	module_address(m, place, &text);
 */
#ifndef TRACENEST_MODEL_MODULE_ADDRESS_H
#define TRACENEST_MODEL_MODULE_ADDRESS_H

#include "model/module.h"

struct located {
	node_id statement; /* NODE_NONE: there are not so many */
	size_t line; /* of the module's text */
};
struct located module_at(const struct module *, uint64_t place); /* O(depth * statements of a body) */

/* False with *error set where there is none. O(the same) */
bool module_find(const struct module *, const char *address, uint64_t *place, struct error *);
void module_address(const struct module *, uint64_t place, struct text *);

/* Those of all places at once. O(places * depth); one: O(1), borrowed. */
struct module_addresses {
	struct text words;
	size_t *start; /* by place */
	size_t count, capacity;
};
struct module_addresses module_addresses_of(const struct module *);
const char *module_addresses_get(const struct module_addresses *, uint64_t place);
void module_addresses_clear(struct module_addresses *);

#endif
