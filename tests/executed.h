/*
 * executed.h -- what processes execute of a run, for tests that compare it: each event as a trace
 * has it, "0 send 1 tag5", on a line of its own.
 */
#ifndef TRACENEST_TESTS_EXECUTED_H
#define TRACENEST_TESTS_EXECUTED_H

#include "model/model.h"
#include "model/run.h"

/* Appends up to so many lines of a process. Gives how many events it has, which are counted as many; as many as were told
   where there are more than `most`. */
uint64_t executed_put(struct run *, uint32_t rank, uint64_t most, struct text *);

/* All of all processes, one after the other. */
uint64_t executed_put_all(struct run *, struct text *);

/* Events of a process, without going through them. */
uint64_t executed_count(struct run *, uint32_t rank);

/* A module to be asked. */
struct executed {
	struct module *module;
	struct run *run;
};
struct executed executed_of(struct module *); /* takes it */
struct executed executed_of_model(const struct model *);
struct executed executed_of_text(const char *); /* which must be right; without calls */
void executed_clear(struct executed *);

#endif
