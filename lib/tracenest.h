/*
 * tracenest.h -- the traces of message-passing programs as programs of loop nests: the library.
 *
 *	#include <stdio.h>
 *	#include <tracenest.h>
 *
 *	int main(int words, char **word)
 *	{
 *		tracenest_error error;
 *		const char *trace = words == 2 ? word[1] : "-";
 *		tracenest_program *program = tracenest_program_of_trace(trace, NULL, NULL, &error);
 *		if (!program)
 *			return fprintf(stderr, "%s\n", error.message), 1;
 *		char *text = tracenest_program_text(program, NULL);
 *		fputs(text, stdout);
 *		tracenest_free(text);
 *		tracenest_program_free(program);
 *		return 0;
 *	}
 *
 * (cc example.c $(pkg-config --cflags --libs tracenest); the tests compile and run this text. More:
 * examples/ in the sources.)
 *
 * Handles are opaque: who makes one frees it, NULL is fine. What a function returns as `char *` is
 * the caller's, for tracenest_free; `const char *` is borrowed, as long as its comment says. There
 * is no state but that of the handles: different handles may be used by different threads at the
 * same time, one handle by one thread at a time (asking a program may change what it remembers).
 *
 * Functions that can fail take a tracenest_error last, which may be NULL, and return NULL or false
 * with it set. Nothing here prints, and nothing ends the process, with one exception: where there
 * is no memory left, there is a message on standard error and exit status 1.
 *
 * A program that is linked with libtracenest.so.1 runs with each later version of that name, too:
 * functions, layouts of structs and values of enums stay as they are, functions and enumerators are
 * added (packaging/abi). What must change otherwise changes the name, libtracenest.so.2.
 *
 * Paths are as on the command line: "-" is standard input, or output. Outputs are written whole or
 * not at all. Costs are told in statements (the lines of a program's text but for "done"),
 * processes and events; n is what the comment before speaks of.
 */
#ifndef TRACENEST_H
#define TRACENEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define TRACENEST_API __attribute__((visibility("default")))
#else
#define TRACENEST_API
#endif

/* "0.5.0": of the library that runs. Static. */
TRACENEST_API const char *tracenest_version(void);

/* Release a text that a function returned. */
TRACENEST_API void tracenest_free(void *text);

/* ------------------------------------------------------------------ errors */

typedef enum tracenest_error_kind {
	TRACENEST_ERROR_NONE = 0,
	TRACENEST_ERROR_INTERNAL = 1, /* our own failure */
	TRACENEST_ERROR_INPUT = 2, /* bad arguments, unreadable or malformed input, unwritable output */
	/* readable, but the trace or the program contradicts itself, or the two each other */
	TRACENEST_ERROR_INCONSISTENT = 3
} tracenest_error_kind;

typedef struct tracenest_error {
	tracenest_error_kind kind;
	/* for people, with the place first: "run.nest:17: ...", "run/traces.otf2: location 7:
	   ..." */
	char message[1024];
} tracenest_error;

/* ------------------------------------------------------------------ programs from traces */

typedef struct tracenest_program tracenest_program;

typedef enum tracenest_events {
	TRACENEST_EVENTS_COMM = 0, /* sends, receives, collectives */
	TRACENEST_EVENTS_MPI = 1, /* and where MPI calls begin and end */
	TRACENEST_EVENTS_ALL = 2 /* and any other region */
} tracenest_events;

/* All zero: the defaults, those of `tracenest model`. */
typedef struct tracenest_options {
	tracenest_events events;
	/* leave the receives that one wait call completed in the order recorded; else as they were
	   posted */
	bool recorded_order;
	/* where no collective is recorded: a region named as one is a collective of all
	   processes */
	bool collective_regions;
	bool local; /* the processes one after the other, not merged */
	bool unfolded; /* a line for every event of every process, not one for what many processes do alike */
	bool constant_numbers; /* do not look for numbers that advance with the indices of loops */
	/* leave loops in the phase in which they were recognized, not where the program is
	   shortest */
	bool recorded_phase;
	bool lenient; /* go on where messages, or members of collectives, are missing */
	size_t window; /* longest loop body searched for, in terms */
	unsigned repetitions; /* adjacent copies that become a loop; 2 or more */
	double growth; /* merging may take so many times the constructs of what it merges; 1 or more */
	unsigned jobs; /* threads; 0: all cores. The result does not depend on it. */
	/* NULL, or called now and then, from any one thread at a time, with the share of the
	   reading done, 0 to 1 */
	void (*progress)(void *context, double share);
	void *context; /* of progress */
} tracenest_options;

/* What was found on the way. */
typedef struct tracenest_facts {
	uint32_t processes; /* ranks are 0 to processes - 1 */
	uint64_t records, events; /* of the archive or text; of the processes together */
	uint32_t locations_without; /* locations that are no process of the run: left out */
	uint64_t to_nobody; /* messages to or from MPI_PROC_NULL: left out */
	bool communicators_dropped; /* sends and receives do not balance with them */
	/* none is recorded, but regions named as collectives are: consider collective_regions */
	bool collectives_hidden;
	uint64_t window_hit; /* processes where a repetition longer than the window may have been missed */
	/* as tracenest_statistics has them: of the local programs together; of the program */
	uint64_t constructs_local, constructs_global;
	/* of the reduction: that span several processes; that communicate, but were left apart */
	uint64_t loops_joined, loops_apart;
	uint32_t roles; /* sets of processes that do the same */
	/* kind TRACENEST_ERROR_NONE: every message is received, every collective is complete */
	tracenest_error incomplete;
	tracenest_error cyclic; /* likewise; else: messages are received before they can have been sent */
	tracenest_error unrecorded; /* likewise; else: calls that communicate were made, and left no record */
} tracenest_facts;

/*
 * path: an OTF2 anchor file, a text trace, a directory of text traces, or "-". options: NULL for
 * the defaults. facts: may be NULL; filled as far as it came, in any case. NULL on failure; that
 * the communication is incomplete, or not recorded, is one (TRACENEST_ERROR_INCONSISTENT) but for
 * `local` and `lenient`. Time O(events), memory follows what does not repeat. The README names the
 * papers.
 */
TRACENEST_API tracenest_program *tracenest_program_of_trace(
	const char *path, const tracenest_options *options, tracenest_facts *facts, tracenest_error *error);

/* ------------------------------------------------------------------ programs as text */

/* The stored form (tracenest-model(5)): from a file, or from memory; name stands for the file in
   messages. O(n) in the text. */
TRACENEST_API tracenest_program *tracenest_program_read(const char *path, tracenest_error *error);
TRACENEST_API tracenest_program *tracenest_program_parse(
	const char *name, const char *text, size_t length, tracenest_error *error);
TRACENEST_API void tracenest_program_free(tracenest_program *program);

/* To a file; to memory, NUL-terminated, *length (may be NULL) without the NUL. */
TRACENEST_API bool tracenest_program_write(const tracenest_program *program, const char *path, tracenest_error *error);
TRACENEST_API char *tracenest_program_text(const tracenest_program *program, size_t *length);

/* Ranks are 0 to n - 1. */
TRACENEST_API uint32_t tracenest_program_processes(const tracenest_program *program);

/* What its maker noted, line by line; NULL behind the last. As long as the program. */
TRACENEST_API const char *tracenest_program_note(const tracenest_program *program, size_t i);

/* ------------------------------------------------------------------ statements */

/* The statements stand in the order of the text, a loop before its body. */
typedef struct tracenest_statement {
	bool is_loop;
	size_t inside; /* of a loop: statements inside, at any depth; they follow */
	uint32_t depth; /* loops around */
	uint64_t processes; /* that execute it */
} tracenest_statement;

/* How many there are, where an event with a condition in its own line is two, the condition a loop
   around it; one of them: false behind the last. O(1), but for the first question, which
   takes O(n). */
TRACENEST_API size_t tracenest_program_statements(const tracenest_program *program);
TRACENEST_API bool tracenest_statement_at(tracenest_program *program, size_t at, tracenest_statement *statement);

/* Its address, the path of indices in the text, "2.0.1": O(1), but for the first question, which
   takes O(n); and the statement at an address, O(n). */
TRACENEST_API char *tracenest_statement_address(tracenest_program *program, size_t at);
TRACENEST_API bool tracenest_statement_find(
	const tracenest_program *program, const char *address, size_t *at, tracenest_error *error);

/* Its line in the text, without what is around: "[0-3] p send (p+1)%4 tag7 ; bytes=800". O(1), but
   for the first question, which takes O(n). */
TRACENEST_API char *tracenest_statement_text(tracenest_program *program, size_t at);

/* The processes that execute it, as runs: "0-3,8". */
TRACENEST_API char *tracenest_statement_ranks(tracenest_program *program, size_t at);

/* Which of its positions. */
typedef enum tracenest_place {
	TRACENEST_START, /* its first event */
	TRACENEST_END, /* the event behind its last one */
	TRACENEST_ITERATION, /* of a loop: the first event of an iteration, whose number is one more index; */
	TRACENEST_ITERATION_END /* the event behind its last one */
} tracenest_place;

/*
 * Where a statement stands in the stream of a process: the number of events before it, a function
 * of the indices of the loops around, "671+644*i0", and of what guards and tables come to,
 * "3*i0+sum(k0<i0: $g[k0])". "?": it is too large. NULL: the process has no part in it. O(depth),
 * but for the first question, which takes O(n) times the roles.
 */
TRACENEST_API char *tracenest_statement_position(
	tracenest_program *program, size_t at, tracenest_place place, uint32_t rank);

/* The role of each process: processes of one role execute the same statements. role: room for as
   many as there are processes; TRACENEST_NONE: it executes nothing. Returns how many roles there
   are. */
TRACENEST_API uint32_t tracenest_program_roles(const tracenest_program *program, uint32_t *role);

/* ------------------------------------------------------------------ the events of a process */

typedef enum tracenest_event_kind {
	TRACENEST_SEND,
	TRACENEST_RECV,
	TRACENEST_SYNC,
	TRACENEST_LOCAL,
	/* one-sided: the peer is the target, which has no event of it */
	TRACENEST_PUT,
	TRACENEST_GET,
	TRACENEST_ACCUMULATE,
	TRACENEST_GET_ACCUMULATE,
	TRACENEST_FETCH_AND_OP,
	TRACENEST_COMPARE_AND_SWAP,
	/* epochs of windows; the last eight have no peer */
	TRACENEST_WIN_LOCK,
	TRACENEST_WIN_UNLOCK,
	TRACENEST_WIN_FLUSH,
	TRACENEST_WIN_FLUSH_LOCAL,
	TRACENEST_WIN_LOCK_ALL,
	TRACENEST_WIN_UNLOCK_ALL,
	TRACENEST_WIN_FLUSH_ALL,
	TRACENEST_WIN_FLUSH_LOCAL_ALL,
	TRACENEST_WIN_POST,
	TRACENEST_WIN_START,
	TRACENEST_WIN_COMPLETE,
	TRACENEST_WIN_WAIT
} tracenest_event_kind;

#define TRACENEST_NONE UINT32_MAX
#define TRACENEST_WORLD INT64_C(-1)
#define TRACENEST_UNKNOWN UINT64_MAX

typedef struct tracenest_event {
	tracenest_event_kind kind;
	uint32_t process;
	uint32_t peer; /* send: the destination; recv: the source; sync: the root; TRACENEST_NONE: there is none */
	/* send, recv: the tag up to its number, "tag"; one-sided: the window, "win"; sync: the name, "MPI_Allreduce"; local: what
	   it is, "call MPI_Wait" */
	const char *word;
	bool numbered; /* has the tag, or window, a number? */
	uint64_t number; /* then: "tag3000" has 3000 */
	const char *group; /* sync: who takes part, "0-15"; else NULL */
	int64_t communicator; /* TRACENEST_WORLD: not named */
	size_t statement; /* that it is of */
	/* of a message; of a collective, what the process passed on; TRACENEST_UNKNOWN: not
	   told */
	uint64_t bytes;
	/* ticks from the first record of the run; TRACENEST_UNKNOWN: not known (tracenest_program_times) */
	uint64_t time;
	uint64_t enter, leave; /* of its MPI call */
} tracenest_event;

/*
 * When the events were: from a profile of this program that keeps it (tracenest_profile_write),
 * told by the walks that begin behind this call. ticks_per_second: may be NULL; 0: not known. O(n +
 * blocks of the profile).
 */
TRACENEST_API bool tracenest_program_times(
	tracenest_program *program, const char *profile, uint64_t *ticks_per_second, tracenest_error *error);

typedef struct tracenest_walk tracenest_walk;

/* Go through the events of one process, in order. The program must outlive the walk. O(statements)
   to begin, then O(1) per event. */
TRACENEST_API tracenest_walk *tracenest_walk_new(tracenest_program *program, uint32_t rank, tracenest_error *error);
TRACENEST_API void tracenest_walk_free(tracenest_walk *walk);

/* The next event, whose texts are borrowed as long as the walk is there. False at the end, or where
   the profile is damaged, which tracenest_walk_read tells. */
TRACENEST_API bool tracenest_walk_next(tracenest_walk *walk, tracenest_event *event);

/* The next `most` events, fewer at the end: how many. 0 is the end where no error is set. */
TRACENEST_API size_t tracenest_walk_read(
	tracenest_walk *walk, tracenest_event *event, size_t most, tracenest_error *error);

/* The event that the last call gave as a line, "0 send 1 tag3000": borrowed until the next call. */
TRACENEST_API const char *tracenest_walk_line(tracenest_walk *walk);

/* Write the events of all processes, rank after rank, as a text trace (tracenest-trace(5)).
   O(events). */
TRACENEST_API bool tracenest_expand(tracenest_program *program, const char *path, tracenest_error *error);

/* ------------------------------------------------------------------ the calls of a trace */

/* What a call of MPI passes on: a message, a collective, or nothing. */
typedef struct tracenest_call {
	uint32_t rank, thread;
	uint32_t peer; /* the destination, the source, the root; TRACENEST_NONE: there is none */
	bool numbered; /* of a message: has the tag a number? */
	const char *function; /* "MPI_Waitall"; NULL: not told, as where a trace has no calls */
	const char *event; /* "send", "recv", "MPI_Ibcast"; NULL: nothing */
	const char *tag; /* of a message, up to the number: "tag"; else NULL */
	uint64_t number; /* "tag3000" has 3000 */
	int64_t communicator; /* TRACENEST_WORLD; also of what has none */
	uint64_t bytes; /* of a message; of a collective, what the process passed on; TRACENEST_UNKNOWN */
	uint64_t received; /* of a collective; TRACENEST_UNKNOWN */
	double begin, end; /* of the call, in seconds since the run began; NaN: not known */
	const char *site; /* "rhs.f:203 compute_rhs"; NULL: not known */
	const char *path; /* the same behind its callers, "main.f:12 main > rhs.f:203 compute_rhs"; NULL */
} tracenest_call;

/*
 * The calls of a trace, an archive's rank after rank; those of a thread in the order in which they
 * ended. A call has a row for each message and collective that it sends, receives or completes, one
 * without a peer where it has none. ranks: the only ones, NULL: all. take: told of `most` at once,
 * fewer at the end; the texts are borrowed until this function returns; false: no more are wanted,
 * which is no error. Memory does not grow with the trace. O(records).
 */
TRACENEST_API bool tracenest_calls_read(const char *trace, const uint32_t *ranks, size_t count, size_t most,
	bool (*take)(void *context, const tracenest_call *call, size_t calls), void *context, tracenest_error *error);

/* ------------------------------------------------------------------ checks */

/* Is every message received, every collective complete; can each message have been sent before it
   is received; does none cross the iterations of a loop of several processes? The message names the
   first of these that does not hold, and where. */
TRACENEST_API bool tracenest_check(tracenest_program *program, tracenest_error *error);

/*
 * Is it the program of this trace, event by event? The trace is read as the program's maker noted
 * it. jobs: threads, 0: all cores. The message tells the first differences. O(events).
 */
TRACENEST_API bool tracenest_check_trace(
	tracenest_program *program, const char *trace, unsigned jobs, tracenest_error *error);

/* ------------------------------------------------------------------ questions */

typedef struct tracenest_statistics {
	uint64_t events, fewest, most; /* of all processes, of one; a collective of 16 processes is 16 events */
	uint64_t statements, loops;
	uint32_t depth; /* loops inside each other */
	uint32_t roles; /* sets of processes that do the same */
	/* lines of the listing with a line for each event and process, and constant numbers;
	   UINT64_MAX: that many or more */
	uint64_t constructs;
	/* events in loops: of any kind, that span several processes, that span all that have
	   events */
	uint64_t in_loops, in_several, in_all;
} tracenest_statistics;

/* Without running it: a loop of 10^18 iterations costs no more than one of three. */
TRACENEST_API void tracenest_program_statistics(const tracenest_program *program, tracenest_statistics *statistics);

typedef struct tracenest_cell {
	uint32_t source, destination;
	uint64_t messages;
	uint64_t bytes; /* 0, until tracenest_matrix_read_bytes */
} tracenest_cell;

typedef struct tracenest_matrix tracenest_matrix;

/*
 * The messages between each pair of processes. address: of a statement, in all its executions;
 * NULL: of the whole run. per_iteration: of one iteration of that loop. tag: only of this one,
 * "tag3000", "3000", "3000@2"; NULL: of all. It does not run the program.
 */
TRACENEST_API tracenest_matrix *tracenest_matrix_new(const tracenest_program *program, const char *address,
	bool per_iteration, const char *tag, tracenest_error *error);
TRACENEST_API void tracenest_matrix_free(tracenest_matrix *matrix);

/* Add the bytes that were sent, from one reading of the trace, which is read as the program's maker
   noted it; of an iteration: of the mean one, rounded. program: that of the matrix. jobs: threads,
   0: all cores. O(events). */
TRACENEST_API bool tracenest_matrix_read_bytes(
	tracenest_matrix *matrix, tracenest_program *program, const char *trace, unsigned jobs, tracenest_error *error);

/* The pairs that exchange messages, by source, then destination, as long as the matrix. */
TRACENEST_API const tracenest_cell *tracenest_matrix_cells(const tracenest_matrix *matrix, size_t *cells);

/* ------------------------------------------------------------------ times */

/* Of a loop, in ticks of the trace's clock. */
typedef struct tracenest_loop_time {
	size_t statement;
	uint32_t processes; /* that take part */
	uint64_t iterations, total; /* of all of them */
	uint64_t most; /* time of the slowest process, */
	uint32_t slowest; /* which is this one */
	double share; /* of the run time of all processes */
	double imbalance; /* `most` over the mean; 1: even */
} tracenest_loop_time;

typedef struct tracenest_times tracenest_times;

/* How long the loops took, from one reading of the trace, which is read as the program's maker
   noted it. depth: loops inside at most so many others; jobs: threads, 0: all cores. O(events). */
TRACENEST_API tracenest_times *tracenest_times_new(
	const tracenest_program *program, const char *trace, uint32_t depth, unsigned jobs, tracenest_error *error);
TRACENEST_API void tracenest_times_free(tracenest_times *times);

/* The loops, the hottest first, as long as the times; the ticks of a second, 0: not known. */
TRACENEST_API const tracenest_loop_time *tracenest_times_loops(const tracenest_times *times, size_t *loops);
TRACENEST_API uint64_t tracenest_times_ticks(const tracenest_times *times);

/* ------------------------------------------------------------------ profiles */

typedef enum tracenest_stamps {
	TRACENEST_STAMPS_NONE = 0,
	TRACENEST_STAMPS_EVENTS = 1, /* the time stamp of each event */
	TRACENEST_STAMPS_CALLS = 2 /* and when its MPI call began and ended */
} tracenest_stamps;

/* All zero: the defaults, those of `tracenest profile`. */
typedef struct tracenest_profiling {
	tracenest_stamps stamps; /* what is kept of when each event was */
	bool lenient; /* go on where messages are missing */
	unsigned jobs; /* threads; 0: all cores */
} tracenest_profiling;

/*
 * Where the time of a run went, as an SQLite database (tracenest-profile(5)), with what
 * `tracenest report` says of it. model: the path of its program, or NULL: it is made of the trace,
 * which is an archive. options: NULL for the defaults. O(records log processes).
 */
TRACENEST_API bool tracenest_profile_write(const char *model, const char *trace, const tracenest_profiling *options,
	const char *path, tracenest_error *error);

/* ------------------------------------------------------------------ pictures */

/* All zero: the defaults, those of `tracenest draw`. */
typedef struct tracenest_picture {
	const char *title; /* NULL: none */
	const char *loop; /* the address of the only statement to draw; NULL: all */
	uint32_t depth; /* loops deeper than this stay closed; 0: what fits */
	uint32_t width; /* millimetres; 0: as wide as it is */
	bool roles; /* a line for each role, not for each process */
	bool tags; /* write the tag of every message */
	bool skip_short; /* leave out what comes before and after the loops that matter */
} tracenest_picture;

/* For one thread at a time: Graphviz has a state of its own. path: its suffix says what to make,
   .svg, .pdf, .png, .dot or .html. picture: NULL for the defaults. */
TRACENEST_API bool tracenest_draw(
	tracenest_program *program, const tracenest_picture *picture, const char *path, tracenest_error *error);

/* ------------------------------------------------------------------ scanners */

/* The C program that fetches from a trace what the annotations in a model's text ask for
   (tracenest-scan(1)); it is to be linked with libtracenest-scan. path: of the model, which is read
   anew, for programs do not keep annotations. length: may be NULL. */
TRACENEST_API char *tracenest_scanner(const char *path, size_t *length, tracenest_error *error);

/* ------------------------------------------------------------------ loop nests of any records */

/*
 *	tracenest_nlr *nlr = tracenest_nlr_new(0, 0, 0);
 *	uint32_t load = tracenest_nlr_shape(nlr, "load 0", NULL);
 *	for (int64_t i = 0; i < 100; i++)
 *		tracenest_nlr_push(nlr, load, &(int64_t){4096 + 8 * i});
 *	char *text = tracenest_nlr_finish(nlr, NULL);		-- for i0 = 0 to 99 / load {4096+8*i0} / done
 *
 * A record is a line; its numbers are apart from its shape, which is all the rest. The loops that
 * are found have affine functions of the indices around them as numbers and as counts. Running the
 * nest gives back exactly the records pushed; memory is the window plus what is distinct.
 * (Ketterlin and Clauss, CGO 2008.)
 */
typedef struct tracenest_nlr tracenest_nlr;

#define TRACENEST_NLR_WIDTH 64 /* numbers of a record, at most; more belong to the shape */

/* window: longest loop body searched for, to 1,000,000; repetitions: adjacent copies that become a
   loop, 3 to 100; 0: the defaults. ahead: how far predictions will be asked for, at most 2^20; 0:
   never. What lies outside is brought inside. */
TRACENEST_API tracenest_nlr *tracenest_nlr_new(size_t window, unsigned repetitions, uint64_t ahead);
TRACENEST_API void tracenest_nlr_free(tracenest_nlr *nlr);

/* The shape of the records that are this line but for its numbers (tracenest-nlr(1)), which may be
   any; *width, which may be NULL: how many. TRACENEST_NONE: it is more than a line. */
TRACENEST_API uint32_t tracenest_nlr_shape(tracenest_nlr *nlr, const char *line, uint32_t *width);

/* Append a record, of a shape that tracenest_nlr_shape gave, with as many numbers as it has; or as
   a line. Amortized O(numbers) while input follows a loop. False, and nothing is done: there is no
   such shape, it is more than a line. */
TRACENEST_API bool tracenest_nlr_push(tracenest_nlr *nlr, uint32_t shape, const int64_t *number);
TRACENEST_API bool tracenest_nlr_push_line(tracenest_nlr *nlr, const char *line);

/* The record that is expected at this distance, 1 (the next) to `ahead`. False where there is
   nothing to go by. number: room for TRACENEST_NLR_WIDTH. O(distance) at worst, O(numbers) for
   powers of two. */
TRACENEST_API bool tracenest_nlr_ahead(tracenest_nlr *nlr, uint64_t distance, uint32_t *shape, int64_t *number);

/* A record as a line, without its newline. NULL: there is no such shape. */
TRACENEST_API char *tracenest_nlr_line(const tracenest_nlr *nlr, uint32_t shape, const int64_t *number);

/* The nest of everything pushed, as text (tracenest-nlr(1)); takes the recognizer. length: may be
   NULL. */
TRACENEST_API char *tracenest_nlr_finish(tracenest_nlr *nlr, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
