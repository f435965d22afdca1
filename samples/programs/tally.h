/*
 * tally.h -- what a program knows of its own traffic, to be held against what is recorded of it.
 *
 * The sample programs count every message that they send and receive, and every collective. Where
 * the variable TALLY is set, rank R writes the counts to the file "$TALLY.R" when it calls
 * tally_write, with fields divided by tabs:
 *
 *	send		SOURCE	DESTINATION	TAG	BYTES	COMMUNICATOR	HOW OFTEN
 *	recv		SOURCE	DESTINATION	TAG	BYTES	COMMUNICATOR	HOW OFTEN
 *	collective	PROCESS	OPERATION		COMMUNICATOR	HOW OFTEN
 *
 * Ranks are those of MPI_COMM_WORLD; a communicator is known by its name (MPI_Comm_set_name).
 * Without TALLY nothing is counted.
 */
#ifndef TALLY_H
#define TALLY_H

#include <mpi.h>

/* A message to a rank of the communicator (of the other side, if it has two). MPI_PROC_NULL counts
   for nothing. */
void tally_send(int to, int tag, int count, MPI_Datatype, MPI_Comm);

/* A message that was received, by its status; or with source, tag and size known. */
void tally_recv(const MPI_Status *, MPI_Comm);
void tally_recv_from(int from, int tag, int count, MPI_Datatype, MPI_Comm);

/* Has what was asked for come? If not, wait a moment: who asks again and again takes the processor
   from those who are to send. */
int tally_come(int flag);

/* A collective, "MPI_Barrier". */
void tally_collective(const char *operation, MPI_Comm);

/* Before MPI_Finalize. */
void tally_write(void);

#endif
