/*
 * follow.h -- the events of one run, read by the text of another.
 *
 *	struct guide *t = guide_of(module, &its_extents, true, &error);	-- of the largest run
 *	struct followed *f = follow(t, run, &extents, &progress, &error);
 *
 * The text of a run is taken as what it stands for at any number of processes, but for its numbers
 * and sets: each number may be any small formula of the extents that comes to it there (X-1, 2*P,
 * log2(P)), each set any condition that means it. The streams of the other run are then parsed by
 * it, process by process: where a number or a membership is still open, what the events say
 * decides, with backtracking. So copies of a body that another text lists one by one, and
 * statements that it puts in another order where no process minds, need no alignment.
 *
 * What survives is what each slot (a number of a statement) may be in that run, and which
 * conditions hold. Sizes and communicators do not guide the parse; all that they were is kept.
 */
#ifndef TRACENEST_SIZES_FOLLOW_H
#define TRACENEST_SIZES_FOLLOW_H

#include "model/run.h"
#include "sizes/conditions.h"
#include "sizes/number_parts.h"

/* Those of attributes, in the order of their names. */
#define SIZES 4
extern const char *const size_names[SIZES];
enum slot_kind { SLOT_PEER, SLOT_TAG, SLOT_COMMUNICATOR, SLOT_SIZES, SLOT_COUNT = SLOT_SIZES + SIZES, SLOT_CONDITION };

struct slot {
	size_t line;
	enum slot_kind kind;
	node_id number; /* of a loop how often; of a guard what is tested; of one process its number */
	node_id test; /* of a guard */
	struct number_parts parts;
};

/* Processes that execute a statement. */
struct guide_set {
	node_id domain;
	struct condition_of_ranks *condition; /* that mean it; they become fewer with each run */
	size_t conditions;
};

struct guide {
	const struct module *module; /* borrowed; without calls */
	struct learned_runs own; /* the one run that it is of */
	struct guide_line {
		node_id statement;
		uint32_t depth; /* loops around */
		size_t first_slot;
		size_t set; /* SIZE_MAX: whoever comes there */
	} * line; /* by line; one more, of nothing, behind the last */
	struct slot *slot; /* by line, then kind */
	size_t slots, slot_capacity;
	struct guide_set *set;
	size_t sets, set_capacity;
	uint32_t size_name[SIZES]; /* words of the store */
	uint32_t depth; /* of all loops */
};

/* conditions: look for those of its sets, too. extents: borrowed. */
struct guide *guide_of(const struct module *, const struct extents *, bool conditions, struct error *);
void guide_free(struct guide *);

/* The statement at a line, for messages: what an event is; else that it is a loop. */
void guide_print(const struct guide *, size_t line, const char *loop, struct text *);

/* The same slot with another number in its statement; NODE_NONE: there is none. */
node_id slot_put(const struct guide *, const struct slot *, node_id statement, node_id number);
enum parts_of slot_parts(const struct slot *);
bool slot_is_size(const struct slot *);

/* Does it look up what each process has? A table says nothing of others. */
bool number_asks_process(const struct store *, node_id);

/* What a slot was in a run. */
struct points {
	struct point {
		uint32_t process;
		int64_t value;
	} * at;
	int64_t *index; /* as many of them each as loops are around */
	size_t length, capacity, index_capacity;
};

struct followed {
	size_t slots;
	struct survivors {
		node_id *number; /* of a guard, tests */
		int64_t *value; /* its parts */
		size_t length;
	} * slot; /* by slot */
	bool *seen; /* by slot: has anybody executed it? */
	struct points *points; /* by slot: of sizes and communicators */
};

/* The environment of the k-th point: indices are borrowed. */
void point_environment(
	const struct guide *, const struct slot *, const struct points *, size_t k, struct environment *);

/* Processes' events that are looked at, together. */
#define FOLLOW_EVENTS (UINT64_C(1) << 22)

/* Ways that are tried for one process. */
#define FOLLOW_WAYS 5000

/* NULL with *error set where the text does not say what the run does: both texts, where they part.
   Conditions of the pattern that do not hold of the run are taken out. progress: more is nearer to
   the end. */
struct followed *follow(struct guide *, struct run *, const struct extents *, uint64_t *progress, struct error *);
void followed_free(struct followed *);

#endif
