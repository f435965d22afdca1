/*
 * tree.h -- what all processes do as one tree of loops: the form in which a program is built.
 *
 *	for i0 = 0 to 19			loop	lanes 0-15	count: same 20
 *	  [0-15] p send p+1 tag7 ; bytes=$b	event	lanes 0-15	peer, tag, bytes: by lane, by i0
 *	  if {i0} = 3				guard	lanes 0-15	1 where it holds, else 0
 *	    call exchange(64)			call	lanes 0-7	arguments
 *
 * A lane is a process (of a run: several runs may be built together). A node has the set of lanes
 * that execute it, and slots: for each lane what stands there, by the indices of the loops around
 * (indexed.h). Of an event these are the numbers of its shape, of a loop its count, of a guard 0
 * and 1, of a call the arguments. So a node says exactly what its lanes do, whatever formula is
 * found for it later.
 *
 * Nodes and lists do not change once they are made, may stand in several places, and live as long
 * as the builder's arena.
 */
#ifndef TRACENEST_MERGE_TREE_H
#define TRACENEST_MERGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "merge/indexed.h"
#include "model/grid.h"
#include "model/statement_limits.h"

enum tree_kind { TREE_EVENT, TREE_LOOP, TREE_GUARD, TREE_CALL };

/* What the numbers of an event are. */
enum tree_slot {
	SLOT_IS_PEER, /* a rank; of a rooted collective its root */
	SLOT_IS_TAG, /* the number of the tag */
	SLOT_IS_COMMUNICATOR,
	SLOT_IS_BYTES,
	SLOT_IS_RECEIVED,
	SLOT_IS_COUNT, /* of a loop */
	SLOT_IS_CONDITION, /* of a guard */
	SLOT_IS_ARGUMENT, /* of a call */
	TREE_SLOTS
};
#define SLOT_IS_SIZE(slot) ((slot) == SLOT_IS_BYTES || (slot) == SLOT_IS_RECEIVED)
#define EVENT_SLOTS 5

/* What must be equal for two events to be one statement. All bytes are the identity. */
struct tree_shape {
	uint32_t kind; /* enum event_kind */
	uint32_t word; /* stem of the tag, name of the collective, words of a local event */
	uint32_t numbered; /* has the tag a number? */
	uint32_t slots; /* bits: 1 << enum tree_slot */
	uint32_t sites; /* where sites tell events apart: those of the statement (model/sites.h) */
	uint32_t grouped; /* sync: enum tree_group */
	/* sync: the set of ranks, an id of the dictionary; the axes of the grid along which the line, or
	   plane, has all, a bit each; the partition of processes into groups */
	uint64_t group;
};

/* How the group of a collective depends on the process. */
enum tree_group { GROUP_IS_SET, GROUP_IS_LINE, GROUP_IS_IN_PARTITION };

struct tree_list {
	struct tree_node *const *node;
	size_t length;
};

struct tree_procedure;

struct tree_node {
	enum tree_kind kind;
	uint32_t shape; /* of an event: of the builder's shapes */
	uint32_t structure; /* equal for nodes that differ in numbers and lanes alone */
	uint32_t lanes; /* a set: tree_lanes */
	uint32_t size; /* statements: itself and all inside */
	uint32_t slots;
	uint32_t joint; /* of a loop that processes share already: equal for their parts; 0: not known */
	uint32_t activation; /* of the builder's: the innermost one that it is a part of; 0: not known */
	/* Inside of a procedure: which slots (bits) hold the number of one of its parameters, by
	   lane and index, instead of what stands there. */
	uint32_t parameters;
	const indexed **slot; /* each by lane, in the order of the set */
	struct tree_list body; /* of a loop or guard */
	const struct tree_procedure *procedure; /* of a call */
};

/* A body that is called. Its nodes have no index of loops around the call. */
struct tree_procedure {
	uint32_t number; /* in the order in which they were made */
	struct tree_list body;
	uint32_t parameters;
	/* of each: is the argument the same number in all calls, and so no parameter in the
	   text? */
	const bool *fixed;
	const int64_t *fixed_number;
	const char *function; /* of the source, of which each call is one: its name, or ""; NULL: of none */
	uint32_t outer; /* the activation that its nodes are called by: activations inside are so of one call */
};

/* A call of a function of the source, at one place of the text. */
struct tree_activation {
	uint32_t function; /* equal for calls of one function */
	const char *name; /* its name, in the arena; "": not known */
	uint32_t outer; /* the activation that calls it; 0: none */
	uint32_t frames; /* of a path, from the outermost to the one in this function; 0: not known */
};

/* Groups of collectives that have no process in common. */
struct tree_partition {
	uint32_t *group; /* by process: a set of the dictionary; UINT32_MAX: it is in none */
	size_t groups;
	bool lines; /* are they all lines of the grid at hand? */
};

struct tree_builder {
	struct arena *arena; /* of nodes, lists, slots */
	struct indexed_store *store;
	struct intern *shapes; /* struct tree_shape */
	struct intern *structures;
	struct intern *lane_sets; /* sorted uint32_t */
	uint32_t lanes; /* all of them */
	const uint32_t *process; /* by lane */
	struct tree_partition *partition;
	size_t partitions, partition_capacity;
	struct tree_procedure **procedure; /* those that there are */
	size_t procedures, procedure_capacity;
	struct tree_activation *activation; /* from 1 on */
	size_t activations, activation_capacity;
	const struct tag_names *tags; /* processes that tags name; NULL: not known */
};

struct tree_builder *tree_builder_new(uint32_t lanes, const uint32_t *process);
void tree_builder_free(struct tree_builder *);

/* A new one. */
uint32_t tree_activation(struct tree_builder *, struct tree_activation);

/* The first partition in which nobody of the set is in a group; a new one, if there is none. */
struct tree_partition *tree_partition_without(struct tree_builder *, const struct ranks *, uint32_t processes);

/* A set of lanes: ascending numbers; and the id of one. lane_index: where a lane stands in a set;
   it must be in there. O(log). */
struct lane_set {
	const uint32_t *lane;
	size_t length;
};
struct lane_set tree_lanes(const struct tree_builder *, uint32_t set);
uint32_t tree_lane_set(struct tree_builder *, const uint32_t *lane, size_t length);
bool tree_lanes_meet(const struct tree_builder *, uint32_t a, uint32_t b);
size_t lane_index(struct lane_set, uint32_t lane);
bool lane_set_has(struct lane_set, uint32_t lane);

/* Lanes that do the same; they are added in ascending order. Of a qsort, also of structs that begin
   with one: those of most lanes come first. */
struct lane_class {
	uint32_t *lane;
	size_t lanes, capacity;
};
void lane_class_add(struct lane_class *, uint32_t lane);
int lane_class_compare(const void *, const void *);

const struct tree_shape *tree_shape(const struct tree_builder *, const struct tree_node *event);

/* In the first iteration of so many loops around, and in these of the ones inside. */
struct tree_standing {
	uint32_t outside;
	const size_t *index;
	size_t loops;
};
/* What stands there; INDEXED_NONE: nothing is executed. */
indexed tree_standing_at(const struct tree_builder *, indexed, const struct tree_standing *);

/* The number in a slot of an event, for the k-th of its lanes; `otherwise`: it has none. */
int64_t tree_number(const struct tree_builder *, const struct tree_node *event, enum tree_slot, size_t k,
	const struct tree_standing *, int64_t otherwise);

/* The channel of a message of the k-th lane of the node. Its bytes are its identity. */
struct tree_channel {
	uint32_t from, to, word, numbered;
	int64_t number, communicator;
};
struct tree_channel tree_channel(
	const struct tree_builder *, const struct tree_node *message, size_t k, const struct tree_standing *);

/* The slots of a shape in their order: which one is the k-th; their number. */
enum tree_slot tree_slot_of(const struct tree_builder *, const struct tree_node *, uint32_t k);

/*
 * New nodes. slot: each by lane of the set; taken as they are, in the arena (tree_slots gives room:
 * an array of `slots` arrays, each as long as the set). A body is in the arena, too.
 */
indexed **tree_slots(struct tree_builder *, uint32_t slots, uint32_t set);
struct tree_node *tree_event(struct tree_builder *, uint32_t shape, uint32_t set, indexed **slot, uint32_t parameters);
struct tree_node *tree_loop(
	struct tree_builder *, enum tree_kind, uint32_t set, const indexed *count, struct tree_list body);
struct tree_node *tree_with_body(struct tree_builder *, const struct tree_node *loop_or_guard, struct tree_list body);
struct tree_node *tree_call(
	struct tree_builder *, const struct tree_procedure *, uint32_t set, indexed **argument, uint32_t parameters);

/* A list in the arena of these nodes. */
struct tree_list tree_list_of(struct tree_builder *, struct tree_node *const *node, size_t length);
size_t tree_size(struct tree_list); /* statements */
uint32_t tree_list_lanes(struct tree_builder *, struct tree_list); /* all lanes that execute something */

/* What stands in a slot for a lane of the node's set. */
indexed tree_at(const struct tree_builder *, const struct tree_node *, uint32_t slot, uint32_t lane);

/* The node as those of these lanes have it that execute it; NULL: none does. */
struct tree_node *tree_of_lanes(struct tree_builder *, struct tree_node *, const uint32_t *lane, size_t lanes);

/* The same node, each number of it (those of the nodes inside, too) changed by a function. */
typedef indexed (*tree_change)(void *context, indexed);
struct tree_node *tree_map(struct tree_builder *, const struct tree_node *, tree_change, void *context);

/* The counts of the loops around, the outermost first, for a lane: room for tree_depth of them. */
struct tree_context;
void tree_counts_around(const struct tree_builder *, const struct tree_context *, uint32_t lane, indexed *count);

/*
 * Nodes of one structure and one set of lanes at each place, copies of a body that follow each
 * other in this context, as one that stands under a loop more in it: copy by copy is iteration by
 * iteration.
 */
struct tree_node *tree_zip(
	struct tree_builder *, struct tree_node *const *copy, size_t copies, const struct tree_context *);

/* One node for both, which are of one structure and have no lane in common. */
struct tree_node *tree_either(struct tree_builder *, const struct tree_node *, const struct tree_node *);

/* Loops of one iteration, whoever executes them, and guards that always hold are what stands in
   them. depth: of the list. */
struct tree_list tree_dissolve(struct tree_builder *, struct tree_list, uint32_t depth);

/* A loop at this depth that does the same again after so many of its iterations as two, one inside
   the other. */
struct tree_node *tree_block(
	struct tree_builder *, const struct tree_node *loop, size_t iterations, size_t period, uint32_t depth);

/* The iterations of a loop at this depth, which has so many for all lanes, one behind the other. */
struct tree_list tree_unroll(struct tree_builder *, const struct tree_node *loop, size_t iterations, uint32_t depth);

/* Equal for nodes that have the same lanes in each place. */
uint32_t tree_lane_signature(struct tree_builder *, const struct tree_node *);

/* The loops around a place, the innermost first; a guard is one, too. NULL: none. */
struct tree_context {
	const struct tree_node *loop;
	const struct tree_context *outer;
	uint32_t depth; /* of the loop: 0 the outermost */
};
static inline uint32_t tree_depth(const struct tree_context *c)
{
	return c ? c->depth + 1 : 0;
}

#endif
