/*
 * unfold.h -- what the files of unfolding have in common. Private to model/unfold*.c.
 *
 * Nodes are what is made, a tree until all is known: bodies are lists of nodes, and a loop that
 * several bodies have is one node. Each knows the statement that it came from.
 */
#ifndef TRACENEST_MODEL_UNFOLD_H
#define TRACENEST_MODEL_UNFOLD_H

#include "model/matching.h"
#include "model/program.h"
#include "model/sides.h"

#define NONE UINT32_MAX

/* Messages (syncs) of one side. */
struct unfold_flow {
	uint32_t side;
	uint64_t count;
};

/* What one process has of a loop. */
struct unfold_part {
	uint32_t process, component;
	size_t first_flow, past_flow; /* in all iterations */
};

struct made_loop {
	struct unfold_part *part; /* ascending processes */
	uint32_t parts, components;
	size_t *node; /* by component */
	uint32_t *first; /* by component: its lowest process */
	struct unfold_flow *flow;
};

struct unfold_item {
	size_t statement;
	uint32_t event; /* NONE: a loop */
	uint32_t part;
};

/* A construct of the plain program: an event, or a loop over nodes of the list of children. */
struct made_node {
	size_t origin; /* statement */
	uint32_t event; /* NONE: a loop */
	uint64_t count;
	size_t first, length;
};

/* How much has passed on a side; where it stands in the matching of a body. */
struct at_side {
	uint64_t count;
	uint32_t stand;
};

struct on_channel {
	uint32_t pieces; /* in the matching of a body */
	struct match_users users; /* strands */
};

struct strands {
	uint32_t *process; /* ascending */
	uint32_t count;
	size_t *first; /* by strand, and one more */
	struct unfold_item *item;
};

struct unfolding {
	const struct program *folded;
	struct dictionary *dictionary;
	struct made_node *node;
	size_t nodes, node_capacity;
	size_t *child; /* of all loops */
	size_t children, child_capacity;
	bool relist; /* bodies of plain statements too */
	uint32_t **event; /* by statement: its event on each of its processes */
	struct made_loop *loop; /* by statement */
	uint32_t *side_of; /* by event, for those met so far */
	size_t side_capacity, known;
	struct sides sides;
	/* Scratch, clean between uses. */
	struct at_side *at; /* by side */
	struct on_channel *channel;
	size_t at_capacity, channel_capacity;
	uint32_t *strand_of; /* by process: 1 + its strand */
	uint32_t *process_met;
};

/* Append a node. */
size_t unfold_node(struct unfolding *, struct made_node);

/* ------------------------------------------------------------------ strands (unfold_strands.c) */

/* The events of a statement, one per process, in the order of its set. All must be known before
   they stand in strands. */
uint32_t *unfold_events(struct unfolding *, const struct statement *);
void unfold_know_events(struct unfolding *);

/* A body as strands. strand_of says the strand of each process + 1, until they are cleared. */
struct strands unfold_strands(struct unfolding *, size_t from, size_t to);
void unfold_strands_clear(struct unfolding *, struct strands *);

/* The sides that an item uses, on any level: *flows of them; *single gives room for that of an
   event. */
const struct unfold_flow *unfold_flows(
	const struct unfolding *, const struct unfold_item *, struct unfold_flow *single, size_t *flows);

/* By strand: its component, numbered by their lowest strands. Returns how many. */
uint32_t unfold_components(struct unfolding *, const struct strands *, uint32_t *component);

/* What each process has of a loop of so many iterations of this body. */
void unfold_parts(
	struct unfolding *, const struct strands *, const uint32_t *component, uint64_t count, struct made_loop *);

/* ------------------------------------------------------------------ listings (unfold_list.c) */

/* A listing, distributed to the components of its processes. */
struct unfold_listing {
	size_t *node;
	size_t *first; /* by component, and one more */
};

/* The strands in canonical order. component: by strand. unit_of_component: by loop of the body;
   NULL at first. */
struct unfold_listing unfold_list(struct unfolding *, const struct strands *, const uint32_t *component,
	uint32_t components, uint32_t **unit_of_component);

#endif
