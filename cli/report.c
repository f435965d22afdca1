/*
 * report.c -- tracenest report: where the time of a run went.
 */
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/colour.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/profiles.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "model/source.h"
#include "report/account.h"
#include "report/report_page.h"
#include "report/report_text.h"

static bool is_html(const char *path)
{
	return path && text_ends_with(path, ".html");
}

static bool print_html(const struct settings *s, struct report *report, const struct analysis *a,
	const struct findings *f, struct output *out, struct error *error)
{
	struct source *source =
		s->source ? source_open(*s->source ? s->source : ".", &a->program->module->places, error) : NULL;
	if (s->source && !source)
		return false;
	bool good = report_page_write(a, f, s->argument[0], (enum units)s->units, source, out, error);
	if (source)
		say_missing_source(report, source);
	source_close(source);
	return good;
}

static bool print(const struct settings *s, struct report *report, const struct analysis *a, struct error *error)
{
	struct findings findings;
	struct output *out = output_open(s->output, error);
	if (!out)
		return false;
	colour_page(out);
	report_clear(report);
	bool good = true, html = is_html(s->output) && !s->json;
	if (s->summary && !html && !s->json) {
		report_summary(a, (enum units)s->units, out);
		return output_close(out, error);
	}
	findings_of(&findings, a);
	if (html)
		good = print_html(s, report, a, &findings, out, error);
	else
		(s->json ? report_json : report_text)(a, &findings, out);
	findings_clear(&findings);
	return output_finish(out, good, error);
}

/* With a model, the trace is read as its maker read it. */
static bool account(const struct settings *s, struct report *report, struct account *to,
	struct account_options *options, struct error *error)
{
	struct module *of = s->argument[1] ? module_of_file(s->argument[1], NULL, s->lenient, error) : NULL;
	if (s->argument[1] && !of)
		return false;
	options->of = of;
	bool good = settings_trace(s, of ? &of->notes : NULL, &options->program.trace, error);
	if (of)
		idle_with_model(report, s, of);
	if (good)
		return account_read(to, s->argument[0], s->argument[1], options, error);
	module_free(of);
	return false;
}

bool verb_report(const struct settings *s, struct report *report, struct error *error)
{
	struct account a = {0};
	struct account_options options = settings_account(s, report);
	bool good = account(s, report, &a, &options, error);
	if (good)
		cautions_say(report, s, a.analysis->program->run);
	if (good)
		a.analysis->unfinished = report->unfinished;
	good = good && print(s, report, a.analysis, error);
	if (good)
		missing_records_say(report, &a.facts.missing);
	else
		missing_records_say_beside(report, &a.facts);
	if (good && !s->argument[1]) {
		idle_reading(report, s, &a.facts.trace);
		idle_lenient(report, s, &a.facts.incomplete, &a.facts.unrecorded);
	} else if (good) {
		idle_lenient_on(report, s, a.analysis->program->run, &a.facts.unrecorded);
	}
	if (good && s->source && (s->json || !is_html(s->output)))
		idle_say(report, s, OPTIONS(OPTION_PAGE_SOURCE), "no page is written");
	if (good)
		report_close_long(report, a.analysis->records);
	account_clear(&a);
	return good;
}
