/*
 * scan.c -- the run-time of generated scanners: the program's calls, its command line, and what
 * becomes of a run.
 */
#include "scangen/run-time/run.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/unfinished.h"
#include "trace/trace.h"
#include "trace/trace_options.h"
#include "trace/tracker.h"

/* ------------------------------------------------------------------ what goes wrong */

void run_fail(struct scan_job *r, const struct error *error)
{
	pthread_mutex_lock(&r->lock);
	if (r->error.kind == ERROR_NONE) {
		r->error = *error;
		r->partial = error->kind == ERROR_INCONSISTENT;
	}
	pthread_mutex_unlock(&r->lock);
	atomic_store(&r->over, true);
}

/* Stop scanning this process, for this reason. */
void work_stop(struct work *w, const struct error *error)
{
	w->stopped = true;
	run_fail(w->run, error);
}

static void tell_difference(const struct work *w, uint64_t events, size_t before, struct text *told)
{
	if (before < 10)
		text_format(told, "\n  rank %" PRIu32 ": %" PRIu64 " events in the trace, %" PRIu64 " in the model",
			w->scan.rank, events, w->events);
}

static bool refuse_differences(struct scan_job *r, size_t differences, struct text *told)
{
	if (differences > 10)
		text_format(told, "\n  and %zu more ranks", differences - 10);
	if (differences)
		error_set(&r->error, ERROR_INCONSISTENT, "%s: the trace is not that of the model %s:%s", r->path,
			r->program->model, told->data);
	text_clear(told);
	return !differences;
}

bool run_check_counts(struct scan_job *r)
{
	struct text told = {0};
	size_t differences = 0;
	for (size_t i = 0; i < r->works; i++) {
		const struct work *w = &r->work[i];
		uint64_t events = r->archive ? r->index.of[w->scan.rank].events : w->seen;
		if (!(r->archive && r->cut[w->scan.rank]) && events != w->events)
			tell_difference(w, events, differences++, &told);
	}
	return refuse_differences(r, differences, &told);
}

/* A text trace does not say how many there are: those of highest rank may have no events. */
bool run_check_processes(struct scan_job *r, uint32_t processes)
{
	if (processes == r->program->processes || (!r->archive && processes < r->program->processes))
		return true;
	return trace_has_other_processes(r->program->model, r->path, processes, r->program->processes, &r->error);
}

/* ------------------------------------------------------------------ what programs call */

void scan_fetch(struct scan *s, int64_t position, const char *attribute)
{
	struct work *w = (struct work *)(void *)s;
	if (w->stopped || atomic_load_explicit(&w->run->over, memory_order_relaxed))
		return;
	assert(s->depth <= w->run->program->depth);
	if (position < 0 || (uint64_t)position > w->events || !w->events) {
		struct error error;
		error_set(&error, ERROR_INPUT,
			"rank %" PRIu32 ": position %" PRId64 " is beyond the stream, which has %" PRIu64 " events",
			s->rank, position, w->events);
		work_stop(w, &error);
		return;
	}
	uint64_t at = (uint64_t)position == w->events ? w->events - 1 : (uint64_t)position;
	if (w->run->archive) {
		archive_fetch(w, at, attribute);
		return;
	}
	if (records_are_full(w))
		records_queue(w);
	records_new(w, at, attribute);
}

bool scan_among(uint32_t rank, const uint32_t (*runs)[2], size_t count)
{
	while (count) {
		size_t middle = count / 2;
		if (rank < runs[middle][0]) {
			count = middle;
		} else if (rank > runs[middle][1]) {
			runs += middle + 1;
			count -= middle + 1;
		} else {
			return true;
		}
	}
	return false;
}

void run_scan_one(void *context, size_t i)
{
	struct scan_job *r = context;
	struct work *w = &r->work[i];
	r->program->scan(&w->scan);
	trace_cursor_close(w->cursor);
	w->cursor = NULL;
	if (r->archive)
		records_pass_on(w, true);
	else if (w->block)
		records_queue(w);
}

/* ------------------------------------------------------------------ the program */

struct arguments {
	const char *trace, *output, *index;
	bool binary, help;
	unsigned jobs;
};

static uint64_t events_of(const struct scan_program *p, uint32_t rank)
{
	for (size_t i = 0; i < p->events_length; i++)
		if (p->events[i].first <= rank && rank <= p->events[i].last)
			return p->events[i].events;
	return 0;
}

static void list_works(struct scan_job *r)
{
	const struct scan_program *p = r->program;
	for (size_t i = 0; i < p->ranks_length; i++)
		r->works += p->ranks[i][1] - p->ranks[i][0] + (size_t)1;
	r->work = mem_zero((r->works + 1) * sizeof *r->work);
	size_t turn = 0;
	for (size_t i = 0; i < p->ranks_length; i++) {
		for (uint32_t rank = p->ranks[i][0]; rank <= p->ranks[i][1]; rank++, turn++) {
			r->work[turn].scan.rank = rank;
			r->work[turn].run = r;
			r->work[turn].turn = turn;
			r->work[turn].events = events_of(p, rank);
		}
	}
}

static void run_clear(struct scan_job *r)
{
	for (size_t i = 0; i < r->works; i++) {
		records_free(r->work[i].queue.first);
		free(r->work[i].asked);
		arena_free(r->work[i].arena);
		intern_free(r->work[i].sites);
	}
	records_free(r->spare);
	free(r->work);
	free(r->cut);
	free(r->why);
	index_clear(&r->index);
	trace_close(r->trace);
}

/* The streams that break off: what could be read of them is out. */
static bool tell_cuts(struct scan_job *r)
{
	struct text told = {0};
	for (size_t i = 0; i < r->works; i++)
		if (r->work[i].cut || (r->cut && r->cut[r->work[i].scan.rank]))
			text_format(&told, "%s%s", told.length ? "\n" : "", r->why[r->work[i].scan.rank].message);
	if (!told.length)
		return true;
	r->partial = true;
	error_set(&r->error, ERROR_INCONSISTENT, "%s\n(the records up to there are complete)", told.data);
	text_clear(&told);
	return false;
}

static bool scan_all(struct scan_job *r, const struct arguments *a)
{
	uint32_t processes = r->program->processes;
	r->archive = trace_has_cursors(r->trace);
	records_begin(r);
	r->cut = mem_zero((processes + (size_t)1) * sizeof *r->cut);
	r->why = mem_zero((processes + (size_t)1) * sizeof *r->why);
	index_begin(&r->index, processes);
	list_works(r);
	return (r->archive ? archive_scan(r, a->index) : text_scan(r)) && tell_cuts(r);
}

/* The index comes with the result, or not at all: neither a signal nor want of memory is
   between. */
static bool close_both(struct scan_job *r, struct output *out, const char *index_path, struct error *error)
{
	struct error unsaid;
	struct output *index =
		r->learned && index_path ? index_write(&r->index, index_path, r->program->reading) : NULL;
	sigset_t before = unfinished_hold();
	bool closed = output_close(out, error);
	if (index && closed)
		output_close(index, &unsaid);
	else
		output_abandon(index);
	unfinished_release(before);
	return closed;
}

/* What there is of records is to be kept where the trace breaks off. */
static bool write_output(struct scan_job *r, struct output *out, const char *index_path)
{
	bool keep = r->error.kind == ERROR_NONE || r->partial;
	struct error error = {0};
	if (keep && r->program->finish)
		r->program->finish(r->output);
	if (!keep) {
		output_abandon(out);
		return false;
	}
	bool written = scan_output_finish(r->output, &error);
	if (written)
		written = close_both(r, out, index_path, &error);
	else
		output_abandon(out);
	if (!written && r->error.kind == ERROR_NONE)
		r->error = error;
	return written;
}

/* Names in it may be anything. */
static void say(FILE *to, const char *format, ...)
{
	va_list rest;
	char *words = NULL;
	struct text shown = {0};
	va_start(rest, format);
	if (vasprintf(&words, format, rest) >= 0)
		text_put_visible(&shown, words, strlen(words));
	va_end(rest);
	fputs(shown.data, to);
	text_clear(&shown);
	free(words);
}

static int scan_trace(const struct scan_program *program, const struct arguments *a)
{
	struct scan_job r = {.program = program, .path = a->trace, .jobs = a->jobs};
	struct trace_options options = {0};
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.filled, NULL);
	pthread_cond_init(&r.emptied, NULL);
	bool readable = trace_options_read(&options, program->reading, &r.error);
	struct output *out = readable ? output_open(a->output, &r.error) : NULL;
	if (out) {
		output_do_not_wait(out);
		for (const char *const *asked = program->attributes; *asked; asked++)
			options.sites = options.sites || !strcmp(*asked, SCAN_SITE);
		r.output = scan_output_new(program, out, a->binary);
		r.trace = trace_open(a->trace, &options, &r.error);
		if (r.trace)
			scan_all(&r, a);
		write_output(&r, out, a->index);
	}
	scan_output_free(r.output);
	run_clear(&r);
	if (r.error.kind != ERROR_NONE)
		say(stderr, "tracenest: %s\n", r.error.message);
	return (int)r.error.kind;
}

static const char *value_of(int argc, char **argv, int *at, const char *letter, const char *name)
{
	const char *word = argv[*at];
	size_t length = strlen(name);
	if (!strncmp(word, name, length) && word[length] == '=')
		return word + length + 1;
	if ((strcmp(word, name) && (!letter || strcmp(word, letter))) || *at + 1 >= argc)
		return NULL;
	return argv[++*at];
}

static bool read_arguments(int argc, char **argv, struct arguments *a)
{
	for (int i = 1; i < argc; i++) {
		const char *value;
		uint64_t jobs;
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			a->help = true;
		else if (!strcmp(argv[i], "--binary"))
			a->binary = true;
		else if ((value = value_of(argc, argv, &i, "-o", "--output")))
			a->output = value;
		else if ((value = value_of(argc, argv, &i, NULL, "--index")))
			a->index = *value ? value : NULL;
		else if ((value = value_of(argc, argv, &i, "-j", "--jobs")) && text_is_number(value, 4096, &jobs) &&
			 jobs)
			a->jobs = (unsigned)jobs;
		else if (!a->trace && (argv[i][0] != '-' || !argv[i][1]))
			a->trace = argv[i];
		else
			return false;
	}
	return a->help || a->trace;
}

int scan_main(const struct scan_program *program, int argc, char **argv)
{
	struct arguments a = {.index = program->index};
	bool good = read_arguments(argc, argv, &a);
	trace_guard();
	if (good && !a.help)
		return scan_trace(program, &a);
	say(a.help ? stdout : stderr,
		"Usage: %s TRACE [-o FILE] [--binary] [--jobs N] [--index FILE]\n\n"
		"Fetches from the trace what was asked of the model %s: a line of CSV per record, or binary columns.\n"
		"TRACE is an OTF2 archive's anchor file, a text trace, a directory of text traces, or - for standard "
		"input.\n"
		"Places where reading may begin are kept in the index file%s%s; --index= keeps none.\n",
		argc ? argv[0] : "scan", program->model, program->index ? ", by default " : "",
		program->index ? program->index : "");
	return a.help ? 0 : (int)ERROR_INPUT;
}
