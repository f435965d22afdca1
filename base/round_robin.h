/*
 * round_robin.h -- lists in turns: the first of each, then the second of each, until none has more.
 *
 * What many processes do alike stands together so, in the order of the processes: the first
 * communicator that each of them makes, then the second.
 */
#ifndef TRACENEST_BASE_ROUND_ROBIN_H
#define TRACENEST_BASE_ROUND_ROBIN_H

#include <stddef.h>

/* length: by list. O(all lengths). */
void round_robin(
	size_t lists, const size_t *length, void (*take)(void *context, size_t list, size_t at), void *context);

#endif
