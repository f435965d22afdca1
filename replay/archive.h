/*
 * archive.h -- a run as an OTF2 archive, for Vampir and whatever else reads one, made where the
 * trace is long gone.
 *
 * Calls are regions of MPI, with the records of their messages and collectives inside;
 * communicators are those that the program names, and one for each other group. Events that one
 * call completes are in one region: MPI_Waitall, MPI_Sendrecv. The time that calls like MPI_Init
 * take apart stands at the begin of each process.
 */
#ifndef TRACENEST_REPLAY_ARCHIVE_H
#define TRACENEST_REPLAY_ARCHIVE_H

#include "base/error.h"
#include "replay/playback.h"

/*
 * DIRECTORY/traces.otf2, in a directory that is there and empty. pace: NULL, or of the program.
 * False with *error set: a collective that OTF2 has no name for; what cannot be written. O(events),
 * memory of messages under way and a buffer for each process.
 */
bool archive_write(struct run *, const struct pace *, const char *directory, struct error *);

#endif
