/*
 * synchronous.h -- would a run have come to its end if MPI kept no message for anybody?
 *
 *	struct text cycle = {0};
 *	enum synchronous s;
 *	if (synchronous_replay(path, &options, &s, &cycle, &error) && s == SYNCHRONOUS_STOPS)
 *		... cycle: "0 for 1 to receive (a.c:7, tag3), 1 for 0 to receive (a.c:7, tag3)"
 *
 * The calls of one run are executed again, as they were matched: each send waits until its receive
 * is posted, where the process waits for the send (MPI_Send, and MPI_Wait of an MPI_Isend; not
 * MPI_Bsend, nor MPI_Test), and each collective for all its members. MPI allows both, so a program
 * that stops then needs buffers that nobody promises it: with larger messages it hangs.
 */
#ifndef TRACENEST_LIB_SYNCHRONOUS_H
#define TRACENEST_LIB_SYNCHRONOUS_H

#include "base/error.h"
#include "base/text.h"
#include "trace/trace.h"

enum synchronous {
	SYNCHRONOUS_ENDS,
	SYNCHRONOUS_STOPS,
	/* Not what `record` made, which tells when receives are posted; processes have several threads;
	   messages are missing; a request is open too long. */
	SYNCHRONOUS_UNKNOWN
};

/* path: an archive. Reads it once; memory follows what is under way. Of a circle of processes that
   wait, cycle gets who waits for whom. False with *error set where it cannot be read. */
bool synchronous_replay(
	const char *path, const struct trace_options *, enum synchronous *, struct text *cycle, struct error *);

#endif
