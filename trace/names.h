/*
 * names.h -- what the names of regions and the numbers of operations say about MPI calls.
 */
#ifndef TRACENEST_TRACE_NAMES_H
#define TRACENEST_TRACE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Is this region an MPI call? */
bool name_is_mpi(const char *region);

/* Is it one that may complete several requests at once: Waitall, Waitsome, Testall, Testsome? */
bool name_completes_several(const char *region);

/* "MPI_Bcast" for a region that is such a call under any of its names; NULL if it is not a blocking collective. */
const char *name_of_collective_region(const char *region);

/* "MPI_Bcast" for OTF2_COLLECTIVE_OP_BCAST; NULL for an operation that OTF2 3.0 does not know. */
const char *name_of_operation(uint32_t operation);

#endif
