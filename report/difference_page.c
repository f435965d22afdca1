/*
 * difference_page.c -- what two runs come to beside each other, in words and as JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/executions.h"
#include "base/mem.h"
#include "model/module_address.h"
#include "report/difference.h"
#include "report/findings.h"
#include "report/naming.h"

/* Of the longer run: run times that differ by less do not stand out. */
#define LEAST 0.02
/* Of a change: a part that says what it is. */
#define MOST_OF_IT 0.5
/* What a rank computes longer than others, of what most do. */
#define LEAST_EXCESS 0.2
/* How many times the noise is no noise; iterations that tell it. */
#define NOISE 3
#define LEAST_BINS 8

#define ROWS 10 /* of constructs */
#define STATEMENTS 16 /* of programs alone; */
#define FEW_STATEMENTS 5 /* ... below constructs */

static const struct run_construct *construct_of(
	const struct difference *d, const struct difference_row *row, size_t side)
{
	return row->in[side] == DIFFERENCE_NONE ? NULL : &d->run[side].construct[row->in[side]];
}

/* "26.0 % longer", "14.3 times as long" */
static void put_growth(double from, double to, const char *by, const char *times, struct text *out)
{
	if (to < 10 * from)
		text_format(out, "%.1f %% %s", 100 * (to - from) / from, by);
	else if (from > 0)
		text_format(out, "%.4g times %s", to / from, times);
	else
		text_put(out, by);
}

/* What times of the other run are to be multiplied by, beside those of this one. */
static double promised(const struct difference *d, size_t side)
{
	return side ? d->ideal : 1 / d->ideal;
}

/* ------------------------------------------------------------------ what is no more than noise */

/* By how much the sum of a construct's iterations varies from run to run, as these do. */
static double noise_of(const struct run_construct *c)
{
	return c && c->bins >= LEAST_BINS ? series_distance(c->series, c->bins) * sqrt((double)c->bins) : 0;
}

/* ------------------------------------------------------ why a construct takes longer */

/* In an iteration. */
static double mean_of(const struct run_construct *c, const struct ranks *who, uint32_t processes)
{
	double sum = 0, n = ranks_count(who) ? (double)ranks_count(who) : processes;
	for (size_t i = 0; i < c->shares; i++)
		if (!ranks_count(who) || ranks_has(who, c->share[i].rank))
			sum += c->share[i].computation;
	return n > 0 ? sum / n / (double)(c->iterations ? c->iterations : 1) : 0;
}

static void put_computing(const struct difference *d, const struct run_construct *was, const struct run_construct *is,
	size_t longer, struct text *out)
{
	uint32_t n = d->run[longer].processes;
	struct ranks who = {0};
	double limit;
	if (n == d->run[!longer].processes) {
		double *more = mem_zero((n + (size_t)1) * sizeof *more), most = 0;
		for (size_t i = 0; i < is->shares; i++)
			more[is->share[i].rank] += is->share[i].computation;
		for (size_t i = 0; i < was->shares; i++)
			more[was->share[i].rank] -= was->share[i].computation;
		for (uint32_t r = 0; r < n; r++)
			most = more[r] > most ? more[r] : most;
		if (stand_apart(more, n, LEAST_EXCESS * most, &limit))
			for (uint32_t r = 0; r < n; r++)
				if (more[r] >= limit)
					ranks_add(&who, r);
		free(more);
	}
	text_format(out, ": slow computation%s\n  ", ranks_count(&who) ? "" : " on all ranks");
	put_ranks(out, &who, n, d->run[longer].program ? &d->run[longer].program->grid : NULL);
	text_format(out, ": %s %s an iteration, in %s %s", ranks_count(&who) == 1 ? "computes" : "compute",
		seconds_of(mean_of(is, &who, n)).words, d->run[!longer].path,
		seconds_of(mean_of(was, &who, d->run[!longer].processes)).words);
	ranks_clear(&who);
}

/* In which iterations it takes longer. */
static void put_iterations(const struct run_construct *was, const struct run_construct *is, struct text *out)
{
	text_put(out, "\n  iterations: ");
	bool same = was->iterations == is->iterations && was->bins == is->bins && is->bins > 1 && is->from[1];
	if (!same) {
		text_format(out, "all %" PRIu64, is->iterations);
		if (was->iterations != is->iterations)
			text_format(out, ", instead of %" PRIu64, was->iterations);
		text_char(out, '\n');
		return;
	}
	double *more = mem_array(is->bins, sizeof *more);
	for (size_t i = 0; i < is->bins; i++)
		more[i] = is->series[i] > was->series[i] ? is->series[i] - was->series[i] : 0;
	struct iteration_series series = {more, is->bins, is->iterations, is->from[1]};
	struct named_iterations names = iterations_name(&series, NULL);
	iterations_print(&names, 1, out);
	text_char(out, '\n');
	free(more);
}

/* "1.2 ms, in before.db 800 us" */
static void put_time(double seconds, const struct run_facts *was, double before, struct text *out)
{
	text_format(out, "%s, in %s %s", seconds_of(seconds).words, was->path, seconds_of(before).words);
}

/* From the parts by which it grew. */
static void put_parts(const struct difference *d, const struct run_construct *was, const struct run_construct *is,
	size_t longer, struct text *out)
{
	const struct run_facts *before = &d->run[!longer];
	double p = promised(d, longer), change = is->path - was->path * p;
	double transfer = is->transfer - was->transfer * p, serialization = is->serialization - was->serialization * p;
	if (change - transfer - serialization >= MOST_OF_IT * change) {
		put_computing(d, was, is, longer, out);
	} else if (transfer >= serialization) {
		text_format(out, ": transfer\n  all %" PRIu32 " ranks: ", d->run[longer].processes);
		if (is->messages)
			text_format(out, "%" PRIu64 " messages of %.4g bytes, in %s %" PRIu64 " of %.4g", is->messages,
				(double)is->bytes / (double)is->messages, before->path, was->messages,
				was->messages ? (double)was->bytes / (double)was->messages : 0);
		else {
			text_put(out, "calls take ");
			put_time(is->transfer, before, was->transfer, out);
		}
	} else {
		text_format(out, ": waiting\n  all %" PRIu32 " ranks: one computes while others wait, ",
			d->run[longer].processes);
		put_time(is->serialization, before, was->serialization, out);
	}
	put_iterations(was, is, out);
}

static void put_place(const struct run_construct *c, struct text *out)
{
	text_put(out, c->name);
	if (c->loop)
		text_format(out, " (loop %s, %" PRIu64 " iterations)", c->loop, c->iterations);
	else
		text_put(out, " (in no loop)");
}

/* The construct that report speaks of: of a region in loops inside each other it takes the outer
   one. */
static const struct run_construct *spoken_of(const struct run_facts *r, const struct run_construct *c)
{
	for (size_t i = 0; i < r->length && c && c->loop && !c->words; i++) {
		const struct run_construct *outer = &r->construct[i];
		size_t length = outer->loop ? strlen(outer->loop) : 0;
		if (outer->words && !strcmp(outer->name, c->name) && outer->loop &&
			!strncmp(outer->loop, c->loop, length) && c->loop[length] == '.')
			return outer;
	}
	return c;
}

/* Does report accuse it in the longer run of what is no news, or nobody of what is no change? */
static bool is_old(const struct run_construct *was, const struct run_construct *is, double p)
{
	const char *a = was ? finding_of_words(was->words) : NULL, *b = finding_of_words(is->words);
	if (is->loss - (was ? was->loss * p : 0) >= MOST_OF_IT * (is->path - (was ? was->path * p : 0)))
		return false;
	if (!is->accused)
		return true;
	if (!a || !b)
		return false;
	size_t length = strcspn(b, ":");
	return strcspn(a, ":") == length && !strncmp(a, b, length + strcspn(b + length, "\n"));
}

/* Of work: what has grown by less is no more of it. Of the change: work explains so much. */
#define MORE_WORK 0.1

/* Computation of all processes together has grown, as much as the time: nobody is slow, there is
   more to do. In more iterations, of which each takes as long, or on more processes. */
static bool more_work(
	const struct difference *d, const struct run_construct *was, const struct run_construct *is, size_t longer)
{
	double p = promised(d, longer), change = is->path - was->path * p;
	double n = d->run[longer].processes, each = is->work / n - was->work / d->run[!longer].processes * p;
	bool more = is->iterations > was->iterations || d->ideal != 1;
	bool each_as_long =
		is->iterations > was->iterations &&
		is->path * (double)was->iterations <= was->path * p * (1 + MORE_WORK) * (double)is->iterations;
	if (each_as_long && was->iterations && change > 0)
		return true;
	return more && is->work > was->work * (1 + MORE_WORK) && change > 0 && each >= MOST_OF_IT * change;
}

static void put_cause(const struct difference *d, const struct difference_row *row, size_t longer, struct text *out)
{
	const struct run_construct *is = construct_of(d, row, longer), *was = construct_of(d, row, !longer);
	const struct run_construct *told = spoken_of(&d->run[longer], is);
	const char *place = finding_of_words(told->words);
	text_format(out, ": %s of it in ", seconds_of(fabs(row->change)).words);
	bool more = was && more_work(d, was, is, longer);
	if (!more && place && !is_old(spoken_of(&d->run[!longer], was), told, promised(d, longer))) {
		text_put(out, place); /* its place and kind, and two more lines */
		return;
	}
	put_place(is, out);
	if (!was) {
		text_format(out,
			": only there\n  all that are in it: %" PRIu64 " messages of %" PRIu64
			" bytes together\n  iterations: all %" PRIu64 "\n",
			is->messages, is->bytes, is->iterations);
	} else if (more) {
		text_format(out, ": more work\n  all %" PRIu32 " ranks: compute together ", d->run[longer].processes);
		put_time(is->work, &d->run[!longer], was->work, out);
		if (is->iterations != was->iterations && is->iterations && was->iterations)
			text_format(out, "; an iteration %s and %s",
				seconds_of(is->work / (double)is->iterations).words,
				seconds_of(was->work / (double)was->iterations).words);
		put_iterations(was, is, out);
	} else
		put_parts(d, was, is, longer, out);
}

/* The change that says most of why one takes longer: the largest in that direction. */
static const struct difference_row *leading(const struct difference *d, size_t longer)
{
	for (size_t i = 0; i < d->rows; i++)
		if ((d->row[i].change > 0) == (longer == 1) && d->row[i].change != 0)
			return &d->row[i];
	return NULL;
}

static void put_times_lead(const struct difference *d, struct text *out)
{
	double a = d->run[0].run * d->ideal, b = d->run[1].run, longest = a > b ? a : b;
	size_t longer = b >= a;
	const struct difference_row *row = leading(d, longer);
	/* the largest change is the first */
	if (!d->structure && a == b && d->ideal == 1 && (!d->rows || d->row[0].change == 0)) {
		text_put(out, "Nothing differs.\n");
		return;
	}
	bool stands_out = row && fabs(b - a) >= LEAST * longest &&
			  fabs(row->change) >=
				  NOISE * hypot(noise_of(construct_of(d, row, 0)), noise_of(construct_of(d, row, 1)));
	if (!stands_out) {
		text_format(out, "Nothing stands out: run times%s %s and %s%s\n",
			d->ideal != 1 ? ", the first as scaling promises it," : "", seconds_of(a).words,
			seconds_of(b).words, d->structure ? "; the programs differ" : "");
		return;
	}
	text_format(out, "%s takes ", d->run[longer].path);
	put_growth(longer ? a : b, longest, "longer", "as long", out);
	if (d->ideal != 1)
		text_format(out,
			longer ? " than scaling promises, %s x %" PRIu32 "/%" PRIu32
			       : " than scaled, %s x %" PRIu32 "/%" PRIu32,
			d->run[0].path, d->run[0].processes, d->run[1].processes);
	text_format(out, " (%s -> %s)", seconds_of(longer ? a : b).words, seconds_of(longer ? b : a).words);
	put_cause(d, row, longer, out);
}

/* ------------------------------------------------------------------ the table of constructs */

static void put_number(uint64_t a, uint64_t b, int width, struct text *out)
{
	struct text both = {0};
	text_format(&both, "%" PRIu64, a);
	if (a != b)
		text_format(&both, ">%" PRIu64, b);
	text_format(out, " %*s", width, both.data);
	text_clear(&both);
}

static void put_row(const struct difference *d, const struct difference_row *row, struct text *out)
{
	static const struct run_construct none = {0};
	const struct run_construct *a = construct_of(d, row, 0), *b = construct_of(d, row, 1), *any = b ? b : a;
	a = a ? a : &none;
	b = b ? b : &none;
	text_format(out, "%+10.3f %10.3f %10.3f %+10.3f", 1e3 * row->change, 1e3 * a->path, 1e3 * b->path,
		1e3 * (b->loss - a->loss * d->ideal));
	put_number(a->calls, b->calls, 13, out);
	put_number(a->messages, b->messages, 13, out);
	put_number(a->bytes, b->bytes, 21, out);
	text_format(out, "  %-6s %s%s\n", any->loop ? any->loop : "-", any->name,
		a == &none   ? " (only in the second)"
		: b == &none ? " (only in the first)"
			     : "");
}

static void put_constructs(const struct difference *d, struct text *out)
{
	double others = 0;
	if (d->ideal != 1)
		text_format(out, "change, loss: the second less the first x %" PRIu32 "/%" PRIu32 "\n",
			d->run[0].processes, d->run[1].processes);
	text_format(out, "%10s %10s %10s %10s %13s %13s %21s  %-6s %s\n", "change, ms", "first", "second", "loss",
		"calls", "messages", "bytes", "loop", "region");
	for (size_t i = 0; i < d->rows; i++)
		if (i < ROWS)
			put_row(d, &d->row[i], out);
		else
			others += d->row[i].change;
	if (d->rows > ROWS)
		text_format(out, "%+10.3f %84s %zu others\n", 1e3 * others, "", d->rows - ROWS);
	text_format(out, "%+10.3f %10.3f %10.3f of the run time; %" PRIu32 " and %" PRIu32 " processes\n",
		1e3 * (d->run[1].run - d->run[0].run * d->ideal), 1e3 * d->run[0].run, 1e3 * d->run[1].run,
		d->run[0].processes, d->run[1].processes);
}

/* ------------------------------------------------------------------ programs */

/* Of a statement: in the second program if it is there, else in the first. */
static size_t side_of(const struct difference_statement *s)
{
	return s->in[1] != DIFFERENCE_NONE;
}

static void put_line(const struct difference *d, const struct difference_statement *s, struct text *out)
{
	run_facts_print_event(&d->run[side_of(s)], s->in[side_of(s)], out);
}

static const struct communication *totals_of(
	const struct difference *d, const struct difference_statement *s, size_t side)
{
	static const struct communication none = {0};
	return s->in[side] == DIFFERENCE_NONE ? &none : &d->run[side].totals[s->in[side]];
}

static char *address_in(const struct difference *d, const struct difference_statement *s, size_t side)
{
	struct text address = {0};
	if (s->in[side] != DIFFERENCE_NONE)
		module_address(d->run[side].program, s->in[side], &address);
	return address.data ? address.data : mem_text("-");
}

static void put_statement(const struct difference *d, const struct difference_statement *s, struct text *out)
{
	const struct communication *a = totals_of(d, s, 0), *b = totals_of(d, s, 1);
	char *first = address_in(d, s, 0), *second = address_in(d, s, 1);
	put_number(a->events, b->events, 17, out);
	if (d->sized)
		put_number(a->bytes, b->bytes, 23, out);
	text_format(out, "  %-8s %-8s ", first, second);
	put_line(d, s, out);
	text_format(out, "%s\n",
		s->in[0] == DIFFERENCE_NONE   ? " (only in the second)"
		: s->in[1] == DIFFERENCE_NONE ? " (only in the first)"
					      : "");
	free(first);
	free(second);
}

static void put_statements(const struct difference *d, size_t most, struct text *out)
{
	size_t told = d->differing < most ? d->differing : most;
	if (told) {
		text_format(out, " %17s", "events");
		if (d->sized)
			text_format(out, " %23s", "bytes");
		text_format(out, "  %-8s %-8s %s\n", "first", "second", "statement");
	}
	for (size_t i = 0; i < told; i++)
		put_statement(d, &d->statement[i], out);
	if (told < d->differing)
		text_format(out, "%18s %zu more differ\n", "...", d->differing - told);
	text_format(out, "%zu of %zu statements differ: %zu only in the first, %zu only in the second\n", d->differing,
		d->statements, d->only[0], d->only[1]);
}

static uint64_t volume_of(const struct run_facts *r, enum volume what)
{
	uint64_t sum = 0;
	for (const struct communication *c = r->totals; c < r->totals + r->program->lines; c++)
		sum += what == VOLUME_BYTES ? c->bytes : what == VOLUME_MESSAGES ? c->sent : c->events;
	return sum;
}

/* The measure in which programs differ most tellingly, of both; VOLUMES: in none. */
static enum volume telling(const struct difference *d, uint64_t *first, uint64_t *second)
{
	enum volume what = d->sized ? VOLUME_BYTES : VOLUME_MESSAGES;
	for (; what < VOLUMES; what++) {
		*first = volume_of(&d->run[0], what);
		*second = volume_of(&d->run[1], what);
		if (*first != *second)
			break;
	}
	return what;
}

/* The iterations of a loop: each time, or where that differs, in the run (of the first process of
   the event inside). */
static void put_count(const struct overview *o, size_t loop, size_t at, struct text *out)
{
	uint64_t trips;
	struct executions executions = {0};
	if (!overview_trips(o, loop, &trips)) {
		run_executions_of(o->run, overview_first(o, at), &executions);
		trips = executions.iterations[loop];
	}
	text_format(out, "%" PRIu64, trips);
	executions_clear(&executions);
}

/* What it is called, in which loop, and who does it. */
static void put_event(const struct difference *d, const struct difference_statement *s, struct text *out)
{
	const struct overview *o = &d->run[side_of(s)].lines;
	size_t at = s->in[side_of(s)], loop = overview_loop_around(o, at);
	if (overview_match(o, at) == MATCH_GROUP)
		text_put(out, overview_word(o, at));
	else
		node_print_tag(o->module, o->line[at].node, o->line[at].loops, out);
	text_put(out, loop == OVERVIEW_NONE ? " (in no loop" : " (loop ");
	if (loop != OVERVIEW_NONE) {
		module_address(o->module, loop, out);
		text_put(out, ", ");
		put_count(o, loop, at, out);
		text_put(out, " iterations");
	}
	text_put(out, ")\n  ");
	put_ranks(out, &o->line[at].who, o->module->processes, &o->module->grid);
	text_put(out, ": ");
}

static void put_loop_counts(const struct difference *d, const struct difference_statement *s, struct text *out)
{
	struct text counts[2] = {{0}};
	for (size_t i = 0; i < 2; i++) {
		const struct overview *o = &d->run[i].lines;
		size_t loop = s->in[i] == DIFFERENCE_NONE ? OVERVIEW_NONE : overview_loop_around(o, s->in[i]);
		if (loop != OVERVIEW_NONE)
			put_count(o, loop, s->in[i], &counts[i]);
	}
	const char *first = counts[0].data, *second = counts[1].data;
	text_put(out, "\n  iterations: ");
	if (first && second && strcmp(first, second) != 0)
		text_format(out, "%s -> %s\n", first, second);
	else if (first || second)
		text_format(out, "all %s\n", first ? first : second);
	else
		text_put(out, "it is in no loop\n");
	text_clear(&counts[0]);
	text_clear(&counts[1]);
}

/* The one that changes most in the direction of all. */
static const struct difference_statement *leading_statement(const struct difference *d, enum volume what, bool more)
{
	for (size_t i = 0; i < d->differing && what < VOLUMES; i++)
		if (more ? d->statement[i].change[what] > 0 : d->statement[i].change[what] < 0)
			return &d->statement[i];
	return &d->statement[0];
}

/* What no row shows: an order, a value, a number that follows an index; or that nobody knows. */
static void put_first_difference(const struct difference *d, struct text *out)
{
	if (d->aligned && d->streams == SAMENESS_UNKNOWN) {
		text_format(out, "The first %" PRIu64 " events are the same; nothing is known of those behind them.\n",
			DIFFERENCE_EVENTS_MOST);
	} else if (d->first.known) {
		text_format(out, "The streams differ first on rank %" PRIu32 ", position %" PRIu64 ":\n", d->first.rank,
			d->first.position);
		for (size_t i = 0; i < 2; i++)
			text_format(out, "  %s: %s\n", i ? "second" : "first",
				d->first.event[i].length ? d->first.event[i].data : "the end");
	}
}

static void put_programs_lead(const struct difference *d, struct text *out)
{
	static const char *const names[VOLUMES] = {"bytes", "messages", "events"};
	uint64_t a, b;
	enum volume what = telling(d, &a, &b);
	if (!d->structure) {
		text_put(out, d->retold ? "Nothing differs: every process does the same, told in other statements.\n"
					: "Nothing differs.\n");
		return;
	}
	if (!d->differing && d->run[0].processes == d->run[1].processes) {
		text_put(out, d->streams == SAMENESS_UNKNOWN
				      ? "No statement differs.\n"
				      : "The streams differ, the sums of all statements do not.\n");
		return;
	}
	if (!d->differing) {
		text_format(out, "The programs differ in their processes alone: %" PRIu32 " and %" PRIu32 "\n",
			d->run[0].processes, d->run[1].processes);
		return;
	}
	const struct difference_statement *s = leading_statement(d, what, b > a);
	if (what < VOLUMES) {
		text_format(out, "%s has ", d->run[b > a].path);
		put_growth((double)(a < b ? a : b), (double)(a < b ? b : a), "more", "the", out);
		text_format(out, " %s (%" PRIu64 " -> %" PRIu64 "): ", names[what], a < b ? a : b, a < b ? b : a);
	} else {
		text_format(out, "%zu statement%s differ%s: ", d->differing, d->differing > 1 ? "s" : "",
			d->differing > 1 ? "" : "s");
	}
	put_event(d, s, out);
	if (s->in[0] == DIFFERENCE_NONE || s->in[1] == DIFFERENCE_NONE)
		text_format(out, "only in %s: ", d->run[side_of(s)].path);
	put_line(d, s, out);
	put_loop_counts(d, s, out);
}

void difference_print(const struct difference *d, struct text *out)
{
	if (!d->timed) {
		put_programs_lead(d, out);
		put_first_difference(d, out);
		put_statements(d, STATEMENTS, out);
		text_format(out, "%" PRIu32 " and %" PRIu32 " processes; a model holds no times\n", d->run[0].processes,
			d->run[1].processes);
		return;
	}
	put_times_lead(d, out);
	put_constructs(d, out);
	if (d->aligned && d->differing)
		put_statements(d, FEW_STATEMENTS, out);
	put_first_difference(d, out);
}

/* ------------------------------------------------------------------ for machines */

static void json_side(const struct run_facts *r, const char *name, struct json *j)
{
	static const char *const sources[] = {"model", "profile", "trace"};
	json_object(j, name, JSON_ROW);
	json_string(j, "path", r->path);
	json_string(j, "source", sources[r->source]);
	json_number(j, "processes", r->processes);
	if (r->timed)
		json_real(j, "run", r->run, 9);
	json_close(j);
}

static void json_construct(const struct run_construct *c, const char *name, struct json *j)
{
	static const char *const times[RUN_CONSTRUCT_TIMES] = {
		"path", "loss", "imbalance", "serialization", "transfer", "work"};
	static const char *const counts[RUN_CONSTRUCT_COUNTS] = {"calls", "messages", "bytes"};
	if (!c)
		return;
	json_object(j, name, JSON_ROW);
	json_string(j, "loop", c->loop ? c->loop : "");
	json_number(j, "iterations", c->iterations);
	for (size_t i = 0; i < RUN_CONSTRUCT_TIMES; i++)
		json_real(j, times[i], c->time[i], 9);
	for (size_t i = 0; i < RUN_CONSTRUCT_COUNTS; i++)
		json_number(j, counts[i], c->count[i]);
	json_close(j);
}

static void json_statement(const struct difference *d, const struct difference_statement *s, struct json *j)
{
	static const char *const side[] = {"first", "second"};
	struct text line = {0};
	json_object(j, NULL, JSON_LINES);
	put_line(d, s, &line);
	json_string(j, "statement", line.data ? line.data : "");
	text_clear(&line);
	json_truth(j, "differs", s->differs);
	for (size_t i = 0; i < 2; i++) {
		if (s->in[i] == DIFFERENCE_NONE)
			continue;
		char *address = address_in(d, s, i);
		const struct communication *t = totals_of(d, s, i);
		json_object(j, side[i], JSON_ROW);
		json_string(j, "address", address);
		json_number(j, "events", t->events);
		json_number(j, "messages", t->sent);
		if (t->sized == t->sent)
			json_number(j, "bytes", t->bytes);
		json_close(j);
		free(address);
	}
	json_close(j);
}

void difference_print_json(const struct difference *d, struct json *j)
{
	struct text lead = {0};
	json_object(j, NULL, JSON_LINES);
	json_side(&d->run[0], "first", j);
	json_side(&d->run[1], "second", j);
	json_truth(j, "programs_differ", d->structure);
	(d->timed ? put_times_lead : put_programs_lead)(d, &lead);
	json_string(j, "text", lead.data);
	text_clear(&lead);
	if (d->first.known) {
		json_object(j, "first_difference", JSON_ROW);
		json_number(j, "rank", d->first.rank);
		json_number(j, "position", d->first.position);
		for (size_t i = 0; i < 2; i++)
			if (d->first.event[i].length)
				json_string(j, i ? "second" : "first", d->first.event[i].data);
		json_close(j);
	}
	if (d->timed) {
		json_real(j, "ideal", d->ideal, 9);
		json_real(j, "change", d->run[1].run - d->run[0].run * d->ideal, 9);
		json_array(j, "constructs", JSON_LINES);
		for (size_t i = 0; i < d->rows; i++) {
			const struct run_construct *a = construct_of(d, &d->row[i], 0);
			const struct run_construct *b = construct_of(d, &d->row[i], 1);
			json_object(j, NULL, JSON_LINES);
			json_string(j, "name", (b ? b : a)->name);
			json_real(j, "change", d->row[i].change, 9);
			json_construct(a, "first", j);
			json_construct(b, "second", j);
			json_close(j);
		}
		json_close(j);
	}
	if (d->aligned) {
		json_array(j, "statements", JSON_LINES);
		for (size_t i = 0; i < d->statements; i++)
			json_statement(d, &d->statement[i], j);
		json_close(j);
	}
	json_close(j);
}
