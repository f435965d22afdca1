/*
 * engine.h -- the parts of the reading of a trace for an analysis, for each other only: cells.c
 * (which cell time belongs to), waits.c (who waited for whom), analysis.c (all processes in the
 * order of time).
 *
 * The time of a process is told in *items*: so much work, or so much of a call, in one piece of its
 * path. An item waits until its cell is known, which the next event of the process decides.
 */
#ifndef TRACENEST_TIME_ENGINE_H
#define TRACENEST_TIME_ENGINE_H

#include "base/heap.h"
#include "base/intern.h"
#include "model/run.h"
#include "time/analysis.h"
#include "time/constructs.h"
#include "time/path.h"
#include "trace/timeline.h"
#include "trace/tracker.h"

#define NO_LABEL UINT32_MAX
#define NOBODY UINT32_MAX

/* ------------------------------------------------------------------ calls */

struct timed_message;

/* Something that a call may have waited for. */
struct wait_cause {
	uint64_t came; /* when the partner came */
	uint64_t start; /* when both were there */
	uint64_t bytes;
	struct piece *piece; /* the partner's, at that time: a reference */
	uint32_t culprit, channel;
	enum wait_kind kind;
	bool certain; /* not eager, whatever its size */
};

/* An MPI call. */
struct timed_call {
	struct timed_call *next, **self; /* of those undecided */
	uint32_t rank;
	enum construct_sort sort;
	uint64_t enter, leave, mark; /* mark: time told in items so far */
	struct piece *entered; /* the process's, up to its beginning: a reference */
	struct piece *piece; /* what comes behind; once closed */
	bool known, closed, listed, decided, doubtful;
	uint32_t users; /* items that wait for the cell */
	uint32_t unresolved; /* sends whose receives are not known yet */
	uint32_t events;
	bool synchronous, neighbours;
	uint32_t collective; /* label of the last one in it; NO_LABEL */
	struct cell cell;
	struct wait_cause *candidate;
	size_t candidates, capacity;
	/* as decided */
	uint64_t waited, path;
	enum wait_kind kind;
	uint32_t culprit;
};

struct timed_message {
	struct timed_message *next; /* on its channel */
	uint32_t source, destination, users;
	uint64_t post, bytes;
	uint64_t ideal; /* the sender's ideal clock at that time */
	struct piece *piece; /* of the sender at that time: a reference */
	struct timed_call
		*call; /* of the sender: the one that completes it; NULL: none yet, or it cannot have waited */
	bool may_wait, synchronous, matched;
	uint64_t received; /* when the receive was posted */
	struct piece *receiver; /* and its path then: a reference */
	uint32_t channel;
};

struct message_channel {
	uint32_t destination;
	struct timed_message *first, *last;
	uint32_t waiting; /* a receiver that came before the send; NOBODY */
	uint64_t flight; /* the shortest so far, from when both ends were posted */
	uint64_t sent; /* from when it was sent */
};

struct timed_request {
	uint64_t id, post;
	struct piece *piece; /* of a receive: a reference */
	struct timed_message *message; /* of a send: a use */
	bool neighbours; /* of a collective */
};

/* Who has come to a collective. */
struct collective_arrival {
	uint32_t rank;
	uint64_t enter, done; /* enter: of one that was posted, when that was */
	struct piece *piece; /* a reference */
	struct timed_call *call; /* that it is complete in */
};

/* A collective that was posted, and is not complete everywhere. */
struct timed_collective {
	struct collective_arrival *arrival;
	size_t arrivals;
};

struct collective_meeting {
	uint32_t members; /* 0: not met yet */
	/* Who needs whom: all each other, all the root, the root all, or some some others. */
	enum meeting_sort { MEET_ALL, MEET_BARRIER, MEET_FROM_ROOT, MEET_TO_ROOT, MEET_SOME } sort;
	struct collective_arrival *arrival;
	size_t arrivals, capacity;
	/* Of those that are posted: nobody has to be there when the first is complete. */
	struct timed_collective *gathering; /* in the order in which they were posted */
	size_t gatherings, gathering_capacity;
	uint64_t gathered; /* before them, and complete */
};

/* ------------------------------------------------------------------ processes */

struct frame {
	uint32_t label;
	uint64_t serial; /* of the region instance */
	bool any, spans; /* events; of several cells */
	struct iteration_vector first; /* of its first event */
	size_t items; /* of the process, when it began */
};

struct timed_item {
	struct piece *piece; /* a reference */
	struct timed_call *call; /* whose cell this is; or NULL */
	uint32_t label; /* of the region it is in; NO_LABEL */
	uint32_t whole; /* of a region instance between two events that has none itself: its label; NO_LABEL */
	enum construct_sort sort;
	bool away; /* without a core, though it computed */
	bool work, with_last; /* with_last: the last event was in the same instance */
	bool untold; /* it is in no region instance that began behind the last event */
	uint64_t time; /* of the process */
	uint64_t path;
};

/* The last event of a process. */
struct last_event {
	bool any;
	struct iteration_vector place;
	uint32_t label, construct;
	uint64_t serial, work; /* work: done since */
	uint64_t serials; /* region instances that had begun */
};

struct timed_process {
	uint64_t first, last; /* records */
	uint64_t mark; /* time told in items so far */
	uint64_t ideal; /* its clock where messages and collectives take no time */
	struct piece *piece; /* a reference */
	struct frame *frame;
	size_t frames, frame_capacity;
	uint64_t serials;
	struct timed_item *item;
	size_t items, item_capacity;
	struct last_event at;
	size_t at_statement; /* of that event */
	/* Of the last call that waited for a sender: when it began, when that came, and what of it
	   was spent while a message was there that is received later. */
	struct {
		uint64_t enter, came, wrong;
		uint32_t construct;
	} late;
	struct timed_call *call;
	unsigned calls_open;
	bool bare; /* the open call is made up for a record outside of all */
	struct timed_request *request;
	size_t requests, request_capacity;
	uint32_t *channel; /* by event of its dictionary; of a sync: the meeting; NOBODY: not asked yet */
	size_t channels;
	uint64_t *turn; /* by event: so many of these posted collectives were complete */
	size_t turns;
	bool ended, parked;
	bool passed; /* the record it stands at has found its partners */
	bool released; /* it has none */
};

struct statement_note {
	size_t loop; /* the innermost one around it */
	uint32_t label; /* NO_LABEL: not asked yet */
	uint32_t caller; /* with the label: the path that calls the function of it; CALL_PATH_NONE */
	uint32_t later; /* of these loops around it, by depth a bit, it stands in the iteration after */
	/* as last told: the construct of its events, and the region that calls theirs */
	uint32_t construct, region;
};

struct region_note {
	struct timeline_region of;
	uint32_t label; /* NO_LABEL: not asked yet */
};

/* A region without events that a process is in where an execution of a loop begins, or where an
   iteration of it ends. */
struct end_key {
	uint64_t loop;
	uint32_t label, rank, ends;
	uint32_t padding; /* 0 */
};

/* Sizes of messages, four classes for each octave (base/buckets.h). */
#define SIZE_BITS 2
#define SIZE_CLASSES 256

/* The shortest time so far that messages of a size took, from when both ends were posted;
   UINT64_MAX: not met. */
struct flight {
	uint64_t awaited; /* whose receives were posted first */
	uint64_t found; /* whose receives were posted later: if it is eager, it may have lain there */
	uint64_t bytes; /* of the least that was met */
};

struct engine {
	struct tracker *tracker;
	const struct module *module; /* the program, without calls */
	struct overview overview; /* of it */
	struct trace *trace;
	struct timeline *timeline;
	const struct analysis_options *options;
	struct constructs *constructs;
	struct statement_note *statement; /* by line */
	struct paths *paths;
	struct heap heap;
	struct timed_process *process;
	uint32_t processes;
	struct region_note *region;
	bool regions;
	struct intern *at_ends; /* of iterations: struct end_key */
	bool communicators; /* the program names some */
	struct intern *channel_keys, *meeting_keys;
	struct message_channel *channel;
	size_t channels, channel_capacity;
	struct collective_meeting *meeting;
	size_t meetings, meeting_capacity;
	struct timed_call *undecided, *unused_call;
	struct timed_call **made; /* all there are, those in use, too */
	size_t calls_made, made_capacity;
	size_t doubtful; /* calls */
	struct arena *messages; /* all there are */
	struct timed_message *unused_message;
	uint64_t eager; /* known: up to this size */
	bool eager_given;
	struct flight flight[SIZE_CLASSES];
	uint64_t expected[SIZE_CLASSES]; /* at most, by all of these; UINT64_MAX: not known */
	uint32_t outside; /* the construct */
	uint64_t away, aways, longest; /* times without a core: their sum, how many, the longest */
	struct analysis *analysis;
	struct error *error;
};

/* ------------------------------------------------------------------ cells.c */

/* The work since the last item is one. */
void cells_work(struct engine *, uint32_t rank, uint64_t time);
/* The time since the last item is one: the process had no core. */
void cells_away(struct engine *, uint32_t rank, uint64_t time);
/* So is the part of its call since its mark, on the path or not. */
void cells_call(struct engine *, uint32_t rank, uint64_t time, bool path);
void cells_region_begins(struct engine *, uint32_t rank, uint32_t label);
void cells_region_ends(struct engine *, uint32_t rank, uint32_t label);

/* The next event of the process, in its call: false, with the error set, if it is not that of the
   program. */
bool cells_event(struct engine *, uint32_t rank, enum event_kind);

/* The process has no more records. */
void cells_end(struct engine *, uint32_t rank);

/* A call whose cell is known and that is decided: add it up. */
void cells_settle(struct engine *, struct timed_call *);

/* ------------------------------------------------------------------ waits.c */

void call_begins(struct engine *, uint32_t rank, uint64_t time, const struct timeline_region *);
void call_ends(struct engine *, uint32_t rank, uint64_t time);
void call_free(struct engine *, struct timed_call *);
void calls_decide_all(struct engine *);
void calls_decide_some(struct engine *); /* those put off of which more is known now */

/* Records inside of a call. False: the process must wait for its partners. */
bool call_send(struct engine *, uint32_t rank, const struct timeline_record *);
bool call_receive(struct engine *, uint32_t rank, const struct timeline_record *);
bool call_accesses(struct engine *, uint32_t rank, const struct timeline_record *); /* one-sided */
bool call_meets(struct engine *, uint32_t rank, const struct timeline_record *);
bool call_gathers(struct engine *, uint32_t rank, const struct timeline_record *);
bool call_posts(struct engine *, uint32_t rank, const struct timeline_record *);
bool call_sent(struct engine *, uint32_t rank, const struct timeline_record *);
bool call_cancelled(struct engine *, uint32_t rank, const struct timeline_record *);
/* Whom it waits for is not in the trace: go on. */
void call_release(struct engine *, uint32_t rank);
void calls_clear(struct engine *);

/* ------------------------------------------------------------------ analysis.c */

/* The process can go on. */
void engine_wake(struct engine *, uint32_t rank);

#endif
