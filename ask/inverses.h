/*
 * inverses.h -- programs in which each body receives what it sends, told from the statements alone.
 */
#ifndef TRACENEST_ASK_INVERSES_H
#define TRACENEST_ASK_INVERSES_H

#include "model/run.h"

/*
 * The run's module has no calls (module_inline). In every body, is each send followed by the
 * receive whose peers are its inverse (p+1 and p-1; (p+1+i0)%P and (p-1-i0)%P; one process and
 * another), and is every collective one statement? Then all messages are received, after they are
 * sent and in the iteration in which they are, and all collectives are complete, in the order of
 * the text. loops: in which anything is sent. False where that is not plain to see. O(statements x
 * processes that execute them).
 */
bool inverses_prove(struct run *, uint64_t *loops);

#endif
