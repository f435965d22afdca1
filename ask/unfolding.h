/*
 * unfolding.h -- the plain listing that a module stands for: a line per event and process, all
 * members of a collective in one, constant numbers; loops that make no difference stay loops.
 *
 * A loop over a set becomes one for each group of processes that exchange messages or meet inside;
 * a loop whose index is asked for becomes its iterations. Bodies with statements over sets are
 * listed anew (model/listing.h), others stay in their order. Attributes are left out.
 */
#ifndef TRACENEST_ASK_UNFOLDING_H
#define TRACENEST_ASK_UNFOLDING_H

#include "model/module_parts.h"

/* Events of all processes, and iterations without any, that may be looked at beside those of the
   text itself. */
#define UNFOLDING_LIMIT (UINT64_C(1) << 22)

/* Of a module without calls. origin (may be NULL): by line the one that it came from, the caller's.
   NULL with *error set where there are more. */
struct module *module_unfold(const struct module *, struct inlined_line **origin, struct error *);

#endif
