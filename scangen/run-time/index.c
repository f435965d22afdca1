/*
 * index.c -- a line per process, "rank R records N events N", then its marks, "EVENT RECORD TIME
 * REGIONS REQUEST...".
 */
#include "scangen/run-time/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/output.h"
#include "model/lines.h"

void index_begin(struct index_file *x, uint32_t processes)
{
	x->processes = processes;
	x->of = mem_zero(((size_t)processes + 1) * sizeof *x->of);
}

void index_clear(struct index_file *x)
{
	for (uint32_t rank = 0; rank < x->processes; rank++)
		trace_marks_clear(&x->of[rank]);
	free(x->of);
	*x = (struct index_file){0};
}

static bool next_number(const char **at, uint64_t *number)
{
	while (**at == ' ')
		++*at;
	return text_read_number(at, UINT64_MAX, number);
}

static bool expect(const char **at, const char *words)
{
	size_t length = strlen(words);
	if (strncmp(*at, words, length))
		return false;
	*at += length;
	return true;
}

/* The marks to be filled, or NULL where the line is damaged. */
static struct trace_marks *read_rank(struct index_file *x, const char *at)
{
	uint64_t rank, records, events;
	if (!next_number(&at, &rank) || rank >= x->processes || !expect(&at, " records") ||
		!next_number(&at, &records) || !expect(&at, " events") || !next_number(&at, &events) || *at)
		return NULL;
	struct trace_marks *marks = &x->of[rank];
	trace_marks_clear(marks);
	marks->records = records;
	marks->events = events;
	return marks;
}

static bool read_mark(struct trace_marks *marks, const char *at)
{
	struct trace_mark mark = {0};
	uint64_t regions;
	if (!next_number(&at, &mark.event) || !next_number(&at, &mark.record) || !next_number(&at, &mark.time) ||
		!next_number(&at, &regions))
		return false;
	mark.regions = (uint32_t)regions;
	while (*at) {
		if (mark.requests == TRACE_MARK_REQUESTS || !next_number(&at, &mark.request[mark.requests++]))
			return false;
	}
	const struct trace_mark *before = marks->length ? &marks->mark[marks->length - 1] : NULL;
	if (!mark.record || mark.record > marks->records || mark.event > marks->events ||
		(before && (mark.event < before->event || mark.record <= before->record)))
		return false;
	*MEM_PUSH(marks->mark, marks->length, marks->capacity) = mark;
	return true;
}

static bool read_header(struct lines *lines, const char *reading, struct error *error)
{
	char *line = lines_next(lines, error);
	if (!line || strcmp(line, "// tracenest index 1"))
		return false;
	line = lines_next(lines, error);
	const char *at = line;
	return line && expect(&at, "// reading ") && !strcmp(at, reading);
}

static bool read_all(struct index_file *x, struct lines *lines, const char *reading, struct error *error)
{
	struct trace_marks *marks = NULL;
	if (!read_header(lines, reading, error))
		return false;
	for (char *line; (line = lines_next(lines, error));) {
		const char *at = line;
		if (expect(&at, "rank ") ? !(marks = read_rank(x, at)) : !marks || !read_mark(marks, at))
			return false;
	}
	return error->kind == ERROR_NONE;
}

static void forget(struct index_file *x)
{
	for (uint32_t rank = 0; rank < x->processes; rank++)
		trace_marks_clear(&x->of[rank]);
}

void index_load(struct index_file *x, const char *path, const char *reading, const struct trace *t)
{
	struct error error = {0};
	struct lines *lines = lines_open(path, TEXT_ANY, &error);
	if (!lines)
		return;
	if (!read_all(x, lines, reading, &error))
		forget(x);
	lines_close(lines);
	for (uint32_t rank = 0; rank < x->processes; rank++)
		if (x->of[rank].records && x->of[rank].records != trace_records(t, rank))
			trace_marks_clear(&x->of[rank]);
}

static void print_rank(const struct trace_marks *marks, uint32_t rank, struct text *out)
{
	text_format(
		out, "rank %" PRIu32 " records %" PRIu64 " events %" PRIu64 "\n", rank, marks->records, marks->events);
	for (size_t i = 0; i < marks->length; i++) {
		const struct trace_mark *m = &marks->mark[i];
		text_format(
			out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32, m->event, m->record, m->time, m->regions);
		for (uint32_t r = 0; r < m->requests; r++)
			text_format(out, " %" PRIu64, m->request[r]);
		text_char(out, '\n');
	}
}

struct output *index_write(const struct index_file *x, const char *path, const char *reading)
{
	struct error error;
	struct output *file = output_open(path, &error);
	struct text text = {0};
	if (!file)
		return NULL;
	text_format(&text, "// tracenest index 1\n// reading %s\n", reading);
	for (uint32_t rank = 0; rank < x->processes; rank++)
		if (x->of[rank].records)
			print_rank(&x->of[rank], rank, &text);
	output_text(file, &text);
	text_clear(&text);
	return file;
}
