/*
 * ranks.c -- sets of ranks as sorted runs.
 *
 * Invariant: run[i].last + 1 < run[i+1].first. Results are built in ascending order, where `append` keeps it in O(1).
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"

void ranks_clear(struct ranks *set)
{
	free(set->run);
	*set = (struct ranks){0};
}

void ranks_copy(struct ranks *to, const struct ranks *from)
{
	if (to == from)
		return;
	to->length = 0;
	if (!from->length)
		return;
	to->run = mem_grow(to->run, &to->capacity, from->length, sizeof *to->run);
	memcpy(to->run, from->run, from->length * sizeof *to->run);
	to->length = from->length;
}

static void push_run(struct ranks *set, struct ranks_run run)
{
	set->run = mem_grow(set->run, &set->capacity, set->length + 1, sizeof *set->run);
	set->run[set->length++] = run;
}

/* Add a run that does not start before the last one of the set. */
static void append(struct ranks *set, struct ranks_run run)
{
	struct ranks_run *last = set->length ? set->run + set->length - 1 : NULL;
	if (!last || run.first > (uint64_t)last->last + 1)
		push_run(set, run);
	else if (run.last > last->last)
		last->last = run.last;
}

/* Index of the first run that ends at `rank` or behind it. */
static size_t first_reaching(const struct ranks *set, uint64_t rank)
{
	size_t low = 0, high = set->length;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (set->run[middle].last < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Put a run in the place of runs from - 1 < i < to. */
static void replace(struct ranks *set, size_t from, size_t to, struct ranks_run run)
{
	if (from == to) {
		push_run(set, run);
		to = from + 1;
		memmove(set->run + to, set->run + from, (set->length - to) * sizeof *set->run);
	} else {
		memmove(set->run + from + 1, set->run + to, (set->length - to) * sizeof *set->run);
		set->length -= to - from - 1;
	}
	set->run[from] = run;
}

void ranks_add_run(struct ranks *set, uint32_t first, uint32_t last)
{
	struct ranks_run run = {first, last};
	if (!set->length || first >= set->run[set->length - 1].first) {
		append(set, run);
		return;
	}
	size_t from = first_reaching(set, first ? first - 1 : 0);
	size_t to = from;
	for (; to < set->length && set->run[to].first <= (uint64_t)last + 1; to++) {
		if (set->run[to].first < run.first)
			run.first = set->run[to].first;
		if (set->run[to].last > run.last)
			run.last = set->run[to].last;
	}
	replace(set, from, to, run);
}

void ranks_add(struct ranks *set, uint32_t rank)
{
	ranks_add_run(set, rank, rank);
}

void ranks_unite(struct ranks *to, const struct ranks *a, const struct ranks *b)
{
	to->length = 0;
	size_t i = 0, j = 0;
	while (i < a->length || j < b->length) {
		if (j == b->length || (i < a->length && a->run[i].first <= b->run[j].first))
			append(to, a->run[i++]);
		else
			append(to, b->run[j++]);
	}
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void ranks_intersect(struct ranks *to, const struct ranks *a, const struct ranks *b)
{
	to->length = 0;
	for (size_t i = 0, j = 0; i < a->length && j < b->length;) {
		struct ranks_run common = {larger(a->run[i].first, b->run[j].first), smaller(a->run[i].last, b->run[j].last)};
		if (common.first <= common.last)
			append(to, common);
		if (a->run[i].last < b->run[j].last)
			i++;
		else
			j++;
	}
}

void ranks_subtract(struct ranks *to, const struct ranks *a, const struct ranks *b)
{
	to->length = 0;
	size_t j = 0;
	for (size_t i = 0; i < a->length; i++) {
		uint64_t first = a->run[i].first;
		uint32_t last = a->run[i].last;
		while (j < b->length && b->run[j].last < first)
			j++;
		for (; j < b->length && b->run[j].first <= last; j++) {
			if (b->run[j].first > first)
				append(to, (struct ranks_run){(uint32_t)first, b->run[j].first - 1});
			first = (uint64_t)b->run[j].last + 1;
			if (first > last)
				break; /* this run of b may reach into the next one of a */
		}
		if (first <= last)
			append(to, (struct ranks_run){(uint32_t)first, last});
	}
}

bool ranks_has(const struct ranks *set, uint32_t rank)
{
	size_t i = first_reaching(set, rank);
	return i < set->length && set->run[i].first <= rank;
}

bool ranks_equal(const struct ranks *a, const struct ranks *b)
{
	return a->length == b->length && (!a->length || !memcmp(a->run, b->run, a->length * sizeof *a->run));
}

bool ranks_meet(const struct ranks *a, const struct ranks *b)
{
	for (size_t i = 0, j = 0; i < a->length && j < b->length;) {
		if (a->run[i].last < b->run[j].first)
			i++;
		else if (b->run[j].last < a->run[i].first)
			j++;
		else
			return true;
	}
	return false;
}

bool ranks_within(const struct ranks *a, const struct ranks *b)
{
	for (size_t i = 0, j = 0; i < a->length; i++) {
		while (j < b->length && b->run[j].last < a->run[i].first)
			j++;
		if (j == b->length || b->run[j].first > a->run[i].first || b->run[j].last < a->run[i].last)
			return false;
	}
	return true;
}

uint64_t ranks_count(const struct ranks *set)
{
	uint64_t count = 0;
	for (size_t i = 0; i < set->length; i++)
		count += (uint64_t)set->run[i].last - set->run[i].first + 1;
	return count;
}

/* ------------------------------------------------------------------ as text */

void ranks_print(const struct ranks *set, struct text *out)
{
	text_add(out, "", 0);
	for (size_t i = 0; i < set->length; i++) {
		if (i)
			text_char(out, ',');
		text_number(out, set->run[i].first);
		if (set->run[i].last == set->run[i].first)
			continue;
		text_char(out, '-');
		text_number(out, set->run[i].last);
	}
}

static bool read_rank(const char **at, uint32_t *rank, struct error *error)
{
	uint64_t number;
	if (!text_read_number(at, RANK_LIMIT - 1, &number)) {
		int shown = (int)strspn(*at, "0123456789");
		return shown ? error_set(error, ERROR_INPUT, "'%.*s' is not a rank (0 to %u, without leading zeros)",
				       shown < 40 ? shown : 40, *at, RANK_LIMIT - 1)
			     : error_set(error, ERROR_INPUT, "a rank is missing in a set of ranks");
	}
	*rank = (uint32_t)number;
	return true;
}

static bool read_run(const char **at, struct ranks_run *run, struct error *error)
{
	if (!read_rank(at, &run->first, error))
		return false;
	run->last = run->first;
	if (**at != '-')
		return true;
	++*at;
	if (!read_rank(at, &run->last, error))
		return false;
	if (run->last < run->first)
		return error_set(error, ERROR_INPUT, "the range %u-%u runs backwards", run->first, run->last);
	return true;
}

static bool read_set(struct ranks *to, const char **at, struct error *error)
{
	for (;; ++*at) {
		struct ranks_run run;
		if (!read_run(at, &run, error))
			return false;
		if (to->length && run.first <= to->run[to->length - 1].last)
			return error_set(error, ERROR_INPUT, "rank %u stands twice or out of order in a set of ranks", run.first);
		append(to, run);
		if (**at == '-')
			return error_set(error, ERROR_INPUT, "a stray '-' in a set of ranks");
		if (**at != ',')
			return true;
	}
}

bool ranks_parse(struct ranks *to, const char **at, struct error *error)
{
	const char *end = *at;
	to->length = 0;
	if (!read_set(to, &end, error)) {
		to->length = 0;
		return false;
	}
	*at = end;
	return true;
}

bool ranks_next(const struct ranks *set, struct ranks_walk *walk, uint32_t *rank)
{
	if (walk->run == set->length)
		return false;
	const struct ranks_run *run = set->run + walk->run;
	*rank = run->first + walk->offset;
	if (*rank < run->last) {
		walk->offset++;
	} else {
		walk->run++;
		walk->offset = 0;
	}
	return true;
}
