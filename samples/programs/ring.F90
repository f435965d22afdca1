! ring.F90 -- the ring of ring.c: a number goes around all processes, a little longer each time.
#include "interface.inc"
program ring
  USE_INTERFACE
  use tally
  implicit none
  INCLUDE_INTERFACE
  integer, parameter :: rounds = 20, tag = 7, most = 64
  integer :: rank, processes, following, previous, round, words, error, number(most)
  STATUS(answer)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  following = mod(rank + 1, processes)
  previous = mod(rank + processes - 1, processes)
  number = 0
  do round = 1, rounds
    if (rank == 0) call pass_on(round)
    call MPI_Recv(number, most, MPI_INTEGER, previous, tag, MPI_COMM_WORLD, answer, error)
    call MPI_Get_count(answer, MPI_INTEGER, words, error)
    call tally_recv(SOURCE_OF(answer), TAG_OF(answer), words, HANDLE(MPI_INTEGER), HANDLE(MPI_COMM_WORLD))
    number(1) = number(1) + 1
    if (rank /= 0) call pass_on(round)
  end do
  call MPI_Bcast(number, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call tally_collective("MPI_Bcast"//achar(0), HANDLE(MPI_COMM_WORLD))
  if (rank == 0) print '(i0, a, i0, a, i0)', processes, " processes, ", rounds, " rounds: ", number(1)
  call tally_write()
  call MPI_Finalize(error)

contains

  subroutine pass_on(count)
    integer, intent(in) :: count
    call MPI_Send(number, count, MPI_INTEGER, following, tag, MPI_COMM_WORLD, error)
    call tally_send(following, tag, count, HANDLE(MPI_INTEGER), HANDLE(MPI_COMM_WORLD))
  end subroutine
end program
