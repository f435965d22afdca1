/*
 * scanner.h -- from a model's file to the records that a scanner fetches.
 *
 *	struct annotated a;
 *	annotated_read(&a, path, &error);
 *	scanner_write(&a, settings, &source, &error);
 *	scanner_run(&(struct scanner_run){...}, &status, &error);
 *	annotated_clear(&a);
 */
#ifndef TRACENEST_CLI_SCANNER_H
#define TRACENEST_CLI_SCANNER_H

#include "base/error.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/report.h"
#include "model/program.h"
#include "scangen/scangen.h"

/* A program and what its text asks for. */
struct annotated {
	const char *path; /* borrowed; "-": standard input */
	struct program *program;
	struct scan_requests asked;
};

/* NULL in a->program, with the error set, if it is not to be read. */
bool annotated_read(struct annotated *, const char *path, struct error *);
void annotated_clear(struct annotated *);

/* The C program for what is asked. */
bool scanner_write(const struct annotated *, const struct settings *, struct text *source, struct error *);

struct scanner_run {
	const struct text *program; /* C */
	const char *keep; /* the file where it is to stay; NULL: a temporary one, gone when all went well */
	const char *trace;
	bool binary, verbose;
	uint64_t jobs;
	const char *output; /* of the records; NULL: standard output, or: */
	int descriptor; /* where standard output goes; -1: ours */
	struct report *report;
};

/* Compile and run; *status is the program's. */
bool scanner_run(const struct scanner_run *, int *status, struct error *);

#endif
