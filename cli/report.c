/*
 * report.c -- tracenest report: where the time of a run went.
 */
#include <inttypes.h>

#include "base/json.h"
#include "base/output.h"
#include "cli/options.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "lib/account.h"
#include "time/findings.h"

/* Rows of the table. */
#define ROWS 8

/* ------------------------------------------------ JSON: in ticks of the trace's clock */

static void put_share(struct json *j, const struct analysis_share *s)
{
	json_number(j, "work", s->work);
	json_number(j, "call", s->call);
	json_number(j, "late_sender", s->waited[WAIT_LATE_SENDER]);
	json_number(j, "late_receiver", s->waited[WAIT_LATE_RECEIVER]);
	json_number(j, "collective", s->waited[WAIT_COLLECTIVE]);
	json_number(j, "caused_late_sender", s->caused[WAIT_LATE_SENDER]);
	json_number(j, "caused_late_receiver", s->caused[WAIT_LATE_RECEIVER]);
	json_number(j, "caused_collective", s->caused[WAIT_COLLECTIVE]);
	json_number(j, "path_work", s->path_work);
	json_number(j, "path_call", s->path_call);
	json_number(j, "hops", s->hops);
}

static void put_construct(const struct analysis *a, const struct analysis_construct *c, struct json *j)
{
	static const char *const sorts[] = {"program", "init", "finalize", "io", "outside"};
	struct text ranks = {0};
	json_object(j, NULL, JSON_LINES);
	json_string(j, "loop", c->address ? c->address : "");
	json_string(j, "name", c->name);
	json_string(j, "sort", sorts[c->sort]);
	ranks_print(&c->ranks, &ranks);
	json_string(j, "ranks", ranks.data ? ranks.data : "");
	text_clear(&ranks);
	json_integer(j, "loss", c->loss);
	json_integer(j, "imbalance", c->imbalance);
	json_integer(j, "serialization", c->serialization);
	json_integer(j, "transfer", c->transfer);
	json_object(j, "total", JSON_ROW);
	put_share(j, &c->total);
	json_close(j);
	json_array(j, "processes", JSON_LINES);
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		json_object(j, NULL, JSON_ROW);
		put_share(j, &c->share[rank]);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

static void print_json(const struct analysis *a, struct output *out)
{
	struct json j = {.out = out};
	json_object(&j, NULL, JSON_LINES);
	json_number(&j, "processes", a->processes);
	json_number(&j, "ticks_per_second", a->ticks_per_second);
	json_number(&j, "run", analysis_run(a));
	json_number(&j, "work", analysis_work(a));
	json_number(&j, "path_work", a->path_work);
	json_number(&j, "path_call", a->path_call);
	json_number(&j, "hops", a->hops);
	json_number(&j, "eager", a->eager);
	json_number(&j, "contradictions", a->contradictions);
	json_number(&j, "contradiction", a->contradiction);
	json_number(&j, "unmatched", a->unmatched);
	json_array(&j, "process", JSON_LINES);
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		const struct analysis_process *p = &a->process[rank];
		json_object(&j, NULL, JSON_ROW);
		json_number(&j, "first", p->first - a->begin);
		json_number(&j, "last", p->last - a->begin);
		json_number(&j, "work", p->work);
		json_number(&j, "call", p->call);
		json_number(&j, "apart", p->apart);
		json_close(&j);
	}
	json_close(&j);
	json_array(&j, "constructs", JSON_LINES);
	for (size_t i = 0; i < a->constructs; i++)
		put_construct(a, &a->construct[i], &j);
	json_close(&j);
	json_close(&j);
	json_finish(&j);
}

/* ------------------------------------------------------------------ a page */

static double percent(const struct analysis *a, double of_all)
{
	double run = (double)analysis_run(a) * a->processes;
	return run > 0 ? 100 * of_all / run : 0;
}

static void put_row(const struct analysis *a, const struct finding *f, struct output *out)
{
	const struct analysis_construct *c = f->construct;
	struct text ranks = {0}, iterations = {0};
	bool named = fault_accuses(&f->fault) && c->sort == CONSTRUCT_PROGRAM;
	ranks_print_short(named && f->fault.ranks.length ? &f->fault.ranks : &c->ranks, &ranks);
	if (c->depth && named)
		fault_print_iterations(
			&f->fault, a->ticks_per_second ? 1 / (double)a->ticks_per_second : 0, &iterations);
	output_format(out, "%5.1f %5.1f %5.1f %5.1f %5.1f  %-7s %-20.20s %-19.19s %-10.10s %s\n",
		percent(a, (double)c->loss),
		percent(a, (double)(c->total.path_work + c->total.path_call) * a->processes),
		percent(a, (double)c->imbalance), percent(a, (double)c->serialization), percent(a, (double)c->transfer),
		c->address ? c->address : "-", c->name,
		c->sort == CONSTRUCT_PROGRAM ? fault_words(f->fault.kind) : "(apart)", ranks.data ? ranks.data : "",
		iterations.data ? iterations.data : "");
	text_clear(&ranks);
	text_clear(&iterations);
}

static void put_totals(const struct analysis *a, struct output *out)
{
	uint64_t waited[WAIT_KINDS] = {0}, call = 0, apart = 0;
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		call += a->process[rank].call;
		apart += a->process[rank].apart;
		for (size_t k = 0; k < WAIT_KINDS; k++)
			waited[k] += a->process[rank].waited[k];
	}
	uint64_t all = waited[WAIT_LATE_SENDER] + waited[WAIT_LATE_RECEIVER] + waited[WAIT_COLLECTIVE];
	output_format(out,
		"computation %.1f %%, waiting %.1f %% (late sender %.1f, late receiver %.1f, collective %.1f), transfer and calls %.1f %%, MPI_Init, MPI_Finalize, I/O %.1f %%\n",
		percent(a, (double)analysis_work(a)), percent(a, (double)all),
		percent(a, (double)waited[WAIT_LATE_SENDER]), percent(a, (double)waited[WAIT_LATE_RECEIVER]),
		percent(a, (double)waited[WAIT_COLLECTIVE]), percent(a, (double)(call - all)),
		percent(a, (double)apart));
}

/* parallel efficiency = load balance x serialization x transfer: mean work / busiest process's /
   computation on the path / run. */
static void put_efficiency(const struct analysis *a, struct output *out)
{
	double run = (double)analysis_run(a), mean = (double)analysis_work(a) / (a->processes ? a->processes : 1);
	uint64_t most = 0;
	for (size_t i = 0; i < a->constructs; i++)
		most += a->construct[i].most;
	double path = (double)a->path_work;
	output_format(out, "parallel efficiency %.3f = load balance %.3f x serialization %.3f x transfer %.3f\n",
		run > 0 ? mean / run : 0, most ? mean / (double)most : 1, path > 0 ? (double)most / path : 1,
		run > 0 ? path / run : 1);
}

static void print_page(const struct analysis *a, struct output *out)
{
	struct findings f;
	struct text lines = {0};
	findings_of(&f, a);
	if (f.lead < f.length)
		finding_print(a, &f.finding[f.lead], &lines);
	else
		text_put(&lines, "Nothing stands out.\n");
	output_format(out, "%s", lines.data);
	text_clear(&lines);
	put_efficiency(a, out);
	output_format(out,
		" lost  path     I     S     T  loop    region               kind                ranks      iterations\n");
	size_t rows = 0;
	for (size_t i = 0; i < f.length && rows < ROWS; i++)
		if (f.finding[i].construct) {
			put_row(a, &f.finding[i], out);
			rows++;
		}
	put_totals(a, out);
	findings_clear(&f);
}

/* ------------------------------------------------------------------ the verb */

static bool run(const struct settings *s, struct report *report, struct error *error)
{
	struct account account = {0};
	struct account_options options = {ACCOUNT_OPTIONS};
	options.program.lenient = s->lenient;
	options.program.jobs = (unsigned)s->jobs;
	options.program.progress = report_listens(report);
	if (s->given[OPTION_EAGER])
		options.eager = s->eager;
	if (!settings_trace(s, NULL, &options.program.trace, error))
		return false;
	bool good = account_read(&account, s->argument[0], s->argument[1], &options, error);
	struct output *out = good ? output_open(s->output, error) : NULL;
	if (out) {
		report_clear(report);
		(s->json ? print_json : print_page)(account.analysis, out);
	}
	good = out && output_close(out, error);
	account_clear(&account);
	return good;
}

int verb_report(const struct settings *settings)
{
	struct report report = report_start(settings);
	struct error error = {0};
	trace_guard();
	return run(settings, &report, &error) ? 0 : report_error(&report, &error, NULL);
}
