/*
 * context.h -- what all steps of a reduction have in common: where loops live, what counts as a
 * side, scratch arrays, counters of the report.
 *
 * Internal to merge/, as are all headers here but merge.h and widen.h.
 */
#ifndef TRACENEST_MERGE_CONTEXT_H
#define TRACENEST_MERGE_CONTEXT_H

#include "merge/strand.h"
#include "model/dictionary.h"
#include "model/matching.h"

#define NONE UINT32_MAX

/* The whole reduction: what all its systems have in common. */
struct reduction {
	struct loop_context loops;
	const struct dictionary *dictionary;
	const uint32_t *channel_of; /* by side */
	uint32_t sides, channels;
	double growth;
	struct scratch_shelf *shelf;
	struct tally *tally;
};

/* Set up what threads share (the sides must be known by the first merge), and take it down with
   everything that was made. */
void reduction_start(struct reduction *);
void reduction_end(struct reduction *);

/* Counters of the report, shared by threads. */
enum tally_kind { TALLY_SHIFTED, TALLY_SPLIT, TALLY_BLOCKED, TALLY_UNROLLED, TALLY_KINDS };

void tally_add(struct reduction *, enum tally_kind, uint64_t);
uint64_t tally_get(struct reduction *, enum tally_kind);

/* Arrays over all sides and channels that a merge borrows and gives back as it found them: counts
   all zero, slots and stands all NONE. */
struct scratch {
	struct scratch *next;
	uint64_t *count; /* by side */
	uint32_t *slot; /* by channel */
	uint32_t *stand; /* by side; with slots, for model/matching.h */
};
struct scratch *scratch_take(struct reduction *);
void scratch_give(struct reduction *, struct scratch *);

/* Count what an item passes on its sides; make those counts 0 again. */
void scratch_count(const struct reduction *, struct scratch *, const struct item *);
void scratch_uncount(const struct reduction *, struct scratch *, const struct item *);

/* Whose is the next message (sync) of a side? (matching_owner.) Make counts 0 again, and let the
   sides start again; or the channels, too. */
uint32_t scratch_meet(
	const struct reduction *, struct scratch *, struct matching *, uint32_t side, uint32_t key, uint32_t owner);
void scratch_rewind(const struct reduction *, struct scratch *, const struct item *);
void scratch_forget(const struct reduction *, struct scratch *, const struct item *);

#endif
