/*
 * mpi_yield.c -- preloaded below an MPI that waits by looking again and again: where nothing has
 * come, the process rests. With more processes than processors, tests spend most of their time in
 * looking otherwise.
 */
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

static void rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

/* What Open MPI does meanwhile where it is told to yield (mpi_yield_when_idle). */
int sched_yield(void)
{
	rest();
	return 0;
}

/* Of UCX, which Debian's MPICH communicates through: what has come since? */
unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*next)(void *);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
	unsigned come = next(worker);
	if (!come)
		rest();
	return come;
}
