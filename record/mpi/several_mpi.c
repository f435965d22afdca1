/*
 * several_mpi.c -- a transport over MPI, for several commands that work on one program. A library
 * of its own, built once per MPI (record/several.h).
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/transport.h"

#define EXPORTED __attribute__((visibility("default")))

bool tracenest_several_join(struct transport *);
bool tracenest_several_agree(bool good);
void tracenest_several_leave(void);

static void send_bytes(void *context, uint32_t to, const void *bytes, size_t size)
{
	(void)context;
	MPI_Send(bytes, (int)size, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD);
}

static void receive_bytes(void *context, uint32_t from, void *bytes, size_t size)
{
	(void)context;
	MPI_Recv(bytes, (int)size, MPI_BYTE, (int)from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

EXPORTED bool tracenest_several_join(struct transport *t)
{
	int threads, rank, size;
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads) != MPI_SUCCESS)
		return false;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	*t = (struct transport){(uint32_t)rank, (uint32_t)size, NULL, send_bytes, receive_bytes};
	return true;
}

EXPORTED bool tracenest_several_agree(bool good)
{
	int said = good;
	MPI_Bcast(&said, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return said;
}

EXPORTED void tracenest_several_leave(void)
{
	MPI_Finalize();
}
