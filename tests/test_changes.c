/*
 * test_changes.c -- what a run does otherwise than a golden program, in words.
 */
#include <string.h>

#include "model/prepared.h"
#include "report/changes.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define HEAD "// tracenest 1\n// processes 4\n"

/* A ring in which all exchange with their neighbours, and then meet. */
#define RING(times, tag, size, send, heard)                                                                            \
	HEAD "[0-3] for i0 = 0 to " times "\n[0-3] p send (p+1)%4 " tag " ; bytes=" size " // a.c:" send               \
	     "\n[0-3] (p-1)%4 recv p " tag " ; bytes=" size " // a.c:" heard "\ndone\n"
#define MEET(root, line) "[0-3] p sync MPI_Bcast 0-3 root=" root " // a.c:" line "\n"
#define SITES(lines) "// sites\n// a.c:" lines " main\n"

/* A master hears from anybody, who then gets more. */
#define SERVED(a, b, c, sites)                                                                                         \
	HEAD "1 send 0 t // a.c:5\n2 send 0 t // a.c:5\n3 send 0 t // a.c:5\n" a b c                                   \
	     "0 send 1 u // a.c:9\n0 send 2 u // a.c:9\n0 send 3 u // a.c:9\n"                                         \
	     "0 recv 1 u // a.c:6\n0 recv 2 u // a.c:6\n0 recv 3 u // a.c:6\n" SITES(sites)
#define ANY(rank, line) rank " recv 0 t ; posted_source=-1 // a.c:" line "\n"
#define ONE(rank, line) rank " recv 0 t // a.c:" line "\n"

/* Each rank sends to the next one: all from one statement of two lines of the source; or the even ranks, and the odd ones, from their own line. */
#define TOLD(file, function, lines) "// sites\n// " file ":" lines " " function "\n"
#define ONE_STATEMENT(file, function)                                                                                  \
	HEAD "[0-3] p send (p+1)%4 t ; bytes=8 // " file ":3,5\n[0-3] (p-1)%4 recv p t ; bytes=8 // " file             \
	     ":4,6\n" TOLD(file, function, "3,4,5,6")
#define TWO_STATEMENTS(file, function, size)                                                                           \
	HEAD "[0,2] p send (p+1)%4 t ; bytes=" size " // " file ":13\n[1,3] p send (p+1)%4 t ; bytes=8 // " file       \
	     ":15\n[0,2] (p-1)%4 recv p t ; bytes=8 // " file ":14\n[1,3] (p-1)%4 recv p t ; bytes=" size " // " file  \
	     ":16\n" TOLD(file, function, "13,14,15,16")

static const struct {
	const char *why, *golden, *run, *loose;
	bool ignore_bytes, ignore_order;
	const char *want;
} cases[] = {
	{"the same text", RING("9", "t1", "8", "3", "4") SITES("3,4"), RING("9", "t1", "8", "3", "4") SITES("3,4"),
		NULL, false, false, ""},
	{"the same, folded in another way", RING("9", "t1", "8", "3", "4") SITES("3,4"),
		HEAD
		"[0-3] p send (p+1)%4 t1 ; bytes=8 // a.c:3\n[0-3] for i0 = 0 to 8\n[0-3] (p-1)%4 recv p t1 ; bytes=8 // a.c:4\n"
		"[0-3] p send (p+1)%4 t1 ; bytes=8 // a.c:3\ndone\n[0-3] (p-1)%4 recv p t1 ; bytes=8 // a.c:4\n" SITES(
			"3,4"),
		NULL, false, false, ""},
	{"lines that moved are no change", RING("9", "t1", "8", "3", "4") SITES("3,4"),
		RING("9", "t1", "8", "13", "15") SITES("13,15"), NULL, false, false, ""},
	{"another size", RING("9", "t1", "256", "3", "4") SITES("3,4"), RING("9", "t1", "512", "3", "4") SITES("3,4"),
		NULL, false, false, "a.c:3 main: send: bytes 256 -> 512\na.c:4 main: receive: bytes 256 -> 512\n"},
	{"that may be ignored", RING("9", "t1", "256", "3", "4") SITES("3,4"),
		RING("9", "t1", "512", "3", "4") SITES("3,4"), NULL, true, false, ""},
	{"another tag", RING("9", "t1", "8", "3", "4") SITES("3,4"), RING("9", "t7", "8", "3", "4") SITES("3,4"), NULL,
		false, false, "a.c:3 main: send: t1 -> t7\na.c:4 main: receive: t1 -> t7\n"},
	{"another peer, as a function of the rank", RING("9", "t1", "8", "3", "4") SITES("3,4"),
		HEAD
		"[0-3] for i0 = 0 to 9\n[0-3] p send (p+2)%4 t1 ; bytes=8 // a.c:3\n[0-3] (p+2)%4 recv p t1 ; bytes=8 // a.c:4\n"
		"done\n" SITES("3,4"),
		NULL, false, false,
		"a.c:3 main: send now sends to (p+2)%4 instead of (p+1)%4 (rank 0: 2 instead of 1)\n"
		"a.c:4 main: receive now receives from (p+2)%4 instead of (p-1)%4 (rank 0: 2 instead of 3)\n"},
	{"twice as often", RING("9", "t1", "8", "3", "4") SITES("3,4"), RING("19", "t1", "8", "3", "4") SITES("3,4"),
		NULL, false, false,
		"a.c:3 main: send now runs twice as often: 20 times each on all ranks, in the golden program 10 times\n"
		"a.c:4 main: receive now runs twice as often: 20 times each on all ranks, in the golden program 10 times\n"},
	{"a loop that converges", RING("9", "t1", "8", "3", "4") SITES("3,4"),
		RING("11", "t1", "8", "3", "4") SITES("3,4"), "main:3", false, false, ""},
	{"told by its file", RING("9", "t1", "8", "3", "4") SITES("3,4"), RING("11", "t1", "8", "3", "4") SITES("3,4"),
		"a.c:4", false, false, ""},
	{"may not change otherwise", RING("9", "t1", "8", "3", "4") SITES("3,4"),
		RING("11", "t2", "8", "3", "4") SITES("3,4"), "a.c:4", false, false,
		"a.c:3 main: send: t1 -> t2\na.c:4 main: receive: t1 -> t2\n"},
	{"another root", HEAD MEET("0", "7") SITES("7"), HEAD MEET("2", "7") SITES("7"), NULL, false, false,
		"a.c:7 main: MPI_Bcast: root 0 -> 2\n"},
	{"a new call moves the others", HEAD MEET("0", "7") MEET("0", "9") SITES("7,9"),
		HEAD MEET("0", "7") "[0-3] p sync MPI_Barrier 0-3 // a.c:8\n" MEET("0", "10") SITES("7,8,10"), NULL,
		false, false, "a.c:8 main: MPI_Barrier is new: once each on all ranks\n"},
	{"one that is gone is told where it would be",
		HEAD MEET("0", "7") "[0-3] p sync MPI_Barrier 0-3 // a.c:8\n" MEET("0", "10") SITES("7,8,10"),
		HEAD MEET("0", "17") MEET("0", "19") SITES("17,19"), NULL, false, false,
		"a.c:18 main: MPI_Barrier is gone: once each on all ranks in the golden program, there a.c:8\n"},
	{"of the same name the nearer one", HEAD MEET("0", "7") MEET("0", "20") SITES("7,20"),
		HEAD MEET("0", "7") MEET("0", "14") MEET("0", "21") SITES("7,14,21"), NULL, false, false,
		"a.c:14 main: MPI_Bcast is new: once each on all ranks\n"},
	{"a function that moved is the same",
		HEAD MEET("0", "7") "[0-3] p sync MPI_Barrier 0-3 // a.c:9\n" SITES("7,9"),
		HEAD MEET("0", "57") "[0-3] p sync MPI_Barrier 0-3 // a.c:9\n" SITES("9,57"), NULL, false, false, ""},
	{"a statement of two lines", ONE_STATEMENT("a.c", "main"), TWO_STATEMENTS("a.c", "main", "8"), NULL, false,
		false, ""},
	{"whose file is renamed", ONE_STATEMENT("a.c", "main"), TWO_STATEMENTS("b.c", "main", "8"), NULL, false, false,
		""},
	{"whose function is", ONE_STATEMENT("a.c", "main"), TWO_STATEMENTS("a.c", "work", "8"), NULL, false, false, ""},
	{"or both", ONE_STATEMENT("a.c", "main"), TWO_STATEMENTS("b.c", "work", "8"), NULL, false, false, ""},
	{"a file that is renamed hides no change", ONE_STATEMENT("a.c", "main"), TWO_STATEMENTS("b.c", "main", "9"),
		NULL, false, false,
		"b.c:13 main: send: bytes 8 -> 9, on ranks 0,2\nb.c:16 main: receive: bytes 8 -> 9, on ranks 1,3\n"},
	{"a function that moved to a file that was there", ONE_STATEMENT("a.c", "halo") "// b.c:7 main\n",
		TWO_STATEMENTS("b.c", "halo", "8") "// b.c:7 main\n", NULL, false, false, ""},
	{"the order of sites", HEAD MEET("0", "7") "[0-3] p sync MPI_Barrier 0-3 // a.c:9\n" SITES("7,9"),
		HEAD "[0-3] p sync MPI_Barrier 0-3 // a.c:9\n" MEET("0", "57") SITES("9,57"), NULL, false, false,
		"a.c:9 main: MPI_Barrier now comes before MPI_Bcast at a.c:57 on rank 0, in the golden program after it\n"},
	{"that may be ignored, too", HEAD MEET("0", "7") "[0-3] p sync MPI_Barrier 0-3 // a.c:9\n" SITES("7,9"),
		HEAD "[0-3] p sync MPI_Barrier 0-3 // a.c:9\n" MEET("0", "57") SITES("9,57"), NULL, false, true, ""},
	{"a loop that goes the other way",
		HEAD
		"for i0 = 0 to 2\n0 send {1+i0} t // a.c:3\ndone\n1 recv 0 x\n[1-3] 0 recv p t // a.c:4\n" SITES("3,4"),
		HEAD
		"for i0 = 0 to 2\n0 send {3-i0} t // a.c:3\ndone\n1 recv 0 x\n[1-3] 0 recv p t // a.c:4\n" SITES("3,4"),
		NULL, false, false,
		"a.c:3 main: send goes another way round: on rank 0 rank 3 comes where rank 1 was\n"},
	{"who comes first to a wildcard", SERVED(ANY("1", "8"), ANY("2", "8"), ANY("3", "8"), "5,6,8,9"),
		SERVED(ANY("3", "8"), ANY("1", "8"), ANY("2", "8"), "5,6,8,9"), NULL, false, false, ""},
	{"is a change where it was named", SERVED(ONE("1", "8"), ONE("2", "8"), ONE("3", "8"), "5,6,8,9"),
		SERVED(ONE("3", "8"), ONE("1", "8"), ONE("2", "8"), "5,6,8,9"), NULL, false, false,
		"a.c:8 main: receive goes another way round: on rank 0 rank 3 comes where rank 1 was\n"},
	{"a wildcard that is named",
		HEAD
		"1 send 0 t ; call=MPI_Send // a.c:5\n1 recv 0 t ; call=MPI_Recv posted_source=-1 // a.c:8\n" SITES(
			"5,8"),
		HEAD "1 send 0 t ; call=MPI_Send // a.c:5\n1 recv 0 t ; call=MPI_Recv // a.c:8\n" SITES("5,8"), NULL,
		false, false, "a.c:8 main: MPI_Recv no longer takes messages from anybody\n"},
	{"and the other way round",
		HEAD "1 send 0 t ; call=MPI_Send // a.c:5\n1 recv 0 t ; call=MPI_Recv // a.c:8\n" SITES("5,8"),
		HEAD
		"1 send 0 t ; call=MPI_Send // a.c:5\n1 recv 0 t ; call=MPI_Recv posted_source=-1 // a.c:8\n" SITES(
			"5,8"),
		NULL, false, false, "a.c:8 main: MPI_Recv now takes messages from anybody\n"},
	{"of which nothing is known where no function is told", HEAD ANY("1", "8") "1 send 0 t // a.c:5\n" SITES("5,8"),
		HEAD ONE("1", "8") "1 send 0 t // a.c:5\n" SITES("5,8"), NULL, false, false, ""},
	{"one function sends and receives",
		HEAD
		"1 send 0 t ; call=MPI_Startall bytes=4 // a.c:5\n1 recv 0 t ; call=MPI_Startall bytes=4 // a.c:5\n" SITES(
			"5"),
		HEAD
		"1 send 0 t ; call=MPI_Startall bytes=8 // a.c:5\n1 recv 0 t ; call=MPI_Startall bytes=8 // a.c:5\n" SITES(
			"5"),
		NULL, false, false,
		"a.c:5 main: send of MPI_Startall: bytes 4 -> 8, on rank 1\n"
		"a.c:5 main: receive of MPI_Startall: bytes 4 -> 8, on rank 0\n"},
	{"what is sent and received of a collective",
		HEAD "[0-3] p sync MPI_Bcast 0-3 root=0 ; bytes=$b[p] received=32 // a.c:7\n" SITES(
			"7") "// tables\n$b[p] = 32 0 0 0\n",
		HEAD "[0-3] p sync MPI_Bcast 0-3 root=0 ; bytes=$b[p] received=48 // a.c:7\n" SITES(
			"7") "// tables\n$b[p] = 48 0 0 0\n",
		NULL, false, false, "a.c:7 main: MPI_Bcast: bytes sent/received 32, 0/32 -> 48, 0/48\n"},
	{"without lines a call that moved in its object is the same",
		HEAD "for i0 = 0 to 4\n0-3 sync MPI_Bcast 0-3 // app+0x14c9\ndone\n// sites\n// app+0x14c9 main\n",
		HEAD "for i0 = 0 to 6\n0-3 sync MPI_Bcast 0-3 // app+0x14d0\ndone\n// sites\n// app+0x14d0 main\n",
		NULL, false, false,
		"main: MPI_Bcast now runs 7 times each on all ranks, in the golden program 5 times\n"},
	{"which worker gets which piece",
		HEAD
		"1 send 0 t // a.c:5\n1 recv 0 t ; posted_source=-1 // a.c:8\n0 send 1 u // a.c:9\n0 recv 1 u // a.c:6\n" SITES(
			"5,6,8,9"),
		HEAD
		"2 send 0 t // a.c:5\n2 recv 0 t ; posted_source=-1 // a.c:8\n0 send 2 u // a.c:9\n0 recv 2 u // a.c:6\n" SITES(
			"5,6,8,9"),
		NULL, false, false, ""},
	{"but not how many there are",
		HEAD
		"1 send 0 t // a.c:5\n1 recv 0 t ; posted_source=-1 // a.c:8\n0 send 1 u // a.c:9\n0 recv 1 u // a.c:6\n" SITES(
			"5,6,8,9"),
		HEAD
		"2 send 0 t // a.c:5\n2 recv 0 t ; posted_source=-1 // a.c:8\n0 send 2 u // a.c:9\n0 send 2 u // a.c:9\n"
		"0 recv 2 u // a.c:6\n0 recv 2 u // a.c:6\n" SITES("5,6,8,9"),
		NULL, false, false,
		"a.c:6 main: receive now runs 2 times in all, in the golden program once in all\n"
		"a.c:9 main: send now runs 2 times in all, in the golden program once in all\n"},
	{"another function",
		HEAD "0 send 1 t ; call=MPI_Isend other=MPI_Wait // a.c:3\n0 recv 1 t // a.c:4\n" SITES("3,4"),
		HEAD "0 send 1 t ; call=MPI_Send // a.c:3\n0 recv 1 t // a.c:4\n" SITES("3,4"), NULL, false, false,
		"a.c:3 main: MPI_Send in place of MPI_Isend completed by MPI_Wait, on rank 0\n"},
	{"complete sooner",
		HEAD "0 send 1 t ; call=MPI_Isend other=MPI_Wait apart=1 // a.c:3\n0 recv 1 t // a.c:4\n" SITES("3,4"),
		HEAD "0 send 1 t ; call=MPI_Isend other=MPI_Wait apart=0 // a.c:3\n0 recv 1 t // a.c:4\n" SITES("3,4"),
		NULL, false, false,
		"a.c:3 main: MPI_Isend is complete after at least 0 other calls of its rank, in the golden program after 1: less "
		"can overlap\n"},
	{"whether it is complete when it is tested is chance",
		HEAD "0 send 1 t ; call=MPI_Isend other=MPI_Test apart=1 // a.c:3\n0 recv 1 t // a.c:4\n" SITES("3,4"),
		HEAD "0 send 1 t ; call=MPI_Isend other=MPI_Wait apart=0 // a.c:3\n0 recv 1 t // a.c:4\n" SITES("3,4"),
		NULL, false, false, ""},
	{"lines that the golden program does not tell apart",
		HEAD
		"for i0 = 0 to 1\n0 send 1 tag{i0} ; bytes=8 // a.c:3,5\n0 recv 1 tag{i0} ; bytes=8 // a.c:9\ndone\n" SITES(
			"3,5,9"),
		HEAD
		"0 send 1 tag0 ; bytes=8 // a.c:3\n0 recv 1 tag0 ; bytes=8 // a.c:9\n0 send 1 tag1 ; bytes=16 // a.c:5\n"
		"0 recv 1 tag1 ; bytes=8 // a.c:9\n" SITES("3,5,9"),
		NULL, false, false, "a.c:5 main: send: bytes 8 -> 16, on rank 0\n"},
	{"no sites", HEAD "0 send 1 t\n0 recv 1 t\n", HEAD "0 send 2 t\n0 recv 2 t\n", NULL, false, false,
		"receive now runs once on rank 2, in the golden program once on rank 1\n"
		"send now sends to 2 instead of 1, on rank 0\n"},
};

static void test_changes(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct prepared *golden = program_of(cases[i].golden), *run = program_of(cases[i].run);
		struct changes_options options = {.ignore_bytes = cases[i].ignore_bytes,
			.ignore_order = cases[i].ignore_order,
			.loose = &cases[i].loose,
			.loose_count = cases[i].loose != NULL};
		struct changes changes;
		struct error error = {0};
		struct text have = {0};
		text_add(&have, "", 0);
		ROW(cases[i].why, changes_of(golden->run, run->run, &options, &changes, &error));
		changes_print(&changes, &have);
		row_same(cases[i].why, have.data, cases[i].want);
		text_clear(&have);
		changes_clear(&changes);
		prepared_free(golden);
		prepared_free(run);
	}
}

static void test_loose_place(void)
{
	struct prepared *p = program_of(HEAD MEET("0", "7") SITES("7"));
	const char *place = "main:8";
	struct changes changes;
	struct error error = {0};
	CU_ASSERT_FALSE(changes_of(
		p->run, p->run, &(struct changes_options){.loose = &place, .loose_count = 1}, &changes, &error));
	row_contains("a place that is none", error.message, "--loose main:8: neither program calls MPI there");
	changes_clear(&changes);
	prepared_free(p);
}

/* What JUnit and SARIF make of names and words. */
static void test_files(void)
{
	char file[] = "a b.c", function[] = "f<int>", words[] = "bytes \"1\" -> 2";
	struct change change = {CHANGE_BYTES, file, 3, function, words};
	struct changes changes = {.change = &change, .length = 1};
	struct text xml = {0};
	struct json json = {0};
	changes_print_junit(&changes, "a&b.nest", 1.5, &xml);
	row_contains("a failure", xml.data, "tests=\"1\" failures=\"1\"");
	row_contains("escaped", xml.data, "classname=\"a&amp;b.nest\" name=\"a b.c:3 f&lt;int&gt;: bytes\"");
	text_clear(&xml);
	changes.length = 0;
	changes_print_junit(&changes, "a.nest", 1.5, &xml);
	row_contains("none", xml.data, "<testcase classname=\"a.nest\" name=\"communication\" time=\"1.500\"/>");
	text_clear(&xml);
	changes.length = 1;
	changes_print_sarif(&changes, "g#.nest", NULL, &json);
	row_contains("a place", json.text.data, "\"artifactLocation\": {\"uri\": \"a%20b.c\"}");
	row_contains("words", json.text.data, "\"message\": {\"text\": \"f\\u003cint>: bytes \\\"1\\\" -> 2\"}");
	text_clear(&json.text);
	json = (struct json){0};
	change.line = 0;
	changes_print_sarif(&changes, "g#.nest", NULL, &json);
	row_contains("a change without a place", json.text.data, "\"uri\": \"g%23.nest\"}");
	text_clear(&json.text);
}

void suite_changes(CU_pSuite suite)
{
	CU_add_test(suite, "changes are told by call site", test_changes);
	CU_add_test(suite, "a loose place must be one", test_loose_place);
	CU_add_test(suite, "files for machines", test_files);
}
