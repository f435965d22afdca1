/*
 * test_event_values.c -- what random events carry is what the statements of their program say that
 * they carry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ask/event_numbers.h"
#include "fit/value_columns.h"
#include "model/nest.h"
#include "nlr/affine_events.h"
#include "nlr/nlr.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define PROCESSES 4
#define STATEMENTS 3 /* of which the first and the last are of one kind: their numbers are mixed in the stream */
#define PROGRAM                                                                                                        \
	"// tracenest 1\n// processes 4\n[0-3] for i0 = 0 to %d\n[0-3] p send (p+1)%%4 a\n"                            \
	"[0-3] for i1 = 0 to %s\n[0-3] p local b\n[0-3] p send (p+1)%%4 a\ndone\ndone\n"

static const char *const words[] = {"MPI_INT", "MPI_BYTE", "two words"}, *const written[] = {"MPI_INT", "MPI_BYTE",
										 "\"two words\""};

/* What the events of a statement carry. */
enum manner { NOTHING, SAME, BY_PROCESS, BY_INDEX, BY_CHANCE, MANNERS };

/* Statements of one kind may be of two communicators in the stream, which the program has dropped.
   Then the order of the stream is known from its nest, or from what advances, where those of one
   communicator may have no ids. */
enum dropping { DROP_NOTHING, DROP_OF_NEST, DROP_OF_ADVANCING, DROP_OF_SHAPES, DROPPINGS };

struct trial {
	uint64_t seed;
	enum dropping dropping;
	uint32_t shape[PROCESSES]; /* DROP_OF_SHAPES: what the event of the last statement is like */
	struct nest *nest[PROCESSES];
	struct affine_events *affine[PROCESSES];
	int outer, inner; /* inner -1: to i0 */
	enum manner bytes[STATEMENTS], type[STATEMENTS]; /* a number, a word */
	uint32_t event[PROCESSES][STATEMENTS]; /* in the dictionaries of the processes */
	struct dictionary *dictionary[PROCESSES];
	struct draft *draft;
};

/* A number below 3 where it is for a word. */
static int64_t number_of(const struct trial *r, enum manner m, int statement, uint32_t rank, const int64_t *index)
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

static struct module *module_of(const char *text)
{
	struct error error = {0};
	struct module *m = module_parse("program", text, strlen(text), &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	return m;
}

static void start(struct trial *r, uint64_t seed)
{
	struct text text = {0};
	uint64_t odds = hash_mix(seed + 1);
	*r = (struct trial){.seed = seed,
		.dropping = (enum dropping)(odds / 54 % DROPPINGS),
		.outer = (int)(odds % 9),
		.inner = (int)(odds / 9 % 6) - 1};
	for (int s = 0; s < STATEMENTS; s++) {
		r->bytes[s] = (enum manner)(hash_pair(odds, (uint64_t)s) % MANNERS);
		r->type[s] = (enum manner)(hash_pair(odds, (uint64_t)s + 8) % MANNERS);
	}
	r->bytes[2] = r->bytes[0] ? r->bytes[2] ? r->bytes[2] : SAME : NOTHING; /* all of a kind, or none */
	r->type[2] = r->type[0] ? r->type[2] ? r->type[2] : SAME : NOTHING;
	char inner[16];
	snprintf(inner, sizeof inner, "%d", r->inner);
	text_format(&text, PROGRAM, r->outer, r->inner < 0 ? "{i0}" : inner);
	r->draft = draft_of(module_of(text.data));
	text_clear(&text);
	for (uint32_t p = 0; p < PROCESSES; p++) {
		struct dictionary *d = r->dictionary[p] = dictionary_new();
		struct tag tag = {
			.stem = dictionary_word(d, "a", 1), .communicator = r->dropping ? 3 : NO_COMMUNICATOR};
		struct event local = {.kind = EVENT_LOCAL, .process = p, .subject = dictionary_word(d, "b", 1)},
			     send = {.kind = EVENT_SEND,
				     .process = p,
				     .peer = (p + 1) % PROCESSES,
				     .subject = dictionary_tag(d, &tag)};
		r->event[p][0] = r->event[p][2] = dictionary_event(d, &send);
		r->event[p][1] = dictionary_event(d, &local);
		r->nest[p] = nest_new();
		r->affine[p] = affine_events_new(p, NLR_WINDOW, NLR_REPETITIONS, d);
		if (!r->dropping)
			continue;
		tag.communicator = 7;
		send.subject = dictionary_tag(d, &tag);
		r->event[p][2] = dictionary_event(d, &send);
		send.peer = 0;
		r->shape[p] = dictionary_event(d, &send);
	}
}

static void end(struct trial *r)
{
	for (uint32_t p = 0; p < PROCESSES; p++) {
		nest_free(r->nest[p]);
		affine_events_free(r->affine[p]);
		dictionary_free(r->dictionary[p]);
	}
	draft_free(r->draft);
}

static void push(const struct trial *r, struct value_columns *c, int statement, uint32_t rank, const int64_t *index)
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
	nest_append(r->nest[rank], e.event);
	if (r->dropping == DROP_OF_SHAPES && statement == STATEMENTS - 1) {
		e.shape = true;
		e.event = r->shape[rank];
		e.peer = (rank + 1) % PROCESSES;
		affine_events_push_shape(r->affine[rank], e.event, e.peer, 0);
	} else {
		affine_events_push(r->affine[rank], e.event);
	}
	if (!value_lane_extend(value_columns_lane(c, rank), &e))
		value_columns_push(c, rank, r->dictionary[rank], &e);
}

/* How many executions the program says carry something else. */
static unsigned compare(const struct trial *r, struct cursor *at, int statement, uint32_t rank, const int64_t *index)
{
	unsigned wrong = !cursor_next(at);
	for (int word = 0; word < 2 && !wrong; word++) {
		enum manner m = word ? r->type[statement] : r->bytes[statement];
		const char *name = word ? "type" : "bytes";
		struct event_value is =
			event_value_at(&at->at, NULL, at->event, store_word(at->at.store, name, strlen(name)));
		int64_t number = number_of(r, m, statement, rank, index);
		if (m == NOTHING)
			wrong += is.there;
		else
			wrong += !is.there || (word ? !is.word || strcmp(is.word, written[number % 3]) != 0
						    : is.word || is.number != number);
	}
	return wrong;
}

/* Every event of a process, in order: pushed, or (columns NULL) compared with what the cursor comes
   to. */
static unsigned each_event(const struct trial *r, struct value_columns *c, struct cursor *at, uint32_t rank)
{
	unsigned wrong = 0;
	int64_t index[INDEX_DEPTH] = {0};
	for (index[0] = 0; index[0] <= r->outer; index[0]++) {
		index[1] = 0;
		for (int s = 0; s < STATEMENTS; s++) {
			if (c)
				push(r, c, s, rank, index);
			else
				wrong += compare(r, at, s, rank, index);
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
static struct value_columns *sent(struct value_columns *c, bool sites)
{
	struct value_columns *to = value_columns_new("bytes,type", sites, false);
	value_columns_room(to, PROCESSES);
	for (uint32_t p = 0; p < PROCESSES; p++) {
		struct text bytes = {0};
		value_columns_pack(c, p, &bytes);
		struct unpack from = unpack_start(bytes.data, bytes.length);
		value_columns_unpack(to, p, NULL, &from);
		CU_ASSERT(unpack_ended(&from));
		text_clear(&bytes);
	}
	value_columns_free(c);
	return to;
}

static void drop(const struct trial *r, struct value_columns *c, uint32_t rank)
{
	struct value_dropping *d = value_columns_drop_communicators(c, rank, r->dictionary[rank]);
	if (d && r->dropping == DROP_OF_NEST)
		nest_run(r->nest[rank], value_dropping_event, d);
	else if (d)
		affine_events_run(r->affine[rank], d, value_dropping_advancing);
	value_dropping_finish(d);
}

static void random_events(void)
{
	for (uint64_t seed = 0; seed < rounds(1000) && CU_get_number_of_failures() < 5; seed++) {
		struct trial r;
		start(&r, seed);
		struct value_columns *c = value_columns_new("bytes,type", false, false);
		value_columns_room(c, PROCESSES);
		for (uint32_t p = 0; p < PROCESSES; p++)
			each_event(&r, c, NULL, p);
		value_columns_finish(c, 1);
		if (seed % 2)
			c = sent(c, false);
		for (uint32_t p = 0; p < PROCESSES; p++)
			affine_events_finish(r.affine[p]);
		for (uint32_t p = 0; p < PROCESSES && r.dropping; p++)
			drop(&r, c, p);
		struct error error;
		CU_ASSERT(value_columns_attach(c, r.draft, true, NULL, &error));
		value_columns_free(c);
		unsigned wrong = 0;
		struct run *run = run_new(r.draft->module, NULL);
		for (uint32_t p = 0; p < PROCESSES; p++) {
			struct cursor *at = cursor_new(run, p);
			wrong += each_event(&r, NULL, at, p) + cursor_next(at);
			cursor_free(at);
		}
		run_free(run);
		char why[32];
		snprintf(why, sizeof why, "seed %d", (int)seed);
		ROW(why, !wrong);
		end(&r);
	}
}

/* A program that is not that of the events is told, never given the numbers of others. */
static void unfit(void)
{
	static const struct {
		const char *why, *program;
		bool fits;
	} rows[] = {
		{"the same events", "for i0 = 0 to 3\n0 send 1 a1\n0 send 1 a2@5\ndone\n", true},
		{"one by one", "0 send 1 a1\nfor i0 = 0 to 2\n0 send 1 a2@5\n0 send 1 a1\ndone\n0 send 1 a2@5\n", true},
		{"an iteration more", "for i0 = 0 to 4\n0 send 1 a1\n0 send 1 a2@5\ndone\n", false},
		{"an iteration less", "for i0 = 0 to 2\n0 send 1 a1\n0 send 1 a2@5\ndone\n", false},
		{"one more, of several statements", "0 send 1 a1\nfor i0 = 0 to 3\n0 send 1 a2@5\n0 send 1 a1\ndone\n",
			false},
		{"one less, of several statements", "0 send 1 a1\nfor i0 = 0 to 1\n0 send 1 a2@5\n0 send 1 a1\ndone\n",
			false},
		{"another tag", "for i0 = 0 to 3\n0 send 1 a3\n0 send 1 a2@5\ndone\n", false},
		{"tags that advance", "[0] for i0 = 0 to 3\n[0] p send 1 a{1+i0}@5\ndone\n", false},
		{"another communicator", "for i0 = 0 to 3\n0 send 1 a1\n0 send 1 a2@4\ndone\n", false},
		{"a kind that is missing", "for i0 = 0 to 3\n0 send 1 a1\ndone\n", false},
		{"one that is guarded, and never happens",
			"for i0 = 0 to 3\n0 send 1 a1\n0 send 1 a2@5\ndone\n[0] for i0 = 1 to {p}\n[0] p send 1 a9\ndone\n",
			true},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text text = {0};
		struct error error = {0};
		struct dictionary *d = dictionary_new();
		struct value_columns *c = value_columns_new("bytes", true, false);
		value_columns_room(c, 2);
		for (uint64_t k = 0; k < 8; k++) {
			struct tag tag = {.stem = dictionary_word(d, "a", 1),
				.numbered = true,
				.number = 1 + k % 2,
				.communicator = k % 2 ? 5 : NO_COMMUNICATOR};
			struct event send = {.kind = EVENT_SEND, .peer = 1, .subject = dictionary_tag(d, &tag)};
			struct trace_event e = {.event = dictionary_event(d, &send),
				.sized = true,
				.bytes = k * k,
				.site = "f < main",
				.entered = (uint32_t)(k * k % 3)};
			value_columns_push(c, 0, d, &e);
		}
		value_columns_finish(c, 1);
		text_format(&text, "// tracenest 1\n// processes 2\n%s", rows[i].program);
		struct draft *draft = draft_of(module_of(text.data));
		struct sites *sites = sites_new(draft->module, NULL);
		ROW(rows[i].why, value_columns_attach(c, draft, true, sites, &error) == rows[i].fits);
		ROW(rows[i].why, rows[i].fits || error.kind == ERROR_INTERNAL);
		text_clear(&text);
		sites_free(sites);
		draft_free(draft);
		value_columns_free(c);
		dictionary_free(d);
	}
}

/* Of two processes, of which one is as the other; b alone is known to be called anew. */
static void points(void)
{
	static const struct {
		const char *event, *site;
		uint32_t entered;
		bool exact;
	} is[] = {{"a", "f < main", 2, true}, {"b", "f < main", 1, false}, {"a", NULL, 0, false},
		{"a", "main", 0, true}, {"b", "f < main", 0, false}};
	struct dictionary *d = dictionary_new();
	struct value_columns *c = value_columns_new("bytes,type", true, false);
	value_columns_room(c, PROCESSES);
	for (size_t i = 0; i < COUNT(is); i++) {
		struct event local = {.kind = EVENT_LOCAL, .subject = dictionary_word(d, is[i].event, 1)};
		value_columns_push(c, 0, d,
			&(struct trace_event){.event = dictionary_event(d, &local),
				.site = is[i].site,
				.entered = is[i].entered,
				.exact = is[i].exact});
	}
	value_columns_finish(c, 1);
	c = sent(c, true);
	value_columns_like(c, 1, 0);
	struct module *module =
		module_of("// tracenest 1\n// processes 4\n[0-1] p local a\n[0-1] p local b\n[0-1] for i0 = 0 to 1\n"
			  "[0-1] p local a\ndone\n[0-1] p local b\n");
	struct run *run = run_new(module, NULL);
	struct call_paths *paths = call_paths_new();
	CU_ASSERT_PTR_NULL(value_columns_points(c, run, 1, paths, COUNT(is) - 1));
	struct call_point *point = value_columns_points(c, run, 1, paths, COUNT(is));
	for (size_t i = 0; point && i < COUNT(is); i++) {
		ROW(is[i].event, point[i].path == call_paths_know(paths, is[i].site));
		ROW(is[i].event, point[i].entered == is[i].entered && point[i].exact == is[i].exact);
	}
	CU_ASSERT_PTR_NOT_NULL(point);
	free(point);
	point = value_columns_points(c, run, 3, paths, 0); /* one that does nothing */
	CU_ASSERT_PTR_NOT_NULL(point);
	free(point);
	call_paths_free(paths);
	run_free(run);
	module_free(module);
	value_columns_free(c);
	dictionary_free(d);
}

void suite_event_values(CU_pSuite suite)
{
	CU_add_test(suite, "where events happened", points);
	CU_add_test(suite, "what random events carry", random_events);
	CU_add_test(suite, "a program of other events", unfit);
}
