/*
 * scan_text.c -- a text trace holds the processes mixed, and may be a pipe: the loops are run
 * first, noting the positions, which one reading then fills in. Memory follows what is asked for,
 * never the trace.
 */
#include "scangen/run-time/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/mem.h"

static int by_position(const void *left, const void *right)
{
	const struct stored *a = *(struct stored *const *)left, *b = *(struct stored *const *)right;
	return COMPARE(a->position, b->position);
}

/* What was asked for, by position. */
static void line_up(const struct scan_job *r, struct work *w)
{
	size_t capacity = 0;
	bool ascending = true;
	for (struct block *b = w->queue.first; b; b = b->next) {
		w->asked = mem_grow(w->asked, &capacity, w->asked_length + b->records, sizeof *w->asked);
		for (size_t i = 0; i < b->records; i++) {
			struct stored *s = records_at(r, b, i);
			ascending &= !w->asked_length || w->asked[w->asked_length - 1]->position <= s->position;
			w->asked[w->asked_length++] = s;
		}
	}
	if (!ascending)
		qsort(w->asked, w->asked_length, sizeof *w->asked, by_position);
}

/* The value of KEY in "KEY=VALUE KEY=VALUE"; NULL if it is not there. */
static const char *find_attribute(const char *attributes, const char *key, size_t *length)
{
	size_t size = strlen(key);
	for (const char *at = attributes; at && *at; at += strspn(at, " \t")) {
		size_t word = strcspn(at, " \t");
		if (word > size && at[size] == '=' && !memcmp(at, key, size)) {
			*length = word - size - 1;
			return at + size + 1;
		}
		at += word;
	}
	return NULL;
}

static bool fill_in(struct work *w, struct stored *s, const struct trace_event *e, struct error *error)
{
	size_t length;
	const char *value = find_attribute(e->attributes, s->attribute, &length);
	w->run->lacking |= !value;
	if (!value)
		return error_set(error, ERROR_INPUT,
			"%s: the event at position %" PRIu64 " of rank %" PRIu32 " carries no attribute '%s'",
			w->run->path, s->position, w->scan.rank, s->attribute);
	if (!w->arena)
		w->arena = arena_new();
	char *copy = arena_alloc(w->arena, length + 1);
	memcpy(copy, value, length);
	copy[length] = 0;
	s->text = text_is_number(copy, UINT64_MAX, &s->number) ? NULL : copy;
	s->there = true;
	return true;
}

static struct work *work_of(struct scan_job *r, uint32_t rank)
{
	size_t at;
	SEARCH_FIRST(at, 0, r->works, r->work[at].scan.rank >= rank);
	return at < r->works && r->work[at].scan.rank == rank ? &r->work[at] : NULL;
}

static bool text_event(void *context, uint32_t rank, const struct trace_event *e, struct error *error)
{
	struct scan_job *r = context;
	struct work *w = work_of(r, rank);
	if (!w)
		return true;
	for (; w->asked_next < w->asked_length && w->asked[w->asked_next]->position == w->seen; w->asked_next++)
		if (!fill_in(w, w->asked[w->asked_next], e, error))
			return false;
	w->seen++;
	return true;
}

static void write_found(struct scan_job *r)
{
	for (size_t i = 0; i < r->works; i++)
		for (struct block *b = r->work[i].queue.first; b; b = b->next)
			records_write(r, &r->work[i], b);
}

bool text_scan(struct scan_job *r)
{
	struct trace_sink sink = {.context = r, .event = text_event};
	for (size_t i = 0; i < r->works; i++) {
		run_scan_one(r, i);
		line_up(r, &r->work[i]);
	}
	if (atomic_load(&r->over))
		return false;
	if (!trace_read(r->trace, 1, NULL, &sink, &r->error)) {
		if (!r->lacking) {
			write_found(r);
			r->error.kind = ERROR_INCONSISTENT;
			r->partial = true;
		}
		return false;
	}
	if (!run_check_processes(r, trace_facts(r->trace)->processes) || !run_check_counts(r))
		return false;
	write_found(r);
	return true;
}
