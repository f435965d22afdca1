/*
 * test_merge.c -- the reduction on small models: what must become one loop, what must not, and why.
 *
 * Models are written as their text with " / " for line ends and no header. Whatever a row is about,
 * its result must also be the trace, and keep messages in their iterations: the oracle says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/consistency.h"
#include "base/mem.h"
#include "merge/merge.h"
#include "merge/strand.h"
#include "model/model.h"
#include "tests/executed.h"
#include "tests/models.h"
#include "tests/oracle.h"
#include "tests/rows.h"
#include "tests/spmd.h"
#include "tests/unit.h"

/* Models that stand for more are not run. */
#define RUN_MOST 200000

/* ------------------------------------------------------------------ models as rows */

static struct model *model_from(const char *row, uint32_t processes)
{
	struct text header = {0};
	struct error error = {0};
	text_format(&header, "// tracenest 1\n// processes %u\n", processes);
	struct text text = lines_of_row(header.data, row);
	struct model *m = model_parse("row", text.data, text.length, &error);
	ROW(row, m != NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	text_clear(&text);
	text_clear(&header);
	return m;
}

/* The listing and the notes, as a row. */
static struct text row_of(const struct model *m)
{
	struct text text = {0};
	model_print_text(m, &text);
	struct text row = row_of_lines(text.data, true);
	text_clear(&text);
	return row;
}

/* What the text that it comes to says of its loops: as the row has it, or else a complaint. */
static bool loops_hold(const char *why, const struct model *m, const char *told)
{
	struct executed e = executed_of_model(m);
	struct consistency c;
	consistency_of(e.run, &c);
	bool good = c.loops.kind == ERROR_NONE;
	if (told || !good)
		row_same(why, c.loops.message, told ? told : "");
	consistency_clear(&c);
	executed_clear(&e);
	return good;
}

/* What holds for any reduction of any model. */
static void check_reduced(const char *why, const struct model *local, const struct model *global)
{
	struct error error = {0};
	CU_ASSERT(loops_hold(why, global, NULL));
	CU_ASSERT(model_complete(local, &error) == model_complete(global, &error));
	CU_ASSERT_EQUAL(model_events(local), model_events(global));
	if (model_events(local) > RUN_MOST)
		return;
	struct dictionary *d = dictionary_new();
	struct stream *stream = oracle_streams(local, d);
	const char *wrong = oracle_check(global, d, stream, false);
	if (wrong)
		fprintf(stderr, "\n%s: %s\n", why, wrong);
	CU_ASSERT_PTR_NULL(wrong);
	streams_free(stream, local->processes);
	dictionary_free(d);
}

/* ------------------------------------------------------------------ results */

struct result {
	const char *why;
	uint32_t processes;
	const char *local, *global;
};

static uint64_t constructs_of(const struct model *m)
{
	return model_constructs(m);
}

static void check_results(const struct result *row, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		struct model *local = model_from(row[i].local, row[i].processes),
			     *global = merge_reduce(local, NULL, NULL);
		struct model *again = merge_reduce(global, NULL, NULL);
		struct text have = row_of(global);
		row_same(row[i].why, have.data, row[i].global);
		check_reduced(row[i].why, local, global);
		check_reduced("reduced once more", local, again);
		CU_ASSERT(constructs_of(again) <= constructs_of(global));
		text_clear(&have);
		model_free(again);
		model_free(global);
		model_free(local);
	}
}

static const struct result paper[] = {
	{"the simplest pair", 2, "for i = 1 to 10 / 0 send 1 t / done / for i = 1 to 10 / 0 recv 1 t / done",
		"for i0 = 0 to 9 / 0 send 1 t / 0 recv 1 t / done"},
	{"20 against 10 and 10, kept apart by something", 2,
		"for i = 1 to 20 / 0 send 1 t / done / for i = 1 to 10 / 0 recv 1 t / done / 1 local x / for i = 1 to 10 / 0 recv "
		"1 t / done",
		"for i0 = 0 to 9 / 0 send 1 t / 0 recv 1 t / done / 1 local x / for i0 = 0 to 9 / 0 send 1 t / 0 recv 1 t / done"},
	{"one loop against two on two tags is regular, and stays apart", 2,
		"for i = 1 to 10 / 0 send 1 t1 / 0 send 1 t2 / done / for i = 1 to 10 / 0 recv 1 t1 / done / for i = 1 to 10 / 0 "
		"recv 1 t2 / done",
		"// note apart: 3 loops communicate with several loops of one process, which stay in order: 0 1 2 / for i0 = 0 to "
		"9 / 0 send 1 t1 / 0 send 1 t2 / done / for i0 = 0 to 9 / 0 recv 1 t1 / done / for i0 = 0 to 9 / 0 recv 1 t2 / "
		"done"},
	{"10 against 20: blocking", 2,
		"for i = 1 to 10 / 0 send 1 t / 0 local x / 0 send 1 t / 0 local y / done / for i = 1 to 20 / 0 recv 1 t / done",
		"for i0 = 0 to 9 / 0 send 1 t / 0 recv 1 t / 0 local x / 0 send 1 t / 0 recv 1 t / 0 local y / done"},
	{"10 against 40: blocking, with an inner loop", 2,
		"for i = 1 to 10 / 0 send 1 t / 0 local x / 0 send 1 t / 0 local y / 0 send 1 t / 0 local z / 0 send 1 t / done / "
		"for i = 1 to 40 / 0 recv 1 t / 1 local a / done",
		"// note apart: 1 loop exchange messages with single events, or with loops left apart: 0.1 / for i0 = 0 to 9 / 0 "
		"send 1 t / for i1 = 0 to 3 "
		"/ 0 recv 1 t / 1 local a / done / 0 local x / 0 send 1 t / 0 local y / 0 send 1 t / 0 local z / 0 send 1 t / "
		"done"},
	{"8 against 12 with a common divisor", 2,
		"for i = 1 to 8 / 0 send 1 t / 0 send 1 t / 0 send 1 t / 0 local y / done / for i = 1 to 12 / 0 recv 1 t / 1 local "
		"y / 0 recv 1 t / done",
		"// note growth: 18 constructs, the single processes have 9 together: 0 loops shifted, 0 split, 2 unrolled / for "
		"i0 = 0 to 3 / 0 send 1 t / 0 recv 1 t / 0 send 1 t / 1 local y / 0 send 1 t / 0 recv 1 t / 0 local y / 0 recv 1 t "
		"/ 0 send 1 t / 1 local y / 0 send 1 t / 0 recv 1 t / 0 send 1 t / 0 recv 1 t / 0 local y / 1 local y / 0 recv 1 t "
		"/ done"},
	{"coprime counts are written out within the budget", 2,
		"for i = 1 to 3 / 0 send 1 t / 0 send 1 t / 0 local y / done / for i = 1 to 2 / 0 recv 1 t / 0 recv 1 t / 0 recv 1 "
		"t / 1 local y / done",
		"// note growth: 17 constructs, the single processes have 9 together: 0 loops shifted, 0 split, 2 unrolled / 0 "
		"send 1 t / 0 recv 1 t / 0 send 1 t / 0 recv 1 t / 0 local y / 0 send 1 t / 0 recv 1 t / 1 local y / 0 send 1 t / "
		"0 recv 1 t / 0 local y / 0 send 1 t / 0 recv 1 t / 0 send 1 t / 0 recv 1 t / 1 local y / 0 local y"},
	{"a loop and single events: shift where the count is kept", 2,
		"for i = 1 to 10 / 0 send 1 t / 0 send 1 u / done / 0 send 1 t / 0 recv 1 t / for i = 1 to 10 / 0 recv 1 u / 0 "
		"recv 1 t / done",
		"0 send 1 t / 0 recv 1 t / for i0 = 0 to 9 / 0 send 1 u / 0 recv 1 u / 0 send 1 t / 0 recv 1 t / done"},
	{"shift where nothing keeps the count", 2,
		"for i = 1 to 10 / 0 send 1 t / 0 send 1 u / done / 0 recv 1 t / for i = 1 to 9 / 0 recv 1 u / 0 recv 1 t / done / "
		"0 recv 1 u",
		"// note growth: 9 constructs, the single processes have 8 together: 1 loops shifted, 0 split, 0 unrolled / 0 send "
		"1 t / 0 recv 1 t / for i0 = 0 to 8 / 0 send 1 u / 0 recv 1 u / 0 send 1 t / 0 recv 1 t / done / 0 send 1 u / 0 "
		"recv 1 u"},
	{"the paper's: first of two sends of an iteration", 2,
		"for i = 1 to 10 / 0 send 1 t / 0 local a / 0 send 1 t / 0 local b / done / 0 recv 1 t / 1 local x / for i = 1 to "
		"9 / 0 recv 1 t / 1 local c / 0 recv 1 t / 1 local d / done / 0 recv 1 t",
		"// note growth: 16 constructs, the single processes have 13 together: 1 loops shifted, 0 split, 0 unrolled / 0 "
		"send 1 t / 0 recv 1 t / 1 local x / for i0 = 0 to 8 / 0 local a / 0 send 1 t / 0 recv 1 t / 1 local c / 0 local b "
		"/ 0 send 1 t / 0 recv 1 t / 1 local d / done / 0 local a / 0 send 1 t / 0 recv 1 t / 0 local b"},
	{"a cycle through an Allreduce", 2,
		"for i = 1 to 10 / 0 send 1 t / done / 0 sync MPI_Allreduce 0-1 / for i = 1 to 10 / 1 recv 0 t / done / "
		"for i = 1 to 10 / 1 send 0 t / done / 1 sync MPI_Allreduce 0-1 / for i = 1 to 10 / 0 recv 1 t / done",
		"// note apart: 4 loops would close a cycle in the order of their processes: 0 1 3 4 / for i0 = 0 to 9 / 0 send 1 "
		"t / done / for i0 = 0 to 9 / 1 send 0 t / done / 0-1 sync MPI_Allreduce 0-1 / for i0 = 0 to 9 / 1 recv 0 t / done "
		"/ for i0 = 0 to 9 / 0 recv 1 t / done"},
	{"a cycle through two Allreduces", 2,
		"for i = 1 to 10 / 0 send 1 t / done / 0 sync MPI_Allreduce 0-1 / 0 sync MPI_Allreduce 0-1 / for i = 1 to 10 / 1 "
		"recv 0 t / done / "
		"for i = 1 to 10 / 1 send 0 t / done / 1 sync MPI_Allreduce 0-1 / 1 local x / 1 sync MPI_Allreduce 0-1 / for i = 1 "
		"to 10 / 0 recv 1 t / done",
		"// note apart: 4 loops would close a cycle in the order of their processes: 0 1 5 6 / for i0 = 0 to 9 / 0 send 1 "
		"t / done / for i0 = 0 to 9 / 1 send 0 t / done / 0-1 sync MPI_Allreduce 0-1 / 1 local x / 0-1 sync MPI_Allreduce "
		"0-1 / for i0 = 0 to 9 / 1 recv 0 t / done / for i0 = 0 to 9 / 0 recv 1 t / done"},
	{"a cycle of two groups without any collective", 2,
		"for i = 1 to 10 / 0 send 1 t / done / for i = 1 to 5 / 1 recv 0 u / done / for i = 1 to 5 / 1 send 0 u / done / "
		"for i = 1 to 10 / 0 recv 1 t / done",
		"// note apart: 4 loops would close a cycle in the order of their processes: 0 1 2 3 / for i0 = 0 to 9 / 0 send 1 "
		"t / done / for i0 = 0 to 4 / 1 send 0 u / done / for i0 = 0 to 4 / 1 recv 0 u / done / for i0 = 0 to 9 / 0 recv 1 "
		"t / done"},
};
static const struct result further[] = {
	{"overlaps of less than half are not worth a split", 2,
		"for i = 1 to 10 / 0 send 1 t / done / 0 local a / 0 send 1 t / 0 local b / 0 send 1 t / 0 local c / 0 send 1 t / "
		"0 local d / "
		"0 send 1 t / 0 local e / 0 send 1 t / 0 local f / 0 send 1 t / "
		"0 recv 1 t / 1 local a / 0 recv 1 t / 1 local b / 0 recv 1 t / 1 local c / 0 recv 1 t / 1 local d / 0 recv 1 t / "
		"1 local e / "
		"0 recv 1 t / for i = 1 to 10 / 0 recv 1 t / done",
		"// note apart: 2 loops have hardly any iterations in common: 0 23 / for i0 = 0 to 9 / 0 send 1 t / done / 0 recv "
		"1 t / 0 local a / 1 local a / 0 send 1 t / 0 recv 1 t / 0 local b / 1 local b / 0 send 1 t / 0 recv 1 t / 0 local "
		"c / 1 local c / 0 send 1 t / 0 recv 1 t / 0 local d / 1 local d / 0 send 1 t / 0 recv 1 t / 0 local e / 1 local e "
		"/ 0 send 1 t / 0 recv 1 t / 0 local f / for i0 = 0 to 9 / 0 recv 1 t / done / 0 send 1 t"},
	{"loops against loops, twice in a row", 2,
		"for i = 1 to 5 / 0 send 1 t / done / 0 local x / for i = 1 to 7 / 0 send 1 t / done / for i = 1 to 5 / 0 recv 1 t "
		"/ done / 1 local y / for i = 1 to 7 / 0 recv 1 t / done",
		"for i0 = 0 to 4 / 0 send 1 t / 0 recv 1 t / done / 0 local x / 1 local y / for i0 = 0 to 6 / 0 send 1 t / 0 recv "
		"1 t / done"},
	{"loops that overlap", 2,
		"for i = 1 to 5 / 0 send 1 t / done / 0 local x / for i = 1 to 7 / 0 send 1 t / done / for i = 1 to 8 / 0 recv 1 t "
		"/ done / 1 local y / for i = 1 to 4 / 0 recv 1 t / done",
		"for i0 = 0 to 4 / 0 send 1 t / 0 recv 1 t / done / 0 local x / for i0 = 0 to 2 / 0 send 1 t / 0 recv 1 t / done / "
		"1 local y / for i0 = 0 to 3 / 0 send 1 t / 0 recv 1 t / done"},
	{"nothing", 2, "", ""},
	{"one process", 1, "for i = 1 to 3 / 0 local x / done", "for i0 = 0 to 2 / 0 local x / done"},
	{"loops without communication are never joined", 2,
		"for i = 1 to 3 / 0 local x / done / for i = 1 to 3 / 1 local x / done",
		"for i0 = 0 to 2 / 0 local x / done / for i0 = 0 to 2 / 1 local x / done"},
	{"a rank without events", 3, "for i = 1 to 3 / 0 send 2 t / done / for i = 1 to 3 / 0 recv 2 t / done",
		"for i0 = 0 to 2 / 0 send 2 t / 0 recv 2 t / done"},
	{"a collective", 3, "0 sync MPI_Barrier 0-2 / 1 sync MPI_Barrier 0-2 / 2 sync MPI_Barrier 0-2",
		"0-2 sync MPI_Barrier 0-2"},
	{"a collective with a root", 2, "0 sync MPI_Bcast 0-1 root=0 / 1 sync MPI_Bcast 0-1 root=0",
		"0-1 sync MPI_Bcast 0-1 root=0"},
	{"members name different roots", 2, "0 sync MPI_Bcast 0-1 root=0 / 1 sync MPI_Bcast 0-1 root=1",
		"0 sync MPI_Bcast 0-1 root=0 / 1 sync MPI_Bcast 0-1 root=1"},
	{"loops that meet in a collective", 3,
		"for i = 1 to 5 / 0 sync MPI_Barrier 0-2 / done / for i = 1 to 5 / 1 sync MPI_Barrier 0-2 / done / for i = 1 to 5 "
		"/ 2 sync MPI_Barrier 0-2 / done",
		"for i0 = 0 to 4 / 0-2 sync MPI_Barrier 0-2 / done"},
	{"collectives of halves", 4,
		"for i = 1 to 5 / 0 sync MPI_Barrier 0-1@3 / done / for i = 1 to 5 / 1 sync MPI_Barrier 0-1@3 / done / "
		"for i = 1 to 5 / 2 sync MPI_Barrier 2-3@3 / done / for i = 1 to 5 / 3 sync MPI_Barrier 2-3@3 / done",
		"for i0 = 0 to 4 / 0-1 sync MPI_Barrier 0-1@3 / done / for i0 = 0 to 4 / 2-3 sync MPI_Barrier 2-3@3 / done"},
	{"halves within a whole", 4,
		"for i = 1 to 5 / 0 sync A 0-1 / 0 sync B 0-3 / done / for i = 1 to 5 / 1 sync A 0-1 / 1 sync B 0-3 / done / "
		"for i = 1 to 5 / 2 sync A 2-3 / 2 sync B 0-3 / done / for i = 1 to 5 / 3 sync A 2-3 / 3 sync B 0-3 / done",
		"for i0 = 0 to 4 / 0-1 sync A 0-1 / 2-3 sync A 2-3 / 0-3 sync B 0-3 / done"},
	{"one half meets twice as often", 4,
		"for i = 1 to 5 / 0 sync A 0-1 / 0 sync A 0-1 / 0 sync B 0-3 / done / for i = 1 to 5 / 1 sync A 0-1 / 1 sync A 0-1 "
		"/ 1 sync B 0-3 / done / "
		"for i = 1 to 5 / 2 sync B 0-3 / done / for i = 1 to 5 / 3 sync B 0-3 / done",
		"for i0 = 0 to 4 / 0-1 sync A 0-1 / 0-1 sync A 0-1 / 0-3 sync B 0-3 / done"},
	{"different collectives in one place", 2, "0 sync A 0-1 / 0 sync B 0-1 / 1 sync B 0-1 / 1 sync A 0-1",
		"0 sync A 0-1 / 1 sync B 0-1 / 0 sync B 0-1 / 1 sync A 0-1"},
	{"different collectives in one place, in loops", 2,
		"for i = 1 to 5 / 0 sync A 0-1 / 0 sync B 0-1 / done / for i = 1 to 5 / 1 sync B 0-1 / 1 sync A 0-1 / done",
		"for i0 = 0 to 4 / 0 sync A 0-1 / 1 sync B 0-1 / 0 sync B 0-1 / 1 sync A 0-1 / done"},
	{"messages to itself", 1, "for i = 1 to 5 / 0 send 0 t / 0 recv 0 t / done",
		"for i0 = 0 to 4 / 0 send 0 t / 0 recv 0 t / done"},
	{"messages to itself, from loop to loop", 1,
		"for i = 1 to 5 / 0 send 0 t / done / for i = 1 to 5 / 0 recv 0 t / done",
		"// note apart: 2 loops communicate with several loops of one process, which stay in order: 0 1 / for i0 = 0 to 4 "
		"/ 0 send 0 t / done / for i0 = 0 to 4 / 0 recv 0 t / done"},
	{"messages to itself across iterations of a loop of its own", 1,
		"0 send 0 t / for i = 1 to 5 / 0 send 0 t / 0 recv 0 t / done / 0 recv 0 t",
		"// note apart: 1 loop receive in one iteration what another one sent: 1 / 0 send 0 t / for i0 = 0 to 4 / 0 send 0 "
		"t / "
		"0 recv 0 t / done / 0 recv 0 t"},
	{"messages to itself beside others", 2,
		"for i = 1 to 5 / 0 send 0 t / 0 send 1 t / 0 recv 0 t / done / for i = 1 to 5 / 0 recv 1 t / done",
		"for i0 = 0 to 4 / 0 send 0 t / 0 send 1 t / 0 recv 1 t / 0 recv 0 t / done"},
	{"messages to itself in the next iteration", 2,
		"0 send 0 t / for i = 1 to 5 / 0 recv 0 t / 0 send 1 t / 0 send 0 t / done / 0 recv 0 t / for i = 1 to 5 / 0 recv "
		"1 t / done",
		"0 send 0 t / 0 recv 0 t / for i0 = 0 to 4 / 0 send 1 t / 0 recv 1 t / 0 send 0 t / 0 recv 0 t / done"},
	{"each receives before it sends", 2,
		"for i = 1 to 5 / 1 recv 0 t / 0 send 1 t / done / for i = 1 to 5 / 0 recv 1 t / 1 send 0 t / done",
		"for i0 = 0 to 4 / 1 recv 0 t / 0 send 1 t / 0 recv 1 t / 1 send 0 t / done"},
	{"the receiver is listed first", 2, "for i = 1 to 5 / 0 recv 1 t / done / for i = 1 to 5 / 0 send 1 t / done",
		"for i0 = 0 to 4 / 0 send 1 t / 0 recv 1 t / done"},
	{"loops inside loops", 2,
		"for i = 1 to 5 / for j = 1 to 4 / 0 send 1 t / done / 0 send 1 u / done / for i = 1 to 5 / for j = 1 to 4 / 0 "
		"recv 1 t / done / 0 recv 1 u / done",
		"for i0 = 0 to 4 / for i1 = 0 to 3 / 0 send 1 t / 0 recv 1 t / done / 0 send 1 u / 0 recv 1 u / done"},
	{"an inner loop against a flat one", 2,
		"for i = 1 to 5 / for j = 1 to 4 / 0 send 1 t / done / 0 local x / done / for i = 1 to 20 / 0 recv 1 t / done",
		"for i0 = 0 to 4 / for i1 = 0 to 3 / 0 send 1 t / 0 recv 1 t / done / 0 local x / done"},
	{"nested loops, one shifted by half an iteration", 2,
		"for i = 1 to 5 / for j = 1 to 4 / 0 send 1 t / done / 0 send 1 u / done / "
		"for j = 1 to 4 / 0 recv 1 t / done / for i = 1 to 4 / 0 recv 1 u / for j = 1 to 4 / 0 recv 1 t / done / done / 0 "
		"recv 1 u",
		"for i0 = 0 to 3 / 0 send 1 t / 0 recv 1 t / done / for i0 = 0 to 3 / 0 send 1 u / 0 recv 1 u / for i1 = 0 to 3 / "
		"0 send 1 t / 0 recv 1 t / done / done / 0 send 1 u / 0 recv 1 u"},
	{"an inner loop shifted inside an outer one", 2,
		"for i = 1 to 5 / for j = 1 to 4 / 0 send 1 t / 0 send 1 u / done / 0 send 1 v / done / "
		"for i = 1 to 5 / 0 recv 1 t / for j = 1 to 3 / 0 recv 1 u / 0 recv 1 t / done / 0 recv 1 u / 0 recv 1 v / done",
		"for i0 = 0 to 4 / 0 send 1 t / 0 recv 1 t / for i1 = 0 to 2 / 0 send 1 u / 0 recv 1 u / 0 send 1 t / 0 recv 1 t / "
		"done / 0 send 1 u / 0 recv 1 u / 0 send 1 v / 0 recv 1 v / done"},
	{"a cut through an inner loop", 2,
		"0 send 1 t / 0 send 1 t / for i = 1 to 4 / for j = 1 to 3 / 0 send 1 t / done / 0 send 1 v / 0 send 1 t / 0 send "
		"1 t / done / "
		"for i = 1 to 3 / 0 send 1 t / done / 0 send 1 v / for i = 1 to 5 / for j = 1 to 5 / 0 recv 1 t / done / 0 recv 1 "
		"v / done",
		"// note growth: 19 constructs, the single processes have 15 together: 1 loops shifted, 0 split, 2 unrolled / 0 "
		"send 1 t / 0 recv 1 t / 0 send 1 t / 0 recv 1 t / for i0 = 0 to 3 / for i1 = 0 to 2 / 0 send 1 t / 0 recv 1 t / "
		"done / 0 send 1 v / 0 recv 1 v / 0 send 1 t / 0 recv 1 t / 0 send 1 t / 0 recv 1 t / done / for i0 = 0 to 2 / 0 "
		"send 1 t / 0 recv 1 t / done / 0 send 1 v / 0 recv 1 v"},
	{"one iteration more on one side, from the start", 2,
		"0 send 1 t / for i = 1 to 9 / 0 send 1 t / 0 local x / done / for i = 1 to 10 / 0 recv 1 t / 1 local y / done",
		"// note growth: 8 constructs, the single processes have 7 together: 1 loops shifted, 0 split, 0 unrolled / 0 send "
		"1 t / 0 recv 1 t / for i0 = 0 to 8 / 0 send 1 t / 1 local y / 0 local x / 0 recv 1 t / done / 1 local y"},
	{"one iteration more on one side, to the end", 2,
		"for i = 1 to 9 / 0 send 1 t / 0 local x / done / 0 send 1 t / for i = 1 to 10 / 0 recv 1 t / 1 local y / done",
		"// note growth: 8 constructs, the single processes have 7 together: 0 loops shifted, 1 split, 0 unrolled / for i0 "
		"= 0 to 8 / 0 send 1 t / 0 recv 1 t / 0 local x / 1 local y / done / 0 send 1 t / 0 recv 1 t / 1 local y"},
	{"a pipeline of three", 3,
		"for i = 1 to 5 / 0 send 1 t / done / for i = 1 to 5 / 0 recv 1 t / 1 send 2 t / done / for i = 1 to 5 / 1 recv 2 "
		"t / done",
		"for i0 = 0 to 4 / 0 send 1 t / 0 recv 1 t / 1 send 2 t / 1 recv 2 t / done"},
	{"a wavefront on four, inside time steps", 4,
		"for n = 1 to 5 / for i = 1 to 6 / 0 send 1 t / 0 send 2 t / done / 0 sync A 0-3 / done / "
		"for n = 1 to 5 / for i = 1 to 6 / 0 recv 1 t / 1 send 3 t / done / 1 sync A 0-3 / done / "
		"for n = 1 to 5 / for i = 1 to 6 / 0 recv 2 t / 2 send 3 t / done / 2 sync A 0-3 / done / "
		"for n = 1 to 5 / for i = 1 to 6 / 1 recv 3 t / 2 recv 3 t / done / 3 sync A 0-3 / done",
		"for i0 = 0 to 4 / for i1 = 0 to 5 / 0 send 1 t / 0 recv 1 t / 0 send 2 t / 0 recv 2 t / 1 send 3 t / 1 recv 3 t / "
		"2 send 3 t / 2 recv 3 t / done / 0-3 sync A 0-3 / done"},
	{"one sends first, the other receives first", 2,
		"for i = 1 to 10 / 0 send 1 t / 1 recv 0 u / done / 1 send 0 u / for i = 1 to 9 / 0 recv 1 t / 1 send 0 u / done / "
		"0 recv 1 t",
		"// note growth: 9 constructs, the single processes have 8 together: 1 loops shifted, 1 split, 0 unrolled / 0 send "
		"1 t / 1 send 0 u / 1 recv 0 u / 0 recv 1 t / for i0 = 0 to 8 / 0 send 1 t / 1 send 0 u / 1 recv 0 u / 0 recv 1 t "
		"/ done"},
	{"received one iteration later, but turning the sender back helps", 2,
		"0 send 1 t / for i = 1 to 9 / 0 sync A 0-1 / 0 send 1 t / 0 sync B 0-1 / done / for i = 1 to 9 / 1 sync A 0-1 / 0 "
		"recv 1 t / 1 sync B 0-1 / done / 0 recv 1 t",
		"0 send 1 t / 0-1 sync A 0-1 / 0 recv 1 t / for i0 = 0 to 7 / 0 send 1 t / 0-1 sync B 0-1 / 0-1 sync A 0-1 / 0 "
		"recv 1 t / done / 0 send 1 t / 0-1 sync B 0-1 / 0 recv 1 t"},
	{"received two iterations later, with a collective in each: apart", 2,
		"0 send 1 t / 0 send 1 t / for i = 1 to 9 / 0 sync A 0-1 / 0 send 1 t / done / for i = 1 to 9 / 1 sync A 0-1 / 0 "
		"recv 1 t / done / 0 recv 1 t / 0 recv 1 t",
		"// note apart: 2 loops receive in one iteration what another one sent: 1 4 / 0 send 1 t / for i0 = 0 to 8 / 1 "
		"sync A 0-1 / 0 recv 1 t / done / 0 send 1 t / 0 recv 1 t / for i0 = 0 to 8 / 0 sync A 0-1 / 0 send 1 t / done / 0 "
		"recv 1 t"},
	{"sent in one iteration, received after the next collective", 2,
		"for i = 1 to 9 / 0 send 1 t / 0 sync A 0-1 / done / for i = 1 to 9 / 1 sync A 0-1 / 0 recv 1 t / done",
		"for i0 = 0 to 8 / 0 send 1 t / 0-1 sync A 0-1 / 0 recv 1 t / done"},
	{"both send one iteration ahead: apart", 2,
		"0 send 1 t / for i = 1 to 9 / 0 send 1 t / 1 recv 0 t / done / 1 recv 0 t / "
		"1 send 0 t / for i = 1 to 9 / 1 send 0 t / 0 recv 1 t / done / 0 recv 1 t",
		"// note apart: 2 loops receive in one iteration what another one sent: 2 3 / 0 send 1 t / 1 send 0 t / for i0 = 0 "
		"to 8 / 0 send 1 t / 1 recv 0 t / done / for i0 = 0 to 8 / 1 send 0 t / 0 recv 1 t / done / 1 recv 0 t / 0 recv 1 "
		"t"},
	{"a master that serves its workers out of order does not grow", 3,
		"0 send 1 t / 0 send 2 t / 0 send 2 t / 0 send 1 t / 0 send 2 t / 0 send 1 t / 0 send 1 t / 0 send 1 t / 0 send 2 "
		"t / 0 send 2 t / "
		"for i = 1 to 5 / 0 recv 1 t / done / for i = 1 to 5 / 0 recv 2 t / done",
		"// note apart: 2 loops exchange messages with single events, or with loops left apart: 1 2 / 0 send 1 t / for i0 "
		"= 0 to 4 / 0 recv 1 t / "
		"done / for i0 = 0 to 4 / 0 recv 2 t / done / 0 send 2 t / 0 send 2 t / 0 send 1 t / 0 send 2 t / 0 send 1 t / 0 "
		"send 1 t / 0 send 1 t / 0 send 2 t / 0 send 2 t"},
	{"rates that do not agree", 2,
		"for i = 1 to 10 / 0 send 1 t / 0 send 1 t / 0 send 1 u / done / for i = 1 to 10 / 0 recv 1 t / 0 recv 1 u / done "
		"/ for i = 1 to 10 / 0 recv 1 t / done",
		"// note apart: 1 loop exchange messages with single events, or with loops left apart: 2 / // note apart: 2 loops "
		"exchange messages at rates "
		"that do not agree: 0 1 / for i0 = 0 to 9 / 0 send 1 t / 0 send 1 t / 0 send 1 u / done / for i0 = 0 to 9 / 0 recv "
		"1 t / 0 recv 1 u / done / for i0 = 0 to 9 / 0 recv 1 t / done"},
	{"a loop against single events", 2,
		"for i = 1 to 3 / 0 send 1 t / done / 0 recv 1 t / 1 local a / 0 recv 1 t / 1 local b / 0 recv 1 t",
		"// note apart: 1 loop exchange messages with single events, or with loops left apart: 0 / for i0 = 0 to 2 / 0 "
		"send 1 t / done / 0 recv 1 t "
		"/ 1 local a / 0 recv 1 t / 1 local b / 0 recv 1 t"},
	{"a collective in a loop here and three times there", 2,
		"for i = 1 to 3 / 0 sync A 0-1 / done / 1 sync A 0-1 / 1 local a / 1 sync A 0-1 / 1 local b / 1 sync A 0-1",
		"0-1 sync A 0-1 / 1 local a / 0-1 sync A 0-1 / 1 local b / 0-1 sync A 0-1"},
	{"processes that are missing are no constraint", 4,
		"for i = 1 to 5 / 0 send 1 t / 0 send 3 t / 3 recv 0 t / done / for i = 1 to 5 / 0 recv 1 t / 1 sync A 0-3 / done",
		"for i0 = 0 to 4 / 0 send 1 t / 0 recv 1 t / 0 send 3 t / 1 sync A 0-3 / 3 recv 0 t / done"},
	{"missing members of a collective", 4,
		"for i = 1 to 5 / 0 sync A 0-3 / done / for i = 1 to 5 / 1 sync A 0-3 / done",
		"for i0 = 0 to 4 / 0-1 sync A 0-3 / done"},
	{"the last messages were never received", 2,
		"for i = 1 to 7 / 0 send 1 t / done / for i = 1 to 5 / 0 recv 1 t / done",
		"// note apart: 1 loop exchange messages with single events, or with loops left apart: 1 / // note growth: 5 "
		"constructs, the single "
		"processes have 4 together: 0 loops shifted, 1 split, 0 unrolled / for i0 = 0 to 4 / 0 send 1 t / 0 recv 1 t / "
		"done / for i0 = 0 to 1 / 0 send 1 t / done"},
	{"everything is joined already", 2, "for i = 1 to 5 / 0 send 1 t / 0 recv 1 t / done",
		"for i0 = 0 to 4 / 0 send 1 t / 0 recv 1 t / done"},
	{"loops of no and of one iteration", 2,
		"for i = 1 to 0 / 0 send 1 t / done / for i = 1 to 1 / 0 send 1 t / done / 0 recv 1 t",
		"0 send 1 t / 0 recv 1 t"},
	{"a loop of just a loop", 2,
		"for i = 1 to 3 / for i = 1 to 4 / 0 send 1 t / done / done / for i = 1 to 12 / 0 recv 1 t / done",
		"for i0 = 0 to 11 / 0 send 1 t / 0 recv 1 t / done"},
	{"a joint loop inside a loop of one of its processes", 3,
		"for i = 1 to 5 / for j = 1 to 4 / 0 send 1 t / 0 recv 1 t / done / 0 send 2 t / done / for i = 1 to 5 / 0 recv 2 "
		"t / done",
		"for i0 = 0 to 4 / for i1 = 0 to 3 / 0 send 1 t / 0 recv 1 t / done / 0 send 2 t / 0 recv 2 t / done"},
};
static void test_paper(void)
{
	check_results(paper, COUNT(paper));
}

static void test_further(void)
{
	check_results(further, COUNT(further));
}

/* --------------------------------------------------------- the budget, and what the report says */

static const struct {
	const char *why;
	uint32_t processes;
	double growth;
	const char *local;
	struct merge_report report; /* what must be in it; constructs: not compared where 0 */
} reports[] = {
	{"coprime loops within the budget", 2, 2.0,
		"for i = 1 to 3 / 0 send 1 t / 0 send 1 t / 0 local y / done / for i = 1 to 2 / 0 recv 1 t / 0 recv 1 t / 0 recv 1 "
		"t / 1 local y / done",
		{.constructs_local = 9, .constructs_global = 17, .unrolled = 2}},
	{"no budget at all", 2, 1.0,
		"for i = 1 to 3 / 0 send 1 t / 0 send 1 t / 0 local y / done / for i = 1 to 2 / 0 recv 1 t / 0 recv 1 t / 0 recv 1 "
		"t / 1 local y / done",
		{.constructs_local = 9, .constructs_global = 9, .apart[APART_COPRIME] = 2}},
	{"large coprime loops", 2, 2.0,
		"for i = 1 to 1000003 / for j = 1 to 999983 / 0 send 1 t / done / 0 local x / done / "
		"for i = 1 to 999983 / for j = 1 to 1000003 / 0 recv 1 t / done / 1 local y / done",
		{.constructs_local = 8, .constructs_global = 8, .apart[APART_COPRIME] = 2}},
	{"short loops, one message of each of which meets a single event", 2, 1.0,
		"for i = 1 to 2 / 0 send 1 t / done / 0 send 1 t / 0 recv 1 t / for i = 1 to 2 / 0 recv 1 t / done",
		{.constructs_local = 6, .constructs_global = 6, .unrolled = 2}},
	{"as many iterations as there can be", 2, 1.0,
		"for i = 1 to 4611686018427387903 / 0 send 1 t / done / for i = 1 to 4611686018427387903 / 0 recv 1 t / done",
		{.constructs_local = 4, .constructs_global = 3, .joined = 1}},
	{"rates beyond 31 bits", 2, 2.0,
		"for i = 1 to 2 / for j = 1 to 4294967291 / 0 send 1 t / done / 0 local x / done / "
		"for i = 1 to 4294967291 / 0 recv 1 t / 0 recv 1 t / 1 local y / done",
		{.constructs_local = 8, .constructs_global = 8, .apart[APART_RATES] = 2}},
	{"large loops that fit", 2, 1.0,
		"for i = 1 to 1000000000000 / 0 send 1 t / 0 send 1 t / done / for i = 1 to 2000000000000 / 0 recv 1 t / done",
		{.constructs_local = 5, .constructs_global = 5, .joined = 1, .blocked = 1, .unrolled = 1}},
	{"a shift that keeps its count costs nothing", 2, 1.0,
		"for i = 1 to 10 / 0 send 1 t / 0 send 1 u / done / 0 send 1 t / 0 recv 1 t / for i = 1 to 10 / 0 recv 1 u / 0 "
		"recv 1 t / done",
		{.constructs_local = 8, .constructs_global = 7, .joined = 1, .shifted = 1}},
	{"a shift that does not", 2, 1.0,
		"for i = 1 to 10 / 0 send 1 t / 0 send 1 u / done / 0 recv 1 t / for i = 1 to 9 / 0 recv 1 u / 0 recv 1 t / done / "
		"0 recv 1 u",
		{.constructs_local = 8, .constructs_global = 8, .apart[APART_GROWTH] = 2}},
	{"a split, where another loop is just what is left over", 2, 2.0,
		"for i = 1 to 20 / 0 send 1 t / done / for i = 1 to 10 / 0 recv 1 t / done / 1 local x / for i = 1 to 10 / 0 recv "
		"1 t / done",
		{.constructs_local = 7, .constructs_global = 7, .joined = 2, .split = 1}},
	{"a split takes more constructs on the way", 2, 1.0,
		"for i = 1 to 20 / 0 send 1 t / done / for i = 1 to 10 / 0 recv 1 t / done / 1 local x / for i = 1 to 10 / 0 recv "
		"1 t / done",
		{.constructs_local = 7, .constructs_global = 7, .apart[APART_GROWTH] = 2, .apart[APART_EVENTS] = 1}},
};

static void check_report(const char *why, const struct merge_report *have, const struct merge_report *want)
{
	bool same = have->constructs_local == want->constructs_local &&
		    have->constructs_global == want->constructs_global && have->joined == want->joined &&
		    have->shifted == want->shifted && have->split == want->split && have->blocked == want->blocked &&
		    have->unrolled == want->unrolled && !memcmp(have->apart, want->apart, sizeof have->apart);
	if (!same) {
		fprintf(stderr,
			"\n%s: constructs %llu -> %llu, %llu joined, %llu shifted, %llu split, %llu blocked, %llu unrolled; apart:",
			why, (unsigned long long)have->constructs_local, (unsigned long long)have->constructs_global,
			(unsigned long long)have->joined, (unsigned long long)have->shifted,
			(unsigned long long)have->split, (unsigned long long)have->blocked,
			(unsigned long long)have->unrolled);
		for (int i = 0; i < APART_REASONS; i++)
			if (have->apart[i])
				fprintf(stderr, " %llu %s", (unsigned long long)have->apart[i],
					merge_reason_text((enum merge_reason)i));
		fprintf(stderr, "\n");
	}
	CU_ASSERT(same);
}

static void test_reports(void)
{
	for (size_t i = 0; i < COUNT(reports); i++) {
		struct model *local = model_from(reports[i].local, reports[i].processes);
		struct merge_report report;
		struct model *global =
			merge_reduce(local, &(struct merge_options){.jobs = 1, .growth = reports[i].growth}, &report);
		check_report(reports[i].why, &report, &reports[i].report);
		check_reduced(reports[i].why, local, global);
		model_free(global);
		model_free(local);
	}
}

#define DEPTH 60

static void add_nest(struct text *row, uint32_t process, const char *event, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		text_format(row, "%sfor i = 1 to 2 / %u local x%u", row->length ? " / " : "", process, i);
	text_format(row, " / %s", event);
	for (unsigned i = 0; i < depth; i++)
		text_put(row, " / done");
}

static void test_depth(void)
{
	struct text row = {0};
	add_nest(&row, 0, "0 send 1 t", DEPTH);
	add_nest(&row, 1, "0 recv 1 t", DEPTH);
	struct model *local = model_from(row.data, 2);
	struct merge_report report;
	struct model *global = merge_reduce(local, NULL, &report);
	CU_ASSERT_EQUAL(report.joined, DEPTH);
	check_reduced("a deep nest", local, global);
	model_free(local);
	model_free(global);
	text_clear(&row);
}

/* ---------------------------------------------------------------- complete or not, sound or not */

static const struct {
	const char *why;
	uint32_t processes;
	const char *model, *message; /* NULL: it is complete */
} completeness[] = {
	{"nothing", 2, "", NULL},
	{"a pair", 2, "for i = 1 to 10 / 0 send 1 t / done / for i = 1 to 10 / 0 recv 1 t / done", NULL},
	{"counts that multiply", 2,
		"for i = 1 to 10 / for j = 1 to 3 / 0 send 1 t / done / done / for i = 1 to 30 / 0 recv 1 t / done",
		NULL},
	{"a receive too few", 2, "for i = 1 to 10 / 0 send 1 t / done / for i = 1 to 9 / 0 recv 1 t / done",
		"1 channel with unmatched messages or syncs:\n  0 -> 1 t: 10 sends, 9 receives"},
	{"a receive without a send", 2, "3 send 3 t / 3 recv 3 t / 0 recv 1 tag7",
		"1 channel with unmatched messages or syncs:\n  0 -> 1 tag7: 0 sends, 1 receive"},
	{"communicators tell channels apart", 2, "0 send 1 t@2 / 0 recv 1 t@3",
		"2 channels with unmatched messages or syncs:\n  0 -> 1 t@2: 1 send, 0 receives\n  0 -> 1 t@3: 0 sends, 1 receive"},
	{"a collective of all", 3, "0-2 sync A 0-2", NULL},
	{"a member left out", 3, "0,2 sync A 0-2",
		"1 channel with unmatched messages or syncs:\n  A on 0-2: 1 time, but never by 1"},
	{"a member that left early", 3, "for i = 1 to 9 / 0-2 sync A 0-2 / done / 0,1 sync A 0-2",
		"1 channel with unmatched messages or syncs:\n  A on 0-2: 10 times, but by 2 only 9 times (the 10th is missing)"},
	{"members that left one after the other", 3, "for i = 1 to 20 / 0-1 sync A 0-2 / done / 0 sync A 0-2",
		"1 channel with unmatched messages or syncs:\n  A on 0-2: 21 times, but never by 2, by 1 only 20 times (the 21st is missing)"},
	{"more than ten channels", 2,
		"0 send 1 a / 0 send 1 b / 0 send 1 c / 0 send 1 d / 0 send 1 e / 0 send 1 f / 0 send 1 g / 0 send 1 h / 0 send 1 "
		"i / 0 send 1 j / 0 send 1 k / 0 send 1 l",
		"12 channels with unmatched messages or syncs:\n  0 -> 1 a: 1 send, 0 receives\n  0 -> 1 b: 1 send, 0 receives\n  "
		"0 -> 1 c: 1 send, 0 receives\n"
		"  0 -> 1 d: 1 send, 0 receives\n  0 -> 1 e: 1 send, 0 receives\n  0 -> 1 f: 1 send, 0 receives\n  0 -> 1 g: 1 "
		"send, 0 receives\n"
		"  0 -> 1 h: 1 send, 0 receives\n  0 -> 1 i: 1 send, 0 receives\n  0 -> 1 j: 1 send, 0 receives\n  and 2 more"},
};

static void test_completeness(void)
{
	for (size_t i = 0; i < COUNT(completeness); i++) {
		struct model *m = model_from(completeness[i].model, 4);
		struct error error = {0};
		const char *want = completeness[i].message ? completeness[i].message : "";
		ROW(completeness[i].why, model_complete(m, &error) == !completeness[i].message);
		ROW(completeness[i].why, error.kind == (completeness[i].message ? ERROR_INCONSISTENT : ERROR_NONE));
		row_same(completeness[i].why, error.message, want);
		model_free(m);
	}
}

static const struct {
	const char *why, *model, *message; /* NULL: it is sound */
} soundness[] = {
	{"a joint loop", "for i = 1 to 9 / 0 send 1 t / 0 recv 1 t / done", NULL},
	{"received before it is sent, within the iteration", "for i = 1 to 9 / 0 recv 1 t / 0 send 1 t / done", NULL},
	{"one half outside",
		"for i = 1 to 9 / 0 send 1 t / 1 send 0 t / done / for i = 1 to 9 / 0 recv 1 t / 1 recv 0 t / done",
		NULL},
	{"received one iteration later", "0 send 1 t / for i = 1 to 9 / 0 send 1 t / 0 recv 1 t / done / 0 recv 1 t",
		"loop 1: 0 -> 1 t: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"more sent than received",
		"for i = 1 to 9 / 0 send 1 t / 0 send 1 t / 0 recv 1 t / done / for i = 1 to 9 / 0 recv 1 t / done",
		"loop 0: 0 -> 1 t: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"in a loop of one iteration all is outside",
		"for i = 1 to 1 / 0 send 1 t / 0 send 1 t / 0 recv 1 t / done / 0 recv 1 t", NULL},
	{"deep down",
		"0 local x / for i = 1 to 5 / 1 local y / for j = 1 to 9 / 0 send 1 t / 0 recv 1 t / 0 sync A 0-1 / done / for j = "
		"1 to 8 / 1 sync A 0-1 / done / done",
		"loop 1: A on 0-1: one comes to it in iteration 0, another in 1: messages cross from one iteration into another"},
	{"crossing between inner iterations",
		"for i = 1 to 5 / 0 send 1 t / for j = 1 to 3 / 0 recv 1 t / 0 send 1 t / done / 0 recv 1 t / done",
		"loop 0.1: 0 -> 1 t: what iteration 0 sends is received in iteration 1: messages cross from one iteration into another"},
	{"syncs of one channel in the same iteration", "for i = 1 to 5 / 0 sync A 0-2 / 1-2 sync A 0-2 / done", NULL},
	{"syncs that are not", "2 sync A 0-2 / for i = 1 to 5 / 0-2 sync A 0-2 / done / 0-1 sync A 0-2",
		"loop 1: A on 0-2: one comes to it in iteration 1, another in 0: messages cross from one iteration into another"},
};

static void test_crossing(void)
{
	for (size_t i = 0; i < COUNT(soundness); i++) {
		struct model *m = model_from(soundness[i].model, 4);
		bool good = loops_hold(soundness[i].why, m, soundness[i].message ? soundness[i].message : "");
		struct dictionary *d = dictionary_new();
		struct stream *stream = oracle_streams(m, d);
		ROW(soundness[i].why, (oracle_check(m, d, stream, false) == NULL) == good);
		streams_free(stream, m->processes);
		dictionary_free(d);
		model_free(m);
	}
}

/* ---------------------------------------------- strands: measured and cut, against running them */

#define EVENTS 7 /* event e is on side e, but for the last, which is local */

static const uint32_t sides[EVENTS] = {0, 1, 2, 3, 4, 5, NO_SIDE};

static void add_random(struct strand *s, const struct loop_context *c, uint64_t *seed, unsigned depth)
{
	for (uint64_t n = 1 + spmd_draw(seed, 4); n; n--) {
		if (!depth || spmd_draw(seed, 3)) {
			strand_add(s, (struct item){.event = (uint32_t)spmd_draw(seed, EVENTS)});
			continue;
		}
		struct strand body = {0};
		add_random(&body, c, seed, depth - 1);
		strand_add_loop(s, c, spmd_draw(seed, 5), body.item, body.length);
		free(body.item);
	}
}

static void run_items(const struct item *item, size_t length, struct stream *out)
{
	for (size_t i = 0; i < length; i++) {
		for (uint64_t k = 0; item[i].loop && k < item[i].loop->count; k++)
			run_items(item[i].loop->body, item[i].loop->length, out);
		if (item[i].loop)
			continue;
		out->event = mem_grow(out->event, &out->capacity, out->length + 1, sizeof *out->event);
		out->event[out->length++] = item[i].event;
	}
}

static void check_cut(const struct loop_context *c, const struct strand_loop *l, const struct stream *body, uint64_t at)
{
	struct strand a = {0}, b = {0};
	struct stream both = {0};
	body_cut(c, l->body, l->length, at, &a, &b);
	run_items(a.item, a.length, &both);
	CU_ASSERT_EQUAL(both.length, at);
	run_items(b.item, b.length, &both);
	CU_ASSERT(both.length == body->length && !memcmp(both.event, body->event, both.length * sizeof *both.event));
	free(a.item);
	free(b.item);
	free(both.event);
}

static void check_prefix(
	const struct loop_context *c, const struct strand_loop *l, const struct stream *body, uint64_t at)
{
	uint64_t *sums = mem_zero(l->flows * sizeof *sums), count[EVENTS] = {0};
	loop_prefix(l, c, at, sums);
	for (uint64_t i = 0; i < at; i++)
		count[body->event[i]]++;
	for (uint32_t k = 0; k < l->flows; k++)
		CU_ASSERT_EQUAL(sums[k], count[l->flow[k].side]);
	free(sums);
}

static void check_positions(const struct loop_context *c, const struct strand_loop *l, const struct stream *body)
{
	uint64_t count[EVENTS] = {0}, flow[EVENTS] = {0};
	for (size_t i = 0; i < body->length * l->count; i++) {
		uint32_t side = sides[body->event[i % body->length]];
		if (side != NO_SIDE)
			CU_ASSERT_EQUAL(loop_position(l, c, side, ++count[side]), i + 1);
	}
	for (size_t i = 0; i < body->length; i++)
		flow[body->event[i]]++;
	for (uint32_t e = 0; e < EVENTS - 1; e++)
		CU_ASSERT_EQUAL(loop_flow(l, e), flow[e]);
}

static void test_strands(void)
{
	uint64_t seed = 1;
	for (unsigned n = 0; n < 300; n++) {
		struct loop_context c = {pool_new(), sides};
		struct strand body = {0};
		struct stream run = {0};
		while (run.length < 2) {
			add_random(&body, &c, &seed, 3);
			run.length = 0;
			run_items(body.item, body.length, &run);
		}
		const struct strand_loop *l = strand_loop_new(&c, 2 + spmd_draw(&seed, 3), body.item, body.length);
		CU_ASSERT_EQUAL(l->events, run.length);
		CU_ASSERT(items_equal(l->body, body.item, body.length));
		for (uint64_t at = 1; at < run.length; at += 1 + run.length / 50) {
			check_cut(&c, l, &run, at);
			check_prefix(&c, l, &run, at);
		}
		if (run.length < 2000)
			check_positions(&c, l, &run);
		free(body.item);
		free(run.event);
		pool_free(c.pool);
	}
}

void suite_merge(CU_pSuite suite)
{
	CU_add_test(suite, "the paper's examples", test_paper);
	CU_add_test(suite, "further examples", test_further);
	CU_add_test(suite, "budgets and reports", test_reports);
	CU_add_test(suite, "deep nests", test_depth);
	CU_add_test(suite, "what is missing is named", test_completeness);
	CU_add_test(suite, "what is unsound is found", test_crossing);
	CU_add_test(suite, "strands are measured and cut as if they were run", test_strands);
}
