/*
 * scene.h -- what a picture shows of a program: a tree of systems, with the process lines folded
 * where there are many.
 *
 * A system is a sequence of constructs on *lanes* (a rank, or a band of ranks that do the same),
 * with the messages between them. The scene knows nothing of geometry; layout.h gives every item
 * its place.
 */
#ifndef TRACENEST_VIZ_SCENE_H
#define TRACENEST_VIZ_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ranks.h"
#include "base/text.h"
#include "viz/drawn.h"
#include "viz/viz.h"

#define SCENE_NONE UINT32_MAX

enum item_kind {
	ITEM_SEND,
	ITEM_RECV,
	ITEM_SYNC,
	ITEM_LOCAL,
	ITEM_LOOP,
	ITEM_BLOCK, /* events of a band whose ranks differ, not drawn one by one */
	ITEM_CUT, /* constructs left out, over all lanes */
};

/* Of events that say where calls begin and end (`model --events mpi`). */
enum call_end { CALL_NEITHER, CALL_BEGINS, CALL_ENDS };

struct scene_item {
	enum item_kind kind;
	enum call_end call; /* LOCAL */
	uint32_t system; /* where it stands */
	uint32_t inside; /* loops: the system that is its body; SCENE_NONE: not opened */
	size_t statement, past; /* of what is drawn; the first, if it stands for several. CUT: and behind the last */
	struct drawn_event event; /* SEND to LOCAL: as its first rank has it */
	uint64_t count; /* LOOP: iterations; BLOCK, CUT: constructs */
	uint64_t
		multiplicity; /* constructs of all processes that it stands for: 1 but where lanes are bands or roles */
	uint64_t events; /* of all processes and iterations, where it stands once; saturates */
	uint64_t messages; /* sends of these */
	double share; /* LOOP: of the run time, of all that it stands for together; or TIMES_UNKNOWN */
	const uint32_t *lane;
	uint32_t lanes; /* ascending */
	uint32_t tag; /* SEND, RECV: as it is coloured */
	/* In pictures by roles (wording.h): */
	const char *words; /* what is written at an event, or of a loop whose count advances; NULL: nothing */
	const char *line; /* of an event, or a call: the whole statement */
	bool counted; /* LOOP: a loop, and no condition or call, which the words are then */
	bool below; /* the words stand below the line */
	/* SEND, RECV: the whole run has more of these on its channel than of the other ends,
	   which are not in the trace. Known where the whole program is drawn. */
	bool lost;
	bool loose; /* has messages that are no links: from a role to itself, back in time; to another iteration */
};

/* Messages from one item to another of the same system. */
struct scene_link {
	uint32_t from, to; /* items */
	uint32_t from_lane, to_lane;
	uint32_t tag; /* drawn_tag */
	uint64_t count;
	bool single; /* both ends are a send and a receive: an arrow, and an order */
};

/* Lane by lane, and on each in order: T. */
struct scene_step {
	uint32_t lane, item;
};

struct scene_system {
	uint32_t owner; /* the loop, or SCENE_NONE: the root */
	uint32_t depth; /* loops around it */
	const uint32_t *lane;
	uint32_t lanes;
	uint32_t first_item, items;
	uint32_t first_link, links;
	const struct scene_step *step;
	uint32_t steps;
};

struct scene {
	struct drawn *drawn;
	bool roles; /* lanes are roles; else they are processes or bands */
	uint32_t processes;
	double time_top; /* the share of the run time with which the scale ends; 0: nothing was told */
	double *share; /* by statement drawn: of the run time, of one loop; NULL: nothing was told */
	struct ranks *lane; /* the ranks of each */
	uint32_t lanes;
	bool banded; /* some lane has several ranks */
	bool opened; /* some ranks have a line of their own, whatever they do */
	bool *mixed; /* per lane: its ranks differ, and only loops and collectives are drawn of it */
	struct scene_system *system;
	size_t systems, system_capacity;
	struct scene_item *item;
	size_t items, item_capacity;
	struct scene_link *link;
	size_t links, link_capacity;
	const uint32_t *lane_of; /* per rank; SCENE_NONE: not drawn */
	uint32_t depth_limit; /* loops are opened to this depth */
	bool limited; /* ... because of the size of the picture, not because it was asked for */
	const char *part; /* the address of what is drawn; "": all; borrowed */
	const char *const *formula; /* of viz_options */
	struct arena *arena;
};

/*
 * NULL with *error set if there is no statement at the address, or a rank that does not exist is to
 * be opened. The module must outlive the scene.
 */
struct scene *scene_new(const struct module *, const struct viz_options *, struct error *);
void scene_free(struct scene *);

/* The line of an item in the text without calls. */
static inline size_t scene_source(const struct scene *s, const struct scene_item *i)
{
	return s->drawn->origin[i->statement];
}

/*
 * Of its statement in the text of the program; in a picture of processes several items may have one
 * address.
 */
void scene_address(const struct scene *, uint32_t item, struct text *out);

/*
 * What an event carries, as its statement says it: " ; bytes=800", or nothing. Where lines are
 * processes, as the first of its processes has it.
 */
void scene_carried(const struct scene *, uint32_t item, struct text *out);

/* Where in the source it is, "main (main.f:12) > compute_rhs (rhs.f:203)"; nothing where that is not
   known. */
void scene_sites(const struct scene *, uint32_t item, struct text *out);

/* The function that a loop is in, if it is one with a name; borrowed; NULL: it is not. */
const char *scene_function(const struct scene *, uint32_t item);

/* The size of its message, in the first iterations; false: it is not known. */
bool scene_size(const struct scene *, uint32_t item, uint64_t *bytes);

/* The index of a lane among those of a system, which it must be one of. O(log lanes). */
uint32_t scene_lane_index(const struct scene_system *, uint32_t lane);

#endif
