/*
 * trace.c -- what a path leads to, and the reader for it.
 *
 * A file is an OTF2 archive if it begins as its anchor does or is called so (NAME.otf2), else a
 * text trace. A directory is the archive whose anchor it holds, else the text trace made of all its
 * files in order of their names; hidden ones and other directories are passed over.
 */
#include "trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "trace/cursor.h"
#include "trace/ending.h"
#include "trace/merged.h"
#include "trace/otf2.h"
#include "trace/text_trace.h"
#include "trace/timeline.h"

struct trace {
	char *path;
	struct archive *archive; /* or */
	struct text_trace *text;
	struct trace_facts facts;
};

/* ------------------------------------------------------------------ what is it? */

static bool is_anchor_name(const char *name)
{
	return text_ends_with(name, ".otf2");
}

static bool begins_as_anchor(const char *path)
{
	static const char magic[] = {3, 'B', 'O', 'T', 'F', '2'};
	char start[sizeof magic];
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool same = file >= 0 && read(file, start, sizeof start) == sizeof start && !memcmp(start, magic, sizeof magic);
	if (file >= 0)
		close(file);
	return same;
}

struct names {
	char **at;
	size_t length, capacity;
};

static void names_clear(struct names *n)
{
	for (size_t i = 0; i < n->length; i++)
		free(n->at[i]);
	free(n->at);
}

static int by_name(const void *left, const void *right)
{
	return strverscmp(*(char *const *)left, *(char *const *)right);
}

static bool is_file(const char *path)
{
	struct stat status;
	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* The paths of the files in a directory, in order of their names: "rank2" before "rank10". */
static bool list_files(const char *directory, struct names *files, struct error *error)
{
	DIR *open = opendir(directory);
	if (!open)
		return error_set(error, ERROR_INPUT, "%s: %s", directory, strerror(errno));
	for (struct dirent *entry; (entry = readdir(open));) {
		struct text path = {0};
		text_format(&path, "%s/%s", directory, entry->d_name);
		if (entry->d_name[0] == '.' || !is_file(path.data)) {
			text_clear(&path);
			continue;
		}
		*MEM_PUSH(files->at, files->length, files->capacity) = path.data;
	}
	closedir(open);
	if (files->length)
		qsort(files->at, files->length, sizeof *files->at, by_name);
	return true;
}

/* ------------------------------------------------------------------ opening */

static bool open_archive(struct trace *t, const char *anchor, const struct trace_options *options, struct error *error)
{
	t->archive = archive_open(anchor, options, &t->facts, error);
	return t->archive != NULL;
}

static bool open_text(
	struct trace *t, char *const *paths, size_t length, const struct trace_options *options, struct error *error)
{
	t->text = text_trace_new(options);
	for (size_t i = 0; i < length; i++)
		if (!text_trace_add(t->text, paths[i], error))
			return false;
	return true;
}

static bool open_listed(
	struct trace *t, const struct names *files, const struct trace_options *options, struct error *error)
{
	size_t anchors = 0, anchor = 0;
	for (size_t i = 0; i < files->length; i++)
		if (is_anchor_name(files->at[i])) {
			anchors++;
			anchor = i;
		}
	if (anchors > 1)
		return error_set(error, ERROR_INPUT,
			"%s: holds %zu OTF2 archives: name the anchor file (*.otf2) of one", t->path, anchors);
	if (anchors)
		return open_archive(t, files->at[anchor], options, error);
	if (!files->length)
		return error_set(error, ERROR_INPUT, "%s: a directory without a trace", t->path);
	return open_text(t, files->at, files->length, options, error);
}

static bool open_directory(struct trace *t, const struct trace_options *options, struct error *error)
{
	struct names files = {0};
	bool good = list_files(t->path, &files, error) && open_listed(t, &files, options, error);
	names_clear(&files);
	return good;
}

/* "run/traces/0.evt" and "run/traces.def" belong to the archive whose anchor is
   "run/traces.otf2". */
static bool is_part_of_archive(const char *path, struct text *anchor)
{
	size_t length = strlen(path);
	if (length < 4 || (strcmp(path + length - 4, ".evt") && strcmp(path + length - 4, ".def")))
		return false;
	text_add(anchor, path, length - 4);
	text_put(anchor, ".otf2");
	if (!access(anchor->data, R_OK))
		return true;
	const char *slash = strrchr(path, '/');
	text_truncate(anchor, 0);
	text_add(anchor, path, slash ? (size_t)(slash - path) : 0);
	text_put(anchor, ".otf2");
	return !access(anchor->data, R_OK);
}

static bool open_file(struct trace *t, const struct trace_options *options, struct error *error)
{
	struct text anchor = {0};
	bool good;
	if (is_anchor_name(t->path) || begins_as_anchor(t->path))
		good = open_archive(t, t->path, options, error);
	else if (is_part_of_archive(t->path, &anchor))
		good = error_set(
			error, ERROR_INPUT, "%s: a part of an OTF2 archive: name its anchor, %s", t->path, anchor.data);
	else
		good = open_text(t, &t->path, 1, options, error);
	text_clear(&anchor);
	return good;
}

static bool open_path(struct trace *t, const struct trace_options *options, struct error *error)
{
	struct stat status;
	if (!strcmp(t->path, "-"))
		return open_text(t, &t->path, 1, options, error);
	if (stat(t->path, &status))
		return error_set(error, ERROR_INPUT, "%s: %s", t->path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return open_directory(t, options, error);
	if (access(t->path, R_OK))
		return error_set(error, ERROR_INPUT, "%s: %s", t->path, strerror(errno));
	return S_ISREG(status.st_mode) ? open_file(t, options, error) : open_text(t, &t->path, 1, options, error);
}

struct trace *trace_open(const char *path, const struct trace_options *options, struct error *error)
{
	static const struct trace_options defaults;
	struct trace *t = mem_zero(sizeof *t);
	t->path = mem_text(path);
	if (open_path(t, options ? options : &defaults, error))
		return t;
	trace_close(t);
	return NULL;
}

struct trace *trace_of_archive(struct archive *archive)
{
	struct trace *t = mem_zero(sizeof *t);
	t->archive = archive;
	t->facts.archive = true;
	t->facts.processes = archive->definitions.processes;
	return t;
}

void trace_add_stream(struct trace *t, uint32_t rank, const struct stream_facts *facts)
{
	archive_add_facts(t->archive, &t->facts, rank, facts);
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	archive_close(t->archive);
	text_trace_free(t->text);
	free(t->path);
	free(t);
}

/* ------------------------------------------------------------------ reading */

const char *trace_path(const struct trace *t)
{
	return t->path;
}

const struct trace_facts *trace_facts(const struct trace *t)
{
	return &t->facts;
}

void trace_missing_records(const struct trace *t, struct missing_records *to)
{
	if (t->archive && !t->archive->ours)
		call_counts_tell(t->archive->counts, t->facts.processes, to);
}

void trace_ending(const struct trace *t, struct trace_ending *ending)
{
	*ending = (struct trace_ending){0};
	if (t->archive)
		ending_find(t->archive, ending);
}

bool trace_is_recording(const struct trace *t)
{
	return t->archive && t->archive->ours;
}

const struct pending_line *trace_pending(const struct trace *t, size_t *lines)
{
	*lines = t->archive ? t->archive->pendings : 0;
	return *lines ? t->archive->pending : NULL;
}

const struct ranks *trace_communicator(const struct trace *t, uint32_t id, int64_t *name)
{
	const struct otf2_communicator *c = t->archive ? definitions_communicator(&t->archive->definitions, id) : NULL;
	if (!c || (!c->remote && c->local->self))
		return NULL;
	*name = c->name;
	return c->remote ? &c->both : &c->local->set;
}

bool trace_is_between(const struct trace *t, int64_t communicator)
{
	const struct definitions *d = t->archive ? &t->archive->definitions : NULL;
	for (size_t i = 0; d && i < d->communicators; i++)
		if (d->communicator[i].name == communicator)
			return d->communicator[i].between;
	return false;
}

struct merged *merged_open(struct trace *t, struct error *error)
{
	return archive_merged(t->archive, error);
}

void trace_omissions(const struct trace *t, struct notes *to)
{
	if (!t->archive)
		return;
	if (t->archive->omitted.omissions)
		notes_add_all(to, &t->archive->omitted);
	else if (!t->archive->ours || !t->archive->locations) /* ours say so, once they are complete */
		call_counts_omit(t->archive->counts, to);
}

/* Counters tell of one reading, not of all. */
static void reset_counters(struct trace_facts *f)
{
	f->records = f->events = f->to_nobody = 0;
	f->collectives_recorded = f->collective_regions_seen = f->disordered = false;
}

bool trace_read(
	struct trace *t, unsigned jobs, const struct ranks *wanted, const struct trace_sink *sink, struct error *error)
{
	reset_counters(&t->facts);
	if (t->archive)
		return archive_read(t->archive, jobs, wanted, sink, &t->facts, error);
	return text_trace_read(t->text, t->path, wanted, sink, &t->facts, error);
}

void trace_pack_reading(const struct trace *t, struct text *to)
{
	pack_number(to, t->facts.records);
	pack_number(to, t->facts.events);
	pack_number(to, t->facts.to_nobody);
	pack_number(to, t->facts.collectives_recorded);
	pack_number(to, t->facts.collective_regions_seen);
	pack_number(to, t->facts.disordered);
	if (t->archive)
		call_counts_pack(t->archive->counts, to);
}

void trace_add_reading(struct trace *t, struct unpack *from)
{
	t->facts.records += unpack_number(from);
	t->facts.events += unpack_number(from);
	t->facts.to_nobody += unpack_number(from);
	t->facts.collectives_recorded |= unpack_below(from, 2);
	t->facts.collective_regions_seen |= unpack_below(from, 2);
	t->facts.disordered |= unpack_below(from, 2);
	if (t->archive)
		call_counts_unpack(t->archive->counts, from);
}

void trace_forget(struct trace *t, uint32_t rank)
{
	dictionary_free(t->archive->dictionary[rank]);
	t->archive->dictionary[rank] = NULL;
}

struct dictionary *trace_dictionary(const struct trace *t, uint32_t rank)
{
	if (!t->archive)
		return text_trace_dictionary(t->text, rank);
	return rank < t->facts.processes ? t->archive->dictionary[rank] : NULL;
}

/* ------------------------------------------------------------------ on demand */

bool trace_has_cursors(const struct trace *t)
{
	return t->archive;
}

struct trace_cursor *trace_cursor_open(
	struct trace *t, uint32_t rank, const struct trace_marks *marks, struct error *error)
{
	return stream_cursor_open(t->archive, rank, marks, error);
}

struct timeline *timeline_open(struct trace *t, struct error *error)
{
	if (t->archive)
		return archive_timeline(t->archive, error);
	error_set(error, ERROR_INPUT, "%s: a text trace does not say when calls begin and end: name an OTF2 archive",
		t->path);
	return NULL;
}

uint64_t trace_records(const struct trace *t, uint32_t rank)
{
	return location_records(t->archive, rank);
}
