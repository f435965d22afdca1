/*
 * events.c -- what one process does, and with whom: `events MODEL RANK`.
 *
 * A walk gives the events of a process one by one, in order, in memory that does not grow with
 * them: here, to count the messages to and from each partner and to show the first ten events.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tracenest.h>

struct partner {
	uint64_t sent, received;
};

static void count(tracenest_walk *walk, struct partner *partner)
{
	tracenest_event e;
	for (int shown = 0; tracenest_walk_next(walk, &e);) {
		if (shown++ < 10)
			printf("%s\n", tracenest_walk_line(walk));
		if (e.kind == TRACENEST_SEND)
			partner[e.peer].sent++;
		if (e.kind == TRACENEST_RECV)
			partner[e.peer].received++;
	}
}

int main(int words, char **word)
{
	tracenest_error error;
	if (words != 3)
		return fprintf(stderr, "usage: events MODEL RANK\n"), 2;
	tracenest_program *program = tracenest_program_read(word[1], &error);
	tracenest_walk *walk =
		program ? tracenest_walk_new(program, (uint32_t)strtoul(word[2], NULL, 10), &error) : NULL;
	if (walk) {
		uint32_t processes = tracenest_program_processes(program);
		struct partner *partner = calloc(processes, sizeof *partner);
		if (partner)
			count(walk, partner);
		for (uint32_t p = 0; partner && p < processes; p++)
			if (partner[p].sent || partner[p].received)
				printf("with %" PRIu32 ": %" PRIu64 " sent, %" PRIu64 " received\n", p, partner[p].sent,
					partner[p].received);
		free(partner);
	} else {
		fprintf(stderr, "events: %s\n", error.message);
	}
	tracenest_walk_free(walk);
	tracenest_program_free(program);
	return walk ? 0 : (int)error.kind;
}
