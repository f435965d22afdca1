/*
 * report_text.h -- where the time of a run went: as text, in a summary of each process and each
 * place in which MPI is called, as JSON.
 */
#ifndef TRACENEST_REPORT_REPORT_TEXT_H
#define TRACENEST_REPORT_REPORT_TEXT_H

#include "base/output.h"
#include "report/findings.h"
#include "time/analysis.h"

/* What leads, a row for each of the costliest constructs, where the time went, advice. */
void report_text(const struct analysis *, const struct findings *, struct output *);

/* Who is how long in MPI, and where; times in these units. */
void report_summary(const struct analysis *, enum units, struct output *);

/* All of it, in ticks of the trace's clock. */
void report_json(const struct analysis *, const struct findings *, struct output *);

#endif
