/*
 * trace.h -- the event streams of a run, from OTF2 archives and from text.
 *
 *	struct trace *t = trace_open("run/traces.otf2", &options, &error);
 *	trace_read(t, jobs, NULL, &sink, &error);	-- calls sink for every event
 *	trace_close(t);
 *
 * Streams are read once, in pieces; memory does not grow with them. Events carry the communicator
 * wherever the source has one; whether it is fit to be named is known only when all events were
 * seen (channels balance), so dropping it is the user's: balance_*.
 */
#ifndef TRACENEST_TRACE_TRACE_H
#define TRACENEST_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pack.h"
#include "base/progress.h"
#include "base/ranks.h"
#include "model/dictionary.h"
#include "model/notes.h"

struct kept;
struct pending_line;

enum trace_events {
	TRACE_COMM, /* send, recv, sync */
	TRACE_MPI, /* and local events where MPI regions begin and end */
	TRACE_ALL, /* and for every region */
};

struct trace_options {
	enum trace_events events;
	bool recorded_order; /* leave receives in the order recorded, instead of that of their posts */
	/* where no collective was recorded: a region named as one is a sync of all processes */
	bool collective_regions;
	/* 0; or so many messages of a process that differ in peer and number alone get ids, the
	   others come as shapes */
	uint32_t distinct;
	bool attributes; /* tell what events carry besides sizes, too */
	bool sites; /* tell where in the program they are */
	bool call_sites; /* ... and where local events are, and in which thread */
	/* tell in which calls messages are sent and received, and where requests begin and end, as
	   attributes apart, call, other, place (tracenest-model.1) */
	bool calls;
	bool lenient; /* a location whose files are damaged has no events, and is told (trace_listen) */
	struct kept *keep; /* what is read is kept there, or taken from there (trace/kept.h); NULL */
};

struct trace;

/* What was found, for summaries; the counters are complete once trace_read has returned. */
struct trace_facts {
	bool archive; /* OTF2 (else text) */
	bool gap; /* the events of a rank cannot be read, and whoever asks is lenient */
	uint32_t processes; /* ranks are 0 to processes - 1; of a text trace: known at its end */
	uint32_t locations_without; /* locations that are no process of the run (threads, devices): left out */
	uint64_t ticks_per_second; /* of the archive's clock; 0: not known, or text */
	uint64_t clock_begin; /* ticks: when the run began, as the archive says; text: 0 */
	const struct cores *cores; /* of the archive (trace/cores.h); NULL: text */
	uint64_t records; /* OTF2 records read, or lines */
	uint64_t events; /* events delivered */
	uint64_t to_nobody; /* messages to or from MPI_PROC_NULL, left out */
	bool collectives_recorded; /* any MPI_COLLECTIVE_END? */
	/* regions with the names of collectives? (with none recorded: suggest the option) */
	bool collective_regions_seen;
	bool disordered; /* were receives completed in another order than they were posted, by one call or in one channel? */
};

/* A communication call that was made, and of which the archive holds no message and no
   collective. */
struct trace_call {
	const char *name; /* "MPI_Sendrecv" */
	uint64_t calls;
	struct ranks ranks; /* that made it */
};

/* What was passed on in the run, and not recorded, as far as the archive itself shows. Starts as
   {0}. */
struct missing_records {
	struct trace_call *call;
	size_t calls, capacity;
	/* Receives that were posted and never completed, in programs whose calls that complete them
	   hold no receive: */
	uint64_t uncompleted;
	struct ranks uncompleted_ranks;
	struct trace_call *completing; /* these calls; `calls` counts how often they were made */
	size_t completings, completing_capacity;
	/* That begin persistent requests, and of which nothing is recorded: what recorders may tell
	   elsewhere, so a cause only where messages are missing. */
	struct trace_call *beginning;
	size_t beginnings, beginning_capacity;
	bool unequal; /* not as many messages are received as sent, in all streams: some are missing */
};

/* path: an OTF2 anchor file, a text trace, a directory of text traces, or "-" (text on standard
   input). NULL with *error set on failure. */
struct trace *trace_open(const char *path, const struct trace_options *, struct error *);
void trace_close(struct trace *);
const struct trace_facts *trace_facts(const struct trace *);
const char *trace_path(const struct trace *); /* as it was opened */

/* Note the calls that moved data and are no events (notes.h): as its recorder counted them, or as
   they were entered; known when the whole archive has been read. */
void trace_omissions(const struct trace *, struct notes *);

/* Where a process stands when a run ends that does not end well. */
struct trace_stand {
	char *call; /* of MPI, that it has entered and not left; NULL: none */
	char *place; /* ... where: "three.c:21"; empty: not known; of no call: NULL */
	uint64_t since; /* ticks: when it entered it; or left the one before */
};

struct trace_ending {
	struct text line; /* who stands where, for people; empty: the run ended, or it is not known */
	struct trace_stand *stand; /* by rank; NULL: the run ended */
	uint32_t processes;
};

/* Gives how the run of an archive ended. Reads some records of each process. */
void trace_ending(const struct trace *, struct trace_ending *);
void trace_ending_clear(struct trace_ending *);

/* Did `record` make the archive? Then its collectives have the sizes and roots of the calls. */
bool trace_is_recording(const struct trace *);

/* What was begun and not completed, by rank, as far as the archive says it (trace/pending.h);
   borrowed. And its communicator: NULL: there is none; the name: NO_COMMUNICATOR of the world. */
const struct pending_line *trace_pending(const struct trace *, size_t *lines);
const struct ranks *trace_communicator(const struct trace *, uint32_t id, int64_t *name);

/* Is it an intercommunicator, as far as the archive says it? By its name in events. */
bool trace_is_between(const struct trace *, int64_t communicator);

/* Gives the missing records, known when the whole archive has been read; of text traces there are
   none, nor of what `record` made, which knows all calls that it tells of. */
void trace_missing_records(const struct trace *, struct missing_records *);
void missing_records_clear(struct missing_records *);

/* ERROR_INCONSISTENT, with the calls and what to do, if any left no record. */
bool missing_records_none(const struct missing_records *, struct error *);

/* The same for who does not match messages: also where receives or persistent requests left none,
   and messages are missing. And both, in a line for people; nothing where nothing was lost. */
bool missing_records_whole(const struct missing_records *, struct error *);
void missing_records_tell(const struct missing_records *, struct text *);

/* Why messages or receives may be missing, in a line for people; nothing where the archive does
   not show it. unmatched: some are missing. */
void missing_records_cause(const struct missing_records *, bool unmatched, struct text *);

/* What an event carries by name; borrowed as long as the event is. */
struct trace_attribute {
	const char *name;
	size_t length; /* of the name */
	const char *word; /* NULL: it is a number */
	int64_t number;
};

struct trace_event {
	uint32_t event; /* id in the dictionary of its process, trace_dictionary(t, rank) */
	bool timed; /* time is known */
	bool sized; /* bytes are known; */
	bool exchanged; /* ... and received, too: of a collective */
	bool local; /* no communication */
	bool shape; /* `event` is not it, but like it: a message to or from 0, with the number 0 if it has one; */
	uint32_t peer; /* ... and these are its own */
	uint32_t thread; /* of the process, as far as one location tells several apart */
	uint64_t number;
	uint64_t time; /* OTF2: ticks of the archive's clock; text: the attribute "time" */
	uint64_t bytes; /* of a message; of a collective, what the process sent; 0 where unknown */
	uint64_t received; /* of a collective, what the process received; 0 where unknown */
	/* "rhs.f:203 compute_rhs < main.f:12 main", the innermost first; where no calls are told
	   apart, the regions of the program: "compute_rhs < main". Only if it was asked for; NULL:
	   not known. The same address for the same site while the trace is read. */
	const char *site;
	uint32_t entered; /* so many of its innermost frames were called since the process's event before; */
	bool exact; /* ... and the others were not (else that is not known) */
	const char *attributes; /* text: what stood behind " ; ", borrowed for the call; else NULL */
	const struct trace_attribute *attribute; /* all but time, bytes, received; if they were asked for */
	uint32_t attribute_count;
};

/*
 * Where events go. `event` is called for every event; those of one process come in order and never
 * at the same time; different processes may come from different threads at once. Returning false
 * stops the reading (with *error as set by the callee). `progress` (may be NULL) is told the share.
 */
struct trace_sink {
	void *context;
	bool (*event)(void *context, uint32_t rank, const struct trace_event *, struct error *);
	const struct progress *progress;
	/* NULL; or told of each rank of an archive that it has no more, by the thread that read it:
	   trace_forget may be called */
	void (*ended)(void *context, uint32_t rank);
};

/* Read the streams (of `wanted` ranks; NULL: all). jobs: threads for archives, 0 for all cores;
   with 1, archives come rank after rank. Text comes in its own order. */
bool trace_read(struct trace *, unsigned jobs, const struct ranks *wanted, const struct trace_sink *, struct error *);

/* Where several read an archive, each some of its ranks: what was counted and missed in the last
   reading, told to the one that puts the parts together (it adds it to what it read itself). */
void trace_pack_reading(const struct trace *, struct text *to);
void trace_add_reading(struct trace *, struct unpack *);

/* The dictionary that the events of a rank speak of. One per process for archives, one for all for
   text. Lives as long as the trace; NULL if the rank has had no events. Stable while its process is
   not being read. */
struct dictionary *trace_dictionary(const struct trace *, uint32_t rank);

/* Give the dictionary of a rank of an archive back: nobody asks for it any more. */
void trace_forget(struct trace *, uint32_t rank);

/*
 * For programs, once, at their start: the OTF2 library may crash on a damaged archive. Then say so
 * on standard error and leave with quick_exit(2), which removes unfinished outputs (base/output.h).
 * Crashes anywhere else keep their signals.
 */
void trace_guard(void);

/* The same: whoever opens the archive of a run that did not end, this is told who stands where; or,
   leniently, of one without events of some ranks, which. lenient: may errors suggest it? */
void trace_listen(void (*)(void *context, const char *path, const char *line), void *context, bool lenient);
bool trace_may_be_lenient(void);

/*
 * Do sends and receives balance per (source, destination, tag, communicator)? Then communicators
 * may be named; else they must be dropped: EZTrace records the two ends of one message with
 * different ones. Count events as they come, from one thread.
 */
struct balance;
struct balance *balance_new(void);
void balance_add_message(
	struct balance *, const struct dictionary *, const struct event *, const struct tag *, uint64_t times);
void balance_add_all(struct balance *, const struct dictionary *, const uint64_t *times, size_t events); /* by event */
void balance_add_name(struct balance *); /* of something that is not counted: a communicator */
bool balance_names_any(const struct balance *); /* was any communicator named at all? */
bool balance_unnamed(const struct balance *); /* must they be dropped? */
void balance_free(struct balance *);

#endif
