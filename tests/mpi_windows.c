/*
 * mpi_windows.c -- one-sided communication that counts itself: whoever calls tells, at its end, how
 * many messages and bytes went from whom to whom.
 *
 *	windows FILE CASE	-- FILE.RANK has "FROM TO MESSAGES BYTES", a line each
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

static int rank, size;
static long messages[2][MOST], bytes[2][MOST]; /* to and from each */

static void moved(int back, int peer, long n)
{
	messages[back][peer]++;
	bytes[back][peer] += n;
}

static void put(int n, int to, MPI_Aint at, MPI_Win win)
{
	static double from[1000];
	MPI_Put(from, n, MPI_DOUBLE, to, at, n, MPI_DOUBLE, win);
	moved(0, to, n * (long)sizeof *from);
}

static void get(int n, int from, MPI_Aint at, MPI_Win win)
{
	static double to[1000];
	MPI_Get(to, n, MPI_DOUBLE, from, at, n, MPI_DOUBLE, win);
	moved(1, from, n * (long)sizeof *to);
}

/* A halo by puts, sums at the root, what others have by gets. */
static void fence(void)
{
	double *mine, one = 1;
	MPI_Win win;
	MPI_Win_allocate(
		1000 * size * (MPI_Aint)sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	memset(mine, 0, 1000 * (size_t)size * sizeof *mine);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	for (int i = 0; i < 20; i++) {
		put(100 + i, (rank + 1) % size, 100 * rank, win);
		if (rank)
			put(10, rank - 1, 500, win);
		MPI_Win_fence(0, win);
		get(5, (rank + size - 1) % size, 3, win);
		MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, MPI_SUM, win);
		moved(0, 0, sizeof one);
		MPI_Win_fence(0, win);
	}
	put(1, rank, 0, win);
	MPI_Put(&one, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Win_free(&win);
}

/* Counters, of two rows, that are fetched and changed; requests. */
static void atomics(void)
{
	MPI_Comm row;
	MPI_Win win;
	MPI_Request request;
	int row_rank, row_size, first;
	long counter[4] = {0}, one = 1, old[4];
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &row);
	MPI_Comm_rank(row, &row_rank);
	MPI_Comm_size(row, &row_size);
	first = rank % 2;
	MPI_Win_create(counter, sizeof counter, sizeof *counter, MPI_INFO_NULL, row, &win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < 10; i++) {
		MPI_Fetch_and_op(&one, old, MPI_LONG, 0, 0, MPI_SUM, win);
		moved(0, first, sizeof one);
		moved(1, first, sizeof one);
		MPI_Win_fence(0, win);
		MPI_Compare_and_swap(&one, old, old + 1, MPI_LONG, row_size - 1, 1, win);
		moved(0, first + 2 * (row_size - 1), 2 * sizeof one);
		moved(1, first + 2 * (row_size - 1), sizeof one);
		MPI_Win_fence(0, win);
		MPI_Get_accumulate(NULL, 0, MPI_LONG, old, 3, MPI_LONG, 0, 0, 3, MPI_LONG, MPI_NO_OP, win);
		moved(0, first, 0);
		moved(1, first, 3 * sizeof one);
		MPI_Win_fence(0, win);
	}
	MPI_Win_free(&win);
	MPI_Win_create(counter, sizeof counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < 10; i++) {
		MPI_Rput(&one, 1, MPI_LONG, (rank + 1) % size, 2, 1, MPI_LONG, win, &request);
		moved(0, (rank + 1) % size, sizeof one);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Win_flush((rank + 1) % size, win);
		MPI_Rget(old, 2, MPI_LONG, 0, 0, 2, MPI_LONG, win, &request);
		moved(1, 0, 2 * sizeof one);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Comm_free(&row);
}

/* A window for each step, one after the other. */
static void made(void)
{
	double mine[100] = {0};
	for (int i = 0; i < 5; i++) {
		MPI_Win win;
		MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
		MPI_Win_fence(0, win);
		put(8, (rank + 1) % size, 0, win);
		MPI_Win_fence(0, win);
		MPI_Win_free(&win);
	}
}

/* Whoever holds the lock of a target; then ranks beside each other, who say when. */
static void epochs(void)
{
	double *mine;
	int beside[2] = {(rank + 1) % size, (rank + size - 1) % size};
	MPI_Win win;
	MPI_Group all, two;
	MPI_Win_allocate(200 * (MPI_Aint)sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 2, beside, &two);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 10; i++) {
		MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, beside[0], 0, win);
		put(10, beside[0], i, win);
		MPI_Win_flush(beside[0], win);
		get(3, beside[0], i, win);
		MPI_Win_unlock(beside[0], win);
	}
	for (int i = 0; i < 6; i++) {
		MPI_Win_post(two, 0, win);
		MPI_Win_start(two, 0, win);
		put(1, beside[0], 0, win);
		put(2, beside[1], 1, win);
		MPI_Win_complete(win);
		MPI_Win_wait(win);
	}
	MPI_Win_free(&win);
	MPI_Group_free(&two);
	MPI_Group_free(&all);
}

static void tell(const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s.%d", name, rank);
	FILE *file = fopen(path, "w");
	for (int back = 0; file && back < 2; back++)
		for (int peer = 0; peer < size; peer++)
			if (messages[back][peer])
				fprintf(file, "%d %d %ld %ld\n", back ? peer : rank, back ? rank : peer,
					messages[back][peer], bytes[back][peer]);
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*does)(void);
	} cases[] = {{"fence", fence}, {"atomics", atomics}, {"made", made}, {"epochs", epochs}};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; argc == 3 && size <= MOST && i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(argv[2], cases[i].name))
			cases[i].does();
	if (argc == 3)
		tell(argv[1]);
	MPI_Finalize();
	return 0;
}
