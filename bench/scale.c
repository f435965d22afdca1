/*
 * scale.c -- how the reduction, and folding, grow with the processes, and that it does not grow
 * with the iterations.
 *
 *	bench/scale [-p PROCESSES] [-n ITERATIONS] [-j JOBS] [-s]
 *
 * Synthetic programs, every one a loop of n steps: messages around a ring; stencils on grids with
 * boundaries (2-D with 5 points, 3-D with 7 and with 27), where every process sends to all its
 * neighbours, then receives from all of them, and with -s meets all others in an Allreduce. Each
 * row runs three times, in processes of its own, so that its peak memory is its own; streams go
 * from here into the recognizers event by event. Ratios stand behind the figures: against the row
 * before, which has a quarter of the processes (or, in the last rows, a thousandth of the
 * iterations). -p: the largest number of processes (default 16384).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "lib/pipeline.h"
#include "merge/merge.h"
#include "model/module_of_model.h"
#include "nlr/nlr.h"

struct settings {
	uint32_t most;
	uint64_t iterations;
	unsigned jobs;
	bool sync;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------ who talks to whom */

#define NEIGHBOURS_MOST 26

static uint32_t side(uint32_t processes, unsigned dimensions)
{
	uint32_t n = 1;
	for (;; n++) {
		uint64_t size = 1;
		for (unsigned d = 0; d < dimensions; d++)
			size *= n + 1;
		if (size > processes)
			return n;
	}
}

/* As many cubes of side n as fit, one behind the other: the last dimension takes the rest. */
static void shape(uint32_t processes, unsigned dimensions, uint32_t extent[3])
{
	extent[0] = extent[1] = extent[2] = 1;
	uint32_t left = processes;
	for (unsigned d = dimensions; d > 1; d--) {
		uint32_t n = side(left, d);
		while (left % n)
			n--;
		extent[d - 1] = n;
		left /= n;
	}
	extent[0] = left;
}

static uint32_t ring(uint32_t p, uint32_t processes, uint32_t *to)
{
	to[0] = (p + 1) % processes;
	return 1;
}

static uint32_t stencil(uint32_t p, uint32_t processes, unsigned dimensions, bool corners, uint32_t *to)
{
	uint32_t extent[3], found = 0;
	shape(processes, dimensions, extent);
	int64_t x = p % extent[0], y = p / extent[0] % extent[1], z = p / extent[0] / extent[1];
	for (int64_t dz = -1; dz <= 1; dz++)
		for (int64_t dy = -1; dy <= 1; dy++)
			for (int64_t dx = -1; dx <= 1; dx++) {
				int64_t distance = llabs(dx) + llabs(dy) + llabs(dz);
				if (!distance || (distance > 1 && !corners))
					continue;
				int64_t i = x + dx, j = y + dy, k = z + dz;
				if (i >= 0 && j >= 0 && k >= 0 && i < extent[0] && j < extent[1] && k < extent[2])
					to[found++] = (uint32_t)(i + extent[0] * (j + extent[1] * k));
			}
	return found;
}

static uint32_t stencil_5(uint32_t p, uint32_t n, uint32_t *to)
{
	return stencil(p, n, 2, false, to);
}

static uint32_t stencil_7(uint32_t p, uint32_t n, uint32_t *to)
{
	return stencil(p, n, 3, false, to);
}

static uint32_t stencil_27(uint32_t p, uint32_t n, uint32_t *to)
{
	return stencil(p, n, 3, true, to);
}

static const struct pattern {
	const char *name;
	uint32_t (*neighbours)(uint32_t p, uint32_t processes, uint32_t *to);
} patterns[] = {
	{"ring", ring}, {"2-D, 5 points", stencil_5}, {"3-D, 7 points", stencil_7}, {"3-D, 27 points", stencil_27}};

/* ------------------------------------------------------------- one process's events, recognized */

struct step {
	uint32_t event[2 * NEIGHBOURS_MOST + 1];
	uint32_t length;
};

static void describe(struct dictionary *d, const struct pattern *pattern, const struct settings *s, uint32_t processes,
	uint32_t p, uint32_t group, struct step *b)
{
	uint32_t to[NEIGHBOURS_MOST];
	uint32_t tag = dictionary_tag(d, &(struct tag){dictionary_word(d, "tag", 3), true, 1, NO_COMMUNICATOR});
	uint32_t n = pattern->neighbours(p, processes, to);
	b->length = 0;
	for (uint32_t i = 0; i < n; i++)
		b->event[b->length++] = dictionary_event(d, &(struct event){EVENT_SEND, p, to[i], tag, EVENT_CONSTANT});
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = pattern->neighbours == ring ? (p + processes - 1) % processes : to[i];
		b->event[b->length++] = dictionary_event(d, &(struct event){EVENT_RECV, p, from, tag, EVENT_CONSTANT});
	}
	if (!s->sync)
		return;
	uint32_t channel =
		dictionary_sync(d, &(struct sync){dictionary_word(d, "MPI_Allreduce", 13), group, NO_COMMUNICATOR});
	b->event[b->length++] = dictionary_event(
		d, &(struct event){EVENT_SYNC, dictionary_rank(d, p), NO_ROOT, channel, EVENT_CONSTANT});
}

static void recognize(struct model *m, const struct step *b, uint64_t iterations)
{
	struct nlr *r = nlr_new(NULL);
	for (uint64_t i = 0; i < iterations; i++)
		for (uint32_t k = 0; k < b->length; k++)
			nlr_push(r, b->event[k]);
	struct nest *n = nlr_finish(r);
	nest_append_all(m->nest, n, NULL);
	nest_free(n);
}

static struct model *local_models(
	const struct pattern *pattern, const struct settings *s, uint32_t processes, uint64_t *events)
{
	struct model *m = model_new();
	struct ranks everybody = {0};
	struct step b;
	m->processes = processes;
	ranks_add_run(&everybody, 0, processes - 1);
	uint32_t group = dictionary_ranks(m->dictionary, &everybody);
	ranks_clear(&everybody);
	for (uint32_t p = 0; p < processes; p++) {
		describe(m->dictionary, pattern, s, processes, p, group, &b);
		recognize(m, &b, s->iterations);
		*events += s->iterations * b.length;
	}
	return m;
}

/* ------------------------------------------------------------------ rows */

struct figures {
	double recognition, reduction, folding;
	double megabytes, before; /* at the peak; before the reduction */
	uint64_t events, local, global, loops, statements;
};

static double peak_megabytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static struct figures measure(const struct pattern *pattern, const struct settings *s, uint32_t processes)
{
	struct figures f = {0};
	double start = now();
	struct model *local = local_models(pattern, s, processes, &f.events);
	f.recognition = now() - start;
	f.before = peak_megabytes();
	start = now();
	struct merge_report report;
	struct model *global =
		merge_reduce(local, &(struct merge_options){.jobs = s->jobs, .growth = MERGE_GROWTH}, &report);
	f.reduction = now() - start;
	f.megabytes = peak_megabytes();
	f.local = report.constructs_local;
	f.global = report.constructs_global;
	f.loops = report.joined;
	start = now();
	struct error error;
	struct module *plain = module_of_model(global);
	struct module *folded = module_fold(plain, &error);
	if (!folded) {
		fprintf(stderr, "%s\n", error.message);
		exit(1);
	}
	f.folding = now() - start;
	f.statements = folded->lines;
	module_free(folded);
	module_free(plain);
	model_free(global);
	model_free(local);
	return f;
}

/* The same in a process of its own. */
static bool measure_apart(
	const struct pattern *pattern, const struct settings *s, uint32_t processes, struct figures *f)
{
	int ends[2];
	fflush(stdout);
	if (pipe(ends))
		return false;
	pid_t child = fork();
	if (child < 0)
		return false;
	if (!child) {
		*f = measure(pattern, s, processes);
		_exit(write(ends[1], f, sizeof *f) != sizeof *f);
	}
	close(ends[1]);
	bool got = read(ends[0], f, sizeof *f) == sizeof *f;
	close(ends[0]);
	int status;
	return waitpid(child, &status, 0) == child && !status && got;
}

/* The best of three runs. */
static bool measure_best(
	const struct pattern *pattern, const struct settings *s, uint32_t processes, struct figures *best)
{
	if (!measure_apart(pattern, s, processes, best))
		return false;
	for (int run = 1; run < 3 && best->recognition < 2; run++) {
		struct figures f;
		if (!measure_apart(pattern, s, processes, &f))
			return false;
		if (f.reduction < best->reduction)
			best->reduction = f.reduction;
		if (f.recognition < best->recognition)
			best->recognition = f.recognition;
		if (f.folding < best->folding)
			best->folding = f.folding;
	}
	return true;
}

static void print_row(const struct pattern *pattern, uint32_t processes, uint64_t iterations, const struct figures *f,
	const struct figures *before)
{
	printf("%-16s %9u %10" PRIu64 " %12" PRIu64 " %9.3f %9.3f %9.0f %10" PRIu64 " %10" PRIu64 " %6" PRIu64
	       " %9.3f %6" PRIu64,
		pattern->name, processes, iterations, f->events, f->recognition, f->reduction, f->megabytes, f->local,
		f->global, f->loops, f->folding, f->statements);
	if (before)
		printf(" %8.1f %8.1f", f->reduction / before->reduction, f->megabytes / before->megabytes);
	printf("\n");
}

static bool measure_pattern(const struct pattern *pattern, const struct settings *s)
{
	struct figures now_here, before;
	bool any = false;
	for (uint32_t processes = 256; processes <= s->most; processes *= 4) {
		if (!measure_best(pattern, s, processes, &now_here))
			return false;
		print_row(pattern, processes, s->iterations, &now_here, any ? &before : NULL);
		before = now_here;
		any = true;
	}
	return true;
}

static bool measure_iterations(const struct pattern *pattern, const struct settings *s)
{
	struct settings more = *s;
	struct figures few, many;
	more.iterations *= 1000;
	if (!measure_best(pattern, s, 1024, &few) || !measure_best(pattern, &more, 1024, &many))
		return false;
	print_row(pattern, 1024, more.iterations, &many, &few);
	return true;
}

int main(int argc, char **argv)
{
	struct settings s = {.most = 16384, .iterations = 100, .jobs = 0};
	for (int option; (option = getopt(argc, argv, "p:n:j:s")) != -1;) {
		if (option == 'p' && atoi(optarg) > 0)
			s.most = (uint32_t)atoi(optarg);
		else if (option == 'n' && atoi(optarg) > 2)
			s.iterations = (uint64_t)atoi(optarg);
		else if (option == 'j')
			s.jobs = (unsigned)atoi(optarg);
		else if (option == 's')
			s.sync = true;
		else
			return fprintf(stderr, "usage: %s [-p PROCESSES] [-n ITERATIONS] [-j JOBS] [-s]\n", argv[0]), 2;
	}
	printf("%-16s %9s %10s %12s %9s %9s %9s %10s %10s %6s %9s %6s %8s %8s\n", "program", "processes", "iterations",
		"events", "NLR s", "merge s", "peak MB", "local", "global", "loops", "fold s", "lines", "x time",
		"x memory");
	size_t count = sizeof patterns / sizeof *patterns;
	for (size_t i = 0; i < count; i++)
		if (!measure_pattern(&patterns[i], &s))
			return 1;
	for (size_t i = 0; i < count; i++)
		if (!measure_iterations(&patterns[i], &s))
			return 1;
	return 0;
}
