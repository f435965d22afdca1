/*
 * round_robin.c -- of the lists, those that have more are kept in order.
 */
#include "base/round_robin.h"

#include <stdlib.h>

#include "base/mem.h"

void round_robin(size_t lists, const size_t *length, void (*take)(void *context, size_t list, size_t at), void *context)
{
	size_t *longer = mem_array(lists, sizeof *longer), left = lists;
	for (size_t i = 0; i < lists; i++)
		longer[i] = i;
	for (size_t at = 0; left; at++) {
		size_t kept = 0;
		for (size_t i = 0; i < left; i++) {
			if (at >= length[longer[i]])
				continue;
			take(context, longer[i], at);
			longer[kept++] = longer[i];
		}
		left = kept;
	}
	free(longer);
}
