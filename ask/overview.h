/*
 * overview.h -- the statements of a run by line, each with what it stands in and who executes it.
 *
 *	struct overview o;
 *	overview_of(&o, run);
 *	for (size_t at = 0; at < o.lines; at = o.line[at].end)
 *		... overview_node(&o, at)->kind ...
 *	overview_clear(&o);
 */
#ifndef TRACENEST_ASK_OVERVIEW_H
#define TRACENEST_ASK_OVERVIEW_H

#include "model/number_range.h"
#include "model/run.h"

#define OVERVIEW_NONE LINE_OUTERMOST

struct overview_line {
	node_id node;
	size_t end; /* the line behind it and all that is inside */
	size_t around; /* the loop or guard that it stands in; OVERVIEW_NONE */
	uint32_t loops; /* around it, guards aside */
	/* Who may execute it: of a loop or guard that does not say, those of what is inside; of what is
	   named by something else than a table, those of the loops around; of a loop of no iterations
	   nobody. */
	struct ranks who;
};

struct overview {
	struct run *run;
	const struct module *module;
	struct store *store;
	struct overview_line *line;
	size_t lines;
	struct ranks all; /* processes; borrowed */
};

/* The run's module has no calls. Borrows it. O(lines * runs of their sets) */
void overview_of(struct overview *, struct run *);
void overview_clear(struct overview *);

static inline const struct node *overview_node(const struct overview *o, size_t at)
{
	return node_of(o->store, o->line[at].node);
}
static inline bool overview_is_event(const struct overview *o, size_t at)
{
	return overview_node(o, at)->kind == NODE_EVENT;
}
static inline bool overview_is_loop(const struct overview *o, size_t at)
{
	return overview_node(o, at)->kind == NODE_LOOP;
}
bool overview_is_kind(const struct overview *, size_t at, enum event_kind);
/* Of what is no event: MATCH_NONE. */
enum event_match overview_match(const struct overview *, size_t at);
/* Does it find others: is it no local event? */
bool overview_is_call(const struct overview *, size_t at);

/* The innermost loop around it; OVERVIEW_NONE. O(guards). */
size_t overview_loop_around(const struct overview *, size_t at);

/* The lowest of those who may execute it; 0: nobody does. */
static inline uint32_t overview_first(const struct overview *o, size_t at)
{
	const struct ranks *who = &o->line[at].who;
	return who->length ? who->run->first : 0;
}

/* The word of an event: its tag's, or what it is called. */
const char *overview_word(const struct overview *, size_t at);

/* Has it an attribute of this name? Its word; "": it has none, or not always the same. */
bool overview_has(const struct overview *, size_t at, const char *name);
const char *overview_attribute_word(const struct overview *, size_t at, const char *name);

/* The number that an attribute is; NODE_NONE: it has none, or it is a word. */
node_id overview_attribute(const struct overview *, size_t at, const char *name);

/* Is it one process that is named, or who has such a peer, whatever set it is over? */
bool overview_is_guarded(const struct overview *, size_t at);

/* Iterations of a loop, if these are the same each time. */
bool overview_trips(const struct overview *, size_t loop, uint64_t *trips);

/* No execution where it comes out is below or above; false: 64 bits do not hold it. */
bool overview_range(const struct overview *, size_t at, node_id number, struct range *);

/* A process there in the first iteration of all loops around. index: the caller's to free. */
void overview_start(const struct overview *, size_t at, uint32_t rank, struct environment *);

#endif
