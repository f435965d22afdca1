/*
 * scan_archive.c -- first every stream asked about is counted, unless an index tells (index.h), so
 * that a trace of another run is refused before anything is printed. Then one thread per process
 * runs the program's loops; each value asked for is read at once, through a cursor that goes
 * forward only (trace/cursor.h).
 */
#include "scangen/run-time/run.h"

#include <inttypes.h>
#include <string.h>

#include "base/intern.h"
#include "base/parallel.h"

/* ------------------------------------------------------------------ fetching */

/* Marks of another trace: this stream is read from its beginning, and whatever index there is will
   be made anew. */
static void forget_marks(struct work *w)
{
	trace_marks_clear(&w->run->index.of[w->scan.rank]);
	trace_cursor_close(w->cursor);
	w->cursor = NULL;
}

static bool open_cursor(struct work *w)
{
	struct error error = {0};
	const struct trace_marks *marks = &w->run->index.of[w->scan.rank];
	w->cursor = trace_cursor_open(w->run->trace, w->scan.rank, marks->length ? marks : NULL, &error);
	w->got = false;
	if (!w->cursor)
		work_stop(w, &error);
	return w->cursor;
}

/* Leave w->event at the position, or stop. */
static void go_to(struct work *w, uint64_t position)
{
	struct error error; /* set only where something is wrong: clearing it would cost more than reading an event */
	if (w->got && position < w->position) { /* back: from the beginning */
		trace_cursor_close(w->cursor);
		w->cursor = NULL;
	}
	if (!w->cursor && !open_cursor(w))
		return;
	enum trace_got got = trace_cursor_get(w->cursor, position, &w->event, &error);
	if (got == TRACE_STALE) {
		forget_marks(w);
		go_to(w, position);
		return;
	}
	w->got = got == TRACE_FOUND;
	w->position = position;
	if (w->got)
		return;
	w->stopped = true;
	w->cut = got == TRACE_CUT;
	if (!w->cut) {
		error_set(&error, ERROR_INCONSISTENT, "rank %" PRIu32 ": position %" PRIu64 " is beyond the stream",
			w->scan.rank, position);
		work_stop(w, &error);
	} else {
		w->run->why[w->scan.rank] = error;
	}
}

void archive_fetch(struct work *w, uint64_t position, const char *attribute)
{
	if (!w->got || w->position != position)
		go_to(w, position);
	if (w->stopped)
		return;
	if (records_are_full(w))
		records_pass_on(w, false);
	struct stored *record = records_new(w, position, attribute);
	record->there = true;
	record->number = *attribute == 't' ? w->event->time : w->event->bytes;
	if (*attribute != 's')
		return;
	const char *site = w->event->site ? w->event->site : "";
	if (!w->sites)
		w->sites = intern_new();
	record->text = intern_data(w->sites, intern_id(w->sites, site, strlen(site)), NULL);
}

/* ------------------------------------------------------------------ counting streams */

static void count_one(void *context, size_t i)
{
	struct scan_job *r = context;
	uint32_t rank = r->work[i].scan.rank;
	struct trace_marks *marks = &r->index.of[rank];
	struct error error = {0};
	if (marks->records)
		return;
	struct trace_cursor *c = trace_cursor_open(r->trace, rank, NULL, &error);
	if (!c) {
		run_fail(r, &error);
		return;
	}
	r->cut[rank] = trace_cursor_count(c, marks, &error) == TRACE_CUT;
	r->why[rank] = error;
	trace_cursor_close(c);
	if (r->cut[rank])
		trace_marks_clear(marks);
}

/* One stream more that is not as the model has it; of many, the first few are told. */

static bool check_attributes(struct scan_job *r)
{
	for (const char *const *a = r->program->attributes; *a; a++)
		if (strcmp(*a, SCAN_TIME) && strcmp(*a, SCAN_BYTES) && strcmp(*a, SCAN_SITE))
			return error_set(&r->error, ERROR_INPUT,
				"%s: the trace carries no attribute '%s': an OTF2 archive has time, bytes and site",
				r->path, *a);
	return true;
}

static bool counted(const struct scan_job *r)
{
	for (size_t i = 0; i < r->works; i++)
		if (!r->index.of[r->work[i].scan.rank].records)
			return false;
	return true;
}

static bool scan_streams(struct scan_job *r)
{
	pthread_t writer;
	int refused = pthread_create(&writer, NULL, records_write_in_order, r);
	if (refused)
		return error_set(&r->error, ERROR_INTERNAL, "cannot start a thread: %s", strerror(refused));
	parallel_for(r->jobs, r->works, run_scan_one, r);
	pthread_join(writer, NULL);
	return r->error.kind == ERROR_NONE;
}

bool archive_scan(struct scan_job *r, const char *index_path)
{
	if (!check_attributes(r) || !run_check_processes(r, trace_facts(r->trace)->processes))
		return false;
	if (index_path)
		index_load(&r->index, index_path, r->program->reading, r->trace);
	bool known = counted(r);
	parallel_for(r->jobs, r->works, count_one, r);
	if (atomic_load(&r->over) || !run_check_counts(r))
		return false;
	r->learned = !known;
	return scan_streams(r);
}
