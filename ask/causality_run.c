/*
 * causality_run.c -- the events of a program, executed. When all processes wait, some of them wait
 * for each other.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "ask/causality.h"
#include "ask/execution.h"
#include "base/mem.h"

#define TOLD 10

static void tell(struct execution *x, const struct dictionary *dictionary, uint32_t first, struct text *cycle)
{
	uint32_t p = first, told = 0, more = 0;
	do {
		uint64_t position;
		const struct plain_event *event = execution_waits_in(x, p, &position);
		uint32_t other = execution_waits_for(x, p);
		if (told < TOLD) {
			text_format(cycle, "\n  rank %" PRIu32 ", position %" PRIu64 ": '", p, position);
			plain_event_print(dictionary, event, cycle);
			if (execution_settles(x, p))
				text_format(cycle,
					event->kind == EVENT_SEND && event->peer == other
						? "', which rank %" PRIu32 " receives later"
						: "', before which rank %" PRIu32 " is to receive what it was sent",
					other);
			else if (event->kind == EVENT_RECV)
				text_format(cycle, "', which rank %" PRIu32 " sends later", other);
			else
				text_format(cycle, "', to which rank %" PRIu32 " comes later", other);
			told++;
		} else {
			more++;
		}
		p = other;
	} while (p != first);
	if (more)
		text_format(cycle, "\n  and %" PRIu32 " more", more);
}

/* Nobody can go on. */
static enum causality find_cycle(struct execution *x, const struct program *program, struct text *cycle)
{
	uint32_t processes = program->processes, *seen = mem_zero(processes * sizeof *seen), p = 0, number = 0;
	enum causality result = CAUSALITY_HOLDS;
	for (uint32_t start = 0; start < processes && result != CAUSALITY_CYCLE; start++) {
		if (execution_ended(x, start))
			continue;
		result = CAUSALITY_UNKNOWN;
		number++;
		for (p = start; p != EXECUTION_NOBODY && !seen[p]; p = execution_waits_for(x, p))
			seen[p] = number;
		if (p != EXECUTION_NOBODY && seen[p] == number)
			result = CAUSALITY_CYCLE;
	}
	if (result == CAUSALITY_CYCLE)
		tell(x, program->dictionary, p, cycle);
	free(seen);
	return result;
}

/* ------------------------------------------------------------------ in public */

enum causality causality_run(struct program *program, enum sending sending, uint64_t budget, struct text *cycle)
{
	if (program_events(program) > budget)
		return CAUSALITY_UNKNOWN;
	struct execution *x = execution_new(program, sending, NULL);
	enum causality result = execution_run(x) ? CAUSALITY_HOLDS : find_cycle(x, program, cycle);
	execution_free(x);
	return result;
}
