/*
 * completion.c -- each process writes to the next one and hears from the one before, many messages
 * at a time, and every call of MPI that completes requests has its turn: the tests too, persistent
 * and buffered messages, matched probes, requests let go and cancelled.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tally.h"

enum { MESSAGES = 6, MOST = 16, ROUNDS = 3 };

static int next, previous, in[MESSAGES][MOST], out[MOST];
static MPI_Comm world;

/* Message k of way w carries k + 1 numbers under tag 10 w + k. */
static void sent(int way, int k)
{
	tally_send(next, 10 * way + k, k + 1, MPI_INT, world);
}

static void received(const MPI_Status *status)
{
	tally_recv(status, world);
}

static void send_all(int way)
{
	for (int k = 0; k < MESSAGES; k++) {
		MPI_Send(out, k + 1, MPI_INT, next, 10 * way + k, world);
		sent(way, k);
	}
}

static void post_all(int way, MPI_Request *request)
{
	for (int k = 0; k < MESSAGES; k++)
		MPI_Irecv(in[k], MOST, MPI_INT, k % 2 ? previous : MPI_ANY_SOURCE, 10 * way + k, world, &request[k]);
}

static void wait(MPI_Request *request)
{
	MPI_Status status;
	for (int k = 0; k < MESSAGES; k++) {
		MPI_Wait(&request[k], &status);
		received(&status);
	}
}

static void wait_all(MPI_Request *request)
{
	MPI_Status status[MESSAGES];
	MPI_Waitall(MESSAGES, request, status);
	for (int k = 0; k < MESSAGES; k++)
		received(&status[k]);
}

static void wait_any(MPI_Request *request)
{
	MPI_Status status;
	int which;
	for (MPI_Waitany(MESSAGES, request, &which, &status); which != MPI_UNDEFINED;
		MPI_Waitany(MESSAGES, request, &which, &status))
		received(&status);
}

static void wait_some(MPI_Request *request)
{
	MPI_Status status[MESSAGES];
	int done, which[MESSAGES];
	for (MPI_Waitsome(MESSAGES, request, &done, which, status); done != MPI_UNDEFINED;
		MPI_Waitsome(MESSAGES, request, &done, which, status))
		for (int i = 0; i < done; i++)
			received(&status[i]);
}

static void test(MPI_Request *request)
{
	MPI_Status status;
	for (int k = 0; k < MESSAGES; k++) {
		int done;
		do
			MPI_Test(&request[k], &done, &status);
		while (!tally_come(done));
		received(&status);
	}
}

static void test_all(MPI_Request *request)
{
	MPI_Status status[MESSAGES];
	int done;
	do
		MPI_Testall(MESSAGES, request, &done, status);
	while (!tally_come(done));
	for (int k = 0; k < MESSAGES; k++)
		received(&status[k]);
}

static void test_any(MPI_Request *request)
{
	for (;;) {
		int done, which;
		MPI_Status status;
		MPI_Testany(MESSAGES, request, &which, &done, &status);
		if (done && which == MPI_UNDEFINED)
			return;
		if (tally_come(done))
			received(&status);
	}
}

static void test_some(MPI_Request *request)
{
	int done = 0, which[MESSAGES];
	while (done != MPI_UNDEFINED) {
		MPI_Status status[MESSAGES];
		MPI_Testsome(MESSAGES, request, &done, which, status);
		for (int i = 0; tally_come(done) && done != MPI_UNDEFINED && i < done; i++)
			received(&status[i]);
	}
}

/* Told complete by one call, completed by another. */
static void get_status(MPI_Request *request)
{
	MPI_Status status;
	for (int k = 0; k < MESSAGES; k++) {
		int done;
		do
			MPI_Request_get_status(request[k], &done, MPI_STATUS_IGNORE);
		while (!tally_come(done));
		MPI_Wait(&request[k], &status);
		received(&status);
	}
}

static void (*const complete[])(MPI_Request *) = {
	wait, wait_all, wait_any, wait_some, test, test_all, test_any, test_some, get_status};
enum { WAYS = sizeof complete / sizeof complete[0] };

/* Requests that are started again and again. */
static void persistent(int way)
{
	MPI_Request send[MESSAGES], recv[MESSAGES];
	for (int k = 0; k < MESSAGES; k++) {
		MPI_Send_init(out, k + 1, MPI_INT, next, 10 * way + k, world, &send[k]);
		MPI_Recv_init(in[k], MOST, MPI_INT, previous, 10 * way + k, world, &recv[k]);
	}
	for (int round = 0; round < ROUNDS; round++) {
		MPI_Startall(MESSAGES, recv);
		for (int k = 0; k < MESSAGES; k++) {
			MPI_Start(&send[k]);
			sent(way, k);
		}
		wait_all(recv);
		MPI_Waitall(MESSAGES, send, MPI_STATUSES_IGNORE);
	}
	for (int k = 0; k < MESSAGES; k++) {
		MPI_Request_free(&send[k]);
		MPI_Request_free(&recv[k]);
	}
}

/* A send of every mode, each completed, or let go. */
static void modes(int way)
{
	int size = MESSAGES * (MOST * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
	char *buffer = malloc(size);
	MPI_Request recv[MESSAGES], send[4];
	MPI_Buffer_attach(buffer, size);
	post_all(way, recv);
	MPI_Barrier(world); /* the receives are there: ready sends may go */
	tally_collective("MPI_Barrier", world);
	MPI_Bsend(out, 1, MPI_INT, next, 10 * way, world);
	MPI_Rsend(out, 2, MPI_INT, next, 10 * way + 1, world);
	MPI_Issend(out, 3, MPI_INT, next, 10 * way + 2, world, &send[0]);
	MPI_Ibsend(out, 4, MPI_INT, next, 10 * way + 3, world, &send[1]);
	MPI_Irsend(out, 5, MPI_INT, next, 10 * way + 4, world, &send[2]);
	MPI_Isend(out, 6, MPI_INT, next, 10 * way + 5, world, &send[3]);
	MPI_Request_free(&send[3]);
	for (int k = 0; k < MESSAGES; k++)
		sent(way, k);
	wait_all(recv);
	MPI_Waitall(3, send, MPI_STATUSES_IGNORE);
	MPI_Buffer_detach(&buffer, &size);
	free(buffer);
}

/* Probed and matched before they are received; the last two never are asked for by name. */
static void probes(int way)
{
	MPI_Request request[MESSAGES];
	for (int k = 0; k < MESSAGES; k++) {
		MPI_Isend(out, k + 1, MPI_INT, next, 10 * way + k, world, &request[k]);
		sent(way, k);
	}
	for (int k = 0; k < MESSAGES; k++) {
		int there;
		MPI_Message message;
		MPI_Status status;
		MPI_Request recv;
		switch (k % 4) {
		case 0:
			MPI_Mprobe(previous, 10 * way + k, world, &message, &status);
			MPI_Mrecv(in[k], MOST, MPI_INT, &message, &status);
			break;
		case 1:
			do
				MPI_Improbe(MPI_ANY_SOURCE, 10 * way + k, world, &there, &message, &status);
			while (!tally_come(there));
			MPI_Imrecv(in[k], MOST, MPI_INT, &message, &recv);
			MPI_Wait(&recv, &status);
			break;
		case 2:
			do
				MPI_Iprobe(previous, 10 * way + k, world, &there, &status);
			while (!tally_come(there));
			MPI_Recv(in[k], MOST, MPI_INT, previous, 10 * way + k, world, &status);
			break;
		default:
			MPI_Sendrecv_replace(in[k], k + 1, MPI_INT, next, 10 * way + 9, MPI_ANY_SOURCE, 10 * way + 9,
				world, &status);
			tally_send(next, 10 * way + 9, k + 1, MPI_INT, world);
			received(&status);
			MPI_Recv(in[k], MOST, MPI_INT, previous, 10 * way + k, world, &status);
		}
		received(&status);
	}
	MPI_Waitall(MESSAGES, request, MPI_STATUSES_IGNORE);
}

/* A receive that nobody answers. */
static void cancelled(int way)
{
	MPI_Request request;
	MPI_Status status;
	int gone;
	MPI_Irecv(in[0], MOST, MPI_INT, previous, 10 * way, world, &request);
	MPI_Cancel(&request);
	MPI_Wait(&request, &status);
	MPI_Test_cancelled(&status, &gone);
	if (!gone)
		fprintf(stderr, "a receive without a message could not be cancelled\n");
}

int main(int argc, char **argv)
{
	int rank, size, way = 0;
	MPI_Init(&argc, &argv);
	world = MPI_COMM_WORLD;
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	next = (rank + 1) % size;
	previous = (rank + size - 1) % size;

	for (; way < WAYS; way++) {
		MPI_Request request[MESSAGES];
		post_all(way, request);
		send_all(way);
		complete[way](request);
	}
	persistent(way++);
	modes(way++);
	probes(way++);
	cancelled(way++);
	MPI_Request barrier;
	MPI_Ibarrier(world, &barrier);
	tally_collective("MPI_Barrier", world);
	MPI_Wait(&barrier, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("%d processes, %d ways to complete\n", size, way);
	tally_write();
	MPI_Finalize();
	return 0;
}
