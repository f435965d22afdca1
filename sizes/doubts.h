/*
 * doubts.h -- why an instance may be another program than what would run: facts, for which cli/ has
 * the words.
 *
 *	struct doubts d = {0};
 *	p = parametric_instance(app, &asked, false, &d, &error);
 *	if (doubts_any(&d)) ...
 *	doubts_clear(&d);
 *
 * There are none of a number of processes that was learned. Else: the runs that the others do not
 * foretell; that the instance is larger than all of them; traits of P that no run has; a rival, which
 * explains the runs as well as the rule of the text, and says something else here.
 */
#ifndef TRACENEST_SIZES_DOUBTS_H
#define TRACENEST_SIZES_DOUBTS_H

#include "base/ranks.h"
#include "base/text.h"
#include "sizes/number_space.h"

/* Remainders by 2, 3 and 4; how often it is divided by 2, by 3; is it a power of two, a square?
   Prime powers that divide it. */
enum trait { PARITY, THIRDS, QUARTERS, TWOS, THREES, POWER_OF_TWO, SQUARE, PRIME_POWERS, TRAITS };

struct doubts {
	uint32_t processes;
	size_t runs;
	struct ranks unproven; /* runs, by their numbers of processes */
	uint32_t largest; /* run, if this is larger; else 0 */
	uint32_t traits; /* that no run has in common with it, a bit by enum trait */
	struct rival {
		struct text place; /* the address of the statement */
		struct text rule, other; /* formulas */
		int64_t value, instead; /* what they come to here */
		bool of_set; /* who executes it: the first process, or the one behind the last */
	} rival; /* the first one */
	size_t rivals; /* numbers and sets that have one */
	struct text not_shown; /* what the instance needs and no run shows, a line each */
};

/* Traits and size. O(runs log P). */
void doubts_about(struct doubts *, const struct learned_runs *, uint32_t processes);
bool doubts_any(const struct doubts *);
void doubts_clear(struct doubts *);

#endif
