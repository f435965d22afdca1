/*
 * statement_row.h -- what the rewrites of a draft work on: the statements of one body in a row,
 * each with the lines that it was.
 *
 * Internal to rewrite.c and what stands in rewrites.def.
 */
#ifndef TRACENEST_MERGE_STATEMENT_ROW_H
#define TRACENEST_MERGE_STATEMENT_ROW_H

#include "base/intern.h"
#include "base/mem.h"
#include "fit/fit_number.h"
#include "model/draft.h"
#include "model/generalize.h"
#include "model/run.h"

/* Budgets: what is beyond is not looked for. Statements of a row, also when its loops are
   open; elements that are looked at in all. */
#define ROW_MOST (UINT32_C(1) << 13)
#define REWRITE_STEPS (UINT64_C(1) << 22)

/* A statement of the row, and by line of it where it was in the body that is improved;
   LINE_NONE: it is new. */
struct element {
	node_id node;
	const uint32_t *origin;
	uint32_t kid, turn; /* of an open row: which statement it was; in which iteration of that */
	node_id domain; /* ... of the loop that was opened; UINT32_MAX: none was */
};

struct statement_row {
	struct element *at;
	size_t length, capacity;
};

struct row_body {
	node_id node;
	const uint32_t *origin; /* by line */
};

struct rewriting {
	struct store *s;
	struct run *run; /* of the draft: who is in a domain */
	struct fit *formulas, *tests; /* formulas: without tables */
	struct arena *arena; /* of origins */
	struct intern *likes; /* by likeness */
	uint32_t *like; /* by node: 1 + its id there; 0: not known */
	size_t like_capacity;
	struct intern *conditions; /* by iteration, whether something is done, */
	node_id *condition; /* ... and how that is said; NODE_NONE: it can't be */
	size_t condition_capacity;
	struct intern *pairs; /* of events, */
	node_id *joint; /* ... and what they are as one; NODE_NONE: nothing that costs less */
	size_t joint_capacity;
	struct intern *bodies; /* nodes that were improved, */
	struct row_body *improved; /* ... and what each became */
	size_t improved_capacity;
	uint64_t steps; /* left */
};

/* A row that costs less, the cheapest that one step of it leads to. False: there is none. */
typedef bool rewrite(struct rewriting *, const struct statement_row *, struct statement_row *cheaper);
#define X(name) rewrite name##_row;
#include "merge/rewrites.def"
#undef X

static inline const struct node *get(const struct rewriting *r, node_id id)
{
	return node_of(r->s, id);
}

static inline bool has_body(const struct node *n)
{
	return n->kind == NODE_LOOP || n->kind == NODE_GUARD;
}

void row_add(struct statement_row *, struct element);
/* The statements of a body; origin: by line of it. */
void row_add_body(struct rewriting *, node_id body, const uint32_t *origin, struct statement_row *);
uint64_t row_cost(const struct rewriting *, const struct statement_row *); /* without tables */
/* They were looked at; when none are left nothing is looked for. */
void rewriting_spend(struct rewriting *, uint64_t steps);
uint32_t *new_origins(struct rewriting *, size_t lines);
/* The row as a SEQUENCE; a guard behind that of the opposite says `else`. */
struct row_body row_as_body(struct rewriting *, const struct statement_row *);
/* A loop or guard with this as its body; line: where it was, LINE_NONE: it is new. */
struct element element_around(struct rewriting *, node_id statement, uint32_t line, const struct row_body *);

/* Without a domain, or all. */
bool is_for_all(const struct rewriting *, node_id domain);
/* Of a loop, if they are the same for all processes; 0: they are not, or more than ROW_MOST. */
uint32_t loop_iterations(const struct rewriting *, node_id statement);

/* Is it a loop of no iterations, or nothing but such ones? */
bool does_nothing(const struct rewriting *, node_id statement);

/* What indices are that the body of a loop asks for, by how far out they are (struct substitution):
   its own is a number, the others are as they are seen around it. outer: INDEX_DEPTH. */
void indices_of_iteration(struct rewriting *, int64_t iteration, node_id *outer);

/* The body of a loop with a number for its index. NODE_NONE: it can't be said. */
node_id body_of_iteration(struct rewriting *, node_id body, int64_t iteration);

/* Does a body have this statement, at any depth? */
bool body_has(const struct rewriting *, node_id body, node_id statement);
/* With the loops open that hold this statement, so many levels of them. False: it
   is too long, or can't be said. */
bool row_open(
	struct rewriting *, const struct statement_row *, node_id statement, uint32_t levels, struct statement_row *to);

/* Equal for nodes that differ in constants of sums alone. */
uint32_t likeness(struct rewriting *, node_id);
/* These constants, in the order of the text; the array is the caller's. place: 0, or of which place
   on the grid it is a coordinate. */
struct like_number {
	int64_t number;
	uint32_t place;
};
size_t like_numbers(const struct rewriting *, node_id, struct like_number **);
/* The same node with these in their places (NODE_NONE: as it is), functions of the index of
   the loop around. NODE_NONE: it can't be made. */
node_id like_with(struct rewriting *, node_id, const node_id *number);

#endif
