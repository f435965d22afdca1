/*
 * messages.h -- sends and receives as functions of the processes that execute them.
 */
#ifndef TRACENEST_FOLD_MESSAGES_H
#define TRACENEST_FOLD_MESSAGES_H

#include "fold/chooser.h"

/* The peers of messages of one tag each: populations, and how many; the caller frees them. */
struct population *messages_populations(struct chooser *, size_t *count);
void messages_free_populations(struct population *, size_t count);

/* Choose the forms of all messages, on the topology that is known by now. */
void messages_explain(struct chooser *);

#endif
