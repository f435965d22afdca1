/*
 * nlr.c -- how fast loops are recognized: records fed from memory, one thread, its processor time, the best of three runs.
 *
 *	bench/nlr [-n RECORDS] [-w WINDOW] [FILE ...]
 *
 * A FILE (a text trace of one process, say) adds a row: its lines are the records, repeated up to RECORDS. Hard words (Thue-Morse,
 * Fibonacci, loops that grow) stand beside noise: their time must not leave the order of magnitude of noise.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/intern.h"
#include "base/mem.h"
#include "nlr/nlr.h"

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % below;
}

/* ------------------------------------------------------------------ streams: record i, for i from 0 */

struct source {
	uint64_t seed;
	uint64_t a, b;
};

/* The outer loop of NPB LU, class A: two sweeps of 62 steps, then four single messages. */
static uint32_t regular(struct source *s, uint64_t i)
{
	(void)s;
	uint64_t at = i % 252;
	if (at < 124)
		return (uint32_t)(at % 2);
	if (at < 248)
		return (uint32_t)(2 + at % 2);
	return (uint32_t)(at - 248) % 2 * 2 + (at - 248 > 1);
}

/* Five loops of 7 iterations, each with a record of its own before the inner one. */
static uint32_t nested(struct source *s, uint64_t i)
{
	(void)i;
	if (s->a) {
		s->a--;
		return (uint32_t)s->a;
	}
	uint64_t turn = ++s->b;
	while (turn % 7 == 0 && s->a < 4) {
		turn /= 7;
		s->a++;
	}
	return 5;
}

static uint32_t noisy(struct source *s, uint64_t i)
{
	return draw(&s->seed, 100) ? regular(s, i) : (uint32_t)draw(&s->seed, 1000);
}

static uint32_t random_1000(struct source *s, uint64_t i)
{
	(void)i;
	return (uint32_t)draw(&s->seed, 1000);
}

static uint32_t random_2(struct source *s, uint64_t i)
{
	(void)i;
	return (uint32_t)draw(&s->seed, 2);
}

static uint32_t thue_morse(struct source *s, uint64_t i)
{
	(void)s;
	return (uint32_t)__builtin_parityll(i);
}

static uint32_t fibonacci(struct source *s, uint64_t i)
{
	(void)s;
	const double golden = 1.6180339887498949;
	return (uint32_t)((uint64_t)((double)(i + 2) / golden) - (uint64_t)((double)(i + 1) / golden));
}

/* a b, a b b, a b b b, ... up to 1000 and again: every count of the inner loop was seen before. */
static uint32_t growing(struct source *s, uint64_t i)
{
	(void)i;
	if (s->a) {
		s->a--;
		return 1;
	}
	s->b = s->b % 1000 + 1;
	s->a = s->b;
	return 0;
}

static const struct {
	const char *name;
	uint32_t (*record)(struct source *, uint64_t i);
} streams[] = {
	{"regular (LU)", regular},
	{"nested, 5 deep", nested},
	{"regular, 1 % noise", noisy},
	{"random, 1,000 symbols", random_1000},
	{"random, 2 symbols", random_2},
	{"Thue-Morse word", thue_morse},
	{"Fibonacci word", fibonacci},
	{"growing inner loops", growing},
};

/* ------------------------------------------------------------------ a row */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(const char *name, const uint32_t *record, size_t length, const struct nlr_options *options)
{
	double best = 0;
	uint64_t constructs = 0;
	bool hit = false;
	for (int run = 0; run < 3; run++) {
		double start = now();
		struct nlr *r = nlr_new(options);
		for (size_t i = 0; i < length; i++)
			nlr_push(r, record[i]);
		hit = nlr_window_hit(r);
		struct nest *nest = nlr_finish(r);
		double time = now() - start;
		if (!run || time < best)
			best = time;
		constructs = nest_constructs(nest, nest->root, nest->root_length);
		nest_free(nest);
	}
	printf("%-28.28s %12zu %10.1f %12" PRIu64 "%s\n", name, length, (double)length / best / 1e6, constructs,
		hit ? "  window hit" : "");
}

static void measure_stream(size_t which, uint32_t *record, size_t length, const struct nlr_options *options)
{
	struct source source = {.seed = 1};
	for (size_t i = 0; i < length; i++)
		record[i] = streams[which].record(&source, i);
	measure(streams[which].name, record, length, options);
}

/* Lines as records, again and again. Returns false if the file cannot be read. */
static bool measure_file(const char *path, uint32_t *record, size_t length, const struct nlr_options *options)
{
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	struct intern *lines = intern_new();
	char *line = NULL;
	size_t room = 0, read = 0;
	for (ssize_t size; read < length && (size = getline(&line, &room, file)) >= 0; read++)
		record[read] = intern_id(lines, line, (size_t)size);
	for (size_t i = read; read && i < length; i++)
		record[i] = record[i - read];
	free(line);
	intern_free(lines);
	fclose(file);
	const char *slash = strrchr(path, '/');
	measure(slash ? slash + 1 : path, record, read ? length : 0, options);
	return true;
}

int main(int argc, char **argv)
{
	size_t length = 10000000;
	struct nlr_options options = {.window = NLR_WINDOW, .repetitions = NLR_REPETITIONS};
	int i = 1;
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		size_t value = strtoul(argv[i + 1], NULL, 10);
		if (!strcmp(argv[i], "-n") && value)
			length = value;
		else if (!strcmp(argv[i], "-w") && value)
			options.window = value;
		else
			break;
	}
	if (i < argc && argv[i][0] == '-') {
		fprintf(stderr, "usage: %s [-n RECORDS] [-w WINDOW] [FILE ...]\n", argv[0]);
		return 2;
	}
	uint32_t *record = mem_array(length, sizeof *record);
	printf("%-28s %12s %10s %12s\n", "stream", "records", "million/s", "constructs");
	for (size_t which = 0; which < sizeof streams / sizeof *streams; which++)
		measure_stream(which, record, length, &options);
	for (; i < argc; i++)
		if (!measure_file(argv[i], record, length, &options)) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return 2;
		}
	free(record);
	return 0;
}
