/*
 * report_page.h -- where the time of a run went, as one page for the browser that needs nothing
 * else: the program coloured by loss, the work of each process over the iterations, the critical
 * path, histograms, tables.
 */
#ifndef TRACENEST_REPORT_REPORT_PAGE_H
#define TRACENEST_REPORT_REPORT_PAGE_H

#include "base/output.h"
#include "report/findings.h"
#include "time/analysis.h"

struct source;

/* A page of a report up to its title; what is in it then ends with REPORT_PAGE_END. */
void report_page_begin(const char *title, struct text *out);
#define REPORT_PAGE_END "</main></body></html>\n"

/* What may be wider than the window scrolls by itself, by the keyboard, too. Ends with "</div>". */
#define REPORT_PAGE_WIDE(label) "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"" label "\">"

/* title: what the run is called. False with *error set where the picture cannot be made. */
bool report_page_write(const struct analysis *, const struct findings *, const char *title, enum units,
	const struct source *, struct output *, struct error *);

#endif
