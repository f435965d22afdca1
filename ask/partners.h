/*
 * partners.h -- a send and the receive that it is for, as functions.
 */
#ifndef TRACENEST_ASK_PARTNERS_H
#define TRACENEST_ASK_PARTNERS_H

#include "model/program.h"

/*
 * In the same iteration of the same loops: whoever a process sends to by the one form, does it
 * receive that by the other? So it is where tags are equal functions of indices, and one peer is
 * p+c, the other p-c; so on a ring, on the grid, and over p^c. Other forms are not looked into.
 */
bool partners_meet(const struct grid *, const struct form *send, const struct form *recv);

#endif
