/*
 * ranks.c -- sets of ranks as sorted runs.
 *
 * Invariant: run[i].last + 1 < run[i+1].first. Results are built in ascending order, where `append`
 * keeps it in O(1).
 */
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/mem.h"
#include "base/ranks.h"

#define NESTED_LIMIT 16u

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
	*MEM_PUSH(set->run, set->length, set->capacity) = run;
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
	size_t run;
	SEARCH_FIRST(run, 0, set->length, set->run[run].last >= rank);
	return run;
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
		struct ranks_run common = {
			larger(a->run[i].first, b->run[j].first), smaller(a->run[i].last, b->run[j].last)};
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

static void become(struct ranks *set, struct ranks result)
{
	ranks_clear(set);
	*set = result;
}

void ranks_join(struct ranks *set, const struct ranks *more)
{
	struct ranks all = {0};
	ranks_unite(&all, set, more);
	become(set, all);
}

void ranks_remove(struct ranks *set, const struct ranks *less)
{
	struct ranks rest = {0};
	ranks_subtract(&rest, set, less);
	become(set, rest);
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

static bool read_positive(const char **at, const char *what, uint32_t *number, struct error *error)
{
	uint64_t value;
	if (!text_read_number(at, RANK_LIMIT, &value) || !value)
		return error_set(
			error, ERROR_INPUT, "%s in a set of ranks must be a number from 1 to %u", what, RANK_LIMIT);
	*number = (uint32_t)value;
	return true;
}

/* Ranks stand in ascending order, so that none can stand twice unseen. */
static bool append_checked(struct ranks *set, struct ranks_run run, struct error *error)
{
	if (set->length && run.first <= set->run[set->length - 1].last)
		return error_set(
			error, ERROR_INPUT, "rank %u stands twice or out of order in a set of ranks", run.first);
	append(set, run);
	return true;
}

static bool append_strided(struct ranks *set, struct ranks_run run, uint32_t stride, struct error *error)
{
	if (stride == 1)
		return append_checked(set, run, error);
	for (uint32_t rank = run.first; rank <= run.last; rank += stride)
		if (!append_checked(set, (struct ranks_run){rank, rank}, error))
			return false;
	return true;
}

/* a, a-b or a-b:s */
static bool read_run(struct ranks *to, const char **at, struct error *error)
{
	struct ranks_run run;
	uint32_t stride = 1;
	if (!read_rank(at, &run.first, error))
		return false;
	run.last = run.first;
	if (**at != '-')
		return append_checked(to, run, error);
	++*at;
	if (!read_rank(at, &run.last, error))
		return false;
	if (run.last < run.first)
		return error_set(error, ERROR_INPUT, "the range %u-%u runs backwards", run.first, run.last);
	if (**at == ':') {
		++*at;
		if (!read_positive(at, "a stride", &stride, error))
			return false;
	}
	return append_strided(to, run, stride, error);
}

static bool append_copies(
	struct ranks *to, const struct ranks *group, uint32_t stride, uint32_t count, struct error *error)
{
	uint32_t first = group->run->first, last = group->run[group->length - 1].last;
	if (count > 1 && last - first >= stride)
		return error_set(error, ERROR_INPUT, "the copies of the group of %u to %u, %u apart, overlap", first,
			last, stride);
	if (last + (uint64_t)stride * (count - 1) >= RANK_LIMIT)
		return error_set(error, ERROR_INPUT,
			"%u copies of the group of %u to %u pass the last rank there can be", count, first, last);
	for (uint32_t copy = 0; copy < count; copy++)
		for (size_t i = 0; i < group->length; i++) {
			struct ranks_run run = {
				group->run[i].first + copy * stride, group->run[i].last + copy * stride};
			if (!append_checked(to, run, error))
				return false;
		}
	return true;
}

static bool read_set(struct ranks *to, const char **at, unsigned depth, struct error *error);

/* (items)+s*n */
static bool read_copies(struct ranks *to, struct ranks *group, const char **at, unsigned depth, struct error *error)
{
	uint32_t stride = 0, count = 0;
	++*at;
	if (depth == NESTED_LIMIT)
		return error_set(error, ERROR_INPUT, "more than %u groups of ranks nested", NESTED_LIMIT);
	if (!read_set(group, at, depth + 1, error))
		return false;
	if ((*at)[0] != ')' || (*at)[1] != '+')
		return error_set(error, ERROR_INPUT, "a group of ranks is repeated as in (1-3)+4*2: ')+' is missing");
	*at += 2;
	if (!read_positive(at, "the distance of copies", &stride, error))
		return false;
	if (**at != '*')
		return error_set(error, ERROR_INPUT, "a group of ranks is repeated as in (1-3)+4*2: '*' is missing");
	++*at;
	return read_positive(at, "the number of copies", &count, error) &&
	       append_copies(to, group, stride, count, error);
}

static bool read_group(struct ranks *to, const char **at, unsigned depth, struct error *error)
{
	struct ranks group = {0};
	bool good = read_copies(to, &group, at, depth, error);
	ranks_clear(&group);
	return good;
}

static bool read_set(struct ranks *to, const char **at, unsigned depth, struct error *error)
{
	for (;; ++*at) {
		if (!(**at == '(' ? read_group(to, at, depth, error) : read_run(to, at, error)))
			return false;
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
	if (!read_set(to, &end, 0, error)) {
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
