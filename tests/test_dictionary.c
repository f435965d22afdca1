/*
 * test_dictionary.c -- interning, and events as text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/dictionary.h"
#include "model/module.h"
#include "tests/rows.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ reading and printing */

static const struct {
	const char *why, *line, *printed; /* NULL: as it was read */
} lines[] = {
	{"a send", "0 send 1 tag3000", NULL},
	{"a receive, the source first", "1 recv 0 tag3000", NULL},
	{"to oneself", "3 send 3 tag0", NULL},
	{"the highest rank", "4194303 send 0 tag1", NULL},
	{"white space around and between words", " \t0  send\t1   tag3000\t ", "0 send 1 tag3000"},
	{"a tag on a communicator", "0 send 1 tag3000@2", NULL},
	{"a tag that is a number", "0 send 1 3000", NULL},
	{"a tag that is a word", "0 send 1 halo", NULL},
	{"a tag that is a word, on a communicator", "0 send 1 halo@0", NULL},
	{"a tag with leading zeros is a word", "0 send 1 tag007", NULL},
	{"and so is one of zeros", "0 send 1 00", NULL},
	{"zero is a number", "0 send 1 tag0", NULL},
	{"the largest number", "0 send 1 tag9223372036854775807", NULL},
	{"a larger number is a word", "0 send 1 tag9223372036854775808", NULL},
	{"digits inside a word", "0 send 1 a1b2", NULL},
	{"the largest communicator", "0 send 1 tag1@9223372036854775807", NULL},
	{"a sync", "0 sync MPI_Allreduce 0-15", NULL},
	{"a sync with a root", "4 sync MPI_Bcast 0,4,8-11 root=4", NULL},
	{"a sync on a communicator", "4 sync MPI_Bcast 0,4,8-11@2 root=0", NULL},
	{"a root outside the group is the program's business", "1 sync MPI_Bcast 1-2 root=0", NULL},
	{"several processes at once", "0-15 sync MPI_Allreduce 0-15", NULL},
	{"some of the group", "0,2-3 sync MPI_Allreduce 0-3@7", NULL},
	{"runs that touch are one", "0-1,2 sync MPI_Barrier 0,1,2,3", "0-2 sync MPI_Barrier 0-3"},
	{"a local event", "0 local call MPI_Wait", NULL},
	{"its words are one space apart", "0 local  return \t MPI_Wait", "0 local return MPI_Wait"},
	{"a local event that looks like another", "0 local send 1 tag1", NULL},
	{"single slashes and other signs", "0 local call std::f<int>(a/b) [x.c:3] 100%", NULL},
	{"UTF-8",
		"0 local call gr\xc3\xb6\xc3\x9f"
		"e",
		NULL},
};

static void test_round_trip(void)
{
	struct dictionary *d = dictionary_new();
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct error error = {0};
		struct text out = {0};
		uint32_t event, again;
		if (!event_parse(d, lines[i].line, true, &event, &error)) {
			row_same(lines[i].why, error.message, "");
			continue;
		}
		event_print(d, event, &out);
		row_same(lines[i].why, out.data, lines[i].printed ? lines[i].printed : lines[i].line);
		ROW(lines[i].why, event_parse(d, out.data, true, &again, &error));
		ROW(lines[i].why, event == again);
		text_clear(&out);
	}
	dictionary_free(d);
}

static const struct {
	const char *why, *line, *message;
	bool several;
} bad_lines[] = {
	{"nothing", "", "is not an event", true},
	{"a word", "hello", "'hello' is not an event: a rank and send, recv, sync, local, put", true},
	{"a put without a window", "0 put 1",
		"a word is missing: one-sided communication is 'ORIGIN put TARGET WINDOW'", true},
	{"a get from what is no rank", "0 get x win2", "the target must be a rank", true},
	{"an epoch of all with a target", "0 lock_all 1 win2", "one-sided communication is 'ORIGIN lock_all WINDOW'",
		true},
	{"an update with too much", "0 accumulate 1 win2 3", "", true},
	{"another verb", "0 sned 1 tag1", "'sned' is not an event: send, recv, sync, local, put", true},
	{"no tag", "0 send 1", "a word is missing: a send is 'SOURCE send DESTINATION TAG'", true},
	{"no destination", "0 recv", "a word is missing: a receive is", true},
	{"a word too many", "0 send 1 tag1 tag2", "'tag2' is one word too many", true},
	{"a negative rank", "-1 send 1 tag1", "the source must be a rank, a number from 0 to 4194303, not '-1'", true},
	{"a huge rank", "0 send 4194304 tag1",
		"the destination must be a rank, a number from 0 to 4194303, not '4194304'", true},
	{"a rank beyond 64 bits", "99999999999999999999 send 0 tag1", "the source must be a rank", true},
	{"a rank with leading zeros", "007 send 0 tag1", "the source must be a rank", true},
	{"a rank with a tail", "0x send 0 tag1", "not '0x'", true},
	{"a set of ranks sends", "0-3 send 4 tag1", "the source must be a rank", true},
	{"a communicator that is no number", "0 send 1 tag@x", "a communicator is a number behind '@'", true},
	{"a communicator that is missing", "0 send 1 tag@", "a communicator is a number behind '@'", true},
	{"two communicators", "0 send 1 tag@1@2", "a communicator is a number behind '@'", true},
	{"a communicator beyond 63 bits", "0 send 1 tag@9223372036854775808", "a communicator is a number", true},
	{"a communicator without a tag", "0 send 1 @2", "'@2' is a communicator without a tag before it", true},
	{"a sync without group", "0 sync MPI_Barrier", "a word is missing: a sync is", true},
	{"a group backwards", "0 sync MPI_Barrier 3-0", "the range 3-0 runs backwards", true},
	{"a rank twice", "0 sync MPI_Barrier 0,0", "stands twice or out of order", true},
	{"a group with a tail", "0 sync MPI_Barrier 0-3x", "the group must be ranks, as in 0,4,8-11, not '0-3x'", true},
	{"an empty group", "0 sync MPI_Barrier ,", "a rank is missing", true},
	{"a sync of a process that is no member", "4 sync MPI_Barrier 0-3", "not in its group, 0-3", true},
	{"processes of which one is no member", "0-4 sync MPI_Barrier 0-3", "not in its group, 0-3", true},
	{"several processes in a trace", "0-3 sync MPI_Barrier 0-3", "one process's, not several", false},
	{"a root that is no rank", "0 sync MPI_Bcast 0-3 root=all", "the root must be a rank", true},
	{"a root that is missing", "0 sync MPI_Bcast 0-3 root=", "the root must be a rank", true},
	{"a word behind the root", "0 sync MPI_Bcast 0-3 root=0 x", "'x' is one word too many", true},
	{"a word that is no root", "0 sync MPI_Bcast 0-3 0", "'0' is one word too many", true},
	{"a local event without words", "0 local", "a word is missing: a local event is", true},
	{"a local event of several", "0-3 local call f", "the process must be a rank", true},
	{"an affine value", "0 send {1+i0} tag1", "braces are for numbers of models that advance", true},
	{"a folded statement", "[0-3] p send p+1 tag1", "stand in models only", true},
	{"attributes", "0 send 1 tag1 ; time=3", "starts the attributes", true},
	{"a comment", "0 send 1 tag1 # x", "starts a comment in traces", true},
	{"a model's comment", "0 local call http://x", "'//' starts a comment in models; in a name write /%2F", true},
	{"a control character", "0 local call \x1b[0m", "control character 0x1b", true},
	{"another", "0 send 1 tag1\r", "control character 0x0d", true},
};

static void test_bad_lines(void)
{
	struct dictionary *d = dictionary_new();
	for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; i++) {
		struct error error = {0};
		uint32_t event = 0;
		if (event_parse(d, bad_lines[i].line, bad_lines[i].several, &event, &error))
			row_same(bad_lines[i].why, "was read", bad_lines[i].message);
		else
			row_contains(bad_lines[i].why, error.message, bad_lines[i].message);
		ROW(bad_lines[i].why, error.kind == ERROR_INPUT);
	}
	CU_ASSERT_EQUAL(dictionary_events(d), 0);
	dictionary_free(d);
}

static uint32_t parsed(struct dictionary *d, const char *line)
{
	struct error error = {0};
	uint32_t event = UINT32_MAX;
	if (!event_parse(d, line, true, &event, &error))
		CU_FAIL_FATAL("an event of the test does not parse");
	return event;
}

static void test_parts_of_events(void)
{
	struct dictionary *d = dictionary_new();
	const struct event *send = dictionary_get_event(d, parsed(d, "3 send 5 tag42@7"));
	CU_ASSERT_EQUAL(send->kind, EVENT_SEND);
	CU_ASSERT_EQUAL(send->process, 3);
	CU_ASSERT_EQUAL(send->peer, 5);
	const struct tag *tag = dictionary_get_tag(d, send->subject);
	CU_ASSERT_STRING_EQUAL(dictionary_get_word(d, tag->stem), "tag");
	CU_ASSERT(tag->numbered && tag->number == 42 && tag->communicator == 7);

	const struct event *recv = dictionary_get_event(d, parsed(d, "3 recv 5 tag42@7"));
	CU_ASSERT_EQUAL(recv->process, 5);
	CU_ASSERT_EQUAL(recv->peer, 3);
	CU_ASSERT_EQUAL(recv->subject, send->subject);

	const struct event *sync = dictionary_get_event(d, parsed(d, "2 sync MPI_Bcast 0-3 root=1"));
	const struct event *other = dictionary_get_event(d, parsed(d, "3 sync MPI_Bcast 0-3 root=1"));
	CU_ASSERT_EQUAL(sync->subject, other->subject);
	CU_ASSERT_NOT_EQUAL(sync->process, other->process);
	CU_ASSERT_EQUAL(dictionary_get_sync(d, sync->subject)->communicator, NO_COMMUNICATOR);
	dictionary_free(d);
}

static void test_own_event_of_a_sync(void)
{
	struct dictionary *d = dictionary_new();
	uint32_t joint = parsed(d, "0-3 sync MPI_Bcast 0-3@5 root=1"), send = parsed(d, "0 send 1 tag1");
	struct ranks_run single;
	struct ranks processes = event_processes(d, joint, &single);
	CU_ASSERT(processes.length == 1 && processes.run->first == 0 && processes.run->last == 3);
	processes = event_processes(d, parsed(d, "7 recv 8 tag1"), &single);
	CU_ASSERT(processes.length == 1 && processes.run->first == 8 && processes.run->last == 8);

	CU_ASSERT_EQUAL(event_as(d, joint, 2), parsed(d, "2 sync MPI_Bcast 0-3@5 root=1"));
	CU_ASSERT_EQUAL(event_as(d, send, 0), send);
	struct text out = {0};
	event_print_as(d, joint, 2, &out);
	text_char(&out, '|');
	event_print_as(d, send, 0, &out);
	row_same("an event as a process's own", out.data, "2 sync MPI_Bcast 0-3@5 root=1|0 send 1 tag1");
	text_clear(&out);
	dictionary_free(d);
}

/* ------------------------------------------------------------------ import */

static void check_imported(bool drop, const char *const *want, size_t count)
{
	struct dictionary *from = dictionary_new(), *to = dictionary_new();
	parsed(from, "0 send 1 tag1@2");
	parsed(from, "0 send 1 tag1@3");
	parsed(from, "0-3 sync MPI_Bcast 0-3@9 root=2");
	parsed(from, "1 local call f");
	parsed(from, "0 send 1 tag1");
	parsed(to, "1 local call g");
	parsed(to, "1 local call f");
	uint32_t *map = dictionary_import(to, from, NULL, drop);
	for (uint32_t i = 0; i < count; i++) {
		struct text out = {0};
		event_print(to, map[i], &out);
		row_same("imported", out.data, want[i]);
		text_clear(&out);
	}
	CU_ASSERT_EQUAL(map[3], 1);
	CU_ASSERT_EQUAL(map[0] == map[1], drop);
	CU_ASSERT_EQUAL(map[0] == map[4], drop);
	free(map);
	struct dictionary *few = dictionary_new();
	map = dictionary_import(few, from, (const bool[]){false, true, false, false, false}, drop);
	CU_ASSERT_EQUAL(map[0], INTERN_NONE);
	CU_ASSERT_EQUAL(map[1], 0);
	CU_ASSERT_EQUAL(dictionary_events(few), 1);
	free(map);
	dictionary_free(few);
	dictionary_free(from);
	dictionary_free(to);
}

static void test_import(void)
{
	const char *kept[] = {"0 send 1 tag1@2", "0 send 1 tag1@3", "0-3 sync MPI_Bcast 0-3@9 root=2", "1 local call f",
		"0 send 1 tag1"};
	const char *dropped[] = {
		"0 send 1 tag1", "0 send 1 tag1", "0-3 sync MPI_Bcast 0-3 root=2", "1 local call f", "0 send 1 tag1"};
	check_imported(false, kept, 5);
	check_imported(true, dropped, 5);

	struct dictionary *empty = dictionary_new(), *to = dictionary_new();
	free(dictionary_import(to, empty, NULL, false));
	CU_ASSERT_EQUAL(dictionary_events(to), 0);
	dictionary_free(empty);
	dictionary_free(to);
}

/* ------------------------------------------------------------------ each kind */

/* A line of this kind, as its notation has it. */
static struct text line_of_kind(uint32_t kind)
{
	static const struct {
		char letter;
		const char *stands;
	} parts[] = {{'S', "2"}, {'P', "1"}, {'T', "tag7@3"}, {'N', "MPI_Any"}, {'G', "0-2@4"}, {'R', " root=1"},
		{'W', "two words"}};
	struct text line = {0};
	for (const char *at = kind_rows[kind].notation; *at; at++) {
		size_t k = 0;
		while (k < COUNT(parts) && parts[k].letter != *at)
			k++;
		if (k < COUNT(parts))
			text_put(&line, parts[k].stands);
		else
			text_char(&line, *at);
	}
	return line;
}

/* A row of event_kinds.def is all that texts, dictionaries and modules have to know of a kind. */
static void test_each_kind(void)
{
	for (uint32_t kind = 0; kind < EVENT_KINDS; kind++) {
		struct error error;
		struct text line = line_of_kind(kind), there = {0}, text = {0}, read = {0};
		struct dictionary *from = dictionary_new(), *to = dictionary_new();
		uint32_t event = parsed(from, line.data), *map = dictionary_import(to, from, NULL, false);
		ROW(line.data, dictionary_get_event(from, event)->kind == kind);
		event_print(to, map[event], &there);
		row_same(kind_rows[kind].verb, there.data, line.data);
		text_format(&text, "// tracenest 1\n// processes 3\n%s\n", line.data);
		struct module *m = module_parse_one(kind_rows[kind].verb, text.data, text.length, &error);
		if (m)
			module_print_statements(m, &read);
		text_char(&line, '\n');
		row_same(kind_rows[kind].verb, m ? read.data : error.message, line.data);
		module_free(m);
		free(map);
		dictionary_free(from);
		dictionary_free(to);
		text_clear(&read);
		text_clear(&text);
		text_clear(&there);
		text_clear(&line);
	}
}

/* ------------------------------------------------------------------ names */

static const struct {
	const char *why, *name;
	bool one_word;
	const char *clean;
} names[] = {
	{"a name", "MPI_Wait", false, "MPI_Wait"},
	{"none", "", false, "?"},
	{"only blanks", " \t ", true, "?"},
	{"blanks collapse and vanish at the ends", "  a \t b ", false, "a b"},
	{"in one word", "  a \t b ", true, "a_b"},
	{"control characters", "a\nb\x7f", false, "a%0Ab%7F"},
	{"signs that mean something", "f{1}#2;3", false, "f%7B1%7D%232%3B3"},
	{"two slashes", "http://x", false, "http:/%2Fx"},
	{"three", "///", false, "/%2F/"},
	{"one and one", "/ /", false, "/ /"},
	{"UTF-8 stays",
		"gr\xc3\xb6\xc3\x9f"
		"e",
		false,
		"gr\xc3\xb6\xc3\x9f"
		"e"},
};

static void test_names(void)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct text out = {0};
		text_char(&out, '/'); /* what stands before is not part of the name */
		name_clean(names[i].name, names[i].one_word, &out);
		row_same(names[i].why, out.data + 1, names[i].clean);
		text_clear(&out);
	}
}

/* Whatever a name holds, once clean it survives printing and reading. */
static void test_random_names(void)
{
	static const char signs[] = "ab/ \t#;{}\n\x01\x7f%@\xff[";
	struct dictionary *d = dictionary_new();
	unsigned seed = 1;
	for (unsigned n = 0; n < rounds(2000); n++) {
		char name[16];
		size_t length = (size_t)rand_r(&seed) % sizeof name;
		for (size_t i = 0; i < length; i++)
			name[i] = signs[(size_t)rand_r(&seed) % (sizeof signs - 1)];
		name[length < sizeof name ? length : sizeof name - 1] = 0;
		struct text line = {0}, again = {0};
		text_put(&line, "0 local ");
		name_clean(name, n & 1, &line);
		event_print(d, parsed(d, line.data), &again);
		row_same("a random name", again.data, line.data);
		text_clear(&line);
		text_clear(&again);
	}
	dictionary_free(d);
}

void suite_dictionary(CU_pSuite suite)
{
	CU_add_test(suite, "events are printed as they were read", test_round_trip);
	CU_add_test(suite, "what is no event is refused with a reason", test_bad_lines);
	CU_add_test(suite, "the parts of events", test_parts_of_events);
	CU_add_test(suite, "a joint sync seen by one process", test_own_event_of_a_sync);
	CU_add_test(suite, "one dictionary into another", test_import);
	CU_add_test(suite, "a row is all of a kind", test_each_kind);
	CU_add_test(suite, "names from outside", test_names);
	CU_add_test(suite, "clean names survive, whatever they were", test_random_names);
}
