/*
 * formats.h -- the formats of export.h, each written by a file of its own: smpi.c, goal.c,
 * archive.c.
 */
#ifndef TRACENEST_REPLAY_FORMATS_H
#define TRACENEST_REPLAY_FORMATS_H

#include "base/output.h"
#include "replay/playback.h"

/* ------------------------------------------------------------------ SMPI */

/*
 * What a process does as a time-independent trace of SimGrid's SMPI, which `smpirun -replay` runs:
 * an action a line, "3 send 7 100 4096 6".
 *
 * No send waits for its receiver: how it was completed is what a model does not tell. SMPI detaches
 * those of less than 64 KiB itself (smpi/send-is-detached-thresh), which are `send`; larger ones
 * are `isend`, and waited for where nothing is under way (causality_quiet), or at the end. Sizes
 * are in bytes (datatype 6, MPI_BYTE). (SimGrid 3.32, src/smpi/internals/smpi_replay.cpp.)
 */
#define SMPI_DETACHED 65536

/* speed: computing in flops of hosts of so many flops per second; 0: in seconds, whatever the
   hosts. False with *error set: a message of more bytes than SMPI counts. */
bool smpi_write(struct actions *, uint32_t processes, uint32_t rank, double speed, struct output *, struct error *);

/* ------------------------------------------------------------------ GOAL */

/*
 * A run as a schedule in GOAL, the group operation assembly language that LogGOPSim reads
 * (T. Hoefler, T. Schneider, A. Lumsdaine: LogGOPSim, HPDC 2010).
 *
 *	rank 0 {
 *	l1: calc 1200
 *	l2: send 64b to 1 tag 3
 *	l2 requires l1
 *	l3: recv 64b from 1 tag 3
 *	l3 irequires l2
 *	}
 *
 * What a process does next requires what it did before; but where that is a send, only its begin
 * (irequires): sends do not wait for their receivers, whatever their size. calc is in ns.
 * LogGOPSim numbers the operations of a process in 32 bits.
 */
#define GOAL_OPERATIONS UINT32_MAX

/* All processes. The actions must have no native collectives. False: a process has more operations
   than GOAL_OPERATIONS. */
bool goal_write(struct actions *, uint32_t processes, struct output *);

/* ------------------------------------------------------------------ OTF2 */

/*
 * A run as an OTF2 archive, for Vampir and whatever else reads one, made where the trace is long
 * gone.
 *
 * Calls are regions of MPI, with the records of their messages and collectives inside;
 * communicators are those that the program names, and one for each other group. Events that one
 * call completes are in one region: MPI_Waitall, MPI_Sendrecv. The time that calls like MPI_Init
 * take apart stands at the begin of each process.
 *
 * DIRECTORY/traces.otf2, in a directory that is there and empty. pace: NULL, or of the program.
 * False with *error set: a collective that OTF2 has no name for; what cannot be written. O(events),
 * memory of messages under way and a buffer for each process.
 */
bool archive_write(struct run *, const struct pace *, const char *directory, struct error *);

#endif
