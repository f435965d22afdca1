/*
 * groups.h -- the groups of processes that communicate in a loop.
 *
 *	struct groups g = groups_of_loop(program, loop);
 *	... g.count loops side by side; process p is in number g.of[p]
 *	groups_clear(&g);
 *
 * A loop over a set stands for as many loops as there are groups of processes that exchange
 * messages, or meet in collectives, inside. A loop without a set is one loop, whatever its
 * processes do.
 */
#ifndef TRACENEST_ASK_GROUPS_H
#define TRACENEST_ASK_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "model/program.h"

#define NO_GROUP UINT32_MAX

struct groups {
	uint32_t count;
	/*
	 * by process, numbered by their lowest processes; NO_GROUP: it has no events inside. NULL
	 * where count is 1 at most
	 */
	uint32_t *of;
};

/*
 * A message joins its ends where both are inside; ends are compared in the first iterations of all
 * loops, and in all those that peers depend on. O(processes + the sizes of the sets inside, for
 * each such iteration).
 */
struct groups groups_of_loop(const struct program *, size_t loop);
void groups_clear(struct groups *);

/*
 * What stands in the text behind a loop that is several, as remarks: "4 side by side: 0-3, 4-7,
 * ...". The context is the program. Its text has procedures where the program's has.
 */
struct program_remarks groups_remarks(const struct program *);
void groups_remark(const void *program, size_t statement, struct text *);

#endif
