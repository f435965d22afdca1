/*
 * mpi_threads.c -- several threads of each process at a time, on communicators of their own and on
 * one that they share (MPI_THREAD_MULTIPLE): each thread writes to the one with its number in the
 * next process, and hears from the one before. In what order all of it comes nobody can say.
 */
#include <pthread.h>
#include <stdio.h>

#include "samples/programs/tally.h"

enum { THREADS = 4, ROUNDS = 25, MOST = 32 };

static int next, previous;
static MPI_Comm own[THREADS];

static void *work(void *number)
{
	int me = *(int *)number, out[MOST] = {me}, in[MOST];
	for (int round = 0; round < ROUNDS; round++) {
		MPI_Request request[2];
		MPI_Comm comm = round % 2 ? own[me] : MPI_COMM_WORLD;
		MPI_Irecv(in, MOST, MPI_INT, previous, me, comm, &request[0]);
		if (round % 3)
			MPI_Isend(out, 1 + me, MPI_INT, next, me, comm, &request[1]);
		else
			MPI_Send(out, 1 + me, MPI_INT, next, me, comm);
		if (round % 5 == 4) {
			int done;
			do
				MPI_Testall(round % 3 ? 2 : 1, request, &done, MPI_STATUSES_IGNORE);
			while (!tally_come(done));
		} else {
			MPI_Waitall(round % 3 ? 2 : 1, request, MPI_STATUSES_IGNORE);
		}
		MPI_Sendrecv(out, me, MPI_INT, next, THREADS, in, MOST, MPI_INT, previous, THREADS, own[me],
			MPI_STATUS_IGNORE);
		MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, own[me]);
	}
	return NULL;
}

/* What a thread did, told when it is over: counting is for one thread at a time. */
static void tell(int thread)
{
	for (int round = 0; round < ROUNDS; round++) {
		MPI_Comm comm = round % 2 ? own[thread] : MPI_COMM_WORLD;
		tally_send(next, thread, 1 + thread, MPI_INT, comm);
		tally_recv_from(previous, thread, 1 + thread, MPI_INT, comm);
		tally_send(next, THREADS, thread, MPI_INT, own[thread]);
		tally_recv_from(previous, THREADS, thread, MPI_INT, own[thread]);
		tally_collective("MPI_Allreduce", own[thread]);
	}
}

int main(int argc, char **argv)
{
	int rank, size, provided, number[THREADS];
	pthread_t thread[THREADS];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	next = (rank + 1) % size;
	previous = (rank + size - 1) % size;
	for (int i = 0; i < THREADS; i++) {
		char name[16];
		MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
		snprintf(name, sizeof name, "thread %d", i);
		MPI_Comm_set_name(own[i], name);
		number[i] = i;
	}
	for (int i = 0; provided == MPI_THREAD_MULTIPLE && i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, &number[i]))
			MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; provided == MPI_THREAD_MULTIPLE && i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		tell(i);
	}
	if (rank == 0)
		printf("%d processes with %d threads%s\n", size, THREADS,
			provided == MPI_THREAD_MULTIPLE ? "" : ", which this MPI does not take");
	tally_write();
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&own[i]);
	MPI_Finalize();
	return 0;
}
