/*
 * records.c -- records on their way from who reads to who writes.
 *
 * They are queued in blocks. One thread hands them to the program's output in the order of the
 * ranks, while reading goes on; who has read far ahead of it waits:
 *
 *	rank 0	done		[][][][]  --> output	the first rank that is not through is `current`: it waits where it has AHEAD_BLOCKS
 *	rank 1	reading ...	[][][]			the others wait where there are QUEUED_BLOCKS, of all ranks together
 *
 * The output waits for the current rank only, and that one never for another: so there is always
 * one that can go on.
 */
#include "scangen/run-time/run.h"

#include <stdlib.h>

#include "base/mem.h"

#ifndef TRACENEST_HOSTILE
#define BLOCK_BYTES ((size_t)1 << 16)
#define WAKE_BLOCKS 8 /* the output is not woken for less, while the process is not through */
#define AHEAD_BLOCKS 64
#define QUEUED_BLOCKS 512
#else
#define BLOCK_BYTES ((size_t)1)
#define WAKE_BLOCKS 1
#define AHEAD_BLOCKS 1
#define QUEUED_BLOCKS 1
#endif

/* ------------------------------------------------------------------ blocks */

void records_begin(struct scan_job *r)
{
	r->stride = sizeof(struct stored) + r->program->depth * sizeof(int64_t);
	r->block_records = BLOCK_BYTES > r->stride ? BLOCK_BYTES / r->stride : 1;
}

struct stored *records_at(const struct scan_job *r, struct block *b, size_t i)
{
	return (struct stored *)(void *)(b->bytes + i * r->stride);
}

static struct block *take_block(struct scan_job *r)
{
	pthread_mutex_lock(&r->lock);
	struct block *b = r->spare;
	if (b)
		r->spare = b->next;
	pthread_mutex_unlock(&r->lock);
	if (!b)
		b = mem_alloc(sizeof *b + r->block_records * r->stride);
	b->next = NULL;
	b->records = 0;
	return b;
}

void records_free(struct block *b)
{
	for (struct block *next; b; b = next) {
		next = b->next;
		free(b);
	}
}

void records_queue(struct work *w)
{
	struct queue *q = &w->queue;
	*(q->first ? q->last : &q->first) = w->block;
	q->last = &w->block->next;
	q->length++;
	w->block = NULL;
}

/* ------------------------------------------------------------------ who writes */

void records_write(struct scan_job *r, const struct work *w, struct block *b)
{
	for (size_t i = 0; i < b->records; i++) {
		const struct stored *s = records_at(r, b, i);
		if (!s->there)
			continue;
		struct scan_record record = {s->label, w->scan.rank, s->depth, s->index, s->attribute, s->position,
			!s->text, s->number, s->text};
		r->program->output(r->output, &record);
	}
}

static bool worth_waking(const struct work *w)
{
	return w->done || w->queue.length >= WAKE_BLOCKS;
}

/* All that the current process has queued. The lock is held, but not while the program's output
   runs. */
static void write_queue(struct scan_job *r, struct work *w)
{
	struct queue q = w->queue;
	w->queue = (struct queue){0};
	pthread_cond_broadcast(&r->emptied);
	pthread_mutex_unlock(&r->lock);
	for (struct block *b = q.first; b && !scan_output_failed(r->output); b = b->next)
		records_write(r, w, b);
	if (scan_output_failed(r->output))
		atomic_store(&r->over, true);
	pthread_mutex_lock(&r->lock);
	*q.last = r->spare;
	r->spare = q.first;
	r->queued -= q.length;
	pthread_cond_broadcast(&r->emptied);
}

void *records_write_in_order(void *context)
{
	struct scan_job *r = context;
	pthread_mutex_lock(&r->lock);
	while (r->current < r->works) {
		struct work *w = &r->work[r->current];
		if (!worth_waking(w)) {
			pthread_cond_wait(&r->filled, &r->lock);
		} else if (w->queue.first) {
			write_queue(r, w);
		} else {
			r->current++;
			pthread_cond_broadcast(&r->emptied);
		}
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* ------------------------------------------------------------------ who reads */

static bool is_far_ahead(const struct work *w)
{
	const struct scan_job *r = w->run;
	return r->current == w->turn ? w->queue.length >= AHEAD_BLOCKS : r->queued >= QUEUED_BLOCKS;
}

/* A block is full, or the process is through. */
void records_pass_on(struct work *w, bool done)
{
	struct scan_job *r = w->run;
	pthread_mutex_lock(&r->lock);
	r->queued += w->block != NULL;
	if (w->block)
		records_queue(w);
	w->done = done;
	if (r->current == w->turn && worth_waking(w))
		pthread_cond_signal(&r->filled);
	while (is_far_ahead(w))
		pthread_cond_wait(&r->emptied, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

bool records_are_full(const struct work *w)
{
	return w->block && w->block->records == w->run->block_records;
}

/* There must be room for it. */
struct stored *records_new(struct work *w, uint64_t position, const char *attribute)
{
	struct scan_job *r = w->run;
	if (!w->block)
		w->block = take_block(r);
	struct stored *s = records_at(r, w->block, w->block->records++);
	*s = (struct stored){
		.label = w->scan.label, .attribute = attribute, .position = position, .depth = w->scan.depth};
	for (uint32_t i = 0; i < s->depth; i++)
		s->index[i] = w->scan.index[i];
	return s;
}
