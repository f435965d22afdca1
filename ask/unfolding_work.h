/*
 * unfolding_work.h -- what the files of unfolding have in common. Private to ask/unfolding*.c.
 *
 * A body is taken apart into strands, what each of its processes does. Constructs are made
 * innermost first; a loop that several strands have is one construct.
 */
#ifndef TRACENEST_ASK_UNFOLDING_WORK_H
#define TRACENEST_ASK_UNFOLDING_WORK_H

#include "ask/ends.h"
#include "model/matching.h"
#include "model/module_parts.h"
#include "model/substitution.h"

#define NO_LOOP UINT32_MAX

/* So much passes on one side of a channel: sends, receives, one member of a collective. */
struct passage {
	uint32_t side;
	uint64_t count;
};

/* What a strand has of a body: an event, or its part of a loop. */
struct strand_item {
	uint32_t occurrence; /* in the order of the text */
	uint32_t loop; /* a construct; NO_LOOP: an event */
	node_id event;
	size_t line;
	uint32_t key; /* only collectives of equal keys meet: the root */
	size_t flow, flows;
};

struct own_items {
	uint32_t process;
	struct strand_item *item;
	size_t items, capacity;
};

/* By process, ascending; those without items are taken out when all are there. */
struct body_items {
	struct own_items *strand;
	uint32_t count;
	uint32_t occurrences;
	bool folded; /* is there a statement over a set? */
};

/* An event, or a loop over constructs. */
struct construct {
	node_id event; /* NODE_NONE: a loop */
	size_t line;
	int64_t last;
	uint32_t *inside;
	uint32_t length;
	uint32_t unit; /* of the loop in the body that is listed; NO_LOOP */
};

struct plain_side {
	uint32_t channel;
	uint32_t who; /* of messages 0 sends, 1 receives; of collectives the member */
	uint64_t count; /* passed so far; */
	uint32_t stand; /* where it stands in the matching */
};

struct channel_use {
	bool collective;
	uint32_t pieces; /* in the matching */
	uint32_t user[2]; /* the strand seen last that sends (or is a member), and receives */
};

struct plain_making {
	struct module *to;
	struct store *s;
	struct run *run;
	struct ends ends;
	struct environment at;
	uint64_t left; /* of the budget */
	size_t failed; /* the line where it was used up, or a number does not come out */
	bool too_much;
	struct construct *construct;
	size_t constructs, construct_capacity;
	struct passage *flow;
	size_t flows, flow_capacity;
	struct intern *sides; /* {channel, who} */
	struct plain_side *side;
	size_t side_capacity;
	struct channel_use *channel;
	size_t channel_capacity;
	struct matching matching;
};

/* A side of a channel, new if need be. */
uint32_t side_of(struct plain_making *, uint32_t channel, uint32_t who);

/* The strands in canonical order, by component one after the other: constructs; first: by
   component, and one more. Both are the caller's. component: by strand. */
struct listed {
	uint32_t *construct;
	size_t *first;
};
struct listed list_strands(
	struct plain_making *, const struct body_items *, const uint32_t *component, uint32_t components);

uint32_t add_construct(struct plain_making *, struct construct);

#endif
