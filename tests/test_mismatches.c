/*
 * test_mismatches.c -- calls that MPI matches and that contradict each other, of small archives.
 * What calls say in attributes, recordings show (tests/e2e/verdicts.sh).
 */
#include <stdlib.h>
#include <string.h>

#include "lib/mismatches.h"
#include "tests/archive.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define THREE                                                                                                          \
	"process 0\nprocess 1\nprocess 2\nlocation 0 0\nlocation 1 1\nlocation 2 2\nlist 0 mpi 0 1 2\n"                \
	"group 1 mpi 0 1 2\ngroup 2 mpi 0 1\ncomm 0 1 MPI_COMM_WORLD\ncomm 1 2\n"
#define OURS "creator 0 tracenest 1\n"
#define BARRIER(rank) "@" #rank " collective 0 0 none\n"
#define ALLREDUCE(rank) "@" #rank " collective 11 0 none\n"
#define BCAST(rank, root) "@" #rank " collective 1 0 " #root "\n"

static const struct {
	const char *why, *archive;
	bool ended;
	const char *said;
} cases[] = {
	{"all alike", BARRIER(0) BARRIER(1) BARRIER(2), true, ""},
	{"one is another", BARRIER(0) BARRIER(1) ALLREDUCE(2), true,
		"2 calls MPI_Allreduce where 0-1 call MPI_Barrier\n"},
	{"often", BARRIER(0) BARRIER(0) ALLREDUCE(1) ALLREDUCE(1) BARRIER(2) BARRIER(2), true,
		"1 calls MPI_Allreduce where 0,2 call MPI_Barrier (2)\n"},
	{"in another order", BARRIER(0) ALLREDUCE(0) BARRIER(1) ALLREDUCE(1) ALLREDUCE(2) BARRIER(2), true,
		"2 calls MPI_Allreduce where 0-1 call MPI_Barrier\n2 calls MPI_Barrier where 0-1 call "
		"MPI_Allreduce\n"},
	{"whatever comes first", ALLREDUCE(2) BARRIER(2) BARRIER(1) ALLREDUCE(1) BARRIER(0) ALLREDUCE(0), true,
		"2 calls MPI_Allreduce where 0-1 call MPI_Barrier\n2 calls MPI_Barrier where 0-1 call "
		"MPI_Allreduce\n"},
	{"on two communicators, each has its own order",
		BARRIER(0) "@0 collective 11 1 none\n"
			   "@1 collective 11 1 none\n" BARRIER(1) BARRIER(2),
		true, ""},
	{"one has fewer: the archive may have lost it, and the next are no others",
		BARRIER(0) ALLREDUCE(0) BARRIER(1) ALLREDUCE(1) ALLREDUCE(2), true, ""},
	{"... but where the run did not end", OURS BARRIER(0) ALLREDUCE(0) BARRIER(1) ALLREDUCE(1) ALLREDUCE(2), false,
		"2 calls MPI_Allreduce where 0-1 call MPI_Barrier\n"},
	{"roots of others mean what they like", BCAST(0, 0) BCAST(1, 1) BCAST(2, 0), true, ""},
	{"roots of ours are those of the call", OURS BCAST(0, 0) BCAST(1, 1) BCAST(2, 0), true,
		"1 calls MPI_Bcast with root 1 where 0,2 have root 0\n"},
	{"... but for those between two groups", OURS "between 0 0\n" BCAST(0, 0) BCAST(1, 1) BCAST(2, 0), true, ""},
	{"who stands in one has come to it",
		OURS ALLREDUCE(0) ALLREDUCE(1) "pending 0 2 call collective MPI_Barrier - 0 0 0 0 1 1 a.c:3 main\n",
		false, "2 calls MPI_Barrier (a.c:3) where 0-1 call MPI_Allreduce\n"},
	{"of two who stand there it is said already",
		OURS "pending 0 0 call collective MPI_Barrier - 0 0 0 0 1 1 a.c:3 main\n"
		     "pending 0 1 call collective MPI_Allreduce - 0 0 4 4 1 1 a.c:4 main\n",
		false, ""},
	{"a message that was cut off", OURS "time 100\n@0 send 1 0 7\ntime 50\n@1 recv 0 0 7\n", true,
		"1 receives 160 bytes of a message of 210 bytes from 0\n"},
	{"messages of others are not compared", "time 100\n@0 send 1 0 7\ntime 50\n@1 recv 0 0 7\n", true, ""},
};

static void contradictions(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text archive = {0}, said = {0};
		struct error error = {0};
		struct mismatches found = {0};
		text_format(&archive, THREE "%s", cases[i].archive);
		char *anchor = archive_write(archive.data);
		ROW(cases[i].why, mismatches_find(anchor, &(struct trace_options){0}, cases[i].ended, &found, &error));
		for (size_t k = 0; k < found.lines; k++) {
			text_put(&said, found.line[k].text);
			if (found.line[k].times > 1)
				text_format(&said, " (%d)", (int)found.line[k].times);
			text_char(&said, '\n');
		}
		row_same(cases[i].why, said.data ? said.data : "", cases[i].said);
		mismatches_clear(&found);
		archive_remove(anchor);
		text_clear(&archive);
		text_clear(&said);
	}
}

void suite_mismatches(CU_pSuite suite)
{
	CU_add_test(suite, "calls that contradict each other", contradictions);
}
