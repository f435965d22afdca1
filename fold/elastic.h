/*
 * elastic.h -- a program said anew over shapes: with guards for what occurs in some iterations,
 * with tables for numbers that follow no formula, with counts that depend on the process.
 *
 *	struct program *shorter = elastic(program, local);
 *	if (shorter) ...
 *
 * The streams of the processes are recognized once more, with peers, and tags of which there are
 * many, as numbers that need not be equal, and as they are, with other counts and guards alone
 * (elastic_streams.h); what the processes then have in common is said once (elastic_join.h), and
 * their numbers become functions or tables (elastic_fit.h). So loops that differ from one process
 * to the next, or from one iteration to the next, are one.
 *
 * One measure decides: the result is taken if it has fewer statements, and no more bytes of text,
 * tables included, than one for every statement that is saved; bytes are counted as if the text were
 * compressed (base/deflated.h), also with what events carry. Of several results, that is the one of
 * the fewest lines, those of tables included. It is the same program: every process's stream is
 * compared.
 */
#ifndef TRACENEST_FOLD_ELASTIC_H
#define TRACENEST_FOLD_ELASTIC_H

#include "model/program.h"

struct elastic_options {
	bool no_tables, no_guards; /* is this not wanted? */
	bool incomplete; /* are messages missing that would have told what belongs together? */
	/* Gives a program what its events carry, so that it is measured with that; false: that fits it
	   not. NULL: nothing. */
	bool (*carry)(void *context, struct program *);
	/* Is the program one that may be written? NULL: any is. */
	bool (*accept)(void *context, struct program *);
	void *context;
};

/*
 * local: the processes one after the other, as they were recognized, or NULL; of the same streams.
 * The result is the caller's; NULL: nothing is shorter, or there is too much to be tried.
 * O(events).
 */
struct program *elastic(struct program *, const struct program *local, const struct elastic_options *);

#endif
