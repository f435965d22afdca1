/*
 * collective_names.h -- what the name of a collective says of it, beyond the operation.
 *
 * A posted one is called MPI_Ibcast, one among neighbours MPI_Neighbor_alltoall, one between the
 * two groups of an intercommunicator MPI_Inter_bcast (MPI calls that MPI_Bcast, too; but each group
 * waits for the other one alone).
 */
#ifndef TRACENEST_ASK_COLLECTIVE_NAMES_H
#define TRACENEST_ASK_COLLECTIVE_NAMES_H

#include <stdbool.h>

enum collective_scope { SCOPE_GROUP, SCOPE_NEIGHBOURS, SCOPE_SIDES };
enum collective_scope collective_scope(const char *name);

/* "MPI_Bcast" of "MPI_Ibcast"; any other name itself. */
const char *collective_operation(const char *name);

/* Also of one that is started again and again, "MPI_Bcast_init". */
bool collective_is_known(const char *name);

/* Does each member say how much it passes on to each other one (MPI_Alltoallv, posted or not)? */
bool collective_differs_by_peer(const char *name);

#endif
