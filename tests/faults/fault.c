/*
 * fault.c -- preloaded into a command: lets it fail at every place where it can, one at a time, in
 * one run of it.
 *
 * A place is an allocation, a system call, or the start of a thread or a program, from the
 * beginning of main. At a place the sweep is asked what is to go wrong. For each fault that it
 * names the process forks: in the child the allocation or the call fails, moves half of its bytes,
 * or a signal comes while it is made; the parent waits for the child, tells how that ended, and
 * goes on as if nothing had been. (What the child did to files, the sweep undoes; how far files are
 * read and written is put back here.) So a fault costs a fork and what is left of the run, not a
 * run of its own.
 *
 * Threads are not forked (those of libraries that wait for work are not missed), and programs that
 * run are not the child's: where there are any the sweep is told, and runs the command again for a
 * fault of that place, without a fork.
 *
 * Whatever library makes a call: all of them come to a handler here (Syscall User Dispatch, Linux
 * 5.11, x86-64), but for those that are made from a few bytes of this file. Memory is asked for by
 * way of the C library's names below the command's own allocator (cli/memory.c).
 *
 *	FAULT_CHANNEL=FD	the socket to the sweep, on which records of struct told go there and of
 *				struct order come back
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ------------------------------------------------------------------ what is counted */

/* FILES: what is done to files besides, but for removing them; ROOM: for what a full disk has no
   room, as far as this is another kind. */
enum calls { WRITE = 1, READ = 2, OPEN = 4, FILES = 8, LIST = 16, PROCESS = 32, OTHER = 64, ROOM = 128, MEMORY = 256 };

/* In the order of the sweep's names. */
static const unsigned words[] = {
	MEMORY, WRITE, READ, OPEN, FILES, LIST, PROCESS, ~(unsigned)(ROOM | MEMORY), WRITE | ROOM};
enum { WORDS = sizeof words / sizeof *words };

static const struct {
	int number;
	unsigned calls;
} known[] = {
	{SYS_write, WRITE},
	{SYS_pwrite64, WRITE},
	{SYS_writev, WRITE},
	{SYS_read, READ},
	{SYS_pread64, READ},
	{SYS_readv, READ},
	{SYS_openat, OPEN},
	{SYS_open, OPEN},
	{SYS_close, FILES},
	{SYS_fsync, FILES | ROOM},
	{SYS_fdatasync, FILES | ROOM},
	{SYS_ftruncate, FILES | ROOM},
	{SYS_lseek, FILES},
	{SYS_renameat2, FILES | ROOM},
	{SYS_rename, FILES | ROOM},
	{SYS_mkdirat, FILES | ROOM},
	{SYS_mkdir, FILES | ROOM},
	{SYS_fchmod, FILES},
	{SYS_newfstatat, FILES},
	{SYS_stat, FILES},
	{SYS_getdents64, LIST},
	{SYS_pipe2, FILES},
	{SYS_pipe, FILES},
	{SYS_unlinkat, OTHER},
	{SYS_unlink, OTHER},
	{SYS_rmdir, OTHER},
	{SYS_waitid, OTHER},
	{SYS_wait4, OTHER},
	{SYS_fcntl, OTHER},
	{SYS_mmap, OTHER},
	{SYS_munmap, OTHER},
	{SYS_brk, OTHER},
	{SYS_getrandom, OTHER},
	{SYS_fstat, OTHER},
	{SYS_futex, OTHER},
	{SYS_ioctl, OTHER},
	{SYS_rt_sigaction, OTHER},
	{SYS_sync_file_range, OTHER},
};

enum kind { BEGUN, AT, ENDED, DONE };

/* To the sweep: how far it is; then how a child ended. */
struct told {
	uint32_t kind;
	uint32_t here; /* AT: bits of words */
	uint32_t alone; /* BEGUN: can its calls be watched? AT: can it fork, as far as it knows? */
	uint32_t threads; /* AT: besides */
	uint32_t first; /* AT: is it the first thread that asks? */
	uint32_t changed; /* AT: may it have changed files since it last said? */
	uint32_t status, left_behind; /* ENDED */
	uint64_t seen[WORDS];
};

enum effect { GO_ON, FAIL, HALF, SIGNAL };

struct order {
	uint32_t effect, value; /* value: errno, or the signal */
	uint32_t word; /* of which place */
	uint32_t all_later; /* all of these fail from there on */
	uint32_t forks; /* BEGUN: else the fault is its own */
	uint32_t unused[2];
	uint64_t next[WORDS]; /* the next places of which the sweep wants to know; 0: none */
};

/* ------------------------------------------------------------------ calls that are ours */

long raw(long number, long a, long b, long c, long d, long e, long f);
void own_restorer(void);
extern const char own_calls[], own_calls_end[];

__asm__(".pushsection .text\n"
	".balign 16\n"
	"own_calls:\n"
	"raw:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"	mov %r9, %r8\n"
	"	mov 8(%rsp), %r9\n"
	"	syscall\n"
	"	ret\n"
	"own_restorer:\n"
	"	mov $15, %eax\n" /* SYS_rt_sigreturn */
	"	syscall\n"
	"	ud2\n" /* the kernel looks where a call would return to */
	"own_calls_end:\n"
	".popsection\n"
	".globl raw, own_restorer, own_calls, own_calls_end\n"
	".hidden raw, own_restorer, own_calls, own_calls_end\n");

static __thread volatile char selector __attribute__((tls_model("initial-exec")));

static bool watch_calls(void)
{
	long refused = raw(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)own_calls,
		own_calls_end - own_calls, (long)&selector, 0);
	selector = SYSCALL_DISPATCH_FILTER_BLOCK;
	return !refused;
}

/* ------------------------------------------------------------------ the state of the process */

#define FILES_MOST 64

static int channel = -1;
static bool begun, forks, failed; /* failed: the fault is made, in this process */
static struct order order; /* the last */
static uint64_t seen[WORDS];
static bool changed = true;
static atomic_int threads, programs; /* besides it */
static uint64_t folders; /* the files that are open folders: put back, they are other ones */
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void tell(struct told *t)
{
	memcpy(t->seen, seen, sizeof seen);
	raw(SYS_write, channel, (long)t, sizeof *t, 0, 0, 0);
	if (t->kind == DONE || raw(SYS_read, channel, (long)&order, sizeof order, 0, 0, 0) == sizeof order)
		return;
	raw(SYS_exit_group, 97, 0, 0, 0, 0, 0);
}

/* ------------------------------------------------------------------ a child in which it fails */

/* Those that the child has left, too: the sweep ends them where they do not end by themselves. */
static void await(pid_t child, struct told *t)
{
	int status = 0;
	raw(SYS_wait4, child, (long)&status, 0, 0, 0, 0);
	t->status = (uint32_t)(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	while (raw(SYS_wait4, -1, (long)&status, 0, 0, 0, 0) > 0)
		t->left_behind |= WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* In the child: true. A bare fork: the C library's would take locks that this thread may hold. */
static bool in_child(void)
{
	long place[FILES_MOST];
	for (long i = 0; i < FILES_MOST; i++)
		place[i] = i == channel ? -1 : raw(SYS_lseek, i, 0, SEEK_CUR, 0, 0, 0);
	long child = raw(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
	if (!child) {
		raw(SYS_close, channel, 0, 0, 0, 0, 0);
		return true;
	}
	struct told t = {.kind = ENDED};
	if (child < 0)
		raw(SYS_exit_group, 97, 0, 0, 0, 0, 0);
	await((pid_t)child, &t);
	for (long i = 0; i < FILES_MOST; i++)
		if (place[i] >= 0)
			raw(SYS_lseek, i, place[i], SEEK_SET, 0, 0, 0);
	tell(&t);
	return false;
}

/* What is to go wrong at this place, in this process. */
static enum effect at_place(unsigned calls)
{
	while (atomic_flag_test_and_set(&busy)) {
	}
	enum effect effect = GO_ON;
	uint32_t here = 0;
	for (unsigned w = 0; w < WORDS && begun; w++) {
		seen[w] += !!(calls & words[w]);
		here |= (uint32_t)(calls & words[w] && seen[w] == order.next[w]) << w;
	}
	if (failed) {
		effect = order.all_later && calls & words[order.word] ? (enum effect)order.effect : GO_ON;
	} else if (here) {
		bool first = raw(SYS_gettid, 0, 0, 0, 0, 0, 0) == raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
		struct told t = {.kind = AT,
			.here = here,
			.alone = !programs && !folders,
			.threads = (uint32_t)threads,
			.first = first,
			.changed = changed};
		changed = false;
		tell(&t);
		while (order.effect && !failed)
			failed = !forks || in_child();
		effect = (enum effect)order.effect;
		if (failed && !order.all_later)
			begun = false;
		else if (failed && forks)
			watch_calls();
	}
	atomic_flag_clear(&busy);
	return effect;
}

static void send_signal(void)
{
	raw(SYS_kill, raw(SYS_getpid, 0, 0, 0, 0, 0, 0), order.value, 0, 0, 0, 0);
}

/* ------------------------------------------------------------------ system calls */

static unsigned calls_of(long number, const greg_t *r)
{
	unsigned calls = 0;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].number == number)
			calls = known[i].calls;
	if (calls == WRITE && r[REG_RDI] == STDERR_FILENO)
		return 0; /* that it failed can always be said */
	if (calls != OPEN)
		return calls;
	/* A file that is made takes room; a directory is opened to be emptied, mostly. */
	long flags = (long)r[number == SYS_openat ? REG_RDX : REG_RSI];
	return flags & O_DIRECTORY ? OTHER : OPEN | (flags & O_CREAT ? ROOM : 0);
}

static bool changes_files(long number, const greg_t *r)
{
	switch (number) {
	case SYS_openat:
	case SYS_open:
		return r[number == SYS_openat ? REG_RDX : REG_RSI] & (O_WRONLY | O_RDWR | O_CREAT);
	case SYS_unlinkat:
	case SYS_unlink:
	case SYS_rmdir:
	case SYS_wait4:
		return true;
	default:
		return calls_of(number, r) & (WRITE | ROOM);
	}
}

#define OUR_SIGNAL (UINT64_C(1) << (SIGSYS - 1))

/* As the kernel takes it. */
struct action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* The handler's own mask is taken back at its end, that of the thread stands in its frame. */
static long change_mask(uint64_t *mask, const greg_t *r)
{
	uint64_t before = *mask, change;
	if (r[REG_RSI]) {
		memcpy(&change, (const void *)r[REG_RSI], sizeof change); /* NOLINT: an argument */
		*mask = r[REG_RDI] == SIG_BLOCK     ? before | change
			: r[REG_RDI] == SIG_UNBLOCK ? before & ~change
						    : change;
		*mask &= ~OUR_SIGNAL;
	}
	if (r[REG_RDX])
		memcpy((void *)r[REG_RDX], &before, sizeof before); /* NOLINT: an argument */
	return 0;
}

/* Handlers of the command can be left by calls, too. */
static long install(const greg_t *r)
{
	struct action action, *given = (struct action *)r[REG_RSI]; /* NOLINT: an argument */
	if (given) {
		action = *given;
		action.mask &= ~OUR_SIGNAL;
	}
	return raw(SYS_rt_sigaction, r[REG_RDI], given ? (long)&action : 0, r[REG_RDX], r[REG_R10], 0, 0);
}

static long make_call(long number, const greg_t *r)
{
	if (number == SYS_clone || number == SYS_clone3 || number == SYS_vfork || number == SYS_fork)
		raw(SYS_exit_group, 96, 0, 0, 0, 0, 0); /* by another way than the functions below */
	/* Locks of a process are not its child's, which would be kept out by them. */
	if (number == SYS_fcntl && forks && (r[REG_RSI] == F_SETLK || r[REG_RSI] == F_SETLKW))
		return 0;
	if (number == SYS_rt_sigaction)
		return install(r);
	long result = raw(number, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
	programs -= number == SYS_wait4 && result > 0;
	if ((number == SYS_openat || number == SYS_open) && result >= 0 && result < FILES_MOST &&
		r[number == SYS_openat ? REG_RDX : REG_RSI] & O_DIRECTORY)
		folders |= UINT64_C(1) << result;
	if (number == SYS_close && r[REG_RDI] >= 0 && r[REG_RDI] < FILES_MOST)
		folders &= ~(UINT64_C(1) << r[REG_RDI]);
	return result;
}

static void on_call(int signal, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	greg_t *r = u->uc_mcontext.gregs;
	long number = info->si_syscall;
	(void)signal;
	if (number == SYS_rt_sigreturn) {
		r[REG_RIP] = (greg_t)(intptr_t)own_restorer;
		return;
	}
	if (number == SYS_rt_sigprocmask) {
		r[REG_RAX] = change_mask((uint64_t *)&u->uc_sigmask, r);
		return;
	}
	begun |= number == SYS_fcntl && !r[REG_RDI] && r[REG_RSI] == F_GETFD &&
		 !failed; /* the first thing that main does */
	enum effect effect = at_place(calls_of(number, r));
	if ((number == SYS_exit_group || number == SYS_execve) && !failed && begun) {
		struct told t = {.kind = DONE, .changed = changed};
		tell(&t);
	}
	changed |= changes_files(number, r);
	if (failed && !order.all_later)
		selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	if (effect == FAIL) {
		r[REG_RAX] = -(greg_t)order.value;
		return;
	}
	if (effect == SIGNAL) { /* it comes when this handler is left, before the call is made */
		send_signal();
		r[REG_RIP] -= 2;
		r[REG_RAX] = number;
		return;
	}
	bool scattered = number == SYS_readv || number == SYS_writev;
	if (effect == HALF && !scattered && r[REG_RDX] > 1)
		r[REG_RDX] /= 2;
	r[REG_RAX] = make_call(number, r);
}

/* The C library's function would give it another restorer. */
static void install_handler(void)
{
	const struct action action = {on_call, SA_SIGINFO | 0x04000000 /* SA_RESTORER */, own_restorer, ~UINT64_C(0)};
	raw(SYS_rt_sigaction, SIGSYS, (long)&action, 0, sizeof action.mask, 0, 0);
}

/* ------------------------------------------------------------------ memory */

typedef void *allocate(size_t), *allocate_cleared(size_t, size_t), *allocate_again(void *, size_t);

static allocate *real_malloc;
static allocate_cleared *real_calloc;
static allocate_again *real_realloc;

static void find_real(void)
{
	real_malloc = (allocate *)dlsym(RTLD_NEXT, "__libc_malloc");
	real_calloc = (allocate_cleared *)dlsym(RTLD_NEXT, "__libc_calloc");
	real_realloc = (allocate_again *)dlsym(RTLD_NEXT, "__libc_realloc");
}

/* Does this one fail? */
static bool fails(void)
{
	if (!real_malloc)
		find_real();
	enum effect effect = begun && selector == SYSCALL_DISPATCH_FILTER_BLOCK ? at_place(MEMORY) : GO_ON;
	if (effect == SIGNAL)
		send_signal();
	if (effect == FAIL)
		errno = ENOMEM;
	return effect == FAIL;
}

void *__libc_malloc(size_t size)
{
	return fails() ? NULL : real_malloc(size);
}

void *__libc_calloc(size_t count, size_t size)
{
	return fails() ? NULL : real_calloc(count, size);
}

void *__libc_realloc(void *old, size_t size)
{
	return fails() ? NULL : real_realloc(old, size);
}

/* ------------------------------------------------------------------ threads and programs */

/* The start of one, whose system calls are the C library's own affair; 0, or why not. */
static int begin_process(void)
{
	enum effect effect = begun ? at_place(PROCESS) : GO_ON;
	if (effect == SIGNAL)
		send_signal();
	return effect == FAIL ? (int)order.value : 0;
}

struct thread {
	void *(*run)(void *);
	void *argument;
};

static void *run_thread(void *argument)
{
	struct thread t = *(struct thread *)argument;
	free(argument);
	if (begun)
		watch_calls();
	return t.run(t.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int trouble = begin_process();
	char before = selector;
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	if (!real)
		real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
			RTLD_NEXT, "pthread_create");
	struct thread *t = trouble ? NULL : real_malloc(sizeof *t);
	if (t) {
		*t = (struct thread){run, argument};
		threads++;
		trouble = real(thread, attributes, run_thread, t);
		threads -= trouble != 0;
	}
	selector = before;
	return trouble;
}

int pthread_join(pthread_t thread, void **result)
{
	static int (*real)(pthread_t, void **);
	if (!real)
		real = (int (*)(pthread_t, void **))dlsym(RTLD_NEXT, "pthread_join");
	int trouble = real(thread, result);
	threads -= trouble == 0;
	return trouble;
}

typedef int start_program(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
	char *const *, char *const *);

static int start(const char *name, pid_t *id, const char *program, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
	int trouble = begin_process();
	if (trouble)
		return trouble;
	char before = selector;
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	start_program *real = (start_program *)dlsym(RTLD_NEXT, name);
	trouble = real(id, program, actions, attributes, arguments, environment);
	programs += trouble == 0;
	changed = true;
	selector = before;
	return trouble;
}

int posix_spawn(pid_t *id, const char *program, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
	return start("posix_spawn", id, program, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *id, const char *program, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const *arguments, char *const *environment)
{
	return start("posix_spawnp", id, program, actions, attributes, arguments, environment);
}

/* ------------------------------------------------------------------ the beginning */

/* The programs that the command starts are none of this. */
__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("FAULT_CHANNEL");
	find_real();
	unsetenv("LD_PRELOAD");
	if (!name)
		return;
	channel = atoi(name);
	unsetenv("FAULT_CHANNEL");
	fcntl(channel, F_SETFD, FD_CLOEXEC);
	raw(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0, 0);
	install_handler();
	struct told t = {.kind = BEGUN, .alone = watch_calls()};
	selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	tell(&t);
	forks = order.forks;
	selector = SYSCALL_DISPATCH_FILTER_BLOCK;
}
