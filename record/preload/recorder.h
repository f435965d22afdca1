/*
 * recorder.h -- the recorder inside of the program that is watched. Built once per MPI, preloaded.
 *
 * Every function of MPI that matters is wrapped under both of its names, MPI_X and PMPI_X, in C
 * alone. All other ways into MPI end there: Fortran's three interfaces call PMPI_X (Open MPI) or
 * MPI_X (MPICH), whatever their compilers made of names, handles and statuses. What a call calls in
 * turn (MPICH's MPI_X may be PMPI_X; files are written with messages) is passed on unseen, since
 * here.inside counts calls that are under way on a thread. The wrappers are generated
 * (generate.awk) from record/mpi.def; what they call is declared here.
 *
 *	call_begin(c);			-- ENTER
 *	message_sent(c, ...);		-- from mpi.def
 *	call_go(c);
 *	result = next(...);		-- the MPI library, or the next tool in line
 *	call_returned(c);
 *	...				-- from mpi.def
 *	call_end(c);			-- LEAVE
 *
 * From call_begin to call_go and from call_returned to call_end a lock is held where the program
 * uses threads, so the code in between is free of races; it calls MPI only for what is local. A
 * process is one location, whatever its threads: records of messages are in the order of the calls,
 * and regions are recorded of the thread that called MPI_Init alone, because those of several would
 * not nest.
 *
 * There is one recorder per process, since there is one MPI: its state is the one variable
 * `recorder`. It keeps out of the program's way: it neither prints (but once, when recording
 * fails), nor handles signals, nor registers anything at exit, nor communicates, unless clocks of
 * several hosts are to be compared.
 */
#ifndef TRACENEST_RECORD_PRELOAD_RECORDER_H
#define TRACENEST_RECORD_PRELOAD_RECORDER_H

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "record/preload/handles.h"
#include "record/preload/side.h"
#include "record/preload/unwind.h"
#include "trace/event_writer.h"
#include "trace/pending.h"

#define EXPORTED __attribute__((visibility("default")))

/* ------------------------------------------------------------------ functions and names of MPI */

/* What the recorder itself calls. By pointers: MPI may be loaded long after us, and where our own
   names are not looked up (Python loads modules so). */
#define NEEDED_FUNCTIONS(_)                                                                                            \
	_(int, Comm_rank, (MPI_Comm, int *))                                                                           \
	_(int, Comm_size, (MPI_Comm, int *))                                                                           \
	_(int, Comm_remote_size, (MPI_Comm, int *))                                                                    \
	_(int, Comm_test_inter, (MPI_Comm, int *))                                                                     \
	_(int, Comm_group, (MPI_Comm, MPI_Group *))                                                                    \
	_(int, Comm_remote_group, (MPI_Comm, MPI_Group *))                                                             \
	_(int, Comm_get_parent, (MPI_Comm *))                                                                          \
	_(int, Group_size, (MPI_Group, int *))                                                                         \
	_(int, Group_translate_ranks, (MPI_Group, int, const int *, MPI_Group, int *))                                 \
	_(int, Group_free, (MPI_Group *))                                                                              \
	_(int, Type_size_x, (MPI_Datatype, MPI_Count *))                                                               \
	_(int, Type_get_name, (MPI_Datatype, char *, int *))                                                           \
	_(int, Type_get_envelope, (MPI_Datatype, int *, int *, int *, int *))                                          \
	_(int, Type_get_contents, (MPI_Datatype, int, int, int, int *, MPI_Aint *, MPI_Datatype *))                    \
	_(int, Type_free, (MPI_Datatype *))                                                                            \
	_(int, Get_elements_x, (const MPI_Status *, MPI_Datatype, MPI_Count *))                                        \
	_(int, Test_cancelled, (const MPI_Status *, int *))                                                            \
	_(int, Test, (MPI_Request *, int *, MPI_Status *))                                                             \
	_(int, Topo_test, (MPI_Comm, int *))                                                                           \
	_(int, Cartdim_get, (MPI_Comm, int *))                                                                         \
	_(int, Graph_neighbors_count, (MPI_Comm, int, int *))                                                          \
	_(int, Dist_graph_neighbors_count, (MPI_Comm, int *, int *, int *))                                            \
	_(int, Dist_graph_neighbors, (MPI_Comm, int, int *, int *, int, int *, int *))                                 \
	_(int, Graph_neighbors, (MPI_Comm, int, int, int *))                                                           \
	_(int, Cart_shift, (MPI_Comm, int, int, int *, int *))                                                         \
	_(int, Query_thread, (int *))                                                                                  \
	_(int, Error_class, (int, int *))                                                                              \
	_(int, Comm_dup, (MPI_Comm, MPI_Comm *))                                                                       \
	_(int, Comm_free, (MPI_Comm *))                                                                                \
	_(int, Send, (const void *, int, MPI_Datatype, int, int, MPI_Comm))                                            \
	_(int, Recv, (void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *))                                    \
	_(int, Allreduce, (const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))                                 \
	_(int, Allgather, (const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm))

struct needed {
#define NEEDED_MEMBER(type, name, parameters) type(*name) parameters;
	NEEDED_FUNCTIONS(NEEDED_MEMBER)
#undef NEEDED_MEMBER
	/* in Open MPI, addresses of variables in its library */
	MPI_Comm world, self, no_communicator;
	MPI_Request no_request;
	MPI_Datatype byte;
	MPI_Message no_process;
};

#define NO_PARENT ((MPI_Comm)0)

/* What stands behind a name in the order of loading, as if we were not there; looked up once.
   caller: an address in the module that looks for it. */
void *next_function(void **found, const char *name, void *caller);

/* The same, looked up each time; NULL: it is nowhere. */
void *find_function(const char *name, void *caller);

/* The address of a variable of the MPI library, or NULL. */
void *find_variable(const char *name, void *caller);

/* ------------------------------------------------------------------ the recorder */

#define REGIONS_LIMIT 512
#define SAMPLES_KEPT 1024
#define COMPUTING_SITES 256 /* a power of two: sites that share a place are one */

/* Addresses of modules. The Fortran layers of MPI: where a call comes from one of these, it is one
   of Fortran's, which noted where it comes from (fortran.S). */
#define LAYERS_LIMIT 4

struct layers {
	uintptr_t first[LAYERS_LIMIT], end[LAYERS_LIMIT];
	int count;
};

/* What is under way, in a file (pending.c). */
struct pending_table {
	struct pending *entry; /* NULL: not kept */
	size_t used, capacity;
	uint32_t unused; /* the first of those in between, each with the next one as its turn; 0: none */
	int file;
};

struct recorder {
	bool running; /* from MPI_Init to MPI_Finalize: handles are followed */
	bool on; /* and events recorded, unless MPI_Pcontrol says no */
	bool failed, missing; /* said so already */
	bool several; /* threads: lock */
	bool quiet;
	pthread_mutex_t lock;
	pthread_t first; /* thread: the one with regions */
	uint64_t threads; /* numbers of others that run, as bits */
	struct needed mpi;
	int rank, processes;
	struct text folder; /* of this job */
	struct event_writer *events;
	struct online *online; /* NULL: no model is wanted */
	struct side side;
	struct pending_table pending;
	int frames; /* above the call */
	struct layers layers, starters; /* the latter: the C library, which starts main and threads */
	struct layers bindings; /* Python's interpreter, and mpi4py: Python's frames stand for theirs */
	struct python *python; /* NULL: there is none, as far as is known */
	uint32_t python_sites;
	uint32_t path_ids;
	struct {
		const struct unwind *walker; /* of the last call */
		const struct path *event; /* of the last one of that thread, if it is the process's last one */
		int frames; /* of the last call, the outermost that may go back to that event, */
		const struct path *path; /* which are these; NULL: all, or it is not known */
	} since;
	/* A poll that was told no, and whose region has not been left: one that follows at once,
	   from the same place, goes on with it. */
	struct {
		bool open;
		uint32_t region, site;
		uint64_t end, lasted; /* of the last one */
	} poll;
	bool region_used[REGIONS_LIMIT];
	uint64_t moved[REGIONS_LIMIT]; /* calls that moved data which are no message */
	uint64_t last_time;
	/* cores: when the last call of the first thread ended; whether computing was brief behind the
	   last call of its site; else what the thread had used of a core then */
	struct {
		uint64_t since, cpu;
		long given, taken; /* switches to others */
		uint32_t site;
		bool shared; /* the launcher started more processes here than this one has cores */
		bool asked, brief[COMPUTING_SITES];
	} core;
	uint64_t cpu; /* at the end of MPI_Init */
	/* clocks */
	bool hosts; /* several */
	bool skewed; /* for tests */
	MPI_Comm clocks;
	int64_t skew_offset, skew_rate;
	uint64_t skew_start;
	/* what was recorded */
	uint64_t sends, receives, collectives, one_sided;
	uint64_t posted; /* requests */
	uint32_t communicator_ids;
	/* what that cost, ns: of every so many calls one, the last ones */
	uint64_t calls, samples;
	uint32_t sample[SAMPLES_KEPT];
	struct communicator *last_communicator; /* that were asked for */
	struct datatype *last_type;
	struct intern *strings; /* local ids: names of types, and sites */
	struct {
		int *rank;
		size_t capacity;
		struct text told;
	} neighbours[2]; /* of the call at hand: sources, destinations */
	struct request *unused, *kept; /* requests to be had, and those that MPI_Request_free left alive */
	struct posted_collective *first_posted, **last_posted; /* collectives under way, the oldest one first */
	struct handles requests, communicators, windows, messages, datatypes, operations, sites, paths, families;
};

extern struct recorder recorder __attribute__((visibility("hidden")));

/* Per thread. */
struct here {
	int inside; /* calls of MPI under way */
	uint32_t thread; /* its number; 0: the first thread, or none yet */
	void *fortran; /* where the last call through Fortran's names returns to */
	bool in_layer; /* the call comes from a Fortran layer */
	struct unwind *stack, *stack_in_python; /* NULL: no path was asked for, or where Python runs none */
	struct mixed_stack *mixed; /* NULL: it never ran Python */
	struct request **claim; /* room for those of a Waitall */
	size_t claim_capacity;
	MPI_Status *status;
	size_t status_capacity;
};

extern _Thread_local struct here here __attribute__((visibility("hidden"), tls_model("initial-exec")));

static inline bool recorder_runs(void)
{
	return __builtin_expect(recorder.running, 1);
}

/* Is a call that comes now one of the program's? */
static inline bool recorder_listens(void)
{
	return recorder.running && !here.inside;
}

static inline void recorder_lock(void)
{
	if (recorder.several)
		pthread_mutex_lock(&recorder.lock);
}

static inline void recorder_unlock(void)
{
	if (recorder.several)
		pthread_mutex_unlock(&recorder.lock);
}

/* ns; never goes back (under the lock). */
uint64_t recorder_time(void);

/* Something is missing in what is recorded: say so once, and go on. */
void recorder_fails(const char *why);

/* The same, where everything else goes on being recorded. */
void recorder_misses(const char *what);

/* ns that a call took us, the median: on a busy machine a mean would tell of others. 0: not
   known */
uint32_t recorder_cost(void);

/* ------------------------------------------------------------------ calls */

struct call {
	uint32_t region;
	void *caller; /* it returns there */
	struct unwind_registers here; /* in the function that stands in; sp 0: not known */
	uint64_t time; /* of its begin; then, of its end */
	uint32_t site; /* string */
	const struct path *path; /* if paths are recorded */
	bool sampled, with_region;
	bool polls, said_no; /* it asks whether something is complete; which was not */
	bool goes_on; /* its region is that of the poll before */
	uint64_t began;
	bool bounded; /* it receives no more than `most` bytes */
	uint64_t most;
	uint64_t cost; /* of what was done before MPI's own function, if sampled */
};

/* In a function of the program's that we stand in for. */
#define CALL(c, number)                                                                                                \
	struct call c = {.region = (number), .caller = __builtin_return_address(0)};                                   \
	UNWIND_HERE(c.here)

void call_begin(struct call *);
void call_enter(struct call *); /* its record alone */
void call_go(struct call *);
void call_returned(struct call *);
void call_moved(struct call *); /* data that are no message */
void call_end(struct call *);

/* CPU time of the process, ns. */
uint64_t recorder_cpu(void);

/* The local id of a string; kind: "string" or "site", how a new one is told in the side file. */
uint32_t recorder_string(const char *kind, const char *text);

/* Records from here on are of the calling thread. Numbers of threads that have ended are given
   again. */
void recorder_thread(void);

/* Where the call is: its site and, with as many frames as TRACENEST_STACK says, its path. */
void call_locate(struct call *);

struct path;
uint32_t path_id(const struct path *); /* calling context */

/* What all records of a call have. */
static inline struct event_attributes call_attributes(const struct call *c)
{
	return (struct event_attributes){.have = 1 << ATTRIBUTE_SITE | (recorder.frames > 0) << ATTRIBUTE_PATH,
		.site = c->site,
		.path = path_id(c->path)};
}

/* They are of an event that this call is itself, now: which of its callers may go back to the event
   before. */
void call_happens(const struct call *, struct event_attributes *);

/* ------------------------------------------------------------------ communicators and datatypes */

struct communicator {
	struct handle entry;
	uint32_t id; /* local */
	uint64_t key; /* the same on all members */
	int rank, size;
	int others; /* processes that messages may go to: of the other group, if there is one */
	bool inter;
	/* Of an intercommunicator: what is added to ranks of the other group, and of this one, for
	   the numbers in records (record.h). */
	uint32_t their_first, our_first;
	bool foreign; /* has processes of another world: left out */
	bool dynamic; /* a window whose displacements are addresses */
	bool used; /* it is told that records name it */
	uint64_t turn; /* collectives begun on it */
	uint32_t turns; /* which the table of what is pending has here */
};

/* NULL: not known, nothing of it is recorded. */
struct communicator *communicator_of(MPI_Comm);
void communicator_made(int result, MPI_Comm parent, const MPI_Comm *);
void communicator_met(struct call *, int result, const MPI_Comm *); /* with processes that came to be, or met */
/* Of the same members, for what is made of it on all of them; not yet among the handles. NULL: nothing of it is
   recorded. */
struct communicator *communicator_copy(MPI_Comm, uint64_t kind);
void group_words(MPI_Group, struct text *); /* "0-3,8,7": ranks of the world */
uint32_t communicator_id(struct communicator *); /* for a record */
void communicator_named(int result, MPI_Comm, const char *name);
void communicators_start(void);

/* ------------------------------------------------------------------ windows */

/* A window is a communicator of its own, of the same members as the one that it is made on. */
void window_begins(struct call *, MPI_Comm);
void window_made(struct call *, int result, enum collective_operation, MPI_Aint size, MPI_Aint unit, MPI_Comm, MPI_Win);
void window_made_dynamic(struct call *, int result, MPI_Comm, MPI_Win);
struct communicator *window_of(MPI_Win); /* NULL: nothing of it is recorded */
void window_syncs(struct call *, struct communicator *); /* before the call, */
void window_synced(struct call *, enum collective_operation, struct communicator *); /* and behind it */
void window_freed(struct call *, struct communicator *, MPI_Win);

/* bytes: that go to the target; received: that come from it where others go there. */
struct access {
	enum event_kind kind;
	uint64_t bytes, received;
	MPI_Count count;
	MPI_Datatype type;
	MPI_Op op; /* with has_op */
	bool has_op;
};
#define NO_TARGET INT_MIN

/* Epochs: of one target, of all, of a group; behind the call. */
void window_epoch(struct call *, int result, enum event_kind, int target, MPI_Win);
void window_locked(struct call *, int result, int type, int target, MPI_Win);
void window_group(struct call *, int result, enum event_kind, MPI_Group, MPI_Win);
void one_sided(struct call *, const struct access *, int target, MPI_Aint displacement, MPI_Win);
bool operation_is_none(MPI_Op); /* MPI_NO_OP */

struct datatype {
	struct handle entry;
	uint32_t name; /* string */
	uint64_t size;
};

const struct datatype *datatype_of(MPI_Datatype);
void datatype_forgotten(MPI_Datatype);

/* Reductions: MPI's own, and of the program what MPI_Op_create made. */
void operations_start(void *caller);
uint32_t operation_name(MPI_Op); /* string */
void operation_made(int result, void *function, int commutes, MPI_Op);
void operation_forgotten(MPI_Op);

static inline uint64_t bytes_of(MPI_Count count, MPI_Datatype type)
{
	return count > 0 ? (uint64_t)count * datatype_of(type)->size : 0;
}

uint64_t bytes_all_int(const int *counts, uint64_t n, MPI_Datatype);
uint64_t bytes_all_count(const MPI_Count *counts, uint64_t n, MPI_Datatype);
uint64_t bytes_each_int(const int *counts, const MPI_Datatype *, uint64_t n);
uint64_t bytes_each_count(const MPI_Count *counts, const MPI_Datatype *, uint64_t n);
/* counts: of int or MPI_Count */
#define bytes_all(counts, n, type)                                                                                     \
	_Generic(*(counts), int : bytes_all_int, MPI_Count : bytes_all_count)((const void *)(counts), n, type)
#define bytes_each(counts, types, n)                                                                                   \
	_Generic(*(counts), int : bytes_each_int, MPI_Count : bytes_each_count)((const void *)(counts), types, n)

/* ------------------------------------------------------------------ what is pending */

void pending_open(const char *path);
void pending_close(void);

/* Where it stands in the table; 0: nowhere. Numbers in it are the recorder's own. */
uint32_t pending_add(struct pending);
void pending_drop(uint32_t *at);
void pending_await(uint32_t at, bool awaited); /* by the call at hand */

/* The call at hand is this, or this, too; until pending_returned. */
void pending_call(const struct call *, struct pending);
void pending_returned(void);

/* With what the record of a collective says. */
struct pending pending_collective(struct pending, const struct collective_record *, uint64_t turn);

/* One more collective is begun on the communicator: the number of it, from 1. */
uint64_t pending_turn(struct communicator *);

/* The call at hand is one that all of the communicator make, and no event. */
void pending_meeting(const struct call *, MPI_Comm);

/* ------------------------------------------------------------------ messages */

/* Before the call: it waits for such a message; count: -1: of any size. */
void message_awaited(struct call *, MPI_Count count, MPI_Datatype, int from, int tag, MPI_Comm);
void message_sent(struct call *, MPI_Count count, MPI_Datatype, int to, int tag, MPI_Comm);
void message_received(struct call *, int result, MPI_Datatype, int from, int tag, MPI_Comm, const MPI_Status *);

static inline MPI_Status *status_or(MPI_Status *given, MPI_Status *own)
{
	return given == MPI_STATUS_IGNORE ? own : given;
}

/* A message that MPI_Mprobe found: for whom it was looked. */
struct matched {
	struct handle entry;
	bool known;
	struct communicator communicator; /* a copy: it may be freed before the message is received */
	int from, tag; /* as posted */
	uint64_t number; /* of the request that stands for it from then on; 0: it was not recorded */
};

void message_matched(struct call *, int result, int from, int tag, MPI_Comm, const MPI_Message *);
struct matched message_take(MPI_Message);
void message_received_matched(struct call *, int result, MPI_Datatype, struct matched *, const MPI_Status *);

/* ------------------------------------------------------------------ requests */

/*
 * A collective that was posted. On each communicator they are recorded in the order in which they
 * were posted, as MPI matches them: one that completes before an older one waits for it.
 */
struct posted_collective {
	struct collective_record record;
	struct event_attributes attributes;
	bool complete;
	struct posted_collective *next;
};

enum request_kind { REQUEST_NOTHING, REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE, REQUEST_COMMUNICATOR };

struct request {
	struct handle entry; /* first */
	enum request_kind kind;
	bool persistent, active, cancelled;
	bool recorded; /* it was posted while events were recorded */
	bool known; /* a receive: from whom is known without a status (partitioned) */
	uint64_t number; /* of the posting call; a persistent one gets a new one each time */
	uint32_t pending; /* its entry in the table of what is */
	struct message_record message;
	struct collective_record collective;
	struct posted_collective *posted; /* of that, while it is under way */
	MPI_Comm meeting; /* of that */
	uint64_t turn; /* ... which on it, from 1 */
	struct event_attributes attributes; /* of the record that is yet to come */
	const MPI_Comm *made; /* where MPI_Comm_idup puts its communicator */
	MPI_Comm parent; /* of that one */
	uint32_t first; /* a receive: to be added to its source */
	uint64_t unit; /* bytes of an element */
	const MPI_Request *place; /* where its handle was put; NULL: not known */
	MPI_Request mpi; /* of one that is kept: its handle */
	struct request *partner; /* the send of an MPI_Isendrecv */
	struct request *next; /* of those that are free, or kept */
};

/* Before the call; never NULL. */
struct request *request_send(struct call *, MPI_Count count, MPI_Datatype, int to, int tag, MPI_Comm);
struct request *request_receive(struct call *, MPI_Count count, MPI_Datatype, int from, int tag, MPI_Comm);
struct request *request_receive_matched(struct call *, MPI_Count count, MPI_Datatype, struct matched);
struct request *request_communicator(MPI_Comm parent, const MPI_Comm *made);
struct request *request_other(void); /* of a call that is a region alone */

/* Behind it. */
void request_posted(struct request *, int result, const MPI_Request *);

void request_persistent_send(
	struct call *, int result, MPI_Count count, MPI_Datatype, int to, int tag, MPI_Comm, const MPI_Request *);
void request_persistent_receive(
	struct call *, int result, MPI_Count count, MPI_Datatype, int from, int tag, MPI_Comm, const MPI_Request *);
void request_partitioned_receive(
	struct call *, int result, MPI_Count count, MPI_Datatype, int from, int tag, MPI_Comm, const MPI_Request *);

/* Open MPI gives a request another handle where what was sent before, a buffered message, is not
   gone yet: what MPI_Start leaves is to be told. */
struct request *request_started(struct call *, const MPI_Request *);
void request_moved(struct request *, MPI_Request);
void request_cancelled(const MPI_Request *);

/* MPI_Request_free: true if the request shall live on until it is complete (it is a receive, which
   nobody would see any more). */
bool request_keep(const MPI_Request *);
int request_not_freed(MPI_Request *); /* instead of MPI_Request_free */
void requests_test_kept(struct call *);

/* Before a call that completes: from now on the request is this call's. NULL: nothing to be
   told. */
struct request *request_claim(const MPI_Request *);
void request_returned(struct call *, struct request *, bool complete, const MPI_Status *);

struct claims {
	struct request **request;
	int count;
};

/* statuses: NULL, or replaced by room of our own where they are ignored */
struct claims requests_started(struct call *, int count, const MPI_Request *);
void requests_moved(const struct claims *, const MPI_Request *);
struct claims requests_claim(struct call *, int count, const MPI_Request *, MPI_Status **statuses);
void requests_all(struct call *, struct claims *, int result, bool complete, const MPI_Status *);
void requests_one(struct call *, struct claims *, int result, int index, const MPI_Status *);
void requests_some(struct call *, struct claims *, int result, int count, const int *indices, const MPI_Status *);

/* ------------------------------------------------------------------ collectives */

struct collective {
	struct communicator *k; /* NULL: not recorded */
	struct collective_record record;
	MPI_Comm handle;
	uint64_t sent, received;
	uint64_t peers; /* processes that data go to or come from: of the other group, if there is one */
	uint64_t sources, destinations; /* of neighbours */
	/* of rooted ones: this process is the root; gets from or gives to the root, and is not the
	   root; is the root, and gets from and gives to itself, too */
	bool is_root, is_leaf, in_group;
	bool idle; /* in the group of the root, and is not the root: its arguments mean nothing */
	bool typed, reduces, to_each, among_neighbours;
	uint32_t type;
	uint32_t operation, bytes_to_each, to, from; /* strings */
	uint64_t count;
};

struct collective collective_on(enum collective_operation, MPI_Comm);
void collective_root(struct collective *, int root);
void collective_type(struct collective *, MPI_Count count, MPI_Datatype);
void collective_reduces(struct collective *, MPI_Op);

/* Of a collective among neighbours: who they are, and what is passed on to each destination, and
   from each source; some may be nobody. Then this is told. */
void collective_neighbours(struct collective *, const char *operation);
void collective_neighbour(struct collective *, bool to, uint64_t k, uint64_t bytes);
void collective_neighbours_tell(struct collective *);
#define NEIGHBOURS(d, operation, k, bytes_to, bytes_from)                                                              \
	collective_neighbours(d, operation);                                                                           \
	for (uint64_t k = 0; k < (d)->destinations; k++)                                                               \
		collective_neighbour(d, true, k, bytes_to);                                                            \
	for (uint64_t k = 0; k < (d)->sources; k++)                                                                    \
		collective_neighbour(d, false, k, bytes_from);                                                         \
	collective_neighbours_tell(d)

/* What is for each of the peers. counts: of int or MPI_Count; types: one for all, or one each. */
void collective_to_each_int(struct collective *, const int *counts, const MPI_Datatype *types, bool one);
void collective_to_each_count(struct collective *, const MPI_Count *counts, const MPI_Datatype *types, bool one);
#define collective_to_each(d, counts, types, one)                                                                      \
	_Generic(*(counts), int                                                                                        \
		 : collective_to_each_int, MPI_Count                                                                   \
		 : collective_to_each_count)(d, (const void *)(counts), types, one)
void collective_begin(struct call *, struct collective *);
const struct event_attributes *collective_begins(
	const struct call *, const struct collective *, struct event_attributes *);
void collective_end(struct call *, int result, struct collective *);
void collective_describe(
	const struct call *, const struct collective *, struct collective_record *, struct event_attributes *);
struct posted_collective *collective_posted(const struct collective_record *, const struct event_attributes *);
void collectives_complete(struct call *); /* record those that are, in order */
struct request *collective_request_new(struct call *, struct collective *);
struct request *request_collective(struct call *, struct collective *);
void request_persistent_collective(int result, struct collective *, struct call *, const MPI_Request *);

/* ------------------------------------------------------------------ call sites */

void sites_start(void);

/* "OFFSET PATH", where an address is in a module. */
void site_words(void *address, struct text *);

/* ------------------------------------------------------------------ a model on line */

/* At the end of MPI_Init and at the beginning of MPI_Finalize; collective over the world. */
void online_start(void);
void online_end(void);

/* ------------------------------------------------------------------ jobs: job.c */

/* Make the folder of this job in the directory, where another process of it has not done so, and
   that of this process in it. False with *error set where it cannot be. */
bool job_folder(const char *directory, struct text *folder, struct text *own, struct error *);

/* In the side file: what a launcher says of us that has not made our world. */
void job_tell_launcher(void);

/* This is a program of another MPI: it is left alone, and the command told. */
void job_is_foreign(const char *directory);

/* ------------------------------------------------------------------ clocks */

/* Compare this process's clock with that of rank 0, and note it in the side file; collective over
   the world, where there is more than one host. */
void clocks_start(void);
void clocks_compare(void);

#endif
