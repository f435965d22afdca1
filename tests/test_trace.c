/*
 * test_trace.c -- the readers of OTF2 archives and of text traces, the order of receives, the
 * balance of channels.
 *
 * Archives are written by the tests themselves from a text (tests/archive.h), so that every oddity
 * of the wild has a small example. The real ones of samples/ are read too where TRACENEST_SAMPLES
 * names the directory with them unpacked.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "lib/pipeline.h"
#include "tests/archive.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"
#include "trace/names.h"
#include "trace/postings.h"
#include "trace/otf2.h"
#include "trace/timeline.h"
#include "trace/trace.h"
#include "trace/tracker.h"

/* ------------------------------------------------------------------ reading whole traces */

#define MOST_RANKS 64

struct reader {
	struct trace *trace;
	struct text lines[MOST_RANKS]; /* of each rank */
	struct text mixed; /* in order of arrival */
	bool with_attributes;
	uint64_t stop_at; /* events of one rank, 0: never */
	uint64_t count[MOST_RANKS];
};

static bool note_event(void *context, uint32_t rank, const struct trace_event *event, struct error *error)
{
	struct reader *r = context;
	CU_ASSERT_FATAL(rank < MOST_RANKS);
	struct text *out = &r->lines[rank];
	size_t start = out->length;
	event_print(trace_dictionary(r->trace, rank), event->event, out);
	if (r->with_attributes && event->timed)
		text_format(out, " t%llu", (unsigned long long)event->time);
	if (r->with_attributes && event->bytes)
		text_format(out, " b%llu", (unsigned long long)event->bytes);
	for (uint32_t i = 0; r->with_attributes && i < event->attribute_count; i++)
		if (!strcmp(event->attribute[i].name, "thread"))
			text_format(out, " thread%lld", (long long)event->attribute[i].number);
	if (r->with_attributes && event->attributes)
		text_format(out, " [%s]", event->attributes);
	text_char(out, '\n');
	if (r->stop_at && ++r->count[rank] == r->stop_at)
		return error_set(error, ERROR_INCONSISTENT, "enough of rank %u", rank);
	if (!trace_facts(r->trace)->archive)
		text_add(&r->mixed, out->data + start, out->length - start);
	return true;
}

static struct trace_options options_of(const char *words)
{
	struct trace_options options = {.recorded_order = strstr(words, "recorded"),
		.collective_regions = strstr(words, "regions"),
		.lenient = strstr(words, "lenient")};
	if (strstr(words, "mpi"))
		options.events = TRACE_MPI;
	if (strstr(words, "all"))
		options.events = TRACE_ALL;
	return options;
}

static void clear(struct reader *r)
{
	for (size_t i = 0; i < MOST_RANKS; i++)
		text_clear(&r->lines[i]);
	text_clear(&r->mixed);
	trace_close(r->trace);
}

/* What a trace holds, rank after rank, or the message of its error; to be freed. facts may be
   NULL. */
static char *read_trace(const char *path, const char *words, unsigned jobs, struct trace_facts *facts)
{
	struct reader r = {.with_attributes = strstr(words, "attributes")};
	struct trace_options options = options_of(words);
	struct trace_sink sink = {.context = &r, .event = note_event};
	struct error error = {0};
	struct text all = {0};
	text_put(&all, "");
	r.trace = trace_open(path, &options, &error);
	if (r.trace && trace_read(r.trace, jobs, NULL, &sink, &error))
		for (size_t i = 0; i < MOST_RANKS; i++)
			text_add(&all, r.lines[i].data ? r.lines[i].data : "", r.lines[i].length);
	else
		text_format(&all, "error %d: %s", error.kind, error.message);
	if (r.trace && facts)
		*facts = *trace_facts(r.trace);
	clear(&r);
	return all.data;
}

static void expect(const char *why, const char *have, const char *want)
{
	if (strcmp(have, want))
		fprintf(stderr, "\n%s:\n  expected:\n%s\n  found:\n%s\n", why, want, have);
	CU_ASSERT_STRING_EQUAL(have, want);
}

/* ------------------------------------------------------------------ archives */

/* Two processes whose locations are no ranks; MPI_COMM_WORLD is communicator 0. */
#define TWO                                                                                                            \
	"process 0\nprocess 1\nlocation 70 0\nlocation 40 1\nlist 0 mpi 70 40\ngroup 1 mpi 0 1\ncomm 0 1 MPI_COMM_WORLD\n"
#define FOUR                                                                                                           \
	"process 0\nprocess 1\nprocess 2\nprocess 3\nlocation 0 0\nlocation 1 1\nlocation 2 2\nlocation 3 3\n"         \
	"list 0 mpi 0 1 2 3\ngroup 1 mpi 0 1 2 3\ncomm 0 1 MPI_COMM_WORLD\n"
#define THREADS                                                                                                        \
	"process 0\nprocess 1\nlocation 1 0\nlocation 2 0\nlocation 3 1\nlocation 4 1\nlist 0 mpi 1 3\n"               \
	"group 1 mpi 0 1\ncomm 0 1 MPI_COMM_WORLD\n"
#define WAITS "region 1 MPI_Waitall\nregion 2 MPI_Irecv\nregion 3 MPI_Wait\nregion 4 compute\n"

static const struct {
	const char *why, *archive, *options, *events;
} archives[] = {
	{"locations are not ranks", TWO "@70 send 1 0 7\n@40 recv 0 0 7\n", "", "0 send 1 tag7\n0 recv 1 tag7\n"},
	{"both kinds of send are one", TWO "@70 isend 1 0 7 99\n@70 send 1 0 7\n", "",
		"0 send 1 tag7\n0 send 1 tag7\n"},
	{"sends to oneself", TWO "@70 send 0 0 1\n@70 recv 0 0 1\n", "", "0 send 0 tag1\n0 recv 0 tag1\n"},
	{"one process",
		"process 0\nlocation 5 0\nlist 0 mpi 5\ngroup 1 mpi 0\ncomm 0 1 MPI_COMM_WORLD\n@5 collective 0 0 none\n",
		"", "0 sync MPI_Barrier 0\n"},
	{"ranks in a communicator are not ranks of the world",
		TWO "group 2 mpi 1 0\ncomm 3 2\n@70 send 0 3 7\n@40 recv 1 3 7\n", "",
		"0 send 1 tag7@3\n0 recv 1 tag7@3\n"},
	{"threads of a process are its events",
		THREADS "@1 send 1 0 10\n@2 send 1 0 20\n@3 recv 0 0 10\n@4 recv 0 0 20\n", "attributes",
		"0 send 1 tag10 t10 b110 thread0\n0 send 1 tag20 t20 b120 thread1\n0 recv 1 tag10 t30 b130 thread0\n0 recv 1 tag20 t40 b140 thread1\n"},
	{"... also where the other thread alone communicates", THREADS "@2 send 1 0 20\n@3 recv 0 0 20\n", "attributes",
		"0 send 1 tag20 t10 b110 thread1\n0 recv 1 tag20 t20 b120\n"},
	{"... a message is received behind its sending, whatever time says",
		THREADS "@1 recv 1 0 5\n@2 send 1 0 4\n@3 recv 0 0 4\n@4 send 0 0 5\n", "attributes",
		"0 send 1 tag4 t20 b120 thread1\n1 recv 0 tag5 t20 b110 thread0\n"
		"0 recv 1 tag4 t30 b130 thread0\n1 send 0 tag5 t40 b140 thread1\n"},
	{"... and collectives that cross are put right",
		THREADS
		"comm 1 1\n@1 collective 0 0 none\n@2 collective 0 1 none\n@3 collective 0 1 none\n@4 collective 0 0 none\n",
		"",
		"0 sync MPI_Barrier 0-1@1\n0 sync MPI_Barrier 0-1\n1 sync MPI_Barrier 0-1@1\n1 sync MPI_Barrier 0-1\n"},
	{"... with their calls, each in its order",
		THREADS "region 8 MPI_Send\n@2 enter 8\n@1 enter 8\n@1 send 1 0 1\n@2 send 1 0 2\n"
			"@2 leave 8\n@1 leave 8\n@3 recv 0 0 1\n@3 recv 0 0 2\n",
		"mpi attributes",
		"0 local call MPI_Send t10 thread1\n0 local call MPI_Send t20 thread0\n0 send 1 tag1 t30 b130 thread0\n"
		"0 send 1 tag2 t40 b140 thread1\n0 local return MPI_Send t50 thread1\n0 local return MPI_Send t60 thread0\n"
		"0 recv 1 tag1 t70 b170\n0 recv 1 tag2 t80 b180\n"},
	{"a location of no process that communicates",
		"process 9\nlocation 5 9\n" TWO "@70 send 1 0 7\n@40 recv 0 0 7\n@5 send 1 0 7\n", "",
		"error 2: PATH: location 5 communicates, and belongs to no process of the run"},
	{"one id for two groups (EZTrace)",
		"process 0\nprocess 1\nlocation 0 0\nlocation 9 1\nlist 0 mpi 0 9\ngroup 0 mpi 1 0\ncomm 0 0\n@0 send 0 0 1\n@0 "
		"collective 1 0 0\n",
		"", "0 send 1 tag1@0\n0 sync MPI_Bcast 0-1@0 root=1\n"},
	{"the second list is not MPI's (Score-P)",
		"process 0\nprocess 1\nlocation 0 0\nlocation 1 1\nlist 0 mpi 0 1\nlist 1 other 1 0\ngroup 2 other 0 1\ncomm 0 2 "
		"threads\n"
		"group 4 mpi 0 1\ncomm 1 4 MPI_COMM_WORLD\n@0 send 1 1 5\n",
		"", "0 send 1 tag5\n"},
	{"an unnamed world is the lowest over all MPI processes",
		"process 0\nprocess 1\nlocation 0 0\nlocation 1 1\nlist 0 mpi 0 1\ngroup 2 other 0 1\ncomm 0 2 threads\ngroup 3 "
		"mpi 1\ngroup 4 mpi 0 1\n"
		"comm 5 4\ncomm 2 4\ncomm 1 3\n@0 send 1 2 5\n@0 send 1 5 5\n@1 send 0 1 5\n",
		"", "0 send 1 tag5\n0 send 1 tag5@5\n1 send 1 tag5@1\n"},
	{"an undefined communicator: ranks of the world, everybody", FOUR "@2 send 3 9 7\n@2 collective 0 9 none\n", "",
		"2 send 3 tag7@9\n2 sync MPI_Barrier 0-3@9\n"},
	{"a communicator of an undefined group is undefined", FOUR "comm 9 77\n@2 send 3 9 7\n", "",
		"2 send 3 tag7@9\n"},
	{"COMM_SELF has no members",
		TWO "self 3\ncomm 6 3 MPI_COMM_SELF\n@40 send 0 6 7\n@40 collective 11 6 none\n@40 collective 1 6 0\n",
		"", "1 send 1 tag7@6\n1 sync MPI_Allreduce 1@6\n1 sync MPI_Bcast 1@6 root=1\n"},
	{"MPI_PROC_NULL is nobody",
		TWO "@70 send 4294967294 0 7\n@70 recv 4294967294 0 7\n@70 irecv 4294967293 0 7 1\n@70 send 1 0 7\n",
		"", "0 send 1 tag7\n"},
	{"roots are world ranks",
		FOUR "group 2 mpi 3 1\ncomm 4 2\n@1 collective 12 4 0\n@1 collective 12 4 1\n@1 collective 11 4 none\n",
		"", "1 sync MPI_Reduce 1,3@4 root=3\n1 sync MPI_Reduce 1,3@4 root=1\n1 sync MPI_Allreduce 1,3@4\n"},
	{"names of operations, the newer ones too",
		TWO "@70 collective 13 0 none\n@70 collective 16 0 none\n@70 collective 21 0 none\n"
		    "@70 collective 22 0 none\n@70 collective 99 0 none\n",
		"",
		"0 sync MPI_Reduce_scatter 0-1\n0 sync MPI_Reduce_scatter_block 0-1\n0 sync MPI_Create_handle_and_allocate 0-1\n"
		"0 sync MPI_Destroy_handle_and_deallocate 0-1\n0 sync MPI_Collective_99 0-1\n"},
	{"members that are ranks of the world already",
		FOUR "group 2 global 3 1\ncomm 4 2\n@1 send 3 4 7\n@3 collective 1 4 1\n", "",
		"1 send 3 tag7@4\n3 sync MPI_Bcast 1,3@4 root=1\n"},
	{"an intercommunicator: peers in the other group, collectives over both",
		FOUR
		"group 2 mpi 0 1\ngroup 3 mpi 3 2\ninter 8 2 3\n@0 send 0 8 5\n@3 recv 0 8 5\n@2 send 1 8 6\n@0 collective 1 "
		"8 4294967294\n"
		"@1 collective 1 8 4294967293\n@2 collective 1 8 0\n",
		"",
		"0 send 3 tag5@8\n0 sync MPI_Inter_bcast 0-3@8 root=0\n1 sync MPI_Inter_bcast 0-3@8\n2 send 1 tag6@8\n"
		"2 sync MPI_Inter_bcast 0-3@8 root=0\n"
		"0 recv 3 tag5@8\n"},
	{"local numbers of communicators are mapped",
		TWO "group 2 mpi 1 0\ncomm 5 2\nmap 70 0 5\n@70 send 0 0 7\n@40 recv 0 0 7\n", "",
		"0 send 1 tag7@5\n0 recv 1 tag7\n"},
	{"no list: the threads that communicate, in order of processes",
		"process 4\nprocess 2\nlocation 1 4\nlocation 2 2\nlocation 3 2\nlocation 7 2 gpu\n@2 enter 1\n@3 send 1 0 7\n@1 "
		"recv 0 0 7\n",
		"", "0 send 1 tag7@0\n0 recv 1 tag7@0\n"},
	{"no list and no communication: the first threads",
		"process 0\nprocess 1\nlocation 3 0\nlocation 4 0\nlocation 5 1\nregion 1 main\n@3 enter 1\n", "all",
		"0 local call main\n"},
	{"modes: communication only", TWO WAITS "@70 enter 4\n@70 enter 3\n@70 send 1 0 7\n@70 leave 3\n@70 leave 4\n",
		"", "0 send 1 tag7\n"},
	{"modes: MPI's regions",
		TWO WAITS
		"mpiregion 9 isend wrapper\n@70 enter 4\n@70 enter 3\n@70 send 1 0 7\n@70 leave 3\n@70 enter 9\n",
		"mpi", "0 local call MPI_Wait\n0 send 1 tag7\n0 local return MPI_Wait\n0 local call isend wrapper\n"},
	{"modes: all that means something",
		TWO WAITS
		"region 8 int  f(a #1; {b})\nparameter 2 size of it\n@70 enter 4\n@70 enter 8\n@70 enter 77\n@70 fork 4\n@70 join\n"
		"@70 parameter 2 17\n@70 text 2 0\n@70 off\n@70 on\n@70 complete 1\n@70 send 1 0 7\n@70 leave 4\n",
		"all",
		"0 local call compute\n0 local call int f(a %231%3B %7Bb%7D)\n0 local call ?\n0 local fork 4\n0 local join\n"
		"0 local parameter size of it=-17\n0 local parameter size of it=process\n0 local measurement off\n0 local "
		"measurement on\n"
		"0 sync MPI_Ibcast 0-1 root=0\n0 send 1 tag7\n0 local return compute\n"},
	{"TAU's collectives are regions",
		TWO
		"region 1 MPI_Bcast()\nregion 2 pmpi_allreduce__\nregion 3 MPI_Ibarrier()\n@70 enter 1\n@70 leave 1\n"
		"@70 enter 2\n@70 leave 2\n@70 enter 3\n@70 leave 3\n",
		"regions", "0 sync MPI_Bcast 0-1\n0 sync MPI_Allreduce 0-1\n"},
	{"but never by default", TWO "region 1 MPI_Bcast()\n@70 send 1 0 7\n@70 enter 1\n@70 leave 1\n", "",
		"0 send 1 tag7\n"},
	{"nor where any process has records of them",
		TWO "region 1 MPI_Bcast\n@40 collective 1 0 0\n@70 enter 1\n@70 leave 1\n", "regions",
		"1 sync MPI_Bcast 0-1 root=0\n"},

	/* windows */
	{"what is moved one-sided, of a communicator of its own",
		FOUR
		"group 2 mpi 3 1\ncomm 4 2\nwindow 0 4\n@1 put 0 0\n@1 get 1 0\n@3 atomic 1 0 0\n@3 put 4294967294 0\n",
		"attributes", "1 put 3 win@4 t10 b110\n1 get 1 win@4 t20 b120\n3 accumulate 1 win@4 t30 b130\n"},
	{"windows of the world, or that share a communicator, are named behind all",
		FOUR
		"group 2 mpi 3 1\ncomm 4 2\nwindow 0 0\nwindow 1 4\nwindow 2 4\n@1 put 0 0\n@1 put 0 1\n@1 put 0 2\n",
		"", "1 put 0 win@5\n1 put 3 win@6\n1 put 3 win@7\n"},
	{"atomic operations",
		FOUR
		"window 0 0\n@1 atomic 2 0 1\n@1 atomic 2 0 3\n@1 atomic 2 0 4\n@1 atomic 2 0 5\n@1 atomic 2 0 7\n",
		"",
		"1 accumulate 2 win@1\n1 compare_and_swap 2 win@1\n1 fetch_and_op 2 win@1\n1 fetch_and_op 2 win@1\n"
		"1 get_accumulate 2 win@1\n"},
	{"collectives of windows, by the calls that they are in",
		TWO
		"window 0 0\nregion 1 MPI_Win_allocate\nregion 2 MPI_Win_fence\nregion 3 main\n@70 enter 1\n@70 together 21 0\n"
		"@70 leave 1\n@40 together 17 0\n@70 enter 2\n@70 together 0 0\n@70 leave 2\n@40 enter 3\n@40 together 0 0\n"
		"@40 together 18 0\n",
		"",
		"0 sync MPI_Win_allocate 0-1@1\n0 sync MPI_Win_fence 0-1@1\n1 sync MPI_Win_create 0-1@1\n"
		"1 sync MPI_Win_fence 0-1@1\n1 sync MPI_Win_free 0-1@1\n"},
	{"local numbers of windows, of which nothing is defined", TWO "@70 put 1 9\n@70 together 0 9\n", "",
		"0 put 1 win@9\n0 sync MPI_Win_fence 0-1@9\n"},
	{"epochs, by the calls that they are in",
		TWO
		"window 0 0\nregion 1 MPI_Win_flush\nregion 2 MPI_Win_post\nregion 3 main\n@70 lock 1 0\n@70 enter 1\n@70 epoch 1 0\n"
		"@70 leave 1\n@70 unlock 1 0\n@40 enter 2\n@40 epoch 4294967295 0\n@40 leave 2\n@40 enter 3\n@40 epoch 1 0\n",
		"", "0 lock 1 win@1\n0 flush 1 win@1\n0 unlock 1 win@1\n1 post win@1\n"},
	{"threads that access windows", THREADS "window 0 0\n@1 put 1 0\n@2 put 1 0\n@2 send 1 0 5\n@3 recv 0 0 5\n",
		"attributes",
		"0 put 1 win@1 t10 b110 thread0\n0 put 1 win@1 t20 b120 thread1\n0 send 1 tag5 t30 b130 thread1\n0 recv 1 tag5 t40 b140\n"},
	{"a target beyond its window", TWO "window 0 0\n@40 put 5 0\n", "",
		"error 2: PATH: location 40: damaged: process 5 of window 0 is named, which has 2 processes"},

	/* the order of receives */
	{"one wait call: the order of the posts",
		FOUR WAITS "@0 post 11\n@0 post 12\n@0 post 13\n@0 enter 1\n@0 irecv 3 0 3 13\n@0 irecv 1 0 1 11\n"
			   "@0 irecv 2 0 2 12\n@0 leave 1\n@0 send 1 0 0\n",
		"", "1 recv 0 tag1\n2 recv 0 tag2\n3 recv 0 tag3\n0 send 1 tag0\n"},
	{"as recorded, if so wished",
		FOUR WAITS "@0 post 11\n@0 post 12\n@0 enter 1\n@0 irecv 2 0 2 12\n@0 irecv 1 0 1 11\n@0 leave 1\n",
		"recorded", "2 recv 0 tag2\n1 recv 0 tag1\n"},
	{"what belongs to a receive travels with it",
		FOUR WAITS "@0 post 11\n@0 post 12\n@0 enter 1\n@0 irecv 2 0 2 12\n@0 irecv 1 0 1 11\n@0 leave 1\n",
		"attributes", "1 recv 0 tag1 t50 b150\n2 recv 0 tag2 t40 b140\n"},
	{"Fortran's, TAU's and the profiling names too",
		FOUR
		"region 1 mpi_waitsome_\nregion 2 PMPI_Testall()\n@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 2 0 2 2\n@0 "
		"irecv 1 0 1 1\n@0 leave 1\n"
		"@0 post 1\n@0 post 2\n@0 enter 2\n@0 irecv 2 0 4 2\n@0 irecv 1 0 3 1\n@0 leave 2\n",
		"", "1 recv 0 tag1\n2 recv 0 tag2\n1 recv 0 tag3\n2 recv 0 tag4\n"},
	{"single waits have an order",
		FOUR WAITS
		"@0 post 11\n@0 post 12\n@0 enter 3\n@0 irecv 2 0 2 12\n@0 leave 3\n@0 enter 3\n@0 irecv 1 0 1 11\n@0 leave 3\n",
		"", "2 recv 0 tag2\n1 recv 0 tag1\n"},
	{"request ids are used again",
		FOUR WAITS
		"@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 1 0 2 2\n@0 irecv 1 0 1 1\n@0 leave 1\n@0 post 2\n@0 post 1\n"
		"@0 enter 1\n@0 irecv 1 0 4 1\n@0 irecv 1 0 3 2\n@0 leave 1\n",
		"", "1 recv 0 tag1\n1 recv 0 tag2\n1 recv 0 tag3\n1 recv 0 tag4\n"},
	{"a request posted again without completion",
		FOUR WAITS
		"@0 post 1\n@0 post 2\n@0 post 1\n@0 enter 1\n@0 irecv 1 0 1 1\n@0 irecv 1 0 2 2\n@0 leave 1\n",
		"", "1 recv 0 tag2\n1 recv 0 tag1\n"},
	{"a cancelled request is forgotten",
		FOUR WAITS
		"@0 post 1\n@0 post 2\n@0 post 3\n@0 cancel 2\n@0 enter 1\n@0 irecv 1 0 3 3\n@0 irecv 1 0 2 2\n@0 irecv "
		"1 0 1 1\n@0 leave 1\n",
		"", "1 recv 0 tag1\n1 recv 0 tag2\n1 recv 0 tag3\n"},
	{"a receive of an unknown request keeps its place",
		FOUR WAITS
		"@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 1 0 9 9\n@0 irecv 1 0 2 2\n@0 irecv 1 0 8 8\n@0 irecv 1 0 1 "
		"1\n@0 leave 1\n",
		"", "1 recv 0 tag9\n1 recv 0 tag1\n1 recv 0 tag8\n1 recv 0 tag2\n"},
	{"two wait calls are two groups",
		FOUR WAITS
		"@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 1 0 2 2\n@0 leave 1\n@0 enter 1\n@0 irecv 1 0 1 1\n@0 leave 1\n",
		"", "1 recv 0 tag2\n1 recv 0 tag1\n"},
	{"a LEAVE is missing: the next call ends the group",
		FOUR WAITS
		"@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 1 0 2 2\n@0 enter 3\n@0 irecv 1 0 1 1\n@0 leave 3\n",
		"", "1 recv 0 tag2\n1 recv 0 tag1\n"},
	{"the stream ends inside a wait call",
		FOUR WAITS "@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 1 0 2 2\n@0 irecv 1 0 1 1\n", "",
		"1 recv 0 tag1\n1 recv 0 tag2\n"},
	{"a send inside a wait call ends the group",
		FOUR WAITS
		"@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 1 0 2 2\n@0 send 1 0 5\n@0 irecv 1 0 1 1\n@0 leave 1\n",
		"", "1 recv 0 tag2\n0 send 1 tag5\n1 recv 0 tag1\n"},
	{"a function of the user's inside does not",
		FOUR WAITS
		"@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 1 0 2 2\n@0 enter 4\n@0 leave 4\n@0 irecv 1 0 1 1\n@0 leave 1\n",
		"", "1 recv 0 tag1\n1 recv 0 tag2\n"},
	{"and keeps its place",
		FOUR WAITS
		"@0 post 1\n@0 post 2\n@0 enter 1\n@0 irecv 1 0 2 2\n@0 enter 4\n@0 leave 4\n@0 irecv 1 0 1 1\n@0 leave 1\n",
		"all",
		"0 local call MPI_Waitall\n1 recv 0 tag1\n0 local call compute\n0 local return compute\n1 recv 0 tag2\n0 local "
		"return MPI_Waitall\n"},
	{"no regions: runs of completions",
		FOUR
		"@0 post 1\n@0 post 2\n@0 irecv 1 0 2 2\n@0 irecv 1 0 1 1\n@0 send 1 0 5\n@0 post 1\n@0 post 2\n@0 irecv 1 0 2 2\n"
		"@0 post 3\n@0 irecv 1 0 1 1\n",
		"", "1 recv 0 tag1\n1 recv 0 tag2\n0 send 1 tag5\n1 recv 0 tag2\n1 recv 0 tag1\n"},
	{"a blocking receive ends such a run",
		FOUR "@0 post 1\n@0 post 2\n@0 irecv 1 0 2 2\n@0 recv 1 0 5\n@0 irecv 1 0 1 1\n", "",
		"1 recv 0 tag2\n1 recv 0 tag5\n1 recv 0 tag1\n"},

	/* damage */
	{"a rank beyond its communicator", TWO "@40 send 5 0 7\n", "",
		"error 2: PATH: location 40: damaged: process 5 of communicator 0 is named, which has 2 processes"},
	{"a member that is no process", TWO "group 2 mpi 0 9\ncomm 3 2\n@70 collective 0 3 none\n", "",
		"error 2: PATH: location 70: damaged: communicator 3 has members that are no processes"},
	{"a collective of others", TWO "group 2 mpi 1\ncomm 3 2\n@70 collective 0 3 none\n", "",
		"error 2: PATH: location 70: damaged: a collective on communicator 3, of which process 0 is no member"},
	{"a location twice", "process 0\nlocation 1 0\nlist 0 mpi 1 1\n@1 send 0 0 0\n", "",
		"error 2: PATH: damaged: location 1 is two processes"},
	{"no process", "process 0\n", "", "error 2: PATH: no location of a process is defined"},
	{"a location without file", "process 0\nlocation 1 0\nlist 0 mpi 1 2\n@1 send 0 0 0\n", "",
		"error 2: PATH: location 2: rank 1: STEM/2.def: missing, though other locations have theirs"},
};

/* Put "PATH" for the name of the archive, as the tables have it. */
static char *generic(char *text, const char *anchor)
{
	struct text out = {0};
	size_t length = strlen(anchor), stem = length - strlen(".otf2");
	text_put(&out, "");
	for (const char *at = text; *at;) {
		bool whole = !strncmp(at, anchor, length), part = !whole && !strncmp(at, anchor, stem);
		if (whole || part)
			text_put(&out, whole ? "PATH" : "STEM");
		else
			text_char(&out, *at);
		at += whole ? length : part ? stem : 1;
	}
	free(text);
	return out.data;
}

static void written_archives(void)
{
	for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
		char *anchor = archive_write(archives[i].archive);
		for (unsigned jobs = 1; jobs <= 2; jobs++) {
			char *have = generic(read_trace(anchor, archives[i].options, jobs, NULL), anchor);
			expect(archives[i].why, have, archives[i].events);
			free(have);
		}
		archive_remove(anchor);
	}
}

static void facts_of_archives(void)
{
	struct trace_facts f;
	char *anchor = archive_write(TWO WAITS
		"location 99 0\nlocation 100 1 gpu\nregion 8 MPI_Bcast()\n@70 enter 8\n@70 leave 8\n@70 send 1 0 7\n"
		"@70 send 4294967294 0 7\n@40 recv 4294967295 0 7\n");
	free(read_trace(anchor, "", 1, &f));
	CU_ASSERT(f.archive && f.processes == 2 && f.locations_without == 2 && f.records == 5 && f.events == 1 &&
		  f.to_nobody == 2);
	CU_ASSERT(!f.collectives_recorded && f.collective_regions_seen);
	archive_remove(anchor);

	anchor = archive_write(TWO "region 8 MPI_Bcast\n@70 collective 1 0 0\n");
	free(read_trace(anchor, "", 1, &f));
	CU_ASSERT(f.locations_without == 0 && f.records == 1 && f.collectives_recorded && !f.collective_regions_seen);
	archive_remove(anchor);
}

/* What an archive shows to have happened, and does not hold. The calls of TWO are regions 1 to
   3. */
static const struct {
	const char *why, *archive;
	const char *losses, *cause; /* how the messages begin; "": there is nothing to say */
} lossy[] = {
	{"a call that never left a message",
		TWO
		"region 1 MPI_Sendrecv\n@70 enter 1\n@70 leave 1\n@40 enter 1\n@40 leave 1\n@40 enter 1\n@40 leave 1\n",
		"MPI_Sendrecv was called 3 times on ranks 0-1, and the archive holds no message and no collective of it",
		""},
	{"... that did once, though (its other messages went to nobody)",
		TWO
		"region 1 MPI_Sendrecv\n@70 enter 1\n@70 send 1 0 7\n@70 leave 1\n@40 enter 1\n@40 recv 0 0 7\n@40 leave 1\n@40 enter 1\n@40 leave 1\n",
		"", ""},
	{"... whose message went to nobody",
		TWO "region 1 MPI_Send\n@70 enter 1\n@70 send 4294967294 0 7\n@70 leave 1\n", "", ""},
	{"... or all of them, which our own recorder need not write down",
		TWO "creator 0 tracenest 1.0\nregion 1 MPI_Sendrecv\n@70 enter 1\n@70 leave 1\n", "", ""},
	{"calls under any name",
		TWO
		"region 1 mpi_sendrecv_\nregion 2 PMPI_Recv()\n@70 enter 1\n@70 leave 1\n@40 enter 2\n@40 leave 2\n",
		"MPI_Recv was called once on rank 1; MPI_Sendrecv was called once on rank 0, and the archive holds no message and no collective of these calls",
		""},
	{"a collective, where others are recorded",
		TWO
		"region 1 MPI_Scan\nregion 2 MPI_Bcast\n@70 enter 1\n@70 leave 1\n@70 enter 2\n@70 collective 1 0 0\n@70 leave 2\n",
		"MPI_Scan was called once on rank 0", ""},
	{"... and where none is, which is another message's business",
		TWO "region 1 MPI_Scan\n@70 enter 1\n@70 leave 1\n", "", ""},
	{"what stands behind a call is not in it",
		TWO "region 1 MPI_Send\n@70 enter 1\n@70 leave 1\n@70 send 1 0 7\n@40 recv 0 0 7\n",
		"MPI_Send was called once on rank 0", ""},
	{"receives that never complete, and why",
		TWO
		"region 1 MPI_Waitall\nregion 2 MPI_Wait\n@70 post 1\n@70 post 2\n@70 enter 1\n@70 leave 1\n@40 enter 2\n@40 leave 2\n",
		"",
		"2 posted receives on rank 0 never complete in the archive: its tracer does not record receives that complete in MPI_Wait and MPI_Waitall ('tracenest record' does)"},
	{"... some of them",
		TWO
		"region 1 MPI_Waitall\nregion 2 MPI_Wait\n@70 post 1\n@70 post 2\n@70 enter 1\n@70 leave 1\n@70 enter 2\n@70 irecv 1 0 7 1\n@70 leave 2\n",
		"",
		"1 posted receive on rank 0 never completes in the archive: its tracer does not record receives that complete in MPI_Waitall ('tracenest record' does)"},
	{"... but were cancelled", TWO "region 1 MPI_Wait\n@70 post 1\n@70 cancel 1\n@70 enter 1\n@70 leave 1\n", "",
		""},
	{"nor are waits to blame that wait for sends",
		TWO "region 1 MPI_Wait\n@70 isend 1 0 7 1\n@70 enter 1\n@70 leave 1\n", "", ""},
	{"persistent sends that are not recorded, though their receives are",
		TWO "region 1 MPI_Start\n@70 enter 1\n@70 leave 1\n@40 recv 0 0 7\n", "",
		"MPI_Start was called once on rank 0, and the archive holds no message of it: its tracer does not record persistent requests ('tracenest record' does)"},
	{"... which are where they begin",
		TWO "region 1 MPI_Start\n@70 enter 1\n@70 isend 1 0 7 1\n@70 leave 1\n@40 recv 0 0 7\n@40 recv 0 0 7\n",
		"", ""},
	{"... or where receives begin",
		TWO "region 1 MPI_Startall\n@70 send 1 0 7\n@40 enter 1\n@40 post 1\n@40 leave 1\n", "", ""},
	{"... and which are told elsewhere",
		TWO "region 1 MPI_Start\n@70 enter 1\n@70 leave 1\n@70 send 1 0 7\n@40 recv 0 0 7\n", "", ""},
};

static bool take_none(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	(void)context, (void)rank, (void)e, (void)error;
	return true;
}

/* What is said of an archive that is read process after process, or as timelines. */
static void tell_losses(const char *anchor, bool timelines, struct text *out)
{
	struct error error = {0};
	struct missing_records found = {0};
	struct trace *t = trace_open(anchor, NULL, &error);
	struct timeline *timeline = timelines ? timeline_open(t, &error) : NULL;
	CU_ASSERT(timelines || trace_read(t, 1, NULL, &(struct trace_sink){.event = take_none}, &error));
	for (uint32_t rank = 0; timelines && rank < trace_facts(t)->processes; rank++)
		while (timeline_get(timeline, rank))
			timeline_next(timeline, rank);
	trace_missing_records(t, &found);
	text_add(out, "", 0);
	missing_records_tell(&found, out);
	text_char(out, '/');
	missing_records_cause(&found, found.unequal, out);
	missing_records_clear(&found);
	timeline_close(timeline);
	trace_close(t);
}

static bool is_told_alike(const char *anchor, const char *losses)
{
	struct text one = {0}, other = {0};
	tell_losses(anchor, false, &one);
	tell_losses(anchor, true, &other);
	bool alike = !strcmp(one.data, other.data) && !strncmp(one.data, losses, strlen(losses));
	if (!alike)
		printf("\n%s\n%s\n", one.data, other.data);
	text_clear(&one);
	text_clear(&other);
	return alike;
}

static void losses(void)
{
	for (size_t i = 0; i < sizeof lossy / sizeof *lossy; i++) {
		char *anchor = archive_write(lossy[i].archive);
		for (int recorded = 0; recorded < 2; recorded++) {
			struct error error = {0};
			struct text cause = {0};
			struct program_options options = {PROGRAM_OPTIONS, .trace.recorded_order = recorded};
			struct program_facts facts;
			struct prepared *p = prepared_of_trace(anchor, &options, &facts, &error);
			text_add(&cause, "", 0);
			missing_records_cause(&facts.missing, facts.incomplete.kind != ERROR_NONE, &cause);
			bool as_told = !strncmp(facts.unrecorded.message, lossy[i].losses, strlen(lossy[i].losses)) &&
				       (*lossy[i].losses || !*facts.unrecorded.message) &&
				       !strcmp(cause.data, lossy[i].cause);
			if (!as_told)
				printf("\n%s:\n%s\n%s\n", lossy[i].why, facts.unrecorded.message, cause.data);
			ROW(lossy[i].why, as_told);
			ROW(lossy[i].why, !*lossy[i].losses || (!p && error.kind == ERROR_INCONSISTENT));
			prepared_free(p);
			program_facts_clear(&facts);
			options.lenient = true;
			p = prepared_of_trace(anchor, &options, &facts, &error);
			ROW(lossy[i].why, p != NULL);
			prepared_free(p);
			program_facts_clear(&facts);
			text_clear(&cause);
		}
		ROW(lossy[i].why, is_told_alike(anchor, lossy[i].losses));
		archive_remove(anchor);
	}
}

/* Missing messages are a loss where fewer are received than sent, or more; without, nothing is. */
static void losses_of_messages(void)
{
	static const struct {
		const char *why, *archive, *told;
	} rows[] = {
		{"a receive that never completes, of a message that was sent",
			TWO "region 1 MPI_Wait\n@70 post 1\n@70 enter 1\n@70 leave 1\n@40 send 0 0 7\n",
			"1 posted receive on rank 0 never completes in the archive: its tracer does not record receives that complete in MPI_Wait: record the program with 'tracenest record', which knows them"},
		{"... of none", TWO "region 1 MPI_Wait\n@70 post 1\n@70 enter 1\n@70 leave 1\n", ""},
		{"... beside a call without a record",
			TWO
			"region 1 MPI_Wait\nregion 2 MPI_Scan\nregion 3 MPI_Bcast\n@70 post 1\n@70 enter 1\n@70 leave 1\n@40 send 0 0 7\n@40 enter 2\n@40 leave 2\n@40 collective 1 0 0\n",
			"MPI_Scan was called once on rank 1, and the archive holds no message and no collective of it; 1 posted receive on rank 0 never completes in the archive: its tracer does not record receives that complete in MPI_Wait: record the program with 'tracenest record', which knows them"},
		{"a persistent send that is not recorded",
			TWO "region 1 MPI_Start\n@70 enter 1\n@70 leave 1\n@40 recv 0 0 7\n",
			"MPI_Start was called once on rank 0, and the archive holds no message of it: its tracer does not record persistent requests: record the program with 'tracenest record', which knows them"},
		{"a posted collective is no receive",
			TWO
			"region 1 MPI_Wait\n@70 request 1\n@70 enter 1\n@70 leave 1\n@40 send 0 0 7\n@40 recv 0 0 7\n@40 send 0 0 7\n",
			""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *anchor = archive_write(rows[i].archive);
		struct text told = {0};
		text_put(&told, rows[i].told);
		text_put(&told, *rows[i].told ? "/" : "");
		ROW(rows[i].why, is_told_alike(anchor, told.data));
		text_clear(&told);
		archive_remove(anchor);
	}
}

/* Some ranks only, again and again; the ids of events stay the same. */
static void chosen_ranks(void)
{
	char *anchor = archive_write(FOUR "@0 send 1 0 1\n@1 send 2 0 2\n@2 send 3 0 3\n@3 send 0 0 4\n");
	struct error error = {0};
	struct reader r = {.trace = trace_open(anchor, NULL, &error)};
	struct trace_sink sink = {.context = &r, .event = note_event};
	struct ranks wanted = {0};
	ranks_add(&wanted, 1);
	ranks_add(&wanted, 3);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r.trace);
	CU_ASSERT(!trace_dictionary(r.trace, 1) && !trace_dictionary(r.trace, 4));
	for (int i = 0; i < 2; i++) {
		CU_ASSERT(trace_read(r.trace, 1, &wanted, &sink, &error) && trace_facts(r.trace)->events == 2);
		CU_ASSERT(!r.lines[0].length && !r.lines[2].length &&
			  dictionary_events(trace_dictionary(r.trace, 1)) == 1);
	}
	CU_ASSERT_STRING_EQUAL(r.lines[3].data, "3 send 0 tag4\n3 send 0 tag4\n");
	ranks_clear(&wanted);
	clear(&r);
	archive_remove(anchor);
}

/* The receiver of events may stop; its error comes back as it is, that of the lowest rank whatever
   the number of threads. */
static void stopping(void)
{
	struct text many = {0};
	text_put(&many, FOUR);
	for (int i = 0; i < 400; i++)
		text_format(&many, "@%d send 0 0 %d\n", i % 4, i);
	char *anchor = archive_write(many.data);
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct error error = {0};
		struct reader r = {.trace = trace_open(anchor, NULL, &error), .stop_at = 50};
		struct trace_sink sink = {.context = &r, .event = note_event};
		CU_ASSERT(!trace_read(r.trace, jobs, NULL, &sink, &error) && error.kind == ERROR_INCONSISTENT);
		CU_ASSERT_STRING_EQUAL(error.message, "enough of rank 0");
		clear(&r);
	}
	text_clear(&many);
	archive_remove(anchor);
}

/* ------------------------------------------------------------------ damaged files */

static void in_file(const char *path, const char *mode, const char *content, size_t length)
{
	FILE *file = fopen(path, mode);
	CU_ASSERT_FATAL(file && fwrite(content, 1, length, file) == length && !fclose(file));
}

/* Break the file NAME of a fresh archive and read it. */
static void broken(const char *why, const char *name, void (*change)(const char *path), const char *want)
{
	char *anchor = archive_write(TWO "@70 send 1 0 1\n@70 send 1 0 2\n@40 recv 0 0 1\n@40 recv 0 0 2\n");
	struct text path = {0};
	text_add(&path, anchor, strlen(anchor) - strlen("/run.otf2"));
	text_format(&path, "/%s", name);
	change(path.data);
	char *have = generic(read_trace(anchor, "", 2, NULL), anchor);
	if (strncmp(have, want, strlen(want)))
		expect(why, have, want);
	else
		CU_PASS(why);
	free(have);
	text_clear(&path);
	archive_remove(anchor);
}

static void drop(const char *path)
{
	CU_ASSERT(!unlink(path));
}
static void empty(const char *path)
{
	in_file(path, "w", "", 0);
}
static void cut_one(const char *path)
{
	struct stat status;
	CU_ASSERT(!stat(path, &status) && !truncate(path, status.st_size - 3));
}
static void cut_header(const char *path)
{
	CU_ASSERT(!truncate(path, 10));
}
/* The byte behind the header: the end of a chunk, of the file. */
static void set_byte(const char *path, long at, char byte)
{
	FILE *file = fopen(path, "r+");
	CU_ASSERT_FATAL(file && !fseek(file, at, SEEK_SET) && fwrite(&byte, 1, 1, file) == 1 && !fclose(file));
}
static void end_at_once(const char *path)
{
	set_byte(path, 18, 0);
}
static void end_early(const char *path)
{
	set_byte(path, 18, 2);
}
static void spoil_header(const char *path)
{
	in_file(path, "r+", "x", 1);
}
static void many_records(const char *path)
{
	in_file(path, "r+", "\3B\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7f", 18);
}
static void more_records(const char *path)
{
	in_file(path, "r+", "\3B\1\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 18);
}
static void many_properties(const char *path)
{
	set_byte(path, 46 + 3 + 3, 0x7f);
} /* behind three empty strings */

static void broken_archives(void)
{
	broken("no anchor", "run.otf2", drop, "error 2: PATH: No such file or directory");
	broken("an empty anchor", "run.otf2", empty, "error 2: PATH: not an OTF2 archive, or damaged: ");
	broken("an anchor of something else", "run.otf2", spoil_header,
		"error 2: PATH: not an OTF2 archive, or damaged: ");
	broken("an anchor with billions of properties", "run.otf2", many_properties,
		"error 2: PATH: damaged: 2130706432 properties in ");
	broken("no definitions", "run.def", drop, "error 2: PATH: STEM.def: No such file or directory");
	broken("cut definitions", "run.def", cut_one,
		"error 2: PATH: STEM.def: damaged or cut off: its end is missing");
	broken("definitions with a chunk cut out", "run.def", end_at_once,
		"error 2: PATH: STEM.def: damaged or cut off at byte 1");
	broken("definitions that end too early", "run.def", end_early, "error 2: PATH: damaged: 0 of ");
	broken("no events", "run/70.evt", drop,
		"error 2: PATH: location 70: rank 0: STEM/70.evt: No such file or directory");
	broken("no events of a later rank", "run/40.evt", drop,
		"error 2: PATH: location 40: rank 1: STEM/40.evt: No such file or directory");
	broken("empty events", "run/70.evt", empty, "error 2: PATH: location 70: rank 0: STEM/70.evt: empty");
	broken("cut events", "run/40.evt", cut_one, "error 2: PATH: location 40: ");
	broken("events without header", "run/40.evt", cut_header,
		"error 2: PATH: location 40: rank 1: STEM/40.evt: damaged or cut off: its end is missing");
	broken("events of something else", "run/40.evt", spoil_header,
		"error 2: PATH: location 40: rank 1: STEM/40.evt: damaged or cut off: no chunk");
	broken("more records than bytes", "run/40.evt", many_records,
		"error 2: PATH: location 40: rank 1: STEM/40.evt: damaged: 9223372036854775807 records in ");
	broken("more records than there are", "run/40.evt", more_records,
		"error 2: PATH: location 40: damaged or cut off: 2 of 5 records found");
	broken("local definitions of one only", "run/40.def", drop,
		"error 2: PATH: location 40: rank 1: STEM/40.def: missing, though other locations have theirs");
	broken("cut local definitions", "run/40.def", cut_one,
		"error 2: PATH: location 40: rank 1: STEM/40.def: damaged or cut off: its end is missing");
}

/* ------------------------------------------------------------------ text traces */

static const struct {
	const char *why, *text, *events;
} texts[] = {
	{"one event per line", "0 send 1 tag7\n0 recv 1 tag7\n1 sync MPI_Bcast 0-1 root=0\n1 local call f g\n",
		"0 send 1 tag7\n0 recv 1 tag7\n1 sync MPI_Bcast 0-1 root=0\n1 local call f g\n"},
	{"comments, blank lines, white space", "# a trace\n\n \t\n  0 send 1 tag7  # the first\n#0 send 1 tag8\n",
		"0 send 1 tag7\n"},
	{"DOS lines, and the last without its end", "0 send 1 tag7\r\n\r\n0 send 1 tag8",
		"0 send 1 tag7\n0 send 1 tag8\n"},
	{"attributes",
		"0 send 1 tag7 ; time=12 bytes=800 colour=red\n0 send 1 tag7; bytes=3 # no time\n0 send 1 tag7 ;\n",
		"0 send 1 tag7 t12 b800 [time=12 bytes=800 colour=red]\n0 send 1 tag7 b3 [bytes=3]\n0 send 1 tag7 []\n"},
	{"communicators", "0 send 1 tag7@2\n0 sync MPI_Barrier 0,2-3@1\n",
		"0 send 1 tag7@2\n0 sync MPI_Barrier 0,2-3@1\n"},
	{"no events", "", "error 2: PATH: no events"},
	{"comments only", "# nothing\n\n", "error 2: PATH: no events"},
	{"a missing word", "0 send 1 tag1\n0 send 1\n", "error 2: PATH:2: "},
	{"an extra word", "0 send 1 tag1 now\n", "error 2: PATH:1: "},
	{"a negative rank", "-1 send 1 tag1\n", "error 2: PATH:1: "},
	{"a huge rank", "0 send 99999999999999999999 tag1\n", "error 2: PATH:1: "},
	{"a range backwards", "0 sync MPI_Barrier 3-0\n", "error 2: PATH:1: "},
	{"an event of several processes", "0-1 sync MPI_Barrier 0-1\n", "error 2: PATH:1: "},
	{"a sync of a stranger", "5 sync MPI_Barrier 0-1\n", "error 2: PATH:1: "},
	{"attributes without event", "; time=1\n", "error 2: PATH:1: "},
	{"an attribute without value", "0 send 1 tag1 ; time\n",
		"error 2: PATH:1: an attribute is NAME=VALUE, not 'time'"},
	{"an attribute without name", "0 send 1 tag1 ; =5\n", "error 2: PATH:1: an attribute is NAME=VALUE, not '=5'"},
	{"a time that is none", "0 send 1 tag1 ; time=1.5\n",
		"error 2: PATH:1: the attribute 'time' is a whole number, not '1.5'"},
	{"a time beyond numbers", "0 send 1 tag1 ; time=18446744073709551616\n",
		"error 2: PATH:1: the attribute 'time' is a whole number"},
	{"a negative length", "0 send 1 tag1 ; bytes=-1\n",
		"error 2: PATH:1: the attribute 'bytes' is a whole number, not '-1'"},
	{"control characters", "0 send 1 tag1\n0 send\x01 1 tag1\n", "error 2: PATH:2: control character 0x01"},
	{"escape sequences", "\x1b[2J0 send 1 tag1\n", "error 2: PATH:1: control character 0x1b"},
};

static void text_traces(void)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *directory = scratch_new();
		struct text path = {0};
		text_format(&path, "%s/run.trace", directory);
		in_file(path.data, "w", texts[i].text, strlen(texts[i].text));
		struct trace_facts facts;
		char *have = generic(read_trace(path.data, "attributes", 1, &facts), path.data);
		if (!strncmp(texts[i].events, "error", 5))
			have[strlen(have) < strlen(texts[i].events) ? strlen(have) : strlen(texts[i].events)] = 0;
		expect(texts[i].why, have, texts[i].events);
		free(have);
		text_clear(&path);
		scratch_remove(directory);
	}
}

static void in_scratch(const char *directory, const char *name, const char *content, size_t length)
{
	struct text path = {0};
	text_format(&path, "%s/%s", directory, name);
	in_file(path.data, "w", content, length);
	text_clear(&path);
}

static void long_lines(void)
{
	char *directory = scratch_new();
	size_t length = 10 << 20;
	char *line = mem_alloc(length);
	memset(line, 'x', length);
	in_scratch(directory, "long", line, length);
	char *have = read_trace(directory, "", 1, NULL);
	CU_ASSERT(strstr(have, "/long:1: a line of more than") != NULL);
	free(have);
	memset(line, 0, length);
	in_scratch(directory, "long", line, length);
	have = read_trace(directory, "", 1, NULL);
	CU_ASSERT(strstr(have, "error 2: ") && strstr(have, "/long:1: "));
	free(have);
	free(line);
	scratch_remove(directory);
}

static void expect_at(const char *why, const char *path, const char *want)
{
	char *have = read_trace(path, "", 1, NULL);
	expect(why, have, want);
	free(have);
}

static void expect_error(const char *why, const char *path, const char *part)
{
	char *have = read_trace(path, "", 1, NULL);
	if (strncmp(have, "error 2: ", 9) || !strstr(have, part))
		expect(why, have, part);
	free(have);
}

static void directories(void)
{
	char *directory = scratch_new();
	struct text inner = {0};
	expect_error("nothing inside", directory, ": a directory without a trace");
	text_format(&inner, "%s/inner", directory);
	CU_ASSERT(!mkdir(inner.data, 0700));
	in_scratch(directory, ".hidden", "junk", 4);
	expect_error("nothing but hidden files and directories", directory, ": a directory without a trace");
	in_scratch(directory, "rank10", "2 send 0 tag1\n", 14);
	in_scratch(directory, "rank2", "1 send 0 tag1\n", 14);
	in_scratch(directory, "rank1", "1 send 0 tag0\n", 14);
	expect_at("files in order of their names", directory, "1 send 0 tag0\n1 send 0 tag1\n2 send 0 tag1\n");
	in_scratch(directory, "rank3", "# quiet\n", 8);
	expect_at("a file without events among others", directory, "1 send 0 tag0\n1 send 0 tag1\n2 send 0 tag1\n");
	in_scratch(directory, "a.otf2", "", 0);
	expect_error("an anchor goes first", directory, "a.otf2: not an OTF2 archive, or damaged");
	in_scratch(directory, "b.otf2", "", 0);
	expect_error("two anchors", directory, ": holds 2 OTF2 archives: name the anchor file (*.otf2) of one");
	text_clear(&inner);
	scratch_remove(directory);

	char *anchor = archive_write(TWO "@70 send 1 0 7\n");
	char *of_archive = mem_text(anchor);
	of_archive[strlen(anchor) - strlen("run.otf2")] = 0;
	expect_at("the directory of an archive", of_archive, "0 send 1 tag7\n");
	free(of_archive);
	archive_remove(anchor);
	expect_error("nothing there", "/nowhere/at/all", "/nowhere/at/all: No such file or directory");
}

static void fill_pipe(int pipe[2], const char *text)
{
	CU_ASSERT_FATAL(!pipe2(pipe, O_CLOEXEC) && write(pipe[1], text, strlen(text)) == (ssize_t)strlen(text));
	close(pipe[1]);
}

static void standard_input(void)
{
	int pipe[2], old = dup(STDIN_FILENO);
	fill_pipe(pipe, "0 send 1 tag7\n1 recv 0 tag8\n");
	dup2(pipe[0], STDIN_FILENO);
	expect_at("standard input", "-", "0 send 1 tag7\n1 recv 0 tag8\n");
	expect_error("its end", "-", "standard input: no events");
	struct error error;
	struct trace *t = trace_open("-", NULL, &error);
	CU_ASSERT(t && !trace_facts(t)->archive);
	trace_close(t);
	dup2(old, STDIN_FILENO);
	close(old);
	close(pipe[0]);
}

static void facts_of_text(void)
{
	char *directory = scratch_new();
	const char *text = "# two lines\n0 send 9 tag7\n0 sync MPI_Bcast 0-12 root=3\n";
	in_scratch(directory, "run", text, strlen(text));
	struct trace_facts f;
	free(read_trace(directory, "", 1, &f));
	CU_ASSERT(!f.archive && f.processes == 13 && f.records == 3 && f.events == 2);
	struct error error = {0};
	struct reader r = {.trace = trace_open(directory, NULL, &error)};
	struct trace_sink sink = {.context = &r, .event = note_event};
	struct ranks wanted = {0};
	ranks_add(&wanted, 4);
	CU_ASSERT(!trace_dictionary(r.trace, 0));
	CU_ASSERT(trace_read(r.trace, 1, &wanted, &sink, &error) && trace_facts(r.trace)->events == 0);
	CU_ASSERT(trace_dictionary(r.trace, 0) && !trace_dictionary(r.trace, 9));
	ranks_clear(&wanted);
	clear(&r);
	scratch_remove(directory);
}

/* ------------------------------------------------------------------ names */

static void names(void)
{
	static const struct {
		const char *region;
		bool mpi, several;
		const char *collective;
	} cases[] = {
		{"MPI_Waitall", true, true, NULL},
		{"mpi_waitall_", true, true, NULL},
		{"MPI_WAITSOME", true, true, NULL},
		{"PMPI_Testall", true, true, NULL},
		{"MPI_Testsome()", true, true, NULL},
		{"mpi_waitall_f08_", true, true, NULL},
		{"MPI_Waitany", true, false, NULL},
		{"MPI_Wait", true, false, NULL},
		{"waitall", false, false, NULL},
		{"main", false, false, NULL},
		{"", false, false, NULL},
		{"MPI_", true, false, NULL},
		{"MPI Collective Sync", false, false, NULL},
		{"MPI_Bcast()", true, false, "MPI_Bcast"},
		{"MPI_Bcast_c", true, false, "MPI_Bcast"},
		{"mpi_reduce_scatter_", true, false, "MPI_Reduce_scatter"},
		{"MPI_Reduce_scatter_block", true, false, "MPI_Reduce_scatter_block"},
		{"MPI_Reduce", true, false, "MPI_Reduce"},
		{"MPI_Reduce_local", true, false, NULL},
		{"MPI_Ibcast", true, false, NULL},
		{"MPI_Create_handle", true, false, NULL},
		{"MPI_a_name_that_is_much_longer_than_any_call_of_that_library_is", true, false, NULL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *collective = name_of_collective_region(cases[i].region);
		CU_ASSERT(name_is_mpi(cases[i].region) == cases[i].mpi);
		CU_ASSERT(name_completes_several(cases[i].region) == cases[i].several);
		CU_ASSERT(!collective == !cases[i].collective &&
			  (!collective || !strcmp(collective, cases[i].collective)));
	}
	CU_ASSERT_STRING_EQUAL(name_of_operation(0), "MPI_Barrier");
	CU_ASSERT_STRING_EQUAL(name_of_operation(22), "MPI_Destroy_handle_and_deallocate");
	CU_ASSERT_PTR_NULL(name_of_operation(23));
}

/* ------------------------------------------------------------------ the order of receives */

struct delivered {
	uint32_t event[4096];
	size_t length;
};

static bool note_delivery(void *context, const struct trace_event *event, const struct posting *p)
{
	(void)p;
	struct delivered *d = context;
	d->event[d->length++] = event->event;
	return true;
}

static void shuffle(uint32_t *items, size_t length)
{
	for (size_t i = length; i > 1; i--) {
		size_t j = (size_t)rand() % i;
		uint32_t other = items[i - 1];
		items[i - 1] = items[j];
		items[j] = other;
	}
}

/* Whatever the order of completion, and whichever few ids are used for requests, posts come out in
   order. */
static void random_waits(void)
{
	srand(7);
	for (unsigned round = 0; round < rounds(200); round++) {
		struct delivered d = {.length = 0};
		struct receive_order o;
		receive_order_begin(&o, false, note_delivery, &d);
		uint32_t posted = 0;
		for (int wait = 0; wait < 20; wait++) {
			uint32_t request[100];
			size_t length = (size_t)rand() % 100;
			uint32_t first = posted;
			for (size_t i = 0; i < length; i++) {
				request[i] = posted++;
				receive_order_post(&o, (uint64_t)(request[i] - first) * 0x10000, 0, TRACE_NO_CALL);
			}
			shuffle(request, length);
			receive_order_wait_begins(&o);
			for (size_t i = 0; i < length; i++)
				receive_order_receive(&o, &(struct trace_event){.event = request[i]},
					&(struct posting){0}, (uint64_t)(request[i] - first) * 0x10000, true);
			receive_order_wait_ends(&o);
			CU_ASSERT_FATAL(receive_order_idle(&o) && o.open_count == 0 && d.length == posted);
		}
		for (uint32_t i = 0; i < posted; i++)
			CU_ASSERT_FATAL(d.event[i] == i);
		receive_order_clear(&o);
	}
}

/* As they come, and it is known whether that is as they were posted. */
static void recorded_order(void)
{
	for (uint64_t first = 0; first < 2; first++) {
		struct delivered d = {.length = 0};
		struct receive_order o;
		receive_order_begin(&o, true, note_delivery, &d);
		receive_order_post(&o, 10, 0, TRACE_NO_CALL);
		receive_order_post(&o, 11, 0, TRACE_NO_CALL);
		receive_order_wait_begins(&o);
		receive_order_receive(
			&o, &(struct trace_event){.event = (uint32_t)first}, &(struct posting){0}, 10 + first, true);
		receive_order_receive(
			&o, &(struct trace_event){.event = (uint32_t)!first}, &(struct posting){0}, 10 + !first, true);
		receive_order_wait_ends(&o);
		CU_ASSERT(d.length == 2 && d.event[0] == first && d.event[1] == !first);
		CU_ASSERT(o.disordered == (first == 1));
		receive_order_clear(&o);
	}
}

static bool refuse_delivery(void *context, const struct trace_event *event, const struct posting *p)
{
	(void)context, (void)event, (void)p;
	return false;
}

/* Requests that never complete, and receives without a post, are not collected without end. */
static void bounded_order(void)
{
	struct receive_order o;
	receive_order_begin(&o, false, refuse_delivery, NULL);
	for (uint64_t i = 0; i < (1 << 20) + 10; i++)
		receive_order_post(&o, i * 64, 0, TRACE_NO_CALL);
	CU_ASSERT(o.open_count == 10 && o.open_size <= 1 << 22);
	receive_order_wait_begins(&o);
	CU_ASSERT(receive_order_receive(
		&o, &(struct trace_event){.event = 1}, &(struct posting){0}, ((1 << 20) + 5) * 64, true));
	bool going_on = true;
	for (uint64_t i = 0; going_on && i < 1 << 20; i++)
		going_on = receive_order_receive(&o, &(struct trace_event){.event = 2}, &(struct posting){0}, 1, true);
	CU_ASSERT(!going_on && o.capacity <= 1 << 18);
	receive_order_clear(&o);
}

struct overlap {
	struct receive_order order;
	struct postings postings;
	uint32_t channel[4 * RECEIVE_ORDER_SPAN]; /* of each place, in the order of completion */
	uint64_t message[8]; /* of each channel, the last one */
	size_t delivered;
	bool good;
};

static bool take_overlapping(void *context, const struct trace_event *event, const struct posting *p)
{
	struct overlap *o = context;
	return postings_take(&o->postings, event, p);
}

static bool note_overlapping(void *context, const struct trace_event *event)
{
	struct overlap *o = context;
	o->good = o->good && event->time == o->delivered && event->event == o->channel[o->delivered];
	o->delivered++;
	if (event->event < 8) {
		o->good = o->good && event->bytes > o->message[event->event];
		o->message[event->event] = event->bytes;
	}
	return true;
}

/* The next place: a receive, or (channel 8) something else. */
static void complete_one(struct overlap *o, size_t at, uint32_t channel, uint64_t message)
{
	struct trace_event e = {.event = channel, .bytes = message, .time = at};
	struct posting p = {.channel.tag = channel};
	o->channel[at] = channel;
	if (channel < 8)
		receive_order_receive(&o->order, &e, &p, message, true);
	else
		postings_take(&o->postings, &e, &p);
}

/* Whatever completes when: places keep their channel and their time, the messages of a channel are
   in the order of their posts. */
static void random_overlaps(void)
{
	struct overlap *o = mem_alloc(sizeof *o);
	for (unsigned round = 0; round < rounds(60); round++) {
		uint64_t open[32], posted = 0;
		size_t opens = 0, at = 0, most = 1 + (size_t)rand() % 32, end = 1 + (size_t)rand() % 2000;
		uint32_t channels = 1 + (uint32_t)rand() % 8;
		*o = (struct overlap){.good = true};
		receive_order_begin(&o->order, false, take_overlapping, o);
		postings_begin(&o->postings, false, &o->order, note_overlapping, o);
		while (at < end || opens)
			if (at < end && opens < most && rand() % 2) {
				open[opens] = ++posted;
				receive_order_post(&o->order, open[opens++], 0, TRACE_NO_CALL);
			} else if (opens && rand() % 4) {
				size_t which = (size_t)rand() % opens;
				complete_one(o, at++, (uint32_t)(open[which] % channels), open[which]);
				open[which] = open[--opens];
			} else
				complete_one(o, at++, 8, 0);
		CU_ASSERT_FATAL(o->good && o->delivered == at && postings_idle(&o->postings));
		postings_clear(&o->postings);
		receive_order_clear(&o->order);
	}
	free(o);
}

/* A receive without a request that takes the place of one with it is that, with its request. */
static void timeline_overlap(void)
{
	struct error error;
	char *anchor = archive_write(TWO "@70 post 1\n@70 recv 1 0 7\n@70 irecv 1 0 7 1\n");
	struct trace *trace = trace_open(anchor, &(struct trace_options){0}, &error);
	CU_ASSERT_FATAL(trace != NULL);
	struct timeline *t = timeline_open(trace, &error);
	CU_ASSERT_FATAL(t != NULL);
	static const struct {
		uint32_t kind;
		uint64_t request;
	} wanted[] = {{TIMELINE_POST, 1}, {TIMELINE_IRECV, 1}, {TIMELINE_RECV, 0}};
	for (size_t i = 0; i < COUNT(wanted); i++, timeline_next(t, 0)) {
		const struct timeline_record *r = timeline_get(t, 0);
		CU_ASSERT_FATAL(r != NULL);
		CU_ASSERT_EQUAL(r->kind, wanted[i].kind);
		CU_ASSERT_EQUAL(r->request, wanted[i].request);
	}
	timeline_close(t);
	trace_close(trace);
	archive_remove(anchor);
}

/* A request that is never complete keeps nothing back for ever, and what is beyond that stays where
   it is. */
static void endless_overlap(void)
{
	struct overlap *o = mem_alloc(sizeof *o);
	*o = (struct overlap){.good = true};
	receive_order_begin(&o->order, false, take_overlapping, o);
	postings_begin(&o->postings, false, &o->order, note_overlapping, o);
	size_t at = 0;
	receive_order_post(&o->order, 1, 0, TRACE_NO_CALL);
	for (uint64_t i = 2; at < 3 * RECEIVE_ORDER_SPAN; i++) {
		receive_order_post(&o->order, i, 0, TRACE_NO_CALL);
		complete_one(o, at++, (uint32_t)(i % 3), i);
		CU_ASSERT_FATAL(o->postings.length - o->postings.first <= RECEIVE_ORDER_SPAN);
	}
	CU_ASSERT(o->good && o->delivered == at - RECEIVE_ORDER_SPAN);
	complete_one(o, at++, 1, 1);
	CU_ASSERT(!o->good && o->delivered == at);
	postings_clear(&o->postings);
	receive_order_clear(&o->order);
	free(o);
}

/* ------------------------------------------------------------------ the balance of channels */

static void balances(void)
{
	static const struct {
		const char *why;
		const char *line[6];
		bool holds, names;
	} cases[] = {
		{"nothing", {NULL}, true, false},
		{"a message", {"0 send 1 tag1", "0 recv 1 tag1"}, true, false},
		{"a send too many", {"0 send 1 tag1", "0 recv 1 tag1", "0 send 1 tag1"}, true, false},
		{"ends that disagree", {"0 send 1 tag1@3", "0 recv 1 tag1"}, false, true},
		{"ends that agree", {"0 send 1 tag1@3", "0 recv 1 tag1@3"}, true, true},
		{"two channels", {"0 send 1 tag1", "0 recv 1 tag2"}, false, false},
		{"stems count", {"0 send 1 a1", "0 recv 1 b1"}, false, false},
		{"numbers and words", {"0 send 1 1", "0 recv 1 01"}, false, false},
		{"to oneself", {"0 send 0 tag1", "0 recv 0 tag1"}, true, false},
		{"syncs do not count but name", {"0 sync MPI_Barrier 0-1@4", "0 local call f"}, true, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct balance *b = balance_new();
		for (size_t j = 0; j < 6 && cases[i].line[j]; j++) {
			struct dictionary *d = dictionary_new(); /* ids differ from one to the next */
			uint32_t event;
			struct error error;
			CU_ASSERT_FATAL(j % 2 || event_parse(d, "9 send 9 other5@7", false, &event, &error));
			CU_ASSERT_FATAL(event_parse(d, cases[i].line[j], false, &event, &error));
			uint64_t times[16] = {0};
			CU_ASSERT_FATAL(event < COUNT(times));
			times[event] = 3;
			balance_add_all(b, d, times, COUNT(times));
			dictionary_free(d);
		}
		ROW(cases[i].why, balance_names_any(b) == cases[i].names);
		ROW(cases[i].why, balance_unnamed(b) == (cases[i].names && !cases[i].holds));
		balance_add_name(b);
		ROW(cases[i].why, balance_unnamed(b) == !cases[i].holds);
		balance_free(b);
	}
}

/* ------------------------------------------------------------------ the guard */

static int end_of_child(bool ours, int signal, char *words, size_t room)
{
	int out[2];
	CU_ASSERT_FATAL(!pipe2(out, O_CLOEXEC));
	pid_t child = fork();
	if (!child) {
		struct library_call call = {.path = "a/b.otf2"};
		dup2(out[1], STDERR_FILENO);
		trace_guard();
		library_enter(&call);
		call.ours = ours;
		raise(signal);
		_exit(99);
	}
	close(out[1]);
	size_t length = 0;
	for (ssize_t got; length < room - 1 && (got = read(out[0], words + length, room - 1 - length)) > 0;)
		length += (size_t)got;
	words[length] = 0;
	close(out[0]);
	int status = 0;
	waitpid(child, &status, 0);
	return status;
}

static void guard(void)
{
	char words[256];
	int status = end_of_child(false, SIGABRT, words, sizeof words);
	CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == 2);
	expect("the guard", words, "tracenest: a/b.otf2: damaged archive: the OTF2 library gave up (signal 6)\n");
	status = end_of_child(true, SIGABRT, words, sizeof words);
	CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && !*words);
}

/* ------------------------------------------------------------------ threads */

enum { PROCESSES = 3, THREADS_EACH = 3, STEPS = 40 };

struct threaded {
	struct text want[PROCESSES][THREADS_EACH], have[PROCESSES][THREADS_EACH]; /* of each thread */
	struct trace *trace;
	uint32_t *event[PROCESSES]; /* as they came */
	size_t length[PROCESSES], capacity[PROCESSES];
};

/* Something that happened in the order of the text: times are those of clocks that disagree. */
static void put_record(struct text *out, uint64_t now[][THREADS_EACH], unsigned rank, unsigned thread, unsigned skew)
{
	uint64_t *last = &now[rank][thread];
	*last += 1 + (unsigned)rand() % 30 + skew * rank;
	text_format(out, "time %llu\n@%u ", (unsigned long long)*last, 10 * rank + thread);
}

/* A run: messages between any two threads, whose tag is that of the receiver, and barriers of the
   k-th threads on their own communicator. */
static void write_run(struct threaded *t, struct text *out, unsigned skew)
{
	uint64_t now[PROCESSES][THREADS_EACH] = {{0}};
	for (unsigned rank = 0; rank < PROCESSES; rank++)
		text_format(out, "process %u\n", rank);
	for (unsigned i = 0; i < PROCESSES * THREADS_EACH; i++)
		text_format(out, "location %u %u\n", 10 * (i / THREADS_EACH) + i % THREADS_EACH, i / THREADS_EACH);
	text_put(out, "list 0 mpi 0 10 20\ngroup 1 mpi 0 1 2\ncomm 0 1 MPI_COMM_WORLD\ncomm 1 1\ncomm 2 1\n");
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned a = (unsigned)rand() % PROCESSES, b = (a + 1 + (unsigned)rand() % (PROCESSES - 1)) % PROCESSES;
		unsigned k = (unsigned)rand() % THREADS_EACH, m = (unsigned)rand() % THREADS_EACH, tag = m;
		for (unsigned rank = 0; rank < PROCESSES && step % 3 == 0; rank++) {
			put_record(out, now, rank, k, skew);
			text_format(out, "collective 0 %u none\n", k);
			text_format(&t->want[rank][k], k ? "%u sync MPI_Barrier 0-2@%u\n" : "%u sync MPI_Barrier 0-2\n",
				rank, k);
		}
		if (step % 3 == 0)
			continue;
		put_record(out, now, a, k, skew);
		text_format(out, "send %u 0 %u\n", b, tag);
		put_record(out, now, b, m, skew);
		text_format(out, "recv %u 0 %u\n", a, tag);
		text_format(&t->want[a][k], "%u send %u tag%u\n", a, b, tag);
		text_format(&t->want[b][m], "%u recv %u tag%u\n", a, b, tag);
	}
}

static bool take_threaded(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	(void)error;
	struct threaded *t = context;
	uint32_t thread = 0;
	for (uint32_t i = 0; i < e->attribute_count; i++)
		thread = (uint32_t)e->attribute[i].number;
	CU_ASSERT_FATAL(thread < THREADS_EACH);
	event_print(trace_dictionary(t->trace, rank), e->event, &t->have[rank][thread]);
	text_char(&t->have[rank][thread], '\n');
	*MEM_PUSH(t->event[rank], t->length[rank], t->capacity[rank]) = e->event;
	return true;
}

/* One that is first of a process, and can happen: NULL where none can. */
static bool happens(const struct threaded *t, const size_t *at, int under_way[PROCESSES][PROCESSES][3], unsigned rank)
{
	const struct dictionary *d = trace_dictionary(t->trace, rank);
	const struct event *e = dictionary_get_event(d, t->event[rank][at[rank]]);
	if (e->kind == EVENT_SYNC) {
		int64_t communicator = dictionary_get_sync(d, e->subject)->communicator;
		for (unsigned other = 0; other < PROCESSES; other++) {
			const struct dictionary *o = trace_dictionary(t->trace, other);
			const struct event *same = at[other] < t->length[other]
							   ? dictionary_get_event(o, t->event[other][at[other]])
							   : NULL;
			if (!same || same->kind != EVENT_SYNC ||
				dictionary_get_sync(o, same->subject)->communicator != communicator)
				return false;
		}
		return true;
	}
	unsigned tag = (unsigned)dictionary_get_tag(d, e->subject)->number;
	if (e->kind == EVENT_SEND)
		return ++under_way[rank][e->peer][tag];
	return under_way[e->peer][rank][tag] > 0 && under_way[e->peer][rank][tag]--;
}

static bool is_legal(const struct threaded *t)
{
	size_t at[PROCESSES] = {0};
	int under_way[PROCESSES][PROCESSES][3] = {{{0}}};
	for (bool any = true; any;) {
		any = false;
		for (unsigned rank = 0; rank < PROCESSES; rank++) {
			if (at[rank] == t->length[rank] || !happens(t, at, under_way, rank))
				continue;
			bool sync = dictionary_get_event(trace_dictionary(t->trace, rank), t->event[rank][at[rank]])
					    ->kind == EVENT_SYNC;
			for (unsigned other = 0; other < PROCESSES; other++)
				at[other] += sync || other == rank;
			any = true;
		}
	}
	return at[0] == t->length[0] && at[1] == t->length[1] && at[2] == t->length[2];
}

/* The timeline has the same events in the same order. */
static bool times_agree(const struct threaded *t)
{
	struct error error = {0};
	struct timeline *timeline = timeline_open(t->trace, &error);
	const struct timeline_record *r;
	bool same = timeline;
	for (unsigned rank = 0; rank < PROCESSES && same; rank++) {
		size_t at = 0;
		for (uint64_t last = 0; (r = timeline_get(timeline, rank)); timeline_next(timeline, rank), at++) {
			same = same && at < t->length[rank] && r->id == t->event[rank][at] && r->time >= last;
			last = r->time;
		}
		same = same && at == t->length[rank];
	}
	timeline_close(timeline);
	return same;
}

static void random_threads(void)
{
	for (unsigned seed = 0; seed < rounds(60); seed++) {
		struct threaded t = {0};
		struct text run = {0};
		struct error error = {0};
		struct trace_sink sink = {.context = &t, .event = take_threaded};
		struct trace_options options = {.attributes = true};
		write_run(&t, &run, seed % 4 * 40);
		char *anchor = archive_write(run.data);
		t.trace = trace_open(anchor, &options, &error);
		ROW("it is read", t.trace && trace_read(t.trace, 1 + seed % 2, NULL, &sink, &error));
		for (unsigned i = 0; i < PROCESSES * THREADS_EACH; i++) {
			unsigned rank = i / THREADS_EACH, thread = i % THREADS_EACH;
			struct text *want = &t.want[rank][thread], *have = &t.have[rank][thread];
			row_same("each thread is its location", have->data ? have->data : "",
				want->data ? want->data : "");
			text_clear(want);
			text_clear(have);
		}
		ROW("the order can have happened", is_legal(&t));
		ROW("times come in the same order", times_agree(&t));
		for (unsigned rank = 0; rank < PROCESSES; rank++)
			free(t.event[rank]);
		trace_close(t.trace);
		archive_remove(anchor);
		text_clear(&run);
	}
}

/* ------------------------------------------------------------------ runs that did not end */

static void note_line(void *context, const char *path, const char *line)
{
	(void)path;
	text_put(context, line);
}

static void unfinished(void)
{
	static const char regions[] =
		"region 1 MPI_Bcast\nregion 2 MPI_Waitany\nregion 3 MPI_Finalize\nregion 4 MPI_Init\n";
	static const struct {
		const char *why, *archive, *line;
	} cases[] = {
		{"all returned", "@70 enter 1\n@70 leave 1\n@40 enter 2\n@40 leave 2\n", ""},
		{"two calls never returned", "@70 enter 2\n@70 leave 2\n@70 enter 1\n@40 enter 2\n",
			"the run did not end: 0 in MPI_Bcast, 1 in MPI_Waitany; MPI_Bcast since 0.030 s; MPI_Waitany since 0.040 s"},
		{"one did, and the other is outside", "@70 enter 1\n@40 enter 2\n@40 leave 2\n",
			"the run did not end: 0 in MPI_Bcast, 1 outside of MPI since 0.030 s; MPI_Bcast since 0.010 s"},
		{"both in one", "@70 enter 1\n@40 enter 1\n",
			"the run did not end: 0-1 in MPI_Bcast; MPI_Bcast since 0.010 s"},
		{"other tracers need not tell the end of MPI_Finalize", "@70 enter 3\n@40 enter 3\n", ""},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct text archive = {0}, line = {0};
		struct error error = {0};
		text_format(&archive, TWO "%s%s", regions, cases[i].archive);
		char *anchor = archive_write(archive.data);
		trace_listen(note_line, &line, false);
		trace_close(trace_open(anchor, NULL, &error));
		trace_listen(NULL, NULL, false);
		row_same(cases[i].why, line.data ? line.data : "", cases[i].line);
		archive_remove(anchor);
		text_clear(&archive);
		text_clear(&line);
	}
}

/* Who is lenient reads the other ranks, and is told. */
static void gaps(void)
{
	static const struct {
		const char *why, *name, *regions, *events, *line;
		void (*change)(const char *path);
	} cases[] = {
		{"none of one rank", "run/40.evt", "", "0 send 1 tag1\n0 send 1 tag2\n",
			"no events of rank 1: STEM/40.evt: No such file or directory", drop},
		{"none of the first", "run/70.evt", "", "0 recv 1 tag1\n0 recv 1 tag2\n",
			"no events of rank 0: STEM/70.evt: No such file or directory", drop},
		{"cut off", "run/40.evt", "", "0 send 1 tag1\n0 send 1 tag2\n",
			"no events of rank 1: STEM/40.evt: damaged or cut off: its end is missing", cut_header},
		{"regions as collectives", "run/40.evt", "regions", "0 send 1 tag1\n0 send 1 tag2\n",
			"no events of rank 1: STEM/40.evt: empty", empty},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *anchor = archive_write(TWO "@70 send 1 0 1\n@70 send 1 0 2\n@40 recv 0 0 1\n@40 recv 0 0 2\n");
		struct text path = {0}, line = {0}, words = {0};
		text_add(&path, anchor, strlen(anchor) - strlen("/run.otf2"));
		text_format(&path, "/%s", cases[i].name);
		text_format(&words, "lenient %s", cases[i].regions);
		cases[i].change(path.data);
		trace_listen(note_line, &line, true);
		char *have = read_trace(anchor, words.data, 2, NULL),
		     *told = generic(mem_text(line.data ? line.data : ""), anchor);
		trace_listen(NULL, NULL, false);
		row_same(cases[i].why, have, cases[i].events);
		row_same(cases[i].why, told, cases[i].line);
		free(have);
		free(told);
		text_clear(&path);
		text_clear(&line);
		text_clear(&words);
		archive_remove(anchor);
	}
}

/* ------------------------------------------------------------------ real archives */

static void samples(void)
{
	static const struct {
		const char *name;
		uint32_t processes;
		uint64_t records, events;
	} cases[] = {
		{"bt.S.4.ez", 4, 30192, 4 * 1487},
		{"bt.S.4.scorep", 4, 30216, 4 * 1487},
		{"bt.S.4.tau", 4, 36172, 4 * 1476},
		{"lu.S.4.ez", 4, 28816, 4 * 2282},
		{"lu.S.4.tau", 4, 38394, 4 * 2260},
		{"mg.S.4.ez", 4, 17648, 4 * 990},
		{"is.S.4.scorep", 4, 643, 150},
	};
	const char *directory = getenv("TRACENEST_SAMPLES");
	for (size_t i = 0; directory && i < sizeof cases / sizeof *cases; i++) {
		struct text path = {0};
		struct trace_facts one = {0}, two = {0};
		text_format(&path, "%s/%s", directory, cases[i].name);
		if (!access(path.data, F_OK)) {
			char *first = read_trace(path.data, "recorded", 1, &one),
			     *second = read_trace(path.data, "recorded", 2, &two);
			CU_ASSERT(one.processes == cases[i].processes && one.records == cases[i].records &&
				  one.events == cases[i].events);
			CU_ASSERT(!strcmp(first, second) && two.events == one.events && two.records == one.records);
			free(first);
			free(second);
		}
		text_clear(&path);
	}
}

/* ------------------------------------------------------------------ beside a program */

/* events: of a rank, 's', 'r', 'l'; then it ends. */
static void tracked(void)
{
	static const char text[] =
		"// tracenest 1\n// processes 2\n[0] p send 1 a\n[0] p local x\n[0] for i0 = 0 to 1\n[0] 1 recv p a\n"
		"done\n[1] for i0 = 0 to 1\n[1] p send 0 a\ndone\n[1] 0 recv p a\n";
	static const struct {
		const char *why, *events;
		bool locals;
		uint32_t rank;
		const char *wrong; /* NULL: nothing */
	} cases[] = {
		{"all of them", "slrr", true, 0, NULL},
		{"local ones are not told of", "srr", false, 0, NULL},
		{"another kind", "sr", true, 0, "event 1 of rank 0 is another one in the model"},
		{"... of those told of", "ss", false, 0, "event 1 of rank 0 is another one in the model"},
		{"too many", "srrr", false, 0, "rank 0 has more than the 3 events of the model"},
		{"too few", "slr", true, 0, "rank 0 has 3 events in the trace, more in the model"},
		{"none", "", false, 1, "rank 1 has 0 events in the trace, more in the model"},
		{"nobody's", "s", false, 2, "it has a rank 2"},
	};
	struct error error = {0};
	struct prepared *p = prepared_parse("row", text, strlen(text), &error);
	struct trace *trace = trace_open("/dev/null", NULL, &error);
	CU_ASSERT_FATAL(p && trace);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tracker *t = tracker_new(p->run, "m", trace, cases[i].locals);
		struct text wrong = {0};
		bool good = true;
		for (const char *e = cases[i].events; *e && good; e++)
			good = tracker_next(t, cases[i].rank,
				*e == 's'   ? EVENT_SEND
				: *e == 'r' ? EVENT_RECV
					    : EVENT_LOCAL,
				&error);
		good = good && tracker_end(t, cases[i].rank, &error) && (cases[i].rank || tracker_end(t, 0, &error));
		if (cases[i].wrong)
			text_format(&wrong, "/dev/null: the trace is not that of the model m: %s", cases[i].wrong);
		ROW(cases[i].why, good == !cases[i].wrong);
		ROW(cases[i].why, good || !strcmp(error.message, wrong.data));
		text_clear(&wrong);
		tracker_free(t);
	}
	trace_close(trace);
	prepared_free(p);
}

void suite_trace(CU_pSuite suite)
{
	CU_add_test(suite, "archives written for the purpose", written_archives);
	CU_add_test(suite, "facts about archives", facts_of_archives);
	CU_add_test(suite, "what archives do not hold", losses);
	CU_add_test(suite, "messages that archives do not hold", losses_of_messages);
	CU_add_test(suite, "chosen ranks, read again", chosen_ranks);
	CU_add_test(suite, "a receiver that stops", stopping);
	CU_add_test(suite, "archives with broken files", broken_archives);
	CU_add_test(suite, "text traces", text_traces);
	CU_add_test(suite, "long lines and junk", long_lines);
	CU_add_test(suite, "directories", directories);
	CU_add_test(suite, "standard input", standard_input);
	CU_add_test(suite, "a trace beside its program", tracked);
	CU_add_test(suite, "facts about text traces", facts_of_text);
	CU_add_test(suite, "names of regions and operations", names);
	CU_add_test(suite, "random wait calls", random_waits);
	CU_add_test(suite, "receives as they were recorded, in order or not", recorded_order);
	CU_add_test(suite, "order in bounded memory", bounded_order);
	CU_add_test(suite, "random receives that overlap", random_overlaps);
	CU_add_test(suite, "a request that is never complete", endless_overlap);
	CU_add_test(suite, "receives with and without requests", timeline_overlap);
	CU_add_test(suite, "random threads", random_threads);
	CU_add_test(suite, "runs that did not end", unfinished);
	CU_add_test(suite, "archives without the events of a rank", gaps);
	CU_add_test(suite, "balance", balances);
	CU_add_test(suite, "the guard", guard);
	CU_add_test(suite, "real archives", samples);
}
