/*
 * run.h -- what processes execute of a program: one walk, event by event, and one way to go only
 * through what differs. Everything that is asked of a program stands on these two.
 *
 *	struct run *r = run_new(module, NULL);
 *	struct cursor *c = cursor_new(r, rank);
 *	while (cursor_next(c))
 *		... c->event, number_at(&c->at, ...) ...
 *	if (c->at.failure) ...
 *	cursor_free(c);
 *	run_free(r);
 *
 * A run is a module in an environment: its own header's, or one of a parametric text. Processes are
 * of one class if no domain of the program tells them apart. What a class has of a body is found
 * once per body and class, when somebody asks.
 */
#ifndef TRACENEST_MODEL_RUN_H
#define TRACENEST_MODEL_RUN_H

#include "model/module.h"

struct run;

/* Statements inside each other, calls replaced. Who nests deeper has no events: all that is asked
   fails (FAILURE_DEPTH). */
#define RUN_DEPTH 2048

/* Statements that run_each and run_count visit, in all their calls of one run (half a minute):
   loops whose iterations differ are gone through. FAILURE_STEPS. run_allow: so many from here
   on. */
#define RUN_STEPS (UINT64_C(1) << 32)

/* ... and that a cursor visits between two events. */
#define CURSOR_STEPS (UINT64_C(1) << 32)

/* environment: NULL: the module's own. The module outlives the run. A run belongs to one thread;
   its cursors may step in several. */
struct run *run_new(const struct module *, const struct environment *);
void run_free(struct run *);
void run_allow(struct run *, uint64_t steps);
bool run_may_go_on(struct run *, struct environment *); /* one more; false: the environment has a failure */
const struct module *run_module(const struct run *);

/* The environment, of no process yet. Its indices need room for run_depth(). */
struct environment run_environment(const struct run *);
size_t run_depth(const struct run *);

/* A process before its first statement. to: zero, or one that was started; its index, the caller's
   to free, is kept. */
void run_start(const struct run *, uint32_t rank, struct environment *to);

/* Why no process has any events: its nesting, or who is in a domain, does not come out. */
enum failure run_failure(const struct run *);

/* The class of a process, from 0; a process of it: its lowest. O(1). */
uint32_t run_class(const struct run *, uint32_t rank);
uint32_t run_classes(const struct run *);
uint32_t run_class_first(const struct run *, uint32_t class);

/* Do all of a class come to everything as often? Not where counts or conditions depend on the
   process. O(1). */
bool run_counts_by_class(const struct run *);

/* Who is in a domain; of one that a table names, all who stand in it; NULL: all, or whoever is named.
   Borrowed until others are asked for. */
const struct ranks *run_ranks(struct run *, node_id domain);

/* The same, and all processes where nothing is said. Borrowed until others are asked for. */
const struct ranks *run_processes(struct run *, node_id domain);

/* The same right here, where a named process is told; of those that are among, if this is not NULL.
   The caller clears it. */
struct ranks run_who(struct run *, struct environment *, node_id domain, const struct ranks *among);

/* Who may have events in a loop or guard; has the process any statement in a body? Borrowed as
   above. */
const struct ranks *run_inside(struct run *, node_id statement);
bool run_is_inside(struct run *, node_id body, uint32_t rank);

/* Is the process in this domain? A named one: it may be. O(log runs of the set). */
bool run_has(struct run *, node_id domain, uint32_t rank);

/* What a class has of a SEQUENCE: its statements, in order, with the line of each relative to the
   body's first. Borrowed until the run is freed. Of the module's body it is found for all classes
   at once, with all that is inside: O(1) amortized. */
struct projected {
	node_id statement;
	uint32_t line, place; /* ... and its place where calls are replaced by what they call */
	uint32_t inside; /* for run.c: what the class has of the body inside, */
	uint8_t kind; /* ... the node's, */
	bool always; /* ... an event that happens whenever it is come to */
};
const struct projected *run_projection(struct run *, node_id body, uint32_t class, size_t *length);

/* Does the process at hand take part in the event, which is of its projection: is it the one that
   is named, is its peer inside? */
bool event_happens(struct environment *, node_id event);

/* ... whichever process it is, in whichever iteration: is nobody named, and no peer outside? */
bool event_always_happens(const struct store *, node_id event);

/* Iterations of a loop, below 0 none. */
int64_t loop_trips(struct environment *, node_id loop);

/* Those among who go through a loop or guard together and have anything inside: by the last index
   as a function of indices; those of whom the test holds. The environment moves. */
struct run_parts {
	struct ranks *part;
	size_t count, capacity;
};
struct run_parts run_parts(struct run *, struct environment *, node_id statement, const struct ranks *among);
void run_parts_clear(struct run_parts *);

/* ------------------------------------------------------------------ event by event */

struct cursor {
	struct environment at; /* the process, indices, parameters */
	node_id event; /* that it stands at */
	size_t line; /* ... in the module's text */
	struct run *run;
	uint32_t class;
	struct cursor_frame {
		const struct projected *first, *at, *end;
		size_t line; /* of the body's first statement */
		int64_t left; /* iterations behind this one */
		bool loop; /* it has an index */
		size_t base;
		const int64_t *parameter;
		int64_t *argument; /* room, once there was a call */
	} * frame;
	size_t frames, frame_capacity;
};

/* Before the first event of the process. O(1) amortized per step, memory of the depth. */
struct cursor *cursor_new(struct run *, uint32_t rank);
void cursor_restart(struct cursor *, uint32_t rank);
void cursor_free(struct cursor *);

/* False at the end, or where a number does not come out (at.failure). */
bool cursor_next(struct cursor *);

/* A part of that, while there are frames: into a body, out of one or to its next iteration, or past
   what does not happen. True: it stands at an event. */
bool cursor_step(struct cursor *);

/* Stand where cursor_next came to the event at this line. level: of each loop and guard around, the
   outermost first, its iteration (of guards anything). False, and the cursor is at its end: the
   process does not execute it there. Of modules without calls. O(statements of the bodies around). */
bool cursor_to(struct cursor *, size_t line, const int64_t *level, size_t levels);

/* ------------------------------------------------------------------ what differs */

/*
 * For each event of a process that was started whose executions differ in something of this
 * purpose: once, at one of them, and how often. A loop that makes no difference is open: it stands
 * for all its iterations, its index is 0 and the environment says how many these are
 * (number_partial makes functions of them). Of counts and peers that come again with a period the
 * first one is taken, for all. O(what differs). False where a number does not come
 * out: the environment's failure.
 *
 * line: the same for one statement, which may be a loop or a guard, instead of events: that at this
 * line.
 */
typedef void run_take(void *context, struct environment *, node_id event, size_t line, uint64_t times);
bool run_each(struct run *, struct environment *, enum purpose, const size_t *line, run_take *, void *context);

/* The same of all statements, each where control comes to it, before what is inside. FOR_COUNT. */
bool run_each_statement(struct run *, struct environment *, run_take *, void *context);

/* The same from an environment on: events of a statement at this line, or of a SEQUENCE that begins
   there, each so many times more. */
void run_each_of(struct run *, struct environment *, node_id statement, size_t line, enum purpose, uint64_t times,
	run_take *, void *context);

/* For who needs more of an event than the purpose distinguishes: goes through the iterations of
   those open loops around whose indices are in `uses`; `times` are all executions together. Only
   where there are no procedures: parameters have been found for an open loop already. */
void run_each_open(struct run *, struct environment *, node_id event, size_t line, uint64_t uses, uint64_t times,
	run_take *, void *context);

/* Events of all processes. UINT64_MAX: that many or more. O(statements of all classes + what
   differs). */
uint64_t run_events(struct run *, enum failure *);

/* Iterations after which a node comes to the same again, for this purpose, as far as the index k
   loops outwards is concerned: remainders by numbers make them. 0: none, or more than 2^20. O(nodes
   inside). */
uint64_t node_period(const struct store *, node_id, int64_t k, enum purpose);

/* Events of a process in a statement or SEQUENCE, in all its executions there. UINT64_MAX: that
   many or more. What depends on the class alone is counted once. */
uint64_t run_count(struct run *, struct environment *, node_id statement);

#endif
