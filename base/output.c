/*
 * output.c -- results, written whole or not at all.
 *
 * A temporary is registered under its name before it is created and until it is renamed or removed
 * (base/unfinished.h), so that there is no moment at which a signal, or an exit, would leave it
 * behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/packed.h"
#include "base/unfinished.h"

#define BUFFER_BYTES ((size_t)1 << 16)
#define WRITE_BACK_BYTES ((off_t)1 << 22)

struct output {
	char *name; /* for messages */
	char *destination; /* NULL: written in place */
	char *temporary;
	int descriptor;
	bool waits; /* for the disk, when it is closed */
	int trouble; /* errno of the first write that failed; 0: none */
	bool raw; /* no text: bytes go out as they are */
	bool packs; /* is it compressed when it is closed? */
	struct text unpacked; /* until then */
	output_dress *dress; /* NULL: lines go out as they are */
	struct text line; /* then: what has come of the last one */
	off_t written, sent; /* bytes: so far; of these on their way to the disk */
	size_t length;
	char buffer[BUFFER_BYTES];
};

/* ------------------------------------------------------------------ opening */

static struct output *output_new(const char *name)
{
	struct output *out = mem_alloc(sizeof *out);
	memset(out, 0, offsetof(struct output, buffer));
	out->name = mem_text(name);
	out->descriptor = -1;
	return out;
}

static void release(struct output *out)
{
	free(out->name);
	free(out->destination);
	free(out->temporary);
	text_clear(&out->unpacked);
	text_clear(&out->line);
	free(out);
}

static struct output *refuse(struct output *out, struct error *error, int reason)
{
	error_set(error, ERROR_INPUT, "%s: cannot write: %s", out->name, strerror(reason));
	release(out);
	return NULL;
}

/* A hidden name in the directory of the destination: renaming never crosses file systems. */
static char *temporary_name(const char *destination)
{
	const char *slash = strrchr(destination, '/');
	uint64_t random = 0;
	if (getrandom(&random, sizeof random, 0) != sizeof random)
		random = (uint64_t)getpid();
	struct text name = {0};
	text_add(&name, destination, slash ? (size_t)(slash + 1 - destination) : 0);
	text_format(&name, ".tracenest-%016llx", (unsigned long long)random);
	return name.data;
}

static bool create_temporary(struct output *out, const struct stat *old, struct error *error)
{
	out->temporary = temporary_name(out->destination);
	if (!unfinished_enter(UNFINISHED_FILE, out->temporary))
		return error_set(
			error, ERROR_INTERNAL, "%s: more than %d files are being written", out->name, UNFINISHED_SLOTS);
	out->descriptor = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (out->descriptor < 0) {
		error_set(error, ERROR_INPUT, "%s: cannot write: %s", out->name, strerror(errno));
		if (!unfinished_leave(UNFINISHED_FILE, out->temporary))
			out->temporary = NULL;
		return false;
	}
	if (old)
		fchmod(out->descriptor, old->st_mode & 0777);
	return true;
}

/* Where a file is made that is not there: a symbolic link to nothing leads to where it would be.
   There are no cycles: stat has looked. */
static char *end_of_links(const char *path)
{
	struct text name = {0};
	char target[PATH_MAX];
	text_put(&name, path);
	for (ssize_t length; (length = readlink(name.data, target, sizeof target)) > 0;) {
		const char *slash = *target == '/' ? NULL : strrchr(name.data, '/');
		text_truncate(&name, slash ? (size_t)(slash + 1 - name.data) : 0);
		text_add(&name, target, (size_t)length);
	}
	return name.data;
}

static struct output *open_temporary(struct output *out, const char *path, const struct stat *old, struct error *error)
{
	if (old && access(path, W_OK))
		return refuse(out, error, errno);
	char *target = old ? realpath(path, NULL) : end_of_links(path); /* a symbolic link stays one */
	out->destination = target ? target : mem_text(path);
	out->waits = true;
	if (!create_temporary(out, old, error)) {
		release(out);
		return NULL;
	}
	return out;
}

static struct output *open_in_place(struct output *out, const char *path, struct error *error)
{
	out->descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	return out->descriptor < 0 ? refuse(out, error, errno) : out;
}

struct output *output_open(const char *path, struct error *error)
{
	if (!path || !strcmp(path, "-")) {
		struct output *out = output_new("standard output");
		fflush(stdout);
		out->descriptor = STDOUT_FILENO;
		return out;
	}
	struct output *out = output_new(path);
	out->packs = text_ends_with(path, ".nestz");
	struct stat status;
	if (stat(path, &status))
		return errno == ENOENT ? open_temporary(out, path, NULL, error) : refuse(out, error, errno);
	if (S_ISDIR(status.st_mode))
		return refuse(out, error, EISDIR);
	/* What /dev/stdout leads to is in use, and a file without a name cannot be replaced. */
	bool replaceable = S_ISREG(status.st_mode) && status.st_nlink > 0 && strncmp(path, "/dev/", 5);
	return replaceable ? open_temporary(out, path, &status, error) : open_in_place(out, path, error);
}

/* ------------------------------------------------------------------ writing */

void output_do_not_wait(struct output *out)
{
	out->waits = false;
}

/* A file that is to be safe on the disk when it is closed goes there from now on: closing has less
   to wait for. */
static void write_back(struct output *out)
{
	if (!out->waits || out->written - out->sent < WRITE_BACK_BYTES)
		return;
	sync_file_range(out->descriptor, out->sent, out->written - out->sent, SYNC_FILE_RANGE_WRITE);
	out->sent = out->written;
}

static void write_out(struct output *out, const char *bytes, size_t length)
{
	while (length && !out->trouble) {
		ssize_t written = write(out->descriptor, bytes, length);
		if (written >= 0) {
			bytes += written;
			length -= (size_t)written;
			out->written += written;
			write_back(out);
		} else if (errno != EINTR) {
			out->trouble = errno;
		}
	}
}

static void flush(struct output *out)
{
	write_out(out, out->buffer, out->length);
	out->length = 0;
}

bool output_is_terminal(const struct output *out)
{
	return isatty(out->descriptor);
}

void output_dress_lines(struct output *out, output_dress *dress)
{
	out->dress = dress;
}

static void write_bytes(struct output *out, const char *bytes, size_t length);

static void write_line(struct output *out)
{
	struct text dressed = {0};
	out->dress(out->line.data, out->line.length, &dressed);
	write_bytes(out, dressed.data, dressed.length);
	text_truncate(&out->line, 0);
	text_clear(&dressed);
}

static void write_dressed(struct output *out, const char *bytes, size_t length)
{
	for (const char *end; (end = memchr(bytes, '\n', length)); bytes = end + 1) {
		text_add(&out->line, bytes, (size_t)(end - bytes));
		length -= (size_t)(end - bytes) + 1;
		write_line(out);
		write_bytes(out, "\n", 1);
	}
	text_add(&out->line, bytes, length);
}

#define BLOCK 64 /* bytes that are looked at together */

/* ASCII without control characters. */
static bool is_plain(const char *bytes, size_t length)
{
	for (; length > 0; bytes += BLOCK, length -= length < BLOCK ? length : BLOCK) {
		unsigned char block[BLOCK] = {0}, bad = 0;
		memcpy(block, bytes, length < BLOCK ? length : BLOCK);
		for (size_t i = length; i < BLOCK; i++)
			block[i] = ' ';
		for (size_t i = 0; i < BLOCK; i++)
			bad |= (block[i] < ' ' && block[i] != '\n' && block[i] != '\t') || block[i] >= 0x7f;
		if (bad)
			return false;
	}
	return true;
}

void output_write(struct output *out, const char *bytes, size_t length)
{
	struct text shown = {0};
	if (!out->raw && !is_plain(bytes, length)) {
		text_put_visible(&shown, bytes, length);
		bytes = shown.data;
		length = shown.length;
	}
	(out->dress ? write_dressed : write_bytes)(out, bytes, length);
	text_clear(&shown);
}

void output_raw(struct output *out)
{
	out->raw = true;
}

static void write_bytes(struct output *out, const char *bytes, size_t length)
{
	if (!length)
		return;
	if (out->packs) {
		text_add(&out->unpacked, bytes, length);
		return;
	}
	if (length > BUFFER_BYTES - out->length)
		flush(out);
	if (length > BUFFER_BYTES) {
		write_out(out, bytes, length);
		return;
	}
	memcpy(out->buffer + out->length, bytes, length);
	out->length += length;
}

void output_text(struct output *out, struct text *text)
{
	output_write(out, text->data, text->length);
	text_truncate(text, 0);
}

void output_csv(struct output *out, const char *word)
{
	struct text field = {0};
	text_put_csv(&field, word);
	output_text(out, &field);
	text_clear(&field);
}

void output_format(struct output *out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *line = NULL;
	int length = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (length < 0) {
		out->trouble = errno;
		return;
	}
	output_write(out, line, (size_t)length);
	free(line);
}

bool output_failed(const struct output *out)
{
	return out->trouble;
}

/* ------------------------------------------------------------------ closing */

static void close_descriptor(struct output *out)
{
	bool sync = out->waits && !out->trouble;
	if (sync && fsync(out->descriptor) && errno != EINVAL && errno != EROFS)
		out->trouble = errno;
	if (out->descriptor != STDOUT_FILENO && close(out->descriptor) && !out->trouble)
		out->trouble = errno;
}

/* The name is left in the registry until the file no longer bears it. */
static void settle_temporary(struct output *out)
{
	if (out->trouble || rename(out->temporary, out->destination)) {
		if (!out->trouble)
			out->trouble = errno;
		unlink(out->temporary);
	}
	if (!unfinished_leave(UNFINISHED_FILE, out->temporary))
		out->temporary = NULL;
}

/* False: nothing is to be left. */
static bool pack(struct output *out, struct error *error)
{
	struct text packed = {0};
	bool good = packed_make(out->unpacked.data ? out->unpacked.data : "", out->unpacked.length, &packed, error) ||
		    error_at(error, "%s", out->name);
	out->packs = false;
	if (good)
		write_bytes(out, packed.data, packed.length);
	text_clear(&packed);
	return good;
}

bool output_close(struct output *out, struct error *error)
{
	if (out->packs && !pack(out, error)) {
		output_abandon(out);
		return false;
	}
	if (out->line.length)
		write_line(out);
	flush(out);
	close_descriptor(out);
	if (out->destination)
		settle_temporary(out);
	bool good = !out->trouble || out->trouble == EPIPE ||
		    error_set(error, ERROR_INPUT, "%s: cannot write: %s", out->name, strerror(out->trouble));
	release(out);
	return good;
}

void output_abandon(struct output *out)
{
	if (!out)
		return;
	out->trouble = EPIPE;
	close_descriptor(out);
	if (out->destination)
		settle_temporary(out);
	release(out);
}

bool output_finish(struct output *out, bool good, struct error *error)
{
	if (good)
		return output_close(out, error);
	output_abandon(out);
	return false;
}

bool output_all(const char *path, const char *bytes, size_t length, struct error *error)
{
	struct output *out = output_open(path, error);
	if (out)
		write_bytes(out, bytes, length);
	return out && output_close(out, error);
}

bool output_all_text(const char *path, const struct text *text, struct error *error)
{
	struct output *out = output_open(path, error);
	if (out)
		output_write(out, text->data, text->length);
	return out && output_close(out, error);
}
