/*
 * naming.c -- the kind of a fault and its ranks, by the largest part of the loss that names any.
 */
#include "report/naming.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"

#define ALONE 0.1 /* of what a stage computes: others compute less beside it */
#define CAUSED_BY_ONE 0.6 /* of the waiting */
#define SERIAL 0.15 /* of the computation on the path, beyond what the busiest computes: else it is noise */
#define SERIAL_BY_ONE 0.05 /* ... where half of the ranks wait for one: noise has no such face */
#define TURNS_LEAST 3 /* ranks that do so in turn */
#define IN_SUM 0.2 /* of the imbalance: what the busiest of all iterations computes more is no more than that */
#define VICTIMS 0.3 /* of the largest waiting: is told beside it */
#define MASTER 0.9 /* of the messages are with one */
#define LINK_SHARE 0.6 /* of the transfer, on one link */
#define LINK_SLOW 3 /* median flights */
#define LINKS_TOLD 4 /* pairs, in words */
#define SHARED 20 /* times as long as the quickest: as where a processor is shared */
#define SHARED_LEAST 50e-6 /* ... and at least so long, in s */
#define CALLS_ALONE 0.04 /* of the run: calls without messages are told of */
#define LARGE 3 /* times the size of the siblings' messages */
#define CONTENDED 2.5 /* times as long as messages of that size take elsewhere */

static const struct {
	const char *key, *words;
} kinds[FAULT_KINDS] = {
	[FAULT_NONE] = {"none", "nothing"},
	[FAULT_VARYING] = {"varying", "imbalance without a pattern"},
	[FAULT_WAITING] = {"waiting", "waiting without a pattern"},
	[FAULT_SLOW] = {"slow", "slow computation"},
	[FAULT_STAGE] = {"stage", "serial stage"},
	[FAULT_CHAIN] = {"chain", "chain of ranks, one after the other"},
	[FAULT_LATE_SENDER] = {"late-sender", "late sender"},
	[FAULT_LATE_RECEIVER] = {"late-receiver", "late receiver"},
	[FAULT_CORES] = {"cores", "cores that are shared"},
	[FAULT_COLLECTIVE] = {"collective", "expensive collective"},
	[FAULT_LINK] = {"link", "slow link"},
	[FAULT_GROWING] = {"growing", "growing messages"},
	[FAULT_LARGE] = {"large", "large messages"},
	[FAULT_CONTENTION] = {"contention", "contention: transfer that is slow on all links"},
	[FAULT_TRANSFER] = {"transfer", "transfer that is not overlapped"},
};

const char *fault_words(enum fault_kind kind)
{
	return kinds[kind].words;
}

const char *fault_key(enum fault_kind kind)
{
	return kinds[kind].key;
}

bool fault_accuses(const struct fault *f)
{
	return f->kind > FAULT_WAITING;
}

void fault_clear(struct fault *f)
{
	ranks_clear(&f->ranks);
	text_clear(&f->evidence);
}

/* ------------------------------------------------------------------ words */

struct time_unit time_unit_of(double largest, enum units asked)
{
	static const struct time_unit units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
	size_t i = 0;
	while (i < 3 && fabs(largest) < units[i].seconds * 0.9995)
		i++;
	return units[asked == UNITS_AUTO ? i : (size_t)(asked - UNITS_S)];
}

static struct amount amount_of(double number, const char *unit)
{
	struct amount a;
	snprintf(a.words, sizeof a.words, "%.3g %s", number, unit);
	return a;
}

struct amount seconds_of(double seconds)
{
	struct time_unit unit = time_unit_of(seconds, UNITS_AUTO);
	return amount_of(seconds / unit.seconds, unit.name);
}

static struct amount bytes_of(double bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	size_t i = 0;
	for (; bytes >= 999.5 && i + 1 < sizeof units / sizeof *units; i++)
		bytes /= 1000;
	return amount_of(bytes, units[i]);
}

/* Is the set all that stands at some coordinates of one axis? Then says which. */
static bool put_lines(struct text *out, const struct ranks *set, const struct grid *grid)
{
	static const char axis[] = "xyzw";
	for (uint32_t a = 0; a < grid->axes; a++) {
		struct ranks_walk walk = {0};
		struct ranks at = {0};
		for (uint32_t r; ranks_next(set, &walk, &r);)
			ranks_add(&at, (uint32_t)grid_spot(grid, r).axis[a]);
		bool whole = ranks_count(set) * grid->size[a] == ranks_count(&at) * grid_ranks(grid) &&
			     ranks_count(&at) < grid->size[a];
		if (whole) {
			text_format(out, " (%c = ", axis[a]);
			ranks_print(&at, out);
			text_char(out, ')');
		}
		ranks_clear(&at);
		if (whole)
			return true;
	}
	return false;
}

void put_ranks(struct text *out, const struct ranks *set, uint32_t processes, const struct grid *grid)
{
	uint64_t count = ranks_count(set);
	if (count == 0 || (count == processes && count > 1)) {
		text_format(out, "all %" PRIu32 " ranks", processes);
		return;
	}
	text_put(out, count == 1 ? "rank " : "ranks ");
	ranks_print(set, out);
	if (count > 1 && grid && grid->axes && grid_ranks(grid) == processes)
		put_lines(out, set, grid);
}

static struct amount each_of(const struct evidence *e, double ticks) /* per iteration */
{
	return seconds_of(ticks * analysis_tick(e->of) / (double)(e->iterations ? e->iterations : 1));
}

/* ------------------------------------------------------------------ imbalance */

static double mean_over(const double *value, uint32_t processes, const struct ranks *set, bool others)
{
	double sum = 0;
	uint64_t n = 0;
	for (uint32_t r = 0; r < processes; r++)
		if (ranks_has(set, r) != others) {
			sum += value[r];
			n++;
		}
	return n ? sum / (double)n : 0;
}

static void take_from(struct ranks *set, const double *value, uint32_t n, double limit)
{
	ranks_clear(set);
	for (uint32_t r = 0; r < n; r++)
		if (value[r] >= limit)
			ranks_add(set, r);
}

static uint32_t largest_of(const double *value, uint32_t n)
{
	uint32_t most = 0;
	for (uint32_t r = 1; r < n; r++)
		if (value[r] > value[most])
			most = r;
	return most;
}

/* Noise averages out: over n iterations, of the largest of them sqrt(n) remains. */
static double least_excess(const struct evidence *e, double loss)
{
	double part = 2 / sqrt((double)(e->iterations ? e->iterations : 1));
	return loss * (part < 0.35 ? 0.35 : part > 0.5 ? 0.5 : part);
}

/* Those above half of the largest excess, where the excess is there for good: the busiest rank of
   all iterations together exceeds the mean by most of what the busiest of each do. */
static bool graded(const struct evidence *e, double mean, struct ranks *set)
{
	double most = e->computation[largest_of(e->computation, e->of->processes)] - mean;
	if (e->iterations < 8 || most < 0.6 * e->imbalance)
		return false;
	take_from(set, e->computation, e->of->processes, mean + most / 2);
	return ranks_count(set) * 2 <= e->of->processes;
}

/* Who waits for these: evidence, not a name. */
static void put_victims(const struct evidence *e, const struct ranks *culprits, struct text *out)
{
	double caused[WAIT_KINDS] = {0};
	for (enum wait_kind k = 0; k < WAIT_KINDS; k++)
		for (uint32_t r = 0; e->caused[k] && r < e->of->processes; r++)
			caused[k] += ranks_has(culprits, r) ? e->caused[k][r] : 0;
	double most = caused[largest_of(caused, WAIT_KINDS)];
	for (bool first = true; most > 0; first = false) {
		enum wait_kind k = (enum wait_kind)largest_of(caused, WAIT_KINDS);
		if (caused[k] < VICTIMS * most)
			break;
		text_format(out, "%s %s: %s%s%s", first ? ";" : ",", wait_name(k), first ? "others wait " : "",
			seconds_of(caused[k] * analysis_tick(e->of)).words,
			!first                      ? ""
			: ranks_count(culprits) > 1 ? " for them"
						    : " for it");
		caused[k] = 0;
	}
}

/* All messages come from it or go there, and it is what the others wait for. */
static bool is_master(const struct evidence *e, uint32_t rank)
{
	double its = 0, messages = 0, caused = 0, waited = 0;
	struct ranks partners = {0};
	for (size_t i = 0; i < e->construct->links; i++) {
		const struct analysis_link *l = &e->construct->link[i];
		bool there = l->source == rank || l->destination == rank;
		its += there ? (double)l->messages : 0;
		messages += (double)l->messages;
		if (there)
			ranks_add(&partners, l->source == rank ? l->destination : l->source);
	}
	for (enum wait_kind k = 0; k < WAIT_COLLECTIVES; k++) {
		caused += e->caused[k] ? e->caused[k][rank] : 0;
		waited += e->wait[k];
	}
	bool many = ranks_count(&partners) * 2 > e->of->processes;
	ranks_clear(&partners);
	return many && its >= MASTER * messages && caused >= CAUSED_BY_ONE * waited && caused > 0;
}

/* One computes longer than the others, and each time it is another one. */
static bool name_turns(const struct evidence *e, struct fault *f)
{
	if (ranks_count(&e->turn_ranks) < TURNS_LEAST)
		return false;
	f->kind = FAULT_SLOW;
	ranks_copy(&f->ranks, &e->turn_ranks);
	put_ranks(&f->evidence, &f->ranks, e->of->processes, &e->of->program->module->grid);
	text_format(&f->evidence, ", another one each time: it computes %s, the others %s",
		seconds_of(e->turn * analysis_tick(e->of)).words,
		seconds_of(e->turn_others * analysis_tick(e->of)).words);
	return true;
}

static bool name_imbalance(const struct evidence *e, struct fault *f)
{
	double sum = 0, limit = 0;
	if (!e->computation || e->of->processes < 2)
		return false;
	for (uint32_t r = 0; r < e->of->processes; r++)
		sum += e->computation[r];
	double mean = sum / e->of->processes;
	if (stand_apart(e->computation, e->of->processes, least_excess(e, e->imbalance), &limit))
		take_from(&f->ranks, e->computation, e->of->processes, limit);
	else if (!graded(e, mean, &f->ranks))
		return name_turns(e, f);
	double theirs = mean_over(e->computation, e->of->processes, &f->ranks, false);
	double others = mean_over(e->computation, e->of->processes, &f->ranks, true);
	const double *always = e->always ? e->always : e->computation;
	bool alone = ranks_count(&f->ranks) == 1 && e->of->processes > 2 &&
		     (mean_over(always, e->of->processes, &f->ranks, true) <
				     ALONE * mean_over(always, e->of->processes, &f->ranks, false) ||
			     is_master(e, largest_of(e->computation, e->of->processes)));
	f->kind = alone ? FAULT_STAGE : FAULT_SLOW;
	put_ranks(&f->evidence, &f->ranks, e->of->processes, &e->of->program->module->grid);
	text_format(&f->evidence, ": %s %s%s %s", ranks_count(&f->ranks) > 1 ? "compute" : "computes",
		each_of(e, theirs).words, alone ? " while the others wait, they" : ", the others",
		each_of(e, others).words);
	put_victims(e, &f->ranks, &f->evidence);
	return true;
}

/* ------------------------------------------------------------------ serialization */

/* Where ranks share cores, what takes no longer than they are without one is the scheduler's. */
static void excuse(const struct evidence *e, double takes, struct fault *f)
{
	if (takes >= (double)e->of->slice)
		return;
	f->kind = FAULT_CORES;
	text_format(&f->evidence, "; ranks share cores, and are without one for up to %s",
		seconds_of((double)e->of->slice * analysis_tick(e->of)).words);
}

/* The path passes half of the ranks, or as many as the way from corner to corner of a cube. */
static bool name_chain(const struct evidence *e, double path, struct fault *f)
{
	double passed = (double)e->path_ranks / (double)(e->iterations ? e->iterations : 1);
	double diagonal = 3 * cbrt(e->of->processes) - 2, half = e->of->processes / 2.0;
	/* Where the path comes from is perhaps in another construct; its length is told in busiest ranks. */
	if (e->serialization < path && path / (path - e->serialization) > passed)
		passed = path / (path - e->serialization);
	if (passed < 3 || passed < (half < diagonal ? half : diagonal))
		return false;
	f->kind = FAULT_CHAIN;
	for (uint32_t r = 0; r < e->of->processes; r++)
		if ((e->path && e->path[r] > 0) || (e->waited[WAIT_LATE_SENDER] && e->waited[WAIT_LATE_SENDER][r] > 0))
			ranks_add(&f->ranks, r);
	put_ranks(&f->evidence, &f->ranks, e->of->processes, &e->of->program->module->grid);
	text_format(&f->evidence, ": each waits for the one before; the critical path passes %.3g of %" PRIu32 " ranks",
		passed < e->of->processes ? passed : e->of->processes, e->of->processes);
	if (path > 0)
		text_format(&f->evidence, " in an iteration, computing %s", each_of(e, path).words);
	return true;
}

static bool name_late(const struct evidence *e, struct fault *f)
{
	enum wait_kind k =
		e->wait[WAIT_LATE_RECEIVER] > e->wait[WAIT_LATE_SENDER] ? WAIT_LATE_RECEIVER : WAIT_LATE_SENDER;
	double limit = 0, caused = 0;
	struct ranks victims = {0};
	if (!e->caused[k] || e->wait[k] <= 0)
		return false;
	uint32_t worst = largest_of(e->caused[k], e->of->processes);
	if (stand_apart(e->caused[k], e->of->processes, 0.2 * e->caused[k][worst], &limit))
		take_from(&f->ranks, e->caused[k], e->of->processes, limit);
	else
		return false;
	for (uint32_t r = 0; r < e->of->processes; r++)
		caused += ranks_has(&f->ranks, r) ? e->caused[k][r] : 0;
	if (e->waited[k])
		take_from(&victims, e->waited[k], e->of->processes,
			e->waited[k][largest_of(e->waited[k], e->of->processes)] * 0.2);
	bool stage = ranks_count(&f->ranks) == 1 && caused >= CAUSED_BY_ONE * e->wait[k] &&
		     ranks_count(&victims) * 2 >= e->of->processes && e->of->processes > 2;
	f->kind = stage ? FAULT_STAGE : k == WAIT_LATE_SENDER ? FAULT_LATE_SENDER : FAULT_LATE_RECEIVER;
	put_ranks(&f->evidence, &f->ranks, e->of->processes, &e->of->program->module->grid);
	text_format(&f->evidence, ": %s late; ", k == WAIT_LATE_SENDER ? "sends" : "receives");
	if (ranks_has(&victims, worst))
		ranks_clear(&victims);
	if (ranks_count(&victims))
		put_ranks(&f->evidence, &victims, e->of->processes, &e->of->program->module->grid);
	else
		text_put(&f->evidence, "others");
	text_format(&f->evidence, " %s %s for %s", ranks_count(&victims) == 1 ? "waits" : "wait",
		seconds_of(caused * analysis_tick(e->of)).words, ranks_count(&f->ranks) > 1 ? "them" : "it");
	ranks_clear(&victims);
	return true;
}

static bool name_serialization(const struct evidence *e, struct fault *f)
{
	double path = 0;
	for (uint32_t r = 0; e->path && r < e->of->processes; r++)
		path += e->path[r];
	if (e->serialization >= SERIAL * path) {
		if (!name_chain(e, path, f) && !name_late(e, f))
			return false;
		excuse(e, e->serialization / (double)e->iterations, f); /* ranks compute in turn on a core */
		return true;
	}
	if (e->serialization < SERIAL_BY_ONE * path || !name_late(e, f))
		return false;
	if (f->kind == FAULT_STAGE)
		return true;
	ranks_clear(&f->ranks);
	text_clear(&f->evidence);
	return false;
}

/* ------------------------------------------------------------------ transfer */

/* Computing takes longer by the time that it has no core. */
static bool name_cores(const struct evidence *e, struct fault *f)
{
	double sum = 0;
	if ((double)e->construct->away * 2 < e->transfer || (double)e->construct->away <= 0 || !e->without)
		return false;
	f->kind = FAULT_CORES;
	f->loss = (double)e->construct->away;
	take_from(&f->ranks, e->without, e->of->processes, 0.2 * e->without[largest_of(e->without, e->of->processes)]);
	for (uint32_t r = 0; r < e->of->processes; r++)
		sum += e->without[r] / e->of->processes;
	put_ranks(&f->evidence, &f->ranks, e->of->processes, &e->of->program->module->grid);
	text_format(&f->evidence, ": others have their cores while they compute, %s%s", each_of(e, sum).words,
		e->iterations > 1 ? " an iteration" : "");
	return true;
}

static bool name_collective(const struct evidence *e, struct fault *f)
{
	double takes = (double)e->construct->collective_cost /
		       (double)(e->construct->collective_times ? e->construct->collective_times : e->iterations);
	if ((double)e->construct->collectives_cost * 2 < e->transfer || (double)e->construct->collectives_cost <= 0)
		return false;
	f->kind = FAULT_COLLECTIVE;
	f->loss = (double)e->construct->collectives_cost < e->transfer ? (double)e->construct->collectives_cost
								       : e->transfer;
	text_format(&f->evidence, "all %" PRIu32 " ranks: %s itself takes %s", e->of->processes,
		e->construct->collective ? e->construct->collective : "the collective",
		seconds_of(takes * analysis_tick(e->of)).words);
	if (e->construct->collective_times > 1)
		text_format(&f->evidence, ", %" PRIu64 " times", e->construct->collective_times);
	excuse(e, takes / (1 + log2(e->of->processes)), f); /* one that is without a core holds up each round */
	return true;
}

/* The traffic of pairs without direction. */
struct pair {
	uint32_t low, high;
	double flight, least; /* of a message, in the direction in which it is shorter */
	double takes; /* by one of the two */
	double path;
};

static int by_ranks(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;
	return a->low != b->low ? COMPARE(a->low, b->low) : COMPARE(a->high, b->high);
}

static int by_time(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;
	return COMPARE(a->takes, b->takes);
}

/* Who waits for several messages has all of them when the slowest has come; so what a link takes
   shows in the direction in which it is quicker, and in the quickest message. */
static size_t pairs_of(const struct evidence *e, struct pair *pair)
{
	size_t n = 0, pairs = 0;
	for (size_t i = 0; i < e->construct->links; i++) {
		const struct analysis_link *l = &e->construct->link[i];
		if (l->messages)
			pair[n++] = (struct pair){l->source < l->destination ? l->source : l->destination,
				l->source < l->destination ? l->destination : l->source,
				(double)l->flight / (double)l->messages, (double)l->least, 0, (double)l->path};
	}
	if (n)
		qsort(pair, n, sizeof *pair, by_ranks);
	for (size_t i = 0; i < n; i++) {
		struct pair *last = pairs ? &pair[pairs - 1] : NULL;
		if (last && !by_ranks(last, &pair[i])) {
			last->flight = last->flight < pair[i].flight ? last->flight : pair[i].flight;
			last->least = last->least < pair[i].least ? last->least : pair[i].least;
			last->path += pair[i].path;
		} else {
			pair[pairs++] = pair[i];
		}
	}
	return pairs;
}

/* The part of the path on pairs that have a rank in common with the slow ones, these included. */
static double path_near(const struct pair *pair, size_t pairs, const struct ranks *ends)
{
	double near = 0;
	for (size_t i = 0; i < pairs; i++)
		near += ranks_has(ends, pair[i].low) || ranks_has(ends, pair[i].high) ? pair[i].path : 0;
	return near;
}

/* Those whose quickest messages are beyond a gap, and not much quicker than the others (they are if
   messages grow), or else the one that is slowest on average: sorted, how many, counted from the
   end. */
static size_t slow_pairs(struct pair *pair, size_t pairs)
{
	double limit = 0, *least = mem_array(pairs + 1, sizeof *least);
	for (size_t i = 0; i < pairs; i++)
		least[i] = pair[i].takes = pair[i].least;
	qsort(pair, pairs, sizeof *pair, by_time);
	size_t slow = stand_apart(least, pairs, (LINK_SLOW - 1) * pair[(pairs - 1) / 2].takes, &limit);
	free(least);
	for (size_t i = pairs - slow; i < pairs; i++)
		slow = pair[i].flight > LINK_SLOW * pair[i].least ? 0 : slow;
	for (size_t i = 0; i < pairs && !slow; i++)
		pair[i].takes = pair[i].flight;
	if (!slow)
		qsort(pair, pairs, sizeof *pair, by_time);
	return slow ? slow : 1;
}

static void put_pairs(const struct pair *pair, size_t pairs, struct text *out)
{
	text_put(out, "ranks ");
	for (size_t i = 0; i < pairs && i < LINKS_TOLD; i++)
		text_format(out, "%s%" PRIu32 " and %" PRIu32, i ? ", " : "", pair[i].low, pair[i].high);
	if (pairs > LINKS_TOLD)
		text_format(out, " and %zu more pairs", pairs - LINKS_TOLD);
}

static bool name_link(const struct evidence *e, struct fault *f)
{
	struct pair *pair = mem_array(e->construct->links + 1, sizeof *pair);
	size_t pairs = pairs_of(e, pair), slow = 0;
	double path = 0, median = 0, takes = 0;
	struct ranks ends = {0};
	if (pairs > 2) {
		slow = slow_pairs(pair, pairs);
		median = pair[(pairs - 1) / 2].takes;
	}
	for (size_t i = 0; i < pairs; i++) {
		path += pair[i].path;
		if (i + slow < pairs)
			continue;
		takes += pair[i].takes / (double)slow;
		ranks_add(&ends, pair[i].low);
		ranks_add(&ends, pair[i].high);
	}
	bool found = slow && path_near(pair, pairs, &ends) > LINK_SHARE * path && takes > LINK_SLOW * median &&
		     takes >= (double)e->of->slice;
	if (found) {
		struct pair *first = &pair[pairs - slow];
		qsort(first, slow, sizeof *first, by_ranks);
		f->kind = FAULT_LINK;
		ranks_copy(&f->ranks, &ends);
		put_pairs(first, slow, &f->evidence);
		text_format(&f->evidence, ": a message %s takes %s, between others %s",
			slow > 1 ? "in such a pair" : "between them", seconds_of(takes * analysis_tick(e->of)).words,
			seconds_of(median * analysis_tick(e->of)).words);
	}
	ranks_clear(&ends);
	free(pair);
	return found;
}

/* least: of each pair the shortest */
static double mean_size(const struct evidence *e, double *flight, double *least)
{
	double bytes = 0, messages = 0;
	*flight = *least = 0;
	for (size_t i = 0; i < e->construct->links; i++) {
		bytes += (double)e->construct->link[i].bytes;
		messages += (double)e->construct->link[i].messages;
		*flight += (double)e->construct->link[i].flight;
		*least += (double)e->construct->link[i].least * (double)e->construct->link[i].messages;
	}
	*flight = messages > 0 ? *flight / messages : 0;
	*least = messages > 0 ? *least / messages : 0;
	return messages > 0 ? bytes / messages : 0;
}

/* Those at the ends of the links that take most. */
static void take_ends(const struct evidence *e, struct ranks *set)
{
	double most = 0;
	for (size_t i = 0; i < e->construct->links; i++)
		most = (double)e->construct->link[i].flight > most ? (double)e->construct->link[i].flight : most;
	for (size_t i = 0; i < e->construct->links && most > 0; i++)
		if ((double)e->construct->link[i].flight >= 0.2 * most) {
			ranks_add(set, e->construct->link[i].source);
			ranks_add(set, e->construct->link[i].destination);
		}
}

static void name_messages(const struct evidence *e, struct fault *f)
{
	double flight, least, size = mean_size(e, &flight, &least);
	struct named_iterations sizes = {0};
	for (size_t d = 0; d < e->loops && sizes.kind != ITERATIONS_TREND; d++)
		sizes = iterations_name(&e->size[d], NULL);
	bool grow = sizes.kind == ITERATIONS_TREND && sizes.to > sizes.from;
	bool large = e->sibling_bytes > 0 && size > LARGE * e->sibling_bytes;
	double explained = e->sibling_takes * (size > e->sibling_bytes ? size / e->sibling_bytes : 1);
	bool contended = e->sibling_takes > 0 && e->sibling_bytes > 0 && least > CONTENDED * explained;
	f->kind = grow ? FAULT_GROWING : contended ? FAULT_CONTENTION : large ? FAULT_LARGE : FAULT_TRANSFER;
	take_ends(e, &f->ranks);
	put_ranks(&f->evidence, &f->ranks, e->of->processes, &e->of->program->module->grid);
	text_format(&f->evidence, ": messages of %s", bytes_of(grow ? sizes.from : size).words);
	if (grow)
		text_format(&f->evidence, " grow to %s; on average they", bytes_of(sizes.to).words);
	else if (f->kind == FAULT_LARGE)
		text_format(&f->evidence, ", elsewhere of %s", bytes_of(e->sibling_bytes).words);
	text_format(&f->evidence, " take %s each, and nothing is computed meanwhile",
		seconds_of(flight * analysis_tick(e->of)).words);
	/* mostly far longer than the quickest of their pair, and long enough for another process to
	   have had the processor */
	f->crowded =
		f->kind == FAULT_TRANSFER && flight >= SHARED * least && flight * analysis_tick(e->of) >= SHARED_LEAST;
	if (f->kind == FAULT_TRANSFER || f->kind == FAULT_CONTENTION)
		excuse(e, f->crowded ? 0 : flight / 2, f); /* either end may be without a core */
	if (f->crowded && f->kind == FAULT_TRANSFER)
		text_format(&f->evidence, "; the quickest %s: more processes than cores?",
			seconds_of(least * analysis_tick(e->of)).words);
	if (f->kind == FAULT_CONTENTION)
		text_format(&f->evidence, "; those of %s elsewhere take %s", bytes_of(e->sibling_bytes).words,
			seconds_of(e->sibling_takes * analysis_tick(e->of)).words);
}

/* Calls that receive nothing here, sends, or what left no record; or those of which the path has
   more than of the messages. */
static void name_calls(const struct evidence *e, const char *which, struct fault *f)
{
	f->kind = FAULT_TRANSFER;
	text_format(&f->evidence, "calls %s take %s%s", which, each_of(e, e->transfer).words,
		e->iterations > 1 ? " an iteration" : "");
	double calls = (double)e->construct->total.calls / e->of->processes; /* of a rank */
	excuse(e, e->transfer / (calls > 1 ? calls : 1), f);
}

static bool name_transfer(const struct evidence *e, struct fault *f)
{
	double flight = 0, path = 0;
	for (size_t i = 0; i < e->construct->links; i++) {
		flight += (double)e->construct->link[i].flight;
		path += (double)e->construct->link[i].path;
	}
	bool calls = flight > 0 && (double)e->construct->overhead > path;
	if (name_cores(e, f) || name_collective(e, f) || (!calls && name_link(e, f)))
		return true;
	if (!e->construct->links && e->transfer < CALLS_ALONE * (double)analysis_run(e->of))
		return false;
	if (flight > 0 && !calls) {
		name_messages(e, f);
		return true;
	}
	text_format(&f->evidence, "all %" PRIu32 " ranks: ", e->of->processes);
	name_calls(e, calls ? "of MPI themselves" : "that receive nothing", f);
	return true;
}

/* ------------------------------------------------------------------ all of it */

static void name_iterations(const struct evidence *e, struct fault *f)
{
	f->outer = (struct named_iterations){.total = e->iterations, .width = 1, .count = e->iterations};
	for (size_t d = 0; d < e->loops; d++) {
		struct named_iterations names = iterations_name(&e->loss[d], NULL);
		if (d == 0)
			f->outer = f->iterations = names;
		else if (names.kind != ITERATIONS_ALL && names.kind != ITERATIONS_TREND &&
			 (e->of->regions || names.kind != ITERATIONS_FIRST || names.last)) {
			f->iterations = names;
			f->depth = d;
		}
	}
	if (!f->depth)
		f->iterations = f->outer;
}

/* The largest part of the loss has no pattern. */
static void name_nobody(const struct evidence *e, bool imbalance, struct fault *f)
{
	double mean = 0;
	for (uint32_t r = 0; e->computation && r < e->of->processes; r++)
		mean += e->computation[r] / e->of->processes;
	text_format(&f->evidence, "all %" PRIu32 " ranks: ", e->of->processes);
	if (imbalance && mean > 0) {
		f->kind = FAULT_VARYING;
		text_format(&f->evidence,
			"computation varies between ranks in each iteration; the busiest computes %.3g times the mean",
			1 + e->imbalance / mean);
		if (e->computation[largest_of(e->computation, e->of->processes)] - mean < IN_SUM * e->imbalance)
			text_put(&f->evidence, ", and over all of them each as much as the others");
	} else if (e->transfer > e->serialization) {
		name_calls(e, "that receive nothing", f);
	} else {
		f->kind = FAULT_WAITING;
		text_format(&f->evidence,
			"they wait for each other; the critical path computes %s%s more than the busiest",
			each_of(e, e->serialization).words, e->iterations > 1 ? " an iteration" : "");
	}
}

struct fault fault_name(const struct evidence *e)
{
	struct part {
		double loss;
		bool (*name)(const struct evidence *, struct fault *);
	} part[] = {
		{e->imbalance, name_imbalance}, {e->serialization, name_serialization}, {e->transfer, name_transfer}};
	struct fault f = {.kind = FAULT_NONE, .loss = e->imbalance + e->serialization + e->transfer};
	double all = f.loss;
	for (size_t i = 0; i < 3; i++)
		for (size_t k = i + 1; k < 3; k++)
			if (part[k].loss > part[i].loss) {
				struct part larger = part[k];
				part[k] = part[i];
				part[i] = larger;
			}
	name_iterations(e, &f);
	/* A part names it if it is no trifle beside the others. */
	for (size_t i = 0; i < 3 && part[i].loss > FAULT_TRIFLE * all && part[i].loss > 0; i++) {
		f.loss = part[i].loss;
		if (part[i].name(e, &f))
			return f;
	}
	f.loss = all;
	if (all > 0)
		name_nobody(e, part[0].name == name_imbalance, &f);
	return f;
}

/* "i1 = 2 of 6": the index says which. */
static void print_inner(const struct fault *f, double seconds, struct text *out)
{
	const struct named_iterations *x = &f->iterations;
	text_format(out, "i%zu = ", f->depth);
	if (x->kind != ITERATIONS_FIRST)
		iterations_print(x, seconds, out);
	else if (x->last)
		text_format(out, "0-%" PRIu64 " of %" PRIu64, x->last, x->total);
	else
		text_format(out, "0 of %" PRIu64, x->total);
}

void fault_print_iterations(const struct fault *f, double seconds, struct text *out)
{
	if (f->depth) {
		print_inner(f, seconds, out);
		text_put(out, " (each time); i0: ");
	}
	iterations_print(&f->outer, seconds, out);
}
