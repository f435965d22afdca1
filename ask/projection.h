/*
 * projection.h -- the part of a program that one process executes, walked event by event.
 *
 *	struct projection *p = projection_new(program, NULL);
 *	struct walk *w = walk_new(p, rank);
 *	while (walk_next(w)) {
 *		walk_event(w, &event);
 *		plain_event_print(program->dictionary, &event, &text);
 *	}
 *	walk_free(w);
 *
 * Processes that execute the same statements share one list of them, so that a projection is of the
 * size of the roles, not of the processes. It serves any number of walks, from any threads: walks
 * intern nothing. It borrows the program, whose statements must not change.
 */
#ifndef TRACENEST_ASK_PROJECTION_H
#define TRACENEST_ASK_PROJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ask/plain_event.h"
#include "base/ranks.h"
#include "model/program.h"

struct projection;
struct walk;

/*
 * wanted: prepare walks of these ranks only; NULL: of all. Groups that lie on the grid are interned
 * in the program's dictionary.
 */
struct projection *projection_new(struct program *, const struct ranks *wanted);
void projection_free(struct projection *);

/* What a process executes, in order, a loop before what it has of its body. */
struct projection_entry {
	uint32_t statement;
	uint32_t size; /* entries: of a loop, itself and all inside; of an event 1 */
};

/* Borrowed; none of a process that was not wanted. O(1). */
const struct projection_entry *projection_list(const struct projection *, uint32_t rank, size_t *length);

/* The event that a statement of the program is for a process that executes it, its group interned,
   at the indices of the spot (INDEX_DEPTH of them, at least). */
void projection_event(
	const struct projection *, const struct plain_statement *, const struct spot *, struct plain_event *);

/* Number of events of one process (0 if it was not wanted); UINT64_MAX: that many or more. O(1). */
uint64_t projection_events(const struct projection *, uint32_t rank);

/*
 * Walk over the events of one process, in order: O(1) amortized per event, O(depth) memory. The
 * projection must outlive the walk.
 */
struct walk *walk_new(const struct projection *, uint32_t rank);

/* The same past all events but those of some statements (wanted: by statement). */
struct walk *walk_new_of(const struct projection *, uint32_t rank, const bool *wanted);
void walk_free(struct walk *);

/* Step to the next event. False at the end. */
bool walk_next(struct walk *);

/* Pass the iterations that consist of nothing but the statement at hand and follow at once: how
   many there are, with this one. O(1). */
uint64_t walk_pass(struct walk *);

/*
 * The event that the walk stands at; its statement. One that does not advance is the same event
 * each time.
 */
void walk_event(const struct walk *, struct plain_event *);
size_t walk_statement(const struct walk *);

/* The indices of the loops around it, the outermost first, and how many these are. Borrowed until
   the next step. */
const int64_t *walk_indices(const struct walk *, size_t *loops);

#endif
