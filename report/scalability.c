/*
 * scalability.c -- runs read one after the other, their constructs matched by name and iterations.
 */
#include "report/scalability.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"

static int by_processes(const void *left, const void *right)
{
	const struct scalability_run *a = left, *b = right;
	return COMPARE(a->facts.processes, b->facts.processes);
}

/* The same number twice is no scaling. */
static bool check(const struct scalability *s, struct error *error)
{
	for (size_t i = 1; i < s->runs; i++)
		if (s->run[i].facts.processes == s->run[i - 1].facts.processes)
			return error_set(error, ERROR_INPUT,
				"%s and %s: both are of %" PRIu32
				" processes: name runs of different numbers (tracenest diff compares the same)",
				s->run[i - 1].facts.path, s->run[i].facts.path, s->run[i].facts.processes);
	return true;
}

/* ------------------------------------------------------------------ constructs */

bool scalability_has(const struct scalability_row *row, const struct run_construct *c)
{
	return !strcmp(row->construct, c->name) && (!row->iterations || row->iterations == c->iterations);
}

/* Where each of this name is in loops of iterations that all runs have: these are told apart. */
static bool in_all_runs(const struct scalability *s, const char *name)
{
	for (size_t r = 0; r < s->runs; r++)
		for (const struct run_construct *c = s->run[r].facts.construct, *end = c + s->run[r].facts.length;
			c < end; c++)
			for (size_t k = 0; k < s->runs && !strcmp(c->name, name); k++) {
				const struct scalability_row row = {.construct = name, .iterations = c->iterations};
				const struct run_construct *its = s->run[k].facts.construct;
				size_t i = 0;
				while (i < s->run[k].facts.length && !scalability_has(&row, &its[i]))
					i++;
				if (i == s->run[k].facts.length)
					return false;
			}
	return true;
}

/* Those of a name, in as many iterations where all runs agree on that, are one: addresses of loops
   change with the number of processes. */
static void add_run(struct scalability *s, size_t r, size_t *capacity)
{
	const struct run_facts *facts = &s->run[r].facts;
	for (size_t i = 0; i < facts->length; i++) {
		const struct run_construct *c = &facts->construct[i];
		size_t row = 0;
		while (row < s->rows && !scalability_has(&s->row[row], c))
			row++;
		if (row == s->rows)
			*MEM_PUSH(s->row, s->rows, *capacity) = (struct scalability_row){.construct = c->name,
				.iterations = in_all_runs(s, c->name) ? c->iterations : 0,
				.path = mem_zero(s->runs * sizeof(double))};
		s->row[row].path[r] += c->path;
	}
}

static void name_rows(struct scalability *s)
{
	for (size_t i = 0; i < s->rows; i++) {
		struct text name = {0};
		size_t same = 0;
		for (size_t k = 0; k < s->rows; k++)
			same += !strcmp(s->row[k].construct, s->row[i].construct);
		text_put(&name, s->row[i].construct);
		if (same > 1)
			text_format(&name, " (%" PRIu64 " %s)", s->row[i].iterations,
				text_plural(s->row[i].iterations, "iteration", "iterations"));
		s->row[i].name = name.data;
	}
}

static int most_growing(const void *left, const void *right)
{
	const struct scalability_row *a = left, *b = right;
	if (a->growth != b->growth)
		return a->growth > b->growth ? -1 : 1;
	return strcmp(a->name, b->name);
}

double scalability_share(const struct scalability *s, const struct scalability_row *row, size_t run)
{
	return s->run[run].facts.run > 0 ? row->path[run] / s->run[run].facts.run : 0;
}

/* A run in which there is nothing of it says nothing of how it grows. */
static void fit_row(const struct scalability *s, struct scalability_row *row)
{
	double *processes = mem_array(s->runs, sizeof *processes), *path = mem_array(s->runs, sizeof *path);
	size_t points = 0;
	for (size_t r = 0; r < s->runs; r++)
		if (row->path[r] > 0) {
			processes[points] = s->run[r].facts.processes;
			path[points++] = 1e3 * row->path[r];
		}
	row->fitted = scaling_trend(processes, path, points, &row->fit);
	row->growth = scalability_share(s, row, s->runs - 1) - scalability_share(s, row, 0);
	free(processes);
	free(path);
}

static void match(struct scalability *s)
{
	size_t capacity = 0;
	for (size_t r = 0; r < s->runs; r++)
		add_run(s, r, &capacity);
	name_rows(s);
	for (size_t i = 0; i < s->rows; i++)
		fit_row(s, &s->row[i]);
	if (s->rows)
		qsort(s->row, s->rows, sizeof *s->row, most_growing);
}

/* ------------------------------------------------------------------ all of them */

static double computation_of(const struct scalability *s, const struct scalability_run *run)
{
	double work = (double)analysis_work(run->facts.account.analysis) * analysis_tick(run->facts.account.analysis);
	return s->weak ? work / run->facts.processes : work;
}

bool scalability_read(struct scalability *s, const char *const *path, size_t paths, bool weak,
	const struct account_options *options, struct error *error)
{
	*s = (struct scalability){.run = mem_zero((paths + 1) * sizeof *s->run), .weak = weak};
	for (size_t i = 0; i < paths; i++) {
		if (run_source_of(path[i]) != RUN_TRACE)
			return error_set(error, ERROR_INPUT,
				"%s: not an archive: only these say all that POP's factors are made of", path[i]);
		s->runs++;
		if (!run_facts_read(&s->run[i].facts, path[i], true, options, error))
			return false;
	}
	qsort(s->run, s->runs, sizeof *s->run, by_processes);
	if (!check(s, error))
		return false;
	for (size_t i = 0; i < s->runs; i++) {
		struct scalability_run *run = &s->run[i];
		double computation = computation_of(s, run);
		run->efficiency = analysis_efficiency(run->facts.account.analysis);
		run->computation = computation > 0 ? computation_of(s, &s->run[0]) / computation : 1;
		run->global = run->efficiency.parallel * run->computation;
	}
	match(s);
	return true;
}

void scalability_clear(struct scalability *s)
{
	for (size_t i = 0; i < s->rows; i++) {
		free(s->row[i].path);
		free(s->row[i].name);
	}
	free(s->row);
	for (size_t i = 0; i < s->runs; i++)
		run_facts_clear(&s->run[i].facts);
	free(s->run);
	*s = (struct scalability){0};
}
