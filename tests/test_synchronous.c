/*
 * test_synchronous.c -- runs that needed buffers, and those that did not, of small archives.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/synchronous.h"
#include "tests/archive.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define TWO                                                                                                            \
	"creator 0 tracenest 1\nprocess 0\nprocess 1\nlocation 0 0\nlocation 1 1\nlist 0 mpi 0 1\ngroup 1 mpi 0 1\n"   \
	"comm 0 1 MPI_COMM_WORLD\nregion 1 MPI_Send\nregion 2 MPI_Recv\nregion 3 MPI_Sendrecv\nregion 4 MPI_Bsend\n"   \
	"region 5 MPI_Isend\nregion 6 MPI_Irecv\nregion 7 MPI_Wait\nregion 8 MPI_Test\nregion 9 MPI_Barrier\n"         \
	"region 10 MPI_Ibarrier\n"
#define CALL(rank, region, records) "@" #rank " enter " #region "\n" records "@" #rank " leave " #region "\n"
#define SEND(rank, to, tag) CALL(rank, 1, "@" #rank " send " #to " 0 " #tag "\n")
#define BSEND(rank, to, tag) CALL(rank, 4, "@" #rank " send " #to " 0 " #tag "\n")
#define RECV(rank, from, tag) CALL(rank, 2, "@" #rank " recv " #from " 0 " #tag "\n")
#define EXCHANGE(rank, with) CALL(rank, 3, "@" #rank " send " #with " 0 1\n@" #rank " recv " #with " 0 1\n")
#define ISEND(rank, to, request) CALL(rank, 5, "@" #rank " isend " #to " 0 1 " #request "\n")
#define SENT(rank, request) CALL(rank, 7, "@" #rank " sent " #request "\n")
#define TESTED(rank, request) CALL(rank, 8, "@" #rank " sent " #request "\n")
#define IRECV(rank, request) CALL(rank, 6, "@" #rank " post " #request "\n")
#define CAME(rank, from, request) CALL(rank, 7, "@" #rank " irecv " #from " 0 1 " #request "\n")
#define BARRIER(rank) CALL(rank, 9, "@" #rank " collective 0 0 none\n")
#define IBARRIER(rank, request) CALL(rank, 10, "@" #rank " request " #request "\n")
#define COMPLETE(rank, request) CALL(rank, 7, "@" #rank " complete 0 " #request "\n")

static const struct {
	const char *why, *archive;
	enum synchronous result;
	const char *circle;
} cases[] = {
	{"a message", SEND(0, 1, 1) RECV(1, 0, 1), SYNCHRONOUS_ENDS, ""},
	{"both send first", SEND(0, 1, 1) SEND(1, 0, 1) RECV(0, 1, 1) RECV(1, 0, 1), SYNCHRONOUS_STOPS,
		"0 for 1 to receive (tag1), 1 for 0 to receive (tag1)"},
	{"one sends first", SEND(0, 1, 1) RECV(1, 0, 1) SEND(1, 0, 1) RECV(0, 1, 1), SYNCHRONOUS_ENDS, ""},
	{"... into a buffer of its own", BSEND(0, 1, 1) SEND(1, 0, 1) RECV(0, 1, 1) RECV(1, 0, 1), SYNCHRONOUS_ENDS,
		""},
	{"an exchange is both at once", EXCHANGE(0, 1) EXCHANGE(1, 0), SYNCHRONOUS_ENDS, ""},
	{"an exchange meets one that receives first", EXCHANGE(0, 1) RECV(1, 0, 1) SEND(1, 0, 1), SYNCHRONOUS_ENDS, ""},
	{"an exchange meets one that receives last, which sends to it", EXCHANGE(0, 1) SEND(1, 0, 1) RECV(1, 0, 1),
		SYNCHRONOUS_ENDS, ""},
	{"receives are posted first", IRECV(0, 5) IRECV(1, 6) SEND(0, 1, 1) SEND(1, 0, 1) CAME(0, 1, 5) CAME(1, 0, 6),
		SYNCHRONOUS_ENDS, ""},
	{"sends are posted first", ISEND(0, 1, 5) ISEND(1, 0, 6) RECV(0, 1, 1) RECV(1, 0, 1) SENT(0, 5) SENT(1, 6),
		SYNCHRONOUS_ENDS, ""},
	{"... and waited for", ISEND(0, 1, 5) SENT(0, 5) ISEND(1, 0, 6) SENT(1, 6) RECV(0, 1, 1) RECV(1, 0, 1),
		SYNCHRONOUS_STOPS, "0 for 1 to receive (tag1), 1 for 0 to receive (tag1)"},
	{"... and asked for", ISEND(0, 1, 5) TESTED(0, 5) ISEND(1, 0, 6) TESTED(1, 6) RECV(0, 1, 1) RECV(1, 0, 1),
		SYNCHRONOUS_ENDS, ""},
	{"... and never waited for", ISEND(0, 1, 5) ISEND(1, 0, 6) RECV(0, 1, 1) RECV(1, 0, 1), SYNCHRONOUS_ENDS, ""},
	{"tags in another order", SEND(0, 1, 1) SEND(0, 1, 2) RECV(1, 0, 2) RECV(1, 0, 1), SYNCHRONOUS_STOPS,
		"0 for 1 to receive (tag1), 1 for 0 to send (tag2)"},
	{"a barrier before the receive", SEND(0, 1, 1) BARRIER(0) BARRIER(1) RECV(1, 0, 1), SYNCHRONOUS_STOPS,
		"0 for 1 to receive (tag1), 1 for 0 to come to a collective"},
	{"... that is posted", SEND(0, 1, 1) IBARRIER(0, 7) COMPLETE(0, 7) IBARRIER(1, 8) RECV(1, 0, 1) COMPLETE(1, 8),
		SYNCHRONOUS_ENDS, ""},
	{"a message to itself", SEND(0, 0, 1) RECV(0, 0, 1), SYNCHRONOUS_STOPS, "0 for 0 to receive (tag1)"},
	{"... posted before", IRECV(0, 5) SEND(0, 0, 1) CAME(0, 0, 5), SYNCHRONOUS_ENDS, ""},
	{"a message that nobody receives is no circle", SEND(0, 1, 1), SYNCHRONOUS_UNKNOWN, ""},
	{"receives that overtake each other are not examined",
		IRECV(1, 5) ISEND(0, 1, 3) SEND(0, 1, 1) SENT(0, 3) RECV(1, 0, 1) CAME(1, 0, 5), SYNCHRONOUS_UNKNOWN,
		""},
	{"nothing", "", SYNCHRONOUS_ENDS, ""},
};

static void replays(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text archive = {0}, circle = {0};
		struct error error = {0};
		enum synchronous result;
		text_format(&archive, TWO "%s", cases[i].archive);
		char *anchor = archive_write(archive.data);
		ROW(cases[i].why, synchronous_replay(anchor, &(struct trace_options){0}, &result, &circle, &error));
		ROW(cases[i].why, result == cases[i].result);
		row_same(cases[i].why, circle.data ? circle.data : "", cases[i].circle);
		archive_remove(anchor);
		text_clear(&archive);
		text_clear(&circle);
	}
}

void suite_synchronous(CU_pSuite suite)
{
	CU_add_test(suite, "runs with sends that wait for their receives", replays);
}
