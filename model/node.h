/*
 * node.h -- a program as interned nodes: numbers, domains, events, loops, guards, calls and
 * sequences are of one type, equal nodes are one id, and what is often asked of a node (what it
 * depends on, what it costs its reader) is found once, when it is made.
 *
 *	struct store *s = store_new(16, &(struct grid){0});
 *	node_id next = number_add(s, number_variable(s, VARIABLE_P), number_constant(s, 1), 1);
 *	...
 *	store_free(s);
 *
 * Indices are counted from the statement outwards (0 is that of the innermost loop), so that a body
 * is the same node wherever it stands. A changed program shares all that has not changed, and the
 * old one is still there. Comments and call sites are no part of a node: they hang at a line of a
 * module (model/module.h).
 *
 * A store belongs to one thread at a time. It grows until it is freed, or released to a mark.
 */
#ifndef TRACENEST_MODEL_NODE_H
#define TRACENEST_MODEL_NODE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ranks.h"
#include "model/event_kinds.h"
#include "model/grid.h"
#include "model/statement_limits.h"
#include "model/table.h"

typedef uint32_t node_id;
#define NODE_NONE 0

enum node_kind {
	/* Numbers. A SUM is `number` and its kids, TERMs; a TERM is `number` times its kid, a
	   factor. All numbers below stand as sums; the kinds behind TERM are factors. */
	NODE_SUM,
	NODE_TERM,
	NODE_VARIABLE, /* number: enum node_variable, VARIABLE_PARAMETER + k or VARIABLE_INDEX + k */
	NODE_REMAINDER, /* sum % sum, never negative */
	NODE_POWER, /* sum ^ sum */
	NODE_XOR, /* p ^ sum */
	NODE_GRID, /* the rank at these coordinates, each taken modulo the size of its axis: sums */
	NODE_ENTRY, /* a TABLE, or a parameter that is one; sums: its arguments */
	NODE_PRODUCT, /* of two factors or sums */
	NODE_FUNCTION, /* of parametric texts; sub: enum node_function; sums */
	NODE_TABLE, /* word: its name; number: of the store's tables; or, with a kid, a sum for each
	               coordinate (sub: 'p', 'x' ... 'w') */
	NODE_TEST, /* sub: enum node_test; a sum; number: what it is compared with, or a table of the store */
	/* Domains: who executes a statement. sub: 1 where it is written without brackets. */
	NODE_ALL,
	NODE_RANKS, /* number: a set of the store */
	NODE_WHERE, /* COMPARISONs that all hold */
	NODE_COMPARISON, /* sub: enum node_function; two sums */
	NODE_NAMED, /* the one process that a sum comes to */
	/* Groups that depend on the process; others are domains. */
	NODE_LINE, /* by axis a sum, or NODE_NONE for all coordinates */
	NODE_SELF,
	NODE_BY_COMMUNICATOR, /* who executes the event and has the same communicator */
	/* Statements */
	NODE_WORD, /* word, as it is written: "8" in quotes; sub: 1 where a parametric text does not know the value, bytes=?(8..640) */
	NODE_WORDS, /* WORDs, constant sums, NODE_NONE (no attribute) from which the sum of the attribute chooses */
	NODE_ATTRIBUTE, /* word: its name; a sum or NODE_NONE; a WORD, WORDS or NODE_NONE */
	NODE_EVENT, /* sub: enum event_kind; word; by enum event_column a kid or NODE_NONE, then ATTRIBUTEs;
	               number: 1 if it takes part only where its peer is inside of the open grid */
	NODE_LOOP, /* a domain or NODE_NONE; the last value of its index, below 0: no iterations; a SEQUENCE */
	NODE_GUARD, /* a domain or NODE_NONE; a TEST; a SEQUENCE; sub: 1 behind the guard of the opposite */
	NODE_CALL, /* a PROCEDURE; by parameter a sum, a TABLE, or a parameter that is a table */
	NODE_PROCEDURE, /* word: its name; a SEQUENCE; by parameter a VARIABLE with its name, sub: 1 if it is a table */
	NODE_SEQUENCE, /* statements */
	NODE_KINDS
};

enum node_variable {
	VARIABLE_P, /* the process */
	VARIABLE_X, /* ... its coordinates */
	VARIABLE_Y,
	VARIABLE_Z,
	VARIABLE_W,
	VARIABLE_RANKS, /* P */
	VARIABLE_SIZE, /* X Y Z W */
	VARIABLE_SYMBOL = VARIABLE_SIZE + 4, /* parameters of a problem, in parametric texts: N */
	VARIABLE_COUNTER = 31, /* of the sum() around; q of an attribute by member, bytes[q] */
	VARIABLE_PARAMETER = 32, /* of the procedure around */
	VARIABLE_INDEX = 64
};
#define SYMBOLS_LIMIT 4
#define PARAMETERS_LIMIT 16

enum node_test { NODE_TEST_NOT_ZERO, NODE_TEST_EQUAL, NODE_TEST_DIFFERS, NODE_TEST_AMONG, NODE_TEST_NOT_AMONG };

enum node_function {
#define X(name, text, arguments) FUNCTION_##name,
#include "model/functions.def"
#undef X
	FUNCTIONS
};

extern const struct function_row {
	const char *text;
	uint32_t arguments;
} function_rows[FUNCTIONS];

enum event_column { COLUMN_WHO, COLUMN_PEER, COLUMN_TAG, COLUMN_COMMUNICATOR, COLUMN_GROUP, COLUMN_ROOT, COLUMNS };

/* What a node depends on, a bit each: the index k loops outwards (bit 31: 31 and more), parameter
   k, the process, the extents of the run, the counter. */
#define USES_INDEX(k) (UINT64_C(1) << ((k) < 31 ? (k) : 31))
#define USES_INDICES UINT64_C(0xffffffff)
#define USES_PARAMETER(k) (UINT64_C(1) << (32 + (k)))
#define USES_PARAMETERS (((UINT64_C(1) << PARAMETERS_LIMIT) - 1) << 32)
#define USES_PROCESS (UINT64_C(1) << 48)
#define USES_EXTENTS (UINT64_C(1) << 49)
#define USES_COUNTER (UINT64_C(1) << 50) /* inside of what counts */

/* ... for a purpose: how often it happens; with whom; on what channel; with what attributes. */
enum purpose { FOR_COUNT, FOR_PEER, FOR_CHANNEL, FOR_ALL, PURPOSES };

#define COST_UNIT 20 /* a statement */

struct node {
	uint8_t kind, sub;
	uint16_t depth; /* loops inside each other */
	uint32_t kids, word, hash;
	int64_t number;
	uint64_t uses[PURPOSES];
	uint32_t cost; /* of reading it once, in COST_UNITs; not of what it calls and of its tables; saturates */
	/* of a number as it is printed: remainders, divisions, powers; signs; look-ups; commas.
	   Saturate. */
	uint8_t marks, signs, looks, commas;
	uint32_t lines, statements; /* of its text; ... with calls replaced by what they call. Saturate. */
	uint32_t loops; /* of the text with calls replaced */
	uint32_t height; /* statements inside each other, calls replaced */
	node_id kid[];
};

struct store;
/* For runs of so many processes on this grid (axes 0: none): sets of ranks are written, and cost,
   by them. Without processes for parametric texts, which have no sets. */
struct store *store_new(uint32_t processes, const struct grid *);
/* The same one, which is there until whoever shares it has freed it, too. */
struct store *store_share(struct store *);
void store_free(struct store *);

/* What a store begins with: it is looked into more often than anything else. */
struct store_nodes {
	struct node **node;
	uint32_t count; /* with the one that is none */
};

/* Borrowed until the store is freed or released. O(1). */
static inline const struct node *node_of(const struct store *s, node_id id)
{
	const struct store_nodes *nodes = (const struct store_nodes *)s;
	assert(id < nodes->count);
	return nodes->node[id];
}
static inline node_id node_kid(const struct store *s, node_id id, uint32_t k)
{
	return node_of(s, id)->kid[k];
}

/* The attribute of this name; NODE_NONE: it has none. */
static inline node_id event_attribute(const struct store *s, const struct node *event, uint32_t name)
{
	for (uint32_t k = COLUMNS; k < event->kids; k++)
		if (node_of(s, event->kid[k])->word == name)
			return event->kid[k];
	return NODE_NONE;
}

/* The node with these fields, new if need be; kid: kids of them, from the same store. O(kids)
   expected. */
node_id node_make(
	struct store *, enum node_kind, int sub, uint32_t word, int64_t number, uint32_t kids, const node_id *kid);

/* The same node with other kids, as many. */
node_id node_with(struct store *, node_id, const node_id *kid);

/* Words, tables and sets of ranks are interned, too; 0 is the empty word. A table is taken, and
   shared with whoever had an equal one of the same name. */
uint32_t store_word(struct store *, const char *bytes, size_t length);
const char *store_get_word(const struct store *, uint32_t word);
uint32_t store_table(struct store *, struct table *);
const struct table *store_get_table(const struct store *, uint32_t table);
uint32_t store_ranks(struct store *, const struct ranks *);
const struct ranks *store_get_ranks(const struct store *, uint32_t ranks);
const char *store_ranks_text(const struct store *, uint32_t ranks); /* "x>0", "0,4-7" (model/sets.h) */

/*
 * What was made since a mark is forgotten, but for what these nodes are made of, which get new ids
 * (in place; `keep` of them). Ids from before the mark stay. O(what is forgotten + what is kept).
 */
struct store_mark {
	uint32_t nodes;
	size_t bytes;
};
struct store_mark store_mark(const struct store *);
void store_release(struct store *, struct store_mark, node_id *node, size_t keep);

/* For those who measure: nodes, bytes held. */
void store_sizes(const struct store *, size_t *nodes, size_t *bytes);

/* Fills in what is derived of a node whose fields and kids are there. */
void node_derive(const struct store *, struct node *);

#endif
