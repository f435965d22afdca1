/*
 * rows.c -- rows by iteration, and bins of them.
 */
#include "time/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#ifndef TRACENEST_HOSTILE
#define BINS 512
#else
#define BINS 2
#endif

/* ------------------------------------------------------------------ one row */

static void row_room(struct work_row *r, uint32_t length)
{
	if (length <= r->length)
		return;
	r->work = mem_resize(r->work, length, sizeof *r->work);
	memset(r->work + r->length, 0, (length - r->length) * sizeof *r->work);
	r->length = length;
}

/* number: what members are in `to`; NULL: the same. */
static void row_add(struct work_row *to, const struct work_row *from, const uint32_t *number)
{
	uint32_t length = number ? 0 : from->length;
	for (uint32_t m = 0; number && m < from->length; m++)
		if (from->work[m] && number[m] >= length)
			length = number[m] + 1;
	row_room(to, length);
	for (uint32_t m = 0; m < from->length; m++)
		if (from->work[m])
			to->work[number ? number[m] : m] += from->work[m];
}

static uint64_t row_bytes(const struct work_row *r)
{
	return r->length * sizeof *r->work;
}

static void row_free(struct work_row *r)
{
	free(r->work);
	*r = (struct work_row){0};
}

uint64_t row_most(const struct work_row *r)
{
	uint64_t most = 0;
	for (uint32_t m = 0; m < r->length; m++)
		most = r->work[m] > most ? r->work[m] : most;
	return most;
}

/* ------------------------------------------------------------------ by iteration */

void rows_begin(struct rows *r)
{
	*r = (struct rows){.width = 1};
}

void rows_clear(struct rows *r, uint64_t *bytes)
{
	for (size_t i = 0; i < r->length; i++) {
		*bytes -= row_bytes(&r->row[i]);
		free(r->row[i].work);
	}
	for (size_t i = 0; r->sum && i < BINS; i++)
		free(r->sum[i].work);
	free(r->row);
	free(r->sum);
	free(r->most);
	rows_begin(r);
}

static struct work_row *row_of(struct rows *r, uint64_t iteration)
{
	assert(iteration >= r->base);
	size_t at = (size_t)(iteration - r->base);
	if (at >= r->length) {
		r->row = mem_grow(r->row, &r->capacity, at + 1, sizeof *r->row);
		memset(r->row + r->length, 0, (at + 1 - r->length) * sizeof *r->row);
		r->length = at + 1;
	}
	return &r->row[at];
}

void rows_add(struct rows *r, uint64_t iteration, uint32_t member, uint32_t members, uint64_t time, uint64_t *bytes)
{
	struct work_row *row = row_of(r, iteration);
	if (member >= row->length) { /* while members still come there is room for as many again */
		*bytes -= row_bytes(row);
		row_room(row, members < 2 * row->length ? 2 * row->length : members);
		*bytes += row_bytes(row);
	}
	row->work[member] += time;
}

/* ------------------------------------------------------------------ bins */

static void widen(struct rows *r)
{
	size_t half = (r->bins + 1) / 2;
	for (size_t i = 1; i < r->bins; i++) {
		if (i % 2) {
			row_add(&r->sum[i / 2], &r->sum[i], NULL);
			row_free(&r->sum[i]);
		} else {
			r->sum[i / 2] = r->sum[i];
			r->sum[i] = (struct work_row){0};
		}
		r->most[i / 2] = i % 2 ? r->most[i / 2] + r->most[i] : r->most[i];
	}
	if (r->bins)
		memset(r->most + half, 0, (r->bins - half) * sizeof *r->most);
	r->bins = half;
	r->width *= 2;
}

static void bin_room(struct rows *r, uint64_t iteration)
{
	while (iteration / r->width >= BINS)
		widen(r);
	if (!r->sum) {
		r->sum = mem_zero(BINS * sizeof *r->sum);
		r->most = mem_zero(BINS * sizeof *r->most);
	}
	if (iteration / r->width >= r->bins)
		r->bins = (size_t)(iteration / r->width) + 1;
}

static void fold_row(struct rows *r, uint64_t iteration, const struct work_row *row, const uint32_t *number)
{
	bin_room(r, iteration);
	size_t bin = (size_t)(iteration / r->width);
	row_add(&r->sum[bin], row, number);
	r->most[bin] += row_most(row);
}

void rows_fold(struct rows *r, uint64_t below, uint64_t *bytes)
{
	size_t gone = 0;
	for (; gone < r->length && r->base + gone < below; gone++) {
		if (!r->row[gone].length)
			continue;
		fold_row(r, r->base + gone, &r->row[gone], NULL);
		*bytes -= row_bytes(&r->row[gone]);
		row_free(&r->row[gone]);
	}
	if (gone)
		memmove(r->row, r->row + gone, (r->length - gone) * sizeof *r->row);
	r->length -= gone;
	r->base += gone;
}

/* ------------------------------------------------------------------ constructs that become one */

static void merge_bins(struct rows *to, struct rows *from, const uint32_t *number)
{
	while (from->width < to->width)
		widen(from);
	while (to->width < from->width)
		widen(to);
	if (from->bins)
		bin_room(to, (from->bins - 1) * from->width);
	for (size_t i = 0; i < from->bins; i++) {
		row_add(&to->sum[i], &from->sum[i], number);
		uint64_t most = row_most(&to->sum[i]);
		to->most[i] = to->most[i] > from->most[i] ? to->most[i] : from->most[i];
		to->most[i] = to->most[i] > most ? to->most[i] : most;
	}
}

void rows_merge(struct rows *to, struct rows *from, const uint32_t *number, uint64_t *bytes)
{
	if (from->sum)
		merge_bins(to, from, number);
	for (size_t i = 0; i < from->length; i++) {
		if (!from->row[i].length)
			continue;
		if (from->base + i < to->base) { /* all have passed it */
			fold_row(to, from->base + i, &from->row[i], number);
			continue;
		}
		struct work_row *row = row_of(to, from->base + i);
		*bytes -= row_bytes(row);
		row_add(row, &from->row[i], number);
		*bytes += row_bytes(row);
	}
}

void rows_collapse(struct rows *r, uint64_t *bytes)
{
	struct work_row all = {0};
	for (size_t i = 0; i < r->length; i++)
		row_add(&all, &r->row[i], NULL);
	for (size_t i = 0; i < r->bins; i++)
		row_add(&all, &r->sum[i], NULL);
	rows_clear(r, bytes);
	*row_of(r, 0) = all;
	*bytes += row_bytes(&all);
}
