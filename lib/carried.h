/*
 * carried.h -- what the events of a program carry, where its statements are made anew; and the size
 * of a message that one of its ends alone says: the k-th that is sent on a channel is the k-th that
 * is received, so that it serves both.
 */
#ifndef TRACENEST_LIB_CARRIED_H
#define TRACENEST_LIB_CARRIED_H

#include "model/module.h"

/* Events that are gone through for that, at most: a second or two. */
#define CARRIED_MOST (UINT64_C(1) << 22)

/* module_as_made, with what its events carry, unless these are too many; and where statements of
   messages lack a size, what the other end says is attached. Both take the module; NULL is fine. */
struct module *module_carried_as_made(struct module *, struct error *);
struct module *module_carried_complete(struct module *, struct error *);

/* Does it lose what its events carry, as there are too many? */
bool module_carries_too_much(const struct module *);

#endif
