/*
 * spmd.c -- random SPMD programs: a tree of statements, each a loop or a pattern of communication
 * over a set of processes.
 *
 * A statement may be bound to some iterations of its loop (peeled first or last ones, every second
 * one), and a loop may be surrounded by copies of the end and the beginning of its own body, which
 * is what makes recognizers begin loops at different places on different processes. Patterns are
 * run message by message: a send is logged before its receive is, so no run can deadlock.
 */
#include "tests/spmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "merge/merge.h"
#include "nlr/nlr.h"

#define PROCESSES_MOST 12
#define STATEMENTS_MOST 64
#define EVENTS_MOST 12000

enum kind { LOOP, RING, HALO, PAIRS, WAVE, GRID_WAVE, TREE, GATHER, SYNC, BURST, DELAY, SELF, WORKERS, NOTE, KINDS };

static const char *const kind_name[KINDS] = {"loop", "ring", "halo", "pairs", "wave", "grid-wave", "tree", "gather",
	"sync", "burst", "delay", "self", "workers", "note"};

enum when { ALWAYS, FIRST, LAST, NOT_FIRST, NOT_LAST, EVERY_SECOND };

static const char *const when_name[] = {"", " first", " last", " not-first", " not-last", " every-second"};

struct statement {
	enum kind kind;
	enum when when;
	uint32_t who[PROCESSES_MOST]; /* ascending */
	uint32_t members;
	uint32_t tag; /* or communicator of a sync, 0: none */
	uint32_t width; /* of a grid; of a burst: messages per rank; of a delay: iterations */
	uint64_t count; /* of a loop */
	uint32_t tail, head; /* statements of a loop's body that stand before it, and behind it, once more */
	bool shuffled; /* receives in any order */
	bool off;
	uint32_t body[8]; /* statements */
	uint32_t length;
};

struct spmd {
	enum spmd_style style;
	uint64_t seed;
	uint32_t processes;
	struct statement statement[STATEMENTS_MOST];
	uint32_t statements;
	uint32_t body[8];
	uint32_t length;
	uint32_t tags;
};

uint64_t spmd_draw(uint64_t *seed, uint64_t below)
{
	*seed += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t x = *seed;
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (x ^ x >> 31) % below;
}

static uint32_t draw(struct spmd *p, uint32_t below)
{
	return (uint32_t)spmd_draw(&p->seed, below);
}

/* ------------------------------------------------------------------ programs */

/* A random subset of at least `least` of these, all of them more often than not. */
static void choose_who(struct spmd *p, struct statement *s, const uint32_t *from, uint32_t members, uint32_t least)
{
	uint32_t first = 0, past = members, step = 1;
	switch (draw(p, 6)) {
	case 0:
		first = draw(p, members);
		past = first + 1 + draw(p, members - first);
		break;
	case 1:
		first = draw(p, 2);
		step = 2;
		break;
	default:
		break;
	}
	s->members = 0;
	for (uint32_t i = first; i < past; i += step)
		s->who[s->members++] = from[i];
	if (s->members >= least)
		return;
	memcpy(s->who, from, members * sizeof *from);
	s->members = members;
}

static uint32_t choose_tag(struct spmd *p)
{
	return p->style == SPMD_ALIGNED ? ++p->tags : 1 + draw(p, 3);
}

static uint64_t weight(const struct spmd *p, const struct statement *s)
{
	uint64_t sum = 0;
	switch (s->kind) {
	case LOOP:
		for (uint32_t i = 0; i < s->length; i++)
			sum += weight(p, &p->statement[s->body[i]]);
		return sum * s->count;
	case WORKERS:
		return (uint64_t)4 * s->width;
	case BURST:
		return (uint64_t)2 * s->width * s->members;
	default:
		return (uint64_t)4 * s->members;
	}
}

/* Patterns that every member takes part in, and that connect them. */
static enum kind connecting_kind(struct spmd *p)
{
	static const enum kind kinds[] = {RING, HALO, WAVE, GRID_WAVE, TREE, SYNC, SYNC, GATHER};
	return kinds[draw(p, sizeof kinds / sizeof *kinds)];
}

static enum kind any_kind(struct spmd *p)
{
	return p->style == SPMD_ALIGNED ? (draw(p, 8) ? connecting_kind(p) : NOTE)
					: (enum kind)(RING + draw(p, KINDS - RING));
}

static struct statement *statement_new(struct spmd *p, enum kind kind, uint32_t *list, uint32_t *length)
{
	struct statement *s = &p->statement[p->statements];
	*s = (struct statement){.kind = kind};
	list[(*length)++] = p->statements++;
	return s;
}

static void add_pattern(struct spmd *p, enum kind kind, uint32_t *list, uint32_t *length, const uint32_t *who,
	uint32_t members, bool everyone)
{
	struct statement *s = statement_new(p, kind, list, length);
	bool free = p->style == SPMD_ANY;
	if (everyone) {
		memcpy(s->who, who, members * sizeof *who);
		s->members = members;
	} else {
		choose_who(p, s, who, members, kind == NOTE || (free && kind == SYNC) ? 1 : 2);
	}
	s->tag = choose_tag(p);
	if (free && kind == SYNC && draw(p, 2))
		s->tag = 0;
	s->width = 1 + draw(p, kind == GRID_WAVE ? s->members : 3);
	if (kind == WORKERS)
		s->width = 3 + draw(p, 12);
	s->shuffled = free && !draw(p, 6);
	s->when = free && !draw(p, 5) ? (enum when)draw(p, EVERY_SECOND + 1) : ALWAYS;
}

static uint64_t choose_count(struct spmd *p, uint64_t body, uint64_t budget)
{
	static const uint32_t counts[] = {3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 30, 60, 100};
	uint64_t count = counts[draw(p, sizeof counts / sizeof *counts)];
	while (count > 3 && count * body > budget)
		count = count / 2 < 3 ? 3 : count / 2;
	return p->style == SPMD_ANY && !draw(p, 12) ? 1 + draw(p, 3) : count;
}

static void add_loop(struct spmd *p, uint32_t *list, uint32_t *length, const uint32_t *who, uint32_t members,
	unsigned depth, uint64_t budget)
{
	struct statement *s = statement_new(p, LOOP, list, length);
	choose_who(p, s, who, members, 2);
	uint32_t others = 1 + draw(p, 4), connects = draw(p, others);
	for (uint32_t i = 0; i < others; i++) {
		bool room = p->statements + 8 < STATEMENTS_MOST;
		if (i == connects)
			add_pattern(p, connecting_kind(p), s->body, &s->length, s->who, s->members, true);
		else if (room && depth < 3 && !draw(p, 3))
			add_loop(p, s->body, &s->length, s->who, s->members, depth + 1, budget / 4);
		else if (room)
			add_pattern(p, any_kind(p), s->body, &s->length, s->who, s->members, false);
	}
	s->count = 1;
	s->count = choose_count(p, weight(p, s), budget);
	if (p->style == SPMD_ANY && !draw(p, 3)) {
		s->tail = draw(p, s->length + 1);
		s->head = draw(p, s->length + 1);
	}
}

struct spmd *spmd_new(uint64_t seed, enum spmd_style style)
{
	struct spmd *p = mem_zero(sizeof *p);
	p->seed = seed * SPMD_STYLES + style;
	p->style = style;
	p->processes = 2 + draw(p, draw(p, 3) ? 7 : PROCESSES_MOST - 1);
	uint32_t everybody[PROCESSES_MOST];
	for (uint32_t i = 0; i < p->processes; i++)
		everybody[i] = i;
	uint32_t statements = 1 + draw(p, 5);
	for (uint32_t i = 0; i < statements; i++)
		if (draw(p, 3))
			add_loop(p, p->body, &p->length, everybody, p->processes, 0, EVENTS_MOST / statements);
		else
			add_pattern(p, any_kind(p), p->body, &p->length, everybody, p->processes, false);
	return p;
}

void spmd_free(struct spmd *p)
{
	free(p);
}

uint32_t spmd_processes(const struct spmd *p)
{
	return p->processes;
}

size_t spmd_statements(const struct spmd *p)
{
	return p->statements;
}

bool spmd_off(struct spmd *p, size_t statement, bool off)
{
	bool was = p->statement[statement].off;
	p->statement[statement].off = off;
	return was;
}

uint64_t spmd_count(struct spmd *p, size_t statement, uint64_t count)
{
	struct statement *s = &p->statement[statement];
	uint64_t was = s->count;
	if (s->kind == LOOP)
		s->count = count;
	return was;
}

/* ------------------------------------------------------------------ programs for people */

static void print_who(const struct statement *s, struct text *out)
{
	struct ranks who = {0};
	for (uint32_t i = 0; i < s->members; i++)
		ranks_add(&who, s->who[i]);
	ranks_print(&who, out);
	ranks_clear(&who);
}

static void print_body(const struct spmd *p, const uint32_t *body, uint32_t length, int depth, struct text *out)
{
	for (uint32_t i = 0; i < length; i++) {
		const struct statement *s = &p->statement[body[i]];
		if (s->off)
			continue;
		text_format(out, "%*s[", 2 * depth, "");
		print_who(s, out);
		text_format(out, "] %s", kind_name[s->kind]);
		if (s->kind == LOOP) {
			text_format(out, " %llu", (unsigned long long)s->count);
			if (s->tail || s->head)
				text_format(out, " between its last %u and its first %u", s->tail, s->head);
			text_char(out, '\n');
			print_body(p, s->body, s->length, depth + 1, out);
			continue;
		}
		text_format(out, " tag%u width=%u%s%s\n", s->tag, s->width, s->shuffled ? " shuffled" : "",
			when_name[s->when]);
	}
}

void spmd_print(const struct spmd *p, struct text *out)
{
	print_body(p, p->body, p->length, 0, out);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_loops(const struct spmd *p, const uint32_t *body, uint32_t length, struct text *out)
{
	char *part[8];
	size_t parts = 0;
	for (uint32_t i = 0; i < length; i++) {
		const struct statement *s = &p->statement[body[i]];
		if (s->kind != LOOP || s->off)
			continue;
		struct text one = {0};
		text_format(&one, "%llux", (unsigned long long)s->count);
		print_who(s, &one);
		text_char(&one, '(');
		print_loops(p, s->body, s->length, &one);
		text_char(&one, ')');
		part[parts++] = one.data;
	}
	qsort(part, parts, sizeof *part, by_text);
	for (size_t i = 0; i < parts; i++) {
		text_put(out, part[i]);
		free(part[i]);
	}
}

void spmd_print_loops(const struct spmd *p, struct text *out)
{
	text_put(out, "");
	print_loops(p, p->body, p->length, out);
}

/* ------------------------------------------------------------------ runs */

struct runner {
	const struct spmd *program;
	struct spmd_run *run;
	uint64_t seed;
	uint64_t pending[STATEMENTS_MOST]; /* delayed messages on the way, per pair */
	uint32_t world; /* the set of all processes */
};

static void log_event(struct runner *r, uint32_t process, const struct event *e)
{
	struct stream *s = &r->run->stream[process];
	s->event = mem_grow(s->event, &s->capacity, s->length + 1, sizeof *s->event);
	s->event[s->length++] = dictionary_event(r->run->dictionary, e);
	r->run->events++;
}

static uint32_t tag_id(struct runner *r, const struct statement *s)
{
	struct dictionary *d = r->run->dictionary;
	return dictionary_tag(d, &(struct tag){dictionary_word(d, "t", 1), true, s->tag, NO_COMMUNICATOR});
}

static void log_send(struct runner *r, const struct statement *s, uint32_t from, uint32_t to)
{
	log_event(r, from, &(struct event){EVENT_SEND, from, to, tag_id(r, s), EVENT_CONSTANT});
}

static void log_receive(struct runner *r, const struct statement *s, uint32_t from, uint32_t to)
{
	log_event(r, to, &(struct event){EVENT_RECV, to, from, tag_id(r, s), EVENT_CONSTANT});
}

static void message(struct runner *r, const struct statement *s, uint32_t from, uint32_t to)
{
	log_send(r, s, from, to);
	log_receive(r, s, from, to);
}

static void shuffle(struct runner *r, uint32_t *list, uint32_t length)
{
	for (uint32_t i = length; i > 1; i--) {
		uint32_t k = (uint32_t)spmd_draw(&r->seed, i), other = list[k];
		list[k] = list[i - 1];
		list[i - 1] = other;
	}
}

/* Everyone sends to its neighbours, then receives from them: at distance 1, on a line or a ring. */
static void run_neighbours(struct runner *r, const struct statement *s, bool around)
{
	uint32_t n = s->members;
	for (uint32_t i = 0; i < n; i++) {
		if (i && !around)
			log_send(r, s, s->who[i], s->who[i - 1]);
		if (around || i + 1 < n)
			log_send(r, s, s->who[i], s->who[(i + 1) % n]);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from[2], sources = 0;
		if (around || i)
			from[sources++] = s->who[(i + n - 1) % n];
		if (!around && i + 1 < n)
			from[sources++] = s->who[i + 1];
		if (s->shuffled)
			shuffle(r, from, sources);
		for (uint32_t k = 0; k < sources; k++)
			log_receive(r, s, from[k], s->who[i]);
	}
}

static void run_grid_wave(struct runner *r, const struct statement *s, uint32_t width)
{
	for (uint32_t i = 0; i < s->members; i++) {
		if (i % width)
			log_receive(r, s, s->who[i - 1], s->who[i]);
		if (i >= width)
			log_receive(r, s, s->who[i - width], s->who[i]);
		if ((i + 1) % width && i + 1 < s->members)
			log_send(r, s, s->who[i], s->who[i + 1]);
		if (i + width < s->members)
			log_send(r, s, s->who[i], s->who[i + width]);
	}
}

static void run_tree(struct runner *r, const struct statement *s)
{
	for (uint32_t distance = 1; distance < s->members; distance *= 2)
		for (uint32_t i = 0; i < distance && i + distance < s->members; i++)
			message(r, s, s->who[i], s->who[i + distance]);
}

static void run_gather(struct runner *r, const struct statement *s)
{
	uint32_t source[PROCESSES_MOST];
	memcpy(source, s->who, sizeof source);
	if (s->shuffled)
		shuffle(r, source + 1, s->members - 1);
	for (uint32_t i = 1; i < s->members; i++)
		log_send(r, s, s->who[i], s->who[0]);
	for (uint32_t i = 1; i < s->members; i++)
		log_receive(r, s, source[i], s->who[0]);
}

static void run_sync(struct runner *r, const struct statement *s)
{
	static const char *const names[] = {"MPI_Allreduce", "MPI_Barrier", "MPI_Bcast"};
	const char *name = names[s->width - 1];
	struct dictionary *d = r->run->dictionary;
	struct ranks who = {0};
	for (uint32_t i = 0; i < s->members; i++)
		ranks_add(&who, s->who[i]);
	uint32_t group = dictionary_ranks(d, &who);
	ranks_clear(&who);
	struct sync sync = {dictionary_word(d, name, strlen(name)), group, s->tag ? (int64_t)s->tag : NO_COMMUNICATOR};
	uint32_t subject = dictionary_sync(d, &sync);
	for (uint32_t i = 0; i < s->members; i++)
		log_event(r, s->who[i],
			&(struct event){EVENT_SYNC, dictionary_rank(d, s->who[i]), s->width == 3 ? s->who[0] : NO_ROOT,
				subject, EVENT_CONSTANT});
}

/* The i-th member sends i * width + 1 messages to the next one. */
static void run_burst(struct runner *r, const struct statement *s)
{
	for (uint32_t i = 0; i + 1 < s->members; i += 2)
		for (uint32_t k = 0; k <= i * s->width; k++)
			message(r, s, s->who[i], s->who[i + 1]);
}

/* Who gets a delayed message of the i-th member: the next one, or itself. */
static uint32_t delayed_to(const struct statement *s, uint32_t i)
{
	return s->kind == SELF ? s->who[i] : s->who[i + 1];
}

static uint32_t delayed_messages(const struct statement *s)
{
	return s->kind == SELF ? s->members : s->members - 1;
}

static void receive_delayed(struct runner *r, const struct statement *s, uint64_t *pending)
{
	for (uint32_t i = 0; i < delayed_messages(s); i++)
		log_receive(r, s, s->who[i], delayed_to(s, i));
	--*pending;
}

static void run_delay(struct runner *r, const struct statement *s)
{
	uint64_t *pending = &r->pending[s - r->program->statement], most = s->kind == SELF ? s->width - 1 : s->width;
	for (uint32_t i = 0; i < delayed_messages(s); i++)
		log_send(r, s, s->who[i], delayed_to(s, i));
	if (++*pending > most)
		receive_delayed(r, s, pending);
}

static void run_workers(struct runner *r, const struct statement *s)
{
	for (uint32_t task = 0; task < s->width; task++) {
		uint32_t worker = s->who[1 + spmd_draw(&r->seed, s->members - 1)];
		message(r, s, s->who[0], worker);
		message(r, s, worker, s->who[0]);
	}
}

/* What meets nobody. */
static void run_note(struct runner *r, const struct statement *s)
{
	static const enum event_kind kinds[] = {EVENT_LOCAL, EVENT_PUT, EVENT_LOCK_ALL, EVENT_FETCH_AND_OP};
	struct dictionary *d = r->run->dictionary;
	enum event_kind kind = kinds[s->tag % 4];
	char words[32];
	int length = snprintf(words, sizeof words, "step %u", s->tag);
	struct tag window = {dictionary_word(d, "win", 3), true, s->tag, NO_COMMUNICATOR};
	uint32_t subject = kind == EVENT_LOCAL ? dictionary_word(d, words, (size_t)length) : dictionary_tag(d, &window);
	for (uint32_t i = 0; i < s->members; i++) {
		uint32_t peer = kind == EVENT_PUT            ? s->who[(i + 1) % s->members]
				: kind == EVENT_FETCH_AND_OP ? s->who[0]
							     : 0;
		log_event(r, s->who[i], &(struct event){kind, s->who[i], peer, subject, EVENT_CONSTANT});
	}
}

static bool happens(enum when when, uint64_t iteration, uint64_t count)
{
	switch (when) {
	case FIRST:
		return iteration == 0;
	case LAST:
		return iteration + 1 == count;
	case NOT_FIRST:
		return iteration > 0;
	case NOT_LAST:
		return iteration + 1 < count;
	case EVERY_SECOND:
		return iteration % 2 == 0;
	case ALWAYS:
	default:
		return true;
	}
}

static void run_statement(struct runner *r, const struct statement *s);

static void run_body(struct runner *r, const uint32_t *body, uint32_t length, uint64_t iteration, uint64_t count)
{
	for (uint32_t i = 0; i < length; i++) {
		const struct statement *s = &r->program->statement[body[i]];
		if (!s->off && happens(s->when, iteration, count))
			run_statement(r, s);
	}
}

/* Receive what is still on the way of delayed messages. */
static void drain(struct runner *r, const uint32_t *body, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		while (r->pending[body[i]])
			receive_delayed(r, &r->program->statement[body[i]], &r->pending[body[i]]);
}

static void run_loop(struct runner *r, const struct statement *s)
{
	run_body(r, s->body + s->length - s->tail, s->tail, 0, 1);
	for (uint64_t i = 0; i < s->count; i++)
		run_body(r, s->body, s->length, i, s->count);
	run_body(r, s->body, s->head, 0, 1);
	drain(r, s->body, s->length);
}

static void run_statement(struct runner *r, const struct statement *s)
{
	switch (s->kind) {
	case LOOP:
		run_loop(r, s);
		break;
	case RING:
		run_neighbours(r, s, true);
		break;
	case HALO:
		run_neighbours(r, s, false);
		break;
	case PAIRS:
		for (uint32_t i = 0; i + 1 < s->members; i += 2) {
			message(r, s, s->who[i], s->who[i + 1]);
			message(r, s, s->who[i + 1], s->who[i]);
		}
		break;
	case WAVE:
		for (uint32_t i = 0; i + 1 < s->members; i++)
			message(r, s, s->who[i], s->who[i + 1]);
		break;
	case GRID_WAVE:
		run_grid_wave(r, s, s->width);
		break;
	case TREE:
		run_tree(r, s);
		break;
	case GATHER:
		run_gather(r, s);
		break;
	case SYNC:
		run_sync(r, s);
		break;
	case BURST:
		run_burst(r, s);
		break;
	case DELAY:
	case SELF:
		run_delay(r, s);
		break;
	case WORKERS:
		run_workers(r, s);
		break;
	case NOTE:
	case KINDS:
		run_note(r, s);
		break;
	}
}

struct spmd_run *spmd_run(const struct spmd *p)
{
	struct spmd_run *run = mem_zero(sizeof *run);
	run->dictionary = dictionary_new();
	run->processes = p->processes;
	run->stream = mem_zero(p->processes * sizeof *run->stream);
	struct runner *r = mem_zero(sizeof *r);
	*r = (struct runner){.program = p, .run = run, .seed = p->seed};
	run_body(r, p->body, p->length, 0, 1);
	drain(r, p->body, p->length);
	free(r);
	return run;
}

void spmd_run_free(struct spmd_run *run)
{
	streams_free(run->stream, run->processes);
	dictionary_free(run->dictionary);
	free(run);
}

struct model *spmd_model(const struct spmd_run *run)
{
	struct model *local = model_new();
	local->processes = run->processes;
	uint32_t *map = dictionary_import(local->dictionary, run->dictionary, NULL, false);
	for (uint32_t p = 0; p < run->processes; p++) {
		struct nlr *r = nlr_new(NULL);
		for (size_t i = 0; i < run->stream[p].length; i++)
			nlr_push(r, map[run->stream[p].event[i]]);
		struct nest *n = nlr_finish(r);
		nest_append_all(local->nest, n, NULL);
		nest_free(n);
	}
	free(map);
	struct model *global = merge_reduce(local, NULL, NULL);
	model_free(local);
	return global;
}
