/*
 * missing_records.c -- what an archive does not hold, though it shows that it happened: calls that
 * were entered, and left no record.
 *
 * A call may leave nothing in one place (a message to MPI_PROC_NULL, a Test that finds nothing), so
 * one that sometimes does is above suspicion; what counts is a call that never does, in the whole
 * archive. Collectives are suspected only where the recorder tells of any.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "trace/otf2.h"

struct call_counts *call_counts_new(void)
{
	return mem_zero(sizeof(struct call_counts));
}

void call_counts_reset(struct call_counts *l)
{
	for (unsigned call = 0; call < TRACE_CALLS; call++)
		ranks_clear(&l->call[call].ranks);
	ranks_clear(&l->uncompleted_ranks);
	*l = (struct call_counts){0};
}

void call_counts_free(struct call_counts *l)
{
	if (l)
		call_counts_reset(l);
	free(l);
}

void call_counts_add(struct call_counts *l, uint32_t rank, const struct stream_facts *facts)
{
	for (unsigned call = 0; call < TRACE_NO_CALL; call++) {
		l->told[call] |= facts->told[call];
		l->call[call].calls += facts->entered[call];
		if (facts->entered[call])
			ranks_add(&l->call[call].ranks, rank);
	}
	l->collectives |= facts->collectives_recorded;
	if (facts->posted > facts->completed) {
		l->uncompleted += facts->posted - facts->completed;
		ranks_add(&l->uncompleted_ranks, rank);
	}
	l->streams++;
	l->sends += facts->sends;
	l->receives += facts->receives;
}

void call_counts_pack(const struct call_counts *l, struct text *to)
{
	for (unsigned call = 0; call < TRACE_NO_CALL; call++) {
		pack_number(to, l->told[call]);
		pack_number(to, l->call[call].calls);
		pack_ranks(to, &l->call[call].ranks);
	}
	pack_number(to, l->collectives);
	pack_number(to, l->uncompleted);
	pack_ranks(to, &l->uncompleted_ranks);
	pack_number(to, l->streams);
	pack_number(to, l->sends);
	pack_number(to, l->receives);
}

void call_counts_unpack(struct call_counts *l, struct unpack *from)
{
	for (unsigned call = 0; call < TRACE_NO_CALL; call++) {
		l->told[call] |= unpack_below(from, 2);
		l->call[call].calls += unpack_number(from);
		unpack_ranks(from, &l->call[call].ranks);
	}
	l->collectives |= unpack_below(from, 2);
	l->uncompleted += unpack_number(from);
	unpack_ranks(from, &l->uncompleted_ranks);
	l->streams += unpack_number(from);
	l->sends += unpack_number(from);
	l->receives += unpack_number(from);
}

static void tell(const struct call_counts *l, unsigned call, struct trace_call **list, size_t *length, size_t *capacity)
{
	*list = mem_grow(*list, capacity, *length + 1, sizeof **list);
	struct trace_call *to = &(*list)[(*length)++];
	*to = (struct trace_call){.name = call_name(call), .calls = l->call[call].calls};
	ranks_copy(&to->ranks, &l->call[call].ranks);
}

void call_counts_tell(const struct call_counts *l, uint32_t processes, struct missing_records *to)
{
	to->unequal = l->streams == processes && l->sends != l->receives;
	for (unsigned call = 0; call < TRACE_NO_CALL; call++) {
		if (!l->call[call].calls || l->told[call] || call_only_posts(call) || call_moves(call))
			continue;
		if (call_completes(call) && l->uncompleted)
			tell(l, call, &to->completing, &to->completings, &to->completing_capacity);
		else if (call_starts(call))
			tell(l, call, &to->beginning, &to->beginnings, &to->beginning_capacity);
		else if (!call_completes(call) && (l->collectives || !call_is_collective(call)))
			tell(l, call, &to->call, &to->calls, &to->capacity);
	}
	if (to->completings) {
		to->uncompleted = l->uncompleted;
		ranks_copy(&to->uncompleted_ranks, &l->uncompleted_ranks);
	}
}

void call_counts_omit(const struct call_counts *l, struct notes *to)
{
	for (unsigned call = 0; call < TRACE_NO_CALL; call++)
		if (call_moves(call) && l->call[call].calls && !l->told[call])
			notes_omit(to, call_name(call), l->call[call].calls);
}

static void put_calls(const struct trace_call *call, size_t calls, struct text *out)
{
	for (size_t i = 0; i < calls; i++)
		text_format(out, "%s%s", !i ? "" : i + 1 < calls ? ", " : " and ", call[i].name);
}

static void put_ranks(const struct ranks *ranks, struct text *out)
{
	text_put(out, ranks_count(ranks) == 1 ? " on rank " : " on ranks ");
	ranks_print_short(ranks, out);
}

/* Who made them how often, "MPI_Scan was called 80 times on ranks 0-3; ..." */
static void put_called(const struct trace_call *call, size_t calls, struct text *out)
{
	for (size_t i = 0; i < calls; i++) {
		text_format(out, "%s%s was called ", i ? "; " : "", call[i].name);
		text_format(out, call[i].calls == 1 ? "once" : "%" PRIu64 " times", call[i].calls);
		put_ranks(&call[i].ranks, out);
	}
}

#define KNOWS_THEM ": record the program with 'tracenest record', which knows them"

/* Calls without any record. */
static void put_lost(const struct missing_records *l, struct text *out)
{
	if (!l->calls)
		return;
	put_called(l->call, l->calls, out);
	text_format(
		out, ", and the archive holds no message and no collective of %s", l->calls > 1 ? "these calls" : "it");
}

static void put_cause(const struct missing_records *l, bool unmatched, struct text *out)
{
	if (l->uncompleted) {
		text_put(out, out->length ? "; " : "");
		text_format(out, "%" PRIu64 " posted receive%s", l->uncompleted, l->uncompleted == 1 ? "" : "s");
		put_ranks(&l->uncompleted_ranks, out);
		text_format(out,
			" never complete%s in the archive: its tracer does not record receives that complete in ",
			l->uncompleted == 1 ? "s" : "");
		put_calls(l->completing, l->completings, out);
	}
	if (unmatched && l->beginnings) {
		text_put(out, out->length ? "; " : "");
		put_called(l->beginning, l->beginnings, out);
		text_put(out,
			", and the archive holds no message of it: its tracer does not record persistent requests");
	}
}

static bool refuse(struct text *lost, struct error *error)
{
	if (!lost->length)
		return true;
	error_set(error, ERROR_INCONSISTENT, "%s" KNOWS_THEM "%s", lost->data,
		trace_may_be_lenient() ? ", or take --lenient for what there is" : "");
	text_clear(lost);
	return false;
}

bool missing_records_none(const struct missing_records *l, struct error *error)
{
	struct text lost = {0};
	put_lost(l, &lost);
	return refuse(&lost, error);
}

static void put_all(const struct missing_records *l, struct text *out)
{
	put_lost(l, out);
	if (l->unequal)
		put_cause(l, true, out);
}

bool missing_records_whole(const struct missing_records *l, struct error *error)
{
	struct text lost = {0};
	put_all(l, &lost);
	return refuse(&lost, error);
}

void missing_records_tell(const struct missing_records *l, struct text *out)
{
	put_all(l, out);
	if (out->length)
		text_put(out, KNOWS_THEM);
}

void missing_records_cause(const struct missing_records *l, bool unmatched, struct text *out)
{
	put_cause(l, unmatched, out);
	if (out->length)
		text_put(out, " ('tracenest record' does)");
}

void missing_records_clear(struct missing_records *t)
{
	for (size_t i = 0; i < t->calls; i++)
		ranks_clear(&t->call[i].ranks);
	for (size_t i = 0; i < t->completings; i++)
		ranks_clear(&t->completing[i].ranks);
	free(t->call);
	for (size_t i = 0; i < t->beginnings; i++)
		ranks_clear(&t->beginning[i].ranks);
	free(t->completing);
	free(t->beginning);
	ranks_clear(&t->uncompleted_ranks);
	*t = (struct missing_records){0};
}
