/*
 * number.h -- numbers as nodes: one type for tags, peers, roots, counts, arguments, sizes and
 * values.
 *
 *	16*4^(5-i0)  p+1  (p+1)%16  @(x+1,y)  800+2*$b[p,i1%7]  log2(P)-1
 *
 * A number is a sum: a constant, and terms. Equal sums are equal nodes; what is not the same sum
 * may still come to the same (x+2 and x-1 on an axis of three). Functions that make one give
 * NODE_NONE where 64 bits, or NUMBER_TERMS, do not suffice, or an operand is NODE_NONE.
 */
#ifndef TRACENEST_MODEL_NUMBER_H
#define TRACENEST_MODEL_NUMBER_H

#include "base/error.h"
#include "model/node.h"

/* Terms of one sum. */
#define NUMBER_TERMS 32

node_id number_constant(struct store *, int64_t);
node_id number_variable(struct store *, int64_t variable);
node_id number_of_factor(struct store *, node_id factor); /* a sum of it alone */
/* The sum of a factor that is made as node_make has it, in its simplest form: 2*3 is 6.
   NODE_NONE where a kid is. */
node_id number_of_kids(
	struct store *, enum node_kind, int sub, uint32_t word, int64_t number, uint32_t kids, const node_id *kid);
node_id number_add(struct store *, node_id a, node_id b, int64_t times); /* a + b * times */
node_id number_multiply(struct store *, node_id a, node_id b);
node_id number_remainder(struct store *, node_id a, node_id modulus);
node_id number_power(struct store *, node_id base, node_id exponent);
node_id number_xor(struct store *, node_id with);
node_id number_grid(struct store *, const node_id *coordinate, uint32_t axes);
/* The constant of an argument is within its modulus: $b[(i0+5)%4] is $b[(i0+1)%4]. */
node_id number_entry(struct store *, node_id table, const node_id *argument, uint32_t arguments);
node_id number_function(struct store *, enum node_function, const node_id *argument);

/* The value at one process, and 0 at all others, {40 at 0}; or the other way round, {40 not at 0}. As
   it is read, the value is times * value (NODE_NONE: 1; else a factor, or a sum, which comes once);
   number_there_value: both as one sum. */
node_id number_at_process(struct store *, node_id value, node_id process, bool there);
struct number_there {
	bool there; /* or at all others */
	node_id process, value;
	int64_t times;
};
bool number_is_at_process(const struct store *, node_id, struct number_there *);
bool number_is_process_test(const struct store *, node_id factor, struct number_there *); /* p==N, p!=N alone */
node_id number_there_value(struct store *, const struct number_there *);

/* Is the sum this number, or (AMONG) one of this table of the store? */
node_id test_make(struct store *, enum node_test, int64_t number, node_id sum);
node_id test_opposite(struct store *, node_id test);

bool number_is_constant(const struct store *, node_id, int64_t *);
/* What a word, or words of which a number chooses, are as an attribute; NODE_NONE: there is none. */
node_id attribute_of(struct store *, uint32_t name, node_id number, node_id words);
/* The one factor that it is; NODE_NONE: it is more, or less. */
node_id number_single(const struct store *, node_id);

/* How it is written. place: as a peer or a root, where the process needs no braces. */
enum number_shape { SHAPE_NUMBER, SHAPE_ENTRY, SHAPE_BRACES, SHAPE_OFFSET, SHAPE_RING, SHAPE_GRID, SHAPE_XOR };
enum number_shape number_shape(const struct store *, node_id, bool place);
/* Are its terms between braces? */
bool number_is_braced(const struct store *, node_id, bool place);

/* ------------------------------------------------------------------ what it comes to */

enum failure {
	FAILURE_NONE,
	FAILURE_OVERFLOW, /* beyond 64 bits */
	FAILURE_EXPONENT, /* below 0 */
	FAILURE_ENTRY, /* a table has no such entry */
	FAILURE_DIVISION, /* by 0 or less; not whole; a function of what it is not defined for */
	FAILURE_INDEX, /* there is no such loop or parameter around */
	FAILURE_STEPS, /* loops whose iterations differ have too many (RUN_STEPS, CURSOR_STEPS) */
	FAILURE_DEPTH, /* statements are too deep inside each other (RUN_DEPTH) */
	FAILURE_PEER /* a message is for nobody */
};
const char *failure_text(enum failure); /* "a number is beyond 64 bits" */

/* An argument that does not come out: a failure where its parameter is asked for. */
#define PARAMETER_UNKNOWN INT64_MIN

/*
 * What names stand for: the run (processes, extents, parameters of the problem), the process, the
 * indices of the loops around, the parameters of the procedure around. A parametric program at so
 * many processes is the same program in another environment.
 */
struct environment {
	struct store *store;
	uint32_t processes;
	struct grid grid;
	int64_t symbol[SYMBOLS_LIMIT];
	int64_t p, axis[GRID_AXES];
	int64_t *index; /* borrowed; the outermost first: `depth` of them, of which those from `base` on have names */
	size_t depth, base;
	const int64_t *parameter; /* borrowed; numbers, or tables as their nodes */
	int64_t counter;
	/* loops that stand for all their iterations at once, a bit by depth, and how many these are
	   */
	uint64_t open;
	int64_t trips[64];
	enum failure failure; /* of the first number that did not come out; stays until it is cleared */
	node_id failed; /* ... the factor */
};

/* Of this process; what is behind the symbols is cleared. */
void environment_set(struct environment *, uint32_t rank);
/* Of this process, in the same iterations. */
void environment_move(struct environment *, uint32_t rank);

/* False with "process 3: a number is beyond 64 bits" in the error where one did not come out. */
bool environment_good(const struct environment *, struct error *);

/* 0, and the environment's failure is set, where it does not come out. */
int64_t number_at(struct environment *, node_id);
/* The same of a number of an attribute by member (model/attributes.h), for this one. */
int64_t number_of_member(struct environment *, node_id, uint32_t member);
bool relation_holds(enum node_function, int64_t a, int64_t b); /* of FUNCTION_LESS to FUNCTION_DIFFERS */
bool test_holds(struct environment *, node_id test);
bool comparison_holds(struct environment *, node_id comparison); /* not where a number does not come out */
/* The processes of the run that are in a domain, ALL, RANKS or WHERE; the environment is of none, and
   has the failure where a number does not come out: false. to: empty. O(processes). */
bool domain_holds(struct environment *, node_id domain, struct ranks *to);

/* Is the place inside of the open grid; or, elsewhere, a rank of the run? */
bool place_is_in(struct environment *, node_id place);

/*
 * The same number with something put in: arguments for parameters, as they are seen from so many
 * loops further in; what an environment knows, but for what these USES_ are of. NODE_NONE where 64
 * bits, or NUMBER_TERMS, do not suffice; what does not come out is the environment's failure.
 */
struct substitution {
	struct store *store;
	const node_id *argument; /* of the procedure around; NULL: parameters stay, */
	int64_t deeper; /* and indices are of so many loops further out */
	struct environment *at; /* NULL: nothing is known */
	uint64_t kept;
	const node_id *
		outer; /* sums, as seen from there, for the indices of loops further out than so many; NULL: these stay */
	uint32_t inside;
};
node_id number_put(const struct substitution *, node_id);
bool is_put_in(const struct substitution *, node_id); /* does it change? */
/* The same of anything that has numbers, in statements inside as they are seen from there; NODE_NONE:
   an attribute that is not there. *good is set to false where a number can't be made. An environment
   knows no loops inside. */
node_id node_put(const struct substitution *, node_id, bool *good);

/* The indices of so many loops around, USES_ of them. */
static inline uint64_t uses_inside(uint64_t loops)
{
	return loops < 32 ? USES_INDEX(loops) - 1 : USES_INDICES;
}

/* The number as a function of the indices of open loops alone, everything else put in: two ends of
   a channel fit in all iterations at once if these are equal. */
node_id number_partial(struct environment *, node_id);
/* Does the index of an open loop matter to who uses these (USES_INDEX)? */
bool environment_varies(const struct environment *, uint64_t uses);

/* An entry of a table, as a factor ENTRY has it; false: there is none. */
bool entry_at(struct environment *, node_id table, const int64_t *argument, uint32_t arguments, int64_t *entry);

#endif
