/*
 * diff.c -- tracenest diff: two runs beside each other.
 */
#include "base/output.h"
#include "cli/cautions.h"
#include "cli/colour.h"
#include "cli/definitions.h"
#include "cli/idle.h"
#include "cli/options.h"
#include "cli/profiles.h"
#include "cli/talk.h"
#include "cli/verbs.h"
#include "report/difference.h"
#include "report/parametric_difference.h"

#define DIFFERENT 3

/* Of two runs, or of two parametric texts what they say for every number of processes. */
static bool print(const struct settings *s, struct report *report, const struct difference *d,
	const struct parametric_difference *p, struct error *error)
{
	struct output *out = output_open(s->output, error);
	struct json json = {.out = out};
	struct text page = {0};
	if (!out)
		return false;
	if (d)
		colour_page(out);
	report_clear(report);
	if (s->json && d)
		difference_print_json(d, &json);
	else if (s->json)
		parametric_difference_print_json(p, &json);
	else if (d)
		difference_print(d, &page);
	else
		parametric_difference_print(p, s->argument[0], s->argument[1], &page);
	if (s->json)
		json_finish(&json);
	output_text(out, &page);
	text_clear(&page);
	return output_close(out, error);
}

static void say_missing(struct report *report, const struct difference *d, bool good)
{
	for (size_t i = 0; i < 2; i++) {
		const struct program_facts *f = &d->run[i].account.facts;
		if (good)
			missing_records_say(report, &f->missing);
		else
			missing_records_say_beside(report, f);
	}
}

static void say_no_trace(struct report *report, const struct settings *s)
{
	idle_no_trace(report, s);
	idle_say(report, s, OPTIONS(OPTION_LENIENT), "no trace is read");
}

bool verb_diff(const struct settings *s, struct report *report, struct error *error)
{
	struct difference d = {0};
	struct text text[2] = {{0}};
	if (definitions_parametric(s, s->argument[0], &text[0]) &&
		definitions_parametric(s, s->argument[1], &text[1])) {
		struct parametric_difference p;
		parametric_difference_of(&p, text[0].data, text[0].length, text[1].data, text[1].length);
		bool printed = print(s, report, NULL, &p, error);
		if (printed)
			say_no_trace(report, s);
		report->status = s->exit_code && p.differing + p.only[0] + p.only[1] ? DIFFERENT : 0;
		parametric_difference_clear(&p);
		text_clear(&text[0]);
		text_clear(&text[1]);
		return printed;
	}
	text_clear(&text[0]);
	struct account_options options = settings_account(s, report);
	bool good = settings_trace(s, NULL, &options.program.trace, error) &&
		    difference_read(&d, s->argument[0], s->argument[1], &options, error) &&
		    print(s, report, &d, NULL, error);
	say_missing(report, &d, good);
	if (good && d.run[0].source != RUN_TRACE && d.run[1].source != RUN_TRACE)
		say_no_trace(report, s);
	bool unknown = good && s->exit_code && !d.aligned && !d.structure;
	if (unknown)
		report_say(report,
			"warning: a profile does not hold its program: whether the programs differ is not known "
			"(make it again with tracenest profile)");
	report->status = s->exit_code && (d.structure || unknown) ? DIFFERENT : 0;
	difference_clear(&d);
	return good;
}
