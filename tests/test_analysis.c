/*
 * test_analysis.c -- where the time went, against what simulated programs know, and against a
 * critical path that is found the simple way: backward, over the whole trace in memory.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/mem.h"
#include "model/prepared.h"
#include "report/account.h"
#include "tests/archive.h"
#include "tests/models.h"
#include "tests/rows.h"
#include "tests/simulated.h"
#include "trace/kept.h"
#include "trace/timeline.h"

#define RANKS 8
#define EAGER 16384

/* ------------------------------------------------------------------ programs */

static void halo(struct simulated *s, uint32_t rank, uint64_t bytes, bool together)
{
	uint32_t left = (rank + RANKS - 1) % RANKS, right = (rank + 1) % RANKS;
	for (uint64_t i = 0; i < 40; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "smooth");
		do_compute(s, rank, rank == 3 && i > 20 ? 9e-4 : 5e-4);
		do_irecv(s, rank, left, 7);
		do_irecv(s, rank, right, 8);
		do_isend(s, rank, right, 7, bytes);
		do_isend(s, rank, left, 8, bytes);
		do_waitall(s, rank);
		do_leave(s, rank);
		do_enter(s, rank, "norm");
		do_compute(s, rank, 1e-4);
		if (together)
			do_collective(s, rank, "MPI_Allreduce", 8, NO_ROOT, AS_USUAL);
		do_leave(s, rank);
	}
}

static void small_halo(struct simulated *s, uint32_t rank)
{
	halo(s, rank, 8192, true);
}

static void large_halo(struct simulated *s, uint32_t rank)
{
	halo(s, rank, 60000, true);
}

static void lonely_halo(struct simulated *s, uint32_t rank)
{
	halo(s, rank, 8192, false);
}

static void chain(struct simulated *s, uint32_t rank)
{
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "sweep");
		if (rank > 0)
			do_recv(s, rank, rank - 1, 3);
		do_compute(s, rank, 2e-4);
		if (rank + 1 < RANKS)
			do_send(s, rank, rank + 1, 3, i % 2 ? 1000 : 50000);
		do_leave(s, rank);
		if (i % 5 == 4)
			do_collective(s, rank, "MPI_Barrier", 0, NO_ROOT, AS_USUAL);
	}
}

static void master(struct simulated *s, uint32_t rank)
{
	for (uint64_t i = 0; i < 20; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, rank ? "work" : "serve");
		for (uint32_t w = 1; w < RANKS && !rank; w++) {
			do_recv(s, rank, w, 1);
			do_compute(s, rank, 5e-5);
			do_send(s, rank, w, 2, 100);
		}
		if (rank) {
			do_compute(s, rank, 1e-3);
			do_send(s, rank, 0, 1, 200);
			do_recv(s, rank, 0, 2);
		}
		do_leave(s, rank);
	}
}

static void pairs(struct simulated *s, uint32_t rank)
{
	for (uint64_t i = 0; i < 30; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, rank % 2 ? "consume" : "produce");
		do_compute(s, rank, rank == 5 ? 6e-4 : 3e-4);
		if (rank % 2)
			do_recv(s, rank, rank ^ 1, 5);
		else
			do_send(s, rank, rank ^ 1, 5, 100000);
		do_leave(s, rank);
	}
}

static void rooted(struct simulated *s, uint32_t rank)
{
	for (uint64_t i = 0; i < 20; i++) {
		do_iteration(s, rank, i);
		do_enter(s, rank, "give");
		do_compute(s, rank, rank == 2 ? 3e-4 : 1e-4);
		do_collective(s, rank, "MPI_Bcast", 1000, 0, AS_USUAL);
		do_leave(s, rank);
		do_enter(s, rank, "take");
		do_compute(s, rank, 1e-4);
		do_collective(s, rank, "MPI_Reduce", 1000, 1, AS_USUAL);
		do_leave(s, rank);
	}
}

/* The only messages there are: nothing else tells that they are eager. */
static void hand_over(struct simulated *s, uint32_t rank)
{
	do_enter(s, rank, "hand over");
	if (rank % 2)
		do_compute(s, rank, 2e-7);
	if (rank % 2)
		do_recv(s, rank, rank ^ 1, 5);
	else
		do_send(s, rank, rank ^ 1, 5, 512);
	do_leave(s, rank);
}

static const struct program_row {
	const char *why;
	void (*program)(struct simulated *, uint32_t rank);
} programs[] = {
	{"neighbours exchange eagerly, then all meet", small_halo},
	{"neighbours exchange by rendezvous", large_halo},
	{"nobody ever meets all others", lonely_halo},
	{"one after the other, every second message large", chain},
	{"a master", master},
	{"pairs, their receivers late", pairs},
	{"rooted collectives", rooted},
	{"eager messages whose receives are posted while they are sent", hand_over},
};

/* ------------------------------------------------------------------ the simple way */

struct end { /* of a message, or of a receive */
	uint64_t key, post;
	uint64_t bytes;
	uint32_t rank;
	size_t call; /* that completes it */
};

struct span { /* a call */
	uint64_t enter, leave;
	uint64_t came; /* when the last one that it waited for came; 0: nobody */
	uint32_t by;
	size_t waited; /* of the calls up to this one: the last that waited, from 1 */
	uint64_t sum; /* of their times */
};

#define RANKS_MOST 64

struct whole {
	uint32_t ranks;
	struct span *call[RANKS_MOST];
	size_t calls[RANKS_MOST], call_capacity[RANKS_MOST];
	uint64_t first[RANKS_MOST], last[RANKS_MOST];
	bool calls_first[RANKS_MOST]; /* its first record is of a call that is not MPI_Init */
	struct end *send, *receive;
	size_t sends, receives, send_capacity, receive_capacity;
	size_t *meeting[RANKS_MOST]; /* calls that are collectives */
	size_t meetings[RANKS_MOST], meeting_capacity[RANKS_MOST];
};

struct open_request {
	uint64_t id, post;
	size_t send; /* SIZE_MAX: a receive */
};

static uint64_t key_of(struct trace *trace, uint32_t rank, uint32_t id)
{
	const struct dictionary *d = trace_dictionary(trace, rank);
	const struct event *e = dictionary_get_event(d, id);
	uint64_t from = e->kind == EVENT_SEND ? rank : e->peer, to = e->kind == EVENT_SEND ? e->peer : rank;
	return dictionary_get_tag(d, e->subject)->number << 32 | from << 16 | to;
}

static void add_end(struct end **list, size_t *length, size_t *capacity, struct end end)
{
	*list = mem_grow(*list, capacity, *length + 1, sizeof **list);
	(*list)[(*length)++] = end;
}

static struct open_request take_request(struct open_request *open, size_t *length, uint64_t id)
{
	for (size_t i = 0; i < *length; i++)
		if (open[i].id == id) {
			struct open_request r = open[i];
			open[i] = open[--*length];
			return r;
		}
	CU_FAIL_FATAL("a request of the simulation");
	abort();
}

static void read_rank(struct whole *w, struct trace *trace, struct timeline *t, uint32_t rank)
{
	struct open_request open[16];
	size_t requests = 0;
	bool inside = false;
	const struct timeline_record *r;
	for (bool first = true; (r = timeline_get(t, rank)); timeline_next(t, rank), first = false) {
		if (first)
			w->first[rank] = r->time;
		w->last[rank] = r->time;
		bool call = timeline_region(t, r->id).sort == TIMELINE_MPI;
		w->calls_first[rank] |= first && call;
		if (r->kind == TIMELINE_ENTER && call) {
			w->call[rank] = mem_grow(
				w->call[rank], &w->call_capacity[rank], w->calls[rank] + 1, sizeof *w->call[rank]);
			w->call[rank][w->calls[rank]++] = (struct span){.enter = r->time};
			inside = true;
		}
		struct span *c = inside ? &w->call[rank][w->calls[rank] - 1] : NULL;
		size_t at = w->calls[rank] - 1;
		if (r->kind == TIMELINE_LEAVE && call) {
			c->leave = r->time;
			inside = false;
		}
		uint64_t key = r->kind == TIMELINE_SEND || r->kind == TIMELINE_ISEND || r->kind == TIMELINE_RECV ||
					       r->kind == TIMELINE_IRECV
				       ? key_of(trace, rank, r->id)
				       : 0;
		if (r->kind == TIMELINE_SEND)
			add_end(&w->send, &w->sends, &w->send_capacity,
				(struct end){key, c->enter, r->bytes, rank, at});
		if (r->kind == TIMELINE_ISEND) {
			open[requests++] = (struct open_request){r->request, r->time, w->sends};
			add_end(&w->send, &w->sends, &w->send_capacity, (struct end){key, r->time, r->bytes, rank, 0});
		}
		if (r->kind == TIMELINE_SENT)
			w->send[take_request(open, &requests, r->request).send].call = at;
		if (r->kind == TIMELINE_POST)
			open[requests++] = (struct open_request){r->request, r->time, SIZE_MAX};
		if (r->kind == TIMELINE_RECV)
			add_end(&w->receive, &w->receives, &w->receive_capacity,
				(struct end){key, c->enter, r->bytes, rank, at});
		if (r->kind == TIMELINE_IRECV)
			add_end(&w->receive, &w->receives, &w->receive_capacity,
				(struct end){key, take_request(open, &requests, r->request).post, r->bytes, rank, at});
		if (r->kind == TIMELINE_SYNC) {
			w->meeting[rank] = mem_grow(w->meeting[rank], &w->meeting_capacity[rank], w->meetings[rank] + 1,
				sizeof *w->meeting[rank]);
			w->meeting[rank][w->meetings[rank]++] = at;
		}
	}
}

static void waits_for(struct whole *w, uint32_t rank, size_t call, uint64_t came, uint32_t by)
{
	struct span *c = &w->call[rank][call];
	if (came > c->enter && came <= c->leave && came > c->came) {
		c->came = came;
		c->by = by;
	}
}

/* Messages of a channel in order; large ones make their senders wait. */
static void match(struct whole *w)
{
	bool *taken = mem_zero(w->sends + 1);
	for (size_t i = 0; i < w->receives; i++) {
		size_t k = 0;
		while (k < w->sends && (taken[k] || w->send[k].key != w->receive[i].key))
			k++;
		CU_ASSERT_FATAL(k < w->sends);
		taken[k] = true;
		const struct end *s = &w->send[k], *r = &w->receive[i];
		waits_for(w, r->rank, r->call, s->post, s->rank);
		if (s->bytes > EAGER)
			waits_for(w, s->rank, s->call, r->post, r->rank);
	}
	free(taken);
	for (size_t i = 0; i < w->meetings[0]; i++) {
		uint32_t last = 0;
		for (uint32_t rank = 1; rank < w->ranks; rank++)
			if (w->call[rank][w->meeting[rank][i]].enter > w->call[last][w->meeting[last][i]].enter)
				last = rank;
		for (uint32_t rank = 0; rank < w->ranks; rank++)
			if (rank != last)
				waits_for(w, rank, w->meeting[rank][i], w->call[last][w->meeting[last][i]].enter, last);
	}
}

/* Whose records begin with a call was at work before, since the run began. */
static void begin_together(struct whole *w)
{
	uint64_t begin = UINT64_MAX;
	for (uint32_t rank = 0; rank < w->ranks; rank++)
		begin = w->first[rank] < begin ? w->first[rank] : begin;
	for (uint32_t rank = 0; rank < w->ranks; rank++)
		if (w->calls_first[rank])
			w->first[rank] = begin;
}

static struct whole *whole_read(const char *anchor)
{
	struct error error;
	struct trace *trace = trace_open(anchor, &(struct trace_options){0}, &error);
	CU_ASSERT_FATAL(trace != NULL);
	struct timeline *t = timeline_open(trace, &error);
	CU_ASSERT_FATAL(t != NULL);
	struct whole *w = mem_zero(sizeof *w);
	w->ranks = trace_facts(trace)->processes;
	for (uint32_t rank = 0; rank < w->ranks; rank++)
		read_rank(w, trace, t, rank);
	begin_together(w);
	timeline_close(t);
	trace_close(trace);
	match(w);
	return w;
}

static void whole_free(struct whole *w)
{
	for (uint32_t rank = 0; rank < w->ranks; rank++) {
		free(w->call[rank]);
		free(w->meeting[rank]);
	}
	free(w->send);
	free(w->receive);
	free(w);
}

/* Once it is known which calls waited: what is asked for again and again. */
static void sum_calls(struct whole *w)
{
	for (uint32_t rank = 0; rank < w->ranks; rank++) {
		size_t waited = 0;
		uint64_t sum = 0;
		for (size_t i = 0; i < w->calls[rank]; i++) {
			struct span *c = &w->call[rank][i];
			c->waited = waited = c->came ? i + 1 : waited;
			c->sum = sum += c->leave - c->enter;
		}
	}
}

/* The first that ends later. */
static size_t call_at(const struct whole *w, uint32_t rank, uint64_t time)
{
	size_t at;
	SEARCH_FIRST(at, 0, w->calls[rank], w->call[rank][at].leave > time);
	return at;
}

/* Time of a rank in calls before a moment. */
static uint64_t in_calls(const struct whole *w, uint32_t rank, uint64_t time)
{
	size_t i = call_at(w, rank, time);
	const struct span *c = &w->call[rank][i];
	return (i ? c[-1].sum : 0) + (i < w->calls[rank] && c->enter < time ? time - c->enter : 0);
}

struct path {
	uint64_t work[RANKS_MOST], call[RANKS_MOST], hops;
};

static struct path walk_back(const struct whole *w, uint64_t begin)
{
	struct path p = {0};
	uint32_t rank = 0;
	for (uint32_t i = 1; i < w->ranks; i++)
		if (w->last[i] > w->last[rank])
			rank = i;
	for (uint64_t now = w->last[rank];;) {
		size_t ended = call_at(w, rank, now), last = ended ? w->call[rank][ended - 1].waited : 0;
		const struct span *waited = last ? &w->call[rank][last - 1] : NULL;
		uint64_t from = waited ? waited->came : w->first[rank];
		uint64_t calls = in_calls(w, rank, now) - in_calls(w, rank, from);
		p.work[rank] += now - from - calls;
		p.call[rank] += calls;
		if (!waited) {
			p.call[rank] += from - begin; /* before its first record */
			return p;
		}
		p.hops++;
		now = waited->came;
		rank = waited->by;
	}
}

/* Nothing where the process has no part in the construct. */
static struct analysis_share share_of(const struct analysis_construct *c, uint32_t rank)
{
	for (uint32_t i = 0; i < c->shares; i++)
		if (c->share[i].rank == rank)
			return c->share[i];
	return (struct analysis_share){.rank = rank};
}

/* ------------------------------------------------------------------ comparing */

static void compare_path(const struct analysis *a, struct whole *w, const char *why)
{
	sum_calls(w);
	struct path p = walk_back(w, a->begin);
	for (uint32_t rank = 0; rank < w->ranks; rank++) {
		uint64_t work = 0, call = 0;
		for (size_t i = 0; i < a->constructs; i++) {
			work += share_of(&a->construct[i], rank).path_work;
			call += share_of(&a->construct[i], rank).path_call;
		}
		ROW(why, work == p.work[rank]);
		ROW(why, call == p.call[rank]);
	}
	ROW(why, a->hops == p.hops);
}

static void compare_waits(const struct analysis *a, const struct simulated *s, const char *why)
{
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		uint64_t waited[WAIT_KINDS] = {0};
		for (size_t i = 0; i < a->constructs; i++)
			for (enum wait_kind k = 0; k < WAIT_KINDS; k++)
				waited[k] += share_of(&a->construct[i], rank).waited[k];
		ROW(why, waited[WAIT_LATE_SENDER] == truth_of(s, TRUTH_LATE_SENDER, NULL, rank, ANY_ITERATION));
		ROW(why, waited[WAIT_LATE_RECEIVER] == truth_of(s, TRUTH_LATE_RECEIVER, NULL, rank, ANY_ITERATION));
		ROW(why, wait_in_collectives(waited) == truth_of(s, TRUTH_COLLECTIVE, NULL, rank, ANY_ITERATION));
	}
}

static void check_sums(const struct analysis *a, const char *why)
{
	int64_t loss = 0;
	for (size_t i = 0; i < a->constructs; i++) {
		const struct analysis_construct *c = &a->construct[i];
		loss += c->loss;
		ROW(why, c->loss == c->imbalance + c->serialization + c->transfer);
	}
	ROW(why, loss == (int64_t)(analysis_run(a) * a->processes) - (int64_t)analysis_work(a));
	ROW(why, a->path_work + a->path_call == analysis_run(a));
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		const struct analysis_process *p = &a->process[rank];
		ROW(why, p->last - p->first == p->work + p->call + p->apart);
	}
}

static void test_simulated(void)
{
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		for (uint64_t seed = 1; seed <= 4; seed += each_of(2)) {
			const char *why = programs[i].why;
			struct simulated *s =
				simulated_new(&(struct network)USUAL_NETWORK, RANKS, seed, seed % 2 ? 0.02 : 0.08);
			for (uint32_t rank = 0; rank < RANKS; rank++)
				programs[i].program(s, rank);
			simulated_run(s);
			char *anchor = simulated_write(s, seed <= 2);
			struct account account;
			struct error error;
			struct account_options options = {ACCOUNT_OPTIONS};
			options.program.jobs = 1;
			bool good = account_read(&account, anchor, NULL, &options, &error);
			ROW(why, good);
			if (!good) {
				fprintf(stderr, "%s\n", error.message);
				continue;
			}
			check_sums(account.analysis, why);
			compare_waits(account.analysis, s, why);
			struct whole *w = whole_read(anchor);
			compare_path(account.analysis, w, why);
			whole_free(w);
			account_clear(&account);
			archive_remove(anchor);
			simulated_free(s);
		}
}

/* ------------------------------------------------------------------ clocks that are coarse */

#define ONE_PROCESS "process 0\nlocation 0 0\nlist 0 mpi 0\ngroup 1 mpi 0\ncomm 0 1\n"
#define TWO_PROCESSES "process 0\nprocess 1\nlocation 0 0\nlocation 1 1\nlist 0 mpi 0 1\ngroup 1 mpi 0 1\ncomm 0 1\n"
#define CALLS "mpiregion 0 MPI_Send\nmpiregion 1 MPI_Recv\n"
#define SENDS(p, q)                                                                                                    \
	"time 50\n@" #p " enter 0\ntime 60\n@" #p " send " #q " 0 5\ntime 70\n@" #p " leave 0\ntime 70\n@" #p          \
	" enter 1\n"
#define RECEIVES(p, q) "time 80\n@" #p " recv " #q " 0 5\ntime 90\n@" #p " leave 1\n"

static const struct coarse_row {
	const char *why, *archive;
} coarse[] = {
	{"a process that sends to itself does not wait for itself", ONE_PROCESS CALLS SENDS(0, 0) RECEIVES(0, 0)},
	{"two that send to each other do not wait for each other",
		TWO_PROCESSES CALLS SENDS(0, 1) SENDS(1, 0) RECEIVES(0, 1) RECEIVES(1, 0)},
};

/* No message is eager. */
static void test_coarse(void)
{
	for (size_t i = 0; i < sizeof coarse / sizeof *coarse; i++) {
		char *anchor = archive_write(coarse[i].archive);
		struct account account;
		struct error error = {0};
		struct account_options options = {ACCOUNT_OPTIONS};
		options.program.jobs = 1;
		options.eager = 0;
		bool good = account_read(&account, anchor, NULL, &options, &error);
		ROW(coarse[i].why, good);
		if (good) {
			check_sums(account.analysis, coarse[i].why);
			account_clear(&account);
		}
		archive_remove(anchor);
	}
}

/* ------------------------------------------------------------------ who has a part in what */

#define WORKERS 12
#define TASKS 3

/* A master, and a loop with each of its workers, the last worker first. */
static char *write_workers(struct text *model)
{
	struct text archive = {0};
	text_format(&archive, "list 0 mpi");
	for (int p = 0; p <= WORKERS; p++)
		text_format(&archive, " %d", p);
	text_format(&archive, "\ngroup 1 mpi");
	for (int p = 0; p <= WORKERS; p++)
		text_format(&archive, " %d", p);
	text_format(&archive, "\ncomm 0 1 MPI_COMM_WORLD\n");
	for (int p = 0; p <= WORKERS; p++)
		text_format(&archive, "process %d\nlocation %d %d\n", p, p, p);
	text_format(model, "// tracenest 1\n// processes %d\n", WORKERS + 1);
	for (int w = WORKERS; w > 0; w--) {
		text_format(model, "for i0 = 0 to %d\n  0 send %d tag1\n  0 recv %d tag1\ndone\n", TASKS - 1, w, w);
		for (int i = 0; i < TASKS; i++)
			text_format(&archive, "@0 send %d 0 1\n@%d recv 0 0 1\n", w, w);
	}
	char *anchor = archive_write(archive.data);
	text_clear(&archive);
	return anchor;
}

static void check_shares(const struct analysis_construct *c)
{
	static const char *const why = "a share for each process that has a part in it, in their order";
	ROW(why, !c->depth || (c->shares == 2 && c->share[0].rank == 0 && c->share[1].rank > 0));
	for (uint32_t i = 0; i < c->shares; i++) {
		uint64_t work = 0;
		for (size_t bin = 0; bin < c->rank_bins; bin++)
			work += c->bin_work[bin * c->shares + i];
		ROW("its work is that of its iterations", work == c->share[i].work);
	}
	ROW("nobody else has any", !c->depth || !share_of(c, c->share[1].rank % WORKERS + 1).calls);
}

static void test_shares(void)
{
	struct text model = {0};
	struct error error = {0};
	struct analysis_options options = {.eager = UINT64_MAX};
	struct program_options how = {PROGRAM_OPTIONS, .jobs = 1};
	char *anchor = write_workers(&model);
	struct prepared *p = prepared_parse("workers", model.data, model.length, &error);
	struct trace *trace = trace_open(anchor, &how.trace, &error);
	struct analysis *a = p && trace ? analysis_read(p, "workers", trace, &options, &error) : NULL;
	row_same("workers, each in a loop of its own", a ? "read" : error.message, "read");
	for (size_t i = 0; a && i < a->constructs; i++)
		check_shares(&a->construct[i]);
	ROW("a construct for each loop", a && a->constructs >= WORKERS);
	analysis_free(a);
	trace_close(trace);
	prepared_free(p);
	archive_remove(anchor);
	text_clear(&model);
}

/* ------------------------------------------------------------------ collectives, posted or not */

#define POSTS                                                                                                          \
	"mpiregion 0 MPI_Iany\nmpiregion 1 MPI_Wait\nmpiregion 2 MPI_Send\nmpiregion 3 MPI_Recv\n"                     \
	"mpiregion 4 MPI_Any\nmpiregion 5 MPI_Neighbor_alltoall\nmpiregion 6 MPI_Ineighbor_alltoall\n"
#define POST(p, when, request)                                                                                         \
	"time " #when "\n@" #p " enter 0\ntime " #when "\n@" #p " request " #request "\ntime " #when "\n@" #p          \
	" leave 0\n"
#define POST_SOME(p, when, request)                                                                                    \
	"time " #when "\n@" #p " enter 6\ntime " #when "\n@" #p " request " #request "\ntime " #when "\n@" #p          \
	" leave 6\n"
#define MEET(p, from, to, region, operation)                                                                           \
	"time " #from "\n@" #p " enter " #region "\ntime " #to "\n@" #p " collective " #operation " 0 0\ntime " #to    \
	"\n@" #p " leave " #region "\n"
#define WAIT(p, from, to, operation, request)                                                                          \
	"time " #from "\n@" #p " enter 1\ntime " #to "\n@" #p " complete " #operation " " #request "\ntime " #to       \
	"\n@" #p " leave 1\n"

static const struct posted_row {
	const char *why, *archive;
	uint64_t waited[2]; /* by rank, for the other one */
} posted[] = {
	{"who waits for a barrier waits for who posts it last",
		POST(0, 100, 1) WAIT(0, 200, 520, 0, 1) POST(1, 500, 1) WAIT(1, 510, 520, 0, 1), {300, 0}},
	{"nobody waits for what all have posted",
		POST(0, 100, 1) WAIT(0, 200, 210, 0, 1) POST(1, 150, 1) WAIT(1, 510, 520, 0, 1), {0, 0}},
	{"who is complete goes on, and others may need it before they are",
		POST(0, 100, 1) WAIT(0, 200, 310, 0,
			1) "time 400\n@0 enter 2\ntime 400\n@0 send 1 0 5\ntime 410\n@0 leave 2\n" POST(1, 300,
			1) "time 320\n@1 enter 3\ntime 420\n@1 recv 0 0 5\ntime 420\n@1 leave 3\n" WAIT(1, 500, 510, 0,
			1),
		{100, 0}},
	{"several at a time are told apart by their requests",
		POST(0, 100, 1) POST(0, 110, 2) WAIT(0, 200, 300, 0, 1) WAIT(0, 310, 410, 0, 2) POST(1, 290, 7)
			POST(1, 400, 8) WAIT(1, 401, 402, 0, 7) WAIT(1, 405, 410, 0, 8),
		{90 + 90, 0}},
	{"the root waits for nobody", POST(0, 100, 1) WAIT(0, 110, 120, 1, 1) POST(1, 500, 1) WAIT(1, 510, 520, 1, 1),
		{0, 0}},
	{"the others wait for the root",
		POST(1, 100, 1) WAIT(1, 110, 520, 1, 1) POST(0, 500, 1) WAIT(0, 510, 520, 1, 1), {0, 390}},
	{"where no record tells when it was posted, it is when its call began",
		WAIT(0, 100, 320, 0, 1) WAIT(1, 300, 320, 0, 1), {200, 0}},
	{"one waits for the other", MEET(0, 100, 320, 4, 8) MEET(1, 300, 320, 4, 8), {200, 0}},
	{"a scan need not wait", MEET(0, 100, 120, 4, 14) MEET(1, 300, 320, 4, 14), {0, 0}},
	{"it may wait", MEET(0, 100, 310, 4, 14) MEET(1, 300, 320, 4, 14), {200, 0}},
	{"nor need one be waited for that gives nothing", MEET(0, 100, 120, 4, 9) MEET(1, 300, 320, 4, 9), {0, 0}},
	{"nor one that is no neighbour", MEET(0, 100, 120, 5, 8) MEET(1, 300, 320, 5, 8), {0, 0}},
	{"the same where it was posted",
		POST_SOME(0, 100, 1) WAIT(0, 110, 120, 8, 1) POST_SOME(1, 500, 1) WAIT(1, 510, 520, 8, 1), {0, 0}},
};

static void test_posted(void)
{
	for (size_t i = 0; i < sizeof posted / sizeof *posted; i++) {
		struct text archive = {0};
		text_format(&archive, TWO_PROCESSES POSTS "%s", posted[i].archive);
		char *anchor = archive_write(archive.data);
		struct account account;
		struct error error = {0};
		struct account_options options = {ACCOUNT_OPTIONS};
		options.program.jobs = 1;
		bool good = account_read(&account, anchor, NULL, &options, &error);
		ROW(posted[i].why, good);
		if (good) {
			const struct analysis *a = account.analysis;
			check_sums(a, posted[i].why);
			ROW(posted[i].why, !a->unmatched && !a->contradictions);
			for (uint32_t rank = 0; rank < 2; rank++) {
				uint64_t caused = 0;
				for (size_t k = 0; k < a->constructs; k++)
					caused += wait_in_collectives(share_of(&a->construct[k], 1 - rank).caused);
				ROW(posted[i].why,
					wait_in_collectives(a->process[rank].waited) == posted[i].waited[rank]);
				ROW(posted[i].why, caused == posted[i].waited[rank]);
			}
			account_clear(&account);
		}
		text_clear(&archive);
		archive_remove(anchor);
	}
}

/* ------------------------------------------------------------------ call sites */

static const struct sited_row {
	const char *why, *message, *meeting; /* sites */
	const char *names; /* of what loses most, and next */
	const char *callers; /* of the first; NULL: none */
} sited[] = {
	{"phases are called after the functions that hold them", "halo.c:3 exchange", "norm.c:7 norm", "exchange norm",
		NULL},
	{"several of one function after what they do, too", "a.c:3 main", "a.c:7 main",
		"main, tag7+tag8 main, MPI_Allreduce", NULL},
	{"else after what they do alone", "app+0x10", "app+0x20", "tag7+tag8 MPI_Allreduce", NULL},
	{"those that only wrap MPI after who calls them", "halo.c:3 exchange < heat.c:30 limiter < heat.c:9 main",
		"norm.c:7 norm < heat.c:10 main", "limiter > exchange norm",
		"main (heat.c:9) > limiter (heat.c:30) > exchange (halo.c:3)"},
	{"also where several do the same", "x.c:3 wrap < x.c:30 limiter < x.c:9 main",
		"x.c:7 wrap < x.c:40 norm < x.c:10 main", "limiter > wrap norm > wrap",
		"main (x.c:9) > limiter (x.c:30) > wrap (x.c:3)"},
};

static void name_sited(const struct sited_row *row, const char *anchor)
{
	struct program_options how = {PROGRAM_OPTIONS, .jobs = 1};
	struct program_facts facts;
	struct error error = {0};
	struct analysis_options options = {.eager = UINT64_MAX};
	struct text names = {0};
	struct module *m = module_of_trace(anchor, &how, &facts, &error);
	struct trace *trace = trace_open(anchor, &how.trace, &error);
	CU_ASSERT_FATAL(m && trace && module_inline(m, &error));
	struct module_line *line = module_statements(m);
	for (size_t i = 0; i < m->lines; i++) {
		const struct node *n = node_of(m->store, line[i].node);
		uint32_t path = call_paths_know(
			m->places.paths, n->kind == NODE_EVENT && n->sub == EVENT_SYNC ? row->meeting : row->message);
		if (n->kind == NODE_EVENT)
			m->sites[i] = sites_know(&m->places, &path, 1);
	}
	free(line);
	struct prepared *p = prepared_new(m, &error);
	struct analysis *a = analysis_read(p, anchor, trace, &options, &error);
	ROW(row->why, a != NULL);
	for (size_t i = 0; a && i < a->constructs; i++)
		if (a->construct[i].sort == CONSTRUCT_PROGRAM && a->construct[i].depth)
			text_format(&names, "%s%s", names.length ? " " : "", a->construct[i].name);
	row_same(row->why, names.data ? names.data : "", row->names);
	if (a)
		row_same(row->why, a->construct[0].callers ? a->construct[0].callers : "",
			row->callers ? row->callers : "");
	text_clear(&names);
	analysis_free(a);
	trace_close(trace);
	program_facts_clear(&facts);
	prepared_free(p);
}

static void test_sited(void)
{
	struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, RANKS, 1, 0.02);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		small_halo(s, rank);
	simulated_run(s);
	char *anchor = simulated_write(s, SIMULATED_BARE);
	for (size_t i = 0; i < sizeof sited / sizeof *sited; i++)
		name_sited(&sited[i], anchor);
	archive_remove(anchor);
	simulated_free(s);
}

/* ------------------------------------------------------------------ real archives */

/* Calls alone; who waited for whom is told by the analysis. */
static void read_calls(struct whole *w, struct timeline *t, uint32_t rank)
{
	const struct timeline_record *r;
	unsigned open = 0;
	for (bool first = true; (r = timeline_get(t, rank)); timeline_next(t, rank), first = false) {
		enum timeline_sort sort = r->kind <= TIMELINE_LEAVE ? timeline_region(t, r->id).sort : TIMELINE_PROGRAM;
		w->first[rank] = first ? r->time : w->first[rank];
		w->last[rank] = r->time;
		w->calls_first[rank] |= first && (sort == TIMELINE_MPI || sort == TIMELINE_IO);
		if (sort == TIMELINE_PROGRAM || sort == TIMELINE_INTERNAL)
			continue;
		if (r->kind == TIMELINE_ENTER && !open++) {
			w->call[rank] = mem_grow(
				w->call[rank], &w->call_capacity[rank], w->calls[rank] + 1, sizeof *w->call[rank]);
			w->call[rank][w->calls[rank]++] = (struct span){.enter = r->time};
		} else if (r->kind == TIMELINE_LEAVE && open && !--open) {
			w->call[rank][w->calls[rank] - 1].leave = r->time;
		}
	}
	if (open)
		w->call[rank][w->calls[rank] - 1].leave = w->last[rank];
}

/* Whom a call waited for came while it waited; a call waits once. */
static void note_wait(void *whole, uint32_t rank, uint64_t enter, uint64_t came, uint32_t culprit)
{
	struct whole *w = whole;
	size_t i;
	SEARCH_FIRST(i, 0, w->calls[rank], w->call[rank][i].enter >= enter);
	while (i < w->calls[rank] && w->call[rank][i].enter == enter && w->call[rank][i].leave < came)
		i++;
	bool good = i < w->calls[rank] && w->call[rank][i].enter == enter && came > enter &&
		    came <= w->call[rank][i].leave && culprit != rank && culprit < w->ranks && !w->call[rank][i].came;
	ROW("a call that waited", good);
	if (!good)
		return;
	w->call[rank][i].came = came;
	w->call[rank][i].by = culprit;
}

static void walk_archive(const char *directory, const char *name)
{
	struct program_options how = {PROGRAM_OPTIONS};
	struct program_facts facts;
	struct error error = {0};
	struct whole *w = mem_zero(sizeof *w);
	struct analysis_options options = {.lenient = true, .eager = UINT64_MAX, .waited = note_wait, .context = w};
	struct text path = {0};
	text_format(&path, "%s/%s", directory, name);
	const char *anchor = path.data;
	how.lenient = true;
	struct prepared *program = prepared_of_trace(anchor, &how, &facts, &error);
	struct trace *trace = program ? trace_open(anchor, &how.trace, &error) : NULL;
	struct timeline *t = trace ? timeline_open(trace, &error) : NULL;
	ROW(name, t != NULL);
	w->ranks = t ? trace_facts(trace)->processes : 0;
	for (uint32_t rank = 0; rank < w->ranks; rank++)
		read_calls(w, t, rank);
	begin_together(w);
	timeline_close(t);
	struct analysis *a = t ? analysis_read(program, anchor, trace, &options, &error) : NULL;
	ROW(name, a != NULL);
	if (a) {
		check_sums(a, name);
		compare_path(a, w, name);
	}
	analysis_free(a);
	trace_close(trace);
	program_facts_clear(&facts);
	prepared_free(program);
	whole_free(w);
	text_clear(&path);
}

static void test_real(void)
{
	const char *directory = getenv("TRACENEST_SAMPLES");
	DIR *d = directory ? opendir(directory) : NULL;
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.' && !strstr(e->d_name, ".runlog") && !strstr(e->d_name, ".trace") &&
			(!watched() || strstr("is.S.4.scorep lu.S.4.ez bt.S.4.tau", e->d_name)))
			walk_archive(directory, e->d_name);
	if (d)
		closedir(d);
}

/* ------------------------------------------------------------------ records that are kept */

struct records {
	struct timeline_record *record;
	size_t length, capacity;
	uint64_t read;
};

static struct records timeline_of(const char *anchor, struct kept *keep, bool model_first)
{
	struct error error = {0};
	struct trace_options options = {.keep = keep};
	if (model_first) {
		struct program_options how = {PROGRAM_OPTIONS};
		struct program_facts facts;
		how.trace = options;
		struct prepared *p = prepared_of_trace(anchor, &how, &facts, &error);
		CU_ASSERT_FATAL(p != NULL);
		program_facts_clear(&facts);
		prepared_free(p);
	}
	struct trace *trace = trace_open(anchor, &options, &error);
	CU_ASSERT_FATAL(trace != NULL);
	struct timeline *t = timeline_open(trace, &error);
	CU_ASSERT_FATAL(t != NULL);
	struct records all = {0};
	const struct timeline_record *r;
	for (uint32_t rank = 0; rank < trace_facts(trace)->processes; rank++)
		for (; (r = timeline_get(t, rank)); timeline_next(t, rank)) {
			all.record = mem_grow(all.record, &all.capacity, all.length + 1, sizeof *all.record);
			all.record[all.length++] = *r;
		}
	CU_ASSERT_FATAL(timeline_good(t, &error));
	CU_ASSERT(timeline_expected(t) == timeline_records(t));
	all.read = timeline_records(t);
	timeline_close(t);
	trace_close(trace);
	return all;
}

static void expect_same(struct records all, const struct records *as, const char *why)
{
	bool same = all.length == as->length && all.read == as->read;
	for (size_t i = 0; i < all.length && same; i++) {
		const struct timeline_record *a = &all.record[i], *b = &as->record[i];
		same = a->kind == b->kind && a->time == b->time && a->id == b->id && a->bytes == b->bytes &&
		       a->request == b->request;
	}
	ROW(why, same);
	free(all.record);
}

/* The folder of event files gets another name, or its own again. */
static void hide_events(const char *anchor, bool hide)
{
	struct text stem = {0}, hidden = {0};
	text_add(&stem, anchor, strlen(anchor) - strlen(".otf2"));
	text_format(&hidden, "%s.hidden", stem.data);
	CU_ASSERT_FATAL(!(hide ? rename(stem.data, hidden.data) : rename(hidden.data, stem.data)));
	text_clear(&stem);
	text_clear(&hidden);
}

static void test_kept(void)
{
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		const char *why = programs[i].why;
		struct simulated *s = simulated_new(&(struct network)USUAL_NETWORK, RANKS, i, 0.05);
		for (uint32_t rank = 0; rank < RANKS; rank++)
			programs[i].program(s, rank);
		simulated_run(s);
		char *anchor = simulated_write(s, i % 2);
		struct records all = timeline_of(anchor, NULL, false);
		CU_ASSERT(all.length > 0);
		for (int way = 0; way < 4; way++) {
			bool kept = way % 2;
			struct kept *keep = kept_new(kept ? KEPT_BYTES : 256);
			expect_same(timeline_of(anchor, keep, way / 2), &all, why);
			if (kept) /* it is opened once: nobody looks for it again */
				hide_events(anchor, true);
			expect_same(timeline_of(anchor, keep, true), &all, why);
			if (kept)
				hide_events(anchor, false);
			kept_free(keep);
		}
		free(all.record);
		archive_remove(anchor);
		simulated_free(s);
	}
}

/* Known or new, with a request, attributes, or a time beyond what a word has room for. */
static void fill_lane(struct kept_lane *lane, size_t records, const struct record_attribute *attribute, bool *good)
{
	for (size_t i = 0; i < records && *good; i++)
		*good = kept_add(lane, &(struct event_record){.time = i * (i % 7 ? 3 : UINT64_C(1) << 33),
					       .request = i % 3 ? 0 : i << 34,
					       .bytes = i % 5000,
					       .id = (uint32_t)i % 11,
					       .kind = (uint16_t)(i % (RECORD_JOIN + 1)),
					       .attributes = i % 4,
					       .attribute = attribute + i % 2});
	kept_end(lane);
}

static void test_kept_records(void)
{
	/* the last but one is the number of a request, once */
	static const struct record_attribute attribute[] = {
		{1, 4, 7}, {2, 3, UINT64_MAX}, {9, 4, UINT64_C(27) << 34}, {3, 4, 8}};
	struct kept *keep = kept_new(KEPT_BYTES), *little = kept_new(1 << 16);
	struct kept_lane *lane = kept_lane_new(keep), *small = kept_lane_new(little);
	struct kept_place place = {0};
	struct event_record r;
	bool good = true, none = true;
	size_t records = 20000, i = 0;
	fill_lane(lane, records, attribute, &good);
	CU_ASSERT(good);
	for (; kept_next(lane, &place, &r); i++)
		good = good && r.time == i * (i % 7 ? 3 : UINT64_C(1) << 33) && r.request == (i % 3 ? 0 : i << 34) &&
		       r.bytes == i % 5000 && r.id == i % 11 && r.kind == i % (RECORD_JOIN + 1) &&
		       r.attributes == i % 4 &&
		       !memcmp(r.attribute, attribute + i % 2, r.attributes * sizeof *attribute);
	CU_ASSERT(good && i == records);
	fill_lane(small, records, attribute, &none);
	CU_ASSERT(!none && !kept_affords(little, 100));
	kept_lane_free(small);
	CU_ASSERT(kept_affords(little, 100) && !kept_affords(little, UINT64_MAX));
	kept_lane_free(lane);
	kept_free(keep);
	kept_free(little);
}

void suite_analysis(CU_pSuite suite)
{
	CU_add_test(suite, "records that are kept are those of the archive", test_kept);
	CU_add_test(suite, "records are kept in every form", test_kept_records);
	CU_add_test(suite, "clocks that are coarse", test_coarse);
	CU_add_test(suite, "shares of those who have a part", test_shares);
	CU_add_test(suite, "collectives, posted or not", test_posted);
	CU_add_test(suite, "simulated programs: waits, sums, and the critical path walked backward", test_simulated);
	CU_add_test(suite, "constructs are called after call sites", test_sited);
	CU_add_test(suite, "real archives: sums, and the critical path walked backward", test_real);
}
