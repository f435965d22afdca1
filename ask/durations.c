/*
 * durations.c -- each process has a cursor, and beside it a stack of the loops that it is in, as
 * deep as these are told of. What is kept of a process is of the loops that it has a part in.
 */
#include "ask/durations.h"

#include <math.h>
#include <stdlib.h>

#include "ask/executions.h"
#include "base/binary_search.h"
#include "base/buckets.h"
#include "base/compare.h"
#include "base/mem.h"
#include "model/module_address.h"

/* Values kept one by one; more go to a histogram of 64 steps per octave. */
#define EXACT 8192
#define BITS 6 /* of base/buckets.h */
#define BUCKETS (59 << BITS)

/* Durations of iterations. */
struct quantiles {
	uint64_t *value; /* exact */
	size_t values, capacity;
	uint32_t *bucket; /* NULL: all is exact */
};

struct tally {
	size_t loop; /* index into d->loop */
	uint64_t occurrences, iterations, total, least, most, inside;
	struct quantiles quantiles;
	double *strip; /* sums, then counts */
};

/* Time in no loop, in this gap. */
struct straight {
	size_t gap;
	uint64_t total, inside, events;
};

/* The innermost iteration that has begun of a loop: since when, and the communication time at that
   moment. */
struct frame {
	struct tally *tally;
	uint64_t since, inside;
};

struct process {
	struct cursor *cursor; /* at the event told last */
	struct frame *frame; /* of the outermost bodies of the cursor that are told of */
	size_t frames, capacity;
	uint64_t events; /* told */
	uint64_t first_time, last_time;
	bool marked; /* the event told last has ended: */
	uint64_t mark, mark_inside; /* then, with so much communication time */
	uint64_t now_inside; /* communication time where the cursor goes on */
	struct straight *straight; /* where there is some, in the order of the text */
	size_t straights, straight_capacity;
	uint64_t outside_events; /* since the last loop, or the beginning */
	uint64_t outside_since, outside_inside;
	uint64_t inside, call_time; /* communication: finished calls; the one going on */
	unsigned calls; /* open */
	struct tally *tally; /* of its loops, in the order of the text */
	size_t tallies, tally_capacity;
};

struct durations {
	struct run *run;
	uint32_t processes;
	struct duration_loop *loop;
	size_t loops, capacity;
	size_t *outer; /* the outermost ones */
	size_t outers, outer_capacity;
	size_t *number; /* by line: index into `loop`, or NOT_TOLD */
	bool strips;
	bool *calls_known; /* per process */
	struct process *process;
};

#define NOT_TOLD SIZE_MAX

/* ------------------------------------------------------------------ the loops of the text */

/* Guards are loops of one iteration or none. */
static void list_loops(struct durations *d, uint64_t limit)
{
	const struct module *m = run_module(d->run);
	struct module_line *text = module_statements(m);
	struct module_addresses addresses = module_addresses_of(m);
	struct executions executions;
	run_executions(d->run, &executions);
	for (size_t at = 0; at < m->lines; at++) {
		const struct node *n = node_of(m->store, text[at].node);
		int64_t last = -1;
		d->number[at] = NOT_TOLD;
		if (n->kind == NODE_EVENT || text[at].depth >= limit || !executions.iterations[at])
			continue;
		d->number[at] = d->loops;
		if (!text[at].depth)
			*MEM_PUSH(d->outer, d->outers, d->outer_capacity) = d->loops;
		bool varies = n->kind == NODE_GUARD || !number_is_constant(m->store, n->kid[1], &last);
		*MEM_PUSH(d->loop, d->loops, d->capacity) =
			(struct duration_loop){.address = mem_text(module_addresses_get(&addresses, at)),
				.line = at,
				.depth = text[at].depth,
				.varies = varies,
				.count = last < 0 ? 0 : (uint64_t)last + 1,
				.iterations = executions.iterations[at]};
	}
	executions_clear(&executions);
	module_addresses_clear(&addresses);
	free(text);
}

struct durations *durations_new(struct run *run, uint64_t depth, bool strips)
{
	struct durations *d = mem_zero(sizeof *d);
	const struct module *m = run_module(run);
	d->run = run;
	d->processes = run_environment(run).processes;
	d->strips = strips;
	d->number = mem_array(m->lines + 1, sizeof *d->number);
	d->process = mem_zero((d->processes + (size_t)1) * sizeof *d->process);
	d->calls_known = mem_zero((d->processes + (size_t)1) * sizeof *d->calls_known);
	list_loops(d, depth);
	return d;
}

static void clear_process(struct process *p)
{
	for (size_t i = 0; i < p->tallies; i++) {
		free(p->tally[i].quantiles.value);
		free(p->tally[i].quantiles.bucket);
		free(p->tally[i].strip);
	}
	free(p->straight);
	free(p->tally);
	free(p->frame);
	cursor_free(p->cursor);
}

void durations_free(struct durations *d)
{
	if (!d)
		return;
	for (uint32_t rank = 0; rank < d->processes; rank++)
		clear_process(&d->process[rank]);
	for (size_t i = 0; i < d->loops; i++)
		free(d->loop[i].address);
	free(d->outer);
	free(d->number);
	free(d->process);
	free(d->calls_known);
	free(d->loop);
	free(d);
}

/* ------------------------------------------------------------------ quantiles */

static void quantiles_add(struct quantiles *s, uint64_t value)
{
	if (!s->bucket && s->values < EXACT) {
		*MEM_PUSH(s->value, s->values, s->capacity) = value;
		return;
	}
	if (!s->bucket) {
		s->bucket = mem_zero(BUCKETS * sizeof *s->bucket);
		for (size_t i = 0; i < s->values; i++)
			s->bucket[bucket_of(s->value[i], BITS)]++;
	}
	s->bucket[bucket_of(value, BITS)]++;
	s->values++;
}

/* The smallest value that so large a share of all do not exceed. */
static uint64_t quantiles_get(const struct quantiles *s, double share)
{
	if (!s->values)
		return 0;
	size_t rank = (size_t)ceil(share * (double)s->values);
	rank = rank ? rank - 1 : 0;
	if (!s->bucket) {
		uint64_t *sorted = mem_copy(s->value, s->values * sizeof *sorted);
		qsort(sorted, s->values, sizeof *sorted, compare_u64);
		uint64_t value = sorted[rank];
		free(sorted);
		return value;
	}
	uint32_t bucket = 0;
	for (size_t seen = s->bucket[0]; seen <= rank; seen += s->bucket[bucket])
		bucket++;
	uint64_t low = bucket_low(bucket, BITS);
	return low + (bucket_low(bucket + 1, BITS) - low) / 2;
}

/* ------------------------------------------------------------------ being told */

static uint64_t inside_at(const struct process *p, uint64_t time)
{
	return p->inside + (p->calls && time > p->call_time ? time - p->call_time : 0);
}

static void add_to_strip(const struct durations *d, struct tally *t, size_t loop, uint64_t ordinal, uint64_t duration)
{
	uint64_t iterations = d->loop[loop].iterations,
		 bins = iterations < DURATIONS_BINS ? iterations : DURATIONS_BINS;
	if (!d->strips)
		return;
	if (!t->strip)
		t->strip = mem_zero(2 * DURATIONS_BINS * sizeof *t->strip);
	size_t bin = (size_t)((double)ordinal * (double)bins / (double)iterations);
	bin = bin < bins ? bin : (size_t)bins - 1;
	t->strip[bin] += (double)duration;
	t->strip[DURATIONS_BINS + bin]++;
}

static void end_iteration(struct durations *d, struct process *p, struct frame *f, uint64_t time)
{
	struct tally *t = f->tally;
	uint64_t duration = time - f->since;
	add_to_strip(d, t, t->loop, t->iterations, duration);
	if (!t->iterations || duration < t->least)
		t->least = duration;
	if (duration > t->most)
		t->most = duration;
	t->iterations++;
	t->total += duration;
	t->inside += p->now_inside - f->inside;
	quantiles_add(&t->quantiles, duration);
}

/* The first tally of this loop or one behind it. */
static size_t tally_from(const struct process *p, size_t loop)
{
	size_t at;
	SEARCH_FIRST(at, 0, p->tallies, p->tally[at].loop >= loop);
	return at;
}

static struct tally *find_tally(const struct process *p, size_t loop)
{
	size_t at = tally_from(p, loop);
	return at < p->tallies && p->tally[at].loop == loop ? &p->tally[at] : NULL;
}

/* The loops of a body that the process has a part in. */
static void add_tallies(struct durations *d, struct process *p, node_id body, size_t line)
{
	size_t statements;
	const struct projected *own = run_projection(d->run, body, p->cursor->class, &statements);
	for (size_t i = 0; i < statements; i++) {
		size_t at = line + own[i].line, number = d->number[at];
		if (number == NOT_TOLD)
			continue;
		*MEM_PUSH(p->tally, p->tallies, p->tally_capacity) = (struct tally){.loop = number};
		add_tallies(d, p, node_kid(run_module(d->run)->store, own[i].statement, 2), at + 1);
	}
}

/* An outermost loop begins (NOT_TOLD: the stream ends): what came before it was in none. */
static void end_straight(struct durations *d, struct process *p, size_t loop, uint64_t time)
{
	size_t gap, n = p->straights;
	uint64_t total = time - p->outside_since;
	SEARCH_FIRST(gap, 0, d->outers, d->outer[gap] >= loop);
	if (!total && !p->outside_events)
		return;
	if (!n || p->straight[n - 1].gap != gap)
		*MEM_PUSH(p->straight, p->straights, p->straight_capacity) = (struct straight){.gap = gap};
	struct straight *s = &p->straight[p->straights - 1];
	s->total += total;
	s->inside += p->now_inside - p->outside_inside;
	s->events += p->outside_events;
	p->outside_events = 0;
}

static void begin_straight(struct process *p, uint64_t time)
{
	p->outside_since = time;
	p->outside_inside = p->now_inside;
}

static void begin_iteration(struct process *p, uint64_t time)
{
	struct frame *f = &p->frame[p->frames - 1];
	f->since = time;
	f->inside = p->now_inside;
}

/* The cursor has come into a body. */
static void begin_loop(struct durations *d, struct process *p, uint64_t time)
{
	size_t number = d->number[p->cursor->frame[p->cursor->frames - 1].line - 1];
	if (number == NOT_TOLD)
		return;
	if (!p->frames)
		end_straight(d, p, number, time);
	struct frame *f = MEM_PUSH(p->frame, p->frames, p->capacity);
	f->tally = find_tally(p, number);
	f->tally->occurrences++;
	begin_iteration(p, time);
}

/* The cursor has left a body, or begins it once more. */
static void end_innermost(struct durations *d, struct process *p, bool more, uint64_t time)
{
	end_iteration(d, p, &p->frame[p->frames - 1], time);
	if (more)
		begin_iteration(p, time);
	else if (!--p->frames)
		begin_straight(p, time);
}

/* Loops that begin and iterations that end before the next event, or the end. The outermost body is
   no loop. */
static void go_on(struct durations *d, struct process *p, uint64_t time)
{
	struct cursor *c = p->cursor;
	for (bool event = false; c->frames && !c->at.failure && !event;) {
		size_t frames = c->frames;
		int64_t left = c->frame[frames - 1].left;
		event = cursor_step(c);
		bool more = c->frames == frames && c->frame[frames - 1].left != left;
		if (c->frames > frames)
			begin_loop(d, p, time);
		else if ((more || c->frames < frames) && p->frames == frames - 1 && p->frames)
			end_innermost(d, p, more, time);
	}
}

void durations_event(struct durations *d, uint32_t rank, uint64_t time)
{
	struct process *p = &d->process[rank];
	p->now_inside = p->marked ? p->mark_inside : inside_at(p, time);
	time = p->marked ? p->mark : time;
	if (!p->cursor) {
		p->cursor = cursor_new(d->run, rank);
		add_tallies(d, p, run_module(d->run)->body, 0);
		p->first_time = p->last_time = time;
		begin_straight(p, time);
	}
	if (time < p->last_time)
		time = p->last_time;
	p->last_time = time;
	go_on(d, p, time);
	p->events++;
	p->outside_events += !p->frames;
}

void durations_done(struct durations *d, uint32_t rank, uint64_t time)
{
	struct process *p = &d->process[rank];
	p->marked = true;
	p->mark = time > p->last_time ? time : p->last_time;
	p->mark_inside = inside_at(p, p->mark);
}

void durations_finish(struct durations *d, uint32_t rank)
{
	struct process *p = &d->process[rank];
	if (!p->cursor)
		return;
	p->last_time = p->marked ? p->mark : p->last_time;
	p->now_inside = p->marked ? p->mark_inside : inside_at(p, p->last_time);
	go_on(d, p, p->last_time);
	end_straight(d, p, NOT_TOLD, p->last_time);
}

void durations_call(struct durations *d, uint32_t rank, uint64_t time)
{
	struct process *p = &d->process[rank];
	d->calls_known[rank] = true;
	if (!p->calls++)
		p->call_time = time;
}

void durations_return(struct durations *d, uint32_t rank, uint64_t time)
{
	struct process *p = &d->process[rank];
	if (!p->calls || --p->calls)
		return;
	if (time > p->call_time)
		p->inside += time - p->call_time;
}

/* ------------------------------------------------------------------ asking */

bool durations_calls_known(const struct durations *d)
{
	for (uint32_t rank = 0; rank < d->processes; rank++)
		if (d->calls_known[rank])
			return true;
	return false;
}

uint64_t durations_events(const struct durations *d, uint32_t rank)
{
	return d->process[rank].events;
}

uint64_t durations_run(const struct durations *d, uint32_t rank)
{
	return d->process[rank].last_time - d->process[rank].first_time;
}

size_t durations_loops(const struct durations *d)
{
	return d->loops;
}

const struct duration_loop *durations_loop(const struct durations *d, size_t i)
{
	return &d->loop[i];
}

bool durations_of(const struct durations *d, size_t loop, uint32_t rank, struct duration *result)
{
	const struct tally *t = find_tally(&d->process[rank], loop);
	if (!t || !t->iterations)
		return false;
	*result = (struct duration){t->occurrences, t->iterations, t->total, t->least, t->most,
		quantiles_get(&t->quantiles, 0.5), quantiles_get(&t->quantiles, 0.95), t->inside};
	return true;
}

size_t durations_next(const struct durations *d, uint32_t rank, size_t loop)
{
	const struct process *p = &d->process[rank];
	size_t at = tally_from(p, loop);
	return at < p->tallies ? p->tally[at].loop : SIZE_MAX;
}

static const struct straight *straight_from(const struct process *p, size_t gap)
{
	size_t at;
	SEARCH_FIRST(at, 0, p->straights, p->straight[at].gap >= gap);
	return at < p->straights ? &p->straight[at] : NULL;
}

size_t durations_next_gap(const struct durations *d, uint32_t rank, size_t gap)
{
	const struct straight *s = straight_from(&d->process[rank], gap);
	return s ? s->gap : SIZE_MAX;
}

size_t durations_gaps(const struct durations *d)
{
	return d->outers + 1;
}

size_t durations_gap_loop(const struct durations *d, size_t gap)
{
	return gap < d->outers ? d->outer[gap] : SIZE_MAX;
}

bool durations_gap(const struct durations *d, size_t gap, uint32_t rank, struct duration *result)
{
	const struct straight *s = straight_from(&d->process[rank], gap);
	if (!s || s->gap != gap)
		return false;
	*result = (struct duration){s->events, 1, s->total, s->total, s->total, s->total, s->total, s->inside};
	return true;
}

size_t durations_strip(const struct durations *d, size_t loop, uint32_t rank, double mean[DURATIONS_BINS])
{
	const struct tally *t = find_tally(&d->process[rank], loop);
	uint64_t iterations = d->loop[loop].iterations;
	size_t bins = iterations < DURATIONS_BINS ? (size_t)iterations : DURATIONS_BINS;
	if (!t || !t->strip)
		return 0;
	for (size_t i = 0; i < bins; i++)
		mean[i] = t->strip[DURATIONS_BINS + i] > 0 ? t->strip[i] / t->strip[DURATIONS_BINS + i] : NAN;
	return bins;
}
