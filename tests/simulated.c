/*
 * simulated.c -- message-passing programs in virtual time: each rank's deeds are a list, run in
 * rounds, as far as each rank gets.
 */
#include "tests/simulated.h"

#include <math.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "tests/archive.h"
#include "trace/archive_writer.h"
#include "trace/cores.h"
#include "trace/event_writer.h"

#define TICKS 1e9 /* per second */

enum deed_kind { ITERATION, ENTER, LEAVE, COMPUTE, WITHOUT_CORE, ISEND, IRECV, SEND, RECV, WAIT, COLLECTIVE };

struct deed {
	enum deed_kind kind;
	uint32_t peer, tag; /* of a collective: root, name */
	uint64_t number; /* bytes, ns, an iteration; of a wait: where its requests end */
	uint64_t cost; /* ns */
	size_t first; /* request: of a message its own, of a wait the first; of a collective the size of rows, 0: all */
};

struct request {
	bool sends, done, late_start;
	uint32_t rank, peer;
	uint64_t bytes, posted, end;
	uint64_t id;
	struct request *other, *next; /* the other side; the next one of its queue */
};

struct record {
	enum { R_ENTER, R_LEAVE, R_SEND, R_RECV, R_ISEND, R_POST, R_IRECV, R_COMPLETE, R_BEGIN, R_END } kind;
	uint64_t time, bytes, id;
	uint32_t peer, tag; /* tag: of a region or a collective its name */
};

struct rank {
	struct deed *deed;
	size_t deeds, deed_capacity, at;
	bool entered; /* the call of this deed */
	uint64_t since;
	struct request **request;
	size_t requests, request_capacity, open; /* open: from here on under way */
	struct record *record;
	size_t records, record_capacity;
	uint32_t stack[16];
	size_t depth, written_depth;
	uint64_t away; /* without a core since the last call */
	uint64_t clock, iteration, met[2], random; /* met: in all, in its row */
};

struct queue {
	struct request *first[2], *last[2]; /* receives, sends */
};

struct meeting {
	uint32_t name, here, last_rank; /* here: 0, or so many have come */
	uint64_t last;
};

struct entry {
	enum truth kind;
	uint32_t region, rank, cause;
	uint64_t iteration, ns;
};

struct simulated {
	struct network net;
	uint32_t ranks;
	double noise;
	struct rank *rank;
	struct intern *names, *channels, *met;
	const char *cores; /* NULL: not an archive of ours */
	uint32_t row; /* ranks in a row; 0: there are none */
	struct queue *queue;
	size_t queue_capacity;
	struct meeting *meeting;
	size_t meetings, meeting_capacity;
	struct entry *truth;
	size_t truths, truth_capacity;
};

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "simulated program: %s\n", what);
	abort();
}

struct simulated *simulated_new(const struct network *net, uint32_t ranks, uint64_t seed, double noise)
{
	struct simulated *s = mem_zero(sizeof *s);
	s->net = *net;
	s->ranks = ranks;
	s->noise = noise;
	s->rank = mem_zero(ranks * sizeof *s->rank);
	s->names = intern_new();
	s->channels = intern_new();
	s->met = intern_new();
	intern_id(s->names, "", 0);
	for (uint32_t r = 0; r < ranks; r++) {
		s->rank[r].random = (seed * 1000003 + r) * UINT64_C(0x9e3779b97f4a7c15) + 1;
		s->rank[r].iteration = NO_ITERATION;
	}
	return s;
}

void simulated_free(struct simulated *s)
{
	for (uint32_t r = 0; r < s->ranks; r++) {
		for (size_t i = 0; i < s->rank[r].requests; i++)
			free(s->rank[r].request[i]);
		free(s->rank[r].request);
		free(s->rank[r].deed);
		free(s->rank[r].record);
	}
	free(s->rank);
	free(s->queue);
	free(s->meeting);
	free(s->truth);
	intern_free(s->names);
	intern_free(s->channels);
	intern_free(s->met);
	free(s);
}

uint32_t simulated_ranks(const struct simulated *s)
{
	return s->ranks;
}

/* ------------------------------------------------------------------ what ranks do */

static uint64_t ns(double seconds)
{
	return (uint64_t)(seconds * TICKS);
}

static double uniform(uint64_t *state) /* in (0, 1); splitmix64 */
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static void do_deed(struct simulated *s, uint32_t rank, struct deed deed)
{
	struct rank *r = &s->rank[rank];
	r->deed = mem_grow(r->deed, &r->deed_capacity, r->deeds + 1, sizeof *r->deed);
	r->deed[r->deeds++] = deed;
}

static uint32_t name_of(struct simulated *s, const char *name)
{
	return intern_id(s->names, name, strlen(name));
}

void do_iteration(struct simulated *s, uint32_t rank, uint64_t iteration)
{
	do_deed(s, rank, (struct deed){.kind = ITERATION, .number = iteration});
}

void do_enter(struct simulated *s, uint32_t rank, const char *region)
{
	struct rank *r = &s->rank[rank];
	must(r->written_depth < sizeof r->stack / sizeof *r->stack, "regions nest too deep");
	r->written_depth++;
	do_deed(s, rank, (struct deed){.kind = ENTER, .tag = name_of(s, region)});
}

void do_leave(struct simulated *s, uint32_t rank)
{
	must(s->rank[rank].written_depth-- > 0, "a region is left that was not entered");
	do_deed(s, rank, (struct deed){.kind = LEAVE});
}

void do_compute(struct simulated *s, uint32_t rank, double seconds)
{
	uint64_t *state = &s->rank[rank].random;
	double normal = sqrt(-2 * log(uniform(state))) * cos(2 * 3.14159265358979323846 * uniform(state));
	do_deed(s, rank, (struct deed){.kind = COMPUTE, .number = ns(seconds * exp(s->noise * normal))});
}

void do_without_core(struct simulated *s, uint32_t rank, double seconds)
{
	do_deed(s, rank, (struct deed){.kind = WITHOUT_CORE, .number = ns(seconds)});
}

void simulated_on_cores(struct simulated *s, const char *cores)
{
	s->cores = cores;
}

static size_t new_request(struct simulated *s, uint32_t rank, bool sends, uint32_t peer, uint64_t bytes)
{
	struct rank *r = &s->rank[rank];
	must(peer < s->ranks, "a peer that is no rank");
	r->request = mem_grow(r->request, &r->request_capacity, r->requests + 1, sizeof *r->request);
	struct request *q = r->request[r->requests] = mem_zero(sizeof *q);
	*q = (struct request){.sends = sends, .rank = rank, .peer = peer, .bytes = bytes, .id = r->requests};
	return r->requests++;
}

void do_isend(struct simulated *s, uint32_t rank, uint32_t to, uint32_t tag, uint64_t bytes)
{
	size_t request = new_request(s, rank, true, to, bytes);
	do_deed(s, rank, (struct deed){.kind = ISEND, .peer = to, .tag = tag, .number = bytes, .first = request});
}

void do_irecv(struct simulated *s, uint32_t rank, uint32_t from, uint32_t tag)
{
	size_t request = new_request(s, rank, false, from, 0);
	do_deed(s, rank, (struct deed){.kind = IRECV, .peer = from, .tag = tag, .first = request});
}

void do_waitall(struct simulated *s, uint32_t rank)
{
	struct rank *r = &s->rank[rank];
	must(r->open < r->requests, "a wait for nothing");
	do_deed(s, rank, (struct deed){.kind = WAIT, .first = r->open, .number = r->requests});
	r->open = r->requests;
}

static void do_blocking(struct simulated *s, uint32_t rank, struct deed deed)
{
	struct rank *r = &s->rank[rank];
	must(r->open == r->requests, "a blocking message while others are under way");
	deed.first = new_request(s, rank, deed.kind == SEND, deed.peer, deed.number);
	r->open = r->requests;
	do_deed(s, rank, deed);
}

void do_send(struct simulated *s, uint32_t rank, uint32_t to, uint32_t tag, uint64_t bytes)
{
	do_blocking(s, rank, (struct deed){.kind = SEND, .peer = to, .tag = tag, .number = bytes});
}

void do_recv(struct simulated *s, uint32_t rank, uint32_t from, uint32_t tag)
{
	do_blocking(s, rank, (struct deed){.kind = RECV, .peer = from, .tag = tag});
}

void do_collective(struct simulated *s, uint32_t rank, const char *name, uint64_t bytes, uint32_t root, double cost)
{
	double tree = 0;
	for (uint32_t n = s->ranks - 1; n; n >>= 1)
		tree++;
	if (cost < 0)
		cost = 2 * (tree > 1 ? tree : 1) * (s->net.latency + (double)bytes / s->net.bandwidth);
	do_deed(s, rank,
		(struct deed){
			.kind = COLLECTIVE, .peer = root, .tag = name_of(s, name), .number = bytes, .cost = ns(cost)});
}

void do_row_collective(
	struct simulated *s, uint32_t rank, uint32_t row, const char *name, uint64_t bytes, uint32_t root)
{
	must(!s->row || s->row == row, "rows of two sizes");
	must(s->ranks % row == 0, "rows that are not full");
	s->row = row;
	do_collective(s, rank, name, bytes, root, AS_USUAL);
	s->rank[rank].deed[s->rank[rank].deeds - 1].first = row;
}

/* ------------------------------------------------------------------ the run */

static uint32_t region_of(const struct rank *r)
{
	return r->depth ? r->stack[r->depth - 1] : 0;
}

static void add_truth(struct simulated *s, enum truth kind, uint32_t rank, uint64_t from, uint64_t to, uint32_t cause)
{
	const struct rank *r = &s->rank[rank];
	if (to <= from)
		return;
	s->truth = mem_grow(s->truth, &s->truth_capacity, s->truths + 1, sizeof *s->truth);
	s->truth[s->truths++] = (struct entry){kind, region_of(r), rank, cause, r->iteration, to - from};
}

static void log_record(struct rank *r, struct record record)
{
	record.time = r->clock;
	r->record = mem_grow(r->record, &r->record_capacity, r->records + 1, sizeof *r->record);
	r->record[r->records++] = record;
}

static void enter(struct simulated *s, struct rank *r, const char *call)
{
	log_record(r, (struct record){.kind = R_ENTER, .tag = name_of(s, call), .bytes = r->away});
	r->away = 0;
	r->since = r->clock;
	r->entered = true;
	r->clock += 50;
}

static void leave(struct simulated *s, struct rank *r, const char *call)
{
	log_record(r, (struct record){.kind = R_LEAVE, .tag = name_of(s, call)});
	r->entered = false;
}

static uint64_t flight(const struct simulated *s, uint32_t a, uint32_t b, uint64_t bytes)
{
	const struct network *n = &s->net;
	bool link = n->from != n->to && ((a == n->from && b == n->to) || (a == n->to && b == n->from));
	double latency = link ? n->link_latency : n->latency, bandwidth = link ? n->link_bandwidth : n->bandwidth;
	return ns(latency + (double)bytes / bandwidth) * (n->contended && bytes > n->contended ? s->ranks : 1);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void meet_other(const struct simulated *s, struct request *send, struct request *receive)
{
	uint64_t time = flight(s, send->rank, receive->rank, send->bytes);
	send->other = receive;
	receive->other = send;
	if (send->bytes <= s->net.eager) {
		receive->end = later(receive->posted, send->posted + time);
	} else {
		send->late_start = true;
		send->end = receive->end = later(send->posted, receive->posted) + ns(s->net.latency) + time;
		send->done = true;
	}
	receive->done = true;
}

static void post(struct simulated *s, struct request *q, uint32_t tag, uint64_t when)
{
	uint32_t key[3] = {q->sends ? q->rank : q->peer, q->sends ? q->peer : q->rank, tag};
	uint32_t id = intern_id(s->channels, key, sizeof key);
	size_t known = s->queue_capacity;
	s->queue = mem_grow(s->queue, &s->queue_capacity, id + 1, sizeof *s->queue);
	memset(s->queue + known, 0, (s->queue_capacity - known) * sizeof *s->queue);
	struct queue *x = &s->queue[id];
	q->posted = when;
	if (q->sends && q->bytes <= s->net.eager) {
		q->done = true;
		q->end = when;
	}
	struct request *other = x->first[!q->sends];
	if (other) {
		x->first[!q->sends] = other->next;
		meet_other(s, q->sends ? q : other, q->sends ? other : q);
	} else {
		*(x->first[q->sends] ? &x->last[q->sends]->next : &x->first[q->sends]) = q;
		x->last[q->sends] = q;
	}
}

/* One that was in its call from `since` on has waited for this. */
static void account_received(struct simulated *s, const struct request *q, uint64_t since)
{
	uint64_t there = later(since, earlier(q->end, q->other->posted));
	add_truth(s, TRUTH_LATE_SENDER, q->rank, since, there, q->peer);
	add_truth(s, TRUTH_TRANSFER, q->rank, there, q->end, ALL_RANKS);
}

static void account_sent(struct simulated *s, const struct request *q, uint64_t since)
{
	uint64_t there = later(since, q->late_start ? earlier(q->end, q->other->posted) : 0);
	add_truth(s, TRUTH_LATE_RECEIVER, q->rank, since, there, q->peer);
	add_truth(s, TRUTH_TRANSFER, q->rank, there, q->end, ALL_RANKS);
}

static void run_post(struct simulated *s, struct rank *r, const struct deed *d)
{
	struct request *q = r->request[d->first];
	const char *call = q->sends ? "MPI_Isend" : "MPI_Irecv";
	enter(s, r, call);
	post(s, q, d->tag, r->clock);
	if (q->sends)
		log_record(
			r, (struct record){
				   .kind = R_ISEND, .peer = d->peer, .tag = d->tag, .bytes = d->number, .id = q->id});
	else
		log_record(r, (struct record){.kind = R_POST, .id = q->id});
	r->clock += ns(s->net.post);
	leave(s, r, call);
}

static bool run_blocking(struct simulated *s, struct rank *r, const struct deed *d)
{
	struct request *q = r->request[d->first];
	const char *call = q->sends ? "MPI_Send" : "MPI_Recv";
	if (!r->entered) {
		enter(s, r, call);
		if (q->sends)
			log_record(
				r, (struct record){.kind = R_SEND, .peer = d->peer, .tag = d->tag, .bytes = d->number});
		post(s, q, d->tag, r->since);
	}
	if (!q->done)
		return false;
	if (!q->sends)
		account_received(s, q, r->since);
	else if (q->late_start)
		add_truth(s, TRUTH_LATE_RECEIVER, q->rank, r->since, q->other->posted, q->peer);
	r->clock = later(r->clock, q->end) + ns(s->net.call);
	if (!q->sends) {
		log_record(
			r, (struct record){.kind = R_RECV, .peer = d->peer, .tag = d->tag, .bytes = q->other->bytes});
		r->clock += 30;
	}
	leave(s, r, call);
	return true;
}

static uint32_t tag_of(const struct rank *r, size_t request)
{
	size_t at = r->at;
	while (r->deed[at].kind == WAIT || r->deed[at].kind < ISEND || r->deed[at].kind == COLLECTIVE ||
		r->deed[at].first != request)
		at--;
	return r->deed[at].tag;
}

static bool run_wait(struct simulated *s, struct rank *r, const struct deed *d)
{
	const char *call = d->number - d->first > 1 ? "MPI_Waitall" : "MPI_Wait";
	const struct request *last = r->request[d->first];
	if (!r->entered)
		enter(s, r, call);
	for (size_t i = d->first; i < d->number; i++) {
		if (!r->request[i]->done)
			return false;
		if (r->request[i]->end > last->end)
			last = r->request[i];
	}
	/* The waiting of the whole call counts once, for the request that came last. */
	if (last->end > r->since)
		(last->sends ? account_sent : account_received)(s, last, r->since);
	r->clock = later(r->clock, last->end) + ns(s->net.call);
	for (size_t i = d->first; i < d->number; i++) {
		const struct request *q = r->request[i];
		log_record(r, q->sends ? (struct record){.kind = R_COMPLETE, .id = q->id}
				       : (struct record){.kind = R_IRECV,
						 .peer = q->peer,
						 .tag = tag_of(r, i),
						 .bytes = q->other->bytes,
						 .id = q->id});
		r->clock += 10;
	}
	leave(s, r, call);
	return true;
}

static bool run_collective(struct simulated *s, struct rank *r, uint32_t rank, const struct deed *d)
{
	const char *call = intern_data(s->names, d->tag, NULL);
	uint64_t key[3] = {d->first ? rank / d->first : 0, d->first, r->met[d->first > 0] - r->entered};
	uint32_t id = intern_id(s->met, key, sizeof key), members = d->first ? (uint32_t)d->first : s->ranks;
	if (id == s->meetings) {
		s->meeting = mem_grow(s->meeting, &s->meeting_capacity, s->meetings + 1, sizeof *s->meeting);
		s->meeting[s->meetings++] = (struct meeting){.name = d->tag, .last_rank = rank};
	}
	struct meeting *m = &s->meeting[id];
	if (!r->entered) {
		enter(s, r, call);
		log_record(r, (struct record){.kind = R_BEGIN});
		r->met[d->first > 0]++;
		must(m->name == d->tag, "ranks meet in different collectives");
		if (!m->here++ || r->since > m->last) {
			m->last = r->since;
			m->last_rank = rank;
		}
	}
	if (m->here < members)
		return false;
	add_truth(s, TRUTH_COLLECTIVE, rank, r->since, m->last, m->last_rank);
	r->clock = m->last + d->cost;
	log_record(r, (struct record){.kind = R_END,
			      .tag = d->tag,
			      .peer = d->peer,
			      .bytes = d->number,
			      .id = key[1] ? 1 + key[0] : 0});
	r->clock += 30;
	leave(s, r, call);
	return true;
}

static void enter_region(struct rank *r, uint32_t name)
{
	log_record(r, (struct record){.kind = R_ENTER, .tag = name});
	r->stack[r->depth++] = name;
	r->clock += 60;
}

static void leave_region(struct rank *r)
{
	r->clock += 40;
	log_record(r, (struct record){.kind = R_LEAVE, .tag = r->stack[--r->depth]});
}

/* False: it has to wait for others. */
static bool run_deed(struct simulated *s, struct rank *r, uint32_t rank)
{
	const struct deed *d = &r->deed[r->at];
	switch (d->kind) {
	case ITERATION:
		r->iteration = d->number;
		return true;
	case ENTER:
		enter_region(r, d->tag);
		return true;
	case LEAVE:
		leave_region(r);
		return true;
	case WITHOUT_CORE:
		r->clock += d->number;
		r->away += d->number;
		return true;
	case COMPUTE:
		add_truth(s, TRUTH_COMPUTATION, rank, 0, d->number, ALL_RANKS);
		r->clock += d->number;
		return true;
	case ISEND:
	case IRECV:
		run_post(s, r, d);
		return true;
	case SEND:
	case RECV:
		return run_blocking(s, r, d);
	case WAIT:
		return run_wait(s, r, d);
	case COLLECTIVE:
		return run_collective(s, r, rank, d);
	}
	return true;
}

void simulated_run(struct simulated *s)
{
	size_t running = s->ranks;
	while (running) {
		bool moved = false;
		running = 0;
		for (uint32_t k = 0; k < s->ranks; k++) {
			struct rank *r = &s->rank[k];
			for (; r->at < r->deeds && run_deed(s, r, k); r->at++)
				moved = true;
			running += r->at < r->deeds;
		}
		must(moved || !running, "a deadlock");
	}
	for (uint32_t i = 0; i < intern_count(s->channels); i++)
		must(!s->queue[i].first[0] && !s->queue[i].first[1], "messages without partner");
}

/* ------------------------------------------------------------------ the truth */

uint64_t truth_of(const struct simulated *s, enum truth kind, const char *region, uint32_t rank, uint64_t iteration)
{
	uint64_t sum = 0;
	uint32_t name = region ? intern_find(s->names, region, strlen(region)) : 0;
	for (size_t i = 0; i < s->truths; i++) {
		const struct entry *e = &s->truth[i];
		if (e->kind == kind && (!region || e->region == name) && (rank == ALL_RANKS || e->rank == rank) &&
			(iteration == ANY_ITERATION || e->iteration == iteration))
			sum += e->ns;
	}
	return sum;
}

uint64_t truth_caused(const struct simulated *s, enum truth kind, const char *region, uint32_t by)
{
	uint64_t sum = 0;
	uint32_t name = region ? intern_find(s->names, region, strlen(region)) : 0;
	for (size_t i = 0; i < s->truths; i++) {
		const struct entry *e = &s->truth[i];
		if (e->kind == kind && (!region || e->region == name) && e->cause == by)
			sum += e->ns;
	}
	return sum;
}

uint64_t simulated_run_time(const struct simulated *s)
{
	uint64_t end = 0;
	for (uint32_t r = 0; r < s->ranks; r++)
		end = later(end, s->rank[r].clock);
	return end;
}

/* ------------------------------------------------------------------ the archive */

static const struct {
	const char *name;
	OTF2_CollectiveOp operation;
} operations[] = {{"MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER}, {"MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST},
	{"MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE}, {"MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE},
	{"MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER}, {"MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
	{"MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV}, {"MPI_Gather", OTF2_COLLECTIVE_OP_GATHER},
	{"MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER}};

static OTF2_CollectiveOp operation_of(const char *name)
{
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (!strcmp(operations[i].name, name))
			return operations[i].operation;
	must(false, "no such collective");
	return OTF2_COLLECTIVE_OP_BARRIER;
}

/* Strings are the names, then one for each of these. */
enum { LOCATION = 0, COMM_WORLD, MACHINE, SITE, WORDS };

/* The open regions of a process that is written, the outermost first; where its calls are. */
struct writing {
	const struct simulated *simulated;
	OTF2_EvtWriter *writer;
	enum simulated_form form;
	struct intern *sites; /* paths as words: strings of the archive, behind all others */
	uint32_t first; /* the string of the first one */
	uint32_t stack[16];
	size_t depth;
};

/* "sim.c:12 forces < sim.c:4 main": lines tell apart what is called from where. */
static OTF2_AttributeList *path_of(struct writing *w, const struct record *e)
{
	struct text words = {0};
	if (w->form != SIMULATED_PATHS)
		return NULL;
	uint32_t called = 100 + (uint32_t)e->kind * 20 + e->tag;
	for (size_t d = w->depth; d > 0; d--) {
		text_format(&words, "sim.c:%u %s < ", called,
			(const char *)intern_data(w->simulated->names, w->stack[d - 1], NULL));
		called = 10 + w->stack[d - 1];
	}
	bool main = w->depth && !strcmp(intern_data(w->simulated->names, w->stack[0], NULL), "main");
	if (main)
		words.length -= strlen(" < ");
	else
		text_format(&words, "sim.c:%u main", called);
	OTF2_AttributeList *list = OTF2_AttributeList_New();
	OTF2_AttributeList_AddStringRef(list, 0, w->first + intern_id(w->sites, words.data, words.length));
	text_clear(&words);
	return list;
}

static OTF2_ErrorCode write_message(struct writing *w, const struct record *e, OTF2_AttributeList *path)
{
	switch (e->kind) {
	case R_SEND:
		return OTF2_EvtWriter_MpiSend(w->writer, path, e->time, e->peer, 0, e->tag, e->bytes);
	case R_RECV:
		return OTF2_EvtWriter_MpiRecv(w->writer, path, e->time, e->peer, 0, e->tag, e->bytes);
	case R_ISEND:
		return OTF2_EvtWriter_MpiIsend(w->writer, path, e->time, e->peer, 0, e->tag, e->bytes, e->id);
	case R_IRECV:
		return OTF2_EvtWriter_MpiIrecv(w->writer, path, e->time, e->peer, 0, e->tag, e->bytes, e->id);
	default:
		return OTF2_EvtWriter_MpiCollectiveEnd(w->writer, path, e->time,
			operation_of(intern_data(w->simulated->names, e->tag, NULL)), (OTF2_CommRef)e->id, e->peer,
			e->bytes, e->bytes);
	}
}

static OTF2_ErrorCode write_region(struct writing *w, const struct record *e)
{
	bool mpi = !strncmp(intern_data(w->simulated->names, e->tag, NULL), "MPI_", 4);
	if (!mpi && e->kind == R_ENTER)
		w->stack[w->depth++] = e->tag;
	w->depth -= !mpi && e->kind == R_LEAVE;
	if (!mpi && w->form != SIMULATED_REGIONS)
		return OTF2_SUCCESS;
	if (e->kind == R_LEAVE)
		return OTF2_EvtWriter_Leave(w->writer, NULL, e->time, e->tag);
	OTF2_AttributeList *away = e->bytes ? OTF2_AttributeList_New() : NULL;
	if (away)
		OTF2_AttributeList_AddUint64(away, ATTRIBUTE_PREEMPTED, e->bytes);
	OTF2_ErrorCode code = OTF2_EvtWriter_Enter(w->writer, away, e->time, e->tag);
	if (away)
		OTF2_AttributeList_Delete(away);
	return code;
}

static OTF2_ErrorCode write_record(struct writing *w, const struct record *e)
{
	switch (e->kind) {
	case R_ENTER:
	case R_LEAVE:
		return write_region(w, e);
	case R_POST:
		return OTF2_EvtWriter_MpiIrecvRequest(w->writer, NULL, e->time, e->id);
	case R_COMPLETE:
		return OTF2_EvtWriter_MpiIsendComplete(w->writer, NULL, e->time, e->id);
	case R_BEGIN:
		return OTF2_EvtWriter_MpiCollectiveBegin(w->writer, NULL, e->time);
	default:
		break;
	}
	OTF2_AttributeList *path = path_of(w, e);
	OTF2_ErrorCode code = write_message(w, e, path);
	if (path)
		OTF2_AttributeList_Delete(path);
	return code;
}

static OTF2_FlushType before_flush(
	void *context, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool last)
{
	(void)context, (void)type, (void)location, (void)caller, (void)last;
	return OTF2_FLUSH;
}

static OTF2_TimeStamp after_flush(void *context, OTF2_FileType type, OTF2_LocationRef location)
{
	(void)context, (void)type, (void)location;
	return 1;
}

static void define(
	const struct simulated *s, OTF2_GlobalDefWriter *d, const uint64_t *events, const struct intern *sites)
{
	static const char *const words[WORDS] = {"Master thread", "MPI_COMM_WORLD", "machine", "site"};
	uint32_t names = intern_count(s->names);
	uint64_t *location = mem_array(s->ranks, sizeof *location);
	OTF2_GlobalDefWriter_WriteClockProperties(d, (uint64_t)TICKS, 0, simulated_run_time(s) + 1, 0);
	for (uint32_t i = 0; i < names; i++)
		OTF2_GlobalDefWriter_WriteString(d, i, intern_data(s->names, i, NULL));
	for (uint32_t i = 0; i < WORDS; i++)
		OTF2_GlobalDefWriter_WriteString(d, names + i, words[i]);
	for (uint32_t i = 0; i < intern_count(sites); i++)
		OTF2_GlobalDefWriter_WriteString(d, names + WORDS + i, intern_data(sites, i, NULL));
	if (intern_count(sites))
		OTF2_GlobalDefWriter_WriteAttribute(d, 0, names + SITE, names + SITE, OTF2_TYPE_STRING);
	if (s->cores)
		OTF2_GlobalDefWriter_WriteAttribute(
			d, ATTRIBUTE_PREEMPTED, names + SITE, names + SITE, OTF2_TYPE_UINT64);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(
		d, 0, names + MACHINE, names + MACHINE, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t r = 0; r < s->ranks; r++) {
		location[r] = r;
		OTF2_GlobalDefWriter_WriteLocationGroup(
			d, r, names + LOCATION, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(d, r, names + LOCATION, OTF2_LOCATION_TYPE_CPU_THREAD, events[r], r);
	}
	for (uint32_t i = 1; i < names; i++) {
		bool mpi = !strncmp(intern_data(s->names, i, NULL), "MPI_", 4);
		OTF2_GlobalDefWriter_WriteRegion(d, i, i, i, 0, OTF2_REGION_ROLE_FUNCTION,
			mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0,
			0);
	}
	OTF2_GlobalDefWriter_WriteGroup(
		d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, s->ranks, location);
	OTF2_GlobalDefWriter_WriteGroup(
		d, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, s->ranks, location);
	OTF2_GlobalDefWriter_WriteComm(d, 0, names + COMM_WORLD, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	for (uint32_t i = 0; s->row && i < s->ranks / s->row; i++) {
		OTF2_GlobalDefWriter_WriteGroup(d, 2 + i, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
			OTF2_GROUP_FLAG_NONE, s->row, location + (size_t)i * s->row);
		OTF2_GlobalDefWriter_WriteComm(d, 1 + i, 0, 2 + i, 0, OTF2_COMM_FLAG_NONE);
	}
	free(location);
}

char *simulated_write(const struct simulated *s, enum simulated_form form)
{
	static const OTF2_FlushCallbacks flush = {before_flush, after_flush};
	struct writing w = {
		.simulated = s, .form = form, .sites = intern_new(), .first = intern_count(s->names) + WORDS};
	char *directory = scratch_new();
	uint64_t *events = mem_array(s->ranks, sizeof *events);
	OTF2_Archive *archive = OTF2_Archive_Open(
		directory, "run", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 18, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	must(archive != NULL, "the archive cannot be opened");
	OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	if (s->cores) {
		OTF2_Archive_SetCreator(archive, ARCHIVE_CREATOR "simulated");
		OTF2_Archive_SetProperty(archive, ARCHIVE_CORES, s->cores, true);
	}
	OTF2_Archive_OpenEvtFiles(archive);
	for (uint32_t r = 0; r < s->ranks; r++) {
		w.writer = OTF2_Archive_GetEvtWriter(archive, r);
		for (size_t i = 0; i < s->rank[r].records; i++)
			must(write_record(&w, &s->rank[r].record[i]) == OTF2_SUCCESS, "not a record");
		OTF2_EvtWriter_GetNumberOfEvents(w.writer, &events[r]);
		OTF2_Archive_CloseEvtWriter(archive, w.writer);
	}
	OTF2_Archive_CloseEvtFiles(archive);
	OTF2_Archive_OpenDefFiles(archive);
	for (uint32_t r = 0; r < s->ranks; r++)
		OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, r));
	OTF2_Archive_CloseDefFiles(archive);
	define(s, OTF2_Archive_GetGlobalDefWriter(archive), events, w.sites);
	intern_free(w.sites);
	must(OTF2_Archive_Close(archive) == OTF2_SUCCESS, "the archive cannot be closed");
	free(events);
	struct text anchor = {0};
	text_format(&anchor, "%s/run.otf2", directory);
	free(directory);
	return anchor.data;
}
