/*
 * otf2_library.c -- what the OTF2 library says when something is wrong, what is said for it when it
 * crashes, and how it is asked to write.
 *
 * The library reports errors to one callback of the whole process, innermost cause first, on the
 * thread that met them. Where a damaged archive makes it abort or touch memory that is not its own,
 * nothing can be saved: locks and heap may be in any state. So the guard only names the culprit and
 * leaves by quick_exit, which removes unfinished outputs. A crash outside of the library, also in
 * the receiver of the events while the library waits for it, keeps its signal, but leaves no
 * unfinished outputs either. Without memory it is that which is told, whoever crashes: GLib, below
 * Graphviz, with SIGTRAP.
 *
 * Neither the callback nor a signal handler can be given a context: hence the state per thread
 * here, the only one of its kind.
 */
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/unfinished.h"
#include "trace/otf2.h"

static _Thread_local struct {
	struct library_call *call;
	char words[256];
} here;

static OTF2_ErrorCode keep_error(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
	const char *format, va_list arguments)
{
	(void)user, (void)file, (void)line, (void)function;
	if (code == OTF2_ERROR_ENOMEM || code == OTF2_ERROR_MEM_FAULT || code == OTF2_ERROR_MEM_ALLOC_FAILED)
		mem_end_if_short(); /* a damaged archive may ask for more than there ever is */
	if (here.words[0])
		return code;
	char details[160] = "";
	if (format)
		vsnprintf(details, sizeof details, format, arguments);
	const char *what = OTF2_Error_GetDescription(code);
	snprintf(here.words, sizeof here.words, "%.80s%s%s", what ? what : "unknown error", details[0] ? ": " : "",
		details);
	return code;
}

void library_listen(void)
{
	OTF2_Error_RegisterCallback(keep_error, NULL);
}

void library_enter(struct library_call *call)
{
	call->outer = here.call;
	call->ours = false;
	here.words[0] = 0;
	here.call = call;
}

void library_leave(void)
{
	here.call = here.call->outer;
}

bool library_complained(void)
{
	return here.words[0];
}

const char *library_words(void)
{
	return here.words[0] ? here.words : "the OTF2 library gives no reason";
}

/* ------------------------------------------------------------------ an archive to be written */

static OTF2_FlushType before_flush(
	void *context, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool last)
{
	(void)context, (void)type, (void)location, (void)caller, (void)last;
	return OTF2_FLUSH;
}

OTF2_Archive *library_archive(const char *directory, uint64_t events, uint64_t definitions)
{
	static const OTF2_FlushCallbacks flush = {before_flush, NULL};
	OTF2_Archive *archive = OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, events, definitions,
		OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (archive && OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL) == OTF2_SUCCESS &&
		OTF2_Archive_SetSerialCollectiveCallbacks(archive) == OTF2_SUCCESS)
		return archive;
	if (archive)
		OTF2_Archive_Close(archive);
	return NULL;
}

/* ------------------------------------------------------------------ the guard */

/* In one piece, so that nothing of another process gets between. */
static void say(const char *const *words, int count)
{
	struct iovec piece[8];
	for (int i = 0; i < count; i++)
		piece[i] = (struct iovec){(void *)words[i], strlen(words[i])};
	ssize_t written = writev(STDERR_FILENO, piece, count);
	(void)written;
}

static void on_crash(int signal)
{
	struct library_call *call = here.call;
	mem_end_if_short();
	if (!call || call->ours) {
		unfinished_end();
		raise(signal); /* SA_RESETHAND: now with its default action */
		return;
	}
	char digits[] = {(char)('0' + signal / 10), (char)('0' + signal % 10), 0};
	const char *words[] = {"tracenest: ", call->path, ": damaged archive: the OTF2 library gave up (signal ",
		digits[0] == '0' ? digits + 1 : digits, ")\n"};
	say(words, 5);
	quick_exit(ERROR_INPUT);
}

void trace_guard(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
	static _Alignas(max_align_t) char stack[1 << 15]; /* the first thread's own cannot grow without memory */
	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction old,
			ours = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK};
		sigemptyset(&ours.sa_mask);
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL) /* not what a sanitizer handles */
			sigaction(signals[i], &ours, NULL);
	}
}
