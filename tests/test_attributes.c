/*
 * test_attributes.c -- what the events of random programs carry is what the text of their model
 * says that they carry: `expand --values all` of it is `events --values all` of the trace.
 *
 * Programs are phases of iterations over statements: stars, rings, pairs, messages to oneself and
 * collectives, of several communicators with the same tags, so that some messages are known by
 * themselves and others by their shape alone. Sizes and types are constant, affine, of the peer, or
 * of chance. The same seed makes the same program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/output.h"
#include "trace/event_values.h"
#include "lib/expand.h"
#include "lib/pipeline.h"
#include "model/prepared.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/spmd.h"
#include "tests/unit.h"
#include "trace/streams.h"

#define PROCESSES_MOST 100
#define PEERS_MOST 80
#define STATEMENTS_MOST 4 /* of a phase */
#define EVENTS 1500 /* no more iterations then */

enum pattern { STAR_OUT, STAR_IN, RING, PAIRS, ONESELF, COLLECTIVE, PATTERNS };

/* How what an event carries comes about. */
enum manner {
	NOTHING,
	SAME,
	OF_INDEX,
	OF_PEER,
	OF_PEER_AND_INDEX,
	BY_PEER,
	BY_RANK,
	BY_CHANCE,
	FEW,
	SOMETIMES,
	MANNERS
};

enum { BYTES, RECEIVED, TILE, TYPE, CARRIED };

struct step {
	enum pattern pattern;
	uint32_t center, peers, distance; /* of a star: how many; of a ring: how far */
	int communicator; /* -1: not named */
	uint64_t tag, tag_by_index, tag_by_peer;
	bool numbered, late, reversed; /* late: all receives behind all sends */
	bool named_alike; /* sends and receives carry the same */
	enum manner manner[CARRIED];
	uint64_t seed;
};

struct writing {
	uint64_t seed;
	uint32_t processes;
	struct text stream[PROCESSES_MOST];
	size_t events;
};

static uint32_t draw(struct writing *w, uint32_t below)
{
	return (uint32_t)spmd_draw(&w->seed, below);
}

/* ------------------------------------------------------------------ what is carried */

static uint64_t number_of(const struct step *s, int what, bool sends, uint32_t rank, uint32_t peer, uint64_t index)
{
	uint64_t own = hash_pair(s->seed, (uint64_t)what << 1 | (!s->named_alike && sends)), by_chance;
	uint32_t least = rank < peer ? rank : peer, most = rank < peer ? peer : rank;
	by_chance = hash_pair(own, hash_pair((uint64_t)least << 32 | most, index));
	switch (s->manner[what]) {
	case OF_INDEX:
		return own % 1000 + own % 7 * index;
	case OF_PEER:
		return own % 1000 + (own % 7 + 1) * peer;
	case OF_PEER_AND_INDEX:
		return own % 1000 + (own % 7 + 1) * peer + own % 5 * index;
	case BY_PEER:
		return hash_pair(own, peer) % 5000;
	case BY_RANK:
		return hash_pair(own, rank) % 5000;
	case BY_CHANCE:
		return by_chance % 5000;
	case FEW:
	case SOMETIMES:
		return by_chance % 3;
	default:
		return own % 5000;
	}
}

static void put_carried(struct text *to, const struct step *s, bool sends, uint32_t rank, uint32_t peer, uint64_t index)
{
	static const char *const name[] = {"bytes", "received", "tile", "type"};
	static const char *const word[] = {"MPI_INT", "MPI_BYTE", "MPI_DOUBLE"};
	bool any = false;
	for (int what = 0; what < CARRIED; what++) {
		uint64_t number = number_of(s, what, sends, rank, peer, index);
		bool sometimes = s->manner[what] == SOMETIMES && number == 0;
		if (s->manner[what] == NOTHING || sometimes || (what == RECEIVED && s->pattern != COLLECTIVE))
			continue;
		text_format(to, "%s%s=", any ? " " : " ; ", name[what]);
		if (what == TYPE && number % 4)
			text_put(to, word[number % 4 - 1]);
		else
			text_number(to, number);
		any = true;
	}
	text_char(to, '\n');
}

/* ------------------------------------------------------------------ events */

static void put_message(struct writing *w, const struct step *s, bool sends, uint32_t from, uint32_t to, uint64_t index)
{
	struct text *stream = &w->stream[sends ? from : to];
	uint32_t other = s->pattern == STAR_IN || s->pattern == RING ? from : to;
	text_format(stream, "%u %s %u t", from, sends ? "send" : "recv", to);
	if (s->numbered)
		text_number(stream, s->tag + s->tag_by_index * index + s->tag_by_peer * other);
	if (s->communicator >= 0)
		text_format(stream, "@%d", s->communicator);
	put_carried(stream, s, sends, sends ? from : to, sends ? to : from, index);
	w->events++;
}

/* The ends of the k-th message. */
static void find_ends(const struct writing *w, const struct step *s, uint32_t k, uint32_t *from, uint32_t *to)
{
	uint32_t p = w->processes,
		 other = (s->center + 1 + (s->reversed ? s->peers - 1 - k : k) % (p > 1 ? p - 1 : 1)) % p;
	*from = *to = s->center;
	switch (s->pattern) {
	case STAR_OUT:
		*to = other;
		break;
	case STAR_IN:
		*from = other;
		break;
	case RING:
		*from = k;
		*to = (k + s->distance) % p;
		break;
	case PAIRS:
		*from = (uint32_t)(hash_pair(s->seed, 2 * k) % p);
		*to = (uint32_t)(hash_pair(s->seed, 2 * k + 1) % p);
		break;
	default:
		break;
	}
}

static void put_messages(struct writing *w, const struct step *s, uint64_t index)
{
	uint32_t count = s->pattern == RING ? w->processes : s->pattern == ONESELF ? 1 : s->peers, from, to;
	for (uint32_t k = 0; k < count; k++) {
		find_ends(w, s, k, &from, &to);
		put_message(w, s, true, from, to, index);
		if (!s->late)
			put_message(w, s, false, from, to, index);
	}
	for (uint32_t k = 0; k < count && s->late; k++) {
		find_ends(w, s, k, &from, &to);
		put_message(w, s, false, from, to, index);
	}
}

static void put_collective(struct writing *w, const struct step *s, uint64_t index)
{
	static const char *const name[] = {"MPI_Allreduce", "MPI_Bcast"};
	bool rooted = s->reversed;
	uint32_t last = s->numbered ? w->processes - 1 : s->center,
		 root = (uint32_t)((s->tag + index * s->tag_by_index) % (last + 1));
	for (uint32_t p = 0; p <= last; p++) {
		text_format(&w->stream[p], last ? "%u sync %s 0-%u" : "%u sync %s %u", p, name[rooted], last);
		if (s->communicator >= 0)
			text_format(&w->stream[p], "@%d", s->communicator);
		if (rooted)
			text_format(&w->stream[p], " root=%u", root);
		put_carried(&w->stream[p], s, true, p, root, index);
		w->events++;
	}
}

/* ------------------------------------------------------------------ programs */

static void choose_step(struct writing *w, struct step *s)
{
	static const int communicators[] = {-1, -1, 2, 3, 7};
	static const uint64_t tags[] = {0, 1, 1, 1, 5, UINT64_MAX};
	uint32_t p = w->processes;
	*s = (struct step){.pattern = (enum pattern)draw(w, PATTERNS), .center = draw(w, 4) ? 0 : draw(w, p)};
	s->peers = 1 + draw(w, p - 1 > PEERS_MOST ? PEERS_MOST : p > 1 ? p - 1 : 1);
	if (draw(w, 2) && p > 1)
		s->peers = p - 1 > PEERS_MOST ? PEERS_MOST : p - 1;
	s->distance = draw(w, p);
	s->communicator = communicators[draw(w, COUNT(communicators))];
	s->tag = tags[draw(w, COUNT(tags))];
	s->tag_by_index = s->tag == UINT64_MAX || draw(w, 3) ? 0 : 1 + draw(w, 3);
	s->tag_by_peer = s->tag == UINT64_MAX || draw(w, 4) ? 0 : 1;
	s->numbered = draw(w, 8);
	s->late = draw(w, 2);
	s->reversed = draw(w, 2);
	s->named_alike = draw(w, 2);
	s->seed = spmd_draw(&w->seed, UINT64_MAX);
	for (int what = 0; what < CARRIED; what++)
		s->manner[what] = (enum manner)draw(w, MANNERS);
	if (draw(w, 4))
		s->manner[TILE] = NOTHING;
}

static void write_phase(struct writing *w)
{
	struct step step[STATEMENTS_MOST];
	uint32_t steps = 1 + draw(w, STATEMENTS_MOST), count = draw(w, 3) ? 1 + draw(w, 12) : 1;
	for (uint32_t i = 0; i < steps; i++)
		choose_step(w, &step[i]);
	for (uint64_t index = 0; index < count && w->events < EVENTS; index++)
		for (uint32_t i = 0; i < steps; i++)
			if (step[i].pattern == COLLECTIVE)
				put_collective(w, &step[i], index);
			else
				put_messages(w, &step[i], index);
}

static void write_program(uint64_t seed, const char *path)
{
	static const uint32_t most[] = {8, 8, 60, PROCESSES_MOST};
	struct error error;
	struct writing w = {.seed = hash_mix(seed + 1)};
	struct output *out = output_open(path, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	w.processes = 1 + draw(&w, most[draw(&w, COUNT(most))]);
	for (uint32_t phases = 1 + draw(&w, 4); phases > 0 && w.events < EVENTS; phases--)
		write_phase(&w);
	for (uint32_t p = 0; p < w.processes; p++) {
		if (w.stream[p].length)
			output_text(out, &w.stream[p]);
		text_clear(&w.stream[p]);
	}
	CU_ASSERT_TRUE_FATAL(output_close(out, &error));
}

/* ------------------------------------------------------------------ both sides */

struct listing {
	struct streams *streams;
	struct text text;
};

static bool list_event(
	void *context, uint32_t rank, uint32_t event, const struct trace_event *carried, struct error *error)
{
	(void)error;
	struct listing *l = context;
	event_print_as(streams_dictionary(l->streams, rank), event, rank, &l->text);
	event_values_print(carried, "all", false, &l->text);
	text_char(&l->text, '\n');
	return true;
}

static struct text of_trace(const char *path)
{
	struct error error = {0};
	struct listing l = {
		streams_open(path, &(struct streams_options){.trace.attributes = true, .jobs = 1}, &error), {0}};
	CU_ASSERT_PTR_NOT_NULL_FATAL(l.streams);
	CU_ASSERT(streams_read(l.streams, NULL, 1, &(struct streams_sink){&l, list_event}, &error));
	streams_close(l.streams);
	return l.text;
}

/* Of the text of a model, which is read again. */
static struct text of_model(const char *why, struct prepared *made, const char *path)
{
	struct text text = {0}, all = {0};
	struct error error = {0};
	module_print_text(made->module, NULL, &text);
	struct prepared *p = prepared_parse("model", text.data, text.length, &error);
	ROW(why, p != NULL);
	text_clear(&text);
	if (!p) {
		printf("%s: %s\n", why, error.message);
		return all;
	}
	struct ranks ranks = {0};
	struct output *out = output_open(path, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	ranks_add_run(&ranks, 0, p->module->processes - 1);
	ROW(why, expand_write(p->run, &ranks, &(struct expand_options){.values = "all"}, out, &error));
	CU_ASSERT(output_close(out, &error) && file_read(path, SIZE_MAX, &all, &error));
	ranks_clear(&ranks);
	prepared_free(p);
	return all;
}

/* The same text? The first line that differs is told. */
static bool is_same(const char *why, const char *have, const char *want)
{
	unsigned line = 1;
	for (; *have || *want; line++) {
		size_t length[] = {strcspn(have, "\n"), strcspn(want, "\n")};
		if (length[0] != length[1] || memcmp(have, want, length[0]) != 0) {
			printf("\n%s: event %u:\n  have %.*s\n  want %.*s\n", why, line, (int)length[0], have,
				(int)length[1], want);
			return false;
		}
		have += length[0] + (have[length[0]] == '\n');
		want += length[1] + (want[length[1]] == '\n');
	}
	return true;
}

static void compare(uint64_t seed, const struct program_options *options)
{
	char trace[] = "/tmp/tracenest-unit-XXXXXX", expanded[] = "/tmp/tracenest-unit-XXXXXX", why[48];
	struct program_facts facts;
	struct error error = {0};
	close(mkstemp(trace));
	close(mkstemp(expanded));
	snprintf(why, sizeof why, "seed %llu", (unsigned long long)seed);
	write_program(seed, trace);
	struct text own = of_trace(trace), said = {0};
	struct prepared *made = prepared_of_trace(trace, options, &facts, &error);
	if (made)
		said = of_model(why, made, expanded);
	else
		printf("%s: %s\n", why, error.message);
	bool same = made && is_same(why, said.data ? said.data : "", own.data ? own.data : "");
	ROW(why, same);
	if (!same && getenv("TRACENEST_KEEP"))
		printf("%s: its trace is %s\n", why, trace);
	else
		unlink(trace);
	unlink(expanded);
	text_clear(&own);
	text_clear(&said);
	prepared_free(made);
	program_facts_clear(&facts);
}

/* One seed alone: TRACENEST_SEED; with TRACENEST_KEEP the traces of those that fail stay. */
static void random_programs(void)
{
	static const uint32_t distinct[] = {0, 0, 1, 3};
	const char *only = getenv("TRACENEST_SEED");
	uint64_t first = only ? strtoull(only, NULL, 10) : 0, past = only ? first + 1 : rounds(40);
	for (uint64_t seed = first; seed < past && CU_get_number_of_failures() < 10; seed++) {
		struct program_options options = {PROGRAM_OPTIONS, .values = "all", .jobs = 1};
		options.trace.distinct = distinct[seed % COUNT(distinct)];
		compare(seed, &options);
	}
}

void suite_attributes(CU_pSuite suite)
{
	CU_add_test(suite, "random programs", random_programs);
}
