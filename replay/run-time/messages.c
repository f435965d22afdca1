/*
 * messages.c -- messages that are passed on at once.
 */
#include "replay/run-time/program.h"

/* HELPER SCALED */
static int scaled(long count, MPI_Datatype type)
{
	int size;
	MPI_Type_size(type, &size);
	double bytes = option[BYTES] < 0 ? count * size * option[SCALE_BYTES] : option[BYTES];
	return (int)((bytes + size - 1) / size);
}

/* HELPER SEND */
/* Sends under way: they do not wait, so that no message is too large. When many are under way, those that have left are forgotten. */
static MPI_Request *sending;
static int sends, most_sends;

static void send_to(long count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (to == MPI_PROC_NULL)
		return;
	if (sends == most_sends) {
		int kept = 0;
		for (int i = 0, left; i < sends; i++, kept += !left) {
			MPI_Test(&sending[i], &left, MPI_STATUS_IGNORE);
			sending[kept] = sending[i];
		}
		sends = kept;
		sending = realloc(sending, (size_t)(most_sends = 2 * sends + 64) * sizeof *sending);
	}
	MPI_Isend(out, scaled(count, type), type, to, tag, comm, &sending[sends++]);
}

/* HELPER SEND_BLOCKING */
static void send_blocking(long count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (to != MPI_PROC_NULL)
		MPI_Send(out, scaled(count, type), type, to, tag, comm);
}

/* HELPER SEND_SYNCHRONOUS */
static void send_synchronously(long count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (to != MPI_PROC_NULL)
		MPI_Ssend(out, scaled(count, type), type, to, tag, comm);
}

/* HELPER EXCHANGE */
static void send_and_receive(long count, MPI_Datatype type, int to, int tag, long expected, MPI_Datatype as, int from,
	int tag_expected, MPI_Comm comm)
{
	MPI_Sendrecv(out, scaled(count, type), type, to, tag, in, scaled(expected, as), as, from, tag_expected, comm,
		MPI_STATUS_IGNORE);
}

/* HELPER EXCHANGE_IN_PLACE */
static void send_and_receive_in_place(long count, MPI_Datatype type, int to, int tag, int from, int tag_expected, MPI_Comm comm)
{
	MPI_Sendrecv_replace(in, scaled(count, type), type, to, tag, from, tag_expected, comm, MPI_STATUS_IGNORE);
}

/* HELPER WAITANY */
static void waitany(MPI_Request *r)
{
	int index;
	MPI_Waitany(1, r, &index, MPI_STATUS_IGNORE);
}

/* HELPER WAITSOME */
static void waitsome(MPI_Request *r)
{
	int some, index;
	MPI_Status status;
	MPI_Waitsome(1, r, &some, &index, &status);
}

/* HELPER TEST */
/* Until it is complete, as those that follow. */
static void test(MPI_Request *r)
{
	for (int done = 0; !done;)
		MPI_Test(r, &done, MPI_STATUS_IGNORE);
}

/* HELPER TESTANY */
static void testany(MPI_Request *r)
{
	for (int done = 0, index; !done;)
		MPI_Testany(1, r, &index, &done, MPI_STATUS_IGNORE);
}

/* HELPER TESTSOME */
static void testsome(MPI_Request *r)
{
	MPI_Status status;
	for (int done = 0, index; !done;)
		MPI_Testsome(1, r, &done, &index, &status);
}

/* HELPER TESTALL */
static void testall(int n, MPI_Request *all, MPI_Status *statuses)
{
	for (int done = 0; !done;)
		MPI_Testall(n, all, &done, statuses);
}

/* HELPER RECEIVE */
static void receive_from(long count, MPI_Datatype type, int from, int tag, MPI_Comm comm)
{
	if (from != MPI_PROC_NULL)
		MPI_Recv(in, scaled(count, type), type, from, tag, comm, MPI_STATUS_IGNORE);
}
