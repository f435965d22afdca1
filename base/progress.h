/*
 * progress.h -- how far long work has come, told to whoever wants to know.
 */
#ifndef TRACENEST_BASE_PROGRESS_H
#define TRACENEST_BASE_PROGRESS_H

#include <stddef.h>

/* tell: NULL, or called now and then, from one thread at a time, with the share of the work done, 0
   to 1. */
struct progress {
	void *context;
	void (*tell)(void *context, double share);
};

static inline void progress_tell(const struct progress *p, double share)
{
	if (p && p->tell)
		p->tell(p->context, share);
}

#endif
