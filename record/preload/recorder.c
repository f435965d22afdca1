/*
 * recorder.c -- the state of the recorder, and what all calls have in common.
 */
#include "record/preload/recorder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/compare.h"
#include "lib/online.h"

struct recorder recorder = {.side = {.file = -1}, .lock = PTHREAD_MUTEX_INITIALIZER};
_Thread_local struct here here;

#define SAMPLE 64 /* of so many calls, one tells what recording costs */

/* ------------------------------------------------------------------ functions of MPI */

/* Where a module was loaded for itself, it finds what it needs in its own libraries alone. */
static void *as_caller_finds_it(const char *name, void *caller)
{
	Dl_info where;
	void *function = NULL;
	if (dladdr(caller, &where) && where.dli_fname) {
		void *module = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
		function = module ? dlsym(module, name) : NULL;
		if (module)
			dlclose(module);
	}
	return function;
}

void *find_function(const char *name, void *caller)
{
	void *function = dlsym(RTLD_NEXT, name);
	return function ? function : as_caller_finds_it(name, caller);
}

void *next_function(void **found, const char *name, void *caller)
{
	void *function = __atomic_load_n(found, __ATOMIC_RELAXED);
	if (__builtin_expect(function != NULL, 1))
		return function;
	function = find_function(name, caller);
	if (!function) {
		fprintf(stderr, "tracenest: %s: no MPI library has it\n", name);
		abort(); /* as the loader would have done */
	}
	__atomic_store_n(found, function, __ATOMIC_RELAXED);
	return function;
}

/* ------------------------------------------------------------------ time */

static uint64_t skewed(uint64_t time)
{
	int64_t passed = (int64_t)(time - recorder.skew_start);
	return time + recorder.skew_offset + passed / 1000 * recorder.skew_rate / 1000000;
}

uint64_t recorder_time(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (recorder.skew_start)
		time = skewed(time);
	if (time < recorder.last_time)
		time = recorder.last_time;
	recorder.last_time = time;
	return time;
}

/* ------------------------------------------------------------------ cores */

/* Computing that takes so long, in ns, pays for two questions to the kernel (440 ns each); sooner
   where cores are known to be shared. */
#define WORTH_ASKING 50000
#define WORTH_ASKING_SHARED 5000
/* Below this the kernel may have been busy with an interrupt. */
#define PREEMPTED 10000

uint64_t recorder_cpu(void)
{
	struct timespec used;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static void ask_kernel(uint64_t *cpu, long *given, long *taken)
{
	struct rusage used;
	getrusage(RUSAGE_THREAD, &used);
	*cpu = ((uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec) * 1000000000 +
	       ((uint64_t)used.ru_utime.tv_usec + (uint64_t)used.ru_stime.tv_usec) * 1000;
	*given = used.ru_nvcsw;
	*taken = used.ru_nivcsw;
}

/* Computing begins. */
static void core_is_used(const struct call *c)
{
	recorder.core.since = c->time;
	recorder.core.site = c->site % COMPUTING_SITES;
	recorder.core.asked = !recorder.core.brief[recorder.core.site];
	if (recorder.core.asked)
		ask_kernel(&recorder.core.cpu, &recorder.core.given, &recorder.core.taken);
}

/* Computing ends: ns that the thread was ready, and others had its core. Who gave it away waited
   for something. */
static uint64_t core_was_taken(uint64_t now)
{
	uint64_t took = now - recorder.core.since, cpu;
	long given, taken;
	bool brief = took < (recorder.core.shared ? WORTH_ASKING_SHARED : WORTH_ASKING);
	recorder.core.brief[recorder.core.site] = brief;
	if (!recorder.core.asked || brief || took < PREEMPTED)
		return 0;
	ask_kernel(&cpu, &given, &taken);
	cpu -= recorder.core.cpu;
	bool preempted = given == recorder.core.given && taken > recorder.core.taken && cpu + PREEMPTED < took;
	return preempted ? took - cpu : 0;
}

/* ------------------------------------------------------------------ failure */

static void say(const char *what, const char *more)
{
	char line[512];
	int length = snprintf(line, sizeof line, "tracenest: rank %d: %s%s\n", recorder.rank, what, more);
	if (recorder.quiet || length < 0)
		return;
	ssize_t written = write(STDERR_FILENO, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
	(void)written;
}

void recorder_fails(const char *why)
{
	recorder.on = false;
	if (recorder.failed)
		return;
	recorder.failed = true;
	side_named(&recorder.side, why, "partial");
	say(why, ": from here on nothing is recorded of this process; the program goes on");
}

void recorder_misses(const char *what)
{
	if (recorder.missing)
		return;
	recorder.missing = true;
	side_named(&recorder.side, what, "partial");
	say(what, "");
}

/* An operation of the program has a name when the recording has ended; until then, where its function
   is. */
static void tell_online(const char *kind, const char *text, uint32_t id)
{
	const char *name = strrchr(text, '/');
	if (!strcmp(kind, "string"))
		online_string(recorder.online, id, text);
	else if (!strcmp(kind, "operation"))
		online_string(recorder.online, id, name ? name + 1 : text);
}

uint32_t recorder_string(const char *kind, const char *text)
{
	uint32_t known = intern_count(recorder.strings), id = intern_id(recorder.strings, text, strlen(text));
	if (id == known) {
		side_named(&recorder.side, text, "%s %u", kind, id);
		if (recorder.online)
			tell_online(kind, text, id);
	}
	return id;
}

uint32_t recorder_cost(void)
{
	size_t count = recorder.samples < SAMPLES_KEPT ? (size_t)recorder.samples : SAMPLES_KEPT;
	qsort(recorder.sample, count, sizeof *recorder.sample, compare_u32);
	return count ? recorder.sample[count / 2] : 0;
}

/* ------------------------------------------------------------------ calls */

void call_enter(struct call *c)
{
	if (!recorder.region_used[c->region]) {
		recorder.region_used[c->region] = true;
		side_line(&recorder.side, "region %u", c->region);
	}
	struct event_attributes where = call_attributes(c);
	if (recorder.core.since && (where.preempted = core_was_taken(c->time)))
		where.have |= 1 << ATTRIBUTE_PREEMPTED;
	recorder.core.since = 0;
	event_writer_enter(recorder.events, c->time, c->region, &where);
}

static void lock_for_records(void)
{
	recorder_lock();
	if (recorder.several)
		recorder_thread();
}

/* Polls that say no make a region together, as long as less time passes between them than they
   take: then the process does nothing else. What is further apart is told one by one, which time
   bounds. */
static void go_on_or_leave(struct call *c)
{
	bool same = c->polls && c->with_region && c->region == recorder.poll.region && c->site == recorder.poll.site;
	c->goes_on = same && c->time - recorder.poll.end <= recorder.poll.lasted;
	if (!c->goes_on)
		event_writer_leave(recorder.events, recorder.poll.end, recorder.poll.region);
	recorder.poll.open = false;
}

void call_begin(struct call *c)
{
	here.inside++;
	lock_for_records();
	c->time = recorder_time();
	c->sampled = ++recorder.calls % SAMPLE == 0;
	call_locate(c);
	c->with_region = recorder.on && (!recorder.several || pthread_equal(pthread_self(), recorder.first));
	c->began = c->time;
	if (recorder.poll.open)
		go_on_or_leave(c);
	if (c->with_region)
		pending_returned();
	if (c->with_region && !c->goes_on)
		call_enter(c);
}

void call_go(struct call *c)
{
	if (c->sampled)
		c->cost = recorder_time() - c->time;
	recorder_unlock();
}

void call_returned(struct call *c)
{
	lock_for_records();
	c->time = recorder_time();
}

/* Told at each power of two: where this process is killed, at least so many were there. */
void call_moved(struct call *c)
{
	if (!recorder.on)
		return;
	uint64_t calls = ++recorder.moved[c->region];
	if ((calls & (calls - 1)) == 0)
		side_line(&recorder.side, "moved %u %llu", c->region, (unsigned long long)calls);
}

void call_end(struct call *c)
{
	if (c->with_region && c->said_no) {
		recorder.poll.open = true;
		recorder.poll.region = c->region;
		recorder.poll.site = c->site;
		recorder.poll.end = c->time;
		recorder.poll.lasted = c->time - c->began;
	} else if (c->with_region) {
		event_writer_leave(recorder.events, c->time, c->region);
	}
	if (c->with_region)
		core_is_used(c);
	if (recorder.on && event_writer_failure(recorder.events))
		recorder_fails(event_writer_failure(recorder.events));
	if (c->sampled)
		recorder.sample[recorder.samples++ % SAMPLES_KEPT] = (uint32_t)(c->cost + recorder_time() - c->time);
	recorder_unlock();
	here.inside--;
}
