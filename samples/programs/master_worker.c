/*
 * master_worker.c -- rank 0 hands out pieces of work to whoever is free; which worker gets which
 * piece is another matter in each run.
 */
#include <stdio.h>

#include "tally.h"

enum { PIECES = 60, LONGEST = 9, WORK = 1, RESULT = 2, STOP = 3 };

static void hand_out(int piece, int worker)
{
	int words[LONGEST] = {piece}, tag = piece < PIECES ? WORK : STOP,
	    count = piece < PIECES ? 1 + piece % LONGEST : 0;
	MPI_Send(words, count, MPI_INT, worker, tag, MPI_COMM_WORLD);
	tally_send(worker, tag, count, MPI_INT, MPI_COMM_WORLD);
}

static long master(int workers)
{
	long sum = 0;
	int next = 0;
	for (int worker = 1; worker <= workers; worker++)
		hand_out(next++, worker);
	for (int stopped = 0; stopped < workers; next++) {
		long result;
		MPI_Status status;
		MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		tally_recv(&status, MPI_COMM_WORLD);
		sum += result;
		hand_out(next, status.MPI_SOURCE);
		stopped += next >= PIECES;
	}
	return sum;
}

static void worker(void)
{
	for (;;) {
		int count, piece[LONGEST];
		MPI_Status status;
		MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_INT, &count);
		MPI_Recv(piece, count, MPI_INT, 0, status.MPI_TAG, MPI_COMM_WORLD, &status);
		tally_recv(&status, MPI_COMM_WORLD);
		if (status.MPI_TAG == STOP)
			return;
		long square = (long)piece[0] * piece[0];
		MPI_Send(&square, 1, MPI_LONG, 0, RESULT, MPI_COMM_WORLD);
		tally_send(0, RESULT, 1, MPI_LONG, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size > PIECES) {
		if (rank == 0)
			fprintf(stderr, "master_worker: at most %d processes\n", PIECES);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (rank == 0)
		printf("%d workers, %d pieces: %ld\n", size - 1, PIECES, master(size - 1));
	else
		worker();
	tally_write();
	MPI_Finalize();
	return 0;
}
