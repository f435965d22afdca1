/*
 * exchanges.h -- programs in which each body receives what it sends, told from the statements
 * alone.
 */
#ifndef TRACENEST_ASK_EXCHANGES_H
#define TRACENEST_ASK_EXCHANGES_H

#include "model/program.h"

/*
 * In every body, is each send followed by the receive, by the set of its partners, of just these
 * messages, and is every collective one statement? Then all messages are received, after they are
 * sent and in the iteration in which they are, and all collectives are complete, in the order of
 * the text. False where that is not plain to see. O(statements + runs of their sets); of partners
 * that are not p+c, processes.
 */
bool exchanges_whole(const struct program *);

#endif
