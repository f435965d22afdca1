/*
 * scanner.h -- from a model's file to the records that a scanner fetches.
 *
 *	struct annotated a;
 *	annotated_read(&a, path, &error);
 *	scanner_write(&a, &source, &error);
 *	scanner_run(&(struct scanner_run){...}, &status, &error);
 *	annotated_clear(&a);
 */
#ifndef TRACENEST_SCANGEN_SCANNER_H
#define TRACENEST_SCANGEN_SCANNER_H

#include "base/error.h"
#include "base/text.h"
#include "model/prepared.h"
#include "scangen/scangen.h"

/* A program and what its text asks for. */
struct annotated {
	const char *path; /* borrowed; "-": standard input */
	struct prepared *program;
	struct scan_requests asked;
};

/* NULL in a->program, with the error set, if it is not to be read. */
bool annotated_read(struct annotated *, const char *path, struct error *);
void annotated_clear(struct annotated *);

/* The C program for what is asked, of traces that are read as the program's maker noted it. */
bool scanner_write(const struct annotated *, struct text *source, struct error *);

struct scanner_run {
	const struct text *program; /* C */
	const char *keep; /* the file where it is to stay; NULL: a temporary one, gone when all went well */
	const char *trace;
	bool binary;
	unsigned jobs; /* threads; 0: all cores */
	const char *output; /* of the records; NULL: standard output */
	void (*tell)(void *context, const char *command); /* NULL, or given the commands that are run */
	void *context;
};

/* Compile and run; *status is the program's. */
bool scanner_run(const struct scanner_run *, int *status, struct error *);

#endif
