/*
 * own_requests.c -- requests that each have a place of their own in the program.
 */
#include "replay/run-time/messages.c"

/* HELPER POST_OWN_SEND */
static void post_send(int r, long count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (to != MPI_PROC_NULL)
		MPI_Isend(out, scaled(count, type), type, to, tag, comm, &request[r]);
}

/* HELPER POST_OWN_RECEIVE */
static void post_receive(int r, long count, MPI_Datatype type, int from, int tag, MPI_Comm comm)
{
	if (from != MPI_PROC_NULL)
		MPI_Irecv(out + (r + 1) * room, scaled(count, type), type, from, tag, comm, &request[r]);
}

/* HELPER WAIT_FOR_OWN */
static void wait_for(int r)
{
	if (request[r] != MPI_REQUEST_NULL)
		MPI_Wait(&request[r], MPI_STATUS_IGNORE);
}
