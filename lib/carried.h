/*
 * carried.h -- what the events of a program carry, where its statements are made anew; and the size
 * of a message that one of its ends alone says: the k-th that is sent on a channel is the k-th that
 * is received, so that it serves both.
 */
#ifndef TRACENEST_LIB_CARRIED_H
#define TRACENEST_LIB_CARRIED_H

#include "model/module.h"
#include "model/program.h"

/* Events that are gone through for that, at most: a second or two. */
#define CARRIED_MOST (UINT64_C(1) << 22)

/* program_as_made, with what its events carry, unless these are too many. Takes the program. */
struct program *carried_as_made(struct program *, struct error *);

/* Does it lose what its events carry, as there are too many? */
bool carried_is_too_much(const struct program *);

/* Both of a module, which they take; NULL is fine. */
struct module *module_carried_as_made(struct module *, struct error *);
struct module *module_carried_complete(struct module *, struct error *);
bool module_carries_too_much(const struct module *);

/* Where statements of messages lack a size, what the other end says is attached. Takes the
   program. */
struct program *carried_complete(struct program *, struct error *);

#endif
