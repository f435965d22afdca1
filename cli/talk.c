/*
 * talk.c -- everything that is said rather than delivered.
 *
 * The bar overwrites itself and is wiped before any other line, so that what remains on the
 * terminal reads as if it had never been there.
 */
#include "cli/talk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define BAR_AFTER 0.5 /* seconds: shorter work shows none */
#define BAR_EVERY 0.1
#define BAR_WIDTH 40

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct report report_start(const struct settings *settings)
{
	bool results_in_view = !settings->output && isatty(STDOUT_FILENO);
	return (struct report){
		.quiet = settings->quiet,
		.terminal = !settings->quiet && !results_in_view && isatty(STDERR_FILENO),
		.start = now(),
	};
}

void report_progress(struct report *r, double share)
{
	double t = r->terminal ? now() : 0;
	if (!r->terminal || t - r->start < BAR_AFTER || t - r->drawn < BAR_EVERY)
		return;
	r->drawn = t;
	int full = (int)(share * BAR_WIDTH);
	char bar[BAR_WIDTH + 1];
	for (int i = 0; i < BAR_WIDTH; i++)
		bar[i] = i < full ? '#' : '.';
	bar[BAR_WIDTH] = '\0';
	fprintf(stderr, "\r%s %3d%%", bar, (int)(share * 100));
	fflush(stderr);
}

static void progress(void *report, double share)
{
	report_progress(report, share);
}

struct progress report_listens(struct report *r)
{
	return (struct progress){r, progress};
}

void report_clear(struct report *r)
{
	if (r->drawn == 0)
		return;
	fprintf(stderr, "\r%*s\r", BAR_WIDTH + 5, "");
	r->drawn = 0;
}

void report_say(struct report *r, const char *format, ...)
{
	if (r->quiet)
		return;
	report_clear(r);
	va_list rest;
	va_start(rest, format);
	fputs("tracenest: ", stderr);
	vfprintf(stderr, format, rest);
	fputc('\n', stderr);
	va_end(rest);
}

static double peak_megabytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

void report_close(struct report *r, uint64_t count, const char *of)
{
	double seconds = now() - r->start;
	char rate[32];
	report_say(r, "%.2f s, %s %s/s, peak memory %.1f MB", seconds,
		grouped((uint64_t)((double)count / (seconds > 1e-9 ? seconds : 1e-9)), rate), of, peak_megabytes());
}

void report_close_long(struct report *r, uint64_t events)
{
	if (r->terminal && now() - r->start >= BAR_AFTER)
		report_close(r, events, "events");
}

int report_error(struct report *r, const struct error *error, const struct text *details)
{
	report_clear(r);
	fprintf(stderr, "tracenest: %s%s\n", error->message, details && details->length ? details->data : "");
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
