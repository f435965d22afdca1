/*
 * plain_event.h -- an event as one process executes it, its numbers spelled out rather than
 * interned: a tag that counts to a million costs no memory.
 *
 *	struct plain_event e;
 *	plain_statement_event(&statement, &spot, index, &e);
 *	plain_event_print(program->dictionary, &e, &text);		-- "0 send 1 tag17"
 */
#ifndef TRACENEST_ASK_PLAIN_EVENT_H
#define TRACENEST_ASK_PLAIN_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/program.h"

/*
 * Plain integers without padding: its bytes are its identity. Words and groups are ids of one
 * dictionary.
 */
struct plain_event {
	uint32_t kind; /* enum event_kind */
	uint32_t process; /* a rank */
	uint32_t peer; /* send: the destination; recv: the source; sync: the root or NO_ROOT; local: 0 */
	uint32_t word; /* send, recv: the stem of the tag; sync: the name; local: the words */
	uint32_t group; /* sync: a set of ranks; else 0 */
	uint32_t numbered; /* send, recv: has the tag a number? */
	uint64_t number; /* 0 if it has none */
	int64_t communicator; /* NO_COMMUNICATOR: not named; local: 0 */
};

/*
 * The group of a sync that depends on the process is computed and interned only where
 * somebody asks:
 */
#define PLAIN_GROUP_OF_AREA UINT32_MAX

/*
 * What the statement at a place is for a process that executes it, in these iterations of the loops
 * around (INDEX_DEPTH of them, at least). The group of a sync is PLAIN_GROUP_OF_AREA where it
 * depends on the process. Changes nothing, so that several threads may ask at once.
 */
struct plain_statement {
	const struct program *program;
	size_t at;
	struct form form; /* of a statement over a set */
};
void plain_statement_of(const struct program *, size_t at, struct plain_statement *);
void plain_statement_event(
	const struct plain_statement *, const struct spot *, const int64_t *index, struct plain_event *);

/* The group of a statement that is a sync, interned in the program's dictionary. */
uint32_t plain_event_group(struct program *, size_t at, const struct spot *);

/* As event_print_as has it: a line without its newline. */
void plain_event_print(const struct dictionary *, const struct plain_event *, struct text *out);

#endif
