! stencil.F90 -- the plane of stencil.c: each process exchanges the borders of its tile with four neighbours, all at once.
#include "interface.inc"
program stencil
  USE_INTERFACE
  use tally
  implicit none
  INCLUDE_INTERFACE
  integer, parameter :: steps = 40, side = 32
  integer :: processes, rank, error, step, i, dims(2), neighbour(4)
  integer, parameter :: opposite(4) = [2, 1, 4, 3]
  logical :: periodic(2)
  double precision :: changed, change
  double precision :: now(0:side + 1, 0:side + 1), then(0:side + 1, 0:side + 1), edge(side, 4), halo(side, 4)
  COMMUNICATOR :: plane
  REQUEST :: requests(8)

  call MPI_Init(error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  dims = 0
  periodic = .false.
  call MPI_Dims_create(processes, 2, dims, error)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, .false., plane, error)
  call MPI_Comm_set_name(plane, "plane", error)
  call MPI_Comm_rank(plane, rank, error)
  call MPI_Cart_shift(plane, 0, 1, neighbour(1), neighbour(2), error)
  call MPI_Cart_shift(plane, 1, 1, neighbour(3), neighbour(4), error)
  now = 0
  halo = 0
  change = 0
  if (rank == 0) now(1, 1) = 1d6

  do step = 1, steps
    edge(:, 1) = now(1, 1:side)
    edge(:, 2) = now(side, 1:side)
    edge(:, 3) = now(1:side, 1)
    edge(:, 4) = now(1:side, side)
    do i = 1, 4
      call MPI_Irecv(halo(1, i), side, MPI_DOUBLE_PRECISION, neighbour(i), i, plane, requests(i), error)
    end do
    do i = 1, 4
      call MPI_Isend(edge(1, i), side, MPI_DOUBLE_PRECISION, neighbour(i), opposite(i), plane, requests(4 + i), error)
      call tally_send(neighbour(i), opposite(i), side, HANDLE(MPI_DOUBLE_PRECISION), HANDLE(plane))
    end do
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, error)
    do i = 1, 4
      call tally_recv(neighbour(i), i, side, HANDLE(MPI_DOUBLE_PRECISION), HANDLE(plane))
    end do
    now(0, 1:side) = halo(:, 1)
    now(side + 1, 1:side) = halo(:, 2)
    now(1:side, 0) = halo(:, 3)
    now(1:side, side + 1) = halo(:, 4)

    then = now
    now(1:side, 1:side) = 0.25d0*(then(0:side - 1, 1:side) + then(2:, 1:side) + then(1:side, 0:side - 1) + then(1:side, 2:))
    if (mod(step, 10) == 0) then
      changed = sum(abs(now(1:side, 1:side) - then(1:side, 1:side)))
      call MPI_Allreduce(changed, change, 1, MPI_DOUBLE_PRECISION, MPI_SUM, plane, error)
      call tally_collective("MPI_Allreduce"//achar(0), HANDLE(plane))
    end if
  end do
  if (rank == 0) print '(i0, a, i0, a, i0, a, f0.1)', dims(1), " x ", dims(2), " processes, ", steps, " steps: the last changed ", change
  call tally_write()
  call MPI_Comm_free(plane, error)
  call MPI_Finalize(error)
end program
