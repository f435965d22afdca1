/*
 * otf2_files.c -- the files of an archive, looked at before the OTF2 library does.
 *
 * The library does not notice every damage. It makes room for whatever number of properties an
 * anchor claims; and where a file is cut off, it goes on reading in what its buffer held before,
 * which may be the records of another location, or lead round and round. What it relies on, and
 * what is checked here, is this (OTF2_Buffer.c of the library; all recordings seen, by three
 * tracers, keep to it):
 *
 * - An anchor has 46 bytes of numbers, the three strings machine, creator and description, and the
 *   number of properties, 4 bytes.
 * - The other files are rows of chunks of one size, of which the last may be shorter. A chunk
 *   begins with the byte 3, the byte order ('B' little, '#' big) and the numbers of its first and
 *   last record, 8 bytes each, 0 in definitions. A chunk that is not the last ends with a byte 0,
 *   and is filled up; the file ends with the bytes 2 and 1.
 * - A definition is a byte of at least 5, its length (a byte, or 255 and 8 bytes) and as many
 *   bytes.
 *
 * Where files are compressed or in one container, only the library can tell.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "trace/otf2.h"

#define HEADER_BYTES 18
#define ANCHOR_LIMIT ((size_t)1 << 20) /* of interest; those seen have 72 to 300 bytes */
#define ANCHOR_STRINGS 46 /* where they begin */
/* zlib makes at most 1,032 bytes of one; a record has at least 2. */
#define INFLATION_LIMIT 516

static uint64_t number_at(const unsigned char *bytes, bool little)
{
	uint64_t number = 0;
	for (int i = 0; i < 8; i++)
		number = number << 8 | bytes[little ? 7 - i : i];
	return number;
}

/* ------------------------------------------------------------------ the anchor */

static bool check_anchor(const unsigned char *anchor, size_t size, const char *path, struct error *error)
{
	size_t at = ANCHOR_STRINGS;
	for (int strings = 0; strings < 3; strings++) {
		const unsigned char *end = at < size ? memchr(anchor + at, 0, size - at) : NULL;
		if (!end)
			return true; /* the library says it better */
		at = (size_t)(end - anchor) + 1;
	}
	if (at + 4 > size)
		return true;
	const unsigned char *n = anchor + at;
	uint32_t little = (uint32_t)n[0] | (uint32_t)n[1] << 8 | (uint32_t)n[2] << 16 | (uint32_t)n[3] << 24;
	uint32_t properties = anchor[1] == '#' ? __builtin_bswap32(little) : little;
	if (properties <= (size - at) / 2) /* a name and a value have a byte at least */
		return true;
	return error_set(error, ERROR_INPUT, "%s: damaged: %u properties in %zu bytes", path, properties, size - at);
}

bool files_check_anchor(const char *path, struct error *error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	unsigned char *anchor = mem_alloc(ANCHOR_LIMIT);
	ssize_t size = read(file, anchor, ANCHOR_LIMIT);
	bool good = size >= 0 ? check_anchor(anchor, (size_t)size, path, error)
			      : error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	free(anchor);
	close(file);
	return good;
}

/* ------------------------------------------------------------------ a location */

static char *file_of(const struct archive_files *files, uint64_t location, const char *suffix)
{
	struct text path = {0};
	text_format(&path, "%s/%llu.%s", files->stem, (unsigned long long)location, suffix);
	return path.data;
}

bool files_have(const struct archive_files *files, uint64_t location, const char *suffix)
{
	if (!files->stem)
		return false;
	char *path = file_of(files, location, suffix);
	bool there = !access(path, F_OK);
	free(path);
	return there;
}

/* Does the file end as every complete one does? */
static bool check_end(int file, const char *path, uint64_t size, struct error *error)
{
	unsigned char end[2];
	if (size >= HEADER_BYTES + sizeof end &&
		pread(file, end, sizeof end, (off_t)(size - sizeof end)) == sizeof end && end[0] == 2 && end[1] == 1)
		return true;
	return error_set(error, ERROR_INPUT, "%s: damaged or cut off: its end is missing", path);
}

/* ------------------------------------------------------------------ definitions */

struct file_walk {
	FILE *file;
	uint64_t at, chunk_bytes, size;
	uint64_t records;
};

static uint64_t chunk_end(const struct file_walk *w)
{
	uint64_t end = (w->at / w->chunk_bytes + 1) * w->chunk_bytes;
	return end < w->size ? end : w->size;
}

static bool step(struct file_walk *w, unsigned char *bytes, size_t count)
{
	w->at += count;
	return fread(bytes, 1, count, w->file) == count;
}

static bool jump(struct file_walk *w, uint64_t to)
{
	uint64_t by = to - w->at;
	w->at = to;
	return !fseeko(w->file, (off_t)by, SEEK_CUR);
}

/* Behind the type of a record: over the rest of it. */
static bool walk_record(struct file_walk *w, bool little)
{
	unsigned char bytes[8];
	if (!step(w, bytes, 1))
		return false;
	uint64_t length = bytes[0];
	if (length == 255) {
		if (!step(w, bytes, 8))
			return false;
		length = number_at(bytes, little);
	}
	uint64_t end = chunk_end(w);
	w->records++;
	return length < end - w->at && jump(w, w->at + length);
}

/* Over a chunk: false where it is damaged; *last at the end of the file. */
static bool walk_chunk(struct file_walk *w, bool *last)
{
	unsigned char header[HEADER_BYTES], type;
	if (!step(w, header, sizeof header) || header[0] != 3 || (header[1] != 'B' && header[1] != '#'))
		return false;
	uint64_t end = chunk_end(w);
	while (w->at < end && step(w, &type, 1)) {
		*last = type == 2;
		if (type == 0)
			return end < w->size && jump(w, end);
		if (*last || type < 5 || !walk_record(w, header[1] == 'B'))
			return *last;
	}
	return false;
}

static bool walk_definitions(struct file_walk *w, const char *path, struct error *error)
{
	for (bool last = false; !last;)
		if (!walk_chunk(w, &last))
			return error_set(error, ERROR_INPUT, "%s: damaged or cut off at byte %llu", path,
				(unsigned long long)w->at);
	return true;
}

static bool count_definitions(
	const struct archive_files *files, FILE *file, const char *path, uint64_t *records, struct error *error)
{
	struct stat status;
	if (fstat(fileno(file), &status))
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(error, ERROR_INPUT, "%s: not a file", path);
	struct file_walk w = {
		.file = file, .chunk_bytes = files->definitions_chunk_bytes, .size = (uint64_t)status.st_size};
	*records = UINT64_MAX;
	if (files->compressed)
		return true;
	if (!check_end(fileno(file), path, w.size, error) || !walk_definitions(&w, path, error))
		return false;
	*records = w.records;
	return true;
}

/* The number of records in a file of definitions that is sound; UINT64_MAX where only the library
   can tell. */
static bool check_definitions(
	const struct archive_files *files, const char *path, uint64_t *records, struct error *error)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	bool good = count_definitions(files, file, path, records, error);
	fclose(file);
	return good;
}

bool files_check_global(const struct archive_files *files, uint64_t *records, struct error *error)
{
	*records = UINT64_MAX;
	if (!files->stem)
		return true;
	struct text path = {0};
	text_format(&path, "%s.def", files->stem);
	bool good = check_definitions(files, path.data, records, error);
	text_clear(&path);
	return good;
}

static bool check_local(const struct archive_files *files, uint64_t location, uint64_t *records, struct error *error)
{
	char *path = file_of(files, location, "def");
	bool good = true;
	if (!access(path, F_OK))
		good = check_definitions(files, path, records, error);
	else if (files->local_definitions)
		good = error_set(error, ERROR_INPUT, "%s: missing, though other locations have theirs", path);
	else
		*records = 0;
	free(path);
	return good;
}

/* ------------------------------------------------------------------ events */

/* The number of the last record, from the header of the last chunk. */
static bool read_last_header(
	int file, const char *path, uint64_t size, uint64_t chunk, uint64_t *records, struct error *error)
{
	unsigned char header[HEADER_BYTES];
	uint64_t at = (size - 1) / chunk * chunk;
	ssize_t got = pread(file, header, sizeof header, (off_t)at);
	if (got < 0)
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	if (got < HEADER_BYTES || header[0] != 3 || (header[1] != 'B' && header[1] != '#'))
		return error_set(error, ERROR_INPUT, "%s: damaged or cut off: no chunk of records begins at byte %llu",
			path, (unsigned long long)at);
	*records = number_at(header + 10, header[1] == 'B');
	return true;
}

static bool examine(
	const struct archive_files *files, int file, const char *path, struct event_file *result, struct error *error)
{
	struct stat status;
	if (fstat(file, &status))
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(error, ERROR_INPUT, "%s: not a file", path);
	uint64_t size = (uint64_t)status.st_size, records = 0;
	result->limit = files->compressed ? size * INFLATION_LIMIT : size;
	if (!size)
		return error_set(error, ERROR_INPUT, "%s: empty", path);
	if (files->compressed)
		return true;
	if (!check_end(file, path, size, error) ||
		!read_last_header(file, path, size, files->chunk_bytes, &records, error))
		return false;
	if (records > size)
		return error_set(error, ERROR_INPUT, "%s: damaged: %llu records in %llu bytes", path,
			(unsigned long long)records, (unsigned long long)size);
	result->records = records;
	return true;
}

bool files_check_location(
	const struct archive_files *files, uint64_t location, struct event_file *result, struct error *error)
{
	*result = (struct event_file){.records = UINT64_MAX, .limit = UINT64_MAX, .definitions = UINT64_MAX};
	if (!files->stem)
		return true;
	if (!check_local(files, location, &result->definitions, error))
		return false;
	char *path = file_of(files, location, "evt");
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool good = file >= 0 ? examine(files, file, path, result, error)
			      : error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	if (file >= 0)
		close(file);
	free(path);
	return good;
}

/* Of the chunks that are there as a whole, the last one's header tells. */
uint64_t files_whole_records(const struct archive_files *files, uint64_t location)
{
	struct stat status;
	struct error ignored;
	uint64_t records = 0;
	if (!files->stem || files->compressed)
		return 0;
	char *path = file_of(files, location, "evt");
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file >= 0 && !fstat(file, &status) && (uint64_t)status.st_size >= files->chunk_bytes) {
		uint64_t whole = (uint64_t)status.st_size / files->chunk_bytes * files->chunk_bytes;
		if (!read_last_header(file, path, whole, files->chunk_bytes, &records, &ignored))
			records = 0;
	}
	if (file >= 0)
		close(file);
	free(path);
	return records;
}
