/*
 * nlr.c -- how fast loops are recognized: records fed from memory, one thread, its processor time,
 * the best of three runs.
 *
 *	bench/nlr [-n RECORDS] [-w WINDOW] [FILE ...]
 *
 * The first table: words, by the recognizer of constant loops and by the affine one. A FILE (a text
 * trace of one process, say) adds a row: its lines are the records, repeated up to RECORDS. Regular
 * streams come once more with noise, beside the time that they took without it. Hard words
 * (Thue-Morse, Fibonacci, loops that grow) stand beside noise: their time must not leave the order
 * of magnitude of noise.
 *
 * The second table: traces of numbers as well, beside what gzip -6 and zstd -3 make of the same
 * text, all in one run. Reading the text and parsing it is timed apart.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/mem.h"
#include "model/affine_text.h"
#include "model/lines.h"
#include "nlr/affine_nlr.h"
#include "nlr/nlr.h"

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % below;
}

/* -------------------------------------------------------------- streams: record i, for i from 0 */

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

static uint32_t one(struct source *s, uint64_t i)
{
	(void)s, (void)i;
	return 1;
}

static uint32_t body_of_10(struct source *s, uint64_t i)
{
	(void)s;
	return (uint32_t)(i % 10);
}

static uint32_t body_of_100(struct source *s, uint64_t i)
{
	(void)s;
	return (uint32_t)(i % 100);
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
	bool noisy; /* once more, one record in a hundred replaced by a random one */
} streams[] = {
	{"regular (LU)", regular, true},
	{"nested, 5 deep", nested, true},
	{"a body of 1 term", one, true},
	{"a body of 10 terms", body_of_10, true},
	{"a body of 100 terms", body_of_100, true},
	{"random, 1,000 symbols", random_1000, false},
	{"random, 2 symbols", random_2, false},
	{"Thue-Morse word", thue_morse, false},
	{"Fibonacci word", fibonacci, false},
	{"growing inner loops", growing, false},
};

/* ------------------------------------------------------------------ a row */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds, constructs, and whether the window was hit. */
static double run_constant(
	const uint32_t *record, size_t length, const struct nlr_options *options, uint64_t *constructs, bool *hit)
{
	double start = now();
	struct nlr *r = nlr_new(options);
	for (size_t i = 0; i < length; i++)
		nlr_push(r, record[i]);
	*hit = nlr_window_hit(r);
	struct nest *nest = nlr_finish(r);
	double time = now() - start;
	*constructs = nest_constructs(nest, nest->root, nest->root_length);
	nest_free(nest);
	return time;
}

static double run_affine_words(
	const uint32_t *record, size_t length, const struct nlr_options *options, uint64_t *constructs)
{
	struct affine_nlr_options affine = {
		.window = affine_nlr_window(options->window), .repetitions = AFFINE_NLR_REPETITIONS};
	double start = now();
	struct affine_nlr *r = affine_nlr_new(&affine);
	for (size_t i = 0; i < length; i++)
		affine_nlr_push(r, record[i], 0, NULL);
	struct affine_nest *nest = affine_nlr_finish(r);
	double time = now() - start;
	*constructs = affine_constructs(nest->root, nest->length);
	affine_nest_free(nest);
	return time;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

struct times {
	double constant, affine;
};

/* regular: the times of the same stream without its noise; or NULL. */
static struct times measure(const char *name, const uint32_t *record, size_t length, const struct nlr_options *options,
	const struct times *regular_times)
{
	double constant = 1e9, affine = 1e9;
	uint64_t constructs = 0, affine_found = 0;
	bool hit = false;
	for (int run = 0; run < 3; run++) {
		constant = least(constant, run_constant(record, length, options, &constructs, &hit));
		affine = least(affine, run_affine_words(record, length, options, &affine_found));
	}
	printf("%-28.28s %12zu %10.1f %12" PRIu64 " %10.1f %12" PRIu64, name, length, (double)length / constant / 1e6,
		constructs, (double)length / affine / 1e6, affine_found);
	if (regular_times)
		printf("  %.1f and %.1f times as long", constant / regular_times->constant,
			affine / regular_times->affine);
	printf("%s\n", hit ? "  window hit" : "");
	fflush(stdout);
	return (struct times){constant, affine};
}

static void measure_stream(size_t which, uint32_t *record, size_t length, const struct nlr_options *options)
{
	struct source source = {.seed = 1};
	for (size_t i = 0; i < length; i++)
		record[i] = streams[which].record(&source, i);
	struct times times = measure(streams[which].name, record, length, options, NULL);
	if (!streams[which].noisy)
		return;
	for (size_t i = 0; i < length; i++)
		if (!draw(&source.seed, 100))
			record[i] = (uint32_t)draw(&source.seed, 1000);
	measure("  with 1 % noise", record, length, options, &times);
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
	measure(slash ? slash + 1 : path, record, read ? length : 0, options, NULL);
	return true;
}

/* ------------------------------------------------------------- traces with numbers, as text too */

enum { OPERATIONS = 6, NUMBERS = 2 };

static const char *const operation[OPERATIONS] = {"load", "store", "send", "recv", "wait", "call"};

/* Records of an operation and two numbers. */
struct numbered {
	uint8_t *operation;
	int64_t *number; /* NUMBERS of each */
	size_t length, most;
};

static void emit(struct numbered *t, uint8_t what, int64_t a, int64_t b)
{
	if (t->length == t->most)
		return;
	t->operation[t->length] = what;
	t->number[NUMBERS * t->length] = a;
	t->number[NUMBERS * t->length + 1] = b;
	t->length++;
}

/* The same messages again and again. */
static void make_regular(struct numbered *t)
{
	while (t->length < t->most)
		for (int64_t k = 0; k < 24; k++)
			emit(t, (uint8_t)(2 + k % 3), k * 5 % 16, 1000 + k % 4);
}

static void make_nested(struct numbered *t)
{
	while (t->length < t->most)
		for (int64_t i = 0; i < 7; i++) {
			emit(t, 4, 0, 0);
			for (int64_t j = 0; j < 9; j++) {
				emit(t, 5, 3, 3);
				for (int64_t k = 0; k < 11; k++)
					emit(t, 2, 7, 1000);
			}
		}
}

/* A product of matrices. */
static void multiply(struct numbered *t, int64_t n, uint64_t noise)
{
	uint64_t seed = 1;
	for (int64_t i = 0; t->length < t->most; i++)
		for (int64_t j = 0; j < n; j++) {
			for (int64_t k = 0; k < n; k++) {
				if (noise && !draw(&seed, noise))
					emit(t, (uint8_t)draw(&seed, OPERATIONS), (int64_t)draw(&seed, 1 << 30), 8);
				emit(t, 0, 4096 + 8 * (n * i + k), 8);
				if (noise && !draw(&seed, noise))
					emit(t, (uint8_t)draw(&seed, OPERATIONS), (int64_t)draw(&seed, 1 << 30), 8);
				emit(t, 0, 16777216 + 8 * (n * k + j), 8);
			}
			emit(t, 1, 268435456 + 8 * (n * i + j), 8);
		}
}

static void make_affine(struct numbered *t)
{
	multiply(t, 150, 0);
}

static void make_noisy(struct numbered *t)
{
	multiply(t, 150, 100);
}

/* A triangular solve, again and again. */
static void make_triangular(struct numbered *t)
{
	enum { N = 1000 };
	while (t->length < t->most)
		for (int64_t i = 0; i < N; i++) {
			emit(t, 0, 4096 + 8 * i, 8);
			for (int64_t j = 0; j < i; j++) {
				emit(t, 0, 65536 + 8 * (N * i + j), 8);
				emit(t, 0, 32768 + 8 * j, 8);
			}
			emit(t, 1, 32768 + 8 * i, 8);
		}
}

static void make_random(struct numbered *t)
{
	uint64_t seed = 1;
	while (t->length < t->most)
		emit(t, (uint8_t)draw(&seed, OPERATIONS), (int64_t)draw(&seed, 1 << 30), (int64_t)draw(&seed, 100));
}

static const struct {
	const char *name;
	void (*make)(struct numbered *);
} traces[] = {
	{"regular", make_regular},
	{"nested", make_nested},
	{"affine (matrix product)", make_affine},
	{"triangular (solve)", make_triangular},
	{"affine, 1 % noise", make_noisy},
	{"random", make_random},
};

static double run_affine(const struct numbered *t, struct affine_nest **nest)
{
	double start = now();
	struct affine_nlr *r = affine_nlr_new(NULL);
	for (size_t i = 0; i < t->length; i++)
		affine_nlr_push(r, t->operation[i], NUMBERS, t->number + NUMBERS * i);
	*nest = affine_nlr_finish(r);
	return now() - start;
}

/* As symbols: the same line, the same number. */
static uint32_t *as_words(const struct numbered *t, size_t *different)
{
	struct intern *words = intern_new();
	uint32_t *word = mem_array(t->length, sizeof *word);
	for (size_t i = 0; i < t->length; i++) {
		int64_t key[] = {t->operation[i], t->number[NUMBERS * i], t->number[NUMBERS * i + 1]};
		word[i] = intern_id(words, key, sizeof key);
	}
	*different = intern_count(words);
	intern_free(words);
	return word;
}

static size_t write_text(const struct numbered *t, const char *path)
{
	FILE *file = fopen(path, "w");
	size_t size = 0;
	if (!file)
		return 0;
	for (size_t i = 0; i < t->length; i++)
		size += (size_t)fprintf(file, "%s %" PRId64 " %" PRId64 "\n", operation[t->operation[i]],
			t->number[NUMBERS * i], t->number[NUMBERS * i + 1]);
	return fclose(file) ? 0 : size;
}

/* The shapes in the order of the operations, so that the nest that was fed from memory can be
   printed. */
static struct affine_shapes *shapes_of_operations(void)
{
	struct affine_shapes *shapes = affine_shapes_new(true);
	int64_t number[AFFINE_WIDTH];
	uint32_t width;
	for (int i = 0; i < OPERATIONS; i++) {
		struct text line = {0};
		text_format(&line, "%s 0 0", operation[i]);
		affine_shapes_line(shapes, line.data, line.length, &width, number);
		text_clear(&line);
	}
	return shapes;
}

static double read_text(const char *path)
{
	struct error error = {0};
	double start = now();
	struct lines *lines = lines_open(path, TEXT_ANY, &error);
	struct affine_shapes *shapes = affine_shapes_new(true);
	int64_t number[AFFINE_WIDTH];
	uint32_t width;
	for (char *line; lines && (line = lines_next(lines, &error));)
		affine_shapes_line(shapes, line, strlen(line), &width, number);
	affine_shapes_free(shapes);
	lines_close(lines);
	return now() - start;
}

/* A packer's processor time and the size of what it makes; a negative time where it cannot be
   run. */
static double pack(const char *packer, const char *path, long *size)
{
	struct text command = {0};
	struct rusage before, after;
	text_format(&command, "%s -c <%s | wc -c", packer, path);
	getrusage(RUSAGE_CHILDREN, &before);
	FILE *pipe = popen(command.data, "r");
	bool good = pipe && fscanf(pipe, "%ld", size) == 1;
	if (pipe)
		good = pclose(pipe) == 0 && good;
	getrusage(RUSAGE_CHILDREN, &after);
	text_clear(&command);
	if (!good)
		return -1;
	return (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec + after.ru_stime.tv_sec -
			before.ru_stime.tv_sec) +
	       1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec + after.ru_stime.tv_usec -
			       before.ru_stime.tv_usec);
}

static void print_packed(const char *packer, const char *path)
{
	long size = 0;
	double time = pack(packer, path, &size);
	if (time < 0)
		printf(" %7s %11s", "-", "-");
	else
		printf(" %7.2f %11ld", time, size);
}

static void print_constant(const struct numbered *t, const struct nlr_options *options)
{
	size_t different;
	uint32_t *word = as_words(t, &different);
	uint64_t constructs;
	bool hit;
	double best = 1e9;
	for (int run = 0; run < 2; run++)
		best = least(best, run_constant(word, t->length, options, &constructs, &hit));
	printf(" %9.1f", (double)t->length / best / 1e6);
	free(word);
}

static void measure_trace(size_t which, struct numbered *t, const char *path, const struct nlr_options *options)
{
	struct affine_shapes *shapes = shapes_of_operations();
	struct text text = {0};
	struct affine_nest *nest;
	double best = 1e9;
	t->length = 0;
	traces[which].make(t);
	for (int run = 0; run < 3; run++) {
		best = least(best, run_affine(t, &nest));
		if (run < 2)
			affine_nest_free(nest);
	}
	affine_print_text(nest, shapes, false, &text);
	printf("%-24s", traces[which].name);
	print_constant(t, options);
	printf(" %9.1f %7.2f %11zu", (double)t->length / best / 1e6, best, text.length);
	affine_nest_free(nest);
	text_clear(&text);
	affine_shapes_free(shapes);
	size_t size = write_text(t, path);
	printf(" %7.2f %11zu", read_text(path), size);
	print_packed("gzip -6", path);
	print_packed("zstd -q -3", path);
	printf("\n");
	fflush(stdout);
}

static void measure_traces(size_t length, const struct nlr_options *options)
{
	char path[] = "/tmp/tracenest-bench-XXXXXX";
	int file = mkstemp(path);
	if (file < 0) {
		perror(path);
		return;
	}
	close(file);
	struct numbered t = {.most = length};
	t.operation = mem_array(length, sizeof *t.operation);
	t.number = mem_array(length, NUMBERS * sizeof *t.number);
	printf("\n%zu records, an operation and two numbers each; seconds of processor time, bytes\n", length);
	printf("%-24s %9s %9s %7s %11s %7s %11s %7s %11s %7s %11s\n", "", "constant", "affine", "", "", "reading", "",
		"gzip -6", "", "zstd -3", "");
	printf("%-24s %9s %9s %7s %11s %7s %11s %7s %11s %7s %11s\n", "trace", "million/s", "million/s", "time", "nest",
		"time", "text", "time", "size", "time", "size");
	for (size_t which = 0; which < sizeof traces / sizeof *traces; which++)
		measure_trace(which, &t, path, options);
	unlink(path);
	free(t.operation);
	free(t.number);
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
	printf("%-28s %12s %10s %12s %10s %12s\n", "", "", "constant", "", "affine", "");
	printf("%-28s %12s %10s %12s %10s %12s\n", "words", "records", "million/s", "constructs", "million/s",
		"constructs");
	for (size_t which = 0; which < sizeof streams / sizeof *streams; which++)
		measure_stream(which, record, length, &options);
	for (; i < argc; i++)
		if (!measure_file(argv[i], record, length, &options)) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return 2;
		}
	free(record);
	measure_traces(length, &options);
	return 0;
}
