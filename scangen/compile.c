/*
 * compile.c -- the compiler and the programs that it makes, run as processes of their own.
 *
 * The run-time is looked for where the running command was built or installed:
 * DIR/libtracenest-scan.so and DIR/include beside it, or ../lib and ../include of an installation;
 * else pkg-config is asked, through a shell that the compiler's line needs anyway for CFLAGS of
 * several words.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/escape.h"
#include "base/unfinished.h"
#include "scangen/scangen.h"

/* What a program must be compiled with to go with a run-time that is built with sanitizers. */
#ifndef TRACENEST_SCAN_FLAGS
#define TRACENEST_SCAN_FLAGS ""
#endif

/* Programs of more bytes are not optimized: that would take longer than it saves. */
#define LARGE (64 << 10)

static char *own_directory(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length <= 0)
		return NULL;
	path[length] = 0;
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	return mem_text(path);
}

static bool there(const char *directory, const char *name)
{
	struct text path = {0};
	text_format(&path, "%s/%s", directory, name);
	bool found = !access(path.data, R_OK);
	text_clear(&path);
	return found;
}

static void put_place(struct text *command, const char *directory, const char *include, const char *library)
{
	struct text path = {0};
	text_put(command, " -I");
	text_format(&path, "%s/%s", directory, include);
	text_put_quoted(command, path.data);
	text_truncate(&path, 0);
	text_format(&path, "%s/%s", directory, library);
	text_put(command, " -L");
	text_put_quoted(command, path.data);
	text_put(command, " -Wl,-rpath,");
	text_put_quoted(command, path.data);
	text_put(command, " -ltracenest-scan");
	text_clear(&path);
}

static void put_run_time(struct text *command)
{
	char *own = own_directory();
	if (own && there(own, "libtracenest-scan.so") && there(own, "include/tracenest-scan.h"))
		put_place(command, own, "include", ".");
	else if (own && there(own, "../lib/libtracenest-scan.so") && there(own, "../include/tracenest-scan.h"))
		put_place(command, own, "../include", "../lib");
	else
		text_put(command, " $(pkg-config --cflags --libs tracenest-scan)");
	free(own);
}

/* The first word of CC must be a command. */
static bool compiler_there(const char *compiler, struct error *error)
{
	struct text command = {0};
	char *first = mem_text(compiler);
	first[strcspn(first, " \t")] = 0;
	text_put(&command, "command -v ");
	text_put_quoted(&command, first);
	text_put(&command, " >/dev/null 2>&1");
	int status = 1;
	char *words[] = {(char *)"sh", (char *)"-c", command.data, NULL};
	bool good = unfinished_run("/bin/sh", words, -1, true, &status, error);
	if (good && status)
		good = error_set(
			error, ERROR_INPUT, "no C compiler: '%s' is not here (set CC to one, or install gcc)", first);
	text_clear(&command);
	free(first);
	return good;
}

static bool is_large(const char *source)
{
	struct stat status;
	return !stat(source, &status) && status.st_size > LARGE;
}

static void put_temporaries(const char *program, struct text *command)
{
	const char *slash = strrchr(program, '/');
	struct text folder = {0};
	text_add(&folder, slash ? program : ".", slash ? (size_t)(slash - program) : 1);
	text_put(command, "TMPDIR=");
	text_put_quoted(command, folder.data);
	text_char(command, ' ');
	text_clear(&folder);
}

bool scangen_compile(const char *source, const char *program, struct text *shown, struct error *error)
{
	const char *compiler = getenv("CC"), *flags = getenv("CFLAGS");
	compiler = compiler && *compiler ? compiler : "cc";
	struct text command = {0};
	put_temporaries(program, &command);
	size_t begin = command.length;
	text_format(&command, "%s %s -Wall -Wextra %s%s%s -o ", compiler, is_large(source) ? "-O0" : "-O1",
		TRACENEST_SCAN_FLAGS, flags ? " " : "", flags ? flags : "");
	text_put_quoted(&command, program);
	text_char(&command, ' ');
	text_put_quoted(&command, source);
	put_run_time(&command);
	if (shown)
		text_put(shown, command.data + begin);
	int status = 1;
	char *words[] = {(char *)"sh", (char *)"-c", command.data, NULL};
	bool good = compiler_there(compiler, error) &&
		    unfinished_run("/bin/sh", words, STDERR_FILENO, true, &status, error);
	if (good && status)
		good = error_set(error, ERROR_INTERNAL, "the compiler failed on %s (status %d)", source, status);
	text_clear(&command);
	return good;
}

bool scangen_run(const char *program, char *const *words, int output, int *status, struct error *error)
{
	return unfinished_run(program, words, output, false, status, error);
}
