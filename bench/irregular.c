/*
 * irregular.c -- hard input for the reduction: it must end, within its budget and in bounded time
 * and memory, and lose nothing.
 *
 *	bench/irregular [-n EVENTS] [NAME ...]
 *
 * Random pairings of sends and receives; loops that meet thousands of others; loops of coprime
 * counts; loops whose rates do not agree; receives that are late everywhere, by more on every
 * process; collectives in another order on every process. Each case runs in a process of its own.
 * At its end, every process's stream is walked through the global model and compared with what the
 * local models say.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ask/consistency.h"
#include "base/mem.h"
#include "merge/merge.h"
#include "model/member_sets.h"
#include "model/module_of_model.h"
#include "nlr/nlr.h"

/* Streams of longer models are not compared event by event. */
#define WALK_MOST 20000000

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (*seed >> 33) % below;
}

/* ------------------------------------------------------------------ streams under recognition */

struct recording {
	struct dictionary *dictionary;
	uint32_t processes, tag;
	struct nlr **nlr;
	uint64_t events;
};

static void record(struct recording *r, uint32_t process, struct event e)
{
	nlr_push(r->nlr[process], dictionary_event(r->dictionary, &e));
	r->events++;
}

static void send(struct recording *r, uint32_t from, uint32_t to)
{
	record(r, from, (struct event){EVENT_SEND, from, to, r->tag, EVENT_CONSTANT});
}

static void receive(struct recording *r, uint32_t from, uint32_t to)
{
	record(r, to, (struct event){EVENT_RECV, to, from, r->tag, EVENT_CONSTANT});
}

static void note(struct recording *r, uint32_t process, uint32_t number)
{
	char word[16];
	int length = snprintf(word, sizeof word, "x%" PRIu32, number);
	record(r, process,
		(struct event){
			EVENT_LOCAL, process, 0, dictionary_word(r->dictionary, word, (size_t)length), EVENT_CONSTANT});
}

static void meet(struct recording *r, uint32_t process, const char *name)
{
	struct ranks everybody = {0};
	ranks_add_run(&everybody, 0, r->processes - 1);
	struct sync sync = {dictionary_word(r->dictionary, name, strlen(name)),
		dictionary_ranks(r->dictionary, &everybody), NO_COMMUNICATOR};
	ranks_clear(&everybody);
	uint32_t channel = dictionary_sync(r->dictionary, &sync);
	record(r, process,
		(struct event){EVENT_SYNC, dictionary_rank(r->dictionary, process), NO_ROOT, channel, EVENT_CONSTANT});
}

static void start(struct recording *r, uint32_t processes)
{
	*r = (struct recording){
		.dictionary = dictionary_new(), .processes = processes, .nlr = mem_array(processes, sizeof *r->nlr)};
	r->tag = dictionary_tag(
		r->dictionary, &(struct tag){dictionary_word(r->dictionary, "tag", 3), true, 1, NO_COMMUNICATOR});
	for (uint32_t p = 0; p < processes; p++)
		r->nlr[p] = nlr_new(NULL);
}

static struct model *finish(struct recording *r)
{
	struct model *m = model_new();
	m->processes = r->processes;
	uint32_t *map = dictionary_import(m->dictionary, r->dictionary, NULL, false);
	for (uint32_t p = 0; p < r->processes; p++) {
		struct nest *n = nlr_finish(r->nlr[p]);
		nest_append_all(m->nest, n, map);
		nest_free(n);
	}
	free(map);
	free(r->nlr);
	dictionary_free(r->dictionary);
	return m;
}

/* ------------------------------------------------------------------ cases */

/* Any process sends to any other. */
static void random_pairs(struct recording *r, uint64_t events)
{
	uint64_t seed = 1;
	start(r, 64);
	while (r->events < events) {
		uint32_t from = (uint32_t)draw(&seed, 64), to = (uint32_t)((from + 1 + draw(&seed, 63)) % 64);
		send(r, from, to);
		receive(r, from, to);
	}
}

/* The same in bursts: short loops everywhere, of counts that hardly ever fit. */
static void random_bursts(struct recording *r, uint64_t events)
{
	uint64_t seed = 2;
	start(r, 64);
	while (r->events < events) {
		uint32_t from = (uint32_t)draw(&seed, 64), to = (uint32_t)((from + 1 + draw(&seed, 63)) % 64);
		uint64_t sends = 1 + draw(&seed, 30);
		for (uint64_t i = 0; i < sends; i++)
			send(r, from, to);
		for (uint64_t i = 0; i < sends; i++)
			receive(r, from, to);
	}
}

/* Two processes, and bursts that overlap each other in a chain. */
static void chain_of_bursts(struct recording *r, uint64_t events)
{
	uint64_t seed = 3, sent = 0, received = 0;
	start(r, 2);
	while (r->events < events) {
		for (uint64_t i = 3 + draw(&seed, 30); i; i--, sent++)
			send(r, 0, 1);
		note(r, 0, 0);
		for (uint64_t i = 3 + draw(&seed, 30); i && received < sent; i--, received++)
			receive(r, 0, 1);
		note(r, 1, 0);
	}
	for (; received < sent; received++)
		receive(r, 0, 1);
}

/* One loop of n iterations against n / 10 small loops, each different from its neighbours. */
static void one_against_many(struct recording *r, uint64_t events)
{
	uint64_t received = 0, messages = events / 2;
	start(r, 2);
	for (uint64_t i = 0; i < messages; i++)
		send(r, 0, 1);
	for (uint32_t k = 0; received < messages; k++) {
		for (uint32_t i = 0; i < 4 + k % 13 && received < messages; i++, received++)
			receive(r, 0, 1);
		note(r, 1, k % 1021 * 7 % 509);
	}
}

/* As above, but the loop also carries something on every other process. */
static void one_against_many_groups(struct recording *r, uint64_t events)
{
	uint64_t seed = 4, messages = events / 32;
	start(r, 17);
	for (uint64_t i = 0; i < messages; i++)
		for (uint32_t p = 1; p < 17; p++)
			send(r, 0, p);
	for (uint32_t p = 1; p < 17; p++)
		for (uint64_t received = 0; received < messages;) {
			for (uint64_t i = 3 + draw(&seed, 20); i && received < messages; i--, received++)
				receive(r, 0, p);
			note(r, p, (uint32_t)draw(&seed, 1000));
		}
}

static void coprime(struct recording *r, uint64_t events)
{
	uint64_t a = 1009, b = 997;
	(void)events;
	start(r, 2);
	for (uint64_t i = 0; i < a; i++) {
		for (uint64_t k = 0; k < b; k++)
			send(r, 0, 1);
		note(r, 0, 0);
	}
	for (uint64_t i = 0; i < b; i++) {
		for (uint64_t k = 0; k < a; k++)
			receive(r, 0, 1);
		note(r, 1, 0);
	}
}

/* Loops of random counts between random pairs, every process in its own order and at its own
   rates. */
static void random_loops(struct recording *r, uint64_t events)
{
	uint64_t seed = 5;
	uint64_t *owed = mem_zero(256 * sizeof *owed);
	start(r, 16);
	while (r->events < events) {
		uint32_t p = (uint32_t)draw(&seed, 16), from = (uint32_t)draw(&seed, 16);
		uint32_t to = (uint32_t)((p + 1 + draw(&seed, 15)) % 16);
		uint64_t count = 3 + draw(&seed, 40), each = 1 + draw(&seed, 3), most = owed[16 * from + p] / each;
		for (uint64_t i = 0; i < count; i++) {
			send(r, p, to);
			owed[16 * p + to]++;
			for (uint64_t k = 0; k < each && i < most && owed[16 * from + p]; k++) {
				receive(r, from, p);
				owed[16 * from + p]--;
			}
		}
	}
	for (uint32_t i = 0; i < 256; i++)
		for (; owed[i]; owed[i]--)
			receive(r, i / 16, i % 16);
	free(owed);
}

/* A ring in which every process receives what was sent p + 1 iterations ago. */
static void late(struct recording *r, uint64_t events)
{
	start(r, 64);
	uint64_t iterations = events / 256;
	for (uint64_t i = 0; i < iterations + 64; i++)
		for (uint32_t p = 0; p < 64; p++) {
			if (i < iterations) {
				send(r, p, (p + 1) % 64);
				meet(r, p, "MPI_Barrier");
			}
			if (i > p && i - p - 1 < iterations)
				receive(r, (p + 63) % 64, p);
		}
}

/* A master hands out work to whoever is ready. */
static void workers(struct recording *r, uint64_t events)
{
	uint64_t seed = 6;
	start(r, 64);
	while (r->events < events) {
		uint32_t worker = 1 + (uint32_t)draw(&seed, 63);
		send(r, 0, worker);
		receive(r, 0, worker);
		send(r, worker, 0);
		receive(r, worker, 0);
	}
}

/* Collectives of three kinds, in another order on every process: no run could, but a trace may say
   so. */
static void crossed_collectives(struct recording *r, uint64_t events)
{
	static const char *const names[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Bcast"};
	uint64_t seed = 7;
	start(r, 64);
	for (uint32_t p = 0; p < 64; p++) {
		uint64_t left[3] = {events / 192, events / 192, events / 192};
		while (left[0] + left[1] + left[2]) {
			uint64_t k = draw(&seed, 3);
			if (left[k]) {
				meet(r, p, names[k]);
				left[k]--;
			}
		}
	}
}

/* A loop in a loop in a loop ..., each end of every message at another depth. */
static void deep(struct recording *r, uint64_t events)
{
	start(r, 2);
	uint64_t messages = 1;
	while (2 * messages * 3 <= events)
		messages *= 3;
	for (uint64_t i = 1; i <= messages; i++) {
		send(r, 0, 1);
		for (uint64_t k = 3; i % k == 0; k *= 3)
			note(r, 0, (uint32_t)k);
	}
	for (uint64_t i = 1; i <= messages; i++) {
		for (uint64_t k = 3; i % k == 0; k *= 3)
			note(r, 1, (uint32_t)k);
		receive(r, 0, 1);
	}
}

/* Stages that each run one iteration ahead of the one before: `back`, from the last rank to the
   first. */
static void pipeline(struct recording *r, uint64_t events, bool back)
{
	uint32_t stages = 300;
	uint64_t messages = events / 2 / stages;
	start(r, stages);
	for (uint32_t s = 0; s < stages; s++) {
		uint32_t p = back ? stages - 1 - s : s, before = back ? p + 1 : p - 1, after = back ? p - 1 : p + 1;
		for (uint64_t i = 0; i <= messages; i++) {
			if (i < messages && s + 1 < stages)
				send(r, p, after);
			if (i && s)
				receive(r, before, p);
		}
	}
}

static void pipeline_up(struct recording *r, uint64_t events)
{
	pipeline(r, events, false);
}

static void pipeline_down(struct recording *r, uint64_t events)
{
	pipeline(r, events, true);
}

/* One process that talks to all others in every iteration. */
static void star(struct recording *r, uint64_t events)
{
	uint32_t processes = 1024;
	start(r, processes);
	for (uint64_t i = 0; i < 4 || r->events < events; i++) {
		for (uint32_t p = 1; p < processes; p++)
			send(r, 0, p);
		for (uint32_t p = 1; p < processes; p++) {
			receive(r, 0, p);
			send(r, p, 0);
		}
		for (uint32_t p = 1; p < processes; p++)
			receive(r, p, 0);
		note(r, 0, 1);
	}
}

static const struct {
	const char *name;
	void (*run)(struct recording *, uint64_t events);
} cases[] = {
	{"random pairs", random_pairs},
	{"random bursts", random_bursts},
	{"chain of bursts", chain_of_bursts},
	{"one loop against many", one_against_many},
	{"one loop against 16 x many", one_against_many_groups},
	{"coprime", coprime},
	{"random loops", random_loops},
	{"late receives", late},
	{"master and workers", workers},
	{"crossed collectives", crossed_collectives},
	{"deep", deep},
	{"pipeline up", pipeline_up},
	{"pipeline down", pipeline_down},
	{"star", star},
};

/* ------------------------------------------------------------------ a row */

static bool same_event(struct cursor *const *cursor, struct member_sets *const *members)
{
	struct text line[2] = {{0}, {0}};
	for (int i = 0; i < 2; i++)
		event_print_at(&cursor[i]->at, members[i], cursor[i]->event, 0, &line[i]);
	bool same = !strcmp(line[0].data, line[1].data);
	text_clear(&line[0]);
	text_clear(&line[1]);
	return same;
}

static bool same_streams(const struct model *a, const struct model *b)
{
	struct module *module[] = {module_of_model(a), module_of_model(b)};
	struct run *run[] = {run_new(module[0], NULL), run_new(module[1], NULL)};
	struct member_sets *members[] = {member_sets_new(run[0]), member_sets_new(run[1])};
	struct cursor *cursor[] = {cursor_new(run[0], 0), cursor_new(run[1], 0)};
	bool same = a->processes == b->processes, more = true;
	for (uint32_t rank = 0; rank < a->processes && same; rank++, more = true) {
		for (int i = 0; i < 2; i++)
			cursor_restart(cursor[i], rank);
		while (same && more) {
			more = cursor_next(cursor[0]);
			same = cursor_next(cursor[1]) == more && (!more || same_event(cursor, members));
		}
	}
	for (int i = 0; i < 2; i++) {
		cursor_free(cursor[i]);
		member_sets_free(members[i]);
		run_free(run[i]);
		module_free(module[i]);
	}
	return same;
}

static bool measure(size_t which, uint64_t events)
{
	struct recording r;
	struct merge_report report;
	double begin = now();
	cases[which].run(&r, events);
	events = r.events;
	struct model *local = finish(&r);
	double recognized = now();
	struct model *global = merge_reduce(local, NULL, &report);
	double reduced = now();
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	struct module *module = module_of_model(global);
	struct run *run = run_new(module, NULL);
	struct consistency c;
	consistency_of(run, &c);
	bool sound = consistency_holds(&c, &(struct error){0}),
	     lossless = events > WALK_MOST || same_streams(local, global);
	consistency_clear(&c);
	run_free(run);
	module_free(module);
	printf("%-28s %10" PRIu64 " %8.2f %8.2f %8.0f %10" PRIu64 " %10" PRIu64 " %6.3f %8" PRIu64 "  %s%s\n",
		cases[which].name, events, recognized - begin, reduced - recognized, (double)usage.ru_maxrss / 1024,
		report.constructs_local, report.constructs_global,
		(double)report.constructs_global / (double)report.constructs_local, report.joined,
		lossless ? "lossless" : "NOT THE TRACE", sound ? "" : ", NOT SOUND");
	for (size_t i = 0; i < global->notes.length; i++)
		printf("    %.120s\n", global->notes.line[i]);
	model_free(local);
	model_free(global);
	return sound && lossless;
}

static bool measure_apart(size_t which, uint64_t events)
{
	fflush(stdout);
	pid_t child = fork();
	if (child < 0)
		return false;
	if (!child) {
		bool good = measure(which, events);
		fflush(stdout);
		_exit(!good);
	}
	int status;
	return waitpid(child, &status, 0) == child && !status;
}

static bool named(const char *name, int count, char **names)
{
	bool any = false;
	for (int i = 0; i < count; i++)
		any |= !strcmp(name, names[i]);
	return any || !count;
}

int main(int argc, char **argv)
{
	uint64_t events = 1000000;
	for (int option; (option = getopt(argc, argv, "n:")) != -1;) {
		if (option != 'n' || !(events = strtoull(optarg, NULL, 10)))
			return fprintf(stderr, "usage: %s [-n EVENTS] [NAME ...]\n", argv[0]), 2;
	}
	bool good = true;
	printf("%-28s %10s %8s %8s %8s %10s %10s %6s %8s\n", "case", "events", "NLR s", "merge s", "peak MB", "local",
		"global", "ratio", "joined");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (named(cases[i].name, argc - optind, argv + optind))
			good &= measure_apart(i, events);
	return !good;
}
