/*
 * test_simulation.c -- small programs on a network of 10 us and a byte a nanosecond: when is each
 * process done? What is to come out is computed by hand from L, o, g, G, O and S.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/prepared.h"
#include "replay/playback.h"
#include "tests/models.h"
#include "tests/rows.h"

#define HEADER "// tracenest 1\n// processes 4\n"
#define MOST 4
#define NETWORK_NONE                                                                                                   \
	{                                                                                                              \
		0, 0, 0, 0, 0, 0                                                                                       \
	}

static const struct {
	const char *why, *options, *text;
	double done[MOST]; /* us; the last ones 0: whatever */
} cases[] = {
	{"a message: L and (k-1)G", "", "0 send 1 tag1 ; bytes=1001 / 0 recv 1 tag1 ; bytes=1001", {0, 11}},
	{"of nothing: L", "", "0 send 1 tag1 ; bytes=0 / 0 recv 1 tag1 ; bytes=0", {0, 10}},
	{"overheads: o on both sides", "o=2us", "0 send 1 tag1 ; bytes=1 / 0 recv 1 tag1 ; bytes=1", {2, 14}},
	{"... and (k-1)O", "o=2us,O=1ns", "0 send 1 tag1 ; bytes=1001 / 0 recv 1 tag1 ; bytes=1001", {3, 17}},
	{"two messages: the second leaves behind the first", "",
		"0 send 1 tag1 ; bytes=1001 / 0 send 2 tag1 ; bytes=1001 / 0 recv 1 tag1 ; bytes=1001 / 0 recv 2 tag1 ; bytes=1001",
		{0, 11, 12}},
	{"... or g later", "g=3us",
		"0 send 1 tag1 ; bytes=1001 / 0 send 2 tag1 ; bytes=1001 / 0 recv 1 tag1 ; bytes=1001 / 0 recv 2 tag1 ; bytes=1001",
		{0, 11, 14}},
	{"a link is shared by those who send to it", "",
		"0 send 2 tag1 ; bytes=1001 / 1 send 2 tag1 ; bytes=1001 / 0 recv 2 tag1 ; bytes=1001 / 1 recv 2 tag1 ; bytes=1001",
		{0, 0, 12}},
	{"what had come before does not wait behind what came later", "",
		"0 send 1 tag1 ; bytes=1 / 0 recv 1 tag1 ; bytes=1 / 1 send 2 tag1 ; bytes=1001 / 3 send 2 tag1 ; bytes=1001 / "
		"1 recv 2 tag1 ; bytes=1001 / 3 recv 2 tag1 ; bytes=1001",
		{0, 10, 21, 0}},
	{"nobody waits for his sends", "S=10B",
		"0 send 1 tag1 ; bytes=1001 / 0 send 1 tag2 ; bytes=1001 / 0 recv 1 tag1 ; bytes=1001 / 0 recv 1 tag2 ; bytes=1001",
		{0, 22}},
	{"more than S bytes leave when the receive is posted", "S=10B",
		"2 send 1 tag1 ; bytes=1 / 0 send 1 tag1 ; bytes=1001 / 2 recv 1 tag1 ; bytes=1 / 0 recv 1 tag1 ; bytes=1001",
		{0, 21}},
	{"... which was before, where it is a request", "S=10B",
		"2 send 1 tag1 ; bytes=1 / 0 send 1 tag1 ; bytes=1001 / 2 recv 1 tag1 ; bytes=1 / "
		"0 recv 1 tag1 ; bytes=1001 call=MPI_Waitall",
		{0, 11}},
	{"a token: three hops", "", "[1-3] p-1 recv p tag1 ; bytes=1 / [0-2] p send p+1 tag1 ; bytes=1",
		{0, 10, 20, 30}},
	{"a loop of exchanges", "",
		"[0-3] for i0 = 0 to 9 / [0-3] p send p^1 tag1 ; bytes=1 / [0-3] p^1 recv p tag1 ; bytes=1 / done",
		{100, 100, 100, 100}},
	{"a barrier by recursive doubling: two rounds", "", "[0-3] p sync MPI_Barrier 0-3", {20, 20, 20, 20}},
	{"... of which only those wait for the last one that it reaches", "",
		"0 send 3 tag1 ; bytes=1 / 0 recv 3 tag1 ; bytes=1 / [0-3] p sync MPI_Barrier 0-3", {30, 20, 20, 20}},
	{"a vector, twice", "", "[0-3] p sync MPI_Allreduce 0-3 ; bytes=1001 received=1001", {22, 22, 22, 22}},
	{"a tree from its root, the larger half first", "",
		"[1] p sync MPI_Bcast 0-3 root=1 ; bytes=1001 received=0 / [0,2-3] p sync MPI_Bcast 0-3 root=1 ; bytes=0 received=1001",
		{22, 0, 12, 11}},
	{"all to all: three messages each", "", "[0-3] p sync MPI_Alltoall 0-3 ; bytes=4 received=4", {30, 30, 30, 30}},
	{"of some processes", "", "[1-2] p sync MPI_Allreduce 1-2 ; bytes=1 received=1", {0, 10, 10, 0}},
	{"collectives do not meet messages", "",
		"0 send 1 tag1 ; bytes=5001 / [0-1] p sync MPI_Barrier 0-1 / 0 recv 1 tag1 ; bytes=5001", {10, 15}},
	{"one member alone", "", "0 sync MPI_Barrier 0", {0}},
};

struct told {
	double done[128];
};

static bool note(void *context, const struct played *p)
{
	struct told *t = context;
	t->done[p->rank] = (double)p->leave / 1e3;
	return true;
}

static bool simulate(struct prepared *program, const char *options, double bytes, double scale, struct told *told)
{
	struct error error = {0};
	struct actions_options usual = {.algorithms = algorithms_usual()};
	struct playback_network n = {.bytes = bytes, .scale_bytes = scale};
	*told = (struct told){{0}};
	if (!network_parse("cluster:128,10us,1GBps", options, program->module->processes, &n.network, &error))
		return false;
	n.actions = actions_new(program->run, &usual);
	bool good = playback_run(program->run, NULL, &n, &(struct playback_client){told, note});
	actions_free(n.actions);
	return good;
}

static struct prepared *program_of_row(const char *header, const char *row)
{
	struct error error = {0};
	struct text lines = lines_of_row(header, row);
	struct prepared *program = prepared_parse("row", lines.data, lines.length, &error);
	if (!program)
		printf("%s\n", error.message);
	text_clear(&lines);
	return program;
}

static void test_programs(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct told told;
		struct prepared *program = program_of_row(HEADER, cases[i].text);
		ROW(cases[i].why, program);
		if (!program)
			continue;
		ROW(cases[i].why, simulate(program, cases[i].options, -1, 1, &told));
		for (unsigned p = 0; p < MOST; p++) {
			bool right = fabs(told.done[p] - cases[i].done[p]) < 0.002;
			ROW(cases[i].why, right);
			if (!right)
				printf("  process %u: %.3f us, not %.3f\n", p, told.done[p], cases[i].done[p]);
		}
		prepared_free(program);
	}
}

/* More messages than are found at once (WINDOW), and sizes that somebody changes. */
static void test_many(void)
{
	struct told told;
	struct prepared *program = program_of_row(
		"// tracenest 1\n// processes 100\n", "[0-99] p sync MPI_Alltoall 0-99 ; bytes=100 received=100");
	CU_ASSERT_TRUE(simulate(program, "", -1, 1, &told));
	CU_ASSERT_DOUBLE_EQUAL(told.done[99], 990, 0.1);
	CU_ASSERT_TRUE(simulate(program, "", -1, 1001, &told));
	CU_ASSERT_DOUBLE_EQUAL(told.done[99], 1089, 0.1);
	CU_ASSERT_TRUE(simulate(program, "", 2001, 1, &told));
	CU_ASSERT_DOUBLE_EQUAL(told.done[99], 1188, 0.1);
	prepared_free(program);
	program = program_of_row(HEADER, "1 recv 0 tag1 / 0 send 1 tag1 / 0 recv 1 tag1 / 1 send 0 tag1");
	CU_ASSERT_TRUE(program && !simulate(program, "", -1, 1, &told));
	prepared_free(program);
}

static void test_networks(void)
{
	static const struct {
		const char *why, *cluster, *options, *says;
		struct network network;
	} rows[] = {
		{"what is not said", "cluster:4,10us,1GBps", "", NULL, {10e-6, 0, 0, 1e-9, 0, 65536}},
		{"all of it", "cluster:4,10us,1GBps", "o=1us,g=2us,O=0.5ns,S=1KiB", NULL,
			{10e-6, 1e-6, 2e-6, 1e-9, .5e-9, 1024}},
		{"no such parameter", "cluster:4,10us,1GBps", "q=1us", "q=1us: not parameters of LogGOPS",
			NETWORK_NONE},
		{"no number", "cluster:4,10us,1GBps", "o=us", "not parameters", NETWORK_NONE},
		{"bytes are no time", "cluster:4,10us,1GBps", "o=1KiB", "not parameters", NETWORK_NONE},
		{"nothing behind it", "cluster:4,10us,1GBps", "o", "not parameters", NETWORK_NONE},
		{"a file", "my.xml", "", "my.xml: LogGOPS has clusters alone", NETWORK_NONE},
		{"too few hosts", "cluster:3,10us,1GBps", "", "the platform has 3 hosts, and there are 4 processes",
			NETWORK_NONE},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct network n;
		struct error error = {0};
		ROW(rows[i].why, network_parse(rows[i].cluster, rows[i].options, 4, &n, &error) == !rows[i].says);
		if (rows[i].says) {
			row_contains(rows[i].why, error.message, rows[i].says);
			continue;
		}
		const double have[] = {n.latency, n.overhead, n.gap, n.per_byte, n.overhead_per_byte, n.rendezvous};
		const struct network *w = &rows[i].network;
		const double want[] = {
			w->latency, w->overhead, w->gap, w->per_byte, w->overhead_per_byte, w->rendezvous};
		for (size_t k = 0; k < COUNT(have); k++)
			ROW(rows[i].why, fabs(have[k] - want[k]) <= 1e-9 * want[k]);
	}
}

void suite_simulation(CU_pSuite suite)
{
	CU_ADD_TEST(suite, test_programs);
	CU_ADD_TEST(suite, test_many);
	CU_ADD_TEST(suite, test_networks);
}
