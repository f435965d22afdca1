"""Python objects and arrays through mpi4py, over communicators that come and go; prints the same each time. For tests/recordings."""
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
following, previous = (rank + 1) % size, (rank - 1) % size

for n in range(20):  # pickled: probed, then received
    request = world.isend({"n": n, "list": list(range(n))}, following, tag=n)
    assert world.recv(source=MPI.ANY_SOURCE if n % 2 else previous, tag=n)["n"] == n
    request.wait()
assert world.sendrecv("x" * rank, following, source=previous) == "x" * previous

out, into = bytearray(64 * (rank + 1)), bytearray(64 * size)
requests = [world.Irecv(into, previous, 7), world.Isend(out, following, 7)]
MPI.Request.Waitall(requests)

for n in range(3):
    half = world.Split(rank % 2, -rank)
    assert half.bcast(["root"] if half.Get_rank() == 0 else None) == ["root"]
    total = half.allreduce(rank)
    half.Barrier()
    if half.Get_size() > 1:
        other = half.Get_size() - 1 - half.Get_rank()
        if other != half.Get_rank():
            assert half.sendrecv(rank, other, source=other) % 2 == rank % 2
    half.Free()
grid = world.Create_cart([size], periods=[True])
source, destination = grid.Shift(0, 1)
assert grid.sendrecv(rank, destination, source=source) == source
found = world.gather((rank, total, world.scan(1)), root=0), world.alltoall(list(range(size))), world.scatter([None] * size if rank == 0 else None)
lines = world.gather(str(found), root=0)  # processes that print each on their own print into each other
if rank == 0:
    print("\n".join(lines))
