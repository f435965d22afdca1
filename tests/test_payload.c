/*
 * test_payload.c -- what collectives move, as three recorders tell it of the same run.
 */
#include "replay/payload.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/rows.h"

#define HEAD "// tracenest 1\n// processes 4\n"

/* Bytes: of the vector that all pass on; or of the parts of ranks 0 to 3; or of what rank 1 has for members 0 to 3. */
enum asked { VECTOR, PARTS, PAIRS };

static const struct {
	const char *why, *text;
	enum asked asked;
	uint64_t bytes[4]; /* of ranks 0 to 3; the vector: as each of them sees it */
} cases[] = {
	{"a broadcast of ours",
		"[0-3] p sync MPI_Bcast 0-3 root=1 ; bytes=$b[p] received=$r[p] / // tables / $b[p] = 0 64 0 0 / $r[p] = 64 0 64 64",
		VECTOR, {64, 64, 64, 64}},
	{"of Score-P", "[0-3] p sync MPI_Bcast 0-3 root=1 ; bytes=$b[p] received=64 / // tables / $b[p] = 0 256 0 0",
		VECTOR, {64, 64, 64, 64}},
	{"of EZTrace", "[0-3] p sync MPI_Bcast 0-3 root=1 ; bytes=64 received=64", VECTOR, {64, 64, 64, 64}},
	{"a sum of ours", "[0-3] p sync MPI_Allreduce 0-3 ; bytes=64 received=64", VECTOR, {64, 64, 64, 64}},
	{"of Score-P, seen from a broadcast",
		"[0-3] p sync MPI_Allreduce 0-3 ; bytes=256 received=256 / [0-3] p sync MPI_Bcast 0-3 root=0 ; bytes=$b[p] received=8 / // tables / $b[p] = 32 0 0 0",
		VECTOR, {64, 64, 64, 64}},
	{"of Score-P, seen from a scan",
		"[0-3] p sync MPI_Allreduce 0-3 ; bytes=256 received=256 / [0-3] p sync MPI_Scan 0-3 ; bytes={32-8*p} received={8+8*p}",
		VECTOR, {64, 64, 64, 64}},
	{"a scan of Score-P", "[0-3] p sync MPI_Scan 0-3 ; bytes={32-8*p} received={8+8*p}", VECTOR, {8, 8, 8, 8}},
	{"without oneself", "[0-3] p sync MPI_Exscan 0-3 ; bytes={24-8*p} received={8*p}", VECTOR, {8, 8, 8, 8}},
	{"a scan of ours", "[0-3] p sync MPI_Scan 0-3 ; bytes=8 received=8", VECTOR, {8, 8, 8, 8}},
	{"each its own", "[0-3] p sync MPI_Gatherv 0-3 root=2 ; bytes={10+p} received=0", PARTS, {10, 11, 12, 13}},
	{"to each its own", "[0-3] p sync MPI_Scatterv 0-3 root=2 ; bytes=0 received={10+p}", PARTS, {10, 11, 12, 13}},
	{"ours of all", "[0-3] p sync MPI_Allgather 0-3 ; bytes=8 received=32", PARTS, {8, 8, 8, 8}},
	{"Score-P's", "[0-3] p sync MPI_Allgather 0-3 ; bytes=32 received=32", PARTS, {8, 8, 8, 8}},
	{"all to all", "[0-3] p sync MPI_Alltoall 0-3 ; bytes=32 received=32", PAIRS, {8, 8, 8, 8}},
	{"as EZTrace counts",
		"[0-3] p sync MPI_Alltoall 0-3 ; bytes=8 received=8 / [0-3] p sync MPI_Bcast 0-3 root=0 ; bytes=4 received=4",
		PAIRS, {8, 8, 8, 8}},
	{"equal parts, and not a byte lost", "[0-3] p sync MPI_Alltoallv 0-3 ; bytes={34+p} received=0", PAIRS,
		{9, 9, 9, 8}},
	{"nothing is known", "[0-3] p sync MPI_Alltoallv 0-3", PAIRS, {0, 0, 0, 0}},
};

static void test_payloads(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error error = {0};
		struct text lines = lines_of_row(HEAD, cases[i].text);
		struct module *m = module_parse("row", lines.data, lines.length, &error);
		ROW(cases[i].why, m);
		text_clear(&lines);
		if (!m) {
			printf("%s\n", error.message);
			continue;
		}
		struct run *run = run_new(m, NULL);
		struct overview overview;
		struct environment e = {0};
		overview_of(&overview, run);
		struct payloads payloads = payloads_of(&overview);
		for (uint32_t rank = 0; rank < 4; rank++) {
			overview_start(&overview, 0, cases[i].asked == VECTOR ? rank : 1, &e);
			struct payload x = payload_of(&payloads, 0, &e, 4);
			uint64_t have = cases[i].asked == VECTOR  ? payload_vector(&x)
					: cases[i].asked == PARTS ? payload_part(&x, rank)
								  : payload_pair(&x, 1, rank, rank);
			ROW(cases[i].why, have == cases[i].bytes[rank]);
		}
		free(e.index);
		overview_clear(&overview);
		run_free(run);
		module_free(m);
	}
}

void suite_payload(CU_pSuite suite)
{
	CU_ADD_TEST(suite, test_payloads);
}
