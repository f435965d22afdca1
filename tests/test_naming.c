/*
 * test_naming.c -- what a loss comes from, told from figures.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/naming.h"
#include "tests/rows.h"

/* ------------------------------------------------------------------ iterations */

/* "6*1 9 6*1": six times 1, a 9, six times 1; "1..50": 1, 2, ... 50; "every 8 7 5 64": 64 values of
   1, of which every 8th from 7 on is 5. */
static size_t values_of(const char *text, double *value)
{
	size_t n = 0;
	const char *at = text;
	while (*at) {
		unsigned a, b, c;
		double x;
		int used = 0;
		if (sscanf(at, "every %u %u %lf %u%n", &a, &b, &x, &c, &used) == 4) {
			for (unsigned i = 0; i < c; i++)
				value[n++] = i % a == b ? x : 1;
		} else if (sscanf(at, "%u..%u%n", &a, &b, &used) == 2) {
			for (unsigned i = a; i != b; i += a < b ? 1 : -1u)
				value[n++] = i;
			value[n++] = b;
		} else if (sscanf(at, "%u*%lf%n", &a, &x, &used) == 2) {
			for (unsigned i = 0; i < a; i++)
				value[n++] = x;
		} else {
			CU_ASSERT_EQUAL_FATAL(sscanf(at, "%lf%n", &x, &used), 1);
			value[n++] = x;
		}
		at += used;
		at += strspn(at, " ");
	}
	return n;
}

/* From -1 to 1, the same each time. */
static double shaken(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(int32_t)(*state >> 32) / 2147483648.0;
}

static const struct {
	const char *why, *values;
	double noise; /* of a value */
	uint64_t width;
	const char *named;
} iterations[] = {
	{"equal ones", "100*1", 0, 1, "all 100"},
	{"noise alone", "100*1", 0.2, 1, "all 100"},
	{"much noise alone", "100*1", 0.9, 1, "all 100"},
	{"two are too few to tell", "1 9", 0, 1, "all 2"},
	{"one of many", "17*1 9 32*1", 0, 1, "17 of 50"},
	{"one of many, in noise", "17*1 9 32*1", 0.3, 1, "17 of 50"},
	{"one of four", "2*1 9 1", 0, 1, "2 of 4"},
	{"the last one", "49*1 9", 0.1, 1, "49 of 50"},
	{"a few", "3*1 9 16*1 8 24*1 10 5*1", 0.1, 1, "3, 20 and 45 of 51"},
	{"a few that differ", "3*0 90 16*0 30 24*0 60 5*0", 0, 1, "3, 20 and 45 of 51"},
	{"three, equally far from each other", "3*1 9 20*1 8 20*1 10 5*1", 0.1, 1, "every 21st: 3, 24, 45 (3 of 51)"},
	{"more than are listed", "2*1 5 1 2*5 1 5 6*1 5 1 5 3*1 2*5 1 5 20*1 5 7*1 5 10*1", 0.1, 1,
		"2, 4, 5, 7, 14, 16, 20, 21 ... of 63"},
	{"the first ones", "5*4 45*1", 0.1, 1, "the first 5 of 50: 0-4"},
	{"the first one", "9 49*1", 0.1, 1, "the first of 50: 0"},
	{"the first ones, fading", "6 5 4 3 2 45*1", 0.1, 1, "the first 5 of 50: 0-4"},
	{"the first ones, halving", "17 9 5 3 2 45*1", 0.1, 1, "the first 3 of 50: 0-2"},
	{"some in a row", "20*1 10*3 20*1", 0.1, 1, "20-29 of 50"},
	{"the second half", "25*1 25*3", 0.1, 1, "25-49 of 50"},
	{"the second half, in much noise", "30*1 30*4", 0.4, 1, "30-59 of 60"},
	{"the first half, in much noise", "30*4 30*1", 0.4, 1, "the first 30 of 60: 0-29"},
	{"every eighth", "every 8 7 5 64", 0.2, 1, "every 8th: 7, 15, 23 ... (8 of 64)"},
	{"every third", "every 3 1 5 64", 0.1, 1, "every 3rd: 1, 4, 7 ... (21 of 64)"},
	{"every second", "every 2 0 5 64", 0.1, 1, "every 2nd: 0, 2, 4 ... (32 of 64)"},
	{"every fourth, one of them quick", "1 1 5 3*1 5 3*1 5 3*1 1 3*1 5 3*1 5 3*1 5 3*1 5 3*1 5 1", 0.1, 1,
		"every 4th: 2, 6, 10 ... (9 of 36)"},
	{"every fourth, and an outlier", "1 1 5 3*1 5 3*1 5 3*1 5 3*1 5 1 4 1 5 3*1 5 3*1 5 3*1 5 1", 0.1, 1,
		"every 4th: 2, 6, 10 ... (9 of 36)"},
	{"every third but 0, which it may follow", "3*1 5 2*1 5 2*1 5 2*1 5 2*1 5 2*1 5 1 4 5 2*1 5 2*1", 0.1, 1,
		"every 3rd: 3, 6, 9 ... (8 of 27)"},
	{"one that loses little of it all", "4 49*1", 0.1, 1, "all 50"},
	{"every fourth, drowned in noise", "every 4 0 3 64", 0.8, 1, "every 4th: 0, 4, 8 ... (16 of 64)"},
	{"a trend", "1..100", 0, 1, "all 100, growing 1 s -> 100 s"},
	{"a trend in noise", "20..100", 0.3, 1, "all 81, growing 20.7 s -> 101 s"},
	{"a trend down", "100..1", 0, 1, "all 100, shrinking 100 s -> 1 s"},
	{"hardly a trend", "100..120", 0, 1, "all 21"},
	{"in bins", "17*1 9 32*1", 0.1, 4, "68-71 of 200"},
	{"the first bin", "9 49*1", 0.1, 4, "the first 4 of 200: 0-3"},
	{"a trend over bins", "4..80", 0, 4, "all 308, growing 1 s -> 20 s"},
};

static void test_iterations(void)
{
	for (size_t i = 0; i < COUNT(iterations); i++) {
		double value[512];
		uint64_t state = 7;
		struct iteration_series s = {.value = value, .length = values_of(iterations[i].values, value)};
		struct text have = {0};
		s.width = iterations[i].width;
		s.iterations = s.length * s.width;
		for (size_t k = 0; k < s.length; k++)
			value[k] *= 1 + iterations[i].noise * shaken(&state);
		struct named_iterations names = iterations_name(&s, NULL);
		iterations_print(&names, 1, &have);
		row_same(iterations[i].why, have.data, iterations[i].named);
		text_clear(&have);
	}
}

static const struct {
	const char *why, *times, *named;
	double loss, factor;
} variations[] = {
	{"even", "50*10", "all 50", 0, 0},
	{"the first ones", "5*31 45*10", "the first 5 of 50: 0-4", 105, 3.1},
	{"throttling at the end", "60*10 40*18", "60-99 of 100", 320, 1.8},
	{"a little slower", "45*10 5*11", "all 50", 0, 0},
	{"a period", "every 10 9 4 100", "every 10th: 9, 19, 29 ... (10 of 100)", 30, 4},
};

static void test_variation(void)
{
	for (size_t i = 0; i < COUNT(variations); i++) {
		double value[512];
		struct iteration_series s = {.value = value, .width = 1};
		struct text have = {0};
		s.iterations = s.length = values_of(variations[i].times, value);
		struct variation v = variation_name(&s, NULL);
		iterations_print(&v.iterations, 1, &have);
		row_same(variations[i].why, have.data, variations[i].named);
		ROW(variations[i].why, fabs(v.loss - variations[i].loss) < 1e-9);
		ROW(variations[i].why, fabs(v.factor - variations[i].factor) < 1e-9);
		text_clear(&have);
	}
}

/* ------------------------------------------------------------------ faults */

/* Times in us of 10 iterations; numbers by rank. */
static const struct {
	const char *why;
	double imbalance, serialization, transfer;
	const char *computation, *path;
	double passed; /* ranks that the path passes in an iteration */
	double late_sender, late_receiver;
	const char *waited, *caused; /* of the larger of the two */
	double collective;
	const char *links; /* FROM-TO:MESSAGES:BYTES:FLIGHT:PATH */
	double sibling_bytes;
	const char *named;
} faults[] = {
	{"nothing", 0, 0, 0, "8*100", "8*100", 8, 0, 0, "", "", 0, "", 0, "none"},
	{"some are slow", 75, 0, 5, "6*100 2*200", "6*0 2*100", 1, 50, 0, "6*8.3 2*0", "6*0 2*25", 0, "", 0,
		"slow: ranks 6-7: compute 20 us, the others 10 us; Late Sender: others wait 50 us for them"},
	{"one is slow", 87, 0, 5, "3*100 200 4*100", "3*0 200 4*0", 1, 0, 0, "", "", 0, "", 0,
		"slow: rank 3: computes 20 us, the others 10 us"},
	{"the line of a grid", 75, 0, 5, "200 3*100 200 3*100", "", 1, 0, 0, "", "", 0, "", 0,
		"slow: ranks 0,4 (x = 0): compute 20 us, the others 10 us"},
	{"equals are not torn apart", 75, 0, 5, "8*100", "", 1, 0, 0, "", "", 0, "", 0,
		"varying: all 8 ranks: computation varies between ranks in each iteration; the busiest computes 1.75 times the mean, and over all of them each as much as the others"},
	{"noise", 75, 0, 5, "100 101 99 102 98 103 100 97", "", 1, 0, 0, "", "", 0, "", 0,
		"varying: all 8 ranks: computation varies between ranks in each iteration; the busiest computes 1.75 times the mean, and over all of them each as much as the others"},
	{"a slope", 70, 0, 5, "100 120 140 160 180 200 220 240", "", 1, 0, 0, "", "", 0, "", 0,
		"slow: ranks 6-7: compute 23 us, the others 15 us"},
	{"a stage", 87, 0, 5, "100 7*0", "100 7*0", 1, 87, 0, "0 7*12", "87 7*0", 0, "", 0,
		"stage: rank 0: computes 10 us while the others wait, they 0 ns; Late Sender: others wait 87 us for it"},
	{"a chain", 0, 700, 10, "8*100", "8*100", 8, 350, 0, "0 7*50", "7*50 0", 0, "", 0,
		"chain: all 8 ranks: each waits for the one before; the critical path passes 8 of 8 ranks in an iteration, "
		"computing 80 us"},
	{"sent late", 10, 300, 10, "8*100", "", 2, 300, 20, "3*0 300 4*0", "2*0 300 5*0", 0, "", 0,
		"late-sender: rank 2: sends late; rank 3 waits 300 us for it"},
	{"received late", 10, 300, 10, "8*100", "", 2, 20, 300, "3*0 300 4*0", "2*0 300 5*0", 0, "", 0,
		"late-receiver: rank 2: receives late; rank 3 waits 300 us for it"},
	{"a master", 10, 300, 10, "8*100", "", 2, 300, 0, "0 7*40", "280 7*0", 0, "", 0,
		"stage: rank 0: sends late; ranks 1-7 wait 280 us for it"},
	{"a collective", 10, 0, 500, "8*100", "", 1, 0, 0, "", "", 450, "", 0,
		"collective: all 8 ranks: MPI_Alltoall itself takes 45 us, 10 times"},
	{"a link", 10, 0, 500, "8*100", "", 1, 0, 0, "", "", 0,
		"0-1:10:1000:20:0 1-2:10:1000:250:50 2-3:10:1000:500:400 3-2:10:1000:500:0 3-4:10:1000:20:0 4-5:10:1000:20:10",
		0, "link: ranks 2 and 3: a message between them takes 50 us, between others 2 us"},
	{"several links, each as slow both ways", 10, 0, 500, "8*100", "", 1, 0, 0, "", "", 0,
		"0-1:10:1000:20:0 1-2:10:1000:500:200 2-1:10:1000:500:0 2-3:10:1000:500:0 3-2:10:1000:20:0 "
		"3-4:10:1000:20:10 4-5:10:1000:20:10 5-6:10:1000:520:200 6-7:10:1000:20:0",
		0, "link: ranks 1 and 2, 5 and 6: a message in such a pair takes 51 us, between others 2 us"},
	{"a master that all wait for", 75, 0, 5, "150 7*100", "", 1, 300, 0, "0 7*50", "300 7*0", 0,
		"1-0:10:1000:20:10 2-0:10:1000:20:10 3-0:10:1000:20:0 0-4:10:1000:20:0 0-5:10:1000:20:0", 0,
		"stage: rank 0: computes 15 us while the others wait, they 10 us; Late Sender: others wait 300 us for it"},
	{"large messages", 10, 0, 500, "8*100", "", 1, 0, 0, "", "", 0,
		"0-1:10:10000000:500:250 1-0:10:10000000:500:250", 8000,
		"large: ranks 0-1: messages of 1 MB, elsewhere of 8 kB take 50 us each, and nothing is computed meanwhile"},
	{"transfer", 10, 0, 500, "8*100", "", 1, 0, 0, "", "", 0, "0-1:10:10000:500:250 1-0:10:10000:500:250", 8000,
		"transfer: ranks 0-1: messages of 1 kB take 50 us each, and nothing is computed meanwhile"},
	{"of the path more in calls than in the messages, however large", 10, 0, 500, "8*100", "", 1, 0, 0, "", "", 0,
		"0-1:10:10000000:500:100 1-0:10:10000000:500:100", 8000,
		"transfer: all 8 ranks: calls of MPI themselves take 50 us an iteration"},
};

static size_t links_of(const char *text, struct analysis_link *link)
{
	size_t n = 0;
	while (*text) {
		int used = 0;
		unsigned from, to, messages, bytes, flight, path;
		CU_ASSERT_EQUAL_FATAL(
			sscanf(text, "%u-%u:%u:%u:%u:%u%n", &from, &to, &messages, &bytes, &flight, &path, &used), 6);
		link[n++] = (struct analysis_link){.source = from,
			.destination = to,
			.messages = messages,
			.bytes = bytes,
			.flight = flight,
			.least = flight / messages,
			.path = path};
		text += used;
		text += strspn(text, " ");
	}
	return n;
}

static void test_faults(void)
{
	struct module module = {.grid = {.axes = 2, .size = {4, 2}}};
	const struct prepared program = {.module = &module};
	const struct analysis of = {
		.program = &program, .processes = 8, .ticks_per_second = 1000000, .end = 1000, .regions = true};
	for (size_t i = 0; i < COUNT(faults); i++) {
		double computation[16], path[16], waited[16], caused[16];
		struct analysis_link link[16];
		bool receiver = faults[i].late_receiver > faults[i].late_sender;
		struct analysis_construct construct = {.collectives_cost = (uint64_t)faults[i].collective,
			.collective_cost = (uint64_t)faults[i].collective,
			.collective = (char[]){"MPI_Alltoall"},
			.collective_times = 10,
			.link = link,
			.links = links_of(faults[i].links, link),
			.overhead = (uint64_t)(faults[i].transfer - faults[i].collective)};
		struct evidence e = {.of = &of,
			.construct = &construct,
			.iterations = 10,
			.imbalance = faults[i].imbalance,
			.serialization = faults[i].serialization,
			.transfer = faults[i].transfer,
			.computation = computation,
			.path_ranks = (uint64_t)(10 * faults[i].passed),
			.sibling_bytes = faults[i].sibling_bytes};
		struct text have = {0};
		for (size_t k = 0; k < construct.links; k++)
			construct.overhead -= link[k].path;
		values_of(faults[i].computation, computation);
		if (values_of(faults[i].path, path))
			e.path = path;
		e.wait[WAIT_LATE_SENDER] = faults[i].late_sender;
		e.wait[WAIT_LATE_RECEIVER] = faults[i].late_receiver;
		if (values_of(faults[i].waited, waited))
			e.waited[receiver ? WAIT_LATE_RECEIVER : WAIT_LATE_SENDER] = waited;
		if (values_of(faults[i].caused, caused))
			e.caused[receiver ? WAIT_LATE_RECEIVER : WAIT_LATE_SENDER] = caused;
		struct fault f = fault_name(&e);
		text_put(&have, fault_key(f.kind));
		if (f.evidence.length)
			text_format(&have, ": %s", f.evidence.data);
		row_same(faults[i].why, have.data, faults[i].named);
		ROW(faults[i].why, fault_accuses(&f) == (f.kind > FAULT_WAITING));
		text_clear(&have);
		fault_clear(&f);
	}
}

void suite_naming(CU_pSuite suite)
{
	CU_add_test(suite, "which iterations stand apart", test_iterations);
	CU_add_test(suite, "slowness that all ranks share", test_variation);
	CU_add_test(suite, "faults by their figures", test_faults);
}
