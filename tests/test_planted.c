/*
 * test_planted.c -- simulated programs: their truth by hand, and what is said of planted faults.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/module_address.h"
#include "report/account.h"
#include "report/advice.h"
#include "report/difference.h"
#include "report/findings.h"
#include "tests/archive.h"
#include "tests/healthy.h"
#include "tests/planted.h"
#include "tests/rows.h"
#include "tests/simulated.h"

/* ------------------------------------------------------------------ the simulator */

/* A network in which a message takes 1 us and what is posted or called costs nothing. */
static const struct network plain = {.latency = 1e-6, .bandwidth = 1e15, .eager = 1000};

static void eager(struct simulated *s)
{
	do_compute(s, 0, 10e-6);
	do_send(s, 0, 1, 0, 8);
	do_recv(s, 1, 0, 0);
}

static void eager_arrived(struct simulated *s)
{
	do_send(s, 0, 1, 0, 8);
	do_compute(s, 1, 10e-6);
	do_recv(s, 1, 0, 0);
}

static void rendezvous(struct simulated *s)
{
	do_send(s, 0, 1, 0, 2000);
	do_compute(s, 1, 10e-6);
	do_recv(s, 1, 0, 0);
}

static void posted_early(struct simulated *s)
{
	do_irecv(s, 1, 0, 0);
	do_compute(s, 1, 4e-6);
	do_waitall(s, 1);
	do_compute(s, 0, 10e-6);
	do_send(s, 0, 1, 0, 2000);
}

static void collective(struct simulated *s)
{
	do_iteration(s, 1, 7);
	do_enter(s, 0, "a");
	do_enter(s, 1, "b");
	do_compute(s, 0, 10e-6);
	do_collective(s, 0, "MPI_Barrier", 0, NO_ROOT, 2e-6);
	do_collective(s, 1, "MPI_Barrier", 0, NO_ROOT, 2e-6);
	do_leave(s, 0);
	do_leave(s, 1);
}

static const struct {
	const char *why;
	void (*program)(struct simulated *);
	enum truth kind;
	uint32_t waits, late;
	uint64_t ns, run;
} truths[] = {
	{"a receiver waits from its call to the sender's", eager, TRUTH_LATE_SENDER, 1, 0, 10000, 11030},
	{"and then for the transfer", eager, TRUTH_TRANSFER, 1, 0, 1000, 11030},
	{"not where the message has come before", eager_arrived, TRUTH_LATE_SENDER, 1, 0, 0, 10080},
	{"a sender waits for the receiver above the eager limit", rendezvous, TRUTH_LATE_RECEIVER, 0, 1, 10000, 12030},
	{"a receiver that was there waits for the transfer only", rendezvous, TRUTH_TRANSFER, 1, 0, 2000, 12030},
	{"what counts is when it is in the wait", posted_early, TRUTH_LATE_SENDER, 1, 0, 5950, 12010},
	{"in a collective all wait for the last one", collective, TRUTH_COLLECTIVE, 1, 0, 10000, 12130},
};

static void test_truth(void)
{
	for (size_t i = 0; i < COUNT(truths); i++) {
		struct simulated *s = simulated_new(&plain, 2, 1, 0);
		enum truth kind = truths[i].kind;
		truths[i].program(s);
		simulated_run(s);
		uint64_t waited = truth_of(s, kind, NULL, truths[i].waits, ANY_ITERATION);
		ROW(truths[i].why, waited == truths[i].ns);
		ROW(truths[i].why, truth_of(s, kind, NULL, ALL_RANKS, ANY_ITERATION) >= waited);
		if (kind != TRUTH_TRANSFER)
			ROW(truths[i].why, truth_caused(s, kind, NULL, truths[i].late) == waited);
		ROW(truths[i].why, simulated_run_time(s) == truths[i].run);
		simulated_free(s);
	}
}

static void test_truth_in_parts(void)
{
	struct simulated *s = simulated_new(&plain, 2, 1, 0);
	collective(s);
	simulated_run(s);
	CU_ASSERT_EQUAL(truth_of(s, TRUTH_COLLECTIVE, "b", ALL_RANKS, ANY_ITERATION), 10000);
	CU_ASSERT_EQUAL(truth_of(s, TRUTH_COLLECTIVE, "a", ALL_RANKS, ANY_ITERATION), 0);
	CU_ASSERT_EQUAL(truth_of(s, TRUTH_COLLECTIVE, "nowhere", ALL_RANKS, ANY_ITERATION), 0);
	CU_ASSERT_EQUAL(truth_of(s, TRUTH_COLLECTIVE, NULL, ALL_RANKS, 7), 10000);
	CU_ASSERT_EQUAL(truth_of(s, TRUTH_COLLECTIVE, NULL, ALL_RANKS, 6), 0);
	CU_ASSERT_EQUAL(truth_of(s, TRUTH_COMPUTATION, "a", 0, ANY_ITERATION), 10000);
	simulated_free(s);
}

/* ------------------------------------------------------------------ what is planted */

/* Every program is one, whole and possible, with and without the program's regions. */
static void test_archives(void)
{
	for (size_t i = 0; i < planted_count; i += each_of(5)) {
		struct simulated *s = planted_run(&planted[i], i, 0.02, true);
		for (int regions = 0; regions < 2; regions++) {
			struct program_options options = {PROGRAM_OPTIONS, .jobs = 1};
			struct program_facts facts;
			struct error error = {0};
			char *anchor = simulated_write(s, regions);
			struct module *program = module_of_trace(anchor, &options, &facts, &error);
			ROW(planted[i].why, program && program->processes == planted[i].ranks);
			ROW(planted[i].why, facts.incomplete.kind == ERROR_NONE && facts.cyclic.kind == ERROR_NONE);
			ROW(planted[i].why, program && program->lines < 100);
			program_facts_clear(&facts);
			module_free(program);
			archive_remove(anchor);
		}
		simulated_free(s);
	}
}

/* Addresses are those of the program that `show` prints of the archive. */
static void expect_addresses(const char *anchor, const struct account *account)
{
	for (size_t i = 0; i < account->analysis->constructs; i++) {
		struct error error = {0};
		const char *address = account->analysis->construct[i].address;
		const struct module *m = account->program->module;
		uint64_t at = 0;
		ROW(anchor, !address || (module_find(m, address, &at, &error) &&
						node_of(m->store, module_at(m, at).statement)->kind == NODE_LOOP));
	}
}

/* Laws of every run: factors are parts of a whole, and nobody is told of more than is lost. */
static void expect_laws(const char *anchor, const struct analysis *a, const struct findings *f)
{
	struct efficiency e = analysis_efficiency(a);
	const double factor[] = {e.parallel, e.load_balance, e.communication, e.serialization, e.transfer,
		e.iteration_balance, e.inner_parallel};
	for (size_t i = 0; i < COUNT(factor); i++)
		ROW(anchor, factor[i] >= 0 && factor[i] <= 1 + 1e-9);
	double sum = 0;
	for (size_t i = 0; i < f->told; i++)
		sum += f->finding[f->first[i]].shared ? 0 : f->finding[f->first[i]].share;
	ROW(anchor, sum <= 1 - e.parallel + 1e-9);
}

/* What is said of an archive first, if it accuses somebody or a fault is planted; the caller's. */
static char *first_lines(const char *anchor, bool faulty)
{
	struct account account;
	struct account_options options = {ACCOUNT_OPTIONS};
	struct error error = {0};
	struct text lines = {0};
	options.program.jobs = 1;
	CU_ASSERT_FATAL(account_read(&account, anchor, NULL, &options, &error));
	expect_addresses(anchor, &account);
	struct findings findings;
	findings_of(&findings, account.analysis);
	expect_laws(anchor, account.analysis, &findings);
	if (findings.told && (faulty || finding_accuses(&findings.finding[findings.first[0]])))
		finding_print(account.analysis, &findings.finding[findings.first[0]], &lines);
	ROW(anchor, findings.told || analysis_efficiency(account.analysis).parallel >= 0.9);
	findings_clear(&findings);
	account_clear(&account);
	return lines.data ? lines.data : mem_text("nothing");
}

/* "one|other": the first one, or the other. */
static bool has(const char *lines, const char *words, bool other)
{
	char *copy = mem_text(words), *bar = strchr(copy, '|');
	if (bar)
		*bar = 0;
	bool good = strstr(lines, bar && other ? bar + 1 : copy);
	free(copy);
	return good;
}

static bool says(const struct planted *x, const char *lines, bool faulty, enum simulated_form form)
{
	bool place = form == SIMULATED_BARE ? strstr(lines, x->bare) != NULL
					    : has(lines, x->region, form == SIMULATED_PATHS);
	if (!faulty)
		return !strcmp(lines, "nothing");
	if (form == SIMULATED_PATHS)
		place |= strstr(lines, x->bare) != NULL;
	return place && has(lines, x->kind, form != SIMULATED_REGIONS) && strstr(lines, x->culprits) &&
	       strstr(lines, x->iterations);
}

/* The same of a run beside its control, which is said to be that. */
static char *first_lines_beside(const char *control, const char *anchor)
{
	struct difference d;
	struct account_options options = {ACCOUNT_OPTIONS};
	struct error error = {0};
	struct text lines = {0};
	double sum = 0;
	options.program.jobs = 1;
	CU_ASSERT_FATAL(difference_read(&d, control, anchor, &options, &error));
	for (size_t i = 0; i < d.rows; i++)
		sum += d.row[i].change;
	CU_ASSERT_DOUBLE_EQUAL(sum, d.run[1].run - d.run[0].run, 1e-9);
	difference_print(&d, &lines);
	difference_clear(&d);
	char *end = lines.data;
	for (int i = 0; i < 3 && end; i++)
		end = strchr(end + (i > 0), '\n');
	if (end)
		*end = 0;
	if (!strncmp(lines.data, "Nothing ", 8)) {
		text_clear(&lines);
		return mem_text("nothing");
	}
	return lines.data;
}

static void expect(const struct planted *x, const char *what, char *lines, bool faulty, enum simulated_form form)
{
	static const char *const forms[] = {"bare", "regions", "paths"};
	if (!says(x, lines, faulty, form)) {
		printf("\n%s, %s, %s:\n%s\n", x->why, what, forms[form], lines);
		CU_FAIL("named wrongly");
	}
	free(lines);
}

/* compare: with and without regions, and also beside its control, and that beside another one; else
   with call paths. */
static void test_one(const struct planted *x, uint64_t seed, double noise, bool compare)
{
	struct simulated *s[] = {planted_run(x, seed, noise, false), planted_run(x, seed, noise, true),
		planted_run(x, seed + 1000, noise, false)};
	struct text what = {0};
	text_format(&what, "seed %" PRIu64 ", noise %g", seed, noise);
	for (enum simulated_form form = compare ? SIMULATED_BARE : SIMULATED_PATHS;
		form <= (compare ? SIMULATED_REGIONS : SIMULATED_PATHS); form++) {
		char *anchor[3];
		for (size_t i = 0; i < 3; i++)
			anchor[i] = simulated_write(s[i], form);
		expect(x, what.data, first_lines(anchor[0], false), false, form);
		expect(x, what.data, first_lines(anchor[1], true), true, form);
		if (compare)
			expect(x, what.data, first_lines_beside(anchor[0], anchor[1]), true, form);
		if (form == SIMULATED_REGIONS)
			expect(x, what.data, first_lines_beside(anchor[0], anchor[2]), false, form);
		for (size_t i = 0; i < 3; i++)
			archive_remove(anchor[i]);
	}
	text_clear(&what);
	for (size_t i = 0; i < 3; i++)
		simulated_free(s[i]);
}

/* Loop, ranks, iterations and kind in the first three lines; nothing is said of the controls. */
/* Where memory is hostile, budgets are small: iterations are told by sixteens. */
#ifdef TRACENEST_HOSTILE
#define ITERATIONS_TOLD false
#else
#define ITERATIONS_TOLD true
#endif

static void test_planted(void)
{
	static const double noises[] = {0, 0.02, 0.05, 0.08};
	for (size_t i = 0; i < planted_count; i++)
		for (unsigned k = 0; k < rounds(2); k++)
			test_one(&planted[i], i + 100 * k, noises[(i + 3 * k) % COUNT(noises)], k == 0);
}

/* ------------------------------------------------------------------ the innocent */

static void expect_nobody(const char *why, struct simulated *s)
{
	for (enum simulated_form form = SIMULATED_BARE; form <= SIMULATED_PATHS; form++) {
		char *anchor = simulated_write(s, form), *lines = first_lines(anchor, false);
		if (strcmp(lines, "nothing")) {
			printf("\n%s, form %d:\n%s\n", why, (int)form, lines);
			CU_FAIL("accused");
		}
		free(lines);
		archive_remove(anchor);
	}
	simulated_free(s);
}

static void test_healthy(void)
{
	for (size_t i = 0; i < healthy_count; i++)
		expect_nobody(healthy[i].why, healthy_run(&healthy[i], i, i % 2 ? 0.02 : 0));
}

/* One rank that computes five times as long as the others in a region is named, whatever else a
   program does. */
static void test_at_random(void)
{
	for (uint64_t seed = 0; seed < rounds(20); seed++) {
		struct text why = {0}, culprit = {0};
		uint32_t rank;
		text_format(&why, "seed %" PRIu64, seed);
		expect_nobody(why.data, random_run(seed, seed % 2 ? 0.02 : 0, false, &rank));
		struct simulated *s = random_run(seed, seed % 2 ? 0.02 : 0, true, &rank);
		char *anchor = simulated_write(s, (enum simulated_form)(seed % 3)), *lines = first_lines(anchor, true);
		text_format(&culprit, "\n  rank %" PRIu32 ": computes", rank);
		row_contains(why.data, lines, culprit.data);
		free(lines);
		archive_remove(anchor);
		simulated_free(s);
		text_clear(&why);
		text_clear(&culprit);
	}
}

/* A loop that runs in one iteration of another. */
static void test_counts(void)
{
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, 4, 1, 0);
	for (uint32_t rank = 0; rank < 4; rank++)
		for (uint64_t i = 0; i < 16; i++) {
			do_enter(s, rank, "command");
			do_collective(s, rank, "MPI_Bcast", 4, 0, AS_USUAL);
			for (uint32_t k = 0; i == 14 && k < 200; k++) {
				do_enter(s, rank, "halo");
				do_compute(s, rank, rank == 2 ? 2e-3 : 1e-3);
				do_irecv(s, rank, (rank + 3) % 4, 7);
				do_isend(s, rank, (rank + 1) % 4, 7, 64);
				do_waitall(s, rank);
				do_leave(s, rank);
			}
			do_leave(s, rank);
		}
	simulated_run(s);
	char *anchor = simulated_write(s, SIMULATED_PATHS), *lines = first_lines(anchor, true);
	row_contains("counts are of executions", lines, ", 1 of 16 x 200 iterations)");
	free(lines);
	archive_remove(anchor);
	simulated_free(s);
}

/* ------------------------------------------------------------------ who pays */

static const struct {
	const char *why, *planted, *delays, *payer; /* the one that costs later; where */
	double direct, late, wrong; /* ticks, of all that is waited: at least; wrong: of late senders */
} costs[] = {
	{"all wait at the end for what few waited for at once", "a delay that shows two phases later", "chemistry",
		"norm", 0.35, 0.5, 0},
	{"what one call completes has no order", "one rank is slow", "forces", "norm", 0.1, 0.5, 0},
	{"messages lie there while another one is awaited", "receives in a fixed order", "produce", "", 0.8, 0, 0.5},
};

static void test_costs(void)
{
	for (size_t i = 0; i < COUNT(costs); i++) {
		size_t row = 0;
		while (strcmp(planted[row].why, costs[i].planted))
			row++;
		struct simulated *s = planted_run(&planted[row], 1, 0, true);
		char *anchor = simulated_write(s, SIMULATED_REGIONS);
		struct account account;
		struct account_options options = {ACCOUNT_OPTIONS};
		struct error error = {0};
		options.program.jobs = 1;
		CU_ASSERT_FATAL(account_read(&account, anchor, NULL, &options, &error));
		const struct analysis *a = account.analysis;
		struct delay *delay = delays_of(a);
		double waited = 0, shared = 0, late = 0, wrong = 0;
		for (size_t k = 0; k < a->constructs; k++) {
			const struct analysis_construct *c = &a->construct[k];
			uint64_t links = 0;
			for (enum wait_kind w = 0; w < WAIT_KINDS; w++)
				waited += (double)c->total.waited[w];
			for (size_t l = 0; l < c->links; l++)
				links += c->link[l].path;
			ROW(costs[i].why, c->overhead + c->collectives_cost + links == c->total.path_call);
			late += (double)c->total.waited[WAIT_LATE_SENDER];
			wrong += (double)c->total.wrong_order;
			shared += delay[k].direct + delay[k].late;
		}
		ROW(costs[i].why, shared <= waited * 1.001 && shared > 0.9 * waited);
		ROW(costs[i].why, costs[i].wrong > 0 ? wrong >= costs[i].wrong * late && wrong <= late : wrong == 0);
		for (size_t k = 0; k < a->constructs; k++) {
			if (strcmp(a->construct[k].name, costs[i].delays))
				continue;
			ROW(costs[i].why, delay[k].direct >= costs[i].direct * waited);
			ROW(costs[i].why, delay[k].late >= costs[i].late * waited);
			ROW(costs[i].why,
				!*costs[i].payer || (delay[k].payer && !strcmp(delay[k].payer->name, costs[i].payer)));
		}
		free(delay);
		account_clear(&account);
		archive_remove(anchor);
		simulated_free(s);
	}
}

/* ------------------------------------------------------------------ advice */

#define ADVISED 8 /* ranks */

static void around(struct simulated *s, uint32_t rank, uint32_t away, uint64_t bytes)
{
	do_irecv(s, rank, (rank + ADVISED - away) % ADVISED, 3);
	do_isend(s, rank, (rank + away) % ADVISED, 3, bytes);
	do_waitall(s, rank);
}

/* each: messages one after the other to the neighbour, or each to another one; compute: s in
   between. */
struct by_hand {
	uint32_t messages;
	bool to_all, uneven;
	double compute;
};

static void by_hand(struct simulated *s, uint32_t rank, const struct by_hand *h)
{
	for (uint64_t i = 0; i < 20; i++) {
		do_enter(s, rank, "fft");
		do_compute(s, rank, 300e-6);
		do_leave(s, rank);
		do_enter(s, rank, "turn");
		for (uint32_t k = 1; k <= h->messages; k++) {
			around(s, rank, h->to_all ? k : 1, h->uneven ? 64 * k : 64);
			do_compute(s, rank, h->compute);
		}
		do_leave(s, rank);
		do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
	}
}

/* The same in a nest of more loops than are told apart. */
static void by_hand_inside(struct simulated *s, uint32_t rank, const struct by_hand *h)
{
	static const char *const ends[] = {"MPI_Barrier", "MPI_Bcast", "MPI_Allgather"};
	for (uint32_t i = 1; i <= 4 * 4 * 4 * 4; i++) {
		for (uint32_t k = 1; k <= h->messages; k++)
			around(s, rank, k, 64);
		do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
		for (uint32_t level = 0, left = i; level < COUNT(ends) && left % 4 == 0; level++, left /= 4)
			do_collective(s, rank, ends[level], 8, level == 1 ? 0 : NO_ROOT, AS_USUAL);
	}
}

static void of_few(struct simulated *s, uint32_t rank, const struct by_hand *h)
{
	for (uint64_t i = 0; i < 20; i++) {
		do_compute(s, rank, 100e-6);
		do_collective(
			s, rank, "MPI_Alltoallv", rank % 4 == 0 || (h->uneven && rank < 5) ? 4096 : 0, NO_ROOT, 20e-6);
	}
}

static const struct {
	const char *why;
	void (*program)(struct simulated *, uint32_t rank, const struct by_hand *);
	struct by_hand how;
	const char *says; /* ""; silent */
} advised[] = {
	{"one partner after the other", by_hand, {ADVISED - 1, true, false, 0},
		"each of 8 ranks sends each other one a message of 64 bytes, 20 times: MPI_Alltoall would do"},
	{"what is computed in between may be sent", by_hand, {ADVISED - 1, true, false, 20e-6}, ""},
	{"parts that differ are no all-to-all", by_hand, {ADVISED - 1, true, true, 0}, ""},
	{"one is left out", by_hand, {ADVISED - 2, true, false, 0}, ""},
	{"small ones in a row", by_hand, {40, false, false, 0},
		"40 messages of 64 bytes in a row to the same neighbour, and nothing computed in between: one of 2560 bytes"},
	{"computed one by one", by_hand, {40, false, false, 20e-6}, ""},
	{"a ring passes on what it received", by_hand, {ADVISED, false, false, 0}, ""},
	{"sizes that grow may be news", by_hand, {40, false, true, 0}, ""},
	{"a collective for two", of_few, {0, false, false, 0}, "only ranks 0,4"},
	{"one for most", of_few, {0, false, true, 0}, ""},
	{"too deep to be told", by_hand_inside, {ADVISED - 1, true, false, 0}, ""},
};

static void test_advice(void)
{
	for (size_t i = 0; i < COUNT(advised); i++) {
		struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, ADVISED, 1, 0.02);
		for (uint32_t rank = 0; rank < ADVISED; rank++)
			advised[i].program(s, rank, &advised[i].how);
		simulated_run(s);
		char *anchor = simulated_write(s, i % 2);
		struct account account;
		struct account_options options = {ACCOUNT_OPTIONS};
		struct error error = {0};
		struct advice advice;
		options.program.jobs = 1;
		CU_ASSERT_FATAL(account_read(&account, anchor, NULL, &options, &error));
		advice_of(&advice, account.analysis);
		ROW(advised[i].why, advice.length == (*advised[i].says != 0));
		if (advice.length)
			row_contains(advised[i].why, advice.line[0].text.data, advised[i].says);
		advice_clear(&advice);
		account_clear(&account);
		archive_remove(anchor);
		simulated_free(s);
	}
}

/* ------------------------------------------------------------------ what a page begins with */

static void do_takes(struct simulated *s, uint32_t rank, const char *region, double seconds)
{
	do_enter(s, rank, region);
	do_compute(s, rank, seconds);
	do_leave(s, rank);
}

/* late: what the first rank computes more. */
static void after_init(struct simulated *s, uint32_t rank, double late)
{
	do_takes(s, rank, "MPI_Init", 60e-3);
	for (uint64_t i = 0; i < 40; i++) {
		do_compute(s, rank, rank ? 1e-3 : 1e-3 + late);
		do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
	}
	do_takes(s, rank, "MPI_Finalize", 5e-3);
}

static void with_device(struct simulated *s, uint32_t rank, double communicates)
{
	for (uint64_t i = 0; i < 20; i++) {
		do_takes(s, rank, "work", 1e-3);
		do_takes(s, rank, i % 2 ? "hipStreamSynchronize" : "cudaDeviceSynchronize", 3e-3);
		if (communicates > 0)
			do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
	}
}

static void without_mpi(struct simulated *s, uint32_t rank, double unused)
{
	(void)unused;
	for (uint64_t i = 0; i < 20; i++)
		do_takes(s, rank, "work", 1e-3);
}

/* A region of the program whose name is like that of a device's. */
static void synchronizes(struct simulated *s, uint32_t rank, double unused)
{
	(void)unused;
	for (uint64_t i = 0; i < 20; i++) {
		do_compute(s, rank, 1e-3);
		do_enter(s, rank, "SynchronizeHalos");
		do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, 3e-3);
		do_leave(s, rank);
	}
}

/* Two cores for four: each in turn loses its own for 6 ms. */
static void on_shared_cores(struct simulated *s, uint32_t rank, double more)
{
	simulated_on_cores(s, "0-3 0-1 node\n");
	for (uint64_t i = 0; i < 40; i++) {
		do_compute(s, rank, rank == 2 ? 1e-3 + more : 1e-3);
		if (i % 4 == rank && more <= 0)
			do_without_core(s, rank, 6e-3);
		do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
	}
}

/* The same, where each has its own: nobody is excused. */
static void on_own_cores(struct simulated *s, uint32_t rank, double cost)
{
	simulated_on_cores(s, "0-1 0-1 node\n2-3 0-1 other\n");
	for (uint64_t i = 0; i < 40; i++) {
		do_compute(s, rank, 1e-3);
		do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, cost);
	}
}

static void with_costly_collectives(struct simulated *s, uint32_t rank, double cost)
{
	on_own_cores(s, rank, cost);
	simulated_on_cores(s, "0-2 0-1 node\n3 1 node\n");
}

static void test_beginnings(void)
{
	static const struct {
		const char *why;
		void (*program)(struct simulated *, uint32_t rank, double amount);
		double amount;
		const char *begins, *says, *never;
	} rows[] = {
		{"MPI_Init is a row beside a loss of more than 5 %", after_init, 0.5e-3, "12.2",
			"slow computation\n  rank 0", "MPI_Init\n"},
		{"and leads where nothing else is worth it", after_init, 0.02e-3, "56.5", "is lost in MPI_Init\n",
			"slow"},
		{"without MPI there are no efficiencies", without_mpi, 0, "Nothing stands out", "; no communication\n",
			"efficiency"},
		{"but waiting for devices", with_device, 0, "75.", "is lost in waiting for devices", "efficiency"},
		{"which is no computation beside MPI either", with_device, 1, "7", "is lost in waiting for devices",
			"no communication"},
		{"who has no core is not slow", on_shared_cores, 0, "4 of 4 ranks shared a core: waits below 6 ms are",
			"cores that are shared\n  all 4 ranks: others have their cores while they compute, 1.5 ms an iteration",
			"slow computation"},
		{"who computes more is, on shared cores, too", on_shared_cores, 2e-3, "4 of 4 ranks shared a core",
			"slow computation\n  rank 2: computes 2.98 ms, the others 975 us", "shared\n"},
		{"what waits for cores is no costly collective", with_costly_collectives, 3e-3,
			"4 of 4 ranks shared a core: waits below 4 ms are", "cores that are shared\n", "expensive"},
		{"beyond what the scheduler takes it is", with_costly_collectives, 30e-3, "4 of 4 ranks shared a core",
			"expensive collective", "cores that"},
		{"and on cores of its own", on_own_cores, 3e-3, "7", "expensive collective", "shared"},
		{"who communicates waits for no device", synchronizes, 0, "7", "SynchronizeHalos", "devices"},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, 4, 1, 0);
		for (uint32_t rank = 0; rank < 4; rank++)
			rows[i].program(s, rank, rows[i].amount);
		simulated_run(s);
		char *anchor = simulated_write(s, SIMULATED_REGIONS);
		struct account account;
		struct account_options options = {ACCOUNT_OPTIONS};
		struct error error = {0};
		struct text page = {0};
		struct findings findings;
		options.program.jobs = 1;
		CU_ASSERT_FATAL(account_read(&account, anchor, NULL, &options, &error));
		findings_of(&findings, account.analysis);
		findings_print(account.analysis, &findings, &page);
		if (!text_begins_with(page.data, rows[i].begins))
			row_same(rows[i].why, page.data, rows[i].begins);
		row_contains(rows[i].why, page.data, rows[i].says);
		ROW(rows[i].why, !strstr(page.data, rows[i].never));
		text_clear(&page);
		findings_clear(&findings);
		account_clear(&account);
		archive_remove(anchor);
		simulated_free(s);
	}
}

void suite_planted(CU_pSuite suite)
{
	CU_add_test(suite, "who waits for whom in small programs", test_truth);
	CU_add_test(suite, "by region and iteration", test_truth_in_parts);
	CU_add_test(suite, "planted faults leave programs that are whole", test_archives);
	if (!ITERATIONS_TOLD)
		return;
	CU_add_test(suite, "what a page begins with", test_beginnings);
	CU_add_test(suite, "advice is given where it is proven, and nowhere else", test_advice);
	CU_add_test(suite, "who pays for delays, and what waits in the wrong order", test_costs);
	CU_add_test(suite, "planted faults are told, controls are left alone", test_planted);
	CU_add_test(suite, "a loop that runs now and then", test_counts);
	CU_add_test(suite, "edges, colours, inner loops and roles are not accused", test_healthy);
	CU_add_test(suite, "one slow rank is told in random programs, nobody in the same without", test_at_random);
}
