/*
 * collectives.c -- collectives of a communicator.
 */
#include "replay/run-time/messages.c"

/* HELPER SIZE_OF */
static int size_of(MPI_Comm comm)
{
	int size;
	MPI_Comm_size(comm, &size);
	return size;
}

/* HELPER BARRIER */
static void barrier(MPI_Comm comm)
{
	MPI_Barrier(comm);
}

/* HELPER BCAST */
static void bcast(long count, MPI_Datatype type, int root, MPI_Comm comm)
{
	MPI_Bcast(in, scaled(count, type), type, root, comm);
}

/* HELPER REDUCE */
static void reduce(long count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
	MPI_Reduce(out, in, scaled(count, type), type, op, root, comm);
}

/* HELPER ALLREDUCE */
static void allreduce(long count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	MPI_Allreduce(out, in, scaled(count, type), type, op, comm);
}

/* HELPER SCAN */
static void scan(long count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	MPI_Scan(out, in, scaled(count, type), type, op, comm);
}

/* HELPER EXSCAN */
static void exscan(long count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	MPI_Exscan(out, in, scaled(count, type), type, op, comm);
}

/* HELPER REDUCE_SCATTER_BLOCK */
static void reduce_scatter_block(long count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	MPI_Reduce_scatter_block(out, in, scaled(count, type), type, op, comm);
}

/* HELPER GATHER */
static void gather(long count, MPI_Datatype type, int root, MPI_Comm comm)
{
	MPI_Gather(out, scaled(count, type), type, in, scaled(count, type), type, root, comm);
}

/* HELPER SCATTER */
static void scatter(long count, MPI_Datatype type, int root, MPI_Comm comm)
{
	MPI_Scatter(out, scaled(count, type), type, in, scaled(count, type), type, root, comm);
}

/* HELPER ALLGATHER */
static void allgather(long count, MPI_Datatype type, MPI_Comm comm)
{
	MPI_Allgather(out, scaled(count, type), type, in, scaled(count, type), type, comm);
}

/* HELPER ALLTOALL */
/* So much to each. */
static void alltoall(long count, MPI_Datatype type, MPI_Comm comm)
{
	MPI_Alltoall(out, scaled(count, type), type, in, scaled(count, type), type, comm);
}

/* HELPER COUNTS */
/* Where blocks differ: their sizes and places, by process of the communicator. */
struct counts {
	int count[PROCESSES], start[PROCESSES];
};

static void counts_of(struct counts *c, const long *bytes, MPI_Comm comm)
{
	for (int i = 0; i < size_of(comm); i++) {
		c->count[i] = scaled(bytes[i], MPI_BYTE);
		c->start[i] = i ? c->start[i - 1] + c->count[i - 1] : 0;
		if ((size_t)c->start[i] + (size_t)c->count[i] > room) {
			fprintf(stderr, "sizes that cannot be: the blocks of a collective are longer together than what any process passes on\n");
			MPI_Abort(MPI_COMM_WORLD, 2);
		}
	}
}

/* HELPER RANK_OF */
static int rank_of(MPI_Comm comm)
{
	int rank;
	MPI_Comm_rank(comm, &rank);
	return rank;
}

/* HELPER GATHERV */
static void gatherv(const long *bytes, int root, MPI_Comm comm)
{
	struct counts c;
	counts_of(&c, bytes, comm);
	MPI_Gatherv(out, c.count[rank_of(comm)], MPI_BYTE, in, c.count, c.start, MPI_BYTE, root, comm);
}

/* HELPER SCATTERV */
static void scatterv(const long *bytes, int root, MPI_Comm comm)
{
	struct counts c;
	counts_of(&c, bytes, comm);
	MPI_Scatterv(out, c.count, c.start, MPI_BYTE, in, c.count[rank_of(comm)], MPI_BYTE, root, comm);
}

/* HELPER ALLGATHERV */
static void allgatherv(const long *bytes, MPI_Comm comm)
{
	struct counts c;
	counts_of(&c, bytes, comm);
	MPI_Allgatherv(out, c.count[rank_of(comm)], MPI_BYTE, in, c.count, c.start, MPI_BYTE, comm);
}

/* HELPER REDUCE_SCATTER */
static void reduce_scatter(const long *bytes, MPI_Op op, MPI_Comm comm)
{
	struct counts c;
	counts_of(&c, bytes, comm);
	MPI_Datatype type = op == MPI_BOR || op == MPI_BAND || op == MPI_BXOR ? MPI_BYTE : MPI_SIGNED_CHAR;
	MPI_Reduce_scatter(out, in, c.count, type, op, comm);
}

/* HELPER SHARES */
/* Of an exchange is known what each process sends and gets in all. Who sends what to whom is made so that these sums hold:
   in proportion, and what rounding leaves in the order of the processes. */
struct shares {
	const long *sent, *received;
	long all, row[PROCESSES + 1], column[PROCESSES + 1];
};

static long in_proportion(const struct shares *s, int from, int to)
{
	return s->all ? (long)((double)s->sent[from] * s->received[to] / s->all) : 0;
}

static void share_out(struct shares *s, int n)
{
	long got = 0;
	for (int i = 0; i < n; i++)
		s->all += s->sent[i], got += s->received[i];
	if (s->all != got)
		leave("what an exchange sends is not what it receives");
	for (int i = 0; i < n; i++) {
		s->row[i + 1] = s->row[i] + s->sent[i];
		s->column[i + 1] = s->column[i] + s->received[i];
		for (int k = 0; k < n; k++) {
			s->row[i + 1] -= in_proportion(s, i, k);
			s->column[i + 1] -= in_proportion(s, k, i);
		}
	}
}

static long share_of(const struct shares *s, int from, int to)
{
	long first = s->row[from] > s->column[to] ? s->row[from] : s->column[to];
	long last = s->row[from + 1] < s->column[to + 1] ? s->row[from + 1] : s->column[to + 1];
	return in_proportion(s, from, to) + (last > first ? last - first : 0);
}

static void find_shares(const long *sent, const long *received, MPI_Comm comm, struct counts *s, struct counts *r)
{
	struct shares shares = {.sent = sent, .received = received};
	long to[PROCESSES], from[PROCESSES];
	int n = size_of(comm), me = rank_of(comm);
	share_out(&shares, n);
	for (int i = 0; i < n; i++) {
		to[i] = share_of(&shares, me, i);
		from[i] = share_of(&shares, i, me);
	}
	counts_of(s, to, comm);
	counts_of(r, from, comm);
}

/* HELPER ALLTOALLV */
static void alltoallv(const long *sent, const long *received, MPI_Comm comm)
{
	struct counts s, r;
	find_shares(sent, received, comm, &s, &r);
	MPI_Alltoallv(out, s.count, s.start, MPI_BYTE, in, r.count, r.start, MPI_BYTE, comm);
}

/* HELPER ALLTOALLW */
static void alltoallw(const long *sent, const long *received, MPI_Comm comm)
{
	struct counts s, r;
	MPI_Datatype types[PROCESSES];
	for (int i = 0; i < PROCESSES; i++)
		types[i] = MPI_BYTE;
	find_shares(sent, received, comm, &s, &r);
	MPI_Alltoallw(out, s.count, s.start, types, in, r.count, r.start, types, comm);
}

/* HELPER ALLTOALLV_TO_EACH */
/* So many bytes for each other one, and from it. */
static void alltoallv_to_each(const long *to, const long *from, MPI_Comm comm)
{
	struct counts s, r;
	counts_of(&s, to, comm);
	counts_of(&r, from, comm);
	MPI_Alltoallv(out, s.count, s.start, MPI_BYTE, in, r.count, r.start, MPI_BYTE, comm);
}

/* HELPER ALLTOALLW_TO_EACH */
static void alltoallw_to_each(const long *to, const long *from, MPI_Comm comm)
{
	struct counts s, r;
	MPI_Datatype types[PROCESSES];
	for (int i = 0; i < PROCESSES; i++)
		types[i] = MPI_BYTE;
	counts_of(&s, to, comm);
	counts_of(&r, from, comm);
	MPI_Alltoallw(out, s.count, s.start, types, in, r.count, r.start, types, comm);
}
