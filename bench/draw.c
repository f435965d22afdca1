/*
 * draw.c -- what pictures cost: time and file size against processes and constructs, one thread,
 * from a model in memory.
 *
 *	bench/draw [MODEL ...]
 *
 * Models made up: the wavefront of NPB LU on a square grid, which folds into few bands; noise,
 * which does not fold; and noise of few processes and ever more constructs. A MODEL adds a row.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/module.h"
#include "viz/viz.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void put_sweep(struct text *t, unsigned n, int way, unsigned tag)
{
	text_put(t, "for i1 = 0 to 61\n");
	for (unsigned k = 0; k < n * n; k++) {
		unsigned p = way > 0 ? k : n * n - 1 - k, x = p % n, y = p / n;
		unsigned right = way > 0 ? p + 1 : p - 1, down = way > 0 ? p + n : p - n,
			 left = way > 0 ? p - 1 : p + 1, up = way > 0 ? p - n : p + n;
		if (way > 0 ? x > 0 : x < n - 1)
			text_format(t, "%u recv %u tag%u\n", left, p, tag);
		if (way > 0 ? y > 0 : y < n - 1)
			text_format(t, "%u recv %u tag%u\n", up, p, tag + 1);
		if (way > 0 ? x < n - 1 : x > 0)
			text_format(t, "%u send %u tag%u\n", p, right, tag);
		if (way > 0 ? y < n - 1 : y > 0)
			text_format(t, "%u send %u tag%u\n", p, down, tag + 1);
	}
	text_put(t, "done\n");
}

static void put_lu(struct text *t, unsigned n)
{
	text_format(t, "// tracenest 1\n// processes %u\nfor i0 = 0 to 248\n", n * n);
	put_sweep(t, n, 1, 1);
	put_sweep(t, n, -1, 3);
	text_format(t, "0-%u sync MPI_Allreduce 0-%u\ndone\n", n * n - 1, n * n - 1);
}

static void put_noise(struct text *t, unsigned processes, unsigned messages)
{
	uint64_t seed = 7;
	text_format(t, "// tracenest 1\n// processes %u\nfor i0 = 0 to 99\n", processes);
	for (unsigned i = 0; i < messages; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		unsigned a = (unsigned)((seed >> 33) % processes), b = (unsigned)((seed >> 20) % processes),
			 tag = (unsigned)((seed >> 50) % 6);
		text_format(t, "%u send %u tag%u\n%u recv %u tag%u\n", a, b, tag, a, b, tag);
	}
	text_put(t, "done\n");
}

static double draw_once(const struct module *m, enum viz_format format, const char *path, double *kilobytes)
{
	struct error error = {0};
	double start = now();
	struct output *out = output_open(path, &error);
	if (!out || !viz_draw(m, &(struct viz_options){.title = "bench"}, format, out, &error) ||
		!output_close(out, &error)) {
		fprintf(stderr, "draw: %s\n", error.message);
		exit(1);
	}
	double time = now() - start;
	struct stat status;
	*kilobytes = stat(path, &status) == 0 ? (double)status.st_size / 1000 : 0;
	return time;
}

static void measure(const char *name, const struct module *m, const char *directory)
{
	static const struct {
		enum viz_format format;
		const char *suffix;
	} formats[] = {{VIZ_SVG, "svg"}, {VIZ_PDF, "pdf"}, {VIZ_HTML, "html"}};
	printf("%-28s %9" PRIu32 " %10" PRIu64, name, m->processes, (uint64_t)m->lines);
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		char path[4096];
		double kilobytes;
		snprintf(path, sizeof path, "%s/picture.%s", directory, formats[i].suffix);
		double time = draw_once(m, formats[i].format, path, &kilobytes);
		printf(" %9.3f %8.0f", time, kilobytes);
		unlink(path);
	}
	printf("\n");
	fflush(stdout);
}

static void measure_text(const char *name, struct text *t, const char *directory)
{
	struct error error = {0};
	struct module *m = module_parse_one(name, t->data, t->length, &error);
	if (!m) {
		fprintf(stderr, "draw: %s\n", error.message);
		exit(1);
	}
	measure(name, m, directory);
	module_free(m);
	text_clear(t);
}

int main(int words, char **word)
{
	char directory[] = "/tmp/tracenest-draw-XXXXXX";
	if (!mkdtemp(directory))
		return 1;
	printf("%-28s %9s %10s %9s %8s %9s %8s %9s %8s\n", "model", "processes", "constructs", "svg s", "kB", "pdf s",
		"kB", "html s", "kB");
	struct text t = {0};
	for (unsigned n = 2; n <= 64; n *= 2) {
		put_lu(&t, n);
		measure_text("LU", &t, directory);
	}
	for (unsigned p = 16; p <= 4096; p *= 4) {
		put_noise(&t, p, 10 * p);
		measure_text("noise", &t, directory);
	}
	for (unsigned n = 1000; n <= 1000000; n *= 10) {
		put_noise(&t, 16, n / 2);
		measure_text("noise, 16 processes", &t, directory);
	}
	for (int i = 1; i < words; i++) {
		struct error error = {0};
		struct module *m = module_read_one(word[i], &error);
		if (!m) {
			fprintf(stderr, "draw: %s\n", error.message);
			continue;
		}
		const char *slash = strrchr(word[i], '/');
		measure(slash ? slash + 1 : word[i], m, directory);
		module_free(m);
	}
	rmdir(directory);
	return 0;
}
