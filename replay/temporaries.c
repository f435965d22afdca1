/*
 * temporaries.c -- the uses of each number are followed process by process: the first one tells
 * where it is made, the last one where it is freed. Statements that are the last uses of one
 * number, of different processes, free it together or not at all.
 */
#include "replay/temporaries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ask/collective_names.h"
#include "ask/shortfalls.h"
#include "base/mem.h"

/* The last use of a number so far. */
struct use {
	uint32_t user; /* the process + 1 */
	size_t at;
	int64_t *index;
};

struct search {
	const struct overview *overview;
	const struct communicators *communicators;
	const bool *requests, *conditional;
	struct temporaries *t;
	uint32_t *depth; /* by statement: of its unit */
	bool *torn; /* by statement: others use the communicator behind it */
	size_t *joined; /* by statement: another one that frees what it frees, or itself */
	struct use *use; /* by number */
	bool *requested; /* by number */
	size_t *last; /* by number: a statement that is the last use of some process; SIZE_MAX */
};

/* ------------------------------------------------------------------ needed no more */

static node_id number_of(const struct search *x, size_t at)
{
	return overview_is_call(x->overview, at) ? overview_node(x->overview, at)->kid[COLUMN_COMMUNICATOR] : NODE_NONE;
}

/* The outermost loop all of whose iterations use what the statement uses, and whoever executes it
   executes the statement. */
static void find_unit(struct search *x, size_t at)
{
	const struct overview_line *line = x->overview->line;
	uint64_t indices = node_of(x->overview->store, number_of(x, at))->uses[FOR_ALL], trips;
	size_t inner = at, around = line[at].around;
	x->t->unit[at] = at;
	x->depth[at] = line[at].loops;
	for (; around != OVERVIEW_NONE && !x->conditional[inner]; inner = around, around = line[around].around) {
		if (!overview_is_loop(x->overview, around) || !overview_trips(x->overview, around, &trips) || !trips ||
			indices & USES_INDEX(line[at].loops - 1 - line[around].loops))
			return;
		x->t->unit[at] = around;
		x->depth[at] = line[around].loops;
	}
}

static size_t joined_of(struct search *x, size_t at)
{
	while (x->joined[at] != at)
		at = x->joined[at] = x->joined[x->joined[at]];
	return at;
}

/* ------------------------------------------------------------------ the uses */

static bool all_come_by(const struct search *x, size_t at)
{
	const char *name = overview_word(x->overview, at);
	return overview_match(x->overview, at) == MATCH_GROUP && collective_scope(name) == SCOPE_GROUP &&
	       !shortfalls_may_be_between(&x->overview->module->notes, name, number_of(x, at));
}

/* Is it another round of the same execution of the same unit? */
static bool goes_on(const struct search *x, const struct use *before, size_t at, const int64_t *index)
{
	size_t unit = x->t->unit[at];
	return unit != at && unit == x->t->unit[before->at] &&
	       !memcmp(before->index, index, x->depth[at] * sizeof *index);
}

static void meet_use(struct search *x, uint32_t rank, struct cursor *c)
{
	size_t at = c->line;
	if (!number_of(x, at))
		return;
	int64_t number = number_at(&c->at, number_of(x, at));
	struct use *use = &x->use[number];
	if (use->user != rank + 1) {
		x->t->is[number] &= all_come_by(x, at);
		x->t->opens[at] |= all_come_by(x, at);
	} else if (!goes_on(x, use, at, c->at.index)) {
		x->torn[use->at] = true;
	}
	x->requested[number] |= x->requests[at];
	use->user = rank + 1;
	use->at = at;
	memcpy(use->index, c->at.index, c->at.depth * sizeof *use->index);
}

static void end_uses(struct search *x, uint32_t rank)
{
	for (size_t i = 0; i < x->communicators->numbers; i++) {
		if (x->use[i].user != rank + 1)
			continue;
		size_t at = x->use[i].at;
		x->torn[at] |= !all_come_by(x, at) || x->communicators->sort[i] == COMMUNICATOR_SELF;
		x->t->closes[at] = true;
		if (x->last[i] == SIZE_MAX)
			x->last[i] = at;
		x->joined[joined_of(x, at)] = joined_of(x, x->last[i]);
	}
}

/* ------------------------------------------------------------------ all of it */

static void decide(struct search *x)
{
	for (size_t i = 0; i < x->communicators->numbers; i++) {
		enum communicator_sort sort = x->communicators->sort[i];
		x->t->is[i] &= !x->requested[i] && (sort == COMMUNICATOR_PART || sort == COMMUNICATOR_WORLD);
		if (x->requested[i] && x->last[i] != SIZE_MAX)
			x->torn[x->last[i]] = true;
	}
	for (size_t i = 0; i < x->overview->lines; i++)
		if (x->torn[i])
			x->torn[joined_of(x, i)] = true;
	for (size_t i = 0; i < x->overview->lines; i++)
		x->t->closes[i] &= !x->torn[joined_of(x, i)];
}

static void follow_uses(struct search *x)
{
	struct cursor *k = cursor_new(x->overview->run, 0);
	size_t depth = run_depth(x->overview->run), numbers = x->communicators->numbers;
	int64_t *index = mem_array(numbers * depth + 1, sizeof *index);
	for (size_t i = 0; i < numbers; i++)
		x->use[i].index = index + i * depth;
	for (uint32_t rank = 0; rank < x->overview->module->processes; rank++) {
		for (cursor_restart(k, rank); cursor_next(k);)
			meet_use(x, rank, k);
		end_uses(x, rank);
	}
	cursor_free(k);
	free(index);
}

void temporaries_of(struct temporaries *t, const struct communicators *c, const bool *requests, const bool *conditional)
{
	size_t length = c->overview->lines + 1, numbers = c->numbers + 1;
	*t = (struct temporaries){0};
	if (c->numbers <= TEMPORARIES_FROM)
		return;
	*t = (struct temporaries){mem_zero(numbers * sizeof *t->is), mem_zero(length * sizeof *t->opens),
		mem_zero(length * sizeof *t->closes), mem_array(length, sizeof *t->unit)};
	struct search x = {c->overview, c, requests, conditional, t, mem_zero(length * sizeof *x.depth),
		mem_zero(length * sizeof *x.torn), mem_array(length, sizeof *x.joined),
		mem_zero(numbers * sizeof *x.use), mem_zero(numbers * sizeof *x.requested),
		mem_array(numbers, sizeof *x.last)};
	for (size_t i = 0; i < length; i++)
		x.joined[i] = i;
	for (size_t i = 0; i < numbers; i++)
		x.last[i] = SIZE_MAX;
	for (size_t i = 0; i < c->numbers; i++)
		t->is[i] = c->member[i].length;
	for (size_t i = 0; i < c->overview->lines; i++)
		if (overview_is_call(c->overview, i))
			find_unit(&x, i);
	follow_uses(&x);
	decide(&x);
	free(x.depth);
	free(x.torn);
	free(x.joined);
	free(x.use);
	free(x.requested);
	free(x.last);
}

void temporaries_clear(struct temporaries *t)
{
	free(t->is);
	free(t->opens);
	free(t->closes);
	free(t->unit);
}

/* ------------------------------------------------------------------ in C */

/* {first, last, stride}, as MPI_Group_range_incl has them: runs, and single ranks that are evenly
   apart. */
static size_t put_ranges(const struct ranks *who, struct text *out)
{
	size_t ranges = 0, next;
	for (size_t i = 0; i < who->length; i = next, ranges++) {
		const struct ranks_run *run = &who->run[i];
		uint32_t stride = 1, last = run->last;
		next = i + 1;
		if (run->first == last && next < who->length && run[1].first == run[1].last)
			for (stride = run[1].first - last; next < who->length &&
							   who->run[next].first == who->run[next].last &&
							   who->run[next].first - last == stride;)
				last = who->run[next++].first;
		text_format(out, "{%u, %u, %u},", run->first, last, stride);
	}
	return ranges;
}

/* After how many numbers do they have the same processes again? */
static size_t period_of(const uint32_t *set, size_t numbers)
{
	size_t period = 1;
	for (size_t i = 0; i < numbers; i++)
		if (i >= period && set[i] != set[i % period]) {
			period++;
			i = 0;
		}
	return period;
}

static const char functions[] = "static void open_communicator(int number)\n{\n"
				"\tMPI_Group world, members;\n"
				"\tif (comm[number] != MPI_COMM_NULL)\n\t\treturn;\n"
				"\tint is = set_of[(number - FIRST) % PERIOD];\n"
				"\tMPI_Comm_group(MPI_COMM_WORLD, &world);\n"
				"\tMPI_Group_range_incl(world, set[is].ranges, &range[set[is].first], &members);\n"
				"\tMPI_Comm_create_group(MPI_COMM_WORLD, members, number, &comm[number]);\n"
				"\tMPI_Group_free(&members);\n\tMPI_Group_free(&world);\n}\n\n"
				"static void close_communicator(int number)\n{\n"
				"\tif (comm[number] != MPI_COMM_NULL)\n\t\tMPI_Comm_free(&comm[number]);\n}\n\n";

void temporaries_print(const struct temporaries *t, const struct communicators *c, struct text *out)
{
	struct intern *sets = intern_new();
	struct text ranges = {0}, all = {0};
	size_t first = 0, end = 0, count = 0;
	uint32_t *set = mem_array(c->numbers + 1, sizeof *set);
	for (size_t i = 0; i < c->numbers; i++) {
		set[i] = UINT32_MAX;
		if (!t->is[i])
			continue;
		const struct ranks *who = &c->member[i];
		uint32_t known = intern_count(sets);
		set[i] = intern_id(sets, who->run, who->length * sizeof *who->run);
		if (set[i] == known) {
			size_t more = put_ranges(who, &ranges);
			text_format(&all, "{%zu, %zu},", count, more);
			count += more;
		}
		first = end ? first : i;
		end = i + 1;
	}
	size_t period = period_of(set + first, end - first);
	text_format(out,
		"/* Of so many, each is made where its processes first come by, and freed behind their last use:\n"
		"   set_of says who they are, as ranges of ranks. */\n"
		"enum { FIRST = %zu, PERIOD = %zu };\n"
		"static int range[][3] = {%s};\n"
		"static const struct { int first, ranges; } set[] = {%s};\n"
		"static const int set_of[] = {",
		first, period, ranges.data ? ranges.data : "{0, 0, 1}", all.data ? all.data : "{0, 1}");
	for (size_t i = 0; i < period; i++)
		text_format(out, "%s%" PRIu32,
			i % 32 ? ", "
			: i    ? ",\n\t"
			       : "",
			i + first < end && set[first + i] != UINT32_MAX ? set[first + i] : 0);
	text_put(out, "};\n\n");
	text_put(out, functions);
	text_clear(&ranges);
	text_clear(&all);
	intern_free(sets);
	free(set);
}
