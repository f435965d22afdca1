/*
 * inject.c -- run a command, and let one of its system calls fail, or a signal come there.
 *
 *	inject CALLS N EFFECT REPORT COMMAND...
 *
 * CALLS: write (to anything but standard error), read, open, file (what else is done to files, but
 * for removing them), room (all for which a disk can be full), process, or any. Those that the
 * command itself makes count, from the beginning of main; not those of programs that it starts. The
 * N-th one (0: none) fails with EFFECT, ENOSPC, EIO, EINTR, EMFILE, EAGAIN; with a + behind it all
 * later ones, too. Or it moves half of its bytes ("half"), or a signal comes while it is made
 * (SIGINT, SIGTERM, SIGHUP). REPORT is a file: how many calls of each kind there were. The status
 * is that of the command (128 + the signal that ended it); 99: it left programs behind that run on;
 * 98: this cannot be done here.
 *
 * Whatever library makes the call: the kernel asks us (seccomp_unotify(2), Linux 5.6).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CANNOT = 98, LEFT_BEHIND = 99 };
/* FILES: what is done to files besides, but for removing them; ROOM: for what a full disk has no
   room, as far as this is another kind. */
enum calls { WRITE = 1, READ = 2, OPEN = 4, FILES = 8, PROCESS = 16, OTHER = 32, ROOM = 64, ANY = 63 };

static const struct {
	const char *name;
	enum calls calls;
} words[] = {{"write", WRITE}, {"read", READ}, {"open", OPEN}, {"file", FILES}, {"process", PROCESS}, {"any", ANY},
	{"room", WRITE | ROOM}};
#define WORDS (sizeof words / sizeof *words)

static const struct {
	int number;
	enum calls calls;
} known[] = {
	{SYS_write, WRITE},
	{SYS_pwrite64, WRITE},
	{SYS_writev, WRITE},
	{SYS_read, READ},
	{SYS_pread64, READ},
	{SYS_readv, READ},
	{SYS_openat, OPEN},
	{SYS_close, FILES},
	{SYS_fsync, FILES | ROOM},
	{SYS_fdatasync, FILES | ROOM},
	{SYS_ftruncate, FILES | ROOM},
	{SYS_lseek, FILES},
	{SYS_renameat2, FILES | ROOM},
	{SYS_mkdirat, FILES | ROOM},
	{SYS_unlinkat, OTHER},
	{SYS_fchmod, FILES},
	{SYS_newfstatat, FILES},
	{SYS_getdents64, FILES},
	{SYS_pipe2, FILES},
#ifdef SYS_open
	{SYS_open, OPEN},
	{SYS_rename, FILES | ROOM},
	{SYS_mkdir, FILES | ROOM},
	{SYS_rmdir, OTHER},
	{SYS_unlink, OTHER},
	{SYS_stat, FILES},
	{SYS_pipe, FILES},
	{SYS_fork, PROCESS},
	{SYS_vfork, PROCESS},
#endif
	{SYS_clone, PROCESS},
	{SYS_clone3, PROCESS},
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
#define KNOWN (sizeof known / sizeof *known)

static const struct {
	const char *name;
	int value;
	bool is_signal;
} effects[] = {{"ENOSPC", ENOSPC, false}, {"EIO", EIO, false}, {"EINTR", EINTR, false}, {"EMFILE", EMFILE, false},
	{"EAGAIN", EAGAIN, false}, {"SIGINT", SIGINT, true}, {"SIGTERM", SIGTERM, true}, {"SIGHUP", SIGHUP, true}};

struct fault {
	size_t word; /* what counts, of words */
	uint64_t at;
	int trouble, signal;
	bool half, all_later;
	pid_t command;
	bool begun; /* is the command in main? Its first call there asks for its descriptors */
	uint64_t seen[WORDS];
};

static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(CANNOT);
}

/* ------------------------------------------------------------------ the command */

/* Asks us of every call in the list, and of no other. */
static int install_filter(void)
{
	struct sock_filter filter[KNOWN + 3];
	size_t length = 0;
	filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < KNOWN; i++)
		filter[length++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)known[i].number, (uint8_t)(KNOWN - i), 0);
	filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	struct sock_fprog program = {(unsigned short)length, filter};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* No call of the list between the filter and the command. */
static _Noreturn void become(char **command, int channel)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
	char byte = 0;
	struct iovec piece = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	int listener = install_filter();
	if (listener >= 0) {
		memcpy(CMSG_DATA(&control.header), &listener, sizeof listener);
		sendmsg(channel, &message, 0);
		execv(command[0], command);
	}
	_exit(CANNOT);
}

static int receive_listener(int channel)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char byte;
	int listener;
	struct iovec piece = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1)
		give_up("the kernel does not let us watch system calls");
	memcpy(&listener, CMSG_DATA(&control.header), sizeof listener);
	return listener;
}

/* ------------------------------------------------------------------ its calls */

static enum calls calls_of(int number)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (known[i].number == number)
			return known[i].calls;
	return 0;
}

/* A file that is made takes room; a directory is opened to be emptied, mostly. */
static enum calls calls_made(const struct seccomp_data *call)
{
	enum calls calls = calls_of(call->nr);
	if (calls != OPEN)
		return calls;
	uint64_t flags = call->args[call->nr == SYS_openat ? 2 : 1];
	return flags & O_DIRECTORY ? OTHER : OPEN | (flags & O_CREAT ? ROOM : 0);
}

/* A thread of the command, or of a program that it started? */
static bool is_its_own(const struct fault *f, pid_t id)
{
	char path[64];
	if (id == f->command)
		return true;
	snprintf(path, sizeof path, "/proc/%d/task/%d", (int)f->command, (int)id);
	return access(path, F_OK) == 0;
}

/* Moves half of the bytes in its place; below 0: that cannot be done. */
static int64_t move_half(const struct fault *f, const struct seccomp_data *call)
{
	size_t length = (size_t)call->args[2] / 2;
	bool reads = calls_of(call->nr) == READ, at_place = call->nr == SYS_pread64 || call->nr == SYS_pwrite64;
	if (!length || call->nr == SYS_readv || call->nr == SYS_writev)
		return -1;
	int process = (int)syscall(SYS_pidfd_open, f->command, 0);
	int file = (int)syscall(SYS_pidfd_getfd, process, (int)call->args[0], 0);
	char *bytes = malloc(length);
	/* NOLINT: an address over there */
	struct iovec here = {bytes, length}, there = {(void *)(uintptr_t)call->args[1], length};
	off_t place = (off_t)call->args[3];
	ssize_t moved = -1;
	if (file >= 0 && reads) {
		moved = at_place ? pread(file, bytes, length, place) : read(file, bytes, length);
		here.iov_len = moved > 0 ? (size_t)moved : 0;
		if (moved > 0)
			process_vm_writev(f->command, &here, 1, &there, 1, 0);
	} else if (file >= 0 && process_vm_readv(f->command, &here, 1, &there, 1, 0) == (ssize_t)length) {
		moved = at_place ? pwrite(file, bytes, length, place) : write(file, bytes, length);
	}
	free(bytes);
	close(file);
	close(process);
	return moved;
}

static bool counts(struct fault *f, const struct seccomp_notif *asked)
{
	if (!is_its_own(f, (pid_t)asked->pid))
		return false;
	f->begun |= asked->data.nr == SYS_fcntl && asked->data.args[0] == 0 && asked->data.args[1] == F_GETFD;
	enum calls calls = calls_made(&asked->data);
	bool message = calls == WRITE && asked->data.args[0] == STDERR_FILENO;
	for (size_t i = 0; i < WORDS; i++)
		f->seen[i] += f->begun && (calls & words[i].calls) && !message;
	return f->begun && (calls & words[f->word].calls) && !message;
}

static void answer(struct fault *f, int listener)
{
	struct seccomp_notif asked = {0};
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
		return;
	struct seccomp_notif_resp reply = {.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
	uint64_t *seen = &f->seen[f->word];
	if (counts(f, &asked) && f->at && (*seen == f->at || (f->all_later && *seen > f->at))) {
		int64_t moved = f->half ? move_half(f, &asked.data) : -1;
		if (f->signal)
			kill(f->command, f->signal);
		else if (moved >= 0)
			reply = (struct seccomp_notif_resp){.id = asked.id, .val = moved};
		else if (!f->half)
			reply = (struct seccomp_notif_resp){.id = asked.id, .error = -f->trouble};
	}
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply); /* fails where a signal has ended it meanwhile */
}

/* Until the command has ended; then until those have that it started, but not for long. */
static int serve(struct fault *f, int listener)
{
	int process = (int)syscall(SYS_pidfd_open, f->command, 0), status = 0, waited = 0;
	struct pollfd watched[2] = {{.fd = listener, .events = POLLIN}, {.fd = process, .events = POLLIN}};
	bool ended = false;
	for (;;) {
		int ready = poll(watched, 2, ended ? 10 : -1);
		if (watched[0].revents & POLLIN)
			answer(f, listener);
		else if (watched[0].revents & POLLHUP)
			break;
		if (!ended && (watched[1].revents & POLLIN)) {
			ended = waitpid(f->command, &status, 0) == f->command;
			watched[1].fd = -1;
		}
		if (ended && !ready && ++waited > 100)
			return LEFT_BEHIND;
	}
	if (!ended)
		waitpid(f->command, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool read_fault(struct fault *f, char **word)
{
	char name[16] = "";
	snprintf(name, sizeof name, "%s", word[2]);
	f->at = strtoull(word[1], NULL, 10);
	f->half = !strcmp(name, "half");
	size_t length = strlen(name);
	f->all_later = length && name[length - 1] == '+';
	if (f->all_later)
		name[length - 1] = 0;
	for (f->word = 0; f->word < WORDS && strcmp(words[f->word].name, word[0]); f->word++) {
	}
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
		if (!strcmp(effects[i].name, name))
			*(effects[i].is_signal ? &f->signal : &f->trouble) = effects[i].value;
	return f->word < WORDS && (f->half || f->signal || f->trouble);
}

int main(int words_given, char **word)
{
	struct fault f = {0};
	int channel[2];
	if (words_given < 6 || !read_fault(&f, word + 1)) {
		fprintf(stderr, "usage: inject CALLS N EFFECT REPORT COMMAND...\n");
		return CANNOT;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel))
		give_up("socketpair");
	f.command = fork();
	if (!f.command)
		become(word + 5, channel[1]);
	close(channel[1]);
	int listener = receive_listener(channel[0]);
	int status = serve(&f, listener);
	FILE *report = fopen(word[4], "w");
	if (!report)
		give_up(word[4]);
	for (size_t i = 0; i < WORDS; i++)
		fprintf(report, "%s %llu\n", words[i].name, (unsigned long long)f.seen[i]);
	fclose(report);
	return status;
}
