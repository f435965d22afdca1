/*
 * test_difference.c -- programs and runs beside each other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/communication.h"
#include "ask/counterparts.h"
#include "base/mem.h"
#include "model/prepared.h"
#include "report/difference.h"
#include "report/scalability.h"
#include "tests/archive.h"
#include "tests/planted.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define HEAD "// tracenest 1\n// processes 4\n"

/* ------------------------------------------------------------------ statements */

static const struct {
	const char *why, *first, *second, *want; /* by statement of the first: that of the second */
} alignments[] = {
	{"a program with itself", HEAD "[0-3] for i0 = 0 to 9\n[0-2] p send p+1 tag1\n[1-3] p-1 recv p tag1\ndone\n",
		HEAD "[0-3] for i0 = 0 to 9\n[0-2] p send p+1 tag1\n[1-3] p-1 recv p tag1\ndone\n", "0 1 2"},
	{"what was put in moves the rest", HEAD "0 sync B 0-3\n0 sync C 0-3\n",
		HEAD "0 sync B 0-3\n0 sync D 0-3\n0 sync C 0-3\n", "0 2"},
	{"what was taken out has none", HEAD "0 sync B 0-3\n0 sync D 0-3\n0 sync C 0-3\n",
		HEAD "0 sync B 0-3\n0 sync C 0-3\n", "0 - 1"},
	{"another tag is another event", HEAD "0 send 1 tag1\n1 send 0 tag2\n", HEAD "0 send 1 tag3\n1 send 0 tag2\n",
		"- 1"},
	{"a tag that is a function is one", HEAD "for i0 = 0 to 9\n0 send 1 tag{i0}\ndone\n",
		HEAD "for i0 = 0 to 9\n0 send 1 tag{5+2*i0}\ndone\n", "0 1"},
	{"of several the one of the same peer", HEAD "0 send 2 tag1\n",
		HEAD "0 send 1 tag1\n0 send 2 tag1\n0 send 3 tag1\n", "1"},
	{"of several the one in as many loops", HEAD "for i0 = 0 to 9\n0 send 1 tag1\ndone\n",
		HEAD "0 send 1 tag1\nfor i0 = 0 to 8\n0 send 1 tag1\ndone\n", "1 2"},
	{"call sites weigh more", HEAD "0 send 2 tag1 ; site=a\n0 send 3 tag1 ; site=b\n",
		HEAD "0 send 3 tag1 ; site=a\n0 send 2 tag1 ; site=b\n", "0 1"},
	{"also where they stand behind statements",
		HEAD "0 send 2 tag1 // a.c:1\n0 send 3 tag1 // a.c:9\n// sites\n// a.c:1,9 main\n",
		HEAD
		"0 send 3 tag1 // a.c:1\n0 send 2 tag1 // a.c:9\n0 send 1 tag1 // a.c:5\n// sites\n// a.c:1,5,9 main\n",
		"0 1"},
	{"loops follow what is inside",
		HEAD "for i0 = 0 to 9\n0 send 1 tag1\ndone\nfor i0 = 0 to 9\n0 send 1 tag2\ndone\n",
		HEAD "for i0 = 0 to 9\n0 send 1 tag2\ndone\n", "- - 0 1"},
	{"loops around loops, too", HEAD "for i0 = 0 to 9\nfor i1 = 0 to 3\n0 send 1 tag1\ndone\ndone\n",
		HEAD "0 send 1 tag9\nfor i0 = 0 to 5\nfor i1 = 0 to 3\n0 send 1 tag1\ndone\ndone\n", "1 2 3"},
	{"nothing and something", HEAD "", HEAD "0 send 1 tag1\n", ""},
};

static void test_alignments(void)
{
	for (size_t i = 0; i < COUNT(alignments); i++) {
		struct prepared *a = program_of(alignments[i].first), *b = program_of(alignments[i].second);
		size_t *of = counterparts_of(a->module, b->module);
		struct text have = {0};
		text_put(&have, "");
		for (size_t k = 0; k < a->module->lines; k++)
			if (of[k] == COUNTERPART_NONE)
				text_format(&have, "%s-", k ? " " : "");
			else
				text_format(&have, "%s%zu", k ? " " : "", of[k]);
		row_same(alignments[i].why, have.data ? have.data : "", alignments[i].want);
		text_clear(&have);
		free(of);
		prepared_free(a);
		prepared_free(b);
	}
}

/* Statement by statement it is what the whole is. */
static void test_totals(void)
{
	static const char *const texts[] = {
		HEAD
		"[0-3] for i0 = 0 to 9\n[0-3] p send (p+1)%4 tag1 ; bytes={8+p+4*i0}\n[0-3] (p-1)%4 recv p tag1\n[0-3] p "
		"sync B 0-3\ndone\n",
		HEAD
		"for i0 = 0 to 9\nfor i1 = 0 to {i0}\n0 send {1+(i1)%3} tag1 ; bytes={i0}\ndone\ndone\n2 local x\n",
		HEAD "[0-3] for i0 = 0 to {p}\n[0-3] p send p tag1 ; bytes={100*p+i0}\n[0-3] p recv p tag1\ndone\n",
	};
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct prepared *p = program_of(texts[i]);
		struct error error = {0};
		struct communication_part part = {.whole = true, .totals = true, .sizes = true};
		struct communication *whole = communication_new(p->run, &part, &error),
				     *each = communication_of_lines(p->run, false, &error), sum = {0};
		CU_ASSERT_FATAL(whole && each);
		for (size_t k = 0; k < p->module->lines; k++) {
			sum.sent += each[k].sent;
			sum.received += each[k].received;
			sum.sized += each[k].sized;
			sum.bytes += each[k].bytes;
		}
		CU_ASSERT_TRUE(sum.sent == whole->sent && sum.received == whole->received);
		CU_ASSERT_TRUE(sum.sized == whole->sized && sum.bytes == whole->bytes && whole->bytes > 0);
		communication_free(each);
		communication_free(whole);
		prepared_free(p);
	}
}

/* ------------------------------------------------------------------ runs */

/* What is said of two archives; the caller's. */
static char *said_of(const char *first, const char *second)
{
	struct account_options options = {ACCOUNT_OPTIONS};
	struct difference d;
	struct error error = {0};
	struct text page = {0};
	double sum = 0;
	options.program.jobs = 1;
	bool good = difference_read(&d, first, second, &options, &error);
	if (!good)
		printf("\n%s\n", error.message);
	CU_ASSERT_FATAL(good);
	for (size_t i = 0; i < d.rows; i++)
		sum += d.row[i].change;
	CU_ASSERT_DOUBLE_EQUAL(sum, d.run[1].run - d.run[0].run * d.ideal, 1e-9);
	difference_print(&d, &page);
	difference_clear(&d);
	return page.data;
}

/* The same program on more processes. */
static void shifts(struct simulated *s, uint32_t rank, uint32_t ranks, double seconds, uint64_t iterations)
{
	for (uint64_t i = 0; i < iterations; i++) {
		do_enter(s, rank, "shift");
		do_compute(s, rank, seconds);
		do_irecv(s, rank, (rank + ranks - 1) % ranks, 1);
		do_isend(s, rank, (rank + 1) % ranks, 1, 1000);
		do_waitall(s, rank);
		do_leave(s, rank);
		do_enter(s, rank, "sum");
		do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
		do_leave(s, rank);
	}
}

static char *shifts_on(uint32_t ranks, double seconds, uint64_t iterations)
{
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, ranks, 1, 0.01);
	for (uint32_t rank = 0; rank < ranks; rank++)
		shifts(s, rank, ranks, seconds, iterations);
	simulated_run(s);
	char *anchor = simulated_write(s, SIMULATED_REGIONS);
	simulated_free(s);
	return anchor;
}

static void test_runs(void)
{
	const struct {
		const char *why;
		uint32_t ranks;
		double seconds;
		uint64_t iterations;
		const char *says[4];
	} rows[] = {
		{"what differs by a trifle does not stand out", 4, 1.01e-3, 40,
			{"Nothing stands out", "of the run time", "", ""}},
		{"what all do slower is told", 4, 1.3e-3, 40,
			{"shift (loop 0, 40 iterations): slow computation on all ranks", "all 4 ranks: compute 1.3",
				"all 40", ""}},
		{"more iterations are more of all", 4, 1e-3, 60,
			{"shift (loop 0, 60 iterations)", "all 60, instead of 40", "160>240", "statements differ"}},
		{"more processes", 8, 1.3e-3, 40,
			{"shift (loop 0, 40 iterations): more work", "all 8 ranks: compute together 416 ms, in",
				"longer than scaling promises", "160>320"}},
		{"divided among more processes", 8, 0.495e-3, 40,
			{"Nothing stands out", "as scaling promises it", "4 and 8 processes", ""}},
	};
	char *first = shifts_on(4, 1e-3, 40);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *second = shifts_on(rows[i].ranks, rows[i].seconds, rows[i].iterations),
		     *page = said_of(first, second);
		for (size_t k = 0; k < COUNT(rows[i].says); k++)
			row_contains(rows[i].why, page, rows[i].says[k]);
		free(page);
		archive_remove(second);
	}
	archive_remove(first);
}

/* One region in two loops: so often in the first, then so often in the second, which has other
   messages. */
static char *moved(uint64_t first, uint64_t second)
{
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, 4, 1, 0);
	for (uint32_t rank = 0; rank < 4; rank++)
		for (uint64_t i = 0; i < first + second; i++) {
			do_enter(s, rank, "smooth");
			do_compute(s, rank, 1e-3);
			if (i >= first) {
				do_irecv(s, rank, (rank + 3) % 4, 1);
				do_isend(s, rank, (rank + 1) % 4, 1, 8);
				do_waitall(s, rank);
			}
			if (i < first)
				do_collective(s, rank, "MPI_Allreduce", 0, NO_ROOT, AS_USUAL);
			do_leave(s, rank);
			if (i >= first && i % 16 == 7)
				do_collective(s, rank, "MPI_Barrier", 0, NO_ROOT, AS_USUAL);
		}
	simulated_run(s);
	char *anchor = simulated_write(s, SIMULATED_REGIONS);
	simulated_free(s);
	return anchor;
}

static void test_moved(void)
{
	static const struct {
		const char *why;
		uint64_t first, second;
		const char *says, *never;
	} rows[] = {
		{"what moved to another loop did not change", 5, 55, "Nothing stands out", "+50."},
		{"nor where that loop is new", 0, 60, "Nothing stands out", "smooth (only in the"},
		{"what is there more often is more work", 5, 85, "90 iterations): more work", "slow computation"},
	};
	char *before = moved(55, 5);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *after = moved(rows[i].first, rows[i].second), *page = said_of(before, after);
		row_contains(rows[i].why, page, rows[i].says);
		ROW(rows[i].why, !strstr(page, rows[i].never));
		free(page);
		archive_remove(after);
	}
	archive_remove(before);
}

static void add_construct(struct run_facts *r, const char *loop, double path, uint64_t iterations)
{
	struct run_construct *c = MEM_PUSH(r->construct, r->length, r->capacity);
	*c = (struct run_construct){.name = mem_text("smooth"),
		.loop = mem_text(loop),
		.line = RUN_NOWHERE,
		.iterations = iterations,
		.path = path,
		.calls = iterations};
}

static void test_united(void)
{
	struct run_facts r = {0};
	add_construct(&r, "1", 40e-9, 5);
	add_construct(&r, "2", 1.5, 55);
	add_construct(&r, "2.0", 0.5, 55);
	run_facts_unite(&r, 0, 3);
	ROW("constructs of a region become one", r.length == 1 && r.construct->path == 1.5 + 40e-9 + 0.5);
	row_same("where most of it is", r.construct->loop, "2");
	ROW("of another loop there are more iterations", r.construct->iterations == 60 && r.construct->calls == 115);
	run_facts_clear(&r);
}

/* ------------------------------------------------------------------ more and more processes */

/* Work that is divided; what one does for each of them, while all wait; and their norm. */
static struct simulated *assembly_on(uint32_t ranks)
{
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, ranks, 1, 0);
	for (uint32_t rank = 0; rank < ranks; rank++)
		for (uint64_t i = 0; i < 20; i++) {
			do_enter(s, rank, "work");
			do_compute(s, rank, 16e-3 / ranks);
			do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, 2e-6);
			do_leave(s, rank);
			do_enter(s, rank, "assemble");
			if (!rank)
				do_compute(s, rank, 20e-6 * ranks);
			do_collective(s, rank, "MPI_Bcast", 1024, 0, 2e-6);
			do_leave(s, rank);
		}
	simulated_run(s);
	return s;
}

static void test_scaling(void)
{
	struct simulated *run[4];
	char *anchor[4];
	struct scalability s;
	struct account_options options = {ACCOUNT_OPTIONS};
	struct error error = {0};
	struct text page = {0};
	options.program.jobs = 1;
	for (uint32_t i = 0; i < COUNT(run); i++) {
		run[i] = assembly_on(4U << i);
		anchor[i] = simulated_write(run[i], SIMULATED_REGIONS);
	}
	/* in any order */
	const char *const path[] = {anchor[2], anchor[0], anchor[3], anchor[1]};
	CU_ASSERT_FATAL(scalability_read(&s, path, COUNT(path), false, &options, &error));
	for (size_t i = 0; i < COUNT(run); i++) {
		double most = 0, sum = 0, ranks = simulated_ranks(run[i]), time = (double)simulated_run_time(run[i]);
		for (uint32_t rank = 0; rank < ranks; rank++) {
			double its = (double)truth_of(run[i], TRUTH_COMPUTATION, NULL, rank, ANY_ITERATION);
			most = its > most ? its : most;
			sum += its;
		}
		/* entering and leaving takes time, which no truth has */
		CU_ASSERT_EQUAL(s.run[i].facts.processes, simulated_ranks(run[i]));
		CU_ASSERT_DOUBLE_EQUAL(s.run[i].efficiency.parallel, sum / ranks / time, 2e-3);
		CU_ASSERT_DOUBLE_EQUAL(s.run[i].efficiency.load_balance, sum / ranks / most, 2e-3);
		CU_ASSERT_DOUBLE_EQUAL(s.run[i].efficiency.communication, most / time, 2e-3);
		CU_ASSERT_DOUBLE_EQUAL(s.run[i].global, s.run[i].efficiency.parallel * s.run[i].computation, 1e-12);
	}
	scalability_print(&s, &page);
	row_contains("the phase that grows leads", page.data,
		"assemble grows most: from 2.0 % of the run time on 4 processes to 56.");
	row_contains("with its function", page.data, "in ms: 0.4*P + 0.");
	row_contains("and whose fault it is", page.data, "serial stage\n  rank 0");
	text_clear(&page);
	scalability_clear(&s);
	const char *const twice[] = {anchor[0], anchor[0]};
	CU_ASSERT_FALSE(scalability_read(&s, twice, 2, false, &options, &error));
	row_contains("the same number twice is no scaling", error.message, "both are of 4 processes");
	scalability_clear(&s);
	for (size_t i = 0; i < COUNT(run); i++) {
		simulated_free(run[i]);
		archive_remove(anchor[i]);
	}
}

static void test_no_communication(void)
{
	char *anchor[2];
	struct scalability s;
	struct account_options options = {ACCOUNT_OPTIONS};
	struct error error = {0};
	struct text page = {0};
	options.program.jobs = 1;
	for (uint32_t i = 0; i < COUNT(anchor); i++) {
		struct simulated *run = simulated_new(&(struct network)USUAL_NETWORK, 2U << i, 1, 0);
		for (uint32_t rank = 0; rank < 2U << i; rank++) {
			do_enter(run, rank, "work");
			do_compute(run, rank, 1e-3);
			do_leave(run, rank);
		}
		simulated_run(run);
		anchor[i] = simulated_write(run, SIMULATED_REGIONS);
		simulated_free(run);
	}
	CU_ASSERT_FATAL(scalability_read(&s, (const char *const *)anchor, COUNT(anchor), false, &options, &error));
	CU_ASSERT_TRUE(isnan(s.run[0].efficiency.parallel) && isnan(s.run[1].global));
	scalability_print(&s, &page);
	row_contains(
		"nothing is said of its efficiency", page.data, "global efficiency                       -          -");
	row_contains("but why", page.data, "no communication on 4 processes");
	text_clear(&page);
	scalability_clear(&s);
	for (size_t i = 0; i < COUNT(anchor); i++)
		archive_remove(anchor[i]);
}

void suite_difference(CU_pSuite suite)
{
	CU_add_test(suite, "statements find their counterparts", test_alignments);
	CU_add_test(suite, "what each statement passes", test_totals);
	CU_add_test(suite, "runs of other times, lengths and sizes", test_runs);
	CU_add_test(suite, "work that moves to another loop", test_moved);
	CU_add_test(suite, "a region in several loops as one", test_united);
	CU_add_test(suite, "runs on more and more processes", test_scaling);
	CU_add_test(suite, "runs without communication", test_no_communication);
}
