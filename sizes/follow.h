/*
 * follow.h -- the events of one run, read by the text of another.
 *
 *	struct guide *t = guide_of(program, &its_extents, true, &error);	-- of the largest run
 *	struct followed *f = follow(t, other, &extents, &progress, &error);
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

#include "model/program.h"
#include "sizes/conditions.h"

enum slot_kind { SLOT_PEER, SLOT_TAG, SLOT_COMMUNICATOR, SLOT_BYTES, SLOT_RECEIVED, SLOT_COUNT, SLOT_CONDITION };

/* Numbers that are not 0 in a slot. */
#define SLOT_WORDS 24

struct slot {
	size_t statement;
	enum slot_kind kind;
	struct place number; /* of a peer; of others its value alone is used */
	uint32_t words;
	uint16_t word[SLOT_WORDS]; /* which of its 64-bit numbers are not 0 */
	bool has_more; /* than these */
};

/* A set of ranks of the program: who executes a statement, or is its group. */
struct guide_set {
	uint32_t id; /* of the dictionary */
	struct condition_of_ranks *condition; /* that mean it; they become fewer with each run */
	size_t conditions;
};

struct guide {
	struct program *program; /* borrowed */
	struct extents extents;
	struct slot *slot; /* by statement, then kind */
	size_t slots, slot_capacity;
	size_t *first_slot; /* by statement; the last one is `slots` */
	struct guide_set *set;
	size_t sets, set_capacity;
	size_t *set_of; /* by statement; SIZE_MAX: a loop without one */
	uint32_t size_name[2]; /* words of the dictionary: bytes, received */
};

/* conditions: look for those of its sets, too. */
struct guide *guide_of(struct program *, const struct extents *, bool conditions, struct error *);
void guide_free(struct guide *);

int64_t *slot_word(struct place *, uint16_t word);

/* What a slot was in a run. */
struct points {
	uint32_t *process;
	int64_t *value, *index; /* index: INDEX_DEPTH of them each */
	size_t length, capacity, value_capacity, index_capacity;
};

struct followed {
	size_t slots;
	struct survivors {
		struct place *number;
		size_t length;
	} * slot; /* by slot */
	bool *seen; /* by slot: has anybody executed it? */
	struct points *points; /* by slot: of sizes and communicators */
};

/* Processes' events that are looked at, together. */
#define FOLLOW_EVENTS (UINT64_C(1) << 22)

/* Ways that are tried for one process. */
#define FOLLOW_WAYS 5000

/* NULL with *error set where the text does not say what the run does: both texts, where they part.
   Conditions of the pattern that do not hold of the run are taken out. progress: more is nearer to
   the end. */
struct followed *follow(
	struct guide *, struct program *run, const struct extents *, uint64_t *progress, struct error *);
void followed_free(struct followed *);

#endif
