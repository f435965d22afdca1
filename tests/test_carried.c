/*
 * test_carried.c -- what random events carry is what the statements of their program say that they
 * carry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "lib/carried.h"
#include "model/attributes.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define PROCESSES 4
#define STATEMENTS 3 /* of which the first and the last are of one kind: their numbers are mixed in the stream */
#define PROGRAM                                                                                                        \
	"// tracenest 1\n// processes 4\n[0-3] for i0 = 0 to %d\n[0-3] p send (p+1)%%4 a\n"                            \
	"[0-3] for i1 = 0 to %s\n[0-3] p local b\n[0-3] p send (p+1)%%4 a\ndone\ndone\n"

static const size_t statement_at[STATEMENTS] = {1, 3, 4};
static const char *const words[] = {"MPI_INT", "MPI_BYTE", "two words"};

/* What the events of a statement carry. */
enum manner { NOTHING, SAME, BY_PROCESS, BY_INDEX, BY_CHANCE, MANNERS };

struct run {
	uint64_t seed;
	int outer, inner; /* inner -1: to i0 */
	enum manner bytes[STATEMENTS], type[STATEMENTS]; /* a number, a word */
	uint32_t event[PROCESSES][STATEMENTS]; /* in the dictionaries of the processes */
	struct dictionary *dictionary[PROCESSES];
	struct program *program;
};

/* A number below 3 where it is for a word. */
static int64_t number_of(const struct run *r, enum manner m, int statement, uint32_t rank, const int64_t *index)
{
	uint64_t place = (uint64_t)statement;
	if (m == BY_INDEX)
		return 8 * statement + 24 * index[0] + index[1];
	if (m == BY_PROCESS || m == BY_CHANCE)
		place = hash_pair(place, rank);
	if (m == BY_CHANCE)
		place = hash_pair(hash_pair(place, (uint64_t)index[0]), (uint64_t)index[1]);
	return (int64_t)(hash_pair(r->seed, place) % 1000);
}

static void start(struct run *r, uint64_t seed)
{
	struct text text = {0};
	uint64_t odds = hash_mix(seed + 1);
	*r = (struct run){.seed = seed, .outer = (int)(odds % 9), .inner = (int)(odds / 9 % 6) - 1};
	for (int s = 0; s < STATEMENTS; s++) {
		r->bytes[s] = (enum manner)(hash_pair(odds, (uint64_t)s) % MANNERS);
		r->type[s] = (enum manner)(hash_pair(odds, (uint64_t)s + 8) % MANNERS);
	}
	r->bytes[2] = r->bytes[0] ? r->bytes[2] ? r->bytes[2] : SAME : NOTHING; /* all of a kind, or none */
	r->type[2] = r->type[0] ? r->type[2] ? r->type[2] : SAME : NOTHING;
	char inner[16];
	snprintf(inner, sizeof inner, "%d", r->inner);
	text_format(&text, PROGRAM, r->outer, r->inner < 0 ? "{i0}" : inner);
	r->program = program_of(text.data);
	text_clear(&text);
	for (uint32_t p = 0; p < PROCESSES; p++) {
		struct dictionary *d = r->dictionary[p] = dictionary_new();
		struct tag tag = {.stem = dictionary_word(d, "a", 1)};
		struct event local = {.kind = EVENT_LOCAL, .process = p, .subject = dictionary_word(d, "b", 1)},
			     send = {.kind = EVENT_SEND,
				     .process = p,
				     .peer = (p + 1) % PROCESSES,
				     .subject = dictionary_tag(d, &tag)};
		r->event[p][0] = r->event[p][2] = dictionary_event(d, &send);
		r->event[p][1] = dictionary_event(d, &local);
	}
}

static void end(struct run *r)
{
	for (uint32_t p = 0; p < PROCESSES; p++)
		dictionary_free(r->dictionary[p]);
	program_free(r->program);
}

static void push(const struct run *r, struct carried *c, int statement, uint32_t rank, const int64_t *index)
{
	struct trace_event e = {.event = r->event[rank][statement], .sized = r->bytes[statement] != NOTHING};
	struct trace_attribute type = {.name = "type", .length = 4};
	if (e.sized)
		e.bytes = (uint64_t)number_of(r, r->bytes[statement], statement, rank, index);
	if (r->type[statement] != NOTHING) {
		type.word = words[number_of(r, r->type[statement], statement, rank, index) % 3];
		e.attribute = &type;
		e.attribute_count = 1;
	}
	if (!carried_push_alike(carried_lane(c, rank), &e))
		carried_push(c, rank, r->dictionary[rank], &e);
}

/* How many executions the program says carry something else. */
static unsigned compare(const struct run *r, int statement, uint32_t rank, const int64_t *index)
{
	unsigned wrong = 0;
	struct spot spot = grid_spot(&r->program->grid, rank);
	spot.index = index;
	for (int word = 0; word < 2; word++) {
		enum manner m = word ? r->type[statement] : r->bytes[statement];
		const char *name = word ? "type" : "bytes";
		struct attribute a;
		if (!program_attribute(r->program, statement_at[statement],
			    dictionary_word(r->program->dictionary, name, strlen(name)), &a)) {
			wrong += m != NOTHING;
			continue;
		}
		struct attribute_value is = attribute_at(r->program, &a, &spot);
		int64_t number = number_of(r, m, statement, rank, index);
		wrong += m == NOTHING || !is.there ||
			 (word ? !is.word || strcmp(is.word, words[number % 3]) != 0 : is.word || is.number != number);
	}
	return wrong;
}

/* Every event of a process, in order: pushed, or (carried NULL) compared. */
static unsigned each_event(const struct run *r, struct carried *c, uint32_t rank)
{
	unsigned wrong = 0;
	int64_t index[INDEX_DEPTH] = {0};
	for (index[0] = 0; index[0] <= r->outer; index[0]++) {
		index[1] = 0;
		for (int s = 0; s < STATEMENTS; s++) {
			if (c)
				push(r, c, s, rank, index);
			else
				wrong += compare(r, s, rank, index);
			int64_t last = r->inner < 0 ? index[0] : r->inner;
			if (s == STATEMENTS - 1 && ++index[1] <= last)
				s = 0;
			else if (s == 0 && last < 0)
				break;
		}
	}
	return wrong;
}

/* Of another process, as bytes. */
static struct carried *sent(struct carried *c)
{
	struct carried *to = carried_new("bytes,type", false, false);
	carried_room(to, PROCESSES);
	for (uint32_t p = 0; p < PROCESSES; p++) {
		struct text bytes = {0};
		carried_pack(c, p, &bytes);
		struct unpack from = unpack_start(bytes.data, bytes.length);
		carried_unpack(to, p, &from);
		CU_ASSERT(unpack_ended(&from));
		text_clear(&bytes);
	}
	carried_free(c);
	return to;
}

static void random_events(void)
{
	for (uint64_t seed = 0; seed < rounds(1000) && CU_get_number_of_failures() < 5; seed++) {
		struct run r;
		start(&r, seed);
		struct carried *c = carried_new("bytes,type", false, false);
		carried_room(c, PROCESSES);
		for (uint32_t p = 0; p < PROCESSES; p++)
			each_event(&r, c, p);
		carried_finish(c, 1);
		if (seed % 2)
			c = sent(c);
		carried_attach(c, r.program, true, NULL);
		carried_free(c);
		unsigned wrong = 0;
		for (uint32_t p = 0; p < PROCESSES; p++)
			wrong += each_event(&r, NULL, p);
		char why[32];
		snprintf(why, sizeof why, "seed %d", (int)seed);
		ROW(why, !wrong);
		end(&r);
	}
}

void suite_carried(CU_pSuite suite)
{
	CU_add_test(suite, "what random events carry", random_events);
}
