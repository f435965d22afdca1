/*
 * process_pack.h -- the events of one process, and its loops, as bytes, and back.
 *
 * What a process says is told relative to it: peers are distances on the ring of all processes,
 * and whose an event is goes without saying. So processes that do the same are, more often than
 * not, the same bytes, whoever they are.
 */
#ifndef TRACENEST_MODEL_PROCESS_PACK_H
#define TRACENEST_MODEL_PROCESS_PACK_H

#include <stdint.h>

#include "base/pack.h"
#include "model/dictionary.h"
#include "model/nest.h"

/* All events must be the process's own, and without steps; what no event uses is left out. happens:
   which of them occur; of the others, that only stand for what some have in common, peers are told
   as they are. O(size). */
void dictionary_pack(
	const struct dictionary *, const bool *happens, uint32_t rank, uint32_t processes, struct text *to);

/* A dictionary of the same events with the same ids; of the bytes of another process, what that one
   does in the place of this. communicator: what numbers of communicators mean here, ended by
   NO_COMMUNICATOR; NULL: the same. Where they are damaged, less (see base/pack.h). */
struct dictionary *dictionary_unpack(struct unpack *, uint32_t rank, uint32_t processes, const int64_t *communicator);

/* A nest over symbols below a limit. O(size). */
void nest_pack(const struct nest *, struct text *to);
struct nest *nest_unpack(struct unpack *, uint32_t symbols);

#endif
