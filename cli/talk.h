/*
 * talk.h -- talk on standard error: messages, a progress bar, and the closing line of long work.
 *
 *	struct report report = report_start(settings);
 *	... options.progress = report_listens(&report)
 *	report_say(&report, "16 processes");
 *	report_close(&report, events, "events");
 */
#ifndef TRACENEST_CLI_TALK_H
#define TRACENEST_CLI_TALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/bar.h"
#include "cli/options.h"

struct report {
	bool quiet; /* errors only */
	bool terminal; /* draw a bar */
	int status; /* the exit status, where nothing goes wrong */
	bool unfinished; /* a run that was read did not end */
	bool cautioned; /* something was said that --lenient makes no error (cautions.h) */
	double start; /* seconds, of a clock that never goes back */
	struct bar *bar; /* NULL: there is none */
};

struct report report_start(const struct settings *);

/*
 * For those who tell how far they are. What is printed while they do must not go to the same
 * terminal: report_clear comes before results.
 */
struct progress report_listens(struct report *);

/* A line of talk, "tracenest: ...", in place of the bar. */
void report_say(struct report *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Each line of a text, behind these words. NULL: there are none. */
void report_say_lines(struct report *, const char *words, const char *lines);

/* Files of a source that were asked for and are not there. */
struct source;
void say_missing_source(struct report *, const struct source *);

/* Since it started. */
double report_seconds(const struct report *);

/* The closing line: time, how many of these per second, peak memory. */
void report_close(struct report *, uint64_t count, const char *of);

/* The same where somebody watches and it took long. */
void report_close_long(struct report *, uint64_t events);

/* Wipe the bar: results are about to be printed where it stands. */
void report_clear(struct report *);

/* Print what went wrong, even when quiet, with more lines of details (or NULL); gives the exit
   status. */
int report_error(struct report *, const struct error *, const struct text *details);

/* 1234567 as "1,234,567"; UINT64_MAX (that many or more) as "2^64 or more". */
const char *grouped(uint64_t number, char buffer[32]);

#endif
