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

/* The functions of these pieces, a bit each, and of what they call; posted: those that make a
   collective call in two, MPI_Ibcast and MPI_Wait, called as the others with an i before. */
void pieces_print(uint64_t pieces, uint64_t posted, struct text *);

/* The one that makes a collective call, "MPI_Bcast" or "MPI_Ibcast"; PIECES: there is none. */
enum piece piece_of(const char *operation, bool *posted);

enum piece piece_of_name(const char *function);

const char *piece_name(enum piece); /* of its function, "bcast" */
const char *piece_operation(enum piece); /* "MPI_Bcast" */

#endif
