/*
 * test_deadlock.c -- why a run did not end: what is said behind where everyone stands, of archives
 * as `record` leaves them.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/archive.h"
#include "tests/rows.h"
#include "tests/unit.h"
#include "trace/trace.h"

/* Communicator 0 is the world, 1 has 0-1, 2 all again. */
#define FOUR                                                                                                           \
	"creator 0 tracenest 1\nprocess 0\nprocess 1\nprocess 2\nprocess 3\nlocation 0 0\nlocation 1 1\nlocation 2 "   \
	"2\nlocation 3 3\n"                                                                                            \
	"list 0 mpi 0 1 2 3\ngroup 1 mpi 0 1 2 3\ngroup 2 mpi 0 1\ncomm 0 1 MPI_COMM_WORLD\ncomm 1 2\ncomm 2 1\n"      \
	"region 0 MPI_Init\nregion 1 MPI_Finalize\nregion 2 MPI_Recv\nregion 3 MPI_Send\nregion 4 MPI_Bcast\n"         \
	"region 5 MPI_Allreduce\nregion 6 MPI_Waitany\nregion 7 MPI_Waitall\nregion 8 MPI_Barrier\nregion 9 "          \
	"MPI_Win_lock\nregion 10 MPI_Reduce\nregion 11 MPI_Testany\n"                                                  \
	"@0 enter 0\n@0 leave 0\n@1 enter 0\n@1 leave 0\n@2 enter 0\n@2 leave 0\n@3 enter 0\n@3 leave 0\n"

#define ENDED(rank) "@" #rank " enter 1\n@" #rank " leave 1\n"
#define IN(rank, region) "@" #rank " enter " #region "\n"
#define WAITS(rest) "pending 0 " rest "\n"
#define TURNS(rank, communicator, turn) WAITS(#rank " - turns - - 0 " #communicator " 0 0 " #turn " 1 -")

static const struct {
	const char *why, *archive, *said;
} cases[] = {
	{"a message that nobody sends, from who has ended",
		IN(0, 2) ENDED(1) ENDED(2) ENDED(3) WAITS("0 call receive MPI_Recv 1 7 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1 (tag7), and 1 has ended"},
	{"... who is in MPI_Finalize",
		IN(0, 2) IN(1, 1) ENDED(2) ENDED(3) WAITS("0 call receive MPI_Recv 1 7 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1 (tag7), and 1 is in MPI_Finalize"},
	{"... who has sent another tag",
		IN(0, 2) "@1 send 0 0 8\n" ENDED(1) ENDED(2) ENDED(3)
			WAITS("0 call receive MPI_Recv 1 7 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1 (tag7), which sent tag8, and 1 has ended"},
	{"... who computes", IN(0, 2) ENDED(2) ENDED(3) WAITS("0 call receive MPI_Recv 1 7 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1 (tag7), and 1 is outside of MPI"},
	{"... who is in a call of which nothing is known",
		IN(0, 2) IN(1, 9) ENDED(2) ENDED(3) WAITS("0 call receive MPI_Recv 1 7 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1 (tag7), and 1 is in MPI_Win_lock"},
	{"on a communicator of its own", IN(0, 2) ENDED(1) WAITS("0 call receive MPI_Recv 1 7 1 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1 (tag7@1), and 1 has ended"},
	{"whatever its tag", IN(0, 2) ENDED(1) WAITS("0 call receive MPI_Recv 1 * 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1, and 1 has ended"},
	{"from anyone, who have all ended",
		IN(0, 2) ENDED(1) ENDED(2) ENDED(3) WAITS("0 call receive MPI_Recv * * 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from anyone, and 1-3 have ended"},
	{"a message that is there, and fits: nobody is to blame",
		IN(0, 2) "@1 send 0 0 7\n" ENDED(1) ENDED(2) ENDED(3)
			WAITS("0 call receive MPI_Recv 1 7 0 0 4096 0 1 a.c:3 main"),
		""},
	{"... of as many as were received: it is none",
		"@1 send 0 0 7\n@0 recv 1 0 7\n" IN(0, 2) ENDED(1) ENDED(2) ENDED(3)
			WAITS("0 call receive MPI_Recv 1 7 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1 (tag7), and 1 has ended"},
	{"... and is too long",
		IN(0, 2) "@1 send 0 0 7\n" ENDED(1) ENDED(2) ENDED(3)
			WAITS("0 call receive MPI_Recv 1 7 0 0 7 0 1 a.c:3 main"),
		"0 receives at most 7 bytes (a.c:3) of a message of 200 bytes from 1"},
	{"receives before sends",
		IN(0, 2) IN(1, 2) ENDED(2) ENDED(3) WAITS("0 call receive MPI_Recv 1 7 0 0 8 0 1 a.c:3 main")
			WAITS("1 call receive MPI_Recv 0 7 0 0 8 0 1 a.c:3 main"),
		"0 and 1 wait for each other: 0 for a message from 1 (tag7), 1 for a message from 0 (tag7)"},
	{"sends before receives",
		"@0 send 1 0 7\n@1 send 0 0 7\n" IN(0, 3) IN(1, 3) ENDED(2) ENDED(3)
			WAITS("0 call send MPI_Send 1 7 0 8 0 0 1 a.c:3 main")
				WAITS("1 call send MPI_Send 0 7 0 8 0 0 1 a.c:3 main"),
		"0 and 1 wait for each other: 0 for 1 to receive its message (tag7), 1 for 0 to receive its message "
		"(tag7)"},
	{"... which are posted: no cycle",
		"@0 send 1 0 7\n@1 send 0 0 7\n" IN(0, 3) IN(1, 3) ENDED(2) ENDED(3)
			WAITS("0 posted receive MPI_Irecv 1 7 0 0 8 0 1 a.c:2 main")
				WAITS("0 call send MPI_Send 1 7 0 8 0 0 1 a.c:3 main")
					WAITS("1 call send MPI_Send 0 7 0 8 0 0 1 a.c:3 main"),
		""},
	{"a message that meets its receive: no cycle",
		"@0 send 1 0 7\n" IN(0, 3) IN(1, 2) ENDED(2) ENDED(3)
			WAITS("0 call send MPI_Send 1 7 0 8 0 0 1 a.c:3 main")
				WAITS("1 call receive MPI_Recv 0 7 0 0 4096 0 1 a.c:4 main"),
		""},
	{"one of two is enough, and the other may come",
		IN(0, 6) IN(1, 2) ENDED(3) WAITS("0 wait receive MPI_Irecv 1 7 0 0 8 0 1 a.c:3 main")
			WAITS("0 wait receive MPI_Irecv 2 7 0 0 8 0 1 a.c:3 main")
				WAITS("1 call receive MPI_Recv 0 7 0 0 8 0 1 a.c:4 main"),
		"0 waits for a message from 1 or 2 (tag7), and 2 is outside of MPI"},
	{"all are needed",
		IN(0, 7) IN(1, 2) ENDED(3) WAITS("0 wait receive MPI_Irecv 1 7 0 0 8 0 1 a.c:3 main")
			WAITS("0 wait receive MPI_Irecv 2 7 0 0 8 0 1 a.c:3 main")
				WAITS("1 call receive MPI_Recv 0 7 0 0 8 0 1 a.c:4 main"),
		"0 and 1 wait for each other: 0 for a message from 1 (tag7), 1 for a message from 0 (tag7)"},
	{"a send that may be gone does not keep it where a receive does",
		"@0 send 1 0 7\n" IN(0, 7) IN(1, 2) ENDED(3) WAITS("0 wait send MPI_Isend 1 7 0 8 0 0 1 a.c:2 main")
			WAITS("0 wait receive MPI_Irecv 2 7 0 0 8 0 1 a.c:3 main")
				WAITS("1 call receive MPI_Recv 0 9 0 0 8 0 1 a.c:4 main"),
		"0 waits for a message from 2 (tag7), and 2 is outside of MPI"},
	{"a request that is posted, but not waited for",
		IN(0, 2) ENDED(1) ENDED(3) WAITS("0 posted receive MPI_Irecv 1 7 0 0 8 0 1 a.c:3 main")
			WAITS("0 call receive MPI_Recv 2 7 0 0 8 0 1 a.c:4 main"),
		"0 waits for a message from 2 (tag7), and 2 is outside of MPI"},
	{"who asks again and again waits for one of its requests, none of which comes",
		IN(0, 11) ENDED(1) ENDED(2) ENDED(3) WAITS("0 posted receive MPI_Irecv 1 7 0 0 8 0 1 a.c:3 main")
			WAITS("0 posted receive MPI_Irecv 2 7 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1 or 2 (tag7), and 1-2 have ended"},
	{"... one of which may come",
		IN(0, 11) ENDED(1) ENDED(3) WAITS("0 posted receive MPI_Irecv 1 7 0 0 8 0 1 a.c:3 main")
			WAITS("0 posted receive MPI_Irecv 2 7 0 0 8 0 1 a.c:3 main"),
		"0 waits for a message from 1 or 2 (tag7), and 2 is outside of MPI"},
	{"another collective",
		IN(0, 5) IN(1, 8) IN(2, 8) IN(3, 8) WAITS("0 call collective MPI_Allreduce - 0 0 4 4 5 1 a.c:5 main")
			WAITS("1 call collective MPI_Barrier - 0 0 0 0 5 1 a.c:4 main")
				WAITS("2 call collective MPI_Barrier - 0 0 0 0 5 1 a.c:4 main")
					WAITS("3 call collective MPI_Barrier - 0 0 0 0 5 1 a.c:4 main") TURNS(0, 0, 5)
						TURNS(1, 0, 5) TURNS(2, 0, 5) TURNS(3, 0, 5),
		"0 calls MPI_Allreduce (a.c:5) where 1-3 call MPI_Barrier (a.c:4)"},
	{"another root",
		IN(0, 10) IN(1, 10) WAITS("0 call collective MPI_Reduce 0 0 0 4 4 5 1 a.c:5 main")
			WAITS("1 call collective MPI_Reduce 1 0 0 4 4 5 1 a.c:5 main") TURNS(0, 0, 5) TURNS(1, 0, 5)
				TURNS(2, 0, 5) TURNS(3, 0, 5),
		"0 calls MPI_Reduce with root 0 (a.c:5) where 1 calls MPI_Reduce with root 1 (a.c:5)"},
	{"other sizes",
		IN(0, 5) IN(1, 5) WAITS("0 call collective MPI_Allreduce - 0 0 4 4 5 1 a.c:5 main")
			WAITS("1 call collective MPI_Allreduce - 0 0 8 8 5 1 a.c:5 main") TURNS(0, 0, 5) TURNS(1, 0, 5)
				TURNS(2, 0, 5) TURNS(3, 0, 5),
		"0 calls MPI_Allreduce on 4 bytes (a.c:5) where 1 calls MPI_Allreduce on 8 bytes (a.c:5)"},
	{"who is behind by a collective",
		IN(0, 8) IN(1, 8) IN(2, 8) WAITS("0 call collective MPI_Barrier - 0 0 0 0 5 1 a.c:4 main")
			WAITS("1 call collective MPI_Barrier - 0 0 0 0 5 1 a.c:4 main")
				WAITS("2 call collective MPI_Barrier - 0 0 0 0 5 1 a.c:4 main") TURNS(0, 0, 5)
					TURNS(1, 0, 5) TURNS(2, 0, 5) TURNS(3, 0, 4),
		"0-2 wait for 3 in MPI_Barrier, and 3 is outside of MPI"},
	{"a broadcast waits for its root alone",
		IN(2, 4) IN(3, 4) WAITS("2 call collective MPI_Bcast 1 0 0 0 4 5 1 a.c:4 main")
			WAITS("3 call collective MPI_Bcast 1 0 0 0 4 5 1 a.c:4 main") TURNS(0, 0, 4) TURNS(1, 0, 4)
				TURNS(2, 0, 5) TURNS(3, 0, 5),
		"2-3 wait for 1 in MPI_Bcast, and 1 is outside of MPI"},
	{"communicators in another order",
		IN(0, 8) IN(1, 8) IN(2, 8) IN(3, 8) WAITS("0 call collective MPI_Barrier - 0 0 0 0 5 1 a.c:4 main")
			WAITS("1 call collective MPI_Barrier - 0 2 0 0 1 1 a.c:5 main")
				WAITS("2 call collective MPI_Barrier - 0 2 0 0 1 1 a.c:5 main")
					WAITS("3 call collective MPI_Barrier - 0 2 0 0 1 1 a.c:5 main") TURNS(0, 0, 5)
						TURNS(1, 0, 4) TURNS(2, 0, 4) TURNS(3, 0, 4) TURNS(1, 2, 1)
							TURNS(2, 2, 1) TURNS(3, 2, 1),
		"0 and 1-3 wait for each other: 0 for 1-3 in MPI_Barrier, 1-3 for 0 in MPI_Barrier"},
	{"a cycle behind a choice, and one more who waits for it",
		IN(0, 4) IN(1, 6) IN(2, 5) IN(3, 5) WAITS("0 call collective MPI_Bcast 1 0 1 0 16 11 1 a.c:5 main")
			WAITS("1 wait receive MPI_Irecv 3 9 0 0 4 0 1 a.c:6 main")
				WAITS("1 wait receive MPI_Irecv 2 9 0 0 4 0 1 a.c:6 main")
					WAITS("2 call collective MPI_Allreduce - 0 0 16 16 2 1 a.c:7 main")
						WAITS("3 call collective MPI_Allreduce - 0 0 16 16 2 1 a.c:7 main")
							TURNS(0, 0, 1) TURNS(1, 0, 1) TURNS(2, 0, 2) TURNS(3, 0, 2)
								TURNS(0, 1, 11) TURNS(1, 1, 10),
		"0, 1 and 2-3 wait for each other: 0 for 1 in MPI_Bcast, 1 for a message from 2 or 3 (tag9), 2-3 for "
		"0-1 in MPI_Allreduce"},
	{"lines that cannot be read are none",
		IN(0, 2) ENDED(1) WAITS("0 call receive MPI_Recv 1 7 0 0 8")
			WAITS("7 call receive MPI_Recv 1 7 0 0 8 0 1 x")
				WAITS("0 call receive MPI_Recv 9 7 0 0 8 0 1 x") WAITS("0 call nothing") WAITS(""),
		""},
	{"a communicator that there is not",
		IN(0, 5) WAITS("0 call collective MPI_Allreduce - 0 99 16 16 2 1 a.c:7 main")
			WAITS("1 call receive MPI_Recv 0 7 99 0 8 0 1 a.c:3 main"),
		""},
};

static void note_line(void *context, const char *path, const char *line)
{
	(void)path;
	text_put(context, line);
}

/* "the run did not end: WHERE; REASON; MPI_Recv since ..." */
static const char *reason_of(char *line)
{
	char *reason = line ? strstr(line, "; ") : NULL, *end = reason ? strstr(reason, "; MPI_") : NULL;
	if (!reason || end == reason)
		return "";
	if (end)
		*end = 0;
	return reason + 2;
}

static void reasons(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text archive = {0}, line = {0};
		struct error error = {0};
		text_format(&archive, FOUR "%s", cases[i].archive);
		char *anchor = archive_write(archive.data);
		trace_listen(note_line, &line, false);
		trace_close(trace_open(anchor, NULL, &error));
		trace_listen(NULL, NULL, false);
		row_same(cases[i].why, reason_of(line.data), cases[i].said);
		archive_remove(anchor);
		text_clear(&archive);
		text_clear(&line);
	}
}

void suite_deadlock(CU_pSuite suite)
{
	CU_add_test(suite, "why a run did not end", reasons);
}
