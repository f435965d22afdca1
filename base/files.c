/*
 * files.c -- reading stops one buffer behind what is allowed, so that endless input is refused.
 */
#include "base/files.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_stream(FILE *file, const char *name, size_t most, struct text *text, struct error *error)
{
	char buffer[1 << 14];
	size_t start = text->length;
	for (size_t got; text->length - start <= most && (got = fread(buffer, 1, sizeof buffer, file));)
		text_add(text, buffer, got);
	text_add(text, "", 0);
	if (ferror(file))
		return error_set(error, ERROR_INPUT, "%s: %s", name, strerror(errno));
	return text->length - start <= most || error_set(error, ERROR_INPUT, "%s: more than %zu bytes", name, most);
}

bool file_read(const char *path, size_t most, struct text *text, struct error *error)
{
	bool standard = !strcmp(path, "-");
	FILE *file = standard ? stdin : fopen(path, "r");
	if (!file)
		return error_set(error, ERROR_INPUT, "%s: %s", path, strerror(errno));
	bool good = read_stream(file, standard ? "standard input" : path, most, text, error);
	if (!standard)
		fclose(file);
	return good;
}

bool file_begins(const char *path, const char *bytes, size_t length)
{
	char begin[16];
	struct stat s;
	FILE *file = length <= sizeof begin && !stat(path, &s) && S_ISREG(s.st_mode) ? fopen(path, "rb") : NULL;
	bool begins = file && fread(begin, 1, length, file) == length && !memcmp(begin, bytes, length);
	if (file)
		fclose(file);
	return begins;
}

void files_remove(const char *directory, const char *const *pattern)
{
	struct text path = {0};
	for (; *pattern; pattern++) {
		glob_t found = {0};
		bool directories = **pattern && (*pattern)[strlen(*pattern) - 1] == '/';
		text_truncate(&path, 0);
		text_format(&path, "%s/%s", directory, *pattern);
		if (glob(path.data, 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++)
				(directories ? rmdir : unlink)(found.gl_pathv[k]);
		globfree(&found);
	}
	text_clear(&path);
}

/* ------------------------------------------------------------------ names */

/* Of the name that ends at `end`. */
static void put_name(const char *path, const char *end, struct text *out)
{
	const char *name = end, *point = end;
	while (name > path && name[-1] != '/')
		name--;
	while (point > name && *point != '.')
		point--;
	text_add(out, name, (size_t)((point > name ? point : end) - name));
}

void file_title(const char *path, struct text *out)
{
	static const char *const anchors[] = {"/traces.otf2", "/eztrace_log.otf2"};
	size_t length = strlen(path), rest = length;
	for (size_t i = 0; i < sizeof anchors / sizeof *anchors; i++)
		if (text_ends_with(path, anchors[i]))
			rest = length - strlen(anchors[i]);
	put_name(path, path + rest, out);
}
