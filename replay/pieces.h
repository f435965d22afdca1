/*
 * pieces.h -- what mini-apps have in common: functions that pass on data, read options, and tell
 * times. Each is printed only where it is called.
 */
#ifndef TRACENEST_REPLAY_PIECES_H
#define TRACENEST_REPLAY_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum piece {
#define PIECE(id, name, ...) PIECE_##id,
#include "replay/pieces.def"
#undef PIECE
	PIECES
};

#define PIECE_BIT(piece) (UINT64_C(1) << (piece))

/* Pieces in which another call of MPI stands for the one in their text. */
enum variant {
	VARIANT_WAITANY, /* ... instead of MPI_Wait: waitany_for() */
	VARIANT_WAITSOME,
	VARIANT_TEST,
	VARIANT_TESTANY,
	VARIANT_TESTSOME,
	VARIANT_TESTALL, /* instead of MPI_Waitall: test_all() */
	VARIANT_STARTALL, /* instead of MPI_Start: startall() */
	VARIANTS
};

/* Functions that a program calls, by piece, a bit each. */
struct pieces {
	uint64_t plain;
	uint64_t posted; /* collective calls in two, MPI_Ibcast and MPI_Wait, called as the others with an i before */
	uint64_t variant[VARIANTS];
};

/* They and what they call. */
void pieces_print(const struct pieces *, struct text *);

/* What the function of a piece is called in a variant. */
void piece_put_variant(enum piece, enum variant, struct text *);

/* The one that makes a collective call, "MPI_Bcast" or "MPI_Ibcast"; PIECES: there is none. */
enum piece piece_of(const char *operation, bool *posted);

enum piece piece_of_name(const char *function);

const char *piece_name(enum piece); /* of its function, "bcast" */
const char *piece_operation(enum piece); /* "MPI_Bcast" */

#endif
