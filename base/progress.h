/*
 * progress.h -- how far long work has come, told to whoever wants to know.
 */
#ifndef TRACENEST_BASE_PROGRESS_H
#define TRACENEST_BASE_PROGRESS_H

/*
 * Called from one thread at a time; either may be NULL. tell: now and then, with the share of the
 * phase that is done, 0 to 1. begin: where a phase of the work begins, "merging"; of some phases
 * nobody knows the share.
 */
struct progress {
	void *context;
	void (*tell)(void *context, double share);
	void (*begin)(void *context, const char *phase);
};

static inline void progress_tell(const struct progress *p, double share)
{
	if (p && p->tell)
		p->tell(p->context, share);
}

static inline void progress_begin(const struct progress *p, const char *phase)
{
	if (p && p->begin)
		p->begin(p->context, phase);
}

#endif
