/*
 * names.h -- what the names of regions and the numbers of operations say about MPI calls.
 */
#ifndef TRACENEST_TRACE_NAMES_H
#define TRACENEST_TRACE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Is this region an MPI call? */
bool name_is_mpi(const char *region);

/* The same call as MPI's own standard writes it, "MPI_Waitall", by whatever name; other regions as
   they are called. */
void name_standard(const char *region, struct text *out);

/* Is it what stands around the whole program: main, under any of the names that recorders have for
   it? */
bool name_is_main(const char *region);

/* What such a call is to where time goes: those that begin and end the run, and files, stand
   apart. */
enum name_sort { NAME_COMMUNICATES, NAME_BEGINS, NAME_ENDS, NAME_FILE };
enum name_sort name_sort(const char *region);

/* Is it one that may complete several requests at once: Waitall, Waitsome, Testall, Testsome? */
bool name_completes_several(const char *region);

/* Does it complete what happens to be complete: Waitany, Waitsome, Test, Testany, Testsome? */
bool name_completes_some(const char *region);

/* "MPI_Bcast" for a region that is such a call under any of its names; NULL if it is not a blocking
   collective. */
const char *name_of_collective_region(const char *region);

/*
 * Calls that leave records behind, in archives of recorders that know them (an archive where such a
 * call never does has lost what it passed on), and calls that move data and are no event here: each
 * of their names stands for one number, below
 * TRACE_CALLS; TRACE_NO_CALL for all other regions.
 */
#define TRACE_CALLS 128
#define TRACE_NO_CALL (TRACE_CALLS - 1)
unsigned name_of_call(const char *region);
const char *call_name(unsigned call); /* "MPI_Sendrecv"; NULL: no such call */
/* it completes requests of receives: MPI_Wait and the like; others pass on something themselves */
bool call_completes(unsigned call);
bool call_is_collective(unsigned call);
bool call_only_posts(unsigned call); /* it may leave no record: MPI_Irecv, MPI_Start and the like */
bool call_starts(unsigned call); /* persistent requests: MPI_Start */
bool call_moves(unsigned call); /* data that are no message: one-sided communication, files */

/* "MPI_Bcast" for OTF2_COLLECTIVE_OP_BCAST; NULL for an operation that OTF2 3.0 does not know. */
const char *name_of_operation(uint32_t operation);

#endif
