/*
 * session.c -- from MPI_Init to MPI_Finalize, and MPI_Pcontrol in between.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/ranks.h"
#include "record/preload/numbers.inc"
#include "record/preload/recorder.h"
#include "record/record.h"

/* ------------------------------------------------------------------ MPI, as we call it */

static void *mpi_symbol(const char *name, void *caller)
{
	void *found = NULL;
	return next_function(&found, name, caller);
}

/* A variable of the library may have moved into the program that uses it. */
void *find_variable(const char *name, void *caller)
{
	void *variable = dlsym(RTLD_DEFAULT, name);
	return variable ? variable : find_function(name, caller);
}

/* Is the MPI of this process the one that we are built for? A program that is started by another
   one inherits us, whatever it is linked with. */
static bool is_our_mpi(void *caller)
{
	bool open_mpi = find_variable("ompi_mpi_comm_world", caller);
#ifdef OPEN_MPI
	return open_mpi;
#else
	return !open_mpi;
#endif
}

static void find_mpi(void *caller)
{
#define FIND(type, name, parameters) recorder.mpi.name = (type(*) parameters)mpi_symbol("PMPI_" #name, caller);
	NEEDED_FUNCTIONS(FIND)
#undef FIND
#ifdef OPEN_MPI
	recorder.mpi.world = find_variable("ompi_mpi_comm_world", caller);
	recorder.mpi.self = find_variable("ompi_mpi_comm_self", caller);
	recorder.mpi.no_communicator = find_variable("ompi_mpi_comm_null", caller);
	recorder.mpi.no_request = find_variable("ompi_request_null", caller);
	recorder.mpi.byte = find_variable("ompi_mpi_byte", caller);
	recorder.mpi.no_process = find_variable("ompi_message_no_proc", caller);
#else
	recorder.mpi.world = MPI_COMM_WORLD;
	recorder.mpi.self = MPI_COMM_SELF;
	recorder.mpi.no_communicator = MPI_COMM_NULL;
	recorder.mpi.no_request = MPI_REQUEST_NULL;
	recorder.mpi.byte = MPI_BYTE;
	recorder.mpi.no_process = MPI_MESSAGE_NO_PROC;
#endif
	operations_start(caller);
}

/* ------------------------------------------------------------------ options */

static uint64_t number_of(const char *variable, uint64_t usual)
{
	const char *text = getenv(variable);
	uint64_t value;
	return text && text_is_number(text, UINT64_MAX, &value) ? value : usual;
}

static bool is_set(const char *variable)
{
	const char *text = getenv(variable);
	return text && *text;
}

static void read_options(void)
{
	const char *skew = getenv(RECORD_SKEW);
	long long offset = 0, rate = 0;
	recorder.quiet = is_set(RECORD_QUIET);
	uint64_t frames = number_of(RECORD_STACK, RECORD_STACK_DEFAULT);
	recorder.frames = frames < RECORD_STACK_MOST ? (int)frames : RECORD_STACK_MOST;
	recorder.skewed = skew && sscanf(skew, "%lld,%lld", &offset, &rate) == 2;
	recorder.skew_offset = offset * recorder.rank;
	recorder.skew_rate = rate * recorder.rank;
}

/* ------------------------------------------------------------------ files */

#define MOST_CORES 8192 /* as Linux may be built for */

static bool open_files(const char *directory)
{
	struct error error = {0};
	struct text own = {0}, path = {0};
	uint64_t buffer = number_of(RECORD_BUFFER, RECORD_BUFFER_DEFAULT);
	if (buffer < RECORD_BUFFER_LEAST)
		buffer = RECORD_BUFFER_LEAST;
	bool good = job_folder(directory, &recorder.folder, &own, &error);
	text_format(&path, "%s/side", own.data);
	if (good && !side_open(&recorder.side, path.data))
		good = error_set(&error, ERROR_INPUT, "%s: %s", path.data, strerror(errno));
	text_truncate(&path, 0);
	text_format(&path, "%s/memory", own.data);
	struct event_writer_options options = {.directory = own.data,
		.location = (uint64_t)recorder.rank,
		.buffer = buffer,
		.rescue = path.data,
		.silent = is_set(RECORD_NO_ARCHIVE)};
	if (good)
		recorder.events = event_writer_open(&options, &error);
	text_truncate(&path, 0);
	text_format(&path, "%s/pending", own.data);
	if (recorder.events)
		pending_open(path.data);
	if (recorder.events)
		side_line(&recorder.side, "tracenest recording 1");
	else
		recorder_fails(error.message);
	text_clear(&own);
	text_clear(&path);
	return recorder.events;
}

/* Those that the process may run on. */
static void put_cores(void)
{
	struct ranks cores = {0};
	struct text list = {0};
	size_t size = CPU_ALLOC_SIZE(MOST_CORES);
	cpu_set_t *set = CPU_ALLOC(MOST_CORES);
	CPU_ZERO_S(size, set);
	if (sched_getaffinity(0, size, set) == 0)
		for (uint32_t core = 0; core < MOST_CORES; core++)
			if (CPU_ISSET_S(core, size, set))
				ranks_add(&cores, core);
	recorder.core.shared =
		number_of("OMPI_COMM_WORLD_LOCAL_SIZE", number_of("MPI_LOCALNRANKS", 1)) > ranks_count(&cores);
	ranks_print(&cores, &list);
	if (list.length)
		side_named(&recorder.side, list.data, "cores");
	CPU_FREE(set);
	ranks_clear(&cores);
	text_clear(&list);
}

static void put_first_lines(uint64_t begin)
{
	char name[256] = "", boot[64] = "unknown";
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	gethostname(name, sizeof name - 1);
	int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		ssize_t length = read(file, boot, sizeof boot - 1);
		boot[length > 0 ? length : 0] = 0;
		boot[strcspn(boot, "\n")] = 0;
		close(file);
	}
	side_line(&recorder.side, "process %d %d", recorder.rank, recorder.processes);
	job_tell_launcher();
	if (recorder.skewed)
		side_line(&recorder.side, "host %s-%d %s-%d", boot, recorder.rank, name, recorder.rank);
	else
		side_line(&recorder.side, "host %s %s", boot, name);
	put_cores();
	side_line(&recorder.side, "chunk %llu",
		(unsigned long long)event_chunk_bytes(number_of(RECORD_BUFFER, RECORD_BUFFER_DEFAULT)));
	side_line(&recorder.side, "start %llu %llu", (unsigned long long)begin,
		(unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec);
}

/* ------------------------------------------------------------------ MPI_Init */

/* Processes that others start while they run have a world of their own. */
static bool was_spawned(void)
{
	MPI_Comm parent = recorder.mpi.no_communicator;
	recorder.mpi.Comm_get_parent(&parent);
	return parent != recorder.mpi.no_communicator;
}

static void start(const char *directory, struct call *c)
{
	find_mpi(c->caller);
	recorder.mpi.Comm_rank(recorder.mpi.world, &recorder.rank);
	recorder.mpi.Comm_size(recorder.mpi.world, &recorder.processes);
	read_options();
	if (was_spawned()) {
		recorder_misses("a process that MPI_Comm_spawn started is not recorded");
		return;
	}
	int threads = MPI_THREAD_SINGLE;
	recorder.mpi.Query_thread(&threads);
	recorder.several = threads == MPI_THREAD_MULTIPLE;
	recorder.first = pthread_self();
	recorder.strings = intern_new();
	recorder.on = open_files(directory);
	if (recorder.skewed) {
		recorder.last_time = 0;
		recorder.skew_start = c->time;
		c->time += (uint64_t)recorder.skew_offset;
	}
	if (recorder.on)
		put_first_lines(c->time);
	online_start();
	communicators_start();
	sites_start();
	call_locate(c);
	if (recorder.on)
		call_enter(c); /* with the time at which it was called */
	clocks_start();
	recorder.cpu = recorder_cpu();
	recorder.running = true;
}

static void initialized(int result, struct call *c)
{
	const char *directory = getenv(RECORD_DIRECTORY);
	bool wanted = result == MPI_SUCCESS && directory && *directory && !recorder.running;
	if (wanted && !is_our_mpi(c->caller)) {
		job_is_foreign(directory);
	} else if (wanted) {
		start(directory, c);
		if (recorder.running) {
			call_returned(c);
			c->with_region = recorder.on;
			call_end(c);
			return;
		}
	}
	here.inside--;
}

/* Where it does not come back, it is known that it was called. */
static void leave_mark(void)
{
	const char *directory = getenv(RECORD_DIRECTORY);
	struct text path = {0};
	text_format(&path, "%s/" RECORD_BEGUN, directory ? directory : "");
	int file = directory && *directory ? open(path.data, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
	if (file >= 0)
		close(file);
	text_clear(&path);
}

typedef int init_function(int *, char ***);
typedef int init_thread_function(int *, char ***, int, int *);

static int init(init_function *next, void *caller, int *argc, char ***argv)
{
	if (here.inside)
		return next(argc, argv);
	here.inside++;
	leave_mark();
	struct call c = {.region = REGION_INIT, .caller = caller, .time = recorder_time()};
	int result = next(argc, argv);
	initialized(result, &c);
	return result;
}

static int init_thread(init_thread_function *next, void *caller, int *argc, char ***argv, int required, int *provided)
{
	if (here.inside)
		return next(argc, argv, required, provided);
	here.inside++;
	leave_mark();
	struct call c = {.region = REGION_INIT_THREAD, .caller = caller, .time = recorder_time()};
	int result = next(argc, argv, required, provided);
	initialized(result, &c);
	return result;
}

/* ------------------------------------------------------------------ MPI_Finalize */

static void put_last_lines(uint64_t time)
{
	for (uint32_t region = 0; region < REGIONS_LIMIT; region++)
		if (recorder.moved[region])
			side_line(&recorder.side, "moved %u %llu", region, (unsigned long long)recorder.moved[region]);
	if (recorder.one_sided)
		side_line(&recorder.side, "accesses %llu", (unsigned long long)recorder.one_sided);
	side_line(&recorder.side, "cpu %llu", (unsigned long long)(recorder_cpu() - recorder.cpu));
	side_line(&recorder.side, "end %llu %llu %llu %llu %llu %llu %u",
		(unsigned long long)event_writer_records(recorder.events), (unsigned long long)recorder.sends,
		(unsigned long long)recorder.receives, (unsigned long long)recorder.collectives,
		(unsigned long long)time, (unsigned long long)recorder.calls, recorder_cost());
}

static void stop(void)
{
	if (recorder.events) {
		if (!event_writer_close(recorder.events))
			recorder_fails("the last events could not be written");
		recorder.events = NULL;
	}
	side_close(&recorder.side);
	pending_close();
}

static int finalize(int (*next)(void), void *caller)
{
	if (!recorder_listens())
		return next();
	struct call c = {.region = REGION_FINALIZE, .caller = caller};
	call_begin(&c);
	if (recorder.kept)
		requests_test_kept(&c);
	clocks_compare();
	online_end();
	if (recorder.events && !recorder.failed)
		put_last_lines(c.time); /* some launchers end those who are still in MPI_Finalize */
	call_go(&c);
	int result = next();
	call_returned(&c);
	recorder.running = false;
	call_end(&c);
	stop();
	return result;
}

/* ------------------------------------------------------------------ MPI_Pcontrol */

/* 0: pause, 1: go on; other levels are the program's own business. */
static int control(int (*next)(int, ...), int level)
{
	if (recorder_listens() && recorder.events && !recorder.failed && (level == 0 || level == 1)) {
		recorder_lock();
		if (recorder.on != (level == 1)) {
			event_writer_measurement(recorder.events, recorder_time(), level == 1);
			recorder.on = level == 1;
			recorder.core.since = 0; /* what is paused is not seen */
		}
		recorder_unlock();
	}
	return next(level);
}

/* ------------------------------------------------------------------ under both names */

#define CALLER __builtin_return_address(0)
#define ENTRIES(PREFIX)                                                                                                \
	EXPORTED int PREFIX##_Init(int *argc, char ***argv)                                                            \
	{                                                                                                              \
		static void *found;                                                                                    \
		return init((init_function *)next_function(&found, #PREFIX "_Init", CALLER), CALLER, argc, argv);      \
	}                                                                                                              \
	EXPORTED int PREFIX##_Init_thread(int *argc, char ***argv, int required, int *provided)                        \
	{                                                                                                              \
		static void *found;                                                                                    \
		return init_thread((init_thread_function *)next_function(&found, #PREFIX "_Init_thread", CALLER),      \
			CALLER, argc, argv, required, provided);                                                       \
	}                                                                                                              \
	EXPORTED int PREFIX##_Finalize(void)                                                                           \
	{                                                                                                              \
		static void *found;                                                                                    \
		return finalize((int (*)(void))next_function(&found, #PREFIX "_Finalize", CALLER), CALLER);            \
	}                                                                                                              \
	EXPORTED int PREFIX##_Pcontrol(const int level, ...)                                                           \
	{                                                                                                              \
		static void *found;                                                                                    \
		return control((int (*)(int, ...))next_function(&found, #PREFIX "_Pcontrol", CALLER), level);          \
	}

ENTRIES(MPI)
ENTRIES(PMPI)
