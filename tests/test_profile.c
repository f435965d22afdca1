/*
 * test_profile.c -- times of statements: sums, histograms, by where control came from.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/mem.h"
#include "model/module_address.h"
#include "model/prepared.h"
#include "profile/profile.h"
#include "report/account.h"
#include "tests/archive.h"
#include "tests/models.h"
#include "tests/planted.h"
#include "tests/rows.h"
#include "tests/simulated.h"

/* ------------------------------------------------------------------ histograms */

static void test_buckets(void)
{
	for (uint64_t v = 0; v < 100000; v = v < 100 ? v + 1 : v + v / 7) {
		uint32_t b = bucket_of(v, HISTOGRAM_BITS);
		uint64_t low = bucket_low(b, HISTOGRAM_BITS), high = bucket_low(b + 1, HISTOGRAM_BITS) - 1;
		double middle = ((double)low + (double)high) / 2;
		CU_ASSERT(low <= v && v <= high);
		CU_ASSERT(v < 8 ? low == high : (double)(high - low) / 2 <= middle / 9);
	}
	CU_ASSERT_EQUAL(bucket_low(bucket_of(UINT64_MAX, HISTOGRAM_BITS) + 1, HISTOGRAM_BITS), UINT64_MAX);
}

static uint64_t next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

static bool same_histogram(const struct histogram *a, const struct histogram *b)
{
	return a->count == b->count && a->sum == b->sum && a->squares == b->squares &&
	       !memcmp(&a->least, &b->least, sizeof a->least) && !memcmp(&a->most, &b->most, sizeof a->most) &&
	       a->first == b->first && a->buckets == b->buckets &&
	       (!a->buckets || !memcmp(a->bucket, b->bucket, a->buckets * sizeof *a->bucket));
}

/* Any order, any grouping, also of nothing. */
static void test_merging(void)
{
	for (unsigned round = 0; round < rounds(100); round++) {
		struct histogram part[4] = {0}, all, left = {0}, right = {0};
		uint64_t state = round;
		memset(&all, 0, sizeof all);
		memset(part, 0, sizeof part);
		memset(&left, 0, sizeof left);
		memset(&right, 0, sizeof right);
		for (uint64_t i = 0, n = next(&state) % 50; i < n; i++) {
			uint64_t value = next(&state) >> next(&state) % 31;
			uint32_t rank = (uint32_t)(next(&state) % 4);
			histogram_add(&part[rank], value, rank, i);
			histogram_add(&all, value, rank, i);
		}
		histogram_merge(&left, &part[0]);
		histogram_merge(&left, &part[1]);
		histogram_merge(&left, &part[2]);
		histogram_merge(&left, &part[3]);
		histogram_merge(&right, &part[3]);
		histogram_merge(&right, &part[2]);
		histogram_merge(&part[0], &part[1]);
		histogram_merge(&right, &part[0]);
		CU_ASSERT(same_histogram(&left, &all) && same_histogram(&right, &all));
		for (unsigned i = 0; i < 4; i++)
			histogram_clear(&part[i]);
		histogram_clear(&left);
		histogram_clear(&right);
		histogram_clear(&all);
	}
}

static void test_figures(void)
{
	struct histogram s;
	memset(&s, 0, sizeof s);
	for (uint64_t i = 1; i <= 1000; i++)
		histogram_add(&s, i, (uint32_t)(i % 3), i);
	CU_ASSERT_DOUBLE_EQUAL(histogram_mean(&s), 500.5, 1e-9);
	CU_ASSERT(s.squares == 333833500);
	CU_ASSERT_EQUAL(s.most.iteration, 1000);
	histogram_clear(&s);
}

/* ------------------------------------------------------------------ programs */

#define MS 1e-3

/* Control enters a loop after 5 ms, stays in it with 1 ms, leaves it with 3 ms; twice, inside of
   another one. The network costs nothing that matters. */
static void planted_loop(struct simulated *s, uint32_t rank)
{
	for (unsigned outer = 0; outer < 4; outer++) {
		for (unsigned i = 0; i < 10; i++) {
			do_compute(s, rank, i ? 1 * MS : 5 * MS);
			do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, 1e-7);
			do_compute(s, rank, 0.25 * MS);
			do_collective(s, rank, "MPI_Barrier", 0, NO_ROOT, 1e-7);
		}
		do_compute(s, rank, 3 * MS);
		do_collective(s, rank, "MPI_Bcast", 8, 0, 1e-7);
	}
}

/* Statement, arrival: occurrences x mean computing before it, in us. Before the first record there
   is nothing. */
static const char told[] = "0.0.0 start: 1 x 0\n"
			   "0.0.0 entry: 3 x 5000\n"
			   "0.0.0 next: 36 x 1000\n"
			   "0.0.1 straight: 40 x 250\n"
			   "0.1 exit: 4 x 3000\n";

static void test_samples(void)
{
	static const struct {
		const char *why;
		unsigned values, shorter; /* the last row has so many less */
		unsigned turns; /* which of four is slow: always the same values, or one after the other */
		double least, most;
	} rows[] = {
		{"all values of a few", 40, 0, 4, 40, 40},
		{"where all are slow together, the slowest is as the others", 4000, 0, 1, 15, 20},
		{"where one after the other is, always one is slow", 4000, 0, 4, 40, 40},
		{"rows that are not as long cannot be compared", 400, 1, 4, 0, 0},
		{"nothing", 0, 0, 4, 0, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sample sample[4] = {0};
		const struct sample *samples[4];
		for (unsigned k = 0; k < 4; k++) {
			samples[k] = &sample[k];
			for (unsigned n = 0; n + (k == 3 ? rows[i].shorter : 0) < rows[i].values; n++)
				sample_add(&sample[k], (n + (rows[i].turns > 1 ? k : 0)) % 4 ? 10 : 40);
			ROW(rows[i].why, sample[k].length <= SAMPLE_MOST);
			ROW(rows[i].why, sample[k].length >= (rows[i].values < SAMPLE_MOST ? sample[k].seen : 16));
		}
		double mean = sample_mean_of_largest(samples, 4);
		ROW(rows[i].why, rows[i].least <= mean && mean <= rows[i].most);
		for (unsigned k = 0; k < 4; k++)
			sample_clear(&sample[k]);
	}
}

static struct profile *profile_of(const char *anchor, struct prepared *program, const struct ranks *wanted)
{
	struct trace_options options = {0};
	struct error error = {0};
	struct trace *trace = trace_open(anchor, &options, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
	struct profile *p = profile_read(program->run, "model", trace, wanted, NULL, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	trace_close(trace);
	return p;
}

static struct prepared *program_of_archive(const char *anchor)
{
	struct program_options options = {PROGRAM_OPTIONS, .jobs = 1};
	struct program_facts facts;
	struct error error = {0};
	struct prepared *program = prepared_of_trace(anchor, &options, &facts, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	program_facts_clear(&facts);
	return program;
}

static void test_arrivals(void)
{
	static const struct network net = {.latency = 1e-9, .bandwidth = 1e15, .eager = 1000};
	struct simulated *s = simulated_new(&net, 4, 1, 0);
	for (uint32_t rank = 0; rank < 4; rank++)
		planted_loop(s, rank);
	simulated_run(s);
	char *anchor = simulated_write(s, SIMULATED_BARE);
	struct prepared *program = program_of_archive(anchor);
	struct profile *p = profile_of(anchor, program, NULL);
	struct text have = {0};
	profile_fold(p, 0.1);
	for (size_t i = 0; i < p->rows; i++) {
		CU_ASSERT_EQUAL(ranks_count(&p->row[i].ranks), 4);
		module_address(program->module, p->row[i].line, &have);
		text_format(&have, " %s: %" PRIu64 " x %.0f\n", arrival_name(p->row[i].arrival),
			p->row[i].occurrences / 4, histogram_mean(&p->row[i].before) / 1000);
	}
	row_same("entry, iteration and exit are told apart", have.data, told);
	text_clear(&have);
	profile_free(p);
	prepared_free(program);
	archive_remove(anchor);
	simulated_free(s);
}

/* What the rows of a process hold, what stands apart and what came after is its run time; a process
   that is read alone has the rows that it has among all. */
static void test_sums(void)
{
	for (size_t i = 0; i < planted_count; i += 3 * each_of(5)) {
		struct simulated *s = planted_run(&planted[i], 1, 0.05, true);
		char *anchor = simulated_write(s, i % 2);
		struct prepared *program = program_of_archive(anchor);
		struct profile *all = profile_of(anchor, program, NULL);
		uint64_t *told_of = mem_zero(program->module->processes * sizeof *told_of);
		for (size_t k = 0; k < all->rows; k++)
			told_of[all->row[k].ranks.run[0].first] += all->row[k].before.sum + all->row[k].call.sum;
		for (uint32_t rank = 0; rank < program->module->processes; rank++) {
			const struct profile_process *t = &all->process[rank];
			ROW(planted[i].why, told_of[rank] + t->after + t->after_call + t->apart == t->last - t->first);
		}
		for (uint32_t rank = 0; rank < program->module->processes; rank++) {
			struct ranks one = {0};
			ranks_add(&one, rank);
			struct profile *part = profile_of(anchor, program, &one);
			size_t at = 0;
			for (size_t k = 0; k < part->rows; k++, at++) {
				while (at < all->rows && (all->row[at].ranks.run[0].first != rank ||
								 all->row[at].line != part->row[k].line ||
								 all->row[at].arrival != part->row[k].arrival))
					at++;
				ROW(planted[i].why,
					at < all->rows && same_histogram(&all->row[at].before, &part->row[k].before) &&
						same_histogram(&all->row[at].call, &part->row[k].call));
			}
			profile_free(part);
			ranks_clear(&one);
		}
		profile_free(all);
		free(told_of);
		prepared_free(program);
		archive_remove(anchor);
		simulated_free(s);
	}
}

void suite_profile(CU_pSuite suite)
{
	CU_add_test(suite, "buckets hold their error", test_buckets);
	CU_add_test(suite, "histograms merge in any order", test_merging);
	CU_add_test(suite, "figures of a histogram", test_figures);
	CU_add_test(suite, "samples meet", test_samples);
	CU_add_test(suite, "where control came from", test_arrivals);
	CU_add_test(suite, "times add up, of all and of one", test_sums);
}
