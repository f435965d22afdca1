/*
 * iterations.h -- does every message stay in the iteration that it was sent in? Found by running
 * the program.
 *
 *	struct iterations found;
 *	if (iterations_run(program, CAUSALITY_BUDGET, &found) == ITERATIONS_CROSSED)
 *		... found.loop: of the program's statements, the loop whose iterations are crossed
 *	iterations_clear(&found);
 *
 * For what cannot be counted: loops whose index stands in a condition, a count, a tag or a peer. A
 * loop over a set whose count depends on the process is a loop for each count; where messages cross
 * its iterations, its processes are apart: each goes through a loop of its own, and that is no
 * fault.
 */
#ifndef TRACENEST_ASK_ITERATIONS_H
#define TRACENEST_ASK_ITERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "model/program.h"

enum iterations_answer {
	ITERATIONS_KEPT, /* all events were run: no message, no collective crosses */
	ITERATIONS_CROSSED,
	/* there are more events than the budget; or processes wait for ever: messages are missing,
	   or cannot happen */
	ITERATIONS_UNKNOWN,
};

struct iterations {
	size_t loop; /* ITERATIONS_CROSSED: the outermost one that is crossed, */
	struct text event; /* ... the receive, or a member of the collective, as show prints it, */
	/* ... and in which iterations of that loop it stands, and the other end: the first is 0 */
	int64_t here, there;
	/* is any message received, by another process, before the place of its send in the same
	   body, in the same iteration of all loops around? Then the first such receive. */
	bool misplaced;
	size_t receive;
	uint64_t apart; /* loops whose processes are */
};

/* O(events x depth), memory of what is under way. */
enum iterations_answer iterations_run(const struct program *, uint64_t budget, struct iterations *);
void iterations_clear(struct iterations *);

#endif
