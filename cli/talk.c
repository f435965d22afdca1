/*
 * talk.c -- everything that is said rather than delivered.
 *
 * The bar is wiped before any other line, so that what remains on the terminal reads as if it had
 * never been there.
 */
#include "cli/talk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "cli/colour.h"
#include "model/source.h"

#define LONG 0.5 /* seconds: who watches is told how long it took */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct report report_start(const struct settings *settings)
{
	return (struct report){
		.quiet = settings->quiet,
		.terminal = !settings->quiet && isatty(STDERR_FILENO),
		.start = now(),
	};
}

/* Made where there is first news, and again behind a line of talk. */
static struct bar *bar_of(struct report *r)
{
	if (!r->bar)
		r->bar = bar_new();
	return r->bar;
}

static void tell(void *report, double share)
{
	bar_tell(bar_of(report), share);
}

static void begin(void *report, const char *phase)
{
	bar_begin(bar_of(report), phase);
}

struct progress report_listens(struct report *r)
{
	return r->terminal ? (struct progress){r, tell, begin} : (struct progress){0};
}

void report_clear(struct report *r)
{
	bar_free(r->bar);
	r->bar = NULL;
}

/* Names in messages may be anything. */
static void put_line(const char *who, const char *words, const char *more)
{
	struct text shown = {0};
	text_put_visible(&shown, words, strlen(words));
	text_put_visible(&shown, more, strlen(more));
	fprintf(stderr, "%s %s\n", who, shown.data);
	text_clear(&shown);
}

void report_say(struct report *r, const char *format, ...)
{
	if (r->quiet)
		return;
	report_clear(r);
	va_list rest;
	char *line = NULL;
	va_start(rest, format);
	if (vasprintf(&line, format, rest) >= 0)
		put_line("tracenest:", line, "");
	va_end(rest);
	free(line);
}

void report_say_lines(struct report *r, const char *words, const char *lines)
{
	for (const char *line = lines; line && *line;) {
		size_t length = strcspn(line, "\n");
		report_say(r, "%s%.*s", words, (int)length, line);
		line += length + (line[length] == '\n');
	}
}

void say_missing_source(struct report *r, const struct source *source)
{
	struct text missing = {0};
	source_missing(source, &missing);
	if (missing.length)
		report_say(r, "not there: %s", missing.data);
	text_clear(&missing);
}

static double peak_megabytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

double report_seconds(const struct report *r)
{
	return now() - r->start;
}

void report_close(struct report *r, uint64_t count, const char *of)
{
	double seconds = report_seconds(r);
	char rate[32];
	report_say(r, "%.2f s, %s %s/s, peak memory %.1f MB", seconds,
		grouped((uint64_t)((double)count / (seconds > 1e-9 ? seconds : 1e-9)), rate), of, peak_megabytes());
}

void report_close_long(struct report *r, uint64_t events)
{
	report_clear(r);
	if (r->terminal && report_seconds(r) >= LONG)
		report_close(r, events, "events");
}

int report_error(struct report *r, const struct error *error, const struct text *details)
{
	report_clear(r);
	put_line(colour_on(STDERR_FILENO) ? COLOUR_ERROR "tracenest:" COLOUR_PLAIN : "tracenest:", error->message,
		details && details->length ? details->data : "");
	return error->kind == ERROR_NONE ? ERROR_INTERNAL : (int)error->kind;
}

const char *grouped(uint64_t number, char buffer[32])
{
	if (number == UINT64_MAX)
		return strcpy(buffer, "2^64 or more");
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
	char *to = buffer;
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return buffer;
}
