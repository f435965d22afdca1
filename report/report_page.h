/*
 * report_page.h -- where the time of a run went, as one page for the browser that needs nothing
 * else: the program coloured by loss, the work of each process over the iterations, the critical
 * path, histograms, tables.
 */
#ifndef TRACENEST_REPORT_REPORT_PAGE_H
#define TRACENEST_REPORT_REPORT_PAGE_H

#include "base/output.h"
#include "report/findings.h"

struct source;

/* What pages of reports look like, in the light and in the dark. */
extern const char report_page_style[];
#include "time/analysis.h"

/* title: what the run is called. False with *error set where the picture cannot be made. */
bool report_page_write(const struct analysis *, const struct findings *, const char *title, enum units,
	const struct source *, struct output *, struct error *);

#endif
