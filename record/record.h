/*
 * record.h -- what `tracenest record` and the recorder that it preloads have agreed upon.
 *
 * The recorder (preload/, one library per MPI) is loaded into each process of the watched program.
 * It does as little as possible there: each process writes its events into an event file of OTF2,
 * and what these mean (communicators, call sites, clocks) into a side file, line by line, when it
 * comes to be. Everything else is done when the program has ended, by record_finish: global ids,
 * names of call sites, definitions, the anchor. So it does not matter how a process ends: what it
 * wrote is there, also after MPI_Abort, a crash or SIGKILL (events that are not in the event file
 * yet stand in a mapped file beside it).
 *
 *	LD_PRELOAD=libtracenest-record-openmpi.so TRACENEST_RECORD=run.trace mpirun -n 4 ./app
 *	jobs_find(&jobs, "run.trace", &error);
 *	record_finish(jobs.job[0].own, "run.trace", NULL, &facts, &error);
 *							-- now there is run.trace/traces.otf2
 *
 * The environment of the recorder:
 *
 *	TRACENEST_RECORD	directory to record into, absolute, there and writable; without it, the
 *				recorder does nothing at all
 *	TRACENEST_BUFFER	bytes of events that a process keeps in memory (default 8388608; at least
 *				262144)
 *	TRACENEST_STACK		that many frames above the call are recorded, too (default 32; 0: the call
 *				site alone)
 *	TRACENEST_MODEL		if set and not empty: recognize the model on line, and leave it in the
 *				directory at MPI_Finalize
 *	TRACENEST_SITES		if set and not empty: to that model, calls from different lines differ
 *	TRACENEST_VALUES	... and its events carry these attributes
 *	TRACENEST_TIMES		... and how long its statements took is kept beside it
 *	TRACENEST_NO_ARCHIVE	if set and not empty: write no events
 *	TRACENEST_QUIET		if set and not empty: say nothing, also where recording fails
 *	TRACENEST_SKEW		for tests: "OFFSET,RATE", the clock of rank r is r * OFFSET ns ahead and
 *				r * RATE parts in 10^9 too fast, as if each process were on its own host
 *
 * In the directory, while the program runs, for each job J (all processes of one MPI_COMM_WORLD;
 * preload/job.c names it) and each rank R of it:
 *
 *	run-J/R/traces/R.evt	its events, as the OTF2 library writes them
 *	run-J/R/memory		what of them is in memory only (mapped); without an archive, the last call
 *	run-J/R/pending		what it has begun and not completed (mapped; trace/pending.h)
 *	run-J/R/side		its side file (preload/side.h has the lines)
 *	run-J/online		what lib/online.h writes
 *	run-J/mixed		there: of two jobs at once, which nothing tells apart
 *	foreign			a line about programs of another MPI, which are left alone
 *	begun			there: a process has called MPI_Init
 *
 * Jobs are numbered in the order in which they began, and their folders named after that: job1,
 * job2 (record/jobs.h). The archive of the first one stands in the directory itself.
 *
 * Where the directory is not empty, all this is made in its folder `new`, and takes the place of
 * what was recorded before when it is whole; of what is partial, also where it is partial itself.
 *
 * Sizes. MPI_SEND and MPI_ISEND have the bytes of the buffer that is sent, MPI_RECV and MPI_IRECV
 * those that came. A collective has what this process's arguments say that it contributes
 * (sizeSent) and gets (sizeReceived): of MPI_Bcast the root sends count elements, the others
 * receive them; MPI_Allgather sends sendcount and receives the communicator's size times recvcount;
 * who is not the root of a gather receives 0. MPI_IN_PLACE counts as if there were a buffer of its
 * own.
 *
 * An intercommunicator is a communicator of all processes of both groups, one after the other:
 * first the group whose first process is of lower rank in the world. (OTF2 has a definition for
 * them; python3-otf2 3.0 opens no archive that contains one.) Of a rooted collective, those in the
 * group of the root which are not the root do not know who is: their root is THIS_GROUP.
 *
 * Attributes of records: site (string; of messages, collectives and ENTER) and path (calling
 * context: its region is the function that calls, its source code location where in it the call
 * is; likewise its parents), type (string) and count (uint64) of messages and collectives, request
 * (uint64) of what a non-blocking call posted and what completes it; posted_source and posted_tag
 * (int32, -1) of receives where these were wildcards. What completes a request has the site and
 * path of the call that posted it; those of the call that waited are its ENTER's.
 *
 * Windows are communicators of their own, and RMA_WIN definitions. What is put, got and updated is
 * RMA_PUT, RMA_GET and RMA_ATOMIC, with disp (int64), type, count and op; locks are
 * RMA_ACQUIRE_LOCK, with lock, and RMA_RELEASE_LOCK; other epochs are RMA_SYNC within the region of
 * their call, of a group with group (string: ranks of the world). MPI_Win_create and the like, with
 * size and unit (uint64), MPI_Win_fence and MPI_Win_free are RMA_COLLECTIVE_END.
 *
 * preempted (uint64) of ENTER: ns since the call before in which the thread was ready to run, and
 * others had its core (asked where computing takes 50 us behind a call site, 5 us where a launcher
 * started more processes than cores). Which cores processes may run on, and their CPU time, are
 * properties of the archive (trace/cores.h).
 *
 * Non-blocking collectives are NON_BLOCKING_COLLECTIVE_REQUEST where they are posted, and
 * NON_BLOCKING_COLLECTIVE_COMPLETE where they complete.
 */
#ifndef TRACENEST_RECORD_RECORD_H
#define TRACENEST_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "model/notes.h"

#define RECORD_DIRECTORY "TRACENEST_RECORD"
#define RECORD_BUFFER "TRACENEST_BUFFER"
#define RECORD_STACK "TRACENEST_STACK"
#define RECORD_MODEL "TRACENEST_MODEL"
#define RECORD_SITES "TRACENEST_SITES"
#define RECORD_VALUES "TRACENEST_VALUES"
#define RECORD_TIMES "TRACENEST_TIMES"
#define RECORD_NO_ARCHIVE "TRACENEST_NO_ARCHIVE"
#define RECORD_QUIET "TRACENEST_QUIET"
#define RECORD_SKEW "TRACENEST_SKEW"

/* In the directory: */
#define RECORD_RUN "run-" /* what names of folders of jobs begin with */
#define RECORD_FOREIGN "foreign"
#define RECORD_BEGUN "begun" /* there: a process has called MPI_Init */
#define RECORD_NEW "new" /* where the next recording is made, until it is whole */
#define RECORD_PARTIAL "partial" /* there: something is missing in the archive */
/* In the folder of a job: */
#define RECORD_ONLINE "online"
#define RECORD_ONLINE_TIMES "times-" /* and the rank */
#define RECORD_MIXED "mixed"
#define RECORD_FINISHED "finished" /* there: the archive is whole, only what it was made of is still to go */

#define RECORD_BUFFER_DEFAULT 8388608
#define RECORD_BUFFER_LEAST 262144
#define RECORD_STACK_DEFAULT 32
#define RECORD_STACK_MOST 64 /* with inlined frames about what readers look at (model/call_paths.h) */

struct record_options {
	bool keep; /* the files of the recorder, too (for its tests) */
	bool told; /* the user has heard from the processes themselves why something is missing */
	bool no_archive; /* nothing was written but what is about the processes: it is read, and removed; of a run
			    that did not end there is an archive nevertheless, of the last calls */
};

/* What was recorded. */
struct record_facts {
	uint32_t ranks; /* that left something */
	uint32_t processes; /* that the program had */
	uint64_t records; /* of OTF2, or what would be */
	uint64_t sends, receives, collectives, one_sided;
	uint64_t bytes; /* of all event files */
	struct notes omitted; /* calls that moved data which are no event (model/notes.h); to be cleared */
	double overhead; /* of the recorder, ns per call, measured while recording; 0: not known */
	double residual; /* ns that clocks may still differ by, as far as was measured; 0: one host */
	bool threads; /* several of a process called MPI */
	uint32_t sharing; /* processes that had to share cores */
	bool partial; /* something is missing; the notes say what */
	struct text notes; /* lines for the user, without a prefix; to be cleared */
};

/*
 * Make what the processes of a job left in its folder, `own`, an archive, directory/traces.otf2; the
 * two may be one. Where processes died, of what they recorded. ERROR_INPUT where nothing was
 * recorded (no process called MPI_Init with the recorder of its MPI loaded) or files cannot be
 * written.
 */
bool record_finish(
	const char *own, const char *directory, const struct record_options *, struct record_facts *, struct error *);

/* ERROR_INPUT: nothing was recorded. */
bool record_nothing(const char *directory, struct error *);

#endif
