/*
 * otf2_files.c -- the files of an archive, looked at before the OTF2 library does.
 *
 * A file that is missing or cut off is not always an error to the library: it may deliver what it finds, or nothing. An event file
 * is a row of chunks of one size (the last may be shorter). Each begins with the byte 3, the byte order ('B' little, '#' big) and
 * the numbers of its first and its last record, 8 bytes each; so the last chunk's header holds the number of records. (OTF2_Buffer.c
 * of the library; the 33 recordings that this was written with, by three tracers, all keep to it.) Where a file is
 * compressed or in a container, only the library can tell.
 *
 * An anchor holds 46 bytes of numbers, the three strings machine, creator and description, and the number of properties, 4 bytes:
 * room for as many is made, and emptied again one by one, before the library notices that the file ends.
 */
#include <errno.h>
#include <fcntl.h>
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

bool files_have_definitions(const struct archive_files *files, uint64_t location)
{
	if (!files->stem)
		return false;
	char *path = file_of(files, location, "def");
	bool there = !access(path, F_OK);
	free(path);
	return there;
}

static uint64_t number_at(const unsigned char *bytes, bool little)
{
	uint64_t number = 0;
	for (int i = 0; i < 8; i++)
		number = number << 8 | bytes[little ? 7 - i : i];
	return number;
}

/* The number of the last record, from the header of the last chunk. */
static bool read_last_header(int file, const char *path, uint64_t size, uint64_t chunk, uint64_t *records, struct error *error)
{
	unsigned char header[HEADER_BYTES];
	uint64_t at = (size - 1) / chunk * chunk;
	ssize_t got = pread(file, header, sizeof header, (off_t)at);
	if (got < 0)
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	if (got < HEADER_BYTES || header[0] != 3 || (header[1] != 'B' && header[1] != '#'))
		return error_set(error, ERROR_INPUT, "%s: damaged or cut off: no chunk of records begins at byte %llu", path, (unsigned long long)at);
	*records = number_at(header + 10, header[1] == 'B');
	return true;
}

static bool examine(const struct archive_files *files, int file, const char *path, struct event_file *result, struct error *error)
{
	struct stat status;
	if (fstat(file, &status))
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(error, ERROR_INPUT, "%s: not a file", path);
	uint64_t size = (uint64_t)status.st_size;
	if (!size)
		return error_set(error, ERROR_INPUT, "%s: empty", path);
	result->limit = files->compressed ? size * INFLATION_LIMIT : size;
	if (files->compressed)
		return true;
	if (!read_last_header(file, path, size, files->chunk_bytes, &result->records, error))
		return false;
	if (result->records > size)
		return error_set(error, ERROR_INPUT, "%s: damaged: %llu records in %llu bytes", path, (unsigned long long)result->records,
				(unsigned long long)size);
	return true;
}

bool files_check_location(const struct archive_files *files, uint64_t location, struct event_file *result, struct error *error)
{
	*result = (struct event_file){UINT64_MAX, UINT64_MAX};
	if (!files->stem)
		return true;
	if (files->local_definitions && !files_have_definitions(files, location)) {
		char *missing = file_of(files, location, "def");
		error_set(error, ERROR_INPUT, "%s: missing, though other locations have theirs", missing);
		free(missing);
		return false;
	}
	char *path = file_of(files, location, "evt");
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool good = file >= 0 ? examine(files, file, path, result, error)
			      : error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	if (file >= 0)
		close(file);
	free(path);
	return good;
}
