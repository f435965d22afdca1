/*
 * fuzz_otf2.c -- a real archive with some bytes changed and files cut: refused with a message or
 * read.
 *
 * An input is a list of changes of 6 bytes: which file, where (4 bytes, modulo its size), and what
 * to xor the byte with; 0 cuts the file there instead. The archive is the directory named by
 * TRACENEST_FUZZ_ARCHIVE; it is copied once, and mended after every input.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/fuzz/fuzz.h"
#include "trace/trace.h"

#define CHANGE_BYTES 6
#define MOST_CHANGES 16

struct file {
	char *path;
	unsigned char *content;
	size_t size;
};

static struct file *files;
static size_t file_count, file_capacity;
static char *anchor;
static char copy[] = "/tmp/tracenest-fuzz-XXXXXX";

static char *join(const char *directory, const char *name)
{
	struct text path = {0};
	text_format(&path, "%s/%s", directory, name);
	return path.data;
}

static void write_whole(const struct file *file)
{
	int descriptor = open(file->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	MUST(descriptor >= 0 && write(descriptor, file->content, file->size) == (ssize_t)file->size);
	close(descriptor);
}

static void copy_file(const char *from, char *to)
{
	struct stat status;
	int descriptor = open(from, O_RDONLY);
	MUST(descriptor >= 0 && !fstat(descriptor, &status));
	struct file file = {to, mem_alloc((size_t)status.st_size), (size_t)status.st_size};
	MUST(read(descriptor, file.content, file.size) == (ssize_t)file.size);
	close(descriptor);
	write_whole(&file);
	files = mem_grow(files, &file_capacity, file_count + 1, sizeof *files);
	files[file_count++] = file;
	if (strstr(to, ".otf2"))
		anchor = to;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static void copy_directory(const char *from, const char *to)
{
	DIR *listing = opendir(from);
	if (!listing) {
		fprintf(stderr, "%s: no archive here: set TRACENEST_FUZZ_ARCHIVE\n", from);
		exit(2);
	}
	for (struct dirent *entry; (entry = readdir(listing));) {
		if (entry->d_name[0] == '.')
			continue;
		struct stat status;
		char *source = join(from, entry->d_name), *target = join(to, entry->d_name);
		MUST(!stat(source, &status));
		if (S_ISDIR(status.st_mode)) {
			MUST(!mkdir(target, 0700));
			copy_directory(source, target);
			free(target);
		} else {
			copy_file(source, target);
		}
		free(source);
	}
	closedir(listing);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static void clean_up(void)
{
	nftw(copy, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	for (size_t i = 0; i < file_count; i++) {
		free(files[i].path);
		free(files[i].content);
	}
	free(files);
	files = NULL;
}

static void copy_archive(void)
{
	const char *archive = getenv("TRACENEST_FUZZ_ARCHIVE");
	MUST(mkdtemp(copy));
	copy_directory(archive ? archive : "build/samples/is.S.4.scorep", copy);
	qsort(files, file_count, sizeof *files, by_path); /* the same on every file system */
	MUST(anchor);
	atexit(clean_up);
}

static void change(const struct file *file, size_t at, uint8_t mask)
{
	if (!mask) {
		MUST(!truncate(file->path, (off_t)at));
		return;
	}
	int descriptor = open(file->path, O_RDWR);
	uint8_t byte;
	if (pread(descriptor, &byte, 1, (off_t)at) == 1) {
		byte ^= mask;
		MUST(pwrite(descriptor, &byte, 1, (off_t)at) == 1);
	}
	close(descriptor);
}

static bool ignore(void *context, uint32_t rank, const struct trace_event *event, struct error *error)
{
	(void)error;
	struct text line = {0};
	event_print(trace_dictionary(context, rank), event->event, &line);
	text_clear(&line);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!files)
		copy_archive();
	bool *changed = mem_zero(file_count);
	for (size_t n = 0; n < MOST_CHANGES && size >= CHANGE_BYTES; n++, data += CHANGE_BYTES, size -= CHANGE_BYTES) {
		size_t i = data[0] % file_count;
		uint32_t at;
		memcpy(&at, data + 1, sizeof at);
		changed[i] = true;
		if (files[i].size)
			change(&files[i], at % files[i].size, data[5]);
	}
	struct trace_options options = {.events = TRACE_ALL};
	struct error error = {0};
	struct trace *trace = trace_open(anchor, &options, &error);
	struct trace_sink sink = {trace, ignore, NULL, NULL};
	bool read = trace && trace_read(trace, 1, NULL, &sink, &error);
	MUST(read || (error.kind != ERROR_NONE && *error.message));
	if (trace)
		trace_close(trace);
	for (size_t i = 0; i < file_count; i++)
		if (changed[i])
			write_whole(&files[i]);
	free(changed);
	return 0;
}
