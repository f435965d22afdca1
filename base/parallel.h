/*
 * parallel.h -- the same work on many things, by a few threads.
 */
#ifndef TRACENEST_BASE_PARALLEL_H
#define TRACENEST_BASE_PARALLEL_H

#include <stddef.h>

/* Cores this process may run on. */
unsigned parallel_cores(void);

/*
 * Call work(context, i) for every i from 0 to count - 1, by up to `jobs` threads (0: all cores; 1:
 * the calling thread, in order), and wait for all of them. Indices are handed out one at a time,
 * lowest first. Threads have stacks of 64 MB.
 */
void parallel_for(unsigned jobs, size_t count, void (*work)(void *context, size_t i), void *context);

#endif
