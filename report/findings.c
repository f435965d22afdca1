/*
 * findings.c -- constructs as evidence, named and put in order.
 */
#include "report/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/executions.h"
#include "base/compare.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "model/module_address.h"

/* ------------------------------------------------------------------ figures of constructs */

struct traffic {
	uint64_t messages, bytes;
	double least; /* of a pair's messages the shortest time, added up over the messages */
};

/*
 * Constructs that are judged together: one that loses, and those of the same loop in which its
 * processes compute the less. (Work that some do here and others there is no imbalance.)
 */
struct group {
	const struct analysis *a;
	struct traffic all; /* of all constructs */
	const struct analysis_construct **member; /* the one that loses first */
	size_t length;
	double imbalance, serialization, transfer; /* ticks */
	bool whole; /* a loop: of what is transferred, only that of the first counts */
};

static const struct analysis_share *shares_end(const struct analysis_construct *c)
{
	return c->share + c->shares;
}

static double *hold(struct evidence *e, size_t n)
{
	return e->held[e->helds++] = mem_zero((n + 1) * sizeof(double));
}

static void evidence_clear(struct evidence *e)
{
	for (size_t i = 0; i < e->helds; i++)
		free(e->held[i]);
	ranks_clear(&e->turn_ranks);
}

/* Bins that suit all members, of all iterations of the loop. */
static struct iteration_series bins_of(const struct group *g, uint32_t depth)
{
	const struct analysis_construct *c = g->member[0];
	struct iteration_series bins = {.width = 1, .iterations = c->series[depth].iterations};
	if (c->depth > depth)
		bins.iterations = g->a->iterations[c->around[depth]];
	for (size_t m = 0; m < g->length; m++) {
		const struct analysis_series *s = &g->member[m]->series[depth];
		bins.width = s->width > bins.width ? s->width : bins.width;
		bins.iterations = s->iterations > bins.iterations ? s->iterations : bins.iterations;
	}
	bins.length = (size_t)((bins.iterations + bins.width - 1) / bins.width);
	return bins;
}

/* Work by rank and bin is known in bins of this width in all members. */
static bool rows_are_known(const struct group *g, uint64_t width)
{
	for (size_t m = 0; m < g->length; m++)
		if (g->member[m]->rank_width != width || g->member[m]->series[0].width != width)
			return false;
	return true;
}

/* Add what each process computes in a bin of a construct. */
static void add_bin(const struct analysis_construct *c, size_t bin, double *work)
{
	for (uint32_t i = 0; bin < c->rank_bins && i < c->shares; i++)
		work[c->share[i].rank] += (double)c->bin_work[bin * c->shares + i];
}

/* What each process computes in a bin; gives the mean. */
static double mean_in(const struct group *g, size_t bin, double *work)
{
	uint32_t n = g->a->processes;
	double sum = 0;
	memset(work, 0, n * sizeof *work);
	for (size_t m = 0; m < g->length; m++)
		add_bin(g->member[m], bin, work);
	for (uint32_t r = 0; r < n; r++)
		sum += work[r];
	return sum / n;
}

static double most_of(const double *value, size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		most = value[i] > most ? value[i] : most;
	return most;
}

/* The largest work of a process in a bin. */
static double most_in(const struct group *g, size_t bin, double *work)
{
	if (g->length == 1)
		return bin < g->member[0]->rank_bins ? (double)g->member[0]->bin_most[bin] : 0;
	mean_in(g, bin, work);
	return most_of(work, g->a->processes);
}

static void imbalance_over(const struct group *g, const struct iteration_series *bins, double *value)
{
	double *work = mem_array(g->a->processes + 1, sizeof *work);
	for (size_t i = 0; i < bins->length; i++) {
		value[i] = most_in(g, i, work);
		for (size_t m = 0; m < g->length; m++)
			if (i < g->member[m]->series[0].bins)
				value[i] -= (double)g->member[m]->series[0].work[i] / g->a->processes;
	}
	free(work);
}

/* What the run loses in each bin: the path through it, less what a process computes on average;
   where clocks disagree, what is lost by imbalance, which no clock can falsify. */
static struct iteration_series loss_over(struct evidence *e, const struct group *g, uint32_t depth)
{
	struct iteration_series bins = bins_of(g, depth);
	double *value = hold(e, bins.length);
	bins.value = value;
	if (g->a->clocks_disagree) {
		if (depth == 0 && rows_are_known(g, bins.width))
			imbalance_over(g, &bins, value);
		return bins;
	}
	for (size_t m = 0; m < g->length; m++) {
		const struct analysis_series *s = &g->member[m]->series[depth];
		for (size_t i = 0; i < s->bins; i++)
			value[i * s->width / bins.width] +=
				(double)(s->path_work[i] + s->path_call[i]) - (double)s->work[i] / g->a->processes;
	}
	return bins;
}

static struct iteration_series sizes_over(struct evidence *e, const struct analysis_series *s)
{
	double *value = hold(e, s->bins);
	struct iteration_series bins = {value, s->bins, s->iterations, s->width};
	for (size_t i = 0; i < s->bins; i++) {
		uint64_t left = s->iterations - i * s->width, width = left < s->width ? left : s->width;
		if (s->messages[i])
			value[i] = (double)s->bytes[i] / (double)s->messages[i] * (double)width;
	}
	return bins;
}

/* The parts of the loss in the bins that stand apart, and what each rank computes there. */
static void sum_parts(struct evidence *e, const struct group *g, const struct iteration_series *bins, const bool *apart,
	double *computation)
{
	double most = 0, mean = 0, path = 0, call = 0, *work = mem_array(g->a->processes + 1, sizeof *work);
	for (size_t i = 0; i < bins->length; i++) {
		if (!apart[i])
			continue;
		most += most_in(g, i, work);
		for (size_t m = 0; m < g->length; m++) {
			const struct analysis_construct *c = g->member[m];
			if (i < c->series[0].bins) {
				mean += (double)c->series[0].work[i] / g->a->processes;
				path += (double)c->series[0].path_work[i];
				call += m && g->whole ? 0 : (double)c->series[0].path_call[i];
			}
			add_bin(c, i, computation);
		}
	}
	e->imbalance = most - mean;
	e->serialization = path - most;
	e->transfer = call;
	free(work);
}

/* A rank stands apart in an iteration if it is so many usual distances from the median of all, and
   computes so much longer. */
#define TURN_DISTANCES 6
#define TURN_PART 0.15
/* Where the busiest is mostly so many times as far from the second as that from the least, half
   of what it computes more is enough. */
#define TURN_ALONE 1.5
#define TURNS 0.5 /* of the imbalance of all iterations, in those in which one stands apart */
#define TURN_AT_ONCE 2 /* so many stand apart in an iteration, at most, on average */

/* Hoare's selection: O(n), about. Moves the values. */
static double median_of(double *value, size_t n)
{
	ptrdiff_t at = (ptrdiff_t)(n / 2), from = 0, to = (ptrdiff_t)n - 1;
	while (from < to) {
		double pivot = value[at];
		ptrdiff_t i = from, j = to;
		while (i <= j) {
			while (value[i] < pivot)
				i++;
			while (pivot < value[j])
				j--;
			if (i <= j) {
				double moved = value[i];
				value[i++] = value[j];
				value[j--] = moved;
			}
		}
		from = j < at ? i : from;
		to = at < i ? j : to;
	}
	return value[at];
}

/* What each process computes in a bin; gives the median. */
static double median_in(const struct group *g, size_t bin, double *work, double *moved)
{
	mean_in(g, bin, work);
	memcpy(moved, work, g->a->processes * sizeof *work);
	return median_of(moved, g->a->processes);
}

/* From which part of the median on a rank stands apart. */
static double turn_limit(struct evidence *e, const struct group *g, double *work, double *moved)
{
	const struct iteration_series *bins = &e->loss[0];
	uint32_t n = g->a->processes;
	size_t length = 0, known = 0;
	double *distance = mem_array(bins->length * n + 1, sizeof *distance), first = 0, others = 0, more = 0;
	for (size_t i = 0; i < bins->length; i++) {
		double median = median_in(g, i, work, moved), most = 0, second = 0, least = INFINITY;
		for (uint32_t r = 0; r < n && median > 0; r++) {
			distance[length++] = fabs(work[r] - median) / median;
			second = work[r] > most ? most : work[r] > second ? work[r] : second;
			most = work[r] > most ? work[r] : most;
			least = work[r] < least ? work[r] : least;
		}
		if (median <= 0)
			continue;
		known++;
		first += most - second;
		others += second - least;
		more += (most - median) / median;
	}
	double limit = TURN_DISTANCES * (length ? 1.4826 * median_of(distance, length) : 0);
	if (first >= TURN_ALONE * others && known && more / (double)known / 2 < limit)
		limit = more / (double)known / 2;
	free(distance);
	return limit > TURN_PART ? limit : TURN_PART;
}

/* Who stands apart in the iterations that do, and how often. */
static void take_turns(struct evidence *e, const struct group *g, const bool *apart)
{
	const struct iteration_series *bins = &e->loss[0];
	uint32_t n = g->a->processes;
	double *work = mem_array(2 * (size_t)n, sizeof *work), *moved = work + n;
	double least = turn_limit(e, g, work, moved), turn = 0, others = 0, lost = 0;
	uint64_t turns = 0, stand = 0;
	for (size_t i = 0; i < bins->length; i++) {
		if (!apart[i])
			continue;
		double median = median_in(g, i, work, moved), most = most_of(work, n), sum = 0;
		if (median <= 0 || most - median <= least * median)
			continue;
		for (uint32_t r = 0; r < n; r++) {
			sum += work[r];
			if (work[r] - median <= least * median)
				continue;
			ranks_add(&e->turn_ranks, r);
			stand++;
		}
		lost += most - sum / n;
		turns++;
		turn += most;
		others += median;
	}
	if (turns && stand <= TURN_AT_ONCE * turns && lost >= TURNS * g->imbalance) {
		e->turn = turn / (double)turns;
		e->turn_others = others / (double)turns;
	} else
		ranks_clear(&e->turn_ranks);
	free(work);
}

/* asked: of these iterations; NULL: of those that stand apart. */
static void take_work(struct evidence *e, const struct group *g, const struct named_iterations *asked)
{
	uint32_t n = g->a->processes;
	double *computation = hold(e, n), *always = hold(e, n);
	for (size_t m = 0; m < g->length; m++)
		for (const struct analysis_share *s = g->member[m]->share; s < shares_end(g->member[m]); s++)
			always[s->rank] += (double)s->work;
	e->computation = e->always = always;
	if (!e->loops || !rows_are_known(g, e->loss[0].width))
		return;
	bool *apart = mem_zero(e->loss[0].length + 1);
	uint64_t iterations = !asked                          ? iterations_name(&e->loss[0], apart).count
			      : asked->kind == ITERATIONS_ALL ? e->loss[0].iterations
							      : asked->count;
	for (size_t i = 0; asked && i < e->loss[0].length; i++)
		apart[i] = iterations_have(asked, i * e->loss[0].width);
	sum_parts(e, g, &e->loss[0], apart, computation);
	e->computation = computation;
	e->iterations = iterations;
	if (e->loss[0].width == 1 && n > 2)
		take_turns(e, g, apart);
	free(apart);
}

/* One region of a loop, and of loops inside of it. */
static bool same_region(const struct analysis_construct *c, const struct analysis_construct *d)
{
	return d == c || !strcmp(c->name, d->name);
}

static void take_waits(struct evidence *e, const struct group *g)
{
	uint32_t n = g->a->processes;
	double *path = hold(e, n), *without = hold(e, n), *waited[WAIT_KINDS], *caused[WAIT_KINDS];
	for (enum wait_kind k = 0; k < WAIT_KINDS; k++) {
		e->waited[k] = waited[k] = hold(e, n);
		e->caused[k] = caused[k] = hold(e, n);
	}
	for (size_t m = 0; m < g->length; m++) {
		bool same = same_region(g->member[0], g->member[m]);
		for (const struct analysis_share *s = g->member[m]->share; s < shares_end(g->member[m]); s++) {
			path[s->rank] += (double)s->path_work;
			for (enum wait_kind k = 0; k < WAIT_KINDS && same; k++) {
				waited[k][s->rank] += (double)s->waited[k];
				caused[k][s->rank] += (double)s->caused[k];
			}
		}
	}
	for (enum wait_kind k = 0; k < WAIT_KINDS; k++)
		for (uint32_t r = 0; r < n; r++)
			e->wait[k] += waited[k][r];
	for (const struct analysis_share *s = g->member[0]->share; s < shares_end(g->member[0]); s++)
		without[s->rank] += (double)s->away;
	e->path = path;
	e->without = without;
}

static struct traffic traffic_of(const struct analysis_construct *c)
{
	struct traffic t = {.messages = c->messages, .bytes = c->bytes};
	for (size_t i = 0; i < c->links; i++)
		t.least += (double)c->link[i].least * (double)c->link[i].messages;
	return t;
}

/* The mean size of the messages of the constructs beside this one, and the time that they take. */
static void take_siblings(struct evidence *e, const struct group *g)
{
	struct traffic its = traffic_of(g->member[0]);
	double messages = (double)(g->all.messages - its.messages);
	if (messages < 1)
		return;
	e->sibling_bytes = (double)(g->all.bytes - its.bytes) / messages;
	e->sibling_takes = (g->all.least - its.least) / messages;
}

/* Has the construct a part in most of the iterations? */
static bool takes_part(const struct analysis *a, const struct analysis_construct *c, uint32_t depth)
{
	const struct analysis_series *s = &c->series[depth];
	uint64_t there = 0;
	for (size_t i = 0; i < s->bins; i++)
		there += s->work[i] ? s->width : 0;
	return there * 2 > a->iterations[c->around[depth]];
}

static uint64_t iterations_of(const struct analysis_construct *c)
{
	return c->depth && c->series[0].iterations ? c->series[0].iterations : 1;
}

static void evidence_of(struct evidence *e, const struct group *g, const struct named_iterations *asked)
{
	const struct analysis *a = g->a;
	const struct analysis_construct *c = g->member[0];
	uint32_t loops = c->depth < ANALYSIS_DEPTH ? c->depth : ANALYSIS_DEPTH;
	/* Loops that all of them are in. */
	for (size_t m = 1; m < g->length; m++) {
		uint32_t same = 0;
		while (same < loops && same < g->member[m]->depth && g->member[m]->around[same] == c->around[same])
			same++;
		loops = same;
	}
	*e = (struct evidence){.of = a,
		.construct = c,
		.iterations = iterations_of(c),
		.imbalance = g->imbalance,
		.serialization = g->serialization,
		.transfer = g->transfer,
		.path_ranks = c->total.hops + iterations_of(c),
		.loops = loops};
	for (uint32_t d = 0; d < loops; d++) {
		e->loss[d] = loss_over(e, g, d);
		e->size[d] = sizes_over(e, &c->series[d]);
	}
	take_work(e, g, asked);
	if (a->clocks_disagree) { /* then only work is known */
		e->serialization = e->transfer = 0;
		return;
	}
	take_waits(e, g);
	take_siblings(e, g);
}

/* ------------------------------------------------------------------ groups */

static double loss_of(const struct analysis *a, const struct analysis_construct *c)
{
	return (double)c->loss / (a->processes ? a->processes : 1);
}

static void add_member(struct group *g, const struct analysis_construct *c)
{
	double n = g->a->processes ? g->a->processes : 1;
	g->member[g->length++] = c;
	g->imbalance += (double)c->imbalance / n;
	g->serialization += (double)c->serialization / n;
	g->transfer += (double)c->transfer / n;
}

/* Constructs of one loop belong together if one gives back what the other loses, or if their
   imbalances cancel: less than this part of both is left where they are taken as one. */
#define GIVES_BACK 0.1
#define LEFT_OVER 0.35

static double imbalance_of(const struct group *g)
{
	struct iteration_series bins = bins_of(g, 0);
	double sum = 0, *value = mem_array(bins.length + 1, sizeof *value);
	imbalance_over(g, &bins, value);
	for (size_t i = 0; i < bins.length; i++)
		sum += value[i];
	free(value);
	return sum;
}

static bool cancel(const struct analysis *a, const struct analysis_construct *c, const struct analysis_construct *d)
{
	const struct analysis_construct *both[] = {c, d};
	struct group g = {.a = a, .member = both, .length = 2};
	double apart = (double)(c->imbalance + d->imbalance) / a->processes;
	return (double)d->imbalance > GIVES_BACK * (double)c->imbalance && rows_are_known(&g, c->series[0].width) &&
	       imbalance_of(&g) < LEFT_OVER * apart;
}

/* Of one loop, or of one inside of the other. */
static bool inside_each_other(const struct analysis_construct *c, const struct analysis_construct *d)
{
	const struct analysis_construct *outer = c->depth < d->depth ? c : d, *inner = outer == c ? d : c;
	return outer->depth && outer->depth <= ANALYSIS_DEPTH && inner->around[outer->depth - 1] == outer->loop;
}

static bool is_member(const struct group *g, const struct analysis_construct *c)
{
	for (size_t m = 0; m < g->length; m++)
		if (g->member[m] == c)
			return true;
	return false;
}

static struct group group_of(const struct analysis *a, const struct traffic *all, const struct analysis_construct *c)
{
	bool large = loss_of(a, c) > FINDINGS_LEAST / 2 * (double)analysis_run(a);
	struct group g = {.a = a, .all = *all, .member = mem_array(large ? a->constructs : 1, sizeof *g.member)};
	add_member(&g, c);
	for (size_t k = 0; k < a->constructs && c->depth && large; k++) {
		const struct analysis_construct *d = &a->construct[k];
		/* Recognized loops are not those of a region that the program calls; without
		   regions, work before a loop of messages is that of the loop. */
		bool one = d->loop == c->loop || (inside_each_other(c, d) && (!a->regions || same_region(c, d)));
		/* Others do elsewhere what some do here: of one outermost loop, or of loops that
		   have not as many iterations. */
		one = one || (d->depth && !ranks_meet(&c->ranks, &d->ranks));
		if (d != c && d->sort == c->sort && one &&
			(loss_of(a, d) < -GIVES_BACK * loss_of(a, c) || cancel(a, c, d)))
			add_member(&g, d);
	}
	/* What gives back may do what others do elsewhere, too, which is not what loses most. */
	for (size_t m = 1; m < g.length && !a->regions; m++)
		for (size_t k = 0; k < a->constructs; k++) {
			const struct analysis_construct *d = &a->construct[k];
			if (d->sort == c->sort && d->loss < c->loss && !is_member(&g, d) &&
				inside_each_other(g.member[m], d) && cancel(a, g.member[m], d))
				add_member(&g, d);
		}
	return g;
}

/* ------------------------------------------------------------------ variation of loops */

/* By line: the constructs in a loop, from begin[loop] to begin[loop + 1]. */
struct inside {
	const struct analysis_construct **construct;
	size_t *begin;
};

static struct inside inside_of(const struct analysis *a)
{
	size_t n = a->program->module->lines;
	struct inside in = {.begin = mem_zero((n + 2) * sizeof *in.begin)};
	for (size_t k = 0; k < a->constructs; k++)
		for (uint32_t d = 0; d < a->construct[k].depth && d < ANALYSIS_DEPTH; d++)
			in.begin[a->construct[k].around[d] + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		in.begin[i] += in.begin[i - 1];
	in.construct = mem_array(in.begin[n + 1] + 1, sizeof *in.construct);
	for (size_t k = 0; k < a->constructs; k++)
		for (uint32_t d = 0; d < a->construct[k].depth && d < ANALYSIS_DEPTH; d++)
			in.construct[in.begin[a->construct[k].around[d] + 1]++] = &a->construct[k];
	return in;
}

/* What a process computes on average in the bins of a loop, over all constructs inside; of an
   inner one, but for those that stand only at its beginning or end, which is no variation.
   events: so many in each. */
static struct iteration_series work_over(
	const struct analysis *a, const struct inside *in, size_t loop, uint32_t depth, double **events)
{
	uint64_t width = 1, iterations = a->iterations[loop];
	for (size_t k = in->begin[loop]; k < in->begin[loop + 1]; k++) {
		const struct analysis_construct *c = in->construct[k];
		width = c->series[depth].width > width ? c->series[depth].width : width;
	}
	size_t bins = (size_t)((iterations + width - 1) / width);
	double *value = mem_zero((bins + 1) * sizeof *value);
	*events = mem_zero((bins + 1) * sizeof **events);
	for (size_t k = in->begin[loop]; k < in->begin[loop + 1]; k++) {
		const struct analysis_construct *c = in->construct[k];
		if (depth && !takes_part(a, c, depth))
			continue;
		const struct analysis_series *s = &c->series[depth];
		for (size_t i = 0; i < s->bins; i++) {
			value[i * s->width / width] += (double)s->work[i] / a->processes;
			(*events)[i * s->width / width] += (double)s->events[i];
		}
	}
	return (struct iteration_series){value, bins, iterations, width};
}

/* Where iterations do more, as inner loops of other lengths do, it is no slowness: an event
   takes as long. */
static bool do_more(const struct iteration_series *s, const double *events)
{
	double *each = mem_zero((s->length + 1) * sizeof *each);
	struct iteration_series by_event = *s;
	by_event.value = each;
	for (size_t i = 0; i < s->length; i++)
		each[i] = events[i] > 0 ? s->value[i] / events[i] : 0;
	bool more = variation_name(&by_event, NULL).iterations.kind == ITERATIONS_ALL;
	free(each);
	return more;
}

/* Processes that have a part in iterations, beyond which these do more. */
#define MORE_PARTS 1.1

/* Do fewer processes have a part elsewhere in what varies most? Then it is more work: a region that
   is entered there alone, or some are through with the loop. Without regions, so is what stands
   before or behind each run of an inner loop that is one with the outer in the text. */
static bool others_lack(const struct analysis *a, const struct analysis_construct *c, uint32_t depth,
	const struct iteration_series *s, const bool *apart, const struct named_iterations *x)
{
	double there = 0, elsewhere = 0;
	for (size_t i = 0; !depth && i < c->rank_bins * c->shares; i++)
		if (c->bin_work[i])
			*(apart[i / c->shares * c->rank_width / s->width] ? &there : &elsewhere) += 1;
	bool flattened =
		!a->regions && x->kind == ITERATIONS_EVERY && x->first % x->period == 0 && x->total % x->period == 0;
	return flattened || there * (double)(x->total - x->count) > MORE_PARTS * elsewhere * (double)x->count;
}

/* The construct in this loop that varies most. */
static const struct analysis_construct *most_varying(
	const struct inside *in, size_t loop, uint32_t depth, const bool *apart, uint64_t width)
{
	const struct analysis_construct *most = NULL;
	double largest = -INFINITY;
	for (size_t k = in->begin[loop]; k < in->begin[loop + 1]; k++) {
		const struct analysis_construct *c = in->construct[k];
		double upper = 0, lower = 0, apart_bins = 0, other_bins = 0;
		const struct analysis_series *s = &c->series[depth];
		for (size_t i = 0; i < s->bins; i++) {
			bool in_it = apart[i * s->width / width];
			*(in_it ? &upper : &lower) += (double)s->work[i];
			*(in_it ? &apart_bins : &other_bins) += 1;
		}
		double more = upper - (other_bins > 0 ? lower / other_bins * apart_bins : 0);
		if (more > largest) {
			largest = more;
			most = c;
		}
	}
	return most;
}

/* The ranks that the slowness concerns: those that compute so much longer in those bins. */
static void slowed_ranks(const struct analysis *a, const struct analysis_construct *c, const struct iteration_series *s,
	const bool *apart, const struct variation *v, struct ranks *set)
{
	const struct analysis_share *share = c->share;
	for (uint32_t r = 0; r < a->processes; r++) {
		double upper = 0, lower = 0, in = 0, out = 0;
		bool any = share < shares_end(c) && share->rank == r;
		for (size_t i = 0; i < c->rank_bins; i++) {
			size_t bin = (size_t)(i * c->rank_width / s->width);
			bool in_it = bin < s->length && apart[bin];
			if (any)
				*(in_it ? &upper : &lower) +=
					(double)c->bin_work[i * c->shares + (size_t)(share - c->share)];
			*(in_it ? &in : &out) += 1;
		}
		share += any;
		if (out == 0 || in == 0 || upper / in > lower / out * (1 + (v->factor - 1) / 2))
			ranks_add(set, r);
	}
}

/* Where all are slow from 1 on, for some iterations, so they were in 0, whose beginning is not
   recorded. */
static void begin_with_first(const struct analysis *a, struct named_iterations *x)
{
	if (!a->begins_late || x->width > 1 || x->count < 2 || x->kind == ITERATIONS_EVERY ||
		x->kind == ITERATIONS_TREND || x->listed[0] != 1 || x->last != x->count)
		return;
	x->kind = ITERATIONS_FIRST;
	x->first = 0;
	x->count++;
	x->unseen = true;
}

/* What of it is between two iterations, where it is told as of the later one, at least. */
#define BETWEEN 0.8

/* Then iterations of which every one but the first stands apart are those before: what stands apart
   ends them. more: work, of all processes, in the iterations named beyond that in others. */
static void count_as_source(const struct analysis_construct *c, double more, struct named_iterations *x)
{
	if (x->kind != ITERATIONS_EVERY || x->width > 1 || x->first != x->period || (double)c->between < BETWEEN * more)
		return;
	x->first--;
	x->last = x->total - 1 - (x->total - 1 - x->first) % x->period;
	x->count = (x->last - x->first) / x->period + 1;
}

static double more_in(const struct named_iterations *x)
{
	return (x->each - x->others) * (double)x->count;
}

static bool vary(const struct analysis *a, const struct inside *in, size_t loop, uint32_t depth, struct finding *f)
{
	double *events;
	struct iteration_series s = work_over(a, in, loop, depth, &events);
	bool *apart = mem_zero(s.length + 1);
	*f = (struct finding){.shared = true, .loop = loop, .loop_depth = depth};
	f->variation = variation_name(&s, apart);
	f->share = analysis_run(a) ? f->variation.loss / (double)analysis_run(a) : 0;
	f->construct = f->place = most_varying(in, loop, depth, apart, s.width);
	struct named_iterations *x = &f->variation.iterations;
	bool good = f->share >= FINDINGS_LEAST && !do_more(&s, events) &&
		    !others_lack(a, f->construct, depth, &s, apart, x);
	if (depth == 0) {
		begin_with_first(a, x);
		count_as_source(f->construct, a->processes * more_in(x), x);
	}
	good = good && x->kind != ITERATIONS_ALL;
	/* Without regions, what is computed before the loop lies in its first iteration. */
	good = good && (a->regions || x->kind != ITERATIONS_FIRST || x->count > x->width);
	if (good && depth == 0 && x->kind != ITERATIONS_TREND)
		slowed_ranks(a, f->construct, &s, apart, &f->variation, &f->fault.ranks);
	free(apart);
	free(events);
	free((double *)s.value);
	return good;
}

/* ------------------------------------------------------------------ all of them */

bool finding_accuses(const struct finding *f)
{
	double least = f->fault.kind == FAULT_TRANSFER ? FINDINGS_LEAST : FINDINGS_LEAST_PART;
	return f->share >= FINDINGS_LEAST && f->construct->sort == CONSTRUCT_PROGRAM &&
	       (f->shared ? !f->loop_depth : (fault_accuses(&f->fault) && f->named >= least));
}

static int by_share(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;
	bool x = a->construct->sort != CONSTRUCT_PROGRAM, y = b->construct->sort != CONSTRUCT_PROGRAM;
	if (x != y)
		return x ? 1 : -1;
	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (a->shared != b->shared)
		return a->shared ? 1 : -1;
	return COMPARE(a->construct, b->construct);
}

/* What iterations that stand apart carry of a loss, at least, to name it. */
#define CARRIED (1.0 / 3)

/* What of an imbalance the critical path passes by: more, and others do elsewhere what some do
   here. */
#define PASSED_BY 0.5

static bool is_passed_by(const struct group *g)
{
	return g->serialization < -PASSED_BY * g->imbalance;
}

/* asked: in these iterations, which then are its own; NULL: in those that stand apart. */
static struct fault fault_of(const struct group *g, const struct named_iterations *asked)
{
	struct evidence e;
	evidence_of(&e, g, asked);
	if (asked)
		e.loops = 0;
	if (asked && asked->kind != ITERATIONS_ALL) /* then it is computation that stands apart */
		e.serialization = e.transfer = 0;
	struct fault fault = fault_name(&e);
	if (asked && asked->kind != ITERATIONS_ALL)
		fault.outer = fault.iterations = *asked;
	evidence_clear(&e);
	return fault;
}

/* ------------------------------------------------------------------ what comes again and again */

/* What recurs carries so much of an imbalance, and so many times what anything else does that
   recurs: else ranks take turns. */
#define RECURS 0.15
#define RECURS_ALONE 2

struct recurrence {
	struct named_iterations names;
	double lost;
};

/* Largest values beyond the fourth are cut to that: what happens less often does not recur. */
static void cut_once_off(double *value, size_t n)
{
	double most[ITERATIONS_RECUR] = {0};
	for (size_t i = 0; i < n; i++) {
		size_t k = ITERATIONS_RECUR;
		for (; k > 0 && value[i] > most[k - 1]; k--)
			if (k < ITERATIONS_RECUR)
				most[k] = most[k - 1];
		if (k < ITERATIONS_RECUR)
			most[k] = value[i];
	}
	for (size_t i = 0; i < n; i++)
		value[i] = value[i] < most[ITERATIONS_RECUR - 1] ? value[i] : most[ITERATIONS_RECUR - 1];
}

/* In which iterations does a process compute more than the mean, again and again? */
static struct recurrence recurs_of(const struct iteration_series *more)
{
	struct recurrence r = {.names = iterations_name(more, NULL)};
	for (size_t i = 0; i < more->length && r.names.kind == ITERATIONS_EVERY; i++)
		r.lost += iterations_have(&r.names, i) ? more->value[i] : 0;
	return r;
}

/*
 * Recurrence by the work of single processes, whatever they, or others, do more of now and then.
 * False: nothing recurs, or much that is different.
 */
static bool recurs(const struct group *g, struct named_iterations *names)
{
	uint32_t n = g->a->processes;
	struct iteration_series bins = bins_of(g, 0);
	if (bins.width != 1 || !rows_are_known(g, 1) || n < 2)
		return false;
	double *work = mem_array(n, sizeof *work), *more = mem_array(bins.length * n + 1, sizeof *more);
	double imbalance = 0, *lost = mem_array(bins.length + 1, sizeof *lost);
	struct recurrence best = {0}, other = {0};
	for (size_t i = 0; i < bins.length; i++) {
		double mean = mean_in(g, i, work), most = 0;
		for (uint32_t r = 0; r < n; r++) {
			more[r * bins.length + i] = work[r] > mean ? work[r] - mean : 0;
			most = work[r] > most ? work[r] : most;
		}
		lost[i] = most - mean;
	}
	cut_once_off(lost, bins.length);
	for (size_t i = 0; i < bins.length; i++)
		imbalance += lost[i];
	for (uint32_t r = 0; r < n; r++) {
		bins.value = more + r * bins.length;
		cut_once_off(more + r * bins.length, bins.length);
		struct recurrence its = recurs_of(&bins);
		bool same = its.names.first == best.names.first && its.names.period == best.names.period;
		if (same)
			best.lost = its.lost > best.lost ? its.lost : best.lost;
		else if (its.lost > best.lost) {
			other = best;
			best = its;
		} else if (its.lost > other.lost)
			other = its;
	}
	free(work);
	free(more);
	free(lost);
	if (best.lost <= 0 || best.lost < RECURS * imbalance || best.lost < RECURS_ALONE * other.lost)
		return false;
	*names = best.names;
	return true;
}

/* Is it that some compute longer than others? */
static bool is_of_work(const struct fault *fault)
{
	return fault->kind == FAULT_SLOW || fault->kind == FAULT_STAGE || fault->kind == FAULT_VARYING;
}

/* Iterations that stand apart name it, unless they name nobody, or carry little: the last one, say,
   of a loop whose processes do not wait for each other. */
static struct fault name_group(const struct group *g)
{
	struct fault fault = fault_of(g, NULL), other;
	struct named_iterations names = {.kind = ITERATIONS_ALL};
	double loss = g->imbalance + g->serialization + g->transfer;
	bool some = fault.outer.kind != ITERATIONS_ALL && fault.outer.kind != ITERATIONS_TREND;
	bool computes = is_of_work(&fault);
	bool period = (computes || fault.crowded) && fault.outer.kind != ITERATIONS_EVERY && !fault.depth &&
		      recurs(g, &names);
	if (period || (some && !(fault_accuses(&fault) && fault.loss >= CARRIED * loss))) {
		other = fault_of(g, &names);
		bool fits = period && other.loss > FAULT_TRIFLE * loss; /* it is no trifle of what the group loses */
		bool better = fault_accuses(&other) ? fits || other.loss > fault.loss : !fault_accuses(&fault);
		fault_clear(better ? &fault : &other);
		fault = better ? other : fault;
	}
	if (!fault.depth && is_of_work(&fault)) {
		count_as_source(g->member[0], more_in(&fault.outer), &fault.outer);
		fault.iterations = fault.outer;
	}
	return fault;
}

static double group_loss(const struct group *g)
{
	if (g->a->clocks_disagree)
		return g->length > 1 ? imbalance_of(g) : g->imbalance;
	return g->imbalance + g->serialization + g->transfer;
}

/* What is left of the loss of a construct where it is taken together with others: less, and these
   give it back. */
#define GIVEN_BACK 0.5

/* What is no loss to anybody together with others may be one by itself: then only it is in the
   group. */
static struct fault name_alone_or_together(struct group *g)
{
	struct group own = {.a = g->a, .all = g->all, .member = mem_array(1, sizeof *own.member)};
	struct fault fault = name_group(g);
	add_member(&own, g->member[0]);
	if (g->length > 1 && !fault_accuses(&fault) && group_loss(g) >= GIVEN_BACK * group_loss(&own) &&
		!is_passed_by(&own)) {
		struct fault alone = name_group(&own);
		bool better = fault_accuses(&alone);
		fault_clear(better ? &fault : &alone);
		if (better) {
			struct group all = *g;
			*g = own;
			own = all;
			fault = alone;
		}
	}
	free(own.member);
	return fault;
}

/* Where others do elsewhere what some do here, all of the outermost loop is judged together. */
static struct fault name_in_its_loop(struct group *g)
{
	const struct analysis_construct *c = g->member[0];
	struct group whole = {.a = g->a, .all = g->all, .member = mem_array(g->a->constructs, sizeof *whole.member)};
	add_member(&whole, c);
	for (const struct analysis_construct *d = g->a->construct; d < g->a->construct + g->a->constructs; d++)
		if (d != c && d->sort == CONSTRUCT_PROGRAM && d->depth && d->around[0] == c->around[0])
			add_member(&whole, d);
	whole.transfer = (double)c->transfer / g->a->processes;
	whole.whole = true;
	struct fault fault = name_group(&whole);
	fault.loss = fault.loss < group_loss(g) ? fault.loss : group_loss(g);
	free(whole.member);
	return fault;
}

/* Naming what a loss comes from goes through all processes: so many of them, those of the largest
   losses first, and so many losses in any case. */
#define NAMED (UINT32_C(1) << 22)
#define NAMED_LEAST 64

/* name: say what it comes from, too; with: by construct, that whose loss it is judged with. */
static struct finding find(const struct analysis *a, const struct traffic *all, const struct analysis_construct *c,
	bool name, const struct analysis_construct **with)
{
	struct finding finding = {.construct = c, .place = c};
	struct group g = group_of(a, all, c);
	double run = (double)analysis_run(a);
	if (c->sort == CONSTRUCT_PROGRAM && c->loss > 0 && name)
		finding.fault = c->depth && is_passed_by(&g) && !a->clocks_disagree ? name_in_its_loop(&g)
										    : name_alone_or_together(&g);
	double loss = group_loss(&g);
	for (size_t m = 1; m < g.length; m++)
		if (same_region(c, g.member[m]) && g.member[m]->depth < finding.place->depth)
			finding.place = g.member[m];
	for (size_t m = 1; m < g.length && fault_accuses(&finding.fault); m++)
		with[g.member[m] - a->construct] = c;
	finding.share = run > 0 ? loss / run : 0;
	finding.named = run > 0 ? finding.fault.loss / run : 0;
	free(g.member);
	return finding;
}

static bool is_apart(const struct finding *f)
{
	return f->construct->sort != CONSTRUCT_PROGRAM;
}

/* MPI_Init and the like: a row, unless nothing else is worth the first line. Files and devices
   are the program's. */
static bool is_of_runtime(const struct finding *f)
{
	enum construct_sort sort = f->construct->sort;
	return sort == CONSTRUCT_INIT || sort == CONSTRUCT_FINALIZE || sort == CONSTRUCT_OUTSIDE;
}

#define ROUNDING 1e-9

/* What the program loses, of the run time: what its constructs lose, and what some of them give
   back. */
static double lost_of(const struct analysis *a)
{
	double all = (double)analysis_run(a) * a->processes, lost = all - (double)analysis_work(a);
	for (const struct analysis_construct *c = a->construct; c < a->construct + a->constructs; c++)
		lost -= c->sort != CONSTRUCT_PROGRAM && !a->clocks_disagree ? (double)c->loss : 0;
	return all > 0 && lost > 0 ? lost / all : 0;
}

/* Of two losses: what the program loses is told before what MPI takes, if it stands out. */
static bool goes_before(const struct finding *x, const struct finding *y)
{
	const struct finding *own = is_of_runtime(x) ? y : x;
	if (is_of_runtime(x) != is_of_runtime(y) && own->share >= FINDINGS_LEAST)
		return own == x;
	return x->share > y->share;
}

/* Of those not told yet: what is said first; any: whether it accuses somebody or not; left: of
   what is lost, nobody is told of so much yet. Gives f->length if nothing is to be said. */
static size_t first_of(const struct findings *f, const bool *told, bool any, double left)
{
	size_t loss = f->length, variation = f->length;
	for (size_t i = 0; i < f->length; i++) {
		const struct finding *x = &f->finding[i];
		bool less = x->shared || is_apart(x) || x->share <= left + ROUNDING;
		if (told[i] || !less || !(finding_accuses(x) || (any && !x->shared && x->share > 0)))
			continue;
		if (!x->shared)
			loss = loss == f->length || goes_before(x, &f->finding[loss]) ? i : loss;
		else if (variation == f->length || x->share > f->finding[variation].share)
			variation = i;
	}
	bool varies = loss == f->length || (variation < f->length && !finding_accuses(&f->finding[loss]) &&
						   f->finding[variation].share > f->finding[loss].share);
	return varies ? variation : loss;
}

/* What is told beside the lead is at least so much of it. */
#define BESIDE 0.25

/* Which ones the page begins with, the lead first. */
static void choose(struct findings *f, const struct analysis *a)
{
	bool any = analysis_lost(a) > 100 * (1 - FINDINGS_EFFICIENT) && !a->clocks_disagree,
	     *said = mem_zero(f->length + 1);
	struct efficiency e = analysis_efficiency(a);
	size_t first = 0;
	double least = 0, left = lost_of(a);
	for (size_t i = first_of(f, said, any, left);
		f->told < FINDINGS_TOLD && i < f->length && f->finding[i].share >= least;
		i = first_of(f, said, any, left)) {
		const struct finding *x = &f->finding[i];
		f->first[f->told++] = i;
		f->finding[i].told = true;
		for (size_t k = 0; k < f->length; k++) {
			const struct finding *y = &f->finding[k];
			bool together = y->with && (y->with == x->construct || y->with == x->with);
			said[k] |=
				y->place == x->place || y->shared || is_apart(y) || together || x->with == y->construct;
		}
		if (is_apart(x)) { /* of what is left, as much stands out */
			least = e.inner_run > 0 ? FINDINGS_LEAST * e.inner_run / (double)analysis_run(a) : 1;
			continue;
		}
		left -= x->shared ? 0 : x->share;
		any = false;
		least = first++ ? least : BESIDE * x->share;
	}
	free(said);
}

/* What is waited elsewhere is told where it is so much of all that is waited for it. */
#define PAID_LATER 0.25

/* Who pays later for what some compute longer: a second thing to know of them. */
static void put_payer(const struct analysis *a, const struct delay *d, struct fault *fault)
{
	if ((fault->kind != FAULT_SLOW && fault->kind != FAULT_STAGE) || !d->payer ||
		d->late < PAID_LATER * (d->direct + d->late))
		return;
	text_format(&fault->evidence, "; later cost %s of waiting, most in %s",
		seconds_of(d->late * analysis_tick(a)).words, d->payer->name);
}

void findings_of(struct findings *f, const struct analysis *a)
{
	struct inside in = inside_of(a);
	struct traffic all = {0};
	bool *seen = mem_zero(a->program->module->lines + 1); /* by loop */
	const struct analysis_construct **with = mem_zero((a->constructs + 1) * sizeof *with);
	double lost = lost_of(a);
	*f = (struct findings){.delay = delays_of(a)};
	for (size_t k = 0; k < a->constructs; k++) {
		struct traffic its = traffic_of(&a->construct[k]);
		all.messages += its.messages;
		all.bytes += its.bytes;
		all.least += its.least;
	}
	for (size_t k = 0; k < a->constructs; k++) {
		const struct analysis_construct *c = &a->construct[k];
		struct finding shared,
			finding = find(a, &all, c, k < NAMED_LEAST || k < NAMED / (a->processes + 1), with);
		*MEM_PUSH(f->finding, f->length, f->capacity) = finding;
		for (uint32_t d = 0; d < c->depth && d < ANALYSIS_DEPTH; d++) {
			if ((d == 0 || a->regions) && !seen[c->around[d]] && vary(a, &in, c->around[d], d, &shared))
				*MEM_PUSH(f->finding, f->length, f->capacity) = shared;
			seen[c->around[d]] = true;
		}
	}
	free(in.construct);
	free(in.begin);
	free(seen);
	for (size_t i = 0; i < f->length; i++) {
		struct finding *x = &f->finding[i];
		put_payer(a, &f->delay[x->construct - a->construct], &x->fault);
		x->with = with[x->construct - a->construct];
		if (x->shared || is_apart(x))
			continue;
		x->share = x->share < lost ? x->share : lost;
		x->named = x->named < lost ? x->named : lost;
	}
	free(with);
	if (f->length)
		qsort(f->finding, f->length, sizeof *f->finding, by_share);
	choose(f, a);
}

void findings_clear(struct findings *f)
{
	for (size_t i = 0; i < f->length; i++)
		fault_clear(&f->finding[i].fault);
	free(f->finding);
	free(f->delay);
	*f = (struct findings){0};
}

/* ------------------------------------------------------------------ words */

#define LOST " is lost in "
#define BEYOND " is beyond the median iteration in "

const char *finding_of_words(const char *words)
{
	const char *lost = words ? strstr(words, LOST) : NULL, *beyond = words ? strstr(words, BEYOND) : NULL;
	return lost ? lost + strlen(LOST) : beyond ? beyond + strlen(BEYOND) : NULL;
}

const char *finding_kind(const struct finding *f)
{
	return f->shared ? "slow iterations" : is_apart(f) ? f->construct->name : fault_words(f->fault.kind);
}

const char *finding_key(const struct finding *f)
{
	return f->shared     ? "variation"
	       : is_apart(f) ? construct_sort_key(f->construct->sort)
			     : fault_key(f->fault.kind);
}

/* Of the first process that has a part in it. */
static struct executions executions_in(const struct analysis *a, const struct analysis_construct *c)
{
	struct ranks_walk walk = {0};
	uint32_t rank = 0;
	ranks_next(&c->ranks, &walk, &rank);
	struct executions e = {0};
	if (c->depth > 1)
		run_executions_of(a->program->run, rank, &e);
	return e;
}

/* In so many of the iterations of a loop is the next one inside executed; 0: in any number, or
   nothing is inside. */
static uint64_t executed_in(const struct executions *e, const struct analysis_construct *c, uint32_t depth)
{
	bool innermost = depth + 1 >= c->depth || depth + 1 >= ANALYSIS_DEPTH;
	uint64_t times = innermost ? 0 : e->times[c->around[depth]],
		 inside = innermost ? 0 : e->times[c->around[depth + 1]];
	return times && inside && inside % times == 0 ? inside / times : 0;
}

/* "16", "1 of 16", "up to 16" */
static void put_times(const struct analysis *a, const struct executions *e, const struct analysis_construct *c,
	uint32_t depth, struct text *out)
{
	uint64_t iterations = a->iterations[c->around[depth]], executed = executed_in(e, c, depth);
	if (executed && executed < iterations)
		text_format(out, "%" PRIu64 " of ", executed);
	/* as many each time? */
	const struct module *m = a->program->module;
	node_id trips = node_kid(m->store, module_at(m, c->around[depth]).statement, 1);
	bool even = number_is_constant(m->store, trips, &(int64_t){0});
	text_format(out, "%s%" PRIu64, even ? "" : "up to ", iterations);
}

/* More are in --json only: a line is to be read. */
#define SITES_SHOWN 60

/* "forces (loop 2, 150 iterations)" */
static void finding_print_place(const struct analysis *a, const struct finding *f, struct text *out)
{
	const struct analysis_construct *c = f->place;
	text_put(out, c->sort == CONSTRUCT_OUTSIDE ? "the start of processes, before their first records" : c->name);
	if (!c->depth && c->sort != CONSTRUCT_PROGRAM)
		return;
	if (!c->depth) {
		text_put(out, " (in no loop");
		text_format(out, c->callers ? ", in %s)" : ")", c->callers);
		return;
	}
	text_format(out, c->address ? " (loop %s" : " (no loop", c->address);
	if (c->callers && strcmp(c->callers, c->name) != 0)
		text_format(out, " in %s", c->callers);
	else if (!c->callers && c->sites && strlen(c->sites) <= SITES_SHOWN && strcmp(c->sites, c->name) != 0)
		text_format(out, " at %s", c->sites);
	text_put(out, ", ");
	struct executions executions = executions_in(a, c);
	for (uint32_t d = 0; d < c->depth && d < ANALYSIS_DEPTH; d++) {
		text_put(out, d ? " x " : "");
		put_times(a, &executions, c, d, out);
	}
	executions_clear(&executions);
	text_put(out, " iterations)");
}

void finding_print_ranks(const struct analysis *a, const struct finding *f, struct text *out)
{
	if (ranks_count(&f->fault.ranks) && ranks_count(&f->fault.ranks) < a->processes)
		ranks_print(&f->fault.ranks, out);
	else
		text_put(out, "all");
}

/* "all 8 x 10 = 80", "all 62 x up to 6" */
static void print_inner_counts(const struct analysis *a, const struct analysis_construct *c, struct text *out)
{
	uint64_t product = c->depth ? a->iterations[c->around[0]] : 1;
	struct executions executions = executions_in(a, c);
	for (uint32_t d = 1; d < c->depth && d < ANALYSIS_DEPTH; d++) {
		text_put(out, " x ");
		put_times(a, &executions, c, d, out);
		product = saturating_multiply(product, a->iterations[c->around[d]]);
	}
	if (c->depth > 1 && c->depth <= ANALYSIS_DEPTH && executions.iterations[c->around[c->depth - 1]] == product)
		text_format(out, " = %" PRIu64, product);
	executions_clear(&executions);
}

void finding_print_iterations(const struct analysis *a, const struct finding *f, struct text *out)
{
	if (!f->shared) {
		fault_print_iterations(&f->fault, analysis_tick(a), out);
		if (f->fault.outer.kind == ITERATIONS_ALL && !f->fault.depth)
			print_inner_counts(a, f->place, out);
		return;
	}
	if (f->loop_depth)
		text_format(out, "i%" PRIu32 " = ", f->loop_depth);
	iterations_print(&f->variation.iterations, analysis_tick(a), out);
}

static void print_variation(const struct analysis *a, const struct finding *f, struct text *out)
{
	const struct variation *v = &f->variation;
	bool trend = v->iterations.kind == ITERATIONS_TREND;
	put_ranks(out, &f->fault.ranks, a->processes, &a->program->module->grid);
	text_format(out, ": computing takes %s %s an iteration, %s %s", trend ? "at the end" : "there",
		seconds_of((trend ? v->iterations.to : v->iterations.each) * analysis_tick(a)).words,
		trend ? "at the beginning" : "in the others",
		seconds_of((trend ? v->iterations.from : v->iterations.others) * analysis_tick(a)).words);
	if (isfinite(v->factor))
		text_format(out, ": %.3g times as long", v->factor);
}

void finding_print(const struct analysis *a, const struct finding *f, struct text *out)
{
	struct efficiency e = analysis_efficiency(a);
	double inner = e.inner_run > 0 ? 100 * f->share * (double)analysis_run(a) / e.inner_run : 0;
	bool apart = is_apart(f);
	text_format(out, "%.1f %% of the run time ", 100 * f->share);
	if (!apart && inner - 100 * f->share >= 0.1)
		text_format(out, "(%.1f %% without MPI_Init and MPI_Finalize) ", inner);
	text_put(out, (f->shared ? BEYOND : LOST) + 1);
	finding_print_place(a, f, out);
	if (apart) {
		text_char(out, '\n');
		return;
	}
	text_format(out, ": %s%s\n  ", finding_kind(f),
		f->shared && (!ranks_count(&f->fault.ranks) || ranks_count(&f->fault.ranks) == a->processes)
			? " on all ranks"
			: "");
	if (f->shared)
		print_variation(a, f, out);
	else
		text_put(out, f->fault.evidence.data ? f->fault.evidence.data : "");
	text_put(out, "\n  iterations: ");
	finding_print_iterations(a, f, out);
	text_char(out, '\n');
}

static void print_efficiency(const struct analysis *a, struct text *out)
{
	struct efficiency e = analysis_efficiency(a);
	text_format(out, "run time %s on %" PRIu32 " %s", seconds_of((double)analysis_run(a) * analysis_tick(a)).words,
		a->processes, text_plural(a->processes, "process", "processes"));
	if (!a->communicates) {
		text_put(out, "; no communication\n");
		return;
	}
	text_format(out, "; parallel efficiency %.3f = load balance %.3f x communication efficiency %.3f", e.parallel,
		e.load_balance, e.communication);
	if (!a->clocks_disagree)
		text_format(out, " (serialization %.3f x transfer %.3f)", e.serialization, e.transfer);
	text_format(out, "; balance of each iteration %.3f\n", e.iteration_balance);
	if (e.inner_run >= (double)analysis_run(a))
		return;
	text_format(out, "without MPI_Init and MPI_Finalize: %s; parallel efficiency %.3f\n",
		seconds_of(e.inner_run * analysis_tick(a)).words, e.inner_parallel);
}

void findings_print(const struct analysis *a, const struct findings *f, struct text *out)
{
	if (a->unfinished) {
		text_put(out, "Neither a run time nor efficiencies: the run did not end, or not all of it is there.\n");
		return;
	}
	if (a->shared.length) /* what nobody's program is to be accused of */
		text_format(out, "%" PRIu64 " of %" PRIu32 " ranks shared a core: waits below %s are the scheduler's\n",
			ranks_count(&a->shared), a->processes, seconds_of((double)a->slice * analysis_tick(a)).words);
	for (size_t i = 0; i < f->told; i++)
		finding_print(a, &f->finding[f->first[i]], out);
	if (!f->told && a->clocks_disagree)
		text_format(out,
			"%.1f %% of the run time is not computation, and nothing stands out in what processes compute; who waits for whom is not known, for clocks contradict messages.\n",
			analysis_lost(a));
	else if (!f->told)
		text_format(out,
			"Nothing stands out: no construct loses %.0f %% of the run time to anybody in particular.\n",
			100 * FINDINGS_LEAST);
	print_efficiency(a, out);
}
