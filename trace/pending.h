/*
 * pending.h -- operations that processes have begun and not completed: of the call that a process
 * stands in, and its requests; and how often it has met others on a communicator.
 *
 * The recorder keeps them in memory that outlives the process, with its own numbers; `record` writes
 * what is left of them when the run is over into a property of the archive, a line each:
 *
 *	RANK WHERE KIND CALL PEER TAG COMMUNICATOR SENT RECEIVED TURN TIMES SITE
 *	0 call receive MPI_Recv 1 7 0 0 96 0 1 ring.c:21 main
 *	3 posted send MPI_Isend 0 7 0 800 0 0 12 ring.c:17 main
 *	2 call collective MPI_Bcast 1 0 5 0 16 31 1 ring.c:30 main
 *	1 - turns - - 0 5 0 0 30 1 -
 *
 * "*": from any, with any tag; "-": none.
 */
#ifndef TRACENEST_TRACE_PENDING_H
#define TRACENEST_TRACE_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define ARCHIVE_PENDING "TRACENEST::PENDING"

enum pending_kind {
	PENDING_NOTHING,
	PENDING_SEND,
	PENDING_RECEIVE,
	PENDING_COLLECTIVE,
	PENDING_TURNS, /* no operation: `turn` collectives were begun on this communicator */
	PENDING_KINDS
};

enum pending_where {
	PENDING_CALL, /* the process stands in a call that is this */
	PENDING_WAIT, /* ... in a call that completes this request */
	PENDING_POSTED, /* a request that the call it stands in does not know, if it is in one */
	PENDING_NOWHERE,
	PENDING_WHERES
};

#define PENDING_ANY UINT32_MAX /* source, tag */
#define PENDING_NONE (UINT32_MAX - 1) /* root */

/* Numbers are of whoever holds it: the recorder's own, or the archive's. */
struct pending {
	uint32_t kind, where;
	uint32_t call; /* that began it: a region */
	uint32_t peer; /* of a collective: the root. In archives a rank of the world. */
	uint32_t tag, communicator;
	uint32_t site, type; /* strings */
	uint64_t sent, received; /* bytes, of a receive at most; UINT64_MAX: it takes any size */
	uint64_t turn; /* of a collective: which on its communicator, from 1 */
	uint64_t times; /* in archives: so many alike */
};

/* ------------------------------------------------------------------ in archives */

struct pending_line {
	uint32_t rank;
	struct pending pending; /* call, site and type mean nothing */
	char *call, *site;
};

void pending_print(const struct pending_line *, struct text *out);

/* Of a property; NULL: there is none. What cannot be read is left out. The caller clears it. */
struct pending_line *pending_read(const char *property, uint32_t processes, size_t *lines);
void pending_free(struct pending_line *, size_t lines);

#endif
