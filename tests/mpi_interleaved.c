/*
 * mpi_interleaved.c -- two threads of each process, each with a communicator of its own, whose
 * collectives overlap in another order on each process: legal with MPI_THREAD_MULTIPLE.
 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static MPI_Comm communicator[2];
static int rank;

static void *work(void *number)
{
	long k = (long)number;
	for (int i = 0; i < 10; i++) {
		int sent = 1, received;
		usleep((unsigned)((rank + k) % 2) * 300);
		MPI_Allreduce(&sent, &received, 1, MPI_INT, MPI_SUM, communicator[k]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int provided;
	pthread_t thread[2];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (long k = 0; k < 2; k++)
		MPI_Comm_dup(MPI_COMM_WORLD, &communicator[k]);
	for (long k = 0; k < 2; k++)
		pthread_create(&thread[k], NULL, work, (void *)k);
	for (long k = 0; k < 2; k++)
		pthread_join(thread[k], NULL);
	MPI_Finalize();
	return 0;
}
