/*
 * at.c -- how long `tracenest at` takes for a time, at worst: series are asked for at random times
 * of a run, of all processes, as the verb does.
 *
 *	at MODEL PROFILE [TIMES]
 *
 * Prints the mean, the 99th percentile and the longest of processor time, for all processes and for
 * one. The first TIMES go by before: pages of the database are then in the cache.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "lib/pipeline.h"
#include "model/prepared.h"
#include "profile/time_series.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 11) % below;
}

static void must(bool good, const struct error *error)
{
	if (good)
		return;
	fprintf(stderr, "at: %s\n", error->message);
	exit(2);
}

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static void print(const char *what, double *took, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += took[i];
	qsort(took, n, sizeof *took, by_size);
	printf("%-16s mean %.3f ms, 99 %% below %.3f ms, longest %.3f ms\n", what, sum / (double)n * 1e3,
		took[n * 99 / 100] * 1e3, took[n - 1] * 1e3);
}

/* When the last event of all ends. */
static uint64_t end_of(struct time_series *m, uint32_t processes, struct error *error)
{
	uint64_t end = 0;
	for (uint32_t rank = 0; rank < processes; rank++) {
		struct time_point at;
		must(time_series_at(m, rank, UINT64_MAX, &at, error), error);
		end = at.state != TIME_POINT_NOTHING && at.time.leave > end ? at.time.leave : end;
	}
	return end;
}

int main(int argc, char **argv)
{
	struct error error = {0};
	size_t times = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 10000;
	if (argc < 3 || !times)
		return fprintf(stderr, "usage: at MODEL PROFILE [TIMES]\n"), 2;
	struct prepared *program = prepared_new(module_as_made(module_read_one(argv[1], &error), &error), &error);
	must(program, &error);
	struct time_series *m = time_series_open(argv[2], program->run, argv[1], &error);
	must(m, &error);
	uint32_t processes = program->module->processes;
	uint64_t begin = time_series_begin(m), run = end_of(m, processes, &error) - begin + 1;
	double *all = mem_array(times, sizeof *all), *one = mem_array(times * processes, sizeof *one);
	for (size_t i = 0; i < 2 * times; i++) {
		uint64_t time = begin + draw(run);
		double start = now();
		for (uint32_t rank = 0; rank < processes; rank++) {
			struct time_point at;
			double before = now();
			must(time_series_at(m, rank, time, &at, &error), &error);
			one[i % times * processes + rank] = now() - before;
		}
		all[i % times] = now() - start;
	}
	print("all processes", all, times);
	print("one", one, times * processes);
	free(all);
	free(one);
	time_series_close(m);
	prepared_free(program);
	return 0;
}
