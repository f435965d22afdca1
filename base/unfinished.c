/*
 * unfinished.c -- slots of names and of processes, emptied by atomic exchanges.
 *
 * Between the start of a program, or the making of a folder, and its entry there may be no signal:
 * both are done with signals blocked.
 */
#include "base/unfinished.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

extern char **environ;

static _Atomic(char *) unfinished[UNFINISHED_KINDS][UNFINISHED_SLOTS];

/* As kill takes them: a process, or a group of them as its number below 0. */
static _Atomic(pid_t) running[UNFINISHED_SLOTS];

/* ------------------------------------------------------------------ the end */

/* What is told to end removes its own temporary files before; on a busy machine that takes time. */
#define END_STEPS 3000
#define END_STEP_NANOSECONDS 10000000

/*
 * Only what a signal handler may do. Those that a program has started become our children when it
 * has ended before them, so that there is something to wait for.
 */
static void end_program(pid_t id)
{
	pid_t ended = 1;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (kill(id, SIGTERM))
		return;
	for (int i = 0; i < END_STEPS && ended >= 0; i += !ended) {
		ended = waitpid(id, NULL, WNOHANG);
		if (!ended)
			nanosleep(&(struct timespec){.tv_nsec = END_STEP_NANOSECONDS}, NULL);
	}
	if (ended >= 0)
		kill(id, SIGKILL);
}

/*
 * With all that is in it, folders as deep as this; only what a signal handler may do: getdents64
 * gives names without allocating.
 */
#define FOLDERS_DEEP 4

static void remove_inside(int folder, int depth)
{
	_Alignas(struct dirent64) char entries[2048];
	for (ssize_t length; (length = getdents64(folder, entries, sizeof entries)) > 0;) {
		for (ssize_t at = 0; at < length;) {
			const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
			at += entry->d_reclen;
			if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
				!unlinkat(folder, entry->d_name, 0) || depth == 0)
				continue;
			int inner = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (inner < 0)
				continue;
			remove_inside(inner, depth - 1);
			close(inner);
			unlinkat(folder, entry->d_name, AT_REMOVEDIR);
		}
	}
}

static void remove_folder(const char *name)
{
	int folder = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder >= 0) {
		remove_inside(folder, FOLDERS_DEEP);
		close(folder);
	}
	rmdir(name);
}

void unfinished_end(void)
{
	for (size_t i = 0; i < UNFINISHED_SLOTS; i++) {
		pid_t id = atomic_exchange(&running[i], 0);
		if (id)
			end_program(id);
	}
	for (int kind = 0; kind < UNFINISHED_KINDS; kind++) {
		for (size_t i = 0; i < UNFINISHED_SLOTS; i++) {
			char *name = atomic_exchange(&unfinished[kind][i], NULL);
			if (name && kind == UNFINISHED_FILE)
				unlink(name);
			else if (name)
				remove_folder(name);
		}
	}
}

static void on_signal(int signal)
{
	unfinished_end();
	raise(signal); /* SA_RESETHAND: now with its default action */
}

static void install(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGXFSZ};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction old, ours = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};
		sigfillset(&ours.sa_mask);
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL) /* not what nohup ignores */
			sigaction(signals[i], &ours, NULL);
	}
	atexit(unfinished_end);
	at_quick_exit(unfinished_end);
}

static void prepare(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, install);
}

sigset_t unfinished_hold(void)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	return before;
}

void unfinished_release(sigset_t before)
{
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ------------------------------------------------------------------ names */

bool unfinished_enter(enum unfinished kind, char *name)
{
	prepare();
	for (size_t i = 0; i < UNFINISHED_SLOTS; i++) {
		char *empty = NULL;
		if (atomic_compare_exchange_strong(&unfinished[kind][i], &empty, name))
			return true;
	}
	return false;
}

bool unfinished_leave(enum unfinished kind, char *name)
{
	for (size_t i = 0; i < UNFINISHED_SLOTS; i++) {
		char *expected = name;
		if (atomic_compare_exchange_strong(&unfinished[kind][i], &expected, NULL))
			return true;
	}
	return false;
}

/* The text ends with XXXXXX; it is taken. */
static char *make_folder(struct text *name, struct error *error)
{
	sigset_t before = unfinished_hold();
	int trouble = mkdtemp(name->data) ? 0 : errno;
	if (!trouble && !unfinished_enter(UNFINISHED_FOLDER, name->data)) {
		rmdir(name->data);
		trouble = EMFILE;
	}
	unfinished_release(before);
	if (!trouble)
		return name->data;
	error_set(error, ERROR_INPUT, "%s: %s", name->data, strerror(trouble));
	text_clear(name);
	return NULL;
}

char *unfinished_folder(const char *prefix, struct error *error)
{
	const char *temporary = getenv("TMPDIR");
	struct text name = {0};
	text_format(&name, "%s/%s-XXXXXX", temporary && *temporary ? temporary : "/tmp", prefix);
	return make_folder(&name, error);
}

char *unfinished_folder_beside(const char *path, struct error *error)
{
	const char *slash = strrchr(path, '/');
	struct text name = {0};
	text_add(&name, path, slash ? (size_t)(slash + 1 - path) : 0);
	text_put(&name, ".tracenest-XXXXXX");
	return make_folder(&name, error);
}

void unfinished_remove(char *name)
{
	remove_folder(name);
	if (unfinished_leave(UNFINISHED_FOLDER, name))
		free(name);
}

/* ------------------------------------------------------------------ programs */

static bool enter_program(pid_t id)
{
	for (size_t i = 0; i < UNFINISHED_SLOTS; i++) {
		pid_t empty = 0;
		if (atomic_compare_exchange_strong(&running[i], &empty, id))
			return true;
	}
	return false;
}

static void leave_program(pid_t id)
{
	for (size_t i = 0; i < UNFINISHED_SLOTS; i++) {
		pid_t expected = id;
		if (atomic_compare_exchange_strong(&running[i], &expected, 0))
			return;
	}
}

static int start(const char *program, char *const *words, int output, bool with_all, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t before = unfinished_hold();
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	if (output >= 0)
		posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawnattr_setsigmask(&attributes, &before);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGMASK | (with_all ? POSIX_SPAWN_SETPGROUP : 0)));
	int trouble = posix_spawnp(child, program, &actions, &attributes, words, environ);
	if (!trouble)
		enter_program(with_all ? -*child : *child); /* without a slot it runs all the same */
	unfinished_release(before);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return trouble;
}

/* Its number stays its own until it is out of its slot. */
static int await(pid_t child, bool with_all, int *status)
{
	siginfo_t info;
	int raw;
	while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT))
		if (errno != EINTR)
			return errno;
	leave_program(with_all ? -child : child);
	while (waitpid(child, &raw, 0) < 0)
		if (errno != EINTR)
			return errno;
	*status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
	return 0;
}

bool unfinished_run(
	const char *program, char *const *words, int output, bool with_all, int *status, struct error *error)
{
	pid_t child;
	prepare();
	int trouble = start(program, words, output, with_all, &child);
	if (trouble)
		return error_set(error, ERROR_INPUT, "%s cannot be run: %s", program, strerror(trouble));
	trouble = await(child, with_all, status);
	return !trouble || error_set(error, ERROR_INTERNAL, "%s: %s", program, strerror(trouble));
}
