/* is.S.4.scorep: the communication of 4 processes, in order. Written by tracenest skeleton, to be read and changed.
 * not in this model: sizes by peer of 44 MPI_Alltoallv.
 *	mpicc -O2 -o app app.c && mpirun -n 4 ./app */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PROCESSES = 4, PHASES = 3, LARGEST = 66688 };

/* What the command line says. */
enum { ITERATIONS, BYTES, SCALE_BYTES, SCALE_COMPUTE, ROLE, RANK, DRAW, COMPUTE, OPTIONS };
enum { SLEEP, SPIN, NOTHING };
static double option[OPTIONS] = {11, -1, 1, 1, -1, -1, 0, SLEEP};

/* What is passed on, without content, in as much room each time. */
static char *in, *out;
static size_t room;

/* Our rank. */
static int p;

static void find_place(void)
{
	MPI_Comm_rank(MPI_COMM_WORLD, &p);
}

static _Noreturn void leave(const char *why)
{
	if (p == 0)
		fprintf(stderr, "%s\n", why);
	MPI_Finalize();
	exit(2);
}

static const int table_r[4][11] = {
	{66672, 66672, 66672, 66672, 66676, 66676, 66676, 66680, 66684, 66684, 66688},
	{64844, 64844, 64844, 64844, 64840, 64840, 64836, 64828, 64824, 64824, 64816},
	{65480, 65480, 65476, 65476, 65472, 65468, 65468, 65468, 65464, 65460, 65460},
	{65148, 65148, 65152, 65152, 65156, 65160, 65164, 65168, 65172, 65176, 65180},
};

/* Processes of one role execute the same statements. */
static int role(void)
{
	if (p >= 1 && p <= 2)
		return 1;
	if (p == 3)
		return 2;
	return 0;
}

static double scale_of_ours(void)
{
	int ours = (option[ROLE] < 0 || role() == option[ROLE]) && (option[RANK] < 0 || p == option[RANK]);
	return ours ? option[SCALE_COMPUTE] : 1;
}

enum { EVENTS = 8 };

/* Loops around each event. */
static const char depth_of[EVENTS + 1] = {
	0, 1, 1, 1, 0, 0, 0, 0,
};

enum { DEPTH = 1 };

/* Seconds of computing, and how often they were seen. */
static const struct bin {
	float seconds, times;
} bins[] = {
	{3.631e-05, 1}, {1.107e-05, 1}, {6.301e-06, 1}, {6.559e-06, 1}, {0.006358, 1}, {0.002111, 2}, {0.006057, 1},
	{4.601e-05, 10}, {4.712e-05, 9}, {5.437e-05, 1}, {6.524e-05, 9}, {7.974e-05, 1}, {4.55e-05, 10}, {6.121e-07, 7},
	{7.235e-07, 3}, {1.447e-06, 1}, {7.009e-07, 2}, {8.088e-07, 4}, {9.706e-07, 4}, {6.472e-06, 1}, {6.043e-07, 9},
	{7.142e-07, 1}, {1.978e-06, 1}, {6.02e-07, 8}, {7.115e-07, 2}, {1.971e-06, 1}, {9.425e-08, 1}, {1.088e-07, 1},
	{1.597e-07, 1}, {1.887e-07, 4}, {2.178e-07, 1}, {2.614e-07, 1}, {3.195e-07, 1}, {1.046e-06, 1}, {1.537e-07, 3},
	{1.817e-07, 1}, {2.517e-07, 4}, {3.077e-07, 1}, {3.637e-07, 1}, {1.231e-06, 1}, {8.982e-08, 1}, {1.037e-07, 1},
	{1.522e-07, 4}, {1.799e-07, 4}, {7.201e-07, 1}, {8.641e-08, 2}, {9.974e-08, 1}, {1.464e-07, 2}, {1.73e-07, 4},
	{2.397e-07, 1}, {9.593e-07, 1}, {1.318e-05, 1}, {1.819e-05, 1}, {1.302e-05, 1}, {1.362e-05, 1}, {2.594e-05, 1},
	{3.943e-05, 1}, {2.768e-05, 1}, {8.887e-07, 1}, {4.417e-07, 1}, {3.054e-05, 1}, {2.476e-06, 1}, {3.067e-06, 1},
	{2.539e-06, 1}, {2.649e-06, 1}, {0, 0}
};

/* Those before an event, by how control came to it, of a set of processes: the first bin, how many, and how far
   apart processes draw from them. */
static const struct row {
	int event, arrival, set, first, bins;
	float apart;
} rows[] = {
	{0, 0, 0, 0, 1, 0}, {0, 0, 1, 1, 1, 0}, {0, 0, 2, 2, 1, 0}, {0, 0, 3, 3, 1, 0}, {1, 2, 0, 4, 1, 0}, {1, 2, 4, 5, 1, 0.5},
	{1, 2, 3, 6, 1, 0}, {1, 3, 0, 7, 1, 0}, {1, 3, 4, 8, 4, 0.5}, {1, 3, 3, 12, 1, 0}, {2, 1, 0, 13, 3, 0},
	{2, 1, 1, 16, 4, 0}, {2, 1, 2, 20, 3, 0}, {2, 1, 3, 23, 3, 0}, {3, 1, 0, 26, 8, 0}, {3, 1, 1, 34, 6, 0},
	{3, 1, 2, 40, 5, 0}, {3, 1, 3, 45, 6, 0}, {4, 4, 0, 51, 1, 0}, {4, 4, 1, 52, 1, 0}, {4, 4, 2, 53, 1, 0},
	{4, 4, 3, 54, 1, 0}, {5, 1, 0, 55, 1, 0}, {5, 1, 1, 56, 1, 0}, {5, 1, 2, 57, 1, 0}, {6, 1, 1, 58, 1, 0},
	{6, 1, 2, 59, 1, 0}, {6, 1, 3, 60, 1, 0}, {7, 1, 0, 61, 1, 0}, {7, 1, 1, 62, 1, 0}, {7, 1, 2, 63, 1, 0},
	{7, 1, 3, 64, 1, 0}, {-1, 0, 0, 0, 0, 0}
};

/* Are we one of the processes whose times a row has? */
static int is_ours(int set)
{
	switch (set) {
	case 0:
		return p == 0;
	case 1:
		return p == 1;
	case 2:
		return p == 2;
	case 3:
		return p == 3;
	case 4:
		return p >= 1 && p <= 2;
	default:
		return 0;
	}
}

/* What a process computes, by what its rows say. */
static const double stretch[PROCESSES] = {
	1.0000, 1.0618, 0.9375, 1.0000,
};

/* Seconds of computing behind the last event. */
static const double rest[PROCESSES] = {
	6.537e-05, 1.012e-06, 8.661e-07, 5.478e-07,
};

/* Computing, by sleeping or spinning: what took too long is taken off the next. Messages go on meanwhile. */
static void spend(double seconds)
{
#ifdef SMPI_H
	if (option[COMPUTE] != NOTHING && seconds > 0)
		smpi_execute(seconds);
#else
	static double late;
	double end = MPI_Wtime() + seconds - late, left;
	if (option[COMPUTE] == NOTHING || seconds <= 0)
		return;
	while ((left = end - MPI_Wtime()) > 0) {
		int any;
		if (option[COMPUTE] == SPIN)
			continue;
		PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE);
		left = left < 0.002 ? left : 0.002;
		nanosleep(&(struct timespec){.tv_nsec = (long)(left * 1e9)}, NULL);
	}
	late = -left;
#endif
}

/* Where control is: how often the loop of this depth was entered, and in which iteration it is. */
static long entered[DEPTH + 1], iterations[DEPTH + 1];

static void iteration(int depth, long i)
{
	entered[depth] += i == 0;
	iterations[depth] = i;
}

/* How it came to an event from the one before: as the first one, straight on, into a loop, by its next iteration, out of a loop. */
static int arrive(int event)
{
	static int last = -1;
	static long last_entered[DEPTH + 1], last_iteration[DEPTH + 1];
	int depth = depth_of[event], before = last < 0 ? 0 : depth_of[last], arrival = last < 0 ? 0 : before > depth ? 4 : 1;
	if (last >= 0 && iterations[depth] != last_iteration[depth])
		arrival = 3;
	if (last >= 0 && (depth > before || entered[depth] != last_entered[depth]))
		arrival = 2;
	last = event;
	memcpy(last_entered, entered, sizeof entered);
	memcpy(last_iteration, iterations, sizeof iterations);
	return arrival;
}

/* One of a row's times: draws spread evenly over its histogram; --seed -1: the mean. */
static double draw(const struct row *r, unsigned *drawn)
{
	double all = 0, sum = 0, at = 0.618033988749895 * (1 + *drawn) + 0.7548776662 * option[DRAW] + p * r->apart;
	int i = 0;
	++*drawn;
	for (int k = 0; k < r->bins; k++) {
		all += bins[r->first + k].times;
		sum += bins[r->first + k].times * (double)bins[r->first + k].seconds;
	}
	if (option[DRAW] < 0 || all <= 0)
		return all > 0 ? sum / all : 0;
	for (at = (at - (long)at) * all; i + 1 < r->bins && at >= bins[r->first + i].times; i++)
		at -= bins[r->first + i].times;
	return bins[r->first + i].seconds;
}

/* What is computed before an event. */
static void compute(int event)
{
	static const struct row *row_of[EVENTS + 1][5];
	static unsigned drawn[EVENTS + 1][5];
	for (const struct row *r = rows; !row_of[EVENTS][0] && r->event >= 0; r++)
		if (is_ours(r->set))
			row_of[r->event][r->arrival] = r;
	row_of[EVENTS][0] = rows;
	int arrival = arrive(event);
	if (row_of[event][arrival])
		spend(draw(row_of[event][arrival], &drawn[event][arrival]) * stretch[p] * scale_of_ours());
}

static int scaled(long count, MPI_Datatype type)
{
	int size;
	MPI_Type_size(type, &size);
	double bytes = option[BYTES] < 0 ? count * size * option[SCALE_BYTES] : option[BYTES];
	return (int)((bytes + size - 1) / size);
}

/* Sends under way: they do not wait, so that no message is too large. When many are under way, those that have left are forgotten. */
static MPI_Request *sending;
static int sends, most_sends;

static void send_to(long count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (to == MPI_PROC_NULL)
		return;
	if (sends == most_sends) {
		int kept = 0;
		for (int i = 0, left; i < sends; i++, kept += !left) {
			MPI_Test(&sending[i], &left, MPI_STATUS_IGNORE);
			sending[kept] = sending[i];
		}
		sends = kept;
		sending = realloc(sending, (size_t)(most_sends = 2 * sends + 64) * sizeof *sending);
	}
	MPI_Isend(out, scaled(count, type), type, to, tag, comm, &sending[sends++]);
}

static void receive_from(long count, MPI_Datatype type, int from, int tag, MPI_Comm comm)
{
	if (from != MPI_PROC_NULL)
		MPI_Recv(in, scaled(count, type), type, from, tag, comm, MPI_STATUS_IGNORE);
}

static int size_of(MPI_Comm comm)
{
	int size;
	MPI_Comm_size(comm, &size);
	return size;
}

static void bcast(long count, MPI_Datatype type, int root, MPI_Comm comm)
{
	MPI_Bcast(in, scaled(count, type), type, root, comm);
}

static void reduce(long count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
	MPI_Reduce(out, in, scaled(count, type), type, op, root, comm);
}

static void allreduce(long count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	MPI_Allreduce(out, in, scaled(count, type), type, op, comm);
}

/* So much to each. */
static void alltoall(long count, MPI_Datatype type, MPI_Comm comm)
{
	MPI_Alltoall(out, scaled(count, type), type, in, scaled(count, type), type, comm);
}

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

static int rank_of(MPI_Comm comm)
{
	int rank;
	MPI_Comm_rank(comm, &rank);
	return rank;
}

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

static void alltoallv(const long *sent, const long *received, MPI_Comm comm)
{
	struct counts s, r;
	find_shares(sent, received, comm, &s, &r);
	MPI_Alltoallv(out, s.count, s.start, MPI_BYTE, in, r.count, r.start, MPI_BYTE, comm);
}

/* When each phase began, and how long processes took: told behind the back of tools, as this is no part of it. */
static const char *phase_name[PHASES + 1];
static double phase_start[PHASES + 1];

static void phase(const char *name)
{
	static int begun;
	phase_name[begun] = name;
	phase_start[begun++] = MPI_Wtime();
}

static void print_times(void)
{
	double own[PHASES + 1], sum[PHASES + 1], most[PHASES + 1];
	for (int i = 0; i < PHASES; i++)
		own[i] = phase_start[i + 1] - phase_start[i];
	own[PHASES] = phase_start[PHASES] - phase_start[0];
#ifndef SMPI_H
	MPI_Pcontrol(0);
#endif
	PMPI_Reduce(own, sum, PHASES + 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	PMPI_Reduce(own, most, PHASES + 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	for (int i = 0; p == 0 && i <= PHASES; i++)
		printf("%10.6f s, at most %10.6f s: %s\n", sum[i] / PROCESSES, most[i], phase_name[i]);
}

/* The phases, each with its place in the model. */
static void run(void)
{
	phase("0 bcast");
	compute(0);
	bcast(4, MPI_BYTE, 0, MPI_COMM_WORLD);
	phase("1 collectives");
	for (long i0 = 0; i0 < option[ITERATIONS]; i0++) {
		iteration(1, i0);
		compute(1);
		allreduce(2068, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
		compute(2);
		alltoall(4, MPI_BYTE, MPI_COMM_WORLD);
		compute(3);
		{
			long sent[4];
			long received[4];
			for (int k = 0; k < 4; k++) {
				sent[k] = 65536;
				received[k] = table_r[k][i0];
			}
			alltoallv(sent, received, MPI_COMM_WORLD);
		}
	}
	phase("2 step");
	compute(4);
	reduce(8, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
	if (p <= 2) {
		compute(5);
		send_to(4, MPI_BYTE, p + 1, 1000, MPI_COMM_WORLD);
	}
	if (p >= 1) {
		compute(6);
		receive_from(4, MPI_BYTE, p - 1, 1000, MPI_COMM_WORLD);
	}
	compute(7);
	reduce(4, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
	phase("all phases"); /* how long they took together */
	spend(rest[p] * scale_of_ours());
}

static void read_options(int words, char **word)
{
	static const char *const names[] = {"--iterations", "--bytes", "--scale-bytes", "--scale-compute", "--role",
		"--rank", "--seed", "--compute"};
	for (int i = 1, k = 0; i < words; i += 2, k = 0) {
		while (k < OPTIONS && strcmp(word[i], names[k]))
			k++;
		if (k == OPTIONS || i + 1 == words)
			leave("options: --iterations N, --bytes N, --scale-bytes F, --scale-compute F, --role R, --rank P, --seed N, --compute sleep|spin|none");
		option[k] = atof(word[i + 1]);
		if (k == COMPUTE)
			option[k] = !strcmp(word[i + 1], "spin") ? SPIN : !strcmp(word[i + 1], "none") ? NOTHING : SLEEP;
	}
	if (option[ITERATIONS] > 11)
		leave("what more iterations would do is not known");
}

int main(int argc, char **argv)
{
	int processes;
	MPI_Init(&argc, &argv);
	find_place();
	MPI_Comm_size(MPI_COMM_WORLD, &processes);
	if (processes != PROCESSES)
		leave("this program is one of another number of processes");
	read_options(argc, argv);
	double largest = option[BYTES] < 0 ? LARGEST * option[SCALE_BYTES] : PROCESSES * option[BYTES];
	room = 64 * ((size_t)largest / 64 + PROCESSES);
	if (largest > 2e9 || !(in = calloc(2, room)))
		leave("so much cannot be passed on at once");
	out = in + room;
	run();
	for (int i = 0; i < sends; i++)
		MPI_Wait(&sending[i], MPI_STATUS_IGNORE);
	print_times();
	MPI_Finalize();
	return 0;
}
