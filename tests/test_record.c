/*
 * test_record.c -- from what processes leave behind to an archive: whole, cut off, or missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "record/preload/handles.h"
#include "record/record.h"
#include "tests/archive.h"
#include "tests/rows.h"
#include "tests/unit.h"
#include "trace/event_writer.h"
#include "trace/trace.h"

/* ------------------------------------------------------------------ what processes leave */

/* What became of a process. */
enum fate { ENDED, KILLED, GONE, NEVER };

/*
 * Events are words divided by blanks, records by commas: "send PEER COMMUNICATOR TAG BYTES", "recv"
 * so; "isend", "irecv" with a request; "post REQUEST", "sync OPERATION COMMUNICATOR ROOT", "isync"
 * so; "from PEER COMMUNICATOR TAG BYTES PATH" sends. GONE: only the side file is there; NEVER: nothing.
 */
struct left_behind {
	const char *side, *events;
	enum fate fate;
};

static void put_event(struct event_writer *w, uint64_t time, const char *line)
{
	char kind[16];
	unsigned n[5] = {0};
	sscanf(line, " %15s %u %u %u %u %u", kind, &n[0], &n[1], &n[2], &n[3], &n[4]);
	struct message_record m = {n[0], n[1], n[2], n[3], n[4]};
	struct collective_record c = {
		.operation = n[0], .communicator = n[1], .root = n[2] == 99 ? COLLECTIVE_NO_ROOT : n[2]};
	struct event_attributes site = {.have = 1 << ATTRIBUTE_SITE, .site = 0};
	struct event_attributes path = {.have = 1 << ATTRIBUTE_SITE | 1 << ATTRIBUTE_PATH, .path = n[4]};
	if (!strcmp(kind, "from"))
		event_writer_send(w, time, &m, &path);
	else if (!strcmp(kind, "send"))
		event_writer_send(w, time, &m, &site);
	else if (!strcmp(kind, "recv"))
		event_writer_recv(w, time, &m, NULL);
	else if (!strcmp(kind, "isend"))
		event_writer_isend(w, time, &m, &site);
	else if (!strcmp(kind, "irecv"))
		event_writer_irecv(w, time, &m, NULL);
	else if (!strcmp(kind, "post"))
		event_writer_irecv_request(w, time, n[0], NULL);
	else if (!strcmp(kind, "sync")) {
		event_writer_collective_begin(w, time, 0, NULL);
		event_writer_collective_end(w, time, &c, &site);
	} else if (!strcmp(kind, "isync"))
		event_writer_collective_complete(w, time, &c, &site);
	else
		CU_FAIL("an event that is none");
}

static void put_events(struct event_writer *w, const char *events)
{
	char *copy = mem_text(events), *rest = copy;
	uint64_t time = 1000;
	for (char *line; *events && (line = strsep(&rest, ","));)
		put_event(w, time += 10, line);
	free(copy);
}

static void put_side(const char *directory, unsigned rank, unsigned processes, const struct left_behind *p)
{
	struct text path = {0};
	text_format(&path, "%s/%u/side", directory, rank);
	FILE *side = fopen(path.data, "w");
	fprintf(side,
		"tracenest recording 1\nprocess %u %u\nhost boot-%u node%u\nchunk %d\nstart 1000 0\nstring 0 here\n%s",
		rank, processes, rank / 2, rank / 2, EVENT_CHUNK_LEAST, p->side);
	if (p->fate == ENDED)
		fputs("end 0 1 1 1 2000 4 10.0\n", side);
	fclose(side);
	text_clear(&path);
}

static void leave_behind(const char *directory, unsigned rank, unsigned processes, const struct left_behind *p)
{
	struct text own = {0}, memory = {0};
	struct error error = {0};
	if (p->fate == NEVER)
		return;
	text_format(&own, "%s/%u", directory, rank);
	text_format(&memory, "%s/memory", own.data);
	mkdir(own.data, 0777);
	put_side(directory, rank, processes, p);
	struct event_writer_options options = {own.data, rank, EVENT_CHUNK_LEAST, memory.data, false};
	struct event_writer *w = p->fate == GONE ? NULL : event_writer_open(&options, &error);
	if (w) {
		put_events(w, p->events);
		CU_ASSERT_PTR_NULL(event_writer_failure(w));
		bool good = true;
		if (p->fate == ENDED)
			good = event_writer_close(w);
		else
			event_writer_forget(w);
		CU_ASSERT(good);
	}
	text_clear(&own);
	text_clear(&memory);
}

/* ------------------------------------------------------------------ what becomes of it */

struct reading {
	struct trace *trace;
	struct text *out;
	bool sites;
};

static bool note_event(void *context, uint32_t rank, const struct trace_event *event, struct error *error)
{
	(void)error;
	struct reading *r = context;
	event_print(trace_dictionary(r->trace, rank), event->event, r->out);
	if (r->sites)
		text_format(r->out, ": %s", event->site ? event->site : "?");
	text_char(r->out, '\n');
	return true;
}

static void read_archive(const char *directory, bool sites, struct text *out)
{
	struct text anchor = {0};
	struct error error = {0};
	struct reading r = {.out = out, .sites = sites};
	struct trace_sink sink = {.context = &r, .event = note_event};
	text_put(out, "");
	text_format(&anchor, "%s/traces.otf2", directory);
	r.trace = trace_open(anchor.data, &(struct trace_options){.sites = sites}, &error);
	if (!r.trace || !trace_read(r.trace, 1, NULL, &sink, &error))
		text_put(out, error.message);
	if (r.trace)
		trace_close(r.trace);
	text_clear(&anchor);
}

#define PAIR "communicator 2 00000000000000aa "

static const struct {
	const char *why;
	struct left_behind process[3];
	const char *events, *notes;
} rows[] = {
	{"a message", {{"", "send 1 0 7 8", ENDED}, {"", "recv 0 0 7 8", ENDED}}, "0 send 1 tag7\n0 recv 1 tag7\n", ""},
	{"nothing but Init and Finalize", {{"", "", ENDED}, {"", "", ENDED}}, "", ""},
	{"a request", {{"", "isend 1 0 7 8 1", ENDED}, {"", "post 1,irecv 0 0 7 8 1", ENDED}},
		"0 send 1 tag7\n0 recv 1 tag7\n", ""},
	{"a process that was killed: what it had in memory is there",
		{{"", "send 1 0 7 8,send 1 0 8 8", KILLED}, {"", "recv 0 0 7 8", ENDED}},
		"0 send 1 tag7\n0 send 1 tag8\n0 recv 1 tag7\n",
		"rank 0 ended before MPI_Finalize: what was recorded until then is there\n"},
	{"killed before anything happened", {{"", "", KILLED}, {"", "", KILLED}}, "",
		"ranks 0-1 ended before MPI_Finalize: what was recorded until then is there\n"},
	{"a process that wrote no events", {{"", "", GONE}, {"", "", ENDED}}, "", "rank 0: its events are not there\n"},
	{"one that left nothing", {{"", "", NEVER}, {"", "send 0 0 1 4", ENDED}}, "1 send 0 tag1\n",
		"rank 0 ended before MPI_Finalize: what was recorded until then is there\n"},
	{"a disk that was full is told in its words", {{"partial the disk was full\n", "", KILLED}, {"", "", ENDED}},
		"", "rank 0: the disk was full\n"},
	{"a communicator has one id, whatever the processes call it; its order is its own; those that records name "
	 "come first",
		{{PAIR "1 -\nused 2\n", "send 0 2 7 8", ENDED},
			{"communicator 2 00000000000000bb 0 1\ncommunicator 3 00000000000000aa 0 1,0\nused 3\n",
				"recv 1 3 7 8", ENDED}},
		"0 send 1 tag7@2\n0 recv 1 tag7@2\n", ""},
	{"members in runs",
		{{"", "", ENDED}, {PAIR "0 1-2\n", "send 1 2 7 8", ENDED}, {PAIR "1 -\n", "recv 0 2 7 8", ENDED}},
		"1 send 2 tag7@2\n1 recv 2 tag7@2\n", ""},
	{"collectives", {{"", "sync 0 0 99,sync 1 0 1", ENDED}, {"", "sync 0 0 99,sync 1 0 1", ENDED}},
		"0 sync MPI_Barrier 0-1\n0 sync MPI_Bcast 0-1 root=1\n1 sync MPI_Barrier 0-1\n1 sync MPI_Bcast 0-1 root=1\n",
		""},
	{"posted ones have names of their own", {{"", "isync 0 0 99", ENDED}, {"", "isync 0 0 99", ENDED}},
		"0 sync MPI_Ibarrier 0-1\n1 sync MPI_Ibarrier 0-1\n", ""},
	{"by oneself", {{"", "send 0 1 7 8,recv 0 1 7 8", ENDED}, {"", "sync 0 1 99", ENDED}},
		"0 send 0 tag7@1\n0 recv 0 tag7@1\n1 sync MPI_Barrier 1@1\n", ""},
	{"clocks that differ: times, not events",
		{{"", "send 1 0 7 8", ENDED}, {"", "", ENDED},
			{"clock 1000 -500 3\nclock 2000 -600 5\n", "sync 0 1 99", ENDED}},
		"0 send 1 tag7\n2 sync MPI_Barrier 2@1\n", ""},
};

static void make(const char *directory, const struct left_behind *process, unsigned processes)
{
	for (unsigned rank = 0; rank < processes; rank++)
		leave_behind(directory, rank, processes, &process[rank]);
}

static void test_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *directory = scratch_new();
		struct record_facts facts;
		struct error error = {0};
		struct text events = {0};
		make(directory, rows[i].process, rows[i].process[2].side ? 3 : 2);
		bool good = record_finish(directory, directory, NULL, &facts, &error);
		if (!good)
			fprintf(stderr, "\n%s: %s\n", rows[i].why, error.message);
		CU_ASSERT(good);
		if (good) {
			read_archive(directory, false, &events);
			if (strcmp(events.data, rows[i].events))
				fprintf(stderr, "\n%s:\n%s", rows[i].why, events.data);
			CU_ASSERT_STRING_EQUAL(events.data, rows[i].events);
			CU_ASSERT_STRING_EQUAL(facts.notes.data ? facts.notes.data : "", rows[i].notes);
			CU_ASSERT_EQUAL(facts.partial, *rows[i].notes != 0);
		}
		text_clear(&facts.notes);
		text_clear(&events);
		scratch_remove(directory);
	}
}

static const struct {
	const char *why, *left, *right; /* side files: site 1 and 2 stand before them; path 2 is sent from */
	const char *words;
} paths[] = {
	{"functions begin where the processes said, each with numbers of its own",
		"path 0 - 1 30\npath 1 0 2 -\npath 2 1 1 30\n", "path 0 - 2 -\npath 1 - 1 30\npath 2 1 2 -\n",
		"0 send 1 tag7: a.so+0x40 a.so+0x30 < ?+0x7fff0020 < a.so+0x40 a.so+0x30\n"
		"1 send 0 tag7: ?+0x7fff0020 < a.so+0x40 a.so+0x30\n"},
	{"frames that are left out", "path 0 - 1 -\npath 1 0 - -\npath 2 1 2 -\n",
		"path 0 - 2 -\npath 1 0 - -\npath 2 1 1 -\n",
		"0 send 1 tag7: ?+0x7fff0020 < ... < a.so+0x40\n1 send 0 tag7: a.so+0x40 < ... < ?+0x7fff0020\n"},
	{"lines that cannot be: nothing is known of what follows them", "path 0 - 1 -\npath 1 1 1 -\npath 2 0 1 -\n",
		"path 0 - 1 -\npath 1 0 77 -\npath 2 1\n", "0 send 1 tag7: ?\n1 send 0 tag7: ?\n"},
};

static void test_paths(void)
{
	for (size_t i = 0; i < COUNT(paths); i++) {
		char *directory = scratch_new();
		struct record_facts facts;
		struct error error = {0};
		struct text events = {0};
		for (unsigned rank = 0; rank < 2; rank++) {
			struct text side = {0};
			text_format(&side, "site 1 40 /gone/a.so\nsite 2 7fff0020 ?\n%s",
				rank ? paths[i].right : paths[i].left);
			leave_behind(directory, rank, 2,
				&(struct left_behind){side.data, rank ? "from 0 0 7 8 2" : "from 1 0 7 8 2", ENDED});
			text_clear(&side);
		}
		CU_ASSERT(record_finish(directory, directory, NULL, &facts, &error));
		read_archive(directory, true, &events);
		row_same(paths[i].why, events.data, paths[i].words);
		text_clear(&facts.notes);
		text_clear(&events);
		scratch_remove(directory);
	}
}

static void test_nothing(void)
{
	char *directory = scratch_new();
	struct record_facts facts;
	struct error error = {0};
	CU_ASSERT(!record_finish(directory, directory, NULL, &facts, &error));
	CU_ASSERT_EQUAL(error.kind, ERROR_INPUT);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "nothing was recorded"));
	text_clear(&facts.notes);
	scratch_remove(directory);
}

/* More than fits into memory, many times: all of it is in the file, in order. */
static void test_much(void)
{
	char *directory = scratch_new();
	struct error error = {0};
	struct event_writer_options options = {directory, 0, EVENT_CHUNK_LEAST, NULL, false};
	struct event_writer *w = event_writer_open(&options, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	struct event_attributes all = {.have = (1 << ATTRIBUTES) - 1, .count = 7, .request = 9};
	for (uint64_t i = 0; i < 100000; i++)
		event_writer_isend(w, i, &(struct message_record){1, 0, 7, 8, i}, &all);
	CU_ASSERT_EQUAL(event_writer_records(w), 100000);
	CU_ASSERT(event_writer_close(w));
	struct text path = {0};
	struct event_file_facts facts;
	text_format(&path, "%s/traces/0.evt", directory);
	CU_ASSERT(event_file_complete(path.data, NULL, EVENT_CHUNK_LEAST, &facts, &error));
	CU_ASSERT_EQUAL(facts.records, 100000);
	CU_ASSERT_EQUAL(facts.last, 99999);
	text_clear(&path);
	scratch_remove(directory);
}

/* ------------------------------------------------------------------ handles */

static void test_handles(void)
{
	struct handles table = {0};
	struct handle *entry = mem_array(3000, sizeof *entry);
	CU_ASSERT_PTR_NULL(handles_find(&table, 7));
	for (size_t i = 0; i < 3000; i++)
		handles_add(&table, &entry[i], i % 1000);
	for (size_t i = 0; i < 1000; i++) {
		struct handle *h = handles_find(&table, i);
		CU_ASSERT_PTR_EQUAL(h, &entry[i]); /* the oldest first */
		CU_ASSERT_PTR_EQUAL(handles_next(h), &entry[1000 + i]);
		handles_remove(&table, handles_next(h));
		CU_ASSERT_PTR_EQUAL(handles_next(h), &entry[2000 + i]);
		handles_remove(&table, h);
		CU_ASSERT_PTR_EQUAL(handles_find(&table, i), &entry[2000 + i]);
		handles_put_back(&table, h);
		CU_ASSERT_PTR_EQUAL(handles_find(&table, i), h);
		struct handle *last = handles_youngest(&table, i);
		CU_ASSERT(!last || last == &entry[2000 + i]);
		handles_remove(&table, &entry[2000 + i]);
		last = handles_youngest(&table, i);
		CU_ASSERT(!last || last == h);
		handles_remove(&table, h);
		CU_ASSERT_PTR_NULL(handles_find(&table, i));
	}
	CU_ASSERT_EQUAL(table.count, 0);
	free(table.chain);
	free(entry);
}

void suite_record(CU_pSuite suite)
{
	CU_add_test(suite, "what processes leave becomes an archive", test_rows);
	CU_add_test(suite, "paths of calls, united", test_paths);
	CU_add_test(suite, "nothing was recorded", test_nothing);
	CU_add_test(suite, "more events than memory", test_much);
	CU_add_test(suite, "handles that are there several times", test_handles);
}
