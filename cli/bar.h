/*
 * bar.h -- a line on a terminal that says which phase of long work is on, how much of it is done,
 * and for how long it has been going on.
 *
 *	struct bar *bar = bar_new();
 *	bar_begin(bar, "reading");
 *	bar_tell(bar, 0.5);
 *	bar_begin(bar, "merging");	-- of which nobody knows how much is done
 *	bar_free(bar);			-- wiped: it is as if it had never been there
 *
 * Nothing is drawn of work that is done in half a second.
 */
#ifndef TRACENEST_CLI_BAR_H
#define TRACENEST_CLI_BAR_H

struct bar;

/* On standard error, which must be a terminal. A thread paints. */
struct bar *bar_new(void);
void bar_free(struct bar *); /* NULL is fine */

/* phase: stays the caller's, and must outlive the bar. */
void bar_begin(struct bar *, const char *phase);
void bar_tell(struct bar *, double share);

#endif
