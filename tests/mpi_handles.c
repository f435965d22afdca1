/*
 * mpi_handles.c -- handles that say less than one would think: `mpi_handles` has requests that
 * share one, are moved, or get another, and receives that are complete in another order than MPI
 * matches them; `mpi_handles meet` communicators of processes that find each other while they run,
 * `mpi_handles spawn` of those that they start; `mpi_handles fiber` calls from a stack of its own.
 *
 * Each process writes to the next one and hears from the one before. Beside what tally.h has, rank
 * R adds to "$TALLY.R" in which order its sends were waited for, by their tags:
 *
 *	order	RANK	TAG,TAG,...	1
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "samples/programs/tally.h"

enum { LARGE = 20000, ROUNDS = 3, WAYS = 5, MOST = 64 };

static int me, processes, next, previous, in[MOST], order[MOST], ordered;
static int large[LARGE];
static MPI_Request coming[MOST];

static void receive(int tag)
{
	MPI_Irecv(&in[tag], 1, MPI_INT, previous, tag, MPI_COMM_WORLD, &coming[tag]);
}

static void post(int tag, MPI_Request *request)
{
	MPI_Isend(&me, 1, MPI_INT, next, tag, MPI_COMM_WORLD, request);
	tally_send(next, tag, 1, MPI_INT, MPI_COMM_WORLD);
}

static void waited(int tag, MPI_Request *request)
{
	MPI_Wait(request, MPI_STATUS_IGNORE);
	order[ordered++] = tag;
}

static void received(int tag)
{
	MPI_Status status;
	MPI_Wait(&coming[tag], &status);
	tally_recv(&status, MPI_COMM_WORLD);
}

/* Messages that are so small that they are gone at once have one handle. */
static void shared(void)
{
	MPI_Request request[2], moved[2], other;
	for (int tag = 1; tag <= 2 * WAYS; tag++)
		receive(tag);
	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier", MPI_COMM_WORLD);

	post(1, &request[0]); /* the last one first */
	post(2, &request[1]);
	waited(2, &request[1]);
	waited(1, &request[0]);

	post(3, &request[0]); /* moved by the program: in their order */
	post(4, &request[1]);
	memcpy(moved, request, sizeof moved);
	waited(3, &moved[0]);
	waited(4, &moved[1]);

	post(5, &request[0]); /* a receive from nobody is waited for in between */
	MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &other);
	MPI_Wait(&other, MPI_STATUS_IGNORE);
	post(6, &request[1]);
	waited(6, &request[1]);
	waited(5, &request[0]);

	int kept = 0, given = 1; /* what one-sided calls post is waited for in between */
	MPI_Win window;
	MPI_Win_create(&kept, sizeof kept, sizeof kept, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, window);
	post(7, &request[0]);
	MPI_Rput(&given, 1, MPI_INT, me, 0, 1, MPI_INT, window, &other);
	MPI_Wait(&other, MPI_STATUS_IGNORE);
	post(8, &request[1]);
	waited(8, &request[1]);
	waited(7, &request[0]);
	MPI_Win_unlock(me, window);
	MPI_Win_free(&window);

	post(9, &request[0]); /* asked for, and waited for later */
	post(10, &request[1]);
	int done, which;
	MPI_Testany(1, &request[1], &which, &done, MPI_STATUS_IGNORE);
	if (done)
		order[ordered++] = 10;
	waited(9, &request[0]);
	if (!done)
		waited(10, &request[1]);

	for (int tag = 1; tag <= 2 * WAYS; tag++)
		received(tag);
}

/* Buffered messages that nobody receives yet: their requests, started again, may get other
   handles. */
static void started(void)
{
	int size = 3 * ROUNDS * (LARGE * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
	char *buffer = malloc(size);
	MPI_Request request[3];
	MPI_Buffer_attach(buffer, size);
	for (int k = 0; k < 3; k++)
		MPI_Bsend_init(large, LARGE, MPI_INT, next, 20 + k, MPI_COMM_WORLD, &request[k]);
	for (int round = 0; round < ROUNDS; round++) {
		MPI_Start(&request[0]);
		MPI_Startall(2, request + 1);
		for (int k = 0; k < 3; k++) {
			tally_send(next, 20 + k, LARGE, MPI_INT, MPI_COMM_WORLD);
			waited(20 + k, &request[k]);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier", MPI_COMM_WORLD);
	for (int i = 0; i < 3 * ROUNDS; i++) {
		MPI_Status status;
		MPI_Recv(large, LARGE, MPI_INT, previous, 20 + i % 3, MPI_COMM_WORLD, &status);
		tally_recv(&status, MPI_COMM_WORLD);
	}
	for (int k = 0; k < 3; k++)
		MPI_Request_free(&request[k]);
	MPI_Buffer_detach(&buffer, &size);
	free(buffer);
}

/* The channel of receives that overlap: its messages are 1, 2, ... numbers long. */
enum { OVERLAPS = 70, LONG = 40 };
static int arrived[LONG][LONG], sent_long, posted_long;
static MPI_Request under_way[4];

static void come(const MPI_Status *status)
{
	tally_recv(status, MPI_COMM_WORLD);
}

static void posts(int count)
{
	for (int i = 0; i < count; i++)
		MPI_Irecv(arrived[posted_long++], LONG, MPI_INT, previous, OVERLAPS, MPI_COMM_WORLD, &under_way[i]);
}

static void waits(int which)
{
	MPI_Status status;
	MPI_Wait(&under_way[which], &status);
	come(&status);
}

static void blocks(int source, int tag)
{
	MPI_Status status;
	MPI_Recv(arrived[posted_long++], LONG, MPI_INT, source, tag, MPI_COMM_WORLD, &status);
	come(&status);
}

static void waits_for_any(int count)
{
	for (int i = 0, which; i < count; i++) {
		MPI_Status status;
		MPI_Waitany(count, under_way, &which, &status);
		come(&status);
	}
}

static void tests_some(int count)
{
	MPI_Status status[4];
	for (int left = count, done, which[4]; left; left -= done) {
		MPI_Testsome(count, under_way, &done, which, status);
		tally_come(done);
		for (int i = 0; i < done; i++)
			come(&status[i]);
	}
}

static void turned(void)
{
	MPI_Request old[4];
	memcpy(old, under_way, sizeof old);
	for (int i = 0; i < 4; i++)
		under_way[i] = old[3 - i];
}

static void overlapping(void)
{
	MPI_Request leaving[LONG], never, gone;
	MPI_Message message, second;
	MPI_Status status;
	for (; sent_long < 25; sent_long++) {
		MPI_Isend(large, sent_long + 1, MPI_INT, next, OVERLAPS, MPI_COMM_WORLD, &leaving[sent_long]);
		tally_send(next, OVERLAPS, sent_long + 1, MPI_INT, MPI_COMM_WORLD);
	}
	posts(2); /* one by one, the last one first */
	waits(1);
	waits(0);
	posts(4); /* two by two, across each other */
	waits(2);
	waits(0);
	waits(3);
	waits(1);
	posts(4);
	turned();
	waits_for_any(4);
	posts(4);
	turned();
	tests_some(4);
	MPI_Irecv(arrived[posted_long++], LONG, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &under_way[0]);
	MPI_Irecv(arrived[posted_long++], LONG, MPI_INT, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &under_way[1]);
	waits(1);
	blocks(MPI_ANY_SOURCE, OVERLAPS); /* while another one is under way */
	waits(0);
	MPI_Irecv(in, 1, MPI_INT, previous, OVERLAPS + 1, MPI_COMM_WORLD, &never);
	posts(2); /* one of another tag was posted before, and is given up */
	waits(1);
	MPI_Cancel(&never);
	MPI_Wait(&never, MPI_STATUS_IGNORE);
	waits(0);
	MPI_Mprobe(previous, OVERLAPS, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
	posts(1); /* what was matched before it is received behind it, at once and by a request */
	MPI_Mprobe(previous, OVERLAPS, MPI_COMM_WORLD, &second, MPI_STATUS_IGNORE);
	blocks(previous, OVERLAPS);
	MPI_Imrecv(arrived[posted_long++], LONG, MPI_INT, &second, &under_way[1]);
	waits(1);
	waits(0);
	MPI_Mrecv(arrived[posted_long++], LONG, MPI_INT, &message, &status);
	come(&status);
	MPI_Irecv(arrived[posted_long++], LONG, MPI_INT, previous, OVERLAPS, MPI_COMM_WORLD, &gone);
	MPI_Request_free(&gone); /* it comes nevertheless, by itself */
	tally_recv_from(previous, OVERLAPS, posted_long, MPI_INT, MPI_COMM_WORLD);
	posts(1);
	waits(0);
	MPI_Waitall(sent_long, leaving, MPI_STATUSES_IGNORE);
	for (int i = 0; i < sent_long; i++)
		order[ordered++] = OVERLAPS;
}

/* Some name the type before it is used, some afterwards: from then on it has the name. */
static void named(void)
{
	MPI_Datatype pair;
	MPI_Status status;
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	if (me % 2)
		MPI_Type_set_name(pair, "pair");
	MPI_Bcast(in, 1, pair, 0, MPI_COMM_WORLD);
	tally_collective("MPI_Bcast", MPI_COMM_WORLD);
	if (me % 2 == 0)
		MPI_Type_set_name(pair, "pair");
	MPI_Sendrecv(in, 1, pair, next, 30, in + 2, 1, pair, previous, 30, MPI_COMM_WORLD, &status);
	tally_send(next, 30, 1, pair, MPI_COMM_WORLD);
	tally_recv(&status, MPI_COMM_WORLD);
	MPI_Type_free(&pair);
}

/* A message each way between this process and the one at the other end, then the end of it. */
static void greet(MPI_Comm *comm, const char *name, int tag)
{
	MPI_Status status;
	if (name)
		MPI_Comm_set_name(*comm, name);
	MPI_Sendrecv(&me, 1, MPI_INT, 0, tag, in, 1, MPI_INT, 0, tag, *comm, &status);
	if (name) {
		tally_send(0, tag, 1, MPI_INT, *comm);
		tally_recv(&status, *comm);
	}
	MPI_Comm_disconnect(comm);
}

static int connection(int listens)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int here = socket(AF_INET, SOCK_STREAM, 0), there = here;
	if (listens) {
		bind(here, (struct sockaddr *)&address, size);
		listen(here, 1);
		getsockname(here, (struct sockaddr *)&address, &size);
		MPI_Send(&address, sizeof address, MPI_BYTE, 1, 40, MPI_COMM_WORLD);
		tally_send(1, 40, sizeof address, MPI_BYTE, MPI_COMM_WORLD);
		there = accept(here, NULL, NULL);
		close(here);
	} else {
		MPI_Recv(&address, sizeof address, MPI_BYTE, 0, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		tally_recv_from(0, 40, sizeof address, MPI_BYTE, MPI_COMM_WORLD);
		connect(here, (struct sockaddr *)&address, size);
	}
	return there;
}

/* The first two processes, by the name of a port and by a connection of their own. */
static void meet(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm comm;
	if (me > 1)
		return;
	if (me == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Send(port, sizeof port, MPI_CHAR, 1, 41, MPI_COMM_WORLD);
		tally_send(1, 41, sizeof port, MPI_CHAR, MPI_COMM_WORLD);
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
		MPI_Close_port(port);
	} else {
		MPI_Recv(port, sizeof port, MPI_CHAR, 0, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		tally_recv_from(0, 41, sizeof port, MPI_CHAR, MPI_COMM_WORLD);
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
	}
	greet(&comm, "port", 42);
	int socket = connection(me == 0);
	MPI_Comm_join(socket, &comm);
	greet(&comm, "socket", 43);
	close(socket);
}

/* What is sent to processes of another world is not recorded, and not taken for something else. */
static void spawn(char *program)
{
	MPI_Comm comm;
	for (int several = 0; several < 2; several++) {
		MPI_Comm_dup(MPI_COMM_SELF, &comm); /* whose handle the next one may get */
		MPI_Comm_set_name(comm, "gone");
		MPI_Comm_free(&comm);
		if (several)
			MPI_Comm_spawn_multiple(1, &program, MPI_ARGVS_NULL, (int[]){1}, (MPI_Info[]){MPI_INFO_NULL}, 0,
				MPI_COMM_SELF, &comm, MPI_ERRCODES_IGNORE);
		else
			MPI_Comm_spawn(
				program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, MPI_ERRCODES_IGNORE);
		greet(&comm, NULL, 50);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	tally_collective("MPI_Barrier", MPI_COMM_WORLD);
}

static void write_order(void)
{
	char path[4096];
	FILE *out = NULL;
	if (getenv("TALLY") && ordered) {
		snprintf(path, sizeof path, "%s.%d", getenv("TALLY"), me);
		out = fopen(path, "a");
	}
	if (!out)
		return;
	fprintf(out, "order\t%d\t", me);
	for (int i = 0; i < ordered; i++)
		fprintf(out, "%s%d", i ? "," : "", order[i]);
	fprintf(out, "\t1\n");
	fclose(out);
}

/* ------------------------------------------------------------------ a stack of its own */

static ucontext_t outside, inside;
static volatile int sink;

__attribute__((noinline)) static void deeper(int calls)
{
	int here = me, there = 0;
	if (calls)
		deeper(calls - 1);
	for (int i = 0; i < 20 && !calls; i++) {
		MPI_Sendrecv(&here, 1, MPI_INT, me, 80, &there, 1, MPI_INT, me, 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		tally_send(me, 80, 1, MPI_INT, MPI_COMM_WORLD);
		tally_recv_from(me, 80, 1, MPI_INT, MPI_COMM_WORLD);
		swapcontext(&inside, &outside);
	}
	sink = there;
}

static void fiber(void)
{
	deeper(6);
}

/* A fiber calls MPI in a loop, and so does what runs meanwhile on the process's own stack. */
static void switches(void)
{
	static char stack[1 << 18];
	int flag;
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof stack;
	inside.uc_link = &outside;
	makecontext(&inside, fiber, 0);
	for (int i = 0; i < 21; i++) {
		swapcontext(&outside, &inside);
		MPI_Iprobe(MPI_ANY_SOURCE, 81, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	MPI_Comm parent;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &processes);
	MPI_Comm_get_parent(&parent);
	next = (me + 1) % processes;
	previous = (me + processes - 1) % processes;
	int started_by_others = parent != MPI_COMM_NULL;
	if (started_by_others) {
		greet(&parent, NULL, 50);
	} else if (argc > 1 && !strcmp(argv[1], "meet")) {
		meet();
	} else if (argc > 1 && !strcmp(argv[1], "fiber")) {
		switches();
	} else if (argc > 1) {
		spawn(argv[0]);
	} else {
		shared();
		started();
		named();
		overlapping();
	}
	if (!started_by_others) {
		tally_write();
		write_order();
	}
	MPI_Finalize();
	return 0;
}
