/*
 * program.h -- a folded program: what many processes do alike is said once, as a statement over a
 * set of ranks.
 *
 *	[0-15] for i0 = 0 to 248
 *	  [(1-3)+4*4] p-1 recv p tag2
 *	  [(0-2)+4*4] p send p+1 tag2
 *	done
 *
 * The statements of a program stand in one array in the order of its text, a loop before its body.
 * A process executes the statements whose sets it is in, in that order. Statements without a set
 * are those of plain models (model.h); a plain model is a folded program of these alone.
 *
 * A loop over a set stands for as many loops as there are groups of processes that communicate in
 * it: loops of a model span only processes that do. A loop without a set is one loop.
 *
 *	for i0 = 0 to 9
 *	  for i1 = 0 to {i0}
 *	    0 send {1+i1} tag{5+2*i0}
 *
 * Tags, peers, roots, communicators and counts may be functions of the indices of the loops around
 * (formula.h). This is a shorter way to write what unfolding makes of it: a loop whose index
 * stands in some statement is its iterations one after the other; one whose count alone is a
 * function stays a loop where that is 3 or more.
 *
 *	[0-7] for i0 = 0 to 3999
 *	  if {i0%7} = 6
 *	    [0-7] for i1 = 0 to {$deg[p]-1}
 *	      [0-7] p send $nbr[p,i1] tag9
 *	    done
 *	  done
 *	  [$w[i0]] p send 0 tag3
 *	done
 *	// tables
 *	$deg[p] = (3 4)*4
 *	...
 *
 * A guard is a loop of one iteration or none, whose count is a condition, and which has no index in
 * the text (inside the program it has one like any loop, which is 0). Behind it `else` is the guard
 * of the opposite condition. The one process that a statement names in brackets is a guard around
 * it, too, {p-$w[i0]} = 0, on the same line and with the same address. Counts may be functions of
 * the process: then each goes through the loop as often as its own count says.
 *
 *	[0-15] p send @(x+$dx[i0],y+$dy[i0]) tag{i0} where inside
 *
 * So is the guard of who has such a neighbour at all, where the grid is open: a table of 0 and 1 by
 * process and entry that follows from the offsets (program_inside), and that no text has.
 *
 * Behind an event may stand what it carries: " ; bytes={1600+80*i0}" (attributes.h); behind any
 * statement, where in the source it is: " // rhs.f:203" (sites.h).
 */
#ifndef TRACENEST_MODEL_PROGRAM_H
#define TRACENEST_MODEL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/output.h"
#include "model/attributes.h"
#include "model/program_calls.h"
#include "model/formula.h"
#include "model/model.h"
#include "model/sites.h"

/*
 * An event as a function of the process that executes it and of the indices of the loops around.
 * Two events are one form if all fields are equal; all bytes are fields, so set it to zero first.
 * (Equal functions may be written differently, as x+2 and x-1 on an axis of size 3: these are two
 * forms.)
 */
struct form {
	uint32_t kind; /* enum event_kind */
	uint32_t word; /* send, recv: the stem of the tag; sync: the name; local: the words */
	uint32_t numbered; /* send, recv: has the tag a number? */
	uint32_t varies; /* ... and is that number a function, `value`, instead of `number`? */
	uint64_t number;
	struct value value;
	struct place peer; /* send, recv: the other end; sync: the root, or PLACE_NONE */
	struct value communicator; /* constant NO_COMMUNICATOR: not named */
	struct area area; /* sync: the group, if it depends on the process, */
	uint64_t group; /* ... else the set; by communicator: the set whose parts are the groups */
};

#define STATEMENT_PLAIN UINT32_MAX
#define BOUND_NONE UINT32_MAX

enum guard {
	GUARD_NONE, /* a loop */
	GUARD_IF,
	GUARD_ELSE, /* behind one of the opposite condition */
	GUARD_WHO, /* of the process that is named: around one event */
	GUARD_INSIDE /* of those whose peer is on the open grid: around one message */
};

struct statement {
	uint32_t set; /* who executes it: a set of the dictionary; or STATEMENT_PLAIN */
	/* of an event: its form's id, or in a plain one the dictionary's event; of a loop: enum
	   guard */
	uint32_t event;
	/* of a loop whose count is a function of indices: the function's id (program_bound); else
	   BOUND_NONE */
	uint32_t bound;
	/* of an event over a set: it is written without one, naming its processes: a plain event
	   that is a function of indices */
	uint32_t alone;
	uint32_t attributes; /* of an event: the id of what it carries (attributes.h) */
	uint32_t sites; /* where in the source it is: an id (sites.h) */
	/* of a loop, until it has sites: so many frames of the paths inside lead to the function
	   that loops; 0: not known */
	uint32_t frames;
	uint64_t count; /* of a loop: iterations; with a bound: 0 */
	size_t size; /* of a loop: 1 + all statements inside; of an event: 0 */
};

struct program {
	struct dictionary *dictionary; /* owned */
	uint32_t processes; /* ranks are 0 to processes - 1; some may have no events */
	struct notes notes;
	struct grid grid;
	struct intern *forms, *bounds;
	struct intern *attributes, *choices; /* attributes.h; ids are counted from 1 there */
	struct site_places places; /* where in the source statements are: sites.h */
	struct statement *statement;
	size_t length, capacity;
	struct program_calls calls; /* which statements its text says as calls of procedures */
	struct program_nodes *nodes; /* once it was asked for them (program_nodes.h). Not copied */
};

static inline bool statement_is_loop(const struct statement *s)
{
	return s->size > 0;
}
static inline enum guard statement_guard(const struct statement *s)
{
	return s->size > 0 ? (enum guard)s->event : GUARD_NONE;
}
/* Does the guard stand in the line of its event, with the same address? */
static inline bool statement_is_in_line(const struct statement *s)
{
	return statement_guard(s) == GUARD_WHO || statement_guard(s) == GUARD_INSIDE;
}
static inline size_t statement_size(const struct statement *s)
{
	return s->size ? s->size : 1;
}

struct program *program_new(void);
/* with the same ids in its dictionary, its forms and its bounds */
struct program *program_copy(const struct program *);
void program_free(struct program *);

/* Without statements and calls. */
void program_empty(struct program *);

/* Is it written without a set? */
static inline bool statement_is_plain(const struct statement *s)
{
	return s->set == STATEMENT_PLAIN || s->alone;
}

/* Append a statement as it is. */
void program_put(struct program *, const struct statement *);

/* Append an event; close a loop: what was added since it was opened is its body. */
void program_add(struct program *, uint32_t set, uint32_t event);
void program_close(struct program *, size_t loop);

/* The same for what depends on indices: a plain event of these processes (several only of a sync);
   a loop. A count that is constant is as good as above. */
void program_add_alone(struct program *, uint32_t set, uint32_t form);
size_t program_open_by(struct program *, uint32_t set, const struct value *count);

/* A guard without a set; a condition that is constant is one, too. */
size_t program_open_guard(struct program *, enum guard, const struct value *condition);

/* The condition that this place, a stencil (place_stencil), is on the open grid. False: it is none,
   or the table would have more than TABLE_LIMIT entries. O(processes x entries). */
bool program_inside(struct program *, const struct place *, struct value *condition);

/* Make this the count of a loop, which is one of the program's statements. */
void program_set_count(struct program *, struct statement *loop, const struct value *count);

/* The count of a loop as a function of indices, below 0 for none; most are constant. */
struct value program_bound(const struct program *, const struct statement *loop);

/* The id of a form, and the form again. */
uint32_t program_form(struct program *, const struct form *);
struct form program_get_form(const struct program *, uint32_t id);

/* The event that a form is for this set of processes (several only of a sync), at indices 0. */
uint32_t program_event_of(struct program *, uint32_t set, const struct form *);

/* The form of any statement that is an event; its kind alone. */
struct form statement_form(const struct program *, const struct statement *);
enum event_kind statement_kind(const struct program *, const struct statement *);

/* Which indices occur in a form; bit d for that of the loop at depth d. */
uint32_t form_indices(const struct form *);

/* Who executes a statement; an event alone (*single gives it room), a loop over a set. */
struct ranks program_processes(const struct program *, const struct statement *, struct ranks_run *single);

/*
 * The statement at an address, its path of indices in the text that program_print_text makes, from
 * 0: "2.0.1"; the address of a statement, behind what the text holds. program_find: false with *error
 * set where there is none; it takes what function_address.h has, too, "solve/0.1". O(statements).
 */
bool program_find(const struct program *, const char *address, size_t *at, struct error *);
void program_address(const struct program *, size_t at, struct text *);

/*
 * At some indices of the loops around, the outermost first and the first iteration 0: the
 * iterations of a loop (a function below 0 counts as 0), and the event that a statement is for one
 * of its processes, interned in the dictionary. What was read or made by a pass is such an event
 * for all indices.
 */
uint64_t program_count_of(const struct program *, size_t at, const struct spot *);
uint32_t program_event_at(struct program *, size_t at, uint32_t rank, const int64_t *index);

/* Does any statement depend on an index? */
bool program_varies(const struct program *);

/* Is the form, at indices 0, an event on each of these processes: is its peer a rank, its tag not
   negative, the process a member of its group? */
bool program_check(const struct program *, const struct form *, const struct ranks *who, struct error *);

/* Events of all processes together; UINT64_MAX: that many or more, or nobody could read it. As
   program_nodes. */
uint64_t program_events(const struct program *);

/* ------------------------------------------------------ the stored form (doc/tracenest-model.5) */

void program_print_text(const struct program *, struct text *);

/* The line of a statement that is an event; the tag of a send or a receive over a set. */
void program_print_event(const struct program *, const struct statement *, struct text *);
void program_print_tag(const struct program *, const struct statement *, struct text *);

/* Remarks of the one who prints: what stands behind a statement's line; what adds nothing makes
   none. NULL: nothing does. */
struct program_remarks {
	const void *context;
	void (*behind)(const void *context, size_t statement, struct text *);
	/* Calls are written as calls. The header does not say how many events there are. */
	bool procedures, uncounted;
	/* Of a parametric text, all or none: what stands for the lines of the header that tell
	   processes, events and grid, the condition of a set, and behind the name of a table what
	   defines it. NULL: as it is. */
	const char *header;
	void *parametric;
	const char *(*set)(void *parametric, uint32_t set);
	const char *(*table)(void *parametric, const struct table *);
};
void program_print_remarks(const struct program *, const struct program_remarks *, struct output *);
void program_print_remarks_text(const struct program *, const struct program_remarks *, struct text *);

/* Of its dictionary's tables, which no other program looks up any more, its own stay, numbered in
   the order of the text. */
void program_keep_tables(struct program *);

/* All behind the header. Before each table: is there enough already? Then it ends there, and says
   false. */
struct program_enough {
	void *context;
	bool (*is)(void *context, const struct text *, const struct table *next);
};
bool program_print_statements_text(const struct program *, const struct program_enough *, struct text *);

/* Read folded or plain text: a file ("-": standard input), or memory. NULL with file:line in the
   error. */
struct program *program_read(const char *path, struct error *);
struct program *program_parse(const char *name, const char *bytes, size_t length, struct error *);

/* Is there any statement over a set? */
bool program_is_folded(const struct program *);

#endif
