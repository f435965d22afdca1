/*
 * report_text.c -- where the time of a run went, in lines.
 */
#include "report/report_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/shortfalls.h"
#include "base/mem.h"
#include "report/advice.h"

/* Rows of the table. */
#define ROWS 12
#define LEAST_ROWS 3 /* also of what loses next to nothing */

/* In % of the run time, as they are printed: so that what is printed adds up. */
enum column { COLUMN_LOST, COLUMN_PATH, COLUMN_IMBALANCE, COLUMN_SERIALIZATION, COLUMN_TRANSFER, LOOP_COLUMNS };

struct losses {
	double percent[LOOP_COLUMNS];
};

static void add_losses(const struct analysis *a, const struct analysis_construct *c, struct losses *to)
{
	to->percent[COLUMN_LOST] += analysis_percent(a, (double)c->loss);
	to->percent[COLUMN_PATH] +=
		analysis_percent(a, (double)(c->total.path_work + c->total.path_call) * a->processes);
	to->percent[COLUMN_IMBALANCE] += analysis_percent(a, (double)c->imbalance);
	to->percent[COLUMN_SERIALIZATION] += analysis_percent(a, (double)c->serialization);
	to->percent[COLUMN_TRANSFER] += analysis_percent(a, (double)c->transfer);
}

/* Where clocks disagree, what is not known is left out. left: what of the total no row holds
   yet. */
static void put_losses(const struct analysis *a, struct losses l, struct losses *left, struct text *out)
{
	for (size_t i = 0; i < LOOP_COLUMNS; i++) {
		double percent = round(10 * l.percent[i]) / 10;
		left->percent[i] -= percent;
		if (a->clocks_disagree && i != COLUMN_IMBALANCE)
			text_format(out, "%s%5s", i ? " " : "", "?");
		else
			text_format(out, "%s%5.1f", i ? " " : "", fabs(percent) < 0.05 ? 0 : percent);
	}
}

#define NAME_WIDTH 22

/* Of a path as much of its end as there is room for. */
static const char *end_of_name(const char *name)
{
	const char *next;
	while (strlen(name) > NAME_WIDTH && (next = strstr(name, CALL_PATH_INSIDE)))
		name = next + strlen(CALL_PATH_INSIDE);
	return name;
}

static void put_row(const struct analysis *a, const struct finding *f, struct losses *left, struct text *out)
{
	const struct analysis_construct *c = f->construct;
	struct losses losses = {0};
	struct text ranks = {0}, iterations = {0};
	bool named = fault_accuses(&f->fault);
	if (c->depth && named)
		finding_print_iterations(a, f, &iterations);
	if (!named)
		ranks_print_short(&c->ranks, &ranks);
	else if (f->fault.ranks.length)
		ranks_print_short(&f->fault.ranks, &ranks);
	add_losses(a, c, &losses);
	put_losses(a, losses, left, out);
	text_format(out, "  %-6s %-*.*s %-14s %-12.12s %.44s\n", c->address ? c->address : "-", NAME_WIDTH, NAME_WIDTH,
		end_of_name(c->name), fault_key(f->fault.kind), ranks.data ? ranks.data : "all",
		iterations.data ? iterations.data : "");
	text_clear(&ranks);
	text_clear(&iterations);
}

/* MPI_Init and the like: a row for each. */
static void put_apart(const struct analysis *a, enum construct_sort sort, struct losses *left, struct text *out)
{
	struct losses losses = {0};
	const char *name = NULL;
	for (const struct analysis_construct *c = a->construct; c < a->construct + a->constructs; c++)
		if (c->sort == sort) {
			add_losses(a, c, &losses);
			name = c->name;
		}
	if (!name)
		return;
	put_losses(a, losses, left, out);
	text_format(out, "  %-6s %s\n", "-", name);
}

static void put_rows(const struct analysis *a, const struct findings *f, struct text *out)
{
	size_t rows = 0, others = 0;
	struct losses total = {0}, left, none = {0};
	const struct finding **of = mem_zero((a->constructs + 1) * sizeof *of);
	for (size_t i = 0; i < f->length; i++)
		if (!f->finding[i].shared)
			of[f->finding[i].construct - a->construct] = &f->finding[i];
	for (size_t i = 0; i < a->constructs; i++)
		add_losses(a, &a->construct[i], &total);
	for (size_t i = 0; i < LOOP_COLUMNS; i++)
		total.percent[i] = round(10 * total.percent[i]) / 10;
	left = total;
	text_format(out,
		" lost  path     I     S     T  loop   region                 kind           ranks        iterations\n");
	for (size_t i = 0; i < a->constructs; i++) {
		if (a->construct[i].sort != CONSTRUCT_PROGRAM)
			continue;
		if (rows < ROWS && (rows < LEAST_ROWS || analysis_percent(a, (double)a->construct[i].loss) >= 0.1)) {
			put_row(a, of[i], &left, out);
			rows++;
		} else
			others++;
	}
	for (enum construct_sort sort = CONSTRUCT_INIT; sort <= CONSTRUCT_OUTSIDE; sort++)
		put_apart(a, sort, &left, out);
	put_losses(a, left, &none, out);
	text_format(
		out, "  %-6s %zu other %s, and rounding\n", "", others, text_plural(others, "construct", "constructs"));
	put_losses(a, total, &none, out);
	text_format(out, "  %-6s all: run time x (1 - parallel efficiency)\n", "");
	free(of);
}

/* Slowness that all ranks share: nothing is lost by it. */
static void put_variations(const struct analysis *a, const struct findings *f, struct text *out)
{
	for (size_t i = 0; i < f->length; i++) {
		const struct finding *x = &f->finding[i];
		if (!x->shared || x->share < FINDINGS_LEAST)
			continue;
		text_format(out,
			"not lost, but beyond the median iteration of loop %s: %.1f %%, mostly in %s; iterations: ",
			x->construct->address, 100 * x->share, x->construct->name);
		finding_print_iterations(a, x, out);
		text_char(out, '\n');
	}
}

/* Of the run time. */
static double path_percent(const struct analysis *a, uint64_t ticks)
{
	return analysis_percent(a, (double)ticks * a->processes);
}

static void put_waits(const struct analysis *a, struct text *out)
{
	uint64_t waited[WAIT_KINDS] = {0}, call = 0, all = 0, wrong = 0;
	uint64_t transfer = 0, collectives = 0, overhead = 0; /* of the critical path */
	const char *comma = "";
	for (size_t i = 0; i < a->constructs; i++) {
		wrong += a->construct[i].total.wrong_order;
		if (a->construct[i].sort != CONSTRUCT_PROGRAM)
			continue;
		transfer += a->construct[i].total.path_call;
		collectives += a->construct[i].collectives_cost;
		overhead += a->construct[i].overhead;
	}
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		call += a->process[rank].call;
		for (size_t k = 0; k < WAIT_KINDS; k++) {
			waited[k] += a->process[rank].waited[k];
			all += a->process[rank].waited[k];
		}
	}
	text_format(out, "computation %.1f %%", analysis_percent(a, (double)analysis_work(a)));
	if (a->clocks_disagree) {
		text_format(out, ", MPI calls %.1f %%\n", analysis_percent(a, (double)call));
		return;
	}
	text_format(out, ", waiting %.1f %% (", analysis_percent(a, (double)all));
	for (enum wait_kind k = 0; k < WAIT_KINDS; k++)
		if (waited[k] || k < WAIT_NXN) {
			text_format(out, "%s%s %.1f", comma, wait_name(k), analysis_percent(a, (double)waited[k]));
			comma = ", ";
			if (k == WAIT_LATE_SENDER && analysis_percent(a, (double)wrong) >= 0.05)
				text_format(out, " (in the wrong order %.1f)", analysis_percent(a, (double)wrong));
		}
	text_format(out, "), transfer and calls %.1f %%\n", analysis_percent(a, (double)(call - all)));
	if (transfer)
		text_format(out,
			"transfer on the critical path %.1f %%: messages %.1f, collectives %.1f, calls of MPI themselves %.1f\n",
			path_percent(a, transfer), path_percent(a, transfer - collectives - overhead),
			path_percent(a, collectives), path_percent(a, overhead));
}

void report_text(const struct analysis *a, const struct findings *f, struct output *to)
{
	struct text lines = {0}, *out = &lines;
	struct advice advice;
	findings_print(a, f, out);
	put_rows(a, f, out);
	put_variations(a, f, out);
	put_waits(a, out);
	size_t before = out->length;
	shortfalls_tell_of(a->program->run, out);
	text_put(out, out->length > before ? "\n" : "");
	if (a->contradictions)
		text_format(out,
			"clocks contradict %" PRIu64 " of %" PRIu64 " messages and collectives, by up to %s%s\n",
			a->contradictions, a->meetings, seconds_of((double)a->contradiction * analysis_tick(a)).words,
			a->clocks_disagree ? ": who waited for whom is not known, only what each process computes"
					   : "");
	if (a->unmatched)
		text_format(out, "%" PRIu64 " receives, or members of collectives, have no partner in the trace\n",
			a->unmatched);
	advice_of(&advice, a);
	for (size_t i = 0; i < advice.length; i++)
		text_format(out, "advice: %s\n", advice.line[i].text.data);
	advice_clear(&advice);
	output_text(to, out);
	text_clear(out);
}

/* ------------------------------------------------------------------ the summary */

/* Processes of which each has a line: those of the largest share in MPI, beyond. */
#define SUMMARY_PROCESSES 32
#define SUMMARY_SITES 20

static double share_of_mpi(const struct analysis_process *p)
{
	double all = (double)p->work + (double)p->call + (double)p->apart;
	return all > 0 ? 100 * (all - (double)p->work) / all : 0;
}

static int by_share_of_mpi(const void *left, const void *right)
{
	const struct analysis_process *a = *(const struct analysis_process *const *)left,
				      *b = *(const struct analysis_process *const *)right;
	double x = share_of_mpi(a), y = share_of_mpi(b);
	return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

static void put_summary_processes(const struct analysis *a, const struct time_unit *unit, struct output *out)
{
	const struct analysis_process **process = mem_array(a->processes + (size_t)1, sizeof *process);
	double tick = analysis_tick(a) / unit->seconds, work = 0, mpi = 0;
	int name = (int)strlen(unit->name);
	for (uint32_t r = 0; r < a->processes; r++)
		process[r] = &a->process[r];
	if (a->processes > SUMMARY_PROCESSES)
		qsort(process, a->processes, sizeof *process, by_share_of_mpi);
	output_format(out, "%8s %*s, %s %*s, %s %6s\n", "rank", 16 - name, "computation", unit->name, 16 - name,
		"MPI and I/O", unit->name, "%");
	for (uint32_t r = 0; r < a->processes; r++) {
		double in_mpi = (double)process[r]->call + (double)process[r]->apart;
		work += (double)process[r]->work;
		mpi += in_mpi;
		if (r < SUMMARY_PROCESSES)
			output_format(out, "%8" PRIu32 " %18.3f %18.3f %6.1f\n", (uint32_t)(process[r] - a->process),
				(double)process[r]->work * tick, in_mpi * tick, share_of_mpi(process[r]));
	}
	output_format(out, "%8s %18.3f %18.3f %6.1f\n", "all", work * tick, mpi * tick,
		work + mpi > 0 ? 100 * mpi / (work + mpi) : 0);
	free(process);
}

static int by_calls(const void *left, const void *right)
{
	const struct analysis_construct *a = *(const struct analysis_construct *const *)left,
					*b = *(const struct analysis_construct *const *)right;
	return a->total.call != b->total.call ? (a->total.call > b->total.call ? -1 : 1) : (a > b) - (a < b);
}

/* All processes together: what is called where, and what is sent there. */
static void put_summary_sites(const struct analysis *a, const struct time_unit *unit, struct output *out)
{
	const struct analysis_construct **c = mem_array(a->constructs + 1, sizeof *c);
	double calls = 0;
	for (size_t i = 0; i < a->constructs; i++) {
		c[i] = &a->construct[i];
		calls += (double)a->construct[i].total.call;
	}
	if (a->constructs)
		qsort(c, a->constructs, sizeof *c, by_calls);
	output_format(out, "%*s, %s %6s %10s %10s %14s %12s  %-6s %s\n", 12 - (int)strlen(unit->name), "MPI",
		unit->name, "%", "calls", "messages", "bytes", "bytes each", "loop", "call site");
	for (size_t i = 0; i < a->constructs && i < SUMMARY_SITES && c[i]->total.call; i++) {
		uint64_t messages = c[i]->messages, bytes = c[i]->bytes;
		output_format(out, "%14.3f %6.1f %10" PRIu64 " %10" PRIu64 " %14" PRIu64 " %12.4g  %-6s %s\n",
			(double)c[i]->total.call * analysis_tick(a) / unit->seconds,
			100 * (double)c[i]->total.call / calls, c[i]->total.calls, messages, bytes,
			messages ? (double)bytes / (double)messages : 0, c[i]->address ? c[i]->address : "-",
			c[i]->callers ? c[i]->callers : c[i]->name);
	}
	free(c);
}

void report_summary(const struct analysis *a, enum units units, struct output *out)
{
	double run = (double)analysis_run(a) * analysis_tick(a);
	struct time_unit unit = time_unit_of(run, units);
	if (!a->unfinished)
		output_format(out, "run time %s on %" PRIu32 " %s\n", seconds_of(run).words, a->processes,
			text_plural(a->processes, "process", "processes"));
	put_summary_processes(a, &unit, out);
	put_summary_sites(a, &unit, out);
}
