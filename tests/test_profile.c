/*
 * test_profile.c -- times of statements: sums, histograms, by where control came from.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/output.h"
#include "lib/online_times.h"
#include "model/module_address.h"
#include "model/prepared.h"
#include "profile/profile.h"
#include "report/account.h"
#include "tests/archive.h"
#include "tests/models.h"
#include "tests/planted.h"
#include "tests/rows.h"
#include "tests/simulated.h"
#include "trace/timeline.h"

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
   another one, 4 times as a rule. The network costs nothing that matters. */
static void planted_loop(struct simulated *s, uint32_t rank, unsigned times)
{
	for (unsigned outer = 0; outer < times; outer++) {
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
		planted_loop(s, rank, 4);
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

/* ------------------------------------------------------------------ learned while it runs */

static const uint16_t record_of[] = {
	[TIMELINE_ENTER] = RECORD_ENTER,
	[TIMELINE_LEAVE] = RECORD_LEAVE,
	[TIMELINE_SEND] = RECORD_SEND,
	[TIMELINE_ISEND] = RECORD_ISEND,
	[TIMELINE_SENT] = RECORD_ISEND_COMPLETE,
	[TIMELINE_RECV] = RECORD_RECV,
	[TIMELINE_POST] = RECORD_IRECV_REQUEST,
	[TIMELINE_IRECV] = RECORD_IRECV,
	[TIMELINE_SYNC] = RECORD_COLLECTIVE_END,
	[TIMELINE_COMPLETED] = RECORD_COLLECTIVE_COMPLETE,
	[TIMELINE_CANCELLED] = RECORD_CANCELLED,
	[TIMELINE_OTHER] = RECORD_SEND,
};

static bool is_event(uint16_t kind)
{
	return kind == TIMELINE_SEND || kind == TIMELINE_ISEND || kind == TIMELINE_RECV || kind == TIMELINE_IRECV ||
	       kind == TIMELINE_SYNC || kind == TIMELINE_COMPLETED;
}

/* What a process would have learned, where its calls have paths, a statement one, or none. */
static void learn(struct timeline *timeline, struct run *run, uint32_t rank, bool paths, const char *files)
{
	uint32_t regions = timeline_regions(timeline);
	const char **region = mem_array(regions + (size_t)1, sizeof *region);
	for (uint32_t i = 0; i < regions; i++)
		region[i] = timeline_region(timeline, i).name;
	struct online_times *t = online_times_new(rank, region, regions);
	struct cursor *at = cursor_new(run, rank);
	struct text path = {0};
	struct error error = {0};
	for (const struct timeline_record *r; (r = timeline_get(timeline, rank)); timeline_next(timeline, rank)) {
		struct event_record record = {.kind = record_of[r->kind], .time = r->time};
		struct event_attributes where = {.have = paths ? 1 << ATTRIBUTE_PATH : 0};
		record.id = r->kind == TIMELINE_OTHER ? UINT32_MAX : r->kind <= TIMELINE_LEAVE ? r->id : 0;
		if (is_event(r->kind)) {
			CU_ASSERT_FATAL(cursor_next(at));
			where.path = (uint32_t)at->line;
		}
		online_times_take(t, &record, &where);
	}
	text_format(&path, "%s%" PRIu32, files, rank);
	CU_ASSERT(online_times_write(t, path.data, &error));
	text_clear(&path);
	cursor_free(at);
	free(region);
}

static struct profile *learned(const char *anchor, struct prepared *program, bool paths)
{
	struct error error = {0};
	struct trace *trace = trace_open(anchor, &(struct trace_options){0}, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
	struct timeline *timeline = timeline_open(trace, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(timeline);
	char *folder = scratch_new();
	struct text files = {0};
	text_format(&files, "%s/times-", folder);
	for (uint32_t rank = 0; rank < program->module->processes; rank++)
		learn(timeline, program->run, rank, paths, files.data);
	timeline_close(timeline);
	trace_close(trace);
	struct profile *p = online_times_profile(program->run, files.data, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	text_clear(&files);
	scratch_remove(folder);
	return p;
}

static const struct profile_row *row_like(const struct profile *p, const struct profile_row *row)
{
	for (size_t i = 0; i < p->rows; i++)
		if (p->row[i].line == row->line && p->row[i].arrival == row->arrival &&
			ranks_equal(&p->row[i].ranks, &row->ranks))
			return &p->row[i];
	return NULL;
}

static bool same_times(const struct histogram *a, const struct histogram *b)
{
	bool same = a->count == b->count && a->sum == b->sum && a->squares == b->squares && a->first == b->first &&
		    a->buckets == b->buckets && a->least.value == b->least.value && a->most.value == b->most.value;
	return same && !memcmp(a->bucket, b->bucket, a->buckets * sizeof *a->bucket);
}

/* exactly: contexts tell statements, and how they are come to. */
static void compare_learned(const char *why, const struct profile *read, const struct profile *own, bool exactly)
{
	uint32_t processes = run_module(read->run)->processes;
	uint64_t *left = mem_zero(2 * processes * sizeof *left);
	ROW(why, read->rows == own->rows);
	for (size_t i = 0; i < read->rows; i++) {
		const struct profile_row *a = &read->row[i], *b = row_like(own, a);
		ROW(why, b && a->occurrences == b->occurrences);
		if (!b)
			continue;
		uint32_t rank = a->ranks.run[0].first;
		left[2 * rank] += a->before.sum - b->before.sum; /* modulo 2^64 */
		left[2 * rank + 1] += a->call.sum - b->call.sum;
		ROW(why, !exactly || (same_times(&a->before, &b->before) && same_times(&a->call, &b->call)));
	}
	for (uint32_t rank = 0; rank < processes; rank++) {
		const struct profile_process *a = &read->process[rank], *b = &own->process[rank];
		ROW(why, !left[2 * rank] && !left[2 * rank + 1]);
		ROW(why, a->first == b->first && a->last == b->last && a->after == b->after &&
				 a->after_call == b->after_call && a->apart == b->apart && a->events == b->events);
		ROW(why, b->work + b->call + b->apart == b->last - b->first);
	}
	free(left);
}

static void check_learned(const char *why, struct simulated *s, bool exactly)
{
	char *anchor = simulated_write(s, SIMULATED_BARE);
	struct prepared *program = program_of_archive(anchor);
	struct profile *read = profile_of(anchor, program, NULL);
	for (unsigned paths = 0; paths < 2; paths++) {
		struct profile *own = learned(anchor, program, paths);
		compare_learned(why, read, own, exactly && paths);
		profile_free(own);
	}
	profile_free(read);
	prepared_free(program);
	archive_remove(anchor);
	simulated_free(s);
}

static void test_learning(void)
{
	static const struct network net = {.latency = 1e-9, .bandwidth = 1e15, .eager = 1000};
	struct simulated *s = simulated_new(&net, 4, 1, 0);
	for (uint32_t rank = 0; rank < 4; rank++)
		planted_loop(s, rank, 4);
	simulated_run(s);
	check_learned("a loop in a loop", s, true);
	for (size_t i = 1; i < planted_count; i += 3 * each_of(5)) {
		s = planted_run(&planted[i], 1, 0.05, true);
		check_learned(planted[i].why, s, false);
	}
}

/* Bytes of what process 0 leaves. */
static size_t learned_bytes(unsigned times)
{
	static const struct network net = {.latency = 1e-9, .bandwidth = 1e15, .eager = 1000};
	struct simulated *s = simulated_new(&net, 2, 1, 0.05);
	for (uint32_t rank = 0; rank < 2; rank++)
		planted_loop(s, rank, times);
	simulated_run(s);
	char *anchor = simulated_write(s, SIMULATED_BARE), *folder = scratch_new();
	struct prepared *program = program_of_archive(anchor);
	struct error error = {0};
	struct trace *trace = trace_open(anchor, &(struct trace_options){0}, &error);
	struct timeline *timeline = timeline_open(trace, &error);
	struct text files = {0}, bytes = {0};
	text_format(&files, "%s/times-", folder);
	learn(timeline, program->run, 0, true, files.data);
	text_char(&files, '0');
	CU_ASSERT(file_read(files.data, SIZE_MAX, &bytes, &error));
	size_t length = bytes.length;
	text_clear(&bytes);
	text_clear(&files);
	timeline_close(timeline);
	trace_close(trace);
	prepared_free(program);
	scratch_remove(folder);
	archive_remove(anchor);
	simulated_free(s);
	return length;
}

static void test_room(void)
{
	size_t few = learned_bytes(20), many = learned_bytes(2000);
	CU_ASSERT(few < 8192);
	CU_ASSERT(many < few + 4096); /* samples fill up, numbers become longer */
}

static void test_not_learned(void)
{
	static const struct network net = {.latency = 1e-9, .bandwidth = 1e15, .eager = 1000};
	static const char *const files[] = {
		"", "tracenest times 1\n", "tracenest times 1\n\1\1\1\1\1\1\1\1\377\377\377\377"};
	struct simulated *s = simulated_new(&net, 1, 1, 0);
	planted_loop(s, 0, 4);
	simulated_run(s);
	char *anchor = simulated_write(s, SIMULATED_BARE), *folder = scratch_new();
	struct prepared *program = program_of_archive(anchor);
	struct text path = {0};
	text_format(&path, "%s/times-0", folder);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct error error = {0};
		CU_ASSERT(output_all(path.data, files[i], strlen(files[i]), &error));
		text_truncate(&path, path.length - 1);
		CU_ASSERT_PTR_NULL(online_times_profile(program->run, path.data, &error));
		ROW(files[i], strstr(error.message, "times-0: not what a recording leaves of its times"));
		text_char(&path, '0');
	}
	text_clear(&path);
	scratch_remove(folder);
	prepared_free(program);
	archive_remove(anchor);
	simulated_free(s);
}

void suite_profile(CU_pSuite suite)
{
	CU_add_test(suite, "buckets hold their error", test_buckets);
	CU_add_test(suite, "histograms merge in any order", test_merging);
	CU_add_test(suite, "figures of a histogram", test_figures);
	CU_add_test(suite, "samples meet", test_samples);
	CU_add_test(suite, "where control came from", test_arrivals);
	CU_add_test(suite, "times add up, of all and of one", test_sums);
	CU_add_test(suite, "what processes learn is what is read", test_learning);
	CU_add_test(suite, "what is learned takes as much room, however long the run", test_room);
	CU_add_test(suite, "what they did not learn", test_not_learned);
}
