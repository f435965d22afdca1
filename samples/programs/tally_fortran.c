/*
 * tally_fortran.c -- what tally_module.f90 calls: the same, with Fortran's handles.
 */
#include "tally.h"

void tally_fortran_send(int to, int tag, int count, int type, int comm);
void tally_fortran_recv(int from, int tag, int count, int type, int comm);
void tally_fortran_collective(const char *operation, int comm);

void tally_fortran_send(int to, int tag, int count, int type, int comm)
{
	tally_send(to, tag, count, MPI_Type_f2c(type), MPI_Comm_f2c(comm));
}

void tally_fortran_recv(int from, int tag, int count, int type, int comm)
{
	tally_recv_from(from, tag, count, MPI_Type_f2c(type), MPI_Comm_f2c(comm));
}

void tally_fortran_collective(const char *operation, int comm)
{
	tally_collective(operation, MPI_Comm_f2c(comm));
}
