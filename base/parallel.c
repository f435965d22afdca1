/*
 * parallel.c -- threads take the next index from a counter until there is none.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/parallel.h"

#define STACK_BYTES ((size_t)64 << 20)

unsigned parallel_cores(void)
{
	cpu_set_t allowed;
	if (!sched_getaffinity(0, sizeof allowed, &allowed))
		return (unsigned)CPU_COUNT(&allowed);
	long cores = sysconf(_SC_NPROCESSORS_ONLN); /* more cores than a cpu_set_t holds */
	return cores > 0 ? (unsigned)cores : 1;
}

struct job {
	atomic_size_t next;
	size_t count;
	void (*work)(void *context, size_t i);
	void *context;
};

static void *run(void *argument)
{
	struct job *job = argument;
	for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;)
		job->work(job->context, i);
	return NULL;
}

void parallel_for(unsigned jobs, size_t count, void (*work)(void *context, size_t i), void *context)
{
	struct job job = {.count = count, .work = work, .context = context};
	if (!jobs)
		jobs = parallel_cores();
	if (jobs > count)
		jobs = (unsigned)count;
	if (jobs <= 1) {
		run(&job);
		return;
	}
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_t *thread = mem_array(jobs, sizeof *thread);
	unsigned started = 0;
	while (started < jobs && !pthread_create(&thread[started], &attributes, run, &job))
		started++;
	if (!started) /* the system gives us no threads at all */
		run(&job);
	for (unsigned i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	free(thread);
	pthread_attr_destroy(&attributes);
}
