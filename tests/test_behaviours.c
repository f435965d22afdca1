/*
 * test_behaviours.c -- what travels between processes that work on one program: as bytes and back,
 * damaged on the way, and gathered from threads that stand for them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/mem.h"
#include "lib/online.h"
#include "lib/pipeline.h"
#include "lib/behaviours.h"
#include "model/process_pack.h"
#include "tests/archive.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/simulated.h"
#include "tests/unit.h"

/* ------------------------------------------------------------------ bytes */

static const uint64_t numbers[] = {0, 1, 127, 128, 300, UINT32_MAX, UINT64_C(1) << 62, UINT64_MAX};

static void test_numbers(void)
{
	struct text bytes = {0};
	for (size_t i = 0; i < COUNT(numbers); i++) {
		pack_number(&bytes, numbers[i]);
		pack_signed(&bytes, (int64_t)numbers[i]);
		pack_signed(&bytes, -(int64_t)(numbers[i] >> 1));
	}
	struct unpack from = unpack_start(bytes.data, bytes.length);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		CU_ASSERT_EQUAL(unpack_number(&from), numbers[i]);
		CU_ASSERT_EQUAL(unpack_signed(&from), (int64_t)numbers[i]);
		CU_ASSERT_EQUAL(unpack_signed(&from), -(int64_t)(numbers[i] >> 1));
	}
	CU_ASSERT(unpack_ended(&from));
	CU_ASSERT_EQUAL(unpack_number(&from), 0);
	CU_ASSERT(!unpack_ended(&from));
	text_clear(&bytes);
}

static const struct {
	const char *why;
	const unsigned char bytes[12];
	size_t length;
} bad_numbers[] = {
	{"no number at all", {0}, 0},
	{"goes on behind the end", {0x80}, 1},
	{"more than 64 bits", {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 10},
	{"more bytes than any number has", {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 11},
};

static void test_bad_numbers(void)
{
	for (size_t i = 0; i < COUNT(bad_numbers); i++) {
		struct unpack from = unpack_start(bad_numbers[i].bytes, bad_numbers[i].length);
		ROW(bad_numbers[i].why, unpack_number(&from) == 0 && from.bad && !unpack_ended(&from));
	}
}

/* ------------------------------------------------------------------ what a process does */

static const struct {
	const char *why, *of_0, *of_2; /* what process 0 does, and what of it process 2 of 4 would do */
} processes[] = {
	{"a ring goes round", "0 send 1 tag7 / 3 recv 0 tag7", "2 send 3 tag7 / 1 recv 2 tag7"},
	{"words, communicators, numbers", "0 send 3 tag@2 / 0 send 3 9 / 0 send 0 tag9@2 / 0 local call f",
		"2 send 1 tag@2 / 2 send 1 9 / 2 send 2 tag9@2 / 2 local call f"},
	{"groups and roots are what they are", "0 sync MPI_Bcast 0-3 root=1 / 0 sync MPI_Bcast 0-3@5",
		"2 sync MPI_Bcast 0-3 root=1 / 2 sync MPI_Bcast 0-3@5"},
	{"nothing", "", ""},
};

static const bool happens[4] = {true, true, true, true};

static struct dictionary *dictionary_of(const char *row)
{
	struct dictionary *d = dictionary_new();
	struct text lines = lines_of_row("", row);
	for (char *line = lines.data; line && *line;) {
		size_t length = strcspn(line, "\n");
		bool more = line[length];
		line[length] = 0;
		struct error error;
		uint32_t event;
		CU_ASSERT(event_parse(d, line, false, &event, &error));
		line += length + more;
	}
	text_clear(&lines);
	return d;
}

static struct text row_of(const struct dictionary *d)
{
	struct text row = {0};
	text_put(&row, "");
	for (uint32_t i = 0; i < dictionary_events(d); i++) {
		text_put(&row, i ? " / " : "");
		event_print(d, i, &row);
	}
	return row;
}

static void test_processes(void)
{
	for (size_t i = 0; i < COUNT(processes); i++) {
		struct dictionary *own = dictionary_of(processes[i].of_0);
		struct text bytes = {0};
		dictionary_pack(own, happens, 0, 4, &bytes);
		dictionary_free(own);
		for (uint32_t rank = 0; rank <= 2; rank += 2) {
			struct unpack from = unpack_start(bytes.data, bytes.length);
			struct dictionary *d = dictionary_unpack(&from, rank, 4, NULL);
			struct text row = row_of(d);
			ROW(processes[i].why, unpack_ended(&from));
			row_same(processes[i].why, row.data, rank ? processes[i].of_2 : processes[i].of_0);
			text_clear(&row);
			dictionary_free(d);
		}
		text_clear(&bytes);
	}
}

/* Loops in loops over three events. */
static struct text packed_process(void)
{
	struct dictionary *d = dictionary_of("0 send 1 tag7 / 3 recv 0 word@3 / 0 sync MPI_Bcast 0-3 root=1");
	struct nest *n = nest_new();
	node inner = nest_loop(n, UINT64_C(1) << 40, (node[]){0, 1}, 2),
	     outer = nest_loop(n, 3, (node[]){inner, 2, inner}, 3);
	nest_append(n, outer);
	nest_append(n, 1);
	struct text bytes = {0};
	dictionary_pack(d, happens, 0, 4, &bytes);
	nest_pack(n, &bytes);
	nest_free(n);
	dictionary_free(d);
	return bytes;
}

static bool unpacks(const struct text *bytes, struct text *again)
{
	struct unpack from = unpack_start(bytes->data, bytes->length);
	struct dictionary *d = dictionary_unpack(&from, 0, 4, NULL);
	struct nest *n = nest_unpack(&from, dictionary_events(d));
	dictionary_pack(d, happens, 0, 4, again);
	nest_pack(n, again);
	nest_free(n);
	dictionary_free(d);
	return unpack_ended(&from);
}

static void test_loops(void)
{
	struct text bytes = packed_process(), again = {0};
	CU_ASSERT(unpacks(&bytes, &again));
	CU_ASSERT(bytes.length == again.length && !memcmp(bytes.data, again.data, bytes.length));
	text_clear(&bytes);
	text_clear(&again);
}

/* Nothing that was cut or changed on the way does harm; what is cut is noticed. */
static void test_damage(void)
{
	struct text bytes = packed_process(), again = {0};
	for (size_t length = 0; length < bytes.length; length++) {
		struct text cut = {mem_copy(bytes.data, length), length, length};
		CU_ASSERT(!unpacks(&cut, &again));
		text_clear(&cut);
	}
	for (size_t at = 0; at < bytes.length; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes.data[at] = (char)(bytes.data[at] ^ 1 << bit);
			text_truncate(&again, 0);
			unpacks(&bytes, &again);
			bytes.data[at] = (char)(bytes.data[at] ^ 1 << bit);
		}
	text_clear(&bytes);
	text_clear(&again);
}

static void test_behaviours(void)
{
	struct behaviours *a = behaviours_new(), *b = behaviours_new();
	for (uint32_t rank = 0; rank < 8; rank++)
		behaviours_add(rank < 5 ? a : b, rank, rank % 4 ? "inner" : "border", rank % 4 ? 5 : 6);
	struct text bytes = {0};
	behaviours_pack(b, &bytes);
	struct unpack from = unpack_start(bytes.data, bytes.length);
	behaviours_unpack(a, &from);
	CU_ASSERT(unpack_ended(&from));
	CU_ASSERT_EQUAL_FATAL(behaviours_count(a), 2);
	const struct ranks *who;
	size_t size;
	CU_ASSERT(!memcmp(behaviours_get(a, 1, &who, &size), "inner", 5) && size == 5);
	struct text ranks = {0};
	ranks_print(who, &ranks);
	CU_ASSERT_STRING_EQUAL(ranks.data, "1-3,5-7");
	text_clear(&ranks);
	text_clear(&bytes);
	behaviours_free(a);
	behaviours_free(b);
}

/* ------------------------------------------------------------------ threads for processes */

struct letters {
	pthread_mutex_t mutex;
	pthread_cond_t sent;
	struct text *box; /* of each sender; NULL data: empty */
	size_t *taken; /* of each box */
	size_t most; /* bytes of the longest */
};

struct member {
	struct letters *letters;
	struct transport transport;
	const char *path;
	struct text printed;
	enum error_kind kind;
	char message[1024];
	pthread_t thread;
};

/* In a tree each has one to send to, so it is known whom a letter is for. */
static void member_send(void *context, uint32_t to, const void *bytes, size_t size)
{
	struct member *m = context;
	struct letters *l = m->letters;
	(void)to;
	pthread_mutex_lock(&l->mutex);
	text_add(&l->box[m->transport.rank], bytes, size);
	l->most = size > l->most ? size : l->most;
	pthread_cond_broadcast(&l->sent);
	pthread_mutex_unlock(&l->mutex);
}

static void member_receive(void *context, uint32_t from, void *bytes, size_t size)
{
	struct letters *l = ((struct member *)context)->letters;
	pthread_mutex_lock(&l->mutex);
	while (l->box[from].length < l->taken[from] + size)
		pthread_cond_wait(&l->sent, &l->mutex);
	memcpy(bytes, l->box[from].data + l->taken[from], size);
	l->taken[from] += size;
	pthread_mutex_unlock(&l->mutex);
}

static void *work(void *context)
{
	struct member *m = context;
	struct program_options options = {PROGRAM_OPTIONS, .jobs = 1, .transport = m->letters ? &m->transport : NULL};
	struct program_facts facts;
	struct error error = {0};
	struct prepared *program = prepared_of_trace(m->path, &options, &facts, &error);
	m->kind = error.kind;
	memcpy(m->message, error.message, sizeof m->message);
	if (program) {
		module_print_text(program->module, NULL, &m->printed);
		text_format(&m->printed, "%zu records, %zu events, %zu receives lost, window %zu",
			(size_t)facts.trace.records, (size_t)facts.trace.events, (size_t)facts.missing.uncompleted,
			facts.window_hit.length);
	}
	program_facts_clear(&facts);
	prepared_free(program);
	return NULL;
}

/* What comes out of so many; the longest letter. */
static struct member worked(const char *path, uint32_t size, size_t *longest)
{
	struct letters letters = {.mutex = PTHREAD_MUTEX_INITIALIZER,
		.sent = PTHREAD_COND_INITIALIZER,
		.box = mem_zero(size * sizeof *letters.box),
		.taken = mem_zero(size * sizeof *letters.taken)};
	struct member *member = mem_zero(size * sizeof *member);
	for (uint32_t i = 0; i < size; i++) {
		member[i] = (struct member){.letters = &letters,
			.path = path,
			.transport = {i, size, &member[i], member_send, member_receive}};
		pthread_create(&member[i].thread, NULL, work, &member[i]);
	}
	for (uint32_t i = 0; i < size; i++) {
		pthread_join(member[i].thread, NULL);
		CU_ASSERT(!i || (!member[i].printed.data && member[i].kind == ERROR_NONE));
		text_clear(&letters.box[i]);
	}
	struct member first = member[0];
	*longest = letters.most;
	free(member);
	free(letters.box);
	free(letters.taken);
	return first;
}

/* A ring in which tags count with the steps where asked; rank 0 starts, others may have none. */
static char *ring_archive(uint32_t ranks, uint32_t steps, bool counts)
{
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, ranks, 1, 0);
	for (uint32_t rank = 0; rank < ranks; rank++)
		for (uint32_t i = 0; i < steps; i++) {
			do_irecv(s, rank, (rank + ranks - 1) % ranks, counts ? 100 + i : 3);
			do_isend(s, rank, (rank + 1) % ranks, counts ? 100 + i : 3, 64);
			do_waitall(s, rank);
			if (i % 10 == 9)
				do_collective(s, rank, "MPI_Bcast", 8, 1, AS_USUAL);
		}
	simulated_run(s);
	char *anchor = simulated_write(s, SIMULATED_REGIONS);
	simulated_free(s);
	return anchor;
}

static const struct {
	const char *why;
	uint32_t ranks, steps;
	bool counts;
} rings[] = {
	{"a ring", 5, 40, false},
	{"fewer ranks than readers", 2, 40, false},
	{"tags that count go into the other recognizer", 5, 200, true},
};

static const uint32_t sizes[] = {1, 2, 3, 7};

static void test_readers(void)
{
	for (size_t i = 0; i < COUNT(rings); i++) {
		char *anchor = ring_archive(rings[i].ranks, rings[i].steps, rings[i].counts);
		struct member alone = {.path = anchor};
		work(&alone);
		CU_ASSERT_PTR_NOT_NULL_FATAL(alone.printed.data);
		for (size_t k = 0; k < COUNT(sizes); k++) {
			size_t longest;
			struct member first = worked(anchor, sizes[k], &longest);
			row_same(rings[i].why, first.printed.data ? first.printed.data : first.message,
				alone.printed.data);
			text_clear(&first.printed);
		}
		text_clear(&alone.printed);
		archive_remove(anchor);
	}
}

/* What travels follows what processes do, not how many there are. */
static void test_growth(void)
{
	size_t few, many;
	char *anchor = ring_archive(8, 20, false);
	struct member first = worked(anchor, 2, &few);
	text_clear(&first.printed);
	archive_remove(anchor);
	anchor = ring_archive(128, 20, false);
	first = worked(anchor, 2, &many);
	text_clear(&first.printed);
	archive_remove(anchor);
	CU_ASSERT(many < 2 * few);
}

/* The bytes that the root has when all of a ring that was watched while it ran come together,
   the last one first: what is sent goes into a box, and is there when it is asked for. */
static size_t held_by_root(uint32_t size)
{
	static const char *const none[] = {"MPI_Waitall"};
	struct letters letters = {.mutex = PTHREAD_MUTEX_INITIALIZER,
		.sent = PTHREAD_COND_INITIALIZER,
		.box = mem_zero(size * sizeof *letters.box),
		.taken = mem_zero(size * sizeof *letters.taken)};
	char *directory = scratch_new();
	struct text path = {0};
	text_format(&path, "%s/online", directory);
	for (uint32_t rank = size; rank-- > 0;) {
		struct online *o = online_new(rank, size, none, COUNT(none), &(struct online_options){0});
		struct member m = {.letters = &letters, .transport = {rank, size, &m, member_send, member_receive}};
		struct error error = {0};
		for (unsigned step = 0; step < 5; step++) {
			struct event_record to = {
				.kind = RECORD_SEND, .id = (rank + 1) % size, .number = 5, .bytes = 80};
			struct event_record from = {
				.kind = RECORD_RECV, .id = (rank + size - 1) % size, .number = 5, .bytes = 80};
			online_take(o, &to, NULL);
			online_take(o, &from, NULL);
		}
		online_finish(o, NULL);
		online_gather(o, &m.transport);
		CU_ASSERT(rank > 0 || online_write(o, path.data, &error));
		online_free(o);
	}
	for (uint32_t rank = 0; rank < size; rank++)
		text_clear(&letters.box[rank]);
	free(letters.box);
	free(letters.taken);
	struct text bytes = {0};
	struct error error;
	CU_ASSERT(file_read(path.data, SIZE_MAX, &bytes, &error));
	size_t held = bytes.length;
	text_clear(&bytes);
	text_clear(&path);
	scratch_remove(directory);
	return held;
}

static void test_root(void)
{
	size_t few = held_by_root(16), many = held_by_root(2048);
	CU_ASSERT(few > 20 && many < few + 16);
}

/* An error is told by the first, whoever met it. */
static void test_failing(void)
{
	char *anchor = ring_archive(4, 10, false);
	struct text path = {0};
	text_format(&path, "%.*s/run/3.evt", (int)(strrchr(anchor, '/') - anchor), anchor);
	CU_ASSERT(!truncate(path.data, 100));
	struct member alone = {.path = anchor};
	work(&alone);
	CU_ASSERT(alone.kind == ERROR_INPUT);
	for (size_t k = 0; k < COUNT(sizes); k++) {
		size_t longest;
		struct member first = worked(anchor, sizes[k], &longest);
		CU_ASSERT_EQUAL(first.kind, alone.kind);
		row_same("the same words", first.message, alone.message);
	}
	text_clear(&path);
	archive_remove(anchor);
	size_t longest;
	struct member nowhere = worked("/no/such/trace", 3, &longest);
	CU_ASSERT_EQUAL(nowhere.kind, ERROR_INPUT);
}

/* ------------------------------------------------------------------ while it runs */

static const char *const regions[] = {"MPI_Isend", "MPI_Waitall"};

/* Rank 0 of 2 sends and receives a few times on a communicator of its own. */
static struct online *two_that_talk(void)
{
	static const enum event_record_kind kind[] = {
		RECORD_IRECV_REQUEST, RECORD_ISEND, RECORD_ENTER, RECORD_IRECV, RECORD_LEAVE, RECORD_COLLECTIVE_END};
	struct online *o = online_new(0, 2, regions, COUNT(regions), &(struct online_options){0});
	online_communicator(o, 2, (uint32_t[]){1, 0}, 2);
	online_used(o, 2, 0xabcdef);
	for (uint64_t i = 0; i < 12; i++) {
		struct event_record m = {.communicator = 2, .number = 5, .bytes = 80 * i, .request = i};
		for (size_t k = 0; k < COUNT(kind); k++) {
			struct event_record r = {.kind = (uint16_t)kind[k], .id = 1, .request = i};
			if (kind[k] == RECORD_ISEND || kind[k] == RECORD_IRECV)
				r = m;
			if (kind[k] == RECORD_COLLECTIVE_END)
				r = (struct event_record){.id = UINT32_MAX, .number = OPERATION_BARRIER};
			r.kind = (uint16_t)kind[k];
			online_take(o, &r, NULL);
		}
	}
	return o;
}

static struct prepared *read_online(const char *path, struct error *error)
{
	struct program_options options = {PROGRAM_OPTIONS, .jobs = 1, .lenient = true, .online = true};
	struct program_facts facts;
	struct prepared *p = prepared_of_trace(path, &options, &facts, error);
	program_facts_clear(&facts);
	return p;
}

static void test_online(void)
{
	char *directory = scratch_new();
	struct text path = {0}, printed = {0};
	text_format(&path, "%s/online", directory);
	struct error error = {0};
	struct online *o = two_that_talk();
	online_finish(o, NULL);
	CU_ASSERT(online_write(o, path.data, &error));
	online_free(o);
	struct prepared *p = read_online(path.data, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	module_print_text(p->module, NULL, &printed);
	CU_ASSERT_PTR_NOT_NULL(strstr(printed.data, "for i0 = 0 to 11"));
	CU_ASSERT_PTR_NOT_NULL(strstr(printed.data, "0 send 1 tag5 ; bytes={80*i0}"));
	CU_ASSERT_PTR_NOT_NULL(strstr(printed.data, "1 recv 0 tag5"));
	prepared_free(p);
	text_clear(&printed);

	o = two_that_talk();
	online_finish(o, "the disk is full");
	CU_ASSERT(online_write(o, path.data, &error));
	online_free(o);
	CU_ASSERT_PTR_NULL(read_online(path.data, &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "rank 0: the disk is full"));
	text_clear(&path);
	scratch_remove(directory);
}

static void put_file(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT(fwrite(bytes, 1, length, file) == length);
	fclose(file);
}

/* What is cut off is refused; nothing that was changed does harm. */
static void test_damaged_online(void)
{
	char *directory = scratch_new();
	struct text path = {0}, bytes = {0};
	text_format(&path, "%s/online", directory);
	struct error error = {0};
	struct online *o = two_that_talk();
	online_finish(o, NULL);
	online_write(o, path.data, &error);
	online_free(o);
	CU_ASSERT(file_read(path.data, SIZE_MAX, &bytes, &error));
	for (size_t length = 0; length < bytes.length; length++) {
		put_file(path.data, bytes.data, length);
		struct prepared *p = read_online(path.data, &error);
		CU_ASSERT_PTR_NULL(p);
		prepared_free(p);
	}
	for (size_t at = 0; at < bytes.length; at++)
		for (unsigned bit = 0; bit < 8; bit += 3) {
			bytes.data[at] = (char)(bytes.data[at] ^ 1 << bit);
			put_file(path.data, bytes.data, bytes.length);
			prepared_free(read_online(path.data, &error));
			bytes.data[at] = (char)(bytes.data[at] ^ 1 << bit);
		}
	text_clear(&bytes);
	text_clear(&path);
	scratch_remove(directory);
}

void suite_behaviours(CU_pSuite suite)
{
	CU_add_test(suite, "numbers as bytes", test_numbers);
	CU_add_test(suite, "bytes that are no numbers", test_bad_numbers);
	CU_add_test(suite, "what a process does, done by another", test_processes);
	CU_add_test(suite, "loops as bytes", test_loops);
	CU_add_test(suite, "damage on the way", test_damage);
	CU_add_test(suite, "what many do is one share", test_behaviours);
	CU_add_test(suite, "several readers make the model that one makes", test_readers);
	CU_add_test(suite, "what travels does not grow with the processes", test_growth);
	CU_add_test(suite, "nor what the root holds", test_root);
	CU_add_test(suite, "one that fails", test_failing);
	CU_add_test(suite, "a model on line", test_online);
	CU_add_test(suite, "damaged on its way to the command", test_damaged_online);
}
