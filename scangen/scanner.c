/*
 * scanner.c -- a scanner's C file outlives what goes wrong: where there is no compiler, it can be
 * compiled elsewhere.
 */
#include "scangen/scanner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/unfinished.h"
#include "trace/trace_options.h"

/* ------------------------------------------------------------------ the model's text */

bool annotated_read(struct annotated *a, const char *path, struct error *error)
{
	struct text text = {0};
	const char *name = strcmp(path, "-") ? path : "standard input";
	*a = (struct annotated){.path = path};
	if (file_read(path, SIZE_MAX, &text, error))
		a->program = prepared_new(module_parse_one(name, text.data, text.length, error), error);
	bool good = a->program && scan_requests_read(&a->asked, name, text.data, text.length, error);
	text_clear(&text);
	return good;
}

void annotated_clear(struct annotated *a)
{
	prepared_free(a->program);
	scan_requests_clear(&a->asked);
}

/* ------------------------------------------------------------------ the program */

bool scanner_write(const struct annotated *a, struct text *source, struct error *error)
{
	struct text reading = {0}, index = {0};
	bool named = strcmp(a->path, "-");
	if (named)
		text_format(&index, "%s.index", a->path);
	struct trace_options of_trace = {0};
	bool good =
		trace_options_of_notes(&of_trace, &a->program->text->notes, error) || error_at(error, "%s", a->path);
	trace_options_print(&of_trace, &reading);
	struct scangen_options options = {.model = named ? a->path : "standard input",
		.index = index.data,
		.reading = reading.data,
		.version = TRACENEST_VERSION};
	good = good && scangen_write(a->program->run, &a->asked, &options, source, error);
	text_clear(&reading);
	text_clear(&index);
	return good;
}

/* ------------------------------------------------------------------ compiling and running */

/* A temporary folder, which does not outlive us, with all that is in it: also what the compiler
   needs for a while. */
struct workplace {
	char *directory, *program;
	char *source; /* in it, or where it is to stay */
};

static char *file_in(const char *directory, const char *name)
{
	struct text path = {0};
	text_format(&path, "%s/%s", directory, name);
	return path.data;
}

static bool make_place(struct workplace *p, const char *keep, struct error *error)
{
	p->directory = unfinished_folder("tracenest-scan", error);
	if (!p->directory)
		return false;
	p->program = file_in(p->directory, "scan");
	p->source = keep ? mem_text(keep) : file_in(p->directory, "scan.c");
	return true;
}

/* stays: the folder, with the source. */
static void clear_place(struct workplace *p, bool stays)
{
	if (p->directory && !stays)
		unfinished_remove(p->directory);
	else if (p->directory && unfinished_leave(UNFINISHED_FOLDER, p->directory))
		free(p->directory);
	free(p->program);
	free(p->source);
}

static void tell(const struct scanner_run *r, const struct text *command)
{
	if (r->tell)
		r->tell(r->context, command->data ? command->data : "");
}

static bool compile(const struct scanner_run *r, const struct workplace *p, struct error *error)
{
	struct text command = {0};
	bool good = scangen_compile(p->source, p->program, &command, error);
	tell(r, &command);
	text_clear(&command);
	if (!good) {
		struct error why = *error;
		error_set(error, why.kind, "%s; the program stays in %s", why.message, p->source);
	}
	return good;
}

static bool execute(const struct scanner_run *r, const struct workplace *p, int *status, struct error *error)
{
	char jobs[32];
	char *words[10] = {p->program, (char *)r->trace};
	size_t count = 2;
	if (r->binary)
		words[count++] = (char *)"--binary";
	if (r->jobs) {
		snprintf(jobs, sizeof jobs, "--jobs=%u", r->jobs);
		words[count++] = jobs;
	}
	if (r->output) {
		words[count++] = (char *)"-o";
		words[count++] = (char *)r->output;
	}
	struct text line = {0};
	for (size_t i = 0; i < count; i++)
		text_format(&line, "%s%s", i ? " " : "", words[i]);
	tell(r, &line);
	text_clear(&line);
	return scangen_run(p->program, words, -1, status, error);
}

bool scanner_run(const struct scanner_run *r, int *status, struct error *error)
{
	struct workplace place = {0};
	bool compiled = make_place(&place, r->keep, error) && output_all_text(place.source, r->program, error);
	bool written = compiled;
	compiled = compiled && compile(r, &place, error);
	bool good = compiled && execute(r, &place, status, error);
	clear_place(&place, written && !compiled && !r->keep);
	return good;
}
