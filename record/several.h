/*
 * several.h -- the command, run by mpirun: several of us that share the work of one.
 *
 *	struct several several = {0};
 *	if (several_join(&several, &error))
 *		options.transport = several.on ? &several.transport : NULL;
 *	...
 *	several_leave(&several, status);
 *
 * The command itself is linked with no MPI. Whose launcher has started us is seen by the variables
 * that it sets; the library that speaks with the others (mpi/several_mpi.c) is built once per MPI,
 * stands beside the recorders, and is loaded then.
 */
#ifndef TRACENEST_RECORD_SEVERAL_H
#define TRACENEST_RECORD_SEVERAL_H

#include <stdbool.h>

#include "base/error.h"
#include "lib/transport.h"

/* Starts as {0}. */
struct several {
	bool on; /* there are others */
	struct transport transport; /* then; for one thread at a time */
	bool (*agree)(bool);
	void (*leave)(void);
};

/* Joins the others if there are any. False with *error set where there are, and no library to
   speak with them, or it fails. */
bool several_join(struct several *, struct error *);

/* Does it go on? As the first says, who alone may know; all ask. */
bool several_agree(const struct several *, bool good);

/* Leaves when all do. */
void several_leave(struct several *);

#endif
