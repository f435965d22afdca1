/*
 * windows.c -- windows of memory, each kept with a communicator of its own.
 */
#include "replay/run-time/messages.c"

/* HELPER WINDOW_OF */
static MPI_Win *window_of(MPI_Comm comm, int made)
{
	static int key = MPI_KEYVAL_INVALID;
	MPI_Win *window;
	int there;
	if (key == MPI_KEYVAL_INVALID)
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_get_attr(comm, key, &window, &there);
	if (!there && !made)
		leave("a window is used that is not there");
	if (!there) {
		window = malloc(sizeof *window);
		MPI_Comm_set_attr(comm, key, window);
	}
	return window;
}

/* More where messages are scaled, so that none goes beyond it. */
static MPI_Aint window_bytes(long size)
{
	return size + (option[BYTES] < 0 && option[SCALE_BYTES] <= 1 ? 0 : (MPI_Aint)room);
}

/* HELPER WIN_CREATE */
static void win_create(long size, int unit, MPI_Comm comm)
{
	void *memory = calloc(1, (size_t)window_bytes(size) + 1);
	MPI_Win_create(memory, window_bytes(size), unit, MPI_INFO_NULL, comm, window_of(comm, 1));
}

/* HELPER WIN_ALLOCATE */
static void win_allocate(long size, int unit, MPI_Comm comm)
{
	void *memory;
	MPI_Win_allocate(window_bytes(size), unit, MPI_INFO_NULL, comm, &memory, window_of(comm, 1));
	memset(memory, 0, (size_t)window_bytes(size));
}

/* HELPER WIN_ALLOCATE_SHARED */
static void win_allocate_shared(long size, int unit, MPI_Comm comm)
{
	void *memory;
	MPI_Win_allocate_shared(window_bytes(size), unit, MPI_INFO_NULL, comm, &memory, window_of(comm, 1));
}

/* HELPER WIN_FENCE */
static void win_fence(MPI_Comm comm)
{
	MPI_Win_fence(0, *window_of(comm, 0));
}

/* HELPER WIN_FREE */
static void win_free(MPI_Comm comm)
{
	MPI_Win_free(window_of(comm, 0));
}

/* HELPER PUT */
static void put_to(long count, MPI_Datatype type, int to, long disp, MPI_Comm comm)
{
	int n = scaled(count, type);
	MPI_Put(out, n, type, to, disp, n, type, *window_of(comm, 0));
}

/* HELPER GET */
static void get_from(long count, MPI_Datatype type, int from, long disp, MPI_Comm comm)
{
	int n = scaled(count, type);
	MPI_Get(in, n, type, from, disp, n, type, *window_of(comm, 0));
}

/* HELPER ACCUMULATE */
static void accumulate(long count, MPI_Datatype type, int to, long disp, MPI_Op op, MPI_Comm comm)
{
	int n = scaled(count, type);
	MPI_Accumulate(out, n, type, to, disp, n, type, op, *window_of(comm, 0));
}

/* HELPER GET_ACCUMULATE */
static void get_accumulate(long count, MPI_Datatype type, int to, long disp, MPI_Op op, MPI_Comm comm)
{
	int n = scaled(count, type);
	MPI_Get_accumulate(out, n, type, in, n, type, to, disp, n, type, op, *window_of(comm, 0));
}

/* HELPER FETCH_AND_OP */
static void fetch_and_op(MPI_Datatype type, int to, long disp, MPI_Op op, MPI_Comm comm)
{
	MPI_Fetch_and_op(out, in, type, to, disp, op, *window_of(comm, 0));
}

/* HELPER COMPARE_AND_SWAP */
static void compare_and_swap(MPI_Datatype type, int to, long disp, MPI_Comm comm)
{
	MPI_Compare_and_swap(out, out + 64, in, type, to, disp, *window_of(comm, 0));
}

/* HELPER WIN_LOCK */
static void win_lock(int type, int target, MPI_Comm comm)
{
	MPI_Win_lock(type, target, 0, *window_of(comm, 0));
}

/* HELPER WIN_UNLOCK */
static void win_unlock(int target, MPI_Comm comm)
{
	MPI_Win_unlock(target, *window_of(comm, 0));
}

/* HELPER WIN_FLUSH */
static void win_flush(int target, MPI_Comm comm)
{
	MPI_Win_flush(target, *window_of(comm, 0));
}

/* HELPER WIN_FLUSH_LOCAL */
static void win_flush_local(int target, MPI_Comm comm)
{
	MPI_Win_flush_local(target, *window_of(comm, 0));
}

/* HELPER WIN_LOCK_ALL */
static void win_lock_all(MPI_Comm comm)
{
	MPI_Win_lock_all(0, *window_of(comm, 0));
}

/* HELPER WIN_UNLOCK_ALL */
static void win_unlock_all(MPI_Comm comm)
{
	MPI_Win_unlock_all(*window_of(comm, 0));
}

/* HELPER WIN_FLUSH_ALL */
static void win_flush_all(MPI_Comm comm)
{
	MPI_Win_flush_all(*window_of(comm, 0));
}

/* HELPER WIN_FLUSH_LOCAL_ALL */
static void win_flush_local_all(MPI_Comm comm)
{
	MPI_Win_flush_local_all(*window_of(comm, 0));
}

/* HELPER GROUP_OF */
/* Of ranks of the world: "0-3,8". */
static MPI_Group group_of(const char *ranks)
{
	MPI_Group world, group;
	int rank[PROCESSES], n = 0;
	for (char *end; *ranks >= '0' && *ranks <= '9'; ranks = *end == ',' ? end + 1 : end) {
		long first = strtol(ranks, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
		for (; first <= last && n < PROCESSES; first++)
			rank[n++] = (int)first;
	}
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, n, rank, &group);
	MPI_Group_free(&world);
	return group;
}

/* HELPER WIN_POST */
static void win_post(const char *ranks, MPI_Comm comm)
{
	MPI_Group group = group_of(ranks);
	MPI_Win_post(group, 0, *window_of(comm, 0));
	MPI_Group_free(&group);
}

/* HELPER WIN_START */
static void win_start(const char *ranks, MPI_Comm comm)
{
	MPI_Group group = group_of(ranks);
	MPI_Win_start(group, 0, *window_of(comm, 0));
	MPI_Group_free(&group);
}

/* HELPER WIN_COMPLETE */
static void win_complete(MPI_Comm comm)
{
	MPI_Win_complete(*window_of(comm, 0));
}

/* HELPER WIN_WAIT */
static void win_wait(MPI_Comm comm)
{
	MPI_Win_wait(*window_of(comm, 0));
}
