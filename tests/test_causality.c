/*
 * test_causality.c -- programs that can happen, and programs that cannot.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/causality.h"
#include "ask/consistency.h"
#include "ask/event_numbers.h"
#include "base/mem.h"
#include "tests/executed.h"
#include "tests/rows.h"
#include "tests/unit.h"

#define HEAD "// tracenest 1\n// processes 4\n"
#define RANKS 4u

/* ------------------------------------------------------------------ rows */

static const struct {
	const char *why, *text;
	bool proven; /* complete, and by the order of the text */
	const char *cycle; /* NULL: there is none */
} cases[] = {
	{"nothing", HEAD, true, NULL},
	{"a send before its receive", HEAD "0 send 1 t\n0 recv 1 t\n", true, NULL},
	{"listed the other way round it can happen, too", HEAD "0 recv 1 t\n0 send 1 t\n", true, NULL},
	{"each receives before it sends", HEAD "1 recv 0 b\n0 send 1 a\n0 recv 1 a\n1 send 0 b\n", false,
		"\n  rank 0, position 0: '1 recv 0 b', which rank 1 sends later\n  rank 1, position 0: '0 recv 1 a', which rank 0 sends later"},
	{"to itself", HEAD "0 local x\n0 recv 0 t\n0 send 0 t\n", false,
		"\n  rank 0, position 1: '0 recv 0 t', which rank 0 sends later"},
	{"a ring in which all receive first",
		HEAD "[0-3] for i0 = 0 to 9\n[0-3] (p-1)%4 recv p t\n[0-3] p send (p+1)%4 t\ndone\n", false,
		"\n  rank 0, position 0: '3 recv 0 t', which rank 3 sends later\n  rank 3, position 0: '2 recv 3 t', which rank 2 sends later"
		"\n  rank 2, position 0: '1 recv 2 t', which rank 1 sends later\n  rank 1, position 0: '0 recv 1 t', which rank 0 sends later"},
	{"in which all send first",
		HEAD "[0-3] for i0 = 0 to 9\n[0-3] p send (p+1)%4 t\n[0-3] (p-1)%4 recv p t\ndone\n", true, NULL},
	{"a line in which all but the first receive first",
		HEAD "[0-3] for i0 = 0 to 9\n[1-3] p-1 recv p t\n[0-2] p send p+1 t\ndone\n", true, NULL},
	{"sent an iteration before",
		HEAD "0 send 1 t\nfor i0 = 0 to 99999999999\n0 recv 1 t\n0 send 1 t\ndone\n0 recv 1 t\n", true, NULL},
	{"as many before as are received later",
		HEAD "for i0 = 0 to 9\n0 send 1 t\ndone\nfor i0 = 0 to 4\n0 recv 1 t\n0 recv 1 t\ndone\n", true, NULL},
	{"one too few before",
		HEAD
		"for i0 = 0 to 8\n0 send 1 t\n0 send 1 u\ndone\nfor i0 = 0 to 9\n0 recv 1 t\ndone\n0 send 1 t\nfor i0 = 0 to 8\n0 recv 1 u\ndone\n",
		true, NULL},
	{"other tags do not help",
		HEAD "0 send 1 t\n0 recv 1 t\n1 recv 0 tag7\n0 recv 1 tag7\n1 send 0 tag7\n0 send 1 tag7\n", false,
		"\n  rank 0, position 1: '1 recv 0 tag7', which rank 1 sends later\n  rank 1, position 1: '0 recv 1 tag7', which rank 0 sends later"},
	{"tags that count",
		HEAD "[0-3] for i0 = 0 to 99999\n[0-2] p send p+1 tag{i0}\n[1-3] p-1 recv p tag{i0}\ndone\n", true,
		NULL},
	{"and are late by one",
		HEAD "for i0 = 0 to 4\n0 send 1 tag{1+i0}\n0 recv 1 tag{i0}\ndone\n0 send 1 tag0\n0 recv 1 tag5\n",
		false, NULL},
	{"peers that advance", HEAD "for i0 = 0 to 2\n0 send {1+i0} t\ndone\n0 recv 1 t\n0 recv 2 t\n0 recv 3 t\n",
		true, NULL},
	{"a barrier between a receive and its send", HEAD "0-3 sync MPI_Barrier 0-3\n1 send 0 t\n1 recv 0 t\n", true,
		NULL},
	{"on the wrong side of it", HEAD "1 recv 0 t\n[0-3] p sync MPI_Barrier 0-3\n1 send 0 t\n", false,
		"\n  rank 0, position 0: '1 recv 0 t', which rank 1 sends later\n  rank 1, position 0: '1 sync MPI_Barrier 0-3', to which rank 0 comes later"},
	{"a broadcast holds those who are not the root",
		HEAD "0 recv 1 t\n[0-3] p sync MPI_Bcast 0-3 root=0\n0 send 1 t\n", false, NULL},
	{"... until the root comes", HEAD "1 recv 0 t\n[0-3] p sync MPI_Bcast 0-3 root=0\n1 send 0 t\n", false,
		"\n  rank 0, position 0: '1 recv 0 t', which rank 1 sends later\n  rank 1, position 0: '1 sync MPI_Bcast 0-3 root=0', to which rank 0 comes later"},
	{"a reduction holds the root", HEAD "0 recv 1 t\n[0-3] p sync MPI_Reduce 0-3 root=0\n0 send 1 t\n", false,
		"\n  rank 0, position 0: '0 sync MPI_Reduce 0-3 root=0', to which rank 1 comes later\n  rank 1, position 0: '0 recv 1 t', which rank 0 sends later"},
	{"... but nobody else", HEAD "1 recv 0 t\n[0-3] p sync MPI_Reduce 0-3 root=0\n1 send 0 t\n", false, NULL},
	{"of other collectives nothing is known", HEAD "1 recv 0 t\n[0-3] p sync S 0-3\n1 send 0 t\n", true, NULL},
	{"barriers cross",
		HEAD
		"0 sync MPI_Barrier 0-1\n1 sync MPI_Barrier 0-1@2\n0 sync MPI_Barrier 0-1@2\n1 sync MPI_Barrier 0-1\n",
		false,
		"\n  rank 0, position 0: '0 sync MPI_Barrier 0-1', to which rank 1 comes later\n  rank 1, position 0: '1 sync MPI_Barrier 0-1@2', to which rank 0 comes later"},
	{"a ring that turns",
		HEAD "[0-3] for i0 = 0 to 8\n[0-3] p send (p+1+i0)%4 t\n[0-3] (p-1-i0)%4 recv p t\ndone\n", true, NULL},
	{"... with some who do not take part",
		HEAD "[0-2] for i0 = 0 to 8\n[0-2] p send (p+1+i0)%3 t\n[0-2] (p-1-i0)%3 recv p t\ndone\n", true, NULL},
	{"... or do not receive",
		HEAD "[0-3] for i0 = 0 to 0\n[1-2] p send (p+1+i0)%4 t\n[2-3] (p-1-i0)%4 recv p t\ndone\n", true, NULL},
	{"a barrier for each line of the grid",
		"// tracenest 1\n// processes 4\n// grid 2 2\n[0-3] for i0 = 0 to 9999999999\n[0-3] p sync MPI_Barrier @(*,y)\ndone\n",
		true, NULL},
	{"a barrier of each communicator",
		HEAD "[0-3] for i0 = 0 to 9999999999\n[0-3] p sync MPI_Barrier @{p%2+2*i0}\ndone\n", true, NULL},
};

static enum schedule find(struct run *run, enum sending sending, struct text *cycle)
{
	return schedule_find(run, sending, SCHEDULE_BUDGET, cycle);
}

/* By counting, and the order of the text. */
static bool is_proven(struct run *run)
{
	struct consistency c;
	consistency_of(run, &c);
	bool proven = c.schedule == SCHEDULE_THERE && !c.run;
	consistency_clear(&c);
	return proven;
}

static void test_cases(void)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct executed x = executed_of_text(cases[i].text);
		struct text cycle = {0};
		bool proven = is_proven(x.run);
		enum schedule found = find(x.run, SENDS_BUFFERED, &cycle);
		ROW(cases[i].why, proven == cases[i].proven);
		ROW(cases[i].why, (found == SCHEDULE_CYCLE) == (cases[i].cycle != NULL));
		row_same(cases[i].why, cycle.data ? cycle.data : "", cases[i].cycle ? cases[i].cycle : "");
		text_clear(&cycle);
		executed_clear(&x);
	}
}

static const struct {
	const char *why, *text, *receive; /* NULL: well listed */
} listed[] = {
	{"a send first", HEAD "for i0 = 0 to 9\n0 send 1 t\n0 recv 1 t\ndone\n", NULL},
	{"its receive first", HEAD "for i0 = 0 to 9\n0 recv 1 t\n0 send 1 t\ndone\n", "0.0"},
	{"deeper",
		HEAD
		"0 local x\nfor i0 = 0 to 9\nfor i1 = 0 to 1\n0 send 1 t\n0 recv 1 t\n0 recv 1 tag{i1}\n0 send 1 tag{i1}\ndone\ndone\n",
		"1.0.2"},
	{"of several the first",
		HEAD
		"for i0 = 0 to 9\n0 recv 1 tag{i0}\n0 send 1 tag{i0}\ndone\nfor i0 = 0 to 9\n0 recv 1 t\n0 send 1 t\ndone\n",
		"0.0"},
	{"it receives what was sent before the loop",
		HEAD
		"0 send 1 tag12\n0 send 1 tag15\nfor i0 = 0 to 1\n0 recv 1 tag{12+3*i0}\n0 send 1 tag{12+3*i0}\ndone\n0 recv 1 tag12\n0 recv 1 tag15\n",
		NULL},
	{"outside of loops the order is free", HEAD "0 recv 1 t\n0 send 1 t\n", NULL},
	{"... where any statement is over a set",
		HEAD "for i0 = 0 to 9\n0 recv 1 t\n0 send 1 t\ndone\n[0-1] p local x\n", NULL},
	{"over sets, too", HEAD "for i0 = 0 to 9\n[1] 0 recv p t\n[0] p send 1 t\ndone\n", NULL},
	{"what loops inside send is not looked at",
		HEAD "for i0 = 0 to 9\n0 recv 1 t\nfor i1 = 0 to 0\n0 send 1 t\ndone\ndone\n", NULL},
	{"what was sent an iteration before", HEAD "for i0 = 0 to 9\n0 recv 0 t\n0 send 0 t\ndone\n", NULL},
};

static void test_listed(void)
{
	for (size_t i = 0; i < COUNT(listed); i++) {
		struct executed x = executed_of_text(listed[i].text);
		struct text address = {0};
		struct consistency c;
		consistency_of(x.run, &c);
		ROW(listed[i].why, c.facts->known);
		text_format(&address, "%.*s", (int)strcspn(c.listing.message, ":"), c.listing.message);
		consistency_clear(&c);
		row_same(listed[i].why, address.data, listed[i].receive ? listed[i].receive : "");
		text_clear(&address);
		executed_clear(&x);
	}
}

/* ----------------------------------------------------------------- random programs, run naively */

struct events {
	struct event_numbers *event;
	size_t length, capacity, done;
};

static uint32_t peer_of(const struct event_numbers *e)
{
	return (uint32_t)e->number[COLUMN_PEER];
}

static bool is_like(const struct event_numbers *a, const struct event_numbers *b)
{
	return a->word == b->word && a->number[COLUMN_TAG] == b->number[COLUMN_TAG] &&
	       a->number[COLUMN_COMMUNICATOR] == b->number[COLUMN_COMMUNICATOR];
}

static struct events events_of(struct run *run, uint32_t rank)
{
	struct events e = {0};
	struct cursor *c = cursor_new(run, rank);
	struct member_sets *members = member_sets_new(run);
	while (cursor_next(c)) {
		e.event = mem_grow(e.event, &e.capacity, e.length + 1, sizeof *e.event);
		event_numbers_at(&c->at, members, c->event, &e.event[e.length++]);
	}
	member_sets_free(members);
	cursor_free(c);
	return e;
}

/* Events like this one that the process has done. */
static uint64_t done(const struct events *e, uint32_t kind, uint32_t peer, const struct event_numbers *like)
{
	uint64_t count = 0;
	for (size_t i = 0; i < e->done; i++) {
		const struct event_numbers *x = &e->event[i];
		count += x->kind == kind && is_like(x, like) && (kind == EVENT_SYNC || peer_of(x) == peer);
	}
	return count;
}

/* Barriers are of all ranks here; one is done by all at once. */
static bool all_at_barrier(const struct events *e)
{
	for (uint32_t p = 0; p < RANKS; p++)
		if (e[p].done == e[p].length || e[p].event[e[p].done].kind != EVENT_SYNC)
			return false;
	return true;
}

static bool can_happen(struct events *e)
{
	for (bool more = true; more;) {
		more = false;
		for (uint32_t p = 0; p < RANKS; p++) {
			const struct event_numbers *next = &e[p].event[e[p].done];
			if (e[p].done == e[p].length || next->kind == EVENT_SYNC)
				continue;
			if (next->kind == EVENT_RECV && done(&e[peer_of(next)], EVENT_SEND, p, next) <=
								done(&e[p], EVENT_RECV, peer_of(next), next))
				continue;
			e[p].done++;
			more = true;
		}
		if (!more && all_at_barrier(e)) {
			for (uint32_t p = 0; p < RANKS; p++)
				e[p].done++;
			more = true;
		}
	}
	bool all = true;
	for (uint32_t p = 0; p < RANKS; p++)
		all = all && e[p].done == e[p].length;
	return all;
}

/* The same where each send and its receive are done at once. */
static bool can_meet(struct events *e)
{
	for (uint32_t p = 0; p < RANKS; p++)
		e[p].done = 0;
	bool all = true;
	for (bool more = true; more;) {
		more = all_at_barrier(e);
		for (uint32_t p = 0; p < RANKS && more; p++)
			e[p].done++;
		for (uint32_t p = 0; p < RANKS; p++) {
			const struct event_numbers *next = &e[p].event[e[p].done], *other;
			if (e[p].done == e[p].length || next->kind != EVENT_SEND || peer_of(next) == p ||
				e[peer_of(next)].done == e[peer_of(next)].length)
				continue;
			other = &e[peer_of(next)].event[e[peer_of(next)].done];
			if (other->kind != EVENT_RECV || peer_of(other) != p || !is_like(other, next))
				continue;
			e[peer_of(next)].done++;
			e[p].done++;
			more = true;
		}
	}
	for (uint32_t p = 0; p < RANKS; p++)
		all = all && e[p].done == e[p].length;
	return all;
}

static unsigned draw(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % below;
}

#define LINES 64

/* A body: messages whose two ends stand anywhere in it, barriers, loops. Each iteration receives
   what it sends. */
static void put_body(struct text *out, unsigned depth, unsigned *seed)
{
	char line[LINES][512];
	unsigned lines = 0, messages = 1 + draw(seed, 4), ordered = draw(seed, 3);
	for (unsigned i = 0; i < messages; i++) {
		unsigned from = draw(seed, RANKS), to = draw(seed, RANKS), tag = draw(seed, 2);
		bool counts = depth && !draw(seed, 3);
		char name[16];
		snprintf(name, sizeof name, counts ? "tag{i%u}" : "t%u", counts ? depth - 1 : tag);
		bool folded = draw(seed, 2);
		snprintf(line[lines++], sizeof *line, folded ? "[%u] p send %u %s\n" : "%u send %u %s\n", from, to,
			name);
		snprintf(line[lines++], sizeof *line, "%u recv %u %s\n", from, to, name);
	}
	if (!draw(seed, 3))
		snprintf(line[lines++], sizeof *line, "0-3 sync MPI_Barrier 0-3\n");
	for (unsigned loops = depth < 2 ? draw(seed, 2) : 0; loops; loops--) {
		struct text inside = {0};
		text_format(&inside, "for i%u = 0 to %u\n", depth, draw(seed, 3));
		put_body(&inside, depth + 1, seed);
		text_put(&inside, "done\n");
		if (inside.length < sizeof *line)
			strcpy(line[lines++], inside.data);
		text_clear(&inside);
	}
	for (unsigned i = lines; i > 1 && ordered; i--) {
		unsigned k = ordered == 1 ? i - 1 - draw(seed, i < 3 ? i : 3) : draw(seed, i);
		char swap[sizeof *line];
		memcpy(swap, line[k], sizeof swap);
		memmove(line[k], line[i - 1], sizeof swap);
		memcpy(line[i - 1], swap, sizeof swap);
	}
	for (unsigned i = 0; i < lines; i++)
		text_put(out, line[i]);
}

/* A client of the execution: marks tell which event of which process they are of. */
struct seen {
	const struct events *all;
	uint64_t done[RANKS]; /* events */
	uint64_t wrong;
};

static uint64_t mark_of(uint32_t rank, uint64_t position)
{
	return (position << 8 | rank) + 1;
}

/* The largest mark of the barrier that is the process's k-th; of all ranks. */
static uint64_t last_to_come(const struct events *all, const struct event_numbers *barrier, uint64_t k)
{
	uint64_t last = 0;
	for (uint32_t p = 0; p < RANKS; p++)
		for (uint64_t i = 0, nth = 0; i < all[p].length; i++)
			if (all[p].event[i].kind == EVENT_SYNC && is_like(&all[p].event[i], barrier) && nth++ == k)
				last = mark_of(p, i) > last ? mark_of(p, i) : last;
	return last;
}

/* The mark that comes with an event, found by counting. */
static uint64_t expected_mark(const struct events *all, uint32_t rank, uint64_t at)
{
	const struct event_numbers *e = &all[rank].event[at];
	uint64_t before = 0, nth = 0;
	for (uint64_t i = 0; i < at; i++) {
		const struct event_numbers *x = &all[rank].event[i];
		before += x->kind == e->kind && is_like(x, e) && (e->kind == EVENT_SYNC || peer_of(x) == peer_of(e));
	}
	if (e->kind == EVENT_SYNC)
		return last_to_come(all, e, before);
	if (e->kind != EVENT_RECV)
		return 0;
	for (uint64_t i = 0; i < all[peer_of(e)].length; i++) {
		const struct event_numbers *x = &all[peer_of(e)].event[i];
		if (x->kind == EVENT_SEND && peer_of(x) == rank && is_like(x, e) && nth++ == before)
			return mark_of(peer_of(e), i);
	}
	return 0;
}

static uint64_t see_coming(void *context, uint32_t rank, struct cursor *at, const struct schedule_part *part)
{
	struct seen *s = context;
	const struct event_numbers *e = &s->all[rank].event[s->done[rank]];
	s->wrong += part || node_of(at->at.store, at->event)->sub != e->kind;
	return mark_of(rank, s->done[rank]);
}

static bool see_done(void *context, uint32_t rank, struct cursor *at, const struct schedule_part *part, uint64_t mark)
{
	struct seen *s = context;
	(void)at, (void)part;
	s->wrong += mark != expected_mark(s->all, rank, s->done[rank]++);
	return true;
}

/* Executed as far as it can happen, every event is seen, in order, with the mark that it waited
   for. */
static bool seen_rightly(struct run *run, const struct events *all, bool can)
{
	struct seen seen = {.all = all};
	struct schedule_client client = {&seen, see_coming, see_done, NULL};
	bool good = schedule_run(run, &client) == can;
	for (uint32_t rank = 0; rank < RANKS; rank++)
		good = good && seen.done[rank] == all[rank].done;
	return good && !seen.wrong;
}

/* With sends that wait, all iterations of loops or one: the more they wait for, the less can
   happen. Gives whether each send can wait for its receive. */
static bool judged_waiting(struct run *run, struct events *events, bool can, unsigned n)
{
	struct text cycle = {0};
	struct module *shorter = causality_shortened(run);
	struct run *once = run_new(shorter, NULL);
	bool meets = can_meet(events), good = true, found[SENDS_SYNCHRONOUS + 1];
	for (enum sending s = SENDS_BUFFERED; s <= SENDS_SYNCHRONOUS; s++) {
		found[s] = find(run, s, &cycle) == SCHEDULE_THERE;
		good = good && found[s] == (schedule_find(once, s, SCHEDULE_BUDGET, &cycle) == SCHEDULE_THERE);
		good = good && (!s || found[s] <= found[s - 1]);
	}
	if (!good || meets != found[SENDS_SYNCHRONOUS] || can != found[SENDS_BUFFERED]) {
		printf("\nseed %u: meet %d, found %d %d %d", n, meets, found[0], found[1], found[2]);
		CU_FAIL("judged wrongly where sends wait");
	}
	run_free(once);
	module_free(shorter);
	text_clear(&cycle);
	return meets;
}

static void test_random(void)
{
	unsigned proven = 0, run = 0, cycles = 0, meets = 0;
	for (unsigned n = 0; n < rounds(3000); n++) {
		unsigned seed = n;
		struct text text = {0}, cycle = {0};
		text_put(&text, HEAD);
		put_body(&text, 0, &seed);
		struct executed x = executed_of_text(text.data);
		struct events events[RANKS];
		for (uint32_t rank = 0; rank < RANKS; rank++)
			events[rank] = events_of(x.run, rank);
		bool can = can_happen(events), by_order = is_proven(x.run);
		enum schedule found = find(x.run, SENDS_BUFFERED, &cycle);
		if (found != (can ? SCHEDULE_THERE : SCHEDULE_CYCLE) || (by_order && !can)) {
			printf("\nseed %u: can%s happen, %sproven, %d%s\n%s", n, can ? "" : " not",
				by_order ? "" : "not ", (int)found, cycle.data ? cycle.data : "", text.data);
			CU_FAIL("judged wrongly");
		}
		if (!seen_rightly(x.run, events, can)) {
			printf("\nseed %u\n%s", n, text.data);
			CU_FAIL("seen wrongly");
		}
		meets += judged_waiting(x.run, events, can, n);
		proven += by_order;
		run += can;
		cycles += !can;
		for (uint32_t rank = 0; rank < RANKS; rank++)
			free(events[rank].event);
		executed_clear(&x);
		text_clear(&text);
		text_clear(&cycle);
	}
	printf("(%u can happen, %u of them proven by their order, %u with sends that wait; %u cannot) ", run, proven,
		meets, cycles);
	CU_ASSERT(proven > 0 && cycles > 0 && meets > 0 && meets < run);
}

/* ----------------------------------------------------------------- what those who wait wait for */

/* Marks are the ranks, and 1; those that come with events are told in the order in which these are
   done. */
static uint64_t mark_rank(void *context, uint32_t rank, struct cursor *at, const struct schedule_part *part)
{
	(void)context, (void)at, (void)part;
	return rank + 1;
}

static bool tell_done(void *context, uint32_t rank, struct cursor *at, const struct schedule_part *part, uint64_t mark)
{
	(void)at, (void)part;
	text_format(context, "%u:%" PRIu64 " ", rank, mark);
	return true;
}

static bool tell_two(void *context, uint32_t rank, struct cursor *at, const struct schedule_part *part, uint64_t mark)
{
	const struct text *told = context;
	return tell_done(context, rank, at, part, mark) && told->length <= strlen("0:0 ");
}

/* A collective of two is a message from the one to the other. */
static bool give_part(void *context, uint32_t rank, struct cursor *at, struct schedule_part *part)
{
	(void)at;
	const char *name = rank ? "1< " : "0> ";
	struct text *told = context;
	if (told->data && strstr(told->data, name))
		return false;
	text_put(told, name);
	*part = (struct schedule_part){1 - rank, !rank};
	return true;
}

static void test_waited_for(void)
{
	static const struct {
		const char *why, *text, *told;
		bool two, parts; /* two are enough; collectives are made of messages */
	} rows[] = {
		{"a receive: for the sender", HEAD "[1] 2 recv p t\n[2] p send 1 t\n", "2:0 1:3 ", false, false},
		{"a barrier: all for the last", HEAD "[0-2] p sync MPI_Barrier 0-2\n", "2:3 1:3 0:3 ", false, false},
		{"a broadcast: all for the root", HEAD "[0-3] p sync MPI_Bcast 0-3 root=1\n", "1:2 2:2 3:2 0:2 ", false,
			false},
		{"a reduction: the root for all", HEAD "[0-3] p sync MPI_Reduce 0-3 root=1\n", "0:0 2:0 3:0 1:4 ",
			false, false},
		{"others: nobody", HEAD "[0-3] p sync S 0-3\n", "0:0 1:0 2:0 3:0 ", false, false},
		{"no more than is wanted", HEAD "[0-3] p local x\n", "0:0 1:0 ", true, false},
		{"what a collective is made of", HEAD "[0-1] p sync S 0-1\n", "0> 0:0 0:0 1< 1:1 1:1 ", false, true},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text told = {0};
		struct executed x = executed_of_text(rows[i].text);
		struct schedule_client client = {
			&told, mark_rank, rows[i].two ? tell_two : tell_done, rows[i].parts ? give_part : NULL};
		ROW(rows[i].why, schedule_run(x.run, &client));
		row_same(rows[i].why, told.data, rows[i].told);
		text_clear(&told);
		executed_clear(&x);
	}
}

#define RING HEAD "[0-3] for i0 = 0 to 9\n[0-3] p send (p+1)%4 t\n[0-3] (p-1)%4 recv p t\ndone\n"

static void test_sends_that_wait(void)
{
	static const struct {
		const char *why, *text;
		enum sending most; /* with which it ends */
		const char *cycle; /* with the next one */
	} rows[] = {
		{"a line that is served from its end",
			HEAD "[0-3] for i0 = 0 to 9\n[1-3] p send p-1 t\n[0-2] p+1 recv p t\ndone\n", SENDS_SYNCHRONOUS,
			""},
		{"a ring that shifts", RING, SENDS_EXCHANGED,
			"\n  rank 0, position 0: '0 send 1 t', which rank 1 receives later"
			"\n  rank 1, position 0: '1 send 2 t', which rank 2 receives later"
			"\n  rank 2, position 0: '2 send 3 t', which rank 3 receives later"
			"\n  rank 3, position 0: '3 send 0 t', which rank 0 receives later"},
		{"to itself", HEAD "0 send 0 t\n0 recv 0 t\n", SENDS_EXCHANGED,
			"\n  rank 0, position 0: '0 send 0 t', which rank 0 receives later"},
		{"received behind a barrier", HEAD "0 send 1 t\n0-3 sync MPI_Barrier 0-3\n0 recv 1 t\n", SENDS_BUFFERED,
			"\n  rank 0, position 1: '0 sync MPI_Barrier 0-3', before which rank 1 is to receive what it was sent"
			"\n  rank 1, position 0: '1 sync MPI_Barrier 0-3', to which rank 0 comes later"},
		{"the root of a broadcast waits where sends do",
			HEAD "1 send 0 t\n0-1 sync MPI_Bcast 0-1 root=0\n1 recv 0 t\n", SENDS_BUFFERED,
			"\n  rank 0, position 0: '0 sync MPI_Bcast 0-1 root=0', to which rank 1 comes later"
			"\n  rank 1, position 1: '1 sync MPI_Bcast 0-1 root=0', before which rank 0 is to receive what it was sent"},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text cycle = {0};
		struct executed x = executed_of_text(rows[i].text);
		text_put(&cycle, "");
		ROW(rows[i].why, find(x.run, rows[i].most, &cycle) == SCHEDULE_THERE);
		if (rows[i].most < SENDS_SYNCHRONOUS)
			ROW(rows[i].why, find(x.run, rows[i].most + 1, &cycle) == SCHEDULE_CYCLE);
		row_same(rows[i].why, cycle.data, rows[i].cycle);
		text_clear(&cycle);
		executed_clear(&x);
	}
}

/* ------------------------------------------------------------------ where nothing is under way */

/* Expected: by line, q where it is quiet behind it. */
static void test_quiet(void)
{
	static const struct {
		const char *why, *text, *quiet;
	} rows[] = {
		{"behind each receive", HEAD "0 send 1 t\n0 recv 1 t\n1 send 2 t\n1 recv 2 t\n", ".q.q"},
		{"the end of each iteration, and what follows",
			HEAD
			"[0-3] for i0 = 0 to 9\n[0-3] p send (p+1)%4 t\n[0-3] (p-1)%4 recv p t\ndone\n[0-3] p sync MPI_Barrier 0-3\n",
			"q.qq"},
		{"not while something from before the loop is under way",
			HEAD "2 send 3 u\n[0-1] for i0 = 0 to 9\n0 send 1 t\n0 recv 1 t\ndone\n2 recv 3 u\n", "....q"},
		{"sent in one iteration, received in the next",
			HEAD "0 send 1 t\nfor i0 = 0 to 9\n0 recv 1 t\n0 send 1 t\ndone\n0 recv 1 t\n", "....q"},
		{"sent by one loop, received by another",
			HEAD "for i0 = 0 to 9\n0 send 1 t\ndone\nfor i0 = 0 to 4\n0 recv 1 t\n0 recv 1 t\ndone\n",
			"..q.."},
		{"tags that advance meet in their iteration",
			HEAD
			"[0-3] for i0 = 0 to 9\n[0-3] p send (p+1)%4 tag{i0}\n[0-3] (p-1)%4 recv p tag{i0}\ndone\n",
			"q.q"},
		{"... or not",
			HEAD
			"[0-3] for i0 = 0 to 9\n[0-3] p send (p+1)%4 tag{i0}\n[0-3] (p-1)%4 recv p tag{9-i0}\ndone\n0 local x\n",
			"...."},
		{"a line in which all but the first receive first",
			HEAD "[0-3] for i0 = 0 to 9\n[1-3] p-1 recv p t\n[0-2] p send p+1 t\ndone\n", "q.q"},
		{"a collective that is not whole",
			HEAD "0 sync MPI_Barrier 0-1\n0 send 1 t\n0 recv 1 t\n1 sync MPI_Barrier 0-1\n", "...."},
		{"counts that depend on the process",
			HEAD "[0-3] for i0 = 0 to {p}\n[0-3] p send p t\n[0-3] p recv p t\ndone\n0 local x\n", "...."},
		{"whom a table names in each iteration",
			HEAD
			"for i0 = 0 to 1\n[$w[i0]] p send p+1 t\n[$v[i0]] p-1 recv p t\ndone\n// tables\n$w[i0] = 0 2\n$v[i0] = 3 1\n",
			"..."},
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct executed x = executed_of_text(rows[i].text);
		bool *quiet = causality_quiet(x.run);
		struct text have = {0};
		for (size_t k = 0; k < x.module->lines; k++)
			text_char(&have, quiet[k] ? 'q' : '.');
		row_same(rows[i].why, have.data, rows[i].quiet);
		text_clear(&have);
		free(quiet);
		executed_clear(&x);
	}
}

void suite_causality(CU_pSuite suite)
{
	CU_add_test(suite, "programs that can happen", test_cases);
	CU_add_test(suite, "listings of loops", test_listed);
	CU_add_test(suite, "where nothing is under way", test_quiet);
	CU_add_test(suite, "what those who wait wait for", test_waited_for);
	CU_add_test(suite, "sends that wait", test_sends_that_wait);
	CU_add_test(suite, "random programs", test_random);
}
