/*
 * several_mpi.c -- a transport over MPI, for several commands that work on one program. A library
 * of its own, built once per MPI (record/several.h).
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/transport.h"

/* Counts of MPI are ints. */
#define PIECE (UINT64_C(1) << 30)

#define EXPORTED __attribute__((visibility("default")))

bool tracenest_several_join(struct transport *);
void tracenest_several_leave(int abort_with);

static void send_bytes(void *context, uint32_t to, const void *bytes, size_t size)
{
	(void)context;
	uint64_t length = size;
	MPI_Send(&length, 1, MPI_UINT64_T, (int)to, 0, MPI_COMM_WORLD);
	for (uint64_t at = 0; at < length; at += PIECE) {
		int piece = (int)(length - at < PIECE ? length - at : PIECE);
		MPI_Send((const char *)bytes + at, piece, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD);
	}
}

static void receive_bytes(void *context, uint32_t from, struct text *to)
{
	(void)context;
	uint64_t length;
	MPI_Recv(&length, 1, MPI_UINT64_T, (int)from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	text_reserve(to, length);
	for (uint64_t at = 0; at < length; at += PIECE) {
		int piece = (int)(length - at < PIECE ? length - at : PIECE);
		MPI_Recv(to->data + to->length, piece, MPI_BYTE, (int)from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		to->length += (size_t)piece;
	}
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

EXPORTED void tracenest_several_leave(int abort_with)
{
	if (abort_with)
		MPI_Abort(MPI_COMM_WORLD, abort_with);
	MPI_Finalize();
}
