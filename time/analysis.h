/*
 * analysis.h -- where the time of a run went: what report, time, profile, diff and the pictures are
 * made from.
 *
 *	struct analysis *a = analysis_read(program, "run.nest", trace, &options, &error);
 *	... a->construct[0]: where most is lost
 *	analysis_free(a);
 *
 * One reading of an archive, all processes at once, merged by time; its memory follows the
 * constructs that each process has a part in, messages in flight, and iterations in bins, not the
 * trace.
 *
 * A *cell* is (loops around and their indices, region of the program). Every tick of every process,
 * from the first to the last of the run, is in one cell, as work (outside of MPI calls) or in a
 * call; a part of a call is waiting, the rest transfer. Constructs are cells without indices. Work
 * belongs to the communication that it is for: between two calls to the one whose region instance
 * it is in, where it is in both or in none to the later one. Without regions, what communicates in
 * one call, or in calls that follow each other at once, is a construct.
 *
 * What a process computes is CPU time where its recorder says how long it had no core meanwhile:
 * that is told as of a call, which nobody else has a part in.
 *
 * *Waiting*: in a receive, until the send was posted (late sender); in a send that is not eager,
 * until the receive was posted (late receiver); in a collective, until the last one came (of a
 * rooted one, if it let processes go before: until the root came, or for the root until the last).
 * What counts of a call that completes several is the one that was complete last.
 *
 * *The critical path* ends where the run ends. It goes back through a process until a call that
 * waited, then to the process that was waited for, at the time it came.
 *
 * *Loss* of a construct, from P (work on the path), T (calls on the path) and C (work of each
 * process), per iteration of the outermost loop: imbalance = sum(max C - mean C), serialization =
 * sum(P - max C), transfer = T. Over all constructs the losses sum to the run time x (1 - parallel
 * efficiency). (Scalasca's delay and critical-path work: Boehme et al., ICPP 2010 and IPDPS 2012.)
 */
#ifndef TRACENEST_TIME_ANALYSIS_H
#define TRACENEST_TIME_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "model/prepared.h"
#include "trace/trace.h"

/* Indices kept of the loops around, from the outermost. */
#define ANALYSIS_DEPTH 4

/* Scalasca's wait states. Late Broadcast: of Scatter, too; Early Reduce: of Gather. */
enum wait_kind {
	WAIT_LATE_SENDER,
	WAIT_LATE_RECEIVER,
	/* of collectives: */
	WAIT_NXN,
	WAIT_BARRIER,
	WAIT_LATE_BROADCAST,
	WAIT_EARLY_REDUCE,
	WAIT_KINDS
};
#define WAIT_COLLECTIVES WAIT_NXN /* the first of them */

enum construct_sort {
	CONSTRUCT_PROGRAM,
	/* these stand apart: */
	CONSTRUCT_INIT, /* MPI_Init */
	CONSTRUCT_FINALIZE,
	CONSTRUCT_IO, /* MPI_File_* calls */
	CONSTRUCT_DEVICE, /* cudaDeviceSynchronize and the like */
	CONSTRUCT_OUTSIDE, /* of the processes' streams: before the first record, behind the last */
};

#define ANALYSIS_FIGURES (9 + 2 * WAIT_KINDS)

/* Of one process in one construct; times in ticks. */
struct analysis_share {
	uint32_t rank; /* of a total: nobody's */
	union {
		struct {
			uint64_t work; /* C */
			uint64_t call; /* in MPI calls, waiting included */
			uint64_t waited[WAIT_KINDS];
			/* others waited for this process so long, in this construct of theirs */
			uint64_t caused[WAIT_KINDS];
			/* of late senders: while another message, received later, was there */
			uint64_t wrong_order;
			uint64_t calls; /* that communicated, or completed something */
			uint64_t events;
			uint64_t away; /* of its calls: without a core, though it computed */
			/* of the critical path; hops: it came here from elsewhere */
			uint64_t path_work, path_call, hops;
		};
		uint64_t each[ANALYSIS_FIGURES];
	};
};

/* Messages of one pair of processes, received in one construct. */
struct analysis_link {
	uint32_t source, destination;
	uint64_t messages, bytes;
	uint64_t flight; /* from the later of both posts until it was received */
	uint64_t least; /* the shortest time that one took, from when it could start: an eager one when it was sent */
	uint64_t waited; /* late senders */
	uint64_t path; /* of the critical path: calls that this pair's messages completed last */
};

/* In this order. */
enum {
	SERIES_PATH_WORK,
	SERIES_PATH_CALL,
	SERIES_WORK,
	SERIES_WAITED,
	SERIES_BYTES,
	SERIES_MESSAGES,
	SERIES_EVENTS,
	ANALYSIS_SERIES
};

/* Over the iterations of one loop around a construct. */
struct analysis_series {
	uint64_t width; /* iterations in a bin */
	uint64_t iterations; /* one more than the highest index met */
	size_t bins;
	union {
		struct {
			uint64_t *path_work, *path_call; /* by bin */
			uint64_t *work; /* of all processes */
			uint64_t *waited; /* all kinds, all processes */
			uint64_t *bytes, *messages; /* received */
			uint64_t *events; /* of all processes */
		};
		uint64_t *each[ANALYSIS_SERIES];
	};
};

struct analysis_construct {
	enum construct_sort sort;
	uint32_t order; /* in which they were met */
	size_t loop; /* the innermost loop around: a line; ANALYSIS_NO_LOOP */
	size_t shown; /* that of the program that is shown, where it is another one */
	char *address; /* of it, "2.0", in the program that is shown; NULL: no loop */
	uint32_t depth; /* loops around */
	size_t around[ANALYSIS_DEPTH]; /* these loops, the outermost first */
	char *sites; /* where in the source it communicates, "rhs.f:203,210"; NULL: not known */
	uint32_t *path; /* ... of model/call_paths.h, each once */
	size_t paths;
	char *callers; /* who calls there, "limiter (heat.c:30) > exchange (heat.c:12)"; NULL: not known */
	char *name; /* the region, or tags and collectives: "smooth", "produce|consume", "tag7+MPI_Allreduce" */
	struct ranks ranks; /* that spent time in it */
	/* Of all who spent time in it, were waited for in it, or had the critical path in it; by
	   rank. */
	struct analysis_share *share;
	uint32_t shares;
	struct analysis_share total;
	uint64_t most; /* sum over the outermost iterations of the largest work of a process */
	uint64_t between; /* work that ends an iteration of the outermost loop, or begins the next: told as of that */
	/* Losses in ticks x processes, so that all are whole: loss = imbalance + serialization +
	   transfer. */
	int64_t loss, imbalance, serialization, transfer;
	struct analysis_series series
		[ANALYSIS_DEPTH]; /* of the loops around, the outermost first; without loops, of depth 0: one bin */
	/* Work of each process over the outermost iterations: bin_work[bin * shares + i] of
	   share[i]. */
	uint64_t rank_width;
	size_t rank_bins;
	uint64_t *bin_work;
	uint64_t *bin_most; /* by such a bin: sum over its iterations of the largest work */
	struct analysis_link *link; /* by source, then destination */
	size_t links, link_capacity;
	uint64_t messages, bytes; /* of all links */
	/* On the critical path: calls of collectives after the last one came; calls that nobody else has
	   a part in; and those of the costliest collective, how many, and its name (NULL: none). */
	uint64_t collectives_cost, overhead, collective_cost, collective_times;
	uint64_t away; /* and processes that had no core, though they computed */
	char *collective;
};
#define ANALYSIS_NO_LOOP SIZE_MAX
#define ANALYSIS_NO_CONSTRUCT SIZE_MAX

/* Of one process; first + work + calls add up: last - first = work + call + apart. */
struct analysis_process {
	uint64_t first, last; /* its records */
	uint64_t work, call, apart; /* apart: in constructs that stand apart, calls and all */
	uint64_t waited[WAIT_KINDS];
	uint64_t cpu; /* ns from MPI_Init to MPI_Finalize; 0: not known */
};

struct analysis {
	const struct prepared *program; /* borrowed */
	uint32_t processes;
	uint64_t ticks_per_second; /* 0: not known */
	uint64_t begin, end; /* of the run: the first and the last record of all */
	uint64_t records;
	struct analysis_process *process;
	struct analysis_construct *construct; /* by loss, the largest first; those that stand apart last */
	size_t constructs;
	size_t *construct_of; /* by line: the construct of its events; ANALYSIS_NO_CONSTRUCT */
	const struct prepared *shown; /* borrowed; NULL: `program`, or the one whose loops addresses are of */
	size_t *shown_around; /* by line of that: the innermost loop around; ANALYSIS_NO_LOOP */
	uint64_t *iterations; /* by line: of a loop around constructs, one more than the highest index met */
	uint64_t path_work, path_call, hops; /* path_work + path_call = end - begin */
	/* The longest chain of computation along messages and collectives; no send waits in it. */
	uint64_t ideal;
	uint32_t path_end; /* where the run ended */
	struct ranks shared; /* processes that had to share cores with others of the run */
	uint64_t slice; /* ticks that one of them was without a core, as they usually are at most; 0: none shares */
	bool unfinished; /* the run did not end (set by who knows it): it has no run time and no efficiencies */
	bool communicates; /* MPI is called, or a message or a collective is recorded: else there are no efficiencies */
	bool regions; /* the program's own regions are recorded */
	/* Processes are recorded from their first call on, which is not MPI_Init: what they compute
	   before is taken to begin with the run, and what all compute before that is not known. */
	bool begins_late;
	uint64_t eager; /* messages up to this size were seen not to wait for their receivers */
	/* Messages and collectives that met; so many of them were received before they were sent,
	   by so much: clocks contradict them. */
	uint64_t meetings, contradictions, contradiction;
	/* ... so many that who waited for whom is not known: only work is */
	bool clocks_disagree;
	uint64_t unmatched; /* receives, and members of collectives, without partners (lenient) */
	size_t pieces; /* of the critical path, at once */
};

struct analysis_options {
	bool lenient; /* go on where messages are missing */
	uint64_t eager; /* the eager limit in bytes; UINT64_MAX: find out */
	struct progress progress;
	/* If not NULL: told of each call that waited, when it began and when whom it waited for
	   came; in no order. */
	void (*waited)(void *context, uint32_t rank, uint64_t enter, uint64_t came, uint32_t culprit);
	void *context;
};

/*
 * model, path: what to call the program and the trace in messages. The trace is an archive, opened
 * as the program's maker opened it. NULL with *error set: what reading came upon, the trace is not
 * that of the program, messages have no partner (unless lenient). O(records log processes).
 */
struct analysis *analysis_read(
	const struct prepared *, const char *model, struct trace *, const struct analysis_options *, struct error *);
void analysis_free(struct analysis *);

/*
 * Another program of the same events, which is what people are shown: constructs have addresses of
 * its loops from now on, those that hold most of their events. Borrows it. O(events) of one process
 * for each of those that do the same.
 */
void analysis_show(struct analysis *, const struct prepared *shown);

/* A record of a process, behind one at *latest, which it is from now on. False with *error set. */
bool clock_goes_on(const struct trace *, uint32_t rank, uint64_t time, uint64_t *latest, struct error *);

/* end - begin. */
uint64_t analysis_run(const struct analysis *);

/* A tick in seconds; 0 if that is not known. */
double analysis_tick(const struct analysis *);

/* A sum over processes, of the run time of all of them; nothing that would be printed as -0.0. */
double analysis_percent(const struct analysis *, double sum);

/* All work, of all processes: parallel efficiency = this / (run x processes). */
uint64_t analysis_work(const struct analysis *);

/* What of the run time is not computation, in %: run x (1 - parallel efficiency), also where nobody
   communicates. */
double analysis_lost(const struct analysis *);

/* "program", "init", ...: for machines. */
const char *construct_sort_key(enum construct_sort);

/* "Late Sender"; "late_sender". */
const char *wait_name(enum wait_kind);
const char *wait_key(enum wait_kind);

/* In collectives, of sums by kind. */
uint64_t wait_in_collectives(const uint64_t by_kind[WAIT_KINDS]);

/*
 * POP's factors (F. Wagner et al.: A structured approach to performance analysis, Parallel Tools
 * Workshop 2017): parallel = load_balance x communication, communication = serialization x
 * transfer. load_balance: mean / largest computation of a process, of the whole run. communication:
 * largest computation / run. transfer: what the run would take on an ideal network / run; that is
 * the longest chain of computation, or the computation on the critical path. Where clocks disagree,
 * serialization and transfer are NAN: not known; where nobody communicates, all of them are.
 *
 * iteration_balance is no factor of POP's: mean / largest computation of each construct in each
 * iteration of its outermost loop, added up; the mean is that of the processes that have a part in it.
 */
struct efficiency {
	double parallel, load_balance, communication, serialization, transfer, iteration_balance;
	/* without MPI_Init and MPI_Finalize */
	double inner_run, inner_parallel; /* inner_run: ticks */
};
struct efficiency analysis_efficiency(const struct analysis *);

#endif
