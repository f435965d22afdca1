/*
 * repeats.c -- runs by pairs of positions a period apart, blocks by a suffix array.
 */
#include "merge/repeats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"

/* ------------------------------------------------------------------ runs */

#define NO_RUN SIZE_MAX

/* The longest run that these two are known to be in and whose period divides the distance. */
static const struct repeat *known_run(const struct runs *r, const size_t *longest, size_t at, size_t period)
{
	if (longest[at] == NO_RUN)
		return NULL;
	const struct repeat *run = &r->run[longest[at]];
	return at + period < run->end && period % run->period == 0 ? run : NULL;
}

/* The run around a pair of equal numbers; too short to be one: its end is behind it by less than two
   periods. */
static struct repeat run_around(const uint32_t *number, size_t n, size_t at, size_t period)
{
	size_t start = at, end = at + period;
	while (end < n && number[end - period] == number[end])
		end++;
	while (start > 0 && number[start - 1] == number[start - 1 + period])
		start--;
	return (struct repeat){start, end, period, 0};
}

struct runs runs_find(const uint32_t *number, size_t n, size_t multiple)
{
	struct runs r = {0};
	/* by position: of the runs whose period is no multiple of another's */
	size_t *longest = mem_array(n, sizeof *longest);
	for (size_t i = 0; i < n; i++)
		longest[i] = NO_RUN;
	for (size_t period = 1; 2 * period <= n; period++)
		for (size_t at = 0; at + period < n;) {
			if (number[at] != number[at + period]) {
				at += period;
				continue;
			}
			const struct repeat *part = known_run(&r, longest, at, period);
			struct repeat run = part ? (struct repeat){part->start, part->end, period, part->period}
						 : run_around(number, n, at, period);
			if (run.end - run.start < 2 * period) {
				at += period;
				continue;
			}
			if (!part)
				for (size_t i = run.start; i < run.end; i++) {
					const struct repeat *old = longest[i] == NO_RUN ? NULL : &r.run[longest[i]];
					if (!old || old->end - old->start < run.end - run.start)
						longest[i] = r.length;
				}
			if (!part || period <= multiple)
				*MEM_PUSH(r.run, r.length, r.capacity) = run;
			/* no other run of this period overlaps by a period */
			while (at + period < run.end)
				at += period;
		}
	free(longest);
	return r;
}

void runs_clear(struct runs *r)
{
	free(r->run);
	*r = (struct runs){0};
}

/* ------------------------------------------------------------------ blocks */

/* Stable, by rank of what begins `ahead` numbers behind: counting. */
static void sort_by_rank(const size_t *from, size_t *to, const size_t *rank, size_t *count, size_t ranks, size_t n)
{
	memset(count, 0, (ranks + 1) * sizeof *count);
	for (size_t i = 0; i < n; i++)
		count[rank[i] + 1]++;
	for (size_t i = 0; i < ranks; i++)
		count[i + 1] += count[i];
	for (size_t i = 0; i < n; i++)
		to[count[rank[from[i]]]++] = from[i];
}

/* The place of each number among those that there are. */
static size_t rank_numbers(const uint32_t *number, size_t n, size_t *rank)
{
	uint32_t *sorted = mem_copy(number, n * sizeof *number);
	size_t ranks = 0;
	qsort(sorted, n, sizeof *sorted, compare_u32);
	for (size_t i = 0; i < n; i++)
		if (!i || sorted[i] != sorted[i - 1])
			sorted[ranks++] = sorted[i];
	for (size_t i = 0; i < n; i++)
		rank[i] =
			(size_t)((uint32_t *)bsearch(&number[i], sorted, ranks, sizeof *sorted, compare_u32) - sorted);
	free(sorted);
	return ranks;
}

static size_t *suffix_order(const uint32_t *number, size_t n)
{
	size_t *order = mem_array(n, sizeof *order), *rank = mem_array(n, sizeof *rank);
	size_t *other = mem_array(n, sizeof *other), *count = mem_array(n + 2, sizeof *count);
	size_t ranks = rank_numbers(number, n, rank);
	for (size_t i = 0; i < n; i++)
		other[i] = i;
	sort_by_rank(other, order, rank, count, ranks, n);
	for (size_t ahead = 1; ranks < n; ahead *= 2) {
		/* by what is ahead: nothing at all comes first */
		size_t put = 0;
		for (size_t i = n - ahead; i < n; i++)
			other[put++] = i;
		for (size_t i = 0; i < n; i++)
			if (order[i] >= ahead)
				other[put++] = order[i] - ahead;
		sort_by_rank(other, order, rank, count, ranks, n);
		ranks = 0;
		for (size_t i = 0; i < n; i++) {
			size_t at = order[i], before = i ? order[i - 1] : 0;
			bool same = i && rank[at] == rank[before] &&
				    (at + ahead < n ? before + ahead < n && rank[at + ahead] == rank[before + ahead]
						    : before + ahead >= n);
			ranks += !same;
			other[at] = ranks - 1;
		}
		size_t *swapped = rank;
		rank = other;
		other = swapped;
	}
	free(rank);
	free(other);
	free(count);
	return order;
}

/* By place in the order: how many numbers a suffix begins with as the one before does. */
static size_t *common_prefixes(const uint32_t *number, size_t n, const size_t *order)
{
	size_t *place = mem_array(n, sizeof *place), *common = mem_array(n, sizeof *common), same = 0;
	for (size_t i = 0; i < n; i++)
		place[order[i]] = i;
	for (size_t i = 0; i < n; i++) {
		common[place[i]] = 0;
		if (!place[i]) {
			same = 0;
			continue;
		}
		size_t before = order[place[i] - 1];
		while (i + same < n && before + same < n && number[i + same] == number[before + same])
			same++;
		common[place[i]] = same;
		same -= same > 0;
	}
	free(place);
	return common;
}

struct blocks_found blocks_find(const uint32_t *number, size_t n)
{
	struct blocks_found found = {0};
	if (n < 2)
		return found;
	found.order = suffix_order(number, n);
	size_t *common = common_prefixes(number, n, found.order);
	/* blocks that still go on, each longer than the one below */
	struct repeated *open = mem_array(n + 1, sizeof *open);
	size_t depth = 0;
	for (size_t i = 1; i <= n; i++) {
		size_t length = i < n ? common[i] : 0, first = i - 1;
		while (depth && open[depth - 1].length > length) {
			struct repeated r = open[--depth];
			size_t below = depth ? open[depth - 1].length : 0;
			r.last = i - 1;
			r.shorter = below > length ? below : length;
			first = r.first;
			*MEM_PUSH(found.block, found.length, found.capacity) = r;
		}
		if (length && (!depth || open[depth - 1].length < length))
			open[depth++] = (struct repeated){.first = first, .length = length};
	}
	free(open);
	free(common);
	return found;
}

void blocks_found_clear(struct blocks_found *found)
{
	free(found->order);
	free(found->block);
	*found = (struct blocks_found){0};
}
