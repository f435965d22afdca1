/*
 * findings.c -- from sums to figures, and from these to words.
 */
#include "time/findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static double seconds_of_tick(const struct analysis *a)
{
	return a->ticks_per_second ? 1 / (double)a->ticks_per_second : 0;
}

/* ------------------------------------------------------------------ evidence */

/* Arrays behind an evidence. */
struct figures {
	double *computation, *path, *waited[WAIT_KINDS], *caused[WAIT_KINDS];
	struct link_traffic *link;
	struct series loss[ANALYSIS_DEPTH], size[ANALYSIS_DEPTH];
	double *value[2 * ANALYSIS_DEPTH];
};

static void figures_clear(struct figures *f)
{
	free(f->computation);
	free(f->path);
	for (size_t k = 0; k < WAIT_KINDS; k++) {
		free(f->waited[k]);
		free(f->caused[k]);
	}
	for (size_t i = 0; i < 2 * ANALYSIS_DEPTH; i++)
		free(f->value[i]);
	free(f->link);
}

static void fill_shares(
	const struct analysis *a, const struct analysis_construct *c, struct figures *f, struct evidence *e)
{
	size_t n = a->processes + (size_t)1;
	f->computation = mem_zero(n * sizeof(double));
	f->path = mem_zero(n * sizeof(double));
	for (size_t k = 0; k < WAIT_KINDS; k++) {
		f->waited[k] = mem_zero(n * sizeof(double));
		f->caused[k] = mem_zero(n * sizeof(double));
		e->wait[k] = (double)c->total.waited[k];
		e->waited[k] = f->waited[k];
		e->caused[k] = f->caused[k];
	}
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		f->computation[rank] = (double)c->share[rank].work;
		f->path[rank] = (double)c->share[rank].path_work;
		for (size_t k = 0; k < WAIT_KINDS; k++) {
			f->waited[k][rank] = (double)c->share[rank].waited[k];
			f->caused[k][rank] = (double)c->share[rank].caused[k];
		}
	}
	e->computation = f->computation;
	e->path = f->path;
}

static void fill_links(
	const struct analysis *a, const struct analysis_construct *c, struct figures *f, struct evidence *e)
{
	uint64_t bytes = 0, messages = 0;
	f->link = mem_array(c->links + 1, sizeof *f->link);
	for (size_t i = 0; i < c->links; i++) {
		const struct analysis_link *l = &c->link[i];
		f->link[i] = (struct link_traffic){
			l->source, l->destination, l->messages, l->bytes, (double)l->flight, (double)l->path};
	}
	e->link = f->link;
	e->links = c->links;
	for (size_t k = 0; k < a->constructs; k++)
		for (size_t i = 0; &a->construct[k] != c && i < a->construct[k].links; i++) {
			bytes += a->construct[k].link[i].bytes;
			messages += a->construct[k].link[i].messages;
		}
	e->sibling_bytes = messages ? (double)bytes / (double)messages : 0;
}

/* Of iterations: what is lost in them, in ticks; how large their messages are. */
static void fill_series(
	const struct analysis *a, const struct analysis_construct *c, struct figures *f, struct evidence *e)
{
	double n = a->processes ? a->processes : 1;
	e->iterations = 1;
	for (uint32_t d = 0; d < c->depth && d < ANALYSIS_DEPTH; d++) {
		const struct analysis_series *s = &c->series[d];
		double *loss = f->value[2 * d] = mem_zero((s->bins + 1) * sizeof *loss);
		double *size = f->value[2 * d + 1] = mem_zero((s->bins + 1) * sizeof *size);
		for (size_t i = 0; i < s->bins; i++) {
			uint64_t first = i * s->width;
			double width = (double)(s->iterations - first < s->width ? s->iterations - first : s->width);
			loss[i] = (double)(s->path_work[i] + s->path_call[i]) - (double)s->work[i] / n;
			size[i] = s->messages[i] ? (double)s->bytes[i] / (double)s->messages[i] * width : 0;
		}
		f->loss[d] = (struct series){loss, s->bins, s->iterations, s->width};
		f->size[d] = (struct series){size, s->bins, s->iterations, s->width};
		e->loops++;
		if (d == 0)
			e->iterations = s->iterations ? s->iterations : 1;
	}
	e->loss = f->loss;
	e->size = c->links ? f->size : NULL;
}

static uint64_t path_ranks(const struct analysis *a, const struct analysis_construct *c, uint64_t iterations)
{
	uint64_t most = iterations * a->processes, ranks = iterations + c->total.hops;
	return c->total.path_work + c->total.path_call ? ranks < most ? ranks : most : 0;
}

static struct fault fault_of(const struct analysis *a, const struct analysis_construct *c)
{
	double n = a->processes ? a->processes : 1;
	struct figures figures = {0};
	struct evidence e = {.processes = a->processes,
		.grid = &a->program->grid,
		.seconds = seconds_of_tick(a),
		.run = (double)analysis_run(a),
		.imbalance = (double)c->imbalance / n,
		.serialization = (double)c->serialization / n,
		.transfer = (double)c->transfer / n,
		.collective_cost = (double)c->collective_cost,
		.collective = c->collective,
		.collectives = c->collectives};
	fill_shares(a, c, &figures, &e);
	fill_series(a, c, &figures, &e);
	if (a->clocks_disagree) { /* then only work is known */
		memset(e.wait, 0, sizeof e.wait);
		memset(e.caused, 0, sizeof e.caused);
		memset(e.waited, 0, sizeof e.waited);
		e.serialization = e.transfer = e.collective_cost = 0;
	} else {
		fill_links(a, c, &figures, &e);
		e.path_ranks = path_ranks(a, c, e.iterations);
	}
	struct fault fault = fault_name(&e);
	figures_clear(&figures);
	return fault;
}

/* ------------------------------------------------------------------ loops */

struct loop_times {
	size_t loop;
	uint32_t depth; /* loops around it */
	const char *address;
	double *value; /* mean work of the processes */
	size_t bins;
	uint64_t iterations, width;
};

static void add_bins(struct loop_times *l, const struct analysis_series *s)
{
	while (l->width < s->width) {
		for (size_t i = 0; i < l->bins; i++) {
			double value = l->value[i];
			l->value[i] = 0;
			l->value[i / 2] += value;
		}
		l->bins = (l->bins + 1) / 2;
		l->width *= 2;
	}
	uint64_t ratio = l->width / s->width;
	size_t bins = (size_t)((s->bins + ratio - 1) / ratio);
	if (bins > l->bins) {
		l->value = mem_resize(l->value, bins, sizeof *l->value);
		memset(l->value + l->bins, 0, (bins - l->bins) * sizeof *l->value);
		l->bins = bins;
	}
	for (size_t i = 0; i < s->bins; i++)
		l->value[i / ratio] += (double)s->work[i];
	if (s->iterations > l->iterations)
		l->iterations = s->iterations;
}

/* What the iterations of a loop take on all ranks together. */
static struct loop_times times_of(const struct analysis *a, size_t loop, uint32_t depth)
{
	struct loop_times l = {.loop = loop, .depth = depth, .width = 1};
	for (size_t i = 0; i < a->constructs; i++) {
		const struct analysis_construct *c = &a->construct[i];
		if (c->depth > depth && c->around[depth] == loop)
			add_bins(&l, &c->series[depth]);
	}
	for (size_t i = 0; i < l.bins; i++)
		l.value[i] /= a->processes ? a->processes : 1;
	return l;
}

static struct finding *add(struct findings *f)
{
	f->finding = mem_grow(f->finding, &f->capacity, f->length + 1, sizeof *f->finding);
	struct finding *new = &f->finding[f->length++];
	*new = (struct finding){0};
	return new;
}

static void add_variation(struct findings *f, const struct analysis *a, size_t loop, uint32_t depth)
{
	struct loop_times l = times_of(a, loop, depth);
	struct series times = {l.value, l.bins, l.iterations, l.width};
	struct variation v = variation_name(&times);
	double run = (double)analysis_run(a);
	if (v.loss > 0 && run > 0) {
		struct finding *new = add(f);
		struct text address = {0};
		program_address(a->program, loop, &address);
		new->loop = loop;
		new->address = address.data;
		new->iterations = l.iterations;
		new->share = v.loss / run;
		new->variation = v;
		new->fault.iterations = new->fault.outer = v.iterations;
	}
	free(l.value);
}

/* ------------------------------------------------------------------ all of them */

static bool seen_before(const struct analysis *a, size_t construct, uint32_t depth)
{
	for (size_t i = 0; i < construct; i++)
		if (a->construct[i].depth > depth &&
			a->construct[i].around[depth] == a->construct[construct].around[depth])
			return true;
	return false;
}

static int by_share(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;
	bool apart_a = a->construct && a->construct->sort != CONSTRUCT_PROGRAM,
	     apart_b = b->construct && b->construct->sort != CONSTRUCT_PROGRAM;
	if (apart_a != apart_b)
		return apart_a ? 1 : -1;
	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (!a->construct != !b->construct)
		return a->construct ? -1 : 1;
	return a->construct ? (a->construct > b->construct) - (a->construct < b->construct)
			    : (a->loop > b->loop) - (a->loop < b->loop);
}

static bool leads(const struct analysis *a, const struct finding *f)
{
	double share = a->clocks_disagree && f->construct ? f->share_known : f->share;
	if (share < FINDINGS_LEAST || (f->construct && f->construct->sort != CONSTRUCT_PROGRAM))
		return false;
	return !f->construct || fault_accuses(&f->fault);
}

void findings_of(struct findings *f, const struct analysis *a)
{
	double run = (double)analysis_run(a) * a->processes;
	*f = (struct findings){0};
	for (size_t i = 0; i < a->constructs; i++) {
		struct finding *new = add(f);
		new->construct = &a->construct[i];
		new->loop = a->construct[i].loop;
		new->share = run > 0 ? (double)a->construct[i].loss / run : 0;
		new->share_known = run > 0 ? (double)a->construct[i].imbalance / run : 0;
		new->fault = fault_of(a, &a->construct[i]);
		for (uint32_t d = 0; d < a->construct[i].depth && d < ANALYSIS_DEPTH; d++)
			if (!seen_before(a, i, d))
				add_variation(f, a, a->construct[i].around[d], d);
	}
	if (f->length)
		qsort(f->finding, f->length, sizeof *f->finding, by_share);
	while (f->lead < f->length && !leads(a, &f->finding[f->lead]))
		f->lead++;
}

void findings_clear(struct findings *f)
{
	for (size_t i = 0; i < f->length; i++) {
		fault_clear(&f->finding[i].fault);
		free(f->finding[i].address);
	}
	free(f->finding);
	*f = (struct findings){0};
}

/* ------------------------------------------------------------------ three lines */

static void put_loop(const struct analysis *a, const struct finding *f, struct text *out)
{
	const struct analysis_construct *c = f->construct;
	const char *address = c ? c->address : f->address;
	(void)a;
	if (!address)
		return;
	text_format(out, " (loop %s, ", address);
	for (uint32_t d = 0; c && d < c->depth && d < ANALYSIS_DEPTH; d++)
		text_format(out, "%s%" PRIu64, d ? " x " : "", c->series[d].iterations);
	if (!c)
		text_format(out, "%" PRIu64, f->iterations);
	text_put(out, " iterations)");
}

static void print_variation(const struct analysis *a, const struct finding *f, struct text *out)
{
	const struct variation *v = &f->variation;
	double tick = seconds_of_tick(a);
	text_format(out, "%.1f %% of the run time is lost in loop %s (%" PRIu64 " iterations): ", 100 * f->share,
		f->address, f->iterations);
	if (v->iterations.kind == ITERATIONS_TREND)
		text_format(out, "its last iterations take %.2g times as long as the first, on all ranks\n", v->factor);
	else
		text_format(out, "some iterations take %.2g times as long as the others, on all ranks\n", v->factor);
	text_format(out, "  all %" PRIu32 " ranks: an iteration usually takes ", a->processes);
	put_seconds(out, v->median * tick);
	text_put(out, " of computation\n  iterations: ");
	iterations_print(&v->iterations, tick, out);
	text_char(out, '\n');
}

void finding_print(const struct analysis *a, const struct finding *f, struct text *out)
{
	if (!f->construct) {
		print_variation(a, f, out);
		return;
	}
	text_format(out, "%.1f %% of the run time is lost in %s",
		100 * (a->clocks_disagree ? f->share_known : f->share), f->construct->name);
	put_loop(a, f, out);
	text_format(
		out, ": %s\n  %s\n", fault_words(f->fault.kind), f->fault.evidence.data ? f->fault.evidence.data : "");
	text_put(out, "  iterations: ");
	if (f->construct->depth)
		fault_print_iterations(&f->fault, seconds_of_tick(a), out);
	else
		text_put(out, "it is in no loop");
	text_char(out, '\n');
}
