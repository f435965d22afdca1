/*
 * smpi.h -- what a process does as a time-independent trace of SimGrid's SMPI, which `smpirun
 * -replay` runs: an action a line, "3 send 7 100 4096 6".
 *
 * No send waits for its receiver: how it was completed is what a model does not tell. SMPI detaches
 * those of less than 64 KiB itself (smpi/send-is-detached-thresh), which are `send`; larger ones
 * are `isend`, and waited for where nothing is under way (causality_quiet), or at the end. Sizes
 * are in bytes (datatype 6, MPI_BYTE). (SimGrid 3.32, src/smpi/internals/smpi_replay.cpp.)
 */
#ifndef TRACENEST_REPLAY_SMPI_H
#define TRACENEST_REPLAY_SMPI_H

#include "base/error.h"
#include "base/output.h"
#include "replay/actions.h"

#define SMPI_DETACHED 65536

/* speed: computing in flops of hosts of so many flops per second; 0: in seconds, whatever the
   hosts. False with *error set: a message of more bytes than SMPI counts. */
bool smpi_write(struct actions *, uint32_t processes, uint32_t rank, double speed, struct output *, struct error *);

#endif
