/*
 * scangen.h -- C programs that fetch data from a trace at the places that annotations in a
 * program's text name.
 *
 *	struct scan_requests asked = {0};
 *	scan_requests_read(&asked, "run.nest", text, length, &error);		-- the annotations in a model's text
 *	scan_requests_add(&asked, &(struct scan_request){.label = "x", .attribute = "time", .address = "4.1", .ranks = ranks});
 *	scangen_write(run, &asked, &options, &text, &error);
 *	scan_requests_clear(&asked);
 *
 * The positions of a statement's occurrences are a polynomial in the indices of the loops around
 * it; so a program that visits them is these loops, copied, and the polynomial (the paper, section
 * V). What such programs link is scangen/run-time.
 */
#ifndef TRACENEST_SCANGEN_SCANGEN_H
#define TRACENEST_SCANGEN_SCANGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ask/offsets.h"
#include "base/error.h"
#include "base/ranks.h"
#include "base/text.h"

/* One value for each occurrence of a statement, on some processes. */
struct scan_request {
	char *label, *attribute;
	char *address; /* of the statement, in the text that program_print_text makes */
	enum position_end end; /* which of its positions */
	struct ranks ranks; /* empty: all that it covers */
	uint64_t line; /* of the annotation in the model's text; 0: it stands elsewhere */
};

/* Starts as {0}. */
struct scan_requests {
	struct scan_request *item;
	size_t length, capacity;
};

/* Copies what it is given. */
void scan_requests_add(struct scan_requests *, const struct scan_request *);
void scan_requests_clear(struct scan_requests *);

/*
 * The annotations of a model's text, which program_parse has read, in their order, with the
 * addresses of the statements of that text. `->` speaks of the start of the statement that follows,
 * `<-` of the position after the one before. Right behind a `for`, `<-` speaks of the start of each
 * iteration, and right before its `done`, `->` of its end, for all processes of the loop. False
 * with name:line where an annotation has nothing to speak of.
 */
bool scan_requests_read(struct scan_requests *, const char *name, const char *text, size_t length, struct error *);

struct scangen_options {
	const char *model; /* name, for comments and messages */
	const char *index; /* file for the places where reading may begin; NULL: none */
	const char *reading; /* how the trace was read, as words of a command line; NULL: by default */
	const char *version; /* of tracenest */
};

/* The program as text, appended; the run's module has no calls. False with the error set: an
   address that does not exist, ranks that a statement does not cover. */
bool scangen_write(
	struct run *, const struct scan_requests *, const struct scangen_options *, struct text *, struct error *);

/* ------------------------------------------------------------------ building and running */

/*
 * Compile a program from its file. The run-time is looked for beside the running command, then by
 * pkg-config. The compiler's temporary files lie in the folder of the program. *command, if not
 * NULL, is given the command line. False with the error set where there is no compiler, or it
 * fails.
 */
bool scangen_compile(const char *source, const char *program, struct text *command, struct error *);

/* Run it with these words (ending with NULL) and wait; *status is its exit status. Output: its
   standard output goes to this file descriptor, -1: to ours. */
bool scangen_run(const char *program, char *const *words, int output, int *status, struct error *);

#endif
