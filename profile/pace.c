/*
 * pace.c -- rows of a profile, by statement and arrival.
 */
#include "profile/pace.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"
#include "profile/time_series.h"

#define NANOSECONDS UINT64_C(1000000000)

struct row {
	size_t place; /* line * ARRIVALS + arrival */
	struct ranks ranks;
	struct pace_times times;
	uint64_t before[PACE_MOST + 1]; /* of an estimate */
	struct pace_bin *bin;
	size_t bins, capacity;
};

struct pace {
	uint64_t ticks_per_second, begin;
	struct pace_process *process;
	struct row *row;
	size_t rows, capacity;
	bool estimate;
	struct time_series *series; /* NULL: means */
	struct error *unread; /* of the series */
};

struct pace *pace_new(uint32_t processes, uint64_t ticks_per_second)
{
	struct pace *p = mem_zero(sizeof *p);
	p->ticks_per_second = ticks_per_second ? ticks_per_second : NANOSECONDS;
	p->process = mem_zero((processes + (size_t)1) * sizeof *p->process);
	return p;
}

void pace_free(struct pace *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->rows; i++) {
		ranks_clear(&p->row[i].ranks);
		free(p->row[i].bin);
	}
	time_series_close(p->series);
	free(p->row);
	free(p->process);
	free(p);
}

uint64_t pace_ticks_per_second(const struct pace *p)
{
	return p->ticks_per_second;
}

void pace_add(
	struct pace *p, size_t line, enum arrival arrival, const struct ranks *ranks, const struct pace_times *times)
{
	p->row = mem_grow(p->row, &p->capacity, p->rows + 1, sizeof *p->row);
	struct row *r = &p->row[p->rows++];
	*r = (struct row){.place = line * ARRIVALS + arrival, .times = *times};
	ranks_copy(&r->ranks, ranks);
}

void pace_set_longest(struct pace *p, size_t row, double ticks)
{
	p->row[row].times.longest = ticks;
}

void pace_set_range(struct pace *p, size_t row, uint64_t least, uint64_t most)
{
	uint64_t *before = p->row[row].before;
	before[PACE_ESTIMATE] = p->row[row].times.before;
	before[PACE_LEAST] = least;
	before[PACE_MOST] = most;
	p->estimate = true;
}

bool pace_is_estimate(const struct pace *p)
{
	return p && p->estimate;
}

void pace_choose(struct pace *p, enum pace_end end)
{
	for (size_t i = 0; i < p->rows && p->estimate; i++)
		p->row[i].times.before = p->row[i].before[end];
}

void pace_add_bin(struct pace *p, size_t row, const struct pace_bin *bin)
{
	struct row *r = &p->row[row];
	*MEM_PUSH(r->bin, r->bins, r->capacity) = *bin;
}

size_t pace_rows(const struct pace *p)
{
	return p->rows;
}

struct pace_row pace_get_row(const struct pace *p, size_t row)
{
	const struct row *r = &p->row[row];
	return (struct pace_row){
		r->place / ARRIVALS, (enum arrival)(r->place % ARRIVALS), &r->ranks, &r->times, r->bin, r->bins};
}

void pace_set_process(struct pace *p, uint32_t rank, const struct pace_process *process)
{
	p->process[rank] = *process;
}

struct pace_process pace_get_process(const struct pace *p, uint32_t rank)
{
	return p->process[rank];
}

void pace_set_begin(struct pace *p, uint64_t ticks)
{
	p->begin = ticks;
}

uint64_t pace_begin(const struct pace *p)
{
	return p->begin;
}

void pace_set_series(struct pace *p, struct time_series *series, struct error *error)
{
	p->series = series;
	p->unread = error;
}

bool pace_is_exact(const struct pace *p)
{
	return p && p->series && time_series_form(p->series)->keep != COLUMNS_WITHIN;
}

/* ------------------------------------------------------------------ one process */

/* What a row has handed out, in parts of an occurrence. */
struct account {
	size_t place;
	const struct pace_times *times;
	uint64_t calls, before, call;
};

struct pacing {
	const struct pace *pace;
	struct account *account; /* in the order of their places */
	size_t accounts;
	struct control control;
	uint32_t rank;
	struct time_series_reader *process; /* NULL: means */
	bool begun;
	uint64_t last; /* the end of the call before */
};

static int by_place(const void *left, const void *right)
{
	const struct account *a = left, *b = right;
	return COMPARE(a->place, b->place);
}

struct pacing *pacing_new(const struct pace *pace, uint32_t rank)
{
	struct pacing *p = mem_zero(sizeof *p);
	size_t capacity = 0;
	p->pace = pace;
	p->rank = rank;
	if (pace->series)
		p->process = time_series_read(pace->series, rank);
	for (size_t i = 0; i < pace->rows; i++) {
		if (!ranks_has(&pace->row[i].ranks, rank))
			continue;
		*MEM_PUSH(p->account, p->accounts, capacity) =
			(struct account){.place = pace->row[i].place, .times = &pace->row[i].times};
	}
	if (p->accounts)
		qsort(p->account, p->accounts, sizeof *p->account, by_place);
	return p;
}

void pacing_free(struct pacing *p)
{
	if (!p)
		return;
	time_series_end(p->process);
	free(p->account);
	free(p);
}

/* The next part of `all` in `parts`, which are as equal as whole numbers can be. rest: of those so
   far. */
static uint64_t part(uint64_t all, uint64_t parts, uint64_t *rest)
{
	*rest += all % parts;
	uint64_t more = *rest >= parts;
	*rest -= more ? parts : 0;
	return all / parts + more;
}

/* Its times before the first event, of which the profile knows more: what it calls computing, and
   calls without events, is not MPI_Init. */
static void begin_timed(struct pacing *p, struct event_time *m)
{
	struct pace_process process = p->pace->process[p->rank];
	uint64_t call = m->leave > m->enter ? m->leave - m->enter : 0, before = UINT64_MAX;
	for (size_t i = 0; i < p->accounts; i++) {
		const struct pace_times *t = p->account[i].times;
		if (p->account[i].place % ARRIVALS != ARRIVAL_START || !t->calls)
			continue;
		uint64_t calls = t->call / t->calls;
		before = t->before / t->calls;
		m->other = calls > call ? calls - call : 0;
	}
	uint64_t begin = m->enter > m->other ? m->enter - m->other : 0;
	uint64_t gap = begin > process.first ? begin - process.first : 0, apart = gap > before ? gap - before : 0;
	p->last = process.first + (apart < process.apart ? apart : process.apart);
	p->begun = true;
}

/* Ticks are counted from the beginning of the run. */
static uint64_t since_begin(const struct pacing *p, uint64_t time)
{
	uint64_t begin = time_series_begin(p->pace->series);
	return time > begin ? time - begin : 0;
}

static struct pace_step next_timed(struct pacing *p, size_t line)
{
	struct event_time m;
	struct error unread = {0};
	if (!time_series_next(p->process, line, &m, &unread)) {
		if (p->pace->unread->kind == ERROR_NONE)
			*p->pace->unread = unread;
		return (struct pace_step){.own = true};
	}
	m.enter = since_begin(p, m.enter);
	m.leave = since_begin(p, m.leave);
	m.time = since_begin(p, m.time);
	struct pace_step step = {.own = !m.shares, .timed = true, .enter = m.enter, .leave = m.leave, .time = m.time};
	if (!p->begun)
		begin_timed(p, &m);
	if (step.own) {
		uint64_t gap = m.enter > p->last ? m.enter - p->last : 0;
		step.other = m.other < gap ? m.other : gap;
		step.before = gap - step.other;
		step.call = m.leave > m.enter ? m.leave - m.enter : 0;
	}
	p->last = m.leave > p->last ? m.leave : p->last;
	return step;
}

struct pace_step pacing_next(struct pacing *p, const struct cursor *cursor)
{
	if (p->process)
		return next_timed(p, cursor->line);
	struct account key = {.place = cursor->line * ARRIVALS + arrival_next(cursor, &p->control)};
	struct account *a = p->accounts ? bsearch(&key, p->account, p->accounts, sizeof key, by_place) : NULL;
	const struct pace_times *t = a ? a->times : NULL;
	struct pace_step step = {.own = true};
	if (!t || !t->occurrences)
		return step;
	step.own = part(t->calls, t->occurrences, &a->calls) > 0;
	if (step.own) {
		step.before = part(t->before, t->calls, &a->before);
		step.call = part(t->call, t->calls, &a->call);
	}
	return step;
}
