/*
 * printer.h -- what the parts of the printer of mini-apps (skeleton.c) share.
 *
 * printer_statements.c prints statements and the conditions that they stand under;
 * printer_functions.c, what becomes a function, and what it is called; skeleton.c, the program
 * around them.
 */
#ifndef TRACENEST_REPLAY_PRINTER_H
#define TRACENEST_REPLAY_PRINTER_H

#include "base/intern.h"
#include "model/module_address.h"
#include "replay/blocks.h"
#include "replay/communicators.h"
#include "replay/helpers.h"
#include "replay/posts.h"
#include "replay/sizes.h"
#include "replay/skeleton.h"
#include "replay/temporaries.h"
#include "replay/unmatched_sends.h"
#include "replay/windows.h"
#include "scangen/c_text.h"

/* A set of processes that conditions ask for. */
struct condition {
	struct ranks who;
	uint64_t asked;
	bool mixed; /* its processes talk to others that differ in more than one number */
	int64_t move; /* ... or in this one */
	char *name; /* NULL: it has none */
	bool neighbour; /* it is that of the process they talk to, MPI_PROC_NULL for others */
};

/* A body that is said once, or a phase. */
struct function {
	const struct unit *unit;
	size_t units;
	uint32_t depth;
	const char *wanted; /* what it is called if no other one is; NULL: after what it does */
	char *name;
	uint32_t indices; /* of loops around, which it is given */
	bool done;
	bool told; /* it is told which of the events before which it computes is its first one */
};

/* A part of the program's text: units of its outermost body. */
struct phase {
	const struct unit *unit;
	size_t units;
	size_t function; /* that the loop is; BLOCKS_NONE: the units stand where the phases are run */
	char *name;
};

struct printer {
	const struct overview *o; /* its statements */
	struct module_addresses addresses;
	const struct skeleton_options *options;
	struct text *out;
	struct c_text c;
	struct communicators communicators;
	struct temporaries temporaries;
	struct sizes sizes;
	struct unmatched_sends unmatched_sends;
	struct posts posts;
	bool is_timed;
	struct timed timed; /* if so */
	uint32_t base; /* the first event of the function that is printed, which it is told; UINT32_MAX: it is not */
	uint32_t tracked; /* 0; or the body that is printed is that of a loop so many deep */
	struct blocks blocks;
	struct intern *tags; /* words of tags, and whether they have numbers: MPI has numbers alone */
	struct intern *sets;
	struct condition *condition; /* by set */
	size_t condition_capacity;
	struct function *function;
	size_t functions, function_capacity;
	size_t *function_of; /* by body */
	size_t *condition_of; /* by statement; BLOCKS_NONE: all that are there execute it, */
	size_t *condition_inside; /* ... or its line says who does */
	struct phase *phase;
	size_t phases, phase_capacity;
	struct intern *names;
	struct text *functions_text;
	struct helpers helpers;
	struct intern *operations; /* the program's own reductions, by their words; NULL: there is none; */
	char **operation; /* ... what their functions are called */
	size_t operation_capacity;
	size_t main_loop; /* whose iterations --iterations sets; BLOCKS_NONE */
	bool main_counts; /* does anything in it depend on which iteration it is? */
	bool windows; /* what is one-sided has its windows */
	bool guessed; /* sizes that are not known */
	uint64_t largest; /* bytes that are passed on at once; 0: nothing ever is */
	uint32_t indent;
};

/* ------------------------------------------------------------------ statements */

/* Find the words of tags. The number that MPI is to be given for a tag: that of its own where all
   have one word, else one that no other word has. */
void printer_find_tags(struct printer *);
uint64_t printer_tag(const struct printer *, uint32_t word, bool numbered, uint64_t number);

/* Which statements need a condition: those that not all execute who are there. */
void printer_find_conditions(struct printer *, size_t from, size_t to, const struct ranks *around);

/* A send and a receive in one call, of any processes each, need no condition around it. */
void printer_join_exchanges(struct printer *);

/* Without parentheses around all of it, if there are any: they have another pair. */
void printer_put_ranks_condition(const struct printer *, const struct ranks *who, struct text *);

/* For blocks_of: what tells a statement from others, wherever it stands. */
block_key printer_put_key;

void printer_put_units(struct printer *, const struct unit *, size_t units);

/* The operation of a reduction, MPI_MAX, or op_longest() for one of the program's own. bytes: its
   datatype is MPI_BYTE. And the functions of the latter. */
void printer_put_operation(struct printer *, size_t at, bool bytes);
void printer_put_operations(const struct printer *, struct text *);

/* ------------------------------------------------------------------ functions */

/* A name that nothing has; exchange, exchange_2, ...; of mesh::exchange mesh_exchange. To be freed. */
char *printer_unused_name(struct printer *, const char *wanted);

/* The functions of blocks; a phase for each loop of the text, each call, and what stands between
   them. */
void printer_find_functions(struct printer *);

/* The functions, and run(), which runs all phases, one after the other. */
void printer_put_run(struct printer *);

/* By how many ranks the peer of a message is away, for all processes that pass it on; 0: that differs, or is
   another one in each iteration. O(processes) where it is told on a grid, on which nobody may go
   around. */
int64_t printer_move(const struct printer *, size_t at);

/* Names for conditions that are asked for several times. Where their processes talk to those so
   many ranks away, these have a name instead. */
void printer_name_conditions(struct printer *);

/* A loop in which each process waits for those before it, then serves those behind: where from.
   0: it is none. */
int64_t printer_wavefront(const struct printer *, const struct unit *);

#endif
