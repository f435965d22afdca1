/*
 * durations.c -- each process has a stack of the loops that it is in. Positions tell at which event the innermost iteration ends and at which the next
 * inner loop begins; between these, an event costs one comparison.
 */
#include "model/durations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Values kept one by one; more go to a histogram of 64 steps per octave. */
#define EXACT 8192
#define STEPS 64
#define BUCKETS (STEPS * 59)

/* Durations of iterations. */
struct spread {
	uint64_t *value; /* exact */
	size_t values, capacity;
	uint32_t *bucket; /* NULL: all is exact */
};

struct tally {
	uint64_t occurrences, iterations, total, least, most, inside;
	struct spread spread;
	double *strip; /* sums, then counts */
};

/* A loop as one process meets it: where its inner loops begin. */
struct inner {
	size_t loop; /* index into d->loop */
	uint64_t start; /* relative to the iteration around */
};

struct loop_entry {
	struct duration_loop public;
	size_t first_inner, inners; /* its own inner loops, in d->child */
	size_t step; /* its index in the body around */
	node around; /* that body */
};

struct frame {
	size_t loop; /* WHOLE_RUN: the run */
	uint64_t iteration; /* of this occurrence, and of the run: */
	uint64_t since; /* time at which the iteration began */
	uint64_t inside; /* communication time at that moment */
	uint64_t begin, end, length; /* positions of the iteration */
	size_t next; /* inner loop to come, in the list of the loop */
};

#define WHOLE_RUN SIZE_MAX

struct process {
	struct frame *frame;
	size_t frames, capacity;
	uint64_t event; /* position of the next */
	uint64_t boundary; /* position at which something begins or ends */
	uint64_t first_time, last_time;
	uint64_t inside, call_time; /* communication: finished calls; the one going on */
	unsigned calls; /* open */
	struct tally *tally; /* per loop; allocated with the first event */
};

struct durations {
	const struct model *model;
	const struct nest_positions *positions;
	struct loop_entry *loop;
	size_t loops, capacity;
	size_t *child;
	size_t children, child_capacity;
	size_t first_outer, outers; /* loops of the root, in child */
	bool strips;
	bool *calls_known; /* per process */
	struct process *process;
};

/* ------------------------------------------------------------------ the loops of the listing */

static void add_child(struct durations *d, size_t loop)
{
	d->child = mem_grow(d->child, &d->child_capacity, d->children + 1, sizeof *d->child);
	d->child[d->children++] = loop;
}

static size_t add_loop(
	struct durations *d, node around, size_t step, node n, const char *prefix, uint32_t depth, uint64_t executions)
{
	struct text address = {0};
	text_format(&address, "%s%s%zu", prefix, *prefix ? "." : "", step);
	uint64_t count = nest_get(d->model->nest, n)->count;
	d->loop = mem_grow(d->loop, &d->capacity, d->loops + 1, sizeof *d->loop);
	d->loop[d->loops] =
		(struct loop_entry){.public = {address.data, n, depth, count, executions * count}, .step = step, .around = around};
	return d->loops++;
}

/* The loops of a body, then those inside them: the inner loops of one loop stand in a row in d->child. */
static void list_loops(struct durations *d, node around, struct body body, const char *prefix, uint32_t depth, uint64_t limit,
	uint64_t executions, size_t *first, size_t *count)
{
	size_t begin = d->loops;
	for (size_t i = 0; i < body.length && depth < limit; i++)
		if (node_is_loop(body.node[i]) && nest_get(d->model->nest, body.node[i])->count)
			add_loop(d, around, i, body.node[i], prefix, depth, executions);
	size_t end = d->loops;
	*first = d->children;
	*count = end - begin;
	for (size_t i = begin; i < end; i++)
		add_child(d, i);
	for (size_t i = begin; i < end; i++) {
		node n = d->loop[i].public.loop;
		size_t inner_first, inners;
		list_loops(d, n, nest_body(d->model->nest, n), d->loop[i].public.address, depth + 1, limit,
			d->loop[i].public.iterations, &inner_first, &inners);
		d->loop[i].first_inner = inner_first;
		d->loop[i].inners = inners;
	}
}

struct durations *durations_new(const struct model *m, const struct nest_positions *positions, uint64_t depth, bool strips)
{
	struct durations *d = mem_zero(sizeof *d);
	d->model = m;
	d->positions = positions;
	d->strips = strips;
	d->process = mem_zero((m->processes + (size_t)1) * sizeof *d->process);
	d->calls_known = mem_zero((m->processes + (size_t)1) * sizeof *d->calls_known);
	list_loops(d, NEST_POSITIONS_ROOT, (struct body){m->nest->root, m->nest->root_length}, "", 0, depth, 1, &d->first_outer,
		&d->outers);
	return d;
}

void durations_free(struct durations *d)
{
	if (!d)
		return;
	for (uint32_t rank = 0; rank < d->model->processes; rank++) {
		struct process *p = &d->process[rank];
		for (size_t i = 0; p->tally && i < d->loops; i++) {
			free(p->tally[i].spread.value);
			free(p->tally[i].spread.bucket);
			free(p->tally[i].strip);
		}
		free(p->tally);
		free(p->frame);
	}
	for (size_t i = 0; i < d->loops; i++)
		free(d->loop[i].public.address);
	free(d->process);
	free(d->calls_known);
	free(d->loop);
	free(d->child);
	free(d);
}

/* ------------------------------------------------------------------ spreads */

static size_t bucket_of(uint64_t value)
{
	if (value < STEPS)
		return (size_t)value;
	unsigned octave = 63 - (unsigned)__builtin_clzll(value); /* 6 and more */
	return (size_t)(octave - 5) * STEPS + (size_t)(value >> (octave - 6) & (STEPS - 1));
}

/* The middle of what a bucket holds. */
static uint64_t bucket_value(size_t bucket)
{
	if (bucket < STEPS)
		return bucket;
	unsigned shift = (unsigned)(bucket / STEPS) - 1;
	return ((uint64_t)(STEPS + bucket % STEPS) << shift) + (((uint64_t)1 << shift) >> 1);
}

static void spread_add(struct spread *s, uint64_t value)
{
	if (!s->bucket && s->values < EXACT) {
		s->value = mem_grow(s->value, &s->capacity, s->values + 1, sizeof *s->value);
		s->value[s->values++] = value;
		return;
	}
	if (!s->bucket) {
		s->bucket = mem_zero(BUCKETS * sizeof *s->bucket);
		for (size_t i = 0; i < s->values; i++)
			s->bucket[bucket_of(s->value[i])]++;
	}
	s->bucket[bucket_of(value)]++;
	s->values++;
}

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* The smallest value that so large a share of all do not exceed. */
static uint64_t spread_quantile(const struct spread *s, double share)
{
	if (!s->values)
		return 0;
	size_t rank = (size_t)ceil(share * (double)s->values);
	rank = rank ? rank - 1 : 0;
	if (!s->bucket) {
		uint64_t *sorted = mem_copy(s->value, s->values * sizeof *sorted);
		qsort(sorted, s->values, sizeof *sorted, by_value);
		uint64_t value = sorted[rank];
		free(sorted);
		return value;
	}
	size_t bucket = 0;
	for (size_t seen = s->bucket[0]; seen <= rank; seen += s->bucket[bucket])
		bucket++;
	return bucket_value(bucket);
}

/* ------------------------------------------------------------------ being told */

static uint64_t inside_at(const struct process *p, uint64_t time)
{
	return p->inside + (p->calls && time > p->call_time ? time - p->call_time : 0);
}

static void add_to_strip(const struct durations *d, struct tally *t, size_t loop, uint64_t ordinal, uint64_t duration)
{
	uint64_t iterations = d->loop[loop].public.iterations, bins = iterations < DURATIONS_BINS ? iterations : DURATIONS_BINS;
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
	struct tally *t = &p->tally[f->loop];
	uint64_t duration = time - f->since;
	add_to_strip(d, t, f->loop, t->iterations, duration);
	if (!t->iterations || duration < t->least)
		t->least = duration;
	if (duration > t->most)
		t->most = duration;
	t->iterations++;
	t->total += duration;
	t->inside += inside_at(p, time) - f->inside;
	spread_add(&t->spread, duration);
}

static bool part_of(const struct durations *d, uint32_t rank, size_t loop, uint64_t *start, uint64_t *length)
{
	size_t runs;
	const struct nest_position_run *run = nest_positions_starts(d->positions, d->loop[loop].around, d->loop[loop].step, &runs);
	if (!nest_position_find(run, runs, rank, start))
		return false;
	run = nest_positions_lengths(d->positions, d->loop[loop].public.loop, &runs);
	return nest_position_find(run, runs, rank, length);
}

static void inner_of(const struct durations *d, const struct frame *f, const size_t **child, size_t *count)
{
	*child = d->child + (f->loop == WHOLE_RUN ? d->first_outer : d->loop[f->loop].first_inner);
	*count = f->loop == WHOLE_RUN ? d->outers : d->loop[f->loop].inners;
}

/* The next inner loop that the process has a part in, and where it begins; false: none is left. */
static bool next_inner(const struct durations *d, uint32_t rank, struct frame *f, size_t *loop, uint64_t *start, uint64_t *length)
{
	const size_t *child;
	size_t count;
	inner_of(d, f, &child, &count);
	for (; f->next < count; f->next++) {
		*loop = child[f->next];
		if (part_of(d, rank, *loop, start, length)) {
			*start += f->begin;
			return true;
		}
	}
	return false;
}

static void push(struct process *p, size_t loop, uint64_t begin, uint64_t length, uint64_t time)
{
	p->frame = mem_grow(p->frame, &p->capacity, p->frames + 1, sizeof *p->frame);
	p->frame[p->frames++] = (struct frame){
		.loop = loop, .since = time, .inside = inside_at(p, time), .begin = begin, .end = begin + length, .length = length};
	if (loop != WHOLE_RUN)
		p->tally[loop].occurrences++;
}

/* Iterations that end here, and the next ones of their loops that begin. */
static void end_iterations(struct durations *d, struct process *p, uint64_t time)
{
	while (p->frames > 1 && p->frame[p->frames - 1].end == p->event) {
		struct frame *f = &p->frame[p->frames - 1];
		end_iteration(d, p, f, time);
		if (++f->iteration == d->loop[f->loop].public.count) {
			p->frames--;
			continue;
		}
		f->begin = f->end;
		f->end += f->length;
		f->since = time;
		f->inside = inside_at(p, time);
		f->next = 0;
		return;
	}
}

static void begin_loops(struct durations *d, struct process *p, uint32_t rank, uint64_t time)
{
	for (;;) {
		struct frame *f = &p->frame[p->frames - 1];
		size_t loop;
		uint64_t start, length;
		bool more = next_inner(d, rank, f, &loop, &start, &length);
		p->boundary = more && start < f->end ? start : f->end;
		if (!more || start != p->event)
			return;
		f->next++;
		push(p, loop, start, length, time);
	}
}

void durations_event(struct durations *d, uint32_t rank, uint64_t time)
{
	struct process *p = &d->process[rank];
	if (!p->event) {
		size_t runs;
		uint64_t events = 0;
		const struct nest_position_run *run = nest_positions_lengths(d->positions, NEST_POSITIONS_ROOT, &runs);
		nest_position_find(run, runs, rank, &events);
		p->tally = mem_zero((d->loops + 1) * sizeof *p->tally);
		p->first_time = p->last_time = time;
		push(p, WHOLE_RUN, 0, events, time);
	}
	if (time < p->last_time)
		time = p->last_time;
	p->last_time = time;
	if (p->event == p->boundary) {
		end_iterations(d, p, time);
		begin_loops(d, p, rank, time);
	}
	p->event++;
}

void durations_finish(struct durations *d, uint32_t rank)
{
	struct process *p = &d->process[rank];
	if (p->event && p->event == p->boundary)
		end_iterations(d, p, p->last_time);
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
	for (uint32_t rank = 0; rank < d->model->processes; rank++)
		if (d->calls_known[rank])
			return true;
	return false;
}

uint64_t durations_events(const struct durations *d, uint32_t rank)
{
	return d->process[rank].event;
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
	return &d->loop[i].public;
}

bool durations_of(const struct durations *d, size_t loop, uint32_t rank, struct duration *result)
{
	const struct tally *t = d->process[rank].tally ? &d->process[rank].tally[loop] : NULL;
	if (!t || !t->iterations)
		return false;
	*result = (struct duration){t->occurrences, t->iterations, t->total, t->least, t->most, spread_quantile(&t->spread, 0.5),
		spread_quantile(&t->spread, 0.95), t->inside};
	return true;
}

size_t durations_strip(const struct durations *d, size_t loop, uint32_t rank, double mean[DURATIONS_BINS])
{
	const struct tally *t = d->process[rank].tally ? &d->process[rank].tally[loop] : NULL;
	uint64_t iterations = d->loop[loop].public.iterations;
	size_t bins = iterations < DURATIONS_BINS ? (size_t)iterations : DURATIONS_BINS;
	if (!t || !t->strip)
		return 0;
	for (size_t i = 0; i < bins; i++)
		mean[i] = t->strip[DURATIONS_BINS + i] > 0 ? t->strip[i] / t->strip[DURATIONS_BINS + i] : NAN;
	return bins;
}
