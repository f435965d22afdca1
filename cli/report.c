/*
 * report.c -- tracenest report: where the time of a run went.
 */
#include <inttypes.h>

#include "base/json.h"
#include "base/output.h"
#include "cli/colour.h"
#include "cli/idle.h"
#include "cli/omissions.h"
#include "cli/options.h"
#include "cli/profiles.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "report/account.h"
#include "report/findings.h"
#include "report/report_page.h"

/* Rows of the table. */
#define ROWS 12
#define LEAST_ROWS 3 /* also of what loses next to nothing */

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
	if (c->sites)
		json_string(j, "site", c->sites);
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
	const struct analysis_share *share = c->share, *end = c->share + c->shares;
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		bool here = share < end && share->rank == rank;
		json_object(j, NULL, JSON_ROW);
		put_share(j, here ? share : &(struct analysis_share){0});
		json_close(j);
		share += here;
	}
	json_close(j);
	json_close(j);
}

static void put_finding(const struct analysis *a, const struct finding *f, struct json *j)
{
	const struct analysis_construct *c = f->construct;
	struct text ranks = {0}, lines = {0}, iterations = {0};
	json_object(j, NULL, JSON_LINES);
	json_string(j, "loop", c->address ? c->address : "");
	json_string(j, "name", c->name);
	json_string(j, "kind", f->shared ? "variation" : fault_key(f->fault.kind));
	json_truth(j, "accused", finding_accuses(f));
	json_real(j, "share", f->share, 6);
	ranks_print(&f->fault.ranks, &ranks);
	json_string(j, "ranks", ranks.data ? ranks.data : "");
	if (c->depth && (f->shared || fault_accuses(&f->fault)))
		finding_print_iterations(a, f, &iterations);
	json_string(j, "iterations", iterations.data ? iterations.data : "");
	finding_print(a, f, &lines);
	json_string(j, "text", lines.data);
	json_close(j);
	text_clear(&ranks);
	text_clear(&lines);
	text_clear(&iterations);
}

/* The one that leads first, where any does. */
static void put_findings(const struct analysis *a, const struct findings *f, struct json *j)
{
	json_truth(j, "stands_out", f->lead < f->length);
	json_array(j, "findings", JSON_LINES);
	if (f->lead < f->length)
		put_finding(a, &f->finding[f->lead], j);
	for (size_t i = 0; i < f->length; i++)
		if (i != f->lead && f->finding[i].share >= 0.001)
			put_finding(a, &f->finding[i], j);
	json_close(j);
}

static void print_json(const struct analysis *a, const struct findings *f, struct output *out)
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
	json_number(&j, "meetings", a->meetings);
	json_number(&j, "contradictions", a->contradictions);
	json_number(&j, "contradiction", a->contradiction);
	json_truth(&j, "clocks_disagree", a->clocks_disagree);
	json_number(&j, "unmatched", a->unmatched);
	if (a->program->notes.omissions)
		json_array(&j, "omitted", JSON_LINES);
	for (size_t i = 0; i < a->program->notes.omissions; i++) {
		json_object(&j, NULL, JSON_ROW);
		json_string(&j, "call", a->program->notes.omission[i].call);
		json_number(&j, "calls", a->program->notes.omission[i].calls);
		json_close(&j);
	}
	if (a->program->notes.omissions)
		json_close(&j);
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
	put_findings(a, f, &j);
	json_array(&j, "constructs", JSON_LINES);
	for (size_t i = 0; i < a->constructs; i++)
		put_construct(a, &a->construct[i], &j);
	json_close(&j);
	json_close(&j);
	json_finish(&j);
}

/* ------------------------------------------------------------------ a page */

/* Columns of loss; where clocks disagree, what is not known stays empty. */
static void put_losses(const struct analysis *a, const struct analysis_construct *c, struct output *out)
{
	double path = (double)(c->total.path_work + c->total.path_call) * a->processes;
	if (a->clocks_disagree)
		output_format(
			out, "%5s %5s %5.1f %5s %5s", "?", "?", analysis_percent(a, (double)c->imbalance), "?", "?");
	else
		output_format(out, "%5.1f %5.1f %5.1f %5.1f %5.1f", analysis_percent(a, (double)c->loss),
			analysis_percent(a, path), analysis_percent(a, (double)c->imbalance),
			analysis_percent(a, (double)c->serialization), analysis_percent(a, (double)c->transfer));
}

static void put_row(const struct analysis *a, const struct finding *f, struct output *out)
{
	const struct analysis_construct *c = f->construct;
	struct text ranks = {0}, iterations = {0};
	bool named = f->shared || fault_accuses(&f->fault);
	if (c->depth && named)
		finding_print_iterations(a, f, &iterations);
	if (!named)
		ranks_print_short(&c->ranks, &ranks);
	else if (f->fault.ranks.length)
		ranks_print_short(&f->fault.ranks, &ranks);
	if (!f->shared)
		put_losses(a, c, out);
	else
		output_format(out, "%5.1f %5s %5s %5s %5s", 100 * f->share, "", "", "", "");
	output_format(out, "  %-6s %-22.22s %-14s %-12.12s %.44s\n", c->address ? c->address : "-", c->name,
		f->shared ? "variation" : fault_key(f->fault.kind), ranks.data ? ranks.data : "all",
		iterations.data ? iterations.data : "");
	text_clear(&ranks);
	text_clear(&iterations);
}

static void put_rows(const struct analysis *a, const struct findings *f, struct output *out)
{
	size_t rows = 0;
	output_format(out,
		" lost  path     I     S     T  loop   region                 kind           ranks        iterations\n");
	for (size_t i = 0; i < f->length && rows < ROWS; i++) {
		const struct finding *one = &f->finding[i];
		bool worth = !one->shared ? one->construct->sort == CONSTRUCT_PROGRAM &&
						    (rows < LEAST_ROWS || one->share >= 0.001)
					  : one->share >= FINDINGS_LEAST;
		if (!worth)
			continue;
		put_row(a, one, out);
		rows++;
	}
}

static void put_waits(const struct analysis *a, struct output *out)
{
	uint64_t waited[WAIT_KINDS] = {0}, call = 0;
	for (uint32_t rank = 0; rank < a->processes; rank++) {
		call += a->process[rank].call;
		for (size_t k = 0; k < WAIT_KINDS; k++)
			waited[k] += a->process[rank].waited[k];
	}
	uint64_t all = waited[WAIT_LATE_SENDER] + waited[WAIT_LATE_RECEIVER] + waited[WAIT_COLLECTIVE];
	output_format(out, "computation %.1f %%", analysis_percent(a, (double)analysis_work(a)));
	if (a->clocks_disagree)
		output_format(out, ", MPI calls %.1f %%", analysis_percent(a, (double)call));
	else
		output_format(out,
			", waiting %.1f %% (late sender %.1f, late receiver %.1f, collective %.1f), transfer and calls %.1f %%",
			analysis_percent(a, (double)all), analysis_percent(a, (double)waited[WAIT_LATE_SENDER]),
			analysis_percent(a, (double)waited[WAIT_LATE_RECEIVER]),
			analysis_percent(a, (double)waited[WAIT_COLLECTIVE]),
			analysis_percent(a, (double)(call - all)));
}

/* What stands apart: MPI_Init and the like. */
static void put_totals(const struct analysis *a, struct output *out)
{
	put_waits(a, out);
	for (size_t i = 0; i < a->constructs; i++) {
		const struct analysis_construct *c = &a->construct[i];
		bool apart = c->sort == CONSTRUCT_INIT || c->sort == CONSTRUCT_FINALIZE || c->sort == CONSTRUCT_IO;
		if (apart && analysis_percent(a, (double)c->total.call) >= 0.05)
			output_format(out, ", %s %.1f %%", c->name, analysis_percent(a, (double)c->total.call));
	}
	output_format(out, "\n");
}

/* parallel efficiency = load balance x serialization x transfer: mean work / that of the busiest
   of each iteration / computation on the path / run. Imbalance that the path does not pass costs
   nothing. */
static void put_efficiency(const struct analysis *a, struct output *out)
{
	double run = (double)analysis_run(a), mean = (double)analysis_work(a) / (a->processes ? a->processes : 1);
	double path = (double)a->path_work, most = 0;
	struct text time = {0};
	for (size_t i = 0; i < a->constructs; i++)
		most += (double)a->construct[i].most;
	most = most < path ? most : path;
	put_seconds(&time, run * analysis_tick(a));
	output_format(out, "run time %s on %" PRIu32 " %s; parallel efficiency %.3f", time.data, a->processes,
		text_plural(a->processes, "process", "processes"), run > 0 ? mean / run : 0);
	if (!a->clocks_disagree)
		output_format(out, " = load balance %.3f x serialization %.3f x transfer %.3f",
			most > 0 ? mean / most : 1, path > 0 ? most / path : 1, run > 0 ? path / run : 1);
	output_format(out, "\n");
	text_clear(&time);
}

static void put_clocks(const struct analysis *a, struct output *out)
{
	struct text by = {0};
	if (!a->contradictions)
		return;
	put_seconds(&by, (double)a->contradiction * analysis_tick(a));
	output_format(out, "clocks contradict %" PRIu64 " of %" PRIu64 " messages and collectives, by up to %s%s\n",
		a->contradictions, a->meetings, by.data,
		a->clocks_disagree ? ": who waited for whom is not known, only what each process computes" : "");
	text_clear(&by);
}

static void put_omissions(const struct analysis *a, struct output *out)
{
	struct text line = {0};
	notes_tell_omissions(&a->program->notes, OMITTED "\n", &line);
	if (line.length)
		output_text(out, &line);
	text_clear(&line);
}

static void print_page(const struct analysis *a, const struct findings *f, struct output *out)
{
	struct text lines = {0};
	if (f->lead < f->length)
		finding_print(a, &f->finding[f->lead], &lines);
	else if (a->clocks_disagree)
		text_put(&lines,
			"Nothing stands out in what processes compute; who waits for whom is not known, for clocks contradict messages.\n");
	else
		text_format(&lines,
			"Nothing stands out: no construct loses %.0f %% of the run time to anybody in particular.\n",
			100 * FINDINGS_LEAST);
	output_format(out, "%s", lines.data);
	text_clear(&lines);
	put_efficiency(a, out);
	put_rows(a, f, out);
	put_totals(a, out);
	put_omissions(a, out);
	put_clocks(a, out);
	if (a->unmatched)
		output_format(out, "%" PRIu64 " receives, or members of collectives, have no partner in the trace\n",
			a->unmatched);
}

/* ------------------------------------------------------------------ the verb */

static bool is_html(const char *path)
{
	return path && text_ends_with(path, ".html");
}

static bool print(const struct settings *s, struct report *report, const struct analysis *a, struct error *error)
{
	struct findings findings;
	struct output *out = output_open(s->output, error);
	if (!out)
		return false;
	colour_page(out);
	report_clear(report);
	findings_of(&findings, a);
	bool good = true;
	if (is_html(s->output) && !s->json)
		good = report_page_write(a, &findings, s->argument[0], out, error);
	else
		(s->json ? print_json : print_page)(a, &findings, out);
	findings_clear(&findings);
	if (good)
		return output_close(out, error);
	output_abandon(out);
	return false;
}

/* With a model, the trace is read as its maker read it. */
static bool account(const struct settings *s, struct report *report, struct account *to,
	struct account_options *options, struct error *error)
{
	struct program *program = s->argument[1] ? program_read(s->argument[1], error) : NULL;
	if (s->argument[1] && !program)
		return false;
	bool good = settings_trace(s, program ? &program->notes : NULL, &options->program.trace, error);
	if (program)
		idle_with_model(report, s, program);
	program_free(program);
	return good && account_read(to, s->argument[0], s->argument[1], options, error);
}

bool verb_report(const struct settings *s, struct report *report, struct error *error)
{
	struct account a = {0};
	struct account_options options = settings_account(s, report);
	bool good = account(s, report, &a, &options, error) && print(s, report, a.analysis, error);
	if (good)
		missing_records_say(report, &a.facts.missing);
	else
		missing_records_say_beside(report, &a.facts);
	if (good && !s->argument[1]) {
		idle_reading(report, s, &a.facts.trace);
		idle_lenient(report, s, &a.facts.incomplete, &a.facts.unrecorded);
	} else if (good) {
		idle_lenient_on(report, s, a.program, &a.facts.unrecorded);
	}
	if (good)
		report_close_long(report, a.analysis->records);
	account_clear(&a);
	return good;
}
