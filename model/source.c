/*
 * source.c -- files by their names, read once, as lines.
 */
#include "model/source.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/intern.h"
#include "base/mem.h"
#include "model/lines.h"

/* Deeper directories, and more entries, are not looked at; nor are larger files. */
#define DEPTH_LIMIT 16
#define ENTRIES_LIMIT 1000000
#define FILE_LIMIT ((size_t)1 << 26)

/* What is longer is cut. */
#define SHOWN_BYTES 160

struct file {
	char *path; /* NULL: not found */
	unsigned depth; /* of its directory */
	struct text bytes;
	size_t *start; /* of each line, from 1 */
	size_t lines, capacity;
};

struct source {
	const struct site_places *places;
	const struct module *module; /* whose lines are told */
	struct intern *names; /* of files that sites name */
	uint32_t of_statements; /* the first of these */
	struct file *file; /* by name */
	size_t entries; /* looked at */
};

/* ------------------------------------------------------------------ looking for files */

static void name_file(struct source *s, const char *words)
{
	struct site site = site_parts(words);
	if (site.line)
		intern_id(s->names, site.file, site.length);
}

/* Those of statements first, then those of their callers. */
static uint32_t name_files(struct source *s)
{
	const struct site_places *places = s->places;
	for (uint32_t id = 1; id <= intern_count(places->sets); id++) {
		const uint32_t *path;
		for (size_t i = sites_get(places, id, &path); i-- > 0;)
			name_file(s, path_site(places, path[i]));
	}
	s->of_statements = intern_count(s->names);
	for (uint32_t path = 1; path < call_paths_count(places->paths); path++)
		name_file(s, call_paths_frame(places->paths, path)->words);
	return intern_count(s->names);
}

static void take_file(struct source *s, const char *name, const char *path, unsigned depth)
{
	uint32_t id = intern_find(s->names, name, strlen(name));
	if (id == INTERN_NONE)
		return;
	struct file *f = &s->file[id];
	if (f->path && (f->depth < depth || (f->depth == depth && strcmp(f->path, path) <= 0)))
		return;
	free(f->path);
	f->path = mem_text(path);
	f->depth = depth;
}

/* Links to directories are not followed, so that there is an end. */
static void look_in(struct source *s, const char *directory, unsigned depth)
{
	DIR *d = depth < DEPTH_LIMIT ? opendir(directory) : NULL;
	for (struct dirent *e; d && (e = readdir(d)) && s->entries++ < ENTRIES_LIMIT;) {
		struct text path = {0};
		struct stat status;
		if (e->d_name[0] == '.')
			continue;
		text_format(&path, strcmp(directory, ".") ? "%s/%s" : "%.0s%s", directory, e->d_name);
		if (lstat(path.data, &status) == 0 && S_ISDIR(status.st_mode))
			look_in(s, path.data, depth + 1);
		else
			take_file(s, e->d_name, path.data, depth);
		text_clear(&path);
	}
	if (d)
		closedir(d);
}

/* ------------------------------------------------------------------ reading them */

/* What cannot be read was not found. */
static bool read_lines(struct file *f)
{
	struct error ignored = {0};
	if (!f->path || !file_read(f->path, FILE_LIMIT, &f->bytes, &ignored)) {
		free(f->path);
		f->path = NULL;
		return false;
	}
	for (size_t at = 0; at < f->bytes.length; at++) {
		*MEM_PUSH(f->start, f->lines, f->capacity) = at;
		const char *end = memchr(f->bytes.data + at, '\n', f->bytes.length - at);
		at = end ? (size_t)(end - f->bytes.data) : f->bytes.length;
	}
	return true;
}

struct source *source_open(const char *directory, const struct site_places *places, struct error *error)
{
	struct source *s = mem_zero(sizeof *s);
	s->places = places;
	s->names = intern_new();
	uint32_t files = name_files(s), found = 0;
	s->file = mem_zero((files + (size_t)1) * sizeof *s->file);
	look_in(s, directory, 0);
	for (uint32_t i = 0; i < files; i++)
		found += read_lines(&s->file[i]);
	if (found)
		return s;
	if (files)
		error_set(error, ERROR_INPUT,
			"%s: none of the model's source files is here, or below, not %s: name their directory, --source=DIR",
			directory, (const char *)intern_data(s->names, 0, NULL));
	else
		error_set(error, ERROR_INPUT, SITES_MISSING);
	source_close(s);
	return NULL;
}

const char *source_path(const struct source *s, const char *file)
{
	uint32_t id = intern_find(s->names, file, strlen(file));
	return id == INTERN_NONE ? NULL : s->file[id].path;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < intern_count(s->names); i++) {
		free(s->file[i].path);
		free(s->file[i].start);
		text_clear(&s->file[i].bytes);
	}
	free(s->file);
	intern_free(s->names);
	free(s);
}

void source_missing(const struct source *s, struct text *out)
{
	size_t start = out->length;
	for (uint32_t i = 0; i < s->of_statements; i++) {
		if (s->file[i].path)
			continue;
		text_put(out, out->length > start ? ", " : "");
		text_put(out, intern_data(s->names, i, NULL));
	}
}

/* ------------------------------------------------------------------ lines */

/* As a comment can hold it: no control characters, no more than a line of a screen. */
static void put_shown(const char *from, size_t length, struct text *out)
{
	while (length && (is_blank(*from) || is_control(*from)))
		from++, length--;
	while (length && (is_blank(from[length - 1]) || is_control(from[length - 1])))
		length--;
	size_t shown = length;
	if (length > SHOWN_BYTES)
		for (shown = SHOWN_BYTES; shown && ((unsigned char)from[shown] & 0xc0) == 0x80;)
			shown--;
	for (size_t i = 0; i < shown; i++)
		text_char(out, is_control(from[i]) || from[i] == '\t' ? ' ' : from[i]);
	text_put(out, shown < length ? " ..." : "");
}

bool source_line(const struct source *s, const char *words, struct text *out)
{
	struct site site = site_parts(words);
	uint32_t id = site.line ? intern_find(s->names, site.file, site.length) : INTERN_NONE;
	const struct file *f = id == INTERN_NONE ? NULL : &s->file[id];
	if (!f || !f->path || site.line > f->lines)
		return false;
	const char *from = f->bytes.data + f->start[site.line - 1];
	const char *end = memchr(from, '\n', f->bytes.length - f->start[site.line - 1]);
	put_shown(from, end ? (size_t)(end - from) : f->bytes.length - f->start[site.line - 1], out);
	return true;
}

static void put_line(const struct source *s, const char *words, struct text *out)
{
	struct site site = site_parts(words);
	struct text line = {0};
	if (source_line(s, words, &line) && line.length) {
		text_add(out, site.file, site.length);
		text_format(out, ":%" PRIu64 ": %s\n", site.line, line.data);
	}
	text_clear(&line);
}

/* The calls of a path, from the outermost one that the path before has not. */
static void put_calls(const struct source *s, uint32_t path, uint32_t before, struct text *out)
{
	const struct call_paths *paths = s->places->paths;
	const struct call_frame *innermost = call_paths_frame(paths, path);
	for (uint32_t depth = 1; innermost && depth <= innermost->depth; depth++) {
		uint32_t call = call_paths_outer(paths, path, depth);
		if (call != call_paths_outer(paths, before, depth))
			put_line(s, call_paths_frame(paths, call)->words, out);
	}
}

static void remark_above(const void *source, size_t line, size_t before, struct text *out)
{
	const struct source *s = source;
	const uint32_t *path, *last, *sites = s->module->sites;
	if (line && sites[line - 1] == sites[line])
		return;
	uint32_t told = before != SIZE_MAX && sites_get(s->places, sites[before], &last) ? *last : CALL_PATH_NONE;
	size_t count = sites_get(s->places, sites[line], &path);
	for (size_t i = 0; i < count; told = path[i++])
		if (!i || strcmp(path_site(s->places, path[i]), path_site(s->places, path[i - 1])) != 0)
			put_calls(s, path[i], told, out);
}

void source_remarks(struct source *s, const struct module *module, struct module_remarks *remarks)
{
	s->module = module;
	remarks->above_context = s;
	remarks->above = remark_above;
}
