/*
 * profile.c -- process by process: the records of its calls beside a walk over its events.
 */
#include "profile/profile.h"

#include <math.h>
#include <stdlib.h>

#include "ask/arrival.h"
#include "base/compare.h"
#include "base/mem.h"
#include "ask/roles.h"
#include "trace/timeline.h"
#include "trace/tracker.h"

/* ------------------------------------------------------------------ rows */

struct key {
	uint64_t line;
	uint32_t rank, arrival;
};

struct profile *profile_new(struct run *run, uint64_t ticks_per_second)
{
	struct profile *p = mem_zero(sizeof *p);
	p->run = run;
	p->ticks_per_second = ticks_per_second;
	p->process = mem_zero((run_module(run)->processes + (size_t)1) * sizeof *p->process);
	p->keys = intern_new();
	return p;
}

static void clear_row(struct profile_row *r)
{
	ranks_clear(&r->ranks);
	histogram_clear(&r->before);
	histogram_clear(&r->call);
	sample_clear(&r->sample);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->rows; i++)
		clear_row(&p->row[i]);
	free(p->row);
	free(p->process);
	intern_free(p->keys);
	free(p);
}

size_t profile_row(struct profile *p, size_t line, uint32_t rank, enum arrival arrival)
{
	struct key key = {line, rank, arrival};
	size_t at = intern_id(p->keys, &key, sizeof key);
	if (at == p->rows) {
		*MEM_PUSH(p->row, p->rows, p->capacity) = (struct profile_row){.line = line, .arrival = arrival};
		ranks_add(&p->row[at].ranks, rank);
	}
	return at;
}

/* ------------------------------------------------------------------ reading */

struct reading {
	struct profile *profile;
	const struct trace *trace;
	struct timeline *timeline;
	enum timeline_sort *sort; /* by region */
	struct tracker *tracker;
	const struct progress *progress;

	uint32_t rank;
	struct control control;
	unsigned depth; /* of MPI calls */
	bool apart; /* the outermost one stands apart */
	bool any, pending; /* pending: a row is to have the times of this call */
	size_t row;
	uint64_t mark, before, call;
	struct profile_process *process;
};

/* The times since the last one are those of this row. */
static void settle(struct reading *t)
{
	struct profile_row *r = &t->profile->row[t->row];
	uint64_t iteration = t->control.loops ? (uint64_t)t->control.index[0] : 0;
	histogram_add(&r->before, t->before, t->rank, iteration);
	sample_add(&r->sample, t->before);
	histogram_add(&r->call, t->call, t->rank, iteration);
	t->before = t->call = 0;
	t->pending = false;
}

static bool take_event(struct reading *t, uint64_t time, enum event_kind kind, struct error *error)
{
	const struct cursor *at = tracker_next(t->tracker, t->rank, kind, error);
	if (!at)
		return false;
	enum arrival arrival = arrival_next(at, &t->control);
	size_t row = profile_row(t->profile, at->line, t->rank, arrival);
	t->profile->row[row].occurrences++;
	if (t->pending)
		return true;
	t->row = row;
	t->pending = true;
	if (!t->depth) { /* calls are not recorded */
		t->before += time - t->mark;
		t->mark = time;
		settle(t);
	}
	return true;
}

/* To the end of what it did before: outside of calls, or in one. */
static void advance(struct reading *t, uint64_t time)
{
	uint64_t spent = time > t->mark ? time - t->mark : 0;
	*(!t->depth ? &t->before : t->apart ? &t->process->apart : &t->call) += spent;
	t->mark = time > t->mark ? time : t->mark;
}

static enum event_kind kind_of(const struct reading *t, const struct timeline_record *r)
{
	return (enum event_kind)dictionary_get_event(trace_dictionary(t->trace, t->rank), r->id)->kind;
}

static bool take_record(struct reading *t, const struct timeline_record *r, struct error *error)
{
	bool of_mpi =
		r->kind <= TIMELINE_LEAVE && t->sort[r->id] != TIMELINE_PROGRAM && t->sort[r->id] != TIMELINE_INTERNAL;
	if (!t->any) {
		t->any = true;
		t->process->first = t->mark = r->time;
	}
	t->process->last = r->time;
	switch ((enum timeline_kind)r->kind) {
	case TIMELINE_ENTER:
		if (of_mpi) {
			advance(t, r->time);
			if (!t->depth++)
				t->apart = t->sort[r->id] != TIMELINE_MPI;
		}
		return true;
	case TIMELINE_LEAVE:
		if (of_mpi && t->depth) {
			advance(t, r->time);
			t->depth--;
			if (t->pending && !t->depth)
				settle(t);
		}
		return true;
	case TIMELINE_SEND:
	case TIMELINE_ISEND:
		return take_event(t, r->time, EVENT_SEND, error);
	case TIMELINE_RECV:
	case TIMELINE_IRECV:
		return take_event(t, r->time, EVENT_RECV, error);
	case TIMELINE_SYNC:
	case TIMELINE_COMPLETED:
		return take_event(t, r->time, EVENT_SYNC, error);
	case TIMELINE_ONE_SIDED:
		return take_event(t, r->time, kind_of(t, r), error);
	default:
		return true;
	}
}

static bool read_process(struct reading *t, uint32_t rank, struct error *error)
{
	const struct timeline_record *r;
	bool good = true;
	t->rank = rank;
	t->process = &t->profile->process[rank];
	t->control = (struct control){0};
	t->depth = 0;
	t->any = t->pending = false;
	t->mark = t->before = t->call = 0;
	for (uint64_t n = 0; good && (r = timeline_get(t->timeline, rank)); timeline_next(t->timeline, rank), n++) {
		good = take_record(t, r, error);
		if (n % 65536 == 0)
			timeline_tell(t->timeline, t->progress);
	}
	if (good && t->any) {
		advance(t, t->process->last);
		if (t->pending)
			settle(t);
		t->process->after = t->before;
		t->process->after_call = t->call;
	}
	t->process->events = tracker_events(t->tracker, rank);
	return good && timeline_good(t->timeline, error) && tracker_end(t->tracker, rank, error);
}

static void note_regions(struct reading *t)
{
	uint32_t n = timeline_regions(t->timeline);
	t->sort = mem_array(n + (size_t)1, sizeof *t->sort);
	for (uint32_t i = 0; i < n; i++)
		t->sort[i] = timeline_region(t->timeline, i).sort;
}

struct profile *profile_read(struct run *run, const char *model, struct trace *trace, const struct ranks *wanted,
	const struct progress *progress, struct error *error)
{
	struct reading t = {.progress = progress, .tracker = tracker_new(run, model, trace, false)};
	bool good = tracker_takes(t.tracker, error) && (t.timeline = timeline_open(trace, error));
	if (good) {
		t.profile = profile_new(run, trace_facts(trace)->ticks_per_second);
		note_regions(&t);
	}
	for (uint32_t rank = 0; good && rank < run_module(run)->processes; rank++)
		good = (wanted && !ranks_has(wanted, rank)) || read_process(&t, rank, error);
	tracker_free(t.tracker);
	timeline_close(t.timeline);
	free(t.sort);
	if (good)
		return t.profile;
	profile_free(t.profile);
	return NULL;
}

/* ------------------------------------------------------------------ folding over processes */

static int by_line(const void *left, const void *right)
{
	const struct profile_row *a = left, *b = right;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->arrival != b->arrival ? COMPARE(a->arrival, b->arrival)
					: COMPARE(a->ranks.run[0].first, b->ranks.run[0].first);
}

static bool near(double value, double mean, double bound)
{
	return fabs(value - mean) <= bound * mean;
}

static double mean_of_longest(const struct profile_row *row, const size_t *member, size_t members)
{
	const struct sample **sample = mem_array(members, sizeof *sample);
	for (size_t i = 0; i < members; i++)
		sample[i] = &row[member[i]].sample;
	double longest = sample_mean_of_largest(sample, members);
	free(sample);
	return longest;
}

/* Where the rows of a role agree, all become the first one; the others have no ranks any more. */
static void fold_role(struct profile_row *row, const size_t *member, size_t members, double bound)
{
	struct histogram before = {0}, call = {0};
	uint64_t occurrences = 0;
	bool agree = members > 1;
	for (size_t i = 0; i < members; i++) {
		histogram_merge(&before, &row[member[i]].before);
		histogram_merge(&call, &row[member[i]].call);
		occurrences += row[member[i]].occurrences;
	}
	for (size_t i = 0; i < members && agree; i++)
		agree = row[member[i]].occurrences == row[member[0]].occurrences &&
			near(histogram_mean(&row[member[i]].before), histogram_mean(&before), bound) &&
			near(histogram_mean(&row[member[i]].call), histogram_mean(&call), bound);
	if (!agree) {
		histogram_clear(&before);
		histogram_clear(&call);
		return;
	}
	struct profile_row *all = &row[member[0]];
	all->longest = mean_of_longest(row, member, members);
	histogram_clear(&all->before);
	histogram_clear(&all->call);
	all->before = before;
	all->call = call;
	all->occurrences = occurrences;
	for (size_t i = 1; i < members; i++) {
		ranks_add_run(&all->ranks, row[member[i]].ranks.run[0].first, row[member[i]].ranks.run[0].first);
		clear_row(&row[member[i]]);
	}
}

struct member {
	uint32_t role;
	size_t row;
};

static int by_role(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	return a->role != b->role ? COMPARE(a->role, b->role) : COMPARE(a->row, b->row);
}

/* The rows of one line and arrival. */
static void fold_line(struct profile_row *row, size_t first, size_t end, const uint32_t *role, double bound)
{
	size_t n = end - first, *member = mem_array(n, sizeof *member);
	struct member *order = mem_array(n, sizeof *order);
	for (size_t i = 0; i < n; i++)
		order[i] = (struct member){role[row[first + i].ranks.run[0].first], first + i};
	qsort(order, n, sizeof *order, by_role);
	for (size_t i = 0, last; i < n; i = last) {
		for (last = i; last < n && order[last].role == order[i].role; last++)
			member[last - i] = order[last].row;
		fold_role(row, member, last - i, bound);
	}
	free(member);
	free(order);
}

void profile_fold(struct profile *p, double bound)
{
	uint32_t roles, *role = roles_of(p->run, &roles);
	size_t kept = 0;
	if (p->rows)
		qsort(p->row, p->rows, sizeof *p->row, by_line);
	for (size_t i = 0, end; i < p->rows; i = end) {
		for (end = i + 1; end < p->rows && p->row[end].line == p->row[i].line &&
				  p->row[end].arrival == p->row[i].arrival;)
			end++;
		fold_line(p->row, i, end, role, bound);
	}
	for (size_t i = 0; i < p->rows; i++) {
		sample_clear(&p->row[i].sample);
		if (p->row[i].ranks.length)
			p->row[kept++] = p->row[i];
	}
	p->rows = kept;
	free(role);
}
