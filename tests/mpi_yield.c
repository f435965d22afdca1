/*
 * mpi_yield.c -- preloaded below MPICH, which waits by looking again and again: where nothing has
 * come, another process may have the processor. With more processes than processors tests take half
 * of the processor time then. (Open MPI has a setting for it, mpi_yield_when_idle.)
 */
#include <dlfcn.h>
#include <sched.h>

/* Of UCX, which Debian's MPICH communicates through: what has come since? */
unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*next)(void *);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
	unsigned come = next(worker);
	if (!come)
		sched_yield();
	return come;
}
