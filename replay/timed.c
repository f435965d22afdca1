/*
 * timed.c -- a row of a profile is the times before one statement, of some processes, when control
 * came to it in one way (ask/arrival.h); the mini-app keeps track of how it came.
 *
 * Times are drawn from histograms at places that fill them evenly (multiples of the golden ratio),
 * so that few draws have nearly the sum of all. What differs from one iteration to the next may do
 * so for all processes alike, or for each by itself, or be slow one after the other; those who wait
 * for each other take as long as the slowest. So the places that processes draw lie so far apart
 * that the slowest takes, in the mean, what it took when it was recorded. As rows are of processes
 * that are nearly alike, the times of each are stretched to what it computed in all.
 */
#include "replay/timed.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"

#define GOLDEN 0.618033988749895
#define DRAWS 64 /* that tell what the slowest takes, */
#define HALVINGS 12 /* ... and steps to where it does */

void exact_clear(struct exact *e)
{
	free(e->seconds);
	free(e->first);
	*e = (struct exact){0};
}

uint32_t *timed_numbers(const struct overview *o)
{
	uint32_t events = 0, *number = mem_array(o->lines + 1, sizeof *number);
	for (size_t i = 0; i < o->lines; i++) {
		number[i] = events;
		events += overview_is_call(o, i);
	}
	number[o->lines] = events;
	return number;
}

void timed_of(struct timed *t, const struct overview *o, const struct pace *pace, const struct exact *exact)
{
	*t = (struct timed){o, pace, exact, timed_numbers(o)};
}

void timed_clear(struct timed *t)
{
	free(t->number);
}

/* ------------------------------------------------------------------ durations */

static double seconds(const struct timed *t, double ticks)
{
	return ticks / (double)pace_ticks_per_second(t->pace);
}

/* What the bins of a row come to, if each time were in their middle. */
static double sum_of_bins(const struct pace_row *r)
{
	double sum = 0;
	for (size_t i = 0; i < r->bins; i++)
		sum += ((double)r->bin[i].low + (double)r->bin[i].high) / 2 * (double)r->bin[i].times;
	return sum;
}

/* {seconds, how many}: their sum is that of the row; events that share a call take none. */
static size_t put_bins(const struct timed *t, const struct pace_row *r, size_t *column, struct text *out)
{
	double sum = sum_of_bins(r), scale = sum > 0 ? (double)r->times->before / sum : 1;
	uint64_t shared = r->times->occurrences > r->times->calls ? r->times->occurrences - r->times->calls : 0;
	size_t bins = 0;
	for (size_t i = 0; i < r->bins + (shared > 0); i++, bins++) {
		bool own = i < r->bins;
		double middle = own ? ((double)r->bin[i].low + (double)r->bin[i].high) / 2 * scale : 0;
		size_t before = out->length;
		text_format(out, "{%.4g, %" PRIu64 "},", seconds(t, middle), own ? r->bin[i].times : shared);
		*column += out->length - before + 1;
		text_put(out, *column > 100 ? "\n\t" : " ");
		*column = *column > 100 ? 0 : *column;
	}
	return bins;
}

/* The time at this place of a row's distribution, in ticks. */
static double time_at(const struct pace_row *r, double place)
{
	uint64_t all = 0, below = 0;
	size_t i = 0;
	for (size_t k = 0; k < r->bins; k++)
		all += r->bin[k].times;
	while (i + 1 < r->bins && (double)(below + r->bin[i].times) <= place * (double)all)
		below += r->bin[i++].times;
	return ((double)r->bin[i].low + (double)r->bin[i].high) / 2;
}

/* What the slowest of its processes takes in the mean, if their places lie so far apart, going
   around. */
static double slowest(const struct pace_row *r, double apart)
{
	double sum = 0, others = (double)ranks_count(r->ranks) - 1;
	for (int i = 1; i <= DRAWS; i++) {
		double place = i * GOLDEN - floor(i * GOLDEN);
		double before_end = apart > 0 ? floor((1 - place) / apart * 0.999999) : others;
		sum += time_at(r, place + apart * (before_end < others ? before_end : others));
	}
	return sum / DRAWS;
}

/* How far apart ranks that follow each other draw, so that the slowest takes as long as it did. */
static double apart_of(const struct pace_row *r)
{
	double processes = (double)ranks_count(r->ranks), sum = sum_of_bins(r), low = 0, high = 1 / processes;
	uint32_t first = r->ranks->run[0].first, last = r->ranks->run[r->ranks->length - 1].last;
	if (processes < 2 || !r->bins || sum <= 0 || r->times->occurrences != r->times->calls || r->times->longest <= 0)
		return 0;
	double aim = r->times->longest * sum / (double)r->times->before;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;
		*(slowest(r, middle) < aim ? &low : &high) = middle;
	}
	return low * (processes - 1) / (last - first);
}

/* How much longer a process computed than its rows say. */
static double stretch_of(const struct timed *t, uint32_t rank)
{
	double told = 0;
	for (size_t i = 0; i < pace_rows(t->pace); i++) {
		struct pace_row r = pace_get_row(t->pace, i);
		if (ranks_has(r.ranks, rank))
			told += (double)r.times->before / (double)ranks_count(r.ranks);
	}
	struct pace_process p = pace_get_process(t->pace, rank);
	return told > 0 && p.work > p.after ? (double)(p.work - p.after) / told : 1;
}

static void put_stretches(const struct timed *t, struct text *out)
{
	text_put(out,
		"/* What a process computes, by what its rows say. */\nstatic const double stretch[PROCESSES] = {");
	for (uint32_t i = 0; i < t->overview->module->processes; i++)
		text_format(out, "%s%.4f,", i % 12 ? " " : "\n\t", stretch_of(t, i));
	text_put(out, "\n};\n\n");
}

static void put_rests(const struct timed *t, struct text *out)
{
	text_put(out, "/* Seconds of computing behind the last event. */\nstatic const double rest[PROCESSES] = {");
	for (uint32_t i = 0; i < t->overview->module->processes; i++)
		text_format(
			out, "%s%.4g,", i % 12 ? " " : "\n\t", seconds(t, (double)pace_get_process(t->pace, i).after));
	text_put(out, "\n};\n\n");
}

/* ------------------------------------------------------------------ tables */

/* The sets of processes that rows are of: each once. */
static void put_sets(const struct timed *t, struct intern *sets, struct text *out)
{
	text_put(out, "/* Are we one of the processes whose times a row has? */\n"
		      "static int is_ours(int set)\n{\n\tswitch (set) {\n");
	for (uint32_t i = 0; i < intern_count(sets); i++) {
		size_t size;
		const struct ranks_run *run = intern_data(sets, i, &size);
		struct ranks who = {(struct ranks_run *)run, size / sizeof *run, 0};
		text_format(out, "\tcase %u:\n\t\treturn ", i);
		ranks_print_condition(&who, t->overview->module->processes, "p", out);
		text_put(out, ";\n");
	}
	text_put(out, "\tdefault:\n\t\treturn 0;\n\t}\n}\n\n");
}

static void put_rows(const struct timed *t, struct intern *sets, struct text *out)
{
	struct text rows = {0};
	size_t bins = 0, column = 0, row_column = 0;
	text_put(out, "/* Seconds of computing, and how often they were seen. */\n"
		      "static const struct bin {\n\tfloat seconds, times;\n} bins[] = {\n\t");
	for (size_t i = 0; i < pace_rows(t->pace); i++) {
		struct pace_row r = pace_get_row(t->pace, i);
		uint32_t set = intern_id(sets, r.ranks->run, r.ranks->length * sizeof *r.ranks->run);
		size_t its = put_bins(t, &r, &column, out), before = rows.length;
		text_format(&rows, "{%" PRIu32 ", %d, %" PRIu32 ", %zu, %zu, %.3g},", t->number[r.line], (int)r.arrival,
			set, bins, its, apart_of(&r));
		row_column += rows.length - before + 1;
		text_put(&rows, row_column > 100 ? "\n\t" : " ");
		row_column = row_column > 100 ? 0 : row_column;
		bins += its;
	}
	text_put(out, "{0, 0}\n};\n\n");
	text_put(out,
		"/* Those before an event, by how control came to it, of a set of processes: the first bin, how many, and how far\n"
		"   apart processes draw from them. */\n"
		"static const struct row {\n\tint event, arrival, set, first, bins;\n\tfloat apart;\n} rows[] = {\n\t");
	text_put(out, rows.data ? rows.data : "");
	text_put(out, "{-1, 0, 0, 0, 0, 0}\n};\n\n");
	text_clear(&rows);
}

static void put_depths(const struct timed *t, struct text *out)
{
	uint32_t deepest = 0;
	text_format(out,
		"enum { EVENTS = %" PRIu32
		" };\n\n/* Loops around each event. */\nstatic const char depth_of[EVENTS + 1] = {",
		t->number[t->overview->lines]);
	for (size_t i = 0, events = 0; i < t->overview->lines; i++) {
		if (t->number[i + 1] == t->number[i])
			continue;
		text_format(out, "%s%u,", events++ % 30 ? " " : "\n\t", t->overview->line[i].loops);
		deepest = t->overview->line[i].loops > deepest ? t->overview->line[i].loops : deepest;
	}
	text_format(out, "\n};\n\nenum { DEPTH = %u };\n\n", deepest);
}

static const char spending[] =
	"/* Computing, by sleeping or spinning: what took too long is taken off the next. Messages go on meanwhile. */\n"
	"static void spend(double seconds)\n{\n"
	"#ifdef SMPI_H\n"
	"\tif (option[COMPUTE] != NOTHING && seconds > 0)\n"
	"\t\tsmpi_execute(seconds);\n"
	"#else\n"
	"\tstatic double late;\n"
	"\tdouble end = MPI_Wtime() + seconds - late, left;\n"
	"\tif (option[COMPUTE] == NOTHING || seconds <= 0)\n"
	"\t\treturn;\n"
	"\twhile ((left = end - MPI_Wtime()) > 0) {\n"
	"\t\tint any;\n"
	"\t\tif (option[COMPUTE] == SPIN)\n"
	"\t\t\tcontinue;\n"
	"\t\tPMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE);\n"
	"\t\tleft = left < 0.002 ? left : 0.002;\n"
	"\t\tnanosleep(&(struct timespec){.tv_nsec = (long)(left * 1e9)}, NULL);\n"
	"\t}\n"
	"\tlate = -left;\n"
	"#endif\n}\n\n";

static const char where[] =
	"/* Where control is: how often the loop of this depth was entered, and in which iteration it is. */\n"
	"static long entered[DEPTH + 1], iterations[DEPTH + 1];\n\n";

static const char counting_iterations[] = "static void iteration(int depth, long i)\n{\n"
					  "\tentered[depth] += i == 0;\n"
					  "\titerations[depth] = i;\n}\n\n";

static const char computing[] =
	"/* How it came to an event from the one before: as the first one, straight on, into a loop, by its next iteration, out of a loop. */\n"
	"static int arrive(int event)\n{\n"
	"\tstatic int last = -1;\n"
	"\tstatic long last_entered[DEPTH + 1], last_iteration[DEPTH + 1];\n"
	"\tint depth = depth_of[event], before = last < 0 ? 0 : depth_of[last], arrival = last < 0 ? 0 : before > depth ? 4 : 1;\n"
	"\tif (last >= 0 && iterations[depth] != last_iteration[depth])\n"
	"\t\tarrival = 3;\n"
	"\tif (last >= 0 && (depth > before || entered[depth] != last_entered[depth]))\n"
	"\t\tarrival = 2;\n"
	"\tlast = event;\n"
	"\tmemcpy(last_entered, entered, sizeof entered);\n"
	"\tmemcpy(last_iteration, iterations, sizeof iterations);\n"
	"\treturn arrival;\n}\n\n"
	"/* One of a row's times: draws spread evenly over its histogram; --seed -1: the mean. */\n"
	"static double draw(const struct row *r, unsigned *drawn)\n{\n"
	"\tdouble all = 0, sum = 0, at = 0.618033988749895 * (1 + *drawn) + 0.7548776662 * option[DRAW] + p * r->apart;\n"
	"\tint i = 0;\n"
	"\t++*drawn;\n"
	"\tfor (int k = 0; k < r->bins; k++) {\n"
	"\t\tall += bins[r->first + k].times;\n"
	"\t\tsum += bins[r->first + k].times * (double)bins[r->first + k].seconds;\n"
	"\t}\n"
	"\tif (option[DRAW] < 0 || all <= 0)\n"
	"\t\treturn all > 0 ? sum / all : 0;\n"
	"\tfor (at = (at - (long)at) * all; i + 1 < r->bins && at >= bins[r->first + i].times; i++)\n"
	"\t\tat -= bins[r->first + i].times;\n"
	"\treturn bins[r->first + i].seconds;\n}\n\n"
	"/* What is computed before an event. */\n"
	"static void compute(int event)\n{\n"
	"\tstatic const struct row *row_of[EVENTS + 1][5];\n"
	"\tstatic unsigned drawn[EVENTS + 1][5];\n"
	"\tfor (const struct row *r = rows; !row_of[EVENTS][0] && r->event >= 0; r++)\n"
	"\t\tif (is_ours(r->set))\n"
	"\t\t\trow_of[r->event][r->arrival] = r;\n"
	"\trow_of[EVENTS][0] = rows;\n"
	"\tint arrival = arrive(event);\n"
	"\tif (row_of[event][arrival])\n"
	"\t\tspend(draw(row_of[event][arrival], &drawn[event][arrival]) * stretch[p] * scale_of_ours());\n}\n\n";

static const char computing_exactly[] =
	"/* What is computed before an event: as was recorded, from the first of its executions on. */\n"
	"static void compute(int event)\n{\n"
	"\tstatic int done[EVENTS];\n"
	"\tint first = first_times[p][event], executions = first_times[p][event + 1] - first;\n"
	"\tif (executions)\n"
	"\t\tspend(times[first + done[event]++ % executions] * scale_of_ours());\n}\n\n";

static void put_exact(const struct timed *t, struct text *out)
{
	uint32_t events = t->number[t->overview->lines];
	text_format(out,
		"enum { EVENTS = %" PRIu32
		" };\n\n/* Seconds of computing before each event: by process, event, execution. */\n"
		"static const float times[] = {",
		events);
	for (size_t i = 0; i < t->exact->length; i++)
		text_format(out, "%s%.4g,", i % 12 ? " " : "\n\t", t->exact->seconds[i]);
	text_put(out, "\n\t0\n};\n\nstatic const int first_times[PROCESSES][EVENTS + 1] = {\n");
	for (uint32_t p = 0; p < t->overview->module->processes; p++) {
		text_put(out, "\t{");
		for (uint32_t i = 0; i <= events; i++)
			text_format(
				out, "%s%zu,", i % 16 ? " " : "\n\t\t", t->exact->first[(size_t)p * (events + 1) + i]);
		text_put(out, "\n\t},\n");
	}
	text_put(out, "};\n\n");
}

bool timed_tracks(const struct timed *t)
{
	return !t->exact && t->number[t->overview->lines] > 0;
}

void timed_print(const struct timed *t, struct text *out)
{
	bool events = t->number[t->overview->lines]; /* without any, it computes at the end */
	if (!timed_tracks(t)) {
		if (events)
			put_exact(t, out);
		put_rests(t, out);
		text_put(out, spending);
		text_put(out, events ? computing_exactly : "");
		return;
	}
	struct intern *sets = intern_new();
	put_depths(t, out);
	put_rows(t, sets, out);
	put_sets(t, sets, out);
	put_stretches(t, out);
	put_rests(t, out);
	text_put(out, spending);
	text_put(out, where);
	text_put(out, node_of(t->overview->store, t->overview->module->body)->depth ? counting_iterations : "");
	text_put(out, computing);
	intern_free(sets);
}
