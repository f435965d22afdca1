/*
 * scan_output.h -- records as CSV or binary columns: for the run-time only.
 *
 * CSV: a line of names, then label,i0,...,rank,value; indices that a record does not have are
 * empty. Binary: lines of text that say what follows (tracenest-scan(1) tells them), then blocks of
 * columns.
 */
#ifndef TRACENEST_SCANGEN_OUTPUT_H
#define TRACENEST_SCANGEN_OUTPUT_H

#include "base/error.h"
#include "base/output.h"
#include "scangen/run-time/tracenest-scan.h"

struct scan_output *scan_output_new(const struct scan_program *, struct output *, bool binary);

/* Write what is left. False with *error set where a value could not be a number in a column. */
bool scan_output_finish(struct scan_output *, struct error *);
void scan_output_free(struct scan_output *);

/* Has writing failed, so that scanning on is of no use? */
bool scan_output_failed(const struct scan_output *);

#endif
