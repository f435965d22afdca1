/*
 * index.h -- marks of an archive's streams (trace/cursor.h), kept in a file beside the model: for
 * the run-time only.
 *
 * Text, one line per mark; how the trace was read stands in it, because positions depend on it. A
 * file that is missing, damaged or of another trace is as good as none.
 */
#ifndef TRACENEST_SCANGEN_INDEX_H
#define TRACENEST_SCANGEN_INDEX_H

#include "base/output.h"
#include "trace/cursor.h"

struct index_file {
	uint32_t processes;
	struct trace_marks *of; /* per rank; records 0: nothing known */
};

void index_begin(struct index_file *, uint32_t processes);
void index_clear(struct index_file *);

/* Fill in what the file knows of the ranks whose archive files hold the same number of records
   now. */
void index_load(struct index_file *, const char *path, const char *reading, const struct trace *);

/* It is written, but for closing the file; NULL where it cannot be, which is no loss. */
struct output *index_write(const struct index_file *, const char *path, const char *reading);

#endif
