/*
 * changes.h -- what a run does otherwise than a golden program, call site by call site, in words of
 * the source.
 *
 *	struct changes c;
 *	changes_of(golden, run, &(struct changes_options){0}, &c);
 *	for (size_t i = 0; i < c.length; i++)
 *		... c.change[i].file, .line, .words		-- "bytes 256 -> 512"
 *	changes_clear(&c);
 *
 * Streams are compared, not texts, which may fold the same streams in several ways. Call sites are
 * aligned by file and function, so that lines that were added or removed move the others without a
 * word. Events of different ranks have no order. Where receives from anybody, or calls that
 * complete what comes first, made two runs differ, the ranks that this may have had an effect on
 * are compared by what their sites do together: in any order, whichever of them does it.
 */
#ifndef TRACENEST_REPORT_CHANGES_H
#define TRACENEST_REPORT_CHANGES_H

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "model/run.h"

/* What events must carry for all of it to be seen, as program_options.values has it. */
#define CHANGES_VALUES "bytes,received,call,posted_source,posted_tag"
#define CHANGES_VALUES_RUN CHANGES_VALUES ",site"

/* In the order in which they are told. */
enum change_kind {
	CHANGE_NEW,
	CHANGE_GONE,
	CHANGE_NAME,
	CHANGE_CALL,
	CHANGE_COUNT,
	CHANGE_PEER,
	CHANGE_ROOT,
	CHANGE_TAG,
	CHANGE_COMMUNICATOR,
	CHANGE_GROUP,
	CHANGE_BYTES,
	CHANGE_ORDER,
	CHANGE_OVERLAP,
	CHANGE_KINDS
};

struct change {
	enum change_kind kind;
	char *file; /* "": not known */
	uint64_t line; /* of the run's source; 0: not known */
	char *function, *words; /* function: ""; words: without the place */
};

struct changes {
	struct change *change; /* by place */
	size_t length, capacity;
};

struct changes_options {
	bool ignore_bytes, ignore_calls, ignore_order;
	/* "main:120", "solve.c:120": the innermost loops around such calls may have other counts */
	const char *const *loose;
	size_t loose_count;
};

/*
 * Two runs of as many processes, without calls. False with *error set: a loose place is none of either. O(events; call sites of the
 * one x of the other).
 */
bool changes_of(struct run *golden, struct run *run, const struct changes_options *, struct changes *, struct error *);
void changes_clear(struct changes *);

/* "stencil.c:46 main: bytes 256 -> 512", a line each. */
void changes_print(const struct changes *, struct text *);

/*
 * The same for machines that show the results of tests (JUnit XML) and of checkers (SARIF 2.1.0,
 * OASIS 2023). name: that of the golden program; seconds: what the test took. source: finds the
 * paths of files; NULL: they are named as they are.
 */
struct source;
void changes_print_junit(const struct changes *, const char *name, double seconds, struct text *);
void changes_print_sarif(const struct changes *, const char *golden, const struct source *, struct json *);

#endif
